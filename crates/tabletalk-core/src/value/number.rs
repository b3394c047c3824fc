//! Reading numbers.

use super::cursor::Cursor;
use super::digits::Digits;
pub(super) use super::digits::Reading;
use super::style::{Marks, Style};
use super::unit::{currency_of, is_unit, is_word_end, percent, scale};

/// A number as it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number<'a> {
    /// Its value: `1,200` is 1200, `35%` is 0.35, `12万` is 120000, `(5)` is -5.
    pub value: f64,
    /// Its exact value, where it is whole.
    pub integer: Option<i64>,
    /// Decimals as written (`1.50` has 2); those of a percentage count after the shift.
    pub decimals: u8,
    /// A unit or currency that stood beside it, such as `%`, `USD`, `kg`, `元`.
    pub unit: Option<&'a str>,
}

/// Reads a number in any of the forms people write.
///
/// ```
/// use tabletalk_core::value::number;
/// assert_eq!(number("1.2k").map(|n| n.value), Some(1200.0));
/// assert_eq!(number("2023/24"), None);
/// ```
pub fn number(text: &str) -> Option<Number<'_>> {
    whole(text, Reading::Lone).map(|written| written.number())
}

/// Reads a number of a table whose style is known. What is written in another style is none.
///
/// ```
/// use tabletalk_core::value::number_in;
/// let style = "1.234,56".parse()?;
/// assert_eq!(number_in("1.234", style).map(|n| n.value), Some(1234.0));
/// assert_eq!(number_in("1.5", style), None);
/// # Ok::<(), tabletalk_core::Error>(())
/// ```
pub fn number_in(text: &str, style: Style) -> Option<Number<'_>> {
    whole(text, Reading::In(style)).map(|written| written.number())
}

/// Reads a number in any style and says what it tells of the style. One that is open is read as
/// [`number`] does.
pub fn number_and_marks(text: &str) -> Option<(Number<'_>, Marks)> {
    whole(text, Reading::Any).map(|written| (written.number(), written.marks))
}

fn whole(text: &str, reading: Reading) -> Option<Written<'_>> {
    let text = text.trim();
    if text.len() > 64 || !may_begin(text) {
        return None;
    }
    Written::scan(text, reading).filter(|written| written.len == text.len())
}

/// Whether a number can begin like this; quick, for texts that are mostly words.
pub(super) fn may_begin(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'(' | b'.' | b'$') => true,
        Some(b'A' | b'C'..=b'J' | b'N' | b'P' | b'R' | b'S' | b'U' | b'k') => currency_of(text).is_some(),
        Some(b) if *b >= 0x80 => text.chars().next().is_some_and(|c| {
            matches!(
                c,
                '€' | '£'
                    | '¥'
                    | '￥'
                    | '₹'
                    | '₩'
                    | '₽'
                    | '＄'
                    | '－'
                    | '＋'
                    | '（'
                    | '\u{2212}'
                    | '\u{2013}'
            ) || ('０'..='９').contains(&c)
                || (matches!(c, '人' | '百') && (text.starts_with("人民币") || text.starts_with("百分之")))
        }),
        _ => false,
    }
}

/// A number taken apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) len: usize,
    pub(super) negative: bool,
    pub(super) in_parens: bool,
    mantissa: u64,
    exponent: i32,
    pub(super) unit: Option<&'a str>,
    currency: bool,
    marks: Marks,
}

impl<'a> Written<'a> {
    /// Reads a number at the start of the text.
    pub(super) fn scan(text: &'a str, reading: Reading) -> Option<Self> {
        let mut at = Cursor::new(text);
        let mut n = Written {
            len: 0,
            negative: false,
            in_parens: false,
            mantissa: 0,
            exponent: 0,
            unit: None,
            currency: false,
            marks: Marks::default(),
        };
        let plus = n.head(&mut at);
        let digits = Digits::scan(&mut at, reading)?;
        if plus && digits.count > 10 {
            return None; // a telephone number
        }
        (n.mantissa, n.exponent, n.marks) = (digits.mantissa, digits.exponent, digits.marks);
        n.tail(&mut at, &digits, reading);
        if n.in_parens && !at.eat(')') {
            return None;
        }
        if reading == Reading::Running && !ends_well(&at) {
            return None;
        }
        n.len = at.at();
        Some(n)
    }

    /// Sign, parenthesis and currency before the digits; says whether there was a plus.
    fn head(&mut self, at: &mut Cursor<'a>) -> bool {
        if at.eat_word("百分之") {
            self.unit = Some("%");
        }
        let mut plus = self.sign(at);
        self.in_parens = !self.negative && !plus && at.eat('(');
        self.prefix(at);
        if self.unit.is_some() && !self.negative {
            self.in_parens |= at.eat('(');
            plus |= self.sign(at);
            self.prefix(at);
        }
        self.negative |= self.in_parens;
        plus
    }

    fn sign(&mut self, at: &mut Cursor<'a>) -> bool {
        let before = *at;
        let plus = at.eat('+');
        self.negative |= !plus && at.eat('-');
        if at.spaces() > 1 {
            *at = before;
        }
        plus
    }

    fn prefix(&mut self, at: &mut Cursor<'a>) {
        if self.unit.is_some() {
            return;
        }
        if let Some((len, unit)) = currency_of(at.rest()) {
            let mut after = *at;
            for _ in at.rest().get(..len).unwrap_or("").chars() {
                after.eat_if(|_| true);
            }
            after.spaces();
            (*at, self.unit, self.currency) = (after, Some(unit), true);
        }
    }

    /// Percent, scale, currency and unit after the digits.
    fn tail(&mut self, at: &mut Cursor<'a>, digits: &Digits, reading: Reading) {
        let percent_before = self.unit == Some("%");
        if percent_before {
            self.exponent -= 2;
            return;
        }
        if self.unit.is_none() && percent(at) {
            self.exponent -= 2;
            self.unit = Some("%");
        } else if let Some(power) = scale(at, self.currency) {
            self.exponent += power;
        }
        if self.unit.is_none() {
            self.suffix(at, digits, reading);
        }
        if reading.is_whole() && !self.negative && at.rest() == "-" {
            self.negative = at.eat('-');
        }
    }

    /// A currency or a unit after the number.
    fn suffix(&mut self, at: &mut Cursor<'a>, digits: &Digits, reading: Reading) {
        let mut after = *at;
        let gap = after.spaces();
        if let Some((len, unit)) =
            currency_of(after.rest()).filter(|(len, _)| is_word_end(after.rest(), *len))
        {
            for _ in after.rest().get(..len).unwrap_or("").chars() {
                after.eat_if(|_| true);
            }
            (*at, self.unit, self.currency) = (after, Some(unit), true);
            return;
        }
        if reading == Reading::Running {
            return;
        }
        let rest = after.rest().trim_end_matches(')');
        if is_unit(rest, gap, digits.is_plain && digits.count == 4) {
            for _ in rest.chars() {
                after.eat_if(|_| true);
            }
            (*at, self.unit) = (after, Some(rest));
        }
    }

    /// The number, put together.
    pub(super) fn number(&self) -> Number<'a> {
        let sign = if self.negative { -1.0 } else { 1.0 };
        let value = sign * times_ten(self.mantissa, self.exponent);
        Number {
            value: if value == 0.0 { 0.0 } else { value },
            integer: self.integer(),
            decimals: u8::try_from((-self.exponent).max(0)).unwrap_or(u8::MAX),
            unit: self.unit,
        }
    }

    /// The value times a power of ten.
    pub(super) fn times(&self, power: i32) -> f64 {
        Written { exponent: self.exponent + power, ..*self }.number().value
    }

    fn integer(&self) -> Option<i64> {
        let power = 10u64.checked_pow(self.exponent.unsigned_abs());
        let size = match self.exponent {
            0.. => self.mantissa.checked_mul(power?)?,
            _ if self.mantissa == 0 => 0,
            _ => self.mantissa.is_multiple_of(power?).then(|| self.mantissa / power.unwrap_or(1))?,
        };
        let size = i128::from(size);
        i64::try_from(if self.negative { -size } else { size }).ok()
    }
}

/// In running text a number ends at the end of a word, or before a short unit such as `kg` or `th`.
fn ends_well(at: &Cursor<'_>) -> bool {
    let rest = at.rest().as_bytes();
    let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    letters <= 4 && !rest.get(letters).is_some_and(u8::is_ascii_digit)
}

/// `mantissa × 10^exponent`, correctly rounded.
fn times_ten(mantissa: u64, exponent: i32) -> f64 {
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19, 1e20, 1e21, 1e22,
    ];
    if mantissa < 1 << 53 {
        match POWERS.get(exponent.unsigned_abs() as usize) {
            Some(power) if exponent < 0 => return mantissa as f64 / power,
            Some(power) => return mantissa as f64 * power,
            None => {}
        }
    }
    format!("{mantissa}e{exponent}").parse().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::super::style::{Decimal, Group, Vote};
    use super::*;

    fn read(text: &str) -> Option<f64> {
        number(text).map(|n| n.value)
    }

    #[test]
    fn reads_thousands_separators() {
        for text in [
            "1200",
            "1,200",
            "1\u{a0}200",
            "1\u{2009}200",
            "1'200",
            "1’200",
            "1.200,00",
            "１２００",
            "1200.00",
        ] {
            assert_eq!(read(text), Some(1200.0), "{text}");
        }
        assert_eq!(read("1,234,567.89"), Some(1_234_567.89));
        assert_eq!(read("1.234.567,89"), Some(1_234_567.89));
        assert_eq!(read("1.234.567"), Some(1_234_567.0));
        assert_eq!(read("12,34,567"), Some(1_234_567.0));
        assert_eq!(read("3,5"), Some(3.5));
        assert_eq!(read("1.200"), Some(1.2));
    }

    #[test]
    fn a_table_decides_how_its_numbers_are_read() {
        let read = |text: &str, style: &str| number_in(text, style.parse().unwrap()).map(|n| n.value);
        for (text, style, value) in [
            ("1.234", "1.234,56", Some(1234.0)),
            ("12.345,67", "1.234,56", Some(12_345.67)),
            ("1,500", "1234,56", Some(1.5)),
            ("0,125", "1234,56", Some(0.125)),
            ("1.234,50-", "1.234,56", Some(-1234.5)),
            ("€ 1.234,50", "1.234,56", Some(1234.5)),
            ("1 234,50 €", "1 234,56", Some(1234.5)),
            ("1\u{a0}234,50\u{a0}€", "1 234,56", Some(1234.5)),
            ("2 102 650", "1 234,56", Some(2_102_650.0)),
            ("2\u{202f}102\u{202f}650", "1,234.56", Some(2_102_650.0)),
            ("12,5 %", "1234,56", Some(0.125)),
            ("1'234.50", "1'234.56", Some(1234.5)),
            ("1’234.50", "1'234.56", Some(1234.5)),
            ("CHF 1'200.-", "1'234.56", Some(1200.0)),
            ("Fr. 85.–", "1'234.56", Some(85.0)),
            ("200,-- €", "1.234,56", Some(200.0)),
            ("(1,234)", "1,234.56", Some(-1234.0)),
            ("3,5 Mio. €", "1.234,56", Some(3_500_000.0)),
            ("12.5万元", "1,234.56", Some(125_000.0)),
            ("1.234", "1,234.56", Some(1.234)),
            ("1,500", "1,234.56", Some(1500.0)),
            // In another style it is no number.
            ("1.5", "1.234,56", None),
            ("1,5", "1,234.56", None),
            ("1,234,567", "1.234,56", None),
            ("2 102 650", "1.234,56", None),
            ("123 45", "1 234,56", None),
            ("1234 567", "1 234,56", None),
        ] {
            assert_eq!(read(text, style), value, "{text} in {style}");
        }
    }

    #[test]
    fn says_what_a_number_tells_of_its_table() {
        use Decimal::{Comma, Point};
        for (text, vote, group) in [
            ("1.234", Vote::Open(Point), None),
            ("1,500 kg", Vote::Open(Comma), None),
            ("0,125", Vote::Sure(Comma), None),
            ("1234,567", Vote::Sure(Comma), None),
            ("12.50", Vote::Sure(Point), None),
            ("1.234.567", Vote::Sure(Comma), Some(Group::Point)),
            ("1,234,567", Vote::Sure(Point), Some(Group::Comma)),
            ("1 234,5", Vote::Sure(Comma), Some(Group::Space)),
            ("1'234", Vote::None, Some(Group::Apostrophe)),
            ("200,-", Vote::Sure(Comma), None),
            ("1234", Vote::None, None),
        ] {
            let (_, marks) = number_and_marks(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((marks.vote, marks.group), (vote, group), "{text}");
        }
        assert!(number_and_marks("2 102 650").is_some_and(|(_, marks)| marks.is_spaced));
        assert_eq!(number("2 102 650"), None);
    }

    #[test]
    fn reads_signs_and_parentheses() {
        for text in ["-5", "−5", "(5)", "5-", "–5", "($5)", "-$5", "$-5", "$(5)", "- 5"] {
            assert_eq!(read(text), Some(-5.0), "{text}");
        }
        assert_eq!(read("+12.5%"), Some(0.125));
    }

    #[test]
    fn reads_percent_and_scales() {
        for (text, value) in [
            ("35%", 0.35),
            ("35 %", 0.35),
            ("35％", 0.35),
            ("35 percent", 0.35),
            ("百分之35", 0.35),
            ("1.2k", 1200.0),
            ("$1.2m", 1_200_000.0),
            ("3.5 million", 3_500_000.0),
            ("US$ 2 bn", 2e9),
            ("12万", 120_000.0),
            ("12 万元", 120_000.0),
            ("1.2亿美元", 120_000_000.0),
            ("3千万", 30_000_000.0),
            ("2万亿", 2e12),
            ("5千元", 5000.0),
            ("1.5e3", 1500.0),
            ("1E-3", 0.001),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
    }

    #[test]
    fn keeps_units() {
        for (text, value, unit) in [
            ("12 kg", 12.0, "kg"),
            ("497 ft", 497.0, "ft"),
            ("12kg", 12.0, "kg"),
            ("5千克", 5.0, "千克"),
            ("¥1,200", 1200.0, "¥"),
            ("1,200 USD", 1200.0, "USD"),
            ("RMB 5", 5.0, "CNY"),
            ("5元", 5.0, "元"),
            ("2023年", 2023.0, "年"),
            ("80 km/h", 80.0, "km/h"),
            ("20°C", 20.0, "°C"),
            ("1.75m", 1.75, "m"),
            ("35%", 0.35, "%"),
        ] {
            let n = number(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((n.value, n.unit), (value, Some(unit)), "{text}");
        }
    }

    #[test]
    fn leaves_what_is_not_a_number() {
        for text in [
            "",
            "1-2",
            "2023/24",
            "007",
            "0123",
            "555-1234",
            "192.168.1.1",
            "192.168.100.200",
            "1.2.3",
            "12:30",
            "+8613800138000",
            "1st",
            "1990s",
            "7 pm",
            "1 may",
            "A1",
            "USD",
            "-",
            "(",
            "(5",
            "1,2,3",
            "12 34",
            "1,20,0",
            "12345678901234567890",
            "1 - 2",
            "3 of 5",
            "0x10",
            "$",
            "e5",
            "5 september",
            "1..2",
            "--5",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn counts_decimals_and_knows_whole_numbers() {
        let n = number("1.50").unwrap();
        assert_eq!((n.decimals, n.integer), (2, None));
        assert_eq!(number("15.00").unwrap().integer, Some(15));
        assert_eq!(number("12.5%").unwrap().decimals, 3);
        assert_eq!(number("1.2k").unwrap().integer, Some(1200));
        assert_eq!(number("9223372036854775807").unwrap().integer, Some(i64::MAX));
        assert_eq!(number("9223372036854775808").unwrap().integer, None);
    }
}

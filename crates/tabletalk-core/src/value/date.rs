//! Reading dates and times.

use super::cursor::Cursor;

/// Microseconds in a day.
pub(super) const DAY: i64 = 86_400_000_000;

/// Which of two numbers before the year is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `31/12/2023`.
    DayFirst,
    /// `12/31/2023`.
    MonthFirst,
}

/// A date as it was written: parts may be missing, and the order of day and month may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The year; `Sept 1` has none.
    pub year: Option<i32>,
    /// The month, or, when the order is open, the second number.
    pub month: u32,
    /// The day, or, when the order is open, the first number; `September 2023` has none.
    pub day: Option<u32>,
    /// The time of day in microseconds.
    pub time: Option<i64>,
    /// Written as `1/2/2023`, so that only other dates beside it can tell the day from the month.
    pub is_open: bool,
    pub(super) len: usize,
}

impl Moment {
    /// The day since 1970-01-01, if all of it is there, reading an open date in this order.
    pub fn days(&self, order: Order) -> Option<i32> {
        let (year, first, second) = (self.year?, self.day?, self.month);
        match order {
            Order::MonthFirst if self.is_open => days(year, first, second),
            _ => days(year, second, first),
        }
    }
    /// The microsecond since 1970-01-01 00:00; midnight where no time is written.
    pub fn micros(&self, order: Order) -> Option<i64> {
        Some(i64::from(self.days(order)?) * DAY + self.time.unwrap_or(0))
    }
    /// The only order that gives a date; `None` when both do or none does.
    fn only_order(&self) -> Option<Order> {
        if !self.is_open {
            return Some(Order::DayFirst);
        }
        match (self.days(Order::DayFirst), self.days(Order::MonthFirst)) {
            (Some(a), Some(b)) if a == b => Some(Order::DayFirst),
            (Some(_), None) => Some(Order::DayFirst),
            (None, Some(_)) => Some(Order::MonthFirst),
            _ => None,
        }
    }
}

/// Reads a whole date that can be read in one way only, as days since 1970-01-01.
///
/// ```
/// use tabletalk_core::value::date;
/// assert_eq!(date("Sept 1, 2023"), date("2023年9月1日"));
/// assert_eq!(date("01/02/2023"), None);
/// ```
pub fn date(text: &str) -> Option<i32> {
    let moment = moment(text)?;
    moment.time.is_none().then(|| moment.days(moment.only_order()?))?
}

/// Reads a date with a time, as microseconds since 1970-01-01 00:00. The time is taken as it is written:
/// a zone behind it is dropped.
pub fn datetime(text: &str) -> Option<i64> {
    let moment = moment(text)?;
    moment.time?;
    moment.micros(moment.only_order()?)
}

/// Reads a date in any of the forms people write, whole or not.
pub fn moment(text: &str) -> Option<Moment> {
    let text = text.trim();
    if let Some(moment) = plain(text.as_bytes()) {
        return is_sound(&moment).then_some(moment);
    }
    if text.len() > 64 || !may_begin(text) {
        return None;
    }
    scan(text).filter(|m| m.len == text.len())
}

/// `2023-09-01`, read without detours: whole columns are written like this.
fn plain(text: &[u8]) -> Option<Moment> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let digits = [y1, y2, y3, y4, m1, m2, d1, d2].map(|b| u32::from(b.wrapping_sub(b'0')));
    let [y1, y2, y3, y4, m1, m2, d1, d2] = digits;
    let year = ((y1 * 10 + y2) * 10 + y3) * 10 + y4;
    let is_date = digits.iter().all(|d| *d < 10) && (1000..3000).contains(&year);
    let found = || Moment { len: text.len(), ..found(Some(year as i32), m1 * 10 + m2, Some(d1 * 10 + d2)) };
    is_date.then(found)
}

/// Whether a date can begin like this; quick, for texts that are mostly words.
pub(super) fn may_begin(text: &str) -> bool {
    match text.as_bytes() {
        [b'0'..=b'9', ..] => true,
        [a, b, c, ..] if a.is_ascii_alphabetic() => {
            let head = [a | 0x20, b | 0x20, c | 0x20]; // lower case
            matches!(
                &head,
                b"jan"
                    | b"feb"
                    | b"mar"
                    | b"apr"
                    | b"may"
                    | b"jun"
                    | b"jul"
                    | b"aug"
                    | b"sep"
                    | b"oct"
                    | b"nov"
                    | b"dec"
            ) || matches!(&head, b"mon" | b"tue" | b"wed" | b"thu" | b"fri" | b"sat" | b"sun")
        }
        [0xef, 0xbc, 0x90..=0x99, ..] => true, // full-width digits
        _ => false,
    }
}

/// Reads a date at the start of a text.
pub(super) fn scan(text: &str) -> Option<Moment> {
    let mut at = Cursor::new(text);
    let mut moment = if at.peek()?.is_ascii_digit() {
        year_first(&mut at).or_else(|| year_last(&mut at))?
    } else {
        weekday(&mut at);
        match at.peek()?.is_ascii_digit() {
            true => year_last(&mut at)?,
            false => month_first(&mut at)?,
        }
    };
    let end = at;
    if moment.year.is_some() && moment.day.is_some() {
        moment.time = time(&mut at);
    }
    if moment.time.is_none() {
        at = end;
    }
    moment.len = at.at();
    (at.at_word_end() && is_sound(&moment)).then_some(moment)
}

fn found(year: Option<i32>, month: u32, day: Option<u32>) -> Moment {
    Moment { year, month, day, time: None, is_open: false, len: 0 }
}

fn is_sound(m: &Moment) -> bool {
    let year = m.year.unwrap_or(2000);
    let day = m.day.unwrap_or(1);
    days(year, m.month, day).is_some() || (m.is_open && days(year, day, m.month).is_some())
}

/// `2023-9-1`, `2023/09/01`, `2023.9.1`, `2023年9月1日`, `2023-09`, `2023年9月`.
fn year_first(at: &mut Cursor<'_>) -> Option<Moment> {
    let mut seen = *at;
    let year = seen.digits(4, 4).filter(|y| (1000..3000).contains(y))? as i32;
    let gap = seen.spaces();
    let separator = seen.eat_if(|c| matches!(c, '-' | '/' | '.' | '年'))?;
    let han = separator == '年';
    if gap > 0 && !han {
        return None;
    }
    seen.spaces();
    let width = seen.at();
    let month = seen.digits(1, 2)?;
    let two_digits = seen.at() - width == 2;
    let after_month = seen;
    seen.spaces();
    let goes_on = seen.eat(if han { '月' } else { separator });
    let mut day_at = seen;
    day_at.spaces();
    let day = goes_on.then(|| day_at.digits(1, 2)).flatten();
    if day.is_some() && (!han || end_of_day(&mut day_at)) {
        *at = day_at;
        return Some(found(Some(year), month, day));
    }
    if han && goes_on {
        *at = seen;
        return Some(found(Some(year), month, None));
    }
    let partial = separator == '-' && two_digits && !goes_on;
    *at = after_month;
    partial.then(|| found(Some(year), month, None))
}

/// The `日` after a day.
fn end_of_day(at: &mut Cursor<'_>) -> bool {
    at.spaces();
    at.eat_if(|c| matches!(c, '日' | '号' | '號')).is_some() || at.is_done()
}

/// `1 Sep 2023`, `1st of September 2023`, `1-Sep-23`, `1/9/2023`, `1.9.2023`, `1 Sept`, `9月1日`.
fn year_last(at: &mut Cursor<'_>) -> Option<Moment> {
    let start = at.at();
    let first = at.digits(1, 2)?;
    if at.eat('月') {
        let day = at.digits(1, 2)?;
        return (at.eat('日') || at.eat('号')).then(|| found(None, first, Some(day)));
    }
    if let Some(separator) = at.eat_if(|c| matches!(c, '/' | '.' | '-')) {
        if let Some(second) = at.digits(1, 2) {
            // `31.12.23`; with fewer digits it is the number of a section or a version.
            let is_full = at.at() - start == 5;
            return numeric(at, separator, is_full, first, second);
        }
        let month = name(at, MONTHS)?;
        let year = if at.eat(separator) {
            short_year(at)?
        } else {
            return None;
        };
        return Some(found(Some(year), month, Some(first)));
    }
    ordinal(at);
    at.spaces();
    if at.eat_word("of ") {
        at.spaces();
    }
    let month = name(at, MONTHS)?;
    let mut seen = *at;
    seen.eat('.');
    comma(&mut seen);
    let year = long_year(&mut seen);
    if year.is_some() {
        *at = seen;
    }
    Some(found(year, month, Some(first)))
}

/// The rest of `1/9/2023` after its first two numbers.
fn numeric(at: &mut Cursor<'_>, separator: char, is_full: bool, first: u32, second: u32) -> Option<Moment> {
    if !at.eat(separator) {
        return None;
    }
    let year = match separator {
        '/' => short_year(at)?,
        '.' if is_full => short_year(at)?,
        _ => long_year(at)?,
    };
    // With dots the day always comes first.
    Some(Moment { is_open: separator != '.', ..found(Some(year), second, Some(first)) })
}

/// `September 1, 2023`, `Sept 1st`, `September 2023`, `Sep-2023`.
fn month_first(at: &mut Cursor<'_>) -> Option<Moment> {
    let month = name(at, MONTHS)?;
    at.eat('.');
    let mut seen = *at;
    comma(&mut seen);
    seen.eat('-');
    if let Some(year) = long_year(&mut seen) {
        *at = seen;
        return Some(found(Some(year), month, None));
    }
    at.spaces();
    at.eat('-');
    let day = at.digits(1, 2)?;
    ordinal(at);
    let mut seen = *at;
    comma(&mut seen);
    seen.eat('-');
    let year = long_year(&mut seen);
    if year.is_some() {
        *at = seen;
    }
    Some(found(year, month, Some(day)))
}

/// `08:00`, `8:30:15.5 pm`, `T08:00:00Z`, `T08:00+08:00` after a date.
fn time(at: &mut Cursor<'_>) -> Option<i64> {
    let marked = at.eat('T') || at.eat('t');
    if !marked && at.spaces() == 0 && !at.eat(',') {
        return None;
    }
    at.spaces();
    let hour = at.digits(1, 2).filter(|h| *h < 24)?;
    if !at.eat(':') {
        return None;
    }
    let minute = at.digits(2, 2).filter(|m| *m < 60)?;
    let (mut second, mut fraction) = (0, 0);
    if at.eat(':') {
        second = at.digits(2, 2).filter(|s| *s < 60)?;
        if at.peek() == Some('.') {
            fraction = fraction_of_second(at);
        }
    }
    let hour = half_of_day(at, hour)?;
    zone(at);
    Some(((i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second)) * 1_000_000 + fraction)
}

fn fraction_of_second(at: &mut Cursor<'_>) -> i64 {
    let mut seen = *at;
    seen.eat('.');
    let (mut micros, mut weight) = (0, 100_000);
    while let Some(d) = seen.digit() {
        micros += i64::from(d) * weight;
        weight /= 10;
        *at = seen;
    }
    micros
}

/// The hour after `am` or `pm`, if one follows.
fn half_of_day(at: &mut Cursor<'_>, hour: u32) -> Option<u32> {
    let mut seen = *at;
    seen.spaces();
    let (am, pm) =
        (seen.eat_word("am") || seen.eat_word("a.m."), seen.eat_word("pm") || seen.eat_word("p.m."));
    if !(am || pm) || !seen.at_word_end() {
        return Some(hour);
    }
    *at = seen;
    match hour {
        12 => Some(if pm { 12 } else { 0 }),
        1..=11 => Some(if pm { hour + 12 } else { hour }),
        _ => None,
    }
}

fn zone(at: &mut Cursor<'_>) {
    let mut seen = *at;
    seen.spaces();
    if seen.eat('Z') || seen.eat_word("UTC") || seen.eat_word("GMT") {
        if seen.at_word_end() {
            *at = seen;
        }
        return;
    }
    if seen.eat_if(|c| matches!(c, '+' | '-')).is_some() {
        let hours = seen.digits(2, 2).is_some() && (!seen.eat(':') || seen.digits(2, 2).is_some());
        if hours || seen.digits(4, 4).is_some() {
            *at = seen;
        }
    }
}

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The month with this name or abbreviation, from 1.
pub(super) fn month_name(text: &str) -> Option<u32> {
    let mut at = Cursor::new(text);
    name(&mut at, MONTHS).filter(|_| at.is_done())
}

/// Reads one of the names, in full or cut to at least three letters; its number from 1.
fn name(at: &mut Cursor<'_>, names: &[&str]) -> Option<u32> {
    let rest = at.rest();
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = rest.get(..letters).filter(|w| w.len() >= 3)?;
    let is = |name: &&str| name.get(..letters).is_some_and(|n| n.eq_ignore_ascii_case(word));
    let number = names.iter().position(is)?;
    let full = names.get(number)?.len() == letters;
    if !full && letters > 4 {
        return None;
    }
    at.eat_word(word);
    u32::try_from(number + 1).ok()
}

fn weekday(at: &mut Cursor<'_>) {
    if name(at, WEEKDAYS).is_some() {
        at.eat('.');
        comma(at);
    }
}

/// Spaces with at most one comma among them.
fn comma(at: &mut Cursor<'_>) {
    at.spaces();
    at.eat(',');
    at.spaces();
}

fn ordinal(at: &mut Cursor<'_>) {
    let _ = ["st", "nd", "rd", "th"].iter().any(|suffix| at.eat_word(suffix));
}

fn long_year(at: &mut Cursor<'_>) -> Option<i32> {
    at.digits(4, 4).filter(|y| (1000..3000).contains(y)).map(|y| y as i32)
}

/// A year of four digits, or of two: 69 is 1969, 68 is 2068.
fn short_year(at: &mut Cursor<'_>) -> Option<i32> {
    long_year(at).or_else(|| {
        let year = at.digits(2, 2)? as i32;
        Some(if year < 69 { 2000 + year } else { 1900 + year })
    })
}

/// Days since 1970-01-01 of a day that exists.
fn days(year: i32, month: u32, day: u32) -> Option<i32> {
    const LENGTHS: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = *LENGTHS.get((month as usize).checked_sub(1)?)?;
    if day == 0 || day > length || (month == 2 && day == 29 && !leap) {
        return None;
    }
    // Counted in eras of 400 years that begin in March, so that the leap day comes last.
    let y = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * ((month as i32 + 9) % 12) + 2) / 5 + day as i32 - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Year, month and day of a number of days since 1970-01-01.
pub(super) fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{plain_date, plain_datetime};

    #[test]
    fn reads_one_day_in_many_forms() {
        for text in [
            "2023-09-01",
            "2023/9/1",
            "2023.09.01",
            "1 Sep 2023",
            "Sept 1, 2023",
            "sept 1 2023",
            "September 1st, 2023",
            "september 1 , 2023",
            "1st of September 2023",
            "2023年9月1日",
            "2023 年 9 月 1 日",
            "２０２３年９月１日",
            "1-Sep-23",
            "01.09.2023",
            "01.09.23",
            "Friday, 1 September 2023",
            "fri sep 1 2023",
            "2023年9月1号",
        ] {
            assert_eq!(date(text).map(plain_date).as_deref(), Some("2023-09-01"), "{text}");
        }
    }

    #[test]
    fn reads_times() {
        for text in [
            "2021-09-01 08:00:00",
            "2021-09-01T08:00:00Z",
            "2021-09-01T08:00:00+08:00",
            "2021/9/1 8:00",
            "1 Sep 2021 8:00 am",
            "2021年9月1日 08:00",
            "2021-09-01T08:00:00.000",
            "2021-09-01 08:00:00+0800",
            "2021-09-01 08:00:00 UTC",
        ] {
            assert_eq!(datetime(text).map(plain_datetime).as_deref(), Some("2021-09-01 08:00:00"), "{text}");
        }
        assert_eq!(
            datetime("2021-09-01 12:30 pm").map(plain_datetime).as_deref(),
            Some("2021-09-01 12:30:00")
        );
        assert_eq!(datetime("2021-09-01"), None);
        assert_eq!(date("2021-09-01 08:00"), None);
    }

    #[test]
    fn reads_parts_of_dates() {
        let parts = |text| moment(text).map(|m| (m.year, m.month, m.day));
        assert_eq!(parts("September 2023"), Some((Some(2023), 9, None)));
        assert_eq!(parts("2023年9月"), Some((Some(2023), 9, None)));
        assert_eq!(parts("2023-09"), Some((Some(2023), 9, None)));
        assert_eq!(parts("9月1日"), Some((None, 9, Some(1))));
        assert_eq!(parts("sept 1"), Some((None, 9, Some(1))));
    }

    #[test]
    fn takes_a_numeric_date_only_when_it_can_be_read_in_one_way() {
        assert_eq!(date("13/02/2023").map(plain_date).as_deref(), Some("2023-02-13"));
        assert_eq!(date("02/13/2023").map(plain_date).as_deref(), Some("2023-02-13"));
        assert_eq!(date("01/02/2023"), None);
        let open = moment("01/02/2023").unwrap();
        assert_eq!(open.days(Order::MonthFirst).map(plain_date).as_deref(), Some("2023-01-02"));
        assert_eq!(open.days(Order::DayFirst).map(plain_date).as_deref(), Some("2023-02-01"));
    }

    #[test]
    fn leaves_what_is_not_a_date() {
        for text in [
            "2023-02-30",
            "2023/24",
            "2023-24",
            "1-2",
            "may",
            "marching 3",
            "2023-13-01",
            "1.2.3",
            "1.2.23",
            "10.20.30",
            "12/34/5678",
            "",
            "monday",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn agrees_with_an_independent_calendar() {
        let epoch = jiff::civil::date(1970, 1, 1);
        for day in (-700_000..1_000_000).step_by(977) {
            let d = epoch.checked_add(jiff::Span::new().days(day)).unwrap();
            assert_eq!(days(d.year().into(), d.month() as u32, d.day() as u32), Some(day));
            assert_eq!(civil(day.into()), (d.year().into(), d.month().into(), d.day().into()));
        }
    }
}

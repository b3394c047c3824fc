//! Writes numbers the way lists do: `4`, `d`, `IV`, `四`.

/// How a list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Style {
    /// 1, 2, 3
    #[default]
    Decimal,
    /// 01, 02, 03
    Zero,
    /// a, b, c
    LowerLetter,
    /// A, B, C
    UpperLetter,
    /// i, ii, iii
    LowerRoman,
    /// I, II, III
    UpperRoman,
    /// 一, 二, 三
    Chinese,
    /// ①, ②, ③
    Circled,
    /// A mark that is the same for all.
    Bullet,
}

impl Style {
    /// By the name that documents of Word use.
    pub(super) fn of_word(name: &str) -> Style {
        match name {
            "bullet" | "none" => Style::Bullet,
            "decimalZero" => Style::Zero,
            "lowerLetter" => Style::LowerLetter,
            "upperLetter" => Style::UpperLetter,
            "lowerRoman" => Style::LowerRoman,
            "upperRoman" => Style::UpperRoman,
            "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => Style::Circled,
            n if n.starts_with("chinese") || n.starts_with("japanese") || n.starts_with("ideograph") => {
                Style::Chinese
            }
            "taiwaneseCounting" | "taiwaneseCountingThousand" | "koreanCounting" => Style::Chinese,
            _ => Style::Decimal,
        }
    }
    /// By the sign that open documents and pages use: `1`, `a`, `I`.
    pub(super) fn of_sign(sign: &str) -> Style {
        match sign {
            "" => Style::Bullet,
            "a" => Style::LowerLetter,
            "A" => Style::UpperLetter,
            "i" => Style::LowerRoman,
            "I" => Style::UpperRoman,
            s if s.starts_with('一') => Style::Chinese,
            s if s.starts_with('①') => Style::Circled,
            _ => Style::Decimal,
        }
    }
    /// A number written so.
    pub(super) fn write(self, n: u32) -> String {
        match self {
            Style::Bullet => String::new(),
            Style::Zero => format!("{n:02}"),
            Style::LowerLetter => letters(n).to_lowercase(),
            Style::UpperLetter => letters(n),
            Style::LowerRoman => roman(n).to_lowercase(),
            Style::UpperRoman => roman(n),
            Style::Chinese => chinese(n),
            Style::Circled if (1..=20).contains(&n) => {
                char::from_u32(0x2460 + n - 1).map(String::from).unwrap_or_default()
            }
            Style::Decimal | Style::Circled => n.to_string(),
        }
    }
}

/// A, B, … Z, AA, BB, … as word processors count.
fn letters(n: u32) -> String {
    let Some(at) = n.checked_sub(1) else { return "0".into() };
    if at >= 26 * 8 {
        return n.to_string();
    }
    let letter = char::from(b'A' + (at % 26) as u8);
    std::iter::repeat_n(letter, (at / 26 + 1) as usize).collect()
}

fn roman(mut n: u32) -> String {
    if n == 0 || n > 3999 {
        return n.to_string();
    }
    const SIGNS: &[(u32, &str)] = &[
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut out = String::new();
    for (value, sign) in SIGNS {
        while n >= *value {
            out.push_str(sign);
            n -= value;
        }
    }
    out
}

fn chinese(n: u32) -> String {
    const DIGITS: [&str; 10] = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let digit = |d: u32| DIGITS.get(d as usize).copied().unwrap_or_default();
    match n {
        0..=9 => digit(n).into(),
        10..=19 => format!("十{}", if n == 10 { "" } else { digit(n - 10) }),
        20..=99 => format!("{}十{}", digit(n / 10), if n.is_multiple_of(10) { "" } else { digit(n % 10) }),
        _ => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_every_style() {
        assert_eq!(Style::of_word("lowerRoman").write(14), "xiv");
        assert_eq!(Style::of_word("upperLetter").write(28), "BB");
        assert_eq!(Style::of_word("chineseCounting").write(21), "二十一");
        assert_eq!(Style::of_word("decimalEnclosedCircle").write(3), "③");
        assert_eq!(Style::of_sign("i").write(9), "ix");
        assert_eq!(Style::of_word("bullet").write(9), "");
        assert_eq!(Style::of_word("decimalZero").write(9), "09");
    }
}

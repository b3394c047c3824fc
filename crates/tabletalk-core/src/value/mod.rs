//! Reading and writing values: numbers, dates and booleans in the forms people write them in.
//!
//! Reading is strict: what could as well be a code, a range, a season or a telephone number stays text.

mod cursor;
mod date;
mod digits;
mod keys;
mod number;
mod style;
mod unit;

pub use date::{Moment, Order, date, datetime, moment};
pub use keys::{find_keys, keys};
pub use number::{Number, number, number_and_marks, number_in};
pub use style::{Decimal, Group, Marks, Style, Vote};

/// A typed value of a single cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Decimal(f64),
    /// True or false.
    Boolean(bool),
    /// A day, in days since 1970-01-01.
    Date(i32),
    /// A day and a time, in microseconds since 1970-01-01 00:00, no zone.
    DateTime(i64),
}

/// The plain way of writing a decimal: as short as it can be read back, no exponent, no trailing `.0`.
pub fn plain_decimal(v: f64) -> String {
    if v == 0.0 { "0".into() } else { format!("{v}") }
}

/// The plain way of writing a day: `2023-09-01`.
pub fn plain_date(days: i32) -> String {
    let (y, m, d) = date::civil(i64::from(days));
    format!("{y:04}-{m:02}-{d:02}")
}

/// The plain way of writing a day and a time: `2023-09-01 08:30:00`, with a fraction only where there is one.
pub fn plain_datetime(micros: i64) -> String {
    let (day, rest) = (micros.div_euclid(date::DAY), micros.rem_euclid(date::DAY));
    let (y, mo, d) = date::civil(day);
    let (h, m, s, fraction) =
        (rest / 3_600_000_000, rest / 60_000_000 % 60, rest / 1_000_000 % 60, rest % 1_000_000);
    let mut text = format!("{y:04}-{mo:02}-{d:02} {h:02}:{m:02}:{s:02}");
    if fraction > 0 {
        text.push_str(format!(".{fraction:06}").trim_end_matches('0'));
    }
    text
}

/// Reads true/false, yes/no, 是/否, in any case.
///
/// ```
/// assert_eq!(tabletalk_core::value::boolean("Yes"), Some(true));
/// ```
pub fn boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match text.len() {
        2 if is("no") => Some(false),
        3 if is("yes") || text == "是" => Some(true),
        3 if text == "否" => Some(false),
        4 if is("true") => Some(true),
        5 if is("false") => Some(false),
        _ => None,
    }
}

/// Whether a text only says that there is no value: `-`, `n/a`, `…`, `无`.
pub fn is_missing(text: &str) -> bool {
    let text = text.trim();
    if text.len() > 9 {
        return false;
    }
    // English, German (keine Angabe, siehe oben, nicht verfügbar), French (non disponible, sans objet), Chinese.
    const MARKS: &[&str] = &[
        "-",
        "--",
        "---",
        "–",
        "—",
        "——",
        "−",
        "/",
        "\\",
        "?",
        "??",
        "*",
        ".",
        "..",
        "...",
        "…",
        "n/a",
        "n.a.",
        "n. a.",
        "n.a",
        "#n/a",
        "#na",
        "#nv",
        "na",
        "<na>",
        "nan",
        "null",
        "(null)",
        "none",
        "nil",
        "tba",
        "tbd",
        "n/d",
        "n.d.",
        "nd",
        "k. a.",
        "k.a.",
        "k.a",
        "ka",
        "k/a",
        "s.o.",
        "s. o.",
        "无",
        "空",
        "缺",
        "暂无",
        "缺失",
        "无数据",
        "未知",
    ];
    MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_yes_and_no() {
        assert_eq!(boolean(" TRUE "), Some(true));
        assert_eq!(boolean("否"), Some(false));
        assert_eq!(boolean("maybe"), None);
    }

    #[test]
    fn knows_marks_of_missing_values() {
        let marks = [
            "-", "N/A", "…", "无", "NULL", "k. A.", "s.o.", "暂无", "缺失", "#NV", "–", "—", "?", "..", "nil",
        ];
        assert!(marks.iter().all(|m| is_missing(m)));
        assert!(["0", "no", "Nein", "无锡"].iter().all(|m| !is_missing(m)));
    }

    #[test]
    fn writes_fractions_of_seconds_only_where_there_are_some() {
        assert_eq!(plain_datetime(0), "1970-01-01 00:00:00");
        assert_eq!(plain_datetime(-500_000), "1969-12-31 23:59:59.5");
    }

    proptest! {
        #[test]
        fn reads_back_the_decimals_it_writes(v in -1e15f64..1e15) {
            let text = plain_decimal(v);
            let read = number(&text).map(|n| n.value).unwrap_or(f64::NAN);
            prop_assert!((read - v).abs() <= v.abs() * 1e-15, "{} {}", text, read);
        }

        #[test]
        fn reads_back_the_whole_numbers_it_writes(v: i64) {
            prop_assert_eq!(number(&v.to_string()).and_then(|n| n.integer), Some(v));
        }

        #[test]
        fn reads_back_the_days_it_writes(days in -350_000i32..370_000) {
            prop_assert_eq!(date(&plain_date(days)), Some(days));
        }

        #[test]
        fn reads_back_the_times_it_writes(micros in -30_000_000_000_000_000i64..32_000_000_000_000_000) {
            prop_assert_eq!(datetime(&plain_datetime(micros)), Some(micros));
        }

        #[test]
        fn never_panics(text in "\\PC{0,24}") {
            let _ = (number(&text), date(&text), datetime(&text), boolean(&text), is_missing(&text));
            for (range, _) in find_keys(&text) {
                prop_assert!(text.get(range).is_some());
            }
        }

        #[test]
        fn never_panics_on_things_like_numbers(text in "[-+(]?[$€¥]?[0-9０-９]{0,5}[,.'/ 年月-]?[0-9]{0,4}[,.月日% -]?[0-9a-z万亿千元)]{0,6}") {
            let _ = (number(&text), date(&text), datetime(&text), keys(&text));
            for (range, _) in find_keys(&text) {
                prop_assert!(text.get(range).is_some());
            }
        }
    }
}

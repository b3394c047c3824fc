//! How the value of a cell is shown, and what it is written as.

use calamine::{Data, DataRef, ExcelDateTime, Style};
use std::fmt::Write;
use tabletalk_core::value::{Value, plain_decimal};

/// How a cell is shown, as far as its meaning is concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Look {
    pub bold: bool,
    shown: Shown,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Shown {
    #[default]
    Plain,
    Percent,
    /// Filled with zeros to this many digits: `00501`.
    Zeros(u8),
    /// A time of the day, without the day.
    Time,
}

/// The looks of a workbook by style number.
pub(super) struct Looks(Vec<Look>);

impl Looks {
    pub(super) fn of(styles: &[Style]) -> Self {
        Looks(styles.iter().map(look).collect())
    }
    pub(super) fn get(&self, style: usize) -> Look {
        self.0.get(style).copied().unwrap_or_default()
    }
}

fn look(style: &Style) -> Look {
    let bold = style.font.as_ref().is_some_and(|f| f.is_bold());
    let shown = style.number_format.as_ref().map_or(Shown::Plain, |f| shown(&f.format_code));
    Look { bold, shown }
}

fn shown(code: &str) -> Shown {
    let bare = bare(code);
    let zeros = bare.len();
    if bare.contains('%') {
        Shown::Percent
    } else if (2..=20).contains(&zeros) && bare.bytes().all(|b| b == b'0') {
        Shown::Zeros(zeros as u8)
    } else if bare.contains('h') && !bare.contains(['y', 'd', '[']) {
        Shown::Time
    } else {
        Shown::Plain
    }
}

/// A format code without what is quoted, escaped or for negative numbers.
fn bare(code: &str) -> String {
    let (mut out, mut quoted, mut skip) = (String::new(), false, false);
    for c in code.chars() {
        match c {
            _ if skip => skip = false,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => skip = true,
            ';' => break,
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// A value that is owned, seen as one that is borrowed.
pub(super) fn borrowed(data: &Data) -> DataRef<'_> {
    match data {
        Data::Int(v) => DataRef::Int(*v),
        Data::Float(v) => DataRef::Float(*v),
        Data::String(s) => DataRef::SharedString(s),
        Data::Bool(v) => DataRef::Bool(*v),
        Data::DateTime(v) => DataRef::DateTime(*v),
        Data::DateTimeIso(s) => DataRef::DateTimeIso(s.clone()),
        Data::DurationIso(s) => DataRef::DurationIso(s.clone()),
        Data::Error(e) => DataRef::Error(e.clone()),
        Data::Empty => DataRef::Empty,
    }
}

/// Writes what a cell shows, and gives its value where the text alone would not say it.
pub(super) fn write(data: &DataRef<'_>, look: Look, out: &mut String) -> Option<Value> {
    match data {
        DataRef::Int(v) => number(*v as f64, look, out),
        DataRef::Float(v) => number(*v, look, out),
        DataRef::String(s) => plain(s, out),
        DataRef::SharedString(s) => plain(s, out),
        DataRef::Bool(v) => {
            out.push_str(if *v { "TRUE" } else { "FALSE" });
            Some(Value::Boolean(*v))
        }
        DataRef::DateTime(v) => moment(v, look, out),
        DataRef::DateTimeIso(s) => plain(&s.replacen('T', " ", 1), out),
        DataRef::DurationIso(s) => plain(&clock(s), out),
        DataRef::Error(e) => {
            let _ = write!(out, "{e}");
            None
        }
        DataRef::Empty => None,
    }
}

fn plain(text: &str, out: &mut String) -> Option<Value> {
    out.push_str(text);
    None
}

fn number(v: f64, look: Look, out: &mut String) -> Option<Value> {
    let v = fifteen_digits(v);
    match look.shown {
        Shown::Percent => {
            let _ = write!(out, "{}%", plain_decimal(fifteen_digits(v * 100.0)));
            return None;
        }
        Shown::Zeros(n) if v >= 0.0 && v.fract() == 0.0 => {
            let _ = write!(out, "{v:0>0$}", usize::from(n));
            return None;
        }
        _ => out.push_str(&plain_decimal(v)),
    }
    let whole = v.fract() == 0.0 && v.abs() < 9e15;
    Some(if whole { Value::Integer(v as i64) } else { Value::Decimal(v) })
}

/// The number as workbooks show it: sums such as 3214.7999999999997 are 3214.8 to their readers.
fn fifteen_digits(v: f64) -> f64 {
    if v.fract() == 0.0 && v.abs() < 1e15 {
        return v;
    }
    format!("{v:.14e}").parse().unwrap_or(v)
}

fn moment(v: &ExcelDateTime, look: Look, out: &mut String) -> Option<Value> {
    if v.is_duration() {
        let seconds = (v.as_f64() * 86_400.0).round();
        let (sign, s) = (if seconds < 0.0 { "-" } else { "" }, seconds.abs() as u64);
        let _ = write!(out, "{sign}{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
        return None;
    }
    let (year, month, day, hour, minute, second, milli) = v.to_ymd_hms_milli();
    let fraction = if milli > 0 { format!(".{milli:03}") } else { String::new() };
    if look.shown == Shown::Time && (0.0..1.0).contains(&v.as_f64()) {
        let _ = write!(out, "{hour:02}:{minute:02}:{second:02}{fraction}");
        return None;
    }
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
    let date = jiff::civil::Date::new(year as i16, month as i8, day as i8).ok();
    let days = date.and_then(|d| d.since(jiff::civil::date(1970, 1, 1)).ok()).map(|s| s.get_days());
    if (hour, minute, second, milli) == (0, 0, 0, 0) {
        return days.map(Value::Date);
    }
    let _ = write!(out, " {hour:02}:{minute:02}:{second:02}{fraction}");
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    let micros = (seconds * 1000 + i64::from(milli)) * 1000;
    days.map(|d| Value::DateTime(i64::from(d) * 86_400_000_000 + micros))
}

/// `PT10H05M00S` as `10:05:00`; anything else stays.
fn clock(iso: &str) -> String {
    let parts = iso.strip_prefix("PT").and_then(|t| {
        let (h, t) = t.split_once('H')?;
        let (m, s) = t.split_once('M')?;
        Some((h, m, s.strip_suffix('S').unwrap_or("0")))
    });
    match parts {
        Some((h, m, s)) => format!("{h:0>2}:{m:0>2}:{s:0>2}"),
        None => iso.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(v: f64, code: &str) -> String {
        let mut out = String::new();
        write(&DataRef::Float(v), Look { bold: false, shown: shown(code) }, &mut out);
        out
    }

    #[test]
    fn writes_numbers_as_they_are_seen() {
        assert_eq!(written(0.35, "0%"), "35%");
        assert_eq!(written(0.07, "0.00%"), "7%");
        assert_eq!(written(3214.7999999999997, "General"), "3214.8");
        assert_eq!(written(501.0, "00000"), "00501");
        assert_eq!(written(12.0, "#,##0\" % off\""), "12");
        assert_eq!(written(1e20, "General"), "100000000000000000000");
    }

    #[test]
    fn writes_days_and_times() {
        let write_at = |v: f64, code: &str| {
            let at = ExcelDateTime::new(v, calamine::ExcelDateTimeType::DateTime, false);
            let mut out = String::new();
            let value = write(&DataRef::DateTime(at), Look { bold: false, shown: shown(code) }, &mut out);
            (out, value)
        };
        assert_eq!(write_at(45170.0, "yyyy-mm-dd"), ("2023-09-01".into(), Some(Value::Date(19601))));
        assert_eq!(write_at(45170.5, "yyyy-mm-dd hh:mm").0, "2023-09-01 12:00:00");
        assert_eq!(write_at(0.25, "h:mm AM/PM").0, "06:00:00");
        assert_eq!(clock("PT10H05M00S"), "10:05:00");
    }
}

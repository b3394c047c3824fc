//! Values as PostgreSQL sends them, column by column.

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use std::sync::Arc;
use tabletalk_core::{Error, Kind, Result};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};

/// Days and microseconds from 1970 to 2000, from where PostgreSQL counts.
const DAYS: i32 = 10_957;
const MICROS: i64 = 946_684_800_000_000;

/// The values of a column.
pub(super) enum Values {
    Integer(Vec<Option<i64>>),
    Decimal(Vec<Option<f64>>),
    Boolean(Vec<Option<bool>>),
    Date(Vec<Option<i32>>),
    DateTime(Vec<Option<i64>>),
    Text(Vec<Option<String>>),
}

/// The bytes of a value.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(raw))
    }
    fn accepts(_: &Type) -> bool {
        true
    }
}

impl Values {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Integer => Values::Integer(Vec::new()),
            Kind::Decimal => Values::Decimal(Vec::new()),
            Kind::Boolean => Values::Boolean(Vec::new()),
            Kind::Date => Values::Date(Vec::new()),
            Kind::DateTime => Values::DateTime(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
        }
    }

    /// Takes the value of a row; how many bytes it had.
    pub(super) fn take(&mut self, row: &Row, at: usize) -> Result<usize> {
        let raw: Option<Raw<'_>> =
            row.try_get(at).map_err(|e| Error::bug(format!("a value was lost: {e}")))?;
        let raw = raw.map(|raw| raw.0);
        let of = row.columns().get(at).map_or(Type::UNKNOWN, |c| c.type_().clone());
        let wrong = || Error::bug(format!("a value of type {of} came where another was asked for"));
        match self {
            Values::Integer(all) => all.push(raw.map(|raw| integer(&of, raw)).transpose()?),
            Values::Decimal(all) => all.push(raw.map(|raw| decimal(&of, raw)).transpose()?),
            Values::Boolean(all) if of == Type::BOOL => all.push(raw.map(|raw| raw.first() == Some(&1))),
            Values::Date(all) => all.push(raw.map(|raw| day(&of, raw)).transpose()?.flatten()),
            Values::DateTime(all) => all.push(raw.map(|raw| time(&of, raw)).transpose()?.flatten()),
            Values::Text(all) if is_text(&of) => {
                all.push(raw.map(|raw| String::from_utf8_lossy(raw).into_owned()));
            }
            Values::Boolean(_) | Values::Text(_) => return Err(wrong()),
        }
        Ok(raw.map_or(0, <[u8]>::len))
    }

    pub(super) fn into_array(self) -> ArrayRef {
        match self {
            Values::Integer(all) => Arc::new(Int64Array::from(all)),
            Values::Decimal(all) => Arc::new(Float64Array::from(all)),
            Values::Boolean(all) => Arc::new(BooleanArray::from(all)),
            Values::Date(all) => Arc::new(Date32Array::from(all)),
            Values::DateTime(all) => Arc::new(TimestampMicrosecondArray::from(all)),
            Values::Text(all) => Arc::new(StringArray::from(all)),
        }
    }
}

fn is_text(of: &Type) -> bool {
    [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME, Type::UNKNOWN].contains(of)
}

fn fixed<const N: usize>(raw: &[u8]) -> Result<[u8; N]> {
    raw.try_into().map_err(|_| Error::bug("a value has another length than its type"))
}

fn integer(of: &Type, raw: &[u8]) -> Result<i64> {
    match *of {
        Type::INT2 => Ok(i16::from_be_bytes(fixed(raw)?).into()),
        Type::INT4 => Ok(i32::from_be_bytes(fixed(raw)?).into()),
        Type::OID => Ok(u32::from_be_bytes(fixed(raw)?).into()),
        Type::INT8 => Ok(i64::from_be_bytes(fixed(raw)?)),
        Type::NUMERIC => whole(&numeric(raw)?),
        Type::FLOAT8 => whole(&f64::from_be_bytes(fixed(raw)?).to_string()),
        _ => Err(Error::bug(format!("a value of type {of} came where a whole number was asked for"))),
    }
}

/// A whole number as it is written; what stands behind a point is nothing.
fn whole(text: &str) -> Result<i64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let number = whole.parse().ok().filter(|_| rest.bytes().all(|b| b == b'0'));
    number.ok_or_else(|| {
        Error::input(format!("the statement gives the number {text}, which is no whole number of 64 bits"))
    })
}

fn decimal(of: &Type, raw: &[u8]) -> Result<f64> {
    match *of {
        Type::FLOAT8 => Ok(f64::from_be_bytes(fixed(raw)?)),
        // As it is written: 0.1 and not 0.10000000149.
        Type::FLOAT4 => number(&f32::from_be_bytes(fixed(raw)?).to_string()),
        Type::NUMERIC => number(&numeric(raw)?),
        _ => Ok(integer(of, raw)? as f64),
    }
}

fn number(text: &str) -> Result<f64> {
    text.parse().map_err(|_| Error::bug(format!("`{text}` came where a number was asked for")))
}

/// A day; none for one that never comes.
fn day(of: &Type, raw: &[u8]) -> Result<Option<i32>> {
    if *of != Type::DATE {
        return Ok(time(of, raw)?.map(|micros| micros.div_euclid(86_400_000_000) as i32));
    }
    let days = i32::from_be_bytes(fixed(raw)?);
    Ok((days != i32::MAX && days != i32::MIN).then(|| days.saturating_add(DAYS)))
}

fn time(of: &Type, raw: &[u8]) -> Result<Option<i64>> {
    match *of {
        Type::DATE => Ok(day(of, raw)?.map(|days| i64::from(days) * 86_400_000_000)),
        Type::TIMESTAMP | Type::TIMESTAMPTZ => {
            let micros = i64::from_be_bytes(fixed(raw)?);
            Ok((micros != i64::MAX && micros != i64::MIN).then(|| micros.saturating_add(MICROS)))
        }
        _ => Err(Error::bug(format!("a value of type {of} came where a time was asked for"))),
    }
}

/// An exact number as it is written. It comes in digits of four decimals each.
fn numeric(raw: &[u8]) -> Result<String> {
    let word = |i: usize| raw.get(2 * i..2 * i + 2).map(|b| [b[0], b[1]]);
    let cut = || Error::bug("a number came in part");
    let count = u16::from_be_bytes(word(0).ok_or_else(cut)?);
    let weight = i16::from_be_bytes(word(1).ok_or_else(cut)?);
    let sign = u16::from_be_bytes(word(2).ok_or_else(cut)?);
    match sign {
        0xC000 => return Ok("NaN".into()),
        0xD000 => return Ok("inf".into()),
        0xF000 => return Ok("-inf".into()),
        _ => {}
    }
    let digit = |i: i32| -> u16 {
        let at = usize::try_from(i).ok().filter(|i| *i < usize::from(count));
        at.and_then(|i| word(4 + i)).map_or(0, u16::from_be_bytes)
    };
    let weight = i32::from(weight);
    let mut text = if sign == 0x4000 { "-".to_owned() } else { String::new() };
    match weight < 0 {
        true => text.push('0'),
        false => (0..=weight).for_each(|i| match i {
            0 => text.push_str(&digit(0).to_string()),
            i => text.push_str(&format!("{:04}", digit(i))),
        }),
    }
    let mut behind = String::new();
    for i in (weight + 1)..i32::from(count).max(weight + 1) {
        behind.push_str(&format!("{:04}", digit(i)));
    }
    match behind.trim_end_matches('0') {
        "" => Ok(text),
        digits => Ok(format!("{text}.{digits}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(digits: &[u16], weight: i16, sign: u16) -> Vec<u8> {
        let head = [digits.len() as u16, weight as u16, sign, 0];
        head.iter().chain(digits).flat_map(|n| n.to_be_bytes()).collect()
    }

    #[test]
    fn exact_numbers_are_written_as_they_are() {
        for (digits, weight, sign, text) in [
            (vec![], 0, 0, "0"),
            (vec![1, 2345], 1, 0, "12345"),
            (vec![1], 2, 0, "100000000"),
            (vec![12, 5000], 0, 0x4000, "-12.5"),
            (vec![7], -1, 0, "0.0007"),
            (vec![7], -2, 0, "0.00000007"),
            (vec![], 0, 0xC000, "NaN"),
        ] {
            assert_eq!(numeric(&sent(&digits, weight, sign)).unwrap(), text);
        }
        assert!(numeric(&[0, 1]).is_err());
    }

    #[test]
    fn a_number_that_is_too_large_is_an_error() {
        assert_eq!(whole("42.000").unwrap(), 42);
        assert!(whole("9223372036854775808").is_err() && whole("1.5").is_err());
    }

    #[test]
    fn days_and_times_count_from_1970() {
        assert_eq!(day(&Type::DATE, &0i32.to_be_bytes()).unwrap(), Some(10_957));
        assert_eq!(day(&Type::DATE, &i32::MAX.to_be_bytes()).unwrap(), None);
        assert_eq!(time(&Type::TIMESTAMP, &0i64.to_be_bytes()).unwrap(), Some(MICROS));
    }
}

//! How the C interface writes the type of a column: `l` for whole numbers of 64 bits, `tsu:UTC` for moments in microseconds.

use arrow_schema::{DataType, FieldRef, Fields, IntervalUnit, TimeUnit};
use std::sync::Arc;
use tabletalk_core::{Error, Result};

/// The type that a format names, with the fields of its children.
pub(super) fn data_type(format: &str, children: &[FieldRef], sorted: bool) -> Result<DataType> {
    if let Some(simple) = simple(format) {
        return Ok(simple);
    }
    nested(format, children, sorted)
        .or_else(|| parametric(format))
        .ok_or_else(|| Error::input(format!("columns of the Arrow type `{format}` cannot be read")))
}

fn simple(format: &str) -> Option<DataType> {
    Some(match format {
        "n" => DataType::Null,
        "b" => DataType::Boolean,
        "c" => DataType::Int8,
        "C" => DataType::UInt8,
        "s" => DataType::Int16,
        "S" => DataType::UInt16,
        "i" => DataType::Int32,
        "I" => DataType::UInt32,
        "l" => DataType::Int64,
        "L" => DataType::UInt64,
        "e" => DataType::Float16,
        "f" => DataType::Float32,
        "g" => DataType::Float64,
        "z" => DataType::Binary,
        "Z" => DataType::LargeBinary,
        "vz" => DataType::BinaryView,
        "u" => DataType::Utf8,
        "U" => DataType::LargeUtf8,
        "vu" => DataType::Utf8View,
        "tdD" => DataType::Date32,
        "tdm" => DataType::Date64,
        "tts" => DataType::Time32(TimeUnit::Second),
        "ttm" => DataType::Time32(TimeUnit::Millisecond),
        "ttu" => DataType::Time64(TimeUnit::Microsecond),
        "ttn" => DataType::Time64(TimeUnit::Nanosecond),
        "tDs" => DataType::Duration(TimeUnit::Second),
        "tDm" => DataType::Duration(TimeUnit::Millisecond),
        "tDu" => DataType::Duration(TimeUnit::Microsecond),
        "tDn" => DataType::Duration(TimeUnit::Nanosecond),
        "tiM" => DataType::Interval(IntervalUnit::YearMonth),
        "tiD" => DataType::Interval(IntervalUnit::DayTime),
        "tin" => DataType::Interval(IntervalUnit::MonthDayNano),
        _ => return None,
    })
}

fn nested(format: &str, children: &[FieldRef], sorted: bool) -> Option<DataType> {
    let first = || children.first().cloned();
    Some(match format {
        "+s" => DataType::Struct(Fields::from(children.to_vec())),
        "+l" => DataType::List(first()?),
        "+L" => DataType::LargeList(first()?),
        "+m" => DataType::Map(first()?, sorted),
        _ => DataType::FixedSizeList(first()?, format.strip_prefix("+w:")?.parse().ok()?),
    })
}

fn parametric(format: &str) -> Option<DataType> {
    let (kind, rest) = format.split_once(':')?;
    let unit = match kind {
        "w" => return Some(DataType::FixedSizeBinary(rest.parse().ok()?)),
        "d" => return decimal(rest),
        "tss" => TimeUnit::Second,
        "tsm" => TimeUnit::Millisecond,
        "tsu" => TimeUnit::Microsecond,
        "tsn" => TimeUnit::Nanosecond,
        _ => return None,
    };
    Some(DataType::Timestamp(unit, (!rest.is_empty()).then(|| Arc::from(rest))))
}

/// `precision,scale` or `precision,scale,bits`.
fn decimal(rest: &str) -> Option<DataType> {
    let mut parts = rest.split(',');
    let (precision, scale) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(match parts.next().unwrap_or("128") {
        "32" => DataType::Decimal32(precision, scale),
        "64" => DataType::Decimal64(precision, scale),
        "128" => DataType::Decimal128(precision, scale),
        "256" => DataType::Decimal256(precision, scale),
        _ => return None,
    })
}

/// The format of a type that results have.
pub(super) fn of(data_type: &DataType) -> Option<&'static std::ffi::CStr> {
    Some(match data_type {
        DataType::Boolean => c"b",
        DataType::Int64 => c"l",
        DataType::Float64 => c"g",
        DataType::Utf8 => c"u",
        DataType::Date32 => c"tdD",
        DataType::Timestamp(TimeUnit::Microsecond, None) => c"tsu:",
        _ => return None,
    })
}

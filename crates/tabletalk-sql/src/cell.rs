//! The values of a result.

use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::types::{Float64Type, Int64Type};
use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Date32Type, TimeUnit, TimestampMicrosecondType};
use serde::{Deserialize, Serialize};
use std::fmt;
use tabletalk_core::{Error, Kind, Result, value};

/// One value of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Decimal(f64),
    /// True or false.
    Boolean(bool),
    /// A day, in days since 1970-01-01.
    Date(i32),
    /// A day and a time, in microseconds since 1970-01-01 00:00.
    DateTime(i64),
    /// Anything else.
    Text(String),
}

impl Cell {
    /// How many bytes it counts for in the limit of a result.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Cell>() + if let Cell::Text(text) = self { text.len() } else { 0 }
    }
}

/// The plain way of writing the value; nothing for null.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Null => Ok(()),
            Cell::Integer(v) => write!(f, "{v}"),
            Cell::Decimal(v) => f.write_str(&value::plain_decimal(*v)),
            Cell::Boolean(v) => write!(f, "{v}"),
            Cell::Date(v) => f.write_str(&value::plain_date(*v)),
            Cell::DateTime(v) => f.write_str(&value::plain_datetime(*v)),
            Cell::Text(v) => f.write_str(v),
        }
    }
}

/// The kind of values that an Arrow type becomes. Spans of time become days.
pub(crate) fn kind_of(data_type: &DataType) -> Kind {
    match data_type {
        t if t.is_integer() => Kind::Integer,
        DataType::Float16 | DataType::Float32 | DataType::Float64 | DataType::Duration(_) => Kind::Decimal,
        t if t.is_decimal() => Kind::Decimal,
        DataType::Boolean => Kind::Boolean,
        DataType::Date32 | DataType::Date64 => Kind::Date,
        DataType::Timestamp(_, _) => Kind::DateTime,
        _ => Kind::Text,
    }
}

/// The values of one column of a result, as one of the types of [`Kind`].
pub(crate) struct Values {
    kind: Kind,
    days: bool,
    array: ArrayRef,
}

const DAY_MICROS: f64 = 86_400_000_000.0;

impl Values {
    pub(crate) fn new(array: &ArrayRef) -> Result<Self> {
        let kind = kind_of(array.data_type());
        let days = matches!(array.data_type(), DataType::Duration(_));
        let target = if days { DataType::Int64 } else { kind.arrow() };
        let array = if days {
            cast(&cast(array, &DataType::Duration(TimeUnit::Microsecond))?, &target)?
        } else {
            cast(array, &target)?
        };
        Ok(Values { kind, days, array })
    }

    pub(crate) fn cell(&self, i: usize) -> Cell {
        if self.array.is_null(i) {
            return Cell::Null;
        }
        if self.days {
            return Cell::Decimal(self.array.as_primitive::<Int64Type>().value(i) as f64 / DAY_MICROS);
        }
        match self.kind {
            Kind::Integer => Cell::Integer(self.array.as_primitive::<Int64Type>().value(i)),
            Kind::Decimal => decimal(self.array.as_primitive::<Float64Type>().value(i)),
            Kind::Boolean => Cell::Boolean(self.array.as_boolean().value(i)),
            Kind::Date => Cell::Date(self.array.as_primitive::<Date32Type>().value(i)),
            Kind::DateTime => Cell::DateTime(self.array.as_primitive::<TimestampMicrosecondType>().value(i)),
            Kind::Text => Cell::Text(self.array.as_string::<i32>().value(i).to_owned()),
        }
    }
}

/// What is not a number (the root of -1, say) is no value.
fn decimal(v: f64) -> Cell {
    if v.is_finite() { Cell::Decimal(v) } else { Cell::Null }
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    let options = CastOptions { safe: true, ..CastOptions::default() };
    cast_with_options(array, to, &options)
        .map_err(|_| Error::input(format!("a result of type {} cannot be shown", array.data_type())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{Decimal128Array, DurationSecondArray, StringViewArray, UInt64Array};
    use std::sync::Arc;

    fn first(array: impl Array + 'static) -> Cell {
        Values::new(&(Arc::new(array) as ArrayRef)).unwrap().cell(0)
    }

    #[test]
    fn every_number_is_an_integer_or_a_decimal() {
        assert_eq!(first(UInt64Array::from(vec![7])), Cell::Integer(7));
        assert_eq!(first(UInt64Array::from(vec![u64::MAX])), Cell::Null);
        let decimal = Decimal128Array::from(vec![1250]).with_precision_and_scale(10, 2).unwrap();
        assert_eq!(first(decimal), Cell::Decimal(12.5));
        assert_eq!(first(DurationSecondArray::from(vec![129_600])), Cell::Decimal(1.5));
    }

    #[test]
    fn writes_values_in_the_plain_form() {
        assert_eq!(first(StringViewArray::from(vec!["a"])).to_string(), "a");
        assert_eq!(Cell::Date(19_601).to_string(), "2023-09-01");
        assert_eq!(Cell::Decimal(2.0).to_string(), "2");
        assert_eq!(Cell::Null.to_string(), "");
    }
}

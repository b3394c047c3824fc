//! Makes the typed cells of a column whose type is known.

use super::{Raw, Shape};
use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use std::sync::Arc;
use tabletalk_core::value::{self, Decimal, Number, Order, Style, Value};
use tabletalk_core::{Cells, Kind};

/// Takes the cells of one column one by one.
#[derive(Debug)]
pub(crate) struct Builder {
    values: Values,
    texts: Texts,
    unit: Option<String>,
    order: Order,
    style: Style,
}

#[derive(Debug)]
enum Values {
    Integer(Int64Builder),
    Decimal(Float64Builder),
    Boolean(BooleanBuilder),
    Date(Date32Builder),
    DateTime(TimestampMicrosecondBuilder),
    Text(StringBuilder),
}

impl Values {
    fn new(kind: Kind, rows: usize) -> Values {
        match kind {
            Kind::Integer => Values::Integer(Int64Builder::with_capacity(rows)),
            Kind::Decimal => Values::Decimal(Float64Builder::with_capacity(rows)),
            Kind::Boolean => Values::Boolean(BooleanBuilder::with_capacity(rows)),
            Kind::Date => Values::Date(Date32Builder::with_capacity(rows)),
            Kind::DateTime => Values::DateTime(TimestampMicrosecondBuilder::with_capacity(rows)),
            Kind::Text => Values::Text(StringBuilder::with_capacity(rows, rows * 8)),
        }
    }
    fn null(&mut self) {
        match self {
            Values::Integer(b) => b.append_null(),
            Values::Decimal(b) => b.append_null(),
            Values::Boolean(b) => b.append_null(),
            Values::Date(b) => b.append_null(),
            Values::DateTime(b) => b.append_null(),
            Values::Text(b) => b.append_null(),
        }
    }
    fn finish(self) -> ArrayRef {
        match self {
            Values::Integer(mut b) => Arc::new(b.finish()),
            Values::Decimal(mut b) => Arc::new(b.finish()),
            Values::Boolean(mut b) => Arc::new(b.finish()),
            Values::Date(mut b) => Arc::new(b.finish()),
            Values::DateTime(mut b) => Arc::new(b.finish()),
            Values::Text(mut b) => Arc::new(b.finish()),
        }
    }
}

/// The original texts; made only when one differs from the plain way of writing its value.
#[derive(Debug, Default)]
struct Texts {
    builder: Option<StringBuilder>,
    rows: usize,
}

impl Texts {
    fn keep(&mut self, text: &str) {
        let rows = self.rows;
        let builder = self.builder.get_or_insert_with(|| {
            let mut builder = StringBuilder::new();
            builder.append_nulls(rows);
            builder
        });
        // Rows before this one that did not differ were only counted.
        let missing = rows - arrow_array::builder::ArrayBuilder::len(builder);
        builder.append_nulls(missing);
        builder.append_value(text);
        self.rows += 1;
    }
    fn skip(&mut self) {
        self.rows += 1;
    }
    fn finish(self) -> Option<arrow_array::StringArray> {
        let mut builder = self.builder?;
        builder.append_nulls(self.rows - arrow_array::builder::ArrayBuilder::len(&builder));
        Some(builder.finish())
    }
}

/// What became of a text: a value, and whether the text is the plain way of writing it.
pub(super) type Read<T> = Option<(T, bool)>;

impl Builder {
    /// For a column of this shape with about this many rows.
    pub(crate) fn new(shape: &Shape, rows: usize) -> Self {
        Builder {
            values: Values::new(shape.kind, rows),
            texts: Texts::default(),
            unit: shape.unit.clone(),
            order: shape.order,
            style: shape.style,
        }
    }
    /// Takes the next cell.
    pub(crate) fn push(&mut self, cell: Raw<'_>) {
        match cell.value {
            Some(value) => self.push_value(value, cell.text),
            None => self.push_text(cell.text),
        }
    }
    /// Takes the next cell as it is written.
    pub(crate) fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return self.push_empty();
        }
        let plain = match &mut self.values {
            Values::Text(b) => {
                if text.trim_start().is_empty() {
                    b.append_null();
                } else {
                    b.append_value(text);
                }
                return;
            }
            Values::Integer(b) => append(read_integer(text, &self.unit, self.style), |v| b.append_value(v)),
            Values::Decimal(b) => append(read_decimal(text, &self.unit, self.style), |v| b.append_value(v)),
            Values::Boolean(b) => append(read_boolean(text), |v| b.append_value(v)),
            Values::Date(b) => append(read_date(text, self.order), |v| b.append_value(v)),
            Values::DateTime(b) => append(read_datetime(text, self.order), |v| b.append_value(v)),
        };
        match plain {
            Some(true) => self.texts.skip(),
            Some(false) => self.texts.keep(text),
            None => self.push_stray(text),
        }
    }
    fn push_empty(&mut self) {
        self.values.null();
        self.texts.skip();
    }
    fn push_stray(&mut self, text: &str) {
        if text.trim().is_empty() {
            return self.push_empty();
        }
        self.values.null();
        self.texts.keep(text);
    }
    /// Takes a cell whose value the format gives.
    fn push_value(&mut self, value: Value, text: &str) {
        let plain = match (&mut self.values, value) {
            (Values::Integer(b), Value::Integer(v)) => {
                b.append_value(v);
                v.to_string()
            }
            (Values::Integer(b), Value::Decimal(v)) if v.fract() == 0.0 && v.abs() < 9e15 => {
                b.append_value(v as i64);
                (v as i64).to_string()
            }
            (Values::Decimal(b), Value::Decimal(v)) => {
                b.append_value(v);
                value::plain_decimal(v)
            }
            (Values::Decimal(b), Value::Integer(v)) => {
                b.append_value(v as f64);
                value::plain_decimal(v as f64)
            }
            (Values::Boolean(b), Value::Boolean(v)) => {
                b.append_value(v);
                v.to_string()
            }
            (Values::Date(b), Value::Date(v)) => {
                b.append_value(v);
                value::plain_date(v)
            }
            (Values::DateTime(b), Value::DateTime(v)) => {
                b.append_value(v);
                value::plain_datetime(v)
            }
            (Values::DateTime(b), Value::Date(v)) => {
                let micros = i64::from(v) * 86_400_000_000;
                b.append_value(micros);
                value::plain_datetime(micros)
            }
            _ if text.is_empty() => return self.push_text(&plain_value(value)),
            _ => return self.push_text(text),
        };
        if text.is_empty() || text == plain {
            self.texts.skip();
        } else {
            self.texts.keep(text);
        }
    }
    pub(crate) fn finish(self) -> Cells {
        let text = match self.values {
            Values::Text(_) => None,
            _ => self.texts.finish(),
        };
        Cells { value: self.values.finish(), text }
    }
}

fn append<T>(read: Read<T>, to: impl FnOnce(T)) -> Option<bool> {
    let (value, plain) = read?;
    to(value);
    Some(plain)
}

fn plain_value(value: Value) -> String {
    match value {
        Value::Integer(v) => v.to_string(),
        Value::Decimal(v) => value::plain_decimal(v),
        Value::Boolean(v) => v.to_string(),
        Value::Date(v) => value::plain_date(v),
        Value::DateTime(v) => value::plain_datetime(v),
    }
}

/// A number of the column's unit; one without a unit too, but not beside percentages.
fn fitting<'t>(text: &'t str, unit: &Option<String>, style: Style) -> Option<Number<'t>> {
    let number = value::number_in(text, style)?;
    let fits = match (number.unit, unit.as_deref()) {
        (Some(a), Some(b)) => a == b,
        (None, Some("%")) => number.value == 0.0,
        (None, _) => true,
        (Some(_), None) => false,
    };
    fits.then_some(number)
}

fn read_integer(text: &str, unit: &Option<String>, style: Style) -> Read<i64> {
    if let Some(v) = plain_integer(text.as_bytes()) {
        return Some((v, true));
    }
    let number = fitting(text, unit, style)?;
    let v = number.integer.filter(|_| number.decimals == 0)?;
    Some((v, v.to_string() == text))
}

/// A whole number of at most 18 digits in its plain form.
fn plain_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 || (digits[0] == b'0' && text.len() > 1) {
        return None;
    }
    let mut value = 0i64;
    for b in digits {
        let d = b.wrapping_sub(b'0');
        if d > 9 {
            return None;
        }
        value = value * 10 + i64::from(d);
    }
    Some(if negative { -value } else { value })
}

fn read_decimal(text: &str, unit: &Option<String>, style: Style) -> Read<f64> {
    if unit.as_deref() != Some("%")
        && (style.decimal == Decimal::Point || memchr::memchr(b'.', text.as_bytes()).is_none())
        && let Some(read) = simple_decimal(text.as_bytes())
    {
        return Some(read);
    }
    let v = fitting(text, unit, style)?.value;
    Some((v, value::plain_decimal(v) == text))
}

/// Digits with at most one point, at most 15 of them: such a number is read exactly by one division, and
/// its shortest form is the way it is written unless it ends in a zero.
pub(super) fn simple_decimal(text: &[u8]) -> Read<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.len() > 16 || matches!(digits, [] | [b'.', ..] | [b'0', b'0'..=b'9', ..]) {
        return None;
    }
    let (mut value, mut point) = (0u64, None);
    for (i, b) in digits.iter().enumerate() {
        let d = b.wrapping_sub(b'0');
        if d <= 9 {
            value = value * 10 + u64::from(d);
        } else if *b == b'.' && point.is_none() {
            point = Some(i);
        } else {
            return None;
        }
    }
    let decimals = point.map_or(0, |p| digits.len() - p - 1);
    if digits.len() - usize::from(point.is_some()) > 15 || (point.is_some() && decimals == 0) {
        return None;
    }
    let size = value as f64 / POWERS.get(decimals)?;
    let plain = (decimals == 0 || digits.last() != Some(&b'0')) && !(negative && value == 0);
    let value = if negative && value != 0 { -size } else { size };
    Some((value, plain))
}

/// How many digits follow the point.
pub(super) fn decimals_of(text: &str) -> u8 {
    let after = memchr::memchr(b'.', text.as_bytes()).map_or(0, |point| text.len() - point - 1);
    u8::try_from(after).unwrap_or(u8::MAX)
}

fn read_boolean(text: &str) -> Read<bool> {
    let v = value::boolean(text)?;
    Some((v, matches!(text, "true" | "false")))
}

fn read_date(text: &str, order: Order) -> Read<i32> {
    let moment = value::moment(text)?;
    let days = moment.days(order).filter(|_| moment.time.is_none())?;
    Some((days, is_plain_date(text.as_bytes())))
}

fn is_plain_date(text: &[u8]) -> bool {
    text.len() == 10
        && text[4] == b'-'
        && text[7] == b'-'
        && text.iter().all(|b| b.is_ascii_digit() || *b == b'-')
}

fn read_datetime(text: &str, order: Order) -> Read<i64> {
    let micros = value::moment(text)?.micros(order)?;
    Some((micros, value::plain_datetime(micros) == text))
}

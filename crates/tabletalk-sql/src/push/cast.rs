//! Conversions that mean the same in the database as here.

use super::expr::{Sort, date, is_micros, sort_of, time};
use super::select::Scopes;
use super::{Writer, Written, unwritten};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::Expr;
use tabletalk_core::value;

impl Writer<'_> {
    pub(super) fn cast(&mut self, expr: &Expr, to: &DataType, scopes: &Scopes<'_>) -> Written<String> {
        let from = sort_of(expr, scopes)?;
        let target = Sort::of(to);
        if let Some(day) = day(expr, target)? {
            return Ok(day);
        }
        let sql = self.expr(expr, scopes)?;
        let as_type = |name: &str| Ok(format!("CAST({sql} AS {name})"));
        match (from, target) {
            (Sort::Integer, Sort::Integer) | (Sort::Nothing, Sort::Integer) => as_type("BIGINT"),
            // Here what is behind the point is cut off, there it is rounded.
            (Sort::Decimal, Sort::Integer) => Ok(format!("CAST(trunc({sql}) AS BIGINT)")),
            (Sort::Date, Sort::Integer) => Ok(format!("(CAST({sql} AS DATE) - DATE '1970-01-01')")),
            (from, Sort::Decimal) if from.is_number() && *to == DataType::Float64 => {
                as_type("DOUBLE PRECISION")
            }
            (Sort::Nothing, Sort::Decimal) => as_type("DOUBLE PRECISION"),
            (Sort::Text | Sort::Integer | Sort::Boolean | Sort::Date | Sort::Nothing, Sort::Text) => {
                as_type("TEXT")
            }
            (Sort::Date | Sort::DateTime | Sort::Nothing, Sort::Date) => as_type("DATE"),
            (Sort::Date | Sort::DateTime | Sort::Nothing, Sort::DateTime) if is_micros(to) => {
                as_type("TIMESTAMP")
            }
            (Sort::Boolean | Sort::Nothing, Sort::Boolean) => as_type("BOOLEAN"),
            _ => unwritten(format!("a conversion to {to}")),
        }
    }
}

/// A text that says a day or a time, as that.
pub(super) fn day(expr: &Expr, target: Sort) -> Written<Option<String>> {
    let Expr::Literal(literal, _) = expr else { return Ok(None) };
    let text = literal.try_as_str().flatten().unwrap_or_default();
    // In other forms it is not sure that it is read alike everywhere.
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit()) && matches!(text.len(), 10 | 19);
    match target {
        Sort::Date if text.len() == 10 && is_plain => {
            value::date(text).map(|days| Ok(format!("DATE '{}'", date(days)?))).transpose()
        }
        Sort::DateTime if is_plain => {
            let days = || value::date(text).map(|days| i64::from(days) * 86_400_000_000);
            value::datetime(text).or_else(days).map(time).transpose()
        }
        _ => Ok(None),
    }
}

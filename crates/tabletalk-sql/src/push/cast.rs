//! Conversions that mean the same in the database as here.

use super::expr::{Sort, date, is_micros, sort_of};
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

/// A text that says a day, as that day.
pub(super) fn day(expr: &Expr, target: Sort) -> Written<Option<String>> {
    let Expr::Literal(literal, _) = expr else { return Ok(None) };
    let text = literal.try_as_str().flatten().filter(|t| t.len() == 10);
    match (text.and_then(value::date), target) {
        (Some(days), Sort::Date) => Ok(Some(format!("DATE '{}'", date(days)?))),
        (Some(days), Sort::DateTime) => Ok(Some(format!("TIMESTAMP '{} 00:00:00'", date(days)?))),
        _ => Ok(None),
    }
}

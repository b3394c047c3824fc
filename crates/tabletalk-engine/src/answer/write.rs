//! Results as people write them: without the dust of binary fractions, in the unit of their column, days without an
//! empty time of day.

use tabletalk_core::value::plain_decimal;
use tabletalk_core::{Column, Kind};
use tabletalk_sql::Cell;

/// Decimals of a computed number whose column does not say.
const DECIMALS: i32 = 6;

/// Writes the values of a result.
pub(super) struct Writer<'a> {
    /// The column that the values stand in or were computed from.
    pub column: Option<&'a Column>,
}

impl Writer<'_> {
    /// A value of a result.
    pub(super) fn value(&self, cell: &Cell) -> String {
        match cell {
            Cell::Decimal(number) if self.is_percent() => {
                format!("{}%", plain_decimal(rounded(number * 100.0, DECIMALS)))
            }
            Cell::Decimal(number) => plain_decimal(rounded(*number, DECIMALS)),
            Cell::DateTime(_) => {
                let text = cell.to_string();
                text.strip_suffix(" 00:00:00").map_or(text.clone(), str::to_owned)
            }
            other => other.to_string(),
        }
    }

    fn is_percent(&self) -> bool {
        self.column.is_some_and(|c| c.kind == Kind::Decimal && c.unit.as_deref() == Some("%"))
    }

    /// A value with the unit of its column, where it does not have it already.
    pub(super) fn with_unit(&self, value: &str) -> String {
        let unit = self
            .column
            .filter(|c| matches!(c.kind, Kind::Integer | Kind::Decimal))
            .and_then(|c| c.unit.as_deref());
        let is_bare = value.ends_with(|c: char| c.is_ascii_digit())
            && value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        match unit {
            Some(unit) if is_bare && unit != "%" => format!("{value} {unit}"),
            _ => value.to_owned(),
        }
    }
}

fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    let scaled = (number * scale).round() / scale;
    if scaled.is_finite() { scaled } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_dust_and_with_their_unit() {
        let column = Column { unit: Some("EUR".into()), ..Column::new("Amount", Kind::Decimal, 1) };
        let writer = Writer { column: Some(&column) };
        let value = writer.value(&Cell::Decimal(398_267.830_000_000_3));
        assert_eq!((value.as_str(), writer.with_unit(&value).as_str()), ("398267.83", "398267.83 EUR"));
        let share = Column { unit: Some("%".into()), ..Column::new("Rate", Kind::Decimal, 1) };
        let writer = Writer { column: Some(&share) };
        assert_eq!(writer.value(&Cell::Decimal(0.125)), "12.5%");
    }

    #[test]
    fn a_day_has_no_empty_time() {
        let writer = Writer { column: None };
        assert_eq!(writer.value(&Cell::DateTime(86_400_000_000)), "1970-01-02");
        assert_eq!(writer.value(&Cell::DateTime(90_000_000_000)), "1970-01-02 01:00:00");
    }
}

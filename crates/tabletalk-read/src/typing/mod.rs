//! Finds the type of a column from its cells and makes the typed cells.

mod build;
mod guess;

use crate::understand::word;
pub(crate) use build::Builder;
pub(crate) use guess::Guess;
use tabletalk_core::value::{Order, Value};
use tabletalk_core::{Cells, Column, Kind};

/// A cell as the source has it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Raw<'a> {
    /// What is written.
    pub text: &'a str,
    /// The value, where the format itself says what it is.
    pub value: Option<Value>,
}

impl<'a> From<&'a str> for Raw<'a> {
    fn from(text: &'a str) -> Self {
        Raw { text, value: None }
    }
}

/// What the cells of a column are, found from some or all of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    /// The type.
    pub kind: Kind,
    /// The unit all values are in.
    pub unit: Option<String>,
    /// The most decimals a value is written with.
    pub decimals: u8,
    /// How open dates such as `1/2/2023` are read.
    pub order: Order,
}

impl Shape {
    /// A text column.
    pub(crate) const TEXT: Shape =
        Shape { kind: Kind::Text, unit: None, decimals: 0, order: Order::DayFirst };

    /// A column of this shape; a unit that only its name tells is taken from there.
    fn column(&self, name: String, col: u32) -> Column {
        let is_number = matches!(self.kind, Kind::Integer | Kind::Decimal);
        let named = || is_number.then(|| word::unit_of_name(&name).map(str::to_owned)).flatten();
        let unit = self.unit.clone().or_else(named);
        Column { unit, decimals: self.decimals, ..Column::new(name, self.kind, col) }
    }
}

/// The columns of these names and shapes, numbered from 1.
pub(crate) fn columns(names: Vec<String>, shapes: &[Shape]) -> Vec<Column> {
    (1..).zip(names).zip(shapes).map(|((col, name), shape)| shape.column(name, col)).collect()
}

/// A column with its type found.
#[derive(Debug)]
pub(crate) struct Typed {
    /// The type.
    pub kind: Kind,
    /// The unit all values are in.
    pub unit: Option<String>,
    /// The most decimals a value is written with.
    pub decimals: u8,
    /// The cells.
    pub cells: Cells,
}

/// The type and the typed cells of a column.
pub(crate) fn column(cells: &[Raw<'_>]) -> Typed {
    let mut guess = Guess::default();
    for cell in cells {
        guess.see(*cell);
        if guess.is_hopeless(cells.len()) {
            break;
        }
    }
    let shape = guess.shape();
    let mut builder = Builder::new(&shape, cells.len());
    for cell in cells {
        builder.push(*cell);
    }
    Typed { cells: builder.finish(), kind: shape.kind, unit: shape.unit, decimals: shape.decimals }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed(cells: &[&str]) -> Typed {
        column(&cells.iter().map(|c| Raw::from(*c)).collect::<Vec<_>>())
    }

    fn plain(typed: &Typed) -> Vec<String> {
        (0..typed.cells.value.len())
            .map(|i| tabletalk_core::table::plain(&typed.cells.value, i).into_owned())
            .collect()
    }

    #[test]
    fn types_numbers_and_keeps_how_they_were_written() {
        let t = typed(&["1,200", "35", "", "n/a"]);
        assert_eq!((t.kind, plain(&t)), (Kind::Integer, ["1200", "35", "", ""].map(String::from).to_vec()));
        assert_eq!(t.cells.text(0), "1,200");
        assert_eq!(t.cells.text(1), "35");
        assert!(t.cells.is_empty(2));
        assert!(t.cells.is_stray(3));
        assert_eq!(t.cells.text(3), "n/a");
    }

    #[test]
    fn keeps_text_only_where_it_differs() {
        let t = typed(&["1", "2", "-3"]);
        assert!(t.cells.text.is_none());
        let t = typed(&["1.5", "2.25", "0.1"]);
        assert_eq!((t.kind, t.decimals), (Kind::Decimal, 2));
        assert!(t.cells.text.is_none());
        let t = typed(&["1.50", "2.25"]);
        assert_eq!(t.cells.text(0), "1.50");
        assert_eq!(t.cells.text.map(|t| arrow_array::Array::null_count(&t)), Some(1));
    }

    #[test]
    fn finds_units() {
        for (cells, kind, unit) in [
            (vec!["35%", "12.5%", "0"], Kind::Decimal, Some("%")),
            (vec!["$1,200", "300", "$5"], Kind::Integer, Some("USD")),
            (vec!["12 kg", "3 kg"], Kind::Integer, Some("kg")),
            (vec!["12 kg", "3 lb"], Kind::Text, None),
            (vec!["35%", "12"], Kind::Text, None),
            (vec!["12万元", "3千元"], Kind::Integer, Some("元")),
        ] {
            let t = typed(&cells);
            assert_eq!((t.kind, t.unit.as_deref()), (kind, unit), "{cells:?}");
        }
    }

    #[test]
    fn leaves_codes_and_mixtures_as_text() {
        for cells in [
            vec!["007", "012"],
            vec!["1", "a", "3"],
            vec!["12345678901234567890"],
            vec!["9999999999999999999"],
        ] {
            assert_eq!(typed(&cells).kind, Kind::Text, "{cells:?}");
        }
    }

    #[test]
    fn bears_a_few_strays_in_a_long_column() {
        let mut cells = vec!["5"; 99];
        cells.push("five");
        let t = typed(&cells);
        assert_eq!(t.kind, Kind::Integer);
        assert!(t.cells.is_stray(99));
    }

    #[test]
    fn types_dates_when_the_column_agrees_on_their_order() {
        let t = typed(&["01/02/2023", "13/02/2023"]);
        assert_eq!((t.kind, plain(&t)[0].as_str()), (Kind::Date, "2023-02-01"));
        let t = typed(&["01/02/2023", "02/13/2023"]);
        assert_eq!((t.kind, plain(&t)[0].as_str()), (Kind::Date, "2023-01-02"));
        assert_eq!(typed(&["01/02/2023", "03/04/2023"]).kind, Kind::Text);
        assert_eq!(typed(&["13/02/2023", "02/13/2023"]).kind, Kind::Text);
        assert_eq!(typed(&["2023-09-01", "Sept 2, 2023"]).kind, Kind::Date);
        assert_eq!(typed(&["2023-09-01", "2023-09-01 08:00"]).kind, Kind::DateTime);
    }

    #[test]
    fn types_booleans_only_when_all_are() {
        assert_eq!(typed(&["yes", "no", ""]).kind, Kind::Boolean);
        assert_eq!(typed(&["yes", "no", "-"]).kind, Kind::Text);
    }

    #[test]
    fn believes_the_format() {
        let cells = [
            Raw { text: "35%", value: Some(Value::Decimal(0.35)) },
            Raw { text: "1", value: Some(Value::Decimal(1.0)) },
        ];
        let t = column(&cells);
        assert_eq!((t.kind, t.unit.as_deref()), (Kind::Decimal, Some("%")));
        assert_eq!(t.cells.text(0), "35%");
    }

    proptest! {
        #[test]
        fn gives_back_every_text(cells in prop::collection::vec("-?[0-9]{0,4}[.,]?[0-9]{0,3}%?|true|[a-z -]{0,4}|2023-0[1-9]-[0-3][0-9]", 0..30)) {
            let raw: Vec<_> = cells.iter().map(|c| Raw::from(c.as_str())).collect();
            let t = column(&raw);
            for (i, cell) in cells.iter().enumerate() {
                let expected = if cell.trim().is_empty() { "" } else { cell.as_str() };
                prop_assert_eq!(t.cells.text(i), expected);
            }
        }
    }
}

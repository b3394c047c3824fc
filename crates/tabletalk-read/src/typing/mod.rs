//! Finds the type of a column from its cells and makes the typed cells.

mod around;
mod build;
mod guess;

use crate::understand::{label, word};
pub(crate) use around::shapes;
pub(crate) use build::Builder;
pub(crate) use guess::Guess;
use tabletalk_core::value::{Order, Style, Value};
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
    /// How numbers are written.
    pub style: Style,
}

impl Shape {
    /// A text column.
    pub(crate) const TEXT: Shape = Shape {
        kind: Kind::Text,
        unit: None,
        decimals: 0,
        order: Order::DayFirst,
        style: Style { decimal: tabletalk_core::value::Decimal::Point, group: None },
    };

    /// A column of this shape; a unit that only its name tells is taken from there.
    pub(crate) fn column(&self, name: String, col: u32) -> Column {
        let is_number = matches!(self.kind, Kind::Integer | Kind::Decimal);
        let named = || is_number.then(|| word::amount_unit_of_name(&name).map(str::to_owned)).flatten();
        let unit = self.unit.clone().or_else(named);
        Column { unit, decimals: self.decimals, style: self.style, ..Column::new(name, self.kind, col) }
    }
}

/// The columns of these names and shapes, numbered from 1.
pub(crate) fn columns(names: Vec<String>, shapes: &[Shape]) -> Vec<Column> {
    (1..).zip(names).zip(shapes).map(|((col, name), shape)| shape.column(name, col)).collect()
}

/// A column with its type found.
#[derive(Debug)]
pub(crate) struct Typed {
    /// What its cells are.
    pub shape: Shape,
    /// The cells.
    pub cells: Cells,
}

/// The types and the typed cells of the columns of a table, of which `fill` gives the cells one by one.
///
/// Each column is typed by itself first; the few that the rest of the table shows to be something else are
/// typed again.
pub(crate) fn table<'a, S: AsRef<str>>(
    names: &[S],
    semicolons: bool,
    fill: impl Fn(usize, &mut Vec<Raw<'a>>),
) -> Vec<Typed> {
    let mut raws: Vec<Raw<'a>> = Vec::new();
    let (mut guesses, mut typed) = (Vec::with_capacity(names.len()), Vec::with_capacity(names.len()));
    for i in 0..names.len() {
        raws.clear();
        fill(i, &mut raws);
        let guess = guess(&raws);
        typed.push(build(&raws, guess.shape()));
        guesses.push(guess);
    }
    for (i, shape) in shapes(&guesses, names, semicolons).into_iter().enumerate() {
        if typed[i].shape != shape {
            raws.clear();
            fill(i, &mut raws);
            typed[i] = build(&raws, shape);
        }
    }
    typed
}

/// What a column looks like. A label such as `Total` in a column of numbers does not make it one of texts.
fn guess(cells: &[Raw<'_>]) -> Guess {
    let seen = |counts: &dyn Fn(&Raw<'_>) -> bool| {
        let mut guess = Guess::default();
        for cell in cells.iter().filter(|cell| counts(cell)) {
            guess.see(*cell);
            if guess.is_hopeless(cells.len()) {
                break;
            }
        }
        guess
    };
    let guess = seen(&|_| true);
    let first = cells.iter().find(|r| !r.text.trim().is_empty());
    let has_numbers = first.is_some_and(|r| r.value.is_some() || r.text.bytes().any(|b| b.is_ascii_digit()));
    let is_label = |r: &Raw<'_>| r.value.is_none() && label::way(r.text).is_some();
    if guess.may_be_more() || !has_numbers || !cells.iter().any(is_label) {
        return guess;
    }
    let without = seen(&|cell| !is_label(cell));
    if without.shape().kind == Kind::Text { guess } else { without }
}

fn build(cells: &[Raw<'_>], shape: Shape) -> Typed {
    let mut builder = Builder::new(&shape, cells.len());
    for cell in cells {
        builder.push(*cell);
    }
    Typed { cells: builder.finish(), shape }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(cells: &[Raw<'_>]) -> Typed {
        table(&[""], false, |_, raws| raws.extend_from_slice(cells)).remove(0)
    }

    fn typed(cells: &[&str]) -> Typed {
        column(&cells.iter().map(|c| Raw::from(*c)).collect::<Vec<_>>())
    }

    /// The columns of a table written as rows, typed.
    fn table_of(names: &[&str], semicolons: bool, rows: &[&[&str]]) -> Vec<Typed> {
        table(names, semicolons, |i, raws| raws.extend(rows.iter().map(|row| Raw::from(row[i]))))
    }

    fn plains(names: &[&str], semicolons: bool, rows: &[&[&str]]) -> Vec<Vec<String>> {
        table_of(names, semicolons, rows).iter().map(plain).collect()
    }

    fn plain(typed: &Typed) -> Vec<String> {
        (0..typed.cells.value.len())
            .map(|i| tabletalk_core::table::plain(&typed.cells.value, i).into_owned())
            .collect()
    }

    #[test]
    fn types_numbers_and_keeps_how_they_were_written() {
        let t = typed(&["1,200", "35", "", "n/a"]);
        assert_eq!(
            (t.shape.kind, plain(&t)),
            (Kind::Integer, ["1200", "35", "", ""].map(String::from).to_vec())
        );
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
        assert_eq!((t.shape.kind, t.shape.decimals), (Kind::Decimal, 2));
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
            assert_eq!((t.shape.kind, t.shape.unit.as_deref()), (kind, unit), "{cells:?}");
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
            assert_eq!(typed(&cells).shape.kind, Kind::Text, "{cells:?}");
        }
    }

    #[test]
    fn bears_a_few_strays_in_a_long_column() {
        let mut cells = vec!["5"; 99];
        cells.push("five");
        let t = typed(&cells);
        assert_eq!(t.shape.kind, Kind::Integer);
        assert!(t.cells.is_stray(99));
    }

    #[test]
    fn types_dates_when_the_column_agrees_on_their_order() {
        let t = typed(&["01/02/2023", "13/02/2023"]);
        assert_eq!((t.shape.kind, plain(&t)[0].as_str()), (Kind::Date, "2023-02-01"));
        let t = typed(&["01/02/2023", "02/13/2023"]);
        assert_eq!((t.shape.kind, plain(&t)[0].as_str()), (Kind::Date, "2023-01-02"));
        assert_eq!(typed(&["01/02/2023", "03/04/2023"]).shape.kind, Kind::Text);
        assert_eq!(typed(&["13/02/2023", "02/13/2023"]).shape.kind, Kind::Text);
        assert_eq!(typed(&["2023-09-01", "Sept 2, 2023"]).shape.kind, Kind::Date);
        assert_eq!(typed(&["2023-09-01", "2023-09-01 08:00"]).shape.kind, Kind::DateTime);
    }

    #[test]
    fn types_booleans_only_when_all_are() {
        assert_eq!(typed(&["yes", "no", ""]).shape.kind, Kind::Boolean);
        assert_eq!(typed(&["yes", "no", "-"]).shape.kind, Kind::Boolean);
        assert_eq!(typed(&["yes", "no", "maybe"]).shape.kind, Kind::Text);
    }

    #[test]
    fn marks_of_missing_values_speak_against_no_type() {
        for mark in [
            "N/A", "NA", "n.a.", "-", "–", "—", "?", "NULL", "None", "nil", "k. A.", "s.o.", "暂无", "..",
            "#NV",
        ] {
            let t = typed(&["5", "7", mark, "9"]);
            assert_eq!((t.shape.kind, t.cells.text(2).as_ref()), (Kind::Integer, mark));
            assert!(t.cells.is_stray(2));
            assert_eq!(typed(&["2023-09-01", mark]).shape.kind, Kind::Date);
            assert_eq!(typed(&["yes", mark, "no"]).shape.kind, Kind::Boolean);
        }
        // Where there are words, they are words: Namibia and South Africa.
        let t = typed(&["NA", "ZA"]);
        assert_eq!((t.shape.kind, plain(&t)), (Kind::Text, vec!["NA".to_owned(), "ZA".to_owned()]));
    }

    #[test]
    fn a_column_decides_how_its_numbers_are_written() {
        for (cells, kind, values, style) in [
            (vec!["1.234", "12.345,67"], Kind::Decimal, vec!["1234", "12345.67"], "1.234,56"),
            (vec!["0,125", "1,500"], Kind::Decimal, vec!["0.125", "1.5"], "1234,56"),
            (vec!["1,500", "2.5"], Kind::Decimal, vec!["1500", "2.5"], "1,234.56"),
            (vec!["2 102 650", "872"], Kind::Integer, vec!["2102650", "872"], "1 234.56"),
            (vec!["2\u{a0}102\u{a0}650", "872"], Kind::Integer, vec!["2102650", "872"], "1 234.56"),
            (vec!["2\u{202f}102,5", "872"], Kind::Decimal, vec!["2102.5", "872"], "1 234,56"),
            (vec!["1'234.50", "12.00"], Kind::Decimal, vec!["1234.5", "12"], "1'234.56"),
            (vec!["1’234.50", "950"], Kind::Decimal, vec!["1234.5", "950"], "1'234.56"),
            (vec!["(1,234)", "5"], Kind::Integer, vec!["-1234", "5"], "1,234.56"),
            (vec!["1.234,50-", "5,00"], Kind::Decimal, vec!["-1234.5", "5"], "1.234,56"),
            (vec!["€ 1.234,50", "€ 12,00"], Kind::Decimal, vec!["1234.5", "12"], "1.234,56"),
            (vec!["1 234,50 €", "12,00 €"], Kind::Decimal, vec!["1234.5", "12"], "1 234,56"),
            (vec!["12,5 %", "7 %"], Kind::Decimal, vec!["0.125", "0.07"], "1234,56"),
            (vec!["CHF 1'200.-", "CHF 85.50"], Kind::Decimal, vec!["1200", "85.5"], "1'234.56"),
            (vec!["1.234 €", "2.500 €"], Kind::Integer, vec!["1234", "2500"], "1.234,56"),
            (vec!["1.234", "2.500"], Kind::Decimal, vec!["1.234", "2.5"], "1234.56"),
            (vec!["3万", "1.2亿"], Kind::Integer, vec!["30000", "120000000"], "1234.56"),
        ] {
            let t = typed(&cells);
            assert_eq!(
                (t.shape.kind, plain(&t)),
                (kind, values.iter().map(|v| v.to_string()).collect()),
                "{cells:?}"
            );
            assert_eq!(t.shape.style.to_string(), style, "{cells:?}");
            cells.iter().enumerate().for_each(|(i, cell)| assert_eq!(t.cells.text(i), *cell));
        }
    }

    #[test]
    fn a_table_decides_where_a_column_leaves_it_open() {
        // Semicolons, another column, the language of the names, or a currency say which.
        let open: &[&[&str]] = &[&["Ann", "1,500"], &["Bob", "2,250"]];
        assert_eq!(plains(&["name", "kg"], true, open)[1], ["1.5", "2.25"]);
        assert_eq!(plains(&["name", "kg"], false, open)[1], ["1500", "2250"]);
        let beside: &[&[&str]] = &[&["0,5", "1.234"], &["2,25", "950"]];
        assert_eq!(plains(&["a", "b"], false, beside)[1], ["1234", "950"]);
        let points: &[&[&str]] = &[&["0.5", "1,234"], &["2.25", "1,950"]];
        assert_eq!(plains(&["a", "b"], true, points)[1], ["1234", "1950"]);
        let named: &[&[&str]] = &[&["Berlin", "3.645"], &["Jena", "110.731"]];
        assert_eq!(plains(&["Stadt", "Einwohner"], false, named)[1], ["3645", "110731"]);
        assert_eq!(plains(&["city", "share"], false, named)[1], ["3.645", "110.731"]);
        let dollars: &[&[&str]] = &[&["$1,500"], &["$2,250"]];
        assert_eq!(plains(&["price"], true, dollars)[0], ["1500", "2250"]);
        // Three decimals here and none there are thousands, not decimals.
        let counts: &[&[&str]] = &[&["Oslo", "1,200"], &["Paris", "950"]];
        assert_eq!(plains(&["city", "sold"], true, counts)[1], ["1200", "950"]);
    }

    #[test]
    fn a_table_decides_the_order_of_days_and_months_too() {
        let rows: &[&[&str]] = &[&["01/02/2023", "13/02/2023"], &["03/04/2023", "05/06/2023"]];
        assert_eq!(plains(&["from", "to"], false, rows)[0], ["2023-02-01", "2023-04-03"]);
    }

    #[test]
    fn columns_whose_marks_contradict_each_other_and_codes_stay_text() {
        for cells in [
            vec!["1.5", "1,5"],
            vec!["1.234,5", "1,234.5"],
            vec!["601 234 567", "602 333 444", "505 111 222"],
            vec!["110 00", "123 45"],
            vec!["2024-001", "2024-002"],
            vec!["+49 30 123456", "+49 89 654321"],
            vec!["01067", "10115"],
        ] {
            assert_eq!(typed(&cells).shape.kind, Kind::Text, "{cells:?}");
        }
    }

    #[test]
    fn believes_the_format() {
        let cells = [
            Raw { text: "35%", value: Some(Value::Decimal(0.35)) },
            Raw { text: "1", value: Some(Value::Decimal(1.0)) },
        ];
        let t = column(&cells);
        assert_eq!((t.shape.kind, t.shape.unit.as_deref()), (Kind::Decimal, Some("%")));
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

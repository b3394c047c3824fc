//! Small tables to ask about.

use datafusion::arrow::array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray};
use std::sync::Arc;
use tabletalk_core::{Batch, Cells, Column, Kind, Mark, Result};
use tabletalk_sql::{Limits, Ran, Relation, Sandbox, Source, Stop};

pub(crate) fn cells(value: impl Into<ArrayRef>) -> Cells {
    Cells { value: value.into(), text: None }
}

pub(crate) fn array<T: datafusion::arrow::array::Array + 'static>(array: T) -> ArrayRef {
    Arc::new(array)
}

/// Seven sales and their total, on rows 2 to 9.
pub(crate) fn sales() -> Relation {
    let city = vec!["Oslo", "Bergen", "Oslo", "Paris", "Rome", "Paris", "Oslo", "Total"];
    let amounts = [120, 80, 200, 50, 75, 25, 50, 600];
    let written: Vec<Option<String>> = amounts.iter().map(|a| Some(format!("€{a}"))).collect();
    let columns = vec![
        Column::new("City", Kind::Text, 1),
        Column::new("Total Sales", Kind::Integer, 2),
        Column::new("Price", Kind::Decimal, 3),
        Column::new("Day", Kind::Date, 4),
        Column::new("Paid", Kind::Boolean, 5),
        Column::new("Note", Kind::Text, 6),
    ];
    let batch = Batch {
        rows: (2..=9).collect(),
        bytes: Vec::new(),
        marks: [vec![Mark::Data; 7], vec![Mark::Total]].concat(),
        columns: vec![
            cells(array(StringArray::from(city))),
            Cells {
                value: array(Int64Array::from(amounts.to_vec())),
                text: Some(StringArray::from(written)),
            },
            cells(array(Float64Array::from(vec![1.5, 2.0, 0.5, 4.0, 1.0, 1.0, 2.5, 12.5]))),
            cells(array(Date32Array::from((0..8).map(|i| Some(19_600 + 40 * i)).collect::<Vec<_>>()))),
            cells(array(BooleanArray::from(vec![true, false, true, true, false, false, true, true]))),
            cells(array(StringArray::from(vec![
                Some("1,200"),
                Some("7"),
                None,
                Some("it's"),
                Some("x"),
                Some("40%"),
                None,
                None,
            ]))),
        ],
    };
    Relation { name: "sales".into(), columns, rows: 8, source: Source::Memory(vec![batch]) }
}

/// Cities and their countries.
pub(crate) fn cities() -> Relation {
    let columns = vec![
        Column::new("name", Kind::Text, 1),
        Column::new("country", Kind::Text, 2),
        Column::new("people", Kind::Integer, 3),
    ];
    let batch = Batch {
        rows: vec![1, 2, 3, 4],
        columns: vec![
            cells(array(StringArray::from(vec!["Oslo", "Bergen", "Paris", "Rome"]))),
            cells(array(StringArray::from(vec!["Norway", "Norway", "France", "Italy"]))),
            cells(array(Int64Array::from(vec![700_000, 290_000, 2_100_000, 2_800_000]))),
        ],
        ..Batch::default()
    };
    Relation { name: "world cities".into(), columns, rows: 4, source: Source::Memory(vec![batch]) }
}

pub(crate) fn relations() -> Vec<Relation> {
    vec![sales(), cities()]
}

pub(crate) fn sandbox() -> Sandbox {
    Sandbox::new(Limits { threads: 2, ..Limits::default() }).unwrap()
}

pub(crate) fn run(sql: &str) -> Result<Ran> {
    sandbox().run(&relations(), sql, &Stop::new())
}

/// The result as lines of cells with `|` between.
pub(crate) fn shown(sql: &str) -> String {
    match run(sql) {
        Ok(ran) => lines(&ran),
        Err(e) => format!("error: {e}"),
    }
}

pub(crate) fn lines(ran: &Ran) -> String {
    let line =
        |row: &Vec<tabletalk_sql::Cell>| row.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
    ran.rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

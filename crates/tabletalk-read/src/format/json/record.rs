//! Objects as rows: flattened, their columns found, their cells typed.

use crate::stream::{BatchBuilder, Survey};
use crate::typing::{self, Raw, Shape};
use serde_json::Value;
use std::collections::HashMap;
use tabletalk_core::value::Value as Typed;
use tabletalk_core::{Batch, Column};

/// One row: the dotted name, text and value of each field that is not empty.
pub(super) type Row = Vec<(String, String, Option<Typed>)>;

/// The text of a value: lists of single values joined, anything deeper as JSON.
pub(super) fn text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(items) if !items.iter().any(|v| v.is_object() || v.is_array()) => {
            items.into_iter().map(text).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

/// The fields of an object and of the objects in it; a single value is a field named `value`.
pub(super) fn flatten(value: Value) -> Row {
    let mut row = Row::new();
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                add(&mut row, key, value);
            }
        }
        other => add(&mut row, "value".into(), other),
    }
    row
}

fn add(row: &mut Row, name: String, value: Value) {
    let typed = match &value {
        Value::Number(n) => {
            n.as_i64().map(Typed::Integer).or_else(|| n.as_f64().filter(|_| n.is_f64()).map(Typed::Decimal))
        }
        Value::Bool(v) => Some(Typed::Boolean(*v)),
        _ => None,
    };
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                add(row, format!("{name}.{key}"), value);
            }
        }
        Value::Null => {}
        other => row.push((name, text(other), typed)),
    }
}

/// The columns of a table of objects: every name that occurs, in the order of its first row.
#[derive(Debug)]
pub(super) struct Records {
    names: Vec<String>,
    index: HashMap<String, usize>,
    survey: Survey,
}

impl Records {
    pub(super) fn new() -> Self {
        Records { names: Vec::new(), index: HashMap::new(), survey: Survey::sampled() }
    }
    fn column(&mut self, name: &str) -> usize {
        if let Some(i) = self.index.get(name) {
            return *i;
        }
        self.index.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.survey.resize(self.names.len());
        self.names.len() - 1
    }
    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.names.len()
    }
    /// Looks at one more row to find columns and types.
    pub(super) fn see(&mut self, row: &Row) {
        for (name, text, value) in row {
            let i = self.column(name);
            if let Some(guess) = self.survey.watched(i) {
                guess.see(Raw { text, value: *value });
            }
        }
        self.survey.end_row();
    }
    /// The type of each column.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        typing::shapes(self.survey.guesses(), &self.names, false)
    }
    /// The columns, with names that are readable and unique.
    pub(super) fn columns(&self) -> Vec<Column> {
        let names = crate::understand::names(std::slice::from_ref(&self.names), self.names.len());
        typing::columns(names, &self.shapes())
    }
    /// The rows, with their numbers in the source, as a batch.
    pub(super) fn batch(&self, shapes: &[Shape], rows: impl Iterator<Item = (u64, Row)>) -> Batch {
        let mut batch = BatchBuilder::new(shapes, 1024);
        let mut places: Vec<Option<usize>> = Vec::new();
        for (number, row) in rows {
            places.clear();
            places.resize(batch.width(), None);
            for (i, (name, _, _)) in row.iter().enumerate() {
                if let Some(place) = self.index.get(name).and_then(|col| places.get_mut(*col)) {
                    *place = Some(i);
                }
            }
            let field = |column: usize| places.get(column).copied().flatten().and_then(|i| row.get(i));
            batch.row(number, |i, column| match field(i) {
                Some((_, text, value)) => column.push(Raw { text, value: *value }),
                None => column.push(Raw::default()),
            });
        }
        batch.finish()
    }
}

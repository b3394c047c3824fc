//! The columns of a table in a database, and what tells its rows apart.

use super::ident;
use super::select::Item;
use datafusion::arrow::datatypes::DataType;
use tabletalk_core::home::Read;
use tabletalk_core::{Home, Kind};

/// What tells the rows of a table apart.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// The table, by its number.
    pub(super) table: usize,
    pub(super) sql: String,
}

/// A column of a table under an alias; the one behind the last is what tells rows apart.
pub(super) fn column_of(home: &Home, column: usize, alias: &str) -> Item {
    let Some(own) = home.columns.get(column) else {
        let sql = row_of(home, alias).unwrap_or_else(|| "CAST(NULL AS TEXT)".to_owned());
        return Item { sql, is_plain: true };
    };
    let plain = format!("{alias}.{}", ident(&own.name));
    let sql = match own.read {
        Read::Plain => plain,
        Read::Utc => format!("({plain} AT TIME ZONE 'UTC')"),
        Read::Text => format!("CAST({plain} AS TEXT)"),
    };
    Item { sql, is_plain: true }
}

/// The type of the column that tells rows apart: a number where the key is one.
pub(crate) fn row_type(home: &Home) -> DataType {
    if number(home).is_some() { DataType::Int64 } else { DataType::Utf8View }
}

/// The one column of the key, where that is a number.
fn number(home: &Home) -> Option<usize> {
    match home.key.as_slice() {
        [one] => home.columns.get(*one).filter(|c| c.kind == Kind::Integer).map(|_| *one),
        _ => None,
    }
}

/// What tells rows apart, as it can be sorted by.
fn row_of(home: &Home, alias: &str) -> Option<String> {
    match number(home) {
        Some(one) => Some(column_of(home, one, alias).sql),
        None => key_of(home, alias),
    }
}

/// What tells rows apart, as a text.
pub(super) fn key_of(home: &Home, alias: &str) -> Option<String> {
    let part = |c: &usize| match home.columns.get(*c).map(|own| own.read) {
        Some(Read::Text) => column_of(home, *c, alias).sql,
        _ => format!("CAST({} AS TEXT)", column_of(home, *c, alias).sql),
    };
    let parts: Vec<String> = home.key.iter().map(part).collect();
    match parts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("({})", several.join(" || ', ' || "))),
    }
}

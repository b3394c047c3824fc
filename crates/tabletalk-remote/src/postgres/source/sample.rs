//! Some rows of a table: all of a small one, and of a large one some from all over it.

use super::session::Postgres;
use crate::postgres::text::ident;
use arrow_array::ArrayRef;
use tabletalk_core::home::{HomeColumn, Read};
use tabletalk_core::seam::database::{Bounds, Database, Listed, Statement};
use tabletalk_core::{Home, Kind, Result};

/// The most letters of a text that are kept in a sample.
const LETTERS: usize = 2000;
/// The most bytes of a sample.
const BYTES: usize = 32 << 20;
/// How long it may take.
const TIME_MS: u64 = 60_000;
/// Of tables with more rows whole pages are taken, which does not read all of them.
const LARGE: u64 = 200_000;

pub(super) fn sample(
    database: &Postgres,
    listed: &Listed,
    most: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<ArrayRef>>> {
    let home = &listed.home;
    if home.columns.is_empty() {
        return Ok(Vec::new());
    }
    let fetch = |sql: String| {
        let kinds: Vec<Kind> = home.columns.iter().map(|c| c.kind).collect();
        let statement = Statement { sql, texts: Vec::new(), kinds };
        let mut batches = Vec::new();
        let bounds = Bounds { rows: most, bytes: BYTES, time_ms: TIME_MS, stop };
        database.run(&statement, &bounds, &mut |arrays| {
            batches.push(arrays);
            Ok(())
        })?;
        Ok(batches)
    };
    let is_table = home.what == "table" || home.what == "materialized view";
    if is_table && home.rows > most as u64 {
        let batches: Vec<Vec<ArrayRef>> = fetch(select(home, most, true))?;
        if !batches.is_empty() {
            return Ok(batches);
        }
    }
    fetch(select(home, most, false))
}

fn select(home: &Home, most: usize, spread: bool) -> String {
    let columns: Vec<String> = home.columns.iter().map(column).collect();
    let mut sql =
        format!("SELECT {} FROM {}.{}", columns.join(", "), ident(&home.schema), ident(&home.table));
    if spread {
        let method = if home.rows > LARGE { "SYSTEM" } else { "BERNOULLI" };
        let percent = (100.0 * most as f64 / home.rows.max(1) as f64).clamp(0.000_1, 100.0);
        // The same rows each time, as long as they do not change.
        sql.push_str(&format!(" TABLESAMPLE {method} ({percent:.6}) REPEATABLE (1)"));
    }
    let key: Vec<String> =
        home.key.iter().filter_map(|c| home.columns.get(*c)).map(|c| ident(&c.name)).collect();
    if !key.is_empty() {
        sql.push_str(&format!(" ORDER BY {}", key.join(", ")));
    }
    sql + &format!(" LIMIT {most}")
}

fn column(column: &HomeColumn) -> String {
    let name = ident(&column.name);
    match (column.read, column.kind) {
        (Read::Utc, _) => format!("{name} AT TIME ZONE 'UTC'"),
        (_, Kind::Text) => format!("\"left\"(CAST({name} AS TEXT), {LETTERS})"),
        _ => name,
    }
}

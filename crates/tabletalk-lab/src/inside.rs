//! How well the right rows, columns and cells are found inside the right table.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tabletalk_core::{Hit, Result};
use tabletalk_engine::recall::{Filter, Retriever, Similarity, Test};
use tabletalk_eval::metric::Ranks;
use tabletalk_eval::names::Names;
use tabletalk_eval::query::Query;
use tabletalk_eval::retrieval::measure;
use tabletalk_library::Library;
use tabletalk_store::{StoredTable, data};

/// A part of a table that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Rows.
    Row,
    /// Columns.
    Column,
    /// Cells.
    Cell,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Row => "row",
            Level::Column => "column",
            Level::Cell => "cell",
        }
    }
}

/// A part of a table: its row in the source, its column in the source, or both.
type Part = (Option<u64>, Option<u32>);

/// What is needed of a table: rows and columns as the source counts them.
#[derive(Debug, Default)]
struct Needed {
    rows: BTreeSet<u64>,
    columns: BTreeSet<u32>,
    cells: BTreeSet<(u64, u32)>,
}

impl Needed {
    fn parts(&self, level: Level) -> BTreeSet<Part> {
        match level {
            Level::Row => self.rows.iter().map(|row| (Some(*row), None)).collect(),
            Level::Column => self.columns.iter().map(|col| (None, Some(*col))).collect(),
            Level::Cell => self.cells.iter().map(|(row, col)| (Some(*row), Some(*col))).collect(),
        }
    }
}

/// The figures at these levels, one entry a query; none where a query does not say which parts are right.
pub fn run(
    library: &Library,
    queries: &[Query],
    levels: &[Level],
    cuts: &[usize],
) -> Result<Vec<BTreeMap<String, f64>>> {
    let names = Names::of(library.recall().library)?;
    queries.par_iter().map(|query| one(library, query, levels, cuts, &names)).collect()
}

fn one(
    library: &Library,
    query: &Query,
    levels: &[Level],
    cuts: &[usize],
    names: &Names,
) -> Result<BTreeMap<String, f64>> {
    let document = query.relevant.first().and_then(|name| names.document(name));
    let Some(document) = document else { return Ok(BTreeMap::new()) };
    let tables = library.recall().library.catalog()?.tables_of(document)?;
    let Some(table) = tables.first() else { return Ok(BTreeMap::new()) };
    let needed = needed(library, query, table)?;
    let mut metrics = BTreeMap::new();
    for level in levels {
        let parts = needed.parts(*level);
        if !parts.is_empty() {
            let hits = search(library, query, *level, table, cuts)?;
            metrics.extend(measure(&ranks(&hits, &parts, *level), cuts, &format!("{}.", level.name())));
        }
    }
    Ok(metrics)
}

/// What is needed: as the query says, or as its program reads the table.
fn needed(library: &Library, query: &Query, table: &StoredTable) -> Result<Needed> {
    let mut needed = Needed::default();
    let columns = &table.table.columns;
    let named = |name: &String| columns.iter().find(|c| c.name.to_lowercase() == name.to_lowercase().trim());
    needed.columns.extend(query.columns.iter().filter_map(named).map(|c| c.col));
    if !query.cells.is_empty() || !query.rows.is_empty() {
        let rows = source_rows(table)?;
        let row = |at: u64| usize::try_from(at).ok().and_then(|at| rows.get(at)).copied();
        needed.rows.extend(query.rows.iter().filter_map(|at| row(*at)));
        for (at, col) in &query.cells {
            if let (Some(row), Some(column)) = (row(*at), columns.get(*col as usize)) {
                needed.rows.insert(row);
                needed.columns.insert(column.col);
                needed.cells.insert((row, column.col));
            }
        }
    }
    if let Some(sql) = query.sql.as_ref().filter(|_| needed.cells.is_empty()) {
        by_program(library, sql, table, &mut needed);
    }
    Ok(needed)
}

/// The rows and columns that a program reads. One that does not run here says nothing.
fn by_program(library: &Library, sql: &str, table: &StoredTable, needed: &mut Needed) {
    let Ok(ran) = library.sql(sql) else { return };
    for used in ran.used.iter().filter(|used| used.relation == table.name) {
        let named = table.table.columns.iter().filter(|c| used.columns.contains(&c.name));
        let columns: Vec<u32> = named.map(|c| c.col).collect();
        needed.columns.extend(&columns);
        needed.rows.extend(&used.rows);
        needed.cells.extend(used.rows.iter().flat_map(|row| columns.iter().map(|col| (*row, *col))));
    }
}

/// The row of the source that each row of a table stands in.
fn source_rows(table: &StoredTable) -> Result<Vec<u64>> {
    let mut rows = Vec::new();
    for batch in data::open(&table.table.columns, &table.data, None)? {
        rows.extend(batch?.rows);
    }
    Ok(rows)
}

fn search(
    library: &Library,
    query: &Query,
    level: Level,
    table: &StoredTable,
    cuts: &[usize],
) -> Result<Vec<Hit>> {
    let document = table.id.split('/').next().unwrap_or_default().to_owned();
    let retriever = Retriever {
        group: level.name().into(),
        target: Some(level.name().into()),
        similarity: Similarity::Bm25,
        topk: cuts.iter().copied().max().unwrap_or(10),
        filters: vec![Filter { field: "id".into(), test: Test::Is(vec![document]) }],
        ..Retriever::default()
    };
    Ok(library.search(&query.question, &retriever)?.hits)
}

fn ranks(hits: &[Hit], parts: &BTreeSet<Part>, level: Level) -> Ranks {
    let part = |hit: &Hit| -> Part {
        let (row, col) = (hit.node.place.rows.map(|r| r.0), hit.node.place.cols.map(|c| c.0));
        match level {
            Level::Row => (row, None),
            Level::Column => (None, col),
            Level::Cell => (row, col),
        }
    };
    let mut seen = BTreeSet::new();
    let is_new = |found: &Part| seen.insert(*found);
    let found: Vec<Part> = hits.iter().map(part).filter(is_new).collect();
    let right = found.iter().enumerate().filter(|(_, part)| parts.contains(part)).map(|(rank, _)| rank);
    Ranks { found: right.collect(), relevant: parts.len() }
}

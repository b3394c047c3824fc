//! Making the node that was found.

use crate::group::table;
use tabletalk_core::{Batch, Error, Node, Result};
use tabletalk_store::distinct::Distinct;
use tabletalk_store::{Catalog, Library, StoredTable, data};

/// A node, by where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Ref {
    /// A stored node.
    Node { document: i64, key: i64 },
    /// A table.
    Table { document: i64, table: i64 },
    /// The description of a column.
    Schema { document: i64, table: i64, col: usize },
    /// The values of a column.
    Column { document: i64, table: i64, col: usize },
    /// From where to where a column goes.
    Range { document: i64, table: i64, col: usize },
    /// A distinct value.
    Cell { document: i64, table: i64, col: usize, rank: u64, value: Distinct },
    /// A row, by its position from 0.
    Row { document: i64, table: i64, at: u64 },
    /// The whole document.
    Root { document: i64 },
}

impl Ref {
    pub(crate) fn document(&self) -> i64 {
        match self {
            Ref::Node { document, .. }
            | Ref::Table { document, .. }
            | Ref::Schema { document, .. }
            | Ref::Column { document, .. }
            | Ref::Range { document, .. }
            | Ref::Cell { document, .. }
            | Ref::Row { document, .. }
            | Ref::Root { document } => *document,
        }
    }

    pub(crate) fn table(&self) -> Option<i64> {
        match self {
            Ref::Table { table, .. }
            | Ref::Schema { table, .. }
            | Ref::Column { table, .. }
            | Ref::Range { table, .. }
            | Ref::Cell { table, .. }
            | Ref::Row { table, .. } => Some(*table),
            Ref::Node { .. } | Ref::Root { .. } => None,
        }
    }

    pub(crate) fn col(&self) -> Option<usize> {
        match self {
            Ref::Schema { col, .. }
            | Ref::Column { col, .. }
            | Ref::Range { col, .. }
            | Ref::Cell { col, .. } => Some(*col),
            _ => None,
        }
    }
}

/// A node that was found, made unless it was made lately; `None` when it went in the meantime.
pub(super) fn found(library: &Library, catalog: &Catalog, node: &Ref) -> Result<Option<Node>> {
    let Ref::Table { table, .. } = node else { return make(catalog, node) };
    if let Some(made) = library.cache().get(*table) {
        return Ok(catalog.has_table(*table)?.then(|| Node::clone(&made)));
    }
    let made = make(catalog, node)?;
    if let Some(made) = &made {
        library.cache().put(*table, made);
    }
    Ok(made)
}

/// Makes a node; `None` when it went in the meantime.
pub(crate) fn make(catalog: &Catalog, node: &Ref) -> Result<Option<Node>> {
    if let Ref::Node { key, .. } = node {
        return catalog.node(*key);
    }
    if let Ref::Root { document } = node {
        return root(catalog, *document);
    }
    let Some(key) = node.table() else { return Ok(None) };
    let Some(stored) = catalog.table(key)? else { return Ok(None) };
    match node {
        Ref::Schema { col, .. } => Ok(table::schema(&stored, *col)),
        Ref::Range { col, .. } => Ok(table::range(&stored, *col)),
        Ref::Column { col, .. } => table::column(&stored, *col),
        Ref::Cell { col, rank, value, .. } => {
            let row = row_number(&stored, value.first)?;
            Ok(table::cell(&stored, *col, *rank, value, row))
        }
        Ref::Row { at, .. } => row(&stored, *at),
        _ => Ok(Some(table::table(&stored, &first_rows(&stored, 5)?))),
    }
}

/// The first rows of a table, each joined by a bar.
pub(super) fn first_rows(stored: &StoredTable, most: usize) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for batch in data::open(&stored.table.columns, &stored.data, None)? {
        let batch = batch?;
        rows.extend((0..batch.len().min(most - rows.len())).map(|i| table::row_text(&batch, i)));
        if rows.len() >= most {
            break;
        }
    }
    Ok(rows)
}

fn at_row<T>(
    stored: &StoredTable,
    at: u64,
    wanted: Option<&[usize]>,
    make: impl FnOnce(&Batch, usize) -> T,
) -> Result<Option<T>> {
    for (base, batch) in data::open_at(&stored.table.columns, &stored.data, wanted, at)? {
        let batch = batch?;
        let i = (at - base) as usize;
        if i < batch.len() {
            return Ok(Some(make(&batch, i)));
        }
    }
    Ok(None)
}

fn row(stored: &StoredTable, at: u64) -> Result<Option<Node>> {
    at_row(stored, at, None, |batch, i| table::row(stored, batch, i, at))
}

/// The row number in the source of the row at a position.
fn row_number(stored: &StoredTable, at: u64) -> Result<Option<u64>> {
    at_row(stored, at, Some(&[]), |batch, i| batch.rows.get(i).copied()).map(Option::flatten)
}

fn root(catalog: &Catalog, document: i64) -> Result<Option<Node>> {
    let Some(record) = catalog.record_by_key(document)? else { return Ok(None) };
    let mut text = record.title.clone();
    for piece in catalog.outline(document)? {
        use tabletalk_store::Piece::*;
        if let Heading(_, placed) | Text(placed) | Image(placed) = piece {
            text.push('\n');
            text.push_str(&placed.text);
        }
    }
    let place = tabletalk_core::Place::file(record.name);
    let node =
        Node { id: record.id, group: "root".into(), place, text, fields: record.fields, ..Node::default() };
    Ok(Some(node))
}

/// The node with an id, made where it is not stored.
pub fn node_by_id(library: &Library, id: &str) -> Result<Option<Node>> {
    let catalog = library.catalog()?;
    if let Some(node) = catalog.node_by_id(id)? {
        return Ok(Some(node));
    }
    let mut parts = id.split('/');
    let Some(record) = catalog.record(parts.next().unwrap_or_default())? else { return Ok(None) };
    let Some(number) = parts.next() else { return root(&catalog, record.key) };
    let Some(stored) = table_numbered(&catalog, record.key, number)? else { return Ok(None) };
    let (document, table) = (record.key, stored.key);
    let rest: Vec<&str> = parts.collect();
    let node = match rest.as_slice() {
        [] => Ref::Table { document, table },
        [s] if s.starts_with('s') => Ref::Schema { document, table, col: index_of(s)? },
        [r] if r.starts_with('r') => Ref::Row { document, table, at: index_of(r)? as u64 },
        [c] if c.starts_with('c') => Ref::Column { document, table, col: index_of(c)? },
        [c, "range"] => Ref::Range { document, table, col: index_of(c)? },
        [c, v] => return nth_value(&stored, index_of(c)?, index_of(v)? as u64),
        _ => return Ok(None),
    };
    make(&catalog, &node)
}

fn table_numbered(catalog: &Catalog, document: i64, number: &str) -> Result<Option<StoredTable>> {
    let Some(n) = number.strip_prefix('t').and_then(|n| n.parse::<usize>().ok()) else { return Ok(None) };
    Ok(catalog.tables_of(document)?.into_iter().nth(n.wrapping_sub(1)))
}

/// The position from 0 that a part such as `c3` counts from 1.
fn index_of(part: &str) -> Result<usize> {
    let number = part.get(1..).and_then(|n| n.parse::<usize>().ok()).filter(|n| *n > 0);
    number.map(|n| n - 1).ok_or_else(|| Error::input(format!("`{part}` is not part of a node id")))
}

fn nth_value(stored: &StoredTable, col: usize, rank: u64) -> Result<Option<Node>> {
    let mut columns = crate::take::recount(&stored.table.columns, &stored.data)?;
    if col >= columns.len() {
        return Ok(None);
    }
    let Some(value) = columns.swap_remove(col).nth(rank as usize).transpose()? else { return Ok(None) };
    let row = row_number(stored, value.first)?;
    Ok(table::cell(stored, col, rank, &value, row))
}

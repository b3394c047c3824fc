//! What programs see: documents, tables, hits and answers as JSON, the same in the command line and over HTTP.

mod document;
mod picture;
pub mod select;
mod table;
mod tree;

pub use document::{document, document_text};
pub use picture::{page, png};
pub use table::{Format, full_table, position_of, rows, table_text, written_rows};
pub use tree::{leaf_count, tree, tree_name};

use crate::{Answer, Error, Library, Node, Place, Result, chart, recall};
use serde_json::{Value, json};
use tabletalk_sql::{Cell, Ran};
use tabletalk_store::{Catalog, Record, StoredTable};

const PAGE: usize = 1000;

/// A thing that was named.
pub enum Named {
    /// A document, by its key.
    Document(i64),
    /// A table.
    Table(Box<StoredTable>),
    /// A node.
    Node(Box<Node>),
}

/// The document, table or node of this id or name.
pub fn named(library: &Library, id: &str) -> Result<Named> {
    let catalog = library.store().catalog()?;
    if let Some(record) = catalog.record(id)? {
        return Ok(Named::Document(record.key));
    }
    if let Some(stored) = find_table(&catalog, id)? {
        return Ok(Named::Table(Box::new(stored)));
    }
    let node = recall::node_by_id(library.store(), id)?;
    node.map(|node| Named::Node(Box::new(node))).ok_or_else(|| {
        Error::missing(format!("there is no document, table or node `{id}`"))
            .hint("`tabletalk docs` and `tabletalk tables` list what there is")
    })
}

fn find_table(catalog: &Catalog, id: &str) -> Result<Option<StoredTable>> {
    if let Some(stored) = catalog.table_named(id)? {
        return Ok(Some(stored));
    }
    if let Some((document, table)) = id.rsplit_once("/t")
        && let (Some(record), Ok(n)) = (catalog.record(document)?, table.parse::<usize>())
    {
        return Ok(catalog.tables_of(record.key)?.into_iter().nth(n.wrapping_sub(1)));
    }
    Ok(None)
}

/// The table of this id or name.
pub fn table_named(library: &Library, id: &str) -> Result<StoredTable> {
    let catalog = library.store().catalog()?;
    match find_table(&catalog, id)? {
        Some(stored) => Ok(stored),
        None => Err(no_table(&catalog, id)?),
    }
}

/// The id of the table that an id belongs to: `274caefd5b3bbe87/t1` of `274caefd5b3bbe87/t1/r12`.
pub fn table_of(id: &str) -> Option<&str> {
    let at = id.find("/t")? + 2;
    let rest = id.get(at..)?;
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let is_table = digits > 0 && rest.get(digits..).is_some_and(|r| r.is_empty() || r.starts_with('/'));
    if is_table { id.get(..at + digits) } else { None }
}

/// The error for a table that is not there, with the nearest names.
pub(crate) fn no_table(catalog: &Catalog, name: &str) -> Result<Error> {
    let (mut names, mut after) = (Vec::new(), 0);
    loop {
        let tables = catalog.tables(after, PAGE)?;
        let Some(last) = tables.last() else { break };
        after = last.key;
        names.extend(tables.into_iter().map(|t| t.name));
    }
    let near = tabletalk_sql::suggestion(name, names.iter().map(String::as_str));
    let hint = near.unwrap_or_else(|| "`tabletalk tables` lists what there is".to_owned());
    Ok(Error::missing(format!("there is no table `{name}`")).hint(hint))
}

/// A node.
pub fn node(node: &Node) -> Value {
    let mut value = serde_json::to_value(node).unwrap_or_default();
    value["place"] = place(&node.place);
    value
}

/// A document, without what is in it.
pub fn record(r: &Record) -> Value {
    json!({
        "id": r.id, "name": r.name, "source": r.source, "source_id": r.source_id, "title": r.title,
        "hash": r.hash, "tables": r.tables, "fields": r.fields, "report": r.report,
    })
}

/// A table, without its rows.
pub fn table(t: &StoredTable) -> Value {
    let mut value = json!({
        "id": t.id, "name": t.name, "document": t.file, "source_id": t.source_id,
        "rows": t.rows, "columns": t.table.columns, "title": t.table.title(),
        "place": place(&t.table.place), "header_rows": t.table.header_rows, "row_headers": t.table.row_headers,
    });
    if let Some(home) = &t.table.home {
        value["home"] = json!(home);
    }
    value
}

/// A place, with its short form.
pub fn place(place: &Place) -> Value {
    let mut value = serde_json::to_value(place).unwrap_or_default();
    value["text"] = json!(place.to_string());
    value
}

/// The groups, and how many nodes each has.
pub fn groups(library: &Library) -> Result<Vec<Value>> {
    let one = |group: &tabletalk_engine::Definition| {
        let nodes = count(library, &group.name)?;
        // What programs are run, and where they are, is for those who configure them.
        let transform = match group.transform.program() {
            Some(_) => json!({"type": "command"}),
            None => json!(group.transform),
        };
        Ok(json!({"name": group.name, "parent": group.parent, "transform": transform, "nodes": nodes}))
    };
    library.groups().all().iter().map(one).collect()
}

/// How many nodes a group has: kept ones are counted, those of tables follow from the tables.
fn count(library: &Library, name: &str) -> Result<u64> {
    let catalog = library.store().catalog()?;
    let [documents, tables, rows, columns] = catalog.counts()?;
    Ok(match name {
        "root" => documents,
        "table" => tables,
        "row" => rows,
        "schema" | "column" => columns,
        "cell" => distinct_values(&catalog)?,
        _ => catalog.node_counts()?.into_iter().find(|n| n.0 == name).map_or(0, |n| n.1),
    })
}

fn distinct_values(catalog: &Catalog) -> Result<u64> {
    let (mut sum, mut after) = (0, 0);
    loop {
        let tables = catalog.tables(after, PAGE)?;
        let Some(last) = tables.last() else { return Ok(sum) };
        after = last.key;
        let columns = tables.iter().flat_map(|t| &t.table.columns);
        sum += columns.filter_map(|c| c.stats.as_ref()).map(|s| s.distinct).sum::<u64>();
    }
}

/// An answer.
pub fn answer(answer: &Answer) -> Value {
    let mut value = serde_json::to_value(answer).unwrap_or_default();
    if let Some(program) = &answer.program {
        value["program"]["chart"] = json!(chart::shapes(&program.result));
    }
    for (shown, citation) in value["citations"].as_array_mut().into_iter().flatten().zip(&answer.citations) {
        shown["place"] = place(&citation.place);
    }
    value
}

/// What a statement gave.
pub fn ran(ran: &Ran) -> Value {
    let mut value = json!({
        "columns": ran.columns,
        "rows": ran.rows.iter().map(|row| row.iter().map(json_cell).collect()).collect::<Vec<Value>>(),
        "truncated": ran.truncated,
        "rows_read": ran.rows_read,
        "rows_total": ran.rows_total,
        "used": ran.used,
        "ms": ran.ms,
    });
    if !ran.shipped.is_empty() {
        value["shipped"] = json!(ran.shipped);
    }
    value
}

/// Numbers and truth as such, everything else as text.
fn json_cell(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(v) => json!(v),
        Cell::Decimal(v) => json!(v),
        Cell::Boolean(v) => json!(v),
        other => json!(other.to_string()),
    }
}

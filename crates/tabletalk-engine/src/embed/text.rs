//! What is embedded of a node.

use super::{Route, Settings};
use crate::group::{Definition, Transform, table, tokens};
use crate::index;
use crate::take;
use tabletalk_core::{Batch, Column, Result};
use tabletalk_store::distinct::Distinct;
use tabletalk_store::embedding::{Hash, Piece, hash};
use tabletalk_store::{Catalog, StoredTable, data};

/// Raised when the texts made here change, so that vectors are made again.
pub(super) const VERSION: u32 = 1;
/// The part of a piece of a table, one in this many, that its title and column names may take.
const HEAD: usize = 2;
/// Tokens that title and column names may take before a row.
const ROW_HEAD: usize = 48;
/// A column with more than this share of distinct values says little by any of them.
const NEARLY_UNIQUE: f64 = 0.9;
/// Under so many rows a column is not called nearly unique.
const FEW_ROWS: u64 = 100;

/// A text to embed, and the node it is a piece of.
pub(super) struct Text {
    owner: i64,
    part: u64,
    pub(super) text: String,
    cell: Option<Distinct>,
}

impl Text {
    fn new(owner: i64, part: u64, text: String) -> Text {
        Text { owner, part, text, cell: None }
    }

    pub(super) fn piece(&self, hash: Hash) -> Piece {
        Piece { owner: self.owner, part: self.part, hash, cell: self.cell.clone() }
    }
}

/// The texts to embed for the nodes of a group in a document.
pub(super) fn texts(
    catalog: &Catalog,
    group: &Definition,
    document: i64,
    settings: &Settings,
) -> Result<Vec<Text>> {
    if group.transform.is_kept() {
        return of_nodes(catalog, group, document);
    }
    let mut texts = Vec::new();
    for stored in catalog.tables_of(document)? {
        texts.extend(of_stored(&stored, group, settings)?);
    }
    Ok(texts)
}

/// The texts to embed for the nodes of a group in a table.
fn of_stored(stored: &StoredTable, group: &Definition, settings: &Settings) -> Result<Vec<Text>> {
    let mut texts = match group.transform {
        Transform::Table => of_table(stored, settings)?,
        Transform::Schema => of_schema(stored),
        Transform::Cell => of_cells(stored, settings.max_encode_cell)?,
        Transform::Row => of_rows(stored, settings.max_encode_row)?,
        Transform::Column => of_columns(stored)?,
        _ => Vec::new(),
    };
    texts.retain(|t| !t.text.trim().is_empty());
    Ok(texts)
}

/// The same, for who makes their vectors now and keeps no index of them.
pub(crate) fn pieces(
    stored: &StoredTable,
    group: &Definition,
    settings: &Settings,
) -> Result<Vec<(Piece, String)>> {
    let texts = of_stored(stored, group, settings)?;
    Ok(texts.into_iter().map(|t| (t.piece(hash(&t.text)), t.text)).collect())
}

/// A chunk with the title of its document before it, where it does not say it itself.
fn of_nodes(catalog: &Catalog, group: &Definition, document: i64) -> Result<Vec<Text>> {
    let title = catalog.record_by_key(document)?.map_or(String::new(), |r| r.title);
    let nodes = catalog.nodes_of(document, Some(&group.name))?;
    let texts = nodes.iter().map(|(key, node)| Text::new(*key, 0, super::node_text(&title, &node.text)));
    Ok(texts.filter(|t| !t.text.trim().is_empty()).collect())
}

/// The signs between columns, between rows and after a title, in the writing of the table.
struct Signs {
    column: &'static str,
    row: &'static str,
    end: &'static str,
}

impl Signs {
    fn of(stored: &StoredTable) -> Signs {
        let names = format!("{} {}", stored.table.title(), table::header_line(&stored.table.columns));
        match Route::Chinese.takes(&names) {
            true => Signs { column: "，", row: "；", end: "。" },
            false => Signs { column: ", ", row: "; ", end: ". " },
        }
    }
}

/// What a table is called and what its columns are called, in at most so many tokens.
fn head(stored: &StoredTable, signs: &Signs, most: usize) -> String {
    let mut title = stored.table.title().to_owned();
    if let Some(sheet) = stored.table.place.sheet.as_deref().filter(|s| !title.contains(s)) {
        title = format!("{title} {sheet}").trim().to_owned();
    }
    for line in [stored.table.context.as_str(), stored.file.as_str()] {
        if title.is_empty() {
            title = line.to_owned();
        }
    }
    title.truncate(tokens::head(&title, most / 2));
    let names: Vec<&str> = stored.table.columns.iter().map(|c| c.name.as_str()).collect();
    let mut names = names.join(signs.column);
    names.truncate(tokens::head(&names, most.saturating_sub(tokens::count(&title))));
    let parts: Vec<String> = [title, names].into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(signs.end) + signs.end
}

/// A table in pieces: each begins with what the table and its columns are called, then come rows.
fn of_table(stored: &StoredTable, settings: &Settings) -> Result<Vec<Text>> {
    let signs = Signs::of(stored);
    let head = head(stored, &signs, settings.table_tokens / HEAD);
    let room = settings.table_tokens.saturating_sub(tokens::count(&head)).max(1);
    let mut pieces: Vec<String> = vec![head.clone()];
    let mut used = 0;
    for row in rows(stored, settings.table_tokens * settings.table_pieces, signs.column)? {
        let size = tokens::count(&row);
        if used > 0 && used + size > room {
            if pieces.len() >= settings.table_pieces.max(1) {
                break;
            }
            pieces.push(head.clone());
            used = 0;
        }
        if let Some(last) = pieces.last_mut() {
            if used > 0 {
                last.push_str(signs.row);
            }
            last.push_str(&row);
        }
        used += size;
    }
    Ok(pieces.into_iter().enumerate().map(|(i, text)| Text::new(stored.key, i as u64, text)).collect())
}

/// At most so many rows of a table, as text, without empty cells.
fn rows(stored: &StoredTable, most: usize, sign: &str) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for batch in data::open(&stored.table.columns, &stored.data, None)? {
        let batch = batch?;
        rows.extend((0..batch.len().min(most - rows.len())).map(|i| row(&batch, i, sign)));
        if rows.len() >= most {
            break;
        }
    }
    Ok(rows)
}

fn row(batch: &Batch, i: usize, sign: &str) -> String {
    let cells = batch.columns.iter().map(|cells| cells.text(i));
    cells.filter(|cell| !cell.trim().is_empty()).collect::<Vec<_>>().join(sign)
}

fn of_schema(stored: &StoredTable) -> Vec<Text> {
    let columns = stored.table.columns.iter().enumerate();
    columns.map(|(c, column)| Text::new(stored.key, index::part(c, 0), column.name.clone())).collect()
}

fn of_rows(stored: &StoredTable, most: usize) -> Result<Vec<Text>> {
    let signs = Signs::of(stored);
    let head = head(stored, &signs, ROW_HEAD);
    let text = |(i, row): (usize, String)| Text::new(stored.key, i as u64, format!("{head}{row}"));
    Ok(rows(stored, most, signs.column)?.into_iter().enumerate().map(text).collect())
}

fn of_columns(stored: &StoredTable) -> Result<Vec<Text>> {
    let mut texts = Vec::new();
    for c in 0..stored.table.columns.len() {
        let node = table::column(stored, c)?;
        texts.extend(node.map(|n| Text::new(stored.key, index::part(c, 0), n.text)));
    }
    Ok(texts)
}

/// From where to where columns go that have an order, then the most frequent values of a table. Values of columns that
/// are nearly unique come last.
fn of_cells(stored: &StoredTable, most: usize) -> Result<Vec<Text>> {
    let ranges = (0..stored.table.columns.len()).filter_map(|c| {
        let text = table::range(stored, c)?.text;
        Some((false, Text::new(stored.key, index::part(c, index::RANGE), text), u64::MAX))
    });
    let mut found: Vec<(bool, Text, u64)> = ranges.collect();
    for (c, values) in take::recount(&stored.table.columns, &stored.data)?.into_iter().enumerate() {
        let Some(column) = stored.table.columns.get(c) else { continue };
        let last = is_nearly_unique(values.distinct, stored.rows);
        for (rank, value) in values.take(most).enumerate() {
            let value = value?;
            let count = value.count;
            found.push((last, cell(stored, c, column, rank as u64, value), count));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.2.cmp(&a.2)));
    found.truncate(most);
    Ok(found.into_iter().map(|f| f.1).collect())
}

fn is_nearly_unique(distinct: u64, rows: u64) -> bool {
    rows > FEW_ROWS && distinct as f64 > rows as f64 * NEARLY_UNIQUE
}

fn cell(stored: &StoredTable, c: usize, column: &Column, rank: u64, value: Distinct) -> Text {
    let text = format!("{}: {}", column.name, value.text);
    Text { owner: stored.key, part: index::part(c, rank), text, cell: Some(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_columns_are_nearly_unique() {
        assert!(is_nearly_unique(950, 1000));
        assert!(!is_nearly_unique(500, 1000));
        assert!(!is_nearly_unique(20, 20));
    }
}

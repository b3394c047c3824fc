//! What a reranker reads of a hit.

use super::words::terms;
use crate::group::{table, tokens};
use tabletalk_core::{Node, Result};
use tabletalk_store::{Library, StoredTable, data};

/// Tokens of a passage.
const TOKENS: usize = 220;
/// Rows of a table that are looked at.
const ROWS: usize = 2000;

/// The text of a node; of a table, what it is called and the rows that share most words with the query.
pub(crate) fn passage(library: &Library, query: &str, node: &Node) -> Result<String> {
    let stored = match node.group.as_str() {
        "table" => stored(library, &node.id)?,
        _ => None,
    };
    match stored {
        Some(stored) => of_table(library, query, &stored),
        None => Ok(node.text.clone()),
    }
}

fn stored(library: &Library, id: &str) -> Result<Option<StoredTable>> {
    let catalog = library.catalog()?;
    let Some(record) = catalog.record(tabletalk_core::node::document_of(id))? else { return Ok(None) };
    Ok(catalog.tables_of(record.key)?.into_iter().find(|t| t.id == id))
}

fn of_table(library: &Library, query: &str, stored: &StoredTable) -> Result<String> {
    let analyzer = library.keyword().analyzer();
    let asked = terms(analyzer, query);
    let mut rows: Vec<(usize, String)> = Vec::new();
    for batch in data::open(&stored.table.columns, &stored.data, None)? {
        let batch = batch?;
        for i in 0..batch.len().min(ROWS - rows.len()) {
            let row = table::row_text(&batch, i);
            rows.push((terms(analyzer, &row).intersection(&asked).count(), row));
        }
        if rows.len() >= ROWS {
            break;
        }
    }
    rows.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    let mut text = stored.table.title().to_owned();
    table::push_line(&mut text, &table::header_line(&stored.table.columns));
    let mut left = TOKENS.saturating_sub(tokens::count(&text));
    for (_, row) in rows {
        let size = tokens::count(&row);
        if size > left {
            break;
        }
        left -= size;
        table::push_line(&mut text, &row);
    }
    Ok(text)
}

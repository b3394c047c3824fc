//! What a model can do: run a program, look for columns, look for cells.

use super::relations::Tables;
use crate::recall::{Filter, Recall, Retriever, Similarity};
use tabletalk_core::{Hit, Result};
use tabletalk_sql::{Ran, Sandbox, Stop};

/// Rows of a result that are told to a model.
const TOLD_ROWS: usize = 20;
/// The most characters of a cell that are told.
const TOLD_CHARS: usize = 200;

/// The tools, over the tables that were found.
pub(crate) struct Tools<'a> {
    pub(crate) recall: &'a Recall<'a>,
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) relations: Tables<'a>,
    pub(crate) filters: Vec<Filter>,
    pub(crate) names: Vec<String>,
    pub(crate) top_k: usize,
    pub(crate) stop: Stop,
}

impl Tools<'_> {
    /// Runs a program.
    pub(crate) fn run(&self, sql: &str) -> Result<Ran> {
        self.sandbox.run(&self.relations, sql, &self.stop)
    }

    /// The columns nearest to words, a line each.
    pub(crate) fn columns(&self, words: &str) -> Result<String> {
        self.look_up("schema", words)
    }

    /// The cells nearest to words, a line each.
    pub(crate) fn cells(&self, words: &str) -> Result<String> {
        self.look_up("cell", words)
    }

    fn look_up(&self, group: &str, words: &str) -> Result<String> {
        let lines = self.find(group, words)?;
        Ok(if lines.is_empty() { "Nothing was found.".into() } else { lines.join("\n") })
    }

    fn find(&self, group: &str, words: &str) -> Result<Vec<String>> {
        let line = |hit: Hit| {
            let table = hit.node.fields.get("table").and_then(|t| t.as_str()).unwrap_or_default();
            format!("\"{table}\" {}", short(&hit.node.text))
        };
        Ok(self.hits(group, words, None)?.into_iter().map(line).collect())
    }

    /// The best columns or cells for words, in one of the tables that were found or in all.
    pub(crate) fn hits(&self, group: &str, words: &str, table: Option<&str>) -> Result<Vec<Hit>> {
        let retriever = Retriever {
            group: group.into(),
            target: Some(group.into()),
            similarity: Similarity::Bm25,
            topk: self.top_k.saturating_mul(4),
            filters: self.filters.clone(),
            ..Retriever::default()
        };
        let is_wanted = |hit: &Hit| {
            let name = hit.node.fields.get("table").and_then(|t| t.as_str());
            name.is_some_and(|name| table.map_or_else(|| self.names.iter().any(|n| n == name), |t| t == name))
        };
        let hits = self.recall.search(words, &retriever)?.hits;
        Ok(hits.into_iter().filter(is_wanted).take(self.top_k).collect())
    }

    /// A result in the words a model is told.
    pub(crate) fn told(&self, ran: &Ran) -> String {
        let names: Vec<&str> = ran.columns.iter().map(|c| c.name.as_str()).collect();
        let mut text = format!("The result has {} rows.\n{}\n", ran.rows.len(), names.join(" | "));
        for row in ran.rows.iter().take(TOLD_ROWS) {
            let cells: Vec<String> = row.iter().map(|cell| short(&cell.to_string())).collect();
            text.push_str(&cells.join(" | "));
            text.push('\n');
        }
        if ran.rows.is_empty() {
            text.push_str("No row fits: check the values of the conditions, with `Cells:` if need be.");
        }
        text
    }
}

fn short(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(TOLD_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

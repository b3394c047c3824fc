//! A question made into likely names of columns and likely values, and what those find.

use crate::answer::recall::Found;
use crate::answer::tool::Tools;
use crate::answer::trace::Trace;
use crate::answer::{Answering, LookUp};
use crate::prompt::Name;
use serde::Deserialize;
use serde_json::json;
use tabletalk_core::chat::{ChatOptions, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Hit, Result};
use tabletalk_store::StoredTable;

/// The most guesses of a kind that are looked up.
const MOST: usize = 5;
/// When guesses find no column, the first so many are shown.
const FALLBACK: usize = 8;

/// What an answer likely needs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(super) struct Guesses {
    #[serde(default)]
    pub(super) columns: Vec<String>,
    #[serde(default)]
    pub(super) values: Vec<String>,
}

/// What guesses found.
#[derive(Debug, Default)]
pub(super) struct Hits {
    columns: Vec<Hit>,
    cells: Vec<Hit>,
}

/// Asks the model; the words of the question themselves are looked up too, so a poor guess loses nothing.
pub(super) fn guess(
    context: &Answering<'_>,
    chat: &dyn Chat,
    question: &str,
    found: &Found,
    trace: &mut Trace,
    usage: &mut Usage,
) -> Result<Guesses> {
    let settings = context.settings;
    let own = Guesses { columns: vec![question.to_owned()], values: vec![question.to_owned()] };
    if !settings.expand_columns && !settings.expand_values {
        return Ok(own);
    }
    trace.step("expand", |about| {
        let table = found.stored.table.title();
        let values = [
            ("table", if table.is_empty() { found.stored.name.as_str() } else { table }),
            ("question", question),
        ];
        let options = ChatOptions { max_tokens: 160, schema: Some(schema()), ..ChatOptions::default() };
        let reply = chat.chat(&context.prompts.talk(Name::Expand, &values)?, &options, &mut |_| {})?;
        *usage += reply.usage;
        let mut made = read(&reply.text);
        about.insert("columns".into(), json!(made.columns));
        about.insert("values".into(), json!(made.values));
        made.columns.truncate(if settings.expand_columns { MOST } else { 0 });
        made.values.truncate(if settings.expand_values { MOST } else { 0 });
        made.columns.extend(own.columns);
        made.values.extend(own.values);
        Ok(made)
    })
}

fn schema() -> serde_json::Value {
    let texts = json!({"type": "array", "items": {"type": "string"}, "maxItems": MOST});
    json!({"type": "object", "properties": {"columns": texts, "values": texts}, "required": ["columns", "values"], "additionalProperties": false})
}

/// The JSON object in a reply; what cannot be read guesses nothing.
fn read(text: &str) -> Guesses {
    let inside = text.find('{').zip(text.rfind('}')).and_then(|(a, b)| text.get(a..=b));
    inside.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

/// Looks every guess up in the columns and cells of one table.
pub(super) fn look_up(
    tools: &Tools<'_>,
    table: &str,
    guesses: &Guesses,
    place: LookUp,
    trace: &mut Trace,
) -> Result<Hits> {
    trace.step("look up", |about| {
        let mut hits = Hits::default();
        for (group, words, found) in
            [("schema", &guesses.columns, &mut hits.columns), ("cell", &guesses.values, &mut hits.cells)]
        {
            for word in words.iter().filter(|_| place.takes(group)) {
                for hit in tools.hits(group, word, Some(table))? {
                    if found.iter().all(|other| other.node.id != hit.node.id) {
                        found.push(hit);
                    }
                }
            }
        }
        about.insert("table".into(), json!(table));
        about.insert("by".into(), json!(tools.look_up.name()));
        about.insert("columns".into(), json!(hits.columns.len()));
        about.insert("cells".into(), json!(hits.cells.len()));
        Ok(hits)
    })
}

impl Hits {
    /// The columns that were found or that hold a cell that was found; the first ones when there are none.
    pub(super) fn columns(&self, stored: &StoredTable) -> Vec<usize> {
        let name = |hit: &Hit| hit.node.fields.get("column").and_then(|c| c.as_str()).map(str::to_owned);
        let named: Vec<String> = self.columns.iter().chain(&self.cells).filter_map(name).collect();
        let all = stored.table.columns.iter().enumerate();
        let found: Vec<usize> = all.filter(|(_, c)| named.contains(&c.name)).map(|(i, _)| i).collect();
        if found.is_empty() { (0..stored.table.columns.len().min(FALLBACK)).collect() } else { found }
    }

    /// The cells that were found, a line each, as many as fit.
    pub(super) fn cells_text(&self, budget: usize, count: &dyn Fn(&str) -> usize) -> String {
        let mut text = String::new();
        for hit in &self.cells {
            let line = hit.node.text.replace(['\n', '\r'], " ");
            let next = format!("{text}{line}\n");
            if count(&next) > budget {
                break;
            }
            text = next;
        }
        if text.is_empty() { text } else { format!("Values that may be meant, with their columns:\n{text}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_guesses_among_other_words() {
        let made = read("Sure! ```json\n{\"columns\": [\"price\"], \"values\": []}\n```");
        assert_eq!(made.columns, ["price"]);
        assert_eq!(read("no idea"), Guesses::default());
        assert_eq!(read("}{"), Guesses::default());
    }
}

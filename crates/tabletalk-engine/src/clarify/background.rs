//! Articles about the subject of a table, from a reference: another library, or an encyclopaedia.

use crate::excerpt::Excerpt;
use crate::prompt::one_line;
use crate::recall::{Recall, Retriever};
use tabletalk_core::Result;

/// Finds articles about something, the best first. It knows the table's title or header, and no question.
pub type Search<'a> = &'a dyn Fn(&str) -> Result<Vec<String>>;

/// Articles of another library: what a retriever finds in it.
pub fn from_library<'a>(
    recall: &'a Recall<'a>,
    retriever: &'a Retriever,
) -> impl Fn(&str) -> Result<Vec<String>> + 'a {
    move |about| {
        let hits = recall.search(about, retriever)?.hits;
        Ok(hits.into_iter().map(|hit| hit.node.text).filter(|text| !text.trim().is_empty()).collect())
    }
}

/// What a reference has on the title of a table and, failing that, on its header. A reference that fails is noted.
pub(super) fn background(table: &Excerpt, search: Search<'_>, notes: &mut Vec<String>) -> Vec<String> {
    let names: Vec<String> = table.columns.iter().map(|c| one_line(&c.name)).collect();
    for about in [one_line(&table.title), names.join(" ")] {
        if about.is_empty() {
            continue;
        }
        match search(&about) {
            Ok(articles) if articles.is_empty() => {}
            Ok(articles) => return articles,
            Err(e) => {
                notes.push(format!("no background: {e}"));
                break;
            }
        }
    }
    Vec::new()
}

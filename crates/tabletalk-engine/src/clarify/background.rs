//! Articles about the subject of a table, from a reference: another library, or an encyclopaedia.

use crate::excerpt::Excerpt;
use crate::prompt::one_line;
use crate::recall::{Recall, Retriever};
use tabletalk_core::{Citation, Node, Result};

/// Finds articles about something, the best first, each with where it stands. It knows the table's title or header, and no
/// question.
pub type Search<'a> = &'a dyn Fn(&str) -> Result<Vec<Citation>>;

/// The most characters of an article that are shown where it is cited.
const SHOWN: usize = 200;

/// Articles of another library: what a retriever finds in it.
pub fn from_library<'a>(
    recall: &'a Recall<'a>,
    retriever: &'a Retriever,
) -> impl Fn(&str) -> Result<Vec<Citation>> + 'a {
    move |about| {
        let hits = recall.search(about, retriever)?.hits.into_iter().map(|hit| hit.node);
        let article = |node: Node| Citation {
            document: node.place.file.clone(),
            id: node.id,
            place: node.place,
            text: node.text,
        };
        Ok(hits.filter(|node| !node.text.trim().is_empty()).map(article).collect())
    }
}

/// An article as it is cited: its beginning.
pub(super) fn cited(article: &Citation) -> Citation {
    let text: String = article.text.chars().take(SHOWN).collect();
    let more = if text.len() < article.text.len() { "…" } else { "" };
    Citation { text: text + more, ..article.clone() }
}

/// What a reference has on the title of a table and, failing that, on its header. A reference that fails is noted.
pub(super) fn background(table: &Excerpt, search: Search<'_>, notes: &mut Vec<String>) -> Vec<Citation> {
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

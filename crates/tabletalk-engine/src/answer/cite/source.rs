//! What is cited: a passage, a row, a table, as a whole.

use crate::answer::Answering;
use crate::answer::recall::Evidence;
use crate::answer::values::same;
use tabletalk_core::{Citation, Hit, Node, Result};
use tabletalk_store::{StoredTable, data};

/// Leaves that are cited for a summary.
const LEAVES: usize = 3;

/// The citation of a table as a whole.
pub(crate) fn table(stored: &StoredTable) -> Citation {
    Citation {
        document: stored.file.clone(),
        id: stored.id.clone(),
        place: stored.table.place.clone(),
        text: stored.table.title().to_owned(),
    }
}

/// The tables of this name; all where there is none.
pub(crate) fn called<'a>(evidence: &'a Evidence, name: &str) -> impl Iterator<Item = &'a StoredTable> {
    let is_meant = move |stored: &&StoredTable| {
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        name.is_empty() || is(&stored.name) || is(&stored.file) || is(stored.table.title())
    };
    evidence.tables.iter().map(|found| &found.stored).filter(is_meant)
}

/// The row that a model named, with its number and what stands in it.
pub(crate) fn row<'a>(evidence: &'a Evidence, place: &str) -> Result<Option<(&'a StoredTable, u64, String)>> {
    let Some((name, row)) = named_row(place) else { return Ok(None) };
    for stored in called(evidence, name) {
        let names = stored.table.columns.iter().map(|c| c.name.as_str());
        if let Some(texts) = texts_of_row(stored, row)? {
            let cells = names.zip(&texts).filter(|(_, text)| !text.is_empty());
            let text = cells.map(|(name, text)| format!("{name}: {text}")).collect::<Vec<_>>().join("; ");
            return Ok(Some((stored, row, text)));
        }
    }
    Ok(None)
}

/// The table, where it is named, and the number of the row.
pub(crate) fn named_row(place: &str) -> Option<(&str, u64)> {
    let place = place.trim();
    let (name, row) = match place.rsplit_once('!') {
        Some((name, cell)) => (name, cell.trim_start_matches(|c: char| c.is_ascii_alphabetic())),
        None => {
            let (rest, row) = place.rsplit_once(char::is_whitespace)?;
            let at = rest.len().checked_sub("row".len())?;
            let (name, word) = (rest.get(..at)?, rest.get(at..)?);
            word.eq_ignore_ascii_case("row").then_some((name, row))?
        }
    };
    Some((name.trim().trim_matches(['"', ',', ' ']), row.parse().ok()?))
}

pub(crate) fn cell_of_row(stored: &StoredTable, row: u64, value: &str) -> Result<Option<(usize, String)>> {
    let texts = texts_of_row(stored, row)?.unwrap_or_default().into_iter().enumerate();
    Ok(texts.into_iter().find(|(_, text)| !text.is_empty() && same(text, value)))
}

fn texts_of_row(stored: &StoredTable, row: u64) -> Result<Option<Vec<String>>> {
    for batch in data::open(&stored.table.columns, &stored.data, None)? {
        let batch = batch?;
        if let Some(i) = batch.rows.iter().position(|r| *r == row) {
            return Ok(Some(batch.columns.iter().map(|cells| cells.text(i).into_owned()).collect()));
        }
    }
    Ok(None)
}

/// Whether a text holds a value as words of its own: 42 does not stand in 142.
pub(crate) fn holds(text: &str, value: &str) -> bool {
    let (text, value) = (text.to_lowercase(), value.to_lowercase());
    let is_open = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    let stands = |at: usize| {
        is_open(text.get(..at).and_then(|head| head.chars().next_back()))
            && is_open(text.get(at + value.len()..).and_then(|tail| tail.chars().next()))
    };
    !value.is_empty() && text.match_indices(&value).any(|(at, _)| stands(at))
}

pub(crate) fn is_summary(node: &Node) -> bool {
    !crate::raptor::children(node).is_empty()
}

/// The citations of a passage: itself, or for a summary the leaves below it that share most words with the question.
pub(crate) fn passages(context: &Answering<'_>, hit: &Hit, question: &str) -> Result<Vec<Citation>> {
    if !is_summary(&hit.node) {
        return Ok(vec![whole(hit)]);
    }
    let mut leaves = context.recall.leaves(&hit.node)?;
    let analyzer = context.recall.library.keyword().analyzer();
    let words: Vec<String> = analyzer.query(question).into_iter().map(|t| t.text).collect();
    leaves.sort_by_cached_key(|leaf| {
        let own: std::collections::HashSet<String> =
            analyzer.query(&leaf.text).into_iter().map(|t| t.text).collect();
        std::cmp::Reverse(words.iter().filter(|w| own.contains(*w)).count())
    });
    Ok(leaves.iter().take(LEAVES).map(of_node).collect())
}

/// The citation of a node as a whole.
pub(crate) fn whole(hit: &Hit) -> Citation {
    of_node(&hit.node)
}

pub(crate) fn of_node(node: &Node) -> Citation {
    Citation {
        document: node.place.file.clone(),
        id: node.id.clone(),
        place: node.place.clone(),
        text: node.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_named_in_several_ways() {
        assert_eq!(named_row("row 4"), Some(("", 4)));
        assert_eq!(named_row("\"cities\" row 4"), Some(("cities", 4)));
        assert_eq!(named_row("cities.csv!A4"), Some(("cities.csv", 4)));
        assert_eq!(named_row("notes.md:3"), None);
        assert_eq!(named_row("row"), None);
    }

    #[test]
    fn a_value_stands_in_a_text_as_words_of_its_own() {
        assert!(holds("It opens in May.", "may") && holds("共42人", "42"));
        assert!(!holds("142 of them", "42") && !holds("Mayor", "May") && !holds("text", ""));
    }
}

//! What supports the answer of a model: the result of its program, or the cells and passages that it named. A cell that
//! only happens to hold the same supports nothing.

use super::cite::{cell_citation, cite};
use super::model::Evidence;
use super::solve::Solved;
use super::values::same;
use super::write::Writer;
use super::{Answering, prose};
use tabletalk_core::{Answer, Basis, Citation, Grid, Hit, Node, Outcome, Program, Result};
use tabletalk_sql::Ran;
use tabletalk_store::{StoredTable, data};

/// How sure an answer is that a program computed, before agreement counts.
const COMPUTED: f32 = 0.8;
/// How sure an answer is that was read off cells or passages.
const READ: f32 = 0.65;
/// Rows of a program's result that are kept in the answer.
pub(super) const KEPT_ROWS: usize = 100;

/// Leaves that are cited for a summary.
const LEAVES: usize = 3;

/// The answer, with what it rests on.
pub(super) fn answer(
    desk: &Answering<'_>,
    question: &str,
    evidence: &Evidence,
    solved: &Solved,
    votes: f32,
) -> Result<Answer> {
    let program = solved.program.as_ref().map(|(sql, ran)| program(sql, ran));
    if solved.values.is_empty() {
        let answer = "what was found does not hold the answer".into();
        return Ok(Answer { answer, program, ..Answer::default() });
    }
    let (basis, citations, sure) = support(desk, evidence, solved)?;
    if citations.is_empty()
        && let Some(answer) = prose::answer(desk, question, evidence, solved, votes)?
    {
        return Ok(Answer { program, ..answer });
    }
    if citations.is_empty() {
        let said = solved.values.join(", ");
        let answer = format!("nothing that was found supports what the model said: {said}");
        return Ok(Answer { answer, program, ..Answer::default() });
    }
    Ok(Answer {
        outcome: Outcome::Answered,
        answer: solved.values.join(", "),
        values: solved.values.clone(),
        confidence: sure * votes,
        basis,
        citations,
        program: program.filter(|_| basis == Basis::Program),
        ..Answer::default()
    })
}

/// A program that ran, as it is shown.
pub(super) fn program(sql: &str, ran: &Ran) -> Program {
    let writer = Writer { column: None };
    let row = |row: &Vec<tabletalk_sql::Cell>| row.iter().map(|cell| writer.value(cell)).collect();
    Program {
        sql: sql.to_owned(),
        words: String::new(),
        result: Grid {
            columns: ran.columns.iter().map(|c| c.name.clone()).collect(),
            rows: ran.rows.iter().take(KEPT_ROWS).map(row).collect(),
            truncated: ran.truncated || ran.rows.len() > KEPT_ROWS,
            total: Vec::new(),
        },
        rows_read: ran.rows_read,
        rows_total: ran.rows_total,
        rows_used: ran.used.iter().map(|used| used.count).sum(),
        rows_given: ran.rows.len() as u64,
        cut: ran.truncated,
    }
}

fn support(
    desk: &Answering<'_>,
    evidence: &Evidence,
    solved: &Solved,
) -> Result<(Basis, Vec<Citation>, f32)> {
    if let Some((_, ran)) = &solved.program
        && solved.values.iter().all(|value| is_in(ran, value))
    {
        return Ok((Basis::Program, cite(desk.recall.library, ran)?, COMPUTED));
    }
    let mut citations = Vec::new();
    for (value, place) in solved.values.iter().zip(&solved.places).filter(|(_, place)| !place.is_empty()) {
        citations.extend(match cell(evidence, value, place)? {
            Some(found) => Some(found),
            None => passage(desk, evidence, value, place)?,
        });
    }
    match citations.len() == solved.values.len() {
        true => Ok((Basis::Reading, citations, READ)),
        false => Ok((Basis::Reading, Vec::new(), 0.0)),
    }
}

/// Whether a result holds a value. What a statement says itself, no row of a table does.
fn is_in(ran: &Ran, value: &str) -> bool {
    let cells = ran.rows.iter().flat_map(|row| row.iter().zip(&ran.columns));
    cells.filter(|(_, column)| !column.is_constant).any(|(cell, _)| same(&cell.to_string(), value))
}

/// The cell of the row that a model named, if it says this: `row 4`, `cities row 4`, `cities.csv!A4`.
fn cell(evidence: &Evidence, value: &str, place: &str) -> Result<Option<Citation>> {
    let Some((name, row)) = named_row(place) else { return Ok(None) };
    for stored in called(evidence, name) {
        if let Some((column, text)) = cell_of_row(stored, row, value)? {
            return Ok(Some(cell_citation(stored, row, column, text)));
        }
    }
    Ok(None)
}

/// The tables of this name; all where there is none.
fn called<'a>(evidence: &'a Evidence, name: &str) -> impl Iterator<Item = &'a StoredTable> {
    let is_meant = move |stored: &&StoredTable| {
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        name.is_empty() || is(&stored.name) || is(&stored.file) || is(stored.table.title())
    };
    evidence.tables.iter().map(|found| &found.stored).filter(is_meant)
}

/// The row that a model named, with its number and what stands in it.
pub(super) fn row<'a>(evidence: &'a Evidence, place: &str) -> Result<Option<(&'a StoredTable, u64, String)>> {
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
fn named_row(place: &str) -> Option<(&str, u64)> {
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

fn cell_of_row(stored: &StoredTable, row: u64, value: &str) -> Result<Option<(usize, String)>> {
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

/// The passage that a model named, if it holds this, word for word. Below a summary it is a leaf that holds it, or else
/// the one that shares most words with it.
fn passage(desk: &Answering<'_>, evidence: &Evidence, value: &str, place: &str) -> Result<Option<Citation>> {
    let holds = |node: &Node| holds(&node.text, value);
    let is_named = |hit: &&Hit| hit.node.place.to_string() == place && holds(&hit.node);
    let Some(hit) = evidence.passages.iter().find(is_named) else { return Ok(None) };
    if !is_summary(&hit.node) {
        return Ok(Some(whole(hit)));
    }
    let leaf = desk.recall.leaves(&hit.node)?.into_iter().find(holds);
    match leaf {
        Some(leaf) => Ok(Some(of_node(&leaf))),
        None => Ok(passages(desk, hit, value)?.into_iter().next()),
    }
}

/// Whether a text holds a value as words of its own: 42 does not stand in 142.
pub(super) fn holds(text: &str, value: &str) -> bool {
    let (text, value) = (text.to_lowercase(), value.to_lowercase());
    let is_open = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    let stands = |at: usize| {
        is_open(text.get(..at).and_then(|head| head.chars().next_back()))
            && is_open(text.get(at + value.len()..).and_then(|tail| tail.chars().next()))
    };
    !value.is_empty() && text.match_indices(&value).any(|(at, _)| stands(at))
}

pub(super) fn is_summary(node: &Node) -> bool {
    !crate::raptor::children(node).is_empty()
}

/// The citations of a passage: itself, or for a summary the leaves below it that share most words with the question.
pub(super) fn passages(desk: &Answering<'_>, hit: &Hit, question: &str) -> Result<Vec<Citation>> {
    if !is_summary(&hit.node) {
        return Ok(vec![whole(hit)]);
    }
    let mut leaves = desk.recall.leaves(&hit.node)?;
    let analyzer = desk.recall.library.keyword().analyzer();
    let words: Vec<String> = analyzer.query(question).into_iter().map(|t| t.text).collect();
    leaves.sort_by_cached_key(|leaf| {
        let own: std::collections::HashSet<String> =
            analyzer.query(&leaf.text).into_iter().map(|t| t.text).collect();
        std::cmp::Reverse(words.iter().filter(|w| own.contains(*w)).count())
    });
    Ok(leaves.iter().take(LEAVES).map(of_node).collect())
}

/// The citation of a node as a whole.
pub(super) fn whole(hit: &Hit) -> Citation {
    of_node(&hit.node)
}

pub(super) fn of_node(node: &Node) -> Citation {
    Citation {
        document: node.place.file.clone(),
        id: node.id.clone(),
        place: node.place.clone(),
        text: node.text.clone(),
    }
}

/// Everything that was shown: what a verdict without a program rests on.
pub(super) fn all(desk: &Answering<'_>, evidence: &Evidence, question: &str) -> Result<Vec<Citation>> {
    let mut all: Vec<Citation> = evidence.tables.iter().map(|t| table(&t.stored)).collect();
    for hit in &evidence.passages {
        all.extend(passages(desk, hit, question)?);
    }
    Ok(all)
}

/// The citation of a table as a whole.
pub(super) fn table(stored: &StoredTable) -> Citation {
    Citation {
        document: stored.file.clone(),
        id: stored.id.clone(),
        place: stored.table.place.clone(),
        text: stored.table.title().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Kind;
    use tabletalk_sql::{Cell, Output};

    #[test]
    fn a_constant_of_the_statement_supports_nothing() {
        let output = |is_constant| Output { name: "n".into(), kind: Kind::Integer, is_constant };
        let ran = |is_constant| Ran {
            columns: vec![output(is_constant)],
            rows: vec![vec![Cell::Integer(42)]],
            ..Ran::default()
        };
        assert!(is_in(&ran(false), "42") && !is_in(&ran(true), "42"));
    }

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

//! What supports the answer of a model: the result of its program, cells, or passages. Without any there is none.

use super::Answering;
use super::cite::{cell_citation, cite};
use super::model::Evidence;
use super::solve::Solved;
use super::values::same;
use tabletalk_core::{Answer, Basis, Citation, Grid, Hit, Node, Outcome, Program, Result};
use tabletalk_sql::Ran;
use tabletalk_store::{StoredTable, data};

/// How sure an answer is that a program computed, before agreement counts.
const COMPUTED: f32 = 0.8;
/// How sure an answer is that was read off cells or passages.
const READ: f32 = 0.65;
/// Tables of more rows are not looked through for a value that a model gave without a program.
const LOOKED_THROUGH: u64 = 20_000;
/// Rows of a program's result that are kept in the answer.
const KEPT_ROWS: usize = 100;

/// Leaves that are cited for a summary.
const LEAVES: usize = 3;

/// The answer, with what it rests on.
pub(super) fn answer(
    desk: &Answering<'_>,
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
    let row = |row: &Vec<tabletalk_sql::Cell>| row.iter().map(|cell| cell.to_string()).collect();
    Program {
        sql: sql.to_owned(),
        words: String::new(),
        result: Grid {
            columns: ran.columns.iter().map(|c| c.name.clone()).collect(),
            rows: ran.rows.iter().take(KEPT_ROWS).map(row).collect(),
            truncated: ran.truncated || ran.rows.len() > KEPT_ROWS,
        },
        rows_read: ran.rows_read,
        rows_total: ran.rows_total,
        rows_used: ran.used.iter().map(|used| used.count).sum(),
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
    for value in &solved.values {
        let found = match cell(evidence, value)? {
            Some(found) => Some(found),
            None => passage(desk, evidence, value)?,
        };
        match found {
            Some(found) => citations.push(found),
            None => return Ok((Basis::Reading, Vec::new(), 0.0)),
        }
    }
    Ok((Basis::Reading, citations, READ))
}

fn is_in(ran: &Ran, value: &str) -> bool {
    ran.rows.iter().flatten().any(|cell| same(&cell.to_string(), value))
}

/// The first cell of the tables that were found that says this.
fn cell(evidence: &Evidence, value: &str) -> Result<Option<Citation>> {
    for found in evidence.tables.iter().filter(|t| t.stored.rows <= LOOKED_THROUGH) {
        if let Some((row, column, text)) = find_cell(&found.stored, value)? {
            return Ok(Some(cell_citation(&found.stored, row, column, text)));
        }
    }
    Ok(None)
}

fn find_cell(stored: &StoredTable, value: &str) -> Result<Option<(u64, usize, String)>> {
    for batch in data::open(&stored.table.columns, &stored.data, None)? {
        let batch = batch?;
        for (i, row) in batch.rows.iter().enumerate() {
            for (column, cells) in batch.columns.iter().enumerate() {
                let text = cells.text(i);
                if !text.is_empty() && same(&text, value) {
                    return Ok(Some((*row, column, text.into_owned())));
                }
            }
        }
    }
    Ok(None)
}

/// The first passage that holds this, word for word. Below a summary it is a leaf that holds it, or else
/// the one that shares most words with it.
fn passage(desk: &Answering<'_>, evidence: &Evidence, value: &str) -> Result<Option<Citation>> {
    let wanted = value.to_lowercase();
    let holds = |node: &Node| node.text.to_lowercase().contains(&wanted);
    let Some(hit) = evidence.passages.iter().find(|hit| holds(&hit.node)) else { return Ok(None) };
    if !is_summary(&hit.node) {
        return Ok(Some(whole(hit)));
    }
    let leaf = desk.recall.leaves(&hit.node)?.into_iter().find(holds);
    match leaf {
        Some(leaf) => Ok(Some(of_node(&leaf))),
        None => Ok(passages(desk, hit, value)?.into_iter().next()),
    }
}

fn is_summary(node: &Node) -> bool {
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

fn of_node(node: &Node) -> Citation {
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

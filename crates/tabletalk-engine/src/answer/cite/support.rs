//! What supports the answer of a model: the result of its program, or the cells and passages that it named. A cell that
//! only happens to hold the same supports nothing.

use super::source::{called, cell_of_row, holds, is_summary, named_row, of_node, passages, table, whole};
use super::{cell_citation, cite, prose};
use crate::answer::Answering;
use crate::answer::propose::solve::Solved;
use crate::answer::recall::Evidence;
use crate::answer::run::program;
use crate::answer::values::same;
use tabletalk_core::{Answer, Basis, Citation, Hit, Node, Outcome, Result, Verdict};
use tabletalk_sql::Ran;

/// How sure an answer or verdict is that a program computed, before agreement counts.
const COMPUTED: f32 = 0.8;
/// How sure an answer is that was read off cells or passages.
const READ: f32 = 0.65;
/// How sure a verdict is that was read off them.
const JUDGED: f32 = 0.6;

/// The answer, with what it rests on.
pub(crate) fn answer(
    context: &Answering<'_>,
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
    let (basis, citations, sure) = support(context, evidence, solved)?;
    if citations.is_empty()
        && let Some(answer) = prose::answer(context, question, evidence, solved, votes)?
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

fn support(
    context: &Answering<'_>,
    evidence: &Evidence,
    solved: &Solved,
) -> Result<(Basis, Vec<Citation>, f32)> {
    if let Some((_, ran)) = &solved.program
        && solved.values.iter().all(|value| is_in(ran, value))
    {
        return Ok((Basis::Program, cite(context.recall.library, ran)?, COMPUTED));
    }
    let mut citations = Vec::new();
    for (value, place) in solved.values.iter().zip(&solved.places).filter(|(_, place)| !place.is_empty()) {
        citations.extend(match cell(evidence, value, place)? {
            Some(found) => Some(found),
            None => passage(context, evidence, value, place)?,
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

/// The passage that a model named, if it holds this, word for word. Below a summary it is a leaf that holds it, or else
/// the one that shares most words with it.
fn passage(
    context: &Answering<'_>,
    evidence: &Evidence,
    value: &str,
    place: &str,
) -> Result<Option<Citation>> {
    let holds = |node: &Node| holds(&node.text, value);
    let is_named = |hit: &&Hit| hit.node.place.to_string() == place && holds(&hit.node);
    let Some(hit) = evidence.passages.iter().find(is_named) else { return Ok(None) };
    if !is_summary(&hit.node) {
        return Ok(Some(whole(hit)));
    }
    let leaf = context.recall.leaves(&hit.node)?.into_iter().find(holds);
    match leaf {
        Some(leaf) => Ok(Some(of_node(&leaf))),
        None => Ok(passages(context, hit, value)?.into_iter().next()),
    }
}

/// Everything that was shown: what a verdict without a program rests on.
fn all(context: &Answering<'_>, evidence: &Evidence, question: &str) -> Result<Vec<Citation>> {
    let mut all: Vec<Citation> = evidence.tables.iter().map(|t| table(&t.stored)).collect();
    for hit in &evidence.passages {
        all.extend(passages(context, hit, question)?);
    }
    Ok(all)
}

/// A verdict, with what it rests on.
pub(crate) fn verdict(
    context: &Answering<'_>,
    statement: &str,
    evidence: &Evidence,
    solved: &Solved,
    verdict: Verdict,
    votes: f32,
) -> Result<Answer> {
    let ran = solved.program.as_ref().filter(|(_, ran)| ran.columns.iter().any(|c| !c.is_constant));
    let (sure, basis, citations) = match ran {
        Some((_, ran)) => (COMPUTED, Basis::Program, cite(context.recall.library, ran)?),
        None => (JUDGED, Basis::Reading, all(context, evidence, statement)?),
    };
    Ok(Answer {
        outcome: Outcome::Answered,
        answer: verdict.name().to_owned(),
        values: vec![verdict.name().to_owned()],
        verdict: Some(verdict),
        confidence: sure * votes,
        basis,
        citations,
        program: ran.map(|(sql, ran)| program(sql, ran)),
        ..Answer::default()
    })
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
}

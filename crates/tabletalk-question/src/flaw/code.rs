//! Ids and codes in place of what they stand for.

use super::thing::given;
use crate::analyse::Question;
use crate::candidate::{Candidate, Found};
use crate::grid::{Grid, Measure};
use crate::program::{Ask, Pick, Program};
use crate::word::Word;
use tabletalk_core::Kind;

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    gives_ids(program, question, grid) || orders_codes(program, question, grid)
}

/// Whether it gives numbers such as `room_id`, which stand for rows of another table, though nobody asked for numbers.
fn gives_ids(program: &Program, question: &Question, grid: &Grid) -> bool {
    let is_id = |column: usize| {
        let Some(field) = grid.columns.get(column) else { return false };
        let named = field.words.len() > 1 && field.words.iter().any(|w| IDS.contains(&w.text.as_str()));
        field.kind == Kind::Integer && !field.is_key() && named || grid.references.contains(&column)
    };
    given(program).into_iter().any(is_id) && !asks_ids(&question.words)
}

const IDS: [&str; 6] = ["id", "fk", "nr", "no", "编号", "key"];

/// Whether numbers or codes are asked for: `order number`, but not `number of orders`.
pub(crate) fn asks_ids(words: &[Word]) -> bool {
    const COUNTED: [&str; 12] = [
        "by", "the", "a", "total", "highest", "largest", "lowest", "smallest", "average", "in", "what", "and",
    ];
    let text = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |w| w.text.as_str());
    let counts = |at: usize| {
        let before = text(at.checked_sub(1));
        text(Some(at + 1)) == "of" && (at == 0 || COUNTED.contains(&before))
    };
    let is = |(at, word): (usize, &Word)| match word.text.as_str() {
        "number" => !counts(at),
        text => IDS.contains(&text) || matches!(text, "ids" | "nummer" | "numero" | "code" | "codes"),
    };
    words.iter().enumerate().any(is) || words.windows(2).any(|w| w[0].text == "编" && w[1].text == "号")
}

/// Whether a number of the question was taken for that of a row, though nothing says so: the fare in 2016 is not that of
/// trip 2016.
pub(super) fn takes_ids(candidate: &Candidate, found: &Found<'_>) -> bool {
    let scope = found.scopes.get(candidate.scope);
    let links = scope.iter().flat_map(|s| &s.links).filter_map(|l| found.links.get(*l));
    let mut numbers = links.filter(|l| {
        let words = (0..found.question.words.len()).filter(|i| l.mask >> i & 1 == 1);
        let mut words = words.filter_map(|i| found.question.words.get(i));
        words.all(|w| w.number().is_some())
    });
    numbers.any(|l| {
        let column = l.condition.column;
        let named = found.names.get(column).is_some_and(|n| n.share > 0.0);
        let field = found.grid.columns.get(column);
        let is_id = found.grid.roles().is_id(found.grid, column);
        field.is_some_and(|f| f.kind == Kind::Integer && (is_id || f.is_key()) && !f.is_year()) && !named
    })
}

/// Whether rows are put in order by what only tells them apart: the longest episode is not that with the largest number.
fn orders_codes(program: &Program, question: &Question, grid: &Grid) -> bool {
    const NUMBERED: [&str; 16] = [
        "first", "last", "latest", "newest", "oldest", "earliest", "highest", "lowest", "most", "recent",
        "neueste", "letzte", "erste", "premier", "dernier", "最新",
    ];
    let Some(Pick::Extreme { column, .. }) = program.rows.pick else { return false };
    let Some(field) = grid.columns.get(column) else { return false };
    let is_code = grid.roles().is_id(grid, column) || grid.roles().is_code(grid, column) && field.is_key();
    let gives_itself = field.measure == Measure::Lead && matches!(program.ask, Ask::Cells(c) if c == column);
    let says = |w: &Word| NUMBERED.contains(&w.text.as_str());
    !asks_ids(&question.words)
        && (is_code && !question.words.iter().any(says) || gives_itself && !field.is_lead_number())
}

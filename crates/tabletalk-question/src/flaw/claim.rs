//! What is compared, and with what.

use super::others;
use crate::analyse::Question;
use crate::candidate::Found;
use crate::cue::Cue;
use crate::grid::Grid;
use crate::program::{Ask, Condition, Program, Test};

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    leaves_every(program, found)
        || turns_around(&program.ask, question)
        || compares_with_itself(program, grid)
        || denies_some(program, question, grid)
        || joins_rivals(program, question)
        || joins_subject(program, &found.question)
}

/// Whether a statement says less and the program looks whether it is more, or the other way round.
fn turns_around(ask: &Ask, question: &Question) -> bool {
    const LESS: [&str; 16] = [
        "less",
        "fewer",
        "lower",
        "smaller",
        "cheaper",
        "shorter",
        "weniger",
        "kleiner",
        "niedriger",
        "billiger",
        "moins",
        "inferieur",
        "少",
        "低",
        "小",
        "短",
    ];
    const MORE: [&str; 16] = [
        "more",
        "higher",
        "larger",
        "greater",
        "bigger",
        "longer",
        "mehr",
        "hoher",
        "grosser",
        "teurer",
        "plus",
        "superieur",
        "多",
        "高",
        "大",
        "长",
    ];
    let has = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    let (less, more) = (has(&LESS), has(&MORE));
    if less == more || question.has(&[Cue::Not]) {
        return false;
    }
    matches!(ask, Ask::Exceeds(_, up, _) | Ask::FoldExceeds(_, _, up, _) | Ask::Outnumbers(up, _) if *up == less)
}

/// Whether rows are compared with themselves.
fn compares_with_itself(program: &Program, grid: &Grid) -> bool {
    let Some(other) = others(&program.ask) else { return false };
    crate::execute::select(other, grid) == crate::execute::select(&program.rows, grid)
}

/// Whether a statement is about all rows, and the program looks whether there is one.
fn leaves_every(program: &Program, found: &Found<'_>) -> bool {
    const EVERY: [&str; 15] = [
        "every",
        "everyone",
        "everybody",
        "everything",
        "all",
        "alle",
        "allen",
        "jeder",
        "jede",
        "jedes",
        "tous",
        "toutes",
        "chaque",
        "都",
        "均",
    ];
    let asks = found.is_claim && matches!(program.ask, Ask::Exists);
    asks && found.question.words.iter().any(|w| EVERY.contains(&w.text.as_str()))
}

/// Whether two things that are set against each other are taken together: `how many more did Ann sell than Bob`.
fn joins_rivals(program: &Program, question: &Question) -> bool {
    const THAN: [&str; 4] = ["than", "als", "que", "比"];
    const MORE: [&str; 12] = [
        "more", "fewer", "less", "higher", "larger", "bigger", "better", "worse", "mehr", "weniger", "plus",
        "多",
    ];
    let says = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    let both = |c: &Condition| matches!(&c.test, Test::Is(values) if values.len() > 1);
    let together = match &program.ask {
        Ask::Count | Ask::Fold(..) | Ask::Cells(_) | Ask::Distinct(_) | Ask::Across(..) => true,
        _ => program.rows.pick.is_none() && matches!(program.ask, Ask::Share(_) | Ask::ShareOf(..)),
    };
    let is_plain = program.rows.pick.is_none();
    says(&THAN) && says(&MORE) && together && is_plain && program.rows.conditions.iter().any(both)
}

/// Whether somebody who never did something is taken for all who once did something else.
fn denies_some(program: &Program, question: &Question, grid: &Grid) -> bool {
    const NEVER: [&str; 5] = ["never", "nie", "niemals", "jamais", "从"];
    let says = question.words.iter().any(|w| NEVER.contains(&w.text.as_str()));
    // Never absent is absent on 0 days, and not on others than 0.
    let is_zero =
        |c: &Condition| matches!(&c.test, Test::Not(values) if values.iter().any(|v| v.text == "0"));
    if says && program.rows.conditions.iter().any(is_zero) {
        return true;
    }
    let Ask::Cells(column) = program.ask else { return false };
    let repeats = grid.columns.get(column).is_some_and(|f| !f.is_key());
    let denies = |c: &Condition| matches!(c.test, Test::Not(_) | Test::Empty);
    says && repeats && program.rows.conditions.iter().any(denies)
}

/// Whether all rows are said to be what only some are spoken of: `all tasks of Ines are urgent` says nothing of those of others.
fn joins_subject(program: &Program, question: &Question) -> bool {
    const COPULAS: [&str; 12] =
        ["are", "is", "were", "was", "have", "has", "cost", "sind", "ist", "waren", "sont", "est"];
    if program.ask != Ask::Every {
        return false;
    }
    let Some(copula) = question.words.iter().position(|w| COPULAS.contains(&w.text.as_str())) else {
        return false;
    };
    let place = |c: &Condition| {
        let Test::Is(values) = &c.test else { return None };
        let first = crate::word::words(&values.first()?.text).into_iter().next()?;
        question.words.iter().position(|w| w.text == first.text)
    };
    let places: Vec<usize> = program.rows.conditions.iter().filter_map(place).collect();
    places.iter().any(|p| *p < copula) && places.iter().any(|p| *p > copula)
}

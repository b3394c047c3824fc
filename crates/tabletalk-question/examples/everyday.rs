//! Asks everyday questions of the parser alone, without the model that weighs its readings: `everyday [--all] FOLDER...`.
//!
//! Quick enough to try a change of the grammar: says how many are read rightly, not at all, wrongly, and shows the others (with `--all` these, too) with
//! their best readings. The figures of the product are those of `tabletalk eval everyday FOLDER`.
#![allow(clippy::print_stdout)]

mod data;

use data::Case;
use rayon::prelude::*;
use tabletalk_core::Result;
use tabletalk_question::{Grid, SURE, Subject, judge, understand};

fn main() -> Result<()> {
    let all = std::env::args().any(|word| word == "--all");
    for folder in std::env::args().skip(1).filter(|word| word != "--all") {
        let set = data::everyday(&folder)?;
        let of = |case: &Case| set.tables.get(&case.table).map(|grid| came(case, grid));
        let came: Vec<Came> = set.cases.par_iter().filter_map(of).collect();
        let count = |mark: char| came.iter().filter(|c| c.mark == mark).count();
        came.iter().filter(|c| all || c.mark != '+').for_each(|c| println!("{}", c.text));
        println!("{folder}: {} right, {} silent, {} wrong", count('+'), count('?'), count('-'));
    }
    Ok(())
}

/// What came of a question: `+` right, `?` silent, `-` wrong.
struct Came {
    mark: char,
    text: String,
}

fn came(case: &Case, grid: &Grid) -> Came {
    let subject = Subject { relation: data::relation(&case.table, grid, true), title: "", grid };
    if case.is_statement {
        return verdict(case, &subject);
    }
    let mut found = understand(&case.question, &subject, None);
    if let Some(view) = grid.view() {
        found.readings.retain(|r| view.is_needed(&r.program, &case.question));
    }
    let best = found.readings.first().filter(|r| r.probability >= SURE);
    let is_void = best.is_none_or(|r| r.answer.values.is_empty());
    let mark = match (is_void, case.golds.is_empty()) {
        (true, true) => '+',
        (true, false) => '?',
        _ if best.is_some_and(|r| data::is_right(case, &r.answer.values)) => '+',
        _ => '-',
    };
    let reading = |r: &tabletalk_question::Reading| {
        let values: Vec<&String> = r.answer.values.iter().take(4).collect();
        let exact = if r.is_exact { "*" } else { "" };
        format!("\n    {:.2}{exact} {} {values:?}", r.probability, r.program.words(grid))
    };
    let readings: String = found.readings.iter().take(3).map(reading).collect();
    let wanted: Vec<_> = case.golds.iter().flatten().take(4).collect();
    // Whether a silence would have been right had the likeliest reading been given.
    let first = found.readings.first().is_some_and(|r| data::is_right(case, &r.answer.values));
    let text = format!(
        "{mark} {} | {} | {wanted:?} | unknown {:?} void {} first {first}{readings}",
        case.table, case.question, found.unknown, found.is_void
    );
    Came { mark, text }
}

fn verdict(case: &Case, subject: &Subject<'_>) -> Came {
    let verdict = judge(&case.question, subject).filter(|v| v.probability >= 0.8);
    let said = verdict.as_ref().and_then(|v| v.supported).map(|s| if s { "yes" } else { "no" });
    let mark = match (said, case.gold.first().map(String::as_str)) {
        (None, None) => '+',
        (None, Some(_)) => '?',
        (said, gold) if said == gold => '+',
        _ => '-',
    };
    let words = verdict.map_or(String::new(), |v| v.program.words(subject.grid));
    Came { mark, text: format!("{mark} {} | {} | {:?} | {words}", case.table, case.question, case.gold) }
}

//! Measures how often questions are answered rightly: `measure FOLDER/QUESTIONS...`.
//!
//! On the tables that were held out from learning: how often a right program was among those looked at, how often the
//! best reading is right, and from each degree of trust on how many are answered and how often rightly (accuracy counts
//! a question without an answer as wrong). Then whether trust can be believed: what was said against what was right,
//! with questions that have no answer in their table, so that any answer is wrong. In a conversation every question
//! builds on what was really read before, right or wrong. With SHOW set, every question is shown.
#![allow(clippy::print_stdout)]

mod data;

use data::spoil::{self, Chance};
use data::{Case, Part, Set, part};
use rayon::prelude::*;
use std::time::Instant;
use tabletalk_core::{Error, Result};
use tabletalk_question::{Answer, Grid, Program, Reading, SURE, Subject, Turn, judge, learn, read};

struct Outcome {
    probability: f32,
    right: bool,
    /// Whether any of the programs that were looked at gives the right answer.
    reached: bool,
    /// Whether it has no answer.
    spoiled: bool,
    ms: f64,
}

fn main() -> Result<()> {
    for path in std::env::args().skip(1) {
        let (folder, questions) = path.rsplit_once('/').ok_or_else(|| Error::input("FOLDER/QUESTIONS"))?;
        let set = data::load(folder, questions)?;
        let outcomes = outcomes(&set);
        println!("{path}");
        curve(&outcomes.iter().filter(|o| !o.spoiled).collect::<Vec<_>>());
        reliability(&outcomes);
    }
    Ok(())
}

/// What came of every case; the cases of one conversation one after another. What was learned from is never measured on.
fn outcomes(set: &Set) -> Vec<Outcome> {
    let talks = data::talks(set, &|case| part(&case.table) == Part::HeldOut);
    let ids = spoil::ids(set);
    talks.par_iter().flat_map_iter(|talk| converse(set, &ids, talk)).collect()
}

fn converse(set: &Set, ids: &[&str], talk: &[&Case]) -> Vec<Outcome> {
    let mut turn: Option<Turn> = None;
    let mut outcomes = Vec::new();
    for case in talk {
        let Some(grid) = set.tables.get(&case.table) else { continue };
        let reached = reached(case, grid, turn.as_ref());
        let start = Instant::now();
        let best = best(case, &case.question, grid, turn.as_ref());
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let right = best.as_ref().is_some_and(|r| data::is_right(case, &r.answer.values));
        if std::env::var_os("SHOW").is_some() {
            show(case, best.as_ref(), right, reached, grid);
        }
        let known = best.as_ref().filter(|_| right).map(|r| &r.program);
        outcomes.extend(spoiled(set, ids, case, known, turn.as_ref()));
        let probability = best.as_ref().map_or(0.0, |r| r.probability);
        outcomes.push(Outcome { probability, right, reached: reached || right, spoiled: false, ms });
        turn = best
            .map(|r| Turn {
                question: case.question.clone(),
                answered: r.probability >= SURE,
                program: r.program,
                rows: r.answer.rows,
            })
            .or(turn);
    }
    outcomes
}

/// Whether any program that what was learned chooses from gives the right answer.
fn reached(case: &Case, grid: &Grid, turn: Option<&Turn>) -> bool {
    let (programs, _) = match case.is_statement {
        true => learn::claims(&case.question, grid),
        false => learn::programs(&case.question, grid, turn),
    };
    programs.iter().any(|p| data::is_right(case, &p.answer.values))
}

/// The best reading of a question, or the verdict on a statement in the same form.
fn best(case: &Case, question: &str, grid: &Grid, turn: Option<&Turn>) -> Option<Reading> {
    let subject = Subject { relation: "t", title: "", grid };
    if !case.is_statement {
        return read(question, &subject, turn).into_iter().next();
    }
    let verdict = judge(question, &subject)?;
    let value = if verdict.supported == Some(true) { "yes" } else { "no" };
    let answer = Answer { values: vec![value.to_owned()], rows: verdict.rows };
    Some(Reading {
        program: verdict.program,
        probability: verdict.probability,
        is_exact: false,
        links: Vec::new(),
        answer,
    })
}

/// What comes of a question without an answer, made of a case.
fn spoiled(
    set: &Set,
    ids: &[&str],
    case: &Case,
    right: Option<&Program>,
    turn: Option<&Turn>,
) -> Option<Outcome> {
    let mut chance = Chance::new(&case.question);
    let spoiled = spoil::some(case, right, set, ids, &mut chance)?;
    let grid = spoiled.grid.as_ref().or_else(|| set.tables.get(&spoiled.table))?;
    let probability = best(case, &spoiled.question, grid, turn).map_or(0.0, |r| r.probability);
    Some(Outcome { probability, right: false, reached: false, spoiled: true, ms: 0.0 })
}

fn show(case: &Case, reading: Option<&Reading>, right: bool, reached: bool, grid: &Grid) {
    let Some(reading) = reading else { return println!("?\t{}", case.question) };
    let mark = if right {
        "+"
    } else if reached {
        "-"
    } else {
        "x"
    };
    println!(
        "{mark}\t{:.2}\t{}\t{}\t{:?}\t{:?}\t{}",
        reading.probability,
        case.question,
        reading.program.words(grid),
        reading.answer.values.iter().take(5).collect::<Vec<_>>(),
        case.gold.iter().take(5).collect::<Vec<_>>(),
        case.table
    );
}

fn curve(outcomes: &[&Outcome]) {
    let n = outcomes.len().max(1) as f64;
    let share = |is: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|o| is(o)).count() as f64 / n;
    let mut ms: Vec<f64> = outcomes.iter().map(|o| o.ms).collect();
    ms.sort_by(f64::total_cmp);
    let at = |q: f64| ms.get((ms.len() as f64 * q) as usize).copied().unwrap_or(0.0);
    println!(
        "  {n} cases on held-out tables, a right program looked at {:.3}, best reading right {:.3}; p50 {:.2} ms, p99 {:.2} ms",
        share(&|o| o.reached),
        share(&|o| o.right),
        at(0.5),
        at(0.99)
    );
    println!("  from   accuracy coverage precision");
    for from in [0.4f32, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9] {
        let accuracy = share(&|o| o.probability >= from && o.right);
        let coverage = share(&|o| o.probability >= from);
        let mark = if from == SURE { '*' } else { ' ' };
        println!(
            "  {from:.2}{mark}    {accuracy:.3}    {coverage:.3}     {:.3}",
            accuracy / coverage.max(1e-9)
        );
    }
}

/// What was said against what was right, in tenths.
fn reliability(outcomes: &[Outcome]) {
    let without = outcomes.iter().filter(|o| o.spoiled).count() as f64 / outcomes.len().max(1) as f64;
    println!("  said       cases  right   ({without:.2} of all have no answer)");
    for tenth in 0..10 {
        let here: Vec<&Outcome> =
            outcomes.iter().filter(|o| ((o.probability * 10.0) as usize).min(9) == tenth).collect();
        let right = here.iter().filter(|o| o.right).count() as f64 / here.len().max(1) as f64;
        println!("  .{tenth} to .{tenth}9 {:7}  {right:.3}", here.len());
    }
}

//! Measures how often questions are answered rightly: `measure FOLDER/QUESTIONS...`.
//!
//! On the tables that were held out when the weights were learned: how often the best reading is right, how often it is sure enough to answer with, and how often it is right then. In a
//! conversation every question builds on what was really read before, right or wrong.
#![allow(clippy::print_stdout)]

mod data;

use data::{Case, Part, Set, part};
use rayon::prelude::*;
use std::time::Instant;
use tabletalk_core::{Error, Result};
use tabletalk_question::{Reading, SURE, Subject, Turn, judge, read};

struct Outcome {
    probability: f32,
    right: bool,
    ms: f64,
}

fn main() -> Result<()> {
    for path in std::env::args().skip(1) {
        let (folder, questions) = path.rsplit_once('/').ok_or_else(|| Error::input("FOLDER/QUESTIONS"))?;
        let set = data::load(folder, questions)?;
        let outcomes = outcomes(&set);
        println!("{path}");
        print("held out", outcomes.iter().collect());
    }
    Ok(())
}

/// What came of every case; the cases of one conversation one after another. What was learned from is never measured on.
fn outcomes(set: &Set) -> Vec<Outcome> {
    let talks = data::talks(set, &|case| part(&case.table) == Part::HeldOut);
    talks.par_iter().flat_map_iter(|talk| converse(set, talk)).collect()
}

fn converse(set: &Set, talk: &[&Case]) -> Vec<Outcome> {
    let mut turn: Option<Turn> = None;
    let mut outcomes = Vec::new();
    for case in talk {
        let Some(grid) = set.tables.get(&case.table) else { continue };
        let subject = Subject { relation: "t", title: "", grid };
        let start = Instant::now();
        let (probability, right) = if case.is_statement {
            judged(case, &subject)
        } else {
            let readings = read(&case.question, &subject, turn.as_ref());
            let best = readings.into_iter().next();
            let outcome = best
                .as_ref()
                .map_or((0.0, false), |r| (r.probability, data::is_right(case, &r.answer.values)));
            if std::env::var_os("SHOW").is_some() {
                show(case, best.as_ref(), outcome.1, grid);
            }
            turn = best
                .map(|r| Turn { question: case.question.clone(), program: r.program, rows: r.answer.rows })
                .or(turn);
            outcome
        };
        let ms = start.elapsed().as_secs_f64() * 1e3;
        outcomes.push(Outcome { probability, right, ms });
    }
    outcomes
}

fn judged(case: &Case, subject: &Subject<'_>) -> (f32, bool) {
    let Some(verdict) = judge(&case.question, subject) else { return (0.0, false) };
    let value = if verdict.supported == Some(true) { "yes" } else { "no" };
    (verdict.probability, case.gold == [value])
}

fn show(case: &Case, reading: Option<&Reading>, right: bool, grid: &tabletalk_question::Grid) {
    let Some(reading) = reading else { return println!("?\t{}", case.question) };
    let mark = if right { "+" } else { "-" };
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

fn print(name: &str, outcomes: Vec<&Outcome>) {
    let n = outcomes.len().max(1) as f64;
    let right = outcomes.iter().filter(|o| o.right).count() as f64;
    let mut ms: Vec<f64> = outcomes.iter().map(|o| o.ms).collect();
    ms.sort_by(f64::total_cmp);
    let at = |q: f64| ms.get((ms.len() as f64 * q) as usize).copied().unwrap_or(0.0);
    let (p50, p99) = (at(0.5), at(0.99));
    println!("  {name}: {} cases, best reading right {:.3}; p50 {p50:.2} ms, p99 {p99:.2} ms", n, right / n);
    println!("  from    accuracy coverage precision");
    for from in [0.4f32, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9] {
        let sure: Vec<_> = outcomes.iter().filter(|o| o.probability >= from).collect();
        let good = sure.iter().filter(|o| o.right).count() as f64;
        let mark = if from == SURE { "*" } else { " " };
        let (coverage, precision) = (sure.len() as f64 / n, good / sure.len().max(1) as f64);
        println!("  {from:.2}{mark}    {:.3}    {coverage:.3}    {precision:.3}", good / n);
    }
}

//! Writes the programs that questions may mean, for training a model that chooses among them:
//! `programs WEIGHTS OUT PARTS MOST FOLDER/QUESTIONS[@MOST]... everyday:FOLDER...`.
//!
//! A line for each question of the parts (letters of learn, calibrate, held out): its text, that of its table, and for
//! each program its words, its answer, how likely it was found and whether it is right.
#![allow(clippy::print_stdout)]

mod data;

use data::spoil::{self, Chance};
use data::{Case, Part, Set, Weights, part};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::io::Write;
use tabletalk_core::{Error, Result};
use tabletalk_question::learn::{self, Prospect};
use tabletalk_question::{Grid, Subject, Turn, weigh};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [weights, out, parts, most, sets @ ..] = args.as_slice() else {
        return Err(Error::input("programs WEIGHTS OUT PARTS MOST FOLDER/QUESTIONS..."));
    };
    let most: usize = most.parse().map_err(|_| Error::input("MOST is a number"))?;
    let weights = Weights::read(weights)?;
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    for path in sets {
        let set = data::load_some(path)?;
        let ids = spoil::ids(&set);
        let is_wanted = |case: &Case| {
            let letter = match part(&case.table) {
                Part::Learn => 'l',
                Part::Calibrate => 'c',
                Part::HeldOut => 'h',
            };
            parts.contains(letter)
        };
        let talks = data::talks(&set, &is_wanted);
        let is_everyday = path.starts_with("everyday:");
        let lines: Vec<Value> = talks
            .par_iter()
            .flat_map_iter(|talk| converse(&set, &ids, talk, path, most, is_everyday, &weights))
            .collect();
        let reached = lines.iter().filter(|l| l["right"].as_bool() == Some(true)).count();
        let open = lines.iter().filter(|l| l["answerable"].as_bool() == Some(true)).count();
        println!(
            "{path}: {} questions, {open} with an answer, a right program among {most} in {reached}",
            lines.len()
        );
        for line in lines {
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}

fn converse(
    set: &Set,
    ids: &[&str],
    talk: &[&Case],
    path: &str,
    most: usize,
    everyday: bool,
    weights: &Weights,
) -> Vec<Value> {
    let mut turn: Option<Turn> = None;
    let mut lines = Vec::new();
    for case in talk {
        let Some(grid) = set.tables.get(&case.table) else { continue };
        let all = prospects(case, &case.question, &case.table, grid, turn.as_ref(), everyday, weights);
        // Days are right in the plain form and as they are written.
        let is_right = |p: &Prospect, grid: &Grid| {
            data::is_right(case, &learn::plain(&p.program, &p.answer, grid))
                || data::is_right(case, &p.answer.values)
        };
        let marked: Vec<bool> = all.iter().map(|p| is_right(p, grid)).collect();
        let right = all.iter().zip(&marked).find(|(_, right)| **right).map(|(p, _)| &p.program);
        // In a conversation only the first question stands alone.
        if turn.is_none() {
            lines.push(line(case, &case.question, &case.table, grid, &all, &marked, path, most));
        }
        let mut chance = Chance::new(&case.question);
        if !everyday
            && turn.is_none()
            && let Some(spoiled) = spoil::some(case, right, set, ids, &mut chance)
            && let Some(grid) = spoiled.grid.as_ref().or_else(|| set.tables.get(&spoiled.table))
        {
            let all = prospects(case, &spoiled.question, &spoiled.table, grid, None, false, weights);
            if case.is_statement || !all.first().is_some_and(|p| is_right(p, grid)) {
                let none = vec![false; all.len()];
                lines.push(line(case, &spoiled.question, &spoiled.table, grid, &all, &none, path, most));
            }
        }
        turn = data::gold_turn(case).or(turn);
    }
    lines
}

fn prospects(
    case: &Case,
    question: &str,
    table: &str,
    grid: &Grid,
    turn: Option<&Turn>,
    everyday: bool,
    weights: &Weights,
) -> Vec<Prospect> {
    let weights = weights.of(table);
    let weight = |id: u32| weights[id as usize];
    let subject = Subject { relation: data::relation(table, grid, everyday), title: "", grid };
    match case.is_statement {
        true => learn::verdicts(question, &subject, &weight),
        false => learn::prospects(question, &subject, turn, &weight),
    }
}

#[allow(clippy::too_many_arguments)]
fn line(
    case: &Case,
    question: &str,
    table: &str,
    grid: &Grid,
    all: &[Prospect],
    right: &[bool],
    path: &str,
    most: usize,
) -> Value {
    let programs: Vec<Value> = all
        .iter()
        .zip(right)
        .take(most)
        .map(|(p, right)| json!({"text": weigh::text(&p.program, &p.answer, grid), "exact": p.exact, "right": right}))
        .collect();
    json!({
        "set": path, "question": question, "table": table, "statement": case.is_statement,
        "title": match path.starts_with("everyday:") { true => data::relation(table, grid, true), false => "" },
        "part": match part(table) { Part::Learn => "learn", Part::Calibrate => "calibrate", Part::HeldOut => "held" },
        "answerable": !case.gold.is_empty(), "right": right.iter().take(most).any(|r| *r), "programs": programs,
    })
}

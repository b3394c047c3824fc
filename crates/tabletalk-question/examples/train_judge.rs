//! Learns how far answers can be trusted:
//! `train_judge WEIGHTS OUT [scores:FILE]... FOLDER/QUESTIONS[@MOST]... [everyday:FOLDER] [unseen:FOLDER]`.
//!
//! WEIGHTS is what `train` wrote. Beside it lie WEIGHTS.0 and WEIGHTS.1, each learned from the tables that the other
//! has not seen: a table is judged by the scores of weights that do not know it. Half as many questions again have no
//! answer in their table. Everyday questions say what the grammar, which was written for them, is worth on such files; of
//! `unseen` everyday questions only those whose tables the model that weighs programs was not trained on are learned from.
//! What that model says of them is in FILE, as `scripts/models/train_locator.py` writes it; half of the answers are judged
//! without it, too, for programs without a model.
#![allow(clippy::print_stdout)]

mod boost;
mod data;

use boost::Sample;
use data::spoil::{self, Chance};
use data::{Case, Part, Set, Weights, part};
use rayon::prelude::*;
use tabletalk_core::seam::{Likely, Locate};
use tabletalk_core::{Error, Result};
use tabletalk_question::learn::{self, Prospect};
use tabletalk_question::{Grid, Subject, Turn};

/// The learned answers of a question that are looked at, beside the grammar's.
const LOOKED_AT: usize = 3;

/// What an everyday question counts beside one of the public sets, of which there are ten times as many.
const EVERYDAY: f32 = 3.0;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [weights, out, sets @ ..] = args.as_slice() else {
        return Err(Error::input("train_judge WEIGHTS OUT FOLDER/QUESTIONS..."));
    };
    let weights = Weights::read(weights)?;
    let mut samples = [Vec::new(), Vec::new()];
    let mut model = Scored::default();
    for path in sets.iter().filter_map(|path| path.strip_prefix("scores:")) {
        model.read(path)?;
    }
    for path in sets.iter().filter(|path| !path.starts_with("scores:")) {
        let unseen = path.strip_prefix("unseen:");
        let everyday = path.strip_prefix("everyday:").or(unseen);
        let set = everyday.map_or_else(|| data::load_some(path), data::everyday)?;
        let wanted = |case: &Case| match part(&case.table) {
            Part::Calibrate => true,
            Part::HeldOut => everyday.is_some(),
            Part::Learn => everyday.is_some() && unseen.is_none(),
        };
        let talks = data::talks(&set, &wanted);
        let ids = spoil::ids(&set);
        let mut found: Vec<(bool, Sample)> = talks
            .par_iter()
            .flat_map_iter(|talk| looked_at(&set, &ids, talk, &weights, &model, everyday.is_some()))
            .collect();
        if everyday.is_some() {
            found.iter_mut().for_each(|(_, sample)| sample.weight = EVERYDAY);
        }
        println!(
            "{path}: {} answers, {:.1} % right",
            found.len(),
            100.0 * found.iter().filter(|f| f.1.right).count() as f64 / found.len().max(1) as f64
        );
        for (is_claim, sample) in found {
            samples[usize::from(is_claim)].push(sample);
        }
    }
    let mut bytes = learn::written(&weights.whole);
    for samples in samples {
        let trees = boost::boost(&samples);
        report(&trees, &samples);
        bytes.extend(trees.iter().flat_map(|t| t.written()));
    }
    std::fs::write(out, bytes)?;
    Ok(())
}

/// What a model said of programs, as it was written down.
#[derive(Default)]
struct Scored(std::collections::HashMap<(String, u64), (f32, f32)>);

impl Scored {
    fn read(&mut self, path: &str) -> Result<()> {
        for line in std::fs::read_to_string(path)?.lines() {
            let line: serde_json::Value =
                serde_json::from_str(line).map_err(|e| Error::input(e.to_string()))?;
            let question = line["question"].as_str().unwrap_or_default();
            let scores: Vec<f32> = line["scores"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|s| Some(s.as_f64()? as f32))
                .collect();
            let none = scores.last().copied().unwrap_or(0.0);
            for (text, score) in line["texts"].as_array().into_iter().flatten().zip(&scores) {
                self.0.insert((question.to_owned(), text.as_u64().unwrap_or(0)), (*score, none));
            }
        }
        Ok(())
    }
}

/// A number that stands for a text.
fn key(text: &str) -> u64 {
    let step = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step) >> 16
}

impl Locate for Scored {
    fn rows(&self, _: &str, texts: &[String]) -> Result<Likely> {
        Ok(Likely { each: vec![0.0; texts.len()], none: 1.0 })
    }

    fn columns(&self, question: &str, texts: &[String]) -> Result<Likely> {
        self.rows(question, texts)
    }

    fn programs(&self, question: &str, texts: &[String]) -> Result<Likely> {
        // Titles were said or not: the scores are those of programs alone.
        let of = |text: &String| {
            let plain = text.split_once(" | ").map_or(text.as_str(), |(_, plain)| plain);
            self.0.get(&(question.to_owned(), key(plain))).copied()
        };
        let scores: Vec<Option<(f32, f32)>> = texts.iter().map(of).collect();
        let Some((_, none)) = scores.iter().flatten().next().copied() else {
            return Err(Error::input("a question without scores"));
        };
        let weight = |score: f32| (score - none).min(30.0).exp();
        let each: Vec<f32> = scores.iter().map(|s| s.map_or(0.0, |(score, _)| weight(score))).collect();
        let sum = each.iter().sum::<f32>() + 1.0;
        Ok(Likely { each: each.iter().map(|w| w / sum).collect(), none: 1.0 / sum })
    }
}

fn looked_at(
    set: &Set,
    ids: &[&str],
    talk: &[&Case],
    weights: &Weights,
    model: &Scored,
    everyday: bool,
) -> Vec<(bool, Sample)> {
    let mut turn: Option<Turn> = None;
    let mut samples = Vec::new();
    for case in talk {
        let Some(grid) = set.tables.get(&case.table) else { continue };
        let weights = weights.of(&case.table);
        let relation = data::relation(&case.table, grid, everyday);
        let mut all = prospects(case, &case.question, relation, grid, turn.as_ref(), weights);
        // Days are right in the plain form and as they are written.
        let is_right = |p: &Prospect| {
            data::is_right(case, &learn::plain(&p.program, &p.answer, grid))
                || data::is_right(case, &p.answer.values)
        };
        take(&all, &is_right, &mut samples);
        weighed(&mut all, &case.question, relation, grid, turn.as_ref(), model, &is_right, &mut samples);
        let right = all.iter().find(|p| is_right(p)).map(|p| &p.program);
        let mut chance = Chance::new(&case.question);
        if !everyday
            && let Some(spoiled) = spoil::some(case, right, set, ids, &mut chance)
            && let Some(grid) = spoiled.grid.as_ref().or_else(|| set.tables.get(&spoiled.table))
        {
            let mut all = prospects(case, &spoiled.question, "t", grid, turn.as_ref(), weights);
            // By chance it may have the answer all the same.
            if case.is_statement || !all.first().is_some_and(is_right) {
                take(&all, &|_| false, &mut samples);
                let wrong = |_: &Prospect| false;
                weighed(&mut all, &spoiled.question, "t", grid, turn.as_ref(), model, &wrong, &mut samples);
            }
        }
        turn = all
            .into_iter()
            .next()
            .map(|p| Turn {
                question: case.question.clone(),
                answered: false,
                program: p.program,
                rows: p.answer.rows,
            })
            .or(turn);
    }
    samples
}

fn prospects(
    case: &Case,
    question: &str,
    relation: &str,
    grid: &Grid,
    turn: Option<&Turn>,
    weights: &[f32],
) -> Vec<Prospect> {
    let subject = Subject { relation, title: "", grid };
    let weight = |id: u32| weights[id as usize];
    if case.is_statement {
        learn::verdicts(question, &subject, &weight)
    } else {
        learn::prospects(question, &subject, turn, &weight)
    }
}

/// The same answers again as a model weighs them, where it was asked.
#[allow(clippy::too_many_arguments)]
fn weighed(
    all: &mut [Prospect],
    question: &str,
    relation: &str,
    grid: &Grid,
    turn: Option<&Turn>,
    model: &Scored,
    is_right: &dyn Fn(&Prospect) -> bool,
    samples: &mut Vec<(bool, Sample)>,
) {
    let subject = Subject { relation, title: "", grid };
    if turn.is_some() || learn::weigh(question, &subject, all, Some(model)).is_err() {
        return;
    }
    let likely = |p: &Prospect| p.signs[learn::SIGNS - learn::WEIGHED];
    let mut best: Vec<&Prospect> = all.iter().collect();
    best.sort_by(|a, b| likely(b).total_cmp(&likely(a)));
    let sample = |p: &&Prospect| (p.is_claim, Sample { signs: p.signs, right: is_right(p), weight: 1.0 });
    samples.extend(best.iter().take(LOOKED_AT + 1).map(sample));
    samples.extend(best.iter().skip(LOOKED_AT + 1).filter(|p| p.exact > 0.0).map(sample));
}

fn take(all: &[Prospect], is_right: &dyn Fn(&Prospect) -> bool, samples: &mut Vec<(bool, Sample)>) {
    let exact = all.iter().filter(|p| p.exact > 0.0 && p.is_run).take(2);
    let learned = all.iter().filter(|p| p.exact == 0.0).take(LOOKED_AT);
    let sample = |p: &Prospect| (p.is_claim, Sample { signs: p.signs, right: is_right(p), weight: 1.0 });
    samples.extend(exact.chain(learned).map(sample));
}

fn report(trees: &[learn::Tree], samples: &[Sample]) {
    let loss = |s: &Sample| {
        let p = boost::probability(trees, &s.signs);
        -(if s.right { p } else { 1.0 - p }).max(1e-9).ln()
    };
    let mean = samples.par_iter().map(loss).sum::<f64>() / samples.len().max(1) as f64;
    println!("{} answers, {} trees: loss {mean:.4}", samples.len(), trees.len());
}

//! Learns how far answers can be trusted: `train_judge WEIGHTS OUT FOLDER/QUESTIONS[@MOST]... [everyday:FOLDER]`.
//!
//! WEIGHTS is what `train` wrote. Beside it lie WEIGHTS.0 and WEIGHTS.1, each learned from the tables that the other
//! has not seen: a table is judged by the scores of weights that do not know it. Half as many questions again have no
//! answer in their table. Everyday questions say what the grammar, which was written for them, is worth on such files.
#![allow(clippy::print_stdout)]

mod boost;
mod data;

use boost::Sample;
use data::spoil::{self, Chance};
use data::{Case, Part, Set, half, part};
use rayon::prelude::*;
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
    for path in sets {
        let everyday = path.strip_prefix("everyday:");
        let set = everyday.map_or_else(|| data::load_some(path), data::everyday)?;
        let wanted = |case: &Case| {
            everyday.is_some()
                || part(&case.table) == Part::Calibrate
                || weights.halves.is_some() && part(&case.table) == Part::Learn
        };
        let talks = data::talks(&set, &wanted);
        let ids = spoil::ids(&set);
        let mut found: Vec<(bool, Sample)> =
            talks.par_iter().flat_map_iter(|talk| looked_at(&set, &ids, talk, &weights)).collect();
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

/// Weights that were learned from all tables, from one half and from the other.
struct Weights {
    whole: Vec<f32>,
    halves: Option<[Vec<f32>; 2]>,
}

impl Weights {
    fn read(path: &str) -> Result<Self> {
        let read = |path: String| -> Result<Vec<f32>> {
            let bytes = std::fs::read(path)?;
            let wide = |b: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16);
            Ok(bytes.chunks_exact(2).take(learn::WEIGHTS).map(wide).collect())
        };
        let halves = match (read(format!("{path}.0")), read(format!("{path}.1"))) {
            (Ok(a), Ok(b)) => Some([a, b]),
            _ => None,
        };
        Ok(Weights { whole: read(path.to_owned())?, halves })
    }

    /// The weights that have not seen a table.
    fn of(&self, table: &str) -> &[f32] {
        match (part(table), &self.halves) {
            (Part::Learn, Some(halves)) => &halves[1 - half(table)],
            _ => &self.whole,
        }
    }
}

fn looked_at(set: &Set, ids: &[&str], talk: &[&Case], weights: &Weights) -> Vec<(bool, Sample)> {
    let mut turn: Option<Turn> = None;
    let mut samples = Vec::new();
    for case in talk {
        let Some(grid) = set.tables.get(&case.table) else { continue };
        let weights = weights.of(&case.table);
        let all = prospects(case, &case.question, grid, turn.as_ref(), weights);
        let is_right = |p: &Prospect| data::is_right(case, &p.answer.values);
        take(&all, &is_right, &mut samples);
        let right = all.iter().find(|p| is_right(p)).map(|p| &p.program);
        let mut chance = Chance::new(&case.question);
        if let Some(spoiled) = spoil::some(case, right, set, ids, &mut chance)
            && let Some(grid) = spoiled.grid.as_ref().or_else(|| set.tables.get(&spoiled.table))
        {
            let all = prospects(case, &spoiled.question, grid, turn.as_ref(), weights);
            // By chance it may have the answer all the same.
            if case.is_statement || !all.first().is_some_and(is_right) {
                take(&all, &|_| false, &mut samples);
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
    grid: &Grid,
    turn: Option<&Turn>,
    weights: &[f32],
) -> Vec<Prospect> {
    let subject = Subject { relation: "t", title: "", grid };
    let weight = |id: u32| weights[id as usize];
    if case.is_statement {
        learn::verdicts(question, &subject, &weight)
    } else {
        learn::prospects(question, &subject, turn, &weight)
    }
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

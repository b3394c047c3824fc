//! Learns the weights from questions and answers and writes them: `train OUT FOLDER/QUESTIONS[@MOST]...`.
//!
//! Programs whose result is the answer are right; their likelihood together is made as large as can be.
//! A fifth of the tables is held out; a tenth is for `train_judge` alone. OUT.0 and OUT.1 are learned from half of the
//! tables each, so that the judge sees scores of questions that were not learned from.
#![allow(clippy::print_stdout)]

mod data;

use data::{Part, Set, half, part};
use rayon::prelude::*;
use tabletalk_core::{Error, Result};
use tabletalk_question::learn::{self, Features};
use tabletalk_question::{Grid, denote};

const EPOCHS: usize = 4;
const RATE: f32 = 0.1;
const NEGATIVES: usize = 300;

struct Sample {
    seen: Features,
    right: Vec<bool>,
    answers: Vec<u64>,
    set: usize,
    half: usize,
    part: Part,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [out, sets @ ..] = args.as_slice() else { return Err(Error::input("train OUT FOLDER/QUESTIONS...")) };
    let mut samples = Vec::new();
    for (i, path) in sets.iter().enumerate() {
        let start = std::time::Instant::now();
        let set = data::load_some(path)?;
        samples.extend(look(&set, i));
        let here: Vec<&Sample> = samples.iter().filter(|s| s.set == i).collect();
        let reached = here.iter().filter(|s| s.right.contains(&true)).count();
        let programs: usize = here.iter().map(|s| s.answers.len()).sum();
        println!(
            "{path}: {} cases, right program among them {:.1} %, {} programs a case, {:.0} s",
            here.len(),
            100.0 * reached as f64 / here.len().max(1) as f64,
            programs / here.len().max(1),
            start.elapsed().as_secs_f64()
        );
    }
    let weights = fit(&samples, &|_| true);
    for (i, path) in sets.iter().enumerate() {
        for part in [Part::Learn, Part::Calibrate, Part::HeldOut] {
            report(path, part, &samples, i, &weights);
        }
    }
    std::fs::write(out, learn::written(&weights))?;
    for half in [0, 1] {
        let weights = fit(&samples, &|s| s.half == half);
        std::fs::write(format!("{out}.{half}"), learn::written(&weights))?;
    }
    Ok(())
}

fn look(set: &Set, number: usize) -> Vec<Sample> {
    let before = data::before(&set.cases);
    let sample = |(case, before): (&data::Case, &Option<usize>)| {
        let grid = set.tables.get(&case.table)?;
        let turn = before.and_then(|b| data::gold_turn(set.cases.get(b)?));
        let (programs, seen) = if case.is_statement {
            learn::claims(&case.question, grid)
        } else {
            learn::programs(&case.question, grid, turn.as_ref())
        };
        let right: Vec<bool> = programs.iter().map(|c| is_right(case, c, grid)).collect();
        let answers = programs.iter().map(|c| c.denotation).collect();
        let mut sample =
            Sample { seen, right, answers, set: number, half: half(&case.table), part: part(&case.table) };
        if sample.part == Part::Learn {
            thin(&mut sample);
        }
        Some(sample)
    };
    set.cases.par_iter().zip(&before).filter_map(sample).collect()
}

/// Whether a program gives the right answer; its number is compared first, because that is quick.
fn is_right(case: &data::Case, candidate: &learn::Candidate, grid: &Grid) -> bool {
    if !case.golds.is_empty() {
        return data::is_right(case, &learn::plain(&candidate.program, &candidate.answer, grid));
    }
    candidate.denotation == denote::hash(&case.gold)
        || case.is_joined && data::is_right(case, &candidate.answer.values)
}

/// Leaves out some of the wrong programs, so that all questions fit in memory.
fn thin(sample: &mut Sample) {
    let wrong = sample.right.iter().filter(|r| !**r).count();
    if wrong <= NEGATIVES {
        return;
    }
    let mut n = 0;
    let keep: Vec<bool> = sample
        .right
        .iter()
        .map(|right| {
            n += usize::from(!right);
            *right || (n * 7919) % wrong < NEGATIVES
        })
        .collect();
    let mut at = keep.iter();
    sample.right.retain(|_| *at.next().unwrap_or(&true));
    let mut at = keep.iter();
    sample.answers.retain(|_| *at.next().unwrap_or(&true));
    let mut at = keep.iter();
    sample.seen.programs.retain(|_| *at.next().unwrap_or(&true));
    sample.seen.programs.shrink_to_fit();
}

fn fit(samples: &[Sample], is_wanted: &dyn Fn(&Sample) -> bool) -> Vec<f32> {
    let mut weights = vec![0f32; learn::WEIGHTS];
    let mut squares = vec![1e-6f32; learn::WEIGHTS];
    let mut order: Vec<usize> = (0..samples.len())
        .filter(|i| samples[*i].part == Part::Learn && is_wanted(&samples[*i]))
        .filter(|i| samples[*i].right.contains(&true))
        .filter(|i| !samples[*i].right.iter().all(|r| *r))
        .collect();
    let mut seed = 7u64;
    for epoch in 0..EPOCHS {
        for i in (1..order.len()).rev() {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            order.swap(i, (seed >> 33) as usize % (i + 1));
        }
        let mut loss = 0.0;
        for i in &order {
            loss += step(&samples[*i], &mut weights, &mut squares);
        }
        println!("epoch {epoch}: loss {:.4}", loss / order.len().max(1) as f64);
    }
    weights
}

fn softmax(scores: &[f32], of: &dyn Fn(usize) -> bool) -> (Vec<f32>, f32) {
    let top = scores.iter().enumerate().filter(|(i, _)| of(*i)).map(|(_, s)| *s).fold(f32::MIN, f32::max);
    let mut shares: Vec<f32> =
        scores.iter().enumerate().map(|(i, s)| if of(i) { (s - top).exp() } else { 0.0 }).collect();
    let total: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|s| *s /= total);
    (shares, top + total.ln())
}

fn step(sample: &Sample, weights: &mut [f32], squares: &mut [f32]) -> f64 {
    let scores = sample.seen.scores(&|id| weights[id as usize]);
    let (all, log_all) = softmax(&scores, &|_| true);
    let (right, log_right) = softmax(&scores, &|i| sample.right[i]);
    let mut blocks = vec![0f32; sample.seen.blocks.len()];
    let mut gradient: std::collections::HashMap<u32, f32> = std::collections::HashMap::new();
    for (i, (shared, own)) in sample.seen.programs.iter().enumerate() {
        let g = all[i] - right[i];
        if g.abs() < 1e-4 {
            continue;
        }
        shared.iter().for_each(|b| blocks[usize::from(*b)] += g);
        own.iter().for_each(|id| *gradient.entry(*id).or_default() += g);
    }
    for (ids, g) in sample.seen.blocks.iter().zip(&blocks).filter(|(_, g)| g.abs() > 1e-4) {
        ids.iter().for_each(|id| *gradient.entry(*id).or_default() += g);
    }
    for (id, g) in gradient {
        let at = id as usize;
        squares[at] += g * g;
        weights[at] -= RATE * g / (squares[at].sqrt() + 0.1);
    }
    f64::from(log_all - log_right)
}

/// Whether the likeliest answer is right.
fn is_best_right(sample: &Sample, weights: &[f32]) -> bool {
    let scores = sample.seen.scores(&|id| weights[id as usize]);
    let (shares, _) = softmax(&scores, &|_| true);
    let mut groups: std::collections::HashMap<u64, (f32, bool)> = std::collections::HashMap::new();
    for ((answer, share), right) in sample.answers.iter().zip(&shares).zip(&sample.right) {
        groups.entry(*answer).or_insert((0.0, *right)).0 += share;
    }
    groups.into_values().max_by(|a, b| a.0.total_cmp(&b.0)).is_some_and(|g| g.1)
}

fn report(path: &str, part: Part, samples: &[Sample], set: usize, weights: &[f32]) {
    let here: Vec<&Sample> = samples.iter().filter(|s| s.set == set && s.part == part).collect();
    let right = here.par_iter().filter(|s| is_best_right(s, weights)).count();
    let share = 100.0 * right as f64 / here.len().max(1) as f64;
    println!("{path} {part:?}: {} cases, {share:.1} % right", here.len());
}

//! Learns the weights from questions and answers and writes them: `train OUT FOLDER/QUESTIONS[@MOST]...`.
//!
//! Programs whose result is the answer are right; their likelihood together is made as large as can be.
//! A fifth of the tables is held out; a tenth is for calibration.
#![allow(clippy::print_stdout)]

mod data;

use data::{Part, Set, part};
use rayon::prelude::*;
use tabletalk_core::{Error, Result};
use tabletalk_question::denote;
use tabletalk_question::learn::{self, Features};

const EPOCHS: usize = 4;
const RATE: f32 = 0.1;
const NEGATIVES: usize = 300;

struct Sample {
    seen: Features,
    right: Vec<bool>,
    answers: Vec<u64>,
    signs: Vec<[f32; learn::SIGNS]>,
    is_claim: bool,
    set: usize,
    part: Part,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [out, sets @ ..] = args.as_slice() else { return Err(Error::input("train OUT FOLDER/QUESTIONS...")) };
    let mut samples = Vec::new();
    for (i, path) in sets.iter().enumerate() {
        let (folder, questions) = path.rsplit_once('/').ok_or_else(|| Error::input("no folder"))?;
        let start = std::time::Instant::now();
        let (questions, most) = questions.split_once('@').unwrap_or((questions, ""));
        let mut set = data::load(folder, questions)?;
        set.cases.truncate(most.parse().unwrap_or(usize::MAX));
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
    let weights = fit(&samples);
    let trust = [false, true].map(|claims| calibrate(&samples, &weights, claims));
    for (i, path) in sets.iter().enumerate() {
        for part in [Part::Learn, Part::HeldOut] {
            report(path, part, &samples, i, &weights, &trust);
        }
    }
    std::fs::write(out, learn::written(&trust, &weights))?;
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
        let right: Vec<bool> = programs.iter().map(|c| is_right(case, c)).collect();
        let answers = programs.iter().map(|c| c.denotation).collect();
        let signs = programs.iter().map(|c| c.signs).collect();
        let mut sample = Sample {
            seen,
            right,
            answers,
            signs,
            is_claim: case.is_statement,
            set: number,
            part: part(&case.table),
        };
        if sample.part == Part::Learn {
            thin(&mut sample);
        }
        Some(sample)
    };
    set.cases.par_iter().zip(&before).filter_map(sample).collect()
}

/// Whether a program gives the right answer; its number is compared first, because that is quick.
fn is_right(case: &data::Case, candidate: &learn::Candidate) -> bool {
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
    sample.signs.retain(|_| *at.next().unwrap_or(&true));
    let mut at = keep.iter();
    sample.seen.programs.retain(|_| *at.next().unwrap_or(&true));
    sample.seen.programs.shrink_to_fit();
}

fn fit(samples: &[Sample]) -> Vec<f32> {
    let mut weights = vec![0f32; learn::WEIGHTS];
    let mut squares = vec![1e-6f32; learn::WEIGHTS];
    let mut order: Vec<usize> = (0..samples.len())
        .filter(|i| samples[*i].part == Part::Learn && samples[*i].right.contains(&true))
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

/// The likeliest answer.
struct Best {
    right: bool,
    signs: [f32; learn::SIGNS],
}

fn best(sample: &Sample, weights: &[f32]) -> Option<Best> {
    let scores = sample.seen.scores(&|id| weights[id as usize]);
    let (shares, _) = softmax(&scores, &|_| true);
    let mut groups: std::collections::HashMap<u64, (f32, usize)> = std::collections::HashMap::new();
    for (i, (answer, share)) in sample.answers.iter().zip(&shares).enumerate() {
        let group = groups.entry(*answer).or_insert((0.0, i));
        group.0 += share;
        if shares[group.1] < *share {
            group.1 = i;
        }
    }
    let mut groups: Vec<(f32, usize)> = groups.into_values().collect();
    groups.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (p, i) = *groups.first()?;
    let next = groups.get(1).map_or(0.0, |g| g.0);
    Some(Best { right: sample.right[i], signs: learn::with_shares(sample.signs[i], p, next) })
}

fn report(
    path: &str,
    part: Part,
    samples: &[Sample],
    set: usize,
    weights: &[f32],
    trust: &[[f32; learn::SIGNS]; 2],
) {
    let here: Vec<&Sample> = samples.iter().filter(|s| s.set == set && s.part == part).collect();
    let found: Vec<_> = here.par_iter().filter_map(|s| best(s, weights)).collect();
    let trust = &trust[usize::from(here.first().is_some_and(|s| s.is_claim))];
    let right = found.iter().filter(|f| f.right).count();
    let n = here.len().max(1) as f64;
    let mut line = format!("{path} {part:?}: {} cases, {:.1} % right;", here.len(), 100.0 * right as f64 / n);
    for bound in [0.4, 0.5, 0.6, 0.7, 0.8] {
        let sure: Vec<&Best> = found.iter().filter(|f| probability(trust, &f.signs) >= bound).collect();
        let good = sure.iter().filter(|f| f.right).count() as f64;
        let (share, precision) = (100.0 * sure.len() as f64 / n, 100.0 * good / sure.len().max(1) as f64);
        line += &format!(" ≥{bound}: {share:.0} % at {precision:.1} %;");
    }
    println!("{line}");
}

/// How much each sign speaks for the best answer being right: a logistic regression.
fn calibrate(samples: &[Sample], weights: &[f32], claims: bool) -> [f32; learn::SIGNS] {
    let here = samples.par_iter().filter(|s| s.part == Part::Calibrate && s.is_claim == claims);
    let found: Vec<Best> = here.filter_map(|s| best(s, weights)).collect();
    let mut trust = [0f32; learn::SIGNS];
    let mut squares = [1e-6f32; learn::SIGNS];
    for _ in 0..200 {
        let mut gradient = [0f32; learn::SIGNS];
        for b in &found {
            let miss = probability(&trust, &b.signs) - f32::from(u8::from(b.right));
            gradient.iter_mut().zip(&b.signs).for_each(|(g, s)| *g += miss * s);
        }
        for (i, g) in gradient.iter().enumerate() {
            let g = g / found.len().max(1) as f32 + 1e-4 * trust[i];
            squares[i] += g * g;
            trust[i] -= 0.5 * g / squares[i].sqrt();
        }
    }
    trust
}

fn probability(trust: &[f32; learn::SIGNS], signs: &[f32; learn::SIGNS]) -> f32 {
    let sum: f32 = trust.iter().zip(signs).map(|(t, s)| t * s).sum();
    1.0 / (1.0 + (-sum).exp())
}

//! Learns the weights from questions and answers and writes them: `train OUT FOLDER/QUESTIONS...`.
//!
//! Programs whose result is the answer are right; their likelihood together is made as large as can be.
//! A fifth of the tables is held out; a tenth is for calibration.
#![allow(clippy::print_stdout)]

mod data;

use data::{Part, Set, part};
use rayon::prelude::*;
use tabletalk_core::{Error, Result};
use tabletalk_question::learn::{self, Seen};

const EPOCHS: usize = 8;
const RATE: f32 = 0.2;
const DECAY: f32 = 1e-5;
const NEGATIVES: usize = 300;

struct Sample {
    seen: Seen,
    right: Vec<bool>,
    answers: Vec<u64>,
    families: Vec<u8>,
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
        let set = data::load(folder, questions)?;
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
    let weights = fit(&mut samples);
    for (i, path) in sets.iter().enumerate() {
        for part in [Part::Learn, Part::HeldOut] {
            report(path, part, &samples, i, &weights);
        }
    }
    let curves = calibrate(&samples, &weights);
    std::fs::write(out, learn::written(&curves, &weights))?;
    Ok(())
}

fn look(set: &Set, number: usize) -> Vec<Sample> {
    let before = data::before(&set.cases);
    let limit: usize = std::env::var("LIMIT").ok().and_then(|v| v.parse().ok()).unwrap_or(usize::MAX);
    let sample = |(case, before): (&data::Case, &Option<usize>)| {
        let grid = set.tables.get(&case.table)?;
        let turn = before.and_then(|b| data::gold_turn(set.cases.get(b)?));
        let (programs, seen) = if case.is_statement {
            learn::claims(&case.question, grid)
        } else {
            learn::programs(&case.question, grid, turn.as_ref())
        };
        let right: Vec<bool> = programs.iter().map(|(_, a)| data::is_right(case, &a.values)).collect();
        let answers = programs.iter().map(|(_, a)| learn::denotation(&a.values)).collect();
        let families = programs.iter().map(|(p, _)| learn::family(p) as u8).collect();
        let mut sample = Sample { seen, right, answers, families, set: number, part: part(&case.table) };
        if sample.part == Part::Learn {
            thin(&mut sample);
        }
        Some(sample)
    };
    set.cases.par_iter().zip(&before).take(limit).filter_map(sample).collect()
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
    sample.families.retain(|_| *at.next().unwrap_or(&true));
    let mut at = keep.iter();
    sample.seen.programs.retain(|_| *at.next().unwrap_or(&true));
    sample.seen.programs.shrink_to_fit();
}

fn fit(samples: &mut [Sample]) -> Vec<f32> {
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
        let g = g + DECAY * weights[at];
        squares[at] += g * g;
        weights[at] -= RATE * g / (squares[at].sqrt() + 0.1);
    }
    f64::from(log_all - log_right)
}

/// The likeliest answer: its probability, whether it is right, and the family of its best program.
fn best(sample: &Sample, weights: &[f32]) -> Option<(f32, bool, usize)> {
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
    let (p, i) = groups.into_values().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((p, sample.right[i], usize::from(sample.families[i])))
}

fn report(path: &str, part: Part, samples: &[Sample], set: usize, weights: &[f32]) {
    let here: Vec<&Sample> = samples.iter().filter(|s| s.set == set && s.part == part).collect();
    let found: Vec<_> = here.par_iter().filter_map(|s| best(s, weights)).collect();
    let right = found.iter().filter(|f| f.1).count();
    let n = here.len().max(1) as f64;
    let mut line = format!("{path} {part:?}: {} cases, {:.1} % right;", here.len(), 100.0 * right as f64 / n);
    for bound in [0.3, 0.5, 0.7, 0.9] {
        let sure = found.iter().filter(|f| f.0 >= bound).count();
        let good = found.iter().filter(|f| f.0 >= bound && f.1).count();
        line += &format!(
            " ≥{bound}: {:.0} % at {:.1} %;",
            100.0 * sure as f64 / n,
            100.0 * good as f64 / sure.max(1) as f64
        );
    }
    println!("{line}");
}

/// For each family, how often answers of a probability are right, never falling.
fn calibrate(samples: &[Sample], weights: &[f32]) -> Vec<Vec<f32>> {
    let (families, knots) = learn::CURVES;
    let here = samples.par_iter().filter(|s| s.part == Part::Calibrate);
    let found: Vec<_> = here.filter_map(|s| best(s, weights)).collect();
    (0..families)
        .map(|family| {
            let mut points: Vec<(f32, f32)> =
                found.iter().filter(|f| f.2 == family).map(|f| (f.0, f32::from(u8::from(f.1)))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            curve(&points, knots)
        })
        .collect()
}

/// Pools neighbours until the shares never fall, then reads the curve at its knots.
fn curve(points: &[(f32, f32)], knots: usize) -> Vec<f32> {
    let mut pools: Vec<(f32, f32, f32)> = vec![(0.0, 0.0, 3.0)];
    for (p, right) in points {
        pools.push((*p, *right, 1.0));
        while let [.., a, b] = pools.as_slice() {
            if a.1 / a.2 < b.1 / b.2 {
                break;
            }
            let joined = ((a.0 * a.2 + b.0 * b.2) / (a.2 + b.2), a.1 + b.1, a.2 + b.2);
            pools.truncate(pools.len() - 2);
            pools.push(joined);
        }
    }
    let at = |x: f32| {
        let right = pools.iter().position(|p| p.0 >= x).unwrap_or(pools.len() - 1);
        let (a, b) = (pools[right.saturating_sub(1)], pools[right]);
        let (ya, yb) = (a.1 / a.2, b.1 / b.2);
        if b.0 <= a.0 || x >= b.0 { yb } else { ya + (yb - ya) * ((x - a.0) / (b.0 - a.0)).clamp(0.0, 1.0) }
    };
    (0..knots).map(|i| at(i as f32 / (knots - 1) as f32)).collect()
}

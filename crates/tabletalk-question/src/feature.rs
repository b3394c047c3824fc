//! What speaks for a program: features, as numbers of a table of weights.
//!
//! All features are there or not. They come in blocks that many programs of a question share, so that a
//! block is scored once: what is asked, which rows are picked, each column and each condition.

mod asking;
mod column;
mod condition;
mod view;
mod whole;

use crate::candidate::{Candidate, Found};
use crate::mask::{Mask, gap};
use crate::program::{Ask, Pick};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use view::View;

/// How many weights there are; a power of two.
pub(crate) const WEIGHTS: usize = 1 << 18;

/// The features of all programs of a question.
#[derive(Debug, Default, Clone)]
pub struct Features {
    /// Features that several programs share.
    pub blocks: Vec<Vec<u32>>,
    /// For each program its blocks and its own features.
    pub programs: Vec<(Vec<u16>, Vec<u32>)>,
}

impl Features {
    /// The score of each program under these weights.
    pub fn scores(&self, weight: &dyn Fn(u32) -> f32) -> Vec<f32> {
        let sum = |ids: &[u32]| ids.iter().map(|id| weight(*id)).sum::<f32>();
        let blocks: Vec<f32> = self.blocks.iter().map(|b| sum(b)).collect();
        let of = |i: &u16| blocks.get(usize::from(*i)).copied().unwrap_or(0.0);
        self.programs.iter().map(|(shared, own)| shared.iter().map(of).sum::<f32>() + sum(own)).collect()
    }
}

/// Which block a program shares with others.
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
enum Part {
    Ask(u8),
    Pick(u8),
    Asked(u8, usize),
    Picked(u8, usize),
    Condition(usize),
}

/// The features of all programs of a question.
pub(crate) fn features(found: &Found<'_>) -> Features {
    let mut made = Features::default();
    let mut known: FxHashMap<Part, u16> = FxHashMap::default();
    let view = View::new(found);
    for candidate in &found.candidates {
        let parts = parts(candidate, found);
        let mut shared = Vec::with_capacity(parts.len());
        for part in parts {
            let number = *known.entry(part).or_insert_with(|| {
                made.blocks.push(view.block(part));
                (made.blocks.len() - 1) as u16
            });
            shared.push(number);
        }
        made.programs.push((shared, view.own(candidate)));
    }
    if found.is_claim {
        let ids = made.blocks.iter_mut().chain(made.programs.iter_mut().map(|(_, own)| own)).flatten();
        ids.for_each(|id| *id = id.wrapping_mul(OTHER) & (WEIGHTS as u32 - 1));
    }
    made
}

/// Statements have weights of their own: an odd number mixes the ids of their features.
const OTHER: u32 = 0x9e37_79b1;

/// The column whose cells are asked for or computed with.
pub(crate) fn asked(ask: &Ask) -> Option<usize> {
    match ask {
        Ask::Cells(c) | Ask::Distinct(c) | Ask::Fold(_, c) | Ask::Difference(c, _) => Some(*c),
        Ask::Group { column, .. } => Some(*column),
        Ask::Exceeds(c, ..)
        | Ask::FoldExceeds(_, c, ..)
        | Ask::ShareOf(c, _)
        | Ask::FoldDifference(_, c, _) => Some(*c),
        Ask::Holds(ask, _) | Ask::Denies(ask) | Ask::Compares(ask, _) => asked(ask),
        Ask::By(by) => asked(&by.ask).or_else(|| by.keys.first().map(|k| k.column)),
        Ask::ColumnDifference(c, _) | Ask::Apart(_, c, _) | Ask::Ratio(c, _) | Ask::Growth(c, _) => Some(*c),
        Ask::RowGrowth(c, _) | Ask::Times(c, _) | Ask::Rank(c, _) | Ask::Per(c, _) => Some(*c),
        Ask::Across(..) | Ask::EachColumn(..) | Ask::BestColumn { .. } | Ask::Table(_) => None,
        Ask::Count | Ask::CountDifference(_) | Ask::Share(_) => None,
        Ask::Exists | Ask::Every | Ask::Outnumbers(..) => None,
    }
}

/// The column that is compared to pick or to group.
fn compared(candidate: &Candidate) -> Option<usize> {
    match (&candidate.program.rows.pick, &candidate.program.ask) {
        (Some(Pick::Extreme { column, .. } | Pick::Apart { column, .. }), _) => Some(*column),
        (_, Ask::Group { sum, .. }) => *sum,
        (_, Ask::By(by)) => by.keys.first().map(|k| k.column),
        (_, Ask::ColumnDifference(_, other) | Ask::Apart(_, _, other)) => Some(*other),
        (_, Ask::Ratio(_, other) | Ask::Growth(_, other) | Ask::Per(_, other)) => Some(*other),
        _ => None,
    }
}

fn parts(candidate: &Candidate, found: &Found<'_>) -> Vec<Part> {
    let shape = candidate.shape;
    let mut parts = vec![Part::Ask(shape.ask), Part::Pick(shape.pick)];
    parts.extend(asked(&candidate.program.ask).map(|c| Part::Asked(shape.ask, c)));
    parts.extend(compared(candidate).map(|c| Part::Picked(shape.pick, c)));
    let links = found.scopes.get(candidate.scope).map_or(&[][..], |s| &s.links);
    parts.extend(links.iter().map(|l| Part::Condition(*l)));
    parts
}

/// The number of a feature: its kind and what it is about.
fn id(kind: u8, about: &[u64]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(kind);
    about.iter().for_each(|a| hasher.write_u64(*a));
    let hash = hasher.finish();
    ((hash ^ hash >> 29) as usize & (WEIGHTS - 1)) as u32
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// A share in five steps.
fn share(share: f32) -> u64 {
    match share {
        s if s <= 0.0 => 0,
        s if s < 0.34 => 1,
        s if s < 0.67 => 2,
        s if s < 0.99 => 3,
        _ => 4,
    }
}

/// A count in steps.
fn steps(n: usize) -> u64 {
    match n {
        0..=3 => n as u64,
        4..=5 => 4,
        6..=9 => 5,
        10..=19 => 6,
        _ => 7,
    }
}

/// How many words stand between the nearest two of two sets.
fn nearest(a: Mask, b: Mask) -> usize {
    (0..128).filter(|i| a >> i & 1 == 1).map(|i| gap(1 << i, b)).min().unwrap_or(99)
}

//! Several lists of candidates as one.

use super::Candidate;
use super::node::Ref;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tabletalk_core::Score;

/// How lists are made one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The sum of the scores times the weight of their list: keyword and sparse scores as a share of the best
    /// one, cosines as they are.
    #[default]
    Weighted,
    /// The sum of weight / (k + rank).
    Reciprocal,
    /// All of the first list, then what the second adds, and so on.
    Priority,
}

/// How keyword, dense, late and sparse candidates are made one list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fusion {
    /// How.
    pub method: Method,
    /// The weight of keyword search.
    pub keyword: f32,
    /// The weight of dense search.
    pub dense: f32,
    /// The weight of late interaction, where its index was made.
    pub late: f32,
    /// The weight of sparse vectors, where they are kept.
    pub sparse: f32,
    /// The weight of what a language model said a table is for, in searches for tables, where `clarify` made it.
    pub summary: f32,
    /// What is added to ranks under `reciprocal`.
    pub k: f32,
    /// Candidates that each gives.
    pub depth: usize,
}

impl Default for Fusion {
    fn default() -> Self {
        let method = Method::Weighted;
        Fusion {
            method,
            keyword: 0.15,
            dense: 0.85,
            late: 0.0,
            sparse: 0.0,
            summary: 0.0,
            k: 60.0,
            depth: 100,
        }
    }
}

/// Fusion for queries by their language: cosines of the encoders differ in how far they spread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fusions {
    /// For queries that are mostly Chinese.
    pub chinese: Fusion,
    /// For all others.
    pub other: Fusion,
}

impl Default for Fusions {
    // Found by trying on questions and statements over tables and passages of nine public sets.
    fn default() -> Self {
        let other = Fusion::default();
        Fusions { chinese: Fusion { keyword: 0.4, dense: 0.6, ..other.clone() }, other }
    }
}

/// A list, best first, and how much it counts.
pub(super) struct List {
    pub(super) weight: f32,
    /// Whether its scores are cosines.
    pub(super) cosines: bool,
    pub(super) found: Vec<Candidate>,
}

/// The lists as one, best first. A candidate keeps the parts of its score from every list.
pub(super) fn fuse(lists: Vec<List>, fusion: &Fusion) -> Vec<Candidate> {
    let mut lists: Vec<List> = lists.into_iter().filter(|l| !l.found.is_empty() && l.weight > 0.0).collect();
    if lists.len() == 1 {
        return lists.remove(0).found;
    }
    let many = lists.len();
    let mut at: HashMap<Ref, usize> = HashMap::new();
    let mut fused: Vec<Candidate> = Vec::new();
    for (l, list) in lists.into_iter().enumerate() {
        let shares = shares(&list, l, many, fusion);
        for (mut candidate, share) in list.found.into_iter().zip(shares) {
            candidate.score = share;
            match at.get(&candidate.node) {
                Some(&i) => join(&mut fused[i], candidate),
                None => {
                    at.insert(candidate.node.clone(), fused.len());
                    fused.push(candidate);
                }
            }
        }
    }
    fused.sort_by(|a, b| b.score.total_cmp(&a.score));
    fused
}

fn join(first: &mut Candidate, other: Candidate) {
    first.score += other.score;
    first.why.extend(other.why);
    if !first.layer.contains(&other.layer) {
        first.layer = format!("{} + {}", first.layer, other.layer);
    }
}

/// What each candidate of a list adds to the score.
fn shares(list: &List, number: usize, lists: usize, fusion: &Fusion) -> Vec<f32> {
    let scores = || list.found.iter().map(|c| c.score);
    let (low, high) = scores().fold((f32::MAX, f32::MIN), |(l, h), s| (l.min(s), h.max(s)));
    let share = |(rank, score): (usize, f32)| match fusion.method {
        Method::Weighted if list.cosines => list.weight * score,
        Method::Weighted => list.weight * if high > 0.0 { score / high } else { 0.0 },
        Method::Reciprocal => list.weight / (fusion.k + rank as f32 + 1.0),
        // Whole steps keep the lists apart; what is in several lists stays where its first list has it.
        Method::Priority => (lists - number) as f32 + 0.5 * scaled(score, low, high),
    };
    scores().enumerate().map(share).collect()
}

/// From 0 for the lowest of a list to 1 for its highest.
fn scaled(score: f32, low: f32, high: f32) -> f32 {
    if high > low { (score - low) / (high - low) } else { 1.0 }
}

/// The parts of a candidate's score, summed by name.
pub fn by_name(why: &[Score]) -> Vec<(String, f32)> {
    let mut sums: Vec<(String, f32)> = Vec::new();
    for part in why {
        match sums.iter_mut().find(|(name, _)| *name == part.name) {
            Some((_, sum)) => *sum += part.value,
            None => sums.push((part.name.clone(), part.value)),
        }
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(weight: f32, found: &[(i64, f32)]) -> List {
        let one =
            |(document, score): &(i64, f32)| Candidate::new(Ref::Root { document: *document }, *score, "x");
        List { weight, cosines: false, found: found.iter().map(one).collect() }
    }

    fn order(lists: Vec<List>, method: Method) -> Vec<i64> {
        let fusion = Fusion { method, ..Fusion::default() };
        fuse(lists, &fusion).iter().map(|c| c.node.document()).collect()
    }

    #[test]
    fn what_several_lists_find_comes_first() {
        let lists =
            || vec![list(0.5, &[(1, 9.0), (2, 8.0), (9, 0.0)]), list(0.5, &[(3, 0.9), (2, 0.8), (8, 0.1)])];
        assert_eq!(order(lists(), Method::Weighted)[0], 2);
        assert_eq!(order(lists(), Method::Reciprocal)[0], 2);
    }

    #[test]
    fn priority_keeps_the_first_list_before_the_second() {
        let lists = vec![list(1.0, &[(1, 0.2), (2, 0.1)]), list(1.0, &[(3, 99.0), (4, 98.0)])];
        assert_eq!(order(lists, Method::Priority), [1, 2, 3, 4]);
    }

    #[test]
    fn a_list_of_no_weight_does_not_count() {
        assert_eq!(order(vec![list(1.0, &[(1, 0.2)]), list(0.0, &[(3, 99.0)])], Method::Weighted), [1]);
    }
}

//! What stores of vectors have in common.

use crate::facets::Rule;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use tabletalk_core::Error;
use tabletalk_core::seam::store::{Near, Point, Space};

/// The last point with each key: batches are written in no order, so that no key may stand in two.
pub(crate) fn last_of_each(points: &[Point]) -> Vec<&Point> {
    let mut last = HashMap::with_capacity(points.len());
    for (at, point) in points.iter().enumerate() {
        last.insert(point.key, at);
    }
    match last.len() == points.len() {
        true => points.iter().collect(),
        false => {
            points.iter().enumerate().filter(|(at, p)| last.get(&p.key) == Some(at)).map(|(_, p)| p).collect()
        }
    }
}

/// A vector of length 1, so that inner products are cosines; one of length 0 stays as it is.
pub(crate) fn of_length_one(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    match length > 0.0 && length.is_finite() {
        true => vector.iter().map(|x| (f64::from(*x) / length) as f32).collect(),
        false => vector.to_vec(),
    }
}

/// That a space was made for something else than is asked for.
pub(crate) fn unfit(store: &str, space: &Space, what: &str, has: &str, wants: &str) -> Error {
    let Space { embed, group } = space;
    Error::input(format!(
        "the {what} of the vectors under `{embed}` of `{group}` in {store} is {has}, not {wants}"
    ))
    .hint("go back to what it was made with, take another `prefix`, or remove the space and add all again")
}

/// That a name is too long for the engine.
pub(crate) fn too_long(store: &str, name: &str) -> Error {
    Error::input(format!("`{name}` is too long for a name in {store}"))
        .hint("give the group or the embed key a shorter name")
}

/// That a space is not there to be written to.
pub(crate) fn gone(store: &str, name: &str) -> Error {
    Error::missing(format!("{store} has no collection `{name}`"))
        .hint("was the space removed meanwhile? Open the library again")
}

/// The rule that a point is of one of these documents.
pub(crate) fn of_documents(documents: &[i64]) -> Rule {
    Rule::Is("d".into(), documents.iter().map(|d| Value::from(*d)).collect())
}

/// The best `k`, each once, the best first; of equally good ones the smaller key.
pub(crate) fn best(mut found: Vec<Near>, k: usize) -> Vec<Near> {
    let mut seen = HashSet::with_capacity(found.len());
    found.retain(|near| seen.insert(near.key));
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    found.truncate(k);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_each_key_stays_in_place() {
        let point = |key, document| Point { key, document, facets: Vec::new(), vector: Vec::new() };
        let points = [point(1, 1), point(2, 2), point(1, 3), point(3, 4)];
        let documents: Vec<i64> = last_of_each(&points).iter().map(|p| p.document).collect();
        assert_eq!(documents, [2, 3, 4]);
    }

    #[test]
    fn the_best_are_found_once() {
        let near = |key, score| Near { key, score };
        let found = best(vec![near(3, 0.5), near(2, 0.9), near(1, 0.5), near(2, 0.9), near(4, 0.1)], 3);
        assert_eq!(found, [near(2, 0.9), near(1, 0.5), near(3, 0.5)]);
    }

    #[test]
    fn vectors_become_as_long_as_one() {
        assert_eq!(of_length_one(&[3.0, 4.0]), [0.6, 0.8]);
        assert_eq!(of_length_one(&[0.0, 0.0]), [0.0, 0.0]);
    }
}

//! What every vector store must do.

mod basic;
mod filter;
mod many;
mod space;

use super::brute;
use super::random::Random;
use super::{facets, run_all};
use std::collections::BTreeSet;
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::{Allow, Near, Point, Space};

/// Opens a handle on the store with a prefix.
pub type Make<'a> = dyn Fn(&str) -> Box<dyn VectorStore> + 'a;

/// What a check works with.
pub struct Bench<'a> {
    make: &'a Make<'a>,
    prefix: &'a str,
}

/// One check.
pub type Check = fn(&Bench<'_>);

/// The length of vectors, where it does not matter.
const DIM: usize = 16;
/// What makes them.
const MODEL: &str = "model-a/v1";

impl Bench<'_> {
    /// A handle on the store of this check.
    fn open(&self) -> Box<dyn VectorStore> {
        (self.make)(self.prefix)
    }

    /// A handle on the store of another library, whose prefix begins like that of this check.
    fn neighbour(&self, more: &str) -> Box<dyn VectorStore> {
        (self.make)(&format!("{}{more}", self.prefix))
    }

    /// A handle, and a space in it that holds these points.
    fn filled(&self, points: &[Point]) -> (Box<dyn VectorStore>, Space) {
        let (store, space) = (self.open(), space("e", "g"));
        store.prepare(&space, points.first().map_or(DIM, |p| p.vector.len()), MODEL).unwrap();
        store.put(&space, points).unwrap();
        (store, space)
    }
}

macro_rules! checks {
    ($($module:ident: $($name:ident),+;)+) => {
        vec![$($((stringify!($name), $module::$name as Check)),+),+]
    };
}

/// All checks by name.
pub fn all() -> Vec<(&'static str, Check)> {
    checks! {
        basic: finds_what_was_put, cosines_are_right, k_beyond_what_there_is, replaces_by_key,
            the_last_of_two_with_one_key_stays, removes_by_key, removes_by_document,
            puts_and_removes_twice_as_once, empty_lists, gives_vectors_back, large_keys,
            another_length_is_refused, counts, says_its_name;
        filter: text_in_any_case, numbers, numbers_and_text, dates, booleans, several_values,
            ranges_of_numbers, ranges_of_text, all_filters_must_hold, odd_field_names, odd_values, missing_field, long_values,
            named_documents, named_and_filtered, many_named_documents, facets_are_replaced;
        space: several_spaces, odd_names, prepared_twice, prepared_by_several_at_once,
            several_spaces_made_at_once, another_dimension, another_model, dropped_and_made_again, not_there,
            empty_space, other_prefixes;
        many: ten_thousand_points, recall_under_filters, keys_in_pages, several_writers, reads_while_writing,
            many_removals, long_vectors;
    }
}

/// Runs all checks over a store; fails in the end if one did.
pub fn run(make: &Make<'_>) {
    let clean = |prefix: &str| {
        let store = make(prefix);
        for space in store.spaces().unwrap() {
            store.drop_space(&space).unwrap();
        }
    };
    run_all("vector", &all(), |check, prefix| check(&Bench { make, prefix }), clean);
}

fn space(embed: &str, group: &str) -> Space {
    Space { embed: embed.into(), group: group.into() }
}

fn point(key: u64, document: i64, fields: &[(&str, &str)], vector: Vec<f32>) -> Point {
    Point { key, document, facets: facets(fields), vector }
}

/// Points in any direction, three to a document, with a few fields.
fn points(n: usize, seed: u64) -> Vec<Point> {
    let mut random = Random::new(seed);
    let one = |i: usize| {
        let document = 1 + i as i64 / 3;
        let year = (2000 + document % 20).to_string();
        let kind = ["csv", "PDF", "xlsx"][document as usize % 3];
        point(1 + i as u64, document, &[("year", &year), ("type", kind)], random.direction(DIM))
    };
    (0..n).map(one).collect()
}

/// A direction to look into.
fn query(seed: u64) -> Vec<f32> {
    Random::new(seed ^ 0xabcd).direction(DIM)
}

fn keys_of(found: &[Near]) -> BTreeSet<u64> {
    found.iter().map(|n| n.key).collect()
}

/// Searches, and compares with what should be found.
fn check(store: &dyn VectorStore, space: &Space, points: &[Point], query: &[f32], k: usize, allow: &Allow) {
    let found = store.search(space, query, k, allow).unwrap().expect("the space is there");
    let mut want = brute::nearest(points, query, allow);
    let names = |list: &[Near]| list.iter().map(|n| n.key).take(20).collect::<Vec<_>>();
    let shown = |found: &[Near], want: &[Near]| {
        format!("filters {:?}: found {:?}, should {:?}", allow.filters, names(found), names(want))
    };
    let score_of = |key: u64| want.iter().find(|n| n.key == key).map(|n| n.score);
    for near in &found {
        let score = score_of(near.key);
        assert!(score.is_some(), "{} must not be found; {}", near.key, shown(&found, &want));
        assert!((score.unwrap() - near.score).abs() < 1e-3, "{} has the cosine {score:?}", near.key);
    }
    want.truncate(k);
    assert_eq!(found.len(), want.len(), "{}", shown(&found, &want));
    assert_eq!(keys_of(&found).len(), found.len(), "something is found twice: {}", shown(&found, &want));
    for (found_one, wanted) in found.iter().zip(&want) {
        assert!(
            (found_one.score - wanted.score).abs() < 1e-3,
            "the order is wrong: {}",
            shown(&found, &want)
        );
    }
}

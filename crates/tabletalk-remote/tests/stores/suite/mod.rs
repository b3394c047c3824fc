//! One suite for all stores: what [`VectorStore`] and [`SegmentStore`] promise, checked from outside.
//!
//! A runner gives a function that opens a handle on the store with a prefix; called again it gives another
//! handle on the same store, as another process would have. Every check has a prefix of its own and is named
//! when it fails; the others go on. `CHECK=name,name` runs only the checks whose names hold one of these.
//! `cargo test -- --nocapture` shows how long each took.
//!
//! Where the contract is silent, this is what is asked for, so that no store surprises where another does
//! not:
//! - What is not there has nothing in it: `count` is 0, lists are empty, removing and dropping succeed. Only
//!   the search of a space tells.
//! - Of two points, entries or documents with one key in one call, the last stays.
//! - A list of documents that is empty, or `Is` without values, lets nothing through; `k` 0 and `limit` 0
//!   give nothing.
//! - Text is ordered by its characters, as Rust orders it, not by a language.
//! - Field names, names and terms are told apart by case.
//! - `segments` leaves out what is gone. `changes` may end within a change where its limit is reached; else
//!   it shows all of a change or nothing of it.
//! - `reserve` gives numbers from 1 on; `clear` ends leases too.
//! - Required words are looked for in all fields of words, whatever the fields of the word.
//! - A library whose prefix begins like that of another one sees nothing of it, and clears nothing of it.
//!
//! ```ignore
//! #[path = "suite/mod.rs"]
//! mod suite;
//!
//! #[test]
//! fn vectors() {
//!     suite::vector::run(&|prefix| Box::new(open(prefix)));
//! }
//!
//! #[test]
//! fn segments() {
//!     suite::segment::run(&|prefix| Box::new(open(prefix)), suite::Scores::exact());
//! }
//! ```

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod brute;
mod random;
pub mod segment;
pub mod vector;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tabletalk_core::seam::store::{Allow, Facet, Facets, Filter, Test};
use tabletalk_core::{Error, Fault};

/// How near the scores of a segment store must be to BM25F.
#[derive(Debug, Clone, Copy)]
pub struct Scores {
    /// The largest relative difference; when `None`, only hits and the order of clear cases are compared.
    pub fresh: Option<f32>,
    /// The same once entries were replaced or removed: some engines count those for a while.
    pub stale: Option<f32>,
}

impl Scores {
    /// Those of a store that computes BM25F itself.
    pub fn exact() -> Self {
        Scores { fresh: Some(1e-3), stale: Some(1e-3) }
    }

    /// Those of a store that counts removed entries for a while.
    pub fn exact_while_fresh() -> Self {
        Scores { fresh: Some(1e-3), stale: None }
    }

    /// Those of a store with a formula of its own.
    pub fn order() -> Self {
        Scores { fresh: None, stale: None }
    }
}

/// Runs checks one after the other, each under a prefix of its own, and fails in the end if one did. `clean`
/// removes what a check left behind.
fn run_all<C>(title: &str, checks: &[(&str, C)], run: impl Fn(&C, &str), clean: impl Fn(&str)) {
    let wanted = std::env::var("CHECK").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    let base = unique();
    let mut failed = Vec::new();
    for (number, (name, check)) in checks.iter().enumerate() {
        if !wanted.is_empty() && !wanted.iter().any(|w| name.contains(w)) {
            continue;
        }
        let (prefix, begun) = (format!("{base}_{number}"), Instant::now());
        let outcome = catch_unwind(AssertUnwindSafe(|| run(check, &prefix)));
        let took = begun.elapsed().as_secs_f32();
        match &outcome {
            Ok(()) => eprintln!("{title}: ok     {name} ({took:.2} s)"),
            Err(panic) => {
                eprintln!("{title}: FAILED {name} ({took:.2} s): {}", said(&**panic));
                failed.push(format!("{name}: {}", said(&**panic)));
            }
        }
        drop(catch_unwind(AssertUnwindSafe(|| clean(&prefix))));
    }
    assert!(failed.is_empty(), "{title}: {} checks failed\n{}", failed.len(), failed.join("\n"));
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?").to_owned()
}

/// A short name that no other run has: small letters and digits.
fn unique() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    format!("t{:08x}{:04x}", now >> 20 & 0xffff_ffff, std::process::id() & 0xffff)
}

/// The facets of a document whose fields have these values.
fn facets(fields: &[(&str, &str)]) -> Facets {
    fields.iter().map(|(name, value)| ((*name).to_owned(), Facet::of(value))).collect()
}

/// A field that is one of some values.
fn is(field: &str, values: &[&str]) -> Filter {
    Filter { field: field.into(), test: Test::Is(values.iter().map(|v| (*v).to_owned()).collect()) }
}

/// A field that is at least a value.
fn from(field: &str, value: &str) -> Filter {
    Filter { field: field.into(), test: Test::From(value.into()) }
}

/// A field that is at most a value.
fn to(field: &str, value: &str) -> Filter {
    Filter { field: field.into(), test: Test::To(value.into()) }
}

/// Documents that pass some filters.
fn with(filters: Vec<Filter>) -> Allow {
    Allow { filters, documents: None }
}

/// Documents that are named.
fn among(documents: Vec<i64>) -> Allow {
    Allow { filters: Vec::new(), documents: Some(documents) }
}

/// Everything.
fn everything() -> Allow {
    Allow::default()
}

/// An error of input, with a cure, that names all of these.
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, names: &[&str]) {
    let error = result.expect_err("it should be refused");
    assert_eq!(error.fault(), Fault::Input, "{error}");
    for name in names {
        assert!(error.message().contains(name), "`{name}` is not named: {error}");
    }
    assert!(error.cure().is_some(), "there is no hint: {error}");
}

/// Names of spaces, groups, leases and ids that are hard on engines. All are different.
const ODD_NAMES: [&str; 16] = [
    "plain",
    "Plain",
    "with space",
    "with_space",
    "with-space",
    "dots.and.more",
    "slash/and\\back",
    "quote\"and'tick`",
    "主题·中文",
    "ÄÖü ß é",
    "*?<>|,#:",
    "_leading",
    "-minus",
    "%25 & $x {y} [z];--",
    "123",
    "🙂",
];

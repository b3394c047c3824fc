//! End-to-end tests: they drive the real binary.

#![allow(unreachable_pub, reason = "a test exports nothing")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is what a test is for")]

// What `add`, `sync`, `forget`, `docs` and `tables` do.
mod add;
// Questions, statements and SQL, without a language model.
mod answers;
// A real browser.
mod browser;
// Charts, files, reports, feedback and models over HTTP.
mod comfort;
// Questions answered with a language model.
mod chat;
// The library, used from Rust.
mod api;
// Files that cannot be read, and what is said about them.
mod bad_input;
// What earlier versions wrote.
mod compat;
// Kills at random points.
mod crash;
// Tables that live in a database, on a real server.
#[cfg(feature = "source-postgres")]
mod databases;
// Damage and its repair.
mod doctor;
// Documents, from the file to the cited cell.
mod documents;
// Everyday files and questions.
mod everyday;
// The example files.
mod examples;
// Evaluation.
mod eval;
// Groups of the user.
mod groups;
// The page, in a real browser.
mod page;
// Answers in sentences, and out of texts.
mod prose;
// Trees of summaries, and groups that a language model makes.
mod raptor;
// What the README and the guides show.
mod readme;
// Questions over several tables.
mod related;
// Libraries that may only be read, and folders that must be nobody else's.
mod rights;
// A language model that goes through a script.
mod script;
// What searching finds.
mod search;
// A real server, called over HTTP.
mod serving;
// Libraries in stores that others use too.
mod shared;
// What is shown.
mod show;
// Sparse vectors.
mod sparse;
// The smallest models there can be.
#[path = "../../tabletalk-model/src/tiny.rs"]
mod tiny;
// How the command line meets people.
mod manners;
// Finding a language model, and doing without one.
mod model;
// Vectors, rerankers and layered recall.
mod meaning;
// A directory, a command.
mod world;

/// The program that is tested.
fn program() -> &'static std::path::Path {
    assert_cmd::cargo::cargo_bin!("tabletalk")
}

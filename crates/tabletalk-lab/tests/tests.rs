//! End-to-end tests: they drive the real binary.

#![allow(unreachable_pub, reason = "a test exports nothing")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is what a test is for")]

// Measuring speed and memory.
mod bench;
// Experiments, their reports, and public sets.
mod experiment;
// A language model that goes through a script.
#[allow(dead_code, reason = "it is shared with the tests of the product")]
#[path = "../../tabletalk/tests/script.rs"]
mod script;
// A directory, a command.
#[allow(dead_code, reason = "it is shared with the tests of the product")]
#[path = "../../tabletalk/tests/world.rs"]
mod world;

/// The program that is tested.
fn program() -> &'static std::path::Path {
    assert_cmd::cargo::cargo_bin!("tabletalk-lab")
}

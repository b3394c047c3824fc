//! Random programs: an error or a result, never a panic.

use crate::common::relations;
use proptest::prelude::*;
use std::sync::LazyLock;
use tabletalk_core::Fault;
use tabletalk_sql::{Limits, Sandbox, Stop};

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    Sandbox::new(Limits { time_ms: 5_000, memory: 64 << 20, threads: 1, ..Limits::default() }).unwrap()
});

const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "sales",
    "City",
    "\"Total Sales\"",
    "Price",
    "(",
    ")",
    ",",
    "*",
    "=",
    "<",
    "+",
    "/",
    "'x'",
    "1",
    "count(*)",
    "sum(Price)",
    "AND",
    "NOT",
    "NULL",
    "AS",
    "a",
    "JOIN",
    "ON",
    "world_cities",
    "WITH",
    "UNION",
    "DISTINCT",
    "CASE WHEN",
    "THEN",
    "ELSE",
    "END",
    "IN",
    "LIKE",
    "BETWEEN",
    "OVER ()",
    "||",
    "IS",
    "::int",
    "-",
    ";",
    ".",
    "[",
    "]",
    "{",
    "DESC",
    "HAVING",
    "row_id",
    "\"",
    "'",
    "--",
];

fn survives(sql: &str) {
    if let Err(e) = SANDBOX.run(&relations(), sql, &Stop::new()) {
        assert!(!e.to_string().contains("query engine failed"), "{sql}: {e}");
        assert_ne!(e.fault(), Fault::Io, "{sql}: {e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_survived(sql in "\\PC{0,200}") {
        survives(&sql);
    }

    #[test]
    fn any_row_of_words_is_survived(words in prop::collection::vec(prop::sample::select(WORDS), 0..25)) {
        survives(&format!("SELECT {}", words.join(" ")));
    }
}

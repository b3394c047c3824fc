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

const STATEMENTS: &[&str] = &[
    "SELECT City , sum ( \"Total Sales\" ) AS s FROM sales WHERE Price > 1 GROUP BY City HAVING count ( * ) > 1 ORDER BY s DESC LIMIT 2",
    "SELECT a . City , b . country FROM sales a JOIN world_cities b ON a . City = b . name WHERE b . people > 5",
    "WITH t AS ( SELECT City , avg ( Price ) AS p FROM sales GROUP BY City ) SELECT max ( p ) FROM t WHERE p < 2",
    "SELECT City , rank ( ) OVER ( PARTITION BY Paid ORDER BY Price ) FROM sales UNION SELECT name , 1 FROM world_cities",
    "SELECT CASE WHEN Paid THEN upper ( City ) ELSE Note || 'x' END FROM sales WHERE City IN ( SELECT name FROM world_cities )",
];

/// One of the statements, some of whose words are others.
fn changed() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), prop::sample::select(WORDS));
    (prop::sample::select(STATEMENTS), prop::collection::vec(change, 0..4)).prop_map(
        |(statement, changes)| {
            let mut words: Vec<&str> = statement.split(' ').collect();
            for (at, word) in changes {
                let at = at.index(words.len());
                words[at] = word;
            }
            words.join(" ")
        },
    )
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

    #[test]
    fn any_change_of_a_statement_is_survived(sql in changed()) {
        // What the engine itself cannot plan may be called its mistake, but must not end it.
        let _ = SANDBOX.run(&relations(), &sql, &Stop::new());
        prop_assert!(SANDBOX.run(&relations(), "SELECT count(*) FROM sales", &Stop::new()).is_ok());
    }
}

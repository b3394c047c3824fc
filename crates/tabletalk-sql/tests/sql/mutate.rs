//! Statements cut up and put together again: the walk over their names ends without a panic, whatever comes.
//!
//! `MUTATE_SECONDS=600 cargo test --test sql mutate -- --nocapture` goes on for that long.

use crate::common::relations;
use std::time::{Duration, Instant};
use tabletalk_core::Fault;
use tabletalk_sql::{Limits, Sandbox};

const SHAPES: &str = include_str!("../data/attacks-by-shape.txt");
const BY_HAND: &str = include_str!("../data/attacks.txt");
const ROUNDS: usize = 400;

/// Signs and words that change what follows them.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "`",
    ",",
    ";",
    "--",
    "/*",
    "*/",
    "\\",
    "\0",
    "$$",
    "::",
    "->",
    "*",
    "1e9",
    "é",
    "\u{202e}",
    " SELECT ",
    " FROM ",
    " WITH ",
    " AS ",
    " JOIN ",
    " ON ",
    " USING ",
    " OVER ",
    " ORDER BY ",
    " GROUP BY ",
    " CASE ",
    " WHEN ",
    " END ",
    " NOT ",
    " IN ",
    " LIKE ",
    " BETWEEN ",
    " AND ",
    " IS NULL ",
    " INTERVAL ",
    " CAST ",
    " EXISTS ",
    " UNION ",
    " VALUES ",
    " LATERAL ",
    " FILTER ",
    " WITHIN GROUP ",
    " QUALIFY ",
    " sales ",
    " City ",
    " count ",
];

struct Dice(u64);

impl Dice {
    fn throw(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

/// The statements of both lists, at a fraction of their size.
fn seeds() -> Vec<String> {
    let cases = SHAPES.split("\n== ").chain(BY_HAND.split("\n== ")).skip(1);
    let sql = cases.filter_map(|case| case.splitn(3, '\n').nth(2)).map(|sql| shortened(sql.trim_end()));
    sql.filter(|sql| sql.len() < 2_000).collect()
}

/// `{{40:ab}}` as `ababab`.
fn shortened(text: &str) -> String {
    let mut parts = text.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (repeated, rest) = part.split_once("}}").unwrap_or((part, ""));
        out.push_str(&repeated.split_once(':').map_or("", |(_, what)| what).repeat(3));
        out.push_str(rest);
    }
    out
}

fn changed(seeds: &[String], dice: &mut Dice) -> String {
    let mut letters: Vec<char> = seeds[dice.throw(seeds.len())].chars().collect();
    for _ in 0..=dice.throw(5) {
        let at = dice.throw(letters.len());
        let to = (at + dice.throw(12)).min(letters.len());
        match dice.throw(6) {
            0 => letters.truncate(at),
            1 => drop(letters.splice(at..at, TOKENS[dice.throw(TOKENS.len())].chars())),
            2 => drop(letters.drain(at..to)),
            3 => {
                let piece: Vec<char> = letters[at..to].to_vec();
                let piece = piece.iter().cycle().take(piece.len() * (1 + dice.throw(30))).copied();
                letters.splice(at..at, piece.collect::<Vec<_>>());
            }
            4 => {
                let other: Vec<char> = seeds[dice.throw(seeds.len())].chars().collect();
                let from = dice.throw(other.len());
                letters.splice(at..to, other[from..].iter().take(40).copied());
            }
            _ => letters.iter_mut().skip(at).take(1).for_each(|c| *c = char::from(dice.throw(128) as u8)),
        }
    }
    letters.into_iter().collect()
}

#[test]
#[allow(clippy::print_stderr)]
fn the_walk_over_a_statement_ends_without_a_panic() {
    let seconds = std::env::var("MUTATE_SECONDS").ok().map(|s| Duration::from_secs(s.parse().unwrap()));
    let sandbox = Sandbox::new(Limits { threads: 1, ..Limits::default() }).unwrap();
    let (relations, mut seeds) = (relations(), seeds());
    let (mut dice, begun) = (Dice(0x2545_f491_4f6c_dd1d), Instant::now());
    let (mut inputs, mut taken, kept) = (0, 0, seeds.len() * 2);
    while seconds.map_or(inputs < ROUNDS, |s| begun.elapsed() < s) {
        let sql = changed(&seeds, &mut dice);
        match sandbox.read(&relations, &sql) {
            Ok(()) => {
                taken += 1;
                if seeds.len() < kept {
                    seeds.push(sql);
                }
            }
            Err(e) => {
                assert_ne!(e.fault(), Fault::Bug, "{e}: {sql:?}");
                assert!(!e.message().contains("reading it fails"), "a panic: {sql:?}");
                assert!(!e.message().contains("took longer"), "reading does not end: {sql:?}");
            }
        }
        inputs += 1;
    }
    if seconds.is_some() {
        eprintln!("statements: {inputs} inputs, {taken} of them allowed");
    }
}

//! Reads questions over a table as programs, without a language model.
//!
//! [`read`] takes a question and a [`Subject`] (a table) and gives [`Reading`]s, the likeliest first: each a
//! [`Program`] with its SQL, its meaning in words, the words of the question that it rests on, and how sure
//! it is. [`judge`] says whether a statement holds. English and Chinese.
//!
//! A question is taken apart (`analyse`), its words are linked to columns and cells (`link`), the programs
//! that its words leave open are listed and run in memory (`candidate`), and a log-linear model that was
//! learned from questions and their answers chooses among them (`feature`, `score`).
//!
//! A large table is read from a part of its rows that has those with words of the question: programs are then
//! chosen by that part, and their SQL is run over all.
//!
//! This crate must not know files, indexes, SQL engines or language models.
//!
//! ```
//! use tabletalk_core::{Place, Rows};
//! use tabletalk_question::{Grid, Subject, read};
//!
//! let texts = |row: &[&str]| row.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
//! let rows = [texts(&["Oslo", "1200"]), texts(&["Paris", "950"])];
//! let table = tabletalk_read::understand::table(&texts(&["City", "Sales"]), &rows, &Place::file("t.csv"));
//! let Rows::Memory(batches) = &table.rows else { return };
//! let grid = Grid::new(&table.columns, batches, true);
//!
//! let subject = Subject { relation: "t", title: "", grid: &grid };
//! let readings = read("What are the sales of Paris?", &subject, None);
//! let best = &readings[0];
//! assert_eq!(best.answer.values, ["950"]);
//! assert_eq!(best.program.words(&grid), "Sales where City is Paris");
//! assert!(best.program.sql(&subject).starts_with(r#"SELECT "Sales" FROM "t" WHERE "City" = 'Paris'"#));
//! ```

mod amount;
mod analyse;
mod candidate;
mod choice;
mod claim;
mod clock;
mod compare;
mod cue;
pub mod denote;
mod execute;
mod feature;
mod flaw;
mod follow;
mod forest;
mod grammar;
mod grid;
mod judge;
pub mod learn;
mod link;
pub mod locate;
mod mask;
mod pair;
mod program;
mod prospect;
mod read;
pub mod relate;
mod scope;
mod score;
mod shape;
pub mod span;
mod sql;
mod tabulate;
mod trust;
mod view;
pub mod weigh;
mod wide;
mod word;
mod words;

pub use execute::{Answer, execute};
pub use follow::Turn;
pub use grammar::says_none;
pub use grid::{Grid, is_missing};
pub use judge::{Verdict, judge, judge_with};
pub use locate::Located;
pub use program::{Ask, By, Condition, Fold, Key, Period, Pick, Program, Rows, Test, Value};
pub use read::{Link, Reading, SURE, Subject, Understanding, read, understand, understand_with};
pub use view::{Join, Joined, Side, Tally, View, join, tally};

#[cfg(test)]
mod tests;

//! Typed tables and read-only SQL in a sandbox.
//!
//! A statement is read, every name in it is found among the relations, and only then is it planned; what
//! the walk of names does not know is refused. The planner sees a catalogue of exactly the relations that
//! the statement names and a list of functions that are allowed: there is nothing else to be reached.
//!
//! What is forgiven: names without case or punctuation (`total_sales` for `"Total Sales"`), texts in double
//! quotes where no column has that name, numbers that are texts. `/` gives decimals, and nothing by zero;
//! a cast that fails gives nothing; dates subtract to days. Rows that are totals are left out of a relation
//! `t` and are in `"t (all rows)"`. Functions that give something else each time (`now`, `random`) are
//! absent: the same statement over the same rows gives the same result, but for the last digits of sums of
//! decimals, which threads add up in the order in which they finish.
//!
//! This crate must not know how relations are stored or found, nor models or HTTP. It is synchronous.
//!
//! ```
//! use tabletalk_core::{Batch, Column, Kind};
//! use tabletalk_sql::{Limits, Relation, Sandbox, Source, Stop};
//!
//! let columns = vec![Column::new("Total Sales", Kind::Integer, 1)];
//! let source = Source::Memory(Vec::<Batch>::new());
//! let relations = vec![Relation { name: "sales".into(), columns, rows: 0, source }];
//! let sandbox = Sandbox::new(Limits::default())?;
//! let ran = sandbox.run(&relations, "SELECT count(total_sales) FROM Sales", &Stop::new())?;
//! assert_eq!(ran.rows[0][0].to_string(), "0");
//! let error = sandbox.run(&relations, "SELECT ttal_sales FROM sales", &Stop::new()).unwrap_err();
//! assert_eq!(error.message(), "no column `ttal_sales` in \"sales\"");
//! # Ok::<(), tabletalk_core::Error>(())
//! ```

mod cell;
mod clock;
mod constant;
mod dialect;
mod engine;
mod fault;
mod file;
mod function;
mod joined;
mod limits;
mod lineage;
mod meter;
mod names;
mod parse;
mod planner;
mod pool;
mod push;
mod ran;
mod relation;
mod resolve;
mod run;
mod runtime;
mod sandbox;
mod scope;
mod stop;
mod table;
mod timed;
mod trace;
mod weight;

pub use cell::Cell;
pub use limits::Limits;
pub use names::{nearest, suggestion};
pub use ran::{Output, Ran, Shipped, Used};
pub use relation::{ALL_ROWS, Relation, Relations, Source, TEXT};
pub use sandbox::Sandbox;
pub use stop::Stop;
pub use table::ROW_ID;

//! The nouns and the seams of tabletalk.
//!
//! Everything else is built from what stands here: a [`Document`] is read from a file, its tables and
//! text are [`Node`]s in named groups, each with a [`Place`] in the source; a search gives [`Hit`]s.
//! The traits other crates implement are all in [`seam`].
//!
//! This crate must not know files, the network, threads or SQL.
//!
//! ```
//! use tabletalk_core::{Place, value};
//! let place = Place::file("book.xlsx").sheet("Sales").cells(1..=9, 1..=3);
//! assert_eq!(place.to_string(), "book.xlsx!Sales!A1:C9");
//! assert_eq!(value::number("1,200").map(|n| n.value), Some(1200.0));
//! ```

pub mod answer;
pub mod chat;
pub mod correct;
pub mod document;
pub mod error;
pub mod home;
pub mod matrix;
pub mod node;
pub mod place;
pub mod seam;
pub mod table;
pub mod value;

pub use answer::{Answer, Basis, Citation, Grid, Outcome, Program, Reading, Step, Verdict};
pub use correct::{ColumnCorrection, Correction, RowCorrection};
pub use document::{Block, Document};
pub use error::{Error, Fault, Result};
pub use home::{Home, HomeColumn, Refers};
pub use matrix::Matrix;
pub use node::{Hit, Node, Score};
pub use place::{Place, Placed, Rejection};
pub use table::{Batch, Cells, Column, Kind, Layout, Mark, RowStream, Rows, Stats, Table};

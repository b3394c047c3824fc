//! tabletalk: ask questions over piles of tables and documents, cited to the cell.
//!
//! ```no_run
//! use tabletalk::{Config, Place, open};
//! let library = open(&Config::default(), ".tabletalk".as_ref(), true)?;
//! library.add(&["examples".into()], &tabletalk::AddOptions::default(), &tabletalk::Unwatched)?;
//! for hit in library.search("units shipped to Oslo", &Default::default())?.hits {
//!     println!("{} {}", hit.node.place, hit.score);
//! }
//! # Ok::<(), tabletalk::Error>(())
//! ```

// The command line is written as a user of this crate.
extern crate self as tabletalk;

#[doc(hidden)]
pub mod cli;

pub use tabletalk_library::*;

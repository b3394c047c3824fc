//! PostgreSQL as a place where tables are: they are read, and nothing is ever written.
//!
//! Every session can only read, in transactions that can only read, with a time-out and nothing but `pg_catalog` on its search
//! path; a statement goes as a prepared one, so that there is never more than one of it, and its texts go beside it. Which
//! statements there are is decided before: by the walk over them and by what can be written at all.

mod address;
mod decode;
mod list;
mod sample;
mod secret;
mod session;
mod told;

pub use session::Postgres;

use arrow_array::ArrayRef;
use tabletalk_core::Result;
use tabletalk_core::seam::database::{Bounds, Database, Fetched, Listed, Statement, Take};

impl Database for Postgres {
    fn address(&self) -> &str {
        self.shown()
    }

    fn tables(&self) -> Result<Vec<Listed>> {
        list::tables(self)
    }

    fn sample(
        &self,
        listed: &Listed,
        most: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<ArrayRef>>> {
        sample::sample(self, listed, most, stop)
    }

    fn letters(&self) -> Result<Option<String>> {
        self.letters_known()
    }

    fn run(&self, statement: &Statement, bounds: &Bounds<'_>, take: Take<'_>) -> Result<Fetched> {
        self.fetch_all(statement, bounds, take)
    }
}

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

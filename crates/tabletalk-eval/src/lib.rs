//! Evaluation: how good the answers are, measured. Questions with known answers are asked of a library that is made
//! for them alone; what comes of each is kept, and figures with their intervals are made from that.

pub mod answers;
pub mod compare;
pub mod corpus;
pub mod everyday;
pub mod figure;
pub mod generate;
pub mod machine;
pub mod metric;
pub mod names;
pub mod own;
pub mod query;
pub mod record;
pub mod retrieval;
pub mod run;

pub use corpus::Corpus;
pub use metric::Mean;
pub use query::Query;
pub use run::Run;

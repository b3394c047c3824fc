//! Figures of merit: whether an answer is right, how good a ranking is, and how sure a figure is.

pub mod citation;
pub mod denote;
pub mod mean;
pub mod paired;
pub mod rank;
pub mod text;
mod unicode;
pub mod verdict;

pub use citation::is_cited;
pub use denote::{is_denoted, is_denoted_as, reading};
pub use mean::Mean;
pub use paired::Paired;
pub use rank::Ranks;
pub use text::{exact_match_of_list, f1_of_list};
pub use verdict::macro_f1_mean;

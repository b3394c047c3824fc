//! Stores that keep everything in memory, for tests.
//!
//! They look at everything in every search, so they are exact, and they end with the process. Clones of a
//! store share what it keeps, as workers share an engine. What other stores do can be measured against them.

mod score;
mod segments;
mod tables;
mod vectors;

pub use segments::Segments;
pub use tables::Tables;
pub use vectors::Vectors;

use std::cmp::Ordering;
use std::collections::HashSet;
use tabletalk_core::seam::store::{Allow, Facet, Facets, Test};

/// [`Allow`] made ready for many documents.
struct Gate {
    filters: Vec<(String, Limit)>,
    documents: Option<HashSet<i64>>,
}

/// What a value must be.
enum Limit {
    Is(Vec<Facet>),
    From(Facet),
    To(Facet),
}

impl Gate {
    fn new(allow: &Allow) -> Self {
        let limit = |test: &Test| match test {
            Test::Is(values) => Limit::Is(values.iter().map(|v| Facet::of(v)).collect()),
            Test::From(least) => Limit::From(Facet::of(least)),
            Test::To(most) => Limit::To(Facet::of(most)),
        };
        Gate {
            filters: allow.filters.iter().map(|f| (f.field.clone(), limit(&f.test))).collect(),
            documents: allow.documents.as_ref().map(|all| all.iter().copied().collect()),
        }
    }

    /// Whether a document may be found.
    fn lets(&self, document: i64, facets: &Facets) -> bool {
        self.documents.as_ref().is_none_or(|all| all.contains(&document))
            && self
                .filters
                .iter()
                .all(|(field, limit)| facets.iter().any(|(name, found)| name == field && limit.holds(found)))
    }
}

impl Limit {
    fn holds(&self, found: &Facet) -> bool {
        match self {
            Limit::Is(values) => values.iter().any(|v| found.compare(v) == Ordering::Equal),
            Limit::From(least) => found.compare(least) != Ordering::Less,
            Limit::To(most) => found.compare(most) != Ordering::Greater,
        }
    }
}

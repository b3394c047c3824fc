//! Finding columns: by their names and by the values in them.

use super::cell::ValueScorer;
use super::node::Ref;
use super::{Allow, Candidate, Query, Recall};
use crate::index::split_part;
use std::collections::HashMap;
use tabletalk_core::{Result, Score};

impl Recall<'_> {
    pub(super) fn columns(&self, query: &Query, k: usize, allow: Allow<'_>) -> Result<Vec<Candidate>> {
        let wanted = k.saturating_mul(8).max(200);
        let mut scores: HashMap<(i64, i64, usize), [f32; 2]> = HashMap::new();
        for found in self.schemas(query, wanted, allow)? {
            if let Ref::Schema { document, table, col } = found.node {
                scores.entry((document, table, col)).or_default()[0] = found.score;
            }
        }
        let places = self.places()?;
        let clauses = places.clauses(query)?;
        for found in places.blocks(query, &clauses, wanted, allow)? {
            let at = scores.entry((found.document, found.owner, split_part(found.part).0)).or_default();
            at[1] = at[1].max(found.score);
        }
        let scorer = ValueScorer::new(self, &places, &clauses)?;
        let mut scratch = self.library.keyword().analyzer().scratch();
        for (held, found) in places.tables(query, &clauses, k.max(64), allow)? {
            for column in held {
                let score = scorer.column(&column, &mut scratch);
                if score > 0.0 {
                    scores.entry((found.document, found.owner, column.col)).or_default()[1] = score;
                }
            }
        }
        let mut columns: Vec<Candidate> =
            scores.into_iter().map(|(at, parts)| candidate(at, parts)).collect();
        columns.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.table().cmp(&b.node.table())));
        columns.truncate(k);
        Ok(columns)
    }
}

fn candidate((document, table, col): (i64, i64, usize), [name, values]: [f32; 2]) -> Candidate {
    let part = |n: &str, value| Score { name: n.into(), value, keyword: None };
    let why = vec![part("name", name), part("values", values)];
    Candidate { why, ..Candidate::new(Ref::Column { document, table, col }, name + values, "keyword") }
}

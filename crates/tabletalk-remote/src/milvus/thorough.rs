//! Searches where the index finds too few.
//!
//! An index looks around the query. Where what passes a filter lies elsewhere it finds little or nothing: so
//! do the graph of Milvus when more than a fifteenth of all vectors passes, and the coarse index that Milvus
//! keeps of new vectors always. So when hits are missing it is counted how many there must be, and then they
//! are compared one by one: by Milvus where they are many, here where they are few.

use super::search::{best, nears};
use super::wire::{BOUNDED, Query, pair};
use super::{MOST_BYTES, MOST_ROWS, Milvus, SpaceQuery, filter, gate, rows};
use tabletalk_core::Result;
use tabletalk_core::seam::store::Near;

/// Vectors are divided into so many parts by their keys: few enough of all are in one that Milvus compares
/// them one by one. A prime, so that keys with gaps are spread, too.
const PARTS: i64 = 17;

impl Milvus {
    /// Adds to what was found what else passes, as long as fewer than `k` were found.
    pub(super) fn thorough(
        &self,
        asked: &SpaceQuery<'_>,
        k: usize,
        expression: &str,
        mut found: Vec<Near>,
    ) -> Result<Vec<Near>> {
        let there = self.matching(asked.name, expression)?;
        if there <= found.len() {
            return Ok(found);
        }
        if there > MOST_ROWS {
            found.extend(self.in_parts(asked, k, expression)?);
            found = best(found, k);
            if found.len() == k {
                return Ok(found);
            }
        }
        // So few, or so new, that they can be read.
        Ok(best(self.compared(asked, expression)?, k))
    }

    /// How many vectors pass an expression.
    pub(super) fn matching(&self, name: &str, expression: &str) -> Result<usize> {
        let rows = self.query(&Query {
            collection: name.to_owned(),
            expression: expression.to_owned(),
            output: vec!["count(*)".into()],
            consistency_level: BOUNDED,
            ..Query::default()
        })?;
        let count = rows::longs(&rows.columns, "count(*)").first().copied().unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// What passes, page by page, compared with the query here.
    fn compared(&self, asked: &SpaceQuery<'_>, expression: &str) -> Result<Vec<Near>> {
        let page = (MOST_BYTES / (asked.query.len() * 4).max(1)).clamp(1, MOST_ROWS);
        let (mut found, mut last) = (Vec::new(), filter::LEAST_KEY - 1);
        loop {
            let rows = self.query(&Query {
                collection: asked.name.to_owned(),
                expression: filter::both(expression, &format!("key > {last}")),
                output: vec!["key".into(), "vector".into()],
                params: vec![pair("limit", page), pair("reduce_stop_for_best", "True")],
                consistency_level: BOUNDED,
                ..Query::default()
            })?;
            let vectors = rows::vectors(&rows.columns);
            let Some(&most) = rows::longs(&rows.columns, "key").iter().max() else { return Ok(found) };
            last = most;
            found.extend(vectors.iter().map(|(key, v)| Near { key: *key, score: cosine(asked.query, v) }));
        }
    }

    /// What each part has, compared one by one by Milvus.
    fn in_parts(&self, asked: &SpaceQuery<'_>, k: usize, expression: &str) -> Result<Vec<Near>> {
        let parts: Vec<i64> = (0..PARTS).collect();
        let found = gate::each(self.settings.client.connections, &parts, |&part| {
            let own = match part {
                // The key that is less than 0 leaves a remainder less than 0.
                0 => format!("(key % {PARTS} == 0 or key < 0)"),
                part => format!("key % {PARTS} == {part}"),
            };
            let hits = self.hits(asked, k, &filter::both(expression, &own), false)?;
            Ok(hits.map_or(Vec::new(), |hits| nears(&hits)))
        })?;
        Ok(found.concat())
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let length = (product(a, a) * product(b, b)).sqrt();
    if length > 0.0 { product(a, b) / length } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines() {
        assert_eq!(cosine(&[1.0, 0.0], &[2.0, 0.0]), 1.0);
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 3.0]), 0.0);
        assert_eq!(cosine(&[0.0, 0.0], &[0.0, 3.0]), 0.0);
    }
}

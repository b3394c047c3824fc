//! Keys in order.

use super::rule::key_is;
use super::{Chroma, MANY};
use crate::facets::{Rule, Sign};
use tabletalk_core::Result;

impl Chroma {
    /// Chroma gives points in the order in which they came, so keys are asked for by stretches that hold no more of them than are
    /// wanted: short ones at first, longer ones where keys are sparse.
    pub(super) fn keys_after(&self, name: &str, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        let mut found = Vec::new();
        let mut next = after.map_or(Some(0), |key| i64::try_from(key).ok()?.checked_add(1));
        let mut stretch: i64 = 0;
        while let Some(from) = next.filter(|_| found.len() < limit) {
            let most = (limit - found.len()).min(MANY);
            let least = i64::try_from(most).unwrap_or(i64::MAX);
            stretch = stretch.max(least);
            let to = from.saturating_add(stretch - 1);
            let within = Rule::All(vec![key_is(Sign::AtLeast, from), key_is(Sign::AtMost, to)]);
            let mut page = self.get(name, &within, most + 1, 0)?.keys()?;
            if page.len() > most {
                stretch /= 2;
                continue;
            }
            if page.is_empty() && self.get(name, &key_is(Sign::AtLeast, from), 1, 0)?.ids.is_empty() {
                break;
            }
            if page.len() < most / 2 + 1 {
                stretch = stretch.saturating_mul(8);
            }
            page.sort_unstable();
            found.append(&mut page);
            next = to.checked_add(1);
        }
        Ok(found)
    }
}

//! The layers of text.

use super::score::{Words, density, jaccard};
use super::{Work, parts};
use crate::recall::Candidate;
use crate::recall::node::make;
use crate::recall::vector::{By, Wanted};
use tabletalk_core::Result;

impl Work<'_> {
    /// Nodes by words, with the score of the keyword index.
    pub(super) fn text_words(&self) -> Result<Vec<Candidate>> {
        self.recall.keyword(self.text, self.group, self.wanted.saturating_mul(2), self.allow, true)
    }

    /// Texts are ordered by relevance, which counts words and vectors; tables keep the score of their layer.
    pub(super) fn relevance(&self, found: Vec<Candidate>) -> Result<Vec<Candidate>> {
        if self.is_of_tables() {
            return Ok(found);
        }
        let analyzer = self.recall.library.keyword().analyzer();
        let catalog = self.recall.library.catalog()?;
        let query = Words::of(analyzer, self.text);
        let s = &self.strategy.shares;
        let mut scored = Vec::with_capacity(found.len());
        for mut c in found {
            let Some(node) = make(&catalog, &c.node)? else { continue };
            let words = Words::of(analyzer, &node.text);
            let fast = s.jaccard * jaccard(&query.set, &words.set)
                + s.density * density(&query.set, &words, node.text.chars().count());
            let vector = self.cosine(&c)?;
            // Without vectors, words are all there is.
            c.score = match vector {
                Some(vector) => s.fast * fast + s.vector * vector,
                None => s.fast * fast,
            };
            c.why.extend(parts(&[("fast", fast)]));
            c.why.extend(vector.map(|v| parts(&[("vector", v)])).unwrap_or_default());
            scored.push(c);
        }
        Ok(scored)
    }

    /// The cosine of the query and a node that was found, as found or from its vectors.
    fn cosine(&self, c: &Candidate) -> Result<Option<f32>> {
        if let Some(found) = c.why.iter().find(|s| s.name.starts_with("dense")) {
            return Ok(Some(found.value));
        }
        let wanted = Wanted::new(self.text, self.group, 1, self.allow).under(self.embed_keys);
        let mut best: Option<f32> = None;
        for slot in self.recall.embedders.for_query(self.text, &self.group.name, self.embed_keys) {
            // Without a model there is no vector of the query, and the layers before have said so.
            let Ok(Some(found)) = self.recall.score_of(slot, &wanted, By::Dense, &c.node) else { continue };
            best = Some(best.map_or(found.score, |b: f32| b.max(found.score)));
        }
        Ok(best)
    }
}

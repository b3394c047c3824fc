//! Looking up columns and values of some tables, as TableRAG does: by words, by vectors, or by both.

use super::fuse::{List, fuse};
use super::target::best_of;
use super::vector::{By, Wanted, node_of};
use super::{Allow, Candidate, Filter, Recall, Similarity, Test};
use crate::embed::{self, Slot};
use crate::group::Definition;
use crate::watch::Unwatched;
use tabletalk_core::seam::{Want, store};
use tabletalk_core::{Error, Hit, Result, Score};
use tabletalk_store::StoredTable;
use tabletalk_store::embedding::{Owner, Piece};

/// Candidates of each way for each one that is wanted: those of other tables fall away.
const WIDE: usize = 16;

/// Some tables, and what is looked for in them.
struct Within<'a> {
    recall: &'a Recall<'a>,
    tables: &'a [StoredTable],
    group: &'a Definition,
    words: &'a str,
    wide: usize,
    allow: Allow<'a>,
}

impl Recall<'_> {
    /// The best columns or values of these tables for some words; `group` is `schema` or `cell`.
    pub(crate) fn within(
        &self,
        tables: &[StoredTable],
        group: &str,
        words: &str,
        similarity: &Similarity,
        k: usize,
    ) -> Result<Vec<Hit>> {
        let documents: Vec<i64> = tables.iter().map(|t| t.document).collect();
        let keep = |document: i64| documents.contains(&document);
        let ids = tables.iter().map(|t| tabletalk_core::node::document_of(&t.id).to_owned()).collect();
        let filters = vec![Filter { field: "id".into(), test: Test::Is(ids) }];
        let told = store::Allow { filters, documents: None };
        let allow = Allow { keep: Some(&keep), told: &told };
        let (group, wide) = (self.groups.get(group)?, k.saturating_mul(WIDE));
        let mut found = Within { recall: self, tables, group, words, wide, allow }.by(similarity)?;
        found.truncate(k);
        self.hits(found)
    }
}

impl Within<'_> {
    fn by(&self, similarity: &Similarity) -> Result<Vec<Candidate>> {
        match similarity {
            Similarity::Bm25 => self.by_words(),
            Similarity::Cosine => self.by_vectors()?.ok_or_else(|| {
                Error::missing("there is no embedding model for this question")
                    .hint("configure one under [[embed]], or set answer.look_up = \"bm25\"")
            }),
            Similarity::Hybrid => self.by_both(),
            other => {
                Err(Error::input(format!("columns and values cannot be looked up by `{}`", other.name()))
                    .hint("set answer.look_up to bm25, cosine or hybrid"))
            }
        }
    }

    fn own(&self, mut found: Vec<Candidate>) -> Vec<Candidate> {
        found.retain(|c| c.node.table().is_some_and(|key| self.tables.iter().any(|t| t.key == key)));
        found
    }

    fn by_words(&self) -> Result<Vec<Candidate>> {
        Ok(self.own(self.recall.keyword(self.words, self.group, self.wide, self.allow, false)?))
    }

    /// By vectors that are kept, or else by vectors made now; `None` without a model.
    fn by_vectors(&self) -> Result<Option<Vec<Candidate>>> {
        match self.kept(&[])? {
            Some(found) => Ok(Some(found)),
            None => self.made(),
        }
    }

    /// Words and vectors together. Of columns vectors are made when there are none. Values are too many for that: theirs
    /// count where they are kept. Without a model words are all there is.
    fn by_both(&self) -> Result<Vec<Candidate>> {
        let words = self.by_words()?;
        let near = match self.kept(&words) {
            Ok(None) if self.group.name == "schema" => self.made(),
            kept => kept,
        };
        let fusion = self.recall.fusion(self.words);
        let list = |weight, cosines, found| List { weight, cosines, found };
        let near = near.ok().flatten().unwrap_or_default();
        Ok(fuse(vec![list(fusion.keyword, false, words), list(fusion.dense, true, near)], fusion))
    }

    /// By the vectors that the library keeps of the group, those of some candidates among them; `None` when it keeps none.
    fn kept(&self, others: &[Candidate]) -> Result<Option<Vec<Candidate>>> {
        let wanted = Wanted::new(self.words, self.group, self.wide, self.allow);
        let found = self.recall.by_vectors_and(&wanted, By::Dense, others)?.map(|all| self.own(all));
        Ok(found.filter(|all| !all.is_empty()))
    }

    /// By vectors that are made now, of as many values as `max_encode_cell` says, the most frequent first.
    fn made(&self) -> Result<Option<Vec<Candidate>>> {
        let Some(slot) = self.recall.embedders.dense_for(self.words) else { return Ok(None) };
        let query = slot.query(self.words, Want::Pooled)?;
        let mut found = Vec::new();
        for stored in self.tables {
            let (pieces, texts): (Vec<Piece>, Vec<String>) =
                embed::pieces(stored, self.group, &self.recall.embedders.settings)?.into_iter().unzip();
            for (piece, vector) in pieces.into_iter().zip(self.vectors(slot, &texts)?) {
                let score = vector.iter().zip(&query.pooled).map(|(a, b)| a * b).sum();
                let owner = Owner { document: stored.document, piece };
                let node = node_of(self.group, owner).map(|node| Candidate::new(node, score, "dense"));
                let why = vec![Score { name: format!("dense {}", slot.key), value: score, keyword: None }];
                found.extend(node.map(|c| Candidate { why, ..c }));
            }
        }
        Ok(Some(best_of(found, Vec::new())))
    }

    /// Vectors are kept by their text, so that the next question has them; not where nothing may be written.
    fn vectors(&self, slot: &Slot, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let library = self.recall.library;
        if !library.is_read_only() {
            return embed::vectors_of(library, &*slot.model()?, texts, &Unwatched);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        embed::made_of(&*slot.model()?, &texts)
    }
}

//! Making changes last.

use super::Sparse;
use super::meta::{Meta, PREFIXES, PostingsMeta};
use super::postings::{self, Postings};
use crate::file::{Growing, replace, sweep, write_whole};
use tabletalk_core::Result;

/// Rows that may lie beyond the postings: they are few, or a small part of all.
const TAIL: u64 = 1024;

impl Sparse {
    /// Makes all changes last, as the state that `generation` names. A kill at any instant leaves the state of this
    /// commit or of the one before.
    pub fn commit(&mut self, generation: u64) -> Result<()> {
        if self.ids.is_worn() {
            self.compact()?;
        }
        let commit = self.meta.commit + 1;
        self.invert(commit)?;
        let rows = self.ids.all().len();
        let removed = self.ids.has_removed().then_some(commit);
        if removed.is_some() {
            self.ids.write_removed(&self.dir.join(format!("removed-{commit}")))?;
        }
        self.lists.sync()?;
        self.ends.sync()?;
        self.ids.sync()?;
        let terms = self.lists.bytes().len() as u64 / 8;
        let meta = Meta { generation, commit, rows: rows as u64, terms, removed, ..self.meta.clone() };
        replace(&self.dir.join("meta.json"), &serde_json::to_vec_pretty(&meta)?)?;
        sweep(&self.dir, &PREFIXES, &meta.files());
        self.meta = meta;
        Ok(())
    }

    /// Writes the rows that are left to new files.
    fn compact(&mut self) -> Result<()> {
        let meta = Meta { epoch: self.meta.epoch + 1, postings: None, ..self.meta.clone() };
        let mut ends = Growing::begin(meta.growing(&self.dir, "ends"))?;
        let mut lists = Growing::begin(meta.growing(&self.dir, "lists"))?;
        let left = || self.ids.live().map(|(row, _)| row);
        lists
            .append(|w| left().try_for_each(|row| Ok(w.write_all(bytemuck::cast_slice(self.list(row)))?)))?;
        ends.append(|w| {
            let mut end = 0u64;
            left().try_for_each(|row| {
                end += self.list(row).len() as u64;
                Ok(w.write_all(&end.to_le_bytes())?)
            })
        })?;
        self.ids = self.ids.compacted(meta.growing(&self.dir, "ids"))?;
        (self.ends, self.lists) = (ends, lists);
        (self.meta, self.postings) = (meta, None);
        Ok(())
    }

    /// Brings the postings up to the rows when they are far behind: writing them costs as much as they are large.
    fn invert(&mut self, commit: u64) -> Result<()> {
        let (rows, covered) = (self.ids.all().len() as u64, self.meta.covered());
        if rows - covered <= TAIL.max(covered / 16) {
            return Ok(());
        }
        let path = self.dir.join(format!("postings-{commit}"));
        let left = self.ids.live().map(|(row, _)| row);
        write_whole(&path, |w| postings::write(left.map(|row| (row, self.list(row))), w))?;
        let bytes = std::fs::metadata(&path)?.len();
        self.postings = Some(Postings::open(&path, bytes)?);
        self.meta.postings = Some(PostingsMeta { commit, rows, bytes });
        Ok(())
    }
}

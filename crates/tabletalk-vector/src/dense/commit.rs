//! Making changes last.

use super::graph::Graph;
use super::meta::{self, GraphMeta, Meta, PREFIXES};
use super::rows::{Code, Rows};
use super::{BATCH, Dense, build};
use crate::file::{Growing, sweep, write_whole};
use crate::removed::Removed;
use std::sync::OnceLock;
use tabletalk_core::Result;

impl Dense {
    /// Makes all changes last, as the state that `generation` names. A kill at any instant leaves the state of this
    /// commit or of the one before.
    pub fn commit(&mut self, generation: u64) -> Result<()> {
        if self.removed.len() * 2 > self.row_ids().len() {
            self.compact()?;
        }
        let commit = self.meta.commit + 1;
        let graph = self.grow(commit)?;
        let removed = (self.removed.len() > 0).then_some(commit);
        if removed.is_some() {
            self.removed.write(&self.dir.join(format!("removed-{commit}")), self.row_ids().len())?;
        }
        self.ids.sync()?;
        self.rows.file.sync()?;
        self.codes.as_ref().map_or(Ok(()), |codes| codes.file.sync())?;
        let rows = self.row_ids().len() as u64;
        let meta = Meta { generation, commit, rows, removed, graph, ..self.meta.clone() };
        meta.write(&self.dir)?;
        sweep(&self.dir, &PREFIXES, &meta.files());
        self.meta = meta;
        Ok(())
    }

    /// Writes the rows that are left to new files.
    fn compact(&mut self) -> Result<()> {
        let meta = Meta { epoch: self.meta.epoch + 1, graph: None, ..self.meta.clone() };
        for name in ["ids", "rows"] {
            // What a compaction that was never committed left behind would be appended to.
            let _ = std::fs::remove_file(meta.growing(&self.dir, name));
        }
        let mut ids = Growing::open(meta.growing(&self.dir, "ids"), 0)?;
        let mut file = Growing::open(meta.growing(&self.dir, "rows"), 0)?;
        let left = || (0u32..self.row_ids().len() as u32).filter(|row| !self.removed.contains(*row));
        file.append(|w| {
            left().filter_map(|row| self.rows.bytes(row)).try_for_each(|row| Ok(w.write_all(row)?))
        })?;
        ids.append(|w| self.ids().try_for_each(|id| Ok(w.write_all(&id.to_le_bytes())?)))?;
        self.rows = Rows { code: self.rows.code, file };
        (self.ids, self.meta, self.removed) = (ids, meta, Removed::default());
        (self.codes, self.graph, self.places) = (None, None, OnceLock::new());
        Ok(())
    }

    /// Brings the graph up to the rows, when there are many and it is far behind: writing it costs as much as it is
    /// large, and the rows it does not cover yet are all compared with a query.
    fn grow(&mut self, commit: u64) -> Result<Option<GraphMeta>> {
        let rows = self.rows.len();
        if self.len() <= self.settings.flat_limit {
            (self.graph, self.codes) = (None, None);
            return Ok(None);
        }
        let quantization = self.settings.hnsw.quantization;
        let fits = self.meta.graph.as_ref().filter(|of| of.quantization == quantization);
        let covered = fits.map_or(0, |of| of.rows as usize);
        if covered > 0 && self.graph.is_some() && rows - covered <= self.settings.flat_limit / 4 {
            return Ok(self.meta.graph.clone());
        }
        self.encode_codes(covered == 0)?;
        let old = self.graph.take().filter(|_| covered > 0);
        let built =
            build::extend(old.as_ref(), self.codes.as_ref().unwrap_or(&self.rows), &self.settings.hnsw);
        let path = self.dir.join(format!("graph-{commit}"));
        write_whole(&path, |w| built.write(w))?;
        let bytes = std::fs::metadata(&path)?.len();
        self.graph = Some(Graph::open(&path, bytes, rows as u64)?);
        Ok(Some(GraphMeta { commit, rows: rows as u64, bytes, quantization }))
    }

    /// Writes the rows that the graph is walked by, from those that have none yet.
    fn encode_codes(&mut self, anew: bool) -> Result<()> {
        let code = Code { quantization: self.settings.hnsw.quantization, ..self.rows.code };
        if code == self.rows.code {
            self.codes = None;
            return Ok(());
        }
        if anew || self.codes.is_none() {
            let path = self.meta.growing(&self.dir, &meta::codes(code.quantization));
            let _ = std::fs::remove_file(&path);
            self.codes = Some(Rows { code, file: Growing::open(path, 0)? });
        }
        let Some(codes) = &mut self.codes else { return Ok(()) };
        let rows = &self.rows;
        let mut numbers = Vec::new();
        while codes.len() < rows.len() {
            let first = codes.len();
            let mut bytes = Vec::new();
            for row in (first..rows.len().min(first + 16 * BATCH)).filter_map(|row| rows.row(row as u32)) {
                rows.code.decode(row, &mut numbers);
                code.encode(&numbers, &mut bytes)?;
            }
            codes.file.append(|w| Ok(w.write_all(&bytes)?))?;
        }
        Ok(())
    }
}

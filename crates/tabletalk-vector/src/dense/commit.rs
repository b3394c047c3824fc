//! Making changes last.

use super::graph::Graph;
use super::meta::{self, GraphMeta, Meta, PREFIXES};
use super::rows::{Code, Rows};
use super::{BATCH, Dense, build};
use crate::file::{Growing, sweep, write_whole};
use tabletalk_core::Result;

impl Dense {
    /// Makes all changes last, as the state that `generation` names. A kill at any instant leaves the state of this
    /// commit or of the one before.
    pub fn commit(&mut self, generation: u64) -> Result<()> {
        if self.ids.is_worn() {
            self.compact()?;
        }
        let commit = self.meta.commit + 1;
        let graph = self.grow(commit)?;
        let removed = self.ids.has_removed().then_some(commit);
        if removed.is_some() {
            self.ids.write_removed(&self.dir.join(format!("removed-{commit}")))?;
        }
        self.ids.sync()?;
        self.rows.file.sync()?;
        self.codes.as_ref().map_or(Ok(()), |codes| codes.file.sync())?;
        let rows = self.ids.all().len() as u64;
        let meta = Meta { generation, commit, rows, removed, graph, ..self.meta.clone() };
        meta.write(&self.dir)?;
        sweep(&self.dir, &PREFIXES, &meta.files());
        self.meta = meta;
        Ok(())
    }

    /// Writes the rows that are left to new files.
    fn compact(&mut self) -> Result<()> {
        let meta = Meta { epoch: self.meta.epoch + 1, graph: None, ..self.meta.clone() };
        let mut file = Growing::begin(meta.growing(&self.dir, "rows"))?;
        file.append(|w| {
            let left = self.ids.live().filter_map(|(row, _)| self.rows.bytes(row));
            left.into_iter().try_for_each(|row| Ok(w.write_all(row)?))
        })?;
        self.ids = self.ids.compacted(meta.growing(&self.dir, "ids"))?;
        self.rows = Rows { code: self.rows.code, file };
        (self.meta, self.codes, self.graph) = (meta, None, None);
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
            self.codes = Some(Rows { code, file: Growing::begin(path)? });
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

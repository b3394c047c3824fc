//! A small file, read in one piece and understood like a sheet.

use super::split::Dialect;
use super::split::Splitter;
use crate::grid::Grid;
use crate::{guard, understand};
use tabletalk_core::seam::Source;
use tabletalk_core::{Block, Document, Place, Result, Rows};

/// Files of more records than this stream: a cell of a grid takes some forty bytes beside its text.
const MAX_RECORDS: usize = 50_000;

/// A file as a grid: a record is a row.
struct Lines {
    grid: Grid,
    /// The first byte of each record in the text.
    starts: Vec<usize>,
    /// The most fields of any record, empty ones at its end aside.
    width: usize,
    /// The first quote that was never closed.
    unclosed: Option<usize>,
}

/// The document of a text, if it is small enough for a grid. `offset` is where the text begins in the file.
pub(super) fn document(
    text: &str,
    dialect: Dialect,
    source: &Source<'_>,
    offset: u64,
) -> Result<Option<Document>> {
    if text.len() > source.limits.max_cell_bytes {
        return Ok(None);
    }
    let Some(lines) = Lines::of(text, dialect) else { return Ok(None) };
    guard::check_width(lines.width, source.limits)?;
    let place = Place::file(source.name);
    let mut blocks = understand::delimited(&lines.grid, &place);
    if blocks.is_empty() {
        return Ok(None);
    }
    blocks.iter_mut().for_each(|block| lines.set_bytes(block, offset));
    let warnings = lines.unclosed.map(|at| super::batches::unclosed(offset + at as u64));
    let rejected = crate::guard::missed(&lines.grid, &blocks, &place);
    Ok(Some(Document { blocks, rejected, warnings: warnings.into_iter().collect(), ..Document::default() }))
}

impl Lines {
    fn of(text: &str, dialect: Dialect) -> Option<Lines> {
        let mut lines = Lines { grid: Grid::new(), starts: Vec::new(), width: 0, unclosed: None };
        if dialect.delimiter == b';' {
            lines.grid.set_semicolons();
        }
        let mut splitter = Splitter::new(text, dialect, true);
        while let Some(record) = splitter.next_record() {
            lines.starts.push(record.start);
            if lines.starts.len() > MAX_RECORDS {
                return None;
            }
            let row = lines.starts.len() as u32;
            lines.width = lines.width.max(record.width());
            for (col, field) in (1..).zip(&record.fields) {
                lines.grid.push(row, col, &field.text(text, dialect.quote), None, false);
            }
        }
        lines.unclosed = splitter.unclosed;
        lines.grid.finish(Vec::new());
        Some(lines)
    }

    /// Notes where the rows of a table begin in the file.
    fn set_bytes(&self, block: &mut Block, offset: u64) {
        let Block::Table(table) = block else { return };
        let Rows::Memory(batches) = &mut table.rows else { return };
        let start = |row: &u64| {
            let at = usize::try_from(*row).ok()?.checked_sub(1)?;
            self.starts.get(at).map(|byte| offset + *byte as u64)
        };
        for batch in batches {
            batch.bytes = batch.rows.iter().filter_map(start).collect();
        }
    }
}

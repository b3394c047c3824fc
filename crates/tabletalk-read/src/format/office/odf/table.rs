//! Tables of open documents.

use super::Open;
use super::inline::Line;
use crate::builder::{SpanCell, TableBuilder};
use crate::format::office::over;
use crate::format::office::xml::Node;
use tabletalk_core::Result;

/// What repeated rows and cells of a document may take; more are not repeated: a few bytes could fill the
/// memory.
const MAX_COPIED: usize = 16 << 20;
/// What a cell takes beside its text.
const SPOT_BYTES: usize = 64;
/// Rows and columns past this are not counted.
const MAX_ROW: u32 = 1 << 20;

/// What stands in the cells of a table and cannot stay there.
#[derive(Default)]
struct Rest<'n> {
    nested: Vec<&'n Node>,
    lines: Vec<Line<'n>>,
}

impl Open<'_, '_> {
    /// A table; those in its cells come after it.
    pub(super) fn table(&mut self, node: &Node) -> Result<()> {
        let mut rows = Vec::new();
        collect(node, false, &mut rows);
        if let Some(cell) = only_cell(&rows) {
            return self.blocks(cell);
        }
        let place = self.draft.place();
        let mut rest = Rest::default();
        let builder = self.builder(&rows, &mut rest)?;
        self.draft.table(builder, place)?;
        let lists = self.lists.aside();
        for line in &rest.lines {
            self.hanging(line)?;
        }
        if self.nesting < super::MAX_NESTING {
            self.nesting += 1;
            for nested in &rest.nested {
                self.table(nested)?;
            }
            self.nesting -= 1;
        } else {
            rest.nested.iter().try_for_each(|nested| self.blocks(nested))?;
        }
        self.lists.back(lists);
        Ok(())
    }

    fn builder<'n>(&mut self, rows: &[(&'n Node, bool)], rest: &mut Rest<'n>) -> Result<TableBuilder> {
        let header = rows.iter().take_while(|(_, head)| *head).count();
        let mut builder = TableBuilder::new(header);
        let mut at = 1u32;
        for (row, _) in rows {
            let spots = self.row(row, rest)?;
            let blank = spots.iter().all(|s| s.text.is_empty());
            let times = repeated(row, "number-rows-repeated");
            let bytes = spots.iter().map(|s| s.text.len() + SPOT_BYTES).sum();
            for copy in 0..if blank { 1 } else { self.copies(times, bytes) } {
                spots
                    .iter()
                    .cloned()
                    .for_each(|spot| builder.push(SpanCell { row: at.saturating_add(copy), ..spot }));
                if builder.len() as u64 > self.draft.limits.max_cells {
                    return Err(over(self.draft.limits));
                }
            }
            at = at.saturating_add(times).min(MAX_ROW);
        }
        Ok(builder)
    }

    /// How many times something of so many bytes may stand there.
    fn copies(&mut self, times: u32, bytes: usize) -> u32 {
        let room = MAX_COPIED.saturating_sub(self.copied) / bytes.max(1);
        let more = (times.saturating_sub(1) as usize).min(room);
        self.copied += more * bytes;
        more as u32 + 1
    }

    fn row<'n>(&mut self, row: &'n Node, rest: &mut Rest<'n>) -> Result<Vec<SpanCell>> {
        let (mut spots, mut col) = (Vec::new(), 1u32);
        for cell in row.nodes() {
            let times = repeated(cell, "number-columns-repeated");
            if cell.is("table-cell") {
                let (text, bold) = self.cell_text(cell, rest)?;
                let (down, right) =
                    (repeated(cell, "number-rows-spanned"), repeated(cell, "number-columns-spanned"));
                let bytes = text.len() + SPOT_BYTES;
                for copy in 0..if text.is_empty() { 1 } else { self.copies(times, bytes) } {
                    let col = col.saturating_add(copy);
                    spots.push(SpanCell { row: 0, col, down, right, text: text.clone(), bold });
                }
            } else if !cell.is("covered-table-cell") {
                continue;
            }
            col = col.saturating_add(times).min(MAX_ROW);
            if col > self.draft.limits.max_columns {
                break;
            }
        }
        // What fills up the row to the end of a sheet says nothing.
        while spots.last().is_some_and(|s| s.text.is_empty() && s.col > 64) {
            spots.pop();
        }
        Ok(spots)
    }

    /// The text of a cell without the tables in it, and whether it is bold.
    fn cell_text<'n>(&mut self, cell: &'n Node, rest: &mut Rest<'n>) -> Result<(String, bool)> {
        let lists = self.lists.aside();
        let mut lines = Vec::new();
        self.cell_lines(cell, &mut lines, rest)?;
        self.lists.back(lists);
        let bold = !lines.is_empty() && lines.iter().all(|(_, bold)| *bold);
        let text: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        Ok((crate::format::office::draft::tidy(&text.join("\n")), bold))
    }

    fn cell_lines<'n>(
        &mut self,
        node: &'n Node,
        lines: &mut Vec<(String, bool)>,
        rest: &mut Rest<'n>,
    ) -> Result<()> {
        for child in node.nodes() {
            match child.name() {
                "p" | "h" => {
                    let line = self.line(child, false);
                    if !line.text.trim().is_empty() {
                        lines.push((format!("{}{}", self.lists.label(), line.text.trim()), line.bold));
                    }
                    rest.lines.push(line);
                }
                "table" => rest.nested.push(child),
                "annotation" | "tracked-changes" => {}
                "list" => self.items(child, &mut |open, item| open.cell_lines(item, lines, rest))?,
                _ => self.cell_lines(child, lines, rest)?,
            }
        }
        Ok(())
    }
}

fn repeated(node: &Node, key: &str) -> u32 {
    node.number(key).and_then(|n| u32::try_from(n).ok()).unwrap_or(1).max(1)
}

/// The rows of a table, and whether they are header.
fn collect<'n>(node: &'n Node, head: bool, rows: &mut Vec<(&'n Node, bool)>) {
    for child in node.nodes() {
        match child.name() {
            "table-row" => rows.push((child, head)),
            "table-header-rows" => collect(child, true, rows),
            "table-rows" | "table-row-group" => collect(child, head, rows),
            _ => {}
        }
    }
}

/// The cell of a table that has one: a frame around text.
fn only_cell<'n>(rows: &[(&'n Node, bool)]) -> Option<&'n Node> {
    let [(row, _)] = rows else { return None };
    let mut cells = row.all("table-cell");
    let only = cells.next().filter(|c| repeated(c, "number-columns-repeated") == 1)?;
    cells.next().is_none().then_some(only)
}

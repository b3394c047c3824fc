//! Tables of DOCX.

use super::{MAX_NESTING, Word, inline};
use crate::builder::{SpanCell, TableBuilder};
use crate::format::office::draft;
use crate::format::office::over;
use crate::format::office::xml::{Node, chosen};
use tabletalk_core::Result;

/// Rows left out before the first cell: no table skips more columns.
const MAX_SKIP: u32 = 64;

/// What stands in the cells of a table and cannot stay there.
#[derive(Default)]
struct Rest<'n> {
    nested: Vec<&'n Node>,
    lines: Vec<inline::Line<'n>>,
}

impl Word<'_, '_> {
    /// A table; those in its cells come after it.
    pub(super) fn table(&mut self, node: &Node) -> Result<()> {
        let rows = rows(node);
        let cells: usize = rows.iter().map(|row| cells(row).len()).sum();
        if cells as u64 > self.draft.limits.max_cells {
            return Err(over(self.draft.limits));
        }
        // A frame around text is no table.
        if let (true, Some(cell)) = (cells == 1, rows.first().and_then(|row| cells_of(row).next())) {
            return self.framed(cell);
        }
        let place = self.draft.place();
        let mut rest = Rest::default();
        let builder = self.builder(node, &rows, &mut rest);
        self.draft.table(builder, place)?;
        for line in &rest.lines {
            self.pictures(line, true)?;
            self.pictures(line, false)?;
            self.notes(line)?;
        }
        if self.nesting >= MAX_NESTING {
            rest.nested.iter().for_each(|nested| self.flat(nested));
            return Ok(());
        }
        self.nesting += 1;
        for nested in rest.nested {
            self.table(nested)?;
        }
        self.nesting -= 1;
        Ok(())
    }

    fn framed(&mut self, cell: &Node) -> Result<()> {
        if self.nesting >= MAX_NESTING {
            self.flat(cell);
            return Ok(());
        }
        self.nesting += 1;
        self.blocks(cell)?;
        self.nesting -= 1;
        Ok(())
    }

    fn builder<'n>(&mut self, node: &'n Node, rows: &[&'n Node], rest: &mut Rest<'n>) -> TableBuilder {
        let marked = |row: &&&Node| row.child("trPr").and_then(|p| p.switch("tblHeader")).unwrap_or(false);
        let header = rows.iter().take_while(marked).count();
        let first_bold = self.has_first_row(node);
        let mut builder = TableBuilder::new(header);
        for (at, row) in (1..).zip(rows) {
            let skipped = row.child("trPr").and_then(|p| p.value("gridBefore")).and_then(|v| v.parse().ok());
            let mut col = 1 + skipped.unwrap_or(0u32).min(MAX_SKIP);
            for cell in cells(row) {
                col += self.cell(cell, at, col, first_bold && at == 1, &mut builder, rest);
            }
        }
        builder
    }

    /// Takes a cell and says how many columns it reaches over.
    fn cell<'n>(
        &mut self,
        cell: &'n Node,
        row: u32,
        col: u32,
        bold: bool,
        builder: &mut TableBuilder,
        rest: &mut Rest<'n>,
    ) -> u32 {
        let properties = cell.child("tcPr");
        let right = properties.and_then(|p| p.value("gridSpan")).and_then(|v| v.trim().parse().ok());
        let right: u32 = right.unwrap_or(1).clamp(1, 1000);
        let (text, own_bold) = self.cell_text(cell, rest);
        let goes_on = |name: &str| {
            let merge = properties.and_then(|p| p.child(name));
            merge.is_some_and(|m| m.attr("val").is_none_or(|v| v == "continue"))
        };
        if goes_on("vMerge") && text.trim().is_empty() && row > 1 {
            builder.extend_down(row, col);
        } else if goes_on("hMerge") && text.trim().is_empty() {
            builder.extend_right(row, col);
        } else {
            builder.push(SpanCell { row, col, down: 1, right, text, bold: bold || own_bold });
        }
        right
    }

    /// The text of a cell without the tables in it, and whether it is bold.
    fn cell_text<'n>(&mut self, cell: &'n Node, rest: &mut Rest<'n>) -> (String, bool) {
        let (mut text, mut bold, mut any) = (String::new(), true, false);
        let mut stack: Vec<&Node> = vec![cell];
        while let Some(node) = stack.pop() {
            match node.name() {
                "p" => {
                    let line = self.cell_line(node);
                    let own = line.text.trim();
                    if !own.is_empty() {
                        (any, bold) = (true, bold && line.bold);
                        text.push_str(if text.is_empty() { "" } else { "\n" });
                        text.push_str(own);
                    }
                    stack.extend(line.boxes.iter().rev());
                    rest.lines.push(line);
                }
                "tbl" => rest.nested.push(node),
                "AlternateContent" => stack.extend(chosen(node)),
                "tcPr" | "sdtPr" | "del" | "moveFrom" => {}
                _ => {
                    let from = stack.len();
                    stack.extend(node.nodes());
                    if let Some(added) = stack.get_mut(from..) {
                        added.reverse();
                    }
                }
            }
        }
        (draft::tidy(&text), any && bold)
    }

    /// The line of a paragraph in a cell, with its number in a list.
    fn cell_line<'n>(&mut self, node: &'n Node) -> inline::Line<'n> {
        let mut line = self.line(node, false);
        let properties = node.child("pPr");
        let style = properties.and_then(|p| p.value("pStyle")).unwrap_or_default();
        if !line.text.trim().is_empty()
            && let Some(number) = self.number(style, properties).filter(|n| !n.text.is_empty())
        {
            line.text = format!("{} {}", number.text, line.text.trim_start());
        }
        // A picture that is described speaks in its cell.
        line.things.retain(|thing| {
            let name = thing.names.iter().map(|n| draft::described(n)).find(|n| !draft::is_given(n));
            let named = name.filter(|_| thing.kind == inline::Kind::Picture);
            if let Some(name) = &named {
                line.text = format!("{}\n{name}", line.text);
            }
            named.is_none()
        });
        line
    }

    /// Whether the look of a table sets off its first row.
    fn has_first_row(&self, node: &Node) -> bool {
        let Some(properties) = node.child("tblPr") else { return false };
        let Some(look) = properties.child("tblLook") else { return false };
        let bits = look.attr("val").and_then(|v| u32::from_str_radix(v, 16).ok()).unwrap_or(0);
        let on = match look.attr("firstRow") {
            Some(v) => v == "1" || v == "true" || v == "on",
            None => bits & 0x20 != 0,
        };
        on && properties.value("tblStyle").is_some_and(|style| self.styles.has_first_row(style))
    }
}

/// The rows of a table; those that were deleted under review are gone.
fn rows(node: &Node) -> Vec<&Node> {
    let is_deleted = |n: &&Node| n.child("trPr").is_some_and(|p| p.child("del").is_some());
    let mut found = unwrapped(node, "tr");
    found.retain(|n| !is_deleted(n));
    found
}

fn cells(row: &Node) -> Vec<&Node> {
    unwrapped(row, "tc")
}

fn cells_of(row: &Node) -> impl Iterator<Item = &Node> {
    cells(row).into_iter()
}

/// Children of a name, also those inside content controls and marks of review.
fn unwrapped<'n>(node: &'n Node, name: &str) -> Vec<&'n Node> {
    let mut found = Vec::new();
    for child in node.nodes() {
        match child.name() {
            n if n == name => found.push(child),
            "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "smartTag" => {
                found.extend(unwrapped(child, name));
            }
            _ => {}
        }
    }
    found
}

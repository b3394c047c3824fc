//! One table of a page.

use super::{is_hidden, tidy};
use crate::builder::{MAX_COLSPAN, SpanCell, TableBuilder, check_columns};
use scraper::ElementRef;
use std::collections::VecDeque;
use tabletalk_core::seam::Limits;
use tabletalk_core::{Place, Result, Table};

/// A table, and those that stand in its cells.
pub(super) struct Read<'a> {
    pub table: Table,
    pub nested: Vec<ElementRef<'a>>,
}

/// Whether a table only arranges the page: it says so, has a single cell, or holds other tables and names
/// nothing.
pub(super) fn is_layout(table: ElementRef<'_>) -> bool {
    let role = table.value().attr("role").unwrap_or_default();
    if role == "presentation" || role == "none" {
        return true;
    }
    let rows = rows(table);
    let cells: Vec<ElementRef<'_>> = rows.iter().flat_map(|r| cells(*r)).collect();
    let named = cells.iter().any(|c| c.value().name() == "th") || caption(table).is_some();
    let holds = cells.iter().any(|c| !inner_tables(*c).is_empty());
    cells.len() <= 1 || holds && !named
}

pub(super) fn read<'a>(element: ElementRef<'a>, place: &Place, limits: &Limits) -> Result<Read<'a>> {
    let rows = rows(element);
    let head = header_rows(&rows);
    let mut builder = TableBuilder::default();
    (builder.header, builder.title) = (head, caption(element).unwrap_or_default());
    let mut nested = Vec::new();
    // The row from which on each column is not covered by a cell from above.
    let mut covered: Vec<u32> = Vec::new();
    let mut cells_of_row: Vec<SpanCell> = Vec::new();
    let height = rows.len() as u32;
    for (row, tr) in (1..).zip(&rows) {
        if is_row_hidden(*tr) {
            builder.hide_row(row);
        }
        set(*tr, (row, height - row + 1), &mut covered, &mut cells_of_row, limits)?;
        nested.extend(cells(*tr).flat_map(inner_tables));
        // A row of cells that all reach further down has no height: they begin in the next one.
        if row as usize > head.unwrap_or(0) && cells_of_row.iter().all(|cell| cell.down > 1) {
            cells_of_row.iter_mut().for_each(|cell| cell.down -= 1);
            continue;
        }
        cells_of_row.drain(..).for_each(|cell| builder.push(SpanCell { row, ..cell }));
    }
    Ok(Read { table: builder.build(place, limits)?, nested })
}

/// Sets the cells of a row into the columns that no cell from above covers. `number` is that of the row, `below` counts the
/// rows from it on.
fn set(
    row: ElementRef<'_>,
    (number, below): (u32, u32),
    covered: &mut Vec<u32>,
    found: &mut Vec<SpanCell>,
    limits: &Limits,
) -> Result<()> {
    let mut col = 0usize;
    for cell in cells(row) {
        while covered.get(col).is_some_and(|free| *free > number) {
            col += 1;
        }
        let (down, right) = spans(cell, below);
        check_columns(col as u32 + right, limits)?;
        if covered.len() < col + right as usize {
            covered.resize(col + right as usize, 0);
        }
        covered.iter_mut().skip(col).take(right as usize).for_each(|free| *free = (*free).max(number + down));
        let bold = cell.value().name() == "th";
        found.push(SpanCell { row: number, col: col as u32 + 1, down, right, text: text(cell), bold });
        col += right as usize;
    }
    Ok(())
}

/// The rows of the table itself, not of those in its cells.
fn rows(table: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    let parts = table.child_elements().flat_map(|e| match e.value().name() {
        "thead" | "tbody" | "tfoot" => e.child_elements().collect(),
        _ => vec![e],
    });
    parts.filter(|e| e.value().name() == "tr").collect()
}

/// Whether a row, or the part of the table it stands in, is not shown. Such rows are kept and marked, as in workbooks.
fn is_row_hidden(row: ElementRef<'_>) -> bool {
    let part = row.parent().and_then(ElementRef::wrap).filter(|p| p.value().name() != "table");
    is_hidden(row.value()) || part.is_some_and(|p| is_hidden(p.value()))
}

/// The cells of a row that are shown: the next one takes the place of one that is not.
fn cells(row: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    row.child_elements().filter(|e| matches!(e.value().name(), "td" | "th") && !is_hidden(e.value()))
}

fn caption(table: ElementRef<'_>) -> Option<String> {
    let caption = table.child_elements().find(|e| e.value().name() == "caption")?;
    Some(tidy(&caption.text().collect::<String>())).filter(|t| !t.is_empty())
}

/// How many rows and columns a cell reaches over. A span of 0 rows reaches to the end.
fn spans(cell: ElementRef<'_>, left: u32) -> (u32, u32) {
    let number = |key: &str| cell.value().attr(key).and_then(|v| v.trim().parse::<u32>().ok());
    let down = match number("rowspan") {
        Some(0) => left,
        Some(n) => n.min(left),
        None => 1,
    };
    (down.max(1), number("colspan").unwrap_or(1).clamp(1, MAX_COLSPAN))
}

/// The rows the page marks as header: those in `thead`, or leading rows of `th` alone. A `th` that spans rows below
/// these names rows.
fn header_rows(rows: &[ElementRef<'_>]) -> Option<usize> {
    let in_head = |r: &&ElementRef<'_>| {
        r.parent().and_then(ElementRef::wrap).is_some_and(|p| p.value().name() == "thead")
    };
    let head = rows.iter().take_while(in_head).count();
    if head > 0 && head < rows.len() {
        return Some(head);
    }
    let all_th = |r: &&ElementRef<'_>| cells(**r).count() > 0 && cells(**r).all(|c| c.value().name() == "th");
    let all = rows.iter().take_while(all_th).count();
    let reach = |at: usize, c: ElementRef<'_>| at + spans(c, (rows.len() - at) as u32).0 as usize;
    let spans_past = |at: &usize| rows.get(*at).is_some_and(|r| cells(*r).any(|c| reach(*at, c) > all));
    let named = (1..all).find(spans_past).unwrap_or(all);
    (named > 0 && named < rows.len()).then_some(named)
}

/// The tables inside a cell that are shown, not those inside these.
fn inner_tables(cell: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    let (mut found, mut queue) = (Vec::new(), VecDeque::from([cell]));
    while let Some(next) = queue.pop_front() {
        for child in next.child_elements().filter(|c| !is_hidden(c.value())) {
            if child.value().name() == "table" { found.push(child) } else { queue.push_back(child) }
        }
    }
    found
}

/// The text of a cell without the tables inside it; a picture speaks by its alternative text.
fn text(cell: ElementRef<'_>) -> String {
    let mut out = String::new();
    let mut stack: Vec<_> = cell.children().rev().collect::<Vec<_>>();
    while let Some(node) = stack.pop() {
        if let Some(text) = node.value().as_text() {
            out.push_str(text);
            continue;
        }
        let Some(e) = node.value().as_element().filter(|e| !is_hidden(e)) else {
            continue;
        };
        match e.name() {
            "table" | "script" | "style" | "template" => continue,
            "br" | "p" | "div" | "li" => out.push('\n'),
            "img" => out.push_str(e.attr("alt").unwrap_or_default()),
            _ => {}
        }
        stack.extend(node.children().rev());
    }
    tidy(&out)
}

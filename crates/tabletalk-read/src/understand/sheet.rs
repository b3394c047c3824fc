//! Turns the regions of a sheet into tables and texts, and gives tables the titles and notes around them.

use super::part::{self, placed};
use super::patch::{Class, Patch};
use super::{cut, region, word};
use crate::grid::{Grid, Rect};
use tabletalk_core::{Block, Place, Placed, Table};

/// No more empty rows than this lie between a table and its title.
const MAX_TITLE_GAP: u64 = 2;
/// A list of more short texts than this in one column is a table.
const MIN_LIST: usize = 4;
/// Up to this many cells, a table may be as sparse as it likes.
const MAX_SPARSE: u64 = 2_000_000;

/// The tables and texts of a sheet in reading order.
pub(super) fn blocks(grid: &Grid, place: &Place) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for region in region::regions(grid) {
        if is_text(grid, region) {
            grid.cells(region)
                .for_each(|(row, col, cell)| add_text(&mut blocks, placed(place, row, col, cell)));
            continue;
        }
        for part in cut::parts(grid, region) {
            if is_text(grid, part) {
                grid.cells(part)
                    .for_each(|(row, col, cell)| add_text(&mut blocks, placed(place, row, col, cell)));
            } else {
                add_table(&mut blocks, part::table(grid, part, place, None));
            }
        }
    }
    blocks
}

/// Whether a rectangle is so large and so empty that a table of it would be nothing but gaps.
fn is_scattered(grid: &Grid, rect: Rect) -> bool {
    let area = u64::from(rect.height()) * u64::from(rect.width());
    area > MAX_SPARSE && area > 50 * grid.cells(rect).count() as u64
}

/// Whether a rectangle holds lines of text and no table.
fn is_text(grid: &Grid, rect: Rect) -> bool {
    if is_scattered(grid, rect) {
        return true;
    }
    if grid.cells(rect).nth(1).is_none() {
        return true;
    }
    let patch = Patch::of_grid(grid, rect);
    if (0..patch.rows).any(|r| patch.seen(r).count() > 1) {
        return false;
    }
    let cells = || (0..patch.rows).flat_map(|r| patch.own(r).map(|(_, p)| *p));
    let (texts, all) = (cells().filter(|p| p.class == Class::Text).count(), cells().count());
    let long = cells().any(|p| p.text.chars().count() > 60 || word::is_note(p.text));
    texts == all && (long || all < MIN_LIST)
}

/// Adds a line of text: as a note of the table right above it, if it reads as one.
fn add_text(blocks: &mut Vec<Block>, text: Placed) {
    if let Some(Block::Table(table)) = blocks.last_mut()
        && word::is_note(&text.text)
        && is_below(&text.place, &table.place)
    {
        table.notes.push(text);
        return;
    }
    blocks.push(Block::Text(text));
}

fn is_below(text: &Place, table: &Place) -> bool {
    let (Some((top, _)), Some((_, bottom))) = (text.rows, table.rows) else {
        return false;
    };
    top > bottom && top - bottom <= MAX_TITLE_GAP && overlaps(text, table)
}

fn overlaps(a: &Place, b: &Place) -> bool {
    matches!((a.cols, b.cols), (Some((l, r)), Some((left, right))) if l <= right && r >= left)
}

/// Adds a table, with the lines right above it as its title and notes.
fn add_table(blocks: &mut Vec<Block>, mut table: Table) {
    let mut top = table.place.rows.map_or(1, |(top, _)| top);
    for p in table.title.iter().chain(&table.notes) {
        top = top.min(p.place.rows.map_or(top, |(r, _)| r));
    }
    while let Some(Block::Text(text)) = blocks.last() {
        let row = text.place.rows.map_or(0, |(r, _)| r);
        let near = row < top && top - row <= MAX_TITLE_GAP + 1 && overlaps(&text.place, &table.place);
        let note = word::is_note(&text.text);
        if !near || !note && (table.title.is_some() || text.text.chars().count() > 120) {
            break;
        }
        let Some(Block::Text(text)) = blocks.pop() else {
            break;
        };
        top = row;
        if note {
            table.notes.insert(0, text);
        } else {
            table.title = Some(text);
        }
    }
    blocks.push(Block::Table(table));
}

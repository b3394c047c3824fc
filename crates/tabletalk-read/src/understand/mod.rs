//! Understands tables: where they stand on a sheet, which cells are names, what each row is.
//!
//! Every cell of a sheet ends up in exactly one place: a row, the header, the title or the notes of a
//! table, or a block of text.

mod build;
mod cut;
mod form;
mod header;
mod mark;
mod name;
mod part;
mod patch;
mod region;
mod sheet;
pub(crate) mod word;

use crate::grid::{Grid, Rect};
use crate::typing::Raw;
use build::Plan;
pub use header::Head;
use patch::Patch;
use tabletalk_core::{Block, Place, Placed, Table};

/// The tables and texts of a sheet in reading order. `place` is the sheet.
pub fn blocks(grid: &Grid, place: &Place) -> Vec<Block> {
    sheet::blocks(grid, place)
}

/// How many of the first rows of a table are title and header.
pub fn head<S: AsRef<str>>(rows: &[Vec<S>]) -> Head {
    header::head(&Patch::of_rows(rows))
}

/// The names of `width` columns under these header rows: joined, readable and unique.
pub(crate) fn names<S: AsRef<str>>(header: &[Vec<S>], width: usize) -> Vec<String> {
    let patch = Patch::of_rows(header);
    let mut names = name::joined(&patch, 0, patch.rows);
    names.resize(width, String::new());
    let cols: Vec<u32> = (1..=width as u32).collect();
    name::unique(&mut names, &cols);
    names
}

/// A table whose header is given; when it is empty, the header is looked for among the rows.
///
/// Rows are counted as on a sheet: the header is row 1, the first row of data row 2.
pub fn table(header: &[String], rows: &[Vec<String>], place: &Place) -> Table {
    if header.is_empty() {
        return of_grid(&Grid::of_texts(rows), place, None);
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0).max(header.len());
    let at = |col: u32| place.clone().cells(1..=1, col..=col);
    let placed = (1..).zip(header).filter(|(_, text)| !text.trim().is_empty());
    let mut names: Vec<String> = header.iter().map(|h| name::tidy(h)).collect();
    names.resize(width, String::new());
    let plan = Plan {
        place: place
            .clone()
            .cells(1..=rows.len() as u64 + 1, 1..=width.max(1) as u32),
        header: placed
            .map(|(col, text)| Placed {
                text: text.clone(),
                place: at(col),
            })
            .collect(),
        header_rows: 1,
        names,
        cols: (1..=width as u32).collect(),
        rows: (2..rows.len() as u64 + 2).collect(),
        ..Plan::default()
    };
    plan.build(|col, raws| {
        raws.extend(rows.iter().map(|row| Raw {
            text: row.get(col).map_or("", String::as_str),
            value: None,
        }));
    })
}

/// The only table of a grid. `header` is the number of rows of title and header, where the source says so.
pub(crate) fn of_grid(grid: &Grid, place: &Place, header: Option<usize>) -> Table {
    let whole = grid.bounds().map(|b| Rect::new(1, 1, b.bottom, b.right));
    match whole {
        Some(rect) => part::table(grid, rect, place, header),
        None => Table {
            place: place.clone(),
            ..Table::default()
        },
    }
}

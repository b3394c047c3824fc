//! Understands tables: where they stand on a sheet, which cells are names, what each row is.
//!
//! Every cell of a sheet ends up in exactly one place: a row, the header, the title or the notes of a
//! table, or a block of text.

mod build;
mod cut;
mod delimited;
mod derive;
mod form;
mod header;
pub(crate) mod label;
mod mark;
mod marker;
mod name;
mod part;
mod patch;
mod region;
mod sheet;
mod total;
pub(crate) mod word;

use crate::grid::{Grid, Rect};
use crate::typing::Raw;
use build::Plan;
pub use header::Head;
pub(crate) use marker::Marker;
pub(crate) use name::{nameless, tidy, unique};
use patch::Patch;
use tabletalk_core::{Block, Place, Placed, Table};

/// The tables and texts of a sheet in reading order. `place` is the sheet.
pub fn blocks(grid: &Grid, place: &Place) -> Vec<Block> {
    sheet::blocks(grid, place)
}

/// The tables of a text with delimiters, one record a row of the grid.
pub(crate) fn delimited(grid: &Grid, place: &Place) -> Vec<Block> {
    delimited::blocks(grid, place)
}

/// How many of the first rows of a table are title and header.
pub fn head<S: AsRef<str>>(rows: &[Vec<S>]) -> Head {
    header::head(&Patch::of_rows(rows))
}

/// How many of the first rows of a table are title and header, where the numbers of the rows tell of empty ones.
pub(crate) fn head_at<S: AsRef<str>>(rows: &[Vec<S>], numbers: &[u64]) -> Head {
    header::head(&Patch::of_numbered(rows, numbers))
}

/// The names of `width` columns under these header rows: joined, readable and unique.
pub(crate) fn names<S: AsRef<str>>(header: &[Vec<S>], width: usize) -> Vec<String> {
    let mut names = joined(header, width);
    let cols: Vec<u32> = (1..=width as u32).collect();
    name::unique(&mut names, &cols);
    names
}

/// The names of `width` columns as these header rows have them: joined, and empty where there is none.
pub(crate) fn joined<S: AsRef<str>>(header: &[Vec<S>], width: usize) -> Vec<String> {
    let patch = Patch::of_rows(header);
    let mut names = name::joined(&patch, 0, patch.rows);
    names.resize(width, String::new());
    names
}

/// The title among the cells above a header, and the others as notes.
pub(crate) fn titles(above: Vec<Placed>) -> (Option<Placed>, Vec<Placed>) {
    part::titles(above)
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
        place: place.clone().cells(1..=rows.len() as u64 + 1, 1..=width.max(1) as u32),
        header: placed.map(|(col, text)| Placed { text: text.clone(), place: at(col) }).collect(),
        header_rows: 1,
        names,
        cols: (1..=width as u32).collect(),
        rows: (2..rows.len() as u64 + 2).collect(),
        ..Plan::default()
    };
    plan.build(|col, raws| {
        raws.extend(
            rows.iter().map(|row| Raw { text: row.get(col).map_or("", String::as_str), value: None }),
        );
    })
}

/// The only table of a grid. `header` is the number of rows of title and header, where the source says so.
pub(crate) fn of_grid(grid: &Grid, place: &Place, header: Option<usize>) -> Table {
    let whole = grid.bounds().map(|b| Rect::new(1, 1, b.bottom, b.right));
    match whole {
        Some(rect) => part::table(grid, rect, place, header),
        None => Table { place: place.clone(), ..Table::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use tabletalk_core::Rows;

    /// The texts at each address, as many as there are.
    fn placed(blocks: &[Block]) -> HashMap<(u64, u32), Vec<String>> {
        let mut cells: HashMap<(u64, u32), Vec<String>> = HashMap::new();
        for block in blocks {
            let mut lone: Vec<&Placed> = Vec::new();
            match block {
                Block::Table(table) => {
                    lone.extend(table.title.iter().chain(&table.notes).chain(&table.header));
                    let Rows::Memory(batches) = &table.rows else { continue };
                    for batch in batches {
                        for (column, values) in table.columns.iter().zip(&batch.columns) {
                            for (i, row) in
                                batch.rows.iter().enumerate().filter(|(i, _)| !values.is_empty(*i))
                            {
                                cells
                                    .entry((*row, column.col))
                                    .or_default()
                                    .push(values.text(i).into_owned());
                            }
                        }
                    }
                }
                other => lone.extend(other.text()),
            }
            for p in lone {
                let at = (p.place.rows.unwrap().0, p.place.cols.unwrap().0);
                cells.entry(at).or_default().push(p.text.clone());
            }
        }
        cells
    }

    fn a_cell() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "",
            "",
            "",
            "Name",
            "合计",
            "12",
            "3.5",
            "2023",
            "2023-01-02",
            "单位：元",
            "注：x",
            "a:",
            "Total",
            "%",
            "n/a",
            "-",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn every_cell_is_placed_once_at_its_address(
            rows in prop::collection::vec(prop::collection::vec(a_cell(), 1..9), 1..14),
            merges in prop::collection::vec((1u32..14, 1u32..9, 0u32..4, 0u32..4), 0..6),
        ) {
            let mut grid = Grid::of_texts(&rows);
            let merges: Vec<Rect> = merges.iter().map(|&(r, c, h, w)| Rect::new(r, c, r + h, c + w)).collect();
            grid.finish(merges);
            let found = placed(&blocks(&grid, &Place::file("t")));
            for (r, row) in (1u64..).zip(&rows) {
                for (c, text) in (1u32..).zip(row).filter(|(_, t)| !t.is_empty()) {
                    prop_assert_eq!(found.get(&(r, c)).map(Vec::as_slice), Some(&[text.to_string()][..]), "at {} {}", r, c);
                }
            }
            // What is there beside was filled from a merged range, or is the name of its group.
            for ((row, col), texts) in &found {
                let own = grid.get(*row as u32, *col).is_some();
                let above = (1..*row as u32).rev().find_map(|r| grid.get(r, *col));
                let is_group = above.is_some_and(|cell| [cell.text] == texts[..]);
                prop_assert!(own || grid.merge(*row as u32, *col).is_some() || is_group);
            }
        }

        #[test]
        fn a_given_header_never_panics(
            header in prop::collection::vec(a_cell(), 0..6),
            rows in prop::collection::vec(prop::collection::vec(a_cell(), 0..8), 0..9),
        ) {
            let header: Vec<String> = header.iter().map(|s| s.to_string()).collect();
            let rows: Vec<Vec<String>> = rows.iter().map(|r| r.iter().map(|s| s.to_string()).collect()).collect();
            let found = table(&header, &rows, &Place::file("t"));
            let mut names: Vec<&str> = found.columns.iter().map(|c| c.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), found.columns.len());
            let _ = head(&rows);
        }
    }

    #[test]
    fn the_name_of_a_group_is_that_of_all_its_rows() {
        let rows = [
            ["Region", "City", "Sold"],
            ["North", "Oslo", "10"],
            ["", "Bergen", "20"],
            ["South", "Rome", "5"],
            ["", "Bari", "7"],
            ["", "", "42"],
        ];
        let blocks = delimited(&Grid::of_texts(&rows), &Place::file("t"));
        let [Block::Table(Table { rows: Rows::Memory(batches), .. })] = &blocks[..] else {
            panic!("{blocks:?}")
        };
        let regions: Vec<_> = (0..5).map(|i| batches[0].columns[0].text(i)).collect();
        assert_eq!(regions, ["North", "North", "South", "South", ""]);
        // A value that is missing now and then is none of its neighbour's.
        let rows = [
            ["Manager", "City", "Sold"],
            ["Ann", "Oslo", "1"],
            ["", "Rome", "2"],
            ["Bob", "Bonn", "3"],
            ["Ann", "Bern", "4"],
        ];
        let blocks = delimited(&Grid::of_texts(&rows), &Place::file("t"));
        let [Block::Table(Table { rows: Rows::Memory(batches), .. })] = &blocks[..] else {
            panic!("{blocks:?}")
        };
        assert!(batches[0].columns[0].is_empty(1));
    }

    #[test]
    fn a_table_on_its_side_has_no_header_row_and_names_its_rows() {
        let rows = [["Founded", "1990-01-01"], ["Staff", "250"], ["Seat", "Oslo"], ["Web", "example.org"]];
        let blocks = blocks(&Grid::of_texts(&rows), &Place::file("t"));
        let [Block::Table(table)] = &blocks[..] else { panic!("{blocks:?}") };
        assert_eq!((table.header_rows, table.row_headers), (0, 1));
        let rows = [["Account:", "DE12"], ["Owner:", "Ann"]];
        let blocks = self::blocks(&Grid::of_texts(&rows), &Place::file("t"));
        assert!(matches!(&blocks[..], [Block::Table(Table { header_rows: 0, .. })]), "{blocks:?}");
    }
}

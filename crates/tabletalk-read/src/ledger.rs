//! Checks that every row of a grid came out somewhere, apart from what was understood of it.

use crate::grid::Grid;
use tabletalk_core::{Block, Place, Rejection, Rows};

/// The rows of a grid that stand in no block: there should be none. `place` is the sheet.
pub(crate) fn missed(grid: &Grid, blocks: &[Block], place: &Place) -> Vec<Rejection> {
    let Some(bounds) = grid.bounds() else { return Vec::new() };
    let mut seen = vec![false; bounds.bottom as usize + 1];
    for block in blocks {
        note(block, &mut seen);
    }
    let is_missed = |row: u32| !seen.get(row as usize).copied().unwrap_or(false);
    let lines = grid.lines(bounds.top, bounds.bottom).iter().map(|line| u64::from(line.row));
    let missed = lines.filter(|row| u32::try_from(*row).is_ok_and(is_missed));
    let rejection = |row: u64| Rejection {
        place: place.clone().cells(row..=row, bounds.cols()),
        reason: "came out in no table and no text: a mistake of the program".into(),
    };
    missed.map(rejection).collect()
}

fn note(block: &Block, seen: &mut [bool]) {
    let mut see = |rows: (u64, u64)| {
        for row in rows.0..=rows.1.min(seen.len() as u64) {
            if let Some(slot) = usize::try_from(row).ok().and_then(|row| seen.get_mut(row)) {
                *slot = true;
            }
        }
    };
    let Block::Table(table) = block else {
        return block.text().and_then(|text| text.place.rows).into_iter().for_each(see);
    };
    let placed = table.title.iter().chain(&table.notes).chain(&table.header);
    placed.filter_map(|placed| placed.place.rows).for_each(&mut see);
    if let Rows::Memory(batches) = &table.rows {
        batches.iter().flat_map(|batch| &batch.rows).for_each(|row| see((*row, *row)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_nowhere_is_named() {
        let place = Place::file("a.csv");
        let rows = [["city", "sold"], ["Oslo", "3"], ["Rome", "4"]];
        let grid = Grid::of_texts(&rows);
        let blocks = crate::understand::blocks(&grid, &place);
        assert!(missed(&grid, &blocks, &place).is_empty());
        let of_less = crate::understand::blocks(&Grid::of_texts(&rows[..2]), &place);
        let missed = missed(&grid, &of_less, &place);
        assert_eq!(missed.iter().map(|m| m.place.to_string()).collect::<Vec<_>>(), ["a.csv!A3:B3"]);
    }
}

//! Where the cells of written rows stand in the grid of a table.

use super::tokens::Drawn;
use tabletalk_core::seam::SeenCell;

/// Gives each cell its rows and columns: the first free place of its row, as browsers do. A cell does not span past the
/// last row that is written.
pub(crate) fn place(rows: &[Vec<Drawn>]) -> Vec<SeenCell> {
    let mut cells = Vec::new();
    // For each column the first row that is free.
    let mut free: Vec<u32> = Vec::new();
    for (y, row) in (0u32..).zip(rows) {
        let last_row = u32::try_from(rows.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let mut x = 0usize;
        for cell in row {
            while free.get(x).is_some_and(|row| *row > y) {
                x += 1;
            }
            let end = x + cell.cols.max(1) as usize;
            let bottom = (y + cell.rows.max(1) - 1).min(last_row);
            free.resize(free.len().max(end), 0);
            free.iter_mut().take(end).skip(x).for_each(|row| *row = bottom + 1);
            let column = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
            cells.push(SeenCell { rows: (y, bottom), cols: (column(x), column(end - 1)), bbox: cell.bbox });
            x = end;
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[&[(u32, u32)]]) -> Vec<((u32, u32), (u32, u32))> {
        let drawn = |&(rows, cols): &(u32, u32)| Drawn { rows, cols, bbox: [0.0; 4] };
        let rows: Vec<Vec<Drawn>> = rows.iter().map(|row| row.iter().map(drawn).collect()).collect();
        place(&rows).iter().map(|cell| (cell.rows, cell.cols)).collect()
    }

    #[test]
    fn plain_rows_are_a_plain_grid() {
        assert_eq!(
            grid(&[&[(1, 1), (1, 1)], &[(1, 1), (1, 1)]]),
            [((0, 0), (0, 0)), ((0, 0), (1, 1)), ((1, 1), (0, 0)), ((1, 1), (1, 1))]
        );
    }

    #[test]
    fn a_cell_of_two_rows_pushes_the_next_row_to_the_right() {
        assert_eq!(
            grid(&[&[(2, 1), (1, 2)], &[(1, 1), (1, 1)]]),
            [((0, 1), (0, 0)), ((0, 0), (1, 2)), ((1, 1), (1, 1)), ((1, 1), (2, 2))]
        );
    }

    #[test]
    fn a_span_ends_with_the_table() {
        assert_eq!(grid(&[&[(9, 1)], &[(1, 1)]]), [((0, 1), (0, 0)), ((1, 1), (1, 1))]);
        assert!(grid(&[]).is_empty());
    }
}

//! The order in which lines are read.

use super::rect::Rect;

/// Sorts from top to bottom, and from left to right what stands in one row: what has its middle within half a line's
/// height of the first of the row.
pub(crate) fn sort(rects: &mut [Rect]) {
    rects.sort_by(|a, b| a.centre[1].total_cmp(&b.centre[1]).then(a.centre[0].total_cmp(&b.centre[0])));
    let mut rest = rects;
    while let Some(first) = rest.first() {
        let reach = first.centre[1] + half(first);
        let row =
            rest.iter().take_while(|rect| rect.centre[1] <= reach.min(first.centre[1] + half(rect))).count();
        let (row, below) = rest.split_at_mut(row.max(1));
        row.sort_by(|a, b| a.bounds()[0].total_cmp(&b.bounds()[0]));
        rest = below;
    }
}

fn half(rect: &Rect) -> f32 {
    rect.height / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(rects: &[(f32, f32, f32)]) -> Vec<f32> {
        let rect =
            |&(x, y, height): &(f32, f32, f32)| Rect { centre: [x, y], width: 50.0, height, angle: 0.0 };
        let mut rects: Vec<Rect> = rects.iter().map(rect).collect();
        sort(&mut rects);
        rects.iter().map(|rect| rect.centre[0]).collect()
    }

    #[test]
    fn a_row_that_is_a_little_uneven_is_read_from_left_to_right() {
        assert_eq!(
            sorted(&[(300.0, 98.0, 20.0), (100.0, 102.0, 20.0), (200.0, 100.0, 20.0)]),
            [100.0, 200.0, 300.0]
        );
    }

    #[test]
    fn rows_are_read_from_top_to_bottom() {
        assert_eq!(sorted(&[(1.0, 60.0, 20.0), (3.0, 20.0, 20.0), (2.0, 40.0, 20.0)]), [3.0, 2.0, 1.0]);
        assert!(sorted(&[]).is_empty());
    }

    #[test]
    fn what_stands_beside_a_tall_line_is_not_all_in_its_row() {
        let found = sorted(&[(900.0, 100.0, 200.0), (100.0, 120.0, 20.0), (101.0, 150.0, 20.0)]);
        assert_eq!(found, [900.0, 100.0, 101.0]);
    }
}

//! The order in which the shapes of a slide are read.

/// How much shapes may overlap and still stand one after the other, in points.
const SLACK: f32 = 2.0;

/// The order in which to read shapes of these boxes. The order in which they are kept is what their author
/// made; only where it goes against what is seen, a shape read before another that stands above it in the
/// same column, they are ordered by where they stand.
pub(super) fn order(boxes: &[Option<[f32; 4]>]) -> Vec<usize> {
    let all = (0..boxes.len()).collect();
    if !is_upside_down(boxes) {
        return all;
    }
    let boxes: Vec<[f32; 4]> = boxes.iter().map(|b| b.unwrap_or_default()).collect();
    let mut order = Vec::new();
    cut(&boxes, all, true, 0, &mut |at| order.push(at));
    order
}

fn is_upside_down(boxes: &[Option<[f32; 4]>]) -> bool {
    let boxes: Vec<[f32; 4]> = boxes.iter().flatten().take(200).copied().collect();
    boxes
        .iter()
        .enumerate()
        .any(|(i, a)| boxes.iter().skip(i + 1).any(|b| a[1] + SLACK >= b[3] && a[0] < b[2] && b[0] < a[2]))
}

pub(super) fn sorted<T>(things: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut slots: Vec<Option<T>> = things.into_iter().map(Some).collect();
    order.iter().filter_map(|at| slots.get_mut(*at).and_then(Option::take)).collect()
}

/// Cuts shapes apart where a straight line goes between them: into rows, these into columns, and so on.
fn cut(boxes: &[[f32; 4]], set: Vec<usize>, rows: bool, tries: usize, take: &mut dyn FnMut(usize)) {
    let parts = split(boxes, &set, if rows { 1 } else { 0 });
    if parts.len() <= 1 {
        if set.len() <= 1 || tries > 0 {
            set.into_iter().for_each(take);
            return;
        }
        return cut(boxes, set, !rows, tries + 1, take);
    }
    for part in parts {
        cut(boxes, part, !rows, 0, take);
    }
}

/// Groups of shapes that gaps along an axis (0 across, 1 down) part from each other.
fn split(boxes: &[[f32; 4]], set: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let edge = |at: usize, side: usize| boxes.get(at).and_then(|b| b.get(side)).copied().unwrap_or(0.0);
    let mut sorted = set.to_vec();
    sorted.sort_by(|a, b| edge(*a, axis).total_cmp(&edge(*b, axis)));
    let (mut parts, mut end): (Vec<Vec<usize>>, f32) = (Vec::new(), f32::MIN);
    for at in sorted {
        match parts.last_mut() {
            Some(part) if edge(at, axis) + SLACK < end => part.push(at),
            _ => parts.push(vec![at]),
        }
        end = end.max(edge(at, axis + 2));
    }
    // Inside a part the order in which shapes are kept holds.
    parts.iter_mut().for_each(|p| p.sort_unstable());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows_then_columns_when_the_order_is_upside_down() {
        let boxes = [
            [0., 50., 40., 90.],
            [0., 0., 100., 20.],
            [60., 30., 100., 90.],
            [0., 30., 40., 48.],
            [0., 95., 9., 99.],
        ];
        assert_eq!(order(&boxes.map(Some)), [1, 3, 0, 2, 4]);
        assert_eq!(order(&[Some([0., 0., 9., 9.]), None, Some([20., 0., 29., 9.])]), [0, 1, 2]);
    }
}

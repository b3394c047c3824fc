//! From how likely each pixel is inside a line of text to the rectangles of lines.

use super::rect::Rect;

/// How likely each pixel is inside a line of text, from 0 to 255, row by row.
pub(crate) struct Likely {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) values: Vec<u8>,
}

/// From which likelihood on a pixel is text: 0.3.
const TEXT: u8 = 77;
/// The mean likelihood a rectangle needs.
const SURE: f32 = 0.5 * 255.0;
/// Smaller rectangles are specks.
const SHORT_SIDE: f32 = 3.0;
/// The model sees lines thinner than they are: a rectangle grows by this much of its area for each unit of its outline.
const GROW: f32 = 1.6;

/// Pixels of text beside one another: `from` to `to` in row `y`, both included.
#[derive(Clone, Copy)]
struct Run {
    y: usize,
    from: usize,
    to: usize,
}

impl Likely {
    /// The rectangles of lines of text, in the order of their first row.
    pub(crate) fn regions(&self) -> Vec<Rect> {
        components(&self.runs()).iter().filter_map(|runs| self.region(runs)).collect()
    }

    /// The runs of text. Each pixel also covers its neighbours to the right and below, which closes the finest gaps and
    /// makes the positions of pixels those of their edges.
    fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut above = vec![false; self.width];
        for (y, row) in self.values.chunks_exact(self.width.max(1)).enumerate() {
            let text: Vec<bool> = row.iter().map(|value| *value > TEXT).collect();
            let both: Vec<bool> = text.iter().zip(&above).map(|(a, b)| *a || *b).collect();
            let left = std::iter::once(&false).chain(&both);
            let wide: Vec<bool> = both.iter().zip(left).map(|(a, b)| *a || *b).collect();
            let mut from = 0;
            for stretch in wide.chunk_by(|a, b| a == b) {
                let to = from + stretch.len();
                if stretch.first() == Some(&true) {
                    runs.push(Run { y, from, to: to - 1 });
                }
                from = to;
            }
            above = text;
        }
        runs
    }

    fn region(&self, runs: &[Run]) -> Option<Rect> {
        let ends = |run: &Run| [[run.from as f32, run.y as f32], [run.to as f32, run.y as f32]];
        let points: Vec<[f32; 2]> = runs.iter().flat_map(ends).collect();
        let rect = Rect::around(&points)?;
        if rect.short_side() < SHORT_SIDE || self.mean(&rect) < SURE {
            return None;
        }
        let distance = rect.area() * GROW / (2.0 * (rect.width + rect.height));
        Some(rect.grown(distance)).filter(|rect| rect.short_side() >= SHORT_SIDE + 2.0)
    }

    /// The mean of what is inside `rect`.
    fn mean(&self, rect: &Rect) -> f32 {
        let [left, top, right, bottom] = rect.bounds().map(|side| side.max(0.0) as usize);
        let (mut sum, mut count) = (0u64, 0u64);
        for y in top..(bottom + 1).min(self.height) {
            let row = self.values.get(y * self.width..).unwrap_or_default();
            for (x, value) in row.iter().enumerate().take((right + 1).min(self.width)).skip(left) {
                if rect.inside(x as f32 + 0.5, y as f32 + 0.5) {
                    sum += u64::from(*value);
                    count += 1;
                }
            }
        }
        sum as f32 / count.max(1) as f32
    }
}

/// Groups runs that touch, also at corners, in the order of their first run.
fn components(runs: &[Run]) -> Vec<Vec<Run>> {
    let mut parent: Vec<usize> = (0..runs.len()).collect();
    let mut above = 0;
    for (at, run) in runs.iter().enumerate() {
        while runs[above].y + 1 < run.y || (runs[above].y + 1 == run.y && runs[above].to + 1 < run.from) {
            above += 1;
        }
        let touching = |other: &&Run| other.y + 1 == run.y && other.from <= run.to + 1;
        for other in above..above + runs[above..at].iter().take_while(touching).count() {
            let (a, b) = (root(&mut parent, other), root(&mut parent, at));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<Run>> = vec![Vec::new(); runs.len()];
    for (at, run) in runs.iter().enumerate() {
        groups[root(&mut parent, at)].push(*run);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The first of all that `at` is grouped with.
fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map from a drawing: `#` is text.
    fn map(rows: &[&str]) -> Likely {
        let values =
            rows.iter().flat_map(|row| row.chars().map(|c| if c == '#' { 255 } else { 0 })).collect();
        Likely { width: rows[0].len(), height: rows.len(), values }
    }

    fn block(width: usize, height: usize, blocks: &[[usize; 4]]) -> Likely {
        let mut values = vec![0; width * height];
        for [left, top, right, bottom] in blocks {
            for y in *top..*bottom {
                values[y * width + left..y * width + right].fill(255);
            }
        }
        Likely { width, height, values }
    }

    #[test]
    fn touching_pixels_are_one_component_also_at_corners() {
        let runs = map(&["##........", "..##....##", "..........", "..........", "##........"]).runs();
        assert_eq!(components(&runs).len(), 3);
    }

    #[test]
    fn a_shape_open_at_the_top_is_one_component() {
        let runs = map(&["#....#...#", "#....#...#", "#....#...#", "##########"]).runs();
        assert_eq!(components(&runs).len(), 1);
        assert!(components(&[]).is_empty());
    }

    #[test]
    fn a_line_grows_to_the_size_of_its_text() {
        let regions = block(100, 40, &[[20, 10, 80, 20]]).regions();
        // 60 × 10 pixels grow by 600 · 1.6 / 140 on each side.
        let grow = 600.0 * 1.6 / 140.0;
        let expected = [20.0 - grow, 10.0 - grow, 80.0 + grow, 20.0 + grow];
        assert_eq!(regions.len(), 1);
        let near = regions[0].bounds().iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01);
        assert!(near, "{:?} {expected:?}", regions[0].bounds());
    }

    #[test]
    fn specks_and_unsure_regions_are_dropped() {
        let mut map = block(60, 40, &[[5, 5, 7, 7], [20, 20, 40, 30]]);
        assert_eq!(map.regions().len(), 1);
        map.values.iter_mut().for_each(|value| *value = *value / 255 * 100);
        assert!(map.regions().is_empty());
    }

    #[test]
    fn two_columns_are_two_regions() {
        let regions = block(100, 20, &[[5, 5, 40, 12], [60, 5, 95, 12]]).regions();
        assert_eq!(regions.len(), 2);
        assert!(regions[0].centre[0] < regions[1].centre[0]);
    }
}

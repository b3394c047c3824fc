//! Blanks between words that the recogniser leaves out: it was trained mostly on a script that has none.

use tabletalk_core::seam::Picture;

/// How wide a gap is, in heights of the line's ink, to be a blank.
const WIDE: f32 = 0.2;
/// How much of the strongest contrast a column needs to have ink.
const INK: f32 = 0.3;
/// A line with less contrast is not judged.
const CONTRAST: u8 = 40;

/// Where a line has no ink between its letters.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    /// Wide gaps, from left to right: where each begins and ends.
    wide: Vec<(f32, f32)>,
}

impl Gaps {
    /// The wide gaps of `line`.
    pub(crate) fn of(line: &Picture) -> Gaps {
        let width = line.width as usize;
        let grey: Vec<u8> = line
            .rgb
            .as_chunks::<3>()
            .0
            .iter()
            .map(|p| (p.iter().map(|b| u32::from(*b)).sum::<u32>() / 3) as u8)
            .collect();
        let paper = median(&grey);
        let apart: Vec<u8> = grey.iter().map(|g| g.abs_diff(paper)).collect();
        let most = apart.iter().copied().max().unwrap_or(0);
        if most < CONTRAST {
            return Gaps::default();
        }
        let ink = |value: &u8| f32::from(*value) > INK * f32::from(most);
        let rows = apart.chunks_exact(width.max(1)).filter(|row| row.iter().any(ink)).count();
        let mut columns = vec![false; width];
        for row in apart.chunks_exact(width.max(1)) {
            columns.iter_mut().zip(row).for_each(|(column, value)| *column |= ink(value));
        }
        Gaps { wide: blank_runs(&columns, WIDE * rows as f32) }
    }

    /// The gaps apart from those at `places`: where the recogniser has seen the blank itself.
    pub(crate) fn without(mut self, places: &[f32], near: f32) -> Gaps {
        self.wide.retain(|gap| !places.iter().any(|place| (gap.0 - near..=gap.1 + near).contains(place)));
        self
    }

    /// Whether words end between letters `a` at `from` and `b` at `to`, both in pixels. Digits are never parted: there
    /// is as much room around a narrow one as between words.
    pub(crate) fn part(&self, (a, from): (char, f32), (b, to): (char, f32)) -> bool {
        let ends = a.is_alphabetic()
            || (a.is_ascii_digit() && b.is_alphabetic())
            || matches!(a, ')' | ',' | ';' | ':' | '.' | '%');
        let begins = b.is_alphabetic() || (b.is_ascii_digit() && a.is_alphabetic()) || matches!(b, '(');
        let spaced = |letter: char| (letter as u32) < 0x2e80;
        ends && begins
            && spaced(a)
            && spaced(b)
            && self.wide.iter().any(|gap| (from..to).contains(&((gap.0 + gap.1) / 2.0)))
    }
}

/// The runs without ink that are at least `least` wide.
fn blank_runs(columns: &[bool], least: f32) -> Vec<(f32, f32)> {
    let mut at = 0;
    let mut runs = Vec::new();
    for run in columns.chunk_by(|a, b| a == b) {
        if run.first() == Some(&false) && run.len() as f32 >= least {
            runs.push((at as f32, (at + run.len()) as f32));
        }
        at += run.len();
    }
    runs
}

fn median(values: &[u8]) -> u8 {
    let mut counts = [0usize; 256];
    values.iter().for_each(|value| counts[usize::from(*value)] += 1);
    let mut seen = 0;
    let reached = |count: &usize| {
        seen += count;
        seen * 2 >= values.len()
    };
    counts.iter().position(reached).and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of 20 rows, of which ten have ink at the columns marked `#`; each mark is two pixels wide.
    fn line(marks: &str) -> Picture {
        let width = marks.len() * 2;
        let row: Vec<u8> = marks.bytes().flat_map(|m| [if m == b'#' { 0 } else { 250 }; 6]).collect();
        let paper = vec![250; width * 3];
        let rgb =
            (0..20).flat_map(|y| if (5..15).contains(&y) { row.clone() } else { paper.clone() }).collect();
        Picture { width: width as u32, height: 20, rgb }
    }

    #[test]
    fn a_wide_gap_between_letters_parts_words() {
        let gaps = Gaps::of(&line("..##..##"));
        assert!(gaps.part(('a', 5.0), ('b', 13.0)));
        assert!(!gaps.part(('a', 5.0), ('b', 7.0)));
    }

    #[test]
    fn a_gap_that_was_seen_as_a_blank_parts_nothing_more() {
        let gaps = Gaps::of(&line("..##..##"));
        assert!(!gaps.without(&[9.0], 4.0).part(('a', 5.0), ('b', 13.0)));
    }

    #[test]
    fn digits_and_han_are_never_parted() {
        let gaps = Gaps::of(&line("..##..##"));
        assert!(!gaps.part(('1', 5.0), ('1', 13.0)));
        assert!(!gaps.part(('中', 5.0), ('文', 13.0)));
        assert!(gaps.part(('s', 5.0), ('1', 13.0)));
    }

    #[test]
    fn a_line_without_contrast_has_no_gaps() {
        let plain = Picture { width: 4, height: 2, rgb: vec![200; 24] };
        assert!(Gaps::of(&plain).wide.is_empty());
        assert!(Gaps::of(&Picture::default()).wide.is_empty());
    }
}

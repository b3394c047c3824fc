//! The columns of a page: what belongs together is read together.

use super::word::{Line, Word, lines, usual_size};

/// A word, or a table already found, as an obstacle for columns.
#[derive(Debug, Clone)]
pub(super) enum Bit {
    Word(Word),
    /// The number of a table and its box.
    Table(usize, [f32; 4]),
}

impl Bit {
    pub(super) fn rect(&self) -> [f32; 4] {
        match self {
            Bit::Word(w) => [w.left, w.top(), w.right, w.bottom()],
            Bit::Table(_, rect) => *rect,
        }
    }
}

/// The width of one step of a strip, in points.
const STEP: f32 = 2.0;
const MOST_STEPS: usize = 4096;
/// Columns within columns.
const DEEPEST: usize = 4;

/// The parts of a page in reading order; words of one part are read line by line.
pub(super) fn parts(bits: Vec<Bit>) -> Vec<Vec<Bit>> {
    let mut out = Vec::new();
    cut(bits, 0, &mut out);
    out
}

fn cut(bits: Vec<Bit>, depth: usize, out: &mut Vec<Vec<Bit>>) {
    if depth >= DEEPEST || bits.len() < 8 {
        out.push(bits);
        return;
    }
    let bands = bands(bits);
    let mut open: Vec<Bit> = Vec::new();
    let (mut at, mut quiet) = (0, 0);
    while at < bands.len() {
        let found = if at < quiet { Err(quiet) } else { columns(&bands, at) };
        match found {
            Ok((end, x)) => {
                if !open.is_empty() {
                    out.push(std::mem::take(&mut open));
                }
                let all = bands[at..end].iter().flat_map(|b| b.bits.iter().cloned());
                let (left, right): (Vec<Bit>, Vec<Bit>) = all.partition(|b| b.rect()[0] < x);
                cut(left, depth + 1, out);
                cut(right, depth + 1, out);
                at = end;
            }
            // Where a long run has no columns of text, neither has the next that is nearly as long.
            Err(end) => {
                quiet = quiet.max(at + end.saturating_sub(at) / 8);
                open.extend(bands[at].bits.iter().cloned());
                at += 1;
            }
        }
    }
    if !open.is_empty() {
        out.push(open);
    }
}

/// What stands between two horizontal gaps.
struct Band {
    bits: Vec<Bit>,
    /// The steps across the page that are covered.
    covered: Vec<bool>,
    top: f32,
    bottom: f32,
}

fn bands(mut bits: Vec<Bit>) -> Vec<Band> {
    bits.sort_by(|a, b| a.rect()[1].total_cmp(&b.rect()[1]));
    let mut bands: Vec<Band> = Vec::new();
    for bit in bits {
        let [_, top, _, bottom] = bit.rect();
        match bands.last_mut() {
            Some(band) if top < band.bottom => {
                band.bottom = band.bottom.max(bottom);
                band.bits.push(bit);
            }
            _ => bands.push(Band { bits: vec![bit], covered: Vec::new(), top, bottom }),
        }
    }
    for band in &mut bands {
        band.covered = vec![false; MOST_STEPS];
        for bit in &band.bits {
            let [left, _, right, _] = bit.rect();
            let (from, to) = (step(left), step(right));
            band.covered.iter_mut().take(to + 1).skip(from).for_each(|c| *c = true);
        }
    }
    bands
}

fn step(x: f32) -> usize {
    ((x / STEP).max(0.0) as usize).min(MOST_STEPS - 1)
}

/// Whether columns of text begin at a band: where they end, and what parts them. If not, how far was looked.
fn columns(bands: &[Band], at: usize) -> Result<(usize, f32), usize> {
    let mut covered = vec![false; MOST_STEPS];
    let mut bottom = bands.get(at).map_or(0.0, |b| b.bottom);
    // The last band up to which each set of gutters holds.
    let mut found: Vec<(usize, Vec<(f32, f32)>)> = Vec::new();
    for (i, band) in bands.iter().enumerate().skip(at) {
        // A wide gap with nothing beside it ends what belongs together.
        if band.top - bottom > 60.0 {
            break;
        }
        bottom = band.bottom;
        for (a, b) in covered.iter_mut().zip(&band.covered) {
            *a |= b;
        }
        let gutters = gutters(&covered);
        if gutters.is_empty() {
            break;
        }
        match found.last_mut() {
            Some(last) if last.1.len() == gutters.len() => *last = (i + 1, gutters),
            _ => found.push((i + 1, gutters)),
        }
    }
    for (end, gutters) in found.iter().rev() {
        let bits: Vec<&Bit> = bands[at..*end].iter().flat_map(|b| &b.bits).collect();
        let split = gutters.iter().find(|(a, b)| is_split(&bits, (a + b) / 2.0));
        if let Some((a, b)) = split {
            return Ok((*end, (a + b) / 2.0));
        }
    }
    Err(found.last().map_or(at + 1, |f| f.0))
}

/// Free strips with text on both sides.
fn gutters(covered: &[bool]) -> Vec<(f32, f32)> {
    let (Some(first), Some(last)) = (covered.iter().position(|c| *c), covered.iter().rposition(|c| *c))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut from = None;
    for (i, c) in covered.iter().enumerate().take(last + 1).skip(first) {
        match (c, from) {
            (false, None) => from = Some(i),
            (true, Some(start)) => {
                if i - start >= 4 {
                    found.push((start as f32 * STEP, i as f32 * STEP));
                }
                from = None;
            }
            _ => {}
        }
    }
    found
}

/// Whether what stands left and right of `x` is to be read one after the other.
fn is_split(bits: &[&Bit], x: f32) -> bool {
    let side = |is_left: bool| -> Vec<Word> {
        let words = bits.iter().filter_map(|b| match b {
            Bit::Word(w) if (w.left < x) == is_left => Some(w.clone()),
            _ => None,
        });
        words.collect()
    };
    let tables = |is_left: bool| {
        bits.iter().any(|b| matches!(b, Bit::Table(_, r) if (r[0] < x) == is_left && r[3] - r[1] > 30.0))
    };
    let (left, right) = (lines(side(true)), lines(side(false)));
    let (prose_left, prose_right) = (is_prose(&left), is_prose(&right));
    if (prose_left || tables(true)) && prose_right || tables(false) && prose_left {
        return true;
    }
    match (prose_left, prose_right) {
        (true, false) => right.len() > 2 && matched(&right, &left) < 0.7 && is_even(&left),
        (false, true) => left.len() > 2 && matched(&left, &right) < 0.7 && is_even(&right),
        _ => false,
    }
}

/// Whether most lines are full of words.
pub(super) fn is_prose(lines: &[Line]) -> bool {
    let words: Vec<Word> = lines.iter().flat_map(|l| l.words.iter().cloned()).collect();
    let size = usual_size(&words);
    let (left, right) =
        lines.iter().fold((f32::MAX, f32::MIN), |(a, b), l| (a.min(l.left()), b.max(l.right())));
    let is_full = |l: &&Line| {
        let widest = l.words.windows(2).fold(0.0f32, |g, w| g.max(w[1].left - w[0].right));
        let letters = l.words.iter().flat_map(|w| w.text.chars()).filter(|c| c.is_alphabetic()).count();
        let all: usize = l.words.iter().map(|w| w.text.chars().count()).sum();
        l.right() - l.left() > 0.6 * (right - left)
            && widest < 1.3 * size
            && all > 14
            && letters * 10 > all * 7
    };
    let full = lines.iter().filter(is_full).count();
    full >= 4 && full * 5 >= lines.len() * 2
}

/// Whether lines are long and evenly spaced, as those of labels beside a table are not.
fn is_even(lines: &[Line]) -> bool {
    let letters: usize = lines.iter().flat_map(|l| &l.words).map(|w| w.text.chars().count()).sum();
    let mut steps: Vec<f32> = lines.windows(2).map(|w| w[1].base - w[0].base).collect();
    steps.sort_by(f32::total_cmp);
    let Some(usual) = steps.get(steps.len() / 2).copied() else { return false };
    let even = steps.iter().filter(|s| (**s - usual).abs() < 0.12 * usual).count();
    letters > 28 * lines.len() && even * 3 >= steps.len() * 2
}

/// The share of lines that stand at the height of a line of the others.
fn matched(lines: &[Line], others: &[Line]) -> f32 {
    let near = |l: &&Line| others.iter().any(|o| (o.base - l.base).abs() < 0.12 * l.size);
    lines.iter().filter(near).count() as f32 / lines.len().max(1) as f32
}

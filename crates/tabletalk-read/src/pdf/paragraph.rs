//! Lines into paragraphs.

use super::table::{is_bullet, join};
use super::word::{Line, Word};

/// Lines that are read together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Paragraph {
    pub text: String,
    pub rect: [f32; 4],
    /// The size of its letters.
    pub size: f32,
    pub bold: bool,
    /// Begins with the mark of an item.
    pub item: bool,
    pub lines: usize,
}

/// The paragraphs of lines that stand below each other.
pub(super) fn paragraphs(lines: &[Line]) -> Vec<Paragraph> {
    let pitch = pitch(lines);
    let right = lines.iter().map(Line::right).fold(f32::MIN, f32::max);
    let mut found = Vec::new();
    let mut from = 0;
    for i in 1..=lines.len() {
        if i == lines.len() || begins(&lines[i - 1], &lines[i], &lines[from], pitch, right) {
            found.extend(paragraph(&lines[from..i]));
            from = i;
        }
    }
    found
}

/// The usual distance between lines.
fn pitch(lines: &[Line]) -> f32 {
    let mut steps: Vec<f32> = lines.windows(2).map(|w| w[1].base - w[0].base).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// Whether a line begins a paragraph.
fn begins(above: &Line, line: &Line, first: &Line, pitch: f32, right: f32) -> bool {
    let step = line.base - above.base;
    let size = above.size.max(line.size);
    let wide = step > 1.28 * pitch && step > 1.25 * size || step > 2.4 * size;
    let other_size = (above.size - line.size).abs() > 0.12 * size;
    let bold = |l: &Line| l.words.iter().all(|w| w.bold);
    let is_short = above.right() < right - 6.0 * size;
    let indented =
        line.left() > first.left() + 0.8 * size && line.left() > above.left() + 0.8 * size && is_short;
    let item = line.words.len() > 1 && is_bullet(&line.words[0].text);
    wide || other_size || item || bold(above) != bold(line) && (is_short || bold(above)) || indented
}

fn paragraph(lines: &[Line]) -> Option<Paragraph> {
    let words = || lines.iter().flat_map(|l| &l.words);
    let first = words().next()?;
    let rect = words().fold([first.left, first.top(), first.right, first.bottom()], |r, w: &Word| {
        super::table::around(r, [w.left, w.top(), w.right, w.bottom()])
    });
    let item = lines[0].words.len() > 1 && is_bullet(&first.text);
    Some(Paragraph {
        text: join(lines.iter().map(Line::text)),
        rect,
        size: lines.iter().map(|l| l.size).sum::<f32>() / lines.len() as f32,
        bold: words().all(|w| w.bold),
        item,
        lines: lines.len(),
    })
}

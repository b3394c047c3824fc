//! Pages that are pictures, read by OCR.

use super::page::Page;
use super::render;
use super::word::Word;
use hayro_syntax::Pdf;
use tabletalk_core::seam::{Ocr, Seen};

/// Pixels a point: two hundred an inch.
const SCALE: f32 = 200.0 / 72.0;

/// Reads a page that is a picture. What goes wrong is kept with the page.
pub(super) fn read(file: &Pdf, page: &mut Page, ocr: &dyn Ocr) {
    let (picture, scale) = render::picture(file, page.number as usize - 1, SCALE);
    match ocr.lines(&picture) {
        Ok(seen) if seen.is_empty() => page.scanned = false,
        Ok(seen) => {
            let letters = |s: &Seen| s.text.chars().count() as f32;
            let sure: f32 = seen.iter().map(|s| s.confidence * letters(s)).sum();
            page.confidence = Some(sure / seen.iter().map(letters).sum::<f32>().max(1.0));
            page.words = seen.iter().flat_map(|s| words(s, scale)).collect();
            (page.scanned, page.unknown) = (false, (0, 0));
        }
        Err(error) => page.failure = Some(error.to_string()),
    }
}

/// The words of a line, each with its share of the line's box.
fn words(seen: &Seen, scale: f32) -> Vec<Word> {
    let [left, top, right, bottom] = seen.bbox.map(|x| x / scale);
    let all = seen.text.chars().count().max(1) as f32;
    let size = (bottom - top) * 0.85;
    let mut found = Vec::new();
    let mut at = 0;
    for word in seen.text.split_inclusive(char::is_whitespace) {
        let count = word.chars().count();
        let text = word.trim();
        let share = |n: usize| left + (right - left) * n as f32 / all;
        if !text.is_empty() {
            found.push(Word {
                text: text.to_owned(),
                left: share(at),
                right: share(at + text.chars().count()),
                base: bottom - 0.22 * (bottom - top),
                size,
                bold: false,
            });
        }
        at += count;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_line_share_its_box() {
        let seen = Seen { text: "ab cd".into(), bbox: [0.0, 0.0, 100.0, 20.0], confidence: 0.9 };
        let found = words(&seen, 2.0);
        assert_eq!(
            found.iter().map(|w| (w.text.as_str(), w.left, w.right)).collect::<Vec<_>>(),
            [("ab", 0.0, 20.0), ("cd", 30.0, 50.0)]
        );
        assert!(found[0].base < 10.0 && found[0].size > 8.0);
    }
}

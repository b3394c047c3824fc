//! Pages as pictures: drawn for people to look at, and read by OCR.

use super::page::Page;
use super::word::Word;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use hayro_interpret::InterpreterSettings;
use hayro_syntax::Pdf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tabletalk_core::seam::{Ocr, Picture, Seen};

/// Pixels a point: two hundred an inch.
const SCALE: f32 = 200.0 / 72.0;

/// Reads a page that is a picture. What goes wrong is kept with the page.
pub(super) fn read(file: &Pdf, page: &mut Page, ocr: &dyn Ocr) {
    let (picture, scale) = picture(file, page.number as usize - 1, SCALE);
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

/// No side of a picture has more pixels.
const LARGEST: f32 = 6000.0;

/// The picture of a page, and how many pixels a point has in it.
pub(super) fn picture(file: &Pdf, index: usize, scale: f32) -> (Picture, f32) {
    let pages = file.pages();
    let Some(page) = pages.get(index) else { return (Picture::default(), scale) };
    let (width, height) = page.render_dimensions();
    let scale = scale.min(LARGEST / width.max(1.0)).min(LARGEST / height.max(1.0));
    let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let draw = AssertUnwindSafe(|| {
        let (cache, look) = (RenderCache::new(), RenderSettings::default());
        render(page, &cache, &InterpreterSettings::default(), &look, &settings)
    });
    // A page that breaks the renderer is left blank.
    let Ok(pixmap) = catch_unwind(draw) else { return (Picture::default(), scale) };
    let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
    let rgb = pixmap.data().iter().flat_map(|p| [p.r, p.g, p.b]).collect();
    (Picture { width, height, rgb }, scale)
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

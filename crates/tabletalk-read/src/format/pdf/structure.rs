//! A second look at tables that the rules are unsure of, by a model that sees their picture.

use super::scan;
use super::table::{Cell, Sheet};
use super::word::Word;
use hayro_syntax::Pdf;
use tabletalk_core::seam::{Picture, SeenCell, Structure};

/// Pixels a point: a hundred and fifty an inch.
const SCALE: f32 = 150.0 / 72.0;
/// White space around the table, in points, that the model was found to see best with.
const MARGIN: f32 = 6.0;

/// Whether the rules may have taken a table wrongly: many cells over several columns, or most of it empty.
pub(super) fn is_unsure(sheet: &Sheet) -> bool {
    let head = sheet.header.unwrap_or(1);
    let body: Vec<&Cell> = sheet.cells.iter().filter(|c| c.row >= head && c.col > 0).collect();
    let wide = body.iter().filter(|c| c.last_col > c.col).count();
    let places = sheet.rows.len().saturating_sub(head) * sheet.cols.len().saturating_sub(1);
    wide * 5 > body.len() || body.len() * 3 < places
}

/// The table as the model sees it, where that makes sense of all its words.
pub(super) fn again(file: &Pdf, page: u32, sheet: &Sheet, model: &dyn Structure) -> Option<Sheet> {
    // Pages on their side would have to be turned first.
    if sheet.direction != 0 {
        return None;
    }
    let (picture, scale) = scan::picture(file, page as usize - 1, SCALE);
    let [left, top, right, bottom] = sheet.rect;
    let window = [left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN].map(|x| (x * scale).max(0.0));
    let cells = model.cells(&crop(&picture, window)?).ok()?;
    rebuilt(sheet, &cells, |b: [f32; 4]| {
        [b[0] + window[0], b[1] + window[1], b[2] + window[0], b[3] + window[1]].map(|x| x / scale)
    })
}

fn crop(picture: &Picture, window: [f32; 4]) -> Option<Picture> {
    let [left, top, right, bottom] = window.map(|x| x as usize);
    let (right, bottom) = (right.min(picture.width as usize), bottom.min(picture.height as usize));
    if left + 8 > right || top + 8 > bottom {
        return None;
    }
    let row = |y: usize| {
        picture.rgb.get((y * picture.width as usize + left) * 3..(y * picture.width as usize + right) * 3)
    };
    let rows: Option<Vec<&[u8]>> = (top..bottom).map(row).collect();
    Some(Picture { width: (right - left) as u32, height: (bottom - top) as u32, rgb: rows?.concat() })
}

/// The words of a table put into the cells that were seen; nothing where some have no cell.
fn rebuilt(sheet: &Sheet, seen: &[SeenCell], back: impl Fn([f32; 4]) -> [f32; 4]) -> Option<Sheet> {
    let count = |end: fn(&SeenCell) -> u32| seen.iter().map(end).max().map_or(0, |n| n as usize + 1);
    let (rows, cols) = (count(|c| c.rows.1), count(|c| c.cols.1));
    if sheet.words.is_empty() || rows < 2 || cols < 2 || rows > 2000 || cols > 200 {
        return None;
    }
    let boxes: Vec<[f32; 4]> = seen.iter().map(|c| back(c.bbox)).collect();
    let mut words: Vec<Vec<Word>> = vec![Vec::new(); seen.len()];
    for word in &sheet.words {
        let y = word.base - 0.25 * word.size;
        let distance = |b: &[f32; 4]| {
            let (dx, dy) = ((b[0] - word.middle()).max(word.middle() - b[2]), (b[1] - y).max(y - b[3]));
            dx.max(0.0) + dy.max(0.0)
        };
        let (at, near) = boxes.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
        if distance(near) > word.size {
            return None;
        }
        words[at].push(word.clone());
    }
    let band = |of: &dyn Fn(&SeenCell) -> (u32, u32), i: usize, low: usize, all: (f32, f32)| {
        let own = seen.iter().zip(&boxes).filter(|(c, _)| of(c) == (i as u32, i as u32));
        own.map(|(_, b)| (b[low], b[low + 2])).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or(all)
    };
    let rect = sheet.rect;
    let at = |c: &SeenCell| [c.rows.0, c.cols.0, c.rows.1, c.cols.1].map(|n| n as usize);
    let mut cells: Vec<Cell> = seen.iter().zip(words).filter_map(|(c, w)| Cell::of(w, at(c))).collect();
    cells.sort_by_key(|c| (c.row, c.col));
    Some(Sheet {
        rows: (0..rows).map(|i| band(&|c| c.rows, i, 1, (rect[1], rect[3]))).collect(),
        cols: (0..cols).map(|i| band(&|c| c.cols, i, 0, (rect[0], rect[2]))).collect(),
        cells,
        header: None,
        ..sheet.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, left: f32, base: f32) -> Word {
        Word { text: text.into(), left, right: left + 20.0, base, size: 10.0, bold: false }
    }

    fn seen(row: u32, col: u32, last: u32) -> SeenCell {
        let bbox = [col as f32 * 50.0, row as f32 * 20.0, (last + 1) as f32 * 50.0, (row + 1) as f32 * 20.0];
        SeenCell { rows: (row, row), cols: (col, last), bbox }
    }

    #[test]
    fn words_go_into_the_cells_that_were_seen() {
        let words = vec![word("both", 10.0, 14.0), word("a", 10.0, 34.0), word("b", 60.0, 34.0)];
        let sheet = Sheet { rect: [0.0, 0.0, 100.0, 40.0], words, ..Sheet::default() };
        let found = rebuilt(&sheet, &[seen(0, 0, 1), seen(1, 0, 0), seen(1, 1, 1)], |b| b).unwrap();
        let cells: Vec<_> = found.cells.iter().map(|c| (c.row, c.col, c.last_col, c.text.as_str())).collect();
        assert_eq!(cells, [(0, 0, 1, "both"), (1, 0, 0, "a"), (1, 1, 1, "b")]);
        assert_eq!(found.cols, [(0.0, 50.0), (50.0, 100.0)]);
    }

    #[test]
    fn a_word_far_from_every_cell_means_that_the_model_saw_something_else() {
        let words = vec![word("a", 10.0, 34.0), word("lost", 300.0, 34.0)];
        let sheet = Sheet { rect: [0.0, 0.0, 400.0, 40.0], words, ..Sheet::default() };
        assert!(rebuilt(&sheet, &[seen(0, 0, 0), seen(1, 0, 0), seen(1, 1, 1)], |b| b).is_none());
    }
}

//! The pages put together: headings by size, tables with what belongs to them, everything with its place.

use super::ink::turned_back;
use super::page::{Item, Page, Paragraph};
use super::table::{Cell, Sheet};
use crate::builder::{SpanCell, TableBuilder};
use crate::flow::Flow;
use hayro_syntax::Pdf as File;
use std::collections::BTreeMap;
use tabletalk_core::seam::Limits;
use tabletalk_core::table::Layout;
use tabletalk_core::{Document, Error, Place, Placed, Result, Table};

/// What is said where no OCR engine is there.
const NO_OCR: &str = "fetch an OCR engine with `scripts/fetch-models --ocr`, or install tesseract";

/// What is kept of a page beside its items.
pub(super) struct About {
    number: u32,
    size: (f32, f32),
    scanned: bool,
    confidence: Option<f32>,
    failure: Option<String>,
    unknown: (usize, usize),
    cut: bool,
    broken: bool,
}

impl About {
    pub(super) fn of(page: &Page) -> Self {
        About {
            number: page.number,
            size: page.size,
            scanned: page.scanned,
            confidence: page.confidence,
            failure: page.failure.clone(),
            unknown: page.unknown,
            cut: page.cut,
            broken: page.broken,
        }
    }
}

/// A piece of the document in reading order.
enum Piece {
    Paragraph(u32, Paragraph),
    Table(Joined, Vec<(f32, f32)>),
    Image(u32, [f32; 4]),
}

/// The document so far.
pub(super) struct Outline {
    place: Place,
    pieces: Vec<Piece>,
    pages: Vec<About>,
}

impl Outline {
    pub(super) fn new(name: &str) -> Self {
        Outline { place: Place::file(name), pieces: Vec::new(), pages: Vec::new() }
    }

    /// Adds a page. A table at its top may go on with one at the end of the page before.
    pub(super) fn page(&mut self, about: About, items: Vec<Item>) {
        let mut is_top = true;
        for item in items {
            match item {
                Item::Table(sheet) => {
                    let open = self.pieces.iter_mut().rev().find(|p| !matches!(p, Piece::Image(..)));
                    let sheet = match open {
                        Some(Piece::Table(joined, sizes)) if is_top => {
                            let left = joined.take(about.number, sheet);
                            if left.is_none() {
                                sizes.push(about.size);
                            }
                            left
                        }
                        _ => Some(sheet),
                    };
                    let size = about.size;
                    self.pieces.extend(sheet.map(|s| Piece::Table(Joined::new(about.number, s), vec![size])));
                    is_top = false;
                }
                Item::Paragraph(p) => {
                    self.pieces.push(Piece::Paragraph(about.number, p));
                    is_top = false;
                }
                Item::Image(rect) => self.pieces.push(Piece::Image(about.number, rect)),
            }
        }
        self.pages.push(about);
    }

    fn at(&self, page: u32, rect: [f32; 4]) -> Place {
        Place { page: Some(page), bbox: Some(rect.map(|x| (x * 10.0).round() / 10.0)), ..self.place.clone() }
    }

    pub(super) fn finish(mut self, file: &File, limits: &Limits) -> Result<Document> {
        if self.pages.is_empty() {
            return Err(Error::input("has no pages"));
        }
        let sizes = Sizes::of(&self.pieces);
        let mut flow = Flow::default();
        let mut tables = 0;
        for piece in std::mem::take(&mut self.pieces) {
            match piece {
                Piece::Paragraph(page, p) => {
                    let text = Placed { place: self.at(page, p.rect), text: p.text.clone() };
                    match sizes.level(&p) {
                        Some(level) => flow.heading(level, text),
                        None if p.item => flow.item(1, text),
                        None => flow.text(text),
                    }
                }
                Piece::Image(page, rect) => {
                    flow.image(Placed { text: String::new(), place: self.at(page, rect) })
                }
                Piece::Table(joined, sizes) => {
                    tables += 1;
                    flow.table(self.table(&joined, &sizes, tables, limits)?);
                }
            }
        }
        let mut document = flow.finish();
        self.describe(&mut document, file);
        Ok(document)
    }

    fn describe(&self, document: &mut Document, file: &File) {
        let meta = file.metadata();
        if let Some(title) = meta.title.as_deref().and_then(decode) {
            document.title = title;
        }
        let mut set = |key: &str, value: serde_json::Value| document.fields.insert(key.into(), value);
        set("pages", self.pages.len().into());
        if let Some(author) = meta.author.as_deref().and_then(decode) {
            set("author", author.into());
        }
        let list = |what: &dyn Fn(&About) -> bool| -> String {
            let pages: Vec<String> =
                self.pages.iter().filter(|p| what(p)).map(|p| p.number.to_string()).collect();
            match pages.len() {
                0..=8 => pages.join(", "),
                n => format!("{}, … ({n} pages)", pages[..8].join(", ")),
            }
        };
        let scanned = list(&|p| p.scanned);
        if !scanned.is_empty() {
            let why = self.pages.iter().find_map(|p| p.failure.as_deref()).unwrap_or(NO_OCR);
            document.warnings.push(format!("pages that are pictures were not read: {scanned}; {why}"));
        }
        let seen: Vec<&About> = self.pages.iter().filter(|p| p.confidence.is_some()).collect();
        if !seen.is_empty() {
            let mean = seen.iter().filter_map(|p| p.confidence).sum::<f32>() / seen.len() as f32;
            let pages = list(&|p| p.confidence.is_some());
            let mean = (f64::from(mean) * 1000.0).round() / 1000.0;
            document.fields.insert("ocr_confidence".into(), mean.into());
            document.warnings.push(format!("read from pictures, {:.0} % sure: pages {pages}", mean * 100.0));
        }
        let unknown = list(&|p| p.unknown.0 * 5 > p.unknown.1.max(20));
        if !unknown.is_empty() {
            let message = format!("the file does not tell the letters of pages {unknown}; {NO_OCR}");
            document.warnings.push(message);
        }
        let broken = list(&|p| p.broken);
        if !broken.is_empty() {
            let message = format!("pages that are damaged, or take too long, were read in part: {broken}");
            document.warnings.push(message);
        }
        let cut = list(&|p| p.cut);
        if !cut.is_empty() {
            document.warnings.push(format!("more text than is read of one page: {cut}"));
        }
    }

    /// A table with its rows, the header of later pages kept apart.
    fn table(&self, joined: &Joined, sizes: &[(f32, f32)], number: usize, limits: &Limits) -> Result<Table> {
        let Some((page, first)) = joined.parts.first() else { return Ok(Table::default()) };
        let mut builder = TableBuilder::default();
        let mut layout = Layout { cols: bands(&first.cols, first, sizes[0], false), ..Layout::default() };
        layout.sideways = first.direction % 2 == 1;
        let mut again: Vec<(u32, u32, String)> = Vec::new();
        for (i, (page, sheet)) in joined.parts.iter().enumerate() {
            let skip = if i > 0 { repeated(first, sheet) } else { 0 };
            let base = layout.rows.len() as u32;
            let size = sizes.get(i).copied().unwrap_or_default();
            layout.rows.extend(bands(&sheet.rows, sheet, size, true).into_iter().map(|(a, b)| (*page, a, b)));
            for cell in &sheet.cells {
                let (row, col) = (base + cell.row as u32 + 1, cell.col as u32 + 1);
                let mut text = cell.text.clone();
                if cell.row < skip {
                    again.push((row, col, std::mem::take(&mut text)));
                }
                let down = cell.last_row.saturating_sub(cell.row) as u32 + 1;
                let right = cell.last_col.saturating_sub(cell.col) as u32 + 1;
                builder.push(SpanCell { row, col, down, right, text, bold: cell.bold });
            }
        }
        builder.layout = Some(layout);
        let place = self.at(*page, first.rect).sheet(format!("table {number}"));
        builder.header = first.header.filter(|h| *h > 0 && *h < first.rows.len());
        let mut table = builder.build(&place, limits)?;
        place_cells(&mut table, again);
        Ok(table)
    }
}

/// Gives the header cells their boxes, and adds those that later pages repeat.
fn place_cells(table: &mut Table, again: Vec<(u32, u32, String)>) {
    let mut header = std::mem::take(&mut table.header);
    for (row, col, text) in again {
        let place = table.cell_place(u64::from(row), col);
        header.push(Placed { text, place });
    }
    let layout = table.layout.clone().unwrap_or_default();
    let placed = header.iter_mut().chain(&mut table.notes).chain(&mut table.title);
    for p in placed {
        let (Some((row, _)), Some((col, _))) = (p.place.rows, p.place.cols) else { continue };
        if let Some((page, bbox)) = layout.cell(row, col) {
            (p.place.page, p.place.bbox) = (Some(page), Some(bbox));
        }
    }
    table.header = header;
}

/// Rows or columns of the turned page, as they stand on the page.
fn bands(bands: &[(f32, f32)], sheet: &Sheet, size: (f32, f32), rows: bool) -> Vec<(f32, f32)> {
    let back = |(a, b): &(f32, f32)| {
        let rect = if rows { [0.0, *a, 1.0, *b] } else { [*a, 0.0, *b, 1.0] };
        let r = turned_back(sheet.direction, size, rect);
        let upright = sheet.direction.is_multiple_of(2);
        let (a, b) = if rows == upright { (r[1], r[3]) } else { (r[0], r[2]) };
        ((a * 10.0).round() / 10.0, (b * 10.0).round() / 10.0)
    };
    bands.iter().map(back).collect()
}

/// A text of a PDF's own description: UTF-16 with its mark, UTF-8, or Latin letters.
fn decode(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode(rest).0.into_owned(),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode(rest).0.into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => encoding_rs::WINDOWS_1252.decode(bytes).0.into_owned(),
        },
    };
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    Some(text.trim().to_owned()).filter(|t| !t.is_empty() && t.len() < 1000)
}

/// The sizes of letters in the document: which is the text's own, which are headings'.
struct Sizes {
    body: f32,
    /// Sizes of headings, largest first.
    heads: Vec<i32>,
}

impl Sizes {
    fn of(pieces: &[Piece]) -> Self {
        let mut letters: BTreeMap<i32, usize> = BTreeMap::new();
        let paragraphs = || {
            pieces.iter().filter_map(|p| match p {
                Piece::Paragraph(_, p) => Some(p),
                _ => None,
            })
        };
        for p in paragraphs() {
            *letters.entry(key(p.size)).or_default() += p.text.len();
        }
        let body = letters.iter().max_by_key(|(_, n)| **n).map_or(10.0, |(k, _)| *k as f32 / 2.0);
        let mut heads: Vec<i32> =
            paragraphs().filter(|p| p.size > 1.15 * body && is_title(p)).map(|p| key(p.size)).collect();
        heads.sort_unstable();
        heads.dedup();
        heads.reverse();
        Sizes { body, heads }
    }

    /// The level of a paragraph that is a heading.
    fn level(&self, p: &Paragraph) -> Option<u8> {
        if !is_title(p) || p.item && !p.bold {
            return None;
        }
        if let Some(at) = self.heads.iter().position(|k| *k == key(p.size)) {
            return Some((at + 1).min(5) as u8);
        }
        if p.lines == 1
            && p.size > 0.9 * self.body
            && let Some(depth) = numbered(&p.text)
        {
            return Some((self.heads.len() as u8 + depth).min(6));
        }
        let is_bold =
            p.bold && p.size > 0.95 * self.body && p.lines <= 2 && !p.text.ends_with(['.', ',', ';', ':']);
        is_bold.then_some((self.heads.len() + 1).min(6) as u8)
    }
}

/// How deep the number of a title such as `5.1 Results` goes.
fn numbered(text: &str) -> Option<u8> {
    let (number, rest) = text.split_once(' ')?;
    let number = number.trim_end_matches('.');
    let parts: Vec<&str> = number.split('.').collect();
    let is_number =
        parts.iter().all(|p| !p.is_empty() && p.len() <= 2 && p.chars().all(|c| c.is_ascii_digit()));
    let is_title = rest.trim_start().starts_with(char::is_uppercase) && !rest.ends_with(['.', ',', ';', ':']);
    (is_number && parts.len() <= 4 && is_title && text.chars().count() <= 80).then_some(parts.len() as u8)
}

fn key(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

/// Whether a paragraph is short enough for a heading and says something.
fn is_title(p: &Paragraph) -> bool {
    let letters = p.text.chars().filter(|c| c.is_alphabetic()).count();
    p.lines <= 3
        && p.text.chars().count() <= 160
        && letters >= 2
        && !crate::understand::word::is_caption(&p.text)
}

/// A table and the pages its parts stand on.
#[derive(Debug)]
pub(super) struct Joined {
    pub parts: Vec<(u32, Sheet)>,
}

impl Joined {
    pub(super) fn new(page: u32, sheet: Sheet) -> Self {
        Joined { parts: vec![(page, sheet)] }
    }

    /// Takes a part on the next page, or gives it back where it is a table of its own.
    pub(super) fn take(&mut self, page: u32, sheet: Sheet) -> Option<Sheet> {
        let (Some((_, first)), Some((last_page, last))) = (self.parts.first(), self.parts.last()) else {
            return Some(sheet);
        };
        if page != last_page + 1 || !same_columns(last, &sheet) {
            return Some(sheet);
        }
        let repeats = repeated(first, &sheet) > 0;
        if !repeats && (sheet.header.is_some_and(|h| h > 0) || !is_data(&sheet)) {
            return Some(sheet);
        }
        self.parts.push((page, sheet));
        None
    }
}

/// How many rows of the header are written again at the top of a part.
pub(super) fn repeated(first: &Sheet, part: &Sheet) -> usize {
    let row = |s: &Sheet, r: usize| -> Vec<(usize, String)> {
        let cells = s.cells.iter().filter(|c| c.row == r);
        cells.map(|c| (c.col, c.text.to_lowercase().replace(' ', ""))).collect()
    };
    let most = first.rows.len().min(part.rows.len()).min(6);
    let same =
        (0..most).take_while(|r| !row(first, *r).is_empty() && row(first, *r) == row(part, *r)).count();
    // A header's cells must lie in the repeated rows alone.
    let ends = |c: &Cell| c.row >= same || c.last_row < same;
    if part.cells.iter().all(ends) { same } else { 0 }
}

/// Whether a part begins with values, not with names.
fn is_data(sheet: &Sheet) -> bool {
    let first: Vec<&Cell> = sheet.cells.iter().filter(|c| c.row == 0 && c.col > 0).collect();
    !first.is_empty() && first.iter().any(|c| super::table::is_value(&c.text))
}

/// Whether the columns of two parts stand below each other.
fn same_columns(a: &Sheet, b: &Sheet) -> bool {
    let near = |(x, y): (&(f32, f32), &(f32, f32))| (x.0 - y.0).abs() < 14.0 && (x.1 - y.1).abs() < 14.0;
    a.direction == b.direction && a.cols.len() == b.cols.len() && a.cols.iter().zip(&b.cols).all(near)
}

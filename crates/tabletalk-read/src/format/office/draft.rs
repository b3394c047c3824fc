//! A document that is being read: its blocks so far and where the reading stands.

use super::over;
use super::xml::Node;
use crate::builder::TableBuilder;
use crate::flow::Flow;
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Document, Place, Placed, Result};

/// Titles that say nothing: what programs write when nobody gave one.
const EMPTY_TITLES: &[&str] = &[
    "powerpoint presentation",
    "powerpoint-präsentation",
    "présentation powerpoint",
    "presentación de powerpoint",
    "powerpoint 演示文稿",
    "powerpoint プレゼンテーション",
    "word document",
    "document",
    "untitled",
    "unknown",
    "slide 1",
];

/// The blocks so far.
pub(super) struct Draft<'a> {
    /// The blocks.
    pub(super) flow: Flow,
    /// The page that is being read, where pages are known.
    pub(super) page: Option<u32>,
    /// The box that is being read, where boxes are known.
    pub(super) bbox: Option<[f32; 4]>,
    pub(super) limits: &'a Limits,
    file: &'a str,
    tables: usize,
    cells: u64,
}

/// What a document says about itself.
#[derive(Debug, Default)]
pub(super) struct Info {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) created: String,
    pub(super) modified: String,
}

impl<'a> Draft<'a> {
    pub(super) fn new(source: &Source<'a>) -> Self {
        let flow = Flow::default();
        Draft { flow, page: None, bbox: None, limits: source.limits, file: source.name, tables: 0, cells: 0 }
    }
    /// A place on the page that is being read.
    pub(super) fn place(&self) -> Place {
        Place { page: self.page, bbox: self.bbox, ..Place::file(self.file) }
    }
    /// A text on the page that is being read, without white space around it.
    pub(super) fn placed(&self, text: &str) -> Placed {
        Placed { text: tidy(text), place: self.place() }
    }
    pub(super) fn placed_on(&self, page: Option<u32>, text: &str) -> Placed {
        let mut placed = self.placed(text);
        placed.place.page = page;
        placed
    }
    /// A table; one without any text is none.
    pub(super) fn table(&mut self, mut builder: TableBuilder, place: Place) -> Result<()> {
        self.cells += builder.len() as u64;
        if self.cells > self.limits.max_cells {
            return Err(over(self.limits));
        }
        if builder.is_blank() {
            return Ok(());
        }
        self.tables += 1;
        let place = place.sheet(format!("table {}", self.tables));
        builder.extend_header();
        self.flow.table(builder.build(&place, self.limits)?);
        Ok(())
    }
    /// A picture: its description, or else a name that somebody gave it, or else nothing.
    pub(super) fn picture(&mut self, names: &[Option<&str>], place: Place) {
        let names = names.iter().flatten().map(|n| described(n));
        let text = names.into_iter().find(|n| !is_given(n)).unwrap_or_default();
        self.flow.image(Placed { text, place });
    }
    pub(super) fn finish(mut self, info: &Info) -> Document {
        let title = tidy(&info.title);
        let title = title.strip_prefix("Microsoft Word - ").unwrap_or(&title);
        if !title.is_empty() && !EMPTY_TITLES.contains(&title.to_lowercase().as_str()) {
            self.flow.name(title.to_owned());
        }
        let mut document = self.flow.finish();
        if document.blocks.is_empty() {
            document.warnings.push("there is no text in it".into());
        }
        for (key, value) in
            [("author", &info.author), ("created", &info.created), ("modified", &info.modified)]
        {
            let value = value.trim();
            if !value.is_empty() {
                document.fields.insert(key.into(), value.into());
            }
        }
        document
    }
}

impl Info {
    /// From elements such as `dc:title`, which office formats share.
    pub(super) fn of(node: &Node) -> Info {
        let mut info = Info::default();
        for child in node.nodes() {
            let slot = match child.name() {
                "title" => &mut info.title,
                "creator" | "initial-creator" => &mut info.author,
                "created" | "creation-date" => &mut info.created,
                "modified" | "date" => &mut info.modified,
                _ => continue,
            };
            if slot.is_empty() || child.is("initial-creator") {
                *slot = child.text().trim().to_owned();
            }
        }
        info
    }
}

/// A description without the lines that programs add to those they make.
pub(super) fn described(text: &str) -> String {
    const ADDED: &[&str] = &["Description automatically generated", "AI-generated content may be incorrect."];
    let lines = tidy(text);
    let lines = lines.lines().filter(|l| !ADDED.contains(l) && !l.ends_with("由 AI 生成的内容可能不正确。"));
    lines.collect::<Vec<_>>().join("\n")
}

/// What programs call pictures, before a number.
const GIVEN: &[&str] = &[
    "",
    "picture",
    "group",
    "image",
    "grafik",
    "bild",
    "graphic",
    "graphics",
    "graphic frame",
    "content placeholder",
    "picture placeholder",
    "图片",
    "圖片",
    "図",
    "그림",
    "imagen",
    "immagine",
    "afbeelding",
    "рисунок",
    "object",
    "objekt",
    "chart",
    "diagram",
    "diagramm",
    "图表",
    "shape",
    "google shape;",
    "frame",
    "内容占位符",
];

/// Whether a picture's name is one that a program gave: empty, `Picture 3`, `图片 1`, `logo.png`.
pub(super) fn is_given(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_whitespace() || "()_-".contains(c));
    let lower = stem.to_lowercase();
    let file = crate::source::ending(&lower).is_some_and(|e| {
        matches!(e.as_str(), "png" | "jpg" | "jpeg" | "gif" | "bmp" | "emf" | "wmf" | "svg" | "tif" | "tiff")
    });
    GIVEN.contains(&lower.as_str()) || file && !lower.contains(' ')
}

/// Text without white space at the ends of its lines, and without empty lines.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut blank = false;
        for c in line.chars().map(plain).filter(|c| *c != '\u{ad}') {
            if !(blank && c == ' ') {
                out.push(c);
            }
            blank = c == ' ';
        }
    }
    out
}

/// Characters that only steer the layout become plain ones.
fn plain(c: char) -> char {
    match c {
        '\u{a0}' | '\u{2007}' | '\u{202f}' => ' ',
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tidies_lines_and_blanks() {
        assert_eq!(tidy("  a \u{a0} b\t c \n\n  d\u{ad}e "), "a b\t c\nde");
    }

    #[test]
    fn knows_names_that_programs_give() {
        assert!(is_given("Picture 3") && is_given("图片 1") && is_given("IMG_2031.jpg") && is_given(""));
        assert!(!is_given("A red cat") && !is_given("Organisation chart"));
    }
}

//! Splitting the text of a document: by length, by line, by sentence, by pattern.

use super::sentence;
use regex::Regex;
use std::ops::Range;
use tabletalk_core::Place;

/// A paragraph or a table of a document, as it is split.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Piece {
    /// The text; for a table what stands above it.
    pub text: String,
    /// Where it stands.
    pub place: Place,
    /// The headings it stands under, outermost first.
    pub heading: Vec<String>,
    /// The table, where it is one.
    pub table: Option<TablePiece>,
}

/// A table as lines of text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TablePiece {
    /// The line of its column names.
    pub header: String,
    /// The line of each row and where it stands.
    pub rows: Vec<(String, Place)>,
}

/// A part of a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chunk {
    /// The text.
    pub text: String,
    /// Where it stands, from the first to the last of what it was made from.
    pub place: Place,
    /// The headings it stands under, outermost first.
    pub heading: Vec<String>,
    /// What the program that made it says of it.
    pub fields: serde_json::Map<String, serde_json::Value>,
}

/// Every line of the text. Tables have groups of their own and are passed over.
pub fn blocks(pieces: &[Piece]) -> Vec<Chunk> {
    parts(pieces, |text| lines(text).collect())
}

/// Every sentence of the text; tables are passed over.
pub fn sentences(pieces: &[Piece]) -> Vec<Chunk> {
    parts(pieces, sentence::sentences)
}

/// Splits where a regular expression matches; the match itself is dropped.
#[derive(Debug, Clone)]
pub struct Pattern(pub Regex);

impl Pattern {
    /// What stands between the matches in the text; tables are passed over.
    pub fn split(&self, pieces: &[Piece]) -> Vec<Chunk> {
        parts(pieces, |text| {
            let mut at = 0;
            let mut out: Vec<Range<usize>> = Vec::new();
            for found in self.0.find_iter(text) {
                out.push(at..found.start());
                at = found.end();
            }
            out.push(at..text.len());
            out
        })
    }
}

/// One chunk for each range that `cut` finds in the text of a piece, unless it is blank.
fn parts(pieces: &[Piece], cut: impl Fn(&str) -> Vec<Range<usize>>) -> Vec<Chunk> {
    let mut out = Vec::new();
    for piece in pieces {
        let breaks = Breaks::of(piece);
        for range in cut(&piece.text) {
            let range = trimmed(&piece.text, range);
            if let Some(text) = piece.text.get(range.clone()).filter(|t| !t.is_empty()) {
                out.push(Chunk {
                    text: text.into(),
                    place: breaks.place_of(piece, range),
                    heading: piece.heading.clone(),
                    ..Chunk::default()
                });
            }
        }
    }
    out
}

fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        at - line.len()..at
    })
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

/// Where the lines of a piece end: found once for all parts of it, of which a long paragraph has very many.
#[derive(Debug)]
pub(super) struct Breaks(Vec<usize>);

impl Breaks {
    pub(super) fn of(piece: &Piece) -> Self {
        match piece.place.lines {
            Some(_) => Breaks(piece.text.match_indices('\n').map(|(at, _)| at).collect()),
            None => Breaks(Vec::new()),
        }
    }

    fn before(&self, at: usize) -> u64 {
        self.0.partition_point(|end| *end < at) as u64
    }

    /// Where a part of the text stands: the lines and bytes of the part, where those of the piece fit its text.
    pub(super) fn place_of(&self, piece: &Piece, range: Range<usize>) -> Place {
        let mut place = piece.place.clone();
        let text =
            |range: Range<usize>| piece.text.get(range).unwrap_or_default().trim_end_matches('\n').len();
        if let Some((first, last)) = place.lines
            && last.checked_sub(first) == Some(self.before(text(0..piece.text.len())))
        {
            let end = range.start + text(range.clone());
            place.lines = Some((first + self.before(range.start), first + self.before(end)));
        }
        if let Some((first, end)) = place.bytes
            && end.checked_sub(first) == Some(piece.text.len() as u64)
        {
            place.bytes = Some((first + range.start as u64, first + range.end as u64));
        }
        place
    }
}

/// The place that holds both, as far as they are of one kind.
pub fn merge(a: &Place, b: &Place) -> Place {
    let same_sheet = a.sheet == b.sheet;
    let same_page = a.page == b.page;
    Place {
        file: a.file.clone(),
        page: a.page,
        bbox: a.bbox.zip(b.bbox).filter(|_| same_page).map(|(x, y)| around(x, y)),
        sheet: a.sheet.clone().filter(|_| same_sheet),
        rows: a.rows.zip(b.rows).filter(|_| same_sheet).map(|(x, y)| (x.0.min(y.0), x.1.max(y.1))),
        cols: a.cols.zip(b.cols).filter(|_| same_sheet).map(|(x, y)| (x.0.min(y.0), x.1.max(y.1))),
        lines: a.lines.zip(b.lines).map(|(x, y)| (x.0.min(y.0), x.1.max(y.1))),
        bytes: a.bytes.zip(b.bytes).map(|(x, y)| (x.0.min(y.0), x.1.max(y.1))),
    }
}

fn around(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Chunks of at most `length` tokens, neighbours sharing up to `overlap`.
///
/// A chunk begins with the line of its headings. It ends between sentences where it can, and between the
/// rows of a table always: a row longer than a chunk is a chunk of its own. Each chunk that has rows of a
/// table has its header line above them. Short sections are joined until a chunk is half full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// The most tokens of a chunk.
    pub length: usize,
    /// The most tokens that a chunk repeats from the one before it.
    pub overlap: usize,
}

/// Chunks of the group `coarse`.
pub const COARSE: Length = Length { length: 1024, overlap: 100 };
/// Chunks of the group `medium`.
pub const MEDIUM: Length = Length { length: 256, overlap: 25 };
/// Chunks of the group `fine`.
pub const FINE: Length = Length { length: 128, overlap: 12 };
/// A text that nothing cuts.
const WHOLE: Length = Length { length: usize::MAX / 4, overlap: 0 };

/// All of a parent as one text.
pub(super) fn whole(pieces: &[Piece]) -> Chunk {
    let all = WHOLE.split(pieces).into_iter().reduce(|a, b| Chunk {
        text: format!("{}\n\n{}", a.text, b.text),
        place: merge(&a.place, &b.place),
        ..a
    });
    all.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, first: u64, last: u64) -> Piece {
        let mut place = Place::file("a.txt").lines(first..=last);
        place.bytes = Some((100, 100 + text.len() as u64));
        Piece { text: text.into(), place, ..Piece::default() }
    }

    #[test]
    fn gives_each_line_its_place() {
        let chunks = blocks(&[piece("one\n\n two\n", 4, 6)]);
        assert_eq!(chunks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(chunks[1].place.lines, Some((6, 6)));
        assert_eq!(chunks[1].place.bytes, Some((106, 109)));
    }

    #[test]
    fn a_paragraph_of_megabytes_is_split_in_time() {
        let text = "Sales grew by a lot of wine. \n".repeat(1 << 16);
        let lines = text.matches('\n').count() as u64;
        let begun = std::time::Instant::now();
        let pieces = [piece(&text, 1, lines)];
        let last = sentences(&pieces).pop().unwrap();
        assert_eq!(last.place.lines, Some((lines, lines)));
        let last = MEDIUM.split(&pieces).pop().unwrap();
        assert_eq!(last.place.lines.map(|l| l.1), Some(lines));
        assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    }

    #[test]
    fn gives_each_sentence_its_place() {
        let chunks = sentences(&[piece("One. Two\nthree。", 1, 2)]);
        assert_eq!(chunks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["One.", "Two", "three。"]);
        assert_eq!(chunks[2].place.lines, Some((2, 2)));
    }

    #[test]
    fn splits_where_a_pattern_matches() {
        let pattern = Pattern(Regex::new(r"\s*---\s*").unwrap());
        let chunks = pattern.split(&[piece("a\n---\nb c\n---\n", 1, 4)]);
        assert_eq!(chunks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["a", "b c"]);
        assert_eq!(chunks[1].place.lines, Some((3, 3)));
    }

    #[test]
    fn merges_places_of_one_kind_only() {
        let a = Place::file("b.xlsx").sheet("S").cells(1..=2, 1..=3);
        let b = Place::file("b.xlsx").sheet("S").cells(5..=6, 2..=4);
        assert_eq!(merge(&a, &b).to_string(), "b.xlsx!S!A1:D6");
        assert_eq!(merge(&a, &Place::file("b.xlsx").sheet("T")).to_string(), "b.xlsx");
    }
}

//! Chunks of a given length: see [`Length`].

use super::split::{Breaks, Chunk, Length, Piece, TablePiece, merge};
use super::{sentence, tokens};
use std::ops::Range;

/// What is never cut.
#[derive(Clone)]
enum Part {
    /// A sentence, or as much of it as a chunk can hold.
    Text(Range<usize>),
    /// A row of the table.
    Row(usize),
    /// The header of a table without rows.
    Header,
}

#[derive(Clone)]
struct Atom<'a> {
    piece: &'a Piece,
    breaks: &'a Breaks,
    part: Part,
    tokens: usize,
}

/// The chunk being filled.
#[derive(Default)]
struct Open<'a> {
    atoms: Vec<Atom<'a>>,
    /// How many of them are repeated from the chunk before.
    repeated: usize,
    tokens: usize,
}

impl Length {
    /// The chunks of a document.
    pub fn split(&self, pieces: &[Piece]) -> Vec<Chunk> {
        split(*self, pieces)
    }
}

fn split(size: Length, pieces: &[Piece]) -> Vec<Chunk> {
    let mut out = Vec::new();
    let mut open = Open::default();
    let breaks: Vec<Breaks> = pieces.iter().map(Breaks::of).collect();
    for (piece, breaks) in pieces.iter().zip(&breaks) {
        for atom in atoms(size, piece, breaks) {
            if open.is_full(size, &atom) {
                let next = open.overlap(size, &atom);
                out.push(std::mem::replace(&mut open, next).chunk(size));
            }
            open.push(size, atom);
        }
    }
    if open.atoms.len() > open.repeated {
        out.push(open.chunk(size));
    }
    out
}

impl<'a> Open<'a> {
    fn is_full(&self, size: Length, next: &Atom<'_>) -> bool {
        let new_section = self.atoms.last().is_some_and(|a| a.piece.heading != next.piece.heading);
        let too_long = self.tokens + self.cost(size, next) > size.length;
        self.atoms.len() > self.repeated && (too_long || (new_section && self.tokens * 2 >= size.length))
    }

    /// How many tokens an atom adds, with the lines it needs above it.
    fn cost(&self, size: Length, atom: &Atom<'_>) -> usize {
        let (heading, header) = above(size, self.atoms.last(), atom);
        atom.tokens + heading.map_or(0, |h| tokens::count(&h)) + header.map_or(0, tokens::count)
    }

    fn push(&mut self, size: Length, atom: Atom<'a>) {
        // What is repeated gives way to what is new.
        if self.atoms.len() == self.repeated && self.tokens + self.cost(size, &atom) > size.length {
            *self = Open::default();
        }
        self.tokens += self.cost(size, &atom);
        self.atoms.push(atom);
    }

    /// The next chunk, begun with the end of this one if both belong to one section.
    fn overlap(&self, size: Length, next: &Atom<'_>) -> Open<'a> {
        let mut open = Open::default();
        let mut left = size.overlap;
        let mut taken = Vec::new();
        for atom in self.atoms.iter().rev().take_while(|a| a.piece.heading == next.piece.heading) {
            let Some(atom) = shortened(atom, left) else { break };
            left -= atom.tokens;
            taken.push(atom);
        }
        for atom in taken.into_iter().rev() {
            open.push(size, atom);
            open.repeated = open.atoms.len();
        }
        open
    }

    fn chunk(self, size: Length) -> Chunk {
        let mut chunk = Chunk::default();
        let mut before: Option<&Atom<'_>> = None;
        for atom in &self.atoms {
            let (heading, header) = above(size, before, atom);
            for line in [heading.as_deref(), header].into_iter().flatten() {
                new_line(&mut chunk.text);
                chunk.text.push_str(line);
            }
            if heading.is_some() || header.is_some() || !before.is_some_and(|b| adjoins(b, atom)) {
                new_line(&mut chunk.text);
            }
            chunk.text.push_str(atom.text());
            chunk.place = if before.is_some() { merge(&chunk.place, &atom.place()) } else { atom.place() };
            before = Some(atom);
        }
        chunk.text.truncate(chunk.text.trim_end().len());
        chunk.heading = self.atoms.first().map(|a| a.piece.heading.clone()).unwrap_or_default();
        chunk
    }
}

fn new_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Whether one atom follows the other in the text of one piece.
fn adjoins(a: &Atom<'_>, b: &Atom<'_>) -> bool {
    match (&a.part, &b.part) {
        (Part::Text(x), Part::Text(y)) => std::ptr::eq(a.piece, b.piece) && x.end == y.start,
        _ => false,
    }
}

/// The lines that must stand above an atom that follows another: its headings, the header of its table.
fn above<'a>(size: Length, before: Option<&Atom<'_>>, atom: &Atom<'a>) -> (Option<String>, Option<&'a str>) {
    let heading = match before {
        Some(before) if before.piece.heading == atom.piece.heading => None,
        _ => heading_line(size, atom.piece),
    };
    let in_table = |b: &Atom<'_>| std::ptr::eq(b.piece, atom.piece) && matches!(b.part, Part::Row(_));
    let header = match (&atom.part, &atom.piece.table) {
        (Part::Row(_), Some(table)) if !before.is_some_and(in_table) => Some(table.header.as_str()),
        _ => None,
    };
    (heading, header.filter(|h| !h.is_empty()))
}

/// The headings of a piece on one line, the inner ones only where all would take too much of the chunk.
fn heading_line(size: Length, piece: &Piece) -> Option<String> {
    (0..piece.heading.len())
        .filter_map(|first| Some(piece.heading.get(first..)?.join(" > ")))
        .find(|line| tokens::count(line) * 4 <= size.length)
}

/// The atom if it has at most `most` tokens, the end of it if it is text, nothing otherwise.
fn shortened<'a>(atom: &Atom<'a>, most: usize) -> Option<Atom<'a>> {
    if atom.tokens <= most {
        return Some(atom.clone()).filter(|_| most > 0);
    }
    let Part::Text(range) = &atom.part else {
        return None;
    };
    let start = range.start + tokens::tail(atom.text(), most);
    (start < range.end && most > 0).then(|| Atom {
        part: Part::Text(start..range.end),
        tokens: most,
        ..atom.clone()
    })
}

/// The atoms of a piece in order.
fn atoms<'a>(size: Length, piece: &'a Piece, breaks: &'a Breaks) -> Vec<Atom<'a>> {
    let mut out = Vec::new();
    let is_heading =
        piece.table.is_none() && piece.heading.last().is_some_and(|h| h.trim() == piece.text.trim());
    if is_heading {
        // The line of the headings says it already; the atom keeps its place.
        return vec![Atom { piece, breaks, part: Part::Text(0..0), tokens: 0 }];
    }
    let most = size.length - heading_line(size, piece).map_or(0, |h| tokens::count(&h)).min(size.length / 2);
    text_atoms((piece, breaks), most.max(1), size.overlap, &mut out);
    match &piece.table {
        Some(table) if table.rows.is_empty() && !table.header.is_empty() => {
            out.push(Atom { piece, breaks, part: Part::Header, tokens: tokens::count(&table.header) });
        }
        Some(table) => out.extend(table.rows.iter().enumerate().map(|(i, (row, _))| Atom {
            piece,
            breaks,
            part: Part::Row(i),
            tokens: tokens::count(row),
        })),
        None => {}
    }
    out
}

/// The sentences of the text, each with the white space after it. One longer than `most` is cut into parts
/// that leave room for the overlap.
fn text_atoms<'a>(
    (piece, breaks): (&'a Piece, &'a Breaks),
    most: usize,
    overlap: usize,
    out: &mut Vec<Atom<'a>>,
) {
    let text = piece.text.as_str();
    let starts: Vec<usize> = sentence::sentences(text).iter().map(|s| s.start).collect();
    for (i, &first) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(text.len());
        let total = tokens::count(text.get(first..end).unwrap_or_default());
        let size = if total > most { most.saturating_sub(overlap).max(1) } else { most };
        let mut start = first;
        while let Some(rest) = text.get(start..end).filter(|r| !r.is_empty()) {
            let part = rest.get(..tokens::head(rest, size).max(1)).unwrap_or(rest);
            out.push(Atom {
                piece,
                breaks,
                part: Part::Text(start..start + part.len()),
                tokens: tokens::count(part),
            });
            start += part.len();
        }
    }
}

impl Atom<'_> {
    fn text(&self) -> &str {
        let table = self.piece.table.as_ref();
        match &self.part {
            Part::Text(range) => self.piece.text.get(range.clone()).unwrap_or_default(),
            Part::Row(i) => table.and_then(|t| t.rows.get(*i)).map_or("", |(row, _)| row),
            Part::Header => table.map_or("", |t: &TablePiece| &t.header),
        }
    }

    fn place(&self) -> tabletalk_core::Place {
        match &self.part {
            Part::Text(range) if !range.is_empty() => {
                let end = range.start + self.text().trim_end().len();
                self.breaks.place_of(self.piece, range.start..end)
            }
            Part::Row(i) => match self.piece.table.as_ref().and_then(|t| t.rows.get(*i)) {
                Some((_, place)) => place.clone(),
                None => self.piece.place.clone(),
            },
            _ => self.piece.place.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Place;

    fn text(text: &str, heading: &[&str], line: u64) -> Piece {
        let last = line + text.matches('\n').count() as u64;
        Piece {
            text: text.into(),
            place: Place::file("a.md").lines(line..=last),
            heading: heading.iter().map(|h| h.to_string()).collect(),
            table: None,
        }
    }

    fn table(rows: usize, line: u64) -> Piece {
        let row = |i: u64| (format!("r{i} | x y"), Place::file("a.md").lines(line + 1 + i..=line + 1 + i));
        let table = TablePiece { header: "name | value".into(), rows: (0..rows as u64).map(row).collect() };
        let place = Place::file("a.md").lines(line..=line + rows as u64);
        Piece { place, table: Some(table), ..Piece::default() }
    }

    fn split(length: usize, overlap: usize, pieces: &[Piece]) -> Vec<Chunk> {
        Length { length, overlap }.split(pieces)
    }

    fn texts(chunks: &[Chunk]) -> Vec<&str> {
        chunks.iter().map(|c| c.text.as_str()).collect()
    }

    #[test]
    fn joins_paragraphs_up_to_the_length() {
        let pieces = [text("One two.", &[], 1), text("Three four.", &[], 3), text("Five six.", &[], 5)];
        let chunks = split(6, 0, &pieces);
        assert_eq!(texts(&chunks), ["One two.\nThree four.", "Five six."]);
        assert_eq!((chunks[0].place.lines, chunks[1].place.lines), (Some((1, 3)), Some((5, 5))));
    }

    #[test]
    fn cuts_between_sentences_and_repeats_the_overlap() {
        let pieces = [text("One two three. Four five six.\nSeven eight nine.", &[], 1)];
        let chunks = split(8, 4, &pieces);
        assert_eq!(texts(&chunks), ["One two three. Four five six.", "Four five six.\nSeven eight nine."]);
        assert_eq!((chunks[0].place.lines, chunks[1].place.lines), (Some((1, 1)), Some((1, 2))));
    }

    #[test]
    fn cuts_a_sentence_that_is_longer_than_a_chunk() {
        let chunks = split(4, 1, &[text("a b c d e f g h i", &[], 1)]);
        assert_eq!(texts(&chunks), ["a b c", "c d e f", "f g h i"]);
        let chunks = split(5, 0, &[text("营业收入同比增长百分之十", &[], 1)]);
        assert_eq!(texts(&chunks), ["营业收入同", "比增长百分", "之十"]);
    }

    #[test]
    fn repeats_the_header_of_a_table_in_each_part() {
        let chunks = split(12, 0, &[table(4, 10)]);
        assert_eq!(texts(&chunks), ["name | value\nr0 | x y\nr1 | x y", "name | value\nr2 | x y\nr3 | x y"]);
        assert_eq!(chunks[1].place.lines, Some((13, 14)));
    }

    #[test]
    fn never_cuts_a_row_nor_leaves_a_header_alone() {
        let mut piece = table(2, 1);
        piece.table.as_mut().unwrap().rows[0].0 = "long ".repeat(30);
        let chunks = split(10, 5, &[text("Before it.", &[], 0), piece]);
        assert_eq!(chunks.len(), 3);
        assert!(chunks[1].text.starts_with("name | value\nlong"));
        assert_eq!(chunks[2].text, "name | value\nr1 | x y");
    }

    #[test]
    fn overlaps_tables_by_whole_rows() {
        let chunks = split(12, 4, &[table(4, 1)]);
        assert_eq!(chunks[1].text, "name | value\nr1 | x y\nr2 | x y");
        assert!(chunks.last().unwrap().text.ends_with("r3 | x y"));
    }

    #[test]
    fn begins_a_chunk_with_its_headings() {
        let heading = ["Report", "Sales"];
        let pieces = [
            text("Sales", &heading, 1),
            text("It grew a lot in the last of all these years.", &heading, 2),
            text("Less.", &["Report", "Costs"], 5),
        ];
        let chunks = split(20, 0, &pieces);
        assert_eq!(texts(&chunks)[0], "Report > Sales\nIt grew a lot in the last of all these years.");
        assert_eq!(texts(&chunks)[1], "Report > Costs\nLess.");
        assert_eq!(chunks[0].place.lines, Some((1, 2)));
        assert_eq!(chunks[1].heading, ["Report", "Costs"]);
    }

    #[test]
    fn joins_short_sections() {
        let pieces = [text("One.", &["A"], 1), text("Two.", &["B"], 2)];
        assert_eq!(texts(&split(100, 10, &pieces)), ["A\nOne.\nB\nTwo."]);
    }

    #[test]
    fn gives_nothing_for_nothing() {
        assert!(split(10, 2, &[]).is_empty());
        assert!(split(10, 2, &[text("  \n", &[], 1)]).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn keeps_to_the_length_and_loses_no_word(
            parts in proptest::collection::vec(("[a-z。. \\n营收]{0,60}", 0usize..3), 0..6),
            length in 8usize..30, overlap in 0usize..7,
        ) {
            let pieces: Vec<Piece> = parts.iter().enumerate()
                .map(|(i, (t, h))| text(t, &["H", "K"][..*h], i as u64)).collect();
            let chunks = split(length, overlap, &pieces);
            let all: String = chunks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join(" ");
            for chunk in &chunks {
                proptest::prop_assert!(tokens::count(&chunk.text) <= length, "{:?}", chunk);
            }
            for (part, _) in &parts {
                for range in tokens::tokens(part) {
                    proptest::prop_assert!(all.contains(&part[range]));
                }
            }
        }
    }
}

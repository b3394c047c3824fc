//! Plain text: one block a paragraph.

use crate::source;
use crate::source::Look;
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Block, Document, Error, Place, Placed, Result};

/// A paragraph longer than this is cut at the next line end, so that a log is not one block.
const LONGEST: usize = 8 << 10;

/// Whether it is text at all.
pub(crate) fn looks(look: Look<'_>) -> bool {
    source::encoding_of(look.head).is_some()
}

/// Reads plain text.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    let bytes = source::bytes(source)?;
    if source::encoding_of(bytes.get(..source::HEAD).unwrap_or(&bytes)).is_none() {
        return Err(Error::input("is not text"));
    }
    let text = source::decode(&bytes, None);
    drop(bytes);
    let blocks = paragraphs(&text, source.name);
    if blocks.is_empty() {
        return Err(Error::input("is empty"));
    }
    let mut document = Document { blocks, ..Document::default() };
    if text.contains('\u{fffd}') {
        document.warnings.push("bytes that are not valid text were replaced".into());
    }
    source::one(document)
}

/// The paragraphs of a text, which blank lines separate, with their lines and bytes.
fn paragraphs(text: &str, name: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(u64, usize)> = None;
    let mut at = 0;
    let mut close = |from: Option<(u64, usize)>, to: usize, last: u64| {
        let Some((first, start)) = from else { return };
        let Some(body) = text.get(start..to).map(str::trim_end).filter(|b| !b.is_empty()) else {
            return;
        };
        let mut place = Place::file(name).lines(first..=last);
        place.bytes = Some((start as u64, (start + body.len()) as u64));
        blocks.push(Block::Text(Placed { text: body.to_owned(), place }));
    };
    let mut number = 0;
    for line in text.split_inclusive('\n') {
        number += 1;
        let is_blank = line.trim().is_empty();
        if is_blank || open.is_some_and(|(_, start)| at - start > LONGEST) {
            close(open.take(), at, number - 1);
        }
        if !is_blank && open.is_none() {
            open = Some((number, at));
        }
        at += line.len();
    }
    close(open, at, number);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_paragraphs_at_blank_lines() {
        let blocks = paragraphs("one\ntwo\n\n \nthree\r\n", "a.txt");
        let found: Vec<_> =
            blocks.iter().filter_map(Block::text).map(|p| (p.text.as_str(), p.place.to_string())).collect();
        assert_eq!(found, [("one\ntwo", "a.txt:1-2".into()), ("three", "a.txt:5".into())]);
    }

    #[test]
    fn cuts_a_long_paragraph_between_lines() {
        let text = "a line of a log\n".repeat(2000);
        let blocks = paragraphs(&text, "a.log");
        assert!(blocks.len() > 2);
        let total: usize = blocks.iter().filter_map(Block::text).map(|p| p.text.len() + 1).sum();
        assert_eq!(total, text.len());
    }
}

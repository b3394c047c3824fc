//! Pages that would take the parser long, or much memory, are simplified before it sees them.
//!
//! The parser looks through all open elements for every tag, makes formatting that was never closed again in every
//! paragraph, and compares all attributes of a tag with each other: each of them quadratic in what a page may hold. A page
//! that goes beyond what pages do loses tags, and never text.

use std::borrow::Cow;
use std::ops::Range;

/// How deep elements may be nested, as in Blink.
const MAX_OPEN: usize = 512;
/// The most attributes of a tag; tags of pages have a handful, and comparing a thousand takes no time.
const MAX_ATTRIBUTES: usize = 1000;
/// How many elements may be made again for each tag; pages that close what they open stay below one.
const MAX_AGAIN: usize = 4;
/// What is made again on a small page takes no time.
const FREE_AGAIN: usize = 10_000;
/// The most tags that only add attributes to the page itself.
const MAX_ROOTS: usize = 100;

/// Elements that nothing stands in.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Elements that end by themselves where the next one begins: they cannot stand in each other.
const SELF_ENDING: &[&str] = &[
    "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "optgroup", "colgroup",
    "rt", "rp", "head",
];
/// Elements that are made again in the next paragraph if they are not closed.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// Elements in which `<` is a letter.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// What of a page goes beyond what pages do.
#[derive(Default)]
struct Excess {
    depth: bool,
    formatting: bool,
    attributes: bool,
    roots: bool,
}

/// The page, without the tags that are too many.
pub(super) fn flat(text: &str) -> Cow<'_, str> {
    let excess = measure(text);
    if !(excess.depth || excess.formatting || excess.attributes || excess.roots) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    let (mut open, mut beyond): (Vec<&str>, usize) = (Vec::new(), 0);
    for tag in Tags::of(text) {
        let is_kept = match tag.name {
            name if is_one_of(name, FORMATTING) => !excess.formatting,
            name if is_root(name) => !excess.roots,
            _ if !tag.nests() => true,
            // The end of an element that was not kept goes with it.
            _ if tag.is_end && beyond > 0 => {
                beyond -= 1;
                false
            }
            name if tag.is_end => {
                close(&mut open, name);
                true
            }
            name if open.len() < MAX_OPEN => {
                open.push(name);
                true
            }
            _ => {
                beyond += 1;
                false
            }
        };
        if !is_kept || tag.attributes > MAX_ATTRIBUTES {
            out.push_str(text.get(at..tag.range.start).unwrap_or_default());
            if is_kept {
                out.push_str(&format!("<{}{}>", if tag.is_end { "/" } else { "" }, tag.name));
            }
            at = tag.range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Closes the innermost element of a name, and what is open in it.
fn close(open: &mut Vec<&str>, name: &str) {
    if let Some(at) = open.iter().rposition(|o| o.eq_ignore_ascii_case(name)) {
        open.truncate(at);
    }
}

fn measure(text: &str) -> Excess {
    let mut excess = Excess::default();
    let (mut open, mut active): (Vec<&str>, Vec<&str>) = Default::default();
    let (mut tags, mut again, mut roots) = (0usize, 0usize, 0usize);
    for tag in Tags::of(text) {
        tags += 1;
        excess.attributes |= tag.attributes > MAX_ATTRIBUTES;
        roots += usize::from(is_root(tag.name));
        let list = if is_one_of(tag.name, FORMATTING) { &mut active } else { &mut open };
        if tag.is_end {
            match list.iter().rposition(|o| o.eq_ignore_ascii_case(tag.name)) {
                // What is formatted goes on being so when what is around it ends.
                Some(at) if is_one_of(tag.name, FORMATTING) => {
                    list.remove(at);
                }
                Some(at) => list.truncate(at),
                None => {}
            }
            continue;
        }
        // Beyond these lengths it is decided already.
        if tag.nests() && list.len() <= MAX_OPEN {
            list.push(tag.name);
        }
        again += active.len();
        excess.depth |= open.len() > MAX_OPEN;
    }
    excess.formatting = again > MAX_AGAIN * tags + FREE_AGAIN;
    excess.roots = roots > MAX_ROOTS;
    excess
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|n| n.eq_ignore_ascii_case(name))
}

fn is_root(name: &str) -> bool {
    is_one_of(name, &["html", "body"])
}

/// A tag, as it stands in the page.
struct Tag<'a> {
    name: &'a str,
    range: Range<usize>,
    is_end: bool,
    attributes: usize,
}

impl Tag<'_> {
    fn nests(&self) -> bool {
        !is_one_of(self.name, VOID) && !is_one_of(self.name, SELF_ENDING) && !is_root(self.name)
    }
}

/// The tags of a page, one after the other.
struct Tags<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tags<'a> {
    fn of(text: &'a str) -> Self {
        Tags { text, at: 0 }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn skip_to(&mut self, end: &str) {
        let found = memchr::memmem::find(self.bytes(), end.as_bytes());
        self.at = found.map_or(self.text.len(), |n| self.at + n + end.len());
    }

    /// Passes over what stands in an element whose content is no markup.
    fn skip_raw(&mut self, name: &str) {
        let is_end = |rest: &[u8]| {
            let end = rest.get(2..2 + name.len());
            rest.get(1) == Some(&b'/') && end.is_some_and(|e| e.eq_ignore_ascii_case(name.as_bytes()))
        };
        let bytes = self.bytes();
        let end = memchr::memchr_iter(b'<', bytes).find(|&i| is_end(bytes.get(i..).unwrap_or_default()));
        self.at += end.unwrap_or(bytes.len());
    }

    /// The end of the tag that begins here, and how many attributes it seems to have.
    fn end(&self) -> (usize, usize) {
        let (mut quote, mut attributes, mut last) = (0u8, 0usize, b'<');
        for (i, &b) in self.bytes().iter().enumerate() {
            match b {
                _ if quote != 0 => quote = if b == quote { 0 } else { quote },
                // A quote opens a value; elsewhere it is part of a name.
                b'"' | b'\'' if last == b'=' => quote = b,
                b'>' => return (self.at + i + 1, attributes),
                b if b.is_ascii_whitespace() || b == b'/' => attributes += 1,
                _ => {}
            }
            if !b.is_ascii_whitespace() {
                last = b;
            }
        }
        (self.text.len(), attributes)
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let start = self.at + memchr::memchr(b'<', self.bytes())?;
            self.at = start;
            if self.bytes().starts_with(b"<!--") {
                self.at += 2;
                self.skip_to("-->");
                continue;
            }
            let is_end = self.bytes().get(1) == Some(&b'/');
            let from = start + 1 + usize::from(is_end);
            let rest = self.text.get(from..).unwrap_or_default();
            let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric()).count();
            if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
                self.at = start + 1;
                continue;
            }
            let name = rest.get(..length).unwrap_or_default();
            let (end, attributes) = self.end();
            self.at = end;
            if !is_end && is_one_of(name, RAW) {
                self.skip_raw(name);
            }
            return Some(Tag { name, range: start..end, is_end, attributes });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_pages_as_they_are() {
        let page = "<html><body class='a > b'><!-- <div> --><div><p><b>x</b><p>y<script>if (a<b) '<div>'</script></div>";
        assert!(matches!(flat(page), Cow::Borrowed(_)));
        let sloppy = "<tr><td><font size=2>x<td><b>y".repeat(30);
        assert!(matches!(flat(&sloppy), Cow::Borrowed(_)));
    }

    #[test]
    fn drops_tags_that_are_nested_too_deep_and_keeps_their_text() {
        let deep =
            format!("{}<table><tr><td>x</td></tr></table>{}end", "<div>".repeat(5000), "</div>".repeat(5000));
        let flat = flat(&deep);
        assert_eq!(flat.matches("<div>").count(), MAX_OPEN);
        assert_eq!(flat.matches("</div>").count(), MAX_OPEN);
        assert!(flat.ends_with("end") && flat.contains("<tr><td>x</td></tr>"));
    }

    #[test]
    fn drops_formatting_that_would_be_made_again_and_again() {
        let open: String = (0..100).map(|i| format!("<font size={i}>")).collect();
        let flat = flat(&format!("{open}{}", "<p>x".repeat(5000))).into_owned();
        assert!(!flat.contains("<font") && flat.matches("<p>x").count() == 5000);
    }

    #[test]
    fn drops_attributes_that_are_too_many() {
        let attributes: String = (0..5000).map(|i| format!(" a{i}=\"<b>\"")).collect();
        assert_eq!(flat(&format!("<div{attributes}>x</div>")), "<div>x</div>");
    }
}

//! The archive around a workbook: what it is, how large it would become, and the parts of a sheet that the
//! cell reader does not give: merged ranges, hidden rows and columns.

use super::{damaged, over};
use crate::format::office::package::guard;
use crate::grid::Rect;
use memchr::memmem;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use tabletalk_core::seam::Limits;
use tabletalk_core::{Error, Result};
use zip::ZipArchive;

/// The parts that name the sheets are never larger than this.
const MAX_INDEX_BYTES: u64 = 16 << 20;
/// A tag longer than this is not looked into.
const MAX_TAG: usize = 8 << 10;

/// The formats an archive can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Xlsx,
    Xlsb,
    Ods,
}

/// What an archive holds, once it is known not to unpack to more than the limits allow.
pub(super) fn kind(bytes: &[u8], limits: &Limits) -> Result<Kind> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    guard(&mut archive, bytes.len() as u64, limits, damaged)?;
    let names: Vec<String> = archive.file_names().filter_map(|n| Some(n.ok()?.to_lowercase())).collect();
    let has = |end: &str| names.iter().any(|n| n.ends_with(end));
    if has("workbook.bin") {
        Ok(Kind::Xlsb)
    } else if names.iter().any(|n| n.contains("worksheets/")) || has("workbook.xml") {
        Ok(Kind::Xlsx)
    } else if has("content.xml") {
        Ok(Kind::Ods)
    } else {
        Err(Error::input("is an archive without a workbook in it"))
    }
}

/// What a sheet says beside its cells.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub merges: Vec<Rect>,
    pub hidden_rows: Vec<u32>,
    pub hidden_cols: Vec<(u32, u32)>,
    /// Some cells hold formulas.
    pub has_formulas: bool,
}

/// The archive of an XLSX workbook.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The part of each sheet, by the sheet's name.
    parts: HashMap<String, String>,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        let mut package = Package { archive, parts: HashMap::new() };
        package.parts = package.find_parts().unwrap_or_default();
        Ok(package)
    }
    fn text(&mut self, part: &str) -> Option<String> {
        let mut out = Vec::new();
        let name = self.name_of(part)?;
        self.archive.by_name(&name).ok()?.take(MAX_INDEX_BYTES).read_to_end(&mut out).ok()?;
        Some(String::from_utf8_lossy(&out).into_owned())
    }
    /// The name of a part as the archive spells it.
    fn name_of(&self, part: &str) -> Option<String> {
        let part = part.trim_start_matches('/');
        let same = |n: &String| n.replace('\\', "/").trim_start_matches('/').eq_ignore_ascii_case(part);
        self.archive.file_names().filter_map(|n| Some(n.ok()?.into_owned())).find(same)
    }
    fn find_parts(&mut self) -> Option<HashMap<String, String>> {
        let main = self.text("_rels/.rels").and_then(|rels| {
            let main = tags(&rels, "Relationship")
                .find(|t| attr(t, "Type").is_some_and(|v| v.ends_with("/officeDocument")));
            main.and_then(|t| attr(t, "Target"))
        });
        let main = main.unwrap_or_else(|| "xl/workbook.xml".into());
        let main = main.trim_start_matches('/').to_owned();
        let (folder, file) = main.rsplit_once('/').unwrap_or(("", &main));
        let rels = self.text(&format!("{folder}/_rels/{file}.rels"))?;
        let targets: HashMap<String, String> =
            tags(&rels, "Relationship").filter_map(|t| Some((attr(t, "Id")?, attr(t, "Target")?))).collect();
        let book = self.text(&main)?;
        let part = |t: &str| {
            let id = attr(t, "r:id").or_else(|| attr(t, "id"))?;
            let target = targets.get(&id)?;
            let absolute = target.starts_with('/') || folder.is_empty();
            Some((attr(t, "name")?, if absolute { target.clone() } else { format!("{folder}/{target}") }))
        };
        Some(tags(&book, "sheet").filter_map(part).collect())
    }
    /// The merged ranges and hidden rows and columns of a sheet.
    pub(super) fn layout(&mut self, sheet: &str, limits: &Limits) -> Result<Layout> {
        let Some(name) = self.parts.get(sheet).and_then(|part| self.name_of(part)) else {
            return Ok(Layout::default());
        };
        let part = self.archive.by_name(&name).map_err(damaged)?;
        scan(part, limits.max_unpacked_bytes)
    }
}

/// Looks for the few tags that matter without parsing the rest: a sheet can be gigabytes.
fn scan(mut from: impl Read, most: u64) -> Result<Layout> {
    let finders = [memmem::Finder::new(b"hidden="), memmem::Finder::new(b"mergeCell ")];
    let (mut layout, mut read) = (Layout::default(), 0u64);
    let mut chunk = vec![0u8; 256 << 10];
    let mut kept = 0;
    loop {
        let n = from.read(&mut chunk[kept..]).map_err(damaged)?;
        read += n as u64;
        if read > most {
            return Err(over(most, "bytes in a sheet", "max_unpacked_bytes"));
        }
        let seen = &chunk[..kept + n];
        let end = if n == 0 { seen.len() } else { memchr::memrchr(b'<', seen).unwrap_or(seen.len()) };
        let whole = &seen[..end];
        layout.has_formulas = layout.has_formulas || memmem::find(whole, b"f>").is_some();
        for finder in &finders {
            finder.find_iter(whole).filter_map(|at| tag_around(whole, at)).for_each(|tag| layout.take(tag));
        }
        if n == 0 {
            return Ok(layout);
        }
        // A tag that is cut by the end of the chunk is seen again with the next; an endless one is dropped.
        let total = kept + n;
        kept = if total - end > MAX_TAG { 0 } else { total - end };
        chunk.copy_within(total - kept..total, 0);
    }
}

/// The text between the angle brackets around a position.
fn tag_around(bytes: &[u8], at: usize) -> Option<&str> {
    let from = memchr::memrchr(b'<', &bytes[..at])? + 1;
    let to = at + memchr::memchr(b'>', &bytes[at..])?;
    (to - from <= MAX_TAG).then(|| std::str::from_utf8(&bytes[from..to]).ok()).flatten()
}

impl Layout {
    fn take(&mut self, tag: &str) {
        let name = tag.split([' ', '\n', '\r', '\t']).next().unwrap_or_default();
        let name = name.rsplit(':').next().unwrap_or_default();
        let hidden = || attr(tag, "hidden").is_some_and(|v| v == "1" || v == "true");
        let number = |key: &str| attr(tag, key).and_then(|v| v.parse::<u32>().ok());
        match name {
            "mergeCell" => self.merges.extend(attr(tag, "ref").and_then(|r| range(&r))),
            "row" if hidden() => self.hidden_rows.extend(number("r")),
            "col" if hidden() => {
                // The rest of a sheet is often hidden to its last column.
                let last = number("max").map(|m| m.min(16_384));
                self.hidden_cols.extend(number("min").zip(last));
            }
            _ => {}
        }
    }
}

/// The texts of all tags of a name.
fn tags<'t>(xml: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    xml.split('<').skip(1).filter_map(move |t| {
        let tag = t.split('>').next()?;
        let first = tag.split([' ', '\n', '\r', '\t', '/']).next()?;
        (first.rsplit(':').next()? == name).then_some(tag)
    })
}

/// The value of an attribute in the text of a tag.
fn attr(tag: &str, key: &str) -> Option<String> {
    let mut rest = tag;
    while let Some(at) = rest.find(key) {
        let before = rest.get(..at)?.chars().last();
        let after = rest.get(at + key.len()..)?.trim_start();
        rest = rest.get(at + key.len()..)?;
        let (Some(value), true) = (after.strip_prefix('='), before.is_some_and(char::is_whitespace)) else {
            continue;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|q| matches!(q, '"' | '\''))?;
        let value = value.get(1..)?.split(quote).next()?;
        return Some(unescape(value));
    }
    None
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let plain =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&#10;", "\n")];
    plain.iter().fold(text.to_owned(), |t, (from, to)| t.replace(from, to)).replace("&amp;", "&")
}

/// The rectangle of a reference such as `A1:C3`.
fn range(reference: &str) -> Option<Rect> {
    let (from, to) = reference.split_once(':').unwrap_or((reference, reference));
    let ((top, left), (bottom, right)) = (address(from)?, address(to)?);
    (top <= bottom && left <= right).then(|| Rect::new(top, left, bottom, right))
}

fn address(a1: &str) -> Option<(u32, u32)> {
    let a1 = a1.replace('$', "");
    let digits = a1.find(|c: char| c.is_ascii_digit())?;
    let (letters, digits) = a1.split_at(digits);
    let up = |n: u32, b: u8| {
        n.checked_mul(26)?.checked_add(u32::from(b.to_ascii_uppercase().checked_sub(b'A')?) + 1)
    };
    let col = letters.bytes().try_fold(0u32, up)?;
    Some((digits.parse().ok().filter(|r| *r > 0)?, col)).filter(|_| col > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_merged_and_hidden_in_the_text_of_a_sheet() {
        let xml =
            br#"<x:worksheet><x:cols><x:col min="2" max="3" width="9" hidden="1"/></x:cols><x:sheetData>
            <x:row r="1"/><x:row r="7" hidden="true"><x:c r="A7"/></x:row></x:sheetData>
            <mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells></x:worksheet>"#;
        let layout = scan(&xml[..], 1 << 20).unwrap();
        assert_eq!(layout.merges, [Rect::new(1, 1, 1, 3)]);
        assert_eq!(layout.hidden_rows, [7]);
        assert_eq!(layout.hidden_cols, [(2, 3)]);
    }

    #[test]
    fn finds_tags_that_are_cut_by_the_end_of_a_chunk() {
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                let n = self.0.len().min(3).min(buf.len());
                buf[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let layout = scan(Slow(br#"<a/><mergeCell ref="B2:B4"/><row r="3" hidden="1"/>"#), 1 << 20).unwrap();
        assert_eq!((layout.merges.len(), layout.hidden_rows.len()), (1, 1));
    }

    #[test]
    fn reads_attributes_and_references() {
        assert_eq!(attr(r#"sheet name="A &amp; B" r:id='rId1'"#, "name").as_deref(), Some("A & B"));
        assert_eq!(attr(r#"sheet sheetId="2" id="x""#, "id").as_deref(), Some("x"));
        assert_eq!(range("XFD1:XFD2"), Some(Rect::new(1, 16384, 2, 16384)));
        assert_eq!(range("A:B"), None);
    }
}

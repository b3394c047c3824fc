//! Where a thing stands in its source.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// Where a thing stands. Every node has one; every citation is one.
///
/// Rows, columns, lines and pages count from 1, as people do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The name of the source file or record.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub file: String,
    /// The page, in paged formats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub page: Option<u32>,
    /// The box on the page: left, top, right, bottom.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bbox: Option<[f32; 4]>,
    /// The sheet of a workbook, the table of a database, or `table 2` on a page.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sheet: Option<String>,
    /// First and last row.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rows: Option<(u64, u64)>,
    /// First and last column.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cols: Option<(u32, u32)>,
    /// First and last line, in text formats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<(u64, u64)>,
    /// First byte and the byte after the last, in text formats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes: Option<(u64, u64)>,
}

impl Place {
    /// A whole file.
    pub fn file(name: impl Into<String>) -> Self {
        Place { file: name.into(), ..Place::default() }
    }
    /// On this sheet.
    pub fn sheet(mut self, sheet: impl Into<String>) -> Self {
        self.sheet = Some(sheet.into());
        self
    }
    /// These rows and columns, counted from 1.
    pub fn cells(mut self, rows: RangeInclusive<u64>, cols: RangeInclusive<u32>) -> Self {
        self.rows = Some((*rows.start(), *rows.end()));
        self.cols = Some((*cols.start(), *cols.end()));
        self
    }
    /// These lines, counted from 1.
    pub fn lines(mut self, lines: RangeInclusive<u64>) -> Self {
        self.lines = Some((*lines.start(), *lines.end()));
        self
    }
    /// The A1 reference alone, such as `B2:C9`, where rows and columns are known.
    pub fn a1(&self) -> Option<String> {
        let ((r1, r2), (c1, c2)) = (self.rows?, self.cols?);
        let first = format!("{}{r1}", column_letters(c1));
        if (r1, c1) == (r2, c2) {
            return Some(first);
        }
        Some(format!("{first}:{}{r2}", column_letters(c2)))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(page) = self.page {
            write!(f, "!page {page}")?;
        }
        if let Some(sheet) = &self.sheet {
            write!(f, "!{sheet}")?;
        }
        if let Some(a1) = self.a1() {
            return write!(f, "!{a1}");
        }
        match self.lines {
            Some((a, b)) if a == b => write!(f, ":{a}"),
            Some((a, b)) => write!(f, ":{a}-{b}"),
            None => Ok(()),
        }
    }
}

/// The letters of a column counted from 1: 1 is `A`, 27 is `AA`.
pub fn column_letters(mut col: u32) -> String {
    let mut letters = Vec::new();
    while col > 0 {
        col -= 1;
        letters.push(b'A' + (col % 26) as u8);
        col /= 26;
    }
    letters.iter().rev().map(|&b| b as char).collect()
}

/// Text with the place it stands at: a title, a header cell, a note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

/// Something that could not be taken, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejection {
    /// Where it stands.
    pub place: Place,
    /// Why it was not taken.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_places_as_people_do() {
        assert_eq!(column_letters(1), "A");
        assert_eq!(column_letters(26), "Z");
        assert_eq!(column_letters(27), "AA");
        assert_eq!(column_letters(16384), "XFD");
        assert_eq!(Place::file("a.md").lines(3..=9).to_string(), "a.md:3-9");
        assert_eq!(Place::file("a.xlsx").sheet("S").cells(2..=2, 3..=3).to_string(), "a.xlsx!S!C2");
    }
}

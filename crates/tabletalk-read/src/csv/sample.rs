//! Looks at a part of a file to find its header and the types of its columns.

use super::dialect::Dialect;
use super::split::Splitter;
use crate::typing::{Guess, Raw, Shape};
use crate::understand::{self, Head};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use tabletalk_core::{Error, Result, seam::Limits};

/// How many rows the header is looked for in.
const HEAD_ROWS: usize = 64;
/// How many further places of a large file are looked at, and how many bytes at each.
const SPOTS: u64 = 24;
const SPOT: usize = 64 << 10;

/// What a look at a part of a file shows.
#[derive(Debug)]
pub(super) struct Sample {
    /// The first rows that are not blank, with their record numbers from 0.
    pub(super) rows: Vec<(u64, Vec<String>)>,
    /// Where title and header stand among these rows.
    pub(super) head: Head,
    /// The most fields of any row.
    pub(super) width: usize,
    guesses: Vec<Guess>,
}

impl Sample {
    /// Looks at the first part of a text.
    pub(super) fn of(text: &str, dialect: Dialect, is_all: bool, limits: &Limits) -> Result<Sample> {
        let rows = first_rows(text, dialect, is_all);
        let texts: Vec<&[String]> = rows.iter().map(|(_, row)| row.as_slice()).collect();
        let head = head_of(&texts);
        let mut sample = Sample { rows, head, width: 0, guesses: Vec::new() };
        sample.see(text, dialect, is_all, sample.first_data_record());
        let most = limits.max_columns as usize;
        if sample.width > most {
            return Err(Error::limit(format!("has {} columns, more than {most}", sample.width))
                .hint("raise max_columns, or check that the file is a table"));
        }
        Ok(sample)
    }

    /// The first record after the header.
    pub(super) fn first_data_record(&self) -> u64 {
        let before = self.head.skip + self.head.header_rows;
        match before.checked_sub(1).and_then(|i| self.rows.get(i)) {
            Some((record, _)) => record + 1,
            None => 0,
        }
    }

    fn see(&mut self, text: &str, dialect: Dialect, is_all: bool, from: u64) {
        let first_header = self.rows.get(self.head.skip).map_or(0, |(record, _)| *record);
        let mut splitter = Splitter::new(text, dialect, is_all);
        let mut number = 0;
        while let Some(record) = splitter.next_record() {
            number += 1;
            if number <= first_header || record.is_blank() {
                continue;
            }
            self.width = self.width.max(record.width());
            if number > from {
                let cells = record.fields.iter().take(1 << 15).map(|f| f.text(text, dialect.quote));
                self.guess(cells);
            }
        }
    }

    fn guess<S: AsRef<str>>(&mut self, cells: impl Iterator<Item = S>) {
        for (i, cell) in cells.enumerate() {
            if i == self.guesses.len() {
                self.guesses.push(Guess::default());
            }
            if let Some(guess) = self.guesses.get_mut(i) {
                guess.see(Raw::from(cell.as_ref()));
            }
        }
    }

    /// Looks at further places, spread over a plain file of `size` bytes.
    pub(super) fn see_spread(&mut self, path: &Path, size: u64, dialect: Dialect) -> Result<()> {
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        for spot in 1..=SPOTS {
            bytes.clear();
            file.seek(SeekFrom::Start(size / (SPOTS + 1) * spot))?;
            file.by_ref().take(SPOT as u64).read_to_end(&mut bytes)?;
            let text = String::from_utf8_lossy(&bytes);
            // The first line is a part of one; a record of another width is a part of a quoted field.
            let Some(start) = memchr::memchr(dialect.newline, text.as_bytes()) else {
                continue;
            };
            let text = text.get(start + 1..).unwrap_or("");
            let mut splitter = Splitter::new(text, dialect, false);
            while let Some(record) = splitter.next_record() {
                if record.fields.len() == self.width {
                    let cells: Vec<_> = record.fields.iter().map(|f| f.text(text, dialect.quote)).collect();
                    self.guess(cells.iter());
                }
            }
        }
        Ok(())
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<String> {
        let from = self.head.skip;
        let header: Vec<Vec<&str>> = (from..from + self.head.header_rows)
            .filter_map(|i| self.rows.get(i))
            .map(|(_, row)| {
                let mut row: Vec<&str> = row.iter().map(String::as_str).collect();
                row.resize(self.width, "");
                row
            })
            .collect();
        understand::names(&header, self.width)
    }

    /// The type of each column.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        (0..self.width).map(|i| self.guesses.get(i).map_or(Shape::TEXT, Guess::shape)).collect()
    }
}

fn first_rows(text: &str, dialect: Dialect, is_all: bool) -> Vec<(u64, Vec<String>)> {
    let mut rows = Vec::new();
    let mut splitter = Splitter::new(text, dialect, is_all);
    let mut number = 0;
    while rows.len() < HEAD_ROWS {
        let Some(record) = splitter.next_record() else {
            break;
        };
        if !record.is_blank() {
            let row = record.fields.iter().map(|f| f.text(text, dialect.quote).into_owned()).collect();
            rows.push((number, row));
        }
        number += 1;
    }
    rows
}

/// A file with one line, or one of names only, has that line as its header.
fn head_of(rows: &[&[String]]) -> Head {
    if rows.len() == 1 {
        return Head { skip: 0, header_rows: 1 };
    }
    let rows: Vec<Vec<&str>> = rows.iter().map(|r| r.iter().map(String::as_str).collect()).collect();
    understand::head(&rows)
}

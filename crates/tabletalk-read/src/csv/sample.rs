//! Looks at a file to find its header and the types of its columns.

use super::block::{Block, Blocks};
use super::dialect::Dialect;
use super::parse::text_of;
use super::split::Splitter;
use crate::typing::{self, Guess, Raw, Shape};
use crate::understand::{self, Head};
use rayon::prelude::*;
use tabletalk_core::{Error, Result, seam::Limits};

/// How many rows the header is looked for in.
const HEAD_ROWS: usize = 64;

/// What a look at a file shows.
#[derive(Debug)]
pub(super) struct Sample {
    /// The first rows that are not blank, with their record numbers from 0.
    pub(super) rows: Vec<(u64, Vec<String>)>,
    /// Where title and header stand among these rows.
    pub(super) head: Head,
    /// The most fields of any row.
    pub(super) width: usize,
    /// How many records were gone through.
    pub(super) records: u64,
    /// How many of them are rows of data, whether they can be taken or not.
    pub(super) rows_in: u64,
    guesses: Vec<Guess>,
}

impl Sample {
    /// Looks at the first part of a text.
    pub(super) fn of(text: &str, dialect: Dialect, is_all: bool, limits: &Limits) -> Result<Sample> {
        let rows = first_rows(text, dialect, is_all);
        let head = head_of(&rows);
        let mut sample = Sample { rows, head, width: 0, records: 0, rows_in: 0, guesses: Vec::new() };
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
        while let Some(record) = splitter.next_record() {
            self.records += 1;
            if self.records <= first_header || record.is_blank() {
                continue;
            }
            self.width = self.width.max(record.width());
            if self.records > from {
                self.rows_in += 1;
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

    /// Looks at every row of a large file, at the columns that may be more than text: a single number with
    /// decimals among ten million whole ones makes a column of decimals.
    ///
    /// Gives back the first block that is not valid text, if there is one, having stopped there.
    pub(super) fn survey(
        &mut self,
        mut blocks: Blocks,
        dialect: Dialect,
        stop: bool,
    ) -> Result<Option<Block>> {
        self.guesses.resize(self.width, Guess::default());
        let watched: Vec<bool> = self.guesses.iter().map(Guess::may_be_more).collect();
        let unseen =
            |(guess, watched): (&Guess, &bool)| if *watched { Guess::default() } else { guess.clone() };
        let mut all: Vec<Guess> = self.guesses.iter().zip(&watched).map(unseen).collect();
        let mut skip = self.first_data_record();
        self.rows_in = 0;
        loop {
            let mut group = blocks.next_blocks()?;
            if group.is_empty() {
                break;
            }
            if let Some(i) = group.par_iter().position_first(|b| stop && text_of(b).1.is_some()) {
                return Ok(Some(group.swap_remove(i)));
            }
            let each =
                |(i, block): (usize, &Block)| look(block, dialect, &watched, if i == 0 { skip } else { 0 });
            let seen: Vec<(Vec<Guess>, u64)> = group.par_iter().enumerate().map(each).collect();
            skip = 0;
            for (guesses, rows) in seen {
                self.rows_in += rows;
                all.iter_mut().zip(&guesses).for_each(|(sum, more)| sum.add(more));
            }
        }
        self.guesses = all;
        Ok(None)
    }

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
    pub(super) fn shapes(&self, dialect: Dialect) -> Vec<Shape> {
        let mut shapes = typing::shapes(&self.guesses, &self.names(), dialect.delimiter == b';');
        shapes.resize(self.width, Shape::TEXT);
        shapes
    }
}

/// What one block shows of the watched columns, and how many rows of data it has.
fn look(block: &Block, dialect: Dialect, watched: &[bool], skip: u64) -> (Vec<Guess>, u64) {
    let (text, _) = text_of(block);
    let mut guesses = vec![Guess::default(); watched.len()];
    let mut splitter = Splitter::new(&text, dialect, true);
    let (mut number, mut rows) = (0, 0);
    while let Some(record) = splitter.next_record() {
        number += 1;
        if number <= skip || record.is_blank() {
            continue;
        }
        rows += 1;
        if record.fields.len() > watched.len() && record.width() > watched.len() {
            continue;
        }
        for ((guess, watched), field) in guesses.iter_mut().zip(watched).zip(&record.fields) {
            if *watched {
                guess.see(Raw::from(&*field.text(&text, dialect.quote)));
            }
        }
    }
    (guesses, rows)
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
fn head_of(rows: &[(u64, Vec<String>)]) -> Head {
    if rows.len() == 1 {
        return Head { skip: 0, header_rows: 1 };
    }
    let numbers: Vec<u64> = rows.iter().map(|(record, _)| record + 1).collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|(_, row)| row.iter().map(String::as_str).collect()).collect();
    understand::head_at(&rows, &numbers)
}

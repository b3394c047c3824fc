//! Looks at a file to find its header and the types of its columns.

use super::block::{Block, Blocks};
use super::parse::text_of;
use super::split::Dialect;
use super::split::Splitter;
use crate::guard;
use crate::stream::Survey;
use crate::typing::{self, Raw, Shape};
use crate::understand::{self, Head};
use rayon::prelude::*;
use tabletalk_core::{Result, seam::Limits};

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
    /// What the rows of data show, whether they can be taken or not.
    pub(super) survey: Survey,
}

impl Sample {
    /// Looks at the first part of a text.
    pub(super) fn of(text: &str, dialect: Dialect, is_all: bool, limits: &Limits) -> Result<Sample> {
        let rows = first_rows(text, dialect, is_all);
        let head = head_of(&rows);
        let mut sample = Sample { rows, head, width: 0, records: 0, survey: Survey::default() };
        sample.see(text, dialect, is_all, sample.first_data_record());
        guard::check_width(sample.width, limits)?;
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
                self.survey.resize(self.survey.width().max(record.fields.len().min(1 << 15)));
                for (i, field) in record.fields.iter().enumerate() {
                    let Some(guess) = self.survey.watched(i) else { break };
                    guess.see(Raw::from(&*field.text(text, dialect.quote)));
                }
                self.survey.end_row();
            }
        }
    }

    /// Looks at every row of a large file. Gives back the first block that is not valid text, if there is one, having
    /// stopped there.
    pub(super) fn see_all(
        &mut self,
        mut blocks: Blocks,
        dialect: Dialect,
        stop: bool,
    ) -> Result<Option<Block>> {
        self.survey.resize(self.width);
        self.survey.restart();
        let mut skip = self.first_data_record();
        loop {
            let mut group = blocks.next_blocks()?;
            if group.is_empty() {
                break;
            }
            if let Some(i) = group.par_iter().position_first(|b| stop && text_of(b).1.is_some()) {
                return Ok(Some(group.swap_remove(i)));
            }
            let each = |(i, block): (usize, &Block)| {
                look(block, dialect, self.survey.fork(), if i == 0 { skip } else { 0 })
            };
            let seen: Vec<Survey> = group.par_iter().enumerate().map(each).collect();
            skip = 0;
            seen.iter().for_each(|fork| self.survey.add(fork));
        }
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
        let mut shapes = typing::shapes(self.survey.guesses(), &self.names(), dialect.delimiter == b';');
        shapes.resize(self.width, Shape::TEXT);
        shapes
    }
}

/// What one block shows of the watched columns.
fn look(block: &Block, dialect: Dialect, mut survey: Survey, skip: u64) -> Survey {
    let (text, _) = text_of(block);
    let mut splitter = Splitter::new(&text, dialect, true);
    let mut number = 0;
    while let Some(record) = splitter.next_record() {
        number += 1;
        if number <= skip || record.is_blank() {
            continue;
        }
        let is_too_wide = record.fields.len() > survey.width() && record.width() > survey.width();
        let fields = record.fields.iter().enumerate().filter(|_| !is_too_wide);
        for (i, field) in fields {
            if let Some(guess) = survey.watched(i) {
                guess.see(Raw::from(&*field.text(&text, dialect.quote)));
            }
        }
        survey.end_row();
    }
    survey
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

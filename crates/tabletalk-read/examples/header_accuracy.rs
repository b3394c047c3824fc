//! Measures how often the header of a table is understood.
//!
//! `cargo run -p tabletalk-read --example header_accuracy -- tables.jsonl.zst [--split dev] [--wrong N]`
//!
//! Each line of the data is a table with `rows`, `cell_ids` (cells with the same id are merged), `type`, and
//! the ids of its gold names: `column_attribute` and `column_index` name columns, `row_attribute` and
//! `row_index` name rows.
//!
//! - **header rows**: the leading rows most of whose cells name columns, and that hold more than the name of a
//!   section in the first column. Right when the rows found as title
//!   and header are the same number.
//! - **row headers**: the leading columns most of whose cells, below the header, name rows. Right when the
//!   same number of columns is found in the largest table found.
//! - **table**: right when both are.
//! - **cells**: the F1 of single cells: found as title, header or row header against gold name of any kind.
//!
//! In a table of two columns whose first row holds no column attribute (a list of fields and values), taking
//! the first row for data is right too: its value is a value.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used)]

use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use tabletalk_core::{Block, Place, Table};
use tabletalk_read::grid::{Grid, Rect};
use tabletalk_read::understand;

#[derive(Deserialize)]
struct Gold {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    split: String,
    rows: Vec<Vec<String>>,
    cell_ids: Vec<Vec<u32>>,
    #[serde(deserialize_with = "ids")]
    column_attribute: HashSet<u32>,
    #[serde(deserialize_with = "ids")]
    row_attribute: HashSet<u32>,
    #[serde(deserialize_with = "ids")]
    column_index: HashSet<u32>,
    #[serde(deserialize_with = "ids")]
    row_index: HashSet<u32>,
}

/// Whole numbers only: a few lists hold slips such as `98.103`.
fn ids<'de, D: serde::Deserializer<'de>>(from: D) -> Result<HashSet<u32>, D::Error> {
    let ids = Vec::<f64>::deserialize(from)?;
    Ok(ids.into_iter().filter(|i| i.fract() == 0.0).map(|i| i as u32).collect())
}

#[derive(Default)]
struct Score {
    tables: usize,
    header_rows: usize,
    row_headers: usize,
    both: usize,
    hit: usize,
    found: usize,
    gold: usize,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = args.first().expect("the path of the tables, .jsonl or .jsonl.zst");
    let option = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let split = option("--split").map_or("dev", String::as_str);
    let mut show: usize = option("--wrong").and_then(|n| n.parse().ok()).unwrap_or(0);
    let only = option("--type");
    let bytes = std::fs::read(path).expect("a readable file");
    let bytes = if path.ends_with(".zst") { zstd::decode_all(&bytes[..]).expect("zstd") } else { bytes };
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for line in bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        let gold: Gold = serde_json::from_slice(line).expect("a table on each line");
        if gold.split != split || only.is_some_and(|t| *t != gold.kind) {
            continue;
        }
        let right = judge(&gold, &mut scores);
        if !right && show > 0 {
            show -= 1;
            print_table(&gold);
        }
    }
    report(&scores);
}

impl Gold {
    /// The leading rows most of whose cells name columns, and the leading columns that name rows below.
    fn shape(&self) -> (usize, usize) {
        let is_row = |r: &usize| {
            let ids = self.filled(*r);
            let named = ids.iter().filter(|i| self.names_column(**i) || self.names_row(**i)).count();
            let columns = ids.iter().filter(|i| self.names_column(**i)).count();
            // A single name in the first column is the name of a section.
            let section = ids.len() == 1 && self.id(*r, self.rows[*r].len() - 1).is_none();
            !ids.is_empty() && !section && named * 2 > ids.len() && columns * 2 >= ids.len()
        };
        let rows = (0..self.rows.len()).take_while(is_row).count();
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_col = |c: &usize| {
            let ids: HashSet<u32> = (rows..self.rows.len()).filter_map(|r| self.id(r, *c)).collect();
            !ids.is_empty() && ids.iter().filter(|i| self.names_row(**i)).count() * 2 > ids.len()
        };
        // Columns that are merged in every row are one.
        let doubles = |c: &usize| *c > 0 && self.cell_ids.iter().all(|ids| ids.get(*c) == ids.get(*c - 1));
        (rows, (0..width).take_while(is_col).filter(|c| !doubles(c)).count())
    }
    fn names_column(&self, id: u32) -> bool {
        self.column_attribute.contains(&id) || self.column_index.contains(&id)
    }
    fn names_row(&self, id: u32) -> bool {
        self.row_attribute.contains(&id) || self.row_index.contains(&id)
    }
    /// The id of a cell that is not empty.
    fn id(&self, r: usize, c: usize) -> Option<u32> {
        let text = self.rows.get(r)?.get(c)?;
        (!text.trim().is_empty()).then(|| self.cell_ids.get(r)?.get(c).copied()).flatten()
    }
    fn filled(&self, r: usize) -> HashSet<u32> {
        (0..self.rows[r].len()).filter_map(|c| self.id(r, c)).collect()
    }
    fn is_field_list(&self) -> bool {
        let attribute = (0..2).any(|c| self.id(0, c).is_some_and(|i| self.column_attribute.contains(&i)));
        self.rows.iter().all(|r| r.len() == 2) && !attribute
    }
    fn grid(&self) -> Grid {
        let mut grid = Grid::new();
        let mut spans: HashMap<u32, Rect> = HashMap::new();
        for (r, (row, ids)) in (1..).zip(self.rows.iter().zip(&self.cell_ids)) {
            for (c, (text, id)) in (1..).zip(row.iter().zip(ids)) {
                let seen = spans.contains_key(id);
                let span = spans.entry(*id).or_insert(Rect::new(r, c, r, c));
                span.bottom = span.bottom.max(r);
                span.right = span.right.max(c);
                if !seen {
                    grid.push(r, c, text, None, false);
                }
            }
        }
        grid.finish(spans.into_values().collect());
        grid
    }
}

fn tables(gold: &Gold) -> Vec<Block> {
    understand::blocks(&gold.grid(), &Place::file("t"))
}

/// How many rows at the top hold only title, notes and header, and how many columns name rows.
fn found_shape(blocks: &[Block]) -> (usize, usize) {
    let size = |t: &&Table| t.place.rows.map_or(0, |(a, b)| b - a);
    let tables = || blocks.iter().filter_map(|b| if let Block::Table(t) = b { Some(t) } else { None });
    let first = tables().next();
    let rows =
        first.map_or(0, |t| t.place.rows.map_or(0, |(top, _)| top as usize - 1) + t.header_rows as usize);
    (rows, tables().max_by_key(size).map_or(0, |t| t.row_headers as usize))
}

fn found_cells(blocks: &[Block]) -> HashSet<(u64, u32)> {
    let mut cells = HashSet::new();
    for block in blocks {
        let Block::Table(table) = block else {
            cells.extend(block.text().and_then(|t| Some((t.place.rows?.0, t.place.cols?.0))));
            continue;
        };
        let named = table.title.iter().chain(&table.notes).chain(&table.header);
        cells.extend(named.filter_map(|p| Some((p.place.rows?.0, p.place.cols?.0))));
        let tabletalk_core::Rows::Memory(batches) = &table.rows else {
            continue;
        };
        for batch in batches {
            for (i, row) in batch.rows.iter().enumerate() {
                for (column, values) in
                    table.columns.iter().zip(&batch.columns).take(table.row_headers as usize)
                {
                    if !values.is_empty(i) {
                        cells.insert((*row, column.col));
                    }
                }
            }
        }
    }
    cells
}

fn judge(gold: &Gold, scores: &mut BTreeMap<String, Score>) -> bool {
    let blocks = tables(gold);
    let (want, got) = (gold.shape(), found_shape(&blocks));
    let rows = want.0 == got.0 || gold.is_field_list() && want.0 == 1 && got.0 == 0;
    let cols = want.1 == got.1;
    let score = scores.entry(gold.kind.clone()).or_default();
    score.tables += 1;
    score.header_rows += usize::from(rows);
    score.row_headers += usize::from(cols);
    score.both += usize::from(rows && cols);
    let found: HashSet<u32> =
        found_cells(&blocks).iter().filter_map(|(r, c)| gold.id(*r as usize - 1, *c as usize - 1)).collect();
    let all: HashSet<u32> = (0..gold.rows.len()).flat_map(|r| gold.filled(r)).collect();
    let names: HashSet<u32> =
        all.into_iter().filter(|i| gold.names_column(*i) || gold.names_row(*i)).collect();
    score.hit += found.intersection(&names).count();
    score.found += found.len();
    score.gold += names.len();
    rows && cols
}

fn print_table(gold: &Gold) {
    let (want, got) = (gold.shape(), found_shape(&tables(gold)));
    for block in tables(gold) {
        if let Block::Table(t) = block {
            println!("  {} header {} row headers {}", t.place, t.header_rows, t.row_headers);
        }
    }
    println!("## {} {} want {want:?} got {got:?}", gold.id, gold.kind);
    for (r, row) in gold.rows.iter().enumerate().take(12) {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(c, t)| {
                let id = gold.cell_ids[r][c];
                let mark = if gold.names_column(id) {
                    "C"
                } else if gold.names_row(id) {
                    "R"
                } else {
                    ""
                };
                format!("{mark}|{}", t.chars().take(10).collect::<String>())
            })
            .collect();
        println!("    {}", cells.join(" ; "));
    }
}

fn report(scores: &BTreeMap<String, Score>) {
    println!(
        "{:<14}{:>7}{:>13}{:>13}{:>9}{:>11}",
        "type", "tables", "header rows", "row headers", "table", "cells F1"
    );
    let mut all = Score::default();
    for (kind, s) in scores {
        print_score(kind, s);
        all.tables += s.tables;
        all.header_rows += s.header_rows;
        all.row_headers += s.row_headers;
        all.both += s.both;
        all.hit += s.hit;
        all.found += s.found;
        all.gold += s.gold;
    }
    print_score("all", &all);
}

fn print_score(kind: &str, s: &Score) {
    let share = |n: usize| 100.0 * n as f64 / s.tables.max(1) as f64;
    let f1 = 200.0 * s.hit as f64 / (s.found + s.gold).max(1) as f64;
    println!(
        "{kind:<14}{:>7}{:>12.1}%{:>12.1}%{:>8.1}%{f1:>10.1}%",
        s.tables,
        share(s.header_rows),
        share(s.row_headers),
        share(s.both)
    );
}

//! Files to measure with, the same every time they are made.

use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::Path;
use tabletalk::Result;

/// A small generator of numbers, so that a file is the same every time.
pub struct Draw(pub u64);

impl Draw {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    /// One of a list.
    pub fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// A made word; low numbers come more often, as some words do.
    fn word(&mut self) -> String {
        let (a, b) = (self.below(WORDS), self.below(WORDS));
        word(a * b / WORDS)
    }
}

pub const CITIES: [&str; 10] =
    ["London", "Paris", "Berlin", "Tokyo", "Beijing", "Madrid", "Rome", "Vienna", "Oslo", "Lima"];
const CATEGORIES: [&str; 6] = ["Furniture", "Office Supplies", "Technology", "Food", "Garden", "Books"];
const STATES: [&str; 4] = ["shipped", "pending", "returned", "delivered"];
pub const NOTES: [&str; 8] = [
    "fragile",
    "urgent",
    "gift wrap",
    "leave at door",
    "call first",
    "standard",
    "repeat customer",
    "bulk order",
];

/// A CSV file of twelve columns: an id without repeats, dates, names, amounts, short texts.
pub fn rows(file: &Path, rows: u64) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(file)?);
    writeln!(
        out,
        "order_id,order_date,customer,city,country,category,product,quantity,unit_price,amount,status,note"
    )?;
    let mut draw = Draw(0x51_7CC1_B727_220A);
    for i in 0..rows {
        let (quantity, price) = (draw.below(50) + 1, draw.below(20_000));
        let amount = quantity * price;
        writeln!(
            out,
            "ORD-{i:08},{}-{:02}-{:02},Customer {},{} {},Country {},{},Product {:04},{quantity},{}.{:02},{}.{:02},{},{} {}",
            2015 + draw.below(9),
            draw.below(12) + 1,
            draw.below(28) + 1,
            draw.below(200_000),
            draw.of(&CITIES),
            draw.below(100),
            draw.below(190),
            draw.of(&CATEGORIES),
            draw.below(5000),
            price / 100,
            price % 100,
            amount / 100,
            amount % 100,
            draw.of(&STATES),
            draw.of(&NOTES),
            draw.of(&NOTES),
        )?;
    }
    out.flush()?;
    Ok(())
}

/// How many made words there are.
const WORDS: u64 = 20_000;
const SYLLABLES: [&str; 20] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we",
    "xi", "yo", "zu",
];
const HEADERS: [&str; 9] = ["name", "place", "year", "points", "result", "team", "score", "date", "note"];

/// The made word of a number: syllables that spell it.
fn word(mut number: u64) -> String {
    let mut text = String::new();
    for _ in 0..4 {
        text.push_str(SYLLABLES[(number % 20) as usize]);
        number /= 20;
    }
    text
}

/// One cell: a number, or one or two words.
fn cell(draw: &mut Draw) -> String {
    match draw.below(3) {
        0 => draw.below(10_000).to_string(),
        1 => draw.word(),
        _ => format!("{} {}", draw.word(), draw.word()),
    }
}

/// JSON lines of small tables, three to six columns and five to fifteen rows each; the queries are words of some of
/// them, at most two thousand.
pub fn tables(file: &Path, tables: u64) -> Result<Vec<String>> {
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(file)?);
    let mut draw = Draw(0x2545_F491_4F6C_DD1D);
    let (mut queries, every) = (Vec::new(), tables.div_ceil(2000).max(1));
    for i in 0..tables {
        let title = format!("{} {} {}", draw.word(), draw.word(), draw.word());
        let (width, height) = (3 + draw.below(4) as usize, 5 + draw.below(11));
        let header: Vec<&str> = HEADERS.iter().copied().cycle().skip((i % 9) as usize).take(width).collect();
        let body: Vec<Vec<String>> =
            (0..height).map(|_| (0..width).map(|_| cell(&mut draw)).collect()).collect();
        if i % every == 0 {
            queries.push(format!("{title} {}", body[0][0]));
        }
        let line = json!({"id": format!("made-{i}"), "title": title, "header": header, "rows": body});
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(queries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_files_are_the_same_every_time() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("1"), dir.path().join("2"));
        let queries = tables(&one, 20).unwrap();
        assert_eq!(queries, tables(&two, 20).unwrap());
        assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&two).unwrap());
        assert_eq!(queries.len(), 20);
        rows(&one, 3).unwrap();
        assert_eq!(std::fs::read_to_string(&one).unwrap().lines().count(), 4);
    }
}

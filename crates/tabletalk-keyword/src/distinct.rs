//! The distinct values of a column, counted in bounded memory.
//!
//! Values are counted in a hash table; when that grows past its share it is sorted and spilled to a
//! temporary file, and the runs are merged at the end. Most columns never spill.

mod texts;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use tabletalk_core::{Cells, Error, Kind, Result, value};
use texts::{NEAR_UNIQUE, Prefix, Tally, Texts, prefix};

/// How many of a spilled column's values come in order of frequency; the rest come in order of value.
const FREQUENT: usize = 10_000;

/// A distinct value of a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Distinct {
    /// As it was written, where it was first met.
    pub text: String,
    /// In how many rows it stands.
    pub count: u64,
    /// The first row it stands in, as a position in the table from 0.
    pub first: u64,
}

/// Counts the distinct values of one column.
pub struct Counter {
    kind: Kind,
    numbers: Numbers,
    texts: Texts,
    runs: Vec<File>,
    share: usize,
    room: usize,
    low: u64,
    high: u64,
    filled: u64,
}

/// The first byte of a key says what follows: a typed value in an order-keeping form, or text.
const VALUE: u8 = 0;

/// More runs are joined to one, since each is an open file.
const MOST_RUNS: usize = 24;

impl Counter {
    /// A counter for a column of this kind that may hold `share` distinct values in memory.
    pub fn new(kind: Kind, share: usize) -> Self {
        Counter {
            kind,
            numbers: Numbers::default(),
            texts: Texts::default(),
            runs: Vec::new(),
            share: share.max(256),
            // Long texts fill memory before there are many of them.
            room: (share * 64).clamp(1 << 20, 64 << 20),
            low: u64::MAX,
            high: 0,
            filled: 0,
        }
    }

    /// Counts the cells of one batch whose first row is row `base` of the table.
    pub fn add(&mut self, cells: &Cells, base: u64) -> Result<()> {
        let words = (self.kind == Kind::Text).then(|| cells.value.as_string::<i32>());
        let numbers = ordered(&cells.value, self.kind);
        self.measure(&cells.value, &numbers);
        for i in 0..cells.value.len() {
            let row = base + i as u64;
            let written = cells.text.as_ref().filter(|t| !t.is_null(i)).map(|t| t.value(i));
            let text = written.or_else(|| words.filter(|w| !w.is_null(i)).map(|w| w.value(i)));
            match text {
                Some(text) => self.texts.count(text.as_bytes(), row),
                None if cells.value.is_null(i) => continue,
                None => match numbers.get(i) {
                    Some(number) => self.numbers.count(*number, row),
                    None => continue,
                },
            }
            self.filled += 1;
            if self.numbers.len() + self.texts.len() >= self.share || self.texts.arena.len() > self.room {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// How many cells were not empty.
    pub fn filled(&self) -> u64 {
        self.filled
    }

    /// The smallest and the largest value of a number or date column, written plainly.
    pub fn range(&self) -> Option<(String, String)> {
        let write = |bound| read_key(&number_key(bound), self.kind);
        (self.kind.is_ordered() && self.low <= self.high).then(|| (write(self.low), write(self.high)))
    }

    fn measure(&mut self, values: &ArrayRef, numbers: &[u64]) {
        if !self.kind.is_ordered() {
            return;
        }
        for (i, &number) in numbers.iter().enumerate() {
            if values.is_valid(i) {
                self.low = self.low.min(number);
                self.high = self.high.max(number);
            }
        }
    }

    /// Writes what is in memory as a sorted run.
    fn spill(&mut self) -> Result<()> {
        let mut file =
            tempfile::tempfile().map_err(|e| Error::io(format!("no room for temporary files: {e}")))?;
        let mut out = BufWriter::with_capacity(1 << 18, &mut file);
        for (number, tally) in self.numbers.drain() {
            write_entry(&mut out, &number_key(number), tally)?;
        }
        self.texts.drain(|key, tally| write_entry(&mut out, key, tally))?;
        out.flush()?;
        drop(out);
        self.runs.push(file);
        if self.runs.len() > MOST_RUNS {
            let joined = join(std::mem::take(&mut self.runs))?;
            self.runs.push(joined);
        }
        Ok(())
    }

    /// Ends the count and hands out the values, the most frequent first.
    pub fn finish(mut self) -> Result<Values> {
        if !self.runs.is_empty() {
            self.spill()?;
            return merge(std::mem::take(&mut self.runs), self.kind);
        }
        let kind = self.kind;
        let mut all: Vec<(Vec<u8>, Tally)> =
            self.numbers.drain().into_iter().map(|(n, tally)| (number_key(n).to_vec(), tally)).collect();
        self.texts.drain(|key, tally| {
            all.push((key.to_vec(), tally));
            Ok(())
        })?;
        all.sort_unstable_by_key(|(_, t)| (Reverse(t.count), t.first));
        let distinct = all.len() as u64;
        let values = all.into_iter().map(move |(key, tally)| Ok(distinct_of(&key, tally, kind)));
        Ok(Values { distinct, values: Box::new(values) })
    }
}

fn distinct_of(key: &[u8], tally: Tally, kind: Kind) -> Distinct {
    Distinct { text: read_key(key, kind), count: tally.count, first: tally.first }
}

/// Typed values, in an order-keeping form.
#[derive(Default)]
struct Numbers {
    known: HashMap<u64, Tally, FxBuildHasher>,
    collected: Vec<(u64, Tally)>,
    cells: usize,
    near_unique: bool,
}

impl Numbers {
    fn len(&self) -> usize {
        self.known.len() + self.collected.len()
    }

    fn count(&mut self, number: u64, row: u64) {
        self.cells += 1;
        if self.near_unique {
            self.collected.push((number, Tally::one(row)));
            return;
        }
        self.known.entry(number).and_modify(|t| t.count += 1).or_insert(Tally::one(row));
    }

    /// All values in order, each once; nothing is left.
    fn drain(&mut self) -> Vec<(u64, Tally)> {
        let mut all = std::mem::take(&mut self.collected);
        all.extend(self.known.drain());
        all.sort_unstable_by_key(|(number, tally)| (*number, tally.first));
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1.join(next.1);
            }
            same
        });
        self.near_unique = all.len() as f64 > NEAR_UNIQUE * self.cells as f64;
        self.cells = 0;
        all
    }
}

fn join(runs: Vec<File>) -> Result<File> {
    let mut merged = Merged::new(runs)?;
    let mut file = tempfile::tempfile()?;
    let mut out = BufWriter::with_capacity(1 << 18, &mut file);
    let mut key = Vec::new();
    while let Some(tally) = merged.next(&mut key)? {
        write_entry(&mut out, &key, tally)?;
    }
    out.flush()?;
    drop(out);
    Ok(file)
}

/// Count, first row and key; the least frequent on top.
type Frequent = Reverse<(u64, Reverse<u64>, Vec<u8>)>;

/// Joins the runs of a spilled column: its most frequent values by frequency, then all others by value.
fn merge(runs: Vec<File>, kind: Kind) -> Result<Values> {
    let mut merged = Merged::new(runs)?;
    let mut file = tempfile::tempfile()?;
    let mut out = BufWriter::with_capacity(1 << 18, &mut file);
    let mut frequent: BinaryHeap<Frequent> = BinaryHeap::new();
    let (mut distinct, mut least) = (0, 1);
    let mut key = Vec::new();
    while let Some(tally) = merged.next(&mut key)? {
        write_entry(&mut out, &key, tally)?;
        distinct += 1;
        if tally.count > least {
            frequent.push(Reverse((tally.count, Reverse(tally.first), key.clone())));
            if frequent.len() > FREQUENT {
                frequent.pop();
                least = frequent.peek().map_or(1, |f| f.0.0);
            }
        }
    }
    out.flush()?;
    drop(out);
    let mut chosen = HashSet::new();
    let mut first: Vec<Distinct> = Vec::new();
    for Reverse((count, Reverse(row), key)) in frequent {
        first.push(distinct_of(&key, Tally { count, first: row }, kind));
        chosen.insert(row);
    }
    first.sort_unstable_by_key(|d| (Reverse(d.count), d.first));
    Ok(Values { distinct, values: Box::new(first.into_iter().map(Ok).chain(rest(file, chosen, kind)?)) })
}

/// The values of a merged file whose first row is not one of the `chosen`.
fn rest(
    file: File,
    chosen: HashSet<u64>,
    kind: Kind,
) -> Result<impl Iterator<Item = Result<Distinct>> + Send> {
    let mut run = Run::new(file)?;
    Ok(std::iter::from_fn(move || {
        loop {
            match run.advance() {
                Ok(true) if chosen.contains(&run.tally.first) => continue,
                Ok(true) => return Some(Ok(distinct_of(&run.key, run.tally, kind))),
                Ok(false) => return None,
                Err(e) => return Some(Err(e)),
            }
        }
    }))
}

/// The distinct values of a column, the most frequent first.
pub struct Values {
    /// How many there are.
    pub distinct: u64,
    values: Box<dyn Iterator<Item = Result<Distinct>> + Send>,
}

impl Values {
    /// These values again, with `first` before those that are left.
    pub fn after(self, first: Vec<Distinct>) -> Values {
        Values { distinct: self.distinct, values: Box::new(first.into_iter().map(Ok).chain(self.values)) }
    }
}

impl Iterator for Values {
    type Item = Result<Distinct>;
    fn next(&mut self) -> Option<Self::Item> {
        self.values.next()
    }
}

/// Typed values as numbers whose order is that of the values; nothing for texts.
fn ordered(values: &ArrayRef, kind: Kind) -> Vec<u64> {
    const SIGN: u64 = 1 << 63;
    let signed = |n: i64| n as u64 ^ SIGN;
    match kind {
        Kind::Integer => values.as_primitive::<Int64Type>().values().iter().map(|n| signed(*n)).collect(),
        Kind::Date => {
            values.as_primitive::<Date32Type>().values().iter().map(|n| signed((*n).into())).collect()
        }
        Kind::DateTime => {
            values.as_primitive::<TimestampMicrosecondType>().values().iter().map(|n| signed(*n)).collect()
        }
        Kind::Boolean => values.as_boolean().values().iter().map(u64::from).collect(),
        Kind::Decimal => values.as_primitive::<Float64Type>().values().iter().map(|n| decimal(*n)).collect(),
        Kind::Text => Vec::new(),
    }
}

fn decimal(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
}

/// The text of a key: what was written, or the value written plainly.
fn read_key(key: &[u8], kind: Kind) -> String {
    const SIGN: u64 = 1 << 63;
    let Some((&VALUE, bytes)) = key.split_first() else {
        return String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned();
    };
    let n = u64::from_be_bytes(bytes.try_into().unwrap_or_default());
    match kind {
        Kind::Integer => ((n ^ SIGN) as i64).to_string(),
        Kind::Date => value::plain_date((n ^ SIGN) as i64 as i32),
        Kind::DateTime => value::plain_datetime((n ^ SIGN) as i64),
        Kind::Boolean => if n == 1 { "true" } else { "false" }.to_owned(),
        Kind::Decimal => value::plain_decimal(f64::from_bits(if n & SIGN != 0 { n ^ SIGN } else { !n })),
        Kind::Text => String::new(),
    }
}

fn number_key(number: u64) -> [u8; 9] {
    let mut key = [VALUE; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

fn write_entry(out: &mut impl Write, key: &[u8], tally: Tally) -> Result<()> {
    out.write_all(&(key.len() as u32).to_le_bytes())?;
    out.write_all(key)?;
    out.write_all(&tally.count.to_le_bytes())?;
    out.write_all(&tally.first.to_le_bytes())?;
    Ok(())
}

/// A sorted run of entries on disk, and the entry it stands at.
struct Run {
    input: BufReader<File>,
    key: Vec<u8>,
    prefix: Prefix,
    tally: Tally,
}

impl Run {
    fn new(mut file: File) -> Result<Self> {
        file.rewind()?;
        let input = BufReader::with_capacity(1 << 17, file);
        Ok(Run { input, key: Vec::new(), prefix: (0, 0), tally: Tally::one(0) })
    }

    /// Goes to the next entry; false after the last.
    fn advance(&mut self) -> Result<bool> {
        let mut len = [0; 4];
        match self.input.read_exact(&mut len) {
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        self.key.resize(u32::from_le_bytes(len) as usize, 0);
        self.input.read_exact(&mut self.key)?;
        let mut numbers = [0; 16];
        self.input.read_exact(&mut numbers)?;
        let (count, first) = numbers.split_at(8);
        let read = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        self.tally = Tally { count: read(count), first: read(first) };
        self.prefix = prefix(&self.key);
        Ok(true)
    }
}

/// The entries of several runs in order, equal keys joined.
struct Merged {
    runs: Vec<Run>,
}

impl Merged {
    fn new(files: Vec<File>) -> Result<Self> {
        let mut runs = Vec::new();
        for file in files {
            let mut run = Run::new(file)?;
            if run.advance()? {
                runs.push(run);
            }
        }
        Ok(Merged { runs })
    }

    /// The next entry, its key written to `key`. There are few runs, so looking at each is quickest.
    fn next(&mut self, key: &mut Vec<u8>) -> Result<Option<Tally>> {
        let order = |a: &&Run, b: &&Run| a.prefix.cmp(&b.prefix).then_with(|| a.key.cmp(&b.key));
        let Some(least) = self.runs.iter().min_by(order) else { return Ok(None) };
        key.clear();
        key.extend_from_slice(&least.key);
        let (prefix, mut joined) = (least.prefix, Tally { count: 0, first: u64::MAX });
        let mut i = 0;
        while i < self.runs.len() {
            let run = &mut self.runs[i];
            if run.prefix != prefix || run.key != *key {
                i += 1;
                continue;
            }
            joined.join(run.tally);
            if run.advance()? {
                i += 1;
            } else {
                self.runs.swap_remove(i);
            }
        }
        Ok(Some(joined))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringArray};
    use std::sync::Arc;

    fn texts(values: &[&str]) -> Cells {
        Cells { value: Arc::new(StringArray::from(values.to_vec())), text: None }
    }

    #[test]
    fn counts_the_most_frequent_first() {
        let mut counter = Counter::new(Kind::Text, 1000);
        counter.add(&texts(&["b", "a", "b"]), 0).unwrap();
        let values: Vec<Distinct> = counter.finish().unwrap().map(Result::unwrap).collect();
        assert_eq!(values[0], Distinct { text: "b".into(), count: 2, first: 0 });
        assert_eq!(values[1].text, "a");
    }

    #[test]
    fn spilling_changes_nothing_but_the_order_of_rare_values() {
        let numbers: Vec<i64> = (0..5000).map(|i| (i * 7919) % 1500 - 700).collect();
        let cells = Cells { value: Arc::new(Int64Array::from(numbers.clone())), text: None };
        let mut counter = Counter::new(Kind::Integer, 256);
        counter.add(&cells, 0).unwrap();
        assert!(counter.runs.len() > 3);
        assert_eq!(counter.range(), Some(("-700".into(), "799".into())));
        let values = counter.finish().unwrap();
        assert_eq!(values.distinct, 1500);
        let values: Vec<Distinct> = values.map(Result::unwrap).collect();
        assert_eq!(values.len(), 1500);
        assert_eq!(values.iter().map(|v| v.count).sum::<u64>(), 5000);
        for v in values {
            assert_eq!(numbers[v.first as usize].to_string(), v.text);
        }
    }

    #[test]
    fn many_runs_are_joined_and_large_numbers_stay_exact() {
        let numbers: Vec<i64> = (0..20_000).map(|i| 9_007_199_254_740_993 + (i * 7919) % 20_000).collect();
        let cells = Cells { value: Arc::new(Int64Array::from(numbers)), text: None };
        let mut counter = Counter::new(Kind::Integer, 256);
        counter.add(&cells, 0).unwrap();
        assert!(counter.runs.len() <= MOST_RUNS);
        let range = counter.range().unwrap();
        assert_eq!(range, ("9007199254740993".into(), "9007199254760992".into()));
        assert_eq!(counter.finish().unwrap().count(), 20_000);
    }

    #[test]
    fn keeps_the_written_form_and_skips_empty_cells() {
        let cells = Cells {
            value: Arc::new(Int64Array::from(vec![Some(1200), None, None])),
            text: Some(StringArray::from(vec![Some("1,200"), Some("n/a"), None])),
        };
        let mut counter = Counter::new(Kind::Integer, 1000);
        counter.add(&cells, 0).unwrap();
        assert_eq!(counter.filled(), 2);
        let values: Vec<String> = counter.finish().unwrap().map(|v| v.unwrap().text).collect();
        assert_eq!(values, ["1,200", "n/a"]);
    }
}

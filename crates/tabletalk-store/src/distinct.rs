//! The distinct values of a column, counted in bounded memory.
//!
//! Values are counted in a hash table; when that grows past its share it is sorted and spilled to a
//! temporary file, and the runs are merged at the end. Most columns never spill.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use tabletalk_core::{Cells, Error, Kind, Result, value};

/// How many of a spilled column's values come in order of frequency; the rest come in order of value.
const FREQUENT: usize = 10_000;

/// A distinct value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinct {
    /// As it was written, where it was first met.
    pub text: String,
    /// In how many rows it stands.
    pub count: u64,
    /// The first row it stands in, as a position in the table from 0.
    pub first: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    start: u32,
    len: u32,
    count: u64,
    first: u64,
}

/// Counts the distinct values of one column.
pub struct Counter {
    kind: Kind,
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    slots: Vec<Slot>,
    arena: Vec<u8>,
    runs: Vec<File>,
    share: usize,
    low: Option<f64>,
    high: Option<f64>,
    filled: u64,
}

/// The first byte of a key says what follows: a typed value in an order-keeping form, or text.
const VALUE: u8 = 0;
const TEXT: u8 = 1;

impl Counter {
    /// A counter for a column of this kind that may hold `share` distinct values in memory.
    pub fn new(kind: Kind, share: usize) -> Self {
        Counter {
            kind,
            hasher: DefaultHashBuilder::default(),
            table: HashTable::new(),
            slots: Vec::new(),
            arena: Vec::new(),
            runs: Vec::new(),
            share: share.max(256),
            low: None,
            high: None,
            filled: 0,
        }
    }

    /// Counts the cells of one batch whose first row is row `base` of the table.
    pub fn add(&mut self, cells: &Cells, base: u64) -> Result<()> {
        self.measure(&cells.value);
        let mut key = Vec::with_capacity(64);
        for i in 0..cells.value.len() {
            key.clear();
            if !write_key(&mut key, cells, self.kind, i) {
                continue;
            }
            self.filled += 1;
            self.count(&key, 1, base + i as u64);
            if self.slots.len() >= self.share || self.arena.len() > 64 << 20 {
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
        Some((self.write_bound(self.low?), self.write_bound(self.high?)))
    }

    fn write_bound(&self, v: f64) -> String {
        match self.kind {
            Kind::Integer => format!("{}", v as i64),
            Kind::Date => value::plain_date(v as i32),
            Kind::DateTime => value::plain_datetime(v as i64),
            _ => value::plain_decimal(v),
        }
    }

    fn measure(&mut self, values: &ArrayRef) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut see = |v: f64| {
            low = low.min(v);
            high = high.max(v);
        };
        match self.kind {
            Kind::Integer => values.as_primitive::<Int64Type>().iter().flatten().for_each(|v| see(v as f64)),
            Kind::Decimal => values.as_primitive::<Float64Type>().iter().flatten().for_each(see),
            Kind::Date => values.as_primitive::<Date32Type>().iter().flatten().for_each(|v| see(v as f64)),
            Kind::DateTime => {
                values.as_primitive::<TimestampMicrosecondType>().iter().flatten().for_each(|v| see(v as f64));
            }
            Kind::Boolean | Kind::Text => {}
        }
        if low <= high {
            self.low = Some(self.low.map_or(low, |l| l.min(low)));
            self.high = Some(self.high.map_or(high, |h| h.max(high)));
        }
    }

    fn count(&mut self, key: &[u8], count: u64, first: u64) {
        let hash = self.hasher.hash_one(key);
        let (slots, arena) = (&self.slots, &self.arena);
        if let Some(&at) = self.table.find(hash, |&at| key_of(&slots[at as usize], arena) == key) {
            let slot = &mut self.slots[at as usize];
            slot.count += count;
            slot.first = slot.first.min(first);
            return;
        }
        let slot = Slot { start: self.arena.len() as u32, len: key.len() as u32, count, first };
        let at = self.slots.len() as u32;
        self.arena.extend_from_slice(key);
        self.slots.push(slot);
        let (slots, arena, hasher) = (&self.slots, &self.arena, &self.hasher);
        self.table.insert_unique(hash, at, |&at| hasher.hash_one(key_of(&slots[at as usize], arena)));
    }

    fn spill(&mut self) -> Result<()> {
        let mut file = tempfile::tempfile().map_err(|e| Error::io(format!("no room for temporary files: {e}")))?;
        let mut order: Vec<(u64, u32)> =
            self.slots.iter().enumerate().map(|(i, s)| (prefix(key_of(s, &self.arena)), i as u32)).collect();
        let (slots, arena) = (&self.slots, &self.arena);
        order.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| key_of(&slots[a.1 as usize], arena).cmp(key_of(&slots[b.1 as usize], arena)))
        });
        let mut out = BufWriter::with_capacity(1 << 18, &mut file);
        for (_, i) in order {
            let s = &self.slots[i as usize];
            write_entry(&mut out, key_of(s, &self.arena), s.count, s.first)?;
        }
        out.flush()?;
        drop(out);
        file.rewind()?;
        self.runs.push(file);
        self.table.clear();
        self.slots.clear();
        self.arena.clear();
        Ok(())
    }

    /// Ends the count and hands out the values, the most frequent first.
    pub fn finish(mut self) -> Result<Values> {
        if !self.runs.is_empty() {
            return self.merge();
        }
        let Counter { kind, mut slots, arena, .. } = self;
        slots.sort_unstable_by_key(|s| (Reverse(s.count), s.first));
        let distinct = slots.len() as u64;
        let values = slots.into_iter().map(move |s| {
            Ok(Distinct { text: read_key(key_of(&s, &arena), kind), count: s.count, first: s.first })
        });
        Ok(Values { distinct, values: Box::new(values) })
    }

    fn merge(&mut self) -> Result<Values> {
        self.spill()?;
        self.table = HashTable::new();
        self.slots = Vec::new();
        self.arena = Vec::new();
        let mut merged = Merged::new(std::mem::take(&mut self.runs))?;
        let mut file = tempfile::tempfile()?;
        let mut out = BufWriter::with_capacity(1 << 18, &mut file);
        let mut frequent: BinaryHeap<Reverse<(u64, Reverse<u64>)>> = BinaryHeap::new();
        let mut distinct = 0;
        while let Some((key, count, first)) = merged.next()? {
            write_entry(&mut out, &key, count, first)?;
            distinct += 1;
            if count > 1 {
                frequent.push(Reverse((count, Reverse(first))));
                if frequent.len() > FREQUENT {
                    frequent.pop();
                }
            }
        }
        out.flush()?;
        drop(out);
        file.rewind()?;
        let chosen: HashSet<u64> = frequent.into_iter().map(|Reverse((_, Reverse(first)))| first).collect();
        spilled_values(file, self.kind, &chosen, distinct)
    }
}

/// Values of a spilled column: those first met in the `chosen` rows by frequency, then all others by value.
fn spilled_values(mut file: File, kind: Kind, chosen: &HashSet<u64>, distinct: u64) -> Result<Values> {
    let mut frequent = Vec::new();
    let mut reader = Run::new(file.try_clone()?)?;
    while let Some((key, count, first)) = reader.next()? {
        if chosen.contains(&first) {
            frequent.push(Distinct { text: read_key(&key, kind), count, first });
        }
    }
    frequent.sort_unstable_by_key(|d| (Reverse(d.count), d.first));
    file.rewind()?;
    let mut rest = Run::new(file)?;
    let chosen = chosen.clone();
    let rest = std::iter::from_fn(move || loop {
        match rest.next() {
            Ok(Some((_, _, first))) if chosen.contains(&first) => continue,
            Ok(Some((key, count, first))) => {
                return Some(Ok(Distinct { text: read_key(&key, kind), count, first }));
            }
            Ok(None) => return None,
            Err(e) => return Some(Err(e)),
        }
    });
    Ok(Values { distinct, values: Box::new(frequent.into_iter().map(Ok).chain(rest)) })
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

fn key_of<'a>(slot: &Slot, arena: &'a [u8]) -> &'a [u8] {
    &arena[slot.start as usize..(slot.start + slot.len) as usize]
}

/// The first eight bytes as a number, so that most comparisons of a sort need no memory access.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let n = key.len().min(8);
    bytes[..n].copy_from_slice(&key[..n]);
    u64::from_be_bytes(bytes)
}

/// Writes the key of a cell; false for an empty one.
fn write_key(key: &mut Vec<u8>, cells: &Cells, kind: Kind, i: usize) -> bool {
    if let Some(text) = cells.text.as_ref().filter(|t| !t.is_null(i)) {
        key.push(TEXT);
        key.extend_from_slice(text.value(i).as_bytes());
        return true;
    }
    if cells.value.is_null(i) {
        return false;
    }
    if kind == Kind::Text {
        key.push(TEXT);
        key.extend_from_slice(cells.value.as_string::<i32>().value(i).as_bytes());
        return true;
    }
    key.push(VALUE);
    key.extend_from_slice(&ordered(&cells.value, kind, i).to_be_bytes());
    true
}

/// A typed value as a number whose order is that of the values.
fn ordered(values: &ArrayRef, kind: Kind, i: usize) -> u64 {
    const SIGN: u64 = 1 << 63;
    match kind {
        Kind::Integer => values.as_primitive::<Int64Type>().value(i) as u64 ^ SIGN,
        Kind::Date => values.as_primitive::<Date32Type>().value(i) as i64 as u64 ^ SIGN,
        Kind::DateTime => values.as_primitive::<TimestampMicrosecondType>().value(i) as u64 ^ SIGN,
        Kind::Boolean => values.as_boolean().value(i) as u64,
        Kind::Decimal => {
            let bits = values.as_primitive::<Float64Type>().value(i).to_bits();
            if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
        }
        Kind::Text => 0,
    }
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

fn write_entry(out: &mut impl Write, key: &[u8], count: u64, first: u64) -> Result<()> {
    out.write_all(&(key.len() as u32).to_le_bytes())?;
    out.write_all(key)?;
    out.write_all(&count.to_le_bytes())?;
    out.write_all(&first.to_le_bytes())?;
    Ok(())
}

/// A sorted run of entries on disk.
struct Run {
    input: BufReader<File>,
}

type RunEntry = (Vec<u8>, u64, u64);

impl Run {
    fn new(file: File) -> Result<Self> {
        let mut file = file;
        file.rewind()?;
        Ok(Run { input: BufReader::with_capacity(1 << 17, file) })
    }

    fn next(&mut self) -> Result<Option<RunEntry>> {
        let mut len = [0; 4];
        match self.input.read_exact(&mut len) {
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let mut key = vec![0; u32::from_le_bytes(len) as usize];
        let mut number = [0; 8];
        self.input.read_exact(&mut key)?;
        self.input.read_exact(&mut number)?;
        let count = u64::from_le_bytes(number);
        self.input.read_exact(&mut number)?;
        Ok(Some((key, count, u64::from_le_bytes(number))))
    }
}

/// The entries of several runs in order, equal keys joined.
struct Merged {
    runs: Vec<Run>,
    heads: BinaryHeap<Reverse<(Vec<u8>, usize, u64, u64)>>,
}

impl Merged {
    fn new(files: Vec<File>) -> Result<Self> {
        let mut merged = Merged { runs: Vec::new(), heads: BinaryHeap::new() };
        for file in files {
            merged.runs.push(Run::new(file)?);
        }
        for i in 0..merged.runs.len() {
            merged.refill(i)?;
        }
        Ok(merged)
    }

    fn refill(&mut self, run: usize) -> Result<()> {
        if let Some((key, count, first)) = self.runs[run].next()? {
            self.heads.push(Reverse((key, run, count, first)));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RunEntry>> {
        let Some(Reverse((key, run, mut count, mut first))) = self.heads.pop() else { return Ok(None) };
        self.refill(run)?;
        while self.heads.peek().is_some_and(|Reverse(head)| head.0 == key) {
            if let Some(Reverse((_, run, c, f))) = self.heads.pop() {
                count += c;
                first = first.min(f);
                self.refill(run)?;
            }
        }
        Ok(Some((key, count, first)))
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

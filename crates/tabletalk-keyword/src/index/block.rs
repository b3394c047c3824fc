//! Distinct values of a column, some dozens to one entry of the index.
//!
//! An entry for every value would cost ten times as much to make; so the index finds blocks, and the
//! values inside the few best blocks are scored one by one.

use super::schema::SEPARATOR;
use crate::distinct::Distinct;

/// Values to a block.
pub const SIZE: usize = 64;

/// A block of distinct values of one column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// The rank of the first value among those of its column, the most frequent being 0.
    pub start: u64,
    /// The values.
    pub values: Vec<Distinct>,
}

impl Block {
    /// The texts as one field of the index.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.values.len() * 16);
        for (i, v) in self.values.iter().enumerate() {
            if i > 0 {
                text.push(SEPARATOR);
            }
            text.push_str(&v.text);
        }
        text
    }

    /// The bytes kept beside the entry.
    pub fn pack(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.values.len() * 20);
        varint(&mut out, self.start);
        self.values.iter().for_each(|v| write_value(&mut out, v));
        out
    }

    /// Reads what [`Block::pack`] wrote; a damaged end is dropped.
    pub fn unpack(mut bytes: &[u8]) -> Block {
        let mut block = Block { start: read_varint(&mut bytes).unwrap_or(0), values: Vec::new() };
        while let Some(value) = read_value(&mut bytes) {
            block.values.push(value);
        }
        block
    }
}

/// A column of a small table. All of them stand beside the table's own entry, which takes the place of
/// blocks: the values of a small table are quickly looked through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Held {
    /// The number of the column, from 0.
    pub col: usize,
    /// Its name, as it is searched.
    pub name: String,
    /// Whether it has a range to speak of.
    pub ranged: bool,
    /// Its values, the most frequent first.
    pub values: Vec<Distinct>,
}

impl Held {
    /// The bytes kept beside the entry.
    pub fn pack(columns: &[Held]) -> Vec<u8> {
        let mut out = Vec::with_capacity(columns.iter().map(|c| 32 + c.values.len() * 20).sum());
        for column in columns {
            varint(&mut out, (column.col as u64) << 1 | u64::from(column.ranged));
            text(&mut out, &column.name);
            varint(&mut out, column.values.len() as u64);
            column.values.iter().for_each(|v| write_value(&mut out, v));
        }
        out
    }

    /// Reads what [`Held::pack`] wrote; a damaged end is dropped.
    pub fn unpack(mut bytes: &[u8]) -> Vec<Held> {
        std::iter::from_fn(|| read_held(&mut bytes)).collect()
    }
}

fn read_held(bytes: &mut &[u8]) -> Option<Held> {
    let col = read_varint(bytes)?;
    let name = read_text(bytes)?;
    let count = read_varint(bytes)?;
    let values = (0..count).map_while(|_| read_value(bytes)).collect();
    Some(Held { col: (col >> 1) as usize, name, ranged: col & 1 == 1, values })
}

fn text(out: &mut Vec<u8>, text: &str) {
    varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn read_text(bytes: &mut &[u8]) -> Option<String> {
    let len = read_varint(bytes)? as usize;
    let text = String::from_utf8_lossy(bytes.get(..len)?).into_owned();
    *bytes = &bytes[len..];
    Some(text)
}

fn write_value(out: &mut Vec<u8>, value: &Distinct) {
    text(out, &value.text);
    varint(out, value.count);
    varint(out, value.first);
}

fn read_value(bytes: &mut &[u8]) -> Option<Distinct> {
    Some(Distinct { text: read_text(bytes)?, count: read_varint(bytes)?, first: read_varint(bytes)? })
}

fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut n = 0u64;
    for shift in (0..64).step_by(7) {
        let (&b, rest) = bytes.split_first()?;
        *bytes = rest;
        n |= u64::from(b & 0x7f) << shift;
        if b < 0x80 {
            return Some(n);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_was_packed() {
        let value = |text: &str, count| Distinct { text: text.into(), count, first: count * 300 };
        let block = Block { start: 640, values: vec![value("北京", 1), value("", 70_000), value("x", 3)] };
        assert_eq!(Block::unpack(&block.pack()), block);
        assert!(Block::unpack(&[5, 200]).values.is_empty());
        let held = [
            Held { col: 7, name: "city".into(), ranged: false, values: block.values },
            Held { col: 8, ranged: true, ..Held::default() },
        ];
        let packed = Held::pack(&held);
        assert_eq!(Held::unpack(&packed), held);
        assert_eq!(Held::unpack(&packed[..9])[0].values, []);
    }
}

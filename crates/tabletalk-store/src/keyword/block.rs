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
        for v in &self.values {
            varint(&mut out, v.text.len() as u64);
            out.extend_from_slice(v.text.as_bytes());
            varint(&mut out, v.count);
            varint(&mut out, v.first);
        }
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

fn read_value(bytes: &mut &[u8]) -> Option<Distinct> {
    let len = read_varint(bytes)? as usize;
    let text = String::from_utf8_lossy(bytes.get(..len)?).into_owned();
    *bytes = &bytes[len..];
    Some(Distinct { text, count: read_varint(bytes)?, first: read_varint(bytes)? })
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
    }
}

//! The texts of a column, counted.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use tabletalk_core::Result;

pub(super) const TEXT: u8 = 1;
/// When more than this share of the cells of a run were distinct, looking each one up does not pay: cells
/// are collected as they come, and equal ones joined when the run is sorted.
pub(super) const NEAR_UNIQUE: f64 = 0.7;

/// How often a value stands, and where first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) first: u64,
}

impl Tally {
    pub(super) fn one(row: u64) -> Self {
        Tally { count: 1, first: row }
    }

    pub(super) fn join(&mut self, other: Tally) {
        self.count += other.count;
        self.first = self.first.min(other.first);
    }
}

/// A text: its first sixteen bytes, so that short texts are compared without a look at the buffer, and where
/// it stands there.
#[derive(Clone, Copy)]
struct Slot {
    prefix: Prefix,
    start: u32,
    len: u32,
    tally: Tally,
}

/// Texts, end to end in one buffer.
#[derive(Default)]
pub(super) struct Texts {
    hasher: DefaultHashBuilder,
    known: HashTable<Slot>,
    collected: Vec<Slot>,
    pub(super) arena: Vec<u8>,
    cells: usize,
    near_unique: bool,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.known.len() + self.collected.len()
    }

    pub(super) fn count(&mut self, text: &[u8], row: u64) {
        self.cells += 1;
        let prefix = prefix(text);
        if self.near_unique {
            let slot = self.slot(text, prefix, row);
            return self.collected.push(slot);
        }
        let hash = hash(&self.hasher, text, prefix);
        let arena = &self.arena;
        let same = |slot: &Slot| {
            slot.prefix == prefix
                && slot.len as usize == text.len()
                && (text.len() <= PREFIX || text_of(slot, arena) == text)
        };
        if let Some(slot) = self.known.find_mut(hash, same) {
            slot.tally.count += 1;
            return;
        }
        let slot = self.slot(text, prefix, row);
        let (arena, hasher) = (&self.arena, &self.hasher);
        self.known.insert_unique(hash, slot, |slot| self::hash(hasher, text_of(slot, arena), slot.prefix));
    }

    fn slot(&mut self, text: &[u8], prefix: Prefix, row: u64) -> Slot {
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(text);
        Slot { prefix, start, len: text.len() as u32, tally: Tally::one(row) }
    }

    /// Hands out all texts in order, each once, as keys; nothing is left.
    pub(super) fn drain(&mut self, mut each: impl FnMut(&[u8], Tally) -> Result<()>) -> Result<()> {
        let mut slots = std::mem::take(&mut self.collected);
        slots.extend(std::mem::take(&mut self.known));
        let arena = std::mem::take(&mut self.arena);
        let text = |slot: &Slot| text_of(slot, &arena);
        slots.sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| text(a).cmp(text(b))));
        let (mut key, mut distinct) = (vec![TEXT], 0);
        for same in slots.chunk_by(|a, b| a.prefix == b.prefix && text(a) == text(b)) {
            let Some((first, more)) = same.split_first() else { continue };
            let mut tally = first.tally;
            more.iter().for_each(|slot| tally.join(slot.tally));
            key.truncate(1);
            key.extend_from_slice(text(first));
            each(&key, tally)?;
            distinct += 1;
        }
        self.near_unique = f64::from(distinct) > NEAR_UNIQUE * self.cells as f64;
        self.cells = 0;
        Ok(())
    }
}

fn text_of<'a>(slot: &Slot, arena: &'a [u8]) -> &'a [u8] {
    &arena[slot.start as usize..(slot.start + slot.len) as usize]
}

/// Bytes of a text that stand in its slot.
const PREFIX: usize = 16;

/// The first sixteen bytes as two numbers whose order is that of the bytes.
pub(super) type Prefix = (u64, u64);

pub(super) fn prefix(text: &[u8]) -> Prefix {
    match text.split_first_chunk::<8>() {
        None => (up_to_eight(text), 0),
        Some((first, rest)) => {
            let rest = match (text.len() >= PREFIX, text.last_chunk::<8>()) {
                (true, _) => rest.first_chunk::<8>().map_or(0, |b| u64::from_be_bytes(*b)),
                // The last eight bytes, those that are among the first eight pushed out.
                (false, Some(last)) if !rest.is_empty() => {
                    u64::from_be_bytes(*last) << (8 * (PREFIX - text.len()))
                }
                _ => 0,
            };
            (u64::from_be_bytes(*first), rest)
        }
    }
}

/// Fewer than eight bytes as a number, zeros behind them. Without a copy of unknown length, which is slow.
fn up_to_eight(text: &[u8]) -> u64 {
    match (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_be_bytes(*last)) << (8 * (8 - text.len()));
            u64::from(u32::from_be_bytes(*first)) << 32 | last & 0xffff_ffff
        }
        _ => text.iter().enumerate().fold(0, |n, (i, b)| n | u64::from(*b) << (56 - 8 * i)),
    }
}

/// A short text is its prefix, whose hash costs next to nothing.
fn hash(hasher: &DefaultHashBuilder, text: &[u8], prefix: Prefix) -> u64 {
    match text.len() <= PREFIX {
        true => hasher.hash_one((prefix.0, prefix.1 ^ text.len() as u64)),
        false => hasher.hash_one(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn prefixes_are_the_first_bytes_in_order(text: Vec<u8>) {
            let mut bytes = [0; PREFIX];
            let len = text.len().min(PREFIX);
            bytes[..len].copy_from_slice(&text[..len]);
            let (high, low) = prefix(&text);
            proptest::prop_assert_eq!(u128::from(high) << 64 | u128::from(low), u128::from_be_bytes(bytes));
        }
    }
}

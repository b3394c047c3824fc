//! A set of row numbers, and the aggregate that gathers one.

use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::types::UInt64Type;
use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use std::sync::{Arc, LazyLock};

/// Above so many numbers a bit for each row takes less room.
const MANY: usize = 1 << 16;

/// Rows beyond are kept as numbers: a bit for each row before them would take too much room.
const FARTHEST: u64 = 1 << 32;

#[derive(Debug, Default, Clone)]
pub(crate) struct RowSet {
    list: Vec<u64>,
    /// How long the list was when it was last without repeats.
    distinct: usize,
    bits: Vec<u64>,
}

impl RowSet {
    pub(crate) fn insert(&mut self, row: u64) {
        let (word, bit) = ((row / 64) as usize, row % 64);
        match self.bits.get_mut(word) {
            Some(bits) => *bits |= 1 << bit,
            None => self.push(row),
        }
    }

    fn push(&mut self, row: u64) {
        // Rows mostly come in order: a repeat is often the last one again.
        if self.list.last() == Some(&row) {
            return;
        }
        self.list.push(row);
        if self.list.len() >= (2 * self.distinct).max(MANY) {
            self.compact();
        }
    }

    /// Takes repeats out, and puts what is near into bits.
    fn compact(&mut self) {
        self.list.sort_unstable();
        self.list.dedup();
        if self.list.len() >= MANY / 2 {
            let near = self.list.partition_point(|r| *r < FARTHEST);
            let far = self.list.split_off(near);
            let words = self.list.last().map_or(0, |r| (r / 64) as usize + 1);
            if self.bits.len() < words {
                // Room for as much again, so that rows in order do not come here each time.
                self.bits.resize(words * 2, 0);
            }
            for row in std::mem::replace(&mut self.list, far) {
                self.insert(row);
            }
        }
        self.distinct = self.list.len();
    }

    /// The rows in ascending order.
    pub(crate) fn iter(&mut self) -> impl Iterator<Item = u64> + '_ {
        self.list.sort_unstable();
        self.list.dedup();
        // The bits may reach further than the first numbers of the list.
        let bits = self.bits.iter().enumerate().flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u64 * 64 + bit)
        });
        merge(bits, self.list.iter().copied())
    }

    /// How many rows there are.
    pub(crate) fn len(&mut self) -> u64 {
        self.list.sort_unstable();
        self.list.dedup();
        let in_bits = |row: &&u64| {
            let word = self.bits.get((**row / 64) as usize).copied().unwrap_or(0);
            word >> (**row % 64) & 1 == 1
        };
        let twice = self.list.iter().filter(in_bits).count();
        let bits: u64 = self.bits.iter().map(|w| u64::from(w.count_ones())).sum();
        bits + (self.list.len() - twice) as u64
    }

    /// Adds the rows of another set.
    pub(crate) fn merge(&mut self, other: &RowSet) {
        self.merge_bits(other.bits.iter().copied(), other.bits.len());
        for row in &other.list {
            self.insert(*row);
        }
    }

    fn bytes(&self) -> usize {
        (self.list.capacity() + self.bits.capacity()) * 8
    }

    /// Adds the rows of a column: numbers, or sets in the form of [`RowSet::encode`].
    pub(crate) fn add(&mut self, array: &ArrayRef, rows: usize) {
        match array.data_type() {
            DataType::UInt64 => {
                for row in array.as_primitive::<UInt64Type>().iter().take(rows).flatten() {
                    self.insert(row);
                }
            }
            DataType::Binary => {
                for set in array.as_binary::<i32>().iter().take(rows).flatten() {
                    self.decode(set);
                }
            }
            _ => {}
        }
    }

    /// The number of words of bits, the words, and the numbers of the list.
    fn encode(&self) -> Vec<u8> {
        let words = [self.bits.len() as u64];
        words.iter().chain(&self.bits).chain(&self.list).flat_map(|n| n.to_le_bytes()).collect()
    }

    fn decode(&mut self, bytes: &[u8]) {
        let mut numbers = bytes.chunks_exact(8).filter_map(|n| n.try_into().ok()).map(u64::from_le_bytes);
        let words = numbers.next().unwrap_or(0) as usize;
        self.merge_bits(numbers.by_ref().take(words), words);
        for row in numbers {
            self.insert(row);
        }
    }

    fn merge_bits(&mut self, bits: impl Iterator<Item = u64>, words: usize) {
        if self.bits.len() < words {
            self.bits.resize(words, 0);
        }
        for (mine, theirs) in self.bits.iter_mut().zip(bits) {
            *mine |= theirs;
        }
    }
}

fn merge(a: impl Iterator<Item = u64>, b: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    std::iter::from_fn(move || match (a.peek().copied(), b.peek().copied()) {
        (Some(x), Some(y)) if x == y => {
            b.next();
            a.next()
        }
        (Some(x), Some(y)) if x > y => b.next(),
        (None, _) => b.next(),
        _ => a.next(),
    })
}

/// The aggregate that gathers row numbers, or sets of them, into one set.
pub(crate) fn row_set() -> Arc<AggregateUDF> {
    static FUNCTION: LazyLock<Arc<AggregateUDF>> = LazyLock::new(|| {
        Arc::new(AggregateUDF::new_from_impl(Gather(Signature::any(1, Volatility::Immutable))))
    });
    FUNCTION.clone()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Gather(Signature);

impl AggregateUDFImpl for Gather {
    fn name(&self) -> &str {
        "row_set"
    }
    fn signature(&self) -> &Signature {
        &self.0
    }
    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }
    fn accumulator(&self, _args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Gathered(RowSet::default())))
    }
    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[rows]", args.name), DataType::Binary, true))])
    }
}

#[derive(Debug)]
struct Gathered(RowSet);

impl Accumulator for Gathered {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for array in values {
            self.0.add(array, array.len());
        }
        Ok(())
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Binary(Some(self.0.encode())))
    }
    fn size(&self) -> usize {
        size_of_val(self) + self.0.bytes()
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn is_the_set_of_what_was_inserted(
            runs in prop::collection::vec((0u64..400_000, 1u64..60_000), 1..6),
            far in prop::collection::vec(FARTHEST - 2..FARTHEST + 200, 0..5),
        ) {
            let mut set = RowSet::default();
            let mut plain = BTreeSet::new();
            for row in runs.into_iter().flat_map(|(a, n)| a..a + n).chain(far) {
                set.insert(row);
                plain.insert(row);
            }
            prop_assert_eq!(set.len(), plain.len() as u64);
            let mut again = RowSet::default();
            again.decode(&set.encode());
            prop_assert!(again.iter().eq(plain.iter().copied()));
            again.merge(&set);
            prop_assert_eq!(again.len(), plain.len() as u64);
        }
    }
}

//! Points in blocks of sixteen.

/// Points of a block.
pub(super) const LANES: usize = 16;

/// Dimensions are counted with four at a time.
pub(super) const QUAD: usize = 4;

/// Points, sixteen at a time: first the first number of each, then the second ..., then zeros up to whole quads.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    pub(super) dim: usize,
    /// Numbers of a block.
    size: usize,
    /// How many points there are. The last block is filled up with its last point.
    pub(super) rows: usize,
    pub(super) data: Vec<f32>,
}

impl Blocks {
    pub(super) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f32]>, dim: usize) -> Blocks {
        let count = rows.len();
        let size = LANES * dim.next_multiple_of(QUAD);
        let mut data = vec![0.0; count.div_ceil(LANES) * size];
        for (at, row) in rows.enumerate() {
            let last = if at + 1 == count { LANES } else { at % LANES + 1 };
            let block = &mut data[at / LANES * size..];
            for lane in at % LANES..last {
                row.iter().enumerate().for_each(|(i, x)| block[i * LANES + lane] = *x);
            }
        }
        Blocks { dim, size, rows: count, data }
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.rows.div_ceil(LANES)
    }

    #[inline(always)]
    pub(super) fn block(&self, at: usize) -> &[f32] {
        &self.data[at * self.size..(at + 1) * self.size]
    }

    /// How many points of a block are there.
    #[inline(always)]
    pub(super) fn filled(&self, at: usize) -> usize {
        (self.rows - at * LANES).min(LANES)
    }
}

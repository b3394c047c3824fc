//! Vectors as they are kept: one row after the other, each of the same number of bytes.

use super::{Metric, Quantization};
use crate::file::Growing;
use crate::simd::{distance_f16, distance_f32, dot_f16, dot_f32, dot_i8, widen};
use half::f16;
use tabletalk_core::{Error, Result};

/// The largest number that two bytes hold.
const MOST_F16: f32 = 65_504.0;
/// Beyond this, squares would leave what a number can hold.
const MOST: f32 = 1e15;

/// How vectors become rows of bytes, and how rows are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) dim: usize,
    pub(super) metric: Metric,
    pub(super) quantization: Quantization,
}

/// One row, read. Bytes carry a scale and, for distances, the square of the length.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row<'a> {
    F32(&'a [f32]),
    F16(&'a [u16]),
    I8 { codes: &'a [i8], scale: f32, square: f32 },
}

impl Code {
    /// How many bytes a row has. Always a multiple of two for halves and of four for floats, so that rows are aligned.
    pub(super) fn stride(&self) -> usize {
        match self.quantization {
            Quantization::F32 => self.dim * 4,
            Quantization::F16 => self.dim * 2,
            Quantization::I8 => self.dim + if self.metric == Metric::L2 { 8 } else { 4 },
        }
    }

    /// Appends the row of `vector` to `out`. Refuses what cannot be compared.
    pub(super) fn encode(&self, vector: &[f32], out: &mut Vec<u8>) -> Result<()> {
        let factor = self.checked_factor(vector)?;
        let numbers = vector.iter().map(|x| x * factor);
        match self.quantization {
            Quantization::F32 => numbers.for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
            Quantization::F16 => {
                numbers.for_each(|x| out.extend_from_slice(&f16::from_f32(x).to_le_bytes()));
            }
            Quantization::I8 => self.encode_bytes(vector, factor, out),
        }
        Ok(())
    }

    /// What the numbers of `vector` are multiplied by: under the cosine every vector has the length one.
    fn checked_factor(&self, vector: &[f32]) -> Result<f32> {
        if vector.len() != self.dim {
            return Err(Error::input(format!(
                "a vector has {} numbers where the index has {}",
                vector.len(),
                self.dim
            )));
        }
        if vector.iter().any(|x| !x.is_finite()) {
            return Err(Error::input("a vector holds a number that is not finite"));
        }
        if self.metric == Metric::Cosine {
            let norm = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            // So short a vector has no direction that its numbers could tell.
            return Ok(if norm > 1e-30 { (1.0 / norm) as f32 } else { 0.0 });
        }
        let most = if self.quantization == Quantization::F16 { MOST_F16 } else { MOST };
        match vector.iter().find(|x| x.abs() > most) {
            Some(x) => {
                Err(Error::input(format!("{x} is larger than {most}, the most this index can compare")))
            }
            None => Ok(1.0),
        }
    }

    fn encode_bytes(&self, vector: &[f32], factor: f32, out: &mut Vec<u8>) {
        let largest = vector.iter().fold(0.0f32, |m, x| m.max((x * factor).abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 0.0 };
        let steps = if scale > 0.0 { factor / scale } else { 0.0 };
        let mut sum = 0i64;
        for x in vector {
            let code = (x * steps).round().clamp(-127.0, 127.0) as i8;
            sum += i64::from(code) * i64::from(code);
            out.push(code.cast_unsigned());
        }
        let square = sum as f32 * scale * scale;
        // Rounding moves the length a little away from one; the scale puts it back.
        let scale = if self.metric == Metric::Cosine && square > 0.0 { scale / square.sqrt() } else { scale };
        out.extend_from_slice(&scale.to_le_bytes());
        if self.metric == Metric::L2 {
            out.extend_from_slice(&square.to_le_bytes());
        }
    }

    /// Reads a row. None when the bytes are not one.
    pub(super) fn read<'a>(&self, bytes: &'a [u8]) -> Option<Row<'a>> {
        match self.quantization {
            Quantization::F32 => bytemuck::try_cast_slice(bytes).ok().map(Row::F32),
            Quantization::F16 => bytemuck::try_cast_slice(bytes).ok().map(Row::F16),
            Quantization::I8 => {
                let (codes, rest) = bytes.split_at_checked(self.dim)?;
                let (scale, rest) = rest.split_first_chunk::<4>()?;
                let square = rest.first_chunk::<4>().map_or(0.0, |b| f32::from_le_bytes(*b));
                Some(Row::I8 {
                    codes: bytemuck::cast_slice(codes),
                    scale: f32::from_le_bytes(*scale),
                    square,
                })
            }
        }
    }

    /// How alike two rows are: higher is better.
    pub(super) fn score(&self, a: Row<'_>, b: Row<'_>) -> f32 {
        let l2 = self.metric == Metric::L2;
        match (a, b) {
            (Row::F32(a), Row::F32(b)) if l2 => -distance_f32(a, b).sqrt(),
            (Row::F32(a), Row::F32(b)) => dot_f32(a, b),
            (Row::F16(a), Row::F16(b)) if l2 => -distance_f16(a, b).sqrt(),
            (Row::F16(a), Row::F16(b)) => dot_f16(a, b),
            (Row::I8 { codes: a, scale: s, square: p }, Row::I8 { codes: b, scale: t, square: q }) => {
                let dot = dot_i8(a, b) as f32 * s * t;
                if l2 { -(p + q - 2.0 * dot).max(0.0).sqrt() } else { dot }
            }
            _ => f32::MIN,
        }
    }

    /// The numbers of a row.
    pub(super) fn decode(&self, row: Row<'_>, out: &mut Vec<f32>) {
        out.clear();
        match row {
            Row::F32(x) => out.extend_from_slice(x),
            Row::F16(x) => out.extend(x.iter().map(|x| widen(*x))),
            Row::I8 { codes, scale, .. } => out.extend(codes.iter().map(|x| f32::from(*x) * scale)),
        }
    }
}

/// Rows in a file.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) code: Code,
    pub(super) file: Growing,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.file.bytes().len() / self.code.stride().max(1)
    }

    pub(super) fn bytes(&self, row: u32) -> Option<&[u8]> {
        let stride = self.code.stride();
        let from = row as usize * stride;
        self.file.bytes().get(from..from + stride)
    }

    /// A row, read.
    pub(super) fn row(&self, row: u32) -> Option<Row<'_>> {
        self.code.read(self.bytes(row)?)
    }

    /// How alike a row and a query are: higher is better.
    pub(super) fn score(&self, query: Row<'_>, row: u32) -> f32 {
        self.row(row).map_or(f32::MIN, |row| self.code.score(query, row))
    }
}

/// The bytes of a query, kept where a row can be read from them.
#[derive(Debug)]
pub(super) struct Query {
    code: Code,
    words: Vec<u32>,
}

impl Query {
    /// The row of `vector` as `code` would keep it.
    pub(super) fn new(code: Code, vector: &[f32]) -> Result<Query> {
        let mut bytes = Vec::with_capacity(code.stride());
        code.encode(vector, &mut bytes)?;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let words = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        Ok(Query { code, words })
    }

    pub(super) fn row(&self) -> Result<Row<'_>> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        let row = bytes.get(..self.code.stride()).and_then(|bytes| self.code.read(bytes));
        row.ok_or_else(|| Error::bug("a query could not be read back"))
    }
}

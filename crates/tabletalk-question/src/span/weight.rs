//! What was learned: the weights of features, and how far an answer can be believed.

use super::feature::{BITS, Features};
use std::sync::OnceLock;

/// How many signs tell whether an answer is right.
pub(super) const SIGNS: usize = 5;
/// What the smallest weight is worth.
const UNIT: f32 = 1.0 / 40.0;
/// The bytes of what tells whether answers are right: first of Chinese, then of other languages.
const HEAD: usize = 2 * SIGNS * 4;

/// The weights of features.
pub struct Weights {
    pub(super) all: Vec<f32>,
    pub(super) trust: [[f32; SIGNS]; 2],
}

impl Weights {
    /// None yet.
    pub(super) fn new() -> Weights {
        Weights { all: vec![0.0; 1 << BITS], trust: [[0.0; SIGNS]; 2] }
    }

    /// Those inside the program.
    pub(super) fn learned() -> &'static Weights {
        static LEARNED: OnceLock<Weights> = OnceLock::new();
        LEARNED.get_or_init(|| Weights::read(include_bytes!("learned.bin")))
    }

    /// The sum of what features weigh.
    pub(super) fn sum(&self, features: &Features) -> f32 {
        features.iter().filter_map(|feature| self.all.get(*feature as usize)).sum()
    }

    /// How likely an answer with these signs is right.
    pub(super) fn sure(&self, is_han: bool, signs: &[f32; SIGNS]) -> f32 {
        let trust = &self.trust[usize::from(!is_han)];
        let sum: f32 = trust.iter().zip(signs).map(|(weight, sign)| weight * sign).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// Each weight is four bytes: its number, and how much it is.
    pub(super) fn read(bytes: &[u8]) -> Weights {
        let mut weights = Weights::new();
        let (head, rest) = bytes.split_at_checked(HEAD).unwrap_or_default();
        for (slot, bytes) in weights.trust.iter_mut().flatten().zip(head.as_chunks::<4>().0) {
            *slot = f32::from_le_bytes(*bytes);
        }
        for bytes in rest.as_chunks::<4>().0 {
            let [a, b, c, worth] = *bytes;
            if let Some(slot) = weights.all.get_mut(u32::from_le_bytes([a, b, c, 0]) as usize) {
                *slot = f32::from(worth.cast_signed()) * UNIT;
            }
        }
        weights
    }

    /// The form in which they are kept.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.trust.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
        for (number, weight) in (0_u32..).zip(&self.all) {
            let worth = (weight / UNIT).round().clamp(-127.0, 127.0) as i8;
            if worth != 0 {
                let [a, b, c, _] = number.to_le_bytes();
                bytes.extend([a, b, c, worth.cast_unsigned()]);
            }
        }
        bytes
    }
}

//! What a late-interaction index may cost.

use serde::{Deserialize, Serialize};
use tabletalk_core::{Error, Result};

/// How token vectors are kept and how hard is looked for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Bits kept of each number of a token vector, beside its centroid: 1, 2, 4 or 8.
    pub bits: u8,
    /// Centroids; without it about 16 times the square root of the number of tokens.
    pub centroids: Option<usize>,
    /// Centroids looked into for each token of a query.
    pub probe: usize,
    /// Documents of which one token is compared with each of the query's, for each one scored exactly.
    pub refine: usize,
    /// Documents scored exactly.
    pub candidates: usize,
    /// The most tokens centroids are learnt from.
    pub train_tokens: usize,
    /// Up to so many tokens vectors are kept whole and all are scored exactly.
    pub flat_limit: usize,
    /// Tokens that may wait in memory before they are compressed and written.
    pub stage_tokens: usize,
    /// Centroids are learnt anew when the index has this many times the tokens they were made for.
    pub growth: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            bits: 2,
            centroids: None,
            probe: 64,
            refine: 16,
            candidates: 64,
            train_tokens: 1 << 19,
            flat_limit: 1 << 16,
            stage_tokens: 1 << 19,
            growth: 4,
        }
    }
}

/// The most centroids there can be: their numbers are kept in two bytes.
const MOST: usize = 1 << 16;

impl Settings {
    /// An error when a setting cannot be used.
    pub(super) fn check(&self) -> Result<()> {
        if !matches!(self.bits, 1 | 2 | 4 | 8) {
            return Err(Error::input(format!("late.bits is {}", self.bits)).hint("use 1, 2, 4 or 8"));
        }
        let positive = [
            ("probe", self.probe),
            ("refine", self.refine),
            ("candidates", self.candidates),
            ("train_tokens", self.train_tokens),
            ("stage_tokens", self.stage_tokens),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(Error::input(format!("late.{name} is 0")).hint("use at least 1"));
        }
        if self.centroids.is_some_and(|n| n == 0 || n > MOST) {
            return Err(Error::input("late.centroids is out of range").hint(format!("use 1 to {MOST}")));
        }
        if self.growth < 2 {
            return Err(Error::input(format!("late.growth is {}", self.growth)).hint("use at least 2"));
        }
        Ok(())
    }

    /// How many centroids suit so many tokens.
    pub(super) fn centroids_for(&self, tokens: usize) -> usize {
        let wanted = (16.0 * (tokens as f64).sqrt()).max(16.0);
        self.centroids.unwrap_or(1 << wanted.log2().floor() as u32).clamp(1, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centroids_grow_with_the_square_root() {
        let settings = Settings::default();
        assert_eq!(settings.centroids_for(10_000_000), 32_768);
        assert_eq!(settings.centroids_for(65_536), 4096);
        assert_eq!(settings.centroids_for(0), 16);
        assert_eq!(settings.centroids_for(usize::MAX), MOST);
    }

    #[test]
    fn settings_that_cannot_be_used_are_named() {
        let error = |settings: Settings| settings.check().unwrap_err().to_string();
        assert_eq!(error(Settings { bits: 3, ..Settings::default() }), "late.bits is 3; use 1, 2, 4 or 8");
        assert_eq!(error(Settings { probe: 0, ..Settings::default() }), "late.probe is 0; use at least 1");
        assert!(Settings::default().check().is_ok());
    }
}

//! When two answers are the same: by their values, however these are written.

use crate::word;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use tabletalk_core::value;

/// A value in the form in which it is compared: numbers and days by what they are, texts by their words.
pub fn normal(text: &str) -> String {
    let text = text.trim().trim_matches('"').trim();
    if let Some(number) = value::number(text).filter(|n| n.unit.is_none()) {
        return value::plain_decimal((number.value * 1e6).round() / 1e6);
    }
    if let Some(day) = value::date(text) {
        return value::plain_date(day);
    }
    word::key(text)
}

/// The values in the form in which they are compared, sorted, none twice.
pub fn normals<S: AsRef<str>>(values: &[S]) -> Vec<String> {
    let mut normals: Vec<String> = values.iter().map(|v| normal(v.as_ref())).collect();
    normals.sort_unstable();
    normals.dedup();
    normals
}

/// The same number for values that are the same.
pub(crate) fn one(value: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(normal(value).as_bytes());
    hasher.finish()
}

/// The same number for answers that are the same, from those of their values.
pub(crate) fn all(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.dedup();
    let mut hasher = FxHasher::default();
    values.iter().for_each(|v| hasher.write_u64(*v));
    hasher.finish()
}

/// The same number for answers that are the same.
pub fn hash(values: &[String]) -> u64 {
    all(values.iter().map(|v| one(v)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_values_however_they_are_written() {
        assert_eq!(normal("1,200.0"), normal("1200"));
        assert_eq!(normal("Sept 1, 2023"), normal("2023-09-01"));
        assert_eq!(normals(&["B", "a", "b"]), ["a", "b"]);
    }
}

//! Names of indexes, and terms that are not too long.

use tabletalk_core::seam::remote::Settings;
use tabletalk_core::{Error, Result};

/// The most bytes of a term. The engine takes 32,766; nobody looks for longer ones than this, and those that begin alike
/// count as one.
const LONGEST_TERM: usize = 8000;
/// The most bytes of the name of an index, with room for the ending of its alias.
const LONGEST_NAME: usize = 250;

/// The prefix of the settings, if names of indexes may begin with it.
pub(super) fn prefix(settings: &Settings) -> Result<String> {
    let prefix = &settings.prefix;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    match prefix.starts_with(|c: char| c.is_ascii_lowercase()) && prefix.chars().all(fits) {
        true => Ok(prefix.clone()),
        false => Err(Error::input(format!("no index can be named after the prefix `{prefix}`"))
            .hint("begin `prefix` with a small letter, and use small letters, digits, - and _ alone")),
    }
}

/// Longer names are cut, and end in a hash of all of it.
const LONG_NAME: usize = 80;

/// The name of an index: the prefix, what is kept in it, and for whom. No two lists of names give the same.
pub(super) fn index(prefix: &str, kind: &str, of: &[&str]) -> Result<String> {
    let mut name = format!("{prefix}-{kind}");
    for part in of {
        name.push('-');
        name.push_str(&short(part));
    }
    match name.len() <= LONGEST_NAME {
        true => Ok(name),
        false => Err(Error::input(format!("the prefix `{prefix}` is too long for names of indexes"))
            .hint("use a shorter `prefix`")),
    }
}

/// A name as a part of the name of an index.
fn short(name: &str) -> String {
    let mut plain = plain(name);
    if plain.len() > LONG_NAME {
        plain.truncate(LONG_NAME / 2);
        plain.push_str(&format!(".{:032x}", hash(name)));
    }
    plain
}

/// The hash of a name (FNV-1a with 128 bits).
fn hash(name: &str) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = (1 << 88) + 0x13b;
    name.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// A name in small letters and digits; every other character is written as its number between two `_`.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for c in name.chars() {
        match c.is_ascii_lowercase() || c.is_ascii_digit() {
            true => plain.push(c),
            false => plain.push_str(&format!("_{:x}_", u32::from(c))),
        }
    }
    plain
}

/// A name as a part of a path.
pub(super) fn in_path(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => path.push(char::from(byte)),
            false => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

/// A term, cut where it is too long for the engine.
pub(super) fn cut(term: &str) -> &str {
    &term[..term.floor_char_boundary(LONGEST_TERM)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_differ() {
        assert_eq!(index("tt", "entries", &["a-b", "中"]).unwrap(), "tt-entries-a_2d_b-_4e2d_");
        assert_ne!(plain("A"), plain("a"));
        assert_ne!(plain("_41_"), plain("A"));
        let long = |end: &str| index("tt", "entries", &[("x".repeat(300) + end).as_str()]).unwrap();
        assert!(long("a").len() < 120 && long("a") != long("b"));
        assert!(index(&"p".repeat(300), "entries", &[]).is_err());
        let named = |name: &str| prefix(&Settings { prefix: name.into(), ..Settings::default() });
        assert!(named("tabletalk-2").is_ok());
        assert!(named("Big").is_err());
        assert!(named("").is_err());
    }

    #[test]
    fn long_terms_are_cut_between_characters() {
        assert_eq!(cut("word"), "word");
        assert_eq!(cut(&"é".repeat(5000)).len(), 8000);
        assert_eq!(cut(&"中".repeat(5000)).len(), 7998);
    }
}

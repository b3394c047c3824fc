//! How spaces, fields and values are written where Milvus is particular about characters.

use serde::{Deserialize, Serialize};
use tabletalk_core::seam::store::Space;

/// What stands between the parts of a name; no part has it.
const BETWEEN: &str = "__";
/// Milvus takes no more than 255 bytes.
const LONGEST_NAME: usize = 240;
/// So many bytes of a value are kept; of longer ones a fingerprint follows.
const LONGEST_VALUE: usize = 256;

/// What is kept as the description of a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct About {
    #[serde(flatten)]
    pub(super) space: Space,
    /// What makes its vectors.
    pub(super) model: String,
}

/// What the names of all collections of a library begin with.
pub(super) fn beginning(prefix: &str) -> String {
    format!("{}{BETWEEN}", name(prefix))
}

/// The name of the collection of a space. Long ones end in a fingerprint.
pub(super) fn collection(prefix: &str, space: &Space) -> String {
    let own = format!("{}{BETWEEN}{}", name(&space.embed), name(&space.group));
    let begin = beginning(prefix);
    match begin.len() + own.len() <= LONGEST_NAME {
        true => format!("{begin}{own}"),
        // No part has `_h`, which is no escape.
        false => format!("{begin}_h{:032x}", fingerprint(own.as_bytes())),
    }
}

/// A name of letters, digits and `_`: every other byte becomes `_` and two digits. It begins with no digit.
pub(super) fn name(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        let first = written.is_empty();
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => written.push(char::from(byte)),
            b'0'..=b'9' if !first => written.push(char::from(byte)),
            _ => written.push_str(&format!("_{byte:02x}")),
        }
    }
    written
}

/// A value in printable ASCII without quotes and backslashes, so that it needs no escapes anywhere. Two
/// values compare as they did, but long ones that differ only after their first 256 bytes.
pub(super) fn value(text: &str) -> String {
    let bytes = text.as_bytes();
    let Some(begin) = bytes.get(..LONGEST_VALUE).filter(|_| bytes.len() > LONGEST_VALUE) else {
        return printable(bytes);
    };
    format!("{}~z{:032x}", printable(begin), fingerprint(bytes))
}

/// Every byte becomes a text of its own, and these are in the order of the bytes.
fn printable(bytes: &[u8]) -> String {
    let mut written = String::with_capacity(bytes.len() + bytes.len() / 4);
    for &byte in bytes {
        match byte {
            ..=b'"' => written.extend(['!', char::from(b'#' + byte)]),
            b'[' => written.push_str("[0"),
            b'\\' => written.push_str("[1"),
            b'~'.. => written.push_str(&format!("~{byte:02x}")),
            _ => written.push(char::from(byte)),
        }
    }
    written
}

/// FNV-1a over 128 bits: the same for the same bytes everywhere and always.
fn fingerprint(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash: u128, &byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(embed: &str, group: &str) -> Space {
        Space { embed: embed.into(), group: group.into() }
    }

    #[test]
    fn names_are_plain_and_differ() {
        assert_eq!(collection("tabletalk", &space("text", "all")), "tabletalk__text__all");
        assert_eq!(collection("2nd", &space("a_b", "表")), "_32nd__a_5fb___e8_a1_a8");
        assert_ne!(collection("t", &space("a", "_b")), collection("t", &space("a_", "b")));
        assert!(!collection("t", &space("a", "b")).starts_with(&beginning("t_2")));
        let long = "长".repeat(100);
        let names = [collection("t", &space(&long, "a")), collection("t", &space(&long, "b"))];
        assert!(names[0].len() < 255 && names[0] != names[1]);
    }

    #[test]
    fn values_keep_their_order() {
        let mut texts: Vec<String> = (0..=0x7f_u8).map(|b| char::from(b).to_string()).collect();
        texts.extend(
            ["", "a", "ab", "a b", "a!b", "a\"", "a\\b", "a[b", "a]b", "~", "é", "表", "表格", "🦀"]
                .map(String::from),
        );
        texts.extend(["x".repeat(256), "x".repeat(257), format!("{}y", "x".repeat(255))]);
        for a in &texts {
            assert!(value(a).bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\'), "{a:?}");
            for b in &texts {
                assert_eq!(a.cmp(b), value(a).cmp(&value(b)), "{a:?} {b:?}");
            }
        }
        assert_ne!(value(&"x".repeat(300)), value(&"x".repeat(301)));
    }
}

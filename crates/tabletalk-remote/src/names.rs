//! Spaces as names of collections, and back.
//!
//! `tabletalk.bge-small.tables`: the prefix as it is, then the embed key and the group, in which every sign that might
//! not be allowed is written as `_` and its bytes in hexadecimal.

use std::fmt::Write;
use tabletalk_core::seam::store::Space;

/// Stands for an empty text: no byte is written with one digit.
const EMPTY: &str = "_e";

/// The name of a space. `keep` says which letters the engine allows, besides `-` inside of a word.
pub(crate) fn name_of(prefix: &str, space: &Space, keep: fn(char) -> bool) -> String {
    format!("{prefix}.{}.{}", written(&space.embed, keep), written(&space.group, keep))
}

/// The space with a name; `None` when it is not one of this prefix.
pub(crate) fn space_of(prefix: &str, name: &str) -> Option<Space> {
    let (embed, group) = name.strip_prefix(prefix)?.strip_prefix('.')?.split_once('.')?;
    Some(Space { embed: read(embed)?, group: read(group)? })
}

/// A name as part of the path of an address.
pub(crate) fn in_path(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                path.push(char::from(byte))
            }
            _ => _ = write!(path, "%{byte:02X}"),
        }
    }
    path
}

fn written(text: &str, keep: fn(char) -> bool) -> String {
    if text.is_empty() {
        return EMPTY.into();
    }
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let last = at + c.len_utf8() == text.len();
        if c != '_' && (keep(c) || (c == '-' && !last)) {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            _ = write!(out, "_{byte:02x}");
        }
    }
    out
}

fn read(text: &str) -> Option<String> {
    if text == EMPTY {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('_') {
        bytes.extend(before.bytes());
        bytes.push(u8::from_str_radix(after.get(..2)?, 16).ok()?);
        rest = after.get(2..)?;
    }
    bytes.extend(rest.bytes());
    // A dot is never written as it is: what has one is the name of another library.
    String::from_utf8(bytes).ok().filter(|_| !text.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(embed: &str, group: &str, keep: fn(char) -> bool) -> String {
        let space = Space { embed: embed.into(), group: group.into() };
        let name = name_of("lib_1.a", &space, keep);
        assert_eq!(space_of("lib_1.a", &name), Some(space), "{name}");
        assert_eq!(space_of("lib_1", &name), None, "{name}");
        name
    }

    #[test]
    fn names_can_be_read_back() {
        let ascii = |c: char| c.is_ascii_alphanumeric();
        assert_eq!(there_and_back("bge-small", "tables", ascii), "lib_1.a.bge-small.tables");
        assert_eq!(there_and_back("a_b", "-", ascii), "lib_1.a.a_5fb._2d");
        assert_eq!(there_and_back("", "表 格.", ascii), "lib_1.a._e._e8_a1_a8_20_e6_a0_bc_2e");
        assert_eq!(there_and_back("x/y", "表 格", char::is_alphanumeric), "lib_1.a.x_2fy.表_20格");
    }

    #[test]
    fn other_names_are_not_ours() {
        for name in ["lib", "lib.a", "lib.a.b.c", "lib2.a.b", "lib.a_.b", "lib.a_zz.b", "lib._ff.b"] {
            assert_eq!(space_of("lib", name), None, "{name}");
        }
        assert_eq!(in_path("表.a b"), "%E8%A1%A8.a%20b");
    }
}

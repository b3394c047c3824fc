//! Text as PostgreSQL can hold it.

use std::borrow::Cow;

/// Terms of more bytes are cut: an index holds no rows of more than a third of a page.
const LONGEST_TERM: usize = 1000;
/// The longest name in PostgreSQL, in bytes.
pub(super) const LONGEST_NAME: usize = 63;

/// Text without the character 0, which PostgreSQL does not know. Different texts stay different, and sort as
/// before.
pub(super) fn pack(text: &str) -> Cow<'_, str> {
    match text.contains(['\0', '\u{1}']) {
        true => Cow::Owned(text.replace('\u{1}', "\u{1}\u{2}").replace('\0', "\u{1}\u{1}")),
        false => Cow::Borrowed(text),
    }
}

pub(super) fn unpack(text: String) -> String {
    match text.contains('\u{1}') {
        true => text.replace("\u{1}\u{1}", "\0").replace("\u{1}\u{2}", "\u{1}"),
        false => text,
    }
}

/// A term as it stands in the dictionary. Of a very long one the beginning and a hash are kept, so it is
/// found as a whole, but not by a longer beginning or with slips.
pub(super) fn pack_term(term: &str) -> Cow<'_, str> {
    let packed = pack(term);
    match packed.len() <= LONGEST_TERM {
        true => packed,
        false => {
            let beginning = &packed[..packed.floor_char_boundary(LONGEST_TERM)];
            Cow::Owned(format!("{beginning}\u{1}\u{3}{:032x}", hash(&packed)))
        }
    }
}

/// FNV-1a, because the same text must give the same term in every build.
fn hash(text: &str) -> u128 {
    let (basis, prime) =
        (0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, 0x0000_0000_0100_0000_0000_0000_0000_013b);
    text.bytes().fold(basis, |h: u128, b| (h ^ u128::from(b)).wrapping_mul(prime))
}

/// A name in SQL.
pub(super) fn ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_was_packed_and_sorts_alike() {
        let texts = [
            "",
            "\0",
            "\0\0",
            "\0\u{1}",
            "\0a",
            "\u{1}",
            "\u{1}\0",
            "\u{1}\u{1}",
            "\u{1}\u{2}",
            "\u{2}",
            "a\0b",
        ];
        for text in texts {
            assert!(!pack(text).contains('\0'));
            assert_eq!(unpack(pack(text).into_owned()), text);
        }
        assert!(texts.is_sorted_by(|a, b| pack(a) < pack(b)));
    }

    #[test]
    fn long_terms_are_cut_and_stay_different() {
        let (a, b) = ("文".repeat(5000), "文".repeat(5001));
        assert!(pack_term(&a).len() < 1100);
        assert_ne!(pack_term(&a), pack_term(&b));
        assert_eq!(pack_term("short"), "short");
        assert_eq!(hash("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(ident("a\"b.c"), "\"a\"\"b.c\"");
    }
}

//! What one character is, and what it is written as in the index.

use std::sync::OnceLock;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// What a character is to the splitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Stands between words.
    Gap,
    /// Part of a word.
    Word,
    /// An apostrophe: dropped inside a word, a gap elsewhere.
    Apostrophe,
    /// Seen by nobody: dropped inside a word.
    Silent,
    /// A Chinese character.
    Han,
    /// Kana or hangul: cut into pairs.
    Syllable,
}

pub(super) fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        '\'' | '\u{2018}' | '\u{2019}' | '\u{2BC}' | '\u{FF07}' => Class::Apostrophe,
        '\0'..='\x7F' => Class::Gap,
        '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{FE00}'..='\u{FE0F}' => {
            Class::Silent
        }
        // Superscript digits are footnote marks more often than powers; fractions are no words.
        '¹' | '²' | '³' | '\u{2070}'..='\u{209C}' => Class::Gap,
        '¼'..='¾' | '\u{2150}'..='\u{215F}' | '\u{2189}' => Class::Gap,
        '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{F900}'..='\u{FAFF}' => Class::Han,
        '\u{20000}'..='\u{323AF}' | '々' | '〇' => Class::Han,
        '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' => Class::Syllable,
        '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' => Class::Syllable,
        '\u{FF66}'..='\u{FF9D}' | '\u{AC00}'..='\u{D7A3}' => Class::Syllable,
        '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}' => Class::Syllable,
        _ if c.is_alphanumeric() || is_combining_mark(c) => Class::Word,
        _ => Class::Gap,
    }
}

/// Whether a character is a Chinese one.
pub(super) fn is_han(c: char) -> bool {
    class(c) == Class::Han
}

/// Adds a character of a word as the index writes it: lower-case, without diacritics, half width.
pub(super) fn fold_into(c: char, out: &mut String) {
    if c.is_ascii() {
        return out.push(c.to_ascii_lowercase());
    }
    if let Some(plain) = letter(c) {
        return out.push_str(plain);
    }
    for part in std::iter::once(c).nfkd().filter(|&p| !is_diacritic(p)) {
        out.extend(part.to_lowercase().filter(|&p| !is_diacritic(p)));
    }
}

/// A kana or hangul character as the index writes it: full width.
pub(super) fn fold_syllable(c: char) -> char {
    match c {
        '\u{FF66}'..='\u{FF9D}' => std::iter::once(c).nfkc().next().unwrap_or(c),
        _ => c,
    }
}

/// Letters that decompose into nothing but have a usual spelling in plain ones.
fn letter(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ł' | 'Ł' => "l",
        'þ' | 'Þ' => "th",
        'ı' => "i",
        _ => return None,
    })
}

/// Marks over and under Latin, Greek and Cyrillic letters. Those of other scripts are vowels and stay.
fn is_diacritic(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

const FIRST: u32 = 0x3400;
const LAST: u32 = 0x9FFF;

/// Pairs of a character and its simplified form that the general table lacks or has otherwise. A pair of
/// twice the same keeps a character that simplified text uses as it stands.
const PAIRS: &str = "瀋沈疊叠諮咨逕径颺扬嶠峤羣群峯峰査查敎教眞真旣既卽即彆别彔录囌苏垻坝墰坛壜坛嚐尝冑胄凈净闇暗\
鼕冬糉粽鈡钟鎭镇鉆钻贜赃裊袅寀采譭毁遡溯枴拐柺拐睏困曏向畵画棊棋榘矩皁皂翫玩蔘参蕓芸踰逾醣糖鎌镰餬糊餈糍\
儁俊嘓啯慼戚懞蒙捱挨捍捍呵呵呱呱煅煅磐磐彷彷薰薰黏黏瞭瞭阪阪琯琯祐祐坰坰";

/// The simplified form of a Chinese character, always as many bytes long as the character itself.
pub(super) fn simplify(c: char) -> char {
    static TABLE: OnceLock<Vec<char>> = OnceLock::new();
    let code = c as u32;
    if (FIRST..=LAST).contains(&code) {
        let table = TABLE.get_or_init(simplified);
        return table.get((code - FIRST) as usize).copied().unwrap_or(c);
    }
    let plain = std::iter::once(c).nfkc().next().unwrap_or(c);
    if plain.len_utf8() == c.len_utf8() { plain } else { c }
}

/// The table of [`simplify`]: one conversion of every character, each alone between spaces so that no
/// neighbour changes it.
fn simplified() -> Vec<char> {
    let spaced: String = (FIRST..=LAST).filter_map(char::from_u32).flat_map(|c| [c, ' ']).collect();
    let mut table: Vec<char> = fast2s::convert(&spaced).chars().step_by(2).collect();
    let pairs: Vec<char> = PAIRS.chars().collect();
    for pair in pairs.chunks_exact(2) {
        if let Some(slot) = table.get_mut((pair[0] as u32 - FIRST) as usize) {
            *slot = pair[1];
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        text.chars().for_each(|c| fold_into(c, &mut out));
        out
    }

    #[test]
    fn folds_case_diacritics_and_width() {
        assert_eq!(folded("CAFÉ"), "cafe");
        assert_eq!(folded("Straße"), "strasse");
        assert_eq!(folded("Łódź"), "lodz");
        assert_eq!(folded("İstanbul"), "istanbul");
        assert_eq!(folded("ＡＢＣ１２"), "abc12");
        assert_eq!(folded("Ελλάδα"), "ελλαδα");
        assert_eq!(folded("हिन्दी"), "हिन्दी");
    }

    #[test]
    fn makes_traditional_characters_simplified() {
        let text: String = "臺灣營業收入瀋陽後臺資訊捍衛".chars().map(simplify).collect();
        assert_eq!(text, "台湾营业收入沈阳后台资讯捍卫");
        assert!(PAIRS.chars().count().is_multiple_of(2));
    }

    #[test]
    fn simplified_characters_keep_their_length_in_bytes() {
        for c in ('\u{3400}'..='\u{9FFF}').chain('\u{F900}'..='\u{FAFF}').chain('\u{2F800}'..='\u{2FA1F}') {
            assert_eq!(simplify(c).len_utf8(), c.len_utf8(), "{c}");
        }
    }
}

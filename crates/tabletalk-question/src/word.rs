//! Cuts texts into words: questions, names of columns and cells in the same way, so that they can meet.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word of a text; in Chinese every character is one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// In lower case, without accents, numbers without separators.
    pub text: String,
    /// Its stem.
    pub stem: String,
    /// Where it stands in the text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Word {
    /// The number it is, written in digits: `1200`, `12.5`.
    pub(crate) fn number(&self) -> Option<f64> {
        let first = self.text.as_bytes().first()?;
        if !first.is_ascii_digit() {
            return None;
        }
        self.text.parse().ok().filter(|n: &f64| n.is_finite())
    }
    /// Whether it is a Chinese character.
    pub(crate) fn is_han(&self) -> bool {
        self.text.chars().next().is_some_and(is_han)
    }
    /// Whether it says little by itself.
    pub(crate) fn is_stop(&self) -> bool {
        STOP.binary_search(&self.text.as_str()).is_ok()
    }
    /// The count it says in words or as an ordinal: `two`, `third`, `3rd`.
    pub(crate) fn count(&self) -> Option<u32> {
        let at = |list: &[&str]| list.iter().position(|w| *w == self.text).map(|i| i as u32 + 1);
        at(&CARDINALS)
            .or_else(|| at(&GERMAN))
            .or_else(|| at(&FRENCH))
            .or_else(|| at(&ORDINALS))
            .or_else(|| at(&HAN_DIGITS))
            .or_else(|| self.ordinal())
    }
    fn ordinal(&self) -> Option<u32> {
        let digits = self.text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let tail = self.text.get(digits.len()..)?;
        matches!(tail, "" | "st" | "nd" | "rd" | "th").then(|| digits.parse().ok())?
    }
}

const CARDINALS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const GERMAN: [&str; 10] =
    ["eins", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun", "zehn"];
const FRENCH: [&str; 10] = ["un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"];
const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];
const HAN_DIGITS: [&str; 10] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];

/// Sorted, for binary search.
const STOP: [&str; 207] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "au", "auf", "aux", "avec",
    "be", "been", "bei", "beim", "being", "by", "c", "can", "ce", "ces", "cette", "combien", "could", "d",
    "dans", "das", "de", "dem", "den", "denn", "der", "des", "did", "die", "do", "does", "du", "during",
    "each", "ein", "eine", "einem", "einen", "einer", "eines", "elle", "elles", "en", "er", "es", "est",
    "et", "etait", "for", "from", "fur", "haben", "had", "has", "hat", "have", "he", "her", "his", "how",
    "i", "ich", "il", "ils", "im", "in", "into", "is", "ist", "it", "its", "je", "l", "la", "le", "les",
    "list", "ma", "many", "me", "mes", "mir", "mit", "mon", "much", "n", "name", "noch", "nos", "notre",
    "nous", "oder", "of", "on", "one", "only", "ont", "or", "ou", "our", "out", "par", "pour", "qu", "quand",
    "que", "quel", "quelle", "quelles", "quels", "qui", "s", "sa", "se", "ses", "she", "sie", "sind", "so",
    "some", "son", "sont", "such", "sur", "t", "tell", "than", "that", "the", "their", "them", "there",
    "these", "they", "this", "those", "to", "un", "und", "une", "uns", "unser", "unsere", "unserer", "up",
    "us", "viel", "viele", "vom", "von", "votre", "wann", "war", "waren", "was", "we", "welche", "welchen",
    "welcher", "welches", "wem", "wen", "wer", "were", "what", "when", "where", "which", "who", "whom",
    "whose", "why", "wie", "will", "wir", "with", "wo", "would", "wurde", "wurden", "y", "you", "your", "zu",
    "zum", "zur", "个", "中", "为", "了", "些", "在", "是", "有", "的", "请", "问",
];

/// The ordinals of German and French that tell one of several, from the second on.
const RANKS: [&str; 3] = [
    "zweite|zweiten|zweiter|zweites|zweitbeste|zweitgrosste|zweithochste|zweitmeisten|deuxieme|seconde",
    "dritte|dritten|dritter|drittes|drittbeste|drittgrosste|dritthochste|troisieme",
    "vierte|vierten|vierter|viertes|quatrieme",
];

/// Whether a word is an ordinal: `second`, `3rd`.
pub(crate) fn is_ordinal(word: &str) -> bool {
    if RANKS.iter().any(|rank| rank.split('|').any(|one| one == word)) {
        return true;
    }
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let tail = word.get(digits.len()..).unwrap_or_default();
    ORDINALS.contains(&word) || !digits.is_empty() && matches!(tail, "st" | "nd" | "rd" | "th")
}

/// Whether a character is Chinese.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let len = match c {
            c if is_han(c) => c.len_utf8(),
            c if c.is_ascii_digit() => number_len(text, at),
            c if c.is_alphanumeric() => word_len(text, at),
            c => {
                at += c.len_utf8();
                continue;
            }
        };
        push(&mut found, text, at, at + len);
        at += len;
    }
    found
}

/// How long the run of letters and digits is that begins here.
fn word_len(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find(|c: char| !(c.is_alphanumeric() && !is_han(c) || is_combining_mark(c))).unwrap_or(rest.len())
}

/// How long the number is that begins here, with separators of thousands and decimals.
fn number_len(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let mut end = at + digits(at);
    while bytes.get(end) == Some(&b',') && digits(end + 1) == 3 {
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    end - at + word_len(text, end)
}

fn push(found: &mut Vec<Word>, text: &str, start: usize, end: usize) {
    let Some(raw) = text.get(start..end) else { return };
    let text = fold(raw);
    if !text.is_empty() {
        let stem = stem(&text);
        found.push(Word { text, stem, start, end });
    }
}

/// In lower case, without accents and separators of thousands.
fn fold(raw: &str) -> String {
    if raw.is_ascii() {
        return raw.chars().filter(|c| *c != ',').map(|c| c.to_ascii_lowercase()).collect();
    }
    raw.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// The stem of a word in lower case.
pub(crate) fn stem(text: &str) -> String {
    if text.len() < 3 || !text.bytes().all(|b| b.is_ascii_lowercase()) {
        return text.to_owned();
    }
    Stemmer::create(Algorithm::English).stem(text).into_owned()
}

/// Whether two words differ by a German or a French ending alone.
pub(crate) fn is_inflected(a: &str, b: &str) -> bool {
    let is = |algorithm: Algorithm| {
        let stemmer = Stemmer::create(algorithm);
        stemmer.stem(a) == stemmer.stem(b)
    };
    a.is_char_boundary(2)
        && b.is_char_boundary(2)
        && a.get(..2) == b.get(..2)
        && (is(Algorithm::German) || is(Algorithm::French) || is_participle(a, b))
}

/// Whether two words are forms of a French participle; their accents are gone: `payé`, `payées`.
fn is_participle(a: &str, b: &str) -> bool {
    let root = |word: &str| -> Option<usize> {
        let endings = ["ees", "ee", "es", "e"];
        endings.iter().find_map(|e| word.strip_suffix(e)).map(str::len)
    };
    matches!((root(a), root(b)), (Some(x), Some(y)) if x == y && x > 2 && a.get(..x) == b.get(..x))
}

/// A text as its words alone, so that `6–3, 7–6` and `6-3 7-6` are the same.
pub(crate) fn key(text: &str) -> String {
    let words = words(text);
    if words.is_empty() {
        return text.trim().to_lowercase();
    }
    let mut key = String::with_capacity(text.len());
    for word in &words {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(&word.text);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|w| w.text).collect()
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn cuts_numbers_names_and_chinese() {
        assert_eq!(
            texts("Dan's score: 12,345.5 (6–3), café"),
            ["dan", "s", "score", "12345.5", "6", "3", "cafe"]
        );
        assert_eq!(texts("2021年北京GDP"), ["2021", "年", "北", "京", "gdp"]);
        assert_eq!(texts("June 2,2006"), ["june", "2", "2006"]);
    }

    #[test]
    fn counts_in_words() {
        let count = |text: &str| words(text).first().and_then(Word::count);
        assert_eq!(
            (count("third"), count("3rd"), count("two"), count("三"), count("oslo")),
            (Some(3), Some(3), Some(2), Some(3), None)
        );
    }

    #[test]
    fn the_same_words_are_the_same_key() {
        assert_eq!(key("6–3, 7–6"), key("6-3 7-6"));
        assert_eq!(key("–"), "–");
    }
}

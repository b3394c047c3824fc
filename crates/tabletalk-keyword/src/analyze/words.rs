//! Cuts text into terms, run by run: Latin words, numbers, Chinese words, pairs of kana and hangul.

use super::fold::{self, Class};
use super::state::State;
use super::stem::Stems;
use super::{Language, Scratch};
use std::ops::Range;

/// Longer terms are cut here; what is longer is no word.
const LONGEST: usize = 128;

/// What is done with a term and the bytes it was made from.
pub(super) type Emit<'a> = &'a mut dyn FnMut(&str, Range<usize>);

/// Hands every term of `text` to `emit`, in order of where they begin.
pub(super) fn words(text: &str, scratch: &mut Scratch, emit: Emit<'_>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at = match byte {
            _ if kind(byte) != OTHER => word(text, at, scratch, emit),
            0..=0x7F => at + 1,
            _ => beyond_ascii(text, at, scratch, emit),
        };
    }
}

fn beyond_ascii(text: &str, at: usize, scratch: &mut Scratch, emit: Emit<'_>) -> usize {
    let Some(c) = text[at..].chars().next() else {
        return text.len();
    };
    match fold::class(c) {
        Class::Word => folded(text, at, scratch, emit),
        Class::Han => han(text, at, scratch, emit),
        Class::Syllable => pairs(text, at, scratch, emit, fold::fold_syllable, Class::Syllable),
        Class::Gap | Class::Apostrophe | Class::Silent => at + c.len_utf8(),
    }
}

/// A word that begins with an ASCII letter or digit. Most end at an ASCII gap and need no copy.
fn word(text: &str, start: usize, scratch: &mut Scratch, emit: Emit<'_>) -> usize {
    let bytes = text.as_bytes();
    let (mut end, mut seen) = (start, Seen::default());
    while let Some(kind) = bytes.get(end).map(|&b| kind(b)).filter(|&k| k != OTHER) {
        seen.add(kind);
        end += 1;
    }
    let next = bytes.get(end + 1);
    match bytes.get(end) {
        Some(b'.' | b',') if seen.only_digits() && next.is_some_and(u8::is_ascii_digit) => {
            return number(text, start, end, scratch, emit);
        }
        Some(b'\'') if next.is_some_and(u8::is_ascii_alphabetic) => {
            return folded(text, start, scratch, emit);
        }
        Some(0x80..) if !starts_run(&text[end..]) => return folded(text, start, scratch, emit),
        _ => {}
    }
    let term = &text[start..end];
    if !seen.has_upper() {
        finish(&mut scratch.stems, &scratch.state, term, seen, start..end, emit);
    } else {
        scratch.word.clear();
        scratch.word.push_str(term);
        scratch.word.make_ascii_lowercase();
        finish(&mut scratch.stems, &scratch.state, &scratch.word, seen, start..end, emit);
    }
    end
}

/// Whether text goes on with something that is surely no part of a Latin word.
fn starts_run(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| matches!(fold::class(c), Class::Gap | Class::Han | Class::Syllable))
}

/// What kinds of characters a word has, as bits.
#[derive(Clone, Copy, Default)]
struct Seen(u8);

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const OTHER: u8 = 8;

/// The kind of each byte.
const KINDS: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
};

impl Seen {
    fn add(&mut self, kind: u8) {
        self.0 |= kind;
    }
    fn has_upper(self) -> bool {
        self.0 & UPPER != 0
    }
    fn only_digits(self) -> bool {
        self.0 == DIGIT
    }
    fn only_letters(self) -> bool {
        self.0 != 0 && self.0 & (DIGIT | OTHER) == 0
    }
}

fn kind(byte: u8) -> u8 {
    KINDS[usize::from(byte)]
}

/// Stems what can be stemmed, cuts what is too long, and hands it on.
fn finish(stems: &mut Stems, state: &State, term: &str, seen: Seen, range: Range<usize>, emit: Emit<'_>) {
    let cut = term.floor_char_boundary(LONGEST);
    let term = &term[..cut];
    if seen.only_letters() && state.language != Language::Chinese {
        stems.stem(term, |stem| emit(stem, range));
    } else if !term.is_empty() {
        emit(term, range);
    }
}

/// A word with characters that must be changed or dropped: `Café`, `O’Brien`, `Ｑ１`.
fn folded(text: &str, start: usize, scratch: &mut Scratch, emit: Emit<'_>) -> usize {
    let word = &mut scratch.word;
    word.clear();
    let (mut end, mut kept) = (start, start);
    // Where the word would end if its last apostrophe began an `'s`.
    let mut stem_at = None;
    let mut chars = text[start..].chars().peekable();
    while let Some(c) = chars.next() {
        match fold::class(c) {
            Class::Word => {
                fold::fold_into(c, word);
                kept = end + c.len_utf8();
            }
            Class::Apostrophe if chars.peek().is_some_and(|&n| fold::class(n) == Class::Word) => {
                stem_at = Some((word.len(), end));
            }
            Class::Silent => {}
            _ => break,
        }
        end += c.len_utf8();
    }
    if let Some((len, at)) = stem_at.filter(|&(len, _)| len > 0 && word.get(len..) == Some("s")) {
        word.truncate(len);
        kept = at;
    }
    let mut seen = Seen::default();
    word.bytes().for_each(|b| seen.add(kind(b)));
    finish(&mut scratch.stems, &scratch.state, word, seen, start..kept, emit);
    end
}

/// A number with separators, written plainly: `1,200.50` is `1200.5`. What only looks like one
/// (`1.2.3`, `12,34`) is cut at its separators.
fn number(text: &str, start: usize, digits: usize, scratch: &mut Scratch, emit: Emit<'_>) -> usize {
    let bytes = text.as_bytes();
    let whole = if follows_separator(bytes, start) { digits } else { groups(bytes, start, digits) };
    let end = if follows_separator(bytes, start) { digits } else { decimals(bytes, whole) };
    let word = &mut scratch.word;
    word.clear();
    word.extend(text[start..whole].chars().filter(char::is_ascii_digit));
    if end > whole {
        word.push_str(text[whole..end].trim_end_matches('0').trim_end_matches('.'));
    }
    // A unit written close to it stays with it: `1.2k`.
    let tail = bytes.get(end..).unwrap_or_default().iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    word.extend(text[end..end + tail].chars().map(|c| c.to_ascii_lowercase()));
    emit(&word[..word.floor_char_boundary(LONGEST)], start..end + tail);
    end + tail
}

fn follows_separator(bytes: &[u8], start: usize) -> bool {
    let before = |n: usize| start.checked_sub(n).and_then(|i| bytes.get(i));
    matches!(before(1), Some(b'.' | b',')) && before(2).is_some_and(u8::is_ascii_digit)
}

/// The end of the whole part of a number whose first digits are `start..end`, thousands groups included.
fn groups(bytes: &[u8], start: usize, mut end: usize) -> usize {
    if end - start > 3 || bytes.get(start) == Some(&b'0') {
        return end;
    }
    let first = end;
    while bytes.get(end) == Some(&b',') {
        match digits_at(bytes, end + 1) {
            3 => end += 4,
            0 => break,
            _ => return first,
        }
    }
    end
}

/// The end of the decimals that begin at `at`, or `at` where there are none.
fn decimals(bytes: &[u8], at: usize) -> usize {
    let count = digits_at(bytes, at + 1);
    let end = at + 1 + count;
    let goes_on = bytes.get(end) == Some(&b'.') && digits_at(bytes, end + 1) > 0;
    if bytes.get(at) == Some(&b'.') && count > 0 && !goes_on { end } else { at }
}

fn digits_at(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count()
}

/// A run of Chinese characters, made simplified and cut into words and the shorter words inside them.
fn han(text: &str, start: usize, scratch: &mut Scratch, emit: Emit<'_>) -> usize {
    if scratch.state.language == Language::English {
        return pairs(text, start, scratch, emit, fold::simplify, Class::Han);
    }
    let run = &mut scratch.word;
    run.clear();
    run.extend(text[start..].chars().take_while(|&c| fold::is_han(c)).map(fold::simplify));
    let end = start + run.len();
    for token in scratch.state.han.jieba().cut_for_search(run, true) {
        emit(token.word, start + token.byte_start..start + token.byte_end);
    }
    end
}

/// A run of characters of one class as pairs, or the one it has.
fn pairs(
    text: &str,
    start: usize,
    scratch: &mut Scratch,
    emit: Emit<'_>,
    fold: fn(char) -> char,
    class: Class,
) -> usize {
    let (mut end, mut last) = (start, None);
    let term = &mut scratch.word;
    for c in text[start..].chars().take_while(|&c| fold::class(c) == class) {
        let (here, next) = (end, end + c.len_utf8());
        if let Some((before, from)) = last {
            term.clear();
            term.extend([before, fold(c)]);
            emit(term, from..next);
        }
        last = Some((fold(c), here));
        end = next;
    }
    if let Some((only, _)) = last.filter(|&(_, from)| from == start) {
        term.clear();
        term.push(only);
        emit(term, start..end);
    }
    end
}

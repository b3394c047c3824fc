//! Characters into words, words into lines.

use super::ink::Char;
use super::letter;
use super::letter::Text;
use std::collections::HashMap;

/// A run of characters without a space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub text: String,
    pub left: f32,
    pub right: f32,
    /// The height of the baseline.
    pub base: f32,
    /// The size of the font.
    pub size: f32,
    pub bold: bool,
}

impl Word {
    fn new(c: &Char) -> Self {
        let mut text = String::new();
        c.text.push_to(&mut text);
        Word { text, left: c.left, right: c.right, base: c.base, size: c.size, bold: c.bold }
    }
    /// The top of its letters.
    pub(super) fn top(&self) -> f32 {
        self.base - 0.72 * self.size
    }
    /// The bottom of its letters.
    pub(super) fn bottom(&self) -> f32 {
        self.base + 0.2 * self.size
    }
    /// The middle between left and right.
    pub(super) fn middle(&self) -> f32 {
        (self.left + self.right) / 2.0
    }
    fn takes(&self, c: &Char, widest: f32) -> bool {
        let size = self.size.max(c.size);
        let gap = c.left - self.right;
        (c.base - self.base).abs() < 0.3 * size && gap > -0.5 * size && gap < widest * size
            // A character far smaller or larger belongs to another text.
            && c.size < 2.0 * self.size && self.size < 3.0 * c.size
    }
    fn push(&mut self, c: &Char) {
        c.text.push_to(&mut self.text);
        self.right = self.right.max(c.right);
        self.left = self.left.min(c.left);
        // Raised and lowered characters do not move the word.
        if c.size > self.size * 1.05 {
            (self.size, self.base) = (c.size, c.base);
        }
        self.bold &= c.bold;
    }
}

/// The words of a page, in the order they were drawn.
pub(super) fn words(chars: &[Char]) -> Vec<Word> {
    let spaces = chars.iter().filter(|c| c.text.is_space()).count();
    // Where spaces are drawn, a gap need not stand for one.
    let widest = if spaces * 20 > chars.len() { 0.28 } else { 0.17 };
    let mut words: Vec<Word> = Vec::new();
    let mut drawn = Drawn::default();
    let mut open = false;
    for c in chars {
        if c.text.is_space() {
            open = false;
            continue;
        }
        if drawn.is_again(c) {
            continue;
        }
        match words.last_mut() {
            Some(word) if open && word.takes(c, widest) => word.push(c),
            _ => words.push(Word::new(c)),
        }
        open = true;
    }
    let mut words = parted(without_shadows(joined(words)));
    for word in words.iter_mut().filter(|w| letter::is_leftward(&w.text) && !w.text.is_ascii()) {
        word.text = letter::logical(&word.text);
    }
    words
}

/// What was drawn where: letters drawn a second time give the look of bold or of a shadow.
#[derive(Default)]
struct Drawn(HashMap<(i32, i32), Vec<Mark>>);

/// A letter and where it stands.
type Mark = (Text, f32, f32);

impl Drawn {
    fn is_again(&mut self, c: &Char) -> bool {
        let near = 0.14 * c.size;
        let step = c.size.max(4.0) / 2.0;
        let at = |x: f32| (x / step).floor() as i32;
        let cells = [c.left - near, c.left + near].map(at);
        let lines = [c.base - near, c.base + near].map(at);
        for x in cells[0]..=cells[1] {
            for y in lines[0]..=lines[1] {
                let same =
                    |d: &Mark| (d.1 - c.left).abs() < near && (d.2 - c.base).abs() < near && d.0 == c.text;
                if self.0.get(&(x, y)).is_some_and(|d| d.iter().any(same)) {
                    return true;
                }
            }
        }
        self.0.entry((at(c.left), at(c.base))).or_default().push((c.text.clone(), c.left, c.base));
        false
    }
}

/// Joins parts of words that were drawn apart.
fn joined(mut words: Vec<Word>) -> Vec<Word> {
    words.sort_by(|a, b| line_of(a.base).cmp(&line_of(b.base)).then(a.left.total_cmp(&b.left)));
    let mut out: Vec<Word> = Vec::new();
    for word in words {
        match out.last_mut() {
            Some(last)
                if (last.base - word.base).abs() < 0.1 * last.size
                    && (last.size - word.size).abs() < 0.3 * last.size
                    && (-0.02 * last.size..0.06 * last.size).contains(&(word.left - last.right)) =>
            {
                last.text.push_str(&word.text);
                last.right = last.right.max(word.right);
                last.bold &= word.bold;
            }
            _ => out.push(word),
        }
    }
    out
}

fn line_of(base: f32) -> i32 {
    (base * 2.0).round() as i32
}

/// Drops words drawn a second time for the look of bold or a shadow.
fn without_shadows(words: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    for word in words {
        let twice = out.iter().rev().take(6).any(|w| {
            (w.left - word.left).abs() < 0.15 * word.size
                && (w.base - word.base).abs() < 0.15 * word.size
                && w.text == word.text
        });
        if !twice {
            out.push(word);
        }
    }
    out
}

/// Cuts words in which letters of both directions touch: each part is read in its own.
fn parted(words: Vec<Word>) -> Vec<Word> {
    let mut out = Vec::with_capacity(words.len());
    for word in words {
        let turns = if word.text.is_ascii() { Vec::new() } else { letter::turns(&word.text) };
        if turns.is_empty() {
            out.push(word);
            continue;
        }
        let width = (word.right - word.left) / word.text.chars().count().max(1) as f32;
        let (mut from, mut left) = (0, word.left);
        for end in turns.into_iter().chain([word.text.len()]) {
            let text = word.text.get(from..end).unwrap_or_default().to_owned();
            let right = left + width * text.chars().count() as f32;
            out.push(Word { text, left, right, ..word });
            (from, left) = (end, right);
        }
    }
    out
}

/// Words side by side.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    /// From left to right; never empty.
    pub words: Vec<Word>,
    pub base: f32,
    pub size: f32,
}

impl Line {
    pub(super) fn left(&self) -> f32 {
        self.words.first().map_or(0.0, |w| w.left)
    }
    pub(super) fn right(&self) -> f32 {
        self.words.iter().fold(f32::MIN, |r, w| r.max(w.right))
    }
    pub(super) fn top(&self) -> f32 {
        self.base - 0.72 * self.size
    }
    pub(super) fn bottom(&self) -> f32 {
        self.base + 0.2 * self.size
    }
    /// The words joined by spaces; none between letters of scripts without spaces.
    pub(super) fn text(&self) -> String {
        text(&self.words)
    }
}

/// Words joined by spaces; none between letters of scripts without spaces.
pub(super) fn text(words: &[Word]) -> String {
    let letters: String = words.iter().flat_map(|w| w.text.chars()).filter(|c| !c.is_ascii()).collect();
    if !letters.is_empty() && letter::is_leftward(&words.iter().map(|w| w.text.as_str()).collect::<String>())
    {
        return leftward(words);
    }
    joined_text(words.iter())
}

/// A line that runs from right to left: runs of other words in it keep their order.
fn leftward(words: &[Word]) -> String {
    let is_left = |w: &Word| letter::is_leftward(&w.text) && !w.text.is_ascii();
    let runs: Vec<&[Word]> = words.chunk_by(|a, b| !is_left(a) && !is_left(b)).collect();
    let texts: Vec<String> = runs.iter().rev().map(|run| joined_text(run.iter())).collect();
    texts.join(" ")
}

fn joined_text<'a>(words: impl Iterator<Item = &'a Word>) -> String {
    let mut out = String::new();
    let mut last: Option<&Word> = None;
    for word in words {
        if let Some(last) = last
            && needs_space(last, word)
        {
            out.push(' ');
        }
        out.push_str(&word.text);
        last = Some(word);
    }
    out
}

fn needs_space(a: &Word, b: &Word) -> bool {
    let dense = |c: Option<char>| c.is_some_and(is_dense);
    !(dense(a.text.chars().last()) && dense(b.text.chars().next())) || b.left - a.right > 0.7 * a.size
}

/// Letters of scripts that are written without spaces.
pub(super) fn is_dense(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// The lines of a page from top to bottom.
pub(super) fn lines(mut words: Vec<Word>) -> Vec<Line> {
    words.sort_by(|a, b| a.base.total_cmp(&b.base));
    let mut lines: Vec<Line> = Vec::new();
    let mut small = Vec::new();
    let usual = usual_size(&words);
    for word in words {
        let near = lines.iter_mut().rev().take(12).find(|l| {
            let size = l.size.min(word.size);
            (l.base - word.base).abs() < 0.3 * size && word.size > 0.6 * l.size
        });
        match near {
            Some(line) => line.words.push(word),
            // What is small may be raised or lowered beside larger text.
            None if word.size < 0.8 * usual => small.push(word),
            None => lines.push(Line { base: word.base, size: word.size, words: vec![word] }),
        }
    }
    place_small(&mut lines, small);
    for line in &mut lines {
        line.words.sort_by(|a, b| a.left.total_cmp(&b.left));
        line.size = line.words.iter().fold(0.0, |s: f32, w| s.max(w.size));
    }
    lines.sort_by(|a, b| a.base.total_cmp(&b.base));
    lines
}

fn place_small(lines: &mut Vec<Line>, small: Vec<Word>) {
    let mut rest: Vec<Line> = Vec::new();
    for word in small {
        let middle = (word.top() + word.bottom()) / 2.0;
        let host = lines.iter_mut().find(|l| {
            middle > l.top() - 0.1 * l.size
                && middle < l.bottom() + 0.05 * l.size
                && l.size > 1.15 * word.size
                && l.words
                    .iter()
                    .any(|w| word.left - w.right < 0.4 * l.size && w.left - word.right < 0.4 * l.size)
        });
        if let Some(host) = host {
            host.words.push(word);
            continue;
        }
        let near =
            rest.iter_mut().rev().take(6).find(|l| (l.base - word.base).abs() < 0.3 * l.size.min(word.size));
        match near {
            Some(line) => line.words.push(word),
            None => rest.push(Line { base: word.base, size: word.size, words: vec![word] }),
        }
    }
    lines.append(&mut rest);
}

/// The size of most letters.
pub(super) fn usual_size(words: &[Word]) -> f32 {
    let mut sizes: Vec<(f32, usize)> = words.iter().map(|w| (w.size, w.text.len())).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|s| s.1).sum::<usize>() / 2;
    let mut sum = 0;
    for (size, count) in sizes {
        sum += count;
        if sum > half {
            return size;
        }
    }
    10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters side by side on one line, each a string of its own.
    fn line_of_chars(text: &str) -> Vec<Char> {
        let at = |i: usize| i as f32 * 5.0;
        let char = |(i, c): (usize, char)| Char {
            text: Text::One(c),
            left: at(i),
            right: at(i + 1),
            base: 100.0,
            size: 10.0,
            bold: false,
        };
        text.chars().enumerate().map(char).collect()
    }

    fn read(drawn: &str) -> String {
        text(&words(&line_of_chars(drawn)))
    }

    #[test]
    fn letters_of_both_directions_that_touch_are_words_of_their_own() {
        // As it stands on the page, from left to right.
        assert_eq!(read("تاودأ نمPython ةغلب جمرب"), "برمج بلغة Python من أدوات");
        assert_eq!(read("Pythonو R ةغلب ةجمرب"), "برمجة بلغة R و Python");
        assert_eq!(read("the word םולש(shalom) means peace"), "the word שלום (shalom) means peace");
        assert_eq!(read("12א ב34"), "34ב א12");
    }
}

//! Tells a table what the text elsewhere says about it: sentences that name it by the label of its caption.

use std::collections::HashMap;
use tabletalk_core::{Block, Table};

/// What a table is told of the sentences that name it.
const MAX_MENTIONS: usize = 600;
/// A longer sentence is no sentence.
const MAX_SENTENCE: usize = 400;
/// So many bytes of a sentence are looked at.
const MAX_LOOK: usize = 4096;
/// What tables are called. The longer come first, so that `tables` is not read as `table` and an `s`.
const NAMES: &[&str] =
    &["tables", "table", "tabellen", "tabelle", "tableau", "tabela", "tabella", "tabla", "tab.", "表"];
/// What pictures are called.
const PICTURES: &[&str] =
    &["figure", "fig", "abbildung", "abb", "figura", "image", "photo", "chart", "图", "圖", "図"];
/// What may stand between the numbers of `tables 3, 4 and 5`.
const JOINTS: &[&str] = &[", and ", ", ", " and ", " or ", " & ", " und ", " et ", "、", "和", "及", "与"];

/// Whether a caption is that of a picture.
pub(super) fn is_of_picture(caption: &str) -> bool {
    let lower = caption.trim_start().to_lowercase();
    PICTURES.iter().any(|name| lower.starts_with(name))
}

/// Adds to the context of every labelled table what other paragraphs say about it.
pub(super) fn attach(blocks: &mut [Block]) {
    let labelled = |b: &Block| matches!(b, Block::Table(t) if label(t.title()).is_some());
    if !blocks.iter().any(labelled) {
        return;
    }
    let mut said: HashMap<String, Vec<String>> = HashMap::new();
    for block in blocks.iter() {
        if let Block::Text(text) | Block::Item(_, text) | Block::Note(text) = block {
            gather(&text.text, &mut said);
        }
    }
    for block in blocks {
        let Block::Table(table) = block else { continue };
        if let Some(sentences) = label(table.title()).and_then(|label| said.get(&label)) {
            tell(table, sentences);
        }
    }
}

fn tell(table: &mut Table, sentences: &[String]) {
    let mut room = MAX_MENTIONS;
    for sentence in sentences {
        let length = sentence.chars().count();
        if length > room {
            return;
        }
        if table.context.contains(sentence.as_str()) {
            continue;
        }
        room -= length;
        if !table.context.is_empty() {
            table.context.push('\n');
        }
        table.context.push_str(sentence);
    }
}

/// Notes every sentence of a text under the labels it names.
fn gather(text: &str, said: &mut HashMap<String, Vec<String>>) {
    let lower = text.to_lowercase();
    if !NAMES.iter().any(|name| lower.contains(name)) {
        return;
    }
    for sentence in sentences(text) {
        // What has no full stop for pages is no sentence; looking for names in it would take long.
        let sentence = head(sentence, MAX_LOOK);
        let mut labels = labels(sentence);
        labels.sort_unstable();
        labels.dedup();
        for label in labels {
            let told = said.entry(label).or_default();
            if told.len() < 8 {
                told.push(sentence.chars().take(MAX_SENTENCE).collect());
            }
        }
    }
}

/// The first bytes of a text, up to a whole character.
fn head(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Cuts a text after full stops; `Tab. 3` is not cut, as no sentence begins with a digit.
fn sentences(text: &str) -> Vec<&str> {
    let (mut out, mut from) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, n)| *n);
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        let ends = match c {
            '\n' | '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' => {
                next == Some(' ') && after.trim_start().starts_with(|n: char| n.is_uppercase())
            }
            _ => false,
        };
        if ends {
            out.extend(text.get(from..at + c.len_utf8()));
            from = at + c.len_utf8();
        }
    }
    out.extend(text.get(from..));
    out.into_iter().map(str::trim).filter(|s| !s.is_empty()).collect()
}

/// The label of a caption: `3` of `Table 3: Sales`. Annexes count apart from tables.
fn label(caption: &str) -> Option<String> {
    let lower = caption.trim_start().to_lowercase();
    let (annex, rest) = match lower.strip_prefix('附') {
        Some(rest) => (true, rest),
        None => (false, lower.as_str()),
    };
    let rest = NAMES.iter().find_map(|name| rest.strip_prefix(name))?;
    let (number, _) = number(rest)?;
    Some(key(annex, &number))
}

fn key(annex: bool, number: &str) -> String {
    if annex { format!("附{number}") } else { number.to_owned() }
}

/// All labels of tables that a sentence names.
fn labels(sentence: &str) -> Vec<String> {
    let lower = sentence.to_lowercase();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = lower.get(at..) {
        let Some((start, name)) = first_name(rest) else { break };
        let before = lower.get(..at + start).and_then(|b| b.chars().next_back());
        at += start + name.len();
        let word = name != "表" && before.is_some_and(char::is_alphabetic);
        // 图表, 列表, 报表 are other things.
        if word || name == "表" && before.is_some_and(|c| "图圖列报報代发發".contains(c)) {
            continue;
        }
        let after = lower.get(at..).unwrap_or_default();
        let numbers = numbers(after, name);
        found.extend(numbers.iter().map(|n| key(before == Some('附'), n)));
    }
    found
}

fn first_name(text: &str) -> Option<(usize, &'static str)> {
    let places = NAMES.iter().filter_map(|name| Some((text.find(name)?, *name)));
    places.min_by_key(|(at, name)| (*at, std::cmp::Reverse(name.len())))
}

/// The numbers right after a name: one, or several after a plural.
fn numbers(mut rest: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    while let Some((number, after)) = number(rest) {
        found.push(number);
        let joint = JOINTS.iter().find_map(|joint| after.strip_prefix(joint));
        match joint {
            Some(next) if found.len() < 20 && (name.ends_with('s') || name == "表") => rest = next,
            _ => break,
        }
    }
    found
}

/// The number a text begins with, such as `3`, `3-1`, `a.2`, `iv`, `三`, and what comes after it.
fn number(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start_matches([' ', '\u{a0}', '\u{3000}', '\t']);
    let part = |c: char| c.is_ascii_alphanumeric() || "一二三四五六七八九十".contains(c);
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '.' | '-' | '–' | '‑') && chars.peek().is_some_and(|(_, n)| part(*n));
        if !(part(c) || joins && at > 0) {
            break;
        }
        end = at + c.len_utf8();
    }
    let number: String =
        text.get(..end)?.chars().map(|c| if c == '–' || c == '‑' { '-' } else { c }).collect();
    let roman = !number.is_empty() && number.chars().all(|c| "ivxlc".contains(c));
    let counts = number.contains(|c: char| c.is_ascii_digit() || !c.is_ascii()) || roman;
    // `table 3rd` and `a table a user` name nothing.
    let short = number.chars().count() <= 8 && !number.is_empty();
    (short && counts).then(|| (number, text.get(end..).unwrap_or_default()))
}

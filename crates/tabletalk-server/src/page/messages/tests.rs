//! Whatever the engine can say has its line: the messages are looked for where the program makes them.

use super::*;
use regex::Regex;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The crates whose messages can reach the page.
const CRATES: &str =
    "core read model sql question vector cluster keyword store remote engine library eval server";

/// What makes a message of a text. A mistake of the program itself is told in English, as it would be reported.
const MAKES: [&str; 17] = [
    "Error::input(",
    "Error::missing(",
    "Error::limit(",
    "Error::upstream(",
    "Error::io(",
    ".hint(",
    "Problem::new(",
    "Problem::forbidden(",
    "Problem::too_large(",
    "Problem::key(",
    ".warn(",
    "warnings.push(",
    "watch.note(",
    "undecided(",
    "upstream(",
    "unheard(",
    "refused(",
];

/// Files in which every text of three words is said to somebody.
const TOLD: [&str; 10] = [
    "engine/src/answer/silent.rs",
    "engine/src/answer/judge/choose.rs",
    "engine/src/embed/space.rs",
    "engine/src/take/note.rs",
    "engine/src/maintain/mod.rs",
    "library/src/forgetting.rs",
    "engine/src/replicate/mod.rs",
    "read/src/format/csv/batches.rs",
    "read/src/format/json/lines.rs",
    "sql/src/resolve/allowed.rs",
];

/// Texts beside messages that are looked for in what others say, or are put together from messages.
const BESIDE: [&str; 16] = [
    "PowerPoint Document",
    "sql names",
    "{} {}: {}",
    "s3://{} at {}: {}",
    "No space left",
    "disk is full",
    "larger than max",
    "Timeout expired",
    "Dimension value cannot be greater",
    "password missing",
    "not support TLS",
    "context length",
    "context size",
    "context window",
    "prompt is too long",
    "input token count",
];

#[test]
fn every_message_has_its_words_in_three_languages() {
    let known: HashSet<String> =
        all().filter_map(|line| line.first().map(|english| shape(english))).collect();
    let mut missing = BTreeMap::new();
    let sources = sources();
    for told in TOLD {
        assert!(sources.iter().any(|(path, _)| path.ends_with(&format!("tabletalk-{told}"))), "{told} moved");
    }
    for (path, source) in sources {
        let name = path.rsplit("tabletalk-").next().unwrap_or_default().to_owned();
        for text in messages(&name, &source) {
            let shape = shape(&text);
            if !known.contains(&shape) && !BESIDE.contains(&shape.as_str()) {
                missing.insert(text, name.clone());
            }
        }
    }
    assert!(missing.is_empty(), "lines in page/messages are missing for {missing:#?}");
}

#[test]
fn every_line_is_whole() {
    let mut seen = HashSet::new();
    for line in all() {
        assert!(
            line.len() == 3 && line.iter().all(|part| !part.is_empty()),
            "English | Chinese | German: {line:?}"
        );
        let slots: Vec<HashSet<String>> = line
            .iter()
            .map(|part| slots(part).into_iter().filter(|s| !s.starts_with("{rest")).collect())
            .collect();
        assert!(slots.iter().all(|set| *set == slots[0]), "something is not filled in: {line:?}");
        assert!(seen.insert(line[0]), "twice: {}", line[0]);
    }
    assert!(seen.len() > 1000, "{}", seen.len());
    assert!(of("zh").is_some_and(|text| text.contains("the question is empty | 问题是空的\n")));
    assert!(of("en").is_none() && of("fr").is_none());
}

/// A message with nothing filled in, so that it is the same whatever the names are.
fn shape(text: &str) -> String {
    static SLOT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(\{+[^{}"…]*\}+)+"#).unwrap());
    SLOT.replace_all(text.trim(), "{}").into_owned()
}

fn slots(text: &str) -> HashSet<String> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{\w+\}").unwrap());
    NAME.find_iter(text).map(|m| m.as_str().to_owned()).collect()
}

/// The sources of the crates without their tests.
fn sources() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for name in CRATES.split(' ') {
        walk(&crates.join(format!("tabletalk-{name}/src")), &mut found);
    }
    let own = Regex::new(r"(?s)#\[cfg\(test\)\]\s*(pub(\(crate\))? )?mod \w+ \{.*").unwrap();
    let read = |path: PathBuf| {
        let source = std::fs::read_to_string(&path).unwrap();
        (path.display().to_string().replace('\\', "/"), own.replace(&source, "").into_owned())
    };
    found.into_iter().map(read).collect()
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => walk(&path, found),
            false if path.extension().is_some_and(|e| e == "rs") && !name.ends_with("tests") => {
                found.push(path)
            }
            false => {}
        }
    }
}

/// The messages that a source makes.
fn messages(name: &str, source: &str) -> Vec<String> {
    let (code, texts) = parted(source);
    let within = |from: usize, to: usize| {
        let first = code[..from].matches('\u{1}').count();
        texts[first..first + code[from..to].matches('\u{1}').count()].iter().map(String::as_str)
    };
    let mut made: Vec<&str> = Vec::new();
    for make in MAKES {
        for (at, _) in code.match_indices(make) {
            let (from, to) = (at + make.len(), end(&code, at + make.len()));
            let here: Vec<&str> = within(from, to).filter(|text| words(text) > 1).collect();
            match within(from, to).next() {
                Some(_) => made.extend(here),
                // It is made beforehand: in the function that this is said in.
                None if code[from..to].chars().any(|c| c.is_lowercase()) => {
                    let (from, to) = function(&code, at);
                    made.extend(within(from, to).filter(|text| words(text) > 1));
                }
                None => {}
            }
        }
    }
    if TOLD.contains(&name) {
        made.extend(texts.iter().map(String::as_str).filter(|text| words(text) > 2));
    }
    made.into_iter().filter(|text| !is_code(text)).map(str::to_owned).collect()
}

/// How many words there are, of letters.
fn words(text: &str) -> usize {
    let bare = shape(text);
    bare.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count()
}

/// SQL and the like.
fn is_code(text: &str) -> bool {
    let is_keyword = |word: &str| !word.contains(|c: char| c.is_lowercase());
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_statement = words.len() > 3 && words[0].len() > 2 && is_keyword(words[0]);
    is_statement || words.iter().all(|word| is_keyword(word) || *word == "or")
}

/// Where the parenthesis that is open here is closed.
fn end(code: &str, from: usize) -> usize {
    let mut depth = 1;
    for (i, c) in code[from..].char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return from + i;
        }
    }
    code.len()
}

/// Where the function around a place begins and ends, near enough.
fn function(code: &str, at: usize) -> (usize, usize) {
    let from = code[..at].rfind("fn ").unwrap_or(0);
    (from, code[at..].find("fn ").map_or(code.len(), |next| at + next))
}

/// A source without comments, each text in it replaced by a mark; and the texts.
fn parted(source: &str) -> (String, Vec<String>) {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
        r##"(?s)//[^\n]*|/\*.*?\*/|r#"(.*?)"#|r"([^"]*)"|"((?:[^"\\]|\\.)*)"|'(?:[^'\\]|\\[^u]|\\u\{\w+\})'"##,
    ).unwrap()
    });
    let (mut code, mut texts, mut last) = (String::new(), Vec::new(), 0);
    for found in TOKEN.captures_iter(source) {
        let whole = found.get(0).unwrap();
        code.push_str(&source[last..whole.start()]);
        last = whole.end();
        if let Some(text) = (1..4).find_map(|i| found.get(i)) {
            code.push('\u{1}');
            texts.push(plain(text.as_str()));
        }
    }
    code.push_str(&source[last..]);
    (code, texts)
}

/// A text without its escapes.
fn plain(text: &str) -> String {
    static BREAK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\\n\s*").unwrap());
    let joined = BREAK.replace_all(text, "");
    joined.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\")
}

//! JSON as models write it.

use serde_json::{Map, Value};

/// The deepest nesting that is read.
const DEEPEST: usize = 64;
/// How many places of a text are tried, and how much of it is looked at: a reply is never that long.
const MOST_TRIES: usize = 64;
const LONGEST: usize = 1 << 20;

/// The JSON in `text`: all of it, or the longest list or object in it. Prose and fences around it, commas at the end, single
/// quotes, names without quotes, `True`, `None`, `NaN` and comments are understood, and what is cut off is closed.
pub fn json(text: &str) -> Option<Value> {
    let text = spoken(text).trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or(text);
    let mut best: Option<(bool, usize, Value)> = None;
    let mut from = 0;
    for _ in 0..MOST_TRIES {
        let Some(start) = text.get(from..).and_then(|rest| rest.find(['{', '['])).map(|at| from + at) else {
            break;
        };
        from = start + 1;
        let Some((value, closed, length)) = text.get(start..).and_then(value_at) else { continue };
        from = start + length.max(1);
        if best.as_ref().is_none_or(|(was_closed, longest, _)| (closed, length) > (*was_closed, *longest)) {
            best = Some((closed, length, value));
        }
    }
    best.map(|(_, _, value)| value)
}

/// The text without what a model thought aloud before it.
pub(crate) fn spoken(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, said)| said)
}

/// The value that `text` begins with, whether it was closed, and its length.
fn value_at(text: &str) -> Option<(Value, bool, usize)> {
    let mut strict = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if let Some(Ok(value)) = strict.next() {
        return Some((value, true, strict.byte_offset()));
    }
    let mut reader = Lenient { text, at: 0, cut: false };
    let value = reader.value(0)?;
    Some((value, !reader.cut, reader.at))
}

/// Reads what is nearly JSON.
struct Lenient<'a> {
    text: &'a str,
    at: usize,
    /// Whether the text ended before the value did.
    cut: bool,
}

impl<'a> Lenient<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next sign that is no blank and in no comment.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let skipped = match trimmed.get(..2) {
                Some("//") => trimmed.find('\n'),
                Some("/*") => trimmed.find("*/").map(|end| end + 2),
                _ => return trimmed.chars().next(),
            };
            self.at += skipped.unwrap_or(trimmed.len());
        }
    }

    fn eat(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(sign);
        self.at += if is_next { sign.len_utf8() } else { 0 };
        is_next
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            _ if depth > DEEPEST => None,
            '{' => self.object(depth),
            '[' => self.list(depth),
            quote @ ('"' | '\'') => Some(Value::String(self.string(quote))),
            _ => self.word(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.eat('[');
        let mut items = Vec::new();
        loop {
            if self.eat(']') {
                break;
            }
            if self.ended() {
                break;
            }
            match self.value(depth + 1) {
                Some(item) => items.push(item),
                None if self.ended() => break,
                None => return None,
            }
            if !self.eat(',') && self.peek() != Some(']') && !self.ended() {
                return None;
            }
        }
        Some(Value::Array(items))
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.eat('{');
        let mut entries = Map::new();
        while !self.eat('}') && !self.ended() {
            let name = match self.peek()? {
                quote @ ('"' | '\'') => self.string(quote),
                _ => self.name()?,
            };
            if !self.eat(':') {
                // A name that is cut off has no value.
                return self.ended().then_some(Value::Object(entries));
            }
            match self.value(depth + 1) {
                Some(value) => _ = entries.insert(name, value),
                None if self.ended() => break,
                None => return None,
            }
            if !self.eat(',') && self.peek() != Some('}') && !self.ended() {
                return None;
            }
        }
        Some(Value::Object(entries))
    }

    /// Whether the text is over; if so, what is open was cut off.
    fn ended(&mut self) -> bool {
        let ended = self.peek().is_none();
        self.cut |= ended;
        ended
    }

    /// A text in quotes. A quote ends it only before a sign that may follow a text, since models forget to escape
    /// those inside.
    fn string(&mut self, quote: char) -> String {
        self.eat(quote);
        let mut text = String::new();
        let mut signs = self.rest().char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => escaped(&mut signs, &mut text),
                _ if sign == quote && ends(signs.as_str()) => {
                    self.at += at + sign.len_utf8();
                    return text;
                }
                _ => text.push(sign),
            }
        }
        self.at = self.text.len();
        self.cut = true;
        text
    }

    /// A name without quotes.
    fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-' || c == '$'))
            .unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).filter(|name| !name.is_empty()).map(str::to_owned)
    }

    /// A number, a word that JSON or Python knows, or a text without quotes.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', '\n', '{', '[', '"']).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().trim_end();
        self.at += end;
        let cut = end == rest.len();
        Some(match word {
            "" => return None,
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            "null" | "None" | "NULL" | "NaN" | "nan" | "undefined" | "Infinity" | "-Infinity" => Value::Null,
            // `tru` at the very end was to become something else.
            _ if cut && word.chars().all(char::is_alphabetic) => return None,
            _ => number(word).unwrap_or_else(|| Value::String(word.to_owned())),
        })
    }
}

fn number(word: &str) -> Option<Value> {
    let plain = word.trim_start_matches('+').replace('_', "");
    serde_json::from_str(&plain).ok().filter(Value::is_number).or_else(|| {
        // `.5` and `5.` are no JSON.
        let looks = plain.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        plain.parse::<f64>().ok().filter(|n| looks && n.is_finite()).map(Value::from)
    })
}

/// Whether `rest` may follow the end of a text.
fn ends(rest: &str) -> bool {
    rest.trim_start().chars().next().is_none_or(|next| matches!(next, ',' | ':' | '}' | ']' | '/'))
}

/// Adds the sign that stands after a backslash.
fn escaped(signs: &mut std::str::CharIndices<'_>, text: &mut String) {
    match signs.next() {
        Some((_, 'n')) => text.push('\n'),
        Some((_, 't')) => text.push('\t'),
        Some((_, 'r')) => text.push('\r'),
        Some((_, 'b')) => text.push('\u{8}'),
        Some((_, 'f')) => text.push('\u{c}'),
        Some((_, 'u')) => text.push(unicode(signs)),
        Some((_, other)) => text.push(other),
        None => {}
    }
}

/// The sign of four hexadecimal digits, or of two such escapes for one above 16 bits.
fn unicode(signs: &mut std::str::CharIndices<'_>) -> char {
    let digits = |text: &str| text.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let rest = signs.as_str();
    let Some(first) = digits(rest) else { return char::REPLACEMENT_CHARACTER };
    let second = rest.get(4..6).filter(|mark| *mark == "\\u").and_then(|_| rest.get(6..)).and_then(digits);
    let pair = [first, second.unwrap_or(0)];
    let units = if second.is_some() && (0xd800..0xdc00).contains(&first) { &pair[..] } else { &pair[..1] };
    let length = if units.len() == 2 { 10 } else { 4 };
    signs.by_ref().take(length).for_each(drop);
    char::decode_utf16(units.iter().copied())
        .next()
        .and_then(Result::ok)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn json_is_found_in_what_models_write() {
        let wanted = json!({"sql": "select 1", "sure": true, "why": null});
        for text in [
            r#"{"sql": "select 1", "sure": true, "why": null}"#,
            "Sure! Here it is [as asked]:\n```json\n{\"sql\": \"select 1\", \"sure\": true, \"why\": null}\n```\nBye {x}",
            "{'sql': 'select 1', 'sure': True, 'why': None,}",
            "{sql: \"select 1\", // the query\n sure: TRUE, why: NaN}",
            "<think>{\"sql\": \"no\"}</think>{\"sql\": \"select 1\", \"sure\": true, \"why\": null",
        ] {
            assert_eq!(json(text), Some(wanted.clone()), "{text}");
        }
    }

    #[test]
    fn what_is_cut_off_is_closed() {
        assert_eq!(json(r#"{"a": [1, 2, {"b": "so fa"#), Some(json!({"a": [1, 2, {"b": "so fa"}]})));
        assert_eq!(json(r#"{"a": 1, "b"#), Some(json!({"a": 1})));
        assert_eq!(json(r#"{"a": 1, "b":"#), Some(json!({"a": 1})));
        assert_eq!(json(r#"{"a": 1, "b": tru"#), Some(json!({"a": 1})));
        assert_eq!(json("[1, 2,"), Some(json!([1, 2])));
    }

    #[test]
    fn texts_keep_their_signs() {
        assert_eq!(json(r#"{'a': 'it's so', 'b': 1}"#), Some(json!({"a": "it's so", "b": 1})));
        assert_eq!(json("{\"a\": \"two\nlines\",}"), Some(json!({"a": "two\nlines"})));
        assert_eq!(json(r#"{'a': '\u00e9\ud83d\ude00\n', b: .5}"#), Some(json!({"a": "é😀\n", "b": 0.5})));
        assert_eq!(json(r#"{answer: New York, n: -3}"#), Some(json!({"answer": "New York", "n": -3})));
    }

    #[test]
    fn prose_is_no_json() {
        assert_eq!(json("I do not know."), None);
        assert_eq!(json(""), None);
        assert_eq!(json("{ what? }"), None);
        assert!(json(&"[".repeat(100_000)).is_none());
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[\\[{}\\]\"',:\\\\u0-9a-f é/*\n]{0,60}") {
            let _ = json(&text);
        }

        #[test]
        fn any_beginning_of_json_is_read(cut in 0_usize..90) {
            let whole = r#"{"列": ["é😀", -1.5e3, {"b": "\u00e9 \"q\""}, true, null], "z": {"y": "x, y: z"}, "end": 0}"#;
            let beginning = &whole[..whole.floor_char_boundary(cut.max(1))];
            prop_assert!(json(beginning).is_some_and(|value| value.is_object()));
        }
    }
}

//! Splits text into records and records into fields.

use std::borrow::Cow;

/// The characters that structure a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Between fields; 0, which no text holds, when there is but one column.
    pub(super) delimiter: u8,
    /// Around fields that hold delimiters or line ends; 0 for none.
    pub(super) quote: u8,
    /// After each record; a carriage return before it is dropped.
    pub(super) newline: u8,
}

/// Where a field stands in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    start: usize,
    end: usize,
    /// It holds quotes that are not part of its content.
    quoted: bool,
}

impl Field {
    /// The content.
    pub(super) fn text<'a>(&self, text: &'a str, quote: u8) -> Cow<'a, str> {
        let raw = text.get(self.start..self.end).unwrap_or("");
        if self.quoted { unquote(raw, quote) } else { Cow::Borrowed(raw) }
    }
}

#[derive(Debug, Default)]
pub(super) struct Record {
    /// Its first byte in the text.
    pub(super) start: usize,
    pub(super) fields: Vec<Field>,
}

impl Record {
    /// Whether it is an empty line.
    pub(super) fn is_blank(&self) -> bool {
        self.fields.len() <= 1 && self.fields.iter().all(|f| f.start == f.end)
    }
    /// How many fields it has, empty ones at its end aside.
    pub(super) fn width(&self) -> usize {
        self.fields.iter().rposition(|f| f.start < f.end).map_or(0, |i| i + 1)
    }
}

/// Gives the records of a text one by one.
pub(super) struct Splitter<'a> {
    text: &'a str,
    dialect: Dialect,
    at: usize,
    /// No quote in the text: nothing but delimiters and line ends count.
    is_simple: bool,
    /// Whether an unfinished record at the end is one.
    is_all: bool,
    /// Where a quote was opened that is never closed, and so was taken as a character.
    pub(super) unclosed: Option<usize>,
    record: Record,
}

impl<'a> Splitter<'a> {
    /// Of a text that begins at the start of a record; `is_all` says that it ends at the end of one.
    pub(super) fn new(text: &'a str, dialect: Dialect, is_all: bool) -> Self {
        let is_simple = memchr::memchr(dialect.quote, text.as_bytes()).is_none();
        let record = Record::default();
        Splitter { text, dialect, at: 0, is_simple, is_all, unclosed: None, record }
    }

    /// The next record, or `None` after the last.
    pub(super) fn next_record(&mut self) -> Option<&Record> {
        if self.at >= self.text.len() {
            return None;
        }
        self.record.start = self.at;
        self.record.fields.clear();
        let whole = if self.is_simple { self.simple() } else { self.general() };
        if !whole && !self.is_all {
            self.at = self.text.len();
            return None;
        }
        Some(&self.record)
    }

    /// A record without quotes; says whether it ends in a line end.
    fn simple(&mut self) -> bool {
        let (start, Dialect { delimiter, newline, .. }) = (self.at, self.dialect);
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let mut from = start;
        for hit in memchr::memchr2_iter(delimiter, newline, rest) {
            let end = start + hit;
            let at_line_end = rest.get(hit) == Some(&newline);
            self.push(from, end, false, at_line_end);
            from = end + 1;
            if at_line_end {
                self.at = from;
                return true;
            }
        }
        self.push(from, self.text.len(), false, true);
        self.at = self.text.len();
        false
    }

    /// A record whose fields may be quoted; says whether it ends in a line end.
    fn general(&mut self) -> bool {
        let Dialect { delimiter, newline, .. } = self.dialect;
        let bytes = self.text.as_bytes();
        let mut from = self.at;
        loop {
            let (after, quoted) = self.after_quotes(from);
            let rest = bytes.get(after..).unwrap_or_default();
            let Some(hit) = memchr::memchr2(delimiter, newline, rest) else {
                self.push(from, bytes.len(), quoted, true);
                self.at = bytes.len();
                return false;
            };
            let end = after + hit;
            let at_line_end = bytes.get(end) == Some(&newline);
            self.push(from, end, quoted, at_line_end);
            from = end + 1;
            if at_line_end {
                self.at = from;
                return true;
            }
        }
    }

    /// The position after the closing quote of a field that begins at `from` and is quoted.
    fn after_quotes(&mut self, from: usize) -> (usize, bool) {
        let bytes = self.text.as_bytes();
        let Some(open) = opening(bytes, from, self.dialect) else {
            return (from, false);
        };
        match closing(bytes, open + 1, self.dialect.quote) {
            Some(close) => (close + 1, true),
            None if self.is_all => {
                self.unclosed.get_or_insert(open);
                (from, false)
            }
            None => (bytes.len(), true),
        }
    }

    fn push(&mut self, start: usize, mut end: usize, quoted: bool, at_line_end: bool) {
        let last = end.checked_sub(1).and_then(|i| self.text.as_bytes().get(i));
        if at_line_end && end > start && last == Some(&b'\r') {
            end -= 1;
        }
        self.record.fields.push(Field { start, end, quoted });
    }
}

/// The opening quote of a field, blanks before it allowed.
fn opening(bytes: &[u8], from: usize, dialect: Dialect) -> Option<usize> {
    let mut at = from;
    while bytes.get(at) == Some(&b' ') && dialect.delimiter != b' ' {
        at += 1;
    }
    (bytes.get(at) == Some(&dialect.quote)).then_some(at)
}

/// The closing quote of a field whose content begins at `from`; doubled quotes are content.
fn closing(bytes: &[u8], mut from: usize, quote: u8) -> Option<usize> {
    loop {
        let close = from + memchr::memchr(quote, bytes.get(from..)?)?;
        if bytes.get(close + 1) != Some(&quote) {
            return Some(close);
        }
        from = close + 2;
    }
}

/// The content of a quoted field; what follows the closing quote is kept.
fn unquote(raw: &str, quote: u8) -> Cow<'_, str> {
    let quote = quote as char;
    let inner = raw.trim_start_matches(' ');
    let inner = inner.strip_prefix(quote).unwrap_or(inner);
    if let Some(content) = inner.trim_end_matches(' ').strip_suffix(quote)
        && !content.contains(quote)
    {
        return Cow::Borrowed(content);
    }
    let mut content = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    let mut inside = true;
    while let Some(c) = chars.next() {
        if c == quote && inside && chars.next_if_eq(&quote).is_none() {
            inside = false;
            continue;
        }
        content.push(c);
    }
    Cow::Owned(content)
}

/// Where the last record of a text that begins at the start of a record ends: the position after its line
/// end. `Err` gives the position of a quote that is still open when no record has ended before it.
pub(super) fn last_end(bytes: &[u8], dialect: Dialect) -> Result<usize, Option<usize>> {
    let end_before = |from: usize, to: usize| {
        let gap = bytes.get(from..to).unwrap_or_default();
        memchr::memrchr(dialect.newline, gap).map(|i| from + i + 1)
    };
    if dialect.quote == 0 {
        return end_before(0, bytes.len()).ok_or(None);
    }
    let (mut best, mut from) = (None, 0);
    let mut seek = 0;
    while let Some(i) = bytes.get(seek..).and_then(|rest| memchr::memchr(dialect.quote, rest)) {
        let quote = seek + i;
        if !opens(bytes, quote, from, dialect) {
            seek = quote + 1;
            continue;
        }
        best = end_before(from, quote).or(best);
        match closing(bytes, quote + 1, dialect.quote) {
            // A quote at the very end may be the first half of a doubled one.
            Some(close) if close + 1 < bytes.len() => (from, seek) = (close + 1, close + 1),
            _ => return best.ok_or(Some(quote)),
        }
    }
    end_before(from, bytes.len()).or(best).ok_or(None)
}

/// Whether a quote outside quotes begins a field.
fn opens(bytes: &[u8], quote: usize, from: usize, dialect: Dialect) -> bool {
    let before = bytes.get(from..quote).unwrap_or_default();
    let blanks = before.iter().rev().take_while(|b| **b == b' ' && dialect.delimiter != b' ').count();
    match before.len().checked_sub(blanks + 1).and_then(|i| before.get(i)) {
        Some(b) => *b == dialect.delimiter || *b == dialect.newline,
        None => from == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMA: Dialect = Dialect { delimiter: b',', quote: b'"', newline: b'\n' };

    fn split(text: &str) -> Vec<Vec<String>> {
        let mut splitter = Splitter::new(text, COMMA, true);
        let mut rows = Vec::new();
        while let Some(record) = splitter.next_record() {
            rows.push(record.fields.iter().map(|f| f.text(text, b'"').into_owned()).collect());
        }
        rows
    }

    #[test]
    fn splits_plain_and_quoted_records() {
        assert_eq!(split("a,b\r\n1,2"), [["a", "b"], ["1", "2"]]);
        assert_eq!(split("\"a,\"\"x\"\"\",b\n\"1\n2\",\n"), [["a,\"x\"", "b"], ["1\n2", ""]]);
        assert_eq!(split("5\" pipe,x\n"), [["5\" pipe", "x"]]);
        assert_eq!(split("1, \"a, b\"\n"), [["1", "a, b"]]);
        assert_eq!(split("\"a\"b,c\n"), [["ab", "c"]]);
    }

    #[test]
    fn takes_a_quote_that_is_never_closed_as_a_character() {
        assert_eq!(split("a,\"b\nc,d\n"), [["a", "\"b"], ["c", "d"]]);
    }

    #[test]
    fn finds_the_last_end_of_a_record() {
        assert_eq!(last_end(b"a,b\nc", COMMA), Ok(4));
        assert_eq!(last_end(b"a,\"b\nc", COMMA), Err(Some(2)));
        assert_eq!(last_end(b"x\na,\"b\nc", COMMA), Ok(2));
        assert_eq!(last_end(b"a,\"b\nc\"\nd", COMMA), Ok(8));
        assert_eq!(last_end(b"5\" x\ny", COMMA), Ok(5));
        assert_eq!(last_end(b"abc", COMMA), Err(None));
    }

    proptest! {
        #[test]
        fn reads_back_what_is_quoted(rows in prop::collection::vec(prop::collection::vec("[a-c,\" \n\r]{0,6}", 2..4), 1..6)) {
            let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
            let text: String = rows.iter().map(|r| r.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n").collect();
            prop_assert_eq!(split(&text), rows);
        }

        #[test]
        fn cuts_where_a_record_ends(text in "[ab,\"\n ]{0,40}", cut in 0usize..40) {
            let cut = cut.min(text.len());
            if let Ok(end) = last_end(&text.as_bytes()[..cut], COMMA) {
                // Every record of the first part is a record of the whole.
                let whole = starts(&text);
                prop_assert!(end == text.len() || whole.contains(&end) || has_unclosed(&text), "{} {:?}", end, whole);
            }
        }
    }

    fn starts(text: &str) -> Vec<usize> {
        let mut splitter = Splitter::new(text, COMMA, true);
        let mut starts = Vec::new();
        while let Some(record) = splitter.next_record() {
            starts.push(record.start);
        }
        starts
    }

    fn has_unclosed(text: &str) -> bool {
        let mut splitter = Splitter::new(text, COMMA, true);
        while splitter.next_record().is_some() {}
        splitter.unclosed.is_some()
    }
}

//! How a text with delimiters is written: which characters separate, quote and end its records.

use super::split::{Dialect, Splitter};

/// How many records are looked at.
const RECORDS: usize = 300;
/// So many lines of text may stand above and below a table.
const MAX_OUTSIDE: usize = 12;
/// Delimiters, the likeliest first, with the weight of finding each.
const CANDIDATES: &[(u8, f64)] = &[
    (b'\t', 1.1),
    (b',', 1.0),
    (b';', 1.0),
    (b'|', 1.0),
    (0x1f, 1.0),
    (0x01, 1.0),
    (b'^', 0.6),
    (b'~', 0.6),
    (b':', 0.3),
];

impl Dialect {
    /// Finds out from the first part of a text; `is_all` says that there is no more. The second value is
    /// how sure it is that this is a table at all, from 0 to 1.
    pub(super) fn sniff(head: &str, is_all: bool) -> (Dialect, f64) {
        let bytes = head.as_bytes();
        let old_mac = !bytes.contains(&b'\n') && bytes.contains(&b'\r');
        let newline = if old_mac { b'\r' } else { b'\n' };
        if let Some(delimiter) = declared(bytes) {
            let dialect = Dialect { delimiter, quote: quote_of(bytes, delimiter, newline), newline };
            return (dialect, 1.0);
        }
        let mut best = (Dialect { delimiter: 0, quote: b'"', newline }, 0.0, 0.0);
        for (delimiter, weight) in CANDIDATES {
            if memchr::memchr(*delimiter, bytes).is_none() {
                continue;
            }
            let quote = quote_of(bytes, *delimiter, newline);
            let dialect = Dialect { delimiter: *delimiter, quote, newline };
            let Some((fields, share)) = regularity(head, dialect, is_all) else { continue };
            let score = share * share * (1.0 + (fields as f64).ln()) * weight;
            if score > best.1 {
                best = (dialect, score, share);
            }
        }
        (best.0, best.2)
    }
}

/// The delimiter that spreadsheets write into the first line: `sep=;`.
fn declared(bytes: &[u8]) -> Option<u8> {
    match bytes.get(..4)?.eq_ignore_ascii_case(b"sep=") {
        true => bytes.get(4).copied().filter(|_| matches!(bytes.get(5), Some(b'\n' | b'\r'))),
        false => None,
    }
}

/// The most frequent number of fields above one and the share of records that have it, if that makes a
/// table: most records have it, or the first one does and nearly all are split into some, or it is that of a table
/// between lines of text.
fn regularity(head: &str, dialect: Dialect, is_all: bool) -> Option<(usize, f64)> {
    let mut widths: Vec<usize> = Vec::new();
    // The record that follows the first empty line after a line of text.
    let mut below_gap = None;
    let mut splitter = Splitter::new(head, dialect, is_all);
    while let (true, Some(record)) = (widths.len() < RECORDS, splitter.next_record()) {
        match record.is_blank() {
            true if !widths.is_empty() => below_gap = below_gap.or(Some(widths.len())),
            true => {}
            false => widths.push(record.fields.len()),
        }
    }
    let (fields, count) = most_frequent(&widths)?;
    let single = widths.iter().filter(|w| **w == 1).count();
    let share = count as f64 / widths.len() as f64;
    let is_ragged = widths.first() == Some(&fields) && share >= 0.3 && single * 10 <= widths.len();
    (share > 0.5 || is_ragged || is_between_lines(&widths, fields, below_gap)).then_some((fields, share))
}

fn most_frequent(widths: &[usize]) -> Option<(usize, usize)> {
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for width in widths.iter().filter(|w| **w > 1) {
        match counts.iter_mut().find(|(w, _)| w == width) {
            Some((_, count)) => *count += 1,
            None => counts.push((*width, 1)),
        }
    }
    counts.into_iter().max_by_key(|(width, count)| (*count, *width))
}

/// Whether a small table stands below lines of text, and perhaps above some: all its records are split alike, into
/// so many fields that no sentence has, or it begins after an empty line.
fn is_between_lines(widths: &[usize], fields: usize, below_gap: Option<usize>) -> bool {
    let (Some(first), Some(last)) =
        (widths.iter().position(|w| *w == fields), widths.iter().rposition(|w| *w == fields))
    else {
        return false;
    };
    let table = widths.get(first..=last).unwrap_or_default();
    let outside = widths.len() - table.len();
    table.len() > 1
        && table.iter().all(|w| *w == fields)
        && (fields > 2 || below_gap == Some(first))
        && outside <= MAX_OUTSIDE
}

/// The single quote only where fields begin with it and none begins with the double quote.
fn quote_of(bytes: &[u8], delimiter: u8, newline: u8) -> u8 {
    let opens = |quote: u8| {
        memchr::memchr_iter(quote, bytes)
            .filter(|&i| i == 0 || bytes.get(i - 1).is_some_and(|b| *b == delimiter || *b == newline))
            .count()
    };
    let closes = |quote: u8| {
        memchr::memchr_iter(quote, bytes)
            .filter(|&i| bytes.get(i + 1).is_none_or(|b| *b == delimiter || *b == newline || *b == b'\r'))
            .count()
    };
    let single = opens(b'\'');
    if opens(b'"') == 0 && single > 0 && closes(b'\'') == single { b'\'' } else { b'"' }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delimiter(text: &str) -> char {
        Dialect::sniff(text, true).0.delimiter as char
    }

    #[test]
    fn finds_the_delimiter() {
        assert_eq!(delimiter("a,b,c\n1,2,3\n"), ',');
        assert_eq!(delimiter("a;b;c\n1,5;2,5;3,5\n1,5;2,5;3,5\n"), ';');
        assert_eq!(delimiter("a\tb\nx, y\tz, w\n"), '\t');
        assert_eq!(delimiter("a|b\n1|2\n"), '|');
        assert_eq!(delimiter("a^b^c\n1^2^3\n"), '^');
        assert_eq!(delimiter("name\nhello\nworld, again\n"), '\0');
        assert_eq!(delimiter("Report of sales\n\na,b,c\n1,2,3\n4,5,6\n7,8,9\n"), ',');
        assert_eq!(delimiter("a,b\n\"x;y;z\",1\n\"x;y;z\",2\n"), ',');
        assert_eq!(delimiter("sep=;\na;b\n1,5;2,5\n"), ';');
        assert_eq!(delimiter("Bank\nAccount 12\nJanuary\n\na;b\n1;2\n\nSource: me\nno more\n"), ';');
        assert_eq!(delimiter("name\nhello\nParis, France\nRome, Italy\nBonn\n"), '\0');
    }

    #[test]
    fn finds_quote_and_line_end() {
        let (dialect, _) = Dialect::sniff("'a','b'\r'1,5','2'\r", true);
        assert_eq!(dialect, Dialect { delimiter: b',', quote: b'\'', newline: b'\r' });
        assert_eq!(Dialect::sniff("a,b\n'tis,1\n", true).0.quote, b'"');
    }
}

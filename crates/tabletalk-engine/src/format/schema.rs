//! The columns of a table described: what each is called, what it holds, and what its values are like.

use super::sheet::named;
use super::{Count, Fitting, Formatted, cut, thousands, too_small};
use crate::excerpt::Excerpt;
use crate::prompt::one_line;
use tabletalk_core::{Column, Result, Stats};

/// How much is said of each column.
#[derive(Debug, Clone, Copy)]
struct Detail {
    /// Values given as examples.
    examples: usize,
    /// Characters of an example.
    chars: usize,
    /// Whether unit, range and counts are given.
    counts: bool,
    /// Whether the type is given; if not, names stand on one line.
    kind: bool,
    /// Characters of a name.
    name: usize,
    /// Characters of the title of the table.
    title: usize,
}

/// From all to as good as nothing.
const DETAILS: [Detail; 10] = [
    Detail { examples: 3, chars: 40, counts: true, kind: true, name: usize::MAX, title: 400 },
    Detail { examples: 2, chars: 24, counts: true, kind: true, name: usize::MAX, title: 100 },
    Detail { examples: 1, chars: 16, counts: true, kind: true, name: usize::MAX, title: 100 },
    Detail { examples: 0, chars: 0, counts: true, kind: true, name: usize::MAX, title: 100 },
    Detail { examples: 0, chars: 0, counts: false, kind: true, name: usize::MAX, title: 50 },
    Detail { examples: 0, chars: 0, counts: false, kind: false, name: usize::MAX, title: 0 },
    Detail { examples: 0, chars: 0, counts: false, kind: false, name: 24, title: 0 },
    Detail { examples: 0, chars: 0, counts: false, kind: false, name: 12, title: 0 },
    Detail { examples: 0, chars: 0, counts: false, kind: false, name: 4, title: 0 },
    Detail { examples: 0, chars: 0, counts: false, kind: false, name: 1, title: 0 },
];

/// Describes the columns of an excerpt in at most `budget` tokens. Names stand between double quotes, as
/// programs write them. Fails with a limit error when not even the names fit.
pub fn schema(excerpt: &Excerpt, budget: usize, count: Count<'_>) -> Result<Formatted> {
    let fitting = Fitting { budget, count };
    for (i, detail) in DETAILS.iter().enumerate() {
        let text = describe(excerpt, detail);
        if fitting.fits(&text) {
            return Ok(Formatted { tokens: count(&text), text, rows: 0, complete: i == 0 });
        }
    }
    Err(too_small(excerpt, budget))
}

fn describe(excerpt: &Excerpt, detail: &Detail) -> String {
    let columns = &excerpt.columns;
    if !detail.kind {
        let names: Vec<String> = columns.iter().map(|c| quoted(&c.name, detail.name)).collect();
        return names.join(", ");
    }
    let rows = format!("{} rows", thousands(excerpt.total_rows));
    let of = match columns.len() == excerpt.total_columns {
        true => rows,
        false => format!("{rows}, {} of {} columns shown", columns.len(), excerpt.total_columns),
    };
    let mut text = format!("{} ({of})", named(excerpt, detail.title));
    for column in columns {
        text.push_str(&format!("\n- {}", line(column, excerpt.total_rows, detail)));
    }
    text
}

/// A name between double quotes.
pub(crate) fn quoted(name: &str, most: usize) -> String {
    format!("\"{}\"", cut(&one_line(name), most).replace('"', "\"\""))
}

fn line(column: &Column, rows: u64, detail: &Detail) -> String {
    let mut text = format!("{}: {}", quoted(&column.name, detail.name), column.kind.name());
    if !detail.counts {
        return text;
    }
    if let Some(unit) = &column.unit {
        text.push_str(&format!(", in {}", cut(&one_line(unit), 24)));
    }
    if let Some(stats) = &column.stats {
        text.push_str(&counts(stats, rows));
        text.push_str(&examples(stats, detail));
    }
    text
}

fn counts(stats: &Stats, rows: u64) -> String {
    let mut text = String::new();
    if let Some((low, high)) = &stats.range {
        text.push_str(&format!(", {} to {}", cut(low, 32), cut(high, 32)));
    }
    if stats.filled > 0 {
        text.push_str(&format!(", {} distinct", thousands(stats.distinct)));
    }
    match rows.saturating_sub(stats.filled) {
        0 => {}
        _ if stats.filled == 0 => text.push_str(", empty"),
        empty => text.push_str(&format!(", {} empty", thousands(empty))),
    }
    text
}

fn examples(stats: &Stats, detail: &Detail) -> String {
    let values = stats.frequent.iter().take(detail.examples);
    let values: Vec<String> = values.map(|v| cut(&one_line(v), detail.chars)).collect();
    match values.is_empty() {
        true => String::new(),
        false => format!(", such as {}", values.join("; ")),
    }
}

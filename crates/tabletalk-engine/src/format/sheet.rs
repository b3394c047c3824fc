//! An excerpt laid out: caption, header, rows and a remark on what is left out.

use super::{Format, cut, thousands, write};
use crate::excerpt::{Excerpt, Row};
use crate::prompt::one_line;
use tabletalk_core::Mark;

/// Characters that notes and the text around a table may have in its caption.
const AROUND: usize = 400;
/// Characters of a title in a short caption.
const TITLE: usize = 100;

/// What stands before the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caption {
    /// Name, title, notes and the text around the table.
    Full,
    /// Name and title.
    Title,
    /// Nothing.
    None,
}

/// An excerpt on its way to a text. Rows are written when they are first asked for.
pub(super) struct Sheet<'a> {
    excerpt: &'a Excerpt,
    format: Format,
    cell: usize,
    caption: Caption,
    header: Vec<String>,
    rows: Vec<String>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(excerpt: &'a Excerpt, format: Format, cell: usize, name: usize) -> Self {
        let names = excerpt.columns.iter().map(|c| cut(&one_line(&c.name), name));
        let header = std::iter::once(row_name(excerpt).to_owned()).chain(names).collect();
        Sheet { excerpt, format, cell, caption: Caption::Full, header, rows: Vec::new() }
    }

    /// How many rows there are to show.
    pub(super) fn len(&self) -> usize {
        self.excerpt.rows.len()
    }

    pub(super) fn has_caption(&self) -> bool {
        self.caption != Caption::None
    }

    pub(super) fn shorten_caption(&mut self) {
        self.caption = match self.caption {
            Caption::Full => Caption::Title,
            _ => Caption::None,
        };
    }

    /// The text with the first `rows` rows.
    pub(super) fn text(&mut self, rows: usize) -> String {
        let rows = rows.min(self.len());
        for row in self.excerpt.rows.iter().take(rows).skip(self.rows.len()) {
            let cells = cells(row, self.cell);
            self.rows.push(write::row(self.format, self.rows.is_empty(), &cells));
        }
        let caption = caption(self.excerpt, self.caption);
        let mut text = write::head(self.format, &caption, &self.header);
        self.rows.iter().take(rows).for_each(|row| text.push_str(row));
        text.push_str(&write::tail(self.format, remark(self.excerpt, rows).as_deref()));
        text
    }
}

/// The name of the column with the row numbers: one that the table does not have.
fn row_name(excerpt: &Excerpt) -> &'static str {
    let is_free = |name: &&&str| !excerpt.columns.iter().any(|c| c.name.eq_ignore_ascii_case(name));
    ["row", "row number", "#"].iter().find(is_free).unwrap_or(&"row in the source")
}

fn cells(row: &Row, most: usize) -> Vec<String> {
    let texts = row.cells.iter().map(|cell| cut(&visible(cell), most));
    std::iter::once(label(row)).chain(texts).collect()
}

/// The row number, and what kind of row it is where that matters to someone who counts.
fn label(row: &Row) -> String {
    let mark = match row.mark {
        Mark::Data => return row.number.to_string(),
        Mark::Subtotal => "subtotal",
        Mark::Total => "total",
        Mark::Section => "section",
        Mark::Hidden => "hidden",
        Mark::Derived => "derived",
    };
    format!("{} ({mark})", row.number)
}

/// A text without characters that cannot be seen, but for line breaks.
fn visible(text: &str) -> String {
    let text = text.trim().replace("\r\n", "\n");
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

fn caption(excerpt: &Excerpt, caption: Caption) -> Vec<String> {
    let mut lines = match caption {
        Caption::None => return Vec::new(),
        Caption::Title => vec![named(excerpt, TITLE)],
        Caption::Full => vec![named(excerpt, AROUND)],
    };
    if caption == Caption::Full {
        let notes = excerpt.notes.iter().map(String::as_str);
        lines.extend(notes.chain([excerpt.context.as_str()]).map(|l| cut(&one_line(l), AROUND)));
    }
    lines.retain(|l| !l.is_empty());
    lines
}

/// What programs and people call the table.
pub(super) fn named(excerpt: &Excerpt, most: usize) -> String {
    let (relation, title) = (one_line(&excerpt.relation), cut(&one_line(&excerpt.title), most));
    match (relation.is_empty(), title.is_empty()) {
        (true, _) => title,
        (false, true) => format!("Table \"{relation}\""),
        (false, false) => format!("Table \"{relation}\": {title}"),
    }
}

/// How much is shown of how much there is; nothing when that is all.
fn remark(excerpt: &Excerpt, rows: usize) -> Option<String> {
    let mut parts = Vec::new();
    if rows as u64 != excerpt.total_rows {
        parts.push(format!("{} of {} rows", thousands(rows as u64), thousands(excerpt.total_rows)));
    }
    if excerpt.columns.len() != excerpt.total_columns {
        parts.push(format!("{} of {} columns", excerpt.columns.len(), excerpt.total_columns));
    }
    Some(format!("{} shown", parts.join(" and "))).filter(|_| !parts.is_empty())
}

//! What a locator says of a question over a table: which rows and columns it asks for. It knows other words for a column
//! than the grammar does, but nothing of sums and counts: it answers what is looked up.

use crate::analyse::Question;
use crate::denote;
use crate::execute::execute;
use crate::grammar;
use crate::grid::Grid;
use crate::link::{self, Grade};
use crate::mask::Mask;
use crate::program::{Ask, Condition, Program, Rows};
use crate::read::{Link, Reading, SURE, Subject, Understanding};
use crate::word;
use tabletalk_core::seam::Likely;

/// The most rows that are looked at.
const MOST_ROWS: usize = 100;

/// What was said of rows and columns.
#[derive(Debug, Clone, Default)]
pub struct Located {
    /// The rows that were looked at, by their places in the grid.
    pub places: Vec<u32>,
    /// Which of them is meant; nothing where rows were not looked at.
    pub rows: Option<Likely>,
    /// Which column is asked for.
    pub columns: Likely,
}

impl Located {
    fn row(&self, place: u32) -> f32 {
        let at = self.places.binary_search(&place).ok();
        at.and_then(|at| self.rows.as_ref()?.each.get(at).copied()).unwrap_or(0.0)
    }
}

/// The rows that a question may be about: all of a small table, of others those that have its words.
pub fn places(question: &str, grid: &Grid) -> Vec<u32> {
    if grid.len() <= MOST_ROWS {
        return (0..grid.len() as u32).collect();
    }
    let links = link::values(&Question::new(question), grid);
    let mut places: Vec<u32> = links.iter().flat_map(|l| l.rows.iter().copied()).take(MOST_ROWS).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Rows as texts: `title | name: cell; name: cell`, empty cells left out.
pub fn row_texts(subject: &Subject<'_>, places: &[u32]) -> Vec<String> {
    let title = title(subject);
    let names: Vec<String> = subject.grid.columns.iter().map(|f| named(&f.name)).collect();
    let cell = |(column, name): (usize, &String), row: u32| {
        let text = subject.grid.at(column, row).map(|c| clean(&c.text, 48)).filter(|t| !t.is_empty())?;
        Some(if name.is_empty() { text } else { format!("{name}: {text}") })
    };
    let row = |place: &u32| {
        let cells: Vec<String> = names.iter().enumerate().filter_map(|of| cell(of, *place)).collect();
        format!("{title}{}", cells.join("; "))
    };
    places.iter().map(row).collect()
}

/// Columns as texts: `title | name: value, value`, the first different values.
pub fn column_texts(subject: &Subject<'_>) -> Vec<String> {
    const VALUES: usize = 8;
    let title = title(subject);
    let column = |field: &crate::grid::Field| {
        let mut seen: Vec<String> = Vec::new();
        for text in field.cells.iter().map(|c| clean(&c.text, 32)).filter(|t| !t.is_empty()) {
            if !seen.contains(&text) {
                seen.push(text);
            }
            if seen.len() == VALUES {
                break;
            }
        }
        format!("{title}{}: {}", named(&field.name), seen.join(", "))
    };
    subject.grid.columns.iter().map(column).collect()
}

fn title(subject: &Subject<'_>) -> String {
    let title = if subject.title.trim().is_empty() { subject.relation } else { subject.title };
    match clean(title, 40) {
        title if title.is_empty() => title,
        title => format!("{title} | "),
    }
}

fn named(name: &str) -> String {
    clean(&name.replace(" / ", " > "), 48)
}

fn clean(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(most).collect()
}

/// Heeds what a locator says: adds the cells that it points at as a reading.
pub fn heed(text: &str, subject: &Subject<'_>, understood: &mut Understanding, located: &Located) {
    if understood.is_void || understood.readings.iter().any(|r| r.is_exact && r.probability >= SURE) {
        return;
    }
    let Some(found) = looked_up(text, subject, located) else { return };
    let denoted = denote::hash(&found.answer.values);
    let same = |r: &&mut Reading| !r.answer.values.is_empty() && denote::hash(&r.answer.values) == denoted;
    match understood.readings.iter_mut().find(same) {
        Some(same) => same.probability = same.probability.max(found.probability),
        None => understood.readings.push(found),
    }
    understood.readings.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    crate::read::share_out(&mut understood.readings);
}

/// Rows that words of the question name.
struct Named {
    conditions: Vec<Condition>,
    mask: Mask,
    rows: Vec<u32>,
}

/// The cells of the likeliest column in the rows that words of the question name, where these are the likely ones.
fn looked_up(text: &str, subject: &Subject<'_>, located: &Located) -> Option<Reading> {
    let grid = subject.grid;
    let question = Question::new(text);
    let (column, likely) =
        located.columns.each.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let named = likeliest(&question, grid, column, located)?;
    let of_rows: f32 = named.rows.iter().map(|r| located.row(*r)).sum();
    if grammar::names_other(&question, named.mask, subject, column) {
        return None;
    }
    if grammar::computes(&question, named.mask, subject, column)
        || !is_covered(text, &question, &named, subject, column)
    {
        return None;
    }
    let field = grid.columns.get(column)?;
    let cells: Vec<_> = named.rows.iter().filter_map(|r| grid.at(column, *r)).collect();
    let sizes = field.cells.iter().filter(|c| c.size.is_some()).count();
    let is_number = field.is_number() || sizes * 4 >= field.filled * 3;
    let lacks = |c: &&crate::grid::Cell| c.is_missing(field.kind) || is_number && c.size.is_none();
    if cells.iter().any(lacks) {
        return None;
    }
    let written = |mask: Mask| question.written(text, mask).to_owned();
    let links = named.conditions.iter().map(|c| Link {
        words: written(named.mask),
        column: c.column,
        is_value: true,
    });
    let links = links.collect();
    let program =
        Program { rows: Rows { conditions: named.conditions, ..Rows::default() }, ask: Ask::Cells(column) };
    let answer = execute(&program, grid)?;
    Some(Reading { program, probability: likely * of_rows * TRUST, is_exact: false, links, answer })
}

/// How far a cell can be trusted that the locator is sure of: of those it gave .8 to in everyday files some were wrong, of
/// those it gave .85 to hardly any.
const TRUST: f32 = 0.9;

/// Of the rows that words of the question name, by one condition or by two, the likeliest. What several rows have is a list
/// or is computed, and left to the grammar.
fn likeliest(question: &Question, grid: &Grid, column: usize, located: &Located) -> Option<Named> {
    let is_close = |l: &link::Link| {
        matches!(l.grade, Grade::Whole | Grade::Most | Grade::Number | Grade::Part)
            && l.condition.column != column
            && l.mask & question.content != 0
    };
    let links: Vec<link::Link> = link::values(question, grid).into_iter().filter(is_close).collect();
    let mut all: Vec<Named> = Vec::new();
    for (i, a) in links.iter().enumerate() {
        all.push(Named { conditions: vec![a.condition.clone()], mask: a.mask, rows: a.rows.clone() });
        for b in links
            .iter()
            .skip(i + 1)
            .filter(|b| b.mask & a.mask == 0 && b.condition.column != a.condition.column)
        {
            let rows: Vec<u32> = a.rows.iter().copied().filter(|r| b.rows.contains(r)).collect();
            let conditions = vec![a.condition.clone(), b.condition.clone()];
            all.push(Named { conditions, mask: a.mask | b.mask, rows });
        }
    }
    let sum = |n: &Named| n.rows.iter().map(|r| located.row(*r)).sum::<f32>();
    // More words that name the same rows say the same more surely.
    let order = |n: &Named| (sum(n) * 100.0).round() as u32 * 100 + n.mask.count_ones();
    all.into_iter().filter(|n| n.rows.len() == 1).max_by_key(order)
}

/// Whether all names and numbers of a question stand in the rows, in the name of the column or in that of the table.
fn is_covered(text: &str, question: &Question, named: &Named, subject: &Subject<'_>, column: usize) -> bool {
    let mut known: Vec<word::Word> = word::words(subject.relation);
    known.extend(word::words(subject.title));
    known.extend(subject.grid.columns.get(column).map(|f| f.words.clone()).unwrap_or_default());
    for row in &named.rows {
        let cells =
            (0..subject.grid.columns.len()).filter(|c| *c != column).filter_map(|c| subject.grid.at(c, *row));
        known.extend(cells.flat_map(|c| word::words(&c.text)));
    }
    let is_german = question.words.iter().any(|w| {
        matches!(
            w.text.as_str(),
            "der"
                | "die"
                | "das"
                | "den"
                | "wie"
                | "welche"
                | "welcher"
                | "ist"
                | "hat"
                | "im"
                | "wer"
                | "wann"
        )
    });
    let must = |(i, w): &(usize, &word::Word)| {
        let written = text.get(w.start..w.end).unwrap_or_default();
        let is_capital = written.starts_with(char::is_uppercase) && *i > 0 && !is_german;
        named.mask >> i & 1 == 0
            && (is_capital && written != "I" || written.chars().any(|c| c.is_ascii_digit()))
    };
    let mut open = question.words.iter().enumerate().filter(must);
    // `April` is `Apr`.
    let is_short = |k: &word::Word, w: &word::Word| k.text.len() > 2 && w.text.starts_with(&k.text);
    open.all(|(_, w)| known.iter().any(|k| grammar::is_same(k, w) || is_short(k, w)))
}

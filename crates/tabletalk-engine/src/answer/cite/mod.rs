//! The last stage: from the rows behind a result to the cells they stand in, each looked at again before it is named. What a
//! model said must be supported (`support`), and each of its sentences borne out (`prose`).

pub(super) mod prose;
pub(super) mod source;
pub(super) mod support;

use super::Answering;
use super::away;
use super::propose::Candidate;
use super::propose::statement::Statement;
use super::run::{Given, program, program_of};
use super::trace::Trace;
use super::values::same;
use std::collections::{BTreeMap, BTreeSet};
use tabletalk_core::{Answer, Basis, Citation, Column, Kind, Outcome, Program, Result, Verdict};
use tabletalk_sql::{Cell, Ran, Used};
use tabletalk_store::{Library, StoredTable, data};

/// The most citations of one answer: more would not be read.
const MOST: usize = 24;
/// The most cells whose text is shown in one citation.
const SHOWN: usize = 12;

/// The answer of a reading, with the cells that it rests on.
pub(super) fn reading(
    context: &Answering<'_>,
    reading: &Candidate<'_>,
    given: Given,
    trace: &mut Trace,
) -> Result<Answer> {
    let Given { ran, values, text } = given;
    let citations = trace.step("cite", |_| cite(context.recall.library, &ran))?;
    Ok(Answer {
        outcome: Outcome::Answered,
        answer: text,
        values,
        confidence: reading.probability.clamp(0.0, 0.99),
        basis: Basis::Program,
        citations,
        program: Some(program_of(reading, &ran)),
        ..Answer::default()
    })
}

/// The verdict of a program over all rows, with the cells that it rests on.
pub(super) fn statement(
    context: &Answering<'_>,
    statement: &Statement<'_>,
    verdict: Verdict,
    ran: &Ran,
) -> Result<Answer> {
    let mut citations = cite(context.recall.library, ran)?;
    if citations.is_empty() {
        // That no row says so is seen from all of them.
        citations.push(source::table(&statement.found.stored));
    }
    Ok(Answer {
        outcome: Outcome::Answered,
        answer: verdict.name().to_owned(),
        values: vec![verdict.name().to_owned()],
        verdict: Some(verdict),
        confidence: statement.probability.clamp(0.0, 0.99),
        basis: Basis::Program,
        citations,
        program: Some(Program { words: statement.words.clone(), ..program(&statement.sql, ran) }),
        ..Answer::default()
    })
}

/// The cells that a result rests on: those it shows first, then those it was computed from.
pub(crate) fn cite(library: &Library, ran: &Ran) -> Result<Vec<Citation>> {
    let mut citations = Vec::new();
    for used in &ran.used {
        if let Some(stored) = library.catalog()?.table_named(base_name(&used.relation))? {
            if let Some(home) = &stored.table.home {
                citations.extend(away::cite(&stored, home, used, ran));
                continue;
            }
            let cells = Cells::read(&stored, used)?;
            citations.extend(match shown_columns(&stored, used, ran) {
                Some(shown) => looked_up(&stored, used, ran, &shown, &cells),
                None => computed(&stored, used, ran, &cells),
            });
        }
    }
    citations.truncate(MOST);
    Ok(citations)
}

/// The relation with all rows is the same table.
fn base_name(relation: &str) -> &str {
    relation.strip_suffix(tabletalk_sql::ALL_ROWS).unwrap_or(relation)
}

/// The cells of the rows that were used, in the columns that were named.
struct Cells {
    columns: Vec<usize>,
    texts: BTreeMap<u64, Vec<(String, bool)>>,
}

impl Cells {
    /// Reads them from the table again, so that nothing is cited that does not stand there.
    fn read(stored: &StoredTable, used: &Used) -> Result<Cells> {
        let columns = positions(&stored.table.columns, &used.columns);
        let wanted: BTreeSet<u64> = used.rows.iter().copied().collect();
        let mut cells = Cells { columns, texts: BTreeMap::new() };
        let Some(last) = wanted.last() else { return Ok(cells) };
        for batch in data::open(&stored.table.columns, &stored.data, Some(&cells.columns))? {
            let batch = batch?;
            for (i, row) in batch.rows.iter().enumerate().filter(|(_, row)| wanted.contains(row)) {
                let text = |c: &usize| {
                    let column = batch.columns.get(*c);
                    column.map_or((String::new(), true), |cells| {
                        (cells.text(i).into_owned(), cells.is_empty(i))
                    })
                };
                cells.texts.insert(*row, cells.columns.iter().map(text).collect());
            }
            if batch.rows.last().is_some_and(|row| row >= last) {
                break;
            }
        }
        Ok(cells)
    }

    fn text(&self, row: u64, column: usize) -> Option<&str> {
        let at = self.columns.iter().position(|c| *c == column)?;
        self.texts.get(&row)?.get(at).map(|(text, _)| text.as_str())
    }
}

fn positions(columns: &[Column], names: &[String]) -> Vec<usize> {
    let named = |name: &String| columns.iter().position(|c| c.name == *name);
    let mut positions: Vec<usize> = names.iter().filter_map(named).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// For a result whose rows are rows of the table: which of its columns are columns of the table.
fn shown_columns(stored: &StoredTable, used: &Used, ran: &Ran) -> Option<Vec<(usize, usize)>> {
    used.per_result.as_ref()?;
    let table = &stored.table.columns;
    let at = |(i, output): (usize, &tabletalk_sql::Output)| {
        Some((i, table.iter().position(|c| c.name == output.name)?))
    };
    let shown: Vec<(usize, usize)> = ran.columns.iter().enumerate().filter_map(at).collect();
    (!shown.is_empty()).then_some(shown)
}

/// The cells that are shown, if they say what the result says: those below each other as one range.
fn looked_up(
    stored: &StoredTable,
    used: &Used,
    ran: &Ran,
    shown: &[(usize, usize)],
    cells: &Cells,
) -> Vec<Citation> {
    let mut found = Vec::new();
    for (output, column) in shown {
        let rows = used.per_result.iter().flatten().zip(&ran.rows);
        let says = |(row, result): (&u64, &Vec<Cell>)| {
            let text = cells.text(*row, *column)?;
            same(text, &result.get(*output)?.to_string()).then_some(*row)
        };
        let rows: BTreeSet<u64> = rows.filter_map(says).collect();
        let of = |run: (u64, u64)| citation(stored, run, Some(*column), sample(cells, run, Some(*column)));
        found.extend(runs(rows.into_iter()).into_iter().map(of));
    }
    found
}

/// One citation for each run of rows in each column that was named.
fn computed(stored: &StoredTable, used: &Used, ran: &Ran, cells: &Cells) -> Vec<Citation> {
    let runs = runs(cells.texts.keys().copied());
    let mut columns: Vec<Option<usize>> = match cells.columns.is_empty() {
        true => vec![None],
        false => cells.columns.iter().map(|c| Some(*c)).collect(),
    };
    // What was added up comes before what chose the rows.
    let is_counted = |column: &Option<usize>| {
        let column = column.and_then(|c| stored.table.columns.get(c));
        let is_named = |name: &str| ran.columns.iter().any(|output| output.name.contains(name));
        column.is_some_and(|c| matches!(c.kind, Kind::Integer | Kind::Decimal) || is_named(&c.name))
    };
    columns.sort_by_key(|column| !is_counted(column));
    let whole = used.count == stored.rows && used.count as usize > used.rows.len();
    let mut found = Vec::new();
    for column in columns {
        if whole {
            let rows = stored.table.place.rows.unwrap_or_default();
            let first = rows.0 + u64::from(stored.table.header_rows);
            found.push(citation(stored, (first, rows.1), column, format!("{} rows", used.count)));
            continue;
        }
        for run in &runs {
            found.push(citation(stored, *run, column, sample(cells, *run, column)));
        }
    }
    found
}

/// The first texts of a run of cells.
fn sample(cells: &Cells, run: (u64, u64), column: Option<usize>) -> String {
    let Some(column) = column else { return format!("{} rows", cells.texts.range(run.0..=run.1).count()) };
    let rows = || cells.texts.range(run.0..=run.1).map(|(row, _)| *row);
    let texts: Vec<&str> = rows().filter_map(|row| cells.text(row, column)).take(SHOWN).collect();
    let more = if rows().count() > SHOWN { "; …" } else { "" };
    texts.join("; ") + more
}

/// Row numbers as runs without gaps.
fn runs(rows: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == row => *last = row,
            _ => runs.push((row, row)),
        }
    }
    runs
}

/// The citation of one cell.
pub(super) fn cell_citation(stored: &StoredTable, row: u64, column: usize, text: String) -> Citation {
    citation(stored, (row, row), Some(column), text)
}

/// The citation of one row.
pub(super) fn row_citation(stored: &StoredTable, row: u64, text: String) -> Citation {
    citation(stored, (row, row), None, text)
}

fn citation(stored: &StoredTable, rows: (u64, u64), column: Option<usize>, text: String) -> Citation {
    let col = column.and_then(|c| stored.table.columns.get(c)).map(|c| (c.col, c.col));
    let place = match col {
        Some((first, last)) if first == last && rows.0 == rows.1 => stored.table.cell_place(rows.0, first),
        _ => stored.table.place_of(rows, col),
    };
    Citation { document: stored.file.clone(), id: stored.id.clone(), place, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_runs() {
        assert_eq!(runs([2, 3, 4, 7, 9, 10].into_iter()), [(2, 4), (7, 7), (9, 10)]);
        assert!(runs(std::iter::empty()).is_empty());
    }
}

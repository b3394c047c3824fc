//! The fifth stage: a program is run over all rows, and its result told as values, in words, and as a table.

use super::Answering;
use super::propose::Candidate;
use super::relations::Tables;
use super::trace::Trace;
use super::turn::READ;
use super::write::Writer;
use serde_json::{Map, Value, json};
use tabletalk_core::{Column, Fault, Grid, Kind, Program, Result};
use tabletalk_question::{self as question, Ask, Fold};
use tabletalk_sql::{Cell, Ran};

/// Rows of a program's result that are kept in the answer.
pub(super) const KEPT_ROWS: usize = 100;

/// Rows of a table that are said in words: a longer one is looked at, not read.
const SAID_ROWS: usize = 10;
/// Values of a list that are said in words.
const SAID_VALUES: usize = 30;

/// What a reading gave: its result, as values and as people write it.
pub(super) struct Given {
    pub(super) ran: Ran,
    pub(super) values: Vec<String>,
    pub(super) text: String,
}

/// Runs the reading that is the answer; `None` when it gives nothing after all.
pub(super) fn judged(
    context: &Answering<'_>,
    reading: &Candidate<'_>,
    trace: &mut Trace,
) -> Result<Option<Given>> {
    let given = ended(trace.step("run", |about| given(context, reading, about)))?.flatten();
    if given.is_some()
        && let Some(step) = trace.steps.iter_mut().find(|step| step.step == READ)
    {
        reading.as_read().note(&mut step.about)?;
    }
    Ok(given)
}

/// What a program of ours gave. One that cannot run is no answer, and no reason to fail either; one that could
/// not run to its end here and now might have given one.
pub(super) fn ended<T>(ran: Result<T>) -> Result<Option<T>> {
    match ran {
        Ok(ran) => Ok(Some(ran)),
        Err(error) if matches!(error.fault(), Fault::Limit | Fault::Io) => Err(error),
        Err(_) => Ok(None),
    }
}

/// What a reading gives over all rows, if that is anything.
pub(super) fn given(
    context: &Answering<'_>,
    reading: &Candidate<'_>,
    about: &mut Map<String, Value>,
) -> Result<Option<Given>> {
    let ran = sql(context, &reading.sql, reading.over.relations.clone(), about)?;
    about.insert("rows_read".into(), json!(ran.rows_read));
    about.insert("rows_total".into(), json!(ran.rows_total));
    let (values, text) = told(reading, &ran);
    let is_nothing = values.is_empty() || is_void(reading, &values);
    Ok((!is_nothing).then_some(Given { ran, values, text }))
}

/// Runs a statement over some relations.
pub(super) fn sql(
    context: &Answering<'_>,
    sql: &str,
    relations: Vec<String>,
    about: &mut Map<String, Value>,
) -> Result<Ran> {
    about.insert("sql".into(), json!(sql));
    let ran = context.sandbox.run(&Tables::only(context.recall.library, relations), sql, &context.stop)?;
    if !ran.shipped.is_empty() {
        about.insert("shipped".into(), json!(ran.shipped));
    }
    Ok(ran)
}

/// Whether an answer says only that there is nothing: a count of none for a single condition.
fn is_void(reading: &Candidate<'_>, values: &[String]) -> bool {
    let question::Program { rows, ask } = &reading.reading.program;
    values == ["0"] && rows.conditions.len() == 1 && matches!(ask, Ask::Count)
}

/// The result of a reading: numbers as values in the plain way, in words as they stand in their source.
fn told(candidate: &Candidate<'_>, ran: &Ran) -> (Vec<String>, String) {
    let columns = columns(candidate, ran);
    let rows: Vec<Vec<String>> = ran.rows.iter().map(|row| written(row, &columns)).collect();
    if ran.columns.len() > 1 {
        let lines: Vec<String> = rows.iter().map(|row| row.join(": ")).collect();
        let text = listed(&lines, "; ", SAID_ROWS, ran);
        return (rows.into_iter().flatten().collect(), text);
    }
    let mut values: Vec<String> = Vec::new();
    for value in rows.into_iter().flatten() {
        if !question::is_missing(&value) && !values.contains(&value) {
            values.push(value);
        }
    }
    let column = columns.first().copied().flatten();
    let written = &candidate.reading.answer.values;
    let is_whole = !candidate.reading.program.is_computed() && super::values::same_all(written, &values);
    let shown = if is_whole { written } else { &values };
    let writer = Writer { column };
    let said: Vec<String> = shown.iter().map(|value| writer.with_unit(value)).collect();
    let text = listed(&said, ", ", SAID_VALUES, ran);
    let is_number = column.is_some_and(|c| matches!(c.kind, Kind::Integer | Kind::Decimal));
    let values = if is_number { values } else { shown.clone() };
    (values, text)
}

/// The first parts of a list, and how many there are.
fn listed(parts: &[String], between: &str, most: usize, ran: &Ran) -> String {
    let said = parts.get(..most.min(parts.len())).unwrap_or_default().join(between);
    match (ran.truncated, parts.len() > most) {
        (true, _) => format!("{said}{between}… (cut at {} rows, there are more)", ran.rows.len()),
        (false, true) => format!("{said}{between}… ({} in all)", parts.len()),
        (false, false) => said,
    }
}

/// The column of the table that each column of the result stands in or was computed from.
fn columns<'a>(candidate: &'a Candidate<'_>, ran: &Ran) -> Vec<Option<&'a Column>> {
    let table = &candidate.over.columns;
    let measured = candidate.reading.program.measured().and_then(|c| table.get(c));
    let of = |name: &str| table.iter().find(|c| c.name == name);
    match ran.columns.as_slice() {
        [_] => vec![measured],
        all => all.iter().map(|output| of(&output.name).or(measured)).collect(),
    }
}

fn written(row: &[Cell], columns: &[Option<&Column>]) -> Vec<String> {
    row.iter().zip(columns).map(|(cell, column)| Writer { column: *column }.value(cell)).collect()
}

/// A program that ran, as it is shown.
pub(super) fn program(sql: &str, ran: &Ran) -> Program {
    let writer = Writer { column: None };
    let row = |row: &Vec<Cell>| row.iter().map(|cell| writer.value(cell)).collect();
    Program {
        sql: sql.to_owned(),
        words: String::new(),
        result: Grid {
            columns: ran.columns.iter().map(|c| c.name.clone()).collect(),
            rows: ran.rows.iter().take(KEPT_ROWS).map(row).collect(),
            truncated: ran.truncated || ran.rows.len() > KEPT_ROWS,
            total: Vec::new(),
        },
        rows_read: ran.rows_read,
        rows_total: ran.rows_total,
        rows_used: ran.used.iter().map(|used| used.count).sum(),
        rows_given: ran.rows.len() as u64,
        cut: ran.truncated,
    }
}

/// The program of a reading, with its result as a table.
pub(super) fn program_of(candidate: &Candidate<'_>, ran: &Ran) -> Program {
    let program = program(&candidate.sql, ran);
    let columns = columns(candidate, ran);
    let rows = ran.rows.iter().take(KEPT_ROWS).map(|row| written(row, &columns)).collect();
    let total = match adds_up(&candidate.reading.program) {
        true => total(ran, columns.last().copied().flatten()).unwrap_or_default(),
        false => Vec::new(),
    };
    Program { words: candidate.words.clone(), result: Grid { rows, total, ..program.result }, ..program }
}

/// Whether a person would want the groups of a program added up: sums and counts over all groups.
fn adds_up(program: &question::Program) -> bool {
    let Ask::By(by) = &program.ask else { return false };
    matches!(*by.ask, Ask::Count | Ask::Fold(Fold::Sum, _))
        && by.limit.is_none()
        && by.having.is_none()
        && !by.bare
}

/// The row of totals under a result of several groups.
fn total(ran: &Ran, column: Option<&Column>) -> Option<Vec<String>> {
    let last = ran.columns.len().checked_sub(1).filter(|last| *last > 0)?;
    if ran.truncated || ran.rows.len() < 2 {
        return None;
    }
    let sum = ran.rows.iter().filter_map(|row| row.get(last)).try_fold(Cell::Integer(0), |sum, cell| {
        Some(match (sum, cell) {
            (sum, Cell::Null) => sum,
            (Cell::Integer(a), Cell::Integer(b)) => Cell::Integer(a.checked_add(*b)?),
            (Cell::Integer(a), Cell::Decimal(b)) => Cell::Decimal(a as f64 + b),
            (Cell::Decimal(a), Cell::Integer(b)) => Cell::Decimal(a + *b as f64),
            (Cell::Decimal(a), Cell::Decimal(b)) => Cell::Decimal(a + b),
            _ => return None,
        })
    })?;
    let mut row = vec![String::new(); ran.columns.len()];
    *row.first_mut()? = "Total".into();
    *row.last_mut()? = Writer { column }.value(&sum);
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_sql::Output;

    fn ran(rows: Vec<Vec<Cell>>) -> Ran {
        let output = |name: &str| Output { name: name.into(), kind: Kind::Text, is_constant: false };
        Ran { columns: vec![output("City"), output("Revenue")], rows, ..Ran::default() }
    }

    #[test]
    fn groups_are_added_up_where_there_are_several() {
        let row = |city: &str, n: f64| vec![Cell::Text(city.into()), Cell::Decimal(n)];
        assert_eq!(total(&ran(vec![row("Oslo", 0.1), row("Lyon", 0.2)]), None).unwrap(), ["Total", "0.3"]);
        assert_eq!(total(&ran(vec![row("Oslo", 0.1)]), None), None);
        let cut = Ran { truncated: true, ..ran(vec![row("Oslo", 0.1), row("Lyon", 0.2)]) };
        assert_eq!(total(&cut, None), None);
    }

    #[test]
    fn a_result_that_was_cut_says_so() {
        let parts: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let whole = ran(vec![Vec::new(); 3]);
        assert_eq!(listed(&parts, ", ", 5, &whole), "a, b, c");
        assert_eq!(listed(&parts, ", ", 2, &whole), "a, b, … (3 in all)");
        let cut = Ran { truncated: true, ..whole };
        assert_eq!(listed(&parts, ", ", 5, &cut), "a, b, c, … (cut at 3 rows, there are more)");
    }
}

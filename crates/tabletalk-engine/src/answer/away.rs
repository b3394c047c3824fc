//! Rows that live in a database: those that a question names are looked up there, as the sample that is kept may lack them, and
//! rows are cited by their primary key, which finds them again.

use super::Answering;
use super::relations::Tables;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use tabletalk_core::{Batch, Cells, Citation, Column, Home, Kind, Place};
use tabletalk_sql::{Cell, Ran, Used};
use tabletalk_store::StoredTable;

/// Of tables with more rows only keys are looked up: all else may have no index.
const SEARCHED: u64 = 1_000_000;
/// Columns of texts that are looked through.
const COLUMNS: usize = 8;
/// Rows that are taken for what a question names in one column.
const EACH: usize = 5;
/// Words that a name may have.
const WORDS: usize = 4;
/// Letters of a question beyond which nothing in it is looked up.
const LONGEST: usize = 400;

/// The rows in which what a question names stands as a key or as a whole text. Where they cannot be looked up, the sample must do.
pub(super) fn named(
    context: &Answering<'_>,
    stored: &StoredTable,
    home: &Home,
    question: &str,
) -> Option<Batch> {
    let sql = lookup(stored, home, question)?;
    let relations = Tables::only(context.recall.library, vec![stored.name.clone()]);
    let ran = context.sandbox.run(&relations, &sql, &context.stop).ok()?;
    let first = stored.rows + 1;
    let columns = stored.table.columns.iter().enumerate().map(|(c, column)| cells(column, &ran, c)).collect();
    let rows = (first..first + ran.rows.len() as u64).collect();
    (!ran.rows.is_empty()).then_some(Batch { rows, columns, ..Batch::default() })
}

/// The statement that looks up what a question names.
fn lookup(stored: &StoredTable, home: &Home, question: &str) -> Option<String> {
    if question.len() > LONGEST {
        return None;
    }
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let columns = || stored.table.columns.iter().enumerate();
    let all: Vec<String> = columns().map(|(_, c)| quoted(&c.name)).collect();
    let mut wanted = Vec::new();
    let numbers = numbers(question);
    for (_, column) in columns().filter(|(i, c)| home.key.contains(i) && c.kind == Kind::Integer) {
        if !numbers.is_empty() {
            wanted.push(format!("{} IN ({})", quoted(&column.name), numbers.join(", ")));
        }
    }
    let names: Vec<String> = names(question).iter().map(|n| format!("'{}'", n.replace('\'', "''"))).collect();
    let texts =
        columns().filter(|(i, c)| c.kind == Kind::Text && (home.rows <= SEARCHED || home.key.contains(i)));
    for (_, column) in texts.take(COLUMNS).filter(|_| !names.is_empty()) {
        wanted.push(format!("{} IN ({})", quoted(&column.name), names.join(", ")));
    }
    let table = quoted(&stored.name);
    let part = |condition: &String| {
        format!("(SELECT {} FROM {table} WHERE {condition} LIMIT {EACH})", all.join(", "))
    };
    let parts: Vec<String> = wanted.iter().map(part).collect();
    (!parts.is_empty()).then(|| parts.join(" UNION ALL "))
}

/// Words without the signs around them.
fn words(question: &str) -> Vec<&str> {
    let words = question.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).collect()
}

fn numbers(question: &str) -> Vec<String> {
    words(question).iter().filter_map(|word| word.parse::<i64>().ok()).map(|n| n.to_string()).collect()
}

/// What may be a name: words in a row, as they are written, in small letters and with a large one first.
fn names(question: &str) -> BTreeSet<String> {
    let words = words(question);
    let mut names = BTreeSet::new();
    for many in 1..=WORDS {
        for run in words.windows(many) {
            let name = run.join(" ");
            let small = name.to_lowercase();
            let mut letters = small.chars();
            let large = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
            names.extend(large);
            names.extend([name, small]);
        }
    }
    names
}

/// The values of a column of a result, as a table has them.
fn cells(column: &Column, ran: &Ran, c: usize) -> Cells {
    let values = || ran.rows.iter().map(move |row| row.get(c));
    let value: ArrayRef = match column.kind {
        Kind::Integer => Arc::new(
            values()
                .map(|v| if let Some(Cell::Integer(n)) = v { Some(*n) } else { None })
                .collect::<Int64Array>(),
        ),
        Kind::Decimal => Arc::new(
            values()
                .map(|v| if let Some(Cell::Decimal(n)) = v { Some(*n) } else { None })
                .collect::<Float64Array>(),
        ),
        Kind::Boolean => Arc::new(
            values()
                .map(|v| if let Some(Cell::Boolean(b)) = v { Some(*b) } else { None })
                .collect::<BooleanArray>(),
        ),
        Kind::Date => Arc::new(
            values()
                .map(|v| if let Some(Cell::Date(d)) = v { Some(*d) } else { None })
                .collect::<Date32Array>(),
        ),
        Kind::DateTime => Arc::new(
            values()
                .map(|v| if let Some(Cell::DateTime(t)) = v { Some(*t) } else { None })
                .collect::<TimestampMicrosecondArray>(),
        ),
        Kind::Text => Arc::new(
            values()
                .map(|v| v.filter(|cell| **cell != Cell::Null).map(Cell::to_string))
                .collect::<StringArray>(),
        ),
    };
    Cells { value, text: None }
}

/// What a result rests on in a table of a database.
pub(super) fn cite(stored: &StoredTable, home: &Home, used: &Used, ran: &Ran) -> Vec<Citation> {
    match used.keys.is_empty() {
        true => computed(stored, home, used),
        false => shown(stored, home, used, ran),
    }
}

/// The rows that are shown, each with what is shown of it.
fn shown(stored: &StoredTable, home: &Home, used: &Used, ran: &Ran) -> Vec<Citation> {
    let column = |name: &str| stored.table.columns.iter().position(|c| c.name == name);
    let columns: Vec<(usize, usize)> =
        ran.columns.iter().enumerate().filter_map(|(i, output)| Some((i, column(&output.name)?))).collect();
    let rows = used.keys.iter().zip(&ran.rows);
    let cited = rows.flat_map(|(key, row)| {
        let key = key_of(home, key);
        let cells: Vec<String> = columns
            .iter()
            .filter_map(|(at, c)| Some(format!("{} = {}", stored.table.columns.get(*c)?.name, row.get(*at)?)))
            .filter(|cell| *cell != key)
            .collect();
        let text = if cells.is_empty() { key } else { format!("{} ({key})", cells.join(", ")) };
        [citation(stored, columns.first().filter(|_| columns.len() == 1).map(|c| c.1), text)]
    });
    cited.collect()
}

/// The key of a row as people write it.
fn key_of(home: &Home, key: &str) -> String {
    let names: Vec<&str> =
        home.key.iter().filter_map(|c| home.columns.get(*c)).map(|c| c.name.as_str()).collect();
    match names.as_slice() {
        [one] => format!("{one} = {key}"),
        several => format!("({}) = ({key})", several.join(", ")),
    }
}

/// The columns that were computed from, those with numbers first.
fn computed(stored: &StoredTable, home: &Home, used: &Used) -> Vec<Citation> {
    let columns = &stored.table.columns;
    let mut named: Vec<usize> =
        used.columns.iter().filter_map(|name| columns.iter().position(|c| c.name == *name)).collect();
    let is_number =
        |c: &usize| columns.get(*c).is_some_and(|c| matches!(c.kind, Kind::Integer | Kind::Decimal));
    named.sort_by_key(|c| !is_number(c));
    let about = if home.is_counted { "" } else { "about " };
    let of = |name: &str| format!("{name} of {about}{} rows of {}.{}", home.rows, home.schema, home.table);
    if named.is_empty() {
        return vec![citation(stored, None, of("the count"))];
    }
    let one = |c: &usize| Some(citation(stored, Some(*c), of(&columns.get(*c)?.name)));
    named.iter().filter_map(one).collect()
}

fn citation(stored: &StoredTable, column: Option<usize>, text: String) -> Citation {
    let col = column.and_then(|c| stored.table.columns.get(c)).map(|c| (c.col, c.col));
    let place = Place { file: stored.table.place.file.clone(), cols: col, ..Place::default() };
    Citation { document: stored.file.clone(), id: stored.id.clone(), place, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::{HomeColumn, Table, home::Read};
    use tabletalk_store::Data;

    #[test]
    fn what_a_question_names_is_looked_up_as_a_key_or_a_whole_text() {
        let column = |name: &str, kind| HomeColumn {
            name: name.into(),
            r#type: String::new(),
            kind,
            read: Read::Plain,
        };
        let kinds = [("id", Kind::Integer), ("na\"me", Kind::Text), ("total", Kind::Decimal)];
        let home =
            Home { columns: kinds.map(|(n, k)| column(n, k)).to_vec(), key: vec![0], ..Home::default() };
        let columns = kinds.iter().zip(1..).map(|((n, k), i)| Column::new(*n, *k, i)).collect();
        let stored = StoredTable {
            key: 1,
            document: 1,
            id: "d/t1".into(),
            file: "shop".into(),
            source_id: String::new(),
            name: "orders".into(),
            table: Table { columns, ..Table::default() },
            rows: 0,
            data: Data::Inline(Vec::new()),
        };
        let sql = lookup(&stored, &home, "what did O'Neil pay for 4711?").unwrap();
        assert!(sql.contains("WHERE \"id\" IN (4711) LIMIT 5"), "{sql}");
        assert!(
            sql.contains("\"na\"\"me\" IN ('") && sql.contains("'O''Neil'") && !sql.contains("\"total\" IN"),
            "{sql}"
        );
        let large = Home { rows: SEARCHED + 1, ..home };
        assert!(!lookup(&stored, &large, "what did Ann pay for 4711?").unwrap().contains("Ann"));
        assert_eq!(lookup(&stored, &large, "what did Ann pay?"), None);
    }
}

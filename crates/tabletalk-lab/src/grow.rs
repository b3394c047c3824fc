//! Makes tables larger with rows and columns that have nothing to do with the questions, so that accuracy and cost
//! can be measured against size. What a question says about single rows stays true; what it says about all rows may
//! not.

use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::PathBuf;
use tabletalk_core::{Error, Result, value};
use tabletalk_eval::query::{Query, read_text};

/// Columns that values of distractor rows are taken from.
const POOL: usize = 4000;

/// What tables are grown to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub rows: usize,
    /// Columns; as many as there are when there are more, or when it is 0.
    pub columns: usize,
}

/// Columns of other tables: those of texts, and those of numbers.
#[derive(Default)]
struct Pool([Vec<Column>; 2]);

struct Column {
    name: String,
    values: Vec<String>,
}

/// The records of a corpus that the queries are about, and the others.
fn parted(corpus: &[PathBuf], queries: &[Query]) -> Result<(Vec<Value>, Vec<Value>)> {
    let wanted: HashSet<&str> = queries.iter().flat_map(|q| &q.relevant).map(String::as_str).collect();
    let mut records = Vec::new();
    for file in corpus {
        let text = read_text(file)
            .map_err(|e| e.at(file.display()).hint("`sizes` and `records` need a corpus of JSON lines"))?;
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let at = || format!("{}: line {}", file.display(), i + 1);
            let record = serde_json::from_str(line).map_err(|e| {
                Error::from(e).at(at()).hint("`sizes` and `records` need a corpus of JSON lines")
            })?;
            records.push(record);
        }
    }
    let is_wanted = |record: &Value| wanted.contains(id(record).as_str());
    Ok(records.into_iter().partition(is_wanted))
}

/// `most` records as lines: those that the queries are about, then others in their order.
pub fn few(corpus: &[PathBuf], queries: &[Query], most: usize) -> Result<String> {
    let (wanted, others) = parted(corpus, queries)?;
    let left = most.saturating_sub(wanted.len());
    Ok(wanted.iter().chain(others.iter().take(left)).map(|record| format!("{record}\n")).collect())
}

/// The queries whose tables have at most so many rows.
pub fn fitting(corpus: &[PathBuf], queries: Vec<Query>, rows: usize) -> Result<Vec<Query>> {
    let (wanted, _) = parted(corpus, &queries)?;
    let fits = |table: &&Value| table["rows"].as_array().is_some_and(|all| all.len() <= rows);
    let small: HashSet<String> = wanted.iter().filter(fits).map(id).collect();
    let fitting: Vec<Query> =
        queries.into_iter().filter(|query| query.relevant.iter().all(|id| small.contains(id))).collect();
    match fitting.is_empty() {
        true => Err(Error::input(format!("no question is about a table of at most {rows} rows"))
            .hint("the smallest of `sizes` must hold the tables as they are")),
        false => Ok(fitting),
    }
}

fn id(record: &Value) -> String {
    record["id"].as_str().map_or_else(|| record["id"].to_string(), str::to_owned)
}

/// The tables that the queries are about as lines, each grown to this size.
pub fn grow(corpus: &[PathBuf], queries: &[Query], size: Size, seed: u64) -> Result<String> {
    let (tables, others) = parted(corpus, queries)?;
    let mut pool = Pool::default();
    // Where all tables are asked about, rows are mixed from these.
    let from = if others.is_empty() { &tables } else { &others };
    from.iter().for_each(|table| pool.take(table));
    let mut draw = Draw::new(seed);
    let grown = tables.iter().map(|table| {
        let mut table = table.clone();
        extend(&mut table, size.rows, &pool, &mut draw);
        widen(&mut table, size.columns, &pool, &mut draw);
        format!("{table}\n")
    });
    Ok(grown.collect())
}

impl Pool {
    fn take(&mut self, table: &Value) {
        for (i, values) in columns(table).into_iter().enumerate() {
            let of = &mut self.0[usize::from(is_number(&values))];
            if of.len() < POOL && !values.is_empty() {
                of.push(Column { name: table["header"][i].as_str().unwrap_or_default().to_owned(), values });
            }
        }
    }

    fn column(&self, numbers: bool, draw: &mut Draw) -> Option<&Column> {
        let of = &self.0[usize::from(numbers)];
        of.get(draw.below(of.len()))
    }

    fn value(&self, numbers: bool, draw: &mut Draw) -> &str {
        self.column(numbers, draw).map_or("", |column| column.value(draw))
    }
}

impl Column {
    fn value(&self, draw: &mut Draw) -> &str {
        self.values.get(draw.below(self.values.len())).map_or("", String::as_str)
    }
}

/// Adds rows below those that are there.
fn extend(table: &mut Value, rows: usize, pool: &Pool, draw: &mut Draw) {
    let kinds: Vec<bool> = columns(table).iter().map(|column| is_number(column)).collect();
    let Some(all) = table["rows"].as_array_mut() else { return };
    while all.len() < rows {
        all.push(kinds.iter().map(|numbers| json!(pool.value(*numbers, draw))).collect());
    }
}

/// Adds columns to the right of those that are there, none with the name of one of them.
fn widen(table: &mut Value, columns: usize, pool: &Pool, draw: &mut Draw) {
    let header = table["header"].as_array().map_or(&[][..], Vec::as_slice);
    let width = self::columns(table).len().max(header.len());
    if width >= columns {
        return;
    }
    let own: HashSet<String> = header.iter().filter_map(Value::as_str).map(str::to_lowercase).collect();
    let mut added: Vec<&Column> = Vec::new();
    // A pool without other names is asked a few times, not for ever.
    for turn in 0..2 * columns {
        if width + added.len() >= columns {
            break;
        }
        let drawn = pool.column(turn % 2 == 1, draw);
        added.extend(drawn.filter(|column| !own.contains(&column.name.to_lowercase())));
    }
    if let Some(header) = table["header"].as_array_mut() {
        header.resize(width, json!(""));
        header.extend(added.iter().map(|column| json!(column.name)));
    }
    for row in table["rows"].as_array_mut().into_iter().flatten().filter_map(Value::as_array_mut) {
        row.resize(width, json!(""));
        row.extend(added.iter().map(|column| json!(column.value(draw))));
    }
}

fn columns(table: &Value) -> Vec<Vec<String>> {
    let rows: Vec<&Vec<Value>> =
        table["rows"].as_array().into_iter().flatten().filter_map(Value::as_array).collect();
    let width = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let text = |cell: &Value| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
    (0..width).map(|i| rows.iter().filter_map(|row| row.get(i)).map(text).collect()).collect()
}

fn is_number(column: &[String]) -> bool {
    column.iter().filter(|text| value::number(text).is_some()).count() * 2 > column.len()
}

/// A small generator, so that tables grow the same way every time.
struct Draw(u64);

impl Draw {
    fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corpus, and a query about its first table.
    fn set(lines: &str) -> (tempfile::TempDir, [PathBuf; 1], [Query; 1]) {
        let dir = tempfile::tempdir().unwrap();
        let corpus = dir.path().join("c.jsonl");
        std::fs::write(&corpus, lines).unwrap();
        (dir, [corpus], [Query { relevant: vec!["a".into()], ..Query::default() }])
    }

    fn array(value: &Value) -> &[Value] {
        value.as_array().unwrap()
    }

    #[test]
    fn tables_of_questions_grow_by_rows_of_the_others() {
        let (_dir, corpus, queries) =
            set("{\"id\":\"a\",\"header\":[\"n\",\"v\"],\"rows\":[[\"x\",\"1\"]]}\n\
             {\"id\":\"b\",\"header\":[\"n\",\"v\"],\"rows\":[[\"y\",\"2\"],[\"z\",\"3\"]]}\n");
        let grown = |seed| grow(&corpus, &queries, Size { rows: 5, columns: 0 }, seed).unwrap();
        assert_eq!(grown(1), grown(1));
        let text = grown(1);
        let [table] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        let table: Value = serde_json::from_str(table).unwrap();
        let rows = array(&table["rows"]);
        assert_eq!((rows.len(), rows[0][0].as_str()), (5, Some("x")));
        assert!(rows[1..].iter().all(|r| ["y", "z"].contains(&r[0].as_str().unwrap())));
        assert!(rows[1..].iter().all(|r| ["2", "3"].contains(&r[1].as_str().unwrap())));
        assert_eq!(few(&corpus, &queries, 1).unwrap().lines().count(), 1);
        assert_eq!(fitting(&corpus, queries.to_vec(), 1).unwrap().len(), 1);
        assert!(fitting(&corpus, queries.to_vec(), 0).is_err());
    }

    #[test]
    fn tables_grow_by_columns_of_the_others() {
        let (_dir, corpus, queries) = set(
            "{\"id\":\"a\",\"header\":[\"n\",\"n\",\"v\"],\"rows\":[[\"x\",\"1\"]]}\n\
             {\"id\":\"b\",\"header\":[\"N\",\"town\",\"age\"],\"rows\":[[\"y\",\"oslo\",\"2\"],[\"z\",\"rome\",\"3\"]]}\n",
        );
        let grown = |columns| {
            let text = grow(&corpus, &queries, Size { rows: 3, columns }, 1).unwrap();
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let table = grown(5);
        let (header, rows) = (array(&table["header"]), array(&table["rows"]));
        assert_eq!(header[..3], [json!("n"), json!("n"), json!("v")]);
        assert!(
            header[3..].iter().all(|name| ["town", "age"].contains(&name.as_str().unwrap())),
            "{header:?}"
        );
        assert_eq!((header.len(), rows.len()), (5, 3));
        assert!(rows.iter().all(|row| array(row).len() == 5));
        assert_eq!(array(&rows[0])[..3], [json!("x"), json!("1"), json!("")]);
        // A table that is wide enough stays as it is.
        for columns in [0, 3] {
            let table = grown(columns);
            assert_eq!(table["header"], json!(["n", "n", "v"]));
            assert_eq!(table["rows"][0], json!(["x", "1"]));
        }
    }
}

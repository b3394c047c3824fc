//! WikiSQL: questions with a query of one table, which is run here for the answer.
//!
//! All tables of the release are written. Texts are compared without case, and as numbers where both are numbers.

use super::output::{Output, Query, Table, add};
use super::{Layout, input};
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;
use tabletalk_core::{Error, Result};

const SPLITS: [&str; 3] = ["train", "dev", "test"];
const AGGREGATES: [&str; 6] = ["", "MAX", "MIN", "COUNT", "SUM", "AVG"];
const OPERATORS: [&str; 3] = ["=", ">", "<"];
/// What each operator asks of a cell beside the value.
const ORDERS: [Ordering; 3] = [Ordering::Equal, Ordering::Greater, Ordering::Less];

#[derive(Deserialize)]
struct Asked {
    question: String,
    table_id: String,
    sql: Sql,
}

/// A query: the number of a column, of an aggregate, and conditions of column, operator and value.
#[derive(Deserialize)]
struct Sql {
    sel: usize,
    agg: usize,
    #[serde(default)]
    conds: Vec<(usize, usize, Value)>,
}

#[derive(Deserialize)]
struct Given {
    id: String,
    header: Vec<String>,
    #[serde(default)]
    types: Vec<String>,
    rows: Vec<Vec<Value>>,
    #[serde(default)]
    page_title: Option<String>,
    #[serde(default)]
    section_title: Option<String>,
    #[serde(default)]
    caption: Option<String>,
}

/// A table that questions are asked about.
struct Known {
    table: Table,
    is_number: Vec<bool>,
}

pub(super) fn convert(dir: &Path, split: &str, out: &mut Output) -> Result<()> {
    let split = if matches!(split, "val" | "valid" | "validation") { "dev" } else { split };
    let about = Layout::Wikisql.about();
    let find = |name: String| input::first(dir, &[format!("data/{name}"), name], about);
    let questions = find(format!("{split}.jsonl"))?;
    let own = find(format!("{split}.tables.jsonl"))?;
    let mut tables = HashMap::new();
    read_tables(&own, out, |table| drop(tables.insert(table.table.id.clone(), table)))?;
    let folder = own.parent().map(Path::to_owned).unwrap_or_default();
    for path in SPLITS.map(|other| folder.join(format!("{other}.tables.jsonl"))) {
        if path != own && path.is_file() {
            read_tables(&path, out, drop)?;
        }
    }
    write_queries(&questions, split, &tables, out)
}

fn read_tables(path: &Path, out: &mut Output, mut each: impl FnMut(Known)) -> Result<()> {
    input::each_json(path, |_, given: Given| {
        let title = [given.page_title, given.caption].into_iter().flatten().find(|text| !text.is_empty());
        let known = Known {
            table: Table {
                id: given.id,
                title: title.unwrap_or_default(),
                section: given.section_title.unwrap_or_default(),
                header: given.header,
                rows: given.rows.iter().map(|row| row.iter().map(text).collect()).collect(),
                ..Table::default()
            },
            is_number: given.types.iter().map(|kind| kind == "real").collect(),
        };
        out.table(&known.table)?;
        each(known);
        Ok(())
    })
}

fn write_queries(path: &Path, split: &str, tables: &HashMap<String, Known>, out: &mut Output) -> Result<()> {
    input::each_json(path, |number, asked: Asked| {
        let Some(known) = tables.get(&asked.table_id) else {
            out.leave_out(1);
            return Ok(());
        };
        asked.sql.check(&known.table)?;
        let rows = asked.sql.rows(known);
        let answers = asked.sql.answers(&known.table, &rows);
        // A value that the table does not hold: the question has no answer.
        if answers.is_empty() {
            out.leave_out(1);
            return Ok(());
        }
        out.query(&Query {
            id: format!("{split}-{}", number - 1),
            question: asked.question,
            relevant: vec![asked.table_id],
            answers,
            cells: rows.iter().map(|row| [*row, asked.sql.sel]).collect(),
            columns: asked.sql.columns(&known.table),
            rows,
            sql: Some(asked.sql.written(known)),
            ..Query::default()
        })
    })
}

impl Sql {
    /// Whether all numbers mean something.
    fn check(&self, table: &Table) -> Result<()> {
        let width = table.header.len();
        let columns = std::iter::once(self.sel).chain(self.conds.iter().map(|(column, ..)| *column));
        if let Some(column) = columns.into_iter().find(|column| *column >= width) {
            let message = format!("column {column} (from 0) is not in table {}, which has {width}", table.id);
            return Err(Error::input(message).hint("questions and tables must be of the same release"));
        }
        if self.agg >= AGGREGATES.len() {
            return Err(Error::input(format!("there is no aggregate {}", self.agg)).hint("they are 0 to 5"));
        }
        match self.conds.iter().find(|(_, operator, _)| *operator >= OPERATORS.len()) {
            Some((_, operator, _)) => {
                Err(Error::input(format!("there is no operator {operator}")).hint("they are 0 to 2"))
            }
            None => Ok(()),
        }
    }

    /// The rows that fulfil all conditions.
    fn rows(&self, known: &Known) -> Vec<usize> {
        let fulfils = |row: &[String]| {
            self.conds.iter().all(|(column, operator, value)| {
                let cell = row.get(*column).map_or("", String::as_str);
                let is_number = known.is_number.get(*column) == Some(&true);
                compare(cell, value, is_number).is_some_and(|order| ORDERS.get(*operator) == Some(&order))
            })
        };
        let rows = known.table.rows.iter().enumerate();
        rows.filter(|(_, row)| fulfils(row)).map(|(i, _)| i).collect()
    }

    /// What the query gives for these rows.
    fn answers(&self, table: &Table, rows: &[usize]) -> Vec<String> {
        let cell = |row: &usize| table.rows.get(*row)?.get(self.sel).map(String::as_str);
        let cells: Vec<&str> = rows.iter().filter_map(cell).filter(|cell| !cell.trim().is_empty()).collect();
        let numbers = || cells.iter().filter_map(|cell| number(cell));
        let one = match AGGREGATES.get(self.agg).copied().unwrap_or_default() {
            "COUNT" => Some(rows.len().to_string()),
            "SUM" => numbers().reduce(|a, b| a + b).map(shown),
            "AVG" => numbers().reduce(|a, b| a + b).map(|sum| shown(sum / numbers().count() as f64)),
            "MAX" => cells
                .iter()
                .copied()
                .reduce(|a, b| if order(b, a).is_gt() { b } else { a })
                .map(str::to_owned),
            "MIN" => cells
                .iter()
                .copied()
                .reduce(|a, b| if order(b, a).is_lt() { b } else { a })
                .map(str::to_owned),
            _ => {
                let mut all = Vec::new();
                cells.iter().for_each(|cell| add(&mut all, (*cell).to_owned()));
                return all;
            }
        };
        one.into_iter().collect()
    }

    fn columns(&self, table: &Table) -> Vec<String> {
        let mut names = Vec::new();
        for column in std::iter::once(self.sel).chain(self.conds.iter().map(|(column, ..)| *column)) {
            add(&mut names, table.header.get(column).cloned().unwrap_or_default());
        }
        names
    }

    /// The query as SQL.
    fn written(&self, known: &Known) -> String {
        let table = &known.table;
        let name = |column: usize| quoted(table.header.get(column).map_or("", String::as_str), '"');
        let select = match AGGREGATES.get(self.agg).copied().unwrap_or_default() {
            "" => name(self.sel),
            aggregate => format!("{aggregate}({})", name(self.sel)),
        };
        let condition = |(column, operator, value): &(usize, usize, Value)| {
            let number =
                wanted(value).filter(|_| value.is_number() || known.is_number.get(*column) == Some(&true));
            let value = number.map_or_else(|| quoted(&text(value), '\''), shown);
            format!("{} {} {value}", name(*column), OPERATORS.get(*operator).copied().unwrap_or_default())
        };
        let conditions: Vec<String> = self.conds.iter().map(condition).collect();
        let filter = if conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", conditions.join(" AND "))
        };
        format!("SELECT {select} FROM {}{filter}", quoted(&table.id, '"'))
    }
}

/// A cell beside the value of a condition; none where they cannot be compared.
fn compare(cell: &str, value: &Value, is_number: bool) -> Option<Ordering> {
    if let (true, Some(wanted)) = (is_number || value.is_number(), wanted(value)) {
        return number(cell)?.partial_cmp(&wanted);
    }
    let value = text(value);
    match (folded(cell) == folded(&value), order(cell, &value)) {
        (true, _) => Some(Ordering::Equal),
        // Equal as numbers, but not as written.
        (false, Ordering::Equal) => None,
        (false, order) => Some(order),
    }
}

/// The order of two cells: as numbers where both are, else as texts.
fn order(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => folded(a).cmp(&folded(b)),
    }
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

/// A number that is the whole text; commas may stand in it.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+'));
    text.replace(',', "").parse().ok().filter(|_| is_plain)
}

/// The number that a value is, or the first that stands in it.
fn wanted(value: &Value) -> Option<f64> {
    let text = match value {
        Value::String(text) => text,
        other => return other.as_f64(),
    };
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    number(text)
        .or_else(|| text.split(|c| !is_part(c)).find_map(|part| number(part.trim_matches(['.', ',']))))
}

/// A cell as text: whole numbers without a point.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(n) if n.is_f64() => n.as_f64().map(shown).unwrap_or_default(),
        other => other.to_string(),
    }
}

fn shown(number: f64) -> String {
    number.to_string()
}

/// A name or a text in SQL.
fn quoted(text: &str, mark: char) -> String {
    format!("{mark}{}{mark}", text.replace(mark, &format!("{mark}{mark}")))
}

#[cfg(test)]
mod tests {
    use super::super::Converted;
    use super::super::fixture::{add, error, folder, made};
    use super::*;
    use serde_json::json;

    fn tables() -> String {
        let buses = json!({"id":"1-1-1","header":["Year","Maker","Fleet \"size\"","Note"],"types":["real","text","real","text"],
            "rows":[[1992,"Gillig",21.0,"1,000"],[1996,"gillig",3.5,"20"],[2010,"NFI",10,"n/a"],["2011","NFI","1,200",null]],
            "page_title":"Torrance","section_title":"Fleet","caption":"Fleet","name":"table_1"});
        let other = json!({"id":"1-2-1","header":["a"],"types":["text"],"rows":[],"caption":"Letters"});
        format!("{buses}\n{other}\n")
    }

    fn asked(sel: usize, agg: usize, conds: Value) -> String {
        json!({"phase":1,"table_id":"1-1-1","question":"q ?","sql":{"sel":sel,"agg":agg,"conds":conds}})
            .to_string()
    }

    fn answered(sel: usize, agg: usize, conds: Value) -> Value {
        let dir = folder(&[("dev.jsonl", &asked(sel, agg, conds)), ("dev.tables.jsonl", &tables())]);
        let (_, [_, _, queries]) = made(Layout::Wikisql, dir.path(), "val");
        queries[0].clone()
    }

    #[test]
    fn questions_with_the_answers_of_their_queries() {
        let gone = r#"{"question":"gone ?","table_id":"9-9-9","sql":{"sel":0,"agg":0,"conds":[]}}"#;
        let lines = [
            asked(0, 0, json!([[1, 0, "GILLIG"]])),
            gone.to_owned(),
            asked(0, 0, json!([[1, 0, "none such"]])),
            asked(2, 1, json!([])),
        ];
        let test = r#"{"id":"2-1-1","header":["b"],"types":["text"],"rows":[["x"]]}"#;
        let dir = folder(&[
            ("data/train.jsonl", &lines.join("\n")),
            ("data/train.tables.jsonl", &tables()),
            ("data/test.tables.jsonl", test),
        ]);
        let (converted, [tables, _, queries]) = made(Layout::Wikisql, dir.path(), "train");
        assert_eq!(converted, Converted { tables: 3, passages: 0, queries: 2, left_out: 2 });
        assert_eq!(
            tables[0],
            json!({"id":"1-1-1","title":"Torrance","section":"Fleet","header":["Year","Maker","Fleet \"size\"","Note"],
                "rows":[["1992","Gillig","21","1,000"],["1996","gillig","3.5","20"],["2010","NFI","10","n/a"],["2011","NFI","1,200",""]]})
        );
        assert_eq!((&tables[1]["title"], &tables[2]["id"]), (&json!("Letters"), &json!("2-1-1")));
        assert_eq!(
            queries,
            [
                json!({"id":"train-0","question":"q ?","relevant":["1-1-1"],"answers":["1992","1996"],"cells":[[0,0],[1,0]],
                    "columns":["Year","Maker"],"rows":[0,1],"sql":"SELECT \"Year\" FROM \"1-1-1\" WHERE \"Maker\" = 'GILLIG'"}),
                json!({"id":"train-3","question":"q ?","relevant":["1-1-1"],"answers":["1,200"],
                    "cells":[[0,2],[1,2],[2,2],[3,2]],"columns":["Fleet \"size\""],"rows":[0,1,2,3],
                    "sql":"SELECT MAX(\"Fleet \"\"size\"\"\") FROM \"1-1-1\""}),
            ]
        );
    }

    #[test]
    fn aggregates_and_conditions() {
        for (sel, agg, conds, right) in [
            (2, 2, json!([]), json!(["3.5"])),
            (2, 3, json!([[0, 1, 1996]]), json!(["2"])),
            (2, 3, json!([[0, 1, 3000]]), json!(["0"])),
            (2, 4, json!([[0, 2, "1,996 or so"]]), json!(["21"])),
            (2, 5, json!([[1, 0, "nfi"]]), json!(["605"])),
            (1, 1, json!([]), json!(["NFI"])),
            (1, 0, json!([[1, 0, "nfi "]]), json!(["NFI"])),
            (0, 0, json!([[0, 0, "2011"], [1, 0, "NFI"]]), json!(["2011"])),
            // A text column: numbers are compared as numbers, equality is as written.
            (0, 0, json!([[3, 1, "100"]]), json!(["1992", "2010"])),
            (0, 3, json!([[3, 0, "1000"]]), json!(["0"])),
            (0, 3, json!([[3, 0, 1000]]), json!(["1"])),
        ] {
            assert_eq!(answered(sel, agg, conds.clone())["answers"], right, "{sel} {agg} {conds}");
        }
        let sql = answered(2, 4, json!([[0, 1, "1,996"], [3, 0, "n/a"]]));
        assert_eq!(
            sql["sql"],
            r#"SELECT SUM("Fleet ""size""") FROM "1-1-1" WHERE "Year" > 1996 AND "Note" = 'n/a'"#
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let dir = folder(&[("data/dev.jsonl", "")]);
        assert!(
            error(Layout::Wikisql, dir.path(), "train")
                .to_string()
                .contains("data/train.jsonl or train.jsonl")
        );
        assert!(error(Layout::Wikisql, dir.path(), "dev").to_string().contains("data/dev.tables.jsonl"));
        add(dir.path(), &[("data/dev.tables.jsonl", &tables())]);
        for (text, part) in [
            (format!("{}\n{{", asked(0, 0, json!([]))), "dev.jsonl line 2: not valid JSON"),
            (
                asked(9, 0, json!([])),
                "dev.jsonl line 1: column 9 (from 0) is not in table 1-1-1, which has 4",
            ),
            (asked(0, 0, json!([[4, 0, "x"]])), "column 4"),
            (asked(0, 6, json!([])), "no aggregate 6"),
            (asked(0, 0, json!([[0, 3, "x"]])), "no operator 3"),
            (asked(0, 0, json!([[0, "x"]])), "line 1: not valid JSON"),
        ] {
            add(dir.path(), &[("data/dev.jsonl", &text)]);
            let wrong = error(Layout::Wikisql, dir.path(), "dev").to_string();
            assert!(wrong.contains(part), "{wrong}");
        }
        add(dir.path(), &[("data/dev.tables.jsonl", "{\"id\":\"x\"}")]);
        let wrong = error(Layout::Wikisql, dir.path(), "dev").to_string();
        assert!(wrong.contains("dev.tables.jsonl line 1: not valid JSON: missing field `header`"), "{wrong}");
    }
}

//! WikiTableQuestions: questions in tab-separated lines, tables as CSV with backslashes.

use super::Layout;
use super::input;
use super::output::{Output, Query, Table};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use tabletalk_core::{Error, Result};

/// Converts one split: `train`, `dev` (the first random split), `test`, or the name of a file in `data`.
pub(super) fn convert(dir: &Path, split: &str, out: &mut Output) -> Result<()> {
    let name = match split {
        "train" => "training",
        "dev" | "val" => "random-split-1-dev",
        "test" => "pristine-unseen-tables",
        other => other,
    };
    let path = input::first(dir, &[format!("data/{name}.tsv")], Layout::Wikitablequestions.about())?;
    // Whether a table is there, by its id.
    let mut seen: HashMap<String, bool> = HashMap::new();
    input::each_line(&path, |number, line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, question, context, target] = fields[..] else {
            let message = format!("has {} fields, not id, utterance, context and targetValue", fields.len());
            return Err(Error::input(message));
        };
        if number == 1 && id == "id" {
            return Ok(());
        }
        let table = table_id(context)?;
        if !seen.contains_key(&table) {
            let read = read_table(dir, context, &table)?;
            seen.insert(table.clone(), read.is_some());
            read.map(|table| out.table(&table)).transpose()?;
        }
        if seen.get(&table) != Some(&true) {
            out.leave_out(1);
            return Ok(());
        }
        out.query(&Query {
            id: id.to_owned(),
            question: unescaped(question),
            relevant: vec![table],
            answers: target.split('|').map(unescaped).collect(),
            ..Query::default()
        })
    })
}

/// `204-590` of `csv/204-csv/590.csv`.
fn table_id(context: &str) -> Result<String> {
    let parts = || context.strip_prefix("csv/")?.strip_suffix(".csv")?.split_once("-csv/");
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match parts() {
        Some((group, number)) if is_number(group) && is_number(number) => Ok(format!("{group}-{number}")),
        _ => Err(Error::input(format!("`{context}` is not the name of a table such as csv/204-csv/590.csv"))),
    }
}

fn read_table(dir: &Path, context: &str, id: &str) -> Result<Option<Table>> {
    let path = dir.join(context);
    if !path.is_file() {
        return Ok(None);
    }
    let mut csv = csv::ReaderBuilder::new();
    csv.has_headers(false).flexible(true).double_quote(false).escape(Some(b'\\'));
    let Some((header, rows)) = input::header_and_rows(input::csv_rows(&path, &csv)?) else {
        return Ok(None);
    };
    let page =
        context.replacen("csv/", "page/", 1).replacen("-csv/", "-page/", 1).replacen(".csv", ".json", 1);
    let page: Value = input::json_if_there(&dir.join(page))?.unwrap_or_default();
    let text = |key: &str| page.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (title, url) = (text("title"), text("url"));
    Ok(Some(Table { id: id.to_owned(), title, url, header, rows, ..Table::default() }))
}

/// A field as it was: `\n` is a line break, `\p` a bar, `\\` a backslash.
fn unescaped(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut rest = field;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let (c, length) = match after.as_bytes().first() {
            Some(b'n') => ('\n', 1),
            Some(b'p') => ('|', 1),
            Some(b'\\') => ('\\', 1),
            _ => ('\\', 0),
        };
        text.push(c);
        rest = after.get(length..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{add, error, folder, made};
    use super::super::{Converted, Layout};
    use super::unescaped;
    use serde_json::json;

    const LAYOUT: Layout = Layout::Wikitablequestions;
    const TABLE: (&str, &str) = (
        "csv/204-csv/590.csv",
        "\"Year\",\"Place\nin all\"\n\"2004\",\"1st, \\\"West\\\"\"\n\"2005\",\"C:\\\\x\"\n",
    );

    #[test]
    fn questions_with_their_tables() {
        let tsv = "id\tutterance\tcontext\ttargetValue\n\
                   nt-0\twhich year?\tcsv/204-csv/590.csv\t2004|a\\pb\n\
                   nt-1\tgone?\tcsv/204-csv/591.csv\t1\n\
                   nt-2\tline\\nbreak\tcsv/204-csv/590.csv\t1\n";
        let page = ("page/204-page/590.json", r#"{"title":"Timbers","url":"http://x","tableIndex":0}"#);
        let dir = folder(&[TABLE, page, ("data/training.tsv", tsv), ("data/random-split-1-dev.tsv", tsv)]);
        let (converted, [tables, _, queries]) = made(LAYOUT, dir.path(), "train");
        assert_eq!(converted, Converted { tables: 1, passages: 0, queries: 2, left_out: 1 });
        let table = json!({"id":"204-590","title":"Timbers","url":"http://x","header":["Year","Place\nin all"],
            "rows":[["2004","1st, \"West\""],["2005","C:\\x"]]});
        assert_eq!(tables, [table]);
        let first =
            json!({"id":"nt-0","question":"which year?","relevant":["204-590"],"answers":["2004","a|b"]});
        assert_eq!(queries[0], first);
        assert_eq!(queries[1]["question"], "line\nbreak");
        assert_eq!(made(LAYOUT, dir.path(), "dev").0.queries, 2);
        assert_eq!(made(LAYOUT, dir.path(), "random-split-1-dev").0.queries, 2);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let dir = folder(&[TABLE]);
        let none = error(LAYOUT, dir.path(), "test").to_string();
        assert!(none.contains("data/pristine-unseen-tables.tsv"), "{none}");
        for (text, part) in [
            (
                "id\tutterance\tcontext\ttargetValue\nnt-0\twhich?\tcsv/204-csv/590.csv\n",
                "line 2: has 3 fields",
            ),
            ("nt-0\twhich?\t../590.csv\t1\n", "line 1: `../590.csv` is not the name of a table"),
            ("nt-0\twhich?\tcsv/1-csv/2.csv\t1\n", "no query can be used"),
        ] {
            add(dir.path(), &[("data/training.tsv", text)]);
            let wrong = error(LAYOUT, dir.path(), "train").to_string();
            assert!(wrong.contains(part), "{wrong}");
        }
    }

    #[test]
    fn escapes_are_read_from_the_left() {
        assert_eq!(unescaped(r"a\\n\p\x\"), "a\\n|\\x\\");
        let list: Vec<String> = r"a\pb|c\\n|d\ne".split('|').map(unescaped).collect();
        assert_eq!(list, ["a|b", r"c\n", "d\ne"]);
    }
}

//! SQA: conversations about the tables of WikiTableQuestions, with the cells that answer.

use super::Layout;
use super::input;
use super::output::{Output, Query, Table};
use std::collections::HashMap;
use std::path::Path;
use tabletalk_core::{Error, Result};

const NAMES: [&str; 7] =
    ["id", "annotator", "position", "question", "table_file", "answer_coordinates", "answer_text"];

/// Converts one split: `train`, `dev` (the first random split), `test`, or the name of a file.
pub(super) fn convert(dir: &Path, split: &str, out: &mut Output) -> Result<()> {
    let name = if matches!(split, "dev" | "val") { "random-split-1-dev" } else { split };
    let path = input::first(dir, &[format!("{name}.tsv")], Layout::Sqa.about())?;
    input::first_folder(dir, &["table_csv"], Layout::Sqa.about())?;
    let text = input::text(&path)?;
    let mut lines = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(text.as_bytes());
    let header = lines.headers().map_err(|e| input::csv_error(&e, &path))?.clone();
    let places = columns(&header).map_err(|e| e.at(path.display()))?;
    let mut tables: HashMap<String, Option<Table>> = HashMap::new();
    for record in lines.records() {
        let record = record.map_err(|e| input::csv_error(&e, &path))?;
        let line = record.position().map_or(0, csv::Position::line);
        let fields = places.map(|place| record.get(place).unwrap_or_default());
        one(dir, &fields, &mut tables, out).map_err(|e| e.at(format!("{} line {line}", path.display())))?;
    }
    Ok(())
}

/// Where the named columns are.
fn columns(header: &csv::StringRecord) -> Result<[usize; 7]> {
    let mut places = [0; 7];
    for (place, name) in places.iter_mut().zip(NAMES) {
        *place = header
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| Error::input(format!("has no column `{name}`")).hint("is it of another set?"))?;
    }
    Ok(places)
}

fn one(
    dir: &Path,
    fields: &[&str; 7],
    tables: &mut HashMap<String, Option<Table>>,
    out: &mut Output,
) -> Result<()> {
    let [id, annotator, position, question, file, coordinates, answers] = *fields;
    let file = file.rsplit('/').next().unwrap_or(file);
    if !tables.contains_key(file) {
        let table = read_table(dir, file)?;
        table.iter().try_for_each(|table| out.table(table))?;
        tables.insert(file.to_owned(), table);
    }
    let Some(Some(table)) = tables.get(file) else {
        out.leave_out(1);
        return Ok(());
    };
    let wrong = |name: &str, text: &str| Error::input(format!("`{text}` is not a list of {name}"));
    let answers = list(answers).ok_or_else(|| wrong("answers", answers))?;
    let places =
        list(coordinates).and_then(|all| all.iter().map(|place| pair(place)).collect::<Option<Vec<_>>>());
    let places = places.ok_or_else(|| wrong("places such as '(0, 1)'", coordinates))?;
    let cell = |(row, column)| input::cell(&table.rows, table.header.len(), row, column);
    let position = position.trim().parse();
    let seq = format!("{id}_{annotator}");
    out.query(&Query {
        id: format!("{seq}_{}", fields[2].trim()),
        question: question.to_owned(),
        relevant: vec![table.id.clone()],
        answers: answers.iter().map(|text| broken(text)).collect(),
        cells: places.into_iter().map(cell).collect::<Result<_>>()?,
        seq: Some(seq),
        position: Some(
            position.map_err(|_| Error::input(format!("the position `{}` is not a number", fields[2])))?,
        ),
        ..Query::default()
    })
}

/// The table of `203_149.csv`, whose id is `203-149` as in WikiTableQuestions.
fn read_table(dir: &Path, file: &str) -> Result<Option<Table>> {
    let path = dir.join("table_csv").join(file);
    if file.is_empty() || !path.is_file() {
        return Ok(None);
    }
    let mut csv = csv::ReaderBuilder::new();
    csv.has_headers(false).flexible(true);
    let mut rows = input::csv_rows(&path, &csv)?;
    rows.iter_mut().flatten().for_each(|cell| *cell = broken(cell));
    let id = file.strip_suffix(".csv").unwrap_or(file).replace('_', "-");
    Ok(input::header_and_rows(rows).map(|(header, rows)| Table { id, header, rows, ..Table::default() }))
}

/// A cell whose line breaks are written `\n`.
fn broken(text: &str) -> String {
    text.replace("\\n", "\n")
}

/// `(0, 4)`.
fn pair(text: &str) -> Option<(i64, i64)> {
    let (row, column) = text.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    Some((row.trim().parse().ok()?, column.trim().parse().ok()?))
}

/// A list as Python writes it: `['a', "b's", (0, 1)]`.
fn list(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim().strip_prefix('[')?.trim_start();
    let mut items = Vec::new();
    while rest != "]" {
        let (item, after) = item(rest)?;
        items.push(item);
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if after == "]" => after,
            None => return None,
        };
    }
    Some(items)
}

/// The first item of a list, and what comes after it.
fn item(text: &str) -> Option<(String, &str)> {
    let quoted = text.strip_prefix('u').filter(|rest| rest.starts_with(['\'', '"'])).unwrap_or(text);
    match quoted.chars().next()? {
        quote @ ('\'' | '"') => quoted_text(&quoted[1..], quote),
        '(' => {
            let end = text.find(')')? + 1;
            Some((text[..end].to_owned(), &text[end..]))
        }
        _ => {
            let end = text.find([',', ']'])?;
            Some((text[..end].trim().to_owned(), &text[end..])).filter(|(item, _)| !item.is_empty())
        }
    }
}

/// A text up to its closing mark, with escapes read.
fn quoted_text(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            c if c == quote => return Some((value, chars.as_str())),
            '\\' => match chars.next()? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                'x' => value.push(coded(&mut chars, 2)?),
                'u' => value.push(coded(&mut chars, 4)?),
                c @ ('\\' | '\'' | '"') => value.push(c),
                c => value.extend(['\\', c]),
            },
            c => value.push(c),
        }
    }
}

/// A character by its code.
fn coded(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let code: String = chars.by_ref().take(digits).collect();
    u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{add, error, folder, made};
    use super::super::{Converted, Layout};
    use super::{list, pair};
    use serde_json::json;

    const HEAD: &str = "id\tannotator\tposition\tquestion\ttable_file\tanswer_coordinates\tanswer_text\n";
    const TABLE: (&str, &str) =
        ("table_csv/203_149.csv", "Pick,Player\\nname,School\n1,\"McDonald, Ben\",LSU\n2,\"\"\"T\"\"\",\n");

    #[test]
    fn a_conversation_with_its_cells() {
        let tsv = format!(
            "{HEAD}nt-639\t0\t0\twhere from?\ttable_csv/203_149.csv\t['(0, 2)', '(1, 2)']\t['LSU', '']\n\
             nt-639\t0\t1\t\"who is \"\"ben\"\"?\"\ttable_csv/203_149.csv\t['(0, 1)']\t[\"McDonald, Ben\"]\n\
             nt-640\t0\t0\twho?\ttable_csv/1_1.csv\t['(0, 1)']\t['x']\n"
        );
        let dir = folder(&[TABLE, ("train.tsv", &tsv), ("random-split-1-dev.tsv", &tsv)]);
        let (converted, [tables, _, queries]) = made(Layout::Sqa, dir.path(), "train");
        assert_eq!(converted, Converted { tables: 1, passages: 0, queries: 2, left_out: 1 });
        assert_eq!(
            tables,
            [json!({"id":"203-149","header":["Pick","Player\nname","School"],
                "rows":[["1","McDonald, Ben","LSU"],["2","\"T\"",""]]})]
        );
        assert_eq!(
            queries,
            [
                json!({"id":"nt-639_0_0","question":"where from?","relevant":["203-149"],"answers":["LSU",""],
                    "cells":[[0,2],[1,2]],"seq":"nt-639_0","position":0}),
                json!({"id":"nt-639_0_1","question":"who is \"ben\"?","relevant":["203-149"],
                    "answers":["McDonald, Ben"],"cells":[[0,1]],"seq":"nt-639_0","position":1}),
            ]
        );
        assert_eq!(made(Layout::Sqa, dir.path(), "dev").0.queries, 2);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let dir = folder(&[("train.tsv", HEAD)]);
        assert!(error(Layout::Sqa, dir.path(), "test").to_string().contains("test.tsv"));
        assert!(error(Layout::Sqa, dir.path(), "train").to_string().contains("no folder table_csv"));
        add(dir.path(), &[TABLE]);
        let line = |position: &str, places: &str, answers: &str| {
            format!("{HEAD}nt-1\t0\t{position}\twho?\ttable_csv/203_149.csv\t{places}\t{answers}\n")
        };
        for (text, part) in [
            (line("0", "['(9, 1)']", "['x']"), "line 2: row 9, column 1 (from 0) is not in its table"),
            (line("0", "['(-1, -1)']", "['x']"), "row -1, column -1"),
            (line("0", "['0, 1']", "['x']"), "is not a list of places"),
            (line("0", "['(0, 1)']", "x"), "line 2: `x` is not a list of answers"),
            (line("one", "['(0, 1)']", "['x']"), "the position `one` is not a number"),
            ("id\tquestion\nnt-1\twho?\n".to_owned(), "has no column `annotator`"),
            (format!("{HEAD}nt-1\t0\n"), "line 2: has 2 fields where there are 7 names"),
        ] {
            add(dir.path(), &[("train.tsv", &text)]);
            let wrong = error(Layout::Sqa, dir.path(), "train").to_string();
            assert!(wrong.contains(part), "{wrong}");
        }
    }

    #[test]
    fn lists_as_python_writes_them() {
        assert_eq!(
            list(r#"['a\'s', "b, 'c'", u'\xe9\u2013\\', 3]"#).unwrap(),
            ["a's", "b, 'c'", "é–\\", "3"]
        );
        assert_eq!(list("[(0, 1), (2, 3)]").unwrap(), ["(0, 1)", "(2, 3)"]);
        assert_eq!(list("[]").unwrap(), Vec::<String>::new());
        for wrong in ["", "a", "['a'", "['a' 'b']", "['a', ,]", "[(0, 1]", "['\\x"] {
            assert_eq!(list(wrong), None, "{wrong}");
        }
        assert_eq!((pair("(0, 4)"), pair("(0; 4)"), pair("0, 4")), (Some((0, 4)), None, None));
    }
}

//! TabFact: statements about tables, in the wording they were collected in or made into basic forms.
//!
//! All tables of the release are written. Where `collected_data` is there, statements have their original wording.

use super::Layout;
use super::input;
use super::output::{Output, Query, Table};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// Both rounds of collecting: simple statements and complex ones.
const COLLECTED: [&str; 2] = ["collected_data/r1_training_all.json", "collected_data/r2_training_all.json"];
const PARTS: [&str; 3] = ["train", "val", "test"];

/// The statements on one table.
struct Claims {
    statements: Vec<String>,
    labels: Vec<&'static str>,
    caption: String,
}

/// Claims by the file of their table, in the order of the set.
type Claimed = Vec<(String, Claims)>;

pub(super) fn convert(dir: &Path, split: &str, out: &mut Output) -> Result<()> {
    let split = if matches!(split, "dev" | "valid" | "validation") { "val" } else { split };
    let (claimed, missing) = claims(dir, split)?;
    write_tables(dir, &titles(dir, &claimed)?, out)?;
    out.leave_out(missing);
    for (file, claims) in &claimed {
        let table = table_id(file);
        if !out.has_table(table) {
            out.leave_out(claims.statements.len());
            continue;
        }
        for (i, (statement, label)) in claims.statements.iter().zip(&claims.labels).enumerate() {
            out.query(&Query {
                id: format!("{split}-{table}-{i}"),
                question: statement.clone(),
                relevant: vec![table.to_owned()],
                label: Some(label),
                ..Query::default()
            })?;
        }
    }
    Ok(())
}

/// `2-1859269-1` of `2-1859269-1.html.csv`.
fn table_id(file: &str) -> &str {
    let stem = file.strip_suffix(".csv").unwrap_or(file);
    stem.strip_suffix(".html").unwrap_or(stem)
}

/// The claims of a split, and how many of its tables have none.
fn claims(dir: &Path, split: &str) -> Result<(Claimed, usize)> {
    let ids = dir.join(format!("data/{split}_id.json"));
    let collected: Vec<PathBuf> =
        COLLECTED.iter().map(|name| dir.join(name)).filter(|path| path.is_file()).collect();
    if collected.is_empty() || !ids.is_file() {
        let examples = format!("tokenized_data/{split}_examples.json");
        let path = input::first(dir, &[examples], Layout::Tabfact.about())?;
        return Ok((read_claims(&path)?, 0));
    }
    let mut all: HashMap<String, Claims> = HashMap::new();
    for path in &collected {
        all.extend(read_claims(path)?);
    }
    let ids: Vec<String> = input::json(&ids)?;
    let asked = ids.len();
    let found: Claimed = ids.into_iter().filter_map(|file| all.remove_entry(&file)).collect();
    let missing = asked - found.len();
    Ok((found, missing))
}

fn read_claims(path: &Path) -> Result<Claimed> {
    let entries: Map<String, Value> = input::json(path)?;
    let read = |(file, entry): (String, Value)| {
        let claims = entry_claims(&entry).map_err(|e| e.at(format!("{} `{file}`", path.display())))?;
        Ok((file, claims))
    };
    entries.into_iter().map(read).collect()
}

/// An entry is a list of statements, one of labels, and a caption, which is the last.
fn entry_claims(entry: &Value) -> Result<Claims> {
    let list = |i: usize| entry.get(i).and_then(Value::as_array);
    let (Some(statements), Some(labels)) = (list(0), list(1)) else {
        return Err(Error::input("is not a list of statements, labels and caption"));
    };
    if statements.len() != labels.len() {
        return Err(Error::input(format!("has {} statements and {} labels", statements.len(), labels.len())));
    }
    let statement = |v: &Value| v.as_str().map(str::to_owned).ok_or_else(|| Error::input("has no text"));
    let label = |v: &Value| match v.as_i64() {
        Some(1) => Ok("supported"),
        Some(0) => Ok("refuted"),
        _ => Err(Error::input(format!("has the label {v}, which is neither 1 nor 0"))),
    };
    let caption = entry.as_array().and_then(|all| all.last()).and_then(Value::as_str);
    Ok(Claims {
        statements: statements.iter().map(statement).collect::<Result<_>>()?,
        labels: labels.iter().map(label).collect::<Result<_>>()?,
        caption: caption.unwrap_or_default().to_owned(),
    })
}

/// The captions of tables, from every file that has some; else the page that a table is from.
fn titles(dir: &Path, claimed: &Claimed) -> Result<HashMap<String, String>> {
    let pages: Option<Map<String, Value>> = input::json_if_there(&dir.join("data/table_to_page.json"))?;
    let page = |page: Value| page.get(0).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut titles: HashMap<String, String> =
        pages.unwrap_or_default().into_iter().map(|(file, value)| (file, page(value))).collect();
    let examples = PARTS.map(|part| format!("tokenized_data/{part}_examples.json"));
    for name in COLLECTED.into_iter().chain(examples.iter().map(String::as_str)) {
        let entries: Option<Map<String, Value>> = input::json_if_there(&dir.join(name))?;
        for (file, entry) in entries.unwrap_or_default() {
            if let Some(caption) = entry.as_array().and_then(|all| all.last()).and_then(Value::as_str) {
                titles.insert(file, caption.to_owned());
            }
        }
    }
    let own = claimed.iter().filter(|(_, claims)| !claims.caption.is_empty());
    titles.extend(own.map(|(file, claims)| (file.clone(), claims.caption.clone())));
    Ok(titles)
}

fn write_tables(dir: &Path, titles: &HashMap<String, String>, out: &mut Output) -> Result<()> {
    let folder = input::first_folder(dir, &["data/all_csv"], Layout::Tabfact.about())?;
    let at = |e: std::io::Error| Error::from(e).at(folder.display());
    let mut files: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(at)? {
        let name = entry.map_err(at)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".csv") {
            files.push(name);
        }
    }
    files.sort();
    for file in &files {
        let text = input::text(&folder.join(file))?;
        // Cells are never quoted: a quotation mark is part of the cell.
        let rows = text.lines().map(|line| line.split('#').map(str::to_owned).collect()).collect();
        if let Some((header, rows)) = input::header_and_rows(rows) {
            let title = titles.get(file).cloned().unwrap_or_default();
            out.table(&Table { id: table_id(file).to_owned(), title, header, rows, ..Table::default() })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{add, error, folder, made};
    use super::super::{Converted, Layout};
    use serde_json::json;

    const CUP: (&str, &str) = ("data/all_csv/2-1-1.html.csv", "round#clubs\nfirst#\"86\"\nfinal#2\n");
    const OTHER: (&str, &str) = ("data/all_csv/1-2-3.html.csv", "a\nb\n");
    const VAL: (&str, &str) = (
        "tokenized_data/val_examples.json",
        r#"{"2-1-1.html.csv":[["the final have 2 club","the first have 2"],[1,0],"turkish cup"],"gone.html.csv":[["x"],[1],"y"]}"#,
    );

    #[test]
    fn statements_in_basic_forms() {
        let dir = folder(&[CUP, OTHER, VAL]);
        let (converted, [tables, passages, queries]) = made(Layout::Tabfact, dir.path(), "dev");
        assert_eq!(converted, Converted { tables: 2, passages: 0, queries: 2, left_out: 1 });
        let cup = json!({"id":"2-1-1","title":"turkish cup","header":["round","clubs"],"rows":[["first","\"86\""],["final","2"]]});
        assert_eq!(tables, [json!({"id":"1-2-3","header":["a"],"rows":[["b"]]}), cup]);
        assert!(passages.is_empty());
        let query = |i, question, label| json!({"id":format!("val-2-1-1-{i}"),"question":question,"relevant":["2-1-1"],"label":label});
        assert_eq!(
            queries,
            [query(0, "the final have 2 club", "supported"), query(1, "the first have 2", "refuted")]
        );
    }

    #[test]
    fn statements_as_collected_come_first() {
        let dir = folder(&[CUP, OTHER, VAL]);
        let simple = r#"{"1-2-3.html.csv":[["it is b"],[1],"letters"]}"#;
        let complex = r#"{"2-1-1.html.csv":[["the final has 2 clubs"],[1],"turkish cup"]}"#;
        let ids = r#"["2-1-1.html.csv","gone.html.csv"]"#;
        add(
            dir.path(),
            &[
                ("collected_data/r1_training_all.json", simple),
                ("collected_data/r2_training_all.json", complex),
                ("data/val_id.json", ids),
            ],
        );
        let (converted, [tables, _, queries]) = made(Layout::Tabfact, dir.path(), "val");
        assert_eq!((converted.queries, converted.left_out), (1, 1));
        assert_eq!(tables[0]["title"], "letters");
        assert_eq!(queries[0]["question"], "the final has 2 clubs");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let dir = folder(&[CUP]);
        let none = error(Layout::Tabfact, dir.path(), "val").to_string();
        assert!(none.contains("tokenized_data/val_examples.json") && none.contains("data/all_csv"), "{none}");
        for (text, part) in [
            ("{", "not valid JSON"),
            (r#"{"a.csv":[["x"],[1,0],"c"]}"#, "`a.csv`: has 1 statements and 2 labels"),
            (r#"{"a.csv":[["x"],[2],"c"]}"#, "neither 1 nor 0"),
            (r#"{"a.csv":"x"}"#, "statements, labels and caption"),
            (r#"{"a.csv":[["x"],[1],"c"]}"#, "no query can be used, 1 were left out"),
        ] {
            add(dir.path(), &[("tokenized_data/val_examples.json", text)]);
            let wrong = error(Layout::Tabfact, dir.path(), "val").to_string();
            assert!(wrong.contains(part), "{wrong}");
        }
        let without = folder(&[VAL]);
        assert!(error(Layout::Tabfact, without.path(), "val").to_string().contains("no folder data/all_csv"));
    }
}

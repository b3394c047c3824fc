//! Tables whose cells link to passages, as HybridQA and OTT-QA have them: a file for each table and one for the
//! passages it links to.

use super::input;
use super::output::{Output, Passage, Query, Table, add};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// Where the parts of a set are.
pub(super) struct Folders {
    pub(super) questions: PathBuf,
    pub(super) tables: PathBuf,
    pub(super) passages: PathBuf,
}

/// The questions of a split; those whose answers were traced to cells come first.
pub(super) fn questions(dir: &Path, split: &str, about: &str) -> Result<PathBuf> {
    let names = [format!("released_data/{split}.traced.json"), format!("released_data/{split}.json")];
    input::first(dir, &names, about)
}

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    question_id: Value,
    question: String,
    #[serde(default)]
    table_id: Value,
    #[serde(default, rename = "answer-text")]
    answer: Value,
    /// Where the answer stands: text, place, link and whether it is in the `table` or a `passage`.
    #[serde(default, rename = "answer-node")]
    nodes: Option<Vec<Value>>,
}

/// A table with its links.
struct Linked {
    table: Table,
    /// The links of cells, by row and column.
    links: Vec<([usize; 2], String)>,
    /// The passages that are linked to, in their order.
    passages: Vec<Passage>,
}

/// What answers a question.
#[derive(Default)]
struct Gold {
    cells: Vec<[usize; 2]>,
    passages: Vec<String>,
}

/// Converts the questions of a split with their tables, one table after another.
pub(super) fn convert(folders: &Folders, split: &str, out: &mut Output) -> Result<()> {
    let questions: Vec<Question> = input::json(&folders.questions)?;
    let mut queries: Vec<Option<Query>> = questions.iter().map(|_| None).collect();
    for (table, places) in by_table(&questions) {
        let Some(linked) = read(folders, &table)? else {
            out.leave_out(places.len());
            continue;
        };
        out.table(&linked.table)?;
        linked.passages.iter().try_for_each(|passage| out.passage(passage))?;
        for place in places {
            if let (Some(question), Some(query)) = (questions.get(place), queries.get_mut(place)) {
                let id = text(&question.question_id);
                let id = if id.is_empty() { format!("{split}-{place}") } else { id };
                let at = |e: Error| e.at(format!("{} question {id}", folders.questions.display()));
                *query = Some(asked(question, &linked, out, id.clone()).map_err(at)?);
            }
        }
    }
    queries.iter().flatten().try_for_each(|query| out.query(query))
}

/// Places of questions by table, in the order in which tables are asked about.
fn by_table(questions: &[Question]) -> Vec<(String, Vec<usize>)> {
    let mut order: HashMap<String, usize> = HashMap::new();
    let mut tables: Vec<(String, Vec<usize>)> = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        let table = text(&question.table_id);
        let at = *order.entry(table.clone()).or_insert_with(|| {
            tables.push((table, Vec::new()));
            tables.len() - 1
        });
        if let Some((_, places)) = tables.get_mut(at) {
            places.push(place);
        }
    }
    tables
}

fn asked(question: &Question, linked: &Linked, out: &Output, id: String) -> Result<Query> {
    let answer = text(&question.answer);
    let gold = match &question.nodes {
        Some(nodes) => from_nodes(nodes, linked)?,
        None => traced(&answer, linked),
    };
    Ok(Query {
        id,
        question: question.question.clone(),
        relevant: vec![linked.table.id.clone()],
        answers: if answer.is_empty() { Vec::new() } else { vec![answer] },
        cells: gold.cells,
        passages: gold.passages.into_iter().filter(|id| out.has_passage(id)).collect(),
        ..Query::default()
    })
}

/// What the set says answers it.
fn from_nodes(nodes: &[Value], linked: &Linked) -> Result<Gold> {
    let mut gold = Gold::default();
    for node in nodes {
        let place = |i: usize| node.get(1).and_then(|place| place.get(i)).and_then(Value::as_i64);
        let (Some(row), Some(column)) = (place(0), place(1)) else {
            return Err(Error::input(format!("its answer node {node} has no place in the table")));
        };
        // A link of the header has the row -1.
        if row != -1 {
            let table = &linked.table;
            add(&mut gold.cells, input::cell(&table.rows, table.header.len(), row, column)?);
        }
        let is_passage = node.get(3).and_then(Value::as_str) == Some("passage");
        if let Some(link) = node.get(2).and_then(Value::as_str).filter(|_| is_passage) {
            add(&mut gold.passages, link.to_owned());
        }
    }
    Ok(gold)
}

/// The cells and passages that hold the answer, and the cells that link to those passages.
fn traced(answer: &str, linked: &Linked) -> Gold {
    let mut gold = Gold::default();
    let words = format!(" {} ", answer.trim().to_lowercase());
    if words.trim().is_empty() {
        return gold;
    }
    let holds = |text: &str| format!(" {} ", text.to_lowercase()).contains(&words);
    for (r, row) in linked.table.rows.iter().enumerate() {
        gold.cells.extend(row.iter().enumerate().filter(|(_, cell)| holds(cell)).map(|(c, _)| [r, c]));
    }
    for passage in linked.passages.iter().filter(|passage| holds(&passage.text)) {
        gold.passages.push(passage.id.clone());
        for (cell, _) in linked.links.iter().filter(|(_, link)| *link == passage.id) {
            add(&mut gold.cells, *cell);
        }
    }
    gold
}

/// A table with its passages; none where there is no such file.
fn read(folders: &Folders, id: &str) -> Result<Option<Linked>> {
    let path = folders.tables.join(format!("{id}.json"));
    if id.is_empty() || id.contains(['/', '\\']) || !path.is_file() {
        return Ok(None);
    }
    let value: Value = input::json(&path)?;
    let at = |e: Error| e.at(path.display());
    let header =
        row(value.get("header")).ok_or_else(|| at(Error::input("has no list of cells as `header`")))?;
    let data = value.get("data").and_then(Value::as_array);
    let data = data.ok_or_else(|| at(Error::input("has no list of rows as `data`")))?;
    let mut linked: Vec<String> = header.iter().flat_map(|(_, links)| links.clone()).collect();
    let mut links = Vec::new();
    let mut rows = Vec::new();
    for (r, cells) in data.iter().enumerate() {
        let cells = row(Some(cells));
        let cells = cells.ok_or_else(|| at(Error::input(format!("row {r} is not a list of cells"))))?;
        for (c, (_, cell_links)) in cells.iter().enumerate() {
            links.extend(cell_links.iter().map(|link| ([r, c], link.clone())));
        }
        rows.push(cells.into_iter().map(|(text, _)| text).collect());
    }
    linked.extend(links.iter().map(|(_, link)| link.clone()));
    let field = |key: &str| value.get(key).map(text).unwrap_or_default();
    let table = Table {
        id: id.to_owned(),
        title: field("title"),
        section: field("section_title"),
        intro: field("intro"),
        url: field("url"),
        header: header.into_iter().map(|(text, _)| text).collect(),
        rows,
    };
    let passages = passages(&folders.passages.join(format!("{id}.json")), &linked)?;
    Ok(Some(Linked { table, links, passages }))
}

/// The passages of a table that its cells or header link to.
fn passages(path: &Path, links: &[String]) -> Result<Vec<Passage>> {
    let all: Option<Map<String, Value>> = input::json_if_there(path)?;
    let mut wanted: std::collections::HashSet<&str> = links.iter().map(String::as_str).collect();
    let all = all.unwrap_or_default().into_iter().filter(|(id, _)| wanted.remove(id.as_str()));
    Ok(all.map(|(id, value)| Passage { title: title(&id), text: text(&value), id }).collect())
}

/// `Cartier Field` of `/wiki/Cartier_Field`.
fn title(link: &str) -> String {
    link.strip_prefix("/wiki/").unwrap_or(link).replace('_', " ")
}

/// The cells of a row: text and links of each.
fn row(value: Option<&Value>) -> Option<Vec<(String, Vec<String>)>> {
    value?.as_array()?.iter().map(cell).collect()
}

fn cell(value: &Value) -> Option<(String, Vec<String>)> {
    let parts = value.as_array()?;
    let links = parts.get(1).and_then(Value::as_array).into_iter().flatten();
    Some((text(parts.first()?), links.filter_map(Value::as_str).map(str::to_owned).collect()))
}

/// A text, a number, or a list of texts.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

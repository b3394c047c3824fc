//! Questions and statements with what is right, in the plain format: one JSON object a line.

use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result, Verdict};

/// A question or statement, and what is known to be right about it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Query {
    /// Its id.
    pub id: String,
    /// The question or statement.
    pub question: String,
    /// Ids of the records that answer it.
    pub relevant: Vec<String>,
    /// The right answers.
    pub answers: Vec<String>,
    /// Whether each of the right answers is right by itself, as of questions over passages; else all of them together are.
    pub any: bool,
    /// What is to be said of a statement.
    pub label: Option<Verdict>,
    /// The cells of the first relevant table that hold the answer: row and column, from 0.
    pub cells: Vec<(u64, u32)>,
    /// The rows of the first relevant table that are needed, from 0.
    pub rows: Vec<u64>,
    /// The names of the columns that are needed.
    pub columns: Vec<String>,
    /// A program that gives the answer.
    pub sql: Option<String>,
    /// The conversation it belongs to.
    pub seq: Option<String>,
    /// Its place in that conversation.
    pub position: u64,
}

/// What is right.
#[derive(Debug, Clone, PartialEq)]
pub enum Gold {
    /// These values.
    Values(Vec<String>),
    /// One of these texts.
    AnyOf(Vec<String>),
    /// This verdict.
    Verdict(Verdict),
}

impl Query {
    /// What is right, where that is known.
    pub fn gold(&self) -> Option<Gold> {
        match (&self.label, self.answers.is_empty()) {
            (_, false) if self.any => Some(Gold::AnyOf(self.answers.clone())),
            (_, false) => Some(Gold::Values(self.answers.clone())),
            (Some(verdict), true) => Some(Gold::Verdict(*verdict)),
            (None, true) => None,
        }
    }

    /// Reads a line. Sets call the same thing by different names; all of them are known here.
    pub fn of(line: &Value) -> Result<Query> {
        let first = |names: &[&str]| names.iter().map(|name| &line[*name]).find(|v| !v.is_null());
        let question = first(&["question", "statement", "query", "statement_lemma"]).and_then(Value::as_str);
        let question = question.ok_or_else(|| Error::input("there is no `question`"))?.to_owned();
        let label = line.get("label").filter(|v| !v.is_null());
        let verdict = label.and_then(verdict);
        if let (Some(label), None) = (label, verdict)
            && line["question"].is_null()
            && line["query"].is_null()
        {
            let said = format!("`{label}` is no label of a statement");
            return Err(Error::input(said).hint("supported, refuted, not_enough_info, 1 or 0"));
        }
        let answers = first(&["answers", "sql_result", "answer_rows", "answer"]).map(texts);
        let unread = label.filter(|_| verdict.is_none()).map(texts);
        Ok(Query {
            id: texts(&line["id"]).concat(),
            question,
            relevant: relevant(line),
            answers: answers.filter(|a| !a.is_empty()).or(unread).unwrap_or_default(),
            any: line["any"].as_bool().unwrap_or(!line["passage"].is_null()),
            label: verdict,
            cells: cells(line)?,
            rows: line["rows"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect(),
            columns: texts(&line["columns"]),
            sql: line["sql"].as_str().map(str::to_owned),
            seq: first(&["seq"]).map(|v| texts(v).concat()),
            position: line["position"].as_u64().unwrap_or(0),
        })
    }
}

/// The records that answer a question: a list, one id, or grades by id of which those above zero count.
fn relevant(line: &Value) -> Vec<String> {
    let names = ["relevant", "gold", "table", "tables", "table_id", "passage"];
    if let Some(value) = names.iter().map(|name| &line[*name]).find(|v| !v.is_null()) {
        let mut seen = HashSet::new();
        return texts(value).into_iter().filter(|id| seen.insert(id.clone())).collect();
    }
    let grades = line["qrels"].as_object().into_iter().flatten();
    grades.filter(|(_, grade)| grade.as_f64().is_some_and(|g| g > 0.0)).map(|(id, _)| id.clone()).collect()
}

/// Cells as pairs of row and column, or as objects that name both.
fn cells(line: &Value) -> Result<Vec<(u64, u32)>> {
    let names = ["cells", "answer_coordinates", "answer_nodes"];
    let Some(list) = names.iter().find_map(|name| line[*name].as_array()) else { return Ok(Vec::new()) };
    let cell = |value: &Value| {
        let part = |at: usize, name: &str| value.get(at).or_else(|| value.get(name)).and_then(Value::as_u64);
        let pair = part(0, "row").zip(part(1, "col").and_then(|col| u32::try_from(col).ok()));
        pair.ok_or_else(|| Error::input(format!("`{value}` is no cell: row and column, counted from 0")))
    };
    list.iter().filter(|value| !value.is_null()).map(cell).collect()
}

fn verdict(label: &Value) -> Option<Verdict> {
    let of = |truth: bool| if truth { Verdict::Supported } else { Verdict::Refuted };
    match label {
        Value::Number(n) => match n.as_i64() {
            Some(0) => Some(of(false)),
            Some(1) => Some(of(true)),
            _ => None,
        },
        Value::Bool(truth) => Some(of(*truth)),
        Value::String(text) => match text.to_lowercase().replace(['_', '-'], " ").as_str() {
            "supported" | "supports" | "entailed" | "entail" | "entailment" => Some(Verdict::Supported),
            "refuted" | "refutes" | "contradiction" | "contradict" => Some(Verdict::Refuted),
            "not enough info" | "neutral" => Some(Verdict::NotEnoughInfo),
            _ => None,
        },
        _ => None,
    }
}

/// A value, a list of values, or a list of rows of values, as texts.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        one => vec![one.to_string()],
    }
}

/// Reads queries, one JSON object a line.
pub fn read(text: &str) -> Result<Vec<Query>> {
    read_where(text, &BTreeMap::new())
}

fn read_where(text: &str, only: &BTreeMap<String, Value>) -> Result<Vec<Query>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let one = |(i, line): (usize, &str)| {
        let value: Result<Value> = serde_json::from_str(line).map_err(Error::from);
        let is_wanted = |value: &Value| only.iter().all(|(name, wanted)| value[name] == *wanted);
        let read = value.and_then(|value| is_wanted(&value).then(|| Query::of(&value)).transpose());
        read.map_err(|e| e.at(format!("line {}", i + 1))).transpose()
    };
    lines.filter_map(one).collect()
}

/// The queries of all files, which may be packed as `.gz` or `.zst`.
pub fn read_files(files: &[PathBuf]) -> Result<Vec<Query>> {
    read_files_where(files, &BTreeMap::new())
}

/// The queries of all files whose lines have these values.
pub fn read_files_where(files: &[PathBuf], only: &BTreeMap<String, Value>) -> Result<Vec<Query>> {
    let mut queries = Vec::new();
    for file in files {
        let text = read_text(file).map_err(|e| e.at(file.display()))?;
        queries.extend(read_where(&text, only).map_err(|e| e.at(file.display()))?);
    }
    Ok(queries)
}

/// The text of a file, unpacked by its ending.
pub fn read_text(file: &Path) -> Result<String> {
    let bytes = std::fs::read(file)?;
    let name = file.to_string_lossy();
    let mut text = String::new();
    if name.ends_with(".zst") {
        zstd::Decoder::new(bytes.as_slice())?.read_to_string(&mut text)?;
    } else if name.ends_with(".gz") {
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text)?;
    } else {
        text = String::from_utf8(bytes).map_err(|_| Error::input("is not UTF-8 text"))?;
    }
    Ok(text)
}

/// Those with a right answer; an error when none has one.
pub fn judged(queries: Vec<Query>) -> Result<Vec<Query>> {
    let asked = queries.len();
    let judged: Vec<Query> = queries.into_iter().filter(|query| query.gold().is_some()).collect();
    match judged.is_empty() && asked > 0 {
        true => Err(Error::input("no question has `answers` or a `label`")),
        false => some(judged),
    }
}

/// Those that say which records are right; an error when none does.
pub fn placed(queries: Vec<Query>) -> Result<Vec<Query>> {
    let asked = queries.len();
    let placed: Vec<Query> = queries.into_iter().filter(|query| !query.relevant.is_empty()).collect();
    match placed.is_empty() && asked > 0 {
        true => Err(Error::input("no question says which records are `relevant`")),
        false => some(placed),
    }
}

fn some(queries: Vec<Query>) -> Result<Vec<Query>> {
    match queries.is_empty() {
        true => Err(Error::input("there are no questions")),
        false => Ok(queries),
    }
}

/// Queries by conversation, each in its order; one without a conversation is one of its own.
pub fn talks(queries: &[Query]) -> Vec<Vec<&Query>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut talks: Vec<Vec<&Query>> = Vec::new();
    for query in queries {
        match query.seq.as_deref().and_then(|seq| places.get(seq)) {
            Some(at) => talks[*at].push(query),
            None => {
                query.seq.as_deref().map(|seq| places.insert(seq, talks.len()));
                talks.push(vec![query]);
            }
        }
    }
    talks.iter_mut().for_each(|talk| talk.sort_by_key(|query| query.position));
    talks
}

/// About `most` queries, drawn by a seed in whole conversations, in the order they came in.
pub fn draw(queries: Vec<Query>, most: Option<usize>, seed: u64) -> Vec<Query> {
    let Some(most) = most.filter(|most| *most > 0 && *most < queries.len()) else { return queries };
    let talks = talks(&queries);
    let mut order: Vec<usize> = (0..talks.len()).collect();
    let rank = |i: &usize| *blake3::hash(format!("{seed} {i}").as_bytes()).as_bytes();
    order.sort_by_cached_key(rank);
    let mut chosen = HashSet::new();
    for talk in order.iter().filter_map(|i| talks.get(*i)) {
        if chosen.len() >= most {
            break;
        }
        chosen.extend(talk.iter().map(|query| std::ptr::from_ref::<Query>(query)));
    }
    let drawn = queries.iter().filter(|query| chosen.contains(&std::ptr::from_ref::<Query>(query)));
    drawn.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_questions_and_statements_of_several_makes() {
        let read = read(
            "{\"id\":1,\"question\":\"q\",\"table\":\"t\",\"answer\":\"a\"}\n\
             {\"id\":2,\"statement\":\"s\",\"statement_lemma\":\"l\",\"relevant\":[\"t\"],\"label\":0}\n\
             {\"id\":3,\"query\":\"q\",\"table_id\":4,\"label\":\"x\"}\n\n\
             {\"id\":4,\"question\":\"q\",\"qrels\":{\"a\":2,\"b\":0},\"answer_coordinates\":[[2,1]]}\n\
             {\"id\":5,\"question\":\"q\",\"tables\":[7,\"b\"],\"answer\":\"it is 5\",\"sql_result\":[[5],[\"x\"]]}",
        )
        .unwrap();
        assert_eq!(read[0].gold(), Some(Gold::Values(vec!["a".into()])));
        assert_eq!(read[1].gold(), Some(Gold::Verdict(Verdict::Refuted)));
        assert_eq!((read[2].relevant.concat(), read[2].answers.concat()), ("4".into(), "x".into()));
        assert_eq!((read[3].relevant.concat(), read[3].cells.clone()), ("a".into(), vec![(2, 1)]));
        assert_eq!((read[4].relevant.join(","), read[4].answers.join(",")), ("7,b".into(), "5,x".into()));
        assert!(judged(vec![Query::default()]).unwrap_err().to_string().contains("label"));
    }

    #[test]
    fn says_which_line_is_wrong() {
        assert!(super::read("{\"id\":1}").unwrap_err().to_string().contains("line 1"));
        let cell = super::read("{\"question\":\"q\",\"cells\":[[1]]}").unwrap_err().to_string();
        assert!(cell.contains("no cell"), "{cell}");
    }

    #[test]
    fn questions_of_a_conversation_stay_together_in_their_order() {
        let line = |q: &str, seq: &str, at: u64| {
            format!("{{\"question\":\"{q}\",\"seq\":\"{seq}\",\"position\":{at},\"answers\":[\"1\"]}}\n")
        };
        let text = line("b", "x", 1) + "{\"question\":\"c\",\"answers\":[\"1\"]}\n" + &line("a", "x", 0);
        let queries = read(&text).unwrap();
        let order: Vec<Vec<&str>> =
            talks(&queries).iter().map(|t| t.iter().map(|q| q.question.as_str()).collect()).collect();
        assert_eq!(order, [vec!["a", "b"], vec!["c"]]);
    }

    #[test]
    fn draws_the_same_every_time_and_whole_conversations() {
        let lines: String =
            (0..100).map(|i| format!("{{\"id\":{i},\"question\":\"q\",\"seq\":\"{}\"}}\n", i / 4)).collect();
        let all = read(&lines).unwrap();
        let ids = |seed| draw(all.clone(), Some(20), seed).into_iter().map(|q| q.id).collect::<Vec<_>>();
        assert_eq!((ids(1).len(), ids(1)), (20, ids(1)));
        assert_ne!(ids(1), ids(2));
        assert!(ids(1).chunks(4).all(|talk| talk[0].parse::<u32>().unwrap() % 4 == 0));
        assert_eq!(draw(all.clone(), None, 1).len(), 100);
    }
}

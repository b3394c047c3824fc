//! Questions with answers and their tables, read as the product reads them.
#![allow(dead_code)]

use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Batch, Block, Column, Document, Error, Result, Rows};

/// Columns and rows by the id of their table.
type Tables = HashMap<String, (Vec<Column>, Vec<Batch>)>;
use tabletalk_question::{Ask, Grid, Join, Program, Side, Turn, denote, join, learn, relate};

pub(crate) mod spoil;

/// A question, its table, and what is right.
pub(crate) struct Case {
    pub(crate) question: String,
    pub(crate) table: String,
    /// The values that are the answer, in the form in which they are compared.
    pub(crate) gold: Vec<String>,
    /// The answers of an everyday question: any of these, each of rows of cells.
    pub(crate) golds: Vec<Vec<Vec<String>>>,
    /// The conversation it belongs to, and its place there.
    pub(crate) talk: Option<(String, u64)>,
    /// The right answer's cells: rows and columns from 0.
    pub(crate) cells: Vec<(u64, usize)>,
    /// Whether several values are joined to one text in the right answer.
    pub(crate) is_joined: bool,
    /// Whether it is a statement, to be judged.
    pub(crate) is_statement: bool,
}

/// A part of the data, by the table alone, so that no table is in two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Learn,
    Calibrate,
    HeldOut,
}

pub(crate) fn part(table: &str) -> Part {
    let hash = table
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    match (hash >> 17) % 10 {
        0 | 1 => Part::HeldOut,
        2 => Part::Calibrate,
        _ => Part::Learn,
    }
}

/// The half of the tables that one belongs to, for weights that have not seen the other.
pub(crate) fn half(table: &str) -> usize {
    usize::from(spoil::Chance::new(table).below(2) == 1)
}

/// The cases of one part by conversations; a question that follows none is one of its own.
pub(crate) fn talks<'a>(set: &'a Set, is_wanted: &dyn Fn(&Case) -> bool) -> Vec<Vec<&'a Case>> {
    let mut talks: Vec<Vec<&Case>> = Vec::new();
    for case in set.cases.iter().filter(|case| is_wanted(case)) {
        let id = |c: &Case| c.talk.as_ref().map(|t| t.0.clone());
        match talks.last_mut() {
            Some(talk) if talk.last().is_some_and(|c| id(c).is_some() && id(c) == id(case)) => {
                talk.push(case)
            }
            _ => talks.push(vec![case]),
        }
    }
    talks
}

pub(crate) struct Set {
    pub(crate) cases: Vec<Case>,
    pub(crate) tables: HashMap<String, Grid>,
    /// The columns and rows of each table as they were read.
    pub(crate) rows: Tables,
}

/// Reads a data set: a folder with questions and tables.
pub(crate) fn load(folder: &str, questions: &str) -> Result<Set> {
    let folder = PathBuf::from(folder);
    let cases: Vec<Case> = lines(&folder.join(questions))?.iter().filter_map(case).collect();
    let wanted: BTreeSet<&str> = cases.iter().map(|c| c.table.as_str()).collect();
    let rows = if folder.join("table").is_dir() {
        workbooks(&folder.join("table"), &wanted)
    } else {
        corpus(&folder.join("tables.jsonl.zst"), &wanted)?
    };
    let grid = |(id, (columns, batches)): (&String, &(Vec<Column>, Vec<Batch>))| {
        (id.clone(), Grid::new(columns, batches, true))
    };
    let tables = rows.par_iter().map(grid).collect();
    Ok(Set { cases, tables, rows })
}

/// Reads everyday questions and statements: a folder with `questions.jsonl`, `statements.jsonl` and `files`, as
/// `tabletalk eval everyday` does. A question without an answer has no gold values.
pub(crate) fn everyday(folder: &str) -> Result<Set> {
    let folder = PathBuf::from(folder);
    let case = |line: Value| {
        let is_statement = line.get("statement").is_some();
        let question = line["question"].as_str().or(line["statement"].as_str())?.to_owned();
        let gold: Vec<String> = match line["verdict"].as_str() {
            Some("supported") => vec!["yes".to_owned()],
            Some("refuted") => vec!["no".to_owned()],
            Some(_) => Vec::new(),
            None => line["answers"].as_array().map_or(Vec::new(), |a| a.iter().map(text).collect()),
        };
        let table = match line["file"].as_str()?.trim_start_matches("files/") {
            several if folder.join("files").join(several).is_dir() => related(several, &line["tables"]),
            one => one.to_owned(),
        };
        let (talk, cells, is_joined) = (None, Vec::new(), false);
        let mut golds: Vec<Vec<Vec<String>>> = Vec::new();
        if !gold.is_empty() && !is_statement {
            golds.extend(line["answers"].as_array().map(|all| rows(all)));
        }
        let or = line["or"].as_array().into_iter().flatten();
        golds.extend(or.filter_map(|one| one.as_array()).map(|all| rows(all)).filter(|r| !r.is_empty()));
        if is_statement && !gold.is_empty() {
            golds = vec![vec![gold.clone()]];
        }
        let gold = denote::normals(&gold);
        Some(Case { question, table, gold, golds, talk, cells, is_joined, is_statement })
    };
    let mut all = lines(&folder.join("questions.jsonl"))?;
    all.extend(lines(&folder.join("statements.jsonl")).unwrap_or_default());
    let cases: Vec<Case> = all.into_iter().filter_map(case).collect();
    let wanted: BTreeSet<&str> = cases.iter().map(|c| c.table.as_str()).collect();
    let limits = Limits::default();
    let open = |name: &&str| {
        let path = folder.join("files").join(name);
        let document = tabletalk_read::read(&Source::new(&path, name, &limits)).ok()?.next()?.ok()?;
        Some(((*name).to_owned(), largest(document)?))
    };
    let rows: Tables = wanted.iter().filter(|name| !name.contains(SEVERAL)).filter_map(open).collect();
    let grid = |(id, (columns, batches)): (&String, &(Vec<Column>, Vec<Batch>))| {
        let joined = join(&Side { relation: title(id), columns, batches }, &[]);
        (id.clone(), joined.map_or_else(|_| Grid::new(columns, batches, true), |joined| joined.grid(true)))
    };
    let mut tables: HashMap<String, Grid> = rows.iter().map(grid).collect();
    let several: BTreeSet<&str> =
        wanted.iter().filter_map(|name| name.split_once(SEVERAL)).map(|n| n.0).collect();
    for one in several {
        let own = in_folder(&folder.join("files").join(one))?;
        for id in wanted.iter().filter(|id| id.split_once(SEVERAL).is_some_and(|(f, _)| f == one)) {
            tables.extend(view(&own, id).map(|grid| ((*id).to_owned(), grid)));
        }
    }
    Ok(Set { cases, tables, rows })
}

/// Between a folder of related files and those of them that a question needs.
const SEVERAL: char = '+';

/// What a question about related files is read over: its folder, and the files it needs.
fn related(folder: &str, needed: &Value) -> String {
    let mut files: Vec<&str> = needed.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    files.sort_unstable();
    match files.as_slice() {
        [one] => format!("{folder}/{one}"),
        several => format!("{folder}{SEVERAL}{}", several.join("|")),
    }
}

/// A table of a folder: its name, columns and rows.
type Own = (String, Vec<Column>, Vec<Batch>);

fn in_folder(folder: &Path) -> Result<Vec<Own>> {
    let limits = Limits::default();
    let mut own = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let document = tabletalk_read::read(&Source::new(&path, &name, &limits))?.next();
        own.extend(document.transpose()?.and_then(largest).map(|(c, b)| (name, c, b)));
    }
    own.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(own)
}

/// The table that refers to all others that are needed, with what they say of its rows; the longest where none is named.
fn view(own: &[Own], id: &str) -> Option<Grid> {
    let needed: Vec<&str> = id.split_once(SEVERAL)?.1.split('|').filter(|n| !n.is_empty()).collect();
    let profile = |(name, columns, batches): &Own| relate::TableProfile::new(title(name), columns, batches);
    let profiles: Vec<relate::TableProfile> = own.iter().map(profile).collect();
    let keys = relate::foreign_keys(&profiles);
    let ends: Vec<(usize, usize)> = keys.iter().map(|k| (k.from.0, k.to.0)).collect();
    let rows = |i: usize| own.get(i).map_or(0, |o| o.2.iter().map(Batch::len).sum::<usize>());
    let reaches = |base: &usize| {
        let ways = relate::ways(base, &ends);
        let has = |name: &&&str| {
            let at = own.iter().position(|o| o.0 == ***name);
            at == Some(*base) || ways.iter().any(|w| Some(ends[*w].1) == at)
        };
        needed.iter().filter(has).count()
    };
    let base = (0..own.len()).max_by_key(|i| (reaches(i), rows(*i)))?;
    let side = |i: usize| {
        let (name, columns, batches) = &own[i];
        Side { relation: title(name), columns, batches }
    };
    let ways = relate::ways(&base, &ends);
    let mut order = vec![base];
    let mut joins = Vec::new();
    for way in ways {
        let key = keys[way];
        let from = order.iter().position(|t| *t == key.from.0)?;
        joins.push(Join { from: (from, key.from.1), side: side(key.to.0), key: key.to.1 });
        order.push(key.to.0);
    }
    let joined = join(&side(base), &joins).ok()?;
    Some(joined.grid(true))
}

/// Weights that were learned from all tables, from one half and from the other.
pub(crate) struct Weights {
    pub(crate) whole: Vec<f32>,
    halves: Option<[Vec<f32>; 2]>,
}

impl Weights {
    pub(crate) fn read(path: &str) -> Result<Self> {
        let read = |path: String| -> Result<Vec<f32>> {
            let bytes = std::fs::read(path)?;
            let wide = |b: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16);
            Ok(bytes.chunks_exact(2).take(learn::WEIGHTS).map(wide).collect())
        };
        let halves = match (read(format!("{path}.0")), read(format!("{path}.1"))) {
            (Ok(a), Ok(b)) => Some([a, b]),
            _ => None,
        };
        Ok(Weights { whole: read(path.to_owned())?, halves })
    }

    /// The weights that have not seen a table.
    pub(crate) fn of(&self, table: &str) -> &[f32] {
        match (part(table), &self.halves) {
            (Part::Learn, Some(halves)) => &halves[1 - half(table)],
            _ => &self.whole,
        }
    }
}

/// The name of a file without its folder and its ending.
pub(crate) fn title(table: &str) -> &str {
    let table = table.rsplit_once('/').map_or(table, |(_, name)| name);
    table.rsplit_once('.').map_or(table, |(name, _)| name)
}

/// The name of the relation that a question is about.
pub(crate) fn relation<'a>(table: &'a str, grid: &'a Grid, everyday: bool) -> &'a str {
    let base = grid.view().and_then(|view| view.relations.first());
    base.map_or(if everyday { title(table) } else { "t" }, String::as_str)
}

/// Reads FOLDER/QUESTIONS, or with @MOST so many of the cases; everyday:FOLDER are everyday questions.
pub(crate) fn load_some(path: &str) -> Result<Set> {
    if let Some(folder) = path.strip_prefix("everyday:") {
        return everyday(folder);
    }
    let (folder, questions) = path.rsplit_once('/').ok_or_else(|| Error::input("FOLDER/QUESTIONS"))?;
    let (questions, most) = questions.split_once('@').unwrap_or((questions, ""));
    let mut set = load(folder, questions)?;
    set.cases.truncate(most.parse().unwrap_or(usize::MAX));
    Ok(set)
}

fn lines(path: &Path) -> Result<Vec<Value>> {
    let file = std::fs::File::open(path)?;
    let reader: Box<dyn std::io::Read> = match path.extension() {
        Some(e) if e == "zst" => Box::new(zstd::Decoder::new(file)?),
        _ => Box::new(file),
    };
    let lines = std::io::BufReader::new(reader).lines();
    Ok(lines.map_while(|l| l.ok()).filter_map(|l| serde_json::from_str(&l).ok()).collect())
}

fn text(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn case(line: &Value) -> Option<Case> {
    let table = match (&line["table"], &line["tables"], &line["table_id"]) {
        (Value::String(t), _, _) => t.clone(),
        (_, Value::Array(t), _) if t.len() == 1 => text(&t[0]),
        (_, _, Value::Number(n)) => n.to_string(),
        _ => return None,
    };
    let question = ["question", "query", "statement"].iter().find_map(|k| line[*k].as_str());
    let question = question.or(line["statement_lemma"].as_str())?.to_owned();
    let gold: Vec<String> = match (&line["answers"], &line["answer"], &line["label"], &line["sql_result"]) {
        (Value::Array(a), ..) => a.iter().map(text).collect(),
        (_, _, _, Value::Array(rows)) => {
            rows.iter().flat_map(|r| r.as_array().cloned().unwrap_or_default()).map(|v| text(&v)).collect()
        }
        (_, Value::String(a), ..) => vec![a.clone()],
        (_, _, Value::String(a), _) => vec![a.clone()],
        _ => Vec::new(),
    };
    let talk = line["seq"].as_str().map(|s| (s.to_owned(), line["position"].as_u64().unwrap_or(0)));
    let cells = line["answer_coordinates"].as_array().map_or(Vec::new(), |list| {
        list.iter().filter_map(|c| Some((c[0].as_u64()?, c[1].as_u64()? as usize))).collect()
    });
    let is_joined = line["answer"].is_string();
    let is_statement = line.get("statement").is_some();
    let gold = match line["label"].as_u64() {
        Some(label) if is_statement => vec![if label == 1 { "yes" } else { "no" }.to_owned()],
        _ => gold,
    };
    let (gold, golds) = (denote::normals(&gold), Vec::new());
    Some(Case { question, table, gold, golds, talk, cells, is_joined, is_statement })
}

fn corpus(path: &Path, wanted: &BTreeSet<&str>) -> Result<Tables> {
    let limits = Limits::default();
    let source = Source::new(path, "tables.jsonl.zst", &limits);
    let mut documents: Vec<Document> = Vec::new();
    for document in tabletalk_read::read(&source)? {
        let document = document?;
        if wanted.contains(document.source_id.as_str()) {
            documents.push(document);
        }
    }
    let grid = |d: Document| Some((d.source_id.clone(), largest(d)?));
    Ok(documents.into_iter().filter_map(grid).collect())
}

fn workbooks(folder: &Path, wanted: &BTreeSet<&str>) -> Tables {
    let limits = Limits::default();
    let open = |id: &&str| {
        let path = folder.join(format!("{id}.xlsx"));
        let source = Source::new(&path, "table.xlsx", &limits);
        let document = tabletalk_read::read(&source).ok()?.next()?.ok()?;
        Some(((*id).to_owned(), largest(document)?))
    };
    wanted.iter().filter_map(open).collect()
}

/// The largest table of a document.
fn largest(document: Document) -> Option<(Vec<Column>, Vec<Batch>)> {
    let mut best = None;
    let mut most = 0;
    for block in document.blocks {
        let Block::Table(table) = block else { continue };
        let batches = match table.rows {
            Rows::Memory(batches) => batches,
            Rows::Stream(mut stream) => std::iter::from_fn(|| stream.next_batch().ok().flatten()).collect(),
        };
        let rows = batches.iter().map(Batch::len).sum::<usize>() + 1;
        if rows > most {
            (best, most) = (Some((table.columns, batches)), rows);
        }
    }
    best
}

/// An answer as rows of cells.
fn rows(all: &[Value]) -> Vec<Vec<String>> {
    let row = |value: &Value| match value {
        Value::Array(cells) => cells.iter().map(text).collect(),
        one => vec![text(one)],
    };
    all.iter().map(row).collect()
}

/// Whether rows, each written with colons between its cells, are those of one of the answers.
fn is_everyday(case: &Case, values: &[String]) -> bool {
    let given: Vec<Vec<&str>> = values.iter().map(|v| v.split(": ").collect()).collect();
    let same = |gold: &Vec<Vec<String>>| {
        let mut left: Vec<&Vec<String>> = gold.iter().collect();
        left.dedup();
        left.len() == given.len()
            && given.iter().all(|row| match left.iter().position(|g| is_row(g, row)) {
                Some(at) => {
                    left.remove(at);
                    true
                }
                None => false,
            })
    };
    case.golds.iter().any(same)
}

fn is_row(gold: &[String], given: &[&str]) -> bool {
    gold.len() == given.len() && gold.iter().zip(given).all(|(a, b)| is_same(a, b))
        || gold.len() == 1 && is_same(&gold[0], &given.join(": "))
}

/// Whether two cells are the same: numbers to what people round to.
fn is_same(gold: &str, given: &str) -> bool {
    let (a, b) = (denote::normal(gold.trim_end_matches('%')), denote::normal(given.trim_end_matches('%')));
    let near = |a: f64, b: f64| (a - b).abs() <= (a.abs() * 1e-4).max(0.006);
    a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if near(a, b))
}

/// Whether values are the right answer.
pub(crate) fn is_right(case: &Case, values: &[String]) -> bool {
    if !case.golds.is_empty() {
        return is_everyday(case, values);
    }
    denote::normals(values) == case.gold || case.is_joined && is_joined(case, values)
}

/// Whether the right answer is all values joined to one text, each at least once.
fn is_joined(case: &Case, values: &[String]) -> bool {
    let [gold] = case.gold.as_slice() else { return false };
    let mut rest = format!(" {gold} ");
    for value in denote::normals(values) {
        let value = format!(" {value} ");
        if value.trim().is_empty() || !rest.contains(&value) {
            return false;
        }
        while rest.contains(&value) {
            rest = rest.replacen(&value, "  ", 1);
        }
    }
    rest.trim().is_empty()
}

/// The turn that a right answer would have left behind.
pub(crate) fn gold_turn(case: &Case) -> Option<Turn> {
    let column = case.cells.first()?.1;
    let mut rows: Vec<u64> = case.cells.iter().map(|(r, _)| r + 2).collect();
    rows.sort_unstable();
    rows.dedup();
    let program = Program { rows: Default::default(), ask: Ask::Cells(column) };
    Some(Turn { question: case.question.clone(), program, rows, answered: false })
}

/// For each case the number of the case before it in its conversation.
pub(crate) fn before(cases: &[Case]) -> Vec<Option<usize>> {
    let mut places: HashMap<(&str, u64), usize> = HashMap::new();
    for (i, case) in cases.iter().enumerate() {
        if let Some((talk, position)) = &case.talk {
            places.insert((talk, *position), i);
        }
    }
    let of = |case: &Case| {
        let (talk, position) = case.talk.as_ref()?;
        places.get(&(talk.as_str(), position.checked_sub(1)?)).copied()
    };
    cases.iter().map(of).collect()
}

//! FEVEROUS: claims whose evidence is sentences, list items and cells of Wikipedia pages, which are in a database.
//!
//! A claim has up to three sets of evidence, each enough by itself; those that are whole count together.

use super::output::{Output, Passage, Query, Table, add};
use super::page::{self, Page};
use super::{Layout, input};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};
use unicode_normalization::UnicodeNormalization;

#[derive(Deserialize)]
struct Claim {
    #[serde(default)]
    id: Value,
    claim: String,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    evidence: Vec<Evidence>,
}

#[derive(Deserialize)]
struct Evidence {
    #[serde(default)]
    content: Vec<String>,
}

/// One piece of evidence that was found.
enum Found {
    Passage(Passage),
    Cell(Table, Option<[usize; 2]>),
    /// A title or heading, which says only where something stands.
    Context,
}

pub(super) fn convert(dir: &Path, split: &str, out: &mut Output) -> Result<()> {
    let claims = claims_file(dir, split)?;
    let wiki = Wiki::open(&database_file(dir)?)?;
    input::each_json(&claims, |number, claim: Claim| {
        // The first line of a release names the fields and holds no claim.
        if claim.claim.is_empty() {
            return Ok(());
        }
        let label = label(claim.label.as_deref())?;
        let mut pages = HashMap::new();
        let mut found = Vec::new();
        for evidence in &claim.evidence {
            found.extend(whole(&wiki, &mut pages, &evidence.content)?.unwrap_or_default());
        }
        let id = claim.id.as_str().map_or_else(|| claim.id.to_string(), str::to_owned);
        let id = if claim.id.is_null() { format!("{split}-{number}") } else { id };
        let query = Query { id, question: claim.claim, label, ..Query::default() };
        write(query, found, out)
    })
}

/// Writes a claim and what it needs; one without evidence cannot be used.
fn write(mut query: Query, found: Vec<Found>, out: &mut Output) -> Result<()> {
    let mut cells: Vec<(String, [usize; 2])> = Vec::new();
    for one in found {
        match one {
            Found::Passage(passage) => {
                out.passage(&passage)?;
                add(&mut query.passages, passage.id);
            }
            Found::Cell(table, place) => {
                out.table(&table)?;
                cells.extend(place.map(|place| (table.id.clone(), place)));
                add(&mut query.relevant, table.id);
            }
            Found::Context => {}
        }
    }
    let first = query.relevant.first().cloned().unwrap_or_default();
    cells.into_iter().filter(|(table, _)| *table == first).for_each(|(_, cell)| add(&mut query.cells, cell));
    query.relevant.extend(query.passages.iter().cloned());
    if query.relevant.is_empty() {
        out.leave_out(1);
        return Ok(());
    }
    out.query(&query)
}

fn label(label: Option<&str>) -> Result<Option<&'static str>> {
    match label {
        None | Some("") => Ok(None),
        Some("SUPPORTS") => Ok(Some("supported")),
        Some("REFUTES") => Ok(Some("refuted")),
        Some("NOT ENOUGH INFO") => Ok(Some("not_enough_info")),
        Some(other) => Err(Error::input(format!("has the label `{other}`"))
            .hint("it should be SUPPORTS, REFUTES or NOT ENOUGH INFO")),
    }
}

/// The pieces of a set of evidence, where all of them are there.
fn whole(wiki: &Wiki, pages: &mut Pages, names: &[String]) -> Result<Option<Vec<Found>>> {
    let mut all = Vec::new();
    for name in names {
        let Some((title, part)) = parts(name) else { return Ok(None) };
        if !pages.contains_key(title) {
            pages.insert(title.to_owned(), wiki.page(title)?);
        }
        let Some(Some(page)) = pages.get(title) else { return Ok(None) };
        let Some(found) = piece(page, part) else { return Ok(None) };
        all.push(found);
    }
    Ok(Some(all))
}

type Pages = HashMap<String, Option<Page>>;

/// The page and the name on it: `Rock music` and `cell_0_1_2` of `Rock music_cell_0_1_2`.
fn parts(name: &str) -> Option<(&str, &str)> {
    const KINDS: [(&str, usize); 6] = [
        ("_header_cell_", 3),
        ("_table_caption_", 1),
        ("_sentence_", 1),
        ("_section_", 1),
        ("_cell_", 3),
        ("_item_", 2),
    ];
    if let Some(page) = name.strip_suffix("_title") {
        return Some((page, "title"));
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    KINDS.into_iter().find_map(|(kind, numbers)| {
        let at = name.rfind(kind)?;
        let rest: Vec<&str> = name[at + kind.len()..].split('_').collect();
        (rest.len() == numbers && rest.iter().all(|n| is_number(n))).then(|| (&name[..at], &name[at + 1..]))
    })
}

fn piece(page: &Page, part: &str) -> Option<Found> {
    if part.starts_with("sentence_") || part.starts_with("item_") {
        return page.passage(part).map(Found::Passage);
    }
    if let Some(number) = part.strip_prefix("table_caption_") {
        return page.table(number).map(|tabled| Found::Cell(tabled.table, None));
    }
    let cell = part.strip_prefix("header_cell_").or_else(|| part.strip_prefix("cell_"));
    let Some(cell) = cell else { return Some(Found::Context) };
    let tabled = page.table(cell.split('_').next()?)?;
    let place = tabled.place(part)?;
    Some(Found::Cell(tabled.table, place))
}

/// The database of pages.
struct Wiki(Connection);

impl Wiki {
    fn open(path: &Path) -> Result<Wiki> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let at = |e: rusqlite::Error| {
            Error::input(e.to_string())
                .at(path.display())
                .hint("it should be a database with a table wiki(id, data)")
        };
        let wiki = Connection::open_with_flags(path, flags).map_err(at)?;
        wiki.prepare_cached(Wiki::PAGE).map_err(at)?;
        Ok(Wiki(wiki))
    }

    const PAGE: &'static str = "SELECT id, data FROM wiki WHERE id = ?1";

    /// A page by its title. The database has accents apart from their letters, claims have them in either way.
    fn page(&self, title: &str) -> Result<Option<Page>> {
        match self.row(title)? {
            None if !title.is_ascii() => self.row(&title.nfd().collect::<String>())?,
            row => row,
        }
        .map(|(id, data)| Page::read(&id, &data).map_err(page::wrong(&id)))
        .transpose()
    }

    fn row(&self, title: &str) -> Result<Option<(String, String)>> {
        let read = || {
            let mut select = self.0.prepare_cached(Wiki::PAGE)?;
            select.query_row([title], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        };
        read().map_err(|e| page::wrong(title)(Error::input(e.to_string())))
    }
}

fn claims_file(dir: &Path, split: &str) -> Result<PathBuf> {
    let names = [format!("feverous_{split}_challenges.jsonl"), format!("{split}.jsonl")];
    let known = names.iter().flat_map(|name| [dir.join(name), dir.join("data").join(name)]);
    if let Some(path) = known.into_iter().find(|path| path.is_file()) {
        return Ok(path);
    }
    let is_split = |stem: &str| {
        let stem = stem.strip_suffix("_challenges").unwrap_or(stem);
        stem.strip_suffix(split).is_some_and(|before| before.ends_with(['_', '-', '.']))
    };
    only(dir, "jsonl", is_split, &format!("{} or *_{split}.jsonl", names.join(" or ")))
}

fn database_file(dir: &Path) -> Result<PathBuf> {
    let name = "feverous_wikiv1.db";
    let known = [dir.join(name), dir.join("data").join(name)].into_iter().find(|path| path.is_file());
    known.map_or_else(|| only(dir, "db", |_| true, name), Ok)
}

/// The only file with this ending and a fitting name.
fn only(dir: &Path, ending: &str, fits: impl Fn(&str) -> bool, wanted: &str) -> Result<PathBuf> {
    let mut found = Vec::new();
    for folder in [dir.to_owned(), dir.join("data")] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            if path.extension().is_some_and(|e| e == ending) && fits(&stem) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(Error::missing(format!("{} has no {wanted}", dir.display()))
            .hint(format!("expected are {}", Layout::Feverous.about()))),
        [one, two, ..] => {
            Err(Error::input(format!("either of {} and {} may be meant", one.display(), two.display()))
                .hint(format!("leave one, or name it {wanted}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Converted;
    use super::super::fixture::{add, error, folder, made};
    use super::*;
    use serde_json::json;

    const HEAD: &str = r#"{"id":"","claim":"","label":"","evidence":[{"content":[],"context":{}}]}"#;

    /// A database with a page about a band.
    fn wiki(path: &Path) {
        let cell = |id: &str, value: &str, is_header| json!({"id":id,"value":value,"is_header":is_header,"row_span":"1","column_span":"1"});
        let page = json!({"title":"Ko\u{308}ln","order":["sentence_0","table_0","list_0"],
            "sentence_0":"[[Cologne|Köln]] is a city .","sentence_1":"",
            "list_0":{"type":"unordered_list","list":[{"id":"item_0_0","value":"An item","level":0}]},
            "table_0":{"type":"infobox","table":[[cell("header_cell_0_0_0","Year",true),cell("header_cell_0_0_1","People",true)],
                [cell("header_cell_0_1_0","1900",true),cell("cell_0_1_1","372,529",false)]]}});
        let db = Connection::open(path).unwrap();
        db.execute_batch("CREATE TABLE wiki (id TEXT PRIMARY KEY, data json)").unwrap();
        db.execute("INSERT INTO wiki VALUES (?1, ?2)", ("Ko\u{308}ln", page.to_string())).unwrap();
    }

    fn claims(lines: &[Value]) -> String {
        lines.iter().fold(format!("{HEAD}\n"), |text, line| format!("{text}{line}\n"))
    }

    fn claim(id: u32, label: &str, sets: &[&[&str]]) -> Value {
        let sets: Vec<Value> = sets.iter().map(|set| json!({"content":set,"context":{}})).collect();
        json!({"id":id,"claim":format!("claim {id}"),"label":label,"evidence":sets,"annotator_operations":[]})
    }

    #[test]
    fn claims_with_their_evidence() {
        let lines = claims(&[
            claim(
                1,
                "SUPPORTS",
                &[
                    &["Köln_sentence_0", "Köln_cell_0_1_1", "Köln_header_cell_0_0_1", "Köln_title"],
                    &["Köln_cell_0_9_9", "Köln_item_0_0"],
                    &["Köln_header_cell_0_1_0"],
                ],
            ),
            claim(2, "REFUTES", &[&["Köln_item_0_0", "Köln_section_3"]]),
            claim(3, "NOT ENOUGH INFO", &[&["Köln_table_caption_0"]]),
            claim(4, "SUPPORTS", &[&["Nowhere_sentence_0"]]),
            claim(5, "SUPPORTS", &[&["Köln_sentence_1"], &["Köln_cell_0_1"], &[]]),
        ]);
        let dir = folder(&[("feverous_dev_challenges.jsonl", &lines)]);
        wiki(&dir.path().join("feverous_wikiv1.db"));
        let (converted, [tables, passages, queries]) = made(Layout::Feverous, dir.path(), "dev");
        assert_eq!(converted, Converted { tables: 1, passages: 2, queries: 3, left_out: 2 });
        let id = |part: &str| format!("Ko\u{308}ln_{part}");
        let (table, sentence, item) = (id("table_0"), id("sentence_0"), id("item_0_0"));
        assert_eq!(
            tables,
            [
                json!({"id":table,"title":"Ko\u{308}ln","header":["Year","People"],"rows":[["1900","372,529"]]})
            ]
        );
        assert_eq!(
            passages,
            [
                json!({"id":sentence,"title":"Ko\u{308}ln","text":"Köln is a city ."}),
                json!({"id":item,"title":"Ko\u{308}ln","text":"An item"})
            ]
        );
        assert_eq!(
            queries,
            [
                json!({"id":"1","question":"claim 1","relevant":[table,sentence],"label":"supported",
                    "cells":[[0,1],[0,0]],"passages":[sentence]}),
                json!({"id":"2","question":"claim 2","relevant":[item],"label":"refuted","passages":[item]}),
                json!({"id":"3","question":"claim 3","relevant":[table],"label":"not_enough_info"}),
            ]
        );
    }

    #[test]
    fn files_may_have_other_names() {
        let lines = claims(&[claim(1, "SUPPORTS", &[&["Köln_sentence_0"]])]);
        let dir = folder(&[("data/my-train.jsonl", &lines), ("data/constrain.jsonl", "x")]);
        wiki(&dir.path().join("data/pages.db"));
        assert_eq!(made(Layout::Feverous, dir.path(), "train").0.queries, 1);
        add(dir.path(), &[("other_train_challenges.jsonl", &lines)]);
        let wrong = error(Layout::Feverous, dir.path(), "train").to_string();
        assert!(wrong.contains("my-train.jsonl") && wrong.contains("may be meant"), "{wrong}");
        add(dir.path(), &[("train.jsonl", &lines)]);
        assert_eq!(made(Layout::Feverous, dir.path(), "train").0.queries, 1);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let dir = folder(&[("dev.jsonl", HEAD)]);
        assert!(error(Layout::Feverous, dir.path(), "test").to_string().contains("*_test.jsonl"));
        assert!(error(Layout::Feverous, dir.path(), "dev").to_string().contains("has no feverous_wikiv1.db"));
        wiki(&dir.path().join("feverous_wikiv1.db"));
        for (text, part) in [
            (format!("{HEAD}\n{{"), "dev.jsonl line 2: not valid JSON"),
            (claims(&[claim(1, "MAYBE", &[])]), "line 2: has the label `MAYBE`; it should be SUPPORTS"),
            (
                claims(&[claim(1, "SUPPORTS", &[&["Köln_cell_0_5_5"]])]),
                "no query can be used, 1 were left out",
            ),
        ] {
            add(dir.path(), &[("dev.jsonl", &text)]);
            let wrong = error(Layout::Feverous, dir.path(), "dev").to_string();
            assert!(wrong.contains(part), "{wrong}");
        }
        add(
            dir.path(),
            &[("feverous_wikiv1.db", "this is not a database, however long it is made to be here")],
        );
        let wrong = error(Layout::Feverous, dir.path(), "dev").to_string();
        assert!(wrong.contains("feverous_wikiv1.db") && wrong.contains("wiki(id, data)"), "{wrong}");
    }

    #[test]
    fn a_page_that_is_broken_is_named() {
        let dir = folder(&[("dev.jsonl", &claims(&[claim(1, "SUPPORTS", &[&["A_b_sentence_0"]])]))]);
        let db = Connection::open(dir.path().join("feverous_wikiv1.db")).unwrap();
        db.execute_batch("CREATE TABLE wiki (id, data); INSERT INTO wiki VALUES ('A_b', '{')").unwrap();
        let wrong = error(Layout::Feverous, dir.path(), "dev").to_string();
        assert!(wrong.contains("line 2: the page `A_b`: not valid JSON"), "{wrong}");
    }
}

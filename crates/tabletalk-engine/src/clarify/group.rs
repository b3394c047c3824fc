//! Summaries as nodes: each table of a library gets one, which is indexed and helps to find the table.

use super::{Clarified, Clarifier, Search};
use crate::excerpt::{Excerpt, Pick};
use crate::group::Groups;
use crate::prompt::Name;
use crate::watch::Watch;
use serde::Serialize;
use serde_json::{Map, json};
use tabletalk_core::chat::Usage;
use tabletalk_core::{Fault, Node, Result};
use tabletalk_store::{Catalog, Library, StoredTable};

pub use crate::group::CLARIFICATION as GROUP;

/// Tables looked at in one go.
const PAGE: usize = 64;
/// The seed of the rows that a summary is made from: the same rows each time.
const SEED: u64 = 1;

/// What making summaries needs.
pub struct Job<'a> {
    /// Where the tables are.
    pub library: &'a Library,
    /// The groups there are.
    pub groups: &'a Groups,
    /// The model.
    pub clarifier: &'a Clarifier<'a>,
    /// Where background articles come from.
    pub reference: Option<Search<'a>>,
}

/// What came of making summaries.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Made {
    /// Tables that got a summary.
    pub tables: u64,
    /// Tables that had one.
    pub known: u64,
    /// Tables that got none, and why.
    pub failed: Vec<String>,
    /// What it cost.
    pub usage: Usage,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
}

/// Makes the summary of every table that has none, or one of another model or prompt. What is made is kept at
/// once, so that it can stop at any time and go on later. No question is seen. The caller holds the lock.
pub fn run(job: &Job<'_>, watch: &dyn Watch) -> Result<Made> {
    let mut made = Made::default();
    let filled = fill(job, watch, &mut made);
    // What was made before an error is searched too.
    crate::maintain::bring_up_to_date(job.library, job.groups, watch)?;
    filled.map(|()| made)
}

/// How many tables lack a summary.
pub fn missing(library: &Library, clarifier: &Clarifier<'_>) -> Result<u64> {
    let by = clarifier.print();
    let mut missing = 0;
    for_each_table(library, |catalog, stored| {
        missing += u64::from(!has_summary(catalog, stored, &by)?);
        Ok(true)
    })?;
    Ok(missing)
}

fn fill(job: &Job<'_>, watch: &dyn Watch, made: &mut Made) -> Result<()> {
    let by = job.clarifier.print();
    for_each_table(job.library, |catalog, stored| {
        if has_summary(catalog, stored, &by)? {
            made.known += 1;
            return Ok(true);
        }
        if watch.stopped() {
            made.interrupted = true;
            return Ok(false);
        }
        watch.note(&format!("clarifying {}", stored.name));
        match job.summary(stored) {
            Ok(clarified) => {
                made.usage += clarified.usage;
                made.tables += 1;
                put(job.library, catalog, stored, &by, clarified).map(|()| true)
            }
            // One table that cannot be shown must not keep the others from being explained.
            Err(e) if matches!(e.fault(), Fault::Limit | Fault::Input) => {
                made.failed.push(e.at(&stored.name).to_string());
                Ok(true)
            }
            Err(e) => Err(e.at(&stored.name)),
        }
    })
}

impl Job<'_> {
    fn summary(&self, stored: &StoredTable) -> Result<Clarified> {
        let pick = Pick::Sample { rows: self.clarifier.settings.rows, seed: SEED };
        self.clarifier.summary(&Excerpt::of(stored, None, &pick)?, None, self.reference)
    }
}

impl Clarifier<'_> {
    /// Names what a summary depends on besides its table.
    fn print(&self) -> String {
        let settings = serde_json::to_string(self.settings).unwrap_or_default();
        let all = format!("{}|{}|{settings}", self.chat.identity(), self.prompts.print(Name::Clarification));
        blake3::hash(all.as_bytes()).to_hex()[..16].to_owned()
    }
}

/// Goes through all tables until one says that it is enough.
fn for_each_table(
    library: &Library,
    mut each: impl FnMut(&Catalog, &StoredTable) -> Result<bool>,
) -> Result<()> {
    let catalog = library.catalog()?;
    let mut after = 0;
    loop {
        let page = catalog.tables(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.key;
        for stored in &page {
            if !each(&catalog, stored)? {
                return Ok(());
            }
        }
    }
}

fn has_summary(catalog: &Catalog, stored: &StoredTable, by: &str) -> Result<bool> {
    let node = catalog.node_by_id(&node_id(stored))?;
    Ok(node.is_some_and(|n| n.fields.get("by").is_some_and(|b| b == by)))
}

/// `DOC/clarification/3` for the table `DOC/t3`.
fn node_id(stored: &StoredTable) -> String {
    let (document, number) = stored.id.rsplit_once("/t").unwrap_or((&stored.id, ""));
    format!("{document}/{GROUP}/{number}")
}

fn put(
    library: &Library,
    catalog: &Catalog,
    stored: &StoredTable,
    by: &str,
    clarified: Clarified,
) -> Result<()> {
    let mut fields = Map::new();
    fields.insert("table".into(), json!(stored.name));
    fields.insert("by".into(), json!(by));
    let node = Node {
        id: node_id(stored),
        group: GROUP.into(),
        parent: stored.id.clone(),
        place: stored.table.place.clone(),
        text: clarified.text,
        fields,
    };
    let others = catalog.nodes_of(stored.document, Some(GROUP))?.into_iter().map(|n| n.1);
    let nodes: Vec<Node> = others.filter(|n| n.id != node.id).chain([node.clone()]).collect();
    let mut writing = library.catalog()?;
    let change = writing.change()?;
    change.replace_nodes(stored.document, GROUP, &nodes)?;
    change.commit()
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use crate::embed::Embedders;
    use crate::excerpt::tests::cities;
    use crate::filter::script::Script;
    use crate::prompt::Prompts;
    use crate::recall::{Fusions, Recall, Retriever, Similarity, Weights, similarity};
    use crate::rerank::Rerankers;
    use crate::watch::Unwatched;
    use tabletalk_store::{Entry, analyze::Analyzer};

    /// A library with two documents of one table each.
    fn library(dir: &std::path::Path, groups: &Groups) -> Library {
        let library = Library::create(dir, Analyzer::default()).unwrap();
        let mut catalog = library.catalog().unwrap();
        let mut change = catalog.change().unwrap();
        for id in ["a", "b"] {
            let stored = cities(3, None);
            let outline = vec![tabletalk_store::Piece::Table(1)];
            let tables = vec![(stored.table, 3, stored.data)];
            let entry = Entry {
                id: id.into(),
                name: format!("{id}.csv"),
                source: id.into(),
                outline,
                tables,
                ..Entry::default()
            };
            change.put(&entry).unwrap();
        }
        change.commit().unwrap();
        drop(catalog);
        crate::maintain::bring_up_to_date(&library, groups, &Unwatched).unwrap();
        library
    }

    fn make(library: &Library, groups: &Groups, chat: &Script) -> Result<Made> {
        let prompts = Prompts::new(None).unwrap();
        let clarifier = Clarifier { chat, prompts: &prompts, settings: &Settings::default() };
        run(&Job { library, groups, clarifier: &clarifier, reference: None }, &Unwatched)
    }

    fn found(library: &Library, groups: &Groups, words: &str) -> Vec<String> {
        let recall = Recall {
            library,
            groups,
            weights: &Weights::default(),
            embedders: &Embedders::default(),
            fusions: &Fusions::default(),
            rerankers: &Rerankers::default(),
            similarities: &similarity::Registered::default(),
        };
        let similarity = Similarity::Bm25;
        let retriever = Retriever { group: GROUP.into(), similarity, ..Retriever::default() };
        recall.search(words, &retriever).unwrap().hits.into_iter().map(|h| h.node.id).collect()
    }

    #[test]
    fn a_table_is_found_by_its_summary_and_asked_about_once() {
        let dir = tempfile::tempdir().unwrap();
        let groups = Groups::default();
        let library = library(dir.path(), &groups);
        let chat = Script::new(&["Municipalities and who lives there.", "Harbours of the coast."]);
        let made = make(&library, &groups, &chat).unwrap();
        assert_eq!((made.tables, made.known, made.usage.calls), (2, 0, 2));
        assert_eq!(found(&library, &groups, "harbours"), ["b/t1"]);
        let again = make(&library, &groups, &chat).unwrap();
        assert_eq!((again.tables, again.known, chat.asked()), (0, 2, 2));
    }

    #[test]
    fn what_was_made_before_an_error_stays() {
        let dir = tempfile::tempdir().unwrap();
        let groups = Groups::default();
        let library = library(dir.path(), &groups);
        let failing = Script::new(&["Municipalities.", "error: the server is down"]);
        let error = make(&library, &groups, &failing).unwrap_err();
        assert!(error.to_string().contains("the server is down"), "{error}");
        assert_eq!(found(&library, &groups, "municipalities"), ["a/t1"]);
        let made = make(&library, &groups, &Script::new(&["Harbours."])).unwrap();
        assert_eq!((made.tables, made.known), (1, 1));
    }

    #[test]
    fn a_table_that_is_added_again_is_asked_about_again() {
        let dir = tempfile::tempdir().unwrap();
        let groups = Groups::default();
        let first = library(dir.path(), &groups);
        make(&first, &groups, &Script::new(&["One.", "Two."])).unwrap();
        drop(first);
        let again = library(dir.path(), &groups);
        assert!(found(&again, &groups, "two").is_empty());
        let made = make(&again, &groups, &Script::new(&["Three.", "Four."])).unwrap();
        assert_eq!((made.tables, made.known), (2, 0));
    }
}

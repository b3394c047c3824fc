//! A library as Python sees it.

use crate::arrow;
use crate::call::{Listener, Stopper, Worker, run};
use crate::cells;
use crate::fault::check;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tabletalk::searching::{Found, Named};
use tabletalk::store::Record;
use tabletalk::{
    AddOptions, Answer, AskRequest, Building, Config, Error, Frame, Library, Outcome, Scope, SearchRequest,
    config, open, view,
};

/// The folder of a library that is not named.
const LIBRARY: &str = ".tabletalk";
/// For so long a search does not look again whether another process changed the library: that is several queries of the catalogue.
const FRESH: Duration = Duration::from_millis(500);

/// A library that is open. Calls may come from several threads at once.
#[pyclass(frozen)]
pub(crate) struct Engine {
    library: RwLock<Option<Arc<Library>>>,
    /// When it was last looked whether another process changed the library.
    looked: Mutex<Option<Instant>>,
}

impl Engine {
    fn library(&self) -> tabletalk::Result<Arc<Library>> {
        let library = self.library.read().unwrap_or_else(PoisonError::into_inner).clone();
        library.ok_or_else(|| Error::input("the library is closed").hint("open it again"))
    }

    /// Brings the library up to date, unless that was looked after a moment ago.
    fn freshen(&self, library: &Library) -> tabletalk::Result<()> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.is_none_or(|at| at.elapsed() > FRESH) {
            library.try_refresh(&tabletalk::Unwatched)?;
            *looked = Some(Instant::now());
        }
        Ok(())
    }

    /// Does long work on the library.
    fn long<T: Send>(
        &self,
        py: Python<'_>,
        listener: Listener,
        work: impl FnOnce(&Library, &Worker) -> tabletalk::Result<T> + Send,
    ) -> PyResult<T> {
        let library = check(py, self.library())?;
        run(py, listener, |worker| work(&library, worker))
    }

    /// Does short work on the library, on this thread.
    fn short<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Library) -> tabletalk::Result<T> + Send,
    ) -> PyResult<T> {
        let library = check(py, self.library())?;
        let done = py.detach(|| work(&library));
        check(py, done)
    }

    fn answer(&self, py: Python<'_>, asked: &str, listener: Listener, by: By) -> PyResult<String> {
        let asked: AskRequest = check(py, request(asked))?;
        self.long(py, listener, |library, worker| {
            library.try_refresh(worker)?;
            let asked = AskRequest { stop: worker.stop(), ..asked };
            Ok(view::answer(&by(library, &asked, &mut |text| worker.say(text))?).to_string())
        })
    }
}

/// The configuration: of a file, or as it is found, with these changes as JSON.
fn configuration(file: Option<&Path>, changes: Option<&str>) -> tabletalk::Result<Config> {
    let config = Config::load(file)?;
    let Some(changes) = changes else { return Ok(config) };
    let changes: toml::Table = serde_json::from_str(changes)
        .map_err(|e| Error::input(format!("the configuration cannot be read: {e}")))?;
    config.with(&changes)
}

fn outcome_json(outcome: &Outcome, seconds: f64) -> String {
    let value = json!({
        "documents": outcome.documents,
        "interrupted": outcome.interrupted,
        "kept": outcome.kept,
        "embedding_error": outcome.embed_error.as_ref().map(Error::to_string),
        "seconds": seconds,
    });
    value.to_string()
}

/// Adds, and says what came of it.
fn added(work: impl FnOnce() -> tabletalk::Result<Outcome>) -> tabletalk::Result<String> {
    let begun = Instant::now();
    let outcome = work()?;
    Ok(outcome_json(&outcome, begun.elapsed().as_secs_f64()))
}

/// How files are added, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Adding {
    include: Vec<String>,
    exclude: Vec<String>,
    fields: Vec<String>,
    embed: bool,
    forget_missing: bool,
    forget_most: bool,
    progress: Option<Py<PyAny>>,
    stopper: Option<Stopper>,
}

impl Adding {
    fn split(self) -> (AddOptions, Listener) {
        let options = AddOptions {
            include: self.include,
            exclude: self.exclude,
            fields: self.fields,
            no_embed: !self.embed,
            forget_missing: self.forget_missing,
            forget_most: self.forget_most,
            named: None,
        };
        (options, Listener { progress: self.progress, text: None, stopper: self.stopper })
    }
}

/// What Python asks for, as JSON.
fn request<T: serde::de::DeserializeOwned>(text: &str) -> tabletalk::Result<T> {
    let said: Value = serde_json::from_str(text)?;
    T::deserialize(said).map_err(|e| Error::input(e.to_string()))
}

/// Answers a question, or judges a statement.
type By = fn(&Library, &AskRequest, &mut dyn FnMut(&str)) -> tabletalk::Result<Answer>;

/// A list as JSON.
fn listed(all: impl Iterator<Item = tabletalk::Result<Vec<Value>>>) -> tabletalk::Result<String> {
    let all: Vec<Vec<Value>> = all.collect::<tabletalk::Result<_>>()?;
    Ok(Value::Array(all.concat()).to_string())
}

#[pymethods]
impl Engine {
    /// Opens the library in a folder: the one named, the nearest one, or a new one here.
    #[new]
    #[pyo3(signature = (dir, create, config_file, config_changes))]
    fn new(
        py: Python<'_>,
        dir: Option<PathBuf>,
        create: bool,
        config_file: Option<PathBuf>,
        config_changes: Option<String>,
    ) -> PyResult<Self> {
        let opened = py.detach(|| {
            let config = configuration(config_file.as_deref(), config_changes.as_deref())?;
            let dir = dir.or_else(|| config::find_above(LIBRARY)).unwrap_or_else(|| PathBuf::from(LIBRARY));
            open(&config, &dir, create)
        });
        let library = RwLock::new(Some(Arc::new(check(py, opened)?)));
        Ok(Engine { library, looked: Mutex::default() })
    }

    /// Closes the library; calls that are under way come to their end.
    fn close(&self, py: Python<'_>) {
        let library = self.library.write().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(library));
    }

    /// The folder of the library.
    fn dir(&self, py: Python<'_>) -> PyResult<PathBuf> {
        Ok(check(py, self.library())?.dir().to_owned())
    }

    /// Adds files and folders.
    fn add(&self, py: Python<'_>, paths: Vec<PathBuf>, adding: Adding) -> PyResult<String> {
        let (options, listener) = adding.split();
        self.long(py, listener, |library, worker| added(|| library.add(&paths, &options, worker)))
    }

    /// Adds the bytes of a file.
    fn add_bytes(&self, py: Python<'_>, name: String, bytes: Vec<u8>, adding: Adding) -> PyResult<String> {
        let (options, listener) = adding.split();
        self.long(py, listener, |library, worker| {
            added(|| library.add_bytes(&name, &bytes, &options, worker))
        })
    }

    /// Adds the rows of an Arrow stream.
    fn add_stream(
        &self,
        py: Python<'_>,
        name: String,
        stream: Bound<'_, PyAny>,
        rows: Option<u64>,
        adding: Adding,
    ) -> PyResult<String> {
        let (options, listener) = adding.split();
        let stream = arrow::import(py, &stream)?;
        self.long(py, listener, |library, worker| {
            let (schema, batches) = stream.open()?;
            let frame = Frame { name, schema, batches, rows };
            added(|| library.add_frame(frame, &options, worker))
        })
    }

    /// Forgets documents by id or name.
    fn forget(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Vec<String>> {
        self.short(py, |library| library.forget_with_uploads(&names))
    }

    /// Answers a question, as JSON.
    fn ask(
        &self,
        py: Python<'_>,
        asked: &str,
        on_text: Option<Py<PyAny>>,
        stopper: Option<Stopper>,
    ) -> PyResult<String> {
        self.answer(py, asked, Listener { progress: None, text: on_text, stopper }, Library::ask)
    }

    /// Judges a statement, as JSON.
    fn verify(
        &self,
        py: Python<'_>,
        asked: &str,
        on_text: Option<Py<PyAny>>,
        stopper: Option<Stopper>,
    ) -> PyResult<String> {
        self.answer(py, asked, Listener { progress: None, text: on_text, stopper }, Library::verify)
    }

    /// Searches: hits, and how long the engine took for them, as JSON.
    fn search(&self, py: Python<'_>, asked: &str) -> PyResult<String> {
        let asked: SearchRequest = check(py, request(asked))?;
        self.short(py, |library| {
            self.freshen(library)?;
            let begun = Instant::now();
            let recalled = library.find(&asked)?;
            let ms = begun.elapsed().as_secs_f64() * 1e3;
            let found = Found::of(&[Named { name: "", library }], &asked, recalled, ms)?;
            Ok(serde_json::to_string(&found)?)
        })
    }

    /// Runs a read-only statement.
    fn sql(&self, py: Python<'_>, statement: String, stopper: Option<Stopper>) -> PyResult<cells::Result> {
        let listener = Listener { stopper, ..Listener::default() };
        self.long(py, listener, |library, worker| library.sql_until(&statement, &worker.stop()))
            .map(cells::Result::new)
    }

    /// The tables, as JSON.
    fn tables(&self, py: Python<'_>) -> PyResult<String> {
        self.short(py, |library| listed(library.every_table().map(|table| Ok(vec![view::table(&table?)]))))
    }

    /// The documents, as JSON. A tree of summaries over the library is kept as a document without a source.
    fn documents(&self, py: Python<'_>) -> PyResult<String> {
        let shown = |r: Record| if r.source.is_empty() { Vec::new() } else { vec![view::record(&r)] };
        self.short(py, |library| listed(library.every_document().map(|record| Ok(shown(record?)))))
    }

    /// The passages of a group, such as `medium`, in the order of documents, as JSON.
    fn passages(&self, py: Python<'_>, group: String) -> PyResult<String> {
        self.short(py, |library| {
            library.groups().get(&group)?;
            let of = |record: tabletalk::Result<Record>| {
                let nodes = library.nodes_of(record?.key, &group)?;
                Ok(nodes.iter().map(view::node).collect())
            };
            listed(library.every_document().map(of))
        })
    }

    /// Some rows of a table as they are written, as JSON.
    fn rows(&self, py: Python<'_>, table: String, offset: u64, limit: usize) -> PyResult<String> {
        self.short(py, |library| {
            let stored = view::table_named(library, &table)?;
            Ok(view::rows(&stored, offset, limit)?.to_string())
        })
    }

    /// A document, table or node as text.
    fn text(&self, py: Python<'_>, id: String, rows: usize) -> PyResult<String> {
        self.short(py, |library| match view::named(library, &id)? {
            view::Named::Document(key) => view::document_text(library, key, view::Format::Md, rows, None),
            view::Named::Table(stored) => view::table_text(&stored, view::Format::Md, rows),
            view::Named::Node(node) => Ok(node.text),
        })
    }

    /// Builds the tree of summaries, as JSON.
    fn raptor(
        &self,
        py: Python<'_>,
        per_document: Option<bool>,
        rebuild: bool,
        no_model: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let scope = per_document.map(|each| if each { Scope::Document } else { Scope::Library });
        let building = Building { scope, rebuild, no_model, ..Building::default() };
        let listener = Listener { progress, ..Listener::default() };
        self.long(py, listener, |library, worker| {
            let built = library.build_tree(&building, &|_| Ok(true), worker)?;
            Ok(serde_json::to_string(&built)?)
        })
    }
}

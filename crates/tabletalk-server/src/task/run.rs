//! Doing what tasks say: one thread for each library, since only one may write.

use super::{At, Folder, Progress, Rest, State, Tasks, Work, now};
use crate::app::App;
use crate::problem::Problem;
use crate::shelf::Shelf;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tabletalk_eval::answers;
use tabletalk_eval::query::{Query, judged};
use tabletalk_eval::record::{Record, figures};
use tabletalk_eval::retrieval::{self, How};
use tabletalk_library::{
    AddOptions, Building, Error, Fault, Library, Outcome, Result, Retriever, Scope, Similarity, Watch,
    backup, view,
};
use utoipa::ToSchema;

/// A task that a caller starts.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum NewTask {
    /// Make the vectors that are missing.
    Embed {},
    /// Have the language model say of every table what it is for.
    Clarify {},
    /// Have the language model make the nodes of groups.
    Make { groups: Vec<String> },
    /// Build the tree of summaries, or bring it up to date.
    Raptor {
        /// `library` or `document`.
        #[serde(default)]
        scope: Option<String>,
        #[serde(default)]
        rebuild: bool,
        #[serde(default)]
        no_model: bool,
        /// Keys of `[raptor]` that differ for this build, such as `max_token` or `cluster`.
        #[serde(default)]
        #[schema(value_type = Object)]
        settings: Map<String, Value>,
    },
    /// Bring watched folders and uploads in step.
    Sync {},
    /// Look for damage, and mend what can be made again.
    Doctor {
        #[serde(default)]
        repair: bool,
    },
    /// Measure how well the right documents are found.
    Evaluate {
        name: String,
        /// Each `{"question":…,"relevant":[ids]}`.
        #[schema(value_type = Vec<Object>)]
        queries: Vec<Value>,
        #[serde(default)]
        similarities: Vec<String>,
        #[serde(default)]
        k: Vec<usize>,
    },
}

impl NewTask {
    /// The work, checked as far as it can be before it begins.
    pub(crate) fn work(self, app: &App, shelf: &Shelf) -> Result<Work> {
        Ok(match self {
            NewTask::Embed {} => Work::Embed,
            NewTask::Clarify {} => Work::Clarify,
            NewTask::Make { groups } => {
                groups.iter().try_for_each(|g| shelf.library().groups().get(g).map(drop))?;
                Work::Make { groups }
            }
            NewTask::Raptor { scope, rebuild, no_model, settings } => {
                let by_default = shelf.library().config().raptor.scope == Scope::Document;
                let document = match scope.as_deref() {
                    None => by_default,
                    Some("library") => false,
                    Some("document") => true,
                    Some(other) => {
                        return Err(Error::input(format!("`{other}` is not a scope"))
                            .hint("say `library` or `document`"));
                    }
                };
                let building = Building { settings: settings.clone(), ..Building::default() };
                shelf.library().tree_settings(&building)?;
                Work::Raptor { document, rebuild, no_model, settings }
            }
            NewTask::Sync {} => Work::Sync { folders: app.folders(shelf) },
            NewTask::Doctor { repair } => Work::Doctor { repair },
            NewTask::Evaluate { name, queries, similarities, k } => {
                evaluation(name, queries, similarities, k)?
            }
        })
    }
}

fn evaluation(name: String, queries: Vec<Value>, similarities: Vec<String>, k: Vec<usize>) -> Result<Work> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    if name.trim().is_empty() || name.len() > 80 || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(Error::input("an evaluation needs a name of letters, digits, spaces, `-`, `_` and `.`"));
    }
    if queries.is_empty() {
        return Err(
            Error::input("there are no queries").hint("give `{\"question\":…,\"relevant\":[ids]}` each")
        );
    }
    for (i, query) in queries.iter().enumerate() {
        Query::of(query).map_err(|e| e.at(format!("query {}", i + 1)))?;
    }
    if k.iter().any(|k| *k == 0 || *k > 1000) {
        return Err(Error::input("each k is between 1 and 1000"));
    }
    for similarity in &similarities {
        similarity.parse::<Similarity>()?;
    }
    Ok(Work::Evaluate { name, queries, similarities, k })
}

/// Adding files must not keep those waiting who search: this thread, and those it begins, come last.
pub(crate) fn give_way() {
    let _ = thread_priority::set_current_thread_priority(thread_priority::ThreadPriority::Min);
}

/// Starts the thread that works on a library's tasks.
pub(crate) fn begin(app: Arc<App>, shelf: Arc<Shelf>) -> Result<std::thread::JoinHandle<()>> {
    let name = format!("tasks {}", shelf.name);
    Ok(std::thread::Builder::new().name(name).spawn(move || {
        give_way();
        let rest = Rest::new(&app.pool);
        while let Some((id, work, stop)) = shelf.tasks.next() {
            rest.begin();
            one(&app, &shelf, &id, work, stop, &rest);
            rest.take(|| shelf.tasks.is_closed());
        }
    })?)
}

fn one(app: &App, shelf: &Shelf, id: &str, work: Work, stop: Arc<AtomicBool>, rest: &Rest<'_>) {
    let total = match &work {
        Work::Add { files, .. } => Some(files.len() as u64),
        _ => None,
    };
    let progress = Progress::new(&shelf.tasks, id, total, stop, rest);
    let (begun, kind) = (Instant::now(), work.kind());
    let done = when_free(&progress, &shelf.tasks, || run(app, shelf, &work, &progress));
    app.measure.task(kind, begun.elapsed());
    if let Err(e) = shelf.know() {
        tracing::error!(error = %e, "the catalogue cannot be read");
    }
    let stopped = progress.stop.load(Ordering::SeqCst);
    let parked = shelf.tasks.is_closed();
    if stopped
        && !parked
        && let Work::Add { files, .. } = &work
    {
        take_away(shelf, files);
    }
    shelf.tasks.change(id, |task| {
        let interrupted = match &done {
            Ok(value) => value["interrupted"] == json!(true),
            Err(_) => true,
        };
        task.state = match &done {
            _ if stopped && interrupted && parked => State::Queued,
            _ if stopped && interrupted => State::Cancelled,
            Ok(_) => State::Done,
            Err(_) => State::Failed,
        };
        task.ended = task.state.is_over().then(now);
        match done {
            Ok(value) => task.result = Some(value),
            Err(e) if task.state == State::Failed => {
                tracing::warn!(task = id, kind, error = %e, "a task failed");
                task.error = Some(Problem::from(e).body);
            }
            Err(_) => {}
        }
    });
}

/// Tries again while another process writes to the library.
fn when_free(
    progress: &Progress<'_>,
    tasks: &Tasks,
    mut run: impl FnMut() -> Result<Value>,
) -> Result<Value> {
    loop {
        match run() {
            Err(e) if e.fault() == Fault::Limit && e.message().contains("another process") => {
                let message = e.message().to_owned();
                progress.tell(|| At { phase: "wait".into(), message, ..At::default() });
                std::thread::sleep(Duration::from_millis(500));
                if progress.stopped() || tasks.is_closed() {
                    return Err(e);
                }
            }
            done => return done,
        }
    }
}

fn run(app: &App, shelf: &Shelf, work: &Work, watch: &Progress<'_>) -> Result<Value> {
    let library = shelf.library();
    match work {
        Work::Add { files, use_raptor } => {
            let dir = shelf.dir.join(backup::UPLOADS);
            let paths: Vec<PathBuf> = files.iter().map(|f| dir.join(f)).filter(|p| p.exists()).collect();
            let done = report(|| add_uploads(&library, shelf, paths, watch))?;
            let wanted = *use_raptor || library.config().raptor.use_raptor;
            if wanted && done["interrupted"] != json!(true) {
                queue_tree(&library, shelf)?;
            }
            Ok(done)
        }
        Work::Sync { folders } => sync(&library, shelf, folders, watch),
        Work::Correct { table, correction } => {
            let stored = view::table_named(&library, table)?;
            report(|| library.correct(&stored, correction, watch))
        }
        Work::Embed => Ok(serde_json::to_value(library.embed(watch)?)?),
        Work::Clarify => Ok(serde_json::to_value(library.clarify(watch)?)?),
        Work::Make { groups } => {
            let mut made = Vec::new();
            for group in groups {
                made.push(json!({"group": group, "made": library.make(group, &|_| Ok(true), watch)?}));
            }
            library.embed(watch)?;
            Ok(json!({ "groups": made }))
        }
        Work::Raptor { document, rebuild, no_model, settings } => {
            let scope = Some(if *document { Scope::Document } else { Scope::Library });
            let (rebuild, no_model, settings) = (*rebuild, *no_model, settings.clone());
            let building = Building { scope, rebuild, no_model, settings, ..Building::default() };
            Ok(serde_json::to_value(library.build_tree(&building, &|_| Ok(true), watch)?)?)
        }
        Work::Doctor { repair } => Ok(json!({ "findings": library.doctor(*repair, watch)? })),
        Work::Evaluate { name, queries, similarities, k } => evaluate(shelf, name, queries, similarities, k),
        Work::Restore { file } => {
            let done = shelf.restore(file, &app.config());
            let _ = std::fs::remove_file(file);
            done.map(|()| json!({"restored": true}))
        }
    }
}

/// The tree of summaries follows as a task of its own, unless one waits already.
fn queue_tree(library: &Library, shelf: &Shelf) -> Result<()> {
    let document = library.config().raptor.scope == Scope::Document;
    if !shelf.tasks.waits("raptor") {
        shelf.tasks.put(Work::Raptor { document, rebuild: false, no_model: false, settings: Map::new() })?;
    }
    Ok(())
}

/// Adds uploads, those that came with the same fields together.
fn add_uploads(library: &Library, shelf: &Shelf, paths: Vec<PathBuf>, watch: &dyn Watch) -> Result<Outcome> {
    let mut said = shelf.owners.fields()?;
    let mut by_fields: BTreeMap<Vec<String>, Vec<PathBuf>> = BTreeMap::new();
    for path in paths {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        by_fields.entry(said.remove(&name).unwrap_or_default()).or_default().push(path);
    }
    let mut all = Outcome::default();
    for (fields, paths) in by_fields {
        let done = library.add(&paths, &AddOptions { fields, ..AddOptions::default() }, watch)?;
        all.documents.extend(done.documents);
        all.interrupted |= done.interrupted;
        all.embed_error = all.embed_error.or(done.embed_error);
        if all.interrupted {
            break;
        }
    }
    Ok(all)
}

/// The report on files that were added.
fn report(add: impl FnOnce() -> Result<Outcome>) -> Result<Value> {
    let begun = Instant::now();
    let outcome = add()?;
    let mut documents = serde_json::to_value(&outcome.documents)?;
    for (shown, added) in documents.as_array_mut().into_iter().flatten().zip(&outcome.documents) {
        let rejected = shown["rows_rejected"].as_array_mut().into_iter().flatten();
        rejected.zip(&added.rows_rejected).for_each(|(row, r)| row["place"] = view::place(&r.place));
    }
    Ok(json!({
        "documents": documents,
        "interrupted": outcome.interrupted,
        "kept": outcome.kept,
        "embedding_error": outcome.embed_error.as_ref().map(Error::to_string),
        "seconds": begun.elapsed().as_secs_f64(),
    }))
}

/// Uploads are a folder like any other, save that what is gone from it was forgotten by whoever took it away.
fn sync(library: &Library, shelf: &Shelf, folders: &[Folder], watch: &Progress<'_>) -> Result<Value> {
    let mut reports = vec![report(|| {
        let uploads = crate::upload::files(&shelf.dir)?;
        add_uploads(library, shelf, uploads, watch)
    })?];
    for folder in folders {
        let options = AddOptions {
            include: folder.include.clone(),
            exclude: folder.exclude.clone(),
            forget_missing: true,
            ..AddOptions::default()
        };
        if folder.path.is_dir() {
            reports.push(report(|| library.add(std::slice::from_ref(&folder.path), &options, watch))?);
        } else {
            // A folder that is not mounted is not an empty one: nothing is forgotten.
            tracing::warn!(folder = %folder.path.display(), "a watched folder is not there");
        }
    }
    let documents: Vec<Value> = reports
        .iter()
        .flat_map(|r| r["documents"].as_array().cloned().unwrap_or_default())
        .filter(|d| d["status"] != json!("unchanged"))
        .collect();
    let kept: Vec<Value> =
        reports.iter().flat_map(|r| r["kept"].as_array().cloned().unwrap_or_default()).collect();
    for kept in &kept {
        tracing::warn!(
            library = shelf.name,
            "not forgotten: {}",
            kept["reason"].as_str().unwrap_or_default()
        );
    }
    let interrupted = reports.iter().any(|r| r["interrupted"] == json!(true));
    let wanted = library.config().raptor.use_raptor || folders.iter().any(|f| f.use_raptor);
    if wanted && !interrupted && !documents.is_empty() {
        queue_tree(library, shelf)?;
    }
    Ok(json!({"documents": documents, "kept": kept, "interrupted": interrupted}))
}

/// Files of an upload that was cancelled and did not get into the library.
fn take_away(shelf: &Shelf, files: &[String]) {
    for name in files {
        let path = tabletalk_library::files::absolute(&shelf.dir.join(backup::UPLOADS).join(name));
        let library = shelf.library();
        let known = library.documents_of(&path);
        if known.is_ok_and(|records| records.is_empty()) {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn evaluate(
    shelf: &Shelf,
    name: &str,
    queries: &[Value],
    similarities: &[String],
    k: &[usize],
) -> Result<Value> {
    let library = shelf.library();
    let queries: Vec<Query> = queries.iter().map(Query::of).collect::<Result<_>>()?;
    let cuts = if k.is_empty() { vec![1, 5, 10] } else { k.to_vec() };
    let similarities = match similarities.is_empty() {
        true => vec!["bm25".to_owned(), "hybrid".to_owned()],
        false => similarities.to_vec(),
    };
    let group = retrieval::default_group(&library)?;
    let mut rows = Vec::new();
    for similarity in &similarities {
        let how = How::by(Retriever {
            group: group.to_owned(),
            topk: cuts.iter().copied().max().unwrap_or(10),
            similarity: similarity.parse()?,
            ..Retriever::default()
        });
        let begun = Instant::now();
        let mut records: Vec<Record> = Vec::new();
        retrieval::run(&library.recall(), &queries, &how, &cuts, &mut |searched| {
            records.extend(searched.into_iter().map(|s| s.record));
            Ok(())
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut metrics = figures(&records);
        metrics.remove("ms");
        rows.push(json!({"name": similarity, "metrics": metrics, "seconds": seconds}));
    }
    let answers = answered(&library, queries.clone())?;
    let value = json!({"name": name, "time": now(), "queries": queries.len(), "group": group, "rows": rows, "answers": answers});
    let path = shelf.dir.join("evaluations").join(format!("{name}.json"));
    std::fs::write(path, serde_json::to_vec_pretty(&value)?)?;
    Ok(value)
}

/// How often the answers are right, of the questions whose right answer is known; nothing where none is.
fn answered(library: &Library, queries: Vec<Query>) -> Result<Value> {
    let Ok(queries) = judged(queries) else { return Ok(Value::Null) };
    if queries.is_empty() {
        return Ok(Value::Null);
    }
    let desk = library.answering(library.chat()?, &library.config().answer)?;
    let begun = Instant::now();
    let mut records: Vec<Record> = Vec::new();
    answers::run(&desk, &queries, answers::How::default(), &mut |mut some| {
        records.append(&mut some);
        Ok(())
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok(json!({"queries": records.len(), "metrics": figures(&records), "seconds": seconds}))
}

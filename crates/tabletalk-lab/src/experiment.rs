//! Runs a recipe: every variant on every set, kept question by question, so that it can stop and go on.

use crate::grow;
use crate::inside;
use crate::layout;
use crate::recipe::{Recipe, Set, Task, Variant};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tabletalk_core::{Error, Fault, Result};
use tabletalk_eval::answers;
use tabletalk_eval::compare::compare;
use tabletalk_eval::corpus::{self, Corpus};
use tabletalk_eval::machine;
use tabletalk_eval::query::{self, Query};
use tabletalk_eval::record::{Record, figures};
use tabletalk_eval::retrieval::{self, How, default_group};
use tabletalk_eval::run::{Cell, Provenance, Run, SetOf, VariantOf, file_name, records, records_file};
use tabletalk_library::{Config, Library, Retriever, Similarity, Watch};

/// Questions in a row that may end in an error before a run is given up.
const FAILED: usize = 5;
/// The group of summaries of tables.
const SUMMARIES: &str = tabletalk_engine::clarify::GROUP;

/// How an experiment is run.
pub struct Options<'a> {
    /// The folder for runs, and for what can be used again by the next one.
    pub out: &'a Path,
    /// The commit that the program was built from.
    pub commit: Option<&'a str>,
    /// Whether the built-in parser answers even when there is a language model.
    pub no_model: bool,
}

/// Runs a recipe, or goes on with a run of the same recipe, configuration, data and program.
pub fn run(recipe: &Recipe, base: &Config, options: &Options<'_>, watch: &dyn Watch) -> Result<Run> {
    recipe.check()?;
    let mut base = base.with(&recipe.config)?;
    if options.no_model {
        base.chat = None;
    }
    let mut sets = Vec::new();
    for set in &recipe.set {
        sets.extend(
            prepare(recipe, set, options.out, watch).map_err(|e| e.at(format!("set `{}`", set.name)))?,
        );
    }
    check_names(&sets)?;
    let mut run = begin(recipe, &base, &sets, options)?;
    let dir = options.out.join(&run.name);
    run.write(&dir)?;
    for set in &sets {
        for variant in &recipe.variant {
            let begun = Instant::now();
            let job = Job { recipe, base: &base, set, variant, dir: &dir, out: options.out, watch };
            if run.cell(&set.name, &variant.name).is_some_and(|c| c.skipped.is_none() && c.errors == 0) {
                continue;
            }
            let cell = job.cell()?;
            run.cells.retain(|c| c.set != set.name || c.variant != variant.name);
            run.cells.push(cell);
            run.seconds += begun.elapsed().as_secs_f64();
            run.write(&dir)?;
        }
    }
    compare_with_first(&mut run, &dir)?;
    run.complete = true;
    run.write(&dir)?;
    Ok(run)
}

/// Compares every cell with that of the first variant on the same set, question by question.
fn compare_with_first(run: &mut Run, dir: &Path) -> Result<()> {
    let Some(first) = run.variants.first().map(|variant| variant.name.clone()) else { return Ok(()) };
    for cell in run.cells.iter_mut().filter(|cell| cell.variant != first && cell.skipped.is_none()) {
        let before = records(dir, &cell.set, &first)?;
        cell.against = compare(&before, &records(dir, &cell.set, &cell.variant)?);
    }
    Ok(())
}

/// Sets that are grown get names of their own, which may be taken.
fn check_names(sets: &[Ready]) -> Result<()> {
    let mut seen = HashSet::new();
    match sets.iter().find(|set| !seen.insert(file_name(&set.name))) {
        Some(set) => Err(Error::input(format!("two sets are called `{}`", set.name))),
        None => Ok(()),
    }
}

/// A set that is ready to be asked.
struct Ready {
    name: String,
    size: Option<usize>,
    given_table: bool,
    levels: Vec<inside::Level>,
    corpus: Vec<PathBuf>,
    queries: Vec<Query>,
    corpus_hash: String,
    queries_hash: String,
    drawn_hash: String,
}

/// Reads the questions of a set and finds its corpus; one that is grown becomes several.
fn prepare(recipe: &Recipe, set: &Set, out: &Path, watch: &dyn Watch) -> Result<Vec<Ready>> {
    watch.note(&format!("reading {}", set.name));
    let (corpus, queries) = match &set.public {
        Some(public) => converted(public, out)?,
        None => (set.corpus.clone(), set.queries.clone()),
    };
    let queries_hash = corpus::hash(&queries)?;
    let mut secret = queries.clone();
    secret.push(out.to_owned());
    corpus::check_apart(&corpus, &secret)?;
    let read = named(query::read_files_where(&queries, &set.only)?);
    let all = match recipe.task {
        Task::Answers => query::judged(read)?,
        Task::Retrieval => query::placed(read)?,
    };
    let all = match set.sizes.iter().min() {
        Some(least) => grow::fitting(&corpus, all, *least)?,
        None => all,
    };
    let drawn = query::draw(all, set.sample.or(recipe.sample), recipe.seed);
    let drawn_hash = corpus::short(&serde_json::to_vec(&drawn)?);
    let ready = |size: Option<usize>, corpus: Vec<PathBuf>| {
        Ok(Ready {
            name: size.map_or_else(|| set.name.clone(), |size| format!("{} {size}", set.name)),
            size,
            given_table: set.given_table,
            levels: set.levels.clone(),
            corpus_hash: corpus::hash(&corpus)?,
            corpus,
            queries: drawn.clone(),
            queries_hash: queries_hash.clone(),
            drawn_hash: drawn_hash.clone(),
        })
    };
    let corpus = match set.records {
        Some(most) => vec![made(out, &set.name, &grow::few(&corpus, &drawn, most)?)?],
        None => corpus,
    };
    if set.sizes.is_empty() {
        return Ok(vec![ready(None, corpus)?]);
    }
    let grown = |&rows: &usize| {
        let size = grow::Size { rows, columns: if set.square { rows } else { 0 } };
        let file = made(out, &set.name, &grow::grow(&corpus, &drawn, size, recipe.seed)?)?;
        ready(Some(rows), vec![file])
    };
    set.sizes.iter().map(grown).collect()
}

/// A file of records that was made for a set, named by what is in it: another is never written over it.
fn made(out: &Path, set: &str, text: &str) -> Result<PathBuf> {
    let dir = out.join("sets");
    std::fs::create_dir_all(&dir)?;
    let file = dir.join(format!("{}-{}.jsonl", file_name(set), corpus::short(text.as_bytes())));
    if !file.exists() {
        let mut draft = tempfile::NamedTempFile::new_in(&dir)?;
        draft.write_all(text.as_bytes())?;
        draft.persist(&file).map_err(|e| Error::from(e.error))?;
    }
    Ok(file)
}

/// The files of a set in its public layout, in the plain format.
fn converted(public: &crate::recipe::Public, out: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let place = corpus::short(public.dir.canonicalize().unwrap_or_default().as_os_str().as_encoded_bytes());
    let name = format!("{}-{}-{place}", public.layout.name(), file_name(&public.split));
    let dir = out.join("sets").join(name);
    layout::convert(public.layout, &public.dir, &public.split, &dir)?;
    let corpus = ["tables.jsonl", "passages.jsonl"].map(|file| dir.join(file));
    Ok((corpus.into_iter().filter(|file| file.exists()).collect(), vec![dir.join("queries.jsonl")]))
}

/// Every question gets an id, and none the same: what came of it is kept under it.
fn named(mut queries: Vec<Query>) -> Vec<Query> {
    let mut seen = HashSet::new();
    for (i, query) in queries.iter_mut().enumerate() {
        if query.id.is_empty() || seen.contains(&query.id) {
            let id = format!("{}#{i}", query.id);
            query.id = if seen.contains(&id) { format!("{id}#") } else { id };
        }
        seen.insert(query.id.clone());
    }
    queries
}

/// The run as it stands: a new one, or one that was begun with exactly the same.
fn begin(recipe: &Recipe, base: &Config, sets: &[Ready], options: &Options<'_>) -> Result<Run> {
    let config = measured(base)?;
    let program = machine::program()?;
    let hashes: Vec<[&str; 2]> =
        sets.iter().map(|s| [s.corpus_hash.as_str(), s.queries_hash.as_str()]).collect();
    let beside = corpus::beside(base)?;
    let decides =
        json!({"recipe": recipe, "config": config, "beside": beside, "data": hashes, "program": program});
    let key = corpus::short(&serde_json::to_vec(&decides)?);
    let name = format!("{}-{}", file_name(&recipe.name), key.get(..8).unwrap_or(&key));
    if let Ok(run) = Run::read(&options.out.join(&name)) {
        match run.provenance.key == key {
            true => return Ok(Run { complete: false, ..run }),
            false => return Err(Error::input(format!("`{name}` is a run of something else"))),
        }
    }
    let set = |s: &Ready| SetOf {
        name: s.name.clone(),
        queries: s.queries.len(),
        corpus_hash: s.corpus_hash.clone(),
        queries_hash: s.queries_hash.clone(),
        drawn_hash: s.drawn_hash.clone(),
        size: s.size,
    };
    let variant = |v: &Variant| {
        let config = serde_json::to_value(&v.config)?;
        Ok(VariantOf { name: v.name.clone(), about: v.about.clone(), config })
    };
    Ok(Run {
        name,
        recipe: recipe.name.clone(),
        about: recipe.about.clone(),
        task: recipe.task.name().to_owned(),
        begun: machine::now(),
        sets: sets.iter().map(set).collect(),
        variants: recipe.variant.iter().map(variant).collect::<Result<_>>()?,
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: options.commit.map(str::to_owned),
            program,
            key,
            sample: recipe.sample,
            seed: recipe.seed,
            machine: machine::this(),
            chat: base.chat.as_ref().map(|c| c.model.model.clone()),
            embed: base.embed.iter().map(|embed| corpus::model_name(&embed.model)).collect(),
            config,
        },
        ..Run::default()
    })
}

/// A configuration without what has nothing to do with results.
fn measured(config: &Config) -> Result<Value> {
    let mut value = serde_json::to_value(config)?;
    if let Some(all) = value.as_object_mut() {
        for key in ["eval", "server", "watch"] {
            all.remove(key);
        }
    }
    Ok(value)
}

/// One variant on one set.
struct Job<'a> {
    recipe: &'a Recipe,
    base: &'a Config,
    set: &'a Ready,
    variant: &'a Variant,
    dir: &'a Path,
    out: &'a Path,
    watch: &'a dyn Watch,
}

impl Job<'_> {
    fn cell(&self) -> Result<Cell> {
        let mut cell = Cell {
            set: self.set.name.clone(),
            variant: self.variant.name.clone(),
            size: self.set.size,
            queries: self.set.queries.len(),
            ..Cell::default()
        };
        let config = self.config().map_err(|e| e.at(format!("variant `{}`", self.variant.name)))?;
        if (self.variant.model || self.variant.summaries) && config.chat.is_none() {
            cell.skipped = Some("needs a language model".into());
            return Ok(cell);
        }
        if self.variant.finding && self.set.given_table {
            cell.skipped = Some("the table is given".into());
            return Ok(cell);
        }
        machine::forget_peak();
        match self.ask(&config) {
            Ok(seconds) => cell.seconds = seconds,
            // A model that is not there takes its variant away, not the whole run.
            Err(e) if e.fault() == Fault::Missing => {
                cell.skipped = Some(e.to_string());
                return Ok(cell);
            }
            Err(e) => return Err(e.at(format!("{} on {}", self.variant.name, self.set.name))),
        }
        cell.memory_mib = machine::peak_mib();
        let all = records(self.dir, &self.set.name, &self.variant.name)?;
        cell.errors = all.iter().filter(|record| record.error.is_some()).count();
        cell.error = all.iter().find_map(|record| record.error.clone());
        cell.metrics = figures(&all);
        Ok(cell)
    }

    fn config(&self) -> Result<Config> {
        let mut config = self.base.with(&self.variant.config)?;
        if self.variant.no_model {
            config.chat = None;
        }
        if self.variant.summaries {
            config.embed.iter_mut().for_each(|embed| embed.groups.push(SUMMARIES.into()));
        }
        Ok(config)
    }

    /// Asks what was not asked yet; the seconds that it took.
    fn ask(&self, config: &Config) -> Result<f64> {
        let (known, left) = self.left(records(self.dir, &self.set.name, &self.variant.name)?);
        let before: f64 = known.iter().filter_map(|record| record.metrics.get("ms")).sum::<f64>() / 1e3;
        if left.is_empty() {
            return Ok(before);
        }
        let corpus = self.corpus(config)?;
        let mut keep = Keep::open(self, &known)?;
        let begun = Instant::now();
        match self.recipe.task {
            Task::Answers => self.answers(&corpus.library, &left, &mut keep)?,
            Task::Retrieval => self.retrieval(&corpus.library, &left, &mut keep)?,
        }
        Ok(before + begun.elapsed().as_secs_f64())
    }

    /// What is known already, and what is left to be asked. A question that ended in an error is asked again, and a
    /// conversation that was broken off from its beginning.
    fn left(&self, known: Vec<Record>) -> (Vec<Record>, Vec<Query>) {
        let known: Vec<Record> = known.into_iter().filter(|record| record.error.is_none()).collect();
        let ids: HashSet<&str> = known.iter().map(|record| record.query.as_str()).collect();
        let is_done = |talk: &Vec<&Query>| talk.iter().all(|query| ids.contains(query.id.as_str()));
        let talks = query::talks(&self.set.queries);
        let open = talks.iter().filter(|talk| !is_done(talk)).flatten();
        let open: HashSet<&str> = open.map(|query| query.id.as_str()).collect();
        let left =
            self.set.queries.iter().filter(|query| open.contains(query.id.as_str())).cloned().collect();
        let done = known.iter().filter(|record| !open.contains(record.query.as_str())).cloned().collect();
        (done, left)
    }

    /// The library of the set, made when it is first needed and shared by all variants that read it the same way.
    fn corpus(&self, config: &Config) -> Result<Corpus> {
        let summaries =
            config.chat.as_ref().filter(|_| self.variant.summaries).map(|c| c.model.model.as_str());
        let print = corpus::print(config, &self.set.corpus_hash, &self.set.corpus, summaries)?;
        let dir = self.out.join("libraries").join(print);
        let by_words = config.search.similarity == Similarity::Bm25 && self.variant.strategy.is_none();
        let embeds = match self.recipe.task {
            Task::Retrieval => !by_words,
            // Vectors help to find a table, not to answer from one that is given.
            Task::Answers => !self.set.given_table,
        };
        let corpus = Corpus::make(config, &self.set.corpus, Some(&dir), |_| embeds, self.watch)?;
        if self.variant.summaries {
            let made = corpus.library.clarify(self.watch)?;
            if made.interrupted {
                return Err(stopped());
            }
            if embeds {
                corpus.library.embed(self.watch)?;
            }
        }
        Ok(corpus)
    }

    fn answers(&self, library: &Library, queries: &[Query], keep: &mut Keep<'_>) -> Result<()> {
        let config = library.config();
        let desk = library.answering(library.chat()?, &config.answer)?;
        let at_once = config.chat.as_ref().map_or(1, |chat| chat.model.requests_at_once);
        let how = answers::How { given_table: self.set.given_table, mode: None, at_once };
        answers::run(&desk, queries, how, &mut |records| keep.put(&records))
    }

    fn retrieval(&self, library: &Library, queries: &[Query], keep: &mut Keep<'_>) -> Result<()> {
        let cuts = &self.recipe.k;
        let how = way(library, self.variant, cuts)?;
        // Parts of tables are found by words whatever else a variant does: they are measured once.
        let is_first = self.recipe.variant.first().is_some_and(|first| first.name == self.variant.name);
        let levels = if is_first { self.set.levels.as_slice() } else { &[] };
        for together in queries.chunks(retrieval::TOGETHER) {
            let parts = inside::run(library, together, levels, cuts)?;
            retrieval::run(&library.recall(), together, &how, cuts, &mut |searched| {
                let records: Vec<Record> = searched
                    .into_iter()
                    .zip(&parts)
                    .map(|(s, parts)| {
                        let mut record = s.record;
                        record.metrics.extend(parts.clone());
                        record
                    })
                    .collect();
                keep.put(&records)
            })?;
        }
        Ok(())
    }
}

/// How a variant searches.
fn way<'a>(library: &'a Library, variant: &'a Variant, cuts: &[usize]) -> Result<How<'a>> {
    let (config, topk) = (library.config(), cuts.iter().copied().max().unwrap_or(10));
    let group = default_group(library)?;
    if let Some(name) = &variant.strategy {
        let by_kind = if group == "table" { "table" } else { "text" };
        let name = if name == "auto" { by_kind } else { name };
        return Ok(How::Strategy { name, strategy: config.strategy.get(name)?, topk });
    }
    let mut groups = vec![group];
    groups.extend(variant.summaries.then_some(SUMMARIES));
    let retriever = |group: &str| Retriever {
        group: group.to_owned(),
        topk,
        similarity: config.search.similarity.clone(),
        rerank: config.search.rerank.clone(),
        ..Retriever::default()
    };
    Ok(How::Retrievers(groups.into_iter().map(retriever).collect()))
}

/// Keeps what comes of questions as it comes.
struct Keep<'a> {
    file: std::fs::File,
    job: &'a Job<'a>,
    done: usize,
    /// Questions in a row that ended in an error.
    failed: usize,
}

impl<'a> Keep<'a> {
    /// Goes on behind what is known; the lines of all else are dropped.
    fn open(job: &'a Job<'a>, known: &[Record]) -> Result<Keep<'a>> {
        let path = records_file(job.dir, &job.set.name, &job.variant.name);
        let dir = path.parent().unwrap_or(job.dir);
        std::fs::create_dir_all(dir)?;
        let known: HashSet<&str> = known.iter().map(|record| record.query.as_str()).collect();
        let is_known = |line: &&str| {
            let id = |record: Record| known.contains(record.query.as_str());
            serde_json::from_str(line).is_ok_and(id)
        };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut draft = tempfile::NamedTempFile::new_in(dir)?;
        for line in text.lines().filter(is_known) {
            writeln!(draft, "{line}")?;
        }
        let file = draft.persist(&path).map_err(|e| Error::from(e.error))?;
        Ok(Keep { file, job, done: known.len(), failed: 0 })
    }

    fn put(&mut self, records: &[Record]) -> Result<()> {
        let mut text = String::new();
        for record in records {
            text.push_str(&serde_json::to_string(record)?);
            text.push('\n');
        }
        self.file.write_all(text.as_bytes())?;
        self.done += records.len();
        for record in records {
            self.failed = if record.error.is_some() { self.failed + 1 } else { 0 };
        }
        if let Some(error) =
            records.last().and_then(|record| record.error.clone()).filter(|_| self.failed >= FAILED)
        {
            return Err(Error::limit(format!("{FAILED} questions in a row failed, the last with: {error}"))
                .hint("the same command asks them again"));
        }
        let (set, variant) = (self.job.set, self.job.variant);
        self.job.watch.note(&format!(
            "{}, {}: {} of {}",
            set.name,
            variant.name,
            self.done,
            set.queries.len()
        ));
        match self.job.watch.stopped() {
            true => Err(stopped()),
            false => Ok(()),
        }
    }
}

fn stopped() -> Error {
    Error::limit("the run was stopped; what it has is kept").hint("the same command goes on with it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_an_id_of_its_own() {
        let queries = ["a", "", "a", ""].map(|id| Query { id: id.into(), ..Query::default() });
        let ids: HashSet<String> = named(queries.to_vec()).into_iter().map(|q| q.id).collect();
        assert_eq!(ids.len(), 4);
    }
}

//! The front door: [`open`] puts the crates below together. Only this crate reads the environment and names
//! concrete implementations.

mod asking;
pub mod backup;
pub mod chart;
pub mod config;
mod correcting;
mod databases;
mod direct;
pub mod export;
pub mod files;
mod forgetting;
mod framing;
mod looking;
pub mod migrating;
mod models;
mod ocr;
pub mod providers;
mod raptor;
mod reference;
mod relating;
pub mod report;
mod request;
pub mod searching;
pub mod serving;
mod stores;
pub mod view;

pub use framing::Frame;
pub use looking::Counts;
pub use raptor::Building;
pub use request::{AskRequest, SearchRequest};
pub use stores::vector_store;

pub use config::Config;
pub use tabletalk_core::answer;
pub use tabletalk_core::correct::{self, Correction};
pub use tabletalk_core::seam::{Embed, Embedding, Rerank, Role, Scorer, Want};
pub use tabletalk_core::{Answer, Error, Fault, Hit, Node, Place, Result};
pub use tabletalk_engine::answer::Mode;
pub use tabletalk_engine::embed::Embedded;
pub use tabletalk_engine::generate::Estimate;
pub use tabletalk_engine::group::own::{Closure, NewNode};
pub use tabletalk_engine::ingest::{Added, Kept, Outcome, Status};
pub use tabletalk_engine::raptor as tree;
pub use tabletalk_engine::raptor::{Built, Scope, Traversal, Tree};
pub use tabletalk_engine::recall::similarity::Own;
pub use tabletalk_engine::recall::{Filter, Recalled, Retriever, Similarity};
pub use tabletalk_engine::rerank::Reranker;
pub use tabletalk_engine::watch::{Unwatched, Watch};
pub use tabletalk_engine::{
    Definition, Groups, Transform, embed, group, maintain, recall, relate, replicate,
};
pub use tabletalk_model::{ChatProvider, ChatSettings};
pub use tabletalk_sql as sql;
pub use tabletalk_store as store;

use correcting::Corrections;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tabletalk_core::seam::{Documents, Source};
use tabletalk_engine::embed::Embedders;
use tabletalk_engine::ingest::{self, Item, Job};
use tabletalk_engine::maintain::Finding;
use tabletalk_engine::prompt::Prompts;
use tabletalk_engine::recall::Recall;
use tabletalk_engine::recall::similarity::Registered;
use tabletalk_engine::recall::strategy::Ask;
use tabletalk_engine::rerank::Rerankers;
use tabletalk_sql::Sandbox;
use tabletalk_store::analyze::Analyzer;
use tabletalk_store::{Library as Store, Shared};

/// A library and how to use it.
pub struct Library {
    store: Store,
    groups: Groups,
    embedders: Embedders,
    rerankers: Rerankers,
    similarities: Registered,
    sandbox: OnceLock<Sandbox>,
    chat: Arc<models::LazyChat>,
    reference: OnceLock<Option<reference::Reference>>,
    prompts: Prompts,
    config: Config,
}

/// What to add besides the files themselves.
#[derive(Debug, Clone, Default)]
pub struct AddOptions {
    /// Patterns of files to take; all when empty.
    pub include: Vec<String>,
    /// Patterns of files to leave out.
    pub exclude: Vec<String>,
    /// Fields as `name=value`.
    pub fields: Vec<String>,
    /// Forget documents below the paths whose files are surely gone.
    pub forget_missing: bool,
    /// Do so too when a folder is empty or more than half of its files are gone.
    pub forget_most: bool,
    /// Leave embedding to a later [`Library::embed`].
    pub no_embed: bool,
    /// What people call the one file that is added, where that is not its own name.
    pub named: Option<String>,
}

/// Opens the library in `dir`, making it when there is none and `create` is set.
pub fn open(config: &Config, dir: &Path, create: bool) -> Result<Library> {
    open_with(config, dir, create, stores::shared(config)?)
}

/// Opens the library in `dir` over stores that are given, whatever the configuration names.
pub fn open_with(config: &Config, dir: &Path, create: bool, shared: Shared) -> Result<Library> {
    let analyzer = Analyzer::load(&config.keyword.analyzer())?;
    // Of a library that others use too, what is here is made anew when it is not there.
    let create = create || shared.segment.is_some();
    let store = if create { Store::create(dir, analyzer)? } else { Store::open(dir, analyzer)? };
    let store = store.with_shared(shared)?.with_databases(Arc::new(databases::Registry::new(dir)));
    stores::check_home(&store)?;
    let groups = Groups::new(&config.group)?;
    replicate::prepare(&store, &groups, &|group| config.keyword.weights.of(group).weighing())?;
    let prompts = Prompts::new(config.prompts_dir.as_deref())?;
    let chat = Arc::new(models::LazyChat::new(config, &store));
    Ok(Library {
        store,
        embedders: models::embedders(config, &groups)?,
        groups,
        rerankers: models::rerankers(config, &chat, &prompts),
        similarities: Registered::default(),
        sandbox: OnceLock::new(),
        chat,
        reference: OnceLock::new(),
        prompts,
        config: config.clone(),
    })
}

impl Library {
    /// The store below: nobody above this crate reaches through it.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The groups there are.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// How searching is done.
    pub fn recall(&self) -> Recall<'_> {
        Recall {
            library: &self.store,
            groups: &self.groups,
            weights: &self.config.keyword.weights,
            embedders: &self.embedders,
            fusions: &self.config.search.fusion,
            rerankers: &self.rerankers,
            similarities: &self.similarities,
        }
    }

    /// How `search` was configured.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Adds a similarity of one's own, to be named in [`Retriever::similarity`].
    pub fn register_similarity(&mut self, own: Own) -> Result<()> {
        self.similarities.add(own)
    }

    /// Adds a reranker of one's own, to be named in [`Retriever::rerank`]; it sees `depth` hits.
    pub fn register_rerank(&mut self, rerank: Box<dyn Rerank>, depth: usize) {
        self.rerankers.add(Reranker::own(rerank, depth));
    }

    /// Adds a group of one's own, which a closure makes of each node of `parent`: of those that are there, and of what is
    /// added. A library that is opened by a program without it has no such group.
    pub fn register_group(&mut self, name: &str, parent: &str, closure: Closure) -> Result<()> {
        let definition = Definition {
            name: name.to_owned(),
            parent: parent.to_owned(),
            transform: Transform::Own(closure),
        };
        self.groups = self.groups.with(definition)?;
        self.refresh(&Unwatched)
    }

    /// Adds an embedding model of one's own under its embed key, in the place of one that has it.
    pub fn register_embed(&mut self, slot: embed::Slot) -> Result<()> {
        for group in &slot.groups {
            self.groups.get(group).map_err(|e| e.at(format!("embed key `{}`", slot.key)))?;
        }
        self.embedders.add(slot)
    }

    fn embed_job(&self) -> embed::Job<'_> {
        embed::Job { library: &self.store, groups: &self.groups, embedders: &self.embedders }
    }

    /// Embeds every node that has no vector yet.
    pub fn embed(&self, watch: &dyn Watch) -> Result<Embedded> {
        let _guard = self.store.lock()?;
        let done = embed::run(&self.embed_job(), watch)?;
        self.publish(watch)?;
        Ok(done)
    }

    /// Lets others see what was written here and has all its vectors. The caller holds the lock.
    fn publish(&self, watch: &dyn Watch) -> Result<()> {
        if self.store.shared().segment.is_none() {
            return Ok(());
        }
        let wanted = match self.config.embedding.at_add {
            true => embed::wanted(&self.embed_job())?,
            false => Vec::new(),
        };
        let ready = |catalog: &tabletalk_store::Catalog, document: i64| {
            for (space, definition) in &wanted {
                if !catalog.is_embedded(document, space, definition)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        replicate::publish(&self.store, &self.groups, &ready, watch)
    }

    /// Lets others see all that was written here, whether it has its vectors or not. The caller holds the lock.
    fn publish_all(&self, watch: &dyn Watch) -> Result<()> {
        replicate::publish(&self.store, &self.groups, &|_, _| Ok(true), watch)
    }

    /// Looks for damage; mends what can be made again when `repair` is set.
    pub fn doctor(&self, repair: bool, watch: &dyn Watch) -> Result<Vec<Finding>> {
        let mut findings = maintain::doctor(&self.store, &self.groups, repair, watch)?;
        findings.extend(ingest::read_before(&self.store, tabletalk_read::VERSION)?);
        let _guard = self.store.lock()?;
        for (part, problem) in embed::damage(&self.embed_job())? {
            findings.push(Finding { part, problem, repaired: repair });
        }
        findings.extend(replicate::compare(&self.store, &self.groups, repair, watch)?);
        if repair {
            embed::bring_up_to_date(&self.embed_job(), watch)?;
            self.publish(watch)?;
        }
        Ok(findings)
    }

    /// Adds files and folders, and the tables of databases by their addresses.
    pub fn add(&self, paths: &[PathBuf], options: &AddOptions, watch: &dyn Watch) -> Result<Outcome> {
        let (addresses, files) = databases::apart(paths)?;
        let mut outcome = match files.is_empty() && !addresses.is_empty() {
            true => Outcome::default(),
            false => self.add_files(&files, options, watch)?,
        };
        for address in addresses {
            let done = self.add_database(&address, options, watch)?;
            outcome.documents.extend(done.documents);
            outcome.kept.extend(done.kept);
            outcome.interrupted |= done.interrupted;
            outcome.embed_error = outcome.embed_error.or(done.embed_error);
        }
        Ok(outcome)
    }

    fn add_files(&self, paths: &[PathBuf], options: &AddOptions, watch: &dyn Watch) -> Result<Outcome> {
        let fields = self.config.fields(&options.fields)?;
        let found = files::find(paths, &self.config.add, options, self.store.dir(), &fields, watch)?;
        let mut items = found.items;
        watch.found(items.len() as u64);
        let seen_by = ocr::Reader::print(&self.config);
        let corrections = Corrections::load(&*self.store.catalog()?)?;
        for item in &mut items {
            if let Some(name) = options.named.as_ref().filter(|_| paths.len() == 1) {
                item.name = name.split('#').next().unwrap_or(name).to_owned();
            }
            if files::file_type(&item.name) == "pdf" {
                item.given.push_str(&seen_by);
            }
            corrections.mark(&*self.store.catalog()?, item)?;
        }
        let pictures = ocr::Reader::new(&self.config);
        let corrections = Arc::new(corrections);
        let read = |source: &Source<'_>| {
            let (documents, corrections) =
                (tabletalk_read::read(&pictures.lend(source))?, corrections.clone());
            let path = source.path.to_owned();
            Ok(Box::new(documents.map(move |document| {
                let mut document = document?;
                corrections.apply(&path, &mut document);
                Ok(document)
            })) as Documents)
        };
        let mut outcome = self.ingest(&items, &read, watch)?;
        outcome.documents.extend(found.unread);
        if options.forget_missing && !outcome.interrupted {
            let (forgotten, kept) = self.forget_missing(paths, options.forget_most)?;
            outcome.documents.extend(forgotten);
            outcome.kept = kept;
        }
        self.settle(options, outcome, watch)
    }

    /// Puts what `read` makes of items into the library.
    fn ingest(&self, items: &[Item], read: ingest::Read<'_>, watch: &dyn Watch) -> Result<Outcome> {
        let threads = match self.config.add.threads {
            0 => std::thread::available_parallelism().map_or(2, |n| n.get()),
            n => n,
        };
        let leases = replicate::Leases::of(&self.store);
        let job = Job {
            read,
            limits: &self.config.limits,
            threads,
            leases: leases.as_ref(),
            version: tabletalk_read::VERSION,
            stop: Default::default(),
        };
        ingest::add(&self.store, &self.groups, items, &job, watch)
    }

    /// What follows when documents were added: keys are found, texts embedded, and others see them.
    fn settle(&self, options: &AddOptions, mut outcome: Outcome, watch: &dyn Watch) -> Result<Outcome> {
        if !outcome.interrupted {
            self.find_foreign_keys(watch)?;
        }
        if self.config.embedding.at_add && !options.no_embed && !outcome.interrupted {
            // What was added stays added when a model fails; it is found by its words.
            match self.embed(watch) {
                Ok(done) => outcome.interrupted = done.interrupted,
                Err(e) => outcome.embed_error = Some(e),
            }
        } else if !outcome.interrupted {
            let _guard = self.store.lock()?;
            self.publish_all(watch)?;
        }
        Ok(outcome)
    }

    /// Finds the foreign keys of new tables, unless another process is at work on the library: then it, or whoever asks next, does.
    fn find_foreign_keys(&self, watch: &dyn Watch) -> Result<()> {
        match self.store.lock() {
            Ok(_guard) => relate::bring_up_to_date(&self.store, watch),
            Err(e) if e.fault() == Fault::Limit => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Forgets documents by id, name or record id, and all tables of a database by its address.
    pub fn forget(&self, names: &[String]) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        for name in names {
            if let Some(prefix) = databases::below(name)? {
                ids.extend(self.ids_below(&prefix, name)?);
                continue;
            }
            let record = self.store.catalog()?.record(name)?;
            let record = record.filter(|r| !r.source.is_empty());
            ids.push(record.ok_or_else(|| no_document(name))?.id);
        }
        ingest::forget(&self.store, &self.groups, &ids)?;
        let _guard = self.store.lock()?;
        relate::bring_up_to_date(&self.store, &Unwatched)?;
        self.publish(&Unwatched)?;
        Ok(ids)
    }

    /// Brings indexes up to date, unless another process is at work on the library.
    pub fn refresh(&self, watch: &dyn Watch) -> Result<()> {
        if maintain::is_up_to_date(&self.store, &self.groups)?
            && embed::is_up_to_date(&self.embed_job())?
            && replicate::is_up_to_date(&self.store)?
            && relate::is_up_to_date(&self.store)?
        {
            return Ok(());
        }
        match self.store.lock() {
            Ok(_guard) => {
                maintain::bring_up_to_date(&self.store, &self.groups, watch)?;
                embed::bring_dense_up_to_date(&self.embed_job(), watch)?;
                relate::bring_up_to_date(&self.store, watch)?;
                self.publish(watch)
            }
            Err(e) if e.fault() == Fault::Limit => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Like `refresh`, for those who only read: a store of others that cannot be reached now is told of, and no error; so is
    /// an index that cannot be brought up to date where nothing may be written.
    pub fn try_refresh(&self, watch: &dyn Watch) -> Result<Option<Error>> {
        let shared = self.store.shared();
        let is_shared = shared.segment.is_some() || shared.vector.is_some();
        match self.refresh(watch) {
            Ok(()) => Ok(None),
            Err(e) if is_shared && e.fault() == Fault::Upstream => Ok(Some(e)),
            Err(e) if self.store.is_read_only() => Ok(Some(e)),
            Err(e) => Err(e),
        }
    }

    /// The best nodes for a query, and what each layer of the search did.
    pub fn search(&self, query: &str, retriever: &Retriever) -> Result<Recalled> {
        self.recall().search(query, retriever)
    }

    /// The best nodes by the recall strategy of this name.
    pub fn search_by_strategy(&self, name: &str, ask: &Ask<'_>) -> Result<Recalled> {
        self.recall().strategy(self.config.strategy.get(name)?, ask)
    }
}

/// The error for a document that is not there.
pub fn no_document(name: &str) -> Error {
    Error::missing(format!("there is no document `{name}`")).hint("`tabletalk docs` lists what there is")
}

//! What all requests share.

use crate::guard::{Addresses, Limiter};
use crate::key::Keys;
use crate::measure::Measure;
use crate::shelf::Shelf;
use crate::task::Folder;
use crate::work::{Pool, Statements};
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tabletalk_library::config::Chat;
use tabletalk_library::{Config, Error, Result};
use tokio::sync::watch;

/// What all requests share.
pub(crate) struct App {
    config: RwLock<Config>,
    shelves: RwLock<Vec<Arc<Shelf>>>,
    pub(crate) keys: Keys,
    pub(crate) limiter: Option<Limiter>,
    pub(crate) measure: Measure,
    /// The threads that search and answer.
    pub(crate) pool: Pool,
    /// Threads for statements that callers wrote.
    pub(crate) statements: Statements,
    /// Requests in work or waiting, and streams that are being read.
    pub(crate) in_work: Arc<AtomicUsize>,
    /// The same by address.
    pub(crate) addresses: Addresses,
    /// Whether only this machine can reach the server.
    pub(crate) is_loopback: bool,
    /// Becomes true when the server ends.
    pub(crate) stopping: watch::Sender<bool>,
    settings: PathBuf,
}

/// What was set over the page, kept beside the default library.
#[derive(serde::Serialize, serde::Deserialize)]
struct Kept {
    chat: Option<Chat>,
}

impl App {
    pub(crate) fn new(mut config: Config, shelves: Vec<Arc<Shelf>>, is_loopback: bool) -> Result<App> {
        let first = shelves.first().ok_or_else(|| Error::bug("there is no library to serve"))?;
        let settings = first.dir.join("settings.json");
        if let Some(kept) = kept(&settings)? {
            config.chat = kept.chat;
            shelves.iter().try_for_each(|shelf| shelf.reopen(&config))?;
        }
        let server = &config.server;
        let keys = Keys::open(server.keys.clone().unwrap_or_else(|| first.dir.join("keys.json")))?;
        keys.check_hashes()?;
        let cores = std::thread::available_parallelism().map_or(2, |n| n.get());
        let at_once = if server.at_once == 0 { 2 * cores } else { server.at_once };
        Ok(App {
            limiter: Limiter::new(server),
            pool: Pool::new(at_once)?,
            statements: Statements::new(at_once)?,
            in_work: Arc::default(),
            addresses: Addresses::default(),
            config: RwLock::new(config),
            measure: Measure::default(),
            stopping: watch::Sender::new(false),
            shelves: RwLock::new(shelves),
            keys,
            is_loopback,
            settings,
        })
    }

    /// The configuration in force.
    pub(crate) fn config(&self) -> Config {
        self.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requests that may be in work or waiting.
    pub(crate) fn waiting(&self) -> usize {
        self.config.read().unwrap_or_else(PoisonError::into_inner).server.waiting
    }

    /// How long a request may take.
    pub(crate) fn patience(&self) -> Duration {
        let config = self.config.read().unwrap_or_else(PoisonError::into_inner);
        Duration::from_secs(config.server.request_timeout_s.max(1))
    }

    /// The libraries, the default one first.
    pub(crate) fn shelves(&self) -> Vec<Arc<Shelf>> {
        self.shelves.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The library of this name, or the default one.
    pub(crate) fn shelf(&self, name: Option<&str>) -> Result<Arc<Shelf>> {
        let shelves = self.shelves.read().unwrap_or_else(PoisonError::into_inner);
        let found = match name {
            None => shelves.first(),
            Some(name) => shelves.iter().find(|shelf| shelf.name == name),
        };
        found.cloned().ok_or_else(|| {
            Error::missing(format!("there is no library `{}`", name.unwrap_or_default()))
                .hint("GET /api/v1/libraries lists them")
        })
    }

    pub(crate) fn add_shelf(&self, shelf: Arc<Shelf>) {
        self.shelves.write().unwrap_or_else(PoisonError::into_inner).push(shelf);
    }

    /// The watched folders of a library.
    pub(crate) fn folders(&self, shelf: &Shelf) -> Vec<Folder> {
        let is_first = self.shelf(None).is_ok_and(|first| first.name == shelf.name);
        let config = self.config.read().unwrap_or_else(PoisonError::into_inner);
        let ours = config.watch.iter().filter(|w| match &w.library {
            Some(name) => *name == shelf.name,
            None => is_first,
        });
        ours.map(|w| Folder {
            path: w.path.clone(),
            include: w.include.clone(),
            exclude: w.exclude.clone(),
            use_raptor: w.use_raptor,
        })
        .collect()
    }

    /// Keeps the key of a language model's provider where only the owner of this process reads it; the file.
    pub(crate) fn keep_key(&self, key: &str) -> Result<PathBuf> {
        use std::io::Write;
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = self.settings.with_file_name("chat.key");
        let failed = |e: std::io::Error| Error::from(e).at(file.display());
        let mut options = std::fs::OpenOptions::new();
        let mut kept =
            options.write(true).create(true).truncate(true).mode(0o600).open(&file).map_err(failed)?;
        // One that was there before may have been anybody's to read.
        kept.set_permissions(PermissionsExt::from_mode(0o600)).map_err(failed)?;
        kept.write_all(key.as_bytes()).map_err(failed)?;
        Ok(file)
    }

    /// Uses another language model from now on, also after a restart.
    pub(crate) fn set_chat(&self, chat: Option<Chat>) -> Result<()> {
        let mut config = self.config.write().unwrap_or_else(PoisonError::into_inner);
        let changed = Config { chat: chat.clone(), ..config.clone() };
        for shelf in self.shelves() {
            shelf.reopen(&changed)?;
        }
        let text = serde_json::to_vec_pretty(&Kept { chat })?;
        std::fs::write(&self.settings, text).map_err(|e| Error::from(e).at(self.settings.display()))?;
        if changed.chat.as_ref().is_none_or(|chat| chat.api_key_file.is_none()) {
            // A key that nothing needs is not kept.
            let _ = std::fs::remove_file(self.settings.with_file_name("chat.key"));
        }
        *config = changed;
        Ok(())
    }
}

fn kept(file: &std::path::Path) -> Result<Option<Kept>> {
    match std::fs::read(file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::from(e).at(file.display())),
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).map_err(|e| Error::from(e).at(file.display()))?)),
    }
}

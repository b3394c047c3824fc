//! Leases on files: while one worker reads a file and publishes what is in it, no other does the same.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tabletalk_core::Result;
use tabletalk_core::seam::SegmentStore;
use tabletalk_store::Library;

/// How long a lease lasts when nobody renews it: a worker that died holds up the others no longer.
const LASTS: u64 = 60;
/// How often leases are renewed.
const RENEWED: Duration = Duration::from_secs(20);

/// The leases of one worker, renewed until they are dropped, which gives them back.
pub struct Leases {
    held: Arc<Held>,
    /// Dropped, it ends the thread that renews.
    stop: Option<Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

struct Held {
    store: Arc<dyn SegmentStore>,
    holder: String,
    names: Mutex<HashSet<String>>,
}

impl Leases {
    /// Leases in the segment store of a shared library; `None` when a library is not shared.
    pub fn of(library: &Library) -> Option<Leases> {
        let store = library.shared().segment.clone()?;
        let holder = format!("{}-{:016x}", std::process::id(), RandomState::new().hash_one(LASTS));
        let held = Arc::new(Held { store, holder, names: Mutex::default() });
        let (stop, stopped) = channel::<()>();
        let kept = held.clone();
        let keep = move || {
            while stopped.recv_timeout(RENEWED) == Err(RecvTimeoutError::Timeout) {
                kept.renew();
            }
        };
        let keeper = std::thread::Builder::new().name("leases".into()).spawn(keep).ok();
        Some(Leases { held, stop: Some(stop), keeper })
    }

    /// Takes the lease of a file; false while another worker has it.
    pub fn take(&self, path: &str) -> Result<bool> {
        let name = format!("file {path}");
        let taken = self.held.store.lease(&name, &self.held.holder, LASTS)?;
        if taken {
            self.held.names().insert(name);
        }
        Ok(taken)
    }
}

impl Held {
    fn names(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that cannot be renewed now are tried again the next time; what is published twice is the same.
    fn renew(&self) {
        let names: Vec<String> = self.names().iter().cloned().collect();
        self.until_it_fails(names, |name| self.store.lease(name, &self.holder, LASTS).map(drop));
    }

    /// Gives all back. Those that stay end by themselves.
    fn release(&self) {
        let names: Vec<String> = self.names().drain().collect();
        self.until_it_fails(names, |name| self.store.release(name, &self.holder));
    }

    /// A store that fails is not asked for every single lease: each may take as long as the store may be waited for.
    fn until_it_fails(&self, names: Vec<String>, ask: impl Fn(&str) -> Result<()>) {
        let _ = names.iter().try_for_each(|name| ask(name));
    }
}

impl Drop for Leases {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        self.held.release();
    }
}

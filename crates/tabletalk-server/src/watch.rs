//! Watched folders: a change in one of them starts a sync once it is quiet again.

use crate::app::App;
use crate::shelf::Shelf;
use crate::task::Work;
use notify::{RecursiveMode, Watcher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// How long a folder must be quiet before it is looked at.
const QUIET: Duration = Duration::from_secs(2);

/// Watches the folders of all libraries until the server ends.
pub(crate) fn begin(app: &Arc<App>) {
    for shelf in app.shelves() {
        let folders: Vec<PathBuf> = app.folders(&shelf).into_iter().map(|f| f.path).collect();
        if folders.is_empty() {
            continue;
        }
        let every = app.config().watch.iter().map(|w| w.every_s.max(1)).min().unwrap_or(300);
        tokio::spawn(follow(app.clone(), shelf, folders, Duration::from_secs(every)));
    }
}

/// How often libraries are looked at for changes of other processes.
const LOOK: Duration = Duration::from_millis(500);

/// Sees what other processes do to the libraries, until the server ends.
pub(crate) async fn catch_up(app: Arc<App>) {
    let mut stopping = app.stopping.subscribe();
    loop {
        tokio::select! {
            () = ended(&mut stopping) => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        let app = app.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let config = app.config();
            app.shelves().iter().try_for_each(|shelf| shelf.catch_up(&config))
        });
        if let Ok(Err(e)) = looked.await {
            tracing::error!(error = %e, "a library that another process changed cannot be read");
        }
    }
}

async fn follow(app: Arc<App>, shelf: Arc<Shelf>, folders: Vec<PathBuf>, every: Duration) {
    let (sender, mut changes) = mpsc::channel(1);
    // Events only say that something happened; what it was is seen by looking.
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_read = event.is_ok_and(|e| e.kind.is_access());
        if !is_read {
            let _ = sender.try_send(());
        }
    });
    let mut watcher = watcher
        .inspect_err(|e| tracing::warn!(error = %e, "folders are only looked at from time to time"))
        .ok();
    for folder in &folders {
        if let Some(Err(e)) = watcher.as_mut().map(|w| w.watch(folder, RecursiveMode::Recursive)) {
            tracing::warn!(folder = %folder.display(), error = %e, "a folder cannot be watched; it is looked at from time to time");
        }
    }
    let mut stopping = app.stopping.subscribe();
    loop {
        if !shelf.tasks.waits("sync")
            && let Err(e) = shelf.tasks.put(Work::Sync { folders: app.folders(&shelf) })
        {
            tracing::error!(error = %e, "a sync cannot be queued");
        }
        tokio::select! {
            () = ended(&mut stopping) => return,
            () = tokio::time::sleep(every) => {}
            _ = changes.recv() => {
                while let Ok(Some(())) = tokio::time::timeout(QUIET, changes.recv()).await {}
            }
        }
    }
}

/// Waits until the server ends.
async fn ended(stopping: &mut watch::Receiver<bool>) {
    while !*stopping.borrow_and_update() && stopping.changed().await.is_ok() {}
}

//! From requests to threads: the engine blocks, the server does not.

use crate::app::App;
use crate::problem::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tabletalk_library::{Error, Result};

/// Does something that blocks, when it is its turn. Turns come in the order of requests.
pub(crate) async fn blocking<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> std::result::Result<T, Problem> {
    let _turn = app.gate.acquire().await.map_err(|_| Error::bug("the gate is closed"))?;
    unqueued(work).await
}

/// Does something that blocks but costs little, at once.
pub(crate) async fn unqueued<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> std::result::Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.unwrap_or_else(|_| Err(Error::bug("this failed inside the program")));
    Ok(done?)
}

/// Counts a request while it is there.
pub(crate) struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    /// `None` when there are `most` already.
    pub(crate) fn enter(count: &'a AtomicUsize, most: usize) -> Option<Counted<'a>> {
        if count.fetch_add(1, Ordering::Relaxed) >= most {
            count.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Counted(count))
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

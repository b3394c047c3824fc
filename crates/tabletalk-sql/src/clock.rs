//! How long a statement still has.

use crate::Stop;
use datafusion::common::DataFusionError;
use std::time::{Duration, Instant};
use tabletalk_core::{Error, Result};

/// The end of a statement: its deadline, and the flag that ends it before. Everything that could take long
/// looks at it, so that nothing works on after the caller was told that it took too long.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    deadline: Instant,
    time: Duration,
    stop: Stop,
}

impl Clock {
    pub(crate) fn new(time_ms: u64, stop: &Stop) -> Self {
        let time = Duration::from_millis(time_ms);
        Clock { deadline: Instant::now() + time, time, stop: stop.clone() }
    }

    /// An error once the statement should be over.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stop.is_stopped() {
            return Err(Error::input("the statement was stopped"));
        }
        match Instant::now() >= self.deadline {
            true => {
                Err(Error::limit(format!("the statement took longer than {} s", self.time.as_secs_f64()))
                    .hint("read fewer rows, or join on columns that are equal; a busy machine takes longer"))
            }
            false => Ok(()),
        }
    }

    /// How many milliseconds are left; one at least.
    pub(crate) fn left_ms(&self) -> u64 {
        let left = self.deadline.saturating_duration_since(Instant::now()).as_millis();
        u64::try_from(left).unwrap_or(u64::MAX).max(1)
    }

    /// The same for the query engine. The caller has given up by then and says why by itself.
    pub(crate) fn tick(&self) -> datafusion::common::Result<()> {
        self.check().map_err(|e| DataFusionError::ResourcesExhausted(e.message().to_owned()))
    }
}

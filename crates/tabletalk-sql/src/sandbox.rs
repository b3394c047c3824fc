//! Runs statements within limits.

use crate::clock::Clock;
use crate::engine::Engine;
use crate::file::Files;
use crate::resolve::Resolver;
use crate::run::{Resolved, run};
use crate::runtime::Runtime;
use crate::{Limits, Ran, Relations, Stop, parse};
use std::sync::Arc;
use std::time::Instant;
use tabletalk_core::{Error, Result};

/// Reading a statement may go deep; this is far more than the deepest that is allowed needs.
const STACK: usize = 64 << 20;

/// Runs read-only statements within limits. One can be shared by threads, and lives as long as a program.
pub struct Sandbox {
    limits: Arc<Limits>,
    engine: Arc<Engine>,
    files: Files,
    runtime: Runtime,
}

impl Sandbox {
    /// A sandbox with these limits.
    pub fn new(limits: Limits) -> Result<Self> {
        let engine = Arc::new(Engine::new(&limits)?);
        let runtime = Runtime::new(limits.cores())?;
        Ok(Sandbox { limits: Arc::new(limits), engine, files: Files::default(), runtime })
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Runs one query over the relations it names.
    pub fn run(&self, relations: &dyn Relations, sql: &str, stop: &Stop) -> Result<Ran> {
        let start = Instant::now();
        let clock = Clock::new(self.limits.time_ms, stop);
        let resolved = self.resolve(relations, sql, &clock)?;
        let (engine, limits, inner) = (self.engine.clone(), self.limits.clone(), clock.clone());
        let work = async move { run(&engine, resolved, &limits, &inner).await };
        let mut ran = self.runtime.wait(work, &clock)?;
        ran.ms = start.elapsed().as_secs_f64() * 1e3;
        Ok(ran)
    }

    /// Says whether a query can be read, and whether all that it names is there and allowed, without planning it.
    pub fn read(&self, relations: &dyn Relations, sql: &str) -> Result<()> {
        self.resolve(relations, sql, &Clock::new(self.limits.time_ms, &Stop::new())).map(|_| ())
    }

    /// Parses and resolves on a stack that is deep enough for what the limits allow. Both look at the clock,
    /// so the thread ends in time by itself.
    fn resolve(&self, relations: &dyn Relations, sql: &str, clock: &Clock) -> Result<Resolved> {
        let work = || {
            let mut query = parse::parse(sql, &self.limits, clock)?;
            let mut resolver = Resolver::new(relations, &self.files, &self.limits, clock);
            let fields = resolver.query(&mut query, None)?;
            Ok(Resolved { query, fields, tables: resolver.tables })
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("sql names".into()).stack_size(STACK);
            let thread = thread.spawn_scoped(scope, work).map_err(|e| Error::io(e.to_string()))?;
            thread.join().unwrap_or_else(|_| Err(Error::input("the SQL cannot be read: reading it fails")))
        })
    }
}

//! Runs what was written where the rows are, and keeps account of what came over the wire.

use super::fetch::is_over;
use super::{Unwritten, Writer, write};
use crate::cell::Values;
use crate::clock::Clock;
use crate::ran::{Output, Shipped};
use crate::table::Table;
use crate::{Cell, Limits};
use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::{Array, ArrayRef, StringArray};
use datafusion::common::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tabletalk_core::seam::database::{Bounds, Database, Fetched, Statement};
use tabletalk_core::{Error, Fault, Kind, Result};

/// The most rows of one table that are fetched to be computed on here.
const MOST_ROWS: usize = 1_000_000;

/// How a statement goes on: its time, its limits, and what it has shipped so far.
#[derive(Debug, Clone)]
pub(crate) struct Shipping {
    clock: Clock,
    memory: usize,
    pub(crate) shipped: Arc<Mutex<Vec<Shipped>>>,
    /// Why the statement was not run as a whole in one database.
    why: Option<String>,
}

impl Shipping {
    pub(crate) fn new(clock: &Clock, limits: &Limits, why: Option<String>) -> Self {
        Shipping { clock: clock.clone(), memory: limits.memory, shipped: Arc::default(), why }
    }

    /// What came over the wire.
    pub(crate) fn taken(&self) -> Vec<Shipped> {
        std::mem::take(&mut *self.shipped.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Fetches all rows of a statement, which are to be computed on here: a part of them would give a wrong result.
    pub(super) fn fetch(
        &self,
        database: &dyn Database,
        relation: &str,
        statement: &Statement,
    ) -> Result<Vec<(Vec<ArrayRef>, usize)>> {
        let mut batches = Vec::new();
        let mut take = |arrays: Vec<ArrayRef>| {
            let rows = arrays.first().map_or(0, |a| a.len());
            batches.push((arrays, rows));
            Ok(())
        };
        let begun = Instant::now();
        let fetched = ship(database, statement, &self.clock, (MOST_ROWS, self.memory / 2), &mut take)?;
        if fetched.is_cut {
            return Err(Error::limit(format!(
                "the statement needs more than {} of the {relation} rows here",
                fetched.rows
            ))
            .hint(match &self.why {
                Some(why) => format!("it cannot run in the database, because of {why}; add conditions, or write that in another way"),
                None => "add conditions, so that fewer rows are fetched".to_owned(),
            }));
        }
        let shipped = shipped(database, relation, statement, fetched, begun, self.why.clone());
        self.shipped.lock().unwrap_or_else(PoisonError::into_inner).push(shipped);
        Ok(batches)
    }
}

fn shipped(
    database: &dyn Database,
    of: &str,
    statement: &Statement,
    fetched: Fetched,
    begun: Instant,
    why: Option<String>,
) -> Shipped {
    Shipped {
        to: database.address().to_owned(),
        of: of.to_owned(),
        sql: statement.sql.clone(),
        texts: statement.texts.clone(),
        rows: fetched.rows,
        bytes: fetched.bytes,
        ms: begun.elapsed().as_secs_f64() * 1e3,
        is_whole: why.is_none() && of.is_empty(),
        why,
    }
}

fn ship(
    database: &dyn Database,
    statement: &Statement,
    clock: &Clock,
    (rows, bytes): (usize, usize),
    take: &mut dyn FnMut(Vec<ArrayRef>) -> Result<()>,
) -> Result<Fetched> {
    let stop = || is_over(clock);
    let bounds = Bounds { rows, bytes, time_ms: clock.left_ms(), stop: &stop };
    database.run(statement, &bounds, take).map_err(|error| clock.check().err().unwrap_or(error))
}

/// The database that all tables live in, where there is one.
pub(crate) fn place(tables: &[Table]) -> Option<Arc<dyn Database>> {
    let homes: Option<Vec<_>> = tables.iter().map(|t| t.provider.away()).collect();
    let homes = homes?;
    let first = homes.first()?;
    homes.iter().all(|away| away.home.is_beside(&first.home)).then(|| first.database.clone())
}

/// What a statement gave that ran where the rows are.
pub(crate) struct Pushed {
    pub(crate) rows: Vec<Vec<Cell>>,
    pub(crate) truncated: bool,
    pub(crate) shipped: Shipped,
    /// The keys of the row behind each row of the result, for tables whose rows those are.
    pub(crate) keys: Vec<(usize, Vec<String>)>,
}

/// Runs a plan as a whole where its rows are. Where it cannot be written or the database does not take it, what stands in
/// the way is given in its place.
pub(crate) fn run(
    database: &dyn Database,
    plan: &LogicalPlan,
    tables: &[Table],
    outputs: &[Output],
    limits: &Limits,
    clock: &Clock,
) -> Result<std::result::Result<Pushed, Unwritten>> {
    let mut writer = Writer::new(tables, database.letters()?);
    let (sql, keyed) = match write(&mut writer, plan, limits.rows) {
        Ok(written) => written,
        Err(why) => return Ok(Err(why)),
    };
    let mut kinds: Vec<Kind> = outputs.iter().map(|o| o.kind).collect();
    kinds.extend(keyed.iter().map(|_| Kind::Text));
    let statement = Statement { sql, texts: writer.into_texts(), kinds };
    let mut taking = Taking {
        width: outputs.len(),
        rows: Vec::new(),
        keys: keyed.iter().map(|t| (*t, Some(Vec::new()))).collect(),
    };
    let begun = Instant::now();
    let most = (limits.rows, limits.bytes);
    let fetched = match ship(database, &statement, clock, most, &mut |arrays| taking.take(&arrays)) {
        // The database does not understand it after all.
        Err(error) if error.fault() == Fault::Bug => return Ok(Err(Unwritten(error.message().to_owned()))),
        other => other?,
    };
    let shipped = shipped(database, "", &statement, fetched, begun, None);
    let keys = taking.keys.into_iter().filter_map(|(table, keys)| Some((table, keys?))).collect();
    Ok(Ok(Pushed { rows: taking.rows, truncated: fetched.is_cut, shipped, keys }))
}

/// Rows as they come.
struct Taking {
    width: usize,
    rows: Vec<Vec<Cell>>,
    /// The keys of each table; `None` once a row has none.
    keys: Vec<(usize, Option<Vec<String>>)>,
}

impl Taking {
    fn take(&mut self, arrays: &[ArrayRef]) -> Result<()> {
        let columns: Vec<Values> = arrays.iter().take(self.width).map(Values::new).collect::<Result<_>>()?;
        let count = arrays.first().map_or(0, |a| a.len());
        self.rows.extend((0..count).map(|i| columns.iter().map(|c| c.cell(i)).collect()));
        for (array, (_, keys)) in arrays.iter().skip(self.width).zip(&mut self.keys) {
            let texts: &StringArray = array.as_string();
            match (texts.null_count(), keys.as_mut()) {
                (0, Some(keys)) => keys.extend(texts.iter().flatten().map(str::to_owned)),
                _ => *keys = None,
            }
        }
        Ok(())
    }
}

/// An error of a database on its way through the query engine.
pub(super) fn gone(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

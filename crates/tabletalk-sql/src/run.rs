//! Runs one resolved statement, and says what its result rests on.

use crate::clock::Clock;
use crate::engine::{Engine, Run, Threads};
use crate::fault::explain;
use crate::lineage::{Carried, RowColumn, RowSet, carry};
use crate::push::{self, Pushed, Shipping};
use crate::ran::{Output, Rows, outputs};
use crate::scope::Field;
use crate::table::Table;
use crate::{Limits, Ran, Used, trace};
use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::types::UInt64Type;
use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::sql::sqlparser::ast::Query;
use std::sync::Arc;
use tabletalk_core::Result;

/// Up to so many rows the sets of rows behind groups are carried along; above, they are found apart.
const CARRIED: u64 = 1_000_000;

/// How many row numbers are kept of each relation.
pub(crate) const KEPT: usize = 1_000;

/// A statement whose names are all known.
pub(crate) struct Resolved {
    pub(crate) query: Query,
    pub(crate) tables: Vec<Table>,
    pub(crate) fields: Vec<Field>,
}

pub(crate) async fn run(engine: &Engine, resolved: Resolved, limits: &Limits, clock: &Clock) -> Result<Ran> {
    let Resolved { query, tables, fields } = resolved;
    let rows_total: u64 = tables.iter().map(|t| t.rows).sum();
    let run = engine.run(rows_total, limits.memory, clock)?;
    let plan = run.plan(query, &tables)?;
    let names: Vec<String> = fields.into_iter().map(|f| f.name).collect();
    // Each of these looks through all columns for every column: for the most there may be, that is a second each.
    clock.check()?;
    let columns = outputs(&plan, &names);
    clock.check()?;
    let mut why = None;
    if let Some(database) = push::place(&tables).filter(|_| limits.in_database) {
        match push::run(&*database, &plan, &tables, &columns, limits, clock)? {
            Ok(pushed) => return Ok(there(pushed, columns, &tables, rows_total)),
            Err(unwritten) => why = Some(unwritten.0),
        }
    }
    let shipping = Shipping::new(clock, limits, why);
    let is_away =
        tables.iter().filter_map(|t| t.provider.away()).map(|away| away.goes_on(&shipping)).count() > 0;
    // Numbers of rows that live elsewhere mean nothing here.
    let limits = &Limits { lineage: limits.lineage && !is_away, ..limits.clone() };
    let (physical, carried) = prepare(&run, &plan, &tables, rows_total, limits).await?;
    let mut found = Found::new(carried.as_deref().unwrap_or_default(), columns.len());
    let stream = execute_stream(physical.clone(), run.context()).map_err(explain)?;
    let rows = Rows::collect(stream, columns.len(), limits, &mut |batch, n| found.take(batch, n)).await?;
    let traced = match limits.lineage && carried.is_none() {
        true => trace::apart(&run, &plan, &tables, &physical).await,
        false => found.finish(&tables),
    };
    Ok(Ran {
        columns,
        rows_read: trace::rows_read(&plan, &physical, rows_total, rows.truncated),
        rows: rows.rows,
        truncated: rows.truncated,
        rows_total,
        used: tables.iter().zip(traced).map(|(table, rows)| used(table, rows)).collect(),
        shipped: shipping.taken(),
        ms: 0.0,
    })
}

/// What a statement gave that ran as a whole where its rows are.
fn there(pushed: Pushed, columns: Vec<Output>, tables: &[Table], rows_total: u64) -> Ran {
    let keys_of = |table: usize| {
        let mut mine = pushed.keys.iter().filter(|(of, _)| *of == table);
        // Of a table that is joined with itself it is not known which row is meant.
        mine.next().filter(|_| mine.next().is_none()).map(|(_, keys)| keys.clone()).unwrap_or_default()
    };
    let one = |(i, table): (usize, &Table)| {
        let keys = keys_of(i);
        let count = (!keys.is_empty()).then_some(keys.len() as u64);
        Used { keys, ..used(table, Traced { count, ..Traced::default() }) }
    };
    Ran {
        columns,
        truncated: pushed.truncated,
        rows_read: rows_total,
        rows_total,
        used: tables.iter().enumerate().map(one).collect(),
        rows: pushed.rows,
        shipped: vec![pushed.shipped],
        ms: 0.0,
    }
}

/// The plan to run, and the columns of row numbers that it carries.
async fn prepare(
    run: &Run<'_>,
    plan: &LogicalPlan,
    tables: &[Table],
    rows_total: u64,
    limits: &Limits,
) -> Result<(Arc<dyn ExecutionPlan>, Option<Vec<RowColumn>>)> {
    if limits.lineage && (rows_total <= CARRIED || trace::is_plain(plan)) {
        let carried = carry(plan, tables).ok().flatten();
        // Should the engine not be able to plan what was rewritten, it is asked to plan what was written.
        if let Some(Carried { plan, columns }) = carried
            && let Ok(physical) = run.physical(&plan, Threads::All).await
        {
            return Ok((physical, Some(columns)));
        }
    }
    Ok((run.physical(plan, Threads::All).await?, None))
}

/// The rows of one table that entered a result.
#[derive(Debug, Default)]
pub(crate) struct Traced {
    /// How many, where that is known.
    pub(crate) count: Option<u64>,
    /// The first of them.
    pub(crate) rows: Vec<u64>,
    /// The row behind each row of the result.
    pub(crate) per_result: Option<Vec<u64>>,
}

impl Traced {
    pub(crate) fn of(mut set: RowSet) -> Self {
        Traced { count: Some(set.len()), rows: set.iter().take(KEPT).collect(), per_result: None }
    }
}

fn used(table: &Table, traced: Traced) -> Used {
    let named = table.named.iter().filter_map(|i| table.fields.get(*i)).filter(|f| !f.hidden);
    Used {
        relation: table.relation.clone(),
        count: traced.count.unwrap_or(table.rows),
        rows: traced.rows,
        columns: named.map(|f| f.name.clone()).collect(),
        per_result: traced.per_result,
        keys: Vec::new(),
    }
}

/// Row numbers as they come with the rows of a result.
struct Found<'a> {
    columns: &'a [RowColumn],
    width: usize,
    sets: Vec<RowSet>,
    /// The number behind each row; `None` once a row has none.
    each: Vec<Option<Vec<u64>>>,
}

impl<'a> Found<'a> {
    fn new(columns: &'a [RowColumn], width: usize) -> Self {
        let each = columns.iter().map(|c| (!c.is_set).then(Vec::new)).collect();
        Found { columns, width, sets: vec![RowSet::default(); columns.len()], each }
    }

    fn take(&mut self, batch: &RecordBatch, rows: usize) -> Result<()> {
        let arrays = batch.columns().iter().skip(self.width);
        for ((array, set), each) in arrays.zip(&mut self.sets).zip(&mut self.each) {
            set.add(array, rows);
            if let Some(numbers) = each {
                let taken = array.slice(0, rows);
                match taken.null_count() {
                    0 => numbers.extend(taken.as_primitive::<UInt64Type>().values()),
                    _ => *each = None,
                }
            }
        }
        Ok(())
    }

    /// What was found of each table. A table that is only in a condition is not known more closely.
    fn finish(self, tables: &[Table]) -> Vec<Traced> {
        let mut traced: Vec<Traced> = tables.iter().map(|_| Traced::default()).collect();
        for (number, slot) in traced.iter_mut().enumerate() {
            let mine: Vec<usize> = (0..self.columns.len())
                .filter(|i| self.columns.get(*i).is_some_and(|c| c.table == number))
                .collect();
            let mut all = RowSet::default();
            for set in mine.iter().filter_map(|i| self.sets.get(*i)) {
                all.merge(set);
            }
            if !mine.is_empty() {
                *slot = Traced::of(all);
            }
            if let [one] = mine.as_slice() {
                slot.per_result = self.each.get(*one).cloned().flatten();
            }
        }
        traced
    }
}

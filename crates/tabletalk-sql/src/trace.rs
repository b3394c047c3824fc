//! Finding the rows behind the result of a large table apart from the result itself.
//!
//! To carry a row number with each of ten million rows would cost a third of the time again. How many rows
//! were grouped is known from the run, and the first of them are found by a second one that ends early.

use crate::engine::{Run, Threads};
use crate::fault::explain;
use crate::lineage::{Carried, RowSet, carry, gathered, row_columns};
use crate::run::{KEPT, Traced};
use crate::table::Table;
use datafusion::logical_expr::{Aggregate, Distinct, LogicalPlan, LogicalPlanBuilder, Projection};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::StreamExt;
use std::sync::Arc;
use tabletalk_core::Result;

/// Fewer rows than this are all looked up, with all threads; of more, the first are found soon by one.
const SPARSE: u64 = 20_000;

/// The rows of each table behind the result of a plan that has run.
pub(crate) async fn apart(
    run: &Run<'_>,
    plan: &LogicalPlan,
    tables: &[Table],
    ran: &Arc<dyn ExecutionPlan>,
) -> Vec<Traced> {
    let mut traced: Vec<Traced> = tables.iter().map(|_| Traced::default()).collect();
    let Some(core) = core(plan) else { return traced };
    let Some(carried) = carry(core, tables).ok().flatten() else { return traced };
    if carried.columns.iter().any(|c| c.is_set) {
        return traced;
    }
    // What cannot be found in time or memory is left unknown: the result stands without it.
    let found = match carried.columns.len() {
        1 => first_rows(run, &carried, grouped(core, tables, ran)).await,
        _ => all_rows(run, &carried).await,
    };
    for (table, one) in found.unwrap_or_default() {
        if let Some(slot) = traced.get_mut(table) {
            *slot = one;
        }
    }
    traced
}

/// The plan below the first grouping: the rows that it gives are those that entered the result.
fn core(plan: &LogicalPlan) -> Option<&LogicalPlan> {
    match plan {
        LogicalPlan::Aggregate(a) => Some(&a.input),
        LogicalPlan::Distinct(Distinct::All(input)) => core(input).or(Some(input)),
        LogicalPlan::Projection(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Window(_) => plan.inputs().first().and_then(|input| core(input)),
        _ => None,
    }
}

/// How many rows were grouped; `None` when every row was.
fn grouped(core: &LogicalPlan, tables: &[Table], ran: &Arc<dyn ExecutionPlan>) -> Option<u64> {
    if !filters(core) && tables.iter().all(|t| t.is_exact) {
        return None;
    }
    deepest(ran).and_then(|below| below.metrics()?.output_rows()).map(|n| n as u64)
}

fn filters(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Filter(_) | LogicalPlan::Limit(_)) || plan.inputs().iter().any(|p| filters(p))
}

/// What gives rows to the lowest grouping.
fn deepest(plan: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    let below = plan.children().into_iter().find_map(deepest);
    below.or_else(|| plan.downcast_ref::<AggregateExec>().map(AggregateExec::input))
}

async fn first_rows(run: &Run<'_>, carried: &Carried, count: Option<u64>) -> Result<Vec<(usize, Traced)>> {
    let sparse = count.is_some_and(|n| n <= SPARSE);
    let fetch = if sparse { SPARSE as usize } else { KEPT };
    let rows = row_columns(&carried.plan, &carried.columns).map_err(explain)?;
    let plan = Projection::try_new(rows, Arc::new(carried.plan.clone())).map_err(explain)?;
    let limited = LogicalPlanBuilder::from(LogicalPlan::Projection(plan)).limit(0, Some(fetch));
    let plan = limited.and_then(LogicalPlanBuilder::build).map_err(explain)?;
    let sets =
        sets(run, &plan, if sparse { Threads::All } else { Threads::One }, carried.columns.len()).await?;
    let traced =
        carried.columns.iter().zip(sets).map(|(c, set)| (c.table, Traced { count, ..Traced::of(set) }));
    Ok(traced.collect())
}

async fn all_rows(run: &Run<'_>, carried: &Carried) -> Result<Vec<(usize, Traced)>> {
    let rows = row_columns(&carried.plan, &carried.columns).map_err(explain)?;
    let sets_of = rows.into_iter().map(gathered).collect();
    let plan = Aggregate::try_new(Arc::new(carried.plan.clone()), Vec::new(), sets_of).map_err(explain)?;
    let found = sets(run, &LogicalPlan::Aggregate(plan), Threads::All, carried.columns.len()).await?;
    let mut merged: Vec<(usize, RowSet)> = Vec::new();
    for (column, set) in carried.columns.iter().zip(found) {
        match merged.iter_mut().find(|(table, _)| *table == column.table) {
            Some((_, all)) => all.merge(&set),
            None => merged.push((column.table, set)),
        }
    }
    Ok(merged.into_iter().map(|(table, set)| (table, Traced::of(set))).collect())
}

async fn sets(run: &Run<'_>, plan: &LogicalPlan, threads: Threads, width: usize) -> Result<Vec<RowSet>> {
    let physical = run.physical(plan, threads).await?;
    let mut stream = execute_stream(physical, run.context()).map_err(explain)?;
    let mut sets = vec![RowSet::default(); width];
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(explain)?;
        for (array, set) in batch.columns().iter().zip(&mut sets) {
            set.add(array, batch.num_rows());
        }
    }
    Ok(sets)
}

/// Whether every row of the result is made of single rows: nothing is grouped.
pub(crate) fn is_plain(plan: &LogicalPlan) -> bool {
    let groups = matches!(plan, LogicalPlan::Aggregate(_) | LogicalPlan::Distinct(_));
    !groups && plan.inputs().iter().all(|p| is_plain(p))
}

/// How many rows were looked at: all, unless the run could end early. What statistics told not to be
/// worth reading was looked at.
pub(crate) fn rows_read(plan: &LogicalPlan, ran: &Arc<dyn ExecutionPlan>, total: u64, cut: bool) -> u64 {
    match ends_early(plan) || cut && streams(plan) {
        true => scanned(ran).min(total),
        false => total,
    }
}

fn ends_early(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Limit(limit) => streams(&limit.input),
        _ => plan.inputs().iter().any(|p| ends_early(p)),
    }
}

/// Whether rows come out before all have gone in.
fn streams(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Sort(_)
        | LogicalPlan::Aggregate(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Window(_) => false,
        LogicalPlan::TableScan(_) => true,
        _ => plan.inputs().iter().any(|p| streams(p)),
    }
}

fn scanned(plan: &Arc<dyn ExecutionPlan>) -> u64 {
    let children = plan.children();
    match children.is_empty() {
        true => plan.metrics().and_then(|m| m.output_rows()).unwrap_or(0) as u64,
        false => children.into_iter().map(scanned).sum(),
    }
}

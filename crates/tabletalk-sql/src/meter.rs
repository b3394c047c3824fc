//! What stands between the operators of a plan: it looks at the clock, keeps batches small, and counts the rows
//! that an operator holds without telling the memory pool.
//!
//! An operator that has begun on a batch does not end before its last row, whoever has given up by then. So no
//! batch is more than a moment's work.
//!
//! A sort that gets no more memory first sorts all that it has, so as to write it to a disk that statements do not
//! have: seconds of work that nobody can stop, and then an error. So it is asked for the sort before.

use crate::clock::Clock;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::array::cast::AsArray;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt};
use std::sync::Arc;

/// The most rows of a batch: what the query engine itself makes.
const ROWS: usize = 8_192;

/// The most bytes of the texts of a batch, where more than one row has them. Joins repeat texts without copying
/// them, so a batch can have far more than its memory tells.
const TEXT: usize = 1 << 20;

/// The plan with a meter between all operators, and a clock in those that work long without asking for a batch.
pub(crate) fn metered(plan: Arc<dyn ExecutionPlan>, clock: &Clock) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let node = crate::joined::timed(node.as_ref(), clock)?.unwrap_or(node);
        let (keeps, rows) = (Keeps::of(node.as_ref()), rows(node.as_ref()));
        let meter = |input: &Arc<dyn ExecutionPlan>| -> Arc<dyn ExecutionPlan> {
            Arc::new(Meter { input: input.clone(), clock: clock.clone(), keeps, rows })
        };
        let below: Vec<_> = node.children().into_iter().map(meter).collect();
        Ok(Transformed::yes(replace_children_if_necessary(node, below)?))
    })
    .data()
}

/// The most rows of a batch for an operator: with grouping sets, every row is one row for each of them.
fn rows(node: &dyn ExecutionPlan) -> usize {
    let sets = node.downcast_ref::<AggregateExec>().map_or(1, |a| a.group_expr().groups().len());
    (ROWS / sets.max(1)).max(1)
}

/// What the operator above does with the rows that are passed to it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Keeps {
    /// It passes them on, or counts what it keeps and gives up where there is no memory.
    Fairly,
    /// It keeps them all and counts none.
    Uncounted,
    /// It keeps and counts them all, and begins to sort where there is no memory.
    Sorted,
}

impl Keeps {
    fn of(node: &dyn ExecutionPlan) -> Self {
        match node.downcast_ref::<SortExec>() {
            // The first few of an order are all that is kept.
            Some(sort) if sort.fetch().is_none() => Keeps::Sorted,
            _ if node.is::<WindowAggExec>() || node.is::<BoundedWindowAggExec>() => Keeps::Uncounted,
            _ => Keeps::Fairly,
        }
    }

    fn name(self) -> Option<&'static str> {
        match self {
            Keeps::Fairly => None,
            Keeps::Uncounted => Some("window"),
            Keeps::Sorted => Some("sort"),
        }
    }
}

/// Passes rows on, while there is time.
#[derive(Debug)]
struct Meter {
    input: Arc<dyn ExecutionPlan>,
    clock: Clock,
    keeps: Keeps,
    /// The most rows of a batch.
    rows: usize,
}

impl DisplayAs for Meter {
    fn fmt_as(&self, _t: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meter")
    }
}

impl ExecutionPlan for Meter {
    fn name(&self) -> &str {
        "Meter"
    }
    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }
    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }
    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }
    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.into_iter().next().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(Meter { input, clock: self.clock.clone(), keeps: self.keeps, rows: self.rows }))
    }
    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }
    fn metrics(&self) -> Option<MetricsSet> {
        self.input.metrics()
    }
    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let held = self.keeps.name().map(|name| MemoryConsumer::new(name).register(context.memory_pool()));
        let (schema, clock, keeps, rows) = (self.input.schema(), self.clock.clone(), self.keeps, self.rows);
        let batches = self.input.execute(partition, context)?;
        let small =
            batches.map_ok(move |batch| futures::stream::iter(cut(batch, rows)).map(Ok)).try_flatten();
        let passed = small.map(move |batch: Result<RecordBatch>| {
            clock.tick()?;
            let batch = batch?;
            if let Some(held) = &held {
                count(keeps, held, &batch)?;
            }
            Ok(batch)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, passed)))
    }
}

fn count(keeps: Keeps, held: &MemoryReservation, batch: &RecordBatch) -> Result<()> {
    let bytes = batch.get_array_memory_size();
    match keeps {
        Keeps::Fairly => Ok(()),
        Keeps::Uncounted => held.try_grow(bytes),
        // The sort takes the same at once, as it is and as it will be sorted.
        Keeps::Sorted => {
            held.try_grow(bytes.saturating_mul(2))?;
            held.free();
            Ok(())
        }
    }
}

/// The batch in parts that are small enough.
fn cut(batch: RecordBatch, rows: usize) -> Vec<RecordBatch> {
    let mut parts = Vec::new();
    let (mut from, mut bytes) = (0, 0usize);
    let lengths = text_lengths(&batch);
    for row in 0..batch.num_rows() {
        let next = lengths.get(row).copied().unwrap_or(0);
        if row - from >= rows || row > from && bytes.saturating_add(next) > TEXT {
            parts.push(batch.slice(from, row - from));
            (from, bytes) = (row, 0);
        }
        bytes = bytes.saturating_add(next);
    }
    match from {
        0 => vec![batch],
        _ => {
            parts.push(batch.slice(from, batch.num_rows() - from));
            parts
        }
    }
}

/// The bytes of text of each row; nothing where there are no texts, or so few that they need not be looked at.
fn text_lengths(batch: &RecordBatch) -> Vec<usize> {
    let views = batch.columns().iter().filter_map(|c| c.as_string_view_opt());
    // A text lies in one buffer, so no row has more than the largest of each column.
    let longest = views.clone().map(|v| v.data_buffers().iter().map(|b| b.len()).max().unwrap_or(0) + 12);
    if longest.fold(0, usize::saturating_add).saturating_mul(batch.num_rows()) <= TEXT {
        return Vec::new();
    }
    let mut all = vec![0usize; batch.num_rows()];
    for view in views {
        for (sum, length) in all.iter_mut().zip(view.lengths()) {
            *sum = sum.saturating_add(length as usize);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{ArrayRef, Int64Array, StringViewArray};

    fn sizes(column: ArrayRef) -> Vec<usize> {
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        cut(batch, ROWS).iter().map(RecordBatch::num_rows).collect()
    }

    #[test]
    fn batches_are_cut_by_rows_and_by_the_bytes_of_their_texts() {
        assert_eq!(sizes(Arc::new(Int64Array::from_iter_values(0..100))), [100]);
        assert_eq!(sizes(Arc::new(Int64Array::from_iter_values(0..20_000))), [8_192, 8_192, 3_616]);
        let long = "a".repeat(400_000);
        assert_eq!(sizes(Arc::new(StringViewArray::from(vec![long.as_str(); 5]))), [2, 2, 1]);
        let short = StringViewArray::from(vec!["a text of twenty-two bs"; 8_192]);
        assert_eq!(sizes(Arc::new(short)), [8_192]);
        // A text that is longer than all that a batch may have is passed on alone.
        let longer = "a".repeat(3 << 20);
        assert_eq!(sizes(Arc::new(StringViewArray::from(vec![longer.as_str(); 2]))), [1, 1]);
        assert_eq!(sizes(Arc::new(Int64Array::from(Vec::<i64>::new()))), [0]);
    }
}

//! Counts the rows that an operator holds without telling the memory pool, and lets joins look at the clock.

use crate::clock::Clock;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// The plan with a meter below every operator that holds rows unseen, and a clock in every one that works unseen.
pub(crate) fn metered(plan: Arc<dyn ExecutionPlan>, clock: &Clock) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        if let Some(join) = crate::joined::timed(node.as_ref(), clock)? {
            return Ok(Transformed::yes(join));
        }
        if !node.is::<WindowAggExec>() && !node.is::<BoundedWindowAggExec>() {
            return Ok(Transformed::no(node));
        }
        let below = node
            .children()
            .into_iter()
            .map(|c| Arc::new(Meter { input: c.clone() }) as Arc<dyn ExecutionPlan>);
        let below: Vec<_> = below.collect();
        Ok(Transformed::yes(replace_children_if_necessary(node, below)?))
    })
    .data()
}

/// Passes rows on and counts them in the memory of the run.
#[derive(Debug)]
struct Meter {
    input: Arc<dyn ExecutionPlan>,
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
        Ok(Arc::new(Meter { input }))
    }
    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }
    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let counted = MemoryConsumer::new("window").register(context.memory_pool());
        let schema = self.input.schema();
        let stream = self.input.execute(partition, context)?.map(move |batch| count(&counted, batch));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream)))
    }
}

fn count(counted: &MemoryReservation, batch: Result<RecordBatch>) -> Result<RecordBatch> {
    let batch = batch?;
    counted.try_grow(batch.get_array_memory_size())?;
    Ok(batch)
}

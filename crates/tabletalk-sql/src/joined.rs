//! Joins within the time of a statement.
//!
//! A join of two large sides compares all pairs before it lets anything else have its thread, and where few
//! fit that may be hours. It asks its condition for each piece of the work, so the condition looks at the
//! clock.

use crate::clock::Clock;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{FieldRef, Schema};
use datafusion::common::Result;
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, NestedLoopJoinExecBuilder};
use std::fmt::{Display, Formatter};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The join with a condition that looks at the clock; `None` for what is no join with a condition.
pub(crate) fn timed(node: &dyn ExecutionPlan, clock: &Clock) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>()
        && let Some(filter) = join.filter()
    {
        let timed =
            NestedLoopJoinExecBuilder::new(join.left().clone(), join.right().clone(), *join.join_type())
                .with_projection_ref(join.projection().clone())
                .with_filter(Some(with_clock(filter, clock)));
        return Ok(Some(Arc::new(timed.build()?)));
    }
    if let Some(join) = node.downcast_ref::<HashJoinExec>()
        && let Some(filter) = join.filter()
    {
        return join.builder().with_filter(Some(with_clock(filter, clock))).build_exec().map(Some);
    }
    Ok(None)
}

fn with_clock(filter: &JoinFilter, clock: &Clock) -> JoinFilter {
    let condition = Condition { inner: filter.expression().clone(), clock: clock.clone() };
    JoinFilter::new(Arc::new(condition), filter.column_indices().to_vec(), filter.schema().clone())
}

/// A condition that is asked only while there is time.
#[derive(Debug)]
struct Condition {
    inner: Arc<dyn PhysicalExpr>,
    clock: Clock,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.inner.eq(&other.inner)
    }
}

impl Eq for Condition {}

impl Hash for Condition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}

impl PhysicalExpr for Condition {
    fn return_field(&self, schema: &Schema) -> Result<FieldRef> {
        self.inner.return_field(schema)
    }
    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        self.clock.tick()?;
        self.inner.evaluate(batch)
    }
    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.inner]
    }
    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let inner = children.into_iter().next().unwrap_or_else(|| self.inner.clone());
        Ok(Arc::new(Condition { inner, clock: self.clock.clone() }))
    }
    fn fmt_sql(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt_sql(f)
    }
}

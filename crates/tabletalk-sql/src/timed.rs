//! Planning within the time of a statement: it is long loops without a point at which it could be stopped,
//! so every rule of the optimiser looks at the clock first.

use crate::clock::Clock;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::analyzer::Analyzer;
use datafusion::optimizer::optimizer::{ApplyOrder, Optimizer};
use datafusion::optimizer::{AnalyzerRule, OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::{PhysicalOptimizer, PhysicalOptimizerContext};
use datafusion::physical_plan::ExecutionPlan;
use std::sync::Arc;

tokio::task_local! {
    /// The clock of the statement that is being planned: rules are made once, for all statements.
    static CLOCK: Clock;
}

/// Plans within the time that a clock leaves.
pub(crate) async fn within<T>(clock: &Clock, planning: impl Future<Output = T>) -> T {
    CLOCK.scope(clock.clone(), planning).await
}

fn tick() -> Result<()> {
    CLOCK.try_with(Clock::tick).unwrap_or(Ok(()))
}

/// The query engine's own rules, each of which looks at the clock.
pub(crate) fn rules(builder: SessionStateBuilder) -> SessionStateBuilder {
    let analyzer = Analyzer::new().rules.into_iter().map(|r| Arc::new(Timed(r)) as _);
    let optimizer = Optimizer::new().rules.into_iter().map(|r| Arc::new(Timed(r)) as _);
    let physical = PhysicalOptimizer::new().rules.into_iter().map(|r| Arc::new(Timed(r)) as _);
    builder
        .with_analyzer_rules(analyzer.collect())
        .with_optimizer_rules(optimizer.collect())
        .with_physical_optimizer_rules(physical.collect())
}

/// A rule that begins only while there is time.
#[derive(Debug)]
struct Timed<R: ?Sized>(Arc<R>);

impl AnalyzerRule for Timed<dyn AnalyzerRule + Send + Sync> {
    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        tick()?;
        self.0.analyze(plan, config)
    }
    fn name(&self) -> &str {
        self.0.name()
    }
}

impl OptimizerRule for Timed<dyn OptimizerRule + Send + Sync> {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }
    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        tick()?;
        self.0.rewrite(plan, config)
    }
}

impl PhysicalOptimizerRule for Timed<dyn PhysicalOptimizerRule + Send + Sync> {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        tick()?;
        self.0.optimize(plan, config)
    }
    fn optimize_with_context(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: &dyn PhysicalOptimizerContext,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        tick()?;
        self.0.optimize_with_context(plan, context)
    }
    fn name(&self) -> &str {
        self.0.name()
    }
    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    #[test]
    fn no_rule_begins_once_a_statement_was_stopped() {
        let stop = Stop::new();
        let clock = Clock::new(10_000, &stop);
        let state = rules(SessionStateBuilder::new()).build();
        let plan = datafusion::logical_expr::LogicalPlanBuilder::empty(true).build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let plans = || runtime.block_on(within(&clock, state.create_physical_plan(&plan)));
        assert!(plans().is_ok());
        stop.stop();
        assert!(plans().unwrap_err().to_string().contains("stopped"));
    }
}

//! Plans and runs a resolved query with the query engine.

use crate::clock::Clock;
use crate::fault::explain;
use crate::file::STORE;
use crate::function::{Bounds, Functions};
use crate::planner::Lenient;
use crate::pool::Share;
use crate::table::Table;
use crate::{Limits, timed, weight};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DataFusionError, Result as EngineResult, TableReference, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder, TaskContext};
use datafusion::functions_aggregate::planner::AggregateFunctionPlanner;
use datafusion::functions_window::planner::WindowFunctionPlanner;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner};
use datafusion::logical_expr::{
    AggregateUDF, HigherOrderUDF, LogicalPlan, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::object_store::ObjectStore;
use datafusion::object_store::memory::InMemory;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SQLOptions, SessionConfig};
use datafusion::sql::planner::SqlToRel;
use datafusion::sql::sqlparser::ast::{Query, Statement};
use std::collections::HashMap;
use std::sync::Arc;
use tabletalk_core::{Error, Result};

/// Tables of fewer rows are read by one thread: handing rows around would take longer than reading them.
const FEW_ROWS: u64 = 100_000;

/// The query engine, set up once.
pub(crate) struct Engine {
    functions: Arc<Functions>,
    one_thread: SessionState,
    threads: SessionState,
    store: Arc<OneStore>,
}

/// What belongs to one run: its time and memory, and the state it is planned with.
pub(crate) struct Run<'a> {
    runtime: Arc<RuntimeEnv>,
    state: &'a SessionState,
    one_thread: &'a SessionState,
    functions: &'a Functions,
    planners: Vec<Arc<dyn ExprPlanner>>,
    bounds: Bounds,
}

impl Engine {
    pub(crate) fn new(limits: &Limits) -> Result<Self> {
        let store = Arc::new(OneStore::default());
        let state = |threads: usize| -> Result<SessionState> {
            let runtime = runtime(Arc::new(Share::new(limits.memory)), store.clone())?;
            let builder = SessionStateBuilder::new().with_config(config(threads)).with_runtime_env(runtime);
            Ok(timed::rules(builder).build())
        };
        let (one_thread, threads) = (state(1)?, state(limits.cores())?);
        Ok(Engine { functions: Arc::new(Functions::new()), one_thread, threads, store })
    }

    /// Begins a run over tables of so many rows.
    pub(crate) fn run(&self, rows: u64, memory: usize, clock: &Clock) -> Result<Run<'_>> {
        let memory: Arc<dyn MemoryPool> = Arc::new(Share::new(memory));
        let state = if rows < FEW_ROWS { &self.one_thread } else { &self.threads };
        let bounds = Bounds { memory: memory.clone(), clock: clock.clone() };
        let planners: Vec<Arc<dyn ExprPlanner>> = vec![
            Arc::new(Lenient { functions: self.functions.clone(), bounds: bounds.clone() }),
            Arc::new(AggregateFunctionPlanner),
            Arc::new(WindowFunctionPlanner),
        ];
        let runtime = runtime(memory, self.store.clone())?;
        let one_thread = &self.one_thread;
        Ok(Run { runtime, state, one_thread, functions: &self.functions, planners, bounds })
    }
}

/// How many threads a plan may use: with one, rows come in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Threads {
    One,
    All,
}

impl Run<'_> {
    /// The plan of a query as it is written.
    pub(crate) fn plan(&self, query: Query, tables: &[Table]) -> Result<LogicalPlan> {
        let sources =
            tables.iter().map(|t| (t.name.clone(), provider_as_source(t.provider.clone()))).collect();
        let names = Names { run: self, sources };
        let plan = SqlToRel::new(&names)
            .sql_statement_to_plan(Statement::Query(Box::new(query)))
            .map_err(explain)?;
        let read_only =
            SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        read_only.verify_plan(&plan).map_err(explain)?;
        weight::check(&plan)?;
        Ok(plan)
    }

    /// The plan as it will run.
    pub(crate) async fn physical(
        &self,
        plan: &LogicalPlan,
        threads: Threads,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let state = if threads == Threads::One { self.one_thread } else { self.state };
        let planned = timed::within(&self.bounds.clock, state.create_physical_plan(plan)).await;
        let plan = planned.map_err(explain)?;
        crate::meter::metered(plan, &self.bounds.clock).map_err(explain)
    }

    /// What the plan is run with.
    pub(crate) fn context(&self) -> Arc<TaskContext> {
        let config = self.state.config().clone();
        Arc::new(TaskContext::new(
            None,
            "run".into(),
            config,
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            self.runtime.clone(),
        ))
    }
}

fn config(threads: usize) -> SessionConfig {
    let mut config = SessionConfig::new().with_target_partitions(threads).with_information_schema(false);
    let options = config.options_mut();
    options.catalog.create_default_catalog_and_schema = false;
    options.sql_parser.enable_ident_normalization = false;
    // A minimum that is known early would keep rows from being looked at, and then from being counted.
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    config
}

/// No spilling to disk, no addresses but one that leads nowhere.
fn runtime(memory: Arc<dyn MemoryPool>, store: Arc<OneStore>) -> Result<Arc<RuntimeEnv>> {
    RuntimeEnvBuilder::new()
        .with_memory_pool(memory)
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
        .with_object_store_registry(store)
        .build_arc()
        .map_err(|e| Error::bug(e.to_string()))
}

/// Knows one address, behind which there is nothing: rows come from files that are open already.
#[derive(Debug, Default)]
struct OneStore(Arc<InMemory>);

impl ObjectStoreRegistry for OneStore {
    fn register_store(&self, _url: &url::Url, _store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }
    fn get_store(&self, url: &url::Url) -> EngineResult<Arc<dyn ObjectStore>> {
        match url.as_str().trim_end_matches('/') == STORE {
            true => Ok(self.0.clone()),
            false => Err(DataFusionError::Plan(format!("nothing can be read from {url}"))),
        }
    }
}

/// All that a statement can name: the tables it was resolved to, and the functions that are allowed.
struct Names<'a> {
    run: &'a Run<'a>,
    sources: HashMap<String, Arc<dyn TableSource>>,
}

impl ContextProvider for Names<'_> {
    fn get_table_source(&self, name: TableReference) -> EngineResult<Arc<dyn TableSource>> {
        match &name {
            TableReference::Bare { table } => self.sources.get(table.as_ref()).cloned(),
            _ => None,
        }
        .map_or_else(|| plan_err!("no relation {name}"), Ok)
    }
    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &self.run.planners
    }
    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.run.functions.scalar(&name.to_lowercase(), &self.run.bounds)
    }
    fn get_higher_order_meta(&self, _name: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }
    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.run.functions.aggregate.get(&name.to_lowercase()).cloned()
    }
    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.run.functions.window.get(&name.to_lowercase()).cloned()
    }
    fn get_variable_type(&self, _names: &[String]) -> Option<DataType> {
        None
    }
    fn options(&self) -> &ConfigOptions {
        self.run.state.config_options()
    }
    fn udf_names(&self) -> Vec<String> {
        self.run.functions.scalar.keys().cloned().collect()
    }
    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }
    fn udaf_names(&self) -> Vec<String> {
        self.run.functions.aggregate.keys().cloned().collect()
    }
    fn udwf_names(&self) -> Vec<String> {
        self.run.functions.window.keys().cloned().collect()
    }
}

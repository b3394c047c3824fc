//! Window functions within the time and the memory of a statement.
//!
//! A window function gives a value for every row, and neither the memory pool nor the clock sees them being
//! made: `string_agg(x) OVER (ORDER BY y)` makes a text for each row that is longer than the one before.
//! Here every value is counted, and before every value it is asked whether there is time.

use crate::clock::Clock;
use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::logical_expr::function::{
    AccumulatorArgs, ExpressionArgs, PartitionEvaluatorArgs, StateFieldsArgs, WindowUDFFieldArgs,
};
use datafusion::logical_expr::window_state::WindowAggState;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, LimitEffect, PartitionEvaluator, Signature,
    WindowFunctionDefinition, WindowUDF, WindowUDFImpl,
};
use datafusion::physical_expr::PhysicalExpr;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// What a value takes in a column, beside the bytes of a text.
const VALUE: usize = 16;

/// The time and memory of the statement that a function runs in.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub(crate) memory: Arc<dyn MemoryPool>,
    pub(crate) clock: Clock,
}

impl Bounds {
    /// The function, its values counted.
    pub(crate) fn window(&self, function: WindowFunctionDefinition) -> WindowFunctionDefinition {
        match function {
            WindowFunctionDefinition::AggregateUDF(inner) => {
                let counted = Counted { inner, bounds: self.clone() };
                WindowFunctionDefinition::AggregateUDF(Arc::new(AggregateUDF::new_from_impl(counted)))
            }
            WindowFunctionDefinition::WindowUDF(inner) => {
                let counted = Counted { inner, bounds: self.clone() };
                WindowFunctionDefinition::WindowUDF(Arc::new(WindowUDF::new_from_impl(counted)))
            }
        }
    }

    fn values(&self) -> Values {
        let counted = MemoryConsumer::new("window values").register(&self.memory);
        Values { clock: self.clock.clone(), counted }
    }
}

/// Counts values as they are made.
#[derive(Debug)]
struct Values {
    clock: Clock,
    counted: MemoryReservation,
}

impl Values {
    fn count(&self, value: ScalarValue) -> Result<ScalarValue> {
        let text = value.size().saturating_sub(size_of::<ScalarValue>());
        self.counted.try_grow(VALUE + text)?;
        Ok(value)
    }
    fn count_all(&self, values: ArrayRef) -> Result<ArrayRef> {
        self.counted.try_grow(values.get_array_memory_size())?;
        Ok(values)
    }
}

/// A function with the bounds of its statement.
#[derive(Debug)]
struct Counted<F> {
    inner: Arc<F>,
    bounds: Bounds,
}

impl<F: PartialEq> PartialEq for Counted<F> {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl<F: Eq> Eq for Counted<F> {}

impl<F: Hash> Hash for Counted<F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl AggregateUDFImpl for Counted<AggregateUDF> {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn signature(&self) -> &Signature {
        self.inner.signature()
    }
    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }
    fn return_field(&self, arg_fields: &[FieldRef]) -> Result<FieldRef> {
        self.inner.return_field(arg_fields)
    }
    fn is_nullable(&self) -> bool {
        self.inner.is_nullable()
    }
    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arg_types)
    }
    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }
    fn default_value(&self, data_type: &DataType) -> Result<ScalarValue> {
        self.inner.default_value(data_type)
    }
    fn supports_null_handling_clause(&self) -> bool {
        self.inner.supports_null_handling_clause()
    }
    fn supports_within_group_clause(&self) -> bool {
        self.inner.supports_within_group_clause()
    }
    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let inner = self.inner.accumulator(args)?;
        Ok(Box::new(CountedValues { inner, values: self.bounds.values() }))
    }
    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let inner = self.inner.create_sliding_accumulator(args)?;
        Ok(Box::new(CountedValues { inner, values: self.bounds.values() }))
    }
}

impl WindowUDFImpl for Counted<WindowUDF> {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn signature(&self) -> &Signature {
        self.inner.signature()
    }
    fn expressions(&self, args: ExpressionArgs) -> Vec<Arc<dyn PhysicalExpr>> {
        self.inner.expressions(args)
    }
    fn field(&self, args: WindowUDFFieldArgs) -> Result<FieldRef> {
        self.inner.field(args)
    }
    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arg_types)
    }
    fn sort_options(&self) -> Option<SortOptions> {
        self.inner.sort_options()
    }
    fn limit_effect(&self, args: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        self.inner.inner().limit_effect(args)
    }
    fn partition_evaluator(&self, args: PartitionEvaluatorArgs) -> Result<Box<dyn PartitionEvaluator>> {
        let inner = self.inner.partition_evaluator_factory(args)?;
        Ok(Box::new(CountedValues { inner, values: self.bounds.values() }))
    }
}

/// What makes values, with what counts them.
#[derive(Debug)]
struct CountedValues<T: ?Sized> {
    values: Values,
    inner: Box<T>,
}

impl Accumulator for CountedValues<dyn Accumulator> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.values.clock.tick()?;
        self.inner.update_batch(values)
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.values.clock.tick()?;
        let value = self.inner.evaluate()?;
        self.values.count(value)
    }
    fn size(&self) -> usize {
        self.inner.size()
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.inner.merge_batch(states)
    }
    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.retract_batch(values)
    }
    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}

impl PartitionEvaluator for CountedValues<dyn PartitionEvaluator> {
    fn memoize(&mut self, state: &mut WindowAggState) -> Result<()> {
        self.inner.memoize(state)
    }
    fn get_range(&self, idx: usize, n_rows: usize) -> Result<Range<usize>> {
        self.inner.get_range(idx, n_rows)
    }
    fn is_causal(&self) -> bool {
        self.inner.is_causal()
    }
    fn evaluate_all(&mut self, values: &[ArrayRef], num_rows: usize) -> Result<ArrayRef> {
        self.values.clock.tick()?;
        let all = self.inner.evaluate_all(values, num_rows)?;
        self.values.count_all(all)
    }
    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> Result<ScalarValue> {
        self.values.clock.tick()?;
        let value = self.inner.evaluate(values, range)?;
        self.values.count(value)
    }
    fn evaluate_all_with_rank(&self, num_rows: usize, ranks: &[Range<usize>]) -> Result<ArrayRef> {
        self.values.clock.tick()?;
        let all = self.inner.evaluate_all_with_rank(num_rows, ranks)?;
        self.values.count_all(all)
    }
    fn supports_bounded_execution(&self) -> bool {
        self.inner.supports_bounded_execution()
    }
    fn uses_window_frame(&self) -> bool {
        self.inner.uses_window_frame()
    }
    fn include_rank(&self) -> bool {
        self.inner.include_rank()
    }
}

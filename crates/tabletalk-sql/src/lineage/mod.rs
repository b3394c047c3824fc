//! Which rows entered a result.
//!
//! The plan is rewritten so that the number of the row that each scan read is carried along to the end,
//! through filters, joins, sorts, windows and renamings; where rows are grouped, the set of their
//! numbers is. What cannot be carried is told by the absence of a rewritten plan.

mod set;

pub(crate) use set::{RowSet, row_set};

use crate::table::Table;
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::logical_plan::builder::union;
use datafusion::logical_expr::{Aggregate, Distinct, Expr, JoinType, LogicalPlan, Projection, TableScan};
use std::sync::Arc;

/// A column of row numbers, or of sets of them.
#[derive(Debug, Clone)]
pub(crate) struct RowColumn {
    /// The table whose rows they are.
    pub(crate) table: usize,
    /// Its name, which no other column has.
    name: String,
    /// Whether it holds sets.
    pub(crate) is_set: bool,
}

/// A plan that carries row numbers.
#[derive(Debug)]
pub(crate) struct Carried {
    /// Its columns are those of the plan as it was, then `columns`.
    pub(crate) plan: LogicalPlan,
    /// The columns of row numbers.
    pub(crate) columns: Vec<RowColumn>,
}

/// Rewrites a plan so that row numbers are carried to its end.
pub(crate) fn carry(plan: &LogicalPlan, tables: &[Table]) -> Result<Option<Carried>> {
    let mut carrier = Carrier { tables, made: 0 };
    let Some(inner) = carrier.carry(plan)? else { return Ok(None) };
    if inner.columns.is_empty() {
        return Ok(Some(inner));
    }
    let columns = own_columns(plan).chain(row_columns(&inner.plan, &inner.columns)?);
    let plan = Projection::try_new(columns.collect(), Arc::new(inner.plan))?;
    Ok(Some(Carried { plan: LogicalPlan::Projection(plan), columns: inner.columns }))
}

struct Carrier<'a> {
    tables: &'a [Table],
    made: usize,
}

impl Carrier<'_> {
    fn carry(&mut self, plan: &LogicalPlan) -> Result<Option<Carried>> {
        match plan {
            LogicalPlan::TableScan(scan) => self.scan(plan, scan),
            LogicalPlan::Projection(p) => self.projection(p),
            LogicalPlan::Aggregate(a) => self.aggregate(a),
            LogicalPlan::Distinct(Distinct::All(input)) => self.distinct(input),
            LogicalPlan::Union(u) => self.union(&u.inputs),
            LogicalPlan::Join(j) => self.join(plan, j.join_type),
            LogicalPlan::Filter(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Window(_) => self.pass(plan),
            LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => {
                Ok(Some(Carried { plan: plan.clone(), columns: Vec::new() }))
            }
            _ => Ok(None),
        }
    }

    fn name(&mut self) -> String {
        self.made += 1;
        format!("__row_{}", self.made)
    }

    fn scan(&mut self, plan: &LogicalPlan, scan: &TableScan) -> Result<Option<Carried>> {
        let Some(table) = self.tables.iter().position(|t| t.name == scan.table_name.table()) else {
            return Ok(None);
        };
        let Some(row_id) = self.tables.get(table).map(|t| t.row_id.clone()) else { return Ok(None) };
        let name = self.name();
        let row = Expr::Column(Column::new(Some(scan.table_name.clone()), row_id)).alias(&name);
        let columns = own_columns(plan).chain([row]).collect();
        let plan = LogicalPlan::Projection(Projection::try_new(columns, Arc::new(plan.clone()))?);
        Ok(Some(Carried { plan, columns: vec![RowColumn { table, name, is_set: false }] }))
    }

    fn projection(&mut self, projection: &Projection) -> Result<Option<Carried>> {
        let Some(input) = self.carry(&projection.input)? else { return Ok(None) };
        let exprs = projection.expr.iter().cloned().chain(row_columns(&input.plan, &input.columns)?);
        let plan = Projection::try_new(exprs.collect(), Arc::new(input.plan))?;
        Ok(Some(Carried { plan: LogicalPlan::Projection(plan), columns: input.columns }))
    }

    /// Nodes whose columns are those of their input.
    fn pass(&mut self, plan: &LogicalPlan) -> Result<Option<Carried>> {
        let [input] = plan.inputs()[..] else { return Ok(None) };
        let Some(input) = self.carry(input)? else { return Ok(None) };
        let plan = plan.with_new_exprs(plan.expressions(), vec![input.plan])?;
        Ok(Some(Carried { plan, columns: input.columns }))
    }

    fn join(&mut self, plan: &LogicalPlan, join_type: JoinType) -> Result<Option<Carried>> {
        use JoinType as J;
        let [left, right] = plan.inputs()[..] else { return Ok(None) };
        let keeps_left = !matches!(join_type, J::RightSemi | J::RightAnti | J::RightMark);
        let keeps_right = !matches!(join_type, J::LeftSemi | J::LeftAnti | J::LeftMark);
        let mut side = |input: &LogicalPlan, keeps: bool| match keeps {
            true => self.carry(input),
            false => Ok(Some(Carried { plan: input.clone(), columns: Vec::new() })),
        };
        let (Some(left), Some(right)) = (side(left, keeps_left)?, side(right, keeps_right)?) else {
            return Ok(None);
        };
        let plan = plan.with_new_exprs(plan.expressions(), vec![left.plan, right.plan])?;
        Ok(Some(Carried { plan, columns: [left.columns, right.columns].concat() }))
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Result<Option<Carried>> {
        let Some(input) = self.carry(&aggregate.input)? else { return Ok(None) };
        self.gather(input, aggregate.group_expr.clone(), aggregate.aggr_expr.clone())
    }

    /// Rows that are the same become one, which stands for all of them.
    fn distinct(&mut self, input: &LogicalPlan) -> Result<Option<Carried>> {
        let groups = own_columns(input).collect();
        let Some(input) = self.carry(input)? else { return Ok(None) };
        self.gather(input, groups, Vec::new())
    }

    fn gather(
        &mut self,
        input: Carried,
        groups: Vec<Expr>,
        mut aggregates: Vec<Expr>,
    ) -> Result<Option<Carried>> {
        let mut columns = Vec::new();
        for (row, expr) in input.columns.iter().zip(row_columns(&input.plan, &input.columns)?) {
            let name = self.name();
            aggregates.push(gathered(expr).alias(&name));
            columns.push(RowColumn { table: row.table, name, is_set: true });
        }
        if groups.is_empty() && aggregates.is_empty() {
            return Ok(None);
        }
        let plan = Aggregate::try_new(Arc::new(input.plan), groups, aggregates)?;
        Ok(Some(Carried { plan: LogicalPlan::Aggregate(plan), columns }))
    }

    /// Each branch has the row numbers of all branches; those of the others are null.
    fn union(&mut self, inputs: &[Arc<LogicalPlan>]) -> Result<Option<Carried>> {
        let mut branches = Vec::new();
        for input in inputs {
            let Some(branch) = self.carry(input)? else { return Ok(None) };
            branches.push((own_columns(input).collect::<Vec<_>>(), branch));
        }
        let columns: Vec<RowColumn> = branches.iter().flat_map(|(_, b)| b.columns.clone()).collect();
        let mut whole: Option<LogicalPlan> = None;
        for (own, branch) in branches {
            let rows = columns.iter().map(|c| match branch.columns.iter().any(|b| b.name == c.name) {
                true => Ok(row_column(&branch.plan, c)?.alias(&c.name)),
                false => Ok(Expr::Literal(nothing(c), None).alias(&c.name)),
            });
            let exprs = own.into_iter().map(Ok).chain(rows).collect::<Result<Vec<_>>>()?;
            let plan = LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(branch.plan))?);
            whole = Some(match whole {
                Some(before) => union(before, plan)?,
                None => plan,
            });
        }
        Ok(whole.map(|plan| Carried { plan, columns }))
    }
}

/// The set of the row numbers in a column.
pub(crate) fn gathered(expr: Expr) -> Expr {
    Expr::AggregateFunction(AggregateFunction::new_udf(row_set(), vec![expr], false, None, Vec::new(), None))
}

fn nothing(column: &RowColumn) -> ScalarValue {
    if column.is_set { ScalarValue::Binary(None) } else { ScalarValue::UInt64(None) }
}

fn own_columns(plan: &LogicalPlan) -> impl Iterator<Item = Expr> + '_ {
    plan.schema().iter().map(|(qualifier, field)| Expr::Column(Column::from((qualifier, field))))
}

fn row_column(plan: &LogicalPlan, column: &RowColumn) -> Result<Expr> {
    let (qualifier, field) = plan.schema().qualified_field_with_unqualified_name(&column.name)?;
    Ok(Expr::Column(Column::from((qualifier, field))))
}

/// The columns of row numbers as expressions over `plan`.
pub(crate) fn row_columns(plan: &LogicalPlan, columns: &[RowColumn]) -> Result<Vec<Expr>> {
    columns.iter().map(|c| row_column(plan, c)).collect()
}

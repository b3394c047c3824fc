//! Which columns of a result stand in the statement itself, so that no row has a say in them.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{Aggregate, Distinct, Expr, LogicalPlan};

/// Whether each column of a plan is a constant. What is not surely one is none.
pub(crate) fn constants(plan: &LogicalPlan) -> Vec<bool> {
    let none = || vec![false; plan.schema().fields().len()];
    match plan {
        LogicalPlan::Projection(p) => {
            let below = Below::of(&p.input);
            p.expr.iter().map(|e| below.makes_constant(e)).collect()
        }
        LogicalPlan::Aggregate(a) => of_groups(a),
        LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => vec![true; plan.schema().fields().len()],
        LogicalPlan::Distinct(Distinct::All(input)) => constants(input),
        LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Repartition(_) => plan.inputs().first().map_or_else(none, |input| constants(input)),
        LogicalPlan::Union(u) => u
            .inputs
            .iter()
            .map(|input| constants(input))
            .fold(vec![true; plan.schema().fields().len()], |all, one| {
                all.iter().zip(one).map(|(a, b)| *a && b).collect()
            }),
        LogicalPlan::Join(j) => {
            let both: Vec<bool> = [constants(&j.left), constants(&j.right)].concat();
            if both.len() == plan.schema().fields().len() { both } else { none() }
        }
        _ => none(),
    }
}

/// A group by a constant is one, and so is the smallest or largest of one; how many there are is none.
fn of_groups(aggregate: &Aggregate) -> Vec<bool> {
    let below = Below::of(&aggregate.input);
    let of_all = |e: &Expr| match e.clone().unalias() {
        Expr::AggregateFunction(f) => {
            matches!(f.func.name(), "min" | "max" | "first_value" | "last_value" | "any_value")
                && f.params.args.iter().all(|arg| below.makes_constant(arg))
        }
        _ => false,
    };
    let groups = aggregate.group_expr.iter().map(|e| below.makes_constant(e));
    groups.chain(aggregate.aggr_expr.iter().map(of_all)).collect()
}

/// What expressions are made of: the columns below them, and which of those are constants. That is found once for all
/// expressions; found for each, it would take as many times as long with every query that is in another.
struct Below<'a> {
    schema: &'a DFSchema,
    constants: Vec<bool>,
}

impl<'a> Below<'a> {
    fn of(input: &'a LogicalPlan) -> Self {
        Below { schema: input.schema(), constants: constants(input) }
    }

    /// Whether an expression is made of constants alone.
    fn makes_constant(&self, expr: &Expr) -> bool {
        let mut all = true;
        let walked = expr.apply(|e| {
            let holds = match e {
                Expr::Column(c) => self.is_constant(c),
                Expr::ScalarSubquery(sub) => constants(&sub.subquery).iter().all(|c| *c),
                Expr::Exists(_) | Expr::InSubquery(_) | Expr::OuterReferenceColumn(..) => false,
                Expr::AggregateFunction(_) | Expr::WindowFunction(_) => false,
                _ => true,
            };
            all &= holds;
            Ok(if all { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
        });
        walked.is_ok() && all
    }

    fn is_constant(&self, column: &Column) -> bool {
        let index = self.schema.maybe_index_of_column(column);
        index.and_then(|i| self.constants.get(i)).copied().unwrap_or(false)
    }
}

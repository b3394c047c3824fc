//! Which columns of a result stand in the statement itself, so that no row has a say in them.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Aggregate, Distinct, Expr, LogicalPlan};

/// Whether each column of a plan is a constant. What is not surely one is none.
pub(crate) fn constants(plan: &LogicalPlan) -> Vec<bool> {
    let none = || vec![false; plan.schema().fields().len()];
    match plan {
        LogicalPlan::Projection(p) => p.expr.iter().map(|e| is_constant(e, &p.input)).collect(),
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
    let input = &aggregate.input;
    let of_all = |e: &Expr| match e.clone().unalias() {
        Expr::AggregateFunction(f) => {
            matches!(f.func.name(), "min" | "max" | "first_value" | "last_value" | "any_value")
                && f.params.args.iter().all(|arg| is_constant(arg, input))
        }
        _ => false,
    };
    let groups = aggregate.group_expr.iter().map(|e| is_constant(e, input));
    groups.chain(aggregate.aggr_expr.iter().map(of_all)).collect()
}

/// Whether an expression is made of constants alone.
fn is_constant(expr: &Expr, input: &LogicalPlan) -> bool {
    let known = constants(input);
    let mut all = true;
    let walked = expr.apply(|e| {
        let holds = match e {
            Expr::Column(c) => {
                input.schema().maybe_index_of_column(c).and_then(|i| known.get(i)).copied().unwrap_or(false)
            }
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

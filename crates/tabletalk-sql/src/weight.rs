//! How large a plan can become when the optimiser puts expressions into one another.
//!
//! A filter above `SELECT x + x AS x` is moved below it, and then names `x` twice; through thirty such
//! steps it would name it a billion times. That happens in the planner, where no limit on memory holds,
//! so it is foreseen here.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};
use std::collections::HashMap;
use tabletalk_core::{Error, Result};

/// The most parts that all expressions of a plan may have together.
const MOST: u64 = 200_000;

/// Parts of the expression behind each output column, in order.
type Weights = Vec<u64>;

/// Refuses a plan that would become too large.
pub(crate) fn check(plan: &LogicalPlan) -> Result<()> {
    let mut total = 0u64;
    weigh(plan, &mut total)?;
    Ok(())
}

fn weigh(plan: &LogicalPlan, total: &mut u64) -> Result<Weights> {
    let mut inputs: Weights = Vec::new();
    let mut names: HashMap<(Option<String>, String), u64> = HashMap::new();
    for input in plan.inputs() {
        let weights = weigh(input, total)?;
        for (at, (qualifier, field)) in input.schema().iter().enumerate() {
            let weight = weights.get(at).copied().unwrap_or(1);
            names.insert((qualifier.map(ToString::to_string), field.name().clone()), weight);
        }
        inputs.extend(weights);
    }
    let mut each: Weights = Vec::new();
    for expr in plan.expressions() {
        let weight = parts(&expr, &names, total)?;
        *total = total.saturating_add(weight);
        each.push(weight);
    }
    if *total > MOST {
        return Err(Error::limit(
            "the statement is too complex: its expressions are built on each other too often",
        ));
    }
    Ok(outputs(plan, inputs, each))
}

fn outputs(plan: &LogicalPlan, inputs: Weights, each: Weights) -> Weights {
    match plan {
        LogicalPlan::Projection(_) => each,
        LogicalPlan::Window(_) => inputs.into_iter().chain(each).collect(),
        LogicalPlan::Aggregate(a) => each.into_iter().take(a.group_expr.len()).collect(),
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Join(_) => inputs,
        // Of the branches of a union the heaviest counts; where in doubt, all of them.
        _ => {
            let heaviest = inputs.iter().copied().max().unwrap_or(1);
            vec![heaviest; plan.schema().fields().len()]
        }
    }
}

/// Parts of an expression, columns replaced by what is behind them.
fn parts(expr: &Expr, names: &HashMap<(Option<String>, String), u64>, total: &mut u64) -> Result<u64> {
    let subquery = match expr {
        Expr::Column(c) => {
            let key = (c.relation.as_ref().map(ToString::to_string), c.name.clone());
            return Ok(names.get(&key).copied().unwrap_or(1));
        }
        Expr::ScalarSubquery(s) => Some(&s.subquery),
        Expr::Exists(e) => Some(&e.subquery.subquery),
        Expr::InSubquery(i) => Some(&i.subquery.subquery),
        _ => None,
    };
    if let Some(plan) = subquery {
        weigh(plan, total)?;
    }
    let mut inside = 0u64;
    let mut failed: Option<Error> = None;
    let walked = expr.apply_children(|child| match parts(child, names, total) {
        Ok(weight) => {
            inside = inside.saturating_add(weight);
            Ok(TreeNodeRecursion::Continue)
        }
        Err(error) => {
            failed = Some(error);
            Ok(TreeNodeRecursion::Stop)
        }
    });
    match (failed, walked) {
        (Some(error), _) => Err(error),
        (None, Err(e)) => Err(crate::fault::explain(e)),
        (None, Ok(_)) => Ok(inside.saturating_mul(copies(expr)).saturating_add(1)),
    }
}

/// How often what is given to a function stands in what the optimiser makes of it: `coalesce(a, b)` becomes
/// `CASE WHEN a IS NOT NULL THEN a ELSE b END`, so forty in each other would be 2^40.
fn copies(expr: &Expr) -> u64 {
    match expr {
        Expr::ScalarFunction(f) if ["coalesce", "nvl2"].contains(&f.func.name()) => 2,
        _ => 1,
    }
}

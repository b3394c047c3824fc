//! What operators mean where types do not fit: tables are full of numbers that are texts.
//!
//! And what is written with words of its own, as `EXTRACT(year FROM day)`: the query engine's planners would
//! call any function that it has, so these call those that are allowed.

use crate::function::{Bounded, Bounds, Functions, Growth, join_texts, to_number};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue, plan_err};
use datafusion::functions::core::expr_fn::nullif;
use datafusion::logical_expr::expr::{Cast, ScalarFunction};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, RawWindowExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator, ScalarUDF, binary_expr, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator as B;
use std::sync::Arc;
use tabletalk_core::value;

/// Plans operators between types that do not fit each other, and calls that do not look like calls.
#[derive(Debug)]
pub(crate) struct Lenient {
    pub(crate) functions: Arc<Functions>,
    pub(crate) bounds: Bounds,
}

impl ExprPlanner for Lenient {
    fn plan_binary_op(&self, raw: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        self.bounds.clock.tick()?;
        let (Ok(left), Ok(right)) = (raw.left.get_type(schema), raw.right.get_type(schema)) else {
            return Ok(PlannerResult::Original(raw));
        };
        let types = (Sort::of(&left), Sort::of(&right));
        Ok(match &raw.op {
            B::StringConcat => PlannerResult::Planned(self.joined(raw.left, raw.right)),
            B::PGRegexMatch | B::PGRegexIMatch | B::PGRegexNotMatch | B::PGRegexNotIMatch => {
                PlannerResult::Planned(self.matched(raw)?)
            }
            B::Divide => divided(raw, types),
            B::Modulo => remainder(raw, types),
            B::Plus | B::Minus | B::Multiply => PlannerResult::Original(calculated(raw, types)),
            B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq => {
                PlannerResult::Original(compared(raw, types))
            }
            _ => PlannerResult::Original(raw),
        })
    }

    fn plan_extract(&self, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        self.called("date_part", args)
    }

    fn plan_position(&self, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        self.called("strpos", args)
    }

    fn plan_substring(&self, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        self.called("substr", args)
    }

    fn plan_window(&self, raw: RawWindowExpr) -> Result<PlannerResult<RawWindowExpr>> {
        Ok(PlannerResult::Original(RawWindowExpr { func_def: self.bounds.window(raw.func_def), ..raw }))
    }
}

impl Lenient {
    fn called(&self, name: &str, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        match self.functions.scalar(name, &self.bounds) {
            Some(function) => {
                Ok(PlannerResult::Planned(Expr::ScalarFunction(ScalarFunction::new_udf(function, args))))
            }
            None => plan_err!("no function {name}"),
        }
    }

    /// The operator would look through a whole batch of texts at once; the function looks at the clock.
    fn matched(&self, raw: RawBinaryExpr) -> Result<Expr> {
        let mut args = vec![cast(raw.left, DataType::Utf8View), raw.right];
        if matches!(raw.op, B::PGRegexIMatch | B::PGRegexNotIMatch) {
            args.push(lit("i"));
        }
        let is_negated = matches!(raw.op, B::PGRegexNotMatch | B::PGRegexNotIMatch);
        match self.functions.scalar("regexp_like", &self.bounds) {
            Some(function) => {
                let matches = Expr::ScalarFunction(ScalarFunction::new_udf(function, args));
                Ok(if is_negated { Expr::Not(Box::new(matches)) } else { matches })
            }
            None => plan_err!("no regular expressions"),
        }
    }

    /// One call for all that is joined: a chain of calls in each other takes the planner long.
    fn joined(&self, left: Expr, right: Expr) -> Expr {
        let mut args = match left {
            Expr::ScalarFunction(ScalarFunction { func, args }) if func.name() == join_texts::NAME => args,
            other => vec![cast(other, DataType::Utf8View)],
        };
        args.push(cast(right, DataType::Utf8View));
        let bounded = Bounded::new(join_texts::function(), Growth::Joined, &self.bounds);
        Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(bounded)), args))
    }
}

/// What an operator has to know of a type.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sort {
    Number,
    Text,
    Boolean,
    Date,
    Other,
}

impl Sort {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            t if t.is_numeric() => Sort::Number,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Sort::Text,
            DataType::Boolean => Sort::Boolean,
            DataType::Date32 => Sort::Date,
            _ => Sort::Other,
        }
    }
}

fn cast(expr: Expr, to: DataType) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr), to))
}

fn number(expr: Expr, sort: Sort) -> Expr {
    match sort {
        Sort::Text => Expr::ScalarFunction(ScalarFunction::new_udf(to_number(), vec![expr])),
        _ => expr,
    }
}

/// `/` gives decimals, and nothing where the divisor is zero.
fn divided(raw: RawBinaryExpr, (left, right): (Sort, Sort)) -> PlannerResult<RawBinaryExpr> {
    let counts = |s| matches!(s, Sort::Number | Sort::Text);
    if !counts(left) || !counts(right) {
        return PlannerResult::Original(raw);
    }
    let above = cast(number(raw.left, left), DataType::Float64);
    let below = cast(number(raw.right, right), DataType::Float64);
    PlannerResult::Planned(binary_expr(
        above,
        Operator::Divide,
        or_null(below, ScalarValue::Float64(Some(0.0))),
    ))
}

/// `%` gives nothing where the divisor is zero.
fn remainder(raw: RawBinaryExpr, types: (Sort, Sort)) -> PlannerResult<RawBinaryExpr> {
    if types != (Sort::Number, Sort::Number) {
        return PlannerResult::Original(raw);
    }
    let below = or_null(raw.right, ScalarValue::Int64(Some(0)));
    PlannerResult::Planned(binary_expr(raw.left, Operator::Modulo, below))
}

fn or_null(expr: Expr, zero: ScalarValue) -> Expr {
    match &expr {
        Expr::Literal(value, _) if !value.is_null() && *value != zero => expr,
        _ => nullif(expr, Expr::Literal(zero, None)),
    }
}

/// A text in a calculation is the number it says; days are counted between dates.
fn calculated(raw: RawBinaryExpr, types: (Sort, Sort)) -> RawBinaryExpr {
    let days = |expr| cast(cast(expr, DataType::Int32), DataType::Int64);
    match types {
        (Sort::Date, Sort::Date) => RawBinaryExpr { left: days(raw.left), right: days(raw.right), ..raw },
        (l, r)
            if [l, r].contains(&Sort::Text)
                && [l, r].iter().all(|s| matches!(s, Sort::Text | Sort::Number)) =>
        {
            RawBinaryExpr { left: number(raw.left, l), right: number(raw.right, r), ..raw }
        }
        _ => raw,
    }
}

fn compared(raw: RawBinaryExpr, types: (Sort, Sort)) -> RawBinaryExpr {
    match types {
        (Sort::Text, Sort::Number) => RawBinaryExpr { left: number(raw.left, Sort::Text), ..raw },
        (Sort::Number, Sort::Text) => RawBinaryExpr { right: number(raw.right, Sort::Text), ..raw },
        (Sort::Boolean, Sort::Text | Sort::Number) => RawBinaryExpr { right: truth(raw.right), ..raw },
        (Sort::Text | Sort::Number, Sort::Boolean) => RawBinaryExpr { left: truth(raw.left), ..raw },
        (Sort::Date, Sort::Text) => RawBinaryExpr { right: day(raw.right), ..raw },
        (Sort::Text, Sort::Date) => RawBinaryExpr { left: day(raw.left), ..raw },
        _ => raw,
    }
}

/// `1`, `'yes'`, `'true'` as a truth.
fn truth(expr: Expr) -> Expr {
    let Expr::Literal(value, _) = &expr else { return expr };
    match value::boolean(&value.to_string()) {
        Some(truth) => lit(truth),
        None => match value.to_string().as_str() {
            "1" => lit(true),
            "0" => lit(false),
            _ => expr,
        },
    }
}

/// A date in the forms people write it in.
fn day(expr: Expr) -> Expr {
    let Expr::Literal(value, _) = &expr else { return expr };
    match value.try_as_str().flatten().and_then(value::date) {
        Some(days) => Expr::Literal(ScalarValue::Date32(Some(days)), None),
        None => expr,
    }
}

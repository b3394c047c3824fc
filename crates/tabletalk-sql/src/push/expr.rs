//! Expressions. What has no arm here is not written.

use super::cast::day;
use super::select::{Scopes, Select};
use super::{Unwritten, Writer, Written, unwritten};
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{Column, DFSchemaRef, ScalarValue};
use datafusion::logical_expr::expr::{Exists, InList, InSubquery, Like};
use datafusion::logical_expr::{Between, BinaryExpr, Case, Expr, ExprSchemable, LogicalPlan, Operator};
use tabletalk_core::value;

/// What an operator has to know of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Integer,
    Decimal,
    Text,
    Boolean,
    Date,
    DateTime,
    Nothing,
    Other,
}

impl Sort {
    pub(super) fn of(data_type: &DataType) -> Self {
        match data_type {
            t if t.is_integer() => Sort::Integer,
            t if t.is_numeric() => Sort::Decimal,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Sort::Text,
            DataType::Boolean => Sort::Boolean,
            DataType::Date32 => Sort::Date,
            DataType::Timestamp(_, None) => Sort::DateTime,
            DataType::Null => Sort::Nothing,
            _ => Sort::Other,
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Sort::Integer | Sort::Decimal)
    }

    fn is_time(self) -> bool {
        matches!(self, Sort::Date | Sort::DateTime)
    }

    /// Whether the database compares values of the two as it is done here.
    fn is_like(self, other: Sort) -> bool {
        let both = |is: fn(Sort) -> bool| is(self) && is(other);
        let nothing = self == Sort::Nothing || other == Sort::Nothing;
        nothing || both(Sort::is_number) || both(Sort::is_time) || self == other && self != Sort::Other
    }
}

/// Conditions on the rows of one table, those that can be written.
pub(super) fn conditions(
    writer: &mut Writer<'_>,
    filters: &[Expr],
    schema: &DFSchemaRef,
    items: &[super::select::Item],
) -> Vec<String> {
    let scopes: Scopes<'_> = vec![(schema.clone(), items)];
    filters.iter().filter_map(|filter| writer.expr(filter, &scopes).ok()).collect()
}

impl Writer<'_> {
    pub(super) fn expr(&mut self, expr: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        match expr {
            Expr::Alias(alias) => self.expr(&alias.expr, scopes),
            Expr::Column(column) => named(column, scopes.last().into_iter()),
            Expr::OuterReferenceColumn(_, column) => named(column, scopes.iter().rev().skip(1)),
            Expr::Literal(value, _) => self.literal(value),
            Expr::BinaryExpr(binary) => self.binary(binary, scopes),
            Expr::Not(inner) => Ok(format!("(NOT {})", self.expr(inner, scopes)?)),
            Expr::Negative(inner) => self.negative(inner, scopes),
            Expr::IsNull(inner) => self.is(inner, "NULL", scopes),
            Expr::IsNotNull(inner) => self.is(inner, "NOT NULL", scopes),
            Expr::IsTrue(inner) => self.is(inner, "TRUE", scopes),
            Expr::IsNotTrue(inner) => self.is(inner, "NOT TRUE", scopes),
            Expr::IsFalse(inner) => self.is(inner, "FALSE", scopes),
            Expr::IsNotFalse(inner) => self.is(inner, "NOT FALSE", scopes),
            Expr::IsUnknown(inner) => self.is(inner, "UNKNOWN", scopes),
            Expr::IsNotUnknown(inner) => self.is(inner, "NOT UNKNOWN", scopes),
            Expr::Between(between) => self.between(between, scopes),
            Expr::InList(list) => self.in_list(list, scopes),
            Expr::Like(like) => self.like(like, scopes),
            Expr::Case(case) => self.case(case, scopes),
            Expr::Cast(cast) => self.cast(&cast.expr, cast.field.data_type(), scopes),
            Expr::TryCast(cast) => self.cast(&cast.expr, cast.field.data_type(), scopes),
            Expr::ScalarFunction(call) => self.call(call.func.name(), &call.args, scopes),
            Expr::AggregateFunction(call) => self.aggregated(call, scopes),
            Expr::ScalarSubquery(query) => self.subquery(&query.subquery, 1, scopes),
            Expr::InSubquery(within) => self.in_subquery(within, scopes),
            Expr::Exists(exists) => self.exists(exists, scopes),
            other => unwritten(format!("an expression such as {}", variant(other))),
        }
    }

    /// Whether an expression is a column that is there as it is.
    pub(super) fn is_plain(&self, expr: &Expr, scopes: &Scopes<'_>) -> bool {
        let column = match expr {
            Expr::Column(column) => column,
            Expr::Alias(alias) => return self.is_plain(&alias.expr, scopes),
            _ => return false,
        };
        let Some((schema, items)) = scopes.last() else { return false };
        let at = schema.maybe_index_of_column(column);
        at.and_then(|i| items.get(i)).is_some_and(|item| item.is_plain)
    }

    /// An expression to sort by: texts by their bytes, as they are sorted here.
    pub(super) fn ordered(&mut self, expr: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        let sql = self.expr(expr, scopes)?;
        Ok(match sort_of(expr, scopes)? {
            Sort::Text => format!("({sql} COLLATE \"C\")"),
            _ => sql,
        })
    }

    fn literal(&mut self, value: &ScalarValue) -> Written<String> {
        if value.is_null() {
            return Ok("NULL".to_owned());
        }
        match value {
            ScalarValue::Utf8(Some(text))
            | ScalarValue::LargeUtf8(Some(text))
            | ScalarValue::Utf8View(Some(text)) => self.text(text),
            ScalarValue::Boolean(Some(truth)) => Ok(if *truth { "TRUE" } else { "FALSE" }.to_owned()),
            ScalarValue::Int8(Some(n)) => Ok(whole(i128::from(*n))),
            ScalarValue::Int16(Some(n)) => Ok(whole(i128::from(*n))),
            ScalarValue::Int32(Some(n)) => Ok(whole(i128::from(*n))),
            ScalarValue::Int64(Some(n)) => Ok(whole(i128::from(*n))),
            ScalarValue::UInt64(Some(n)) => Ok(whole(i128::from(*n))),
            ScalarValue::Float64(Some(n)) if n.is_finite() => Ok(decimal(*n)),
            ScalarValue::Date32(Some(days)) => Ok(format!("DATE '{}'", date(*days)?)),
            ScalarValue::TimestampMicrosecond(Some(n), None) => time(*n),
            ScalarValue::TimestampNanosecond(Some(n), None) if n % 1000 == 0 => time(n / 1000),
            ScalarValue::TimestampMillisecond(Some(n), None) => time(n.saturating_mul(1000)),
            ScalarValue::TimestampSecond(Some(n), None) => time(n.saturating_mul(1_000_000)),
            other => unwritten(format!("a value of type {}", other.data_type())),
        }
    }

    fn binary(&mut self, binary: &BinaryExpr, scopes: &Scopes<'_>) -> Written<String> {
        let (left, right) = (binary.left.as_ref(), binary.right.as_ref());
        match binary.op {
            Operator::And => self.joined(left, "AND", right, scopes),
            Operator::Or => self.joined(left, "OR", right, scopes),
            Operator::Eq => self.compared(left, "=", right, scopes),
            Operator::NotEq => self.compared(left, "<>", right, scopes),
            Operator::Lt => self.compared(left, "<", right, scopes),
            Operator::LtEq => self.compared(left, "<=", right, scopes),
            Operator::Gt => self.compared(left, ">", right, scopes),
            Operator::GtEq => self.compared(left, ">=", right, scopes),
            Operator::IsDistinctFrom => self.compared(left, "IS DISTINCT FROM", right, scopes),
            Operator::IsNotDistinctFrom => self.compared(left, "IS NOT DISTINCT FROM", right, scopes),
            Operator::Plus => self.calculated(left, "+", right, scopes),
            Operator::Minus => self.calculated(left, "-", right, scopes),
            Operator::Multiply => self.calculated(left, "*", right, scopes),
            Operator::Divide => self.calculated(left, "/", right, scopes),
            Operator::Modulo => self.calculated(left, "%", right, scopes),
            other => unwritten(format!("the operator {other}")),
        }
    }

    fn joined(&mut self, left: &Expr, op: &str, right: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        Ok(format!("({} {op} {})", self.expr(left, scopes)?, self.expr(right, scopes)?))
    }

    /// Two expressions that are to be equal.
    pub(super) fn equal(&mut self, left: &Expr, right: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        self.compared(left, "=", right, scopes)
    }

    fn compared(&mut self, left: &Expr, op: &str, right: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        let (l, r) = (sort_of(left, scopes)?, sort_of(right, scopes)?);
        let is_order = op.starts_with(['<', '>']) && op != "<>";
        // A text that says a day is one beside a day.
        let (left, right) = match (day(left, r)?, day(right, l)?) {
            (Some(day), _) => (day, self.expr(right, scopes)?),
            (None, Some(day)) => (self.expr(left, scopes)?, day),
            (None, None) if l.is_like(r) => (self.expr(left, scopes)?, self.expr(right, scopes)?),
            (None, None) => return unwritten("a comparison of values of different types"),
        };
        let is_time = l.is_time() || r.is_time();
        let (left, right) = zoned(left, right);
        Ok(match is_order && !is_time && (l == Sort::Text || r == Sort::Text) {
            true => format!("(({left} COLLATE \"C\") {op} {right})"),
            false => format!("({left} {op} {right})"),
        })
    }

    fn calculated(&mut self, left: &Expr, op: &str, right: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        let (l, r) = (sort_of(left, scopes)?, sort_of(right, scopes)?);
        let (left, right) = (self.expr(left, scopes)?, self.expr(right, scopes)?);
        match (l, r, op) {
            // Small numbers would run over where ours do not.
            (Sort::Integer, Sort::Integer, "+" | "-" | "*" | "%") => {
                Ok(format!("(CAST({left} AS BIGINT) {op} {right})"))
            }
            // A quotient of whole numbers is one there.
            (Sort::Decimal, _, "/") | (_, Sort::Decimal, "/") if l.is_number() && r.is_number() => {
                Ok(format!("(CAST({left} AS DOUBLE PRECISION) / CAST({right} AS DOUBLE PRECISION))"))
            }
            (_, _, "+" | "-" | "*") if l.is_number() && r.is_number() => Ok(format!("({left} {op} {right})")),
            _ => unwritten(format!("{op} between values of these types")),
        }
    }

    fn negative(&mut self, inner: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        match sort_of(inner, scopes)?.is_number() {
            true => Ok(format!("(- {})", self.expr(inner, scopes)?)),
            false => unwritten("the negative of what is no number"),
        }
    }

    fn is(&mut self, inner: &Expr, what: &str, scopes: &Scopes<'_>) -> Written<String> {
        Ok(format!("({} IS {what})", self.expr(inner, scopes)?))
    }

    fn between(&mut self, between: &Between, scopes: &Scopes<'_>) -> Written<String> {
        let low = self.compared(&between.expr, ">=", &between.low, scopes)?;
        let high = self.compared(&between.expr, "<=", &between.high, scopes)?;
        Ok(if between.negated { format!("(NOT ({low} AND {high}))") } else { format!("({low} AND {high})") })
    }

    fn in_list(&mut self, list: &InList, scopes: &Scopes<'_>) -> Written<String> {
        let sort = sort_of(&list.expr, scopes)?;
        let of = self.expr(&list.expr, scopes)?;
        let mut each = Vec::new();
        for one in &list.list {
            if !sort.is_like(sort_of(one, scopes)?) {
                return unwritten("a list of values of another type");
            }
            each.push(self.expr(one, scopes)?);
        }
        match each.is_empty() {
            true => unwritten("an empty list"),
            false => Ok(format!("({of} {}IN ({}))", not(list.negated), each.join(", "))),
        }
    }

    fn like(&mut self, like: &Like, scopes: &Scopes<'_>) -> Written<String> {
        if like.escape_char.is_some() || sort_of(&like.expr, scopes)? != Sort::Text {
            return unwritten("LIKE in this form");
        }
        let (text, pattern) = (self.expr(&like.expr, scopes)?, self.expr(&like.pattern, scopes)?);
        let (text, word) = match like.case_insensitive {
            true => (self.lettered(&text)?, "ILIKE"),
            false => (text, "LIKE"),
        };
        Ok(format!("({text} {}{word} {pattern})", not(like.negated)))
    }

    /// A text whose large and small letters are those of all languages.
    pub(super) fn lettered(&self, sql: &str) -> Written<String> {
        match &self.letters {
            Some(collation) => Ok(format!("({sql} COLLATE {})", super::ident(collation))),
            None => unwritten("large and small letters, which this database knows only of its own language"),
        }
    }

    fn case(&mut self, case: &Case, scopes: &Scopes<'_>) -> Written<String> {
        let mut sql = "(CASE".to_owned();
        if let Some(of) = &case.expr {
            sql.push_str(&format!(" {}", self.expr(of, scopes)?));
        }
        for (when, then) in &case.when_then_expr {
            sql.push_str(&format!(" WHEN {} THEN {}", self.expr(when, scopes)?, self.expr(then, scopes)?));
        }
        if let Some(otherwise) = &case.else_expr {
            sql.push_str(&format!(" ELSE {}", self.expr(otherwise, scopes)?));
        }
        Ok(sql + " END)")
    }

    /// A query in an expression, with so many columns.
    fn subquery(&mut self, plan: &LogicalPlan, width: usize, scopes: &Scopes<'_>) -> Written<String> {
        let select: Select = self.plan(plan, scopes)?;
        match select.items.len() == width || width == 0 {
            true => Ok(format!("({})", select.sql(false))),
            false => unwritten("a query of several columns in an expression"),
        }
    }

    fn in_subquery(&mut self, within: &InSubquery, scopes: &Scopes<'_>) -> Written<String> {
        let (of, found) = (sort_of(&within.expr, scopes)?, {
            let fields = within.subquery.subquery.schema().fields();
            fields.first().map_or(Sort::Other, |field| Sort::of(field.data_type()))
        });
        if !of.is_like(found) {
            return unwritten("a comparison of values of different types");
        }
        let query = self.subquery(&within.subquery.subquery, 1, scopes)?;
        Ok(format!("({} {}IN {query})", self.expr(&within.expr, scopes)?, not(within.negated)))
    }

    fn exists(&mut self, exists: &Exists, scopes: &Scopes<'_>) -> Written<String> {
        let query = self.subquery(&exists.subquery.subquery, 0, scopes)?;
        Ok(format!("({}EXISTS {query})", not(exists.negated)))
    }
}

/// A time with a zone is compared as it is with one that is written out, so that an index over it helps.
fn zoned(left: String, right: String) -> (String, String) {
    let column = |sql: &str| {
        let inner = sql.strip_prefix('(')?.strip_suffix(" AT TIME ZONE 'UTC')")?;
        (!inner.starts_with(['(', 'C', 'D', 'T'])).then(|| inner.to_owned())
    };
    let literal = |sql: &str| {
        let is_one = sql.starts_with("TIMESTAMP '") || sql.starts_with("DATE '");
        is_one.then(|| format!("(CAST({sql} AS TIMESTAMP) AT TIME ZONE 'UTC')"))
    };
    if let (Some(column), Some(literal)) = (column(&left), literal(&right)) {
        return (column, literal);
    }
    match (literal(&left), column(&right)) {
        (Some(literal), Some(column)) => (literal, column),
        _ => (left, right),
    }
}

fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

/// The column of the first of some scopes that has it.
fn named<'s, 'i: 's>(
    column: &Column,
    mut scopes: impl Iterator<Item = &'s (DFSchemaRef, &'i [super::select::Item])>,
) -> Written<String> {
    let found = scopes.find_map(|(schema, items)| items.get(schema.maybe_index_of_column(column)?));
    found.map(|item| item.sql.clone()).ok_or_else(|| Unwritten("a column that is not there".into()))
}

/// What an expression gives.
pub(super) fn sort_of(expr: &Expr, scopes: &Scopes<'_>) -> Written<Sort> {
    let Some((schema, _)) = scopes.last() else { return unwritten("an expression outside of a query") };
    match expr.get_type(schema.as_ref()) {
        Ok(data_type) => Ok(Sort::of(&data_type)),
        Err(_) => unwritten("an expression of no known type"),
    }
}

fn whole(n: i128) -> String {
    if n < 0 { format!("({n})") } else { n.to_string() }
}

fn decimal(n: f64) -> String {
    if n < 0.0 { format!("({n:?})") } else { format!("{n:?}") }
}

/// A day of a year of four digits.
pub(super) fn date(days: i32) -> Written<String> {
    let text = value::plain_date(days);
    let is_plain = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    if is_plain && !text.starts_with('-') { Ok(text) } else { unwritten("a day that long ago") }
}

pub(super) fn time(micros: i64) -> Written<String> {
    let text = value::plain_datetime(micros);
    let is_plain = text.bytes().all(|b| b.is_ascii_digit() || b"-: .".contains(&b));
    match is_plain && text.starts_with(|c: char| c.is_ascii_digit()) {
        true => Ok(format!("TIMESTAMP '{text}'")),
        false => unwritten("a time that long ago"),
    }
}

/// A unit of time in which values can be.
pub(super) fn is_micros(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, None))
}

/// The kind of an expression that is not written.
fn variant(expr: &Expr) -> String {
    expr.variant_name().to_owned()
}

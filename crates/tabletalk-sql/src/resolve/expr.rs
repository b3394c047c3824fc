//! Expressions: every column by its name, and what other dialects write differently.

use super::{Resolver, quoted};
use crate::scope::{Field, Scope, missing_column};
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, ObjectNamePart, Query, UnaryOperator, Value, VisitorMut,
};
use std::ops::ControlFlow;
use tabletalk_core::{Error, Kind, Result};

/// Functions by the names that other dialects have for them, and by ours.
const SAME: &[(&str, &str)] = &[
    ("len", "length"),
    ("char_length", "length"),
    ("ifnull", "coalesce"),
    ("nvl", "coalesce"),
    ("isnull", "coalesce"),
    ("instr", "strpos"),
    ("ucase", "upper"),
    ("lcase", "lower"),
    ("mean", "avg"),
    ("average", "avg"),
    ("stdev", "stddev"),
    ("variance", "var_samp"),
    ("group_concat", "string_agg"),
    ("listagg", "string_agg"),
    ("datepart", "date_part"),
    ("datetrunc", "date_trunc"),
    ("pow", "power"),
    ("ceiling", "ceil"),
    ("truncate", "trunc"),
    ("substring", "substr"),
    ("curdate", "current_date"),
    ("date", "to_date"),
];

/// Walks an expression with the names that can be seen from it.
pub(super) struct Walk<'w, 'a, 's> {
    pub(super) resolver: &'w mut Resolver<'a>,
    pub(super) scope: &'s Scope<'s>,
    /// How many subqueries, which have a walk of their own, it is inside of.
    pub(super) inside: usize,
    /// How many functions it is inside of.
    pub(super) called: usize,
    /// How many calls the planner makes of what it is inside of.
    pub(super) calls: usize,
    /// How many expressions it is inside of.
    pub(super) depth: usize,
}

/// The planner's time grows with the square of this, and planning cannot be cancelled.
const DEEPEST: usize = 400;

/// The same for functions: the planner asks each for its type, and those inside of it again.
const DEEPEST_CALL: usize = 64;

/// The same for queries in expressions, which every step of the planner walks through more than once.
const DEEPEST_QUERY: usize = 8;

impl VisitorMut for Walk<'_, '_, '_> {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        self.inside += 1;
        match self.inside {
            1 => flow(self.subquery(query)),
            _ => ControlFlow::Continue(()),
        }
    }

    fn post_visit_query(&mut self, _query: &mut Query) -> ControlFlow<Error> {
        self.inside = self.inside.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return too_deep("an expression is nested", DEEPEST);
        }
        if self.inside > 0 {
            return ControlFlow::Continue(());
        }
        let entered = flow(self.enter(expr));
        self.called += usize::from(matches!(expr, Expr::Function(_)));
        self.calls += usize::from(is_call(expr));
        if self.calls > DEEPEST_CALL {
            return too_deep("functions are in each other", DEEPEST_CALL);
        }
        entered
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.depth = self.depth.saturating_sub(1);
        if self.inside == 0 {
            self.called -= usize::from(matches!(expr, Expr::Function(_)));
            self.calls -= usize::from(is_call(expr));
            self.leave(expr);
        }
        ControlFlow::Continue(())
    }
}

fn too_deep(what: &str, most: usize) -> ControlFlow<Error> {
    ControlFlow::Break(Error::limit(format!("{what}, more than {most} levels deep")))
}

/// Whether the planner makes a call of it.
fn is_call(expr: &Expr) -> bool {
    match expr {
        Expr::Function(_) | Expr::Like { .. } | Expr::ILike { .. } => true,
        Expr::BinaryOp { op, .. } => is_pattern(op),
        _ => false,
    }
}

fn flow(result: Result<()>) -> ControlFlow<Error> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

impl Walk<'_, '_, '_> {
    fn subquery(&mut self, query: &mut Query) -> Result<()> {
        if self.resolver.subqueries >= DEEPEST_QUERY {
            let what = format!("queries are in each other, more than {DEEPEST_QUERY} levels deep");
            return Err(Error::limit(what));
        }
        self.resolver.subqueries += 1;
        let walked = self.resolver.query(query, Some(self.scope));
        self.resolver.subqueries -= 1;
        walked.map(|_| ())
    }

    fn enter(&mut self, expr: &mut Expr) -> Result<()> {
        self.resolver.clock.check()?;
        super::allowed::expression(expr)?;
        match expr {
            Expr::Identifier(ident) => {
                let name = self.column(&ident.value)?;
                *ident = quoted(&name);
            }
            Expr::CompoundIdentifier(parts) => self.compound(parts)?,
            Expr::BinaryOp { left, op, right } if compares(op) => {
                self.text_in_quotes(right)?;
                self.text_in_quotes(left)?;
            }
            Expr::InList { list, .. } => {
                for item in list {
                    self.text_in_quotes(item)?;
                }
            }
            Expr::Like { pattern, .. } | Expr::ILike { pattern, .. } => self.text_in_quotes(pattern)?,
            Expr::BinaryOp { op, right, .. } if is_pattern(op) => written_out(right)?,
            Expr::SimilarTo { pattern, .. } => written_out(pattern)?,
            Expr::Function(function) => self.function(function)?,
            _ => {}
        }
        Ok(())
    }

    /// The name of a column as its relation spells it.
    fn column(&mut self, name: &str) -> Result<String> {
        let found = match self.called {
            0 => self.scope.column(name)?,
            _ => self.scope.column_before(name)?,
        };
        let Some((_, field)) = found else { return Err(self.scope.no_column(name)) };
        let (name, origin) = (field.name.clone(), field.origin);
        self.note(origin);
        Ok(name)
    }

    fn note(&mut self, origin: Option<(usize, usize)>) {
        if let Some((table, column)) = origin
            && let Some(table) = self.resolver.tables.get_mut(table)
        {
            table.named.insert(column);
        }
    }

    /// `relation.column`; what stands before the last point is the name of the relation.
    fn compound(&mut self, parts: &mut Vec<Ident>) -> Result<()> {
        let Some((last, rest)) = parts.split_last() else { return Ok(()) };
        let item_name = rest.iter().map(|p| p.value.as_str()).collect::<Vec<_>>().join(".");
        let Some(item) = self.scope.item(&item_name) else {
            return Err(Error::input(format!("no relation `{item_name}` in FROM")));
        };
        let one = Scope { items: vec![item.clone()], ..Scope::default() };
        let Some((_, field)) = one.column(&last.value)? else {
            let columns: Vec<&str> = item.fields.iter().map(|f| f.name.as_str()).collect();
            return Err(missing_column(&last.value, &[item.name.as_str()], &columns));
        };
        let origin = field.origin;
        *parts = vec![quoted(&item.name), quoted(&field.name)];
        self.note(origin);
        Ok(())
    }

    /// Some write texts in double quotes: where no column has that name, it is a text.
    fn text_in_quotes(&self, expr: &mut Expr) -> Result<()> {
        if let Expr::Identifier(ident) = expr
            && ident.quote_style == Some('"')
            && self.scope.column(&ident.value)?.is_none()
        {
            *expr = text(&ident.value);
        }
        Ok(())
    }

    fn function(&mut self, function: &mut Function) -> Result<()> {
        let name = super::joined(&function.name)?.to_lowercase();
        let part = matches!(name.as_str(), "date_part" | "date_trunc" | "datepart" | "datetrunc");
        if let (true, Some(first)) = (part, args(function).next())
            && let Expr::Identifier(ident) = first
            && self.scope.column(&ident.value)?.is_none()
        {
            *first = text(&ident.value);
        }
        if let (true, Some(pattern)) = (name.starts_with("regexp"), args(function).nth(1)) {
            written_out(pattern)?;
        }
        // The third says how many numbers to keep, and room is made for as many at once.
        if name.starts_with("approx_percentile") && args(function).nth(2).is_some() {
            return Err(super::refused("a third argument of approx_percentile_cont"));
        }
        function.name = plain_name(&name);
        Ok(())
    }

    fn leave(&self, expr: &mut Expr) {
        match expr {
            Expr::Cast { kind, expr: inner, data_type, .. } => {
                *kind = CastKind::TryCast;
                if is_number(data_type) && self.kind(inner).is_none_or(|k| k == Kind::Text) {
                    wrap(inner, "to_number");
                }
            }
            Expr::Like { escape_char: None, .. } | Expr::ILike { escape_char: None, .. } => {
                computed_like(expr)
            }
            Expr::InList { expr: inner, list, .. } if list.iter().all(is_numeral) => self.as_number(inner),
            Expr::Between { expr: inner, low, high, .. } if is_numeral(low) && is_numeral(high) => {
                self.as_number(inner);
            }
            Expr::Function(function) => {
                self.dialect(function);
                if matches!(name_of(function), "string_agg" | "listagg") && function.over.is_none() {
                    wrap(expr, "short_text");
                }
            }
            _ => {}
        }
    }

    fn as_number(&self, expr: &mut Box<Expr>) {
        if self.kind(expr) == Some(Kind::Text) {
            wrap(expr, "to_number");
        }
    }

    /// The type of a plain column.
    fn kind(&self, expr: &Expr) -> Option<Kind> {
        let field: Option<&Field> = match expr {
            Expr::Nested(inner) => return self.kind(inner),
            Expr::Identifier(ident) => self.scope.column(&ident.value).ok().flatten().map(|(_, f)| f),
            Expr::CompoundIdentifier(parts) => parts.split_last().and_then(|(last, rest)| {
                let item = self.scope.item(&rest.first()?.value)?;
                item.fields.iter().find(|f| f.name == last.value)
            }),
            _ => None,
        };
        field.and_then(|f| f.kind)
    }

    /// Functions that other dialects call something else.
    fn dialect(&self, function: &mut Function) {
        let name = name_of(function).to_owned();
        match name.as_str() {
            "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" | "second" => {
                function.name = plain_name("date_part");
                if let Some(list) = list(function) {
                    list.insert(0, argument(&name));
                }
            }
            "strftime" => {
                function.name = plain_name("to_char");
                if let Some(list) = list(function) {
                    list.reverse();
                }
            }
            "group_concat" | "string_agg" | "listagg" => {
                if let Some(list) = list(function).filter(|l| l.len() == 1) {
                    list.push(argument(","));
                }
            }
            "sum" | "avg" | "mean" | "average" | "median" | "stddev" | "total" => {
                for arg in args(function) {
                    if self.kind(arg) == Some(Kind::Text) {
                        let inner = std::mem::replace(arg, text(""));
                        *arg = call("to_number", inner);
                    }
                }
            }
            _ => {}
        }
        if let Some((_, ours)) = SAME.iter().find(|(theirs, _)| *theirs == name) {
            function.name = plain_name(ours);
        }
    }
}

/// The operator would go through a whole batch of rows, whatever was made of them, and build a search for
/// each pattern; the function looks at the clock. Plain columns and patterns are left to the operator.
fn computed_like(expr: &mut Expr) {
    let is_plain = |e: &Expr| matches!(e, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
    let ignores_case = matches!(expr, Expr::ILike { .. });
    let (Expr::Like { negated, expr: text, pattern, .. } | Expr::ILike { negated, expr: text, pattern, .. }) =
        &mut *expr
    else {
        return;
    };
    if is_plain(text) && matches!(pattern.as_ref(), Expr::Value(_)) {
        return;
    }
    let nothing = || Expr::Value(Value::Null.into());
    let is_negated = *negated;
    let text = std::mem::replace(text.as_mut(), nothing());
    let pattern = std::mem::replace(pattern.as_mut(), nothing());
    let call = call_all("is_like", vec![text, pattern, Expr::Value(Value::Boolean(ignores_case).into())]);
    *expr = match is_negated {
        true => Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(call) },
        false => call,
    };
}

fn compares(op: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(op, B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq)
}

fn is_pattern(op: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(op, B::PGRegexMatch | B::PGRegexIMatch | B::PGRegexNotMatch | B::PGRegexNotIMatch | B::Regexp)
}

/// A regular expression for every row would be compiled, and kept, for every row.
fn written_out(pattern: &Expr) -> Result<()> {
    match pattern {
        Expr::Value(_) => Ok(()),
        _ => Err(Error::input("a regular expression must be written out in the statement")),
    }
}

fn is_number(data_type: &DataType) -> bool {
    use DataType as D;
    matches!(
        data_type,
        D::Int(_)
            | D::Integer(_)
            | D::BigInt(_)
            | D::SmallInt(_)
            | D::TinyInt(_)
            | D::Float(_)
            | D::Float64
            | D::Real
            | D::Double(_)
            | D::DoublePrecision
            | D::Numeric(_)
            | D::Decimal(_)
            | D::Dec(_)
            | D::Signed
            | D::SignedInteger
            | D::Unsigned
            | D::UnsignedInteger
    )
}

fn is_numeral(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => matches!(value.value, Value::Number(_, _)),
        Expr::UnaryOp { expr, .. } => is_numeral(expr),
        _ => false,
    }
}

fn text(value: &str) -> Expr {
    Expr::Value(Value::SingleQuotedString(value.to_owned()).into())
}

fn plain_name(name: &str) -> ObjectName {
    ObjectName(vec![ObjectNamePart::Identifier(Ident::new(name))])
}

fn name_of(function: &Function) -> &str {
    match function.name.0.as_slice() {
        [ObjectNamePart::Identifier(ident)] => &ident.value,
        _ => "",
    }
}

/// The arguments; none where there is no list of them.
fn list(function: &mut Function) -> Option<&mut Vec<FunctionArg>> {
    match &mut function.args {
        FunctionArguments::List(list) => Some(&mut list.args),
        _ => None,
    }
}

fn args(function: &mut Function) -> impl Iterator<Item = &mut Expr> {
    list(function).into_iter().flatten().filter_map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
}

fn argument(value: &str) -> FunctionArg {
    FunctionArg::Unnamed(FunctionArgExpr::Expr(text(value)))
}

fn empty() -> FunctionArgumentList {
    FunctionArgumentList { duplicate_treatment: None, args: Vec::new(), clauses: Vec::new() }
}

/// A call of one of our functions.
fn call(name: &str, arg: Expr) -> Expr {
    call_all(name, vec![arg])
}

fn call_all(name: &str, args: Vec<Expr>) -> Expr {
    let args = args.into_iter().map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))).collect();
    Expr::Function(Function {
        name: plain_name(name),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { args, ..empty() }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

fn wrap(expr: &mut Expr, name: &str) {
    let inner = std::mem::replace(expr, text(""));
    *expr = call(name, inner);
}

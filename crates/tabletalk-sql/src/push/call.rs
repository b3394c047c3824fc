//! Calls. Only functions that are listed here are written: they have no side effects in PostgreSQL, take no more time than
//! what they are given is long, and mean there what they mean here.

use super::expr::{Sort, sort_of};
use super::select::Scopes;
use super::{Writer, Written, unwritten};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::AggregateFunction;

/// Functions of the same name and meaning, and what they take.
const SAME: &[(&str, &[Takes])] = &[
    ("coalesce", &[Takes::Any]),
    ("nullif", &[Takes::Any]),
    ("greatest", &[Takes::Number]),
    ("least", &[Takes::Number]),
    ("abs", &[Takes::Number]),
    ("ceil", &[Takes::Number]),
    ("floor", &[Takes::Number]),
    ("btrim", &[Takes::Text]),
    ("ltrim", &[Takes::Text]),
    ("rtrim", &[Takes::Text]),
    ("character_length", &[Takes::Text]),
    ("strpos", &[Takes::Text]),
    ("starts_with", &[Takes::Text]),
    ("reverse", &[Takes::Text]),
    ("substr", &[Takes::Text, Takes::Number]),
    ("left", &[Takes::Text, Takes::Number]),
    ("right", &[Takes::Text, Takes::Number]),
];

/// Functions that look at large and small letters.
const LETTERS: &[&str] = &["lower", "upper"];

/// The parts of a time that are whole numbers here and there.
const PARTS: &[&str] = &["year", "quarter", "month", "week", "day", "dow", "doy", "hour", "minute", "epoch"];

/// The beginnings of spans of time.
const SPANS: &[&str] = &["year", "quarter", "month", "week", "day", "hour", "minute", "second"];

/// Aggregates of the same name and meaning, by what they take.
const AGGREGATES: &[(&str, Takes)] = &[
    ("count", Takes::Any),
    ("sum", Takes::Number),
    ("avg", Takes::Number),
    ("min", Takes::Ordered),
    ("max", Takes::Ordered),
    ("stddev", Takes::Number),
    ("stddev_pop", Takes::Number),
    ("var_pop", Takes::Number),
    ("bool_and", Takes::Truth),
    ("bool_or", Takes::Truth),
];

/// What a function takes, to be the same here and there.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Takes {
    Any,
    Number,
    Text,
    Ordered,
    Truth,
}

impl Takes {
    fn takes(self, sort: Sort) -> bool {
        match self {
            Takes::Any => sort != Sort::Other,
            Takes::Number => sort.is_number(),
            Takes::Text => sort == Sort::Text,
            Takes::Ordered => !matches!(sort, Sort::Other | Sort::Boolean | Sort::Nothing),
            Takes::Truth => sort == Sort::Boolean,
        }
    }
}

impl Writer<'_> {
    pub(super) fn call(&mut self, name: &str, args: &[Expr], scopes: &Scopes<'_>) -> Written<String> {
        match (name, args) {
            ("join_texts", _) => self.joined_texts(args, scopes),
            ("date_part", [part, of]) => self.date_part(part, of, scopes),
            ("date_trunc", [span, of]) => self.date_trunc(span, of, scopes),
            ("round", _) => self.round(args, scopes),
            (letters, [one]) if LETTERS.contains(&letters) => {
                let text = self.text_of(one, scopes)?;
                Ok(format!("{letters}({})", self.lettered(&text)?))
            }
            _ => self.same(name, args, scopes),
        }
    }

    fn same(&mut self, name: &str, args: &[Expr], scopes: &Scopes<'_>) -> Written<String> {
        let Some((name, takes)) = SAME.iter().find(|(known, _)| *known == name) else {
            return unwritten(format!("the function {name}"));
        };
        let mut written = Vec::new();
        let mut first: Option<Sort> = None;
        for (i, arg) in args.iter().enumerate() {
            let sort = sort_of(arg, scopes)?;
            let wanted = takes.get(i).or(takes.last()).copied().unwrap_or(Takes::Any);
            let is_alike = *first.get_or_insert(sort) == sort || sort == Sort::Nothing || sort.is_number();
            if !wanted.takes(sort) || wanted == Takes::Any && !is_alike {
                return unwritten(format!("the function {name} over values of these types"));
            }
            written.push(self.expr(arg, scopes)?);
        }
        Ok(format!("{name}({})", written.join(", ")))
    }

    fn text_of(&mut self, expr: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        match sort_of(expr, scopes)? {
            Sort::Text => self.expr(expr, scopes),
            _ => unwritten("a text function over what is no text"),
        }
    }

    fn joined_texts(&mut self, args: &[Expr], scopes: &Scopes<'_>) -> Written<String> {
        let mut parts = Vec::new();
        for arg in args {
            parts.push(format!("CAST({} AS TEXT)", self.text_of(arg, scopes)?));
        }
        Ok(format!("({})", parts.join(" || ")))
    }

    fn date_part(&mut self, part: &Expr, of: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        let (part, of) = (one_of(part, PARTS)?, self.time_of(of, scopes)?);
        Ok(match part {
            "epoch" => format!("date_part('epoch', {of})"),
            part => format!("CAST(date_part('{part}', {of}) AS INTEGER)"),
        })
    }

    fn date_trunc(&mut self, span: &Expr, of: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        Ok(format!("date_trunc('{}', {})", one_of(span, SPANS)?, self.time_of(of, scopes)?))
    }

    /// A day would be taken for one in the time zone of the session.
    fn time_of(&mut self, expr: &Expr, scopes: &Scopes<'_>) -> Written<String> {
        match sort_of(expr, scopes)? {
            Sort::Date | Sort::DateTime => Ok(format!("CAST({} AS TIMESTAMP)", self.expr(expr, scopes)?)),
            _ => unwritten("a part of what is no time"),
        }
    }

    /// Only exact numbers are rounded to places there.
    fn round(&mut self, args: &[Expr], scopes: &Scopes<'_>) -> Written<String> {
        let (of, places) = match args {
            [of] => (of, "0".to_owned()),
            [of, places @ Expr::Literal(..)] => (of, self.expr(places, scopes)?),
            _ => return unwritten("rounding to places that are computed"),
        };
        match sort_of(of, scopes)?.is_number() {
            true => Ok(format!("round(CAST({} AS NUMERIC), {places})", self.expr(of, scopes)?)),
            false => unwritten("rounding what is no number"),
        }
    }

    pub(super) fn aggregated(&mut self, call: &AggregateFunction, scopes: &Scopes<'_>) -> Written<String> {
        let (name, params) = (call.func.name(), &call.params);
        let Some((name, takes)) = AGGREGATES.iter().find(|(known, _)| *known == name) else {
            return unwritten(format!("the function {name}"));
        };
        let [arg] = params.args.as_slice() else { return unwritten("an aggregate of several values") };
        if !params.order_by.is_empty() || params.null_treatment.is_some() {
            return unwritten("an aggregate in an order");
        }
        let sort = sort_of(arg, scopes)?;
        if !takes.takes(sort) {
            return unwritten(format!("the function {name} over values of this type"));
        }
        let of = match (*takes, sort) {
            (Takes::Ordered, Sort::Text) => self.ordered(arg, scopes)?,
            _ if matches!(arg, Expr::Literal(value, _) if !value.is_null()) => "*".to_owned(),
            _ => self.expr(arg, scopes)?,
        };
        if of == "*" && (*name != "count" || params.distinct) {
            return unwritten("an aggregate of a constant");
        }
        let distinct = if params.distinct { "DISTINCT " } else { "" };
        let sql = format!("{name}({distinct}{of})");
        match &params.filter {
            Some(filter) => Ok(format!("{sql} FILTER (WHERE {})", self.expr(filter, scopes)?)),
            None => Ok(sql),
        }
    }
}

/// The word of a list that a literal is.
fn one_of(expr: &Expr, words: &'static [&'static str]) -> Written<&'static str> {
    let Expr::Literal(literal, _) = expr else { return unwritten("a part of a time that is computed") };
    let text = ScalarValue::try_as_str(literal).flatten().unwrap_or_default().to_lowercase();
    match words.iter().find(|word| **word == text) {
        Some(word) => Ok(word),
        None => unwritten(format!("the part `{text}` of a time")),
    }
}

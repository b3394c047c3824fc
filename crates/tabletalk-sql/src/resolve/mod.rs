//! Finds what every name in a query means, and writes it as the relations spell it.
//!
//! The query is walked clause by clause with the names that can be seen there. What this walk does not
//! know is refused, so nothing reaches the planner that was not looked at.

mod allowed;
mod expr;
mod select;

use crate::clock::Clock;
use crate::file::Files;
use crate::names::{self, Found};
use crate::relation::{ALL_ROWS, Relation};
use crate::scope::{Field, Scope};
use crate::table::Table;
use crate::{Limits, Relations};
use datafusion::sql::sqlparser::ast::{
    Cte, Expr, Ident, LimitClause, ObjectName, ObjectNamePart, OrderBy, OrderByKind, Query, SetExpr,
    TableAlias, Values, VisitMut,
};
use std::ops::ControlFlow;
use tabletalk_core::{Error, Result};

/// A common table expression: its columns, and how many relations it reads.
struct Common {
    name: String,
    fields: Vec<Field>,
    scans: usize,
}

/// Walks one query.
pub(crate) struct Resolver<'a> {
    relations: &'a dyn Relations,
    files: &'a Files,
    limits: &'a Limits,
    clock: &'a Clock,
    common: Vec<Common>,
    scans: usize,
    /// How many queries inside of expressions it is inside of.
    subqueries: usize,
    /// The relations that were named.
    pub(crate) tables: Vec<Table>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(
        relations: &'a dyn Relations,
        files: &'a Files,
        limits: &'a Limits,
        clock: &'a Clock,
    ) -> Self {
        Resolver {
            relations,
            files,
            limits,
            clock,
            common: Vec::new(),
            scans: 0,
            subqueries: 0,
            tables: Vec::new(),
        }
    }

    /// Resolves a query and says which columns it gives.
    pub(crate) fn query(&mut self, query: &mut Query, outer: Option<&Scope<'_>>) -> Result<Vec<Field>> {
        check_query(query)?;
        let known = self.common.len();
        for cte in query.with.iter_mut().flat_map(|w| &mut w.cte_tables) {
            self.common_table(cte, outer)?;
        }
        let (fields, scope) = self.body(&mut query.body, outer)?;
        if let Some(order) = &mut query.order_by {
            self.order(order, &scope)?;
        }
        self.limit(query, &scope)?;
        self.common.truncate(known);
        Ok(fields)
    }

    fn common_table(&mut self, cte: &mut Cte, outer: Option<&Scope<'_>>) -> Result<()> {
        if cte.from.is_some() {
            return Err(refused("WITH ... FROM"));
        }
        let before = self.scans;
        let fields = self.query(&mut cte.query, outer)?;
        let scans = (self.scans - before).max(1);
        // It is read where it is named, not here.
        self.scans = before;
        let fields = renamed(fields, Some(&cte.alias))?;
        self.common.push(Common { name: cte.alias.name.value.clone(), fields, scans });
        cte.alias.name = quoted(&cte.alias.name.value);
        Ok(())
    }

    /// The columns of a body, and what its ORDER BY can name.
    fn body<'s>(
        &mut self,
        body: &mut SetExpr,
        outer: Option<&'s Scope<'s>>,
    ) -> Result<(Vec<Field>, Scope<'s>)> {
        match body {
            SetExpr::Select(select) => self.select(select, outer),
            SetExpr::Query(query) => {
                let fields = self.query(query, outer)?;
                Ok((fields.clone(), Scope { items: Vec::new(), made: fields, outer }))
            }
            SetExpr::SetOperation { left, right, .. } => {
                let (fields, _) = self.body(left, outer)?;
                self.body(right, outer)?;
                Ok((fields.clone(), Scope { items: Vec::new(), made: fields, outer }))
            }
            SetExpr::Values(values) => self.values(values, outer),
            SetExpr::Insert(_) => Err(refused("INSERT")),
            SetExpr::Update(_) => Err(refused("UPDATE")),
            SetExpr::Delete(_) => Err(refused("DELETE")),
            SetExpr::Merge(_) => Err(refused("MERGE")),
            SetExpr::Table(_) => Err(refused("TABLE")),
        }
    }

    fn values<'s>(
        &mut self,
        values: &mut Values,
        outer: Option<&'s Scope<'s>>,
    ) -> Result<(Vec<Field>, Scope<'s>)> {
        let scope = Scope { outer, ..Scope::default() };
        let width = values.rows.first().map_or(0, |row| row.content.len());
        for expr in values.rows.iter_mut().flat_map(|row| &mut row.content) {
            self.expr(expr, &scope)?;
        }
        let fields: Vec<Field> = (1..=width).map(|i| Field::made(format!("column{i}"))).collect();
        Ok((fields.clone(), Scope { made: fields, ..scope }))
    }

    fn order(&mut self, order: &mut OrderBy, scope: &Scope<'_>) -> Result<()> {
        if order.interpolate.is_some() {
            return Err(refused("INTERPOLATE"));
        }
        let OrderByKind::Expressions(exprs) = &mut order.kind else { return Ok(()) };
        for by in exprs {
            if by.with_fill.is_some() {
                return Err(refused("WITH FILL"));
            }
            self.expr(&mut by.expr, scope)?;
        }
        Ok(())
    }

    fn limit(&mut self, query: &mut Query, scope: &Scope<'_>) -> Result<()> {
        match &mut query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
                if !limit_by.is_empty() {
                    return Err(refused("LIMIT BY"));
                }
                for expr in limit.iter_mut().chain(offset.iter_mut().map(|o| &mut o.value)) {
                    self.expr(expr, scope)?;
                }
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                self.expr(offset, scope)?;
                self.expr(limit, scope)?;
            }
            None => {}
        }
        match &mut query.fetch {
            Some(fetch) if fetch.with_ties || fetch.percent => Err(refused("FETCH ... PERCENT or WITH TIES")),
            _ => Ok(()),
        }
    }

    /// Resolves all expressions in a piece of the query.
    fn expr(&mut self, piece: &mut impl VisitMut, scope: &Scope<'_>) -> Result<()> {
        let mut walk = expr::Walk { resolver: self, scope, inside: 0, called: 0, calls: 0, depth: 0 };
        match piece.visit(&mut walk) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }

    /// The columns of the relation or common table expression of this name, and its name in the plan.
    fn named(&mut self, name: &str) -> Result<(String, Vec<Field>)> {
        let common = names::find(name, self.common.iter().map(|c| c.name.as_str()));
        // The last of two with the same name hides the first.
        let exact = self.common.iter().rposition(|c| c.name == name);
        let at = exact.or(if let Found::One(i) = common { Some(i) } else { None });
        if let Some(c) = at.and_then(|i| self.common.get(i)) {
            let (name, fields, scans) = (c.name.clone(), c.fields.clone(), c.scans);
            self.count(scans)?;
            return Ok((name, fields));
        }
        self.count(1)?;
        let table = self.table(name)?;
        Ok((table.name.clone(), table.fields.clone()))
    }

    fn count(&mut self, scans: usize) -> Result<()> {
        self.scans = self.scans.saturating_add(scans);
        match self.scans > self.limits.scans {
            true => {
                Err(Error::limit(format!("the statement reads more than {} relations", self.limits.scans)))
            }
            false => Ok(()),
        }
    }

    fn table(&mut self, name: &str) -> Result<&Table> {
        if let Some(i) = self.tables.iter().position(|t| t.name == name) {
            return self.opened(i);
        }
        let (relation, all_rows) = self.relation(name)?;
        let table = Table::open(relation, all_rows, self.tables.len(), self.files)?;
        if let Some(i) = self.tables.iter().position(|t| t.name == table.name) {
            return self.opened(i);
        }
        self.tables.push(table);
        self.opened(self.tables.len() - 1)
    }

    fn opened(&self, i: usize) -> Result<&Table> {
        self.tables.get(i).ok_or_else(|| Error::bug("a relation that was opened is not there"))
    }

    /// The relation that a name means, and whether all of its rows are meant.
    fn relation(&self, name: &str) -> Result<(Relation, bool)> {
        if let Some(relation) = self.relations.relation(name)? {
            return Ok((relation, false));
        }
        let plain = name.strip_suffix(ALL_ROWS);
        if let Some(relation) = plain.map(|p| self.relations.relation(p)).transpose()?.flatten() {
            return Ok((relation, true));
        }
        let names = self.relations.names()?;
        for (wanted, all_rows) in [(Some(name), false), (plain, true)] {
            let Some(wanted) = wanted else { continue };
            match names::find(wanted, names.iter().map(String::as_str)) {
                Found::One(i) => {
                    let found = names.get(i).map(|n| self.relations.relation(n)).transpose()?.flatten();
                    return found.map(|r| (r, all_rows)).ok_or_else(|| no_relation(name, &names));
                }
                Found::Several(many) => return Err(unclear(wanted, &many, &names)),
                Found::None => {}
            }
        }
        Err(no_relation(name, &names))
    }
}

fn unclear(name: &str, many: &[usize], names: &[String]) -> Error {
    let could: Vec<String> =
        many.iter().filter_map(|i| names.get(*i)).take(5).map(|n| format!("\"{n}\"")).collect();
    Error::input(format!("relation `{name}` could be {}", could.join(" or ")))
        .hint("write one of them in double quotes")
}

fn no_relation(name: &str, names: &[String]) -> Error {
    const FEW: usize = 12;
    let nearest = names::nearest(name, names.iter().map(String::as_str));
    let listed = (!names.is_empty() && names.len() <= FEW).then(|| {
        format!("relations: {}", names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", "))
    });
    let hints: Vec<String> = names::did_you_mean(&nearest).into_iter().chain(listed).collect();
    let error = Error::input(format!("no relation `{name}`"));
    if hints.is_empty() { error } else { error.hint(hints.join(" ")) }
}

/// Every clause of a query is named: one that a later version of the parser adds does not compile.
fn check_query(query: &Query) -> Result<()> {
    let Query {
        with,
        body: _,
        order_by: _,
        limit_clause: _,
        fetch: _,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    let refuse = [
        (with.as_ref().is_some_and(|w| w.recursive), "WITH RECURSIVE"),
        (!locks.is_empty(), "FOR UPDATE or FOR SHARE"),
        (for_clause.is_some(), "a FOR clause"),
        (settings.is_some(), "SETTINGS"),
        (format_clause.is_some(), "FORMAT"),
        (!pipe_operators.is_empty(), "a pipe operator"),
    ];
    refuse.into_iter().find(|(is, _)| *is).map_or(Ok(()), |(_, what)| Err(refused(what)))
}

fn refused(what: &str) -> Error {
    Error::input(format!("{what} is refused")).hint("write a plain SELECT")
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric()).take(24).collect()
}

/// A name in double quotes.
fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

/// The parts of a name as one, and an error where a part is not a plain name.
fn joined(name: &ObjectName) -> Result<String> {
    let part = |p: &ObjectNamePart| match p {
        ObjectNamePart::Identifier(ident) => Ok(ident.value.clone()),
        ObjectNamePart::Function(_) => Err(refused("a function as a name")),
    };
    Ok(name.0.iter().map(part).collect::<Result<Vec<_>>>()?.join("."))
}

/// The columns under the names that an alias gives them.
fn renamed(mut fields: Vec<Field>, alias: Option<&TableAlias>) -> Result<Vec<Field>> {
    let Some(alias) = alias else { return Ok(fields) };
    if alias.at.is_some() {
        return Err(refused("AT"));
    }
    if alias.columns.is_empty() {
        return Ok(fields);
    }
    fields.retain(|f| !f.hidden);
    for (field, column) in fields.iter_mut().zip(&alias.columns) {
        field.name.clone_from(&column.name.value);
    }
    Ok(fields)
}

/// The name that a plain column has in a result.
fn column_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(ident) => Some(&ident.value),
        Expr::CompoundIdentifier(parts) => parts.last().map(|p| p.value.as_str()),
        Expr::Nested(inner) => column_name(inner),
        _ => None,
    }
}

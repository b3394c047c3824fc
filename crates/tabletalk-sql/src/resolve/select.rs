//! One SELECT: its FROM clause, its columns, its conditions.

use super::{Resolver, column_name, joined, quoted, refused, renamed};
use crate::scope::{Field, Item, Scope};
use datafusion::sql::sqlparser::ast::{
    ExcludeSelectItem, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, Select,
    SelectItem, SelectItemQualifiedWildcardKind, TableAlias, TableFactor, TableWithJoins,
    WildcardAdditionalOptions,
};
use std::collections::{HashMap, HashSet};
use tabletalk_core::{Error, Result};

impl Resolver<'_> {
    /// The columns of a SELECT, and what its ORDER BY can name.
    pub(super) fn select<'s>(
        &mut self,
        select: &mut Select,
        outer: Option<&'s Scope<'s>>,
    ) -> Result<(Vec<Field>, Scope<'s>)> {
        check_select(select)?;
        let mut scope = Scope { items: Vec::new(), made: Vec::new(), outer };
        for from in &mut select.from {
            self.joins(from, &mut scope)?;
        }
        let merged = self.constraints(&mut select.from, &scope)?;
        self.expr(&mut select.selection, &scope)?;
        self.expr(&mut select.named_window, &scope)?;
        self.expr(&mut select.distinct, &scope)?;
        let fields = self.projection(&mut select.projection, &scope, &merged)?;
        scope.made = fields.clone();
        self.expr(&mut select.group_by, &scope)?;
        self.expr(&mut select.having, &scope)?;
        self.expr(&mut select.qualify, &scope)?;
        Ok((fields, scope))
    }

    fn joins(&mut self, from: &mut TableWithJoins, scope: &mut Scope<'_>) -> Result<()> {
        self.factor(&mut from.relation, scope)?;
        for join in &mut from.joins {
            if join.global {
                return Err(refused("GLOBAL JOIN"));
            }
            self.factor(&mut join.relation, scope)?;
        }
        Ok(())
    }

    fn factor(&mut self, factor: &mut TableFactor, scope: &mut Scope<'_>) -> Result<()> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                let (plan_name, fields) = self.named(&joined(name)?)?;
                *name = ObjectName(vec![ObjectNamePart::Identifier(quoted(&plan_name))]);
                self.enter(alias.as_mut(), plan_name, fields, scope)
            }
            TableFactor::Derived { subquery, alias, sample: None, lateral } => {
                let fields = match lateral {
                    true => self.query(subquery, Some(scope))?,
                    false => self.query(subquery, scope.outer)?,
                };
                // A subquery in FROM need not be named; the planner's own name for it cannot be written.
                self.enter(alias.as_mut(), String::new(), fields, scope)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => self.joins(table_with_joins, scope),
            TableFactor::Table { name, args: Some(_), .. } => Err(no_function(&joined(name)?)),
            TableFactor::Function { name, .. } => Err(no_function(&joined(name)?)),
            TableFactor::TableFunction { .. } | TableFactor::UNNEST { .. } => {
                Err(no_function("a table function"))
            }
            TableFactor::Table { .. } => Err(refused("a relation with more than a name")),
            TableFactor::Derived { .. } => Err(refused("TABLESAMPLE")),
            TableFactor::NestedJoin { .. } => Err(refused("a name for a join in parentheses")),
            TableFactor::JsonTable { .. } | TableFactor::OpenJsonTable { .. } => {
                Err(no_function("JSON_TABLE"))
            }
            TableFactor::XmlTable { .. } => Err(no_function("XMLTABLE")),
            TableFactor::SemanticView { .. } => Err(no_function("SEMANTIC_VIEW")),
            TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => Err(refused("PIVOT or UNPIVOT")),
            TableFactor::MatchRecognize { .. } => Err(refused("MATCH_RECOGNIZE")),
        }
    }

    fn enter(
        &mut self,
        alias: Option<&mut TableAlias>,
        name: String,
        fields: Vec<Field>,
        scope: &mut Scope<'_>,
    ) -> Result<()> {
        let fields = renamed(fields, alias.as_deref())?;
        let name = match alias {
            Some(alias) => {
                let name = alias.name.value.clone();
                alias.name = quoted(&name);
                name
            }
            None => name,
        };
        scope.items.push(Item { name, fields });
        Ok(())
    }

    /// Resolves the conditions of joins; gives the columns that are merged into one by them.
    fn constraints(&mut self, from: &mut [TableWithJoins], scope: &Scope<'_>) -> Result<Vec<String>> {
        let mut merged = Vec::new();
        for part in from {
            if let TableFactor::NestedJoin { table_with_joins, .. } = &mut part.relation {
                merged.extend(self.constraints(std::slice::from_mut(table_with_joins), scope)?);
            }
            for join in &mut part.joins {
                if let TableFactor::NestedJoin { table_with_joins, .. } = &mut join.relation {
                    merged.extend(self.constraints(std::slice::from_mut(table_with_joins), scope)?);
                }
                self.constraint(join, scope, &mut merged)?;
            }
        }
        Ok(merged)
    }

    fn constraint(&mut self, join: &mut Join, scope: &Scope<'_>, merged: &mut Vec<String>) -> Result<()> {
        match constraint_of(&mut join.join_operator)? {
            JoinConstraint::On(expr) => self.expr(expr, scope),
            JoinConstraint::Using(columns) => {
                for column in columns {
                    let wanted = joined(column)?;
                    let (_, field) = scope.column(&wanted)?.ok_or_else(|| scope.no_column(&wanted))?;
                    *column = ObjectName(vec![ObjectNamePart::Identifier(quoted(&field.name))]);
                    merged.push(field.name.clone());
                }
                Ok(())
            }
            JoinConstraint::Natural => Err(refused("NATURAL JOIN").hint("write ON or USING")),
            JoinConstraint::None => Ok(()),
        }
    }

    fn projection(
        &mut self,
        items: &mut Vec<SelectItem>,
        scope: &Scope<'_>,
        merged: &[String],
    ) -> Result<Vec<Field>> {
        let mut list = List::default();
        for item in std::mem::take(items) {
            match item {
                SelectItem::Wildcard(options) => star(None, &options, scope, merged, &mut list)?,
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                    let name = joined(&name)?;
                    star(Some(&name), &options, scope, &[], &mut list)?;
                }
                SelectItem::UnnamedExpr(expr) => self.unnamed(expr, scope, &mut list)?,
                SelectItem::ExprWithAlias { mut expr, alias } => {
                    self.expr(&mut expr, scope)?;
                    let field = Field { name: alias.value, ..column_field(&expr, scope) };
                    list.push_as(expr, field);
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _)
                | SelectItem::ExprWithAliases { .. } => {
                    return Err(refused("this form of a column list"));
                }
            }
            list.check()?;
        }
        *items = list.items;
        Ok(list.fields)
    }

    /// An expression without a name goes by what was written.
    fn unnamed(&mut self, mut expr: Expr, scope: &Scope<'_>, list: &mut List) -> Result<()> {
        let written = expr.to_string();
        self.expr(&mut expr, scope)?;
        let field = column_field(&expr, scope);
        match column_name(&expr).map(str::to_owned) {
            Some(name) => list.push(expr, Field { name, ..field }),
            None => {
                let name = list.free(written);
                list.push_as(expr, Field { name, ..field });
            }
        }
        Ok(())
    }
}

/// The most columns of a SELECT: as many as a sheet of a workbook can have, and some that are calculated.
const MOST_COLUMNS: usize = 20_000;

/// The columns of a SELECT so far.
#[derive(Default)]
struct List {
    items: Vec<SelectItem>,
    fields: Vec<Field>,
    /// Where a name stands in `items`.
    names: HashMap<String, Vec<usize>>,
}

impl List {
    /// Adds a column under its own name. Columns of two relations may share a name; the same one twice
    /// may not.
    fn push(&mut self, expr: Expr, field: Field) {
        let mut named = self.names.get(&field.name).into_iter().flatten().filter_map(|i| self.items.get(*i));
        if named.any(|item| same(item, &expr, &field.name)) {
            let name = self.free(field.name.clone());
            return self.push_as(expr, Field { name, ..field });
        }
        self.add(SelectItem::UnnamedExpr(expr), field);
    }

    /// Adds an expression under the name of `field`.
    fn push_as(&mut self, expr: Expr, field: Field) {
        let alias = quoted(&field.name);
        self.add(SelectItem::ExprWithAlias { expr, alias }, field);
    }

    fn add(&mut self, item: SelectItem, field: Field) {
        self.names.entry(field.name.clone()).or_default().push(self.items.len());
        self.items.push(item);
        self.fields.push(field);
    }

    fn check(&self) -> Result<()> {
        match self.items.len() > MOST_COLUMNS {
            true => Err(Error::limit(format!("a SELECT has more than {MOST_COLUMNS} columns"))),
            false => Ok(()),
        }
    }

    /// The name, with the number of the column behind it where it is taken.
    fn free(&self, name: String) -> String {
        if !self.names.contains_key(&name) {
            return name;
        }
        let numbered = (self.fields.len() + 1..).map(|i| format!("{name} {i}"));
        numbered.into_iter().find(|n| !self.names.contains_key(n)).unwrap_or(name)
    }
}

/// Whether an item is the column `expr`, or goes by its name.
fn same(item: &SelectItem, expr: &Expr, name: &str) -> bool {
    let is_bare = |e: &Expr| matches!(e, Expr::Identifier(_));
    match item {
        SelectItem::UnnamedExpr(e) => {
            e == expr || column_name(e) == Some(name) && (is_bare(e) || is_bare(expr))
        }
        SelectItem::ExprWithAlias { alias, .. } => alias.value == name,
        _ => false,
    }
}

/// What is known of a column of a result that is a column of a relation.
fn column_field(expr: &Expr, scope: &Scope<'_>) -> Field {
    let found = column_name(expr).and_then(|name| scope.column(name).ok().flatten());
    let known = found.map(|(_, f)| (f.kind, f.origin));
    let (kind, origin) = known.unwrap_or((None, None));
    Field { name: String::new(), kind, hidden: false, origin }
}

/// Writes `*` out as the columns it stands for.
fn star(
    of: Option<&str>,
    options: &WildcardAdditionalOptions,
    scope: &Scope<'_>,
    merged: &[String],
    list: &mut List,
) -> Result<()> {
    let without = excluded(options)?;
    let one =
        of.map(|name| scope.item(name).ok_or_else(|| Error::input(format!("no relation `{name}` in FROM"))));
    let from: Vec<&Item> = match one.transpose()? {
        Some(item) => vec![item],
        None => scope.items.iter().collect(),
    };
    if from.is_empty() {
        return Err(Error::input("`*` needs a relation after FROM"));
    }
    let mut seen: HashSet<&str> = HashSet::new();
    for (item, field) in from.iter().flat_map(|i| i.fields.iter().map(move |f| (i, f))) {
        let name = field.name.as_str();
        let again = merged.iter().any(|m| m == name) && !seen.insert(name);
        let left_out = without.iter().any(|w| crate::names::loose(w) == crate::names::loose(name));
        if field.hidden || again || left_out {
            continue;
        }
        let column = match item.name.is_empty() || merged.iter().any(|m| m == name) {
            true => Expr::Identifier(quoted(name)),
            false => Expr::CompoundIdentifier(vec![quoted(&item.name), quoted(name)]),
        };
        list.push(column, field.clone());
    }
    Ok(())
}

fn excluded(options: &WildcardAdditionalOptions) -> Result<Vec<String>> {
    if options.opt_ilike.is_some()
        || options.opt_replace.is_some()
        || options.opt_rename.is_some()
        || options.opt_alias.is_some()
    {
        return Err(refused("this form of `*`"));
    }
    let mut names: Vec<String> = Vec::new();
    match &options.opt_exclude {
        Some(ExcludeSelectItem::Single(name)) => names.push(joined(name)?),
        Some(ExcludeSelectItem::Multiple(many)) => {
            for name in many {
                names.push(joined(name)?);
            }
        }
        None => {}
    }
    let except: Vec<&Ident> = options
        .opt_except
        .iter()
        .flat_map(|e| std::iter::once(&e.first_element).chain(&e.additional_elements))
        .collect();
    names.extend(except.into_iter().map(|i| i.value.clone()));
    Ok(names)
}

fn constraint_of(operator: &mut JoinOperator) -> Result<&mut JoinConstraint> {
    use JoinOperator as J;
    match operator {
        J::Join(c) | J::Inner(c) | J::Left(c) | J::LeftOuter(c) | J::Right(c) | J::RightOuter(c) => Ok(c),
        J::FullOuter(c) | J::CrossJoin(c) => Ok(c),
        J::Semi(c) | J::LeftSemi(c) | J::RightSemi(c) | J::Anti(c) | J::LeftAnti(c) | J::RightAnti(c) => {
            Ok(c)
        }
        J::CrossApply
        | J::OuterApply
        | J::AsOf { .. }
        | J::StraightJoin(_)
        | J::ArrayJoin
        | J::LeftArrayJoin
        | J::InnerArrayJoin => Err(refused("this kind of join")),
    }
}

/// Every clause of a SELECT is named: one that a later version of the parser adds does not compile.
fn check_select(select: &Select) -> Result<()> {
    let Select {
        select_token: _,
        optimizer_hints,
        distinct: _,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection: _,
        exclude,
        into,
        from: _,
        lateral_views,
        prewhere,
        selection: _,
        connect_by,
        group_by: _,
        cluster_by,
        distribute_by,
        sort_by,
        having: _,
        named_window: _,
        qualify: _,
        window_before_qualify: _,
        value_table_mode,
        flavor: _,
    } = select;
    let refuse = [
        (into.is_some(), "INTO"),
        (top.is_some(), "TOP"),
        (!lateral_views.is_empty(), "LATERAL VIEW"),
        (prewhere.is_some(), "PREWHERE"),
        (!connect_by.is_empty(), "CONNECT BY"),
        (!cluster_by.is_empty(), "CLUSTER BY"),
        (!distribute_by.is_empty(), "DISTRIBUTE BY"),
        (!sort_by.is_empty(), "SORT BY"),
        (value_table_mode.is_some(), "SELECT AS STRUCT or VALUE"),
        (exclude.is_some(), "EXCLUDE"),
        (select_modifiers.is_some(), "a modifier of SELECT"),
        (!optimizer_hints.is_empty(), "an optimizer hint"),
    ];
    refuse.into_iter().find(|(is, _)| *is).map_or(Ok(()), |(_, what)| Err(refused(what)))
}

fn no_function(name: &str) -> Error {
    Error::input(format!("{name} after FROM is refused: only relations can be read")).hint("name a relation")
}

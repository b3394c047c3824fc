//! Plans as SELECT statements. Nodes are put into one SELECT as long as that means the same; else what is there becomes a
//! query in the FROM clause of another.

use super::key::{Key, column_of, key_of};
use super::{Writer, Written, full_name, unwritten};
use datafusion::common::{DFSchemaRef, JoinType, NullEquality};
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, FetchType, Join, Limit, LogicalPlan, SkipType, Sort, TableScan, Union,
};

/// A query that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Select {
    /// What each column of the plan is made of.
    pub(super) items: Vec<Item>,
    from: String,
    filters: Vec<String>,
    groups: Option<Vec<String>>,
    having: Vec<String>,
    order: Vec<String>,
    limit: Option<(usize, Option<usize>)>,
    is_distinct: bool,
    /// What tells the rows of tables apart, as long as every row is one of theirs.
    pub(super) keys: Vec<Key>,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) sql: String,
    /// Whether it is no more than a column that is there.
    pub(super) is_plain: bool,
}

/// Columns that can be named, innermost last.
pub(super) type Scopes<'a> = Vec<(DFSchemaRef, &'a [Item])>;

/// Writes a plan of whose rows no more than `most` are wanted, and one that tells that there are more.
pub(crate) fn write(
    writer: &mut Writer<'_>,
    plan: &LogicalPlan,
    most: usize,
) -> Written<(String, Vec<usize>)> {
    let mut select = writer.plan(plan, &Vec::new())?;
    select.limit = select.limit.or(Some((0, Some(most.saturating_add(1)))));
    let tables = select.keys.iter().map(|key| key.table).collect();
    Ok((select.sql(true), tables))
}

impl Writer<'_> {
    pub(super) fn plan(&mut self, plan: &LogicalPlan, outer: &Scopes<'_>) -> Written<Select> {
        match plan {
            LogicalPlan::TableScan(scan) => self.scan(scan),
            LogicalPlan::SubqueryAlias(alias) => self.plan(&alias.input, outer),
            LogicalPlan::Projection(p) => self.projection(&p.expr, &p.input, outer),
            LogicalPlan::Filter(f) => self.filter(&f.predicate, &f.input, outer),
            LogicalPlan::Aggregate(a) => self.aggregate(a, outer),
            LogicalPlan::Sort(s) => self.sort(s, outer),
            LogicalPlan::Limit(l) => self.limit(l, outer),
            LogicalPlan::Join(j) => self.join(j, outer),
            LogicalPlan::Union(u) => self.union(u, outer),
            LogicalPlan::Distinct(Distinct::All(input)) => self.distinct(input, outer),
            LogicalPlan::EmptyRelation(e) if e.produce_one_row => Ok(Select::default()),
            other => unwritten(format!("the step {}", step(other))),
        }
    }

    fn scan(&mut self, scan: &TableScan) -> Written<Select> {
        let Some(number) = self.tables.iter().position(|t| t.name == scan.table_name.table()) else {
            return unwritten("a table that is not known");
        };
        let Some(home) = self.tables.get(number).and_then(|t| t.provider.home()) else {
            return unwritten("a table that is kept here");
        };
        if !scan.filters.is_empty() || scan.fetch.is_some() {
            return unwritten("a scan with conditions");
        }
        let alias = self.alias();
        let every = || (0..self.tables.get(number).map_or(0, |t| t.fields.len())).collect();
        let wanted: Vec<usize> = scan.projection.clone().unwrap_or_else(every);
        let items = wanted.iter().map(|i| column_of(home, *i, &alias)).collect();
        let keys = key_of(home, &alias).map(|sql| Key { table: number, sql }).into_iter().collect();
        Ok(Select { items, from: format!("{} AS {alias}", full_name(home)), keys, ..Select::default() })
    }

    fn projection(&mut self, exprs: &[Expr], input: &LogicalPlan, outer: &Scopes<'_>) -> Written<Select> {
        let mut select = self.plan(input, outer)?;
        // What is computed is computed once.
        let computes = select.groups.is_none() && select.items.iter().any(|i| !i.is_plain);
        if select.is_distinct || computes && !exprs.iter().all(passes) {
            if !select.order.is_empty() && select.limit.is_none() {
                return unwritten("an order inside of a query");
            }
            select = self.derived(select);
        }
        let items = {
            let scopes = within(outer, input, &select.items);
            exprs.iter().map(|e| self.item(e, &scopes)).collect::<Written<Vec<_>>>()?
        };
        select.items = items;
        Ok(select)
    }

    fn item(&mut self, expr: &Expr, scopes: &Scopes<'_>) -> Written<Item> {
        let sql = self.expr(expr, scopes)?;
        let is_plain = passes(expr) && self.is_plain(expr, scopes);
        Ok(Item { sql, is_plain })
    }

    fn filter(&mut self, predicate: &Expr, input: &LogicalPlan, outer: &Scopes<'_>) -> Written<Select> {
        let mut select = self.plan(input, outer)?;
        if select.limit.is_some() || select.is_distinct {
            select = self.derived(select);
        }
        let condition = self.expr(predicate, &within(outer, input, &select.items))?;
        match select.groups {
            Some(_) => select.having.push(condition),
            None => select.filters.push(condition),
        }
        Ok(select)
    }

    fn aggregate(&mut self, aggregate: &Aggregate, outer: &Scopes<'_>) -> Written<Select> {
        let mut select = self.plan(&aggregate.input, outer)?;
        if select.groups.is_some() || select.limit.is_some() || select.is_distinct {
            select = self.derived(select);
        }
        let scopes = within(outer, &aggregate.input, &select.items);
        let mut groups = Vec::new();
        for expr in &aggregate.group_expr {
            // A number would be read as the number of a column.
            if is_literal(expr) {
                return unwritten("a group by a constant");
            }
            groups.push(self.expr(expr, &scopes)?);
        }
        let mut items: Vec<Item> =
            groups.iter().map(|sql| Item { sql: sql.clone(), is_plain: true }).collect();
        for expr in &aggregate.aggr_expr {
            items.push(Item { sql: self.expr(expr, &scopes)?, is_plain: false });
        }
        Ok(Select { items, groups: Some(groups), order: Vec::new(), keys: Vec::new(), ..select })
    }

    fn sort(&mut self, sort: &Sort, outer: &Scopes<'_>) -> Written<Select> {
        let mut select = self.plan(&sort.input, outer)?;
        if select.limit.is_some() || select.is_distinct {
            select = self.derived(select);
        }
        let scopes = within(outer, &sort.input, &select.items);
        let mut order = Vec::new();
        for by in &sort.expr {
            if is_literal(&by.expr) {
                return unwritten("an order by a constant");
            }
            let sql = self.ordered(&by.expr, &scopes)?;
            let direction = if by.asc { "ASC" } else { "DESC" };
            let nulls = if by.nulls_first { "FIRST" } else { "LAST" };
            order.push(format!("{sql} {direction} NULLS {nulls}"));
        }
        select.order = order;
        if let Some(fetch) = sort.fetch {
            select.limit = Some((0, Some(fetch)));
        }
        Ok(select)
    }

    fn limit(&mut self, limit: &Limit, outer: &Scopes<'_>) -> Written<Select> {
        let mut select = self.plan(&limit.input, outer)?;
        if select.limit.is_some() {
            select = self.derived(select);
        }
        let (Ok(SkipType::Literal(skip)), Ok(FetchType::Literal(fetch))) =
            (limit.get_skip_type(), limit.get_fetch_type())
        else {
            return unwritten("a limit that is computed");
        };
        select.limit = Some((skip, fetch));
        Ok(select)
    }

    fn distinct(&mut self, input: &LogicalPlan, outer: &Scopes<'_>) -> Written<Select> {
        let mut select = self.plan(input, outer)?;
        if select.limit.is_some() || !select.order.is_empty() || select.is_distinct {
            select = self.derived(select);
        }
        Ok(Select { is_distinct: true, keys: Vec::new(), ..select })
    }

    fn join(&mut self, join: &Join, outer: &Scopes<'_>) -> Written<Select> {
        let word = match join.join_type {
            JoinType::Inner => "JOIN",
            JoinType::Left => "LEFT JOIN",
            JoinType::Right => "RIGHT JOIN",
            JoinType::Full => "FULL JOIN",
            _ => return unwritten("a join of this kind"),
        };
        if join.null_equality != NullEquality::NullEqualsNothing {
            return unwritten("a join in which nothing equals nothing");
        }
        let (left, right) = (self.side(&join.left, outer)?, self.side(&join.right, outer)?);
        let items = [left.items, right.items].concat();
        let scopes = schema_within(outer, &join.schema, &items);
        let mut conditions = Vec::new();
        for (l, r) in &join.on {
            conditions.push(self.equal(l, r, &scopes)?);
        }
        if let Some(filter) = &join.filter {
            conditions.push(self.expr(filter, &scopes)?);
        }
        let on = if conditions.is_empty() { "TRUE".to_owned() } else { conditions.join(" AND ") };
        let from = format!("({} {word} {} ON {on})", left.from, right.from);
        Ok(Select { items, from, keys: [left.keys, right.keys].concat(), ..Select::default() })
    }

    /// One side of a join: what can stand in a FROM clause as it is, or as a query.
    fn side(&mut self, plan: &LogicalPlan, outer: &Scopes<'_>) -> Written<Select> {
        let select = self.plan(plan, outer)?;
        Ok(if select.is_bare() { select } else { self.derived(select) })
    }

    fn union(&mut self, union: &Union, outer: &Scopes<'_>) -> Written<Select> {
        let mut parts = Vec::new();
        for input in &union.inputs {
            let select = self.plan(input, outer)?;
            parts.push(format!("({})", select.sql(false)));
        }
        let alias = self.alias();
        let items = named(&alias, union.schema.fields().len());
        Ok(Select { items, from: format!("({}) AS {alias}", parts.join(" UNION ALL ")), ..Select::default() })
    }

    /// A query as a table of another.
    pub(super) fn derived(&mut self, select: Select) -> Select {
        let alias = self.alias();
        let items = named(&alias, select.items.len());
        let key = |(i, key): (usize, &Key)| Key { table: key.table, sql: format!("{alias}.k{i}") };
        let keys = select.keys.iter().enumerate().map(key).collect();
        Select { items, keys, from: format!("({}) AS {alias}", select.sql(true)), ..Select::default() }
    }
}

fn named(alias: &str, width: usize) -> Vec<Item> {
    (0..width).map(|i| Item { sql: format!("{alias}.c{i}"), is_plain: true }).collect()
}

impl Select {
    /// Whether its FROM clause alone means the same.
    fn is_bare(&self) -> bool {
        let is_whole = self.filters.is_empty() && self.groups.is_none() && self.limit.is_none();
        is_whole && !self.is_distinct && self.items.iter().all(|i| i.is_plain) && !self.from.is_empty()
    }

    /// The query, with or without the columns that tell its rows apart.
    pub(super) fn sql(&self, with_keys: bool) -> String {
        let mut items: Vec<String> =
            self.items.iter().enumerate().map(|(i, item)| format!("{} AS c{i}", item.sql)).collect();
        if with_keys {
            items.extend(self.keys.iter().enumerate().map(|(i, key)| format!("{} AS k{i}", key.sql)));
        }
        let distinct = if self.is_distinct { "DISTINCT " } else { "" };
        let mut sql = format!("SELECT {distinct}{}", items.join(", "));
        let mut clause = |word: &str, parts: &[String], between: &str| {
            if !parts.is_empty() {
                sql.push_str(&format!(" {word} {}", parts.join(between)));
            }
        };
        if !self.from.is_empty() {
            clause("FROM", std::slice::from_ref(&self.from), "");
        }
        clause("WHERE", &self.filters, " AND ");
        clause("GROUP BY", self.groups.as_deref().unwrap_or_default(), ", ");
        clause("HAVING", &self.having, " AND ");
        clause("ORDER BY", &self.order, ", ");
        if let Some((skip, fetch)) = self.limit {
            sql.push_str(&fetch.map_or(String::new(), |n| format!(" LIMIT {n}")));
            sql.push_str(&if skip > 0 { format!(" OFFSET {skip}") } else { String::new() });
        }
        sql
    }
}

/// The columns of a plan, within those that can be named around it.
fn within<'s>(outer: &Scopes<'s>, plan: &LogicalPlan, items: &'s [Item]) -> Scopes<'s> {
    schema_within(outer, plan.schema(), items)
}

fn schema_within<'s>(outer: &Scopes<'s>, schema: &DFSchemaRef, items: &'s [Item]) -> Scopes<'s> {
    let mut scopes = outer.clone();
    scopes.push((schema.clone(), items));
    scopes
}

/// Whether an expression only passes a column on.
fn passes(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) => true,
        Expr::Alias(alias) => passes(&alias.expr),
        _ => false,
    }
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(..) => true,
        Expr::Alias(alias) => is_literal(&alias.expr),
        _ => false,
    }
}

/// What a step is called.
fn step(plan: &LogicalPlan) -> String {
    let shown = plan.display().to_string();
    shown.chars().take_while(char::is_ascii_alphanumeric).collect()
}

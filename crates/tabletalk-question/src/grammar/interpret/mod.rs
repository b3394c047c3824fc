//! From the parts of a question to the program that it means.

mod best;
mod change;
mod column;
mod count;
mod fold;
mod group;
mod look_up;
mod name;
mod row;

use crate::execute;
use crate::grammar::annotate::Fit;
use crate::grammar::frame::{Frame, Named, Wh};
use crate::grammar::lexicon::{Concept, Period};
use crate::grammar::role::{Roles, is_text};
use crate::grid::{Field, Grid, Measure};
use crate::program::{Ask, Condition, Fold, Key, Program, Rows, Test};
use fold::is_reading;

/// What people add up when several rows are meant.
const ADDITIVE: [Concept; 10] = [
    Concept::Money,
    Concept::Revenue,
    Concept::Expense,
    Concept::Income,
    Concept::Quantity,
    Concept::Profit,
    Concept::Hours,
    Concept::Tax,
    Concept::Stock,
    Concept::Attendance,
];

/// Units in which people add up: money, energy, and what is used or moved.
const ADDED_UNITS: [&str; 16] =
    ["€", "eur", "$", "usd", "£", "gbp", "chf", "¥", "元", "万元", "kwh", "mwh", "kg", "t", "km", "l"];

/// Words that mean money.
const MONEY: [Concept; 8] = [
    Concept::Money,
    Concept::Expense,
    Concept::Revenue,
    Concept::Price,
    Concept::Salary,
    Concept::Income,
    Concept::Rent,
    Concept::Balance,
];

/// A program with the trust that its reading deserves.
pub(crate) struct Interpreter<'a> {
    pub grid: &'a Grid,
    pub roles: &'a Roles,
    /// The rows of the answer before.
    pub before: Option<&'a [u64]>,
    pub frame: Frame,
}

impl Interpreter<'_> {
    /// The program, and how far it can be trusted.
    pub(crate) fn program(mut self) -> Option<(Program, f32)> {
        // `how much longer is A than B`
        if self.frame.than
            && self.frame.comparative.is_some()
            && (self.has(Wh::HowMuch) || self.has(Wh::HowMany))
        {
            self.frame.difference = true;
            self.frame.counted |= self.has(Wh::HowMany);
            self.frame.wh.retain(|(_, wh)| *wh != Wh::HowMany);
        }
        self.settle();
        self.set_apart();
        let (rows, ask) = self.read()?;
        // A verb that is not known is borne only beside a column that was named.
        let is_named =
            self.frame.columns.iter().any(|c| c.fit >= Fit::Compound && ask.columns().contains(&c.column));
        if self.frame.verb && !self.bears_verb(&ask) && (!is_named || self.has(Wh::HowMany))
            || self.frame.change
                && !self.frame.difference
                && !matches!(ask, Ask::RowGrowth(..) | Ask::Growth(..))
        {
            return None;
        }
        if self.frame.than && !self.frame.difference || self.frame.people && !self.has_people() {
            return None;
        }
        if self.gives_ids(&ask) || self.adds_repeated(&ask) {
            return None;
        }
        let ask = self.whole_name(ask);
        if self.may_count(&rows, &ask) {
            self.doubt(0.7);
        }
        Some((Program { rows, ask }, self.frame.trust))
    }

    /// Whether a verb that is not known says no more than the numbers that are asked for: the only numbers of the table, as its months
    /// side by side are, or those of a column that stands right after `how many`.
    fn bears_verb(&self, ask: &Ask) -> bool {
        let columns = match ask {
            Ask::Cells(column) | Ask::Fold(Fold::Sum, column) | Ask::Difference(column, _) => vec![*column],
            Ask::Across(Fold::Sum, columns) => columns.clone(),
            _ => return false,
        };
        // What separates two, and what more than so many were of, is no sum.
        let is_plain = |test: &Test| match test {
            Test::Is(values) => values.len() == 1,
            other => !matches!(
                other,
                Test::More(_) | Test::Less(_) | Test::AtLeast(_) | Test::AtMost(_) | Test::Not(_)
            ),
        };
        if !self.frame.difference && !self.frame.conditions.iter().all(|(_, c)| is_plain(&c.test)) {
            return false;
        }
        let mut series = self.number_series();
        series.extend(self.total_of_series());
        let asked = self.frame.wh.iter().find(|(_, wh)| *wh == Wh::HowMany).map(|(at, _)| *at);
        let counts_units = self.frame.counts_units;
        let follows = |c: &usize| {
            let named = self.frame.columns.iter().find(|n| n.column == *c);
            counts_units && asked.zip(named).is_some_and(|(at, n)| n.at > at && n.at <= at + 3)
        };
        !columns.is_empty() && columns.iter().all(|c| series.contains(c) || follows(c) && self.is_measure(*c))
    }

    /// Whether numbers are added up that stand at several rows because these refer to the same thing: the fees of a customer, once for
    /// each order.
    fn adds_repeated(&self, ask: &Ask) -> bool {
        let Some(view) = self.grid.view() else { return false };
        let adds = |ask: &Ask| match ask {
            Ask::Fold(Fold::Sum | Fold::Average, column)
            | Ask::ShareOf(column, _)
            | Ask::FoldDifference(_, column, _)
            | Ask::Group { sum: Some(column), .. } => view.is_repeated(*column),
            Ask::Across(_, columns) | Ask::EachColumn(_, columns) => {
                columns.iter().any(|c| view.is_repeated(*c))
            }
            _ => false,
        };
        match ask {
            Ask::By(by) => adds(&by.ask),
            other => adds(other),
        }
    }

    /// Whether words name several rows and ask nothing of them: `boxes sent to Bristol` may want to see them, or how many there are.
    fn may_count(&self, rows: &Rows, ask: &Ask) -> bool {
        let frame = &self.frame;
        let is_bare =
            frame.wh.is_empty() && !frame.all && frame.superlatives.is_empty() && self.before.is_none();
        let is_list =
            matches!(ask, Ask::Cells(column) if is_text(self.grid, *column) || self.is_row_key(*column));
        // `the ids of the lost shipments`
        let names = matches!(ask, Ask::Cells(column) if frame.says_id || self.roles.is_about(*column, Concept::Title));
        is_bare
            && is_list
            && !names
            && rows.pick.is_none()
            && self.grid.is_whole()
            && self.selected(rows).len() > 1
    }

    /// Whether a program gives any value.
    fn gives_something(&self, (rows, ask): &(Rows, Ask)) -> bool {
        let program = Program { rows: rows.clone(), ask: ask.clone() };
        execute::execute(&program, self.grid).is_some_and(|a| a.values.iter().any(|v| !v.trim().is_empty()))
    }

    /// Things that are asked about one by one are groups: `the averages of boys and girls`.
    fn set_apart(&mut self) {
        let folds = self.frame.average.is_some() || self.frame.sum.is_some() || self.has(Wh::HowMany);
        let several = |c: &&(usize, Condition)| {
            matches!(&c.1.test, Test::Is(values) if values.len() > 1)
                && (self.frame.each || self.roles.is_about(c.1.column, Concept::Gender))
        };
        let found = self.frame.conditions.iter().find(several).map(|(at, c)| (*at, c.column));
        if let Some((at, column)) = found.filter(|_| folds && self.frame.keys.is_empty()) {
            self.frame.keys.push((at, Key { column, period: None }));
        } else if self.frame.each && self.frame.average.is_some() && self.frame.keys.is_empty() {
            // `几家快递公司的平均运费分别是多少`
            let [column] = self.others()[..] else { return };
            self.frame.keys.push((0, Key { column, period: None }));
            self.frame.columns.retain(|c| c.column != column);
            self.frame.wh.retain(|(_, wh)| *wh != Wh::HowMany);
        }
    }

    /// A column that only says what kind of value was given is not asked for.
    pub(super) fn settle(&mut self) {
        let is_verb = |c: &Named| {
            let is_day = self.field(c.column).is_some_and(|f| f.measure == Measure::Day);
            let sells = self.roles.measures.iter().any(|m| self.roles.is_about(*m, Concept::Quantity));
            let is_verb = c.fit == Fit::Synonym || c.is_verb && c.fit != Fit::Exact;
            is_verb && is_day && !sells && !self.lacks_some(c.column)
        };
        if self.has(Wh::HowMany) || !self.frame.claims.is_empty() {
            // `orders placed`: all of them have such a day.
            let kept: Vec<Named> = self.frame.columns.iter().filter(|c| !is_verb(c)).copied().collect();
            self.frame.columns = kept;
        }
        self.drop_verbs();
        let given: Vec<usize> = self.frame.conditions.iter().map(|(_, c)| c.column).collect();
        let series = self.roles.series();
        self.frame.columns.retain(|c| {
            !given.contains(&c.column)
                || series.contains(&c.column)
                || self.roles.measures.contains(&c.column)
        });
    }

    /// Who paid in cash is asked for no amount.
    fn drop_verbs(&mut self) {
        let frame = &self.frame;
        let asks = self.has(Wh::Who) || self.has(Wh::Which);
        let is_plain = frame.superlatives.is_empty()
            && frame.sum.is_none()
            && frame.average.is_none()
            && frame.keys.is_empty()
            && !frame.conditions.is_empty();
        let is_money = |c: usize| self.is_measure(c) && MONEY.iter().any(|k| self.roles.is_about(c, *k));
        let paid = |c: &Named| is_plain && asks && c.fit == Fit::Synonym && is_money(c.column);
        let kept: Vec<Named> = frame.columns.iter().filter(|c| !paid(c)).copied().collect();
        self.frame.columns = kept;
    }

    /// Whether rows are counted.
    fn counts(&self) -> bool {
        self.has(Wh::HowMany) || self.frame.claims.iter().any(|c| c.counts)
    }

    fn read(&mut self) -> Option<(Rows, Ask)> {
        if !self.frame.marked.is_empty() {
            let found = self.computed_row()?;
            if !self.frame.marked_sum || !self.grid.is_whole() || self.gives_something(&found) {
                return Some(found);
            }
            // Nobody computed the total that is asked for.
            self.frame.marked.clear();
            self.frame.sum.get_or_insert(0);
        }
        let rows = self.rows();
        if let Some(ask) = self.beside_label(&rows) {
            return Some((rows, ask));
        }
        if self.frame.rank {
            return self.rank(rows);
        }
        if let Some(found) = self.groups_above() {
            return Some(found);
        }
        self.order_key();
        let per_row = self.frame.average.is_some()
            && self.frame.keys.iter().all(|(_, k)| {
                matches!(k.period, None | Some(Period::Day))
                    && (self.field(k.column).is_some_and(Field::is_key) || self.is_unique(k.column, &rows))
            });
        if per_row {
            // `the average per employee` of a table with a row for each.
            self.frame.keys.clear();
        }
        if self.frame.change && self.frame.share {
            return self.grown_column().or_else(|| self.grown());
        }
        let found = if !self.frame.keys.is_empty() {
            self.by()
        } else if self.frame.difference {
            return self.difference();
        } else if self.frame.share {
            self.share()
        } else if !self.frame.superlatives.is_empty() {
            return self.superlative(rows);
        } else if self.has(Wh::HowMany) && self.frame.average.is_none() {
            self.count(&rows)
        } else if self.frame.sum.is_some() || self.frame.average.is_some() {
            self.fold(&rows)
        } else {
            self.look_up(&rows)
        };
        let ask = found?;
        let rows = if self.frame.filled.is_some() { self.rows() } else { rows };
        let has_rows = self.has_rows(&rows) || matches!(ask, Ask::Count) && rows.conditions.len() > 1;
        has_rows.then_some((rows, ask))
    }

    fn has(&self, wh: Wh) -> bool {
        self.frame.wh.iter().any(|(_, w)| *w == wh)
    }

    pub(super) fn doubt(&mut self, factor: f32) {
        self.frame.trust *= factor;
    }

    pub(super) fn rows(&self) -> Rows {
        let within = self.before.filter(|_| self.frame.among).map(<[u64]>::to_vec);
        let conditions = self.frame.conditions.iter().map(|(_, c)| c.clone()).collect();
        Rows { within, conditions, ..Rows::default() }
    }

    pub(super) fn field(&self, column: usize) -> Option<&Field> {
        self.grid.columns.get(column)
    }

    pub(crate) fn selected(&self, rows: &Rows) -> Vec<u32> {
        execute::select(rows, self.grid)
    }

    /// Whether some row is meant; of a part of a table that cannot be told.
    pub(super) fn has_rows(&self, rows: &Rows) -> bool {
        !self.grid.is_whole() || !self.selected(rows).is_empty()
    }

    /// Whether exactly one row is meant.
    pub(super) fn is_one(&self, rows: &Rows) -> bool {
        match self.grid.is_whole() {
            true => self.selected(rows).len() == 1,
            false => rows.conditions.iter().any(|c| {
                let is_key = self.field(c.column).is_some_and(Field::is_key);
                is_key && matches!(&c.test, Test::Is(values) if values.len() == 1)
            }),
        }
    }

    fn is_measure(&self, column: usize) -> bool {
        let is_number = |f: &Field| {
            f.is_lead_number()
                || f.measure == Measure::Lead
                    && f.cells.iter().filter(|c| c.size.is_some()).all(|c| is_out_of(&c.text))
        };
        let leads = self.field(column).is_some_and(|f| is_number(f) && !f.is_year() && !is_padded(f));
        let lasts =
            self.field(column).is_some_and(|f| f.measure == Measure::Clock) && !self.is_of_day(column);
        lasts || self.roles.measures.contains(&column) || leads && !self.roles.is_code(self.grid, column)
    }

    /// The named columns of numbers, the best fitting first.
    pub(super) fn measures(&self) -> Vec<usize> {
        let mut named: Vec<&Named> =
            self.frame.columns.iter().filter(|c| self.is_measure(c.column)).collect();
        named.sort_by_key(|c| std::cmp::Reverse(c.fit));
        let best = named.first().map(|c| c.fit);
        let mut columns: Vec<usize> =
            named.iter().filter(|c| Some(c.fit) == best || c.fit >= Fit::Part).map(|c| c.column).collect();
        columns.dedup();
        columns
    }

    /// The columns named beside those of numbers.
    pub(super) fn others(&self) -> Vec<usize> {
        let mut columns: Vec<usize> =
            self.frame.columns.iter().map(|c| c.column).filter(|c| !self.is_measure(*c)).collect();
        columns.dedup();
        columns
    }

    /// The columns of a series that are meant: those named, else all.
    fn series(&self) -> Vec<usize> {
        let series = self.roles.series();
        let named: Vec<usize> = self.measures().into_iter().filter(|c| series.contains(c)).collect();
        if named.is_empty() { series } else { named }
    }

    /// Whether a column tells rows apart, so that counting its values is counting rows.
    fn is_row_key(&self, column: usize) -> bool {
        self.field(column).is_some_and(Field::is_key) || self.roles.is_code(self.grid, column)
    }

    pub(super) fn is_additive(&self, column: usize) -> bool {
        let field = self.field(column);
        let is_percent = field.is_some_and(Field::is_percent);
        let is_price =
            self.roles.is_about(column, Concept::Price) && !self.roles.is_about(column, Concept::Expense);
        let unit = field.and_then(|f| f.unit.as_deref()).unwrap_or_default().to_lowercase();
        let adds =
            ADDITIVE.iter().any(|k| self.roles.is_about(column, *k)) || ADDED_UNITS.contains(&unit.as_str());
        !is_percent && !is_price && adds && !field.is_some_and(is_reading)
    }

    fn is_of_time(&self, column: usize) -> bool {
        self.field(column).is_some_and(|f| f.measure == Measure::Day || f.is_year())
    }

    fn is_unique(&self, column: usize, rows: &Rows) -> bool {
        let Some(field) = self.field(column) else { return false };
        if !self.grid.is_whole() {
            return field.is_key();
        }
        let mut keys: Vec<&str> = self
            .selected(rows)
            .iter()
            .filter_map(|r| field.cells.get(*r as usize))
            .map(|c| c.key.as_str())
            .collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        keys.len() == all
    }

    /// Whether some rows have nothing in a column.
    fn lacks_some(&self, column: usize) -> bool {
        self.field(column).is_some_and(|f| f.cells.iter().any(|c| c.is_missing(f.kind)))
    }
}

/// Whether numbers are written with zeros before them, as codes are.
fn is_padded(field: &Field) -> bool {
    field.cells.iter().any(|c| c.text.len() > 1 && c.text.starts_with('0') && !c.text.contains(['.', ',']))
}

/// Whether a text is a number out of another: `8.5/10`.
fn is_out_of(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.trim().parse::<f64>().is_ok();
    text.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b))
}

//! From the parts of a question to the program that it means.

use super::annotate::Fit;
use super::frame::{Frame, Named, Superlative, Wh};
use super::lexicon::{Concept, Period};
use super::role::{Roles, is_text};
use crate::execute;
use crate::grid::{Field, Grid, Measure};
use crate::program::{Ask, By, Condition, Fold, Key, Pick, Program, Rows, Test};
use crate::word::Word;
use tabletalk_core::Kind;

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

/// Columns with more different values are no list of choices.
const CHOICES: usize = 30;

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
        if self.frame.verb && (!is_named || self.has(Wh::HowMany))
            || self.frame.change
                && !self.frame.difference
                && !matches!(ask, Ask::RowGrowth(..) | Ask::Growth(..))
        {
            return None;
        }
        if self.frame.than && !self.frame.difference || self.frame.people && !self.has_people() {
            return None;
        }
        if self.gives_ids(&ask) {
            return None;
        }
        let ask = self.whole_name(ask);
        Some((Program { rows, ask }, self.frame.trust))
    }

    /// Both columns of a name that stands in two, where neither was asked for.
    fn whole_name(&self, ask: Ask) -> Ask {
        let Ask::Cells(column) = ask else { return ask };
        let is_named = self.frame.columns.iter().any(|c| c.column == column);
        if is_named || !self.is_part_of_name(column) {
            return ask;
        }
        let is_other = |c: &usize| *c != column && is_text(self.grid, *c) && self.is_part_of_name(*c);
        let mut others = (0..self.grid.columns.len()).filter(is_other);
        match (others.next(), others.next()) {
            (Some(other), None) => Ask::Table(vec![column.min(other), column.max(other)]),
            _ => ask,
        }
    }

    /// Whether an answer is of numbers such as `room_id`, which stand for rows of another table, though nobody asked for
    /// numbers.
    fn gives_ids(&self, ask: &Ask) -> bool {
        let is_id = |column: usize| {
            let says = |w: &Word| matches!(w.text.as_str(), "id" | "fk");
            let named = self.roles.names.get(column).and_then(|n| n.first());
            column > 0
                && self.field(column).is_some_and(|f| f.kind == Kind::Integer && !f.is_key())
                && named.is_some_and(|n| n.len() > 1 && n.iter().any(says))
        };
        let given: Vec<usize> = match ask {
            Ask::Cells(column) | Ask::Group { column, .. } => vec![*column],
            Ask::By(by) => by.keys.iter().map(|k| k.column).collect(),
            _ => Vec::new(),
        };
        !self.frame.says_id && given.into_iter().any(is_id)
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
        }
    }

    /// A column that only says what kind of value was given is not asked for.
    pub(super) fn settle(&mut self) {
        let is_verb = |c: &Named| {
            let is_day = self.field(c.column).is_some_and(|f| f.measure == Measure::Day);
            let sells = self.roles.measures.iter().any(|m| self.roles.is_about(*m, Concept::Quantity));
            c.fit == Fit::Synonym && is_day && !sells && !self.lacks_some(c.column)
        };
        if self.has(Wh::HowMany) || !self.frame.claims.is_empty() {
            // `orders placed`: all of them have such a day.
            let kept: Vec<Named> = self.frame.columns.iter().filter(|c| !is_verb(c)).copied().collect();
            self.frame.columns = kept;
        }
        let given: Vec<usize> = self.frame.conditions.iter().map(|(_, c)| c.column).collect();
        let series = self.roles.series();
        self.frame.columns.retain(|c| {
            !given.contains(&c.column)
                || series.contains(&c.column)
                || self.roles.measures.contains(&c.column)
        });
    }

    /// Whether rows are counted.
    fn counts(&self) -> bool {
        self.has(Wh::HowMany) || self.frame.claims.iter().any(|c| c.counts)
    }

    /// Whether the rows can be people.
    pub(super) fn has_people(&self) -> bool {
        let is_named = |c: usize| self.field(c).is_some_and(has_names) && self.roles.series().is_empty();
        let person = self.roles.person(self.grid);
        // The rows of one customer are no people.
        if person.is_some_and(|p| self.frame.conditions.iter().any(|(_, c)| c.column == p)) && self.counts() {
            return false;
        }
        self.roles.person(self.grid).is_some() || self.roles.key(self.grid).is_some_and(is_named)
    }

    fn read(&mut self) -> Option<(Rows, Ask)> {
        if !self.frame.marked.is_empty() {
            return self.computed_row();
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
                    && self.field(k.column).is_some_and(Field::is_key)
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

    /// The value beside the one label of a form that is named, whatever it is asked by: `who is the agent`.
    fn beside_label(&self, rows: &Rows) -> Option<Ask> {
        let asks = [Wh::Who, Wh::When, Wh::Where, Wh::HowMany, Wh::HowMuch].iter().any(|wh| self.has(*wh));
        let frame = &self.frame;
        let is_plain = frame.keys.is_empty()
            && frame.superlatives.is_empty()
            && frame.sum.is_none()
            && frame.average.is_none()
            && !frame.share
            && !frame.difference
            && frame.columns.is_empty();
        let [Condition { column: 0, test: Test::Is(values) }] = rows.conditions.as_slice() else {
            return None;
        };
        if self.roles.labels.is_empty() || !asks || !is_plain || values.len() != 1 || !self.is_one(rows) {
            return None;
        }
        let value = self.selected(rows).first().and_then(|r| self.grid.at(1, *r))?;
        let fits = !self.has(Wh::HowMany) || value.text.starts_with(|c: char| c.is_ascii_digit());
        fits.then_some(Ask::Cells(1))
    }

    /// Which place a row takes by a column, the largest first.
    fn rank(&mut self, rows: Rows) -> Option<(Rows, Ask)> {
        let is_plain = self.frame.sum.is_none() && self.frame.average.is_none() && !self.frame.share;
        if !is_plain || rows.conditions.len() != 1 || !self.is_one(&rows) || self.frame.superlatives.len() > 1
        {
            return None;
        }
        let column = self.keyed_measure().or_else(|| self.measure())?;
        let is_least = self.frame.superlatives.iter().any(|s| !s.most);
        Some((rows, Ask::Rank(column, !is_least)))
    }

    /// The column that is compared by where it was said as a key: `ranked by revenue`.
    fn keyed_measure(&mut self) -> Option<usize> {
        let [(_, key)] = self.frame.keys.as_slice() else { return None };
        let column = key.column;
        let is = key.period.is_none() && self.is_measure(column) && self.measures().is_empty();
        is.then_some(column)
    }

    /// The groups whose sum is above a bound: `which cities sold more than 500 in total`.
    fn groups_above(&mut self) -> Option<(Rows, Ask)> {
        let frame = &self.frame;
        let asks = [Wh::Who, Wh::Which, Wh::Show].iter().any(|wh| self.has(*wh));
        let is_plain = frame.keys.is_empty() && frame.superlatives.is_empty() && frame.average.is_none();
        let is_else = self.has(Wh::HowMany) || self.has(Wh::HowMuch) || frame.share || frame.difference;
        if frame.sum.is_none() || !asks || !is_plain || is_else {
            return None;
        }
        let is_bound = |c: &Condition| {
            let bounds = matches!(c.test, Test::More(_) | Test::Less(_) | Test::AtLeast(_) | Test::AtMost(_));
            bounds && self.field(c.column).is_some_and(|f| f.is_number() && !f.is_year())
        };
        let (bounds, kept): (Vec<_>, Vec<_>) =
            frame.conditions.iter().map(|(_, c)| c.clone()).partition(is_bound);
        let [bound] = bounds.as_slice() else { return None };
        let column = bound.column;
        let thing = self.thing_beside(column)?;
        let rows = Rows { conditions: kept, ..Rows::default() };
        if !is_text(self.grid, thing) || self.is_unique(thing, &rows) || !self.is_additive(column) {
            return None;
        }
        let by = By {
            keys: vec![Key { column: thing, period: None }],
            ask: Box::new(Ask::Fold(Fold::Sum, column)),
            order: None,
            limit: None,
            having: Some(bound.test.clone()),
            bare: true,
        };
        Some((rows, Ask::By(by)))
    }

    /// `the largest by area`: what follows is what is compared, and makes no groups.
    fn order_key(&mut self) {
        let [(at, key)] = self.frame.keys.as_slice() else { return };
        let is_order = key.period.is_none() && self.is_measure(key.column);
        let is_bare =
            self.frame.superlatives.iter().all(|s| s.concept.is_none()) && self.frame.verbs.is_empty();
        if is_order && is_bare && self.measures().is_empty() && self.frame.superlatives.len() == 1 {
            let named = Named { at: *at, column: key.column, fit: Fit::Exact, is_verb: false };
            self.frame.keys.clear();
            self.frame.columns.push(named);
        }
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

    fn selected(&self, rows: &Rows) -> Vec<u32> {
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
        let leads = self.field(column).is_some_and(|f| f.is_lead_number() && !f.is_year() && !is_padded(f));
        self.roles.measures.contains(&column) || leads && !self.roles.is_code(self.grid, column)
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

    /// The column that is calculated with: the named one, else the only one that can be meant.
    pub(super) fn measure(&mut self) -> Option<usize> {
        match self.measures().as_slice() {
            [only] => return Some(*only),
            [] => {}
            _ => return None,
        }
        let series = self.roles.series();
        let is_own = |c: &usize| !series.contains(c) && !self.field(*c).is_some_and(|f| f.is_derived);
        let plain: Vec<usize> = self.roles.measures.iter().copied().filter(is_own).collect();
        if let [only] = plain.as_slice()
            && series.is_empty()
        {
            self.doubt(0.94);
            return Some(*only);
        }
        let wants_money = self.has(Wh::HowMuch) || !self.frame.verbs.is_empty();
        let concepts: &[Concept] = if wants_money { &MONEY } else { &[] };
        let mut fit: Vec<usize> =
            plain.iter().copied().filter(|c| concepts.iter().any(|k| self.roles.is_about(*c, *k))).collect();
        // What is left in an account is not what was paid.
        if fit.len() > 1 {
            fit.retain(|c| !self.roles.is_about(*c, Concept::Balance));
        }
        // What one thing costs is its price.
        if fit.len() > 1
            && self.frame.verbs.is_empty()
            && self.frame.sum.is_none()
            && self.is_one(&self.rows())
        {
            fit.retain(|c| {
                self.roles.is_about(*c, Concept::Price) && !self.roles.is_about(*c, Concept::Revenue)
            });
        }
        let [only] = fit.as_slice() else { return None };
        self.doubt(0.9);
        Some(*only)
    }

    /// The columns of a series that are meant: those named, else all.
    fn series(&self) -> Vec<usize> {
        let series = self.roles.series();
        let named: Vec<usize> = self.measures().into_iter().filter(|c| series.contains(c)).collect();
        if named.is_empty() { series } else { named }
    }

    /// A cell of a total or another computed row.
    pub(super) fn computed_row(&mut self) -> Option<(Rows, Ask)> {
        let [row] = self.frame.marked.as_slice() else { return None };
        let marked = Rows { within: Some(vec![*row]), computed: true, ..Rows::default() };
        if let [superlative] = self.frame.superlatives.as_slice()
            && self.frame.conditions.is_empty()
            && self.frame.keys.is_empty()
        {
            let best = self.best_of_series(*superlative)?;
            return Some((marked, best));
        }
        if !self.frame.conditions.is_empty()
            || !self.frame.keys.is_empty()
            || !self.frame.superlatives.is_empty()
        {
            return None;
        }
        let rows = marked;
        let column = match self.measures().as_slice() {
            [only] => *only,
            [] => {
                let [only] = self.roles.measures.as_slice() else { return None };
                *only
            }
            _ => return None,
        };
        Some((rows, Ask::Cells(column)))
    }

    fn key(&mut self) -> Option<usize> {
        let key = self.roles.key(self.grid)?;
        self.doubt(0.98);
        Some(key)
    }

    /// The same, where a column is named only because it is compared by.
    fn thing_beside(&mut self, column: usize) -> Option<usize> {
        let named = self.frame.columns.clone();
        self.frame.columns.retain(|c| c.column != column);
        let thing = self.thing();
        self.frame.columns = named;
        thing
    }

    /// The column that says who, what or where.
    fn thing(&mut self) -> Option<usize> {
        if let [only] = self.others().as_slice() {
            return Some(*only);
        }
        if !self.others().is_empty() {
            return None;
        }
        if self.has(Wh::Who) || self.frame.people {
            return match self.roles.person(self.grid) {
                Some(person) => Some(person),
                None => self.key().filter(|c| self.has(Wh::Who) && self.field(*c).is_some_and(has_names)),
            };
        }
        if self.has(Wh::When) {
            return self.day();
        }
        if self.has(Wh::Where) {
            return self.place();
        }
        self.key()
    }

    fn day(&mut self) -> Option<usize> {
        let days = self.roles.days(self.grid);
        match days.as_slice() {
            [only] => Some(*only),
            [] => self.roles.years(self.grid).first().copied(),
            _ => {
                let verbs = self.frame.verbs.clone();
                let main = days.iter().copied().find(|c| verbs.iter().any(|v| self.roles.is_about(*c, *v)));
                main.or_else(|| {
                    self.doubt(0.8);
                    days.iter().copied().find(|c| self.roles.is_about(*c, Concept::Date))
                })
            }
        }
    }

    fn place(&self) -> Option<usize> {
        const PLACES: [Concept; 6] = [
            Concept::Place,
            Concept::City,
            Concept::Address,
            Concept::Room,
            Concept::Country,
            Concept::Region,
        ];
        let is = |c: &usize, k: &Concept| is_text(self.grid, *c) && self.roles.is_about(*c, *k);
        PLACES.iter().find_map(|k| (0..self.grid.columns.len()).find(|c| is(c, k)))
    }

    fn fold_kind(&self) -> Fold {
        if self.frame.average.is_some() { Fold::Average } else { Fold::Sum }
    }

    fn by(&mut self) -> Option<Ask> {
        let keys: Vec<Key> = self.frame.keys.iter().map(|(_, k)| k.clone()).collect();
        // `the top three cities by revenue` orders by what follows.
        // Codes of a few kinds make groups: `requests for each status`.
        let is_choice =
            |f: &Field| f.kind == Kind::Integer && f.values.len() <= CHOICES && f.values.len() * 2 < f.filled;
        let is_number = |k: &Key| {
            k.period.is_none()
                && self.is_measure(k.column)
                && !(self.has(Wh::HowMany) && self.field(k.column).is_some_and(is_choice))
        };
        if keys.iter().any(is_number) {
            return self.ordered_by(&keys);
        }
        let ask = self.asked_of_groups(&keys)?;
        let is_used =
            |c: &Named| ask.columns().contains(&c.column) || keys.iter().any(|k| k.column == c.column);
        if !self.frame.columns.iter().all(|c| is_used(c) || self.is_row_key(c.column)) {
            return None;
        }
        let superlative = self.frame.superlatives.first().copied();
        Some(Ask::By(By {
            keys,
            ask: Box::new(ask),
            order: superlative.map(|s| s.most),
            limit: self
                .frame
                .limit
                .or(superlative.filter(|_| self.has(Wh::Which) || self.has(Wh::Who)).map(|_| 1)),
            having: self.frame.having.clone(),
            bare: superlative.is_some()
                && self.frame.limit.is_none()
                && (self.has(Wh::Which) || self.has(Wh::Who)),
        }))
    }

    fn asked_of_groups(&mut self, keys: &[Key]) -> Option<Ask> {
        if self.frame.share {
            return Some(match self.measures().as_slice() {
                [only] => Ask::ShareOf(*only, 0),
                _ => Ask::Share(0),
            });
        }
        let others: Vec<usize> =
            self.others().into_iter().filter(|c| keys.iter().all(|k| k.column != *c)).collect();
        if self.has(Wh::HowMany) && self.frame.average.is_none() {
            if self.measures().is_empty()
                && !self.frame.distinct
                && !others.iter().any(|c| self.roles.is_code(self.grid, *c))
                && let Some(Some(Ask::Fold(fold, column))) = self.counted_in_groups()
            {
                return Some(Ask::Fold(fold, column));
            }
            return match (self.measures().as_slice(), others.as_slice()) {
                ([only], _) => Some(Ask::Fold(Fold::Sum, *only)),
                // The loan of `loans by genre` is no day of a loan.
                ([], [only]) if !self.frame.distinct && self.is_of_time(*only) => Some(Ask::Count),
                ([], [only]) if self.frame.distinct || !self.is_row_key(*only) => Some(Ask::Distinct(*only)),
                ([], _) => Some(Ask::Count),
                _ => None,
            };
        }
        if let [key] = others.as_slice()
            && self.frame.sum.is_none()
            && self.frame.average.is_none()
            && self.measures().is_empty()
        {
            // `orders by city and status`
            let _ = key;
            return None;
        }
        if self.measures().is_empty()
            && self.frame.rows
            && self.frame.average.is_none()
            && self.frame.verbs.is_empty()
        {
            let counts = self.frame.sum.is_none() || self.roles.measures.is_empty();
            if counts {
                self.doubt(0.93);
                return Some(Ask::Count);
            }
        }
        let measure = self.measure()?;
        let fold = match (self.frame.average.is_some(), self.frame.superlatives.first()) {
            (true, _) => Fold::Average,
            (false, Some(s))
                if self.frame.sum.is_none() && !self.is_additive(measure) && self.frame.limit.is_none() =>
            {
                let fold = if s.most { Fold::Most } else { Fold::Least };
                self.frame.superlatives.clear();
                fold
            }
            _ => Fold::Sum,
        };
        Some(Ask::Fold(fold, measure))
    }

    /// Whether a column tells rows apart, so that counting its values is counting rows.
    fn is_row_key(&self, column: usize) -> bool {
        self.field(column).is_some_and(Field::is_key) || self.roles.is_code(self.grid, column)
    }

    fn ordered_by(&mut self, keys: &[Key]) -> Option<Ask> {
        let [key] = keys else { return None };
        if !self.frame.verbs.is_empty() || !self.measures().is_empty() {
            // Cost per click is neither.
            return None;
        }
        let superlative = self.frame.superlatives.first().copied().filter(|s| s.concept.is_none())?;
        let thing = self.thing()?;
        let limit = self.frame.limit.unwrap_or(1);
        let is_key = self.field(thing).is_some_and(Field::is_key);
        if is_key && limit == 1 {
            return None;
        }
        Some(Ask::By(By {
            keys: vec![Key { column: thing, period: None }],
            ask: Box::new(Ask::Fold(Fold::Sum, key.column)),
            order: Some(superlative.most),
            limit: Some(limit),
            having: None,
            bare: false,
        }))
    }

    fn difference(&mut self) -> Option<(Rows, Ask)> {
        let both = |a: bool| self.frame.superlatives.iter().any(|s| s.most == a);
        if both(true) && both(false) {
            let column = self.measure()?;
            return Some((self.rows(), Ask::Fold(Fold::Range, column)));
        }
        if !self.frame.superlatives.is_empty() {
            return None;
        }
        if let [a, b] = self.measures()[..] {
            let rows = self.rows();
            let is_said = !self.frame.conditions.is_empty() || self.grid.len() == 1;
            return (is_said && self.has_rows(&rows)).then_some((rows, Ask::ColumnDifference(a, b)));
        }
        let conditions: Vec<&Condition> = self.frame.conditions.iter().map(|(_, c)| c).collect();
        let (a, b) = match conditions.as_slice() {
            [a, b] if a.column == b.column => ((*a).clone(), (*b).clone()),
            _ => return None,
        };
        let rows = |c: Condition| Rows { conditions: vec![c], ..Rows::default() };
        let (one, other) = (rows(a), rows(b));
        let counts = self.frame.counted || self.has(Wh::HowMany);
        if counts && self.measures().is_empty() && self.frame.rows {
            return Some((one, Ask::CountDifference(other)));
        }
        let column = match (self.measures().as_slice(), self.frame.comparative) {
            ([only], _) => *only,
            ([], Some((Some(concept), more))) => self.of_concept(concept, more)?.0,
            ([], _) => self.measure()?,
            _ => return None,
        };
        if !self.has_rows(&one) || !self.has_rows(&other) {
            return None;
        }
        if self.is_one(&one) && self.is_one(&other) {
            return Some((one, Ask::Difference(column, other)));
        }
        let fold = self.fold_kind();
        if fold == Fold::Sum && self.frame.sum.is_none() && !self.is_additive(column) {
            return None;
        }
        Some((one, Ask::FoldDifference(fold, column, other)))
    }

    /// By how many percent something grew from one column to another: `units from Q1 to Q4`.
    fn grown_column(&mut self) -> Option<(Rows, Ask)> {
        let mut named: Vec<Named> =
            self.frame.columns.iter().filter(|c| self.is_measure(c.column)).copied().collect();
        named.sort_by_key(|c| c.at);
        let [from, to] = named.as_slice() else { return None };
        let is_plain = self.frame.keys.is_empty() && self.frame.superlatives.is_empty();
        let is_series =
            self.roles.series().contains(&from.column) == self.roles.series().contains(&to.column);
        let rows = self.rows();
        let fits = is_plain && is_series && from.column != to.column && self.others().is_empty();
        (fits && self.has_rows(&rows)).then_some((rows, Ask::Growth(from.column, to.column)))
    }

    /// By how many percent something grew: from what is said first to what is said last.
    fn grown(&mut self) -> Option<(Rows, Ask)> {
        let mut said = self.frame.conditions.clone();
        said.sort_by_key(|(at, _)| *at);
        let [(_, from), (_, to)] = said.as_slice() else { return None };
        if from.column != to.column || !self.frame.superlatives.is_empty() || !self.frame.keys.is_empty() {
            return None;
        }
        let column = match self.measures().as_slice() {
            [only] => *only,
            [] => self.measure()?,
            _ => return None,
        };
        let rows = |c: &Condition| Rows { conditions: vec![c.clone()], ..Rows::default() };
        let (from, to) = (rows(from), rows(to));
        let is_one = self.is_one(&from) && self.is_one(&to);
        let adds = is_one || self.is_additive(column);
        (adds && self.has_rows(&from) && self.has_rows(&to)).then_some((to, Ask::RowGrowth(column, from)))
    }

    fn share(&mut self) -> Option<Ask> {
        let [_] = self.frame.conditions.as_slice() else { return None };
        // A share of what is not counted is one of what is added up: `how much of the budget went on hotels`.
        let is_counted =
            self.frame.rows_at.is_some() && !self.frame.whole || self.frame.people || self.has(Wh::HowMany);
        let sums: Vec<usize> = self.roles.measures.iter().copied().filter(|c| self.is_additive(*c)).collect();
        match self.measures().as_slice() {
            [] if !self.frame.verbs.is_empty() && !sums.is_empty()
                || !is_counted && sums.len() == 1 && !self.is_flagged() =>
            {
                let [only] = sums.as_slice() else { return None };
                self.doubt(0.93);
                Some(Ask::ShareOf(*only, 0))
            }
            [] if !is_counted && !sums.is_empty() => None,
            [] => Some(Ask::Share(0)),
            [only] => Some(Ask::ShareOf(*only, 0)),
            _ => None,
        }
    }

    /// Whether the only condition is that of a column of yes and no: who has something is counted.
    fn is_flagged(&self) -> bool {
        let is = |c: usize| self.field(c).is_some_and(|f| f.values.len() <= 2 && f.filled > 4);
        self.frame.conditions.iter().all(|(_, c)| is(c.column))
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

    /// The column that a superlative compares by, and whether the largest is meant.
    pub(super) fn compared(&mut self, superlative: Superlative) -> Option<(usize, bool)> {
        if superlative.by_time {
            return self.day().map(|c| (c, superlative.most));
        }
        if let Some(concept) = superlative.concept {
            if let Some(found) = self.of_concept(concept, superlative.most) {
                return Some(found);
            }
            return None;
        }
        let series = self.roles.series();
        let named: Vec<usize> = self
            .measures()
            .into_iter()
            .filter(|c| !series.contains(c) || self.measures().len() == 1)
            .collect();
        match named.as_slice() {
            [only] => Some((*only, superlative.most)),
            [] => {
                let lead = self.frame.columns.iter().map(|c| c.column);
                let lead: Vec<usize> = lead
                    .filter(|c| {
                        self.field(*c).is_some_and(|f| matches!(f.measure, Measure::Lead | Measure::Day))
                            && !self.is_row_key(*c)
                    })
                    .collect();
                match lead.as_slice() {
                    [only] => Some((*only, superlative.most)),
                    [] => self.measure().map(|c| (c, superlative.most)),
                    _ => None,
                }
            }
            _ => {
                let after =
                    self.frame.columns.iter().filter(|c| c.at > superlative.at && named.contains(&c.column));
                after.min_by_key(|c| c.at).map(|c| (c.column, superlative.most))
            }
        }
    }

    /// The column that an adjective such as `oldest` compares by.
    pub(super) fn of_concept(&mut self, concept: Concept, most: bool) -> Option<(usize, bool)> {
        // A time of `2:35:10` is no number that begins with its hours.
        let is_sized = |f: &Field| f.is_number() || f.measure == Measure::Day || f.is_lead_number();
        let measured = |c: &usize| self.field(*c).is_some_and(is_sized);
        let about =
            |k: Concept| (0..self.grid.columns.len()).filter(measured).find(|c| self.roles.is_about(*c, k));
        // The number of an episode is not what is long.
        let named = self
            .frame
            .columns
            .iter()
            .map(|c| c.column)
            .find(|c| measured(c) && !self.roles.is_code(self.grid, *c));
        let turned = |c: usize| (c, !most);
        match concept {
            Concept::Age => {
                let age = about(Concept::Age).map(|c| (c, most));
                age.or_else(|| about(Concept::Birth).map(turned))
                    .or_else(|| about(Concept::Start).map(turned))
                    .or_else(|| self.roles.years(self.grid).first().copied().map(turned))
                    .or_else(|| {
                        let is_due = |c: &usize| {
                            [Concept::Due, Concept::End].iter().any(|k| self.roles.is_about(*c, *k))
                        };
                        let days = self.roles.days(self.grid);
                        let only = days.first().copied().filter(|c| days.len() == 1 && !is_due(c));
                        only.map(turned)
                    })
            }
            // Who was planted in the earliest year is there the longest.
            Concept::Length if named.is_some_and(|c| self.is_of_time(c)) => named.map(turned),
            Concept::Length => named
                .or_else(|| about(Concept::Length))
                .or_else(|| about(Concept::Duration))
                .or_else(|| about(Concept::Hours))
                .or_else(|| about(Concept::Distance))
                .map(|c| (c, most))
                // Who is here the longest came first.
                .or_else(|| about(Concept::Start).filter(|_| self.has(Wh::Who)).map(turned)),
            Concept::Speed => about(Concept::Speed).map(|c| {
                let is_time =
                    self.roles.is_about(c, Concept::Time) || self.roles.is_about(c, Concept::Duration);
                (c, if is_time { !most } else { most })
            }),
            Concept::Price => named
                .or_else(|| about(Concept::Price))
                .or_else(|| about(Concept::Expense))
                .or_else(|| about(Concept::Rent))
                .or_else(|| about(Concept::Money))
                .map(|c| (c, most)),
            Concept::Quantity => {
                about(Concept::Quantity).or_else(|| about(Concept::Revenue)).map(|c| (c, most))
            }
            // The hottest day is not the latest.
            other => named.filter(|c| !self.is_of_time(*c)).or_else(|| about(other)).map(|c| (c, most)),
        }
    }

    fn is_of_time(&self, column: usize) -> bool {
        self.field(column).is_some_and(|f| f.measure == Measure::Day || f.is_year())
    }

    fn superlative(&mut self, mut rows: Rows) -> Option<(Rows, Ask)> {
        if self.frame.superlatives.len() > 1 || self.frame.having.is_some() {
            return None;
        }
        let superlative = self.frame.superlatives.first().copied()?;
        if let Some(found) = self.best_of_series(superlative) {
            return Some((rows, found));
        }
        if let Some(period) = self.frame.period {
            return self.best_period(rows, period, superlative);
        }
        if let Some(found) = self.most_rows(&rows, superlative) {
            return self.has_rows(&rows).then_some((rows, found));
        }
        let (column, most) = self.compared(superlative)?;
        if !self.has_rows(&rows) {
            return None;
        }
        let thing = match self.asked_thing(column, superlative) {
            Some(thing) => thing?,
            None => {
                let fold = if most { Fold::Most } else { Fold::Least };
                return (self.frame.skip == 0 && self.frame.limit.is_none())
                    .then_some((rows, Ask::Fold(fold, column)));
            }
        };
        if rows.conditions.iter().any(|c| c.column == thing && matches!(c.test, Test::Is(_))) {
            // What was said needs no answer.
            return None;
        }
        let is_time = self.field(column).is_some_and(|f| f.measure == Measure::Day);
        let repeats = !self.is_unique(thing, &rows) && is_text(self.grid, thing);
        let groups = self.frame.sum.is_some()
            || self.frame.average.is_some()
            || repeats && !is_time && self.is_additive(column) && superlative.concept != Some(Concept::Price);
        if repeats && groups {
            return Some((rows, self.best_group(thing, column, most)));
        }
        if self.frame.sum.is_some() || self.frame.average.is_some() {
            return None;
        }
        let count = self.frame.limit.unwrap_or(1);
        if count > 1 && repeats {
            return None;
        }
        rows.pick = Some(Pick::Extreme { column, most, count, skip: self.frame.skip });
        let with_size = self.frame.beside || self.has(Wh::HowMuch);
        if count > 1 && with_size && thing != column {
            return Some((rows, Ask::Table(vec![thing, column])));
        }
        Some((rows, Ask::Cells(thing)))
    }

    /// The group with the largest sum or average.
    fn best_group(&mut self, thing: usize, column: usize, most: bool) -> Ask {
        if self.frame.average.is_none() && self.frame.limit.is_none() && self.frame.skip == 0 {
            if self.frame.sum.is_none() {
                self.doubt(0.95);
            }
            return Ask::Group { column: thing, most, sum: Some(column) };
        }
        let fold = self.fold_kind();
        Ask::By(By {
            keys: vec![Key { column: thing, period: None }],
            ask: Box::new(Ask::Fold(fold, column)),
            order: Some(most),
            limit: Some(self.frame.limit.unwrap_or(1)),
            having: None,
            bare: self.frame.limit.is_none(),
        })
    }

    /// What has the largest value: `Some(None)` when it cannot be told, `None` when the value itself is asked for.
    fn asked_thing(&mut self, column: usize, superlative: Superlative) -> Option<Option<usize>> {
        let others: Vec<usize> =
            self.frame.columns.iter().map(|c| c.column).filter(|c| *c != column).collect();
        let asks = [Wh::Who, Wh::When, Wh::Where].iter().any(|wh| self.has(*wh));
        if self.has(Wh::When) && self.field(column).is_some_and(|f| f.measure == Measure::Day) {
            let is_asked = others.iter().any(|c| !self.is_row_key(*c));
            return is_asked.then_some(None);
        }
        match others.as_slice() {
            [only] => Some(Some(*only)),
            [] if asks || self.frame.rows || self.frame.limit.is_some() => Some(self.thing_beside(column)),
            [] if superlative.concept.is_some() && self.frame.columns.is_empty() => Some(self.thing()),
            [] if self.has(Wh::Which) => Some(self.key()),
            [] if superlative.by_time && self.frame.columns.is_empty() => Some(self.key()),
            [] => None,
            _ => Some(None),
        }
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

    /// Which of the columns of a series has the most: `in which month did we spend the most on food`.
    fn best_of_series(&mut self, superlative: Superlative) -> Option<Ask> {
        let series = self.roles.series();
        let asks_for_time = (self.frame.period.is_some() || self.has(Wh::When)) && !self.has(Wh::Who);
        if series.is_empty() || !asks_for_time || superlative.concept.is_some() || superlative.by_time {
            return None;
        }
        if self.frame.conditions.is_empty() && self.frame.columns.is_empty() && self.grid.len() > 1 {
            self.doubt(0.95);
        }
        Some(Ask::BestColumn { columns: series, most: superlative.most })
    }

    /// The month, year or weekday with the largest sum or the most rows.
    fn best_period(&mut self, rows: Rows, period: Period, superlative: Superlative) -> Option<(Rows, Ask)> {
        let day = self.day();
        let column = match period {
            Period::Year => {
                self.roles.years(self.grid).first().copied().map(|c| Key { column: c, period: None })
            }
            _ => None,
        };
        let words = |c: &usize| self.field(*c).and_then(super::calendar::cells).is_some();
        let in_words = (0..self.grid.columns.len()).find(words).map(|c| Key { column: c, period: None });
        let key = column
            .or(in_words.filter(|_| matches!(period, Period::Month | Period::Quarter)))
            .or(day.map(|c| Key { column: c, period: Some(period) }))?;
        let counts = self.has(Wh::HowMany) || self.measures().is_empty() && self.frame.rows;
        let ask = if counts { Ask::Count } else { Ask::Fold(self.fold_kind(), self.measure()?) };
        let is_whole_day = period == Period::Day && key.period.is_some();
        let key = if is_whole_day { Key { column: key.column, period: None } } else { key };
        Some((
            rows,
            Ask::By(By {
                keys: vec![key],
                ask: Box::new(ask),
                order: Some(superlative.most),
                limit: Some(1),
                having: None,
                bare: true,
            }),
        ))
    }

    /// The value that most rows have: `which city has the most orders`.
    fn most_rows(&mut self, rows: &Rows, superlative: Superlative) -> Option<Ask> {
        let counts = self.frame.rows
            && superlative.counts
            && self.measures().is_empty()
            && superlative.concept.is_none()
            && !superlative.by_time;
        let [thing] = self.others()[..] else { return None };
        if !counts || self.is_unique(thing, rows) || self.frame.sum.is_some() || self.frame.average.is_some()
        {
            return None;
        }
        if self.frame.limit.is_some() {
            return Some(Ask::By(By {
                keys: vec![Key { column: thing, period: None }],
                ask: Box::new(Ask::Count),
                order: Some(superlative.most),
                limit: self.frame.limit,
                having: None,
                bare: false,
            }));
        }
        Some(Ask::Group { column: thing, most: superlative.most, sum: None })
    }

    fn count(&mut self, rows: &Rows) -> Option<Ask> {
        let has_quantity = self.roles.measures.iter().any(|c| self.roles.is_about(*c, Concept::Quantity));
        if self.frame.verbs.contains(&Concept::Quantity) && has_quantity {
            // How many were sold stands in a column.
            return None;
        }
        if self.frame.having.is_some() || self.frame.counts_units && self.measures().is_empty() {
            return None;
        }
        if let (Some(period), true) = (self.frame.period, self.frame.distinct) {
            let years = self.roles.years(self.grid);
            return match (period, years.as_slice()) {
                (Period::Year, [only]) => Some(Ask::Distinct(*only)),
                _ => None,
            };
        }
        let asked = self.frame.wh.iter().find(|(_, w)| *w == Wh::HowMany).map_or(0, |(at, _)| *at);
        let mut named: Vec<Named> = self.frame.columns.clone();
        named.sort_by_key(|c| c.at.abs_diff(asked));
        let is_all = self.frame.all || self.frame.sum.is_some();
        if is_all && self.frame.rows_at.is_some_and(|at| named.iter().all(|c| c.at > at)) {
            // `how many visits in all clinics`: the clinics are not what is counted.
            named.retain(|c| !self.is_row_key(c.column));
        }
        let Some(first) = named.first().copied() else {
            let is_said = self.frame.rows || !rows.conditions.is_empty();
            if self.frame.people
                && let Some(person) = self.roles.person(self.grid)
                && !self.field(person).is_some_and(Field::is_key)
                && !self.is_unique(person, rows)
                && !self.is_part_of_name(person)
            {
                return Some(Ask::Distinct(person));
            }
            if self.frame.distinct {
                return None;
            }
            if let Some(ask) = self.counted_in_column() {
                return ask;
            }
            let of_one = |c: &Condition| {
                self.field(c.column).is_some_and(Field::is_key) && matches!(c.test, Test::Is(_))
            };
            if rows.conditions.iter().any(of_one) {
                // How many rows one row is, is not what is asked, but how many of it there are.
                return self.in_stock();
            }
            let series = self.roles.series();
            if !series.is_empty() && !self.frame.people && self.frame.rows {
                self.doubt(0.93);
                return Some(Ask::Across(Fold::Sum, self.series()));
            }
            // How many colleagues walk is not how many there are.
            let is_left = self.frame.light && rows.conditions.is_empty() && rows.within.is_none();
            return (is_said && !is_left).then_some(Ask::Count);
        };
        if let [a, b] = named.as_slice()
            && a.column != b.column
            && self.is_row_key(a.column)
            && self.lacks_some(b.column)
        {
            // `how many customers have a discount`
            self.frame.conditions.push((b.at, Condition { column: b.column, test: Test::Filled }));
            self.frame.filled = Some(b.column);
            return Some(Ask::Count);
        }
        if named.len() > 1 && named.iter().any(|c| c.column != first.column) {
            return None;
        }
        let field = self.field(first.column)?;
        if self.is_measure(first.column) && !self.frame.distinct {
            if first.fit == Fit::Synonym && self.frame.rows {
                return None;
            }
            let one = self.is_one(rows);
            return Some(if one { Ask::Cells(first.column) } else { Ask::Fold(Fold::Sum, first.column) });
        }
        let is_key = field.is_key() || self.roles.is_code(self.grid, first.column) && first.fit != Fit::Exact;
        if is_key && !self.frame.distinct {
            // Where a column says how many there are of each, only `in total` tells what is counted.
            return match self.counted_in_groups() {
                Some(of_each) if self.frame.sum.is_some() => of_each,
                Some(_) => {
                    self.doubt(0.85);
                    Some(Ask::Count)
                }
                None => Some(Ask::Count),
            };
        }
        if field.kind == Kind::Date && !self.frame.distinct {
            return None;
        }
        if self.is_one(rows) {
            // Of one row, the number stands in the cell: `2-6 players`.
            let says = self.selected(rows).first().and_then(|r| self.grid.at(first.column, *r));
            let is_number = says.is_some_and(|c| c.text.starts_with(|c: char| c.is_ascii_digit()));
            return is_number.then_some(Ask::Cells(first.column));
        }
        Some(Ask::Distinct(first.column))
    }

    pub(super) fn fold(&mut self, rows: &Rows) -> Option<Ask> {
        let fold = self.fold_kind();
        let series = self.roles.series();
        if !series.is_empty() {
            return self.fold_series(rows, fold, &series);
        }
        if !self.others().is_empty() {
            return None;
        }
        let column = self.measure()?;
        if fold == Fold::Sum
            && self.frame.conditions.is_empty()
            && self.grid.has_derived()
            && self.frame.marked.is_empty()
        {
            return None;
        }
        Some(Ask::Fold(fold, column))
    }

    /// Whether a column has only first or only last names: those of several people may be the same.
    fn is_part_of_name(&self, column: usize) -> bool {
        const PARTS: [&str; 14] = [
            "first",
            "last",
            "given",
            "family",
            "surname",
            "forename",
            "firstname",
            "lastname",
            "vorname",
            "nachname",
            "familienname",
            "prenom",
            "patronyme",
            "姓",
        ];
        let words = self.roles.names.get(column).into_iter().flatten().flatten();
        let mut words = words.map(|w| w.text.as_str());
        words.any(|w| PARTS.contains(&w))
    }

    /// The column that says how many there are of each thing.
    fn in_stock(&mut self) -> Option<Ask> {
        let about = |k: Concept| -> Vec<usize> {
            self.roles.measures.iter().copied().filter(|c| self.roles.is_about(*c, k)).collect()
        };
        let (stock, quantity) = (about(Concept::Stock), about(Concept::Quantity));
        let column = match (stock.as_slice(), quantity.as_slice()) {
            ([only], _) | ([], [only]) => *only,
            _ => return None,
        };
        self.doubt(0.92);
        Some(Ask::Cells(column))
    }

    /// Whether some rows have nothing in a column.
    fn lacks_some(&self, column: usize) -> bool {
        self.field(column).is_some_and(|f| f.cells.iter().any(|c| c.is_missing(f.kind)))
    }

    /// Where a column says how many there are of each: `how many animals are there in total`.
    fn counted_in_column(&mut self) -> Option<Option<Ask>> {
        let is_count = |c: &&usize| {
            let names = self.roles.names.get(**c).and_then(|n| n.first());
            let is = |w: &Word| matches!(w.text.as_str(), "count" | "number" | "anzahl" | "nombre");
            names.is_some_and(|n| matches!(n.as_slice(), [only] if is(only)))
        };
        let counts: Vec<usize> = self.roles.measures.iter().filter(is_count).copied().collect();
        let [only] = counts.as_slice() else { return None };
        if self.frame.people || !self.frame.rows {
            return None;
        }
        // Rows, or what they count: only `in total` tells.
        Some(self.frame.sum.is_some().then_some(Ask::Fold(Fold::Sum, *only)))
    }

    /// The same for each group: there a count of rows would be no count of what they count.
    fn counted_in_groups(&mut self) -> Option<Option<Ask>> {
        let (rows, sum) = (self.frame.rows, self.frame.sum);
        (self.frame.rows, self.frame.sum) = (true, Some(0));
        let found = self.counted_in_column();
        (self.frame.rows, self.frame.sum) = (rows, sum);
        found
    }

    /// Sums over a table whose columns are months or years.
    fn fold_series(&mut self, rows: &Rows, fold: Fold, series: &[usize]) -> Option<Ask> {
        if !self.others().is_empty() || self.grid.has_derived() && rows.conditions.is_empty() {
            return None;
        }
        let named = self.measures();
        let in_series = self.ranged(named.iter().copied().filter(|c| series.contains(c)).collect(), series);
        match (in_series.as_slice(), named.len()) {
            ([only], 1) => Some(Ask::Fold(fold, *only)),
            ([], 1) => named.first().map(|c| Ask::Fold(fold, *c)),
            ([], 0) => {
                self.doubt(0.97);
                Some(Ask::Across(fold, series.to_vec()))
            }
            (several, n) if several.len() >= n => Some(Ask::Across(fold, several.to_vec())),
            _ => None,
        }
    }

    /// `from January to April`: all columns between two of a series.
    fn ranged(&self, named: Vec<usize>, series: &[usize]) -> Vec<usize> {
        match named.as_slice() {
            [a, b] if self.frame.range => {
                series.iter().copied().filter(|c| (*a.min(b)..=*a.max(b)).contains(c)).collect()
            }
            _ => named,
        }
    }

    fn look_up(&mut self, rows: &Rows) -> Option<Ask> {
        if self.frame.limit.is_some() || self.frame.distinct && self.frame.columns.is_empty() {
            return None;
        }
        if let Some(having) = self.frame.having.clone() {
            return self.having(having);
        }
        if rows.conditions.is_empty() {
            return self.list_all();
        }
        let is_several =
            |c: &Condition| c.column == 0 && matches!(&c.test, Test::Is(values) if values.len() > 1);
        if !self.roles.labels.is_empty() && rows.conditions.iter().any(is_several) {
            // Two labels of a form are not one answer.
            return None;
        }
        let mut columns: Vec<usize> = self.frame.columns.iter().map(|c| c.column).collect();
        columns.dedup();
        columns.retain(|c| !rows.conditions.iter().any(|k| k.column == *c));
        if columns.len() > 1
            && !self.frame.joined
            && !self.has(Wh::Show)
            && let Some(wanted) = self.directly_asked()
        {
            let is_key = |c: usize| self.is_row_key(c) || Some(c) == self.roles.key(self.grid);
            columns.retain(|c| *c == wanted || !is_key(*c));
        }
        if columns.len() > 1 && !self.frame.joined && !self.has(Wh::Which) && !self.has(Wh::Show) {
            // The flight of `what time does the flight to Vienna leave` is not asked for.
            let key = self.roles.key(self.grid);
            let is_key = |c: usize| Some(c) == key || self.roles.is_code(self.grid, c);
            let others: Vec<usize> = columns.iter().copied().filter(|c| !is_key(*c)).collect();
            columns = if others.is_empty() { columns } else { others };
        }
        match columns.as_slice() {
            [only] if self.is_done(*only) => self.day().map(Ask::Cells),
            [only] if !self.answers_wh(*only) || self.is_said_of_rows(*only) => None,
            [only] => {
                let column = self.name_of(*only);
                self.cells(rows, column)
            }
            [] if self.frame.wh.is_empty() && !self.frame.all => self.only_other(rows),
            [] => self.unnamed(rows),
            several if [Wh::Who, Wh::When, Wh::Where].iter().any(|wh| self.has(*wh)) => {
                let fit: Vec<usize> = several.iter().copied().filter(|c| self.answers_wh(*c)).collect();
                let [only] = fit.as_slice() else { return None };
                self.cells(rows, *only)
            }
            _ if self.has(Wh::Which) || columns.len() > 3 => None,
            several => {
                let series = self.roles.series();
                if several.iter().all(|c| series.contains(c)) && (self.has(Wh::HowMuch) || self.frame.range) {
                    return Some(Ask::Across(Fold::Sum, self.ranged(several.to_vec(), &series)));
                }
                Some(Ask::Table(several.to_vec()))
            }
        }
    }

    /// The column that stands right after `which` or `what`: the gate of `which gate is the Oslo flight`.
    fn directly_asked(&self) -> Option<usize> {
        let asks = |(_, wh): &&(usize, Wh)| matches!(wh, Wh::Which | Wh::What);
        let (at, _) = self.frame.wh.iter().find(asks)?;
        self.frame.columns.iter().find(|c| c.at == at + 1).map(|c| c.column)
    }

    /// Whether a column is only what was done on the day that is asked for: `when was it tested`, with a column `test`.
    fn is_done(&self, column: usize) -> bool {
        let is_verb = self.frame.columns.iter().any(|c| c.column == column && c.is_verb);
        self.has(Wh::When) && is_verb && !self.answers_wh(column) && self.roles.days(self.grid).len() == 1
    }

    /// Whether a column is only what is said of the rows that are asked for: `what books were borrowed`.
    fn is_said_of_rows(&self, column: usize) -> bool {
        let asks = self.has(Wh::Which) || self.has(Wh::What);
        let is_said = |c: &Named| {
            c.column == column
                && (c.fit == Fit::Synonym || c.is_verb)
                && self.frame.rows_at.is_some_and(|at| at < c.at)
        };
        asks && is_text(self.grid, column) && self.frame.columns.iter().any(is_said)
    }

    /// Who is asked for by a word of an id is asked for by name: the `members` of `member_id`.
    fn name_of(&self, column: usize) -> usize {
        let is_part = self.frame.columns.iter().any(|c| c.column == column && c.fit != Fit::Exact);
        let asks = self.has(Wh::Which) || self.has(Wh::Who) || self.has(Wh::Show);
        let is_id = self.roles.is_about(column, Concept::Code);
        let is_name = |f: &Field| has_names(f) && f.is_key();
        let name = self.roles.key(self.grid).filter(|k| self.field(*k).is_some_and(is_name));
        match name {
            Some(name) if is_part && asks && is_id => name,
            _ => column,
        }
    }

    /// Whether a column can say who, when or where.
    fn answers_wh(&self, column: usize) -> bool {
        let Some(field) = self.field(column) else { return false };
        let is_text = field.kind == Kind::Text;
        if self.has(Wh::Who) && (!is_text || field.values.len() < 3 && field.filled > 4) {
            return false;
        }
        let is_time =
            [Concept::Start, Concept::End, Concept::Due].iter().any(|k| self.roles.is_about(column, *k))
                || field.measure == Measure::Day
                || self.roles.is_about(column, Concept::Time)
                || self.roles.is_about(column, Concept::Date)
                || field.is_year()
                || field.cells.iter().all(|c| is_clock(&c.text));
        (is_time || !self.has(Wh::When)) && (is_text || !self.has(Wh::Where))
    }

    /// The cells of a column, or their sum where several rows of what one adds up are meant.
    fn cells(&mut self, rows: &Rows, column: usize) -> Option<Ask> {
        let sold = self.frame.columns.iter().any(|c| c.column == column && c.fit == Fit::Synonym)
            && self.roles.is_about(column, Concept::Quantity)
            && self.has(Wh::HowMuch);
        let money = |c: &usize| *c != column && MONEY.iter().any(|k| self.roles.is_about(*c, *k));
        if sold && self.roles.measures.iter().any(money) {
            // How much was sold: pieces or money?
            return None;
        }
        let is_number = self.is_measure(column);
        if let Some(used) = self.used(rows, column) {
            return Some(used);
        }
        // A word among numbers says that there is none: `abs`.
        let lacks =
            |r: &u32| self.grid.at(column, *r).is_some_and(|c| c.size.is_none() && !c.text.is_empty());
        if self.field(column).is_some_and(is_mostly_sized) && self.selected(rows).iter().any(lacks) {
            return None;
        }
        if !is_number || self.is_one(rows) || self.has(Wh::Which) || self.has(Wh::Show) {
            return Some(Ask::Cells(column));
        }
        if self.is_additive(column) || self.has(Wh::HowMuch) {
            self.doubt(0.95);
            return Some(Ask::Fold(Fold::Sum, column));
        }
        self.doubt(0.8);
        Some(Ask::Cells(column))
    }

    /// What a meter counted from one reading to another.
    fn used(&mut self, rows: &Rows, column: usize) -> Option<Ask> {
        let is_span = |c: &Condition| {
            matches!(c.test, Test::Between(from, to) if from < to)
                && self.field(c.column).is_some_and(|f| f.measure == Measure::Day)
        };
        let counts = self.field(column).is_some_and(is_reading);
        if !counts || !rows.conditions.iter().any(is_span) || rows.conditions.len() > 1 || self.is_one(rows) {
            return None;
        }
        self.doubt(0.93);
        Some(Ask::Fold(Fold::Range, column))
    }

    /// What is asked of rows when no column is named.
    fn unnamed(&mut self, rows: &Rows) -> Option<Ask> {
        if self.has(Wh::Who) || self.has(Wh::When) || self.has(Wh::Where) {
            let column = self.thing()?;
            let given = rows.conditions.iter().any(|c| c.column == column);
            return (!given).then_some(Ask::Cells(column));
        }
        if self.has(Wh::HowMuch) {
            if !self.number_series().is_empty() {
                return Some(Ask::Across(Fold::Sum, self.series()));
            }
            let column = self.measure()?;
            return self.cells(rows, column);
        }
        if self.has(Wh::Show) || self.has(Wh::Which) || self.frame.all {
            if !(self.frame.rows || self.has(Wh::Show)) {
                return None;
            }
            let column = if self.frame.people {
                self.roles.person(self.grid).or_else(|| self.key())?
            } else {
                self.listed(rows)?
            };
            let given = rows.conditions.iter().any(|c| c.column == column);
            return (!given).then_some(Ask::Cells(column));
        }
        self.only_other(rows)
    }

    /// The column by which rows are listed: the one that names them, or, where names repeat, one that tells these apart.
    fn listed(&mut self, rows: &Rows) -> Option<usize> {
        let key = self.key()?;
        let repeats = |c: usize| !self.field(c).is_some_and(Field::is_key) && !self.is_unique(c, rows);
        if !repeats(key) {
            return Some(key);
        }
        let given = |c: &usize| rows.conditions.iter().any(|k| k.column == *c);
        let texts = (0..self.grid.columns.len()).filter(|c| is_text(self.grid, *c) && !given(c));
        let varied = texts.max_by_key(|c| self.field(*c).map_or(0, |f| f.values.len()))?;
        let tells_apart = !repeats(varied);
        self.doubt(0.92);
        tells_apart.then_some(varied)
    }

    /// The value beside a label, in a table that has nothing else: `What is the invoice number?`
    fn only_other(&mut self, rows: &Rows) -> Option<Ask> {
        if let Some(all) = self.over_series(rows) {
            return Some(all);
        }
        let used: Vec<usize> = rows.conditions.iter().map(|c| c.column).collect();
        let open: Vec<usize> = (0..self.grid.columns.len()).filter(|c| !used.contains(c)).collect();
        let verbs = !self.frame.verbs.is_empty();
        match open.as_slice() {
            [only] => Some(Ask::Cells(*only)),
            _ if verbs => {
                let column = self.measure()?;
                self.cells(rows, column)
            }
            _ => None,
        }
    }

    /// The columns of a series, where all of them have numbers: hours of opening are not added up.
    fn number_series(&self) -> Vec<usize> {
        let series = self.roles.series();
        let are_numbers = series.iter().all(|c| self.field(*c).is_some_and(Field::is_number));
        if are_numbers { series } else { Vec::new() }
    }

    /// What a row comes to over all its columns of months or years: `what did electricity cost over the whole year`.
    fn over_series(&mut self, rows: &Rows) -> Option<Ask> {
        let series = self.number_series();
        let is_cost = self.frame.verbs.iter().any(|v| MONEY.contains(v)) || self.frame.verbs.is_empty();
        if series.len() < 3
            || !self.frame.claims.is_empty()
            || !self.frame.columns.is_empty()
            || !is_cost
            || !self.is_one(rows)
        {
            return None;
        }
        self.doubt(0.93);
        Some(if self.frame.by_series {
            Ask::EachColumn(Fold::Sum, series)
        } else {
            Ask::Across(Fold::Sum, series)
        })
    }

    /// Groups with more or fewer rows than so many.
    fn having(&mut self, having: Test) -> Option<Ask> {
        let [key] = self.others()[..] else { return None };
        if !self.measures().is_empty() || self.field(key).is_some_and(Field::is_key) {
            return None;
        }
        let sold = self.frame.verbs.contains(&Concept::Quantity);
        let mut quantities =
            self.roles.measures.iter().filter(|c| self.roles.is_about(**c, Concept::Quantity));
        let ask = match (sold, quantities.next(), quantities.next()) {
            (true, Some(only), None) => Ask::Fold(Fold::Sum, *only),
            (true, ..) => return None,
            (false, ..) => Ask::Count,
        };
        Some(Ask::By(By {
            keys: vec![Key { column: key, period: None }],
            ask: Box::new(ask),
            order: None,
            limit: None,
            having: Some(having),
            bare: true,
        }))
    }

    /// All values of a column: `which cities are there`, `list the products`.
    fn list_all(&mut self) -> Option<Ask> {
        if self.has(Wh::HowMuch)
            && let [only] = self.measures()[..]
            && (self.is_additive(only) || self.frame.all)
        {
            self.doubt(0.95);
            return Some(Ask::Fold(Fold::Sum, only));
        }
        if self.frame.light && self.has(Wh::Which) {
            // `Which team won` is not all teams.
            return None;
        }
        let wants = self.has(Wh::Which) || self.has(Wh::Show) || self.frame.distinct || self.grid.len() == 1;
        let columns: Vec<usize> = self.frame.columns.iter().map(|c| c.column).collect();
        match columns.as_slice() {
            [only] if wants || self.grid.len() == 1 => Some(Ask::Cells(*only)),
            [] if self.has(Wh::Show) && self.frame.rows => self.key().map(Ask::Cells),
            _ => None,
        }
    }
}

/// Whether nearly all that a column has are numbers.
fn is_mostly_sized(field: &Field) -> bool {
    let sized = field.cells.iter().filter(|c| c.size.is_some()).count();
    field.measure != Measure::Day && sized * 4 >= field.filled * 3
}

/// Whether numbers are written with zeros before them, as codes are.
fn is_padded(field: &Field) -> bool {
    field.cells.iter().any(|c| c.text.len() > 1 && c.text.starts_with('0') && !c.text.contains(['.', ',']))
}

/// Whether the texts of a column can be names: letters, and no digits.
fn has_names(field: &Field) -> bool {
    let is_name =
        |text: &str| text.chars().any(char::is_alphabetic) && !text.chars().any(|c| c.is_ascii_digit());
    let named = field.cells.iter().filter(|c| is_name(&c.text)).count();
    named * 10 >= field.filled * 9
}

/// Whether a text is a time of day, or nothing: `07:15`.
fn is_clock(text: &str) -> bool {
    let is_part = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    text.trim().is_empty() || text.trim().split(':').all(is_part) && text.contains(':')
}

/// Whether numbers only rise from row to row, as those of a meter do: they are no amounts to add up.
fn is_reading(field: &Field) -> bool {
    let sizes: Vec<f64> = field.cells.iter().filter_map(|c| c.size).collect();
    let rises = sizes.windows(2).all(|w| matches!(w, [a, b] if a < b));
    let (first, last) = (sizes.first().copied().unwrap_or(0.0), sizes.last().copied().unwrap_or(0.0));
    // A few numbers may rise by chance, but not from far above what they rise by.
    rises && (sizes.len() > 5 || sizes.len() > 2 && first > last - first)
}

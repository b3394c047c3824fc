//! Cells and lists.

use super::{Interpreter, MONEY};
use crate::clock;
use crate::grammar::annotate::Fit;
use crate::grammar::frame::{Named, Wh};
use crate::grammar::lexicon::Concept;
use crate::grammar::role::is_text;
use crate::grid::{Field, Measure};
use crate::program::{Ask, Condition, Fold, Rows, Test};
use tabletalk_core::Kind;

impl Interpreter<'_> {
    pub(super) fn look_up(&mut self, rows: &Rows) -> Option<Ask> {
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

    /// Whether a column can say who, when or where.
    fn answers_wh(&self, column: usize) -> bool {
        let Some(field) = self.field(column) else { return false };
        let is_text = field.kind == Kind::Text;
        if self.has(Wh::HowMuch) && field.measure == Measure::Day && !self.has(Wh::When) {
            return false;
        }
        // What was taken is not when it was.
        let is_done =
            self.frame.columns.iter().any(|c| c.column == column && c.is_verb && c.fit != Fit::Exact);
        let asks = self.has(Wh::What) || self.has(Wh::Which);
        if asks
            && is_done
            && field.measure == Measure::Day
            && !self.has(Wh::When)
            && self.frame.period.is_none()
        {
            return false;
        }
        if self.has(Wh::Who) && (!is_text || field.values.len() < 3 && field.filled > 4) {
            return false;
        }
        let is_time =
            [Concept::Start, Concept::End, Concept::Due].iter().any(|k| self.roles.is_about(column, *k))
                || field.measure == Measure::Day
                || field.cells.iter().filter(|c| c.day.is_some()).count() * 2 > field.filled
                || self.roles.is_about(column, Concept::Time)
                || self.roles.is_about(column, Concept::Date)
                || field.is_year()
                || field.cells.iter().all(|c| c.text.trim().is_empty() || clock::size(&c.text).is_some());
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
        let lacks_some =
            self.field(column).is_some_and(is_mostly_sized) && self.selected(rows).iter().any(lacks);
        let sold = is_number && self.frame.verbs.contains(&Concept::Quantity) && !self.is_one(rows);
        if sold && self.is_count(column) {
            // `coffees sold in May`
            self.doubt(0.97);
            return Some(Ask::Fold(Fold::Sum, column));
        }
        if lacks_some {
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

    /// Whether a column counts things: whole numbers that are no years, no codes and no shares.
    pub(super) fn is_count(&self, column: usize) -> bool {
        let is_whole =
            |f: &Field| f.cells.iter().filter_map(|c| c.size).all(|s| s.fract() == 0.0 && s >= 0.0);
        self.field(column).is_some_and(|f| is_whole(f) && !f.is_percent() && !f.is_year())
            && ![Concept::Price, Concept::Age, Concept::Score].iter().any(|k| self.roles.is_about(column, *k))
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
        if self.frame.by_series
            && let Some(all) = self.over_series(rows)
        {
            return Some(all);
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

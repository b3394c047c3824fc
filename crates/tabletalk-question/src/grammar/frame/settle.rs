//! What can be told only when all words were taken.

use super::build::Builder;
use super::{Frame, Named, Wh};
use crate::execute;
use crate::grammar::annotate::{Fit, Meaning};
use crate::grammar::calendar::{self, Time};
use crate::grammar::dimension::Dimension;
use crate::grammar::lexicon::Concept;
use crate::grid::{Cell, Field, Measure};
use crate::link;
use crate::program::{Condition, Test, Value};
use tabletalk_core::Kind;

impl Builder<'_> {
    /// The column of days that times speak of: the only one, or the one that is named.
    pub(super) fn day_column(&mut self) -> Option<usize> {
        let days = self.roles.days(self.grid);
        if let [only] = days.as_slice() {
            return Some(*only);
        }
        let named = self.frame.columns.iter().map(|c| c.column).find(|c| days.contains(c));
        if let Some(column) = named {
            return Some(column);
        }
        let years = self.roles.years(self.grid);
        if let ([], [only]) = (days.as_slice(), years.as_slice()) {
            return Some(*only);
        }
        let is_main =
            |c: &usize| self.roles.is_about(*c, Concept::Date) && !self.roles.is_about(*c, Concept::Birth);
        let main = days.iter().copied().find(is_main)?;
        self.doubt(if self.is_called_so(main) { 0.96 } else { 0.75 });
        Some(main)
    }

    /// Whether a column is called after something that the question names: the `Ausleihdatum` of `Ausleihen`.
    fn is_called_so(&self, column: usize) -> bool {
        const SHARED: usize = 6;
        let name = self.roles.names.get(column).into_iter().flatten().flatten();
        let begins = |a: &str, b: &str| a.get(..SHARED).is_some_and(|head| b.starts_with(head));
        let mut names = name.filter(|n| n.text.len() > SHARED);
        names.any(|n| self.question.words.iter().any(|w| w.text != n.text && begins(&n.text, &w.text)))
    }

    /// Whether the last two columns that are named stand side by side with an `and` or a comma between them.
    pub(super) fn joins_columns(&self) -> bool {
        let [.., a, b] = self.frame.columns.as_slice() else { return false };
        let between = self.question.words.get(a.at + 1..b.at).unwrap_or_default();
        let is_and = |w: &crate::word::Word| {
            matches!(w.text.as_str(), "and" | "und" | "et" | "和" | "与" | "及" | "plus")
        };
        between.len() <= 3 && (between.is_empty() || between.iter().any(is_and))
    }

    /// Whether the last thing that is named is wanted beside what was asked before: `with the amounts`.
    pub(super) fn ends_beside(&self) -> bool {
        const BESIDE: [&str; 14] = [
            "and", "with", "plus", "und", "mit", "samt", "nebst", "et", "avec", "和", "及", "与", "以", "并",
        ];
        let Some((from, _, Meaning::Column(column, _))) = self.tokens.last() else { return false };
        let before = self.question.words.get(from.saturating_sub(3)..*from).unwrap_or_default();
        // The `plus` of `les plus servis` compares.
        let compares = before.windows(2).any(
            |w| matches!(w, [a, b] if matches!(a.text.as_str(), "le" | "la" | "les") && b.text == "plus"),
        );
        self.is_measured(*column) && !compares && before.iter().any(|w| BESIDE.contains(&w.text.as_str()))
    }

    /// Whether two things are the ends of a range: `from January to April`.
    pub(super) fn says_range(&self) -> bool {
        let says = |w: &crate::word::Word| {
            matches!(w.text.as_str(), "to" | "bis" | "through" | "till" | "until" | "到" | "至" | "a" | "au")
        };
        let from = |w: &crate::word::Word| {
            matches!(w.text.as_str(), "from" | "von" | "vom" | "de" | "du" | "从" | "between" | "zwischen")
        };
        if let [.., a, b] = self.frame.columns.as_slice() {
            // `January to June`
            let between = self.question.words.get(a.at + 1..b.at).unwrap_or_default();
            if matches!(between, [only] if says(only) && only.text != "a") {
                return true;
            }
        }
        let begin = self.question.words.iter().position(from);
        begin.is_some_and(|at| self.question.words.iter().skip(at).any(says))
    }

    /// The column under all levels of the header that were named.
    pub(super) fn settle_levels(&mut self) -> Option<()> {
        let levels = std::mem::take(&mut self.levels);
        let (single, several): (Vec<_>, Vec<_>) =
            levels.into_iter().partition(|(_, columns)| columns.len() == 1);
        let Some((at, mut columns)) = several.first().cloned().filter(|_| single.is_empty()) else {
            return self.name_levels(single, &several);
        };
        columns.retain(|c| several.iter().all(|(_, level)| level.contains(c)));
        let series = self.roles.series();
        let is_one = columns.len() == 1;
        if columns.is_empty() || !is_one && !columns.iter().all(|c| series.contains(c)) {
            return None;
        }
        // All months of a quarter.
        self.frame.range |= !is_one;
        let named = columns.into_iter().map(|column| Named { at, column, fit: Fit::Exact, is_verb: false });
        self.frame.columns.extend(named);
        Some(())
    }

    /// Columns that are named by their own level, and beside them the headings that they stand under, or that the name of the row
    /// does: `the heating costs of all flats in 2022`.
    fn name_levels(
        &mut self,
        single: Vec<(usize, Vec<usize>)>,
        several: &[(usize, Vec<usize>)],
    ) -> Option<()> {
        let key = self.roles.key(self.grid);
        for (_, columns) in several {
            let is_over = single.iter().flat_map(|(_, c)| c).any(|c| columns.contains(c));
            let is_rows = key.is_some_and(|k| columns.contains(&k));
            if !is_over && !is_rows {
                return None;
            }
            self.frame.rows |= !is_over;
        }
        for (at, columns) in single {
            let named = columns.first().map(|c| Named { at, column: *c, fit: Fit::Exact, is_verb: false });
            let is_new = |n: &Named| self.frame.columns.iter().all(|c| c.column != n.column);
            self.frame.columns.extend(named.filter(is_new));
        }
        Some(())
    }

    /// What the times that were said must hold of.
    pub(super) fn settle_times(&mut self) -> Option<()> {
        let mut times = std::mem::take(&mut self.times);
        // `in the second quarter ... in 2024` is one time.
        let year = times.iter().find_map(|(_, t)| match t {
            Time::Year(year) => Some(*year),
            _ => None,
        });
        let is_part = |t: &Time| matches!(t, Time::Month(_) | Time::Quarter(None, _) | Time::Half(None, _));
        // `from October to November 2024`
        let end = times.iter().find_map(|(_, t)| t.year_of_part());
        if let Some(year) = end.filter(|_| times.len() == 2 && self.frame.change) {
            times.iter_mut().filter(|(_, t)| is_part(t)).for_each(|(_, t)| *t = t.of_year(year));
        }
        if let Some(year) = year.filter(|_| times.len() == 2 && times.iter().any(|(_, t)| is_part(t))) {
            times.retain(|(_, t)| is_part(t));
            times.iter_mut().for_each(|(_, t)| *t = t.of_year(year));
        }
        for (at, time) in times {
            let condition = self.time_condition(time)?;
            self.frame.conditions.push((at, condition));
        }
        Some(())
    }

    /// A month without a year is that of the only year there is.
    pub(super) fn dated(&self, time: Time, column: usize) -> Time {
        let Some(field) = self.grid.columns.get(column) else { return time };
        let year = |text: &String| text.get(..4).and_then(|y| y.parse::<i32>().ok());
        match field.range.as_ref().map(|(a, b)| (year(a), year(b))) {
            Some((Some(first), Some(last))) if first == last => time.of_year(first),
            Some(_) => time,
            None => {
                let mut years = field.cells.iter().filter_map(|c| c.day).map(|day| execute::civil(day).0);
                let first = years.next();
                first.filter(|first| years.all(|year| year == *first)).map_or(time, |year| time.of_year(year))
            }
        }
    }

    /// The column of times of day that a time speaks of: the only one, or the one that is named.
    pub(super) fn clock_column(&self) -> Option<usize> {
        let clocks = self.roles.clocks(self.grid);
        let named = self.frame.columns.iter().map(|c| c.column).find(|c| clocks.contains(c));
        named.or_else(|| clocks.first().copied().filter(|_| clocks.len() == 1))
    }

    /// A time of day in the last unit of a column.
    pub(super) fn clock_size(&self, column: usize, minutes: u32) -> f64 {
        let is_long = self.grid.columns.get(column).and_then(Field::clock).is_some_and(|style| style.is_long);
        f64::from(minutes) * if is_long { 60.0 } else { 1.0 }
    }

    fn time_condition(&mut self, time: Time) -> Option<Condition> {
        if let Time::Clock(minutes) = time {
            let column = self.clock_column()?;
            let size = self.clock_size(column, minutes);
            return Some(Condition { column, test: Test::Between(size, size) });
        }
        for (column, field) in self.grid.columns.iter().enumerate() {
            let Some(times) = calendar::cells(field) else { continue };
            let is = |r: &u32| times.get(*r as usize).copied().flatten().is_some_and(|t| time.covers(t));
            let rows: Vec<u32> = (0..self.grid.len() as u32).filter(is).collect();
            if !rows.is_empty() {
                return Some(Condition { column, test: Test::Is(link::texts(field, &rows)) });
            }
        }
        if let (Time::Year(year), Some(column)) = (time, self.year_column()) {
            let field = self.grid.columns.get(column)?;
            let is = |r: &u32| field.cells.get(*r as usize).and_then(|c| c.size) == Some(f64::from(year));
            let rows: Vec<u32> = (0..self.grid.len() as u32).filter(is).collect();
            if !rows.is_empty() {
                return Some(Condition { column, test: Test::Is(link::texts(field, &rows)) });
            }
            if self.grid.is_whole() || self.roles.days(self.grid).is_empty() {
                return None;
            }
        }
        let column = self.day_column()?;
        let field = self.grid.columns.get(column)?;
        if let Time::MonthDay(month, day) = time {
            let is = |c: &crate::grid::Cell| c.day.is_some_and(|d| execute::month_day(d) == (month, day));
            let rows: Vec<u32> = (0..self.grid.len() as u32)
                .filter(|r| field.cells.get(*r as usize).is_some_and(is))
                .collect();
            let test = Test::Is(link::texts(field, &rows));
            return (!rows.is_empty()).then_some(Condition { column, test });
        }
        if field.measure != Measure::Day || !may_hold(field, time) {
            return None;
        }
        let time = if time.test().is_none() { self.dated(time, column) } else { time };
        Some(Condition { column, test: time.test()? })
    }

    fn year_column(&self) -> Option<usize> {
        self.roles.years(self.grid).first().copied()
    }

    /// Bounds whose column was not said: of the only number column that is named, or of the only one there is.
    pub(super) fn settle_pending(&mut self) -> Option<()> {
        for (at, test) in std::mem::take(&mut self.pending) {
            let named: Vec<usize> =
                self.frame.columns.iter().map(|c| c.column).filter(|c| self.is_measured(*c)).collect();
            let column = match (named.as_slice(), self.roles.measures.as_slice()) {
                ([only], _) => {
                    self.trust_named();
                    *only
                }
                ([], _) if self.lasting().is_some() => {
                    self.doubt(0.95);
                    self.lasting()?
                }
                ([], _) if self.age_of_people(&test).is_some() => {
                    self.doubt(0.95);
                    self.age_of_people(&test)?
                }
                ([], [only]) => {
                    self.doubt(0.95);
                    self.roles.measures.first().copied().unwrap_or(*only)
                }
                ([], _) => {
                    let money = [Concept::Money, Concept::Revenue, Concept::Price, Concept::Expense];
                    let is = |c: &&usize| money.iter().any(|k| self.roles.is_about(**c, *k));
                    let all: Vec<usize> = self.roles.measures.iter().filter(is).copied().collect();
                    let [only] = all.as_slice() else { return None };
                    let only = *only;
                    self.doubt(0.85);
                    only
                }
                _ => return None,
            };
            self.compare(at, column, test);
        }
        Some(())
    }

    /// The only column of how long something took, where a bound is said in a unit of time: `in under 55 minutes`.
    fn lasting(&self) -> Option<usize> {
        let is_time = self.dimension.is_some_and(|(dimension, _)| dimension == Dimension::Time);
        let lasts = |c: &usize| {
            let is_clock = self.grid.columns.get(*c).is_some_and(|f| f.measure == Measure::Clock);
            is_clock || Dimension::of_column(self.grid, self.roles, *c) == Some(Dimension::Time)
        };
        let mut columns = (0..self.grid.columns.len()).filter(|c| self.is_measured(*c) && lasts(c));
        columns.next().filter(|_| is_time && columns.next().is_none())
    }

    /// The age that a number beside people is, where nothing else is said of it: `patients over 70`.
    fn age_of_people(&self, test: &Test) -> Option<usize> {
        let (Test::More(n) | Test::Less(n) | Test::AtLeast(n) | Test::AtMost(n)) = test else { return None };
        let is_age = |c: &&usize| self.roles.is_about(**c, Concept::Age);
        let mut ages = self.roles.measures.iter().filter(is_age).copied();
        let only = ages.next().filter(|_| ages.next().is_none());
        let is_person = |c: &Named| self.roles.is_about(c.column, Concept::Person);
        let people = self.frame.people || self.frame.columns.iter().any(is_person);
        only.filter(|_| people && (1.0..120.0).contains(n) && self.dimension.is_none())
    }

    /// A value that several columns have is that of the column which is named: `nights on Saturday`.
    pub(super) fn settle_values(&mut self) -> Option<()> {
        let of_named = |(_, condition): &(usize, Condition)| {
            let Test::Is(values) = &condition.test else { return true };
            let has = |column: usize| {
                self.grid
                    .columns
                    .get(column)
                    .is_some_and(|f| f.cells.iter().any(|c| values.iter().any(|v| v.text == c.text)))
            };
            let is_named = |column: usize| self.frame.columns.iter().any(|c| c.column == column);
            is_named(condition.column)
                || !self.frame.columns.iter().any(|c| c.column != condition.column && has(c.column))
        };
        self.frame.conditions.iter().all(of_named).then_some(())
    }

    /// Columns of yes and no that are named with a count: `how many have paid`.
    pub(super) fn settle_flags(&mut self) {
        let wanted = |f: &Frame| {
            f.share || f.wh.iter().any(|(_, wh)| matches!(wh, Wh::HowMany | Wh::Who | Wh::Which | Wh::Show))
        };
        let always = wanted(&self.frame) || self.is_claim;
        let named = std::mem::take(&mut self.frame.columns);
        for one in named {
            let is_meant = always || self.is_had(one.at);
            match self.flag(one.column, true).filter(|_| is_meant) {
                Some(condition) => self.frame.conditions.push((one.at, condition)),
                None => self.frame.columns.push(one),
            }
        }
    }

    /// Whether a thing that is named is said to be there: the garden of `flats with a garden`.
    fn is_had(&self, at: usize) -> bool {
        let before = self.question.words.get(at.saturating_sub(2)..at).unwrap_or_default();
        before.iter().any(|w| matches!(w.text.as_str(), "with" | "mit" | "avec" | "having" | "带" | "有"))
    }

    /// `no sick days`: none were counted, or, where nothing is counted, nothing is there.
    pub(super) fn none_of(&self, column: usize) -> Condition {
        let counts = self
            .grid
            .columns
            .get(column)
            .is_some_and(|f| f.is_number() && f.cells.iter().any(|c| c.size == Some(0.0)));
        let test = if counts { Test::Between(0.0, 0.0) } else { Test::Empty };
        Condition { column, test }
    }

    /// The condition that a column of yes and no says yes, or no.
    pub(super) fn flag(&self, column: usize, truth: bool) -> Option<Condition> {
        const YES: [&str; 10] = ["yes", "y", "ja", "oui", "true", "x", "✓", "✔", "是", "j"];
        const NO: [&str; 8] = ["no", "n", "nein", "non", "false", "否", "", "-"];
        let field = self.grid.columns.get(column)?;
        if field.kind == Kind::Boolean {
            let plain = Some(if truth { "true".to_owned() } else { "false".to_owned() });
            let cell = field.cells.iter().find(|c| c.plain == plain)?;
            return Some(Condition {
                column,
                test: Test::Is(vec![Value { text: cell.text.clone(), plain }]),
            });
        }
        let known = |key: &str| YES.contains(&key) || NO.contains(&key);
        if field.kind != Kind::Text {
            return None;
        }
        if let Some(condition) = self.flag_in_han(column, truth) {
            return Some(condition);
        }
        if field.cells.iter().any(|c| !known(c.key.as_str())) {
            return self.flag_of_few(column, truth, &YES);
        }
        let wanted: &[&str] = if truth { &YES } else { &NO };
        let is = |r: &u32| {
            field
                .cells
                .get(*r as usize)
                .is_some_and(|c| !c.key.is_empty() && wanted.contains(&c.key.as_str()))
        };
        let rows: Vec<u32> = (0..self.grid.len() as u32).filter(is).collect();
        match (rows.is_empty(), truth) {
            (false, _) => Some(Condition { column, test: Test::Is(link::texts(field, &rows)) }),
            (true, false) => Some(Condition { column, test: Test::Empty }),
            (true, true) => None,
        }
    }

    /// The same where what is done begins with 已 and what is not with 未.
    fn flag_in_han(&self, column: usize, truth: bool) -> Option<Condition> {
        let field = self.grid.columns.get(column)?;
        let is_done = |c: &Cell| c.text.starts_with(['已', '未']);
        if field.filled == 0 || !field.cells.iter().filter(|c| !c.text.is_empty()).all(is_done) {
            return None;
        }
        let sign = if truth { '已' } else { '未' };
        let is = |r: &u32| field.cells.get(*r as usize).is_some_and(|c| c.text.starts_with(sign));
        let rows: Vec<u32> = (0..self.grid.len() as u32).filter(is).collect();
        (!rows.is_empty()).then(|| Condition { column, test: Test::Is(link::texts(field, &rows)) })
    }

    /// The same where no is said in other words: `yes`, `sold out`.
    fn flag_of_few(&self, column: usize, truth: bool, yes: &[&str]) -> Option<Condition> {
        const FEW: usize = 4;
        let field = self.grid.columns.get(column).filter(|f| f.values.len() <= FEW)?;
        let is_yes = |r: &u32| {
            field.cells.get(*r as usize).is_some_and(|c| c.key != "x" && yes.contains(&c.key.as_str()))
        };
        let rows: Vec<u32> = (0..self.grid.len() as u32).filter(is_yes).collect();
        let values = link::texts(field, &rows);
        (!rows.is_empty())
            .then_some(Condition { column, test: if truth { Test::Is(values) } else { Test::Not(values) } })
    }

    /// Several values of one column are one of them, unless two things are set against each other.
    pub(super) fn merge(&mut self) -> Option<()> {
        let sets_apart = self.frame.than && self.frame.comparative.is_some();
        if self.frame.difference || self.frame.versus.is_some() || sets_apart {
            return Some(());
        }
        let mut merged: Vec<(usize, Condition)> = Vec::new();
        for (at, condition) in std::mem::take(&mut self.frame.conditions) {
            let same = merged.iter_mut().find(|(_, c)| c.column == condition.column);
            match (same.map(|(_, c)| &mut c.test), &condition.test) {
                (Some(Test::Is(all)), Test::Is(more)) => all.extend(more.iter().cloned()),
                (Some(Test::Not(all)), Test::Not(more)) => all.extend(more.iter().cloned()),
                _ => merged.push((at, condition)),
            }
        }
        self.frame.conditions = merged;
        // What is yes or no says nothing.
        let says = |(_, c): &(usize, Condition)| match &c.test {
            Test::Is(values) => {
                values.len() < 2 || self.grid.columns.get(c.column).is_none_or(|f| f.values.len() != 2)
            }
            _ => true,
        };
        self.frame.conditions.iter().all(says).then_some(())
    }
}

/// Whether a column of days may have one in a time, by its smallest and largest.
fn may_hold(field: &Field, time: Time) -> bool {
    let Some((from, to)) = time.days() else { return true };
    let day = |text: &String| tabletalk_core::value::date(text.get(..10).unwrap_or(text)).map(f64::from);
    match field.range.as_ref().map(|(a, b)| (day(a), day(b))) {
        Some((Some(least), Some(most))) => from <= most && to >= least,
        _ => field.cells.iter().filter_map(|c| c.size).any(|s| s >= from && s < to + 1.0),
    }
}

//! Comparisons: `over 500`, `since March`, `between 3 and 5`.

use super::build::Builder;
use crate::grammar::annotate::{Meaning, done_and_due};
use crate::grammar::calendar::Time;
use crate::grammar::dimension::Dimension;
use crate::grammar::lexicon::{Concept, Period, Sense};
use crate::grid::{Field, Measure};
use crate::program::{Condition, Test};

/// A stretch of time that is told by its ends.
#[derive(Debug, Clone, Copy)]
pub(in crate::grammar) enum Stretch {
    /// Before, after, since or until a time.
    Bound(Sense, Time),
    /// From the beginning of one to the end of another.
    Range(Time, Time),
}

impl Builder<'_> {
    pub(super) fn take_comparison(&mut self, i: usize, sense: Sense) -> Option<usize> {
        if let Some(next) = self.take_beside(i, sense) {
            return Some(next);
        }
        let says_whole =
            matches!(self.meaning(i + 1), Some(Meaning::Marked(..) | Meaning::Sense(Sense::All)))
                || matches!(self.meaning(i + 1), Some(Meaning::Sense(Sense::Period(Period::Year))));
        let is_free = self.frame.columns.iter().all(|c| !self.is_measured(c.column));
        if sense == Sense::More && says_whole && !self.is_claim && is_free {
            // `over all houses`, `over the whole year`
            return Some(i + 1);
        }
        let is_rival = matches!(self.meaning(i + 1), Some(Meaning::Time(_))) && !self.times.is_empty();
        if self.frame.difference
            && matches!(sense, Sense::More | Sense::Less)
            && (is_rival || !self.is_amount(i + 1))
        {
            // `um wie viel war A höher als B`
            return Some(i + 1);
        }
        match self.meaning(i + 1) {
            Some(Meaning::Value(condition, _))
                if self.is_claim && matches!(sense, Sense::More | Sense::Less) =>
            {
                self.frame.rows |= self.grid.columns.get(condition.column).is_some_and(|f| !f.is_key());
                self.frame.versus = Some(sense == Sense::More);
                Some(i + 1)
            }
            // `Rosa was hired before Jo`
            Some(Meaning::Value(..)) if self.is_claim && matches!(sense, Sense::After | Sense::Before) => {
                self.frame.versus = Some(sense == Sense::After);
                self.frame.versus_by_time = true;
                Some(i + 1)
            }
            Some(Meaning::Percent(_) | Meaning::Sense(Sense::Half)) if self.is_claim => {
                let n = self.percent(i + 1)?;
                let test = self.bound(sense, n)?;
                self.take_percent(i, n, test, i + 2)
            }
            Some(Meaning::Number(n)) if self.is_claim => {
                let test = self.bound(sense, *n)?;
                self.take_claim(i, i + 2, test)
            }
            Some(Meaning::Number(n)) => {
                let test = self.bound(sense, *n)?;
                let mut next = i + 2;
                next = self.take_said_unit(next);
                self.dimension = self.sign_beside(i + 1).map(|sign| (sign, false)).or(self.dimension);
                if let Some(Meaning::Column(column, _)) = self.meaning(next)
                    && self.roles.measures.contains(column)
                    && self.frame.columns.last().is_none_or(|c| c.column != *column)
                    && !self.is_beside_column(i)
                {
                    self.trust_named();
                    self.compare(self.at(i), *column, test);
                    return Some(next + 1);
                }
                if matches!(self.sense(next), Some(Sense::Row | Sense::Booking | Sense::Person))
                    || self.meaning(next) == Some(&Meaning::About)
                {
                    self.frame.having = Some(test);
                    return Some(next + 1);
                }
                if self.frame.verbs.contains(&Concept::Quantity) && self.is_piece(next - 1) {
                    self.frame.having = Some(test);
                    return Some(next);
                }
                if let Some(Meaning::Column(column, _)) = self.meaning(next)
                    && self.at(next) == self.at(next - 1) + 1
                    && !self.is_beside_column(i)
                    && !self.is_measured(*column)
                {
                    return self.take_having(next, *column, test);
                }
                self.pend(i, test);
                Some(next)
            }
            Some(Meaning::Time(Time::Clock(minutes))) => {
                let column = self.clock_column()?;
                let test = self.bound(sense, self.clock_size(column, *minutes))?;
                self.frame.conditions.push((self.at(i), Condition { column, test }));
                Some(i + 2)
            }
            Some(Meaning::Time(time)) => {
                self.stretches.push((self.at(i), Stretch::Bound(sense, *time)));
                Some(i + 2)
            }
            _ => None,
        }
    }

    /// Takes the unit that a number was said in, where one follows, and says where the next token is.
    pub(super) fn take_said_unit(&mut self, i: usize) -> usize {
        let is_sure = match self.sense(i) {
            Some(Sense::Unit) => false,
            Some(Sense::Period(_)) => true,
            _ => return i,
        };
        self.unit = self.time_unit(i);
        self.dimension = self.dimension_of(i).map(|dimension| (dimension, is_sure));
        i + 1
    }

    /// What the sign of a currency beside a number says: `over $500`.
    fn sign_beside(&self, i: usize) -> Option<Dimension> {
        let (from, to, _) = self.tokens.get(i)?;
        (self.question.money & crate::mask::span(*from, to + 1) != 0).then_some(Dimension::Money)
    }

    /// What the unit at `i` is of.
    fn dimension_of(&self, i: usize) -> Option<Dimension> {
        let (from, to, _) = self.tokens.get(i)?;
        self.question.words.get(*from..=*to)?.iter().find_map(|w| Dimension::of_unit(&w.text))
    }

    /// The unit of time that the words at `i` name.
    fn time_unit(&self, i: usize) -> Option<&'static str> {
        let (from, to, _) = self.tokens.get(i)?;
        self.question.words.get(*from..=*to)?.iter().find_map(|w| unit_of_time(&w.text))
    }

    /// A bound on how many rows there are of something, which are called by a column: `wards with more than 60 reports`.
    fn take_having(&mut self, i: usize, column: usize, test: Test) -> Option<usize> {
        let is_day = self.grid.columns.get(column).is_some_and(|f| f.measure == Measure::Day);
        if !(is_day || self.is_row(i)) {
            return None;
        }
        self.frame.having = Some(test);
        Some(i + 1)
    }

    /// Two times with a `to` between them: `March 10 to March 14`, `6月5日到6月10日`.
    pub(super) fn take_range(&mut self, i: usize, from: Time) -> Option<usize> {
        const TO: [&str; 17] = [
            "to",
            "until",
            "till",
            "through",
            "bis",
            "zum",
            "dem",
            "the",
            "au",
            "a",
            "le",
            "jusqu",
            "到",
            "至",
            "einschließlich",
            "inklusive",
            "inclus",
        ];
        let (end, next) =
            (self.tokens.get(i)?.1, i + 1 + usize::from(self.sense(i + 1) == Some(Sense::Until)));
        let Some(Meaning::Time(to)) = self.meaning(next) else { return None };
        let between = self.question.words.get(end + 1..self.at(next))?;
        if between.is_empty() || !between.iter().all(|w| TO.contains(&w.text.as_str())) {
            return None;
        }
        self.stretches.push((self.at(i), Stretch::Range(from, *to)));
        Some(next + 1)
    }

    /// A time that is followed by what it is compared by: `2022年以来`, `2022 or later`.
    pub(super) fn take_postposed(&mut self, i: usize, time: Time) -> Option<usize> {
        let sense = self.sense(i + 1)?;
        let is_bound = matches!(sense, Sense::Since | Sense::Before | Sense::After | Sense::Until);
        let is_open = matches!(sense, Sense::AtLeast | Sense::AtMost);
        let word = self.question.words.get(self.at(i + 1))?;
        if !(is_bound && word.is_han() || is_open && self.at(i + 1) == self.tokens.get(i)?.1 + 1)
            || self.is_amount(i + 2)
        {
            return None;
        }
        self.stretches.push((self.at(i), Stretch::Bound(sense, time)));
        Some(i + 2)
    }

    /// One column held against another: `below the reorder level`, `delivered after the due date`.
    fn take_beside(&mut self, i: usize, sense: Sense) -> Option<usize> {
        let is_more = match sense {
            Sense::More | Sense::After => true,
            Sense::Less | Sense::Before => false,
            _ => return None,
        };
        let passed = |j: &usize| matches!(self.sense(*j), Some(Sense::Filler | Sense::Than));
        let at = (i + 1..).find(|j| !passed(j))?;
        let Some(Meaning::Column(other, _)) = self.meaning(at) else { return None };
        let measure =
            |c: usize| self.grid.columns.get(c).map(|f| (f.measure == Measure::Day, f.is_measured()));
        let is_like = |c: usize| c != *other && measure(c) == measure(*other);
        if !matches!(measure(*other), Some((_, true))) || self.roles.is_code(self.grid, *other) {
            return None;
        }
        let named = self.frame.columns.last().map(|c| c.column).filter(|c| is_like(*c));
        let only = |concept: Concept| {
            let is = |c: &usize| self.roles.is_about(*c, concept) && is_like(*c);
            let mut found = self.roles.measures.iter().copied().filter(is);
            found.next().filter(|_| found.next().is_none())
        };
        // `arrived later than promised`
        let done = done_and_due(self.grid, self.roles).filter(|(_, due)| due == other).map(|(done, _)| done);
        let column = named.or_else(|| only(Concept::Stock)).or_else(|| only(Concept::Quantity)).or(done)?;
        if named.is_some() {
            self.frame.columns.pop();
        }
        let test = if is_more { Test::MoreThan(*other) } else { Test::LessThan(*other) };
        self.frame.conditions.push((self.at(i), Condition { column, test }));
        Some(at + 1)
    }

    /// What the stretches of time that were said must hold of, now that all columns are known that are named.
    pub(super) fn settle_stretches(&mut self) -> Option<()> {
        for (at, stretch) in std::mem::take(&mut self.stretches) {
            let column = self.day_column()?;
            let is_day = self.grid.columns.get(column).is_some_and(|f| f.measure == Measure::Day);
            let test = match stretch {
                Stretch::Bound(sense, time) if is_day => time_bound(sense, self.dated(time, column))?,
                Stretch::Bound(sense, Time::Year(year)) => self.bound(sense, f64::from(year))?,
                Stretch::Range(from, to) if is_day => self.range_of_days(from, to, column)?,
                Stretch::Range(Time::Year(a), Time::Year(b)) => Test::Between(f64::from(a), f64::from(b)),
                _ => return None,
            };
            self.frame.conditions.push((at, Condition { column, test }));
        }
        Some(())
    }

    /// From the first day of one time to the last of another, whose year may be that of both.
    fn range_of_days(&self, from: Time, to: Time, column: usize) -> Option<Test> {
        let from = to.year_of_part().map_or(from, |year| from.of_year(year));
        let ((first, _), (_, last)) = (self.dated(from, column).days()?, self.dated(to, column).days()?);
        (first <= last).then_some(Test::Between(first, last))
    }

    /// Whether a column of numbers stands right before a comparison.
    fn is_beside_column(&self, i: usize) -> bool {
        let before = i.checked_sub(1).and_then(|b| self.meaning(b));
        matches!(before, Some(Meaning::Column(c, _)) if self.roles.measures.contains(c))
    }

    /// Keeps a bound; its column is the one right before it, where there is one.
    pub(super) fn pend(&mut self, i: usize, test: Test) {
        let before = i.checked_sub(1).and_then(|b| self.meaning(b));
        match before {
            Some(Meaning::Column(column, _)) if self.is_measured(*column) => {
                let column = *column;
                self.trust_named();
                self.frame.columns.retain(|c| c.column != column);
                self.compare(self.at(i), column, test);
            }
            _ => self.pending.push((self.at(i), test)),
        }
    }

    /// A column that is named need not say what its numbers are of.
    pub(super) fn trust_named(&mut self) {
        self.dimension = self.dimension.map(|(dimension, _)| (dimension, false));
    }

    pub(super) fn compare(&mut self, at: usize, column: usize, test: Test) {
        if let Some((said, is_sure)) = self.dimension.take() {
            let own = Dimension::of_column(self.grid, self.roles, column);
            // Five kilos are not held against euros.
            self.negated |= own.map_or(is_sure, |own| own != said);
        }
        let clock = self.grid.columns.get(column).filter(|f| f.measure == Measure::Clock);
        if let Some(field) = clock {
            let many = self.unit.take().and_then(|unit| clock_unit(field, unit));
            // Two of what nobody said are not held against a time.
            self.negated |= many.is_none();
            let test = times(test, many.unwrap_or(1.0));
            self.frame.conditions.push((at, Condition { column, test }));
            return;
        }
        if let Some(unit) = self.unit.take() {
            let words = self.roles.names.get(column).into_iter().flatten().flatten();
            let mut units = words.filter_map(|w| unit_of_time(&w.text));
            // Five years are not five of `age_months`.
            self.negated |= units.any(|own| own != unit);
        }
        let test = match self.grid.columns.get(column) {
            Some(field) => scaled(field, test),
            None => test,
        };
        self.frame.conditions.push((at, Condition { column, test }));
    }

    pub(super) fn bound(&self, sense: Sense, n: f64) -> Option<Test> {
        Some(match sense {
            Sense::More | Sense::After => Test::More(n),
            Sense::Less | Sense::Before => Test::Less(n),
            Sense::AtLeast | Sense::Since => Test::AtLeast(n),
            Sense::AtMost | Sense::Until => Test::AtMost(n),
            _ => return None,
        })
    }

    pub(super) fn take_between(&mut self, i: usize) -> Option<usize> {
        match (self.meaning(i + 1), self.meaning(i + 2)) {
            (Some(Meaning::Number(a)), Some(Meaning::Number(b))) => {
                self.pend(i, Test::Between(a.min(*b), a.max(*b)));
                Some(i + 3)
            }
            (Some(Meaning::Time(Time::Clock(a))), Some(Meaning::Time(Time::Clock(b)))) => {
                let column = self.clock_column()?;
                let test = Test::Between(self.clock_size(column, *a), self.clock_size(column, *b));
                self.frame.conditions.push((self.at(i), Condition { column, test }));
                Some(i + 3)
            }
            (Some(Meaning::Time(a)), Some(Meaning::Time(b))) => {
                self.stretches.push((self.at(i), Stretch::Range(*a, *b)));
                Some(i + 3)
            }
            // `the difference between A and B`
            _ if self.frame.difference => Some(i + 1),
            _ => None,
        }
    }
}

/// How many of the last unit that times of a column are written in a unit of time is, where that can be told.
fn clock_unit(field: &Field, unit: &str) -> Option<f64> {
    let name = field.name.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|w| name.contains(w));
    let style = field.clock()?;
    // No day has so many hours: these are minutes and seconds.
    let most = field.cells.iter().filter_map(|c| c.size).fold(0.0, f64::max);
    let is_of_minutes = !style.is_long && most >= 25.0 * 60.0;
    match unit {
        "hour" if is_of_minutes => Some(3600.0),
        "minute" if is_of_minutes => Some(60.0),
        "hour" if style.is_long => Some(3600.0),
        "minute" if style.is_long || says(&["m:ss", "(min", "mins", "minut"]) => Some(60.0),
        "hour" if says(&["h:mm", "(h)", "hours", "hrs", "stunden", "std", "heures"]) => Some(60.0),
        "minute" if says(&["h:mm", "(h)", "hours", "hrs", "stunden", "std", "heures"]) => Some(1.0),
        _ => None,
    }
}

/// A bound in another unit.
fn times(test: Test, many: f64) -> Test {
    match test {
        Test::Less(n) => Test::Less(n * many),
        Test::AtMost(n) => Test::AtMost(n * many),
        Test::More(n) => Test::More(n * many),
        Test::AtLeast(n) => Test::AtLeast(n * many),
        Test::Between(a, b) => Test::Between(a * many, b * many),
        other => other,
    }
}

/// A bound in the unit of a column.
fn scaled(field: &Field, test: Test) -> Test {
    match test {
        Test::Less(n) => Test::Less(field.scaled(n)),
        Test::AtMost(n) => Test::AtMost(field.scaled(n)),
        Test::More(n) => Test::More(field.scaled(n)),
        Test::AtLeast(n) => Test::AtLeast(field.scaled(n)),
        Test::Between(a, b) => Test::Between(field.scaled(a), field.scaled(b)),
        other => other,
    }
}

fn time_bound(sense: Sense, time: Time) -> Option<Test> {
    let (from, to) = time.days()?;
    Some(match sense {
        Sense::After | Sense::More => Test::More(to),
        Sense::Before | Sense::Less => Test::Less(from),
        Sense::Since | Sense::AtLeast => Test::AtLeast(from),
        Sense::Until | Sense::AtMost => Test::AtMost(to),
        _ => return None,
    })
}

/// A unit of time by any of its words.
fn unit_of_time(word: &str) -> Option<&'static str> {
    const UNITS: [(&str, &[&str]); 6] = [
        ("year", &["year", "years", "yrs", "jahre", "jahren", "ans", "annees", "岁", "年"]),
        ("month", &["month", "months", "monate", "monaten", "mois"]),
        ("week", &["week", "weeks", "wks", "wochen", "semaines"]),
        ("day", &["days", "tage", "tagen", "jours"]),
        ("hour", &["hour", "hours", "hrs", "h", "stunde", "stunden", "std", "heure", "heures"]),
        ("minute", &["minute", "minutes", "min", "mins", "minuten"]),
    ];
    UNITS.iter().find(|(_, words)| words.contains(&word)).map(|(unit, _)| *unit)
}

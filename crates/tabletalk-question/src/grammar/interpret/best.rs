//! The largest, the latest, the most frequent.

use super::Interpreter;
use crate::grammar::annotate::Fit;
use crate::grammar::frame::{Named, Superlative, Wh};
use crate::grammar::lexicon::{Concept, Period};
use crate::grammar::role::is_text;
use crate::grid::Measure;
use crate::program::{Ask, By, Fold, Key, Pick, Rows, Test};

impl Interpreter<'_> {
    pub(super) fn superlative(&mut self, mut rows: Rows) -> Option<(Rows, Ask)> {
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
        if let Some(found) = self.longest(&rows, superlative) {
            return Some(found);
        }
        if let Some(found) = self.best_over_series(superlative) {
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
        let is_time = self.field(column).is_some_and(|f| matches!(f.measure, Measure::Day | Measure::Clock));
        // On which day the most was sold is asked of all that was sold on each, but the largest sale is one.
        let is_of_days = self.is_of_time(thing)
            && (self.frame.average.is_some() || superlative.counts && !superlative.judges);
        let repeats = !self.is_unique(thing, &rows) && (is_text(self.grid, thing) || is_of_days);
        let groups = self.frame.sum.is_some()
            || self.frame.average.is_some()
            || repeats
                && !is_time
                && self.is_additive(column)
                // The heaviest and the dearest is one, but what sold best is all that was sold.
                && matches!(superlative.concept, None | Some(Concept::Quantity))
            // Which branch had the most returns, of a row for each day.
            || repeats
                && !is_time
                && superlative.counts && !superlative.judges && superlative.concept.is_none() && self.is_count(column);
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

    /// What has the largest value: `Some(None)` when it cannot be told, `None` when the value itself is asked for.
    fn asked_thing(&mut self, column: usize, superlative: Superlative) -> Option<Option<usize>> {
        // The youngest child seen by Tanya is no day.
        let is_done =
            |c: &Named| c.is_verb && c.fit != Fit::Exact && self.is_of_time(c.column) && !self.has(Wh::When);
        let others: Vec<usize> = self
            .frame
            .columns
            .iter()
            .filter(|c| c.column != column && !is_done(c))
            .filter(|c| !self.has(Wh::Where) || is_text(self.grid, c.column))
            // What was paid is no time: `when did I pay the most per litre`.
            .filter(|c| !(c.is_verb && self.has(Wh::When)) || self.is_of_time(c.column))
            .map(|c| c.column)
            .collect();
        let asks = [Wh::Who, Wh::When, Wh::Where].iter().any(|wh| self.has(*wh));
        if self.has(Wh::When) && self.field(column).is_some_and(|f| f.measure == Measure::Day) {
            let is_asked = others.iter().any(|c| !self.is_row_key(*c));
            return is_asked.then_some(None);
        }
        // `how old is the oldest`
        let how = |c: &Named| c.column == column && self.frame.how == Some(c.at.saturating_sub(1));
        if self.frame.columns.iter().any(|c| c.at > 0 && how(c)) {
            return None;
        }
        // `the most experienced`
        let how = |c: &Named| c.column == column && c.is_verb && c.at == superlative.at + 1;
        if others.is_empty() && self.frame.columns.iter().any(how) {
            return Some(self.thing_beside(column));
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

    /// Which of the columns of a series has the most: `in which month did we spend the most on food`.
    pub(super) fn best_of_series(&mut self, superlative: Superlative) -> Option<Ask> {
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

    /// What took longest from one day to another: `the longest stay`, of who was admitted and discharged.
    fn longest(&mut self, rows: &Rows, superlative: Superlative) -> Option<(Rows, Ask)> {
        const ENDS: [&str; 20] = [
            "returned",
            "closed",
            "resolved",
            "discharged",
            "delivered",
            "harvested",
            "finished",
            "completed",
            "ended",
            "solved",
            "left",
            "departed",
            "erledigt",
            "beendet",
            "zuruck",
            "ruckgabe",
            "abgeschlossen",
            "geliefert",
            "retour",
            "rendu",
        ];
        if superlative.concept != Some(Concept::Length) || !self.measures().is_empty() || self.frame.skip > 0
        {
            return None;
        }
        let [a, b] = self.roles.days(self.grid)[..] else { return None };
        let is_end = |c: usize| {
            let mut words = self.roles.names.get(c).into_iter().flatten().flatten();
            self.roles.is_about(c, Concept::End) || words.any(|w| ENDS.contains(&w.text.as_str()))
        };
        let is_birth = self.roles.is_about(a, Concept::Birth) || self.roles.is_about(b, Concept::Birth);
        let (column, other) = match (is_end(a), is_end(b)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => return None,
        };
        let named = |c: &Named| c.column == a || c.column == b;
        let lasts = |k: Concept| self.roles.measures.iter().any(|c| self.roles.is_about(*c, k));
        let has_length = [Concept::Length, Concept::Duration, Concept::Hours].into_iter().any(lasts);
        if is_birth || has_length || self.frame.columns.iter().any(|c| named(c) && !c.is_verb) {
            return None;
        }
        self.frame.columns.retain(|c| !named(c));
        let thing = self.thing()?;
        let count = self.frame.limit.unwrap_or(1);
        let pick = Some(Pick::Apart { column, other, most: superlative.most, count });
        let rows = Rows { pick, ..rows.clone() };
        self.doubt(0.96);
        Some((rows, Ask::Cells(thing)))
    }

    /// What comes to most over all columns of a series: `the three dearest categories over the year`.
    fn best_over_series(&mut self, superlative: Superlative) -> Option<Ask> {
        let series = self.number_series();
        let is_amount = matches!(superlative.concept, None | Some(Concept::Price | Concept::Quantity));
        let asks = self.has(Wh::Which) || self.has(Wh::Who) || self.frame.limit.is_some();
        let is_plain = self.frame.average.is_none() && self.frame.skip == 0 && !superlative.by_time;
        if series.len() < 3 || !is_amount || !asks || !is_plain || !self.measures().is_empty() {
            return None;
        }
        let thing = self.thing()?;
        let ask = match self.total_of_series() {
            Some(total) => Ask::Fold(Fold::Sum, total),
            None => Ask::Across(Fold::Sum, series),
        };
        self.doubt(0.95);
        Some(Ask::By(By {
            keys: vec![Key { column: thing, period: None }],
            ask: Box::new(ask),
            order: Some(superlative.most),
            limit: Some(self.frame.limit.unwrap_or(1)),
            having: None,
            bare: self.frame.limit.is_none() || self.wants_names(),
        }))
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
        let words = |c: &usize| self.field(*c).and_then(crate::grammar::calendar::cells).is_some();
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
                bare: self.wants_names(),
            }));
        }
        Some(Ask::Group { column: thing, most: superlative.most, sum: None })
    }
}

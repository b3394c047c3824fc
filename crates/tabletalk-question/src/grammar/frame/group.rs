//! Groups: `by city`, `per month`, `which year`.

use super::build::Builder;
use crate::grammar::annotate::{Fit, Meaning};
use crate::grammar::calendar::{self, Time};
use crate::grammar::lexicon::{Lexicon, Period, Sense};
use crate::grid::Measure;
use crate::program::Key;

impl Builder<'_> {
    /// `by city`, `per month`, `for each rep`.
    pub(super) fn take_by(&mut self, i: usize) -> Option<usize> {
        match self.meaning(i + 1) {
            Some(Meaning::Column(column, fit)) => {
                if *fit != Fit::Exact {
                    self.doubt(0.95);
                }
                // The group of `product group` is what makes groups.
                if let Some(Meaning::Column(head, _)) = self.meaning(i + 2)
                    && self.at(i + 2) == self.at(i + 1) + 1
                    && !self.is_measured(*head)
                    && head != column
                {
                    self.frame.keys.push((self.at(i), Key { column: *head, period: None }));
                    return Some(i + 3);
                }
                // `per year of publication`
                let is_day = self.grid.columns.get(*column).is_some_and(|f| f.measure == Measure::Day);
                let key = Key { column: *column, period: self.period_in(i + 1).filter(|_| is_day) };
                self.frame.keys.push((self.at(i), key));
                let next = i + 2 + usize::from(self.sense(i + 2) == Some(Sense::Head));
                Some(self.take_second_key(next).unwrap_or(next))
            }
            Some(Meaning::Level(columns)) => {
                let [column] = columns.as_slice() else { return None };
                self.frame.keys.push((self.at(i), Key { column: *column, period: None }));
                Some(i + 2)
            }
            Some(Meaning::Sense(Sense::Period(period))) => {
                self.add_period_key(i, *period).or_else(|| self.by_series())?;
                Some(i + 2)
            }
            Some(Meaning::Sense(Sense::Person)) => {
                let column = self.roles.person(self.grid)?;
                self.frame.keys.push((self.at(i), Key { column, period: None }));
                Some(i + 2)
            }
            // `the average per entry`
            Some(Meaning::Sense(Sense::Row | Sense::Booking | Sense::Item) | Meaning::About)
                if self.frame.average.is_some() =>
            {
                Some(i + 2)
            }
            // `top 3 flats by consumption in July`: what the table is about says no more than the month.
            Some(Meaning::About)
                if !self.frame.superlatives.is_empty()
                    && self
                        .tokens
                        .iter()
                        .skip(i + 2)
                        .any(|t| matches!(t.2, Meaning::Column(c, _) if self.is_measured(*c))) =>
            {
                Some(i + 2)
            }
            // `top five customers by number of orders`
            Some(Meaning::Sense(Sense::HowMany))
                if !self.frame.superlatives.is_empty() && self.is_row(i + 2) =>
            {
                self.frame.rows = true;
                self.frame.superlatives.iter_mut().for_each(|s| s.counts = true);
                Some(i + 3)
            }
            // `paid by Ann`: only says who.
            Some(Meaning::Value(..)) => Some(i + 1),
            _ => None,
        }
    }

    /// The part of the calendar that the words at `i` name.
    fn period_in(&self, i: usize) -> Option<Period> {
        let (from, to, _) = self.tokens.get(i)?;
        (*from..=*to).find_map(|at| {
            let senses = Lexicon::get().senses(&self.question.words, at).into_iter();
            senses.filter(|(len, _)| *len == 1).find_map(|(_, sense)| match sense {
                Sense::Period(period) if from != to => Some(period),
                _ => None,
            })
        })
    }

    /// `by city and status`: the column after an `and` makes groups, too.
    fn take_second_key(&mut self, i: usize) -> Option<usize> {
        let (Meaning::Column(column, _), at) = (self.meaning(i)?, self.at(i)) else { return None };
        let before = self.question.words.get(at.checked_sub(1)?)?;
        let is_and = matches!(before.text.as_str(), "and" | "und" | "et" | "和" | "与" | "及" | "per" | "by");
        let is_known = self.frame.keys.iter().any(|(_, k)| k.column == *column);
        if !is_and || is_known || self.is_measured(*column) {
            return None;
        }
        self.frame.keys.push((at, Key { column: *column, period: None }));
        Some(i + 1)
    }

    /// A key by a part of the calendar: of the only column of days, or the column that is called so.
    fn add_period_key(&mut self, i: usize, period: Period) -> Option<()> {
        let key = self.period_key(period)?;
        self.frame.keys.push((self.at(i), key));
        Some(())
    }

    /// Parts of the calendar that stand side by side make no groups of rows.
    fn by_series(&mut self) -> Option<()> {
        let is_series = !self.roles.series().is_empty() && self.roles.days(self.grid).is_empty();
        self.frame.by_series |= is_series;
        is_series.then_some(())
    }

    fn period_key(&self, period: Period) -> Option<Key> {
        let years = self.roles.years(self.grid);
        if let (Period::Year, [column]) = (period, years.as_slice()) {
            return Some(Key { column: *column, period: None });
        }
        if let Some(column) = (0..self.grid.columns.len()).find(|c| self.is_of_period(*c, period)) {
            return Some(Key { column, period: None });
        }
        match self.roles.days(self.grid).as_slice() {
            [column] => Some(Key { column: *column, period: Some(period) }),
            _ => None,
        }
    }

    /// Whether the cells of a column are months or quarters in words.
    fn is_of_period(&self, column: usize, period: Period) -> bool {
        let Some(times) = self.grid.columns.get(column).and_then(calendar::cells) else { return false };
        let is = |t: &Time| match period {
            Period::Month => matches!(t, Time::Month(_) | Time::YearMonth(..)),
            Period::Quarter => matches!(t, Time::Quarter(..)),
            _ => false,
        };
        times.iter().flatten().all(is)
    }

    /// Whether words say no more than all the time that a table is about: `over the year`, of a table of its months.
    fn is_whole_time(&self, i: usize, period: Period) -> bool {
        const WHOLE: [&str; 14] = [
            "the", "whole", "entire", "full", "im", "ganzen", "ganze", "gesamte", "gesamten", "dem", "das",
            "l", "全", "整",
        ];
        let before = self.at(i).checked_sub(1).and_then(|at| self.question.words.get(at));
        let says = before.is_some_and(|w| WHOLE.contains(&w.text.as_str()));
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let is_one = matches!(word, "year" | "jahr" | "annee" | "an" | "年");
        let spans = !self.roles.series().is_empty() && self.roles.days(self.grid).is_empty();
        period == Period::Year && says && is_one && (spans || self.is_of_one_year())
    }

    /// Whether all days of the table are in one year.
    fn is_of_one_year(&self) -> bool {
        let days = self.roles.days(self.grid);
        let year = |text: &String| text.get(..4).map(str::to_owned);
        let is_one = |c: &usize| {
            let range = self.grid.columns.get(*c).and_then(|f| f.range.as_ref());
            range.is_some_and(|(a, b)| year(a).is_some() && year(a) == year(b))
        };
        matches!(days.as_slice(), [only] if is_one(only))
    }

    pub(super) fn take_period(&mut self, i: usize, period: Period) -> Option<usize> {
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let is_adverb = word.ends_with("ly") || word.ends_with("lich") || word.starts_with('每');
        let asks = i.checked_sub(1).and_then(|b| self.sense(b));
        match asks {
            _ if is_adverb => self.add_period_key(i, period).or_else(|| self.by_series())?,
            Some(Sense::Which | Sense::What) => self.frame.period = Some(period),
            Some(Sense::HowMany) => {
                self.frame.distinct = true;
                self.frame.period = Some(period);
            }
            // `in the month of March`
            _ if matches!(
                self.meaning(i + 1),
                Some(Meaning::Time(_) | Meaning::Value(..) | Meaning::Column(..))
            ) => {}
            _ if self.is_whole_time(i, period) => {}
            Some(Sense::Most | Sense::Least | Sense::Latest | Sense::Earliest) => {
                self.frame.period = Some(period)
            }
            _ if !self.frame.superlatives.is_empty() => self.frame.period = Some(period),
            _ => return None,
        }
        Some(i + 1)
    }
}

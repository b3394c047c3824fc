//! Which column is meant where none, or several, are named.

use super::name::has_names;
use super::{Interpreter, MONEY};
use crate::grammar::frame::{Superlative, Wh};
use crate::grammar::lexicon::Concept;
use crate::grammar::role::{WHO, is_text};
use crate::grid::{Field, Measure};

impl Interpreter<'_> {
    /// The column that is calculated with: the named one, else the only one that can be meant.
    pub(crate) fn measure(&mut self) -> Option<usize> {
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
        // What came in is not what went out.
        for (verb, other) in [(Concept::Income, Concept::Expense), (Concept::Expense, Concept::Income)] {
            if self.frame.verbs.contains(&verb) {
                fit.retain(|c| self.roles.is_about(*c, verb) || !self.roles.is_about(*c, other));
            }
        }
        // What a litre costs is not what was spent.
        let is_rate = |c: &usize| self.field(*c).is_some_and(|f| f.name.contains('/'));
        if !self.frame.verbs.is_empty() && fit.iter().all(is_rate) {
            fit = plain.iter().copied().filter(|c| self.roles.is_money(self.grid, *c)).collect();
        }
        if !self.frame.verbs.is_empty() {
            fit.retain(|c| !is_rate(c));
        }
        // What is left in an account is not what was paid.
        if fit.len() > 1 {
            fit.retain(|c| !self.roles.is_about(*c, Concept::Balance));
        }
        // What one thing costs is its price, but how many of them were bought makes a sum.
        let buys = plain.iter().any(|c| self.roles.is_about(*c, Concept::Quantity));
        if fit.len() > 1
            && !buys
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

    pub(super) fn key(&mut self) -> Option<usize> {
        let key = self.roles.key(self.grid)?;
        self.doubt(0.98);
        Some(key)
    }

    /// The same, where a column is named only because it is compared by.
    pub(super) fn thing_beside(&mut self, column: usize) -> Option<usize> {
        let named = self.frame.columns.clone();
        self.frame.columns.retain(|c| c.column != column);
        let thing = self.thing();
        self.frame.columns = named;
        thing
    }

    /// The column that says who, what or where.
    pub(super) fn thing(&mut self) -> Option<usize> {
        if let [only] = self.others().as_slice() {
            let is_person = |c: usize| WHO.iter().any(|k| self.roles.is_about(c, *k));
            let person = self.roles.person(self.grid);
            if self.has(Wh::Where) && !is_text(self.grid, *only) {
                return self.place();
            }
            // Who works most is no day of the week.
            let is_nobody = self.has(Wh::Who) && person.is_some_and(|p| p != *only) && !is_person(*only);
            return (!is_nobody).then_some(*only);
        }
        if !self.others().is_empty() {
            return None;
        }
        if self.has(Wh::Who) || self.frame.people {
            return match self.roles.person(self.grid) {
                Some(person) => Some(person),
                None => self.key().filter(|c| self.field(*c).is_some_and(has_names)),
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

    pub(super) fn day(&mut self) -> Option<usize> {
        let clocks = self.roles.clocks(self.grid);
        let named = self.frame.columns.iter().map(|c| c.column).find(|c| clocks.contains(c));
        let days = self.roles.days(self.grid);
        if let Some(named) = named {
            return Some(named);
        }
        let mut said = self.frame.columns.iter().map(|c| c.column).filter(|c| days.contains(c));
        if let (Some(only), None) = (said.next(), said.next()) {
            return Some(only);
        }
        if let ([], [only]) = (days.as_slice(), clocks.as_slice()) {
            return Some(*only);
        }
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

    /// The column that a superlative compares by, and whether the largest is meant: of what is bad, the worst is the most.
    pub(crate) fn compared(&mut self, superlative: Superlative) -> Option<(usize, bool)> {
        let (column, most) = self.compared_by(superlative)?;
        Some((column, if superlative.judges && self.is_bad(column) { !most } else { most }))
    }

    /// Whether much is bad in a column.
    fn is_bad(&self, column: usize) -> bool {
        const BAD: [&str; 52] = [
            "wait",
            "waiting",
            "delay",
            "late",
            "error",
            "errors",
            "defect",
            "defects",
            "complaint",
            "complaints",
            "bounce",
            "scrap",
            "reject",
            "rejects",
            "waste",
            "stoppage",
            "downtime",
            "absence",
            "absences",
            "sick",
            "missed",
            "returns",
            "loss",
            "losses",
            "damage",
            "damages",
            "accidents",
            "faults",
            "failures",
            "penalties",
            "cost",
            "costs",
            "debt",
            "overdue",
            "rank",
            "place",
            "pos",
            "position",
            "platz",
            "rang",
            "fehler",
            "fehltage",
            "ausschuss",
            "verspatung",
            "wartezeit",
            "retard",
            "attente",
            "erreurs",
            "迟到",
            "投诉",
            "缺勤",
            "排名",
        ];
        let words = || self.roles.names.get(column).into_iter().flatten().flatten();
        let is_bad = words().any(|w| BAD.contains(&w.text.as_str()));
        // German marks are best where they are small.
        let sizes = || self.field(column).into_iter().flat_map(|f| f.cells.iter().filter_map(|c| c.size));
        let is_mark =
            words().any(|w| w.text.starts_with("note")) && sizes().all(|s| (1.0..=6.0).contains(&s));
        // The best time is the shortest.
        let is_time = self.field(column).is_some_and(|f| f.measure == Measure::Clock);
        is_bad || is_mark || is_time
    }

    fn compared_by(&mut self, superlative: Superlative) -> Option<(usize, bool)> {
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
                        let is_sized =
                            |f: &Field| matches!(f.measure, Measure::Lead | Measure::Day | Measure::Clock);
                        self.field(*c).is_some_and(is_sized) && !self.is_row_key(*c)
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

    /// Whether a column says how late something was, which is not how long it is.
    fn is_a_wait(&self, column: usize) -> bool {
        const WAITS: [&str; 8] =
            ["delay", "wait", "waiting", "late", "verspatung", "wartezeit", "retard", "attente"];
        let mut words = self.roles.names.get(column).into_iter().flatten().flatten();
        words.any(|w| WAITS.contains(&w.text.as_str()))
    }

    /// Whether a column is called what happens at a time of day: `Departure`.
    pub(super) fn is_of_day(&self, column: usize) -> bool {
        const OF_DAY: [&str; 30] = [
            "departure",
            "departs",
            "depart",
            "leaves",
            "arrival",
            "arrives",
            "start",
            "starts",
            "end",
            "ends",
            "opens",
            "opening",
            "closes",
            "closing",
            "from",
            "to",
            "until",
            "at",
            "beginn",
            "ende",
            "abfahrt",
            "ankunft",
            "von",
            "bis",
            "ab",
            "uhrzeit",
            "debut",
            "fin",
            "arrivee",
            "heure",
        ];
        let mut words = self.roles.names.get(column).into_iter().flatten().flatten();
        words.any(|w| OF_DAY.contains(&w.text.as_str()))
    }

    /// The column that an adjective such as `oldest` compares by.
    pub(crate) fn of_concept(&mut self, concept: Concept, most: bool) -> Option<(usize, bool)> {
        // A time of `2:35:10` is no number that begins with its hours.
        let is_sized = |f: &Field| {
            f.is_number() || matches!(f.measure, Measure::Day | Measure::Clock) || f.is_lead_number()
        };
        let clocks = self.roles.clocks(self.grid);
        // What leaves at nine is neither long nor fast.
        let lasts = |c: usize| !(clocks.contains(&c) && self.is_of_day(c));
        let measured = |c: &usize| self.field(*c).is_some_and(is_sized) && lasts(*c);
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
            Concept::Length
                if (!self.frame.wh.is_empty() || self.frame.columns.iter().any(|c| c.is_verb))
                    && named.is_some_and(|c| self.is_of_time(c)) =>
            {
                named.map(turned)
            }
            Concept::Length => named
                .or_else(|| about(Concept::Length).filter(|c| !self.is_a_wait(*c)))
                .or_else(|| about(Concept::Duration).filter(|c| !self.is_a_wait(*c)))
                .or_else(|| about(Concept::Hours).filter(|c| !self.is_a_wait(*c)))
                .or_else(|| about(Concept::Distance))
                .map(|c| (c, most))
                // Who is here the longest came first.
                .or_else(|| about(Concept::Start).filter(|_| self.has(Wh::Who)).map(turned)),
            Concept::Speed => about(Concept::Speed).map(|c| {
                let is_time = clocks.contains(&c)
                    || self.roles.is_about(c, Concept::Time)
                    || self.roles.is_about(c, Concept::Duration);
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
            other => {
                let named = named.filter(|c| !self.is_of_time(*c) && !self.roles.is_id(self.grid, *c));
                let is_meant = named.is_some_and(|c| self.roles.is_about(c, other));
                let column = if is_meant { named } else { about(other).or(named) };
                column.map(|c| (c, most))
            }
        }
    }
}

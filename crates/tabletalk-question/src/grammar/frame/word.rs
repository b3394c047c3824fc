//! What columns, values, numbers and small words say.

use super::build::Builder;
use super::{Claim, Named, Quantifier, Superlative, Wh};
use crate::grammar::annotate::{Fit, Meaning, is_of_verb};
use crate::grammar::dimension::Dimension;
use crate::grammar::is_same;
use crate::grammar::lexicon::{Concept, Lexicon, Sense};
use crate::grid::{Cell, Field, Measure};
use crate::link;
use crate::program::{Condition, Test, Value};

impl Builder<'_> {
    /// A unit says something only of a number or of how much: `Which countries use the euro` asks about no number.
    pub(super) fn take_unit(&mut self, i: usize) -> Option<usize> {
        let is_number = |m: &Meaning| {
            matches!(m, Meaning::Number(_) | Meaning::Percent(_) | Meaning::Column(..) | Meaning::Marked(..))
        };
        let asks = |m: &Meaning| {
            matches!(
                m,
                Meaning::Sense(
                    Sense::HowMany
                        | Sense::HowMuch
                        | Sense::Sum
                        | Sense::Average
                        | Sense::Of(_)
                        | Sense::What
                )
            )
        };
        // Pots are counted, or stand behind a number; `how much did the pots sell for` speaks of the pots.
        const CONTAINERS: [&str; 16] = [
            "pot", "pots", "tin", "tins", "carton", "cartons", "packet", "packets", "punnet", "punnets",
            "loaf", "loaves", "bocaux", "bocal", "sachets", "bouquets",
        ];
        let before = i.checked_sub(1).and_then(|b| self.meaning(b));
        let counts = matches!(before, Some(Meaning::Number(_) | Meaning::Sense(Sense::HowMany)));
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        if CONTAINERS.contains(&word) && !counts {
            return None;
        }
        let is_said = self.tokens.iter().any(|t| is_number(t.2) || asks(t.2));
        // How many hours there are is no count of rows.
        let after = i.checked_sub(1).and_then(|b| self.sense(b));
        self.frame.counts_units |= after == Some(Sense::HowMany);
        if after == Some(Sense::HowMany) {
            self.frame.counted_unit = Dimension::of_unit(word);
        }
        is_said.then_some(i + 1)
    }

    /// `older than 30`, `taller than Ann`.
    pub(super) fn take_comparative(&mut self, i: usize, concept: Concept, more: bool) -> Option<usize> {
        let next = if self.sense(i + 1) == Some(Sense::Than) { i + 2 } else { i + 1 };
        if let Some(Meaning::Number(n)) = self.meaning(next) {
            let column = (0..self.grid.columns.len())
                .find(|c| self.is_measured(*c) && self.roles.is_about(*c, concept))?;
            let test = if more { Test::More(*n) } else { Test::Less(*n) };
            let after = self.take_said_unit(next + 1);
            self.trust_named();
            self.compare(self.at(i), column, test);
            return Some(after);
        }
        self.frame.comparative = Some((Some(concept), more));
        self.frame.than = true;
        Some(i + 1)
    }

    /// `out of stock`.
    pub(super) fn take_gone(&mut self, i: usize) -> Option<usize> {
        let is =
            |c: &usize| self.roles.is_about(*c, Concept::Stock) || self.roles.is_about(*c, Concept::Quantity);
        let column = self.roles.measures.iter().copied().find(is)?;
        self.frame.conditions.push((self.at(i), Condition { column, test: Test::AtMost(0.0) }));
        Some(i + 1)
    }

    /// A noun that says what kind of number a column beside it has, or, alone, nothing that is known.
    pub(super) fn take_head(&mut self, i: usize) -> Option<usize> {
        let before = i.checked_sub(1).and_then(|b| self.meaning(b));
        let is_number =
            |m: Option<&Meaning>| matches!(m, Some(Meaning::Column(c, _)) if self.is_measured(*c));
        // `payment type` of a column `payment`
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let begins = i == 0 && matches!(word, "number" | "count" | "anzahl" | "nombre");
        if begins && self.tokens.len() > 1 {
            // `number declined`
            self.frame.wh.push((self.at(i), Wh::HowMany));
            return Some(i + 1);
        }
        if before == Some(&Meaning::About) && word == "量" {
            // The `量` of `产量`, where the table is about `产`.
            return Some(i + 1);
        }
        let is_generic = matches!(word, "type" | "kind" | "name" | "typ" | "code")
            && matches!(before, Some(Meaning::Column(..)));
        // The price of honey is not how much of it there is.
        let is_money = |m: Option<&Meaning>| match m {
            Some(Meaning::Column(c, _)) => self.roles.is_money(self.grid, *c),
            _ => false,
        };
        let next = self.meaning(i + 1);
        let fits = !is_of_price(word) || is_money(before) || is_money(next);
        (is_generic || fits && (is_number(before) || is_number(next))).then_some(i + 1)
    }

    pub(super) fn take_column(&mut self, i: usize, column: usize, fit: Fit) -> Option<usize> {
        self.doubt(match fit {
            Fit::Exact => 1.0,
            Fit::Part => 0.97,
            Fit::Compound => 0.95,
            Fit::Synonym => 0.94,
        });
        if fit == Fit::Synonym && (self.is_number_of(i, column) || self.bounds_time(i)) {
            return None;
        }
        // The value that follows is one of this column: `status open`.
        if let Some(Meaning::Value(condition, fit)) = self.meaning(i + 1)
            && condition.column == column
        {
            return self.take_value(i + 1, &condition.clone(), *fit);
        }
        // `certificat médical` of `Certif. médical`
        let twice = matches!(self.meaning(i + 1), Some(Meaning::Column(next, _)) if *next == column)
            && self.at(i + 1) == self.at(i) + 1
            && !self.bounds_time(i + 1);
        let next = i + 1 + usize::from(twice);
        let at = self.at(i);
        if self.negated {
            self.negated = false;
            // Who did not show up is a `No-show`.
            let condition =
                self.flag(column, self.is_negative(i, column)).unwrap_or_else(|| self.none_of(column));
            self.frame.conditions.push((at, condition));
            return Some(next);
        }
        let is_verb = self.question.words.get(at).is_some_and(|w| w.text.ends_with("ed"))
            || self.is_done_at(i, column)
            || self.is_done_in_german(i, column);
        let is_unit = |w: &crate::word::Word| {
            Lexicon::get().senses(std::slice::from_ref(w), 0).iter().any(|(_, s)| *s == Sense::Unit)
        };
        let before = i.checked_sub(1).and_then(|b| self.sense(b));
        self.frame.counts_units |=
            before == Some(Sense::HowMany) && self.question.words.get(at).is_some_and(is_unit);
        self.frame.columns.push(Named { at, column, fit, is_verb });
        Some(next)
    }

    /// Whether the word at `i` says from when or until when, as what follows is a time: `since 2022` is not `in 2022`.
    fn bounds_time(&self, i: usize) -> bool {
        let senses = Lexicon::get().senses(&self.question.words, self.at(i));
        let bounds = |s: &Sense| matches!(s, Sense::Since | Sense::Until | Sense::Before | Sense::After);
        senses.iter().any(|(_, s)| bounds(s))
            && matches!(self.meaning(i + 1), Some(Meaning::Time(_) | Meaning::Number(_)))
    }

    /// Whether the word at `i` is the `number` of what stands right before it: `part numbers` are no quantities.
    fn is_number_of(&self, i: usize, column: usize) -> bool {
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let before = i.checked_sub(1).filter(|b| self.at(*b) + 1 == self.at(i)).and_then(|b| self.meaning(b));
        matches!(word, "number" | "numbers" | "nummer" | "nummern" | "no" | "nr")
            && matches!(before, Some(Meaning::Column(other, _)) if *other != column)
    }

    /// Whether the word at `i` is what was done on the day, or by whom, that a column says: the `read` of `Read in`.
    fn is_done_at(&self, i: usize, column: usize) -> bool {
        const JOINTS: [&str; 14] =
            ["in", "on", "at", "by", "to", "from", "am", "um", "von", "durch", "le", "par", "en", "until"];
        let name = self.roles.names.get(column).and_then(|n| n.first()).map_or(&[][..], Vec::as_slice);
        let said = self.question.words.get(self.at(i));
        let next = self.question.words.get(self.at(i) + 1);
        let [first, joint] = name else { return false };
        let is_joint = JOINTS.contains(&joint.text.as_str());
        is_joint && said.is_some_and(|w| is_same(w, first)) && next.is_none_or(|w| w.text != joint.text)
    }

    /// Whether the word at `i` is a participle of the verb that a column is called by: the `geliefert` of `Lieferdatum`.
    fn is_done_in_german(&self, i: usize, column: usize) -> bool {
        let names = self.roles.names.get(column).into_iter().flatten().flatten();
        let said = self.question.words.get(self.at(i));
        said.is_some_and(|w| names.into_iter().any(|n| is_of_verb(&w.text, &n.text)))
    }

    /// Whether a column says that something is not so, and the words at `i` leave the `no` of its name out.
    fn is_negative(&self, i: usize, column: usize) -> bool {
        let first = self.roles.names.get(column).and_then(|n| n.first()).and_then(|n| n.first());
        let negates =
            first.is_some_and(|w| matches!(w.text.as_str(), "no" | "not" | "non" | "nicht" | "kein"));
        let said = self.question.words.get(self.at(i)).map(|w| &w.text);
        negates && first.map(|w| &w.text) != said
    }

    pub(super) fn take_value(&mut self, i: usize, condition: &Condition, fit: Fit) -> Option<usize> {
        // `all houses` are not those of one name.
        let is_all = i.checked_sub(1).and_then(|b| self.sense(b)) == Some(Sense::All);
        if self.is_limit(i) || is_all && fit != Fit::Exact {
            return None;
        }
        self.doubt(match fit {
            Fit::Exact => 1.0,
            Fit::Part => 0.96,
            _ => 0.85,
        });
        let condition = match (std::mem::take(&mut self.negated), &condition.test) {
            (true, Test::Is(_)) if self.is_claim && fit != Fit::Exact => return None,
            // What is not shipped is still to be shipped.
            (true, Test::Is(values)) if self.is_to_be(i, values) => condition.clone(),
            (true, Test::Is(values)) => {
                Condition { column: condition.column, test: Test::Not(values.clone()) }
            }
            (true, _) => return None,
            (false, _) => condition.clone(),
        };
        let at = self.at(i);
        let column = condition.column;
        // `which tenors`, of a column of voices
        let before = i.checked_sub(1);
        let is_beside = before.and_then(|b| self.tokens.get(b)).is_some_and(|t| t.1 + 1 == at);
        let is_asked = is_beside && before.and_then(|b| self.sense(b)) == Some(Sense::Which);
        self.frame.rows |= is_asked && self.grid.columns.get(column).is_some_and(|f| !f.is_key());
        self.frame.conditions.push((at, condition));
        // The column that follows only says what kind of value it is: `the Sales team`.
        if let Some(Meaning::Column(next, _)) = self.meaning(i + 1)
            && *next == column
        {
            return Some(i + 2);
        }
        Some(i + 1)
    }

    /// Whether a value is a number that says how many are wanted: `les 3 produits qui rapportent le plus`.
    fn is_limit(&self, i: usize) -> bool {
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let is_few = |n: f64| n <= 10.0 && n.fract() == 0.0;
        let number = self.question.words.get(*from).and_then(|w| w.number());
        let is_noun = match self.meaning(i + 1) {
            Some(Meaning::Column(column, _)) => !self.is_measured(*column),
            Some(
                Meaning::About | Meaning::Sense(Sense::Item | Sense::Row | Sense::Person | Sense::Booking),
            ) => true,
            _ => false,
        };
        // The `2` of `Box 2` is a number of its own.
        let before = i.checked_sub(1).filter(|b| self.tokens.get(*b).is_some_and(|t| t.1 + 1 == *from));
        let is_named = matches!(
            before.and_then(|b| self.meaning(b)),
            Some(
                Meaning::Column(..)
                    | Meaning::About
                    | Meaning::Sense(Sense::Item | Sense::Row | Sense::Booking)
            )
        );
        !self.is_claim
            && !is_named
            && from == to
            && number.is_some_and(is_few)
            && is_noun
            && self.at(i + 1) == from + 1
    }

    /// Whether values themselves say that something is not yet so, which the words at `i` leave out: `待发货`, `未付`.
    fn is_to_be(&self, i: usize, values: &[Value]) -> bool {
        let said = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let denies = |v: &Value| v.text.starts_with(['待', '未']) && !v.text.starts_with(said);
        !said.is_empty() && values.iter().all(denies)
    }

    /// Whether a number counts times back from a day that nobody said: `the last three years`.
    fn counts_back(&self, i: usize) -> bool {
        const BACK: [&str; 14] = [
            "last",
            "past",
            "previous",
            "letzten",
            "letzte",
            "vergangenen",
            "vorigen",
            "derniers",
            "dernieres",
            "近",
            "去",
            "过",
            "next",
            "coming",
        ];
        let before = self.at(i).checked_sub(1).and_then(|at| self.question.words.get(at));
        before.is_some_and(|w| BACK.contains(&w.text.as_str()))
            && matches!(self.sense(i + 1), Some(Sense::Period(_)))
    }

    /// A number that nothing is compared with: how many are wanted.
    pub(super) fn take_number(&mut self, i: usize, n: f64) -> Option<usize> {
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        if self.counts_back(i) {
            return None;
        }
        if self.is_claim && crate::word::is_ordinal(word) {
            // `a fifth of the tickets`, `the third lesson`
            return None;
        }
        if self.is_claim && matches!(word, "un" | "une" | "ein" | "eine" | "einen" | "einem" | "einer") {
            // An article counts nothing.
            return Some(i + 1);
        }
        if self.is_claim {
            let (low, high) = self.tolerance(i, n);
            return self.take_claim(i, i + 1, Test::Between(low, high));
        }
        if matches!(self.sense(i + 1), Some(Sense::AtLeast | Sense::AtMost)) && !self.is_amount(i + 2) {
            let test = self.bound(self.sense(i + 1)?, n)?;
            self.pend(i, test);
            return Some(i + 2);
        }
        if let Some(next) = self.take_size(i, n) {
            return Some(next);
        }
        let next = self.sense(i + 1);
        let is_best = matches!(
            next,
            Some(
                Sense::Most
                    | Sense::Least
                    | Sense::MostOf(_)
                    | Sense::LeastOf(_)
                    | Sense::Latest
                    | Sense::Earliest
            )
        );
        let before = i.checked_sub(1).and_then(|b| self.sense(b));
        let after_best = matches!(before, Some(Sense::Most | Sense::Least | Sense::Latest | Sense::Earliest));
        // `which 2 orders have the lowest amount`
        let is_superlative = |m: &Meaning| {
            matches!(m, Meaning::Sense(Sense::Most | Sense::Least | Sense::MostOf(_) | Sense::LeastOf(_)))
        };
        let counts = matches!(before, None | Some(Sense::Which | Sense::Show))
            && self.tokens.iter().any(|t| is_superlative(t.2));
        if !(is_best || after_best || counts) || n < 1.0 || n.fract() != 0.0 || n > 1000.0 {
            return None;
        }
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        match crate::word::is_ordinal(word) {
            true => self.frame.skip = n as usize - 1,
            false => self.frame.limit = Some(n as usize),
        }
        Some(i + 1)
    }

    /// A number right before a column of small whole numbers: `two-bed flats`, `cars with 5 doors`.
    fn take_size(&mut self, i: usize, n: f64) -> Option<usize> {
        let column = match self.meaning(i + 1)? {
            Meaning::Column(column, _) => *column,
            Meaning::Level(columns) if columns.len() == 1 => *columns.first()?,
            _ => return None,
        };
        let before = i.checked_sub(1).and_then(|b| self.sense(b));
        let asks =
            matches!(before, Some(Sense::Which | Sense::Show | Sense::Top | Sense::Most | Sense::Least));
        let field = self.grid.columns.get(column)?;
        let is_small = |c: &Cell| c.size.is_none_or(|s| s.fract() == 0.0 && s.abs() < 100.0);
        let fits = field.is_measured() && field.measure != Measure::Day && field.cells.iter().all(is_small);
        let is_there = field.cells.iter().any(|c| c.size == Some(n));
        if let Some(sense @ (Sense::AtLeast | Sense::AtMost)) = self.sense(i + 2)
            && fits
            && !self.is_amount(i + 3)
        {
            // `3 rooms or more`
            let test = self.bound(sense, n)?;
            self.compare(self.at(i), column, test);
            return Some(i + 3);
        }
        let is_bound = matches!(self.sense(i + 2), Some(Sense::Or | Sense::Comparative(_)));
        if is_bound || asks || !fits || !is_there || self.roles.is_code(self.grid, column) {
            return None;
        }
        self.frame.conditions.push((self.at(i), Condition { column, test: Test::Between(n, n) }));
        Some(i + 2)
    }

    /// The numbers that are written as this one is.
    fn tolerance(&self, i: usize, n: f64) -> (f64, f64) {
        let text = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let decimals =
            text.split_once('.').map_or(0, |(_, tail)| tail.chars().take_while(char::is_ascii_digit).count());
        let half = 0.5 * 10f64.powi(-(decimals as i32)) - 1e-9;
        (n - half, n + half)
    }

    /// A number that a statement says. `next` is the token after it.
    pub(super) fn take_claim(&mut self, i: usize, mut next: usize, test: Test) -> Option<usize> {
        let mut is_percent = false;
        while matches!(self.sense(next), Some(Sense::Unit | Sense::Share)) {
            is_percent |= self.sense(next) == Some(Sense::Share);
            next += 1;
        }
        let counts = match self.meaning(next) {
            Some(
                Meaning::Sense(
                    Sense::Row
                    | Sense::Person
                    | Sense::Booking
                    | Sense::Female
                    | Sense::Male
                    | Sense::Distinct,
                )
                | Meaning::About,
            ) => true,
            Some(Meaning::Column(column, _)) => !self.is_measured(*column),
            Some(Meaning::Value(..)) => true,
            _ => false,
        };
        self.frame.claims.push(Claim { at: self.at(i), test, counts, is_percent });
        Some(next)
    }

    /// `top 5`, `the first three`.
    pub(super) fn take_top(&mut self, i: usize, most: bool) -> Option<usize> {
        let Some(Meaning::Number(n)) = self.meaning(i + 1) else { return None };
        if *n < 1.0 || n.fract() != 0.0 || *n > 1000.0 {
            return None;
        }
        self.frame.limit = Some(*n as usize);
        if !matches!(
            self.sense(i + 2),
            Some(Sense::Most | Sense::Least | Sense::MostOf(_) | Sense::LeastOf(_))
        ) {
            self.frame.superlatives.push(Superlative {
                at: self.at(i),
                most,
                counts: true,
                concept: None,
                by_time: false,
                judges: false,
            });
        }
        Some(i + 2)
    }

    /// Whether a word stands for rows.
    pub(super) fn is_row(&self, i: usize) -> bool {
        match self.meaning(i) {
            Some(
                Meaning::Sense(Sense::Row | Sense::Booking | Sense::Person | Sense::Item) | Meaning::About,
            ) => true,
            Some(Meaning::Column(column, _)) => self.grid.columns.get(*column).is_some_and(Field::is_key),
            _ => false,
        }
    }

    /// Whether a word counts pieces: `units`.
    pub(super) fn is_piece(&self, i: usize) -> bool {
        const PIECES: [&str; 10] =
            ["units", "pieces", "pcs", "items", "copies", "stuck", "pieces", "unites", "件", "个"];
        self.question.words.get(self.at(i)).is_some_and(|w| PIECES.contains(&w.text.as_str()))
    }

    pub(super) fn take_not(&mut self, i: usize, without: bool) -> Option<usize> {
        self.negated = true;
        match self.meaning(i + 1) {
            Some(Meaning::Column(column, _)) if without => {
                self.negated = false;
                let at = self.at(i);
                // Where all say yes or no, what is without is a no.
                let condition = self.flag(*column, false).unwrap_or_else(|| self.none_of(*column));
                self.frame.conditions.push((at, condition));
                Some(i + 2)
            }
            // What is missing from the North is not all that is elsewhere.
            Some(Meaning::Value(..)) if without && self.is_missing(i) => None,
            Some(Meaning::Column(..) | Meaning::Value(..)) => Some(i + 1),
            // `ils n'ont pas`
            Some(Meaning::Sense(Sense::Of(_) | Sense::Unit | Sense::Not | Sense::Light | Sense::Verb)) => {
                Some(i + 1)
            }
            // `zahlen nicht per Lastschrift`
            Some(Meaning::Sense(Sense::By)) if matches!(self.meaning(i + 2), Some(Meaning::Column(..))) => {
                let Some(Meaning::Column(column, _)) = self.meaning(i + 2) else { return None };
                let condition = self.flag(*column, false)?;
                self.negated = false;
                self.frame.conditions.push((self.at(i), condition));
                Some(i + 3)
            }
            _ => None,
        }
    }

    /// `No order`, `not all`, `most members`, `every one`: of how many of the rows a statement speaks.
    pub(super) fn take_quantifier(&mut self, i: usize, sense: Sense) -> Option<usize> {
        if !self.is_claim {
            return None;
        }
        let is_rows = |j: usize| {
            matches!(
                self.meaning(j),
                Some(
                    Meaning::Sense(
                        Sense::Row | Sense::Booking | Sense::Person | Sense::Item | Sense::Period(_)
                    ) | Meaning::About
                        | Meaning::Value(..)
                        | Meaning::Column(..)
                )
            )
        };
        let at = self.at(i);
        let word = self.question.words.get(at).map_or("", |w| w.text.as_str());
        let (quantifier, next) = match sense {
            Sense::Not if self.sense(i + 1) == Some(Sense::All) => (Quantifier::NotEvery, i + 2),
            Sense::Not
                if i == 0 && (denies_all(word) || word == "没" && self.sense(1) == Some(Sense::Person)) =>
            {
                (Quantifier::No, i + 1)
            }
            Sense::Most if i == 0 && is_rows(1) && self.counts_rows(i) => (Quantifier::Most, i + 1),
            Sense::By if i == 0 && is_rows(1) => (Quantifier::Every, i + 1),
            _ => return None,
        };
        self.frame.quantifier = Some((at, quantifier));
        self.frame.rows |= denies_all(word);
        Some(next)
    }

    /// Words for all that are other words besides: `everyone`, 都; and where a statement begins to say something.
    pub(super) fn find_quantifier(&mut self) {
        let is_open = self.is_claim && self.frame.quantifier.is_none();
        let all = |word: &crate::word::Word| match word.text.as_str() {
            "all" | "everyone" | "everybody" | "everything" | "alle" | "aller" | "allen" | "samtliche"
            | "tous" | "toutes" => true,
            text => text == "所",
        };
        let words = &self.question.words;
        let parts = |w: &crate::word::Word| COPULAS.contains(&w.text.as_str());
        self.frame.copulas = words.iter().enumerate().filter(|(_, w)| parts(w)).map(|(i, _)| i).collect();
        let found = words.iter().position(all);
        // What stands before 都 is spoken of.
        let found = found.or_else(|| words.iter().position(|w| w.text == "都").map(|_| 0));
        if let Some(at) = found.filter(|_| is_open) {
            self.frame.quantifier = Some((at, Quantifier::Every));
        }
    }

    /// Whether the words at `i` say that something is not there, not that it is left out.
    fn is_missing(&self, i: usize) -> bool {
        const MISSING: [&str; 8] = ["missing", "lacking", "lack", "lacks", "fehlt", "fehlen", "缺", "缺少"];
        self.question.words.get(self.at(i)).is_some_and(|w| MISSING.contains(&w.text.as_str()))
    }

    pub(super) fn take_gender(&mut self, i: usize, female: bool) -> Option<usize> {
        const FEMALE: [&str; 8] = ["f", "female", "w", "weiblich", "女", "femme", "woman", "feminin"];
        const MALE: [&str; 7] = ["m", "male", "mannlich", "男", "homme", "man", "masculin"];
        let wanted: &[&str] = if female { &FEMALE } else { &MALE };
        let gender = |c: &usize| self.roles.is_about(*c, Concept::Gender);
        let column = (0..self.grid.columns.len()).find(gender)?;
        let field = self.grid.columns.get(column)?;
        let rows: Vec<u32> = (0..self.grid.len() as u32)
            .filter(|r| field.cells.get(*r as usize).is_some_and(|c| wanted.contains(&c.key.as_str())))
            .collect();
        if rows.is_empty() {
            return None;
        }
        let test = Test::Is(link::texts(field, &rows));
        let at = self.at(i);
        self.frame.conditions.push((at, Condition { column, test }));
        self.frame.rows = true;
        self.frame.people = true;
        Some(i + 1)
    }
}

/// Whether a word at the beginning of a statement says that it holds for none.
fn denies_all(word: &str) -> bool {
    const NONE: [&str; 14] = [
        "no", "none", "nobody", "nothing", "kein", "keine", "keiner", "keines", "niemand", "nichts", "aucun",
        "aucune", "personne", "rien",
    ];
    NONE.contains(&word)
}

/// Words between what a statement is about and what it says.
const COPULAS: [&str; 50] = [
    "is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "comes", "come", "came", "cost",
    "costs", "earn", "earns", "live", "lives", "work", "works", "weigh", "weighs", "ist", "sind", "war",
    "waren", "hat", "haben", "wurde", "wurden", "kommt", "kommen", "stammt", "stammen", "kostet", "kosten",
    "wohnen", "est", "sont", "etait", "ont", "a", "viennent", "coutent", "是", "都", "均", "来", "在",
];

/// Whether a noun is one for what something costs.
fn is_of_price(word: &str) -> bool {
    const MONEY: [&str; 6] = ["price", "cost", "costs", "preis", "prix", "价"];
    MONEY.contains(&word)
}

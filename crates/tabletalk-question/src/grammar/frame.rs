//! The parts of a question in their places: what is asked, of which rows, by what.

use super::annotate::{Fit, Meaning, Span};
use super::calendar::{self, Time};
use super::cover::Cover;
use super::lexicon::{Concept, Period, Sense};
use super::role::Roles;
use crate::analyse::{Question, first, last};
use crate::execute;
use crate::grid::{Field, Grid, Measure};
use crate::link;
use crate::program::{Condition, Key, Test, Value};
use tabletalk_core::Kind;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wh {
    Who,
    Which,
    What,
    When,
    Where,
    HowMany,
    HowMuch,
    Show,
}

/// The largest or smallest of something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Superlative {
    pub at: usize,
    pub most: bool,
    /// It is said of how many there are, not of how large one is: `most`, not `largest`.
    pub counts: bool,
    /// What the adjective itself compares by.
    pub concept: Option<Concept>,
    /// It compares by time.
    pub by_time: bool,
}

/// A column that the question names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Named {
    pub at: usize,
    pub column: usize,
    pub fit: Fit,
    /// It is named by a verb: `tested`, for a column `test`.
    pub is_verb: bool,
}

/// A number that a statement says of something.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Claim {
    pub at: usize,
    pub test: Test,
    /// It counts what follows: rows, or values of a column.
    pub counts: bool,
    /// It is a percentage.
    pub is_percent: bool,
}

/// A number that something is compared with, whose column is not known yet.
#[derive(Debug, Clone, PartialEq)]
struct Pending {
    test: Test,
    at: usize,
}

/// The parts of a question in their places.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub wh: Vec<(usize, Wh)>,
    pub sum: Option<usize>,
    pub average: Option<usize>,
    pub superlatives: Vec<Superlative>,
    pub distinct: bool,
    pub share: bool,
    pub difference: bool,
    /// It is one of numbers of rows: `how many more`.
    pub counted: bool,
    /// It asks which place something takes.
    pub rank: bool,
    /// Each column of a series is wanted: `month by month`.
    pub by_series: bool,
    /// What is compared by is wanted beside what has it: `and their prices`.
    pub beside: bool,
    pub keys: Vec<(usize, Key)>,
    /// A part of the calendar that is asked for: `which month`.
    pub period: Option<Period>,
    pub limit: Option<usize>,
    /// How many better ones are passed over: `second`.
    pub skip: usize,
    pub conditions: Vec<(usize, Condition)>,
    /// Computed rows that are named.
    pub marked: Vec<u64>,
    pub columns: Vec<Named>,
    /// The rows themselves are named: `orders`, `people`.
    pub rows: bool,
    pub rows_at: Option<usize>,
    pub people: bool,
    /// Only groups of so many rows: `cities with more than 100 orders`.
    pub having: Option<Test>,
    /// Verbs that speak of a column which is not there.
    pub verbs: Vec<Concept>,
    pub all: bool,
    /// Only the rows of the answer before: `of them`.
    pub among: bool,
    /// More or less, by what the adjective says if it says so; what it is compared with follows `than`.
    pub comparative: Option<(Option<Concept>, bool)>,
    pub than: bool,
    /// From one column of a series to another.
    pub range: bool,
    /// A column that must not be empty.
    pub filled: Option<usize>,
    /// It speaks of a change.
    pub change: bool,
    /// A verb that is not known.
    pub verb: bool,
    /// A verb that says little.
    pub light: bool,
    /// Units are counted, not rows: `how many hours`.
    pub counts_units: bool,
    /// Columns are named one beside another: `name and salary`.
    pub joined: bool,
    /// It speaks of numbers that rows are known by.
    pub says_id: bool,
    /// It speaks of the whole: `of the whole claim`.
    pub whole: bool,
    /// Several things are asked about one by one: `respectively`.
    pub each: bool,
    /// Numbers that a statement says, each with its place and whether rows follow it: `12 employees`.
    pub claims: Vec<Claim>,
    /// More or less than another row: `earns more than Bob`.
    pub versus: Option<bool>,
    /// Everything that was not certain, as factors of trust.
    pub trust: f32,
}

/// Builds the frame of one cut; `None` where words contradict one another.
pub(crate) struct Builder<'a> {
    pub question: &'a Question,
    pub grid: &'a Grid,
    pub roles: &'a Roles,
    tokens: Vec<(usize, usize, &'a Meaning)>,
    frame: Frame,
    pending: Vec<Pending>,
    times: Vec<(usize, Time)>,
    levels: Vec<(usize, Vec<usize>)>,
    negated: bool,
    /// The words are a statement: numbers in it are what it says.
    is_claim: bool,
    /// It follows another question.
    follows: bool,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        question: &'a Question,
        grid: &'a Grid,
        roles: &'a Roles,
        spans: &'a [Span],
        cover: &Cover,
    ) -> Self {
        let of = |i: &usize| {
            let span = spans.get(*i)?;
            Some((first(span.mask)?, last(span.mask)?, &span.meaning))
        };
        let is_filler = |m: &Meaning| matches!(m, Meaning::Sense(Sense::Filler | Sense::And));
        let tokens = cover.spans.iter().filter_map(of).filter(|(.., m)| !is_filler(m)).collect();
        let frame = Frame { trust: 0.97, ..Frame::default() };
        Builder {
            question,
            grid,
            roles,
            tokens,
            frame,
            pending: Vec::new(),
            times: Vec::new(),
            levels: Vec::new(),
            negated: false,
            is_claim: false,
            follows: false,
        }
    }

    /// For a question that follows another.
    pub(crate) fn follow(self, follows: bool) -> Self {
        Builder { follows, ..self }
    }

    /// For a statement.
    pub(crate) fn claim(self) -> Self {
        Builder { is_claim: true, ..self }
    }

    pub(crate) fn build(mut self) -> Option<Frame> {
        let mut i = 0;
        while i < self.tokens.len() {
            i = self.take(i)?;
        }
        if self.negated {
            return None;
        }
        self.frame.range = self.says_range();
        self.frame.says_id = self.question.words.iter().any(|w| names_id(&w.text));
        self.frame.whole = self.question.words.iter().any(|w| is_whole(&w.text));
        self.frame.joined = self.joins_columns();
        self.frame.beside = self.ends_beside();
        self.settle_levels()?;
        self.settle_times()?;
        self.settle_pending()?;
        self.settle_flags();
        self.settle_values()?;
        self.merge();
        Some(self.frame)
    }

    fn meaning(&self, i: usize) -> Option<&'a Meaning> {
        self.tokens.get(i).map(|t| t.2)
    }

    fn sense(&self, i: usize) -> Option<Sense> {
        match self.meaning(i) {
            Some(Meaning::Sense(sense)) => Some(*sense),
            _ => None,
        }
    }

    fn at(&self, i: usize) -> usize {
        self.tokens.get(i).map_or(0, |t| t.0)
    }

    fn doubt(&mut self, factor: f32) {
        self.frame.trust *= factor;
    }

    /// Takes the token at `i`, and says where the next begins.
    fn take(&mut self, i: usize) -> Option<usize> {
        match self.meaning(i)? {
            Meaning::Sense(sense) => self.take_sense(i, *sense),
            Meaning::Column(column, fit) => self.take_column(i, *column, *fit),
            Meaning::Value(condition, fit) => self.take_value(i, condition, *fit),
            Meaning::Marked(row, _) => {
                self.frame.marked.push(*row);
                Some(i + 1)
            }
            Meaning::Number(n) => self.take_number(i, *n),
            Meaning::Time(time) => {
                self.times.push((self.at(i), *time));
                Some(i + 1)
            }
            Meaning::About => {
                self.frame.rows = true;
                let at = self.at(i);
                self.frame.rows_at.get_or_insert(at);
                Some(i + 1)
            }
            Meaning::Level(columns) => {
                self.levels.push((self.at(i), columns.clone()));
                Some(i + 1)
            }
            Meaning::Percent(n) if self.is_claim => {
                self.take_percent(i, *n, Test::Between(n - 0.5, n + 0.5), i + 1)
            }
            Meaning::Percent(_) => None,
        }
    }

    /// A percentage that a statement says.
    fn take_percent(&mut self, i: usize, _n: f64, test: Test, next: usize) -> Option<usize> {
        self.frame.claims.push(Claim { at: self.at(i), test, counts: true, is_percent: true });
        Some(next)
    }

    /// The percentage at a token: `90 %`, `half of`.
    fn percent(&self, i: usize) -> Option<f64> {
        match self.meaning(i)? {
            Meaning::Percent(n) => Some(*n),
            Meaning::Sense(Sense::Half) => Some(50.0),
            _ => None,
        }
    }

    fn take_sense(&mut self, i: usize, sense: Sense) -> Option<usize> {
        let at = self.at(i);
        let wh = |wh: Wh| (at, wh);
        let says_many = self.says_many(i);
        let (counts, falls_on) = (self.counts_rows(i), sense == Sense::Change && self.falls_on(i));
        let frame = &mut self.frame;
        match sense {
            Sense::Filler | Sense::And | Sense::Or => {}
            Sense::Unit => return self.take_unit(i),
            Sense::Light => frame.light = true,
            Sense::Each => frame.each = true,
            Sense::Who => frame.wh.push(wh(Wh::Who)),
            Sense::Which => frame.wh.push(wh(Wh::Which)),
            Sense::What => frame.wh.push(wh(Wh::What)),
            Sense::When => frame.wh.push(wh(Wh::When)),
            Sense::Where => frame.wh.push(wh(Wh::Where)),
            // The `number of` in `the phone number of Ann` counts nothing.
            Sense::HowMany
                if i > 0
                    && self.question.words.get(at).is_some_and(|w| w.text == "number")
                    && matches!(
                        self.tokens.get(i - 1),
                        Some((_, _, Meaning::Column(..) | Meaning::Value(..)))
                    ) => {}
            Sense::HowMany => frame.wh.push(wh(Wh::HowMany)),
            Sense::HowMuch => frame.wh.push(wh(Wh::HowMuch)),
            Sense::Show => frame.wh.push(wh(Wh::Show)),
            Sense::Sum => frame.sum = Some(at),
            Sense::Average => frame.average = Some(at),
            Sense::Most => {
                frame.superlatives.push(Superlative { at, most: true, counts, concept: None, by_time: false })
            }
            Sense::Least => frame.superlatives.push(Superlative {
                at,
                most: false,
                counts,
                concept: None,
                by_time: false,
            }),
            Sense::MostOf(c) => frame.superlatives.push(Superlative {
                at,
                most: true,
                counts,
                concept: Some(c),
                by_time: false,
            }),
            Sense::LeastOf(c) => frame.superlatives.push(Superlative {
                at,
                most: false,
                counts,
                concept: Some(c),
                by_time: false,
            }),
            Sense::Latest => {
                frame.superlatives.push(Superlative { at, most: true, counts, concept: None, by_time: true })
            }
            Sense::Earliest => {
                frame.superlatives.push(Superlative { at, most: false, counts, concept: None, by_time: true })
            }
            Sense::MostOften => {
                frame.rows = true;
                frame.superlatives.push(Superlative {
                    at,
                    most: true,
                    counts: true,
                    concept: None,
                    by_time: false,
                });
            }
            Sense::Distinct => frame.distinct = true,
            Sense::Difference => {
                frame.difference = true;
                frame.counted |= says_many;
            }
            Sense::Share => frame.share = true,
            Sense::Rank => frame.rank = true,
            Sense::Row | Sense::Booking => {
                frame.rows = true;
                frame.rows_at.get_or_insert(at);
            }
            Sense::Person => {
                frame.rows = true;
                frame.people = true;
            }
            Sense::All => frame.all = true,
            Sense::By => return self.take_by(i),
            Sense::Period(period) => return self.take_period(i, period),
            Sense::Top | Sense::Bottom => return self.take_top(i, sense == Sense::Top),
            Sense::More
            | Sense::Less
            | Sense::AtLeast
            | Sense::AtMost
            | Sense::After
            | Sense::Before
            | Sense::Since
            | Sense::Until => {
                return self.take_comparison(i, sense);
            }
            Sense::Between => return self.take_between(i),
            Sense::Not | Sense::Without => return self.take_not(i, sense == Sense::Without),
            Sense::Female | Sense::Male => return self.take_gender(i, sense == Sense::Female),
            Sense::Of(concept) => {
                if !is_light(concept) {
                    return None;
                }
                frame.verbs.push(concept);
                self.doubt(0.97);
            }
            Sense::Than => frame.than = true,
            Sense::Comparative(more) => frame.comparative = Some((None, more)),
            Sense::ComparativeOf(concept, more) => return self.take_comparative(i, concept, more),
            Sense::Gone => return self.take_gone(i),
            // What `fell on a Sunday` did not fall.
            Sense::Change => frame.change |= !falls_on,
            Sense::Verb => {
                frame.verb = true;
                self.doubt(0.93);
            }
            Sense::Head => return self.take_head(i),
            Sense::Item => {
                frame.rows = true;
                frame.rows_at.get_or_insert(at);
                self.doubt(0.97);
            }
            Sense::Half => {
                if !self.is_claim {
                    return None;
                }
                return self.take_percent(i, 50.0, Test::Between(49.5, 50.5), i + 1);
            }
            Sense::Among if self.follows => frame.among = true,
            Sense::Among | Sense::Future | Sense::Reason | Sense::Back => return None,
        }
        Some(i + 1)
    }

    /// Whether words ask how many: `how many more`.
    fn says_many(&self, i: usize) -> bool {
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let words = self.question.words.get(*from..=*to).unwrap_or_default();
        words.iter().any(|w| matches!(w.text.as_str(), "many" | "viele" | "few" | "fewer" | "几"))
    }

    /// Whether a verb of change says only on which day something was.
    fn falls_on(&self, i: usize) -> bool {
        let is_day =
            |m: &Meaning| matches!(m, Meaning::Time(Time::Weekday(_) | Time::Day(_) | Time::MonthDay(..)));
        let next = self.tokens.get(i).and_then(|t| self.question.words.get(t.1 + 1));
        let says_on = next.is_some_and(|w| matches!(w.text.as_str(), "on" | "in" | "auf" | "un"));
        says_on && self.tokens.iter().any(|t| is_day(t.2))
    }

    /// Whether a superlative speaks of how many there are.
    fn counts_rows(&self, i: usize) -> bool {
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let words = self.question.words.get(*from..=*to).unwrap_or_default();
        let said: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
        const SIZES: [&str; 24] = [
            "highest",
            "largest",
            "biggest",
            "greatest",
            "maximum",
            "max",
            "best",
            "lowest",
            "smallest",
            "minimum",
            "min",
            "worst",
            "hochste",
            "hochsten",
            "hochster",
            "großte",
            "großten",
            "grosste",
            "kleinste",
            "niedrigste",
            "高",
            "低",
            "大",
            "eleve",
        ];
        !said.iter().any(|w| SIZES.contains(w))
    }

    /// A unit says something only of a number or of how much: `Which countries use the euro` asks about no number.
    fn take_unit(&mut self, i: usize) -> Option<usize> {
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
        let is_said = self.tokens.iter().any(|t| is_number(t.2) || asks(t.2));
        // How many hours there are is no count of rows.
        let after = i.checked_sub(1).and_then(|b| self.sense(b));
        self.frame.counts_units |= after == Some(Sense::HowMany);
        is_said.then_some(i + 1)
    }

    /// `older than 30`, `taller than Ann`.
    fn take_comparative(&mut self, i: usize, concept: Concept, more: bool) -> Option<usize> {
        let next = if self.sense(i + 1) == Some(Sense::Than) { i + 2 } else { i + 1 };
        if let Some(Meaning::Number(n)) = self.meaning(next) {
            let column = (0..self.grid.columns.len())
                .find(|c| self.is_measured(*c) && self.roles.is_about(*c, concept))?;
            let test = if more { Test::More(*n) } else { Test::Less(*n) };
            self.compare(column, test);
            let unit = self.sense(next + 1) == Some(Sense::Unit);
            return Some(next + 1 + usize::from(unit));
        }
        self.frame.comparative = Some((Some(concept), more));
        self.frame.than = true;
        Some(i + 1)
    }

    /// `out of stock`.
    fn take_gone(&mut self, i: usize) -> Option<usize> {
        let is =
            |c: &usize| self.roles.is_about(*c, Concept::Stock) || self.roles.is_about(*c, Concept::Quantity);
        let column = self.roles.measures.iter().copied().find(is)?;
        self.frame.conditions.push((self.at(i), Condition { column, test: Test::AtMost(0.0) }));
        Some(i + 1)
    }

    /// A noun that says what kind of number a column beside it has, or, alone, nothing that is known.
    fn take_head(&mut self, i: usize) -> Option<usize> {
        let before = i.checked_sub(1).and_then(|b| self.meaning(b));
        let is_number =
            |m: Option<&Meaning>| matches!(m, Some(Meaning::Column(c, _)) if self.is_measured(*c));
        // `payment type` of a column `payment`
        let word = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let is_generic = matches!(word, "type" | "kind" | "name" | "typ" | "code")
            && matches!(before, Some(Meaning::Column(..)));
        (is_generic || is_number(before) || is_number(self.meaning(i + 1))).then_some(i + 1)
    }

    fn take_column(&mut self, i: usize, column: usize, fit: Fit) -> Option<usize> {
        self.doubt(match fit {
            Fit::Exact => 1.0,
            Fit::Part => 0.97,
            Fit::Compound => 0.95,
            Fit::Synonym => 0.94,
        });
        // The value that follows is one of this column: `status open`.
        if let Some(Meaning::Value(condition, fit)) = self.meaning(i + 1)
            && condition.column == column
        {
            return self.take_value(i + 1, &condition.clone(), *fit);
        }
        let at = self.at(i);
        if self.negated {
            self.negated = false;
            // Who did not show up is a `No-show`.
            let condition =
                self.flag(column, self.is_negative(i, column)).unwrap_or_else(|| self.none_of(column));
            self.frame.conditions.push((at, condition));
            return Some(i + 1);
        }
        let is_verb = self.question.words.get(at).is_some_and(|w| w.text.ends_with("ed"));
        self.frame.columns.push(Named { at, column, fit, is_verb });
        Some(i + 1)
    }

    /// Whether a column says that something is not so, and the words at `i` leave the `no` of its name out.
    fn is_negative(&self, i: usize, column: usize) -> bool {
        let first = self.roles.names.get(column).and_then(|n| n.first()).and_then(|n| n.first());
        let negates =
            first.is_some_and(|w| matches!(w.text.as_str(), "no" | "not" | "non" | "nicht" | "kein"));
        let said = self.question.words.get(self.at(i)).map(|w| &w.text);
        negates && first.map(|w| &w.text) != said
    }

    fn take_value(&mut self, i: usize, condition: &Condition, fit: Fit) -> Option<usize> {
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
        self.frame.conditions.push((at, condition));
        // The column that follows only says what kind of value it is: `the Sales team`.
        if let Some(Meaning::Column(next, _)) = self.meaning(i + 1)
            && *next == column
        {
            return Some(i + 2);
        }
        Some(i + 1)
    }

    /// Whether values themselves say that something is not yet so, which the words at `i` leave out: `待发货`, `未付`.
    fn is_to_be(&self, i: usize, values: &[Value]) -> bool {
        let said = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let denies = |v: &Value| v.text.starts_with(['待', '未']) && !v.text.starts_with(said);
        !said.is_empty() && values.iter().all(denies)
    }

    /// A number that nothing is compared with: how many are wanted.
    fn take_number(&mut self, i: usize, n: f64) -> Option<usize> {
        if self.is_claim {
            let (low, high) = self.tolerance(i, n);
            return self.take_claim(i, i + 1, Test::Between(low, high));
        }
        if matches!(self.sense(i + 1), Some(Sense::AtLeast | Sense::AtMost)) && !self.is_amount(i + 2) {
            let test = self.bound(self.sense(i + 1)?, n)?;
            self.pend(i, test);
            return Some(i + 2);
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

    /// The numbers that are written as this one is.
    fn tolerance(&self, i: usize, n: f64) -> (f64, f64) {
        let text = self.question.words.get(self.at(i)).map_or("", |w| w.text.as_str());
        let decimals =
            text.split_once('.').map_or(0, |(_, tail)| tail.chars().take_while(char::is_ascii_digit).count());
        let half = 0.5 * 10f64.powi(-(decimals as i32)) - 1e-9;
        (n - half, n + half)
    }

    /// A number that a statement says. `next` is the token after it.
    fn take_claim(&mut self, i: usize, mut next: usize, test: Test) -> Option<usize> {
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

    fn is_amount(&self, i: usize) -> bool {
        matches!(self.meaning(i), Some(Meaning::Number(_) | Meaning::Time(_)))
    }

    /// `by city`, `per month`, `for each rep`.
    fn take_by(&mut self, i: usize) -> Option<usize> {
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
                let key = Key { column: *column, period: None };
                self.frame.keys.push((self.at(i), key));
                let next = i + 2 + usize::from(self.sense(i + 2) == Some(Sense::Head));
                Some(self.take_second_key(next).unwrap_or(next))
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

    fn take_period(&mut self, i: usize, period: Period) -> Option<usize> {
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
            Some(Sense::Most | Sense::Least | Sense::Latest | Sense::Earliest) => {
                self.frame.period = Some(period)
            }
            _ if !self.frame.superlatives.is_empty() => self.frame.period = Some(period),
            _ => return None,
        }
        Some(i + 1)
    }

    /// `top 5`, `the first three`.
    fn take_top(&mut self, i: usize, most: bool) -> Option<usize> {
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
            });
        }
        Some(i + 2)
    }

    fn take_comparison(&mut self, i: usize, sense: Sense) -> Option<usize> {
        if let Some(next) = self.take_beside(i, sense) {
            return Some(next);
        }
        match self.meaning(i + 1) {
            Some(Meaning::Value(..)) if self.is_claim && matches!(sense, Sense::More | Sense::Less) => {
                self.frame.versus = Some(sense == Sense::More);
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
                if self.sense(next) == Some(Sense::Unit) {
                    next += 1;
                }
                if let Some(Meaning::Column(column, _)) = self.meaning(next)
                    && self.roles.measures.contains(column)
                    && self.frame.columns.last().is_none_or(|c| c.column != *column)
                    && !self.is_beside_column(i)
                {
                    self.compare(*column, test);
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
                self.pend(i, test);
                Some(next)
            }
            Some(Meaning::Time(time)) => {
                let column = self.day_column()?;
                let is_day = self.grid.columns.get(column).is_some_and(|f| f.measure == Measure::Day);
                let test = match (is_day, time) {
                    (true, _) => time_bound(sense, self.dated(*time, column))?,
                    (false, Time::Year(year)) => self.bound(sense, f64::from(*year))?,
                    _ => return None,
                };
                self.frame.conditions.push((self.at(i), Condition { column, test }));
                Some(i + 2)
            }
            _ => None,
        }
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
        let column = named.or_else(|| only(Concept::Stock)).or_else(|| only(Concept::Quantity))?;
        if named.is_some() {
            self.frame.columns.pop();
        }
        let test = if is_more { Test::MoreThan(*other) } else { Test::LessThan(*other) };
        self.frame.conditions.push((self.at(i), Condition { column, test }));
        Some(at + 1)
    }

    /// Whether a word stands for rows.
    fn is_row(&self, i: usize) -> bool {
        match self.meaning(i) {
            Some(
                Meaning::Sense(Sense::Row | Sense::Booking | Sense::Person | Sense::Item) | Meaning::About,
            ) => true,
            Some(Meaning::Column(column, _)) => self.grid.columns.get(*column).is_some_and(Field::is_key),
            _ => false,
        }
    }

    /// Whether a word counts pieces: `units`.
    fn is_piece(&self, i: usize) -> bool {
        const PIECES: [&str; 10] =
            ["units", "pieces", "pcs", "items", "copies", "stuck", "pieces", "unites", "件", "个"];
        self.question.words.get(self.at(i)).is_some_and(|w| PIECES.contains(&w.text.as_str()))
    }

    /// Whether a column of numbers stands right before a comparison.
    fn is_beside_column(&self, i: usize) -> bool {
        let before = i.checked_sub(1).and_then(|b| self.meaning(b));
        matches!(before, Some(Meaning::Column(c, _)) if self.roles.measures.contains(c))
    }

    fn is_measured(&self, column: usize) -> bool {
        self.grid.columns.get(column).is_some_and(|f| f.is_measured() && f.measure != Measure::Day)
    }

    /// Keeps a bound; its column is the one right before it, where there is one.
    fn pend(&mut self, i: usize, test: Test) {
        let before = i.checked_sub(1).and_then(|b| self.meaning(b));
        match before {
            Some(Meaning::Column(column, _)) if self.is_measured(*column) => {
                let column = *column;
                self.frame.columns.retain(|c| c.column != column);
                self.compare(column, test);
            }
            _ => self.pending.push(Pending { test, at: self.at(i) }),
        }
    }

    fn compare(&mut self, column: usize, test: Test) {
        let at = self.tokens.len();
        let test = match self.grid.columns.get(column) {
            Some(field) => scaled(field, test),
            None => test,
        };
        self.frame.conditions.push((at, Condition { column, test }));
    }

    fn bound(&self, sense: Sense, n: f64) -> Option<Test> {
        Some(match sense {
            Sense::More | Sense::After => Test::More(n),
            Sense::Less | Sense::Before => Test::Less(n),
            Sense::AtLeast | Sense::Since => Test::AtLeast(n),
            Sense::AtMost | Sense::Until => Test::AtMost(n),
            _ => return None,
        })
    }

    fn take_between(&mut self, i: usize) -> Option<usize> {
        match (self.meaning(i + 1), self.meaning(i + 2)) {
            (Some(Meaning::Number(a)), Some(Meaning::Number(b))) => {
                self.pend(i, Test::Between(a.min(*b), a.max(*b)));
                Some(i + 3)
            }
            (Some(Meaning::Time(a)), Some(Meaning::Time(b))) => {
                let column = self.day_column()?;
                let ((from, _), (_, to)) = (self.dated(*a, column).days()?, self.dated(*b, column).days()?);
                self.frame.conditions.push((self.at(i), Condition { column, test: Test::Between(from, to) }));
                Some(i + 3)
            }
            // `the difference between A and B`
            _ if self.frame.difference => Some(i + 1),
            _ => None,
        }
    }

    fn take_not(&mut self, i: usize, without: bool) -> Option<usize> {
        self.negated = true;
        match self.meaning(i + 1) {
            Some(Meaning::Column(column, _)) if without => {
                self.negated = false;
                let at = self.at(i);
                // Where all say yes or no, what is without is a no.
                let condition = self.flag(*column, false);
                let empty = Condition { column: *column, test: Test::Empty };
                self.frame.conditions.push((at, condition.unwrap_or(empty)));
                Some(i + 2)
            }
            // What is missing from the North is not all that is elsewhere.
            Some(Meaning::Value(..)) if without && self.is_missing(i) => None,
            Some(Meaning::Column(..) | Meaning::Value(..)) => Some(i + 1),
            Some(Meaning::Sense(Sense::Of(_) | Sense::Unit)) => Some(i + 1),
            _ => None,
        }
    }

    /// Whether the words at `i` say that something is not there, not that it is left out.
    fn is_missing(&self, i: usize) -> bool {
        const MISSING: [&str; 8] = ["missing", "lacking", "lack", "lacks", "fehlt", "fehlen", "缺", "缺少"];
        self.question.words.get(self.at(i)).is_some_and(|w| MISSING.contains(&w.text.as_str()))
    }

    fn take_gender(&mut self, i: usize, female: bool) -> Option<usize> {
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

    /// The column of days that times speak of: the only one, or the one that is named.
    fn day_column(&mut self) -> Option<usize> {
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
        self.doubt(0.75);
        Some(main)
    }

    /// Whether the last two columns that are named stand side by side with an `and` or a comma between them.
    fn joins_columns(&self) -> bool {
        let [.., a, b] = self.frame.columns.as_slice() else { return false };
        let between = self.question.words.get(a.at + 1..b.at).unwrap_or_default();
        let is_and = |w: &crate::word::Word| {
            matches!(w.text.as_str(), "and" | "und" | "et" | "和" | "与" | "及" | "plus")
        };
        between.len() <= 3 && (between.is_empty() || between.iter().any(is_and))
    }

    /// Whether the last thing that is named is wanted beside what was asked before: `with the amounts`.
    fn ends_beside(&self) -> bool {
        const BESIDE: [&str; 14] = [
            "and", "with", "plus", "und", "mit", "samt", "nebst", "et", "avec", "和", "及", "与", "以", "并",
        ];
        let Some((from, _, Meaning::Column(column, _))) = self.tokens.last() else { return false };
        let before = self.question.words.get(from.saturating_sub(3)..*from).unwrap_or_default();
        self.is_measured(*column) && before.iter().any(|w| BESIDE.contains(&w.text.as_str()))
    }

    /// Whether two things are the ends of a range: `from January to April`.
    fn says_range(&self) -> bool {
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
    fn settle_levels(&mut self) -> Option<()> {
        let levels = std::mem::take(&mut self.levels);
        let Some((at, first)) = levels.first().cloned() else { return Some(()) };
        let mut columns = first;
        columns.retain(|c| levels.iter().all(|(_, level)| level.contains(c)));
        let [column] = columns.as_slice() else { return None };
        self.frame.columns.push(Named { at, column: *column, fit: Fit::Exact, is_verb: false });
        Some(())
    }

    /// What the times that were said must hold of.
    fn settle_times(&mut self) -> Option<()> {
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
    fn dated(&self, time: Time, column: usize) -> Time {
        let Some(field) = self.grid.columns.get(column) else { return time };
        let year = |text: &String| text.get(..4).and_then(|y| y.parse::<i32>().ok());
        match field.range.as_ref().map(|(a, b)| (year(a), year(b))) {
            Some((Some(first), Some(last))) if first == last => time.of_year(first),
            _ => time,
        }
    }

    fn time_condition(&mut self, time: Time) -> Option<Condition> {
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
    fn settle_pending(&mut self) -> Option<()> {
        for pending in std::mem::take(&mut self.pending) {
            let _ = pending.at;
            let named: Vec<usize> =
                self.frame.columns.iter().map(|c| c.column).filter(|c| self.is_measured(*c)).collect();
            let column = match (named.as_slice(), self.roles.measures.as_slice()) {
                ([only], _) => *only,
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
            self.compare(column, pending.test);
        }
        Some(())
    }

    /// A value that several columns have is that of the column which is named: `nights on Saturday`.
    fn settle_values(&mut self) -> Option<()> {
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
    fn settle_flags(&mut self) {
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
    fn none_of(&self, column: usize) -> Condition {
        let counts = self
            .grid
            .columns
            .get(column)
            .is_some_and(|f| f.is_number() && f.cells.iter().any(|c| c.size == Some(0.0)));
        let test = if counts { Test::Between(0.0, 0.0) } else { Test::Empty };
        Condition { column, test }
    }

    /// The condition that a column of yes and no says yes, or no.
    fn flag(&self, column: usize, truth: bool) -> Option<Condition> {
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
    fn merge(&mut self) {
        let sets_apart = self.frame.than && self.frame.comparative.is_some();
        if self.frame.difference || self.frame.versus.is_some() || sets_apart {
            return;
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
    }
}

/// Whether a verb says little beside how much or what: `spent`, `bought`.
pub(super) fn is_light(concept: Concept) -> bool {
    use Concept::{Expense, Income, Price, Product, Quantity, Score, Stock};
    matches!(concept, Expense | Quantity | Price | Product | Score | Income | Stock)
}

/// Whether a word speaks of numbers that rows are known by.
fn names_id(word: &str) -> bool {
    matches!(
        word,
        "id" | "ids" | "number" | "numbers" | "no" | "nr" | "nummer" | "code" | "codes" | "编" | "号"
    )
}

/// Whether a word says that nothing is left out.
fn is_whole(word: &str) -> bool {
    matches!(
        word,
        "whole" | "entire" | "total" | "overall" | "gesamte" | "gesamten" | "ganzen" | "toute" | "totale"
    )
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

/// Whether a column of days may have one in a time, by its smallest and largest.
fn may_hold(field: &Field, time: Time) -> bool {
    let Some((from, to)) = time.days() else { return true };
    let day = |text: &String| tabletalk_core::value::date(text.get(..10).unwrap_or(text)).map(f64::from);
    match field.range.as_ref().map(|(a, b)| (day(a), day(b))) {
        Some((Some(least), Some(most))) => from <= most && to >= least,
        _ => field.cells.iter().filter_map(|c| c.size).any(|s| s >= from && s < to + 1.0),
    }
}

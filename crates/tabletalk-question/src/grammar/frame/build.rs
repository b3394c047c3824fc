//! Takes the words of a cut one after another, each to its place.

use super::compare::Stretch;
use super::{Claim, Frame, Superlative, Wh};
use crate::analyse::Question;
use crate::grammar::annotate::{Meaning, Span};
use crate::grammar::calendar::Time;
use crate::grammar::cover::Cover;
use crate::grammar::dimension::Dimension;
use crate::grammar::lexicon::{Concept, Lexicon, Sense};
use crate::grammar::role::Roles;
use crate::grid::{Field, Grid, Measure};
use crate::mask::{first, last};
use crate::program::Test;

/// Builds the frame of one cut; `None` where words contradict one another.
pub(crate) struct Builder<'a> {
    pub question: &'a Question,
    pub grid: &'a Grid,
    pub roles: &'a Roles,
    pub(super) tokens: Vec<(usize, usize, &'a Meaning)>,
    pub(super) frame: Frame,
    /// Numbers that something is compared with, whose column is not known yet.
    pub(super) pending: Vec<(usize, Test)>,
    pub(super) times: Vec<(usize, Time)>,
    /// Stretches of time from which or until which something is, whose column is not known yet.
    pub(super) stretches: Vec<(usize, Stretch)>,
    pub(super) levels: Vec<(usize, Vec<usize>)>,
    pub(super) negated: bool,
    /// The unit of time that a bound was said in.
    pub(super) unit: Option<&'static str>,
    /// What a bound was said in, and whether only a column that is surely of it can be meant.
    pub(super) dimension: Option<(Dimension, bool)>,
    /// The words are a statement: numbers in it are what it says.
    pub(super) is_claim: bool,
    /// It follows another question.
    pub(super) follows: bool,
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
            stretches: Vec::new(),
            levels: Vec::new(),
            negated: false,
            unit: None,
            dimension: None,
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
        self.find_quantifier();
        self.frame.range = self.says_range();
        self.frame.says_id = self.question.words.iter().any(|w| names_id(&w.text));
        self.frame.whole = self.question.words.iter().any(|w| is_whole(&w.text));
        self.frame.joined = self.joins_columns();
        self.frame.beside = self.ends_beside();
        self.settle_levels()?;
        self.settle_times()?;
        self.settle_stretches()?;
        self.settle_pending()?;
        self.settle_flags();
        self.settle_values()?;
        if self.says_still() && !self.says_state() {
            return None;
        }
        self.merge()?;
        Some(self.frame)
    }

    /// Whether words speak of a state that some rows are in and others not: what is still owed.
    fn says_still(&self) -> bool {
        const STILL: [&str; 8] = ["still", "owed", "already", "overdue", "left", "remaining", "noch", "还"];
        !self.is_claim && self.question.words.iter().any(|w| STILL.contains(&w.text.as_str()))
    }

    /// Whether the frame says in which state rows are, or names a column that does.
    fn says_state(&self) -> bool {
        let frame = &self.frame;
        !frame.conditions.is_empty()
            || frame.columns.len() > 1
            || !frame.superlatives.is_empty()
            || !frame.verbs.is_empty()
    }

    pub(super) fn meaning(&self, i: usize) -> Option<&'a Meaning> {
        self.tokens.get(i).map(|t| t.2)
    }

    pub(super) fn sense(&self, i: usize) -> Option<Sense> {
        match self.meaning(i) {
            Some(Meaning::Sense(sense)) => Some(*sense),
            _ => None,
        }
    }

    pub(super) fn at(&self, i: usize) -> usize {
        self.tokens.get(i).map_or(0, |t| t.0)
    }

    pub(super) fn doubt(&mut self, factor: f32) {
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
                self.frame.marked_sum |= self.says_sum(i);
                Some(i + 1)
            }
            Meaning::Number(n) => self.take_number(i, *n),
            Meaning::Time(time) => {
                match self.take_range(i, *time).or_else(|| self.take_postposed(i, *time)) {
                    Some(next) => Some(next),
                    None => {
                        self.times.push((self.at(i), *time));
                        Some(i + 1)
                    }
                }
            }
            Meaning::About => {
                self.frame.about = true;
                self.frame.money |= self.says_money(i);
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
    pub(super) fn take_percent(&mut self, i: usize, _n: f64, test: Test, next: usize) -> Option<usize> {
        self.frame.claims.push(Claim { at: self.at(i), test, counts: true, is_percent: true });
        Some(next)
    }

    /// The percentage at a token: `90 %`, `half of`.
    pub(super) fn percent(&self, i: usize) -> Option<f64> {
        match self.meaning(i)? {
            Meaning::Percent(n) => Some(*n),
            Meaning::Sense(Sense::Half) => Some(50.0),
            _ => None,
        }
    }

    fn take_sense(&mut self, i: usize, sense: Sense) -> Option<usize> {
        if let Some(next) = self.take_quantifier(i, sense) {
            return Some(next);
        }
        let at = self.at(i);
        let wh = |wh: Wh| (at, wh);
        let says_many = self.says_many(i);
        let judges = self.judges(i);
        let says_how = self.question.words.get(at).is_some_and(|w| matches!(w.text.as_str(), "how" | "wie"));
        let says_often = self.says_often(i);
        let compares_times = self.compares_times(i);
        let says_how_many = self.question.words.get(at).is_some_and(|w| w.text == "多")
            && self.meaning(i + 1) == Some(&Meaning::About);
        let (counts, falls_on) = (self.counts_rows(i), sense == Sense::Change && self.falls_on(i));
        let frame = &mut self.frame;
        match sense {
            Sense::Filler | Sense::And | Sense::Or => {}
            Sense::Unit => return self.take_unit(i),
            Sense::Light => frame.light = true,
            Sense::Each => frame.each = true,
            Sense::Who => frame.wh.push(wh(Wh::Who)),
            Sense::Which => frame.wh.push(wh(Wh::Which)),
            // `挂了多少号`
            Sense::What if says_how_many => frame.wh.push(wh(Wh::HowMany)),
            Sense::What => {
                frame.how = frame.how.or(says_how.then_some(at));
                frame.wh.push(wh(Wh::What));
            }
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
            Sense::HowMany => {
                frame.how_often |= says_often;
                frame.wh.push(wh(Wh::HowMany));
            }
            Sense::HowMuch => frame.wh.push(wh(Wh::HowMuch)),
            Sense::Show => frame.wh.push(wh(Wh::Show)),
            Sense::Sum => frame.sum = Some(at),
            Sense::Average => frame.average = Some(at),
            Sense::Most => frame.superlatives.push(Superlative {
                at,
                most: true,
                counts,
                concept: None,
                by_time: false,
                judges,
            }),
            Sense::Least => frame.superlatives.push(Superlative {
                at,
                most: false,
                counts,
                concept: None,
                by_time: false,
                judges,
            }),
            Sense::MostOf(c) => frame.superlatives.push(Superlative {
                at,
                most: true,
                counts,
                concept: Some(c),
                by_time: false,
                judges: false,
            }),
            Sense::LeastOf(c) => frame.superlatives.push(Superlative {
                at,
                most: false,
                counts,
                concept: Some(c),
                by_time: false,
                judges: false,
            }),
            Sense::Latest => frame.superlatives.push(Superlative {
                at,
                most: true,
                counts,
                concept: None,
                by_time: true,
                judges: false,
            }),
            Sense::Earliest => frame.superlatives.push(Superlative {
                at,
                most: false,
                counts,
                concept: None,
                by_time: true,
                judges: false,
            }),
            Sense::MostOften | Sense::LeastOften => {
                frame.rows = true;
                frame.superlatives.push(Superlative {
                    at,
                    most: sense == Sense::MostOften,
                    counts: true,
                    concept: None,
                    by_time: false,
                    judges: false,
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
            Sense::Comparative(more) => {
                frame.comparative = Some((None, more));
                // More often is more rows.
                frame.rows |= compares_times;
            }
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
            // `the highest of these mountains`
            Sense::Among if self.is_claim => {}
            Sense::Among | Sense::Future | Sense::Reason | Sense::Back => return None,
        }
        Some(i + 1)
    }

    /// Whether the words at `i` count how often something was, not how much of it.
    fn says_often(&self, i: usize) -> bool {
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let words = self.question.words.get(*from..=*to).unwrap_or_default();
        words.iter().any(|w| matches!(w.text.as_str(), "often" | "times" | "oft" | "fois" | "次"))
    }

    /// Whether the words at `i` set against each other how often something was.
    fn compares_times(&self, i: usize) -> bool {
        const OFTEN: [&str; 6] = ["often", "frequently", "ofter", "haufiger", "seltener", "souvent"];
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let words = self.question.words.get(*from..=*to).unwrap_or_default();
        words.iter().any(|w| OFTEN.contains(&w.text.as_str()))
    }

    /// Whether what the table is about is money: `expenses`.
    fn says_money(&self, i: usize) -> bool {
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let words = self.question.words.get(*from..=*to).unwrap_or_default();
        let money = [Concept::Expense, Concept::Revenue, Concept::Income];
        Lexicon::get().concepts(words).iter().any(|c| money.contains(c))
    }

    /// Whether the words at `i` speak of a sum.
    fn says_sum(&self, i: usize) -> bool {
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let is_sum = |at: usize| {
            let mut senses = Lexicon::get().senses(&self.question.words, at).into_iter();
            senses.any(|(_, sense)| sense == Sense::Sum)
        };
        (*from..=*to).any(is_sum)
    }

    /// Whether the words at `i` say what is good and what is bad, not what is much.
    fn judges(&self, i: usize) -> bool {
        const GOOD: [&str; 14] = [
            "best",
            "worst",
            "beste",
            "besten",
            "bester",
            "bestes",
            "schlechteste",
            "schlechtesten",
            "schlechtester",
            "meilleur",
            "meilleure",
            "pire",
            "好",
            "差",
        ];
        let Some((from, to, _)) = self.tokens.get(i) else { return false };
        let words = self.question.words.get(*from..=*to).unwrap_or_default();
        words.iter().any(|w| GOOD.contains(&w.text.as_str()))
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
    pub(super) fn counts_rows(&self, i: usize) -> bool {
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

    pub(super) fn is_amount(&self, i: usize) -> bool {
        matches!(self.meaning(i), Some(Meaning::Number(_) | Meaning::Time(_)))
    }

    pub(super) fn is_measured(&self, column: usize) -> bool {
        // Patient `P-0031` is no number.
        let is_number = |f: &Field| f.measure != Measure::Lead || f.is_lead_number() || !f.is_key();
        self.grid
            .columns
            .get(column)
            .is_some_and(|f| f.is_measured() && f.measure != Measure::Day && is_number(f))
    }
}

/// Whether a verb says little beside how much or what: `spent`, `bought`.
pub(in crate::grammar) fn is_light(concept: Concept) -> bool {
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

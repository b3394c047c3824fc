//! Reads everyday questions by a grammar of programs: every word must have its place.
//!
//! A question is cut into runs of words that each mean one thing over the table (`annotate`, `cover`), these are put
//! into the places of a frame (`frame`), and the frame is a program or it is nothing (`interpret`). A word without a
//! place makes the reading void: what is not in the table cannot be answered from it.

mod annotate;
mod calendar;
mod claim;
mod cover;
mod dimension;
mod frame;
mod hint;
mod interpret;
mod lexicon;
mod rewrite;
mod role;
mod thesaurus;

pub(crate) use annotate::is_same;
pub use hint::says_none;
pub(crate) use hint::{
    calendar, calls_rows, computes, dated, has_weekdays, is_bound, is_of_other_unit, is_price, is_quantity,
    names_other, periods, placed_periods, series, speaks_of, times, under,
};
pub use lexicon::Period;
pub(crate) use role::Roles;

use crate::analyse::Question;
use crate::denote;
use crate::execute::execute;
use crate::grid::Grid;
use crate::mask::Mask;
use crate::program::{Ask, Fold, Program, Test};
use crate::read::{Link, Subject};
use annotate::{Meaning, Span};
use cover::Cover;
use frame::Builder;
use interpret::Interpreter;
use lexicon::Sense;

/// Cuts that are looked at.
const MOST: usize = 48;
/// Cuts whose score is so much lower are not what was meant.
const NEAR: f32 = 0.75;

/// Cuts so far from the best, where the best gives nothing, answer another question.
const FAR: f32 = 0.75;

/// What a question means by the grammar.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// The programs, the best first, with the trust each deserves.
    pub programs: Vec<Weighed>,
    /// Programs that pass over words of the question: proposals, which need another judge.
    pub loose: Vec<Weighed>,
    /// The words that mean nothing over this table, as they are written.
    pub unknown: Vec<String>,
    /// Whether it asks for what a table cannot know, or names something that is not there.
    pub is_void: bool,
    /// Whether that is said by a verb alone, which may be another word for what the table has.
    pub is_doubtful: bool,
}

impl Parsed {
    /// How far other readings can be trusted where this one failed.
    pub(crate) fn trust_in_others(&self) -> f32 {
        if self.is_void { 0.0 } else { 0.75f32.powi(self.unknown.len() as i32) }
    }
}

/// Reads a question.
pub(crate) fn parse(text: &str, subject: &Subject<'_>, before: Option<&[u64]>) -> Parsed {
    read(text, subject, before.is_none() && is_polar(text), before)
}

/// A question in words that its table knows: `unpaid` as `not paid`.
pub(crate) fn plain(text: &str, subject: &Subject<'_>) -> String {
    rewrite::plain(text, subject, subject.grid.roles())
}

/// Whether a question is answered by yes or no: it begins with its verb.
pub(crate) fn is_polar(text: &str) -> bool {
    const VERBS: [&str; 28] = [
        "is", "are", "was", "were", "does", "do", "did", "has", "have", "had", "can", "ist", "sind", "war",
        "waren", "hat", "haben", "gibt", "gab", "wurde", "wurden", "arbeitet", "est", "sont", "etait",
        "kann", "hatte", "isn",
    ];
    let words = crate::word::words(text);
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    let asks =
        |w: &str| matches!(w, "which" | "what" | "who" | "how" | "when" | "where" | "welche" | "wer" | "wie");
    let french = texts
        .windows(2)
        .any(|w| matches!(w, ["est" | "sont" | "etait" | "a", "il" | "elle" | "ils" | "elles" | "t"]))
        && !texts.iter().any(|w| {
            w.starts_with("quel") || matches!(*w, "combien" | "qui" | "quand" | "ou" | "que" | "comment")
        });
    let han = text.trim_end_matches(['？', '?', ' ']).ends_with('吗') || text.contains("是否");
    let first = texts.first().is_some_and(|w| VERBS.contains(w)) && !asks_what(&words);
    first && !texts.iter().any(|w| asks(w)) || french || han
}

/// Whether a question begins with the German `was`: a verb follows, and no subject.
pub(crate) fn asks_what(words: &[crate::word::Word]) -> bool {
    const SUBJECTS: [&str; 24] = [
        "the", "a", "an", "there", "it", "he", "she", "this", "that", "any", "our", "my", "their", "his",
        "her", "all", "every", "each", "most", "not", "i", "anyone", "anybody", "more",
    ];
    let [first, second, ..] = words else { return false };
    let ends = ["t", "te", "en", "f", "r", "nd", "b", "ng"].iter().any(|e| second.text.ends_with(e));
    first.text == "was" && !SUBJECTS.contains(&second.text.as_str()) && ends
}

/// Reads a statement: its programs say whether it holds.
pub(crate) fn parse_claim(text: &str, subject: &Subject<'_>) -> Parsed {
    read(text, subject, true, None)
}

fn read(text: &str, subject: &Subject<'_>, is_claim: bool, before: Option<&[u64]>) -> Parsed {
    let roles = subject.grid.roles();
    let text = &rewrite::plain(text, subject, roles);
    let question = Question::new(text);
    let spans = annotate::spans(text, &question, subject, roles);
    let covers = cover::covers(&question, &spans);
    let Some(best) = covers.first() else { return Parsed::default() };
    let reader = Reader { text, question: &question, subject, spans: &spans, is_claim, before };
    if best.left != 0 {
        let unknown = unknown(text, &question, &spans, best.left);
        let names = unknown.iter().any(|words| is_name(text, words));
        let is_void = names || asks_beyond(&spans, best);
        let is_doubtful = !names && !asks_future(&spans, best);
        return Parsed { programs: Vec::new(), loose: reader.loose(&[]), unknown, is_void, is_doubtful };
    }
    let programs = shared_out(summed_sales(&question, reader.programs(&covers, |c| c.left == 0, MOST)));
    let loose = reader.loose(&programs);
    let is_void = programs.is_empty() && asks_beyond(&spans, best);
    let is_doubtful = !asks_future(&spans, best);
    Parsed { programs, loose, unknown: Vec::new(), is_void, is_doubtful }
}

/// Reads the cuts of a question as programs.
struct Reader<'a> {
    text: &'a str,
    question: &'a Question,
    subject: &'a Subject<'a>,
    spans: &'a [Span],
    is_claim: bool,
    before: Option<&'a [u64]>,
}

impl Reader<'_> {
    /// The programs of the cuts that are wanted, so many at most, each once.
    fn programs(&self, covers: &[Cover], is_wanted: impl Fn(&Cover) -> bool, most: usize) -> Vec<Weighed> {
        let (subject, roles) = (self.subject, self.subject.grid.roles());
        let best = covers.first().map_or(0.0, |c| c.score);
        let mut found: Vec<Weighed> = Vec::new();
        let mut top: Option<f32> = None;
        for cover in covers.iter().filter(|c| is_wanted(c)).take(most) {
            if cover.score < best - FAR || top.is_some_and(|top| cover.score < top - NEAR) {
                break;
            }
            let builder = Builder::new(self.question, subject.grid, roles, self.spans, cover)
                .follow(self.before.is_some());
            let builder = if self.is_claim { builder.claim() } else { builder };
            let Some(frame) = builder.build() else { continue };
            let interpreter = Interpreter { grid: subject.grid, roles, before: self.before, frame };
            let program = if self.is_claim { interpreter.decision() } else { interpreter.program() };
            let Some((program, trust)) = program else { continue };
            if found.iter().any(|other| other.program == program) {
                continue;
            }
            let trust = if self.counts_values(&program, cover) { trust * 0.5 } else { trust };
            let first = *top.get_or_insert(cover.score);
            // A cut that explains the words less well is less likely what was meant.
            let weight = (SHARP * (cover.score - first)).exp();
            let links = links(self.text, self.question, self.spans, cover);
            let denotation = denotation(&program, subject.grid);
            found.push(Weighed { denotation, program, trust, weight, links });
        }
        found
    }

    /// Whether values of a column are counted that are called as the rows are: the shifts of `ward shifts`, with a column
    /// `Shift` of early and late ones.
    fn counts_values(&self, program: &Program, cover: &Cover) -> bool {
        let Ask::Distinct(column) = program.ask else { return false };
        let lexicon = lexicon::Lexicon::get();
        let is_distinct =
            |i: usize| lexicon.senses(&self.question.words, i).iter().any(|(_, s)| *s == Sense::Distinct);
        if (0..self.question.words.len()).any(is_distinct) {
            return false;
        }
        let called: Vec<crate::word::Word> =
            [self.subject.relation, self.subject.title].into_iter().flat_map(crate::word::words).collect();
        let named = links(self.text, self.question, self.spans, cover).into_iter();
        let mut words = named.filter(|l| l.column == column).flat_map(|l| crate::word::words(&l.words));
        words.any(|w| called.iter().any(|c| is_same(c, &w)))
    }

    /// The programs that pass over words, beside those that are known.
    fn loose(&self, known: &[Weighed]) -> Vec<Weighed> {
        if self.is_claim || self.before.is_some() {
            return Vec::new();
        }
        let covers = cover::loose_covers(self.question, self.spans);
        let content = self.question.content;
        let mut found: Vec<Weighed> = Vec::new();
        for cover in &covers {
            let left = (cover.left & content).count_ones();
            let Some(mut one) = self.programs(std::slice::from_ref(cover), |_| true, 1).pop() else {
                continue;
            };
            let is_new = |other: &Weighed| {
                other.program != one.program
                    && (one.denotation.is_none() || other.denotation != one.denotation)
            };
            if one.denotation.is_some() && known.iter().chain(&found).all(is_new) {
                one.trust *= PASSED.powi(left as i32);
                found.push(one);
            }
            if found.len() == MOST_PROGRAMS {
                break;
            }
        }
        found
    }
}

/// What each word that is passed over leaves of the trust in a program.
const PASSED: f32 = 0.6;

/// How much a worse cut loses: one that is worse by a tenth, as a part of a name is against the whole, by two thirds.
const SHARP: f32 = 10.0;

/// A program that a cut gave.
#[derive(Debug)]
pub(crate) struct Weighed {
    pub program: Program,
    pub trust: f32,
    /// The words it rests on.
    pub links: Vec<Link>,
    /// How well its cut explains the words, beside the best.
    weight: f32,
    /// The same for programs that give the same answer.
    denotation: Option<u64>,
}

/// The words of a cut that name columns and values.
fn links(text: &str, question: &Question, spans: &[Span], cover: &cover::Cover) -> Vec<Link> {
    let of = |s: &Span| {
        let words = question.written(text, s.mask).to_owned();
        match &s.meaning {
            Meaning::Column(column, _) => Some(Link { words, column: *column, is_value: false }),
            Meaning::Value(condition, _) => Some(Link { words, column: condition.column, is_value: true }),
            _ => None,
        }
    };
    cover.spans.iter().filter_map(|i| spans.get(*i)).filter_map(of).collect()
}

/// The answer of a program as a number, where it can be run here.
fn denotation(program: &Program, grid: &Grid) -> Option<u64> {
    let is_here = grid.is_whole() && !program.rows.computed;
    let answer = is_here.then(|| execute(program, grid)).flatten()?;
    // As many rows of another kind are another answer, though the number is the same.
    // As many different ones as there are rows are the rows.
    let is_each = answer.values == [answer.rows.len().to_string()];
    let rows = match program.ask {
        Ask::Distinct(_) if !is_each => 0,
        Ask::Count | Ask::Share(_) | Ask::Distinct(_) => {
            answer.rows.iter().fold(0, |all: u64, row| all.rotate_left(7) ^ row)
        }
        _ => 0,
    };
    Some(denote::hash(&answer.values) ^ rows)
}

/// Sales by city are what came in, where a column says what did, and no number of sales.
fn summed_sales(question: &Question, mut found: Vec<Weighed>) -> Vec<Weighed> {
    let lexicon = lexicon::Lexicon::get();
    let is_revenue = |w: &crate::word::Word| {
        lexicon.concepts(std::slice::from_ref(w)).contains(&lexicon::Concept::Revenue)
    };
    let of = |p: &Program| match &p.ask {
        Ask::By(by) => Some((*by.ask).clone()),
        _ => None,
    };
    let sums = |w: &Weighed| matches!(of(&w.program), Some(Ask::Fold(Fold::Sum, c)) if w.links.iter().any(|l| l.column == c));
    let counts = question.has(&[crate::cue::Cue::Count]);
    if !counts && question.words.iter().any(is_revenue) && found.iter().any(sums) {
        found.retain(|w| of(&w.program) != Some(Ask::Count));
    }
    found
}

/// The programs with the trust that rivals leave to each. Those that give the same answer are no rivals, and a total
/// that stands in the table is none of the sum that it is.
fn shared_out(mut found: Vec<Weighed>) -> Vec<Weighed> {
    let is_total = |p: &Program| matches!(p.ask, Ask::Fold(Fold::Sum, _) | Ask::Across(Fold::Sum, _));
    if found.iter().any(|w| w.program.rows.computed) {
        found.retain(|w| !is_total(&w.program));
    }
    // What a reading only supposes, another says.
    let supposed: Vec<usize> = found.iter().map(supposed).collect();
    let least = supposed.iter().copied().min().unwrap_or(0);
    for (one, supposed) in found.iter_mut().zip(supposed) {
        one.weight *= SUPPOSED.powi((supposed - least) as i32);
    }
    let mut kept: Vec<Weighed> = Vec::new();
    for one in found {
        let same = kept.iter_mut().find(|k| k.denotation.is_some() && k.denotation == one.denotation);
        match same {
            Some(same) => same.weight += one.weight,
            None => kept.push(one),
        }
    }
    let total: f32 = kept.iter().map(|k| k.weight).sum();
    kept.iter_mut().for_each(|k| k.trust *= k.weight / total.max(f32::MIN_POSITIVE));
    kept.sort_by(|a, b| b.trust.total_cmp(&a.trust));
    kept.truncate(MOST_PROGRAMS);
    kept
}

/// What each column that no word names leaves of a reading, beside one that needs no such column. By hand: of everyday
/// questions, such readings were right only where there was no other.
const SUPPOSED: f32 = 0.2;

/// How many columns a program compares or calculates with that no word names.
fn supposed(of: &Weighed) -> usize {
    let is_bound = |test: &Test| {
        matches!(test, Test::More(_) | Test::Less(_) | Test::AtLeast(_) | Test::AtMost(_) | Test::Between(..))
    };
    let mut used: Vec<usize> = match &of.program.ask {
        Ask::Fold(_, column) | Ask::ShareOf(column, _) => vec![*column],
        _ => Vec::new(),
    };
    used.extend(of.program.rows.conditions.iter().filter(|c| is_bound(&c.test)).map(|c| c.column));
    used.sort_unstable();
    used.dedup();
    used.into_iter().filter(|c| of.links.iter().all(|l| l.column != *c)).count()
}

/// Programs that are kept: more are not offered to choose from.
const MOST_PROGRAMS: usize = 6;

/// Whether a question asks for what is not yet, for reasons or advice, or for a kind of thing that the table has not.
fn asks_beyond(spans: &[Span], cover: &cover::Cover) -> bool {
    // A verb of a kind of column stands for itself only where there is no such column.
    let beyond = |s: &Span| match s.meaning {
        Meaning::Sense(Sense::Future | Sense::Reason | Sense::Change) => true,
        Meaning::Sense(Sense::Of(concept)) => !frame::is_light(concept),
        _ => false,
    };
    cover.spans.iter().filter_map(|i| spans.get(*i)).any(beyond)
}

/// Whether a question asks for what is not yet, for reasons or advice.
fn asks_future(spans: &[Span], cover: &cover::Cover) -> bool {
    let is = |s: &Span| matches!(s.meaning, Meaning::Sense(Sense::Future | Sense::Reason));
    cover.spans.iter().filter_map(|i| spans.get(*i)).any(is)
}

/// Whether words name something in particular: with a capital inside a sentence, a number, or in Chinese.
fn is_name(text: &str, words: &str) -> bool {
    let begins = text.trim_start().starts_with(words);
    let capital = words.split_whitespace().any(|w| w.starts_with(char::is_uppercase));
    let number = words.chars().any(|c| c.is_ascii_digit());
    let han = words.chars().filter(|c| crate::word::is_han(*c)).count();
    capital && !begins || number || han > 1
}

/// The words that are left, those side by side together.
fn unknown(text: &str, question: &Question, spans: &[Span], left: Mask) -> Vec<String> {
    let known =
        spans.iter().filter(|s| !matches!(s.meaning, Meaning::Sense(_))).fold(0, |all, s| all | s.mask);
    let mut found: Vec<String> = Vec::new();
    let mut run: Mask = 0;
    for i in 0..=question.words.len() {
        let is_left = i < question.words.len() && (left & !known) >> i & 1 == 1;
        if is_left {
            run |= 1 << i;
        } else if run != 0 {
            found.push(question.written(text, run).to_owned());
            run = 0;
        }
    }
    found
}

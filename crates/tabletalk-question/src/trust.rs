//! How far an answer can be trusted: the signs that tell a right one from a wrong one.

use crate::analyse::Question;
use crate::candidate::{Candidate, Found};
use crate::cue::Cue;
use crate::execute::Answer;
use crate::feature::asked;
use crate::grammar::Parsed;
use crate::grid::{Field, Measure};
use crate::link::{Grade, Link};
use crate::mask::Mask;
use crate::program::{Ask, Pick, Program, Test};
use crate::prospect::Exact;
use crate::score::Ranked;
use crate::shape::Shape;
use crate::weigh::Weight;
use tabletalk_core::Kind;

/// Signs of the question and its table.
const ASKED: usize = 27;
/// Signs of the program and its answer.
const GIVEN: usize = 19;
/// Signs of what was learned.
const LEARNED: usize = 24;
/// Signs of what the grammar read.
const READ: usize = 6;
/// Signs of what a model said.
pub(crate) const WEIGHED: usize = 6;
/// How many signs there are.
pub(crate) const SIGNS: usize = ASKED + GIVEN + LEARNED + READ + WEIGHED;

/// What a sign is where there is nothing to see.
const NOTHING: f32 = -1.0;

/// A question with all that is known of it, as its answers are judged.
pub(crate) struct Sight<'a> {
    found: &'a Found<'a>,
    ranked: &'a Ranked,
    exact: &'a [Exact],
    parsed: &'a Parsed,
    asked: [f32; ASKED],
    /// Words that say something, stand in no cell and no name, and are no hint at an operation.
    strange: Mask,
    /// Words that are whole values of cells.
    whole: Mask,
    /// How evenly the likelihood is spread over answers.
    entropy: f32,
}

fn is(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

fn log(n: usize) -> f32 {
    (n as f32 + 1.0).ln()
}

fn count(mask: Mask) -> f32 {
    mask.count_ones() as f32
}

impl<'a> Sight<'a> {
    /// Looks at a question.
    pub(crate) fn new(
        text: &str,
        found: &'a Found<'a>,
        ranked: &'a Ranked,
        parsed: &'a Parsed,
        exact: &'a [Exact],
    ) -> Self {
        let strange = strange(found);
        let whole = found.links.iter().filter(|l| l.grade == Grade::Whole).fold(0, |mask, l| mask | l.mask);
        let entropy = ranked.groups.iter().map(|g| -g.share * g.share.max(1e-9).ln()).sum();
        let asked = signs_of_question(text, found, parsed, strange);
        Sight { found, ranked, exact, parsed, asked, strange, whole, entropy }
    }

    /// The signs of an answer: of the group of programs at `at`, and trusted so far by the grammar.
    pub(crate) fn signs(
        &self,
        program: &Program,
        answer: Option<&Answer>,
        at: Option<usize>,
        exact: f32,
    ) -> [f32; SIGNS] {
        let given = self.given(program, answer);
        let learned = at.and_then(|at| self.learned(at)).unwrap_or([NOTHING; LEARNED]);
        let read = self.read(exact);
        let mut signs = [0.0; SIGNS];
        let all = self.asked.iter().chain(&given).chain(&learned).chain(&read);
        signs.iter_mut().zip(all).for_each(|(slot, sign)| *slot = *sign);
        weigh(&mut signs, None);
        signs
    }

    fn given(&self, program: &Program, answer: Option<&Answer>) -> [f32; GIVEN] {
        let grid = self.found.grid;
        let shape = Shape::of(&program.rows, &program.ask);
        let column = asked(&program.ask);
        let field = column.and_then(|c| grid.columns.get(c));
        let conditions = &program.rows.conditions;
        let values = answer.map_or(&[][..], |a| a.values.as_slice());
        let first = values.first().map_or("", String::as_str);
        let is_test = |test: fn(&Test) -> bool| is(conditions.iter().any(|c| test(&c.test)));
        let same = column.is_some_and(|c| conditions.iter().any(|k| k.column == c));
        [
            f32::from(shape.ask),
            f32::from(shape.pick),
            program.rows.step.abs() as f32,
            conditions.len() as f32,
            log(values.len()),
            answer.map_or(NOTHING, |a| log(a.rows.len())),
            column.and_then(|c| self.found.names.get(c)).map_or(NOTHING, |n| n.share),
            field.map_or(NOTHING, sort),
            is(field.is_some_and(Field::is_key)),
            field.map_or(NOTHING, |f| f.values.len() as f32 / f.filled.max(1) as f32),
            is(!fits(self.found, program)),
            is(self.is_told(values)),
            first.chars().count() as f32,
            is(first.starts_with(|c: char| c.is_ascii_digit())),
            is_test(|t| matches!(t, Test::Not(_))),
            is_test(|t| matches!(t, Test::Has(_)) || matches!(t, Test::Is(v) if v.len() > 1)),
            is_test(|t| !matches!(t, Test::Is(_) | Test::Not(_) | Test::Has(_))),
            is(same),
            is(values.iter().any(|v| crate::grid::is_missing(v))),
        ]
    }

    /// Whether an answer stands in the question already.
    fn is_told(&self, values: &[String]) -> bool {
        let [value] = values else { return false };
        let words = crate::word::words(value);
        let said = &self.found.question.words;
        !words.is_empty()
            && said.windows(words.len()).any(|w| w.iter().zip(&words).all(|(a, b)| a.stem == b.stem))
    }

    fn learned(&self, at: usize) -> Option<[f32; LEARNED]> {
        let group = self.ranked.groups.get(at)?;
        let candidate = self.found.candidates.get(group.best)?;
        let rival = self.ranked.groups.get(usize::from(at == 0)).map_or(0.0, |g| g.share);
        let score = self.ranked.scores.get(group.best).copied().unwrap_or(0.0);
        let odds = |p: f32| (p.clamp(1e-4, 0.9999) / (1.0 - p.clamp(1e-4, 0.9999))).ln();
        let shares = [
            group.share,
            odds(group.share),
            rival,
            (group.share.max(1e-4) / rival.max(1e-4)).ln(),
            self.entropy,
            score,
            group.own / group.share.max(1e-9),
            log(group.size),
            at.min(9) as f32,
        ];
        let mut signs = [0.0; LEARNED];
        let all = shares.into_iter().chain(self.rest(candidate));
        signs.iter_mut().zip(all).for_each(|(slot, sign)| *slot = sign);
        Some(signs)
    }

    /// What a program leaves unexplained, and how its conditions were found.
    fn rest(&self, candidate: &Candidate) -> [f32; 15] {
        let question = &self.found.question;
        let scope = self.found.scopes.get(candidate.scope);
        let links: Vec<&Link> =
            scope.iter().flat_map(|s| &s.links).filter_map(|l| self.found.links.get(*l)).collect();
        let named = candidate.program.columns().into_iter().filter_map(|c| self.found.names.get(c));
        let names = named.fold(0, |all, n| all | n.mask);
        let taken = scope.map_or(0, |s| s.mask) | candidate.target;
        let covered = taken | names;
        let cues = question.cues.iter().fold(0, |mask, c| mask | c);
        let open = count(question.content & !covered & !cues);
        let numbers = question.mentions.iter().fold(0, |mask, m| mask | m.mask);
        let best = self.found.links.first().map_or(0.0, |l| l.weight(question));
        let own: f32 = links.iter().map(|l| l.weight(question)).sum();
        let cell = |l: &&Link| self.found.grid.at(l.condition.column, *l.rows.first()?);
        let longest = links.iter().filter_map(cell).map(|c| c.stems.len()).max().unwrap_or(0);
        let grade = |grade: Grade| is(links.iter().any(|l| l.grade == grade));
        let rivals = |l: &&Link| self.found.links.iter().filter(|o| o.mask == l.mask).count();
        [
            open,
            open / count(question.content).max(1.0),
            is(used_numbers(candidate, numbers & !covered, self.found)),
            grade(Grade::Part),
            grade(Grade::Most),
            grade(Grade::Compare),
            grade(Grade::Either),
            links.iter().filter(|l| l.grade == Grade::Whole).count() as f32,
            is(question.quoted & !taken != 0),
            count(self.whole & !covered),
            best - own,
            count(self.strange & !covered),
            longest as f32,
            links.iter().map(rivals).max().unwrap_or(0) as f32,
            log(candidate.rows),
        ]
    }

    fn read(&self, exact: f32) -> [f32; READ] {
        let best = self.exact.iter().map(|e| e.trust).fold(0.0, f32::max);
        let relation = match () {
            () if exact > 0.0 => 3.0,
            () if !self.exact.is_empty() => 2.0,
            () if !self.parsed.programs.is_empty() => 1.0,
            () => 0.0,
        };
        [
            exact,
            best,
            relation,
            self.exact.len() as f32,
            self.parsed.unknown.len() as f32,
            is(self.parsed.is_void),
        ]
    }
}

/// Puts what a model said into the signs of an answer.
pub(crate) fn weigh(signs: &mut [f32; SIGNS], weight: Option<Weight>) {
    let odds = |p: f32| (p.clamp(1e-4, 0.9999) / (1.0 - p.clamp(1e-4, 0.9999))).ln();
    let said = weight.map_or([NOTHING; WEIGHED], |w| {
        [w.likely, odds(w.likely), w.rival, w.none, w.rank.min(9) as f32, odds(w.likely) - odds(w.none)]
    });
    signs.iter_mut().skip(SIGNS - WEIGHED).zip(said).for_each(|(slot, sign)| *slot = sign);
}

/// Whether numbers that no condition explains are used or leave no doubt.
fn used_numbers(candidate: &Candidate, left: Mask, found: &Found<'_>) -> bool {
    let counts = matches!(candidate.program.rows.pick, Some(Pick::Extreme { count, skip, .. } | Pick::End { count, skip, .. }) if count > 1 || skip > 0);
    left == 0 || counts || found.earlier.is_some()
}

/// Whether the column that is asked for can say who or when.
fn fits(found: &Found<'_>, program: &Program) -> bool {
    let (Ask::Cells(column) | Ask::Fold(_, column)) = program.ask else { return true };
    let Some(field) = found.grid.columns.get(column) else { return true };
    let is_number = field.is_number() || matches!(field.kind, Kind::Boolean | Kind::Date | Kind::DateTime);
    let yes_no = field.values.len() <= 2 && field.filled > 2 && !field.is_key();
    match found.question.text(Some(0)) {
        "who" | "wer" | "qui" | "谁" => !is_number && !yes_no,
        "when" | "wann" | "quand" => field.is_measured(),
        _ => true,
    }
}

/// The kind of a column's values as a number.
fn sort(field: &Field) -> f32 {
    match field.measure {
        Measure::None => 0.0,
        Measure::Lead | Measure::Clock => 1.0,
        Measure::Day => 2.0,
        Measure::Number if field.is_year() => 3.0,
        Measure::Number => 4.0,
    }
}

/// The words that say something, stand in no cell and no name, and are no hint at an operation.
fn strange(found: &Found<'_>) -> Mask {
    let question = &found.question;
    let cues = question.cues.iter().fold(0, |mask, c| mask | c);
    let names = found.names.iter().fold(0, |mask, n| mask | n.mask);
    let open = question.content & !cues & !names;
    let words = question
        .words
        .iter()
        .enumerate()
        .filter(|(i, w)| open >> i & 1 == 1 && found.grid.stem(&w.stem).is_none());
    crate::mask::mask(words.map(|(i, _)| i))
}

fn signs_of_question(text: &str, found: &Found<'_>, parsed: &Parsed, strange: Mask) -> [f32; ASKED] {
    let question = &found.question;
    let has = |cue: Cue| is(question.has(&[cue]));
    let linked = found.links.iter().fold(0, |mask, l| mask | l.mask);
    let numbers = question.mentions.iter().fold(0, |mask, m| mask | m.mask);
    let capitals = question.words.iter().enumerate().filter(|(i, w)| {
        *i > 0
            && strange >> i & 1 == 1
            && text.get(w.start..).is_some_and(|t| t.starts_with(char::is_uppercase))
    });
    [
        count(question.content),
        question.words.len() as f32,
        question.mentions.len() as f32,
        is(question.quoted != 0),
        is(question.words.iter().any(|w| w.is_han())),
        wh(question),
        log(found.grid.len()),
        found.grid.columns.len() as f32,
        log(found.candidates.len()),
        is(found.earlier.is_some()),
        count(strange),
        capitals.count() as f32,
        is(numbers & !linked != 0),
        is(parsed.is_void),
        has(Cue::Count),
        has(Cue::Sum),
        has(Cue::Average),
        has(Cue::Most),
        has(Cue::Least),
        is(question.has(&[Cue::First, Cue::Last])),
        is(question.has(&[Cue::Next, Cue::Previous])),
        has(Cue::Differ),
        has(Cue::Not),
        has(Cue::Share),
        has(Cue::Among),
        is(question.has(&[Cue::More, Cue::Less, Cue::AtLeast, Cue::AtMost])),
        has(Cue::Either),
    ]
}

/// The first asking word as a number.
fn wh(question: &Question) -> f32 {
    const ASKING: [&str; 12] =
        ["how", "who", "when", "where", "which", "what", "name", "list", "whose", "谁", "哪", "多"];
    let asks = |w: &crate::word::Word| ASKING.iter().position(|a| *a == w.text);
    let at = question.words.iter().enumerate().find_map(|(i, w)| Some((i, asks(w)?)));
    match at {
        None => 0.0,
        Some((i, 0)) => match question.text(Some(i + 1)) {
            "many" => 1.0,
            "much" => 2.0,
            "long" => 3.0,
            _ => 4.0,
        },
        Some((_, n)) => 4.0 + n as f32,
    }
}

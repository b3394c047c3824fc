//! What each run of words of a question may mean over a table.

use super::calendar::{self, Time};
use super::lexicon::{Concept, Lexicon, Sense};
use super::role::Roles;
use super::thesaurus::Thesaurus;
use crate::analyse::{Amount, Mask, Question, first, last, span};
use crate::grid::{Grid, Measure};
use crate::link::{self, Grade};
use crate::program::{Condition, Test};
use crate::read::Subject;
use crate::word::{self, Word};
use tabletalk_core::Kind;

/// What a run of words may mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meaning {
    /// A word of the language.
    Sense(Sense),
    /// A column, by its name.
    Column(usize, Fit),
    /// Rows whose cell in a column is this.
    Value(Condition, Fit),
    /// A total or another computed row, by its label.
    Marked(u64, Fit),
    /// A number.
    Number(f64),
    /// A percentage.
    Percent(f64),
    /// A level of a header with several: all columns under it.
    Level(Vec<usize>),
    /// A stretch of time.
    Time(Time),
    /// What the table is about: a word of its title or name.
    About,
}

/// How well words fit what they are taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// A word of another kind that means the same.
    Synonym,
    /// A part of a longer word.
    Compound,
    /// Some of the words.
    Part,
    /// All of it.
    Exact,
}

/// A run of words and one thing that it may mean.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub mask: Mask,
    pub meaning: Meaning,
    /// How much of the question this explains, and how well.
    pub score: f32,
}

impl Span {
    fn new(from: usize, to: usize, meaning: Meaning, weight: f32) -> Span {
        let words = (to - from) as f32;
        // A longer phrase says more than its words one by one.
        Span { mask: span(from, to), meaning, score: weight * words + 0.05 * (words - 1.0) }
    }
}

/// All that runs of words of a question may mean.
pub(crate) fn spans(text: &str, question: &Question, subject: &Subject<'_>, roles: &Roles) -> Vec<Span> {
    let mut found = senses(question, roles);
    found.extend(columns(text, question, subject.grid, roles));
    found.extend(values(text, question, subject, roles));
    found.extend(inflected(question, subject.grid));
    found.extend(marked(question, subject.grid));
    found.extend(about(question, subject));
    found.extend(joined(question, subject.grid));
    found.extend(things(question, roles));
    found.extend(
        calendar::times(question).into_iter().map(|(mask, time)| whole(mask, Meaning::Time(time), 0.95)),
    );
    found.extend(relative(question, subject.grid, roles));
    found.extend(unfinished(question, subject.grid, roles));
    found.extend(numbers(text, question, subject.grid.has_comma_decimals()));
    found.extend(levels(question, roles));
    found.extend(labels(question, roles));
    found.extend(short_values(text, question, subject.grid));
    found.extend(verbs(text, question, &found));
    found
}

/// What is said of the latest day that the table has: `this year`, `last month`. Whether `last year` is the year of that day
/// or the one before it, nothing but the day of asking could tell: where both are there, both are offered.
fn relative(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let said = calendar::relative(question);
    if said.is_empty() {
        return Vec::new();
    }
    let days = roles.days(grid).into_iter().filter_map(|c| calendar::latest(grid.columns.get(c)?));
    let Some(latest) = days.max().or_else(|| grid.columns.iter().filter_map(calendar::latest).max()) else {
        return Vec::new();
    };
    let of = |(mask, period, is_last): (Mask, super::Period, bool)| {
        let times = calendar::around(latest, period, is_last);
        times.into_iter().map(move |time| whole(mask, Meaning::Time(time), 1.0))
    };
    said.into_iter().flat_map(of).collect()
}

/// What is open where a column says when it was closed: the rows that were not.
fn unfinished(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    const OPEN: [&str; 11] = [
        "open",
        "unresolved",
        "unfinished",
        "outstanding",
        "pending",
        "offen",
        "offene",
        "offenen",
        "ouvert",
        "ouverts",
        "ouverts",
    ];
    const CLOSED: [&str; 12] = [
        "closed",
        "resolved",
        "completed",
        "finished",
        "done",
        "solved",
        "closed_at",
        "geschlossen",
        "abgeschlossen",
        "erledigt",
        "ferme",
        "cloture",
    ];
    let does = |w: &Word| matches!(w.text.as_str(), "did" | "do" | "does" | "we");
    if question.words.iter().any(does) {
        return Vec::new();
    }
    let is_end = |c: &usize| {
        let mut words = roles.names.get(*c).into_iter().flatten().flatten();
        let lacks = |f: &crate::grid::Field| f.cells.iter().any(|c| c.is_missing(f.kind));
        grid.columns.get(*c).is_some_and(lacks) && words.any(|w| CLOSED.contains(&w.text.as_str()))
    };
    let mut ends = roles.days(grid).into_iter().filter(is_end);
    let (Some(column), None) = (ends.next(), ends.next()) else { return Vec::new() };
    let is_open = |(_, w): &(usize, &Word)| OPEN.contains(&w.text.as_str());
    let condition = || Condition { column, test: Test::Empty };
    let at = question.words.iter().enumerate().filter(is_open);
    at.map(|(i, _)| Span::new(i, i + 1, Meaning::Value(condition(), Fit::Exact), 1.06)).collect()
}

/// The number of a text such as `5.000`, where points group thousands.
fn grouped(written: &str) -> Option<f64> {
    let (head, tail) = written.split_once('.')?;
    let groups = || tail.split('.');
    let is_grouped = (1..=3).contains(&head.len()) && groups().all(|g| g.len() == 3);
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    (is_grouped && head.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

fn numbers(text: &str, question: &Question, is_comma: bool) -> Vec<Span> {
    let mut found = Vec::new();
    for mention in &question.mentions {
        let Amount::Number(n) = mention.what else { continue };
        let word = first(mention.mask).and_then(|i| question.words.get(i));
        let rest = word.and_then(|w| text.get(w.end..)).unwrap_or_default().trim_start();
        let written = word.and_then(|w| w.number());
        match rest.starts_with(['%', '％']) {
            true => found.push(whole(mention.mask, Meaning::Percent(written.unwrap_or(n)), 0.9)),
            false if is_comma && word.and_then(|w| grouped(&w.text)).is_some() => {
                let n = word.and_then(|w| grouped(&w.text)).unwrap_or(n);
                found.push(whole(mention.mask, Meaning::Number(n), 0.8));
            }
            false => found.push(whole(mention.mask, Meaning::Number(n), 0.8)),
        }
    }
    found
}

/// The levels of headers that have several: `2022` and `Men` of `2022 / Men`.
fn levels(question: &Question, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for (level, columns) in &roles.levels {
        let words = word::words(level);
        for from in 0..question.words.len() {
            let run =
                words.iter().zip(question.words.iter().skip(from)).take_while(|(a, b)| is_same(a, b)).count();
            if run == words.len() && run > 0 {
                found.push(Span::new(from, from + run, Meaning::Level(columns.clone()), 0.97));
            }
        }
        if let Some(of) = calendar::of_text(level) {
            let times = calendar::times(question).into_iter().filter(|(_, time)| time.covers(of));
            found.extend(times.map(|(mask, _)| whole(mask, Meaning::Level(columns.clone()), 0.98)));
        }
    }
    found
}

/// In a form, what a label says in other words or in part.
fn labels(question: &Question, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for label in &roles.labels {
        let condition = || Condition { column: 0, test: Test::Is(vec![label.value.clone()]) };
        for name in &label.names {
            for span in named(question, 0, name) {
                let Meaning::Column(_, fit) = span.meaning else { continue };
                if fit == Fit::Part && span.score < 0.78 {
                    continue;
                }
                found.push(Span { meaning: Meaning::Value(condition(), fit), ..span });
            }
        }
        for (from, len, concepts) in question_concepts(question) {
            if concepts.iter().any(|c| label.concepts.contains(c)) {
                found.push(Span::new(from, from + len, Meaning::Value(condition(), Fit::Synonym), 0.7));
            }
        }
    }
    found
}

/// The kinds of column that runs of words speak of.
fn question_concepts(question: &Question) -> Vec<(usize, usize, Vec<Concept>)> {
    let lexicon = Lexicon::get();
    let mut found = Vec::new();
    for from in 0..question.words.len() {
        for len in 1..=4.min(question.words.len() - from) {
            let Some(words) = question.words.get(from..from + len) else { continue };
            let mut concepts: Vec<Concept> = lexicon.concepts(words).to_vec();
            let senses = lexicon.senses(&question.words, from).into_iter().filter(|(n, _)| *n == len);
            concepts.extend(senses.filter_map(|(_, sense)| match sense {
                Sense::Of(concept) => Some(concept),
                _ => None,
            }));
            if !concepts.is_empty() {
                found.push((from, len, concepts));
            }
        }
    }
    found
}

/// Values of one to three letters, written as in their cells: grades, sizes, codes of countries.
fn short_values(text: &str, question: &Question, grid: &Grid) -> Vec<Span> {
    let mut found = Vec::new();
    for (i, word) in question.words.iter().enumerate() {
        let written = text.get(word.start..word.end).unwrap_or_default();
        let is_code = (1..=3).contains(&written.len()) && written.bytes().all(|b| b.is_ascii_uppercase());
        if !is_code || (i == 0 && written.len() == 1) {
            continue;
        }
        for (column, field) in grid.columns.iter().enumerate() {
            let rows: Vec<u32> = (0..grid.len() as u32)
                .filter(|r| field.cells.get(*r as usize).is_some_and(|c| c.text.trim() == written))
                .collect();
            if !rows.is_empty() {
                let condition = Condition { column, test: Test::Is(link::texts(field, &rows)) };
                found.push(Span::new(i, i + 1, Meaning::Value(condition, Fit::Exact), 1.02));
            }
        }
    }
    found
}

/// Values of a column of choices with another ending: the `offen` of `die offenen Rechnungen`.
fn inflected(question: &Question, grid: &Grid) -> Vec<Span> {
    const CHOICES: usize = 30;
    let mut found = Vec::new();
    for (column, field) in grid.columns.iter().enumerate() {
        if field.kind != Kind::Text || field.values.len() > CHOICES {
            continue;
        }
        for rows in &field.values {
            let Some(cell) = rows.first().and_then(|r| field.cells.get(*r as usize)) else { continue };
            let [value] = &word::words(&cell.text)[..] else { continue };
            let differs = |w: &&Word| w.stem != value.stem && w.text.len() > 4 && is_same(w, value);
            let at = question.words.iter().enumerate().filter(|(_, w)| differs(w));
            let condition = || Condition { column, test: Test::Is(link::texts(field, rows)) };
            found.extend(at.map(|(i, _)| Span::new(i, i + 1, Meaning::Value(condition(), Fit::Part), 0.9)));
        }
    }
    found
}

/// A word that nothing knows, after `did` or `does` and what does it: a verb.
fn verbs(text: &str, question: &Question, found: &[Span]) -> Vec<Span> {
    let known = found.iter().fold(0, |all, s| all | s.mask);
    let mut verbs = participles(text, question, known);
    let does = question.words.iter().position(|w| matches!(w.text.as_str(), "do" | "does" | "did"));
    let Some(does) = does else { return verbs };
    let says =
        found.iter().filter(|s| !matches!(s.meaning, Meaning::Sense(_))).fold(0, |all, s| all | s.mask);
    let is_subject = |i: usize| {
        let pronoun = question
            .words
            .get(i)
            .is_some_and(|w| matches!(w.text.as_str(), "i" | "we" | "you" | "they" | "he" | "she" | "it"));
        pronoun || says >> i & 1 == 1
    };
    let is_verb = |i: &usize| {
        let written = question.words.get(*i).and_then(|w| text.get(w.start..w.end)).unwrap_or_default();
        known >> i & 1 == 0 && written.bytes().all(|b| b.is_ascii_lowercase()) && is_subject(i - 1)
    };
    let at = (does + 2..question.words.len()).find(is_verb);
    verbs.extend(at.map(|i| Span::new(i, i + 1, Meaning::Sense(Sense::Verb), 0.6)));
    verbs
}

/// Words that nothing knows and that end as verbs do: `Which carrier handled shipment 12`.
fn participles(text: &str, question: &Question, known: Mask) -> Vec<Span> {
    let is_verb = |(i, word): &(usize, &Word)| {
        let written = text.get(word.start..word.end).unwrap_or_default();
        let ends = word.text.ends_with("ed") || word.text.starts_with("ge") && word.text.ends_with('t');
        *i > 1
            && known >> i & 1 == 0
            && ends
            && word.text.len() > 5
            && written.bytes().all(|b| b.is_ascii_lowercase())
    };
    let verbs = question.words.iter().enumerate().filter(is_verb);
    verbs.map(|(i, _)| Span::new(i, i + 1, Meaning::Sense(Sense::Verb), 0.5)).collect()
}

fn whole(mask: Mask, meaning: Meaning, weight: f32) -> Span {
    let (from, to) = (first(mask).unwrap_or(0), last(mask).map_or(0, |l| l + 1));
    Span::new(from, to, meaning, weight)
}

fn senses(question: &Question, roles: &Roles) -> Vec<Span> {
    let lexicon = Lexicon::get();
    let mut found = Vec::new();
    for from in 0..question.words.len() {
        for (len, sense) in lexicon.senses(&question.words, from) {
            let is_thing = matches!(sense, Sense::Item | Sense::Booking | Sense::Person);
            if is_thing && roles.is_other_thing(&question.words, from, len)
                || is_french_i(question, from, sense)
            {
                continue;
            }
            let weight = match sense {
                Sense::Filler | Sense::Light => 0.6,
                Sense::Unit => 0.62,
                Sense::Of(_) | Sense::Row | Sense::Person | Sense::Booking => 0.7,
                _ => 0.85,
            };
            found.push(Span::new(from, from + len, Meaning::Sense(sense), weight));
        }
    }
    found
}

/// Whether this is the `je` of `ai-je`, which is no German `je`.
fn is_french_i(question: &Question, at: usize, sense: Sense) -> bool {
    let before = question.text(at.checked_sub(1));
    sense == Sense::By
        && question.text(Some(at)) == "je"
        && matches!(before, "ai" | "puis" | "dois" | "suis" | "peux" | "que" | "vais" | "avais")
}

/// Whether two words are the same but for their endings, in one of the languages.
pub(crate) fn is_same(a: &Word, b: &Word) -> bool {
    // What is hourly is no hour.
    let is_adverb = |w: &Word| w.text.len() > 4 && w.text.ends_with("ly");
    a.text == b.text
        || a.stem == b.stem && is_adverb(a) == is_adverb(b)
        || (a.text.len() > 3 && b.text.len() > 3 && word::is_inflected(&a.text, &b.text))
}

fn columns(text: &str, question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for (column, names) in roles.names.iter().enumerate() {
        for name in names {
            let mut spans = named(question, column, name);
            let called = grid.columns.get(column).map_or("", |f| f.name.as_str());
            // The `月` of `哪个月` is no `1月`.
            if roles.series().contains(&column) {
                spans.retain(|s| matches!(s.meaning, Meaning::Column(_, Fit::Exact)));
            }
            raise_apart(&mut spans, question, column, name);
            spans.iter_mut().for_each(|s| lower_plain(s, text, question, called));
            found.extend(spans);
        }
        found.extend(in_series(question, column, roles));
    }
    found.extend(synonyms(question, grid, roles));
    found.extend(by_ring(question, roles));
    found.extend(by_unit(question, grid, roles));
    found
}

/// Columns by another everyday word for the same attribute.
fn by_ring(question: &Question, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for from in 0..question.words.len() {
        for (len, ring) in Thesaurus::get().attributes(&question.words, from) {
            if is_degree(question, from, len) {
                continue;
            }
            let columns = roles.rings.iter().enumerate().filter(|(_, rings)| rings.contains(&ring));
            let span = |column| Span::new(from, from + len, Meaning::Column(column, Fit::Synonym), RING);
            found.extend(columns.map(|(column, _)| span(column)));
        }
    }
    found
}

/// Whether words compare: `older` says more than which column is meant.
fn is_degree(question: &Question, from: usize, len: usize) -> bool {
    let is = |s: &Sense| {
        matches!(
            s,
            Sense::Comparative(_)
                | Sense::ComparativeOf(..)
                | Sense::Most
                | Sense::Least
                | Sense::MostOf(_)
                | Sense::LeastOf(_)
                | Sense::Latest
                | Sense::Earliest
        )
    };
    Lexicon::get().senses(&question.words, from).iter().any(|(n, s)| *n == len && is(s))
}

/// The weight of a word that means a column by another name: less than a part of its name.
const RING: f32 = 0.74;

/// Words for what a row is, where the columns are typical of such rows.
fn things(question: &Question, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for from in 0..question.words.len() {
        let things = Thesaurus::get().things(&question.words, from).into_iter();
        let here = things.filter(|(_, thing)| roles.is_thing(*thing));
        found.extend(here.map(|(len, _)| Span::new(from, from + len, Meaning::About, 0.73)));
    }
    found
}

/// A column by the unit that it alone is in: `how many km`.
fn by_unit(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for (i, word) in question.words.iter().enumerate() {
        let is_unit =
            Lexicon::get().senses(std::slice::from_ref(word), 0).iter().any(|(_, s)| *s == Sense::Unit);
        if !is_unit {
            continue;
        }
        let in_unit = |c: &&usize| {
            let field = grid.columns.get(**c);
            let unit = field.and_then(|f| f.unit.as_deref()).is_some_and(|u| word::key(u) == word.text);
            let named = field.is_some_and(|f| f.name.contains(['(', '[']))
                && roles.names.get(**c).is_some_and(|n| n.iter().any(|n| n.iter().any(|w| is_same(w, word))));
            unit || named
        };
        let columns: Vec<usize> = roles.measures.iter().filter(in_unit).copied().collect();
        if let [only] = columns.as_slice() {
            found.push(Span::new(i, i + 1, Meaning::Column(*only, Fit::Compound), 0.7));
        }
    }
    found
}

/// A name of a letter or two, or one that is a word of the language, counts only as it is written: `Ist` is not `ist`.
fn lower_plain(span: &mut Span, text: &str, question: &Question, name: &str) {
    let written = question.written(text, span.mask);
    let words = word::words(written);
    let is_filler = |w: &Word| {
        Lexicon::get()
            .senses(std::slice::from_ref(w), 0)
            .iter()
            .any(|(_, s)| matches!(s, Sense::Filler | Sense::Light))
    };
    let is_plain = |w: &Word| (w.text.len() <= 2 && !w.is_han() && w.number().is_none()) || is_filler(w);
    if words.iter().all(is_plain) && !(name.contains(written) && written.chars().any(char::is_uppercase)) {
        // But for a year there is nothing else in the name.
        let is_year = |w: &Word| w.number().is_some_and(|n| (1900.0..2100.0).contains(&n));
        let rest = word::words(name).into_iter().filter(|w| !is_year(w)).count();
        let is_whole = rest <= words.len() && written.len() > 3;
        span.score *= if is_whole { 0.8 } else { 0.4 };
    }
}

/// The places where a name stands, wholly or in part.
fn named(question: &Question, column: usize, name: &[Word]) -> Vec<Span> {
    let words = &question.words;
    let mut found = Vec::new();
    let is_han = name.iter().all(Word::is_han);
    for from in 0..words.len() {
        let run = name.iter().zip(words.iter().skip(from)).take_while(|(a, b)| is_same(a, b)).count();
        if run == name.len() && run > 0 {
            found.push(Span::new(from, from + run, Meaning::Column(column, Fit::Exact), 1.0));
            continue;
        }
        for at in 0..name.len() {
            let pairs = name.iter().skip(at).zip(words.iter().skip(from));
            let run = pairs.take_while(|(a, b)| is_same(a, b)).count();
            let says =
                name.iter().skip(at).take(run).any(|w| !w.is_stop() && (w.text.len() > 2 || w.is_han()));
            if says && (!is_han || run > 1) && run < name.len() {
                let is_participle = run == 1
                    && name.len() > 1
                    && name.get(at).is_some_and(|w| w.text.ends_with("ed"))
                    && !words.get(from).is_some_and(|w| w.text.ends_with("ed"));
                match (is_han || has_head(name, at, run)) && !is_participle {
                    true => found.push(Span::new(from, from + run, Meaning::Column(column, Fit::Part), 0.78)),
                    // `order` does not mean `order date`, though it has to do with it.
                    false => found.push(Span::new(from, from + run, Meaning::Sense(Sense::Filler), 0.5)),
                }
            }
        }
        let is_short = |w: &Word, q: &Word| {
            // `Temp` is short for the temperature; the `Stunden` of a `Stundensatz` are not.
            (3..=5).contains(&w.text.len())
                && w.text.len() + 3 <= q.text.len()
                && q.text.starts_with(&w.text)
                && w.text.is_ascii()
        };
        if let [only] = name
            && words.get(from).is_some_and(|q| is_short(only, q))
        {
            found.push(Span::new(from, from + 1, Meaning::Column(column, Fit::Compound), 0.7));
        }
        let inside = |w: &Word| words.get(from).is_some_and(|q| is_compound(&w.text, &q.text));
        if name.iter().any(inside) {
            found.push(Span::new(from, from + 1, Meaning::Column(column, Fit::Compound), 0.72));
        }
    }
    found
}

/// A name whose words all stand in the question, though apart, is meant as a whole: `paid their fee` is `Fee paid`.
fn raise_apart(spans: &mut Vec<Span>, question: &Question, column: usize, name: &[Word]) {
    const WINDOW: usize = 8;
    let content: Vec<&Word> = name.iter().filter(|w| !w.is_stop() && !w.is_han()).collect();
    let is_found = spans.iter().any(|s| matches!(s.meaning, Meaning::Column(_, Fit::Exact)));
    if content.len() < 2 || name.iter().any(Word::is_han) || is_found {
        return;
    }
    let is_form = |q: &Word, w: &Word| is_same(q, w) && q.text.ends_with("ed") == w.text.ends_with("ed");
    let place = |w: &&Word| question.words.iter().position(|q| is_form(q, w));
    let places: Vec<usize> = content.iter().filter_map(place).collect();
    let (least, most) =
        (places.iter().min().copied().unwrap_or(0), places.iter().max().copied().unwrap_or(0));
    let is_whole = places.len() == content.len() && most - least < WINDOW && most - least >= content.len();
    let turned = places.len() == content.len() && !places.is_sorted() && most - least < WINDOW;
    if !(is_whole || turned) {
        return;
    }
    spans.retain(|s| s.mask.count_ones() > 1 || !places.iter().any(|p| s.mask >> p & 1 == 1));
    let span = |p: &usize| Span::new(*p, p + 1, Meaning::Column(column, Fit::Exact), 0.97);
    spans.extend(places.iter().map(span));
}

/// Whether some words of a name say what it is: its last, or all but a word such as `name`; in French the first.
pub(super) fn has_head(name: &[Word], at: usize, run: usize) -> bool {
    const GENERIC: [&str; 12] =
        ["name", "id", "no", "nr", "number", "code", "num", "nummer", "bezeichnung", "by", "ref", "value"];
    // The balance after a booking is no booking.
    let is_link =
        |w: &Word| matches!(w.text.as_str(), "nach" | "pro" | "per" | "fur" | "apres" | "par" | "after");
    let link = name.iter().position(is_link).filter(|link| *link > 0);
    if link.is_some_and(|link| at > link) {
        return false;
    }
    let rest = name.get(at + run..link.unwrap_or(name.len())).unwrap_or_default();
    let is_french = rest
        .first()
        .is_some_and(|w| matches!(w.text.as_str(), "de" | "du" | "d" | "des" | "of" | "in" | "per"));
    rest.is_empty() || is_french && at == 0 || rest.iter().all(|w| GENERIC.contains(&w.text.as_str()))
}

/// Whether a word is the end or the beginning of a compound: the `Miete` of `Monatsmiete`.
fn is_compound(long: &str, short: &str) -> bool {
    let least = 4;
    short.len() >= least
        && long.len() >= short.len() + 3
        && long.is_ascii()
        && !short.bytes().any(|b| b.is_ascii_digit())
        && (long.ends_with(short)
            || long.ends_with(short.trim_end_matches('n'))
            // What comes last is a word of its own: members have a membership.
            || ["ship", "hood"].iter().any(|end| long.strip_suffix(end) == Some(short)))
}

/// A column of a series by the time it stands for: `March` for `Mar 2024`.
fn in_series(question: &Question, column: usize, roles: &Roles) -> Vec<Span> {
    let Some(of) = roles.series_time(column) else { return Vec::new() };
    let times = calendar::times(question).into_iter().filter(|(_, time)| time.covers(of));
    times.map(|(mask, _)| whole(mask, Meaning::Column(column, Fit::Exact), 1.0)).collect()
}

/// Columns that other words are used for too.
fn synonyms(question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for (from, len, concepts) in question_concepts(question) {
        if concepts.contains(&Concept::Revenue)
            && let Some(column) = roles.takings(grid)
        {
            found.push(Span::new(from, from + len, Meaning::Column(column, Fit::Synonym), 0.7));
        }
        for column in 0..grid.columns.len() {
            // Sales are amounts, and no `Sales rep`.
            let is_sized = roles.measures.contains(&column);
            let fits = |c: &Concept| roles.is_about(column, *c) && (is_sized || *c != Concept::Revenue);
            if concepts.iter().any(fits) {
                found.push(Span::new(from, from + len, Meaning::Column(column, Fit::Synonym), 0.74));
            }
        }
    }
    found
}

/// Whether the word before a number says what it numbers: `ticket 7123`, `No. 12`.
fn is_named_before(question: &Question, link: &link::Link, subject: &Subject<'_>, roles: &Roles) -> bool {
    let Some(from) = first(link.mask) else { return false };
    // What was `in 2021` was in that year.
    const OF_TIME: [&str; 14] = [
        "in", "since", "before", "after", "until", "during", "im", "seit", "vor", "nach", "bis", "en",
        "depuis", "avant",
    ];
    if from.checked_sub(1).is_some_and(|i| OF_TIME.contains(&question.text(Some(i)))) {
        return false;
    }
    let before = (from.saturating_sub(2)..from).filter_map(|i| question.words.get(i));
    let name = roles.names.get(link.condition.column).into_iter().flatten().flatten();
    let mut names: Vec<Word> = name.cloned().collect();
    names.extend(word::words(subject.title));
    names.extend(word::words(subject.relation));
    before.into_iter().any(|w| {
        let row = Lexicon::get().senses(std::slice::from_ref(w), 0);
        let is_row =
            |s: &Sense| matches!(s, Sense::Row | Sense::Booking | Sense::Item | Sense::Head | Sense::Person);
        names.iter().any(|n| is_same(n, w))
            || row.iter().any(|(_, s)| is_row(s))
            || !Thesaurus::get().things(std::slice::from_ref(w), 0).is_empty()
    })
}

fn values(text: &str, question: &Question, subject: &Subject<'_>, roles: &Roles) -> Vec<Span> {
    let grid = subject.grid;
    let mut found = Vec::new();
    let is_day =
        |l: &link::Link| grid.columns.get(l.condition.column).is_some_and(|f| f.measure == Measure::Day);
    let is_bare_code = |l: &link::Link| {
        let words = (0..question.words.len()).filter(|i| l.mask >> i & 1 == 1);
        let is_number = |i: usize| {
            question.words.get(i).is_some_and(|w| {
                w.number().is_some() && !w.text.starts_with('0') || word::is_ordinal(&w.text)
            })
        };
        words.clone().count() == 1
            && words.clone().all(is_number)
            && roles.is_code(grid, l.condition.column)
            && !is_named_before(question, l, subject, roles)
    };
    // The `three` of `the three largest` is no `TE003`, and no row with a 3.
    let is_spelled = |l: &link::Link| {
        let mut words = (0..question.words.len()).filter(|i| l.mask >> i & 1 == 1);
        let (Some(one), None) = (words.next(), words.next()) else { return false };
        let Some(word) = question.words.get(one).filter(|w| w.count().is_some() && w.number().is_none())
        else {
            return false;
        };
        let cell = l.rows.first().and_then(|row| grid.at(l.condition.column, *row));
        !word.is_han() && cell.is_some_and(|c| !c.text.to_lowercase().contains(&word.text))
    };
    for link in link::values(question, grid).into_iter().filter(|l| l.grade == Grade::Whole || !is_day(l)) {
        if is_bare_code(&link) || is_spelled(&link) {
            continue;
        }
        let fit = match link.grade {
            Grade::Whole | Grade::Number => Fit::Exact,
            Grade::Most => Fit::Part,
            _ => Fit::Compound,
        };
        let weight = value_weight(text, question, &link, fit, grid);
        if weight <= WORDLESS {
            continue;
        }
        found.push(whole(link.mask, Meaning::Value(link.condition, fit), weight));
    }
    found
}

/// A part of a value that is a word of the language speaks of no value: the `people` of `Friendly people`.
const WORDLESS: f32 = 0.1;

/// How much a value speaks: less where its words are words of the language too and are not written as in the cell.
fn value_weight(text: &str, question: &Question, link: &link::Link, fit: Fit, grid: &Grid) -> f32 {
    let base = match fit {
        Fit::Exact => 1.02,
        Fit::Part => 0.8,
        _ => 0.68,
    };
    let written = question.written(text, link.mask);
    let cell = link.rows.first().and_then(|row| grid.at(link.condition.column, *row));
    let as_written = cell.is_some_and(|c| c.text.contains(written)) && first(link.mask) != Some(0);
    let words: Vec<&Word> = (0..question.words.len())
        .filter(|i| link.mask >> i & 1 == 1)
        .filter_map(|i| question.words.get(i))
        .collect();
    // A verb or a noun may be a value as well as anything else: `bezahlt`, `open`.
    let says = |s: &Sense| {
        matches!(
            s,
            Sense::Of(_)
                | Sense::Change
                | Sense::Light
                | Sense::Item
                | Sense::Booking
                | Sense::Person
                | Sense::Head
        )
    };
    let is_plain = |w: &&Word| {
        let senses = Lexicon::get().senses(std::slice::from_ref(w), 0);
        let is_value = fit == Fit::Exact && senses.iter().all(|(_, s)| says(s));
        let is_word = !(senses.is_empty() || is_value);
        (w.text.len() <= 2 && !w.is_han() && w.number().is_none()) || is_word
    };
    let is_small = |w: &&Word| w.number().is_some_and(|n| n < 1e4) && !w.text.starts_with('0');
    let before = first(link.mask).and_then(|i| i.checked_sub(1)).and_then(|i| question.words.get(i));
    let names = |w: &Word| {
        grid.columns.get(link.condition.column).is_some_and(|f| f.words.iter().any(|n| is_same(n, w)))
    };
    if words.iter().all(is_small) && !before.is_some_and(names) {
        // A small number is rather a number than the cell that has it.
        return base * 0.45;
    }
    let is_row = |w: &&Word| {
        let senses = Lexicon::get().senses(std::slice::from_ref(w), 0);
        senses.iter().any(|(_, s)| matches!(s, Sense::Person | Sense::Item | Sense::Booking))
    };
    let is_called = before.is_some_and(|w| matches!(w.text.as_str(), "in" | "im" | "the"));
    if words.iter().all(is_row) && !as_written && !is_called {
        // The `best paid people` are not those of the department `People`.
        return 0.6;
    }
    match words.iter().all(is_plain) {
        true if as_written && written.chars().any(char::is_uppercase) => base,
        true if words.iter().all(|w| w.text.len() <= 2 && !w.is_han()) => 0.2,
        // The `die` of `Die Uhr` is no film.
        true if fit != Fit::Exact => 0.1,
        true => base * 0.75,
        false => base,
    }
}

/// Computed rows by their labels.
fn marked(question: &Question, grid: &Grid) -> Vec<Span> {
    let mut found = Vec::new();
    for (row, label) in &grid.marked {
        let label = word::words(label);
        for from in 0..question.words.len() {
            let pairs = label.iter().zip(question.words.iter().skip(from));
            let run = pairs.take_while(|(a, b)| is_same(a, b)).count();
            if run == label.len() && run > 0 {
                found.push(Span::new(from, from + run, Meaning::Marked(*row, Fit::Exact), 1.0));
            }
        }
    }
    found
}

/// Words of the table's title and name.
fn about(question: &Question, subject: &Subject<'_>) -> Vec<Span> {
    let mut words = word::words(subject.relation);
    words.extend(word::words(subject.title));
    let is_about =
        |w: &Word| (w.text.len() > 2 || w.is_han()) && !w.is_stop() && words.iter().any(|t| is_same(t, w));
    let found = question.words.iter().enumerate().filter(|(_, w)| is_about(w));
    found.map(|(i, _)| Span::new(i, i + 1, Meaning::About, 0.76)).collect()
}

/// What rows of joined tables are called: the column that names them, or only what is spoken of.
fn joined(question: &Question, grid: &Grid) -> Vec<Span> {
    let mut found = Vec::new();
    for thing in grid.view().iter().flat_map(|view| &view.things) {
        let (noun, column) = (&thing.noun, &thing.name);
        for from in 0..question.words.len() {
            let pairs = noun.iter().zip(question.words.iter().skip(from));
            let run = pairs.take_while(|(a, b)| is_same(a, b)).count();
            if run == noun.len() && run > 0 {
                found.push(Span::new(from, from + run, Meaning::Column(*column, Fit::Exact), 0.9));
                found.push(Span::new(from, from + run, Meaning::About, 0.7));
            }
        }
    }
    found
}

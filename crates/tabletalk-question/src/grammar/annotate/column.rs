//! Words that name columns.

use super::Fit;
use super::Meaning;
use super::Span;
use super::is_same;
use super::number::is_degree;
use super::sense::question_concepts;
use super::whole;
use crate::analyse::Question;
use crate::grammar::calendar::{self};
use crate::grammar::lexicon::{Concept, Lexicon, Sense};
use crate::grammar::role::Roles;
use crate::grammar::thesaurus::Thesaurus;
use crate::grid::{Field, Grid, Measure};
use crate::mask::{Mask, first};
use crate::program::{Condition, Test};
use crate::word::{self, Word};

/// The levels of headers that have several: `2022` and `Men` of `2022 / Men`.
pub(super) fn levels(question: &Question, roles: &Roles) -> Vec<Span> {
    let mut found: Vec<Span> = calendar::times(question)
        .into_iter()
        .map(|(mask, time)| (mask, roles.within(time)))
        .filter(|(_, columns)| columns.len() > 1)
        .map(|(mask, columns)| whole(mask, Meaning::Level(columns), 0.98))
        .collect();
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
pub(super) fn labels(question: &Question, roles: &Roles) -> Vec<Span> {
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

pub(super) fn columns(text: &str, question: &Question, grid: &Grid, roles: &Roles) -> Vec<Span> {
    let mut found = Vec::new();
    for (column, names) in roles.names.iter().enumerate() {
        let before = found.len();
        for name in names {
            let mut spans = named(question, column, name);
            let called = grid.columns.get(column).map_or("", |f| f.name.as_str());
            // The `月` of `哪个月` is no `1月`.
            if roles.series().contains(&column) {
                spans.retain(|s| matches!(s.meaning, Meaning::Column(_, Fit::Exact)));
            }
            // The `home` of `Home/Away` is one of two things, and says something.
            if called.contains('/') {
                spans.retain(|s| !matches!(s.meaning, Meaning::Sense(_)));
            }
            // What was invoiced is no number of an invoice.
            let is_done = |s: &Span| first(s.mask).is_some_and(|at| question.text(Some(at)).ends_with("ed"));
            let is_name = |f: &Field| f.is_key() && f.measure != Measure::Day;
            if grid.columns.get(column).is_some_and(is_name) && !called.to_lowercase().ends_with("ed") {
                spans.retain(|s| {
                    !(matches!(s.meaning, Meaning::Column(..)) && s.mask.count_ones() == 1 && is_done(s))
                });
            }
            raise_apart(&mut spans, question, column, name);
            spans.iter_mut().for_each(|s| lower_plain(s, text, question, called));
            found.extend(spans);
        }
        // What a column is called says something, though it is no more than a part of its longer name.
        let called = |s: &Span| matches!(s.meaning, Meaning::Column(..));
        let says: Vec<Mask> = found.iter().skip(before).filter(|s| called(s)).map(|s| s.mask).collect();
        let mut own = found.split_off(before);
        own.retain(|s| called(s) || !says.contains(&s.mask));
        found.extend(own);
        found.extend(abbreviated(question, grid, column));
        found.extend(in_series(question, column, roles));
    }
    found.extend(synonyms(question, grid, roles));
    found.extend(by_ring(question, roles));
    found.extend(by_unit(question, grid, roles));
    found
}

/// Words that the name of a column has in short, with a point: the `rehearsals` of `Reh. attended`.
fn abbreviated(question: &Question, grid: &Grid, column: usize) -> Vec<Span> {
    const SHORTEST: usize = 3;
    let Some(field) = grid.columns.get(column) else { return Vec::new() };
    let words = word::words(&field.name);
    let is_cut = |w: &Word| field.name.get(w.end..).is_some_and(|rest| rest.starts_with('.'));
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate().filter(|(_, w)| is_cut(w) && w.number().is_none()) {
        let is_long = |w: &Word| {
            word.text.len() >= SHORTEST
                && w.text.len() > word.text.len() + 1
                && w.text.starts_with(&word.text)
        };
        let (meaning, weight) = match has_head(&words, place, 1) {
            // The `Auftrag` of `Auftr.-Nr.` is what the rows are.
            true if field.is_key() => (Meaning::About, 0.74),
            true => (Meaning::Column(column, Fit::Compound), 0.74),
            false if place == 0 => (Meaning::Column(column, Fit::Compound), 0.7),
            false => continue,
        };
        let at = question.words.iter().enumerate().filter(|(_, w)| is_long(w));
        found.extend(at.map(|(i, _)| Span::new(i, i + 1, meaning.clone(), weight)));
    }
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

/// The weight of a word that means a column by another name: less than a part of its name.
const RING: f32 = 0.74;

/// Words for what a row is, where the columns are typical of such rows.
pub(super) fn things(question: &Question, roles: &Roles) -> Vec<Span> {
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

/// Whether a column is called by who does something, and a word says what is done: `Spenden` are no `Spender`.
fn is_of_doer(name: Option<&Word>, said: Option<&Word>) -> bool {
    let Some(root) = name.and_then(|n| n.text.strip_suffix("er")) else { return false };
    said.is_some_and(|s| s.text.strip_prefix(root).is_some_and(|end| end == "en"))
}

/// Whether a column says that something was done, and a word says what: `orders` are rows, and no day `Ordered`.
fn is_thing_done(name: Option<&Word>, said: Option<&Word>) -> bool {
    let is_of = |name: &str, one: &str| {
        name.strip_prefix(one).is_some_and(|end| matches!(end, "ed" | "d")) && !one.ends_with('s')
    };
    name.zip(said).is_some_and(|(n, s)| s.text.strip_suffix('s').is_some_and(|one| is_of(&n.text, one)))
}

/// The places where a name stands, wholly or in part.
fn named(question: &Question, column: usize, name: &[Word]) -> Vec<Span> {
    let words = &question.words;
    let mut found = Vec::new();
    let is_han = name.iter().all(Word::is_han);
    for from in 0..words.len() {
        let run = name.iter().zip(words.iter().skip(from)).take_while(|(a, b)| is_same(a, b)).count();
        if run == name.len() && run > 0 {
            let is_other = |a, b| is_thing_done(a, b) || is_of_doer(a, b);
            let meaning = match name.len() == 1 && is_other(name.first(), words.get(from)) {
                true => Meaning::About,
                false => Meaning::Column(column, Fit::Exact),
            };
            found.push(Span::new(from, from + run, meaning, 1.0));
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
                // The `Liter` of `Literpreis` is no short word for it.
                && !Lexicon::get().senses(std::slice::from_ref(w), 0).iter().any(|(_, s)| *s == Sense::Unit)
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
pub(in crate::grammar) fn has_head(name: &[Word], at: usize, run: usize) -> bool {
    const GENERIC: [&str; 16] = [
        "name",
        "id",
        "no",
        "nr",
        "number",
        "code",
        "num",
        "nummer",
        "bezeichnung",
        "by",
        "ref",
        "value",
        "on",
        "at",
        "am",
        "le",
    ];
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
    let times = calendar::times(question).into_iter();
    // The first quarter of `2024` is not all of it.
    let is_meant = |time: &calendar::Time| time.covers(of) && roles.within(*time).len() == 1;
    let times = times.filter(|(_, time)| is_meant(time));
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

/// What rows of joined tables are called: the column that names them, or only what is spoken of.
pub(super) fn joined(question: &Question, grid: &Grid) -> Vec<Span> {
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

//! How questions are put in English.

use super::ask::{Ask, Test};
use super::join::{By, Join};
use super::random::Random;
use super::text::{english_value, is_noun, is_plural};
use super::view::{Scale, View};
use tabletalk_core::Kind;

/// A question, and whether the name of its table may stand at its end.
pub(super) fn say(view: &View<'_>, ask: &Ask, random: &mut Random) -> (String, bool) {
    match *ask {
        Ask::Cell { key, row, col } => (cell(view, key, row, col, random), true),
        Ask::Count { test } => (count(view, test, random), false),
        Ask::Sum { col, test } => (sum(view, col, test, random), test.is_none()),
        Ask::Compare { rows, col, high, .. } => (compare(view, ask, rows, col, high, random), false),
        Ask::Gap { key, rows, col } => (gap(view, key, rows, col, random), false),
        Ask::Best { key, col, high, test } => (best(view, key, col, high, test, random), test.is_none()),
    }
}

/// What several rows are called.
fn noun<'a>(view: &'a View<'_>) -> &'a str {
    view.noun.as_deref().unwrap_or("entries")
}

fn value(view: &View<'_>, row: usize, col: usize) -> String {
    english_value(&view.said(row, col))
}

/// The name of a row; `the year 2012` where it is no name by itself.
fn label(view: &View<'_>, row: usize, key: usize) -> String {
    let value = value(view, row, key);
    match view.kind(key) {
        Kind::Text => value,
        _ => format!("the {} {value}", view.name(key)),
    }
}

/// Whether a column counts things, so that one can ask how many there are.
fn counts(view: &View<'_>, col: usize) -> bool {
    let is_amount =
        view.measure(col).is_some_and(|m| m.scale == Scale::Amount && m.affix == Default::default());
    let name = view.name(col);
    let plain = name.chars().all(|c| c.is_ascii_alphabetic() || c == ' ') && name.split(' ').count() <= 2;
    is_amount
        && view.kind(col) == Kind::Integer
        && plain
        && is_plural(name)
        && view.unsaid_unit(col).is_none()
}

fn unit(view: &View<'_>, col: usize) -> String {
    view.unsaid_unit(col).map_or_else(String::new, |unit| format!(" (in {unit})"))
}

fn cell(view: &View<'_>, key: usize, row: usize, col: usize, random: &mut Random) -> String {
    let (name, label) = (view.name(col), label(view, row, key));
    let is = if is_plural(name) { "are" } else { "is" };
    if counts(view, col) {
        return random.wording([
            format!("How many {name} does {label} have?"),
            format!("How many {name} are given for {label}?"),
            format!("What is the number of {name} of {label}?"),
        ]);
    }
    if !is_noun(name) {
        return random.wording([
            format!("What is given under \"{name}\" for {label}?"),
            format!("What does {label} have under \"{name}\"?"),
            format!("What stands under \"{name}\" for {label}?"),
        ]);
    }
    random.wording([
        format!("What {is} the {name} of {label}?"),
        format!("What {is} the {name} for {label}?"),
        format!("Which {name} {is} given for {label}?"),
    ])
}

/// A condition after a noun: `with Sweden as country`, `with points above 20`.
fn with(view: &View<'_>, test: Test, random: &mut Random) -> String {
    let (row, col) = test.cell();
    let (name, value) = (view.name(col), value(view, row, col));
    let bound = match (test, view.measure(col).map(|m| m.scale)) {
        (Test::Is { .. }, _) => {
            let is = if is_plural(name) { "are" } else { "is" };
            return random.wording([
                format!("whose {name} {is} {value}"),
                format!("with {value} as {name}"),
                format!("that have {value} as their {name}"),
            ]);
        }
        (Test::Above { .. }, Some(Scale::Amount)) if counts(view, col) => {
            return format!("with more than {value} {name}");
        }
        (Test::Below { .. }, Some(Scale::Amount)) if counts(view, col) => {
            return format!("with fewer than {value} {name}");
        }
        (Test::Above { .. }, Some(Scale::Amount)) => {
            random.wording(["above".into(), "greater than".into(), "over".into()])
        }
        (Test::Below { .. }, Some(Scale::Amount)) => {
            random.wording(["below".into(), "less than".into(), "under".into()])
        }
        (Test::Above { .. }, _) => "after".to_owned(),
        (Test::Below { .. }, _) => "before".to_owned(),
    };
    let is = if is_plural(name) { "are" } else { "is" };
    random.wording([format!("whose {name} {is} {bound} {value}"), format!("with {name} {bound} {value}")])
}

fn count(view: &View<'_>, test: Test, random: &mut Random) -> String {
    let noun = noun(view);
    let (row, col) = test.cell();
    let (name, value) = (view.name(col), value(view, row, col));
    let with = with(view, test, random);
    if matches!(test, Test::Is { .. }) && random.once_in(3) {
        return format!("How many {noun} have {value} as their {name}?");
    }
    random.wording([
        format!("How many {noun} are there {with}?"),
        format!("What is the number of {noun} {with}?"),
        format!("Count the {noun} {with}: how many are there?"),
    ])
}

fn sum(view: &View<'_>, col: usize, test: Option<Test>, random: &mut Random) -> String {
    let (name, unit) = (view.name(col), unit(view, col));
    let noun = match test {
        Some(test) => format!("the {} {}", noun(view), with(view, test, random)),
        None => format!("all {}", noun(view)),
    };
    let does = if is_plural(name) { "do" } else { "does" };
    if counts(view, col) && random.once_in(2) {
        return format!("How many {name} do {noun} have in total?");
    }
    random.wording([
        format!("What is the total {name}{unit} of {noun}?"),
        format!("What is the sum of the {name}{unit} of {noun}?"),
        format!("What {does} the {name}{unit} of {noun} add up to?"),
    ])
}

/// The words for more and for most of a measure, before its name.
fn degree(view: &View<'_>, col: usize, high: bool) -> (&'static str, &'static str) {
    let scale = view.measure(col).map(|m| m.scale);
    match (scale, high) {
        (Some(Scale::Year | Scale::Day), true) => ("the later", "the latest"),
        (Some(Scale::Year | Scale::Day), false) => ("the earlier", "the earliest"),
        (_, true) if counts(view, col) => ("more", "the most"),
        (_, false) if counts(view, col) => ("fewer", "the fewest"),
        (_, true) => ("the higher", "the highest"),
        (_, false) => ("the lower", "the lowest"),
    }
}

fn compare(
    view: &View<'_>,
    ask: &Ask,
    rows: [usize; 2],
    col: usize,
    high: bool,
    random: &mut Random,
) -> String {
    let Ask::Compare { key, .. } = *ask else { return String::new() };
    let [a, b] = rows.map(|row| value(view, row, key));
    let (more, name, key) = (degree(view, col, high).0, view.name(col), view.name(key));
    random.wording([
        format!("Which has {more} {name}, {a} or {b}?"),
        format!("Which {key} has {more} {name}: {a} or {b}?"),
        format!("Between {a} and {b}, which has {more} {name}?"),
    ])
}

fn gap(view: &View<'_>, key: usize, rows: [usize; 2], col: usize, random: &mut Random) -> String {
    let [a, b] = rows.map(|row| label(view, row, key));
    let (name, unit) = (view.name(col), unit(view, col));
    if counts(view, col) {
        return random.wording([
            format!("How many more {name} does {a} have than {b}?"),
            format!("By how many {name} is {a} ahead of {b}?"),
            format!("What is the difference in {name} between {a} and {b}?"),
        ]);
    }
    let (is, does, that) = if is_plural(name) { ("are", "do", "those") } else { ("is", "does", "that") };
    random.wording([
        format!("How much higher {is} the {name}{unit} of {a} than {that} of {b}?"),
        format!("By how much {does} the {name}{unit} of {a} exceed {that} of {b}?"),
        format!("What is the difference in {name}{unit} between {a} and {b}?"),
    ])
}

fn best(
    view: &View<'_>,
    key: usize,
    col: usize,
    high: bool,
    test: Option<Test>,
    random: &mut Random,
) -> String {
    let (most, name, key) = (degree(view, col, high).1, view.name(col), view.name(key));
    let (has, is) = if is_plural(key) { ("have", "are") } else { ("has", "is") };
    match test {
        Some(test) => {
            let among = format!("{} {}", noun(view), with(view, test, random));
            random.wording([
                format!("Among the {among}, which {key} {has} {most} {name}?"),
                format!("Of the {among}, which one has {most} {name}?"),
                format!("Which {key} {has} {most} {name} among the {among}?"),
            ])
        }
        None => random.wording([
            format!("Which {key} {has} {most} {name}?"),
            format!("Which {is} the {key} with {most} {name}?"),
            format!("What {key} {is} listed with {most} {name}?"),
        ]),
    }
}

/// A question over two tables.
pub(super) fn join(join: &Join<'_, '_>, random: &mut Random) -> String {
    let (from, wanted) = (join.from, join.to.name(join.wanted));
    let thing = from.name(join.foreign);
    let is = if is_plural(wanted) { "are" } else { "is" };
    match join.by {
        By::Key { row, col } => {
            let label = label(from, row, col);
            random.wording([
                format!("What {is} the {wanted} of the {thing} of {label}?"),
                format!("What {is} the {wanted} for the {thing} that is given for {label}?"),
                format!("For the {thing} of {label}, what {is} the {wanted}?"),
            ])
        }
        By::Value { row, col } => {
            let (name, value) = (from.name(col), value(from, row, col));
            random.wording([
                format!("What {is} the {wanted} of the {thing} with {value} as {name}?"),
                format!("What {is} the {wanted} of the {thing} whose {name} is {value}?"),
                format!("For the {thing} that has {value} as its {name}, what {is} the {wanted}?"),
            ])
        }
        By::Best { col, high, .. } => {
            let (most, name) = (degree(from, col, high).1, from.name(col));
            random.wording([
                format!("What {is} the {wanted} of the {thing} with {most} {name}?"),
                format!("What {is} the {wanted} of the {thing} that has {most} {name}?"),
                format!("For the {thing} with {most} {name}, what {is} the {wanted}?"),
            ])
        }
    }
}

/// A table as it is named in a sentence: a heading as it is, a name or a single word in quotes.
fn table(title: &str) -> String {
    let heading = title.contains(|c: char| c.is_ascii_digit()) && !title.contains(['"', '?', '!']);
    let of = title.starts_with("List of ") || title.contains('.');
    match (heading || of || title.contains('"'), title.to_lowercase().contains("table")) {
        (true, _) => title.to_owned(),
        (false, true) => format!("\"{title}\""),
        (false, false) => format!("the table \"{title}\""),
    }
}

/// A question with the names of its tables.
pub(super) fn place(question: &str, titles: &[String], at_end: bool, random: &mut Random) -> String {
    let tables: Vec<String> = titles.iter().map(|title| table(title)).collect();
    let tables = tables.join(" and ");
    let mut letters = question.chars();
    let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    let rest = format!("{first}{}", letters.as_str());
    if at_end && random.once_in(2) {
        return format!("{} in {tables}?", question.trim_end_matches('?'));
    }
    random.wording([
        format!("{} {tables}, {rest}", if titles.len() > 1 { "Using" } else { "In" }),
        format!("According to {tables}, {rest}"),
        format!("Going by {tables}, {rest}"),
    ])
}

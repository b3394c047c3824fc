//! Times of the question that an answer leaves out or takes for others.

use crate::analyse::{Amount, Mention, Question};
use crate::candidate::Found;
use crate::grammar;
use crate::grid::Measure;
use crate::mask::{Mask, first, last};
use crate::program::{Ask, Condition, Pick, Program, Test};
use crate::word::Word;

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    takes_years(program, found)
        || takes_last(program, found)
        || takes_end(program, found)
        || leaves_hours(program, found)
        || reckons_times(&program.ask, found)
}

/// Whether times that are written with colons are reckoned with in a way whose result is no time.
fn reckons_times(ask: &Ask, found: &Found<'_>) -> bool {
    let is_clock = |c: &usize| found.grid.columns.get(*c).is_some_and(|f| f.measure == Measure::Clock);
    match ask {
        Ask::Apart(_, a, b)
        | Ask::ColumnDifference(a, b)
        | Ask::Ratio(a, b)
        | Ask::Growth(a, b)
        | Ask::Per(a, b) => is_clock(a) || is_clock(b),
        Ask::RowGrowth(c, _) | Ask::Times(c, _) => is_clock(c),
        Ask::Across(_, columns) | Ask::EachColumn(_, columns) => columns.iter().any(is_clock),
        Ask::Compares(ask, _) => ask.columns().iter().any(is_clock),
        Ask::By(by) => !by.bare && by.ask.columns().iter().any(is_clock),
        _ => false,
    }
}

/// Whether a month, a day or a weekday of the question is among the words that a program does not rest on.
fn leaves_times(covered: Mask, question: &Question) -> bool {
    let is_sure = |mask: Mask| {
        let word = first(mask).and_then(|i| question.words.get(i));
        // Short ones are words of their own: `may`, `sat`, the German `so`.
        word.is_some_and(|w| w.text.len() > 3)
    };
    grammar::calendar(question).into_iter().any(|mask| mask & covered == 0 && is_sure(mask))
}

/// Whether a point in time or an hour of the question is held against what is no time: `before 8 am` is no terminal below 8.
fn leaves_hours(program: &Program, found: &Found<'_>) -> bool {
    const HOURS: [&str; 8] = ["am", "pm", "clock", "uhr", "h", "heures", "点", "noon"];
    let question = &found.question;
    let says = |m: &Mention| {
        let next = last(m.mask).map(|i| i + 1);
        HOURS.contains(&question.text(next)) || next.is_some_and(|i| question.text(Some(i)) == "o")
    };
    let is_hour = |n: f64| (0.0..=24.0).contains(&n);
    let mut hours = question.mentions.iter().filter(|m| says(m));
    let is_said = hours.any(|m| matches!(m.what, Amount::Number(n) if is_hour(n)));
    let of_time = |f: &crate::grid::Field| matches!(f.measure, Measure::Day | Measure::Clock);
    let is_time = |column: usize| found.grid.columns.get(column).is_some_and(of_time);
    let compares = |test: &Test| {
        matches!(test, Test::Less(_) | Test::AtMost(_) | Test::More(_) | Test::AtLeast(_) | Test::Between(..))
    };
    is_said && program.rows.conditions.iter().any(|c| compares(&c.test) && !is_time(c.column))
}

/// Whether a year of the question was taken for a number of another kind: revenue in 2021 is not that of customer 2021.
fn takes_years(program: &Program, found: &Found<'_>) -> bool {
    const TIMES: [&str; 14] = [
        "in", "im", "en", "during", "since", "until", "before", "after", "for", "from", "seit", "vor",
        "nach", "depuis",
    ];
    let question = &found.question;
    let years: Vec<i32> = question
        .mentions
        .iter()
        .filter(|m| {
            let before = first(m.mask).and_then(|i| i.checked_sub(1));
            before.is_some() && TIMES.contains(&question.text(before))
        })
        .filter_map(|m| m.what.year().filter(|y| (1900..=2100).contains(y)))
        .collect();
    let is_year = |c: &Condition| match &c.test {
        Test::Is(values) => values.iter().any(|v| v.text.parse().is_ok_and(|n: i32| years.contains(&n))),
        Test::Less(n) | Test::AtMost(n) | Test::More(n) | Test::AtLeast(n) => years.contains(&(*n as i32)),
        _ => false,
    };
    let is_id = |c: usize| {
        let named = found.names.get(c).is_some_and(|n| n.share > 0.9);
        found.grid.roles().is_id(found.grid, c) && !named
    };
    program.rows.conditions.iter().any(|c| is_year(c) && is_id(c.column))
}

/// Whether it is asked when something was, and the answer is when it ends: bought is not `MOT expires`.
fn takes_end(program: &Program, found: &Found<'_>) -> bool {
    const ENDS: [&str; 18] = [
        "expires",
        "expiry",
        "expire",
        "due",
        "end",
        "ends",
        "until",
        "valid",
        "deadline",
        "next",
        "bis",
        "fallig",
        "ablauf",
        "ende",
        "echeance",
        "expiration",
        "fin",
        "到",
    ];
    let question = &found.question;
    let Ask::Cells(column) = program.ask else { return false };
    let is_end = |w: &Word| ENDS.contains(&w.text.as_str());
    let asks = matches!(question.text(Some(0)), "when" | "wann" | "quand");
    let words = || found.grid.columns.get(column).into_iter().flat_map(|f| &f.words);
    let named = found.names.get(column).is_some_and(|n| n.share > 0.3);
    // What came back is not what is due back, though both are called back.
    let is_planned = |w: &Word| PLANNED.contains(&w.text.as_str());
    let is_said = |w: &Word| is_planned(w) || SHOULD.contains(&w.text.as_str());
    let takes_plan = words().any(is_planned) && !question.words.iter().any(is_said);
    asks && (words().any(is_end) && !named && !question.words.iter().any(is_end) || takes_plan)
}

/// Words for what is to be, in names of columns.
const PLANNED: [&str; 12] = [
    "due",
    "expected",
    "planned",
    "scheduled",
    "estimated",
    "target",
    "fallig",
    "geplant",
    "soll",
    "prevu",
    "prevue",
    "planmaßig",
];
/// Words that ask for it.
const SHOULD: [&str; 12] = [
    "should",
    "supposed",
    "must",
    "deadline",
    "latest",
    "plan",
    "sollte",
    "muss",
    "doit",
    "devait",
    "deadlines",
    "by",
];

/// Whether the latest is taken of what a column calls the last of each: `last edited in 2022`, with a column `last edit`.
fn takes_last(program: &Program, found: &Found<'_>) -> bool {
    const LAST: [&str; 8] = ["last", "latest", "letzte", "letzter", "letztes", "dernier", "derniere", "最"];
    let Some(Pick::Extreme { column, .. }) = program.rows.pick else { return false };
    let is_last = |w: &Word| LAST.contains(&w.text.as_str());
    let named = found.grid.columns.get(column).is_some_and(|f| f.words.iter().any(is_last));
    named && program.rows.conditions.iter().any(|c| c.column == column)
}

/// Whether a number of the question is among the words that a program does not rest on, and it does not count so many.
fn leaves_numbers(program: &Program, covered: Mask, question: &Question) -> bool {
    let counts = |n: f64| match (&program.rows.pick, &program.ask) {
        (Some(Pick::Extreme { count, skip, .. } | Pick::End { count, skip, .. }), _) => {
            *count as f64 == n || *skip as f64 + 1.0 == n
        }
        (_, Ask::By(by)) => by.limit.is_some_and(|limit| limit as f64 == n),
        // Several columns are named by how many there are: `over the three years`.
        (_, Ask::Across(_, columns)) => columns.len() as f64 == n,
        _ => false,
    };
    let is_left = |m: &Mention| {
        let is_counted = matches!(m.what, Amount::Number(n) if counts(n));
        let word = first(m.mask).and_then(|i| question.words.get(i));
        let is_written = word.is_some_and(|w| w.text.starts_with(|c: char| c.is_ascii_digit()));
        m.mask & covered == 0 && !is_counted && is_written
    };
    question.mentions.iter().any(is_left)
}

/// Whether a number or a time of the question is in no condition, no name and no count of the program: `rent in March 2019` over
/// a table without years.
pub(super) fn leaves_amounts(program: &Program, covered: Mask, question: &Question) -> bool {
    leaves_numbers(program, covered, question) || leaves_times(covered, question)
}

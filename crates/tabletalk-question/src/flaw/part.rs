//! What the question says of an answer's form and the program leaves out: a part in a hundred, an average, groups, a rank, a choice.

use super::is_apart;
use super::thing::given;
use crate::analyse::{Amount, Mention, Question};
use crate::candidate::{Candidate, Found};
use crate::cue::Cue;
use crate::grammar;
use crate::mask::{Mask, last};
use crate::program::{Ask, Condition, Fold, Pick, Program, Test};
use crate::word::{self, Word};

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let question = &found.question;
    leaves_average(program, found)
        || leaves_percent(program, found)
        || leaves_extreme_average(program, found)
        || leaves_or_more(program, question)
        || leaves_bound(program, question)
        || takes_average_for_value(program, found)
        || leaves_only(program, found)
}

/// Whether a number is said to be a bound, and a program of yes or no looks for the number itself: `at least 10 drills` is no minimum
/// of 10.
fn leaves_bound(program: &Program, question: &Question) -> bool {
    let says = |m: &Mention| matches!(m.what, Amount::Number(_)) && grammar::is_bound(question, m.mask);
    let is_bound = |c: &Condition| !matches!(c.test, Test::Is(_) | Test::Not(_) | Test::Empty | Test::Filled);
    matches!(program.ask, Ask::Exists)
        && question.mentions.iter().any(says)
        && !program.rows.conditions.iter().any(is_bound)
}

/// Whether an average is taken for a value of that name: `coût moyen`, with a difficulty `moyenne`.
fn takes_average_for_value(program: &Program, found: &Found<'_>) -> bool {
    let question = &found.question;
    let is_average =
        |text: &str| matches!(text, "moyen" | "moyenne" | "moyens" | "moyennes" | "mittlere" | "mittel");
    let measured = |at: usize| {
        let is_number = |c: usize| found.grid.columns.get(c).is_some_and(|f| f.is_number());
        found.names.iter().enumerate().any(|(c, n)| is_number(c) && n.mask >> at & 1 == 1)
    };
    let asks = (1..question.words.len()).any(|at| is_average(question.text(Some(at))) && measured(at - 1));
    let is_value = |c: &Condition| match &c.test {
        Test::Is(values) | Test::Not(values) => values.iter().any(|v| is_average(&word::key(&v.text))),
        _ => false,
    };
    asks && program.rows.conditions.iter().any(is_value)
}

/// Whether a French statement says that there is nothing else, and the program looks whether there is one.
fn leaves_only(program: &Program, found: &Found<'_>) -> bool {
    const NOT: [&str; 6] = ["pas", "plus", "jamais", "aucun", "aucune", "rien"];
    let words = &found.question.words;
    let ne = words.iter().position(|w| matches!(w.text.as_str(), "n" | "ne"));
    let only = ne.is_some_and(|ne| {
        words.iter().skip(ne).any(|w| matches!(w.text.as_str(), "que" | "qu"))
            && !words.iter().any(|w| NOT.contains(&w.text.as_str()))
    });
    only && found.is_claim && matches!(program.ask, Ask::Exists | Ask::Every | Ask::Denies(_))
}

/// Whether it is asked how much in a hundred, and the program gives no such number.
fn leaves_percent(program: &Program, found: &Found<'_>) -> bool {
    const PERCENT: [&str; 8] =
        ["percent", "percentage", "pct", "prozent", "prozentual", "prozentsatz", "pourcent", "pourcentage"];
    let (question, grid) = (&found.question, found.grid);
    let named = found.names.iter().filter(|n| n.share > 0.5).fold(0, |all, n| all | n.mask);
    let is_number = |i: usize| question.words.get(i).is_some_and(|w| w.number().is_some());
    // `more than 20 percent` is a number that is said.
    let asks = |i: usize| {
        let han = ["百", "分", "之"].iter().enumerate().all(|(k, sign)| question.text(Some(i + k)) == *sign)
            && !is_number(i + 3)
            && !is_han_digit(question.text(Some(i + 3)));
        let said = PERCENT.contains(&question.text(Some(i))) && !i.checked_sub(1).is_some_and(is_number);
        (said || han) && named >> i & 1 == 0
    };
    let holds = |column: usize| {
        grid.columns.get(column).is_some_and(|f| f.is_percent() || f.words.iter().any(|w| is_rate(&w.text)))
    };
    let by_rate = matches!(program.rows.pick, Some(Pick::Extreme { column, .. }) if holds(column));
    (0..question.words.len()).any(asks) && !by_rate && !gives_percent(&program.ask, &holds)
}

fn is_han_digit(text: &str) -> bool {
    "一二三四五六七八九十".contains(text) && !text.is_empty()
}

fn is_rate(text: &str) -> bool {
    const RATES: [&str; 14] = [
        "percent",
        "percentage",
        "pct",
        "rate",
        "share",
        "ratio",
        "prozent",
        "quote",
        "anteil",
        "taux",
        "part",
        "率",
        "margin",
        "growth",
    ];
    RATES.contains(&text)
}

fn gives_percent(ask: &Ask, holds: &impl Fn(usize) -> bool) -> bool {
    match ask {
        Ask::Share(_) | Ask::ShareOf(..) | Ask::Ratio(..) | Ask::Growth(..) | Ask::RowGrowth(..) => true,
        Ask::By(by) => gives_percent(&by.ask, holds),
        Ask::Compares(ask, _) | Ask::Holds(ask, _) | Ask::Denies(ask) => gives_percent(ask, holds),
        Ask::Exists | Ask::Every | Ask::Outnumbers(..) => true,
        ask => ask.columns().into_iter().any(holds),
    }
}

/// Whether an average is asked for, by a word that is no part of a column's name, and the program adds up or looks up several.
fn leaves_average(program: &Program, found: &Found<'_>) -> bool {
    let named = found.names.iter().filter(|n| n.share > 0.5).fold(0, |all, n| all | n.mask);
    let asks = found.question.cue(Cue::Average) & !named != 0;
    let is_sum = |ask: &Ask| matches!(ask, Ask::Fold(Fold::Sum, _) | Ask::Across(Fold::Sum, _) | Ask::Count);
    asks && match &program.ask {
        Ask::By(by) => is_sum(&by.ask) && by.order.is_none(),
        ask => is_sum(ask),
    }
}

/// Whether the smallest or largest average is asked for, and the program takes single values.
fn leaves_extreme_average(program: &Program, found: &Found<'_>) -> bool {
    const AVERAGE: [&str; 8] =
        ["average", "avg", "mean", "durchschnitt", "schnitt", "moyenne", "moyen", "均"];
    let question = &found.question;
    let is_asked = question.has(&[Cue::Average]) && question.has(&[Cue::Most, Cue::Least]);
    let column = match (&program.ask, &program.rows.pick) {
        (Ask::Fold(Fold::Least | Fold::Most, column), _) => *column,
        (Ask::Cells(_), Some(Pick::Extreme { column, .. })) => *column,
        _ => return false,
    };
    let is_average = |w: &Word| AVERAGE.contains(&w.text.as_str());
    let named = found.grid.columns.get(column).is_some_and(|f| f.words.iter().any(is_average));
    is_asked && !named
}

/// Whether the question asks by something, and the program neither makes groups nor knows what is asked by: `average points by
/// class` over a table without classes.
pub(super) fn leaves_groups(program: &Program, question: &Question, covered: Mask) -> bool {
    let wide =
        matches!(program.ask, Ask::By(_) | Ask::Group { .. } | Ask::BestColumn { .. } | Ask::EachColumn(..));
    let Some(by) = last(question.cue(Cue::By)).filter(|_| !wide) else { return false };
    let next = (by + 1..question.words.len()).find(|i| question.content >> i & 1 == 1);
    let asks = |w: &str| matches!(w, "how" | "wie" | "combien" | "far");
    let is_plain = !(by + 1..question.words.len()).take(2).any(|i| asks(question.text(Some(i))));
    next.is_some_and(|i| is_plain && i <= by + 2 && covered >> i & 1 == 0)
}

/// Whether an average is asked for each of the rows, which makes no groups: `average charge per invoice`.
pub(super) fn is_per_row(program: &Program, question: &Question) -> bool {
    let by = last(question.cue(Cue::By));
    let calls = |by: usize| (by..by + 3).any(|at| grammar::calls_rows(question, at));
    matches!(program.ask, Ask::Fold(Fold::Average, _)) && by.is_some_and(calls)
}

/// Whether the question asks for the second or third, and the program does not.
pub(super) fn leaves_rank(program: &Program, question: &Question) -> bool {
    let asks = question.words.iter().any(|w| {
        word::is_ordinal(&w.text) && w.text != "first" && !w.text.starts_with(|c: char| c.is_ascii_digit())
    });
    let ranks =
        matches!(program.rows.pick, Some(Pick::Extreme { skip, .. } | Pick::End { skip, .. }) if skip > 0);
    let is_best = matches!(program.rows.pick, Some(Pick::Extreme { .. }))
        || matches!(program.ask, Ask::Group { .. } | Ask::BestColumn { .. } | Ask::By(_));
    asks && is_best && !ranks
}

/// Whether the question lets choose between values of a column, and the answer is of another column.
pub(super) fn leaves_alternatives(candidate: &Candidate, found: &Found<'_>) -> bool {
    let scope = found.scopes.get(candidate.scope);
    let links = scope.iter().flat_map(|s| &s.links).filter_map(|l| found.links.get(*l));
    let alternatives = found.question.alternatives;
    if alternatives == 0 {
        return false;
    }
    let mut chosen = links.filter(|l| l.mask & alternatives != 0 && l.mask & !alternatives == 0);
    let given = given(&candidate.program);
    let misses = |column: usize| !given.is_empty() && !given.contains(&column);
    let is_choice = |test: &Test| matches!(test, Test::Is(values) if values.len() > 1);
    is_apart(&candidate.program.ask)
        || chosen.any(|l| is_choice(&l.condition.test) && misses(l.condition.column))
}

/// Whether `3 rooms or more` is taken for three rooms.
fn leaves_or_more(program: &Program, question: &Question) -> bool {
    const OR: [&str; 3] = ["or", "oder", "ou"];
    const MORE: [&str; 14] = [
        "more", "less", "better", "fewer", "higher", "above", "below", "over", "under", "mehr", "weniger",
        "besser", "plus", "moins",
    ];
    let is_or_more =
        |i: usize| OR.contains(&question.text(Some(i))) && MORE.contains(&question.text(Some(i + 1)));
    let is_bound =
        |c: &Condition| matches!(c.test, Test::AtLeast(_) | Test::AtMost(_) | Test::More(_) | Test::Less(_));
    let is_number = |c: &Condition| {
        let is = |v: &crate::program::Value| v.text.chars().any(|c| c.is_ascii_digit());
        matches!(&c.test, Test::Is(values) if values.iter().any(is))
    };
    let conditions = &program.rows.conditions;
    (0..question.words.len()).any(is_or_more)
        && conditions.iter().any(is_number)
        && !conditions.iter().any(is_bound)
}

//! Rows that are counted and must not be: in place of pieces, of money, of what a column says how many there are.

use super::code::asks_ids;
use crate::analyse::{Amount, Mention, Question};
use crate::candidate::Found;
use crate::cue::Cue;
use crate::grammar;
use crate::grid::Grid;
use crate::mask::{first, last};
use crate::program::{Ask, Condition, Fold, Program, Test};
use crate::word::{self, Word};

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    counts_money(program, question, grid)
        || adds_times(program, question, grid)
        || counts_units(program, question)
        || counts_pieces(program, question, grid)
        || counts_parts(&program.ask)
        || counts_amounts(&program.ask, found)
        || counts_keys(&program.ask, found)
        || counts_unasked(&program.ask, found)
        || counts_times(program, question)
        || counts_kinds(&program.ask, question, grid)
        || counts_named(program, found)
        || outnumbers_money(&program.ask, question)
}

/// Whether rows are counted, all or in groups.
fn counts_rows(ask: &Ask) -> bool {
    match ask {
        Ask::By(by) => matches!(*by.ask, Ask::Count),
        ask => matches!(ask, Ask::Count),
    }
}

/// The word after `how many`.
fn how_many(question: &Question) -> Option<usize> {
    let asks = |w: &[Word]| {
        let pair: Vec<&str> = w.iter().map(|w| w.text.as_str()).collect();
        matches!(pair.as_slice(), ["how", "many"] | ["wie", "viele" | "vielen"] | ["combien", "de" | "d"])
    };
    question.words.windows(2).position(asks).map(|at| at + 2)
}

/// Whether rows are counted where a column says how many: the points of somebody are not how often he is there.
fn counts_named(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    let Some(at) = how_many(question) else { return false };
    let is_named = |(column, n): (usize, &crate::link::Named)| {
        let is_size = grid.columns.get(column).is_some_and(|f| f.is_number() && !f.is_key() && !f.is_year());
        is_size && n.share >= 0.99 && first(n.mask) == Some(at) && !grid.roles().is_code(grid, column)
    };
    counts_rows(&program.ask) && found.names.iter().enumerate().any(is_named)
}

/// Whether rows are counted where units that were sold are asked for: a row of a product is no unit.
fn counts_units(program: &Program, question: &Question) -> bool {
    const UNITS: [&str; 5] = ["units", "pieces", "stuck", "unites", "件"];
    const MOVED: [&str; 10] = [
        "sold",
        "ordered",
        "bought",
        "shipped",
        "delivered",
        "verkauft",
        "bestellt",
        "geliefert",
        "vendues",
        "卖",
    ];
    let has = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    counts_rows(&program.ask) && has(&UNITS) && has(&MOVED)
}

/// Whether rows are counted where pieces were asked for: `how many kettles` over orders that have a quantity.
fn counts_pieces(program: &Program, question: &Question, grid: &Grid) -> bool {
    if !matches!(program.ask, Ask::Count) {
        return false;
    }
    let asked = how_many(question).into_iter().flat_map(|at| question.words.iter().skip(at).take(2));
    let asked: Vec<&Word> = asked.collect();
    let is_asked = |text: &str| {
        let words = word::words(text);
        words.iter().any(|w| asked.iter().any(|a| grammar::is_same(w, a)))
    };
    let names = |c: &Condition| match &c.test {
        Test::Is(values) => values.iter().any(|v| is_asked(&v.text)),
        Test::Has(text) => is_asked(text),
        _ => false,
    };
    // A column `order number` tells rows apart, and says nothing of how many.
    let numbers =
        |f: &crate::grid::Field| f.is_key() && f.words.iter().any(|w| asks_ids(std::slice::from_ref(w)));
    let is_quantity = |f: &crate::grid::Field| f.is_number() && grammar::is_quantity(&f.words) && !numbers(f);
    let has_quantity = grid.columns.iter().any(is_quantity);
    has_quantity && program.rows.conditions.iter().any(names)
}

/// Whether it is asked how many there are, and the answer is an amount of money that nobody spoke of.
fn counts_money(program: &Program, question: &Question, grid: &Grid) -> bool {
    const MONEY: [&str; 12] = [
        "euro", "euros", "eur", "dollar", "dollars", "usd", "pound", "pounds", "franc", "francs", "money",
        "geld",
    ];
    let texts: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
    let asks = texts
        .windows(2)
        .any(|w| matches!(w, ["how", "many"] | ["wie", "viele" | "vielen"] | ["combien", "de" | "d"]));
    let column = match &program.ask {
        Ask::Cells(column) | Ask::Fold(Fold::Sum | Fold::Average | Fold::Most | Fold::Least, column) => {
            Some(*column)
        }
        _ => None,
    };
    let is_price = |f: &crate::grid::Field| {
        let said = f.words.iter().any(|w| question.words.iter().any(|q| q.stem == w.stem));
        grammar::is_price(&f.words) && !said
    };
    let is_money = column.and_then(|c| grid.columns.get(c)).is_some_and(is_price);
    asks && is_money && !texts.iter().any(|w| MONEY.contains(w))
}

/// Whether rows are said to be so many and a part.
fn counts_parts(ask: &Ask) -> bool {
    let Ask::Holds(count, value) = ask else { return false };
    let number = value.plain.as_deref().unwrap_or(&value.text).parse::<f64>();
    matches!(**count, Ask::Count | Ask::Distinct(_)) && number.is_ok_and(|n| n.fract() != 0.0)
}

/// Words for amounts of money or time.
pub(super) const AMOUNTS: [&str; 52] = [
    "invoiced",
    "billed",
    "charged",
    "raised",
    "donations",
    "donated",
    "spenden",
    "gespendet",
    "dons",
    "profit",
    "margin",
    "gewinn",
    "benefice",
    "利",
    "revenue",
    "turnover",
    "sales",
    "takings",
    "income",
    "earnings",
    "spend",
    "spent",
    "spending",
    "expenses",
    "expenditure",
    "costs",
    "cost",
    "fees",
    "fee",
    "salary",
    "salaries",
    "wages",
    "rent",
    "hours",
    "umsatz",
    "umsatze",
    "einnahmen",
    "ausgaben",
    "kosten",
    "gebuhren",
    "stunden",
    "gehalt",
    "recettes",
    "depenses",
    "heures",
    "ventes",
    "ca",
    "frais",
    "loyer",
    "paid",
    "额",
    "费",
];

/// Whether rows are counted where an amount is asked for by the word for it: `fees by month` are no numbers of fees.
fn counts_amounts(ask: &Ask, found: &Found<'_>) -> bool {
    const COUNTED: [&str; 16] = [
        "many", "number", "count", "often", "times", "anzahl", "viele", "zahl", "oft", "nombre", "combien",
        "fois", "几", "数", "次", "share",
    ];
    let question = &found.question;
    let has = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    let counts = match ask {
        Ask::Count => true,
        Ask::By(by) => matches!(*by.ask, Ask::Count),
        _ => false,
    };
    let money = || {
        let roles = found.grid.roles();
        (0..found.grid.columns.len()).any(|c| {
            roles.measures.contains(&c) && (roles.is_money(found.grid, c) || is_hours(found.grid, c))
        })
    };
    let by_first = question.cue(Cue::By) != 0;
    counts && by_first && has(&AMOUNTS) && !has(&COUNTED) && money()
}

/// Whether rows are counted though nobody asked how many there are: `open orders over 150 euros` wants to see them.
fn counts_unasked(ask: &Ask, found: &Found<'_>) -> bool {
    let question = &found.question;
    let is_said = question.has(&[Cue::Count, Cue::Share, Cue::Times, Cue::Differ, Cue::Most, Cue::Least])
        || question
            .words
            .iter()
            .any(|w| matches!(w.text.as_str(), "how" | "many" | "count" | "any" | "size"));
    let is_follow_up = found.earlier.is_some();
    matches!(ask, Ask::Count) && !is_said && !found.is_claim && !is_follow_up
}

fn is_hours(grid: &Grid, column: usize) -> bool {
    const HOURS: [&str; 6] = ["hours", "hour", "stunden", "heures", "小", "时"];
    grid.columns.get(column).is_some_and(|f| f.words.iter().any(|w| HOURS.contains(&w.text.as_str())))
}

/// Whether the values of a column are counted that the question groups by: `tickets by queue and priority`.
fn counts_keys(ask: &Ask, found: &Found<'_>) -> bool {
    let Ask::By(by) = ask else { return false };
    let Ask::Distinct(column) = *by.ask else { return false };
    let at = last(found.question.cue(Cue::By));
    let named = found.names.get(column).and_then(|n| first(n.mask));
    at.zip(named).is_some_and(|(at, named)| named > at)
}

/// Whether kinds are counted where it is asked how often.
fn counts_kinds(ask: &Ask, question: &Question, grid: &Grid) -> bool {
    // Seven days of sales are on three weekdays.
    let is_weekday = |column: usize| grid.columns.get(column).is_some_and(grammar::has_weekdays);
    let weekdays =
        question.words.iter().any(|w| w.text.starts_with("weekday") || w.text.starts_with("wochentag"));
    if matches!(ask, Ask::Distinct(column) if is_weekday(*column)) && !weekdays {
        return true;
    }
    let often = question.text(Some(0)) == "how" && question.text(Some(1)) == "often";
    let oft = question.text(Some(0)) == "wie" && question.text(Some(1)) == "oft";
    matches!(ask, Ask::Distinct(_)) && (often || oft)
}

/// Whether `18 times` is taken for 18 of something that is measured.
fn counts_times(program: &Program, question: &Question) -> bool {
    const TIMES: [&str; 6] = ["times", "mal", "fois", "次", "occasions", "x"];
    let is_times = |m: &&Mention| TIMES.contains(&question.text(last(m.mask).map(|i| i + 1)));
    let counted: Vec<f64> = question
        .mentions
        .iter()
        .filter(is_times)
        .filter_map(|m| if let Amount::Number(n) = m.what { Some(n) } else { None })
        .collect();
    let is_bound = |c: &Condition| match c.test {
        Test::More(n) | Test::Less(n) | Test::AtLeast(n) | Test::AtMost(n) => counted.contains(&n),
        _ => false,
    };
    program.rows.conditions.iter().any(is_bound)
}

/// Whether it is asked how often, and the program does not count.
fn adds_times(program: &Program, question: &Question, grid: &Grid) -> bool {
    let texts: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
    let asks = texts
        .windows(2)
        .any(|w| matches!(w, ["how", "often"] | ["many", "times"] | ["wie", "oft"] | ["de", "fois"]));
    let adds = match &program.ask {
        Ask::Fold(Fold::Sum | Fold::Average, _) | Ask::Across(..) => true,
        Ask::By(by) => matches!(*by.ask, Ask::Fold(Fold::Sum | Fold::Average, _)),
        _ => false,
    };
    let persons = texts
        .windows(2)
        .any(|w| matches!(w, ["几", "人" | "位" | "名"]) || matches!(w, ["少", "人" | "位" | "名"]));
    let of_persons = |column: &usize| grid.columns.get(*column).is_some_and(|f| f.name.contains('人'));
    let adds_persons = matches!(&program.ask, Ask::Fold(Fold::Sum, column) if !of_persons(column));
    asks && adds || persons && adds_persons
}

/// Whether money is spoken of, and rows are held against rows.
fn outnumbers_money(ask: &Ask, question: &Question) -> bool {
    const SPENT: [&str; 10] =
        ["spend", "spent", "spends", "earn", "earned", "earns", "ausgegeben", "verdient", "depense", "花"];
    let says = question.words.iter().any(|w| SPENT.contains(&w.text.as_str()));
    says && matches!(ask, Ask::Outnumbers(..) | Ask::CountDifference(_))
}

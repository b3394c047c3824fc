//! What words of the question ask of the form of an answer: `percent` asks for a part, `longest` for no numbering, `on a Monday`
//! for days.

use super::asks_ids;
use crate::analyse::{Amount, Mask, Mention, Question, first, last, span};
use crate::candidate::Found;
use crate::cue::Cue;
use crate::grammar;
use crate::grid::{Field, Grid, Measure};
use crate::program::{Ask, Condition, Fold, Pick, Program, Test};
use crate::word::{self, Word};

/// Whether a program has another form than the question asks for.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    leaves_hours(program, found)
        || leaves_percent(program, found)
        || shares_unnamed(&program.ask, found)
        || names_nobody(program, question, grid)
        || names_others(program, question, grid)
        || orders_codes(program, question, grid)
        || adds_days(program, grid)
        || counts_amounts(&program.ask, found)
        || takes_stock(program, question, grid)
        || counts_keys(&program.ask, found)
        || counts_unasked(&program.ask, found)
        || takes_years(program, found)
        || counts_times(program, question)
        || names_sized(program, question, grid)
        || folds_persons(program, found)
        || denies_some(program, question, grid)
        || joins_rivals(program, question)
        || sums_unnamed(&program.ask, found)
        || names_things(program, found)
        || leaves_average(program, found)
        || leaves_or_more(program, question)
        || counts_kinds(&program.ask, question)
        || takes_last(program, found)
        || gives_size(program, found)
        || gives_thing(program, question, grid)
        || takes_either(program, question)
        || takes_end(program, found)
}

/// Whether yes or no is said where one of several is asked for: `was it passed, failed or put off?`
fn takes_either(program: &Program, question: &Question) -> bool {
    const OR: [&str; 4] = ["or", "oder", "ou", "还"];
    let is_choice = |c: &Condition| matches!(&c.test, Test::Is(values) if !values.is_empty());
    let says = question.words.iter().any(|w| OR.contains(&w.text.as_str()));
    let is_bound = |c: &Condition| !matches!(c.test, Test::Is(_));
    let conditions = &program.rows.conditions;
    says && matches!(program.ask, Ask::Exists)
        && conditions.iter().filter(|c| is_choice(c)).count() > 1
        && !conditions.iter().any(is_bound)
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
    let of_end = found.grid.columns.get(column).is_some_and(|f| f.words.iter().any(is_end));
    let named = found.names.get(column).is_some_and(|n| n.share > 0.3);
    asks && of_end && !named && !question.words.iter().any(is_end)
}

/// Whether it is asked who, which or where, and the answer is how large: `biggest claim - whose?`.
fn gives_size(program: &Program, found: &Found<'_>) -> bool {
    const ASKS: [&str; 22] = [
        "who", "whose", "whom", "which", "where", "when", "wer", "wessen", "wem", "welche", "welcher",
        "welches", "welchem", "welchen", "wo", "wann", "qui", "quel", "quelle", "quand", "谁", "哪",
    ];
    const SIZES: [&str; 8] = ["much", "many", "viel", "viele", "hoch", "combien", "多", "几"];
    let question = &found.question;
    let says = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    let Ask::Fold(Fold::Most | Fold::Least, column) = program.ask else { return false };
    let is_number = found.grid.columns.get(column).is_some_and(Field::is_number);
    // `what do we spend most on`
    let ends_on = question.words.last().is_some_and(|w| matches!(w.text.as_str(), "on" | "it" | "for"));
    let asks_what = question.text(Some(0)) == "what" && ends_on;
    is_number && !says(&SIZES) && (says(&ASKS) || asks_what || ends_on)
}

/// Whether it is asked how large, and the answer is which: `the max weight in one box`.
fn gives_thing(program: &Program, question: &Question, grid: &Grid) -> bool {
    const SIZE: [&str; 8] = ["max", "maximum", "min", "minimum", "maximal", "minimal", "record", "maximale"];
    let Some(Pick::Extreme { column, count: 1, .. }) = program.rows.pick else { return false };
    let is_size = question.words.iter().take(4).any(|w| SIZE.contains(&w.text.as_str()));
    let is_thing = |c: usize| c != column && grid.columns.get(c).is_some_and(|f| !f.is_measured());
    is_size && matches!(program.ask, Ask::Cells(c) if is_thing(c))
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

/// Whether kinds are counted where it is asked how often.
fn counts_kinds(ask: &Ask, question: &Question) -> bool {
    let often = question.text(Some(0)) == "how" && question.text(Some(1)) == "often";
    let oft = question.text(Some(0)) == "wie" && question.text(Some(1)) == "oft";
    matches!(ask, Ask::Distinct(_)) && (often || oft)
}

/// Whether the latest is taken of what a column calls the last of each: `last edited in 2022`, with a column `last edit`.
fn takes_last(program: &Program, found: &Found<'_>) -> bool {
    const LAST: [&str; 8] = ["last", "latest", "letzte", "letzter", "letztes", "dernier", "derniere", "最"];
    let Some(Pick::Extreme { column, .. }) = program.rows.pick else { return false };
    let is_last = |w: &Word| LAST.contains(&w.text.as_str());
    let named = found.grid.columns.get(column).is_some_and(|f| f.words.iter().any(is_last));
    named && program.rows.conditions.iter().any(|c| c.column == column)
}

/// Whether two things that are set against each other are taken together: `how many more did Ann sell than Bob`.
fn joins_rivals(program: &Program, question: &Question) -> bool {
    const THAN: [&str; 4] = ["than", "als", "que", "比"];
    const MORE: [&str; 12] = [
        "more", "fewer", "less", "higher", "larger", "bigger", "better", "worse", "mehr", "weniger", "plus",
        "多",
    ];
    let says = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    let both = |c: &Condition| matches!(&c.test, Test::Is(values) if values.len() > 1);
    let together = match &program.ask {
        Ask::Count | Ask::Fold(..) | Ask::Cells(_) | Ask::Distinct(_) | Ask::Across(..) => true,
        _ => program.rows.pick.is_none() && matches!(program.ask, Ask::Share(_) | Ask::ShareOf(..)),
    };
    let is_plain = program.rows.pick.is_none();
    says(&THAN) && says(&MORE) && together && is_plain && program.rows.conditions.iter().any(both)
}

/// Whether groups are added up by a column that nobody named, though neither a sum nor money is spoken of.
fn sums_unnamed(ask: &Ask, found: &Found<'_>) -> bool {
    let Ask::By(by) = ask else { return false };
    let Ask::Fold(Fold::Sum | Fold::Average, column) = *by.ask else { return false };
    let question = &found.question;
    let named = found.names.get(column).is_some_and(|n| n.share > 0.3);
    let says = question.has(&[Cue::Sum, Cue::Average, Cue::Most, Cue::Least, Cue::Share])
        || question.words.iter().any(|w| AMOUNTS.contains(&w.text.as_str()) || w.text == "much");
    let speaks = grammar::speaks_of(question, found.grid, column);
    !named && !says && !speaks && found.earlier.is_none()
}

/// Whether it is asked who, and the answer is of things: the title of a ticket, the name of a project.
fn names_things(program: &Program, found: &Found<'_>) -> bool {
    let Ask::Cells(column) = program.ask else { return false };
    let grid = found.grid;
    if grid.columns.len() < 3 {
        // The cells of a form are of all kinds.
        return false;
    }
    let is_person = |text: &str| {
        let mut words = text.split([' ', '-']).filter(|w| !w.is_empty());
        let is_name = |w: &str| {
            let upper = w.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii());
            upper && !w.chars().any(|c| c.is_ascii_digit())
        };
        text.is_empty() || words.all(is_name)
    };
    let are_people = grid.columns.get(column).is_some_and(|f| {
        let people = f.cells.iter().filter(|c| is_person(&c.text)).count();
        people * 10 >= f.cells.len() * 6
    });
    asks_who(&found.question) && !grid.roles().is_who(grid, column) && !are_people
}

/// Whether the smallest or largest average is asked for, and the program takes single values.
fn leaves_average(program: &Program, found: &Found<'_>) -> bool {
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

/// Whether it is asked how old or how long the first of some is, and the answer says which it is.
fn names_sized(program: &Program, question: &Question, grid: &Grid) -> bool {
    const COUNTS: [&str; 6] = ["many", "much", "often", "come", "do", "did"];
    let asks = question.text(Some(0)) == "how" && !COUNTS.contains(&question.text(Some(1)));
    let names = |c: usize| grid.columns.get(c).is_some_and(|f| !f.is_measured());
    let Some(Pick::Extreme { count: 1, column, .. }) = program.rows.pick else { return false };
    asks && matches!(program.ask, Ask::Cells(c) if c != column && names(c))
}

/// Whether the smallest or largest cell is given where the smallest or largest sum of one is asked for: `the fewest total hours
/// anyone worked`.
fn folds_persons(program: &Program, found: &Found<'_>) -> bool {
    let Ask::Fold(Fold::Least | Fold::Most, column) = program.ask else { return false };
    let named = found.grid.columns.get(column).is_some_and(|f| {
        f.words.iter().any(|w| matches!(w.text.as_str(), "total" | "sum" | "gesamt" | "summe" | "合" | "总"))
    });
    let says = |w: &Word| matches!(w.text.as_str(), "anyone" | "anybody" | "someone" | "jemand" | "quelqu");
    let question = &found.question;
    let sums = question.has(&[Cue::Sum]) && question.words.iter().any(says);
    sums && !named
}

/// Whether somebody who never did something is taken for all who once did something else.
fn denies_some(program: &Program, question: &Question, grid: &Grid) -> bool {
    const NEVER: [&str; 5] = ["never", "nie", "niemals", "jamais", "从"];
    let says = question.words.iter().any(|w| NEVER.contains(&w.text.as_str()));
    let Ask::Cells(column) = program.ask else { return false };
    let repeats = grid.columns.get(column).is_some_and(|f| !f.is_key());
    let denies = |c: &Condition| matches!(c.test, Test::Not(_) | Test::Empty);
    says && repeats && program.rows.conditions.iter().any(denies)
}

/// Whether a month, a day or a weekday of the question is among the words that a program does not rest on.
pub(super) fn leaves_times(covered: Mask, question: &Question) -> bool {
    let is_sure = |mask: Mask| {
        let word = first(mask).and_then(|i| question.words.get(i));
        // Short ones are words of their own: `may`, `sat`, the German `so`.
        word.is_some_and(|w| w.text.len() > 3)
    };
    grammar::calendar(question).into_iter().any(|mask| mask & covered == 0 && is_sure(mask))
}

/// Whether a number of the question is among the words that a program does not rest on, and it does not count so many.
pub(super) fn leaves_numbers(program: &Program, covered: Mask, question: &Question) -> bool {
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
    let is_time = |column: usize| found.grid.columns.get(column).is_some_and(|f| f.measure == Measure::Day);
    let compares = |test: &Test| {
        matches!(test, Test::Less(_) | Test::AtMost(_) | Test::More(_) | Test::AtLeast(_) | Test::Between(..))
    };
    is_said && program.rows.conditions.iter().any(|c| compares(&c.test) && !is_time(c.column))
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

/// Whether a part of a sum is given of a column that nobody named and that is no money: `what percentage would come` asks
/// about answers, not about visits.
fn shares_unnamed(ask: &Ask, found: &Found<'_>) -> bool {
    let Ask::ShareOf(column, _) = ask else { return false };
    let named = found.names.get(*column).is_some_and(|n| n.share > 0.3);
    !named && !found.grid.roles().is_money(found.grid, *column)
}

fn asks_who(question: &Question) -> bool {
    question.words.first().is_some_and(|w| matches!(w.text.as_str(), "who" | "wer" | "qui" | "谁"))
}

/// Whether it is asked who, and the answer is of codes or numbers.
fn names_nobody(program: &Program, question: &Question, grid: &Grid) -> bool {
    let is_nobody = |column: usize| {
        let field = grid.columns.get(column);
        field.is_some_and(|f| f.is_number() || f.measure == Measure::Day) || grid.roles().is_id(grid, column)
    };
    let of = |ask: &Ask| matches!(*ask, Ask::Cells(column) | Ask::Group { column, .. } if is_nobody(column));
    // Rows that have names are given by these.
    let has_name = grid.roles().key(grid).is_some_and(|key| !is_nobody(key));
    asks_who(question) && of(&program.ask) && !has_name
}

/// Whether it is asked who, a column says who, and the answer is of another that says what.
fn names_others(program: &Program, question: &Question, grid: &Grid) -> bool {
    let roles = grid.roles();
    let Some(person) = roles.person(grid) else { return false };
    let best = |by: &crate::program::By| by.limit == Some(1) || by.bare;
    let column = match &program.ask {
        Ask::Group { column, .. } => *column,
        Ask::By(by) if best(by) => match by.keys.as_slice() {
            [key] => key.column,
            _ => return false,
        },
        _ => return false,
    };
    asks_who(question) && column != person && !roles.is_who(grid, column)
}

/// Whether rows are put in order by what only tells them apart: the longest episode is not that with the largest number.
fn orders_codes(program: &Program, question: &Question, grid: &Grid) -> bool {
    const NUMBERED: [&str; 16] = [
        "first", "last", "latest", "newest", "oldest", "earliest", "highest", "lowest", "most", "recent",
        "neueste", "letzte", "erste", "premier", "dernier", "最新",
    ];
    let Some(Pick::Extreme { column, .. }) = program.rows.pick else { return false };
    let Some(field) = grid.columns.get(column) else { return false };
    let is_code = grid.roles().is_id(grid, column) || grid.roles().is_code(grid, column) && field.is_key();
    let gives_itself = field.measure == Measure::Lead && matches!(program.ask, Ask::Cells(c) if c == column);
    let says = |w: &Word| NUMBERED.contains(&w.text.as_str());
    !asks_ids(&question.words)
        && (is_code && !question.words.iter().any(says) || gives_itself && !field.is_lead_number())
}

/// Whether days are added up.
fn adds_days(program: &Program, grid: &Grid) -> bool {
    let is_day = |c: usize| {
        grid.columns.get(c).is_some_and(|f| {
            let days = f.cells.iter().filter(|c| c.day.is_some()).count();
            f.measure == Measure::Day || days * 2 > f.filled
        })
    };
    let adds = |ask: &Ask| matches!(ask, Ask::Fold(Fold::Sum | Fold::Average, c) if is_day(*c));
    match &program.ask {
        Ask::By(by) => adds(&by.ask),
        ask => adds(ask),
    }
}

/// Words for amounts of money or time.
const AMOUNTS: [&str; 43] = [
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

/// Whether it is asked what was sold or bought, and the answer is what is left in stock.
fn takes_stock(program: &Program, question: &Question, grid: &Grid) -> bool {
    const MOVED: [&str; 15] = [
        "sold",
        "sell",
        "selling",
        "bought",
        "ordered",
        "shipped",
        "delivered",
        "verkauft",
        "bestellt",
        "geliefert",
        "vendu",
        "vendus",
        "vendues",
        "卖",
        "售",
    ];
    const STOCK: [&str; 8] =
        ["stock", "bestand", "lager", "lagerbestand", "reorder", "inventory", "库", "存"];
    let moved = |w: &Word| MOVED.contains(&w.text.as_str());
    let is_stock = |c: usize| {
        grid.columns.get(c).is_some_and(|f| f.words.iter().any(|w| STOCK.contains(&w.text.as_str())))
    };
    let said = question.words.iter().any(|w| STOCK.contains(&w.text.as_str()));
    question.words.iter().any(moved)
        && !said
        && matches!(program.ask, Ask::Cells(c) | Ask::Fold(_, c) if is_stock(c))
}

/// Whether the values of a column are counted that the question groups by: `tickets by queue and priority`.
fn counts_keys(ask: &Ask, found: &Found<'_>) -> bool {
    let Ask::By(by) = ask else { return false };
    let Ask::Distinct(column) = *by.ask else { return false };
    let at = last(found.question.cue(Cue::By));
    let named = found.names.get(column).and_then(|n| first(n.mask));
    at.zip(named).is_some_and(|(at, named)| named > at)
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

/// The words of a question that these links stand on.
pub(super) fn linked(links: &[crate::read::Link], question: &Question) -> Mask {
    let said = |w: &Word| links.iter().flat_map(|l| word::words(&l.words)).any(|l| l.text == w.text);
    let words = question.words.iter().enumerate().filter(|(_, w)| said(w));
    words.fold(0, |all, (i, _)| all | span(i, i + 1))
}

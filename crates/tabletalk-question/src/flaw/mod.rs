//! What rules an answer out, however likely it looks: a number of the question that it leaves out, ids in place of names, groups
//! of one row each.

mod form;

use crate::analyse::{Mask, Question};
use crate::candidate::{Candidate, Found};
use crate::cue::Cue;
use crate::grammar;
use crate::grid::{Grid, Measure};
use crate::program::{Ask, Condition, Fold, Pick, Program, Rows, Test};
use crate::read::Link;
use crate::word;
use tabletalk_core::Kind;

/// Whether a program that was found by what was learned cannot be what is meant.
pub(crate) fn of_candidate(candidate: &Candidate, found: &Found<'_>) -> bool {
    of_program(&candidate.program, found)
        || leaves_amounts(&candidate.program, covered(candidate, found), &found.question)
        || takes_ids(candidate, found)
        || folds_codes(candidate, found)
        || leaves_rank(&candidate.program, &found.question)
        || leaves_alternatives(candidate, found)
        || leaves_groups(&candidate.program, &found.question, covered(candidate, found))
}

/// Whether a program that the grammar read cannot be what is meant: `by class` is asked, and no class is known.
pub(crate) fn of_exact(program: &Program, links: &[Link], found: &Found<'_>) -> bool {
    let question = &found.question;
    of_program(program, found) || leaves_groups(program, question, form::linked(links, question))
}

/// Whether a program cannot be what is meant that passes over words of the question.
pub(crate) fn of_loose(program: &Program, links: &[Link], found: &Found<'_>) -> bool {
    let linked = form::linked(links, &found.question);
    of_exact(program, links, found) || leaves_amounts(program, linked, &found.question)
}

/// Whether a program cannot be what is meant, whoever found it.
pub(crate) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    gives_ids(program, question, grid)
        || has_lone_groups(program, grid)
        || gives_nothing(program, grid)
        || gives_no_amount(program, question, grid)
        || gives_another(program, found)
        || adds_years(&program.ask, grid)
        || leaves_every(program, found)
        || leaves_average(program, found)
        || counts_money(program, question, grid)
        || adds_times(program, question)
        || counts_pieces(program, question, grid)
        || counts_parts(&program.ask)
        || adds_prices(program, question, grid)
        || turns_around(&program.ask, question)
        || compares_with_itself(program, grid)
        || differs_for_whom(&program.ask, question)
        || form::of_program(program, found)
}

/// Whether the question lets choose between values of a column, and the answer is of another column.
fn leaves_alternatives(candidate: &Candidate, found: &Found<'_>) -> bool {
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

/// Whether it is asked who, and the answer is how much two are apart.
fn differs_for_whom(ask: &Ask, question: &Question) -> bool {
    let who = question.words.first().is_some_and(|w| matches!(w.text.as_str(), "who" | "wer" | "qui" | "谁"));
    who && is_apart(ask)
}

/// Whether it says how much two are apart.
fn is_apart(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::Difference(..)
            | Ask::FoldDifference(..)
            | Ask::CountDifference(_)
            | Ask::ColumnDifference(..)
            | Ask::Times(..)
            | Ask::RowGrowth(..)
    )
}

/// Whether the prices of single pieces are added up, and nobody asked for a sum of prices: three kettles at 30 do not come to what
/// the column `Unit price` adds up to.
fn adds_prices(program: &Program, question: &Question, grid: &Grid) -> bool {
    let said =
        |f: &crate::grid::Field| f.words.iter().all(|w| question.words.iter().any(|q| q.stem == w.stem));
    let is_unit_price = |column: usize| {
        grid.columns.get(column).is_some_and(|f| f.is_number() && is_unit_price(&f.name) && !said(f))
    };
    let sums = |ask: &Ask| matches!(ask, Ask::Fold(Fold::Sum, column) if is_unit_price(*column));
    let several = crate::execute::select(&program.rows, grid).len() > 1;
    several
        && match &program.ask {
            Ask::By(by) => sums(&by.ask),
            Ask::Group { sum: Some(column), .. } => is_unit_price(*column),
            ask => sums(ask),
        }
}

/// Whether a column is called what a single piece costs.
fn is_unit_price(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "unit price",
        "price per",
        "unit cost",
        "price each",
        "hourly rate",
        "day rate",
        "einzelpreis",
        "stückpreis",
        "stundensatz",
        "prix unitaire",
        "taux horaire",
        "单价",
        "單價",
        "时薪",
    ];
    let name = name.to_lowercase().replace('_', " ");
    NAMES.iter().any(|known| name.contains(known))
}

/// Whether a statement says less and the program looks whether it is more, or the other way round.
fn turns_around(ask: &Ask, question: &Question) -> bool {
    const LESS: [&str; 16] = [
        "less",
        "fewer",
        "lower",
        "smaller",
        "cheaper",
        "shorter",
        "weniger",
        "kleiner",
        "niedriger",
        "billiger",
        "moins",
        "inferieur",
        "少",
        "低",
        "小",
        "短",
    ];
    const MORE: [&str; 16] = [
        "more",
        "higher",
        "larger",
        "greater",
        "bigger",
        "longer",
        "mehr",
        "hoher",
        "grosser",
        "teurer",
        "plus",
        "superieur",
        "多",
        "高",
        "大",
        "长",
    ];
    let has = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    let (less, more) = (has(&LESS), has(&MORE));
    if less == more || question.has(&[Cue::Not]) {
        return false;
    }
    matches!(ask, Ask::Exceeds(_, up, _) | Ask::TotalExceeds(_, up, _) | Ask::Outnumbers(up, _) if *up == less)
}

/// Whether rows are compared with themselves.
fn compares_with_itself(program: &Program, grid: &Grid) -> bool {
    let Some(other) = others(&program.ask) else { return false };
    crate::execute::select(other, grid) == crate::execute::select(&program.rows, grid)
}

/// Whether years are added up.
fn adds_years(ask: &Ask, grid: &Grid) -> bool {
    match ask {
        Ask::Fold(Fold::Sum, column) | Ask::TotalExceeds(column, ..) => grid
            .columns
            .get(*column)
            .is_some_and(|f| f.is_number() && f.is_year() && f.unit.is_none() && f.filled > 1),
        Ask::By(by) => adds_years(&by.ask, grid),
        Ask::Holds(ask, _) | Ask::Compares(ask, _) | Ask::Denies(ask) => adds_years(ask, grid),
        _ => false,
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

/// Whether it is asked how often, and the program does not count.
fn adds_times(program: &Program, question: &Question) -> bool {
    let texts: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
    let asks = texts
        .windows(2)
        .any(|w| matches!(w, ["how", "often"] | ["many", "times"] | ["wie", "oft"] | ["de", "fois"]));
    let adds = match &program.ask {
        Ask::Fold(Fold::Sum | Fold::Average, _) | Ask::Across(..) => true,
        Ask::By(by) => matches!(*by.ask, Ask::Fold(Fold::Sum | Fold::Average, _)),
        _ => false,
    };
    asks && adds
}

/// Whether rows are counted where pieces were asked for: `how many kettles` over orders that have a quantity.
fn counts_pieces(program: &Program, question: &Question, grid: &Grid) -> bool {
    if !matches!(program.ask, Ask::Count) {
        return false;
    }
    let after = question.words.windows(2).position(|w| {
        matches!(
            (w[0].text.as_str(), w[1].text.as_str()),
            ("how", "many") | ("wie", "viele") | ("combien", "de")
        )
    });
    let asked: Vec<&word::Word> =
        after.into_iter().flat_map(|at| question.words.iter().skip(at + 2).take(2)).collect();
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

/// Whether a statement is about all rows, and the program looks whether there is one.
fn leaves_every(program: &Program, found: &Found<'_>) -> bool {
    const EVERY: [&str; 15] = [
        "every",
        "everyone",
        "everybody",
        "everything",
        "all",
        "alle",
        "allen",
        "jeder",
        "jede",
        "jedes",
        "tous",
        "toutes",
        "chaque",
        "都",
        "均",
    ];
    let asks = found.is_claim && matches!(program.ask, Ask::Exists);
    asks && found.question.words.iter().any(|w| EVERY.contains(&w.text.as_str()))
}

/// Whether rows are said to be so many and a part.
fn counts_parts(ask: &Ask) -> bool {
    let Ask::Holds(count, value) = ask else { return false };
    let number = value.plain.as_deref().unwrap_or(&value.text).parse::<f64>();
    matches!(**count, Ask::Count | Ask::Distinct(_)) && number.is_ok_and(|n| n.fract() != 0.0)
}

/// Whether a number or a time of the question is in no condition, no name and no count of the program: `rent in March 2019` over
/// a table without years.
fn leaves_amounts(program: &Program, covered: Mask, question: &Question) -> bool {
    form::leaves_numbers(program, covered, question) || form::leaves_times(covered, question)
}

/// The words of the question that a program rests on.
fn covered(candidate: &Candidate, found: &Found<'_>) -> Mask {
    let scope = found.scopes.get(candidate.scope).map_or(0, |s| s.mask);
    let others = others(&candidate.program.ask).into_iter().flat_map(|rows| &rows.conditions);
    let linked = others.flat_map(|c| found.links.iter().filter(move |l| l.condition == *c));
    let linked = linked.fold(scope | candidate.target, |all, l| all | l.mask);
    let named = candidate.program.columns().into_iter().filter_map(|c| found.names.get(c));
    named.fold(linked, |all, n| all | n.mask)
}

/// The rows that something is compared with.
fn others(ask: &Ask) -> Option<&Rows> {
    match ask {
        Ask::Exceeds(_, _, other) | Ask::TotalExceeds(_, _, other) | Ask::Outnumbers(_, other) => Some(other),
        Ask::Difference(_, other) | Ask::FoldDifference(_, _, other) | Ask::CountDifference(other) => {
            Some(other)
        }
        Ask::RowGrowth(_, other) | Ask::Times(_, other) => Some(other),
        Ask::Compares(ask, _) | Ask::Holds(ask, _) | Ask::Denies(ask) => others(ask),
        _ => None,
    }
}

/// Whether the question asks by something, and the program neither makes groups nor knows what is asked by: `average points by
/// class` over a table without classes.
fn leaves_groups(program: &Program, question: &Question, covered: Mask) -> bool {
    let wide =
        matches!(program.ask, Ask::By(_) | Ask::Group { .. } | Ask::BestColumn { .. } | Ask::EachColumn(..));
    let Some(by) = crate::analyse::last(question.cue(Cue::By)).filter(|_| !wide) else { return false };
    let next = (by + 1..question.words.len()).find(|i| question.content >> i & 1 == 1);
    let asks = |w: &str| matches!(w, "how" | "wie" | "combien" | "far");
    let is_plain = !(by + 1..question.words.len()).take(2).any(|i| asks(question.text(Some(i))));
    next.is_some_and(|i| is_plain && i <= by + 2 && covered >> i & 1 == 0)
}

/// Whether the question asks how many or how much, and the answer is no number.
fn gives_no_amount(program: &Program, question: &Question, grid: &Grid) -> bool {
    let texts: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
    let is_amount = |w: &[&str]| {
        matches!(
            w,
            ["how", "many" | "much", ..]
                | ["wie", "viel" | "viele" | "vielen", ..]
                | ["combien" | "wieviel" | "几", ..]
        ) && !matches!(w.get(2), Some(&"uhr" | &"time"))
    };
    let is_number = |column: usize| {
        grid.columns
            .get(column)
            .is_some_and(|f| f.is_number() || f.is_lead_number() || f.measure == Measure::Day)
    };
    let gives_amount = |column: usize| {
        let rows = crate::execute::select(&program.rows, grid);
        rows.iter().filter_map(|row| grid.at(column, *row)).any(|c| crate::grid::is_amount(&c.text))
    };
    let is_text = match &program.ask {
        Ask::Cells(column) => !is_number(*column) && !gives_amount(*column),
        Ask::Group { .. } | Ask::BestColumn { .. } => true,
        _ => false,
    };
    is_text && (0..texts.len()).any(|i| texts.get(i..).is_some_and(is_amount))
}

/// Whether the question asks which of what a column is called by, and the program gives another: the region that sold the most is
/// no month.
fn gives_another(program: &Program, found: &Found<'_>) -> bool {
    const WHICH: [&str; 12] = [
        "which", "what", "welche", "welcher", "welches", "welchen", "welchem", "quel", "quelle", "quels",
        "quelles", "哪",
    ];
    let question = &found.question;
    let Some(at) = question.words.iter().position(|w| WHICH.contains(&w.text.as_str())) else { return false };
    let starts = |n: &crate::link::Named| n.share >= 0.99 && crate::analyse::first(n.mask) == Some(at + 1);
    let wanted: Vec<usize> =
        found.names.iter().enumerate().filter(|(_, n)| starts(n)).map(|(column, _)| column).collect();
    let named = found.grid.view().into_iter().flat_map(|v| v.names_of(&wanted));
    let wanted: Vec<usize> = named.chain(wanted.iter().copied()).collect();
    let given = given(program);
    let is_shown = !matches!(program.ask, Ask::Exists | Ask::Every | Ask::Holds(..) | Ask::Compares(..));
    is_shown && !wanted.is_empty() && !given.iter().any(|c| wanted.contains(c))
}

/// The columns whose cells a program gives.
fn given(program: &Program) -> Vec<usize> {
    match &program.ask {
        Ask::Cells(column) | Ask::Group { column, .. } => vec![*column],
        Ask::By(by) => by.keys.iter().map(|k| k.column).chain(by.ask.columns()).collect(),
        Ask::Fold(_, column) | Ask::Difference(column, _) => vec![*column],
        Ask::Table(columns) => columns.clone(),
        _ => Vec::new(),
    }
}

/// Whether a number of the question was taken for that of a row, though nothing says so: the fare in 2016 is not that of
/// trip 2016.
fn takes_ids(candidate: &Candidate, found: &Found<'_>) -> bool {
    let scope = found.scopes.get(candidate.scope);
    let links = scope.iter().flat_map(|s| &s.links).filter_map(|l| found.links.get(*l));
    let mut numbers = links.filter(|l| {
        let words = (0..found.question.words.len()).filter(|i| l.mask >> i & 1 == 1);
        let mut words = words.filter_map(|i| found.question.words.get(i));
        words.all(|w| w.number().is_some())
    });
    numbers.any(|l| {
        let column = l.condition.column;
        let named = found.names.get(column).is_some_and(|n| n.share > 0.0);
        let field = found.grid.columns.get(column);
        let is_id = found.grid.roles().is_id(found.grid, column);
        field.is_some_and(|f| f.kind == Kind::Integer && (is_id || f.is_key()) && !f.is_year()) && !named
    })
}

/// Whether codes that begin with letters are added up: patient P-211 is no number.
fn folds_codes(candidate: &Candidate, found: &Found<'_>) -> bool {
    let Ask::Fold(_, column) = candidate.program.ask else { return false };
    let field = found.grid.columns.get(column);
    let named = found.names.get(column).is_some_and(|n| n.share > 0.5);
    field.is_some_and(|f| f.measure == Measure::Lead) && !named
}

/// Whether it gives a word where the column has numbers, which says that there is none: a mark `absent`.
fn gives_nothing(program: &Program, grid: &Grid) -> bool {
    if let Ask::Table(columns) = &program.ask
        && grid.is_whole()
        && !program.rows.computed
    {
        let rows = crate::execute::select(&program.rows, grid);
        let is_empty =
            |c: &usize| rows.iter().all(|row| grid.at(*c, *row).is_none_or(|cell| cell.text.is_empty()));
        return !rows.is_empty() && columns.iter().any(is_empty);
    }
    let Ask::Cells(column) = program.ask else { return false };
    let Some(field) = grid.columns.get(column).filter(|_| grid.is_whole() && !program.rows.computed) else {
        return false;
    };
    let sizes = field.cells.iter().filter(|c| c.size.is_some()).count();
    let is_number = field.is_number() || field.measure != Measure::None && sizes * 4 >= field.filled * 3;
    let rows = crate::execute::select(&program.rows, grid);
    let lacks =
        |row: &u32| field.cells.get(*row as usize).is_some_and(|c| c.size.is_none() && !c.text.is_empty());
    is_number && !rows.is_empty() && rows.iter().all(lacks)
}

/// Whether the question asks for the second or third, and the program does not.
fn leaves_rank(program: &Program, question: &Question) -> bool {
    let asks = question.words.iter().any(|w| {
        word::is_ordinal(&w.text) && w.text != "first" && !w.text.starts_with(|c: char| c.is_ascii_digit())
    });
    let ranks =
        matches!(program.rows.pick, Some(Pick::Extreme { skip, .. } | Pick::End { skip, .. }) if skip > 0);
    let is_best = matches!(program.rows.pick, Some(Pick::Extreme { .. }))
        || matches!(program.ask, Ask::Group { .. } | Ask::BestColumn { .. } | Ask::By(_));
    asks && is_best && !ranks
}

/// Whether it gives numbers such as `room_id`, which stand for rows of another table, though nobody asked for numbers.
fn gives_ids(program: &Program, question: &Question, grid: &Grid) -> bool {
    let is_id = |column: usize| {
        let Some(field) = grid.columns.get(column) else { return false };
        let named = field.words.len() > 1 && field.words.iter().any(|w| IDS.contains(&w.text.as_str()));
        field.kind == Kind::Integer && !field.is_key() && named || grid.references.contains(&column)
    };
    given(program).into_iter().any(is_id) && !asks_ids(&question.words)
}

const IDS: [&str; 6] = ["id", "fk", "nr", "no", "编号", "key"];

/// Whether numbers or codes are asked for: `order number`, but not `number of orders`.
pub(crate) fn asks_ids(words: &[word::Word]) -> bool {
    const COUNTED: [&str; 12] = [
        "by", "the", "a", "total", "highest", "largest", "lowest", "smallest", "average", "in", "what", "and",
    ];
    let text = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |w| w.text.as_str());
    let counts = |at: usize| {
        let before = text(at.checked_sub(1));
        text(Some(at + 1)) == "of" && (at == 0 || COUNTED.contains(&before))
    };
    let is = |(at, word): (usize, &word::Word)| match word.text.as_str() {
        "number" => !counts(at),
        text => IDS.contains(&text) || matches!(text, "ids" | "nummer" | "numero" | "code" | "codes"),
    };
    words.iter().enumerate().any(is) || words.windows(2).any(|w| w[0].text == "编" && w[1].text == "号")
}

/// Whether each of its groups is a single row: nothing is gathered, the rows are only shown in another way.
fn has_lone_groups(program: &Program, grid: &Grid) -> bool {
    let Ask::By(by) = &program.ask else { return false };
    if !grid.is_whole() || program.rows.computed {
        return false;
    }
    let [key] = by.keys.as_slice() else { return false };
    let rows = crate::execute::select(&program.rows, grid);
    let day = |row: &u32| grid.at(key.column, *row).and_then(|c| c.day);
    let is_key = grid.columns.get(key.column).is_some_and(crate::grid::Field::is_key);
    if is_key && key.period.is_none() && by.limit.is_some() && matches!(*by.ask, Ask::Count) {
        return true;
    }
    match key.period {
        Some(_) if rows.len() == 1 => true,
        Some(crate::program::Period::Day) => {
            let mut days: Vec<i32> = rows.iter().filter_map(day).collect();
            let all = days.len();
            days.sort_unstable();
            days.dedup();
            by.limit.is_some() && days.len() == all
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate;
    use crate::program::Value;
    use tabletalk_core::{Place, Rows as TableRows};

    fn orders() -> Grid {
        let rows = [
            ["City", "Product", "Member since", "Quantity", "Unit price", "Note"],
            ["Oslo", "Kettle", "2015", "2", "30", "F24-010"],
            ["Lyon", "Lamp", "2018", "1", "12.5", "F24-011"],
            ["Oslo", "Kettle", "2021", "4", "30", "F24-012"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("t"));
        let TableRows::Memory(batches) = &table.rows else { panic!("rows in memory") };
        Grid::new(&table.columns, batches, true)
    }

    /// Whether a program over the orders, of all rows or of those with kettles, is ruled out for a question.
    fn is_flawed(question: &str, kettles: bool, ask: Ask) -> bool {
        let grid = orders();
        let kettle =
            Condition { column: 1, test: Test::Is(vec![Value { text: "Kettle".into(), plain: None }]) };
        let conditions = if kettles { vec![kettle] } else { Vec::new() };
        let program = Program { rows: Rows { conditions, ..Rows::default() }, ask };
        of_exact(&program, &[], &candidate::find(question, &grid, None))
    }

    #[test]
    fn years_are_not_added_up() {
        assert!(is_flawed("how much is it in total?", false, Ask::Fold(Fold::Sum, 2)));
        assert!(!is_flawed("how much is it in total?", false, Ask::Fold(Fold::Sum, 3)));
    }

    #[test]
    fn groups_that_are_asked_for_are_made() {
        assert!(is_flawed("average quantity by class", false, Ask::Fold(Fold::Average, 3)));
        assert!(!is_flawed("average quantity", false, Ask::Fold(Fold::Average, 3)));
    }

    #[test]
    fn prices_of_single_pieces_are_not_added_up() {
        assert!(is_flawed("how much did kettles bring in?", true, Ask::Fold(Fold::Sum, 4)));
        assert!(!is_flawed("the sum of the unit price", true, Ask::Fold(Fold::Sum, 4)));
        assert!(!is_flawed("how much did kettles bring in?", true, Ask::Fold(Fold::Average, 4)));
    }

    #[test]
    fn less_is_not_more_and_nothing_is_compared_with_itself() {
        let lamps = Condition { column: 1, test: Test::Is(vec![Value { text: "Lamp".into(), plain: None }]) };
        let other = |conditions| Rows { conditions, ..Rows::default() };
        let exceeds = |up| Ask::TotalExceeds(3, up, other(vec![lamps.clone()]));
        assert!(is_flawed("kettles sold less quantity than lamps", true, exceeds(true)));
        assert!(!is_flawed("kettles sold less quantity than lamps", true, exceeds(false)));
        assert!(!is_flawed("kettles did not sell less quantity than lamps", true, exceeds(true)));
        assert!(is_flawed("all sold more than all", false, Ask::TotalExceeds(3, true, Rows::default())));
    }

    #[test]
    fn who_is_no_difference() {
        let all = || Ask::CountDifference(Rows::default());
        assert!(is_flawed("who ordered more, Oslo or Lyon?", true, all()));
        assert!(!is_flawed("how many more kettles than all?", true, all()));
    }

    #[test]
    fn an_average_is_no_sum() {
        assert!(is_flawed("the average quantity", false, Ask::Fold(Fold::Sum, 3)));
    }

    #[test]
    fn an_amount_is_no_text() {
        assert!(is_flawed("how much was the largest order?", false, Ask::Cells(5)));
        assert!(!is_flawed("which note has the largest order?", false, Ask::Cells(5)));
    }

    #[test]
    fn what_is_named_is_given() {
        assert!(is_flawed("which city ordered the most?", false, Ask::Cells(1)));
        assert!(!is_flawed("which city ordered the most?", false, Ask::Cells(0)));
    }

    #[test]
    fn pieces_are_not_rows_nor_money_and_times_are_not_pieces() {
        assert!(is_flawed("how many kettles were sold?", true, Ask::Count));
        assert!(!is_flawed("how many kettles were sold?", true, Ask::Fold(Fold::Sum, 3)));
        assert!(is_flawed("how many kettles were sold?", true, Ask::Fold(Fold::Sum, 4)));
        assert!(is_flawed("how often were kettles ordered?", true, Ask::Fold(Fold::Sum, 3)));
        assert!(!is_flawed("how often were kettles ordered?", true, Ask::Count));
    }
}

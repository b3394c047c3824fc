//! What is added up and must not be: years, days, prices of single pieces, numbers of rows.

use super::count::AMOUNTS;
use crate::analyse::Question;
use crate::candidate::{Candidate, Found};
use crate::cue::Cue;
use crate::grammar;
use crate::grid::{Grid, Measure};
use crate::program::{Ask, Fold, Pick, Program};
use crate::word::Word;
use tabletalk_core::Kind;

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    has_lone_groups(program, grid)
        || adds_years(&program.ask, grid)
        || adds_prices(program, question, grid)
        || shares_unnamed(&program.ask, found)
        || adds_days(program, grid)
        || takes_stock(program, question, grid)
        || folds_persons(program, found)
        || sums_unnamed(&program.ask, found)
        || adds_numbers_of_rows(&program.ask, grid)
        || takes_single(program, found)
}

/// Whether what has most of something is told by a single row, though each has several: the crop with the most area is not that of the
/// largest field.
fn takes_single(program: &Program, found: &Found<'_>) -> bool {
    const MOST: [&str; 9] = ["most", "least", "fewest", "meisten", "wenigsten", "plus", "moins", "多", "少"];
    let (question, grid) = (&found.question, found.grid);
    let (Ask::Cells(thing), Some(Pick::Extreme { column, .. })) = (&program.ask, &program.rows.pick) else {
        return false;
    };
    let (Some(thing), Some(size)) = (grid.columns.get(*thing), grid.columns.get(*column)) else {
        return false;
    };
    let says = question.words.iter().any(|w| MOST.contains(&w.text.as_str()));
    // By hand: each stands in one row and a half or more.
    let is_repeated = thing.kind == Kind::Text && thing.values.len() * 3 <= thing.filled * 2;
    // What is dear or old is said of one.
    let adjective = ["expensive", "recent", "recently", "experienced", "cher", "chere"];
    let of_one = question.words.iter().any(|w| adjective.contains(&w.text.as_str()));
    let adds = size.is_number() && !size.is_percent() && !size.is_year() && !grammar::is_price(&size.words);
    says && !of_one && is_repeated && adds && grid.is_whole()
}

/// Whether numbers are added up that rows are known by: the percentage of invoices is not that of what invoice numbers come to.
fn adds_numbers_of_rows(ask: &Ask, grid: &Grid) -> bool {
    // By hand: of fewer rows nobody keeps numbers.
    const FEW: usize = 6;
    let is_number = |column: usize| {
        let Some(field) = grid.columns.get(column) else { return false };
        let digits = |size: f64| size.abs().log10().floor();
        let mut sizes = field.cells.iter().filter_map(|c| c.size);
        let first = sizes.next().unwrap_or(0.0);
        let is_long = first >= 100.0 && sizes.all(|size| size >= 100.0 && digits(size) == digits(first));
        let is_running = field.kind == Kind::Integer && field.unit.is_none() && field.is_key() && is_long;
        let money = grid.roles().is_money(grid, column);
        grid.roles().is_id(grid, column) || is_running && !money && field.filled >= FEW && column == 0
    };
    match ask {
        Ask::ShareOf(column, _) | Ask::Fold(Fold::Sum | Fold::Average, column) => is_number(*column),
        Ask::By(by) => adds_numbers_of_rows(&by.ask, grid),
        _ => false,
    }
}

/// Whether the prices of single pieces are added up, and nobody asked for a sum of prices: three kettles at 30 do not come to what
/// the column `Unit price` adds up to.
fn adds_prices(program: &Program, question: &Question, grid: &Grid) -> bool {
    // `the value of the stock at unit cost` is no sum of unit costs.
    let at = |place: usize| {
        place.checked_sub(1).is_some_and(|b| matches!(question.text(Some(b)), "at" | "zu" | "zum"))
    };
    let place = |w: &Word| question.words.iter().position(|q| q.stem == w.stem);
    let said = |f: &crate::grid::Field| {
        let places: Option<Vec<usize>> = f.words.iter().map(place).collect();
        places.is_some_and(|p| !p.iter().min().is_some_and(|first| at(*first)))
    };
    let is_unit_price = |column: usize| {
        grid.columns.get(column).is_some_and(|f| f.is_number() && is_unit_price(&f.name) && !said(f))
    };
    let sums = |ask: &Ask| matches!(ask, Ask::Fold(Fold::Sum, column) if is_unit_price(*column));
    // What was spent in all on one is its price times how many there were.
    const ALL: [&str; 9] =
        ["总", "共", "total", "altogether", "together", "insgesamt", "zusammen", "tout", "all"];
    let says_all = question.words.iter().any(|w| ALL.contains(&w.text.as_str()))
        && grid.columns.iter().any(|f| grammar::is_quantity(&f.words));
    let several = crate::execute::select(&program.rows, grid).len() > 1;
    (several || says_all)
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

/// Whether years are added up.
fn adds_years(ask: &Ask, grid: &Grid) -> bool {
    match ask {
        Ask::Fold(Fold::Sum, column) | Ask::FoldExceeds(Fold::Sum, column, ..) => grid
            .columns
            .get(*column)
            .is_some_and(|f| f.is_number() && f.is_year() && f.unit.is_none() && f.filled > 1),
        Ask::By(by) => adds_years(&by.ask, grid),
        Ask::Holds(ask, _) | Ask::Compares(ask, _) | Ask::Denies(ask) => adds_years(ask, grid),
        _ => false,
    }
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

/// Whether codes that begin with letters are added up: patient P-211 is no number.
pub(super) fn folds_codes(candidate: &Candidate, found: &Found<'_>) -> bool {
    let Ask::Fold(_, column) = candidate.program.ask else { return false };
    let field = found.grid.columns.get(column);
    let named = found.names.get(column).is_some_and(|n| n.share > 0.5);
    field.is_some_and(|f| f.measure == Measure::Lead) && !named
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

/// Whether a part of a sum is given of a column that nobody named and that is no money: `what percentage would come` asks
/// about answers, not about visits.
fn shares_unnamed(ask: &Ask, found: &Found<'_>) -> bool {
    let Ask::ShareOf(column, _) = ask else { return false };
    let named = found.names.get(*column).is_some_and(|n| n.share > 0.3);
    !named && !found.grid.roles().is_money(found.grid, *column)
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

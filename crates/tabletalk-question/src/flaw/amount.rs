//! What is added up or counted and must not be: years, prices of single pieces, rows in place of pieces or money.

use super::code::asks_ids;
use crate::analyse::{Amount, Mention, Question};
use crate::candidate::{Candidate, Found};
use crate::cue::Cue;
use crate::grammar;
use crate::grid::{Grid, Measure};
use crate::mask::{Mask, first, last};
use crate::program::{Ask, Condition, Fold, Pick, Program, Test};
use crate::word::{self, Word};
use tabletalk_core::Kind;

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    has_lone_groups(program, grid)
        || adds_years(&program.ask, grid)
        || counts_money(program, question, grid)
        || adds_times(program, question, grid)
        || counts_units(program, question)
        || counts_pieces(program, question, grid)
        || counts_parts(&program.ask)
        || adds_prices(program, question, grid)
        || shares_unnamed(&program.ask, found)
        || adds_days(program, grid)
        || counts_amounts(&program.ask, found)
        || takes_stock(program, question, grid)
        || counts_keys(&program.ask, found)
        || counts_unasked(&program.ask, found)
        || counts_times(program, question)
        || folds_persons(program, found)
        || sums_unnamed(&program.ask, found)
        || counts_kinds(&program.ask, question, grid)
        || leaves_units(program, found)
        || adds_numbers_of_rows(&program.ask, grid)
        || leaves_money(&program.ask, found)
        || takes_single(program, found)
        || counts_named(program, found)
        || misses_range(program, found)
        || outnumbers_money(&program.ask, question)
}

/// Whether money is spoken of, and rows are held against rows.
fn outnumbers_money(ask: &Ask, question: &Question) -> bool {
    const SPENT: [&str; 10] =
        ["spend", "spent", "spends", "earn", "earned", "earns", "ausgegeben", "verdient", "depense", "花"];
    let says = question.words.iter().any(|w| SPENT.contains(&w.text.as_str()));
    says && matches!(ask, Ask::Outnumbers(..) | Ask::CountDifference(_))
}

/// Whether a column is held against a number far beyond all it has, while another column that is like it has such numbers: no single
/// price is 50, but what was paid is.
fn misses_range(program: &Program, found: &Found<'_>) -> bool {
    const FAR: f64 = 3.0;
    let grid = found.grid;
    let roles = grid.roles();
    let most = |c: usize| {
        let sizes = grid.columns.get(c).into_iter().flat_map(|f| f.cells.iter().filter_map(|c| c.size));
        sizes.fold(0.0, f64::max)
    };
    let is_like =
        |c: usize, other: usize| c != other && roles.is_money(grid, c) && roles.is_money(grid, other);
    let named = |c: usize| found.names.get(c).is_some_and(|n| n.share > 0.5);
    let misses = |c: &Condition| {
        let (Test::More(n) | Test::AtLeast(n)) = c.test else { return false };
        let reaches = |other: usize| is_like(c.column, other) && most(other) >= n;
        !named(c.column) && n > FAR * most(c.column) && (0..grid.columns.len()).any(reaches)
    };
    grid.is_whole() && program.rows.conditions.iter().any(misses)
}

/// Whether rows are counted where a column says how many: the points of somebody are not how often he is there.
fn counts_named(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    let counts = match &program.ask {
        Ask::Count => true,
        Ask::By(by) => matches!(*by.ask, Ask::Count),
        _ => false,
    };
    let is_many = |w: &[Word]| {
        let pair = w.iter().map(|w| w.text.as_str()).collect::<Vec<_>>();
        matches!(pair.as_slice(), ["how", "many"] | ["wie", "viele" | "vielen"] | ["combien", "de" | "d"])
    };
    let Some(at) = question.words.windows(2).position(is_many) else { return false };
    let is_named = |(column, n): (usize, &crate::link::Named)| {
        let is_size = grid.columns.get(column).is_some_and(|f| f.is_number() && !f.is_key() && !f.is_year());
        is_size && n.share >= 0.99 && first(n.mask) == Some(at + 2) && !grid.roles().is_code(grid, column)
    };
    counts && found.names.iter().enumerate().any(is_named)
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
    let is_repeated = thing.kind == Kind::Text && thing.values.len() * 3 <= thing.filled * 2;
    // What is dear or old is said of one.
    let adjective = ["expensive", "recent", "recently", "experienced", "cher", "chere"];
    let of_one = question.words.iter().any(|w| adjective.contains(&w.text.as_str()));
    let adds = size.is_number() && !size.is_percent() && !size.is_year() && !grammar::is_price(&size.words);
    says && !of_one && is_repeated && adds && grid.is_whole()
}

/// Whether numbers are added up that rows are known by: the percentage of invoices is not that of what invoice numbers come to.
fn adds_numbers_of_rows(ask: &Ask, grid: &Grid) -> bool {
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

/// Whether money is asked for, a column has some, and the program reckons with what is none: `how much money`, 多少钱.
fn leaves_money(ask: &Ask, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    let texts: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
    let asks = texts.windows(3).any(|w| {
        matches!(w, ["how", "much", "money"] | ["wie", "viel", "geld"] | ["combien", "d", "argent"])
            || matches!(w, ["多", "少", "钱" | "元"])
    });
    let is_money = |column: usize| grid.roles().is_money(grid, column);
    let is_named = |column: usize| found.names.get(column).is_some_and(|n| n.share > 0.5);
    let columns = match ask {
        Ask::Fold(_, column) | Ask::FoldDifference(_, column, _) | Ask::Difference(column, _) => {
            vec![*column]
        }
        Ask::By(by) => by.ask.columns(),
        Ask::Cells(column) => vec![*column],
        _ => return false,
    };
    let is_number = |column: &usize| grid.columns.get(*column).is_some_and(|f| f.is_number());
    asks && (0..grid.columns.len()).any(is_money)
        && columns.iter().any(is_number)
        && !columns.iter().any(|column| is_money(*column) || is_named(*column))
}

/// Whether a column is held against a number that is said in another unit.
fn leaves_units(program: &Program, found: &Found<'_>) -> bool {
    let question = &found.question;
    let number = |m: &Mention| match m.what {
        Amount::Number(n) => Some((n, m.mask)),
        _ => None,
    };
    let said: Vec<(f64, Mask)> = question.mentions.iter().filter_map(number).collect();
    let is_apart = |c: &Condition| {
        let bounds = match c.test {
            Test::Less(n) | Test::AtMost(n) | Test::More(n) | Test::AtLeast(n) => [n, n],
            Test::Between(a, b) => [a, b],
            _ => return false,
        };
        let is_bound = |n: f64| {
            let scaled = found.grid.columns.get(c.column).map_or(n, |f| f.scaled(n));
            bounds.contains(&n) || bounds.contains(&scaled)
        };
        said.iter()
            .any(|(n, mask)| is_bound(*n) && grammar::is_of_other_unit(question, *mask, found.grid, c.column))
    };
    // So many euros are no number of rows.
    let counts = match &program.ask {
        Ask::Compares(ask, _) | Ask::Holds(ask, _) => matches!(**ask, Ask::Count | Ask::Distinct(_)),
        _ => false,
    };
    let is_money = said.iter().any(|(_, mask)| question.money & mask != 0);
    counts && is_money || program.rows.conditions.iter().any(is_apart)
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
    let counts = match &program.ask {
        Ask::Count => true,
        Ask::By(by) => matches!(*by.ask, Ask::Count),
        _ => false,
    };
    let has = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    counts && has(&UNITS) && has(&MOVED)
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
    let asked: Vec<&Word> =
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

/// Whether rows are said to be so many and a part.
fn counts_parts(ask: &Ask) -> bool {
    let Ask::Holds(count, value) = ask else { return false };
    let number = value.plain.as_deref().unwrap_or(&value.text).parse::<f64>();
    matches!(**count, Ask::Count | Ask::Distinct(_)) && number.is_ok_and(|n| n.fract() != 0.0)
}

/// Whether codes that begin with letters are added up: patient P-211 is no number.
pub(super) fn folds_codes(candidate: &Candidate, found: &Found<'_>) -> bool {
    let Ask::Fold(_, column) = candidate.program.ask else { return false };
    let field = found.grid.columns.get(column);
    let named = found.names.get(column).is_some_and(|n| n.share > 0.5);
    field.is_some_and(|f| f.measure == Measure::Lead) && !named
}

/// Words for amounts of money or time.
const AMOUNTS: [&str; 52] = [
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

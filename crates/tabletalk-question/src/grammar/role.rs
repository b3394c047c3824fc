//! What the columns of a table are for: which name a row, which are measured, which are a series of months.

use super::annotate::has_head;
use super::calendar::{self, Time};
use super::lexicon::{Concept, Lexicon, Sense};
use super::thesaurus::Thesaurus;
use crate::grid::{Field, Grid, Measure};
use crate::program::Value;
use crate::word::{self, Word};
use std::collections::HashMap;
use tabletalk_core::Kind;

/// Columns that begin a series: fewer are no series.
const SERIES: usize = 3;

/// What the columns of a table are for.
#[derive(Debug)]
pub(crate) struct Roles {
    /// The names of each column, as words: whole, and without the unit in brackets.
    pub names: Vec<Vec<Vec<Word>>>,
    concepts: Vec<Vec<Concept>>,
    /// The times that columns stand for, where they are a series.
    series: Vec<Option<Time>>,
    /// The columns of numbers that can be calculated with.
    pub measures: Vec<usize>,
    /// The levels of headers that have several, with the columns under each.
    pub levels: Vec<(String, Vec<usize>)>,
    /// The labels of a form: a table of labels and values.
    pub labels: Vec<Label>,
    /// The attributes of the thesaurus that each column is called by.
    pub rings: Vec<Vec<usize>>,
    /// The kinds of row that the columns are typical of, with the number of such columns.
    things: HashMap<usize, usize>,
}

/// Whether columns of a kind hold names, and no numbers or days: `Member since` is nobody.
fn is_of_names(concept: Concept) -> bool {
    use Concept::{
        Address, Author, Category, City, Comment, Country, Customer, Department, Gender, Mail, Name, Person,
        Place, Product, Region, Room, Seller, Status, Supplier, Teacher, Title,
    };
    matches!(
        concept,
        Address
            | Author
            | Category
            | City
            | Comment
            | Country
            | Customer
            | Department
            | Gender
            | Mail
            | Name
            | Person
            | Place
            | Product
            | Region
            | Room
            | Seller
            | Status
            | Supplier
            | Teacher
            | Title
    )
}

/// Columns that are typical of a kind of row and together say that the rows are such.
const TYPICAL: usize = 2;

/// A label of a form.
#[derive(Debug)]
pub(crate) struct Label {
    pub value: Value,
    pub names: Vec<Vec<Word>>,
    pub concepts: Vec<Concept>,
}

/// What columns that say who are about.
pub(super) const WHO: [Concept; 7] = [
    Concept::Person,
    Concept::Name,
    Concept::Seller,
    Concept::Customer,
    Concept::Author,
    Concept::Teacher,
    Concept::Supplier,
];

impl Roles {
    pub(crate) fn of(grid: &Grid) -> Roles {
        let names: Vec<Vec<Vec<Word>>> = grid.columns.iter().map(|f| names(&f.name)).collect();
        let fitting = |(n, f): (&Vec<Vec<Word>>, &Field)| -> Vec<Concept> {
            let is_named =
                |c: Concept| f.kind == Kind::Text || f.kind == Kind::Integer && !matches!(c, Concept::Place);
            concepts(n).into_iter().filter(|c| is_named(*c) || !is_of_names(*c)).collect()
        };
        let concepts: Vec<Vec<Concept>> = names.iter().zip(&grid.columns).map(fitting).collect();
        let series = series(grid);
        let rings = names.iter().map(|n| rings(n)).collect();
        let mut roles = Roles {
            rings,
            things: kinds(&names),
            names,
            concepts,
            series,
            measures: Vec::new(),
            levels: levels(grid),
            labels: labels(grid),
        };
        roles.measures = (0..grid.columns.len()).filter(|c| roles.is_measure(grid, *c)).collect();
        roles
    }

    /// Whether a column is about something, by its name.
    pub(crate) fn is_about(&self, column: usize, concept: Concept) -> bool {
        self.concepts.get(column).is_some_and(|c| c.contains(&concept))
    }

    /// Whether the rows are things of a kind, by their columns.
    pub(crate) fn is_thing(&self, thing: usize) -> bool {
        self.things.get(&thing).is_some_and(|n| *n >= TYPICAL)
    }

    /// Whether words name a kind of row of which no column is typical, while the rows are known to be others.
    pub(crate) fn is_other_thing(&self, words: &[Word], from: usize, len: usize) -> bool {
        let mut named =
            Thesaurus::get().things(words, from).into_iter().filter(|(n, _)| *n == len).peekable();
        named.peek().is_some()
            && named.all(|(_, thing)| !self.things.contains_key(&thing))
            && self.things.values().any(|n| *n >= TYPICAL)
    }

    /// The time a column stands for.
    pub(crate) fn series_time(&self, column: usize) -> Option<Time> {
        self.series.get(column).copied().flatten()
    }

    /// The columns of a series that lie in a time: the months of a quarter.
    pub(crate) fn within(&self, time: Time) -> Vec<usize> {
        let lies = |(c, of): (usize, &Option<Time>)| of.filter(|of| time.covers(*of)).map(|_| c);
        self.series.iter().enumerate().filter_map(lies).collect()
    }

    /// The columns that are a series: months, quarters, years.
    pub(crate) fn series(&self) -> Vec<usize> {
        self.series.iter().enumerate().filter(|(_, t)| t.is_some()).map(|(c, _)| c).collect()
    }

    /// Whether a column's values only tell things apart: nobody asks which order number is the largest, or which is below 2015.
    pub(crate) fn is_id(&self, grid: &Grid, column: usize) -> bool {
        let Some(field) = grid.columns.get(column) else { return false };
        if grid.references.contains(&column) {
            return true;
        }
        match (field.kind, field.measure) {
            (Kind::Integer, _) => names_id(field),
            (Kind::Text, Measure::Lead) => !field.is_lead_number() && (names_id(field) || field.is_key()),
            _ => false,
        }
    }

    /// Whether a column holds amounts of money.
    pub(crate) fn is_money(&self, grid: &Grid, column: usize) -> bool {
        use Concept::{Balance, Expense, Income, Money, Price, Profit, Rent, Revenue, Salary, Tax};
        const UNITS: [&str; 16] = [
            "€", "eur", "$", "usd", "£", "gbp", "chf", "¥", "cny", "rmb", "元", "万元", "亿元", "tsd. €",
            "k€", "sek",
        ];
        let unit =
            grid.columns.get(column).and_then(|f| f.unit.as_deref()).unwrap_or_default().to_lowercase();
        let kinds = [Balance, Expense, Income, Money, Price, Profit, Rent, Revenue, Salary, Tax];
        UNITS.contains(&unit.as_str()) || kinds.iter().any(|k| self.is_about(column, *k))
    }

    /// Whether a column's numbers are codes: nobody adds up ids, years or telephone numbers.
    pub(crate) fn is_code(&self, grid: &Grid, column: usize) -> bool {
        const CODES: [&str; 16] = [
            "id", "nr", "no", "code", "zip", "plz", "postcode", "phone", "year", "jahr", "annee", "rank",
            "年", "年份", "编号", "序号",
        ];
        let Some(field) = grid.columns.get(column) else { return false };
        let said = |w: &Word| CODES.contains(&w.text.as_str());
        let names_code =
            self.names.get(column).is_some_and(|n| n.first().is_some_and(|n| n.iter().any(said)))
                || CODES.contains(&field.name.as_str());
        let counts_rows = column == 0 && is_numbering(field);
        counts_rows
            || column == 0 && is_registered(field)
            || (names_code && field.decimals == 0)
            || field.is_year() && field.unit.is_none() && names_year(field)
    }

    fn is_measure(&self, grid: &Grid, column: usize) -> bool {
        grid.columns.get(column).is_some_and(|f| f.is_number()) && !self.is_code(grid, column)
    }

    /// The column that names a row.
    pub(crate) fn key(&self, grid: &Grid) -> Option<usize> {
        let texts = || (0..grid.columns.len()).filter(|c| is_text(grid, *c));
        let is_named = |c: &usize| {
            [Concept::Name, Concept::Person, Concept::Product, Concept::Title]
                .iter()
                .any(|k| self.is_about(*c, *k))
        };
        let is_id = |c: &usize| self.is_about(*c, Concept::Code);
        let is_key = |c: &usize| grid.columns.get(*c).is_some_and(Field::is_key);
        let first =
            texts().find(|c| is_key(c) && is_named(c)).or_else(|| texts().find(|c| is_key(c) && !is_id(c)));
        // Rows that share a person are told apart by what else is said of them.
        let is_person = |c: &usize| self.is_about(*c, Concept::Person) && !self.is_about(*c, Concept::Name);
        let varied = texts().filter(|c| !is_id(c) && !is_person(c));
        let varied =
            varied.max_by_key(|c| (grid.columns.get(*c).map_or(0, |f| f.values.len()), usize::MAX - c));
        first
            .or_else(|| texts().find(|c| is_named(c) && !is_person(c)))
            .or_else(|| varied.filter(|c| texts().find(is_named).is_some_and(|n| is_person(&n) && n != *c)))
            .or_else(|| texts().find(is_named))
            .or_else(|| texts().find(|c| !is_id(c)))
            .or_else(|| texts().next())
    }

    /// Whether a column says who.
    pub(crate) fn is_who(&self, grid: &Grid, column: usize) -> bool {
        is_text(grid, column) && WHO.iter().any(|k| self.is_about(column, *k))
    }

    /// The column that says who.
    pub(crate) fn person(&self, grid: &Grid) -> Option<usize> {
        let is = |c: &usize, k: &Concept| is_text(grid, *c) && self.is_about(*c, *k);
        let all = || WHO.iter().filter_map(|k| (0..grid.columns.len()).find(|c| is(c, k)));
        // The numbers of a staff are nobody's names.
        let has_letters = |c: &usize| {
            let cells = grid.columns.get(*c).into_iter().flat_map(|f| &f.cells);
            cells.filter(|cell| !cell.text.is_empty()).any(|cell| cell.text.chars().any(char::is_alphabetic))
        };
        all().find(has_letters).or_else(|| all().next())
    }

    /// The column of amounts in a table of sales that has no other word for what comes in.
    pub(crate) fn takings(&self, grid: &Grid) -> Option<usize> {
        let about = |k: Concept| (0..grid.columns.len()).any(|c| self.is_about(c, k));
        let of_sales = about(Concept::Product) || about(Concept::Customer);
        // The `Sales rep` is no revenue.
        let sized = |k: Concept| self.measures.iter().any(|c| self.is_about(*c, k));
        let none = !sized(Concept::Revenue) && !sized(Concept::Expense) && !sized(Concept::Income);
        let mut amounts = self.measures.iter().copied().filter(|c| self.is_about(*c, Concept::Money));
        let first = amounts.next()?;
        (of_sales && none && amounts.next().is_none()).then_some(first)
    }

    /// The columns of days.
    pub(crate) fn days(&self, grid: &Grid) -> Vec<usize> {
        (0..grid.columns.len())
            .filter(|c| grid.columns.get(*c).is_some_and(|f| f.measure == Measure::Day))
            .collect()
    }

    /// The columns of times that are written with colons.
    pub(crate) fn clocks(&self, grid: &Grid) -> Vec<usize> {
        let is_clock = |c: &usize| grid.columns.get(*c).is_some_and(|f| f.measure == Measure::Clock);
        (0..grid.columns.len()).filter(is_clock).collect()
    }

    /// The columns of whole years.
    pub(crate) fn years(&self, grid: &Grid) -> Vec<usize> {
        let is = |f: &Field| f.is_year() && (f.kind == Kind::Integer || f.kind == Kind::Text);
        (0..grid.columns.len()).filter(|c| grid.columns.get(*c).is_some_and(is)).collect()
    }
}

/// The levels of headers with several, but for those that name one column alone and are its last.
fn levels(grid: &Grid) -> Vec<(String, Vec<usize>)> {
    let mut found: Vec<(String, Vec<usize>)> = Vec::new();
    for (column, field) in grid.columns.iter().enumerate().filter(|(_, f)| f.name.contains(" / ")) {
        for level in field.name.split(" / ") {
            match found.iter_mut().find(|(name, _)| name == level) {
                Some((_, columns)) => columns.push(column),
                None => found.push((level.to_owned(), vec![column])),
            }
        }
    }
    found
}

/// The most labels of a form.
const FORM: usize = 60;

/// The labels of a table that has nothing but labels and values.
fn labels(grid: &Grid) -> Vec<Label> {
    let [label, _] = grid.columns.as_slice() else { return Vec::new() };
    if label.kind != Kind::Text || !label.is_key() || grid.len() > FORM {
        return Vec::new();
    }
    let of = |cell: &crate::grid::Cell| {
        let names = names(&cell.text);
        let concepts = concepts(&names);
        Label { value: Value { text: cell.text.clone(), plain: cell.plain.clone() }, names, concepts }
    };
    label.cells.iter().map(of).collect()
}

/// Whether a column is called what tells things apart: `order_no`, `Personalnummer`. A `No.` alone may as well be how many.
fn names_id(field: &Field) -> bool {
    const LAST: [&str; 24] = [
        "id",
        "ids",
        "nr",
        "no",
        "number",
        "num",
        "nummer",
        "numero",
        "code",
        "zip",
        "plz",
        "postcode",
        "postleitzahl",
        "phone",
        "tel",
        "telefon",
        "telephone",
        "mobile",
        "sku",
        "iban",
        "isbn",
        "ean",
        "ref",
        "uuid",
    ];
    const ENDS: [&str; 4] = ["nummer", "nr", "-id", "_id"];
    const HAN: [&str; 14] = [
        "编号", "号码", "工号", "学号", "单号", "卡号", "证号", "电话", "手机", "邮编", "条码", "编码",
        "代码", "货号",
    ];
    let name = field.name.trim().trim_end_matches(['.', ':', '#']).to_lowercase();
    let words = word::words(&spaced(&field.name));
    let said = words.last().is_some_and(|w| LAST.contains(&w.text.as_str()));
    let alone = words.len() == 1
        && words.iter().all(|w| matches!(w.text.as_str(), "no" | "nr" | "number" | "num" | "nummer"));
    let ends = ENDS.iter().any(|e| name.len() > e.len() + 2 && name.ends_with(e))
        || HAN.iter().any(|e| name.ends_with(e));
    (ends || said) && (!alone || field.is_key())
}

fn names_year(field: &Field) -> bool {
    field.words.iter().any(|w| matches!(w.text.as_str(), "year" | "jahr" | "annee" | "年" | "season" | "fy"))
        || field.name.trim().is_empty()
}

/// Whether a column numbers the rows: one after another, none twice.
fn is_numbering(field: &Field) -> bool {
    let sizes: Vec<f64> = field.cells.iter().filter_map(|c| c.size).collect();
    let rises = sizes.windows(2).all(|w| matches!(w, [a, b] if b - a == 1.0));
    field.kind == Kind::Integer && sizes.len() == field.cells.len() && sizes.len() > 2 && rises
}

/// Whether numbers are those that rows were registered under: they rise from row to row, none is there twice, and all are as long:
/// 88032, 88078, 88178.
fn is_registered(field: &Field) -> bool {
    const FEW: usize = 6;
    let sizes: Vec<f64> = field.cells.iter().filter_map(|c| c.size).collect();
    let rises = sizes.windows(2).all(|w| matches!(w, [a, b] if a < b));
    let falls = sizes.windows(2).all(|w| matches!(w, [a, b] if a > b));
    let digits = |s: &f64| s.abs().log10().floor();
    let is_long = sizes.iter().all(|s| *s >= 100.0) && sizes.first().map(digits) == sizes.last().map(digits);
    field.kind == Kind::Integer
        && field.unit.is_none()
        && !field.is_year()
        && sizes.len() == field.cells.len()
        && sizes.len() >= FEW
        && is_long
        && (rises || falls)
}

/// Whether a column holds texts that are no measure.
pub(crate) fn is_text(grid: &Grid, column: usize) -> bool {
    grid.columns.get(column).is_some_and(|f| f.kind == Kind::Text)
}

/// The names of a column: whole, without what stands in brackets, and without a unit at its end.
fn names(name: &str) -> Vec<Vec<Word>> {
    let mut found = vec![word::words(&spaced(name))];
    let mut depth = 0;
    let bare: String = name
        .chars()
        .filter(|c| {
            depth += i32::from(matches!(c, '(' | '[' | '（'));
            let keep = depth == 0;
            depth -= i32::from(matches!(c, ')' | ']' | '）'));
            keep
        })
        .collect();
    let mut bare = word::words(&spaced(&bare));
    push_new(&mut found, bare.clone());
    // `gas_m3` is the gas.
    let is_unit = |w: &Word| {
        let senses = Lexicon::get().senses(std::slice::from_ref(w), 0);
        let others = ["m3", "m2", "mg", "ml", "pct", "sqm", "sqft", "kwh", "hpa", "mbar", "c", "l"];
        senses.iter().any(|(_, s)| *s == Sense::Unit) || others.contains(&w.text.as_str())
    };
    if bare.len() > 1 && bare.last().is_some_and(is_unit) {
        let short = bare.iter().take(bare.len() - 1).cloned().collect();
        push_new(&mut found, short);
    }
    if let Some(at) = bare.iter().position(|w| w.text == "in").filter(|at| *at > 0) {
        bare.truncate(at);
        push_new(&mut found, bare);
    }
    if let Some(of) = rate_of(name) {
        found = vec![word::words(&format!("price per {of}"))];
    }
    found.retain(|words| !words.is_empty());
    found
}

/// What a price is for: the litre of `€/litre`. It is a price, and no number of litres.
fn rate_of(name: &str) -> Option<&str> {
    const CURRENCIES: [&str; 11] = ["€", "$", "£", "¥", "eur", "usd", "gbp", "chf", "ct", "cent", "元"];
    let (money, of) = name.trim().split_once('/')?;
    (CURRENCIES.contains(&money.trim().to_lowercase().as_str()) && !of.contains('/')).then(|| of.trim())
}

fn push_new(found: &mut Vec<Vec<Word>>, words: Vec<Word>) {
    let is_new = found.iter().all(|f| f.len() != words.len());
    if is_new && !words.is_empty() {
        found.push(words);
    }
}

/// `unitPrice` as `unit Price`.
fn spaced(name: &str) -> String {
    let mut spaced = String::with_capacity(name.len() + 4);
    // A single letter is no word: the `k` of `kWh`.
    let mut run = 0;
    for c in name.chars() {
        if run > 1 && c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        run = if c.is_lowercase() { run + 1 } else { usize::from(c.is_uppercase()) };
    }
    spaced
}

fn concepts(names: &[Vec<Word>]) -> Vec<Concept> {
    let lexicon = Lexicon::get();
    let mut found = Vec::new();
    for name in names {
        for from in 0..name.len() {
            for len in 1..=4.min(name.len() - from) {
                let words = name.get(from..from + len).unwrap_or_default();
                found.extend(lexicon.concepts(words));
            }
        }
        for word in name.iter().filter(|w| w.text.len() > 6 && w.text.is_ascii()) {
            found.extend(lexicon.compounds(&word.text));
        }
    }
    found.dedup();
    found
}

/// The attributes of the thesaurus that a name stands for: all of it, or what it is at heart.
fn rings(names: &[Vec<Word>]) -> Vec<usize> {
    let of = |name: &Vec<Word>| -> Vec<usize> {
        let at = |from: usize| {
            let found = Thesaurus::get().attributes(name, from).into_iter();
            found.filter(move |(len, _)| has_head(name, from, *len)).map(|(_, ring)| ring)
        };
        (0..name.len()).flat_map(at).collect()
    };
    let mut found: Vec<usize> = names.iter().flat_map(of).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The kinds of row that columns are typical of.
fn kinds(names: &[Vec<Vec<Word>>]) -> HashMap<usize, usize> {
    let mut kinds = HashMap::new();
    for column in names {
        let mut typical: Vec<usize> =
            column.iter().flat_map(|name| Thesaurus::get().typical_of(name)).collect();
        typical.sort_unstable();
        typical.dedup();
        typical.into_iter().for_each(|thing| *kinds.entry(thing).or_default() += 1);
    }
    kinds
}

/// The times that columns stand for, where at least a few do.
pub(crate) fn series(grid: &Grid) -> Vec<Option<Time>> {
    let time = |f: &Field| {
        calendar::of_text(&f.name)
            .filter(|_| !f.is_derived)
            .filter(|_| f.is_number() || f.filled == 0 || f.measure == Measure::Lead)
    };
    let times: Vec<Option<Time>> = grid.columns.iter().map(time).collect();
    let known = times.iter().flatten().count();
    if known >= SERIES || (known == 2 && grid.columns.len() <= 4) {
        times
    } else {
        vec![None; grid.columns.len()]
    }
}

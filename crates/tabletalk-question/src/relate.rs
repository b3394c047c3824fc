//! Finds which columns name the rows of other tables: an order's `product_id` names a row of the products.
//!
//! A column refers to a key of another table when nearly all its values are there, and the key tells nearly all rows of
//! that table apart. Small numbers are in every list of numbers, so a column of numbers must be called after the table or
//! its key too.

use crate::analyse::Question;
use crate::grammar::is_same;
use crate::link;
use crate::read::Subject;
use crate::view::{names_rows, noun};
use crate::word::{self, Word};
use rustc_hash::FxHashSet;
use tabletalk_core::{Batch, Column, Kind};

/// How much of a table's rows a key must tell apart: a list may have a row twice by mistake.
const UNIQUE: f64 = 0.98;
/// How much of the values of a column must be among those of a key: an export may be younger than a list.
const INCLUDED: f64 = 0.9;
/// The same for a column that is called after the key: nothing else can be meant, and of four departments one may have gone. Chosen by
/// hand with the related files of the tests at hand, as the two above.
const INCLUDED_NAMED: f64 = 0.7;
/// ColumnProfile that a column must have to refer to a key without being called after it.
const MANY: usize = 3;
/// More distinct values are not compared.
const MOST: usize = 1_000_000;

/// A table whose columns are compared with those of others.
#[derive(Debug, Clone, Default)]
pub struct TableProfile {
    /// The name of the relation.
    pub name: String,
    /// What is known of each column.
    pub columns: Vec<ColumnProfile>,
}

/// What is known of the values of a column.
#[derive(Debug, Clone)]
pub struct ColumnProfile {
    name: Vec<Word>,
    kind: Kind,
    rows: u64,
    filled: u64,
    hashes: FxHashSet<u64>,
}

impl ColumnProfile {
    /// A column of which no value was seen yet.
    pub fn new(column: &Column) -> Self {
        let name = word::words(&column.name);
        ColumnProfile { name, kind: column.kind, rows: 0, filled: 0, hashes: FxHashSet::default() }
    }

    /// Sees the cells of a column in some rows.
    pub fn see(&mut self, batch: &Batch, column: usize) {
        let Some(cells) = batch.columns.get(column).filter(|_| self.is_key_kind()) else { return };
        for i in (0..batch.len()).filter(|i| batch.mark(*i).is_data()) {
            self.rows += 1;
            if cells.is_empty(i) || self.hashes.len() > MOST {
                continue;
            }
            self.filled += 1;
            self.hashes.insert(hash(&tabletalk_core::table::plain(&cells.value, i)));
        }
    }

    fn is_key_kind(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Text)
    }

    fn distinct(&self) -> usize {
        self.hashes.len()
    }

    /// Whether it tells nearly all rows of its table apart.
    fn is_unique(&self) -> bool {
        let least = UNIQUE * self.rows as f64;
        (2..=MOST).contains(&self.distinct()) && self.distinct() as f64 >= least
    }
}

fn hash(text: &str) -> u64 {
    use std::hash::BuildHasher;
    rustc_hash::FxBuildHasher.hash_one(text)
}

impl TableProfile {
    /// A table whose rows are all at hand.
    pub fn new(name: &str, columns: &[Column], batches: &[Batch]) -> Self {
        let mut profile =
            TableProfile { name: name.to_owned(), columns: columns.iter().map(ColumnProfile::new).collect() };
        batches.iter().for_each(|batch| profile.see(batch));
        profile
    }

    /// Sees some rows of the table.
    pub fn see(&mut self, batch: &Batch) {
        self.columns.iter_mut().enumerate().for_each(|(c, values)| values.see(batch, c));
    }
}

/// An inclusion dependency that makes a foreign key: a column that names rows of another table. Tables and columns are numbers of those that were compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inclusion {
    /// The table that refers, and its column.
    pub from: (usize, usize),
    /// The table that is referred to, and the key of its rows.
    pub to: (usize, usize),
    /// How many of the distinct values of the column are there.
    pub share: f32,
}

/// The foreign keys among tables: for each column at most one, that of the table it fits best.
pub fn foreign_keys(tables: &[TableProfile]) -> Vec<Inclusion> {
    let keys: Vec<(usize, usize)> = (0..tables.len())
        .flat_map(|t| (0..tables.get(t).map_or(0, |p| p.columns.len())).map(move |c| (t, c)))
        .filter(|at| of(tables, *at).is_some_and(|(_, key)| key.is_unique()))
        .collect();
    let mut found = Vec::new();
    for (t, table) in tables.iter().enumerate() {
        for (c, column) in table.columns.iter().enumerate().filter(|(_, column)| column.is_key_kind()) {
            let fits = keys.iter().filter(|to| to.0 != t).filter_map(|to| {
                let (other, key) = of(tables, *to)?;
                let fit = fit(column, other, key)?;
                Some((fit, Inclusion { from: (t, c), to: *to, share: fit.included as f32 }))
            });
            found.extend(fits.max_by(|a, b| a.0.rank().total_cmp(&b.0.rank())).map(|(_, key)| key));
        }
    }
    // Of two lists that name each other, the one that is all in the other refers to it.
    let reverse = |key: &Inclusion| found.iter().find(|other| other.from == key.to && other.to == key.from);
    let is_kept = |key: &Inclusion| reverse(key).is_none_or(|other| key.share >= other.share);
    found.iter().copied().filter(is_kept).collect()
}

/// Whether a text is a code rather than a name: it has digits, or is a few capitals.
pub(crate) fn is_code(text: &str) -> bool {
    let is_short = text.len() <= 4 && !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase());
    is_short || text.bytes().any(|b| b.is_ascii_digit())
}

fn of(tables: &[TableProfile], at: (usize, usize)) -> Option<(&TableProfile, &ColumnProfile)> {
    let table = tables.get(at.0)?;
    Some((table, table.columns.get(at.1)?))
}

/// Tables that are joined to one at most.
const JOINED: usize = 4;
/// How many steps a joined table is away at most.
const STEPS: usize = 2;

/// The keys by which a table is joined with those it refers to, and with those that they refer to, the nearest first. Each key
/// is the table that refers and the one that is referred to. A table that is referred to by two columns is left out: a match has
/// two teams, and which is meant nobody can say.
pub fn ways<T: PartialEq>(base: &T, keys: &[(T, T)]) -> Vec<usize> {
    let mut reached: Vec<(&T, usize)> = vec![(base, 0)];
    let mut ways = Vec::new();
    let mut at = 0;
    while let Some((table, steps)) = reached.get(at).copied() {
        let own = || keys.iter().enumerate().filter(|(_, (from, _))| from == table);
        for (i, (_, to)) in own().filter(|_| steps < STEPS) {
            let is_only = own().filter(|(_, (_, other))| other == to).count() == 1;
            let is_new = reached.iter().all(|(table, _)| *table != to);
            if is_only && is_new && ways.len() < JOINED {
                reached.push((to, steps + 1));
                ways.push(i);
            }
        }
        at += 1;
    }
    ways
}

/// Whether the key of a table is a code, and it names its rows otherwise too.
pub fn has_names(columns: &[Column], key: &str, relation: &str) -> bool {
    let noun = noun(relation);
    let own = columns.iter().find(|c| c.name == key);
    let frequent = own.and_then(|c| c.stats.as_ref()).map_or(&[][..], |s| s.frequent.as_slice());
    let is_coded = own.is_some_and(|c| c.kind == Kind::Integer) || frequent.iter().any(|text| is_code(text));
    is_coded && columns.iter().any(|c| c.name != key && c.kind == Kind::Text && names_rows(&c.name, &noun))
}

/// Whether a question speaks of the rows of a table that are none of a table with these columns.
pub fn speaks_of(question: &str, relation: &str, columns: &[Column]) -> bool {
    let noun = word::words(&noun(relation));
    let is_in = |text: &str| {
        let words = word::words(text);
        noun.iter().all(|n| words.iter().any(|w| is_same(n, w)))
    };
    noun.iter().any(|n| n.text.len() > 3 || n.is_han())
        && is_in(question)
        && !columns.iter().any(|c| is_in(&c.name))
}

/// How far the names of columns are said in a question: 1 where all words of all are.
pub fn said(question: &str, names: &[&str]) -> f32 {
    let asked = word::words(question);
    let share = |name: &&str| {
        let words = word::words(name);
        let said = words.iter().filter(|n| asked.iter().any(|w| is_same(n, w))).count();
        said as f32 / words.len().max(1) as f32
    };
    names.iter().map(share).sum::<f32>() / names.len().max(1) as f32
}

/// Whether a column tells nearly all rows of its table apart, by what was counted.
pub fn is_key(column: &Column, rows: u64) -> bool {
    let distinct = column.stats.as_ref().map_or(0, |s| s.distinct);
    distinct >= 2 && distinct as f64 >= UNIQUE * rows as f64
}

/// Whether a column may refer to a key of a table, by what was counted of both; so that only few need be looked at.
pub fn may_refer(column: &Column, key: &Column, table: &str, rows: u64) -> bool {
    let (Some(own), Some(other)) = (&column.stats, &key.stats) else { return false };
    let fits = column.kind == key.kind && matches!(key.kind, Kind::Integer | Kind::Text);
    let is_many =
        own.distinct <= MOST as u64 && own.distinct as f64 * INCLUDED_NAMED <= other.distinct as f64;
    let may = || {
        key.kind == Kind::Text && own.distinct >= MANY as u64
            || is_named(&word::words(&column.name), &word::words(table), &word::words(&key.name))
    };
    is_key(key, rows) && fits && is_many && own.distinct > 0 && may()
}

/// The words of a question that a table knows: by the names of its columns, the whole values of its cells, and what it is called.
pub fn known(question: &str, subject: &Subject<'_>) -> Vec<String> {
    /// A name is known that is said so far.
    const SAID: f32 = 0.5;
    let question = Question::new(question);
    let grid = subject.grid;
    let named =
        link::names(&question, grid).into_iter().filter(|n| n.share >= SAID).fold(0, |all, n| all | n.mask);
    let values = link::values(&question, grid).into_iter().filter(|l| l.grade == link::Grade::Whole);
    let linked = values.fold(named, |all, l| all | l.mask);
    let called: Vec<Word> = [subject.relation, subject.title].into_iter().flat_map(word::words).collect();
    let cues = question.cues.iter().fold(0, |all, cue| all | cue);
    let is_known = |(i, w): &(usize, &Word)| {
        let says = question.content & !cues;
        says >> i & 1 == 1 && (linked >> i & 1 == 1 || called.iter().any(|c| is_same(c, w)))
    };
    question.words.iter().enumerate().filter(is_known).map(|(_, w)| w.text.clone()).collect()
}

/// How well a column fits a key.
#[derive(Clone, Copy)]
struct Fit {
    /// How many of its values are among those of the key.
    included: f64,
    /// How many of those of the key it has.
    covered: f64,
    /// Whether it is called after the table or its key.
    is_named: bool,
}

impl Fit {
    fn rank(&self) -> f64 {
        f64::from(u8::from(self.is_named)) * 2.0 + self.included + self.covered * 0.5
    }
}

fn fit(column: &ColumnProfile, table: &TableProfile, key: &ColumnProfile) -> Option<Fit> {
    if column.kind != key.kind || column.distinct() == 0 || column.distinct() > MOST {
        return None;
    }
    let is_named = is_named(&column.name, &word::words(&table.name), &key.name);
    let may = is_named || column.kind == Kind::Text && column.distinct() >= MANY;
    let least = if is_named { INCLUDED_NAMED } else { INCLUDED };
    if !may || column.distinct() as f64 * least > key.distinct() as f64 {
        return None;
    }
    let both = column.hashes.iter().filter(|hash| key.hashes.contains(hash)).count() as f64;
    let (included, covered) = (both / column.distinct() as f64, both / key.distinct() as f64);
    (included >= least).then_some(Fit { included, covered, is_named })
}

/// Words that say only that something is a key.
const KEYS: [&str; 27] = [
    "id", "ids", "no", "nr", "num", "number", "nummer", "numero", "code", "key", "name", "nom", "ref", "fk",
    "pk", "title", "of", "the", "编", "号", "代", "码", "名", "称", "表", "序", "id号",
];

/// Whether a column is called after a table or its key.
fn is_named(column: &[Word], table: &[Word], key: &[Word]) -> bool {
    let says = |w: &&Word| !KEYS.contains(&w.text.as_str());
    let is_like = |a: &Word, b: &Word| {
        a.stem == b.stem
            || word::is_inflected(&a.text, &b.text)
            || begins(&a.text, &b.stem)
            || begins(&b.text, &a.stem)
    };
    let is_in = |w: &Word, names: &[Word]| names.iter().filter(says).any(|n| is_like(n, w));
    let said: Vec<&Word> = column.iter().filter(says).collect();
    let whole = !said.is_empty() && said.len() == key.iter().filter(says).count();
    let least = if said.iter().all(|w| w.is_han()) { 2.min(said.len()) } else { 1 };
    let of = |names: &[Word]| said.iter().filter(|w| is_in(w, names)).count();
    of(table).max(of(key)) >= least.max(1) && !said.is_empty() || whole && of(key) == said.len()
}

/// Whether a word begins with another: `cust` for customers, `Kundennummer` for Kunden.
fn begins(word: &str, stem: &str) -> bool {
    stem.len() >= 4 && word.starts_with(stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::{Place, Rows};

    fn profile(name: &str, rows: &[&[&str]]) -> TableProfile {
        let texts = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = rows.iter().map(texts).collect();
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("t.csv"));
        let Rows::Memory(batches) = &table.rows else { panic!("rows in memory") };
        TableProfile::new(name, &table.columns, batches)
    }

    fn orders() -> TableProfile {
        profile(
            "orders",
            &[
                &["order", "product_id", "Client", "pieces"],
                &["1001", "1", "Ann Lee", "2"],
                &["1002", "2", "Bo Hill", "1"],
                &["1003", "1", "Ann Lee", "3"],
                &["1004", "3", "Cy Roth", "1"],
            ],
        )
    }

    #[test]
    fn keys_are_found_by_values_and_names() {
        let products = profile(
            "products",
            &[&["id", "name"], &["1", "Kettle"], &["2", "Lamp"], &["3", "Chair"], &["4", "Desk"]],
        );
        let clients = profile(
            "clients",
            &[&["Name", "City"], &["Ann Lee", "Oslo"], &["Bo Hill", "Leeds"], &["Cy Roth", "Oslo"]],
        );
        let found = foreign_keys(&[orders(), products, clients]);
        let ways: Vec<_> = found.iter().map(|key| (key.from, key.to)).collect();
        assert_eq!(ways, [((0, 1), (1, 0)), ((0, 2), (2, 0))], "pieces are no products");
    }

    #[test]
    fn of_two_lists_the_smaller_refers_to_the_larger() {
        let cities = profile(
            "cities",
            &[&["city", "country"], &["Oslo", "NO"], &["Turku", "FI"], &["Malmö", "SE"], &["Aarhus", "DK"]],
        );
        let offices = profile(
            "offices",
            &[&["office", "city"], &["North", "Oslo"], &["East", "Turku"], &["South", "Malmö"]],
        );
        let found = foreign_keys(&[cities, offices]);
        let ways: Vec<_> = found.iter().map(|key| (key.from, key.to)).collect();
        assert_eq!(ways, [((1, 1), (0, 0))]);
    }

    #[test]
    fn a_key_that_is_not_unique_is_none() {
        let visits = profile(
            "clients",
            &[
                &["Name", "Day"],
                &["Ann Lee", "Mon"],
                &["Bo Hill", "Tue"],
                &["Ann Lee", "Wed"],
                &["Cy Roth", "Wed"],
            ],
        );
        assert_eq!(foreign_keys(&[orders(), visits]), []);
    }

    #[test]
    fn ways_are_short_and_leave_no_doubt() {
        let keys =
            [("lines", "products"), ("products", "makers"), ("makers", "countries"), ("lines", "orders")];
        assert_eq!(ways(&"lines", &keys), [0, 3, 1], "countries are three steps away");
        assert_eq!(ways(&"products", &keys), [1, 2]);
        assert!(ways(&"matches", &[("matches", "teams"), ("matches", "teams")]).is_empty());
    }

    #[test]
    fn names_meet_in_other_forms() {
        let named = |a: &str, b: &str, c: &str| is_named(&word::words(a), &word::words(b), &word::words(c));
        assert!(named("dept", "departments", "dept") && named("Product", "product_list", "SKU"));
        assert!(named("产品编号", "产品", "编号") && named("客户编号", "客户信息", "客户编号"));
        assert!(!named("quantity", "products", "id") && !named("编号", "产品", "编号"));
    }
}

//! Tables joined to one that a question can be read over: each row of the first with what others say of it.

mod tally;

pub use tally::{Tally, tally};

use crate::amount;
use crate::grammar::is_same;
use crate::grid::Grid;
use crate::program::{Ask, By, Key, Program};
use crate::relate::is_code;
use crate::sql::name;
use crate::word::{self, Word};
use arrow_array::{Array, ArrayRef, StringArray, UInt64Array, cast::AsArray};
use arrow_select::concat::concat;
use arrow_select::take::take;
use rustc_hash::FxHashMap;
use tabletalk_core::{Batch, Cells, Column, Error, Kind, Result, table};

/// A table that takes part.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The name of the relation.
    pub relation: &'a str,
    /// Its columns.
    pub columns: &'a [Column],
    /// Its rows.
    pub batches: &'a [Batch],
}

/// A table that says more of the rows of one before it.
#[derive(Debug, Clone, Copy)]
pub struct Join<'a> {
    /// The column that names its rows: the number of a table, the first being 0, and of its column.
    pub from: (usize, usize),
    /// The table.
    pub side: Side<'a>,
    /// The column that tells its rows apart.
    pub key: usize,
}

/// Where the columns of joined tables come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// What it is called in SQL.
    pub name: String,
    /// The relations, the one whose rows it has first.
    pub relations: Vec<String>,
    /// For each relation after the first: the relation and the column that name its rows, and its key.
    ways: Vec<(usize, String, String)>,
    /// Whether the relations after the first are counted: they refer to the first, which does not refer to them.
    is_tally: bool,
    /// Where each column comes from.
    origin: Vec<Origin>,
    /// What a row of each further relation is called, and the columns that refer to it and that name it.
    pub(crate) things: Vec<Thing>,
}

/// Where a column comes from.
#[derive(Debug, Clone, PartialEq)]
enum Origin {
    /// A relation and what it is called there.
    Column(usize, String),
    /// Two columns, by their numbers here, that are multiplied.
    Product(usize, usize),
    /// How many rows of a relation refer to the row.
    Referring(usize),
}

impl Origin {
    /// Whether it is a column of the first relation.
    fn is_own(&self) -> bool {
        matches!(self, Origin::Column(0, _))
    }
}

/// A row of a relation that is joined.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Thing {
    /// What it is called.
    pub noun: Vec<Word>,
    /// The column that refers to it.
    pub key: usize,
    /// The column that names it; the same where it has no other name.
    pub name: usize,
}

/// The view with its columns and rows.
pub struct Joined {
    /// Where the columns come from.
    pub view: View,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub batches: Vec<Batch>,
}

/// Joins tables: every row of the first stays, once.
pub fn join(base: &Side<'_>, joins: &[Join<'_>]) -> Result<Joined> {
    let own = |c: &Column| Origin::Column(0, c.name.clone());
    let mut joined = Joined {
        view: View {
            relations: vec![base.relation.to_owned()],
            origin: base.columns.iter().map(own).collect(),
            ..View::default()
        },
        columns: base.columns.to_vec(),
        batches: base.batches.to_vec(),
    };
    for one in joins {
        joined.add(base, joins, one)?;
    }
    joined.multiply();
    let others = joined.view.relations.get(1..).unwrap_or_default().join(" and ");
    joined.view.name = match others.is_empty() {
        true => format!("{} with amounts", base.relation),
        false => format!("{} with {others}", base.relation),
    };
    Ok(joined)
}

impl Joined {
    fn add(&mut self, base: &Side<'_>, joins: &[Join<'_>], one: &Join<'_>) -> Result<()> {
        let (table, column) = one.from;
        let side = if table == 0 { Some(base) } else { joins.get(table - 1).map(|j| &j.side) };
        let missing = || Error::bug("a join names a column that is not there");
        let from = side.and_then(|s| s.columns.get(column)).ok_or_else(missing)?.name.clone();
        let key = one.side.columns.get(one.key).ok_or_else(missing)?.name.clone();
        let at = self.view.origin.iter().position(|o| *o == Origin::Column(table, from.clone()));
        // The key of a joined table is what refers to it.
        let is_key = |t: &usize| joins.get(*t).is_some_and(|j| j.key == column);
        let key_at = table.checked_sub(1).filter(is_key).and_then(|t| self.view.things.get(t)).map(|t| t.key);
        let at = at.or(key_at).ok_or_else(missing)?;
        let number = self.view.relations.len();
        let noun = noun(one.side.relation);
        let rest: Vec<usize> = (0..one.side.columns.len()).filter(|c| *c != one.key).collect();
        let first = self.columns.len();
        for c in &rest {
            let Some(column) = one.side.columns.get(*c) else { continue };
            let called = called(&column.name, &noun, &self.columns);
            self.view.origin.push(Origin::Column(number, column.name.clone()));
            self.columns.push(Column { name: called, stats: None, ..column.clone() });
        }
        let lookup = Lookup::new(&one.side, one.key)?;
        for batch in &mut self.batches {
            lookup.extend(batch, at, &rest)?;
        }
        let names = |c: &usize| {
            let column = self.columns.get(*c);
            let own = rest.get(c - first).and_then(|c| one.side.columns.get(*c));
            column.is_some_and(|c| c.kind == Kind::Text) && own.is_some_and(|c| names_rows(&c.name, &noun))
        };
        let is_coded = lookup.rows.keys().any(|key| is_code(key));
        let called = (first..self.columns.len()).find(|c| names(c) && lookup.is_unique(rest.get(c - first)));
        let called = called.filter(|_| is_coded);
        let thing = Thing { noun: word::words(&noun), key: at, name: called.unwrap_or(at) };
        self.view.things.push(thing);
        self.view.relations.push(one.side.relation.to_owned());
        self.view.ways.push((table, from, key));
        Ok(())
    }
}

impl Joined {
    /// The view prepared for questions; a plain table where nothing was joined and nothing multiplied.
    pub fn grid(self, whole: bool) -> Grid {
        match self.view.origin.iter().all(Origin::is_own) {
            true => Grid::new(&self.columns, &self.batches, whole),
            false => Grid::joined(self.view, &self.columns, &self.batches, whole),
        }
    }

    /// Adds what quantities and prices come to, where no column says it.
    fn multiply(&mut self) {
        let Some((quantity, price, name)) = amount::of(&self.columns) else { return };
        let (Some(a), Some(b)) = (self.columns.get(quantity), self.columns.get(price)) else { return };
        let decimals = (a.decimals + b.decimals).min(6);
        let column =
            Column { unit: b.unit.clone(), decimals, style: b.style, ..Column::new(name, Kind::Decimal, 0) };
        for batch in &mut self.batches {
            let cells = |c: usize| batch.columns.get(c);
            let value = match (cells(quantity), cells(price)) {
                (Some(a), Some(b)) => amount::product(&a.value, &b.value),
                _ => arrow_array::new_null_array(&Kind::Decimal.arrow(), batch.rows.len()),
            };
            batch.columns.push(Cells { value, text: None });
        }
        self.columns.push(column);
        self.view.origin.push(Origin::Product(quantity, price));
    }
}

impl View {
    /// Whether a program needs other relations than the first, and the first too: by a column of it, or as what is counted by
    /// its name in the question.
    pub fn is_needed(&self, program: &Program, question: &str) -> bool {
        let columns = program.columns();
        if self.relations.len() == 1 {
            return true;
        }
        if self.is_tally {
            return self.asks_for_none(program);
        }
        let of = |is_own: bool| columns.iter().any(|c| self.has(*c, is_own));
        let rows = word::words(&noun(self.relations.first().map_or("", String::as_str)));
        let asked = word::words(question);
        let is_named = || rows.iter().any(|n| asked.iter().any(|w| is_same(n, w)));
        of(false) && (of(true) || self.is_link(&columns) || is_named())
    }

    /// Whether columns are of relations that only the first brings together: who has been in a room, by the bookings.
    fn is_link(&self, columns: &[usize]) -> bool {
        let mut relations: Vec<usize> = columns.iter().filter_map(|c| self.relation_of(*c)).collect();
        relations.sort_unstable();
        relations.dedup();
        let leads = |from: usize| relations.iter().all(|to| self.leads(from, *to));
        relations.len() > 1 && !relations.iter().any(|from| leads(*from))
    }

    fn relation_of(&self, column: usize) -> Option<usize> {
        match self.origin.get(column)? {
            Origin::Column(relation, _) | Origin::Referring(relation) => Some(*relation),
            Origin::Product(a, _) => self.relation_of(*a),
        }
    }

    /// Whether the way to a relation leads over another, or is the same.
    fn leads(&self, from: usize, to: usize) -> bool {
        let mut at = to;
        while at != from {
            match at.checked_sub(1).and_then(|i| self.ways.get(i)) {
                Some((before, ..)) => at = *before,
                None => return false,
            }
        }
        true
    }

    /// Whether a column comes from the first relation, or from another.
    fn has(&self, column: usize, is_own: bool) -> bool {
        match self.origin.get(column) {
            Some(Origin::Column(relation, _)) => (*relation == 0) == is_own,
            Some(Origin::Product(a, b)) => self.has(*a, is_own) || self.has(*b, is_own),
            Some(Origin::Referring(_)) => !is_own,
            None => false,
        }
    }

    /// Whether a column says something of a thing that several rows may refer to: added up it would count twice.
    pub(crate) fn is_repeated(&self, column: usize) -> bool {
        matches!(self.origin.get(column), Some(Origin::Column(relation, _)) if *relation > 0)
    }

    /// The columns that name what these refer to.
    pub(crate) fn names_of(&self, columns: &[usize]) -> Vec<usize> {
        self.things.iter().filter(|t| columns.contains(&t.key)).map(|t| t.name).collect()
    }

    /// The program with names in the place of keys: who is asked which customer says no number.
    pub fn named(&self, program: &Program) -> Program {
        let of = |column: usize| self.things.iter().find(|t| t.key == column).map_or(column, |t| t.name);
        let ask = match &program.ask {
            Ask::Cells(column) => Ask::Cells(of(*column)),
            Ask::Group { column, most, sum } => Ask::Group { column: of(*column), most: *most, sum: *sum },
            Ask::Table(columns) => Ask::Table(columns.iter().map(|c| of(*c)).collect()),
            Ask::By(by) => {
                let key = |k: &Key| Key { column: of(k.column), ..k.clone() };
                Ask::By(By { keys: by.keys.iter().map(key).collect(), ..by.clone() })
            }
            other => other.clone(),
        };
        Program { rows: program.rows.clone(), ask }
    }

    /// The view as a common table expression with the columns that a statement names.
    pub(crate) fn sql(&self, select: &str, columns: &[String]) -> String {
        let relation = |i: usize| name(self.relations.get(i).map_or("", String::as_str));
        let mut shown = vec![format!("{}.row_id", relation(0))];
        let mut needed: Vec<usize> = Vec::new();
        for (column, called) in columns.iter().enumerate() {
            for ending in ["", " (text)"] {
                let quoted = name(&format!("{called}{ending}"));
                if !select.contains(&quoted) {
                    continue;
                }
                let Some(own) = self.written(column, ending, &mut needed) else { continue };
                shown.push(if own.ends_with(&format!(".{quoted}")) {
                    own
                } else {
                    format!("{own} AS {quoted}")
                });
            }
        }
        let mut from = relation(0);
        let is_needed = |(i, _): &(usize, _)| needed.contains(&(i + 1));
        for (i, way) in self.ways.iter().enumerate().filter(is_needed) {
            from += &match self.is_tally {
                true => self.counted(i + 1, way),
                false => self.beside(i + 1, way),
            };
        }
        format!("{} AS (SELECT {} FROM {from})", name(&self.name), shown.join(", "))
    }
}

impl View {
    /// The row of a relation that one of another refers to.
    fn beside(&self, at: usize, (table, column, key): &(usize, String, String)) -> String {
        let relation = |i: usize| name(self.relations.get(i).map_or("", String::as_str));
        let other = relation(at);
        format!(" LEFT JOIN {other} ON {}.{} = {other}.{}", relation(*table), name(column), name(key))
    }

    /// Whether a statement names a column that the first relation does not have under its own name.
    pub(crate) fn is_named_in(&self, select: &str, columns: &[String]) -> bool {
        let own = self.origin.iter().zip(columns).filter(|(origin, _)| !origin.is_own());
        own.into_iter().any(|(_, called)| select.contains(&name(called)))
    }

    /// A column as it is written in the relations themselves.
    fn written(&self, column: usize, ending: &str, needed: &mut Vec<usize>) -> Option<String> {
        match self.origin.get(column)? {
            Origin::Column(from, own) => {
                self.need(*from, needed);
                let relation = name(self.relations.get(*from)?);
                Some(format!("{relation}.{}", name(&format!("{own}{ending}"))))
            }
            Origin::Product(a, b) if ending.is_empty() => {
                Some(format!("{} * {}", self.written(*a, "", needed)?, self.written(*b, "", needed)?))
            }
            Origin::Product(..) => None,
            Origin::Referring(from) => {
                self.need(*from, needed);
                ending.is_empty().then(|| self.number(*from))
            }
        }
    }

    /// Adds a relation and those on the way to it to the ones that are needed.
    fn need(&self, relation: usize, needed: &mut Vec<usize>) {
        let mut at = relation;
        while at > 0 && !needed.contains(&at) {
            needed.push(at);
            at = self.ways.get(at - 1).map_or(0, |way| way.0);
        }
    }
}

/// The rows of a table by their key.
struct Lookup {
    rows: FxHashMap<String, u64>,
    cells: Vec<Cells>,
}

impl Lookup {
    fn new(side: &Side<'_>, key: usize) -> Result<Self> {
        let mut rows = FxHashMap::default();
        let mut seen = 0;
        for batch in side.batches {
            let keys = batch.columns.get(key);
            for i in (0..batch.len()).filter(|i| batch.mark(*i).is_data()) {
                let Some(cells) = keys.filter(|k| !k.value.is_null(i)) else { continue };
                rows.entry(table::plain(&cells.value, i).into_owned()).or_insert(seen + i as u64);
            }
            seen += batch.len() as u64;
        }
        let cells = (0..side.columns.len()).map(|c| whole(side, c)).collect::<Result<_>>()?;
        Ok(Lookup { rows, cells })
    }

    /// Whether no two rows have the same in a column.
    fn is_unique(&self, column: Option<&usize>) -> bool {
        let Some(cells) = column.and_then(|c| self.cells.get(*c)) else { return false };
        let mut seen = rustc_hash::FxHashSet::default();
        (0..cells.value.len()).all(|i| seen.insert(table::plain(&cells.value, i).into_owned()))
    }

    /// Puts the columns beside those of a batch, each row by the key in one of its columns.
    fn extend(&self, batch: &mut Batch, at: usize, columns: &[usize]) -> Result<()> {
        let keys = batch.columns.get(at).ok_or_else(|| Error::bug("a batch without its column"))?;
        let row = |i: usize| match keys.value.is_null(i) {
            true => None,
            false => self.rows.get(table::plain(&keys.value, i).as_ref()).copied(),
        };
        let rows: UInt64Array = (0..batch.len()).map(row).collect();
        for cells in columns.iter().filter_map(|c| self.cells.get(*c)) {
            let value = take(&cells.value, &rows, None).map_err(failed)?;
            let text = match &cells.text {
                Some(text) => Some(take(text, &rows, None).map_err(failed)?.as_string::<i32>().clone()),
                None => None,
            };
            batch.columns.push(Cells { value, text });
        }
        Ok(())
    }
}

/// The cells of a column in all rows.
fn whole(side: &Side<'_>, column: usize) -> Result<Cells> {
    let all = || side.batches.iter().filter_map(|b| b.columns.get(column));
    let Some(kind) = side.columns.get(column).map(|c| c.kind) else {
        return Err(Error::bug("a table without its column"));
    };
    let values: Vec<&dyn Array> = all().map(|c| c.value.as_ref() as &dyn Array).collect();
    let value = match values.is_empty() {
        true => arrow_array::new_empty_array(&kind.arrow()),
        false => concat(&values).map_err(failed)?,
    };
    if all().all(|c| c.text.is_none()) {
        return Ok(Cells { value, text: None });
    }
    let texts: Vec<ArrayRef> = all()
        .map(|c| match &c.text {
            Some(text) => std::sync::Arc::new(text.clone()) as ArrayRef,
            None => std::sync::Arc::new(StringArray::new_null(c.value.len())),
        })
        .collect();
    let texts: Vec<&dyn Array> = texts.iter().map(|t| t.as_ref() as &dyn Array).collect();
    Ok(Cells { value, text: Some(concat(&texts).map_err(failed)?.as_string::<i32>().clone()) })
}

fn failed(e: arrow_schema::ArrowError) -> Error {
    Error::bug(format!("tables could not be joined: {e}"))
}

/// What a row of a table is called: `product` of the table `products`.
pub(crate) fn noun(relation: &str) -> String {
    let plain = relation.replace(['_', '-'], " ");
    let plain = plain.trim_end_matches("列表").trim_end_matches('表').trim_end_matches("清单");
    let plain = plain.trim_end_matches("信息").trim_end_matches("名单").trim_end_matches("资料").trim();
    let plain =
        [" list", " table", " data", " info"].iter().fold(plain, |text, end| text.trim_end_matches(end));
    match plain {
        many if many.ends_with("ies") && many.len() > 4 => format!("{}y", &many[..many.len() - 3]),
        many if many.ends_with('s') && !many.ends_with("ss") && many.len() > 3 => {
            many[..many.len() - 1].to_owned()
        }
        one => one.to_owned(),
    }
}

/// Whether a column names the rows of its table: it is called a name, or as they are called.
pub(crate) fn names_rows(column: &str, noun: &str) -> bool {
    let (words, noun) = (word::words(column), word::words(noun));
    let is_noun = words.len() == noun.len() && words.iter().zip(&noun).all(|(a, b)| is_same(a, b));
    is_noun || words.iter().any(|w| is_name(&w.text))
}

/// Whether a word of a column's name says that it names things.
fn is_name(word: &str) -> bool {
    matches!(word, "name" | "title" | "titel" | "titre" | "nom" | "bezeichnung" | "designation" | "名")
}

/// What a column of another table is called here: by what it is of, where its name alone does not say it.
fn called(column: &str, noun: &str, taken: &[Column]) -> String {
    let is_taken = |name: &str| taken.iter().any(|c| c.name.eq_ignore_ascii_case(name));
    let says = |w: &Word| {
        is_name(&w.text)
            || matches!(
                w.text.as_str(),
                "id" | "code" | "type" | "status" | "no" | "number" | "称" | "类" | "型"
            )
    };
    let is_plain = word::words(column).iter().all(says);
    if !is_plain && !is_taken(column) {
        return column.to_owned();
    }
    let joint = if noun.ends_with(word::is_han) { "" } else { " " };
    let mut name = format!("{noun}{joint}{column}");
    while is_taken(&name) {
        name.push('\'');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Condition, Fold, Rows, Subject, Test, Value, execute};
    use tabletalk_core::{Place, Rows as TableRows};

    fn table(rows: &[&[&str]]) -> (Vec<Column>, Vec<Batch>) {
        let texts = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = rows.iter().map(texts).collect();
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("t.csv"));
        let TableRows::Memory(batches) = table.rows else { panic!("rows in memory") };
        (table.columns, batches)
    }

    /// Orders 0 to 3 columns, then makers by way of products: `product name`, `maker`, `price`, `country`, and the product.
    fn orders() -> Grid {
        let orders = table(&[
            &["order", "product", "qty"],
            &["o1", "P1", "2"],
            &["o2", "P2", "1"],
            &["o3", "P9", "4"],
        ]);
        let products = table(&[
            &["id", "name", "maker", "price"],
            &["P1", "Kettle", "Arno", "30"],
            &["P2", "Lamp", "Brix", "12.5"],
        ]);
        let makers = table(&[&["maker", "country"], &["Arno", "Italy"], &["Brix", "Norway"]]);
        let side = |relation, table: &'static (Vec<Column>, Vec<Batch>)| Side {
            relation,
            columns: &table.0,
            batches: &table.1,
        };
        let keep = |table| -> &'static (Vec<Column>, Vec<Batch>) { Box::leak(Box::new(table)) };
        let joins = [
            Join { from: (0, 1), side: side("products", keep(products)), key: 0 },
            Join { from: (1, 2), side: side("makers", keep(makers)), key: 0 },
        ];
        join(&side("orders", keep(orders)), &joins).unwrap().grid(true)
    }

    fn is(column: usize, text: &str) -> Rows {
        let value = Value { text: text.into(), plain: None };
        Rows { conditions: vec![Condition { column, test: Test::Is(vec![value]) }], ..Rows::default() }
    }

    #[test]
    fn only_the_tables_that_a_program_needs_are_joined() {
        let grid = orders();
        let subject = Subject { relation: "orders", title: "", grid: &grid };
        let sql = |rows: Rows, ask: Ask| Program { rows, ask }.sql(&subject);
        let own = sql(Rows::default(), Ask::Fold(Fold::Sum, 2));
        assert_eq!(own, r#"SELECT sum("qty") AS "sum" FROM "orders""#);
        let one = sql(is(3, "Lamp"), Ask::Fold(Fold::Sum, 2));
        assert!(one.contains(r#"LEFT JOIN "products" ON "orders"."product" = "products"."id")"#), "{one}");
        assert!(!one.contains(r#""makers""#), "{one}");
        let far = sql(is(6, "Italy"), Ask::Fold(Fold::Sum, 2));
        assert!(far.contains(r#"LEFT JOIN "makers" ON "products"."maker" = "makers"."maker""#), "{far}");
    }

    #[test]
    fn rows_without_a_partner_stay_and_amounts_are_products() {
        let grid = orders();
        let all = execute(&Program { rows: Rows::default(), ask: Ask::Count }, &grid).unwrap();
        assert_eq!(all.values, ["3"]);
        let revenue = grid.columns.iter().position(|f| f.name == "revenue (qty × price)").unwrap();
        let sum =
            execute(&Program { rows: Rows::default(), ask: Ask::Fold(Fold::Sum, revenue) }, &grid).unwrap();
        assert_eq!(sum.values, ["72.5"]);
    }

    #[test]
    fn codes_are_named_and_names_are_left() {
        let grid = orders();
        let view = grid.view().unwrap();
        let cells = |column: usize| Program { rows: Rows::default(), ask: Ask::Cells(column) };
        assert_eq!(view.named(&cells(1)), cells(3), "P1 is a Kettle");
        assert_eq!(view.named(&cells(4)), cells(4), "Arno is a name");
    }
}

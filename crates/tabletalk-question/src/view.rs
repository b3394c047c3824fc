//! Tables joined to one that a question can be read over: each row of the first with what others say of it.

use crate::grammar::is_same;
use crate::program::Program;
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
    /// The relation of each column, and what it is called there.
    origin: Vec<(usize, String)>,
    /// What a row of each further relation is called, and the column that names it.
    pub(crate) things: Vec<(Vec<Word>, usize)>,
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
    let own = |c: &Column| (0, c.name.clone());
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
    let others = joined.view.relations.get(1..).unwrap_or_default().join(" and ");
    joined.view.name = format!("{} with {others}", base.relation);
    Ok(joined)
}

impl Joined {
    fn add(&mut self, base: &Side<'_>, joins: &[Join<'_>], one: &Join<'_>) -> Result<()> {
        let (table, column) = one.from;
        let side = if table == 0 { Some(base) } else { joins.get(table - 1).map(|j| &j.side) };
        let missing = || Error::bug("a join names a column that is not there");
        let from = side.and_then(|s| s.columns.get(column)).ok_or_else(missing)?.name.clone();
        let key = one.side.columns.get(one.key).ok_or_else(missing)?.name.clone();
        let at = self.view.origin.iter().position(|o| *o == (table, from.clone())).ok_or_else(missing)?;
        let number = self.view.relations.len();
        let noun = noun(one.side.relation);
        let rest: Vec<usize> = (0..one.side.columns.len()).filter(|c| *c != one.key).collect();
        let first = self.columns.len();
        for c in &rest {
            let Some(column) = one.side.columns.get(*c) else { continue };
            let called = called(&column.name, &noun, &self.columns);
            self.view.origin.push((number, column.name.clone()));
            self.columns.push(Column { name: called, stats: None, ..column.clone() });
        }
        let lookup = Lookup::new(&one.side, one.key)?;
        for batch in &mut self.batches {
            lookup.extend(batch, at, &rest)?;
        }
        let names = |c: &usize| {
            let column = self.columns.get(*c);
            column.is_some_and(|c| c.kind == Kind::Text && word::words(&c.name).iter().any(|w| is_name(&w.text)))
        };
        let named = (first..self.columns.len()).find(names).unwrap_or(at);
        self.view.things.push((word::words(&noun), named));
        self.view.relations.push(one.side.relation.to_owned());
        self.view.ways.push((table, from, key));
        Ok(())
    }
}

impl View {
    /// Whether a program needs other relations than the first, and the first too: by a column of it, or as what is counted by
    /// its name in the question.
    pub fn is_needed(&self, program: &Program, question: &str) -> bool {
        let columns = program.columns();
        let of = |is_own: bool| columns.iter().any(|c| self.origin.get(*c).is_some_and(|o| (o.0 == 0) == is_own));
        let rows = word::words(&noun(self.relations.first().map_or("", String::as_str)));
        let asked = word::words(question);
        let is_named = || rows.iter().any(|n| asked.iter().any(|w| is_same(n, w)));
        of(false) && (of(true) || is_named())
    }

    /// The view as a common table expression with the columns that a statement names.
    pub(crate) fn sql(&self, select: &str, columns: &[String]) -> String {
        let relation = |i: usize| name(self.relations.get(i).map_or("", String::as_str));
        let mut shown = vec![format!("{}.row_id", relation(0))];
        let mut needed: Vec<usize> = Vec::new();
        for ((from, own), called) in self.origin.iter().zip(columns) {
            for ending in ["", " (text)"] {
                let quoted = name(&format!("{called}{ending}"));
                if select.contains(&quoted) {
                    self.need(*from, &mut needed);
                    let own = format!("{}.{}", relation(*from), name(&format!("{own}{ending}")));
                    shown.push(if own.ends_with(&format!(".{quoted}")) { own } else { format!("{own} AS {quoted}") });
                }
            }
        }
        let mut from = relation(0);
        for (i, (table, column, key)) in self.ways.iter().enumerate().filter(|(i, _)| needed.contains(&(i + 1))) {
            let other = relation(i + 1);
            from += &format!(
                " LEFT JOIN {other} ON {}.{} = {other}.{}",
                relation(*table),
                name(column),
                name(key)
            );
        }
        format!("{} AS (SELECT {} FROM {from})", name(&self.name), shown.join(", "))
    }
}

impl View {
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
fn noun(relation: &str) -> String {
    let plain = relation.replace(['_', '-'], " ");
    let plain = plain.trim_end_matches("列表").trim_end_matches('表').trim_end_matches("清单");
    let plain = plain.trim_end_matches("信息").trim_end_matches("名单").trim_end_matches("资料").trim();
    let plain = [" list", " table", " data", " info"].iter().fold(plain, |text, end| text.trim_end_matches(end));
    match plain {
        many if many.ends_with("ies") && many.len() > 4 => format!("{}y", &many[..many.len() - 3]),
        many if many.ends_with('s') && !many.ends_with("ss") && many.len() > 3 => many[..many.len() - 1].to_owned(),
        one => one.to_owned(),
    }
}

/// Whether a word of a column's name says that it names things.
fn is_name(word: &str) -> bool {
    matches!(word, "name" | "title" | "titel" | "titre" | "nom" | "bezeichnung" | "designation" | "名")
}

/// What a column of another table is called here: by what it is of, where its name alone does not say it.
fn called(column: &str, noun: &str, taken: &[Column]) -> String {
    let is_taken = |name: &str| taken.iter().any(|c| c.name.eq_ignore_ascii_case(name));
    let says = |w: &Word| {
        is_name(&w.text) || matches!(w.text.as_str(), "id" | "code" | "type" | "status" | "no" | "number" | "称" | "类" | "型")
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

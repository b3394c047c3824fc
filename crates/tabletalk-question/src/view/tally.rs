//! How many rows of other tables refer to each row: what was never ordered has none.

use super::{Joined, Origin, Side, View, called, noun};
use crate::program::{Program, Test};
use crate::sql::name;
use arrow_array::{ArrayRef, Int64Array};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tabletalk_core::{Cells, Column, Error, Kind, Result, table};

/// A table that refers to the rows of another.
#[derive(Debug, Clone, Copy)]
pub struct Tally<'a> {
    /// The table.
    pub side: Side<'a>,
    /// Its column that refers.
    pub from: usize,
    /// The column of the other table that is referred to.
    pub key: usize,
}

/// A table with the number of rows of others that refer to each of its rows.
pub fn tally(base: &Side<'_>, tallies: &[Tally<'_>]) -> Result<Joined> {
    let mut joined = super::join(base, &[])?;
    joined.view.is_tally = true;
    for one in tallies {
        joined.count(base, one)?;
    }
    let others = joined.view.relations.get(1..).unwrap_or_default().join(" and ");
    joined.view.name = format!("{} with the number of {others}", base.relation);
    Ok(joined)
}

impl Joined {
    /// Adds the number of rows that refer to each row.
    fn count(&mut self, base: &Side<'_>, one: &Tally<'_>) -> Result<()> {
        let missing = || Error::bug("a reference names a column that is not there");
        let key = base.columns.get(one.key).ok_or_else(missing)?.name.clone();
        let from = one.side.columns.get(one.from).ok_or_else(missing)?.name.clone();
        let counts = counts(&one.side, one.from);
        for batch in &mut self.batches {
            let keys = batch.columns.get(one.key).ok_or_else(missing)?;
            let number = |i: usize| match keys.value.is_null(i) {
                true => 0,
                false => counts.get(table::plain(&keys.value, i).as_ref()).copied().unwrap_or(0),
            };
            let value: Int64Array = (0..batch.len()).map(|i| Some(number(i))).collect();
            batch.columns.push(Cells { value: Arc::new(value) as ArrayRef, text: None });
        }
        let number = self.view.relations.len();
        let relation = one.side.relation.replace(['_', '-'], " ");
        let called = called(&relation, &noun(one.side.relation), &self.columns);
        self.columns.push(Column::new(called, Kind::Integer, 0));
        self.view.origin.push(Origin::Referring(number));
        self.view.relations.push(one.side.relation.to_owned());
        self.view.ways.push((0, key, from));
        Ok(())
    }
}

/// How often each value stands in a column.
fn counts(side: &Side<'_>, column: usize) -> FxHashMap<String, i64> {
    let mut counts = FxHashMap::default();
    for batch in side.batches {
        let Some(cells) = batch.columns.get(column) else { continue };
        for i in (0..batch.len()).filter(|i| batch.mark(*i).is_data() && !cells.value.is_null(*i)) {
            *counts.entry(table::plain(&cells.value, i).into_owned()).or_default() += 1;
        }
    }
    counts
}

impl View {
    /// Whether a program asks for rows that nothing refers to, and of the number of what refers to them nothing else: the rows of
    /// the other table themselves say more than their number. Times would be those of the first table, where one asks for those of
    /// the other.
    pub(super) fn asks_for_none(&self, program: &Program) -> bool {
        let is_number = |column: usize| matches!(self.origin.get(column), Some(Origin::Referring(_)));
        let is_none =
            |test: &Test| matches!(test, Test::Between(least, most) if *least == 0.0 && *most == 0.0);
        let is_time = |test: &Test| {
            matches!(test, Test::Year(_) | Test::Month(_) | Test::Quarter(_) | Test::Weekday(_))
        };
        let conditions = &program.rows.conditions;
        let fits = |c: &crate::program::Condition| match is_number(c.column) {
            true => is_none(&c.test),
            false => !is_time(&c.test),
        };
        conditions.iter().any(|c| is_number(c.column))
            && conditions.iter().all(fits)
            && !program.ask.columns().into_iter().any(is_number)
    }

    /// The number of rows that refer to the row, as it is written.
    pub(super) fn number(&self, relation: usize) -> String {
        let other = self.relations.get(relation).map_or("", String::as_str);
        format!("coalesce({}.{}, 0)", name(other), name(NUMBER))
    }

    /// The number of rows of a relation that refer to each key.
    pub(super) fn counted(&self, at: usize, (_, key, from): &(usize, String, String)) -> String {
        let relation = |i: usize| name(self.relations.get(i).map_or("", String::as_str));
        let (base, other, from) = (relation(0), relation(at), name(from));
        let counts = format!("SELECT {from}, count(*) AS {} FROM {other} GROUP BY {from}", name(NUMBER));
        format!(" LEFT JOIN ({counts}) AS {other} ON {base}.{} = {other}.{from}", name(key))
    }
}

/// What the number of rows is called inside a statement.
const NUMBER: &str = "number of rows";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SURE, Subject, execute, understand};
    use tabletalk_core::{Batch, Place, Rows};

    fn table(rows: &[&[&str]]) -> (Vec<Column>, Vec<Batch>) {
        let texts = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = rows.iter().map(texts).collect();
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("t.csv"));
        let Rows::Memory(batches) = table.rows else { panic!("rows in memory") };
        (table.columns, batches)
    }

    fn asked(question: &str) -> Vec<String> {
        let customers = table(&[
            &["customer", "city", "phone"],
            &["Ann Lee", "Oslo", "11"],
            &["Bo Hill", "Leeds", "12"],
            &["Cy Roth", "Oslo", "13"],
            &["Di Moor", "Leeds", "14"],
        ]);
        let orders = table(&[
            &["no", "client", "amount"],
            &["1", "Ann Lee", "20"],
            &["2", "Cy Roth", "30"],
            &["3", "Ann Lee", "40"],
        ]);
        let side = |relation, table: &'static (Vec<Column>, Vec<Batch>)| Side {
            relation,
            columns: &table.0,
            batches: &table.1,
        };
        let keep = |table| -> &'static (Vec<Column>, Vec<Batch>) { Box::leak(Box::new(table)) };
        let base = side("customers", keep(customers));
        let one = Tally { side: side("orders", keep(orders)), from: 1, key: 0 };
        let grid = tally(&base, &[one]).unwrap().grid(true);
        let subject = Subject { relation: "customers", title: "", grid: &grid };
        let found = understand(question, &subject, None);
        let view = grid.view().unwrap();
        let is_given = |r: &&crate::Reading| r.probability >= SURE && view.is_needed(&r.program, question);
        let best = found.readings.iter().find(is_given);
        best.map_or(Vec::new(), |r| execute(&r.program, &grid).unwrap().values)
    }

    #[test]
    fn what_nothing_refers_to_is_found() {
        assert_eq!(asked("which customers have no orders?"), ["Bo Hill", "Di Moor"]);
        assert_eq!(asked("customers who never ordered"), ["Bo Hill", "Di Moor"]);
        assert_eq!(asked("which customers in Leeds have never placed an order?"), ["Bo Hill", "Di Moor"]);
        assert_eq!(asked("how many customers are without orders?"), ["2"]);
        assert_eq!(asked("which customers have no orders in 2024?"), [""; 0]);
        assert_eq!(asked("how many orders does Ann Lee have?"), [""; 0], "the orders say so themselves");
    }
}

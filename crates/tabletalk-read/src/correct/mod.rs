//! Applies what a user says of a table that was understood otherwise.
//!
//! Cells are read again from what is written, by the functions that readers use. No text is lost: one that
//! cannot be read as the new type stays as text, a row that leaves the header becomes a row of data, and the
//! other way round. The rows of a stream are corrected as they come.

mod change;
mod front;
mod header;

use crate::typing::{self, Guess, Raw, Shape};
use crate::understand::{self, Marker, word};
use change::{Anew, Change};
use front::{Front, Line};
use std::collections::HashMap;
use tabletalk_core::value::Style;
use tabletalk_core::{Batch, Cells, Column, ColumnCorrection, Correction, Kind, Placed, Result, Table};

/// The table as the user says it is.
///
/// Of a stream the first rows are read here, where names or units have to be found in them.
///
/// ```
/// use tabletalk_core::{Correction, Kind, Place};
/// let rows = [["007"], ["012"]].map(|row| row.map(String::from).to_vec());
/// let table = tabletalk_read::understand::table(&["code".into()], &rows, &Place::file("a.csv"));
/// let said = r#"{"title": "Codes", "columns": [{"col": 1, "name": "number"}]}"#;
/// let table = tabletalk_read::correct::apply(&serde_json::from_str(said)?, table)?;
/// assert_eq!((table.title(), table.columns[0].name.as_str()), ("Codes", "number"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply(correction: &Correction, mut table: Table) -> Result<Table> {
    correction.check(&table)?;
    let told = told(correction, &table.columns);
    let mut front = Front::new(std::mem::take(&mut table.rows));
    let top = correction.header_row.filter(|row| Some(*row) != header::top(&table));
    let (names, freed) = match top {
        Some(top) => header::move_to(&mut table, top, correction.header_rows.unwrap_or(1), &mut front)?,
        None => {
            let depth = correction.header_rows.unwrap_or(table.header_rows);
            header::set_depth(&mut table, depth, &mut front)?
        }
    };
    name_columns(&mut table.columns, names, &told);
    let mut shapes = retype(&mut table.columns, correction.style, &told, &mut front, &freed)?;
    if top.is_some() {
        type_anew(&mut table.columns, &told, &front, &freed, &mut shapes);
    }
    let freed = (!freed.is_empty()).then(|| batch_of(&mut table.columns, &shapes, &front, &freed));
    for (column, told) in table.columns.iter_mut().zip(&told) {
        if let Some(unit) = told.and_then(|t| t.unit.as_deref()) {
            column.unit = Some(unit.trim()).filter(|u| !u.is_empty()).map(str::to_owned);
        }
    }
    if let Some(title) = &correction.title {
        set_title(&mut table, title.trim());
    }
    let marks = correction.rows.iter().map(|r| (r.row, r.mark)).collect();
    let anew = top.map(|_| Marker::new(&table.columns));
    table.rows = front.finish(freed, Change { shapes, marks, last: correction.last_row, anew });
    Ok(table)
}

type Told<'a> = Option<&'a ColumnCorrection>;

/// What is said of each column.
fn told<'a>(correction: &'a Correction, columns: &[Column]) -> Vec<Told<'a>> {
    let told: HashMap<u32, &ColumnCorrection> = correction.columns.iter().map(|c| (c.col, c)).collect();
    columns.iter().map(|c| told.get(&c.col).copied()).collect()
}

/// Gives columns the names that were told, and all others those that a changed header makes, unique beside them.
fn name_columns(columns: &mut [Column], made: Option<Vec<String>>, told: &[Told<'_>]) {
    let name = |i: usize| told.get(i).copied().flatten()?.name.as_deref();
    if made.is_none() && !(0..columns.len()).any(|i| name(i).is_some()) {
        return;
    }
    let mut made = made.unwrap_or_else(|| columns.iter().map(|c| c.name.clone()).collect()).into_iter();
    let mut named: Vec<(usize, u32, String)> = Vec::with_capacity(columns.len());
    for (i, column) in columns.iter().enumerate() {
        let made = made.next().unwrap_or_default();
        named.push((i, column.col, name(i).map_or(made, |n| n.trim().to_owned())));
    }
    // The first of two equal names keeps it.
    named.sort_by_key(|(i, _, _)| name(*i).is_none());
    let cols: Vec<u32> = named.iter().map(|n| n.1).collect();
    let (order, mut names): (Vec<usize>, Vec<String>) =
        named.into_iter().map(|(i, _, name)| (i, name)).unzip();
    understand::unique(&mut names, &cols);
    for (i, name) in order.into_iter().zip(names) {
        columns[i].name = name;
    }
}

/// Gives columns the types and styles that were told; gives back how the cells of those that change are read.
fn retype(
    columns: &mut [Column],
    style: Option<Style>,
    told: &[Told<'_>],
    front: &mut Front,
    freed: &[Line],
) -> Result<Vec<Option<Anew>>> {
    let mut shapes = vec![None; columns.len()];
    for (i, column) in columns.iter_mut().enumerate() {
        let told = told.get(i).copied().flatten();
        let style = told.and_then(|t| t.style).or(style);
        let kind = told.and_then(|t| t.kind);
        let is_restyled = style.is_some_and(|style| style != column.style || !is_number(column.kind));
        if kind.is_none_or(|kind| kind == column.kind) && !is_restyled {
            continue;
        }
        front.pull(1)?;
        let guess = guess(front, freed, i);
        let shape = match (kind, style) {
            (None, Some(style)) => match guess.shape_told(style) {
                Some(shape) => shape,
                None => continue,
            },
            _ => {
                let unit = told.and_then(|t| t.unit.as_deref()).map(str::trim);
                let known = style.or(is_number(column.kind).then_some(column.style));
                guess.shape_as(kind.unwrap_or(column.kind), unit.or(column.unit.as_deref()), known)
            }
        };
        column.unit = unit_of(column, &shape);
        (column.kind, column.decimals, column.stats) = (shape.kind, shape.decimals, None);
        column.style = shape.style;
        shapes[i] = Some(Anew { shape, by_text: is_restyled });
    }
    Ok(shapes)
}

fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Integer | Kind::Decimal)
}

/// Types the columns that nothing was told of and that were texts because of rows that are not data after all. Of a
/// stream only its first rows are known, which is not enough.
fn type_anew(
    columns: &mut [Column],
    told: &[Told<'_>],
    front: &Front,
    freed: &[Line],
    shapes: &mut [Option<Anew>],
) {
    if !front.is_whole() {
        return;
    }
    let guesses: Vec<Guess> = (0..columns.len()).map(|i| guess(front, freed, i)).collect();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let found = typing::shapes(&guesses, &names, false);
    for (i, ((column, shape), found)) in columns.iter_mut().zip(shapes).zip(found).enumerate() {
        let is_told = told.get(i).copied().flatten().is_some_and(|t| t.kind.is_some());
        if is_told || shape.is_some() || column.kind != Kind::Text || found.kind == Kind::Text {
            continue;
        }
        column.unit = unit_of(column, &found);
        (column.kind, column.decimals, column.style) = (found.kind, found.decimals, found.style);
        *shape = Some(Anew { shape: found, by_text: true });
    }
}

/// The unit of a column whose cells are read anew: what is written beside them, or what was known of numbers.
fn unit_of(column: &Column, shape: &Shape) -> Option<String> {
    let is_number = is_number(shape.kind);
    let known = || column.unit.clone().or_else(|| word::amount_unit_of_name(&column.name).map(str::to_owned));
    shape.unit.clone().or_else(|| is_number.then(known).flatten())
}

/// What a column looks like in the rows at hand.
fn guess(front: &Front, freed: &[Line], column: usize) -> Guess {
    let mut guess = Guess::default();
    for line in freed {
        guess.see(Raw::from(line.text(column)));
    }
    for cells in front.batches().filter_map(|batch| batch.columns.get(column)) {
        (0..cells.value.len()).for_each(|i| guess.see(Raw::from(&*cells.text(i))));
    }
    guess
}

/// The rows that were header rows before, typed as their columns are.
fn batch_of(columns: &mut [Column], shapes: &[Option<Anew>], front: &Front, freed: &[Line]) -> Batch {
    let mut cells: Vec<Cells> = Vec::with_capacity(columns.len());
    for (i, column) in columns.iter_mut().enumerate() {
        let style = is_number(column.kind).then_some(column.style);
        let as_before = || guess(front, freed, i).shape_as(column.kind, column.unit.as_deref(), style);
        let shape = shapes.get(i).cloned().flatten().map_or_else(as_before, |anew| anew.shape);
        column.decimals = column.decimals.max(shape.decimals);
        cells.push(change::cells(&shape, freed.iter().map(|line| Raw::from(line.text(i)))));
    }
    Batch { rows: freed.iter().map(|line| line.row).collect(), columns: cells, ..Batch::default() }
}

/// Puts a title where the old one stands, or where the table does; an empty one takes the old one away.
fn set_title(table: &mut Table, text: &str) {
    let old = table.title.take().map(|title| title.place);
    let place = old.unwrap_or_else(|| table.place.clone());
    table.title = (!text.is_empty()).then(|| Placed { text: text.to_owned(), place });
}

#[cfg(test)]
mod tests;

//! What a report says of the cells of a table: numbers in another style, cells that are not of their column's type.

use arrow_array::Array;
use tabletalk_core::value::is_missing;
use tabletalk_core::{Batch, Cells, Column, Kind, Mark};

/// Cells of a column that could not be read as its type. Marks for missing values are none.
#[derive(Debug, Default, Clone)]
pub(super) struct Strays {
    count: u64,
    /// The row and the text of the first one.
    first: Option<(u64, String)>,
}

impl Strays {
    fn add(&mut self, cells: &Cells, batch: &Batch) {
        let Some(texts) = cells.text.as_ref().filter(|_| cells.value.null_count() > 0) else { return };
        for (i, row) in batch.rows.iter().enumerate() {
            // The label of a total may stand in a column of numbers.
            let is_stray = cells.value.is_null(i) && texts.is_valid(i) && batch.mark(i) == Mark::Data;
            if is_stray && !is_missing(texts.value(i)) {
                self.count += 1;
                self.first.get_or_insert_with(|| (*row, texts.value(i).chars().take(40).collect()));
            }
        }
    }
}

/// Looks for cells that are not of their column's type.
pub(super) fn look(strays: &mut [Strays], batch: &Batch) {
    strays.iter_mut().zip(&batch.columns).for_each(|(strays, cells)| strays.add(cells, batch));
}

/// What is to be said of the columns of a table.
pub(super) fn notes(columns: &[Column], strays: &[Strays]) -> Vec<String> {
    let mut notes = styles(columns);
    for (column, strays) in columns.iter().zip(strays) {
        let Some((row, text)) = &strays.first else { continue };
        let (name, kind, count) = (&column.name, column.kind.name(), strays.count);
        let cells = if count == 1 { "1 cell is" } else { &format!("{count} cells are") };
        notes.push(format!(
            "column `{name}`: {cells} not of its type ({kind}), the first is `{text}` in row {row}; the text is kept, \
             the value is empty"
        ));
    }
    notes
}

/// The columns whose numbers are written in another style than the plain one, by that style.
fn styles(columns: &[Column]) -> Vec<String> {
    let is_number = |c: &&Column| matches!(c.kind, Kind::Integer | Kind::Decimal) && !c.style.is_plain();
    let mut styles: Vec<(String, Vec<String>)> = Vec::new();
    for column in columns.iter().filter(is_number) {
        let (style, name) = (column.style.to_string(), format!("`{}`", column.name));
        match styles.iter_mut().find(|(known, _)| *known == style) {
            Some((_, names)) => names.push(name),
            None => styles.push((style, vec![name])),
        }
    }
    let note = |(style, names): (String, Vec<String>)| {
        let (of, more) =
            (names.iter().take(8).cloned().collect::<Vec<_>>().join(", "), names.len().saturating_sub(8));
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("numbers are written as {style} in {of}{more}")
    };
    styles.into_iter().map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringArray};
    use std::sync::Arc;

    #[test]
    fn names_cells_that_are_not_of_their_type_but_no_missing_values() {
        let value = Arc::new(Int64Array::from(vec![Some(5), None, None, None]));
        let text = Some(StringArray::from(vec![None, Some("n/a"), Some("about 7"), None]));
        let batch =
            Batch { rows: vec![2, 3, 4, 5], columns: vec![Cells { value, text }], ..Batch::default() };
        let mut strays = vec![Strays::default()];
        look(&mut strays, &batch);
        let column = Column { style: "1.234,56".parse().unwrap(), ..Column::new("sold", Kind::Integer, 1) };
        assert_eq!(
            notes(&[column], &strays),
            [
                "numbers are written as 1.234,56 in `sold`",
                "column `sold`: 1 cell is not of its type (integer), the first is `about 7` in row 4; the text is kept, \
                 the value is empty",
            ]
        );
    }
}

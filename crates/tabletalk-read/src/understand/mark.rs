//! Marks rows: sums, sections, hidden ones.

use super::word::{self, Sum};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use tabletalk_core::{Cells, Mark};

/// Sums are checked against no more rows than this.
const MAX_ADDENDS: usize = 1000;
/// In more rows than this, doubtful sums are not checked.
const MAX_PERHAPS: usize = 500;

/// What is known of the rows beside their cells.
pub(super) struct Rows<'a> {
    /// The typed columns.
    pub columns: &'a [Cells],
    /// How many rows there are.
    pub len: usize,
    /// How many columns at the left name the row.
    pub row_headers: usize,
    /// Rows hidden in the source, ascending.
    pub hidden: &'a [usize],
    /// Rows that are one merged or bold cell, ascending.
    pub banners: &'a [usize],
}

/// The mark of each row; empty when all are plain data.
pub(super) fn marks(rows: &Rows<'_>) -> Vec<Mark> {
    // The later mark wins.
    let mut found: Vec<(usize, Mark)> = sections(rows).into_iter().map(|i| (i, Mark::Section)).collect();
    found.extend(sums(rows));
    found.extend(rows.hidden.iter().map(|&i| (i, Mark::Hidden)));
    if found.is_empty() {
        return Vec::new();
    }
    let mut marks = vec![Mark::Data; rows.len];
    for (i, mark) in found {
        if let Some(slot) = marks.get_mut(i) {
            *slot = mark;
        }
    }
    marks
}

fn sums(rows: &Rows<'_>) -> Vec<(usize, Mark)> {
    let labels = rows.columns.iter().take(rows.row_headers.max(1) + 1);
    let labels: Vec<&Cells> = labels.filter(|c| *c.value.data_type() == DataType::Utf8).collect();
    let mut found: Vec<(usize, Sum)> = Vec::new();
    for i in 0..rows.len {
        let texts = labels.iter().filter(|c| !c.is_empty(i)).map(|c| c.text(i));
        if let Some(sum) = texts.into_iter().find_map(|t| word::sum(&t)) {
            found.push((i, sum));
        }
    }
    // Where so many rows might be sums, the word is part of the data.
    let sums = found.iter().filter(|(_, s)| *s == Sum::Perhaps).count() <= MAX_PERHAPS;
    found.retain(|&(i, sum)| sum != Sum::Perhaps || sums && adds_up(rows, i));
    let grand = found.iter().any(|(_, s)| *s == Sum::Grand);
    let last_plain = found.iter().rev().find(|(_, s)| *s == Sum::Plain).map(|(i, _)| *i);
    let is_total = |i: usize, sum: Sum| match sum {
        Sum::Grand => true,
        Sum::Plain => !grand && Some(i) == last_plain,
        Sum::Perhaps => i + 1 == rows.len && last_plain.is_none() && !grand,
        Sum::Part => false,
    };
    found.iter().map(|&(i, s)| (i, if is_total(i, s) { Mark::Total } else { Mark::Subtotal })).collect()
}

/// Whether a row holds, in some column, the sum of two or more rows right above or right below it.
fn adds_up(rows: &Rows<'_>, row: usize) -> bool {
    let numeric = rows.columns.iter().map(|c| &c.value).filter(|a| number(a, row).is_some_and(|v| v != 0.0));
    let above = || (row.saturating_sub(MAX_ADDENDS)..row).rev();
    let below = || row + 1..rows.len.min(row + 1 + MAX_ADDENDS);
    numeric.into_iter().any(|a| {
        let Some(want) = number(a, row) else { return false };
        reaches(a, above(), want) || reaches(a, below(), want)
    })
}

fn reaches(array: &ArrayRef, rows: impl Iterator<Item = usize>, want: f64) -> bool {
    let (mut sum, mut addends) = (0.0, 0);
    for v in rows.filter_map(|i| number(array, i)) {
        sum += v;
        addends += 1;
        if addends > 1 && (sum - want).abs() <= want.abs() * 1e-6 + 0.006 {
            return true;
        }
    }
    false
}

fn number(array: &ArrayRef, i: usize) -> Option<f64> {
    if array.is_null(i) {
        return None;
    }
    match array.data_type() {
        DataType::Int64 => Some(array.as_primitive::<Int64Type>().value(i) as f64),
        DataType::Float64 => Some(array.as_primitive::<Float64Type>().value(i)),
        _ => None,
    }
}

/// Rows that only name the section below them.
fn sections(rows: &Rows<'_>) -> Vec<usize> {
    let Some((first, rest)) = rows.columns.split_first() else {
        return Vec::new();
    };
    if rest.is_empty() || *first.value.data_type() != DataType::Utf8 {
        return Vec::new();
    }
    let lone = |i: usize| !first.is_empty(i) && rest.iter().all(|c| c.is_empty(i));
    let found: Vec<usize> = (0..rows.len).filter(|&i| lone(i)).collect();
    let follows = |i: usize| found.binary_search(&(i + 1)).is_err();
    let told = |i: usize| rows.banners.binary_search(&i).is_ok() || is_section_label(&first.text(i));
    // Where many rows have nothing but a name, or some sections can be told, the others lack their values.
    let rare = found.len() * 4 <= rows.len && !found.iter().any(|&i| told(i));
    let is_section = |&i: &usize| i + 1 < rows.len && (told(i) || rare && follows(i));
    found.iter().copied().filter(is_section).collect()
}

/// Whether a label reads as the heading of a section: `Assets:`, `一、经营活动`, `(II) Costs`.
fn is_section_label(label: &str) -> bool {
    let label = label.trim();
    let inner = label.trim_start_matches(['(', '（']);
    let numeral: &str = inner.trim_start_matches(|c| "一二三四五六七八九十".contains(c));
    label.ends_with([':', '：'])
        || numeral.len() < inner.len() && numeral.starts_with(['、', ')', '）', '.', '．'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringArray};
    use std::sync::Arc;

    fn marks_of(labels: &[&str], values: &[Option<i64>]) -> Vec<Mark> {
        let label = Cells { value: Arc::new(StringArray::from(labels.to_vec())), text: None };
        let value = Cells { value: Arc::new(Int64Array::from(values.to_vec())), text: None };
        let columns = [label, value];
        marks(&Rows { columns: &columns, len: labels.len(), row_headers: 1, hidden: &[], banners: &[] })
    }

    #[test]
    fn tells_subtotals_from_the_total() {
        let marks =
            marks_of(&["a", "b", "小计", "c", "合计"], &[Some(1), Some(2), Some(3), Some(4), Some(7)]);
        assert_eq!(marks, [Mark::Data, Mark::Data, Mark::Subtotal, Mark::Data, Mark::Total]);
    }

    #[test]
    fn checks_by_adding_where_the_label_is_not_sure() {
        let marks = marks_of(&["Total War", "b", "c", "Total assets"], &[Some(9), Some(2), Some(5), Some(7)]);
        assert_eq!(marks, [Mark::Data, Mark::Data, Mark::Data, Mark::Total]);
    }

    #[test]
    fn marks_rows_that_only_name_a_section() {
        let marks = marks_of(&["Assets:", "b", "c", "d"], &[None, Some(2), Some(5), Some(7)]);
        assert_eq!(marks.first(), Some(&Mark::Section));
    }
}

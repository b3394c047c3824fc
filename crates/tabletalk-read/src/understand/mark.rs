//! Marks rows: totals, what else is derived from other rows, sections, hidden ones.

use super::label::{self, Way};
use super::marker::{self, LABEL_COLUMNS};
use super::total::{self, Cover, Ledger, Measure, Run};
use arrow_schema::DataType;
use std::collections::HashMap;
use std::ops::Range;
use tabletalk_core::{Cells, Column, Mark};

/// Sums are looked for over no more rows than this next to a label.
const MAX_ADDENDS: usize = 1000;
/// Where more rows than this are labelled and no total that rows are cut at, the word is part of the data.
const MAX_DOUBTFUL: usize = 500;
/// Rows that may be differences of two others are looked for in tables of no more rows than this.
const MAX_DIFFERENCES: usize = 200;
/// With one number only, a difference is looked for among so many rows before it: over more, chance finds one.
const NEAR: usize = 6;

/// What is known of the rows beside their cells.
pub(super) struct Rows<'a> {
    pub columns: &'a [Column],
    /// The typed cells.
    pub cells: &'a [Cells],
    /// How many rows there are.
    pub len: usize,
    /// Rows hidden in the source, ascending.
    pub hidden: &'a [usize],
    /// Rows that are one merged or bold cell, ascending.
    pub banners: &'a [usize],
    /// Rows that stand below an empty one, ascending.
    pub after_gap: &'a [usize],
}

/// The mark of each row; empty when all are plain data.
pub(super) fn marks(rows: &Rows<'_>) -> Vec<Mark> {
    let mut sheet = Marking::new(rows);
    sheet.find_totals();
    sheet.find_sections();
    let Marking { marks, .. } = sheet;
    let mut marks: Vec<Mark> = marks.into_iter().map(Option::unwrap_or_default).collect();
    // A hidden total is a total all the same: it must not be added to its details.
    for &i in rows.hidden {
        if let Some(mark) = marks.get_mut(i).filter(|m| **m == Mark::Data) {
            *mark = Mark::Hidden;
        }
    }
    if marks.iter().all(|m| *m == Mark::Data) { Vec::new() } else { marks }
}

/// A row that was found to be made of others.
#[derive(Debug, Clone, Copy)]
struct Found {
    way: Way,
    cover: Cover,
}

struct Marking<'a> {
    rows: &'a Rows<'a>,
    measures: Vec<Measure>,
    ways: HashMap<usize, Way>,
    sums: HashMap<usize, Found>,
    marks: Vec<Option<Mark>>,
}

impl<'a> Marking<'a> {
    fn new(rows: &'a Rows<'a>) -> Self {
        let measures = total::measures(rows.columns, rows.cells);
        let ways = if measures.is_empty() { Vec::new() } else { marker::labelled(rows.cells) };
        let marks = vec![None; rows.len];
        Marking { rows, measures, ways: ways.into_iter().collect(), sums: HashMap::new(), marks }
    }

    fn numbers(&self, i: usize) -> Vec<Option<f64>> {
        total::numbers(self.rows.cells, &self.measures, i)
    }

    fn is_free(&self, i: usize) -> bool {
        self.marks.get(i).is_some_and(Option::is_none)
    }

    fn set(&mut self, i: usize, mark: Mark) {
        if let Some(slot) = self.marks.get_mut(i) {
            *slot = Some(mark);
        }
    }

    /// Finds the rows that are made of others, until none is found any more: one that is known makes the sums
    /// of the rows around it right.
    fn find_totals(&mut self) {
        if self.measures.is_empty() || self.rows.len < 2 {
            return;
        }
        self.find_outline();
        self.find_above();
        let found = self.find_beside() | self.find_first();
        if found {
            self.find_above();
        }
        if self.find_differences() && self.find_again() {
            self.find_differences();
        }
        self.tell_totals_from_subtotals();
    }

    fn find_again(&mut self) -> bool {
        let before = self.sums.len();
        self.find_above();
        self.sums.len() > before
    }

    /// Rows that come to the sum of those above them, from one of the totals or sections before on.
    fn find_above(&mut self) {
        let (mut ledger, mut shown) = (Ledger::new(self.measures.len()), Ledger::new(self.measures.len()));
        let mut from = 0;
        for i in self.stops() {
            self.add(&mut ledger, &mut shown, from..i);
            from = i + 1;
            let row = self.numbers(i);
            let is_empty = row.iter().all(Option::is_none);
            if is_empty {
                self.settle_empty(i, &ledger);
            } else if self.is_free(i) {
                let found = self.above(i, &row, &ledger).or_else(|| self.above(i, &row, &shown));
                match found {
                    Some(found) => self.take(i, found),
                    None => {
                        self.add(&mut ledger, &mut shown, i..i + 1);
                        continue;
                    }
                }
            }
            ledger.cut();
            shown.cut();
        }
    }

    /// The rows at which something is decided: labelled ones, those made of others, the last, and names of sections.
    fn stops(&self) -> Vec<usize> {
        let is_last = |i: usize| (i + 1..self.rows.len).all(|r| !self.is_free(r));
        let is_stop = |&i: &usize| {
            !self.is_free(i)
                || self.ways.contains_key(&i)
                || !self.ways.is_empty() && self.is_lone(i)
                || is_last(i)
        };
        (0..self.rows.len).filter(is_stop).collect()
    }

    fn add(&self, ledger: &mut Ledger, shown: &mut Ledger, rows: Range<usize>) {
        let (cells, measures) = (self.rows.cells, &self.measures);
        ledger.add_rows(cells, measures, rows.clone());
        if self.rows.hidden.is_empty() {
            return;
        }
        // What is filtered out is missing in a total over what is shown.
        let is_shown = |i: &usize| self.rows.hidden.binary_search(i).is_err();
        rows.filter(is_shown).for_each(|i| shown.add_rows(cells, measures, i..i + 1));
    }

    fn above(&self, i: usize, row: &[Option<f64>], ledger: &Ledger) -> Option<Found> {
        if let Some(&way) = self.ways.get(&i) {
            // `Max` among the data is somebody's name.
            let is_end = || (i + 1..self.rows.len).all(|r| !self.is_free(r) || self.ways.contains_key(&r));
            if way.is_limit() && !is_end() {
                return None;
            }
            return ledger.find(way, row, &self.measures).map(|cover| Found { way, cover });
        }
        let is_last = i + 1 == self.rows.len || (i + 1..self.rows.len).all(|r| !self.is_free(r));
        (is_last && self.is_sum_without_label(i, row, &ledger.all()))
            .then_some(Found { way: Way::Sum, cover: Cover::All })
    }

    /// A plain `Total` without any number is one: there is nothing that disagrees.
    fn settle_empty(&mut self, i: usize, ledger: &Ledger) {
        let is_plain = self.ways.get(&i).is_some_and(|way| way.is_plain() && way.is_sum());
        if is_plain && self.is_free(i) && self.is_lone(i) && !ledger.all().is_empty() {
            self.take(i, Found { way: Way::Sum, cover: Cover::All });
        }
    }

    fn take(&mut self, i: usize, found: Found) {
        self.set(i, if found.way.is_sum() { Mark::Subtotal } else { Mark::Derived });
        if found.way.is_sum() {
            self.sums.insert(i, found);
        }
    }

    /// Whether a first or last row without a word for it is the total of the others. Two columns must agree and none
    /// disagree; a row that has a name of its own needs numbers that are no chance.
    fn is_sum_without_label(&self, i: usize, row: &[Option<f64>], others: &Run) -> bool {
        let votes = others.votes(Way::Sum, row, &self.measures);
        if votes.no > 0 || others.rows() < 2 {
            return false;
        }
        if self.has_no_label(i) {
            let after_gap = self.rows.after_gap.binary_search(&i).is_ok();
            return votes.yes > 1 || after_gap && votes.yes > 0;
        }
        others.rows() > 2 && votes.large > 1
    }

    /// Whether a row has no text, where the rows beside it have one in the first column.
    fn has_no_label(&self, i: usize) -> bool {
        let texts = || self.rows.cells.iter().filter(|c| *c.value.data_type() == DataType::Utf8);
        let named = |r: usize| self.rows.cells.first().is_some_and(|c| !c.is_empty(r));
        let beside = if i == 0 { 1 } else { i - 1 };
        texts().all(|c| c.is_empty(i)) && !named(i) && named(beside)
    }

    /// Labelled rows that are the sum of some rows right above or right below them.
    fn find_beside(&mut self) -> bool {
        let is_open = |(i, way): &(&usize, &Way)| way.is_sum() && self.is_free(**i);
        let mut doubtful: Vec<(usize, Way)> =
            self.ways.iter().filter(is_open).map(|(i, way)| (*i, *way)).collect();
        doubtful.sort_unstable_by_key(|(i, _)| *i);
        if doubtful.len() > MAX_DOUBTFUL {
            return false;
        }
        let mut found = false;
        for (i, way) in doubtful {
            let above = (i.saturating_sub(MAX_ADDENDS)..i).rev();
            let below = i + 1..self.rows.len.min(i + 1 + MAX_ADDENDS);
            let cover = self.reach(i, way, above).map(|_| Cover::Last).or_else(|| self.reach(i, way, below));
            if let Some(cover) = cover {
                self.take(i, Found { way, cover });
                found = true;
            }
        }
        found
    }

    /// How much of these rows comes to the numbers of a row, if some do.
    fn reach(&self, i: usize, way: Way, rows: impl Iterator<Item = usize>) -> Option<Cover> {
        let row = self.numbers(i);
        let mut run = Run::new(self.measures.len());
        let mut rows = rows.filter(|&r| self.is_free(r)).peekable();
        while let Some(r) = rows.next() {
            run.add(&self.numbers(r));
            if run.rows() > 1 && run.votes(way, &row, &self.measures).carry(way) {
                return Some(if rows.peek().is_none() { Cover::All } else { Cover::Last });
            }
        }
        None
    }

    /// A first row that is the total of all others.
    fn find_first(&mut self) -> bool {
        if !self.is_free(0) || self.rows.len > MAX_ADDENDS || self.ways.contains_key(&0) {
            return false;
        }
        let mut others = Run::new(self.measures.len());
        (1..self.rows.len).filter(|&r| self.is_free(r)).for_each(|r| others.add(&self.numbers(r)));
        let found = self.is_sum_without_label(0, &self.numbers(0), &others);
        if found {
            self.take(0, Found { way: Way::Sum, cover: Cover::All });
        }
        found
    }

    /// The rows that the hidden rows next to them add up to: a collapsed outline. All stand on the same side.
    fn find_outline(&mut self) {
        let hidden = self.rows.hidden;
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for run in hidden.chunk_by(|a, b| b - a == 1).filter(|run| run.len() > 1) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let mut sum = Run::new(self.measures.len());
            run.iter().filter(|i| !self.ways.contains_key(i)).for_each(|&i| sum.add(&self.numbers(i)));
            let is_sum = |i: &usize| {
                let votes = sum.votes(Way::Sum, &self.numbers(*i), &self.measures);
                !self.ways.contains_key(i) && votes.no == 0 && votes.large > 0
            };
            above.extend(first.checked_sub(1).filter(is_sum));
            below.extend(Some(last + 1).filter(|i| *i < self.rows.len).filter(is_sum));
        }
        for i in if above.len() > below.len() { above } else { below } {
            self.take(i, Found { way: Way::Part, cover: Cover::Last });
        }
    }

    /// Rows such as `Balance` that are one row above less another, or less all between.
    fn find_differences(&mut self) -> bool {
        if self.rows.len > MAX_DIFFERENCES {
            return false;
        }
        let label = |i: usize| self.labels(i).next();
        // A word that comes again is a value: `Loss` in a table of matches.
        let is_alone =
            |i: usize, l: &str| (0..self.rows.len).all(|r| r == i || label(r).as_deref() != Some(l));
        let told = |i: &usize| {
            self.is_free(*i) && label(*i).is_some_and(|l| label::is_difference(&l) && is_alone(*i, &l))
        };
        let candidates: Vec<usize> = (2..self.rows.len).filter(told).collect();
        let mut found = false;
        for i in candidates {
            if self.is_difference(i) {
                self.set(i, Mark::Derived);
                found = true;
            }
        }
        found
    }

    fn labels(&self, i: usize) -> impl Iterator<Item = std::borrow::Cow<'a, str>> {
        let texts = self.rows.cells.iter().take(LABEL_COLUMNS);
        texts
            .filter(move |c| *c.value.data_type() == DataType::Utf8 && !c.is_empty(i))
            .map(move |c| c.text(i))
    }

    fn is_difference(&self, i: usize) -> bool {
        let row = self.numbers(i);
        let values = row.iter().flatten().count();
        if values == 0 {
            return false;
        }
        let is_large = self.measures.iter().zip(&row).any(|(m, v)| v.is_some_and(|v| m.is_large(v)));
        let near = |r: &usize| is_large && (values > 1 || i - r <= NEAR) || i - r <= 2 || !self.is_free(*r);
        let above: Vec<(usize, Vec<Option<f64>>)> = (0..i)
            .filter(near)
            .map(|r| (r, self.numbers(r)))
            .filter(|(_, v)| v.iter().any(Option::is_some))
            .collect();
        let pair = above.iter().any(|(a, from)| {
            above.iter().any(|(b, less)| a != b && total::is_difference(&row, from, less, &self.measures))
        });
        pair || is_large
            && (above.iter().any(|(a, from)| self.is_what_is_left(&row, *a, from, i))
                || self.reach(i, Way::Sum, (0..i).rev()).is_some())
    }

    /// Whether a row is what is left of row `a` when all rows of data between are taken from it.
    fn is_what_is_left(&self, row: &[Option<f64>], a: usize, from: &[Option<f64>], i: usize) -> bool {
        let mut less = vec![None; row.len()];
        for r in (a + 1..i).filter(|&r| self.is_free(r)) {
            for (sum, v) in less.iter_mut().zip(self.numbers(r)) {
                *sum = v.map(|v| sum.unwrap_or(0.0) + v).or(*sum);
            }
        }
        total::is_difference(row, from, &less, &self.measures)
    }

    /// A sum of all data that no data follows is the total; other sums are of a part.
    fn tell_totals_from_subtotals(&mut self) {
        let lone = |i: usize| self.is_lone(i);
        let data: Vec<usize> = (0..self.rows.len).filter(|&i| self.is_free(i) && !lone(i)).collect();
        let (first, last) = (data.first().copied().unwrap_or(0), data.last().copied().unwrap_or(0));
        let is_outside = |i: usize| i < first || i > last;
        let whole = |(i, f): (&usize, &Found)| {
            (f.way != Way::Part && f.cover == Cover::All && is_outside(*i)).then_some(*i)
        };
        let whole: Vec<usize> = self.sums.iter().filter_map(whole).collect();
        let grand = self.sums.iter().filter(|(_, f)| f.way == Way::Grand).map(|(i, _)| *i);
        let totals: Vec<usize> = grand.chain(whole.iter().max().copied()).collect();
        totals.into_iter().for_each(|i| self.set(i, Mark::Total));
    }

    /// Whether a row has nothing but a text in its first column.
    fn is_lone(&self, i: usize) -> bool {
        let Some((first, rest)) = self.rows.cells.split_first() else { return false };
        !rest.is_empty() && !first.is_empty(i) && rest.iter().all(|c| c.is_empty(i))
    }

    /// Rows that only name the section below them. A record that lacks its values looks the same, so there must be
    /// more that tells: how it is set, how it reads, or that the table is made of sections.
    fn find_sections(&mut self) {
        let len = self.rows.len;
        let is_text = self.rows.cells.first().is_some_and(|c| *c.value.data_type() == DataType::Utf8);
        if !is_text {
            return;
        }
        let lone: Vec<usize> = (0..len).filter(|&i| self.is_free(i) && self.is_lone(i)).collect();
        let is_banner = |i: usize| self.rows.banners.binary_search(&i).is_ok();
        let told = |i: usize| is_banner(i) || self.labels(i).any(|l| is_section_label(&l));
        let any_told = lone.iter().any(|&i| told(i));
        let begins = |i: usize| i == 0 || !self.is_free(i - 1);
        let leads = |i: usize| i + 1 < len && lone.binary_search(&(i + 1)).is_err();
        let is_made_of_sections = lone.first() == Some(&0)
            && lone.len() * 3 <= len
            && lone.iter().all(|&i| leads(i))
            && (lone.len() > 1 || !self.sums.is_empty());
        let after_totals = |i: usize| !self.sums.is_empty() && begins(i) && leads(i);
        let is_section =
            |i: usize| i + 1 < len && (told(i) || !any_told && (is_made_of_sections || after_totals(i)));
        let sections: Vec<usize> = lone.iter().copied().filter(|&i| is_section(i)).collect();
        sections.into_iter().for_each(|i| self.set(i, Mark::Section));
    }
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
    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use std::sync::Arc;
    use tabletalk_core::Kind;

    const D: Mark = Mark::Data;

    struct Case<'a> {
        labels: &'a [&'a str],
        values: &'a [&'a [i64]],
        names: &'a [&'a str],
        hidden: &'a [usize],
    }

    /// Of rows of a label and numbers; -1 stands for none.
    fn marks_in(case: &Case<'_>) -> Vec<Mark> {
        let cells = |value: ArrayRef| Cells { value, text: None };
        let labels: Vec<Option<&str>> = case.labels.iter().map(|l| (!l.is_empty()).then_some(*l)).collect();
        let mut columns = vec![Column::new("name", Kind::Text, 1)];
        let mut all = vec![cells(Arc::new(StringArray::from(labels)))];
        for c in 0..case.values[0].len() {
            let values: Vec<Option<i64>> =
                case.values.iter().map(|row| Some(row[c]).filter(|v| *v != -1)).collect();
            columns.push(Column::new(*case.names.get(c).unwrap_or(&"amount"), Kind::Integer, c as u32 + 2));
            all.push(cells(Arc::new(Int64Array::from(values))));
        }
        let len = case.labels.len();
        let rows =
            Rows { columns: &columns, cells: &all, len, hidden: case.hidden, banners: &[], after_gap: &[] };
        let found = marks(&rows);
        if found.is_empty() { vec![D; len] } else { found }
    }

    fn marks_of(labels: &[&str], values: &[&[i64]]) -> Vec<Mark> {
        marks_in(&Case { labels, values, names: &[], hidden: &[] })
    }

    #[test]
    fn tells_subtotals_from_the_total() {
        let marks = marks_of(&["a", "b", "小计", "c", "合计"], &[&[1], &[2], &[3], &[4], &[7]]);
        assert_eq!(marks, [D, D, Mark::Subtotal, D, Mark::Total]);
        let marks = marks_of(
            &["a", "b", "Total North", "c", "d", "Total South", "Grand total"],
            &[&[1], &[2], &[3], &[4], &[5], &[9], &[12]],
        );
        assert_eq!(marks, [D, D, Mark::Subtotal, D, D, Mark::Subtotal, Mark::Total]);
    }

    #[test]
    fn nested_sums_are_seen_on_every_level() {
        let labels = ["a", "b", "Summe A", "c", "Summe B", "Zwischensumme", "d", "e", "Summe C", "Gesamt"];
        let values: [&[i64]; 10] =
            [&[1, 5], &[2, 5], &[3, 10], &[4, 1], &[4, 1], &[7, 11], &[5, 2], &[6, 2], &[11, 4], &[18, 15]];
        let s = Mark::Subtotal;
        assert_eq!(marks_of(&labels, &values), [D, D, s, D, s, s, D, D, s, Mark::Total]);
    }

    #[test]
    fn a_label_whose_numbers_disagree_is_data() {
        assert_eq!(marks_of(&["Shell", "Total", "BP"], &[&[300, 90], &[200, 80], &[250, 70]]), [D; 3]);
        assert_eq!(marks_of(&["Shell", "BP", "Total"], &[&[300, 90], &[200, 80], &[250, 70]]), [D; 3]);
        let marks = marks_of(&["Total War", "b", "c", "Total assets"], &[&[9], &[2], &[5], &[7]]);
        assert_eq!(marks, [D, D, D, Mark::Subtotal]);
    }

    #[test]
    fn prices_and_years_need_not_add_up() {
        let names = &["Qty", "Unit price", "Amount", "Year"];
        let values: [&[i64]; 3] = [&[2, 10, 20, 2023], &[3, 15, 45, 2024], &[5, 13, 65, -1]];
        let marks = marks_in(&Case { labels: &["Pen", "Ink", "Total"], values: &values, names, hidden: &[] });
        assert_eq!(marks, [D, D, Mark::Total]);
    }

    #[test]
    fn a_total_may_stand_first_or_have_no_label() {
        assert_eq!(
            marks_of(&["Total", "a", "b", "c"], &[&[60], &[10], &[20], &[30]]),
            [Mark::Total, D, D, D]
        );
        let marks = marks_of(&["a", "b", "c", ""], &[&[1, 10], &[2, 20], &[3, 30], &[6, 60]]);
        assert_eq!(marks, [D, D, D, Mark::Total]);
        assert_eq!(marks_of(&["a", "b", "c", ""], &[&[1], &[2], &[3], &[6]]), [D; 4]);
        let world = marks_of(
            &["Asia", "Europe", "Africa", "World"],
            &[&[100, 20], &[200, 30], &[300, 50], &[600, 100]],
        );
        assert_eq!(world, [D, D, D, Mark::Total]);
    }

    #[test]
    fn averages_and_other_computed_rows_are_derived() {
        let values: [&[i64]; 5] = [&[10, 1], &[20, 2], &[30, 3], &[20, 2], &[30, 3]];
        let marks = marks_of(&["a", "b", "c", "Durchschnitt", "Max"], &values);
        assert_eq!(marks, [D, D, D, Mark::Derived, Mark::Derived]);
        assert_eq!(marks_of(&["a", "b", "c", "平均"], &[&[10], &[20], &[30], &[25]]), [D; 4]);
        assert_eq!(marks_of(&["Ann", "Bob", "Max", "Eve"], &[&[10], &[30], &[30], &[20]]), [D; 4]);
    }

    #[test]
    fn a_balance_is_derived_and_what_it_is_made_of_is_data() {
        let values: [&[i64]; 3] = [&[100, 120], &[80, 70], &[20, 50]];
        assert_eq!(marks_of(&["Income", "Expenses", "Balance"], &values), [D, D, Mark::Derived]);
        let labels = ["Salary", "Gifts", "Total income", "Rent", "Food", "Total expenses", "结余"];
        let values: [&[i64]; 7] = [&[90], &[10], &[100], &[50], &[30], &[80], &[20]];
        let s = Mark::Subtotal;
        assert_eq!(marks_of(&labels, &values), [D, D, s, D, D, s, Mark::Derived]);
        assert_eq!(marks_of(&["Income", "Expenses", "Balance"], &[&[100], &[80], &[35]]), [D; 3]);
        let small = marks_of(&["Income", "Expenses", "Balance"], &[&[15], &[10], &[5]]);
        assert_eq!(small, [D, D, Mark::Derived]);
        // Words that come again are values.
        let values: [&[i64]; 5] = [&[9], &[4], &[5], &[1], &[4]];
        assert_eq!(marks_of(&["Win", "Win", "Loss", "Win", "Loss"], &values), [D; 5]);
    }

    #[test]
    fn a_hidden_row_stays_what_it_is() {
        let labels = ["a", "b", "Total North", "c", "d", "Total South"];
        let values: [&[i64]; 6] = [&[20], &[40], &[60], &[30], &[30], &[60]];
        let (h, s) = (Mark::Hidden, Mark::Subtotal);
        let details = marks_in(&Case { labels: &labels, values: &values, names: &[], hidden: &[0, 1, 3, 4] });
        assert_eq!(details, [h, h, s, h, h, s]);
        let sums = marks_in(&Case { labels: &labels, values: &values, names: &[], hidden: &[2, 5] });
        assert_eq!(sums, [D, D, s, D, D, s]);
        let plain = ["North", "Oslo", "Bergen", "South", "Rome", "Bari"];
        let values: [&[i64]; 6] = [&[60], &[20], &[40], &[60], &[25], &[35]];
        let outline = marks_in(&Case { labels: &plain, values: &values, names: &[], hidden: &[1, 2, 4, 5] });
        assert_eq!(outline, [s, h, h, s, h, h]);
    }

    #[test]
    fn a_row_that_lacks_its_values_is_data_and_no_section() {
        let labels = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let values: [&[i64]; 8] = [&[1], &[2], &[-1], &[4], &[5], &[6], &[7], &[8]];
        assert_eq!(marks_of(&labels, &values), [D; 8]);
    }

    #[test]
    fn marks_rows_that_only_name_a_section() {
        let marks = marks_of(&["Assets:", "b", "c", "d"], &[&[-1], &[2], &[5], &[7]]);
        assert_eq!(marks.first(), Some(&Mark::Section));
        let labels = ["Income", "Salary", "Gifts", "Costs", "Rent", "Food"];
        let marks = marks_of(&labels, &[&[-1], &[2], &[5], &[-1], &[8], &[9]]);
        assert_eq!(marks, [Mark::Section, D, D, Mark::Section, D, D]);
    }
}

//! Computes simple formulas that were saved without their value, as programs do that write workbooks but do not
//! calculate: arithmetic, references, and a few functions over ranges.
//!
//! Anything else (text, dates, lookups, names, conditions, cycles) is not computed, and whoever asks is told so.
//! The crates that evaluate all of Excel's language are many times the size of this reader.

use crate::grid::{Grid, Rect};
use std::collections::{BTreeMap, HashMap};
use tabletalk_core::value::Value;

/// So many cells may be looked at for all formulas of a workbook together.
const MOST_VISITS: u64 = 5_000_000;
/// So deep may formulas and parentheses stand in one another, so that a hostile file cannot fill the stack.
const DEEPEST: u32 = 200;
/// The last row of a sheet: the end of a reference such as `A:A`.
const LAST_ROW: u32 = 1_048_576;

/// A sheet: its cells, and the formulas without a value by row and column from 1.
pub(super) struct Page {
    pub(super) grid: Grid,
    pub(super) formulas: BTreeMap<(u32, u32), String>,
}

/// Where a cell stands: the sheet's name, row and column.
type At = (String, u32, u32);

/// Gives the sheet of a name.
type Load<'a> = dyn FnMut(&str) -> Option<Page> + 'a;

/// The sheets of a workbook, loaded when a formula speaks of them.
pub(super) struct Calc<'a> {
    pages: HashMap<String, Option<Page>>,
    load: Box<Load<'a>>,
    /// What formulas came to; `None` for one that is being computed or cannot be.
    known: HashMap<At, Option<f64>>,
    visits: u64,
    depth: u32,
    is_too_deep: bool,
}

impl<'a> Calc<'a> {
    /// Of a workbook whose sheets `load` gives by name.
    pub(super) fn new(load: impl FnMut(&str) -> Option<Page> + 'a) -> Self {
        let (pages, known) = (HashMap::new(), HashMap::new());
        Calc { pages, load: Box::new(load), known, visits: 0, depth: 0, is_too_deep: false }
    }

    /// The value of the formula in a cell, if it can be computed.
    pub(super) fn value(&mut self, sheet: &str, row: u32, col: u32) -> Option<f64> {
        let at = (sheet.to_owned(), row, col);
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        let formula = self.page(sheet)?.formulas.get(&(row, col))?.clone();
        // A formula that rests on itself meets this and is not computed.
        self.known.insert(at.clone(), None);
        let depth = self.depth;
        let value = Parser::new(&formula, sheet, self).whole();
        self.depth = depth;
        match (value, self.is_too_deep) {
            // It may be known when it is asked for at a lower depth.
            (None, true) => drop(self.known.remove(&at)),
            _ => drop(self.known.insert(at, value)),
        }
        value
    }

    /// The values of all formulas of a sheet, in the order of their places. Long chains run down or up a sheet;
    /// whichever way they do, each formula then rests on one that is known.
    pub(super) fn values(&mut self, sheet: &str, places: &[(u32, u32)]) -> Vec<Option<f64>> {
        let mut values = vec![None; places.len()];
        for i in (0..places.len()).chain((0..places.len()).rev()) {
            if let (None, (row, col)) = (values[i], places[i]) {
                (self.depth, self.is_too_deep) = (0, false);
                values[i] = self.value(sheet, row, col);
            }
        }
        values
    }

    /// Goes one step deeper, if that is allowed.
    fn deeper(&mut self) -> Option<()> {
        self.is_too_deep |= self.depth >= DEEPEST;
        self.depth += 1;
        (!self.is_too_deep).then_some(())
    }

    fn page(&mut self, sheet: &str) -> Option<&Page> {
        if !self.pages.contains_key(sheet) {
            let page = (self.load)(sheet);
            self.pages.insert(sheet.to_owned(), page);
        }
        self.pages.get(sheet)?.as_ref()
    }

    /// The sheet as it was loaded, given back.
    pub(super) fn take(&mut self, sheet: &str) -> Option<Page> {
        self.pages.get_mut(sheet)?.take()
    }

    /// The numbers in a range, and how many of its cells are filled. `None` when one of them cannot be known.
    fn range(&mut self, range: &Range) -> Option<Numbers> {
        let Range { sheet, rect } = range;
        let page = self.page(sheet)?;
        let mut found = Numbers::default();
        let mut visits = 0;
        for (_, _, cell) in page.grid.cells(*rect) {
            visits += 1;
            found.filled += 1;
            found.numbers.extend(number(cell.value, cell.text)?);
        }
        let rows = page.formulas.range((rect.top, 0)..=(rect.bottom, u32::MAX));
        let pending: Vec<(u32, u32)> =
            rows.map(|(at, _)| *at).filter(|at| rect.contains(at.0, at.1)).collect();
        self.visits += visits + pending.len() as u64;
        if self.visits > MOST_VISITS {
            return None;
        }
        for (row, col) in pending {
            found.numbers.push(self.value(sheet, row, col)?);
            found.filled += 1;
        }
        Some(found)
    }

    /// A single cell in a sum or product: nothing counts as zero, a text cannot be counted.
    fn cell(&mut self, range: &Range) -> Option<f64> {
        let (row, col) = (range.rect.top, range.rect.left);
        self.visits += 1;
        if (range.rect.bottom, range.rect.right) != (row, col) || self.visits > MOST_VISITS {
            return None;
        }
        let page = self.page(&range.sheet)?;
        if page.formulas.contains_key(&(row, col)) {
            return self.value(&range.sheet, row, col);
        }
        match page.grid.get(row, col) {
            Some(cell) => number(cell.value, cell.text)?,
            None => Some(0.0),
        }
    }
}

/// The number in a cell: `Some(None)` for a text, which ranges pass over, `None` for what cannot be computed with.
fn number(value: Option<Value>, text: &str) -> Option<Option<f64>> {
    match value {
        Some(Value::Integer(v)) => Some(Some(v as f64)),
        Some(Value::Decimal(v)) => Some(Some(v)),
        Some(Value::Boolean(_)) => Some(None),
        Some(Value::Date(_) | Value::DateTime(_)) => None,
        None if text.starts_with('#') => None, // an error, such as #REF!
        None => Some(None),
    }
}

#[derive(Default)]
struct Numbers {
    numbers: Vec<f64>,
    filled: usize,
}

struct Range {
    sheet: String,
    rect: Rect,
}

/// Reads a formula and computes it on the way.
struct Parser<'t, 'c, 'a> {
    text: &'t [u8],
    at: usize,
    sheet: &'t str,
    calc: &'c mut Calc<'a>,
}

impl<'t, 'c, 'a> Parser<'t, 'c, 'a> {
    fn new(formula: &'t str, sheet: &'t str, calc: &'c mut Calc<'a>) -> Self {
        let text = formula.trim().trim_start_matches('=').as_bytes();
        Parser { text, at: 0, sheet, calc }
    }

    fn whole(&mut self) -> Option<f64> {
        let value = self.sum()?;
        self.blanks();
        (self.at == self.text.len() && value.is_finite()).then_some(value)
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, wanted: u8) -> bool {
        self.blanks();
        let found = self.text.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self) -> Option<f64> {
        self.calc.deeper()?;
        let mut value = self.product()?;
        loop {
            if self.eat(b'+') {
                value += self.product()?;
            } else if self.eat(b'-') {
                value -= self.product()?;
            } else {
                self.calc.depth -= 1;
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.power()?;
        loop {
            if self.eat(b'*') {
                value *= self.power()?;
            } else if self.eat(b'/') {
                let by = self.power()?;
                value = (by != 0.0).then(|| value / by)?;
            } else {
                return Some(value);
            }
        }
    }

    fn power(&mut self) -> Option<f64> {
        let mut value = self.signed()?;
        while self.eat(b'^') {
            value = value.powf(self.signed()?);
        }
        Some(value)
    }

    /// A sign binds more tightly than a power: in Excel `-2^2` is 4.
    fn signed(&mut self) -> Option<f64> {
        let mut sign = 1.0;
        loop {
            if self.eat(b'-') {
                sign = -sign;
            } else if !self.eat(b'+') {
                break;
            }
        }
        let mut value = sign * self.single()?;
        while self.eat(b'%') {
            value /= 100.0;
        }
        Some(value)
    }

    fn single(&mut self) -> Option<f64> {
        if self.eat(b'(') {
            let value = self.sum()?;
            return self.eat(b')').then_some(value);
        }
        if self.text.get(self.at).is_some_and(|b| b.is_ascii_digit() || *b == b'.') {
            return self.digits();
        }
        if let Some(range) = self.reference() {
            return self.calc.cell(&range);
        }
        let name = self.word(|b| b.is_ascii_alphanumeric());
        if name.is_empty() || !self.eat(b'(') {
            return None;
        }
        self.function(&name.to_ascii_uppercase())
    }

    fn digits(&mut self) -> Option<f64> {
        let start = self.at;
        self.word(|b| b.is_ascii_digit() || b == b'.');
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.text.get(self.at), Some(b'+' | b'-')));
            self.word(|b| b.is_ascii_digit());
        }
        std::str::from_utf8(self.text.get(start..self.at)?).ok()?.parse().ok()
    }

    fn word(&mut self, test: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|b| test(*b)) {
            self.at += 1;
        }
        self.text.get(start..self.at).and_then(|w| std::str::from_utf8(w).ok()).unwrap_or_default()
    }

    /// `B2`, `$B$2:C9`, `B:B`, `Sheet2!B2`, `'My sheet'!B2`. Nothing is read where there is none.
    fn reference(&mut self) -> Option<Range> {
        self.blanks();
        let start = self.at;
        let found = self.sheet_name().and_then(|sheet| Some(Range { sheet, rect: self.corners()? }));
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// The sheet a reference names, or this one.
    fn sheet_name(&mut self) -> Option<String> {
        let start = self.at;
        if self.eat(b'\'') {
            let end = self.at + memchr::memchr(b'\'', self.text.get(self.at..)?)?;
            let name = std::str::from_utf8(self.text.get(self.at..end)?).ok()?.to_owned();
            self.at = end + 1;
            return self.eat(b'!').then_some(name);
        }
        let name = self.word(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') || b >= 0x80);
        if !name.is_empty() && self.text.get(self.at) == Some(&b'!') {
            self.at += 1;
            return Some(name.to_owned());
        }
        self.at = start;
        Some(self.sheet.to_owned())
    }

    fn corners(&mut self) -> Option<Rect> {
        let (col, row) = self.corner()?;
        let (mut other_col, mut other_row) = (col, row);
        if self.text.get(self.at) == Some(&b':') {
            self.at += 1;
            (other_col, other_row) = self.corner()?;
        } else if row.is_none() {
            return None;
        }
        // A name, a function or a part of one, such as `LOG10(`.
        let goes_on = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'(' | b'!' | b'_' | b'[');
        if self.text.get(self.at).is_some_and(goes_on) {
            return None;
        }
        let (top, bottom) = (row.unwrap_or(1), other_row.unwrap_or(LAST_ROW));
        Some(Rect::new(top.min(bottom), col.min(other_col), top.max(bottom), col.max(other_col)))
    }

    /// A column, and a row where there is one.
    fn corner(&mut self) -> Option<(u32, Option<u32>)> {
        self.at += usize::from(self.text.get(self.at) == Some(&b'$'));
        let letters = self.word(|b| b.is_ascii_alphabetic());
        let up = |n: u32, b: u8| n * 26 + u32::from(b.to_ascii_uppercase() - b'A') + 1;
        let col = (1..=3).contains(&letters.len()).then(|| letters.bytes().fold(0, up))?;
        self.at += usize::from(self.text.get(self.at) == Some(&b'$'));
        let digits = self.word(|b| b.is_ascii_digit());
        let row = if digits.is_empty() { None } else { Some(digits.parse().ok().filter(|r| *r > 0)?) };
        Some((col, row))
    }

    /// A function whose opening parenthesis was read.
    fn function(&mut self, name: &str) -> Option<f64> {
        match name {
            "ABS" => self.arguments(1).map(|a| a[0].abs()),
            "ROUND" => self.arguments(2).map(|a| {
                let scale = 10f64.powi(a[1] as i32);
                (a[0] * scale).round() / scale
            }),
            _ => {
                let found = self.numbers()?;
                over(name, &found)
            }
        }
    }

    /// So many single values and the closing parenthesis.
    fn arguments(&mut self, count: usize) -> Option<Vec<f64>> {
        let mut values = vec![self.sum()?];
        while values.len() < count && self.eat(b',') {
            values.push(self.sum()?);
        }
        (values.len() == count && self.eat(b')')).then_some(values)
    }

    /// The numbers of all arguments, ranges or single values, and the closing parenthesis.
    fn numbers(&mut self) -> Option<Numbers> {
        let mut all = Numbers::default();
        loop {
            let start = self.at;
            let range = self.reference();
            self.blanks();
            match range.filter(|_| matches!(self.text.get(self.at), Some(b',' | b')'))) {
                Some(range) => {
                    let found = self.calc.range(&range)?;
                    all.numbers.extend(found.numbers);
                    all.filled += found.filled;
                }
                None => {
                    self.at = start;
                    all.numbers.push(self.sum()?);
                    all.filled += 1;
                }
            }
            if self.eat(b')') {
                return Some(all);
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }
}

/// What a function makes of numbers.
fn over(name: &str, found: &Numbers) -> Option<f64> {
    let numbers = &found.numbers;
    let sum = || numbers.iter().sum::<f64>();
    match name {
        "SUM" => Some(sum()),
        "AVERAGE" => (!numbers.is_empty()).then(|| sum() / numbers.len() as f64),
        "MIN" => Some(numbers.iter().copied().reduce(f64::min).unwrap_or(0.0)),
        "MAX" => Some(numbers.iter().copied().reduce(f64::max).unwrap_or(0.0)),
        "COUNT" => Some(numbers.len() as f64),
        "COUNTA" => Some(found.filled as f64),
        "PRODUCT" => Some(numbers.iter().product()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sheet of texts, numbers and formulas.
    fn page(rows: &[&[&str]]) -> Page {
        let (mut grid, mut formulas) = (Grid::new(), BTreeMap::new());
        for (r, row) in (1..).zip(rows) {
            for (c, text) in (1..).zip(*row) {
                match text.strip_prefix('=') {
                    Some(formula) => drop(formulas.insert((r, c), formula.to_owned())),
                    None => grid.push(r, c, text, text.parse().ok().map(Value::Decimal), false),
                }
            }
        }
        grid.finish(Vec::new());
        Page { grid, formulas }
    }

    fn compute(formula: &str) -> Option<f64> {
        let load = |name: &str| match name {
            "Data" => {
                Some(page(&[&["n", "1", "2"], &["x", "3", "4.5"], &[formula, "=B1+B2", "=C9"], &["=A4+1"]]))
            }
            "My sheet" => Some(page(&[&["7", "=Data!B3*2"]])),
            _ => None,
        };
        Calc::new(load).value("Data", 3, 1)
    }

    #[test]
    fn computes_sums_and_arithmetic() {
        for (formula, value) in [
            ("=SUM(B1:C2)", 10.5),
            ("=sum(B1:B2, 10, C1)", 16.0),
            ("=SUM(B:B)", 8.0),
            ("=AVERAGE(B1:B2)", 2.0),
            ("=MIN(B1:C2)+MAX($B$1:$C$2)", 5.5),
            ("=COUNT(A1:C2)", 4.0),
            ("=COUNTA(A1:C2)", 6.0),
            ("=(B1+B2)*2-C2/3", 6.5),
            ("=-B2^2", 9.0),
            ("=10%*B2", 0.3),
            ("=B3+1", 5.0),
            ("='My sheet'!A1+1", 8.0),
            ("='My sheet'!B1", 8.0),
            ("=ROUND(C2/B2, 1)", 1.5),
            ("=B9+1", 1.0),
            ("=1.5e2", 150.0),
            ("=SUM(A1:A2)", 0.0),
        ] {
            let found = compute(formula).unwrap_or(f64::NAN);
            assert!((found - value).abs() < 1e-9, "{formula}: {found}");
        }
    }

    #[test]
    fn leaves_what_it_does_not_know_and_what_goes_in_circles() {
        for formula in [
            "=A3",
            "=SUM(A1:A9)",
            "=A4",
            "=B1/0",
            "=A1+1",
            "=VLOOKUP(1,A1:B2,2)",
            "=IF(B1>0,1,2)",
            "=Sales[Sum]",
            "=B1&C1",
            "=SUM(B1:B2",
            "=LOG10(5)",
            "=Nowhere!A1",
            "=\"x\"",
            "=",
            "=B1:B2",
            "=1 2",
            "=SUM(#REF!)",
        ] {
            assert_eq!(compute(formula), None, "{formula}");
        }
        let deep = format!("={}1{}", "(".repeat(5000), ")".repeat(5000));
        assert_eq!(compute(&deep), None);
    }

    #[test]
    fn computes_long_chains_in_both_directions() {
        for step in [-1, 1] {
            let mut chain = Page { grid: Grid::new(), formulas: BTreeMap::new() };
            let rows = 2..=5000;
            for row in rows.clone() {
                chain.formulas.insert((row, 1), format!("A{}+1", i64::from(row) + step));
            }
            chain.grid.push(if step < 0 { 1 } else { 5001 }, 1, "1", Some(Value::Integer(1)), false);
            chain.grid.finish(Vec::new());
            let places: Vec<_> = rows.map(|row| (row, 1)).collect();
            let mut chain = Some(chain);
            let values = Calc::new(|_| chain.take()).values("Data", &places);
            assert!(values.iter().all(Option::is_some), "{step}");
            assert_eq!(values.iter().flatten().copied().fold(0.0, f64::max), 5000.0);
        }
    }
}

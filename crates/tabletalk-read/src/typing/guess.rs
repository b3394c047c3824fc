//! Looks at cells and says what type their column has.

use super::build::{decimals_of, simple_decimal};
use super::{Raw, Shape};
use tabletalk_core::Kind;
use tabletalk_core::value::{self, Moment, Number, Order, Value};

/// What has been seen of a column.
#[derive(Debug, Default, Clone)]
pub(crate) struct Guess {
    /// Cells that are neither empty nor a mark for a missing value.
    filled: usize,
    marks: usize,
    texts: usize,
    booleans: usize,
    numbers: usize,
    /// Numbers that are not whole.
    fractions: usize,
    /// Numbers without a unit that are not zero, read from text.
    bare: usize,
    decimals: u8,
    units: Vec<(String, usize)>,
    /// Numbers with units beyond those counted one by one: words, as a rule.
    other_units: usize,
    dates: usize,
    times: usize,
    /// Dates written like `1/2/2023`, and how many of them each order fits.
    open: usize,
    day_first: usize,
    month_first: usize,
}

impl Guess {
    /// Looks at one more cell.
    pub(crate) fn see(&mut self, cell: Raw<'_>) {
        if let Some(value) = cell.value {
            self.filled += 1;
            return self.see_value(value, cell.text);
        }
        let text = cell.text.trim();
        if text.is_empty() {
            return;
        }
        self.filled += 1;
        if let Some((v, decimals)) = simple_decimal(text.as_bytes()).map(|(v, _)| (v, decimals_of(text))) {
            self.numbers += 1;
            self.fractions += usize::from(decimals > 0);
            self.decimals = self.decimals.max(decimals);
            self.bare += usize::from(v != 0.0);
        } else if let (true, Some(moment)) = (begins_with_year(text), value::moment(text)) {
            self.see_moment(moment);
        } else if let Some(number) = value::number(text) {
            self.see_number(number);
        } else if let Some(moment) = value::moment(text) {
            self.see_moment(moment);
        } else if value::boolean(text).is_some() {
            self.booleans += 1;
        } else if value::is_missing(text) {
            (self.filled, self.marks) = (self.filled - 1, self.marks + 1);
        } else {
            self.texts += 1;
        }
    }

    /// Whether no type but text can be found any more among this many cells.
    pub(crate) fn is_hopeless(&self, cells: usize) -> bool {
        self.texts > 0 && self.texts * 20 > cells
    }

    /// Whether no cell so far was filled.
    pub(crate) fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Adds what was seen of other cells of the same column.
    pub(crate) fn add(&mut self, other: &Guess) {
        self.filled += other.filled;
        self.marks += other.marks;
        self.texts += other.texts;
        self.booleans += other.booleans;
        self.numbers += other.numbers;
        self.fractions += other.fractions;
        self.bare += other.bare;
        self.decimals = self.decimals.max(other.decimals);
        self.other_units += other.other_units;
        for (unit, count) in &other.units {
            self.add_unit(unit, *count);
        }
        self.dates += other.dates;
        self.times += other.times;
        self.open += other.open;
        self.day_first += other.day_first;
        self.month_first += other.month_first;
    }

    fn see_value(&mut self, value: Value, text: &str) {
        match value {
            Value::Boolean(_) => self.booleans += 1,
            Value::Date(_) => self.dates += 1,
            Value::DateTime(_) => (self.dates, self.times) = (self.dates + 1, self.times + 1),
            Value::Integer(_) => self.numbers += 1,
            Value::Decimal(v) => {
                self.numbers += 1;
                self.fractions += usize::from(v.fract() != 0.0 || v.abs() >= 9e15);
            }
        }
        if let (Value::Integer(_) | Value::Decimal(_), Some(written)) = (value, value::number(text)) {
            self.decimals = self.decimals.max(written.decimals);
            self.see_unit(written.unit);
        }
    }

    fn see_number(&mut self, number: Number<'_>) {
        if number.integer.is_none() && number.decimals == 0 {
            self.texts += 1; // too long for a whole number: an identifier
            return;
        }
        self.numbers += 1;
        self.fractions += usize::from(number.decimals > 0 || number.integer.is_none());
        self.decimals = self.decimals.max(number.decimals);
        self.bare += usize::from(number.unit.is_none() && number.value != 0.0);
        self.see_unit(number.unit);
    }

    fn see_unit(&mut self, unit: Option<&str>) {
        if let Some(unit) = unit {
            self.add_unit(unit, 1);
        }
    }

    fn add_unit(&mut self, unit: &str, count: usize) {
        match self.units.iter().position(|(u, _)| u == unit) {
            Some(i) => self.units[i].1 += count,
            None if self.units.len() >= 32 => self.other_units += count,
            None => self.units.push((unit.to_owned(), count)),
        }
    }

    fn see_moment(&mut self, moment: Moment) {
        if moment.year.is_none() || moment.day.is_none() {
            self.texts += 1;
            return;
        }
        self.dates += 1;
        self.times += usize::from(moment.time.is_some());
        if moment.is_open {
            self.open += 1;
            self.day_first += usize::from(moment.days(Order::DayFirst).is_some());
            self.month_first += usize::from(moment.days(Order::MonthFirst).is_some());
        }
    }

    /// What the column is.
    pub(crate) fn shape(&self) -> Shape {
        if self.filled == 0 {
            return Shape::TEXT;
        }
        if self.booleans == self.filled && self.marks == 0 {
            return Shape { kind: Kind::Boolean, ..Shape::TEXT };
        }
        self.number_shape().or_else(|| self.date_shape()).unwrap_or(Shape::TEXT)
    }

    /// How the column is read when it is said to be of this type. Its numbers are in `unit` if some are written
    /// with it, else in the unit that most have; where the order of days and months stays open, the day is first.
    pub(crate) fn shape_as(&self, kind: Kind, unit: Option<&str>) -> Shape {
        let is_number = matches!(kind, Kind::Integer | Kind::Decimal);
        let seen = unit.filter(|unit| self.units.iter().any(|(seen, _)| seen == unit));
        let unit = seen.or_else(|| self.unit().map(|(unit, _)| unit)).filter(|_| is_number);
        let month_first = self.month_first > self.day_first;
        Shape {
            kind,
            unit: unit.map(str::to_owned),
            decimals: if kind == Kind::Decimal { self.decimals } else { 0 },
            order: if month_first { Order::MonthFirst } else { Order::DayFirst },
        }
    }

    /// Whether this many cells are enough to call the column theirs.
    fn is_enough(&self, fitting: usize) -> bool {
        fitting > 0 && fitting * 20 >= self.filled * 19
    }

    fn number_shape(&self) -> Option<Shape> {
        if !self.is_enough(self.numbers) {
            return None;
        }
        let unit = self.unit();
        let of_unit = unit.map_or(0, |(_, count)| count);
        let other_units =
            self.units.iter().map(|(_, count)| count).sum::<usize>() - of_unit + self.other_units;
        let mut fitting = self.numbers.saturating_sub(other_units);
        if unit.is_some_and(|(unit, _)| unit == "%") {
            fitting = fitting.saturating_sub(self.bare);
        }
        let kind = if self.fractions > 0 { Kind::Decimal } else { Kind::Integer };
        let decimals = if kind == Kind::Decimal { self.decimals } else { 0 };
        self.is_enough(fitting).then(|| Shape {
            kind,
            unit: unit.map(|(unit, _)| unit.to_owned()),
            decimals,
            ..Shape::TEXT
        })
    }

    /// The unit of the column: the one most numbers have, or a currency some have and no other is beside.
    fn unit(&self) -> Option<(&str, usize)> {
        let (unit, count) = self.units.iter().max_by_key(|(_, count)| *count)?;
        let is_currency = unit.len() == 3 && unit.bytes().all(|b| b.is_ascii_uppercase()) || unit == "¥";
        (count * 2 >= self.numbers || (is_currency && self.units.len() == 1)).then_some((unit, *count))
    }

    fn date_shape(&self) -> Option<Shape> {
        let (day, month) = (self.day_first == self.open, self.month_first == self.open);
        let order = match (day, month) {
            (true, true) if self.open > 0 => return None,
            (true, _) => Order::DayFirst,
            (false, true) => Order::MonthFirst,
            (false, false) => return None,
        };
        let kind = if self.times > 0 { Kind::DateTime } else { Kind::Date };
        self.is_enough(self.dates).then_some(Shape { kind, order, ..Shape::TEXT })
    }
}

/// Whether a text may be a date like `2023-09-01`, so that it is not tried as a number first.
fn begins_with_year(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9', _, _, b'0'..=b'9', b'-' | b'/', _, _, _, ..])
}

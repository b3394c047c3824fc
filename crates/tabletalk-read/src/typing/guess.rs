//! Looks at cells and says what type their column has.

use super::build::{decimals_of, simple_decimal};
use super::{Raw, Shape};
use tabletalk_core::Kind;
use tabletalk_core::value::{self, Decimal, Group, Marks, Moment, Number, Order, Style, Value, Vote};

/// A number with spaces in it and at least so many digits may be a telephone number.
const PHONE_DIGITS: u8 = 9;

/// What has been seen of a column.
#[derive(Debug, Default, Clone)]
pub(crate) struct Guess {
    /// Cells that are neither empty nor a mark for a missing value.
    filled: usize,
    marks: usize,
    texts: usize,
    booleans: usize,
    numbers: usize,
    /// Numbers that are not whole, however they are read.
    fractions: usize,
    /// How the numbers are written.
    written: Written,
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

/// What numbers show of the style they are written in.
#[derive(Debug, Default, Clone)]
struct Written {
    /// Numbers that can only be read with this mark before their decimals: point, comma.
    sure: [usize; 2],
    /// Numbers such as `1.234` and `1,234`, which the style of the table decides.
    open: [usize; 2],
    /// Groups separated by each of [`Group::ALL`].
    groups: [usize; 4],
    /// Numbers whose groups are separated by plain spaces, and the fewest and most digits they have.
    spaced: usize,
    digits: Option<(u8, u8)>,
    /// Whole numbers from 100 to 999, and from 1000 on without any mark.
    hundreds: usize,
    thousands: usize,
    /// Sums with a euro sign behind them.
    euros: usize,
}

fn at(decimal: Decimal) -> usize {
    usize::from(decimal == Decimal::Comma)
}

impl Written {
    fn see(&mut self, text: &str, number: &Number<'_>, marks: Marks) {
        match marks.vote {
            Vote::Sure(decimal) => self.sure[at(decimal)] += 1,
            Vote::Open(decimal) => self.open[at(decimal)] += 1,
            Vote::None => {}
        }
        if let Some(i) = marks.group.and_then(|group| Group::ALL.iter().position(|g| *g == group)) {
            self.groups[i] += 1;
        }
        if marks.is_spaced {
            self.spaced += 1;
            let digits = text.bytes().filter(u8::is_ascii_digit).count().min(255) as u8;
            self.digits = Some(self.digits.map_or((digits, digits), |(a, b)| (a.min(digits), b.max(digits))));
        }
        self.euros += usize::from(number.unit == Some("EUR") && text.ends_with(['€', 'R']));
    }

    fn add(&mut self, other: &Written) {
        let pairs = self.sure.iter_mut().chain(&mut self.open).chain(&mut self.groups);
        let more = other.sure.iter().chain(&other.open).chain(&other.groups);
        pairs.zip(more).for_each(|(sum, n)| *sum += n);
        self.spaced += other.spaced;
        self.digits = match (self.digits, other.digits) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        self.hundreds += other.hundreds;
        self.thousands += other.thousands;
        self.euros += other.euros;
    }

    /// The mark before decimals of most numbers that leave no choice.
    fn decimal(&self) -> Option<Decimal> {
        let [points, commas] = self.sure;
        let mark = if commas > points { Decimal::Comma } else { Decimal::Point };
        (points + commas > 0).then_some(mark)
    }

    /// Whether `1,200` stands beside `950`: a thousand, for decimals would be three here and none there.
    fn counts(&self) -> Option<Decimal> {
        let is_mixed = self.open[at(Decimal::Comma)] > 0 && self.hundreds > 0 && self.thousands == 0;
        is_mixed.then_some(Decimal::Point)
    }

    /// What separates thousands, where the decimals stand behind this mark.
    fn group(&self, decimal: Decimal) -> Option<Group> {
        if self.spaced > 0 {
            return Some(Group::Space);
        }
        let (most, count) = Group::ALL.into_iter().zip(self.groups).max_by_key(|(_, count)| *count)?;
        let open = match decimal {
            Decimal::Point => (Group::Comma, self.open[at(Decimal::Comma)]),
            Decimal::Comma => (Group::Point, self.open[at(Decimal::Point)]),
        };
        let (group, count) = if open.1 > count { open } else { (most, count) };
        (count > 0).then_some(group)
    }
}

/// What is known of a table when the type of a column is decided.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Around {
    /// The style a user gave.
    pub told: Option<Style>,
    /// The mark before decimals that the numbers of other columns leave no choice about.
    pub decimal: Option<Decimal>,
    /// The mark that is usual in files like this one.
    pub expected: Option<Decimal>,
    /// The order of days and months.
    pub order: Option<Order>,
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
            self.see_simple(v, decimals);
        } else if let (true, Some(moment)) = (begins_with_year(text), value::moment(text)) {
            self.see_moment(moment);
        } else if let Some((number, marks)) = value::number_and_marks(text) {
            self.see_number(text, number, marks);
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

    /// Whether more cells, or the rest of the table, may show that the column is more than text: a column that
    /// has been empty so far, and one of dates whose order or of numbers whose style is not clear.
    pub(crate) fn may_be_more(&self) -> bool {
        let marked = self.filled == 0 || self.booleans == self.filled;
        marked || self.is_enough(self.numbers) || self.is_enough(self.dates)
    }

    /// Adds what was seen of other cells of the same column.
    pub(crate) fn add(&mut self, other: &Guess) {
        self.filled += other.filled;
        self.marks += other.marks;
        self.texts += other.texts;
        self.booleans += other.booleans;
        self.numbers += other.numbers;
        self.fractions += other.fractions;
        self.written.add(&other.written);
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
        if matches!(value, Value::Integer(_) | Value::Decimal(_)) && !text.is_empty() {
            if simple_decimal(text.as_bytes()).is_some() {
                self.decimals = self.decimals.max(decimals_of(text));
            } else if let Some(written) = value::number(text) {
                self.decimals = self.decimals.max(written.decimals);
                self.see_unit(written.unit);
            }
        }
    }

    /// A number of digits and at most one point.
    fn see_simple(&mut self, v: f64, decimals: u8) {
        self.numbers += 1;
        self.bare += usize::from(v != 0.0);
        let size = v.abs();
        match decimals {
            0 if size < 100.0 => {}
            0 if size < 1000.0 => self.written.hundreds += 1,
            0 => self.written.thousands += 1,
            3 if (1.0..1000.0).contains(&size) => self.written.open[at(Decimal::Point)] += 1,
            _ => {
                self.fractions += 1;
                self.decimals = self.decimals.max(decimals);
                self.written.sure[at(Decimal::Point)] += 1;
            }
        }
    }

    fn see_number(&mut self, text: &str, number: Number<'_>, marks: Marks) {
        if number.integer.is_none() && number.decimals == 0 {
            self.texts += 1; // too long for a whole number: an identifier
            return;
        }
        self.numbers += 1;
        // A third decimal of an open number counts once it is known to be one.
        let is_open = matches!(marks.vote, Vote::Open(_));
        if !is_open || number.unit == Some("%") {
            self.fractions += usize::from(number.decimals > 0 || number.integer.is_none());
            self.decimals = self.decimals.max(number.decimals);
        }
        self.bare += usize::from(number.unit.is_none() && number.value != 0.0);
        self.written.see(text, &number, marks);
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

    /// What the column is, going by its cells alone.
    pub(crate) fn shape(&self) -> Shape {
        self.shape_in(&Around::default())
    }

    /// What the column is, in a table of which this is known.
    pub(super) fn shape_in(&self, around: &Around) -> Shape {
        if self.filled == 0 {
            return Shape::TEXT;
        }
        if self.booleans == self.filled {
            return Shape { kind: Kind::Boolean, ..Shape::TEXT };
        }
        self.number_shape(self.style(around)).or_else(|| self.date_shape(around.order)).unwrap_or(Shape::TEXT)
    }

    /// The mark before decimals, where this is a column of numbers that leave no choice.
    pub(super) fn decimal(&self) -> Option<Decimal> {
        self.written.decimal().filter(|_| self.is_enough(self.numbers))
    }

    /// The order of days and months, where the dates of this column leave no choice.
    pub(super) fn order(&self) -> Option<Order> {
        self.date_shape(None).filter(|_| self.open > 0).map(|shape| shape.order)
    }

    /// Whether the rest of the table has to say how something in this column is read.
    pub(super) fn is_open(&self) -> bool {
        self.written.open != [0, 0] || self.open > 0
    }

    /// Whether sums are written as they are where the comma is for decimals: with the euro sign behind them.
    pub(super) fn has_euros(&self) -> bool {
        self.written.euros > 0
    }

    /// How the numbers are written: as they say themselves, as other columns say, as it is usual.
    fn style(&self, around: &Around) -> Style {
        let written = &self.written;
        if let Some(style) = around.told {
            return style;
        }
        let is_open = written.open != [0, 0];
        let guessed = || written.counts().or(self.home()).or(around.expected);
        let outside = || around.decimal.or_else(guessed).filter(|_| is_open);
        let decimal = written.decimal().or_else(outside).unwrap_or_default();
        Style { decimal, group: written.group(decimal) }
    }

    /// The mark before decimals where the currency of the column is at home.
    fn home(&self) -> Option<Decimal> {
        let (unit, _) = self.unit()?;
        matches!(unit, "USD" | "GBP" | "CNY" | "¥" | "JPY" | "INR" | "HKD" | "AUD").then_some(Decimal::Point)
    }

    /// How the column is read when it is said to be of this type. Its numbers are in `unit` if some are written
    /// with it, else in the unit that most have; where the order of days and months stays open, the day is first.
    pub(crate) fn shape_as(&self, kind: Kind, unit: Option<&str>, style: Option<Style>) -> Shape {
        let is_number = matches!(kind, Kind::Integer | Kind::Decimal);
        let seen = unit.filter(|unit| self.units.iter().any(|(seen, _)| seen == unit));
        let unit = seen.or_else(|| self.unit().map(|(unit, _)| unit)).filter(|_| is_number);
        let month_first = self.month_first > self.day_first;
        let style = self.style(&Around { told: style, ..Around::default() });
        Shape {
            kind,
            unit: unit.map(str::to_owned),
            decimals: if kind == Kind::Decimal { self.decimals_in(style) } else { 0 },
            order: if month_first { Order::MonthFirst } else { Order::DayFirst },
            style,
        }
    }

    /// How the column is read when its numbers are said to be written like this, if it is one of numbers that
    /// have marks. They may have decimals, for more cells may follow.
    pub(crate) fn shape_told(&self, style: Style) -> Option<Shape> {
        let Written { sure, open, groups, .. } = &self.written;
        let is_marked = sure.iter().chain(open).chain(groups).any(|count| *count > 0);
        let shape = self.number_shape(style).filter(|_| is_marked)?;
        Some(Shape { kind: Kind::Decimal, ..shape })
    }

    /// Whether this many cells are enough to call the column theirs.
    fn is_enough(&self, fitting: usize) -> bool {
        fitting > 0 && fitting * 20 >= self.filled * 19
    }

    fn number_shape(&self, style: Style) -> Option<Shape> {
        let other_mark = self.written.sure[1 - at(style.decimal)];
        let numbers = self.numbers.saturating_sub(other_mark);
        if !self.is_enough(numbers) || self.has_phones() {
            return None;
        }
        let unit = self.unit();
        let of_unit = unit.map_or(0, |(_, count)| count);
        let other_units =
            self.units.iter().map(|(_, count)| count).sum::<usize>() - of_unit + self.other_units;
        let mut fitting = numbers.saturating_sub(other_units);
        if unit.is_some_and(|(unit, _)| unit == "%") {
            fitting = fitting.saturating_sub(self.bare);
        }
        let is_decimal = self.fractions > 0 || self.written.open[at(style.decimal)] > 0;
        let kind = if is_decimal { Kind::Decimal } else { Kind::Integer };
        let decimals = if is_decimal { self.decimals_in(style) } else { 0 };
        let unit = unit.map(|(unit, _)| unit.to_owned());
        self.is_enough(fitting).then_some(Shape { kind, unit, decimals, style, ..Shape::TEXT })
    }

    /// The most decimals of a number, open ones read in this style.
    fn decimals_in(&self, style: Style) -> u8 {
        if self.written.open[at(style.decimal)] > 0 { self.decimals.max(3) } else { self.decimals }
    }

    /// Whether what looks like numbers are telephone numbers: all with spaces, and all of one length.
    fn has_phones(&self) -> bool {
        let same = self.written.digits.is_some_and(|(least, most)| least == most && least >= PHONE_DIGITS);
        same && self.written.spaced > 1 && self.written.spaced == self.numbers && self.units.is_empty()
    }

    /// The unit of the column: the one most numbers have, or a currency some have and no other is beside.
    fn unit(&self) -> Option<(&str, usize)> {
        let (unit, count) = self.units.iter().max_by_key(|(_, count)| *count)?;
        let is_currency = unit.len() == 3 && unit.bytes().all(|b| b.is_ascii_uppercase()) || unit == "¥";
        (count * 2 >= self.numbers || (is_currency && self.units.len() == 1)).then_some((unit, *count))
    }

    fn date_shape(&self, order: Option<Order>) -> Option<Shape> {
        let (day, month) = (self.day_first == self.open, self.month_first == self.open);
        let order = match (day, month) {
            (true, true) if self.open > 0 => order?,
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

//! What a question is read as: a program over one table.

pub use crate::grammar::Period;
use serde::{Deserialize, Serialize};

/// A program over one table: which rows, and what is asked of them. Columns are numbers of the table's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The rows it looks at.
    pub rows: Rows,
    /// What it asks of them.
    pub ask: Ask,
}

/// Rows: conditions first, then one pick among them, then a step to a neighbour.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// Only these rows of the source: the result of an earlier question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Vec<u64>>,
    /// Totals and other computed rows are rows too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub computed: bool,
    /// What must hold for a row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Which of the rows left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pick: Option<Pick>,
    /// The row so many after (or, below zero, before) the only row left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub step: i32,
}

fn is_zero(n: &i32) -> bool {
    *n == 0
}

/// What must hold for a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The column.
    pub column: usize,
    /// What must hold for its cell.
    pub test: Test,
}

/// What must hold for a cell. Numbers are in the column's own unit; days since 1970-01-01 in date columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Test {
    /// It is one of these.
    Is(Vec<Value>),
    /// It is none of these.
    Not(Vec<Value>),
    /// It has these words.
    Has(String),
    /// It is less.
    Less(f64),
    /// It is less or the same.
    AtMost(f64),
    /// It is more.
    More(f64),
    /// It is more or the same.
    AtLeast(f64),
    /// It is in this range, ends included.
    Between(f64, f64),
    /// Its day is in this year.
    Year(i32),
    /// Its day is in this month of any year.
    Month(u32),
    /// Its day is in this quarter of any year.
    Quarter(u32),
    /// Its day is this one of a week, from Monday, which is 0.
    Weekday(u32),
    /// It is less than the cell of another column.
    LessThan(usize),
    /// It is more than the cell of another column.
    MoreThan(usize),
    /// There is none.
    Empty,
    /// There is one.
    Filled,
}

/// A value of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// As it is written.
    pub text: String,
    /// The plain way of writing it, where it is typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<String>,
}

/// Which of several rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pick {
    /// The rows with the most or the least in a column; more than `count` when several tie for the first.
    Extreme {
        /// What is compared.
        column: usize,
        /// The most, not the least.
        most: bool,
        /// How many rows.
        count: usize,
        /// How many better rows are passed over: 1 is the second.
        skip: usize,
    },
    /// The rows in which a column is furthest above another; more than `count` when several tie for the first.
    Apart {
        /// The column.
        column: usize,
        /// The other.
        other: usize,
        /// Furthest above, not furthest below.
        most: bool,
        /// How many rows.
        count: usize,
    },
    /// The first or last rows in the order of the source.
    End {
        /// From the end.
        last: bool,
        /// How many rows.
        count: usize,
        /// How many rows are passed over: 1 is the second.
        skip: usize,
    },
}

/// How many cells become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fold {
    /// All added up.
    Sum,
    /// Their mean.
    Average,
    /// The smallest.
    Least,
    /// The largest.
    Most,
    /// The largest less the smallest.
    Range,
}

/// What is asked of rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// The cells of a column.
    Cells(usize),
    /// How many rows there are.
    Count,
    /// How many different values a column has.
    Distinct(usize),
    /// The cells of a column made one.
    Fold(Fold, usize),
    /// The value of a column that most or fewest rows have; with `sum`, whose sum in that column is largest.
    Group {
        /// The column of the value.
        column: usize,
        /// Most, not fewest.
        most: bool,
        /// Adds this column up instead of counting rows.
        sum: Option<usize>,
    },
    /// How far the cell of a column is from the one in other rows.
    Difference(usize, Rows),
    /// How many rows more or less than there are of the others.
    CountDifference(Rows),
    /// Which part they are of the rows for which the first conditions hold, in percent.
    ///
    /// The number says how many of the conditions, from the first, hold for what they are a part of.
    Share(usize),
    /// Which part of the sum of a column they have, in percent; the number is that of [`Ask::Share`].
    ShareOf(usize, usize),
    /// How far a sum or an average is from that of other rows.
    FoldDifference(Fold, usize, Rows),
    /// How far the sums of two columns are apart.
    ColumnDifference(usize, usize),
    /// How far the first column is above the second in each row, made one: days are counted.
    Apart(Fold, usize, usize),
    /// The sum of the first column in percent of that of the second.
    Ratio(usize, usize),
    /// By how much percent the sum of the second column is above that of the first.
    Growth(usize, usize),
    /// By how much percent the sum of a column is above that in other rows.
    RowGrowth(usize, Rows),
    /// The sum of the first column for each one of the second: what a kilo costs.
    Per(usize, usize),
    /// How many times the sum of a column is that in other rows.
    Times(usize, Rows),
    /// Which place the row has by a column; with `true` the largest is first.
    Rank(usize, bool),
    /// For each of several columns its cells made one.
    EachColumn(Fold, Vec<usize>),
    /// For each group of rows something that is asked of it.
    By(By),
    /// The cells of several columns made one.
    Across(Fold, Vec<usize>),
    /// The name of the column, of several, that has the most or the least.
    BestColumn {
        /// The columns.
        columns: Vec<usize>,
        /// The most, not the least.
        most: bool,
    },
    /// Several columns of each row.
    Table(Vec<usize>),
    /// Whether a number that is asked for is so large.
    Compares(Box<Ask>, Test),
    /// Whether there is such a row.
    Exists,
    /// Whether all rows are such.
    Every,
    /// Whether what is asked gives this value.
    Holds(Box<Ask>, Value),
    /// Whether the cell of a column is more (or, with `false`, less) than the one in other rows.
    Exceeds(usize, bool, Rows),
    /// Whether the sum or the average of a column is more (or, with `false`, less) than that in other rows.
    FoldExceeds(Fold, usize, bool, Rows),
    /// Whether there are more (or, with `false`, fewer) such rows than others.
    Outnumbers(bool, Rows),
    /// Whether the opposite is so.
    Denies(Box<Ask>),
}

/// For each group of rows something that is asked of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct By {
    /// What makes a group.
    pub keys: Vec<Key>,
    /// What is asked of each group.
    pub ask: Box<Ask>,
    /// Largest (or, with `false`, smallest) first; in the order of the keys when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<bool>,
    /// Only so many groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only groups for which this holds of what is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub having: Option<Test>,
    /// Only the groups are wanted, not what was asked of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
}

/// What makes a group: the values of a column, or the part of the calendar they lie in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// The column.
    pub column: usize,
    /// The part of the calendar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

impl Rows {
    /// The rows for which the first conditions hold.
    pub(crate) fn base(&self, conditions: usize) -> Rows {
        let kept = self.conditions.iter().take(conditions).cloned().collect();
        Rows { within: self.within.clone(), conditions: kept, ..Rows::default() }
    }

    /// The columns that decide which rows these are.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.conditions.iter().map(|c| c.column).collect();
        columns.extend(self.conditions.iter().filter_map(|c| match c.test {
            Test::LessThan(other) | Test::MoreThan(other) => Some(other),
            _ => None,
        }));
        match self.pick {
            Some(Pick::Extreme { column, .. }) => columns.push(column),
            Some(Pick::Apart { column, other, .. }) => columns.extend([column, other]),
            Some(Pick::End { .. }) | None => (),
        }
        columns
    }
}

impl Ask {
    /// Whether it asks for a table, or for what is made of several columns.
    pub(crate) fn is_wide(&self) -> bool {
        match self {
            Ask::By(_) | Ask::Across(..) | Ask::BestColumn { .. } | Ask::Table(_) | Ask::EachColumn(..) => {
                true
            }
            Ask::Compares(ask, _) | Ask::Holds(ask, _) | Ask::Denies(ask) => ask.is_wide(),
            _ => false,
        }
    }

    /// The columns it looks at.
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Ask::Cells(c) | Ask::Distinct(c) | Ask::Fold(_, c) | Ask::ShareOf(c, _) | Ask::Rank(c, _) => {
                vec![*c]
            }
            Ask::Across(_, columns)
            | Ask::BestColumn { columns, .. }
            | Ask::Table(columns)
            | Ask::EachColumn(_, columns) => columns.clone(),
            Ask::By(by) => by.keys.iter().map(|k| k.column).chain(by.ask.columns()).collect(),
            Ask::FoldDifference(_, c, other) | Ask::RowGrowth(c, other) | Ask::Times(c, other) => {
                other.columns().into_iter().chain([*c]).collect()
            }
            Ask::Compares(ask, _) => ask.columns(),
            Ask::ColumnDifference(a, b)
            | Ask::Apart(_, a, b)
            | Ask::Ratio(a, b)
            | Ask::Growth(a, b)
            | Ask::Per(a, b) => {
                vec![*a, *b]
            }
            Ask::Group { column, sum, .. } => [*column].into_iter().chain(*sum).collect(),
            Ask::Difference(c, other) | Ask::Exceeds(c, _, other) | Ask::FoldExceeds(_, c, _, other) => {
                other.columns().into_iter().chain([*c]).collect()
            }
            Ask::CountDifference(other) | Ask::Outnumbers(_, other) => other.columns(),
            Ask::Count | Ask::Share(_) | Ask::Exists | Ask::Every => Vec::new(),
            Ask::Holds(ask, _) | Ask::Denies(ask) => ask.columns(),
        }
    }
}

impl Program {
    /// The column whose cells its result stands in or was computed from; none where it counts rows.
    pub fn measured(&self) -> Option<usize> {
        match &self.ask {
            Ask::By(by) => Program { rows: Rows::default(), ask: (*by.ask).clone() }.measured(),
            Ask::Across(_, columns) => columns.first().copied(),
            Ask::ColumnDifference(a, _) => Some(*a),
            Ask::Cells(c) | Ask::Fold(_, c) | Ask::Difference(c, _) | Ask::FoldDifference(_, c, _) => {
                Some(*c)
            }
            _ => None,
        }
    }

    /// Whether its result stands in no cell.
    pub fn is_computed(&self) -> bool {
        !matches!(self.ask, Ask::Cells(_) | Ask::Table(_) | Ask::Group { .. } | Ask::BestColumn { .. })
    }

    /// The columns it looks at, for citations.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns = self.rows.columns();
        columns.extend(self.ask.columns());
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

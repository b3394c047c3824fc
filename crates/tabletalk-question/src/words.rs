//! Says programs in words, so that people can check how they were understood. The page says them in other languages: a new
//! form here needs a line in `tabletalk-server/page/reading.js`.

use crate::grid::{Grid, Measure};
use crate::program::{Ask, By, Condition, Fold, Key, Period, Pick, Program, Rows, Test, Value};
use tabletalk_core::value::{plain_date, plain_decimal};

impl Program {
    /// The program in words, such as `the sum of Sales where Region is North`.
    pub fn words(&self, grid: &Grid) -> String {
        match self.ask {
            // A part of a part: the rows that it is a part of come first.
            Ask::Share(base) | Ask::ShareOf(_, base) if base > 0 => {
                let of = rows(&self.rows.base(base), grid);
                let rest = self.rows.conditions.get(base..).unwrap_or_default();
                let part = Rows { conditions: rest.to_vec(), ..Rows::default() };
                format!("of what there is{of}, {}", said(&self.ask, &rows(&part, grid), grid))
            }
            _ => said(&self.ask, &rows(&self.rows, grid), grid),
        }
    }
}

impl Program {
    /// What it asks, by which groups, and which columns choose its rows, whatever their values: two readings of a
    /// question differ in one of these.
    pub fn aim(&self, grid: &Grid) -> Vec<String> {
        let (ask, keys) = match &self.ask {
            Ask::By(by) => (&*by.ask, by.keys.iter().map(|k| key(k, grid)).collect()),
            ask => (ask, Vec::new()),
        };
        let mut chooses: Vec<&str> = self.rows.columns().into_iter().map(|c| name(grid, c)).collect();
        chooses.sort_unstable();
        vec![said(ask, "", grid), keys.join(" and "), chooses.join(" and ")]
    }
}

/// What is asked of rows that were said already.
fn said(ask: &Ask, rows: &str, grid: &Grid) -> String {
    let name = |c: &usize| name(grid, *c);
    let others = |other: &Rows| crate::words::rows(other, grid);
    match ask {
        Ask::Cells(c) if rows.is_empty() => format!("{} of all rows", name(c)),
        Ask::Cells(c) => format!("{}{rows}", name(c)),
        Ask::Count => format!("the number of rows{rows}"),
        Ask::Distinct(c) => format!("the number of different values of {}{rows}", name(c)),
        Ask::Fold(fold, c) => format!("the {} of {}{rows}", fold_word(*fold), name(c)),
        Ask::Group { column, most, sum: None } => {
            format!("the {} with the {} rows{rows}", name(column), if *most { "most" } else { "fewest" })
        }
        Ask::Group { column, most, sum: Some(sum) } => {
            let size = if *most { "largest" } else { "smallest" };
            format!("the {} with the {size} sum of {}{rows}", name(column), name(sum))
        }
        Ask::Difference(c, other) => {
            format!("the difference in {} between the row{rows} and the row{}", name(c), others(other))
        }
        Ask::CountDifference(other) => {
            format!("how many more or fewer rows{rows} than rows{}", others(other))
        }
        Ask::Share(_) => format!("the percentage of rows{rows}"),
        Ask::ShareOf(c, _) => format!("the percentage of {}{rows}", name(c)),
        Ask::Apart(Fold::Sum, a, b) => format!("{} less {}{rows}", name(a), name(b)),
        Ask::Apart(fold, a, b) => format!("the {} of {} less {}{rows}", fold_word(*fold), name(a), name(b)),
        Ask::Ratio(a, b) => format!("{} in percent of {}{rows}", name(a), name(b)),
        Ask::Growth(a, b) => format!("the growth in percent from {} to {}{rows}", name(a), name(b)),
        Ask::Per(a, b) => format!("{} for each of {}{rows}", name(a), name(b)),
        Ask::Times(c, other) => {
            format!("how many times {}{rows} is that of the row{}", name(c), others(other))
        }
        Ask::Rank(c, most) => {
            let size = if *most { "largest" } else { "smallest" };
            format!("the place by {}, the {size} first,{rows}", name(c))
        }
        Ask::RowGrowth(c, other) => {
            format!("the growth of {} in percent to the row{rows} from the row{}", name(c), others(other))
        }
        Ask::EachColumn(fold, columns) => {
            format!("the {} of each of {}{rows}", fold_word(*fold), range(columns, grid))
        }
        Ask::FoldDifference(fold, c, other) => format!(
            "the difference between the {} of {}{rows} and that{}",
            fold_word(*fold),
            name(c),
            others(other)
        ),
        Ask::ColumnDifference(a, b) => format!("the difference between {} and {}{rows}", name(a), name(b)),
        Ask::By(by) => grouped(by, rows, grid),
        Ask::Across(fold, columns) => format!("the {} of {}{rows}", fold_word(*fold), range(columns, grid)),
        Ask::BestColumn { columns, most } => {
            let size = if *most { "largest" } else { "smallest" };
            format!("which of {} has the {size} sum{rows}", range(columns, grid))
        }
        Ask::Table(columns) => {
            let names: Vec<&str> = columns.iter().map(name).collect();
            format!("{}{rows}", names.join(", "))
        }
        Ask::Compares(ask, test) => format!("whether {} {}", said(ask, rows, grid), bound(test)),
        Ask::Exists => format!("whether there is a row{rows}"),
        Ask::Every => format!("whether all rows are{rows}"),
        Ask::Holds(ask, value) => format!("whether {} is {}", said(ask, rows, grid), value.text),
        Ask::Exceeds(c, more, other) => {
            let size = if *more { "more" } else { "less" };
            format!("whether {}{rows} is {size} than{}", name(c), others(other))
        }
        Ask::FoldExceeds(fold, c, more, other) => {
            let size = if *more { "more" } else { "less" };
            format!("whether the {} of {}{rows} is {size} than{}", fold_word(*fold), name(c), others(other))
        }
        Ask::Outnumbers(more, other) => {
            let size = if *more { "more" } else { "fewer" };
            format!("whether there are {size} rows{rows} than rows{}", others(other))
        }
        Ask::Denies(ask) => format!("not {}", said(ask, rows, grid)),
    }
}

/// The name of a part of the calendar.
pub(crate) fn period(period: Period) -> &'static str {
    match period {
        Period::Year => "year",
        Period::Quarter => "quarter",
        Period::Month => "month",
        Period::Week => "week",
        Period::Day => "day",
        Period::Weekday => "weekday",
    }
}

fn key(key: &Key, grid: &Grid) -> String {
    match key.period {
        None => name(grid, key.column).to_owned(),
        Some(p) => format!("{} of {}", period(p), name(grid, key.column)),
    }
}

fn grouped(by: &By, rows: &str, grid: &Grid) -> String {
    let keys: Vec<String> = by.keys.iter().map(|k| key(k, grid)).collect();
    let asked = said(&by.ask, "", grid);
    let having = by.having.as_ref().map_or(String::new(), |t| format!(", where that {}", bound(t)));
    let order = match (by.order, by.limit) {
        (Some(most), Some(n)) => format!(", the {n} {}", if most { "largest" } else { "smallest" }),
        (Some(most), None) => format!(", {} first", if most { "largest" } else { "smallest" }),
        _ => String::new(),
    };
    format!("{asked} by {}{rows}{having}{order}", keys.join(" and "))
}

/// Several columns: the first to the last.
fn range(columns: &[usize], grid: &Grid) -> String {
    match columns {
        [] => String::new(),
        [one] => name(grid, *one).to_owned(),
        [first, .., last] => format!("{} to {}", name(grid, *first), name(grid, *last)),
    }
}

fn bound(test: &Test) -> String {
    let n = |n: &f64| plain_decimal(*n);
    match test {
        Test::Less(a) => format!("is less than {}", n(a)),
        Test::AtMost(a) => format!("is at most {}", n(a)),
        Test::More(a) => format!("is more than {}", n(a)),
        Test::AtLeast(a) => format!("is at least {}", n(a)),
        Test::Between(a, b) if (a - b).abs() < 1e-2 * a.abs().max(1.0) || is_rounding(*a, *b) => {
            format!("is {}", n(&((a + b) / 2.0)))
        }
        Test::Between(a, b) => format!("is between {} and {}", n(a), n(b)),
        _ => String::new(),
    }
}

/// Whether all that is between is rounded to what is in the middle: from 6.500000001 to 7.499999999 is said as 7.
fn is_rounding(from: f64, to: f64) -> bool {
    let width = to - from;
    let unit = 10_f64.powf(width.log10().round());
    width < unit && unit - width < 1e-6 * unit
}

fn name(grid: &Grid, column: usize) -> &str {
    grid.columns.get(column).map_or("?", |f| f.name.as_str())
}

fn fold_word(fold: Fold) -> &'static str {
    match fold {
        Fold::Sum => "sum",
        Fold::Average => "average",
        Fold::Least => "smallest",
        Fold::Most => "largest",
        Fold::Range => "range",
    }
}

/// Which rows, with a space before; nothing for all.
fn rows(rows: &Rows, grid: &Grid) -> String {
    let mut said = String::new();
    if let Some(label) = rows.within.as_deref().filter(|_| rows.computed).and_then(|ids| grid.label(ids)) {
        said.push_str(&format!(" in the row “{label}”"));
    } else if rows.within.is_some() {
        said.push_str(" among the rows of the earlier answer");
    }
    let conditions: Vec<String> = rows.conditions.iter().map(|c| condition(c, grid)).collect();
    if !conditions.is_empty() {
        said.push_str(" where ");
        said.push_str(&conditions.join(" and "));
    }
    if let Some(pick) = &rows.pick {
        said.push_str(&picked(pick, grid));
    }
    match rows.step {
        0 => said,
        step if step > 0 => format!(" in the row after the one{said}"),
        _ => format!(" in the row before the one{said}"),
    }
}

fn picked(pick: &Pick, grid: &Grid) -> String {
    let rank = |skip: &usize| if *skip > 0 { format!(" number {} by", skip + 1) } else { String::new() };
    match pick {
        Pick::Extreme { column, most, count, skip } => {
            let size = if *most { "largest" } else { "smallest" };
            let many = if *count > 1 { format!(" {count}") } else { String::new() };
            format!(", with the{many}{} {size} {}", rank(skip), name(grid, *column))
        }
        Pick::Apart { column, other, most, count } => {
            let size = if *most { "largest" } else { "smallest" };
            let many = if *count > 1 { format!(" {count}") } else { String::new() };
            format!(", with the{many} {size} {} less {}", name(grid, *column), name(grid, *other))
        }
        Pick::End { last, count, skip } => {
            let end = if *last { "last" } else { "first" };
            match (count, skip) {
                (1, 0) => format!(", {end} in the table"),
                (1, skip) => format!(", number {} from the {end} in the table", skip + 1),
                (count, _) => format!(", {end} {count} in the table"),
            }
        }
    }
}

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

fn condition(condition: &Condition, grid: &Grid) -> String {
    let field = grid.columns.get(condition.column);
    let amount = |n: &f64| match field.map(|f| f.measure) {
        Some(Measure::Day) => plain_date(*n as i32),
        _ => plain_decimal(*n),
    };
    let said = match &condition.test {
        Test::Is(values) => format!("is {}", listed(values)),
        Test::Not(values) => format!("is not {}", listed(values)),
        Test::Has(words) => format!("has “{words}”"),
        Test::Less(n) => format!("is less than {}", amount(n)),
        Test::AtMost(n) => format!("is at most {}", amount(n)),
        Test::More(n) => format!("is more than {}", amount(n)),
        Test::AtLeast(n) => format!("is at least {}", amount(n)),
        Test::Between(a, b) => format!("is between {} and {}", amount(a), amount(b)),
        Test::Year(year) => format!("is in {year}"),
        Test::Month(month) => format!("is in month {month}"),
        Test::Quarter(quarter) => format!("is in quarter {quarter}"),
        Test::Weekday(day) => format!("is a {}", WEEKDAYS.get(*day as usize).unwrap_or(&"day")),
        Test::LessThan(other) => format!("is less than {}", name(grid, *other)),
        Test::MoreThan(other) => format!("is more than {}", name(grid, *other)),
        Test::Empty => "is empty".into(),
        Test::Filled => "is not empty".into(),
    };
    format!("{} {said}", name(grid, condition.column))
}

fn listed(values: &[Value]) -> String {
    let texts: Vec<&str> = values.iter().take(4).map(|v| v.text.as_str()).collect();
    let more = if values.len() > 4 { " or others" } else { "" };
    format!("{}{more}", texts.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_is_said_as_it_was_told() {
        assert_eq!(bound(&Test::Between(6.500_000_001, 7.499_999_999)), "is 7");
        assert_eq!(bound(&Test::Between(6.5, 7.5)), "is between 6.5 and 7.5");
        assert_eq!(bound(&Test::Between(3.0, 9.0)), "is between 3 and 9");
    }
}

//! Which rows a program is about: what stands after FROM.

use super::{Writer, literal, name, pattern, quote};
use crate::program::{Condition, Pick, Rows, Test, Value};
use tabletalk_core::Kind;
use tabletalk_core::value::{plain_date, plain_decimal};

impl Writer<'_> {
    pub(super) fn from(&self, rows: &Rows) -> String {
        let tests = self.tests(rows);
        self.rows_where(&tests, rows.computed)
    }

    pub(super) fn where_also(&self, rows: &Rows, test: &str) -> String {
        let mut tests = self.tests(rows);
        tests.push(test.to_owned());
        self.rows_where(&tests, rows.computed)
    }

    /// The relation; with computed rows, the one that has those too.
    fn relation(&self, computed: bool) -> String {
        if computed { name(&format!("{} (all rows)", self.relation)) } else { name(self.relation) }
    }

    fn rows_where(&self, tests: &[String], computed: bool) -> String {
        let from = format!("FROM {}", self.relation(computed));
        if tests.is_empty() { from } else { format!("{from} WHERE {}", tests.join(" AND ")) }
    }

    /// What must hold for a row to be one of these.
    fn tests(&self, rows: &Rows) -> Vec<String> {
        let mut tests = Vec::new();
        if let Some(ids) = &rows.within {
            let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
            tests.push(if ids.is_empty() {
                "false".into()
            } else {
                format!("row_id IN ({})", ids.join(", "))
            });
        }
        tests.extend(rows.conditions.iter().map(|c| self.test(c)));
        if let Some(pick) = &rows.pick {
            let test = self.pick(pick, &tests, rows.computed);
            tests.push(test);
        }
        if rows.step != 0 {
            let here = self.rows_where(&tests, rows.computed);
            let (nearest, side) = if rows.step > 0 { ("min", ">") } else { ("max", "<") };
            let from = format!(
                "FROM {} WHERE row_id {side} (SELECT {nearest}(row_id) {here})",
                self.relation(rows.computed)
            );
            tests = vec![format!("row_id = (SELECT {nearest}(row_id) {from})")];
        }
        tests
    }

    fn pick(&self, pick: &Pick, tests: &[String], computed: bool) -> String {
        let (count, skip, order, filled) = match pick {
            Pick::Extreme { column, most, count: 1, skip: 0 } => {
                let (size, best) = (self.size(*column), if *most { "max" } else { "min" });
                return format!("{size} = (SELECT {best}({size}) {})", self.rows_where(tests, computed));
            }
            Pick::Extreme { column, most, count, skip } => {
                let size = self.size(*column);
                let order = format!("{size}{}, row_id", if *most { " DESC" } else { "" });
                (count, skip, order, Some(format!("{size} IS NOT NULL")))
            }
            Pick::Apart { column, other, most, count } => {
                let apart = format!("({} - {})", self.distance(*column), self.distance(*other));
                if *count == 1 {
                    let best = if *most { "max" } else { "min" };
                    return format!(
                        "{apart} = (SELECT {best}({apart}) {})",
                        self.rows_where(tests, computed)
                    );
                }
                let order = format!("{apart}{}, row_id", if *most { " DESC" } else { "" });
                (count, &0, order, Some(format!("{apart} IS NOT NULL")))
            }
            Pick::End { last, count, skip } => {
                (count, skip, format!("row_id{}", if *last { " DESC" } else { "" }), None)
            }
        };
        let tests: Vec<String> = tests.iter().cloned().chain(filled).collect();
        let offset = if *skip > 0 { format!(" OFFSET {skip}") } else { String::new() };
        format!(
            "row_id IN (SELECT row_id {} ORDER BY {order} LIMIT {count}{offset})",
            self.rows_where(&tests, computed)
        )
    }

    fn test(&self, condition: &Condition) -> String {
        let c = condition.column;
        let compare = |sign: &str, n: &f64| format!("{} {sign} {}", self.day(c), self.amount(c, *n));
        match &condition.test {
            Test::Is(values) => self.one_of(c, values, ""),
            Test::Not(values) => self.one_of(c, values, "NOT "),
            Test::Has(words) => format!("{} ILIKE {}", self.column(c), quote(&pattern(words))),
            Test::Less(n) => compare("<", n),
            Test::AtMost(n) => compare("<=", n),
            Test::More(n) => compare(">", n),
            Test::AtLeast(n) => compare(">=", n),
            Test::Between(a, b) => {
                format!("{} BETWEEN {} AND {}", self.day(c), self.amount(c, *a), self.amount(c, *b))
            }
            Test::Year(year) => format!("date_part('year', {}) = {year}", self.column(c)),
            Test::Month(month) => format!("date_part('month', {}) = {month}", self.column(c)),
            Test::Quarter(quarter) => format!("date_part('quarter', {}) = {quarter}", self.column(c)),
            Test::Weekday(day) => format!("date_part('dow', {}) = {}", self.column(c), (day + 1) % 7),
            Test::LessThan(other) => format!("{} < {}", self.size(c), self.size(*other)),
            Test::MoreThan(other) => format!("{} > {}", self.size(c), self.size(*other)),
            Test::Empty => self.missing(c, ""),
            Test::Filled => self.missing(c, "NOT "),
        }
    }

    /// Whether a cell is empty, or says that it is.
    fn missing(&self, column: usize, not: &str) -> String {
        let quoted = self.column(column);
        match self.field(column).map(|f| f.kind) {
            Some(Kind::Text) => {
                let marks: Vec<String> = crate::grid::MISSING.iter().map(|m| quote(m)).collect();
                format!("{not}(lower(trim(coalesce({quoted}, ''))) IN ({}))", marks.join(", "))
            }
            _ => format!("{not}({quoted} IS NULL)"),
        }
    }

    /// What a column is compared by: the day of a point in time.
    fn day(&self, column: usize) -> String {
        match self.field(column).map(|f| f.kind) {
            Some(Kind::DateTime) => format!("CAST({} AS DATE)", self.column(column)),
            _ => self.size(column),
        }
    }

    /// A number or a day in the type of a column.
    fn amount(&self, column: usize, n: f64) -> String {
        match self.field(column).map(|f| f.kind) {
            Some(Kind::Date | Kind::DateTime) => format!("DATE '{}'", plain_date(n as i32)),
            _ => plain_decimal(n),
        }
    }

    fn one_of(&self, column: usize, values: &[Value], not: &str) -> String {
        let Some(field) = self.field(column) else { return "false".into() };
        let list = |values: &[String], of: String| match values {
            [] => None,
            [only] if not.is_empty() => Some(format!("{of} = {only}")),
            several => Some(format!("{of} {not}IN ({})", several.join(", "))),
        };
        let is_plain = |v: &&Value| v.plain.is_some() || field.kind == Kind::Text;
        let typed: Vec<String> = values.iter().filter(is_plain).map(|v| literal(field.kind, v)).collect();
        let stray: Vec<String> = values.iter().filter(|v| !is_plain(v)).map(|v| quote(&v.text)).collect();
        let of_text = name(&format!("{} (text)", field.name));
        match (list(&typed, name(&field.name)), list(&stray, of_text)) {
            (Some(a), Some(b)) if not.is_empty() => format!("({a} OR {b})"),
            (Some(a), Some(b)) => format!("({a} AND {b})"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => "false".into(),
        }
    }
}

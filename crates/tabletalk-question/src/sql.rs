//! Writes programs as SQL over the typed relation of a table.
//!
//! The relation has the table's columns, `row_id`, and `"<column> (text)"` beside columns whose cells are
//! written in other ways than the plain one. Everything a user wrote is quoted.

use crate::feature::asked;
use crate::grid::{Field, Grid, Measure};
use crate::program::{Ask, Condition, Fold, Pick, Program, Rows, Test, Value};
use crate::read::Subject;
use tabletalk_core::Kind;
use tabletalk_core::value::{plain_date, plain_decimal};

impl Program {
    /// The program as one `SELECT` over the relation of the table.
    pub fn sql(&self, subject: &Subject<'_>) -> String {
        Writer { relation: name(subject.relation), grid: subject.grid }.program(self)
    }
}

/// An identifier in quotes.
fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text in quotes.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

struct Writer<'a> {
    relation: String,
    grid: &'a Grid,
}

impl Writer<'_> {
    fn program(&self, program: &Program) -> String {
        self.asked(&program.rows, &program.ask)
    }

    fn asked(&self, rows: &Rows, ask: &Ask) -> String {
        let from = self.from(rows);
        match ask {
            Ask::Cells(c) => {
                let cell = self.cell(*c);
                let filled = self.where_also(rows, &format!("{cell} IS NOT NULL"));
                let named =
                    if cell == self.column(*c) { cell } else { format!("{cell} AS {}", self.column(*c)) };
                format!("SELECT {named} {filled} ORDER BY row_id")
            }
            Ask::Count => format!("SELECT count(*) AS \"count\" {from}"),
            Ask::Distinct(c) => format!("SELECT count(DISTINCT {}) AS \"count\" {from}", self.column(*c)),
            Ask::Fold(fold, c) => format!("SELECT {} {from}", self.fold(*fold, *c)),
            Ask::Group { column, most, sum } => self.group(rows, *column, *most, *sum),
            Ask::Difference(c, other) => {
                let size = self.distance(*c);
                let one = |rows: &Rows| format!("(SELECT max({size}) {})", self.from(rows));
                format!("SELECT abs({} - {}) AS \"difference\"", one(rows), one(other))
            }
            Ask::CountDifference(other) => {
                let count = |rows: &Rows| format!("(SELECT count(*) {})", self.from(rows));
                format!("SELECT abs({} - {}) AS \"difference\"", count(rows), count(other))
            }
            Ask::Share => {
                let base = self.from(&Rows { within: rows.within.clone(), ..Rows::default() });
                format!("SELECT 100.0 * count(*) / (SELECT count(*) {base}) AS \"percent\" {from}")
            }
            _ => self.claimed(rows, ask, &from),
        }
    }

    /// The asks whose answer is yes or no.
    fn claimed(&self, rows: &Rows, ask: &Ask, from: &str) -> String {
        let count = |rows: &Rows| format!("(SELECT count(*) {})", self.from(rows));
        match ask {
            Ask::Every => {
                let base = Rows { within: rows.within.clone(), ..Rows::default() };
                format!("SELECT count(*) = {} AS \"holds\" {from}", count(&base))
            }
            Ask::Holds(ask, value) => {
                let value = asked(ask)
                    .and_then(|c| self.field(c))
                    .map_or_else(|| value.text.clone(), |f| literal_of(f, ask, value));
                format!(
                    "SELECT count(*) > 0 AS \"holds\" FROM ({}) AS given(v) WHERE v = {value}",
                    self.asked(rows, ask)
                )
            }
            Ask::Exceeds(c, more, other) => {
                let size = self.size(*c);
                let one = |rows: &Rows| format!("(SELECT max({size}) {})", self.from(rows));
                format!("SELECT {} {} {} AS \"holds\"", one(rows), sign(*more), one(other))
            }
            Ask::Outnumbers(more, other) => {
                format!("SELECT {} {} {} AS \"holds\"", count(rows), sign(*more), count(other))
            }
            Ask::Denies(ask) => format!("SELECT NOT ({}) AS \"holds\"", self.asked(rows, ask)),
            _ => format!("SELECT count(*) > 0 AS \"holds\" {from}"),
        }
    }

    fn field(&self, column: usize) -> Option<&Field> {
        self.grid.columns.get(column)
    }

    fn column(&self, column: usize) -> String {
        self.field(column).map_or_else(|| "NULL".into(), |f| name(&f.name))
    }

    /// What is shown of a column: the text as written where some cells are not of its type.
    fn cell(&self, column: usize) -> String {
        let quoted = self.column(column);
        let strays = |f: &Field| {
            f.kind != Kind::Text && f.cells.iter().any(|c| c.plain.is_none() && !c.key.is_empty())
        };
        match self.field(column).filter(|f| strays(f)) {
            Some(field) => {
                let text = name(&format!("{} (text)", field.name));
                format!("coalesce({text}, CAST({quoted} AS VARCHAR))")
            }
            None => quoted,
        }
    }

    /// What the cells of a column are compared by.
    fn size(&self, column: usize) -> String {
        let quoted = self.column(column);
        match self.field(column).map(|f| f.measure) {
            Some(Measure::Lead) => format!(
                "TRY_CAST(replace(regexp_replace({quoted}, '(?s)^[^0-9]{{0,4}}?(-?[0-9][0-9,]*(\\.[0-9]+)?).*$', '\\1'), ',', '') AS DOUBLE)"
            ),
            _ => quoted,
        }
    }

    /// The same as a number: days are counted.
    fn distance(&self, column: usize) -> String {
        match self.field(column).map(|f| f.measure) {
            Some(Measure::Day) => format!("(date_part('epoch', {}) / 86400)", self.column(column)),
            _ => self.size(column),
        }
    }

    fn fold(&self, fold: Fold, column: usize) -> String {
        let size = self.size(column);
        match fold {
            Fold::Sum => format!("sum({size}) AS \"sum\""),
            Fold::Average => format!("avg({size}) AS \"average\""),
            Fold::Least => format!("min({size}) AS \"least\""),
            Fold::Most => format!("max({size}) AS \"most\""),
            Fold::Range => {
                let size = self.distance(column);
                format!("max({size}) - min({size}) AS \"range\"")
            }
        }
    }

    fn group(&self, rows: &Rows, column: usize, most: bool, sum: Option<usize>) -> String {
        let quoted = self.column(column);
        let filled = self.where_also(rows, &format!("{quoted} IS NOT NULL"));
        let weigh = sum.map_or("count(*)".to_owned(), |c| format!("sum({})", self.size(c)));
        let best = if most { "max" } else { "min" };
        format!(
            "WITH g AS (SELECT {quoted}, {weigh} AS n, min(row_id) AS f {filled} GROUP BY {quoted}) \
             SELECT {quoted} FROM g WHERE n = (SELECT {best}(n) FROM g) ORDER BY f"
        )
    }

    fn from(&self, rows: &Rows) -> String {
        let tests = self.tests(rows);
        self.rows_where(&tests)
    }

    fn where_also(&self, rows: &Rows, test: &str) -> String {
        let mut tests = self.tests(rows);
        tests.push(test.to_owned());
        self.rows_where(&tests)
    }

    fn rows_where(&self, tests: &[String]) -> String {
        let from = format!("FROM {}", self.relation);
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
            let test = self.pick(pick, &tests);
            tests.push(test);
        }
        if rows.step != 0 {
            let here = self.rows_where(&tests);
            let (nearest, side) = if rows.step > 0 { ("min", ">") } else { ("max", "<") };
            let from =
                format!("FROM {} WHERE row_id {side} (SELECT {nearest}(row_id) {here})", self.relation);
            tests = vec![format!("row_id = (SELECT {nearest}(row_id) {from})")];
        }
        tests
    }

    fn pick(&self, pick: &Pick, tests: &[String]) -> String {
        let (count, skip, order, filled) = match pick {
            Pick::Extreme { column, most, count: 1, skip: 0 } => {
                let (size, best) = (self.size(*column), if *most { "max" } else { "min" });
                return format!("{size} = (SELECT {best}({size}) {})", self.rows_where(tests));
            }
            Pick::Extreme { column, most, count, skip } => {
                let size = self.size(*column);
                let order = format!("{size}{}, row_id", if *most { " DESC" } else { "" });
                (count, skip, order, Some(format!("{size} IS NOT NULL")))
            }
            Pick::End { last, count, skip } => {
                (count, skip, format!("row_id{}", if *last { " DESC" } else { "" }), None)
            }
        };
        let tests: Vec<String> = tests.iter().cloned().chain(filled).collect();
        let offset = if *skip > 0 { format!(" OFFSET {skip}") } else { String::new() };
        format!(
            "row_id IN (SELECT row_id {} ORDER BY {order} LIMIT {count}{offset})",
            self.rows_where(&tests)
        )
    }

    fn test(&self, condition: &Condition) -> String {
        let c = condition.column;
        let compare = |sign: &str, n: &f64| format!("{} {sign} {}", self.size(c), self.amount(c, *n));
        match &condition.test {
            Test::Is(values) => self.one_of(c, values, ""),
            Test::Not(values) => self.one_of(c, values, "NOT "),
            Test::Has(words) => format!("{} ILIKE {}", self.column(c), quote(&pattern(words))),
            Test::Less(n) => compare("<", n),
            Test::AtMost(n) => compare("<=", n),
            Test::More(n) => compare(">", n),
            Test::AtLeast(n) => compare(">=", n),
            Test::Between(a, b) => {
                format!("{} BETWEEN {} AND {}", self.size(c), self.amount(c, *a), self.amount(c, *b))
            }
            Test::Year(year) => format!("date_part('year', {}) = {year}", self.column(c)),
            Test::Month(month) => format!("date_part('month', {}) = {month}", self.column(c)),
        }
    }

    /// A number or a day in the type of a column.
    fn amount(&self, column: usize, n: f64) -> String {
        match self.field(column).map(|f| f.kind) {
            Some(Kind::Date) => format!("DATE '{}'", plain_date(n as i32)),
            Some(Kind::DateTime) => format!("TIMESTAMP '{} 00:00:00'", plain_date(n as i32)),
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

fn sign(more: bool) -> &'static str {
    if more { ">" } else { "<" }
}

/// A claimed value: of a cell, in the type of its column; of anything computed, a number.
fn literal_of(field: &Field, ask: &Ask, value: &Value) -> String {
    match ask {
        Ask::Cells(_) | Ask::Group { .. } => literal(field.kind, value),
        Ask::Fold(..) if field.measure == Measure::Day => literal(field.kind, value),
        _ => value.plain.clone().unwrap_or_else(|| quote(&value.text)),
    }
}

/// A value in the type of its column.
fn literal(kind: Kind, value: &Value) -> String {
    match (kind, &value.plain) {
        (Kind::Integer | Kind::Decimal | Kind::Boolean, Some(plain)) => plain.clone(),
        (Kind::Date, Some(plain)) => format!("DATE '{plain}'"),
        (Kind::DateTime, Some(plain)) => format!("TIMESTAMP '{plain}'"),
        _ => quote(&value.text),
    }
}

/// A pattern of texts that have these words one after another.
fn pattern(words: &str) -> String {
    let safe = words.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{}%", safe.split(' ').collect::<Vec<_>>().join("%"))
}

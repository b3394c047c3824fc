//! Writes programs as SQL over the typed relation of a table.
//!
//! The relation has the table's columns, `row_id`, and `"<column> (text)"` beside columns whose cells are
//! written in other ways than the plain one. Everything a user wrote is quoted.

mod rows;

use crate::clock;
use crate::feature::asked;
use crate::grid::{Field, Grid, Measure};
use crate::program::{Ask, By, Fold, Key, Period, Program, Rows, Test, Value};
use crate::read::Subject;
use crate::tabulate::WEEKDAYS;
use tabletalk_core::Kind;
use tabletalk_core::value::plain_decimal;

impl Program {
    /// The program as one `SELECT` over the relation of the table.
    pub fn sql(&self, subject: &Subject<'_>) -> String {
        let plain = Writer { relation: subject.relation, grid: subject.grid }.program(self);
        let names: Vec<String> = subject.grid.columns.iter().map(|f| f.name.clone()).collect();
        let Some(view) = subject.grid.view().filter(|view| view.is_named_in(&plain, &names)) else {
            return plain;
        };
        let select = Writer { relation: &view.name, grid: subject.grid }.program(self);
        let with = view.sql(&select, &names);
        match select.strip_prefix("WITH ") {
            Some(rest) => format!("WITH {with}, {rest}"),
            None => format!("WITH {with} {select}"),
        }
    }
}

/// An identifier in quotes.
pub(crate) fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text in quotes.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

struct Writer<'a> {
    relation: &'a str,
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
                let apart = format!("abs({} - {})", one(rows), one(other));
                format!("SELECT {} AS \"difference\"", self.told(*c, apart))
            }
            Ask::CountDifference(other) => {
                let count = |rows: &Rows| format!("(SELECT count(*) {})", self.from(rows));
                format!("SELECT abs({} - {}) AS \"difference\"", count(rows), count(other))
            }
            Ask::Share(base) => {
                let base = self.from(&rows.base(*base));
                format!("SELECT 100.0 * count(*) / (SELECT count(*) {base}) AS \"percent\" {from}")
            }
            Ask::ShareOf(c, base) => {
                let size = self.size(*c);
                let base = self.from(&rows.base(*base));
                format!("SELECT 100.0 * sum({size}) / (SELECT sum({size}) {base}) AS \"percent\" {from}")
            }
            Ask::FoldDifference(fold, c, other) => {
                let one = |rows: &Rows| format!("(SELECT {} {})", self.folded(*fold, *c), self.from(rows));
                let apart = format!("abs({} - {})", one(rows), one(other));
                format!("SELECT {} AS \"difference\"", self.told(*c, apart))
            }
            Ask::ColumnDifference(a, b) => {
                format!(
                    "SELECT abs(sum({}) - sum({})) AS \"difference\" {from}",
                    self.size(*a),
                    self.size(*b)
                )
            }
            Ask::Apart(fold, a, b) => {
                let apart = format!("{} - {}", self.distance(*a), self.distance(*b));
                format!("SELECT {} AS \"difference\" {from}", fold_of(*fold, &apart))
            }
            Ask::Ratio(a, b) => {
                let (a, b) = (self.size(*a), self.size(*b));
                format!("SELECT 100.0 * sum({a}) / nullif(sum({b}), 0) AS \"percent\" {from}")
            }
            Ask::Growth(a, b) => {
                let (a, b) = (format!("sum({})", self.size(*a)), format!("sum({})", self.size(*b)));
                format!("SELECT 100.0 * ({b} - {a}) / nullif(abs({a}), 0) AS \"percent\" {from}")
            }
            Ask::Per(a, b) => {
                let (a, b) = (self.size(*a), self.size(*b));
                format!("SELECT CAST(sum({a}) AS DOUBLE) / nullif(sum({b}), 0) AS \"each\" {from}")
            }
            Ask::Times(c, other) => {
                let size = self.size(*c);
                let base = format!("(SELECT sum({size}) {})", self.from(other));
                format!("SELECT CAST(sum({size}) AS DOUBLE) / nullif({base}, 0) AS \"times\" {from}")
            }
            Ask::Rank(c, most) => {
                let (size, base) = (self.size(*c), Rows { within: rows.within.clone(), ..Rows::default() });
                let ahead = format!("{size} {} (SELECT max({size}) {from})", sign(*most));
                format!("SELECT count(*) + 1 AS \"rank\" {}", self.where_also(&base, &ahead))
            }
            Ask::RowGrowth(c, other) => {
                let size = self.size(*c);
                let base = format!("(SELECT sum({size}) {})", self.from(other));
                format!(
                    "SELECT 100.0 * (sum({size}) - {base}) / nullif(abs({base}), 0) AS \"percent\" {from}"
                )
            }
            Ask::EachColumn(fold, columns) => self.each_column(rows, *fold, columns),
            Ask::By(by) => self.by(rows, by),
            Ask::Across(fold, columns) => self.across(rows, *fold, columns),
            Ask::BestColumn { columns, most } => self.best_column(rows, columns, *most),
            Ask::Table(columns) => {
                let shown: Vec<String> = columns.iter().map(|c| self.shown(*c)).collect();
                format!("SELECT {} {from} ORDER BY row_id", shown.join(", "))
            }
            _ => self.claimed(rows, ask, &from),
        }
    }

    /// A column as it is shown, under its own name.
    fn shown(&self, column: usize) -> String {
        let cell = self.cell(column);
        if cell == self.column(column) { cell } else { format!("{cell} AS {}", self.column(column)) }
    }

    /// What is asked of each group, largest first or in the order of the groups.
    fn by(&self, rows: &Rows, by: &By) -> String {
        let keys: Vec<String> = by.keys.iter().map(|k| self.key(k)).collect();
        let names: Vec<String> = by
            .keys
            .iter()
            .zip(&keys)
            .map(|(k, key)| format!("{} AS {}", shown_key(k, key), name(&self.key_name(k))))
            .collect();
        let filled: Vec<String> =
            by.keys.iter().map(|k| format!("{} IS NOT NULL", self.column(k.column))).collect();
        let from = self.where_also(rows, &filled.join(" AND "));
        let (asked, called) = self.asked_of_group(&by.ask, rows);
        // What is shown is named by its place: called as the column that it adds up, it cannot be told from that.
        let size = if by.bare { asked.clone() } else { (names.len() + 1).to_string() };
        let order = match by.order {
            Some(most) => format!("{size}{}, {}", if most { " DESC" } else { "" }, keys.join(", ")),
            None => keys.join(", "),
        };
        let having = by.having.as_ref().map_or(String::new(), |t| format!(" HAVING {}", bound(&asked, t)));
        let shown = if by.bare { String::new() } else { format!(", {asked} AS {}", name(&called)) };
        let limit = by.limit.map_or(String::new(), |n| format!(" LIMIT {n}"));
        format!(
            "SELECT {}{shown} {from} GROUP BY {}{having} ORDER BY {order}{limit}",
            names.join(", "),
            keys.join(", ")
        )
    }

    /// An aggregate and what its column is called.
    fn asked_of_group(&self, ask: &Ask, rows: &Rows) -> (String, String) {
        let of = |c: usize| self.field(c).map_or("", |f| f.name.as_str()).to_owned();
        match ask {
            Ask::Distinct(c) => {
                (format!("count(DISTINCT {})", self.column(*c)), format!("different {}", of(*c)))
            }
            Ask::Fold(fold, c) => {
                let called = match fold {
                    Fold::Sum => of(*c),
                    Fold::Average => format!("average {}", of(*c)),
                    Fold::Least => format!("smallest {}", of(*c)),
                    Fold::Most => format!("largest {}", of(*c)),
                    Fold::Range => format!("range of {}", of(*c)),
                };
                (self.folded(*fold, *c), called)
            }
            Ask::Apart(fold, a, b) => {
                let apart = format!("{} - {}", self.distance(*a), self.distance(*b));
                (fold_of(*fold, &apart), "difference".into())
            }
            Ask::Across(fold, columns) => (self.across_columns(*fold, columns), fold_name(*fold).into()),
            Ask::Share(base) => {
                let base = self.from(&rows.base(*base));
                (format!("100.0 * count(*) / (SELECT count(*) {base})"), "percent".into())
            }
            Ask::ShareOf(c, _) => {
                let (size, base) = (self.size(*c), self.from(rows));
                (format!("100.0 * sum({size}) / (SELECT sum({size}) {base})"), "percent".into())
            }
            _ => ("count(*)".into(), "count".into()),
        }
    }

    fn key(&self, key: &Key) -> String {
        let column = self.column(key.column);
        let part = |part: &str| format!("date_part('{part}', {column})");
        match key.period {
            None => column,
            Some(Period::Year) => format!("CAST({} AS INTEGER)", part("year")),
            Some(Period::Quarter) => format!(
                "concat(CAST(CAST({} AS INTEGER) AS VARCHAR), '-Q', CAST(CAST({} AS INTEGER) AS VARCHAR))",
                part("year"),
                part("quarter")
            ),
            Some(Period::Month) => format!("substr(CAST(CAST({column} AS DATE) AS VARCHAR), 1, 7)"),
            Some(Period::Week) => format!("CAST(date_trunc('week', {column}) AS DATE)"),
            Some(Period::Day) => format!("CAST({column} AS DATE)"),
            Some(Period::Weekday) => format!("(CAST({} AS INTEGER) + 6) % 7", part("dow")),
        }
    }

    fn key_name(&self, key: &Key) -> String {
        let of = self.field(key.column).map_or("", |f| f.name.as_str());
        match key.period {
            None => of.to_owned(),
            Some(period) => crate::words::period(period).to_owned(),
        }
    }

    /// The cells of several columns made one.
    fn across(&self, rows: &Rows, fold: Fold, columns: &[usize]) -> String {
        let called = if fold == Fold::Range { "most" } else { fold_name(fold) };
        format!("SELECT {} AS \"{called}\" {}", self.across_columns(fold, columns), self.from(rows))
    }

    fn across_columns(&self, fold: Fold, columns: &[usize]) -> String {
        let each = |of: &str| {
            columns.iter().map(|c| format!("coalesce({of}({}), 0)", self.size(*c))).collect::<Vec<_>>()
        };
        let list = |of: &str| {
            columns.iter().map(|c| format!("{of}({})", self.size(*c))).collect::<Vec<_>>().join(", ")
        };
        match fold {
            Fold::Sum => each("sum").join(" + "),
            Fold::Average => {
                let (sum, count) = (each("sum").join(" + "), each("count").join(" + "));
                format!("CAST({sum} AS DOUBLE) / nullif({count}, 0)")
            }
            Fold::Least => format!("least({})", list("min")),
            Fold::Most | Fold::Range => format!("greatest({})", list("max")),
        }
    }

    /// Each of several columns with its cells made one.
    fn each_column(&self, rows: &Rows, fold: Fold, columns: &[usize]) -> String {
        let each = |(i, c): (usize, &usize)| {
            let named = self.field(*c).map_or(String::new(), |f| quote(&f.name));
            format!(
                "SELECT {i} AS \"at\", {named} AS \"column\", {} {}",
                self.fold(fold, *c),
                self.from(rows)
            )
        };
        let all: Vec<String> = columns.iter().enumerate().map(each).collect();
        let called = fold_name(fold);
        format!(
            "WITH c AS ({}) SELECT \"column\", \"{called}\" FROM c ORDER BY \"at\"",
            all.join(" UNION ALL ")
        )
    }

    /// The name of the column that has the most or the least.
    fn best_column(&self, rows: &Rows, columns: &[usize], most: bool) -> String {
        let each = |c: &usize| {
            let named = self.field(*c).map_or(String::new(), |f| quote(&f.name));
            format!("SELECT {named} AS \"column\", sum({}) AS \"sum\" {}", self.size(*c), self.from(rows))
        };
        let all: Vec<String> = columns.iter().map(each).collect();
        let best = if most { "max" } else { "min" };
        format!(
            "WITH c AS ({}) SELECT \"column\" FROM c WHERE \"sum\" = (SELECT {best}(\"sum\") FROM c)",
            all.join(" UNION ALL ")
        )
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
            Ask::Compares(ask, test) => format!(
                "SELECT count(*) > 0 AS \"holds\" FROM ({}) AS given(v) WHERE {}",
                self.asked(rows, ask),
                bound("v", test)
            ),
            Ask::Exceeds(c, more, other) => {
                let size = self.size(*c);
                let one = |rows: &Rows| format!("(SELECT max({size}) {})", self.from(rows));
                format!("SELECT {} {} {} AS \"holds\"", one(rows), sign(*more), one(other))
            }
            Ask::FoldExceeds(fold, c, more, other) => {
                let one = |rows: &Rows| format!("(SELECT {} {})", self.folded(*fold, *c), self.from(rows));
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
            Some(Measure::Clock) => clock::sql(&quoted),
            _ => quoted,
        }
    }

    /// What was computed of a column as it is shown: times as they are written.
    fn told(&self, column: usize, size: String) -> String {
        self.field(column).and_then(Field::clock).map_or_else(|| size.clone(), |style| style.sql(&size))
    }

    /// The same as a number: days are counted.
    fn distance(&self, column: usize) -> String {
        match self.field(column).map(|f| f.measure) {
            Some(Measure::Day) => format!("(date_part('epoch', {}) / 86400)", self.column(column)),
            _ => self.size(column),
        }
    }

    fn fold(&self, fold: Fold, column: usize) -> String {
        format!("{} AS \"{}\"", self.told(column, self.folded(fold, column)), fold_name(fold))
    }

    fn folded(&self, fold: Fold, column: usize) -> String {
        match fold {
            Fold::Range => fold_of(fold, &self.distance(column)),
            _ => fold_of(fold, &self.size(column)),
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
}

/// A key as it is shown: days of the week by their names.
fn shown_key(key: &Key, sql: &str) -> String {
    if key.period != Some(Period::Weekday) {
        return sql.to_owned();
    }
    let days: Vec<String> =
        (0..).zip(WEEKDAYS).map(|(i, day): (usize, &str)| format!("WHEN {i} THEN '{day}'")).collect();
    format!("CASE {sql} {} END", days.join(" "))
}

/// What is computed of many cells.
fn fold_of(fold: Fold, size: &str) -> String {
    match fold {
        Fold::Sum => format!("sum({size})"),
        Fold::Average => format!("avg({size})"),
        Fold::Least => format!("min({size})"),
        Fold::Most => format!("max({size})"),
        Fold::Range => format!("max({size}) - min({size})"),
    }
}

/// What that is called in the result.
fn fold_name(fold: Fold) -> &'static str {
    match fold {
        Fold::Sum => "sum",
        Fold::Average => "average",
        Fold::Least => "least",
        Fold::Most => "most",
        Fold::Range => "range",
    }
}

/// What must hold of a number.
fn bound(of: &str, test: &Test) -> String {
    // Sums of decimals are not exact to the last digit.
    let near = |n: &f64| (n.abs() * 1e-9).max(1e-9);
    match test {
        Test::Less(n) => format!("{of} < {}", plain_decimal(*n)),
        Test::AtMost(n) => format!("{of} <= {}", plain_decimal(*n + near(n))),
        Test::More(n) => format!("{of} > {}", plain_decimal(*n)),
        Test::AtLeast(n) => format!("{of} >= {}", plain_decimal(*n - near(n))),
        Test::Between(a, b) => format!("{of} BETWEEN {} AND {}", plain_decimal(*a), plain_decimal(*b)),
        _ => "false".into(),
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

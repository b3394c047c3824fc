//! What a database tells of its tables and views.

use super::session::Postgres;
use crate::postgres::text::ident;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};
use tabletalk_core::home::{HomeColumn, Read};
use tabletalk_core::seam::database::{Database, Listed};
use tabletalk_core::{Column, Error, Home, Kind, Refers, Result};
use tokio_postgres::Row;

/// Tables that may be read, but for those of the database itself and the parts of a partitioned one.
const TABLES: &str = "
    SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text, c.reltuples::float8,
           coalesce(obj_description(c.oid, 'pg_class'), '')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.relpersistence <> 't'
      AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
      AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    ORDER BY n.nspname, c.relname";

/// Their columns, those of a domain by the type below it.
const COLUMNS: &str = "
    WITH RECURSIVE base(oid, at, mod) AS (
        SELECT oid, oid, -1 FROM pg_type
        UNION ALL
        SELECT base.oid, t.typbasetype, t.typtypmod FROM base JOIN pg_type t ON t.oid = base.at AND t.typtype = 'd'
    )
    SELECT a.attrelid, a.attname::text, format_type(a.atttypid, a.atttypmod), t.typname::text,
           CASE WHEN a.atttypmod >= 0 THEN a.atttypmod ELSE b.mod END, coalesce(col_description(a.attrelid, a.attnum), '')
    FROM pg_attribute a JOIN base b ON b.oid = a.atttypid JOIN pg_type t ON t.oid = b.at AND t.typtype <> 'd'
    JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
      AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
    ORDER BY a.attrelid, a.attnum";

/// Primary and foreign keys, with their columns in order.
const KEYS: &str = "
    SELECT k.conrelid, k.contype::text,
           (SELECT array_agg(a.attname::text ORDER BY i.n) FROM unnest(k.conkey) WITH ORDINALITY i(num, n)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = i.num),
           coalesce(n.nspname::text, ''), coalesce(c.relname::text, ''),
           coalesce((SELECT array_agg(a.attname::text ORDER BY i.n) FROM unnest(k.confkey) WITH ORDINALITY i(num, n)
            JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = i.num), '{}')
    FROM pg_constraint k LEFT JOIN pg_class c ON c.oid = k.confrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype IN ('p', 'f') AND k.conparentid = 0 ORDER BY k.conrelid, k.conname";

/// Tables that the database says have more rows are not counted.
const COUNTED: f64 = 20_000_000.0;
/// How long counting one table may take, and all of them.
const ONE_MS: u64 = 3_000;
const ALL: Duration = Duration::from_secs(60);

pub(super) fn tables(database: &Postgres) -> Result<Vec<Listed>> {
    let mut columns = columns(database)?;
    let mut keys: HashMap<u32, Vec<Constraint>> = HashMap::new();
    for row in database.ask(KEYS)? {
        let key = Constraint::read(&row)?;
        keys.entry(key.of).or_default().push(key);
    }
    let begun = Instant::now();
    let mut all = Vec::new();
    for row in database.ask(TABLES)? {
        let of: u32 = get(&row, 0)?;
        let (mine, comments) = columns.remove(&of).unwrap_or_default().into_iter().unzip();
        let mut listed = table(database, &row, mine, comments)?;
        for key in keys.remove(&of).unwrap_or_default() {
            key.tell(&mut listed.home);
        }
        count(database, &mut listed.home, get(&row, 4)?, begun.elapsed() < ALL)?;
        all.push(listed);
    }
    Ok(all)
}

fn get<'a, T: tokio_postgres::types::FromSql<'a>>(row: &'a Row, at: usize) -> Result<T> {
    row.try_get(at)
        .map_err(|e| Error::bug(format!("the catalogue of a database is not as it should be: {e}")))
}

type Columns = BTreeMap<u32, Vec<(HomeColumn, String)>>;

fn columns(database: &Postgres) -> Result<Columns> {
    let mut all = Columns::new();
    for row in database.ask(COLUMNS)? {
        let (base, modifier): (String, i32) = (get(&row, 3)?, get(&row, 4)?);
        let (kind, read) = read_as(&base, modifier);
        let column = HomeColumn { name: get(&row, 1)?, r#type: get(&row, 2)?, kind, read };
        all.entry(get(&row, 0)?).or_default().push((column, get(&row, 5)?));
    }
    Ok(all)
}

/// How values of a type become ours. What has no form of its own here is the text that the database writes for it.
fn read_as(base: &str, modifier: i32) -> (Kind, Read) {
    match base {
        "int2" | "int4" | "int8" | "oid" => (Kind::Integer, Read::Plain),
        "numeric" if is_whole(modifier) => (Kind::Integer, Read::Plain),
        "numeric" | "float4" | "float8" => (Kind::Decimal, Read::Plain),
        "bool" => (Kind::Boolean, Read::Plain),
        "date" => (Kind::Date, Read::Plain),
        "timestamp" => (Kind::DateTime, Read::Plain),
        "timestamptz" => (Kind::DateTime, Read::Utc),
        "text" | "varchar" => (Kind::Text, Read::Plain),
        _ => (Kind::Text, Read::Text),
    }
}

/// Whether `numeric(p, 0)` fits into 64 bits.
fn is_whole(modifier: i32) -> bool {
    let packed = modifier - 4;
    let (precision, scale) = (packed >> 16 & 0xffff, packed & 0x7ff);
    modifier >= 4 && scale == 0 && precision <= 18
}

fn table(database: &Postgres, row: &Row, columns: Vec<HomeColumn>, comments: Vec<String>) -> Result<Listed> {
    let kind: String = get(row, 3)?;
    let what = match kind.as_str() {
        "v" => "view",
        "m" => "materialized view",
        "f" => "foreign table",
        _ => "table",
    };
    let named =
        columns.iter().zip(1..).map(|(c, number)| Column::new(c.name.clone(), c.kind, number)).collect();
    let home = Home {
        address: database.address().to_owned(),
        schema: get(row, 1)?,
        table: get(row, 2)?,
        what: what.to_owned(),
        columns,
        ..Home::default()
    };
    Ok(Listed { home, columns: named, comment: get(row, 5)?, comments })
}

/// How many rows there are: counted where that does not take long, else as the database estimates.
fn count(database: &Postgres, home: &mut Home, estimate: f64, is_time: bool) -> Result<()> {
    home.rows = estimate.max(0.0) as u64;
    if estimate > COUNTED || !is_time || home.columns.is_empty() {
        return Ok(());
    }
    let sql = format!("SELECT count(*) FROM {}.{}", ident(&home.schema), ident(&home.table));
    // A view may fail for reasons of its own; it is listed all the same.
    if let Ok(Some(n)) = database.count(&sql, ONE_MS) {
        home.rows = u64::try_from(n).unwrap_or(0);
        home.is_counted = true;
    }
    Ok(())
}

/// A key.
struct Constraint {
    of: u32,
    is_primary: bool,
    columns: Vec<String>,
    refers: Refers,
}

impl Constraint {
    fn read(row: &Row) -> Result<Self> {
        let (of, kind, columns): (u32, String, Vec<String>) = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
        let refers =
            Refers { columns: columns.clone(), schema: get(row, 3)?, table: get(row, 4)?, to: get(row, 5)? };
        Ok(Constraint { of, is_primary: kind == "p", columns, refers })
    }

    fn tell(self, home: &mut Home) {
        if !self.is_primary {
            return home.refers.push(self.refers);
        }
        let at = |name: &String| home.columns.iter().position(|c| c.name == *name);
        // A key of which a part may not be read tells no rows apart.
        home.key = self.columns.iter().map(at).collect::<Option<Vec<_>>>().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_become_ours() {
        let numeric = |precision: i32, scale: i32| ((precision << 16) | scale) + 4;
        assert_eq!(read_as("numeric", numeric(10, 0)), (Kind::Integer, Read::Plain));
        assert_eq!(read_as("numeric", numeric(10, 2)), (Kind::Decimal, Read::Plain));
        assert_eq!(read_as("numeric", numeric(30, 0)), (Kind::Decimal, Read::Plain));
        assert_eq!(read_as("numeric", -1), (Kind::Decimal, Read::Plain));
        assert_eq!(read_as("timestamptz", -1), (Kind::DateTime, Read::Utc));
        for other in ["uuid", "jsonb", "_int4", "bpchar", "interval", "mood"] {
            assert_eq!(read_as(other, -1), (Kind::Text, Read::Text), "{other}");
        }
    }
}

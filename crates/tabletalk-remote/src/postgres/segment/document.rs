//! Documents, the changes that bring them, and how workers agree.

use super::super::copy::{Rows, copy};
use super::super::db::Db;
use super::super::fail::Outcome;
use super::super::text::{pack, unpack};
use bytes::Bytes;
use std::collections::BTreeMap;
use tabletalk_core::seam::store::Segment;
use tabletalk_core::{Error, Result};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row, Transaction};

/// What the columns are, in the order in which they are read and written.
const COLUMNS: &str = "key, id, change, gone, body";

/// Puts documents under one new change. Others who commit wait until this is visible: so no number is seen
/// before a smaller one.
pub(super) async fn commit(db: &Db, transaction: &Transaction<'_>, segments: &[Segment]) -> Outcome<i64> {
    let table = format!("{}.segments", db.schema);
    let next = format!("UPDATE {}.state SET change = change + 1 RETURNING change", db.schema);
    let change = transaction.query_typed_one(&next, &[]).await?.try_get(0)?;
    // Of two with one key the last stays.
    let last: BTreeMap<i64, &Segment> = segments.iter().map(|s| (s.key, s)).collect();
    let keys: Vec<i64> = last.keys().copied().collect();
    let delete = format!("DELETE FROM {table} WHERE key = ANY($1)");
    transaction.execute_typed(&delete, &[(&keys, Type::INT8_ARRAY)]).await?;
    copy(transaction, &table, COLUMNS, &rows(last.into_values(), change)?).await?;
    Ok(change)
}

fn rows<'a>(segments: impl Iterator<Item = &'a Segment>, change: i64) -> Result<Bytes> {
    let mut rows = Rows::new(5);
    for segment in segments {
        let row = rows.row().long(segment.key).data(pack(&segment.id).as_bytes())?;
        row.long(change).flag(segment.gone).data(&segment.body)?;
    }
    Ok(rows.done())
}

fn read(row: &Row) -> Result<Segment, tokio_postgres::Error> {
    Ok(Segment {
        key: row.try_get(0)?,
        id: unpack(row.try_get(1)?),
        change: row.try_get(2)?,
        gone: row.try_get(3)?,
        body: row.try_get(4)?,
    })
}

pub(super) async fn last_change(db: &Db, client: &Client) -> Outcome<i64> {
    let sql = format!("SELECT change FROM {}.state", db.schema);
    Ok(client.query_typed_one(&sql, &[]).await?.try_get(0)?)
}

/// Documents of changes after one.
pub(super) async fn changes(db: &Db, client: &Client, after: i64, limit: usize) -> Outcome<Vec<Segment>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {}.segments WHERE change > $1 ORDER BY change, key LIMIT $2",
        db.schema
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = client.query_typed(&sql, &[(&after, Type::INT8), (&limit, Type::INT8)]).await?;
    let found: Result<Vec<Segment>, _> = rows.iter().map(read).collect();
    Ok(found?)
}

/// The documents with some ids.
pub(super) async fn segments(db: &Db, client: &Client, ids: &[String]) -> Outcome<Vec<Segment>> {
    let ids: Vec<_> = ids.iter().map(|id| pack(id)).collect();
    let sql =
        format!("SELECT {COLUMNS} FROM {}.segments WHERE id = ANY($1) AND NOT gone ORDER BY key", db.schema);
    let rows = client.query_typed(&sql, &[(&ids, Type::TEXT_ARRAY)]).await?;
    let found: Result<Vec<Segment>, _> = rows.iter().map(read).collect();
    Ok(found?)
}

pub(super) async fn documents(db: &Db, client: &Client) -> Outcome<u64> {
    let sql = format!("SELECT count(*) FROM {}.segments WHERE NOT gone", db.schema);
    Ok(client.query_typed_one(&sql, &[]).await?.try_get::<_, i64>(0)?.cast_unsigned())
}

/// The first of some numbers under a name, from 1 on.
pub(super) async fn reserve(db: &Db, client: &Client, name: &str, count: u64) -> Outcome<i64> {
    let count = i64::try_from(count).map_err(|_| Error::input(format!("{count} numbers are too many")))?;
    let sql = format!(
        "INSERT INTO {}.numbers AS n VALUES ($1, 1 + $2)
         ON CONFLICT (name) DO UPDATE SET next = n.next + $2 RETURNING next - $2",
        db.schema
    );
    let params = [(&pack(name) as _, Type::TEXT), (&count as _, Type::INT8)];
    Ok(client.query_typed_one(&sql, &params).await?.try_get(0)?)
}

/// Takes or renews a lease, by the clock of the engine.
pub(super) async fn lease(db: &Db, client: &Client, name: &str, holder: &str, seconds: u64) -> Outcome<bool> {
    let sql = format!(
        "INSERT INTO {}.leases AS l VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE l.holder = excluded.holder OR l.until <= clock_timestamp()",
        db.schema
    );
    // No longer than a century, which is as good as for ever.
    let seconds = seconds.min(3_155_760_000) as f64;
    let names = [(&pack(name) as _, Type::TEXT), (&pack(holder) as _, Type::TEXT)];
    let [name, holder] = names;
    Ok(client.execute_typed(&sql, &[name, holder, (&seconds, Type::FLOAT8)]).await? > 0)
}

/// Gives a lease back.
pub(super) async fn release(db: &Db, client: &Client, name: &str, holder: &str) -> Outcome<()> {
    let sql = format!("DELETE FROM {}.leases WHERE name = $1 AND holder = $2", db.schema);
    let names = [(&pack(name) as _, Type::TEXT), (&pack(holder) as _, Type::TEXT)];
    client.execute_typed(&sql, &names).await?;
    Ok(())
}

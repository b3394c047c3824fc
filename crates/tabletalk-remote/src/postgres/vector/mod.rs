//! Vectors: a table for each space, with an HNSW index of pgvector.

mod search;
mod space;

use super::copy::{Rows, copy};
use super::db::batches;
use super::{filter, text};
use space::Held;
pub use space::Vectors;
use std::collections::HashMap;
use tabletalk_core::seam::VectorStore;
use tabletalk_core::seam::store::{Allow, Near, Point, Space};
use tabletalk_core::{Error, Result};
use tokio_postgres::types::Type;

/// How heavy the points of one transaction may be, each as heavy as it is long: putting them into the index
/// takes a while, and a busy server must be done in time.
const HEAVIEST: usize = 200_000;
/// What a point weighs besides its length: most of the work is finding its neighbours.
const POINT: usize = 4000;

impl Vectors {
    /// Runs a statement on `{points}`, the table of a space, if there is one.
    fn execute(&self, space: &Space, sql: &str, list: &[i64]) -> Result<()> {
        self.db.run(async |client| {
            if let Some(held) = self.held(client, space).await? {
                let sql = sql.replace("{points}", &held.table);
                client.execute_typed(&sql, &[(&list, Type::INT8_ARRAY)]).await?;
            }
            Ok(())
        })
    }

    /// The points of a batch as rows.
    fn rows(held: &Held, points: &[&Point]) -> Result<bytes::Bytes> {
        let mut rows = Rows::new(4);
        for point in points {
            held.check(point.vector.len())?;
            let row = rows.row().long(key(point.key)?).long(point.document);
            row.json(&filter::json(&point.facets))?.vector(&point.vector)?;
        }
        Ok(rows.done())
    }
}

impl VectorStore for Vectors {
    fn name(&self) -> String {
        self.db.name().to_owned()
    }

    fn prepare(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        let index = self.settings.index_of(&space.embed);
        self.db.transact(async |transaction| self.make_space(transaction, space, dim, model, &index).await)
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let sql = format!("SELECT embed, \"group\" FROM {}.spaces ORDER BY id", self.db.schema);
        self.db.run(async |client| {
            let mut all = Vec::new();
            for row in client.query_typed(&sql, &[]).await? {
                let (embed, group) = (text::unpack(row.try_get(0)?), text::unpack(row.try_get(1)?));
                all.push(Space { embed, group });
            }
            Ok(all)
        })
    }

    fn put(&self, space: &Space, points: &[Point]) -> Result<()> {
        // Of two with one key the last stays.
        let last: HashMap<u64, &Point> = points.iter().map(|p| (p.key, p)).collect();
        let mut points: Vec<&Point> = last.into_values().collect();
        points.sort_unstable_by_key(|p| p.key);
        let batches = batches(&points, self.db.batch(), HEAVIEST, |p| POINT + p.vector.len());
        self.db.run_each(&batches, async |client, batch| {
            let Some(held) = self.held(client, space).await? else { return Err(missing(space).into()) };
            let rows = Self::rows(&held, batch)?;
            let keys: Result<Vec<i64>> = batch.iter().map(|p| key(p.key)).collect();
            let transaction = client.transaction().await?;
            let delete = format!("DELETE FROM {} WHERE key = ANY($1)", held.table);
            transaction.execute_typed(&delete, &[(&keys?, Type::INT8_ARRAY)]).await?;
            copy(&transaction, &held.table, "key, document, facets, vector", &rows).await?;
            Ok(transaction.commit().await?)
        })
    }

    fn remove(&self, space: &Space, keys: &[u64]) -> Result<()> {
        let keys: Vec<i64> = keys.iter().filter_map(|k| i64::try_from(*k).ok()).collect();
        self.execute(space, "DELETE FROM {points} WHERE key = ANY($1)", &keys)
    }

    fn remove_documents(&self, space: &Space, documents: &[i64]) -> Result<()> {
        self.execute(space, "DELETE FROM {points} WHERE document = ANY($1)", documents)
    }

    fn search(&self, space: &Space, query: &[f32], k: usize, allow: &Allow) -> Result<Option<Vec<Near>>> {
        let index = self.settings.index_of(&space.embed);
        let path = filter::path(allow)?;
        self.db.run(async |client| {
            let Some(held) = self.held(client, space).await? else { return Ok(None) };
            held.check(query.len())?;
            let (path, documents) = (path.as_deref(), allow.documents.as_deref());
            let wanted = search::Wanted { query, k: most(k), path, documents };
            Ok(Some(search::nearest(client, &held, &wanted, &index).await?))
        })
    }

    fn vectors(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let keys: Vec<i64> = keys.iter().filter_map(|k| i64::try_from(*k).ok()).collect();
        self.db.run(async |client| {
            let Some(held) = self.held(client, space).await? else { return Ok(Vec::new()) };
            let sql = format!("SELECT key, vector::float4[] FROM {} WHERE key = ANY($1)", held.table);
            let mut found = Vec::new();
            for row in client.query_typed(&sql, &[(&keys, Type::INT8_ARRAY)]).await? {
                found.push((row.try_get::<_, i64>(0)?.cast_unsigned(), row.try_get(1)?));
            }
            Ok(found)
        })
    }

    fn keys(&self, space: &Space, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>> {
        let after = after.map_or(-1, |key| i64::try_from(key).unwrap_or(i64::MAX));
        self.db.run(async |client| {
            let Some(held) = self.held(client, space).await? else { return Ok(Vec::new()) };
            let sql =
                format!("SELECT key, document FROM {} WHERE key > $1 ORDER BY key LIMIT $2", held.table);
            let mut found = Vec::new();
            for row in client.query_typed(&sql, &[(&after, Type::INT8), (&most(limit), Type::INT8)]).await? {
                found.push((row.try_get::<_, i64>(0)?.cast_unsigned(), row.try_get(1)?));
            }
            Ok(found)
        })
    }

    fn count(&self, space: &Space) -> Result<u64> {
        self.db.run(async |client| {
            let Some(held) = self.held(client, space).await? else { return Ok(0) };
            let sql = format!("SELECT count(*) FROM {}", held.table);
            Ok(client.query_typed_one(&sql, &[]).await?.try_get::<_, i64>(0)?.cast_unsigned())
        })
    }

    fn drop_space(&self, space: &Space) -> Result<()> {
        self.db.transact(async |transaction| self.unmake_space(transaction, space).await)
    }
}

/// A key as PostgreSQL knows it.
fn key(key: u64) -> Result<i64> {
    i64::try_from(key).map_err(|_| Error::input(format!("the key {key} is too large")))
}

/// A number of rows as PostgreSQL knows it.
fn most(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

fn missing(space: &Space) -> Error {
    Error::missing(format!("there is no space for `{}` of the group `{}`", space.embed, space.group))
        .hint("it must be prepared first")
}

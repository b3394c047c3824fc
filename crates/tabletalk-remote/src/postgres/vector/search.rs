//! The nearest vectors.

use super::super::db::Param;
use super::super::fail::Outcome;
use super::super::filter;
use super::space::Held;
use tabletalk_core::seam::remote::{Index, Metric};
use tabletalk_core::seam::store::Near;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

/// The most vectors that pgvector looks at before it gives the first out.
const LARGEST_EF: usize = 1000;
/// Up to so many vectors that may be found, all are compared: an index finds few among many badly.
const FEW: i64 = 5000;

/// What is looked for.
pub(super) struct Wanted<'a> {
    /// The vector.
    pub(super) query: &'a [f32],
    pub(super) k: i64,
    /// What the fields of documents must be.
    pub(super) path: Option<&'a str>,
    pub(super) documents: Option<&'a [i64]>,
}

/// The nearest `k`, the best first. When few may be found, or the index gives fewer than were wanted, all
/// that may be found are compared.
pub(super) async fn nearest(
    client: &mut Client,
    held: &Held,
    wanted: &Wanted<'_>,
    index: &Index,
) -> Outcome<Vec<Near>> {
    if wanted.k == 0 || wanted.documents.is_some_and(<[i64]>::is_empty) {
        return Ok(Vec::new());
    }
    let conditions = conditions(wanted);
    if index.exact || is_small(client, held, index.flat_limit).await? {
        return among(client, held, &conditions, &params(wanted)).await;
    }
    if !conditions.is_empty() {
        let keys = allowed(client, held, wanted, &conditions).await?;
        if keys.len() as i64 <= FEW {
            let [query, k, ..] = params(wanted);
            let params = [query, k, (&keys as _, Type::INT8_ARRAY)];
            return among(client, held, "AND key = ANY($3)", &params).await;
        }
    }
    let near = indexed(client, held, wanted, &conditions, index).await?;
    match (near.len() as i64) < wanted.k {
        true => among(client, held, &conditions, &params(wanted)).await,
        false => Ok(near),
    }
}

/// Whether a space has no more than so many vectors.
async fn is_small(client: &Client, held: &Held, limit: usize) -> Outcome<bool> {
    let sql = format!("SELECT NOT EXISTS (SELECT 1 FROM {} OFFSET {limit} LIMIT 1)", held.table);
    Ok(client.query_typed(&sql, &[]).await?.first().map_or(Ok(true), |row| row.try_get(0))?)
}

/// The conditions on vectors, with `$3` and `$4`.
fn conditions(wanted: &Wanted<'_>) -> String {
    let documents = wanted.documents.map(|list| filter::documents("document", "$4", list.len()));
    let path = wanted.path.map(|_| "AND facets @@ $3::jsonpath".to_owned());
    [documents, path].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The values of a search, used or not.
fn params<'a>(wanted: &'a Wanted<'_>) -> [Param<'a>; 4] {
    [
        (&wanted.query, Type::FLOAT4_ARRAY),
        (&wanted.k, Type::INT8),
        (&wanted.path, Type::TEXT),
        (&wanted.documents, Type::INT8_ARRAY),
    ]
}

/// The keys of vectors that may be found, if they are few; else more than that.
async fn allowed(client: &Client, held: &Held, wanted: &Wanted<'_>, conditions: &str) -> Outcome<Vec<i64>> {
    let sql = format!("SELECT key FROM {} WHERE true {conditions} LIMIT {}", held.table, FEW + 1);
    let rows = client.query_typed(&sql, &params(wanted)).await?;
    let keys: Result<Vec<i64>, _> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(keys?)
}

/// The nearest of all that fulfil conditions. An order that is computed is none that the index has.
async fn among(client: &Client, held: &Held, conditions: &str, params: &[Param<'_>]) -> Outcome<Vec<Near>> {
    read(&client.query_typed(&statement(held, conditions, "+ 0"), params).await?)
}

/// The nearest by the index, which goes on until there are enough that fulfil the conditions.
async fn indexed(
    client: &mut Client,
    held: &Held,
    wanted: &Wanted<'_>,
    conditions: &str,
    index: &Index,
) -> Outcome<Vec<Near>> {
    let twice = usize::try_from(wanted.k.saturating_mul(2)).unwrap_or(LARGEST_EF);
    let ef = index.ef.max(twice).clamp(1, LARGEST_EF);
    let transaction = client.transaction().await?;
    // What is found late is put in its place below, instead of being left out.
    let settings = format!("SET LOCAL hnsw.ef_search = {ef}; SET LOCAL hnsw.iterative_scan = relaxed_order");
    transaction.batch_execute(&settings).await?;
    let rows = transaction.query_typed(&statement(held, conditions, ""), &params(wanted)).await?;
    transaction.commit().await?;
    read(&rows)
}

fn statement(held: &Held, conditions: &str, order: &str) -> String {
    let (distance, score) = match held.metric {
        Metric::Cosine => ("vector <=> $1::vector", "1 - (vector <=> $1::vector)"),
        Metric::Dot => ("vector <#> $1::vector", "-(vector <#> $1::vector)"),
    };
    format!(
        "SELECT key, ({score})::float4 FROM {} WHERE true {conditions}
         ORDER BY ({distance}) {order} LIMIT $2",
        held.table
    )
}

/// What was found, the best first.
fn read(rows: &[Row]) -> Outcome<Vec<Near>> {
    let mut near = Vec::with_capacity(rows.len());
    for row in rows {
        // A vector without a direction has no cosine: it is the last.
        let score = row.try_get::<_, f32>(1)?.max(-1.0);
        near.push(Near { key: row.try_get::<_, i64>(0)?.cast_unsigned(), score });
    }
    near.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    Ok(near)
}

//! The tables: some that are always there, and three for each group.

use super::super::db::Db;
use super::super::fail::Outcome;
use super::super::text::pack;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Transaction};

/// The tables that are always there.
///
/// `groups` keeps what scores need to know of all entries of a group. `state` has one row: whoever commits
/// locks it, so changes become visible in the order of their numbers.
pub(super) fn layout(schema: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {schema}.groups (
             id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
             entries bigint NOT NULL DEFAULT 0, lengths bigint[] NOT NULL DEFAULT '{{0,0,0,0,0}}',
             next_entry bigint NOT NULL DEFAULT 1);
         CREATE TABLE IF NOT EXISTS {schema}.segments (
             key bigint PRIMARY KEY, id text NOT NULL,
             change bigint NOT NULL, gone boolean NOT NULL, body bytea NOT NULL);
         CREATE INDEX IF NOT EXISTS segments_change ON {schema}.segments (change, key);
         CREATE INDEX IF NOT EXISTS segments_id ON {schema}.segments USING hash (id);
         CREATE TABLE IF NOT EXISTS {schema}.state (
             one boolean PRIMARY KEY DEFAULT true CHECK (one), change bigint NOT NULL);
         INSERT INTO {schema}.state (change) VALUES (0) ON CONFLICT DO NOTHING;
         CREATE TABLE IF NOT EXISTS {schema}.numbers (name text PRIMARY KEY, next bigint NOT NULL);
         CREATE TABLE IF NOT EXISTS {schema}.leases (
             name text PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL);"
    )
}

/// All of them, for dropping.
const TABLES: [&str; 5] = ["groups", "segments", "state", "numbers", "leases"];

pub(super) struct Group {
    /// Its number.
    pub(super) id: i64,
    pub(super) entries: i64,
    /// How many terms all of its entries have together, in the order of `Field::ALL`.
    pub(super) lengths: Vec<i64>,
    /// Its tables, ready for SQL.
    pub(super) tables: Tables,
}

/// The tables of a group.
pub(super) struct Tables {
    /// What is known of each entry but its terms.
    pub(super) entries: String,
    /// The dictionary. Terms stay in it when no entry has them any more.
    pub(super) terms: String,
    /// Which terms each entry has, in which field, how often, and how many terms that field has in all.
    pub(super) postings: String,
}

impl Tables {
    fn of(schema: &str, id: i64) -> Self {
        let table = |name: &str| format!("{schema}.{name}_{id}");
        Tables { entries: table("entries"), terms: table("terms"), postings: table("postings") }
    }

    fn create(&self) -> String {
        let Tables { entries, terms, postings } = self;
        format!(
            "CREATE TABLE {entries} (
                 id bigint PRIMARY KEY, document bigint NOT NULL, stamp bigint NOT NULL,
                 owner bigint NOT NULL, part bigint NOT NULL, facets jsonb NOT NULL, data bytea NOT NULL,
                 UNIQUE (owner, part));
             CREATE INDEX ON {entries} (document);
             CREATE TABLE {terms} (
                 id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, term text COLLATE \"C\" NOT NULL UNIQUE);
             CREATE TABLE {postings} (
                 term bigint NOT NULL, entry bigint NOT NULL,
                 tf int NOT NULL, length int NOT NULL, field smallint NOT NULL,
                 PRIMARY KEY (term, field, entry) INCLUDE (tf, length));
             CREATE INDEX ON {postings} (entry);"
        )
    }

    fn drop(&self) -> String {
        format!("DROP TABLE IF EXISTS {}, {}, {}", self.entries, self.terms, self.postings)
    }
}

pub(super) async fn group(db: &Db, client: &Client, name: &str) -> Outcome<Option<Group>> {
    let sql = format!("SELECT id, entries, lengths FROM {}.groups WHERE name = $1", db.schema);
    let Some(row) = client.query_typed_opt(&sql, &[(&pack(name), Type::TEXT)]).await? else {
        return Ok(None);
    };
    let id = row.try_get(0)?;
    Ok(Some(Group {
        id,
        entries: row.try_get(1)?,
        lengths: row.try_get(2)?,
        tables: Tables::of(&db.schema, id),
    }))
}

/// Makes a group that is not there.
pub(super) async fn make_group(db: &Db, transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    if group(db, transaction.client(), name).await?.is_some() {
        return Ok(());
    }
    db.lock(transaction).await?;
    let sql =
        format!("INSERT INTO {}.groups (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id", db.schema);
    // Nothing is returned when somebody made it while we waited.
    if let Some(row) = transaction.query_typed_opt(&sql, &[(&pack(name), Type::TEXT)]).await? {
        transaction.batch_execute(&Tables::of(&db.schema, row.try_get(0)?).create()).await?;
    }
    Ok(())
}

/// Drops a group, if it is there.
pub(super) async fn drop_group(db: &Db, transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    db.lock(transaction).await?;
    let sql = format!("DELETE FROM {}.groups WHERE name = $1 RETURNING id", db.schema);
    if let Some(row) = transaction.query_typed_opt(&sql, &[(&pack(name), Type::TEXT)]).await? {
        transaction.batch_execute(&Tables::of(&db.schema, row.try_get(0)?).drop()).await?;
    }
    Ok(())
}

pub(super) async fn groups(db: &Db, client: &Client) -> Outcome<Vec<(i64, Tables)>> {
    let sql = format!("SELECT id FROM {}.groups ORDER BY id", db.schema);
    let rows = client.query_typed(&sql, &[]).await?;
    let ids: Result<Vec<i64>, _> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(ids?.into_iter().map(|id| (id, Tables::of(&db.schema, id))).collect())
}

/// Drops all tables of the store, and the schema if nothing else is in it.
pub(super) async fn clear(db: &Db, transaction: &Transaction<'_>) -> Outcome<()> {
    db.lock(transaction).await?;
    for (_, tables) in groups(db, transaction.client()).await? {
        transaction.batch_execute(&tables.drop()).await?;
    }
    for table in TABLES {
        transaction.batch_execute(&format!("DROP TABLE IF EXISTS {}.{table}", db.schema)).await?;
    }
    db.drop_empty_schema(transaction).await
}

/// Whether a group is still there; it stays until the end of the transaction.
pub(super) async fn is_there(db: &Db, transaction: &Transaction<'_>, group: i64) -> Outcome<bool> {
    let sql = format!("SELECT FROM {}.groups WHERE id = $1 FOR KEY SHARE", db.schema);
    Ok(transaction.query_typed_opt(&sql, &[(&group, Type::INT8)]).await?.is_some())
}

//! Spaces: made, checked, dropped.

use super::super::db::Db;
use super::super::fail::Outcome;
use super::super::text::pack;
use tabletalk_core::seam::remote::{Index, Metric, Settings};
use tabletalk_core::seam::store::Space;
use tabletalk_core::{Error, Result};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Transaction};

/// The longest vectors that pgvector can index.
const LONGEST_INDEXED: usize = 2000;
/// The longest vectors that it can hold.
const LONGEST: usize = 16_000;

/// Vectors in PostgreSQL.
pub struct Vectors {
    pub(super) db: Db,
    pub(super) settings: Settings,
}

impl Vectors {
    /// The store that the settings name. Nothing is connected yet.
    pub fn open(settings: &Settings) -> Result<Self> {
        let db = Db::new(settings, layout, Some("vector"))?;
        Ok(Vectors { db, settings: settings.clone() })
    }
}

/// The table that lists the spaces.
pub(super) fn layout(schema: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {schema}.spaces (
             id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
             embed text NOT NULL, \"group\" text NOT NULL,
             dim int NOT NULL, model text NOT NULL, metric text NOT NULL,
             UNIQUE (embed, \"group\"))"
    )
}

/// A space that is there.
pub(super) struct Held {
    /// Its table, ready for SQL.
    pub(super) table: String,
    /// How vectors are compared.
    pub(super) metric: Metric,
    dim: usize,
    model: String,
}

impl Held {
    /// Whether a vector is as long as those of the space.
    pub(super) fn check(&self, dim: usize) -> Result<()> {
        match self.dim == dim {
            true => Ok(()),
            false => {
                Err(Error::input(format!("a vector has {dim} numbers, those of the space have {}", self.dim))
                    .hint("was it made by another model?"))
            }
        }
    }
}

impl Vectors {
    /// What is known of a space.
    pub(super) async fn held(&self, client: &Client, space: &Space) -> Outcome<Option<Held>> {
        let schema = &self.db.schema;
        let sql =
            format!("SELECT id, dim, model, metric FROM {schema}.spaces WHERE embed = $1 AND \"group\" = $2");
        let names = [(&pack(&space.embed) as _, Type::TEXT), (&pack(&space.group) as _, Type::TEXT)];
        let Some(row) = client.query_typed_opt(&sql, &names).await? else { return Ok(None) };
        Ok(Some(Held {
            table: self.table(row.try_get(0)?),
            dim: usize::try_from(row.try_get::<_, i32>(1)?).unwrap_or(0),
            model: row.try_get(2)?,
            metric: if row.try_get::<_, &str>(3)? == "dot" { Metric::Dot } else { Metric::Cosine },
        }))
    }

    fn table(&self, id: i64) -> String {
        format!("{}.points_{id}", self.db.schema)
    }

    /// Makes a space, or checks that the one there fits.
    pub(super) async fn make_space(
        &self,
        transaction: &Transaction<'_>,
        space: &Space,
        dim: usize,
        model: &str,
        index: &Index,
    ) -> Outcome<()> {
        if let Some(held) = self.held(transaction.client(), space).await? {
            return Ok(self.check_space(&held, space, dim, model, index)?);
        }
        check_index(space, dim, index)?;
        self.db.lock(transaction).await?;
        // Somebody may have made it while we waited.
        if let Some(held) = self.held(transaction.client(), space).await? {
            return Ok(self.check_space(&held, space, dim, model, index)?);
        }
        let sql = format!(
            "INSERT INTO {}.spaces (embed, \"group\", dim, model, metric)
             VALUES ($1, $2, $3, $4, $5) RETURNING id",
            self.db.schema
        );
        let (embed, group, model) = (pack(&space.embed), pack(&space.group), pack(model));
        let (dim, metric) = (dim as i32, name_of(index.metric));
        let texts = [(&embed as _, Type::TEXT), (&group as _, Type::TEXT), (&dim as _, Type::INT4)];
        let rest = [(&model as _, Type::TEXT), (&metric as _, Type::TEXT)];
        let row = transaction.query_typed_one(&sql, &[texts.as_slice(), rest.as_slice()].concat()).await?;
        transaction.batch_execute(&table_of(&self.table(row.try_get(0)?), dim, index)).await?;
        Ok(())
    }

    /// Refuses a space that holds something else.
    fn check_space(&self, held: &Held, space: &Space, dim: usize, model: &str, index: &Index) -> Result<()> {
        let refuse = |what: &str, there: &str, wanted: &str| {
            let name = self.db.name();
            let (embed, group) = (&space.embed, &space.group);
            Err(Error::input(format!(
                "the vectors of `{embed}` for `{group}` in {name} {what} {there}, not {wanted}"
            ))
            .hint(
                "use the settings they were made with, another `prefix`, or drop the space and index again",
            ))
        };
        if held.dim != dim {
            return refuse("have the length", &held.dim.to_string(), &dim.to_string());
        }
        if held.model != pack(model) {
            return refuse("are of the model", &format!("`{}`", held.model), &format!("`{model}`"));
        }
        match held.metric == index.metric {
            true => Ok(()),
            false => refuse("are compared by", name_of(held.metric), name_of(index.metric)),
        }
    }

    /// Drops a space, if it is there.
    pub(super) async fn unmake_space(&self, transaction: &Transaction<'_>, space: &Space) -> Outcome<()> {
        self.db.lock(transaction).await?;
        let Some(held) = self.held(transaction.client(), space).await? else { return Ok(()) };
        let sql = format!("DELETE FROM {}.spaces WHERE embed = $1 AND \"group\" = $2", self.db.schema);
        let names = [(&pack(&space.embed) as _, Type::TEXT), (&pack(&space.group) as _, Type::TEXT)];
        transaction.execute_typed(&sql, &names).await?;
        transaction.batch_execute(&format!("DROP TABLE {}", held.table)).await?;
        Ok(())
    }
}

fn name_of(metric: Metric) -> &'static str {
    match metric {
        Metric::Cosine => "cosine",
        Metric::Dot => "dot",
    }
}

/// Refuses what pgvector cannot do.
fn check_index(space: &Space, dim: usize, index: &Index) -> Result<()> {
    let most = if index.exact { LONGEST } else { LONGEST_INDEXED };
    if dim == 0 || dim > most {
        return Err(Error::input(format!("vectors of {dim} numbers cannot be kept for `{}`", space.embed))
            .hint(format!(
                "pgvector holds up to {LONGEST} numbers, and up to {LONGEST_INDEXED} unless `exact = true`"
            )));
    }
    let fits = (2..=100).contains(&index.m) && (4..=1000).contains(&index.ef_construction);
    match index.exact || (fits && index.ef_construction >= 2 * index.m) {
        true => Ok(()),
        false => Err(Error::input(format!(
            "m = {} and ef_construction = {} do not go",
            index.m, index.ef_construction
        ))
        .hint("m is 2 to 100, ef_construction 4 to 1000 and at least twice m")),
    }
}

/// The table of a space with its indexes.
fn table_of(table: &str, dim: i32, index: &Index) -> String {
    let operators = match index.metric {
        Metric::Cosine => "vector_cosine_ops",
        Metric::Dot => "vector_ip_ops",
    };
    let mut sql = format!(
        "CREATE TABLE {table} (
             key bigint PRIMARY KEY, document bigint NOT NULL,
             facets jsonb NOT NULL, vector vector({dim}) NOT NULL);
         CREATE INDEX ON {table} (document);
         CREATE INDEX ON {table} USING gin (facets jsonb_path_ops);"
    );
    if !index.exact {
        let (m, ef) = (index.m, index.ef_construction);
        sql += &format!(
            "CREATE INDEX ON {table} USING hnsw (vector {operators}) WITH (m = {m}, ef_construction = {ef});"
        );
    }
    sql
}

//! Sessions that can only read, and statements in them.

use super::address::{self, Address};
use super::decode::Values;
use super::{secret, told};
use crate::postgres::{connect, db};
use arrow_array::ArrayRef;
use bytes::BytesMut;
use futures_util::StreamExt;
use std::fmt::{self, Debug};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tabletalk_core::seam::database::{Bounds, Fetched, Statement, Take};
use tabletalk_core::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::{Format, IsNull, ToSql, Type};
use tokio_postgres::{CancelToken, Client, RowStream, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long making a connection may take.
const LONGEST_GREETING: Duration = Duration::from_secs(10);
/// How often a statement looks whether it should end.
const LOOK: Duration = Duration::from_millis(20);
/// Rows that are handed on at a time.
const BATCH: usize = 1024;
/// The oldest PostgreSQL that has all that is used here.
const OLDEST: i32 = 120_000;

/// What every session begins with. Other schemas than `pg_catalog` have functions and operators that nobody here knows.
const GREETING: &str = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;
    SET default_transaction_read_only = on; SET application_name = 'tabletalk'; SET client_min_messages = 'error';
    SET search_path = pg_catalog; SET standard_conforming_strings = on; SET timezone = 'UTC'; SET datestyle = 'ISO, YMD';
    SET intervalstyle = 'postgres'; SET extra_float_digits = 1; SET bytea_output = 'hex'; SET lock_timeout = '5s';
    SET statement_timeout = '30s'; SET idle_in_transaction_session_timeout = '60s'";

/// A PostgreSQL database that is read where it is.
pub struct Postgres {
    /// Where connections live; taken only when it goes.
    runtime: Option<Runtime>,
    address: Address,
    tls: MakeRustlsConnect,
    idle: Mutex<Vec<Client>>,
    letters: OnceLock<Option<String>>,
}

impl Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Postgres").field(&self.address.shown).finish()
    }
}

impl Postgres {
    /// Its address, without a password.
    pub(super) fn shown(&self) -> &str {
        &self.address.shown
    }

    /// The address of a database as it is kept: written in one way, and without a password.
    pub fn address_of(text: &str) -> Result<String> {
        Ok(address::read(text)?.shown)
    }

    /// The database at an address. It is connected to when it is first asked.
    pub fn open(text: &str) -> Result<Self> {
        let mut address = address::read(text)?;
        address.config.connect_timeout(LONGEST_GREETING).keepalives_idle(Duration::from_secs(30));
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("postgres").enable_all().build();
        Ok(Postgres {
            runtime: Some(runtime.map_err(|e| Error::io(e.to_string()))?),
            tls: connect::connector(&address.client)?,
            address,
            idle: Mutex::default(),
            letters: OnceLock::new(),
        })
    }

    fn told(&self, e: tokio_postgres::Error) -> Error {
        told::told(&self.address.shown, &e)
    }

    /// Does something in a transaction that can only read. After a failure the session is not used again.
    pub(super) fn read<T>(
        &self,
        time_ms: u64,
        work: impl AsyncFn(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        self.read_unless(time_ms, work, |_| false)
    }

    /// The same; where what was done was left in the middle, the session is not used again either.
    fn read_unless<T>(
        &self,
        time_ms: u64,
        work: impl AsyncFn(&Transaction<'_>) -> Result<T>,
        is_left: impl Fn(&T) -> bool,
    ) -> Result<T> {
        let runtime = self.runtime.as_ref().ok_or_else(|| Error::bug("the database was closed"))?;
        db::wait(runtime, async {
            let mut client = self.connection().await?;
            let done = {
                let begun = client.build_transaction().read_only(true).start().await;
                let transaction = begun.map_err(|e| self.told(e))?;
                let limit = format!("SET LOCAL statement_timeout = {}", time_ms.clamp(1, 86_400_000));
                transaction.batch_execute(&limit).await.map_err(|e| self.told(e))?;
                let done = work(&transaction).await?;
                if is_left(&done) {
                    return Ok(done);
                }
                transaction.rollback().await.map_err(|e| self.told(e))?;
                done
            };
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(client);
            Ok(done)
        })
    }

    async fn connection(&self) -> Result<Client> {
        let kept = || self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some(client) = kept() {
            if !client.is_closed() {
                return Ok(client);
            }
        }
        let mut config = self.address.config.clone();
        if let Some(password) = secret::password(&self.address)? {
            config.password(password);
        }
        let connected = tokio::time::timeout(LONGEST_GREETING, config.connect(self.tls.clone())).await;
        let slow = || Error::upstream(format!("{} does not answer", self.address.shown));
        let (client, connection) = connected.map_err(|_| slow())?.map_err(|e| self.told(e))?;
        tokio::spawn(connection);
        client.batch_execute(GREETING).await.map_err(|e| self.told(e))?;
        self.check_version(&client).await?;
        Ok(client)
    }

    async fn check_version(&self, client: &Client) -> Result<()> {
        let sql = "SELECT current_setting('server_version_num')::int4, current_setting('server_encoding')";
        let row = client.query_one(sql, &[]).await.map_err(|e| self.told(e))?;
        let version: i32 = row.try_get(0).map_err(|e| self.told(e))?;
        match version < OLDEST {
            true => Err(Error::input(format!(
                "{} is PostgreSQL {}; {} is needed",
                self.address.shown,
                version / 10_000,
                OLDEST / 10_000
            ))),
            false => Ok(()),
        }
    }

    /// Waits for something the database does, and ends it when it should end.
    async fn watched<T>(
        &self,
        token: &CancelToken,
        stop: &(dyn Fn() -> bool + Sync),
        work: impl Future<Output = T>,
    ) -> Result<T> {
        let mut work = pin!(work);
        loop {
            if let Ok(done) = tokio::time::timeout(LOOK, work.as_mut()).await {
                return Ok(done);
            }
            if stop() {
                // Whether it is heard or not, nobody waits any more.
                let _ = tokio::time::timeout(LOOK * 25, token.cancel_query(self.tls.clone())).await;
                return Err(Error::limit("the statement was ended"));
            }
        }
    }

    async fn fetch(
        &self,
        transaction: &Transaction<'_>,
        statement: &Statement,
        bounds: &Bounds<'_>,
        take: Take<'_>,
    ) -> Result<Fetched> {
        let token = transaction.cancel_token();
        let types = vec![Type::TEXT; statement.texts.len()];
        let texts: Vec<Text<'_>> = statement.texts.iter().map(|text| Text(text)).collect();
        let texts: Vec<&(dyn ToSql + Sync)> = texts.iter().map(|text| text as &(dyn ToSql + Sync)).collect();
        let prepared = transaction.prepare_typed(&statement.sql, &types).await.map_err(|e| self.told(e))?;
        if prepared.columns().len() != statement.kinds.len() {
            return Err(Error::bug("a statement gives other columns than were asked for"));
        }
        // Not in parts: a statement of which only some rows are asked for runs on one core.
        let begun = self.watched(&token, bounds.stop, transaction.query_raw(&prepared, texts)).await?;
        let mut rows = pin!(begun.map_err(|e| self.told(e))?);
        let mut fetched = Fetched::default();
        loop {
            let more = self.batch(rows.as_mut(), statement, bounds, &mut fetched);
            let (arrays, more) = self.watched(&token, bounds.stop, more).await??;
            if arrays.first().is_some_and(|a| !a.is_empty()) {
                take(arrays)?;
            }
            if fetched.is_cut {
                // What is left of it is not waited for.
                let _ = tokio::time::timeout(LOOK * 25, token.cancel_query(self.tls.clone())).await;
            }
            if !more {
                return Ok(fetched);
            }
        }
    }

    /// The next rows, and whether there may be more that are wanted.
    async fn batch(
        &self,
        mut rows: Pin<&mut RowStream>,
        statement: &Statement,
        bounds: &Bounds<'_>,
        fetched: &mut Fetched,
    ) -> Result<(Vec<ArrayRef>, bool)> {
        let mut columns: Vec<Values> = statement.kinds.iter().map(|kind| Values::new(*kind)).collect();
        let mut came = 0;
        let mut more = true;
        while came < BATCH {
            let Some(row) = rows.next().await else {
                more = false;
                break;
            };
            let row = row.map_err(|e| self.told(e))?;
            came += 1;
            if fetched.rows >= bounds.rows as u64 || fetched.bytes >= bounds.bytes as u64 {
                fetched.is_cut = true;
                more = false;
                break;
            }
            for (at, column) in columns.iter_mut().enumerate() {
                fetched.bytes += column.take(&row, at)? as u64;
            }
            fetched.rows += 1;
        }
        Ok((columns.into_iter().map(Values::into_array).collect(), more))
    }
}

/// A text beside a statement.
#[derive(Debug)]
struct Text<'a>(&'a str);

impl ToSql for Text<'_> {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }
    fn accepts(_: &Type) -> bool {
        true
    }
    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }
    tokio_postgres::types::to_sql_checked!();
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Not waited for: it may be dropped where waiting is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Postgres {
    /// All rows of a question to the catalogue.
    pub(super) fn ask(&self, sql: &str) -> Result<Vec<tokio_postgres::Row>> {
        self.read(60_000, async |transaction| transaction.query(sql, &[]).await.map_err(|e| self.told(e)))
    }

    /// A number that may take long to count; none where it takes too long.
    pub(super) fn count(&self, sql: &str, time_ms: u64) -> Result<Option<i64>> {
        let counted = self.read(time_ms, async |transaction| {
            Ok(match transaction.query_one(sql, &[]).await {
                Ok(row) => Ok(row.try_get(0).map_err(|e| self.told(e))?),
                Err(e) if told::is_slow(&e) => Err(None),
                Err(e) => Err(Some(self.told(e))),
            })
        });
        match counted {
            Ok(Ok(n)) => Ok(Some(n)),
            Ok(Err(None)) => Ok(None),
            Ok(Err(Some(error))) | Err(error) => Err(error),
        }
    }

    /// A collation that knows the letters of every language, if the database has one.
    pub(super) fn letters_known(&self) -> Result<Option<String>> {
        if let Some(known) = self.letters.get() {
            return Ok(known.clone());
        }
        let sql = "SELECT collname::text FROM pg_collation c JOIN pg_namespace n ON n.oid = collnamespace
                   WHERE nspname = 'pg_catalog' AND collname = 'und-x-icu'
                   AND collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))";
        let found = self.read(10_000, async |transaction| {
            let row = transaction.query_opt(sql, &[]).await.map_err(|e| self.told(e))?;
            row.map(|row| row.try_get(0).map_err(|e| self.told(e))).transpose()
        })?;
        Ok(self.letters.get_or_init(|| found).clone())
    }

    /// Runs a statement, and hands on what it gives.
    pub(super) fn fetch_all(
        &self,
        statement: &Statement,
        bounds: &Bounds<'_>,
        take: Take<'_>,
    ) -> Result<Fetched> {
        let take = Mutex::new(take);
        let work = async |transaction: &Transaction<'_>| {
            let mut take = |arrays: Vec<ArrayRef>| {
                let mut take = take.lock().unwrap_or_else(PoisonError::into_inner);
                (*take)(arrays)
            };
            self.fetch(transaction, statement, bounds, &mut take).await
        };
        self.read_unless(bounds.time_ms, work, |fetched| fetched.is_cut)
    }
}

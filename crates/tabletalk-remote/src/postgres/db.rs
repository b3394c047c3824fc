//! Connections to the engine, and work on them that is done again when a failure may pass.

use super::connect;
use super::fail::{Fail, Outcome};
use super::text::{LONGEST_NAME, ident};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;
use tabletalk_core::seam::remote::{self, Settings};
use tabletalk_core::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The first wait before trying again; each one after it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The oldest PostgreSQL that has all that is used here.
const OLDEST: i32 = 150_000;

/// A value for a statement, and its type.
pub(super) type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// The engine, as one store sees it.
pub(super) struct Db {
    /// Where connections live; taken only when the store goes.
    runtime: Option<Runtime>,
    addresses: Vec<Config>,
    tls: MakeRustlsConnect,
    idle: Mutex<Vec<Client>>,
    turns: Semaphore,
    reached: remote::Client,
    name: String,
    prefix: String,
    /// The schema of the store, ready for SQL.
    pub(super) schema: String,
    /// What makes the tables that the store always has, when the schema is there.
    layout: String,
    /// The extension that is needed.
    extension: Option<&'static str>,
}

/// A thread that waits for a future.
struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future, whose connections and clocks are those of a runtime. The thread that asks only waits, so that it may
/// belong to another runtime.
pub(super) fn wait<T>(runtime: &Runtime, future: impl Future<Output = T>) -> T {
    let _entered = runtime.enter();
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Waiting(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}

impl Db {
    /// The engine that the settings name. `layout` is SQL that makes tables in a schema; it may be run again.
    pub(super) fn new(
        settings: &Settings,
        layout: fn(&str) -> String,
        extension: Option<&'static str>,
    ) -> Result<Self> {
        let prefix = settings.prefix.as_str();
        if !(1..=LONGEST_NAME).contains(&prefix.len()) || prefix.contains('\0') {
            return Err(Error::input(format!("the prefix `{prefix}` cannot name a schema"))
                .hint(format!("it must have 1 to {LONGEST_NAME} bytes")));
        }
        let addresses = connect::all(settings)?;
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("postgres").enable_all().build();
        let schema = ident(prefix);
        let shown: Vec<String> = addresses.iter().map(connect::shown).collect();
        Ok(Db {
            runtime: Some(runtime.map_err(|e| Error::io(e.to_string()))?),
            name: format!("postgres at {}", shown.join(", ")),
            addresses,
            tls: connect::connector(&settings.client)?,
            idle: Mutex::default(),
            turns: Semaphore::new(settings.client.connections.max(1)),
            reached: settings.client.clone(),
            prefix: prefix.to_owned(),
            layout: layout(&schema),
            schema,
            extension,
        })
    }

    /// What it is and where, for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// How many rows are written at once.
    pub(super) fn batch(&self) -> usize {
        self.reached.batch.max(1)
    }

    /// Does something on a connection, and again when it failed and may go well.
    pub(super) fn run<T>(&self, work: impl AsyncFn(&mut Client) -> Outcome<T>) -> Result<T> {
        self.wait(self.repeat(&work))?
    }

    /// Does something in a transaction, likewise.
    pub(super) fn transact<T>(&self, work: impl AsyncFn(&Transaction<'_>) -> Outcome<T>) -> Result<T> {
        self.run(async |client| {
            let transaction = client.transaction().await?;
            let done = work(&transaction).await?;
            transaction.commit().await?;
            Ok(done)
        })
    }

    /// Does something for each of some items, several at once.
    pub(super) fn run_each<I>(
        &self,
        items: &[I],
        work: impl AsyncFn(&mut Client, &I) -> Outcome<()>,
    ) -> Result<()> {
        let work = &work;
        let one = async |item: &I| self.repeat(&async |client: &mut Client| work(client, item).await).await;
        let all = stream::iter(items).map(one).buffer_unordered(self.reached.connections.max(1));
        self.wait(all.try_collect())?
    }

    /// Waits for a future, whose connections and clocks are those of the runtime of this store.
    fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T> {
        let runtime = self.runtime.as_ref().ok_or_else(|| Error::bug("the store was closed"))?;
        Ok(wait(runtime, future))
    }

    async fn repeat<T>(&self, work: &impl AsyncFn(&mut Client) -> Outcome<T>) -> Result<T> {
        let (mut wait, mut left, mut made) = (FIRST_WAIT, self.reached.retries, false);
        loop {
            let mut outcome = self.once(work).await;
            if outcome.as_ref().is_err_and(Fail::lacks_table) && !made {
                match self.once(&async |client: &mut Client| self.make(client).await).await {
                    Ok(()) => {
                        made = true;
                        continue;
                    }
                    Err(fail) => outcome = Err(fail),
                }
            }
            match outcome {
                Err(fail) if left > 0 && (fail.passes() || fail.lacks_table()) => left -= 1,
                other => return other.map_err(|fail| fail.told(&self.name, self.reached.timeout())),
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// One attempt, when there is a connection for it. After a failure the connection is not used again.
    async fn once<T>(&self, work: &impl AsyncFn(&mut Client) -> Outcome<T>) -> Outcome<T> {
        let _turn = self.turns.acquire().await.map_err(|_| Error::bug("the store was closed"))?;
        let attempt = async {
            let mut client = self.connection().await?;
            let done = work(&mut client).await?;
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(client);
            Ok(done)
        };
        tokio::time::timeout(self.reached.timeout(), attempt).await.unwrap_or(Err(Fail::Slow))
    }

    /// A connection that was used before and is still open, or a new one.
    async fn connection(&self) -> Outcome<Client> {
        let kept = || self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some(client) = kept() {
            if !client.is_closed() {
                return Ok(client);
            }
        }
        self.connect().await
    }

    /// A new connection to the first address that answers.
    async fn connect(&self) -> Outcome<Client> {
        let mut failed = Fail::Own(Error::bug("there is no address"));
        for address in &self.addresses {
            match address.connect(self.tls.clone()).await {
                Ok((client, connection)) => {
                    // It ends with the client, or fails, which the client is told.
                    tokio::spawn(connection);
                    client.batch_execute(&self.greeting()).await?;
                    return Ok(client);
                }
                Err(e) => failed = e.into(),
            }
        }
        Err(failed)
    }

    /// What every connection begins with. The extension may live in a schema of its own.
    fn greeting(&self) -> String {
        let milliseconds = self.reached.timeout().as_millis();
        format!(
            "SET application_name = 'tabletalk'; SET client_min_messages = 'warning';
             SET jit = off; SET work_mem = '32MB';
             SET statement_timeout = {milliseconds}; SET idle_in_transaction_session_timeout = {milliseconds};
             SELECT set_config('search_path', quote_ident(nspname) || ', public', false)
                 FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'"
        )
    }

    /// Makes the schema, the extension and the tables, as far as they are not there.
    pub(super) async fn make(&self, client: &mut Client) -> Outcome<()> {
        let transaction = client.transaction().await?;
        self.lock(&transaction).await?;
        let state = "SELECT current_setting('server_version_num')::int4, current_setting('server_encoding'),
                     EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
        let state = transaction.query_typed_one(state, &[(&self.prefix, Type::TEXT)]).await?;
        self.check_server(state.try_get(0)?, state.try_get(1)?)?;
        if !state.try_get::<_, bool>(2)? {
            transaction.batch_execute(&format!("CREATE SCHEMA {}", self.schema)).await?;
        }
        if let Some(extension) = self.extension {
            self.make_extension(&transaction, extension).await?;
        }
        transaction.batch_execute(&self.layout).await?;
        Ok(transaction.commit().await?)
    }

    fn check_server(&self, version: i32, encoding: &str) -> Result<()> {
        if version < OLDEST {
            let (major, oldest) = (version / 10_000, OLDEST / 10_000);
            return Err(Error::input(format!("{} is PostgreSQL {major}; {oldest} is needed", self.name))
                .hint("use a newer server"));
        }
        match encoding {
            "UTF8" => Ok(()),
            other => Err(Error::input(format!("the database of {} is in {other}, not in UTF8", self.name))
                .hint("make one with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`")),
        }
    }

    async fn make_extension(&self, transaction: &Transaction<'_>, extension: &str) -> Outcome<()> {
        let sql = "SELECT installed_version FROM pg_available_extensions WHERE name = $1";
        let Some(row) = transaction.query_typed_opt(sql, &[(&extension, Type::TEXT)]).await? else {
            return Err(Error::input(format!("{} has no extension `{extension}`", self.name))
                .hint("install pgvector on the server")
                .into());
        };
        match row.try_get::<_, Option<&str>>(0)? {
            None => Ok(transaction.batch_execute(&format!("CREATE EXTENSION {}", ident(extension))).await?),
            Some(version) if version.starts_with("0.") && minor(version) < 8 => {
                let message = format!("{} has version {version} of `{extension}`; 0.8 is needed", self.name);
                Err(Error::input(message).hint("ALTER EXTENSION vector UPDATE").into())
            }
            Some(_) => Ok(()),
        }
    }

    /// Waits until nobody else makes or drops tables of this prefix, and keeps others from it until the end
    /// of the transaction.
    pub(super) async fn lock(&self, transaction: &Transaction<'_>) -> Outcome<()> {
        let sql = "SELECT pg_advisory_xact_lock(hashtextextended('tabletalk ' || $1, 0))";
        transaction.execute_typed(sql, &[(&self.prefix, Type::TEXT)]).await?;
        Ok(())
    }

    /// Drops the schema if nothing is in it.
    pub(super) async fn drop_empty_schema(&self, transaction: &Transaction<'_>) -> Outcome<()> {
        let sql = "SELECT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid)
                   FROM pg_namespace n WHERE nspname = $1";
        let row = transaction.query_typed_opt(sql, &[(&self.prefix, Type::TEXT)]).await?;
        if row.map(|r| r.try_get::<_, bool>(0)).transpose()? == Some(false) {
            transaction.batch_execute(&format!("DROP SCHEMA {}", self.schema)).await?;
        }
        Ok(())
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        // Not waited for: it may be dropped where waiting is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn minor(version: &str) -> u32 {
    version.split('.').nth(1).and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// Cuts items into batches of at most `most` items and, where an item alone is not heavier, of the weight
/// `heaviest`: so that no transaction takes long, however large items are.
pub(super) fn batches<T>(
    items: &[T],
    most: usize,
    heaviest: usize,
    weight: impl Fn(&T) -> usize,
) -> Vec<&[T]> {
    let (mut all, mut rest) = (Vec::new(), items);
    while !rest.is_empty() {
        let mut sum = 0;
        let fits = |item: &&T| {
            sum += weight(item);
            sum <= heaviest
        };
        let many = rest.iter().take(most).take_while(fits).count().max(1);
        let (batch, later) = rest.split_at(many);
        all.push(batch);
        rest = later;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_neither_long_nor_heavy() {
        let cut =
            |items: &[usize]| batches(items, 3, 10, |i| *i).iter().map(|b| b.to_vec()).collect::<Vec<_>>();
        assert_eq!(cut(&[1, 1, 1, 1]), [vec![1, 1, 1], vec![1]]);
        assert_eq!(cut(&[6, 5, 20, 4, 6]), [vec![6], vec![5], vec![20], vec![4, 6]]);
        assert!(cut(&[]).is_empty());
    }
}

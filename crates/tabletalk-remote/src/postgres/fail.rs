//! What can go wrong, whether it may pass, and how it is told.

use std::error::Error as _;
use std::time::Duration;
use tabletalk_core::Error;
use tokio_postgres::error::SqlState;

/// What one attempt comes to.
pub(super) type Outcome<T> = std::result::Result<T, Fail>;

/// Why an attempt failed.
#[derive(Debug)]
pub(super) enum Fail {
    /// The engine or the way to it.
    Engine(tokio_postgres::Error),
    /// It took too long.
    Slow,
    /// Ourselves.
    Own(Error),
}

impl From<tokio_postgres::Error> for Fail {
    fn from(e: tokio_postgres::Error) -> Self {
        Fail::Engine(e)
    }
}

impl From<Error> for Fail {
    fn from(e: Error) -> Self {
        Fail::Own(e)
    }
}

impl Fail {
    fn code(&self) -> Option<&SqlState> {
        match self {
            Fail::Engine(e) => e.code(),
            _ => None,
        }
    }

    /// Whether a table or the schema is not there: nothing was prepared, or something was dropped meanwhile.
    pub(super) fn lacks_table(&self) -> bool {
        self.code().is_some_and(|c| [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME].contains(c))
    }

    /// Whether it may go well the next time: the engine is busy or restarting, or two writers met.
    pub(super) fn passes(&self) -> bool {
        match self {
            Fail::Engine(e) => match e.code() {
                Some(code) => {
                    PASSING.contains(code) || ["08", "40"].iter().any(|class| code.code().starts_with(class))
                }
                None => is_broken(e),
            },
            _ => false,
        }
    }

    pub(super) fn told(self, name: &str, timeout: Duration) -> Error {
        let seconds = timeout.as_secs();
        match self {
            Fail::Own(e) => e,
            Fail::Slow => Error::upstream(format!("{name} did not answer within {seconds} s")).hint(SLOW),
            Fail::Engine(e) => match e.as_db_error() {
                Some(said) => refused(name, said.code(), &describe(said)),
                None => unreachable_engine(name, &e),
            },
        }
    }
}

const SLOW: &str = "is it overloaded? `client.timeout_s` says how long to wait";

/// What passes, besides broken connections and transactions that got in each other's way.
static PASSING: [SqlState; 11] = [
    // Two writers put the same key, or made the same table, at once.
    SqlState::UNIQUE_VIOLATION,
    SqlState::DUPLICATE_TABLE,
    SqlState::DUPLICATE_SCHEMA,
    SqlState::DUPLICATE_OBJECT,
    // A table went while a statement began.
    SqlState::INTERNAL_ERROR,
    SqlState::LOCK_NOT_AVAILABLE,
    SqlState::OBJECT_IN_USE,
    SqlState::TOO_MANY_CONNECTIONS,
    SqlState::ADMIN_SHUTDOWN,
    SqlState::CRASH_SHUTDOWN,
    SqlState::CANNOT_CONNECT_NOW,
];

/// Whether the connection broke, or could not be made.
fn is_broken(e: &tokio_postgres::Error) -> bool {
    let by_io = e.source().is_some_and(|s| s.is::<std::io::Error>());
    e.is_closed() || (by_io && !speaks_of_certificates(e))
}

fn speaks_of_certificates(e: &tokio_postgres::Error) -> bool {
    causes(e).contains("certificate")
}

/// An error with what is behind it.
fn causes(e: &tokio_postgres::Error) -> String {
    let mut text = e.to_string();
    let mut cause = e.source();
    while let Some(e) = cause {
        text = format!("{text}: {e}");
        cause = e.source();
    }
    text
}

fn describe(said: &tokio_postgres::error::DbError) -> String {
    match said.detail() {
        Some(detail) => format!("{} ({detail})", said.message()),
        None => said.message().to_owned(),
    }
}

fn unreachable_engine(name: &str, e: &tokio_postgres::Error) -> Error {
    let causes = causes(e);
    if causes.contains("password missing") {
        return Error::input(format!("{name} wants a password"))
            .hint("`client.password_env` names the environment variable that holds it");
    }
    let error = Error::upstream(format!("{name} cannot be reached: {causes}"));
    if speaks_of_certificates(e) {
        error.hint("`client.ca_file` names certificates to trust; `client.verify = false` trusts all")
    } else if causes.contains("not support TLS") {
        error.hint("`sslmode` in the `uri` says whether connections must be encrypted")
    } else {
        error.hint("is it running? Check `uri` in the configuration")
    }
}

/// What it means that the engine does not do what it was asked.
fn refused(name: &str, code: &SqlState, text: &str) -> Error {
    let upstream = |what: &str| Error::upstream(format!("{name} {what}: {text}"));
    let input = |what: &str| Error::input(format!("{name} {what}: {text}"));
    match code.code() {
        c if c.starts_with("28") => {
            input("does not let us in").hint("check `client` in the configuration: user, password_env")
        }
        "3D000" => {
            input("has no such database").hint("make it with `CREATE DATABASE`, or name another in `uri`")
        }
        "42501" => {
            input("does not allow this").hint("let the user create schemas and tables in the database")
        }
        "25006" => upstream("is read-only").hint("name the primary server in `uri`"),
        "53100" => upstream("has no room on its disk").hint("give it more room"),
        "53200" => upstream("has no memory left").hint("give it more memory, or make `client.batch` smaller"),
        "53300" => upstream("has no connection left")
            .hint("raise its `max_connections`, or make `client.connections` smaller"),
        "57014" => upstream("took too long").hint(SLOW),
        "57P01" | "57P02" | "57P03" => upstream("is stopping or starting").hint("try again in a moment"),
        code => upstream(&format!("answered {code}")),
    }
}

//! What a database says when something is wrong, in our terms.

use std::error::Error as _;
use tabletalk_core::Error;
use tokio_postgres::error::SqlState;

/// What the database does not understand of what was written for it: then it is computed elsewhere.
static NOT_UNDERSTOOD: [SqlState; 10] = [
    SqlState::SYNTAX_ERROR,
    SqlState::UNDEFINED_FUNCTION,
    SqlState::DATATYPE_MISMATCH,
    SqlState::INDETERMINATE_DATATYPE,
    SqlState::AMBIGUOUS_FUNCTION,
    SqlState::CANNOT_COERCE,
    SqlState::GROUPING_ERROR,
    SqlState::INDETERMINATE_COLLATION,
    SqlState::COLLATION_MISMATCH,
    SqlState::FEATURE_NOT_SUPPORTED,
];

/// An error of the database at an address.
pub(super) fn told(address: &str, e: &tokio_postgres::Error) -> Error {
    match e.as_db_error() {
        Some(said) => refused(address, said.code(), said.message()),
        None => unreachable(address, e),
    }
}

/// Whether a statement took longer than it may.
pub(super) fn is_slow(e: &tokio_postgres::Error) -> bool {
    e.code() == Some(&SqlState::QUERY_CANCELED)
}

fn refused(address: &str, code: &SqlState, said: &str) -> Error {
    let input = |what: &str| Error::input(format!("{address} {what}: {said}"));
    let upstream = |what: &str| Error::upstream(format!("{address} {what}: {said}"));
    if NOT_UNDERSTOOD.contains(code) {
        return Error::bug(format!("what was written for {address} is not understood there: {said}"));
    }
    match code.code() {
        // What is said of a failed login may name the user, never the password.
        c if c.starts_with("28") => input("does not let us in")
            .hint("PGPASSWORD or a line of ~/.pgpass (mode 0600) says the password"),
        "3D000" => input("has no such database"),
        "42501" => input("does not allow this").hint("grant SELECT to the account, or leave the table out"),
        "42P01" | "42703" => input("has changed").hint("`tabletalk sync ADDRESS` looks at its tables again"),
        "25006" => input("was asked to write, which is never done"),
        "57014" => Error::limit(format!("{address} took too long: {said}"))
            .hint("add conditions, or allow more time with `sql.time_ms`"),
        "53300" => upstream("has no connection left"),
        "57P01" | "57P02" | "57P03" => upstream("is stopping or starting").hint("try again in a moment"),
        c if c.starts_with("22") => input("cannot compute the statement"),
        code => upstream(&format!("answered {code}")),
    }
}

fn unreachable(address: &str, e: &tokio_postgres::Error) -> Error {
    let mut text = e.to_string();
    let mut cause = e.source();
    while let Some(e) = cause {
        text = format!("{text}: {e}");
        cause = e.source();
    }
    if text.contains("password missing") {
        return Error::input(format!("{address} wants a password"))
            .hint("PGPASSWORD or a line of ~/.pgpass (mode 0600) says it");
    }
    let error = Error::upstream(format!("{address} cannot be reached: {text}"));
    match text.contains("certificate") {
        true => error.hint("?sslrootcert=FILE in the address names certificates to trust"),
        false => error.hint("is it running, and may this machine reach it?"),
    }
}

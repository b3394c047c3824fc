//! Errors of the crates below, sorted by whose fault they are.

use tabletalk_core::Error;

pub(crate) fn sqlite(e: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::*;
    match e.sqlite_error_code() {
        Some(DatabaseCorrupt | NotADatabase) => Error::input(format!("the library is damaged: {e}"))
            .hint("run `tabletalk doctor --repair`, or restore a backup"),
        Some(DatabaseBusy | DatabaseLocked) => Error::limit("another process is writing to this library")
            .hint("wait for it to finish and try again"),
        Some(DiskFull | SystemIoFailure | CannotOpen | ReadOnly | PermissionDenied) => {
            Error::io(e.to_string())
        }
        _ => Error::bug(format!("catalogue: {e}")),
    }
}

pub(crate) fn arrow(e: impl std::fmt::Display) -> Error {
    Error::bug(format!("table rows: {e}"))
}

pub(crate) fn parquet(e: ::parquet::errors::ParquetError) -> Error {
    Error::io(format!("table file: {e}"))
}

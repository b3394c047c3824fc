//! Errors of the query engine, sorted by whose fault they are.

use datafusion::common::{DataFusionError, SchemaError};
use tabletalk_core::Error;

/// The most letters of a message that is passed on.
const LONGEST: usize = 400;

/// What went wrong, in our terms.
pub(crate) fn explain(error: DataFusionError) -> Error {
    match error.find_root() {
        DataFusionError::ResourcesExhausted(m) => {
            Error::limit(format!("the statement needs too much memory: {}", short(m)))
        }
        DataFusionError::SchemaError(e, _) => schema(e),
        DataFusionError::IoError(e) => Error::io(format!("the rows cannot be read: {e}")),
        DataFusionError::ParquetError(e) => Error::io(format!("the rows cannot be read: {e}")),
        DataFusionError::ObjectStore(e) => Error::io(format!("the rows cannot be read: {e}")),
        DataFusionError::Internal(m) if m.contains("Regular expression did not compile") => {
            Error::input("the regular expression cannot be used: it is wrong or too large")
        }
        // The engine calls it internal, but the statement is at fault.
        DataFusionError::Internal(m)
            if m.contains("failed to match any signature") || m.contains("Failed to coerce types") =>
        {
            Error::input(format!("the statement fails: {}", short(m)))
        }
        DataFusionError::Internal(m) => Error::bug(format!("the query engine failed: {}", short(m))),
        // Of a database from which rows are fetched.
        DataFusionError::External(e) if e.is::<Error>() => {
            e.downcast_ref::<Error>().cloned().unwrap_or_else(|| Error::bug("an error was lost"))
        }
        DataFusionError::ArrowError(e, _) => {
            Error::input(format!("the statement fails: {}", short(&e.to_string())))
        }
        DataFusionError::Plan(m) | DataFusionError::NotImplemented(m) | DataFusionError::Execution(m) => {
            Error::input(format!("the statement fails: {}", short(m)))
        }
        other => Error::input(format!("the statement fails: {}", short(&other.to_string()))),
    }
}

fn schema(error: &SchemaError) -> Error {
    match error {
        SchemaError::FieldNotFound { field, .. } => {
            Error::input(format!("column `{}` cannot be used here", field.name))
        }
        SchemaError::AmbiguousReference { field } => {
            Error::input(format!("column `{}` is in more than one relation", field.name))
                .hint("write the relation before it, as in a.column")
        }
        other => Error::input(format!("the statement fails: {}", short(&other.to_string()))),
    }
}

/// The first line of a message, without the engine's own name.
fn short(message: &str) -> String {
    let message =
        message.trim_start_matches("DataFusion error: ").trim_start_matches("Error during planning: ");
    let first: String = message.lines().next().unwrap_or_default().chars().take(LONGEST).collect();
    first.trim_end_matches('.').to_owned()
}

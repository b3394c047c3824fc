//! Errors of the index, sorted by whose fault they are.

use tabletalk_core::Error;

pub(crate) fn tantivy(e: ::tantivy::TantivyError) -> Error {
    use ::tantivy::TantivyError::*;
    match e {
        IoError(e) => Error::io(format!("keyword index: {e}")),
        DataCorruption(e) => {
            Error::io(format!("the keyword index is damaged: {e:?}")).hint("run `tabletalk doctor --repair`")
        }
        e => Error::bug(format!("keyword index: {e}")),
    }
}

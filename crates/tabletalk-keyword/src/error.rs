//! Errors of the index, sorted by whose fault they are.

use tabletalk_core::Error;

pub(crate) fn tantivy(e: ::tantivy::TantivyError) -> Error {
    use ::tantivy::TantivyError::*;
    use ::tantivy::directory::error::OpenReadError as Opening;
    match e {
        IoError(e) => Error::io(format!("keyword index: {e}")),
        DataCorruption(e) => {
            Error::io(format!("the keyword index is damaged: {e:?}")).hint("run `tabletalk doctor --repair`")
        }
        // The format of its files is tantivy's, and has a number of its own.
        IncompatibleIndex(_) | OpenReadError(Opening::IncompatibleIndex(_)) => {
            Error::io("the keyword index is of another format than this program writes")
                .hint("run `tabletalk doctor --repair`, which makes it again")
        }
        e => Error::bug(format!("keyword index: {e}")),
    }
}

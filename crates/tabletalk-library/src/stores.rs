//! The stores that a configuration names.

use crate::Config;
use crate::config::Stores;
use tabletalk_core::{Error, Result};
use tabletalk_store::{Shared, Tables};

/// The stores that others use too, where the configuration names any.
pub(crate) fn shared(config: &Config) -> Result<Shared> {
    let stores = &config.store;
    let segment = tabletalk_remote::segment_store(&stores.segment).map_err(|e| e.at("[store.segment]"))?;
    let vector = tabletalk_remote::vector_store(&stores.vector).map_err(|e| e.at("[store.vector]"))?;
    if stores.tables.is_some() && segment.is_none() {
        return Err(Error::input(
            "`[store] tables` names a place for files, but documents are kept beside the library",
        )
        .hint("name a segment store, or leave `tables` out"));
    }
    Ok(Shared { segment, vector, tables: stores.tables.as_deref().map(|at| tables(at, stores)).transpose()? })
}

fn tables(at: &str, stores: &Stores) -> Result<Tables> {
    let store = tabletalk_remote::table_store(at, &stores.s3).map_err(|e| e.at("[store.s3]"))?;
    Ok(store.map_or_else(|| Tables::Folder(at.into()), Tables::Store))
}

/// Set in the catalogue of a library whose documents are in a store that others use too.
const SHARED: &str = "shared";

/// Refuses to open a library that is kept in its folder as a copy of one in a store, and the other way round: the keys of
/// one mean nothing in the other.
pub(crate) fn check_home(library: &tabletalk_store::Library) -> Result<()> {
    let mut catalog = library.catalog()?;
    let [documents, ..] = catalog.counts()?;
    let (is_copy, dir) = (catalog.meta(SHARED)?.is_some(), library.dir().display());
    match &library.shared().segment {
        Some(store) if !is_copy && documents > 0 => {
            let message = format!("the library at {dir} is kept there, not in {}", store.name());
            Err(Error::input(message)
                .hint("`tabletalk migrate --to CONFIG --into FOLDER` copies it to a store"))
        }
        None if is_copy => Err(Error::input(format!(
            "the library at {dir} is a copy of one in a store that is not configured"
        ))
        .hint("name the store under [store.segment]; `tabletalk migrate` copies it from there")),
        Some(_) if !is_copy => {
            let change = catalog.side_change()?;
            change.put_meta(SHARED, 1)?;
            change.commit()
        }
        _ => Ok(()),
    }
}

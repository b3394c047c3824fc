//! The stores that a configuration names.

use crate::Config;
use tabletalk_core::{Error, Result};
use tabletalk_store::Shared;

/// The stores that others use too, where the configuration names any.
pub(crate) fn shared(config: &Config) -> Result<Shared> {
    let stores = &config.store;
    let segment = tabletalk_remote::segment_store(&stores.segment).map_err(|e| e.at("[store.segment]"))?;
    let vector = tabletalk_remote::vector_store(&stores.vector).map_err(|e| e.at("[store.vector]"))?;
    if stores.tables.is_some() && segment.is_none() {
        return Err(Error::input(
            "`[store] tables` names a folder, but documents are kept beside the library",
        )
        .hint("name a segment store, or leave `tables` out"));
    }
    Ok(Shared { segment, vector, tables: stores.tables.clone() })
}

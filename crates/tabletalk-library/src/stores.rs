//! The stores that a configuration names.

use crate::Config;
use crate::config::Stores;
use std::sync::Arc;
use tabletalk_core::seam::remote::{S3Settings, Settings};
use tabletalk_core::seam::{SegmentStore, TableStore, VectorStore};
use tabletalk_core::{Error, Result};
use tabletalk_store::{Shared, Tables};

/// Every engine that stores can be of, as `type` names it: what people call it, and the cargo feature that brings it.
const ENGINES: [(&str, &str, &str); 6] = [
    ("chroma", "Chroma", "store-chroma"),
    ("elasticsearch", "Elasticsearch", "store-opensearch"),
    ("milvus", "Milvus", "store-milvus"),
    ("opensearch", "OpenSearch", "store-opensearch"),
    ("postgres", "PostgreSQL", "store-postgres"),
    ("qdrant", "Qdrant", "store-qdrant"),
];

/// The engines that keep documents and words.
const OF_SEGMENTS: [&str; 3] = ["opensearch", "elasticsearch", "postgres"];

/// The engines that keep vectors.
const OF_VECTORS: [&str; 5] = ["chroma", "milvus", "opensearch", "postgres", "qdrant"];

/// The stores that others use too, where the configuration names any.
pub(crate) fn shared(config: &Config) -> Result<Shared> {
    let stores = &config.store;
    let segment = segment_store(&stores.segment).map_err(|e| e.at("[store.segment]"))?;
    let vector = vector_store(&stores.vector).map_err(|e| e.at("[store.vector]"))?;
    if stores.tables.is_some() && segment.is_none() {
        return Err(Error::input(
            "`[store] tables` names a place for files, but documents are kept beside the library",
        )
        .hint("name a segment store, or leave `tables` out"));
    }
    Ok(Shared { segment, vector, tables: stores.tables.as_deref().map(|at| tables(at, stores)).transpose()? })
}

fn tables(at: &str, stores: &Stores) -> Result<Tables> {
    let store = table_store(at, &stores.s3).map_err(|e| e.at("[store.s3]"))?;
    Ok(store.map_or_else(|| Tables::Folder(at.into()), Tables::Store))
}

/// The segment store that the settings name; `None` when it is the embedded one.
fn segment_store(settings: &Settings) -> Result<Option<Arc<dyn SegmentStore>>> {
    settings.check_place()?;
    match settings.r#type.as_str() {
        "embedded" => Ok(None),
        #[cfg(feature = "store-opensearch")]
        "opensearch" | "elasticsearch" => Ok(Some(Arc::new(tabletalk_remote::OpenSearch::new(settings)?))),
        #[cfg(feature = "store-postgres")]
        "postgres" => Ok(Some(Arc::new(tabletalk_remote::postgres::Segments::open(settings)?))),
        other => Err(not_here(other, &OF_SEGMENTS)),
    }
}

/// The vector store that the settings name; `None` when it is the embedded one.
pub fn vector_store(settings: &Settings) -> Result<Option<Arc<dyn VectorStore>>> {
    settings.check_place()?;
    match settings.r#type.as_str() {
        "embedded" => Ok(None),
        #[cfg(feature = "store-chroma")]
        "chroma" => Ok(Some(Arc::new(tabletalk_remote::Chroma::open(settings)?))),
        #[cfg(feature = "store-milvus")]
        "milvus" => Ok(Some(Arc::new(tabletalk_remote::Milvus::new(settings)?))),
        #[cfg(feature = "store-opensearch")]
        "opensearch" => Ok(Some(Arc::new(tabletalk_remote::OpenSearchVectors::new(settings)?))),
        #[cfg(feature = "store-postgres")]
        "postgres" => Ok(Some(Arc::new(tabletalk_remote::postgres::Vectors::open(settings)?))),
        #[cfg(feature = "store-qdrant")]
        "qdrant" => Ok(Some(Arc::new(tabletalk_remote::Qdrant::open(settings)?))),
        other => Err(not_here(other, &OF_VECTORS)),
    }
}

/// The store of files that an address like `s3://bucket/folder` names; `None` when it is the path of a folder.
fn table_store(address: &str, s3: &S3Settings) -> Result<Option<Arc<dyn TableStore>>> {
    let Some(place) = address.strip_prefix("s3://") else { return Ok(None) };
    #[cfg(feature = "s3")]
    return Ok(Some(Arc::new(tabletalk_remote::S3::open(place, s3)?)));
    #[cfg(not(feature = "s3"))]
    {
        let _ = (place, s3);
        Err(left_out("object stores", "s3"))
    }
}

/// What is said of a type that no engine in this program has: one that was left out, or none that there is.
fn not_here(name: &str, fit: &[&str]) -> Error {
    let engine = ENGINES.iter().find(|engine| engine.0 == name && fit.contains(&name));
    if let Some((_, title, feature)) = engine {
        return left_out(title, feature);
    }
    Error::input(format!("there is no store of type `{name}` for this"))
        .hint(format!("`type` is one of embedded, {}", fit.join(", ")))
}

fn left_out(what: &str, feature: &str) -> Error {
    Error::input(format!("this program was built without {what}"))
        .hint(format!("build it with --features {feature}, or with all-stores for every store"))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of_type(name: &str) -> Settings {
        Settings { r#type: name.into(), ..Settings::default() }
    }

    #[test]
    fn the_embedded_stores_need_no_engine() {
        assert!(segment_store(&Settings::default()).unwrap().is_none());
        assert!(vector_store(&Settings::default()).unwrap().is_none());
        assert!(table_store("/mnt/tables", &S3Settings::default()).unwrap().is_none());
    }

    #[test]
    fn an_engine_that_was_left_out_names_its_feature() {
        let error = not_here("qdrant", &OF_VECTORS);
        assert_eq!(error.message(), "this program was built without Qdrant");
        assert!(error.cure().unwrap().contains("--features store-qdrant"), "{error}");
        let error = not_here("elasticsearch", &OF_SEGMENTS);
        assert!(error.cure().unwrap().contains("--features store-opensearch"), "{error}");
    }

    #[test]
    #[cfg(not(feature = "store-qdrant"))]
    fn a_configuration_with_an_engine_that_was_left_out_is_refused() {
        let error = vector_store(&of_type("qdrant")).err().unwrap();
        assert!(error.cure().unwrap().contains("store-qdrant"), "{error}");
    }

    #[test]
    fn what_is_no_engine_or_does_not_fit_is_refused() {
        for name in ["memory", "mongo", "qdrant"] {
            let error = segment_store(&of_type(name)).err().unwrap();
            assert!(error.message().contains("no store of type"), "{error}");
            assert!(error.cure().unwrap().contains("postgres"), "{error}");
        }
        assert!(
            vector_store(&of_type("elasticsearch")).err().unwrap().message().contains("no store of type")
        );
    }

    #[test]
    fn a_folder_in_the_place_of_a_server_is_refused_with_what_to_do() {
        let of = |name: &str, dir: Option<&str>, uri: Option<&str>| {
            let (dir, uri) = (dir.map(Into::into), uri.map(str::to_owned));
            vector_store(&Settings { dir, uri, ..of_type(name) }).err().unwrap()
        };
        let chroma = of("chroma", Some("vectors"), None);
        assert!(
            chroma.message().contains("`vectors`")
                && chroma.cure().unwrap().contains("chroma run --path vectors")
        );
        assert!(of("milvus", None, Some("./milvus.db")).cure().unwrap().contains("embedded"));
        assert!(of("embedded", Some("x"), None).cure().unwrap().contains("leave `dir` out"));
    }

    #[test]
    fn every_engine_is_known_by_name() {
        for name in OF_SEGMENTS.iter().chain(&OF_VECTORS) {
            assert!(ENGINES.iter().any(|engine| engine.0 == *name), "{name}");
        }
    }
}

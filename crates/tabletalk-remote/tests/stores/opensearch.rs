//! OpenSearch and Elasticsearch do what stores must do. `TABLETALK_OPENSEARCH` and `TABLETALK_ELASTICSEARCH` say where
//! they run.

use crate::suite;
use tabletalk_remote::{OpenSearch, OpenSearchVectors, Settings};

/// The settings of an engine with a prefix; `None` when it is not said where it runs.
fn settings(engine: &str, prefix: &str) -> Option<Settings> {
    let variable = format!("TABLETALK_{}", engine.to_uppercase());
    let Ok(uri) = std::env::var(&variable) else {
        eprintln!("skipped: {variable} is not set");
        return None;
    };
    Some(Settings { r#type: engine.into(), uri: Some(uri), prefix: prefix.into(), ..Settings::default() })
}

#[test]
fn opensearch_segments() {
    if settings("opensearch", "t").is_some() {
        let open = |prefix: &str| OpenSearch::new(&settings("opensearch", prefix).unwrap()).unwrap();
        suite::segment::run(&|prefix| Box::new(open(prefix)), suite::Scores::exact());
    }
}

#[test]
fn elasticsearch_segments() {
    if settings("elasticsearch", "t").is_some() {
        let open = |prefix: &str| OpenSearch::new(&settings("elasticsearch", prefix).unwrap()).unwrap();
        suite::segment::run(&|prefix| Box::new(open(prefix)), suite::Scores::exact());
    }
}

#[test]
fn opensearch_vectors() {
    if settings("opensearch", "t").is_some() {
        let open = |prefix: &str| OpenSearchVectors::new(&settings("opensearch", prefix).unwrap()).unwrap();
        suite::vector::run(&|prefix| Box::new(open(prefix)));
    }
}

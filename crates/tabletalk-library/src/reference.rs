//! Background articles on tables.

use crate::{Config, Library, Retriever, open};
use std::time::Duration;
use tabletalk_core::Result;
use tabletalk_model::remote::Wikipedia;

/// How long an encyclopaedia may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Where background articles come from.
pub(crate) enum Reference {
    /// Another library.
    Library(Box<Library>, usize),
    /// An encyclopaedia.
    Wikipedia(Wikipedia),
}

impl Reference {
    /// The reference that is configured.
    pub(crate) fn open(config: &Config) -> Result<Option<Reference>> {
        let articles = config.answer.clarifying.articles;
        let reference = &config.reference;
        if let Some(dir) = &reference.library {
            let library = open(config, dir, false).map_err(|e| e.at("reference.library"))?;
            return Ok(Some(Reference::Library(Box::new(library), articles)));
        }
        let wikipedia = reference.wikipedia.as_deref();
        let open = |url| Wikipedia::new(url, articles, PATIENCE).map(Reference::Wikipedia);
        wikipedia.map(open).transpose()
    }

    /// Articles about something, the best first.
    pub(crate) fn articles(&self, about: &str) -> Result<Vec<String>> {
        match self {
            Reference::Wikipedia(wikipedia) => wikipedia.articles(about),
            Reference::Library(library, most) => {
                let retriever = Retriever { group: "coarse".into(), topk: *most, ..Retriever::default() };
                let hits = library.search(about, &retriever)?.hits;
                Ok(hits.into_iter().map(|hit| hit.node.text).collect())
            }
        }
    }
}

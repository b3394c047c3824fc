//! Background articles on tables.

use crate::{Config, Library, Retriever, open};
use std::time::Duration;
use tabletalk_core::{Citation, Place, Result};
use tabletalk_engine::answer::Articles;
use tabletalk_engine::clarify;
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
}

impl Articles for Reference {
    fn articles(&self, about: &str) -> Result<Vec<Citation>> {
        match self {
            Reference::Wikipedia(wikipedia) => {
                let found = wikipedia.articles(about)?.into_iter();
                Ok(found.map(|(title, text)| article(wikipedia, title, &text)).collect())
            }
            Reference::Library(library, most) => {
                let retriever = Retriever { group: "coarse".into(), topk: *most, ..Retriever::default() };
                clarify::from_library(&library.recall(), &retriever)(about)
            }
        }
    }
}

/// An article of an encyclopaedia as it is cited: where it is published, and its title.
fn article(wikipedia: &Wikipedia, title: String, text: &str) -> Citation {
    let text = format!("{title}: {text}");
    Citation { document: wikipedia.url().to_owned(), id: title.clone(), place: Place::file(title), text }
}

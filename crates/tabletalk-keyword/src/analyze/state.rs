//! What an analyzer is made from, and what it has read from its files.

use super::han::Han;
use super::stop::StopWords;
use super::synonym::Synonyms;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// The language rules text is cut by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Each run by its own script.
    #[default]
    Auto,
    /// As `auto`, but Chinese runs become pairs of characters and the dictionary is never loaded.
    English,
    /// As `auto`, but Latin words are not stemmed.
    Chinese,
}

/// What an [`Analyzer`] is made from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnalyzerConfig {
    /// The language rules.
    pub language: Language,
    /// Chinese words of the user, lines of `word frequency tag`. It decides how text is cut, so text that
    /// was indexed before it changed must be indexed again to be cut by it.
    pub user_dictionary: Option<PathBuf>,
    /// Synonyms: lines of `a, b, c`, or one-way `a => b, c`.
    pub synonyms: Vec<PathBuf>,
    /// Words dropped from queries, one a line, instead of the built-in ones.
    pub stop_words: Option<PathBuf>,
    /// Whether keyword queries are given the bundled synonyms too. [`Analyzer::expansions`] always has them.
    pub bundled_synonyms: bool,
}

/// The content of the files of an [`AnalyzerConfig`].
#[derive(Debug, Clone, Default)]
pub struct Texts {
    /// The user dictionary.
    pub dictionary: String,
    /// The synonyms.
    pub synonyms: String,
    /// The stop words that replace the built-in ones.
    pub stop_words: Option<String>,
    /// Whether keyword queries are given the bundled synonyms too.
    pub bundled_synonyms: bool,
}

impl Texts {
    /// Reads the files.
    pub fn read(config: &AnalyzerConfig) -> Result<Self> {
        let dictionary = config.user_dictionary.as_deref().map(read).transpose()?.unwrap_or_default();
        let synonyms = config.synonyms.iter().map(|p| read(p)).collect::<Result<Vec<_>>>()?.join("\n");
        let stop_words = config.stop_words.as_deref().map(read).transpose()?;
        Ok(Texts { dictionary, synonyms, stop_words, bundled_synonyms: config.bundled_synonyms })
    }
}

fn read(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|e| Error::from(e).at(path.display()))?;
    String::from_utf8(bytes)
        .map_err(|_| Error::input("is not UTF-8 text").at(path.display()).hint("save it as UTF-8"))
}

/// Everything that decides how text is cut and queries are made.
pub(super) struct State {
    pub(super) language: Language,
    pub(super) han: Han,
    pub(super) stop_words: StopWords,
    /// Those that add words to keyword queries.
    pub(super) synonyms: Synonyms,
    /// Those that queries are rewritten with: the user's and the bundled ones.
    pub(super) rewrites: Synonyms,
    pub(super) fingerprint: String,
}

/// Raised whenever the rules change by which text is cut, so that libraries are indexed again.
const RULES: u32 = 2;

fn fingerprint(language: Language, dictionary: &str) -> String {
    format!("rules {RULES}, {language:?}, {}", &blake3::hash(dictionary.as_bytes()).to_hex()[..16])
}

impl State {
    pub(super) fn new(language: Language, texts: &Texts) -> Result<Self> {
        let own = &texts.synonyms;
        let synonyms =
            if texts.bundled_synonyms { Synonyms::with_bundled(own)? } else { Synonyms::new(own)? };
        Ok(State {
            fingerprint: fingerprint(language, &texts.dictionary),
            language,
            han: Han::new(&texts.dictionary)?,
            stop_words: StopWords::new(texts.stop_words.as_deref()),
            synonyms,
            rewrites: Synonyms::with_bundled(own)?,
        })
    }
}

impl Default for State {
    fn default() -> Self {
        State {
            fingerprint: fingerprint(Language::Auto, ""),
            language: Language::Auto,
            han: Han::default(),
            stop_words: StopWords::new(None),
            synonyms: Synonyms::default(),
            // The bundled lines are known to be readable: a test reads each of them.
            rewrites: Synonyms::with_bundled("").unwrap_or_default(),
        }
    }
}

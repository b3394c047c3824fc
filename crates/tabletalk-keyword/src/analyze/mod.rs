//! Text analysis for the keyword index: what is cut from text, and how it is written.
//!
//! Text is cut by run, so one line may mix languages. Latin words are lower-cased, freed of diacritics and
//! stemmed; Chinese runs are made simplified and cut with a dictionary, the shorter words inside a word
//! included; kana and hangul become pairs of characters. The index keeps every word; stop words are
//! dropped and synonyms added when a query is made.
//!
//! Numbers and dates are found in any form they are written in, because each gives the term of its plain
//! form: `1,200`, `1200` and `1.2k` are all `1200`; `Sept 1 2023` and `2023年9月1日` are both `2023-09-01`.
//! The plain form of a number is the number itself, so it costs no second term; see [`value`].
//!
//! ```
//! use tabletalk_keyword::analyze::Analyzer;
//! let analyzer = Analyzer::default();
//! let terms = |text| analyzer.query(text).into_iter().map(|t| t.text).collect::<Vec<_>>();
//! assert_eq!(terms("The cafés of Łódź"), ["cafe", "lodz"]);
//! assert_eq!(terms("請問營業收入"), ["营业", "收入"]);
//! ```

mod expansion;
mod fold;
mod han;
mod query;
mod snippet;
mod state;
mod stem;
mod stop;
mod synonym;
pub mod value;
mod words;

pub use snippet::{Snippet, snippet};
pub use state::{AnalyzerConfig, Language, Texts};

use serde::Serialize;
use state::State;
use std::ops::Range;
use std::sync::Arc;
use tabletalk_core::Result;

/// Where a term of a query comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The text itself.
    Word,
    /// A number or date in the text, in its plain form.
    Value,
    /// A word inside such a number or date: `sept` in `Sept 1 2023`.
    Part,
    /// A synonym of a word in the text.
    Synonym,
}

/// A term, and the bytes of the text it was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// The term as it stands in the index.
    pub text: String,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// How much a match counts: 1 for what the text says, less for synonyms and parts of values.
    pub weight: f32,
    /// Where it comes from.
    pub origin: Origin,
}

impl Token {
    fn word(text: &str, range: Range<usize>) -> Self {
        Token { text: text.into(), start: range.start, end: range.end, weight: 1.0, origin: Origin::Word }
    }
}

/// Cuts text into terms. Clones share one dictionary.
#[derive(Clone)]
pub struct Analyzer {
    shared: Arc<Shared>,
}

struct Shared {
    config: AnalyzerConfig,
    state: Arc<State>,
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Analyzer").field(&self.shared.config).finish()
    }
}

impl Default for Analyzer {
    /// Language by run, no files.
    fn default() -> Self {
        Analyzer { shared: Arc::new(Shared { config: AnalyzerConfig::default(), state: Arc::default() }) }
    }
}

/// What a thread needs to cut many texts without allocating for each: see [`Analyzer::scratch`].
pub struct Scratch {
    state: Arc<State>,
    stems: stem::Stems,
    word: String,
}

impl Scratch {
    fn new(state: Arc<State>, stems: usize) -> Self {
        Scratch { state, stems: stem::Stems::new(stems), word: String::new() }
    }
}

impl Analyzer {
    /// From texts already read. They are not watched for changes.
    pub fn new(language: Language, texts: &Texts) -> Result<Self> {
        let config = AnalyzerConfig { language, ..AnalyzerConfig::default() };
        let state = Arc::new(State::new(language, texts)?);
        Ok(Analyzer { shared: Arc::new(Shared { config, state }) })
    }

    /// Reads the files that `config` names.
    pub fn load(config: &AnalyzerConfig) -> Result<Self> {
        let state = Arc::new(State::new(config.language, &Texts::read(config)?)?);
        Ok(Analyzer { shared: Arc::new(Shared { config: config.clone(), state }) })
    }

    fn state(&self) -> Arc<State> {
        self.shared.state.clone()
    }

    /// What decides how text is cut. An index made under another fingerprint must be made again.
    pub fn fingerprint(&self) -> String {
        self.state().fingerprint.clone()
    }

    /// Loads the Chinese dictionary now. A program that may be asked in Chinese calls this on a thread of
    /// its own while it opens its library.
    pub fn warm(&self) {
        self.state().han.jieba();
    }

    /// A scratch for one thread. It goes on with the files as they are now, whatever is reloaded later.
    pub fn scratch(&self) -> Scratch {
        Scratch::new(self.state(), stem::MANY)
    }

    /// A scratch for one text or a few: cheap to make, remembers no stems.
    fn small_scratch(&self) -> Scratch {
        Scratch::new(self.state(), 0)
    }

    /// Hands each word of `text` to `each` as it stands in the index, with the bytes it was made from.
    pub fn for_each(&self, text: &str, scratch: &mut Scratch, mut each: impl FnMut(&str, Range<usize>)) {
        words::words(text, scratch, &mut each);
    }

    /// The same for free text, with the plain forms of the numbers and dates in it.
    pub fn for_each_in_text(
        &self,
        text: &str,
        scratch: &mut Scratch,
        mut each: impl FnMut(&str, Range<usize>),
    ) {
        value::in_text(text, scratch, &mut each);
    }

    /// The same for the value of a cell, with the plain form of the number or date it is.
    pub fn for_each_in_value(
        &self,
        text: &str,
        scratch: &mut Scratch,
        mut each: impl FnMut(&str, Range<usize>),
    ) {
        value::in_value(text, scratch, None, &mut each);
    }

    /// The same, and the value as a whole.
    pub fn for_each_in_whole_value(
        &self,
        text: &str,
        scratch: &mut Scratch,
        whole: &mut value::Whole,
        mut each: impl FnMut(&str, Range<usize>),
    ) {
        value::in_value(text, scratch, Some(whole), &mut each);
    }

    /// Adds the words of `text` to `out`, stop words included, as they stand in the index.
    pub fn tokens(&self, text: &str, out: &mut Vec<Token>) {
        let mut scratch = self.small_scratch();
        words::words(text, &mut scratch, &mut |term, range| out.push(Token::word(term, range)));
    }

    /// Adds the words of the value of a cell to `out`, and the plain form of the number or date it is.
    pub fn value_tokens(&self, text: &str, out: &mut Vec<Token>) {
        let mut scratch = self.small_scratch();
        value::in_value(text, &mut scratch, None, &mut |term, range| out.push(Token::word(term, range)));
    }

    /// The terms to look for: words without stop words (unless there are no others), numbers and dates in
    /// their plain forms, synonyms. Each term comes once, with its highest weight.
    pub fn query(&self, text: &str) -> Vec<Token> {
        query::query(text, &mut self.small_scratch())
    }

    /// The query in other words, for a search by meaning: for each phrase that has synonyms, the user's or
    /// the bundled ones, the text with that phrase replaced. At most `most`, the likeliest first: those in
    /// the language of the query, of these the first synonym of each phrase, then the second, and so on.
    pub fn expansions(&self, text: &str, most: usize) -> Vec<String> {
        expansion::expansions(text, most, &mut self.small_scratch())
    }
}

/// A text with its Chinese in simplified characters, each of them as many bytes long as before.
pub fn simplified(text: &str) -> String {
    text.chars().map(|c| if fold::is_han(c) { fold::simplify(c) } else { c }).collect()
}

#[cfg(test)]
mod tests;

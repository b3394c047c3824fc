//! From texts to numbers of tokens.

use rustc_hash::FxHashSet;
use tabletalk_core::{Error, Result};
use tokenizers::{Encoding, Tokenizer, TruncationParams};

/// A text as a model reads it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sequence {
    /// The numbers of its tokens.
    pub(crate) ids: Vec<i32>,
    /// 1 for tokens of the second text of a pair.
    pub(crate) types: Vec<i32>,
    /// For each token, whether it is a mark and not of the text.
    pub(crate) special: Vec<bool>,
    /// How many tokens are attended to; those after them are only carried along.
    pub(crate) attended: usize,
}

/// Cuts texts into a model's tokens.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    /// The token that fills a batch up.
    pub(crate) pad: i32,
    /// No more characters than this are looked at.
    most_chars: usize,
}

/// Words of more letters than this are unknown to a tokenizer, so no token is longer.
const LONGEST_TOKEN: usize = 100;

impl Tokens {
    /// Reads a `tokenizer.json`; texts are cut to `max_tokens` less `reserved`, marks included.
    pub(crate) fn new(json: &[u8], max_tokens: usize, reserved: usize) -> Result<Tokens> {
        let wrong = |e: tokenizers::Error| {
            Error::input(format!("tokenizer.json: {e}")).hint("download tokenizer.json of the model again")
        };
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(wrong)?;
        let pad = tokenizer.get_padding().map(|p| p.pad_id);
        let pad = pad.or_else(|| ["[PAD]", "<pad>"].iter().find_map(|pad| tokenizer.token_to_id(pad)));
        let max_length = max_tokens.saturating_sub(reserved).max(1);
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(TruncationParams { max_length, ..Default::default() }))
            .map_err(wrong)?;
        Ok(Tokens { tokenizer, pad: number(pad.unwrap_or(0)), most_chars: max_tokens * LONGEST_TOKEN })
    }

    /// The number of a token by its name.
    pub(crate) fn token(&self, name: &str) -> Result<i32> {
        self.tokenizer.token_to_id(name).map(number).ok_or_else(|| {
            Error::input(format!("the tokenizer has no token {name}"))
                .hint("name a token of the model's vocabulary")
        })
    }

    /// How many tokens there are; those that were added to them are left out.
    pub(crate) fn vocabulary(&self) -> usize {
        self.tokenizer.get_vocab_size(false)
    }

    /// The numbers of the tokens that are no part of any word.
    pub(crate) fn marks(&self) -> Vec<i32> {
        let names = ["[CLS]", "[SEP]", "[PAD]", "[UNK]", "<s>", "</s>", "<pad>", "<unk>"];
        names.iter().filter_map(|name| self.tokenizer.token_to_id(name)).map(number).collect()
    }

    /// The numbers of the tokens that are a sign of punctuation alone.
    pub(crate) fn punctuation(&self) -> FxHashSet<i32> {
        let signs = (0..0x80u8).map(char::from).filter(char::is_ascii_punctuation);
        let all = signs.chain("，。！？、；：“”‘’（）《》【】「」…—·".chars());
        all.filter_map(|sign| self.tokenizer.token_to_id(sign.encode_utf8(&mut [0; 4]))).map(number).collect()
    }

    /// One text, with the marks around it.
    pub(crate) fn text(&self, text: &str) -> Result<Sequence> {
        let encoding = self.tokenizer.encode_fast(self.cut(text), true);
        self.sequence(encoding)
    }

    /// Two texts, with the marks around them.
    pub(crate) fn pair(&self, first: &str, second: &str) -> Result<Sequence> {
        let encoding = self.tokenizer.encode_fast((self.cut(first), self.cut(second)), true);
        self.sequence(encoding)
    }

    /// The tokens of a text alone, without marks, no more than `most`.
    #[cfg(feature = "bundled-models")]
    pub(crate) fn bare(&self, text: &str, most: usize) -> Result<Vec<i32>> {
        let encoding = self.tokenizer.encode_fast(self.cut(text), false);
        let encoding = encoding.map_err(|e| Error::input(format!("text cannot be cut into tokens: {e}")))?;
        Ok(encoding.get_ids().iter().take(most).map(|n| number(*n)).collect())
    }

    fn sequence(&self, encoding: tokenizers::Result<Encoding>) -> Result<Sequence> {
        let encoding = encoding.map_err(|e| Error::input(format!("text cannot be cut into tokens: {e}")))?;
        let numbers = |all: &[u32]| all.iter().map(|n| number(*n)).collect::<Vec<_>>();
        let ids = numbers(encoding.get_ids());
        if ids.is_empty() {
            return Ok(Sequence { ids: vec![self.pad], types: vec![0], special: vec![true], attended: 1 });
        }
        let special = encoding.get_special_tokens_mask().iter().map(|m| *m == 1).collect();
        Ok(Sequence { types: numbers(encoding.get_type_ids()), special, attended: ids.len(), ids })
    }

    /// The beginning of a text that is long enough to fill the model.
    fn cut<'a>(&self, text: &'a str) -> &'a str {
        if text.len() <= self.most_chars { text } else { &text[..text.floor_char_boundary(self.most_chars)] }
    }
}

impl Sequence {
    /// Puts a marker after the first token.
    pub(crate) fn mark(&mut self, marker: i32) {
        let at = self.ids.len().min(1);
        self.ids.insert(at, marker);
        self.types.insert(at, 0);
        self.special.insert(at, true);
        self.attended += 1;
    }

    /// Fills up to `length` with a token that is carried along but not attended to.
    pub(crate) fn fill(&mut self, length: usize, mask: i32) {
        let length = length.max(self.ids.len());
        self.ids.resize(length, mask);
        self.types.resize(length, 0);
        // The filling counts as text: late interaction asks with it.
        self.special.resize(length, false);
    }
}

fn number(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

//! The fields of an index, and how texts become terms.

use super::coarse;
use crate::analyze::value::Whole;
use crate::analyze::{Analyzer, Scratch};
use crate::error::tantivy;
use ::tantivy::schema::{FAST, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions};
use ::tantivy::store::Compressor;
use ::tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};
use ::tantivy::{Index, IndexSettings};
use std::path::Path;
use tabletalk_core::{Error, Result};

/// Separates the values of one entry.
pub(crate) const SEPARATOR: char = '\u{1f}';

/// A value of more words than this is not looked up as a whole.
pub(crate) const MAX_WHOLE_WORDS: usize = 6;

pub use tabletalk_core::seam::store::Field;

/// One entry of an index.
#[derive(Debug, Clone, Default)]
pub struct Doc {
    /// The key of the document it belongs to.
    pub document: i64,
    /// The key of the node or table it stands for.
    pub owner: i64,
    /// Which part of the owner it is: the column and the block.
    pub part: u64,
    /// Texts of the fields.
    pub fields: Vec<(Field, String)>,
    /// Bytes handed back with a hit.
    pub data: Vec<u8>,
}

/// The handles of the fields in one index.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) document: ::tantivy::schema::Field,
    pub(crate) owner: ::tantivy::schema::Field,
    pub(crate) part: ::tantivy::schema::Field,
    pub(crate) data: ::tantivy::schema::Field,
    searched: [::tantivy::schema::Field; 5],
}

impl Fields {
    pub(crate) fn of(schema: &Schema) -> Result<Self> {
        let get = |name: &str| {
            schema.get_field(name).map_err(|_| {
                Error::input(format!("the keyword index has no field `{name}`"))
                    .hint("run `tabletalk doctor --repair`")
            })
        };
        Ok(Fields {
            document: get("document")?,
            owner: get("owner")?,
            part: get("part")?,
            data: get("data")?,
            searched: [get("title")?, get("name")?, get("text")?, get("values")?, get("whole")?],
        })
    }

    pub(crate) fn get(&self, field: Field) -> ::tantivy::schema::Field {
        self.searched[field as usize]
    }
}

/// Makes an empty index. How often a word stands in a block of cell values says nothing, so the group of
/// cells does not keep it.
pub(crate) fn create(dir: &Path, group: &str) -> Result<()> {
    let record = if group == "cell" { IndexRecordOption::Basic } else { IndexRecordOption::WithFreqs };
    let mut builder = Schema::builder();
    builder.add_u64_field("document", INDEXED | FAST);
    builder.add_u64_field("owner", FAST);
    builder.add_u64_field("part", FAST);
    builder.add_bytes_field("data", STORED);
    for field in Field::ALL {
        let tokenizer = match field {
            Field::Values if group == "cell" => "block",
            Field::Values | Field::Whole => "cut",
            _ => "words",
        };
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_fieldnorms(true)
            .set_index_option(record);
        builder.add_text_field(field.name(), TextOptions::default().set_indexing_options(indexing));
    }
    let settings = IndexSettings { docstore_compression: Compressor::Lz4, ..IndexSettings::default() };
    Index::builder().schema(builder.build()).settings(settings).create_in_dir(dir).map(drop).map_err(tantivy)
}

pub(crate) fn register(index: &Index, analyzer: &Analyzer) {
    for (name, mode) in [("words", Mode::Words), ("block", Mode::Block), ("cut", Mode::Cut)] {
        let words = Words::new(analyzer, mode);
        index.tokenizers().register(name, TextAnalyzer::builder(words).build());
    }
}

#[derive(Clone, Copy)]
enum Mode {
    /// Free text.
    Words,
    /// The values of a block.
    Block,
    /// What [`Cut`] has cut already.
    Cut,
}

/// Our analysis behind the tokenizer interface of the index.
struct Words {
    analyzer: Analyzer,
    mode: Mode,
    stream: Stream,
    scratch: Scratch,
}

impl Clone for Words {
    fn clone(&self) -> Self {
        Words::new(&self.analyzer, self.mode)
    }
}

impl Words {
    fn new(analyzer: &Analyzer, mode: Mode) -> Self {
        Words { analyzer: analyzer.clone(), mode, stream: Stream::default(), scratch: analyzer.scratch() }
    }
}

/// Terms of one text, end to end in one buffer.
#[derive(Default)]
struct Stream {
    terms: String,
    ends: Vec<usize>,
    at: usize,
    token: Token,
}

impl Stream {
    fn push(&mut self, term: &str) {
        self.terms.push_str(term);
        self.ends.push(self.terms.len());
    }

    fn clear(&mut self) {
        self.terms.clear();
        self.ends.clear();
        self.at = 0;
    }
}

impl Tokenizer for Words {
    type TokenStream<'a> = &'a mut Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> &'a mut Stream {
        let Words { analyzer, mode, stream, scratch } = self;
        stream.clear();
        match mode {
            Mode::Words => analyzer.for_each_in_text(text, scratch, |term, _| stream.push(term)),
            Mode::Block => {
                for value in text.split(SEPARATOR) {
                    analyzer.for_each_in_value(value, scratch, |term, _| stream.push(term));
                }
                coarse::coarsen(&mut stream.terms, &mut stream.ends);
            }
            Mode::Cut => text.split(SEPARATOR).for_each(|term| stream.push(term)),
        }
        stream
    }
}

/// Cuts the values of a table: words and whole values in one go, so that no text is gone through twice.
pub(crate) struct Cut {
    analyzer: Analyzer,
    scratch: Scratch,
    whole: Whole,
}

impl Cut {
    pub(crate) fn new(analyzer: &Analyzer) -> Self {
        Cut { analyzer: analyzer.clone(), scratch: analyzer.scratch(), whole: Whole::default() }
    }

    /// The fields of the words and of the whole values.
    pub(crate) fn fields<'a>(&mut self, values: impl Iterator<Item = &'a str>) -> [(Field, String); 2] {
        let (mut words, mut wholes) = (String::new(), String::new());
        for value in values {
            self.analyzer.for_each_in_whole_value(value, &mut self.scratch, &mut self.whole, |term, _| {
                push(&mut words, term);
            });
            if let Some(key) = self.whole.key(MAX_WHOLE_WORDS) {
                push(&mut wholes, &whole_term(key));
            }
        }
        [(Field::Values, words), (Field::Whole, wholes)]
    }
}

fn push(text: &mut String, term: &str) {
    if !text.is_empty() {
        text.push(SEPARATOR);
    }
    text.push_str(term);
}

/// The term of a whole value: a short hash of its words, since long terms that few entries share cost the
/// most of all. Two values in a billion fall together.
pub(crate) fn whole_term(key: &str) -> String {
    const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    // FNV-1a, because the same text must give the same term in every build.
    let hash =
        key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let hash = hash ^ hash >> 32;
    (0..6).map(|i| char::from(DIGITS[(hash >> (6 * i)) as usize & 63])).collect()
}

impl TokenStream for &mut Stream {
    fn advance(&mut self) -> bool {
        let Some(&end) = self.ends.get(self.at) else { return false };
        let start = if self.at == 0 { 0 } else { self.ends[self.at - 1] };
        self.token.text.clear();
        let Stream { terms, token, .. } = &mut **self;
        token.text.push_str(&terms[start..end]);
        self.token.position = self.at;
        self.at += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

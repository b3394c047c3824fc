//! The sections of the configuration.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};
use tabletalk_engine::embed::Route;
use tabletalk_engine::recall::{Fusions, Similarity, Weights};
use tabletalk_engine::rerank::Words;
use tabletalk_store::analyze::{AnalyzerConfig, Language};

/// Where documents, words and vectors are kept, when that is not beside the library.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stores {
    /// Documents and words.
    pub segment: tabletalk_core::seam::remote::Settings,
    /// Vectors.
    pub vector: tabletalk_core::seam::remote::Settings,
    /// Files of large tables: a folder that all workers see, or `s3://bucket/folder`.
    pub tables: Option<String>,
    /// How the object store for files of large tables is reached.
    pub s3: tabletalk_core::seam::remote::S3Settings,
}

/// Where evaluations are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Eval {
    /// The folder of runs.
    pub dir: PathBuf,
}

impl Default for Eval {
    fn default() -> Self {
        Eval { dir: "evaluations".into() }
    }
}

/// How pictures and unclear tables are read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Read {
    /// What reads pages that are pictures.
    pub ocr: Engine,
    /// The languages tesseract reads; empty for those it has of English and Chinese.
    pub ocr_languages: Vec<String>,
    /// Whether a model looks at tables that the rules are unsure of.
    pub structure: bool,
}

/// What reads the text on pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The one that is there: PP-OCR in the models folder, else an installed tesseract.
    #[default]
    Auto,
    /// Nothing: pages that are pictures are not read.
    Off,
    /// PP-OCR in the models folder.
    Ppocr,
    /// An installed tesseract.
    Tesseract,
}

/// An embedding model under its embed key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embed {
    /// The embed key.
    pub key: String,
    /// The groups whose nodes it embeds.
    #[serde(default = "embedded_groups")]
    pub groups: Vec<String>,
    /// Which texts it is for: `any`, `chinese` or `other`.
    #[serde(default)]
    pub language: Route,
    /// Whether token vectors are kept too, for late interaction.
    #[serde(default)]
    pub late: bool,
    /// Whether sparse vectors are kept too, of a model that gives them.
    #[serde(default)]
    pub sparse: bool,
    /// The environment variable that holds the key of a remote model.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// The model.
    #[serde(default)]
    pub model: Model,
}

fn embedded_groups() -> Vec<String> {
    vec!["table".into(), "medium".into()]
}

impl Embed {
    pub(super) fn bundled(key: &str, model: &str, language: Route) -> Embed {
        let key = key.to_owned();
        Embed {
            key,
            groups: embedded_groups(),
            language,
            late: false,
            sparse: false,
            api_key_env: None,
            model: model.into(),
        }
    }
}

/// A model: its name or folder alone, or with all that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Model {
    /// `bundled:NAME`, a folder, or the name of a folder in `models_dir`.
    Name(String),
    /// A model with settings of its own.
    Settings(Box<tabletalk_model::Settings>),
}

impl From<&str> for Model {
    fn from(name: &str) -> Model {
        Model::Name(name.to_owned())
    }
}

impl Default for Model {
    fn default() -> Self {
        Model::Settings(Box::default())
    }
}

/// A language model, and how its replies are kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chat {
    /// The environment variable that holds the key of a remote model.
    pub api_key_env: Option<String>,
    /// The file that holds the key of a remote model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_file: Option<PathBuf>,
    /// Whether replies are kept in the library and given again to the same request.
    pub cache: bool,
    /// The most tokens that one question may cost, read and written together.
    pub budget_tokens: Option<u64>,
    /// A file to which every request and its reply are written, to be replayed later.
    pub record: Option<PathBuf>,
    /// The model.
    #[serde(flatten)]
    pub model: tabletalk_model::ChatSettings,
}

impl Chat {
    /// A model as it is without further settings.
    pub fn of(model: tabletalk_model::ChatSettings) -> Chat {
        Chat { api_key_env: None, api_key_file: None, cache: true, budget_tokens: None, record: None, model }
    }
}

impl<'de> Deserialize<'de> for Chat {
    /// Takes our own keys out first: what is left must all be known to the model's settings.
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Chat, D::Error> {
        use serde::de::Error as _;
        fn take<T: serde::de::DeserializeOwned>(
            all: &mut Map<String, Value>,
            key: &str,
        ) -> Result<Option<T>, serde_json::Error> {
            all.remove(key).map_or(Ok(None), serde_json::from_value)
        }
        let mut all = Map::deserialize(from)?;
        let read = |all: &mut Map<String, Value>| -> Result<Chat, serde_json::Error> {
            Ok(Chat {
                api_key_env: take(all, "api_key_env")?,
                api_key_file: take(all, "api_key_file")?,
                cache: take(all, "cache")?.unwrap_or(true),
                budget_tokens: take(all, "budget_tokens")?,
                record: take(all, "record")?,
                model: serde_json::from_value(Value::Object(std::mem::take(all)))?,
            })
        };
        read(&mut all).map_err(D::Error::custom)
    }
}

/// Where background articles on tables come from: another library, or an encyclopaedia.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reference {
    /// The folder of another library.
    pub library: Option<PathBuf>,
    /// The address of an encyclopaedia with MediaWiki's interface, such as `https://en.wikipedia.org`.
    pub wikipedia: Option<String>,
}

/// How `search` searches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// How nodes are compared: `bm25`, `cosine`, `late`, `sparse` or `hybrid`.
    pub similarity: Similarity,
    /// How keyword and vector search are made one.
    pub fusion: Fusions,
    /// Rerankers that hits go through.
    pub rerank: Vec<String>,
}

/// A reranker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Rerank {
    /// A model that reads query and passage together, local or behind a `/rerank` endpoint.
    Cross {
        /// Hits that it looks at.
        #[serde(default = "depth")]
        depth: usize,
        /// How much its score counts beside that of the search.
        #[serde(default = "half")]
        weight: f32,
        /// The environment variable that holds the key of a remote model.
        #[serde(default)]
        api_key_env: Option<String>,
        /// The model.
        model: Model,
    },
    /// Late interaction over token vectors.
    Late {
        /// Hits that it looks at.
        #[serde(default = "depth")]
        depth: usize,
        /// How much its score counts beside that of the search.
        #[serde(default = "half")]
        weight: f32,
        /// The embed key whose model is used; the one for the query's language when there is none.
        #[serde(default)]
        embed_key: Option<String>,
    },
    /// The language model of `[chat]`, which chooses the better of two passages.
    Pairwise {
        /// Hits that it looks at.
        #[serde(default = "few")]
        depth: usize,
        /// How much its order counts beside the score of the search.
        #[serde(default = "whole")]
        weight: f32,
        /// Places that it decides, from the first; the others keep their order.
        #[serde(default = "top")]
        top: usize,
    },
    /// Words that must be there and words that must not.
    Words(Words),
}

fn depth() -> usize {
    30
}

fn half() -> f32 {
    0.5
}

/// Hits that are compared with each other: each comparison is a request or two.
fn few() -> usize {
    10
}

fn whole() -> f32 {
    1.0
}

fn top() -> usize {
    3
}

/// Which files are added, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Add {
    /// Patterns of files to take; all when empty.
    pub include: Vec<String>,
    /// Patterns of files to leave out.
    pub exclude: Vec<String>,
    /// Whether hidden files and folders are looked into.
    pub hidden: bool,
    /// Threads that read; 0 for one each core.
    pub threads: usize,
}

/// How keyword search works.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keyword {
    /// How text is split into words: `auto`, `english` or `chinese`.
    pub language: Language,
    /// Chinese words of the user, one a line: `word frequency tag`.
    pub user_dictionary: Option<PathBuf>,
    /// Files of synonyms, a group a line: `a, b, c`, or one way: `a => b, c`.
    pub synonyms: Vec<PathBuf>,
    /// Whether the bundled synonyms add words to queries too.
    pub bundled_synonyms: bool,
    /// Words dropped from queries instead of the built-in ones, one a line.
    pub stop_words: Option<PathBuf>,
    /// The parameters of BM25 for tables, column descriptions, cells and text.
    pub weights: Weights,
}

impl Keyword {
    /// What the analyzer needs.
    pub fn analyzer(&self) -> AnalyzerConfig {
        AnalyzerConfig {
            language: self.language,
            user_dictionary: self.user_dictionary.clone(),
            synonyms: self.synonyms.clone(),
            stop_words: self.stop_words.clone(),
            bundled_synonyms: self.bundled_synonyms,
        }
    }

    /// Paths in the file are relative to it.
    pub(super) fn resolve(&mut self, base: &Path) {
        let paths = self.synonyms.iter_mut().chain(&mut self.user_dictionary).chain(&mut self.stop_words);
        for path in paths {
            *path = base.join(&path);
        }
    }
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Float,
    /// True or false.
    Boolean,
    /// A day.
    Date,
}

/// A field of the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocField {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// The most characters a text may have.
    #[serde(default)]
    pub max_length: Option<usize>,
    /// Whether a document has a list of them; written with `|` between them.
    #[serde(default)]
    pub many: bool,
    /// What it is where nobody said otherwise.
    #[serde(default)]
    pub default: Option<toml::Value>,
}

impl DocField {
    /// A value given as text, checked and typed.
    pub fn read(&self, text: &str) -> Result<Value> {
        match self.many {
            true => text.split('|').map(|one| self.read_one(one.trim())).collect(),
            false => self.read_one(text),
        }
    }

    fn read_one(&self, text: &str) -> Result<Value> {
        let wrong = |what: &str| Error::input(format!("field `{}`: `{text}` is not {what}", self.name));
        Ok(match self.kind {
            FieldType::Integer => json!(text.trim().parse::<i64>().map_err(|_| wrong("a whole number"))?),
            FieldType::Float => json!(text.trim().parse::<f64>().map_err(|_| wrong("a number"))?),
            FieldType::Boolean => json!(text.trim().parse::<bool>().map_err(|_| wrong("true or false"))?),
            FieldType::Date => {
                let date: jiff::civil::Date =
                    text.trim().parse().map_err(|_| wrong("a date such as 2023-09-01"))?;
                json!(date.to_string())
            }
            FieldType::Text => {
                if self.max_length.is_some_and(|most| text.chars().count() > most) {
                    return Err(wrong(&format!("at most {} characters long", self.max_length.unwrap_or(0))));
                }
                json!(text)
            }
        })
    }
}

/// A value of the file as it would be given on the command line.
pub(super) fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join("|"),
        other => other.to_string(),
    }
}

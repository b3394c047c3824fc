//! Configuration: one TOML file, overridden by environment variables, checked on load.

use crate::serving;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tabletalk_core::seam::Limits;
use tabletalk_core::{Error, Result};
use tabletalk_engine::Definition;
use tabletalk_engine::embed::{self, Route};
use tabletalk_engine::group::command::Program;
use tabletalk_engine::recall::strategy::Strategies;
use tabletalk_engine::recall::{Fusions, Similarity, Weights};
use tabletalk_engine::rerank::Words;
use tabletalk_store::analyze::{AnalyzerConfig, Language};

/// The name of the configuration file that is looked for in the current directory and above.
pub const FILE: &str = "tabletalk.toml";

/// The variable that lets a configuration run programs though it was not named.
const COMMANDS: &str = "TABLETALK_COMMANDS";

/// Everything that can be configured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What reading a file may cost.
    pub limits: Limits,
    /// How pictures and unclear tables are read.
    pub read: Read,
    /// Which files are added.
    pub add: Add,
    /// How keyword search works.
    pub keyword: Keyword,
    /// The embedding models, each under its embed key.
    pub embed: Vec<Embed>,
    /// What is embedded of a node, and how vectors are indexed.
    pub embedding: embed::Settings,
    /// How `search` searches.
    pub search: Search,
    /// Recall strategies, by name.
    pub strategy: Strategies,
    /// Rerankers, by name.
    pub rerank: BTreeMap<String, Rerank>,
    /// The language model; without one the built-in question parser answers.
    pub chat: Option<Chat>,
    /// How questions are answered.
    pub answer: tabletalk_engine::answer::Settings,
    /// How trees of summaries are made and searched.
    pub raptor: tabletalk_engine::raptor::Settings,
    /// How groups that a language model makes are asked for.
    pub make: tabletalk_engine::generate::Settings,
    /// What one SQL statement may cost.
    pub sql: tabletalk_sql::Limits,
    /// Where background articles on tables come from.
    pub reference: Reference,
    /// A folder with prompts that take the place of the built-in ones.
    pub prompts_dir: Option<PathBuf>,
    /// A folder in which models given by a bare name are looked for.
    pub models_dir: Option<PathBuf>,
    /// Groups of the user.
    pub group: Vec<Definition>,
    /// Fields of the user that documents can be filtered by.
    pub doc_fields: Vec<DocField>,
    /// Where documents, words and vectors are kept.
    pub store: Stores,
    /// Where evaluations are kept.
    pub eval: Eval,
    /// How libraries are served.
    pub server: serving::Server,
    /// Folders that are kept in step with a library while it is served.
    pub watch: Vec<serving::Watched>,
}

impl Default for Config {
    fn default() -> Self {
        let late = Rerank::Late { depth: 30, weight: 0.5, embed_key: None };
        let cross = Rerank::Cross { depth: 30, weight: 0.5, api_key_env: None, model: CROSS_ENCODER.into() };
        Config {
            limits: Limits::default(),
            read: Read::default(),
            add: Add::default(),
            keyword: Keyword::default(),
            embed: vec![
                Embed::bundled("en", "bundled:bge-small-en-v1.5", Route::Other),
                Embed::bundled("zh", "bundled:bge-small-zh-v1.5", Route::Chinese),
            ],
            embedding: embed::Settings::default(),
            search: Search::default(),
            strategy: Strategies::default(),
            rerank: [("late".to_owned(), late), ("cross".to_owned(), cross)].into(),
            chat: None,
            answer: Default::default(),
            raptor: Default::default(),
            make: Default::default(),
            sql: Default::default(),
            reference: Reference::default(),
            prompts_dir: None,
            models_dir: None,
            group: Vec::new(),
            doc_fields: Vec::new(),
            store: Stores::default(),
            eval: Eval::default(),
            server: Default::default(),
            watch: Vec::new(),
        }
    }
}

/// The cross-encoder that is looked for in the models folder.
const CROSS_ENCODER: &str = "ms-marco-MiniLM-L-12-v2";

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
    fn bundled(key: &str, model: &str, language: Route) -> Embed {
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
    /// Words that must be there and words that must not.
    Words(Words),
}

fn depth() -> usize {
    30
}

fn half() -> f32 {
    0.5
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

impl Config {
    /// Reads the file at `path`, or the one found in the current directory or above, then the environment:
    /// `TABLETALK_LIMITS__MAX_CELLS=1000` sets `max_cells` in `[limits]`.
    pub fn load(path: Option<&Path>) -> Result<Config> {
        let mut figment = Figment::from(Serialized::defaults(Config::default()));
        let found = path.map(Path::to_owned).or_else(|| find_above(FILE));
        if let Some(file) = &found {
            let text = std::fs::read_to_string(file).map_err(|e| Error::from(e).at(file.display()))?;
            figment = figment.merge(Toml::string(&text));
        }
        let environment = Env::prefixed("TABLETALK_").ignore(&["library", "config", "commands"]).split("__");
        let mut config: Config =
            figment.merge(environment).extract().map_err(|e| wrong(&e, found.as_deref()))?;
        if let Some(base) = found.as_deref().and_then(Path::parent) {
            config.keyword.resolve(base);
            config.programs().for_each(|program| base.clone_into(&mut program.dir));
        }
        config.check_programs(path.is_some())?;
        config.check()?;
        config.tie();
        Ok(config)
    }

    /// This configuration with some keys changed, checked like one that is read from a file.
    pub fn with(&self, changes: &toml::Table) -> Result<Config> {
        let figment = Figment::from(Serialized::defaults(self)).merge(Serialized::defaults(changes));
        let mut config: Config = figment.extract().map_err(|e| wrong(&e, None))?;
        // The folder of the file is no key of it.
        let dirs = self.group.iter().filter_map(|g| Some((&g.name, &g.transform.program()?.dir)));
        let dirs: BTreeMap<&String, &PathBuf> = dirs.collect();
        for group in &mut config.group {
            if let (Some(dir), Some(program)) = (dirs.get(&group.name), group.transform.program_mut()) {
                (*dir).clone_into(&mut program.dir);
            }
        }
        config.check()?;
        config.tie();
        Ok(config)
    }

    /// Tells answering what other parts say that it follows.
    fn tie(&mut self) {
        let answer = &mut self.answer;
        (answer.traversal, answer.branches) = (self.raptor.traversal, self.raptor.topk);
        answer.searched = self.search.similarity.clone();
        answer.strategies = self.strategy.clone();
    }

    fn programs(&mut self) -> impl Iterator<Item = &mut Program> {
        self.group.iter_mut().filter_map(|g| g.transform.program_mut())
    }

    /// A file that merely lies in a folder, which may be somebody else's, starts no program.
    fn check_programs(&mut self, is_named: bool) -> Result<()> {
        let is_allowed = is_named || std::env::var_os(COMMANDS).is_some_and(|v| v == "allow");
        match self.programs().next() {
            Some(program) if !is_allowed => {
                let what = program.command.join(" ");
                Err(Error::input(format!("the configuration that was found here wants to run `{what}`"))
                    .hint(format!("if it is yours, name it with --config {FILE}, or set {COMMANDS}=allow")))
            }
            _ => Ok(()),
        }
    }

    fn check(&self) -> Result<()> {
        let groups = tabletalk_engine::Groups::new(&self.group)?;
        for embed in &self.embed {
            for group in &embed.groups {
                groups.get(group).map_err(|e| e.at(format!("embed `{}`", embed.key)))?;
            }
        }
        for name in &self.search.rerank {
            if !self.rerank.contains_key(name) {
                return Err(Error::input(format!("search.rerank: there is no reranker `{name}`")));
            }
        }
        groups.get(&self.answer.passage_group).map_err(|e| e.at("answer.passage_group"))?;
        self.raptor.check()?;
        for field in &self.doc_fields {
            if let Some(default) = &field.default {
                field.read(&plain(default)).map_err(|e| e.at("doc_fields"))?;
            }
        }
        Ok(())
    }

    /// The user's fields with their defaults, and those given on the command line as `name=value`.
    pub fn fields(&self, given: &[String]) -> Result<Map<String, Value>> {
        let mut fields = Map::new();
        for field in &self.doc_fields {
            if let Some(default) = &field.default {
                fields.insert(field.name.clone(), field.read(&plain(default))?);
            }
        }
        for pair in given {
            let (name, text) = pair
                .split_once('=')
                .ok_or_else(|| Error::input(format!("`{pair}` is not a field")).hint("write name=value"))?;
            let value = match self.doc_fields.iter().find(|f| f.name == name) {
                Some(field) => field.read(text)?,
                None => {
                    return Err(Error::input(format!("there is no field `{name}`"))
                        .hint("define it under [[doc_fields]] in the configuration"));
                }
            };
            fields.insert(name.to_owned(), value);
        }
        Ok(fields)
    }
}

fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join("|"),
        other => other.to_string(),
    }
}

impl Keyword {
    /// Paths in the file are relative to it.
    fn resolve(&mut self, base: &Path) {
        let paths = self.synonyms.iter_mut().chain(&mut self.user_dictionary).chain(&mut self.stop_words);
        for path in paths {
            *path = base.join(&path);
        }
    }
}

fn wrong(error: &figment::Error, file: Option<&Path>) -> Error {
    let place = file.map_or("configuration".into(), |f| f.display().to_string());
    let key = error.path.join(".");
    let message = match key.is_empty() {
        true => error.kind.to_string(),
        false => format!("{key}: {}", error.kind),
    };
    Error::input(message).at(place)
}

/// The file of this name in the current directory or the nearest one above.
pub fn find_above(name: &str) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|dir| dir.join(name)).find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Config> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.toml");
        std::fs::write(&file, text).unwrap();
        Config::load(Some(&file))
    }

    #[test]
    fn names_the_key_that_is_wrong() {
        let message = load("[keyword.weights.table]\nk1 = \"much\"").unwrap_err().to_string();
        assert!(message.contains("keyword.weights.table.k1"), "{message}");
        let message = load("[limit]\nmax_cells = 5").unwrap_err().to_string();
        assert!(message.contains("limit"), "{message}");
    }

    #[test]
    fn some_keys_can_be_changed() {
        let base = load("[answer]\nsamples = 3\n[search]\nsimilarity = \"cosine\"").unwrap();
        let changes = toml::from_str("answer.filter = \"meaning\"").unwrap();
        let changed = base.with(&changes).unwrap();
        assert_eq!((changed.answer.samples, changed.search.similarity), (3, Similarity::Cosine));
        assert_ne!(changed.answer.filter, base.answer.filter);
        assert_eq!(base.with(&toml::Table::new()).unwrap(), base);
        let wrong = toml::from_str("answer.filtre = \"meaning\"").unwrap();
        assert!(base.with(&wrong).unwrap_err().to_string().contains("filtre"));
    }

    #[test]
    fn reads_groups_and_fields() {
        let config = load(
            "[[group]]\nname = \"page\"\ntransform = { type = \"length\", length = 400, overlap = 40 }\n\
             [[doc_fields]]\nname = \"year\"\ntype = \"integer\"\ndefault = 2020",
        )
        .unwrap();
        assert_eq!(config.group[0].parent, "root");
        assert_eq!(config.fields(&["year=2024".into()]).unwrap()["year"], json!(2024));
        assert_eq!(config.fields(&[]).unwrap()["year"], json!(2020));
        let many = load("[[doc_fields]]\nname = \"tag\"\ntype = \"integer\"\nmany = true\ndefault = [1, 2]")
            .unwrap();
        assert_eq!(many.fields(&[]).unwrap()["tag"], json!([1, 2]));
        assert_eq!(many.fields(&["tag=7|8".into()]).unwrap()["tag"], json!([7, 8]));
        assert!(many.fields(&["tag=7|x".into()]).unwrap_err().to_string().contains("`x`"));
        assert!(config.fields(&["year=soon".into()]).unwrap_err().to_string().contains("whole number"));
    }
}

//! Configuration: one TOML file, overridden by environment variables, checked on load.

mod sections;

pub use sections::{
    Add, Chat, DocField, Embed, Engine, Eval, FieldType, Keyword, Model, Read, Reference, Rerank, Search,
    Stores,
};

use crate::serving;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use sections::plain;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tabletalk_core::seam::Limits;
use tabletalk_core::{Error, Result};
use tabletalk_engine::Definition;
use tabletalk_engine::embed::{self, Route};
use tabletalk_engine::group::command::Program;
use tabletalk_engine::recall::strategy::Strategies;

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
    use serde_json::json;
    use tabletalk_engine::recall::Similarity;

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

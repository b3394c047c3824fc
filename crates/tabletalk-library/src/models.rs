//! From configuration to models that are made when they are first needed.

use crate::config::{self, Config, Embed, Model, Rerank, find_above};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Result};
use tabletalk_engine::embed::{Embedders, Slot};
use tabletalk_engine::prompt::Prompts;
use tabletalk_engine::rerank::{Pairwise, Reranker, Rerankers};
use tabletalk_engine::{Groups, Transform};
use tabletalk_model::chat::{Cached, Recorded};
use tabletalk_model::{ChatProvider, Provider, Secret, Settings};
use tabletalk_store::Library as Store;

/// Where the script that fetches models puts them.
const FETCHED: &str = "models/fetched";

/// The embedding models. A tree of summaries is embedded by the models of the group it is made over.
pub(crate) fn embedders(config: &Config, groups: &Groups) -> Result<Embedders> {
    let folder = dir(config);
    let slot = |embed: &Embed| {
        let mut names = embed.groups.clone();
        for group in groups.all().iter().filter(|g| g.transform == Transform::Raptor) {
            if names.contains(&group.parent) && !names.contains(&group.name) {
                names.push(group.name.clone());
            }
        }
        let settings = settings(&embed.model, folder.as_deref());
        let variable = embed.api_key_env.clone();
        let load = move || tabletalk_model::embedder(&with_key(&settings, variable.as_deref())?);
        Slot::new(&embed.key, &names, embed.language, embed.late, load).with_sparse(embed.sparse)
    };
    Embedders::new(config.embed.iter().map(slot).collect(), config.embedding.clone())
}

pub(crate) fn rerankers(config: &Config, chat: &Arc<LazyChat>, prompts: &Prompts) -> Rerankers {
    let folder = dir(config);
    let mut all = Rerankers::default();
    for (name, rerank) in &config.rerank {
        all.add(match rerank {
            Rerank::Words(words) => Reranker::words(name, words.clone()),
            Rerank::Late { depth, weight, embed_key } => {
                Reranker::late(name, *depth, *weight, embed_key.clone())
            }
            Rerank::Cross { depth, weight, api_key_env, model } => {
                let (settings, variable) = (settings(model, folder.as_deref()), api_key_env.clone());
                Reranker::cross(name, *depth, *weight, move || {
                    tabletalk_model::scorer(&with_key(&settings, variable.as_deref())?)
                })
            }
            Rerank::Pairwise { depth, weight, top } => {
                let (chat, prompts, top) = (chat.clone(), prompts.clone(), *top);
                Reranker::cross(name, *depth, *weight, move || {
                    Ok(Box::new(Pairwise::new(chat.needed()?, prompts.clone(), top)))
                })
            }
        });
    }
    all
}

/// The language model of a library, made when it is first needed.
pub(crate) struct LazyChat {
    settings: Option<config::Chat>,
    cache: PathBuf,
    dir: Option<PathBuf>,
    made: OnceLock<Arc<dyn Chat>>,
}

impl LazyChat {
    pub(crate) fn new(config: &Config, store: &Store) -> LazyChat {
        // Where nothing may be written, nothing is kept.
        let kept =
            |chat: &config::Chat| config::Chat { cache: chat.cache && !store.is_read_only(), ..chat.clone() };
        LazyChat {
            settings: config.chat.as_ref().map(kept),
            cache: chat_cache(store),
            dir: dir(config),
            made: OnceLock::new(),
        }
    }

    pub(crate) fn get(&self) -> Result<Option<&Arc<dyn Chat>>> {
        let Some(settings) = &self.settings else { return Ok(None) };
        if self.made.get().is_none() {
            let _ = self.made.set(Arc::from(chat(settings, &self.cache, self.dir.as_deref())?));
        }
        Ok(self.made.get())
    }

    /// The model; an error that says what to do when there is none.
    pub(crate) fn needed(&self) -> Result<Arc<dyn Chat>> {
        self.get()?.cloned().ok_or_else(no_chat)
    }
}

pub(crate) fn no_chat() -> Error {
    Error::missing("no language model is configured").hint("add a [chat] section to tabletalk.toml")
}

/// Where the replies of a library's language model are kept.
pub(crate) fn chat_cache(store: &Store) -> PathBuf {
    store.dir().join("chat.sqlite")
}

/// The language model, with its recording and its cache.
pub(crate) fn chat(settings: &config::Chat, cache: &Path, dir: Option<&Path>) -> Result<Box<dyn Chat>> {
    let mut model = settings.model.clone();
    if let Some(variable) = &settings.api_key_env {
        model.api_key = Some(key(variable)?);
    } else if let Some(file) = &settings.api_key_file {
        let text = std::fs::read_to_string(file).map_err(|e| Error::from(e).at(file.display()))?;
        model.api_key = Some(Secret::new(text.trim()));
    }
    let is_bare = !model.model.contains(['/', '\\']) && !Path::new(&model.model).exists();
    if let Some(dir) = dir.filter(|_| model.provider == ChatProvider::Gguf && is_bare) {
        model.model = dir.join(&model.model).to_string_lossy().into_owned();
    }
    let mut chat = tabletalk_model::chat(&model)?;
    if let Some(file) = &settings.record {
        chat = Box::new(Recorded::create(file, chat)?);
    }
    Ok(if settings.cache { Box::new(Cached::open(cache, chat)?) } else { chat })
}

/// The folder that was configured, or the one the script fills, here or above.
pub(crate) fn dir(config: &Config) -> Option<PathBuf> {
    config.models_dir.clone().or_else(|| find_above(FETCHED))
}

/// A local model that is no path is looked for in the models folder.
fn settings(model: &Model, dir: Option<&Path>) -> Settings {
    let mut settings = match model {
        Model::Name(name) => Settings::local(name),
        Model::Settings(settings) => (**settings).clone(),
    };
    let is_bare = !settings.model.starts_with("bundled:") && !settings.model.contains(['/', '\\']);
    if settings.provider == Provider::Local && is_bare && !Path::new(&settings.model).exists() {
        let place = dir.map_or_else(|| Path::new(FETCHED).join(&settings.model), |d| d.join(&settings.model));
        settings.model = place.to_string_lossy().into_owned();
    }
    settings
}

fn with_key(settings: &Settings, variable: Option<&str>) -> Result<Settings> {
    let Some(variable) = variable else { return Ok(settings.clone()) };
    Ok(Settings { api_key: Some(key(variable)?), ..settings.clone() })
}

/// Keys come from the environment and are kept nowhere else.
fn key(variable: &str) -> Result<Secret> {
    let key = std::env::var(variable).map_err(|_| {
        Error::missing(format!("the environment has no {variable}"))
            .hint("set it to the key of the model's provider")
    })?;
    Ok(Secret::new(key))
}

//! From configuration to models that are made when they are first needed.

use crate::config::{Config, Embed, Model, Rerank, find_above};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};
use tabletalk_engine::embed::{Embedders, Slot};
use tabletalk_engine::rerank::{Reranker, Rerankers};
use tabletalk_model::{Provider, Secret, Settings};

/// Where the script that fetches models puts them.
const FETCHED: &str = "models/fetched";

/// The embedding models.
pub(crate) fn embedders(config: &Config) -> Result<Embedders> {
    let dir = models_dir(config);
    let slot = |embed: &Embed| {
        let settings = settings(&embed.model, dir.as_deref());
        let variable = embed.api_key_env.clone();
        Slot::new(&embed.key, &embed.groups, embed.language, embed.late, move || {
            tabletalk_model::embedder(&with_key(&settings, variable.as_deref())?)
        })
    };
    Embedders::new(config.embed.iter().map(slot).collect(), config.embedding.clone())
}

/// The rerankers.
pub(crate) fn rerankers(config: &Config) -> Rerankers {
    let dir = models_dir(config);
    let mut all = Rerankers::default();
    for (name, rerank) in &config.rerank {
        all.add(match rerank {
            Rerank::Words(words) => Reranker::words(name, words.clone()),
            Rerank::Late { depth, weight, embed_key } => {
                Reranker::late(name, *depth, *weight, embed_key.clone())
            }
            Rerank::Cross { depth, weight, api_key_env, model } => {
                let (settings, variable) = (settings(model, dir.as_deref()), api_key_env.clone());
                Reranker::cross(name, *depth, *weight, move || {
                    tabletalk_model::scorer(&with_key(&settings, variable.as_deref())?)
                })
            }
        });
    }
    all
}

/// The folder that was configured, or the one the script fills, here or above.
fn models_dir(config: &Config) -> Option<PathBuf> {
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

/// Keys come from the environment and are kept nowhere else.
fn with_key(settings: &Settings, variable: Option<&str>) -> Result<Settings> {
    let Some(variable) = variable else { return Ok(settings.clone()) };
    let key = std::env::var(variable).map_err(|_| {
        Error::missing(format!("the environment has no {variable}"))
            .hint("set it to the key of the model's provider")
    })?;
    Ok(Settings { api_key: Some(Secret::new(key)), ..settings.clone() })
}

//! What a library has made of its nodes: trees of summaries, and groups that a language model makes.

use crate::{Built, Library, Result, Scope, Tree, Watch};
use serde_json::{Map, Value};
use tabletalk_core::Error;
use tabletalk_core::seam::Chat;
use tabletalk_engine::generate::{self, Confirm};
use tabletalk_engine::raptor::{self, Job, Settings, Summaries};

/// How a tree is built, where it differs from what is configured.
#[derive(Debug, Clone)]
pub struct Building {
    /// The group of the tree.
    pub group: String,
    /// What one tree is made over.
    pub scope: Option<Scope>,
    /// Begin anew.
    pub rebuild: bool,
    /// Take sentences even when there is a language model.
    pub no_model: bool,
    /// Keys of `[raptor]` that differ for this build.
    pub settings: Map<String, Value>,
}

impl Default for Building {
    fn default() -> Self {
        let (group, settings) = (raptor::GROUP.into(), Map::new());
        Building { group, scope: None, rebuild: false, no_model: false, settings }
    }
}

/// Puts keys over others, objects within objects too.
fn merge(all: &mut Value, over: &Map<String, Value>) {
    let Some(all) = all.as_object_mut() else { return };
    for (key, value) in over {
        match (all.get_mut(key), value.as_object()) {
            (Some(inner), Some(over)) if inner.is_object() => merge(inner, over),
            _ => drop(all.insert(key.clone(), value.clone())),
        }
    }
}

impl Library {
    /// Builds a tree of summaries, or brings it up to date. `confirm` is asked before many requests to a model.
    pub fn build_tree(&self, building: &Building, confirm: Confirm<'_>, watch: &dyn Watch) -> Result<Built> {
        let settings = &self.tree_settings(building)?;
        let chat = self.summing_chat(building.no_model)?;
        let _guard = self.store.lock()?;
        self.tree_job(building, settings, chat, confirm).and_then(|job| raptor::build(&job, watch))
    }

    /// How a tree is built: as configured, save for what this build says, which is checked like a configuration.
    pub fn tree_settings(&self, building: &Building) -> Result<Settings> {
        let mut all = serde_json::to_value(&self.config.raptor)?;
        merge(&mut all, &building.settings);
        let wrong = |e: serde_json::Error| Error::input(format!("settings: {e}"));
        let settings: Settings = serde_json::from_value(all).map_err(wrong)?;
        settings.check()?;
        Ok(Settings { scope: building.scope.unwrap_or(settings.scope), ..settings })
    }

    fn tree_job<'a>(
        &'a self,
        building: &Building,
        settings: &'a Settings,
        chat: Option<&'a dyn Chat>,
        confirm: Confirm<'a>,
    ) -> Result<Job<'a>> {
        raptor::check_tree(&self.groups, &building.group)?;
        Ok(Job {
            library: &self.store,
            groups: &self.groups,
            group: self.groups.get(&building.group)?,
            embedders: &self.embedders,
            prompts: &self.prompts,
            chat,
            settings,
            rebuild: building.rebuild,
            confirm,
        })
    }

    fn summing_chat(&self, no_model: bool) -> Result<Option<&dyn Chat>> {
        match self.config.raptor.summaries {
            _ if no_model => Ok(None),
            Summaries::Extract => Ok(None),
            Summaries::Model => self.needed_chat().map(Some),
            Summaries::Auto => self.chat(),
        }
    }

    /// The trees of a group.
    pub fn trees(&self, group: &str) -> Result<Vec<Tree>> {
        raptor::trees(&self.store, &self.groups, group)
    }

    /// How near the leaves of a tree are to the others of their clusters, as the mean cosine with the centre.
    pub fn cohesion(&self, group: &str, tree: &Tree) -> Result<f32> {
        let building = Building { group: group.to_owned(), ..Building::default() };
        let settings = &self.tree_settings(&building)?;
        let job = self.tree_job(&building, settings, None, &|_| Ok(true))?;
        raptor::cohesion(&job, tree)
    }

    /// Has the language model make the nodes of a group. `confirm` is asked before many requests.
    pub fn make(
        &self,
        group: &str,
        confirm: Confirm<'_>,
        watch: &dyn Watch,
    ) -> Result<generate::group::Made> {
        let group = self.groups.get(group)?;
        if !group.transform.is_asked() {
            let hint = match group.transform {
                tabletalk_engine::Transform::Raptor => "`tabletalk raptor build` builds it",
                tabletalk_engine::Transform::Clarification => "`tabletalk clarify` makes it",
                _ => "its nodes are made when documents are added",
            };
            let message = format!("group `{}` is not made by asking a language model", group.name);
            return Err(Error::input(message).hint(hint));
        }
        let chat = self.needed_chat()?;
        let _guard = self.store.lock()?;
        let job = generate::group::Job {
            library: &self.store,
            groups: &self.groups,
            group,
            prompts: &self.prompts,
            chat,
            settings: &self.config.make,
            confirm,
        };
        generate::group::run(&job, watch)
    }
}

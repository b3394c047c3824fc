//! What building a tree needs, and how far it is.

use super::Settings;
use crate::embed::{Embedders, Slot};
use crate::generate::Confirm;
use crate::group::{Definition, Groups};
use crate::prompt::Prompts;
use crate::watch::Watch;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;
use tabletalk_core::chat::Usage;
use tabletalk_core::seam::{Chat, Embed};
use tabletalk_store::Library;

/// What building needs.
pub struct Job<'a> {
    /// Where the nodes are.
    pub library: &'a Library,
    /// The groups there are.
    pub groups: &'a Groups,
    /// The group that is built.
    pub group: &'a Definition,
    /// The embedding models.
    pub embedders: &'a Embedders,
    /// What is said to a language model.
    pub prompts: &'a Prompts,
    /// The language model that sums up; sentences are taken where there is none.
    pub chat: Option<&'a dyn Chat>,
    /// How trees are made.
    pub settings: &'a Settings,
    /// Whether to begin anew instead of changing what is there.
    pub rebuild: bool,
    /// Says whether a long run may begin.
    pub confirm: Confirm<'a>,
}

/// What came of building.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Built {
    /// Trees there are now.
    pub trees: u64,
    /// Leaves below them.
    pub leaves: u64,
    /// Summaries that were made.
    pub summaries_new: u64,
    /// Summaries that stayed as they were.
    pub summaries_kept: u64,
    /// Clusters that the model did not sum up, so that sentences were taken, and why.
    pub failed: Vec<String>,
    /// What it cost.
    pub usage: Usage,
    /// Whether the cost was agreed to.
    #[serde(skip)]
    pub(super) confirmed: bool,
    /// Leaves below all trees, those that come later too.
    #[serde(skip)]
    pub(super) all_leaves: u64,
}

/// A tree on its way.
pub(super) struct Work<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) watch: &'a dyn Watch,
    pub(super) slot: &'a Slot,
    pub(super) model: Arc<dyn Embed>,
    /// The document it is made over; empty for the library.
    pub(super) document: String,
    /// What is put before texts when they are embedded.
    pub(super) title: String,
    pub(super) made_with: String,
    pub(super) texts: Texts<'a>,
    /// The number of the next summary.
    pub(super) next: u64,
    pub(super) built: &'a mut Built,
}

/// Where the texts of nodes come from: summaries of the tree in work, else the catalogue.
pub(super) struct Texts<'a> {
    pub(super) library: &'a Library,
    pub(super) summaries: HashMap<String, String>,
}

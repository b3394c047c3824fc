//! A tree as it stands in the catalogue: summaries are nodes, and their fields say what is below them.

use crate::group::{Definition, Groups, Transform};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use tabletalk_core::{Error, Node, Place, Result};
pub(super) use tabletalk_store::tree::print;
use tabletalk_store::{Catalog, Library};

/// What made a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A language model.
    Model,
    /// Sentences were taken from the texts.
    Extract,
}

/// A node that a summary was made from, and how its text was then.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Child {
    /// The id of the node.
    pub id: String,
    /// Tells its text from every other.
    pub print: String,
}

/// A summary in a tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The id of its node.
    pub id: String,
    /// How many layers it stands above the leaves.
    pub layer: u32,
    /// The text.
    pub text: String,
    /// What made it.
    pub by: By,
    /// The embed key by whose vectors its children were put together.
    pub embed: String,
    /// What it was made from.
    pub children: Vec<Child>,
    /// Names the settings it was made with.
    pub made_with: String,
}

impl Summary {
    /// As a node of a group. `file` is shown as its place.
    pub(super) fn node(&self, group: &str, file: &str) -> Node {
        let ids: Vec<&str> = self.children.iter().map(|c| c.id.as_str()).collect();
        let prints: Vec<&str> = self.children.iter().map(|c| c.print.as_str()).collect();
        let fields = json!({
            "layer": self.layer,
            "by": self.by,
            "embed": self.embed,
            "children": ids,
            "prints": prints.join(" "),
            "made_with": self.made_with,
        });
        Node {
            id: self.id.clone(),
            group: group.to_owned(),
            parent: String::new(),
            place: Place::file(file),
            text: self.text.clone(),
            fields: fields.as_object().cloned().unwrap_or_default(),
        }
    }

    /// From a node; `None` when it is no summary of a tree.
    pub fn of(node: &Node) -> Option<Summary> {
        let text = |name: &str| node.fields.get(name)?.as_str().map(str::to_owned);
        let ids = node.fields.get("children")?.as_array()?.iter().filter_map(|id| id.as_str());
        let prints = text("prints").unwrap_or_default();
        let prints = prints.split(' ').chain(std::iter::repeat(""));
        let child = |(id, print): (&str, &str)| Child { id: id.to_owned(), print: print.to_owned() };
        Some(Summary {
            id: node.id.clone(),
            layer: node.fields.get("layer")?.as_u64()? as u32,
            text: node.text.clone(),
            by: serde_json::from_value(node.fields.get("by")?.clone()).ok()?,
            embed: text("embed")?,
            children: ids.zip(prints).map(child).collect(),
            made_with: text("made_with").unwrap_or_default(),
        })
    }
}

/// The children of a node of a tree, by id; none for a leaf.
pub fn children(node: &Node) -> Vec<&str> {
    let children = node.fields.get("children").and_then(|c| c.as_array());
    children.into_iter().flatten().filter_map(|id| id.as_str()).collect()
}

/// The summaries of one tree, lower layers first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tree {
    /// The document it is made over; empty for the library.
    pub document: String,
    /// The embed key by whose vectors it was made.
    pub embed: String,
    /// The summaries.
    pub summaries: Vec<Summary>,
}

impl Tree {
    /// How many layers there are above the leaves.
    pub fn layers(&self) -> u32 {
        self.summaries.iter().map(|s| s.layer).max().unwrap_or(0)
    }

    /// Summaries that no other was made from.
    pub fn roots(&self) -> Vec<&Summary> {
        let below: HashSet<&str> = self.summaries.iter().flat_map(ids).collect();
        self.summaries.iter().filter(|s| !below.contains(s.id.as_str())).collect()
    }

    /// The leaves below a summary, each once, in the order they are met.
    pub fn leaves<'a>(&'a self, id: &'a str) -> Vec<&'a str> {
        let by_id: HashMap<&str, &Summary> = self.summaries.iter().map(|s| (s.id.as_str(), s)).collect();
        let (mut leaves, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match by_id.get(id) {
                Some(summary) => open.extend(ids(summary).rev()),
                None => leaves.push(id),
            }
        }
        leaves
    }
}

impl Tree {
    /// How many leaves are below each summary.
    pub fn leaf_counts(&self) -> HashMap<&str, usize> {
        let mut sets: HashMap<&str, HashSet<&str>> = HashMap::new();
        let mut in_order: Vec<&Summary> = self.summaries.iter().collect();
        in_order.sort_by_key(|s| s.layer);
        for summary in in_order {
            let mut below = HashSet::new();
            for id in ids(summary) {
                match sets.get(id) {
                    Some(set) => below.extend(set),
                    None => {
                        below.insert(id);
                    }
                }
            }
            sets.insert(&summary.id, below);
        }
        sets.into_iter().map(|(id, set)| (id, set.len())).collect()
    }
}

fn ids(summary: &Summary) -> impl DoubleEndedIterator<Item = &str> {
    summary.children.iter().map(|c| c.id.as_str())
}

/// The id of the library's own document that holds the summaries over all documents.
pub(crate) fn own_document(group: &str) -> String {
    format!("~{group}")
}

/// The group of this name; an error when it is no tree.
pub fn check_tree<'a>(groups: &'a Groups, name: &str) -> Result<&'a Definition> {
    let group = groups.get(name)?;
    match group.transform {
        Transform::Raptor => Ok(group),
        _ => Err(Error::input(format!("group `{name}` is not a tree of summaries"))
            .hint("`tabletalk groups` lists the groups and how they are made")),
    }
}

/// The trees of a group, that of the library first.
pub fn trees(library: &Library, groups: &Groups, name: &str) -> Result<Vec<Tree>> {
    let group = check_tree(groups, name)?;
    let catalog = library.catalog()?;
    let mut all = Vec::new();
    for (document, key) in catalog.documents_with(name)? {
        let shown = if document == own_document(name) { "" } else { document.as_str() };
        all.extend(of_document(&catalog, group, key, shown)?);
    }
    all.sort_by(|a: &Tree, b: &Tree| a.document.cmp(&b.document).then(a.embed.cmp(&b.embed)));
    Ok(all)
}

/// The trees in one document, one for each embed key.
pub(super) fn of_document(
    catalog: &Catalog,
    group: &Definition,
    key: i64,
    document: &str,
) -> Result<Vec<Tree>> {
    let mut trees: Vec<Tree> = Vec::new();
    for (_, node) in catalog.nodes_of(key, Some(&group.name))? {
        let Some(summary) = Summary::of(&node) else { continue };
        match trees.iter_mut().find(|t| t.embed == summary.embed) {
            Some(tree) => tree.summaries.push(summary),
            None => trees.push(Tree {
                document: document.to_owned(),
                embed: summary.embed.clone(),
                summaries: vec![summary],
            }),
        }
    }
    for tree in &mut trees {
        tree.summaries.sort_by_key(|s| s.layer);
    }
    Ok(trees)
}

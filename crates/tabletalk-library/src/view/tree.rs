//! Trees of summaries.

use crate::tree::Summary;
use crate::{Library, Result, Tree};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The name of the document that a tree is over.
pub fn tree_name(library: &Library, tree: &Tree) -> Result<String> {
    Ok(match tree.document.is_empty() {
        true => "the library".into(),
        false => {
            let record = library.store().catalog()?.record(&tree.document)?;
            record.map_or_else(|| tree.document.clone(), |r| r.name)
        }
    })
}

/// How many passages a tree is over.
pub fn leaf_count(tree: &Tree) -> usize {
    let first = tree.summaries.iter().filter(|s| s.layer == 1);
    first.flat_map(|s| s.children.iter().map(|c| c.id.as_str())).collect::<HashSet<_>>().len()
}

/// A tree, or what of it is below one node.
pub fn tree(library: &Library, tree: &Tree, id: Option<&str>) -> Result<Value> {
    let wanted: Option<HashSet<&str>> = id.map(|id| below(tree, id));
    let is_wanted = |s: &&Summary| wanted.as_ref().is_none_or(|w| w.contains(s.id.as_str()));
    let counts = tree.leaf_counts();
    let node = |s: &Summary| {
        let children: Vec<&str> = s.children.iter().map(|c| c.id.as_str()).collect();
        let leaves = counts.get(s.id.as_str());
        json!({"id": s.id, "layer": s.layer, "by": s.by, "text": s.text, "children": children, "leaves": leaves})
    };
    Ok(json!({
        "document": tree.document, "name": tree_name(library, tree)?, "embed": tree.embed,
        "layers": tree.layers(), "leaves": leaf_count(tree),
        "roots": tree.roots().iter().map(|s| s.id.as_str()).collect::<Vec<_>>(),
        "nodes": tree.summaries.iter().filter(is_wanted).map(node).collect::<Vec<_>>(),
    }))
}

/// A node and all summaries below it.
fn below<'a>(tree: &'a Tree, id: &'a str) -> HashSet<&'a str> {
    let by_id: HashMap<&str, &Summary> = tree.summaries.iter().map(|s| (s.id.as_str(), s)).collect();
    let (mut seen, mut open) = (HashSet::new(), vec![id]);
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(by_id.get(id).into_iter().flat_map(|s| s.children.iter().map(|c| c.id.as_str())));
        }
    }
    seen
}

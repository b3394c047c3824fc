//! Answering with another group than the one that was searched.

use super::Candidate;
use super::node::Ref;
use std::collections::HashMap;
use tabletalk_core::{Node, Result};
use tabletalk_store::Library;

/// The nodes of the target group that the found ones belong to, the best score kept.
pub(crate) fn map(library: &Library, found: Vec<Candidate>, target: &str) -> Result<Vec<Candidate>> {
    let mut mapped: Vec<Candidate> = Vec::new();
    for candidate in found {
        let Some(node) = owner(library, &candidate.node, target)? else { continue };
        mapped.push(Candidate { node, ..candidate });
    }
    Ok(best_of(mapped, Vec::new()))
}

/// Both lists as one, the best score of each node kept.
pub(crate) fn best_of(first: Vec<Candidate>, second: Vec<Candidate>) -> Vec<Candidate> {
    let mut at: HashMap<Ref, usize> = HashMap::new();
    let mut best: Vec<Candidate> = Vec::new();
    for candidate in first.into_iter().chain(second) {
        match at.get(&candidate.node) {
            Some(&i) if best[i].score >= candidate.score => {}
            Some(&i) => best[i] = candidate,
            None => {
                at.insert(candidate.node.clone(), best.len());
                best.push(candidate);
            }
        }
    }
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    best
}

fn owner(library: &Library, node: &Ref, target: &str) -> Result<Option<Ref>> {
    let document = node.document();
    Ok(match (target, node.table(), node) {
        ("root", _, _) => Some(Ref::Root { document }),
        ("table", Some(table), _) => Some(Ref::Table { document, table }),
        ("schema", Some(table), _) => node.col().map(|col| Ref::Schema { document, table, col }),
        ("column", Some(table), _) => node.col().map(|col| Ref::Column { document, table, col }),
        ("row", Some(table), Ref::Cell { value, .. }) => Some(Ref::Row { document, table, at: value.first }),
        (_, None, Ref::Node { key, .. }) => text_owner(library, document, *key, target)?,
        _ => None,
    })
}

/// The node of the target group that a stored node stands in: one above it, or one whose text holds it.
fn text_owner(library: &Library, document: i64, key: i64, target: &str) -> Result<Option<Ref>> {
    let catalog = library.catalog()?;
    let Some(node) = catalog.node(key)? else { return Ok(None) };
    let nodes = catalog.nodes_of(document, Some(target))?;
    let tables = if target == "table" { catalog.tables_of(document)? } else { Vec::new() };
    let mut above = node.parent.clone();
    while !above.is_empty() {
        if let Some(table) = tables.iter().find(|t| t.id == above) {
            return Ok(Some(Ref::Table { document, table: table.key }));
        }
        if let Some((key, _)) = nodes.iter().find(|(_, n)| n.id == above) {
            return Ok(Some(Ref::Node { document, key: *key }));
        }
        above = catalog.node_by_id(&above)?.map_or(String::new(), |n| n.parent);
    }
    let holds = |n: &Node| n.text.contains(&node.text) || shares_lines(n, &node);
    Ok(nodes.iter().find(|(_, n)| holds(n)).map(|(key, _)| Ref::Node { document, key: *key }))
}

fn shares_lines(outer: &Node, inner: &Node) -> bool {
    match (outer.place.lines, inner.place.lines) {
        (Some((a, b)), Some((c, d))) => a <= c && d <= b,
        _ => false,
    }
}

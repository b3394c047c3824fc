//! Nodes of tables that were made lately. A table under a key never changes: one that is read again gets
//! another key. So a node made from it stays right for as long as the table is there.

use quick_cache::Weighter;
use quick_cache::sync::Cache as Quick;
use serde_json::Value;
use std::sync::Arc;
use tabletalk_core::Node;

/// The most bytes that are kept.
const MOST_BYTES: u64 = 32 << 20;
/// About how many bytes a node takes.
const BYTES_OF_ONE: u64 = 2 << 10;

/// Nodes by the keys of their tables.
pub struct Cache {
    nodes: Quick<i64, Arc<Node>, Bytes>,
}

impl Default for Cache {
    fn default() -> Self {
        let nodes = (MOST_BYTES / BYTES_OF_ONE) as usize;
        Cache { nodes: Quick::with_weighter(nodes, MOST_BYTES, Bytes) }
    }
}

impl Cache {
    /// The node of a table, when it was made lately. Whether the table is still there is for the caller to see.
    pub fn get(&self, table: i64) -> Option<Arc<Node>> {
        self.nodes.get(&table)
    }

    /// Keeps the node of a table, in the place of others when there is no more room.
    pub fn put(&self, table: i64, node: &Node) {
        self.nodes.insert(table, Arc::new(node.clone()));
    }
}

/// Counts the bytes of nodes.
#[derive(Clone)]
struct Bytes;

impl Weighter<i64, Arc<Node>> for Bytes {
    fn weight(&self, _: &i64, node: &Arc<Node>) -> u64 {
        let fields: usize = node.fields.iter().map(|(name, value)| name.len() + bytes_of(value)).sum();
        (size_of::<Node>() + node.id.len() + node.text.len() + fields) as u64
    }
}

fn bytes_of(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(text) => text.len(),
            Value::Array(all) => all.iter().map(bytes_of).sum(),
            _ => 0,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(letters: usize) -> Node {
        Node { text: "x".repeat(letters), ..Node::default() }
    }

    #[test]
    fn what_was_put_is_there_again() {
        let cache = Cache::default();
        assert!(cache.get(1).is_none());
        cache.put(1, &node(3));
        assert_eq!(cache.get(1).unwrap().text, "xxx");
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let cache = Cache::default();
        for table in 0..100 {
            cache.put(table, &node(1 << 20));
        }
        let kept = (0..100).filter(|table| cache.get(*table).is_some()).count() as u64;
        assert!(kept > 0 && kept <= MOST_BYTES >> 20, "{kept} nodes of a mebibyte each");
    }
}

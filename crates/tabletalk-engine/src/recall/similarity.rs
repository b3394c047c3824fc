//! How nodes are compared with a query; the built-in ways and those of the user.

use super::node::{Ref, make};
use super::{Allow, Candidate, Recall};
use crate::group::{Definition, Transform};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use tabletalk_core::seam::Want;
use tabletalk_core::{Error, Node, Result, Score};
use tabletalk_store::embedding::Space;

/// Documents looked at in one go.
const PAGE: usize = 256;

/// How nodes are compared with a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Similarity {
    /// By words.
    Bm25,
    /// By the vectors of whole texts.
    Cosine,
    /// By the vectors of tokens.
    Late,
    /// By sparse vectors: terms and their weights.
    Sparse,
    /// By words and vectors together.
    #[default]
    Hybrid,
    /// One that the user registered.
    Custom(String),
}

impl FromStr for Similarity {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "" => return Err(Error::input("a similarity must have a name")),
            "bm25" | "bm25_chinese" | "keyword" => Similarity::Bm25,
            "cosine" | "dense" => Similarity::Cosine,
            "late" => Similarity::Late,
            "sparse" => Similarity::Sparse,
            "hybrid" => Similarity::Hybrid,
            other => Similarity::Custom(other.to_owned()),
        })
    }
}

impl TryFrom<String> for Similarity {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl From<Similarity> for String {
    fn from(similarity: Similarity) -> String {
        similarity.name().to_owned()
    }
}

impl Similarity {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Similarity::Bm25 => "bm25",
            Similarity::Cosine => "cosine",
            Similarity::Late => "late",
            Similarity::Sparse => "sparse",
            Similarity::Hybrid => "hybrid",
            Similarity::Custom(name) => name,
        }
    }

    /// What the model is first asked for to compare so; nothing where words are compared.
    pub fn want(&self) -> Option<Want> {
        match self {
            Similarity::Bm25 => None,
            Similarity::Cosine | Similarity::Hybrid | Similarity::Custom(_) => Some(Want::Pooled),
            Similarity::Late => Some(Want::Tokens),
            Similarity::Sparse => Some(Want::Sparse),
        }
    }
}

/// A comparison of texts: the query and the nodes, to a score for each.
type OverTexts = Box<dyn Fn(&str, &[Node]) -> Result<Vec<f32>> + Send + Sync>;
/// A comparison of vectors: that of the query and those of the nodes, to a score for each.
type OverVectors = Box<dyn Fn(&[f32], &[Vec<f32>]) -> Result<Vec<f32>> + Send + Sync>;

enum Compare {
    Texts(OverTexts),
    Vectors(String, OverVectors),
}

/// A similarity of the user.
pub struct Own {
    name: String,
    ascending: bool,
    compare: Compare,
}

impl Own {
    /// Compares the query with one node at a time.
    pub fn by_node(name: &str, score: impl Fn(&str, &Node) -> f32 + Send + Sync + 'static) -> Own {
        Own::by_batch(name, move |query, nodes| Ok(nodes.iter().map(|n| score(query, n)).collect()))
    }

    /// Compares the query with many nodes at once.
    pub fn by_batch(
        name: &str,
        scores: impl Fn(&str, &[Node]) -> Result<Vec<f32>> + Send + Sync + 'static,
    ) -> Own {
        Own { name: name.to_owned(), ascending: false, compare: Compare::Texts(Box::new(scores)) }
    }

    /// Compares the vector of the query with that of one node at a time, under an embed key.
    pub fn by_vector(
        name: &str,
        embed_key: &str,
        score: impl Fn(&[f32], &[f32]) -> f32 + Send + Sync + 'static,
    ) -> Own {
        let scores = move |query: &[f32], all: &[Vec<f32>]| Ok(all.iter().map(|v| score(query, v)).collect());
        Own::by_vectors(name, embed_key, scores)
    }

    /// Compares the vector of the query with those of many nodes at once, under an embed key.
    pub fn by_vectors(
        name: &str,
        embed_key: &str,
        scores: impl Fn(&[f32], &[Vec<f32>]) -> Result<Vec<f32>> + Send + Sync + 'static,
    ) -> Own {
        let compare = Compare::Vectors(embed_key.to_owned(), Box::new(scores));
        Own { name: name.to_owned(), ascending: false, compare }
    }

    /// Lower scores are better: they are distances.
    pub fn ascending(mut self) -> Own {
        self.ascending = true;
        self
    }
}

/// The similarities of the user.
#[derive(Default)]
pub struct Registered {
    all: Vec<Own>,
}

impl Registered {
    /// Adds one, in the place of one of the same name.
    pub fn add(&mut self, own: Own) -> Result<()> {
        if !matches!(own.name.parse()?, Similarity::Custom(_)) {
            return Err(Error::input(format!("`{}` is the name of a built-in similarity", own.name)));
        }
        self.all.retain(|o| o.name != own.name);
        self.all.push(own);
        Ok(())
    }

    fn get(&self, name: &str) -> Result<&Own> {
        self.all.iter().find(|o| o.name == name).ok_or_else(|| {
            let own = self.all.iter().map(|o| o.name.as_str());
            let names: Vec<&str> =
                ["bm25", "cosine", "late", "sparse", "hybrid"].into_iter().chain(own).collect();
            Error::missing(format!("there is no similarity `{name}`"))
                .hint(format!("there are: {}", names.join(", ")))
        })
    }
}

/// The error for a group that no model embeds.
pub(super) fn no_vectors(group: &str) -> Error {
    Error::missing(format!("group `{group}` has no vectors for this query")).hint(
        "name the group under `groups` of an [[embed]] entry in the configuration and run `tabletalk embed`",
    )
}

/// The error for a group that no embed key keeps vectors of this kind for, `late` or `sparse`.
pub(super) fn not_kept(group: &str, kind: &str) -> Error {
    Error::missing(format!("group `{group}` has no {kind} vectors for this query")).hint(format!(
        "set `{kind} = true` in an [[embed]] entry that names the group and whose model gives them, and run `tabletalk embed`"
    ))
}

impl Recall<'_> {
    /// The nodes of a group by a similarity of the user, which sees every one of them.
    pub(super) fn custom(
        &self,
        name: &str,
        text: &str,
        group: &Definition,
        k: usize,
        allow: Allow<'_>,
    ) -> Result<Vec<Candidate>> {
        let own = self.similarities.get(name)?;
        let mut found = match &own.compare {
            Compare::Texts(scores) => self.custom_texts(scores, text, group, allow)?,
            Compare::Vectors(key, scores) => self.custom_vectors(key, scores, text, group, allow)?,
        };
        for c in &mut found {
            c.layer = name.to_owned();
            c.why = vec![Score { name: name.to_owned(), value: c.score, keyword: None }];
            if own.ascending {
                c.score = -c.score;
            }
        }
        found.retain(|c| !c.score.is_nan());
        let mut found = super::target::best_of(found, Vec::new());
        found.truncate(k);
        Ok(found)
    }

    fn custom_texts(
        &self,
        scores: &OverTexts,
        text: &str,
        group: &Definition,
        allow: Allow<'_>,
    ) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        let catalog = self.library.catalog()?;
        let documents = catalog.select(|record| allow.passes(record.key))?;
        for page in documents.chunks(PAGE) {
            let (mut refs, mut nodes) = (Vec::new(), Vec::new());
            for node in
                page.iter().map(|d| self.refs(group, *d)).collect::<Result<Vec<_>>>()?.into_iter().flatten()
            {
                nodes.extend(make(&catalog, &node)?.inspect(|_| refs.push(node)));
            }
            let given = checked(scores(text, &nodes)?, nodes.len())?;
            found.extend(refs.into_iter().zip(given).map(|(node, score)| Candidate::new(node, score, "")));
        }
        Ok(found)
    }

    /// Every node of a group in a document. Values of cells are not listed: there may be millions.
    fn refs(&self, group: &Definition, document: i64) -> Result<Vec<Ref>> {
        let catalog = self.library.catalog()?;
        if group.transform == Transform::Root {
            return Ok(vec![Ref::Root { document }]);
        }
        if group.transform.is_kept() {
            let nodes = catalog.nodes_of(document, Some(&group.name))?;
            return Ok(nodes.into_iter().map(|(key, _)| Ref::Node { document, key }).collect());
        }
        let mut refs = Vec::new();
        for stored in catalog.tables_of(document)? {
            let table = stored.key;
            let columns = 0..stored.table.columns.len();
            match group.transform {
                Transform::Table => refs.push(Ref::Table { document, table }),
                Transform::Schema => refs.extend(columns.map(|col| Ref::Schema { document, table, col })),
                Transform::Column => refs.extend(columns.map(|col| Ref::Column { document, table, col })),
                Transform::Row => refs.extend((0..stored.rows).map(|at| Ref::Row { document, table, at })),
                _ => {
                    return Err(Error::input(format!(
                        "group `{}` cannot be compared text by text",
                        group.name
                    ))
                    .hint("register a similarity over vectors for it"));
                }
            }
        }
        Ok(refs)
    }

    fn custom_vectors(
        &self,
        key: &str,
        scores: &OverVectors,
        text: &str,
        group: &Definition,
        allow: Allow<'_>,
    ) -> Result<Vec<Candidate>> {
        let slot = self.embedders.get(key)?;
        let space = Space { embed: key.to_owned(), group: group.name.clone() };
        let query = slot.query(text, Want::Pooled)?;
        let catalog = self.library.catalog()?;
        let keys = match allow.keep {
            Some(allow) => catalog.vector_keys_of(&space, &allow)?,
            None => catalog.vector_keys(&space)?,
        };
        let mut found = Vec::new();
        for keys in keys.chunks(4096) {
            let vectors = self.library.vectors_of(&space, keys)?;
            let (keys, vectors): (Vec<u64>, Vec<Vec<f32>>) = vectors.into_iter().unzip();
            let given = checked(scores(&query.pooled, &vectors)?, vectors.len())?;
            for (key, score) in keys.into_iter().zip(given) {
                let owner = catalog.vector_owner(key)?;
                let node = owner.and_then(|owner| super::vector::node_of(group, owner));
                found.extend(node.map(|node| Candidate::new(node, score, "")));
            }
        }
        Ok(found)
    }
}

fn checked(scores: Vec<f32>, wanted: usize) -> Result<Vec<f32>> {
    match scores.len() == wanted {
        true => Ok(scores),
        false => Err(Error::input(format!("the similarity gave {} scores for {wanted} nodes", scores.len()))),
    }
}

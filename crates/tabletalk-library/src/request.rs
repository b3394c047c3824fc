//! What can be asked of a library, in one form for all who ask: arguments of the command line, bodies of requests, arguments of
//! tools, calls from Python.

use crate::{Filter, Mode, Similarity, Traversal};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use tabletalk_sql::Stop;

/// A question, or a statement to be judged, and of what it is asked. What is not said is as configured.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskRequest {
    /// The question, or the statement to be judged.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub question: String,
    /// What a language model sees: `hybrid`, `table-rag`, `read-table`, `read-schema`, `row-sampling`, `row-column` or
    /// `text` [default: `hybrid`, or as configured].
    #[serde(default, deserialize_with = "one")]
    #[cfg_attr(feature = "clap", arg(long))]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>), schemars(with = "Option<String>"))]
    pub mode: Option<Mode>,
    /// Go on with this conversation; `new` begins one.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "ID"))]
    pub conversation: Option<String>,
    /// Ask only of these tables, by name.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long = "table", value_name = "NAME"))]
    pub tables: Vec<String>,
    /// Only documents whose field has this value: `field=a|b`, `field>=5`, `field<=9`.
    #[serde(default, deserialize_with = "several")]
    #[cfg_attr(feature = "clap", arg(long = "filter", value_name = "FIELD=VALUE"))]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>), schemars(with = "Vec<String>"))]
    pub filters: Vec<Filter>,
    /// Ask a language model this often, and take the most frequent answer; a server asks up to 10 times.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub samples: Option<usize>,
    /// The group that passages come from: a text group, or a tree of summaries [default: `medium`, or as configured].
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "GROUP"))]
    pub passages: Option<String>,
    /// Find tables or passages layer by layer, by the strategies of these names: `text`, `table`, or one that was configured.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub strategy: Vec<String>,
    /// Use the built-in question parser even when there is a language model.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_model: bool,
    /// Answer by this reading of those that were offered for this question, 1 for the first. It is remembered. 0 lists the
    /// readings there are, also of a question that was answered.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub choose: Option<usize>,
    /// Whose conversation it is: nobody else finds it. None where a library has one user. No request can say it.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub owner: Option<String>,
    /// Raised by whoever does not want the answer any more.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub stop: Stop,
}

/// A search. What is not said is as configured.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// What to look for.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub query: String,
    /// The group to search, such as `table`, `row`, `cell` or `medium`.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub group: Option<String>,
    /// Search these groups together [default: `table` and `medium`].
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long = "group", short, value_name = "GROUP"))]
    pub groups: Vec<String>,
    /// Libraries to search together, in the place of the one that is asked. A server knows them by these names.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub libraries: Vec<String>,
    /// Answer with nodes of this group.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub target: Option<String>,
    /// How to compare: `bm25`, `cosine`, `late`, `sparse` or `hybrid` [default: `hybrid`, or as configured].
    #[serde(default, deserialize_with = "one")]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "strategy"))]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>), schemars(with = "Option<String>"))]
    pub similarity: Option<Similarity>,
    /// Search layer by layer, by the strategy of this name: `text`, `table`, or one that was configured.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "groups"))]
    pub strategy: Option<String>,
    /// Send the hits through these rerankers: `late`, `cross`, or one that was configured.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub rerank: Vec<String>,
    /// Compare only vectors under these embed keys.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long = "embed-key", value_name = "KEY"))]
    pub embed_keys: Vec<String>,
    /// How many hits; a server gives up to 1000 [default: 6, as many as the strategy says, or as fit into `tokens`].
    #[serde(default, alias = "k")]
    #[cfg_attr(feature = "clap", arg(short = 'k', long = "topk"))]
    pub topk: Option<usize>,
    /// The most tokens of all hits together.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub tokens: Option<usize>,
    /// How a tree of summaries is searched: `collapsed` or `tree` [default: `collapsed`, or as configured].
    #[serde(default, deserialize_with = "one")]
    #[cfg_attr(feature = "clap", arg(long, requires = "groups"))]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>), schemars(with = "Option<String>"))]
    pub traversal: Option<Traversal>,
    /// Only documents whose field has this value: `field=a|b`, `field>=5`, `field<=9`.
    #[serde(default, deserialize_with = "several")]
    #[cfg_attr(feature = "clap", arg(long = "filter", value_name = "FIELD=VALUE"))]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>), schemars(with = "Vec<String>"))]
    pub filters: Vec<Filter>,
    /// Hits under this score are dropped.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub cut_off: Option<f32>,
    /// By embed key: vectors that are less near than this do not count.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub cut_offs: BTreeMap<String, f32>,
    /// Parameters of BM25 for this search: `k1`, `b` and the weights of fields.
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(skip))]
    #[cfg_attr(feature = "schema", schema(value_type = BTreeMap<String, f32>), schemars(with = "BTreeMap<String, f32>"))]
    pub similarity_kw: Map<String, Value>,
}

impl SearchRequest {
    /// The groups to search, under whichever name they were given.
    pub(crate) fn named_groups(&self) -> Vec<String> {
        self.group.iter().chain(&self.groups).cloned().collect()
    }
}

/// What has a form that people write, as JSON says it.
fn one<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(from: D) -> Result<Option<T>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
}

fn several<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(from: D) -> Result<Vec<T>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn a_request_is_read_as_people_write_it() {
        let asked: AskRequest =
            from_value(json!({"question": "how many?", "mode": "table-rag", "filters": ["year>=2020"]}))
                .unwrap();
        assert_eq!(asked.mode, Some(Mode::TableRag));
        assert_eq!(asked.filters, ["year>=2020".parse::<Filter>().unwrap()]);
        let found: SearchRequest = from_value(json!({"query": "oslo", "k": 3, "group": "cell"})).unwrap();
        assert_eq!((found.topk, found.named_groups()), (Some(3), vec!["cell".to_owned()]));
    }

    #[test]
    fn what_cannot_be_read_is_said_and_nobody_names_the_owner() {
        let said = |value: Value| from_value::<AskRequest>(value).unwrap_err().to_string();
        assert!(said(json!({"question": "?", "mode": "guess"})).contains("table-rag"));
        assert!(said(json!({"question": "?", "filters": ["nonsense"]})).contains("field=value"));
        assert!(said(json!({"question": "?", "owner": "someone"})).contains("owner"));
    }
}

//! Search.

use super::{Body, Params, Written, written};
use crate::app::App;
use crate::guard::{Access, READ};
use crate::problem::ErrorBody;
use crate::shelf::Shelf;
use crate::work::blocking;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tabletalk_library::recall::Layer;
use tabletalk_library::searching::{self, Named};
use tabletalk_library::{Error, Library, Result, Searching};
use utoipa::{IntoParams, ToSchema};

/// The most hits of one search.
const HITS: usize = 1000;

/// A search.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchBody {
    pub(crate) query: String,
    /// How many hits, up to 1000.
    #[serde(default)]
    pub(crate) topk: Option<usize>,
    /// The group to search.
    #[serde(default)]
    pub(crate) group: Option<String>,
    /// Groups to search together.
    #[serde(default)]
    pub(crate) groups: Vec<String>,
    /// Libraries to search together, in the place of the one of the address.
    #[serde(default)]
    pub(crate) libraries: Vec<String>,
    /// The group that hits are answered with.
    #[serde(default)]
    pub(crate) target: Option<String>,
    /// `bm25`, `cosine`, `late`, `sparse` or `hybrid`.
    #[serde(default)]
    pub(crate) similarity: Option<String>,
    /// Search layer by layer, by the strategy of this name.
    #[serde(default)]
    pub(crate) strategy: Option<String>,
    /// Rerankers the hits go through.
    #[serde(default)]
    pub(crate) rerank: Vec<String>,
    /// Compare only vectors under these embed keys.
    #[serde(default)]
    pub(crate) embed_keys: Vec<String>,
    /// The most tokens of all hits together.
    #[serde(default)]
    pub(crate) tokens: Option<usize>,
    /// `collapsed` or `tree`.
    #[serde(default)]
    pub(crate) traversal: Option<String>,
    /// `field=a|b`, `field>=5`, `field<=9`.
    #[serde(default)]
    pub(crate) filters: Vec<String>,
    /// Hits under this score are dropped.
    #[serde(default)]
    pub(crate) cut_off: Option<f32>,
    /// By embed key: vectors that are less near than this do not count.
    #[serde(default)]
    pub(crate) cut_offs: BTreeMap<String, f32>,
    /// Parameters of BM25 for this search: `k1`, `b` and the weights of fields.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, f32>)]
    pub(crate) similarity_kw: Map<String, Value>,
}

impl SearchBody {
    fn searching(self) -> Result<Searching> {
        if self.query.trim().is_empty() {
            return Err(Error::input("there is nothing to look for"));
        }
        Ok(Searching {
            query: self.query,
            groups: self.group.into_iter().chain(self.groups).collect(),
            target: self.target,
            similarity: self.similarity.map(|s| s.parse()).transpose()?,
            strategy: self.strategy,
            rerank: self.rerank,
            embed_keys: self.embed_keys,
            topk: self.topk.map(|k| k.clamp(1, HITS)),
            tokens: self.tokens,
            traversal: self.traversal.map(|t| t.parse()).transpose()?,
            filters: self.filters.iter().map(|f| f.parse()).collect::<Result<_>>()?,
            cut_off: self.cut_off,
            cut_offs: self.cut_offs,
            similarity_kw: self.similarity_kw,
        })
    }
}

/// What was found.
#[derive(Serialize, ToSchema)]
pub(crate) struct Found {
    #[schema(value_type = Vec<Object>)]
    pub(crate) hits: Vec<Value>,
    /// What each layer did.
    #[schema(value_type = Vec<Object>)]
    layers: Vec<Layer>,
    ms: f64,
}

/// Searches a library, or those that are named, on this thread.
pub(crate) fn search(app: &App, at: &Access<READ>, mut body: SearchBody) -> Result<Found> {
    let shelves = shelves(app, at, std::mem::take(&mut body.libraries))?;
    let libraries: Vec<Arc<Library>> = shelves.iter().map(|shelf| shelf.library()).collect();
    let name = |shelf: &'_ Arc<Shelf>| if shelves.len() > 1 { shelf.name.clone() } else { String::new() };
    let names: Vec<String> = shelves.iter().map(name).collect();
    let named: Vec<Named<'_>> =
        names.iter().zip(&libraries).map(|(name, library)| Named { name, library }).collect();
    let searching = body.searching()?;
    let begun = Instant::now();
    let recalled = searching::find_in(&named, &searching)?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    app.measure.layers(&recalled.layers, searching.strategy.as_deref());
    let hits = searching::hits_in(&named, &searching, &recalled)?;
    Ok(Found { hits, layers: recalled.layers, ms })
}

/// The libraries that are named, each once, if the caller may use them; that of the address when none is.
fn shelves(app: &App, at: &Access<READ>, mut names: Vec<String>) -> Result<Vec<Arc<Shelf>>> {
    if names.is_empty() {
        return Ok(vec![at.shelf.clone()]);
    }
    names.sort();
    names.dedup();
    let one =
        |name: &String| match at.caller.may_use(name) {
            true => app.shelf(Some(name)),
            // Whether it is there is not for this caller to know.
            false => Err(Error::missing(format!("there is no library `{name}`"))
                .hint("GET /api/v1/libraries lists them")),
        };
    names.iter().map(one).collect()
}

/// A search in the address.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// What to look for.
    q: String,
    /// How many hits.
    #[param(minimum = 1, maximum = 1000)]
    k: Option<usize>,
    /// `bm25`, `cosine`, `late`, `sparse` or `hybrid`.
    similarity: Option<String>,
    /// The group to search.
    group: Option<String>,
    /// Search layer by layer, by the strategy of this name.
    strategy: Option<String>,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// Searches, with what matters most in the address.
#[utoipa::path(get, path = "/api/v1/search", tag = "search", params(SearchQuery), responses((status = 200, body = Found), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn by_query(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Params(query): Params<SearchQuery>,
) -> Written {
    let body = SearchBody {
        query: query.q,
        topk: query.k,
        similarity: query.similarity,
        group: query.group,
        strategy: query.strategy,
        ..SearchBody::default()
    };
    run(app, access, body).await
}

/// Searches.
#[utoipa::path(post, path = "/api/v1/search", tag = "search", params(super::library::OfLibrary), request_body = SearchBody, responses((status = 200, body = Found), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn by_body(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Body(body): Body<SearchBody>,
) -> Written {
    run(app, access, body).await
}

async fn run(app: Arc<App>, access: Access<READ>, body: SearchBody) -> Written {
    let shared = app.clone();
    blocking(&app, move || written(&search(&shared, &access, body)?)).await
}

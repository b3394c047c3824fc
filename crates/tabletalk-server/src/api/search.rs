//! Search.

use super::{Body, Params, Written, written};
use crate::app::App;
use crate::guard::{Access, READ};
use crate::problem::ErrorBody;
use crate::shelf::Shelf;
use crate::work::blocking;
use axum::extract::State;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Instant;
use tabletalk_library::searching::{Found, Named, find_in};
use tabletalk_library::{Error, Library, Result, SearchRequest};
use utoipa::IntoParams;

/// The most hits of one search.
const HITS: usize = 1000;

/// Searches a library, or those that are named, on this thread.
pub(crate) fn search(app: &App, at: &Access<READ>, mut request: SearchRequest) -> Result<Found> {
    let shelves = shelves(app, at, std::mem::take(&mut request.libraries))?;
    let libraries: Vec<Arc<Library>> = shelves.iter().map(|shelf| shelf.library()).collect();
    let name = |shelf: &'_ Arc<Shelf>| if shelves.len() > 1 { shelf.name.clone() } else { String::new() };
    let names: Vec<String> = shelves.iter().map(name).collect();
    let named: Vec<Named<'_>> =
        names.iter().zip(&libraries).map(|(name, library)| Named { name, library }).collect();
    request.topk = request.topk.map(|k| k.clamp(1, HITS));
    let begun = Instant::now();
    let recalled = find_in(&named, &request)?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    app.measure.layers(&recalled.layers, request.strategy.as_deref());
    Found::of(&named, &request, recalled, ms)
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
    let request = SearchRequest {
        query: query.q,
        topk: query.k,
        similarity: query.similarity.map(|s| s.parse()).transpose()?,
        group: query.group,
        strategy: query.strategy,
        ..SearchRequest::default()
    };
    run(app, access, request).await
}

/// Searches.
#[utoipa::path(post, path = "/api/v1/search", tag = "search", params(super::library::OfLibrary), request_body = SearchRequest, responses((status = 200, body = Found), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn by_body(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Body(request): Body<SearchRequest>,
) -> Written {
    run(app, access, request).await
}

async fn run(app: Arc<App>, access: Access<READ>, request: SearchRequest) -> Written {
    let shared = app.clone();
    blocking(&app, move || written(&search(&shared, &access, request)?)).await
}

//! Trees of summaries, single nodes, and kept evaluations.

use super::library::OfLibrary;
use super::{Answered, Inside, Params};
use crate::app::App;
use crate::guard::{Access, READ, WRITE};
use crate::problem::ErrorBody;
use crate::work::{blocking, unqueued};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk_eval::Run;
use tabletalk_library::{Error, Result, view};
use utoipa::IntoParams;

/// Which tree is wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfGroup {
    /// The group of the tree; `raptor` when it is not named.
    group: Option<String>,
    /// Only what is below this node.
    below: Option<String>,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// The trees of summaries.
#[utoipa::path(get, path = "/api/v1/raptor", tag = "tree", params(OfGroup), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn tree(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Params(of): Params<OfGroup>,
) -> Answered<Value> {
    blocking(&app, move || {
        let library = access.shelf.library();
        let group = of.group.as_deref().unwrap_or("raptor");
        let trees = library.trees(group)?;
        let trees =
            trees.iter().map(|t| view::tree(&library, t, of.below.as_deref())).collect::<Result<Vec<_>>>()?;
        Ok(Json(json!({"group": group, "trees": trees})))
    })
    .await
}

/// One node.
#[utoipa::path(get, path = "/api/v1/nodes/{id}", tag = "tree", params(("id" = String, Path, description = "The node"), OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn node(access: Access<READ>, Inside(id): Inside<String>) -> Answered<Value> {
    unqueued(move || {
        let node = access.shelf.library().node(&id)?;
        let node = node.ok_or_else(|| Error::missing(format!("there is no node `{id}`")))?;
        Ok(Json(view::node(&node)))
    })
    .await
}

/// The evaluations that were kept, the newest first.
#[utoipa::path(get, path = "/api/v1/evaluations", tag = "evaluations", params(OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn evaluations(access: Access<READ>) -> Answered<Value> {
    unqueued(move || {
        let mut all: Vec<Value> = Vec::new();
        for entry in std::fs::read_dir(access.shelf.dir.join("evaluations"))? {
            all.extend(serde_json::from_slice::<Value>(&std::fs::read(entry?.path())?));
        }
        all.sort_by_key(|e| std::cmp::Reverse(e["time"].as_u64()));
        Ok(Json(json!({ "evaluations": all })))
    })
    .await
}

/// Forgets an evaluation.
#[utoipa::path(delete, path = "/api/v1/evaluations/{name}", tag = "evaluations", params(("name" = String, Path, description = "Its name"), OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn forget_evaluation(
    access: Access<WRITE>,
    Inside(name): Inside<String>,
) -> Answered<Value> {
    unqueued(move || {
        let missing = || Error::missing(format!("there is no evaluation `{name}`"));
        let file = format!("{name}.json");
        // Only a name that is in the folder is taken, so that none can lead out of it.
        let dir = access.shelf.dir.join("evaluations");
        let mut entries = std::fs::read_dir(dir)?.filter_map(std::result::Result::ok);
        let entry = entries.find(|e| e.file_name().to_string_lossy() == file).ok_or_else(missing)?;
        std::fs::remove_file(entry.path())?;
        Ok(Json(json!({ "forgotten": name })))
    })
    .await
}

/// The runs of experiments that were kept, the newest first.
#[utoipa::path(get, path = "/api/v1/evaluations/runs", tag = "evaluations", params(OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn runs(access: Access<READ>) -> Answered<Value> {
    unqueued(move || {
        let runs = Run::all(&access.shelf.library().config().eval.dir);
        Ok(Json(json!({"runs": runs.iter().map(Run::summary).collect::<Vec<_>>()})))
    })
    .await
}

/// A run of an experiment.
#[utoipa::path(get, path = "/api/v1/evaluations/runs/{name}", tag = "evaluations", params(("name" = String, Path, description = "Its name"), OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn run(access: Access<READ>, Inside(name): Inside<String>) -> Answered<Value> {
    unqueued(move || {
        let runs = Run::all(&access.shelf.library().config().eval.dir);
        // Only a name that is in the folder is taken, so that none can lead out of it.
        let run = runs.into_iter().find(|run| run.name == name);
        let run = run.ok_or_else(|| Error::missing(format!("there is no run `{name}`")))?;
        Ok(Json(serde_json::to_value(run)?))
    })
    .await
}

//! Whether the server lives, is ready, and what it has counted.

use crate::app::App;
use crate::guard::{Access, READ};
use crate::problem::Problem;
use crate::work::unqueued;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Value, json};
use std::sync::Arc;

/// Whether the process answers.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, body = serde_json::Value), (status = "4XX", body = crate::problem::ErrorBody)))]
pub(crate) async fn alive() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Whether every library can be read.
#[utoipa::path(get, path = "/readyz", tag = "operation", responses((status = 200, body = serde_json::Value), (status = "4XX", body = crate::problem::ErrorBody), (status = 503, body = crate::problem::ErrorBody)))]
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    if *app.stopping.borrow() {
        let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
        return Err(Problem::new(status, "limit", "the server is ending"));
    }
    unqueued(move || {
        for shelf in app.shelves() {
            shelf.library().generation()?;
        }
        Ok(Json(json!({"status": "ready"})))
    })
    .await
}

/// What was counted, for Prometheus; of the libraries that the key is for.
#[utoipa::path(get, path = "/metrics", tag = "operation", responses((status = 200, body = String, content_type = "application/openmetrics-text"), (status = "4XX", body = crate::problem::ErrorBody)))]
pub(crate) async fn metrics(
    State(app): State<Arc<App>>,
    access: Access<READ>,
) -> Result<impl IntoResponse, Problem> {
    let text = unqueued(move || app.measure.text(&app, &access.caller)).await?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text))
}

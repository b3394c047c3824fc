//! Tables: list, understanding, rows, corrections.

use super::ask::Waiting;
use super::document::Page;
use super::library::{OfLibrary, TaskBody};
use super::{Answered, Body, Inside, Params};
use crate::app::App;
use crate::guard::{Access, READ, WRITE};
use crate::problem::{ErrorBody, Problem};
use crate::task::Work;
use crate::work::{blocking, statement, unqueued};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk_library::store::StoredTable;
use tabletalk_library::view::select::{Selection, selected};
use tabletalk_library::{Correction, view};
use utoipa::{IntoParams, ToSchema};

/// The most rows of a page.
const ROWS: usize = 1000;

/// A page of tables.
#[derive(Serialize, ToSchema)]
pub(crate) struct Tables {
    #[schema(value_type = Vec<Object>)]
    tables: Vec<Value>,
    /// Where the next page begins.
    next: Option<i64>,
    /// How many there are in all.
    total: u64,
}

/// The tables, page by page.
#[utoipa::path(get, path = "/api/v1/tables", tag = "tables", params(Page), responses((status = 200, body = Tables), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn list(access: Access<READ>, Params(page): Params<Page>) -> Answered<Tables> {
    unqueued(move || {
        let library = access.shelf.library();
        let total = library.counts()?.tables;
        let (stored, next) = page.collect(
            |t: &StoredTable| t.key,
            |t| Some(t.name.as_str()),
            |after, n| library.tables(after, n.min(100)),
        )?;
        Ok(Json(Tables { tables: stored.iter().map(view::table).collect(), next, total }))
    })
    .await
}

/// A table and how it was understood, without its rows.
#[utoipa::path(get, path = "/api/v1/tables/{id}", tag = "tables", params(("id" = String, Path, description = "Id or name"), OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn get(access: Access<READ>, Inside(id): Inside<String>) -> Answered<Value> {
    unqueued(move || {
        let library = access.shelf.library();
        let stored = view::table_named(&library, &id)?;
        let mut value = view::full_table(&stored, 0, None)?;
        if let Some(fields) = value.as_object_mut() {
            fields.remove("cells");
        }
        let document = stored.id.rsplit_once("/t").map(|(document, _)| document);
        value["document_id"] = json!(document);
        value["correction"] = json!(library.correction(&stored)?);
        Ok(Json(value))
    })
    .await
}

/// Which rows are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Range {
    /// The position of the first one, from 0.
    offset: Option<u64>,
    /// How many, up to 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// Rows from a position on.
#[utoipa::path(get, path = "/api/v1/tables/{id}/rows", tag = "tables", params(("id" = String, Path, description = "Id or name"), Range), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside(id): Inside<String>,
    Params(range): Params<Range>,
) -> Answered<Value> {
    blocking(&app, move || {
        let stored = view::table_named(&access.shelf.library(), &id)?;
        let limit = range.limit.unwrap_or(100).clamp(1, ROWS);
        Ok(Json(view::rows(&stored, range.offset.unwrap_or(0), limit)?))
    })
    .await
}

/// Which rows are wanted, and in which order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectBody {
    /// The position of the first one, from 0.
    #[serde(default)]
    offset: u64,
    /// How many, up to 1000.
    #[serde(default = "hundred")]
    limit: usize,
    /// `{"sort": 2, "find": "oslo", "filters": [{"col": 3, "is": "least", "value": "5"}]}`: columns by their number in the
    /// source, `sort` below zero for the largest first; `is` is `has`, `equal`, `other`, `least`, `most`, `empty` or `filled`.
    #[schema(value_type = Object)]
    wanted: Selection,
}

fn hundred() -> usize {
    100
}

/// Rows sorted, filtered and searched. Of a sorted table the first 10,000 can be looked at; `found` says how many there are.
#[utoipa::path(post, path = "/api/v1/tables/{id}/rows", tag = "tables", params(("id" = String, Path, description = "Id or name"), OfLibrary), request_body = SelectBody, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn select(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside(id): Inside<String>,
    Body(body): Body<SelectBody>,
) -> Answered<Value> {
    let (waiting, stop) = Waiting::new();
    let caller = access.caller.clone();
    let found = statement(&app, &caller, move || {
        let library = access.shelf.library();
        let stored = view::table_named(&library, &id)?;
        let limit = body.limit.clamp(1, ROWS);
        Ok(Json(selected(&library, &stored, &body.wanted, body.offset, limit, &stop)?))
    })
    .await;
    drop(waiting);
    found
}

/// A row by its number in the source.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Row {
    /// The number of the row in the source.
    row: u64,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// The position of a row.
#[utoipa::path(get, path = "/api/v1/tables/{id}/rows/at", tag = "tables", params(("id" = String, Path, description = "Id or name"), Row), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn position(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside(id): Inside<String>,
    Params(row): Params<Row>,
) -> Answered<Value> {
    blocking(&app, move || {
        let stored = view::table_named(&access.shelf.library(), &id)?;
        Ok(Json(json!({"offset": view::position_of(&stored, row.row)?})))
    })
    .await
}

/// What a user says of a table that was understood otherwise.
#[derive(Deserialize, ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct CorrectionBody(Correction);

/// Corrects how a table was understood: its document is read again with it.
#[utoipa::path(put, path = "/api/v1/tables/{id}/correction", tag = "tables", params(("id" = String, Path, description = "Id or name"), OfLibrary), request_body = CorrectionBody, responses((status = 202, body = TaskBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn correct(
    access: Access<WRITE>,
    Inside(id): Inside<String>,
    Body(correction): Body<CorrectionBody>,
) -> Result<(StatusCode, Json<TaskBody>), Problem> {
    put(access, id, correction.0).await
}

/// How a table would be understood with a correction: its columns and first rows. Nothing is kept.
#[utoipa::path(post, path = "/api/v1/tables/{id}/correction", tag = "tables", params(("id" = String, Path, description = "Id or name"), OfLibrary), request_body = CorrectionBody, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn preview(
    State(app): State<Arc<App>>,
    access: Access<WRITE>,
    Inside(id): Inside<String>,
    Body(correction): Body<CorrectionBody>,
) -> Answered<Value> {
    blocking(&app, move || {
        let library = access.shelf.library();
        let stored = view::table_named(&library, &id)?;
        Ok(Json(library.preview(&stored, &correction.0)?))
    })
    .await
}

/// Undoes the correction of a table.
#[utoipa::path(delete, path = "/api/v1/tables/{id}/correction", tag = "tables", params(("id" = String, Path, description = "Id or name"), OfLibrary), responses((status = 202, body = TaskBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn undo(
    access: Access<WRITE>,
    Inside(id): Inside<String>,
) -> Result<(StatusCode, Json<TaskBody>), Problem> {
    put(access, id, Correction::default()).await
}

async fn put(
    access: Access<WRITE>,
    id: String,
    correction: Correction,
) -> Result<(StatusCode, Json<TaskBody>), Problem> {
    unqueued(move || {
        let library = access.shelf.library();
        let stored = view::table_named(&library, &id)?;
        if library.correction(&stored)?.is_none() {
            correction.check(&stored.table)?;
        }
        let task = access.shelf.tasks.put(Work::Correct { table: stored.id, correction })?;
        Ok((StatusCode::ACCEPTED, Json(TaskBody { task })))
    })
    .await
}

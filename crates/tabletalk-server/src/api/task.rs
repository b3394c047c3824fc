//! Tasks: start, list, follow, stop.

use super::library::{OfLibrary, TaskBody};
use super::{Answered, Body, Inside, sse};
use crate::app::App;
use crate::guard::{Access, READ, WRITE};
use crate::problem::{ErrorBody, Problem};
use crate::task::{NewTask, Task};
use crate::work::unqueued;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;
use tabletalk_library::Error;
use tokio::sync::mpsc;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
}

/// The tasks of a library, the newest first.
#[utoipa::path(get, path = "/api/v1/tasks", tag = "tasks", params(OfLibrary), responses((status = 200, body = Tasks), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn list(access: Access<READ>) -> Json<Tasks> {
    Json(Tasks { tasks: access.shelf.tasks.list() })
}

/// Starts a task.
#[utoipa::path(post, path = "/api/v1/tasks", tag = "tasks", params(OfLibrary), request_body = NewTask, responses((status = 202, body = TaskBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn start(
    State(app): State<Arc<App>>,
    access: Access<WRITE>,
    Body(new): Body<NewTask>,
) -> Result<(StatusCode, Json<TaskBody>), Problem> {
    unqueued(move || {
        let work = new.work(&app, &access.shelf)?;
        Ok((StatusCode::ACCEPTED, Json(TaskBody { task: access.shelf.tasks.put(work)? })))
    })
    .await
}

fn no_task(id: &str) -> Error {
    Error::missing(format!("there is no task `{id}`")).hint("GET /api/v1/tasks lists them")
}

/// A task.
#[utoipa::path(get, path = "/api/v1/tasks/{id}", tag = "tasks", params(("id" = String, Path, description = "The task"), OfLibrary), responses((status = 200, body = TaskBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn get(access: Access<READ>, Inside(id): Inside<String>) -> Answered<TaskBody> {
    let task = access.shelf.tasks.get(&id).ok_or_else(|| no_task(&id))?;
    Ok(Json(TaskBody { task }))
}

/// Asks a task to stop.
#[utoipa::path(delete, path = "/api/v1/tasks/{id}", tag = "tasks", params(("id" = String, Path, description = "The task"), OfLibrary), responses((status = 200, body = TaskBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn cancel(access: Access<WRITE>, Inside(id): Inside<String>) -> Answered<TaskBody> {
    unqueued(move || Ok(Json(TaskBody { task: access.shelf.tasks.cancel(&id)? }))).await
}

/// Every change of a task as an event `task`, until it is over.
#[utoipa::path(get, path = "/api/v1/tasks/{id}/events", tag = "tasks", params(("id" = String, Path, description = "The task"), OfLibrary), responses((status = 200, body = serde_json::Value, content_type = "text/event-stream"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside(id): Inside<String>,
) -> Result<Response, Problem> {
    let mut followed = access.shelf.tasks.follow(&id).ok_or_else(|| no_task(&id))?;
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        loop {
            let task = followed.borrow_and_update().clone();
            let is_over = task.state.is_over();
            if sender.send(sse::event("task", &task)).await.is_err() || is_over {
                return;
            }
            tokio::select! {
                changed = followed.changed() => if changed.is_err() { return },
                () = sender.closed() => return,
            }
        }
    });
    Ok(sse::stream(&app, receiver).into_response())
}

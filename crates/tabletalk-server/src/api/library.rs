//! The server itself, its libraries, their groups, backup and restore.

use super::{Answered, Body};
use crate::app::App;
use crate::guard::{ADMIN, Access, Caller, READ};
use crate::problem::{ErrorBody, Problem};
use crate::shelf::Shelf;
use crate::task::{self, Work};
use crate::upload::Incoming;
use crate::work::unqueued;
use axum::body::Body as Bytes;
use axum::extract::{Extension, Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::{Json, response::Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk_library::{Counts, Error, view};
use tokio_util::io::ReaderStream;
use utoipa::{IntoParams, ToSchema};

/// The library a request is for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfLibrary {
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// What a client needs to know first; needs no key.
#[utoipa::path(get, path = "/api/v1/server", tag = "server", responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn server(State(app): State<Arc<App>>, Extension(caller): Extension<Caller>) -> Json<Value> {
    let config = app.config();
    let seen = |shelf: &&Arc<Shelf>| caller.role.is_some() && caller.may_use(&shelf.name);
    let shelves = app.shelves();
    let libraries: Vec<Value> = shelves
        .iter()
        .filter(seen)
        .enumerate()
        .map(|(i, shelf)| json!({"name": shelf.name, "default": i == 0}))
        .collect();
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "needs_key": app.keys.any(),
        "role": caller.role,
        "has_model": config.chat.is_some(),
        "libraries": libraries,
        "limits": {"upload_bytes": config.server.max_upload_bytes},
    }))
}

/// A library and what is in it.
#[derive(Serialize, ToSchema)]
pub(crate) struct LibraryBody {
    name: String,
    default: bool,
    documents: u64,
    tables: u64,
    rows: u64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Libraries {
    libraries: Vec<LibraryBody>,
}

/// The libraries.
#[utoipa::path(get, path = "/api/v1/libraries", tag = "libraries", responses((status = 200, body = Libraries), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn list(State(app): State<Arc<App>>, access: Access<READ>) -> Answered<Libraries> {
    unqueued(move || {
        let mut libraries = Vec::new();
        for (i, shelf) in app.shelves().iter().enumerate().filter(|(_, s)| access.caller.may_use(&s.name)) {
            let Counts { documents, tables, rows, .. } = shelf.library().counts()?;
            libraries.push(LibraryBody {
                name: shelf.name.clone(),
                default: i == 0,
                documents,
                tables,
                rows,
            });
        }
        Ok(Json(Libraries { libraries }))
    })
    .await
}

/// A library to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLibrary {
    name: String,
}

/// Makes a library in the folder that was configured for them.
#[utoipa::path(post, path = "/api/v1/libraries", tag = "libraries", request_body = NewLibrary, responses((status = 201, body = LibraryBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn make(
    State(app): State<Arc<App>>,
    access: Access<ADMIN>,
    Body(new): Body<NewLibrary>,
) -> Result<(StatusCode, Json<LibraryBody>), Problem> {
    access.caller.check_everywhere()?;
    unqueued(move || {
        let config = app.config();
        let dir = config.server.libraries_dir.clone().ok_or_else(|| {
            Error::input("there is no folder for new libraries").hint("set `libraries_dir` under [server]")
        })?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if new.name.is_empty() || new.name.len() > 64 || !new.name.chars().all(is_plain) {
            return Err(Error::input("a library's name has letters, digits, `-` and `_`"));
        }
        if app.shelf(Some(&new.name)).is_ok() {
            return Err(Error::input(format!("there is a library `{}`", new.name)));
        }
        let shelf = Arc::new(Shelf::open(&new.name, dir.join(&new.name), &config)?);
        task::begin(app.clone(), shelf.clone())?;
        app.add_shelf(shelf);
        let made = LibraryBody { name: new.name, default: false, documents: 0, tables: 0, rows: 0 };
        Ok((StatusCode::CREATED, Json(made)))
    })
    .await
}

/// The node groups of a library, and how many nodes each has.
#[utoipa::path(get, path = "/api/v1/groups", tag = "libraries", params(OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn groups(access: Access<READ>) -> Answered<Value> {
    unqueued(move || Ok(Json(json!({"groups": view::groups(&access.shelf.library())?})))).await
}

/// The whole library in one file, taken while it is in use.
#[utoipa::path(get, path = "/api/v1/backup", tag = "libraries", params(OfLibrary), responses((status = 200, content_type = "application/zstd"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn backup(access: Access<ADMIN>) -> Result<Response, Problem> {
    let (name, dir) = (access.shelf.name.clone(), access.shelf.dir.clone());
    let path = dir.join(format!(".{}.tar.zst", uuid::Uuid::now_v7().simple()));
    let packed = path.clone();
    let made = unqueued(move || {
        access.shelf.library().backup(std::io::BufWriter::new(std::fs::File::create(&packed)?))
    })
    .await;
    let file = tokio::fs::File::open(&path).await;
    // The open file is read to its end though its name is gone.
    let _ = std::fs::remove_file(&path);
    made?;
    let file = file.map_err(Error::from)?;
    let disposition = format!("attachment; filename=\"{name}.tar.zst\"");
    let headers =
        [(header::CONTENT_TYPE, "application/zstd".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, Bytes::from_stream(ReaderStream::new(file))).into_response())
}

/// A task in the body of an answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct TaskBody {
    pub(crate) task: task::Task,
}

/// Puts a backup in the place of the library; needs a key for all libraries.
#[utoipa::path(post, path = "/api/v1/restore", tag = "libraries", params(OfLibrary), request_body(content = Vec<u8>, content_type = "application/octet-stream"), responses((status = 202, body = TaskBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn restore(
    State(app): State<Arc<App>>,
    access: Access<ADMIN>,
    request: Request,
) -> Result<(StatusCode, Json<TaskBody>), Problem> {
    // A catalogue of strangers: whoever puts it in place answers for everything that is served from it.
    access.caller.check_everywhere()?;
    let most = app.config().server.max_upload_bytes;
    let stream = request.into_body().into_data_stream();
    let incoming = Incoming::receive(&access.shelf.dir, stream, most).await?;
    let mut magic = [0; 4];
    let read =
        std::fs::File::open(incoming.path()).and_then(|mut f| std::io::Read::read_exact(&mut f, &mut magic));
    if read.is_err() || magic != [0x28, 0xb5, 0x2f, 0xfd] {
        return Err(Error::input("this is not a backup").hint("GET /api/v1/backup makes one").into());
    }
    let file = access.shelf.dir.join("tasks").join(format!("{}.tar.zst", uuid::Uuid::now_v7().simple()));
    std::fs::rename(incoming.path(), &file).map_err(Error::from)?;
    let task = access.shelf.tasks.put(Work::Restore { file })?;
    Ok((StatusCode::ACCEPTED, Json(TaskBody { task })))
}

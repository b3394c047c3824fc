//! Documents: upload, list, look, forget.

use super::library::OfLibrary;
use super::{Answered, Inside, Params};
use crate::app::App;
use crate::guard::{Access, READ, WRITE};
use crate::problem::{ErrorBody, Problem};
use crate::task::{Task, Work};
use crate::upload::Incoming;
use crate::work::{blocking, unqueued};
use axum::Json;
use axum::body::Body as Bytes;
use axum::extract::{FromRequest, Multipart, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk_library::store::Record;
use tabletalk_library::{Error, Library, Result, files, no_document, view};
use tokio_util::io::ReaderStream;
use utoipa::{IntoParams, ToSchema};

/// The most entries of a page.
const PAGE: usize = 500;

/// The most files of one form.
const FILES: usize = 1000;

/// Which part of a list is wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    /// The most entries, up to 500.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// The `next` of the page before.
    after: Option<i64>,
    /// Only those whose name contains this.
    containing: Option<String>,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

impl Page {
    /// Entries from `next` that have a `name`, until there are enough; and where to go on.
    pub(super) fn collect<T>(
        &self,
        key: impl Fn(&T) -> i64,
        name: impl Fn(&T) -> Option<&str>,
        next: impl Fn(i64, usize) -> Result<Vec<T>>,
    ) -> Result<(Vec<T>, Option<i64>)> {
        let limit = self.limit.unwrap_or(50).clamp(1, PAGE);
        let part = self.containing.as_deref().unwrap_or_default().to_lowercase();
        let (mut all, mut after) = (Vec::new(), self.after.unwrap_or(0).max(0));
        loop {
            let entries = next(after, PAGE)?;
            let Some(last) = entries.last() else { return Ok((all, None)) };
            after = key(last);
            for entry in entries {
                if all.len() == limit {
                    let last = all.last().map(&key);
                    return Ok((all, last));
                }
                if name(&entry).is_some_and(|name| name.to_lowercase().contains(&part)) {
                    all.push(entry);
                }
            }
        }
    }
}

/// A page of documents.
#[derive(Serialize, ToSchema)]
pub(crate) struct Documents {
    #[schema(value_type = Vec<Object>)]
    documents: Vec<Value>,
    /// Where the next page begins.
    next: Option<i64>,
    /// How many there are in all.
    total: u64,
}

/// The documents, page by page.
#[utoipa::path(get, path = "/api/v1/documents", tag = "documents", params(Page), responses((status = 200, body = Documents), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn list(access: Access<READ>, Params(page): Params<Page>) -> Answered<Documents> {
    unqueued(move || {
        let library = access.shelf.library();
        let total = library.counts()?.documents;
        // A tree of summaries over the library is kept as a document without a source.
        let (records, next) = page.collect(
            |r: &Record| r.key,
            |r| (!r.source.is_empty()).then_some(r.name.as_str()),
            |after, n| library.documents(after, n),
        )?;
        let documents = records.iter().map(view::record).collect();
        Ok(Json(Documents { documents, next, total }))
    })
    .await
}

/// What an upload is called.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Named {
    /// The name of the file, when its bytes are the body.
    name: Option<String>,
    /// Put it in the place of a file of this name that somebody else uploaded.
    #[serde(default)]
    replace: bool,
    /// Then build the tree of summaries, or bring it up to date, as a task of its own.
    #[serde(default)]
    use_raptor: bool,
    /// Fields of the documents as a JSON object: `{"year": 2024, "tags": ["a", "b"]}`. A form may have a part of this
    /// name instead.
    fields: Option<String>,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// Files that were taken.
#[derive(Serialize, ToSchema)]
pub(crate) struct Uploaded {
    task: Task,
    files: Vec<String>,
}

/// Takes files: one as the body, or several as the parts of a form. They are on disk when this answers. A file of
/// the same name that somebody else uploaded stays, unless `replace` is set.
#[utoipa::path(post, path = "/api/v1/documents", tag = "documents", params(Named), request_body(content = Vec<u8>, content_type = "application/octet-stream"), responses((status = 202, body = Uploaded), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn upload(
    State(app): State<Arc<App>>,
    access: Access<WRITE>,
    Params(named): Params<Named>,
    request: Request,
) -> Result<(StatusCode, Json<Uploaded>), Problem> {
    let most = app.config().server.max_upload_bytes;
    let dir = &access.shelf.dir;
    let is_form = request.headers().get(header::CONTENT_TYPE).and_then(|t| t.to_str().ok());
    let mut taken = Vec::new();
    let mut fields = named.fields.clone();
    if is_form.is_some_and(|t| t.starts_with("multipart/form-data")) {
        let mut form = Multipart::from_request(request, &app)
            .await
            .map_err(|e| Error::input(format!("the form cannot be read: {}", e.body_text())))?;
        let broken = |e: axum::extract::multipart::MultipartError| match e.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::too_large("the form is too large"),
            _ => Error::input(format!("the form cannot be read: {}", e.body_text())).into(),
        };
        while let Some(field) = form.next_field().await.map_err(broken)? {
            if field.name() == Some("fields") && field.file_name().is_none() {
                fields = Some(field.text().await.map_err(broken)?);
                continue;
            }
            let Some(name) = field.file_name().map(str::to_owned) else { continue };
            let name = files::file_name(&name)?;
            if taken.len() == FILES {
                return Err(Problem::too_large(format!("a form may have {FILES} files at most")));
            }
            taken.push((Incoming::receive(dir, field, most).await?, name));
        }
    } else {
        let unnamed = || Error::input("the file has no name").hint("send `?name=FILE.xlsx`");
        let name = files::file_name(named.name.as_deref().ok_or_else(unnamed)?)?;
        let stream = request.into_body().into_data_stream();
        taken.push((Incoming::receive(dir, stream, most).await?, name));
    }
    if taken.is_empty() {
        return Err(Error::input("there is no file in the form").into());
    }
    let fields = fields.as_deref().map(pairs).transpose()?.unwrap_or_default();
    app.config().fields(&fields)?;
    unqueued(move || {
        let owner = access.caller.owner.as_deref();
        let files = access.shelf.owners.take(taken, owner, named.replace)?;
        access.shelf.owners.put_fields(&files, &fields)?;
        let task =
            access.shelf.tasks.put(Work::Add { files: files.clone(), use_raptor: named.use_raptor })?;
        Ok((StatusCode::ACCEPTED, Json(Uploaded { task, files })))
    })
    .await
}

/// Fields as `name=value`, a list with `|` between its values.
fn pairs(said: &str) -> Result<Vec<String>> {
    let wrong = |e: serde_json::Error| {
        Error::input(format!("fields: {e}")).hint("send a JSON object such as {\"year\": 2024}")
    };
    let fields: serde_json::Map<String, Value> = serde_json::from_str(said).map_err(wrong)?;
    fn plain(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join("|"),
            other => other.to_string(),
        }
    }
    Ok(fields.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect())
}

/// The document of an id or name.
fn record(library: &Library, id: &str) -> Result<Record> {
    let found = library.document(id)?;
    found.filter(|r| !r.source.is_empty()).ok_or_else(|| no_document(id))
}

/// How much of a document is wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Part {
    /// The most rows of each table, up to 1000.
    #[param(minimum = 0, maximum = 1000)]
    rows: Option<usize>,
    /// Only what stands on this page.
    page: Option<u32>,
    /// `md` or `html`, for text.
    format: Option<String>,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

impl Part {
    fn rows(&self) -> usize {
        self.rows.unwrap_or(50).min(1000)
    }
}

/// A document with its blocks and tables.
#[utoipa::path(get, path = "/api/v1/documents/{id}", tag = "documents", params(("id" = String, Path, description = "Id or name"), Part), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside(id): Inside<String>,
    Params(part): Params<Part>,
) -> Answered<Value> {
    blocking(&app, move || {
        let library = access.shelf.library();
        let key = record(&library, &id)?.key;
        Ok(Json(view::document(&library, key, part.rows(), part.page)?))
    })
    .await
}

/// Forgets a document. A file that was uploaded is deleted with the last document in it.
#[utoipa::path(delete, path = "/api/v1/documents/{id}", tag = "documents", params(("id" = String, Path, description = "Id or name"), OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn forget(access: Access<WRITE>, Inside(id): Inside<String>) -> Answered<Value> {
    unqueued(move || {
        let library = access.shelf.library();
        let record = record(&library, &id)?;
        let forgotten = when_free(|| library.forget_with_uploads(std::slice::from_ref(&record.id)))?;
        access.shelf.know()?;
        Ok(Json(json!({ "forgotten": forgotten })))
    })
    .await
}

/// Tries for some seconds while a task writes to the library.
fn when_free<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..100 {
        match work() {
            Err(e) if e.message().contains("another process") => {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            done => return done,
        }
    }
    Err(Error::limit("files are being added to this library").hint("try again when that is done"))
}

/// A document as text.
#[utoipa::path(get, path = "/api/v1/documents/{id}/text", tag = "documents", params(("id" = String, Path, description = "Id or name"), Part), responses((status = 200, body = String, content_type = "text/markdown"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn text(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside(id): Inside<String>,
    Params(part): Params<Part>,
) -> Result<Response, Problem> {
    let (format, kind) = match part.format.as_deref() {
        None | Some("md") => (view::Format::Md, "text/markdown; charset=utf-8"),
        Some("html") => (view::Format::Html, "text/html; charset=utf-8"),
        Some(other) => {
            return Err(Error::input(format!("`{other}` is not a format")).hint("say md or html").into());
        }
    };
    let text = blocking(&app, move || {
        let library = access.shelf.library();
        let key = record(&library, &id)?.key;
        view::document_text(&library, key, format, part.rows(), part.page)
    })
    .await?;
    // Text of strangers is shown as in a box: nothing in it runs.
    let sandbox = (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox");
    Ok(([(header::CONTENT_TYPE, kind), sandbox], text).into_response())
}

/// The file itself.
#[utoipa::path(get, path = "/api/v1/documents/{id}/file", tag = "documents", params(("id" = String, Path, description = "Id or name"), OfLibrary), responses((status = 200, content_type = "application/octet-stream"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn file(access: Access<READ>, Inside(id): Inside<String>) -> Result<Response, Problem> {
    let (path, name) = unqueued(move || {
        let library = access.shelf.library();
        let record = record(&library, &id)?;
        let path = library
            .source_path(&record)
            .ok_or_else(|| Error::missing(format!("the file of `{}` is not there any more", record.name)))?;
        Ok((path, record.name))
    })
    .await?;
    let file = tokio::fs::File::open(&path).await.map_err(Error::from)?;
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || ".-_ ".contains(c) { c } else { '_' }).collect();
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{plain}\"")),
    ];
    Ok((headers, Bytes::from_stream(ReaderStream::new(file))).into_response())
}

/// Whether what was found on a page is framed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Framed {
    /// Frame what was found.
    #[serde(default)]
    frames: bool,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// The picture of a page, with two pixels a point.
#[utoipa::path(get, path = "/api/v1/documents/{id}/pages/{page}", tag = "documents", params(("id" = String, Path, description = "Id or name"), ("page" = u32, Path, description = "The page, from 1"), Framed), responses((status = 200, content_type = "image/png"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside((id, page)): Inside<(String, u32)>,
    Params(framed): Params<Framed>,
) -> Result<Response, Problem> {
    let png = blocking(&app, move || {
        let library = access.shelf.library();
        let record = record(&library, &id)?;
        if !record.fields.contains_key("pages") || !record.name.to_lowercase().ends_with(".pdf") {
            return Err(Error::missing(format!("`{}` has no pages that can be drawn", record.name)));
        }
        view::png(&view::page(&library, record.key, page, framed.frames)?)
    })
    .await?;
    Ok(([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "private, max-age=60")], png)
        .into_response())
}

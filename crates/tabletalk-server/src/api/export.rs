//! What is taken along: charts, results, tables and conversations as files.

use super::library::OfLibrary;
use super::{Body, Inside, Params};
use crate::app::App;
use crate::guard::{Access, READ};
use crate::problem::{ErrorBody, Problem};
use crate::work::{blocking, unqueued};
use axum::body::{Body as Bytes, Bytes as Piece};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use tabletalk_library::answer::Grid;
use tabletalk_library::chart::{self, Shape, Theme, Tongue};
use tabletalk_library::report::{self, Said, Words};
use tabletalk_library::store::{StoredTable, Turn};
use tabletalk_library::{Error, Result, export, view};
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::{IntoParams, ToSchema};

/// Rows under column names.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl From<Rows> for Grid {
    fn from(given: Rows) -> Grid {
        Grid { columns: given.columns, rows: given.rows, ..Grid::default() }
    }
}

/// A result to be drawn.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChartBody {
    result: Rows,
    /// `bar` or `line`; what fits best when it is not said.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    shape: Option<Shape>,
    /// What stands above it.
    #[serde(default)]
    title: String,
    /// `light` or `dark`.
    #[serde(default)]
    #[schema(value_type = String)]
    theme: Theme,
    /// In which language numbers are written: `en`, `zh` or `de`.
    #[serde(default)]
    #[schema(value_type = String)]
    language: Tongue,
    /// How many pixels it is wide; 640 when it is not said.
    #[serde(default = "usual")]
    width: u32,
}

fn usual() -> u32 {
    640
}

/// A chart of a result, as SVG.
#[utoipa::path(post, path = "/api/v1/chart", tag = "ask", request_body = ChartBody, responses((status = 200, content_type = "image/svg+xml"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn draw(_access: Access<READ>, Body(body): Body<ChartBody>) -> Result<Response, Problem> {
    let drawn = chart::of(&body.result.into(), body.shape).ok_or_else(|| {
        Error::input("there is nothing to draw")
            .hint("a chart needs two rows, a column of groups and one of numbers")
    })?;
    let svg = drawn.with_tongue(body.language).svg_of(&body.title, body.theme, body.width);
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    Csv,
    Xlsx,
    Md,
    Html,
}

impl Format {
    fn kind(self) -> (&'static str, &'static str) {
        match self {
            Format::Csv => ("csv", "text/csv; charset=utf-8"),
            Format::Xlsx => ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            Format::Md => ("md", "text/markdown; charset=utf-8"),
            Format::Html => ("html", "text/html; charset=utf-8"),
        }
    }

    /// A file of this name, which is saved and not opened.
    fn file(self, name: &str, body: Bytes) -> Response {
        let (ending, kind) = self.kind();
        let plain: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect();
        let plain = if plain.trim_matches('-').is_empty() { "tabletalk" } else { plain.trim_matches('-') };
        let disposition = format!("attachment; filename=\"{plain}.{ending}\"");
        let headers = [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)];
        (headers, body).into_response()
    }
}

fn not_for(what: &str) -> Error {
    Error::input(format!("{what} cannot be written like that"))
}

/// A result to be taken along.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportBody {
    result: Rows,
    /// `csv` or `xlsx`.
    format: Format,
    /// What the file is called.
    #[serde(default)]
    name: String,
}

/// A result as a file.
#[utoipa::path(post, path = "/api/v1/export", tag = "ask", request_body = ExportBody, responses((status = 200, content_type = "application/octet-stream"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn result(_access: Access<READ>, Body(body): Body<ExportBody>) -> Result<Response, Problem> {
    unqueued(move || {
        let Rows { columns, rows } = body.result;
        let bytes = match body.format {
            Format::Csv => export::csv(&columns, &rows).into_bytes(),
            Format::Xlsx => export::xlsx(&columns, &rows)?,
            _ => return Err(not_for("a result").hint("csv or xlsx")),
        };
        Ok(body.format.file(&body.name, Bytes::from(bytes)))
    })
    .await
}

/// How something is written.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct As {
    /// Tables: `csv` or `xlsx`; conversations: `md` or `html`.
    format: Format,
    /// The library; the default one when it is not named.
    #[allow(dead_code, reason = "read by the guard")]
    library: Option<String>,
}

/// A table as a file, every row of it as it is written.
#[utoipa::path(get, path = "/api/v1/tables/{id}/export", tag = "tables", params(("id" = String, Path, description = "Id or name"), As), responses((status = 200, content_type = "application/octet-stream"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn table(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Inside(id): Inside<String>,
    Params(wanted): Params<As>,
) -> Result<Response, Problem> {
    let found = access.shelf.clone();
    let stored = unqueued(move || view::table_named(&found.library(), &id)).await?;
    let name = stored.name.clone();
    match wanted.format {
        Format::Csv => Ok(Format::Csv.file(&name, streamed(stored))),
        Format::Xlsx => {
            blocking(&app, move || Ok(Format::Xlsx.file(&name, Bytes::from(workbook(&stored)?)))).await
        }
        _ => Err(not_for("a table").hint("csv or xlsx").into()),
    }
}

fn workbook(stored: &StoredTable) -> Result<Vec<u8>> {
    if stored.rows as usize >= export::SHEET_ROWS {
        return Err(Error::limit(format!("a sheet has at most {} rows", export::SHEET_ROWS))
            .hint("take the table along as CSV"));
    }
    let mut rows = Vec::new();
    view::written_rows(stored, usize::MAX, &mut |row| {
        rows.push(row);
        true
    })?;
    let columns = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
    export::xlsx(&columns, &rows)
}

/// About how long a piece of a stream is.
const PIECE: usize = 64 << 10;

/// Lines as they are read: a table may be larger than memory.
fn streamed(stored: StoredTable) -> Bytes {
    let (sender, receiver) = mpsc::channel::<std::result::Result<Piece, std::io::Error>>(8);
    std::thread::spawn(move || {
        let mut piece = String::with_capacity(PIECE + 1024);
        let done = view::written_rows(&stored, usize::MAX, &mut |row| {
            piece.push_str(&export::csv_line(&row));
            // Who has gone wants no more.
            piece.len() < PIECE || sender.blocking_send(Ok(std::mem::take(&mut piece).into())).is_ok()
        });
        let last = done.map(|()| Piece::from(piece)).map_err(|e| std::io::Error::other(e.to_string()));
        let _ = sender.blocking_send(last);
    });
    Bytes::from_stream(ReceiverStream::new(receiver).map(|piece| piece))
}

/// A conversation as a document: questions, answers, tables, statements and places; with charts as HTML.
#[utoipa::path(get, path = "/api/v1/conversations/{id}/report", tag = "ask", params(("id" = String, Path, description = "The conversation"), As), responses((status = 200, content_type = "text/html"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn conversation(
    access: Access<READ>,
    Inside(id): Inside<String>,
    Params(wanted): Params<As>,
) -> Result<Response, Problem> {
    unqueued(move || reported(&access, &id, wanted.format, Words::english)).await
}

/// What a report says in the language of the page.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportBody {
    /// `md` or `html`.
    format: Format,
    /// What is said of each turn, in their order.
    turns: Vec<Told>,
    /// What stands before the places that an answer rests on.
    rests_on: String,
    /// In which language charts write numbers: `en`, `zh` or `de`.
    #[serde(default)]
    #[schema(value_type = String)]
    language: Tongue,
}

/// What a report says of one answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    /// The answer, or why there is none.
    answer: String,
    /// How sure it is, and of what it was computed.
    basis: String,
}

/// The same, in the words of whoever wants it, such as those of another language.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/report", tag = "ask", params(("id" = String, Path, description = "The conversation"), OfLibrary), request_body = ReportBody, responses((status = 200, content_type = "text/html"), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn worded(
    access: Access<READ>,
    Inside(id): Inside<String>,
    Body(body): Body<ReportBody>,
) -> Result<Response, Problem> {
    let ReportBody { format, turns, rests_on, language } = body;
    let given = turns.into_iter().map(|Told { answer, basis }| Said { answer, basis }).collect();
    let words = Words { turns: given, rests_on, tongue: language };
    unqueued(move || reported(&access, &id, format, |_| words)).await
}

fn reported(
    access: &Access<READ>,
    id: &str,
    format: Format,
    words: impl FnOnce(&[Turn]) -> Words,
) -> Result<Response> {
    let (library, owner) = (access.shelf.library(), access.caller.owner.as_deref());
    let turns = library.turns(owner, id)?;
    let named = library.conversations(owner)?.into_iter().find(|c| c.id == id);
    let title = named.map_or_else(|| id.to_owned(), |c| c.question);
    let words = words(&turns);
    let text = match format {
        Format::Md => report::markdown(&title, &turns, &words),
        Format::Html => report::html(&title, &turns, &words),
        _ => return Err(not_for("a conversation").hint("md or html")),
    };
    Ok(format.file(&title, Bytes::from(text)))
}

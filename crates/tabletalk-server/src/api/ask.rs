//! Questions, statements, SQL, conversations.

use super::library::OfLibrary;
use super::{Answered, Body, Inside, sse};
use crate::app::App;
use crate::guard::{Access, Caller, READ, WRITE};
use crate::problem::{ErrorBody, Problem};
use crate::work::{blocking, statement, unqueued};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk_library::sql::Stop;
use tabletalk_library::{Answer, AskRequest, Error, Library, Result, view};
use tokio::sync::mpsc;
use utoipa::ToSchema;

/// Pieces of text that may wait for a slow reader.
const WAITING: usize = 256;
/// The longest question, in characters.
const LONGEST: usize = 8000;
/// How often a language model is asked at most.
const SAMPLES: usize = 10;

/// A question as the server takes it: of this caller, and within its limits.
fn asked(request: AskRequest, caller: &Caller, stop: Stop) -> Result<AskRequest> {
    if request.question.chars().count() > LONGEST {
        return Err(Error::input(format!("the question is longer than {LONGEST} characters")));
    }
    let samples = request.samples.map(|n| n.clamp(1, SAMPLES));
    Ok(AskRequest { samples, owner: caller.owner.clone(), stop, ..request })
}

/// Answers a question or judges a statement.
pub(crate) type By = fn(&Library, &AskRequest, &mut dyn FnMut(&str)) -> Result<Answer>;

/// Answers on this thread.
pub(crate) fn answer(
    app: &App,
    at: &Access<READ>,
    request: AskRequest,
    by: By,
    stop: Stop,
    on_text: &mut dyn FnMut(&str),
) -> Result<Answer> {
    let answer = by(&at.shelf.library(), &asked(request, &at.caller, stop)?, on_text)?;
    app.measure.answer(&answer);
    Ok(answer)
}

/// Raised when whoever asked is gone.
pub(crate) struct Waiting(Stop);

impl Waiting {
    pub(crate) fn new() -> (Waiting, Stop) {
        let stop = Stop::new();
        (Waiting(stop.clone()), stop)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

async fn respond(
    app: Arc<App>,
    access: Access<READ>,
    headers: &HeaderMap,
    request: AskRequest,
    by: By,
) -> Result<Response, Problem> {
    let wants_events = headers.get(header::ACCEPT).and_then(|a| a.to_str().ok());
    let shared = app.clone();
    if !wants_events.is_some_and(|a| a.contains("text/event-stream")) {
        let (waiting, stop) = Waiting::new();
        let answered = blocking(&app, move || answer(&shared, &access, request, by, stop, &mut |_| {})).await;
        drop(waiting);
        return Ok(Json(view::answer(&answered?)).into_response());
    }
    let (sender, receiver) = mpsc::channel(WAITING);
    let events = sse::stream(&app, receiver);
    tokio::spawn(async move {
        let (waiting, stop) = Waiting::new();
        let (texts, raised) = (sender.clone(), stop.clone());
        let work = blocking(&app, move || {
            answer(&shared, &access, request, by, stop, &mut |text| {
                // A reader that is gone wants no more.
                if texts.blocking_send(sse::event("text", &json!({"text": text}))).is_err() {
                    raised.stop();
                }
            })
        });
        let last = tokio::select! {
            answered = work => match answered {
                Ok(answer) => sse::event("answer", &view::answer(&answer)),
                Err(problem) => sse::event("error", &ErrorBody { error: problem.body }),
            },
            () = sender.closed() => return drop(waiting),
        };
        let _ = sender.send(last).await;
    });
    Ok(events.into_response())
}

/// Answers a question. With `Accept: text/event-stream` what a model writes comes as it writes it: events `text`,
/// then `answer` or `error`.
#[utoipa::path(post, path = "/api/v1/ask", tag = "ask", params(OfLibrary), request_body = AskRequest, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody), (status = 502, body = ErrorBody)))]
pub(crate) async fn ask(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    headers: HeaderMap,
    Body(request): Body<AskRequest>,
) -> Result<Response, Problem> {
    respond(app, access, &headers, request, Library::ask).await
}

/// Says whether a statement is supported or refuted.
#[utoipa::path(post, path = "/api/v1/verify", tag = "ask", params(OfLibrary), request_body = AskRequest, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody), (status = 502, body = ErrorBody)))]
pub(crate) async fn verify(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    headers: HeaderMap,
    Body(request): Body<AskRequest>,
) -> Result<Response, Problem> {
    respond(app, access, &headers, request, Library::verify).await
}

/// A statement in SQL.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SqlBody {
    statement: String,
}

/// Runs a read-only statement over the tables.
#[utoipa::path(post, path = "/api/v1/sql", tag = "ask", params(OfLibrary), request_body = SqlBody, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn sql(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Body(body): Body<SqlBody>,
) -> Answered<Value> {
    let (waiting, stop) = Waiting::new();
    let caller = access.caller.clone();
    let ran = statement(&app, &caller, move || {
        Ok(Json(view::ran(&access.shelf.library().sql_until(&body.statement, &stop)?)))
    })
    .await;
    drop(waiting);
    ran
}

/// The conversations of this key, the latest first.
#[utoipa::path(get, path = "/api/v1/conversations", tag = "ask", params(OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn conversations(access: Access<READ>) -> Answered<Value> {
    unqueued(move || {
        let library = access.shelf.library();
        let all = library.conversations(access.caller.owner.as_deref())?;
        Ok(Json(json!({ "conversations": all })))
    })
    .await
}

/// A conversation with its questions and answers.
#[utoipa::path(get, path = "/api/v1/conversations/{id}", tag = "ask", params(("id" = String, Path, description = "The conversation"), OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn conversation(access: Access<READ>, Inside(id): Inside<String>) -> Answered<Value> {
    unqueued(move || {
        let turns = access.shelf.library().turns(access.caller.owner.as_deref(), &id)?;
        let turn = |t: &tabletalk_library::store::Turn| json!({"question": t.question, "answer": view::answer(&t.answer)});
        Ok(Json(json!({"id": id, "turns": turns.iter().map(turn).collect::<Vec<_>>()})))
    })
    .await
}

/// What a conversation is called.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TitleBody {
    /// Its name; its first question again when it is empty.
    title: String,
}

/// Calls a conversation of this key something.
#[utoipa::path(put, path = "/api/v1/conversations/{id}", tag = "ask", params(("id" = String, Path, description = "The conversation"), OfLibrary), request_body = TitleBody, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn call(
    access: Access<READ>,
    Inside(id): Inside<String>,
    Body(body): Body<TitleBody>,
) -> Answered<Value> {
    unqueued(move || {
        let title: String = body.title.chars().take(200).collect();
        access.shelf.library().call_conversation(access.caller.owner.as_deref(), &id, &title)?;
        Ok(Json(json!({"id": id, "title": title})))
    })
    .await
}

/// Forgets a conversation of this key.
#[utoipa::path(delete, path = "/api/v1/conversations/{id}", tag = "ask", params(("id" = String, Path, description = "The conversation"), OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn forget(access: Access<WRITE>, Inside(id): Inside<String>) -> Answered<Value> {
    unqueued(move || {
        match access.shelf.library().forget_conversation(access.caller.owner.as_deref(), &id)? {
            true => Ok(Json(json!({"forgotten": id}))),
            false => Err(Error::missing(format!("there is no conversation `{id}`"))),
        }
    })
    .await
}

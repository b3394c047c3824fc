//! Endpoints in the shapes that other programs know: chat completions, embeddings, models, rerank.

use crate::api::ask::{Waiting, answer};
use crate::api::{Answered, Body, sse};
use crate::app::App;
use crate::guard::{Access, READ};
use crate::problem::{ErrorBody, Problem};
use crate::work::blocking;
use axum::Json;
use axum::extract::State;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk_library::answer::{Citation, Outcome};
use tabletalk_library::{Answer, AskRequest, Error, Library, Result};
use tokio::sync::mpsc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The name under which a library answers.
const MODEL: &str = "tabletalk";
/// The most texts of one request.
const TEXTS: usize = 2048;

pub(crate) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(models))
        .routes(routes!(completions))
        .routes(routes!(embeddings))
        .routes(routes!(rerank))
}

/// A model's card.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelCard {
    id: String,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Models {
    object: &'static str,
    data: Vec<ModelCard>,
}

/// The models: `tabletalk` answers over the default library, `tabletalk/NAME` over another, `embed:KEY` embeds.
#[utoipa::path(get, path = "/v1/models", tag = "openai", responses((status = 200, body = Models), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn models(State(app): State<Arc<App>>, access: Access<READ>) -> Json<Models> {
    let mut ids = vec![MODEL.to_owned()];
    let others = app.shelves().into_iter().skip(1).filter(|s| access.caller.may_use(&s.name));
    ids.extend(others.map(|s| format!("{MODEL}/{}", s.name)));
    ids.extend(access.shelf.library().embed_keys().into_iter().map(|key| format!("embed:{key}")));
    let card = |id| ModelCard { id, object: "model", created: 0, owned_by: "tabletalk" };
    Json(Models { object: "list", data: ids.into_iter().map(card).collect() })
}

/// A message of a talk.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ChatMessage {
    role: String,
    /// A text, or parts of which those of type `text` are read.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    content: Option<Value>,
}

impl ChatMessage {
    fn text(&self) -> String {
        match &self.content {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|p| p["text"].as_str());
                texts.collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        }
    }
}

/// A chat completion. What is not listed is taken and has no effect.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ChatRequest {
    model: String,
    messages: Vec<ChatMessage>,
    #[serde(default)]
    stream: bool,
}

/// Answers the last question of a talk. Citations are `annotations` of the message; the whole answer is in `tabletalk`.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "openai", request_body = ChatRequest, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody), (status = 502, body = ErrorBody)))]
pub(crate) async fn completions(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Body(request): Body<ChatRequest>,
) -> Result<Response, Problem> {
    let shelf = match request.model.split_once('/') {
        _ if request.model == MODEL => access.shelf,
        Some((MODEL, name)) if access.caller.may_use(name) => app.shelf(Some(name))?,
        _ => {
            return Err(Error::missing(format!("there is no model `{}`", request.model))
                .hint("GET /v1/models lists them")
                .into());
        }
    };
    let at = Access::<READ> { shelf, caller: access.caller };
    let question = question(&request.messages)?;
    let body = AskRequest { question, ..AskRequest::default() };
    let (id, created) = (format!("chatcmpl-{}", uuid::Uuid::now_v7().simple()), crate::task::now() / 1000);
    let (model, shared) = (request.model, app.clone());
    if !request.stream {
        let (waiting, stop) = Waiting::new();
        let answered =
            blocking(&app, move || answer(&shared, &at, body, Library::ask, stop, &mut |_| {})).await;
        drop(waiting);
        let answer = answered?;
        let (content, annotations) = message(&answer);
        let usage = json!({
            "prompt_tokens": answer.usage.prompt_tokens,
            "completion_tokens": answer.usage.completion_tokens,
            "total_tokens": answer.usage.prompt_tokens + answer.usage.completion_tokens,
        });
        let said =
            json!({"role": "assistant", "content": content, "refusal": null, "annotations": annotations});
        return Ok(Json(json!({
            "id": id, "object": "chat.completion", "created": created, "model": model,
            "choices": [{"index": 0, "message": said, "finish_reason": "stop", "logprobs": null}],
            "usage": usage, "tabletalk": tabletalk_library::view::answer(&answer),
        }))
        .into_response());
    }
    let (sender, receiver) = mpsc::channel(64);
    let events = sse::stream(&app, receiver);
    tokio::spawn(async move {
        let (waiting, stop) = Waiting::new();
        let work = blocking(&app, move || answer(&shared, &at, body, Library::ask, stop, &mut |_| {}));
        let answered = tokio::select! {
            answered = work => answered,
            () = sender.closed() => return drop(waiting),
        };
        let chunk = |delta: Value, finish: Option<&str>| {
            sse::event(
                "",
                &json!({
                    "id": id, "object": "chat.completion.chunk", "created": created, "model": model,
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                }),
            )
        };
        let pieces: Vec<Event> = match answered {
            Err(problem) => vec![sse::event("", &ErrorBody { error: problem.body })],
            Ok(answer) => {
                let (content, annotations) = message(&answer);
                let mut pieces = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
                pieces.extend(content.split_inclusive(' ').map(|word| chunk(json!({"content": word}), None)));
                pieces.push(chunk(json!({"annotations": annotations}), None));
                pieces.push(chunk(json!({}), Some("stop")));
                pieces
            }
        };
        for piece in pieces.into_iter().chain([Event::default().data("[DONE]")]) {
            if sender.send(piece).await.is_err() {
                return;
            }
        }
    });
    Ok(events.into_response())
}

/// The last thing the user said. What went before it is not told: a conversation is kept by the server, not sent again.
fn question(messages: &[ChatMessage]) -> Result<String> {
    let last = messages.iter().rev().find(|m| m.role == "user").map(ChatMessage::text);
    last.filter(|text| !text.trim().is_empty())
        .ok_or_else(|| Error::input("there is no message of the user").hint("send one with the role `user`"))
}

/// The text of an answer with numbers for its citations, and the citations with their places in that text.
fn message(answer: &Answer) -> (String, Vec<Value>) {
    let mut text = match answer.outcome {
        Outcome::Answered => answer.answer.clone(),
        Outcome::Clarify => {
            let readings =
                answer.readings.iter().map(|r| format!("\n- {} (in {}): {}", r.words, r.table, r.answer));
            format!("{}{}", answer.answer, readings.collect::<String>())
        }
        Outcome::Unknown => {
            let lead = if answer.readings.is_empty() { "" } else { "\nDid you mean:" };
            let readings = answer.readings.iter().map(|r| format!("\n- {} (in {})", r.words, r.table));
            format!("Not known: {}{lead}{}", answer.answer, readings.collect::<String>())
        }
    };
    let mut annotations = Vec::new();
    for (i, citation) in answer.citations.iter().enumerate().take(20) {
        let start = text.chars().count();
        text.push_str(&format!(" [{}]", i + 1));
        annotations.push(annotation(citation, start + 1, text.chars().count()));
    }
    (text, annotations)
}

fn annotation(citation: &Citation, start: usize, end: usize) -> Value {
    let place = tabletalk_library::view::place(&citation.place);
    let id: String = citation.id.bytes().map(encoded).collect();
    json!({
        "type": "url_citation",
        "url_citation": {
            "url": format!("/#/place/{id}"), "title": citation.place.to_string(),
            "start_index": start, "end_index": end,
        },
        "place": place, "id": citation.id, "text": citation.text,
    })
}

fn encoded(byte: u8) -> String {
    match byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    }
}

/// One text or several.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Texts {
    One(String),
    Many(Vec<String>),
}

/// Texts to be embedded.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct EmbedRequest {
    /// `embed:KEY`; any other name embeds each text by the model for its language.
    model: String,
    input: Texts,
    /// `float` or `base64`.
    #[serde(default)]
    encoding_format: Option<String>,
}

/// The vectors of texts.
#[utoipa::path(post, path = "/v1/embeddings", tag = "openai", request_body = EmbedRequest, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody), (status = 502, body = ErrorBody)))]
pub(crate) async fn embeddings(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Body(request): Body<EmbedRequest>,
) -> Answered<Value> {
    let texts = match request.input {
        Texts::One(text) => vec![text],
        Texts::Many(texts) => texts,
    };
    check(&texts)?;
    blocking(&app, move || {
        let key = request.model.strip_prefix("embed:");
        let vectors = access.shelf.library().vectors(key, &texts)?;
        let words: usize = texts.iter().map(|t| t.split_whitespace().count()).sum();
        let packed = request.encoding_format.as_deref() == Some("base64");
        let one = |(i, vector): (usize, &Vec<f32>)| {
            let value = match packed {
                true => json!(
                    base64::engine::general_purpose::STANDARD
                        .encode(vector.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
                ),
                false => json!(vector),
            };
            json!({"object": "embedding", "index": i, "embedding": value})
        };
        let data: Vec<Value> = vectors.iter().enumerate().map(one).collect();
        Ok(Json(json!({
            "object": "list", "data": data, "model": request.model,
            "usage": {"prompt_tokens": words, "total_tokens": words},
        })))
    })
    .await
}

fn check(texts: &[String]) -> Result<()> {
    if texts.is_empty() || texts.len() > TEXTS || texts.iter().any(|t| t.trim().is_empty()) {
        return Err(Error::input(format!("send 1 to {TEXTS} texts, none of them empty")));
    }
    Ok(())
}

/// A passage: a text, or an object with one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Passage {
    Text(String),
    Object { text: String },
}

/// Passages to be put in order.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct RerankRequest {
    /// The name of a reranker; any other name means the first that scores texts.
    #[serde(default)]
    model: Option<String>,
    query: String,
    documents: Vec<Passage>,
    #[serde(default)]
    top_n: Option<usize>,
    /// Whether the passages are given back too.
    #[serde(default)]
    return_documents: Option<bool>,
}

/// Puts passages in the order in which they answer a query.
#[utoipa::path(post, path = "/v1/rerank", tag = "openai", request_body = RerankRequest, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody), (status = 502, body = ErrorBody)))]
pub(crate) async fn rerank(
    State(app): State<Arc<App>>,
    access: Access<READ>,
    Body(request): Body<RerankRequest>,
) -> Answered<Value> {
    let text = |p: Passage| match p {
        Passage::Text(text) | Passage::Object { text } => text,
    };
    let texts: Vec<String> = request.documents.into_iter().map(text).collect();
    check(&texts)?;
    if request.query.trim().is_empty() {
        return Err(Error::input("the query is empty").into());
    }
    let known = app.config().rerank;
    let name = match request.model {
        Some(name) if known.contains_key(&name) => name,
        // The late reranker uses the bundled encoders, so it is always there.
        _ => "late".to_owned(),
    };
    let returns = request.return_documents.unwrap_or(true);
    let (top, query) = (request.top_n.unwrap_or(usize::MAX), request.query);
    blocking(&app, move || {
        let scores = access.shelf.library().scores(&name, &query, &texts)?;
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let score = |i: usize| scores.get(i).copied().unwrap_or(f32::MIN);
        order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
        let result = |i: &usize| {
            let mut value = json!({"index": i, "relevance_score": score(*i)});
            if returns {
                value["document"] = json!({"text": texts.get(*i)});
            }
            value
        };
        let results: Vec<Value> = order.iter().take(top).map(result).collect();
        let words: usize = texts.iter().map(|t| t.split_whitespace().count()).sum();
        Ok(Json(json!({"model": name, "results": results, "usage": {"total_tokens": words}})))
    })
    .await
}

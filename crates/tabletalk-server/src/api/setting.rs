//! Settings of models, and whether they work.

use super::library::OfLibrary;
use super::{Answered, Body};
use crate::app::App;
use crate::guard::{ADMIN, Access, READ};
use crate::key::Role;
use crate::problem::ErrorBody;
use crate::work::unqueued;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;
use tabletalk_library::config::Chat;
use tabletalk_library::{Error, Result, providers};
use utoipa::ToSchema;

fn settings(app: &App, editable: bool) -> Result<Value> {
    let config = app.config();
    let embed: Vec<Value> = config
        .embed
        .iter()
        .map(|e| match editable {
            true => json!({"key": e.key, "model": e.model, "language": e.language, "groups": e.groups}),
            // A model may be named by its path; searches name the key.
            false => json!({"key": e.key, "model": e.key}),
        })
        .collect();
    let rerank: Vec<&String> = config.rerank.keys().collect();
    // Addresses, names of variables and files are for those who set them.
    let chat = match editable {
        true => shown(config.chat.as_ref())?,
        false => config.chat.as_ref().map_or(Value::Null, |c| json!({"model": c.model.model})),
    };
    Ok(json!({
        "chat": chat, "embed": embed, "rerank": rerank,
        "search": {"similarity": config.search.similarity, "rerank": config.search.rerank},
        "strategies": config.strategy.names(),
        "editable": editable,
    }))
}

/// A language model without the place of its key.
fn shown(chat: Option<&Chat>) -> Result<Value> {
    let Some(chat) = chat else { return Ok(Value::Null) };
    let mut value = serde_json::to_value(chat)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("api_key_file");
        fields.insert("has_key".into(), json!(chat.api_key_file.is_some()));
        fields.insert("leaves".into(), json!(providers::leaves(chat)));
    }
    Ok(value)
}

/// The models in use. Keys of providers are in the environment or in a file of their own and never shown; where models are and how they are
/// reached is told to admins of the whole server alone.
#[utoipa::path(get, path = "/api/v1/settings", tag = "settings", responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn get(State(app): State<Arc<App>>, access: Access<READ>) -> Answered<Value> {
    let editable = access.caller.role == Some(Role::Admin) && access.caller.check_everywhere().is_ok();
    Ok(Json(settings(&app, editable)?))
}

/// A language model, as in the `[chat]` section; `null` for none.
#[derive(Deserialize, ToSchema)]
#[schema(value_type = Option<Object>)]
pub(crate) struct ChatBody(Option<Value>);

/// What a caller says of a language model. Files and other secrets of this machine are not for callers to name.
fn chat(value: Value) -> Result<Chat> {
    let chat: Chat = serde_json::from_value(value).map_err(|e| Error::input(format!("chat: {e}")))?;
    if chat.record.is_some() {
        return Err(Error::input("`record` can only be set in the configuration"));
    }
    if chat.api_key_file.is_some() {
        return Err(
            Error::input("`api_key_file` can only be set in the configuration").hint("give the key itself")
        );
    }
    if chat.api_key_env.as_ref().is_some_and(|name| !name.ends_with("_API_KEY")) {
        return Err(Error::input("the variable that holds a provider's key must end in `_API_KEY`")
            .hint("set another one in the configuration"));
    }
    Ok(chat)
}

/// What a caller says of a language model, with its key: a new one is kept, the one that is kept goes to the server that it
/// was given for and to no other.
fn with_key(app: &App, mut said: Value, keeps: bool) -> Result<Chat> {
    let fields = said.as_object_mut().ok_or_else(|| Error::input("chat: this is no object"))?;
    // What is shown comes back with a form.
    fields.retain(|name, _| !["has_key", "leaves"].contains(&name.as_str()));
    let given = fields.get("api_key").and_then(Value::as_str).map(|key| key.trim().to_owned());
    let given = given.filter(|key| !key.is_empty());
    if keeps || given.is_none() {
        fields.remove("api_key");
    }
    let mut chat = chat(said)?;
    let is_same =
        |before: &Chat| before.model.provider == chat.model.provider && before.model.url == chat.model.url;
    chat.api_key_file = match given {
        Some(key) if keeps => Some(app.keep_key(&key)?),
        Some(_) => None,
        None => app.config().chat.filter(is_same).and_then(|before| before.api_key_file),
    };
    Ok(chat)
}

/// The language models that can be used from here: those of servers on this machine, and of providers whose key is in the
/// environment.
#[utoipa::path(get, path = "/api/v1/settings/models", tag = "settings", responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn find(access: Access<ADMIN>) -> Answered<Value> {
    access.caller.check_everywhere()?;
    unqueued(move || Ok(Json(json!({"found": providers::offers()})))).await
}

/// Uses another language model from now on.
#[utoipa::path(put, path = "/api/v1/settings/chat", tag = "settings", request_body = ChatBody, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn set_chat(
    State(app): State<Arc<App>>,
    access: Access<ADMIN>,
    Body(body): Body<ChatBody>,
) -> Answered<Value> {
    access.caller.check_everywhere()?;
    unqueued(move || {
        app.set_chat(body.0.map(|said| with_key(&app, said, true)).transpose()?)?;
        Ok(Json(settings(&app, true)?))
    })
    .await
}

/// What is to be tried.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestBody {
    /// `chat`, `embed` or `rerank`.
    what: String,
    /// The embed key or the reranker; the first one when it is not named.
    #[serde(default)]
    name: Option<String>,
    /// A language model to try before it is used.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    chat: Option<Value>,
}

/// Whether a model works.
#[derive(Serialize, ToSchema)]
pub(crate) struct Tested {
    ok: bool,
    ms: f64,
    message: String,
}

/// Tries a model.
#[utoipa::path(post, path = "/api/v1/settings/test", tag = "settings", params(OfLibrary), request_body = TestBody, responses((status = 200, body = Tested), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn test(
    State(app): State<Arc<App>>,
    access: Access<ADMIN>,
    Body(body): Body<TestBody>,
) -> Answered<Tested> {
    access.caller.check_everywhere()?;
    unqueued(move || {
        let library = access.shelf.library();
        let begun = Instant::now();
        let tried = match body.what.as_str() {
            "chat" => {
                let settings = body.chat.map(|said| with_key(&app, said, false)).transpose()?;
                library.try_chat(settings.as_ref()).map(|said| format!("it says: {}", said.trim()))
            }
            "embed" => library
                .vectors(body.name.as_deref(), &["a table of sales".to_owned()])
                .map(|v| format!("{} numbers", v.first().map_or(0, Vec::len))),
            "rerank" => {
                let config = app.config();
                let name = body.name.or_else(|| config.rerank.keys().next().cloned()).unwrap_or_default();
                let passages = ["units sold by month".to_owned(), "a poem about the sea".to_owned()];
                library.scores(&name, "sales", &passages).map(|s| format!("{name}: {s:.2?}"))
            }
            other => {
                return Err(Error::input(format!("`{other}` cannot be tried")).hint("chat, embed or rerank"));
            }
        };
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        let (ok, message) = match tried {
            Ok(message) => (true, message),
            Err(e) => (false, e.to_string()),
        };
        Ok(Json(Tested { ok, ms, message }))
    })
    .await
}

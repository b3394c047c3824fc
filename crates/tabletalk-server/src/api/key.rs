//! API keys.

use super::{Answered, Body, Inside};
use crate::app::App;
use crate::guard::{ADMIN, Access};
use crate::key::Role;
use crate::problem::{ErrorBody, Problem};
use crate::work::unqueued;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk_library::Error;
use utoipa::ToSchema;

/// A key to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    name: String,
    role: Role,
    /// The libraries it is for; all when empty.
    #[serde(default)]
    libraries: Vec<String>,
}

/// A key, without its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyBody {
    name: String,
    role: Role,
    libraries: Vec<String>,
    /// The key itself, told once.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeysBody {
    keys: Vec<KeyBody>,
}

/// The keys there are.
#[utoipa::path(get, path = "/api/v1/keys", tag = "keys", responses((status = 200, body = KeysBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn list(State(app): State<Arc<App>>, access: Access<ADMIN>) -> Answered<KeysBody> {
    access.caller.check_everywhere()?;
    let keys = app.keys.list()?.into_iter();
    let keys =
        keys.map(|k| KeyBody { name: k.name, role: k.role, libraries: k.libraries, key: None }).collect();
    Ok(Json(KeysBody { keys }))
}

/// Makes a key. From the first one on, every request needs one.
#[utoipa::path(post, path = "/api/v1/keys", tag = "keys", request_body = NewKey, responses((status = 201, body = KeyBody), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    access: Access<ADMIN>,
    Body(new): Body<NewKey>,
) -> Result<(StatusCode, Json<KeyBody>), Problem> {
    access.caller.check_everywhere()?;
    unqueued(move || {
        for library in &new.libraries {
            app.shelf(Some(library))?;
        }
        if !app.keys.any() && new.role != Role::Admin {
            return Err(Error::input("the first key must be one of an admin")
                .hint("without it nobody could make or remove keys here"));
        }
        let key = app.keys.add(&new.name, new.role, &new.libraries)?;
        let body = KeyBody { name: new.name, role: new.role, libraries: new.libraries, key: Some(key) };
        Ok((StatusCode::CREATED, Json(body)))
    })
    .await
}

/// Takes a key away; it opens nothing from then on.
#[utoipa::path(delete, path = "/api/v1/keys/{name}", tag = "keys", params(("name" = String, Path, description = "Its name")), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    access: Access<ADMIN>,
    Inside(name): Inside<String>,
) -> Answered<Value> {
    access.caller.check_everywhere()?;
    unqueued(move || match app.keys.remove(&name)? {
        true => Ok(Json(json!({ "removed": name }))),
        false => Err(Error::missing(format!("there is no key `{name}`"))),
    })
    .await
}

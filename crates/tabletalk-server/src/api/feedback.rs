//! What users think of answers.

use super::library::OfLibrary;
use super::{Answered, Body};
use crate::guard::{Access, READ};
use crate::problem::ErrorBody;
use crate::work::unqueued;
use axum::Json;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A word on an answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedbackBody {
    /// The conversation.
    conversation: String,
    /// Its turn, from 1.
    turn: usize,
    /// Whether the answer is right; `null` takes back what was said.
    good: Option<bool>,
}

/// Says whether an answer is right. It is kept with the question and how that was read, and counts when the same is asked again.
#[utoipa::path(post, path = "/api/v1/feedback", tag = "ask", params(OfLibrary), request_body = FeedbackBody, responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn put(access: Access<READ>, Body(body): Body<FeedbackBody>) -> Answered<Value> {
    unqueued(move || {
        let owner = access.caller.owner.as_deref();
        access.shelf.library().judge_turn(owner, &body.conversation, body.turn, body.good)?;
        Ok(Json(json!({"good": body.good})))
    })
    .await
}

/// What was said of answers, by question.
#[utoipa::path(get, path = "/api/v1/feedback", tag = "ask", params(OfLibrary), responses((status = 200, body = serde_json::Value), (status = "4XX", body = ErrorBody)))]
pub(crate) async fn list(access: Access<READ>) -> Answered<Value> {
    unqueued(move || Ok(Json(json!({"feedback": access.shelf.library().feedback()?})))).await
}

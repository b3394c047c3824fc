//! Errors as answers: `{"error":{"kind","message","hint"}}` and the status of their fault.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tabletalk_library::{Error, Fault};
use utoipa::ToSchema;

/// An error on its way to the caller.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) body: Said,
}

/// What is said of an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct Said {
    /// Whose fault it is: `input`, `missing`, `limit`, `upstream`, `io`, `bug`, `forbidden` or `key`.
    pub(crate) kind: String,
    /// What went wrong.
    pub(crate) message: String,
    /// What can be done about it.
    pub(crate) hint: Option<String>,
}

/// The body of every error.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// What went wrong.
    pub(crate) error: Said,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, kind: &str, message: impl Into<String>) -> Self {
        Problem { status, body: Said { kind: kind.to_owned(), message: message.into(), hint: None } }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.body.hint = Some(hint.into());
        self
    }

    /// No key, or one that is not known.
    pub(crate) fn key(message: &str) -> Self {
        Problem::new(StatusCode::UNAUTHORIZED, "key", message)
            .hint("send `Authorization: Bearer KEY`; `tabletalk key add NAME` makes one")
    }

    /// A key that may not do this.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "limit", message)
    }
}

impl From<Error> for Problem {
    fn from(e: Error) -> Self {
        let fault = e.fault();
        if fault == Fault::Bug || fault == Fault::Io {
            tracing::error!(message = e.message(), "request failed");
        }
        let status = StatusCode::from_u16(fault.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let hint = e.cure().map(str::to_owned);
        Problem { status, body: Said { kind: fault.name().into(), message: e.message().into(), hint } }
    }
}

impl From<JsonRejection> for Problem {
    fn from(e: JsonRejection) -> Self {
        match e.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::too_large("the request is too large"),
            _ => Problem::new(StatusCode::BAD_REQUEST, "input", e.body_text()),
        }
    }
}

impl From<QueryRejection> for Problem {
    fn from(e: QueryRejection) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, "input", e.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(e: PathRejection) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, "input", e.body_text())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorBody { error: self.body })).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge = axum::http::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(axum::http::header::WWW_AUTHENTICATE, challenge);
        }
        if matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            let wait = axum::http::HeaderValue::from_static("1");
            response.headers_mut().insert(axum::http::header::RETRY_AFTER, wait);
        }
        response
    }
}

//! The API: one file for each kind of thing, described by OpenAPI as it is written.

pub(crate) mod ask;
mod document;
mod export;
mod extract;
mod feedback;
mod health;
mod key;
mod library;
pub(crate) mod search;
mod setting;
pub(crate) mod sse;
mod table;
mod task;
mod tree;

pub(crate) use extract::{Body, Inside, Params};

use crate::app::App;
use crate::problem::{ErrorBody, Said};
use axum::extract::DefaultBodyLimit;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

/// What every handler gives.
pub(crate) type Answered<T> = Result<axum::Json<T>, crate::problem::Problem>;

/// The same, when it is written already.
pub(crate) type Written = Result<Response, crate::problem::Problem>;

/// About how long a written answer is.
const LENGTH: usize = 16 << 10;

/// An answer as JSON. Written by the thread that made it, what it is made of is given back where it was taken: the memory of
/// another thread costs more.
pub(crate) fn written(answer: &impl serde::Serialize) -> tabletalk_library::Result<Response> {
    let mut text = Vec::with_capacity(LENGTH);
    serde_json::to_writer(&mut text, answer)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

#[derive(OpenApi)]
#[openapi(
    info(title = "tabletalk", description = "Ask questions over piles of tables and documents, cited to the cell."),
    components(schemas(ErrorBody, Said)),
    security((), ("key" = [])),
    modifiers(&Secured)
)]
struct Description;

struct Secured;

impl utoipa::Modify for Secured {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
}

/// All routes of the API, with their description.
pub(crate) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(library::server))
        .routes(routes!(library::list, library::make))
        .routes(routes!(library::groups))
        .routes(routes!(library::backup))
        .routes(routes!(library::restore))
        // Uploads have a limit of their own, counted as they come.
        .routes(routes!(document::list, document::upload).layer(DefaultBodyLimit::disable()))
        .routes(routes!(document::get, document::forget))
        .routes(routes!(document::text))
        .routes(routes!(document::file))
        .routes(routes!(document::page))
        .routes(routes!(table::list))
        .routes(routes!(table::get))
        .routes(routes!(table::rows, table::select))
        .routes(routes!(table::position))
        .routes(routes!(export::table))
        .routes(routes!(table::correct, table::preview, table::undo))
        .routes(routes!(search::by_query, search::by_body))
        .routes(routes!(ask::ask))
        .routes(routes!(ask::verify))
        .routes(routes!(ask::sql))
        .routes(routes!(ask::conversations))
        .routes(routes!(ask::conversation, ask::call, ask::forget))
        .routes(routes!(export::conversation, export::worded))
        .routes(routes!(export::draw))
        .routes(routes!(export::result))
        .routes(routes!(feedback::list, feedback::put))
        .routes(routes!(tree::tree))
        .routes(routes!(tree::node))
        .routes(routes!(task::list, task::start))
        .routes(routes!(task::get, task::cancel))
        .routes(routes!(task::events))
        .routes(routes!(tree::evaluations))
        .routes(routes!(tree::forget_evaluation))
        .routes(routes!(tree::runs))
        .routes(routes!(tree::run))
        .routes(routes!(setting::get))
        .routes(routes!(setting::set_chat))
        .routes(routes!(setting::find))
        .routes(routes!(setting::test))
        .routes(routes!(key::list, key::add))
        .routes(routes!(key::remove))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .merge(crate::openai::routes())
}

/// The description of the API.
pub fn description() -> utoipa::openapi::OpenApi {
    routes().split_for_parts().1
}

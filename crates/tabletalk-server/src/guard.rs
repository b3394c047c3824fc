//! Who may pass: hosts and origins, keys and roles, rates and numbers.

use crate::app::App;
use crate::key::{Key, Role};
use crate::problem::Problem;
use crate::shelf::Shelf;
use crate::work::Counted;
use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;
use tabletalk_library::serving::Server;
use tokio::time::timeout;
use tracing::Instrument;

/// What a reader may do, and so on: the roles as they are named in the types of handlers.
pub(crate) const READ: u8 = 0;
pub(crate) const WRITE: u8 = 1;
pub(crate) const ADMIN: u8 = 2;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Who calls.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) name: String,
    /// `None` when a key is needed and none was given.
    pub(crate) role: Option<Role>,
    libraries: Vec<String>,
}

impl Caller {
    /// Someone on this machine, where no keys are asked for.
    fn local() -> Caller {
        Caller { name: "local".into(), role: Some(Role::Admin), libraries: Vec::new() }
    }

    /// Whether this key is for the whole server: what is common to all libraries is not for a key of some.
    pub(crate) fn check_everywhere(&self) -> Result<(), Problem> {
        match self.libraries.is_empty() {
            true => Ok(()),
            false => Err(Problem::forbidden(format!("key `{}` is for some libraries only", self.name))),
        }
    }

    pub(crate) fn may_use(&self, library: &str) -> bool {
        self.libraries.is_empty() || self.libraries.iter().any(|l| l == library)
    }
}

impl From<Key> for Caller {
    fn from(key: Key) -> Caller {
        Caller { name: key.name, role: Some(key.role), libraries: key.libraries }
    }
}

/// A caller of at least this role, at the library that was named.
pub(crate) struct Access<const ROLE: u8> {
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) caller: Caller,
}

impl<const ROLE: u8> FromRequestParts<Arc<App>> for Access<ROLE> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let wanted = [Role::Read, Role::Write, Role::Admin].get(usize::from(ROLE)).copied();
        let wanted = wanted.unwrap_or(Role::Admin);
        let caller = parts.extensions.get::<Caller>().cloned();
        let caller = caller.ok_or_else(|| Problem::key("this needs a key"))?;
        let role = caller.role.ok_or_else(|| Problem::key("this needs a key"))?;
        if role < wanted {
            return Err(Problem::forbidden(format!("key `{}` may not do this", caller.name)).hint(format!(
                "it has the role {}, {} is needed",
                role.name(),
                wanted.name()
            )));
        }
        let library = library_in(&parts.uri);
        let shelf = match (&library, app.shelf(library.as_deref())) {
            // Without a name, a key for some libraries means the first of those.
            (None, Ok(shelf)) if !caller.may_use(&shelf.name) => {
                let ours = app.shelves().into_iter().find(|s| caller.may_use(&s.name));
                ours.ok_or_else(|| Problem::forbidden("this key is for no library that is here"))?
            }
            (Some(name), _) if !caller.may_use(name) => {
                return Err(Problem::forbidden(format!("key `{}` is not for library `{name}`", caller.name)));
            }
            (_, found) => found?,
        };
        Ok(Access { shelf, caller })
    }
}

/// The `library` of a request's query.
fn library_in(uri: &Uri) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        library: Option<String>,
    }
    axum::extract::Query::<Named>::try_from_uri(uri).ok()?.0.library.filter(|name| !name.is_empty())
}

/// How many requests a second each caller may send.
pub(crate) struct Limiter(DefaultKeyedRateLimiter<String>);

impl Limiter {
    pub(crate) fn new(server: &Server) -> Option<Limiter> {
        let quota = Quota::per_second(NonZeroU32::new(server.rate_per_s)?);
        let burst = NonZeroU32::new(server.burst.max(1))?;
        Some(Limiter(RateLimiter::keyed(quota.allow_burst(burst))))
    }

    fn passes(&self, caller: &str) -> bool {
        // Callers that were not heard of for long need not be remembered.
        if self.0.len() > 10_000 {
            self.0.retain_recent();
        }
        self.0.check_key(&caller.to_owned()).is_ok()
    }
}

/// Everything that stands before the handlers.
pub(crate) async fn guard(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = request_id(request.headers());
    let route = request.extensions().get::<MatchedPath>().map_or("other".into(), |p| p.as_str().to_owned());
    let method = request.method().clone();
    let span = tracing::info_span!("request", id = %id, %method, route, status = tracing::field::Empty);
    let passed = admit(&app, &mut request).instrument(span.clone()).await;
    let mut response = match passed {
        Ok(_counted) => match timeout(app.patience(), next.run(request).instrument(span.clone())).await {
            Ok(response) => response,
            Err(_) => Problem::new(StatusCode::GATEWAY_TIMEOUT, "limit", "this took too long")
                .hint("raise `request_timeout_s` under [server], or ask for less")
                .into_response(),
        },
        Err(problem) => problem.into_response(),
    };
    let (status, took) = (response.status(), begun.elapsed());
    app.measure.request(&route, method.as_str(), status.as_u16(), took);
    span.in_scope(|| {
        let ms = took.as_secs_f64() * 1e3;
        span.record("status", status.as_u16());
        tracing::debug!(ms, "request");
    });
    secure(response.headers_mut());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The caller's own id where it is short and plain, a new one otherwise.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|v| v.to_str().ok());
    let is_plain = |id: &&str| {
        !id.is_empty()
            && id.len() <= 64
            && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    given.filter(is_plain).map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned)
}

async fn admit<'a>(app: &'a Arc<App>, request: &mut Request) -> Result<Counted<'a>, Problem> {
    check_host(app, request.headers(), request.uri())?;
    check_origin(app, request.headers())?;
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|c| c.0.ip().to_string());
    let caller = identify(app, request.headers()).await?;
    if caller.role.is_none() && request.uri().path().starts_with("/mcp") {
        return Err(Problem::key("this needs a key"));
    }
    let who = match caller.role {
        Some(_) if caller.name != "local" => format!("key {}", caller.name),
        _ => address.unwrap_or_default(),
    };
    if app.limiter.as_ref().is_some_and(|limiter| !limiter.passes(&who)) {
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "limit", "too many requests a second"));
    }
    let most = app.waiting();
    let counted = Counted::enter(&app.in_work, most).ok_or_else(|| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "limit", "too many requests are waiting")
    })?;
    request.extensions_mut().insert(caller);
    Ok(counted)
}

/// On this machine alone and without keys, a page from elsewhere must not reach us under a name of its own.
fn check_host(app: &App, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
    if !app.is_loopback || app.keys.any() {
        return Ok(());
    }
    let host = headers
        .get(header::HOST)
        .and_then(|h| h.to_str().ok())
        .or_else(|| uri.authority().map(|a| a.as_str()));
    let name = host.map(host_name).unwrap_or_default();
    if is_local(name) || app.config().server.allow_hosts.iter().any(|h| h == name) {
        return Ok(());
    }
    Err(Problem::forbidden(format!("this server is not `{name}`"))
        .hint("address it as localhost, or name the host in `allow_hosts` under [server]"))
}

/// The host without its port.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

fn is_local(name: &str) -> bool {
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A page from elsewhere may not call us, whatever it sends.
fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = headers.get(header::ORIGIN).and_then(|o| o.to_str().ok()) else { return Ok(()) };
    let host = headers.get(header::HOST).and_then(|h| h.to_str().ok()).unwrap_or_default();
    let ours = origin.split_once("://").is_some_and(|(_, at)| at == host);
    if ours || app.config().server.allow_origins.iter().any(|o| o == origin) {
        return Ok(());
    }
    Err(Problem::forbidden(format!("pages of `{origin}` may not call this server"))
        .hint("name the origin in `allow_origins` under [server]"))
}

async fn identify(app: &Arc<App>, headers: &HeaderMap) -> Result<Caller, Problem> {
    let given = headers.get(header::AUTHORIZATION).and_then(|v| v.to_str().ok());
    let given =
        given.and_then(|v| v.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if !app.keys.any() {
        // Beyond loopback the server does not start without keys; should they all be removed, nobody passes.
        return match app.is_loopback {
            true => Ok(Caller::local()),
            false => Err(Problem::key("this server has no keys")),
        };
    }
    let Some((_, key)) = given else {
        return Ok(Caller { name: String::new(), role: None, libraries: Vec::new() });
    };
    if let Some(key) = app.keys.known(key) {
        return Ok(key.into());
    }
    let _turn = app.checking.acquire().await.map_err(|_| Problem::key("keys are not checked any more"))?;
    let (app, key) = (app.clone(), key.trim().to_owned());
    let found = crate::work::unqueued(move || app.keys.check(&key)).await?;
    found.map(Caller::from).ok_or_else(|| Problem::key("this key is not known"))
}

/// What every answer tells a browser.
fn secure(headers: &mut HeaderMap) {
    const FIXED: [(HeaderName, &str); 7] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in FIXED {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        assert!(is_local(host_name("localhost:7700")) && is_local(host_name("127.0.0.1")));
        assert!(is_local(host_name("[::1]:7700")));
        assert!(!is_local(host_name("evil.example:7700")) && !is_local(host_name("127.0.0.1.evil.example")));
    }
}

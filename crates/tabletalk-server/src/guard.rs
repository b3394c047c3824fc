//! Who may pass: hosts and origins, keys and roles, rates and numbers.

use crate::app::App;
use crate::key::{Key, Role};
use crate::problem::Problem;
use crate::shelf::Shelf;
use crate::work::Counted;
use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tabletalk_library::serving::Server;
use tokio::time::timeout_at;
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
    /// Whose conversations are this caller's; those of nobody in particular where no keys are asked for.
    pub(crate) owner: Option<String>,
}

impl Caller {
    /// Someone on this machine, where no keys are asked for.
    pub(crate) fn local() -> Caller {
        Caller { name: "local".into(), role: Some(Role::Admin), libraries: Vec::new(), owner: None }
    }

    /// Someone without a key.
    fn nobody() -> Caller {
        Caller { name: String::new(), role: None, libraries: Vec::new(), owner: None }
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
        let owner = Some(key.mark());
        Caller { name: key.name, role: Some(key.role), libraries: key.libraries, owner }
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

/// How many times the rate of a caller an address may send: several callers may be behind one.
const CALLERS: u32 = 4;

/// How many requests a second each caller, and each address, may send.
pub(crate) struct Limiter {
    callers: DefaultKeyedRateLimiter<String>,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
}

impl Limiter {
    pub(crate) fn new(server: &Server) -> Option<Limiter> {
        let quota = |times: u32| {
            let rate = NonZeroU32::new(server.rate_per_s.saturating_mul(times))?;
            let burst = NonZeroU32::new(server.burst.max(1).saturating_mul(times))?;
            Some(Quota::per_second(rate).allow_burst(burst))
        };
        let (callers, addresses) = (RateLimiter::keyed(quota(1)?), RateLimiter::keyed(quota(CALLERS)?));
        Some(Limiter { callers, addresses })
    }

    fn passes(&self, caller: &str) -> bool {
        // Callers that were not heard of for long need not be remembered.
        if self.callers.len() > 10_000 {
            self.callers.retain_recent();
        }
        self.callers.check_key(&caller.to_owned()).is_ok()
    }

    fn lets_in(&self, address: IpAddr) -> bool {
        if self.addresses.len() > 10_000 {
            self.addresses.retain_recent();
        }
        self.addresses.check_key(&address).is_ok()
    }
}

/// Everything that stands before the handlers.
pub(crate) async fn guard(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = request_id(request.headers());
    let route = request.extensions().get::<MatchedPath>().map_or("other".into(), |p| p.as_str().to_owned());
    let method = request.method().clone();
    let span = tracing::info_span!("request", id = %id, %method, route, status = tracing::field::Empty);
    let end = tokio::time::Instant::now() + app.patience();
    let passed = span.in_scope(|| admit(&app, &mut request));
    let mut response = match passed {
        Ok(counted) => match timeout_at(end, next.run(request).instrument(span.clone())).await {
            Ok(response) => counted_to_the_end(response, counted, end),
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

/// What a request takes up while it is there.
struct Admitted {
    _one: Counted,
    _of_address: Option<Counted>,
}

/// A stream is a request until its end: it counts as long, and events end when any request would.
fn counted_to_the_end(response: Response, admitted: Admitted, end: tokio::time::Instant) -> Response {
    // What is of a known length lies in memory already.
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|t| t.to_str().ok());
    let is_events = kind.is_some_and(|t| t.starts_with("text/event-stream"));
    let end = async move {
        match is_events {
            true => tokio::time::sleep_until(end).await,
            false => std::future::pending().await,
        }
    };
    let (head, body) = response.into_parts();
    let pieces = body.into_data_stream().take_until(Box::pin(end)).map(move |piece| {
        let _while_read = &admitted;
        piece
    });
    Response::from_parts(head, Body::from_stream(pieces))
}

/// Rates and numbers come first, by address: what follows costs more.
fn admit(app: &Arc<App>, request: &mut Request) -> Result<Admitted, Problem> {
    check_host(app, request.headers(), request.uri())?;
    check_origin(app, request.headers())?;
    let too_many = || Problem::new(StatusCode::TOO_MANY_REQUESTS, "limit", "too many requests a second");
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|c| c.0.ip());
    // From this machine come its user and a proxy, behind which is everybody.
    let far = address.filter(|address| !address.is_loopback());
    if let (Some(limiter), Some(address)) = (&app.limiter, far)
        && !limiter.lets_in(address)
    {
        return Err(too_many());
    }
    let admitted = count(app, far)?;
    let caller = identify(app, request.headers())?;
    if caller.role.is_none() && request.uri().path().starts_with("/mcp") {
        return Err(Problem::key("this needs a key"));
    }
    let who = match caller.role {
        Some(_) if caller.name != "local" => format!("key {}", caller.name),
        _ => address.map(|a| a.to_string()).unwrap_or_default(),
    };
    if app.limiter.as_ref().is_some_and(|limiter| !limiter.passes(&who)) {
        return Err(too_many());
    }
    request.extensions_mut().insert(caller);
    Ok(admitted)
}

fn count(app: &App, address: Option<IpAddr>) -> Result<Admitted, Problem> {
    let full = |what: &str| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "limit", what.to_owned());
    let most = app.waiting();
    let one = Counted::enter(&app.in_work, most).ok_or_else(|| full("too many requests are waiting"))?;
    let of_address = address.map(|address| app.addresses.enter(address, most)).transpose();
    let of_address = of_address.map_err(|()| full("too many requests of this address are waiting"))?;
    Ok(Admitted { _one: one, _of_address: of_address })
}

/// How many requests of each address are in work or waiting.
#[derive(Default)]
pub(crate) struct Addresses(Mutex<HashMap<IpAddr, Arc<AtomicUsize>>>);

impl Addresses {
    /// Lets a request in, unless its address has three quarters of all there may be: others must find a place.
    pub(crate) fn enter(&self, address: IpAddr, most: usize) -> Result<Counted, ()> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are counted by nobody but this list are not there any more.
        if all.len() > 1_000 {
            all.retain(|_, count| Arc::strong_count(count) > 1);
        }
        Counted::enter(all.entry(address).or_default(), (most * 3 / 4).max(1)).ok_or(())
    }
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

fn identify(app: &Arc<App>, headers: &HeaderMap) -> Result<Caller, Problem> {
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
    let Some((_, key)) = given else { return Ok(Caller::nobody()) };
    let found = app.keys.find(key.trim())?;
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

//! Requests that are tried again when the failure may pass.

use super::{gate::Gate, upstream};
use crate::Secret;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};
use tabletalk_core::{Error, Result};
use ureq::{
    Agent, Body, BodyReader, Timeout,
    http::{HeaderName, HeaderValue, Response},
};

/// The first wait before trying again; each one after it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// The longest wait, whatever the server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The most bytes of an answer: a batch of long vectors as JSON is far below.
const LONGEST_ANSWER: u64 = 256 << 20;
/// The most bytes of a reply that is streamed: each token of it comes in some 300 bytes.
const LONGEST_REPLY: u64 = 64 << 20;

/// Which server a client talks to, and how patiently.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The beginning of its address. A query in it (`?api-version=1`) is sent with every request.
    pub(crate) url: String,
    /// What is sent with every request. No value is ever shown.
    pub(crate) headers: Vec<(String, Secret)>,
    /// How long a request may take; with a deadline, all tries together.
    pub(crate) timeout: Duration,
    /// How long the server may say nothing.
    pub(crate) silence: Option<Duration>,
    /// How often a request that failed for the moment is tried again.
    pub(crate) retries: u32,
    /// How many requests are under way at once.
    pub(crate) requests_at_once: usize,
}

/// Sends JSON and reads JSON.
pub(crate) struct Client {
    agent: Agent,
    base: String,
    query: String,
    /// The address as it may be shown: without what could be a key.
    shown: String,
    target: Target,
    gate: Gate,
}

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It may work in a moment, after the wait that the server asks for, if it does.
    Passing(Error, Option<Duration>),
    /// The server does not take the request as it is; another one it may.
    Refused(Error),
    /// It will not work.
    Lasting(Error),
}

impl Failure {
    /// What is told to the caller.
    pub(crate) fn error(self) -> Error {
        match self {
            Failure::Passing(error, _) | Failure::Refused(error) | Failure::Lasting(error) => error,
        }
    }
}

impl Client {
    /// A client for one server.
    pub(crate) fn new(target: Target) -> Result<Client> {
        let (base, query) =
            target.url.split_once('?').map_or((&*target.url, ""), |(base, query)| (base, query));
        let base = base.trim_end_matches('/').to_owned();
        let shown = without_user(&base);
        if !(base.starts_with("http://") || base.starts_with("https://")) {
            return Err(Error::input(format!("{shown} is no address of a server"))
                .hint("begin it with http:// or https://"));
        }
        target.headers.iter().try_for_each(|(name, value)| checked(name, value))?;
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        let gate = Gate::new(target.requests_at_once);
        Ok(Client { agent, base, query, shown, target, gate })
    }

    /// The server's address as it may be shown.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Posts `body` to `path` under the server's address. Each try may take as long as a request may.
    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(body)?;
        self.tried(None, &mut |left| self.json(path, &body, left)).map_err(Failure::error)
    }

    /// What stands at `path` under the server's address.
    pub(crate) fn get(&self, path: &str) -> Result<serde_json::Value> {
        let once = &mut |left| {
            let mut request = self.agent.get(format!("{}{path}{}", self.base, self.query));
            for (name, value) in &self.target.headers {
                request = request.header(name, value.reveal());
            }
            let request = request.config().timeout_global(Some(left)).build();
            let mut response = self.accepted(request.call().map_err(|e| self.failed(&e))?)?;
            let read = response.body_mut().with_config().limit(LONGEST_REPLY).read_json();
            read.map_err(|e| self.misshapen(path, &e.to_string()))
        };
        self.tried(None, once).map_err(Failure::error)
    }

    /// Posts `body` and gives the answer to `take` as it comes. All tries together end at `deadline`.
    pub(crate) fn stream<T>(
        &self,
        deadline: Instant,
        path: &str,
        body: &impl Serialize,
        take: &mut dyn FnMut(BodyReader<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let body = serde_json::to_vec(body).map_err(|e| Failure::Lasting(e.into()))?;
        self.tried(Some(deadline), &mut |left| {
            let mut response = self.send(path, &body, left)?;
            take(response.body_mut().with_config().limit(LONGEST_REPLY).reader())
        })
    }

    /// What it means that reading an answer failed.
    pub(crate) fn unread(&self, e: std::io::Error) -> Failure {
        match ureq::Error::from(e) {
            ureq::Error::Io(e) => {
                Failure::Passing(upstream(format!("{} broke off its answer: {e}", self.shown)), None)
            }
            e => self.failed(&e),
        }
    }

    fn tried<T>(
        &self,
        deadline: Option<Instant>,
        once: &mut dyn FnMut(Duration) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut wait = FIRST_WAIT;
        let mut left = self.target.retries;
        loop {
            let (error, asked) = match self.admitted(deadline, once) {
                Err(Failure::Passing(error, asked)) if left > 0 => (error, asked),
                other => return other,
            };
            left -= 1;
            let pause = asked.unwrap_or_else(|| jittered(wait)).min(LONGEST_WAIT);
            if deadline.is_some_and(|deadline| deadline.saturating_duration_since(Instant::now()) <= pause) {
                return Err(Failure::Passing(error, asked));
            }
            std::thread::sleep(pause);
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// One try, when there is room for one more request.
    fn admitted<T>(
        &self,
        deadline: Option<Instant>,
        once: &mut dyn FnMut(Duration) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(deadline) = deadline else {
            let _pass = self.gate.enter();
            return once(self.target.timeout);
        };
        let Some(_pass) = self.gate.enter_until(deadline) else {
            let (at_once, shown) = (self.target.requests_at_once, &self.shown);
            let busy = upstream(format!("{at_once} other requests keep {shown} busy"));
            return Err(Failure::Lasting(busy.hint("raise `requests_at_once` or `timeout_s`")));
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.late()) } else { once(left) }
    }

    fn json<T: DeserializeOwned>(&self, path: &str, body: &[u8], left: Duration) -> Result<T, Failure> {
        let mut response = self.send(path, body, left)?;
        let reader = response.body_mut().with_config().limit(LONGEST_ANSWER);
        reader.read_json().map_err(|e| match e {
            ureq::Error::Json(e) => self.misshapen(path, &e.to_string()),
            e => self.failed(&e),
        })
    }

    /// What it means that an answer is not what was asked for.
    pub(crate) fn misshapen(&self, path: &str, why: &str) -> Failure {
        let why = self.short(why);
        Failure::Lasting(
            upstream(format!("{}{path} gave an answer of another shape: {why}", self.shown))
                .hint("check `provider` and `url`"),
        )
    }

    fn send(&self, path: &str, body: &[u8], left: Duration) -> Result<Response<Body>, Failure> {
        let url = format!("{}{path}", self.base);
        // A path may have a query of its own.
        let query = if path.contains('?') { self.query.replacen('?', "&", 1) } else { self.query.clone() };
        let mut request = self.agent.post(url + &query).content_type("application/json");
        for (name, value) in &self.target.headers {
            request = request.header(name, value.reveal());
        }
        let request =
            request.config().timeout_global(Some(left)).timeout_per_read(self.target.silence).build();
        self.accepted(request.send(body).map_err(|e| self.failed(&e))?)
    }

    /// Whether the server took the request, and what it says when it did not.
    fn accepted(&self, mut response: Response<Body>) -> Result<Response<Body>, Failure> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let asked = response.headers().get("retry-after").and_then(|v| v.to_str().ok());
        let asked = asked.and_then(|v| v.trim().parse().ok()).map(Duration::from_secs);
        let said = response
            .body_mut()
            .with_config()
            .limit(4096)
            .lossy_utf8(true)
            .read_to_string()
            .unwrap_or_default();
        Err(self.refused(status.as_u16(), &said, asked))
    }

    /// What it means that the server answered with an error, be it as a status or in a stream.
    pub(crate) fn refused(&self, status: u16, said: &str, asked: Option<Duration>) -> Failure {
        let error = upstream(format!("{} answered {status}: {}", self.shown, self.short(said)));
        match status {
            408 | 425 | 429 | 500.. => Failure::Passing(error, asked),
            401 | 403 => Failure::Lasting(error.hint("check `api_key`")),
            404 => Failure::Lasting(error.hint("check `url` and `model`")),
            400 | 413 | 422 if is_too_long(said) => Failure::Lasting(
                Error::limit(error.message()).hint("ask for less, or use a model that reads more"),
            ),
            400 | 422 => Failure::Refused(error),
            _ => Failure::Lasting(error),
        }
    }

    fn late(&self) -> Failure {
        let seconds = self.target.timeout.as_secs_f64();
        let error = upstream(format!("{} did not answer in {seconds} s", self.shown));
        Failure::Passing(error.hint("raise `timeout_s`"), None)
    }

    fn failed(&self, e: &ureq::Error) -> Failure {
        let base = &self.shown;
        match (e, self.target.silence) {
            (ureq::Error::Timeout(Timeout::PerRead), Some(silence)) => {
                let error = upstream(format!("{base} said nothing for {} s", silence.as_secs_f64()));
                Failure::Passing(error.hint("raise `silence_s`"), None)
            }
            (ureq::Error::Timeout(_), _) => self.late(),
            (ureq::Error::BodyExceedsLimit(most), _) => {
                let error = upstream(format!("{base} gave an answer of more than {} MB", most >> 20));
                Failure::Lasting(error.hint("check `provider` and `url`"))
            }
            (ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_), _) => {
                Failure::Passing(
                    upstream(format!("{base} cannot be reached: {e}")).hint("check that the server runs"),
                    None,
                )
            }
            (e, _) => {
                let why = self.short(&e.to_string());
                Failure::Lasting(upstream(format!("{base} cannot be reached: {why}")).hint("check `url`"))
            }
        }
    }

    /// The beginning of what a server said, without the keys that some of them repeat.
    pub(crate) fn short(&self, said: &str) -> String {
        let mut said = said.to_owned();
        for (_, secret) in &self.target.headers {
            let key = secret.reveal().trim_start_matches("Bearer ");
            // A header such as `beta: 1` is no secret, and hiding it would garble every message.
            if key.len() >= 4 {
                said = said.replace(key, "***");
            }
        }
        let words: Vec<&str> = said.split_whitespace().collect();
        words.join(" ").chars().take(300).collect()
    }
}

/// An address without the name and password that may stand in it.
fn without_user(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find('/').unwrap_or(rest.len());
    let host = rest.get(..end).and_then(|authority| authority.rfind('@')).map_or(0, |at| at + 1);
    let rest = rest.get(host..).unwrap_or_default();
    if scheme.is_empty() { rest.to_owned() } else { format!("{scheme}://{rest}") }
}

/// A header that cannot be sent is named before anything is; its value is not.
fn checked(name: &str, value: &Secret) -> Result<()> {
    if HeaderName::from_bytes(name.as_bytes()).is_err() {
        return Err(Error::input(format!("`{name}` is no name of a header")));
    }
    match HeaderValue::from_str(value.reveal()) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::input(format!("the value of the header {name} has signs that cannot be sent"))
            .hint("check the key for line breaks and signs that are not ASCII")),
    }
}

/// Whether a server refuses because the talk is longer than the model reads.
fn is_too_long(said: &str) -> bool {
    let said = said.to_lowercase();
    let names = ["context length", "context_length", "context size", "context_size", "context window"];
    names.iter().any(|name| said.contains(name))
        || said.contains("prompt is too long")
        || said.contains("input token count")
}

/// Between half of `wait` and all of it, so that many clients do not come back at the same moment.
fn jittered(wait: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) % 1000;
    wait / 2 + wait / 2 * u32::try_from(random).unwrap_or(0) / 1000
}

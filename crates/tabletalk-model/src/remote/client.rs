//! Requests that are tried again when the failure may pass.

use super::{Endpoint, gate::Gate, upstream};
use crate::Secret;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};
use tabletalk_core::{Error, Result};
use ureq::{Agent, Body, http::Response};

/// The first wait before trying again; each one after it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// The longest wait, whatever the server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The most bytes of an answer: a batch of long vectors as JSON is far below.
const LONGEST_ANSWER: u64 = 256 << 20;

/// Sends JSON and reads JSON.
pub(crate) struct Client {
    agent: Agent,
    base: String,
    key: Option<Secret>,
    retries: u32,
    timeout: Duration,
    gate: Gate,
}

/// Why a request failed.
enum Failure {
    /// It may work in a moment, after the wait that the server asks for, if it does.
    Passing(Error, Option<Duration>),
    /// It will not.
    Lasting(Error),
}

impl Client {
    /// A client for the server of `endpoint`.
    pub(crate) fn new(endpoint: &Endpoint) -> Result<Client> {
        let base = endpoint.url.trim_end_matches('/').to_owned();
        if !(base.starts_with("http://") || base.starts_with("https://")) {
            return Err(Error::input(format!("{base} is no address of a server"))
                .hint("begin it with http:// or https://"));
        }
        let config =
            Agent::config_builder().timeout_global(Some(endpoint.timeout)).http_status_as_error(false);
        Ok(Client {
            agent: config.build().into(),
            base,
            key: endpoint.api_key.clone(),
            retries: endpoint.retries,
            timeout: endpoint.timeout,
            gate: Gate::new(endpoint.requests_at_once),
        })
    }

    /// Posts `body` to `path` under the server's address.
    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(body)?;
        let mut wait = FIRST_WAIT;
        let mut left = self.retries;
        loop {
            let result = {
                let _pass = self.gate.enter();
                self.once(path, &body)
            };
            let (error, asked) = match result {
                Ok(answer) => return Ok(answer),
                Err(Failure::Lasting(error)) => return Err(error),
                Err(Failure::Passing(error, asked)) => (error, asked),
            };
            if left == 0 {
                return Err(error);
            }
            left -= 1;
            std::thread::sleep(asked.unwrap_or_else(|| jittered(wait)).min(LONGEST_WAIT));
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn once<T: DeserializeOwned>(&self, path: &str, body: &[u8]) -> Result<T, Failure> {
        let mut request = self.agent.post(format!("{}{path}", self.base)).content_type("application/json");
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {}", key.reveal()));
        }
        let response = request.send(body).map_err(|e| self.failed(&e))?;
        let mut response = self.accepted(response)?;
        let reader = response.body_mut().with_config().limit(LONGEST_ANSWER);
        reader.read_json().map_err(|e| match e {
            ureq::Error::Json(e) => Failure::Lasting(
                upstream(format!("{}{path} gave an answer of another shape: {e}", self.base))
                    .hint("check `provider` and `url`"),
            ),
            e => self.failed(&e),
        })
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
        let error = upstream(format!("{} answered {}: {}", self.base, status.as_u16(), self.short(&said)));
        Err(match status.as_u16() {
            408 | 425 | 429 | 500.. => Failure::Passing(error, asked),
            401 | 403 => Failure::Lasting(error.hint("check `api_key`")),
            404 => Failure::Lasting(error.hint("check `url` and `model`")),
            _ => Failure::Lasting(error),
        })
    }

    fn failed(&self, e: &ureq::Error) -> Failure {
        let base = &self.base;
        match e {
            ureq::Error::Timeout(_) => {
                let seconds = self.timeout.as_secs_f64();
                Failure::Passing(
                    upstream(format!("{base} did not answer in {seconds} s")).hint("raise `timeout_s`"),
                    None,
                )
            }
            ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_) => {
                Failure::Passing(
                    upstream(format!("{base} cannot be reached: {e}")).hint("check that the server runs"),
                    None,
                )
            }
            e => Failure::Lasting(upstream(format!("{base} cannot be reached: {e}")).hint("check `url`")),
        }
    }

    /// The beginning of what a server said, without the key that some of them repeat.
    fn short(&self, said: &str) -> String {
        let key = self.key.as_ref().map(Secret::reveal).filter(|key| !key.is_empty());
        let said = key.map_or_else(|| said.to_owned(), |key| said.replace(key, "***"));
        let words: Vec<&str> = said.split_whitespace().collect();
        words.join(" ").chars().take(300).collect()
    }
}

/// Between half of `wait` and all of it, so that many clients do not come back at the same moment.
fn jittered(wait: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) % 1000;
    wait / 2 + wait / 2 * u32::try_from(random).unwrap_or(0) / 1000
}

//! JSON over HTTP, tried again when a failure may pass.

use crate::secret;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tabletalk_core::seam::remote::{Client, Settings};
use tabletalk_core::{Error, Result};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, http};

/// The first wait before trying again; each one after it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The most bytes of an answer.
const LONGEST_ANSWER: u64 = 512 << 20;

/// Speaks to one engine, whose addresses take turns. Connections are kept open.
pub(crate) struct Http {
    agent: Agent,
    bases: Vec<String>,
    turn: AtomicUsize,
    headers: Vec<(&'static str, String)>,
    retries: u32,
    engine: &'static str,
}

/// What a server said.
pub(crate) struct Said {
    pub(crate) status: u16,
    /// The body; null when it is empty or no JSON.
    pub(crate) body: Value,
    /// The body as text when it is no JSON.
    pub(crate) text: String,
}

impl Said {
    fn of((status, text): (u16, String)) -> Self {
        match serde_json::from_str(&text) {
            Ok(body) => Said { status, body, text: String::new() },
            Err(_) => Said { status, body: Value::Null, text },
        }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Http {
    /// A client for the engine that the settings name; `headers` are sent with every request.
    pub(crate) fn new(
        engine: &'static str,
        settings: &Settings,
        headers: Vec<(&'static str, String)>,
    ) -> Result<Self> {
        let mut bases = Vec::new();
        for address in settings.addresses()? {
            if !(address.starts_with("http://") || address.starts_with("https://")) {
                return Err(Error::input(format!("`{address}` is no address of {engine}"))
                    .hint("begin it with http:// or https://"));
            }
            bases.push(address.trim_end_matches('/').to_owned());
        }
        let client = &settings.client;
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(client.timeout()))
            .max_idle_connections_per_host(client.connections.max(1))
            .max_idle_connections(client.connections.max(1) * bases.len())
            .tls_config(tls(client)?)
            .build()
            .into();
        let turn = AtomicUsize::new(0);
        Ok(Http { agent, bases, turn, headers, retries: client.retries, engine })
    }

    /// What it is and where, for messages.
    pub(crate) fn name(&self) -> String {
        let shown: Vec<&str> = self.bases.iter().map(|b| without_user(b)).collect();
        format!("{} at {}", self.engine, shown.join(", "))
    }

    /// A request; what the server says to it is for the caller, but for what may pass, which is tried again.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Option<&[u8]>,
    ) -> Result<Said> {
        Ok(Said::of(self.tries(method, path, content_type, body)?))
    }

    /// A request with JSON whose answer, which must be a success, is read without a tree in between; `None` when what
    /// it is about is not there.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Option<T>> {
        let (status, text) = self.tries(method, path, "application/json", body)?;
        match status {
            200..300 => Ok(Some(serde_json::from_str(&text).map_err(|e| self.strange(&e))?)),
            404 => Ok(None),
            _ => Err(self.refused(&Said::of((status, text)))),
        }
    }

    fn tries(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Option<&[u8]>,
    ) -> Result<(u16, String)> {
        again(
            self.retries,
            |answer: &(u16, String)| answer.0,
            || {
                let at = self.turn.fetch_add(1, Ordering::Relaxed) % self.bases.len();
                self.once(method, &format!("{}{path}", self.bases[at]), content_type, body)
            },
        )
    }

    fn once(
        &self,
        method: &str,
        url: &str,
        content_type: &str,
        body: Option<&[u8]>,
    ) -> Result<(u16, String)> {
        let mut request = http::Request::builder().method(method).uri(url);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let bad = |e: http::Error| Error::input(format!("{}: {e}", self.name()));
        let answer = match body {
            Some(bytes) => {
                let request = request.header("content-type", content_type).body(bytes).map_err(bad)?;
                self.agent.run(request)
            }
            None => self.agent.run(request.body(()).map_err(bad)?),
        };
        let mut answer = answer.map_err(|e| self.failed(&e))?;
        let status = answer.status().as_u16();
        let text = answer
            .body_mut()
            .with_config()
            .limit(LONGEST_ANSWER)
            .lossy_utf8(true)
            .read_to_string()
            .map_err(|e| self.failed(&e))?;
        Ok((status, text))
    }

    fn failed(&self, e: &ureq::Error) -> Error {
        let error = Error::upstream(format!("{} cannot be reached: {e}", self.name()));
        match e {
            ureq::Error::Timeout(_) => {
                error.hint("is it overloaded? `client.timeout_s` says how long to wait")
            }
            _ => error.hint("is it running? Check `uri` in the configuration"),
        }
    }

    fn strange(&self, e: &serde_json::Error) -> Error {
        Error::upstream(format!("{} gave an answer that cannot be read: {e}", self.name()))
            .hint("is it the engine that `type` in the configuration names, and not too old?")
    }

    /// What it means that the server does not do what it was asked.
    pub(crate) fn refused(&self, said: &Said) -> Error {
        let text = if said.text.is_empty() { said.body.to_string() } else { said.text.clone() };
        let short: String = text.chars().take(400).collect();
        let message = format!("{} answered {}: {short}", self.name(), said.status);
        if said.status == 400 && text.contains("dimension") {
            return Error::input(message)
                .hint("all vectors of a space are of one length: was the model changed?");
        }
        let error = Error::upstream(message);
        match said.status {
            401 | 403 => error.hint("check `client` in the configuration: user, password_env, api_key_env"),
            507 => error.hint("it is full: give it more room"),
            _ if text.contains("No space left") || text.contains("disk is full") => {
                error.hint("its disk is full: give it more room")
            }
            _ => error,
        }
    }
}

/// Asks once, and again as long as what went wrong may pass, which the status of an answer says.
pub(crate) fn again<T>(
    retries: u32,
    status: impl Fn(&T) -> u16,
    mut once: impl FnMut() -> Result<T>,
) -> Result<T> {
    let (mut wait, mut left) = (FIRST_WAIT, retries);
    loop {
        let answer = once();
        let passes = match &answer {
            Ok(answer) => matches!(status(answer), 408 | 425 | 429 | 502 | 503 | 504),
            Err(_) => true,
        };
        if !passes || left == 0 {
            return answer;
        }
        left -= 1;
        std::thread::sleep(wait);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// The header by which a user and a password are shown.
pub(crate) fn user(client: &Client) -> Result<Option<(&'static str, String)>> {
    let Some(user) = &client.user else { return Ok(None) };
    let both = format!("{user}:{}", secret::password(client)?.unwrap_or_default());
    Ok(Some(("authorization", format!("Basic {}", STANDARD.encode(both.as_bytes())))))
}

pub(crate) fn tls(client: &Client) -> Result<TlsConfig> {
    let mut config = TlsConfig::builder().disable_verification(!client.verify);
    if let Some(file) = &client.ca_file {
        let pem = std::fs::read(file).map_err(|e| Error::from(e).at(file.display()))?;
        let certificates: Vec<Certificate<'static>> = ureq::tls::parse_pem(&pem)
            .filter_map(|item| match item {
                Ok(ureq::tls::PemItem::Certificate(c)) => Some(c),
                _ => None,
            })
            .collect();
        if certificates.is_empty() {
            return Err(Error::input(format!("{} holds no certificate", file.display())));
        }
        config = config.root_certs(RootCerts::new_with_certs(&certificates));
    }
    Ok(config.build())
}

fn without_user(address: &str) -> &str {
    address.rsplit_once('@').map_or(address, |(_, host)| host)
}

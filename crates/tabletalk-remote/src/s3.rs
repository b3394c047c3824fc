//! Files of large tables in an object store that speaks S3.
//!
//! A file is an object below the folder that the address names, `s3://bucket/folder`. It is sent and fetched in one request,
//! so it may have 5 GB at most.

use crate::http::{again, tls};
use crate::secret::password;
use jiff::Timestamp;
use rusty_s3::actions::{ListObjectsV2, S3Action};
use rusty_s3::{Bucket, Credentials, UrlStyle};
use std::fs::File;
use std::path::Path;
use std::time::Duration;
use tabletalk_core::seam::TableStore;
use tabletalk_core::seam::remote::{Client, S3Settings};
use tabletalk_core::seam::store::StoredFile;
use tabletalk_core::{Error, Result};
use ureq::http::{Request, Response};
use ureq::{Agent, AsSendBody, Body};
use url::Url;

/// How long a signed address is good for: it must outlast the waits between tries.
const SIGNED: Duration = Duration::from_secs(15 * 60);
/// How long a file may be on its way.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// The most bytes of a list or a message.
const LONGEST_ANSWER: u64 = 64 << 20;
/// What is read when the settings name no user: the variables that other programs use too.
const USER: &str = "AWS_ACCESS_KEY_ID";
const PASSWORD: &str = "AWS_SECRET_ACCESS_KEY";

/// Files in an object store.
pub struct S3 {
    agent: Agent,
    bucket: Bucket,
    credentials: Credentials,
    folder: String,
    retries: u32,
}

impl S3 {
    /// The store at `bucket/folder`. Nothing is sent yet.
    pub fn open(place: &str, settings: &S3Settings) -> Result<Self> {
        let (bucket, folder) = place.split_once('/').unwrap_or((place, ""));
        let (uri, style) = match &settings.uri {
            Some(uri) => (uri.clone(), UrlStyle::Path),
            None => (format!("https://s3.{}.amazonaws.com", settings.region), UrlStyle::VirtualHost),
        };
        let wrong = |what: &str| {
            Error::input(format!("s3://{place} at {uri}: {what}"))
                .hint("write tables = \"s3://bucket/folder\", and its address under [store.s3] as uri = \"https://host\"")
        };
        let url: Url = uri.parse().map_err(|_| wrong("this is no address"))?;
        if bucket.is_empty() || !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("a bucket at an address with http or https is wanted"));
        }
        let bucket = Bucket::new(url, style, bucket.to_owned(), settings.region.clone())
            .map_err(|e| wrong(&e.to_string()))?;
        let client = &settings.client;
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(client.timeout()))
            .timeout_recv_response(Some(client.timeout()))
            .timeout_send_body(Some(LONGEST))
            .timeout_recv_body(Some(LONGEST))
            .max_idle_connections_per_host(client.connections.max(1))
            .tls_config(tls(client)?)
            .build()
            .into();
        let folder = folder.trim_matches('/');
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        Ok(S3 { agent, bucket, credentials: credentials(client)?, folder, retries: client.retries })
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.folder)
    }

    /// A request, and again when what went wrong may pass.
    fn ask<B: AsSendBody>(
        &self,
        method: &str,
        url: &Url,
        body: impl Fn() -> Result<(u64, B)>,
    ) -> Result<Response<Body>> {
        again(
            self.retries,
            |answer: &Response<Body>| answer.status().as_u16(),
            || {
                let (length, body) = body()?;
                let request = Request::builder().method(method).uri(url.as_str());
                let request =
                    if method == "PUT" { request.header("content-length", length) } else { request };
                let request =
                    request.body(body).map_err(|e| Error::input(format!("{}: {e}", self.name())))?;
                self.agent.run(request).map_err(|e| self.unheard(&e))
            },
        )
    }

    /// A request without a body; `None` when what it is about is not there.
    fn read(&self, method: &str, url: &Url) -> Result<Option<Response<Body>>> {
        match self.accepted(self.ask(method, url, || Ok((0, ())))?) {
            Ok(answer) => Ok(Some(answer)),
            Err((404, text)) if !text.contains("NoSuchBucket") => Ok(None),
            Err((status, text)) => Err(self.refused(status, &text)),
        }
    }

    /// An answer that is a success; else the status and what the server said.
    fn accepted(&self, mut answer: Response<Body>) -> Result<Response<Body>, (u16, String)> {
        let status = answer.status().as_u16();
        match status {
            200..300 => Ok(answer),
            _ => Err((status, text(&mut answer).unwrap_or_default())),
        }
    }

    fn refused(&self, status: u16, text: &str) -> Error {
        let short: String = text.chars().take(400).collect();
        let error = Error::upstream(format!("{} answered {status}: {short}", self.name()));
        match status {
            401 | 403 => error
                .hint(format!("check `client` under [store.s3], or ${USER} and ${PASSWORD}; and `region`")),
            404 => error.hint("is there such a bucket? It is not made by tabletalk"),
            507 => error.hint("it is full: give it more room"),
            _ => error,
        }
    }

    fn unheard(&self, e: &ureq::Error) -> Error {
        let error = Error::upstream(format!("{} cannot be reached: {e}", self.name()));
        match e {
            ureq::Error::Timeout(_) => {
                error.hint("is it overloaded? `client.timeout_s` says how long to wait")
            }
            _ => error.hint("is it running? Check `uri` under [store.s3]"),
        }
    }

    fn strange(&self, what: &str) -> Error {
        Error::upstream(format!("{} gave an answer that cannot be read: {what}", self.name()))
    }
}

impl TableStore for S3 {
    fn name(&self) -> String {
        let at = self.bucket.base_url();
        format!("s3://{}/{} at {}", self.bucket.name(), self.folder, at.host_str().unwrap_or_default())
    }

    fn put(&self, name: &str, from: &Path) -> Result<()> {
        let key = self.key(name);
        let url = self.bucket.put_object(Some(&self.credentials), &key).sign(SIGNED);
        let body = || {
            let file = File::open(from).map_err(|e| Error::from(e).at(from.display()))?;
            Ok((file.metadata()?.len(), file))
        };
        let answer = self.accepted(self.ask("PUT", &url, body)?);
        answer.map(drop).map_err(|(status, text)| self.refused(status, &text))
    }

    fn get(&self, name: &str, to: &Path) -> Result<bool> {
        let key = self.key(name);
        let url = self.bucket.get_object(Some(&self.credentials), &key).sign(SIGNED);
        let Some(mut answer) = self.read("GET", &url)? else { return Ok(false) };
        let length = answer.body().content_length();
        let mut file = File::create(to).map_err(|e| Error::from(e).at(to.display()))?;
        let copied = std::io::copy(&mut answer.body_mut().as_reader(), &mut file)
            .map_err(|e| Error::upstream(format!("{}: {name} broke off: {e}", self.name())))?;
        if length.is_some_and(|length| length != copied) {
            return Err(self.strange(&format!("{name} ended after {copied} bytes")));
        }
        file.sync_all()?;
        Ok(true)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        let key = self.key(name);
        let url = self.bucket.head_object(Some(&self.credentials), &key).sign(SIGNED);
        let Some(answer) = self.read("HEAD", &url)? else { return Ok(None) };
        let length = answer.headers().get("content-length").and_then(|v| v.to_str().ok()?.parse().ok());
        length.map(Some).ok_or_else(|| self.strange("a file without a length"))
    }

    fn remove(&self, name: &str) -> Result<()> {
        let key = self.key(name);
        let url = self.bucket.delete_object(Some(&self.credentials), &key).sign(SIGNED);
        self.read("DELETE", &url).map(drop)
    }

    fn files(&self) -> Result<Vec<StoredFile>> {
        let (mut files, mut next) = (Vec::new(), None::<String>);
        loop {
            let mut list = self.bucket.list_objects_v2(Some(&self.credentials));
            list.with_prefix(self.folder.as_str());
            if let Some(next) = next.take() {
                list.with_continuation_token(next);
            }
            let Some(mut answer) = self.read("GET", &list.sign(SIGNED))? else { return Ok(files) };
            let text = text(&mut answer).map_err(|e| self.unheard(&e))?;
            let page = ListObjectsV2::parse_response(&text).map_err(|e| self.strange(&e.to_string()))?;
            for object in page.contents {
                let Some(name) = object.key.strip_prefix(&self.folder).filter(|n| !n.contains('/')) else {
                    continue;
                };
                let put = object.last_modified.and_then(|at| at.parse::<Timestamp>().ok());
                // What has no time was put just now.
                let age = put.map_or(Duration::ZERO, |at| {
                    Duration::try_from(Timestamp::now().duration_since(at)).unwrap_or_default()
                });
                files.push(StoredFile { name: name.to_owned(), age });
            }
            match page.next_continuation_token {
                Some(token) => next = Some(token),
                None => return Ok(files),
            }
        }
    }
}

fn text(answer: &mut Response<Body>) -> Result<String, ureq::Error> {
    answer.body_mut().with_config().limit(LONGEST_ANSWER).lossy_utf8(true).read_to_string()
}

fn credentials(client: &Client) -> Result<Credentials> {
    let variable = |name: &str| {
        std::env::var(name).map_err(|_| {
            Error::input(format!("the environment variable {name} is not set"))
                .hint("it is the key of the object store; or name `client.user` and `client.password_env` under [store.s3]")
        })
    };
    let user = client.user.clone().map_or_else(|| variable(USER), Ok)?;
    let password = password(client)?.map_or_else(|| variable(PASSWORD), Ok)?;
    Ok(Credentials::new(user, password))
}

//! Calls to Milvus over gRPC, tried again when a failure may pass.

use super::refused::{Refused, Why};
use super::wire::Answer;
use crate::secret;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{BufMut, Bytes};
use prost::Message;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};
use tabletalk_core::seam::remote::{Client, Settings};
use tabletalk_core::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Request};
use ureq::http::uri::PathAndQuery;

/// The first wait before trying again; each one after it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The most bytes of an answer.
const LONGEST_ANSWER: usize = 512 << 20;

/// The path of a method.
macro_rules! method {
    ($name:literal) => {
        concat!("/milvus.proto.milvus.MilvusService/", $name)
    };
}
pub(super) use method;

/// Speaks to one Milvus, whose addresses take turns. Connections are kept open.
pub(super) struct Rpc {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    channels: Vec<Channel>,
    turn: AtomicUsize,
    headers: Vec<(&'static str, MetadataValue<Ascii>)>,
    timeout: Duration,
    retries: u32,
    name: String,
}

impl Rpc {
    /// A client for what the settings name. Nothing is sent yet.
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        let client = &settings.client;
        let addresses = super::address::all(settings)?;
        let name = super::address::shown(&addresses);
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("milvus")
            .enable_all()
            .build()
            .map_err(|e| Error::from(e).at(&name))?;
        let entered = runtime.enter();
        let channels = (0..client.connections.max(addresses.len()))
            .map(|at| addresses[at % addresses.len()].channel(client))
            .collect::<Result<_>>()?;
        drop(entered);
        let mut headers = authorization(client)?;
        if let Some(database) = addresses.iter().find_map(|a| a.database.as_deref()) {
            headers.push(("dbname", header(database)?));
        }
        let (timeout, retries, turn) = (client.timeout(), client.retries, AtomicUsize::new(0));
        Ok(Rpc { runtime: Some(runtime), channels, turn, headers, timeout, retries, name })
    }

    /// What it is and where, for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// How long a call may take.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// A call whose answer must be a success. What may pass is tried again.
    pub(super) fn call<A: Answer>(&self, method: &'static str, request: &impl Message) -> Result<A, Refused> {
        let bytes = Bytes::from(request.encode_to_vec());
        let (begun, mut wait, mut left) = (Instant::now(), FIRST_WAIT, self.retries);
        loop {
            let refused = match self.once::<A>(method, bytes.clone()) {
                Ok(answer) => return Ok(answer),
                Err(refused) => refused,
            };
            // A server that has just been started says that it gets ready: it is given its time.
            let patient = refused.why == Why::Starting && begun.elapsed() < self.timeout;
            if !patient && (left == 0 || !refused.why.passes()) {
                return Err(refused);
            }
            left = left.saturating_sub(1);
            std::thread::sleep(wait);
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn once<A: Answer>(&self, method: &'static str, bytes: Bytes) -> Result<A, Refused> {
        let at = self.turn.fetch_add(1, Ordering::Relaxed) % self.channels.len();
        let mut request = Request::new(bytes);
        request.set_timeout(self.timeout);
        for (name, value) in &self.headers {
            request.metadata_mut().insert(*name, value.clone());
        }
        let path = PathAndQuery::from_static(method);
        let (call, longest) = (unary::<A>(self.channels[at].clone(), request, path), self.timeout);
        match self.wait(async move { tokio::time::timeout(longest, call).await }, method)? {
            Ok(Ok(answer)) => match answer.status().filter(|s| s.code != 0 || s.error_code != 0) {
                Some(status) => Err(Refused::by(&self.name, status)),
                None => Ok(answer),
            },
            Ok(Err(status)) => Err(Refused::unheard(&self.name, &status)),
            Err(_) => {
                Err(Refused::unheard(&self.name, &tonic::Status::new(Code::DeadlineExceeded, "no answer")))
            }
        }
    }

    /// Runs a future on the runtime; the thread that asks only waits, so that it may belong to another
    /// runtime.
    fn wait<F>(&self, future: F, method: &str) -> Result<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let broken = || Error::bug(format!("{}: {method} was broken off", self.name));
        let (send, receive) = sync_channel(1);
        self.runtime.as_ref().ok_or_else(broken)?.spawn(async move {
            // Nobody waits any more: nothing to do.
            let _ = send.send(future.await);
        });
        receive.recv().map_err(|_| broken())
    }
}

impl Drop for Rpc {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn unary<A: Answer>(
    channel: Channel,
    request: Request<Bytes>,
    path: PathAndQuery,
) -> Result<A, tonic::Status> {
    let mut client = Grpc::new(channel).max_decoding_message_size(LONGEST_ANSWER);
    client.ready().await.map_err(|e| tonic::Status::from_error(e.into()))?;
    Ok(client.unary(request, path, Written(PhantomData)).await?.into_inner())
}

/// The header that says who asks.
fn authorization(client: &Client) -> Result<Vec<(&'static str, MetadataValue<Ascii>)>> {
    let token = match (secret::api_key(client)?, &client.user) {
        (Some(key), _) => key,
        (None, Some(user)) => format!("{user}:{}", secret::password(client)?.unwrap_or_default()),
        (None, None) => return Ok(Vec::new()),
    };
    Ok(vec![("authorization", header(&STANDARD.encode(token))?)])
}

fn header(value: &str) -> Result<MetadataValue<Ascii>> {
    value.parse().map_err(|_| Error::input("the database of milvus has a name that cannot be sent"))
}

/// Sends bytes that are written already, so that they need not be written again for another try.
struct Written<A>(PhantomData<A>);

impl<A: Answer> Codec for Written<A> {
    type Encode = Bytes;
    type Decode = A;
    type Encoder = Written<()>;
    type Decoder = Written<A>;

    fn encoder(&mut self) -> Self::Encoder {
        Written(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        Written(PhantomData)
    }
}

impl Encoder for Written<()> {
    type Item = Bytes;
    type Error = tonic::Status;

    fn encode(&mut self, bytes: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        to.reserve(bytes.len());
        to.put(bytes);
        Ok(())
    }
}

impl<A: Answer> Decoder for Written<A> {
    type Item = A;
    type Error = tonic::Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<A>, tonic::Status> {
        A::decode(from).map(Some).map_err(|e| tonic::Status::internal(e.to_string()))
    }
}

//! Server-sent events from work that blocks.

use crate::app::App;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::{ReceiverStream, WatchStream};

/// An event with JSON in it.
pub(crate) fn event(name: &str, value: &impl Serialize) -> Event {
    let event = if name.is_empty() { Event::default() } else { Event::default().event(name) };
    event.json_data(value).unwrap_or_else(|_| Event::default().event("error"))
}

/// What comes through a channel, until it is closed or the server ends.
pub(crate) fn stream(
    app: &Arc<App>,
    events: mpsc::Receiver<Event>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let stopping = WatchStream::new(app.stopping.subscribe()).filter(|s| *s).map(|_| None);
    let events = ReceiverStream::new(events).map(Some).chain(tokio_stream::once(None));
    let both = events.merge(stopping).take_while(Option::is_some).filter_map(|e| e.map(Ok));
    Sse::new(both).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}

//! What is counted, for Prometheus.

use crate::app::App;
use crate::guard::Caller;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets, linear_buckets};
use prometheus_client::registry::Registry;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tabletalk_library::recall::Layer;
use tabletalk_library::{Answer, Counts, Error, Result};

type Labels = Vec<(&'static str, String)>;

/// What is counted.
pub(crate) struct Measure {
    registry: Registry,
    requests: Family<Labels, Counter>,
    request_seconds: Family<Labels, Histogram>,
    stage_seconds: Family<Labels, Histogram>,
    layer_seconds: Family<Labels, Histogram>,
    layer_hits: Family<Labels, Histogram>,
    layer_score: Family<Labels, Histogram>,
    layer_runs: Family<Labels, Counter>,
    model_calls: Family<Labels, Counter>,
    model_tokens: Family<Labels, Counter>,
    task_seconds: Family<Labels, Histogram>,
    tasks: Family<Labels, Gauge>,
    library: Family<Labels, Gauge>,
    in_work: Gauge,
    /// Held while gauges of libraries are set and written: who may see which differs.
    writing: Mutex<()>,
}

/// Numbers of hits.
fn counts() -> Histogram {
    Histogram::new([0.0].into_iter().chain(exponential_buckets(1.0, 2.0, 10)))
}

/// Scores: cosines and shares up to 1 in tenths, and those of words beyond.
fn scores() -> Histogram {
    Histogram::new(linear_buckets(0.0, 0.1, 11).chain([2.0, 5.0, 10.0, 20.0, 50.0, 100.0]))
}

fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.0005, 2.0, 18))
}

impl Default for Measure {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("tabletalk");
        let histograms = || Family::<Labels, Histogram>::new_with_constructor(histogram);
        let measure = Measure {
            requests: Family::default(),
            request_seconds: histograms(),
            stage_seconds: histograms(),
            layer_seconds: histograms(),
            layer_hits: Family::new_with_constructor(counts),
            layer_score: Family::new_with_constructor(scores),
            layer_runs: Family::default(),
            model_calls: Family::default(),
            model_tokens: Family::default(),
            task_seconds: histograms(),
            tasks: Family::default(),
            library: Family::default(),
            in_work: Gauge::default(),
            writing: Mutex::default(),
            registry: Registry::default(),
        };
        let m = &measure;
        registry.register("http_requests", "Requests by route, method and status", m.requests.clone());
        registry.register("http_request_seconds", "Time of requests by route", m.request_seconds.clone());
        registry.register("http_requests_in_work", "Requests in work or waiting", m.in_work.clone());
        registry.register("stage_seconds", "Time of the stages of answers", m.stage_seconds.clone());
        registry.register("layer_seconds", "Time of the layers of searches", m.layer_seconds.clone());
        registry.register("layer_hits", "Hits that layers of searches gave", m.layer_hits.clone());
        registry.register("layer_score", "Scores that layers of searches gave", m.layer_score.clone());
        registry.register("layer_runs", "Layers of searches by what came of them", m.layer_runs.clone());
        registry.register(
            "model_calls",
            "Requests to the language model, by whether the cache answered",
            m.model_calls.clone(),
        );
        registry.register(
            "model_tokens",
            "Tokens read and written by the language model",
            m.model_tokens.clone(),
        );
        registry.register("task_seconds", "Time of tasks by kind", m.task_seconds.clone());
        registry.register("tasks", "Tasks by library and state", m.tasks.clone());
        registry.register("library", "Documents, tables, rows and columns of libraries", m.library.clone());
        Measure { registry, ..measure }
    }
}

impl Measure {
    pub(crate) fn request(&self, route: &str, method: &str, status: u16, took: Duration) {
        let labels =
            vec![("route", route.to_owned()), ("method", method.to_owned()), ("status", status.to_string())];
        self.requests.get_or_create(&labels).inc();
        let labels = vec![("route", route.to_owned())];
        self.request_seconds.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Counts what the layers of a search did. One that failed is told of in the log: others stood in for it.
    pub(crate) fn layers(&self, layers: &[Layer], strategy: Option<&str>) {
        for layer in layers {
            let labels = |more: Option<(&'static str, &str)>| -> Labels {
                let own = [("layer", layer.name.as_str()), ("strategy", strategy.unwrap_or_default())];
                own.into_iter().chain(more).map(|(name, value)| (name, value.to_owned())).collect()
            };
            let outcome = match (&layer.error, layer.ran) {
                (Some(_), _) => "failed",
                (None, true) => "ran",
                (None, false) => "skipped",
            };
            self.layer_runs.get_or_create(&labels(Some(("outcome", outcome)))).inc();
            if let Some(error) = &layer.error {
                tracing::warn!(layer = layer.name, strategy, number = layer.number, error, "a layer failed");
            }
            if layer.ran {
                let name = vec![("layer", layer.name.clone())];
                self.layer_seconds.get_or_create(&name).observe(layer.ms / 1e3);
                self.layer_hits.get_or_create(&labels(None)).observe(layer.hits as f64);
                let scores = self.layer_score.get_or_create(&labels(None));
                layer.scores.iter().for_each(|score| scores.observe(f64::from(*score)));
            }
        }
    }

    pub(crate) fn answer(&self, answer: &Answer) {
        for step in &answer.trace {
            let labels = vec![("stage", step.step.clone())];
            self.stage_seconds.get_or_create(&labels).observe(step.ms / 1e3);
        }
        let usage = &answer.usage;
        let count = |family: &Family<Labels, Counter>, name, value: &str, n: u64| {
            family.get_or_create(&vec![(name, value.to_owned())]).inc_by(n);
        };
        count(&self.model_calls, "cache", "hit", usage.cached);
        count(&self.model_calls, "cache", "miss", usage.calls);
        count(&self.model_tokens, "kind", "read", usage.prompt_tokens);
        count(&self.model_tokens, "kind", "written", usage.completion_tokens);
    }

    pub(crate) fn task(&self, kind: &str, took: Duration) {
        let labels = vec![("kind", kind.to_owned())];
        self.task_seconds.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Everything as text; of libraries, only those that the caller may use.
    pub(crate) fn text(&self, app: &App, caller: &Caller) -> Result<String> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.tasks.clear();
        self.library.clear();
        for shelf in app.shelves().iter().filter(|shelf| caller.may_use(&shelf.name)) {
            let set = |family: &Family<Labels, Gauge>, name, value: &str, n: u64| {
                let labels = vec![("library", shelf.name.clone()), (name, value.to_owned())];
                family.get_or_create(&labels).set(i64::try_from(n).unwrap_or(i64::MAX));
            };
            let (queued, running) = shelf.tasks.counts();
            set(&self.tasks, "state", "queued", queued as u64);
            set(&self.tasks, "state", "running", running as u64);
            let Counts { documents, tables, rows, columns } = shelf.library().counts()?;
            for (name, n) in
                [("documents", documents), ("tables", tables), ("rows", rows), ("columns", columns)]
            {
                set(&self.library, "kind", name, n);
            }
        }
        self.in_work.set(app.in_work.load(std::sync::atomic::Ordering::Relaxed) as i64);
        let mut text = String::new();
        encode(&mut text, &self.registry).map_err(|e| Error::bug(e.to_string()))?;
        Ok(text)
    }
}

//! Structured logs on standard error, and traces for a collector.

use tabletalk_library::serving::{LogFormat, Server};
use tabletalk_library::{Error, Result};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// A layer of the log, whatever it is made of.
type Part = Box<dyn Layer<Registry> + Send + Sync>;

/// What has to be kept while traces are sent; the last ones are sent when it is dropped.
#[derive(Default)]
pub struct Log {
    #[cfg(feature = "otel")]
    provider: Option<opentelemetry_sdk::trace::SdkTracerProvider>,
}

#[cfg(feature = "otel")]
impl Drop for Log {
    fn drop(&mut self) {
        if let Some(provider) = self.provider.take() {
            let _ = provider.shutdown();
        }
    }
}

/// Begins to log as configured.
pub fn init(server: &Server) -> Result<Log> {
    let filter = || {
        EnvFilter::try_new(&server.log).map_err(|e| {
            Error::input(format!("server.log: {e}")).hint("such as `info` or `tabletalk_server=debug`")
        })
    };
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines: Part = match server.log_format {
        LogFormat::Text => {
            let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
            lines.with_ansi(colours).with_filter(filter()?).boxed()
        }
        LogFormat::Json => lines.json().flatten_event(true).with_filter(filter()?).boxed(),
    };
    let (traces, log) = traces(server)?;
    let parts: Vec<Part> = [Some(lines), traces].into_iter().flatten().collect();
    tracing_subscriber::registry().with(parts).try_init().map_err(|e| Error::bug(e.to_string()))?;
    Ok(log)
}

#[cfg(not(feature = "otel"))]
fn traces(server: &Server) -> Result<(Option<Part>, Log)> {
    match &server.otlp {
        None => Ok((None, Log::default())),
        Some(_) => Err(Error::input("server.otlp: this program was built without traces")
            .hint("build it with `--features otel`")),
    }
}

/// Sends every request as a span to a collector, over OTLP.
#[cfg(feature = "otel")]
fn traces(server: &Server) -> Result<(Option<Part>, Log)> {
    use opentelemetry::trace::TracerProvider;
    use opentelemetry_otlp::WithExportConfig;
    let Some(url) = &server.otlp else { return Ok((None, Log::default())) };
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_http()
        .with_endpoint(url)
        .build()
        .map_err(|e| Error::input(format!("server.otlp: {e}")))?;
    let resource = opentelemetry_sdk::Resource::builder().with_service_name("tabletalk").build();
    let provider = opentelemetry_sdk::trace::SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource)
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tabletalk"));
    let spans = EnvFilter::new("tabletalk_server=info");
    Ok((Some(layer.with_filter(spans).boxed()), Log { provider: Some(provider) }))
}

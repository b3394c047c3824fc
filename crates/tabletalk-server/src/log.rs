//! Structured logs, on standard error.

use tabletalk_library::serving::{LogFormat, Server};
use tabletalk_library::{Error, Result};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Begins to log as configured.
pub fn init(server: &Server) -> Result<()> {
    let filter = EnvFilter::try_new(&server.log).map_err(|e| {
        Error::input(format!("server.log: {e}")).hint("such as `info` or `tabletalk_server=debug`")
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::NONE)
        .with_target(false);
    let done = match server.log_format {
        LogFormat::Text => log.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    done.map_err(|e| Error::bug(e.to_string()))
}

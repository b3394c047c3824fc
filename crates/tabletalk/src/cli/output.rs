//! The only place that prints.

use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use tabletalk::Error;

/// Where and how results are printed.
pub struct Output {
    json: bool,
    quiet: bool,
}

impl Output {
    pub fn new(json: bool, quiet: bool) -> Self {
        Output { json, quiet }
    }

    /// Whether results are printed as JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether a person sees progress.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// A result for people. A reader that went away is no error.
    pub fn text(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = out
            .write_all(text.as_bytes())
            .and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") });
    }

    /// A result for programs.
    pub fn value(&self, value: &Value) {
        self.text(&serde_json::to_string_pretty(value).unwrap_or_default());
    }

    /// A remark beside the result.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    /// A part of a text that is still being written, beside the result.
    pub fn stream(&self, text: &str) {
        let mut err = std::io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// What went wrong.
    pub fn error(&self, error: &Error) {
        if self.json {
            let body = json!({"kind": error.fault(), "message": error.message(), "hint": error.cure()});
            self.value(&json!({ "error": body }));
        }
        let _ = writeln!(std::io::stderr(), "error: {error}");
    }

    /// Whether colours and bold letters are shown.
    pub fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
    }
}

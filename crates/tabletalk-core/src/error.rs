//! One error type, sorted by whose fault it is.

use std::fmt;

/// The result of anything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whose fault an error is. Decides the exit code and the HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// The user's file, question or setting cannot be used as it is.
    Input,
    /// Something named does not exist.
    Missing,
    /// A configured limit was reached.
    Limit,
    /// A model or another service failed.
    Upstream,
    /// The disk or the operating system failed.
    Io,
    /// Our own mistake.
    Bug,
}

impl Fault {
    /// The exit code of the command line.
    pub fn exit_code(self) -> i32 {
        match self {
            Fault::Input => 2,
            Fault::Missing => 3,
            Fault::Limit => 4,
            Fault::Upstream => 5,
            Fault::Io => 6,
            Fault::Bug => 70,
        }
    }
    /// The status of the answer over HTTP.
    pub fn http_status(self) -> u16 {
        match self {
            Fault::Input => 400,
            Fault::Missing => 404,
            Fault::Limit => 429,
            Fault::Upstream => 502,
            Fault::Io | Fault::Bug => 500,
        }
    }
    /// The lower-case name, as in error bodies.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Input => "input",
            Fault::Missing => "missing",
            Fault::Limit => "limit",
            Fault::Upstream => "upstream",
            Fault::Io => "io",
            Fault::Bug => "bug",
        }
    }
}

/// What went wrong, whose fault it is, and, where there is one, the cure.
#[derive(Debug, Clone)]
pub struct Error {
    fault: Fault,
    message: String,
    hint: Option<String>,
}

impl Error {
    /// An error of the given fault.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Error { fault, message: message.into(), hint: None }
    }
    /// The user's file, question or setting cannot be used as it is.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Fault::Input, message)
    }
    /// Something named does not exist.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(Fault::Missing, message)
    }
    /// A configured limit was reached.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(Fault::Limit, message)
    }
    /// A model or a service failed.
    pub fn upstream(message: impl Into<String>) -> Self {
        Self::new(Fault::Upstream, message)
    }
    /// The disk or the operating system failed.
    pub fn io(message: impl Into<String>) -> Self {
        Self::new(Fault::Io, message)
    }
    /// Our own mistake.
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Fault::Bug, message)
    }
    /// Adds what the user can do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
    /// Puts the name of the thing at fault before the message.
    pub fn at(mut self, name: impl fmt::Display) -> Self {
        self.message = format!("{name}: {}", self.message);
        self
    }
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        self.fault
    }
    /// The message without the hint.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// The cure, where there is one.
    pub fn cure(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        match e.kind() {
            std::io::ErrorKind::NotFound => Error::missing(e.to_string()),
            _ => Error::io(e.to_string()),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(e: serde_json::Error) -> Self {
        Error::input(format!("not valid JSON: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_thing_and_the_cure() {
        let e = Error::input("is encrypted").at("a.xlsx").hint("save it without a password");
        assert_eq!(e.to_string(), "a.xlsx: is encrypted; save it without a password");
        assert_eq!(e.fault().exit_code(), 2);
    }
}

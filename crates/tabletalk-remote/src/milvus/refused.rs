//! Why a call failed, and what that means to us and to the user.

use super::wire::Status;
use tabletalk_core::Error;
use tonic::Code;

/// Why a call failed, as far as that decides what is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The collection is not there.
    Missing,
    /// The collection is not in memory.
    Unloaded,
    /// There is no index.
    NoIndex,
    /// The server, or what is in it, is not ready yet.
    Starting,
    /// It is busy, full, or could not be heard.
    Busy,
    /// It will fail again.
    Final,
}

impl Why {
    /// Whether another try may succeed.
    pub(super) fn passes(self) -> bool {
        matches!(self, Why::Starting | Why::Busy)
    }
}

/// A call that failed.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) why: Why,
    /// For the user.
    pub(super) error: Error,
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        refused.error
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused { why: Why::Final, error }
    }
}

impl Refused {
    /// The server answered that it does not do it.
    pub(super) fn by(name: &str, status: &Status) -> Self {
        let (why, hint) = meaning(status);
        let reason: String = status.reason.chars().take(400).collect();
        let text = format!("{name} answered {}: {reason}", status.code.max(status.error_code));
        let error = Error::upstream(text);
        Refused { why, error: hint.into_iter().fold(error, Error::hint) }
    }

    /// There was no answer, or none of Milvus itself.
    pub(super) fn unheard(name: &str, status: &tonic::Status) -> Self {
        let cause = innermost(status);
        let (why, verb, hint) = match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => (Why::Final, "refuses", WHO),
            Code::Unimplemented => (Why::Final, "refuses", "is it milvus 2.3 or later?"),
            Code::InvalidArgument | Code::NotFound | Code::OutOfRange => {
                (Why::Final, "refuses", "check `store` in the configuration")
            }
            Code::ResourceExhausted if cause.contains("larger than max") => {
                (Why::Final, "refuses", "make `client.batch` smaller, or let milvus take longer messages")
            }
            Code::ResourceExhausted => (Why::Busy, "refuses", "it is full or busy: give it more room"),
            // Our own clock may be the first to say so, in its own words.
            code if code == Code::DeadlineExceeded || cause.contains("Timeout expired") => {
                (Why::Busy, "does not answer", "is it overloaded? `client.timeout_s` says how long to wait")
            }
            _ if cause.contains("certificate") => (
                Why::Final,
                "is not trusted",
                "name its certificate in `client.ca_file`, or set `client.verify`",
            ),
            _ => (Why::Busy, "cannot be reached", "is it running? Check `uri` in the configuration"),
        };
        Refused { why, error: Error::upstream(format!("{name} {verb}: {cause}")).hint(hint) }
    }
}

/// What really happened: the layers above only say that something did.
fn innermost(status: &tonic::Status) -> String {
    let mut said = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    while let Some(source) = cause {
        said = source.to_string();
        cause = source.source();
    }
    said
}

const WHO: &str = "check `client` in the configuration: user, password_env, api_key_env";

/// What a status means: by its code, else by its older code, else by its words.
fn meaning(status: &Status) -> (Why, Option<&'static str>) {
    match (status.code, status.error_code) {
        (100, _) | (_, 4 | 28) => (Why::Missing, None),
        (101 | 201, _) => (Why::Unloaded, None),
        (700, _) | (_, 25) => (Why::NoIndex, None),
        (1 | 2 | 103 | 106 | 202 | 401 | 500..=503 | 901..=906, _) | (_, 45 | 46 | 50 | 56 | 57 | 100) => {
            (Why::Starting, Some("it is starting: wait until it is ready"))
        }
        (3, _) | (_, 24 | 52 | 53) => (Why::Busy, Some("its memory is full: give it more, or remove spaces")),
        (7, _) | (_, 54) => (Why::Busy, Some("its disk is full: give it more room")),
        (9, _) | (_, 48) => (Why::Busy, Some("its quota is used up, or writing is forbidden there")),
        (4 | 8 | 11, _) | (_, 49 | 55 | 1000) => (Why::Busy, Some("it is busy: try again later")),
        (1400 | 1401, _) | (_, 3) => (Why::Final, Some(WHO)),
        _ => (by_words(status), None),
    }
}

fn by_words(status: &Status) -> Why {
    let reason = status.reason.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| reason.contains(w));
    match () {
        () if has(&["can't find collection", "collection not found"]) => Why::Missing,
        () if has(&["not loaded"]) => Why::Unloaded,
        () if has(&["index not found", "index doesn't exist", "index not exist"]) => Why::NoIndex,
        () if has(&["no available", "not ready", "recovering", "not available", "node not match"]) => {
            Why::Starting
        }
        () if status.retriable => Why::Busy,
        () => Why::Final,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_too_long_hears_of_the_setting() {
        for status in [tonic::Status::deadline_exceeded("slow"), tonic::Status::cancelled("Timeout expired")]
        {
            let refused = Refused::unheard("milvus", &status);
            assert_eq!(refused.why, Why::Busy);
            assert!(refused.error.cure().unwrap().contains("timeout_s"), "{}", refused.error);
        }
    }
}

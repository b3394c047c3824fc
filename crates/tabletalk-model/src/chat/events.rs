//! Server-sent events, as they come.

use std::io::{self, BufRead};

/// What is in the body of an answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Part {
    /// The data of one event.
    Event(String),
    /// The whole answer at once: the server does not stream.
    Whole(String),
    /// Neither: how it begins.
    Other(String),
}

/// Reads the parts of a body. The content type is not asked: too many servers name a wrong one.
pub(crate) struct Events<R> {
    lines: R,
    begun: bool,
}

impl<R: BufRead> Events<R> {
    /// The parts of `lines`.
    pub(crate) fn new(lines: R) -> Self {
        Events { lines, begun: false }
    }

    /// The next part; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Part>> {
        let mut data: Option<String> = None;
        while let Some(line) = self.line()? {
            if !std::mem::replace(&mut self.begun, true)
                && let Some(part) = self.opening(&line)?
            {
                return Ok(Some(part));
            }
            match (field(&line), &mut data) {
                (Some(more), None) => data = Some(more.to_owned()),
                (Some(more), Some(data)) => {
                    data.push('\n');
                    data.push_str(more);
                }
                (None, Some(_)) if line.is_empty() => break,
                (None, _) => {}
            }
        }
        Ok(data.map(Part::Event))
    }

    /// A line without its end; blank lines before the first are skipped. Bytes are decoded when the line is whole,
    /// so that a sign may come in two parts.
    fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            let mut bytes = Vec::new();
            if self.lines.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}');
            if self.begun || !line.trim().is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
    }

    /// What the first line tells of a body that is no stream of events.
    fn opening(&mut self, line: &str) -> io::Result<Option<Part>> {
        let is_event = ["data", "event", "id", "retry", "error", ""]
            .iter()
            .any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')));
        if is_event {
            return Ok(None);
        }
        if !line.trim_start().starts_with(['{', '[']) {
            return Ok(Some(Part::Other(line.to_owned())));
        }
        let mut rest = Vec::new();
        self.lines.read_to_end(&mut rest)?;
        let rest = String::from_utf8_lossy(&rest);
        Ok(Some(Part::Whole(if rest.is_empty() { line.to_owned() } else { format!("{line}\n{rest}") })))
    }
}

/// The data in a line. Some versions of llama.cpp report a failure in a field of its own.
fn field(line: &str) -> Option<&str> {
    let data = line.strip_prefix("data:").or_else(|| line.strip_prefix("error:"))?;
    Some(data.strip_prefix(' ').unwrap_or(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(body: &str) -> Vec<Part> {
        let mut events = Events::new(body.as_bytes());
        std::iter::from_fn(|| events.next().unwrap()).collect()
    }

    fn event(data: &str) -> Part {
        Part::Event(data.to_owned())
    }

    #[test]
    fn events_end_at_blank_lines() {
        let body = ": hello\n\nevent: x\r\ndata: 1\r\n\r\ndata:2\ndata: 3\n\n\ndata: 4";
        assert_eq!(parts(body), [event("1"), event("2\n3"), event("4")]);
    }

    #[test]
    fn an_answer_at_once_is_told_from_a_stream() {
        assert_eq!(parts("\n {\n\"a\": 1}"), [Part::Whole(" {\n\"a\": 1}".to_owned())]);
        assert_eq!(parts("<html>\n<body>")[0], Part::Other("<html>".to_owned()));
        assert_eq!(parts(""), []);
    }
}

//! A reply while it is being written.

use super::tolerant;
use serde_json::Value;
use tabletalk_core::chat::{Call, Finish, Reply, Usage};

/// What has come of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// The text.
    pub(crate) text: String,
    calls: Vec<Piece>,
    /// The call whose arguments are the text: a tool that is there only to have JSON written.
    pub(crate) spoken_call: Option<u64>,
    /// Why it ended; none as long as it has not.
    pub(crate) finish: Option<Finish>,
    /// Why the provider keeps the reply back.
    pub(crate) withheld: Option<String>,
    /// Tokens read, as the server counts them.
    pub(crate) prompt_tokens: Option<u64>,
    /// Tokens written, as the server counts them.
    pub(crate) completion_tokens: Option<u64>,
    /// How much of the text was taken by [`Draft::fresh`].
    taken: usize,
}

/// A call, whose arguments come in parts.
#[derive(Debug, Default)]
struct Piece {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Draft {
    /// Adds to the text.
    pub(crate) fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds to the call that the server numbers `index`. What is none or empty is left as it is.
    pub(crate) fn call(&mut self, index: u64, id: Option<&str>, name: Option<&str>, arguments: &str) {
        if !self.calls.iter().any(|piece| piece.index == index) {
            self.calls.push(Piece { index, ..Piece::default() });
        }
        let Some(piece) = self.calls.iter_mut().find(|piece| piece.index == index) else { return };
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            piece.id = id.to_owned();
        }
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            piece.name = name.to_owned();
        }
        piece.arguments.push_str(arguments);
    }

    /// How many calls there are.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.len() as u64
    }

    /// Notes the tokens that the server counted.
    pub(crate) fn used(&mut self, prompt: Option<&Value>, completion: Option<&Value>) {
        self.prompt_tokens = prompt.and_then(Value::as_u64).or(self.prompt_tokens);
        self.completion_tokens = completion.and_then(Value::as_u64).or(self.completion_tokens);
    }

    /// The text that came since this was last asked.
    pub(crate) fn fresh(&mut self) -> &str {
        let from = std::mem::replace(&mut self.taken, self.text.len());
        self.text.get(from..).unwrap_or_default()
    }

    /// The reply; tokens that the server did not count are counted by `count`, those of the talk are `prompt`.
    pub(crate) fn reply(
        self,
        prompt: impl Fn() -> usize,
        count: impl Fn(&str) -> usize,
    ) -> Result<Reply, String> {
        let written = || {
            count(&self.text) + self.calls.iter().map(|c| count(&c.name) + count(&c.arguments)).sum::<usize>()
        };
        let usage = Usage {
            calls: 1,
            cached: 0,
            prompt_tokens: self.prompt_tokens.unwrap_or_else(|| prompt() as u64),
            completion_tokens: self.completion_tokens.unwrap_or_else(|| written() as u64),
        };
        let calls = self.calls.into_iter().enumerate().map(|(at, piece)| piece.call(at));
        let calls = calls.collect::<Result<Vec<Call>, String>>()?;
        let finish = if calls.is_empty() { self.finish.unwrap_or_default() } else { Finish::Calls };
        Ok(Reply { text: self.text, calls, finish, usage })
    }
}

impl Piece {
    fn call(self, at: usize) -> Result<Call, String> {
        let arguments = if self.arguments.trim().is_empty() { "{}" } else { &self.arguments };
        let arguments = tolerant::json(arguments).filter(Value::is_object);
        let arguments = arguments
            .ok_or_else(|| format!("the tool {} is called with what is no JSON object", self.name))?;
        // Some servers name no calls; an answer has to name the one it is for.
        let id = if self.id.is_empty() { format!("call_{at}") } else { self.id };
        Ok(Call { id, name: self.name, arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_come_in_parts_and_side_by_side() {
        let mut draft = Draft::default();
        draft.call(0, Some("a"), Some("sql"), r#"{"query""#);
        draft.call(1, None, Some("schema"), "");
        draft.call(0, None, None, r#": "select 1"}"#);
        let reply = draft.reply(|| 7, str::len).unwrap();
        let made: Vec<_> = reply.calls.iter().map(|c| (&*c.id, &*c.name, &c.arguments)).collect();
        let query = json!({"query": "select 1"});
        assert_eq!(made, [("a", "sql", &query), ("call_1", "schema", &json!({}))]);
        assert_eq!((reply.finish, reply.usage.prompt_tokens), (Finish::Calls, 7));
        assert!(reply.usage.completion_tokens > 20);
    }

    #[test]
    fn text_is_fresh_once() {
        let mut draft = Draft::default();
        draft.say("a");
        draft.say("é");
        assert_eq!(draft.fresh(), "aé");
        assert_eq!(draft.fresh(), "");
        draft.say("b");
        assert_eq!(draft.fresh(), "b");
    }

    #[test]
    fn arguments_that_are_no_object_are_named() {
        let mut draft = Draft::default();
        draft.call(0, None, Some("sql"), "]");
        assert!(draft.reply(|| 0, str::len).unwrap_err().contains("sql"));
    }
}

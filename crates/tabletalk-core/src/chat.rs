//! What is said to a language model and what it says.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// Instructions that hold for the whole talk.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
    /// The result of a tool that the model called.
    Tool,
}

/// One message of a talk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
    /// The tools the model calls with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// The call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

impl Message {
    fn new(speaker: Speaker, text: impl Into<String>) -> Self {
        Message { speaker, text: text.into(), calls: Vec::new(), answers: None }
    }
    /// Instructions.
    pub fn system(text: impl Into<String>) -> Self {
        Message::new(Speaker::System, text)
    }
    /// What is asked.
    pub fn user(text: impl Into<String>) -> Self {
        Message::new(Speaker::User, text)
    }
    /// What the model said.
    pub fn assistant(text: impl Into<String>) -> Self {
        Message::new(Speaker::Assistant, text)
    }
    /// What the tool of call `id` gave.
    pub fn tool(id: impl Into<String>, text: impl Into<String>) -> Self {
        Message { answers: Some(id.into()), ..Message::new(Speaker::Tool, text) }
    }
}

/// A tool called by the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The name of this call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with: an object.
    pub arguments: Value,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, in words for the model.
    pub description: String,
    /// A JSON schema of its arguments.
    pub parameters: Value,
}

/// How a reply is wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatOptions {
    /// 0 gives the likeliest words; more gives more variety.
    pub temperature: f32,
    /// The most tokens of a reply.
    pub max_tokens: u32,
    /// Makes samples differ, and the same sample come again.
    pub seed: Option<u64>,
    /// Texts that end the reply.
    pub stop: Vec<String>,
    /// A JSON schema that the reply must follow.
    pub schema: Option<Value>,
    /// The tools that may be called.
    pub tools: Vec<Tool>,
}

impl Default for ChatOptions {
    fn default() -> Self {
        ChatOptions {
            temperature: 0.0,
            max_tokens: 512,
            seed: None,
            stop: Vec::new(),
            schema: None,
            tools: Vec::new(),
        }
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finish {
    /// The model had said all.
    #[default]
    Stop,
    /// The most tokens were reached.
    Length,
    /// The model calls tools.
    Calls,
}

/// What a reply cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Requests that went to a model.
    pub calls: u64,
    /// Replies that came from the cache.
    pub cached: u64,
    /// Tokens that were read.
    pub prompt_tokens: u64,
    /// Tokens that were written.
    pub completion_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.calls += other.calls;
        self.cached += other.cached;
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
    }
}

/// What a model said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The tools it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// Why it ended.
    pub finish: Finish,
    /// What it cost.
    pub usage: Usage,
}

impl Reply {
    /// The text without what the model thought aloud: what stands in there was not said, and nothing of it is done.
    pub fn said(&self) -> &str {
        let after =
            [THOUGHT, THINKING].iter().filter_map(|tag| self.text.rfind(tag).map(|at| at + tag.len())).max();
        let said = self.text.get(after.unwrap_or(0)..).unwrap_or_default();
        // A thought that was cut off has no end.
        let open = [OPEN, OPEN_THINKING].iter().filter_map(|tag| said.find(tag)).min();
        said.get(..open.unwrap_or(said.len())).unwrap_or_default()
    }
}

const OPEN: &str = "<think>";
const THOUGHT: &str = "</think>";
const OPEN_THINKING: &str = "<thinking>";
const THINKING: &str = "</thinking>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_thought_was_not_said() {
        let said = |text: &str| Reply { text: text.into(), ..Reply::default() }.said().to_owned();
        assert_eq!(said("SELECT 1"), "SELECT 1");
        assert_eq!(said("<think>SELECT 1</think>SELECT 2"), "SELECT 2");
        assert_eq!(said("hm, SELECT 1</think> SELECT 2"), " SELECT 2");
        assert_eq!(said("<thinking>SELECT 1</thinking>\nSELECT 2 <think>SELECT 3"), "\nSELECT 2 ");
        assert_eq!(said("<think>SELECT 1\n```sql\nSELECT 2"), "");
        assert_eq!(said("<think>a</think>b<think>SELECT 1</think>c"), "c");
    }
}

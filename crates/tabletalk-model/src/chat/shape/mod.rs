//! The shapes in which providers take a talk and give a reply.

mod anthropic;
mod gemini;
mod openai;

pub(crate) use anthropic::Anthropic;
pub(crate) use gemini::Gemini;
pub(crate) use openai::OpenAi;

use super::{draft::Draft, schema::Form};
use serde_json::Value;
use std::collections::BTreeSet;
use tabletalk_core::chat::{ChatOptions, Message};

/// What is asked of a model.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The name that the server knows the model by.
    pub(crate) model: &'a str,
    /// What was said.
    pub(crate) talk: &'a [Message],
    /// How a reply is wanted.
    pub(crate) options: &'a ChatOptions,
    /// How the server is asked for JSON, where the options have a schema.
    pub(crate) form: Form,
    /// Parameters that the server does not take.
    pub(crate) without: &'a BTreeSet<&'static str>,
}

impl Request<'_> {
    /// The schema, where the server is to follow it by itself.
    fn schema(&self) -> Option<&Value> {
        self.options.schema.as_ref().filter(|_| self.form == Form::Schema)
    }

    /// The temperature without the noise of 32 bits: 0.7 is not 0.699999988.
    fn temperature(&self) -> f64 {
        (f64::from(self.options.temperature) * 1000.0).round() / 1000.0
    }

    /// The seed, in bits that every server can hold.
    fn seed(&self) -> Option<u64> {
        self.options.seed.map(|seed| (seed ^ (seed >> 32)) & 0x7fff_ffff)
    }
}

/// How one family of providers is talked to.
pub(crate) trait Shape: Send + Sync {
    /// The path of a request under the server's address.
    fn path(&self, model: &str) -> String;
    /// The body of a request.
    fn body(&self, request: &Request<'_>) -> Value;
    /// Adds one event of the stream to the reply; an error says how it is of another shape.
    fn event(&self, event: &Value, draft: &mut Draft) -> Result<(), String>;
    /// Adds an answer that came at once.
    fn whole(&self, answer: &Value, draft: &mut Draft) -> Result<(), String>;
}

/// The text at `path`, where there is one.
fn text<'a>(value: &'a Value, path: &str) -> Option<&'a str> {
    value.pointer(path).and_then(Value::as_str)
}

/// What an answer is when none of its parts is known.
fn unknown(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}

//! Which language model is used and how, as it stands in a configuration file.

use super::{
    Replay,
    count::Counter,
    schema::Form,
    server::{Manners, Server},
    shape::{Anthropic, Gemini, OpenAi, Shape},
};
use crate::{
    Secret,
    remote::client::{Client, Target},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
    time::Duration,
};
use tabletalk_core::{Error, Result, seam::Chat};

/// Who runs a language model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatProvider {
    /// A server with the OpenAI shape: `/chat/completions`.
    #[default]
    OpenAi,
    /// An Ollama server, which has the OpenAI shape under `/v1`.
    Ollama,
    /// Anthropic: `/v1/messages`.
    Anthropic,
    /// Gemini: `:streamGenerateContent`.
    Gemini,
    /// This program, from a GGUF file. Only with the feature `gguf`.
    Gguf,
    /// A recording: the model is the path of its file.
    Replay,
}

/// How a model is told of tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolCalls {
    /// As the provider's own tools, except for a GGUF file.
    #[default]
    Auto,
    /// As the provider's own tools.
    Native,
    /// In words, and it calls them in words.
    Text,
}

/// How a model is asked for JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Structured {
    /// By schema, and by less where the server refuses that.
    #[default]
    Auto,
    /// By schema.
    Schema,
    /// By asking for any JSON, with the schema in words.
    Json,
    /// In words.
    None,
}

/// Which language model is used and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatSettings {
    /// Who runs the model.
    pub provider: ChatProvider,
    /// The name that the provider knows it by, or the path of a file.
    pub model: String,
    /// Where the provider is; each has its own default.
    pub url: Option<String>,
    /// The key. Never written out.
    #[serde(skip_serializing)]
    pub api_key: Option<Secret>,
    /// The header that has the key, where it differs from what the provider wants.
    pub key_header: Option<String>,
    /// Further headers. Never written out.
    #[serde(skip_serializing)]
    pub headers: BTreeMap<String, Secret>,
    /// The most tokens of a talk and its reply together.
    pub context: usize,
    /// How many seconds a reply may take, all tries together.
    pub timeout_s: f64,
    /// How many seconds a server may say nothing, before the first word or between two.
    pub silence_s: f64,
    /// How often a request that failed for the moment is tried again.
    pub retries: u32,
    /// How many requests are under way at once.
    pub requests_at_once: usize,
    /// How the model is told of tools.
    pub tools: ToolCalls,
    /// How the model is asked for JSON.
    pub structured: Structured,
    /// How many threads a GGUF file uses; 0 means one for each processor.
    pub threads: usize,
    /// How many layers of a GGUF file run on a graphics card.
    pub gpu_layers: u32,
    /// How many tokens of a prompt a GGUF file reads at once.
    pub batch: usize,
}

impl Default for ChatSettings {
    fn default() -> Self {
        ChatSettings {
            provider: ChatProvider::OpenAi,
            model: String::new(),
            url: None,
            api_key: None,
            key_header: None,
            headers: BTreeMap::new(),
            context: 8192,
            timeout_s: 300.0,
            silence_s: 120.0,
            retries: 3,
            requests_at_once: 4,
            tools: ToolCalls::Auto,
            structured: Structured::Auto,
            threads: 0,
            gpu_layers: 0,
            batch: 512,
        }
    }
}

impl ChatSettings {
    /// A model of this name from this provider.
    pub fn new(provider: ChatProvider, model: impl Into<String>) -> ChatSettings {
        ChatSettings { provider, model: model.into(), ..ChatSettings::default() }
    }

    pub(crate) fn url(&self) -> String {
        let usual = match self.provider {
            ChatProvider::Ollama => "http://localhost:11434",
            ChatProvider::Anthropic => "https://api.anthropic.com",
            ChatProvider::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            _ => "https://api.openai.com/v1",
        };
        let url = self.url.as_deref().unwrap_or(usual).trim_end_matches('/');
        match self.provider {
            // Both are given with and without it.
            ChatProvider::Ollama => format!("{}/v1", url.trim_end_matches("/v1")),
            ChatProvider::Anthropic => url.trim_end_matches("/v1").to_owned(),
            _ => url.to_owned(),
        }
    }

    pub(crate) fn headers(&self) -> Vec<(String, Secret)> {
        let mut headers: Vec<(String, Secret)> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        if self.provider == ChatProvider::Anthropic && !self.headers.contains_key("anthropic-version") {
            headers.push(("anthropic-version".to_owned(), Secret::new("2023-06-01")));
        }
        let usual = match self.provider {
            ChatProvider::Anthropic => "x-api-key",
            ChatProvider::Gemini => "x-goog-api-key",
            _ => "authorization",
        };
        let name = self.key_header.as_deref().unwrap_or(usual);
        if let Some(key) = &self.api_key {
            let is_bearer = name.eq_ignore_ascii_case("authorization");
            let value = if is_bearer { key.bearer() } else { Secret::new(key.reveal().trim()) };
            headers.push((name.to_owned(), value));
        }
        headers
    }

    fn server(&self, shape: Box<dyn Shape>) -> Result<Server> {
        let timeout = seconds("timeout_s", self.timeout_s)?;
        let client = Client::new(Target {
            url: self.url(),
            headers: self.headers(),
            timeout,
            silence: Some(seconds("silence_s", self.silence_s)?),
            retries: self.retries,
            requests_at_once: self.requests_at_once.max(1),
        })?;
        let form = match self.structured {
            Structured::Auto | Structured::Schema => Form::Schema,
            Structured::Json => Form::Json,
            Structured::None => Form::Text,
        };
        Ok(Server {
            identity: format!("{}@{}", self.model, client.shown()),
            shape,
            client,
            model: self.model.clone(),
            context: self.context,
            counter: Counter::of(&self.model),
            calls_tools: self.tools != ToolCalls::Text,
            timeout,
            yields: self.structured == Structured::Auto,
            manners: Mutex::new(Manners { form, without: BTreeSet::new() }),
        })
    }
}

/// The language model of `settings`. No request is sent yet.
pub fn chat(settings: &ChatSettings) -> Result<Box<dyn Chat>> {
    if settings.model.trim().is_empty() {
        return Err(Error::input("no language model is named").hint("set `model`"));
    }
    Ok(match settings.provider {
        ChatProvider::OpenAi | ChatProvider::Ollama => Box::new(settings.server(Box::new(OpenAi))?),
        ChatProvider::Anthropic => Box::new(settings.server(Box::new(Anthropic))?),
        ChatProvider::Gemini => Box::new(settings.server(Box::new(Gemini))?),
        ChatProvider::Replay => Box::new(Replay::open(&settings.model)?),
        ChatProvider::Gguf => gguf(settings)?,
    })
}

#[cfg(feature = "gguf")]
fn gguf(settings: &ChatSettings) -> Result<Box<dyn Chat>> {
    if settings.tools == ToolCalls::Native {
        return Err(Error::input("a GGUF file calls no tools by itself").hint("set `tools` to \"text\""));
    }
    Ok(Box::new(super::gguf::Gguf::open(settings, seconds("timeout_s", settings.timeout_s)?)?))
}

#[cfg(not(feature = "gguf"))]
fn gguf(settings: &ChatSettings) -> Result<Box<dyn Chat>> {
    Err(Error::missing(format!("this program was built without GGUF, which {} needs", settings.model))
        .hint("build it with the feature gguf, or run a server and set `provider` to openai"))
}

/// A time that can be waited: more than nothing and at most a week.
fn seconds(name: &str, seconds: f64) -> Result<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok();
    time.filter(|time| !time.is_zero() && time.as_secs() <= 7 * 24 * 3600).ok_or_else(|| {
        Error::input(format!("{name} is {seconds}, which is no number of seconds")).hint("set it to, say, 60")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Fault;

    #[test]
    fn keys_are_neither_printed_nor_written() {
        let settings = ChatSettings {
            api_key: Some(Secret::new("sk-very-secret")),
            headers: [("x-other".to_owned(), Secret::new("very-other"))].into(),
            ..ChatSettings::default()
        };
        assert!(!format!("{settings:?}").contains("very"));
        assert!(!serde_json::to_string(&settings).unwrap().contains("very"));
    }

    #[test]
    fn settings_come_back_as_they_were_written() {
        let settings = ChatSettings {
            structured: Structured::None,
            tools: ToolCalls::Text,
            ..ChatSettings::new(ChatProvider::OpenAi, "m")
        };
        let written = serde_json::to_string(&settings).unwrap();
        assert!(written.contains(r#""provider":"openai""#));
        assert_eq!(serde_json::from_str::<ChatSettings>(&written).unwrap(), settings);
        assert!(serde_json::from_str::<ChatSettings>(r#"{"modle": "x"}"#).is_err());
    }

    #[test]
    fn each_provider_has_its_address_and_its_header() {
        let named = |provider, url: Option<&str>| {
            let url = url.map(str::to_owned);
            let key = Some(Secret::new(" k1\n"));
            let settings = ChatSettings { url, api_key: key, ..ChatSettings::new(provider, "m") };
            let (name, key) = settings.headers().pop().unwrap();
            format!("{} {name} {}", settings.url(), key.reveal())
        };
        assert_eq!(named(ChatProvider::Ollama, None), "http://localhost:11434/v1 authorization Bearer k1");
        assert_eq!(named(ChatProvider::Ollama, Some("http://h/v1/")), "http://h/v1 authorization Bearer k1");
        assert_eq!(named(ChatProvider::Anthropic, Some("https://h/v1")), "https://h x-api-key k1");
        assert!(named(ChatProvider::Gemini, None).ends_with("/v1beta x-goog-api-key k1"));
        let azure = ChatSettings {
            api_key: Some(Secret::new("k")),
            key_header: Some("api-key".to_owned()),
            ..ChatSettings::default()
        };
        assert_eq!(azure.headers().pop().unwrap().1.reveal(), "k");
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let failure = |settings: &ChatSettings| chat(settings).err().unwrap();
        assert_eq!(failure(&ChatSettings::default()).fault(), Fault::Input);
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e18] {
            let settings =
                ChatSettings { timeout_s: seconds, ..ChatSettings::new(ChatProvider::OpenAi, "m") };
            assert!(failure(&settings).message().contains("timeout_s"));
        }
        let broken = ChatSettings {
            api_key: Some(Secret::new("sk-a\nsecret")),
            ..ChatSettings::new(ChatProvider::Anthropic, "m")
        };
        let error = failure(&broken).to_string();
        assert!(error.contains("x-api-key") && !error.contains("secret"), "{error}");
        let user = ChatSettings {
            url: Some("ftp://me:pw@host".into()),
            ..ChatSettings::new(ChatProvider::OpenAi, "m")
        };
        assert!(!failure(&user).to_string().contains("pw"));
    }
}

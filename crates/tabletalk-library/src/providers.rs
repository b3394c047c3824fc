//! Finding language models: servers on this machine, and keys in the environment.

use crate::config::Chat;
use crate::{Error, Result};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;
use tabletalk_model::{ChatProvider, ChatSettings, Secret};

/// How long a server on this machine may take to say which models it has; one that runs says so at once.
const NEAR: Duration = Duration::from_millis(1500);
/// The same for one that is reached over the network.
const FAR: Duration = Duration::from_secs(10);

/// A provider of language models that was found.
#[derive(Debug, Clone, Serialize)]
pub struct Offer {
    /// What people call it.
    pub name: String,
    /// Who runs its models.
    pub provider: ChatProvider,
    /// Where it is, when that is not the provider's usual address.
    pub url: Option<String>,
    /// The environment variable that holds its key.
    pub api_key_env: Option<String>,
    /// Whether it runs on this machine.
    pub is_local: bool,
    /// Its models.
    pub models: Vec<String>,
    /// Why its models could not be listed.
    pub error: Option<String>,
}

impl Offer {
    fn near(name: &str, provider: ChatProvider, url: &str) -> Offer {
        let url = Some(url.to_owned());
        Offer {
            name: name.into(),
            provider,
            url,
            api_key_env: None,
            is_local: true,
            models: vec![],
            error: None,
        }
    }

    fn by_key(name: &str, provider: ChatProvider, url: Option<&str>, key: &str) -> Offer {
        let (url, api_key_env) = (url.map(str::to_owned), Some(key.to_owned()));
        Offer { name: name.into(), provider, url, api_key_env, is_local: false, models: vec![], error: None }
    }

    /// The configuration that uses a model of it.
    pub fn chat(&self, model: &str) -> Chat {
        let settings = ChatSettings { url: self.url.clone(), ..ChatSettings::new(self.provider, model) };
        Chat { api_key_env: self.api_key_env.clone(), ..Chat::of(settings) }
    }

    fn listed(mut self) -> Offer {
        let mut settings = ChatSettings { url: self.url.clone(), ..ChatSettings::new(self.provider, "") };
        let key = self.api_key_env.as_ref().and_then(|name| std::env::var(name).ok());
        settings.api_key = key.map(Secret::new);
        match tabletalk_model::chat::models(&settings, if self.is_local { NEAR } else { FAR }) {
            Ok(models) => self.models = models,
            Err(e) => self.error = Some(e.message().to_owned()),
        }
        self
    }
}

/// The servers that run language models on a machine, on the ports that they use unless they are told otherwise.
fn near() -> Vec<Offer> {
    // Ollama's own variable says where its server listens.
    let host = std::env::var("OLLAMA_HOST").ok().filter(|host| !host.trim().is_empty());
    let ollama = host.map_or_else(|| "http://127.0.0.1:11434".to_owned(), |host| address(&host));
    let is_local = is_local(&ollama);
    vec![
        Offer { is_local, ..Offer::near("Ollama", ChatProvider::Ollama, &ollama) },
        Offer::near("llama.cpp", ChatProvider::OpenAi, "http://127.0.0.1:8080/v1"),
        Offer::near("LM Studio", ChatProvider::OpenAi, "http://127.0.0.1:1234/v1"),
        Offer::near("vLLM", ChatProvider::OpenAi, "http://127.0.0.1:8000/v1"),
    ]
}

/// What `OLLAMA_HOST` says, as an address: it may be a host alone, or one that stands for all of this machine's.
fn address(host: &str) -> String {
    let host = host.trim().trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
    match (host.contains("://"), host.contains(':')) {
        (true, _) => host,
        (false, true) => format!("http://{host}"),
        (false, false) => format!("http://{host}:11434"),
    }
}

/// Providers whose key stands in the environment under its usual name.
fn by_key() -> Vec<Offer> {
    let openai = std::env::var("OPENAI_BASE_URL").ok().filter(|url| !url.is_empty());
    let all = [
        Offer::by_key("OpenAI", ChatProvider::OpenAi, openai.as_deref(), "OPENAI_API_KEY"),
        Offer::by_key("Anthropic", ChatProvider::Anthropic, None, "ANTHROPIC_API_KEY"),
        Offer::by_key("Gemini", ChatProvider::Gemini, None, "GEMINI_API_KEY"),
        Offer::by_key(
            "DeepSeek",
            ChatProvider::OpenAi,
            Some("https://api.deepseek.com/v1"),
            "DEEPSEEK_API_KEY",
        ),
        Offer::by_key(
            "DashScope",
            ChatProvider::OpenAi,
            Some("https://dashscope.aliyuncs.com/compatible-mode/v1"),
            "DASHSCOPE_API_KEY",
        ),
    ];
    let has_key = |offer: &Offer| {
        offer
            .api_key_env
            .as_ref()
            .and_then(|name| std::env::var(name).ok())
            .is_some_and(|key| !key.is_empty())
    };
    all.into_iter().filter(has_key).collect()
}

/// What was found: servers that answer, and providers with a key. All are asked at the same time.
pub fn offers() -> Vec<Offer> {
    let asked: Vec<Offer> = near().into_iter().chain(by_key()).collect();
    let listed = std::thread::scope(|scope| {
        let threads: Vec<_> = asked.into_iter().map(|offer| scope.spawn(|| offer.listed())).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<_>>()
    });
    // A port on which nothing answers as expected is no find; a key that does not work is worth a word.
    listed.into_iter().filter(|o| !o.models.is_empty() || o.api_key_env.is_some()).collect()
}

/// Whether an address is on this machine.
pub fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    let host = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(h, _)| h);
    let is_loopback = host.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    matches!(host, "localhost" | "[::1]") || is_loopback
}

/// What of a library leaves this machine with a language model, in words.
pub fn leaves(chat: &Chat) -> String {
    let to = match (chat.model.provider, chat.model.url.as_deref()) {
        (ChatProvider::Gguf | ChatProvider::Replay, _) | (ChatProvider::Ollama, None) => None,
        (_, Some(url)) if is_local(url) => None,
        (_, Some(url)) => Some(url),
        (ChatProvider::Anthropic, None) => Some("https://api.anthropic.com"),
        (ChatProvider::Gemini, None) => Some("https://generativelanguage.googleapis.com"),
        (ChatProvider::OpenAi, None) => Some("https://api.openai.com"),
    };
    match to {
        None => "nothing leaves this machine".to_owned(),
        Some(url) => format!(
            "sent to {url}: your questions, and of the tables and passages found for them names, rows and results; \
             files are not sent"
        ),
    }
}

/// What a model is asked to see whether it can be used: to read a value off a table.
pub const QUESTION: &str = "A table:\n\n| city | shops |\n|---|---|\n| Oslo | 3 |\n| Bergen | 7 |\n| Turku | 5 |\n\nHow many shops are in Bergen? Answer with the number alone.";

/// Whether a reply to [`QUESTION`] is right.
pub fn is_right(reply: &str) -> bool {
    let last = reply.rsplit(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
    last == Some("7")
}

/// Writes the `[chat]` section of a configuration file, in the place of the one that it has; without a model it is taken out.
/// Everything else stays as it was written.
pub fn write(file: &Path, chat: Option<&Chat>) -> Result<()> {
    let before = match std::fs::read_to_string(file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|e| Error::from(e).at(file.display()))?,
    };
    let mut text = without_chat(&before);
    if let Some(chat) = chat {
        if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(&section(chat));
    }
    // What cannot be read again must not take the place of what can.
    let parsed: std::result::Result<toml::Table, _> = toml::from_str(&text);
    parsed
        .map_err(|e| Error::input(format!("the [chat] section cannot be changed: {e}")).at(file.display()))?;
    std::fs::write(file, text).map_err(|e| Error::from(e).at(file.display()))
}

/// The text of a configuration without its `[chat]` section.
fn without_chat(text: &str) -> String {
    let mut kept = String::new();
    let mut is_in = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with('[') {
            let name = trimmed.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
            is_in = name == "chat" || name.starts_with("chat.");
        }
        if !is_in {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn section(chat: &Chat) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let provider = serde_json::to_value(chat.model.provider).unwrap_or_default();
    let mut text = format!("[chat]\nprovider = {}\n", quoted(provider.as_str().unwrap_or("openai")));
    if let Some(url) = &chat.model.url {
        text.push_str(&format!("url = {}\n", quoted(url)));
    }
    text.push_str(&format!("model = {}\n", quoted(&chat.model.model)));
    if let Some(name) = &chat.api_key_env {
        text.push_str(&format!("api_key_env = {}\n", quoted(name)));
    }
    text
}

/// The one of these models that was named, by its name or by its number from 1 on; with the provider that has it.
pub fn pick<'a>(offers: &'a [Offer], wanted: &str) -> Option<(&'a Offer, &'a str)> {
    let all: Vec<(&Offer, &str)> =
        offers.iter().flat_map(|o| o.models.iter().map(move |m| (o, m.as_str()))).collect();
    let by_name = all.iter().find(|(_, model)| *model == wanted);
    let by_number = || all.get(wanted.parse::<usize>().ok()?.checked_sub(1)?);
    by_name.or_else(by_number).copied()
}

/// Tries a model with the question of [`QUESTION`]; what it replies.
pub fn try_model(chat: &Chat) -> Result<String> {
    let chat = Chat { cache: false, record: None, ..chat.clone() };
    let talk = [tabletalk_core::chat::Message::user(QUESTION)];
    // Models that think before they answer need room for that.
    let options = tabletalk_core::chat::ChatOptions { max_tokens: 1024, ..Default::default() };
    let model = crate::models::chat(&chat, Path::new(""), None)?;
    Ok(model.chat(&talk, &options, &mut |_| {})?.text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_takes_the_place_of_another_and_the_rest_stays() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tabletalk.toml");
        std::fs::write(&file, "# mine\n[answer]\nsamples = 3\n\n[chat]\nmodel = \"old\"\n\n[chat.headers]\na = \"b\"\n[sql]\nrows = 5\n")
            .unwrap();
        let offer = Offer::near("Ollama", ChatProvider::Ollama, "http://127.0.0.1:11434");
        write(&file, Some(&offer.chat("qwen2.5:7b"))).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            text.starts_with("# mine\n[answer]") && text.contains("rows = 5") && !text.contains("old"),
            "{text}"
        );
        let config = crate::Config::load(Some(&file)).unwrap();
        assert_eq!(config.chat.unwrap().model.model, "qwen2.5:7b");
        write(&file, None).unwrap();
        assert!(crate::Config::load(Some(&file)).unwrap().chat.is_none());
    }

    #[test]
    fn what_leaves_the_machine_is_told_by_where_the_model_is() {
        let near = Offer::near("Ollama", ChatProvider::Ollama, "http://127.0.0.1:11434").chat("m");
        assert_eq!(leaves(&near), "nothing leaves this machine");
        let far = Offer::by_key("DeepSeek", ChatProvider::OpenAi, Some("https://api.deepseek.com/v1"), "K")
            .chat("m");
        assert!(leaves(&far).contains("https://api.deepseek.com"));
        let plain = Offer::by_key("OpenAI", ChatProvider::OpenAi, None, "K").chat("m");
        assert!(leaves(&plain).contains("api.openai.com"));
        assert!(is_local("http://localhost:8000/v1") && is_local("http://[::1]:8000"));
        assert!(!is_local("http://127.example.com/") && !is_local("http://example.com:80"));
    }

    #[test]
    fn ollama_says_where_it_is_in_several_ways() {
        assert_eq!(address("0.0.0.0"), "http://127.0.0.1:11434");
        assert_eq!(address("box:9999"), "http://box:9999");
        assert_eq!(address("https://box/"), "https://box");
    }

    #[test]
    fn models_are_picked_by_name_or_number() {
        let mut offer = Offer::near("Ollama", ChatProvider::Ollama, "http://127.0.0.1:11434");
        offer.models = vec!["a".into(), "2".into(), "c".into()];
        let offers = [offer];
        let name = |wanted: &str| pick(&offers, wanted).map(|(_, m)| m.to_owned());
        assert_eq!((name("c"), name("1"), name("2")), (Some("c".into()), Some("a".into()), Some("2".into())));
        assert_eq!((name("0"), name("9"), name("x")), (None, None, None));
    }

    #[test]
    fn the_reply_to_the_test_question_is_judged_by_its_last_number() {
        assert!(is_right("7") && is_right("There are **7** shops."));
        assert!(!is_right("3") && !is_right("none"));
    }
}

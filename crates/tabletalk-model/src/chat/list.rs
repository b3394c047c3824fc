//! Which models a provider has.

use super::settings::{ChatProvider, ChatSettings};
use crate::remote::client::{Client, Target};
use serde_json::Value;
use std::time::Duration;
use tabletalk_core::Result;

/// The names of the models that the provider of `settings` has, whatever model those name. One try of at most `patience`.
pub fn models(settings: &ChatSettings, patience: Duration) -> Result<Vec<String>> {
    let client = Client::new(Target {
        url: settings.url(),
        headers: settings.headers(),
        timeout: patience,
        silence: None,
        retries: 0,
        requests_at_once: 1,
    })?;
    let path = match settings.provider {
        ChatProvider::Anthropic => "/v1/models?limit=100",
        _ => "/models",
    };
    Ok(names(&client.get(path)?))
}

/// The names in a list of models, in any provider's shape.
fn names(list: &Value) -> Vec<String> {
    let entries = list["data"].as_array().or_else(|| list["models"].as_array());
    let mut names: Vec<String> =
        entries.into_iter().flatten().filter(|m| answers(m)).filter_map(name).collect();
    names.sort();
    names.dedup();
    names
}

fn name(model: &Value) -> Option<String> {
    let name = model["id"].as_str().or_else(|| model["name"].as_str())?;
    Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
}

/// Whether a model writes answers, as far as that is told: providers list models that embed, draw and speak among them.
fn answers(model: &Value) -> bool {
    const OTHERS: [&str; 12] = [
        "embed",
        "whisper",
        "tts",
        "dall-e",
        "image",
        "moderation",
        "transcribe",
        "realtime",
        "audio",
        "davinci",
        "babbage",
        "rerank",
    ];
    let methods = model["supportedGenerationMethods"].as_array();
    let generates = methods.is_none_or(|all| all.iter().any(|m| m == "generateContent"));
    let lower = name(model).unwrap_or_default().to_lowercase();
    generates && !OTHERS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_of_every_shape_are_read_and_only_what_answers_is_kept() {
        let openai = json!({"data": [{"id": "gpt-b"}, {"id": "gpt-a"}, {"id": "text-embedding-3-small"}, {"id": "whisper-1"}]});
        assert_eq!(names(&openai), ["gpt-a", "gpt-b"]);
        let gemini = json!({"models": [
            {"name": "models/gemini-x", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/other", "supportedGenerationMethods": ["predict"]},
        ]});
        assert_eq!(names(&gemini), ["gemini-x"]);
        assert!(names(&json!({"error": "no"})).is_empty());
    }
}

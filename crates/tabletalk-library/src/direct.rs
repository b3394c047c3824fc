//! The models of a library asked directly: vectors of texts, scores of passages, a word from the language model.

use crate::{Library, Result, config, models};
use tabletalk_core::chat::Message;
use tabletalk_core::seam::{Role, Want};
use tabletalk_core::{Error, chat::ChatOptions};

impl Library {
    /// The embed keys there are.
    pub fn embed_keys(&self) -> Vec<String> {
        self.embedders.slots().iter().map(|slot| slot.key.clone()).collect()
    }

    /// The vectors of texts under an embed key; without one, each text goes to the model for its language.
    pub fn vectors(&self, key: Option<&str>, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let slot_of = |text: &str| match key {
            Some(key) => self.embedders.get(key),
            None => self.embedders.dense_for(text).ok_or_else(|| {
                Error::missing("no embedding model is configured").hint("see docs/use/models.md")
            }),
        };
        let one = |text: &String| {
            let made = slot_of(text)?.model()?.embed(&[text], Role::Passage, Want::Pooled)?;
            let first = made.into_iter().next().map(|e| e.pooled);
            first.ok_or_else(|| Error::upstream("the model gave no vector"))
        };
        texts.iter().map(one).collect()
    }

    /// How well passages answer a query, by the reranker of this name.
    pub fn scores(&self, reranker: &str, query: &str, passages: &[String]) -> Result<Vec<f32>> {
        self.rerankers.score(&self.recall().means(), reranker, query, passages)
    }

    /// Asks a language model for one word, to see that it answers.
    pub fn try_chat(&self, settings: Option<&config::Chat>) -> Result<String> {
        let talk = [Message::user("Answer with the single word: ready")];
        let options = ChatOptions { max_tokens: 16, ..ChatOptions::default() };
        let reply = match settings {
            Some(settings) => {
                let settings = config::Chat { cache: false, record: None, ..settings.clone() };
                let cache = models::chat_cache(&self.store);
                models::chat(&settings, &cache, models::dir(&self.config).as_deref())?.chat(
                    &talk,
                    &options,
                    &mut |_| {},
                )
            }
            None => self.needed_chat()?.chat(&talk, &options, &mut |_| {}),
        }?;
        Ok(reply.text)
    }
}

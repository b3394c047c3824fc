//! What a model's own files, or failing them its name, say about how it is used.

use crate::{Pooling, bert::Shape};
use serde_json::Value;
use tabletalk_core::{Error, Result};

/// How a model wants to be used. What nobody says is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct About {
    pub(crate) pooling: Option<Pooling>,
    pub(crate) query_prefix: Option<String>,
    pub(crate) passage_prefix: Option<String>,
    pub(crate) max_tokens: Option<usize>,
    pub(crate) query_marker: Option<String>,
    pub(crate) document_marker: Option<String>,
    pub(crate) query_length: Option<usize>,
    /// What is needed to run it directly, where it is a plain BERT.
    pub(crate) bert: Option<Shape>,
}

/// The instructions that the authors of the bge models publish for queries.
const BGE_EN: &str = "Represent this sentence for searching relevant passages: ";
const BGE_ZH: &str = "为这个句子生成表示以用于检索相关文章：";

impl About {
    /// What is known of the family that `name` belongs to.
    pub(crate) fn of_family(name: &str) -> About {
        let name = name.to_lowercase();
        let prefixes = |pooling, query: &str, passage: &str| About {
            pooling: Some(pooling),
            query_prefix: Some(query.to_owned()),
            passage_prefix: Some(passage.to_owned()),
            ..About::default()
        };
        let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        let has = |part| parts.contains(&part);
        match () {
            () if has("bge") && has("m3") => prefixes(Pooling::Cls, "", ""),
            () if has("bge") && has("zh") => prefixes(Pooling::Cls, BGE_ZH, ""),
            () if has("bge") => prefixes(Pooling::Cls, BGE_EN, ""),
            () if has("e5") && !has("instruct") => prefixes(Pooling::Mean, "query: ", "passage: "),
            () => About::default(),
        }
    }

    /// Takes over what `config.json` says.
    pub(crate) fn add_config(&mut self, config: &Value) {
        let positions = number(config, "max_position_embeddings");
        // These count positions from the one after the padding token's.
        let skipped = match config.get("model_type").and_then(Value::as_str) {
            Some("roberta" | "xlm-roberta" | "camembert" | "mpnet") => 2,
            _ => 0,
        };
        self.limit(positions.map(|most| most.saturating_sub(skipped)));
        self.bert = bert(config);
    }

    /// Takes over the length that `sentence_bert_config.json` or `tokenizer_config.json` says.
    pub(crate) fn add_length(&mut self, file: &Value) {
        // Tokenizers without a limit write a number of thirty digits.
        let said = number(file, "max_seq_length").or_else(|| number(file, "model_max_length"));
        self.limit(said.filter(|most| *most < 1_000_000));
    }

    /// Takes over what `1_Pooling/config.json` says.
    pub(crate) fn add_pooling(&mut self, file: &Value) -> Result<()> {
        let on = |key: &str| file.get(key).and_then(Value::as_bool).unwrap_or(false);
        self.pooling = match () {
            () if on("pooling_mode_mean_tokens") => Some(Pooling::Mean),
            () if on("pooling_mode_cls_token") => Some(Pooling::Cls),
            () => {
                return Err(Error::input("asks for a pooling other than mean and cls")
                    .hint("set `pooling` to the one of the two that is nearer"));
            }
        };
        Ok(())
    }

    /// Takes over the prompts, and the markers of late interaction, of `config_sentence_transformers.json`.
    pub(crate) fn add_prompts(&mut self, file: &Value) {
        let prompt = |keys: &[&str]| {
            let prompts = file.get("prompts")?;
            keys.iter().find_map(|key| prompts.get(key)?.as_str().map(str::to_owned))
        };
        self.query_prefix = prompt(&["query", "retrieval.query"]).or(self.query_prefix.take());
        self.passage_prefix =
            prompt(&["passage", "document", "retrieval.passage"]).or(self.passage_prefix.take());
        let marker = |key: &str| file.get(key).and_then(Value::as_str).map(|m| m.trim().to_owned());
        self.query_marker = marker("query_prefix").filter(|m| !m.is_empty());
        self.document_marker = marker("document_prefix").filter(|m| !m.is_empty());
        let fills = file.get("do_query_expansion").and_then(Value::as_bool) != Some(false);
        self.query_length = number(file, "query_length").filter(|_| fills);
    }

    fn limit(&mut self, most: Option<usize>) {
        self.max_tokens = match (self.max_tokens, most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// Nothing where the model differs from BERT in what can be set, or does not say.
fn bert(config: &Value) -> Option<Shape> {
    let says = |key: &str, word: &str| config.get(key).and_then(Value::as_str) == Some(word);
    let absolute = config.get("position_embedding_type").is_none_or(|kind| kind.as_str() == Some("absolute"));
    let epsilon = config.get("layer_norm_eps")?.as_f64()? as f32;
    (says("model_type", "bert") && says("hidden_act", "gelu") && absolute)
        .then_some(Shape { heads: number(config, "num_attention_heads")?, epsilon })
}

fn number(file: &Value, key: &str) -> Option<usize> {
    file.get(key)?.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn families_are_known_by_name() {
        let zh = About::of_family("bge-small-zh-v1.5");
        assert_eq!((zh.pooling, zh.query_prefix.as_deref()), (Some(Pooling::Cls), Some(BGE_ZH)));
        let e5 = About::of_family("multilingual-e5-base");
        assert_eq!((e5.pooling, e5.passage_prefix.as_deref()), (Some(Pooling::Mean), Some("passage: ")));
        assert_eq!(About::of_family("my-model"), About::default());
    }

    #[test]
    fn the_shortest_length_said_holds() {
        let mut about = About::default();
        about.add_config(&json!({"model_type": "xlm-roberta", "max_position_embeddings": 514}));
        assert_eq!(about.max_tokens, Some(512));
        about.add_length(&json!({"model_max_length": 1e30}));
        about.add_length(&json!({"max_seq_length": 256}));
        assert_eq!(about.max_tokens, Some(256));
    }

    #[test]
    fn files_outweigh_the_name() {
        let mut about = About::of_family("e5-small");
        about.add_pooling(&json!({"pooling_mode_cls_token": true})).unwrap();
        about.add_prompts(&json!({"prompts": {"query": "ask: "}}));
        assert_eq!((about.pooling, about.query_prefix.as_deref()), (Some(Pooling::Cls), Some("ask: ")));
        assert_eq!(about.passage_prefix.as_deref(), Some("passage: "));
        assert!(about.add_pooling(&json!({"pooling_mode_max_tokens": true})).is_err());
    }
}

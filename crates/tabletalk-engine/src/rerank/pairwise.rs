//! A language model that is shown two passages at a time and says which is better.

use crate::group::tokens;
use crate::prompt::{Name, Prompts};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use tabletalk_core::chat::ChatOptions;
use tabletalk_core::seam::{Chat, Scorer};
use tabletalk_core::{Error, Result};

/// Tokens of a passage that are shown.
const TOKENS: usize = 400;
/// Tokens of a reply: it is one letter, but some models think before they speak.
const REPLY: u32 = 400;

/// Puts passages in order by choosing the better of two, again and again. For each of the first `top` places, the passages are
/// gone through from the last to the first, and the better of two neighbours goes up. What was in a better place goes down only
/// when the model says so whichever of the two it reads first.
pub struct Pairwise {
    chat: Arc<dyn Chat>,
    prompts: Prompts,
    top: usize,
}

impl Pairwise {
    /// One that decides the first `top` places.
    pub fn new(chat: Arc<dyn Chat>, prompts: Prompts, top: usize) -> Pairwise {
        Pairwise { chat, prompts, top }
    }

    /// Whether the model takes the second of two; nothing when its reply names neither or both.
    fn takes_second(&self, query: &str, first: &str, second: &str) -> Result<Option<bool>> {
        let (first, second) = (shown(first), shown(second));
        let talk =
            self.prompts.talk(Name::Choose, &[("question", query), ("first", first), ("second", second)])?;
        let options = ChatOptions { max_tokens: REPLY, schema: Some(schema()), ..ChatOptions::default() };
        Ok(choice(&self.chat.chat(&talk, &options, &mut |_| {})?.text))
    }
}

impl Scorer for Pairwise {
    fn identity(&self) -> &str {
        self.chat.identity()
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>> {
        let (mut asked, mut said) = (0, 0);
        let mut takes_second = |first: &str, second: &str| -> Result<Option<bool>> {
            let choice = self.takes_second(query, first, second)?;
            (asked, said) = (asked + 1, said + usize::from(choice.is_some()));
            Ok(choice)
        };
        let order = order(passages.len(), self.top, |below, above| {
            let (below, above) = (passages[below], passages[above]);
            Ok(takes_second(above, below)? == Some(true) && takes_second(below, above)? == Some(false))
        })?;
        if asked > 0 && said == 0 {
            return Err(Error::upstream(format!("{} names neither of two passages", self.chat.identity()))
                .hint("a model that follows instructions is needed to compare passages"));
        }
        let mut scores = vec![0.0; passages.len()];
        for (place, at) in order.into_iter().enumerate() {
            scores[at] = 1.0 - place as f32 / passages.len() as f32;
        }
        Ok(scores)
    }
}

/// `n` things with the best first, as far as the first `top` places. No pair is compared twice.
fn order(
    n: usize,
    top: usize,
    mut is_better: impl FnMut(usize, usize) -> Result<bool>,
) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut known: HashMap<(usize, usize), bool> = HashMap::new();
    for place in 0..top.min(n) {
        for at in (place + 1..n).rev() {
            let (below, above) = (order[at], order[at - 1]);
            let better = match known.get(&(below, above)) {
                Some(better) => *better,
                None => is_better(below, above)?,
            };
            known.extend([((below, above), better), ((above, below), !better)]);
            if better {
                order.swap(at, at - 1);
            }
        }
    }
    Ok(order)
}

fn shown(passage: &str) -> &str {
    &passage[..tokens::head(passage, TOKENS)]
}

fn schema() -> Value {
    let better = json!({"type": "string", "enum": ["A", "B"]});
    json!({"type": "object", "properties": {"better": better}, "required": ["better"], "additionalProperties": false})
}

/// Whether a reply says B; nothing when it says neither, or both.
fn choice(reply: &str) -> Option<bool> {
    let said = reply.rsplit("</think>").next().unwrap_or(reply);
    let inside = said.find('{').zip(said.rfind('}')).and_then(|(from, to)| said.get(from..=to));
    let object: Option<Value> = inside.and_then(|json| serde_json::from_str(json).ok());
    let said = object.as_ref().and_then(|o| o["better"].as_str()).unwrap_or(said);
    let mut letters = said.split(|c: char| !c.is_alphanumeric()).filter(|word| matches!(*word, "A" | "B"));
    let first = letters.next()?;
    letters.all(|other| other == first).then_some(first == "B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_places_are_decided_and_the_rest_keeps_its_order() {
        let worth = [1, 4, 2, 5, 3];
        let by_worth = |below: usize, above: usize| Ok(worth[below] > worth[above]);
        assert_eq!(order(5, 2, by_worth).unwrap()[..2], [3, 1]);
        assert_eq!(order(5, 9, by_worth).unwrap(), [3, 1, 4, 2, 0]);
        assert_eq!(order(5, 3, |_, _| Ok(false)).unwrap(), [0, 1, 2, 3, 4]);
        assert!(order(0, 3, |_, _| Ok(true)).unwrap().is_empty());
    }

    #[test]
    fn no_pair_is_compared_twice() {
        let mut seen = std::collections::HashSet::new();
        let compare = |below: usize, above: usize| {
            assert!(seen.insert((below.min(above), below.max(above))), "{below} and {above} again");
            Ok((below + above).is_multiple_of(3))
        };
        order(7, 7, compare).unwrap();
    }

    #[test]
    fn a_reply_is_read_as_models_write_it() {
        for b in [
            "{\"better\": \"B\"}",
            "B",
            "**B**",
            "<think>A?</think>Passage B.",
            "```json\n{\"better\": \"B\"}\n```",
        ] {
            assert_eq!(choice(b), Some(true), "{b}");
        }
        assert_eq!(choice("{\"better\": \"A\"}"), Some(false));
        for neither in ["", "both", "A or B", "Bad", "{\"better\": 2}"] {
            assert_eq!(choice(neither), None, "{neither}");
        }
    }
}

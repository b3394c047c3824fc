//! Keeping hits by their words.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use tabletalk_core::Hit;
use tabletalk_store::analyze::Analyzer;

/// Words that must be there, and words that must not. Words are compared as keyword search does, by
/// language and form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Words {
    /// All of these must be in a hit.
    pub required: Vec<String>,
    /// None of these may be.
    pub excluded: Vec<String>,
}

impl Words {
    /// The hits that have all required words and no excluded one.
    pub(super) fn keep(&self, analyzer: &Analyzer, mut hits: Vec<Hit>) -> Vec<Hit> {
        let cut = |words: &[String]| words.iter().map(|w| terms(analyzer, w)).collect::<Vec<_>>();
        let (required, excluded) = (cut(&self.required), cut(&self.excluded));
        hits.retain(|hit| {
            let has = terms(analyzer, &hit.node.text);
            required.iter().all(|w| w.is_subset(&has))
                && !excluded.iter().any(|w| !w.is_empty() && w.is_subset(&has))
        });
        hits
    }
}

pub(super) fn terms(analyzer: &Analyzer, text: &str) -> HashSet<String> {
    let mut tokens = Vec::new();
    analyzer.tokens(text, &mut tokens);
    tokens.into_iter().map(|t| t.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Node;
    use tabletalk_store::analyze::AnalyzerConfig;

    #[test]
    fn words_are_compared_by_language_and_form() {
        let analyzer = Analyzer::load(&AnalyzerConfig::default()).unwrap();
        let hit = |text: &str| Hit { node: Node { text: text.into(), ..Node::default() }, ..Hit::default() };
        let hits = || vec![hit("The ships sailed to Oslo"), hit("One ship, sunk"), hit("货轮驶往奥斯陆")];
        let kept = |required: &[&str], excluded: &[&str]| {
            let list = |w: &[&str]| w.iter().map(|s| s.to_string()).collect();
            Words { required: list(required), excluded: list(excluded) }.keep(&analyzer, hits()).len()
        };
        assert_eq!(kept(&["ship"], &[]), 2);
        assert_eq!(kept(&["ship"], &["sunk"]), 1);
        assert_eq!(kept(&["货轮"], &[]), 1);
        assert_eq!(kept(&[], &[""]), 3);
    }
}

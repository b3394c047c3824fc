//! Chinese words: the dictionary, loaded when the first Chinese character is seen.

use super::fold::simplify;
use jieba_rs::Jieba;
use std::sync::OnceLock;
use tabletalk_core::{Error, Result};

/// A line of the user dictionary.
struct Entry {
    word: String,
    frequency: Option<usize>,
}

/// Cuts Chinese text into words. Loading the dictionary takes about a tenth of a second, so it waits until
/// it is needed.
#[derive(Default)]
pub(super) struct Han {
    entries: Vec<Entry>,
    own: OnceLock<Jieba>,
}

impl Han {
    /// With a user dictionary of lines `word frequency tag`, the latter two optional.
    pub(super) fn new(dictionary: &str) -> Result<Self> {
        let lines = dictionary.trim_start_matches('\u{FEFF}').lines().enumerate();
        let entries = lines.filter_map(|(i, line)| entry(line, i + 1).transpose()).collect::<Result<_>>()?;
        Ok(Han { entries, own: OnceLock::new() })
    }

    /// The dictionary, loaded now if it was not before.
    pub(super) fn jieba(&self) -> &Jieba {
        static SHARED: OnceLock<Jieba> = OnceLock::new();
        let shared = || SHARED.get_or_init(Jieba::new);
        if self.entries.is_empty() {
            return shared();
        }
        self.own.get_or_init(|| {
            let mut jieba = shared().clone();
            for entry in &self.entries {
                jieba.add_word(&entry.word, entry.frequency, None);
            }
            jieba
        })
    }
}

fn entry(line: &str, number: usize) -> Result<Option<Entry>> {
    let mut parts = line.split_whitespace();
    let Some(word) = parts.next().filter(|w| !w.starts_with('#')) else {
        return Ok(None);
    };
    let word = word.chars().map(simplify).collect();
    let frequency = match parts.next() {
        // `word tag` is written too.
        Some(second) if !second.starts_with(|c: char| c.is_ascii_digit()) => None,
        Some(second) => Some(second.parse().map_err(|_| unreadable(second, number))?),
        None => None,
    };
    Ok(Some(Entry { word, frequency }))
}

fn unreadable(frequency: &str, number: usize) -> Error {
    Error::input(format!("line {number} of the user dictionary: `{frequency}` is not a frequency"))
        .hint("write each line as `word frequency tag`, such as `新质生产力 100 n`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(han: &Han, text: &str) -> Vec<String> {
        han.jieba().cut_for_search(text, true).iter().map(|t| t.word.to_string()).collect()
    }

    #[test]
    fn cuts_with_the_words_of_the_user() {
        let plain = Han::new("").unwrap();
        let own = Han::new("# ours\n云端飞鹿 1000 nz\n石墨文檔\n").unwrap();
        assert!(!cut(&plain, "云端飞鹿项目").contains(&"云端飞鹿".to_string()));
        assert!(cut(&own, "云端飞鹿项目").contains(&"云端飞鹿".to_string()));
        assert!(cut(&own, "打开石墨文档").contains(&"石墨文档".to_string()));
    }

    #[test]
    fn names_the_line_of_a_dictionary_that_cannot_be_read() {
        let error = Han::new("好 3 n\n坏 3x n\n").err().unwrap();
        assert!(error.message().contains("line 2"), "{error}");
    }
}

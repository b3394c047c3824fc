//! From what the user typed to the words to look for.

use std::collections::HashSet;
use tabletalk_store::analyze::{Analyzer, Origin, Token};
use tabletalk_store::keyword::{Clause, Want};

/// A cell value of more words is not looked for as a whole.
const LONGEST_VALUE: usize = 6;
/// Words of a query that are looked at; what follows is ignored.
const MOST_WORDS: usize = 256;

/// A query, taken apart.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// What is looked for, with weights.
    pub clauses: Vec<Clause>,
    /// Terms that every hit must have: the words between quotes.
    pub required: Vec<String>,
    /// What stands between quotes.
    pub phrases: Vec<String>,
}

impl Query {
    /// Takes a query apart: `"exact words"`, `prefix*`, `slip~`, and plain words.
    pub fn parse(text: &str, analyzer: &Analyzer) -> Query {
        let (plain, marked) = split_marks(text);
        let mut query = Query::default();
        query.add_text(&plain, analyzer);
        for mark in marked {
            query.add_mark(mark, analyzer);
        }
        query
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    fn add_text(&mut self, text: &str, analyzer: &Analyzer) {
        let tokens = analyzer.query(text);
        let telling = tokens.iter().filter(|t| t.origin != Origin::Synonym).map(|t| t.start).collect();
        self.add_words(text, tokens);
        self.add_whole_values(text, &telling, analyzer);
    }

    fn add_words(&mut self, text: &str, tokens: Vec<Token>) {
        for token in tokens.into_iter().take(MOST_WORDS) {
            let keyword = text.get(token.start..token.end).unwrap_or(&token.text).to_owned();
            self.clauses.push(Clause { term: token.text, keyword, weight: token.weight, want: Want::Word });
        }
    }

    /// Every run of two to six words may be the whole value of a cell, unless all of them are stop words:
    /// the others begin at the places `telling`.
    fn add_whole_values(&mut self, text: &str, telling: &HashSet<usize>, analyzer: &Analyzer) {
        let mut words = Vec::new();
        analyzer.tokens(text, &mut words);
        words.truncate(MOST_WORDS);
        let mut seen = HashSet::new();
        for first in 0..words.len() {
            for last in first + 1..words.len().min(first + LONGEST_VALUE) {
                let run = &words[first..=last];
                if !run.iter().any(|w| telling.contains(&w.start)) {
                    continue;
                }
                let term = run.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
                if seen.insert(term.clone()) {
                    let keyword =
                        text.get(run[0].start..run[run.len() - 1].end).unwrap_or_default().to_owned();
                    self.clauses.push(Clause { term, keyword, weight: 1.0, want: Want::Whole });
                }
            }
        }
    }

    fn add_mark(&mut self, mark: Mark, analyzer: &Analyzer) {
        match mark {
            Mark::Exact(text) => {
                let mut words = Vec::new();
                analyzer.tokens(&text, &mut words);
                self.required.extend(words.iter().map(|w| w.text.clone()));
                self.add_text(&text, analyzer);
                self.phrases.push(text);
            }
            Mark::Prefix(text) => self.add_marked(&text, Want::Prefix),
            Mark::Like(text) => self.add_marked(&text, Want::Like),
        }
    }

    fn add_marked(&mut self, text: &str, want: Want) {
        // Words are split as in the index; only the last one is open.
        let folded = text.to_lowercase();
        let mut parts: Vec<&str> =
            folded.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty()).collect();
        let Some(last) = parts.pop() else { return };
        for part in parts {
            let clause = Clause { term: part.into(), keyword: part.into(), weight: 1.0, want: Want::Word };
            self.required.push(part.into());
            self.clauses.push(clause);
        }
        self.clauses.push(Clause { term: last.into(), keyword: text.into(), weight: 1.0, want });
    }
}

/// A part of a query that is not plain words.
#[derive(Debug, PartialEq)]
enum Mark {
    Exact(String),
    Prefix(String),
    Like(String),
}

fn split_marks(text: &str) -> (String, Vec<Mark>) {
    let mut plain = String::new();
    let mut marks = Vec::new();
    for (i, part) in text.split('"').enumerate() {
        let closed = i % 2 == 1 && text.matches('"').count() > i;
        if closed && !part.trim().is_empty() {
            marks.push(Mark::Exact(part.trim().to_owned()));
            continue;
        }
        for word in part.split_whitespace() {
            match (word.strip_suffix('*'), word.strip_suffix('~')) {
                (Some(w), _) if w.chars().any(char::is_alphanumeric) => {
                    marks.push(Mark::Prefix(w.to_owned()))
                }
                (_, Some(w)) if w.chars().any(char::is_alphanumeric) => marks.push(Mark::Like(w.to_owned())),
                _ => {
                    plain.push_str(word);
                    plain.push(' ');
                }
            }
        }
    }
    (plain, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_quotes_prefixes_and_slips_from_plain_words() {
        let (plain, marks) = split_marks(r#"sales "New York" Ber* berlln~ in 5 " feet"#);
        assert_eq!(plain.trim(), "sales in 5 feet");
        assert_eq!(
            marks,
            [Mark::Exact("New York".into()), Mark::Prefix("Ber".into()), Mark::Like("berlln".into())]
        );
    }

    #[test]
    fn looks_for_runs_of_words_as_whole_values() {
        let query = Query::parse("who scored for real madrid", &Analyzer::default());
        let whole: Vec<&str> =
            query.clauses.iter().filter(|c| c.want == Want::Whole).map(|c| c.term.as_str()).collect();
        assert!(whole.contains(&"real madrid"));
        assert!(!whole.contains(&"for"));
    }
}

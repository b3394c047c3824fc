//! A query in other words.

use super::fold::is_han;
use super::{Scratch, Token, query, synonym::Match, words};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A phrase of the query and what can stand in its place.
struct Phrase {
    range: Range<usize>,
    synonyms: Vec<String>,
}

/// One way to say the query otherwise, in the order of likelihood.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    /// Whether it is in another language than the query.
    foreign: bool,
    /// How many synonyms of the phrase, of the same kind, come before it.
    rank: usize,
    /// Where the phrase begins.
    start: usize,
    end: usize,
    synonym: String,
}

/// The texts that say the same as `text` with one phrase replaced, see [`super::Analyzer::expansions`].
pub(super) fn expansions(text: &str, most: usize, scratch: &mut Scratch) -> Vec<String> {
    if most == 0 {
        return Vec::new();
    }
    let mut tokens = Vec::new();
    words::words(text, scratch, &mut |term, range| tokens.push(Token::word(term, range)));
    let chinese = is_chinese(text, &tokens);
    let mut choices: Vec<Choice> =
        phrases(text, &tokens, scratch).into_iter().flat_map(|phrase| choices(phrase, chinese)).collect();
    choices.sort();
    let mut seen = FxHashSet::from_iter([text.to_lowercase()]);
    let written = choices.iter().map(|c| replaced(text, c.start..c.end, &c.synonym));
    written.filter(|text| seen.insert(text.to_lowercase())).take(most).collect()
}

/// The phrases that have synonyms. Of those that overlap only the longest is taken, and none that is but
/// part of a word or has others in it: `公司` in `有限公司`, `营业` and `收入` in `营业总收入`.
fn phrases(text: &str, tokens: &[Token], scratch: &mut Scratch) -> Vec<Phrase> {
    let state = scratch.state.clone();
    let found = query::phrases(text, tokens, &state.rewrites, scratch);
    let mut phrases: Vec<Phrase> =
        found.into_iter().filter_map(|found| phrase(text, found, tokens, scratch)).collect();
    phrases.sort_by_key(|p| (std::cmp::Reverse(p.range.len()), p.range.start));
    let mut kept: Vec<Phrase> = Vec::new();
    for phrase in phrases {
        let overlaps = |k: &Phrase| k.range.start < phrase.range.end && phrase.range.start < k.range.end;
        if !kept.iter().any(overlaps) {
            kept.push(phrase);
        }
    }
    kept
}

fn phrase(text: &str, found: Match, tokens: &[Token], scratch: &mut Scratch) -> Option<Phrase> {
    let within = tokens.get(found.first..found.end)?;
    let start = within.iter().map(|t| t.start).min()?;
    let end = within.iter().map(|t| t.end).max()?;
    let others = tokens.iter().take(found.first).chain(tokens.iter().skip(found.end));
    let mut nested =
        others.filter(|t| covers(t.start, t.end, start, end) || covers(start, end, t.start, t.end));
    if nested.next().is_some() {
        return None;
    }
    let said = text.get(start..end)?;
    let terms: Vec<&str> = within.iter().map(|t| t.text.as_str()).collect();
    // Only what is written in the same script can be cut into the same terms. What is not need not be cut,
    // and a query without Chinese does not load the dictionary.
    let is_same = |synonym: &String, scratch: &mut Scratch| {
        has_han(synonym) == has_han(said) && query::cut(synonym, scratch) == terms
    };
    let synonyms = found.phrases.into_iter().filter(|s| !is_same(s, scratch)).collect();
    Some(Phrase { range: start..end, synonyms })
}

/// Whether the first range has the second in it.
fn covers(start: usize, end: usize, first: usize, last: usize) -> bool {
    start <= first && last <= end
}

fn choices(phrase: Phrase, chinese: bool) -> Vec<Choice> {
    let (start, end) = (phrase.range.start, phrase.range.end);
    let (mut own, mut other) = (0, 0);
    let choice = |synonym: String| {
        let foreign = is_foreign(&synonym, chinese);
        let count = if foreign { &mut other } else { &mut own };
        let rank = *count;
        *count += 1;
        Choice { foreign, rank, start, end, synonym }
    };
    phrase.synonyms.into_iter().map(choice).collect()
}

/// Whether a synonym is of another language than the query. `GDP` and `CEO` are at home in both.
fn is_foreign(synonym: &str, chinese: bool) -> bool {
    if chinese { !has_han(synonym) && synonym.chars().any(char::is_lowercase) } else { has_han(synonym) }
}

fn has_han(text: &str) -> bool {
    text.chars().any(is_han)
}

/// Whether a text is Chinese, though it may have other names in it: two characters are about one word.
fn is_chinese(text: &str, tokens: &[Token]) -> bool {
    let characters = text.chars().filter(|&c| is_han(c)).count();
    let has_letters = |t: &&Token| t.text.chars().any(|c| c.is_alphabetic() && !is_han(c));
    characters > 0 && characters >= 2 * tokens.iter().filter(has_letters).count()
}

/// The text with `synonym` at `range`, apart from words it would run into.
fn replaced(text: &str, range: Range<usize>, synonym: &str) -> String {
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else {
        return text.to_string();
    };
    let is_letter = |c: char| c.is_alphanumeric() && !is_han(c);
    let gap = |left: &str, right: &str| {
        let runs_on = left.ends_with(is_letter) && right.starts_with(is_letter);
        if runs_on { " " } else { "" }
    };
    [before, gap(before, synonym), synonym, gap(synonym, after), after].concat()
}

#[cfg(test)]
mod tests {
    use super::super::{Analyzer, AnalyzerConfig, Language, Texts};

    fn expansions(text: &str) -> Vec<String> {
        Analyzer::default().expansions(text, 100)
    }

    fn position(found: &[String], text: &str) -> usize {
        found.iter().position(|f| f == text).unwrap_or_else(|| panic!("{text} is not in {found:?}"))
    }

    fn own(synonyms: &str) -> Analyzer {
        let texts = Texts { synonyms: synonyms.into(), ..Texts::default() };
        Analyzer::new(Language::Auto, &texts).unwrap()
    }

    #[test]
    fn writes_an_english_query_in_other_words() {
        let found = expansions("revenue of Acme by year");
        assert!(position(&found, "sales of Acme by year") < position(&found, "营业收入 of Acme by year"));
        assert!(!found.contains(&"revenue of Acme by year".to_string()));
    }

    #[test]
    fn writes_a_chinese_query_in_other_words() {
        let found = expansions("2023年各公司的营业收入");
        assert!(position(&found, "2023年各公司的营收") < position(&found, "2023年各公司的revenue"));
        position(&expansions("苏州的房价是多少"), "苏州的均价是多少");
        position(&expansions("2023年各公司的營業收入"), "2023年各公司的营收");
    }

    #[test]
    fn replaces_phrases_of_several_words_and_the_longest_of_them() {
        let found = expansions("Number of employees in 2020");
        position(&found, "headcount in 2020");
        assert!(!found.iter().any(|f| f.contains("Number of")), "{found:?}");
        position(&expansions("headcount"), "number of employees");
        position(&expansions("法国的国内生产总值"), "法国的GDP");
    }

    #[test]
    fn finds_phrases_in_any_case_and_number() {
        position(&expansions("MOVIES of 1999"), "film of 1999");
        position(&expansions("Gross Domestic Products"), "GDP");
        assert!(!expansions("movies").contains(&"movie".to_string()));
    }

    #[test]
    fn puts_the_first_synonym_of_each_phrase_before_the_second_of_any() {
        let analyzer = own("zig, zog, zug\nrip, rop, rup\n");
        let found = analyzer.expansions("zig rip", 9);
        assert_eq!(found, ["zog rip", "zig rop", "zug rip", "zig rup"]);
        assert_eq!(analyzer.expansions("zig rip", 3), found[..3]);
        assert!(analyzer.expansions("zig rip", 0).is_empty());
    }

    #[test]
    fn puts_the_words_of_the_user_first() {
        assert_eq!(own("movie => talkie\n").expansions("movie", 2), ["talkie", "film"]);
    }

    #[test]
    fn offers_nothing_where_nothing_is_known() {
        assert!(expansions("zzyzx 17").is_empty());
        assert!(expansions("").is_empty());
        assert!(expansions("  ?!").is_empty());
    }

    #[test]
    fn leaves_parts_of_words_alone() {
        let analyzer = own("公司, 商号\n");
        assert!(analyzer.expansions("有限公司", 100).is_empty());
        assert!(!expansions("营业总收入").contains(&"销售收入".to_string()));
        position(&analyzer.expansions("哪家公司", 100), "哪家商号");
    }

    #[test]
    fn keeps_words_apart_that_would_run_together() {
        let found = expansions("iPhone销量");
        position(&found, "iPhone销售量");
        position(&found, "iPhone sales volume");
    }

    #[test]
    fn counts_abbreviations_as_words_of_both_languages() {
        let found = expansions("中国的国内生产总值");
        assert!(position(&found, "中国的GDP") < position(&found, "中国的gross domestic product"));
    }

    #[test]
    fn adds_bundled_words_to_keyword_queries_only_when_told() {
        let load = |bundled_synonyms| {
            Analyzer::load(&AnalyzerConfig { bundled_synonyms, ..AnalyzerConfig::default() }).unwrap()
        };
        let (without, with) = (load(false), load(true));
        let finds = |a: &Analyzer| a.query("movies").iter().any(|t| t.text == "film");
        assert!(!finds(&without) && finds(&with));
        assert_eq!(without.expansions("movies", 9), with.expansions("movies", 9));
        assert_eq!(without.fingerprint(), with.fingerprint());
        assert_eq!(without.fingerprint(), own("a, b\n").fingerprint());
    }

    #[test]
    fn rewrites_with_the_synonyms_of_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("synonyms.txt");
        std::fs::write(&path, "zig, zog\n").unwrap();
        let config = AnalyzerConfig { synonyms: vec![path], ..AnalyzerConfig::default() };
        let analyzer = Analyzer::load(&config).unwrap();
        assert_eq!(analyzer.expansions("zig", 9), ["zog"]);
    }

    proptest::proptest! {
        #[test]
        fn expands_any_text(text in "(revenue|GDP|公司|营收|房价|é|ﬁ|的|カナ| |[0-9]|\\PC){0,12}", most in 0usize..5) {
            let found = Analyzer::default().expansions(&text, most);
            proptest::prop_assert!(found.len() <= most && !found.contains(&text));
        }
    }
}

//! Words that mean the same: those of the user's files, and those bundled.

use super::fold;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use tabletalk_core::{Error, Result};

/// The bundled groups, in the form of the user's files.
const BUNDLED: &str = include_str!("synonyms.txt");

/// One line: each of `from` also looks for `to`.
struct Group {
    from: Vec<String>,
    to: Vec<String>,
}

/// The terms of a phrase, to the groups that begin with it.
type Phrases = FxHashMap<Vec<String>, Vec<usize>>;

/// The groups, found by the terms of their phrases. Phrases with Chinese characters are cut only when a
/// query has some, so that the dictionary need not be loaded for others.
#[derive(Default)]
pub(super) struct Synonyms {
    groups: Vec<Group>,
    plain: OnceLock<Phrases>,
    han: OnceLock<Phrases>,
}

/// A phrase of the query that has synonyms.
pub(super) struct Match {
    /// Its first term.
    pub(super) first: usize,
    /// The term after its last.
    pub(super) end: usize,
    /// The phrases that mean the same, itself included: the user's first, each as its line has them.
    pub(super) phrases: Vec<String>,
}

impl Synonyms {
    /// From lines of `a, b, c`, where each stands for all, or `a => b, c`, where `a` stands for the others.
    pub(super) fn new(text: &str) -> Result<Self> {
        let lines = text.trim_start_matches('\u{FEFF}').lines().enumerate();
        let groups = lines.filter_map(|(i, line)| group(line, i + 1).transpose()).collect::<Result<_>>()?;
        Ok(Synonyms { groups, ..Synonyms::default() })
    }

    /// The user's groups as [`Synonyms::new`] reads them, and the bundled ones after them.
    pub(super) fn with_bundled(text: &str) -> Result<Self> {
        let mut all = Synonyms::new(text)?;
        all.groups.extend(Synonyms::new(BUNDLED)?.groups);
        Ok(all)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The phrases among `terms` that have synonyms, the longest at each term. `cut` cuts a phrase into
    /// terms as the query was cut.
    pub(super) fn find(
        &self,
        terms: &[&str],
        has_han: bool,
        cut: &mut dyn FnMut(&str) -> Vec<String>,
    ) -> Vec<Match> {
        let mut tables = vec![self.plain.get_or_init(|| phrases(&self.groups, false, cut))];
        if has_han {
            tables.push(self.han.get_or_init(|| phrases(&self.groups, true, cut)));
        }
        let longest = tables.iter().flat_map(|t| t.keys()).map(Vec::len).max().unwrap_or(0);
        (0..terms.len()).filter_map(|first| self.longest_at(&tables, terms, first, longest)).collect()
    }

    fn longest_at(&self, tables: &[&Phrases], terms: &[&str], first: usize, longest: usize) -> Option<Match> {
        let ends = (first + 1..=terms.len().min(first + longest)).rev();
        ends.filter_map(|end| {
            let key: Vec<String> = terms.get(first..end)?.iter().map(|t| t.to_string()).collect();
            let groups = tables.iter().filter_map(|table| table.get(&key)).flatten();
            let mut phrases: Vec<String> = Vec::new();
            for phrase in groups.filter_map(|&i| self.groups.get(i)).flat_map(|group| &group.to) {
                if !phrases.contains(phrase) {
                    phrases.push(phrase.clone());
                }
            }
            (!phrases.is_empty()).then_some(Match { first, end, phrases })
        })
        .next()
    }
}

fn phrases(groups: &[Group], han: bool, cut: &mut dyn FnMut(&str) -> Vec<String>) -> Phrases {
    let mut out = Phrases::default();
    for (i, group) in groups.iter().enumerate() {
        for phrase in group.from.iter().filter(|p| p.chars().any(fold::is_han) == han) {
            let terms = cut(phrase);
            if !terms.is_empty() {
                out.entry(terms).or_default().push(i);
            }
        }
    }
    out
}

fn group(line: &str, number: usize) -> Result<Option<Group>> {
    let line = line.split('#').next().unwrap_or_default().trim();
    if line.is_empty() {
        return Ok(None);
    }
    let group = match line.split_once("=>") {
        Some((from, to)) => Group { from: list(from), to: list(to) },
        None => Group { from: list(line), to: list(line) },
    };
    let useless =
        group.from.is_empty() || group.to.is_empty() || (group.from == group.to && group.to.len() < 2);
    if useless {
        return Err(Error::input(format!("line {number} of the synonyms names only one word"))
            .hint("write a group as `car, automobile`, or one-way as `car => automobile, vehicle`"));
    }
    Ok(Some(group))
}

fn list(text: &str) -> Vec<String> {
    text.split([',', '，', '、']).map(str::trim).filter(|w| !w.is_empty()).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(synonyms: &Synonyms, query: &str) -> Vec<String> {
        let mut cut = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        let terms: Vec<&str> = query.split(' ').collect();
        synonyms.find(&terms, false, &mut cut).into_iter().flat_map(|m| m.phrases).collect()
    }

    #[test]
    fn finds_groups_one_way_lines_and_phrases() {
        let text =
            "# ours\ncar, automobile\nuk => united kingdom, britain # one way\n\ngross domestic product, gdp";
        let synonyms = Synonyms::new(text).unwrap();
        assert_eq!(found(&synonyms, "red car"), ["car", "automobile"]);
        assert_eq!(found(&synonyms, "uk"), ["united kingdom", "britain"]);
        assert!(found(&synonyms, "britain").is_empty());
        assert_eq!(found(&synonyms, "the gross domestic product"), ["gross domestic product", "gdp"]);
    }

    #[test]
    fn puts_the_groups_of_the_user_before_the_bundled_ones() {
        let synonyms = Synonyms::with_bundled("revenue, takings\n").unwrap();
        assert_eq!(found(&synonyms, "revenue")[..2], ["revenue", "takings"]);
        assert!(found(&synonyms, "revenue").contains(&"营业收入".to_string()));
    }

    #[test]
    fn every_bundled_line_has_two_phrases_of_different_words() {
        let spelled = |phrase: &String| phrase.to_lowercase();
        for (i, line) in BUNDLED.lines().enumerate() {
            let Some(group) = group(line, i + 1).unwrap() else { continue };
            let mut names: Vec<String> = group.from.iter().chain(&group.to).map(spelled).collect();
            names.sort();
            names.dedup();
            assert!(names.len() >= 2, "line {}: {line}", i + 1);
            let mut to: Vec<String> = group.to.iter().map(spelled).collect();
            to.sort();
            to.dedup();
            assert_eq!(to.len(), group.to.len(), "line {} repeats a phrase: {line}", i + 1);
        }
    }

    #[test]
    fn names_the_line_that_says_nothing() {
        let error = Synonyms::new("a, b\nalone\n").err().unwrap();
        assert!(error.message().contains("line 2"), "{error}");
        assert!(Synonyms::new("a =>").is_err());
    }
}

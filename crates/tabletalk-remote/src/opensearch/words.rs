//! Words of a query in the engine's language.
//!
//! A term query scores how often the term stands in the field: the similarity of the fields says so. One script makes
//! of that what the field counts for, another one, around all fields, what the word adds to the score. Terms with a
//! beginning, and those a slip or two away, are found and summed by the engine too. Its own way to pass something to
//! the similarity is the boost of a query: a large one means that every occurrence counts.

use super::filter::any_of;
use super::names::cut;
use serde_json::{Value, json};
use tabletalk_core::seam::store::{Field, Term, Weighing};

/// The similarity of the fields: how often a term stands there, or 1 where the boost is small.
pub(super) const SIMILARITY: &str = "return query.boost > 1000 ? doc.freq : 1;";
/// The boost with which every occurrence counts.
const EVERY: f64 = 1e9;
/// The boost with which a term counts once.
const ONCE: f64 = 1.0;

/// What a field counts for, from how often the terms stand in it.
const FIELD: &str = "_score * params.weight / (params.base + params.slope * doc[params.length].value)";
/// What a word adds, from what its fields count for.
const WORD: &str = "params.weight * _score * (params.k1 + 1) / (params.k1 + _score)";
/// The score as a part of the most it could be, so that its product with the share of matched words is that share to
/// some power times the score, once this power is taken of both.
const SHRINK: &str = "Math.pow(_score / params.most, 1 / params.power)";
const GROW: &str = "Math.pow(_score, params.power) * params.most";
/// The smallest power of the share of matched words: with smaller ones numbers become too small for the engine.
const LEAST_POWER: f64 = 0.125;

/// The most terms that a beginning or a misspelt word stands for.
pub(super) const MOST_TERMS: usize = 64;

/// A word: which terms it stands for, and in which fields these are looked for.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// The beginning of terms, and those of its own terms that begin with it, which must not count twice.
    prefix: Option<(String, Vec<String>)>,
    like: Option<(String, u8)>,
    /// The fields, each with the terms that stand in it: all terms before that is known.
    pub(super) fields: Vec<(Field, Vec<String>)>,
    /// How many terms a beginning or a misspelt word stands for, at most.
    pub(super) most: usize,
    /// How much it counts, once it is known how rare it is.
    pub(super) weight: f64,
    /// What the user wrote.
    pub(super) keyword: String,
}

impl Word {
    /// A word in some fields.
    pub(super) fn new(term: &Term, fields: impl Iterator<Item = Field>) -> Self {
        let like = term.like.as_ref().map(|(word, slips)| (cut(word).to_owned(), possible(word, *slips)));
        let alike = |term: &str| {
            like.as_ref().is_some_and(|(word, slips)| slips_between(word, term) <= usize::from(*slips))
        };
        let mut terms: Vec<String> = term.any.iter().map(|term| cut(term).to_owned()).collect();
        terms.retain(|term| !alike(term));
        terms.sort_unstable();
        terms.dedup();
        let prefix = term.prefix.as_deref().map(|prefix| {
            let own = terms.iter().filter(|term| term.starts_with(cut(prefix)));
            (cut(prefix).to_owned(), own.cloned().collect())
        });
        let mut named: Vec<(Field, Vec<String>)> = Vec::new();
        for field in fields {
            if named.iter().all(|(known, _)| *known != field) {
                named.push((field, terms.clone()));
            }
        }
        let keyword = term.keyword.clone();
        Word { prefix, like, fields: named, most: MOST_TERMS, weight: f64::from(term.weight), keyword }
    }

    /// Whether the engine finds terms of it by itself.
    pub(super) fn is_open(&self) -> bool {
        self.prefix.is_some() || self.like.is_some()
    }

    /// Whether terms with slips count too.
    pub(super) fn has_slips(&self) -> bool {
        self.like.is_some()
    }

    /// How many clauses it takes.
    pub(super) fn clauses(&self) -> usize {
        let open = usize::from(self.prefix.is_some()) + usize::from(self.like.is_some());
        self.fields.iter().map(|(_, terms)| terms.len() + open * self.most).sum()
    }

    /// Queries that score how often the terms that the engine finds stand in a field.
    fn open_queries(&self, field: Field, boost: f64) -> Vec<Value> {
        let (name, rewrite) = (field.name(), format!("top_terms_{}", self.most));
        let prefix = self.prefix.as_ref().map(|(prefix, own)| match own.is_empty() {
            true => json!({"prefix": {name: {"value": prefix, "rewrite": rewrite, "boost": boost}}}),
            false => {
                let own: Vec<String> = own.iter().map(|term| literal(term)).collect();
                let others = format!("{}.*&~({})", literal(prefix), own.join("|"));
                json!({"regexp": {name: {
                    "value": others, "flags": "ALL", "rewrite": rewrite, "boost": boost,
                }}})
            }
        });
        let like = self.like.as_ref().map(|(word, slips)| {
            json!({"fuzzy": {name: {
                "value": word, "fuzziness": slips, "transpositions": true, "prefix_length": 0,
                "max_expansions": self.most, "rewrite": rewrite, "boost": boost,
            }}})
        });
        prefix.into_iter().chain(like).collect()
    }

    /// Scores how often the word stands in a field.
    fn occurrences(&self, field: Field, terms: &[String], once: bool) -> Value {
        let boost = if once { ONCE } else { EVERY };
        let known = terms.iter().map(|term| json!({"term": {field.name(): {"value": term, "boost": boost}}}));
        any_of(known.chain(self.open_queries(field, boost)).collect())
    }

    /// Scores in how many ways the engine finds the word in a field by itself.
    pub(super) fn open_count(&self, field: Field) -> Value {
        any_of(self.open_queries(field, ONCE))
    }

    /// Scores what the word adds.
    pub(super) fn score(&self, scale: &Scale<'_>) -> Value {
        self.score_in(&self.fields, scale)
    }

    /// Scores what the word would add if it stood in these fields alone.
    pub(super) fn score_in(&self, fields: &[(Field, Vec<String>)], scale: &Scale<'_>) -> Value {
        let fields = fields.iter().map(|(field, terms)| {
            let b = f64::from(scale.weighing.b);
            let params = json!({
                "weight": scale.weighing.fields[*field as usize],
                "base": 1.0 - b,
                "slope": b / scale.averages[*field as usize],
                "length": length_of(*field),
            });
            scripted(self.occurrences(*field, terms, scale.weighing.once), FIELD, params)
        });
        let params = json!({"weight": self.weight, "k1": scale.weighing.k1});
        scripted(any_of(fields.collect()), WORD, params)
    }

    /// Matches where the word stands.
    pub(super) fn stands(&self) -> Value {
        let fields = self.fields.iter();
        any_of(fields.map(|(field, terms)| self.occurrences(*field, terms, true)).collect())
    }

    /// Matches where the word stands, with no limit to the terms it stands for.
    pub(super) fn stands_at_all(&self) -> Value {
        let mut queries = Vec::new();
        for (field, terms) in &self.fields {
            let name = field.name();
            if !terms.is_empty() {
                queries.push(json!({"terms": {name: terms}}));
            }
            queries.extend(self.prefix.as_ref().map(|(prefix, _)| json!({"prefix": {name: prefix}})));
            queries.extend(self.like.as_ref().map(|(word, slips)| {
                json!({"fuzzy": {name: {"value": word, "fuzziness": slips, "rewrite": "constant_score"}}})
            }));
        }
        any_of(queries)
    }
}

/// What scores are relative to.
pub(super) struct Scale<'a> {
    /// How words become scores.
    pub(super) weighing: &'a Weighing,
    /// The average lengths of the fields.
    pub(super) averages: [f64; 5],
    /// The weight of all words together, also of those that stand nowhere.
    pub(super) total: f64,
}

/// Scores entries by words, of which there is at least one that stands somewhere.
pub(super) fn scored(words: &[Word], scale: &Scale<'_>) -> Value {
    let sum = any_of(words.iter().map(|word| word.score(scale)).collect());
    let coverage = f64::from(scale.weighing.coverage);
    if coverage == 0.0 || scale.total <= 0.0 {
        return sum;
    }
    let power = coverage.abs().max(LEAST_POWER).copysign(coverage);
    let params = json!({"power": power, "most": scale.total * (f64::from(scale.weighing.k1) + 1.0)});
    let share = |word: &Word| json!({"filter": word.stands(), "weight": word.weight / scale.total});
    let covered = json!({"function_score": {
        "query": scripted(sum, SHRINK, params.clone()),
        "functions": words.iter().map(share).collect::<Vec<_>>(),
        "score_mode": "sum",
        "boost_mode": "multiply",
    }});
    scripted(covered, GROW, params)
}

/// The field that holds how many terms a field has.
pub(super) fn length_of(field: Field) -> String {
    format!("length_{}", field.name())
}

fn scripted(query: Value, source: &str, params: Value) -> Value {
    json!({"script_score": {"query": query, "script": {"source": source, "params": params}}})
}

/// A text in a regular expression.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() {
            literal.push('\\');
        }
        literal.push(c);
    }
    literal
}

/// How many slips a word can have so that something of it is left.
fn possible(word: &str, slips: u8) -> u8 {
    let others = u8::try_from(word.chars().count().saturating_sub(1)).unwrap_or(u8::MAX);
    slips.min(others).min(2)
}

/// How many slips are between two words, where two neighbours that changed places are one.
fn slips_between(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_slips() {
        let pairs = [("total", "total", 0), ("total", "toatl", 1), ("total", "totl", 1), ("ab", "ba", 1)];
        for (a, b, slips) in pairs {
            assert_eq!(slips_between(a, b), slips, "{a} {b}");
        }
        assert_eq!(slips_between("total", "tatle"), 3);
        assert_eq!(possible("a", 1), 0);
        assert_eq!(possible("revenue", 2), 2);
    }

    #[test]
    fn own_terms_do_not_count_twice() {
        let term = Term {
            any: vec!["revenue".into(), "income".into()],
            prefix: Some("rev".into()),
            like: None,
            fields: vec![Field::Text, Field::Text],
            weight: 1.0,
            keyword: "rev*".into(),
        };
        let word = Word::new(&term, term.fields.iter().copied());
        assert_eq!(word.fields, [(Field::Text, vec!["income".into(), "revenue".into()])]);
        assert_eq!(word.clauses(), 66);
        let open = word.open_queries(Field::Text, 1.0);
        assert_eq!(open[0]["regexp"]["text"]["value"], "rev.*&~(revenue)");
        assert_eq!(literal("a.b*"), "a\\.b\\*");
    }
}

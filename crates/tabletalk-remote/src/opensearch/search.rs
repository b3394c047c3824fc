//! Finding entries by words.

use super::engine::{Engine, MOST_HITS, hits};
use super::entries::id_of;
use super::filter::allowed;
use super::words::{MOST_TERMS, Scale, Word, length_of, scored};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::HashMap;
use tabletalk_core::seam::store::{EntryHit, EntryQuery, Field, Term};
use tabletalk_core::{Error, Result, Score};

/// The most terms in a query; the engine takes 1,024 clauses, some of which are filters.
const MOST_CLAUSES: usize = 900;

/// What is to be known of a group before its entries can be scored.
struct Statistics {
    entries: u64,
    averages: [f64; 5],
    /// In how many entries the terms of words stand: for each word, for each of its fields, for each of its terms, and
    /// last for those that the engine finds by itself.
    counts: Vec<Vec<Vec<u64>>>,
}

impl Statistics {
    /// In how many entries a word stands: the most over its fields.
    fn frequency(&self, word: usize) -> u64 {
        let fields = self.counts.get(word).map_or(&[][..], Vec::as_slice);
        fields.iter().map(|terms| terms.iter().sum()).max().unwrap_or(0).min(self.entries)
    }
}

impl Engine {
    /// In how many entries of a group each word stands.
    pub(super) fn word_frequencies(&self, index: &str, terms: &[Term]) -> Result<Vec<u64>> {
        let words: Vec<Word> =
            terms.iter().map(|term| Word::new(term, term.fields.iter().copied())).collect();
        Ok(match self.statistics(index, &words)? {
            Some(statistics) => (0..words.len()).map(|word| statistics.frequency(word)).collect(),
            None => vec![0; words.len()],
        })
    }

    /// The best entries of a group.
    pub(super) fn find(&self, index: &str, ask: &EntryQuery<'_>) -> Result<Vec<EntryHit>> {
        if ask.terms.is_empty() || ask.k == 0 {
            return Ok(Vec::new());
        }
        let counts = |field: &Field| ask.weighing.fields[*field as usize] > 0.0;
        let words = ask.terms.iter().map(|term| Word::new(term, term.fields.iter().copied().filter(counts)));
        let mut words: Vec<Word> = words.collect();
        let Some(statistics) = self.statistics(index, &words)? else { return Ok(Vec::new()) };
        weigh(&mut words, &statistics);
        let total = words.iter().map(|word| word.weight).sum();
        let scale = Scale { weighing: ask.weighing, averages: statistics.averages, total };
        let words = fitting(standing(words, &statistics));
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let Some(said) =
            self.call_if_there("POST", &format!("/{index}/_search"), Some(&body(ask, &words, &scale)))?
        else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for hit in hits(&said) {
            let broken = || Error::upstream(format!("{} answers with the hit {hit}", self.http.name()));
            found.push(read(hit).ok_or_else(broken)?);
        }
        if words.iter().any(Word::has_slips) {
            // The engine also finds terms of which every letter is a slip, and they count nothing.
            found.retain(|found| found.score > 0.0);
        }
        if ask.explain && !found.is_empty() {
            self.explain(index, &words, &scale, &mut found)?;
        }
        Ok(found)
    }

    /// `None` when the group is not there.
    fn statistics(&self, index: &str, words: &[Word]) -> Result<Option<Statistics>> {
        let lengths: serde_json::Map<String, Value> =
            Field::ALL.iter().map(|f| (f.name().into(), json!({"sum": {"field": length_of(*f)}}))).collect();
        let mut searches = vec![json!({"size": 0, "track_total_hits": true, "aggs": lengths})];
        for word in words {
            for (field, terms) in &word.fields {
                let counted = |term| json!({"term": {field.name(): term}});
                searches.extend(
                    terms
                        .iter()
                        .map(|term| json!({"size": 0, "track_total_hits": true, "query": counted(term)})),
                );
                if word.is_open() {
                    let sum = json!({"sum": {"script": {"source": "_score"}}});
                    searches
                        .push(json!({"size": 0, "query": word.open_count(*field), "aggs": {"terms": sum}}));
                }
            }
        }
        let Some(answers) = self.searches(index, &searches)? else { return Ok(None) };
        let mut answers = answers.iter();
        let first = answers.next().unwrap_or(&Value::Null);
        let entries = total_of(first);
        let averages = Field::ALL.map(|field| {
            let sum = first["aggregations"][field.name()]["value"].as_f64().unwrap_or(0.0);
            (sum / entries.max(1) as f64).max(1.0)
        });
        let mut of_terms = |terms: &[String], open: bool| -> Vec<u64> {
            answers.by_ref().take(terms.len() + usize::from(open)).map(count_of).collect()
        };
        let mut of_word = |word: &Word| -> Vec<Vec<u64>> {
            word.fields.iter().map(|(_, terms)| of_terms(terms, word.is_open())).collect()
        };
        let counts = words.iter().map(&mut of_word).collect();
        Ok(Some(Statistics { entries, averages, counts }))
    }

    /// What each word would add to each hit by each field.
    fn explain(&self, index: &str, words: &[Word], scale: &Scale<'_>, found: &mut [EntryHit]) -> Result<()> {
        let ids: Vec<String> = found.iter().map(|found| id_of(found.owner, found.part)).collect();
        let places: HashMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        let (mut searches, mut of) = (Vec::new(), Vec::new());
        for word in words {
            for field in &word.fields {
                let score = word.score_in(std::slice::from_ref(field), scale);
                let query = json!({"bool": {"must": [score], "filter": [{"ids": {"values": ids}}]}});
                searches.push(json!({"size": ids.len(), "_source": false, "query": query}));
                of.push((field.0, word));
            }
        }
        let answers = self.searches(index, &searches)?.unwrap_or_default();
        for ((field, word), answer) in of.into_iter().zip(&answers) {
            for hit in hits(answer) {
                let place = hit["_id"].as_str().and_then(|id| places.get(id));
                if let (Some(found), Some(value)) =
                    (place.and_then(|at| found.get_mut(*at)), hit["_score"].as_f64())
                {
                    let keyword = Some(word.keyword.clone());
                    found.why.push(Score { name: field.name().into(), value: value as f32, keyword });
                }
            }
        }
        Ok(())
    }
}

/// Makes of how rare words are how much they count.
fn weigh(words: &mut [Word], statistics: &Statistics) {
    let entries = statistics.entries as f64;
    for (at, word) in words.iter_mut().enumerate() {
        let frequency = statistics.frequency(at) as f64;
        let rarity = (1.0 + (entries - frequency + 0.5) / (frequency + 0.5)).ln();
        word.weight = (word.weight * rarity).max(0.0);
    }
}

/// The words that stand somewhere, with the fields and terms where they do.
fn standing(words: Vec<Word>, statistics: &Statistics) -> Vec<Word> {
    let mut standing = Vec::new();
    for (mut word, counts) in words.into_iter().zip(&statistics.counts) {
        let open = word.is_open();
        let fields = std::mem::take(&mut word.fields).into_iter().zip(counts);
        word.fields = fields
            .filter(|(_, counts)| counts.iter().any(|count| *count > 0))
            .map(|((field, terms), counts)| {
                let known = terms.into_iter().zip(counts).filter(|(_, count)| **count > 0);
                (field, known.map(|(term, _)| term).collect())
            })
            .filter(|(_, terms): &(Field, Vec<String>)| open || !terms.is_empty())
            .collect();
        if !word.fields.is_empty() {
            standing.push(word);
        }
    }
    standing
}

/// As many words as a query may hold, those that count most; and fewer terms for each open one where there are many.
fn fitting(mut words: Vec<Word>) -> Vec<Word> {
    let clauses = |words: &[Word]| words.iter().map(Word::clauses).sum::<usize>();
    let mut most = MOST_TERMS;
    while clauses(&words) > MOST_CLAUSES && most > 4 {
        most /= 2;
        words.iter_mut().for_each(|word| word.most = most);
    }
    if clauses(&words) > MOST_CLAUSES {
        words.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut left = MOST_CLAUSES;
        words.retain(|word| {
            let fits = word.clauses() <= left;
            left -= if fits { word.clauses() } else { 0 };
            fits
        });
    }
    words
}

fn body(ask: &EntryQuery<'_>, words: &[Word], scale: &Scale<'_>) -> Value {
    let mut filters = allowed(ask.allow);
    filters.extend(ask.part.map(|part| json!({"term": {"part": part as i64}})));
    filters.extend(ask.required.iter().map(|term| Word::new(term, Field::WORDS.into_iter()).stands_at_all()));
    let score = scored(words, scale);
    let query =
        if filters.is_empty() { score } else { json!({"bool": {"must": [score], "filter": filters}}) };
    json!({
        "size": ask.k.min(MOST_HITS),
        "track_total_hits": false,
        "_source": false,
        "stored_fields": if ask.data { vec!["data"] } else { vec![] },
        "query": query,
        "sort": [{"_score": "desc"}, {"owner": "asc"}, {"part": "asc"}, {"document": "asc"}],
    })
}

fn read(hit: &Value) -> Option<EntryHit> {
    let sort = hit["sort"].as_array()?;
    let data = match hit["fields"]["data"][0].as_str() {
        Some(text) => STANDARD.decode(text).ok()?,
        None => Vec::new(),
    };
    Some(EntryHit {
        score: sort.first()?.as_f64()? as f32,
        owner: sort.get(1)?.as_i64()?,
        part: sort.get(2)?.as_i64()? as u64,
        document: sort.get(3)?.as_i64()?,
        data,
        why: Vec::new(),
    })
}

fn total_of(answer: &Value) -> u64 {
    answer["hits"]["total"]["value"].as_u64().unwrap_or(0)
}

/// How many entries a search for a term counted, or how many terms in them one for an open word.
fn count_of(answer: &Value) -> u64 {
    match answer["aggregations"]["terms"]["value"].as_f64() {
        Some(sum) => sum.round() as u64,
        None => total_of(answer),
    }
}

//! Searching: words are looked up and weighed, and the engine scores entries by them.

use super::super::db::{Db, Param};
use super::super::fail::Outcome;
use super::layout::{Group, Tables};
use super::{dictionary, explain, layout, score};
use std::collections::BTreeSet;
use tabletalk_core::seam::store::{Ask, Field, Found, Term};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// Postings that count for a word: those of one term in one field. All lists are equally long.
#[derive(Debug, Default)]
pub(super) struct Needles {
    /// The word, from 1. Words that must be there come behind those that are weighed.
    words: Vec<i32>,
    fields: Vec<i16>,
    terms: Vec<i64>,
    /// What an occurrence in the field counts.
    gains: Vec<f64>,
    /// How many terms the field has on average.
    means: Vec<f64>,
}

impl Needles {
    fn add(
        &mut self,
        word: usize,
        fields: &[i16],
        terms: &BTreeSet<i64>,
        gain_and_mean: impl Fn(i16) -> (f64, f64),
    ) {
        for field in fields {
            let (gain, mean) = gain_and_mean(*field);
            for term in terms {
                self.words.push(word as i32 + 1);
                self.fields.push(*field);
                self.terms.push(*term);
                self.gains.push(gain);
                self.means.push(mean);
            }
        }
    }

    /// `$1` to `$5`.
    pub(super) fn params(&self) -> Vec<Param<'_>> {
        vec![
            (&self.words, Type::INT4_ARRAY),
            (&self.fields, Type::INT2_ARRAY),
            (&self.terms, Type::INT8_ARRAY),
            (&self.gains, Type::FLOAT8_ARRAY),
            (&self.means, Type::FLOAT8_ARRAY),
        ]
    }
}

/// The needles as a table.
pub(super) const NEEDLES: &str = "unnest($1, $2, $3, $4, $5) AS n (word, field, term, gain, mean)";

/// A question with its words looked up and weighed.
pub(super) struct Weighed {
    /// Where its words stand.
    pub(super) needles: Needles,
    pub(super) weights: Vec<f64>,
    /// How soon more occurrences stop to count.
    pub(super) k1: f64,
    /// How much long fields are held back.
    pub(super) b: f64,
    /// The power of the matched share.
    pub(super) coverage: f64,
    /// The weight of all words together.
    pub(super) total: f64,
    once: bool,
}

/// In how many entries of a group each word stands.
pub(super) async fn frequencies(client: &Client, group: &Group, words: &[Term]) -> Outcome<Vec<i64>> {
    let fields = |word: &Term| dictionary::numbers(&word.fields);
    let terms = dictionary::expand(client, &group.tables, words, fields).await?;
    let mut needles = Needles::default();
    for (i, (word, terms)) in words.iter().zip(&terms).enumerate() {
        needles.add(i, &fields(word), terms, |_| (1.0, 1.0));
    }
    count(client, group, &needles, words.len()).await
}

/// For each word the largest number of postings over its fields, at most the number of entries.
async fn count(client: &Client, group: &Group, needles: &Needles, words: usize) -> Outcome<Vec<i64>> {
    let sql = format!(
        "SELECT n.word, sum(c.found)::int8 FROM {NEEDLES} CROSS JOIN LATERAL (
             SELECT count(*) AS found FROM {} p WHERE p.term = n.term AND p.field = n.field) c
         GROUP BY n.word, n.field",
        group.tables.postings
    );
    let mut most = vec![0; words];
    for row in client.query_typed(&sql, &needles.params()).await? {
        let word = usize::try_from(row.try_get::<_, i32>(0)? - 1).unwrap_or(usize::MAX);
        if let Some(most) = most.get_mut(word) {
            *most = row.try_get::<_, i64>(1)?.min(group.entries).max(*most);
        }
    }
    Ok(most)
}

/// The best entries of a group. The client is in a transaction that sees one state of everything.
pub(super) async fn best(db: &Db, client: &Client, group: &str, ask: &Ask<'_>) -> Outcome<Vec<Found>> {
    let Some(group) = layout::group(db, client, group).await? else { return Ok(Vec::new()) };
    let mut weighed = weigh(client, &group, ask).await?;
    let fields = dictionary::numbers(&Field::WORDS);
    let required = dictionary::expand(client, &group.tables, ask.required, |_| fields.clone()).await?;
    if ask.k == 0 || weighed.needles.terms.is_empty() || required.iter().any(BTreeSet::is_empty) {
        return Ok(Vec::new());
    }
    for (i, terms) in required.iter().enumerate() {
        // They add nothing to scores, for which their weight is 0.
        weighed.needles.add(ask.terms.len() + i, &fields, terms, |_| (1.0, 1.0));
        weighed.weights.push(0.0);
    }
    let mut found = score::best(client, &group.tables, &weighed, ask).await?;
    if ask.explain {
        explain::tell(client, &group.tables, &weighed, ask.terms, &mut found).await?;
    }
    Ok(found.into_iter().map(|(_, found)| found).collect())
}

async fn weigh(client: &Client, group: &Group, ask: &Ask<'_>) -> Outcome<Weighed> {
    let weighing = ask.weighing;
    let gain = |field: i16| f64::from(weighing.fields[field as usize]);
    let mean = |field: i16| {
        let terms = group.lengths.get(field as usize).copied().unwrap_or(0);
        (terms as f64 / group.entries.max(1) as f64).max(1.0)
    };
    let fields = |word: &Term| {
        let mut fields = dictionary::numbers(&word.fields);
        fields.retain(|f| gain(*f) != 0.0);
        fields
    };
    let terms = dictionary::expand(client, &group.tables, ask.terms, fields).await?;
    let mut needles = Needles::default();
    for (i, (word, terms)) in ask.terms.iter().zip(&terms).enumerate() {
        needles.add(i, &fields(word), terms, |f| (gain(f), mean(f)));
    }
    let entries = group.entries as f64;
    let frequencies = count(client, group, &needles, ask.terms.len()).await?;
    let weight = |(word, found): (&Term, i64)| {
        let found = found as f64;
        (1.0 + (entries - found + 0.5) / (found + 0.5)).ln() * f64::from(word.weight)
    };
    let weights: Vec<f64> = ask.terms.iter().zip(frequencies).map(weight).collect();
    let total: f64 = weights.iter().sum();
    Ok(Weighed {
        needles,
        weights,
        k1: weighing.k1.into(),
        b: weighing.b.into(),
        coverage: if total > 0.0 { weighing.coverage.into() } else { 0.0 },
        total: if total > 0.0 { total } else { 1.0 },
        once: weighing.once,
    })
}

impl Weighed {
    /// What the occurrences of one posting count: an expression over `n` and `p`, with `$6` for `b`.
    pub(super) fn occurrences(&self) -> String {
        let tf = if self.once { "least(p.tf, 1)" } else { "p.tf" };
        format!("{tf} * n.gain / (1 - $6 + $6 * p.length / n.mean)")
    }
}

/// The postings of a needle, as the inner side of a loop over needles: so only the index is read, whatever
/// the planner thinks of how many there are.
pub(super) fn postings(tables: &Tables, only: &str) -> String {
    format!(
        "CROSS JOIN LATERAL (
             SELECT entry, tf, length FROM {} WHERE term = n.term AND field = n.field {only} OFFSET 0) p",
        tables.postings
    )
}

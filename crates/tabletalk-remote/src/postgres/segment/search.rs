//! Searching: words are looked up and weighed, and the engine scores entries by them.

use super::super::db::{Db, Param};
use super::super::fail::Outcome;
use super::super::filter;
use super::layout::{Group, Tables};
use super::{dictionary, entry, layout};
use std::collections::{BTreeSet, HashMap};
use tabletalk_core::Score;
use tabletalk_core::seam::store::{EntryHit, EntryQuery, Field, Term};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

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
pub(super) async fn best(
    db: &Db,
    client: &Client,
    group: &str,
    ask: &EntryQuery<'_>,
) -> Outcome<Vec<EntryHit>> {
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
    let mut found = best_of(client, &group.tables, &weighed, ask).await?;
    if ask.explain {
        tell(client, &group.tables, &weighed, ask.terms, &mut found).await?;
    }
    Ok(found.into_iter().map(|(_, found)| found).collect())
}

async fn weigh(client: &Client, group: &Group, ask: &EntryQuery<'_>) -> Outcome<Weighed> {
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

/// Says what each word added to the scores of entries, divided among the fields by what they gave: all
/// together are the score.
pub(super) async fn tell(
    client: &Client,
    tables: &Tables,
    weighed: &Weighed,
    words: &[Term],
    found: &mut [(i64, EntryHit)],
) -> Outcome<()> {
    let sql = format!(
        "SELECT p.entry, n.word, n.field, sum({}) FROM {NEEDLES} {} WHERE n.word <= $8
         GROUP BY p.entry, n.word, n.field ORDER BY 1, 2, 3",
        weighed.occurrences(),
        postings(tables, "AND entry = ANY($7)")
    );
    let entries: Vec<i64> = found.iter().map(|(id, _)| *id).collect();
    let mut params = weighed.needles.params();
    let many = words.len() as i32;
    params.extend([
        (&weighed.b as _, Type::FLOAT8),
        (&entries as _, Type::INT8_ARRAY),
        (&many as _, Type::INT4),
    ]);
    let mut given: HashMap<i64, Vec<(usize, usize, f64)>> = HashMap::new();
    for row in client.query_typed(&sql, &params).await? {
        let word = usize::try_from(row.try_get::<_, i32>(1)? - 1).unwrap_or(0);
        let field = usize::try_from(row.try_get::<_, i16>(2)?).unwrap_or(0);
        given.entry(row.try_get(0)?).or_default().push((word, field, row.try_get(3)?));
    }
    for (id, found) in found {
        found.why = given.remove(id).map(|given| why(weighed, words, &given)).unwrap_or_default();
    }
    Ok(())
}

/// What the words of an entry added to its score, from what they come to in its fields.
fn why(weighed: &Weighed, words: &[Term], given: &[(usize, usize, f64)]) -> Vec<Score> {
    let runs = || given.chunk_by(|a, b| a.0 == b.0);
    let weight = |word: usize| weighed.weights.get(word).copied().unwrap_or(0.0);
    let matched: f64 = runs().filter_map(|run| Some(weight(run.first()?.0))).sum();
    let covered = (matched / weighed.total).powf(weighed.coverage);
    let mut all = Vec::new();
    for run in runs() {
        let x: f64 = run.iter().map(|(_, _, x)| x).sum();
        for (word, field, own) in run {
            let value = covered * weight(*word) * (weighed.k1 + 1.0) / (weighed.k1 + x) * own;
            let name = Field::ALL.get(*field).map_or("", |f| f.name()).to_owned();
            all.push(Score {
                name,
                value: value as f32,
                keyword: words.get(*word).map(|w| w.keyword.clone()),
            });
        }
    }
    all
}

/// The place of the first value of a condition; those before it are the same in every search.
const FIRST_CONDITION: usize = 14;

/// Which entries may be found: conditions over the entry `e`, and their values.
#[derive(Default)]
struct Conditions<'a> {
    sql: String,
    params: Vec<Param<'a>>,
}

impl<'a> Conditions<'a> {
    /// Adds a condition in which `$` stands for a value.
    fn add(&mut self, sql: &str, value: Param<'a>) {
        let place = format!("${}", FIRST_CONDITION + self.params.len());
        self.sql += &format!(" {}", sql.replace('$', &place));
        self.params.push(value);
    }
}

/// The best entries, with their numbers.
pub(super) async fn best_of(
    client: &Client,
    tables: &Tables,
    weighed: &Weighed,
    ask: &EntryQuery<'_>,
) -> Outcome<Vec<(i64, EntryHit)>> {
    let (path, part) = (filter::path(ask.allow)?, ask.part.map(entry::part).transpose()?);
    let mut conditions = Conditions::default();
    if let Some(part) = &part {
        conditions.add("AND e.part = $", (part, Type::INT8));
    }
    if let Some(documents) = &ask.allow.documents {
        let sql = filter::documents("e.document", "$", documents.len());
        conditions.add(&sql, (documents, Type::INT8_ARRAY));
    }
    if let Some(path) = &path {
        conditions.add("AND e.facets @@ $::jsonpath", (path, Type::TEXT));
    }
    let few = ask.allow.documents.as_ref().is_some_and(|d| d.len() <= filter::FEW_DOCUMENTS);
    let sql = statement(tables, weighed, &conditions.sql, few, ask.data);
    let most = i64::try_from(ask.k).unwrap_or(i64::MAX);
    let (words, required) = (ask.terms.len() as i32, ask.required.len() as i64);
    let mut params = weighed.needles.params();
    params.extend([
        (&weighed.b as _, Type::FLOAT8),
        (&weighed.k1 as _, Type::FLOAT8),
        (&weighed.weights as _, Type::FLOAT8_ARRAY),
        (&weighed.total as _, Type::FLOAT8),
        (&weighed.coverage as _, Type::FLOAT8),
        (&most as _, Type::INT8),
        (&words as _, Type::INT4),
        (&required as _, Type::INT8),
    ]);
    params.extend(conditions.params);
    let rows = client.query_typed(&sql, &params).await?;
    let found: Result<Vec<_>, _> = rows.iter().map(read).collect();
    Ok(found?)
}

/// The statement. Where there are no conditions on entries, the best are chosen before anything else is read
/// of them, with all that are as good as the last, among whom the owner decides. Where the entries of few
/// documents may be found, only their postings are read.
fn statement(tables: &Tables, weighed: &Weighed, conditions: &str, few: bool, data: bool) -> String {
    let entries = &tables.entries;
    let (only, conditions) = match few {
        true => (format!("AND entry = ANY(ARRAY(SELECT e.id FROM {entries} e WHERE true {conditions}))"), ""),
        false => (String::new(), conditions),
    };
    let cut = match conditions {
        "" => "ORDER BY score DESC FETCH FIRST ($11) ROWS WITH TIES",
        _ => "",
    };
    let data = if data { "e.data" } else { "NULL::bytea" };
    format!(
        "WITH counted AS (
             SELECT n.word, p.entry, sum({occurrences}) AS x
             FROM {NEEDLES} {postings} GROUP BY n.word, p.entry),
         weighed AS (
             SELECT entry, word, ($8::float8[])[word] AS weight, x FROM counted),
         scored AS (
             SELECT entry, (sum(weight * x * ($7 + 1) / ($7 + x))
                 * power(greatest(sum(weight), 0) / $9, $10))::float4 AS score
             FROM weighed GROUP BY entry
             HAVING bool_or(word <= $12) AND count(*) FILTER (WHERE word > $12) = $13 {cut})
         SELECT e.id, e.document, e.owner, e.part, s.score, {data}
         FROM scored s JOIN {entries} e ON e.id = s.entry
         WHERE true {conditions} ORDER BY s.score DESC, e.owner, e.part LIMIT $11",
        occurrences = weighed.occurrences(),
        postings = postings(tables, &only),
    )
}

fn read(row: &Row) -> Result<(i64, EntryHit), tokio_postgres::Error> {
    let found = EntryHit {
        document: row.try_get(1)?,
        owner: row.try_get(2)?,
        part: row.try_get::<_, i64>(3)?.cast_unsigned(),
        score: row.try_get(4)?,
        data: row.try_get::<_, Option<Vec<u8>>>(5)?.unwrap_or_default(),
        why: Vec::new(),
    };
    Ok((row.try_get(0)?, found))
}

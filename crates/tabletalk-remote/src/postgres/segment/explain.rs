//! Why entries were found.

use super::super::fail::Outcome;
use super::layout::Tables;
use super::search::{NEEDLES, Weighed, postings};
use std::collections::HashMap;
use tabletalk_core::Score;
use tabletalk_core::seam::store::{Field, Found, Term};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// Says what each word added to the scores of entries, divided among the fields by what they gave: all
/// together are the score.
pub(super) async fn tell(
    client: &Client,
    tables: &Tables,
    weighed: &Weighed,
    words: &[Term],
    found: &mut [(i64, Found)],
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

//! Scoring: BM25F, computed by the engine from the postings of the words.

use super::super::db::Param;
use super::super::fail::Outcome;
use super::super::filter;
use super::entry;
use super::layout::Tables;
use super::search::{NEEDLES, Weighed, postings};
use tabletalk_core::seam::store::{Ask, Found};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

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
pub(super) async fn best(
    client: &Client,
    tables: &Tables,
    weighed: &Weighed,
    ask: &Ask<'_>,
) -> Outcome<Vec<(i64, Found)>> {
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

fn read(row: &Row) -> Result<(i64, Found), tokio_postgres::Error> {
    let found = Found {
        document: row.try_get(1)?,
        owner: row.try_get(2)?,
        part: row.try_get::<_, i64>(3)?.cast_unsigned(),
        score: row.try_get(4)?,
        data: row.try_get::<_, Option<Vec<u8>>>(5)?.unwrap_or_default(),
        why: Vec::new(),
    };
    Ok((row.try_get(0)?, found))
}

//! The terms of a group: their numbers, and those that a word of a query stands for.

use super::super::fail::Outcome;
use super::super::text::{pack, pack_term};
use super::layout::Tables;
use std::collections::{BTreeSet, HashMap};
use tabletalk_core::Error;
use tabletalk_core::seam::store::{Field, Term};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

/// The most terms that a beginning or a word with slips may stand for.
const MOST: usize = 64;
/// How often terms are looked up again that others are just adding.
const LOOKS: usize = 5;

/// The numbers of terms; those that are new get one.
pub(super) async fn number(
    client: &Client,
    tables: &Tables,
    terms: &BTreeSet<&str>,
) -> Outcome<HashMap<String, i64>> {
    let mut missing: Vec<&str> = terms.iter().copied().collect();
    let mut all = HashMap::with_capacity(terms.len());
    for _ in 0..LOOKS {
        all.extend(known(client, tables, &missing).await?);
        missing.retain(|term| !all.contains_key(*term));
        if missing.is_empty() {
            return Ok(all);
        }
        // In one order for everybody, so that nobody waits for somebody who waits for him.
        let sql = format!(
            "INSERT INTO {} (term) SELECT term FROM unnest($1) AS u (term) ORDER BY term COLLATE \"C\"
             ON CONFLICT DO NOTHING",
            tables.terms
        );
        client.execute_typed(&sql, &[(&missing, Type::TEXT_ARRAY)]).await?;
    }
    Err(Error::bug("terms that were added to the dictionary are not in it").into())
}

/// The numbers of those terms that are there.
async fn known(client: &Client, tables: &Tables, terms: &[&str]) -> Outcome<HashMap<String, i64>> {
    if terms.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!("SELECT t.term, t.id FROM unnest($1) AS u (term) JOIN {} t USING (term)", tables.terms);
    let rows = client.query_typed(&sql, &[(&terms, Type::TEXT_ARRAY)]).await?;
    let pairs: Result<HashMap<String, i64>, _> =
        rows.iter().map(|r| Ok((r.try_get(0)?, r.try_get(1)?))).collect();
    Ok(pairs.map_err(|e: tokio_postgres::Error| e)?)
}

/// The numbers of the terms that each word stands for in some fields.
pub(super) async fn expand(
    client: &Client,
    tables: &Tables,
    words: &[Term],
    fields: impl Fn(&Term) -> Vec<i16>,
) -> Outcome<Vec<BTreeSet<i64>>> {
    let packed: Vec<Vec<_>> = words.iter().map(|w| w.any.iter().map(|t| pack_term(t)).collect()).collect();
    let plain: BTreeSet<&str> = packed.iter().flatten().map(AsRef::as_ref).collect();
    let known = known(client, tables, &plain.into_iter().collect::<Vec<_>>()).await?;
    let mut all = Vec::with_capacity(words.len());
    for (word, any) in words.iter().zip(&packed) {
        let mut ids: BTreeSet<i64> = any.iter().filter_map(|t| known.get(t.as_ref()).copied()).collect();
        if let Some(prefix) = &word.prefix {
            ids.extend(beginning(client, tables, &pack(prefix), &fields(word)).await?);
        }
        if let Some((like, slips)) = &word.like {
            ids.extend(resembling(client, tables, &pack(like), usize::from(*slips), &fields(word)).await?);
        }
        all.push(ids);
    }
    Ok(all)
}

/// A condition that a term stands in one of some fields: the dictionary has terms that are nowhere any more.
fn stands(tables: &Tables, fields: &str) -> String {
    format!("EXISTS (SELECT FROM {} p WHERE p.term = t.id AND p.field = ANY({fields}))", tables.postings)
}

/// Terms that begin with something, the first of them.
async fn beginning(client: &Client, tables: &Tables, prefix: &str, fields: &[i16]) -> Outcome<Vec<i64>> {
    let sql = format!(
        "SELECT t.id FROM {} t WHERE t.term ^@ $1 AND {} ORDER BY t.term LIMIT {MOST}",
        tables.terms,
        stands(tables, "$2")
    );
    let rows = client.query_typed(&sql, &[(&prefix, Type::TEXT), (&fields, Type::INT2_ARRAY)]).await?;
    let ids: Result<Vec<i64>, _> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(ids?)
}

/// Terms that are some slips away from a word, the nearest of them. The engine gives those that may be; slips
/// are counted here.
async fn resembling(
    client: &Client,
    tables: &Tables,
    word: &str,
    slips: usize,
    fields: &[i16],
) -> Outcome<Vec<i64>> {
    let word: Vec<char> = word.chars().collect();
    let sql = format!(
        "SELECT t.id, t.term FROM {} t
         WHERE char_length(t.term) BETWEEN $1 AND $2 AND t.term LIKE ANY ($3) AND {}",
        tables.terms,
        stands(tables, "$4")
    );
    let (shortest, longest) = (word.len().saturating_sub(slips) as i32, (word.len() + slips) as i32);
    let lengths = [(&shortest as _, Type::INT4), (&longest as _, Type::INT4)];
    let patterns = patterns(&word, slips);
    let rest = [(&patterns as _, Type::TEXT_ARRAY), (&fields as _, Type::INT2_ARRAY)];
    let rows = client.query_typed(&sql, &[lengths, rest].concat()).await?;
    let near = |row: &Row| -> Result<(usize, String, i64), tokio_postgres::Error> {
        let term: String = row.try_get(1)?;
        Ok((slips_between(&word, &term.chars().collect::<Vec<_>>()), term, row.try_get(0)?))
    };
    let all: Result<Vec<_>, _> = rows.iter().map(near).collect();
    let mut all = all?;
    all.retain(|(away, _, _)| *away <= slips);
    all.sort_unstable();
    Ok(all.into_iter().take(MOST).map(|(_, _, id)| id).collect())
}

/// Patterns of which one fits every term that is some slips away. The word is cut into one piece more than
/// there may be slips, with a letter between them: no slip touches two pieces, so one is left as it was.
fn patterns(word: &[char], slips: usize) -> Vec<String> {
    let pieces = slips + 1;
    let kept = word.len().saturating_sub(slips);
    if kept == 0 {
        return vec!["%".into()];
    }
    if kept < pieces {
        // Too short for that; but at least one letter is left.
        return word.iter().map(|c| format!("%{}%", escaped(&[*c]))).collect();
    }
    let (mut all, mut at) = (Vec::new(), 0);
    for piece in 0..pieces {
        let length = kept * (piece + 1) / pieces - kept * piece / pieces;
        let text = escaped(&word[at..at + length]);
        let before = if piece == 0 { "" } else { "%" };
        let after = if piece == slips { "" } else { "%" };
        all.push(format!("{before}{text}{after}"));
        at += length + 1;
    }
    all
}

/// Letters of a pattern that stand for themselves.
fn escaped(letters: &[char]) -> String {
    let mut text = String::new();
    for c in letters {
        if matches!(c, '%' | '_' | '\\') {
            text.push('\\');
        }
        text.push(*c);
    }
    text
}

/// How many slips lead from one word to another: a letter too many, too few, wrong, or two that changed
/// places.
fn slips_between(a: &[char], b: &[char]) -> usize {
    let mut earlier = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let wrong = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + wrong);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let before: &Vec<usize> = &earlier;
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        earlier = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The numbers of fields in the tables.
pub(super) fn numbers(fields: &[Field]) -> Vec<i16> {
    let all: BTreeSet<i16> = fields.iter().map(|f| *f as i16).collect();
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn counts_slips() {
        let slips = |a: &str, b: &str| slips_between(&letters(a), &letters(b));
        assert_eq!(slips("table", "tabel"), 1);
        assert_eq!(slips("table", "tables"), 1);
        assert_eq!(slips("table", "fable"), 1);
        assert_eq!(slips("销售额", "销售"), 1);
        assert_eq!(slips("", "ab"), 2);
        assert_eq!(slips("revenue", "avenue"), 2);
    }

    #[test]
    fn cuts_words_into_pieces() {
        assert_eq!(patterns(&letters("revenue"), 1), ["rev%", "%nue"]);
        assert_eq!(patterns(&letters("population"), 2), ["po%", "%ula%", "%ion"]);
        assert_eq!(patterns(&letters("a_c"), 1), ["a%", "%c"]);
        assert_eq!(patterns(&letters("a_"), 1), ["%a%", "%\\_%"]);
        assert_eq!(patterns(&letters("a"), 1), ["%"]);
    }
}

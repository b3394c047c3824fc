//! Entries in and out.
//!
//! An entry is written once and never changed: what takes its place is another one with a number of its own.
//! Each transaction that writes or removes entries counts what it did in the row of the group, last of all,
//! so that others wait for it only while it commits.

use super::super::copy::{Rows, copy};
use super::super::db::Db;
use super::super::fail::Outcome;
use super::super::filter;
use super::super::text::pack_term;
use super::layout::{Group, Tables};
use super::{dictionary, layout};
use bytes::Bytes;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tabletalk_core::seam::store::Entry;
use tabletalk_core::{Error, Result};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Transaction};

/// What the columns of a table of entries are, in the order in which they are written.
const ENTRY: &str = "id, document, stamp, owner, part, facets, data";
/// The same for postings.
const POSTING: &str = "term, field, entry, tf, length";

/// How many entries, and terms in each field, a transaction adds or takes away.
#[derive(Debug, Default, Clone, PartialEq)]
struct Tally {
    entries: i64,
    lengths: [i64; 5],
}

/// How often a term stands in a field, and how many terms the field has, by field and term.
type Counts<'a> = BTreeMap<(i16, Cow<'a, str>), (i32, i32)>;

/// The entries that stay: the last of those with one owner and part.
pub(super) fn distinct(entries: &[Entry]) -> Vec<&Entry> {
    let last: BTreeMap<(i64, u64), &Entry> = entries.iter().map(|e| ((e.owner, e.part), e)).collect();
    last.into_values().collect()
}

pub(super) fn terms(entry: &Entry) -> usize {
    entry.terms.iter().map(|(_, terms)| terms.len()).sum()
}

/// Puts entries, each in the place of the one with its owner and part. Terms and numbers are made in
/// transactions of their own, for which nobody has to wait; those that are not used do no harm.
pub(super) async fn put(db: &Db, client: &mut Client, group: &Group, entries: &[&Entry]) -> Outcome<()> {
    let tables = &group.tables;
    let counted: Vec<Counts<'_>> = entries.iter().map(|e| count(e)).collect();
    let terms: BTreeSet<&str> =
        counted.iter().flat_map(|c| c.keys().map(|(_, term)| term.as_ref())).collect();
    let ids = dictionary::number(client, tables, &terms).await?;
    let first = numbers(db, client, group.id, entries.len()).await?;
    let rows = rows(entries, first)?;
    let (postings, new) = postings(&counted, &ids, first)?;
    let transaction = client.transaction().await?;
    if !layout::is_there(db, &transaction, group.id).await? {
        return Err(dropped().into());
    }
    let old = same(&transaction, tables, entries).await?;
    let old = delete(&transaction, tables, &old).await?;
    copy(&transaction, &tables.entries, ENTRY, &rows).await?;
    copy(&transaction, &tables.postings, POSTING, &postings).await?;
    add(db, &transaction, group.id, &new, &old).await?;
    Ok(transaction.commit().await?)
}

/// Removes up to `most` entries of documents that were written before a change; says how many they were.
pub(super) async fn remove(
    db: &Db,
    transaction: &Transaction<'_>,
    group: &(i64, Tables),
    before: &BTreeMap<i64, i64>,
    most: usize,
) -> Outcome<usize> {
    let (id, tables) = group;
    let (documents, changes): (Vec<i64>, Vec<i64>) = before.iter().unzip();
    let sql = format!(
        "SELECT e.id FROM unnest($1, $2) AS b (document, change) JOIN {} e USING (document)
         WHERE e.stamp < b.change OR b.change = {} ORDER BY e.id LIMIT $3 FOR UPDATE OF e",
        tables.entries,
        i64::MAX
    );
    let lists = [(&documents as _, Type::INT8_ARRAY), (&changes as _, Type::INT8_ARRAY)];
    let [documents, changes] = lists;
    let rows = transaction.query_typed(&sql, &[documents, changes, (&(most as i64), Type::INT8)]).await?;
    let ids: Result<Vec<i64>, _> = rows.iter().map(|row| row.try_get(0)).collect();
    let ids = ids?;
    let old = delete(transaction, tables, &ids).await?;
    add(db, transaction, *id, &Tally::default(), &old).await?;
    Ok(ids.len())
}

/// The terms of an entry, counted.
fn count(entry: &Entry) -> Counts<'_> {
    let mut lengths = [0; 5];
    let mut counts = Counts::new();
    for (field, terms) in &entry.terms {
        for term in terms {
            counts.entry((*field as i16, pack_term(term))).or_default().0 += 1;
            lengths[*field as usize] += 1;
        }
    }
    for ((field, _), (_, length)) in &mut counts {
        *length = lengths[*field as usize];
    }
    counts
}

/// The first of some numbers for entries of a group.
async fn numbers(db: &Db, client: &Client, group: i64, many: usize) -> Outcome<i64> {
    let sql = format!(
        "UPDATE {}.groups SET next_entry = next_entry + $2 WHERE id = $1 RETURNING next_entry - $2",
        db.schema
    );
    let params = [(&group as _, Type::INT8), (&(many as i64) as _, Type::INT8)];
    match client.query_typed_opt(&sql, &params).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Err(dropped().into()),
    }
}

/// The group went while entries were put into it.
pub(super) fn dropped() -> Error {
    Error::missing("the group was dropped").hint("prepare it again")
}

/// The entries as rows, numbered from `first` on.
fn rows(entries: &[&Entry], first: i64) -> Result<Bytes> {
    let mut rows = Rows::new(7);
    for (entry, id) in entries.iter().zip(first..) {
        let row = rows
            .row()
            .long(id)
            .long(entry.document)
            .long(entry.stamp)
            .long(entry.owner)
            .long(part(entry.part)?);
        row.json(&filter::json(&entry.facets))?.data(&entry.data)?;
    }
    Ok(rows.done())
}

/// Their postings as rows, and what is added with them. In the order of the index they are written faster.
fn postings(counted: &[Counts<'_>], ids: &HashMap<String, i64>, first: i64) -> Result<(Bytes, Tally)> {
    let mut all = Vec::new();
    let mut tally = Tally { entries: counted.len() as i64, ..Tally::default() };
    for (counts, entry) in counted.iter().zip(first..) {
        for ((field, term), (tf, length)) in counts {
            let id = ids.get(term.as_ref()).ok_or_else(|| Error::bug("a term has no number"))?;
            all.push((*id, *field, entry, *tf, *length));
            tally.lengths[*field as usize] += i64::from(*tf);
        }
    }
    all.sort_unstable();
    let mut rows = Rows::new(5);
    for (term, field, entry, tf, length) in all {
        rows.row().long(term).short(field).long(entry).int(tf).int(length);
    }
    Ok((rows.done(), tally))
}

/// The entries that are there with the owners and parts of others, locked.
async fn same(transaction: &Transaction<'_>, tables: &Tables, entries: &[&Entry]) -> Outcome<Vec<i64>> {
    let owners: Vec<i64> = entries.iter().map(|e| e.owner).collect();
    let parts: Result<Vec<i64>> = entries.iter().map(|e| part(e.part)).collect();
    let sql = format!(
        "SELECT e.id FROM unnest($1, $2) AS o (owner, part) JOIN {} e USING (owner, part)
         ORDER BY e.id FOR UPDATE OF e",
        tables.entries
    );
    let params = [(&owners as _, Type::INT8_ARRAY), (&parts? as _, Type::INT8_ARRAY)];
    let rows = transaction.query_typed(&sql, &params).await?;
    let ids: Result<Vec<i64>, _> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(ids?)
}

/// Deletes locked entries and their postings.
async fn delete(transaction: &Transaction<'_>, tables: &Tables, ids: &[i64]) -> Outcome<Tally> {
    let mut tally = Tally { entries: ids.len() as i64, ..Tally::default() };
    if ids.is_empty() {
        return Ok(tally);
    }
    let sql = format!("DELETE FROM {} WHERE id = ANY($1)", tables.entries);
    transaction.execute_typed(&sql, &[(&ids, Type::INT8_ARRAY)]).await?;
    let sql = format!(
        "WITH old AS (DELETE FROM {} WHERE entry = ANY($1) RETURNING field, tf)
         SELECT field, sum(tf)::int8 FROM old GROUP BY field",
        tables.postings
    );
    for row in transaction.query_typed(&sql, &[(&ids, Type::INT8_ARRAY)]).await? {
        let field = usize::try_from(row.try_get::<_, i16>(0)?).unwrap_or(usize::MAX);
        if let Some(length) = tally.lengths.get_mut(field) {
            *length = row.try_get(1)?;
        }
    }
    Ok(tally)
}

/// Adds to the counts of a group what is new and takes away what is old.
async fn add(db: &Db, transaction: &Transaction<'_>, group: i64, new: &Tally, old: &Tally) -> Outcome<()> {
    if new == old {
        return Ok(());
    }
    let sql = format!(
        "UPDATE {}.groups SET entries = entries + $2, lengths = ARRAY(
             SELECT l + d FROM unnest(lengths, $3) WITH ORDINALITY AS u (l, d, i) ORDER BY i) WHERE id = $1",
        db.schema
    );
    let lengths: Vec<i64> = new.lengths.iter().zip(old.lengths).map(|(new, old)| new - old).collect();
    let entries = new.entries - old.entries;
    let params = [(&group as _, Type::INT8), (&entries as _, Type::INT8), (&lengths as _, Type::INT8_ARRAY)];
    transaction.execute_typed(&sql, &params).await?;
    Ok(())
}

/// A part as PostgreSQL knows it.
pub(super) fn part(part: u64) -> Result<i64> {
    i64::try_from(part).map_err(|_| Error::input(format!("the part {part} is too large")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::seam::store::Field;

    #[test]
    fn terms_are_counted_by_field() {
        let terms = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect();
        let entry = Entry {
            terms: vec![
                (Field::Title, terms(&["a", "b", "a"])),
                (Field::Text, terms(&["a"])),
                (Field::Title, terms(&["c"])),
            ],
            ..Entry::default()
        };
        let counts: Vec<_> =
            count(&entry).into_iter().map(|((f, t), (tf, len))| (f, t.into_owned(), tf, len)).collect();
        let want = [(0, "a", 2, 4), (0, "b", 1, 4), (0, "c", 1, 4), (2, "a", 1, 1)];
        assert_eq!(counts, want.map(|(f, t, tf, len)| (f, t.to_owned(), tf, len)));
    }
}

//! Stores that several machines can share: documents and words in a [`SegmentStore`], vectors in a [`VectorStore`], files of
//! large tables in a [`TableStore`].
//!
//! Everything is named by keys (`i64`, `u64`) that are never given twice, so whatever is put again replaces itself, and
//! what was left behind by a crash can be told from what is there. Every call may be repeated: doing it twice is doing
//! it once.

use crate::{Error, Result, Score};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Ordering;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// What a field must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Test {
    /// One of these.
    Is(Vec<String>),
    /// At least this.
    From(String),
    /// At most this.
    To(String),
}

/// A condition on a field of the document. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    /// The field.
    pub field: String,
    /// What it must be.
    pub test: Test,
}

impl FromStr for Filter {
    type Err = Error;

    /// Reads `field=value`, `field=value|value`, `field>=value`, `field<=value`.
    fn from_str(text: &str) -> Result<Self> {
        type Make = fn(&str) -> Test;
        let forms: [(&str, Make); 3] = [
            (">=", |v| Test::From(v.into())),
            ("<=", |v| Test::To(v.into())),
            ("=", |v| Test::Is(v.split('|').map(|v| v.trim().to_owned()).collect())),
        ];
        for (sign, make) in forms {
            if let Some((field, value)) = text.split_once(sign)
                && !field.trim().is_empty()
            {
                return Ok(Filter { field: field.trim().into(), test: make(value.trim()) });
            }
        }
        Err(Error::input(format!("`{text}` is not a filter"))
            .hint("write field=value, field>=value or field<=value"))
    }
}

impl Filter {
    /// Whether a field of this value passes.
    pub fn passes(&self, found: &str) -> bool {
        let found = Facet::of(found);
        match &self.test {
            Test::Is(values) => values.iter().any(|v| found.compare(&Facet::of(v)) == Ordering::Equal),
            Test::From(least) => found.compare(&Facet::of(least)) != Ordering::Less,
            Test::To(most) => found.compare(&Facet::of(most)) != Ordering::Greater,
        }
    }
}

/// A value of a field in the two ways it is compared: as a number where both are, else as text in small letters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facet {
    /// The number, where it is one.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none", default)]
    pub number: Option<f64>,
    /// The text in small letters.
    #[serde(rename = "s")]
    pub text: String,
}

impl Facet {
    /// Of a value as it is written.
    pub fn of(text: &str) -> Self {
        Facet { number: crate::value::number(text).map(|n| n.value), text: text.to_lowercase() }
    }

    /// Of the value of a field; `None` when there is none.
    pub fn of_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::String(text) => Some(Facet::of(text)),
            other => Some(Facet::of(&other.to_string())),
        }
    }

    /// As numbers where both are, else as text.
    pub fn compare(&self, other: &Facet) -> Ordering {
        match (self.number, other.number) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => self.text.cmp(&other.text),
        }
    }
}

/// The fields of a document by name, as stores keep them.
pub type Facets = Vec<(String, Facet)>;

/// Which documents may be found: those that pass all filters and are among `documents`, where these are named.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Allow {
    /// Conditions on fields. A document without the field does not pass.
    pub filters: Vec<Filter>,
    /// The keys of the documents that may be found; all, when `None`.
    pub documents: Option<Vec<i64>>,
}

impl Allow {
    /// Whether everything may be found.
    pub fn is_all(&self) -> bool {
        self.filters.is_empty() && self.documents.is_none()
    }
}

/// One embed key of one group: vectors that can be compared with one another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Space {
    /// The embed key.
    pub embed: String,
    /// The group.
    pub group: String,
}

/// A vector on its way into a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its key.
    pub key: u64,
    /// The key of its document.
    pub document: i64,
    /// The fields of its document.
    pub facets: Facets,
    /// The vector, of length 1.
    pub vector: Vec<f32>,
}

/// A vector that was found, and its cosine with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its key.
    pub key: u64,
    /// The cosine.
    pub score: f32,
}

/// Keeps vectors and finds the nearest. All methods may be called from several threads and processes.
pub trait VectorStore: Send + Sync {
    /// What it is and where, for messages: `qdrant at http://…`.
    fn name(&self) -> String;
    /// Makes what a space needs, or checks that what is there fits: another length or metric is an error of input that
    /// says so. `model` is what makes the vectors; a store that holds those of another one refuses.
    fn prepare(&self, space: &Space, dim: usize, model: &str) -> Result<()>;
    /// The spaces there are.
    fn spaces(&self) -> Result<Vec<Space>>;
    /// Puts vectors, each in the place of the one with its key. Seen by every search that begins after it returns.
    fn put(&self, space: &Space, points: &[Point]) -> Result<()>;
    /// Removes the vectors with these keys; those that are not there are not missed.
    fn remove(&self, space: &Space, keys: &[u64]) -> Result<()>;
    /// Removes the vectors of these documents.
    fn remove_documents(&self, space: &Space, documents: &[i64]) -> Result<()>;
    /// The nearest `k`, the best first. `None` when the space is not there.
    fn search(&self, space: &Space, query: &[f32], k: usize, allow: &Allow) -> Result<Option<Vec<Near>>>;
    /// The vectors with these keys, in any order; those that are not there are left out.
    fn vectors(&self, space: &Space, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>>;
    /// Up to `limit` keys greater than `after`, in order, with their documents: for comparing stores with each other.
    fn keys(&self, space: &Space, after: Option<u64>, limit: usize) -> Result<Vec<(u64, i64)>>;
    /// How many vectors a space has.
    fn count(&self, space: &Space) -> Result<u64>;
    /// Called when no more is put for now: what a store had better do once after many points, such as building a graph of
    /// them, it does now or begins with. Nothing depends on it but how soon and how well they are found.
    fn settle(&self, _space: &Space) -> Result<()> {
        Ok(())
    }
    /// Removes a space.
    fn drop_space(&self, space: &Space) -> Result<()>;
}

/// A searched field of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    /// The title.
    Title,
    /// Column names.
    Name,
    /// Running text.
    Text,
    /// The words of cell values.
    Values,
    /// Whole cell values.
    Whole,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 5] = [Field::Title, Field::Name, Field::Text, Field::Values, Field::Whole];
    /// Those in which words are looked for.
    pub const WORDS: [Field; 4] = [Field::Title, Field::Name, Field::Text, Field::Values];

    /// The name of the field in the index and in explanations.
    pub fn name(self) -> &'static str {
        match self {
            Field::Title => "title",
            Field::Name => "name",
            Field::Text => "text",
            Field::Values => "values",
            Field::Whole => "whole",
        }
    }
}

/// What words are found by: a node, a table, a block of cell values. `(group, owner, part)` names it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The key of the document it belongs to.
    pub document: i64,
    /// The number of the change that wrote it.
    pub stamp: i64,
    /// The key of the node or table it stands for.
    pub owner: i64,
    /// Which part of the owner it is.
    pub part: u64,
    /// The fields of its document.
    pub facets: Facets,
    /// The terms of each searched field, as the analyzer gave them: a term may stand several times, and may hold any
    /// character, a space in whole values too.
    pub terms: Vec<(Field, Vec<String>)>,
    /// Bytes handed back with a hit.
    pub data: Vec<u8>,
}

/// A word of a query: any of some terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The terms that count as this word: usually one.
    pub any: Vec<String>,
    /// Terms that begin with this count too.
    pub prefix: Option<String>,
    /// Terms so many slips away from this count too: one or two.
    pub like: Option<(String, u8)>,
    /// The fields it may stand in.
    pub fields: Vec<Field>,
    /// How much it counts.
    pub weight: f32,
    /// What the user wrote.
    pub keyword: String,
}

/// How words become scores: BM25 over weighted fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weighing {
    /// How soon more occurrences stop to count.
    pub k1: f32,
    /// How much long fields are held back, 0 to 1.
    pub b: f32,
    /// The weights of the fields, in the order of [`Field::ALL`].
    pub fields: [f32; 5],
    /// The score is multiplied by the matched share of the query's weight to this power.
    pub coverage: f32,
    /// Whether an entry that has a word several times is taken to have it once.
    pub once: bool,
}

/// What is looked for by words.
#[derive(Debug, Clone)]
pub struct EntryQuery<'a> {
    /// The words.
    pub terms: &'a [Term],
    /// Words that every hit must have, in any field but `whole`.
    pub required: &'a [Term],
    /// How they become scores.
    pub weighing: &'a Weighing,
    /// How many hits.
    pub k: usize,
    /// Which documents may be found.
    pub allow: &'a Allow,
    /// Only entries with this part, when set.
    pub part: Option<u64>,
    /// Whether the bytes of entries are wanted.
    pub data: bool,
    /// Whether it is wanted what each word added to the score, as well as the store can tell.
    pub explain: bool,
}

/// An entry that was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryHit {
    /// The key of its document.
    pub document: i64,
    /// The key of the node or table it stands for.
    pub owner: i64,
    /// Which part of the owner it is.
    pub part: u64,
    /// The score.
    pub score: f32,
    /// Its bytes, when they were asked for.
    pub data: Vec<u8>,
    /// What gave it its score, when that was asked for.
    pub why: Vec<Score>,
}

/// A document as it is kept: what is in it only its writer knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Segment {
    /// The key of the document.
    pub key: i64,
    /// Its id.
    pub id: String,
    /// The number of the change that brought it, given by the store.
    pub change: i64,
    /// Whether the document is gone.
    pub gone: bool,
    /// Everything else.
    pub body: Vec<u8>,
}

/// Writes entries of groups, which words are found by.
pub trait EntryWriter: Send + Sync {
    /// Puts entries of a group, each in the place of the one with its owner and part. Bulk writes in batches of the
    /// store's own choosing; seen by every search that begins after [`EntryWriter::settle`].
    fn put_entries(&self, group: &str, entries: &[Entry]) -> Result<()>;
    /// Makes entries that were put, and removals, seen by searches.
    fn settle(&self) -> Result<()>;
    /// Removes the entries of documents that were written before a change; those of `i64::MAX` go altogether.
    fn remove_entries(&self, before: &[(i64, i64)]) -> Result<()>;
    /// Removes a whole group.
    fn drop_group(&self, group: &str) -> Result<()>;
}

/// Finds entries of a group by their words.
pub trait EntryReader: Send + Sync {
    /// How many entries a group has.
    fn count(&self, group: &str) -> Result<u64>;
    /// In how many entries of a group each word stands: the largest number over its fields.
    fn frequencies(&self, group: &str, terms: &[Term]) -> Result<Vec<u64>>;
    /// The best entries of a group, the best first. Nothing when there is no such group.
    fn search(&self, group: &str, ask: &EntryQuery<'_>) -> Result<Vec<EntryHit>>;
    /// The documents that have entries in a group, with how many: up to `limit` with keys greater than `after`, in order, for
    /// comparing stores with each other.
    fn entry_counts(&self, group: &str, after: i64, limit: usize) -> Result<Vec<(i64, u64)>>;
}

/// Keeps documents in the order of the changes that brought them, so that workers can follow each other.
pub trait ChangeLog: Send + Sync {
    /// Puts documents, each in the place of the one with its key, under one new change, whose number is returned. Changes
    /// become visible in the order of their numbers, and a number is never seen before all smaller ones.
    fn commit(&self, segments: &[Segment]) -> Result<i64>;
    /// The number of the last change.
    fn last_change(&self) -> Result<i64>;
    /// Up to `limit` documents of changes greater than `after`, in the order of changes; those gone too.
    fn changes(&self, after: i64, limit: usize) -> Result<Vec<Segment>>;
    /// The documents with these ids that are there.
    fn segments(&self, ids: &[String]) -> Result<Vec<Segment>>;
    /// How many documents there are, those gone left out.
    fn documents(&self) -> Result<u64>;
}

/// Lets workers agree: on numbers that are given once, and on who does what.
pub trait Coordinator: Send + Sync {
    /// The first of `count` numbers under a name that nobody else is given.
    fn reserve(&self, name: &str, count: u64) -> Result<i64>;
    /// Takes or renews a lease; false while somebody else holds it. It ends by itself after `seconds`.
    fn lease(&self, name: &str, holder: &str, seconds: u64) -> Result<bool>;
    /// Gives a lease back, if it is this holder's.
    fn release(&self, name: &str, holder: &str) -> Result<()>;
}

/// Keeps documents, finds them by words, and lets several workers agree: all that a store of segments does. All methods may
/// be called from several threads and processes.
pub trait SegmentStore: EntryWriter + EntryReader + ChangeLog + Coordinator {
    /// What it is and where, for messages.
    fn name(&self) -> String;
    /// Makes what is needed on first use, for these groups and how they are usually weighed, and checks it afterwards; what
    /// does not fit is changed where the engine can, else refused with a clear message.
    fn prepare(&self, groups: &[(String, Weighing)]) -> Result<()>;
    /// Removes everything of this library from the store.
    fn clear(&self) -> Result<()>;
}

/// Files of large tables. A file never changes under its name.
pub trait TableStore: Send + Sync {
    /// What it is and where, for messages.
    fn name(&self) -> String;
    /// Puts a file.
    fn put(&self, name: &str, from: &Path) -> Result<()>;
    /// Writes a file to a path; false when it is not there.
    fn get(&self, name: &str, to: &Path) -> Result<bool>;
    /// How many bytes a file has; `None` when it is not there.
    fn size(&self, name: &str) -> Result<Option<u64>>;
    /// Removes a file, if it is there.
    fn remove(&self, name: &str) -> Result<()>;
    /// All files.
    fn files(&self) -> Result<Vec<StoredFile>>;
}

/// A file in a [`TableStore`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its name.
    pub name: String,
    /// How long ago it was put.
    pub age: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_three_forms() {
        let filter: Filter = "file_type=csv|xlsx".parse().unwrap();
        assert_eq!(filter.test, Test::Is(vec!["csv".into(), "xlsx".into()]));
        let filter: Filter = "year >= 2020".parse().unwrap();
        assert_eq!((filter.field.as_str(), filter.test), ("year", Test::From("2020".into())));
        assert!("nonsense".parse::<Filter>().is_err());
    }

    #[test]
    fn compares_numbers_as_numbers() {
        let compare = |a: &str, b: &str| Facet::of(a).compare(&Facet::of(b));
        assert_eq!(compare("9", "10"), Ordering::Less);
        assert_eq!(compare("1,000", "1000"), Ordering::Equal);
        assert_eq!(compare("CSV", "csv"), Ordering::Equal);
    }
}

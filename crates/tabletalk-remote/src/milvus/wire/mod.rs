//! The messages of Milvus that are spoken here, with the numbers that Milvus gives their fields. Fields that
//! are neither written nor read are left out.

mod rows;
mod schema;

use prost::Message;
pub(super) use rows::*;
pub(super) use schema::*;

/// Kinds of fields.
pub(super) const INT64: i32 = 5;
pub(super) const JSON: i32 = 23;
pub(super) const FLOAT_VECTOR: i32 = 101;

/// How much a search must see: everything that was written before it.
pub(super) const STRONG: i32 = 0;
/// All but the last seconds.
pub(super) const BOUNDED: i32 = 2;
/// Everything up to the timestamp that is named.
pub(super) const CUSTOMIZED: i32 = 4;

/// That conditions are written as expressions.
pub(super) const EXPRESSION: i32 = 1;
/// That a space is in memory and can be searched.
pub(super) const LOADED: i32 = 3;

/// How a call went.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    /// The old kind of code.
    #[prost(int32, tag = "1")]
    pub(super) error_code: i32,
    #[prost(string, tag = "2")]
    pub(super) reason: String,
    #[prost(int32, tag = "3")]
    pub(super) code: i32,
    #[prost(bool, tag = "4")]
    pub(super) retriable: bool,
}

/// An answer that says how the call went.
pub(super) trait Answer: Message + Default + 'static {
    /// How it went; well, when nothing is said.
    fn status(&self) -> Option<&Status>;
}

impl Answer for Status {
    fn status(&self) -> Option<&Status> {
        Some(self)
    }
}

macro_rules! answers {
    ($($name:ident),*) => {$(
        impl Answer for $name {
            fn status(&self) -> Option<&Status> {
                self.status.as_ref()
            }
        }
    )*};
}

answers!(Collection, Collections, Indexes, LoadState, Changed, Flushed, Hits, Rows);

#[derive(Clone, PartialEq, Message)]
pub(super) struct Pair {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

/// A pair of texts.
pub(super) fn pair(key: &str, value: impl ToString) -> Pair {
    Pair { key: key.to_owned(), value: value.to_string() }
}

pub(super) fn value<'a>(pairs: &'a [Pair], key: &str) -> Option<&'a str> {
    pairs.iter().find(|p| p.key == key).map(|p| p.value.as_str())
}

//! Rows: put, removed, searched and read.

use super::{Pair, Status};
use prost::{Message, Oneof};

/// Rows to be put, column by column.
#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Upsert {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    #[prost(message, repeated, tag = "5")]
    pub(in crate::milvus) columns: Vec<Column>,
    #[prost(uint32, tag = "7")]
    pub(in crate::milvus) rows: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Delete {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    #[prost(string, tag = "5")]
    pub(in crate::milvus) expression: String,
    #[prost(int32, tag = "7")]
    pub(in crate::milvus) consistency_level: i32,
}

/// The answer to a change.
#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Changed {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
    /// What must be waited for until the change can be seen.
    #[prost(uint64, tag = "9")]
    pub(in crate::milvus) timestamp: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Flush {
    #[prost(string, repeated, tag = "3")]
    pub(in crate::milvus) collections: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Flushed {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Column {
    #[prost(int32, tag = "1")]
    pub(in crate::milvus) data_type: i32,
    #[prost(string, tag = "2")]
    pub(in crate::milvus) name: String,
    #[prost(oneof = "Values", tags = "3, 4")]
    pub(in crate::milvus) values: Option<Values>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(in crate::milvus) enum Values {
    #[prost(message, tag = "3")]
    Scalars(Scalars),
    #[prost(message, tag = "4")]
    Vectors(Vectors),
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Scalars {
    #[prost(oneof = "Scalar", tags = "3, 9")]
    pub(in crate::milvus) data: Option<Scalar>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(in crate::milvus) enum Scalar {
    #[prost(message, tag = "3")]
    Longs(Longs),
    #[prost(message, tag = "9")]
    Json(Texts),
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Longs {
    #[prost(int64, repeated, tag = "1")]
    pub(in crate::milvus) data: Vec<i64>,
}

/// Texts as bytes.
#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Texts {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(in crate::milvus) data: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Vectors {
    #[prost(int64, tag = "1")]
    pub(in crate::milvus) dim: i64,
    #[prost(message, optional, tag = "2")]
    pub(in crate::milvus) floats: Option<Floats>,
}

/// Numbers of all vectors, one vector after the other.
#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Floats {
    #[prost(float, repeated, tag = "1")]
    pub(in crate::milvus) data: Vec<f32>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Search {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    #[prost(string, tag = "5")]
    pub(in crate::milvus) expression: String,
    /// [`Placeholders`] as bytes.
    #[prost(bytes = "vec", tag = "6")]
    pub(in crate::milvus) placeholders: Vec<u8>,
    #[prost(int32, tag = "7")]
    pub(in crate::milvus) expression_type: i32,
    #[prost(string, repeated, tag = "8")]
    pub(in crate::milvus) output: Vec<String>,
    #[prost(message, repeated, tag = "9")]
    pub(in crate::milvus) params: Vec<Pair>,
    #[prost(uint64, tag = "11")]
    pub(in crate::milvus) guarantee_timestamp: u64,
    #[prost(int64, tag = "12")]
    pub(in crate::milvus) queries: i64,
    #[prost(int32, tag = "14")]
    pub(in crate::milvus) consistency_level: i32,
}

/// The vectors that are searched for.
#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Placeholders {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::milvus) placeholders: Vec<Placeholder>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Placeholder {
    #[prost(string, tag = "1")]
    pub(in crate::milvus) tag: String,
    #[prost(int32, tag = "2")]
    pub(in crate::milvus) data_type: i32,
    /// Each vector as the bytes of its numbers.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(in crate::milvus) values: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Hits {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::milvus) results: Option<HitData>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct HitData {
    #[prost(message, repeated, tag = "3")]
    pub(in crate::milvus) columns: Vec<Column>,
    #[prost(float, repeated, tag = "4")]
    pub(in crate::milvus) scores: Vec<f32>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::milvus) keys: Option<Keys>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Keys {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) longs: Option<Longs>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Query {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    #[prost(string, tag = "4")]
    pub(in crate::milvus) expression: String,
    #[prost(string, repeated, tag = "5")]
    pub(in crate::milvus) output: Vec<String>,
    #[prost(uint64, tag = "8")]
    pub(in crate::milvus) guarantee_timestamp: u64,
    #[prost(message, repeated, tag = "9")]
    pub(in crate::milvus) params: Vec<Pair>,
    #[prost(int32, tag = "11")]
    pub(in crate::milvus) consistency_level: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Rows {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::milvus) columns: Vec<Column>,
}

//! Collections, their fields and indexes.

use super::{Pair, Status};
use prost::Message;

/// A request that needs nothing but the name of a collection: describe, release, drop.
#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Named {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
}

/// Whether a collection is loaded.
#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct AskLoadState {
    #[prost(string, tag = "2")]
    pub(in crate::milvus) collection: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct LoadState {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
    #[prost(int32, tag = "2")]
    pub(in crate::milvus) state: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct AskCollections {}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Collections {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
    #[prost(string, repeated, tag = "2")]
    pub(in crate::milvus) names: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Schema {
    #[prost(string, tag = "1")]
    pub(in crate::milvus) name: String,
    #[prost(string, tag = "2")]
    pub(in crate::milvus) description: String,
    #[prost(message, repeated, tag = "4")]
    pub(in crate::milvus) fields: Vec<SchemaField>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct SchemaField {
    #[prost(string, tag = "2")]
    pub(in crate::milvus) name: String,
    #[prost(bool, tag = "3")]
    pub(in crate::milvus) is_primary_key: bool,
    #[prost(int32, tag = "5")]
    pub(in crate::milvus) data_type: i32,
    #[prost(message, repeated, tag = "6")]
    pub(in crate::milvus) type_params: Vec<Pair>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct CreateCollection {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    /// A [`Schema`] as bytes.
    #[prost(bytes = "vec", tag = "4")]
    pub(in crate::milvus) schema: Vec<u8>,
    #[prost(int32, tag = "5")]
    pub(in crate::milvus) shards: i32,
    #[prost(int32, tag = "6")]
    pub(in crate::milvus) consistency_level: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Collection {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::milvus) schema: Option<Schema>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct CreateIndex {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    #[prost(string, tag = "4")]
    pub(in crate::milvus) field: String,
    #[prost(message, repeated, tag = "5")]
    pub(in crate::milvus) params: Vec<Pair>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct DropIndex {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    #[prost(string, tag = "4")]
    pub(in crate::milvus) field: String,
    #[prost(string, tag = "5")]
    pub(in crate::milvus) name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct Indexes {
    #[prost(message, optional, tag = "1")]
    pub(in crate::milvus) status: Option<Status>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::milvus) indexes: Vec<IndexDescription>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct IndexDescription {
    #[prost(string, tag = "1")]
    pub(in crate::milvus) name: String,
    #[prost(message, repeated, tag = "3")]
    pub(in crate::milvus) params: Vec<Pair>,
    #[prost(string, tag = "4")]
    pub(in crate::milvus) field: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::milvus) struct LoadCollection {
    #[prost(string, tag = "3")]
    pub(in crate::milvus) collection: String,
    #[prost(int32, tag = "4")]
    pub(in crate::milvus) replicas: i32,
}

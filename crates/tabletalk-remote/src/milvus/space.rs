//! Spaces: made, checked, loaded, dropped. Of their indexes see [`super::index`].

use super::Milvus;
use super::names::{About, beginning};
use super::refused::{Refused, Why};
use super::rpc::method;
use super::wire::{
    AskCollections, AskLoadState, BOUNDED, Collection, Collections, CreateCollection, FLOAT_VECTOR, INT64,
    JSON, LOADED, LoadCollection, LoadState, Named, Pair, Schema, SchemaField, Status, pair, value,
};
use prost::Message;
use std::time::{Duration, Instant};
use tabletalk_core::seam::store::Space;
use tabletalk_core::{Error, Result};

/// How often it is asked whether a collection is loaded.
const ASK_AGAIN: Duration = Duration::from_millis(50);

impl Milvus {
    /// Makes what a space needs, or checks that what is there fits.
    pub(super) fn make_or_check(&self, space: &Space, dim: usize, model: &str) -> Result<()> {
        let name = self.collection(space);
        let index = self.settings.index_of(&space.embed);
        let about = About { space: space.clone(), model: model.to_owned() };
        let schema = match self.schema(&name)? {
            Some(schema) => schema,
            None => self.create(&name, dim, &about)?,
        };
        self.check(&schema, dim, &about)?;
        self.index(&name, space, &index)?;
        Ok(self.load(&name)?)
    }

    pub(super) fn all_spaces(&self) -> Result<Vec<Space>> {
        let begin = beginning(&self.settings.prefix);
        let all: Collections = self.rpc.call(method!("ShowCollections"), &AskCollections {})?;
        let mut spaces = Vec::new();
        for name in all.names.iter().filter(|n| n.starts_with(&begin)) {
            let schema = self.schema(name)?;
            spaces.extend(schema.and_then(|s| about(&s)).map(|a| a.space));
        }
        spaces.sort();
        Ok(spaces)
    }

    /// Removes a collection, if it is there.
    pub(super) fn drop_collection(&self, name: &str) -> Result<()> {
        let request = Named { collection: name.to_owned() };
        match self.rpc.call::<Status>(method!("DropCollection"), &request) {
            Err(refused) if refused.why == Why::Missing => Ok(()),
            other => Ok(other.map(drop)?),
        }
    }

    /// Brings a collection into memory, and waits until it is there.
    pub(super) fn load(&self, name: &str) -> Result<(), Refused> {
        let (begun, mut asked) = (Instant::now(), false);
        loop {
            let question = AskLoadState { collection: name.to_owned() };
            let answer: LoadState = self.rpc.call(method!("GetLoadState"), &question)?;
            if answer.state == LOADED {
                return Ok(());
            }
            if !asked {
                let request = LoadCollection { collection: name.to_owned(), replicas: 1 };
                match self.rpc.call::<Status>(method!("LoadCollection"), &request) {
                    Err(refused) if refused.why == Why::NoIndex => self.mend(name)?,
                    other => {
                        other?;
                        asked = true;
                    }
                }
            } else if begun.elapsed() > self.rpc.timeout() {
                let error = Error::upstream(format!("{} still loads {name}", self.rpc.name()));
                return Err(error.hint("try again later; `client.timeout_s` says how long to wait").into());
            } else {
                std::thread::sleep(ASK_AGAIN);
            }
        }
    }

    /// The fields and the description of a collection; `None` when it is not there.
    pub(super) fn schema(&self, name: &str) -> Result<Option<Schema>> {
        let request = Named { collection: name.to_owned() };
        match self.rpc.call::<Collection>(method!("DescribeCollection"), &request) {
            Err(refused) if refused.why == Why::Missing => Ok(None),
            other => Ok(other?.schema),
        }
    }

    /// Makes a collection. When another process makes it at the same time, what that one made is returned.
    fn create(&self, name: &str, dim: usize, about: &About) -> Result<Schema> {
        let schema = Schema {
            name: name.to_owned(),
            description: serde_json::to_string(about)?,
            fields: vec![
                field("key", INT64, true, Vec::new()),
                field("document", INT64, false, Vec::new()),
                field("facets", JSON, false, Vec::new()),
                field("vector", FLOAT_VECTOR, false, vec![pair("dim", dim)]),
            ],
        };
        let request = CreateCollection {
            collection: name.to_owned(),
            schema: schema.encode_to_vec(),
            shards: 1,
            consistency_level: BOUNDED,
        };
        let made = self.rpc.call::<Status>(method!("CreateCollection"), &request);
        match (self.schema(name)?, made) {
            (Some(schema), _) => Ok(schema),
            (None, Err(refused)) => Err(refused.error),
            (None, Ok(_)) => Err(Error::upstream(format!("{} made {name}, and it is gone", self.rpc.name()))),
        }
    }

    fn check(&self, schema: &Schema, dim: usize, wanted: &About) -> Result<()> {
        let named = |what: &str, is: &str, other: &str| {
            let (embed, group) = (&wanted.space.embed, &wanted.space.group);
            let text = format!(
                "{}: the space `{embed}` of group `{group}` has {what} {is}, not {other}",
                self.rpc.name()
            );
            Err(Error::input(text)
                .hint("drop the space and embed again, or name another prefix or embed key"))
        };
        let vector = schema.fields.iter().find(|f| f.name == "vector");
        let found = vector.and_then(|f| value(&f.type_params, "dim")).unwrap_or("none");
        if found != dim.to_string() {
            return named("vectors of length", found, &dim.to_string());
        }
        match about(schema) {
            Some(found) if found.model == wanted.model => Ok(()),
            Some(found) => {
                named("vectors of the model", &format!("`{}`", found.model), &format!("`{}`", wanted.model))
            }
            None => {
                Err(Error::input(format!("{}: {} was not made by tabletalk", self.rpc.name(), schema.name))
                    .hint("name another `prefix`"))
            }
        }
    }
}

fn field(name: &str, data_type: i32, is_primary_key: bool, type_params: Vec<Pair>) -> SchemaField {
    SchemaField { name: name.to_owned(), is_primary_key, data_type, type_params }
}

pub(super) fn about(schema: &Schema) -> Option<About> {
    serde_json::from_str(&schema.description).ok()
}

//! `bench`: speed and memory, beside a peer in the same run.

mod child;
mod dense;
mod embed;
mod growth;
mod machine;
mod made;
mod measure;
mod page;
mod peer;
mod plot;
mod search;
mod shared;
mod sql;
mod sql_made;
mod store;
mod suite;
mod tables;
mod timing;
mod workload;

use crate::args::{Bench, BenchWhat};
use serde_json::json;
use tabletalk::cli::command::Context;
use tabletalk::{Result, SearchRequest};

pub fn run(context: &Context<'_>, bench: &Bench) -> Result<u8> {
    let value = match &bench.what {
        BenchWhat::List { python } => return suite::list(context, python.as_deref()),
        BenchWhat::Run(run) => return suite::run(context, run),
        BenchWhat::Growth(growth) => return growth::run(context, growth),
        BenchWhat::Make { file, rows } => {
            made::rows(file, *rows)?;
            json!({"file": file, "rows": rows, "bytes": std::fs::metadata(file)?.len()})
        }
        BenchWhat::Tables { corpus, python, peer_tables } => {
            tables::tables(corpus, python.as_deref(), *peer_tables)?
        }
        BenchWhat::Search { queries, threads, seconds, similarity, topk } => {
            let searching = SearchRequest {
                similarity: Some(similarity.clone()),
                topk: Some(*topk),
                ..SearchRequest::default()
            };
            search::search(context, &searching, queries, *threads, *seconds)?
        }
        BenchWhat::Csv { file, python, queries } => tables::csv(context, file, python.as_deref(), *queries)?,
        BenchWhat::Start { rows } => tables::start(*rows)?,
        BenchWhat::Sql(sql) => sql::run(sql)?,
        BenchWhat::Dense(dense) => dense::run(dense)?,
        BenchWhat::Embed(embed) => embed::run(embed)?,
        BenchWhat::Store(store) => store::run(store)?,
    };
    context.output.value(&value);
    Ok(0)
}

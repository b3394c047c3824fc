//! `context`.

use crate::args::ContextArgs;
use crate::context::{self, Figures};
use serde_json::{Value, json};
use tabletalk::cli::command::eval::{corpus, interval, sampled};
use tabletalk::cli::command::{Context, list};
use tabletalk::cli::progress::Progress;
use tabletalk::{Building, Library, Result, Retriever, Scope, Similarity, Traversal};
use tabletalk_eval::{Query, query};

/// Hits at most; tokens say how many.
const MANY: usize = 200;

/// A way of searching that is measured.
struct Way {
    name: String,
    retriever: Retriever,
}

pub fn measure(context: &Context<'_>, args: &ContextArgs) -> Result<u8> {
    let corpus = corpus(context, &args.corpus, &args.queries, args.keep.as_deref(), |_| true)?;
    let library = &corpus.library;
    let telling = query::read_files(&args.queries)?.into_iter().filter(context::is_telling).collect();
    let queries = sampled(telling, args.sample);
    let mut results = Vec::new();
    let flat = |similarity: Similarity| Way {
        name: format!("flat, {}", similarity.name()),
        retriever: Retriever { group: "medium".into(), similarity, ..Retriever::default() },
    };
    ask(library, &queries, &[flat(Similarity::Cosine), flat(Similarity::Hybrid)], args, &mut results)?;
    let mut trees = Vec::new();
    for no_model in [true, false] {
        if !no_model && (args.no_model || !library.has_model()) {
            continue;
        }
        let by = if no_model { "sentences" } else { "model" };
        trees.push(json!({"by": by, "built": build(context, library, args, no_model)?}));
        let way = |name: &str, similarity, traversal| Way {
            name: format!("{name}, {by}"),
            retriever: Retriever {
                group: "raptor".into(),
                similarity,
                traversal,
                branches: args.branches,
                ..Retriever::default()
            },
        };
        let ways = [
            way("collapsed, cosine", Similarity::Cosine, Traversal::Collapsed),
            way("collapsed, hybrid", Similarity::Hybrid, Traversal::Collapsed),
            way("tree", Similarity::Cosine, Traversal::Tree),
        ];
        ask(library, &queries, &ways, args, &mut results)?;
    }
    report(context, &results, &trees);
    Ok(0)
}

fn build(context: &Context<'_>, library: &Library, args: &ContextArgs, no_model: bool) -> Result<Value> {
    let scope = if args.by_document { Scope::Document } else { Scope::Library };
    let building =
        Building { scope: Some(scope), no_model, rebuild: !args.incremental, ..Building::default() };
    let progress = Progress::new(context.output.shows_progress());
    let begun = std::time::Instant::now();
    let built = library.build_tree(&building, &|_| Ok(true), &progress);
    progress.clear();
    let mut value = serde_json::to_value(built?)?;
    value["seconds"] = json!(begun.elapsed().as_secs_f64());
    Ok(value)
}

fn ask(
    library: &Library,
    queries: &[Query],
    ways: &[Way],
    args: &ContextArgs,
    results: &mut Vec<(String, usize, Figures)>,
) -> Result<()> {
    for way in ways {
        for &tokens in &args.tokens {
            let retriever = Retriever { topk: MANY, tokens: Some(tokens), ..way.retriever.clone() };
            let figures = context::run(&library.recall(), queries, &retriever)?;
            results.push((way.name.clone(), tokens, figures));
        }
    }
    Ok(())
}

fn report(context: &Context<'_>, results: &[(String, usize, Figures)], trees: &[Value]) {
    if context.output.is_json() {
        let rows: Vec<Value> = results
            .iter()
            .map(|(way, tokens, figures)| json!({"way": way, "budget": tokens, "figures": figures}))
            .collect();
        context.output.value(&json!({"trees": trees, "ways": rows}));
        return;
    }
    for tree in trees {
        context.output.note(&format!("tree by {}: {}", tree["by"], tree["built"]));
    }
    let mut table =
        list::table(&["way", "budget", "answer there", "passages found", "tokens", "summaries", "ms/query"]);
    for (way, budget, f) in results {
        table.add_row([
            way.clone(),
            budget.to_string(),
            interval(&f.answered),
            format!("{:.3}", f.found.mean),
            format!("{:.0}", f.tokens),
            format!("{:.0} %", f.summaries * 100.0),
            format!("{:.1}", f.seconds * 1e3 / f.queries.max(1) as f64),
        ]);
    }
    context.output.text(&format!("{table}\n"));
}

//! `raptor` and `make`: what is made of nodes after they were added.

use super::Context;
use super::list::shorten;
use crate::cli::args::{self, RaptorWhat};
use crate::cli::progress::Progress;
use serde_json::json;
use std::collections::HashMap;
use tabletalk::tree::Summary;
use tabletalk::{Building, Built, Error, Estimate, Library, Result, Scope, Tree, view};

/// Characters of a summary that are printed.
const SHOWN: usize = 100;
/// Failures that are printed.
const FAILURES: usize = 5;

pub fn run(context: &Context<'_>, args: &args::Raptor) -> Result<u8> {
    match &args.what {
        RaptorWhat::Build { group, scope, rebuild, no_model, yes } => {
            let scope = scope.map(|scope| match scope {
                args::Scope::Library => Scope::Library,
                args::Scope::Document => Scope::Document,
            });
            let (group, rebuild, no_model) = (group.clone(), *rebuild, *no_model);
            let building = Building { group, scope, rebuild, no_model, ..Building::default() };
            build(context, &building, *yes)
        }
        RaptorWhat::Show { id, group, depth, leaves } => {
            show(context, group, &Shape { id: id.as_deref(), depth: *depth, leaves: *leaves })
        }
        RaptorWhat::Stats { group } => stats(context, group),
    }
}

pub fn make(context: &Context<'_>, args: &args::Make) -> Result<u8> {
    let library = context.library()?;
    let progress = Progress::new(context.output.shows_progress());
    library.refresh(&progress)?;
    let mut values = Vec::new();
    for name in &args.groups {
        let confirm = |estimate: &Estimate| progress.confirm(&about(estimate), args.yes);
        let made = library.make(name, &confirm, &progress);
        progress.clear();
        let made = made?;
        values.push(json!({"group": name, "made": made}));
        let calls = count(made.usage.calls, "call");
        context.output.note(&format!(
            "{name}: {} made, {} known, {calls}",
            count(made.nodes, "node"),
            made.known
        ));
        failures(context, &made.failed);
    }
    let embedded = library.embed(&progress);
    progress.clear();
    embedded?;
    if context.output.is_json() {
        context.output.value(&json!({ "groups": values }));
    }
    Ok(0)
}

/// The tree as it is configured, after documents were added.
pub fn grow(context: &Context<'_>, library: &Library) -> Result<Built> {
    let progress = Progress::new(context.output.shows_progress());
    let confirm = |estimate: &Estimate| progress.confirm(&about(estimate), false);
    let built = library.build_tree(&Building::default(), &confirm, &progress);
    progress.clear();
    let built = built?;
    if !context.output.is_json() {
        context.output.note(&summary(&built));
        failures(context, &built.failed);
    }
    Ok(built)
}

fn build(context: &Context<'_>, building: &Building, yes: bool) -> Result<u8> {
    let library = context.library()?;
    let progress = Progress::new(context.output.shows_progress());
    let confirm = |estimate: &Estimate| progress.confirm(&about(estimate), yes);
    let built = library.build_tree(building, &confirm, &progress);
    progress.clear();
    let built = built?;
    match context.output.is_json() {
        true => context.output.value(&serde_json::to_value(&built)?),
        false => {
            context.output.note(&summary(&built));
            failures(context, &built.failed);
            if built.trees == 0 {
                context.output.note(
                    "note: there is nothing to sum up; a tree needs two passages of text, and tables are none",
                );
            }
        }
    }
    Ok(0)
}

/// The first failures, and how many more there are.
fn failures(context: &Context<'_>, failed: &[String]) {
    failed.iter().take(FAILURES).for_each(|why| context.output.note(&format!("note: {why}")));
    if failed.len() > FAILURES {
        context.output.note(&format!("note: and {} more; --json lists all", failed.len() - FAILURES));
    }
}

fn summary(built: &Built) -> String {
    let calls = match built.usage.calls + built.usage.cached {
        0 => String::new(),
        _ => {
            let tokens = built.usage.prompt_tokens + built.usage.completion_tokens;
            format!("; {}, {}", count(built.usage.calls, "call"), count(tokens, "token"))
        }
    };
    let (new, kept) = (count(built.summaries_new, "summary"), built.summaries_kept);
    let (trees, leaves) = (count(built.trees, "tree"), count(built.leaves, "passage"));
    format!("{trees} over {leaves}: {new} made, {kept} as they were{calls}")
}

/// What a run will cost, as a question.
fn about(estimate: &Estimate) -> String {
    let tokens = match estimate.tokens {
        n if n >= 100_000 => format!("{:.1} M", n as f64 / 1e6),
        n => indicatif::HumanCount(n).to_string(),
    };
    format!("about {} calls, {tokens} tokens; go on?", indicatif::HumanCount(estimate.calls))
}

fn count(n: u64, what: &str) -> String {
    let many = match what.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{what}s"),
    };
    format!("{} {}", indicatif::HumanCount(n), if n == 1 { what } else { &many })
}

/// What of a tree is printed.
struct Shape<'a> {
    id: Option<&'a str>,
    depth: u32,
    leaves: bool,
}

fn trees(library: &Library, group: &str) -> Result<Vec<Tree>> {
    let trees = library.trees(group)?;
    match trees.is_empty() {
        true => Err(Error::missing(format!("there is no tree in group `{group}` yet")).hint(match group {
            "raptor" => "build it with `tabletalk raptor build`".to_owned(),
            _ => format!("build it with `tabletalk raptor build --group {group}`"),
        })),
        false => Ok(trees),
    }
}

fn show(context: &Context<'_>, group: &str, shape: &Shape<'_>) -> Result<u8> {
    let library = context.library()?;
    let trees = trees(&library, group)?;
    if let Some(id) = shape.id
        && !trees.iter().any(|t| t.summaries.iter().any(|s| s.id == id))
    {
        return Err(Error::missing(format!("there is no summary `{id}` in group `{group}`"))
            .hint("`tabletalk raptor show` prints the ids"));
    }
    if context.output.is_json() {
        let trees = trees.iter().map(|t| view::tree(&library, t, shape.id)).collect::<Result<Vec<_>>>()?;
        context.output.value(&json!({"group": group, "trees": trees}));
        return Ok(0);
    }
    for tree in &trees {
        let printed = Printed::new(&library, tree, shape)?;
        context.output.text(&printed.text(shape));
    }
    Ok(0)
}

/// A tree on its way to the terminal.
struct Printed<'a> {
    title: String,
    tree: &'a Tree,
    by_id: HashMap<&'a str, &'a Summary>,
    counts: HashMap<&'a str, usize>,
    /// The texts of leaves, when they are wanted.
    leaves: HashMap<String, String>,
}

impl<'a> Printed<'a> {
    fn new(library: &Library, tree: &'a Tree, shape: &Shape<'_>) -> Result<Self> {
        let (layers, summaries) =
            (count(tree.layers().into(), "layer"), count(tree.summaries.len() as u64, "summary"));
        let leaves = count(view::leaf_count(tree) as u64, "passage");
        let title = format!(
            "{} ({}): {layers}, {summaries} over {leaves}\n",
            view::tree_name(library, tree)?,
            tree.embed
        );
        let mut texts = HashMap::new();
        if shape.leaves {
            for child in tree.summaries.iter().filter(|s| s.layer == 1).flat_map(|s| &s.children) {
                if !texts.contains_key(&child.id)
                    && let Some(node) = library.node(&child.id)?
                {
                    texts.insert(child.id.clone(), format!("{} {}", node.place, node.text));
                }
            }
        }
        let by_id = tree.summaries.iter().map(|s| (s.id.as_str(), s)).collect();
        Ok(Printed { title, tree, by_id, counts: tree.leaf_counts(), leaves: texts })
    }

    fn text(&self, shape: &Shape<'_>) -> String {
        let mut out = self.title.clone();
        let roots = match shape.id {
            Some(id) => self.by_id.get(id).copied().into_iter().collect(),
            None => self.tree.roots(),
        };
        for root in roots {
            self.node(root, "", "", 1, shape, &mut out);
        }
        out
    }

    fn node(&self, s: &Summary, first: &str, rest: &str, depth: u32, shape: &Shape<'_>, out: &mut String) {
        let label = match s.by {
            tabletalk::tree::By::Model => "",
            tabletalk::tree::By::Extract => ", sentences",
        };
        let leaves = count(self.counts.get(s.id.as_str()).map_or(0, |n| *n as u64), "passage");
        let text = shorten(&s.text.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN);
        out.push_str(&format!("{first}{} [layer {}, {leaves}{label}]\n{rest}  {text}\n", s.id, s.layer));
        if shape.depth > 0 && depth >= shape.depth {
            return;
        }
        let below: Vec<&str> = s.children.iter().map(|c| c.id.as_str()).collect();
        let shown: Vec<&str> =
            below.into_iter().filter(|id| self.by_id.contains_key(id) || shape.leaves).collect();
        for (i, id) in shown.iter().enumerate() {
            let last = i + 1 == shown.len();
            let (first, more) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let (first, more) = (format!("{rest}{first}"), format!("{rest}{more}"));
            match self.by_id.get(id) {
                Some(child) => self.node(child, &first, &more, depth + 1, shape, out),
                None => {
                    let text = self.leaves.get(*id).map_or("", String::as_str);
                    let text = shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN);
                    out.push_str(&format!("{first}{text}\n"));
                }
            }
        }
    }
}

fn stats(context: &Context<'_>, group: &str) -> Result<u8> {
    let library = context.library()?;
    let mut values = Vec::new();
    let mut out =
        super::list::table(&["tree", "embed", "passages", "layers", "by a model", "memberships", "cohesion"]);
    for tree in trees(&library, group)? {
        let leaves = view::leaf_count(&tree);
        let layers: Vec<usize> =
            (1..=tree.layers()).map(|n| tree.summaries.iter().filter(|s| s.layer == n).count()).collect();
        let by_model = tree.summaries.iter().filter(|s| s.by == tabletalk::tree::By::Model).count();
        let members: usize = tree.summaries.iter().filter(|s| s.layer == 1).map(|s| s.children.len()).sum();
        let memberships = members as f64 / leaves.max(1) as f64;
        let cohesion = library.cohesion(group, &tree)?;
        let name = view::tree_name(&library, &tree)?;
        let sizes: Vec<String> = layers.iter().map(usize::to_string).collect();
        out.add_row([
            name.clone(),
            tree.embed.clone(),
            leaves.to_string(),
            sizes.join(" → "),
            format!("{by_model} of {}", tree.summaries.len()),
            format!("{memberships:.2}"),
            format!("{cohesion:.3}"),
        ]);
        values.push(json!({
            "document": tree.document, "name": name, "embed": tree.embed, "leaves": leaves, "layers": layers,
            "by_model": by_model, "memberships": memberships, "cohesion": cohesion,
        }));
    }
    match context.output.is_json() {
        true => context.output.value(&json!({"group": group, "trees": values})),
        false => context.output.text(&out.to_string()),
    }
    Ok(0)
}

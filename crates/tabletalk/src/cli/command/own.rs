//! `eval generate`: questions with known answers of one's own.

use super::Context;
use super::eval::write_lines;
use crate::cli::args::Generate;
use crate::cli::progress::Progress;
use serde_json::json;
use std::collections::BTreeMap;
use tabletalk::{Error, Result};
use tabletalk_eval::generate::Options;
use tabletalk_eval::own;

pub fn generate(context: &Context<'_>, args: &Generate) -> Result<u8> {
    if args.to.exists() && !args.force {
        return Err(Error::input(format!(
            "{} is there already, and may have been corrected",
            args.to.display()
        ))
        .hint("give another name, or --force to write over it"));
    }
    let library = context.library_to_ask(args.from.as_deref())?;
    let options = Options { each: args.each, seed: args.seed, kinds: args.forms.clone() };
    let mut made = own::questions(&library, &options)?;
    if made.is_empty() {
        return Err(Error::missing("no question can be made from the tables of this library")
            .hint("tables need a column that names each row, and columns with values to ask for"));
    }
    if args.paraphrase {
        let progress = Progress::new(context.output.shows_progress());
        let more = own::paraphrases(&library, &made, &progress);
        progress.clear();
        made.extend(more?);
    }
    write_lines(&args.to, made.iter()).map_err(|e| e.at(args.to.display()))?;
    let mut forms: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &made {
        *forms.entry(one.form.name()).or_default() += 1;
    }
    if context.output.is_json() {
        context.output.value(&json!({"questions": made.len(), "forms": forms, "file": args.to}));
        return Ok(0);
    }
    let counts: Vec<String> = forms.iter().map(|(form, count)| format!("{count} {form}")).collect();
    context.output.text(&format!(
        "{} questions written to {}: {}\n",
        made.len(),
        args.to.display(),
        counts.join(", ")
    ));
    for one in made.iter().take(5) {
        context.output.text(&format!("  {}  →  {}\n", one.question, one.answers.join(", ")));
    }
    Ok(0)
}

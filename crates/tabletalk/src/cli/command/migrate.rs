//! `migrate`.

use super::Context;
use crate::cli::progress::Progress;
use std::path::Path;
use tabletalk::{Config, Error, Result, migrating, open};

pub fn migrate(context: &Context<'_>, to: &Path, into: Option<&Path>) -> Result<u8> {
    let config = Config::load(Some(to))?;
    let beside = to.parent().unwrap_or(Path::new("")).join(".tabletalk");
    let dir = into.map_or(beside, Path::to_owned);
    let from = context.library()?;
    let same = |a: &Path, b: &Path| a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b));
    if same(&dir, from.dir()) {
        return Err(Error::input(format!("{} is the library itself", dir.display()))
            .hint("name another folder with --into"));
    }
    let target = open(&config, &dir, true)?;
    let progress = Progress::new(context.output.shows_progress());
    let moved = migrating::migrate(&from, &target, &progress);
    progress.clear();
    let moved = moved?;
    match context.output.is_json() {
        true => context.output.value(&serde_json::to_value(&moved)?),
        false => context.output.note(&format!(
            "{} documents moved, {} were there; {} compared, {} vectors; at {}",
            moved.documents,
            moved.known,
            moved.compared,
            moved.vectors,
            dir.display()
        )),
    }
    Ok(0)
}

//! `backup` and `restore`.

use super::Context;
use crate::cli::progress::Progress;
use serde_json::json;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use tabletalk::{Counts, Error, Result, open};

pub fn backup(context: &Context<'_>, file: &Path) -> Result<u8> {
    let library = context.library()?;
    if file == Path::new("-") {
        library.backup(std::io::stdout().lock())?;
        return Ok(0);
    }
    let out =
        File::create_new(file).map_err(|e| Error::input(format!("cannot write {}: {e}", file.display())))?;
    if let Err(e) = library.backup(BufWriter::new(out)) {
        // Half a backup is none.
        let _ = std::fs::remove_file(file);
        return Err(e);
    }
    let size = std::fs::metadata(file)?.len();
    match context.output.is_json() {
        true => context.output.value(&json!({"file": file, "bytes": size})),
        false => context.output.note(&format!("{} ({})", file.display(), indicatif::HumanBytes(size))),
    }
    Ok(0)
}

pub fn restore(context: &Context<'_>, file: &Path) -> Result<u8> {
    let dir = context.library_dir();
    let packed = File::open(file).map_err(|e| Error::from(e).at(file.display()))?;
    tabletalk::backup::restore(BufReader::new(packed), &dir)?;
    let library = open(&context.config, &dir, false)?;
    let progress = Progress::new(context.output.shows_progress());
    let fresh = library.refresh(&progress);
    progress.clear();
    fresh?;
    let Counts { documents, tables, rows, .. } = library.counts()?;
    match context.output.is_json() {
        true => context.output.value(&json!({"documents": documents, "tables": tables, "rows": rows})),
        false => context
            .output
            .note(&format!("{documents} documents, {tables} tables, {rows} rows at {}", dir.display())),
    }
    Ok(0)
}

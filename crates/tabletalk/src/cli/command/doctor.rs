//! `doctor`.

use super::Context;
use crate::cli::progress::Progress;
use serde_json::json;
use tabletalk::Result;

pub fn run(context: &Context<'_>, repair: bool) -> Result<u8> {
    let library = context.library()?;
    let progress = Progress::new(context.output.shows_progress());
    let findings = library.doctor(repair, &progress);
    progress.clear();
    let findings = findings?;
    let open = findings.iter().filter(|f| !f.repaired).count();
    if context.output.is_json() {
        context.output.value(&json!({"findings": findings, "sound": open == 0}));
    } else {
        for f in &findings {
            let end = if f.repaired { " (repaired)" } else { "" };
            context.output.text(&format!("{}: {}{end}", f.part, f.problem));
        }
        context.output.note(match (findings.is_empty(), open, repair) {
            (true, _, _) => "the library is sound",
            (false, 0, _) => "everything was repaired",
            (false, _, false) => "run `tabletalk doctor --repair` to mend what can be made again",
            (false, _, true) => "what is left cannot be made again from the library: add the files again",
        });
    }
    Ok(if open == 0 { 0 } else { 1 })
}

//! `eval everyday`: questions and statements about single files.

use super::Context;
use crate::cli::args::EverydayArgs;
use crate::cli::progress::Progress;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use tabletalk::Result;
use tabletalk_eval::everyday::{self, Came, Everyday};

pub(super) fn measure(context: &Context<'_>, args: &EverydayArgs) -> Result<u8> {
    let progress = Progress::new(context.output.shows_progress());
    everyday::check(&args.folder)?;
    let questions = everyday::questions(&context.config, &args.folder, &progress)?;
    let has_statements = args.folder.join("statements.jsonl").exists();
    let statements = match has_statements {
        true => everyday::statements(&context.config, &args.folder, &progress)?,
        false => Everyday::default(),
    };
    progress.clear();
    match context.output.is_json() {
        true => context.output.value(&json!({
            "questions": figures(&questions), "statements": figures(&statements),
            "cases": args.each.then(|| json!({"questions": questions.cases, "statements": statements.cases})),
        })),
        false => context
            .output
            .text(&(said("questions", &questions, args.each) + &said("statements", &statements, args.each))),
    }
    Ok(0)
}

fn figures(of: &Everyday) -> serde_json::Value {
    json!({
        "asked": of.cases.len(),
        "right": of.count(Came::Right),
        "silent": of.count(Came::Silent),
        "wrong": of.count(Came::Wrong),
        "stopped": of.count(Came::Stopped),
        "right_of_answerable": of.right_of_answerable(),
        "reliability": of.reliability(),
    })
}

fn said(what: &str, of: &Everyday, each: bool) -> String {
    let mut text = String::new();
    if of.cases.is_empty() {
        return text;
    }
    let (right, silent, wrong) = (of.count(Came::Right), of.count(Came::Silent), of.count(Came::Wrong));
    let _ = writeln!(
        text,
        "{} {what}: {right} right, {silent} silent, {wrong} wrong ({:.1} %)",
        of.cases.len(),
        of.wrong() * 100.0
    );
    if of.count(Came::Stopped) > 0 {
        let _ = writeln!(
            text,
            "{} were stopped by a limit; these figures do not hold on this machine",
            of.count(Came::Stopped)
        );
    }
    let _ = writeln!(text, "right of those that have an answer: {:.1} %", of.right_of_answerable() * 100.0);
    let _ = writeln!(text, "\n{:<28}{:>7}{:>8}{:>7}", "kind", "right", "silent", "wrong");
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for case in &of.cases {
        if let Some(slot) = kinds.entry(&case.kind).or_default().get_mut(case.came as usize) {
            *slot += 1;
        }
    }
    for (kind, [right, silent, wrong]) in kinds {
        let _ = writeln!(text, "{kind:<28}{right:>7}{silent:>8}{wrong:>7}");
    }
    let _ = writeln!(text, "\n{:<10}{:>8}{:>8}{:>8}", "said", "answers", "right", "share");
    for (_, tenth) in of.reliability() {
        let share = tenth.right as f64 / tenth.answers.max(1) as f64;
        let _ = writeln!(text, "{:<10.2}{:>8}{:>8}{share:>8.2}", tenth.said, tenth.answers, tenth.right);
    }
    for case in of.cases.iter().filter(|c| each && c.came != Came::Right) {
        let wanted = serde_json::to_string(&case.wanted).unwrap_or_default();
        let _ = writeln!(
            text,
            "{:?} {} [{}] {}\n    wanted {wanted}, given {} ({:.2}; {})",
            case.came, case.id, case.kind, case.text, case.given, case.confidence, case.program
        );
    }
    text.push('\n');
    text
}

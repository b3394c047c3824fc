//! `ask`, `verify` and `conversations`.

use super::Context;
use crate::cli::args::Ask;
use serde_json::json;
use std::fmt::Write as _;
use tabletalk::answer::{Answer, Basis, Grid, Outcome, Program, Step, Verdict};
use tabletalk::{Asking, Library, Result, view};

/// Citations that are shown without `--explain`.
const SHOWN_CITATIONS: usize = 6;
/// Rows of a result that are shown.
const SHOWN_ROWS: usize = 10;
/// The most characters of a citation's text that are shown.
const SHOWN_CHARS: usize = 160;

pub fn run(context: &Context<'_>, args: &Ask) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let streams = context.output.shows_progress() && !context.output.is_json();
    let mut written = String::new();
    let answer = library.ask(&asking(args), &mut |text| {
        if streams {
            written.push_str(text);
            context.output.stream(text);
        }
    })?;
    if !written.is_empty() {
        context.output.note("\n");
    }
    show(context, &library, args, &answer);
    Ok(if answer.outcome == Outcome::Answered { 0 } else { 1 })
}

pub fn verify(context: &Context<'_>, args: &Ask) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let answer = library.verify(&asking(args), &mut |_| {})?;
    show(context, &library, args, &answer);
    Ok(if answer.verdict == Some(Verdict::Supported) { 0 } else { 1 })
}

pub fn conversations(context: &Context<'_>) -> Result<u8> {
    let all = context.library()?.store().catalog()?.conversations()?;
    match context.output.is_json() {
        true => context.output.value(&json!({ "conversations": all })),
        false => {
            let line = |c: &tabletalk::store::Conversation| {
                format!("{}  {:>3} turns  {}\n", c.id, c.turns, c.question)
            };
            context.output.text(&all.iter().map(line).collect::<String>());
        }
    }
    Ok(0)
}

fn asking(args: &Ask) -> Asking {
    Asking {
        text: args.question.join(" "),
        mode: args.mode,
        conversation: args.conversation.clone(),
        tables: args.tables.clone(),
        filters: args.filters.clone(),
        samples: args.samples,
        passages: args.passages.clone(),
        no_model: args.no_model,
        ..Asking::default()
    }
}

fn show(context: &Context<'_>, library: &Library, args: &Ask, answer: &Answer) {
    match context.output.is_json() {
        true => context.output.value(&view::answer(answer)),
        false => context.output.text(&text_of(library, answer, args.explain, context.output.is_terminal())),
    }
}

fn text_of(library: &Library, answer: &Answer, explain: bool, bold: bool) -> String {
    let mut text = headline(answer, bold);
    if answer.outcome == Outcome::Clarify {
        for reading in &answer.readings {
            let _ = writeln!(text, "  - {} (in {}): {}", reading.words, reading.table, reading.answer);
        }
    }
    if let Some(program) = &answer.program {
        text.push_str(&program_text(program));
    }
    text.push_str(&citations_text(answer, explain));
    if let Some(id) = &answer.conversation {
        let _ = writeln!(text, "\nconversation {id}");
    }
    if explain {
        text.push_str(&trace_text(&answer.trace));
        let u = &answer.usage;
        if u.calls + u.cached > 0 {
            let _ = writeln!(
                text,
                "model: {} calls, {} from the cache, {} tokens read, {} written",
                u.calls, u.cached, u.prompt_tokens, u.completion_tokens
            );
        }
    } else if answer.outcome != Outcome::Answered && !library.has_model() {
        text.push_str(
            "\nThis was answered without a language model; see docs/answers.md to configure one.\n",
        );
    }
    text
}

fn headline(answer: &Answer, bold: bool) -> String {
    let strong = |text: &str| if bold { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() };
    let sure = format!("{:.0} % sure", answer.confidence * 100.0);
    match (answer.verdict, answer.outcome) {
        (Some(verdict), _) => format!("{} ({sure})\n{}\n", strong(verdict.name()), answer.answer),
        (None, Outcome::Answered) => format!("{}  ({sure})\n", strong(&answer.answer)),
        (None, Outcome::Clarify) => format!("{}\n", strong(&answer.answer)),
        (None, Outcome::Unknown) if answer.basis == Basis::Passages && !answer.citations.is_empty() => {
            format!("{}\n{}\n", strong("not known"), answer.answer)
        }
        (None, Outcome::Unknown) => format!("{}: {}\n", strong("not known"), answer.answer),
    }
}

fn program_text(program: &Program) -> String {
    let mut text = String::new();
    if !program.words.is_empty() {
        let _ = writeln!(text, "\n{}", program.words);
    }
    let _ = writeln!(text, "computed over {} of {} rows", program.rows_read, program.rows_total);
    for line in program.sql.lines() {
        let _ = writeln!(text, "  {line}");
    }
    if program.result.rows.len() > 1 || program.result.columns.len() > 1 {
        text.push_str(&grid_text(&program.result));
    }
    text
}

fn grid_text(grid: &Grid) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(&grid.columns);
    for row in grid.rows.iter().take(SHOWN_ROWS) {
        table.add_row(row);
    }
    let more = grid.rows.len().saturating_sub(SHOWN_ROWS);
    let rest = if more > 0 || grid.truncated { format!("… {more} more rows\n") } else { String::new() };
    format!("{table}\n{rest}")
}

fn citations_text(answer: &Answer, all: bool) -> String {
    let most = if all { usize::MAX } else { SHOWN_CITATIONS };
    let mut text = String::new();
    for (i, citation) in answer.citations.iter().take(most).enumerate() {
        let _ = writeln!(text, "[{}] {}  {}", i + 1, citation.place, short(&citation.text));
    }
    let more = answer.citations.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(text, "and {more} more places (--explain shows them)");
    }
    text
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

fn trace_text(trace: &[Step]) -> String {
    let mut text = "\nsteps\n".to_owned();
    for step in trace {
        let _ = writeln!(text, "  {:<10} {:>8.1} ms", step.step, step.ms);
        for (name, value) in &step.about {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            for (i, line) in value.lines().enumerate() {
                let label = if i == 0 { name.as_str() } else { "" };
                let _ = writeln!(text, "    {label:<10} {line}");
            }
        }
    }
    text
}

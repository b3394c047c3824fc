//! `ask` and `verify`.

use super::Context;
use crate::cli::args::Ask;
use std::fmt::Write as _;
use tabletalk::answer::{Answer, Citation, Grid, NearTable, Outcome, Program, Reading, Step, Verdict};
use tabletalk::{AskRequest, Error, Library, Result, chart, view};

/// Citations that are shown without `--explain`.
const SHOWN_CITATIONS: usize = 6;
/// Ranges of cells that are named on one line.
const SHOWN_PLACES: usize = 8;
/// Columns of a table that are named.
const SHOWN_COLUMNS: usize = 8;
/// Rows of a result that are shown.
const SHOWN_ROWS: usize = 20;
/// The most characters of a citation's text that are shown.
const SHOWN_CHARS: usize = 160;

pub fn run(context: &Context<'_>, args: &Ask) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let streams = context.output.shows_progress() && !context.output.is_json();
    let mut written = String::new();
    let answer = library.ask(&request(args), &mut |text| {
        if streams {
            written.push_str(text);
            context.output.stream(text);
        }
    })?;
    if !written.is_empty() {
        context.output.note("\n");
    }
    show(context, &library, args, &answer);
    chart(context, args, &answer)?;
    Ok(if answer.outcome == Outcome::Answered { 0 } else { 1 })
}

pub fn verify(context: &Context<'_>, args: &Ask) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let answer = library.verify(&request(args), &mut |_| {})?;
    show(context, &library, args, &answer);
    Ok(if answer.verdict == Some(Verdict::Supported) { 0 } else { 1 })
}

/// Columns of a terminal that does not say how many it has.
const WIDE: usize = 80;

/// Draws the result of an answer, for the terminal or into a file.
fn chart(context: &Context<'_>, args: &Ask, answer: &Answer) -> Result<()> {
    let Some(file) = &args.chart else { return Ok(()) };
    let program = answer.program.as_ref();
    let Some(drawn) = program.and_then(|p| chart::of(&p.result, args.shape)) else {
        context
            .output
            .note("note: this result has nothing to draw: a chart needs two rows, groups and numbers");
        return Ok(());
    };
    if file.as_os_str() == "-" {
        let width = comfy_table::Table::new().width().map_or(WIDE, usize::from).clamp(40, 120);
        if !context.output.is_json() {
            context.output.text(&format!("\n{}", drawn.text(width)));
        }
        return Ok(());
    }
    let title = program.map_or("", |p| p.words.as_str());
    std::fs::write(file, drawn.svg(title, chart::Theme::Light))
        .map_err(|e| Error::from(e).at(file.display()))?;
    context.output.note(&format!("drawn in {}", file.display()));
    Ok(())
}

fn request(args: &Ask) -> AskRequest {
    AskRequest { question: args.question.join(" "), ..args.request.clone() }
}

fn show(context: &Context<'_>, library: &Library, args: &Ask, answer: &Answer) {
    match context.output.is_json() {
        true => context.output.value(&view::answer(answer)),
        false => context.output.text(&text_of(library, answer, args.explain, context.output.is_terminal())),
    }
    if let Some(notice) = &answer.notice {
        context.output.note(&format!("note: {notice}"));
    }
}

fn text_of(library: &Library, answer: &Answer, explain: bool, bold: bool) -> String {
    let mut text = headline(answer, bold);
    text.push_str(&readings_text(&answer.readings, answer.outcome));
    if answer.remembered {
        text.push_str("read as you chose before\n");
    }
    if let Some(program) = &answer.program {
        text.push_str(&program_text(program));
    }
    text.push_str(&citations_text(answer, explain));
    text.push_str(&nearest_text(&answer.nearest));
    if let Some(id) = &answer.conversation {
        let _ = writeln!(text, "\nconversation {id}");
    }
    if explain {
        text.push_str(&trace_text(&answer.trace));
        text.push_str(&usage_text(answer));
    } else if answer.outcome == Outcome::Unknown && !library.has_model() {
        text.push_str("\nA language model would answer more; `tabletalk model` finds one and connects it.\n");
    }
    text
}

fn usage_text(answer: &Answer) -> String {
    let u = &answer.usage;
    if u.calls + u.cached == 0 {
        return String::new();
    }
    format!(
        "model: {} calls, {} from the cache, {} tokens read, {} written\n",
        u.calls, u.cached, u.prompt_tokens, u.completion_tokens
    )
}

/// The readings to choose from, numbered.
fn readings_text(readings: &[Reading], outcome: Outcome) -> String {
    if readings.is_empty() || outcome == Outcome::Answered {
        return String::new();
    }
    let is_asked = outcome == Outcome::Clarify;
    let mut text = if is_asked { String::new() } else { "\nDid you mean:\n".to_owned() };
    let tables: std::collections::HashSet<&str> = readings.iter().map(|r| r.table.as_str()).collect();
    for (i, reading) in readings.iter().enumerate() {
        let table = if tables.len() > 1 { format!(" ({})", reading.table) } else { String::new() };
        let gives =
            if reading.answer.is_empty() { String::new() } else { format!(": {}", short(&reading.answer)) };
        let _ = writeln!(text, "  {}. {}{table}{gives}", i + 1, reading.words);
    }
    text.push_str("Ask again with --choose and its number; the choice is remembered.\n");
    text
}

/// The tables that the question may have been about.
fn nearest_text(nearest: &[NearTable]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    let width = nearest.iter().map(|t| t.table.chars().count()).max().unwrap_or(0);
    let mut text = "\nNearest tables:\n".to_owned();
    for near in nearest {
        let pad = " ".repeat(width - near.table.chars().count());
        let more = if near.columns.len() > SHOWN_COLUMNS { ", …" } else { "" };
        let columns: Vec<&str> = near.columns.iter().take(SHOWN_COLUMNS).map(String::as_str).collect();
        let _ = writeln!(text, "  {}{pad}  {}{more} ({} rows)", near.table, columns.join(", "), near.rows);
    }
    text
}

fn headline(answer: &Answer, bold: bool) -> String {
    let strong = |text: &str| if bold { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() };
    let sure = format!("{:.0} % sure", answer.confidence * 100.0);
    match (answer.verdict, answer.outcome) {
        (Some(verdict), Outcome::Answered) => format!("{}  ({sure})\n", strong(verdict.name())),
        (Some(verdict), _) => format!("{}: {}\n", strong(verdict.name()), answer.answer),
        (None, Outcome::Answered) if is_table(answer) => {
            let words = answer.program.as_ref().map_or("", |p| p.words.as_str());
            format!("{}  ({sure})\n", strong(words))
        }
        (None, Outcome::Answered) if answer.answer.contains('\n') => {
            format!("{}\n({sure})\n", strong(&answer.answer))
        }
        (None, Outcome::Answered) => format!("{}  ({sure})\n", strong(&answer.answer)),
        (None, Outcome::Clarify) => format!("{}\n", strong(&answer.answer)),
        (None, Outcome::Unknown) => format!("{}: {}\n", strong("not known"), answer.answer),
    }
}

/// Whether an answer only says the rows of its table one after the other: they are better looked at.
fn is_table(answer: &Answer) -> bool {
    let Some(program) = &answer.program else { return false };
    let first = program.result.rows.first().map(|row| row.join(": ")).unwrap_or_default();
    let is_rows = answer.verdict.is_none() && answer.answer.starts_with(&first);
    is_rows && !program.words.is_empty() && program.result.rows.len() > 1 && program.result.columns.len() > 1
}

fn program_text(program: &Program) -> String {
    let mut text = String::new();
    let is_table = program.result.rows.len() > 1 && program.result.columns.len() > 1;
    if is_table {
        text.push_str(&grid_text(program));
    } else if !program.words.is_empty() {
        let _ = writeln!(text, "\n{}", program.words);
    }
    let (read, total, used) = (program.rows_read, program.rows_total, program.rows_used);
    let rests = if used < read { format!("; the answer rests on {used} of them") } else { String::new() };
    let _ = writeln!(text, "computed over {read} of {total} rows{rests}");
    for line in program.sql.lines() {
        let _ = writeln!(text, "  {line}");
    }
    if program.cut && !is_table {
        let _ = writeln!(text, "{}", cut(program));
    }
    text
}

fn cut(program: &Program) -> String {
    format!("The result was cut at {} rows: there are more.", program.rows_given)
}

fn grid_text(program: &Program) -> String {
    use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
    let line = LineStyle::none().fill('─').junction('─');
    let grid = &program.result;
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(line));
    table.set_header(&grid.columns);
    for row in grid.rows.iter().take(SHOWN_ROWS) {
        table.add_row(row);
    }
    let more = program.rows_given.saturating_sub(SHOWN_ROWS as u64);
    if more > 0 {
        table.add_row([format!("… {more} more")]);
    }
    if !grid.total.is_empty() {
        table.add_row(&grid.total);
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        if is_numbers(grid, i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let end = if program.cut { format!("{}\n", cut(program)) } else { String::new() };
    format!("\n{table}\n\n{end}")
}

fn is_numbers(grid: &Grid, column: usize) -> bool {
    let is_number = |row: &Vec<String>| {
        row.get(column)
            .is_some_and(|cell| cell.is_empty() || cell.trim_end_matches('%').parse::<f64>().is_ok())
    };
    grid.rows.iter().all(is_number)
}

/// What an answer rests on, a line for each column of cells, or for each row or passage.
fn citations_text(answer: &Answer, all: bool) -> String {
    let lines = lines(&answer.citations);
    let most = if all { usize::MAX } else { SHOWN_CITATIONS };
    let mut text = String::new();
    if answer.outcome != Outcome::Answered && !lines.is_empty() {
        let is_row = |c: &Citation| c.place.rows.is_some() && c.place.cols.is_some();
        let are_rows = answer.citations.iter().all(is_row);
        text.push_str(if are_rows { "\nNearest rows:\n" } else { "\nNearest passages and rows:\n" });
    }
    for line in lines.iter().take(most) {
        let _ = writeln!(text, "{line}");
    }
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(text, "and {more} more places (--explain shows them)");
    }
    text
}

/// Cells of one column stand on one line: `orders.csv!A2:A3, A15  1000; 1001; 1013`.
fn lines(citations: &[Citation]) -> Vec<String> {
    let column = |c: &Citation| (c.id.clone(), c.place.cols.filter(|(a, b)| a == b));
    let mut lines = Vec::new();
    let mut left: &[Citation] = citations;
    let mut number = 1;
    while let Some(first) = left.first() {
        let same = |c: &&Citation| column(c).1.is_some() && column(c) == column(first);
        let count = left.iter().take_while(same).count().max(1);
        let (run, rest) = left.split_at(count);
        let place = |c: &Citation| c.place.to_string();
        let cell =
            |c: &Citation| place(c).rsplit_once('!').map_or_else(|| place(c), |(_, cell)| cell.to_owned());
        let places: Vec<String> =
            std::iter::once(place(first)).chain(run.iter().skip(1).map(cell)).take(SHOWN_PLACES).collect();
        let texts: Vec<&str> = run.iter().map(|c| c.text.as_str()).collect();
        let more = if run.len() > SHOWN_PLACES { ", …" } else { "" };
        lines.push(format!("[{number}] {}{more}  {}", places.join(", "), short(&texts.join("; "))));
        (left, number) = (rest, number + count);
    }
    lines
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

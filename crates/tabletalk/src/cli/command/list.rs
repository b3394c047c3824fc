//! `docs`, `tables`, `groups`, `config`.

use super::Context;
use crate::cli::args::Page;
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};
use tabletalk::store::{Record, StoredTable};
use tabletalk::{Error, Result, view};

pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header.to_vec());
    table
}

/// All of these, as far as `page` wants them.
fn collect<T>(
    page: &Page,
    name: impl Fn(&T) -> &str,
    all: impl Iterator<Item = Result<T>>,
) -> Result<Vec<T>> {
    let is_wanted =
        |entry: &T| page.containing.as_ref().is_none_or(|part| name(entry).contains(part.as_str()));
    let most = if page.limit > 0 { page.limit } else { usize::MAX };
    all.filter(|entry| entry.as_ref().map_or(true, is_wanted)).take(most).collect()
}

pub fn docs(context: &Context<'_>, page: &Page) -> Result<u8> {
    let library = context.library_now()?;
    let records = collect(page, |r: &Record| r.name.as_str(), library.every_document())?;
    if context.output.is_json() {
        let documents: Vec<Value> = records.iter().map(view::record).collect();
        context.output.value(&json!({ "documents": documents }));
        return Ok(0);
    }
    let mut out = table(&["id", "name", "tables", "rows", "rejected"]);
    for r in &records {
        let rejected = r.report.rows_in.saturating_sub(r.report.rows_indexed);
        out.add_row([
            r.id.clone(),
            r.name.clone(),
            r.tables.to_string(),
            r.report.rows_indexed.to_string(),
            rejected.to_string(),
        ]);
    }
    context.output.text(&out.to_string());
    Ok(0)
}

pub fn tables(context: &Context<'_>, page: &Page) -> Result<u8> {
    let library = context.library_now()?;
    let stored = collect(page, |t: &StoredTable| t.name.as_str(), library.every_table())?;
    if context.output.is_json() {
        let tables: Vec<Value> = stored.iter().map(view::table).collect();
        context.output.value(&json!({ "tables": tables }));
        return Ok(0);
    }
    let mut out = table(&["name", "rows", "columns", "place", "title"]);
    for t in &stored {
        let names: Vec<&str> = t.table.columns.iter().map(|c| c.name.as_str()).collect();
        out.add_row([
            t.name.clone(),
            rows_of(t),
            shorten(&names.join(", "), 60),
            t.table.place.to_string(),
            shorten(t.table.title(), 40),
        ]);
    }
    context.output.text(&out.to_string());
    Ok(0)
}

/// How many rows a table has. Of one that lives in a database it is said how many are kept here.
fn rows_of(t: &StoredTable) -> String {
    match &t.table.home {
        Some(home) if home.is_sampled() => {
            let about = if home.is_counted { "" } else { "about " };
            format!("{about}{}, {} sampled", home.rows, home.sampled)
        }
        _ => t.rows.to_string(),
    }
}

pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

pub fn groups(context: &Context<'_>) -> Result<u8> {
    let groups = view::groups(&context.library_now()?)?;
    if context.output.is_json() {
        context.output.value(&json!({ "groups": groups }));
        return Ok(0);
    }
    let mut out = table(&["group", "parent", "made by", "nodes"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for group in &groups {
        let made_by = describe(&group["transform"]);
        out.add_row([text(&group["name"]), text(&group["parent"]), made_by, group["nodes"].to_string()]);
    }
    context.output.text(&out.to_string());
    Ok(0)
}

fn describe(transform: &Value) -> String {
    let kind = transform["type"].as_str().unwrap_or_default();
    match (transform["length"].as_u64(), transform["pattern"].as_str()) {
        (Some(length), _) => format!("{kind} {length}/{}", transform["overlap"]),
        (_, Some(pattern)) => format!("{kind} {pattern}"),
        _ => kind.to_owned(),
    }
}

pub fn config(context: &Context<'_>) -> Result<u8> {
    match context.output.is_json() {
        true => context.output.value(&serde_json::to_value(&context.config)?),
        false => {
            let text = toml::to_string_pretty(&context.config).map_err(|e| Error::bug(e.to_string()))?;
            context.output.text(&text);
        }
    }
    Ok(0)
}

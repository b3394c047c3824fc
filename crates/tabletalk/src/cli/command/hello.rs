//! `tabletalk` alone: what there is here, and what to try.

use super::Context;
use super::add::plural;
use serde_json::{Value, json};
use std::path::Path;
use tabletalk::config::find_above;
use tabletalk::{Counts, Library, Result, files};

/// Endings that are named; the others are counted.
const NAMED: usize = 5;

pub fn run(context: &Context<'_>) -> Result<u8> {
    let has_library = context.global.library.is_some() || find_above(super::LIBRARY).is_some();
    let (text, value) = match has_library {
        true => known(&context.library()?)?,
        false => new(&files::glance(Path::new("."))),
    };
    match context.output.is_json() {
        true => context.output.value(&value),
        false => context.output.text(&format!("{text}\n`tabletalk --help` lists every command.\n")),
    }
    Ok(0)
}

/// A folder without a library.
fn new(found: &[(String, usize)]) -> (String, Value) {
    let files: usize = found.iter().map(|(_, n)| n).sum();
    let types: serde_json::Map<String, Value> =
        found.iter().map(|(ending, n)| (ending.clone(), json!(n))).collect();
    let value = json!({"library": null, "files": files, "types": types});
    if files == 0 {
        let text = "tabletalk answers questions about tables and documents. There are none in this folder.\n\n  \
                    tabletalk add PATH      add files or folders, wherever they are\n  \
                    tabletalk serve         a page in the browser, onto which files can be dropped\n";
        return (text.to_owned(), value);
    }
    let mut kinds: Vec<String> =
        found.iter().take(NAMED).map(|(ending, n)| format!("{n} .{ending}")).collect();
    if found.len() > NAMED {
        kinds.push("others".into());
    }
    let text = format!(
        "{} in this folder can be read ({}). Nothing was read yet, and nothing will be changed.\n\n  \
         tabletalk add .                             read them into a library, kept in .tabletalk here\n  \
         tabletalk ask --from . \"how many … ?\"       ask at once; the library is kept elsewhere\n  \
         tabletalk serve                             the same in a browser\n",
        plural(files as u64, "file"),
        kinds.join(", ")
    );
    (text, value)
}

/// A folder with a library.
fn known(library: &Library) -> Result<(String, Value)> {
    let Counts { documents, tables, rows, .. } = library.counts()?;
    let question = question(library)?;
    let dir = library.dir().display().to_string();
    let value =
        json!({"library": dir, "documents": documents, "tables": tables, "rows": rows, "try": question});
    let mut text = format!(
        "{dir}: {}, {}, {}.\n\n  tabletalk ask {:<34} answer a question, with the cells it rests on\n",
        plural(documents, "document"),
        plural(tables, "table"),
        plural(rows, "row"),
        format!("{question:?}"),
    );
    text.push_str("  tabletalk tables                                 what there is\n");
    text.push_str("  tabletalk serve                                  the same in a browser\n");
    if !library.has_model() {
        text.push_str(
            "  tabletalk model                                  find a language model for harder questions\n",
        );
    }
    Ok((text, value))
}

/// A question that fits one of the tables.
fn question(library: &Library) -> Result<String> {
    let tables = library.tables(0, 40)?;
    let numbers = tables.iter().filter(|t| t.rows > 2).flat_map(|t| &t.table.columns);
    let is_plain = |name: &str| name.chars().count() <= 20 && !name.contains(['/', '(']);
    let column =
        numbers.filter(|c| matches!(c.kind.name(), "integer" | "decimal")).find(|c| is_plain(&c.name));
    Ok(column.map_or_else(
        || "how many rows are there?".to_owned(),
        |c| format!("what is the average {}?", c.name),
    ))
}

//! `tables --relations`, `relate`: which columns name rows of other tables.

use super::Context;
use super::list::table;
use crate::cli::args::{Page, Relate};
use serde_json::json;
use tabletalk::Result;

/// Lists the foreign keys.
pub fn list(context: &Context<'_>, page: &Page) -> Result<u8> {
    let mut keys = context.library_now()?.foreign_keys()?;
    if let Some(part) = &page.containing {
        keys.retain(|k| k.table.contains(part.as_str()) || k.to_table.contains(part.as_str()));
    }
    if page.limit > 0 {
        keys.truncate(page.limit);
    }
    if context.output.is_json() {
        context.output.value(&json!({ "relations": keys }));
        return Ok(0);
    }
    if keys.is_empty() {
        context.output.text("no column was found to name rows of another table");
        return Ok(0);
    }
    let mut out = table(&["column", "names rows of", "by", "found there"]);
    for key in &keys {
        let found = match key.said {
            true => "as you said".to_owned(),
            false => format!("{:.0} % of its values", 100.0 * key.share),
        };
        let column = format!("{}.{}", key.table, key.column);
        out.add_row([column, key.to_table.clone(), key.to_column.clone(), found]);
    }
    context.output.text(&out.to_string());
    Ok(0)
}

/// Keeps what a user says of a column.
pub fn relate(context: &Context<'_>, args: &Relate) -> Result<u8> {
    let library = context.library_now()?;
    match (&args.key, args.found) {
        (Some(key), _) => library.relate(&args.column, Some(key))?,
        (None, true) => library.unrelate(&args.column)?,
        (None, false) => library.relate(&args.column, None)?,
    }
    list(context, &Page { limit: 0, containing: None })
}

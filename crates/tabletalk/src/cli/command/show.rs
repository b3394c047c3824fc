//! `show`.

use super::Context;
use crate::cli::args::{Format, Show};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tabletalk::view::{self, Named};
use tabletalk::{Error, Library, Result};

pub fn run(context: &Context<'_>, args: &Show) -> Result<u8> {
    let library = context.library_now()?;
    let rows = if args.rows == 0 { usize::MAX } else { args.rows };
    let named = view::named(&library, &args.id)?;
    if args.format == Format::Png {
        return picture(context, &library, &named, args);
    }
    let text = match if context.output.is_json() { Format::Json } else { args.format } {
        Format::Md => view::Format::Md,
        Format::Html => view::Format::Html,
        Format::Csv => view::Format::Csv,
        Format::Json | Format::Png => {
            context.output.value(&value(&library, &named, rows, args.page)?);
            return Ok(0);
        }
    };
    context.output.text(&match &named {
        Named::Document(key) => view::document_text(&library, *key, text, rows, args.page)?,
        Named::Table(stored) => view::table_text(stored, text, rows)?,
        Named::Node(node) => format!("{}\n\n{}", node.place, node.text),
    });
    Ok(0)
}

fn value(library: &Library, named: &Named, rows: usize, page: Option<u32>) -> Result<Value> {
    match named {
        Named::Document(key) => view::document(library, *key, rows, page),
        Named::Table(stored) => view::full_table(stored, rows, None),
        Named::Node(node) => Ok(view::node(node)),
    }
}

/// Writes the picture of a page and says where it is.
fn picture(context: &Context<'_>, library: &Library, named: &Named, args: &Show) -> Result<u8> {
    let Named::Document(key) = named else {
        return Err(Error::input("only pages of documents have a picture"));
    };
    let page = args.page.unwrap_or(1);
    let picture = view::page(library, *key, page, true)?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => default_name(library, *key, page)?,
    };
    std::fs::write(&out, view::png(&picture)?)
        .map_err(|e| Error::input(format!("cannot write {}: {e}", out.display())))?;
    let (width, height) = (picture.width, picture.height);
    match context.output.is_json() {
        true => {
            context.output.value(&json!({"file": out, "page": page, "width": width, "height": height}));
        }
        false => context.output.text(&format!("{} ({width} × {height})\n", out.display())),
    }
    Ok(0)
}

fn default_name(library: &Library, key: i64, page: u32) -> Result<PathBuf> {
    let record = library.document_by_key(key)?;
    let name = record.map(|r| r.name).unwrap_or_default();
    let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(PathBuf::from(format!("{stem}-page-{page}.png")))
}

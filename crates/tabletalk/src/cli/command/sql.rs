//! `sql`.

use super::Context;
use crate::cli::args::{Rows, Sql};
use tabletalk::sql::{Cell, Ran};
use tabletalk::{Result, view};

pub fn run(context: &Context<'_>, args: &Sql) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let ran = library.sql(&args.statement)?;
    match (args.format, context.output.is_json()) {
        (_, true) | (Some(Rows::Json), _) => context.output.value(&view::ran(&ran)),
        (Some(Rows::Csv), _) => context.output.text(&csv_of(&ran)?),
        _ => {
            context.output.text(&table_of(&ran));
            context.output.note(&summary(&ran));
        }
    }
    Ok(0)
}

fn csv_of(ran: &Ran) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |e: csv::Error| tabletalk::Error::io(e.to_string());
    writer.write_record(ran.columns.iter().map(|c| c.name.as_str())).map_err(failed)?;
    for row in &ran.rows {
        writer.write_record(row.iter().map(Cell::to_string)).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|e| tabletalk::Error::io(e.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The rows as a table for the terminal, numbers to the right.
fn table_of(ran: &Ran) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(ran.columns.iter().map(|c| c.name.as_str()));
    for row in &ran.rows {
        table.add_row(row.iter().map(|cell| {
            let align = match cell {
                Cell::Integer(_) | Cell::Decimal(_) => comfy_table::CellAlignment::Right,
                _ => comfy_table::CellAlignment::Left,
            };
            comfy_table::Cell::new(cell).set_alignment(align)
        }));
    }
    format!("{table}\n")
}

fn summary(ran: &Ran) -> String {
    let cut = if ran.truncated { ", cut short" } else { "" };
    let rows = if ran.rows.len() == 1 { "1 row".to_owned() } else { format!("{} rows", ran.rows.len()) };
    format!("{rows}{cut}, computed over {} of {} rows in {:.1} ms", ran.rows_read, ran.rows_total, ran.ms)
}

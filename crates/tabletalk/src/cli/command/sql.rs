//! `sql`.

use super::Context;
use crate::cli::args::{Rows, Sql};
use serde_json::Value;
use tabletalk::sql::{Cell, Ran, Shipped};
use tabletalk::{Result, view};

pub fn run(context: &Context<'_>, args: &Sql) -> Result<u8> {
    let library = context.library_to_ask(args.from.as_deref())?;
    let ran = library.sql(&args.statement)?;
    match (args.format, context.output.is_json()) {
        (_, true) | (Some(Rows::Json), _) => context.output.value(&json_of(&ran, args.used)),
        (Some(Rows::Csv), _) => context.output.text(&csv_of(&ran)?),
        _ => {
            let most = if args.rows == 0 { usize::MAX } else { args.rows };
            context.output.text(&table_of(&ran, most));
            if args.explain {
                context.output.text(&explained(&ran.shipped));
            }
            context.output.note(&summary(&ran, most));
        }
    }
    Ok(0)
}

/// The rows behind a result may be a thousand numbers: they are listed when they are asked for.
fn json_of(ran: &Ran, used: bool) -> Value {
    let mut value = view::ran(ran);
    for relation in value["used"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if !used {
            relation.remove("rows");
            relation.remove("per_result");
        }
    }
    value
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

/// The first rows as a table for the terminal, numbers to the right.
fn table_of(ran: &Ran, most: usize) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(ran.columns.iter().map(|c| c.name.as_str()));
    for row in ran.rows.iter().take(most) {
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

fn summary(ran: &Ran, most: usize) -> String {
    let cut = if ran.truncated { ", cut short" } else { "" };
    let rows = if ran.rows.len() == 1 { "1 row".to_owned() } else { format!("{} rows", ran.rows.len()) };
    let left = ran.rows.len().saturating_sub(most);
    let shown =
        if left > 0 { format!(", the first {most} shown (--rows 0 shows all)") } else { String::new() };
    if let Some(whole) = ran.shipped.iter().find(|shipped| shipped.is_whole) {
        return format!("{rows}{cut}{shown}, computed in {} in {:.1} ms", whole.to, ran.ms);
    }
    let fetched = match ran.shipped.iter().map(|shipped| shipped.rows).sum::<u64>() {
        0 => String::new(),
        n => format!(", of which {n} were fetched"),
    };
    format!(
        "{rows}{cut}{shown}, computed over {} of {} rows{fetched} in {:.1} ms",
        ran.rows_read, ran.rows_total, ran.ms
    )
}

/// What ran where, and what came from there.
fn explained(shipped: &[Shipped]) -> String {
    if shipped.is_empty() {
        return "\nran here\n".to_owned();
    }
    let mut text = String::new();
    for one in shipped {
        let what = match one.of.as_str() {
            "" => "ran as a whole in".to_owned(),
            of => format!("ran here; rows of {of} came from"),
        };
        text.push_str(&format!("\n{what} {}\n  {}\n", one.to, one.sql));
        for (i, said) in one.texts.iter().enumerate() {
            text.push_str(&format!("  ${} is {said:?}\n", i + 1));
        }
        text.push_str(&format!(
            "  {} rows, {} bytes over the wire in {:.1} ms\n",
            one.rows, one.bytes, one.ms
        ));
        if let Some(why) = &one.why {
            text.push_str(&format!("  not run there as a whole because of {why}\n"));
        }
    }
    text
}

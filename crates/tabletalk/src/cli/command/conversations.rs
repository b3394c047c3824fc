//! `conversations` and `feedback`.

use super::Context;
use super::list::{shorten, table};
use crate::cli::args::{Conversations, Report, Rows};
use serde_json::json;
use tabletalk::store::Conversation;
use tabletalk::{Error, Result, export, report};

pub fn run(context: &Context<'_>, args: &Conversations) -> Result<u8> {
    let Some(id) = &args.id else { return list(context) };
    let library = context.library()?;
    if let Some(title) = &args.rename {
        library.call_conversation(None, id, title)?;
        context.output.note(&format!("{id} is called {title:?} now"));
        return Ok(0);
    }
    if args.forget {
        return match library.forget_conversation(None, id)? {
            true => Ok(0),
            false => Err(Error::missing(format!("there is no conversation `{id}`"))),
        };
    }
    let turns = library.turns(None, id)?;
    let named = library.conversations(None)?.into_iter().find(|c| c.id == *id);
    let title = named.map_or_else(|| id.clone(), |c| c.question);
    let words = report::Words::english(&turns);
    context.output.text(&match args.format {
        Report::Md => report::markdown(&title, &turns, &words),
        Report::Html => report::html(&title, &turns, &words),
    });
    Ok(0)
}

fn list(context: &Context<'_>) -> Result<u8> {
    let all = context.library()?.conversations(None)?;
    match context.output.is_json() {
        true => context.output.value(&json!({ "conversations": all })),
        false => {
            let line = |c: &Conversation| format!("{}  {:>3} turns  {}\n", c.id, c.turns, c.question);
            context.output.text(&all.iter().map(line).collect::<String>());
        }
    }
    Ok(0)
}

pub fn feedback(context: &Context<'_>, format: Rows) -> Result<u8> {
    let all = context.library()?.feedback()?;
    if context.output.is_json() || format == Rows::Json {
        context.output.value(&json!({ "feedback": all }));
        return Ok(0);
    }
    let names = ["right", "question", "answer", "read as", "table", "statement"];
    let rows: Vec<Vec<String>> = all
        .into_iter()
        .map(|f| {
            vec![if f.good { "yes" } else { "no" }.to_owned(), f.question, f.answer, f.words, f.table, f.sql]
        })
        .collect();
    if format == Rows::Csv {
        context.output.text(&export::csv(&names.map(str::to_owned), &rows));
        return Ok(0);
    }
    let mut out = table(&names[..5]);
    for row in &rows {
        out.add_row(row.iter().take(5).map(|cell| shorten(cell, 60)));
    }
    context.output.text(&out.to_string());
    Ok(0)
}

//! Questions with known answers, made from the tables of a library.

use crate::generate::{Col, Made, Sheet, Wish, accept, generate, paraphrase_prompt};
use tabletalk_core::chat::{Message, Wish as Reply};
use tabletalk_core::{Mark, Result};
use tabletalk_library::{Library, Watch};
use tabletalk_store::{StoredTable, data};

/// Rows that questions are made from; a table that has more is left out, since a count over a part is wrong.
const ROWS: u64 = 200_000;
/// Tables looked at in one go.
const PAGE: usize = 256;
/// The variety of paraphrases.
const TEMPERATURE: f32 = 0.7;
/// The most tokens of a paraphrase.
const TOKENS: u32 = 120;

/// Makes questions from all tables of a library.
pub fn questions(library: &Library, wish: &Wish) -> Result<Vec<Made>> {
    Ok(generate(&sheets(library)?, wish))
}

fn sheets(library: &Library) -> Result<Vec<Sheet>> {
    let mut sheets = Vec::new();
    let mut after = 0;
    loop {
        let page = library.store().catalog()?.tables(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(sheets) };
        after = last.key;
        for table in page.iter().filter(|table| table.rows <= ROWS) {
            sheets.push(sheet(table)?);
        }
    }
}

fn sheet(stored: &StoredTable) -> Result<Sheet> {
    let columns = &stored.table.columns;
    let mut rows = Vec::new();
    for batch in data::open(columns, &stored.data, None)? {
        let batch = batch?;
        for i in 0..batch.len() {
            let mark = batch.marks.get(i).copied().unwrap_or_default();
            if mark == Mark::Data {
                rows.push(batch.columns.iter().map(|cells| cells.text(i).into_owned()).collect());
            }
        }
    }
    let col = |c: &tabletalk_core::Column| Col { name: c.name.clone(), kind: c.kind, unit: c.unit.clone() };
    Ok(Sheet {
        id: if stored.source_id.is_empty() { stored.file.clone() } else { stored.source_id.clone() },
        name: stored.name.clone(),
        title: stored.table.title.as_ref().map(|t| t.text.clone()).unwrap_or_default(),
        columns: columns.iter().map(col).collect(),
        rows,
    })
}

/// The same questions in the words of the library's language model, where they still ask the same. How many were
/// tried, and those that can be used.
pub fn paraphrases(library: &Library, made: &[Made], watch: &dyn Watch) -> Result<Vec<Made>> {
    let chat = library.chat()?.ok_or_else(|| {
        tabletalk_core::Error::missing("no language model is configured")
            .hint("add a [chat] section to tabletalk.toml")
    })?;
    let mut all = Vec::new();
    for (i, original) in made.iter().enumerate() {
        if watch.stopped() {
            break;
        }
        watch.note(&format!("saying it in other words: {i} of {}", made.len()));
        let talk = [Message::user(paraphrase_prompt(&original.question, original.language))];
        let wish =
            Reply { temperature: TEMPERATURE, max_tokens: TOKENS, seed: Some(i as u64), ..Reply::default() };
        let reply = chat.chat(&talk, &wish, &mut |_| {})?;
        all.extend(accept(original, &reply.text));
    }
    Ok(all)
}

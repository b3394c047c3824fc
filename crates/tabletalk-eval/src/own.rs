//! Questions with known answers, made from the tables of a library.

use crate::generate::{Col, Made, Options, Sheet, accept, generate, paraphrase_prompt};
use std::collections::HashMap;
use tabletalk_core::Result;
use tabletalk_core::chat::{ChatOptions, Message};
use tabletalk_library::{Library, Watch};
use tabletalk_store::{StoredTable, data};

/// Rows that questions are made from; a table that has more is left out, since a count over a part is wrong.
const ROWS: u64 = 200_000;
/// The variety of paraphrases.
const TEMPERATURE: f32 = 0.7;
/// The most tokens of a paraphrase.
const TOKENS: u32 = 120;

/// Makes questions from all tables of a library.
pub fn questions(library: &Library, options: &Options) -> Result<Vec<Made>> {
    let tables = sheets(library)?;
    let mut places: HashMap<String, Vec<&[usize]>> = HashMap::new();
    for (sheet, rows) in &tables {
        places.entry(sheet.id.clone()).or_default().push(rows);
    }
    let sheets: Vec<Sheet> = tables.iter().map(|(sheet, _)| sheet.clone()).collect();
    let mut made = generate(&sheets, options);
    for one in &mut made {
        // Cells are said of the one table of a document; where there are several they would be misread.
        let rows = match one.relevant.first().and_then(|id| places.get(id)).map(Vec::as_slice) {
            Some([rows]) => *rows,
            _ => &[],
        };
        if rows.is_empty() {
            one.columns.clear();
        }
        let cells = one.cells.iter().filter_map(|(row, col)| Some((*rows.get(*row)?, *col)));
        one.cells = cells.collect();
    }
    Ok(made)
}

/// Tables, and for each of their rows its place among all rows of the table.
fn sheets(library: &Library) -> Result<Vec<(Sheet, Vec<usize>)>> {
    let is_small = |table: &Result<StoredTable>| table.as_ref().map_or(true, |table| table.rows <= ROWS);
    library.every_table().filter(is_small).map(|table| sheet(&table?)).collect()
}

fn sheet(stored: &StoredTable) -> Result<(Sheet, Vec<usize>)> {
    let columns = &stored.table.columns;
    let (mut rows, mut places, mut passed) = (Vec::new(), Vec::new(), 0);
    for batch in data::open(columns, &stored.data, None)? {
        let batch = batch?;
        for i in 0..batch.len() {
            if batch.mark(i).is_data() {
                rows.push(batch.columns.iter().map(|cells| cells.text(i).into_owned()).collect());
                places.push(passed + i);
            }
        }
        passed += batch.len();
    }
    let col = |c: &tabletalk_core::Column| Col { name: c.name.clone(), kind: c.kind, unit: c.unit.clone() };
    let sheet = Sheet {
        id: if stored.source_id.is_empty() { stored.file.clone() } else { stored.source_id.clone() },
        name: stored.name.clone(),
        title: stored.table.title.as_ref().map(|t| t.text.clone()).unwrap_or_default(),
        columns: columns.iter().map(col).collect(),
        rows,
    };
    Ok((sheet, places))
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
        let options = ChatOptions {
            temperature: TEMPERATURE,
            max_tokens: TOKENS,
            seed: Some(i as u64),
            ..ChatOptions::default()
        };
        let reply = chat.chat(&talk, &options, &mut |_| {})?;
        all.extend(accept(original, &reply.text));
    }
    Ok(all)
}

//! Which tables a question is near to: by how many of its words name a table or one of its columns.

use super::recall::Found;
use super::{Answering, Question};
use std::collections::HashSet;
use tabletalk_core::Result;
use tabletalk_core::answer::NearTable;
use tabletalk_store::StoredTable;

/// Tables that are shown.
const TABLES: usize = 3;
/// Columns of a table that are named.
const COLUMNS: usize = 12;

/// The tables that a question may have been about, the nearest first.
pub(super) fn near_tables(tables: &[Found], asked: &Question<'_>) -> Vec<NearTable> {
    nearest(tables, asked).iter().map(Near::shown).collect()
}

/// Some tables of the library, where none was found: one sees what can be asked about.
pub(super) fn some(context: &Answering<'_>) -> Result<Vec<NearTable>> {
    let tables = context.recall.library.catalog()?.tables(0, TABLES)?;
    Ok(tables.iter().map(|stored| Near { stored, overlap: 0 }.shown()).collect())
}

/// A table, and how near it is.
pub(super) struct Near<'a> {
    pub(super) stored: &'a StoredTable,
    /// How many words of the question name the table or one of its columns.
    pub(super) overlap: usize,
}

impl Near<'_> {
    pub(super) fn shown(&self) -> NearTable {
        let columns = &self.stored.table.columns;
        NearTable {
            table: self.stored.name.clone(),
            id: self.stored.id.clone(),
            document: self.stored.file.clone(),
            columns: columns.iter().take(COLUMNS).map(|c| c.name.clone()).collect(),
            rows: self.stored.rows,
        }
    }
}

/// The tables by how many words of the question they are named by, then as they were found.
pub(super) fn nearest<'a>(tables: &'a [Found], asked: &Question<'_>) -> Vec<Near<'a>> {
    let wanted = stems(asked.text);
    let mut all: Vec<(Near<'a>, f32)> = tables
        .iter()
        .map(|found| (Near { stored: &found.stored, overlap: overlap(&found.stored, &wanted) }, found.share))
        .collect();
    all.sort_by(|(a, p), (b, q)| b.overlap.cmp(&a.overlap).then(q.total_cmp(p)));
    // Where some are named, those that are not would only be in the way.
    let is_named = all.first().is_some_and(|(near, _)| near.overlap > 0);
    all.retain(|(near, _)| near.overlap > 0 || !is_named);
    all.into_iter().map(|(near, _)| near).take(TABLES).collect()
}

pub(super) fn overlap(stored: &StoredTable, wanted: &HashSet<String>) -> usize {
    let names = stored.table.columns.iter().map(|c| c.name.as_str());
    let mut own = HashSet::new();
    for name in names.chain([stored.name.as_str(), stored.table.title()]) {
        own.extend(stems(name));
    }
    own.intersection(wanted).count()
}

/// The words of a text without their endings, so that `orders` names `order id`; characters where words have no spaces.
pub(super) fn stems(text: &str) -> HashSet<String> {
    const SHORTEST: usize = 3;
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase);
    let stem = |word: String| match word.is_ascii() {
        true if word.len() > SHORTEST => vec![word.trim_end_matches('s').to_owned()],
        true => Vec::new(),
        false => {
            let letters: Vec<char> = word.chars().collect();
            letters.windows(2).map(|pair| pair.iter().collect()).collect()
        }
    };
    words.flat_map(stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_a_table_whatever_their_number() {
        assert!(stems("How many orders?").contains("order") && stems("order id").contains("order"));
        assert!(stems("销售额是多少").contains("销售"));
        assert!(!stems("What is it").contains("it"));
    }
}

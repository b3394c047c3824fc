//! Programs that decide a statement, one over each table that it may be about.

use crate::answer::recall::{Evidence, Found};
use crate::answer::show::grid;
use crate::answer::{Answering, Question};
use tabletalk_core::Result;
use tabletalk_question::{Subject, judge_with};

/// A statement as a program over one of the tables.
pub(crate) struct Statement<'a> {
    pub(crate) found: &'a Found,
    /// How likely its verdict is right.
    pub(crate) probability: f32,
    pub(crate) sql: String,
    pub(crate) words: String,
}

/// The statement over each table that it can be read over.
pub(crate) fn over_each<'a>(
    context: &Answering<'_>,
    asked: &Question<'_>,
    evidence: &'a Evidence,
) -> Result<Vec<Statement<'a>>> {
    let mut all = Vec::new();
    for found in &evidence.tables {
        let stored = &found.stored;
        let grid = grid::of(context, stored, asked.text)?;
        let subject = Subject { relation: &stored.name, title: stored.table.title(), grid: &grid };
        let Some(verdict) = judge_with(asked.text, &subject, context.locate)? else { continue };
        let (sql, words) = (verdict.program.sql(&subject), verdict.program.words(&grid));
        all.push(Statement { found, probability: verdict.probability, sql, words });
    }
    Ok(all)
}

//! Questions that follow others: `of those, which…`, `what about 2010?`.

use crate::candidate::Found;
use crate::execute;
use crate::program::{Ask, Program, Rows};
use serde::{Deserialize, Serialize};

/// An earlier question, as far as a later one builds on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// What was asked.
    pub question: String,
    /// How it was read.
    pub program: Program,
    /// The rows of the source that its answer stands in.
    pub rows: Vec<u64>,
}

/// Adds what the earlier program gives with a condition replaced or added by this question.
pub(crate) fn vary(found: &mut Found<'_>, turn: &Turn) {
    let Rows { within, conditions, pick, step, .. } = &turn.program.rows;
    let links: Vec<_> = found.links.iter().map(|l| l.condition.clone()).collect();
    let scopes: Vec<_> = found.scopes.iter().enumerate().filter(|(_, s)| s.spec.within.is_none()).collect();
    let single: Vec<(usize, usize)> = scopes
        .iter()
        .filter_map(|(i, s)| <[usize; 1]>::try_from(s.links.as_slice()).ok().map(|[l]| (*i, l)))
        .collect();
    for (scope, link) in single {
        let Some(new) = links.get(link) else { continue };
        let mut rows = Rows {
            within: within.clone(),
            conditions: conditions.clone(),
            pick: pick.clone(),
            step: *step,
            ..Rows::default()
        };
        match rows.conditions.iter_mut().find(|c| c.column == new.column) {
            Some(old) => *old = new.clone(),
            None if !conditions.is_empty() => rows.conditions.push(new.clone()),
            None => continue,
        }
        let selected = execute::select(&rows, found.grid);
        if !selected.is_empty() && turn.program.ask != Ask::Exists {
            found.push(scope, rows, &selected, selected.len(), turn.program.ask.clone());
        }
    }
}

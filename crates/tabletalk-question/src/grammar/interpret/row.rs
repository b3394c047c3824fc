//! What is asked of one row: its value, its rank, its total.

use super::Interpreter;
use crate::grammar::frame::Wh;
use crate::program::{Ask, Condition, Rows, Test};

impl Interpreter<'_> {
    /// The value beside the one label of a form that is named, whatever it is asked by: `who is the agent`.
    pub(super) fn beside_label(&self, rows: &Rows) -> Option<Ask> {
        let asks = [Wh::Who, Wh::When, Wh::Where, Wh::HowMany, Wh::HowMuch].iter().any(|wh| self.has(*wh));
        let frame = &self.frame;
        let is_plain = frame.keys.is_empty()
            && frame.superlatives.is_empty()
            && frame.sum.is_none()
            && frame.average.is_none()
            && !frame.share
            && !frame.difference
            && frame.columns.is_empty();
        let [Condition { column: 0, test: Test::Is(values) }] = rows.conditions.as_slice() else {
            return None;
        };
        if self.roles.labels.is_empty() || !asks || !is_plain || values.len() != 1 || !self.is_one(rows) {
            return None;
        }
        let value = self.selected(rows).first().and_then(|r| self.grid.at(1, *r))?;
        let fits = !self.has(Wh::HowMany) || value.text.starts_with(|c: char| c.is_ascii_digit());
        fits.then_some(Ask::Cells(1))
    }

    /// Which place a row takes by a column, the largest first.
    pub(super) fn rank(&mut self, rows: Rows) -> Option<(Rows, Ask)> {
        let is_plain = self.frame.sum.is_none() && self.frame.average.is_none() && !self.frame.share;
        if !is_plain || rows.conditions.len() != 1 || !self.is_one(&rows) || self.frame.superlatives.len() > 1
        {
            return None;
        }
        let column = self.keyed_measure().or_else(|| self.measure())?;
        let is_least = self.frame.superlatives.iter().any(|s| !s.most);
        Some((rows, Ask::Rank(column, !is_least)))
    }

    /// The column that is compared by where it was said as a key: `ranked by revenue`.
    fn keyed_measure(&mut self) -> Option<usize> {
        let [(_, key)] = self.frame.keys.as_slice() else { return None };
        let column = key.column;
        let is = key.period.is_none() && self.is_measure(column) && self.measures().is_empty();
        is.then_some(column)
    }

    /// A cell of a total or another computed row.
    pub(crate) fn computed_row(&mut self) -> Option<(Rows, Ask)> {
        let [row] = self.frame.marked.as_slice() else { return None };
        let marked = Rows { within: Some(vec![*row]), computed: true, ..Rows::default() };
        if let [superlative] = self.frame.superlatives.as_slice()
            && self.frame.conditions.is_empty()
            && self.frame.keys.is_empty()
        {
            let best = self.best_of_series(*superlative)?;
            return Some((marked, best));
        }
        if !self.frame.conditions.is_empty()
            || !self.frame.keys.is_empty()
            || !self.frame.superlatives.is_empty()
        {
            return None;
        }
        let rows = marked;
        let column = match self.measures().as_slice() {
            [only] => *only,
            [] => {
                let [only] = self.roles.measures.as_slice() else { return None };
                *only
            }
            _ => return None,
        };
        Some((rows, Ask::Cells(column)))
    }
}

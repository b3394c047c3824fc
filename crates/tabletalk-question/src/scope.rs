//! The sets of rows that a question may speak of: links combined, the likeliest first.

use crate::analyse::Question;
use crate::grid::Grid;
use crate::link::{Grade, Link};
use crate::mask::Mask;
use crate::program::Rows;

/// The most combinations that are looked at.
const MOST: usize = 48;
/// The most conditions of a combination.
const MOST_CONDITIONS: usize = 4;

/// A set of rows and the words of the question that say so.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub spec: Rows,
    pub rows: Vec<u32>,
    pub mask: Mask,
    /// The links it is made of, by their numbers.
    pub links: Vec<usize>,
    weight: f32,
}

/// Combinations of links that hold for some rows, those that explain most of the question first. All rows
/// are among them.
pub(crate) fn scopes(question: &Question, grid: &Grid, links: &[Link], within: Option<&[u64]>) -> Vec<Scope> {
    combine(question, grid, links, within, false)
}

/// The same, with combinations that hold for no row: what a wrong statement says.
pub(crate) fn claimed(question: &Question, grid: &Grid, links: &[Link]) -> Vec<Scope> {
    combine(question, grid, links, None, true)
}

fn combine(
    question: &Question,
    grid: &Grid,
    links: &[Link],
    within: Option<&[u64]>,
    empty: bool,
) -> Vec<Scope> {
    let spec = Rows { within: within.map(<[u64]>::to_vec), ..Rows::default() };
    let rows = crate::execute::select(&spec, grid);
    let mut found = vec![Scope { spec, rows, mask: 0, links: Vec::new(), weight: 0.0 }];
    for (i, link) in links.iter().enumerate() {
        let more: Vec<Scope> = found
            .iter()
            .filter_map(|scope| {
                joined(scope, i, link, links, question).filter(|s| empty || !s.rows.is_empty())
            })
            .collect();
        found.extend(more);
        keep(&mut found);
    }
    found
}

/// Keeps the best, and all rows.
fn keep(found: &mut Vec<Scope>) {
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    if found.len() > MOST {
        let all = found.iter().position(|s| s.links.is_empty());
        if let Some(all) = all.filter(|at| *at >= MOST) {
            found.swap(MOST - 1, all);
        }
        found.truncate(MOST);
    }
}

fn joined(scope: &Scope, i: usize, link: &Link, links: &[Link], question: &Question) -> Option<Scope> {
    if scope.mask & link.mask != 0 || scope.links.len() >= MOST_CONDITIONS || !fits(scope, link, links) {
        return None;
    }
    let rows: Vec<u32> = scope.rows.iter().filter(|r| link.rows.binary_search(r).is_ok()).copied().collect();
    let mut joined = Scope { rows, ..scope.clone() };
    joined.spec.conditions.push(link.condition.clone());
    joined.links.push(i);
    joined.mask |= link.mask;
    joined.weight += link.weight(question) - 0.15;
    Some(joined)
}

impl Scope {
    /// The same with one more choice, of a column that it has no condition on, where that leaves some rows out and not all.
    pub(crate) fn with_choice(&self, number: usize, link: &Link) -> Option<Scope> {
        let is_free = self.spec.conditions.iter().all(|c| c.column != link.condition.column);
        let rows: Vec<u32> =
            self.rows.iter().filter(|r| link.rows.binary_search(r).is_ok()).copied().collect();
        if !is_free || rows.is_empty() || rows.len() == self.rows.len() {
            return None;
        }
        let mut chosen = Scope { rows, ..self.clone() };
        chosen.spec.conditions.push(link.condition.clone());
        chosen.links.push(number);
        chosen.mask |= link.mask;
        Some(chosen)
    }
}

/// Two conditions on one column only make sense as the ends of a range.
fn fits(scope: &Scope, link: &Link, links: &[Link]) -> bool {
    let same = |l: &&Link| l.condition.column == link.condition.column;
    let mut others = scope.links.iter().filter_map(|i| links.get(*i)).filter(same);
    others.all(|l| l.grade == Grade::Compare && link.grade == Grade::Compare || l.grade == Grade::Part)
}

//! Lets a model weigh the answers that a question may have: it is shown each program in words and what it gives, and says
//! which is meant, or that none is.

use crate::execute::Answer;
use crate::grid::Grid;
use crate::program::Program;
use crate::prospect::Prospect;
use crate::read::Subject;
use tabletalk_core::Result;
use tabletalk_core::seam::Locate;

/// Values of an answer that are shown.
const VALUES: usize = 3;
/// The longest value that is shown, in characters.
const LONGEST: usize = 32;

/// A program as a text: its words, and the first values that it gives.
pub fn text(program: &Program, answer: &Answer, grid: &Grid) -> String {
    let short = |value: &String| value.chars().take(LONGEST).collect::<String>();
    let values: Vec<String> = answer.values.iter().take(VALUES).map(short).collect();
    let more = match answer.values.len() {
        n if n > VALUES => format!(" and {} more", n - VALUES),
        _ => String::new(),
    };
    format!("{} = {}{more}", program.words(grid), values.join("; "))
}

/// What was said of one of several answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weight {
    /// How likely it is meant.
    pub likely: f32,
    /// How likely the likeliest of the others is.
    pub rival: f32,
    /// How likely none is.
    pub none: f32,
    /// How many are likelier.
    pub rank: usize,
}

/// The most answers that are weighed: each takes as long as a short text takes to embed.
const MOST: usize = 16;

/// What a model says of each of the answers; nothing for those that it was not shown.
pub(crate) fn weighed(
    question: &str,
    subject: &Subject<'_>,
    all: &[Prospect],
    model: &dyn Locate,
) -> Result<Vec<Option<Weight>>> {
    let shown: Vec<&Prospect> = all.iter().filter(|p| p.is_run).take(MOST).collect();
    let texts: Vec<String> = shown.iter().map(|p| titled(subject, p)).collect();
    if texts.is_empty() {
        return Ok(vec![None; all.len()]);
    }
    let likely = model.programs(question, &texts)?;
    let mut each = likely.each.iter().copied();
    let of = |likely: f32, each: &[f32], none: f32| {
        let rank = each.iter().filter(|other| **other > likely).count();
        let mut sorted = each.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let rival = sorted.get(usize::from(rank == 0)).copied().unwrap_or(0.0);
        Weight { likely, rival, none, rank }
    };
    let weights = all.iter().map(|p| {
        let next = if p.is_run { each.next() } else { None };
        next.map(|one| of(one, &likely.each, likely.none))
    });
    Ok(weights.collect())
}

/// The longest title that is shown, in characters.
const TITLE: usize = 40;

fn titled(subject: &Subject<'_>, prospect: &Prospect) -> String {
    let title = if subject.title.trim().is_empty() { subject.relation } else { subject.title };
    let words: Vec<&str> = title.split_whitespace().collect();
    let title: String = words.join(" ").chars().take(TITLE).collect();
    let text = text(&prospect.program, &prospect.answer, subject.grid);
    if title.is_empty() { text } else { format!("{title} | {text}") }
}

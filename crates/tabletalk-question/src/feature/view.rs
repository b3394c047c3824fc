//! What is looked at again and again to say what speaks for the programs of a question.

use super::asking::{Asking, asking};
use super::{Part, hash, id, steps};
use crate::candidate::Found;
use crate::grid::{Field, Measure};
use crate::link::{Grade, Link};
use crate::mask::Mask;

/// What is looked at again and again.
pub(super) struct View<'a> {
    pub(super) found: &'a Found<'a>,
    /// The stems of the question, hashed.
    pub(super) stems: Vec<u64>,
    /// The same, with the numbers and linked values taken out.
    pub(super) plain: Vec<u64>,
    /// The stems of each column's name, hashed.
    pub(super) names: Vec<Vec<u64>>,
    pub(super) sorts: Vec<u64>,
    /// The asking words.
    pub(super) wh: u64,
    /// The asking words.
    pub(super) asks: Mask,
    /// What is asked for.
    pub(super) head: Option<usize>,
    /// Words that name a column.
    pub(super) naming: Mask,
    pub(super) best_share: f32,
    /// Words that are whole values.
    pub(super) whole: Mask,
    pub(super) numbers: Mask,
}

impl<'a> View<'a> {
    pub(super) fn new(found: &'a Found<'a>) -> Self {
        let question = &found.question;
        let stems: Vec<u64> = question.words.iter().map(|w| hash(&w.stem)).collect();
        let is_whole = |l: &&Link| l.grade == Grade::Whole;
        let whole = found.links.iter().filter(is_whole).fold(0, |mask, l| mask | l.mask);
        let numbers = question.mentions.iter().fold(0, |mask, m| mask | m.mask);
        let plain = (0..stems.len()).map(|i| match () {
            () if numbers >> i & 1 == 1 => 1,
            () if whole >> i & 1 == 1 => 2,
            () => stems.get(i).copied().unwrap_or(0),
        });
        let fields = &found.grid.columns;
        let Asking { wh, mask: asks, head } = asking(question);
        View {
            plain: plain.collect(),
            stems,
            names: fields.iter().map(|f| f.words.iter().map(|w| hash(&w.stem)).collect()).collect(),
            sorts: fields.iter().map(sort_of).collect(),
            wh,
            asks,
            head,
            best_share: found.names.iter().map(|n| n.share).fold(0.0, f32::max),
            whole,
            numbers,
            naming: found.names.iter().filter(|n| n.share > 0.45).fold(0, |mask, n| mask | n.mask),
            found,
        }
    }

    pub(super) fn block(&self, part: Part) -> Vec<u32> {
        match part {
            Part::Ask(ask) => self.words(1, u64::from(ask)),
            Part::Pick(pick) => self.words(2, u64::from(pick)),
            Part::Asked(ask, column) => self.asked(u64::from(ask), column),
            Part::Picked(pick, column) => self.picked(u64::from(pick), column),
            Part::Condition(link) => self.condition(link),
        }
    }

    /// Every word and pair of words of the question with what is asked or picked.
    pub(super) fn words(&self, kind: u8, tag: u64) -> Vec<u32> {
        let mut ids = vec![id(kind, &[tag]), id(kind, &[tag, self.wh, 3])];
        ids.extend(self.plain.iter().map(|w| id(kind, &[tag, *w, 1])));
        ids.extend(self.plain.windows(2).map(|w| match w {
            [a, b] => id(kind, &[tag, *a, *b, 2]),
            _ => 0,
        }));
        let numbers = self.found.question.mentions.len();
        ids.push(id(kind, &[tag, steps(numbers), 4]));
        ids
    }

    pub(super) fn sort(&self, column: usize) -> u64 {
        self.sorts.get(column).copied().unwrap_or(0)
    }

    pub(super) fn name(&self, column: usize) -> &[u64] {
        self.names.get(column).map_or(&[], Vec::as_slice)
    }

    /// The words that say something and are no value, hashed.
    pub(super) fn content(&self) -> impl Iterator<Item = u64> + '_ {
        let open = self.found.question.content & !self.whole & !self.numbers;
        self.stems.iter().enumerate().filter(move |(i, _)| open >> i & 1 == 1).map(|(_, w)| *w)
    }
}

/// What kind of values a column has.
fn sort_of(field: &Field) -> u64 {
    let measure = match field.measure {
        Measure::None => 0,
        Measure::Number => 1,
        Measure::Day => 2,
        Measure::Lead | Measure::Clock => 3,
    };
    measure * 4 + u64::from(field.is_year()) * 2 + u64::from(field.is_key())
}

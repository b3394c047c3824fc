//! What speaks for a program: features, as numbers of a table of weights.
//!
//! All features are there or not. They come in blocks that many programs of a question share, so that a
//! block is scored once: what is asked, which rows are picked, each column and each condition.

use crate::analyse::{Mask, Question, first, gap, last};
use crate::candidate::{Candidate, Found};
use crate::cue::Cue;
use crate::grid::{Field, Measure};
use crate::link::{Grade, Link};
use crate::program::{Ask, Pick, Test};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// How many weights there are; a power of two.
pub(crate) const WEIGHTS: usize = 1 << 18;

/// The features of all programs of a question.
#[derive(Debug, Default, Clone)]
pub struct Features {
    /// Features that several programs share.
    pub blocks: Vec<Vec<u32>>,
    /// For each program its blocks and its own features.
    pub programs: Vec<(Vec<u16>, Vec<u32>)>,
}

impl Features {
    /// The score of each program under these weights.
    pub fn scores(&self, weight: &dyn Fn(u32) -> f32) -> Vec<f32> {
        let sum = |ids: &[u32]| ids.iter().map(|id| weight(*id)).sum::<f32>();
        let blocks: Vec<f32> = self.blocks.iter().map(|b| sum(b)).collect();
        let of = |i: &u16| blocks.get(usize::from(*i)).copied().unwrap_or(0.0);
        self.programs.iter().map(|(shared, own)| shared.iter().map(of).sum::<f32>() + sum(own)).collect()
    }
}

/// Which block a program shares with others.
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
enum Part {
    Ask(u8),
    Pick(u8),
    Asked(u8, usize),
    Picked(u8, usize),
    Condition(usize),
}

/// The features of all programs of a question.
pub(crate) fn features(found: &Found<'_>) -> Features {
    let mut made = Features::default();
    let mut known: FxHashMap<Part, u16> = FxHashMap::default();
    let view = View::new(found);
    for candidate in &found.candidates {
        let parts = parts(candidate, found);
        let mut shared = Vec::with_capacity(parts.len());
        for part in parts {
            let number = *known.entry(part).or_insert_with(|| {
                made.blocks.push(view.block(part));
                (made.blocks.len() - 1) as u16
            });
            shared.push(number);
        }
        made.programs.push((shared, view.own(candidate)));
    }
    if found.is_claim {
        let ids = made.blocks.iter_mut().chain(made.programs.iter_mut().map(|(_, own)| own)).flatten();
        ids.for_each(|id| *id = id.wrapping_mul(OTHER) & (WEIGHTS as u32 - 1));
    }
    made
}

/// Statements have weights of their own: an odd number mixes the ids of their features.
const OTHER: u32 = 0x9e37_79b1;

/// The column whose cells are asked for or computed with.
pub(crate) fn asked(ask: &Ask) -> Option<usize> {
    match ask {
        Ask::Cells(c) | Ask::Distinct(c) | Ask::Fold(_, c) | Ask::Difference(c, _) => Some(*c),
        Ask::Group { column, .. } => Some(*column),
        Ask::Exceeds(c, ..) => Some(*c),
        Ask::Holds(ask, _) | Ask::Denies(ask) => asked(ask),
        Ask::Count | Ask::CountDifference(_) | Ask::Share => None,
        Ask::Exists | Ask::Every | Ask::Outnumbers(..) => None,
    }
}

/// The column that is compared to pick or to group.
fn compared(candidate: &Candidate) -> Option<usize> {
    match (&candidate.program.rows.pick, &candidate.program.ask) {
        (Some(Pick::Extreme { column, .. }), _) => Some(*column),
        (_, Ask::Group { sum, .. }) => *sum,
        _ => None,
    }
}

fn parts(candidate: &Candidate, found: &Found<'_>) -> Vec<Part> {
    let shape = candidate.shape;
    let mut parts = vec![Part::Ask(shape.ask), Part::Pick(shape.pick)];
    parts.extend(asked(&candidate.program.ask).map(|c| Part::Asked(shape.ask, c)));
    parts.extend(compared(candidate).map(|c| Part::Picked(shape.pick, c)));
    let links = found.scopes.get(candidate.scope).map_or(&[][..], |s| &s.links);
    parts.extend(links.iter().map(|l| Part::Condition(*l)));
    parts
}

/// The number of a feature: its kind and what it is about.
fn id(kind: u8, about: &[u64]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(kind);
    about.iter().for_each(|a| hasher.write_u64(*a));
    let hash = hasher.finish();
    ((hash ^ hash >> 29) as usize & (WEIGHTS - 1)) as u32
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// A share in five steps.
fn share(share: f32) -> u64 {
    match share {
        s if s <= 0.0 => 0,
        s if s < 0.34 => 1,
        s if s < 0.67 => 2,
        s if s < 0.99 => 3,
        _ => 4,
    }
}

/// A count in steps.
fn steps(n: usize) -> u64 {
    match n {
        0..=3 => n as u64,
        4..=5 => 4,
        6..=9 => 5,
        10..=19 => 6,
        _ => 7,
    }
}

/// What kind of values a column has.
fn sort_of(field: &Field) -> u64 {
    let measure = match field.measure {
        Measure::None => 0,
        Measure::Number => 1,
        Measure::Day => 2,
        Measure::Lead => 3,
    };
    measure * 4 + u64::from(field.is_year()) * 2 + u64::from(field.is_key())
}

/// What is looked at again and again.
struct View<'a> {
    found: &'a Found<'a>,
    /// The stems of the question, hashed.
    stems: Vec<u64>,
    /// The same, with the numbers and linked values taken out.
    plain: Vec<u64>,
    /// The stems of each column's name, hashed.
    names: Vec<Vec<u64>>,
    sorts: Vec<u64>,
    /// The asking words.
    wh: u64,
    /// What is asked for: the word behind the asking words.
    head: Option<usize>,
    best_share: f32,
    /// Words that are whole values.
    whole: Mask,
    numbers: Mask,
}

impl<'a> View<'a> {
    fn new(found: &'a Found<'a>) -> Self {
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
        let (wh, head) = asking(question);
        View {
            plain: plain.collect(),
            stems,
            names: fields.iter().map(|f| f.words.iter().map(|w| hash(&w.stem)).collect()).collect(),
            sorts: fields.iter().map(sort_of).collect(),
            wh,
            head,
            best_share: found.names.iter().map(|n| n.share).fold(0.0, f32::max),
            whole,
            numbers,
            found,
        }
    }

    fn block(&self, part: Part) -> Vec<u32> {
        match part {
            Part::Ask(ask) => self.words(1, u64::from(ask)),
            Part::Pick(pick) => self.words(2, u64::from(pick)),
            Part::Asked(ask, column) => self.asked(u64::from(ask), column),
            Part::Picked(pick, column) => self.picked(u64::from(pick), column),
            Part::Condition(link) => self.condition(link),
        }
    }

    /// Every word and pair of words of the question with what is asked or picked.
    fn words(&self, kind: u8, tag: u64) -> Vec<u32> {
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

    fn sort(&self, column: usize) -> u64 {
        self.sorts.get(column).copied().unwrap_or(0)
    }

    fn name(&self, column: usize) -> &[u64] {
        self.names.get(column).map_or(&[], Vec::as_slice)
    }

    fn asked(&self, ask: u64, column: usize) -> Vec<u32> {
        let Some(named) = self.found.names.get(column) else { return Vec::new() };
        let (sort, share_step) = (self.sort(column), share(named.share));
        let is_best = u64::from(named.share > 0.0 && named.share >= self.best_share);
        let head = self.head.and_then(|h| self.stems.get(h)).copied().unwrap_or(0);
        let head_named = u64::from(self.head.is_some_and(|h| named.mask >> h & 1 == 1));
        let place = first(named.mask & !self.whole).map_or(9, |p| steps(p.abs_diff(self.head.unwrap_or(0))));
        let mut ids = vec![
            id(10, &[ask, share_step]),
            id(11, &[ask, is_best, share_step, head_named]),
            id(12, &[ask, sort]),
            id(13, &[ask, sort, self.wh]),
            id(14, &[sort, head]),
            id(15, &[ask, place]),
            id(16, &[ask, (column as u64).min(4)]),
            id(17, &[ask, head_named, is_best]),
            id(18, &[self.wh, sort, is_best]),
            id(19, &[u64::from(column + 1 == self.names.len()), ask]),
        ];
        for stem in self.name(column) {
            ids.push(id(20, &[*stem, self.wh]));
            ids.push(id(21, &[*stem, head]));
            ids.push(id(22, &[*stem, ask]));
            ids.extend(self.content().map(|w| id(23, &[*stem, w])));
        }
        ids.extend(self.content().map(|w| id(24, &[sort, w, ask])));
        ids
    }

    /// The words that say something and are no value, hashed.
    fn content(&self) -> impl Iterator<Item = u64> + '_ {
        let open = self.found.question.content & !self.whole & !self.numbers;
        self.stems.iter().enumerate().filter(move |(i, _)| open >> i & 1 == 1).map(|(_, w)| *w)
    }

    fn picked(&self, pick: u64, column: usize) -> Vec<u32> {
        let Some(named) = self.found.names.get(column) else { return Vec::new() };
        let question = &self.found.question;
        let cues = question.cue(Cue::Most) | question.cue(Cue::Least);
        let sort = self.sort(column);
        let measured = self.found.grid.columns.iter().filter(|f| f.is_measured()).count();
        let near = if named.mask == 0 { 9 } else { steps(nearest(cues, named.mask)) };
        let is_best = u64::from(named.share > 0.0 && named.share >= self.best_share);
        let mut ids = vec![
            id(30, &[pick, sort]),
            id(31, &[share(named.share), is_best]),
            id(32, &[near, share(named.share)]),
            id(33, &[steps(measured), is_best]),
            id(34, &[(column as u64).min(4)]),
            id(35, &[u64::from(named.mask & self.whole != 0), is_best]),
        ];
        for (i, word) in self.stems.iter().enumerate().filter(|(i, _)| cues >> i & 1 == 1) {
            ids.push(id(36, &[pick, sort, *word]));
            let next = self.plain.get(i + 1).copied().unwrap_or(0);
            ids.push(id(37, &[sort, next]));
            for stem in self.name(column) {
                ids.push(id(38, &[*stem, *word]));
                ids.push(id(39, &[*stem, next]));
            }
        }
        for stem in self.name(column) {
            ids.extend(self.content().map(|w| id(40, &[*stem, w])));
        }
        ids
    }

    fn condition(&self, number: usize) -> Vec<u32> {
        let Some(link) = self.found.links.get(number) else { return Vec::new() };
        let column = link.condition.column;
        let Some(named) = self.found.names.get(column) else { return Vec::new() };
        let grade = link.grade as u64;
        let sort = self.sort(column);
        let outside = named.mask & !link.mask;
        let near = if outside == 0 { 9 } else { steps(nearest(outside, link.mask)) };
        let rows = link.rows.len();
        let part = share(rows as f32 / self.found.grid.len().max(1) as f32);
        let size = steps(link.mask.count_ones() as usize);
        let rivals = self.found.links.iter().filter(|l| l.mask == link.mask).count();
        let is_number = u64::from(link.mask & !self.numbers == 0);
        let mut ids = vec![
            id(50, &[grade, is_number]),
            id(51, &[grade, sort, is_number]),
            id(52, &[grade, size]),
            id(53, &[grade, share(if outside == 0 { 0.0 } else { named.share }), near]),
            id(54, &[grade, part]),
            id(55, &[grade, steps(rows)]),
            id(56, &[grade, steps(rivals), near.min(4)]),
            id(57, &[grade, test(&link.condition.test)]),
            id(58, &[u64::from(link.mask & self.found.question.quoted != 0), grade]),
            id(59, &[(column as u64).min(4), grade]),
        ];
        let from = first(link.mask);
        let before =
            from.and_then(|f| f.checked_sub(1)).and_then(|f| self.plain.get(f)).copied().unwrap_or(0);
        let before2 =
            from.and_then(|f| f.checked_sub(2)).and_then(|f| self.plain.get(f)).copied().unwrap_or(0);
        let after = last(link.mask).and_then(|l| self.plain.get(l + 1)).copied().unwrap_or(0);
        ids.push(id(60, &[before, sort, grade]));
        ids.push(id(61, &[after, sort, grade]));
        ids.push(id(62, &[before2, before, test(&link.condition.test)]));
        ids.push(id(63, &[before, after, test(&link.condition.test)]));
        for stem in self.name(column) {
            ids.push(id(64, &[*stem, before]));
            ids.push(id(65, &[*stem, before2]));
            ids.push(id(66, &[*stem, after]));
            ids.push(id(67, &[*stem, grade]));
        }
        if link.grade == Grade::Compare || link.grade == Grade::Not {
            let inside = self.stems.iter().enumerate().filter(|(i, _)| link.mask >> i & 1 == 1);
            ids.extend(inside.map(|(_, w)| id(68, &[*w, test(&link.condition.test)])));
        }
        if size == 1 {
            let word = from.and_then(|f| self.stems.get(f)).copied().unwrap_or(0);
            ids.push(id(69, &[word, grade]));
        }
        ids
    }

    /// The features of a program as a whole.
    fn own(&self, candidate: &Candidate) -> Vec<u32> {
        let question = &self.found.question;
        let Some(scope) = self.found.scopes.get(candidate.scope) else { return Vec::new() };
        let shape = candidate.shape.number();
        let ask = u64::from(candidate.shape.ask);
        let column = asked(&candidate.program.ask);
        let compared = compared(candidate);
        let name = |c: Option<usize>| c.and_then(|c| self.found.names.get(c)).map_or(0, |n| n.mask);
        let cues = question.cues.iter().fold(0, |mask, c| mask | c);
        let taken = scope.mask | candidate.target;
        let covered = taken | name(column) | name(compared);
        let open = question.content & !covered & !cues;
        let words = question.content.count_ones().max(1);
        let values = self.whole & !taken & !name(column) & !name(compared);
        let size = steps(candidate.answer.values.len());
        let conditions = scope.links.len() as u64;
        let given = column.is_some_and(|c| scope.spec.conditions.iter().any(|k| k.column == c));
        let overlap = name(column) & scope.mask != 0 && name(column) & !scope.mask == 0;
        let rows = steps(candidate.rows);
        let within = u64::from(candidate.program.rows.within.is_some());
        let sort = column.map_or(99, |c| self.sort(c));
        let told = self.is_told(candidate, column);
        let before = match (first(name(column) & !scope.mask), first(scope.mask)) {
            (Some(a), Some(b)) => 1 + u64::from(a < b),
            _ => 0,
        };
        let mut ids = vec![
            id(80, &[shape]),
            id(81, &[shape, size]),
            id(82, &[shape, conditions]),
            id(83, &[steps(open.count_ones() as usize)]),
            id(84, &[share(open.count_ones() as f32 / words as f32), ask]),
            id(85, &[steps(values.count_ones() as usize)]),
            id(86, &[steps((self.numbers & !taken).count_ones() as usize), shape]),
            id(87, &[u64::from(given), ask, conditions]),
            id(88, &[u64::from(overlap), ask]),
            id(89, &[u64::from(compared == column), shape]),
            id(90, &[rows, ask]),
            id(91, &[size, self.wh]),
            id(92, &[sort, self.wh, size]),
            id(93, &[told, ask, u64::from(question.has(&[Cue::Either]))]),
            id(94, &[before, ask]),
            id(95, &[u64::from(candidate.program.rows.conditions.len() != scope.links.len()), ask]),
            id(96, &[steps((question.quoted & !taken).count_ones() as usize)]),
        ];
        if within == 1 || candidate.program.rows.conditions.len() != scope.links.len() {
            ids.push(id(97, &[within, conditions]));
            ids.push(id(98, &[within, shape]));
            ids.extend(self.plain.iter().take(4).map(|w| id(99, &[within, *w])));
            ids.extend(self.plain.iter().map(|w| id(100, &[within, *w])));
        }
        if self.found.is_claim {
            let truth = u64::from(candidate.answer.values.iter().any(|v| v == "yes"));
            let open = steps(open.count_ones() as usize);
            let values = steps(values.count_ones() as usize);
            ids.push(id(110, &[shape, truth]));
            ids.push(id(111, &[shape, truth, open]));
            ids.push(id(112, &[truth, values, ask]));
            ids.push(id(113, &[shape, truth, conditions, rows]));
            ids.extend(self.plain.iter().map(|w| id(114, &[truth, *w])));
        }
        if let Some(earlier) = self.found.earlier {
            let same = u64::from(column.is_some() && column == earlier);
            ids.push(id(102, &[same, within, ask]));
            ids.push(id(103, &[same, self.wh]));
            ids.push(id(104, &[same, self.head.and_then(|h| self.stems.get(h)).copied().unwrap_or(0)]));
            ids.push(id(105, &[within, u64::from(question.has(&[Cue::Among])), shape]));
        }
        for c in scope.spec.conditions.iter().filter(|_| column.is_some()) {
            ids.push(id(101, &[self.sort(c.column), sort, ask]));
        }
        ids
    }

    /// Whether the answer stands in the question already.
    fn is_told(&self, candidate: &Candidate, column: Option<usize>) -> u64 {
        let Some(column) = column else { return 2 };
        let same = |l: &&Link| l.condition.column == column && l.grade == Grade::Whole;
        let grid = self.found.grid;
        let has = |l: &Link| {
            let told = l.rows.first().and_then(|r| grid.at(column, *r));
            told.is_some_and(|cell| candidate.answer.values.contains(&cell.text))
        };
        u64::from(self.found.links.iter().filter(same).any(has))
    }
}

/// The asking words of a question, hashed, and the place of the word behind them.
fn asking(question: &Question) -> (u64, Option<usize>) {
    const ASKING: [&str; 9] = ["what", "which", "who", "when", "where", "how", "whose", "whom", "name"];
    let at = question.words.iter().position(|w| ASKING.contains(&w.text.as_str()));
    let Some(at) = at else {
        let start = question.words.first().map_or(0, |w| hash(&w.stem));
        return (start, first(question.content));
    };
    let word = question.text(Some(at));
    let next = question.text(Some(at + 1));
    let wh = match (word, next) {
        ("how", _) => hash(next),
        _ => hash(word),
    };
    let from = if word == "how" { at + 2 } else { at + 1 };
    let behind = question.content >> from.min(127) << from.min(127);
    (wh, first(behind))
}

/// How many words stand between the nearest two of two sets.
fn nearest(a: Mask, b: Mask) -> usize {
    (0..128).filter(|i| a >> i & 1 == 1).map(|i| gap(1 << i, b)).min().unwrap_or(99)
}

fn test(test: &Test) -> u64 {
    match test {
        Test::Is(values) => values.len().min(3) as u64,
        Test::Not(_) => 4,
        Test::Has(_) => 5,
        Test::Less(_) => 6,
        Test::AtMost(_) => 7,
        Test::More(_) => 8,
        Test::AtLeast(_) => 9,
        Test::Between(..) => 10,
        Test::Year(_) => 11,
        Test::Month(_) => 12,
    }
}

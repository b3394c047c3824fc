//! One page: its words and lines, then its tables and paragraphs in reading order.

use super::ink::{Ink, Rule, joined, turned, turned_back};
use super::layout::Bit;
use super::table::{Sheet, is_bullet, join};
use super::word::{Line, Word};
use super::{layout, table, word};

/// What a page holds, before it is known what all pages repeat.
#[derive(Default)]
pub(super) struct Page {
    pub number: u32,
    pub size: (f32, f32),
    /// The direction most text runs in; the page is turned for it.
    direction: usize,
    pub words: Vec<Word>,
    /// Texts that run in other directions.
    aside: Vec<Paragraph>,
    rules: Vec<Rule>,
    pub pictures: Vec<[f32; 4]>,
    /// A picture of a page without text of its own.
    pub scanned: bool,
    /// How sure the reading of a picture is.
    pub confidence: Option<f32>,
    /// Why a picture could not be read.
    pub failure: Option<String>,
    /// Characters whose letter the file does not tell, of how many.
    pub unknown: (usize, usize),
    pub cut: bool,
    /// The decoder broke on it, or it took too long.
    pub broken: bool,
}

/// A piece of a page, in reading order.
#[derive(Debug)]
pub(super) enum Item {
    Paragraph(Paragraph),
    Table(Sheet),
    Image([f32; 4]),
}

impl Page {
    pub(super) fn new(number: u32, ink: Ink) -> Self {
        let counts = ink.chars.each_ref().map(Vec::len);
        let most = counts.iter().max().copied().unwrap_or(0);
        let direction = counts.iter().position(|c| *c == most).unwrap_or(0);
        let whole = (ink.width, ink.height);
        let mut aside = Vec::new();
        for (other, chars) in ink.chars.iter().enumerate().filter(|(d, c)| *d != direction && !c.is_empty()) {
            let mut found = paragraphs(&word::lines(word::words(chars)));
            found.iter_mut().for_each(|p| p.rect = turned_back(other, whole, p.rect));
            aside.extend(found);
        }
        let shown = most.saturating_sub(ink.hidden);
        let area = |r: &[f32; 4]| (r[2] - r[0]) * (r[3] - r[1]);
        let covered = ink.pictures.iter().map(area).fold(0.0, f32::max) > 0.4 * whole.0 * whole.1;
        let rules = ink.rules.iter().filter(|r| !r.light).map(|r| turned_rule(direction, whole, r)).collect();
        Page {
            number,
            size: whole,
            direction,
            words: word::words(&ink.chars[direction]),
            aside,
            rules: joined(rules),
            pictures: ink.pictures,
            scanned: covered && shown < 30 && ink.hidden == 0,
            confidence: None,
            failure: None,
            unknown: (ink.unknown, counts.iter().sum()),
            cut: ink.cut,
            broken: false,
        }
    }

    /// Whether the file does not tell the letters of much of the text: only its picture does.
    pub(super) fn is_unreadable(&self) -> bool {
        self.unknown.0 * 4 > self.unknown.1.max(40)
    }

    /// The size of the page as it is turned.
    pub(super) fn turned_size(&self) -> (f32, f32) {
        if self.direction.is_multiple_of(2) { self.size } else { (self.size.1, self.size.0) }
    }

    /// The page taken apart.
    pub(super) fn items(mut self) -> Vec<Item> {
        let words = std::mem::take(&mut self.words);
        let rules = &self.rules;
        let lattices = table::lattices(&words, rules);
        let mut bits: Vec<Bit> = lattices.iter().enumerate().map(|(i, s)| Bit::Table(i, s.rect)).collect();
        let is_free = |w: &Word| !lattices.iter().any(|s| holds(s.rect, w));
        bits.extend(words.into_iter().filter(|w| is_free(w)).map(Bit::Word));
        let mut sheets: Vec<Option<Sheet>> = lattices.into_iter().map(Some).collect();
        let mut items = Vec::new();
        for part in layout::parts(bits) {
            let (tables, words) = split(part);
            let lines = word::lines(words);
            part_items(&lines, rules, &tables, &mut sheets, &mut items);
        }
        self.finish(items)
    }

    fn finish(self, mut items: Vec<Item>) -> Vec<Item> {
        let back = |r: &mut [f32; 4]| *r = turned_back(self.direction, self.size, *r);
        for item in &mut items {
            match item {
                Item::Paragraph(p) => back(&mut p.rect),
                Item::Image(r) => back(r),
                Item::Table(sheet) => {
                    back(&mut sheet.rect);
                    sheet.cells.iter_mut().for_each(|c| back(&mut c.rect));
                    sheet.direction = self.direction;
                }
            }
        }
        items.extend(self.aside.into_iter().map(Item::Paragraph));
        let large = |r: &&[f32; 4]| r[2] - r[0] > 30.0 && r[3] - r[1] > 30.0;
        items.extend(self.pictures.iter().filter(large).map(|r| Item::Image(*r)));
        items
    }
}

fn holds(rect: [f32; 4], w: &Word) -> bool {
    let y = w.base - 0.25 * w.size;
    (rect[0]..rect[2]).contains(&w.middle()) && (rect[1]..rect[3]).contains(&y)
}

fn split(part: Vec<Bit>) -> (Vec<(usize, [f32; 4])>, Vec<Word>) {
    let (mut tables, mut words) = (Vec::new(), Vec::new());
    for bit in part {
        match bit {
            Bit::Word(w) => words.push(w),
            Bit::Table(i, rect) => tables.push((i, rect)),
        }
    }
    (tables, words)
}

/// The items of one part of the page, from top to bottom.
fn part_items(
    lines: &[Line],
    rules: &[Rule],
    tables: &[(usize, [f32; 4])],
    sheets: &mut [Option<Sheet>],
    items: &mut Vec<Item>,
) {
    // Tables with lines part the text around them.
    let mut tables = tables.to_vec();
    tables.sort_by(|a, b| a.1[1].total_cmp(&b.1[1]));
    let mut from = 0;
    for (i, rect) in tables {
        let to = from + lines[from..].partition_point(|l| l.base < (rect[1] + rect[3]) / 2.0);
        run_items(&lines[from..to], rules, items);
        items.extend(sheets.get_mut(i).and_then(Option::take).map(Item::Table));
        from = to;
    }
    run_items(&lines[from..], rules, items);
}

fn run_items(lines: &[Line], rules: &[Rule], items: &mut Vec<Item>) {
    let mut from = 0;
    for (range, sheet) in table::aligned(lines, rules) {
        items.extend(paragraphs(&lines[from..range.start]).into_iter().map(Item::Paragraph));
        items.push(Item::Table(sheet));
        from = range.end;
    }
    items.extend(paragraphs(&lines[from..]).into_iter().map(Item::Paragraph));
}

fn turned_rect(direction: usize, whole: (f32, f32), r: [f32; 4]) -> [f32; 4] {
    let (a, b) = (turned(direction, whole, (r[0], r[1])), turned(direction, whole, (r[2], r[3])));
    [a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1)]
}

fn turned_rule(direction: usize, whole: (f32, f32), r: &Rule) -> Rule {
    let rect = match r.across {
        true => [r.from, r.at, r.to, r.at],
        false => [r.at, r.from, r.at, r.to],
    };
    let [left, top, right, bottom] = turned_rect(direction, whole, rect);
    let across = direction.is_multiple_of(2) == r.across;
    let (at, from, to) = if across { (top, left, right) } else { (left, top, bottom) };
    Rule { across, at, from, to, ..*r }
}

/// Lines that are read together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Paragraph {
    pub text: String,
    pub rect: [f32; 4],
    /// The size of its letters.
    pub size: f32,
    pub bold: bool,
    /// Begins with the mark of an item.
    pub item: bool,
    pub lines: usize,
}

/// The paragraphs of lines that stand below each other.
pub(super) fn paragraphs(lines: &[Line]) -> Vec<Paragraph> {
    let pitch = pitch(lines);
    let right = lines.iter().map(Line::right).fold(f32::MIN, f32::max);
    let mut found = Vec::new();
    let mut from = 0;
    for i in 1..=lines.len() {
        if i == lines.len() || begins(&lines[i - 1], &lines[i], &lines[from], pitch, right) {
            found.extend(paragraph(&lines[from..i]));
            from = i;
        }
    }
    found
}

/// The usual distance between lines.
fn pitch(lines: &[Line]) -> f32 {
    let mut steps: Vec<f32> = lines.windows(2).map(|w| w[1].base - w[0].base).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// Whether a line begins a paragraph.
fn begins(above: &Line, line: &Line, first: &Line, pitch: f32, right: f32) -> bool {
    let step = line.base - above.base;
    let size = above.size.max(line.size);
    let wide = step > 1.28 * pitch && step > 1.25 * size || step > 2.4 * size;
    let other_size = (above.size - line.size).abs() > 0.12 * size;
    let bold = |l: &Line| l.words.iter().all(|w| w.bold);
    let is_short = above.right() < right - 6.0 * size;
    let indented =
        line.left() > first.left() + 0.8 * size && line.left() > above.left() + 0.8 * size && is_short;
    let item = line.words.len() > 1 && is_bullet(&line.words[0].text);
    wide || other_size || item || bold(above) != bold(line) && (is_short || bold(above)) || indented
}

fn paragraph(lines: &[Line]) -> Option<Paragraph> {
    let words = || lines.iter().flat_map(|l| &l.words);
    let first = words().next()?;
    let rect = words().fold([first.left, first.top(), first.right, first.bottom()], |r, w: &Word| {
        super::table::around(r, [w.left, w.top(), w.right, w.bottom()])
    });
    let item = lines[0].words.len() > 1 && is_bullet(&first.text);
    Some(Paragraph {
        text: join(lines.iter().map(Line::text)),
        rect,
        size: lines.iter().map(|l| l.size).sum::<f32>() / lines.len() as f32,
        bold: words().all(|w| w.bold),
        item,
        lines: lines.len(),
    })
}

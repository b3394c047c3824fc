//! Tables whose cells are drawn: lines across and down that meet.

use super::super::ink::Rule;
use super::super::word::{Line, Word, lines};
use super::{Cell, Sheet, is_value};
use super::{Cut, Span};

/// Lines this near are one line.
const NEAR: f32 = 3.0;
const MOST_CELLS: usize = 60_000;
/// More lines than this that touch are a drawing.
const MOST_RULES: usize = 6_000;

/// The tables drawn with lines.
pub(in super::super) fn lattices(words: &[Word], rules: &[Rule]) -> Vec<Sheet> {
    let rules: Vec<Rule> = rules.iter().filter(|r| r.len() > 4.0).copied().collect();
    components(&rules).into_iter().filter_map(|part| Lattice::new(&part)?.sheet(words)).collect()
}

/// Lines that touch, set by set.
fn components(rules: &[Rule]) -> Vec<Vec<Rule>> {
    let mut parent: Vec<usize> = (0..rules.len()).collect();
    let (across, down): (Vec<usize>, Vec<usize>) = (0..rules.len()).partition(|i| rules[*i].across);
    for &h in &across {
        for &v in &down {
            if meet(&rules[h], &rules[v]) {
                let (a, b) = (root(&mut parent, h), root(&mut parent, v));
                parent[a] = b;
            }
        }
    }
    let mut sets: std::collections::BTreeMap<usize, Vec<Rule>> = Default::default();
    for (i, rule) in rules.iter().enumerate() {
        sets.entry(root(&mut parent, i)).or_default().push(*rule);
    }
    sets.into_values().filter(|s| s.len() > 2).collect()
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

fn meet(h: &Rule, v: &Rule) -> bool {
    v.at > h.from - NEAR && v.at < h.to + NEAR && h.at > v.from - NEAR && h.at < v.to + NEAR
}

/// A grid with the borders that are drawn.
struct Lattice {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// `across[r][c]`: a border above row `r` in column `c`.
    across: Vec<Vec<bool>>,
    /// `down[r][c]`: a border left of column `c` in row `r`.
    down: Vec<Vec<bool>>,
}

impl Lattice {
    fn new(rules: &[Rule]) -> Option<Self> {
        let part = |across: bool| rules.iter().filter(move |r| r.across == across);
        let mut xs: Vec<f32> = part(false).map(|r| r.at).collect();
        let mut ys: Vec<f32> = part(true).map(|r| r.at).collect();
        if xs.is_empty() || ys.len() < 2 || rules.len() > MOST_RULES {
            return None;
        }
        // Sides that are not drawn are where the lines end.
        xs.extend(part(true).flat_map(|r| [r.from, r.to]).reduce(f32::min));
        xs.extend(part(true).flat_map(|r| [r.from, r.to]).reduce(f32::max));
        ys.extend(part(false).map(|r| r.from).reduce(f32::min));
        ys.extend(part(false).map(|r| r.to).reduce(f32::max));
        let (xs, ys) = (snapped(xs), snapped(ys));
        if xs.len() < 3 || ys.len() < 3 || xs.len() * ys.len() > MOST_CELLS {
            return None;
        }
        let covers = |r: &Rule, at: f32, from: f32, to: f32| {
            (r.at - at).abs() < NEAR && r.to.min(to) - r.from.max(from) > 0.5 * (to - from)
        };
        let across = ys.iter().map(|y| {
            xs.windows(2).map(|x| part(true).any(|r| covers(r, *y, x[0], x[1]))).collect::<Vec<bool>>()
        });
        let across = across.collect();
        let down = ys.windows(2).map(|y| {
            xs.iter().map(|x| part(false).any(|r| covers(r, *x, y[0], y[1]))).collect::<Vec<bool>>()
        });
        let down = down.collect();
        Some(Lattice { xs, ys, across, down })
    }

    fn sheet(mut self, words: &[Word]) -> Option<Sheet> {
        let (x0, x1) = (*self.xs.first()?, *self.xs.last()?);
        let (y0, y1) = (*self.ys.first()?, *self.ys.last()?);
        let inside = |w: &&Word| {
            let y = w.base - 0.25 * w.size;
            w.middle() > x0 && w.middle() < x1 && y > y0 && y < y1
        };
        let mut words: Vec<Word> = words.iter().filter(inside).cloned().collect();
        // Columns that no line parts: the lines only frame a table that is aligned.
        if self.has_hidden_columns(&words) {
            return None;
        }
        self.split_rows(&words);
        self.part_values(&words);
        self.part_labels(&words);
        let mut groups = self.groups();
        self.trim(&mut groups, &mut words);
        self.build(groups, words)
    }

    fn cols(&self) -> usize {
        self.xs.len() - 1
    }
    fn rows(&self) -> usize {
        self.ys.len() - 1
    }

    /// The row and column a word stands in.
    fn cell_of(&self, w: &Word) -> Option<(usize, usize)> {
        let r = self.ys.partition_point(|y| *y < w.base - 0.25 * w.size).checked_sub(1)?;
        let c = self.xs.partition_point(|x| *x < w.middle()).checked_sub(1)?;
        (r < self.rows() && c < self.cols()).then_some((r, c))
    }

    /// Rows that no line parts: several numbers below each other in one cell are several rows.
    fn split_rows(&mut self, words: &[Word]) {
        let mut row = 0;
        while row < self.rows() {
            let in_row = words.iter().filter(|w| self.cell_of(w).is_some_and(|c| c.0 == row));
            let in_row: Vec<Word> = in_row.cloned().collect();
            let row_lines = lines(in_row);
            let cuts = self.row_cuts(row, &row_lines);
            let count = cuts.len();
            for (i, (y, has)) in cuts.into_iter().enumerate() {
                self.ys.insert(row + 1 + i, y);
                self.across.insert(row + 1 + i, has);
                let same = self.down[row].clone();
                self.down.insert(row, same);
            }
            row += count + 1;
        }
    }

    /// Where a row is to be cut, and in which columns.
    fn row_cuts(&self, row: usize, row_lines: &[Line]) -> Vec<(f32, Vec<bool>)> {
        if row_lines.len() < 2 {
            return Vec::new();
        }
        let cuts: Vec<Cut> = row_lines.iter().map(|l| self.cut(l)).collect();
        let filled = |c: usize| cuts.iter().filter(|t| t.at(c).is_some()).count();
        let values = |c: usize| cuts.iter().filter(|t| t.at(c).is_some_and(|s| is_value(&s.text()))).count();
        // One number may be broken; columns with one number a line are rows.
        let is_list = |c: &usize| filled(*c) > 1 && values(*c) == filled(*c);
        let lists: Vec<usize> = (0..self.cols()).filter(is_list).collect();
        let beside = (1..self.cols()).filter(|c| filled(*c) > 0).count();
        if lists.is_empty()
            || lists.len() * 2 < beside
            || lists.len() == 1 && filled(lists[0]) * 3 < cuts.len()
        {
            return Vec::new();
        }
        let mut found = Vec::new();
        for rows in super::body::grouped(&cuts, |_| false).windows(2) {
            let y = (cuts[rows[0].end - 1].bottom + cuts[rows[1].start].top) / 2.0;
            let has = (0..self.cols()).map(|c| filled(c) != 1 || cuts.len() < 3).collect();
            found.push((y.clamp(self.ys[row] + 0.1, self.ys[row + 1] - 0.1), has));
        }
        found
    }

    /// A line cut at the columns.
    fn cut(&self, line: &Line) -> Cut {
        let mut spans: Vec<Span> = Vec::new();
        for word in &line.words {
            let c = self.xs.partition_point(|x| *x < word.middle()).saturating_sub(1).min(self.cols() - 1);
            match spans.last_mut() {
                Some(span) if span.first == c => span.words.push(word.clone()),
                _ => spans.push(Span { first: c, last: c, words: vec![word.clone()] }),
            }
        }
        Cut { spans, top: line.top(), bottom: line.bottom(), base: line.base, size: line.size }
    }

    /// Numbers side by side are cells of their own, though no line parts them.
    fn part_values(&mut self, words: &[Word]) {
        let cols = self.cols();
        let mut texts: Vec<String> = vec![String::new(); self.rows() * cols];
        for word in words {
            if let Some((r, c)) = self.cell_of(word) {
                let text = &mut texts[r * cols + c];
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(&word.text);
            }
        }
        for r in 0..self.rows() {
            for c in 1..cols {
                let (left, right) = (&texts[r * cols + c - 1], &texts[r * cols + c]);
                if !self.down[r][c] && is_value(left) && is_value(right) {
                    self.down[r][c] = true;
                }
            }
        }
    }

    /// A column without lines across is parted by those of the others, where each of its rows has a text.
    fn part_labels(&mut self, words: &[Word]) {
        let (rows, cols) = (self.rows(), self.cols());
        let mut filled = vec![false; rows * cols];
        for (r, c) in words.iter().filter_map(|w| self.cell_of(w)) {
            filled[r * cols + c] = true;
        }
        for c in 0..cols {
            let mut first = 0;
            for r in 1..=rows {
                if r < rows && !self.across[r][c] {
                    continue;
                }
                let is_list = r - first > 3 && (first..r).all(|i| filled[i * cols + c]);
                for i in first + 1..r {
                    let parted = self.across[i].iter().filter(|b| **b).count() * 2 >= cols;
                    self.across[i][c] |= is_list && parted;
                }
                first = r;
            }
        }
    }

    /// Whether a column of the grid holds several columns of numbers.
    fn has_hidden_columns(&self, words: &[Word]) -> bool {
        (0..self.cols()).any(|col| {
            let mine = words.iter().filter(|w| self.cell_of(w).is_some_and(|c| c.1 == col));
            let zone = (self.xs[col], self.xs[col + 1]);
            !super::column::cuts_by_values(&lines(mine.cloned().collect()), zone).is_empty()
        })
    }

    /// Cells without a border between them are one: first row and column, last row and column.
    fn groups(&self) -> Vec<[usize; 4]> {
        let (rows, cols) = (self.rows(), self.cols());
        let mut parent: Vec<usize> = (0..rows * cols).collect();
        for r in 0..rows {
            for c in 0..cols {
                if c > 0 && !self.down[r][c] {
                    let (a, b) = (root(&mut parent, r * cols + c), root(&mut parent, r * cols + c - 1));
                    parent[a] = b;
                }
                if r > 0 && !self.across[r][c] {
                    let (a, b) = (root(&mut parent, r * cols + c), root(&mut parent, (r - 1) * cols + c));
                    parent[a] = b;
                }
            }
        }
        let mut sets: std::collections::BTreeMap<usize, [usize; 4]> = Default::default();
        for i in 0..rows * cols {
            let (r, c) = (i / cols, i % cols);
            let set = sets.entry(root(&mut parent, i)).or_insert([r, c, r, c]);
            *set = [set[0].min(r), set[1].min(c), set[2].max(r), set[3].max(c)];
        }
        let mut found: Vec<[usize; 4]> = sets.into_values().collect();
        found.sort_unstable();
        found
    }

    /// A title above and remarks below, framed with the table, are not part of it.
    fn trim(&mut self, groups: &mut Vec<[usize; 4]>, words: &mut Vec<Word>) {
        let all = self.cols() - 1;
        let full = |g: &[usize; 4]| g[1] == 0 && g[3] == all;
        let mut first = 0;
        while let Some(g) = groups.iter().find(|g| g[0] == first && full(g)) {
            first = g[2] + 1;
        }
        let mut end = self.rows();
        while let Some(g) = groups.iter().find(|g| end > 0 && g[2] == end - 1 && full(g)) {
            end = g[0];
        }
        if first >= end {
            return;
        }
        let (top, bottom) = (self.ys[first], self.ys[end]);
        groups.retain(|g| g[0] >= first && g[2] < end);
        groups.iter_mut().for_each(|g| (g[0], g[2]) = (g[0] - first, g[2] - first));
        words.retain(|w| (top..bottom).contains(&(w.base - 0.25 * w.size)));
        self.ys = self.ys[first..=end].to_vec();
    }

    fn build(&self, groups: Vec<[usize; 4]>, words: Vec<Word>) -> Option<Sheet> {
        let mut owner = vec![usize::MAX; self.rows() * self.cols()];
        for (i, g) in groups.iter().enumerate() {
            for r in g[0]..=g[2] {
                for c in g[1]..=g[3] {
                    *owner.get_mut(r * self.cols() + c)? = i;
                }
            }
        }
        let mut texts: Vec<Vec<Word>> = vec![Vec::new(); groups.len()];
        let all = words.clone();
        for word in words {
            let Some((r, c)) = self.cell_of(&word) else { continue };
            if let Some(text) = owner.get(r * self.cols() + c).and_then(|o| texts.get_mut(*o)) {
                text.push(word);
            }
        }
        let cells: Vec<Cell> = groups.iter().zip(texts).filter_map(|(g, w)| Cell::of(w, *g)).collect();
        let sheet = Sheet {
            rect: [*self.xs.first()?, *self.ys.first()?, *self.xs.last()?, *self.ys.last()?],
            rows: self.ys.windows(2).map(|y| (y[0], y[1])).collect(),
            cols: self.xs.windows(2).map(|x| (x[0], x[1])).collect(),
            cells,
            words: all,
            ..Sheet::default()
        };
        is_table(&sheet, groups.len()).then(|| super::body::tidy(sheet))
    }
}

/// Whether a grid of lines is a table, not a frame, a form line or the grid of a chart.
fn is_table(sheet: &Sheet, groups: usize) -> bool {
    let columns: std::collections::HashSet<usize> = sheet.cells.iter().map(|c| c.col).collect();
    let rows: std::collections::HashSet<usize> = sheet.cells.iter().map(|c| c.row).collect();
    columns.len() > 1 && rows.len() > 1 && sheet.cells.len() > 3 && sheet.cells.len() * 6 >= groups
}

/// Positions, those near each other taken as one.
fn snapped(mut at: Vec<f32>) -> Vec<f32> {
    at.sort_by(f32::total_cmp);
    let mut out: Vec<f32> = Vec::new();
    for x in at {
        match out.last() {
            Some(last) if x - last < NEAR => {}
            _ => out.push(x),
        }
    }
    out
}

//! What speaks for a condition.

use super::view::View;
use super::{id, nearest, share, steps};
use crate::link::{Grade, Link};
use crate::mask::{first, last};
use crate::program::Test;

impl View<'_> {
    pub(super) fn condition(&self, number: usize) -> Vec<u32> {
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
            id(
                70,
                &[grade, u64::from(link.mask & !self.naming == 0), u64::from(link.mask & !named.mask == 0)],
            ),
        ];
        ids.extend(self.around(link));
        if link.grade == Grade::Choice {
            ids.extend(self.chosen(link));
        }
        ids
    }

    /// The words of the question beside those of a choice and of its column.
    fn chosen(&self, link: &Link) -> Vec<u32> {
        let test = test(&link.condition.test);
        let texts = match &link.condition.test {
            Test::Is(values) | Test::Not(values) => values.iter().map(|v| v.text.as_str()).collect(),
            _ => Vec::new(),
        };
        let said: Vec<u64> =
            texts.iter().flat_map(|t| crate::word::words(t)).map(|w| super::hash(&w.stem)).collect();
        let mut ids = Vec::new();
        for word in self.content() {
            ids.push(id(73, &[word, test]));
            ids.extend(said.iter().map(|s| id(71, &[*s, word, test])));
            ids.extend(self.name(link.condition.column).iter().map(|n| id(72, &[*n, word, test])));
        }
        ids.extend(said.iter().map(|s| id(74, &[*s, test])));
        ids
    }

    /// The words beside a condition and inside it.
    fn around(&self, link: &Link) -> Vec<u32> {
        let (column, grade) = (link.condition.column, link.grade as u64);
        let (sort, test) = (self.sort(column), test(&link.condition.test));
        let word = |at: Option<usize>| at.and_then(|at| self.plain.get(at)).copied().unwrap_or(0);
        let from = first(link.mask);
        let before = word(from.and_then(|f| f.checked_sub(1)));
        let before2 = word(from.and_then(|f| f.checked_sub(2)));
        let after = word(last(link.mask).map(|l| l + 1));
        let mut ids = vec![
            id(60, &[before, sort, grade]),
            id(61, &[after, sort, grade]),
            id(62, &[before2, before, test]),
            id(63, &[before, after, test]),
        ];
        for stem in self.name(column) {
            ids.push(id(64, &[*stem, before]));
            ids.push(id(65, &[*stem, before2]));
            ids.push(id(66, &[*stem, after]));
            ids.push(id(67, &[*stem, grade]));
        }
        if link.grade == Grade::Compare || link.grade == Grade::Not {
            let inside = self.stems.iter().enumerate().filter(|(i, _)| link.mask >> i & 1 == 1);
            ids.extend(inside.map(|(_, w)| id(68, &[*w, test])));
        }
        if link.mask.count_ones() == 1 {
            let word = from.and_then(|f| self.stems.get(f)).copied().unwrap_or(0);
            ids.push(id(69, &[word, grade]));
        }
        ids
    }
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
        Test::Quarter(_) | Test::Weekday(_) => 13,
        Test::LessThan(_) => 16,
        Test::MoreThan(_) => 17,
        Test::Empty => 14,
        Test::Filled => 15,
    }
}

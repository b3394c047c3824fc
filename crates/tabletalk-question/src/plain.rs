//! Questions that ask for arithmetic in so many words: `the total amount in the region North`, `top 5 products by
//! sales`, `销售额的总和`. Every word must have its place, and then there is nothing left to choose: no model is
//! asked, and the answer is as sure as the names of the columns are.

use crate::analyse::{Amount, Mask, Question, gap, span};
use crate::execute::execute;
use crate::grid::{Field, Grid, Measure};
use crate::link::{self, Grade, Link};
use crate::program::{Ask, Fold, Pick, Program, Rows};
use crate::read::Subject;
use crate::word::{self, Word};

/// How sure a reading is in which every word has its place.
pub(crate) const PROBABILITY: f32 = 0.92;

/// The most rows that are asked for by number.
const MOST_ROWS: f64 = 1000.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Sum,
    Average,
    Most,
    Least,
    Count,
}

const OPERATIONS: &[(&str, Operation)] = &[
    ("total", Operation::Sum),
    ("sum", Operation::Sum),
    ("合计", Operation::Sum),
    ("总和", Operation::Sum),
    ("总计", Operation::Sum),
    ("总额", Operation::Sum),
    ("之和", Operation::Sum),
    ("average", Operation::Average),
    ("mean", Operation::Average),
    ("平均值", Operation::Average),
    ("平均", Operation::Average),
    ("highest", Operation::Most),
    ("largest", Operation::Most),
    ("biggest", Operation::Most),
    ("greatest", Operation::Most),
    ("maximum", Operation::Most),
    ("max", Operation::Most),
    ("top", Operation::Most),
    ("最高", Operation::Most),
    ("最大值", Operation::Most),
    ("最大", Operation::Most),
    ("最多", Operation::Most),
    ("lowest", Operation::Least),
    ("smallest", Operation::Least),
    ("minimum", Operation::Least),
    ("min", Operation::Least),
    ("bottom", Operation::Least),
    ("最低", Operation::Least),
    ("最小值", Operation::Least),
    ("最小", Operation::Least),
    ("最少", Operation::Least),
    ("how many", Operation::Count),
    ("有多少", Operation::Count),
    ("多少家", Operation::Count),
    ("多少行", Operation::Count),
    ("多少条", Operation::Count),
    ("多少个", Operation::Count),
    ("多少位", Operation::Count),
];

/// Words that say nothing more.
const NOISE: &[&str] = &[
    "all",
    "calculate",
    "compute",
    "entries",
    "entry",
    "find",
    "give",
    "line",
    "lines",
    "overall",
    "record",
    "records",
    "row",
    "rows",
    "show",
    "table",
    "value",
    "values",
    "where",
    "共",
    "多",
    "少",
    "前",
    "条",
    "行",
    "一",
    "家",
    "哪",
    "几",
    "数",
    "项",
];

/// Words that point back to an earlier question: what they mean is not in this one.
const BACK: &[&str] =
    &["he", "her", "his", "it", "its", "she", "that", "their", "them", "these", "they", "this", "those"];

/// Words that ask for a thing and not for a number.
const THING: &[&str] = &["who", "whom", "whose", "when", "哪", "谁"];

/// The program of a question whose every word has its place.
pub(crate) fn read(text: &str, subject: &Subject<'_>) -> Option<Program> {
    let question = Question::new(text);
    let said = Said::of(&question, subject)?;
    let program = said.program()?;
    execute(&program, subject.grid).map(|_| program)
}

/// What is said, and by which words.
struct Said<'a> {
    question: &'a Question,
    grid: &'a Grid,
    operations: Vec<(Mask, Operation)>,
    names: Vec<(Mask, usize)>,
    about: Mask,
}

impl<'a> Said<'a> {
    fn of(question: &'a Question, subject: &Subject<'a>) -> Option<Said<'a>> {
        let operations = operations(question);
        if operations.is_empty() || question.words.iter().any(|w| BACK.contains(&w.text.as_str())) {
            return None;
        }
        let taken = operations.iter().fold(0, |all, (mask, _)| all | mask);
        let names = names(question, subject.grid, taken);
        let about = about(question, subject);
        Some(Said { question, grid: subject.grid, operations, names, about })
    }

    fn program(&self) -> Option<Program> {
        let kinds: Vec<Operation> = self.operations.iter().map(|(_, o)| *o).collect();
        match kinds.as_slice() {
            [Operation::Count] => match self.counted() {
                Some(column) => self.finish(Ask::Fold(Fold::Sum, column), None, &[column]),
                None => self.finish(Ask::Count, None, &[]),
            },
            [one @ (Operation::Most | Operation::Least)] => self.extreme(*one == Operation::Most),
            [Operation::Sum] => self.fold(Fold::Sum),
            [Operation::Average] => self.fold(Fold::Average),
            [one @ (Operation::Most | Operation::Least), Operation::Sum] => {
                self.group(*one == Operation::Most)
            }
            _ => None,
        }
    }

    /// The number column right after the word for counting: `how many claims` asks for the claims, not for rows.
    fn counted(&self) -> Option<usize> {
        let (at, _) = self.operations.first()?;
        let follows = |mask: Mask| gap(mask, *at) == 0 && mask.trailing_zeros() > at.trailing_zeros();
        let is_amount =
            |column: usize| column > 0 && self.grid.columns.get(column).is_some_and(Field::is_number);
        self.names
            .iter()
            .find(|(mask, column)| follows(*mask) && is_amount(*column))
            .map(|(_, column)| *column)
    }

    /// A sum, an average: of the one number column that is named beside the word for it.
    fn fold(&self, fold: Fold) -> Option<Program> {
        let column = self.beside(|field| field.is_number())?;
        self.finish(Ask::Fold(fold, column), None, &[column])
    }

    /// The largest value of a column, or what has it, or the first so many that have it.
    fn extreme(&self, most: bool) -> Option<Program> {
        let column =
            self.after_by().or_else(|| self.beside(|f| f.is_number() || f.measure == Measure::Day))?;
        let others: Vec<usize> = self.shown(column);
        let count = self.count();
        match (others.as_slice(), count) {
            ([], None) if self.asks_for_thing() => None,
            ([], None) => {
                let fold = if most { Fold::Most } else { Fold::Least };
                self.finish(Ask::Fold(fold, column), None, &[column])
            }
            // Several rows of one value may be meant one by one or together.
            ([shown], Some(_)) if !self.grid.columns.get(*shown)?.is_key() => None,
            ([shown], _) => {
                let pick = Pick::Extreme { column, most, count: count.map_or(1, |(_, n)| n), skip: 0 };
                self.finish(Ask::Cells(*shown), Some(pick), &[column, *shown])
            }
            _ => None,
        }
    }

    /// The value of a column whose sum is largest.
    fn group(&self, most: bool) -> Option<Program> {
        let summed = self.beside(|field| field.is_number())?;
        let [column] = self.shown(summed)[..] else { return None };
        self.finish(Ask::Group { column, most, sum: Some(summed) }, None, &[column, summed])
    }

    /// The named column nearest to the last operation, of those that can be calculated with.
    fn beside(&self, fits: impl Fn(&Field) -> bool) -> Option<usize> {
        let (at, _) = self.operations.last()?;
        let fitting = self.names.iter().filter(|(_, c)| self.grid.columns.get(*c).is_some_and(&fits));
        fitting.min_by_key(|(mask, _)| gap(*mask, *at)).map(|(_, column)| *column)
    }

    /// Whether the answer is a thing, or the first of several, and not the number itself.
    fn asks_for_thing(&self) -> bool {
        let says = |word: &Word| {
            let text = word.text.as_str();
            matches!(text, "which" | "top" | "bottom") || THING.contains(&text)
        };
        self.question.words.iter().any(says)
    }

    /// The column that things are ordered by: `by sales`, `按销售额`.
    fn after_by(&self) -> Option<usize> {
        let is_by = |word: &Word| matches!(word.text.as_str(), "by" | "按");
        let at = self.question.words.iter().position(is_by)?;
        let next = self.names.iter().filter(|(mask, _)| mask.trailing_zeros() as usize > at);
        let column = next.min_by_key(|(mask, _)| mask.trailing_zeros()).map(|(_, column)| *column)?;
        self.grid.columns.get(column)?.is_measured().then_some(column)
    }

    /// Named columns that are neither the one calculated with nor the one of a condition.
    fn shown(&self, but: usize) -> Vec<usize> {
        let counted = self.count().map_or(0, |(mask, _)| mask);
        let used: Vec<usize> = self.conditions(counted).iter().map(|l| l.condition.column).collect();
        let names = self.names.iter().map(|(_, c)| *c);
        let mut shown: Vec<usize> = names.filter(|c| *c != but && !used.contains(c)).collect();
        shown.dedup();
        shown
    }

    /// The number of rows that are asked for: `top 5`.
    fn count(&self) -> Option<(Mask, usize)> {
        let (at, _) = self.operations.first()?;
        self.question.mentions.iter().find_map(|mention| match mention.what {
            Amount::Number(n) if (1.0..=MOST_ROWS).contains(&n) && n.fract() == 0.0 => {
                let near = gap(mention.mask, *at) <= 3;
                near.then_some((mention.mask, n as usize))
            }
            _ => None,
        })
    }

    /// Conditions on whole cells, those of most words first, none of whose words means something else.
    fn conditions(&self, taken: Mask) -> Vec<Link> {
        let mut taken = taken | self.operations.iter().fold(0, |all, (mask, _)| all | mask);
        let mut links = link::conditions(self.question, self.grid, &link::names(self.question, self.grid));
        // A comparison is of the column whose name stands beside it.
        let beside =
            |l: &Link| self.names.iter().any(|(mask, c)| *c == l.condition.column && gap(*mask, l.mask) == 0);
        links.retain(|l| match l.grade {
            Grade::Whole | Grade::Day => true,
            Grade::Compare => beside(l),
            _ => false,
        });
        links.sort_by_key(|l| std::cmp::Reverse(l.mask.count_ones()));
        let mut kept: Vec<Link> = Vec::new();
        for link in links {
            let is_name = self.names.iter().any(|(mask, _)| mask & link.mask != 0);
            if link.mask & taken == 0 && !is_name {
                taken |= link.mask;
                kept.push(link);
            }
        }
        kept
    }

    /// The program, if every word of the question has its place in it.
    fn finish(&self, ask: Ask, pick: Option<Pick>, columns: &[usize]) -> Option<Program> {
        let counted = pick.as_ref().and_then(|_| self.count()).map_or(0, |(mask, _)| mask);
        let conditions = self.conditions(counted);
        // A column that is chosen by twice, or chosen by and calculated with, was hardly meant so.
        let by: Vec<usize> = conditions.iter().map(|l| l.condition.column).collect();
        let is_twice =
            |(i, c): (usize, &usize)| columns.contains(c) || by.iter().skip(i + 1).any(|other| other == c);
        if by.iter().enumerate().any(is_twice) {
            return None;
        }
        let mut covered = counted | self.operations.iter().fold(0, |all, (mask, _)| all | mask);
        for (mask, column) in &self.names {
            let is_used =
                columns.contains(column) || conditions.iter().any(|l| l.condition.column == *column);
            covered |= if is_used { *mask } else { 0 };
        }
        covered |= conditions.iter().fold(0, |all, link| all | link.mask);
        covered |= self.about;
        let says = |(i, word): (usize, &Word)| {
            covered & span(i, i + 1) == 0 && !word.is_stop() && !NOISE.contains(&word.text.as_str())
        };
        if self.question.words.iter().enumerate().any(says) {
            return None;
        }
        let conditions = conditions.into_iter().map(|link| link.condition).collect();
        Some(Program { rows: Rows { conditions, pick, ..Rows::default() }, ask })
    }
}

/// The operations that are named, in their order; of words inside one another the longer.
fn operations(question: &Question) -> Vec<(Mask, Operation)> {
    let mut found: Vec<(Mask, Operation)> = Vec::new();
    for &(text, operation) in OPERATIONS {
        let words = word::words(text);
        for from in 0..question.words.len() {
            let run = question.words.iter().skip(from).zip(&words);
            let mask = span(from, from + words.len());
            let inside = found.iter().any(|(other, _)| other & mask != 0);
            if !inside && run.clone().count() == words.len() && run.clone().all(|(a, b)| a.text == b.text) {
                found.push((mask, operation));
            }
        }
    }
    found.sort_by_key(|(mask, _)| mask.trailing_zeros());
    found
}

/// Runs of words that are the whole name of a column; of names inside one another the longer, and none that two
/// columns have.
fn names(question: &Question, grid: &Grid, taken: Mask) -> Vec<(Mask, usize)> {
    let mut found: Vec<(Mask, usize)> = Vec::new();
    for (column, field) in grid.columns.iter().enumerate() {
        let words: Vec<&Word> = field.words.iter().collect();
        if words.is_empty() {
            continue;
        }
        for from in 0..question.words.len() {
            let run = question.words.iter().skip(from).zip(&words);
            let is_name = run.clone().count() == words.len() && run.clone().all(|(a, b)| a.stem == b.stem);
            let mask = span(from, from + words.len());
            if is_name && mask & taken == 0 {
                found.push((mask, column));
            }
        }
    }
    let inside = |one: &(Mask, usize)| {
        found
            .iter()
            .any(|other| one.0 & other.0 != 0 && one != other && one.0.count_ones() <= other.0.count_ones())
    };
    let kept: Vec<(Mask, usize)> = found.iter().copied().filter(|one| !inside(one)).collect();
    kept
}

/// Words that say what the rows are: those of the table's name and title, and of the columns that name a row.
fn about(question: &Question, subject: &Subject<'_>) -> Mask {
    let names = |(i, f): &(usize, &Field)| f.is_key() && (*i == 0 || !f.is_measured());
    let keys = subject.grid.columns.iter().enumerate().filter(names);
    let mut stems: Vec<String> = keys.flat_map(|(_, f)| f.words.iter().map(|w| w.stem.clone())).collect();
    stems.extend(word::words(subject.relation).into_iter().chain(word::words(subject.title)).map(|w| w.stem));
    let is_about = |(_, w): &(usize, &Word)| stems.contains(&w.stem);
    question.words.iter().enumerate().filter(is_about).fold(0, |all, (i, _)| all | span(i, i + 1))
}

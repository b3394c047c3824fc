//! Questions with known answers, made from a user's own tables.
//!
//! Every question is drawn from the cells of a table, checked to have exactly one right answer, and put in one of
//! several wordings. The answers are worked out row by row with exact numbers, by code that shares nothing with
//! what answers questions: so they can judge it.

mod ask;
mod chinese;
mod english;
mod exact;
mod header;
mod join;
mod naming;
mod paraphrase;
mod random;
#[cfg(test)]
mod tests;
mod text;
mod view;

pub use paraphrase::{accept, paraphrase_prompt};

use ask::{Ask, Right};
use join::{By, Join, Links};
use naming::{Naming, Need};
use random::Random;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use tabletalk_core::Kind;
use view::View;

/// The most cells that are listed for a question; where more are needed, none are.
const MOST_CELLS: usize = 1000;
/// How often a wording is tried anew when the same question has been made already.
const TRIES: usize = 6;

/// A table as questions are made from it.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// What the question names as relevant.
    pub id: String,
    /// The name of the table or of its file.
    pub name: String,
    /// What stands above it; may be empty.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Col>,
    /// What is shown in its ordinary rows, empty for an empty cell; no totals.
    pub rows: Vec<Vec<String>>,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Col {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: Kind,
    /// The unit that its values are in.
    pub unit: Option<String>,
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How many questions are made of each table, spread over the forms.
    pub each: usize,
    /// What the choice depends on.
    pub seed: u64,
    /// The forms of questions; all when empty.
    pub kinds: Vec<Form>,
}

/// The form of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// What stands in one cell.
    LookUp,
    /// How many rows meet a condition.
    Count,
    /// What the values of several rows add up to.
    Sum,
    /// Which of two rows has more, or how much more.
    Comparison,
    /// Which row has the most or the least.
    Superlative,
    /// What another table says about a row of this one.
    Join,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 6] =
        [Form::LookUp, Form::Count, Form::Sum, Form::Comparison, Form::Superlative, Form::Join];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Form::LookUp => "look-up",
            Form::Count => "count",
            Form::Sum => "sum",
            Form::Comparison => "comparison",
            Form::Superlative => "superlative",
            Form::Join => "join",
        }
    }
}

impl std::str::FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Form::ALL.map(Form::name).join(", ");
        let found = Form::ALL.into_iter().find(|form| form.name() == text);
        found.ok_or_else(|| format!("no form of question `{text}`; there are {}", names()))
    }
}

/// The language of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    En,
    /// Chinese.
    Zh,
}

/// A question with its right answer, as a line of a file of questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Its id.
    pub id: String,
    /// Its form.
    pub form: Form,
    /// What is asked.
    pub question: String,
    /// The ids of the tables it is about; the one that the answer stands in comes first.
    pub relevant: Vec<String>,
    /// The right answer.
    pub answers: Vec<String>,
    /// Row and column, from 0, of the cells of the first table that the answer rests on; none where they are many.
    pub cells: Vec<(usize, usize)>,
    /// The columns of the first table that the answer rests on.
    pub columns: Vec<String>,
    /// The language it is asked in.
    pub language: Language,
    /// The question that this one puts in other words.
    pub paraphrase_of: Option<String>,
    /// The values and names that stand in the question and must stay as they are.
    #[serde(skip)]
    pub literals: Vec<String>,
}

/// Makes questions with known answers from tables: the same ones for the same tables and seed.
pub fn generate(sheets: &[Sheet], options: &Options) -> Vec<Made> {
    let views: Vec<View<'_>> = sheets.iter().map(View::of).collect();
    let mut forms: Vec<Form> = Vec::new();
    let wanted = if options.kinds.is_empty() { &Form::ALL[..] } else { &options.kinds[..] };
    wanted.iter().for_each(|form| {
        if !forms.contains(form) {
            forms.push(*form)
        }
    });
    let joins = forms.contains(&Form::Join);
    let links = if joins { Links::of(&views) } else { Links::default() };
    let desk = Desk { naming: Naming::of(&views), views, links };
    let mut seen = HashSet::new();
    let of = |at| desk.questions(at, &forms, options, &mut seen);
    let mut made = plain((0..sheets.len()).flat_map(of).collect());
    made.iter_mut().enumerate().for_each(|(i, made)| made.id = format!("g{}-{}", options.seed, i + 1));
    made
}

/// Leaves out questions that are asked of different tables in the same words.
fn plain(made: Vec<Made>) -> Vec<Made> {
    let mut times: HashMap<String, usize> = HashMap::new();
    made.iter().for_each(|one| *times.entry(text::folded(&one.question)).or_default() += 1);
    made.into_iter().filter(|one| times.get(&text::folded(&one.question)) == Some(&1)).collect()
}

/// All tables, and what ties them together.
struct Desk<'a> {
    views: Vec<View<'a>>,
    links: Links,
    naming: Naming,
}

impl Desk<'_> {
    /// The questions about one table, one form after the other until there are enough or no more.
    fn questions(
        &self,
        at: usize,
        forms: &[Form],
        options: &Options,
        seen: &mut HashSet<String>,
    ) -> Vec<Made> {
        let Some(view) = self.views.get(at) else { return Vec::new() };
        let mut random = Random::new(options.seed, &view.sheet.id);
        let mut open = forms.to_vec();
        let turn = random.below(open.len());
        open.rotate_left(turn);
        let mut made = Vec::new();
        while made.len() < options.each && !open.is_empty() {
            open.retain(|form| {
                if made.len() >= options.each {
                    return true;
                }
                let new = (0..TRIES).find_map(|_| {
                    let one = self.one(at, *form, &mut random)?;
                    seen.insert(format!("{}\n{}", view.sheet.id, one.question)).then_some(one)
                });
                let found = new.is_some();
                made.extend(new);
                found
            });
        }
        made
    }

    fn one(&self, at: usize, form: Form, random: &mut Random) -> Option<Made> {
        let made = match form {
            Form::Join => self.join(at, random),
            _ => self.single(at, form, random),
        }?;
        let answer = made.answers.iter().map(|a| text::folded(a)).next()?;
        let told = form != Form::Comparison && text::holds(&text::folded(&made.question), &answer);
        (!told).then_some(made)
    }

    fn single(&self, at: usize, form: Form, random: &mut Random) -> Option<Made> {
        let view = self.views.get(at)?;
        let (ask, right) = ask::draw(view, form, random)?;
        let headers: Vec<&str> = right.columns.iter().map(|col| view.header(*col)).collect();
        let need = match ask {
            Ask::Cell { .. } | Ask::Compare { .. } | Ask::Gap { .. } => Need::Little,
            Ask::Count { .. } | Ask::Sum { .. } | Ask::Best { .. } => Need::Much,
        };
        let title = self.naming.choose(at, &headers, need, random).ok()?;
        let titles: Vec<String> = title.into_iter().collect();
        let question = match view.language {
            Language::En => {
                let (said, at_end) = english::say(view, &ask, random);
                if titles.is_empty() { said } else { english::place(&said, &titles, at_end, random) }
            }
            Language::Zh => {
                let said = chinese::say(view, &ask, random);
                if titles.is_empty() { said } else { chinese::place(&said, &titles, random) }
            }
        };
        let literals = literals(view, &ask).into_iter().chain(titles).collect();
        Some(made(view, form, question, right, literals))
    }

    fn join(&self, at: usize, random: &mut Random) -> Option<Made> {
        let join = self.links.draw(&self.views, at, random)?;
        let to = self.views.iter().position(|view| std::ptr::eq(view, join.to))?;
        let (row, col) = join.by.cell();
        let said = match join.from.language {
            Language::En => english::join(&join, random),
            Language::Zh => chinese::join(&join, random),
        };
        let titles = self.titles(at, to, &join, random)?;
        let question = match join.from.language {
            _ if titles.is_empty() => said,
            Language::En => english::place(&said, &titles, false, random),
            Language::Zh => chinese::place(&said, &titles, random),
        };
        let value = (!matches!(join.by, By::Best { .. })).then(|| join.from.said(row, col));
        let right = Right {
            answer: join.to.text(join.row, join.wanted).to_owned(),
            cells: vec![(join.row, join.key), (join.row, join.wanted)],
            columns: vec![join.key, join.wanted],
        };
        let mut made = made(join.to, Form::Join, question, right, value.into_iter().chain(titles).collect());
        made.relevant.push(join.from.sheet.id.clone());
        Some(made)
    }

    /// The names of both tables of a join where other tables could be meant; none if they cannot be told apart.
    fn titles(&self, at: usize, to: usize, join: &Join<'_, '_>, random: &mut Random) -> Option<Vec<String>> {
        let (_, col) = join.by.cell();
        let from = self.naming.rivals(at, &[join.from.header(join.foreign), join.from.header(col)]);
        let held = self.naming.rivals(to, &[join.to.header(join.key), join.to.header(join.wanted)]);
        let same = text::folded(join.from.header(join.foreign)) == text::folded(join.to.header(join.key));
        if same && from.is_empty() && held.is_empty() && random.once_in(2) {
            return Some(Vec::new());
        }
        let (a, b) = (self.naming.apart(at, &from)?, self.naming.apart(to, &held)?);
        Some(if a == b { vec![a] } else { vec![a, b] })
    }
}

/// The values that stand in a question.
fn literals(view: &View<'_>, ask: &Ask) -> Vec<String> {
    let text = |(row, col): (usize, usize)| view.said(row, col);
    match *ask {
        Ask::Cell { key, row, .. } => vec![text((row, key))],
        Ask::Count { test } => vec![text(test.cell())],
        Ask::Sum { test, .. } | Ask::Best { test, .. } => test.iter().map(|test| text(test.cell())).collect(),
        Ask::Compare { key, rows, .. } | Ask::Gap { key, rows, .. } => {
            rows.iter().map(|row| text((*row, key))).collect()
        }
    }
}

fn made(view: &View<'_>, form: Form, question: String, right: Right, literals: Vec<String>) -> Made {
    let mut cells = right.cells;
    cells.sort_unstable();
    if cells.len() > MOST_CELLS {
        cells.clear();
    }
    Made {
        id: String::new(),
        form,
        question,
        relevant: vec![view.sheet.id.clone()],
        answers: vec![right.answer],
        cells,
        columns: right.columns.iter().map(|col| view.header(*col).to_owned()).collect(),
        language: view.language,
        paraphrase_of: None,
        literals,
    }
}

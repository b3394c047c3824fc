//! How a question says which table it is about.

use super::random::Random;
use super::text::{self, folded};
use super::view::View;
use std::collections::HashMap;

/// The longest title that a question is given, in characters.
const LONGEST: usize = 100;

/// Which tables have which columns, and what they are called.
#[derive(Debug)]
pub(super) struct Naming {
    /// The tables that have a column of this name, in order.
    holders: HashMap<String, Vec<usize>>,
    titles: Vec<Called>,
    /// The tables whose title or name is this, in order.
    called: HashMap<String, Vec<usize>>,
}

/// What a table is called.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Called {
    title: String,
    name: String,
}

impl Called {
    fn folded(&self) -> [String; 2] {
        [folded(&self.title), folded(&self.name)]
    }
}

/// How much a question needs the name of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// The values in it say which table is meant, unless others have the same columns.
    Little,
    /// Nothing in it says which table is meant but the names of the columns.
    Much,
}

impl Naming {
    pub(super) fn of(views: &[View<'_>]) -> Naming {
        let mut holders: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, view) in views.iter().enumerate() {
            for column in &view.sheet.columns {
                let list = holders.entry(folded(&column.name)).or_default();
                if list.last() != Some(&at) {
                    list.push(at);
                }
            }
        }
        let call = |view: &View<'_>| Called { title: tidy(&view.sheet.title), name: tidy(&view.sheet.name) };
        let titles: Vec<Called> = views.iter().map(call).collect();
        let mut called: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, own) in titles.iter().enumerate() {
            own.folded().into_iter().for_each(|text| called.entry(text).or_default().push(at));
        }
        Naming { holders, titles, called }
    }

    /// The other tables that have all these columns.
    pub(super) fn rivals(&self, at: usize, columns: &[&str]) -> Vec<usize> {
        let mut lists: Vec<&[usize]> = columns
            .iter()
            .map(|name| self.holders.get(&folded(name)).map_or(&[][..], Vec::as_slice))
            .collect();
        lists.sort_by_key(|list| list.len());
        let Some((least, rest)) = lists.split_first() else { return Vec::new() };
        let in_all = |other: &usize| rest.iter().all(|list| list.binary_search(other).is_ok());
        least.iter().copied().filter(|other| *other != at && in_all(other)).collect()
    }

    /// What tells a table from these others; none if nothing does.
    pub(super) fn apart(&self, at: usize, rivals: &[usize]) -> Option<String> {
        let own = self.titles.get(at)?;
        let is_rival = |other: &&usize| rivals.binary_search(other).is_ok();
        let like = |text: &str| self.called.get(text).into_iter().flatten().filter(is_rival);
        let is_free = |text: &str| is_fit(text) && like(&folded(text)).next().is_none();
        if is_free(&own.title) {
            return Some(own.title.clone());
        }
        if is_free(&own.name) {
            return Some(own.name.clone());
        }
        let own_names = own.folded();
        let is_same = |other: &usize| self.titles.get(*other).is_some_and(|o| o.folded() == own_names);
        let [title, _] = &own_names;
        let both = is_fit(&own.title) && is_fit(&own.name) && !like(title).any(is_same);
        both.then(|| format!("{} ({})", own.title, own.name))
    }

    /// The name that a question about these columns of a table is given, if any; `Err` if it needs one and there
    /// is none that tells the table from others.
    pub(super) fn choose(
        &self,
        at: usize,
        columns: &[&str],
        need: Need,
        random: &mut Random,
    ) -> Result<Option<String>, ()> {
        let rivals = self.rivals(at, columns);
        let title = self.apart(at, &rivals);
        if !rivals.is_empty() {
            return title.map(Some).ok_or(());
        }
        let wanted = self.titles.len() > 1 && (need == Need::Much || random.once_in(3));
        Ok(title.filter(|title| wanted && is_telling(title)))
    }
}

fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_fit(text: &str) -> bool {
    let odd = ['|', '`', '\\', '<', '>', '{', '}'];
    text.contains(char::is_alphanumeric)
        && text.chars().take(LONGEST + 1).count() <= LONGEST
        && !text.contains(odd)
        && !text.contains(char::is_control)
}

/// Whether a title has words of its own: `Sheet 1` and `表2` say nothing.
fn is_telling(title: &str) -> bool {
    const EMPTY: &[&str] = &[
        "table", "sheet", "data", "list", "page", "untitled", "results", "the", "of", "notes", "xlsx", "csv",
    ];
    let words = text::words(title);
    let own = words.iter().filter(|word| !EMPTY.contains(&word.as_str()));
    let letters = own.flat_map(|word| word.chars()).filter(|c| c.is_alphabetic() && *c != '表');
    letters.map(|c| if text::is_han(c) { 2 } else { 1 }).sum::<usize>() >= 4
}

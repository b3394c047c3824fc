//! What everyday words mean to a question, in English, German, French and Chinese.
//!
//! Words are written as [`crate::word`] folds them: lower case, without accents, every Chinese character a word of
//! its own. A phrase of several words stands for itself: `how many` is not `how` and `many`.

mod words;

use crate::word::{self, Word};
use std::collections::HashMap;
use std::sync::OnceLock;
use words::{CONCEPTS, SENSES};

/// What a word or phrase says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sense {
    /// Says nothing that a program would have to do.
    Filler,
    /// A verb that says little beside what it is said of: `play`, `win`. Alone it says something that is not known.
    Light,
    /// Asks for a person.
    Who,
    /// Asks for a thing that a noun beside it names.
    Which,
    /// Asks for anything.
    What,
    When,
    Where,
    HowMany,
    HowMuch,
    /// Wants to see rows.
    Show,
    Sum,
    Average,
    /// The number itself: `the highest price`.
    Most,
    Least,
    /// The largest or smallest of a thing that the adjective names.
    MostOf(Concept),
    LeastOf(Concept),
    /// The latest or the earliest.
    Latest,
    Earliest,
    Distinct,
    /// `by`, `per`, `for each`.
    By,
    /// `monthly`, `per month`: the noun alone is [`Sense::Period`].
    Period(Period),
    More,
    Less,
    AtLeast,
    AtMost,
    After,
    Before,
    Since,
    Until,
    Between,
    Not,
    Without,
    And,
    Or,
    Difference,
    Share,
    /// Asks which place something takes among others.
    Rank,
    /// The first so many: `top 5`.
    Top,
    Bottom,
    /// Rows as such: `entries`, `records`.
    Row,
    /// Rows that are people.
    Person,
    /// Rows that are bookings of money or goods.
    Booking,
    /// Speaks of what is not yet: a table cannot know.
    Future,
    /// Asks for reasons, opinions or ways.
    Reason,
    /// Points back to an earlier question.
    Back,
    /// Only the rows of the answer before.
    Among,
    /// `all`, `every` in a statement.
    All,
    /// A unit of money, weight, length or time beside a number.
    Unit,
    /// `women`, `men`.
    Female,
    Male,
    /// A verb or adjective that speaks of a kind of column: `cost`, `earn`.
    Of(Concept),
    /// `more`, `higher`, where what it is compared with comes later.
    Comparative(bool),
    /// `taller`, `cheaper`.
    ComparativeOf(Concept, bool),
    /// What something is compared with follows.
    Than,
    /// There is none of it: `out of stock`.
    Gone,
    /// `fell`, `grew`: says nothing but with a difference.
    Change,
    /// A noun that only says what kind of number a column beside it has: `the maths score`.
    Head,
    /// Things that a table has a row for each of.
    Item,
    /// `half of`.
    Half,
    /// A verb that is not known, after `did` or `does`.
    Verb,
    /// The value of most rows.
    MostOften,
    /// What comes up least.
    LeastOften,
    /// Of several things, each: `respectively`.
    Each,
}

/// A part of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Period {
    /// A calendar year.
    Year,
    /// A quarter of a year.
    Quarter,
    /// A month of a year.
    Month,
    /// A week.
    Week,
    /// A day.
    Day,
    /// A day of the week.
    Weekday,
}

/// What a column is about, as far as people use several words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Concept {
    Money,
    Revenue,
    Expense,
    Salary,
    Price,
    Quantity,
    Profit,
    Tax,
    Age,
    Birth,
    Height,
    Weight,
    Length,
    Area,
    Width,
    Distance,
    Duration,
    Hours,
    Score,
    Population,
    Speed,
    Date,
    Start,
    End,
    Due,
    Name,
    Person,
    Department,
    Product,
    Category,
    Customer,
    Seller,
    Supplier,
    City,
    Country,
    Place,
    Region,
    Address,
    Phone,
    Mail,
    Rent,
    Stock,
    Gender,
    Status,
    Comment,
    Temperature,
    Percentage,
    Time,
    Balance,
    Room,
    Teacher,
    Title,
    Author,
    Attendance,
    Income,
    Code,
}

/// The phrases, by their first word.
#[derive(Debug)]
pub(crate) struct Lexicon {
    phrases: HashMap<String, Vec<(Vec<String>, Sense)>>,
    concepts: HashMap<String, Vec<Concept>>,
}

impl Lexicon {
    /// The one there is.
    pub(crate) fn get() -> &'static Lexicon {
        static LEXICON: OnceLock<Lexicon> = OnceLock::new();
        LEXICON.get_or_init(Lexicon::new)
    }

    fn new() -> Lexicon {
        let mut phrases: HashMap<String, Vec<(Vec<String>, Sense)>> = HashMap::new();
        for (sense, list) in SENSES {
            for phrase in list.split('|') {
                let words: Vec<String> = phrase.split_whitespace().map(str::to_owned).collect();
                for words in declined(words) {
                    let Some(first) = words.first().cloned() else { continue };
                    let known = phrases.entry(first).or_default();
                    if !known.iter().any(|(w, s)| *w == words && s == sense) {
                        known.push((words, *sense));
                    }
                }
            }
        }
        let mut concepts: HashMap<String, Vec<Concept>> = HashMap::new();
        for (concept, list) in CONCEPTS {
            for phrase in list.split('|') {
                concepts.entry(concept_key(phrase)).or_default().push(*concept);
            }
        }
        Lexicon { phrases, concepts }
    }

    /// What the words from here on may say: how many words, and the sense.
    pub(crate) fn senses(&self, words: &[Word], from: usize) -> Vec<(usize, Sense)> {
        let Some(first) = words.get(from) else { return Vec::new() };
        let of = |(phrase, sense): &(Vec<String>, Sense)| {
            let here = words.iter().skip(from).map(|w| w.text.as_str());
            here.take(phrase.len()).eq(phrase.iter().map(String::as_str)).then_some((phrase.len(), *sense))
        };
        self.phrases.get(&first.text).into_iter().flatten().filter_map(of).collect()
    }

    /// What kinds of column these words may mean.
    pub(crate) fn concepts(&self, words: &[Word]) -> &[Concept] {
        let exact: String = joined(words.iter().map(|w| w.text.as_str()));
        let stem: String = joined(words.iter().map(|w| w.stem.as_str()));
        // What is hourly is no hour.
        let is_adverb = words.iter().any(|w| w.text.len() > 4 && w.text.ends_with("ly"));
        let found = self.concepts.get(&exact).or_else(|| self.concepts.get(&stem).filter(|_| !is_adverb));
        found.map_or(&[], Vec::as_slice)
    }
}

impl Lexicon {
    /// What kinds of column a compound may mean, by the word it ends in: `Monatsmiete` is a rent.
    pub(crate) fn compounds(&self, word: &str) -> Vec<Concept> {
        let ends =
            (3..word.len().saturating_sub(3)).filter_map(|at| word.get(at..)).filter(|end| end.len() >= 4);
        ends.filter_map(|end| self.concepts.get(end)).flatten().copied().collect()
    }
}

/// A phrase, and where it is one German superlative, that with all its endings: `teuerste` and `teuerstes`.
fn declined(words: Vec<String>) -> Vec<Vec<String>> {
    let bare = match words.as_slice() {
        [only] if only.len() > 5 => only.strip_suffix("ste").map(str::to_owned),
        _ => None,
    };
    let endings =
        bare.map(|bare| ["ste", "sten", "ster", "stes", "stem"].map(|e| vec![format!("{bare}{e}")]));
    endings.map_or_else(|| vec![words], Vec::from)
}

fn concept_key(phrase: &str) -> String {
    joined(word::words(phrase).iter().map(|w| w.text.as_str()))
}

/// Words as one key; Chinese characters stand side by side, others with a space.
fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

//! Learning which words of texts answer questions: `examples/train_span.rs` runs it.

use super::asked::Asked;
use super::text::Text;
use super::weight::SIGNS;
pub use super::weight::Weights;
use super::{Case, Found, feature};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How near to the best answer a candidate must be to be learned from.
const NEAR: f32 = 0.05;
/// How fast is learned.
const RATE: f32 = 0.1;
/// The fewest questions whose answers have a feature that is learned.
const FEWEST: u32 = 2;
/// Answers of which no candidate has so much are not learned from.
const REACHED: f32 = 0.3;
/// An answer with so much of the right one is right, where it is learned how far answers can be believed.
const RIGHT: f32 = 0.5;

/// A question and a text, ready to learn from.
pub struct Lesson {
    case: Case,
    is_han: bool,
    /// How much of a right answer each candidate is.
    worth: Vec<f32>,
    best: f32,
    ranges: Vec<std::ops::Range<usize>>,
}

impl Lesson {
    /// `answers` are right ones; none where the text does not answer.
    pub fn new(question: &str, text: &str, answers: &[String]) -> Lesson {
        let asked = Asked::of(question);
        let text = Text::new(&asked, text);
        let case = Case::of(&text);
        let right: Vec<Vec<String>> =
            answers.iter().map(|answer| words(&super::token::tokens(answer))).collect();
        let worth = |(i, j): &(usize, usize)| {
            let given = words(&text.tokens[*i..*j]);
            right.iter().map(|right| f1(right, &given)).fold(0.0, f32::max)
        };
        let range = |(i, j): &(usize, usize)| text.tokens[*i].range.start..text.tokens[*j - 1].range.end;
        Lesson {
            worth: if answers.is_empty() { Vec::new() } else { case.pairs.iter().map(worth).collect() },
            ranges: case.pairs.iter().map(range).collect(),
            is_han: text.is_han,
            best: text.best,
            case,
        }
    }

    /// Where the words stand that are answered with, how likely they are right, and how much of a right answer they are.
    pub fn tried(&self, weights: &Weights) -> Option<(std::ops::Range<usize>, f32, f32)> {
        let found = self.case.best(weights)?;
        let worth = self.worth.get(found.place).copied().unwrap_or(0.0);
        Some((self.ranges[found.place].clone(), weights.sure(self.is_han, &self.signs(&found)), worth))
    }

    fn signs(&self, found: &Found) -> [f32; SIGNS] {
        [1.0, found.shared, found.likely.max(1e-4).ln(), self.best, self.best * found.shared]
    }

    /// The features of a candidate.
    fn features(&self, place: usize) -> impl Iterator<Item = &u32> {
        let (i, j) = self.case.pairs[place];
        self.case.both[place].iter().chain(&self.case.begins[&i]).chain(&self.case.ends[&j])
    }

    fn reached(&self) -> f32 {
        self.worth.iter().copied().fold(0.0, f32::max)
    }

    /// Whether there is something to learn from it.
    fn teaches(&self) -> bool {
        self.reached() >= REACHED
    }
}

/// The words that count.
fn words(tokens: &[super::token::Token]) -> Vec<String> {
    let counts = |text: &&String| {
        text.chars().any(char::is_alphanumeric) && !matches!(text.as_str(), "a" | "an" | "the")
    };
    tokens.iter().map(|t| &t.text).filter(counts).cloned().collect()
}

/// The harmonic mean of the shares that are given and that are right.
fn f1(right: &[String], given: &[String]) -> f32 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    right.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut shared = 0;
    for word in given {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    2.0 * shared as f32 / (right.len() + given.len()).max(1) as f32
}

/// Learns from lessons, so many times each; `trying` are those that teach how far answers can be believed.
pub fn learn(lessons: &[&Lesson], trying: &[&Lesson], rounds: usize) -> Weights {
    let mut weights = Weights::new();
    let allowed = frequent(lessons);
    let mut squares = vec![1.0_f32; weights.all.len()];
    let mut order: Vec<usize> = (0..lessons.len()).filter(|i| lessons[*i].teaches()).collect();
    let mut sums = Slopes { all: vec![0.0; weights.all.len()], touched: Vec::new() };
    let mut chance = 7_u64;
    for _ in 0..rounds {
        for i in (1..order.len()).rev() {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            order.swap(i, (chance >> 33) as usize % (i + 1));
        }
        for i in &order {
            slopes(lessons[*i], &weights, &mut sums);
            for (feature, slope) in sums.take() {
                let at = feature as usize;
                if allowed[at] {
                    squares[at] += slope * slope;
                    weights.all[at] += RATE * slope / squares[at].sqrt();
                }
            }
        }
    }
    for is_han in [true, false] {
        let own: Vec<&&Lesson> = trying.iter().filter(|lesson| lesson.is_han == is_han).collect();
        weights.trust[usize::from(!is_han)] = trust(&own, &weights);
    }
    weights
}

impl Weights {
    /// These, with how far answers of others can be believed: those that were learned without some of the lessons.
    #[must_use]
    pub fn believed_as(self, other: &Weights) -> Weights {
        Weights { trust: other.trust, ..self }
    }
}

/// The features that answers of some questions have.
fn frequent(lessons: &[&Lesson]) -> Vec<bool> {
    let mut counts = vec![0_u32; 1 << feature::BITS];
    for lesson in lessons.iter().filter(|lesson| lesson.teaches()) {
        let most = lesson.reached();
        let best = (0..lesson.worth.len()).filter(|i| lesson.worth[*i] >= most - 1e-6);
        let own: HashSet<u32> = best.flat_map(|i| lesson.features(i).copied()).collect();
        own.into_iter().for_each(|feature| counts[feature as usize] += 1);
    }
    counts.into_iter().map(|count| count >= FEWEST).collect()
}

/// Sums of slopes, a place for each feature, and which of them are not nothing.
struct Slopes {
    all: Vec<f32>,
    touched: Vec<u32>,
}

impl Slopes {
    fn add(&mut self, features: &[u32], slope: f32) {
        for feature in features {
            let sum = &mut self.all[*feature as usize];
            if *sum == 0.0 {
                self.touched.push(*feature);
            }
            *sum += slope;
        }
    }

    /// The sums, which are then nothing again.
    fn take(&mut self) -> Vec<(u32, f32)> {
        let all = &mut self.all;
        self.touched.drain(..).map(|feature| (feature, std::mem::take(&mut all[feature as usize]))).collect()
    }
}

/// Which way the weights of features must go.
fn slopes(lesson: &Lesson, weights: &Weights, slopes: &mut Slopes) {
    let most = lesson.reached();
    let wanted: Vec<f32> = lesson.worth.iter().map(|worth| ((worth - most) / NEAR).exp()).collect();
    let sum: f32 = wanted.iter().sum();
    let (mut begins, mut ends): (BTreeMap<usize, f32>, BTreeMap<usize, f32>) = Default::default();
    let likely = lesson.case.likely(weights);
    for (place, (likely, wanted)) in likely.iter().zip(&wanted).enumerate() {
        let slope = wanted / sum - likely;
        if slope.abs() < 1e-5 {
            continue;
        }
        let (i, j) = lesson.case.pairs[place];
        *begins.entry(i).or_default() += slope;
        *ends.entry(j).or_default() += slope;
        slopes.add(&lesson.case.both[place], slope);
    }
    for (sums, features) in [(&begins, &lesson.case.begins), (&ends, &lesson.case.ends)] {
        for (at, slope) in sums {
            slopes.add(&features[at], *slope);
        }
    }
}

/// How far answers can be believed by their signs.
fn trust(lessons: &[&&Lesson], weights: &Weights) -> [f32; SIGNS] {
    let tried = |lesson: &&&Lesson| {
        let found = lesson.case.best(weights)?;
        let right = lesson.worth.get(found.place).copied().unwrap_or(0.0) >= RIGHT;
        Some((lesson.signs(&found), f32::from(u8::from(right))))
    };
    let tried: Vec<_> = lessons.iter().filter_map(tried).collect();
    let mut trust = [0.0; SIGNS];
    for _ in 0..3000 {
        let mut slope = [0.0; SIGNS];
        for (signs, right) in &tried {
            let sum: f32 = trust.iter().zip(signs).map(|(w, x): (&f32, &f32)| w * x).sum();
            let far = right - 1.0 / (1.0 + (-sum).exp());
            slope.iter_mut().zip(signs).for_each(|(s, x)| *s += far * x / tried.len() as f32);
        }
        trust.iter_mut().zip(&slope).for_each(|(w, s)| *w += 0.5 * s);
    }
    trust
}

//! A text beside a question: its sentences and parts of sentences, and where words of the question stand in it.

use super::asked::{Asked, gram};
use super::token::{Class, Token, tokens};
use std::collections::{HashMap, HashSet};

/// Sentences that are looked into.
const SENTENCES: usize = 5;
/// How far a word of the question is looked for.
pub(super) const FAR: usize = 20;

/// A text beside a question.
pub(super) struct Text<'a> {
    pub(super) asked: &'a Asked,
    pub(super) tokens: Vec<Token>,
    pub(super) is_han: bool,
    /// The sentence of each piece, and the part of a sentence.
    pub(super) sentence: Vec<usize>,
    pub(super) clause: Vec<usize>,
    /// Whether each piece stands in the question too.
    pub(super) hit: Vec<bool>,
    /// How much of the question stands before each piece, and how many pieces of it.
    weight_before: Vec<f32>,
    hits_before: Vec<usize>,
    /// The share of the question that each sentence has, and each part of one.
    pub(super) sentence_share: Vec<f32>,
    pub(super) clause_share: Vec<f32>,
    /// The share that the whole text has.
    pub(super) share: f32,
    /// The share that the best sentence has.
    pub(super) best: f32,
    pub(super) best_clause: usize,
    /// The place of each sentence in the order of their shares.
    pub(super) rank: Vec<usize>,
}

impl<'a> Text<'a> {
    pub(super) fn new(asked: &'a Asked, text: &str) -> Text<'a> {
        let tokens = tokens(text);
        let is_han = tokens.iter().filter(|t| t.is_han()).count() * 2 > tokens.len();
        let (sentence, clause) = parts(&tokens);
        let found: Vec<Option<String>> =
            (0..tokens.len()).map(|i| gram(&tokens, i).filter(|g| asked.grams.contains(g))).collect();
        let (sentences, clauses) = (count(&sentence), count(&clause));
        let rarity = rarity(asked, &found, &sentence, sentences);
        let total = asked.grams.iter().map(|g| rarity(g)).sum::<f32>().max(1e-6);
        let shares = |part: &[usize], parts: usize| shares(&found, part, parts, &rarity, total);
        let (sentence_share, clause_share) = (shares(&sentence, sentences), shares(&clause, clauses));
        let share = shares(&vec![0; tokens.len()], 1).first().copied().unwrap_or(0.0);
        let mut hit = vec![false; tokens.len()];
        let mut weight_before = vec![0.0; tokens.len() + 1];
        for (i, found) in found.iter().enumerate() {
            let weight = found.as_ref().map_or(0.0, |gram| rarity(gram) / total);
            weight_before[i + 1] = weight_before[i] + weight;
            if found.is_some() {
                hit[i] = true;
                let pair = usize::from(tokens[i].is_han());
                hit[i..(i + 1 + pair).min(tokens.len())].fill(true);
            }
        }
        let mut hits_before = vec![0; tokens.len() + 1];
        for (i, hit) in hit.iter().enumerate() {
            hits_before[i + 1] = hits_before[i] + usize::from(*hit);
        }
        Text {
            share,
            best: sentence_share.iter().copied().fold(0.0, f32::max),
            best_clause: first_best(&clause_share),
            rank: ranks(&sentence_share),
            asked,
            tokens,
            is_han,
            sentence,
            clause,
            hit,
            weight_before,
            hits_before,
            sentence_share,
            clause_share,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The piece at a place; nothing beyond the ends.
    pub(super) fn at(&self, place: usize, step: isize) -> &str {
        let token = place.checked_add_signed(step).and_then(|at| self.tokens.get(at));
        token.map_or("^", |token| token.text.as_str())
    }

    pub(super) fn class(&self, place: usize, step: isize) -> u64 {
        let token = place.checked_add_signed(step).and_then(|at| self.tokens.get(at));
        token.map_or(0, |token| token.class() as u64)
    }

    /// How much of the question stands between two places.
    pub(super) fn weight(&self, from: usize, to: usize) -> f32 {
        self.weight_before[to.min(self.len())] - self.weight_before[from.min(self.len())]
    }

    /// How many pieces between two places stand in the question.
    pub(super) fn hits(&self, from: usize, to: usize) -> usize {
        self.hits_before[to] - self.hits_before[from]
    }

    /// How far the next piece before a place is that stands in the question, and from a place on.
    pub(super) fn before(&self, place: usize) -> usize {
        (0..FAR).find(|d| place.checked_sub(d + 1).is_none_or(|at| self.hit[at])).map_or(FAR, |d| match place
            > d
        {
            true => d,
            false => FAR,
        })
    }

    pub(super) fn after(&self, place: usize) -> usize {
        (0..FAR).find(|d| self.hit.get(place + d).copied().unwrap_or(false)).unwrap_or(FAR)
    }

    /// How many pieces before a place are those before the word that asks, and after it those behind it.
    pub(super) fn same_before(&self, place: usize) -> usize {
        let own = self.tokens[..place].iter().rev().map(|t| &t.text);
        self.asked.left.iter().rev().zip(own).take_while(|(a, b)| a == b).count()
    }

    pub(super) fn same_after(&self, place: usize) -> usize {
        let own = self.tokens[place..].iter().map(|t| &t.text);
        self.asked.right.iter().zip(own).take_while(|(a, b)| a == b).count()
    }

    /// Whether a sentence begins at a place, and whether a part of one does.
    pub(super) fn begins(&self, place: usize) -> (bool, bool) {
        let other = |parts: &[usize]| place == 0 || parts[place - 1] != parts[place];
        (other(&self.sentence), other(&self.clause))
    }

    /// Whether a sentence, or a part of one, is over before a place.
    pub(super) fn is_over(&self, place: usize) -> (bool, bool) {
        let Some(next) = self.tokens.get(place) else { return (true, true) };
        (self.sentence[place] != self.sentence[place - 1] || next.ends(), next.pauses())
    }

    /// The sentences that are looked into.
    pub(super) fn is_near(&self, place: usize) -> bool {
        self.rank[self.sentence[place]] < SENTENCES
    }
}

fn count(parts: &[usize]) -> usize {
    parts.last().map_or(1, |last| last + 1)
}

/// The number of the sentence and of the part of a sentence of each piece.
fn parts(tokens: &[Token]) -> (Vec<usize>, Vec<usize>) {
    let (mut sentence, mut clause) = (Vec::new(), Vec::new());
    let (mut s, mut c) = (0, 0);
    for (i, token) in tokens.iter().enumerate() {
        sentence.push(s);
        clause.push(c);
        // A point inside a name or number ends nothing.
        let is_apart = tokens.get(i + 1).is_none_or(|next| next.range.start > token.range.end);
        if token.ends() && (token.first() != '.' || is_apart) {
            (s, c) = (s + 1, c + 1);
        } else if token.class() == Class::Pause {
            c += 1;
        }
    }
    (sentence, clause)
}

/// How much a word of the question counts: the fewer sentences have it, the more.
fn rarity<'a>(
    asked: &'a Asked,
    found: &[Option<String>],
    sentence: &[usize],
    sentences: usize,
) -> impl Fn(&str) -> f32 + use<'a> {
    let mut having: HashMap<&str, HashSet<usize>> = HashMap::new();
    for (gram, sentence) in found.iter().zip(sentence) {
        if let Some(gram) = gram.as_ref().and_then(|gram| asked.grams.get(gram)) {
            having.entry(gram).or_default().insert(*sentence);
        }
    }
    move |gram| (1.0 + sentences as f32 / having.get(gram).map_or(0.5, |all| all.len() as f32)).ln()
}

/// The share of the question that each part has.
fn shares(
    found: &[Option<String>],
    part: &[usize],
    parts: usize,
    rarity: &dyn Fn(&str) -> f32,
    total: f32,
) -> Vec<f32> {
    let mut own: Vec<HashSet<&str>> = vec![HashSet::new(); parts];
    for (gram, part) in found.iter().zip(part) {
        own[*part].extend(gram.as_deref());
    }
    let share = |grams: &HashSet<&str>| {
        let mut weights: Vec<f32> = grams.iter().map(|gram| rarity(gram)).collect();
        weights.sort_by(f32::total_cmp);
        weights.iter().sum::<f32>() / total
    };
    own.iter().map(share).collect()
}

fn first_best(shares: &[f32]) -> usize {
    shares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0))).map_or(0, |(at, _)| at)
}

fn ranks(shares: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
    let mut ranks = vec![0; shares.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

//! From what a model says of each token to terms and their weights.

use crate::{
    graph::Output,
    tokens::{Sequence, Tokens},
};
use std::collections::BTreeMap;
use tabletalk_core::{Error, Result};

/// A model may have a few more rows of terms than its tokenizer has tokens: their number is filled up to a round one.
const FILLED_UP: usize = 500;

/// What must be known of a vocabulary to tell terms from states.
pub(crate) struct Terms {
    vocabulary: usize,
    marks: Vec<i32>,
}

/// What a model says of each token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// How well each term of the vocabulary would stand in its place: a masked language model, as of SPLADE.
    Terms,
    /// How much the token itself weighs, as of bge-m3.
    Weight,
}

impl Terms {
    /// Those of a tokenizer.
    pub(crate) fn new(tokens: &Tokens) -> Terms {
        Terms { vocabulary: tokens.vocabulary(), marks: tokens.marks() }
    }

    /// Whether what came out of a model are weights of terms, and not states.
    pub(crate) fn are_in(&self, output: &Output) -> bool {
        self.says(output).is_some()
    }

    fn says(&self, output: &Output) -> Option<Says> {
        let filled_up = |dim: usize| dim >= self.vocabulary && dim - self.vocabulary < FILLED_UP;
        match output.dim {
            _ if !output.by_token => None,
            1 => Some(Says::Weight),
            dim if filled_up(dim) => Some(Says::Terms),
            _ => None,
        }
    }

    /// The terms of a sequence and their weights, by what came out of the model for it.
    pub(crate) fn of(&self, sequence: &Sequence, rows: &[f32], output: &Output) -> Result<Vec<(u32, f32)>> {
        match self.says(output) {
            Some(Says::Terms) => Ok(of_vocabulary(rows, output.dim, sequence.attended)),
            Some(Says::Weight) => Ok(of_tokens(rows, sequence, &self.marks)),
            None => Err(Error::input(format!(
                "the model gives no sparse vectors: {} numbers a {}, neither one weight nor one for each of the {} terms of its vocabulary",
                output.dim,
                if output.by_token { "token" } else { "text" },
                self.vocabulary
            ))
            .hint("use a masked language model (SPLADE) with the output logits, or one with a weight for each token (bge-m3)")),
        }
    }
}

/// For each term the most that any token that is attended to says of it, as log(1 + relu).
fn of_vocabulary(rows: &[f32], dim: usize, attended: usize) -> Vec<(u32, f32)> {
    // The logarithm grows with what it is of, so it is taken once, of the most.
    let mut most = vec![0.0f32; dim];
    for row in rows.chunks_exact(dim.max(1)).take(attended) {
        most.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(*x));
    }
    (0u32..).zip(most).filter(|(_, x)| *x > 0.0).map(|(term, x)| (term, x.ln_1p())).collect()
}

/// For each token of the text, marks left out, the most that it weighs.
fn of_tokens(weights: &[f32], sequence: &Sequence, marks: &[i32]) -> Vec<(u32, f32)> {
    let tokens = sequence.ids.iter().zip(&sequence.special).zip(weights).take(sequence.attended);
    let mut terms = BTreeMap::new();
    for ((id, special), weight) in tokens {
        let Ok(term) = u32::try_from(*id) else { continue };
        if !special && !marks.contains(id) && *weight > 0.0 {
            let most = terms.entry(term).or_insert(*weight);
            *most = most.max(*weight);
        }
    }
    terms.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiny::{TOKENS, Tiny};
    use crate::{Encoder, Options};
    use tabletalk_core::seam::{Embed, Role, Want};

    /// Numbers from -3 to 3 that look like chance, the same every time.
    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 + 13) % 601) as f32 / 100.0 - 3.0).collect()
    }

    fn term(word: &str) -> u32 {
        TOKENS.iter().position(|token| *token == word).unwrap() as u32
    }

    fn open(tiny: &Tiny) -> Encoder {
        let dir = tempfile::tempdir().unwrap();
        tiny.write(dir.path());
        Encoder::open(dir.path(), &Options::default()).unwrap()
    }

    fn sequence(ids: &[i32], attended: usize) -> Sequence {
        let special = ids.iter().map(|id| *id < 2).collect();
        Sequence { ids: ids.to_vec(), types: vec![0; ids.len()], special, attended }
    }

    #[test]
    fn a_term_has_the_most_that_any_attended_token_says() {
        let (dim, rows, attended) = (40, 7, 5);
        let logits = numbers(dim * rows);
        let mut naive = Vec::new();
        for term in 0..dim {
            let said = (0..attended).map(|row| (1.0 + logits[row * dim + term].max(0.0)).ln());
            let most = said.fold(0.0, f32::max);
            if most > 0.0 {
                naive.push((term as u32, most));
            }
        }
        let found = of_vocabulary(&logits, dim, attended);
        assert_eq!(found.len(), naive.len());
        let same = |(a, b): (&(u32, f32), &(u32, f32))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6;
        assert!(found.iter().zip(&naive).all(same), "{found:?} {naive:?}");
        assert!(found.len() < dim && of_vocabulary(&[-1.0; 6], 3, 2).is_empty());
    }

    #[test]
    fn a_token_weighs_as_much_as_where_it_weighs_most() {
        let ids: Vec<i32> = (0..60).map(|i| i * i % 17).collect();
        let (weights, attended) = (numbers(60), 50);
        let mut naive = Vec::new();
        for term in 2..17 {
            let of_term = (0..attended).filter(|at| ids[*at] == term && term != 4);
            let most = of_term.map(|at| weights[at].max(0.0)).fold(0.0, f32::max);
            if most > 0.0 {
                naive.push((term as u32, most));
            }
        }
        assert_eq!(of_tokens(&weights, &sequence(&ids, attended), &[4]), naive);
        assert!(!naive.is_empty());
    }

    #[test]
    fn a_masked_language_model_gives_terms_and_no_vector() {
        let model = open(&Tiny::terms());
        assert_eq!(model.dim(), 0);
        let made = model.embed(&["car", "fruit car", "unheard"], Role::Passage, Want::Sparse).unwrap();
        // The model says of `car` that `vehicle` would stand there too.
        let (car, vehicle, fruit) = (term("car"), term("vehicle"), term("fruit"));
        assert_eq!(made[0].sparse, [(car, 2f32.ln_1p()), (vehicle, 1f32.ln_1p())]);
        assert_eq!(made[1].sparse.iter().map(|t| t.0).collect::<Vec<_>>(), [car, vehicle, fruit]);
        assert!(made[2].sparse.is_empty() && made[0].pooled.is_empty());
        let error = model.embed(&["car"], Role::Query, Want::Pooled).unwrap_err();
        assert!(error.to_string().contains("sparse = true"), "{error}");
    }

    #[test]
    fn a_model_of_weights_gives_the_terms_of_the_text() {
        let model = open(&Tiny::weights());
        assert_eq!(model.dim(), 0);
        let made = model.embed(&["fruit car fruit unheard"], Role::Query, Want::Sparse).unwrap();
        assert_eq!(made[0].sparse, [(term("car"), 2.0), (term("fruit"), 2.0)]);
    }

    #[test]
    fn a_model_of_states_says_what_is_wanted_of_it() {
        let model = open(&Tiny::states());
        assert_eq!(model.dim(), 3);
        let error = model.embed(&["car"], Role::Query, Want::Sparse).unwrap_err();
        assert!(error.message().contains("3 numbers a token") && error.cure().is_some(), "{error}");
    }
}

//! Whether the figures themselves can be trusted: right answers must score all there is, those of other questions next to
//! nothing.

use tabletalk_core::{Error, Result};
use tabletalk_eval::answers::compare;
use tabletalk_eval::query::Query;
use tabletalk_eval::record::{Figures, Record, figures};

/// What right answers score, and what those of other questions do.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Oracle {
    /// Questions with a right answer.
    pub queries: usize,
    /// What right answers score.
    pub gold: Figures,
    /// What the answers of other questions score.
    pub shuffled: Figures,
}

/// Scores right answers, then gives each question the answer of another one.
pub fn oracle(queries: &[Query]) -> Result<Oracle> {
    let answers: Vec<&Vec<String>> = queries.iter().map(|q| &q.answers).filter(|a| !a.is_empty()).collect();
    if answers.is_empty() {
        return Err(Error::input("no question has `answers`"));
    }
    let scored = |given: &dyn Fn(usize) -> usize| {
        let one = |(i, right): (usize, &&Vec<String>)| {
            let other = answers.get(given(i)).copied();
            let metrics = compare(other.map_or(&[][..], Vec::as_slice), right);
            Record { metrics, ..Record::default() }
        };
        figures(&answers.iter().enumerate().map(one).collect::<Vec<_>>())
    };
    // Far enough away that questions on the same table, which often share an answer, are seldom met.
    let far = answers.len() / 2 + answers.len() % 7;
    Ok(Oracle {
        queries: answers.len(),
        gold: scored(&|i| i),
        shuffled: scored(&|i| (i + far.max(1)) % answers.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_answers_score_all_and_others_nothing() {
        let query = |i: usize| Query {
            answers: match i % 3 {
                0 => vec![format!("{}", i * 7 + 1000)],
                1 => vec![format!("Name {i}"), format!("{i}.5 %")],
                _ => vec![format!("{} May 20{:02}", i % 28 + 1, i % 100)],
            },
            ..Query::default()
        };
        let oracle = oracle(&(0..200).map(query).collect::<Vec<_>>()).unwrap();
        for (name, figure) in &oracle.gold {
            assert_eq!(figure.mean, 1.0, "{name}");
        }
        for name in ["accuracy", "denotation", "exact_match"] {
            assert!(oracle.shuffled[name].mean < 0.02, "{name} {:?}", oracle.shuffled[name]);
        }
        assert!(super::oracle(&[Query::default()]).is_err());
    }
}

//! How a question asks.

use super::hash;
use crate::analyse::Question;
use crate::cue::Cue;
use crate::mask::{Mask, first};
use crate::word::Word;

/// How a question asks.
pub(super) struct Asking {
    /// The asking words, hashed.
    pub(super) wh: u64,
    /// The asking words.
    pub(super) mask: Mask,
    /// What is asked for: in English the word behind the asking words that is no hint at an operation.
    pub(super) head: Option<usize>,
}

/// How a question asks.
pub(super) fn asking(question: &Question) -> Asking {
    const ASKING: [&str; 14] = [
        "what", "which", "who", "when", "where", "how", "whose", "whom", "name", "哪", "谁", "几", "什", "何",
    ];
    let asks = |w: &Word| ASKING.contains(&w.text.as_str());
    let Some(at) = question.words.iter().position(asks).or_else(|| how_much(question)) else {
        let wh = question.words.first().map_or(0, |w| hash(&w.stem));
        return Asking { wh, mask: 1, head: first(question.content) };
    };
    let (word, next) = (question.text(Some(at)), question.text(Some(at + 1)));
    let joined = matches!(word, "how" | "哪" | "多" | "什");
    let wh = if joined { hash(next) } else { hash(word) };
    let from = at + 1 + usize::from(joined);
    let cues = [Cue::Count, Cue::Sum, Cue::Average, Cue::Most, Cue::Least];
    let hints = cues.iter().fold(0, |mask, c| mask | question.cue(*c));
    let behind = question.content & !hints >> from.min(127) << from.min(127);
    Asking { wh, mask: 1 << at.min(127), head: first(behind).or_else(|| first(question.content)) }
}

/// Where a Chinese question asks how much.
fn how_much(question: &Question) -> Option<usize> {
    question.words.windows(2).position(|w| matches!(w, [a, b] if a.text == "多" && b.text == "少"))
}

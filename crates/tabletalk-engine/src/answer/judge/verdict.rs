//! What a model's words come to, where it was asked whether a statement holds.

use tabletalk_core::chat::Usage;
use tabletalk_core::{Answer, Verdict};

/// The words of each verdict. What is said otherwise is none: a word inside others may be denied, doubted or quoted.
const FORMS: [(Verdict, &[&str]); 3] = [
    (
        Verdict::Supported,
        &["supported", "support", "supports", "true", "yes", "correct", "entailed", "支持", "正确", "属实"],
    ),
    (
        Verdict::Refuted,
        &[
            "refuted",
            "refute",
            "refutes",
            "false",
            "no",
            "incorrect",
            "not supported",
            "unsupported",
            "not true",
            "untrue",
            "not correct",
            "wrong",
            "contradicted",
            "反驳",
            "错误",
            "不正确",
            "不支持",
        ],
    ),
    (
        Verdict::NotEnoughInfo,
        &[
            "not enough information",
            "not enough info",
            "insufficient information",
            "unknown",
            "undecided",
            "信息不足",
        ],
    ),
];
/// What may stand before a verdict.
const BEFORE: [&str; 6] =
    ["verdict:", "the statement is ", "this statement is ", "statement is ", "this is ", "it is "];
/// What a verdict may be followed by: a reason.
const AFTER: [&str; 4] = [" by ", " because ", " since ", " as "];

/// The verdict that a model gave in one of its forms.
pub(crate) fn read(said: &str) -> Option<Verdict> {
    let said = said.to_lowercase().replace('_', " ");
    let mut rest = said.trim().trim_start_matches(['*', '`', '"', '“']);
    for before in BEFORE {
        rest = rest.strip_prefix(before).unwrap_or(rest).trim_start();
    }
    let reason = |c: char| ".,;:(!\n，。；：（".contains(c);
    let mut head = rest.split(reason).next().unwrap_or_default();
    for after in AFTER {
        head = head.split(after).next().unwrap_or_default();
    }
    let head = head.trim().trim_end_matches(['*', '`', '"', '”']);
    FORMS.iter().find(|(_, forms)| forms.contains(&head)).map(|(verdict, _)| *verdict)
}

/// Neither supported nor refuted.
pub(crate) fn undecided(why: &str, usage: Usage) -> Answer {
    Answer {
        verdict: Some(Verdict::NotEnoughInfo),
        answer: why.to_owned(),
        values: vec![Verdict::NotEnoughInfo.name().to_owned()],
        usage,
        ..Answer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_verdicts_in_their_forms_alone() {
        for said in
            ["supported", "**Supported**.", "The statement is true", "supported by row 3", "yes, it is"]
        {
            assert_eq!(read(said), Some(Verdict::Supported), "{said}");
        }
        for said in
            ["the statement is not supported", "incorrect", "unsupported", "this is not true", "Not correct."]
        {
            assert_eq!(read(said), Some(Verdict::Refuted), "{said}");
        }
        for said in ["not enough information", "not_enough_info"] {
            assert_eq!(read(said), Some(Verdict::NotEnoughInfo), "{said}");
        }
    }

    #[test]
    fn a_verdict_inside_other_words_is_none() {
        for said in ["hm", "neither supported nor refuted", "partly true", "hardly supported", "is it true?"]
        {
            assert_eq!(read(said), None, "{said}");
        }
    }
}

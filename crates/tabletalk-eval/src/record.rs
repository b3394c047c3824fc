//! What came of one question, and the figures of many.

use crate::metric::{Mean, macro_f1_mean};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Figures by name.
pub type Figures = BTreeMap<String, Mean>;

/// What came of one question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The id of the question.
    pub query: String,
    /// What was asked.
    pub question: String,
    /// Its figures by name; a figure that says nothing about this question is not there.
    pub metrics: BTreeMap<String, f64>,
    /// What would have been right.
    #[serde(default)]
    pub gold: Vec<String>,
    /// What was given.
    #[serde(default)]
    pub given: Vec<String>,
    /// Whether it was a statement to be judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub statement: bool,
    /// What else is worth knowing.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub detail: Value,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Record {
    /// The verdict that was right and the one that was given, of a statement.
    fn verdicts(&self) -> Option<(&str, &str)> {
        let given = self.given.first().map_or("", String::as_str);
        self.gold.first().filter(|_| self.statement).map(|gold| (gold.as_str(), given))
    }
}

/// The mean of every figure over the questions that have it, and macro-F1 over statements.
pub fn figures(records: &[Record]) -> Figures {
    let names: BTreeSet<&String> = records.iter().flat_map(|record| record.metrics.keys()).collect();
    let mean = |name: &&String| {
        let values: Vec<f64> = records.iter().filter_map(|r| r.metrics.get(*name)).copied().collect();
        ((*name).clone(), Mean::of(&values))
    };
    let mut figures: Figures = names.iter().map(mean).collect();
    let verdicts: Vec<(&str, &str)> = records.iter().filter_map(Record::verdicts).collect();
    if !verdicts.is_empty() {
        figures.insert("macro_f1".into(), macro_f1_mean(&verdicts));
    }
    figures
}

/// The value that a share of all values is under.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 - 1.0) * share;
    values.get(at.round() as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_means_over_the_questions_that_have_them() {
        let record = |metrics: &[(&str, f64)]| Record {
            metrics: metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            ..Record::default()
        };
        let all = [record(&[("accuracy", 1.0), ("precision", 1.0)]), record(&[("accuracy", 0.0)])];
        let figures = figures(&all);
        assert_eq!((figures["accuracy"].mean, figures["precision"].mean), (0.5, 1.0));
        assert!(!figures.contains_key("macro_f1"));
    }

    #[test]
    fn statements_have_macro_f1() {
        let record = |gold: &str, given: &str| Record {
            gold: vec![gold.into()],
            given: vec![given.into()],
            statement: true,
            ..Record::default()
        };
        let all = [record("supported", "supported"), record("refuted", "refuted")];
        assert_eq!(figures(&all)["macro_f1"].mean, 1.0);
    }
}

//! How often answers are right, how often there are any, and how often those given are right.

use crate::metric::{exact_match_of_list, f1_of_list, is_cited, is_denoted_as, reading};
use crate::names::Names;
use crate::query::{Gold, Query, talks};
use crate::record::Record;
use crate::retrieval::warm;
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Instant;
use tabletalk_core::{Answer, Error, Fault, Outcome, Result, value};
use tabletalk_engine::answer::{Answering, Mode, Question, ask, same_all, verify};
use tabletalk_store::Turn;

/// Conversations that are asked before what came of them is told.
const TOGETHER: usize = 32;

/// How questions are asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// Each of its first relevant table alone.
    pub given_table: bool,
    /// What a model sees, where it differs from what is configured.
    pub mode: Option<Mode>,
    /// How many questions a model is asked at once; one when 0.
    pub at_once: usize,
}

/// Asks all questions; those of one conversation one after another. What comes of them is told as it comes.
pub fn run(
    context: &Answering<'_>,
    queries: &[Query],
    how: How,
    on: &mut dyn FnMut(Vec<Record>) -> Result<()>,
) -> Result<()> {
    let names = Names::of(context.recall.library)?;
    let talks = talks(queries);
    let one = |talk: &Vec<&Query>| converse(context, talk, how, &names);
    if context.chat.is_some() {
        return with_model(&talks, how.at_once.max(1), one, on);
    }
    for together in talks.chunks(TOGETHER) {
        let begun = Instant::now();
        embed(context, together, how)?;
        let asked = together.iter().map(Vec::len).sum::<usize>().max(1);
        let share = begun.elapsed().as_secs_f64() * 1e3 / asked as f64;
        let records: Vec<Vec<Record>> = together.par_iter().map(one).collect::<Result<_>>()?;
        let mut records = records.concat();
        for ms in records.iter_mut().filter_map(|record| record.metrics.get_mut("ms")) {
            *ms += share;
        }
        on(records)?;
    }
    Ok(())
}

/// Asks a model, so many questions at once; what comes of them is told in their order, after a few each.
fn with_model(
    talks: &[Vec<&Query>],
    at_once: usize,
    one: impl Fn(&Vec<&Query>) -> Result<Vec<Record>> + Sync,
    on: &mut dyn FnMut(Vec<Record>) -> Result<()>,
) -> Result<()> {
    if at_once == 1 {
        return talks.iter().try_for_each(|talk| on(one(talk)?));
    }
    // Threads of their own: they wait for the model most of the time.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build();
    let pool = pool.map_err(|e| Error::io(format!("no threads to ask from: {e}")))?;
    for together in talks.chunks(at_once.saturating_mul(2)) {
        let records: Vec<Vec<Record>> =
            pool.install(|| together.par_iter().map(&one).collect::<Result<_>>())?;
        on(records.concat())?;
    }
    Ok(())
}

/// Embeds questions together. One by one a thread that waits for a model would take up another question meanwhile, and
/// both would seem to take as long.
fn embed(context: &Answering<'_>, talks: &[Vec<&Query>], how: How) -> Result<()> {
    let Some(want) = context.settings.compared().want().filter(|_| !how.given_table) else { return Ok(()) };
    let texts: Vec<&str> = talks.iter().flatten().map(|query| query.question.as_str()).collect();
    for group in ["table", context.settings.passage_group.as_str()] {
        warm(&context.recall, group, &texts, want)?;
    }
    Ok(())
}

fn converse(context: &Answering<'_>, talk: &[&Query], how: How, names: &Names) -> Result<Vec<Record>> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut records = Vec::new();
    for query in talk {
        let tables = if how.given_table { names.tables(context.recall.library, query)? } else { Vec::new() };
        let begun = Instant::now();
        let question = Question {
            text: &query.question,
            mode: how.mode,
            tables: &tables,
            turns: &turns,
            ..Question::default()
        };
        let gold = query.gold();
        let by = if matches!(gold, Some(Gold::Verdict(_))) { verify } else { ask };
        let answer = by(context, &question, &mut |_| {});
        records.push(judged(query, gold.as_ref(), &answer, begun.elapsed().as_secs_f64() * 1e3));
        if let Ok(answer) = answer {
            turns.push(Turn { question: query.question.clone(), answer });
        }
    }
    Ok(records)
}

fn judged(query: &Query, gold: Option<&Gold>, answer: &Result<Answer>, ms: f64) -> Record {
    let none = Answer::default();
    let (given, error, limit) = match answer {
        Ok(answer) => (answer, None, None),
        // A table that does not fit into a prompt will not fit the next time either: there is no answer, and that counts.
        Err(e) if e.fault() == Fault::Limit => (&none, None, Some(e.to_string())),
        Err(e) => (&none, Some(e.to_string()), None),
    };
    let mut metrics = cost(given, ms);
    let answered = given.outcome == Outcome::Answered;
    metrics.insert("coverage".into(), share(answered));
    let (right, said) = match gold {
        Some(Gold::Verdict(right)) => {
            let correct = given.verdict == Some(*right);
            metrics.insert("accuracy".into(), share(correct));
            (vec![right.name().to_owned()], given.verdict.iter().map(|v| v.name().to_owned()).collect())
        }
        Some(Gold::Values(right)) => {
            metrics.extend(compared(given, right, answered));
            (right.clone(), given.values.clone())
        }
        Some(Gold::AnyOf(right)) => {
            metrics.extend(best_of(given, right, answered));
            (right.clone(), given.values.clone())
        }
        None => Default::default(),
    };
    if answered && let Some(correct) = metrics.get("accuracy").copied() {
        metrics.insert("precision".into(), correct);
    }
    let sql = given.program.as_ref().map(|p| p.sql.clone());
    let mut detail = json!({"answered": answered, "confidence": given.confidence, "sql": sql});
    if let Some(limit) = limit {
        detail["limit"] = json!(limit);
    }
    Record {
        query: query.id.clone(),
        question: query.question.clone(),
        metrics,
        gold: right,
        given: said,
        statement: matches!(gold, Some(Gold::Verdict(_))),
        detail,
        error,
    }
}

fn cost(answer: &Answer, ms: f64) -> BTreeMap<String, f64> {
    let usage = &answer.usage;
    [
        ("ms", ms),
        ("prompt_tokens", usage.prompt_tokens as f64),
        ("reply_tokens", usage.completion_tokens as f64),
        ("calls", (usage.calls + usage.cached) as f64),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// How the values of an answer compare with the right ones; no answer is a wrong one.
fn compared(answer: &Answer, right: &[String], answered: bool) -> BTreeMap<String, f64> {
    if !answered {
        return ["accuracy", "denotation", "exact_match", "f1"].map(|name| (name.to_owned(), 0.0)).into();
    }
    let mut metrics = compare(&answer.values, right);
    let cited: Vec<String> = answer.citations.iter().map(|c| c.text.clone()).collect();
    let computed = answer.program.as_ref().filter(|_| !cited.is_empty()).map(|p| p.result.rows.as_slice());
    metrics.insert("citation".into(), share(is_cited(&cited, computed, right)));
    metrics
}

/// How an answer compares with the right text that it is nearest to.
fn best_of(answer: &Answer, right: &[String], answered: bool) -> BTreeMap<String, f64> {
    let mut best: BTreeMap<String, f64> = BTreeMap::new();
    for text in right {
        for (name, value) in compared(answer, std::slice::from_ref(text), answered) {
            let most = best.entry(name).or_insert(value);
            *most = most.max(value);
        }
    }
    best
}

/// How values compare with the right ones.
pub fn compare(given: &[String], right: &[String]) -> BTreeMap<String, f64> {
    let readings: Vec<String> = right.iter().map(|text| reading(text).unwrap_or_default()).collect();
    [
        ("accuracy", share(is_right(given, right))),
        ("denotation", share(is_denoted_as(right, &readings, given))),
        ("exact_match", exact_match_of_list(right, given)),
        ("f1", f1_of_list(right, given)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn share(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Whether the values are the right ones, however they are written. A right answer may be a list written as one
/// text.
fn is_right(values: &[String], right: &[String]) -> bool {
    if is_all(values, right) {
        return true;
    }
    let [one] = right else { return false };
    let parts = one.split([',', '，', '、', ';', '；', '/']).map(|part| part.trim().to_owned());
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    value::number(one).is_none() && values.len() > 1 && parts.len() > 1 && is_all(values, &parts)
}

/// Whether two lists hold the same values, each once, in whatever order.
fn is_all(values: &[String], right: &[String]) -> bool {
    let once = |all: &[String]| {
        let mut kept: Vec<String> = Vec::new();
        for one in all {
            if !kept.iter().any(|other| is_one(one, other)) {
                kept.push(one.clone());
            }
        }
        kept
    };
    let (values, right) = (once(values), once(right));
    values.len() == right.len() && right.iter().all(|one| values.iter().any(|value| is_one(value, one)))
}

/// How near two numbers must be, as a share of the larger.
const NEAR: f64 = 1e-6;

/// Whether a value is the right one: numbers to the digits that the right one has, truth values only with truth values.
fn is_one(given: &str, right: &str) -> bool {
    if value::boolean(given).is_some() != value::boolean(right).is_some() {
        return false;
    }
    if let (Some(given), Some(number)) = (value::number(given), value::number(right)) {
        let decimals = right
            .rsplit_once('.')
            .map_or(0, |(_, tail)| tail.chars().take_while(char::is_ascii_digit).count());
        let (x, y) = (given.value, number.value);
        let digit = 0.5 * 10f64.powi(-(decimals.min(12) as i32));
        let near = if decimals > 0 { digit.max(NEAR * y.abs()) } else { NEAR * x.abs().max(y.abs()) };
        return (x - y).abs() <= near;
    }
    same_all(&[given.to_owned()], &[right.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_written_as_one_text_is_a_list() {
        let list = |all: &[&str]| all.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        assert!(is_right(&list(&["b", "a"]), &list(&["a, b"])));
        assert!(is_right(&list(&["1,200"]), &list(&["1,200"])));
        assert!(!is_right(&list(&["a"]), &list(&["a, b"])));
        assert!(!is_right(&list(&["1", "200"]), &list(&["1,200"])));
    }

    #[test]
    fn a_number_is_right_to_the_digits_that_are_known() {
        assert!(is_one("17,400", "17400") && is_one("12.3333", "12.33") && is_one("5000", "5000 kg"));
        assert!(!is_one("17401", "17400") && !is_one("12.34", "12.33") && !is_one("1", "yes"));
        assert!(is_one("true", "yes") && is_one("Oslo", "oslo") && !is_one("Oslo", "5"));
    }

    #[test]
    fn of_several_right_texts_the_nearest_counts() {
        let query =
            Query {
                answers: vec!["林爽文".into(), "林爽文事件".into()], any: true, ..Query::default()
            };
        let given =
            Answer { outcome: Outcome::Answered, values: vec!["爽文事件".into()], ..Answer::default() };
        let record = judged(&query, query.gold().as_ref(), &Ok(given), 1.0);
        assert!((record.metrics["f1"] - 8.0 / 9.0).abs() < 1e-9 && record.metrics["exact_match"] == 0.0);
    }

    #[test]
    fn no_answer_is_a_wrong_one_but_says_nothing_of_precision() {
        let query = Query { answers: vec!["5".into()], ..Query::default() };
        let gold = query.gold();
        let none = judged(&query, gold.as_ref(), &Ok(Answer::default()), 1.0);
        assert_eq!((none.metrics["accuracy"], none.metrics["coverage"]), (0.0, 0.0));
        assert!(!none.metrics.contains_key("precision") && !none.metrics.contains_key("citation"));
        let five = Answer { outcome: Outcome::Answered, values: vec!["5.0".into()], ..Answer::default() };
        let five = judged(&query, gold.as_ref(), &Ok(five), 1.0);
        assert_eq!((five.metrics["precision"], five.metrics["denotation"]), (1.0, 1.0));
        let limited = judged(&query, gold.as_ref(), &Err(Error::limit("too long")), 1.0);
        assert_eq!((limited.error, limited.metrics["accuracy"]), (None, 0.0));
        let failed = judged(&query, gold.as_ref(), &Err(Error::input("no")), 1.0);
        assert_eq!(failed.error.as_deref(), Some("no"));
    }
}

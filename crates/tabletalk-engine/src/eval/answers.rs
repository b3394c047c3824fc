//! How often answers are right, how often there are any, and how often those given are right.

use super::metric::Mean;
use crate::answer::{Answering, Question, ask, same_all, verify};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use tabletalk_core::{Answer, Error, Outcome, Result, Verdict};
use tabletalk_store::{Library, Turn};

/// A question and its right answer, or a statement and whether it is true.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Query {
    /// Its id.
    #[serde(default)]
    id: Value,
    /// The question or statement.
    #[serde(alias = "query", alias = "statement")]
    question: String,
    /// Ids of the records that answer it.
    #[serde(default, alias = "table", alias = "tables", alias = "table_id")]
    relevant: Value,
    /// The right answers.
    #[serde(default, alias = "answer")]
    answers: Value,
    /// Whether a statement is true, or the right answer.
    #[serde(default)]
    label: Value,
    /// The conversation it belongs to.
    #[serde(default)]
    seq: Option<String>,
    /// Its place in that conversation.
    #[serde(default)]
    position: u32,
}

/// What is right.
#[derive(Debug, PartialEq)]
enum Gold {
    Values(Vec<String>),
    Verdict(Verdict),
}

impl Query {
    fn gold(&self) -> Option<Gold> {
        let answers = texts(&self.answers);
        if !answers.is_empty() {
            return Some(Gold::Values(answers));
        }
        Some(match &self.label {
            Value::Number(n) if n.as_i64() == Some(0) => Gold::Verdict(Verdict::Refuted),
            Value::Number(n) if n.as_i64() == Some(1) => Gold::Verdict(Verdict::Supported),
            Value::Bool(truth) => Gold::Verdict(if *truth { Verdict::Supported } else { Verdict::Refuted }),
            Value::String(text) => match text.to_lowercase().as_str() {
                "supported" | "entailed" => Gold::Verdict(Verdict::Supported),
                "refuted" | "contradiction" => Gold::Verdict(Verdict::Refuted),
                "not_enough_info" | "neutral" => Gold::Verdict(Verdict::NotEnoughInfo),
                _ => Gold::Values(vec![text.clone()]),
            },
            _ => return None,
        })
    }
}

/// A value or a list of values, as texts.
fn texts(value: &Value) -> Vec<String> {
    let plain = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    match value {
        Value::Null => Vec::new(),
        Value::Array(all) => all.iter().map(plain).collect(),
        one => vec![plain(one)],
    }
}

/// Reads queries, one JSON object a line. Those without a right answer cannot be judged and are left out.
pub fn queries(text: &str) -> Result<Vec<Query>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(i, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|e| Error::from(e).at(format!("line {}", i + 1)))
    };
    let all: Vec<Query> = lines.map(read).collect::<Result<_>>()?;
    let asked = all.len();
    let queries: Vec<Query> = all.into_iter().filter(|query| query.gold().is_some()).collect();
    if queries.is_empty() && asked > 0 {
        return Err(Error::input("no question has `answers` or a `label`"));
    }
    Ok(queries)
}

/// What was answered to one question.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// The id of the question.
    pub query: String,
    /// What was asked.
    pub question: String,
    /// The answer.
    pub values: Vec<String>,
    /// What would have been right.
    pub right: Vec<String>,
    /// Whether there was an answer.
    pub answered: bool,
    /// Whether it was right.
    pub correct: bool,
    /// How sure it was.
    pub confidence: f32,
    /// The program.
    pub sql: Option<String>,
    /// Tokens that a model read.
    pub prompt_tokens: u64,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// What went wrong.
    pub error: Option<String>,
}

/// What came of an evaluation.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// How many questions were asked.
    pub queries: usize,
    /// Accuracy over all questions, coverage (how many were answered), precision of those that were.
    pub metrics: BTreeMap<String, Mean>,
    /// Tokens read by a model for one question, on average.
    pub prompt_tokens: f64,
    /// Milliseconds in the middle of all questions.
    pub ms_p50: f64,
    /// Milliseconds that one in a hundred questions took more than.
    pub ms_p99: f64,
    /// Questions that ended in an error.
    pub errors: usize,
    /// Seconds for asking them all.
    pub seconds: f64,
}

/// How questions are asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// Each of its first relevant table alone.
    pub given_table: bool,
    /// What a model sees, where it differs from what is configured.
    pub mode: Option<crate::answer::Mode>,
}

/// Asks all questions; those of one conversation one after another.
pub fn run(desk: &Answering<'_>, queries: &[Query], how: How) -> Result<(Figures, Vec<Run>)> {
    let names = Names::of(desk.recall.library)?;
    let begun = std::time::Instant::now();
    let talks = talks(queries);
    let one = |talk: &Vec<&Query>| converse(desk, talk, how, &names);
    // A model has its own limit on requests at once; one thread keeps its prompts in order.
    let runs: Vec<Vec<Run>> = match desk.chat {
        Some(_) => talks.iter().map(one).collect::<Result<_>>()?,
        None => talks.par_iter().map(one).collect::<Result<_>>()?,
    };
    let runs: Vec<Run> = runs.into_iter().flatten().collect();
    Ok((figures(&runs, begun.elapsed().as_secs_f64()), runs))
}

/// Questions by conversation, each in its order.
fn talks(queries: &[Query]) -> Vec<Vec<&Query>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut talks: Vec<Vec<&Query>> = Vec::new();
    for query in queries {
        match query.seq.as_deref().and_then(|seq| places.get(seq)) {
            Some(at) => talks[*at].push(query),
            None => {
                query.seq.as_deref().map(|seq| places.insert(seq, talks.len()));
                talks.push(vec![query]);
            }
        }
    }
    talks.iter_mut().for_each(|talk| talk.sort_by_key(|query| query.position));
    talks
}

fn converse(desk: &Answering<'_>, talk: &[&Query], how: How, names: &Names) -> Result<Vec<Run>> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut runs = Vec::new();
    for query in talk {
        let tables = if how.given_table { names.tables(desk.recall.library, query)? } else { Vec::new() };
        let begun = std::time::Instant::now();
        let question =
            Question { text: &query.question, mode: how.mode, tables: &tables, turns: &turns, filters: &[] };
        let gold = query.gold();
        let by = if matches!(gold, Some(Gold::Verdict(_))) { verify } else { ask };
        let answer = by(desk, &question, &mut |_| {});
        runs.push(judged(query, gold.as_ref(), &answer, begun.elapsed().as_secs_f64() * 1e3));
        if let Ok(answer) = answer {
            turns.push(Turn { question: query.question.clone(), answer });
        }
    }
    Ok(runs)
}

fn judged(query: &Query, gold: Option<&Gold>, answer: &Result<Answer>, ms: f64) -> Run {
    let none = Answer::default();
    let (given, error) = match answer {
        Ok(answer) => (answer, None),
        Err(e) => (&none, Some(e.to_string())),
    };
    let (answered, correct, right) = match gold {
        Some(Gold::Verdict(right)) => {
            let answered = given.outcome == Outcome::Answered;
            (answered, given.verdict == Some(*right), vec![right.name().to_owned()])
        }
        Some(Gold::Values(right)) => {
            let answered = given.outcome == Outcome::Answered;
            (answered, answered && is_right(&given.values, right), right.clone())
        }
        None => (false, false, Vec::new()),
    };
    Run {
        query: texts(&query.id).concat(),
        question: query.question.clone(),
        values: given.values.clone(),
        right,
        answered,
        correct,
        confidence: given.confidence,
        sql: given.program.as_ref().map(|p| p.sql.clone()),
        prompt_tokens: given.usage.prompt_tokens,
        ms,
        error,
    }
}

/// Whether the values are the right ones. A right answer may be a list written as one text.
fn is_right(values: &[String], right: &[String]) -> bool {
    if same_all(values, right) {
        return true;
    }
    let [one] = right else { return false };
    let parts = one.split([',', '，', '、', ';', '；', '/']).map(|part| part.trim().to_owned());
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    values.len() > 1 && parts.len() > 1 && same_all(values, &parts)
}

fn figures(runs: &[Run], seconds: f64) -> Figures {
    let share = |runs: &mut dyn Iterator<Item = &Run>, is: fn(&Run) -> bool| {
        Mean::of(&runs.map(|run| f64::from(u8::from(is(run)))).collect::<Vec<_>>())
    };
    let mut metrics = BTreeMap::new();
    metrics.insert("accuracy".to_owned(), share(&mut runs.iter(), |run| run.correct));
    metrics.insert("coverage".to_owned(), share(&mut runs.iter(), |run| run.answered));
    let mut answered = runs.iter().filter(|run| run.answered);
    metrics.insert("precision".to_owned(), share(&mut answered, |run| run.correct));
    let mut times: Vec<f64> = runs.iter().map(|run| run.ms).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len() as f64 - 1.0) * share).round() as usize).copied();
    Figures {
        queries: runs.len(),
        metrics,
        prompt_tokens: runs.iter().map(|r| r.prompt_tokens as f64).sum::<f64>() / runs.len().max(1) as f64,
        ms_p50: at(0.5).unwrap_or(0.0),
        ms_p99: at(0.99).unwrap_or(0.0),
        errors: runs.iter().filter(|run| run.error.is_some()).count(),
        seconds,
    }
}

/// Documents by the id of their record, their name, and their name without its ending.
struct Names(HashMap<String, i64>);

impl Names {
    fn of(library: &Library) -> Result<Names> {
        let mut names = HashMap::new();
        library.catalog()?.select(|record| {
            let stem = record.name.rsplit_once('.').map_or(record.name.as_str(), |(stem, _)| stem);
            for name in [&record.source_id, &record.name, stem] {
                if !name.is_empty() {
                    names.entry(name.to_owned()).or_insert(record.key);
                }
            }
            false
        })?;
        Ok(Names(names))
    }

    /// The tables of the first relevant record.
    fn tables(&self, library: &Library, query: &Query) -> Result<Vec<i64>> {
        let first = texts(&query.relevant).into_iter().next().unwrap_or_default();
        let key = self.0.get(&first).ok_or_else(|| {
            Error::input(format!("the corpus has no record `{first}`, which a question is about"))
        })?;
        Ok(library.catalog()?.tables_of(*key)?.iter().map(|t| t.key).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_questions_and_statements_of_several_makes() {
        let read = queries(
            "{\"id\":1,\"question\":\"q\",\"table\":\"t\",\"answer\":\"a\"}\n\
             {\"id\":2,\"statement\":\"s\",\"relevant\":[\"t\"],\"label\":0}\n\
             {\"id\":3,\"query\":\"q\",\"table_id\":4,\"label\":\"x\"}",
        )
        .unwrap();
        assert_eq!(read[0].gold(), Some(Gold::Values(vec!["a".into()])));
        assert_eq!(read[1].gold(), Some(Gold::Verdict(Verdict::Refuted)));
        assert_eq!(
            (texts(&read[2].relevant), read[2].gold()),
            (vec!["4".into()], Some(Gold::Values(vec!["x".into()])))
        );
        assert!(queries("{\"id\":1,\"question\":\"q\"}").unwrap_err().to_string().contains("label"));
        assert!(queries("{\"id\":1}").unwrap_err().to_string().contains("line 1"));
    }

    #[test]
    fn questions_of_a_conversation_are_asked_in_their_order() {
        let read = queries(
            "{\"question\":\"b\",\"seq\":\"x\",\"position\":1,\"answers\":[\"1\"]}\n\
             {\"question\":\"c\",\"answers\":[\"1\"]}\n\
             {\"question\":\"a\",\"seq\":\"x\",\"position\":0,\"answers\":[\"1\"]}",
        )
        .unwrap();
        let order: Vec<Vec<&str>> =
            talks(&read).iter().map(|t| t.iter().map(|q| q.question.as_str()).collect()).collect();
        assert_eq!(order, [vec!["a", "b"], vec!["c"]]);
    }

    #[test]
    fn a_list_written_as_one_text_is_a_list() {
        let list = |all: &[&str]| all.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        assert!(is_right(&list(&["b", "a"]), &list(&["a, b"])));
        assert!(is_right(&list(&["1,200"]), &list(&["1,200"])));
        assert!(!is_right(&list(&["a"]), &list(&["a, b"])));
    }
}

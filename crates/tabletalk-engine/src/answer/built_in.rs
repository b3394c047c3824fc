//! The line of stages without a language model: the built-in question parser over the tables that were found.

use super::judge::{Judged, choose, verdict};
use super::propose::statement;
use super::trace::Trace;
use super::turn::READ;
use super::{Answering, Question, cite, extract, judge, propose, recall, run, show, silent};
use tabletalk_core::chat::Usage;
use tabletalk_core::{Answer, Error, Fault, Result, Verdict};
use tabletalk_sql::Cell;

/// Answers when it is sure, asks back when two readings fit equally, else shows what may help to ask again.
pub(super) fn answer(context: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let evidence = trace.stage("recall", || recall::for_parser(context, asked))?;
    let shown = show::to_parser(context, asked, &evidence)?;
    let mut readings = trace.stage(READ, || propose::readings(context, asked, &evidence, &shown))?;
    let limit = match judge::readings(context, asked, &evidence, &mut readings)? {
        Judged::Offered(answer) => return Ok(*answer),
        Judged::Chosen { reading, choice } => {
            let given = run::judged(context, reading, trace)?
                .ok_or_else(|| Error::missing("the reading that was chosen gives nothing"))?;
            let answer = cite::reading(context, reading, given, trace)?;
            choose::keep(context, asked.text, &choice)?;
            return Ok(Answer { confidence: answer.confidence.max(choose::CHOSEN), ..answer });
        }
        Judged::Sure { reading, remembered } => match run::judged(context, reading, trace) {
            Ok(Some(given)) => {
                return Ok(Answer { remembered, ..cite::reading(context, reading, given, trace)? });
            }
            Err(error) if error.fault() != Fault::Limit => return Err(error),
            ran => ran.err(),
        },
        Judged::Unsure => None,
    };
    if limit.is_none()
        && let Some(answer) = extract::answer(context, asked, &readings, trace)?
    {
        return Ok(answer);
    }
    let nearest = silent::answer(context, asked, &evidence, &readings, trace)?;
    Ok(match limit {
        // A limit that was reached says nothing of what the tables hold.
        Some(error) => Answer { answer: format!("no answer could be computed: {error}"), ..nearest },
        None => nearest,
    })
}

/// Judges a statement.
pub(super) fn verify(context: &Answering<'_>, asked: &Question<'_>, trace: &mut Trace) -> Result<Answer> {
    let undecided = |why: &str| Ok(verdict::undecided(why, Usage::default()));
    let evidence = trace.stage("recall", || recall::for_parser(context, asked))?;
    let best =
        trace.step("judge", |_| Ok(judge::likeliest(statement::over_each(context, asked, &evidence)?)))?;
    let Some(best) = best else {
        return undecided("no table was found that the statement could be about");
    };
    if best.probability < context.settings.sure_verdict {
        return undecided("the statement could not be read with enough certainty");
    }
    let relations = vec![best.found.stored.name.clone()];
    let ran = trace.step("run", |about| run::sql(context, &best.sql, relations, about));
    let ran = match run::ended(ran) {
        Err(error) if error.fault() == Fault::Limit => {
            return undecided(&format!("the statement could not be checked over the rows: {error}"));
        }
        ran => ran?,
    };
    let first = |ran: &tabletalk_sql::Ran| match ran.rows.first().map(Vec::as_slice) {
        Some([Cell::Boolean(holds)]) => Some(*holds),
        _ => None,
    };
    match ran.as_ref().and_then(|ran| Some((ran, first(ran)?))) {
        Some((ran, true)) => cite::statement(context, &best, Verdict::Supported, ran),
        Some((ran, false)) => cite::statement(context, &best, Verdict::Refuted, ran),
        None => undecided("the statement could not be checked over the rows"),
    }
}

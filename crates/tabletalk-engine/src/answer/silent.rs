//! What is shown when there is no answer: readings to choose from, the nearest tables, and what stands in them.

use super::cite::{row_citation, source};
use super::judge::choose;
use super::near::{Near, nearest, some};
use super::propose::Readings;
use super::recall::{self, Evidence, Found};
use super::trace::Trace;
use super::{Answering, Question};
use std::collections::HashSet;
use tabletalk_core::{Answer, Citation, Result};
use tabletalk_store::{StoredTable, data};

/// Rows that are shown.
const ROWS: usize = 4;
/// Rows that are shown of the right table where none of them has a word of the question.
const HEAD: usize = 2;

/// No answer, and what may help to ask again.
pub(super) fn answer(
    context: &Answering<'_>,
    asked: &Question<'_>,
    evidence: &Evidence,
    read: &Readings<'_>,
    trace: &mut Trace,
) -> Result<Answer> {
    let tables = &evidence.tables;
    let offers = choose::considered(context, asked.text, tables, &read.candidates);
    let nearest = nearest(tables, asked);
    let right = match (asked.tables, offers.first(), nearest.first()) {
        ([], Some(offer), _) => Some(offer.candidate.stored()),
        ([], None, Some(near)) if near.overlap > 0 => Some(near.stored),
        ([], ..) => None,
        (_, _, near) => near.map(|near| near.stored),
    };
    let citations = trace.step("passages", |_| {
        let mut citations = passages(context, asked, right.is_some())?;
        citations.extend(rows(context, asked, right)?);
        let mut seen = HashSet::new();
        citations.retain(|c: &Citation| seen.insert((c.id.clone(), c.place.to_string())));
        Ok(citations)
    })?;
    Ok(Answer {
        answer: why(&meant(&read.unknown, tables), offers.is_empty() && citations.is_empty()),
        readings: offers.iter().map(|offer| offer.reading(false)).collect(),
        nearest: match nearest.is_empty() && asked.filters.is_empty() {
            true => some(context)?,
            false => nearest.iter().map(Near::shown).collect(),
        },
        citations,
        ..Answer::default()
    })
}

/// Words that nothing is called by, each with the name that it is likely a slip of.
fn meant(unknown: &[String], tables: &[Found]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for stored in tables.iter().map(|found| &found.stored) {
        let columns = stored.table.columns.iter().map(|c| c.name.to_lowercase());
        names.extend(columns.chain([stored.name.to_lowercase()]));
    }
    let with_name = |word: &String| match slip(word, &names) {
        Some(name) => format!("{word} ({name}?)"),
        None => word.clone(),
    };
    unknown.iter().map(with_name).collect()
}

/// The name that a word is within a slip or two of: one for every four letters.
fn slip<'a>(word: &str, names: &'a [String]) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let most = word.len() / 4;
    let far = |name: &String| distance(&word, &name.chars().collect::<Vec<_>>());
    let (far, name) = names.iter().map(|name| (far(name), name)).min_by_key(|(far, _)| *far)?;
    (far <= most).then_some(name)
}

/// How many letters must be put in, taken out or exchanged to make one word of another.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for ((y, above), corner) in b.iter().zip(row.iter().skip(1)).zip(&row) {
            let left = next.last().copied().unwrap_or_default();
            next.push((corner + usize::from(x != y)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

fn why(unknown: &[String], is_nothing: bool) -> String {
    match (unknown, is_nothing) {
        ([], true) => "nothing here seems to be about this".to_owned(),
        ([], false) => "the question could not be read with enough certainty".to_owned(),
        (words, _) => format!("not in these tables: {}", words.join(", ")),
    }
}

/// The passages nearest to the question. Where a table is named by its words, only those that share one: others would be
/// near in meaning to anything.
fn passages(context: &Answering<'_>, asked: &Question<'_>, has_table: bool) -> Result<Vec<Citation>> {
    let analyzer = context.recall.library.keyword().analyzer();
    let words = |text: &str| analyzer.query(text).into_iter().map(|t| t.text).collect::<HashSet<String>>();
    let wanted = words(asked.text);
    let mut citations = Vec::new();
    for hit in recall::passages(context, asked)? {
        citations.extend(source::passages(context, &hit, asked.text)?);
    }
    citations.retain(|c| !has_table || !wanted.is_disjoint(&words(&c.text)));
    citations.truncate(ROWS);
    Ok(citations)
}

/// The rows nearest to the question, of the right table where that is known.
fn rows(context: &Answering<'_>, asked: &Question<'_>, right: Option<&StoredTable>) -> Result<Vec<Citation>> {
    let hits = recall::rows(context, asked, right, ROWS)?;
    if let Some(stored) = right.filter(|_| hits.is_empty()) {
        return head(stored);
    }
    Ok(hits.iter().map(source::whole).collect())
}

/// The first rows of a table, so that one sees what stands in it.
fn head(stored: &StoredTable) -> Result<Vec<Citation>> {
    let Some(batch) = data::open(&stored.table.columns, &stored.data, None)?.next().transpose()? else {
        return Ok(Vec::new());
    };
    let text = |i: usize| {
        let cells: Vec<String> = batch.columns.iter().map(|cells| cells.text(i).into_owned()).collect();
        cells.join(" | ")
    };
    Ok(batch.rows.iter().enumerate().take(HEAD).map(|(i, row)| row_citation(stored, *row, text(i))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_named() {
        let names = ["salary", "team", "name"].map(str::to_owned);
        assert_eq!((slip("sallary", &names), slip("tean", &names)), (Some("salary"), Some("team")));
        assert_eq!((slip("Zorro", &names), slip("it", &names)), (None, None));
    }

    #[test]
    fn says_what_is_not_there() {
        assert_eq!(why(&["Zorro".into()], true), "not in these tables: Zorro");
        assert!(why(&[], true).starts_with("nothing here"));
    }
}

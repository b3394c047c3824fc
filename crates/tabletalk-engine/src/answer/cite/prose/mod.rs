//! Answers in sentences. Each sentence of a model must be borne out by what it names or by what it was shown: a passage, a
//! row, or the result of its program. Those that are not are left out.

mod claim;
mod figure;
mod han;
mod name;

use super::{cite, row_citation, source};
use crate::answer::Answering;
use crate::answer::propose::protocol;
use crate::answer::propose::solve::Solved;
use crate::answer::recall::Evidence;
use crate::answer::run::KEPT_ROWS;
use claim::{Claim, LOOSE, SHARE};
use tabletalk_core::answer::Sentence;
use tabletalk_core::{Answer, Basis, Citation, Hit, Node, Outcome, Result};

/// How sure an answer is whose sentences are all borne out.
const SURE: f32 = 0.6;
/// The fewest words, or characters of Chinese, of a sentence.
const FEWEST: usize = 4;
/// The most citations of a sentence.
const MOST: usize = 2;

/// What a model said, sentence by sentence, with what bears each out; nothing where it said no sentences, or where nothing
/// bears out any of them.
pub(crate) fn answer(
    context: &Answering<'_>,
    question: &str,
    evidence: &Evidence,
    solved: &Solved,
    votes: f32,
) -> Result<Option<Answer>> {
    let said = cut(evidence, solved);
    if !said.iter().any(|said| is_prose(&said.text)) {
        return Ok(None);
    }
    let ground = Ground { context, question, evidence, solved };
    let (mut answer, mut lost) = (Answer::default(), Vec::new());
    for said in said {
        let found = ground.of(&said)?;
        match found.is_empty() {
            true => lost.push(said.text),
            false => add(&mut answer, said.text, found),
        }
    }
    if answer.sentences.is_empty() {
        return Ok(None);
    }
    let kept = answer.sentences.len();
    Ok(Some(Answer {
        outcome: Outcome::Answered,
        answer: written(&answer.sentences),
        values: answer.sentences.iter().map(|s| s.text.clone()).collect(),
        confidence: SURE * votes * kept as f32 / (kept + lost.len()) as f32,
        basis: Basis::Reading,
        notice: (!lost.is_empty()).then(|| left_out(&lost)),
        ..answer
    }))
}

fn add(answer: &mut Answer, text: String, found: Vec<Citation>) {
    let mut numbers = Vec::new();
    for citation in found {
        let is_same = |other: &Citation| other.id == citation.id && other.place == citation.place;
        let at = answer.citations.iter().position(is_same).unwrap_or_else(|| {
            answer.citations.push(citation);
            answer.citations.len() - 1
        });
        numbers.push(at);
    }
    answer.sentences.push(Sentence { text, citations: numbers });
}

/// The sentences with the numbers of their citations.
pub(crate) fn written(sentences: &[Sentence]) -> String {
    let one = |sentence: &Sentence| {
        let marks: String = sentence.citations.iter().map(|at| format!("[{}]", at + 1)).collect();
        format!("{} {marks}", sentence.text)
    };
    sentences.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn left_out(lost: &[String]) -> String {
    format!(
        "left out of what the model said, because nothing that was found bears it out: {}",
        lost.join(" ")
    )
}

/// A sentence of a model, and the places that it names.
#[derive(Debug, PartialEq)]
struct Said {
    text: String,
    places: Vec<String>,
}

/// Whether a text is a sentence, and no value.
fn is_prose(text: &str) -> bool {
    let han = text.chars().filter(|c| han::is_han(*c)).count();
    text.split_whitespace().count() >= FEWEST || han >= 2 * FEWEST
}

/// What a model said, cut into sentences. A place in brackets belongs to the sentence that it stands in or behind.
fn cut(evidence: &Evidence, solved: &Solved) -> Vec<Said> {
    let is_place = |text: &str| {
        let is_shown = |hit: &Hit| hit.node.place.to_string() == text;
        protocol::is_place(text) || evidence.passages.iter().any(is_shown)
    };
    let mut all: Vec<Said> = Vec::new();
    for (at, value) in solved.values.iter().enumerate() {
        let own = solved.places.get(at).filter(|place| !place.is_empty());
        let before = all.len();
        sentences(value, &is_place, &mut all);
        if let Some(last) = all.get_mut(before..).and_then(<[Said]>::last_mut) {
            last.places.extend(own.cloned());
            close(&mut last.text);
        }
    }
    all
}

/// Ends a sentence whose last sign was taken for one of the answer.
fn close(text: &mut String) {
    if is_prose(text) && text.ends_with(char::is_alphanumeric) {
        text.push(if text.ends_with(han::is_han) { '。' } else { '.' });
    }
}

fn sentences(text: &str, is_place: &dyn Fn(&str) -> bool, all: &mut Vec<Said>) {
    let first = all.len();
    for range in crate::group::sentence::sentences(text) {
        let (said, places) = parted(text.get(range).unwrap_or_default(), is_place);
        // `It grew. [a.md:1] It fell. [a.md:3]`: a place may stand at the beginning of the next sentence.
        let begins = text_begins_with_place(&places, &said);
        match all.get_mut(first..).and_then(<[Said]>::last_mut) {
            Some(last) if begins || said.is_empty() => {
                last.places.extend(
                    places.iter().take(if said.is_empty() { usize::MAX } else { 1 }).map(|p| p.0.clone()),
                );
                let own = places.into_iter().skip(1).map(|p| p.0).collect();
                if !said.is_empty() {
                    all.push(Said { text: said, places: own });
                }
            }
            _ if said.is_empty() => {}
            _ => all.push(Said { text: said, places: places.into_iter().map(|p| p.0).collect() }),
        }
    }
}

/// Whether the first place stands before all words.
fn text_begins_with_place(places: &[(String, usize)], said: &str) -> bool {
    !said.is_empty() && places.first().is_some_and(|(_, at)| *at == 0)
}

/// A text without the places that stand in it in brackets, and these, with where they stood.
fn parted(text: &str, is_place: &dyn Fn(&str) -> bool) -> (String, Vec<(String, usize)>) {
    let (mut said, mut places) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some((before, inside, after)) = bracket(rest) {
        let all: Vec<&str> = inside.split([';', '；']).map(str::trim).collect();
        said.push_str(before);
        match all.iter().all(|one| is_place(one)) {
            true => {
                let at = said.trim().len();
                said.truncate(said.trim_end().len());
                places.extend(all.iter().map(|one| ((*one).to_owned(), at)));
            }
            false => said.push_str(&format!("[{inside}]")),
        }
        rest = after;
    }
    said.push_str(rest);
    (said.trim().to_owned(), places)
}

/// What stands before, in and after the first brackets.
fn bracket(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (inside, after) = rest.split_once(']')?;
    Some((before, inside, after))
}

/// What sentences may rest on.
struct Ground<'a> {
    context: &'a Answering<'a>,
    question: &'a str,
    evidence: &'a Evidence,
    solved: &'a Solved,
}

impl Ground<'_> {
    /// What bears out a sentence: what it names first, else the passage that does best, else the program that ran.
    fn of(&self, said: &Said) -> Result<Vec<Citation>> {
        let claim = Claim::of(self.context.recall.library.keyword().analyzer(), &said.text);
        let (named, others): (Vec<&Hit>, Vec<&Hit>) =
            self.evidence.passages.iter().partition(|hit| said.places.contains(&hit.node.place.to_string()));
        let mut found = Vec::new();
        for place in &said.places {
            found.extend(self.row(&claim, place)?);
        }
        for hit in named {
            found.extend(self.passage(&claim, hit, SHARE)?);
        }
        if found.is_empty() {
            found = self.program(&claim)?;
        }
        if found.is_empty() {
            found = self.first(&claim, &others)?;
        }
        if found.is_empty() {
            found.extend(self.reranked(&claim, &said.text)?);
        }
        found.truncate(MOST);
        Ok(found)
    }

    fn first(&self, claim: &Claim<'_>, hits: &[&Hit]) -> Result<Vec<Citation>> {
        for hit in hits {
            if let Some(found) = self.passage(claim, hit, SHARE)? {
                return Ok(vec![found]);
            }
        }
        Ok(Vec::new())
    }

    /// A passage that bears a sentence out; below a summary a leaf of it, for a summary was written by a model.
    fn passage(&self, claim: &Claim<'_>, hit: &Hit, share: f32) -> Result<Option<Citation>> {
        let bears = |node: &Node| claim.within(&node.text, &around(node), share);
        let cited = |node: &Node| bears(node).map(|text| Citation { text, ..source::of_node(node) });
        match source::is_summary(&hit.node) {
            false => Ok(cited(&hit.node)),
            true => Ok(self.context.recall.leaves(&hit.node)?.iter().find_map(cited)),
        }
    }

    /// The row of a table that a sentence names and that bears it out.
    fn row(&self, claim: &Claim<'_>, place: &str) -> Result<Option<Citation>> {
        let Some((stored, row, text)) = source::row(self.evidence, place)? else { return Ok(None) };
        let around = format!("{} {} {}", stored.name, stored.file, stored.table.title());
        let says = claim.within(&text, &around, LOOSE).is_some();
        Ok(says.then(|| row_citation(stored, row, text)))
    }

    /// What a program rests on whose result a sentence tells.
    fn program(&self, claim: &Claim<'_>) -> Result<Vec<Citation>> {
        let Some((sql, ran)) = &self.solved.program else { return Ok(Vec::new()) };
        let cells = ran.rows.iter().take(KEPT_ROWS).flat_map(|row| row.iter().zip(&ran.columns));
        let cells: Vec<String> =
            cells.filter(|(_, column)| !column.is_constant).map(|(cell, _)| cell.to_string()).collect();
        let given =
            format!("{}; {}", cells.join("; "), self.question.trim_end_matches(['?', '.', '？', '。']));
        let all = format!("{given}; {sql}");
        let tells = claim.tells(&cells) && claim.has_figures(&given) && claim.has_names(&given);
        match tells && claim.has_words(&all, SHARE) && claim.is_covered(&all) {
            true => cite(self.context.recall.library, ran),
            false => Ok(Vec::new()),
        }
    }

    /// Where there is a reranker: the passage that it holds for the one that says this, if most of the sentence's words need
    /// not stand there; its numbers and names must.
    fn reranked(&self, claim: &Claim<'_>, said: &str) -> Result<Option<Citation>> {
        let recall = &self.context.recall;
        let texts: Vec<String> = self.evidence.passages.iter().map(|hit| hit.node.text.clone()).collect();
        for name in &self.context.settings.rerank {
            // One that scores no texts says nothing of them.
            let Ok(scores) = recall.rerankers.score(&recall.means(), name, said, &texts) else { continue };
            let best = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(at, _)| at);
            let Some(hit) = best.and_then(|at| self.evidence.passages.get(at)) else { continue };
            if let Some(found) = self.passage(claim, hit, LOOSE)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Whether all names and numbers of a question stand in a passage, or in what it is called and stands under.
pub(crate) fn has_names(question: &str, node: &Node) -> bool {
    let text = format!("{}\n{}", around(node), node.text);
    let there = figure::figures(&text);
    figure::figures(question).iter().all(|figure| there.contains(figure)) && claim::has_names(question, &text)
}

/// What a passage is called and stands under.
fn around(node: &Node) -> String {
    let fields = node.fields.values().filter_map(|value| value.as_str());
    fields.chain([node.place.file.as_str()]).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<Said> {
        let solved =
            Solved { values: vec![text.to_owned()], places: vec![String::new()], ..Solved::default() };
        cut(&Evidence::default(), &solved)
    }

    fn one(text: &str, places: &[&str]) -> Said {
        Said { text: text.into(), places: places.iter().map(|p| (*p).to_owned()).collect() }
    }

    #[test]
    fn a_place_belongs_to_its_sentence() {
        let wanted = [one("It grew.", &["a.md:1"]), one("It fell.", &["a.md:3", "b.md:4"])];
        assert_eq!(said("It grew [a.md:1]. It fell [a.md:3; b.md:4]."), wanted);
        assert_eq!(said("It grew. [a.md:1] It fell. [a.md:3; b.md:4]"), wanted);
        assert_eq!(said("It grew in [2] parts."), [one("It grew in [2] parts.", &[])]);
        assert_eq!(said("[a.md:1]"), []);
    }

    #[test]
    fn a_value_is_no_sentence() {
        assert!(!is_prose("New York") && !is_prose("1,200") && !is_prose("人民广场店"));
        assert!(is_prose("Suppliers were late again.") && is_prose("供应商延迟交货了三天。"));
    }
}

//! A conversation as a document that can be sent to others: Markdown, or one HTML file with charts in it.

use crate::answer::{Answer, Grid, Outcome, Verdict};
use crate::chart::escape;
use crate::chart::{self, Theme, Tongue};
use std::fmt::Write as _;
use tabletalk_store::Turn;

/// Rows of a result that stand in a report.
const ROWS: usize = 100;
/// Places that an answer rests on.
const PLACES: usize = 12;

/// What a report says beside questions, results and statements: in English, or in the words of whoever wants it.
#[derive(Debug, Clone)]
pub struct Words {
    /// What is said of each turn.
    pub turns: Vec<Said>,
    /// What stands before the places that an answer rests on.
    pub rests_on: String,
    /// In which language charts write their numbers.
    pub tongue: Tongue,
}

/// What a report says of one answer.
#[derive(Debug, Clone)]
pub struct Said {
    /// The answer, or why there is none.
    pub answer: String,
    /// How sure it is, and of what it was computed.
    pub basis: String,
}

impl Words {
    /// As the engine says it.
    pub fn english(turns: &[Turn]) -> Words {
        let turns = turns.iter().map(|t| Said { answer: said(&t.answer), basis: basis(&t.answer) });
        Words { turns: turns.collect(), rests_on: "Rests on".to_owned(), tongue: Tongue::En }
    }
}

/// How sure an answer is, and of what it was computed.
fn basis(answer: &Answer) -> String {
    let mut parts = Vec::new();
    if answer.outcome == Outcome::Answered {
        parts.push(format!("{:.0} % sure", answer.confidence * 100.0));
    }
    if let Some(program) = &answer.program {
        if !program.words.is_empty() {
            parts.push(program.words.clone());
        }
        parts.push(format!("computed over {} of {} rows", program.rows_read, program.rows_total));
    }
    parts.join(" · ")
}

/// The answer itself; a verdict before it.
fn said(answer: &Answer) -> String {
    let verdict = answer.verdict.map(Verdict::name);
    match (verdict, answer.outcome) {
        (Some(verdict), _) => format!("{verdict}: {}", answer.answer),
        (None, Outcome::Unknown) => format!("not known: {}", answer.answer),
        (None, _) => answer.answer.clone(),
    }
}

/// The result, where it is more than the answer says already.
fn result(answer: &Answer) -> Option<&Grid> {
    let grid = &answer.program.as_ref()?.result;
    (grid.rows.len() * grid.columns.len() > 1).then_some(grid)
}

fn places(answer: &Answer) -> Vec<String> {
    answer.citations.iter().take(PLACES).map(|c| c.place.to_string()).collect()
}

/// A conversation as Markdown.
pub fn markdown(title: &str, turns: &[Turn], words: &Words) -> String {
    let mut text = format!("# {}\n", line(title));
    for (Turn { question, answer }, said) in turns.iter().zip(&words.turns) {
        let _ = write!(text, "\n## {}\n\n", line(question));
        match result(answer).filter(|_| answer.verdict.is_none()) {
            Some(grid) => text.push_str(&markdown_table(grid)),
            None => {
                let _ = writeln!(text, "**{}**", line(&said.answer));
            }
        }
        let _ = writeln!(text, "\n{}", line(&said.basis));
        if let Some(program) = &answer.program {
            let _ = write!(text, "\n```sql\n{}\n```\n", program.sql);
        }
        let places = places(answer);
        if !places.is_empty() {
            let list: Vec<String> = places.iter().map(|p| format!("`{p}`")).collect();
            let _ = writeln!(text, "\n{}: {}", line(&words.rests_on), list.join(", "));
        }
    }
    text
}

/// A text on one line, whose signs mean nothing in Markdown.
fn line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('\\', "\\\\")
        .replace('*', "\\*")
        .replace('_', "\\_")
        .replace('<', "&lt;")
        .replace('|', "\\|")
}

fn markdown_table(grid: &Grid) -> String {
    let row =
        |cells: &[String]| format!("| {} |\n", cells.iter().map(|c| line(c)).collect::<Vec<_>>().join(" | "));
    let mut text = row(&grid.columns);
    text.push_str(&format!("|{}\n", " --- |".repeat(grid.columns.len())));
    grid.rows.iter().take(ROWS).for_each(|cells| text.push_str(&row(cells)));
    if !grid.total.is_empty() {
        text.push_str(&row(&grid.total));
    }
    text
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#1d2125}h2{border-left:3px solid #0b6675;padding-left:.7rem;margin-top:2.5rem;font-size:1.2rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{border-bottom:1px solid #e3e1da;padding:.2rem .7rem;text-align:left}th{background:#f2f1ec}.answer{font-size:1.3rem;font-weight:600}.basis{color:#5d646b}pre{background:#f2f1ec;padding:.7rem;white-space:pre-wrap;border-radius:7px}svg{max-width:100%;height:auto}";

/// A conversation as one HTML file, with charts.
pub fn html(title: &str, turns: &[Turn], words: &Words) -> String {
    let mut body = format!("<h1>{}</h1>\n", escape(title));
    for (Turn { question, answer }, said) in turns.iter().zip(&words.turns) {
        let _ = writeln!(body, "<h2>{}</h2>", escape(question));
        match result(answer).filter(|_| answer.verdict.is_none()) {
            Some(grid) => body.push_str(&html_result(grid, words.tongue)),
            None => {
                let _ = writeln!(body, "<p class=\"answer\">{}</p>", escape(&said.answer));
            }
        }
        let _ = writeln!(body, "<p class=\"basis\">{}</p>", escape(&said.basis));
        if let Some(program) = &answer.program {
            let _ = writeln!(body, "<pre>{}</pre>", escape(&program.sql));
        }
        let places: Vec<String> =
            places(answer).iter().map(|p| format!("<code>{}</code>", escape(p))).collect();
        if !places.is_empty() {
            let _ = writeln!(body, "<p>{}: {}</p>", escape(&words.rests_on), places.join(", "));
        }
    }
    format!(
        "<!doctype html>\n<html>\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>{STYLE}</style>\n{body}</html>\n",
        escape(title)
    )
}

fn html_result(grid: &Grid, tongue: Tongue) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|c| format!("<{tag}>{}</{tag}>", escape(c))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let mut text =
        chart::of(grid, None).map_or(String::new(), |c| c.with_tongue(tongue).svg("", Theme::Light));
    let _ = write!(text, "\n<table>\n{}", row("th", &grid.columns));
    grid.rows.iter().take(ROWS).for_each(|cells| text.push_str(&row("td", cells)));
    if !grid.total.is_empty() {
        text.push_str(&row("th", &grid.total));
    }
    text + "</table>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Citation, Program};

    fn turns() -> Vec<Turn> {
        let result = crate::chart::tests::grid(&["city", "n"], &[&["Oslo | <b>", "3"], &["Bergen", "7"]]);
        let program =
            Program { sql: "SELECT 1 < 2".into(), words: "n by city".into(), result, ..Program::default() };
        let citations = vec![Citation::default()];
        let answer =
            Answer { outcome: Outcome::Answered, program: Some(program), citations, ..Answer::default() };
        let plain = Answer { outcome: Outcome::Answered, answer: "7".into(), ..Answer::default() };
        vec![
            Turn { question: "n by <city>?".into(), answer },
            Turn { question: "Bergen?".into(), answer: plain },
        ]
    }

    #[test]
    fn a_report_has_question_answer_table_program_and_places() {
        let text = markdown("Cities", &turns(), &Words::english(&turns()));
        assert!(text.starts_with("# Cities\n") && text.contains("## n by &lt;city>?"), "{text}");
        assert!(
            text.contains("| Oslo \\| &lt;b> | 3 |") && text.contains("```sql\nSELECT 1 < 2\n```"),
            "{text}"
        );
        assert!(text.contains("**7**") && text.contains("computed over 0 of 0 rows"), "{text}");
    }

    #[test]
    fn it_says_what_it_is_given_to_say() {
        let said = |answer: &str| Said { answer: answer.into(), basis: "把握 <90%>".into() };
        let words =
            Words { turns: vec![said(""), said("七")], rests_on: "依据".into(), tongue: Tongue::Zh };
        let text = html("Cities", &turns(), &words);
        assert!(text.contains("<p class=\"answer\">七</p>") && text.contains("把握 &lt;90%&gt;"), "{text}");
        assert!(text.contains("<p>依据: ") && !text.contains("computed"), "{text}");
    }

    #[test]
    fn as_html_it_has_the_chart_and_nothing_of_the_data_is_markup() {
        let text = html("Cities", &turns(), &Words::english(&turns()));
        assert!(text.contains("<svg") && text.contains("&lt;b&gt;") && !text.contains("<b>"), "{text}");
    }
}

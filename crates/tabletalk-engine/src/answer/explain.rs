//! `why?` and `as a chart`: the answer before, said in another way.

use super::Question;
use tabletalk_core::{Answer, Grid, Outcome, Program};

/// Questions that ask how the answer before came about.
const WHY: &[&str] = &[
    "why",
    "why is that",
    "why so",
    "how so",
    "how come",
    "how do you know",
    "how do you know that",
    "how did you get that",
    "how was that computed",
    "how did you compute that",
    "explain",
    "explain that",
    "warum",
    "wieso",
    "woher weißt du das",
    "pourquoi",
    "为什么",
    "怎么算的",
    "怎么得出的",
];
/// Questions that want it drawn.
const CHART: &[&str] = &[
    "as a chart",
    "as chart",
    "show as a chart",
    "show it as a chart",
    "show that as a chart",
    "draw a chart",
    "as a bar chart",
    "chart",
    "plot it",
    "plot that",
    "als diagramm",
    "als grafik",
    "画图",
    "画成图",
    "用图表示",
];
/// The longest bar, in characters.
const BAR: usize = 30;

/// The answer before in words or as a chart, if that is asked.
pub(super) fn answer(question: &Question<'_>) -> Option<Answer> {
    let asked =
        question.text.trim().trim_end_matches(['?', '.', '!', '？', '。', '！']).trim().to_lowercase();
    let last = || question.turns.iter().rev().find(|turn| turn.answer.outcome == Outcome::Answered);
    let said = if WHY.contains(&asked.as_str()) {
        because(last()?.answer.program.as_ref()?)
    } else if CHART.contains(&asked.as_str()) {
        chart(&last()?.answer.program.as_ref()?.result)?
    } else {
        return None;
    };
    let before = last()?.answer.clone();
    Some(Answer { answer: said, usage: Default::default(), ..before })
}

/// The program in words.
fn because(program: &Program) -> String {
    let words = match program.words.is_empty() {
        true => "the result of the program below",
        false => program.words.as_str(),
    };
    let (used, total) = (program.rows_used, program.rows_total);
    let rows = match used == total {
        true => format!("all {total} rows"),
        false => format!("{used} of {total} rows"),
    };
    format!("Computed as {words}, from {rows}.")
}

/// A result of names and numbers as bars.
fn chart(result: &Grid) -> Option<String> {
    let number = |row: &Vec<String>| row.last()?.trim_end_matches('%').parse::<f64>().ok();
    let bars: Vec<(String, f64, &str)> = result
        .rows
        .iter()
        .map(|row| {
            let (value, names) = row.split_last()?;
            Some((names.join(" "), number(row)?, value.as_str())).filter(|_| !names.is_empty())
        })
        .collect::<Option<_>>()?;
    let longest = bars.iter().map(|(_, n, _)| n.abs()).fold(0.0, f64::max);
    let width = bars.iter().map(|(name, ..)| name.chars().count()).max()?;
    let line = |(name, n, value): &(String, f64, &str)| {
        let length = if longest > 0.0 { (n.abs() / longest * BAR as f64).round() as usize } else { 0 };
        let pad = " ".repeat(width - name.chars().count());
        format!("{name}{pad}  {} {value}", "█".repeat(length))
    };
    Some(bars.iter().map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_store::Turn;

    fn turns() -> Vec<Turn> {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        let result = Grid { rows: vec![row("Oslo", "10"), row("Lyon", "5")], ..Grid::default() };
        let program = Program {
            words: "the sum of revenue by city".into(),
            rows_used: 40,
            rows_total: 40,
            result,
            ..Program::default()
        };
        let answer = Answer { outcome: Outcome::Answered, program: Some(program), ..Answer::default() };
        vec![Turn { question: "revenue by city".into(), answer }]
    }

    fn asked(text: &str) -> Option<String> {
        let turns = turns();
        answer(&Question { text, turns: &turns, ..Question::default() }).map(|a| a.answer)
    }

    #[test]
    fn says_why() {
        let said = "Computed as the sum of revenue by city, from all 40 rows.";
        assert_eq!(asked("Why?").as_deref(), Some(said));
        assert_eq!(asked("why are sales low?"), None);
        assert_eq!(answer(&Question { text: "why?", ..Question::default() }), None);
    }

    #[test]
    fn draws_names_and_numbers() {
        let drawn = asked("as a chart").unwrap();
        assert_eq!(drawn, format!("Oslo  {} 10\nLyon  {} 5", "█".repeat(30), "█".repeat(15)));
    }
}

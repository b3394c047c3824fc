//! Questions that follow others: `of those, which…`, `and in Turin?`, `only the open ones`, `by month instead`.

use crate::candidate::Found;
use crate::execute;
use crate::grammar::{self, Weighed};
use crate::program::{Ask, By, Condition, Program, Rows, Test};
use crate::read::Subject;
use serde::{Deserialize, Serialize};

/// An earlier question, as far as a later one builds on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// What was asked.
    pub question: String,
    /// How it was read.
    pub program: Program,
    /// The rows of the source that its answer stands in.
    pub rows: Vec<u64>,
    /// Whether it was answered. What was read but not surely can be pointed back to, but is not gone on from.
    #[serde(default)]
    pub answered: bool,
}

/// Adds what the earlier program gives with a condition replaced or added by this question.
pub(crate) fn vary(found: &mut Found<'_>, turn: &Turn) {
    let Rows { within, conditions, pick, step, .. } = &turn.program.rows;
    let links: Vec<_> = found.links.iter().map(|l| l.condition.clone()).collect();
    let scopes: Vec<_> = found.scopes.iter().enumerate().filter(|(_, s)| s.spec.within.is_none()).collect();
    let single: Vec<(usize, usize)> = scopes
        .iter()
        .filter_map(|(i, s)| <[usize; 1]>::try_from(s.links.as_slice()).ok().map(|[l]| (*i, l)))
        .collect();
    for (scope, link) in single {
        let Some(new) = links.get(link) else { continue };
        let mut rows = Rows {
            within: within.clone(),
            conditions: conditions.clone(),
            pick: pick.clone(),
            step: *step,
            ..Rows::default()
        };
        match rows.conditions.iter_mut().find(|c| c.column == new.column) {
            Some(old) => *old = new.clone(),
            None if !conditions.is_empty() => rows.conditions.push(new.clone()),
            None => continue,
        }
        let selected = execute::select(&rows, found.grid);
        if !selected.is_empty() && turn.program.ask != Ask::Exists {
            found.push(scope, rows, &selected, selected.len(), turn.program.ask.clone());
        }
    }
}

/// What a question makes of the one before it.
#[derive(Debug)]
pub(crate) enum Continued {
    /// The program before, changed as was said.
    Changed(Box<Weighed>),
    /// It speaks of something that is not in the table.
    Unknown(Vec<String>),
}

/// The program before, with the condition, the groups or the measure that this question names; `None` where it does not
/// go on from the one before, or not in such a way.
pub(crate) fn continued(question: &str, subject: &Subject<'_>, turn: &Turn) -> Option<Continued> {
    let rest = fragment(question).filter(|_| turn.answered)?;
    let mut unknown: Option<Vec<String>> = None;
    for text in phrasings(&rest) {
        let parsed = grammar::parse(&text, subject, None);
        if parsed.is_void && unknown.is_none() {
            unknown = Some(parsed.unknown);
        }
        let Some(mut best) = likeliest(parsed.programs, &turn.program) else { continue };
        best.program.rows.conditions.iter_mut().for_each(|c| settle(c, &turn.program, subject));
        if let Some(program) = changed(&turn.program, &best.program) {
            best.program = program;
            return Some(Continued::Changed(Box::new(best)));
        }
    }
    unknown.filter(|words| !words.is_empty()).map(Continued::Unknown)
}

/// The reading of a fragment that speaks of the same columns as the program before, however many others could be meant;
/// else the best.
fn likeliest(mut programs: Vec<Weighed>, before: &Program) -> Option<Weighed> {
    let columns = before.rows.columns();
    let speaks = |w: &Weighed| {
        let named = &w.program.rows.conditions;
        !named.is_empty() && named.iter().all(|c| columns.contains(&c.column))
    };
    let all: f32 = programs.iter().map(|w| w.trust).sum();
    match programs.iter().position(speaks) {
        Some(at) => {
            let mut best = programs.swap_remove(at);
            best.trust = all.min(1.0);
            Some(best)
        }
        None => programs.into_iter().next(),
    }
}

/// Seeks a value in the column that the program before had one of, where it stands there too: `and PSV?` after the goals
/// of Ajax at home means PSV at home.
fn settle(condition: &mut Condition, before: &Program, subject: &Subject<'_>) {
    let Test::Is(values) = &condition.test else { return };
    let columns: Vec<usize> = before.rows.conditions.iter().map(|c| c.column).collect();
    let has_all = |column: &&usize| {
        let cells = subject.grid.columns.get(**column).map_or(&[][..], |field| field.cells.as_slice());
        values.iter().all(|value| cells.iter().any(|cell| cell.text == value.text))
    };
    if !columns.contains(&condition.column)
        && let Some(column) = columns.iter().find(has_all)
    {
        condition.column = *column;
    }
}

/// What marks a question that goes on from the one before: words before it, and behind it.
const LEADS: &[&str] = &[
    "and what about",
    "what about",
    "and how about",
    "how about",
    "and only",
    "and just",
    "and now",
    "and",
    "but only",
    "but",
    "only",
    "just",
    "now only",
    "now",
    "show only",
    "show me only",
    "und was ist mit",
    "was ist mit",
    "und nur",
    "und",
    "nur",
    "jetzt",
    "那么",
    "那",
    "只看",
    "仅看",
    "只要",
    "仅",
];
const TAILS: &[&str] = &["instead", "rather", "then", "too", "stattdessen", "呢"];
/// Words that begin a group on their own.
const GROUPS: &[&str] = &["by", "per", "for each", "nach", "pro", "按"];
/// Words that begin a question which stands alone, whatever comes before.
const ALONE: &[&str] = &[
    "what", "which", "who", "whose", "when", "where", "why", "how", "is", "are", "was", "were", "do", "does",
    "did", "has", "have", "can", "list", "show", "give", "welche", "welcher", "wie", "wer", "wann", "wo",
];

/// What is left of a question when the words that point back are taken away; `None` where there are none.
fn fragment(question: &str) -> Option<String> {
    let text = question.trim().trim_end_matches(['?', '.', '!', '？', '。', '！']).to_lowercase();
    let mut rest = text.as_str();
    let (mut is_led, mut is_tailed) = (false, false);
    while let Some(tail) = LEADS.iter().find_map(|lead| begins(rest, lead)) {
        (rest, is_led) = (tail, true);
    }
    while let Some(head) = TAILS.iter().find_map(|tail| rest.strip_suffix(tail)) {
        (rest, is_tailed) = (head.trim_end_matches([' ', ',']), true);
    }
    let is_group = GROUPS.iter().any(|word| begins(rest, word).is_some());
    let is_whole = ALONE.iter().any(|word| begins(rest, word).is_some());
    let rest = rest.trim();
    // As it was written: a name may be told by its capitals.
    let at = text.find(rest).filter(|_| (is_led || is_tailed || is_group) && !is_whole)?;
    let written =
        question.trim().get(at..at + rest.len()).filter(|w| w.to_lowercase() == rest).unwrap_or(rest);
    (!rest.is_empty()).then(|| written.to_owned())
}

/// What stands behind a word that a text begins with.
fn begins<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    let is_han = word.chars().next_back().is_some_and(crate::word::is_han);
    (is_han || rest.starts_with([' ', ','])).then(|| rest.trim_start_matches([' ', ',']))
}

/// A fragment as questions that the grammar reads.
fn phrasings(rest: &str) -> Vec<String> {
    let bare = ["the ", "those ", "die ", "den "].iter().find_map(|w| rest.strip_prefix(w)).unwrap_or(rest);
    let bare = [" ones", " one"].iter().find_map(|w| bare.strip_suffix(w)).unwrap_or(bare);
    match rest.chars().any(crate::word::is_han) {
        true => {
            vec![format!("{rest}有多少"), format!("{rest}的有多少"), format!("{rest}数量"), rest.to_owned()]
        }
        false => vec![
            format!("how many {rest}"),
            format!("how many rows {rest}"),
            format!("how many are {bare}"),
            format!("how many {bare}"),
            rest.to_owned(),
        ],
    }
}

/// A program with what another one names in the place of its own.
fn changed(before: &Program, new: &Program) -> Option<Program> {
    let mut program = before.clone();
    if new.rows.pick.is_some() || new.rows.step != 0 || new.rows.within.is_some() {
        return None;
    }
    for condition in &new.rows.conditions {
        program.rows.conditions.retain(|old| !is_rival(old, condition));
        program.rows.conditions.push(condition.clone());
    }
    let is_told = !new.rows.conditions.is_empty();
    match &new.ask {
        Ask::Count if is_told => Some(program),
        Ask::By(by) if matches!(*by.ask, Ask::Count) && by.having.is_none() && by.limit.is_none() => {
            program.ask = grouped(program.ask, by)?;
            Some(program)
        }
        _ => None,
    }
}

/// Whether a new condition takes the place of an old one: on the same column, unless they are a year and its month.
fn is_rival(old: &Condition, new: &Condition) -> bool {
    let part = |test: &Test| match test {
        Test::Year(_) => 1,
        Test::Quarter(_) | Test::Weekday(_) => 2,
        Test::Month(_) => 3,
        _ => 0,
    };
    let (a, b) = (part(&old.test), part(&new.test));
    old.column == new.column && (a == b || a == 0 || b == 0)
}

/// What is asked, by other groups.
fn grouped(ask: Ask, by: &By) -> Option<Ask> {
    let asked = match ask {
        Ask::By(old) => By { keys: by.keys.clone(), ..old },
        Ask::Fold(..) | Ask::Count | Ask::Distinct(_) => {
            By { keys: by.keys.clone(), ask: Box::new(ask), ..by.clone() }
        }
        _ => return None,
    };
    Some(Ask::By(asked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::understand;
    use crate::{Grid, Reading};
    use tabletalk_core::{Place, Rows as TableRows};

    fn orders() -> Grid {
        let rows = [
            "Order;Date;City;Status;Revenue;Quantity",
            "1001;2024-01-05;Turin;open;10;1",
            "1002;2024-01-09;Lyon;shipped;20;2",
            "1003;2024-02-11;Turin;shipped;40;1",
            "1004;2024-02-20;Oslo;open;80;3",
            "1005;2024-03-02;Lyon;open;160;5",
        ];
        let rows: Vec<Vec<String>> = rows.iter().map(|r| r.split(';').map(str::to_owned).collect()).collect();
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("orders.csv"));
        let TableRows::Memory(batches) = &table.rows else { panic!("rows stream") };
        Grid::new(&table.columns, batches, true)
    }

    fn talk(grid: &Grid, questions: &[&str]) -> Reading {
        let subject = Subject { relation: "orders", title: "orders", grid };
        let mut turn: Option<Turn> = None;
        let mut last = None;
        for question in questions {
            let understood = understand(question, &subject, turn.as_ref());
            let reading = understood.readings.into_iter().next().unwrap_or_else(|| panic!("{question}"));
            turn = Some(Turn {
                question: (*question).to_owned(),
                program: reading.program.clone(),
                rows: reading.answer.rows.clone(),
                answered: true,
            });
            last = Some(reading);
        }
        last.unwrap()
    }

    #[test]
    fn goes_on_from_the_question_before() {
        let grid = orders();
        for (questions, words) in [
            (&["total revenue in Lyon", "and in Turin?"][..], "the sum of Revenue where City is Turin"),
            (&["total revenue", "what about Oslo?"], "the sum of Revenue where City is Oslo"),
            (&["revenue by city", "only the open ones"], "the sum of Revenue by City where Status is open"),
            (&["revenue by city", "by month instead"], "the sum of Revenue by month of Date"),
            (&["total revenue", "by status"], "the sum of Revenue by Status"),
            (
                &["total revenue", "by city", "only open", "and in February?"],
                "the sum of Revenue by City where Status is open and Date is in month 2",
            ),
            (&["how many orders in Lyon", "and in Turin?"], "the number of rows where City is Turin"),
            // Questions of their own.
            (&["total revenue in Lyon", "revenue by city"], "the sum of Revenue by City"),
            (&["revenue by city", "total quantity"], "the sum of Quantity"),
        ] {
            let reading = talk(&grid, questions);
            assert_eq!(reading.program.words(&grid), words, "{questions:?}");
            assert!(reading.probability >= crate::SURE, "{questions:?} {}", reading.probability);
        }
    }

    #[test]
    fn a_name_is_sought_where_the_one_before_stood() {
        let rows = ["home;away;goals", "Ajax;PSV;3", "PSV;Ajax;2", "Feyenoord;PSV;4", "PSV;Feyenoord;1"];
        let rows: Vec<Vec<String>> = rows.iter().map(|r| r.split(';').map(str::to_owned).collect()).collect();
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("games.csv"));
        let TableRows::Memory(batches) = &table.rows else { panic!("rows stream") };
        let grid = Grid::new(&table.columns, batches, true);
        for side in ["home", "away"] {
            let reading = talk(&grid, &[&format!("total goals where {side} is Ajax"), "and PSV?"]);
            assert_eq!(reading.program.words(&grid), format!("the sum of goals where {side} is PSV"));
            assert!(reading.probability >= crate::SURE, "{}", reading.probability);
        }
    }

    #[test]
    fn what_is_not_there_is_not_gone_on_with() {
        let grid = orders();
        let subject = Subject { relation: "orders", title: "orders", grid: &grid };
        let first = understand("total revenue in Lyon", &subject, None).readings.remove(0);
        let turn =
            Turn { question: String::new(), program: first.program, rows: first.answer.rows, answered: true };
        let understood = understand("and in Paris?", &subject, Some(&turn));
        assert_eq!(understood.unknown, ["Paris"]);
        assert!(understood.readings.iter().all(|r| r.probability < crate::SURE), "{:?}", understood.readings);
    }

    #[test]
    fn a_fragment_points_back() {
        let rest = |text: &str| fragment(text);
        assert_eq!(rest("And in Turin?").as_deref(), Some("in Turin"));
        assert_eq!(rest("by month instead").as_deref(), Some("by month"));
        assert_eq!(rest("what about just Turin?").as_deref(), Some("Turin"));
        assert_eq!(rest("那上海呢？").as_deref(), Some("上海"));
        assert_eq!(rest("and which of them is the largest?"), None);
        assert_eq!(rest("How many orders are there?"), None);
        assert_eq!(rest("Andorra"), None);
    }
}

//! What a model wants to do next, read from what it wrote.
//!
//! Models that call tools by themselves give [`Call`]s. Others write: a fenced block of SQL, a line `Columns:` or
//! `Cells:` to look something up, or a line `Answer:`. Small models are careless, so reading is tolerant.

use serde_json::{Value, json};
use tabletalk_core::chat::{Call, Reply, Tool};

/// What a model wants to do next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Act {
    /// Run a program.
    Sql(String),
    /// Look for columns.
    Columns(String),
    /// Look for cells.
    Cells(String),
    /// Answer with these values; none: it does not know.
    Answer(Vec<Said>),
    /// Nothing that could be understood.
    Unclear,
}

/// A value of an answer, and where a model says that it read it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Said {
    pub(crate) value: String,
    /// `row 4`, `cities row 4`, or the place of a passage as it was shown; empty when it does not say.
    pub(crate) place: String,
}

impl Said {
    /// A value with a place in brackets behind it, or one alone.
    fn of(text: &str) -> Said {
        let plain = |text: &str| text.trim().trim_matches(['"', '`']).to_owned();
        let inside = text.trim().strip_suffix(']').and_then(|t| t.rsplit_once(" ["));
        match inside.filter(|(_, place)| is_place(place)) {
            Some((value, place)) => Said { value: plain(value), place: plain(place) },
            None => Said { value: plain(text), place: String::new() },
        }
    }
}

/// Whether brackets hold a place and are no part of a value: a row, a cell, or something in a file.
pub(crate) fn is_place(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_row = matches!(words.as_slice(), [.., row, n] if row.eq_ignore_ascii_case("row") && n.parse::<u64>().is_ok());
    let is_file = text.split('.').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    is_row || is_file || text.contains('!')
}

/// What separates the values of an answer.
pub(crate) const SEPARATOR: &str = " | ";

/// The tools as a model sees them that calls tools by itself.
pub(crate) fn tools() -> Vec<Tool> {
    let words = |what: &str| json!({"type": "object", "required": ["words"], "properties": {"words": {"type": "string", "description": what}}});
    vec![
        Tool {
            name: "run_sql".into(),
            description: "Runs one SELECT over the tables and gives its rows.".into(),
            parameters: json!({"type": "object", "required": ["sql"], "properties": {"sql": {"type": "string"}}}),
        },
        Tool {
            name: "find_columns".into(),
            description: "Finds columns of the tables by their name or meaning.".into(),
            parameters: words("a likely name of the column"),
        },
        Tool {
            name: "find_cells".into(),
            description: "Finds values that stand in cells, with the column each stands in.".into(),
            parameters: words("a likely value"),
        },
        Tool {
            name: "answer".into(),
            description: "Gives the final answer: its values, none when the tables and texts do not hold it. Where the question asks what texts say, how or why: one to three sentences, a value each, with numbers and names from the passages."
                .into(),
            parameters: json!({"type": "object", "required": ["values"], "properties": {
                "values": {"type": "array", "items": {"type": "string"}},
                "places": {"type": "array", "items": {"type": "string"}, "description": "for values that no program gave: where each was read, `row 4` of a table or the place in brackets before a passage"}}}),
        },
    ]
}

/// What a called tool stands for.
pub(crate) fn act_of(call: &Call) -> Act {
    let text = |name: &str| call.arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match call.name.as_str() {
        "run_sql" => Act::Sql(text("sql")),
        "find_columns" => Act::Columns(text("words")),
        "find_cells" => Act::Cells(text("words")),
        "answer" => Act::Answer(said(call)),
        _ => Act::Unclear,
    }
}

fn said(call: &Call) -> Vec<Said> {
    let list = |name: &str| match call.arguments.get(name) {
        Some(Value::Array(values)) => values.iter().map(plain).collect(),
        Some(one) => vec![plain(one)],
        None => Vec::new(),
    };
    let mut places = list("places").into_iter();
    let of = |value: String| match places.next().unwrap_or_default() {
        place if place.is_empty() => Said::of(&value),
        place => Said { value, place },
    };
    list("values").into_iter().map(of).filter(|said| !said.value.is_empty()).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned())
}

/// What a reply in text wants; what it thought aloud it does not want yet. A program comes before an answer: an answer given with it was guessed.
pub(crate) fn act_in(reply: &Reply) -> Act {
    let text = reply.said();
    if let Some(sql) = fenced(text).or_else(|| bare(text)) {
        return Act::Sql(sql);
    }
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['*', '#', '-', ' ']);
        if let Some(words) = after(line, "Columns") {
            return Act::Columns(words);
        }
        if let Some(words) = after(line, "Cells") {
            return Act::Cells(words);
        }
    }
    match answer(text) {
        Some(line) => Act::Answer(values(&line)),
        None => Act::Unclear,
    }
}

/// The last line that answers. Sentences may go on below it, also where nothing stands on it but `Answer:`.
fn answer(text: &str) -> Option<String> {
    const MOST: usize = 12;
    let lines: Vec<&str> = text.lines().collect();
    let of = |line: &&str| after(line.trim().trim_start_matches(['*', '#', ' ']), "Answer");
    let at = lines.iter().rposition(|line| of(line).is_some())?;
    let first = lines.get(at).and_then(of)?;
    let ends = |line: &str| line.ends_with(['.', '!', '。', '！', ']']);
    let is_sentence =
        first.is_empty() || (first.split_whitespace().count() > 3 || !first.is_ascii()) && ends(&first);
    if !is_sentence {
        return Some(first);
    }
    let more = lines.iter().skip(at + 1).map(|line| line.trim().trim_start_matches(['-', '*', '•', ' ']));
    let more = more.filter(|line| !line.is_empty()).take(MOST);
    Some(std::iter::once(first.as_str()).chain(more).collect::<Vec<_>>().join(" ").trim().to_owned())
}

/// What stands after `name:` at the beginning of a line.
fn after(line: &str, name: &str) -> Option<String> {
    let head = line.get(..name.len())?;
    let rest = line.get(name.len()..)?.trim_start_matches('*').trim_start();
    let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
    head.eq_ignore_ascii_case(name).then(|| rest.trim_matches(['*', ' ', '`']).to_owned())
}

/// The first fenced block that is SQL.
fn fenced(text: &str) -> Option<String> {
    let mut parts = text.split("```").skip(1).step_by(2);
    let sql = parts.find_map(|block| {
        let body = block.strip_prefix("sql").or_else(|| block.strip_prefix("SQL")).unwrap_or(block);
        is_query(body).then(|| body.trim().to_owned())
    });
    sql.filter(|sql| !sql.is_empty())
}

/// A program without a fence: from a line that begins one to the next empty line.
fn bare(text: &str) -> Option<String> {
    let lines = text.lines().map(|line| line.strip_prefix("SQL:").unwrap_or(line));
    let sql: Vec<&str> = lines
        .skip_while(|line| !is_query(line))
        .take_while(|line| !line.trim().is_empty() && after(line, "Answer").is_none())
        .collect();
    (!sql.is_empty()).then(|| sql.join("\n").trim().to_owned())
}

fn is_query(text: &str) -> bool {
    let head = text.trim_start();
    ["select ", "select\n", "with "]
        .iter()
        .any(|word| head.get(..word.len()).is_some_and(|h| h.eq_ignore_ascii_case(word)))
}

/// The values of an answer line; none when it says that it does not know.
fn values(line: &str) -> Vec<Said> {
    let line = line.trim().trim_end_matches('.');
    let unknown = ["", "unknown", "i don't know", "not known", "n/a", "none", "不知道", "未知"];
    if unknown.iter().any(|word| line.eq_ignore_ascii_case(word)) {
        return Vec::new();
    }
    line.split(SEPARATOR.trim()).map(Said::of).filter(|said| !said.value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(values: &[&str]) -> Act {
        Act::Answer(values.iter().map(|v| Said { value: (*v).to_owned(), place: String::new() }).collect())
    }

    fn act(text: &str) -> Act {
        act_in(&Reply { text: text.into(), ..Reply::default() })
    }

    #[test]
    fn reads_programs_with_and_without_a_fence() {
        let sql = Act::Sql("SELECT 1".into());
        assert_eq!(act("I count.\n```sql\nSELECT 1\n```\nAnswer: 7"), sql);
        assert_eq!(act("```\nSELECT 1\n```"), sql);
        assert_eq!(act("SQL: SELECT 1"), sql);
        assert_eq!(act("select 1\nAnswer: 4"), Act::Sql("select 1".into()));
    }

    #[test]
    fn what_is_thought_is_not_done() {
        assert_eq!(act("<think>\n```sql\nSELECT 1\n```\n</think>\nAnswer: 7"), answer(&["7"]));
        assert_eq!(act("<think>\nSELECT 1\n</think>\n```sql\nSELECT 2\n```"), Act::Sql("SELECT 2".into()));
        // Cut off before the thought ended: nothing was said.
        assert_eq!(act("<think>\n```sql\nSELECT 1\n```"), Act::Unclear);
        assert_eq!(act("SELECT 1\nAnswer: 3\n</think>\nCells: Oslo"), Act::Cells("Oslo".into()));
    }

    #[test]
    fn reads_answers_and_look_ups() {
        assert_eq!(act("So it is.\n**Answer:** Oslo | Bergen."), answer(&["Oslo", "Bergen"]));
        assert_eq!(act("Answer: unknown"), Act::Answer(Vec::new()));
        assert_eq!(act("答案如下\nAnswer：三"), answer(&["三"]));
        assert_eq!(act("Cells: Rotterdam"), Act::Cells("Rotterdam".into()));
        assert_eq!(act("Columns: price"), Act::Columns("price".into()));
        assert_eq!(act("hm"), Act::Unclear);
    }

    #[test]
    fn sentences_may_go_on_below() {
        let said = act("Answer:\n- Two suppliers were late [a.md:1].\n- Prices rose [a.md:3].");
        let Act::Answer(said) = said else { panic!("{said:?}") };
        assert_eq!(said[0].value, "Two suppliers were late [a.md:1]. Prices rose");
        assert_eq!(said[0].place, "a.md:3");
        assert_eq!(act("Answer: Oslo\nIt is the largest city."), answer(&["Oslo"]));
    }

    #[test]
    fn reads_calls_of_tools() {
        let call = |name: &str, arguments| Call { id: "1".into(), name: name.into(), arguments };
        assert_eq!(act_of(&call("run_sql", json!({"sql": "SELECT 1"}))), Act::Sql("SELECT 1".into()));
        assert_eq!(act_of(&call("answer", json!({"values": [3, "a"]}))), answer(&["3", "a"]));
        let named = act_of(&call("answer", json!({"values": ["Oslo"], "places": ["row 2"]})));
        assert_eq!(named, Act::Answer(vec![Said { value: "Oslo".into(), place: "row 2".into() }]));
        assert_eq!(act_of(&call("rm", json!({}))), Act::Unclear);
    }

    #[test]
    fn reads_where_a_value_was_read() {
        let named = |value: &str, place: &str| Said { value: value.into(), place: place.into() };
        assert_eq!(
            act("Answer: Oslo [cities row 2] | May [notes.md:3]"),
            Act::Answer(vec![named("Oslo", "cities row 2"), named("May", "notes.md:3")])
        );
        // Brackets that belong to the value.
        assert_eq!(act("Answer: 1992 [2]"), answer(&["1992 [2]"]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,80}", fence in "[`\\n sqlSELECTAnswer:|]{0,40}") {
            let _ = act(&format!("{text}{fence}{text}"));
        }
    }
}

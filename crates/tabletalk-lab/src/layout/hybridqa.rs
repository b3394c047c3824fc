//! HybridQA: questions on tables whose cells link to passages.

use super::linked::{self, Folders};
use super::output::Output;
use super::{Layout, input};
use std::path::Path;
use tabletalk_core::Result;

pub(super) fn convert(dir: &Path, split: &str, out: &mut Output) -> Result<()> {
    let about = Layout::Hybridqa.about();
    let folders = Folders {
        questions: linked::questions(dir, split, about)?,
        tables: input::first_folder(dir, &["WikiTables-WithLinks/tables_tok", "tables_tok"], about)?,
        passages: input::first_folder(dir, &["WikiTables-WithLinks/request_tok", "request_tok"], about)?,
    };
    linked::convert(&folders, split, out)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{add, error, folder, made};
    use super::super::{Converted, Layout};
    use serde_json::json;

    const TABLE: (&str, &str) = (
        "WikiTables-WithLinks/tables_tok/Marathon_0.json",
        r#"{"url":"https://x","title":"Marathon","header":[["Athlete",[]],["Nation",["/wiki/Nation"]]],
            "data":[[["Makau",["/wiki/Makau"]],["Kenya",["/wiki/Kenya"]]],[["Limo",[]],["Kenya",["/wiki/Kenya"]]]],
            "section_title":"Results","section_text":"","uid":"Marathon_0","intro":"A race ."}"#,
    );
    const PASSAGES: (&str, &str) = (
        "WikiTables-WithLinks/request_tok/Marathon_0.json",
        r#"{"/wiki/Makau":"He was sixth in Kenya .","/wiki/Kenya":"A sixthly country .","/wiki/Nation":"People .","/wiki/Else":"sixth"}"#,
    );

    #[test]
    fn questions_with_what_answers_them() {
        let dev = r#"[
            {"question_id":"a","question":"What place ?","table_id":"Marathon_0","answer-text":"sixth","where":"passage",
             "answer-node":[["Makau",[0,0],"/wiki/Makau","passage"],["Nation",[-1,1],"/wiki/Nation","passage"]]},
            {"question_id":"b","question":"Gone ?","table_id":"Gone_0","answer-text":"x"},
            {"question_id":"c","question":"Who ?","table_id":"Marathon_0","answer-text":"Limo",
             "answer-node":[["Limo",[1,0],null,"table"]]},
            {"question_id":"d","question":"How many ?","table_id":"Marathon_0","answer-text":"2","answer-node":[]}]"#;
        let dir = folder(&[TABLE, PASSAGES, ("released_data/dev.json", dev)]);
        let (converted, [tables, passages, queries]) = made(Layout::Hybridqa, dir.path(), "dev");
        assert_eq!(converted, Converted { tables: 1, passages: 3, queries: 3, left_out: 1 });
        assert_eq!(
            tables,
            [
                json!({"id":"Marathon_0","title":"Marathon","section":"Results","intro":"A race .","url":"https://x",
                "header":["Athlete","Nation"],"rows":[["Makau","Kenya"],["Limo","Kenya"]]})
            ]
        );
        assert_eq!(passages[0], json!({"id":"/wiki/Makau","title":"Makau","text":"He was sixth in Kenya ."}));
        let query = |id, question, answer| json!({"id":id,"question":question,"relevant":["Marathon_0"],"answers":[answer]});
        let with = |mut query: serde_json::Value, cells, passages: Option<serde_json::Value>| {
            query["cells"] = cells;
            if let Some(passages) = passages {
                query["passages"] = passages;
            }
            query
        };
        let found = json!(["/wiki/Makau", "/wiki/Nation"]);
        assert_eq!(
            queries,
            [
                with(query("a", "What place ?", "sixth"), json!([[0, 0]]), Some(found)),
                with(query("c", "Who ?", "Limo"), json!([[1, 0]]), None),
                query("d", "How many ?", "2"),
            ]
        );
    }

    #[test]
    fn answers_without_nodes_are_looked_for() {
        let train = r#"[{"question":"What place ?","table_id":"Marathon_0","answer-text":"Sixth"},
                        {"question":"Where ?","table_id":"Marathon_0","answer-text":"kenya"},
                        {"question":"Unanswered ?","table_id":"Marathon_0","question_id":"t"}]"#;
        let dir = folder(&[TABLE, PASSAGES, ("released_data/train.json", train)]);
        let (_, [_, _, queries]) = made(Layout::Hybridqa, dir.path(), "train");
        assert_eq!(queries[0]["id"], "train-0");
        assert_eq!(
            (&queries[0]["cells"], &queries[0]["passages"]),
            (&json!([[0, 0]]), &json!(["/wiki/Makau"]))
        );
        assert_eq!(queries[1]["cells"], json!([[0, 1], [1, 1], [0, 0]]));
        assert_eq!(queries[2], json!({"id":"t","question":"Unanswered ?","relevant":["Marathon_0"]}));
    }

    #[test]
    fn the_older_release_has_lists_of_texts() {
        let table = r#"{"title":"T","header":[[["A"],[null]]],"data":[[[["x","y"],["/wiki/X",null]]]]}"#;
        let dir = folder(&[("tables_tok/7.json", table), ("request_tok/7.json", r#"{"/wiki/X":"text"}"#)]);
        let dev = r#"[{"question":"q","table_id":7,"answer-text":"z","answer-node":[["x",[0,0],"/wiki/X","passage"]]}]"#;
        add(dir.path(), &[("released_data/dev.json", dev)]);
        let (_, [tables, _, queries]) = made(Layout::Hybridqa, dir.path(), "dev");
        assert_eq!(tables, [json!({"id":"7","title":"T","header":["A"],"rows":[["x y"]]})]);
        assert_eq!((&queries[0]["cells"], &queries[0]["passages"]), (&json!([[0, 0]]), &json!(["/wiki/X"])));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let dir = folder(&[TABLE, PASSAGES]);
        let none = error(Layout::Hybridqa, dir.path(), "dev").to_string();
        assert!(none.contains("released_data/dev.json") && none.contains("WikiTables-WithLinks"), "{none}");
        let node = |node: &str| {
            format!(
                r#"[{{"question":"q","table_id":"Marathon_0","answer-text":"z","answer-node":[{node}]}}]"#
            )
        };
        for (text, part) in [
            ("[".to_owned(), "dev.json: not valid JSON"),
            (r#"[{"table_id":"Marathon_0"}]"#.to_owned(), "missing field `question`"),
            (node(r#"["x",[5,0],null,"table"]"#), "question dev-0: row 5, column 0"),
            (node("3"), "question dev-0: its answer node 3"),
            (r#"[{"question":"q","table_id":"../x"}]"#.to_owned(), "no query can be used"),
        ] {
            add(dir.path(), &[("released_data/dev.json", &text)]);
            let wrong = error(Layout::Hybridqa, dir.path(), "dev").to_string();
            assert!(wrong.contains(part), "{wrong}");
        }
        add(dir.path(), &[("released_data/dev.json", &node("")), (TABLE.0, r#"{"header":[],"data":[3]}"#)]);
        let wrong = error(Layout::Hybridqa, dir.path(), "dev").to_string();
        assert!(wrong.contains("Marathon_0.json: row 0 is not a list of cells"), "{wrong}");
        let without = folder(&[("released_data/dev.json", "[]"), TABLE]);
        let wrong = error(Layout::Hybridqa, without.path(), "dev").to_string();
        assert!(wrong.contains("no folder WikiTables-WithLinks/request_tok"), "{wrong}");
    }
}

//! OTT-QA: questions that are to be answered without being given the table.

use super::linked::{self, Folders};
use super::output::Output;
use super::{Layout, input};
use std::path::Path;
use tabletalk_core::Result;

pub(super) fn convert(dir: &Path, split: &str, out: &mut Output) -> Result<()> {
    let about = Layout::Ottqa.about();
    let folders = Folders {
        questions: linked::questions(dir, split, about)?,
        tables: input::first_folder(dir, &["data/traindev_tables_tok", "traindev_tables_tok"], about)?,
        passages: input::first_folder(dir, &["data/traindev_request_tok", "traindev_request_tok"], about)?,
    };
    linked::convert(&folders, split, out)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{error, folder, made};
    use super::super::{Converted, Layout};
    use serde_json::json;

    const TABLE: (&str, &str) = (
        "data/traindev_tables_tok/Irish_0.json",
        r#"{"title":"1911 Irish","header":[["Date",[]],["Site",[]]],
            "data":[[["October 7",[]],["Cartier Field",["/wiki/Cartier_Field"]]]],"section_title":"Schedule"}"#,
    );
    const PASSAGES: (&str, &str) =
        ("data/traindev_request_tok/Irish_0.json", r#"{"/wiki/Cartier_Field":"Opened in 1900 ."}"#);

    #[test]
    fn traced_questions_come_before_untraced_ones() {
        let traced = r#"[{"question_id":"a","question":"When opened ?","table_id":"Irish_0","answer-text":"1900",
            "answer-node":[["Cartier Field",[0,1],"/wiki/Cartier_Field","passage"]]},
            {"question_id":"b","question":"No table is given ?","answer-text":"x"}]"#;
        let dir = folder(&[
            TABLE,
            PASSAGES,
            ("released_data/dev.json", "[]"),
            ("released_data/dev.traced.json", traced),
        ]);
        let (converted, [tables, passages, queries]) = made(Layout::Ottqa, dir.path(), "dev");
        assert_eq!(converted, Converted { tables: 1, passages: 1, queries: 1, left_out: 1 });
        assert_eq!(tables[0]["section"], "Schedule");
        assert_eq!(
            passages,
            [json!({"id":"/wiki/Cartier_Field","title":"Cartier Field","text":"Opened in 1900 ."})]
        );
        assert_eq!(
            queries,
            [
                json!({"id":"a","question":"When opened ?","relevant":["Irish_0"],"answers":["1900"],"cells":[[0,1]],
                "passages":["/wiki/Cartier_Field"]})
            ]
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let dir = folder(&[PASSAGES, ("released_data/train.json", "[]")]);
        let wrong = error(Layout::Ottqa, dir.path(), "train").to_string();
        assert!(wrong.contains("no folder data/traindev_tables_tok"), "{wrong}");
        let wrong = error(Layout::Ottqa, dir.path(), "dev").to_string();
        assert!(wrong.contains("released_data/dev.traced.json or released_data/dev.json"), "{wrong}");
    }
}

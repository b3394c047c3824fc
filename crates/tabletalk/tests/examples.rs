use crate::world::{World, places, repository};
use serde_json::Value;

fn search(query: &str, more: &[&str]) -> Value {
    let world = World::new();
    let examples = repository().join("examples");
    world.json(0, &[&["search", query, "--from", examples.to_str().unwrap()], more].concat())
}

#[test]
fn a_question_in_plain_words_finds_the_right_table() {
    let found = search("e-bike revenue in the Nordics", &[]);
    assert!(places(&found)[0].contains("sales.xlsx!"), "{:?}", places(&found));
}

#[test]
fn every_example_file_is_read_without_an_error() {
    let world = World::new();
    let out = world.json(0, &["add", repository().join("examples").to_str().unwrap()]);
    for document in out["documents"].as_array().unwrap() {
        assert_eq!(document["status"], "added", "{document}");
        assert_eq!(document["rows_in"], document["rows_indexed"], "{document}");
    }
    assert!(out["documents"].as_array().unwrap().len() >= 10);
    let tables = world.json(0, &["tables"]);
    let count = |name: &str| {
        tables["tables"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|t| t["document"].as_str().unwrap().contains(name))
            .count()
    };
    assert!(count("sales.xlsx") >= 3, "several tables in one workbook");
    assert!(count("inventory.sqlite") >= 4, "three tables and a view");
}

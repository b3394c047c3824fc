use crate::world::World;

fn world() -> World {
    let world = World::new();
    world.write("a.csv", "city,people\nOslo,\"1,200\"\n<b>,5\n");
    world.json(0, &["add", "a.csv"]);
    world
}

#[test]
fn shows_a_table_in_every_format() {
    let world = world();
    let show = |format: &str| world.run(&["show", "a.csv", "--format", format]).stdout();
    assert!(show("md").contains("| Oslo | 1,200 |"));
    assert!(show("csv").contains("Oslo,\"1,200\""));
    assert!(show("html").contains("<td>&lt;b&gt;</td>"));
    let value = world.json(0, &["show", "a.csv"]);
    let cell = &value["tables"][0]["cells"][0]["cells"][1];
    assert_eq!(cell, &serde_json::json!({"a1": "B2", "text": "1,200", "value": 1200}));
    assert_eq!(value["tables"][0]["header"][1]["place"]["text"], "a.csv!B1");
}

#[test]
fn shows_every_kind_of_node_by_its_id() {
    let world = world();
    let id = world.json(0, &["docs"])["documents"][0]["id"].as_str().unwrap().to_owned();
    let text = |part: &str| world.json(0, &["show", &format!("{id}{part}")])["text"].clone();
    assert_eq!(text("/t1/s2"), "people: integer, 5 to 1200");
    assert_eq!(text("/t1/r1"), "Oslo | 1,200");
    assert_eq!(text("/t1/c1/v1"), "city: Oslo");
    assert_eq!(text("/t1/c2/range"), "people: 5 to 1200");
    assert_eq!(world.run(&["show", &format!("{id}/t9")]).code(), 3);
}

#[test]
fn a_column_of_texts_is_told_by_its_most_frequent_values() {
    let world = World::new();
    world.write("trees.csv", "tree,height\noak,12\nelm,9\noak,15\noak,11\nelm,8\nash,20\n");
    world.json(0, &["add", "trees.csv", "--no-embed"]);
    let id = world.json(0, &["docs"])["documents"][0]["id"].as_str().unwrap().to_owned();
    let shown = world.json(0, &["show", &format!("{id}/t1/s1")]);
    assert_eq!(shown["text"], "tree: text, such as oak; elm; ash", "the most frequent first: {shown:#}");
}

use crate::world::{World, texts};

#[test]
fn a_users_group_is_made_and_made_again_when_its_definition_changes() {
    let world = World::new();
    world.write("n.md", "# Plan\n\nfirst part; second part; third part\n");
    world.json(0, &["add", "n.md"]);
    let config = |pattern: &str| {
        format!(
            "[[group]]\nname = \"part\"\nparent = \"block\"\ntransform = {{ type = \"pattern\", pattern = \"{pattern}\" }}\n"
        )
    };
    world.write("tabletalk.toml", config("; "));
    let found = world.json(0, &["search", "second", "--group", "part"]);
    assert_eq!(texts(&found), ["second part"]);
    world.write("tabletalk.toml", config(" part"));
    let found = world.json(0, &["search", "second", "--group", "part"]);
    assert_eq!(texts(&found), ["; second"]);
    std::fs::remove_file(world.path("tabletalk.toml")).unwrap();
    assert_eq!(world.run(&["search", "second", "--group", "part"]).code(), 3, "a removed group is gone");
}

#[test]
fn a_wrong_definition_is_refused_by_name() {
    let world = World::new();
    world.write(
        "tabletalk.toml",
        "[[group]]\nname = \"x\"\nparent = \"nowhere\"\ntransform = { type = \"block\" }\n",
    );
    let run = world.run(&["docs"]);
    assert_eq!(run.code(), 2);
    assert!(run.stderr().contains("`nowhere`"), "{}", run.stderr());
}

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

/// A program that makes a node of every word with a capital letter.
const NAMES: &str = "import json, re, sys\nfor line in sys.stdin:\n    node = json.loads(line)\n    \
    for word in re.findall('[A-Z][a-z]+', node['text']):\n        \
    print(json.dumps({'parent': node['id'], 'text': word, 'fields': {'letters': len(word)}}))\n";

#[test]
fn a_program_of_ones_own_makes_a_group() {
    let world = World::new();
    world.write("own/names.py", NAMES);
    world.write("n.md", "# Plan\n\nthen we met Ann\n\nand Robert too\n");
    let config = |command: &str, more: &str| {
        format!(
            "[[group]]\nname = \"name\"\nparent = \"block\"\n\
             transform = {{ type = \"command\", command = {command}{more} }}\n"
        )
    };
    let python = "[\"python3\", \"names.py\"]";
    world.write("own/tabletalk.toml", config(python, ""));
    let named = ["--config", "own/tabletalk.toml"];
    world.json(0, &[&["add", "n.md"][..], &named].concat());
    let find = |query: &str| world.json(0, &[&["search", query, "--group", "name"][..], &named].concat());
    let found = find("robert");
    assert_eq!(
        (texts(&found), found["hits"][0]["fields"]["letters"].as_u64()),
        (vec!["Robert".into()], Some(6))
    );
    assert_eq!(found["hits"][0]["place"]["text"], "n.md:5");
    let listed = world.run(&[&["groups"][..], &named].concat()).stdout();
    assert!(listed.contains("command"), "{listed}");

    // A changed version makes it again.
    world.write("own/names.py", NAMES.replace("'text': word", "'text': word + ' Smith'"));
    assert_eq!(texts(&find("robert")), ["Robert"]);
    world.write("own/tabletalk.toml", config(python, ", version = \"2\""));
    assert_eq!(texts(&find("robert")), ["Robert Smith"]);

    // What goes wrong is said, with the group and the program.
    for (command, more, said) in [
        ("[\"./nowhere\"]", "", "cannot be started"),
        ("[\"python3\", \"-c\", \"import time; time.sleep(60)\"]", ", timeout_s = 1", "more than 1 seconds"),
        ("[\"python3\", \"-c\", \"print('x' * 9999)\"]", ", max_bytes = 100", "more than 100 bytes"),
        ("[\"python3\", \"-c\", \"raise SystemExit('no ink')\"]", "", "no ink"),
    ] {
        world.write("own/tabletalk.toml", config(command, more));
        let run = world.run(&[&["search", "x"][..], &named].concat());
        let told = run.stderr();
        assert!(run.code() > 1 && told.contains("group `name`") && told.contains(said), "{told}");
    }
}

#[test]
fn a_configuration_that_merely_lies_there_runs_no_program() {
    let world = World::new();
    world.write("n.md", "some words\n");
    world.write(
        "tabletalk.toml",
        "[[group]]\nname = \"x\"\ntransform = { type = \"command\", command = [\"touch\", \"ran\"] }\n",
    );
    let run = world.run(&["add", "n.md"]);
    assert!(run.code() == 2 && run.stderr().contains("touch ran"), "{}", run.stderr());
    assert!(run.stderr().contains("TABLETALK_COMMANDS") && !world.path("ran").exists());
    let out = world.command(&["add", "n.md"]).env("TABLETALK_COMMANDS", "allow").output().unwrap();
    assert!(out.status.success() && world.path("ran").exists());
}

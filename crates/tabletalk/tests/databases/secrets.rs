//! Passwords: where they come from, and where they never are.

use super::server::{self, SECRET};
use crate::script::{Do, Server};
use crate::world::{Run, World};
use std::path::Path;

const TABLES: &str = "
    CREATE TABLE city (id int PRIMARY KEY, name text, people int);
    INSERT INTO city VALUES (1, 'Oslo', 709000), (2, 'Bergen', 291000), (3, 'Aarhus', 285000);";

/// Runs with a password in the environment.
fn with_password(world: &World, password: &str, args: &[&str]) -> Run {
    let mut command = world.command(args);
    command.env("PGPASSWORD", password).env("HOME", world.path("home"));
    Run::of(command.output().unwrap())
}

fn hushed(run: &Run) {
    assert!(
        !run.stdout().contains(SECRET) && !run.stderr().contains(SECRET),
        "{}{}",
        run.stdout(),
        run.stderr()
    );
}

/// Every file below a folder in which the password stands.
fn holding(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path));
        } else if std::fs::read(&path).unwrap().windows(SECRET.len()).any(|w| w == SECRET.as_bytes()) {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_password_is_neither_printed_nor_stored_nor_backed_up_nor_told_a_model() {
    let Some(database) = server::database(TABLES) else { return };
    let script =
        Server::start(vec![Do::Say("```sql\nSELECT sum(people) FROM city\n```"), Do::Say("Answer: 1285000")]);
    let world = World::new();
    world.write(
        "tabletalk.toml",
        format!(
            "[chat]\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"{}\"\ntools = \"text\"\n[answer]\nbuilt_in = \"never\"\n",
            script.url
        ),
    );
    let address = database.reader();
    let added = with_password(&world, SECRET, &["add", &address, "--no-embed"]);
    assert_eq!(added.code(), 0, "{}{}", added.stdout(), added.stderr());
    hushed(&added);
    let asked = with_password(&world, SECRET, &["ask", "How many people are there in all?", "--explain"]);
    assert!(asked.code() == 0 && asked.stdout().contains("1285000"), "{}{}", asked.stdout(), asked.stderr());
    for args in [
        &["sql", "SELECT count(*) FROM city", "--explain"][..],
        &["sql", "SELECT median(people) FROM city", "--json"],
        &["tables", "--json"],
        &["docs", "--json"],
        &["config"],
        &["doctor"],
        &["show", "city"],
        &["search", "city", "--json"],
        &["sync", &address, "--no-embed"],
        &["backup", "copy.tar.zst"],
    ] {
        let run = with_password(&world, SECRET, args);
        assert_eq!(run.code(), 0, "{args:?}: {}{}", run.stdout(), run.stderr());
        hushed(&run);
    }
    hushed(&asked);
    assert!(!script.prompts().is_empty() && script.prompts().iter().all(|prompt| !prompt.contains(SECRET)));
    let restored = with_password(&world, SECRET, &["restore", "copy.tar.zst", "--library", "restored"]);
    assert_eq!(restored.code(), 0, "{}{}", restored.stdout(), restored.stderr());
    assert_eq!(holding(&world.path("")), Vec::<std::path::PathBuf>::new());
    // Whoever wrote a backup does not decide where this machine connects to.
    let count = ["sql", "SELECT count(*) FROM city", "--library", "restored"];
    let refused = with_password(&world, SECRET, &count);
    assert!(
        refused.code() == 2 && refused.stderr().contains("not added on this machine"),
        "{}",
        refused.stderr()
    );
    let again = with_password(&world, SECRET, &["add", &address, "--no-embed", "--library", "restored"]);
    assert_eq!(again.code(), 0, "{}", again.stderr());
    assert!(with_password(&world, SECRET, &count).stdout().contains('3'));
}

#[test]
fn what_is_said_of_a_password_that_is_wrong_or_not_there() {
    let Some(database) = server::database(TABLES) else { return };
    let world = World::new();
    let address = database.reader();
    let wrong = with_password(&world, "wrong-9431", &["add", &address]);
    assert_eq!(wrong.code(), 2, "{}", wrong.stderr());
    assert!(
        wrong.stderr().contains("does not let us in") && !wrong.stderr().contains("wrong-9431"),
        "{}",
        wrong.stderr()
    );
    let mut none = world.command(&["add", &address]);
    let none = Run::of(none.env_remove("PGPASSWORD").env("HOME", world.path("home")).output().unwrap());
    assert!(none.code() == 2 && none.stderr().contains("wants a password"), "{}", none.stderr());
    let inside = address.replace("reader@", &format!("reader:{SECRET}@"));
    let refused = with_password(&world, SECRET, &["add", &inside]);
    assert!(refused.code() == 2 && refused.stderr().contains("holds a password"), "{}", refused.stderr());
    hushed(&refused);
}

#[test]
fn a_file_says_the_password_if_nobody_else_may_read_it() {
    let Some(database) = server::database(TABLES) else { return };
    let world = World::new();
    world.write(
        "home/.pgpass",
        format!("# databases\n*:*:other:reader:x\n*:*:{}:reader:{SECRET}\n", database.name),
    );
    let address = database.reader();
    let add = || {
        let mut command = world.command(&["add", &address, "--no-embed"]);
        Run::of(command.env_remove("PGPASSWORD").env("HOME", world.path("home")).output().unwrap())
    };
    world.set_mode("home/.pgpass", 0o644);
    let refused = add();
    assert!(refused.code() == 2 && refused.stderr().contains("chmod 0600"), "{}", refused.stderr());
    hushed(&refused);
    world.set_mode("home/.pgpass", 0o600);
    let added = add();
    assert_eq!(added.code(), 0, "{}", added.stderr());
    hushed(&added);
}

use crate::world::World;
use serde_json::Value;

fn statuses(out: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let mut all: Vec<_> =
        out["documents"].as_array().unwrap().iter().map(|d| (text(&d["name"]), text(&d["status"]))).collect();
    all.sort();
    all
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn adds_only_what_changed_and_keeps_the_ids() {
    let world = World::new();
    world.write("in/a.csv", "city,people\nOslo,700\n").write("in/b.csv", "x,y\n1,2\n");
    let first = world.json(0, &["add", "in"]);
    assert_eq!(statuses(&first), pairs(&[("a.csv", "added"), ("b.csv", "added")]));
    assert_eq!(
        statuses(&world.json(0, &["add", "in"])),
        pairs(&[("a.csv", "unchanged"), ("b.csv", "unchanged")])
    );
    world.write("in/a.csv", "city,people\nOslo,700\nBergen,290\n");
    let second = world.json(0, &["add", "in"]);
    assert_eq!(statuses(&second), pairs(&[("a.csv", "updated"), ("b.csv", "unchanged")]));
    let id = |out: &Value| {
        out["documents"].as_array().unwrap().iter().find(|d| d["name"] == "a.csv").unwrap()["id"].clone()
    };
    assert_eq!(id(&first), id(&second));
    assert_eq!(world.json(0, &["search", "Bergen"])["hits"][0]["document"]["name"], "a.csv");
}

#[test]
fn an_update_leaves_nothing_of_the_old_state() {
    let world = World::new();
    world.write("a.csv", "city,people\nNarvik,700\n");
    world.json(0, &["add", "a.csv"]);
    world.write("a.csv", "city,people\nTromso,700\n");
    world.json(0, &["add", "a.csv"]);
    assert_eq!(world.run(&["search", "Narvik", "--group", "cell"]).code(), 1);
    assert_eq!(world.run(&["search", "Tromso", "--group", "cell"]).code(), 0);
}

#[test]
fn sync_forgets_what_is_gone() {
    let world = World::new();
    world.write("in/a.csv", "city\nOslo\n").write("in/b.csv", "city\nRome\n");
    world.json(0, &["sync", "in"]);
    std::fs::remove_file(world.path("in/b.csv")).unwrap();
    assert_eq!(statuses(&world.json(0, &["add", "in"])), pairs(&[("a.csv", "unchanged")]));
    assert_eq!(world.json(0, &["docs"])["documents"].as_array().unwrap().len(), 2);
    assert_eq!(
        statuses(&world.json(0, &["sync", "in"])),
        pairs(&[("a.csv", "unchanged"), ("b.csv", "forgotten")])
    );
    assert_eq!(world.json(0, &["docs"])["documents"].as_array().unwrap().len(), 1);
    assert_eq!(world.run(&["search", "Rome", "--similarity", "bm25"]).code(), 1);
}

fn documents(world: &World) -> usize {
    world.json(0, &["docs"])["documents"].as_array().unwrap().len()
}

fn four_files() -> World {
    let world = World::new();
    for name in ["a", "b", "c", "d"] {
        world.write(&format!("in/sub/{name}.csv"), format!("city\nOslo {name}\n"));
    }
    world.json(0, &["sync", "in", "--no-embed"]);
    world
}

#[test]
fn sync_asks_before_it_forgets_more_than_half_of_a_folder() {
    let world = four_files();
    for name in ["a", "b", "c"] {
        std::fs::remove_file(world.path(&format!("in/sub/{name}.csv"))).unwrap();
    }
    let out = world.json(2, &["sync", "in", "--no-embed"]);
    assert_eq!((out["kept"][0]["files"].as_u64(), documents(&world)), (Some(3), 4), "{out}");
    assert!(out["kept"][0]["reason"].as_str().unwrap().contains("--yes"), "{out}");
    world.json(0, &["sync", "in", "--no-embed", "--yes"]);
    assert_eq!(documents(&world), 1);
}

#[test]
fn sync_forgets_nothing_of_a_folder_that_is_empty_or_cannot_be_read() {
    let world = four_files();
    world
        .write("in/other.csv", "city\nRome\n")
        .write("in/b.csv", "city\nBern\n")
        .write("in/c.csv", "city\nBonn\n");
    world.write("in/e.csv", "city\nGent\n").write("in/f.csv", "city\nLyon\n");
    world.json(0, &["sync", "in", "--no-embed"]);
    // What is mounted at a folder is away: the folder is there, and empty.
    std::fs::rename(world.path("in/sub"), world.path("away")).unwrap();
    std::fs::create_dir(world.path("in/sub")).unwrap();
    let out = world.json(2, &["sync", "in", "--no-embed"]);
    assert_eq!(documents(&world), 9, "{out}");
    assert!(out["kept"][0]["folder"].as_str().unwrap().ends_with("in/sub"), "{out}");
    std::fs::remove_dir(world.path("in/sub")).unwrap();
    std::fs::rename(world.path("away"), world.path("in/sub")).unwrap();
    world.forbid("in/sub");
    let out = world.run_as_nobody(&["sync", "in", "--no-embed", "--yes", "--json"]);
    world.allow("in/sub");
    assert_eq!(out.code(), 6, "{} {}", out.stdout(), out.stderr());
    assert!(out.stdout().contains("in/sub"), "{}", out.stdout());
    assert_eq!(documents(&world), 9);
}

#[test]
fn sync_notices_a_folder_in_the_place_of_a_file() {
    let world = four_files();
    std::fs::remove_file(world.path("in/sub/a.csv")).unwrap();
    world.write("in/sub/a.csv/inner.csv", "city\nRome\n");
    let out = world.json(0, &["sync", "in", "--no-embed"]);
    assert!(statuses(&out).contains(&("sub/a.csv".into(), "forgotten".into())), "{out}");
    assert_eq!(documents(&world), 4);
}

#[test]
fn forgets_by_name_and_says_what_is_not_there() {
    let world = World::new();
    world.write("a.csv", "city\nOslo\n");
    world.json(0, &["add", "a.csv"]);
    let missing = world.run(&["forget", "b.csv"]);
    assert_eq!(missing.code(), 3);
    assert!(missing.stderr().contains("no document `b.csv`"));
    world.json(0, &["forget", "a.csv"]);
    assert_eq!(world.run(&["search", "Oslo"]).code(), 1);
    assert_eq!(statuses(&world.json(0, &["add", "a.csv"])), pairs(&[("a.csv", "added")]), "it can come back");
}

#[test]
fn records_of_a_json_lines_file_are_documents_of_their_own() {
    let world = World::new();
    let line = |id: &str, city: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"cities\",\"header\":[\"city\"],\"rows\":[[\"{city}\"]],\"kind\":\"geo\"}}\n"
        )
    };
    world.write("c.jsonl", line("one", "Oslo") + &line("two", "Rome"));
    let out = world.json(0, &["add", "c.jsonl"]);
    assert_eq!(statuses(&out), pairs(&[("c.jsonl#one", "added"), ("c.jsonl#two", "added")]));
    let hit = &world.json(0, &["search", "Rome", "--filter", "kind=geo"])["hits"][0];
    assert_eq!(hit["document"]["source_id"], "two");
    assert_eq!(world.run(&["search", "Rome", "--filter", "kind=other"]).code(), 1);
    world.write("c.jsonl", line("two", "Rome") + &line("three", "Lima"));
    let out = world.json(0, &["add", "c.jsonl"]);
    assert_eq!(statuses(&out), pairs(&[("c.jsonl#three", "added"), ("c.jsonl#two", "unchanged")]));
    let gone = world.run(&["search", "Oslo", "--similarity", "bm25"]);
    assert_eq!(gone.code(), 1, "a record that left its file is forgotten");
}

#[test]
fn every_row_is_indexed_or_rejected_with_a_reason() {
    let world = World::new();
    let mut text = String::from("a,b\n");
    for i in 0..50 {
        text.push_str(&format!("{i},x\n"));
    }
    text.push_str("1,2,3,4,5,6,7\n51,x\n");
    world.write("wide.csv", text);
    let out = world.json(0, &["add", "wide.csv"]);
    assert_eq!(
        (&out["documents"][0]["rows_in"], &out["documents"][0]["rows_indexed"]),
        (&52.into(), &52.into())
    );
    let found = world.json(0, &["search", "7", "--group", "cell", "--target", "cell"]);
    assert!(
        crate::world::places(&found).contains(&"wide.csv!G52".to_owned()),
        "a cell beyond the header is kept: {found}"
    );
    world.write("r.jsonl", "{\"a\":1}\nnot json\n{\"a\":2}\n");
    let out = world.json(0, &["add", "r.jsonl"]);
    let d = &out["documents"][0];
    assert_eq!(d["rows_in"], 3);
    assert_eq!(d["rows_indexed"], 2);
    assert!(d["rows_rejected"][0]["place"].to_string().contains('2'), "{d}");
}

#[test]
fn a_file_of_many_rows_goes_to_parquet_and_comes_back() {
    let world = World::new();
    let mut text = String::from("id,name,amount\n");
    for i in 0..30_000 {
        text.push_str(&format!("ID-{i:05},name {},{}.50\n", i % 100, i));
    }
    world.write("big.csv", text);
    let out = world.json(0, &["add", "big.csv"]);
    assert_eq!(out["documents"][0]["rows_indexed"], 30_000);
    assert_eq!(std::fs::read_dir(world.path(".tabletalk/tables")).unwrap().count(), 1);
    let found = world.json(0, &["search", "ID-29999", "--group", "cell", "--target", "cell"]);
    assert_eq!(found["hits"][0]["place"]["text"], "big.csv!A30001");
    let found = world.json(0, &["search", "ID-12345", "--group", "row", "--target", "row", "-k", "1"]);
    assert_eq!(found["hits"][0]["text"], "ID-12345 | name 45 | 12345.50");
    assert_eq!(world.json(0, &["search", "ID-12345"])["hits"][0]["document"]["name"], "big.csv");
    world.json(0, &["forget", "big.csv"]);
    assert_eq!(std::fs::read_dir(world.path(".tabletalk/tables")).unwrap().count(), 0);
}

#[test]
fn lists_documents_tables_and_groups() {
    let world = World::new();
    world.write("a.csv", "city,people\nOslo,700\n");
    world.json(0, &["add", "a.csv"]);
    let table = &world.json(0, &["tables"])["tables"][0];
    assert_eq!((table["name"].as_str(), table["rows"].as_u64()), (Some("a"), Some(1)));
    assert_eq!(table["place"]["text"], "a.csv!A1:B2");
    assert_eq!(table["columns"][1]["kind"], "integer");
    let groups = world.json(0, &["groups"]);
    let cell = groups["groups"].as_array().unwrap().iter().find(|g| g["name"] == "cell").unwrap();
    assert_eq!(cell["nodes"], 2);
    assert!(world.run(&["tables"]).stdout().contains("city, people"));
}

#[test]
fn says_what_is_missing() {
    let world = World::new();
    let run = world.run(&["search", "x"]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("tabletalk add"), "{}", run.stderr());
    let run = world.run(&["add", "nowhere"]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("nowhere"), "{}", run.stderr());
    assert_eq!(world.json(3, &["show", "x"])["error"]["kind"], "missing");
}

#[test]
fn two_writers_do_not_meet() {
    let world = World::new();
    world.write("a.csv", "city\nOslo\n");
    world.json(0, &["add", "a.csv"]);
    let lock = std::fs::File::options().write(true).open(world.path(".tabletalk/lock")).unwrap();
    lock.lock().unwrap();
    let run = world.run(&["add", "a.csv"]);
    assert_eq!(run.code(), 4, "{}", run.stderr());
    assert_eq!(world.run(&["search", "Oslo"]).code(), 0, "reading goes on");
}

#[test]
fn ctrl_c_stops_and_the_next_run_goes_on() {
    let world = World::new();
    for i in 0..400 {
        world.write(&format!("in/f{i:03}.csv"), format!("city,people\ntown{i},{i}\n").repeat(200));
    }
    let child = world.command(&["add", "in", "--json"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    // On a busy machine the program may not have begun for long; before it has, an interrupt ends it like any other.
    for _ in 0..6000 {
        if world.path(".tabletalk").exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(150));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(matches!(out.status.code(), Some(0 | 130)), "{:?}", out.status);
    let first: Value = serde_json::from_slice(&out.stdout).unwrap();
    let done = first["documents"].as_array().unwrap().len();
    assert_eq!(
        world.json(0, &["docs"])["documents"].as_array().unwrap().len(),
        done,
        "what was reported is there"
    );
    let second = world.json(0, &["add", "in"]);
    let unchanged = statuses(&second).iter().filter(|s| s.1 == "unchanged").count();
    assert_eq!((unchanged, statuses(&second).len()), (done, 400));
}

/// A view that never ends, a page that is one long paragraph, a large table: whatever is read, it ends soon.
#[test]
fn readers_end_within_two_seconds_of_a_signal() {
    for signal in ["-INT", "-TERM"] {
        let world = World::new();
        std::fs::create_dir(world.path("in")).unwrap();
        let database = rusqlite::Connection::open(world.path("in/a.db")).unwrap();
        let view = "CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
        database.execute_batch(&format!("{view} SELECT count(*) AS c FROM n")).unwrap();
        let row = |i: usize| format!("{i},{}\n", i * 7);
        world.write("in/big.csv", String::from("a,b\n") + &(0..2_000_000).map(row).collect::<String>());
        let mut child = world.command(&["add", "in", "-q", "--no-embed"]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        assert!(child.try_wait().unwrap().is_none(), "it was over before");
        std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let begun = std::time::Instant::now();
        let code = child.wait().unwrap().code();
        assert!(begun.elapsed().as_millis() < 2500, "{signal}: {:?}", begun.elapsed());
        assert_eq!(code, Some(130));
        assert_eq!(std::fs::read_dir(world.path(".tabletalk/tables")).unwrap().count(), 0, "nothing is left");
    }
}

#[test]
fn a_second_record_of_the_same_id_is_kept_and_told_of() {
    let world = World::new();
    let line = |city: &str| format!("{{\"id\":\"a\",\"header\":[\"city\"],\"rows\":[[\"{city}\"]]}}\n");
    world.write("c.jsonl", line("Oslo") + &line("Rome"));
    let out = world.json(0, &["add", "c.jsonl"]);
    assert_eq!(statuses(&out), pairs(&[("c.jsonl#a", "added"), ("c.jsonl#a~2", "added")]));
    assert!(out.to_string().contains("more than once"));
    assert_eq!(world.run(&["search", "Oslo"]).code(), 0);
    assert_eq!(world.run(&["search", "Rome"]).code(), 0);
    world.write("c.jsonl", line("Oslo"));
    world.json(0, &["add", "c.jsonl"]);
    assert_eq!(world.run(&["search", "Rome", "--similarity", "bm25"]).code(), 1);
}

#[test]
fn patterns_say_which_files_are_taken_and_left_out() {
    let world = World::new();
    for name in ["in/sales.csv", "in/old/sales.csv", "in/staff.csv"] {
        world.write(name, "city,amount\nOslo,5\n");
    }
    world.write("in/notes.md", "Oslo was on time.\n");
    let out = world.json(0, &["add", "in", "--include", "*.csv", "--exclude", "old/**", "--no-embed"]);
    assert_eq!(statuses(&out), pairs(&[("sales.csv", "added"), ("staff.csv", "added")]));
    world.write("tabletalk.toml", "[add]\nexclude = [\"old/**\", \"*.csv\"]\n");
    let out = world.json(0, &["add", "in", "--no-embed"]);
    assert_eq!(statuses(&out), pairs(&[("notes.md", "added")]));
}

#[test]
fn a_field_given_anew_changes_the_document() {
    let world = World::new();
    world.write("tabletalk.toml", "[[doc_fields]]\nname = \"year\"\ntype = \"integer\"\n");
    world.write("a.csv", "city\nOslo\n");
    world.json(0, &["add", "a.csv", "--field", "year=2023"]);
    let out = world.json(0, &["add", "a.csv", "--field", "year=2024"]);
    assert_eq!(statuses(&out), pairs(&[("a.csv", "updated")]));
    assert_eq!(world.run(&["search", "Oslo", "--filter", "year>=2024"]).code(), 0);
    assert_eq!(world.run(&["search", "Oslo", "--filter", "year=2023"]).code(), 1);
    assert_eq!(world.run(&["add", "a.csv", "--field", "year=soon"]).code(), 2);
}

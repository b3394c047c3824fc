use crate::world::World;
use serde_json::Value;

fn world() -> World {
    let world = World::new();
    world.write("a.csv", "city,people\nOslo,700\n").write("n.md", "# Notes\n\nOslo is cold.\n");
    world.json(0, &["add", "a.csv", "n.md"]);
    world
}

fn files(world: &World, group: &str, ending: &str) -> Vec<std::path::PathBuf> {
    let dir = world.path(&format!(".tabletalk/index/keyword/{group}"));
    let all = std::fs::read_dir(dir).unwrap().flatten().map(|e| e.path());
    all.filter(|p| p.extension().is_some_and(|e| e == ending)).collect()
}

fn parts(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|f| f["part"].as_str().unwrap()).collect()
}

#[test]
fn a_sound_library_has_no_findings() {
    assert_eq!(world().json(0, &["doctor"])["findings"], serde_json::json!([]));
}

#[test]
fn finds_a_damaged_index_and_makes_it_again() {
    let world = world();
    // Only tables of many values have entries in the index of cells.
    let ids: String = (0..3000).map(|i| format!("ID-{i:06}\n")).collect();
    world.write("ids.csv", format!("id\n{ids}"));
    world.json(0, &["add", "ids.csv"]);
    for file in files(&world, "cell", "term").into_iter().chain(files(&world, "table", "idx")) {
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        std::fs::write(&file, bytes).unwrap();
    }
    assert_eq!(parts(&world.json(1, &["doctor"])), ["index table", "index cell"]);
    world.json(0, &["doctor", "--repair"]);
    assert_eq!(world.json(0, &["doctor"])["sound"], true);
    assert_eq!(world.json(0, &["search", "Oslo", "--group", "cell"])["hits"][0]["document"]["name"], "a.csv");
    for query in ["ID-001234", "001234", "00123*", "\"ID-001234\""] {
        let found = world.json(0, &["search", query, "--group", "cell", "--target", "cell", "-k", "20"]);
        let texts: Vec<&str> =
            found["hits"].as_array().unwrap().iter().filter_map(|h| h["text"].as_str()).collect();
        assert!(texts.iter().any(|t| t.contains("ID-001234")), "{query}: {texts:?}");
    }
}

#[test]
fn an_index_that_is_gone_is_made_again_by_the_next_search() {
    let world = world();
    std::fs::remove_dir_all(world.path(".tabletalk/index")).unwrap();
    assert_eq!(world.json(0, &["search", "Oslo"])["hits"].as_array().unwrap().len(), 2);
    assert_eq!(world.json(0, &["doctor"])["sound"], true);
}

#[test]
fn names_files_that_an_earlier_version_read_and_adding_reads_them_again() {
    let world = world();
    let db = rusqlite::Connection::open(world.path(".tabletalk/library.sqlite")).unwrap();
    // Version 1 left no mark.
    db.execute("UPDATE source SET hash = substr(hash, instr(hash, '-') + 1) WHERE path LIKE '%a.csv'", [])
        .unwrap();
    db.execute("UPDATE document SET hash = 'old' WHERE name = 'a.csv'", []).unwrap();
    drop(db);
    let report = world.json(1, &["doctor"]);
    assert!(
        parts(&report)[0].ends_with("a.csv") && report["findings"].as_array().unwrap().len() == 1,
        "{report}"
    );
    let status = |out: &Value| out["documents"][0]["status"].as_str().unwrap().to_owned();
    assert_eq!(status(&world.json(0, &["add", "a.csv"])), "updated");
    assert_eq!(world.json(0, &["doctor"])["sound"], true);
    assert_eq!(status(&world.json(0, &["add", "a.csv"])), "unchanged");
}

#[test]
fn finds_files_that_belong_to_no_table_and_rows_that_are_gone() {
    let world = world();
    world.write(".tabletalk/tables/left-behind.parquet", "x");
    assert_eq!(parts(&world.json(1, &["doctor"])), ["tables/left-behind.parquet"]);
    world.json(0, &["doctor", "--repair"]);
    assert!(!world.path(".tabletalk/tables/left-behind.parquet").exists());
}

#[test]
fn refuses_what_is_not_a_library() {
    let world = World::new();
    world.write(
        ".tabletalk/library.sqlite",
        "this is not a database, however long the text may be ".repeat(20),
    );
    let run = world.run(&["docs"]);
    assert_eq!(run.code(), 2, "{}", run.stderr());
    assert!(run.stderr().contains("damaged"), "{}", run.stderr());
}

#[test]
fn what_a_killed_process_left_is_swept_by_the_next_writer() {
    let world = world();
    world.write(".tabletalk/tables/left-behind.parquet", "x").write("b.csv", "city\nRome\n");
    world.json(0, &["search", "Oslo"]);
    assert!(world.path(".tabletalk/tables/left-behind.parquet").exists(), "who reads changes nothing");
    world.json(0, &["add", "b.csv"]);
    assert!(!world.path(".tabletalk/tables/left-behind.parquet").exists());
    assert_eq!(world.json(0, &["doctor"])["sound"], true);
}

/// Makes what is known of a document unreadable, so that its indexes must be made again.
fn poison(world: &World, name: &str) {
    let catalog = rusqlite::Connection::open(world.path(".tabletalk/library.sqlite")).unwrap();
    let deep = "[".repeat(5000);
    for sql in [
        "UPDATE document SET fields=?2, report=?2, outline=?2 WHERE name=?1",
        "UPDATE \"table\" SET meta=?2, data=x'ffffffff00' WHERE document=(SELECT key FROM document WHERE name=?1)",
        "UPDATE node SET place=?2, fields=?2 WHERE document=(SELECT key FROM document WHERE name=?1)",
    ] {
        catalog.execute(sql, [name, &deep]).unwrap();
    }
    drop(catalog);
    std::fs::remove_dir_all(world.path(".tabletalk/index")).unwrap();
}

#[test]
fn a_poisoned_document_harms_no_other_and_can_be_forgotten() {
    for name in ["a.csv", "n.md"] {
        let world = world();
        world.write("c.csv", "town,people\nBergen,290\n");
        world.json(0, &["add", "c.csv"]);
        poison(&world, name);
        assert_eq!(world.json(0, &["docs"])["documents"].as_array().unwrap().len(), 3);
        let found = world.json(0, &["search", "Bergen", "--similarity", "bm25"]);
        assert_eq!(found["hits"][0]["document"]["name"], "c.csv");
        let wrong = world.json(1, &["doctor"]);
        assert!(parts(&wrong).contains(&&*format!("document {name}")), "{wrong}");
        let server = crate::serving::Served::start(&world);
        assert_eq!(server.get("/api/v1/documents").status, 200);
        drop(server);
        world.json(0, &["forget", name]);
        assert_eq!(world.json(0, &["docs"])["documents"].as_array().unwrap().len(), 2);
        // The indexes of vectors were taken away too, and are made again.
        world.json(0, &["doctor", "--repair"]);
        assert_eq!(world.json(0, &["doctor"])["sound"], true);
    }
}

//! What earlier versions wrote is of use to this one: libraries, backups and configurations, a folder for each format.
//!
//! `scripts/make-compat` writes such a folder. The files that a library was made from are not kept: it must do without.

use crate::world::{World, places, repository};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// What one version wrote, and what it must answer.
struct Kept {
    folder: PathBuf,
    expected: Value,
}

fn kept() -> Vec<Kept> {
    let all = std::fs::read_dir(repository().join("crates/tabletalk/tests/compat")).unwrap();
    let folders = all.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let kept: Vec<Kept> = folders
        .map(|folder| {
            let expected = std::fs::read(folder.join("expected.json")).unwrap();
            Kept { expected: serde_json::from_slice(&expected).unwrap(), folder }
        })
        .collect();
    assert!(!kept.is_empty(), "nothing is kept");
    kept
}

impl Kept {
    /// The library as it was left, and the settings that it was made with.
    fn library(&self) -> World {
        let world = World::new();
        let mut unpack = Command::new("tar");
        unpack.arg("-xzf").arg(self.folder.join("library.tar.gz")).arg("-C").arg(world.path("."));
        assert!(unpack.status().unwrap().success());
        world
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn strings(value: &Value) -> Vec<&str> {
    list(value).iter().map(|v| v.as_str().unwrap()).collect()
}

/// Names and values of a list of objects, in order.
fn column<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    let mut all: Vec<&str> = list(value).iter().map(|v| v[key].as_str().unwrap()).collect();
    all.sort_unstable();
    all
}

/// Questions, statements and searches give what they gave when the library was written.
fn check_answers(world: &World, at: &[&str], expected: &Value) {
    for case in list(&expected["ask"]) {
        let said = world.json(0, &[&["ask", case[0].as_str().unwrap()][..], at].concat());
        assert_eq!(said["values"], case[1], "{said}");
    }
    for case in list(&expected["sql"]) {
        let ran = world.json(0, &[&["sql", case[0].as_str().unwrap()][..], at].concat());
        assert_eq!(ran["rows"], case[1], "{ran}");
    }
    for case in list(&expected["search"]) {
        let args = strings(&case[0]);
        let found = places(&world.json(0, &[&["search"][..], &args[..], at].concat()));
        let first = found.first().is_some_and(|place| place.starts_with(case[1].as_str().unwrap()));
        assert!(first, "{args:?} found {found:?}");
    }
}

/// Documents, tables, what the user said of them, and the tree of summaries are there.
fn check_content(world: &World, at: &[&str], expected: &Value) {
    let documents = world.json(0, &[&["docs"][..], at].concat());
    assert_eq!(column(&documents["documents"], "name"), strings(&expected["documents"]));
    let tables = world.json(0, &[&["tables"][..], at].concat());
    for (name, rows) in expected["tables"].as_object().unwrap() {
        let table = list(&tables["tables"]).iter().find(|t| t["name"] == name.as_str());
        assert_eq!(table.map(|t| &t["rows"]), Some(rows), "{name}");
    }
    let corrected = &expected["unit"];
    let table = list(&tables["tables"]).iter().find(|t| t["name"] == corrected["table"]).unwrap();
    let column = list(&table["columns"]).iter().find(|c| c["name"] == corrected["column"]).unwrap();
    assert_eq!(column["unit"], corrected["unit"], "{column}");
    let relations = world.json(0, &[&["tables", "--relations"][..], at].concat());
    let said = list(&relations["relations"]).iter().filter(|r| r["said"] == true);
    let said: Vec<String> = said
        .map(|r| {
            format!("{}.{} {}.{}", r["table"], r["column"], r["to_table"], r["to_column"]).replace('"', "")
        })
        .collect();
    assert_eq!(said, strings(&expected["relations"]));
    let trees = world.json(0, &[&["raptor", "stats"][..], at].concat());
    assert_eq!(trees["trees"][0]["layers"][0], expected["summaries"], "{trees}");
    let talks = world.json(0, &[&["conversations"][..], at].concat());
    assert_eq!(talks["conversations"][0]["question"], expected["conversation"], "{talks}");
}

#[test]
fn a_library_of_every_format_is_read_without_the_files_it_was_made_from() {
    for kept in kept() {
        let world = kept.library();
        check_content(&world, &[], &kept.expected);
        check_answers(&world, &[], &kept.expected);
        let keys = world.json(0, &["key", "list"]);
        assert_eq!(keys["keys"][0]["name"], kept.expected["key"], "{keys}");
    }
}

#[test]
fn a_library_of_every_format_is_written_on() {
    for kept in kept() {
        let world = kept.library();
        world.write("more/lakes.csv", "lake,depth_m\nBaikal,1642\nGarda,346\n");
        world.json(0, &["add", "more"]);
        let depth = world.json(0, &["ask", "what is the depth of Garda?"]);
        assert_eq!(depth["values"], serde_json::json!(["346"]), "{depth}");
        world.json(0, &["forget", "lakes.csv"]);
        check_answers(&world, &[], &kept.expected);
        // A reader that reads otherwise today wants the files again; nothing else may be amiss.
        let report = world.run(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&report.stdout()).unwrap();
        let is_amiss = |f: &&Value| !f["problem"].as_str().unwrap().contains("read by an earlier version");
        assert_eq!(list(&report["findings"]).iter().find(is_amiss), None, "{report}");
    }
}

#[test]
fn a_backup_of_every_format_is_restored() {
    for kept in kept() {
        let world = kept.library();
        let at = ["--library", "restored/.tabletalk"];
        let backup = kept.folder.join("backup.tar.zst");
        let run = world.run(&[&at[..], &["restore", backup.to_str().unwrap()]].concat());
        assert_eq!(run.code(), 0, "{}", run.stderr());
        // Vectors of tokens are only in their index, which a backup does not have: they are made again here, not in a search.
        world.json(0, &[&["embed"][..], &at].concat());
        check_content(&world, &at, &kept.expected);
        check_answers(&world, &at, &kept.expected);
    }
}

/// The keys of an older configuration that a newer one does not have, or has otherwise.
fn lost(old: &toml::Value, new: Option<&toml::Value>, at: &str) -> Vec<String> {
    match (old, new) {
        (toml::Value::Table(old), Some(toml::Value::Table(new))) => {
            old.iter().flat_map(|(key, value)| lost(value, new.get(key), &format!("{at}.{key}"))).collect()
        }
        (toml::Value::Array(old), Some(toml::Value::Array(new))) if old.len() == new.len() => {
            old.iter().zip(new).flat_map(|(old, new)| lost(old, Some(new), &format!("{at}[]"))).collect()
        }
        (old, Some(new)) if old == new => Vec::new(),
        _ => vec![at.to_owned()],
    }
}

#[test]
fn a_configuration_of_every_version_is_accepted_in_full() {
    for kept in kept() {
        let world = World::new();
        let file = kept.folder.join("tabletalk.toml");
        let run = world.run(&["config", "--config", file.to_str().unwrap()]);
        assert_eq!(run.code(), 0, "{}", run.stderr());
        let old: toml::Table = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let new: toml::Table = toml::from_str(&run.stdout()).unwrap();
        assert!(old.len() > 20, "{} sections", old.len());
        let lost = lost(&toml::Value::Table(old), Some(&toml::Value::Table(new)), "");
        assert!(lost.is_empty(), "{lost:?}");
    }
}

fn catalog(world: &World) -> rusqlite::Connection {
    rusqlite::Connection::open(world.path(".tabletalk/library.sqlite")).unwrap()
}

fn format(world: &World) -> i64 {
    catalog(world).query_row("SELECT value FROM meta WHERE key='format'", [], |row| row.get(0)).unwrap()
}

/// A library that says it is so many formats older, or newer.
fn library_of_format(difference: i64) -> World {
    let world = World::new();
    world.write("cities.csv", "city,people\nOslo,700\n");
    world.json(0, &["add", "cities.csv"]);
    let db = catalog(&world);
    db.execute("UPDATE meta SET value=value+?1 WHERE key='format'", [difference]).unwrap();
    // Nothing stays in the log, which could not be read where nothing may be written.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    world
}

#[test]
fn what_this_program_writes_is_kept_for_those_that_come() {
    let world = library_of_format(0);
    let formats: Vec<i64> = kept().iter().map(|kept| kept.expected["format"].as_i64().unwrap()).collect();
    let own = format(&world);
    assert!(formats.contains(&own), "run scripts/make-compat: format {own} is not among {formats:?}");
}

#[test]
fn a_library_of_a_newer_format_is_refused_and_left_as_it_is() {
    let world = library_of_format(1);
    let newer = format(&world);
    for args in [&["tables"][..], &["add", "cities.csv"], &["doctor", "--repair"]] {
        let run = world.run(args);
        assert_eq!(run.code(), 2, "{args:?} {}", run.stderr());
        assert!(run.stderr().contains("use the newer program"), "{args:?} {}", run.stderr());
    }
    assert_eq!(format(&world), newer);
}

#[test]
fn a_library_of_an_older_format_is_brought_up_to_date_where_it_may_be_written() {
    let world = library_of_format(-1);
    let older = format(&world);
    world.set_mode(".tabletalk/library.sqlite", 0o444);
    world.set_mode(".tabletalk", 0o555);
    let refused = world.run_as_nobody(&["tables"]);
    assert_eq!(refused.code(), 6, "{}", refused.stderr());
    assert!(refused.stderr().contains("may only be read"), "{}", refused.stderr());
    world.set_mode(".tabletalk", 0o755);
    world.set_mode(".tabletalk/library.sqlite", 0o644);
    assert_eq!(world.json(0, &["tables"])["tables"][0]["name"], "cities");
    assert_eq!(format(&world), older + 1);
}

/// Makes the keyword indexes say that they are of the next format.
fn age_keyword_indexes(world: &World) {
    const KEY: &[u8] = b"\"index_format_version\":";
    for group in std::fs::read_dir(world.path(".tabletalk/index/keyword")).unwrap().flatten() {
        for file in std::fs::read_dir(group.path()).unwrap().flatten().map(|entry| entry.path()) {
            let mut bytes = std::fs::read(&file).unwrap();
            if let Some(at) = bytes.windows(KEY.len()).position(|w| w == KEY) {
                bytes[at + KEY.len()] += 1;
                std::fs::write(&file, bytes).unwrap();
            }
        }
    }
}

#[test]
fn an_index_of_another_format_is_made_again_by_doctor() {
    let world = library_of_format(0);
    age_keyword_indexes(&world);
    let run = world.run(&["search", "Oslo", "--similarity", "bm25"]);
    assert_eq!(run.code(), 6, "{}", run.stderr());
    assert!(run.stderr().contains("doctor --repair"), "{}", run.stderr());
    world.json(0, &["doctor", "--repair"]);
    assert_eq!(places(&world.json(0, &["search", "Oslo", "--similarity", "bm25"])).len(), 1);
}

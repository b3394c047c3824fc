use crate::world::World;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

const KILLS: usize = 50;

/// A folder of small files, a file of many records, and one table large enough for a file of its own.
fn fill(world: &World) {
    for i in 0..25 {
        world.write(&format!("in/f{i}.csv"), format!("city,people\ntown{i},{i}\nplace{i},7\n"));
    }
    let record =
        |i: usize| format!("{{\"id\":\"r{i}\",\"header\":[\"k\",\"v\"],\"rows\":[[\"key{i}\",\"{i}\"]]}}\n");
    world.write("in/many.jsonl", (0..900).map(record).collect::<String>());
    let row = |i: usize| format!("ID{i:06},{},{}\n", i % 97, i * 3);
    world.write("in/z.csv", String::from("id,a,b\n") + &(0..25_000).map(row).collect::<String>());
}

fn ids(world: &World) -> BTreeSet<String> {
    if !world.path(".tabletalk/library.sqlite").exists() {
        return BTreeSet::new();
    }
    let run = world.run(&["docs", "--json"]);
    if run.code() != 0 {
        // Killed before the first transaction: there is no library yet, and nothing to lose.
        assert!(
            run.stderr().contains("not a tabletalk library")
                || run.stderr().contains("damaged")
                || run.stderr().contains("no such table"),
            "{}",
            run.stderr()
        );
        return BTreeSet::new();
    }
    let out: serde_json::Value = serde_json::from_str(&run.stdout()).unwrap();
    out["documents"].as_array().unwrap().iter().map(|d| d["id"].as_str().unwrap().to_owned()).collect()
}

/// Every document that is there is whole.
fn check_whole(world: &World) {
    let tables = world.json(0, &["tables"]);
    for table in tables["tables"].as_array().unwrap() {
        let rows = match table["document"].as_str().unwrap() {
            name if name.starts_with('f') => 2,
            name if name.starts_with("many") => 1,
            _ => 25_000,
        };
        assert_eq!(table["rows"], rows);
    }
}

#[test]
fn a_kill_at_any_point_loses_nothing_that_was_committed() {
    let begun = Instant::now();
    let probe = World::new();
    fill(&probe);
    probe.json(0, &["add", "in", "--no-embed"]);
    let whole = begun.elapsed();
    let all = ids(&probe);
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut kills = 0;
    while kills < KILLS {
        let world = World::new();
        fill(&world);
        let mut before = BTreeSet::new();
        // Kill until a run gets to its end, or often enough.
        for _ in 0..10 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let wait = Duration::from_micros(state % (whole.as_micros() as u64).max(1));
            let mut child = world
                .command(&["add", "in", "-q", "--no-embed"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(wait);
            let done = child.try_wait().unwrap().is_some();
            child.kill().ok();
            child.wait().unwrap();
            let after = ids(&world);
            assert!(before.is_subset(&after), "a committed document is gone");
            before = after;
            if done {
                break;
            }
            kills += 1;
        }
        finish(&world, all.len());
    }
}

/// A second `add` completes what was begun, and nothing is wrong afterwards.
fn finish(world: &World, documents: usize) {
    world.json(0, &["add", "in", "--no-embed"]);
    assert_eq!(ids(world).len(), documents);
    check_whole(world);
    let report = world.json(0, &["doctor"]);
    assert_eq!(report["findings"], serde_json::json!([]), "nothing may be left");
    for (query, document) in [("town7", "f7.csv"), ("key850", "many.jsonl#r850"), ("ID024999", "z.csv")] {
        let found = world.json(0, &["search", query, "--group", "cell", "-k", "1"]);
        assert_eq!(found["hits"][0]["document"]["name"], document);
    }
}

/// Ten kills while vectors are made: what was made stays, and the next run makes the rest.
#[test]
fn a_kill_while_embedding_costs_only_time() {
    let world = World::new();
    let record = |i: usize| {
        format!(
            "{{\"id\":\"r{i}\",\"header\":[\"key\",\"note\"],\"rows\":[[\"key{i}\",\"note number {i}\"]]}}\n"
        )
    };
    world.write("many.jsonl", (0..400).map(record).collect::<String>());
    world.write("boat.csv", "vessel,crew\nschooner,8\n");
    world.json(0, &["add", "many.jsonl", "boat.csv", "--no-embed"]);
    for kill in 0..10u64 {
        let mut child =
            world.command(&["embed", "-q"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(120 + kill * 90));
        child.kill().ok();
        child.wait().unwrap();
    }
    world.json(0, &["embed"]);
    assert_eq!(world.json(0, &["embed"])["embedded"]["texts"], 0);
    assert_eq!(world.json(0, &["doctor"])["sound"], true);
    let found =
        world.json(0, &["search", "sailing ship", "--similarity", "cosine", "--group", "table", "-k", "1"]);
    assert_eq!(found["hits"][0]["document"]["name"], "boat.csv");
}

/// Runs a command that may write no file longer than so many blocks of 512 bytes: what a full disk does to it, without one.
fn run_short_of_room(world: &World, blocks: usize, args: &[&str]) -> std::process::Output {
    let whole = world.command(args);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"", &blocks.to_string()]);
    shell.arg(whole.get_program()).args(whole.get_args()).current_dir(world.path(""));
    shell.envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.output().unwrap()
}

/// All files below a folder.
fn files(folder: &std::path::Path) -> BTreeSet<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { BTreeSet::from([path]) }).collect()
}

#[test]
fn a_disk_that_fills_leaves_nothing_behind() {
    let world = World::new();
    let digits = |i: usize| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8;
    // One is a file of its own, the other goes into the catalogue.
    world.write(
        "rows.csv",
        "id,code\n".to_owned() + &(0..30_000).map(|i| format!("ID{i},{}\n", digits(i))).collect::<String>(),
    );
    world.write("text.md", (0..30_000).map(|i| format!("{:x} ", digits(i))).collect::<String>());
    world.write("a.csv", "city,people\nOslo,700\n");
    world.json(0, &["add", "a.csv", "--no-embed"]);
    let before = files(&world.path(""));
    for file in ["rows.csv", "text.md"] {
        let run = run_short_of_room(&world, 400, &["add", file, "--no-embed"]);
        assert_eq!(run.status.code(), Some(6), "{file}: {}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(files(&world.path("")), before, "{file}");
        assert_eq!(ids(&world).len(), 1, "{file}");
        assert_eq!(world.json(0, &["doctor"])["sound"], true, "{file}");
    }
    world.json(0, &["add", "rows.csv", "text.md", "--no-embed"]);
    assert_eq!(ids(&world).len(), 3);
    assert_eq!(world.json(0, &["doctor"])["sound"], true);
}

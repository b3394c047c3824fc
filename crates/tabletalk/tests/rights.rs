use crate::world::World;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Everything below a folder, and the folder itself, with these rights.
fn set_all(path: &Path, dir: u32, file: u32) {
    let is_dir = path.is_dir();
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        set_all(&entry.path(), dir, file);
    }
    let mode = PermissionsExt::from_mode(if is_dir { dir } else { file });
    std::fs::set_permissions(path, mode).unwrap();
}

fn library() -> World {
    let world = World::new();
    world.write("in/cities.csv", "city,people\nOslo,700\nBergen,290\n");
    world.write("in/note.md", "# Harbours\n\nThe harbour of Bergen is old.\n");
    let row = |i: usize| format!("ID{i:06},{}\n", i % 97);
    world.write("in/many.csv", String::from("id,a\n") + &(0..25_000).map(row).collect::<String>());
    world.json(0, &["add", "in"]);
    world
}

#[test]
fn a_library_that_may_only_be_read_can_be_read() {
    let world = library();
    set_all(&world.path(".tabletalk"), 0o555, 0o444);
    for (args, seen) in [
        (&["docs"][..], "cities.csv"),
        (&["tables"], "cities"),
        (&["search", "harbour"], "Bergen"),
        (&["search", "sea port", "--similarity", "cosine"], "Bergen"),
        (&["search", "ID024999", "--group", "cell"], "many.csv"),
        (&["ask", "how many people live in Oslo?"], "700"),
        (&["sql", "SELECT people FROM cities WHERE city = 'Bergen'"], "290"),
        (&["show", "cities.csv"], "Oslo"),
    ] {
        let run = world.run_as_nobody(args);
        assert_eq!(run.code(), 0, "{args:?} {} {}", run.stdout(), run.stderr());
        assert!(run.stdout().contains(seen), "{args:?} {} {}", run.stdout(), run.stderr());
    }
    let refused = world.run_as_nobody(&["forget", "cities.csv"]);
    assert!(refused.code() == 6 && refused.stderr().contains("may only be read"), "{}", refused.stderr());
    set_all(&world.path(".tabletalk"), 0o755, 0o644);
    assert_eq!(world.json(0, &["doctor"])["sound"], true);
}

#[test]
fn a_library_made_in_passing_is_nobody_elses() {
    let world = World::new();
    world.write("in/a.csv", "city\nOslo\n");
    let search = ["search", "Oslo", "--from", "in", "--similarity", "bm25"];
    std::fs::create_dir_all(world.path(".cache/tabletalk")).unwrap();
    world.set_mode(".cache/tabletalk", 0o777);
    world.json(0, &search);
    for folder in [".cache/tabletalk", ".cache/tabletalk/from"] {
        assert_eq!(std::fs::metadata(world.path(folder)).unwrap().mode() & 0o777, 0o700, "{folder}");
    }
    assert!(!world.path(".tabletalk").exists());
    std::fs::rename(world.path(".cache/tabletalk"), world.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(world.path("elsewhere"), world.path(".cache/tabletalk")).unwrap();
    let refused = world.run(&search);
    assert!(refused.code() == 2 && refused.stderr().contains("leads elsewhere"), "{}", refused.stderr());
}

#[test]
fn a_folder_that_somebody_else_made_is_not_used() {
    let world = World::new();
    world.write("in/a.csv", "city\nOslo\n");
    let search = ["search", "Oslo", "--from", "in", "--similarity", "bm25"];
    std::fs::create_dir_all(world.path(".cache/tabletalk/from")).unwrap();
    // Only the system's administrator may give a folder away; others cannot try this.
    if std::os::unix::fs::chown(world.path(".cache/tabletalk/from"), Some(65534), None).is_err() {
        return;
    }
    let refused = world.run(&search);
    assert!(
        refused.code() == 2 && refused.stderr().contains("belongs to somebody else"),
        "{}",
        refused.stderr()
    );
}

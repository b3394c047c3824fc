//! How the command line meets people: what is said first, slips, what was left out, how much is shown.

use crate::world::World;
use serde_json::json;

fn numbers(rows: usize) -> String {
    let lines: Vec<String> = (1..=rows).map(|n| format!("{n},{}", n * 2)).collect();
    format!("id,amount\n{}\n", lines.join("\n"))
}

#[test]
fn alone_it_says_what_is_here_and_what_to_try() {
    let world = World::new();
    let empty = world.run(&[]);
    assert!(empty.code() == 0 && empty.stdout().contains("tabletalk add PATH"), "{}", empty.stdout());
    world.write("a.csv", numbers(5)).write("sub/b.xlsx", "").write("c.xyz", "");
    let said = world.run(&[]).stdout();
    assert!(
        said.contains("2 files in this folder can be read") && said.contains("tabletalk add ."),
        "{said}"
    );
    assert!(!world.path(".tabletalk").exists(), "it only looked");
    world.json(0, &["add", "a.csv", "--no-embed"]);
    let said = world.run(&[]).stdout();
    assert!(said.contains("1 document, 1 table, 5 rows"), "{said}");
    assert!(said.contains("what is the average"), "{said}");
    assert_eq!(world.json(0, &[])["tables"], 1);
}

#[test]
fn a_slip_is_met_with_what_was_meant() {
    let world = World::new();
    let slip = world.run(&["aks", "how many?"]);
    assert!(
        slip.code() == 2 && slip.stderr().contains("'ask'") && !slip.stderr().contains("'make'"),
        "{}",
        slip.stderr()
    );
    world.write("shipments.csv", numbers(5));
    world.json(0, &["add", "shipments.csv", "--no-embed"]);
    let absent = world.run(&["add", "shipment.csv"]);
    assert_eq!(absent.code(), 3);
    assert!(absent.stderr().contains("no file or folder `shipment.csv`; did you mean `shipments.csv`?"));
    let near = world.run(&["ask", "what is the total amount?", "--table", "shipmnts"]);
    assert_eq!(near.code(), 3);
    let said = near.stderr();
    assert!(said.contains("there is no table `shipmnts`; did you mean `shipments`?"), "{said}");
    let far = world.run(&["ask", "what is the total amount?", "--table", "nosuch"]).stderr();
    assert!(far.contains("there is no table `nosuch`; `tabletalk tables` lists"), "{far}");
}

#[test]
fn what_cannot_be_read_is_skipped_and_why_is_said() {
    let world = World::new();
    world.write("in/ok.csv", numbers(3)).write("in/notes.txt", "Oslo grows.\n\nBergen too.\n");
    world.write("in/empty.csv", "").write("in/p.png", b"\x89PNG\r\n\x1a\n0000");
    let said = world.run(&["add", "in", "--no-embed"]).stdout();
    assert!(said.contains("skipped    p.png, because PNG pictures cannot be read yet"), "{said}");
    assert!(said.contains("skipped    empty.csv, because it is empty"), "{said}");
    assert!(said.contains("added      notes.txt  (text, no tables)"), "{said}");
    assert!(said.contains("added      ok.csv  (1 table, 3 rows)"), "{said}");
}

#[test]
fn long_results_are_cut_with_a_count_and_rows_are_listed_when_asked_for() {
    let world = World::new();
    world.write("long.csv", numbers(300));
    world.json(0, &["add", "long.csv", "--no-embed"]);
    let run = world.run(&["sql", "SELECT * FROM long"]);
    assert!(run.stdout().lines().count() < 110, "{}", run.stdout().lines().count());
    assert!(run.stderr().contains("300 rows, the first 50 shown (--rows 0 shows all)"), "{}", run.stderr());
    assert!(world.run(&["sql", "SELECT * FROM long", "--rows", "0"]).stdout().lines().count() > 300);
    let brief = world.json(0, &["sql", "SELECT count(*) FROM long"]);
    assert_eq!((&brief["used"][0]["count"], &brief["used"][0]["rows"]), (&json!(300), &json!(null)));
    let full = world.json(0, &["sql", "SELECT count(*) FROM long", "--used"]);
    assert_eq!(full["used"][0]["rows"].as_array().unwrap().len(), 300);
}

#[test]
fn footnote_marks_are_no_part_of_names() {
    let world = World::new();
    world.write("halves.csv", "region,H1,H2¹,area m²\nNorth,1,2,3\nSouth,4,5,6\n");
    world.json(0, &["add", "halves.csv", "--no-embed"]);
    let ran = world.json(0, &["sql", "SELECT sum(H2) FROM halves"]);
    assert_eq!(ran["rows"], json!([[7]]));
    assert_eq!(world.json(0, &["ask", "what is the total H2?"])["values"], json!(["7"]));
}

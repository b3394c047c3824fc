//! Documents, from the file to the cited cell.

use crate::world::{World, repository};
use serde_json::Value;

fn world() -> World {
    let world = World::new();
    for name in ["warranty.pdf", "suppliers.docx"] {
        world.write(name, std::fs::read(repository().join("examples").join(name)).unwrap());
    }
    world.json(0, &["add", "warranty.pdf", "suppliers.docx"]);
    world
}

#[test]
fn a_sum_over_a_table_of_a_pdf_is_cited_with_page_and_box() {
    let world = world();
    let answer = world.json(0, &["ask", "What is the sum of claims?"]);
    assert_eq!(answer["values"][0], "4590", "the row of totals is left out: {answer}");
    let place = &answer["citations"][0]["place"];
    assert_eq!((&place["page"], place["rows"][0].as_u64()), (&Value::from(1), Some(2)), "{answer}");
    let bbox: Vec<f64> = place["bbox"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    // The column of claims was written from 230 on, its first row 842 - 614 points from the top.
    assert!(bbox[0] <= 230.0 && bbox[2] >= 255.0 && bbox[1] <= 221.0 && bbox[3] >= 276.0, "{bbox:?}");
}

#[test]
fn workbooks_of_older_and_of_open_programs_are_read() {
    for name in ["calls.xls", "calls.xlsb", "calls.ods"] {
        let world = World::new();
        let file = repository().join("crates/tabletalk/tests/workbooks").join(name);
        world.write(name, std::fs::read(file).unwrap());
        world.json(0, &["add", name, "--no-embed"]);
        let ask = |question: &str| world.json(0, &["ask", question, "--no-model"]);
        let answer = ask("What is the total fee?");
        assert_eq!(answer["values"][0], "260.75", "the total is not added to itself: {answer:#}");
        assert_eq!(ask("How many ships are from Lerwick?")["values"][0], "2", "{name}");
        let answer = ask("When did the ferry call?");
        assert_eq!(answer["values"][0], "2024-03-05", "{answer:#}");
        assert_eq!(answer["citations"][0]["place"]["text"], format!("{name}!Calls!C4"), "{answer:#}");
    }
}

#[test]
fn shows_what_was_understood_of_a_page() {
    let world = world();
    let page = world.run(&["show", "warranty.pdf", "--page", "2"]).stdout();
    assert!(page.contains("# Parts that failed") && page.contains("| Battery | 612 | 745 |"), "{page}");
    assert!(!page.contains("Category") && !page.contains("Larkfield"), "{page}");
    let value = world.json(0, &["show", "warranty.pdf", "--page", "1"]);
    let cell = &value["tables"][0]["cells"][0]["cells"][1];
    assert_eq!((&cell["text"], &cell["page"]), (&Value::from("1,204"), &Value::from(1)), "{value}");
    let html = world.run(&["show", "warranty.pdf", "--page", "2", "--format", "html"]).stdout();
    assert!(html.contains("<td>Battery</td>"), "{html}");
    assert_eq!(world.run(&["show", "warranty.pdf", "--page", "9"]).code(), 3);
}

#[test]
fn draws_a_page_with_what_was_found_framed() {
    let world = world();
    let out = world.json(0, &["show", "warranty.pdf", "--page", "2", "--format", "png", "--out", "two.png"]);
    assert_eq!((out["width"].as_u64(), out["page"].as_u64()), (Some(1190), Some(2)), "{out}");
    assert!(std::fs::read(world.path("two.png")).unwrap().starts_with(b"\x89PNG"));
    let refused = world.run(&["show", "suppliers.docx", "--format", "png"]);
    assert!(refused.stderr().contains("no pages that can be drawn"), "{}", refused.stderr());
}

#[test]
fn a_table_is_found_by_its_caption_and_by_what_the_text_says_of_it() {
    let world = world();
    let found = world.json(0, &["search", "concern e-bikes, without transport", "--group", "table"]);
    assert!(
        found["hits"][0]["place"]["text"].as_str().unwrap().contains("warranty.pdf!page 1!table 1"),
        "{found}"
    );
    let found = world.json(0, &["search", "audit scores", "--group", "table"]);
    assert_eq!(found["hits"][0]["document"]["name"], "suppliers.docx", "{found}");
}

#[test]
fn a_word_document_keeps_its_headings_lists_and_tables() {
    let world = world();
    let text = world.run(&["show", "suppliers.docx"]).stdout();
    for part in
        ["# Supplier audits 2024", "| Taro Frames | Taiwan | 2024-06-18 | 77 |", "- Visit Taro Frames"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let answer = world.json(0, &["ask", "What is the total score of suppliers?"]);
    assert_eq!(answer["values"][0], "347", "{answer}");
}

#[test]
fn documents_that_cannot_be_read_are_refused_with_a_reason() {
    let world = World::new();
    world.write("broken.pdf", "%PDF-1.4\nnothing");
    world.write("broken.docx", "PK\x03\x04 nothing");
    world.write("fine.csv", "a,b\n1,2\n");
    let out = world.run(&["add", ".", "--json"]);
    let report: Value = serde_json::from_str(&out.stdout()).unwrap();
    let of = |name: &str| {
        let all = report["documents"].as_array().unwrap();
        all.iter().find(|d| d["name"] == name).unwrap_or_else(|| panic!("{name}: {report}")).clone()
    };
    assert_eq!(of("fine.csv")["status"], "added");
    for name in ["broken.pdf", "broken.docx"] {
        assert_eq!(of(name)["status"], "failed", "{report}");
        assert!(of(name).to_string().contains("is "), "{report}");
    }
}

#[test]
fn a_pdf_is_read_again_when_what_reads_its_pictures_changes() {
    let world = world();
    let status = |world: &World| {
        let out = world.json(0, &["add", "warranty.pdf", "suppliers.docx", "--no-embed"]);
        let of = |name: &str| {
            let documents = out["documents"].as_array().unwrap();
            documents.iter().find(|d| d["name"] == name).map(|d| d["status"].clone())
        };
        (of("warranty.pdf"), of("suppliers.docx"))
    };
    let (unchanged, updated) = (Some(Value::from("unchanged")), Some(Value::from("updated")));
    world.write("tabletalk.toml", "[read]\nocr = \"off\"\n");
    status(&world);
    assert_eq!(status(&world), (unchanged.clone(), unchanged.clone()));
    world.write("tabletalk.toml", "[read]\nocr = \"ppocr\"\n");
    assert_eq!(status(&world), (updated, unchanged));
}

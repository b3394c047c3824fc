//! The page, in a real browser: what is cited is what lights up.

use crate::browser::Browser;
use crate::serving::Served;
use crate::world::{World, repository};
use serde_json::json;

/// A table with a cell that would run if the page did not escape it.
const HOSTILE: &str = "region,note,amount\nNorth,<script>window.ran=1</script>,1200\nSouth,<img src=x onerror=window.ran=1>,800\nEast,plain,240\n";

#[test]
fn a_file_is_dropped_asked_about_and_the_cited_cells_light_up() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    world.write("sales.csv", HOSTILE);
    let server = Served::start(&world);
    let Some(mut page) = Browser::open(&world, &server.url, (1280, 800)) else { return };

    page.eval("location.hash = '#/documents'");
    page.choose("#upload", &world.path("sales.csv"));
    page.until("!!document.querySelector('.report-row[data-name=\"sales.csv\"][data-status=added]')");
    page.picture("upload");

    page.eval("location.hash = '#/ask'");
    page.until("!!document.querySelector('#question')");
    page.eval("document.querySelector('#question').focus()");
    page.write("what is the total amount?");
    page.press("Enter", 13);
    page.until("document.querySelector('.answer-text')?.innerText.includes('2240')");
    page.picture("answer");

    page.click(".citations .cite");
    page.until("document.querySelectorAll('#panel .cell.cited').length === 3");
    let lit = page.eval(
        "[...document.querySelectorAll('#panel .cell.cited')].map(c => [c.dataset.row, c.dataset.col, c.innerText.trim()])",
    );
    assert_eq!(lit, json!([["2", "3", "1200"], ["3", "3", "800"], ["4", "3", "240"]]));
    let shown = page.eval("document.querySelector('#panel').innerText");
    assert!(shown.as_str().unwrap().contains("<script>window.ran=1</script>"), "{shown}");
    assert_eq!(page.eval("window.ran ?? null"), json!(null), "a cell ran");
    page.picture("cited");
}

#[test]
fn a_place_on_a_page_of_a_pdf_is_framed() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    let server = Served::start(&world);
    server.upload("warranty.pdf", &std::fs::read(repository().join("examples/warranty.pdf")).unwrap());
    let Some(mut page) = Browser::open(&world, &server.url, (1280, 800)) else { return };
    page.until("!!document.querySelector('#question')");
    page.eval("document.querySelector('#question').focus()");
    page.write("what is the cost of E-bikes?");
    page.press("Enter", 13);
    page.click(".citations .cite");
    // A table of a PDF file can be seen as a table and on its page.
    page.click("#panel [data-tab=page]");
    page.until("(document.querySelector('#panel .box')?.getBoundingClientRect().width ?? 0) > 5");
    page.until("document.querySelector('#panel .sheet img')?.naturalWidth > 600");
    page.picture("pdf");
}

#[test]
fn it_fits_a_phone_and_speaks_chinese() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    let server = Served::start(&world);
    server.upload("sales.csv", HOSTILE.as_bytes());
    let Some(mut page) = Browser::open(&world, &server.url, (390, 844)) else { return };
    page.until("!!document.querySelector('#question')");
    for view in ["ask", "documents", "search", "tree", "evaluations", "tasks", "settings"] {
        page.eval(&format!("location.hash = '#/{view}'"));
        page.until("document.querySelector('#main').children.length > 0");
        std::thread::sleep(std::time::Duration::from_millis(200));
        let wide = page.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= 390, "{view} is {wide} wide");
    }
    page.click("[data-value=zh]");
    page.until("/[\\u4e00-\\u9fff]/.test(document.querySelector('#nav')?.innerText ?? '')");
    page.eval("location.hash = '#/documents'");
    page.until("!!document.querySelector('#documents-list tr[data-name=\"sales.csv\"]')");
    page.picture("phone");
}

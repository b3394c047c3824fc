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

    // What can be done with rows leaves the search its room, and a plain search has no figures of the laboratory.
    page.eval("location.hash = '#/table/sales'");
    page.until("document.querySelector('.grid-find')?.clientWidth > 300");
    page.eval("location.hash = '#/search?q=amount'");
    page.until("!!document.querySelector('.hit')");
    let shown = page.eval(
        "[...document.querySelectorAll('.hit .facts, .hits > details')].some(n => n.checkVisibility())",
    );
    assert_eq!(shown, json!(false));
}

const PARCELS: &str = "city,carrier,freight,day\nOslo,DHL,5,2023-01-02\nBergen,UPS,12,2023-02-02\nOslo,UPS,7,2023-03-02\nTurku,DHL,9,2023-04-02\n";

#[test]
fn a_result_has_a_chart_a_link_and_a_statement_that_can_be_changed() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    let server = Served::start(&world);
    server.upload("parcels.csv", PARCELS.as_bytes());
    let Some(mut page) = Browser::open(&world, &server.url, (1280, 800)) else { return };
    page.until("!!document.querySelector('#question')");
    page.eval("document.querySelector('#question').focus()");
    page.write("total freight by city");
    page.press("Enter", 13);
    page.until("document.querySelectorAll('.chart .chart-bar').length === 3");
    page.click("[data-shape=line]");
    page.until("!!document.querySelector('.chart polyline')");
    page.picture("chart");

    page.eval("navigator.clipboard.writeText = async text => {window.copied = text}");
    page.click(".take-link");
    let link = page.until("window.copied").as_str().unwrap().to_owned();
    page.click("#edit-sql");
    page.until("!!document.querySelector('.sql-box')");
    page.eval(
        "document.querySelector('.sql-box').value = 'SELECT carrier, count(*) AS n FROM parcels GROUP BY 1'",
    );
    page.click("#run-sql");
    page.until("document.querySelector('.edited')?.parentNode.innerText.includes('UPS')");

    page.eval(&format!("location.href = {}, location.reload()", json!(link)));
    page.until("document.querySelector('.linked .answer-text')?.innerText.includes('freight')");
}

#[test]
fn a_grid_is_sorted_searched_and_sized() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    let server = Served::start(&world);
    server.upload("parcels.csv", PARCELS.as_bytes());
    let Some(mut page) = Browser::open(&world, &server.url, (1280, 800)) else { return };
    page.until("!!document.querySelector('#question')");
    page.eval("location.hash = '#/table/parcels'");
    let first = "document.querySelector('.grid .row [data-col=\"3\"]')?.innerText";
    page.until(&format!("{first} === '5'"));
    for value in ["5", "12", "5"] {
        page.click(".grid-head [data-col='3'] .sort");
        page.until(&format!("{first} === '{value}'"));
    }
    let wide = "document.querySelector('.grid-head [data-col=\"1\"]').offsetWidth";
    let before = page.eval(wide).as_u64().unwrap();
    page.eval("document.querySelector('.grid-head [data-col=\"1\"] .sort').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', shiftKey: true, bubbles: true}))");
    assert!(page.eval(wide).as_u64().unwrap() > before);
    page.eval("document.querySelector('.grid-find').value = 'ups', document.querySelector('.grid-find').dispatchEvent(new Event('input'))");
    page.until("document.querySelectorAll('.grid .row').length === 2");

    // What is taken along is what is shown.
    page.eval("navigator.clipboard.writeText = async text => {window.copied = text}");
    page.click(".grid-tools .take-copy");
    let copied = page.until("window.copied");
    assert_eq!(copied, "city\tcarrier\tfreight\tday\nBergen\tUPS\t12\t2023-02-02\nOslo\tUPS\t7\t2023-03-02");
    page.eval("URL.createObjectURL = blob => {blob.text().then(text => {window.saved = text}); return '#'}");
    page.click(".grid-tools .take-csv");
    let saved = page.until("window.saved");
    assert_eq!(saved, "city,carrier,freight,day\nBergen,UPS,12,2023-02-02\nOslo,UPS,7,2023-03-02\n");
}

#[test]
fn an_empty_library_offers_examples_and_german_is_spoken() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    let server = Served::start(&world);
    let Some(mut page) = Browser::open(&world, &server.url, (390, 844)) else { return };
    page.until("document.querySelectorAll('.example').length === 3");
    page.eval("localStorage.setItem('tabletalk.language', 'de'), location.reload()");
    page.until("document.querySelector('#nav')?.innerText.includes('Dokumente')");
    page.click(".example");
    page.until("document.querySelector('.answer-text')?.innerText === 'die Summe von Umsatz je Stadt'");
    page.until("document.querySelectorAll('.chart .chart-bar').length === 3");
    let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= 390, "{wide}");
    page.picture("german");
}

#[test]
fn every_form_of_a_reading_is_said_in_three_languages() {
    let world = World::new();
    let server = Served::start(&world);
    let Some(mut page) = Browser::open(&world, &server.url, (1280, 800)) else { return };
    page.until("!!document.querySelector('#question')");
    page.eval("import('./assets/reading.js').then(module => {window.inWords = module.inWords})");
    for line in include_str!("readings.txt").lines() {
        let mut parts = line.split(" | ");
        let english = parts.next().unwrap();
        for (tongue, wanted) in
            [("en", english), ("zh", parts.next().unwrap()), ("de", parts.next().unwrap())]
        {
            let said = page.eval(&format!("inWords({}, {})", json!(english), json!(tongue)));
            assert_eq!(said, json!(wanted), "{english}");
        }
    }
}

/// Messages of the table that the page would not find again: each with something filled in.
const UNSAID: &str = r"(async () => {
    const [{say, ready}, reply] = await Promise.all([import('./assets/say.js'), fetch('./assets/messages.zh.txt')]);
    await ready;
    const one = name => /^(ready|count|total)$/.test(name) ? '7' : `Q${name}Q`;
    const filled = text => text.replace(/\{(\w+)\}/g, (_, name) => one(name));
    const lines = (await reply.text()).trim().split('\n').map(line => line.split(' | ').map(filled));
    return [lines.length, ...lines.filter(([english, said]) => say(english) !== said)];
})()";

#[test]
fn what_the_engine_says_is_said_in_the_language_of_the_page() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    world.write("empty.csv", "");
    let server = Served::start(&world);
    server.upload("parcels.csv", PARCELS.as_bytes());
    let Some(mut page) = Browser::open(&world, &server.url, (1280, 800)) else { return };
    page.until("!!document.querySelector('#question')");
    page.eval("localStorage.setItem('tabletalk.language', 'zh'), location.reload()");
    page.until("document.querySelector('#nav')?.innerText.includes('文档')");
    // A question that is offered has an answer, one about nothing has a reason, each in Chinese.
    page.click(".tries button");
    page.until("document.querySelector('.answer')?.dataset.outcome === 'answered'");
    page.eval("document.querySelector('#question').focus()");
    page.write("谁是佐罗");
    page.press("Enter", 13);
    page.until(
        "[...document.querySelectorAll('.answer-text')].at(-1)?.innerText.startsWith('这些表格里没有：')",
    );
    page.eval("location.hash = '#/documents'");
    page.choose("#upload", &world.path("empty.csv"));
    page.until("document.querySelector('.uploads .failure')?.innerText.includes('empty.csv：是空的')");

    let unsaid = page.eval(UNSAID);
    let unsaid = unsaid.as_array().unwrap();
    assert!(unsaid[0].as_u64().unwrap() > 1000 && unsaid.len() == 1, "{unsaid:#?}");
}

#[test]
fn what_was_said_of_answers_is_listed_and_taken_along() {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    let server = Served::start(&world);
    server.upload("parcels.csv", PARCELS.as_bytes());
    let Some(mut page) = Browser::open(&world, &server.url, (1280, 800)) else { return };
    page.until("!!document.querySelector('#question')");
    page.eval("document.querySelector('#question').focus()");
    page.write("total freight by city");
    page.press("Enter", 13);
    page.click(".judge-up");
    page.until("document.querySelector('.judge-up').getAttribute('aria-pressed') === 'true'");
    page.eval("location.hash = '#/evaluations'");
    let listed = page.until("document.querySelector('.feedback-table tbody')?.innerText");
    let listed = listed.as_str().unwrap();
    assert!(listed.contains("total freight by city") && listed.contains("parcels"), "{listed}");
    page.eval("URL.createObjectURL = blob => {blob.text().then(text => {window.saved = text}); return '#'}");
    page.click("#feedback .take-csv");
    let saved = page.until("window.saved");
    assert!(
        saved.as_str().unwrap().starts_with("Right or wrong,Question,Answer,Read as,Table,Statement\nright,")
    );
}

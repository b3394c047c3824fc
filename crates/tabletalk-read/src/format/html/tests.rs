use super::*;
use tabletalk_core::{Block, Document, Mark, Rows};

fn read(text: &str) -> Document {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let limits = Limits::default();
    let source = Source::new(file.path(), "a.html", &limits);
    super::read(&source).unwrap().next().unwrap().unwrap()
}

fn tables(document: &Document) -> Vec<&tabletalk_core::Table> {
    document.blocks.iter().filter_map(|b| if let Block::Table(t) = b { Some(t) } else { None }).collect()
}

fn cells(table: &tabletalk_core::Table) -> Vec<Vec<String>> {
    let Rows::Memory(batches) = &table.rows else {
        return Vec::new();
    };
    let rows = batches.iter().flat_map(|b| (0..b.len()).map(move |i| (b, i)));
    rows.map(|(b, i)| b.columns.iter().map(|c| c.text(i).into_owned()).collect()).collect()
}

#[test]
fn reads_merged_headers_and_the_caption() {
    let page = "<h2>Sales</h2><p>By city.</p><table><caption>All sales</caption>
        <thead><tr><th rowspan=2>City</th><th colspan=2>2023</th></tr><tr><th>Q1</th><th>Q2</th></tr></thead>
        <tr><td>Oslo</td><td>1</td><td>2</td></tr></table>";
    let document = read(page);
    let table = tables(&document)[0];
    assert_eq!(table.title(), "All sales");
    assert_eq!(table.context, "Sales\nBy city.");
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["City", "2023 / Q1", "2023 / Q2"]);
    assert_eq!(cells(table), [["Oslo", "1", "2"]]);
    assert_eq!(table.place.to_string(), "a.html!table 1!A1:C3");
}

#[test]
fn takes_layout_tables_for_text_and_nested_tables_for_their_own() {
    let page = "<table role=presentation><tr><td>menu</td><td>
        <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr></table>";
    let document = read(page);
    assert_eq!(
        document.blocks.iter().filter_map(|b| b.text()).map(|t| t.text.as_str()).collect::<Vec<_>>(),
        ["menu"]
    );
    assert_eq!(cells(tables(&document)[0]), [["1", "2"]]);
}

#[test]
fn knows_the_lines_and_the_pictures() {
    let document = read("<title>T</title>\n<p>first</p>\n\n<p>second <img alt='a cat'> third</p>");
    let texts: Vec<String> =
        document.blocks.iter().filter_map(|b| b.text()).map(|t| format!("{} {}", t.place, t.text)).collect();
    assert_eq!(texts, ["a.html:2 first", "a.html:4 second", "a.html a cat", "a.html:4 third"]);
    assert_eq!(document.title, "T");
}

#[test]
fn tells_items_and_notes_from_paragraphs() {
    let document = read(
        "<p>text</p><ol start=3><li>three<ul><li>deep</ul><li value=9><p>nine</p><p>more</p></ol>
        <section><aside role=doc-footnote>a note</aside><ol><li class=footnote id=fn1>another</ol></section>
        <figure><table><tr><th>a<th>b<tr><td>1<td>2</table><figcaption>Numbers</figcaption></figure>",
    );
    let kinds: Vec<String> = document
        .blocks
        .iter()
        .map(|b| match b {
            Block::Item(depth, t) => format!("{depth} {}", t.text),
            Block::Note(t) => format!("note {}", t.text),
            Block::Table(t) => format!("table {}", t.title()),
            other => other.text().unwrap().text.clone(),
        })
        .collect();
    let expected = [
        "text",
        "1 3. three",
        "2 deep",
        "1 9. nine",
        "1 more",
        "note a note",
        "note another",
        "table Numbers",
    ];
    assert_eq!(kinds, expected);
}

fn texts(document: &Document) -> Vec<&str> {
    document.blocks.iter().filter_map(|b| b.text()).map(|t| t.text.as_str()).collect()
}

#[test]
fn what_a_page_hides_is_not_read() {
    let document = read(
        "<p>shown <span hidden>secret</span>text</p>\n<div style='color: red; Display : none !important'>menu</div>
        <table hidden><tr><td>a<td>b<tr><td>1<td>2</table><p style='display:block'>more</p>
        <p hidden=until-found>found</p><p aria-hidden=true>seen</p>
        <table><tr><th>City<th>Sold<th style='display:none'>Id</tr>
        <tr><td>Oslo<td><span style='display:none'>0012</span>12<td style='display:none'>7</tr></table>",
    );
    assert_eq!(texts(&document), ["shown text", "more", "found", "seen"]);
    let found = tables(&document);
    assert_eq!(found.len(), 1);
    assert_eq!(cells(found[0]), [["Oslo", "12"]]);
    assert_eq!(found[0].place.lines, Some((5, 5)));
}

#[test]
fn a_page_that_is_hidden_as_a_whole_is_read_and_hidden_rows_are_marked() {
    let document = read(
        "<body style='display:none'><table><tr><th>City<th>Sold</tr><tr><td>Oslo<td>1</tr>
        <tr hidden><td>Bergen<td>2</tr><tbody style='display:none'><tr><td>Bodø<td>3</tr></tbody></table>",
    );
    let table = tables(&document)[0];
    assert_eq!(cells(table), [["Oslo", "1"], ["Bergen", "2"], ["Bodø", "3"]]);
    let Rows::Memory(batches) = &table.rows else { panic!("{table:?}") };
    assert_eq!(batches[0].marks, [Mark::Data, Mark::Hidden, Mark::Hidden]);
}

#[test]
fn a_name_of_rows_that_spans_past_the_header_is_no_header() {
    let page = "<table><tr><th>Year<th>Quarter<th>Tons</tr>
        <tr><th rowspan=4>2025<th rowspan=2>Q1</tr><tr><td>134</tr>
        <tr><th rowspan=2>Q2</tr><tr><td>210</tr></table>";
    let document = read(page);
    let table = tables(&document)[0];
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!((table.header_rows, names), (1, vec!["Year", "Quarter", "Tons"]));
    assert_eq!(cells(table).last().map(Vec::as_slice), Some(&["2025", "Q2", "210"].map(String::from)[..]));
}

#[test]
fn a_row_of_cells_that_all_span_further_down_is_none() {
    let page = "<table><tr><th>Year<th>Quarter<th>Tons</tr>
        <tr><th rowspan=4>2025<th rowspan=2>Q1</tr><tr><td>134</tr>
        <tr><th rowspan=2>Q2</tr><tr><td>210</tr>
        <tr><td rowspan=3>2026<td rowspan=3>Q1</tr><tr></tr><tr><td>98</tr></table>";
    let document = read(page);
    let table = tables(&document)[0];
    assert_eq!(cells(table), [["2025", "Q1", "134"], ["2025", "Q2", "210"], ["2026", "Q1", "98"]]);
    assert_eq!(table.place.to_string(), "a.html!table 1!A1:C8");
}

#[test]
fn a_cell_that_spans_columns_is_filled_unless_it_is_a_number_or_all_of_the_row() {
    let page = "<table><tr><th>Day<th>Morning<th>Evening<th>Guests</tr>
        <tr><td rowspan=2>Monday<td>swim<td>walk<td>4</tr><tr><td colspan=2>tour</tr>
        <tr><td>Tuesday<td colspan=2>rest<td>6</tr><tr><td>Wednesday<td>run<td colspan=2>8</tr>
        <tr><td colspan=4>Second week</tr><tr><td>Monday<td>swim<td>walk<td>5</tr></table>";
    let document = read(page);
    let expected = [
        ["Monday", "swim", "walk", "4"],
        ["Monday", "tour", "tour", ""],
        ["Tuesday", "rest", "rest", "6"],
        ["Wednesday", "run", "8", ""],
        ["Second week", "", "", ""],
        ["Monday", "swim", "walk", "5"],
    ];
    assert_eq!(cells(tables(&document)[0]), expected);
}

#[test]
fn survives_wild_spans() {
    let page = "<table><tr><td rowspan=99999999 colspan=99999999>a</td><td rowspan=0>b</td></tr><tr><td>c</td></tr></table>";
    assert_eq!(tables(&read(page)).len(), 1);
}

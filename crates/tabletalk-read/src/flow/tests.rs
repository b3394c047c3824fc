use super::*;
use tabletalk_core::{Place, Placed};

fn placed(text: &str) -> Placed {
    Placed { text: text.into(), place: Place::file("a") }
}

fn flow(lines: &[&str]) -> Document {
    let mut flow = Flow::default();
    for line in lines {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("#", text) => flow.heading(1, placed(text)),
            ("##", text) => flow.heading(2, placed(text)),
            ("c", text) => flow.caption(placed(text)),
            ("n", text) => flow.note(placed(text)),
            ("-", text) => flow.item(1, placed(text)),
            ("i", text) => flow.image(placed(text)),
            ("T", _) => flow.table(Table::default()),
            (_, text) => flow.text(placed(text)),
        }
    }
    flow.finish()
}

fn tables(document: &Document) -> Vec<&Table> {
    document.blocks.iter().filter_map(|b| if let Block::Table(t) = b { Some(t) } else { None }).collect()
}

#[test]
fn a_caption_right_above_or_below_is_the_title() {
    let document = flow(&["p Table 1: first", "n a note", "T", "T", "p Table 2: second", "p more"]);
    let titles: Vec<&str> = tables(&document).iter().map(|t| t.title()).collect();
    assert_eq!(titles, ["Table 1: first", "Table 2: second"]);
    assert_eq!(document.blocks.len(), 4);
}

#[test]
fn a_marked_caption_needs_no_label_but_not_that_of_a_picture() {
    let document = flow(&["c Sales by city", "T", "i", "c Figure 1: A cat", "T"]);
    let titles: Vec<&str> = tables(&document).iter().map(|t| t.title()).collect();
    assert_eq!(titles, ["Sales by city", ""]);
    assert!(document.blocks.iter().any(|b| matches!(b, Block::Image(i) if i.text == "Figure 1: A cat")));
}

#[test]
fn a_table_knows_its_headings_the_paragraph_before_and_who_mentions_it() {
    let document = flow(&[
        "# Report",
        "## Sales",
        "p As Table 12 shows, it rains. As Tab. 1 shows, Oslo leads.",
        "p The paragraph before.",
        "p Table 1: Sales",
        "T",
        "- Tables 1 and 3 agree.",
        "p A table 1st in its kind.",
    ]);
    let context = &tables(&document)[0].context;
    assert_eq!(
        context,
        "Report / Sales\nThe paragraph before.\nAs Tab. 1 shows, Oslo leads.\nTables 1 and 3 agree."
    );
}

#[test]
fn tables_are_mentioned_in_chinese_too() {
    let document = flow(&[
        "p 如表3-1所示，收入增长。图表3-1无关，附表3-1也无关。",
        "p 其他。",
        "p 表 3-1 收入",
        "T",
        "p 见表３。",
    ]);
    assert_eq!(tables(&document)[0].context, "其他。\n如表3-1所示，收入增长。");
}

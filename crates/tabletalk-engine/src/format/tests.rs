use super::*;
use crate::excerpt::Row;
use proptest::prelude::*;
use tabletalk_core::{Column, Fault, Kind, Mark, Stats};

fn words(text: &str) -> usize {
    crate::group::tokens::count(text)
}

fn row(number: u64, cells: &[&str]) -> Row {
    Row { number, at: number, cells: cells.iter().map(|c| c.to_string()).collect(), ..Row::default() }
}

/// Three rows of a table of 1,204, with all that has to be escaped.
fn odd() -> Excerpt {
    let people = Stats {
        filled: 1200,
        distinct: 900,
        range: Some(("1".into(), "9000".into())),
        frequent: vec!["12".into(), "7".into()],
    };
    let city =
        Stats { filled: 1204, distinct: 57, range: None, frequent: vec!["Oslo".into(), "a\nb".into()] };
    Excerpt {
        relation: "cities".into(),
        title: "Cities <north> & \"south\"".into(),
        context: "From a report".into(),
        notes: vec!["counted\nin May".into()],
        columns: vec![
            Column { stats: Some(city), ..Column::new("city | \"town\"", Kind::Text, 1) },
            Column { stats: Some(people), unit: Some("k".into()), ..Column::new("people", Kind::Integer, 2) },
            Column::new("remark", Kind::Text, 3),
        ],
        row_headers: 1,
        rows: vec![
            row(5, &["Oslo", "1,200", "a|b\\c"]),
            row(6, &["New\r\nYork", "", "<td>&amp;</td>"]),
            Row { mark: Mark::Total, ..row(7, &["all", "8.4", "say \"hi\", then\u{7}go"]) },
        ],
        total_rows: 1204,
        total_columns: 4,
    }
}

#[test]
fn each_format_escapes_in_its_own_way() {
    for format in Format::ALL {
        let made = table(&odd(), format, 10_000, &words).unwrap();
        assert!(made.complete && made.rows == 3);
        insta::assert_snapshot!(format.name(), made.text);
    }
}

#[test]
fn a_column_is_described_by_what_is_in_it() {
    insta::assert_snapshot!("schema", schema(&odd(), 10_000, &words).unwrap().text);
    let short = schema(&odd(), 12, &words).unwrap();
    assert!(!short.complete && short.tokens <= 12);
    assert_eq!(short.text, "\"city | \"\"town\"\"\", \"people\", \"remark\"");
}

#[test]
fn what_does_not_fit_is_left_out_and_said() {
    let mut excerpt = odd();
    excerpt.rows = (1..=900).map(|n| row(n, &["Oslo", "12", "-"])).collect();
    for format in Format::ALL {
        let made = table(&excerpt, format, 200, &words).unwrap();
        assert!(made.tokens <= 200 && made.tokens > 150, "{}: {}", format.name(), made.tokens);
        assert!(made.text.contains(&format!("{} of 1,204 rows", made.rows)), "{}", made.text);
        assert!(!made.complete && made.rows > 2, "{}", made.text);
    }
}

#[test]
fn a_whole_table_needs_no_remark() {
    let whole = Excerpt { total_rows: 3, total_columns: 3, ..odd() };
    let text = table(&whole, Format::Markdown, 10_000, &words).unwrap().text;
    assert!(!text.contains("shown"), "{text}");
}

#[test]
fn long_cells_are_cut_before_rows_are_given_up() {
    let mut excerpt = odd();
    excerpt.rows = vec![row(1, &["Oslo", "1", &"long ".repeat(5000)]), row(2, &["Bergen", "2", "x"])];
    let made = table(&excerpt, Format::Csv, 200, &words).unwrap();
    assert_eq!((made.rows, made.complete), (2, false));
    assert!(made.text.contains("long…"), "{}", made.text);
}

#[test]
fn names_are_cut_when_not_even_they_fit_and_nothing_is_an_error() {
    let mut excerpt = odd();
    excerpt.columns = (0..30)
        .map(|i| Column::new(format!("a rather long name of column {i}"), Kind::Text, i + 1))
        .collect();
    excerpt.rows.clear();
    for format in Format::ALL {
        let made = table(&excerpt, format, 700, &|t| t.len()).unwrap();
        assert!(made.text.len() <= 700 && made.text.contains('…'), "{}", made.text);
        let error = table(&excerpt, format, 20, &words).unwrap_err();
        assert_eq!(error.fault(), Fault::Limit);
        assert!(error.to_string().contains("30 columns of `cities`"), "{error}");
    }
    assert_eq!(schema(&excerpt, 20, &words).unwrap_err().fault(), Fault::Limit);
}

#[test]
fn the_column_of_row_numbers_has_a_name_of_its_own() {
    let mut excerpt = odd();
    excerpt.columns[1].name = "Row".into();
    let text = table(&excerpt, Format::Csv, 1000, &words).unwrap().text;
    assert!(text.contains("\nrow number,"), "{text}");
}

#[test]
fn numbers_are_easy_to_read() {
    let made: Vec<String> = [0, 12, 999, 1204, 1_000_000].into_iter().map(thousands).collect();
    assert_eq!(made, ["0", "12", "999", "1,204", "1,000,000"]);
    assert_eq!(
        (cut("héllo", 4).as_str(), cut("héllo", 5).as_str(), cut("x", 0).as_str()),
        ("hél…", "héllo", "")
    );
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,12}", "[|\\\\\"',<>&#\n\r*`_中é-]{0,8}", "\\PC{0,20}"]
}

prop_compose! {
    fn excerpts()(
        names in prop::collection::vec(cell(), 1..6),
    )(
        rows in prop::collection::vec(prop::collection::vec(cell(), names.len()), 0..12),
        total in 0u64..40,
        title in cell(),
        names in Just(names),
    ) -> Excerpt {
        let columns = names.iter().enumerate().map(|(i, n)| Column::new(format!("n{i}{n}"), Kind::Text, i as u32 + 1));
        let total_columns = names.len();
        let rows: Vec<Row> = rows.into_iter().enumerate()
            .map(|(i, cells)| Row { number: i as u64 + 2, at: i as u64, cells, ..Row::default() }).collect();
        let total_rows = total.max(rows.len() as u64);
        Excerpt { relation: "t".into(), title, columns: columns.collect(), rows, total_rows, total_columns, ..Excerpt::default() }
    }
}

/// The cells that a reader of CSV finds, without lines of remarks.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// The cells that a reader of Markdown finds.
fn read_markdown(text: &str) -> Vec<Vec<String>> {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let mut rows: Vec<Vec<String>> = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => rows.last_mut().unwrap().push(String::new()),
            _ => {}
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_budget_is_kept_whatever_counts_it(excerpt in excerpts(), budget in 0usize..300, by_bytes: bool) {
        let bytes = |t: &str| t.len();
        let count: Count<'_> = if by_bytes { &bytes } else { &words };
        for format in Format::ALL {
            match table(&excerpt, format, budget, count) {
                Ok(made) => {
                    prop_assert!(count(&made.text) <= budget && made.tokens == count(&made.text));
                    prop_assert!(!made.complete || made.rows == excerpt.rows.len());
                }
                Err(e) => prop_assert_eq!(e.fault(), Fault::Limit),
            }
        }
        if let Ok(made) = schema(&excerpt, budget, count) {
            prop_assert!(count(&made.text) <= budget);
        }
    }

    #[test]
    fn csv_can_be_read_back(excerpt in excerpts()) {
        let excerpt = Excerpt { title: String::new(), ..excerpt };
        let made = table(&excerpt, Format::Csv, usize::MAX, &words).unwrap();
        let read = read_csv(&format!("{}\n", made.text));
        prop_assert_eq!(read.len(), excerpt.rows.len() + 1);
        prop_assert!(read.iter().all(|r| r.len() == excerpt.columns.len() + 1));
        for (row, read) in excerpt.rows.iter().zip(&read[1..]) {
            prop_assert_eq!(&read[0], &row.number.to_string());
            for (cell, read) in row.cells.iter().zip(&read[1..]) {
                let seen: String = cell.trim().replace("\r\n", "\n").replace('\r', " ");
                prop_assert_eq!(read, &seen);
            }
        }
    }

    #[test]
    fn json_can_be_read_back(excerpt in excerpts()) {
        let made = table(&excerpt, Format::Json, usize::MAX, &words).unwrap();
        let read: serde_json::Value = serde_json::from_str(&made.text).unwrap();
        prop_assert_eq!(read["columns"].as_array().unwrap().len(), excerpt.columns.len() + 1);
        prop_assert_eq!(read["rows"].as_array().unwrap().len(), excerpt.rows.len());
        prop_assert_eq!(read["remark"].is_string(), !excerpt.is_whole());
    }

    #[test]
    fn markdown_has_a_cell_for_each_cell(excerpt in excerpts()) {
        let excerpt = Excerpt { title: String::new(), ..excerpt };
        let made = table(&excerpt, Format::Markdown, usize::MAX, &words).unwrap();
        let read = read_markdown(&made.text);
        prop_assert_eq!(read.len(), excerpt.rows.len() + 1, "{}", made.text);
        prop_assert!(read.iter().all(|r| r.len() == excerpt.columns.len() + 1), "{}", made.text);
        let lines = made.text.lines().filter(|l| l.starts_with('|')).count();
        prop_assert_eq!(lines, excerpt.rows.len() + 2);
    }

    #[test]
    fn html_has_a_cell_for_each_cell(excerpt in excerpts()) {
        let made = table(&excerpt, Format::Html, usize::MAX, &words).unwrap();
        let cells = excerpt.rows.len() * (excerpt.columns.len() + 1);
        prop_assert_eq!(made.text.matches("<td>").count(), cells);
        prop_assert_eq!(made.text.matches("<th>").count(), excerpt.columns.len() + 1);
    }
}

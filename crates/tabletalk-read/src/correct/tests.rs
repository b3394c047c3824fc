use super::*;
use crate::grid::{Grid, Rect};
use arrow_array::Array;
use proptest::prelude::*;
use std::collections::VecDeque;
use tabletalk_core::{Error, Mark, Place, Rejection, RowStream, Rows};

/// All that a correction can change.
#[derive(Debug, PartialEq)]
struct Seen {
    title: Option<Placed>,
    header: Vec<Placed>,
    header_rows: u32,
    columns: Vec<Column>,
    rows: Vec<SeenRow>,
}

/// Number, mark and, of each cell, what is written and the value in its plain form.
type SeenRow = (u64, Mark, Vec<(String, String)>);

impl Seen {
    fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|c| c.name.as_str()).collect()
    }
    fn numbers(&self) -> Vec<u64> {
        self.rows.iter().map(|r| r.0).collect()
    }
    fn marks(&self) -> Vec<Mark> {
        self.rows.iter().map(|r| r.1).collect()
    }
    fn texts(&self, col: usize) -> Vec<&str> {
        self.rows.iter().map(|r| r.2[col].0.as_str()).collect()
    }
    fn values(&self, col: usize) -> Vec<&str> {
        self.rows.iter().map(|r| r.2[col].1.as_str()).collect()
    }
    fn header(&self) -> Vec<String> {
        self.header.iter().map(|h| format!("{} {}", h.place.a1().unwrap(), h.text)).collect()
    }
    /// Row, column and text of every cell that is not empty.
    fn cells(&self) -> Vec<(u64, u32, String)> {
        let at = |p: &Placed| (p.place.rows.unwrap().0, p.place.cols.unwrap().0, p.text.clone());
        let mut cells: Vec<_> = self.header.iter().map(at).collect();
        for (row, _, texts) in &self.rows {
            let filled = self.columns.iter().zip(texts).filter(|(_, (text, _))| !text.is_empty());
            cells.extend(filled.map(|(c, (text, _))| (*row, c.col, text.trim().to_owned())));
        }
        cells.sort();
        cells
    }
}

fn see(mut table: Table) -> Seen {
    let batches = match std::mem::take(&mut table.rows) {
        Rows::Memory(batches) => batches,
        Rows::Stream(mut stream) => std::iter::from_fn(|| stream.next_batch().unwrap()).collect(),
    };
    let mut rows = Vec::new();
    for batch in &batches {
        assert!(!batch.is_empty() && [0, batch.len()].contains(&batch.bytes.len()));
        assert!([0, batch.len()].contains(&batch.marks.len()));
        assert!(batch.marks.is_empty() || batch.marks.iter().any(|m| *m != Mark::Data));
        assert_eq!(batch.columns.len(), table.columns.len());
        for (cells, column) in batch.columns.iter().zip(&table.columns) {
            assert_eq!((cells.value.len(), cells.value.data_type()), (batch.len(), &column.kind.arrow()));
            assert!(cells.text.as_ref().is_none_or(|t| t.len() == batch.len() && column.kind != Kind::Text));
        }
        for (i, row) in batch.rows.iter().enumerate() {
            assert!(batch.bytes.get(i).is_none_or(|byte| *byte == row * 10));
            let plain = |c: &Cells| tabletalk_core::table::plain(&c.value, i).into_owned();
            let cells = batch.columns.iter().map(|c| (c.text(i).into_owned(), plain(c))).collect();
            rows.push((*row, batch.mark(i), cells));
        }
    }
    let Table { title, header, header_rows, columns, .. } = table;
    Seen { title, header, header_rows, columns, rows }
}

/// Batches one by one.
struct Stream(VecDeque<Batch>);

impl RowStream for Stream {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        Ok(self.0.pop_front())
    }
    fn rejected(&mut self) -> Vec<Rejection> {
        vec![Rejection { place: Place::file("t"), reason: "is too long".into() }]
    }
    fn warnings(&mut self) -> Vec<String> {
        vec!["look here".into()]
    }
    fn bytes_read(&self) -> u64 {
        7
    }
}

/// The same table as a stream with so many rows a batch, each with its position.
fn streamed(mut table: Table, size: usize) -> Table {
    let Rows::Memory(batches) = std::mem::take(&mut table.rows) else { panic!("a stream already") };
    let mut cut = VecDeque::new();
    for batch in batches {
        for from in (0..batch.len()).step_by(size) {
            let range = from..batch.len().min(from + size);
            let part = |c: &Cells| Cells {
                value: c.value.slice(range.start, range.len()),
                text: c.text.as_ref().map(|t| t.slice(range.start, range.len())),
            };
            cut.push_back(Batch {
                rows: batch.rows[range.clone()].to_vec(),
                bytes: batch.rows[range.clone()].iter().map(|row| row * 10).collect(),
                marks: change::tidy_marks(range.clone().map(|i| batch.mark(i)).collect()),
                columns: batch.columns.iter().map(part).collect(),
            });
        }
    }
    table.rows = Rows::Stream(Box::new(Stream(cut)));
    table
}

/// A table of these rows, of which the first `header` are its header.
fn table<S: AsRef<str>>(header: usize, rows: &[Vec<S>]) -> Table {
    let mut table = understand::of_grid(&Grid::of_texts(rows), &Place::file("t"), Some(header));
    assert_eq!((table.header_rows as usize, table.title.take()), (header, None));
    table
}

fn said(text: &str) -> Correction {
    serde_json::from_str(text).unwrap()
}

/// What becomes of a table in memory; of the same as a stream the same must come.
fn corrected<S: AsRef<str>>(header: usize, rows: &[Vec<S>], text: &str) -> Seen {
    let seen = see(apply(&said(text), table(header, rows)).unwrap());
    let whole = see(apply(&said(text), streamed(table(header, rows), 100)).unwrap());
    assert_eq!(seen, whole);
    seen
}

fn sales() -> Vec<Vec<&'static str>> {
    vec![
        vec!["city", "sold", "when"],
        vec!["Oslo", "1,200", "2023-09-01"],
        vec!["Paris", "950", "2023-09-02"],
        vec!["all", "2,150", "2023-09-03"],
    ]
}

#[test]
fn an_empty_correction_leaves_a_stream_unread() {
    struct Unread;
    impl RowStream for Unread {
        fn next_batch(&mut self) -> Result<Option<Batch>> {
            Err(Error::bug("was read"))
        }
    }
    for text in ["{}", r#"{"title": "x", "columns": [{"col": 1, "name": "n", "unit": "kg"}]}"#] {
        let stream = Rows::Stream(Box::new(Unread));
        let unread = Table { rows: stream, ..table(1, &sales()) };
        assert!(apply(&said(text), unread).is_ok());
    }
}

#[test]
fn a_title_stands_where_the_old_one_does_or_where_the_table_does() {
    let seen = corrected(1, &sales(), r#"{"title": " Sales "}"#);
    let title = seen.title.unwrap();
    assert_eq!((title.text.as_str(), title.place.a1().as_deref()), ("Sales", Some("A1:C4")));
    let place = Place::file("t").cells(9..=9, 1..=1);
    let titled = || {
        let title = Some(Placed { text: "old".into(), place: place.clone() });
        Table { title, ..table(1, &sales()) }
    };
    let new = apply(&said(r#"{"title": "new"}"#), titled()).unwrap();
    assert_eq!(new.title, Some(Placed { text: "new".into(), place: place.clone() }));
    assert_eq!(apply(&said(r#"{"title": ""}"#), titled()).unwrap().title, None);
}

#[test]
fn columns_are_named_and_have_units() {
    let seen = corrected(
        1,
        &sales(),
        r#"{"columns": [{"col": 1, "name": " sold "}, {"col": 2, "name": "city", "unit": "kg"}]}"#,
    );
    assert_eq!(seen.names(), ["sold", "city", "when"]);
    assert_eq!(seen.columns[1].unit.as_deref(), Some("kg"));
    assert_eq!(seen.values(1), ["1200", "950", "2150"]);
    let money = [vec!["name", "price"], vec!["a", "$5"], vec!["b", "$6"]];
    let unit = |text: &str| corrected(1, &money, text).columns[1].unit.clone();
    assert_eq!(unit("{}").as_deref(), Some("USD"));
    assert_eq!(unit(r#"{"columns": [{"col": 2, "unit": ""}]}"#), None);
}

#[test]
fn what_does_not_fit_is_refused() {
    for (text, message) in [
        (r#"{"columns": [{"col": 4, "name": "x"}]}"#, "there is no column 4"),
        (r#"{"columns": [{"col": 1, "name": "SOLD"}]}"#, "two columns would be named `SOLD`"),
        (r#"{"header_rows": 5}"#, "the header cannot have 5 rows: only 3 follow it"),
    ] {
        for table in [table(1, &sales()), streamed(table(1, &sales()), 1)] {
            let error = apply(&said(text), table).unwrap_err();
            assert_eq!(error.message(), message);
            assert!(error.cure().is_some());
        }
    }
}

fn kinds(cells: &[&str], kind: &str) -> Seen {
    let rows = cells.iter().map(|c| vec!["x", c]);
    let rows: Vec<Vec<&str>> = std::iter::once(vec!["name", "value"]).chain(rows).collect();
    corrected(1, &rows, &format!(r#"{{"columns": [{{"col": 2, "kind": "{kind}"}}]}}"#))
}

#[test]
fn cells_are_read_anew_from_what_is_written() {
    for (cells, kind, values) in [
        (["1,200", "about 5", "7"], "integer", ["1200", "", "7"]),
        (["$1,200.50", "on request", "$3"], "decimal", ["1200.5", "", "3"]),
        (["35%", "12.5%", "none of it"], "decimal", ["0.35", "0.125", ""]),
        (["13/02/2023", "unknown day", "01/02/2023"], "date", ["2023-02-13", "", "2023-02-01"]),
        (["02/13/2023", "unknown day", "01/02/2023"], "date", ["2023-02-13", "", "2023-01-02"]),
        (["01/02/2023", "03/04/2023", ""], "date", ["2023-02-01", "2023-04-03", ""]),
        (["yes", "no", "-"], "boolean", ["true", "false", ""]),
        (["1,200", "5", "7"], "text", ["1,200", "5", "7"]),
        (["1.5", "2", "3.00"], "integer", ["", "2", "3"]),
        (["12", "-", "7"], "decimal", ["12", "", "7"]),
        (["2023-09-01", "Sept 2, 2023", ""], "datetime", ["2023-09-01 00:00:00", "2023-09-02 00:00:00", ""]),
        (["2023-09-01 08:00", "2023-09-02 00:00", ""], "date", ["", "2023-09-02", ""]),
        (["yes", "no", "yes"], "text", ["yes", "no", "yes"]),
    ] {
        let seen = kinds(&cells, kind);
        assert_eq!((seen.columns[1].kind.name(), seen.values(1)), (kind, values.to_vec()), "{cells:?}");
        assert_eq!(seen.texts(1), cells);
    }
}

#[test]
fn a_style_reads_numbers_otherwise() {
    let rows = [vec!["name", "kg", "m"], vec!["a", "1,500", "1.234"], vec!["b", "2,250", "n/a"]];
    let seen = corrected(1, &rows, r#"{"style": "1.234,56"}"#);
    assert_eq!((seen.values(1), seen.values(2)), (vec!["1.5", "2.25"], vec!["1234", ""]));
    assert_eq!(seen.texts(1), ["1,500", "2,250"]);
    assert_eq!((seen.columns[1].kind, seen.columns[1].decimals), (Kind::Decimal, 3));
    assert_eq!(seen.columns[1].style.to_string(), "1.234,56");
    assert_eq!(seen.columns[0].kind, Kind::Text);
    let seen = corrected(1, &rows, r#"{"columns": [{"col": 2, "style": "1234,56"}]}"#);
    assert_eq!((seen.values(1), seen.values(2)), (vec!["1.5", "2.25"], vec!["1.234", ""]));
    // A column whose marks contradict each other is text until it is told which counts.
    let mixed = [vec!["n"], vec!["1.5"], vec!["2,5"]];
    let seen = corrected(1, &mixed, r#"{"columns": [{"col": 1, "kind": "decimal", "style": "1234,56"}]}"#);
    assert_eq!((seen.values(0), seen.texts(0)), (vec!["", "2.5"], vec!["1.5", "2,5"]));
}

#[test]
fn units_and_decimals_come_from_what_is_written() {
    let unit = |seen: &Seen| (seen.columns[1].unit.clone(), seen.columns[1].decimals);
    assert_eq!(unit(&kinds(&["$1,200.50", "on request", "$3"], "decimal")), (Some("USD".into()), 2));
    assert_eq!(unit(&kinds(&["$5", "$6"], "text")), (None, 0));
    assert_eq!(unit(&kinds(&["1.5", "2"], "integer")), (None, 0));
    let mixed = [vec!["name", "mass"], vec!["a", "12 kg"], vec!["b", "3 lb"], vec!["c", "4 lb"]];
    let seen = corrected(1, &mixed, r#"{"columns": [{"col": 2, "kind": "integer", "unit": "kg"}]}"#);
    assert_eq!(seen.values(1), ["12", "", ""]);
    let named = [vec!["name", "share %"], vec!["a", "12"], vec!["b", "30"]];
    let seen = corrected(1, &named, r#"{"columns": [{"col": 2, "name": "share", "kind": "decimal"}]}"#);
    // Numbers whose unit is the percent sign are shares of one, and these are not.
    assert_eq!((seen.values(1), unit(&seen)), (vec!["12", "30"], (None, 0)));
}

#[test]
fn the_header_is_where_the_user_says() {
    let rows = [
        vec!["Report", "of", "things"],
        vec!["made", "by", "hand"],
        vec!["Item", "Price", "Sold"],
        vec!["Pen", "2", "10"],
        vec!["Ink", "3", "20"],
        vec!["Total", "", "30"],
    ];
    let table = table(1, &rows);
    let mut corrected = apply(&said(r#"{"header_row": 3}"#), table).unwrap();
    let notes: Vec<String> = std::mem::take(&mut corrected.notes).into_iter().map(|n| n.text).collect();
    assert_eq!(notes, ["Report", "of", "things", "made", "by", "hand"]);
    let seen = see(corrected);
    assert_eq!((seen.names(), seen.numbers()), (vec!["Item", "Price", "Sold"], vec![4, 5, 6]));
    assert_eq!(
        seen.columns.iter().map(|c| c.kind).collect::<Vec<_>>(),
        [Kind::Text, Kind::Integer, Kind::Integer]
    );
    assert_eq!(seen.marks(), [Mark::Data, Mark::Data, Mark::Total]);
    assert_eq!(seen.header(), ["A3 Item", "B3 Price", "C3 Sold"]);
}

#[test]
fn the_header_may_stand_among_what_was_taken_for_notes() {
    let rows = [vec!["Title", ""], vec!["Names", ""], vec!["a", "1"], vec!["b", "2"]];
    let table = understand::of_grid(&Grid::of_texts(&rows), &Place::file("t"), None);
    let seen =
        see(apply(&said(r#"{"header_row": 2, "rows": [{"row": 4, "mark": "total"}]}"#), table).unwrap());
    assert_eq!(seen.names(), ["Names", "column B"]);
    assert_eq!((seen.numbers(), seen.marks()), (vec![3, 4], vec![Mark::Data, Mark::Total]));
}

#[test]
fn a_header_where_nothing_stands_is_refused() {
    let rows = [vec!["a", "b"], vec!["1", "2"]];
    let error = apply(&said(r#"{"header_row": 9}"#), table(1, &rows)).unwrap_err();
    assert_eq!(error.message(), "the header cannot be row 9: the table has no cell there");
}

#[test]
fn rows_are_marked_by_their_number() {
    let mark = |text: &str| corrected(1, &sales(), text).marks();
    let told = r#"{"rows": [{"row": 4, "mark": "total"}, {"row": 99, "mark": "hidden"}]}"#;
    assert_eq!(mark(told), [Mark::Data, Mark::Data, Mark::Total]);
    let mut rows = sales();
    rows[3][0] = "Total";
    assert_eq!(corrected(1, &rows, "{}").marks()[2], Mark::Total);
    let seen = corrected(1, &rows, r#"{"rows": [{"row": 4, "mark": "data"}]}"#);
    assert_eq!(seen.marks(), [Mark::Data; 3]);
}

fn levels() -> Vec<Vec<&'static str>> {
    vec![
        vec!["Item", "2023", "", "2024", ""],
        vec!["", "1", "2", "1", "x"],
        vec!["a", "5", "6", "7", "8"],
        vec!["b", "5", "6", "7", "9"],
    ]
}

#[test]
fn a_lower_level_becomes_a_row() {
    let seen = corrected(2, &levels(), r#"{"header_rows": 1}"#);
    assert_eq!(seen.names(), ["Item", "2023", "2023 (2)", "2024", "2024 (2)"]);
    assert_eq!(
        (seen.header_rows, seen.header()),
        (1, vec!["A1 Item".into(), "B1 2023".into(), "D1 2024".into()])
    );
    assert_eq!(seen.numbers(), [2, 3, 4]);
    assert_eq!(seen.values(1), ["1", "5", "5"]);
    assert_eq!((seen.values(4), seen.texts(4)), (vec!["", "8", "9"], vec!["x", "8", "9"]));
    assert_eq!(seen.texts(0), ["", "a", "b"]);
}

#[test]
fn without_a_header_columns_are_named_as_readers_name_them() {
    let text = r#"{"header_rows": 0, "columns": [{"col": 2, "name": "column A"}], "rows": [{"row": 1, "mark": "section"}]}"#;
    let seen = corrected(2, &levels(), text);
    assert_eq!(seen.names(), ["column A (2)", "column A", "column C", "column D", "column E"]);
    assert_eq!((seen.header_rows, seen.header()), (0, Vec::<String>::new()));
    assert_eq!(seen.texts(1), ["2023", "1", "5", "5"]);
    assert_eq!(seen.marks(), [Mark::Section, Mark::Data, Mark::Data, Mark::Data]);
}

#[test]
fn a_row_that_left_the_header_counts_for_the_type() {
    let rows = [vec!["a", "1.25"], vec!["b", "2.5"], vec!["c", "3.5"]];
    let seen = corrected(1, &rows, r#"{"header_rows": 0}"#);
    assert_eq!((seen.values(1), seen.columns[1].decimals), (vec!["1.25", "2.5", "3.5"], 2));
    let seen = corrected(1, &rows, r#"{"header_rows": 0, "columns": [{"col": 2, "kind": "text"}]}"#);
    assert_eq!(seen.values(1), ["1.25", "2.5", "3.5"]);
    let bare = [vec!["a", "share %"], vec!["b", "12"], vec!["c", "13"], vec!["d", "30"]];
    let mut table = table(2, &bare);
    table.columns[1].unit = Some("%".into());
    let seen = see(apply(&said(r#"{"header_rows": 1}"#), table).unwrap());
    assert_eq!(seen.values(1), ["12", "13", "30"]);
}

#[test]
fn rows_become_lower_levels() {
    let seen = corrected(1, &levels(), r#"{"header_rows": 2}"#);
    assert_eq!(seen.names(), ["Item", "2023 / 1", "2023 / 2", "2024 / 1", "2024 / x"]);
    assert_eq!(seen.header()[3..], ["B2 1", "C2 2", "D2 1", "E2 x"]);
    assert_eq!((seen.header_rows, seen.numbers()), (2, vec![3, 4]));
    let rows = [vec!["city", "sold"], vec!["", "tons"], vec!["", "2023"], vec!["Oslo", "5"]];
    let text = r#"{"header_rows": 3, "columns": [{"col": 1, "name": "sold / tons / 2023"}]}"#;
    let seen = corrected(1, &rows, text);
    assert_eq!(seen.names(), ["sold / tons / 2023", "sold / tons / 2023 (2)"]);
}

#[test]
fn a_first_header_row_names_columns_that_had_no_name() {
    let seen = corrected(0, &sales(), r#"{"header_rows": 1}"#);
    assert_eq!(seen.names(), ["city", "sold", "when"]);
    assert_eq!(seen.columns[1].kind, Kind::Text);
    let text = r#"{"header_rows": 1, "columns": [{"col": 2, "kind": "integer"}]}"#;
    let seen = corrected(0, &sales(), text);
    assert_eq!((seen.columns[1].kind, seen.values(1)), (Kind::Integer, vec!["1200", "950", "2150"]));
    // What names its columns without header rows, such as a database, keeps those names.
    let mut named = table(0, &sales());
    named.columns[0].name = "place".into();
    let seen = see(apply(&said(r#"{"header_rows": 1}"#), named).unwrap());
    assert_eq!(seen.names(), ["place / city", "sold", "when"]);
}

#[test]
fn a_merged_name_is_known_by_the_columns_it_reached_over() {
    let merged = || {
        let mut grid = Grid::of_texts(&levels());
        grid.finish(vec![Rect::new(1, 1, 2, 1), Rect::new(1, 2, 1, 3), Rect::new(1, 4, 1, 5)]);
        understand::of_grid(&grid, &Place::file("t"), Some(2))
    };
    assert_eq!(see(merged()).names()[2], "2023 / 2");
    let seen = see(apply(&said(r#"{"header_rows": 1}"#), merged()).unwrap());
    assert_eq!(seen.names(), ["Item", "2023", "2023 (2)", "2024", "2024 (2)"]);
    let seen = see(apply(&said(r#"{"header_rows": 3}"#), merged()).unwrap());
    assert_eq!(seen.names()[..3], ["Item / a", "2023 / 1 / 5", "2023 / 2 / 6"]);
}

#[test]
fn a_header_repeated_on_a_later_page_stays_where_it_is() {
    let mut table = table(1, &sales());
    let again = Placed { text: "city".into(), place: table.cell_place(9, 1) };
    table.header.push(again.clone());
    let table = apply(&said(r#"{"header_rows": 0}"#), table).unwrap();
    assert_eq!(table.header, [again]);
    assert_eq!(see(table).texts(0), ["city", "Oslo", "Paris", "all"]);
}

#[test]
fn a_stream_is_corrected_batch_by_batch() {
    let text = r#"{"header_rows": 3, "columns": [{"col": 2, "kind": "text"}], "rows": [{"row": 4, "mark": "total"}]}"#;
    for size in 1..4 {
        let table = apply(&said(text), streamed(table(1, &sales()), size)).unwrap();
        assert_eq!(table.columns[1].name, "sold / 1,200 / 950");
        let seen = see(table);
        assert_eq!((seen.numbers(), seen.marks()), (vec![4], vec![Mark::Total]));
        assert_eq!(seen.values(1), ["2,150"]);
    }
    for text in [r#"{"header_rows": 0}"#, r#"{"rows": [{"row": 4, "mark": "total"}]}"#] {
        let table = apply(&said(text), streamed(table(1, &sales()), 2)).unwrap();
        let Rows::Stream(mut stream) = table.rows else { panic!("no stream") };
        while stream.next_batch().unwrap().is_some() {}
        assert_eq!((stream.bytes_read(), stream.warnings()), (7, vec!["look here".to_owned()]));
        assert_eq!(stream.rejected().len(), 1);
    }
}

#[test]
fn what_was_counted_holds_no_longer() {
    let counted = |text: &str| {
        let mut table = table(1, &sales());
        table.columns.iter_mut().for_each(|c| c.stats = Some(Default::default()));
        let table = apply(&said(text), table).unwrap();
        table.columns.iter().map(|c| c.stats.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(counted(r#"{"title": "x"}"#), [true; 3]);
    assert_eq!(counted(r#"{"columns": [{"col": 2, "kind": "decimal"}]}"#), [true, false, true]);
    assert_eq!(counted(r#"{"header_rows": 0}"#), [false; 3]);
}

fn a_cell() -> impl Strategy<Value = String> {
    "|Name|-?[0-9]{1,4}[.,]?[0-9]{0,3}[%]?|\\$[0-9]{1,3}|[ a-c]{0,3}|n/a|yes|0?[1-9]/0?[1-9]/2023|2023-0[1-9]-0[1-9]( 08:00)?"
}

fn a_correction() -> impl Strategy<Value = Correction> {
    let kind = prop::sample::select(vec![
        Kind::Integer,
        Kind::Decimal,
        Kind::Boolean,
        Kind::Date,
        Kind::DateTime,
        Kind::Text,
    ]);
    let name = prop::option::of("[ab]");
    let style = || prop::option::of(prop::sample::select(vec!["1,234.56", "1.234,56", "1 234,56"]));
    let column = (prop::option::of(kind), name, prop::option::of("%|USD|"), style());
    let mark = prop::sample::select(Mark::ALL.to_vec());
    let rows = prop::collection::btree_map(1u64..12, mark, 0..4);
    let columns = prop::collection::vec(column, 4);
    (prop::option::of(0u32..5), prop::option::of("T?"), style(), columns, rows).prop_map(
        |(header_rows, title, style, columns, rows)| {
            let parsed = |style: Option<&str>| style.map(|s| s.parse().unwrap());
            let column = |(col, (kind, name, unit, style))| ColumnCorrection {
                col,
                name,
                kind,
                unit,
                style: parsed(style),
            };
            let style = parsed(style);
            let columns = (1..).zip(columns).map(column).collect();
            let rows =
                rows.into_iter().map(|(row, mark)| tabletalk_core::RowCorrection { row, mark }).collect();
            Correction { header_rows, header_row: None, last_row: None, title, style, columns, rows }
        },
    )
}

/// Rows of which none is empty and each column is there.
fn some_rows() -> impl Strategy<Value = Vec<Vec<String>>> {
    let row = prop::collection::vec(a_cell(), 4).prop_map(|mut row| {
        row[0].push('r');
        row
    });
    prop::collection::vec(row, 4..10)
}

/// The table that is read of these rows, the first ones being title and header.
fn read(rows: &[Vec<String>], header: usize) -> Table {
    understand::of_grid(&Grid::of_texts(rows), &Place::file("t"), Some(header))
}

proptest! {
    #[test]
    fn an_empty_correction_changes_nothing(rows in some_rows(), header in 0usize..4, size in 1usize..5) {
        let empty = Correction::default();
        let before = see(read(&rows, header));
        prop_assert_eq!(&before, &see(apply(&empty, read(&rows, header)).unwrap()));
        prop_assert_eq!(&before, &see(apply(&empty, streamed(read(&rows, header), size)).unwrap()));
    }

    #[test]
    fn every_text_stays_at_its_address(
        rows in some_rows(),
        header in 0usize..4,
        size in 1usize..5,
        mut correction in a_correction(),
    ) {
        let before = see(read(&rows, header));
        correction.columns.retain(|told| before.columns.iter().any(|c| c.col == told.col));
        for table in [read(&rows, header), streamed(read(&rows, header), size)] {
            // What cannot be done is refused as a whole.
            let Ok(table) = apply(&correction, table) else { continue };
            let after = see(table);
            prop_assert_eq!(before.cells(), after.cells());
            let mut names: Vec<String> = after.names().iter().map(|n| n.to_lowercase()).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), after.columns.len());
            prop_assert_eq!(after.header_rows, correction.header_rows.unwrap_or(before.header_rows));
        }
    }
}

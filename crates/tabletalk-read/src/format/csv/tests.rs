use super::*;
use encoding_rs::GBK;
use proptest::prelude::*;
use tabletalk_core::Rows;
use tabletalk_core::seam::Limits;
use tabletalk_core::{Batch, Kind, Mark, Rejection};

struct Read {
    table: Table,
    others: Vec<Table>,
    batches: Vec<Batch>,
    rejected: Vec<Rejection>,
    warnings: Vec<String>,
}

impl Read {
    fn names(&self) -> Vec<&str> {
        self.table.columns.iter().map(|c| c.name.as_str()).collect()
    }
    fn kinds(&self) -> Vec<Kind> {
        self.table.columns.iter().map(|c| c.kind).collect()
    }
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |b: &Batch, i: usize| b.columns.iter().map(|c| c.text(i).into_owned()).collect();
        self.batches.iter().flat_map(|b| (0..b.len()).map(move |i| row(b, i))).collect()
    }
    fn marks(&self) -> Vec<Mark> {
        self.batches.iter().flat_map(|b| (0..b.len()).map(|i| b.mark(i))).collect()
    }
    fn notes(&self) -> Vec<&str> {
        self.table.notes.iter().map(|n| n.text.as_str()).collect()
    }
    fn numbers(&self) -> Vec<u64> {
        self.batches.iter().flat_map(|b| b.rows.clone()).collect()
    }
}

fn try_read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Read> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let document = document(&Source::new(file.path(), name, limits))?;
    let tables = document.blocks.into_iter().map(|block| match block {
        Content::Table(table) => table,
        other => panic!("no table: {other:?}"),
    });
    let mut others: Vec<Table> = tables.collect();
    let mut table = others.remove(0);
    let (mut rejected, mut warnings) = (document.rejected, document.warnings);
    let mut batches = Vec::new();
    match std::mem::take(&mut table.rows) {
        Rows::Memory(rows) => batches = rows,
        Rows::Stream(mut stream) => {
            while let Some(batch) = stream.next_batch()? {
                batches.push(batch);
            }
            rejected.extend(stream.rejected());
            warnings.extend(stream.warnings());
        }
    }
    Ok(Read { table, others, batches, rejected, warnings })
}

fn read(bytes: impl AsRef<[u8]>) -> Read {
    try_read("a.csv", bytes.as_ref(), &Limits::default()).unwrap()
}

#[test]
fn reads_a_plain_table() {
    let r = read("city,sold,when\nOslo,\"1,200\",2023-09-01\nParis,950,2023-09-02\n");
    assert_eq!(r.names(), ["city", "sold", "when"]);
    assert_eq!(r.kinds(), [Kind::Text, Kind::Integer, Kind::Date]);
    assert_eq!(r.rows(), [["Oslo", "1,200", "2023-09-01"], ["Paris", "950", "2023-09-02"]]);
    assert_eq!((r.numbers(), r.batches[0].bytes.clone()), (vec![2, 3], vec![15, 39]));
    assert_eq!(r.table.header[1].place.to_string(), "a.csv!B1");
}

#[test]
fn reads_encodings() {
    let text = "城市;销售额;负责人\n北京;120;王小明\n上海;80;李华\n广州;50;张伟\n";
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let bare: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = format!("\u{feff}{text}").into_bytes();
    for bytes in [text.as_bytes().to_vec(), GBK.encode(text).0.into_owned(), wide, bare, marked] {
        let r = read(bytes);
        assert_eq!(r.names(), ["城市", "销售额", "负责人"]);
        assert_eq!(r.rows()[1], ["上海", "80", "李华"]);
        assert!(r.warnings.is_empty());
    }
}

#[test]
fn finds_the_encoding_though_it_shows_late() {
    for lines in [10_000, 600_000] {
        let text = "name,count\n".to_owned()
            + &"plain text,12\n".repeat(lines)
            + &"北京市,12\n上海市,5\n".repeat(50);
        let r = read(&*GBK.encode(&text).0);
        assert_eq!(r.rows().last().unwrap()[0], "上海市");
        assert!(r.warnings.is_empty());
    }
}

#[test]
fn finds_the_header_below_a_title() {
    let r = read("Sales of 2023,,\n\nItem,Price,Sold\nPen,1.50,10\nInk,3.25,20\n");
    assert_eq!(r.table.title(), "Sales of 2023");
    assert_eq!(r.names(), ["Item", "Price", "Sold"]);
    assert_eq!(r.numbers(), [4, 5]);
}

#[test]
fn lines_before_and_after_a_table_are_notes() {
    let text = "Account:;DE12 3456\nOwner:;Ann Example\nPeriod:;January\n\n\
        Date;Text;Amount\n2024-01-02;Rent;-800\n2024-01-03;Pay;2000\n\nSource: my bank\nExported on 2024-02-01\n";
    let r = read(text);
    assert_eq!(r.names(), ["Date", "Text", "Amount"]);
    assert_eq!(r.kinds(), [Kind::Date, Kind::Text, Kind::Integer]);
    assert_eq!((r.numbers(), r.others.len()), (vec![6, 7], 0));
    assert_eq!(r.notes()[..2], ["Account:", "DE12 3456"]);
    assert_eq!(r.notes()[6..], ["Source: my bank", "Exported on 2024-02-01"]);
    assert_eq!(r.table.notes[6].place.to_string(), "a.csv!A9");
    // The same in a file that streams.
    let mut large = text.split("\n\nSource").next().unwrap().to_owned();
    while large.len() <= SMALL {
        large.push_str("\n2024-01-04;Something that was bought;-20");
    }
    let r = read(large);
    assert_eq!(r.names(), ["Date", "Text", "Amount"]);
    assert_eq!((r.notes().len(), r.numbers()[0]), (6, 6));
}

#[test]
fn totals_are_marked_in_small_and_in_large_files() {
    let r = read("region,sales\nNorth,10\nSouth,20\nTotal,30\n");
    assert_eq!(r.marks(), [Mark::Data, Mark::Data, Mark::Total]);
    let r = read("地区,销售额\n北京,10\n上海,20\n合计,30\n");
    assert_eq!(r.marks(), [Mark::Data, Mark::Data, Mark::Total]);
    let r = read("company,revenue,staff\nShell,300,90\nTotal,200,80\nBP,250,70\n");
    assert_eq!(r.marks(), [Mark::Data; 3]);
    let r = read("item,qty,price,amount\nPen,2,1.50,3.00\nInk,1,4.00,4.00\n,,Total,7.00\n");
    assert_eq!(r.kinds(), [Kind::Text, Kind::Integer, Kind::Decimal, Kind::Decimal]);
    assert_eq!((r.marks()[2], r.rows()[2][2].as_str()), (Mark::Total, "Total"));
    let mut large = String::from("region,sales\n");
    let mut sum = 0;
    while large.len() <= SMALL {
        large.push_str("some region or other,7\n");
        sum += 7;
    }
    let marks = read(format!("{large}Total,{sum}\n")).marks();
    assert_eq!(marks.iter().filter(|m| **m == Mark::Total).count(), 1);
    assert_eq!(marks.last(), Some(&Mark::Total));
}

#[test]
fn a_plain_table_stays_one_with_all_its_rows() {
    let r = read("name,score\nAnn,5\n\nBob,absent\nCid,7\n\n\nDan,\nEve,9\n");
    assert_eq!((r.others.len(), r.rows().len(), r.marks()), (0, 5, vec![Mark::Data; 5]));
    assert_eq!(r.names(), ["name", "score"]);
    let r = read("id,note,,city\n1,a,,Oslo\n2,b: c,,\n3,,,\n4,Source: me,,Rome\n");
    assert_eq!((r.others.len(), r.rows().len()), (0, 4));
    let r = read("name,size\nAnn,S\nBob,M\nCid,L\nDan,XL\n");
    assert_eq!((r.names(), r.rows().len()), (vec!["name", "size"], 4));
    let r = read("name,team,city\nAnn,Red,Oslo\n\nBob,Blue,Rome\nCid,Red,Bonn\n");
    assert_eq!((r.others.len(), r.rows().len()), (0, 3));
}

#[test]
fn tables_below_each_other_are_told_apart() {
    let r =
        read("Sales\nregion,sales\nNorth,10\nSouth,20\n\nStaff\nname,city,age\nAnn,Oslo,31\nBob,Rome,45\n");
    assert_eq!((r.table.title(), r.names(), r.rows().len()), ("Sales", vec!["region", "sales"], 2));
    let [staff] = &r.others[..] else { panic!("{:?}", r.others) };
    assert_eq!(
        (staff.title(), staff.columns.len(), staff.place.to_string().as_str()),
        ("Staff", 3, "a.csv!A7:C9")
    );
    let r = read("product,price\nPen,2\nInk,3\n\nprice,product\n2,Pen\n3,Ink\n");
    assert_eq!(r.others.len(), 1);
}

#[test]
fn pads_short_rows_and_drops_empty_fields_at_the_end() {
    let r = read("a,b,c\n1,2,3\n4,5\n6,7,8,,\n");
    assert_eq!(r.rows()[1..], [["4", "5", ""], ["6", "7", "8"]]);
    // A small file is looked at whole, so its widest row makes the table that wide.
    let r = read("a,b,c\n1,2,3\n4,5,6,7\n");
    assert_eq!(r.names(), ["a", "b", "c", "column D"]);
}

#[test]
fn rejects_rows_wider_than_any_in_the_sample() {
    let mut text = String::from("a,b,c\n");
    while text.len() < SMALL + 1000 {
        text.push_str("some text,12,2023-09-01\n");
    }
    text.push_str("x,1,2,3\n");
    let r = read(&text);
    assert_eq!(r.kinds(), [Kind::Text, Kind::Integer, Kind::Date]);
    assert_eq!(r.rejected.len(), 1);
    assert_eq!(r.rejected[0].reason, "has 4 fields where the header has 3");
    let rows = text.lines().count() as u64;
    assert_eq!(r.rejected[0].place.rows, Some((rows, rows)));
    assert_eq!(r.numbers().len() as u64 + 1, rows - 1);
    assert!(r.batches.len() > 1);
    let last = r.batches.last().unwrap();
    assert_eq!(
        text.get(*last.bytes.last().unwrap() as usize..).unwrap().lines().next(),
        Some("some text,12,2023-09-01")
    );
}

#[test]
fn types_a_large_file_by_all_of_its_rows() {
    let mut text = String::from("name,count,late\n");
    while text.len() < SMALL + (1 << 20) {
        text.push_str("some text that is long,12,\n");
    }
    let r = read(text.clone() + "the last,0.5,2023-09-01\n");
    assert_eq!(r.kinds(), [Kind::Text, Kind::Decimal, Kind::Date]);
    let r = read(text + "the last,five,soon\n");
    assert_eq!(r.kinds(), [Kind::Text, Kind::Integer, Kind::Text]);
    assert!(r.batches.last().unwrap().columns[1].is_stray(r.batches.last().unwrap().len() - 1));
}

#[test]
fn reads_files_of_one_line_and_of_one_column() {
    let r = read("a,b,c\n");
    assert_eq!((r.names(), r.rows().len()), (vec!["a", "b", "c"], 0));
    let r = read("name\nOslo\nParis, France\nRome\n");
    assert_eq!((r.names(), r.rows()[1].clone()), (vec!["name"], vec!["Paris, France".to_owned()]));
}

#[test]
fn refuses_what_is_no_text() {
    let error =
        |bytes: &[u8]| try_read("a.csv", bytes, &Limits::default()).err().map(|e| e.message().to_owned());
    assert_eq!(error(b"").as_deref(), Some("is empty"));
    assert_eq!(error(b"\n\n \n").as_deref(), None);
    assert_eq!(error(b"\n\n\n").as_deref(), Some("is empty"));
    assert_eq!(error(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0").as_deref(), Some("is not text"));
    let limits = Limits { max_columns: 2, ..Limits::default() };
    let e = try_read("a.csv", b"a,b,c\n1,2,3\n", &limits).err().unwrap();
    assert_eq!(e.message(), "has 3 columns, more than 2");
}

#[test]
fn replaces_broken_bytes_with_a_warning() {
    let mut bytes = "名,b\n".repeat(50).into_bytes();
    bytes.extend_from_slice(b"x\xff,1\n");
    let r = read(bytes);
    assert_eq!(r.rows().last().unwrap()[0], "x\u{fffd}");
    assert_eq!(r.warnings, ["bytes that are not valid text were replaced, the first at byte 301"]);
}

#[test]
fn takes_an_open_quote_as_a_character() {
    let r = read("a,b\n1,\"x\n2,y\n3,z\n");
    assert_eq!(r.rows(), [["1", "\"x"], ["2", "y"], ["3", "z"]]);
    assert_eq!(r.warnings, ["the quote at byte 6 is never closed and was taken as a character"]);
}

#[test]
fn reads_packed_files() {
    let text = b"a,b\n1,x\n2,y\n";
    let packed = zstd::encode_all(&text[..], 1).unwrap();
    assert_eq!(read(packed).rows(), read(text).rows());
}

/// Three cells, the first of them filled: a row without anything is a blank line.
fn a_row() -> impl Strategy<Value = Vec<String>> {
    let rest = prop::collection::vec("[a-z0-9,;\" .\n%-]{1,8}", 2..=2);
    ("[a-z][a-z0-9,;\" .%-]{0,7}", rest)
        .prop_map(|(first, rest)| std::iter::once(first).chain(rest).collect())
}

proptest! {
    #[test]
    fn gives_back_every_cell(rows in prop::collection::vec(a_row(), 1..12)) {
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let mut text = String::from("first column,second column,third column\n");
        for row in &rows {
            text.push_str(&(row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"));
        }
        let r = read(&text);
        let trimmed = |cell: &String| if cell.trim().is_empty() { String::new() } else { cell.clone() };
        let expected: Vec<Vec<String>> = rows.iter().map(|r| r.iter().map(trimmed).collect()).collect();
        let header = r.table.header_rows as usize;
        let found = r.rows();
        prop_assert_eq!(found.len() + header.saturating_sub(1), expected.len());
        for (found, expected) in found.iter().zip(&expected[header.saturating_sub(1)..]) {
            prop_assert_eq!(&found[1..], &expected[1..]);
            // The name of a group may be carried down to rows that lack it.
            prop_assert!(found[0] == expected[0] || expected[0].is_empty(), "{:?} {:?}", found, expected);
        }
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = try_read("a.csv", &bytes, &Limits::default());
    }
}

#[test]
fn a_zero_byte_is_left_out_and_said() {
    let r = read(b"city,sold\nOs\0lo,12\0\nParis,950\n");
    assert_eq!(
        (r.rows(), r.kinds()),
        (
            vec![vec!["Oslo".to_owned(), "12".into()], vec!["Paris".into(), "950".into()]],
            vec![Kind::Text, Kind::Integer]
        )
    );
    assert_eq!(r.warnings, ["zero bytes were left out: 2, the first at byte 12, near row 2"]);
}

#[test]
fn one_bad_byte_does_not_spoil_the_accents() {
    let r = read(b"name,city\nZo\xc3\xab,M\xc3\xa1laga\nAnn,caf\xe9\n");
    assert_eq!(r.rows()[0], ["Zoë", "Málaga"]);
    assert_eq!(r.rows()[1], ["Ann", "caf\u{fffd}"]);
    assert_eq!(r.warnings, ["bytes that are not valid text were replaced, the first at byte 30"]);
    let r = read(b"name,city\nZo\xeb,M\xe1laga\nAnn,caf\xe9\n");
    assert_eq!(r.rows(), [["Zoë", "Málaga"], ["Ann", "café"]]);
}

#[test]
fn semicolons_speak_for_a_comma_before_decimals() {
    let r = read("item;kg;price\na;0,125;1.234\nb;1,500;12.345,67\n");
    assert_eq!(r.kinds(), [Kind::Text, Kind::Decimal, Kind::Decimal]);
    let value =
        |col: usize, i: usize| tabletalk_core::table::plain(&r.batches[0].columns[col].value, i).into_owned();
    assert_eq!([value(1, 0), value(1, 1), value(2, 0), value(2, 1)], ["0.125", "1.5", "1234", "12345.67"]);
    assert_eq!(r.table.columns[2].style.to_string(), "1.234,56");
    assert_eq!(r.rows()[1], ["b", "1,500", "12.345,67"]);
}

#[test]
fn the_order_of_dates_may_show_late_in_a_large_file() {
    let mut text = String::from("when,n\n");
    while text.len() <= SMALL {
        text.push_str("01/02/2023,1\n");
    }
    text.push_str("13/02/2023,2.5\n");
    assert_eq!(read(text).kinds(), [Kind::Date, Kind::Decimal]);
}

//! Golden tests: small workbooks written here, and how they are understood.

use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet};
use std::fmt::Write;
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Block, Document, Error, Fault, Rows, Table};

fn read_bytes(bytes: &[u8], name: &str) -> Result<Document, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let limits = Limits::default();
    let source = Source::new(file.path(), name, &limits);
    super::read(&source).map(|mut documents| documents.next().unwrap().unwrap())
}

fn book(write: impl Fn(&mut Worksheet)) -> Vec<u8> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.set_name("Data").unwrap();
    write(sheet);
    workbook.save_to_buffer().unwrap()
}

fn picture(document: &Document) -> String {
    let mut out = String::new();
    for block in &document.blocks {
        match block {
            Block::Table(table) => draw(table, &mut out),
            other => {
                let text = other.text().unwrap();
                writeln!(out, "text {}: {}", text.place.a1().unwrap_or_default(), text.text).unwrap();
            }
        }
    }
    out
}

fn draw(table: &Table, out: &mut String) {
    writeln!(
        out,
        "table {} ({} header rows, {} row headers)",
        table.place, table.header_rows, table.row_headers
    )
    .unwrap();
    table.title.iter().for_each(|p| writeln!(out, "  title {}: {}", p.place.a1().unwrap(), p.text).unwrap());
    table.notes.iter().for_each(|p| writeln!(out, "  note {}: {}", p.place.a1().unwrap(), p.text).unwrap());
    for c in &table.columns {
        let unit = c.unit.as_ref().map(|u| format!(" in {u}")).unwrap_or_default();
        writeln!(out, "  column {} {}{unit}{}", c.name, c.kind.name(), if c.hidden { " hidden" } else { "" })
            .unwrap();
    }
    let Rows::Memory(batches) = &table.rows else { return };
    for batch in batches {
        for i in 0..batch.len() {
            let cells: Vec<_> = batch.columns.iter().map(|c| c.text(i)).collect();
            writeln!(out, "  {} {:?}: {}", batch.rows[i], batch.mark(i), cells.join(" | ")).unwrap();
        }
    }
}

#[test]
fn understands_merged_headers_units_and_totals() {
    let percent = Format::new().set_num_format("0.0%");
    let day = Format::new().set_num_format("yyyy-mm-dd");
    let plain = Format::new();
    let bytes = book(|s| {
        s.merge_range(0, 0, 0, 5, "Sales by region", &plain).unwrap();
        s.write(1, 5, "(in thousands)").unwrap();
        s.merge_range(2, 0, 3, 0, "Region", &plain).unwrap();
        s.merge_range(2, 1, 3, 1, "Since", &plain).unwrap();
        s.merge_range(2, 2, 2, 3, "2023", &plain).unwrap();
        s.merge_range(2, 4, 2, 5, "2024", &plain).unwrap();
        for (c, name) in ["Revenue (USD)", "Margin", "Revenue (USD)", "Margin"].iter().enumerate() {
            s.write(3, c as u16 + 2, *name).unwrap();
        }
        for (r, (name, a, b)) in [("North", 12.5, 20.0), ("South", 7.5, 10.0)].iter().enumerate() {
            let r = r as u32 + 4;
            s.write(r, 0, *name).unwrap();
            s.write_with_format(r, 1, ExcelDateTime::from_ymd(2020, 3, 1 + r as u8).unwrap(), &day).unwrap();
            s.write(r, 2, *a).unwrap().write_with_format(r, 3, 0.35, &percent).unwrap();
            s.write(r, 4, *b).unwrap().write_with_format(r, 5, 0.4, &percent).unwrap();
        }
        s.write(6, 0, "Total").unwrap().write(6, 2, 20.0).unwrap().write(6, 4, 30.0).unwrap();
        s.write(7, 0, "Source: our own books").unwrap();
        s.set_row_hidden(5).unwrap();
        s.set_column_hidden(1).unwrap();
    });
    insta::assert_snapshot!(picture(&read_bytes(&bytes, "sales.xlsx").unwrap()));
}

#[test]
fn finds_all_tables_of_a_sheet() {
    let bytes = book(|s| {
        for (c, rows) in [
            (0u16, [["City", "Sold"], ["Oslo", "3"], ["Paris", "4"]]),
            (3, [["Name", "Age"], ["Ann", "31"], ["Bo", "45"]]),
        ] {
            for (r, row) in rows.iter().enumerate() {
                s.write(r as u32, c, row[0]).unwrap();
                match row[1].parse::<f64>() {
                    Ok(v) => s.write(r as u32, c + 1, v).unwrap(),
                    Err(_) => s.write(r as u32, c + 1, row[1]).unwrap(),
                };
            }
        }
        s.write(5, 0, "Stock in hand").unwrap();
        for (r, row) in
            [["Item", "Left", "Left"], ["pens", "#DIV/0!", "7"], ["ink", "5", "6"]].iter().enumerate()
        {
            for (c, text) in row.iter().enumerate() {
                s.write(r as u32 + 6, c as u16, *text).unwrap();
            }
        }
        s.write(
            20,
            0,
            "Ask the office for the keys, they are kept in the upper drawer of the desk by the window.",
        )
        .unwrap();
    });
    insta::assert_snapshot!(picture(&read_bytes(&bytes, "several.xlsx").unwrap()));
}

#[test]
fn understands_a_chinese_workbook() {
    let plain = Format::new();
    let bytes = book(|s| {
        s.merge_range(0, 0, 0, 2, "费用预算表", &plain).unwrap();
        s.write(1, 2, "单位：千元").unwrap();
        let rows: [(&str, &str, Option<f64>); 8] = [
            ("部门", "项目", None),
            ("行政部", "水电", Some(12.0)),
            ("", "房租", Some(30.0)),
            ("", "小计", Some(42.0)),
            ("销售部", "差旅", Some(8.0)),
            ("", "小计", Some(8.0)),
            ("合 计", "", Some(50.0)),
            ("注：不含税", "", None),
        ];
        for (r, (a, b, v)) in rows.iter().enumerate() {
            let r = r as u32 + 2;
            s.write(r, 0, *a).unwrap().write(r, 1, *b).unwrap();
            if let Some(v) = v {
                s.write(r, 2, *v).unwrap();
            }
        }
        s.write(2, 2, "金额（千元）").unwrap();
        s.merge_range(3, 0, 5, 0, "行政部", &plain).unwrap();
        s.merge_range(6, 0, 7, 0, "销售部", &plain).unwrap();
    });
    insta::assert_snapshot!(picture(&read_bytes(&bytes, "预算.xlsx").unwrap()));
}

#[test]
fn says_what_is_wrong_with_a_file() {
    let whole = book(|s| {
        s.write(0, 0, "a").unwrap();
    });
    let cut = read_bytes(&whole[..whole.len() / 2], "cut.xlsx").unwrap_err();
    assert_eq!(cut.fault(), Fault::Input);
    assert!(cut.message().starts_with("is damaged or not a workbook"), "{cut}");
    let mut locked = crate::format::office::COMPOUND.to_vec();
    locked.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    let locked = read_bytes(&locked, "locked.xlsx").unwrap_err();
    assert_eq!(locked.to_string(), "is encrypted with a password; save it without a password");
    assert!(read_bytes(b"", "empty.xlsx").unwrap_err().message().contains("empty"));
    assert!(read_bytes(b"\x09\x08garbage", "old.xls").is_err());
}

#[test]
fn keeps_to_the_limits() {
    let bytes = book(|s| {
        for i in 0..50 {
            s.write(i, 0, i).unwrap();
        }
    });
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let limits = Limits { max_cells: 10, ..Limits::default() };
    let error = super::read(&Source::new(file.path(), "a.xlsx", &limits)).err().unwrap();
    assert_eq!((error.fault(), error.message()), (Fault::Limit, "Data: has more than 10 cells"));
}

/// The workbook with the values of its formulas taken away, as programs leave them that do not calculate.
fn without_values(bytes: &[u8]) -> Vec<u8> {
    use std::io::{Cursor, Read, Write};
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for i in 0..archive.len() {
        let mut part = archive.by_index(i).unwrap();
        let (name, mut text) = (part.name().unwrap().to_string(), Vec::new());
        part.read_to_end(&mut text).unwrap();
        if name.contains("worksheets/") {
            text = String::from_utf8(text).unwrap().replace("</f><v>0</v>", "</f><v></v>").into_bytes();
        }
        out.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        out.write_all(&text).unwrap();
    }
    out.finish().unwrap().into_inner()
}

#[test]
fn computes_formulas_that_were_saved_without_a_value_and_says_so() {
    let bytes = book(|sheet| {
        for (row, (name, a, b)) in [("Oslo", 3.0, 4.0), ("Paris", 5.0, 6.5)].iter().enumerate() {
            let row = row as u32 + 1;
            sheet.write(row, 0, *name).unwrap();
            sheet.write(row, 1, *a).unwrap();
            sheet.write(row, 2, *b).unwrap();
            sheet.write_formula(row, 3, format!("=B{0}+C{0}", row + 1).as_str()).unwrap();
            sheet.write_formula(row, 4, "=VLOOKUP(1,A1:B2,2)").unwrap();
        }
        ["city", "a", "b", "sum", "found"].iter().enumerate().for_each(|(c, name)| {
            sheet.write(0, c as u16, *name).unwrap();
        });
    });
    let document = read_bytes(&without_values(&bytes), "a.xlsx").unwrap();
    let Block::Table(table) = &document.blocks[0] else { panic!("no table") };
    let Rows::Memory(batches) = &table.rows else { panic!("no rows") };
    let sums: Vec<_> = (0..2).map(|i| batches[0].columns[3].text(i).into_owned()).collect();
    assert_eq!(sums, ["7", "11.5"]);
    let [computed, left] = &document.warnings[..] else { panic!("{:?}", document.warnings) };
    assert!(computed.contains("formulas saved without a value, computed here (2): D2 =B2+C2"), "{computed}");
    assert!(left.contains("cannot be computed") && left.contains("E3 =VLOOKUP"), "{left}");
}

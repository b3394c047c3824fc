//! Golden tests on files that are written here, object by object.

use crate::format::office::tests::{picture, read};
use std::fmt::Write as _;

/// Text at a place, counted from the bottom left as in the format.
fn text(x: u32, y: u32, size: u32, words: &str) -> String {
    let words = words.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    format!("BT /F1 {size} Tf {x} {y} Td ({words}) Tj ET\n")
}

fn bold(x: u32, y: u32, size: u32, words: &str) -> String {
    text(x, y, size, words).replace("/F1", "/F2")
}

fn line(x0: u32, y0: u32, x1: u32, y1: u32) -> String {
    format!("{x0} {y0} m {x1} {y1} l S\n")
}

/// A file of pages with these contents; `more` goes into every page, such as `/Rotate 90`.
fn pdf(pages: &[String], more: &str) -> Vec<u8> {
    let fonts = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> \
                 /F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >> \
                 /F3 << /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H \
                 /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 \
                 /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> \
                 /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4 >> >>] >>";
    let kids: Vec<String> = (0..pages.len()).map(|i| format!("{} 0 R", 3 + 2 * i)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
    ];
    for (i, content) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] {more} /Resources << /Font << {fonts} >> >> \
             /Contents {} 0 R >>",
            4 + 2 * i
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    file(&objects)
}

/// A file of these objects.
fn file(objects: &[String]) -> Vec<u8> {
    let mut out = String::from("%PDF-1.7\n");
    let mut at = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        at.push(out.len());
        write!(out, "{} 0 obj\n{object}\nendobj\n", i + 1).unwrap();
    }
    let start = out.len();
    write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    at.iter().for_each(|at| writeln!(out, "{at:010} 00000 n ").unwrap());
    write!(out, "trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF", objects.len() + 1).unwrap();
    out.into_bytes()
}

fn shown(pages: &[String], more: &str) -> String {
    picture(&read(super::read, "a.pdf", &pdf(pages, more)).unwrap())
}

/// A table with a line around every cell; the header reaches over two columns.
fn ruled() -> String {
    let mut page = text(60, 440, 10, "Table 1: Rainfall by station, in millimetres");
    [420, 400, 380, 360, 340].iter().for_each(|y| page += &line(60, *y, 300, *y));
    page += &line(60, 340, 60, 420);
    page += &line(140, 340, 140, 420);
    page += &line(220, 340, 220, 400);
    page += &line(300, 340, 300, 420);
    page += &text(190, 406, 10, "Rainfall");
    page += &text(150, 386, 10, "2022");
    page += &text(230, 386, 10, "2023");
    for (i, (name, a, b)) in [("Bergen", "2,250", "2,495"), ("Oslo", "763", "801")].iter().enumerate() {
        let y = 366 - 20 * i as u32;
        page += &(text(64, y, 10, name) + &text(150, y, 10, a) + &text(230, y, 10, b));
    }
    page
}

/// A table without any line.
fn aligned(top: u32) -> String {
    let rows = [
        ["Region", "Schools", "Pupils", "Share"],
        ["North", "120", "34,500", "12.4%"],
        ["South and", "", "", ""],
        ["islands", "98", "28,100", "10.1%"],
        ["West", "240", "81,000", "29.2%"],
        ["Total", "458", "143,600", "51.7%"],
    ];
    let mut page = String::new();
    for (i, row) in rows.iter().enumerate() {
        for (cell, x) in row.iter().zip([60, 160, 230, 310]) {
            page += &text(x, top - 12 * i as u32, 10, cell);
        }
    }
    page
}

#[test]
fn a_table_with_lines_keeps_its_caption_and_its_header_over_two_columns() {
    insta::assert_snapshot!(shown(&[ruled()], ""));
}

#[test]
fn a_table_without_lines_is_seen_by_its_columns_and_text_around_it_stays_text() {
    let prose = [
        "The count of schools has grown in most regions over",
        "the last ten years, as the next table shows.",
    ];
    let mut page = bold(60, 460, 18, "School report");
    page += &text(60, 430, 10, prose[0]);
    page += &text(60, 418, 10, prose[1]);
    page += &aligned(380);
    page += &text(60, 290, 10, "Figures of the ministry; islands counted since 2019.");
    insta::assert_snapshot!(shown(&[page], ""));
}

#[test]
fn two_columns_of_text_are_read_one_after_the_other_with_hyphens_undone() {
    let left = [
        "The harbour was built in the",
        "years before the war and ex-",
        "tended twice since then. Its",
        "cranes were replaced in the",
        "nineties by larger ones that",
        "lift forty tons each.",
    ];
    let right = [
        "Ferries leave from the east",
        "quay every hour in summer",
        "and every second hour in the",
        "winter months. Tickets are",
        "sold on board; children up to",
        "six years travel free.",
    ];
    let mut page = String::new();
    for (i, (a, b)) in left.iter().zip(right).enumerate() {
        let y = 440 - 12 * i as u32;
        page += &(text(40, y, 10, a) + &text(215, y, 10, b));
    }
    insta::assert_snapshot!(shown(&[page], ""));
}

#[test]
fn a_table_that_goes_on_over_a_page_is_one_and_running_heads_are_dropped() {
    let page = |number: u32, rows: &[(&str, &str, &str)]| {
        let mut page = text(60, 480, 8, "Annual report of the port authority");
        page += &text(200, 20, 8, &number.to_string());
        for (x, name) in [(60, "Quay"), (160, "Ships"), (260, "Tons")] {
            page += &bold(x, 440, 10, name);
        }
        for (i, (a, b, c)) in rows.iter().enumerate() {
            let y = 424 - 14 * i as u32;
            page += &(text(60, y, 10, a) + &text(160, y, 10, b) + &text(260, y, 10, c));
        }
        page
    };
    let first = page(1, &[("East", "120", "4,500"), ("West", "80", "9,100"), ("North", "14", "300")]);
    let second = page(2, &[("South", "31", "1,250"), ("Old", "7", "90"), ("Inner", "2", "15")]);
    insta::assert_snapshot!(shown(&[first, second], ""));
}

#[test]
fn a_page_that_is_turned_is_read_as_it_is_shown() {
    insta::assert_snapshot!(shown(&[aligned(380)], "/Rotate 90"));
}

#[test]
fn chinese_letters_of_a_font_that_is_not_there_are_known() {
    let hex: String = "收入合计".encode_utf16().map(|u| format!("{u:04X}")).collect();
    let page = format!("BT /F3 12 Tf 60 400 Td <{hex}> Tj ET\n");
    let document = read(super::read, "a.pdf", &pdf(&[page], "")).unwrap();
    assert_eq!(document.blocks[0].text().unwrap().text, "收入合计");
}

#[test]
fn every_cell_stands_in_the_box_that_is_told() {
    let document = read(super::read, "a.pdf", &pdf(&[ruled()], "")).unwrap();
    let table = document.blocks.iter().find_map(|b| match b {
        tabletalk_core::Block::Table(table) => Some(table),
        _ => None,
    });
    let place = table.unwrap().cell_place(3, 2);
    let [left, top, right, bottom] = place.bbox.unwrap();
    // `2,250` was written at 150, 366 from the bottom of a page 500 high.
    assert!(left <= 150.0 && right >= 175.0 && top <= 127.0 && bottom >= 134.0, "{place:?}");
    assert_eq!(place.page, Some(1));
}

#[test]
fn pages_that_contain_themselves_and_files_cut_short_are_refused_or_read() {
    let cyclic = file(&[
        "<< /Type /Catalog /Pages 2 0 R >>".into(),
        "<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>".into(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R /Resources 3 0 R >>".into(),
    ]);
    let _ = read(super::read, "a.pdf", &cyclic);
    let whole = pdf(&[ruled(), aligned(380)], "");
    for end in (0..whole.len()).step_by(97) {
        let _ = read(super::read, "a.pdf", &whole[..end]);
    }
}

#[test]
fn many_pages_are_read() {
    let pages: Vec<String> =
        (1..=300).map(|i| text(60, 400, 10, &format!("Chapter {i} begins here"))).collect();
    let document = read(super::read, "a.pdf", &pdf(&pages, "")).unwrap();
    assert_eq!(document.fields["pages"], 300);
    assert_eq!(document.blocks.len(), 300);
}

#[test]
fn no_row_at_the_edge_of_a_page_is_taken_for_a_running_head() {
    let page = |p: u32| -> String {
        let row = |i: u32| {
            let y = 470 - 14 * i;
            text(60, y, 10, &format!("Row {}", p * 30 + i))
                + &text(160, y, 10, &format!("{}", p * i))
                + &text(260, y, 10, "7.5")
        };
        (0..30).map(row).collect()
    };
    let document = read(super::read, "a.pdf", &pdf(&[page(1), page(2), page(3), page(4)], "")).unwrap();
    let rows: usize = document
        .blocks
        .iter()
        .map(|b| match b {
            tabletalk_core::Block::Table(table) => match &table.rows {
                tabletalk_core::Rows::Memory(batches) => {
                    batches.iter().map(|b| b.len()).sum::<usize>() + table.header_rows as usize
                }
                tabletalk_core::Rows::Stream(_) => 0,
            },
            _ => 0,
        })
        .sum();
    assert_eq!(rows, 120);
}

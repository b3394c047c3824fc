//! Results and tables as files that other programs open: CSV and XLSX.

use crate::{Error, Result};
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};

/// The most rows of a sheet, its header counted: XLSX has no more.
pub const SHEET_ROWS: usize = 1_048_576;
/// The most characters of a cell of a sheet.
const CELL: usize = 32_767;
/// The most digits that a number of a sheet keeps; longer ones are names, such as those of accounts.
const DIGITS: usize = 15;

/// Rows under names, as CSV.
pub fn csv(columns: &[String], rows: &[Vec<String>]) -> String {
    std::iter::once(columns).chain(rows.iter().map(Vec::as_slice)).map(csv_line).collect()
}

/// One line of CSV.
pub fn csv_line(cells: &[String]) -> String {
    let cell = |c: &String| match c.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", c.replace('"', "\"\"")),
        false => c.clone(),
    };
    cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
}

/// Rows under names, as a workbook of one sheet. Numbers and days become such.
pub fn xlsx(columns: &[String], rows: &[Vec<String>]) -> Result<Vec<u8>> {
    if rows.len() >= SHEET_ROWS {
        return Err(Error::limit(format!("a sheet has at most {} rows below its header", SHEET_ROWS - 1))
            .hint("take it along as CSV"));
    }
    let failed = |e: XlsxError| Error::input(format!("the sheet cannot be written: {e}"));
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    let (bold, day) = (Format::new().set_bold(), Format::new().set_num_format("yyyy-mm-dd"));
    for (col, name) in columns.iter().enumerate() {
        sheet.write_with_format(0, col as u16, name.as_str(), &bold).map_err(failed)?;
    }
    for (row, cells) in rows.iter().enumerate() {
        for (col, cell) in cells.iter().enumerate() {
            write(sheet, row as u32 + 1, col as u16, cell, &day).map_err(failed)?;
        }
    }
    sheet.set_freeze_panes(1, 0).map_err(failed)?;
    sheet.autofit();
    book.save_to_buffer().map_err(failed)
}

fn write(sheet: &mut Worksheet, row: u32, col: u16, cell: &str, day: &Format) -> Result<(), XlsxError> {
    if cell.is_empty() {
        return Ok(());
    }
    if let Some(number) = plain_number(cell) {
        return sheet.write(row, col, number).map(drop);
    }
    if let Some(date) = plain_day(cell) {
        return sheet.write_with_format(row, col, &date, day).map(drop);
    }
    let short: String = cell.chars().take(CELL).collect();
    sheet.write_string(row, col, short).map(drop)
}

/// A text that is a number and nothing else: `007` and long account numbers are names.
fn plain_number(cell: &str) -> Option<f64> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.') && digits.len() <= DIGITS;
    let is_name = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if is_plain && !is_name { cell.parse().ok() } else { None }
}

fn plain_day(cell: &str) -> Option<rust_xlsxwriter::ExcelDateTime> {
    let day: jiff::civil::Date = Some(cell).filter(|c| c.len() == 10)?.parse().ok()?;
    rust_xlsxwriter::ExcelDateTime::from_ymd(day.year() as u16, day.month() as u8, day.day() as u8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> (Vec<String>, Vec<Vec<String>>) {
        let text = |list: &[&str]| list.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        (text(&["city", "n"]), vec![text(&["Oslo, \"N\"", "007"]), text(&["=1+1", "2.5"])])
    }

    #[test]
    fn signs_that_part_cells_are_quoted() {
        let (columns, rows) = rows();
        assert_eq!(csv(&columns, &rows), "city,n\n\"Oslo, \"\"N\"\"\",007\n=1+1,2.5\n");
    }

    #[test]
    fn numbers_are_numbers_and_names_stay_names() {
        assert_eq!(plain_number("2.5"), Some(2.5));
        assert_eq!(plain_number("-3"), Some(-3.0));
        for name in ["007", "12345678901234567890", "1e5", "", "=1+1", "1.2.3"] {
            assert_eq!(plain_number(name), None, "{name}");
        }
        assert!(plain_day("2023-05-01").is_some() && plain_day("2023-05").is_none());
    }

    #[test]
    fn a_workbook_is_read_back_as_it_was() {
        let (columns, rows) = rows();
        let dir = tempfile::tempdir().unwrap();
        let library = crate::open(&crate::Config::default(), &dir.path().join("l"), true).unwrap();
        let file = dir.path().join("out.xlsx");
        std::fs::write(&file, xlsx(&columns, &rows).unwrap()).unwrap();
        let options = crate::AddOptions { no_embed: true, ..Default::default() };
        library.add(&[file], &options, &crate::Unwatched).unwrap();
        let ran = library.sql("SELECT city, n FROM out ORDER BY n").unwrap();
        let cells: Vec<String> = ran.rows.iter().flatten().map(ToString::to_string).collect();
        assert!(cells.contains(&"=1+1".to_owned()) && cells.contains(&"Oslo, \"N\"".to_owned()), "{cells:?}");
    }
}

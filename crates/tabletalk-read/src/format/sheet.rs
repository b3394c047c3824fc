//! Reads workbooks: XLSX, XLSM, XLSB, XLS and ODS.

mod formula;
mod look;
mod package;
#[cfg(test)]
mod tests;

use crate::grid::{Grid, Rect};
use crate::{source, understand};
use calamine::{Data, DataRef, Dimensions, Ods, Reader as _, SheetType, SheetVisible, Xls, Xlsb, Xlsx};
use formula::Calc;
use look::{Look, Looks};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tabletalk_core::seam::{Documents, Limits, Source, Stop};
use tabletalk_core::{Block, Document, Error, Fault, Place, Rejection, Result};

const ZIP: &[u8] = b"PK\x03\x04";

/// Reads workbooks.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    let bytes = source::bytes(source)?;
    // The decoder indexes into what the file says, and a damaged or hostile file can make it panic.
    let read = catch_unwind(AssertUnwindSafe(|| document(&bytes, source)));
    let document =
        read.unwrap_or_else(|_| Err(Error::input("is damaged: its content contradicts itself")))?;
    source::one(document)
}

fn document(bytes: &[u8], source: &Source<'_>) -> Result<Document> {
    if bytes.is_empty() {
        return Err(Error::input("is empty"));
    }
    let mut book = Book::new(source);
    if bytes.starts_with(ZIP) {
        match package::kind(bytes, source.limits)? {
            package::Kind::Xlsx => xlsx(bytes, &mut book)?,
            package::Kind::Xlsb => xlsb(bytes, &mut book)?,
            package::Kind::Ods => ods(bytes, &mut book)?,
        }
    } else if crate::format::office::is_encrypted(bytes) {
        return Err(encrypted());
    } else if bytes.starts_with(b"PK") {
        return Err(Error::input("is an empty or split archive, not a workbook"));
    } else {
        xls(bytes, &mut book)?;
    }
    book.finish()
}

fn encrypted() -> Error {
    Error::input("is encrypted with a password").hint("save it without a password")
}

fn damaged(e: impl Display) -> Error {
    let e = e.to_string();
    if e.to_lowercase().contains("password") {
        return encrypted();
    }
    if e.starts_with("Cell limit exceeded") {
        return Error::limit("says that it has more cells than can be held in memory");
    }
    Error::input(format!("is damaged or not a workbook: {e}"))
}

/// What has been read of a workbook.
struct Book<'a> {
    document: Document,
    place: Place,
    limits: &'a Limits,
    stop: Stop,
    cells: u64,
    sheets: usize,
    failed: Option<Error>,
}

impl<'a> Book<'a> {
    fn new(source: &Source<'a>) -> Self {
        let (document, place) = (Document::default(), Place::file(source.name));
        let stop = source.stop.clone();
        Book { document, place, limits: source.limits, stop, cells: 0, sheets: 0, failed: None }
    }
    /// A sheet to be read.
    fn page(&self) -> Page<'a> {
        Page {
            grid: Grid::new(),
            left: self.limits.max_cells.saturating_sub(self.cells),
            limits: self.limits,
            stop: self.stop.clone(),
            text: String::new(),
            empty: HashMap::new(),
        }
    }
    /// Takes a sheet, or says why it cannot be taken; a limit ends the whole workbook.
    fn add(&mut self, sheet: &calamine::Sheet, grid: Result<Grid>) -> Result<()> {
        let place = self.place.clone().sheet(&sheet.name);
        match grid {
            Ok(grid) => {
                self.sheets += 1;
                self.cells += grid.len() as u64;
                if sheet.visible != SheetVisible::Visible && !grid.is_empty() {
                    self.document.warnings.push(format!("the sheet {} is hidden", sheet.name));
                }
                let mut blocks = understand::blocks(&grid, &place);
                self.document.rejected.extend(crate::guard::missed(&grid, &blocks, &place));
                give_context(&mut blocks, &sheet.name);
                self.document.blocks.append(&mut blocks);
            }
            Err(e) if e.fault() == Fault::Limit => return Err(e.at(&sheet.name)),
            Err(e) => {
                self.document.rejected.push(Rejection { place, reason: e.to_string() });
                self.failed = Some(e.at(&sheet.name));
            }
        }
        Ok(())
    }
    fn finish(self) -> Result<Document> {
        match self.failed {
            Some(e) if self.sheets == 0 => Err(e),
            _ => Ok(self.document),
        }
    }
}

/// A table knows the name of its sheet, where that says something, and the line of text before it.
fn give_context(blocks: &mut [Block], sheet: &str) {
    let lower = sheet.to_lowercase();
    let plain = ["sheet", "tabelle", "feuil", "hoja", "工作表", "table"].iter().any(|w| lower.starts_with(w));
    let (mut before, mut last_title) = (String::new(), String::new());
    for block in blocks {
        match block {
            Block::Table(table) => {
                // A form above a table often takes the title of both.
                match &table.title {
                    Some(title) => last_title.clone_from(&title.text),
                    None if before.is_empty() => before.clone_from(&last_title),
                    None => {}
                }
                let name = if plain { "" } else { sheet };
                let lines = [name, before.as_str()].into_iter().filter(|s| !s.is_empty());
                table.context = lines.collect::<Vec<_>>().join("\n");
                before.clear();
            }
            other => before = other.text().map(|t| t.text.clone()).unwrap_or_default(),
        }
    }
}

/// A sheet that is being read.
struct Page<'a> {
    grid: Grid,
    /// How many more cells may come.
    left: u64,
    limits: &'a Limits,
    stop: Stop,
    text: String,
    /// How empty cells would be shown: a formula without its value is one.
    empty: HashMap<(u32, u32), Look>,
}

impl Page<'_> {
    /// Takes a cell at a row and column counted from 0.
    fn push(&mut self, (row, col): (u32, u32), data: &DataRef<'_>, look: Look) -> Result<()> {
        if matches!(data, DataRef::Empty) {
            return Ok(());
        }
        self.stop.check()?;
        self.left =
            self.left.checked_sub(1).ok_or_else(|| over(self.limits.max_cells, "cells", "max_cells"))?;
        if col >= self.limits.max_columns {
            return Err(over(self.limits.max_columns.into(), "columns", "max_columns"));
        }
        self.text.clear();
        let value = look::write(data, look, &mut self.text);
        if self.text.len() > self.limits.max_cell_bytes {
            return Err(over(self.limits.max_cell_bytes as u64, "bytes in a cell", "max_cell_bytes"));
        }
        self.grid.push(row.saturating_add(1), col.saturating_add(1), &self.text, value, look.bold);
        Ok(())
    }
    fn range(mut self, range: &calamine::Range<Data>, merges: Vec<Rect>) -> Result<Grid> {
        let (top, left) = range.start().unwrap_or_default();
        for (row, col, data) in range.used_cells() {
            let at = (top.saturating_add(row as u32), left.saturating_add(col as u32));
            self.push(at, &look::borrowed(data), Look::default())?;
        }
        self.grid.finish(merges);
        Ok(self.grid)
    }
}

fn over(most: u64, what: &str, key: &str) -> Error {
    Error::limit(format!("has more than {most} {what}")).hint(format!("raise {key}"))
}

fn rect(d: &Dimensions) -> Rect {
    let ((top, left), (bottom, right)) = (d.start, d.end);
    Rect::new(top, left, bottom.max(top), right.max(left)).from_zero()
}

fn worksheets(sheets: &[calamine::Sheet]) -> Vec<calamine::Sheet> {
    let kept = |s: &&calamine::Sheet| !matches!(s.typ, SheetType::ChartSheet | SheetType::Vba);
    sheets.iter().filter(kept).cloned().collect()
}

fn xlsx(bytes: &[u8], book: &mut Book<'_>) -> Result<()> {
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut package = package::Package::open(bytes)?;
    for sheet in worksheets(workbook.sheets_metadata()) {
        let read = xlsx_cells(&mut workbook, &sheet.name, book.page());
        let grid = read.and_then(|mut page| {
            let layout = package.layout(&sheet.name, book.limits)?;
            if layout.has_formulas {
                page = computed(&mut workbook, &sheet.name, page, book)?;
            }
            let mut grid = page.grid;
            grid.finish(layout.merges);
            layout.hidden_rows.iter().for_each(|r| grid.hide_row(*r));
            layout.hidden_cols.iter().flat_map(|(a, b)| *a..=*b).for_each(|c| grid.hide_col(c));
            Ok(grid)
        });
        book.add(&sheet, grid)?;
    }
    Ok(())
}

/// The formulas of a sheet that were saved without their value, by row and column from 1.
fn bare_formulas(workbook: &mut Xlsx<Bytes<'_>>, sheet: &str) -> Result<BTreeMap<(u32, u32), String>> {
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(damaged)?;
    let mut found = BTreeMap::new();
    while let Some(cell) = cells.next_cell_with_formula().map_err(damaged)? {
        if let (DataRef::Empty, Some(formula)) = (cell.value, cell.formula) {
            found.insert((cell.pos.0.saturating_add(1), cell.pos.1.saturating_add(1)), formula);
        }
    }
    Ok(found)
}

/// A sheet with the values of formulas that were saved without one, as far as they can be computed. The user is
/// told of each.
fn computed<'a>(
    workbook: &mut Xlsx<Bytes<'_>>,
    sheet: &str,
    mut page: Page<'a>,
    book: &mut Book<'a>,
) -> Result<Page<'a>> {
    let formulas = bare_formulas(workbook, sheet)?;
    if formulas.is_empty() {
        return Ok(page);
    }
    page.grid.finish(Vec::new());
    let mut own = Some(formula::Page { grid: std::mem::take(&mut page.grid), formulas: formulas.clone() });
    let mut calc = Calc::new(|name| {
        if name == sheet {
            return own.take();
        }
        let mut grid = xlsx_cells(workbook, name, book.page()).ok()?.grid;
        grid.finish(Vec::new());
        Some(formula::Page { grid, formulas: bare_formulas(workbook, name).ok()? })
    });
    let places: Vec<(u32, u32)> = formulas.keys().copied().collect();
    let values = calc.values(sheet, &places);
    let taken = calc.take(sheet);
    drop(calc);
    page.grid = taken.or(own).map(|page| page.grid).unwrap_or_default();
    for ((row, col), value) in formulas.keys().zip(&values) {
        if let Some(value) = value {
            let at = (row - 1, col - 1);
            let look = page.empty.get(&at).copied().unwrap_or_default();
            page.push(at, &DataRef::Float(*value), look)?;
        }
    }
    let with = |is: fn(&Option<f64>) -> bool| {
        formulas.iter().zip(&values).filter(move |(_, value)| is(value)).map(|(formula, _)| formula)
    };
    let (known, unknown) = (with(Option::is_some), with(Option::is_none));
    let warnings = [
        told(sheet, known, "saved without a value, computed here"),
        told(sheet, unknown, "saved without a value that cannot be computed here, so that cells are empty"),
    ];
    book.document.warnings.extend(warnings.into_iter().flatten());
    Ok(page)
}

/// What is said of formulas.
fn told<'f>(
    sheet: &str,
    formulas: impl Iterator<Item = (&'f (u32, u32), &'f String)>,
    what: &str,
) -> Option<String> {
    const LISTED: usize = 20;
    let place = |((row, col), formula): (&(u32, u32), &String)| {
        let cell =
            Place::default().cells(u64::from(*row)..=u64::from(*row), *col..=*col).a1().unwrap_or_default();
        format!("{cell} ={}", formula.chars().take(60).collect::<String>())
    };
    let all: Vec<String> = formulas.map(place).collect();
    let more = all.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let listed = all.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ");
    (!all.is_empty()).then(|| format!("sheet {sheet}: formulas {what} ({}): {listed}{more}", all.len()))
}

type Bytes<'a> = Cursor<&'a [u8]>;

fn xlsx_cells<'a>(workbook: &mut Xlsx<Bytes<'_>>, name: &str, mut page: Page<'a>) -> Result<Page<'a>> {
    let mut cells = workbook.worksheet_cells_reader(name).map_err(damaged)?;
    let looks = Looks::of(cells.styles());
    while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(damaged)? {
        let look = looks.get(style);
        if matches!(cell.get_value(), DataRef::Empty) && look != Look::default() {
            page.empty.insert(cell.get_position(), look);
        }
        page.push(cell.get_position(), cell.get_value(), look)?;
    }
    Ok(page)
}

fn xlsb(bytes: &[u8], book: &mut Book<'_>) -> Result<()> {
    let mut workbook: Xlsb<_> = Xlsb::new(Cursor::new(bytes)).map_err(damaged)?;
    for sheet in worksheets(workbook.sheets_metadata()) {
        let grid = xlsb_cells(&mut workbook, &sheet.name, book.page());
        book.add(&sheet, grid)?;
    }
    Ok(())
}

fn xlsb_cells(workbook: &mut Xlsb<Bytes<'_>>, name: &str, mut page: Page<'_>) -> Result<Grid> {
    let mut cells = workbook.worksheet_cells_reader(name).map_err(damaged)?;
    while let Some(cell) = cells.next_cell().map_err(damaged)? {
        page.push(cell.get_position(), cell.get_value(), Look::default())?;
    }
    page.grid.finish(Vec::new());
    Ok(page.grid)
}

fn xls(bytes: &[u8], book: &mut Book<'_>) -> Result<()> {
    let mut workbook: Xls<_> = Xls::new(Cursor::new(bytes)).map_err(damaged)?;
    for sheet in worksheets(workbook.sheets_metadata()) {
        let merges = workbook.merge_cells_by_sheet_name(&sheet.name).unwrap_or_default();
        let range = workbook.worksheet_range(&sheet.name).map_err(damaged);
        let grid = range.and_then(|r| book.page().range(&r, merges.iter().map(rect).collect()));
        book.add(&sheet, grid)?;
    }
    Ok(())
}

fn ods(bytes: &[u8], book: &mut Book<'_>) -> Result<()> {
    let mut workbook: Ods<_> = Ods::new(Cursor::new(bytes)).map_err(damaged)?;
    for sheet in worksheets(workbook.sheets_metadata()) {
        let range = workbook.worksheet_range(&sheet.name).map_err(damaged);
        let grid = range.and_then(|r| book.page().range(&r, Vec::new()));
        book.add(&sheet, grid)?;
    }
    Ok(())
}

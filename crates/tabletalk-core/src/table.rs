//! A table as it was understood: columns with types, rows in batches, every cell with its address.

use crate::place::{Place, Placed, Rejection};
use crate::{Home, Result, value};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::{DataType, TimeUnit};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Whole numbers (`Int64`).
    Integer,
    /// Numbers with decimals (`Float64`).
    Decimal,
    /// True or false (`Boolean`).
    Boolean,
    /// A day (`Date32`).
    Date,
    /// A day and a time (`Timestamp` in microseconds, no zone).
    DateTime,
    /// Anything else (`Utf8`).
    Text,
}

impl Kind {
    /// The Arrow type the values of such a column have.
    pub fn arrow(self) -> DataType {
        match self {
            Kind::Integer => DataType::Int64,
            Kind::Decimal => DataType::Float64,
            Kind::Boolean => DataType::Boolean,
            Kind::Date => DataType::Date32,
            Kind::DateTime => DataType::Timestamp(TimeUnit::Microsecond, None),
            Kind::Text => DataType::Utf8,
        }
    }
    /// The lower-case name of the type, as in configuration and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Decimal => "decimal",
            Kind::Boolean => "boolean",
            Kind::Date => "date",
            Kind::DateTime => "datetime",
            Kind::Text => "text",
        }
    }
    /// Whether values have an order that a minimum and a maximum say something about.
    pub fn is_ordered(self) -> bool {
        matches!(self, Kind::Integer | Kind::Decimal | Kind::Date | Kind::DateTime)
    }
}

/// A column: its name made readable and unique, and what its cells are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The name, unique in its table; the levels of a multi-row header joined by ` / `.
    pub name: String,
    /// The type of its values.
    pub kind: Kind,
    /// The unit all its values are in, such as `%`, `USD`, `千元`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<String>,
    /// The column number in the source, from 1.
    pub col: u32,
    /// Hidden in the source.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub hidden: bool,
    /// The most decimals any of its values is written with.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub decimals: u8,
    /// How its numbers are written.
    #[serde(skip_serializing_if = "value::Style::is_plain", default)]
    pub style: value::Style,
    /// The columns it is the sum of in every row, by their numbers in the source: a column `Total` beside its months.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sum_of: Vec<u32>,
    /// The columns it is the average of in every row, by their numbers in the source.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub average_of: Vec<u32>,
    /// What was counted over all its rows; known once the table is in a library.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stats: Option<Stats>,
}

/// What was counted over all rows of a column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Cells that are not empty.
    pub filled: u64,
    /// Distinct values.
    pub distinct: u64,
    /// The smallest and the largest value, in number and date columns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub range: Option<(String, String)>,
    /// The most frequent values.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub frequent: Vec<String>,
}

fn is_zero(n: &u8) -> bool {
    *n == 0
}

impl Column {
    /// A column with this name, type and source column.
    pub fn new(name: impl Into<String>, kind: Kind, col: u32) -> Self {
        Column {
            name: name.into(),
            kind,
            unit: None,
            col,
            hidden: false,
            decimals: 0,
            style: value::Style::default(),
            sum_of: Vec::new(),
            average_of: Vec::new(),
            stats: None,
        }
    }
    /// Whether its values are made of those of other columns, so that adding it to them counts them twice.
    pub fn is_derived(&self) -> bool {
        !self.sum_of.is_empty() || !self.average_of.is_empty()
    }
}

/// What kind of row a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// An ordinary row.
    #[default]
    Data,
    /// The sum of a part of the rows above or below it.
    Subtotal,
    /// The sum of all.
    Total,
    /// A line that only names the section below it.
    Section,
    /// A row of data that is hidden in the source.
    Hidden,
    /// Made of other rows otherwise than by adding: a balance, an average.
    Derived,
}

impl Mark {
    /// The marks in the order of their stored numbers.
    pub const ALL: [Mark; 6] =
        [Mark::Data, Mark::Subtotal, Mark::Total, Mark::Section, Mark::Hidden, Mark::Derived];

    /// Whether the row is counted and added up. The others say again what rows of data say already.
    pub fn is_data(self) -> bool {
        matches!(self, Mark::Data | Mark::Hidden)
    }
}

/// The cells of one column in one batch.
///
/// `text` holds what was written, where that differs from the plain way of writing the value: `None`
/// says that no cell differs, a null in it that this cell does not. A cell whose text is there and whose
/// value is null could not be read as the column's type. Both null: an empty cell.
#[derive(Debug, Clone)]
pub struct Cells {
    /// The typed values; the Arrow type is that of the column's [`Kind`].
    pub value: ArrayRef,
    /// The original text, see above. Always `None` in text columns.
    pub text: Option<StringArray>,
}

impl Cells {
    /// What is written in row `i` of the batch; empty for an empty cell.
    pub fn text(&self, i: usize) -> Cow<'_, str> {
        match &self.text {
            Some(text) if !text.is_null(i) => Cow::Borrowed(text.value(i)),
            _ => plain(&self.value, i),
        }
    }
    /// Whether the cell is empty.
    pub fn is_empty(&self, i: usize) -> bool {
        self.value.is_null(i) && self.text.as_ref().is_none_or(|t| t.is_null(i))
    }
    /// Whether the text could not be read as the column's type.
    pub fn is_stray(&self, i: usize) -> bool {
        self.value.is_null(i) && !self.is_empty(i)
    }
}

/// The plain way of writing a value: `1200`, `0.5`, `true`, `2023-09-01`, `2023-09-01 08:30:00`.
pub fn plain(array: &ArrayRef, i: usize) -> Cow<'_, str> {
    if array.is_null(i) {
        return Cow::Borrowed("");
    }
    match array.data_type() {
        DataType::Utf8 => Cow::Borrowed(array.as_string::<i32>().value(i)),
        DataType::Int64 => Cow::Owned(array.as_primitive::<Int64Type>().value(i).to_string()),
        DataType::Float64 => Cow::Owned(value::plain_decimal(array.as_primitive::<Float64Type>().value(i))),
        DataType::Boolean => Cow::Borrowed(if array.as_boolean().value(i) { "true" } else { "false" }),
        DataType::Date32 => Cow::Owned(value::plain_date(array.as_primitive::<Date32Type>().value(i))),
        DataType::Timestamp(_, _) => {
            Cow::Owned(value::plain_datetime(array.as_primitive::<TimestampMicrosecondType>().value(i)))
        }
        _ => Cow::Borrowed(""),
    }
}

/// A run of rows, column by column.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The row number of each row in the source, from 1.
    pub rows: Vec<u64>,
    /// The position of the first byte of each row, in text formats; empty elsewhere.
    pub bytes: Vec<u64>,
    /// What kind of row each is; empty when all are data.
    pub marks: Vec<Mark>,
    /// The cells, one entry a column, in the order of the table's columns.
    pub columns: Vec<Cells>,
}

impl Batch {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// What kind of row row `i` is.
    pub fn mark(&self, i: usize) -> Mark {
        self.marks.get(i).copied().unwrap_or_default()
    }
}

/// Rows that come one batch at a time, so that a table larger than memory can be read.
pub trait RowStream: Send {
    /// The next batch, or `None` after the last.
    fn next_batch(&mut self) -> Result<Option<Batch>>;
    /// The rows that could not be taken, asked for after the last batch.
    fn rejected(&mut self) -> Vec<Rejection> {
        Vec::new()
    }
    /// What the user should know though nothing was lost, asked for after the last batch.
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// How many rows of data the source has, counted apart from taking them; asked for after the last batch.
    fn rows_in(&self) -> Option<u64> {
        None
    }
    /// How far the source has been read, in bytes, for the progress bar.
    fn bytes_read(&self) -> u64 {
        0
    }
}

/// The rows of a table: small ones in memory, large ones as a stream.
pub enum Rows {
    /// All rows.
    Memory(Vec<Batch>),
    /// Rows still to be read.
    Stream(Box<dyn RowStream>),
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rows::Memory(batches) => f.debug_tuple("Memory").field(&batches.len()).finish(),
            Rows::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl Default for Rows {
    fn default() -> Self {
        Rows::Memory(Vec::new())
    }
}

/// Where the rows and columns of a table stand on pages. Distances are in points from the top left corner.
///
/// Of a table that lies on its side the rows have a left and a right, and the columns a top and a bottom.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The page of each row with its top and bottom, the header's rows included.
    pub rows: Vec<(u32, f32, f32)>,
    /// The left and right of each column.
    pub cols: Vec<(f32, f32)>,
    /// The table lies on its side.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub sideways: bool,
    /// First row, first column, last row and last column, from 1, of each cell that reaches over several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub spans: Vec<[u32; 4]>,
}

impl Layout {
    /// The page and the box of rows and columns, both ends included; of rows on several pages the first page.
    pub fn area(&self, rows: (u64, u64), cols: (u32, u32)) -> Option<(u32, [f32; 4])> {
        let last = usize::try_from(rows.1).ok()?.min(self.rows.len());
        let rows = self.rows.get(usize::try_from(rows.0).ok()?.checked_sub(1)?..last)?;
        let cols =
            self.cols.get((cols.0 as usize).checked_sub(1)?..(cols.1 as usize).min(self.cols.len()))?;
        let page = rows.first()?.0;
        let rows = rows.iter().filter(|r| r.0 == page).map(|r| (r.1, r.2)).reduce(wider)?;
        let cols = cols.iter().copied().reduce(wider)?;
        let (x, y) = if self.sideways { (rows, cols) } else { (cols, rows) };
        Some((page, [x.0, y.0, x.1, y.1]))
    }

    /// The page and the box of a cell; of a spanning one all of it that is on its first page.
    pub fn cell(&self, row: u64, col: u32) -> Option<(u32, [f32; 4])> {
        let span = |s: &&[u32; 4]| {
            (u64::from(s[0])..=u64::from(s[2])).contains(&row) && (s[1]..=s[3]).contains(&col)
        };
        match self.spans.iter().find(span) {
            Some(s) => self.area((s[0].into(), s[2].into()), (s[1], s[3])),
            None => self.area((row, row), (col, col)),
        }
    }
}

fn wider(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// A table as it was understood.
///
/// It is stored without its rows as JSON; the rows stand beside it in columnar form.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Table {
    /// Where the whole table stands, header included.
    pub place: Place,
    /// What stands above it as its name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<Placed>,
    /// Remarks that belong to it: units, footnotes, sources.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<Placed>,
    /// Every non-empty header cell as it stands in the source.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub header: Vec<Placed>,
    /// How many rows the header has.
    pub header_rows: u32,
    /// How many columns at the left name the row they stand in.
    #[serde(default)]
    pub row_headers: u32,
    /// Headings and text around it that say what it is about.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub context: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// Where its rows and columns stand, in formats with pages.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub layout: Option<Layout>,
    /// Where its rows live, where those that are here are a sample of what a database has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub home: Option<Box<Home>>,
    /// The rows.
    #[serde(skip)]
    pub rows: Rows,
}

impl Table {
    /// Names this file in every place of the table: the name is stored once, with the document.
    pub fn set_file(&mut self, file: &str) {
        let placed = self.title.iter_mut().chain(&mut self.notes).chain(&mut self.header);
        for place in placed.map(|p| &mut p.place).chain([&mut self.place]) {
            file.clone_into(&mut place.file);
        }
    }

    /// Where a cell stands: its row and column and, where they are known, its page and box.
    pub fn cell_place(&self, row: u64, col: u32) -> Place {
        self.at((row, row), Some((col, col)), |l| l.cell(row, col))
    }

    /// Where rows stand, or the cells of some columns in them, both ends included.
    pub fn place_of(&self, rows: (u64, u64), cols: Option<(u32, u32)>) -> Place {
        let all = || Some((1, u32::try_from(self.layout.as_ref()?.cols.len()).ok()?));
        self.at(rows, cols.or(self.place.cols), |l| l.area(rows, cols.or_else(all)?))
    }

    fn at(
        &self,
        rows: (u64, u64),
        cols: Option<(u32, u32)>,
        find: impl FnOnce(&Layout) -> Option<(u32, [f32; 4])>,
    ) -> Place {
        let mut place = Place { rows: Some(rows), cols, ..self.place.clone() };
        if let Some((page, bbox)) = self.layout.as_ref().and_then(find) {
            (place.page, place.bbox) = (Some(page), Some(bbox));
        }
        place
    }

    /// The title, or an empty string.
    pub fn title(&self) -> &str {
        self.title.as_ref().map_or("", |t| &t.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let rows = vec![(1, 10.0, 20.0), (1, 20.0, 30.0), (2, 5.0, 15.0)];
        let cols = vec![(0.0, 50.0), (50.0, 90.0)];
        Layout { rows, cols, sideways: false, spans: vec![[1, 1, 1, 2]] }
    }

    #[test]
    fn a_cell_has_the_box_of_its_row_and_column() {
        let table = Table { layout: Some(layout()), ..Table::default() };
        let place = table.cell_place(3, 2);
        assert_eq!((place.page, place.bbox), (Some(2), Some([50.0, 5.0, 90.0, 15.0])));
        assert_eq!(place.a1().as_deref(), Some("B3"));
    }

    #[test]
    fn a_spanning_cell_has_the_whole_box_and_a_table_on_its_side_is_turned() {
        assert_eq!(layout().cell(1, 2), Some((1, [0.0, 10.0, 90.0, 20.0])));
        let turned = Layout { sideways: true, ..layout() };
        assert_eq!(turned.cell(2, 1), Some((1, [20.0, 0.0, 30.0, 50.0])));
    }

    #[test]
    fn rows_over_two_pages_have_the_box_on_the_first() {
        let table = Table { layout: Some(layout()), ..Table::default() };
        let place = table.place_of((2, 3), None);
        assert_eq!((place.page, place.bbox), (Some(1), Some([0.0, 20.0, 90.0, 30.0])));
        assert_eq!(layout().cell(9, 1), None);
    }
}

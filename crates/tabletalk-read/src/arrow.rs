//! Tables that come as Arrow record batches, from a Parquet file or from a program's memory: batch by batch, and columns that
//! are as they should be are not copied.

use crate::typing::{Builder, Raw, Shape};
use crate::{guard, stream};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, SchemaRef, TimeUnit};
use std::sync::Arc;
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::value::{self, Value};
use tabletalk_core::{Batch, Block, Cells, Column, Document, Kind, Place, Result, RowStream, Table};

/// Rows of a batch.
pub(crate) const BATCH: usize = 8192;

/// Record batches of one schema, as they come.
pub type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Reads record batches as a document with one table; `rows` is how many there are, where that is known. Nothing is read from
/// the file that `source` names: there need not be one.
pub fn read_batches(
    source: &Source<'_>,
    schema: SchemaRef,
    batches: RecordBatches,
    rows: Option<u64>,
) -> Result<Documents> {
    let blocks = vec![Block::Table(table(source, schema, batches, rows)?)];
    let document = Document { blocks, ..Document::default() };
    Ok(guard::guarded(Box::new(std::iter::once(Ok(document))), source))
}

/// The table of record batches.
pub(crate) fn table(
    source: &Source<'_>,
    schema: SchemaRef,
    batches: RecordBatches,
    rows: Option<u64>,
) -> Result<Table> {
    let leaves = leaves(&RecordBatch::new_empty(schema));
    guard::check_width(leaves.len(), source.limits)?;
    let header: Vec<String> = leaves.iter().map(|leaf| leaf.name.clone()).collect();
    let kinds: Vec<Kind> = leaves.iter().map(|leaf| kind(leaf.array.data_type())).collect();
    let names = crate::understand::names(std::slice::from_ref(&header), header.len());
    let columns: Vec<Column> =
        (1..).zip(names).zip(&kinds).map(|((col, name), kind)| Column::new(name, *kind, col)).collect();
    let batches = Batches { batches, current: None, kinds, rows: 0, done: false };
    Ok(Table {
        place: Place::file(source.name),
        rows: stream::rows(batches, &columns, rows),
        columns,
        ..Table::default()
    })
}

struct Batches {
    batches: RecordBatches,
    /// What is left of a batch that was larger than ours.
    current: Option<RecordBatch>,
    kinds: Vec<Kind>,
    rows: u64,
    done: bool,
}

impl Batches {
    /// Some rows of the current batch, or of the next that has any.
    fn next_rows(&mut self) -> Result<Option<RecordBatch>> {
        let mut current = self.current.take();
        while current.as_ref().is_none_or(|batch| batch.num_rows() == 0) {
            let next = match self.done {
                true => Ok(None),
                false => self.batches.next().transpose(),
            };
            self.done = !matches!(next, Ok(Some(_)));
            current = next?;
            if current.is_none() {
                return Ok(None);
            }
        }
        Ok(current.map(|batch| {
            let rest = batch.num_rows().saturating_sub(BATCH);
            self.current = (rest > 0).then(|| batch.slice(BATCH, rest));
            batch.slice(0, batch.num_rows().min(BATCH))
        }))
    }
}

impl RowStream for Batches {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let Some(batch) = self.next_rows()? else { return Ok(None) };
        let leaves = leaves(&batch);
        let first = self.rows + 1;
        self.rows += batch.num_rows() as u64;
        let columns = leaves.iter().zip(&self.kinds).map(|(leaf, kind)| cells(leaf, *kind)).collect();
        Ok(Some(Batch { rows: (first..=self.rows).collect(), columns, ..Batch::default() }))
    }
}

/// A column of a batch.
struct Leaf {
    name: String,
    array: ArrayRef,
    /// Rows where the structure around it is there.
    within: Option<NullBuffer>,
}

/// The columns of a batch, those inside a structure with dotted names.
fn leaves(batch: &RecordBatch) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        add_leaves(Leaf { name: field.name().clone(), array: array.clone(), within: None }, &mut leaves);
    }
    leaves
}

fn add_leaves(leaf: Leaf, leaves: &mut Vec<Leaf>) {
    match (leaf.array.data_type(), leaf.array.as_struct_opt()) {
        (DataType::Struct(fields), Some(inner)) if !fields.is_empty() => {
            let within = NullBuffer::union(leaf.within.as_ref(), inner.nulls());
            for (field, array) in fields.iter().zip(inner.columns()) {
                let name = format!("{}.{}", leaf.name, field.name());
                add_leaves(Leaf { name, array: array.clone(), within: within.clone() }, leaves);
            }
        }
        _ => leaves.push(leaf),
    }
}

fn kind(of: &DataType) -> Kind {
    match of {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Kind::Integer,
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => Kind::Integer,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Kind::Decimal,
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => Kind::Decimal,
        DataType::Boolean => Kind::Boolean,
        DataType::Date32 => Kind::Date,
        DataType::Timestamp(..) | DataType::Date64 => Kind::DateTime,
        _ => Kind::Text,
    }
}

/// The cells of a column; those that are as they should be already are not copied.
fn cells(leaf: &Leaf, kind: Kind) -> Cells {
    let Leaf { array, within, .. } = leaf;
    if *array.data_type() == kind.arrow() && kind != Kind::Text && within.is_none() {
        return Cells { value: array.clone(), text: None };
    }
    let keys = array.as_any_dictionary_opt().filter(|d| !d.values().is_empty());
    let (array, keys) = match keys {
        Some(dictionary) => (dictionary.values(), Some(dictionary.normalized_keys())),
        None => (array, None),
    };
    let is_there = |i: usize| !leaf.array.is_null(i) && within.as_ref().is_none_or(|nulls| nulls.is_valid(i));
    let mut builder = Builder::new(&Shape { kind, ..Shape::TEXT }, array.len());
    for i in 0..leaf.array.len() {
        let at = keys.as_ref().map_or(Some(i), |keys| keys.get(i).copied()).filter(|_| is_there(i));
        match at.map(|i| cell(array, i)) {
            None => builder.push_text(""),
            Some((text, None)) => builder.push_text(&text),
            Some((text, value)) => builder.push(Raw { text: &text, value }),
        }
    }
    builder.finish()
}

/// A cell as text, and as a value where it is one.
fn cell(array: &ArrayRef, i: usize) -> (String, Option<Value>) {
    if array.is_null(i) {
        return Default::default();
    }
    if let Some(v) = integer(array, i) {
        return (String::new(), Some(Value::Integer(v)));
    }
    let decimal = |v: f64| (String::new(), Some(Value::Decimal(v)));
    match array.data_type() {
        DataType::Float16 => decimal(array.as_primitive::<Float16Type>().value(i).to_f64()),
        // Through text, so that 0.1 stays 0.1.
        DataType::Float32 => {
            decimal(array.as_primitive::<Float32Type>().value(i).to_string().parse().unwrap_or(0.0))
        }
        DataType::Decimal32(_, scale) => {
            scaled(array.as_primitive::<Decimal32Type>().value(i).into(), *scale)
        }
        DataType::Decimal64(_, scale) => {
            scaled(array.as_primitive::<Decimal64Type>().value(i).into(), *scale)
        }
        DataType::Decimal128(_, scale) => scaled(array.as_primitive::<Decimal128Type>().value(i), *scale),
        DataType::Timestamp(unit, _) => (String::new(), Some(Value::DateTime(micros(array, unit, i)))),
        DataType::Date64 => {
            (String::new(), Some(Value::DateTime(array.as_primitive::<Date64Type>().value(i) * 1000)))
        }
        _ => (text(array, i), None),
    }
}

fn integer(array: &ArrayRef, i: usize) -> Option<i64> {
    Some(match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(i).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(i).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(i).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(i),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(i).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(i).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(i).into(),
        DataType::UInt64 => i64::try_from(array.as_primitive::<UInt64Type>().value(i)).ok()?,
        _ => return None,
    })
}

fn micros(array: &ArrayRef, unit: &TimeUnit, i: usize) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(i).saturating_mul(1_000_000),
        TimeUnit::Millisecond => {
            array.as_primitive::<TimestampMillisecondType>().value(i).saturating_mul(1000)
        }
        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(i),
        TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(i).div_euclid(1000),
    }
}

/// A number with `scale` decimals; its text is kept, for it may have more digits than a value can hold.
fn scaled(digits: i128, scale: i8) -> (String, Option<Value>) {
    let mut text = digits.unsigned_abs().to_string();
    match usize::try_from(scale) {
        Ok(scale) if scale > 0 => {
            if text.len() <= scale {
                text.insert_str(0, &"0".repeat(scale + 1 - text.len()));
            }
            text.insert(text.len() - scale, '.');
        }
        _ => text.push_str(&"0".repeat(scale.unsigned_abs().into())),
    }
    if digits < 0 {
        text.insert(0, '-');
    }
    let value = text.parse().ok().map(Value::Decimal);
    (text, value)
}

/// What is written for a value that is no number.
fn text(array: &ArrayRef, i: usize) -> String {
    if array.is_null(i) {
        return String::new();
    }
    match array.data_type() {
        // Its values are none, though each for itself is not said to be null.
        DataType::Null => String::new(),
        DataType::Utf8 => array.as_string::<i32>().value(i).to_owned(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(i).to_owned(),
        DataType::Utf8View => array.as_string_view().value(i).to_owned(),
        DataType::Binary => binary(array.as_binary::<i32>().value(i)),
        DataType::LargeBinary => binary(array.as_binary::<i64>().value(i)),
        DataType::BinaryView => binary(array.as_binary_view().value(i)),
        DataType::FixedSizeBinary(_) => binary(array.as_fixed_size_binary().value(i)),
        DataType::List(_) => list(&array.as_list::<i32>().value(i)),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(i)),
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(i)),
        DataType::Struct(_) => structure(array, i),
        DataType::Map(..) => list(&(Arc::new(array.as_map().value(i)) as ArrayRef)),
        DataType::Dictionary(..) => dictionary(array, i),
        DataType::Time32(unit) => match unit {
            TimeUnit::Second => {
                time(i64::from(array.as_primitive::<Time32SecondType>().value(i)) * 1_000_000)
            }
            _ => time(i64::from(array.as_primitive::<Time32MillisecondType>().value(i)) * 1000),
        },
        DataType::Time64(TimeUnit::Microsecond) => {
            time(array.as_primitive::<Time64MicrosecondType>().value(i))
        }
        DataType::Time64(_) => time(array.as_primitive::<Time64NanosecondType>().value(i) / 1000),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(i).to_string(),
        _ => String::from("<value of an unknown type>"),
    }
}

/// A time of day.
fn time(micros: i64) -> String {
    let text = value::plain_datetime(micros);
    text.split_once(' ').map(|(_, time)| time.to_owned()).unwrap_or(text)
}

fn binary(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => text.to_owned(),
        _ => format!("<blob {} bytes>", bytes.len()),
    }
}

fn list(items: &ArrayRef) -> String {
    let texts: Vec<String> = (0..items.len()).map(|i| written(items, i)).collect();
    texts.join("; ")
}

fn structure(array: &ArrayRef, i: usize) -> String {
    let inner = array.as_struct();
    let field = |(name, column): (&str, &ArrayRef)| format!("{name}: {}", written(column, i));
    let texts: Vec<String> = inner.column_names().into_iter().zip(inner.columns()).map(field).collect();
    texts.join(", ")
}

fn dictionary(array: &ArrayRef, i: usize) -> String {
    let any = array.as_any_dictionary();
    if any.values().is_empty() {
        return String::new();
    }
    match any.normalized_keys().get(i) {
        Some(&key) => written(any.values(), key),
        None => String::new(),
    }
}

/// A cell of any type as text.
fn written(array: &ArrayRef, i: usize) -> String {
    match cell(array, i) {
        (text, _) if !text.is_empty() => text,
        (_, Some(Value::Integer(v))) => v.to_string(),
        (_, Some(Value::Decimal(v))) => value::plain_decimal(v),
        (_, Some(Value::DateTime(v))) => value::plain_datetime(v),
        _ => tabletalk_core::table::plain(array, i).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;
    use tabletalk_core::{Error, Rows, seam::Limits};

    fn numbers(from: i64, to: i64) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(from..to));
        RecordBatch::try_from_iter([("n", column)]).unwrap()
    }

    /// The batches of a table as they come.
    fn stream(batches: Vec<Result<RecordBatch>>) -> Box<dyn RowStream> {
        let (limits, schema) = (Limits::default(), numbers(0, 0).schema());
        let source = Source::new("frames/n".as_ref(), "n", &limits);
        let mut documents = read_batches(&source, schema, Box::new(batches.into_iter()), None).unwrap();
        let Block::Table(table) = documents.next().unwrap().unwrap().blocks.remove(0) else { panic!() };
        let Rows::Stream(stream) = table.rows else { panic!("no stream") };
        stream
    }

    #[test]
    fn a_large_batch_is_cut_without_a_copy_and_empty_ones_are_passed_over() {
        let whole = numbers(0, 20_000);
        let start = whole.column(0).to_data().buffers()[0].as_ptr();
        let mut stream = stream(vec![Ok(numbers(0, 0)), Ok(whole), Ok(numbers(20_000, 20_001))]);
        let mut rows = Vec::new();
        while let Some(batch) = stream.next_batch().unwrap() {
            if rows.is_empty() {
                assert_eq!(batch.columns[0].value.to_data().buffers()[0].as_ptr(), start);
            }
            assert!(batch.len() <= BATCH);
            rows.extend(batch.rows);
        }
        assert_eq!(rows, (1..=20_001).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_the_rows() {
        let mut stream = stream(vec![Ok(numbers(0, 1)), Err(Error::input("no more")), Ok(numbers(1, 2))]);
        assert_eq!(stream.next_batch().unwrap().unwrap().len(), 1);
        assert!(stream.next_batch().is_err());
        assert!(stream.next_batch().unwrap().is_none());
    }
}

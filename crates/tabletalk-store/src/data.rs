//! The rows of tables on disk: small tables as a compressed Arrow stream inside the catalogue, large
//! ones as a Parquet file beside it.
//!
//! Both hold the same columns: `_row` and `_byte` (place in the source), `_mark`, and for each column
//! `v3` (typed value) and, only where some cell was written differently, `t3` (original text).

use crate::TableFile;
use crate::error::{arrow, parquet};
use crate::files::sync_dir;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use ::parquet::arrow::arrow_writer::{
    ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter, compute_leaves,
};
use ::parquet::arrow::{ProjectionMask, arrow_writer::ArrowColumnChunk};
use ::parquet::basic::{Compression, Encoding};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt8Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tabletalk_core::{Batch, Cells, Column, Error, Mark, Result};

/// Rows to a row group: large enough to compress well, small enough to keep in memory while encoding.
const ROW_GROUP: usize = 512 * 1024;

/// Columns that stand before the first of the table's own.
const FIXED: usize = 3;

/// Where the rows of a stored table are.
#[derive(Debug, Clone)]
pub enum Data {
    /// A compressed Arrow stream, for small tables.
    Inline(Vec<u8>),
    /// A Parquet file.
    File(TableFile),
}

fn schema(columns: &[Column], has_text: impl Fn(usize) -> bool) -> SchemaRef {
    let mut fields = vec![
        Field::new("_row", DataType::UInt64, false),
        Field::new("_byte", DataType::UInt64, true),
        Field::new("_mark", DataType::UInt8, false),
    ];
    for (i, c) in columns.iter().enumerate() {
        fields.push(Field::new(format!("v{i}"), c.kind.arrow(), true));
        if has_text(i) {
            fields.push(Field::new(format!("t{i}"), DataType::Utf8, true));
        }
    }
    Arc::new(Schema::new(fields))
}

fn arrays(batch: &Batch, has_text: impl Fn(usize) -> bool) -> Vec<ArrayRef> {
    let n = batch.len();
    let bytes = match batch.bytes.is_empty() {
        true => UInt64Array::new_null(n),
        false => UInt64Array::from(batch.bytes.clone()),
    };
    let marks = UInt8Array::from_iter_values((0..n).map(|i| batch.mark(i) as u8));
    let mut arrays: Vec<ArrayRef> =
        vec![Arc::new(UInt64Array::from(batch.rows.clone())), Arc::new(bytes), Arc::new(marks)];
    for (i, cells) in batch.columns.iter().enumerate() {
        arrays.push(cells.value.clone());
        match &cells.text {
            Some(text) => arrays.push(Arc::new(text.clone())),
            None if has_text(i) => arrays.push(Arc::new(StringArray::new_null(n))),
            None => {}
        }
    }
    arrays
}

/// Packs the rows of a small table.
pub fn pack(columns: &[Column], batches: &[Batch]) -> Result<Vec<u8>> {
    let has_text = |i: usize| batches.iter().any(|b| b.columns.get(i).is_some_and(|c| c.text.is_some()));
    let schema = schema(columns, has_text);
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &schema).map_err(arrow)?;
    for batch in batches {
        let batch = RecordBatch::try_new(schema.clone(), arrays(batch, has_text)).map_err(arrow)?;
        writer.write(&batch).map_err(arrow)?;
    }
    writer.finish().map_err(arrow)?;
    Ok(lz4_flex::compress_prepend_size(&writer.into_inner().map_err(arrow)?))
}

/// Rows that were packed; what says it would become more than they can be is not believed.
fn unpacked(packed: &[u8]) -> Result<Vec<u8>> {
    let (size, _) = lz4_flex::block::uncompressed_size(packed).map_err(arrow)?;
    // LZ4 packs to a 255th at best.
    if size > packed.len().saturating_mul(256) {
        return Err(Error::input("the rows of a table are damaged").hint("run `tabletalk doctor --repair`"));
    }
    lz4_flex::decompress_size_prepended(packed).map_err(arrow)
}

/// Batches of a stored table, in order.
pub type Batches = Box<dyn Iterator<Item = Result<Batch>> + Send>;

/// Opens the rows of a stored table; `wanted` names the columns to read, all when `None`. Columns that
/// are not wanted come back as empty cells, so that positions stay the same.
pub fn open(columns: &[Column], data: &Data, wanted: Option<&[usize]>) -> Result<Batches> {
    let width = columns.len();
    match data {
        Data::Inline(packed) => {
            let raw = unpacked(packed)?;
            let reader =
                arrow_ipc::reader::StreamReader::try_new(std::io::Cursor::new(raw), None).map_err(arrow)?;
            Ok(Box::new(reader.map(move |b| from_record_batch(&b.map_err(arrow)?, width))))
        }
        Data::File(file) => open_file(file, columns, wanted, 0),
    }
}

/// Batches with the position of their first row, from 0.
pub type Positioned = Box<dyn Iterator<Item = (u64, Result<Batch>)> + Send>;

/// As [`open`], with the position of each batch; rows before `at` need not come.
pub fn open_at(columns: &[Column], data: &Data, wanted: Option<&[usize]>, at: u64) -> Result<Positioned> {
    let (mut base, batches) = match data {
        Data::Inline(_) => (0, open(columns, data, wanted)?),
        Data::File(file) => (at, open_file(file, columns, wanted, at)?),
    };
    Ok(Box::new(batches.map(move |batch| {
        let first = base;
        base += batch.as_ref().map_or(0, |b| b.len() as u64);
        (first, batch)
    })))
}

fn open_file(file: &TableFile, columns: &[Column], wanted: Option<&[usize]>, at: u64) -> Result<Batches> {
    let path = file.here()?;
    let opened = File::open(path).map_err(|e| Error::from(e).at(path.display()))?;
    // To come to one row, pages before it are passed over by the page index.
    let meta = match at {
        0 => ArrowReaderMetadata::load(&opened, ArrowReaderOptions::new()).map_err(parquet)?,
        _ => file.footers().of(path, &opened)?,
    };
    let width = columns.len();
    let mut builder =
        ParquetRecordBatchReaderBuilder::new_with_metadata(opened, meta).with_batch_size(16 * 1024);
    if let Some(wanted) = wanted {
        let roots = (0..FIXED).chain(wanted.iter().flat_map(|&c| [FIXED + 2 * c, FIXED + 2 * c + 1]));
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        builder = builder.with_projection(mask);
    }
    if at > 0 {
        let (groups, left) = groups_from(builder.metadata(), at);
        builder = builder.with_row_groups(groups).with_offset(left).with_batch_size(256);
    }
    let reader = builder.build().map_err(parquet)?;
    Ok(Box::new(reader.map(move |b| from_record_batch(&b.map_err(arrow)?, width))))
}

/// The row groups from the one that holds row `at`, and how many of its rows come before that.
fn groups_from(meta: &ParquetMetaData, at: u64) -> (Vec<usize>, usize) {
    let mut before = 0;
    for (i, group) in meta.row_groups().iter().enumerate() {
        let rows = group.num_rows() as u64;
        if at < before + rows {
            return ((i..meta.num_row_groups()).collect(), (at - before) as usize);
        }
        before += rows;
    }
    (Vec::new(), 0)
}

fn from_record_batch(batch: &RecordBatch, width: usize) -> Result<Batch> {
    let n = batch.num_rows();
    let fixed = |name: &str| {
        batch.column_by_name(name).ok_or_else(|| Error::bug(format!("no {name} in stored rows")))
    };
    let bytes = fixed("_byte")?.as_primitive::<UInt64Type>();
    let marks: Vec<Mark> = fixed("_mark")?
        .as_primitive::<UInt8Type>()
        .values()
        .iter()
        .map(|&m| Mark::ALL.get(m as usize).copied().unwrap_or_default())
        .collect();
    let columns = (0..width).map(|c| cells(batch, c, n)).collect();
    Ok(Batch {
        rows: fixed("_row")?.as_primitive::<UInt64Type>().values().to_vec(),
        bytes: if bytes.null_count() == n { Vec::new() } else { bytes.values().to_vec() },
        marks: if marks.iter().all(|m| *m == Mark::Data) { Vec::new() } else { marks },
        columns,
    })
}

fn cells(batch: &RecordBatch, column: usize, rows: usize) -> Cells {
    let value = batch.column_by_name(&format!("v{column}")).cloned();
    let text = batch.column_by_name(&format!("t{column}")).map(|t| t.as_string::<i32>().clone());
    Cells {
        value: value.unwrap_or_else(|| Arc::new(StringArray::new_null(rows))),
        text: text.filter(|t| t.null_count() < t.len()),
    }
}

/// Writes the rows of a large table as Parquet, the columns encoded in parallel.
pub struct Writer {
    file: SerializedFileWriter<File>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    columns: Vec<ArrowColumnWriter>,
    rows: usize,
    groups: usize,
    path: PathBuf,
}

/// Row numbers and positions grow steadily, so their differences are all that is kept of them.
fn properties() -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_dictionary_page_size_limit(256 * 1024);
    for name in ["_row", "_byte"] {
        builder = builder
            .set_column_dictionary_enabled(name.into(), false)
            .set_column_encoding(name.into(), Encoding::DELTA_BINARY_PACKED);
    }
    builder.build()
}

impl Writer {
    /// Begins a file.
    pub fn create(path: &Path, columns: &[Column]) -> Result<Self> {
        let schema = schema(columns, |_| true);
        let properties = properties();
        let writer =
            ArrowWriter::try_new(File::create(path)?, schema.clone(), Some(properties)).map_err(parquet)?;
        let (file, factory) = writer.into_serialized_writer().map_err(parquet)?;
        let columns = factory.create_column_writers(0).map_err(parquet)?;
        Ok(Writer { file, factory, schema, columns, rows: 0, groups: 0, path: path.to_owned() })
    }

    /// Appends a batch.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        let arrays = arrays(batch, |_| true);
        let fields = self.schema.fields();
        self.columns.par_iter_mut().zip(arrays.par_iter()).zip(fields.par_iter()).try_for_each(
            |((writer, array), field)| -> Result<()> {
                for leaf in compute_leaves(field, array).map_err(parquet)? {
                    writer.write(&leaf).map_err(parquet)?;
                }
                Ok(())
            },
        )?;
        self.rows += batch.len();
        if self.rows >= ROW_GROUP {
            self.end_group()?;
            self.columns = self.factory.create_column_writers(self.groups).map_err(parquet)?;
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        let columns = std::mem::take(&mut self.columns);
        let chunks: Vec<ArrowColumnChunk> =
            columns.into_par_iter().map(|c| c.close().map_err(parquet)).collect::<Result<_>>()?;
        let mut group = self.file.next_row_group().map_err(parquet)?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group).map_err(parquet)?;
        }
        group.close().map_err(parquet)?;
        (self.rows, self.groups) = (0, self.groups + 1);
        Ok(())
    }

    /// Finishes the file. What is returned waits until it is on disk; the disk may take its time meanwhile.
    pub fn finish(mut self) -> Result<Syncing> {
        if self.rows > 0 || self.groups == 0 {
            self.end_group()?;
        }
        self.file.close().map_err(parquet)?;
        let (file, path) = (File::open(&self.path)?, self.path);
        Ok(Syncing(std::thread::spawn(move || {
            file.sync_all()?;
            // The catalogue must not speak of a name that a power cut takes away.
            sync_dir(&path)
        })))
    }
}

/// A finished file on its way to the disk.
pub struct Syncing(std::thread::JoinHandle<Result<()>>);

impl Syncing {
    /// Waits until the file is on disk.
    pub fn wait(self) -> Result<()> {
        self.0.join().map_err(|_| Error::bug("writing a table file panicked"))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;
    use tabletalk_core::Kind;

    fn sample() -> (Vec<Column>, Batch) {
        let columns = vec![Column::new("city", Kind::Text, 1), Column::new("people", Kind::Integer, 2)];
        let batch = Batch {
            rows: vec![2, 3],
            bytes: vec![12, 30],
            marks: vec![Mark::Data, Mark::Total],
            columns: vec![
                Cells { value: Arc::new(StringArray::from(vec!["Oslo", "all"])), text: None },
                Cells {
                    value: Arc::new(Int64Array::from(vec![Some(1200), None])),
                    text: Some(StringArray::from(vec![Some("1,200"), Some("many")])),
                },
            ],
        };
        (columns, batch)
    }

    fn check(batch: &Batch) {
        assert_eq!(batch.rows, [2, 3]);
        assert_eq!(batch.mark(1), Mark::Total);
        assert_eq!(batch.columns[1].text(0), "1,200");
        assert!(batch.columns[1].is_stray(1));
        assert_eq!(batch.columns[0].text(1), "all");
    }

    #[test]
    fn keeps_values_texts_and_places_inline_and_in_a_file() {
        let (columns, batch) = sample();
        let data = Data::Inline(pack(&columns, std::slice::from_ref(&batch)).unwrap());
        check(&open(&columns, &data, None).unwrap().next().unwrap().unwrap());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.parquet");
        let mut writer = Writer::create(&path, &columns).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap().wait().unwrap();
        check(
            &open(&columns, &Data::File(TableFile::at(path.clone())), None).unwrap().next().unwrap().unwrap(),
        );
        let some =
            open(&columns, &Data::File(TableFile::at(path)), Some(&[1])).unwrap().next().unwrap().unwrap();
        assert_eq!(some.columns[1].text(0), "1,200");
        assert!(some.columns[0].is_empty(0));
    }
}

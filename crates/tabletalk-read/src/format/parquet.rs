//! Parquet files.

mod bytes;
mod thrift;

use self::bytes::Checked;
use crate::{arrow, source};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Block, Document, Error, Result, Table};

/// Reads Parquet files.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    source::on_disk(source, |source| {
        let table = sound(|| table(source))?;
        Ok(Document { blocks: vec![Block::Table(table)], ..Document::default() })
    })
}

fn fault(e: impl std::fmt::Display) -> Error {
    Error::input(format!("is not a readable Parquet file: {e}"))
}

/// The decoder trusts what a file says of itself; one that lies can make it panic.
fn sound<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(fault("its content contradicts itself")))
}

fn table(source: &Source<'_>) -> Result<Table> {
    let file = Checked::new(File::open(source.path)?, &source.stop)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(fault)?;
    let (schema, rows) = (builder.schema().clone(), builder.metadata().file_metadata().num_rows());
    let mut reader = builder.with_batch_size(arrow::BATCH).build().map_err(fault)?;
    let batches = std::iter::from_fn(move || sound(|| reader.next().transpose().map_err(fault)).transpose());
    arrow::table(source, schema, Box::new(batches), u64::try_from(rows).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::*;
    use arrow_buffer::NullBuffer;
    use arrow_schema::DataType;
    use std::sync::Arc;
    use tabletalk_core::{Kind, Rows, seam::Limits};

    fn write(columns: Vec<(&str, ArrayRef)>) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(file.reopen().unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        file
    }

    fn read(file: &tempfile::NamedTempFile) -> Result<(Vec<Kind>, Vec<String>)> {
        let limits = Limits::default();
        let source = Source::new(file.path(), "a.parquet", &limits);
        let mut document = super::read(&source)?.next().unwrap()?;
        let Block::Table(table) = document.blocks.remove(0) else { panic!("no table") };
        let Rows::Stream(mut stream) = table.rows else { panic!("no stream") };
        let batch = stream.next_batch()?.unwrap();
        let texts = batch.columns.iter().map(|c| c.text(0).into_owned()).collect();
        Ok((table.columns.iter().map(|c| c.kind).collect(), texts))
    }

    #[test]
    fn maps_types() {
        let decimals = Decimal128Array::from(vec![1250]).with_precision_and_scale(10, 2).unwrap();
        let list =
            ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None, Some(3)])]);
        let file = write(vec![
            ("i", Arc::new(Int32Array::from(vec![7])) as ArrayRef),
            ("f", Arc::new(Float32Array::from(vec![0.1f32]))),
            ("d", Arc::new(decimals)),
            ("s", Arc::new(StringArray::from(vec!["x"]))),
            ("t", Arc::new(TimestampMillisecondArray::from(vec![1000]))),
            ("y", Arc::new(Date32Array::from(vec![1]))),
            ("b", Arc::new(BooleanArray::from(vec![true]))),
            ("l", Arc::new(list)),
            ("n", Arc::new(BinaryArray::from(vec![&[0u8, 255][..]]))),
        ]);
        let (kinds, texts) = read(&file).unwrap();
        use Kind::*;
        assert_eq!(kinds, [Integer, Decimal, Decimal, Text, DateTime, Date, Boolean, Text, Text]);
        let expected = [
            "7",
            "0.1",
            "12.50",
            "x",
            "1970-01-01 00:00:01",
            "1970-01-02",
            "true",
            "1; ; 3",
            "<blob 2 bytes>",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn flattens_structures_that_are_missing_in_some_rows() {
        let inner: ArrayRef = Arc::new(Int64Array::from(vec![5, 6]));
        let field = Arc::new(arrow_schema::Field::new("x", DataType::Int64, false));
        let nulls = NullBuffer::from(vec![true, false]);
        let structure = StructArray::new(vec![field].into(), vec![inner], Some(nulls));
        let names = DictionaryArray::<Int32Type>::from_iter([Some("a"), None]);
        let file = write(vec![("s", Arc::new(structure) as ArrayRef), ("n", Arc::new(names))]);
        let (kinds, texts) = read(&file).unwrap();
        assert_eq!((kinds, texts), (vec![Kind::Integer, Kind::Text], vec!["5".to_owned(), "a".into()]));
    }

    #[test]
    fn what_a_file_promises_and_does_not_hold_ends_at_once() {
        let file = write(vec![("i", Arc::new(Int32Array::from(vec![7])) as ArrayRef)]);
        let whole = std::fs::read(file.path()).unwrap();
        let [.., a, b, c, d, _, _, _, _] = whole[..] else { panic!("no file") };
        let footer = whole.len() - 8 - u32::from_le_bytes([a, b, c, d]) as usize;
        // In the header of the first page and in the footer: a field that nobody knows, a list of 2^31 - 1 numbers or truths.
        for at in [4, footer] {
            for kind in [0xF7, 0xF1] {
                let mut bytes = whole.clone();
                bytes[at..at + 7].copy_from_slice(&[0xF9, kind, 0xFF, 0xFF, 0xFF, 0xFF, 0x07]);
                std::fs::write(file.path(), &bytes).unwrap();
                let error = read(&file).unwrap_err();
                assert!(error.message().starts_with("is not a readable Parquet file"), "{error}");
            }
        }
    }

    #[test]
    fn says_when_a_file_is_cut() {
        let file = write(vec![("i", Arc::new(Int32Array::from(vec![7])) as ArrayRef)]);
        let bytes = std::fs::read(file.path()).unwrap();
        std::fs::write(file.path(), &bytes[..bytes.len() - 10]).unwrap();
        assert!(read(&file).unwrap_err().message().starts_with("is not a readable Parquet file"));
    }
}

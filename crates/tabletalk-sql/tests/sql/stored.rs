//! Relations in Parquet files.

use crate::common::{lines, sales};
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray, UInt8Array, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::parquet::arrow::ArrowWriter;
use std::path::Path;
use std::sync::Arc;
use tabletalk_sql::{Limits, Ran, Relation, Sandbox, Source, Stop};

/// Writes a relation as a library stores it, `times` times over.
fn stored(relation: &Relation, path: &Path, times: u64) -> Relation {
    let Source::Memory(batches) = &relation.source else { panic!("in memory") };
    let batch = &batches[0];
    let mut fields = vec![
        Field::new("_row", DataType::UInt64, false),
        Field::new("_byte", DataType::UInt64, true),
        Field::new("_mark", DataType::UInt8, false),
    ];
    let n = batch.len();
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from(batch.rows.clone())),
        Arc::new(UInt64Array::new_null(n)),
        Arc::new(UInt8Array::from_iter_values((0..n).map(|i| batch.mark(i) as u8))),
    ];
    for (i, (cells, column)) in batch.columns.iter().zip(&relation.columns).enumerate() {
        fields.push(Field::new(format!("v{i}"), column.kind.arrow(), true));
        fields.push(Field::new(format!("t{i}"), DataType::Utf8, true));
        arrays.push(cells.value.clone());
        arrays.push(Arc::new(cells.text.clone().unwrap_or_else(|| StringArray::new_null(n))));
    }
    let schema = Arc::new(Schema::new(fields));
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(path).unwrap(), schema.clone(), None).unwrap();
    for k in 0..times {
        arrays[0] = Arc::new(UInt64Array::from_iter_values(batch.rows.iter().map(|r| r + k * n as u64)));
        writer.write(&RecordBatch::try_new(schema.clone(), arrays.clone()).unwrap()).unwrap();
    }
    writer.close().unwrap();
    Relation { rows: n as u64 * times, source: Source::Parquet(path.to_owned()), ..relation.clone() }
}

fn ask(relation: &Relation, sql: &str) -> Ran {
    let sandbox = Sandbox::new(Limits { threads: 2, ..Limits::default() }).unwrap();
    sandbox.run(&vec![relation.clone()], sql, &Stop::new()).unwrap()
}

#[test]
fn a_file_gives_what_memory_gives() {
    let dir = tempfile::tempdir().unwrap();
    let relation = stored(&sales(), &dir.path().join("a.parquet"), 1);
    for sql in [
        "SELECT * FROM sales ORDER BY row_id",
        "SELECT City, sum(\"Total Sales\"), avg(Price) FROM sales GROUP BY City ORDER BY City",
        "SELECT count(*), max(\"Total Sales\") FROM \"sales (all rows)\"",
        "SELECT row_id, \"Total Sales (text)\", Day, Paid FROM sales WHERE City = 'Oslo' AND Price > 1 ORDER BY Day DESC",
        "SELECT max(Note), min(City), count(Note) FROM sales",
    ] {
        let (file, memory) = (ask(&relation, sql), ask(&sales(), sql));
        assert_eq!(lines(&file), lines(&memory), "{sql}");
        assert_eq!(file.columns, memory.columns, "{sql}");
        assert_eq!(file.used[0].rows, memory.used[0].rows, "{sql}");
    }
}

#[test]
fn many_rows_are_traced_apart_from_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let relation = stored(&sales(), &dir.path().join("a.parquet"), 150_000);
    let ran = ask(&relation, "SELECT City, count(*) FROM sales WHERE City = 'Oslo' GROUP BY City");
    assert_eq!(lines(&ran), "Oslo|450000");
    assert_eq!((ran.used[0].count, ran.used[0].rows.len()), (450_000, 1_000));
    assert_eq!(ran.used[0].rows[..4], [2, 4, 8, 10]);
    let ran = ask(&relation, "SELECT sum(Price) FROM sales WHERE row_id = 800000");
    assert_eq!(lines(&ran), "2.5");
    assert_eq!((ran.used[0].count, ran.used[0].rows.as_slice()), (1, [800_000].as_slice()));
}

#[test]
fn a_file_that_was_replaced_is_read_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let sandbox = Sandbox::new(Limits::default()).unwrap();
    let count = |relation: Relation| {
        lines(&sandbox.run(&vec![relation], "SELECT count(*) FROM sales", &Stop::new()).unwrap())
    };
    assert_eq!(count(stored(&sales(), &path, 1)), "7");
    assert_eq!(count(stored(&sales(), &path, 3)), "21");
}

#[test]
fn a_file_that_is_missing_or_broken_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let sandbox = Sandbox::new(Limits::default()).unwrap();
    let relation = Relation { source: Source::Parquet(path.clone()), ..sales() };
    let fault = |relation: &Relation| {
        sandbox.run(&vec![relation.clone()], "SELECT 1 FROM sales", &Stop::new()).unwrap_err().fault()
    };
    assert_eq!(fault(&relation), tabletalk_core::Fault::Missing);
    std::fs::write(&path, "not Parquet at all").unwrap();
    assert_eq!(fault(&relation), tabletalk_core::Fault::Io);
}

//! Tables to measure with, in the form in which a library stores them.

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray, UInt8Array,
    UInt64Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, Encoding};
use datafusion::parquet::file::properties::WriterProperties;
use std::path::Path;
use std::sync::Arc;
use tabletalk::sql::{Relation, Source};
use tabletalk::{Error, Result};
use tabletalk_core::{Batch, Cells, Column, Kind};

const GROUP: usize = 512 * 1024;

/// Numbers without pattern that are the same each time.
fn mixed(i: u64, salt: u64) -> u64 {
    let mut x = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03);
    x = (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 29)
}

fn columns(names: &[(&str, Kind)]) -> Vec<Column> {
    names.iter().zip(1..).map(|((name, kind), col)| Column::new(*name, *kind, col)).collect()
}

fn sales_columns() -> Vec<Column> {
    use Kind::{Boolean, Date, Decimal, Integer, Text};
    columns(&[
        ("id", Integer),
        ("region", Text),
        ("city", Text),
        ("product", Integer),
        ("customer", Integer),
        ("quantity", Integer),
        ("price", Decimal),
        ("day", Date),
        ("paid", Boolean),
    ])
}

fn sales_arrays(from: u64, to: u64) -> Vec<ArrayRef> {
    let ints =
        |f: &dyn Fn(u64) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values((from..to).map(f))) };
    let texts = |f: &dyn Fn(u64) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((from..to).map(f)))
    };
    vec![
        ints(&|i| i as i64),
        texts(&|i| format!("region {}", mixed(i, 1) % 8)),
        texts(&|i| format!("city {}", mixed(i, 2) % 500)),
        ints(&|i| (mixed(i, 3) % 1_000) as i64),
        ints(&|i| (mixed(i, 4) % 1_000_000) as i64),
        ints(&|i| (mixed(i, 5) % 100) as i64),
        Arc::new(Float64Array::from_iter_values(
            (from..to).map(|i| (mixed(i, 6) % 10_000_000) as f64 / 100.0),
        )),
        Arc::new(Date32Array::from_iter_values((from..to).map(|i| 18_262 + (mixed(i, 7) % 1_461) as i32))),
        Arc::new(BooleanArray::from((from..to).map(|i| mixed(i, 8) & 3 != 0).collect::<Vec<_>>())),
    ]
}

/// The large table.
pub fn sales(dir: &Path, rows: usize) -> Result<Relation> {
    write(dir, "sales", sales_columns(), rows, sales_arrays)
}

/// A thousand products.
pub fn products(dir: &Path) -> Result<Relation> {
    let named = columns(&[("product", Kind::Integer), ("category", Kind::Text), ("weight", Kind::Decimal)]);
    write(dir, "products", named, 1_000, |from, to| {
        vec![
            Arc::new(Int64Array::from_iter_values(from as i64..to as i64)),
            Arc::new(StringArray::from_iter_values((from..to).map(|i| format!("category {}", i % 20)))),
            Arc::new(Float64Array::from_iter_values((from..to).map(|i| (i % 50) as f64 / 10.0))),
        ]
    })
}

/// Twenty rows in memory.
pub fn small() -> Relation {
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..20).map(|i| format!("city {i}"))));
    let cells = |value: ArrayRef| Cells { value, text: None };
    let batch = Batch {
        rows: (1..=20).collect(),
        columns: vec![
            cells(texts),
            cells(Arc::new(Int64Array::from_iter_values(0..20))),
            cells(Arc::new(Float64Array::from_iter_values((0..20).map(f64::from)))),
        ],
        ..Batch::default()
    };
    let named = columns(&[("city", Kind::Text), ("quantity", Kind::Integer), ("price", Kind::Decimal)]);
    Relation { name: "small".into(), columns: named, rows: 20, source: Source::Memory(vec![batch]) }
}

fn stored(columns: &[Column]) -> Arc<Schema> {
    let mut fields = vec![
        Field::new("_row", DataType::UInt64, false),
        Field::new("_byte", DataType::UInt64, true),
        Field::new("_mark", DataType::UInt8, false),
    ];
    for (i, column) in columns.iter().enumerate() {
        fields.push(Field::new(format!("v{i}"), column.kind.arrow(), true));
        fields.push(Field::new(format!("t{i}"), DataType::Utf8, true));
    }
    Arc::new(Schema::new(fields))
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::bug(error.to_string())
}

fn write(
    dir: &Path,
    name: &str,
    columns: Vec<Column>,
    rows: usize,
    make: impl Fn(u64, u64) -> Vec<ArrayRef>,
) -> Result<Relation> {
    let path = dir.join(format!("{name}.parquet"));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_dictionary_page_size_limit(256 * 1024)
        .set_max_row_group_row_count(Some(GROUP));
    for column in ["_row", "_byte"] {
        properties = properties
            .set_column_dictionary_enabled(column.into(), false)
            .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
    }
    let schema = stored(&columns);
    let file = std::fs::File::create(&path)?;
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties.build())).map_err(failed)?;
    for from in (0..rows).step_by(GROUP) {
        let to = rows.min(from + GROUP);
        let numbers =
            || Arc::new(UInt64Array::from_iter_values((from as u64 + 2)..(to as u64 + 2))) as ArrayRef;
        let mut arrays: Vec<ArrayRef> =
            vec![numbers(), numbers(), Arc::new(UInt8Array::from(vec![0; to - from]))];
        for values in make(from as u64, to as u64) {
            arrays.push(values);
            arrays.push(Arc::new(StringArray::new_null(to - from)));
        }
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(failed)?;
        writer.write(&batch).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(Relation { name: name.into(), columns, rows: rows as u64, source: Source::Parquet(path) })
}

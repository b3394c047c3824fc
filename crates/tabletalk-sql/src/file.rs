//! Parquet files of relations, opened once and read without an object store.

use crate::table::{Stored, counts};
use bytes::Bytes;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, Statistics};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::{ParquetFileReaderFactory, metadata::DFParquetMetadata};
use datafusion::datasource::physical_plan::{FileScanConfigBuilder, FileSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::{DataFusionError, Result as EngineResult};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::Operator;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::arrow::parquet_to_arrow_schema;
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, lit};
use datafusion::physical_expr::projection::{ProjectionExpr, ProjectionExprs};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExecBuilder;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tabletalk_core::{Error, Mark, Result};

/// How many files are kept open.
const KEPT: usize = 64;

/// Files that were opened, by path; a file that was replaced is opened again.
#[derive(Debug, Default)]
pub(crate) struct Files(Mutex<HashMap<PathBuf, Arc<File>>>);

impl Files {
    pub(crate) fn open(&self, path: &Path) -> Result<Arc<File>> {
        let about = std::fs::metadata(path).map_err(|e| Error::from(e).at(path.display()))?;
        let stamp = (about.len(), about.modified().ok());
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(path).filter(|f| f.stamp == stamp) {
            return Ok(file.clone());
        }
        let file = Arc::new(File::open(path, stamp)?);
        if files.len() >= KEPT {
            files.clear();
        }
        files.insert(path.to_owned(), file.clone());
        Ok(file)
    }
}

/// A Parquet file with the stored rows of a relation.
pub(crate) struct File {
    file: Arc<std::fs::File>,
    stamp: (u64, Option<SystemTime>),
    meta: Arc<ParquetMetaData>,
    schema: SchemaRef,
    statistics: Statistics,
    all_data: bool,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").field("rows", &self.rows()).finish()
    }
}

impl File {
    fn open(path: &Path, stamp: (u64, Option<SystemTime>)) -> Result<Self> {
        let unreadable = |e: &dyn std::fmt::Display| Error::io(format!("{}: {e}", path.display()));
        let file = std::fs::File::open(path).map_err(|e| Error::from(e).at(path.display()))?;
        let mut reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
        reader.try_parse(&file).map_err(|e| unreadable(&e))?;
        let meta = Arc::new(reader.finish().map_err(|e| unreadable(&e))?);
        let about = meta.file_metadata();
        let stored = parquet_to_arrow_schema(about.schema_descr(), about.key_value_metadata())
            .map_err(|e| unreadable(&e))?;
        let schema = with_views(&stored);
        let statistics = DFParquetMetadata::statistics_from_parquet_metadata(&meta, &schema)
            .map_err(|e| unreadable(&e))?;
        let all_data = most(&schema, &statistics, "_mark").is_some_and(|m| m == Mark::Data as u64);
        Ok(File { file: Arc::new(file), stamp, meta, schema, statistics, all_data })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.meta.file_metadata().num_rows().max(0) as u64
    }

    /// Whether no row is a total, or anything else but data.
    pub(crate) fn all_data(&self) -> bool {
        self.all_data
    }

    /// The columns, of `width`, of which some cell was written differently.
    pub(crate) fn texts(&self, width: usize) -> Vec<usize> {
        let has = |i: &usize| {
            let Some((at, _)) = self.schema.column_with_name(&format!("t{i}")) else { return false };
            let nulls = self.statistics.column_statistics.get(at).map(|c| c.null_count);
            nulls != Some(Precision::Exact(self.rows() as usize))
        };
        (0..width).filter(has).collect()
    }

    /// Reads these columns under these names.
    pub(crate) fn scan(
        self: &Arc<Self>,
        columns: &[(Stored, &str)],
        all_rows: bool,
        limit: Option<usize>,
    ) -> EngineResult<Arc<dyn ExecutionPlan>> {
        if all_rows || self.all_data {
            return self.source(columns.iter().map(|(s, n)| (column_name(*s), *n)), limit);
        }
        let named = columns.iter().map(|(s, n)| (column_name(*s), *n));
        let source = self.source(named.chain([("_mark".to_owned(), "_mark")]), None)?;
        let keep = counted(columns.len());
        let wanted: Vec<usize> = (0..columns.len()).collect();
        Ok(Arc::new(FilterExecBuilder::new(keep, source).apply_projection(Some(wanted))?.build()?))
    }

    fn source<'a>(
        self: &Arc<Self>,
        columns: impl Iterator<Item = (String, &'a str)>,
        limit: Option<usize>,
    ) -> EngineResult<Arc<dyn ExecutionPlan>> {
        let mut projection = Vec::new();
        for (stored, name) in columns {
            let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new_with_schema(&stored, &self.schema)?);
            projection.push(ProjectionExpr::new(column, name));
        }
        let parquet = ParquetSource::new(self.schema.clone())
            .with_parquet_file_reader_factory(Arc::new(Readers(self.clone())));
        let source = parquet
            .try_pushdown_projection(&ProjectionExprs::from(projection))?
            .ok_or_else(|| DataFusionError::Internal("no projection in a Parquet scan".into()))?;
        let scan = FileScanConfigBuilder::new(ObjectStoreUrl::parse(STORE)?, source)
            .with_file(PartitionedFile::new("rows", self.stamp.0))
            .with_statistics(self.statistics.clone())
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(scan))
    }
}

/// The one address that the engine's reader asks for; there is nothing behind it.
pub(crate) const STORE: &str = "relation://rows";

fn column_name(stored: Stored) -> String {
    match stored {
        Stored::Value(i) => format!("v{i}"),
        Stored::Text(i) => format!("t{i}"),
        Stored::Row => "_row".into(),
    }
}

/// The rows that count have one of two marks.
fn counted(mark_at: usize) -> Arc<dyn PhysicalExpr> {
    let mark: Arc<dyn PhysicalExpr> = Arc::new(Column::new("_mark", mark_at));
    let is = |m: &Mark| -> Arc<dyn PhysicalExpr> {
        Arc::new(BinaryExpr::new(mark.clone(), Operator::Eq, lit(*m as u8)))
    };
    let either = |a: Arc<dyn PhysicalExpr>, b| -> Arc<dyn PhysicalExpr> {
        Arc::new(BinaryExpr::new(a, Operator::Or, b))
    };
    Mark::ALL.iter().filter(|m| counts(**m)).map(is).reduce(either).unwrap_or_else(|| lit(true))
}

fn with_views(stored: &Schema) -> SchemaRef {
    let view = |f: &Arc<Field>| match f.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => {
            Arc::new(f.as_ref().clone().with_data_type(DataType::Utf8View))
        }
        _ => f.clone(),
    };
    Arc::new(Schema::new(stored.fields().iter().map(view).collect::<Vec<_>>()))
}

/// The largest value of a column of small numbers, where the file says it.
fn most(schema: &Schema, statistics: &Statistics, name: &str) -> Option<u64> {
    let (at, _) = schema.column_with_name(name)?;
    let column: &ColumnStatistics = statistics.column_statistics.get(at)?;
    match &column.max_value {
        Precision::Exact(value) => value.to_string().parse().ok(),
        _ => None,
    }
}

/// Gives readers of one file, whatever is asked for.
#[derive(Debug)]
struct Readers(Arc<File>);

impl ParquetFileReaderFactory for Readers {
    fn create_reader(
        &self,
        _partition: usize,
        _file: PartitionedFile,
        _hint: Option<usize>,
        _metrics: &ExecutionPlanMetricsSet,
    ) -> EngineResult<Box<dyn AsyncFileReader + Send>> {
        Ok(Box::new(Reader(self.0.clone())))
    }
}

struct Reader(Arc<File>);

impl AsyncFileReader for Reader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        let file = self.0.file.clone();
        async move {
            let length = usize::try_from(range.end.saturating_sub(range.start))
                .map_err(|e| ParquetError::General(e.to_string()))?;
            let mut bytes = vec![0; length];
            read_at(&file, &mut bytes, range.start)?;
            Ok(bytes.into())
        }
        .boxed()
    }
    fn get_metadata<'a>(
        &'a mut self,
        _options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        let meta = self.0.meta.clone();
        async move { Ok(meta) }.boxed()
    }
}

#[cfg(unix)]
fn read_at(file: &std::fs::File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &std::fs::File, mut bytes: &mut [u8], mut at: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes = bytes.split_at_mut(read).1;
        at += read as u64;
    }
    Ok(())
}

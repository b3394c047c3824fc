//! A relation as the query engine sees it.

use crate::file::{File, Files};
use crate::push::{Away, fetch, row_type};
use crate::relation::{ALL_ROWS, Relation, Source, TEXT};
use crate::scope::Field;
use datafusion::arrow::array::{
    ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StringArray, UInt64Array,
};
use datafusion::arrow::compute::{cast, filter_record_batch};
use datafusion::arrow::datatypes::{DataType, Field as ArrowField, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::datasource::TableType;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result as EngineResult;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use tabletalk_core::{Batch, Column, Home, Kind, Mark, Result};

/// The column with the number of each row in its source.
pub const ROW_ID: &str = "row_id";

/// A relation that a statement names.
#[derive(Debug)]
pub(crate) struct Table {
    /// The name it has in the plan.
    pub(crate) name: String,
    pub(crate) relation: String,
    /// How many rows it has, where `is_exact`; else totals are counted in.
    pub(crate) rows: u64,
    /// Whether every row that is stored can be seen.
    pub(crate) is_exact: bool,
    /// What can be named of it; the columns of the relation come first.
    pub(crate) fields: Vec<Field>,
    /// The columns that the statement names.
    pub(crate) named: BTreeSet<usize>,
    /// The name of the column with row numbers.
    pub(crate) row_id: String,
    /// Gives the rows.
    pub(crate) provider: Arc<Provider>,
}

impl Table {
    /// Opens a relation. `number` is its place among those that the statement names.
    pub(crate) fn open(relation: Relation, all_rows: bool, number: usize, files: &Files) -> Result<Self> {
        let texts = match &relation.source {
            Source::Memory(batches) => memory_texts(&relation, batches),
            Source::Parquet(path) => files.open(path)?.texts(relation.columns.len()),
            Source::Home(..) => Vec::new(),
        };
        let layout = Layout::new(&relation, &texts);
        let rows = match relation.source {
            Source::Memory(batches) => Rows::Memory { batches, all_rows },
            Source::Parquet(ref path) => Rows::File { file: files.open(path)?, all_rows },
            Source::Home(database, home) => {
                Rows::Away(Away { database, home, relation: relation.name.clone(), shipping: Arc::default() })
            }
        };
        let fields = fields(&relation.columns, &layout.schema, number);
        let provider = Arc::new(Provider { schema: layout.schema, stored: layout.stored, rows });
        let (count, is_exact) = provider.count();
        let name = if all_rows { format!("{}{ALL_ROWS}", relation.name) } else { relation.name.clone() };
        let row_id = layout.row_id;
        Ok(Table {
            name,
            relation: relation.name,
            rows: count,
            is_exact,
            fields,
            named: BTreeSet::new(),
            row_id,
            provider,
        })
    }
}

fn fields(columns: &[Column], schema: &Schema, number: usize) -> Vec<Field> {
    let width = columns.len();
    let of = |(i, f): (usize, &Arc<ArrowField>)| Field {
        name: f.name().clone(),
        kind: Some(columns.get(i).map_or(crate::cell::kind_of(f.data_type()), |c| c.kind)),
        hidden: i >= width,
        origin: Some((number, i)),
    };
    schema.fields().iter().enumerate().map(of).collect()
}

/// The columns of a relation by their names, and where each is stored.
struct Layout {
    schema: SchemaRef,
    stored: Vec<Stored>,
    row_id: String,
}

/// What a column of the plan holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stored {
    /// The values of a column.
    Value(usize),
    /// The texts of a column as they were written.
    Text(usize),
    /// The row number.
    Row,
}

impl Layout {
    fn new(relation: &Relation, texts: &[usize]) -> Self {
        let mut fields: Vec<ArrowField> = Vec::new();
        let mut stored = Vec::new();
        for (i, column) in relation.columns.iter().enumerate() {
            fields.push(ArrowField::new(&column.name, arrow_type(column.kind), true));
            stored.push(Stored::Value(i));
        }
        let taken: HashSet<&str> = relation.columns.iter().map(|c| c.name.as_str()).collect();
        for &i in texts {
            let Some(column) = relation.columns.get(i) else { continue };
            let name = format!("{}{TEXT}", column.name);
            if !taken.contains(name.as_str()) {
                fields.push(ArrowField::new(name, DataType::Utf8View, true));
                stored.push(Stored::Text(i));
            }
        }
        let mut row_id = ROW_ID.to_owned();
        while taken.contains(row_id.as_str()) {
            row_id.push_str(" (source)");
        }
        fields.push(match &relation.source {
            Source::Home(_, home) => ArrowField::new(&row_id, row_type(home), true),
            _ => ArrowField::new(&row_id, DataType::UInt64, false),
        });
        stored.push(Stored::Row);
        Layout { schema: Arc::new(Schema::new(fields)), stored, row_id }
    }
}

/// Texts are views: a join that repeats a text then repeats sixteen bytes, not the text.
fn arrow_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8View,
        other => other.arrow(),
    }
}

fn memory_texts(relation: &Relation, batches: &[Batch]) -> Vec<usize> {
    let has = |i: &usize| batches.iter().any(|b| b.columns.get(*i).is_some_and(|c| c.text.is_some()));
    (0..relation.columns.len()).filter(has).collect()
}

/// Whether a row counts: totals would be counted twice.
pub(crate) fn counts(mark: Mark) -> bool {
    mark.is_data()
}

/// The wanted columns of a batch, without the rows that do not count.
fn record_batch(
    schema: &SchemaRef,
    stored: &[Stored],
    batch: &Batch,
    all_rows: bool,
) -> EngineResult<RecordBatch> {
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(stored.len());
    for (stored, field) in stored.iter().zip(schema.fields()) {
        let array = array(*stored, batch).unwrap_or_else(|| Arc::new(StringArray::new_null(batch.len())));
        arrays.push(cast(&array, field.data_type())?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.len()));
    let made = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?;
    if all_rows || batch.marks.iter().all(|m| counts(*m)) {
        return Ok(made);
    }
    let keep: BooleanArray = (0..batch.len()).map(|i| Some(counts(batch.mark(i)))).collect();
    Ok(filter_record_batch(&made, &keep)?)
}

fn array(stored: Stored, batch: &Batch) -> Option<ArrayRef> {
    match stored {
        Stored::Value(i) => batch.columns.get(i).map(|c| c.value.clone()),
        Stored::Text(i) => batch.columns.get(i)?.text.clone().map(|text| Arc::new(text) as ArrayRef),
        Stored::Row => Some(Arc::new(UInt64Array::from(batch.rows.clone()))),
    }
}

/// Gives the rows of a relation to the query engine.
#[derive(Debug)]
pub(crate) struct Provider {
    schema: SchemaRef,
    stored: Vec<Stored>,
    rows: Rows,
}

#[derive(Debug)]
enum Rows {
    Memory { batches: Vec<Batch>, all_rows: bool },
    File { file: Arc<File>, all_rows: bool },
    Away(Away),
}

impl Provider {
    /// The table of a database that the rows live in.
    pub(crate) fn away(&self) -> Option<&Away> {
        match &self.rows {
            Rows::Away(away) => Some(away),
            _ => None,
        }
    }

    /// What is known of that table.
    pub(crate) fn home(&self) -> Option<&Home> {
        self.away().map(|away| &*away.home)
    }

    /// How many rows there are, and whether all of them can be seen: a file may have totals.
    fn count(&self) -> (u64, bool) {
        match &self.rows {
            Rows::Memory { batches, all_rows } => {
                let seen =
                    |b: &Batch| (0..b.len()).filter(|i| *all_rows || counts(b.mark(*i))).count() as u64;
                (batches.iter().map(seen).sum(), true)
            }
            Rows::File { file, all_rows } => (file.rows(), *all_rows || file.all_data()),
            Rows::Away(away) => (away.home.rows, true),
        }
    }
}

#[async_trait::async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
    fn table_type(&self) -> TableType {
        TableType::Base
    }
    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> EngineResult<Arc<dyn ExecutionPlan>> {
        let every: Vec<usize> = (0..self.stored.len()).collect();
        let wanted = projection.unwrap_or(&every);
        let stored: Vec<Stored> = wanted.iter().filter_map(|i| self.stored.get(*i).copied()).collect();
        let schema = Arc::new(self.schema.project(wanted)?);
        match &self.rows {
            Rows::Memory { batches, all_rows } => {
                let made = batches.iter().map(|b| record_batch(&schema, &stored, b, *all_rows));
                let parts = [made.collect::<EngineResult<Vec<_>>>()?];
                Ok(MemorySourceConfig::try_new_exec(&parts, schema, None)?)
            }
            Rows::File { file, all_rows } => {
                let columns = stored.into_iter().zip(schema.fields().iter().map(|f| f.name().as_str()));
                file.scan(&columns.collect::<Vec<_>>(), *all_rows, limit)
            }
            Rows::Away(away) => {
                let wanted: Vec<(usize, Stored)> = wanted.iter().copied().zip(stored).collect();
                let parts = [fetch(away, &self.schema, &wanted, filters, limit).await?];
                Ok(MemorySourceConfig::try_new_exec(&parts, schema, None)?)
            }
        }
    }

    /// A database may leave rows out that no condition lets through; the engine looks at the rest again.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> EngineResult<Vec<TableProviderFilterPushDown>> {
        let support = match self.rows {
            Rows::Away(_) => TableProviderFilterPushDown::Inexact,
            _ => TableProviderFilterPushDown::Unsupported,
        };
        Ok(vec![support; filters.len()])
    }
}

//! Rows of a table in a database, fetched to be computed on here: only the columns that are needed, and only the rows that the
//! conditions let through that can be written.

use super::expr::conditions;
use super::key::column_of;
use super::run::{Shipping, gone};
use super::{Writer, full_name};
use crate::clock::Clock;
use crate::table::Stored;
use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DFSchema, DataFusionError, Result as EngineResult, TableReference};
use datafusion::logical_expr::Expr;
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_core::seam::database::{Database, Statement};
use tabletalk_core::{Home, Kind, Result};

/// A table whose rows are in a database, for one statement.
#[derive(Debug, Clone)]
pub(crate) struct Away {
    pub(crate) database: Arc<dyn Database>,
    pub(crate) home: Box<Home>,
    /// The relation, for what is said of it.
    pub(crate) relation: String,
    /// How the statement goes on, known once it runs.
    pub(crate) shipping: Arc<Mutex<Option<Shipping>>>,
}

impl Away {
    /// Says how the statement goes on that reads it.
    pub(crate) fn goes_on(&self, shipping: &Shipping) {
        *self.shipping.lock().unwrap_or_else(PoisonError::into_inner) = Some(shipping.clone());
    }

    fn shipping(&self) -> Option<Shipping> {
        self.shipping.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Fetches the wanted columns of the rows that pass the conditions, as far as those can be written.
pub(crate) async fn fetch(
    away: &Away,
    schema: &SchemaRef,
    wanted: &[(usize, Stored)],
    filters: &[Expr],
    limit: Option<usize>,
) -> EngineResult<Vec<RecordBatch>> {
    let Some(shipping) = away.shipping() else {
        return Err(DataFusionError::Internal("a table elsewhere was read outside of a statement".into()));
    };
    let statement = statement(away, schema, wanted, filters, limit)?;
    let fields = Arc::new(schema.project(&wanted.iter().map(|(i, _)| *i).collect::<Vec<_>>())?);
    let (database, relation) = (away.database.clone(), away.relation.clone());
    let work = move || shipping.fetch(&*database, &relation, &statement);
    let fetched = tokio::task::spawn_blocking(work).await;
    let batches = fetched.map_err(|e| DataFusionError::External(Box::new(e)))?.map_err(gone)?;
    batches.into_iter().map(|(arrays, rows)| record_batch(&fields, arrays, rows)).collect()
}

fn record_batch(schema: &SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> EngineResult<RecordBatch> {
    let arrays = arrays.iter().zip(schema.fields()).map(|(array, field)| cast(array, field.data_type()));
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?)
}

fn statement(
    away: &Away,
    schema: &SchemaRef,
    wanted: &[(usize, Stored)],
    filters: &[Expr],
    limit: Option<usize>,
) -> EngineResult<Statement> {
    let letters = away.database.letters().map_err(gone)?;
    let mut writer = Writer::new(&[], letters);
    let items: Vec<_> = (0..schema.fields().len()).map(|i| column_of(&away.home, i, "t")).collect();
    let table = TableReference::bare(away.relation.clone());
    let known = Arc::new(DFSchema::try_from_qualified_schema(table, schema)?.strip_qualifiers());
    let filters: Vec<Expr> = filters.iter().cloned().map(unqualified).collect();
    let written = conditions(&mut writer, &filters, &known, &items);
    let columns: Vec<String> = wanted
        .iter()
        .filter_map(|(i, _)| items.get(*i))
        .enumerate()
        .map(|(n, item)| format!("{} AS c{n}", item.sql))
        .collect();
    // A table of which no column is wanted still has rows.
    let columns = if columns.is_empty() { vec!["1 AS c0".to_owned()] } else { columns };
    let mut sql = format!("SELECT {} FROM {} AS t", columns.join(", "), full_name(&away.home));
    if !written.is_empty() {
        sql.push_str(&format!(" WHERE {}", written.join(" AND ")));
    }
    if let Some(limit) = limit.filter(|_| written.len() == filters.len()) {
        sql.push_str(&format!(" LIMIT {limit}"));
    }
    let kind = |(i, _): &(usize, Stored)| crate::cell::kind_of(schema.field(*i).data_type());
    let mut kinds: Vec<Kind> = wanted.iter().map(kind).collect();
    if kinds.is_empty() {
        kinds.push(Kind::Integer);
    }
    Ok(Statement { sql, texts: writer.into_texts(), kinds })
}

/// A condition with its columns named without their table: there is only one.
fn unqualified(filter: Expr) -> Expr {
    use datafusion::common::tree_node::{Transformed, TreeNode};
    let plain = |expr: Expr| {
        Ok(match expr {
            Expr::Column(mut column) => {
                column.relation = None;
                Transformed::yes(Expr::Column(column))
            }
            other => Transformed::no(other),
        })
    };
    filter.clone().transform(plain).map_or(filter, |done| done.data)
}

/// Whether there is still time.
pub(super) fn is_over(clock: &Clock) -> bool {
    clock.check().is_err()
}

//! What a statement gave.

use crate::Cell;
use crate::cell::{Values, kind_of};
use crate::constant::constants;
use crate::{Limits, fault};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use tabletalk_core::{Kind, Result};

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Its name: the column's, its alias, or the expression as it was written.
    pub name: String,
    /// The type of its values.
    pub kind: Kind,
    /// Whether its values stand in the statement and not in a relation: `SELECT 42 FROM t`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_constant: bool,
}

/// What a result rests on in one relation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// The name of the relation.
    pub relation: String,
    /// How many of its rows entered the result.
    pub count: u64,
    /// The numbers of those rows in the source, ascending; the first thousand.
    pub rows: Vec<u64>,
    /// The columns of the relation that the statement names.
    pub columns: Vec<String>,
    /// The number of the row behind each row of the result, where each stands for one row of this relation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_result: Option<Vec<u64>>,
    /// The primary key of the row behind each row of the result, where the rows live in a database.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// What ran in a database, and what came from there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Shipped {
    /// The address of the database.
    pub to: String,
    /// The relation whose rows were fetched; empty where the whole statement ran there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// What ran there.
    pub sql: String,
    /// The texts that `$1` and so on stand for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// Rows that came over the wire.
    pub rows: u64,
    /// Bytes of their values.
    pub bytes: u64,
    /// Milliseconds that it took.
    pub ms: f64,
    /// Whether it was the whole statement.
    pub is_whole: bool,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a statement gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// The columns.
    pub columns: Vec<Output>,
    /// The rows, each as long as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Whether rows were left out because a limit was reached.
    pub truncated: bool,
    /// How many rows were looked at.
    pub rows_read: u64,
    /// How many rows the relations that were named have.
    pub rows_total: u64,
    /// What the result rests on, one entry a relation.
    pub used: Vec<Used>,
    /// What ran in databases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shipped: Vec<Shipped>,
    /// Milliseconds that it took.
    pub ms: f64,
}

/// The columns of a result under the names that the query gives them.
pub(crate) fn outputs(plan: &LogicalPlan, names: &[String]) -> Vec<Output> {
    let constants = constants(plan);
    let output = |(i, field): (usize, &std::sync::Arc<datafusion::arrow::datatypes::Field>)| Output {
        name: names.get(i).unwrap_or(field.name()).clone(),
        kind: kind_of(field.data_type()),
        is_constant: constants.get(i).copied().unwrap_or(false),
    };
    let schema: &Schema = plan.schema().as_arrow();
    schema.fields().iter().enumerate().map(output).collect()
}

/// Rows as they come, until a limit is reached.
pub(crate) struct Rows {
    pub(crate) rows: Vec<Vec<Cell>>,
    pub(crate) truncated: bool,
    bytes: usize,
    width: usize,
}

impl Rows {
    /// Takes all rows of a stream; `rest` is given what stands behind the first `width` columns.
    pub(crate) async fn collect(
        mut stream: SendableRecordBatchStream,
        width: usize,
        limits: &Limits,
        rest: &mut (dyn FnMut(&RecordBatch, usize) -> Result<()> + Send),
    ) -> Result<Rows> {
        let mut rows = Rows { rows: Vec::new(), truncated: false, bytes: 0, width };
        while let Some(batch) = stream.next().await {
            let batch = batch.map_err(fault::explain)?;
            let taken = rows.take(&batch, limits)?;
            rest(&batch, taken)?;
            if rows.truncated {
                break;
            }
        }
        Ok(rows)
    }

    fn take(&mut self, batch: &RecordBatch, limits: &Limits) -> Result<usize> {
        let columns: Vec<Values> =
            batch.columns().iter().take(self.width).map(Values::new).collect::<Result<_>>()?;
        for i in 0..batch.num_rows() {
            let row: Vec<Cell> = columns.iter().map(|c| c.cell(i)).collect();
            self.bytes += row.iter().map(Cell::bytes).sum::<usize>();
            if self.rows.len() >= limits.rows || self.bytes > limits.bytes {
                self.truncated = true;
                return Ok(i);
            }
            self.rows.push(row);
        }
        Ok(batch.num_rows())
    }
}

//! The result of a statement: as values of Python, and as Arrow.

use crate::arrow;
use crate::fault::check;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, RecordBatchOptions,
    StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDate, PyDateTime, PyTuple};
use serde_json::{Value, json};
use std::sync::Arc;
use tabletalk::sql::{Cell, Ran};
use tabletalk::view;
use tabletalk_core::{Error, Kind, value};

/// What a statement gave.
#[pyclass(frozen)]
pub(crate) struct Result {
    ran: Ran,
}

impl Result {
    pub(crate) fn new(ran: Ran) -> Self {
        Result { ran }
    }
}

#[pymethods]
impl Result {
    /// What a statement gave, as a server writes it.
    #[staticmethod]
    fn of_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        check(py, read(text)).map(Result::new)
    }

    /// All but the rows, as JSON.
    fn about(&self) -> String {
        view::ran(&Ran { rows: Vec::new(), ..self.ran.clone() }).to_string()
    }

    fn __len__(&self) -> usize {
        self.ran.rows.len()
    }

    /// The rows as tuples.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let row = |row: &Vec<Cell>| {
            let values = row.iter().map(|c| value_of(py, c)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, values)
        };
        self.ran.rows.iter().map(row).collect()
    }

    /// The rows as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer give what it has when it cannot cast.
        drop(requested_schema);
        arrow::export(py, check(py, batch(&self.ran))?)
    }
}

/// Reads what [`view::ran`] writes.
fn read(text: &str) -> tabletalk::Result<Ran> {
    let mut value: Value = serde_json::from_str(text)?;
    let rows = value["rows"].take();
    value["rows"] = json!([]);
    let mut ran: Ran = serde_json::from_value(value)?;
    let kinds: Vec<Kind> = ran.columns.iter().map(|c| c.kind).collect();
    let row = |row: &Value| {
        let cells = row.as_array().map_or(&[][..], Vec::as_slice);
        cells.iter().zip(&kinds).map(|(cell, kind)| cell_of(cell, *kind)).collect()
    };
    ran.rows = rows.as_array().map_or(&[][..], Vec::as_slice).iter().map(row).collect();
    Ok(ran)
}

fn cell_of(written: &Value, kind: Kind) -> Cell {
    let text = written.as_str();
    let read = match kind {
        Kind::Integer => written.as_i64().map(Cell::Integer),
        Kind::Decimal => written.as_f64().map(Cell::Decimal),
        Kind::Boolean => written.as_bool().map(Cell::Boolean),
        Kind::Date => text.and_then(value::date).map(Cell::Date),
        Kind::DateTime => text.and_then(value::datetime).map(Cell::DateTime),
        Kind::Text => text.map(|text| Cell::Text(text.to_owned())),
    };
    read.unwrap_or(Cell::Null)
}

fn value_of<'py>(py: Python<'py>, cell: &Cell) -> PyResult<Bound<'py, PyAny>> {
    Ok(match cell {
        Cell::Null => py.None().into_bound(py),
        Cell::Integer(v) => v.into_pyobject(py)?.into_any(),
        Cell::Decimal(v) => v.into_pyobject(py)?.into_any(),
        Cell::Boolean(v) => v.into_pyobject(py)?.to_owned().into_any(),
        Cell::Text(v) => v.into_pyobject(py)?.into_any(),
        // Those that Python's calendar has not are given as they are written.
        Cell::Date(v) => {
            let text = value::plain_date(*v);
            let made = py.get_type::<PyDate>().call_method1("fromisoformat", (&text,));
            made.or_else(|_| Ok::<_, PyErr>(text.into_pyobject(py)?.into_any()))?
        }
        Cell::DateTime(v) => {
            let text = value::plain_datetime(*v);
            let made = py.get_type::<PyDateTime>().call_method1("fromisoformat", (&text,));
            made.or_else(|_| Ok::<_, PyErr>(text.into_pyobject(py)?.into_any()))?
        }
    })
}

/// The rows as one record batch.
fn batch(ran: &Ran) -> tabletalk::Result<RecordBatch> {
    let fields: Vec<Field> = ran.columns.iter().map(|c| Field::new(&c.name, c.kind.arrow(), true)).collect();
    let columns = ran.columns.iter().enumerate().map(|(i, c)| column(ran, i, c.kind)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(ran.rows.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .map_err(|e| Error::bug(format!("a result is no table: {e}")))
}

fn column(ran: &Ran, i: usize, kind: Kind) -> ArrayRef {
    let cells = ran.rows.iter().map(|row| row.get(i).unwrap_or(&Cell::Null));
    /// Picks the values of one kind of cell; others are null.
    macro_rules! of {
        ($array:ty, $kind:path) => {
            Arc::new(cells.map(|c| if let $kind(v) = c { Some(v.clone()) } else { None }).collect::<$array>())
        };
    }
    match kind {
        Kind::Integer => of!(Int64Array, Cell::Integer),
        Kind::Decimal => of!(Float64Array, Cell::Decimal),
        Kind::Boolean => of!(BooleanArray, Cell::Boolean),
        Kind::Date => of!(Date32Array, Cell::Date),
        Kind::DateTime => of!(TimestampMicrosecondArray, Cell::DateTime),
        Kind::Text => of!(StringArray, Cell::Text),
    }
}

//! Errors of the engine as exceptions of Python, sorted by whose fault they are.

use pyo3::prelude::*;
use tabletalk::Error;

/// The exception for an error: `tabletalk.errors.of` chooses its class.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let made = PyModule::import(py, "tabletalk.errors")
        .and_then(|module| module.call_method1("of", (error.fault().name(), error.message(), error.cure())));
    made.map_or_else(|e| e, PyErr::from_value)
}

/// The value, or the exception for the error.
pub(crate) fn check<T>(py: Python<'_>, result: tabletalk::Result<T>) -> PyResult<T> {
    result.map_err(|e| raise(py, &e))
}

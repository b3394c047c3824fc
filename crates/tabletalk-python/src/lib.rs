//! The engine as a module of Python, `tabletalk._native`. What is public in Python is written in Python, in `python/tabletalk`, on
//! top of this: here are only the calls that need the engine, with JSON or Arrow as their results.
//!
//! This crate must not know how answers are shown, nor HTTP.

mod arrow;
mod call;
mod cells;
mod fault;
mod library;

use parquet::arrow::ArrowWriter;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use tabletalk::{Error, Watch};

/// As in the program: reading tables makes millions of small strings on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Does what the words of a command line say, and gives the exit code.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = tabletalk::cli::main_of(words);
        // The standard library does this at the end of a program, and this is none.
        let _ = std::io::stdout().flush();
        code
    })
}

/// Writes the rows of an Arrow stream to a Parquet file, and says how many there are: a server takes files.
#[pyfunction]
fn write_parquet(py: Python<'_>, stream: Bound<'_, PyAny>, path: PathBuf) -> PyResult<usize> {
    let stream = arrow::import(py, &stream)?;
    call::run(py, call::Listener::default(), move |worker| {
        let failed = |e: parquet::errors::ParquetError| Error::io(e.to_string());
        let (schema, batches) = stream.open()?;
        let mut writer = ArrowWriter::try_new(File::create(&path)?, schema, None).map_err(failed)?;
        let mut rows = 0;
        for batch in batches {
            let batch = batch?;
            if worker.stopped() {
                return Err(Error::limit("interrupted"));
            }
            rows += batch.num_rows();
            writer.write(&batch).map_err(failed)?;
        }
        writer.close().map(|_| rows).map_err(failed)
    })
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(write_parquet, module)?)?;
    module.add_class::<library::Engine>()?;
    module.add_class::<cells::Result>()?;
    module.add_class::<call::Stopper>()
}

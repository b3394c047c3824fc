//! Results as Arrow streams that other libraries read: the structures point into our arrays and keep them until they are released.

use super::abi::{self, NULLABLE};
use super::format;
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_data::ArrayData;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// The numbers of errors in C.
const EINVAL: c_int = 22;

/// A batch as a capsule with a stream.
pub(crate) fn export(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, Streamed(stream(batch)), abi::STREAM)
}

/// A stream in its capsule; whoever takes it leaves one that has nothing to release.
#[repr(transparent)]
struct Streamed(abi::Stream);

// SAFETY: the stream owns what it points to, and it may be read from any thread, by one at a time.
unsafe impl Send for Streamed {}

/// What a stream gives: one batch.
struct Giving {
    batch: RecordBatch,
    is_given: bool,
}

fn stream(batch: RecordBatch) -> abi::Stream {
    let giving = Box::new(Giving { batch, is_given: false });
    abi::Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(giving).cast(),
    }
}

/// # Safety
/// Called with a stream of ours that is not released.
unsafe extern "C" fn get_schema(stream: *mut abi::Stream, out: *mut abi::Schema) -> c_int {
    // SAFETY: a stream of ours keeps this in its private data until it is released.
    let giving = unsafe { &*(*stream).private_data.cast::<Giving>() };
    let Some(schema) = schema_of(&giving.batch) else { return EINVAL };
    // SAFETY: the caller gives a place for the structure.
    unsafe { out.write(schema) };
    0
}

/// # Safety
/// Called with a stream of ours that is not released.
unsafe extern "C" fn get_next(stream: *mut abi::Stream, out: *mut abi::Array) -> c_int {
    // SAFETY: a stream of ours keeps this in its private data until it is released; streams are read by one thread at a time.
    let giving = unsafe { &mut *(*stream).private_data.cast::<Giving>() };
    let array = match std::mem::replace(&mut giving.is_given, true) {
        true => abi::Array::empty(),
        false => {
            let columns = giving.batch.columns().iter().map(column).collect();
            array(giving.batch.num_rows(), 0, vec![ptr::null()], columns, None)
        }
    };
    // SAFETY: the caller gives a place for the structure.
    unsafe { out.write(array) };
    0
}

/// # Safety
/// Called with a stream.
unsafe extern "C" fn get_last_error(_stream: *mut abi::Stream) -> *const c_char {
    c"a result has a type that cannot be given out".as_ptr()
}

/// # Safety
/// Called once with a stream of ours.
unsafe extern "C" fn release_stream(stream: *mut abi::Stream) {
    // SAFETY: the stream is ours and not released yet, so that its private data is the box that was made for it.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Giving>()));
        (*stream).release = None;
    }
}

/// What a schema points to.
struct Named {
    name: CString,
    /// Keeps the list that the structure points to.
    children: Vec<*mut abi::Schema>,
}

fn schema_of(batch: &RecordBatch) -> Option<abi::Schema> {
    let schema = batch.schema();
    let formats: Option<Vec<_>> = schema.fields().iter().map(|f| format::of(f.data_type())).collect();
    let child = |(format, name): (&'static CStr, &String)| {
        Box::into_raw(Box::new(named(format, name, NULLABLE, Vec::new())))
    };
    let children = formats?.into_iter().zip(schema.fields().iter().map(|f| f.name())).map(child).collect();
    Some(named(c"+s", "", 0, children))
}

fn named(format: &'static CStr, name: &str, flags: i64, children: Vec<*mut abi::Schema>) -> abi::Schema {
    let name = CString::new(name.replace('\0', "")).unwrap_or_default();
    let mut kept = Box::new(Named { name, children });
    abi::Schema {
        format: format.as_ptr(),
        name: kept.name.as_ptr(),
        metadata: ptr::null(),
        flags,
        n_children: kept.children.len() as i64,
        children: kept.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(kept).cast(),
    }
}

/// # Safety
/// Called once with a schema of ours.
unsafe extern "C" fn release_schema(schema: *mut abi::Schema) {
    // SAFETY: the schema is ours and not released yet; its children were made by `Box`, and release themselves when they are dropped
    // unless their reader took them away.
    unsafe {
        let kept = Box::from_raw((*schema).private_data.cast::<Named>());
        kept.children.iter().for_each(|child| drop(Box::from_raw(*child)));
        (*schema).release = None;
    }
}

/// What an array points to.
struct Held {
    buffers: Vec<*const c_void>,
    children: Vec<*mut abi::Array>,
    /// Keeps the memory that the buffers are in.
    _data: Option<ArrayData>,
}

fn column(column: &ArrayRef) -> *mut abi::Array {
    let data = column.to_data();
    let nulls = data.nulls().map_or(ptr::null(), |nulls| nulls.validity().as_ptr().cast());
    let mut buffers = vec![nulls];
    buffers.extend(data.buffers().iter().map(|b| b.as_ptr().cast::<c_void>()));
    let nulls = data.null_count() as i64;
    Box::into_raw(Box::new(array(data.len(), nulls, buffers, Vec::new(), Some(data))))
}

fn array(
    length: usize,
    nulls: i64,
    buffers: Vec<*const c_void>,
    children: Vec<*mut abi::Array>,
    data: Option<ArrayData>,
) -> abi::Array {
    let mut held = Box::new(Held { buffers, children, _data: data });
    abi::Array {
        length: length as i64,
        null_count: nulls,
        offset: 0,
        n_buffers: held.buffers.len() as i64,
        n_children: held.children.len() as i64,
        buffers: held.buffers.as_mut_ptr(),
        children: held.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(held).cast(),
    }
}

/// # Safety
/// Called once with an array of ours.
unsafe extern "C" fn release_array(array: *mut abi::Array) {
    // SAFETY: the array is ours and not released yet; its children were made by `Box`, and release themselves when they are dropped
    // unless their reader took them away.
    unsafe {
        let held = Box::from_raw((*array).private_data.cast::<Held>());
        held.children.iter().for_each(|child| drop(Box::from_raw(*child)));
        (*array).release = None;
    }
}

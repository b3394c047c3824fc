//! Arrow streams of other libraries: their memory is borrowed for as long as a batch lives.

use super::abi::{self, NULLABLE, SORTED};
use super::format;
use arrow_array::{Array as _, RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, BufferSpec, layout};
use arrow_schema::{DataType, Field, FieldRef, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, c_char};
use std::ptr::NonNull;
use std::sync::Arc;
use tabletalk_core::{Error, Result};
use tabletalk_read::RecordBatches;

/// A stream that was taken out of its capsule.
pub(crate) struct Imported(Box<abi::Stream>);

// SAFETY: the specification of the stream interface lets a stream be used from any thread, by one at a time.
unsafe impl Send for Imported {}

/// An array of another library, and with it the memory of all its columns.
struct Owner(abi::Array);

// SAFETY: arrays are not changed once they are given out, and may be released from any thread.
unsafe impl Send for Owner {}
// SAFETY: as above.
unsafe impl Sync for Owner {}
impl std::panic::RefUnwindSafe for Owner {}

/// Takes the stream of an object that has `__arrow_c_stream__`.
pub(crate) fn import(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Imported> {
    let given = object.call_method0("__arrow_c_stream__")?;
    let capsule = given.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(abi::STREAM))?.cast::<abi::Stream>();
    // SAFETY: a capsule of this name holds such a structure. It is moved out, and what stays behind has nothing to release.
    let stream = unsafe { pointer.as_ptr().replace(abi::Stream::empty()) };
    match stream.release {
        Some(_) => Ok(Imported(Box::new(stream))),
        None => Err(crate::fault::raise(py, &wrong("the stream was read before"))),
    }
}

fn wrong(why: impl std::fmt::Display) -> Error {
    Error::input(format!("the Arrow stream cannot be read: {why}"))
}

impl Imported {
    /// The columns, and the rows as they come.
    pub(crate) fn open(mut self) -> Result<(SchemaRef, RecordBatches)> {
        let mut given = abi::Schema::empty();
        let get = self.0.get_schema.ok_or_else(|| wrong("it has no schema"))?;
        // SAFETY: the stream is not released, and the function is its own.
        let code = unsafe { get(&mut *self.0, &mut given) };
        self.check(code)?;
        let field = field(&given)?;
        let DataType::Struct(fields) = field.data_type() else {
            return Err(wrong("it is one of single columns, not of tables")
                .hint("add a table or a frame; a column alone has no name"));
        };
        let schema: SchemaRef = Arc::new(arrow_schema::Schema::new(fields.clone()));
        let (data_type, of) = (field.data_type().clone(), schema.clone());
        let batches = std::iter::from_fn(move || self.next(&data_type, &of).transpose());
        Ok((schema, Box::new(batches)))
    }

    fn next(&mut self, data_type: &DataType, schema: &SchemaRef) -> Result<Option<RecordBatch>> {
        let mut given = abi::Array::empty();
        let get = self.0.get_next.ok_or_else(|| wrong("it has no rows"))?;
        // SAFETY: the stream is not released, and the function is its own.
        let code = unsafe { get(&mut *self.0, &mut given) };
        self.check(code)?;
        if given.release.is_none() {
            return Ok(None);
        }
        let owner = Arc::new(Owner(given));
        let rows = StructArray::from(array(&owner.0, data_type, &owner)?);
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let batch = RecordBatch::try_new_with_options(schema.clone(), rows.into_parts().1, &options);
        batch.map(Some).map_err(wrong)
    }

    /// An error of the stream, in its own words.
    fn check(&mut self, code: i32) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the stream is not released; the text is valid until its next call, and is copied before.
        let said = self.0.get_last_error.and_then(|get| unsafe { text(get(&mut *self.0)) });
        Err(wrong(said.unwrap_or_else(|| format!("error {code}"))))
    }
}

/// A text of C, copied.
///
/// # Safety
/// The pointer is null or that of a text that ends with a zero byte.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: as the caller says.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// The structures that a list of pointers leads to.
fn listed<'a, T>(list: *const *mut T, count: i64) -> Result<Vec<&'a T>> {
    let count = usize::try_from(count).map_err(wrong)?;
    let one = |i: usize| {
        // SAFETY: the structure says that its list is so long; each entry is a structure that lives as long as it.
        unsafe { list.add(i).as_ref().and_then(|entry| entry.as_ref()) }
    };
    match count > 0 && list.is_null() {
        true => Err(wrong("a list is missing")),
        false => (0..count).map(|i| one(i).ok_or_else(|| wrong("a part is missing"))).collect(),
    }
}

fn field(given: &abi::Schema) -> Result<FieldRef> {
    // SAFETY: format and name are texts of C, or null.
    let (format, name) = unsafe { (text(given.format), text(given.name).unwrap_or_default()) };
    let children = listed(given.children, given.n_children)?;
    let children = children.into_iter().map(field).collect::<Result<Vec<_>>>()?;
    let format = format.ok_or_else(|| wrong("a column has no type"))?;
    let mut data_type = format::data_type(&format, &children, given.flags & SORTED != 0)
        .map_err(|e| if name.is_empty() { e } else { e.at(&name) })?;
    // SAFETY: null, or the structure of the dictionary's values.
    if let Some(values) = unsafe { given.dictionary.as_ref() } {
        data_type = DataType::Dictionary(Box::new(data_type), Box::new(field(values)?.data_type().clone()));
    }
    Ok(Arc::new(Field::new(name, data_type, given.flags & NULLABLE != 0)))
}

/// The data of an array and of all that is in it, checked.
fn array(given: &abi::Array, data_type: &DataType, owner: &Arc<Owner>) -> Result<ArrayData> {
    let length = usize::try_from(given.length).map_err(wrong)?;
    let offset = usize::try_from(given.offset).map_err(wrong)?;
    let end = length.checked_add(offset).ok_or_else(|| wrong("it is too long"))?;
    let buffers = Buffers { given, owner, next: 0, end };
    let (nulls, buffers) = buffers.all(data_type)?;
    let mut children = Vec::new();
    if let DataType::Dictionary(_, values) = data_type {
        // SAFETY: null, or the structure of the dictionary's values.
        let dictionary =
            unsafe { given.dictionary.as_ref() }.ok_or_else(|| wrong("a dictionary is missing"))?;
        children.push(array(dictionary, values, owner)?);
    }
    for (child, inner) in listed(given.children, given.n_children)?.into_iter().zip(inner(data_type)) {
        children.push(array(child, inner, owner)?);
    }
    ArrayData::builder(data_type.clone())
        .len(length)
        .offset(offset)
        .null_bit_buffer(nulls)
        .buffers(buffers)
        .child_data(children)
        .align_buffers(true)
        .build()
        .map_err(wrong)
}

/// The types of what is inside a type.
fn inner(data_type: &DataType) -> Vec<&DataType> {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|f| f.data_type()).collect(),
        DataType::List(f) | DataType::LargeList(f) | DataType::FixedSizeList(f, _) | DataType::Map(f, _) => {
            vec![f.data_type()]
        }
        _ => Vec::new(),
    }
}

/// The buffers of an array, one after the other.
struct Buffers<'a> {
    given: &'a abi::Array,
    owner: &'a Arc<Owner>,
    next: usize,
    /// Rows that buffers reach to: length and offset.
    end: usize,
}

impl Buffers<'_> {
    /// Which values are there, and the buffers that the type has.
    fn all(mut self, data_type: &DataType) -> Result<(Option<Buffer>, Vec<Buffer>)> {
        let layout = layout(data_type);
        let nulls = match layout.can_contain_null_mask {
            true => self.maybe(self.end.div_ceil(8))?,
            false => None,
        };
        let mut buffers: Vec<Buffer> = Vec::new();
        for spec in &layout.buffers {
            let bytes = match spec {
                BufferSpec::FixedWidth { byte_width, .. } => self.width(data_type, *byte_width)?,
                BufferSpec::BitMap => self.end.div_ceil(8),
                BufferSpec::VariableWidth => last_offset(data_type, buffers.first(), self.end)?,
                BufferSpec::AlwaysNull => 0,
            };
            buffers.push(self.maybe(bytes)?.unwrap_or_else(|| Buffer::from(Vec::<u8>::new())));
        }
        if layout.variadic {
            self.variadic(&mut buffers)?;
        }
        Ok((nulls, buffers))
    }

    /// Bytes of a buffer whose entries have one width. Offsets are one more than rows; of no rows there may be none.
    fn width(&self, data_type: &DataType, byte_width: usize) -> Result<usize> {
        use DataType::{Binary, LargeBinary, LargeList, LargeUtf8, List, Map, Utf8};
        let is_offsets =
            matches!(data_type, Utf8 | LargeUtf8 | Binary | LargeBinary | List(_) | LargeList(_) | Map(..));
        let entries = if is_offsets && !self.is_null(self.next) { self.end + 1 } else { self.end };
        entries.checked_mul(byte_width).ok_or_else(|| wrong("it is too long"))
    }

    fn pointer(&self, i: usize) -> *const u8 {
        match i < usize::try_from(self.given.n_buffers).unwrap_or(0) && !self.given.buffers.is_null() {
            // SAFETY: the array says that it has so many buffers.
            true => unsafe { *self.given.buffers.add(i) }.cast(),
            false => std::ptr::null(),
        }
    }

    fn is_null(&self, i: usize) -> bool {
        self.pointer(i).is_null()
    }

    /// The next buffer, which has so many bytes; none where its pointer is null.
    fn maybe(&mut self, bytes: usize) -> Result<Option<Buffer>> {
        let pointer = self.pointer(self.next);
        self.next += 1;
        let Some(pointer) = NonNull::new(pointer.cast_mut()) else { return Ok(None) };
        // SAFETY: by the layout of the type, which its producer promises, the buffer has at least so many bytes; it lives as long
        // as the array, which the buffer keeps.
        Ok(Some(unsafe { Buffer::from_custom_allocation(pointer, bytes, self.owner.clone()) }))
    }

    /// The buffers of long texts: how long each is stands in the last one.
    fn variadic(&mut self, buffers: &mut Vec<Buffer>) -> Result<()> {
        let all = usize::try_from(self.given.n_buffers).map_err(wrong)?;
        let count = all.saturating_sub(self.next + 1);
        let lengths = self.pointer(all.saturating_sub(1)).cast::<i64>();
        if lengths.is_null() && count > 0 {
            return Err(wrong("the lengths of its texts are missing"));
        }
        for i in 0..count {
            // SAFETY: the last buffer has one length for each of the others.
            let bytes = unsafe { lengths.add(i).read_unaligned() };
            let buffer = self.maybe(usize::try_from(bytes).map_err(wrong)?)?;
            buffers.push(buffer.unwrap_or_else(|| Buffer::from(Vec::<u8>::new())));
        }
        Ok(())
    }
}

/// Where the last text ends: as many bytes has the buffer of the texts.
fn last_offset(data_type: &DataType, offsets: Option<&Buffer>, end: usize) -> Result<usize> {
    let Some(offsets) = offsets.filter(|b| !b.is_empty()) else { return Ok(0) };
    let is_large = matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary);
    let last = match is_large {
        true => offsets.get(end * 8..).and_then(|b| b.first_chunk()).map(|b| i64::from_ne_bytes(*b)),
        false => offsets.get(end * 4..).and_then(|b| b.first_chunk()).map(|b| i32::from_ne_bytes(*b).into()),
    };
    usize::try_from(last.unwrap_or(0)).map_err(wrong)
}

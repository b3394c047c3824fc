//! A text function that can neither fill the memory nor outlive its statement.
//!
//! The memory pool of the query engine does not see what functions return, and a function that has begun on
//! a batch of rows does not end before its last one. Here the result is foreseen before it is made, made in
//! pieces between which the clock is looked at, and counted in the pool while it lives.

use super::window::Bounds;
use bytes::Bytes;
use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::types::{Int64Type, StringViewType};
use datafusion::arrow::array::{Array, ArrayRef, GenericByteViewArray, StringViewArray};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::{cast, concat};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The most bytes that one call may return for a batch of rows. A batch holds a mebibyte of text where it
/// comes from a table (`pace`), so only a function that makes texts longer gets there.
const BATCH: usize = 16 << 20;

/// The most bytes of one text.
pub(crate) const VALUE: usize = 64 << 10;

/// The bytes, read and made, after which a function looks at the clock. The slowest, a regular expression
/// that falls back to its slowest engine, takes a tenth of a second for them.
const PIECE: usize = 1 << 20;

/// The most bytes of a text that is looked for in another. Some functions compare at every place, so their
/// time is the product of both lengths: of the longest two it is a quarter of a second.
const NEEDLE: usize = 4 << 10;

/// The most bytes of the letters that a text is trimmed of: every letter is compared with all of them.
const TRIMMED: usize = 128;

/// A text that differs from row to row is looked for with a search that is built for that row; building it
/// takes as long as reading about so many times its length.
const BUILDING: usize = 64;

/// How long the result of a function may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Growth {
    /// It is no text.
    Nothing,
    /// As long as its first argument, give or take the width of letters.
    Copied,
    /// As long as all arguments together.
    Joined,
    /// As long as all arguments together, with the first between any two.
    Separated,
    /// Every place of the first argument may become the third.
    Replaced,
    /// The first argument as many times as the second says.
    Repeated,
    /// As many letters as the second argument says.
    Padded,
    /// Every letter of the second argument may become a part of a date; the longest, `%+`, has 35.
    Formatted,
}

/// A text function with a bound.
#[derive(Debug)]
pub(crate) struct Bounded {
    inner: Arc<ScalarUDF>,
    growth: Growth,
    /// The most bytes of its second argument, where it looks for that in its first.
    needle: Option<usize>,
    bounds: Bounds,
}

impl Bounded {
    pub(crate) fn new(inner: Arc<ScalarUDF>, growth: Growth, bounds: &Bounds) -> Self {
        let most = if inner.name().ends_with("trim") { TRIMMED } else { NEEDLE };
        let needle = super::SEARCHING.contains(&inner.name()).then_some(most);
        Bounded { inner, growth, needle, bounds: bounds.clone() }
    }
}

impl PartialEq for Bounded {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Bounded {}

impl Hash for Bounded {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl ScalarUDFImpl for Bounded {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn signature(&self) -> &Signature {
        self.inner.signature()
    }
    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arg_types)
    }
    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match self.growth {
            Growth::Nothing => self.inner.return_type(arg_types),
            _ => Ok(DataType::Utf8View),
        }
    }
    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        // Asked again and again while a statement is planned, so its planning can end here.
        self.bounds.clock.tick()?;
        // Asked for its checks too; the type of a text is always a view.
        let field = self.inner.return_field_from_args(args)?;
        Ok(match self.growth {
            Growth::Nothing => field,
            _ => Arc::new(Field::new(self.name(), DataType::Utf8View, true)),
        })
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let pieces = self.pieces(&args)?;
        let mut made: Vec<ArrayRef> = Vec::with_capacity(pieces.len());
        let mut texts = Texts { given: given(&args), bytes: 0 };
        for (from, rows) in pieces {
            self.bounds.clock.tick()?;
            let piece = self.piece(&args, from, rows)?;
            made.push(match self.growth {
                Growth::Nothing => piece,
                _ => self.held(&piece, &mut texts)?,
            });
        }
        match made.as_slice() {
            [one] => Ok(ColumnarValue::Array(one.clone())),
            many => {
                let parts: Vec<&dyn Array> = many.iter().map(AsRef::as_ref).collect();
                Ok(ColumnarValue::Array(concat(&parts)?))
            }
        }
    }
}

/// The texts of a batch: where those that were given lie, and how many bytes were made.
struct Texts {
    given: Vec<*const u8>,
    bytes: usize,
}

fn too_much(name: &str) -> DataFusionError {
    DataFusionError::ResourcesExhausted(format!("{name} makes texts that are too long"))
}

impl Bounded {
    /// Runs of rows that are soon done, and whose results are not too long together.
    fn pieces(&self, args: &ScalarFunctionArgs) -> Result<Vec<(usize, usize)>> {
        let lengths: Vec<Lengths> = args.args.iter().map(Lengths::new).collect::<Result<_>>()?;
        let texts: Vec<bool> = args.args.iter().map(|a| is_text(&a.data_type())).collect();
        let mut pieces = Vec::new();
        let (mut from, mut bytes) = (0, 0usize);
        for row in 0..args.number_rows {
            let made = self.growth.bound(&lengths, row);
            if made > BATCH {
                return Err(too_much(self.name()));
            }
            if let (Some(most), Some(needle)) = (self.needle, lengths.get(1))
                && needle.at(row) > most
            {
                return Err(DataFusionError::ResourcesExhausted(format!(
                    "{} looks for a text of more than {most} bytes",
                    self.name()
                )));
            }
            let next = made.saturating_add(self.read(&lengths, &texts, row));
            if bytes.saturating_add(next) > PIECE && row > from {
                pieces.push((from, row - from));
                (from, bytes) = (row, 0);
            }
            bytes = bytes.saturating_add(next);
        }
        pieces.push((from, args.number_rows - from));
        Ok(pieces)
    }

    /// The bytes that it looks at for one row.
    fn read(&self, lengths: &[Lengths], texts: &[bool], row: usize) -> usize {
        let arguments = lengths.iter().zip(texts).enumerate().filter(|(_, (_, is_text))| **is_text);
        let read =
            arguments.map(|(number, (length, _))| match (self.needle.is_some() && number == 1, length) {
                (true, Lengths::Each(_)) => length.at(row).saturating_mul(BUILDING),
                _ => length.at(row),
            });
        read.fold(0, usize::saturating_add)
    }

    fn piece(&self, args: &ScalarFunctionArgs, from: usize, rows: usize) -> Result<ArrayRef> {
        let cut = |arg: &ColumnarValue| match arg {
            ColumnarValue::Array(array) => ColumnarValue::Array(array.slice(from, rows)),
            scalar => scalar.clone(),
        };
        let scalars: Vec<_> =
            args.args.iter().map(|a| if let ColumnarValue::Scalar(s) = a { Some(s) } else { None }).collect();
        let field_args = ReturnFieldArgs { arg_fields: &args.arg_fields, scalar_arguments: &scalars };
        let return_field = self.inner.return_field_from_args(field_args)?;
        let result = self.inner.invoke_with_args(ScalarFunctionArgs {
            args: args.args.iter().map(cut).collect(),
            arg_fields: args.arg_fields.clone(),
            number_rows: rows,
            return_field,
            config_options: args.config_options.clone(),
        })?;
        result.into_array(rows)
    }

    /// Texts that were made, counted in the memory of the run.
    fn held(&self, piece: &ArrayRef, texts: &mut Texts) -> Result<ArrayRef> {
        let array = cast(piece, &DataType::Utf8View)?;
        let array = array.as_string_view().clone();
        if array.lengths().any(|n| n as usize > VALUE) && self.growth != Growth::Copied {
            return Err(too_much(self.name()));
        }
        let new = array.data_buffers().iter().filter(|b| !texts.given.contains(&b.as_ptr()));
        texts.bytes = texts.bytes.saturating_add(new.map(Buffer::len).sum());
        match texts.bytes > BATCH {
            true => Err(too_much(self.name())),
            false => Ok(Arc::new(hold(array, &texts.given, &self.bounds.memory)?)),
        }
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The lengths of a text argument, or the values of a whole-number argument.
enum Lengths {
    One(usize),
    Each(Vec<usize>),
}

impl Lengths {
    fn new(arg: &ColumnarValue) -> Result<Self> {
        match arg {
            ColumnarValue::Scalar(scalar) => {
                let one = each(&scalar.to_array()?)?;
                Ok(Lengths::One(one.first().copied().unwrap_or(0)))
            }
            ColumnarValue::Array(array) => Ok(Lengths::Each(each(array)?)),
        }
    }
    fn at(&self, row: usize) -> usize {
        match self {
            Lengths::One(n) => *n,
            Lengths::Each(all) => all.get(row).copied().unwrap_or(0),
        }
    }
}

fn each(array: &ArrayRef) -> Result<Vec<usize>> {
    Ok(match array.data_type() {
        DataType::Utf8View => array.as_string_view().lengths().map(|n| n as usize).collect(),
        DataType::Utf8 => array.as_string::<i32>().offsets().lengths().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().offsets().lengths().collect(),
        t if t.is_integer() => {
            let wide = cast(array, &DataType::Int64)?;
            let count = |v: Option<i64>| usize::try_from(v.unwrap_or(0)).unwrap_or(0);
            wide.as_primitive::<Int64Type>().iter().map(count).collect()
        }
        _ => vec![32; array.len()],
    })
}

impl Growth {
    /// The most bytes of the result for one row.
    fn bound(self, args: &[Lengths], row: usize) -> usize {
        let arg = |i: usize| args.get(i).map_or(0, |a| a.at(row));
        match self {
            Growth::Nothing => 0,
            Growth::Copied => arg(0).saturating_mul(4),
            Growth::Joined => args.iter().fold(0, |sum: usize, a| sum.saturating_add(a.at(row))),
            Growth::Separated => {
                args.iter().fold(0, |sum: usize, a| sum.saturating_add(a.at(row)).saturating_add(arg(0)))
            }
            Growth::Replaced => arg(0).saturating_add(1).saturating_mul(arg(2).saturating_add(1)),
            Growth::Repeated => arg(0).saturating_mul(arg(1)),
            Growth::Padded => arg(1).saturating_mul(4).saturating_add(arg(0)),
            Growth::Formatted => arg(1).saturating_mul(18),
        }
    }
}

/// Bytes that are counted in the memory of a run until they are dropped.
struct Held {
    bytes: Buffer,
    _counted: MemoryReservation,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Where the texts of the arguments lie. A part of a text stays where it is and costs nothing.
fn given(args: &ScalarFunctionArgs) -> Vec<*const u8> {
    let views = args.args.iter().filter_map(|arg| match arg {
        ColumnarValue::Array(array) => array.as_string_view_opt(),
        ColumnarValue::Scalar(_) => None,
    });
    views.flat_map(|v| v.data_buffers()).map(|b| b.as_ptr()).collect()
}

fn hold(
    array: StringViewArray,
    given: &[*const u8],
    memory: &Arc<dyn MemoryPool>,
) -> Result<StringViewArray> {
    let (views, buffers, nulls) = array.into_parts();
    let mut held = Vec::with_capacity(buffers.len());
    for bytes in buffers.iter().cloned() {
        if given.contains(&bytes.as_ptr()) {
            held.push(bytes);
            continue;
        }
        let counted = MemoryConsumer::new("texts").register(memory);
        counted.try_grow(bytes.len())?;
        held.push(Buffer::from(Bytes::from_owner(Held { bytes, _counted: counted })));
    }
    Ok(GenericByteViewArray::<StringViewType>::try_new(views, held, nulls)?)
}

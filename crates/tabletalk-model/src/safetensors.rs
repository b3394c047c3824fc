//! Tensors of a safetensors file, by their names.

use serde_json::Value;

/// The tensors of a file.
pub(crate) struct Tensors<'a> {
    header: Value,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// Nothing when the file is damaged.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Tensors<'a>> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (header, data) = rest.split_at_checked(length)?;
        Some(Tensors { header: serde_json::from_slice(header).ok()?, data })
    }

    /// How long a tensor is in each direction.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.numbers(name, "shape")
    }

    /// A tensor of 32-bit numbers.
    pub(crate) fn floats(&self, name: &str) -> Option<Vec<f32>> {
        let bytes = self.of_type(name, "F32")?.as_chunks::<4>().0;
        Some(bytes.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }

    /// A tensor of signed bytes.
    pub(crate) fn bytes(&self, name: &str) -> Option<&'a [u8]> {
        self.of_type(name, "I8")
    }

    fn of_type(&self, name: &str, kind: &str) -> Option<&'a [u8]> {
        (self.header.get(name)?.get("dtype")?.as_str()? == kind).then_some(())?;
        let &[from, to] = self.numbers(name, "data_offsets")?.as_slice() else { return None };
        self.data.get(from..to)
    }

    fn numbers(&self, name: &str, key: &str) -> Option<Vec<usize>> {
        let all = self.header.get(name)?.get(key)?.as_array()?;
        all.iter().map(|n| n.as_u64().and_then(|n| usize::try_from(n).ok())).collect()
    }
}

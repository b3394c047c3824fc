//! How the numbers of a table are written: `1,234.56`, `1.234,56`, `1 234,56`, `1'234.56`.
//!
//! A lone `1.234` or `1,500` can be read in two ways. Which one is meant is a matter of the table, not of the
//! cell, so whoever reads a column collects the [`Marks`] of its cells first and decides on one [`Style`].

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What stands before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decimal {
    /// `0.5`.
    #[default]
    Point,
    /// `0,5`.
    Comma,
}

/// What stands between groups of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// `1,234`.
    Comma,
    /// `1.234`.
    Point,
    /// `1 234`, whatever the width of the space.
    Space,
    /// `1'234`.
    Apostrophe,
}

impl Group {
    /// The groups in the order in which they are counted.
    pub const ALL: [Group; 4] = [Group::Comma, Group::Point, Group::Space, Group::Apostrophe];

    fn mark(self) -> char {
        match self {
            Group::Comma => ',',
            Group::Point => '.',
            Group::Space => ' ',
            Group::Apostrophe => '\'',
        }
    }
}

/// How numbers are written. It is told, and kept, as the number it would write for 1234.56.
///
/// ```
/// use tabletalk_core::value::{Decimal, Style};
/// let style: Style = "1.234,56".parse()?;
/// assert_eq!((style.decimal, style.to_string().as_str()), (Decimal::Comma, "1.234,56"));
/// # Ok::<(), tabletalk_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Style {
    /// What stands before the decimals.
    pub decimal: Decimal,
    /// What stands between thousands, where some are separated.
    pub group: Option<Group>,
}

impl Style {
    /// Whether it is the way in which numbers are read where nothing speaks for another.
    pub fn is_plain(&self) -> bool {
        self.decimal == Decimal::Point && matches!(self.group, None | Some(Group::Comma))
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = if self.decimal == Decimal::Comma { ',' } else { '.' };
        match self.group {
            Some(group) => write!(f, "1{}234{decimal}56", group.mark()),
            None => write!(f, "1234{decimal}56"),
        }
    }
}

impl FromStr for Style {
    type Err = Error;

    fn from_str(text: &str) -> Result<Style> {
        let groups = std::iter::once(None).chain(Group::ALL.map(Some));
        let all =
            groups.flat_map(|group| [Decimal::Point, Decimal::Comma].map(|decimal| Style { decimal, group }));
        let folded: String = text
            .trim()
            .chars()
            .map(|c| if super::cursor::is_space(c) { ' ' } else { super::cursor::fold(c) })
            .collect();
        let clash = |style: &Style| {
            matches!(
                (style.decimal, style.group),
                (Decimal::Point, Some(Group::Point)) | (Decimal::Comma, Some(Group::Comma))
            )
        };
        all.filter(|style| !clash(style)).find(|style| style.to_string() == folded).ok_or_else(|| {
            Error::input(format!("`{text}` is no way of writing numbers")).hint(
                "write 1234.56 as the table would: 1,234.56 or 1.234,56 or 1 234,56 or 1'234.56 or 1234,56",
            )
        })
    }
}

impl TryFrom<String> for Style {
    type Error = Error;

    fn try_from(text: String) -> Result<Style> {
        text.parse()
    }
}

impl From<Style> for String {
    fn from(style: Style) -> String {
        style.to_string()
    }
}

/// What one number says of the style of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// Which mark is for decimals, as far as this number tells.
    pub vote: Vote,
    /// What separates its groups; that of `1.234` is open and counts for nothing.
    pub group: Option<Group>,
    /// Its groups are separated by plain spaces, as those of telephone numbers are.
    pub is_spaced: bool,
}

/// Which mark is for decimals, as far as one number tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Vote {
    /// It has no mark that could be one.
    #[default]
    None,
    /// It can only be read with this mark.
    Sure(Decimal),
    /// It has this one mark with three digits after it: decimals or a thousand, `1.234` or `1,234`.
    Open(Decimal),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_told_and_kept_as_an_example() {
        for text in ["1,234.56", "1.234,56", "1 234,56", "1'234.56", "1234.56", "1234,56", "1 234.56"] {
            assert_eq!(text.parse::<Style>().map(|s| s.to_string()).ok().as_deref(), Some(text));
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(serde_json::from_str::<Style>(&json).unwrap().to_string(), text);
        }
        assert_eq!("1\u{202f}234,56".parse::<Style>().unwrap(), "1 234,56".parse().unwrap());
        assert_eq!("1’234.56".parse::<Style>().unwrap(), "1'234.56".parse().unwrap());
        for text in ["", "german", "1.234.56", "12"] {
            assert!(text.parse::<Style>().unwrap_err().cure().is_some(), "{text}");
        }
    }
}

//! The shape of a program: what is left of it without columns and values.

use crate::program::{Ask, Fold, Pick, Rows};

/// The shape of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// What is asked, as a number.
    pub ask: u8,
    /// Which rows are picked, as a number.
    pub pick: u8,
}

impl Shape {
    /// The shape of these rows with this ask.
    pub(crate) fn of(rows: &Rows, ask: &Ask) -> Self {
        Shape { ask: ask_number(ask), pick: pick_number(rows) }
    }

    /// Both as one number.
    pub(crate) fn number(self) -> u64 {
        u64::from(self.ask) << 8 | u64::from(self.pick)
    }
}

fn ask_number(ask: &Ask) -> u8 {
    match ask {
        Ask::Cells(_) => 0,
        Ask::Count => 1,
        Ask::Distinct(_) => 2,
        Ask::Fold(Fold::Sum, _) => 3,
        Ask::Fold(Fold::Average, _) => 4,
        Ask::Fold(Fold::Least, _) => 5,
        Ask::Fold(Fold::Most, _) => 6,
        Ask::Fold(Fold::Range, _) => 7,
        Ask::Group { most: true, sum: None, .. } => 8,
        Ask::Group { most: false, sum: None, .. } => 9,
        Ask::Group { most: true, .. } => 10,
        Ask::Group { .. } => 11,
        Ask::Difference(..) => 12,
        Ask::CountDifference(_) => 13,
        Ask::Share(0) => 14,
        Ask::Exists => 15,
        Ask::ShareOf(_, 0) => 21,
        Ask::Share(_) => 30,
        Ask::ShareOf(..) => 31,
        Ask::Apart(fold, ..) => 192 + *fold as u8,
        Ask::Ratio(..) => 200,
        Ask::Growth(..) => 201,
        Ask::RowGrowth(..) => 202,
        Ask::EachColumn(..) => 203,
        Ask::Per(..) => 204,
        Ask::Times(..) => 205,
        Ask::Rank(_, most) => 206 + u8::from(*most),
        Ask::FoldDifference(..) => 22,
        Ask::By(by) => {
            128 + ask_number(&by.ask) % 32
                + if by.limit.is_some() { 32 } else { 0 }
                + if by.having.is_some() { 80 } else { 0 }
        }
        Ask::Across(..) => 24,
        Ask::BestColumn { .. } => 25,
        Ask::Table(_) => 26,
        Ask::Compares(..) => 27,
        Ask::ColumnDifference(..) => 28,
        Ask::FoldExceeds(..) => 29,
        Ask::Every => 16,
        Ask::Exceeds(_, more, _) => 17 + u8::from(*more),
        Ask::Outnumbers(more, _) => 19 + u8::from(*more),
        Ask::Holds(ask, _) => 32 + ask_number(ask) % 32,
        Ask::Denies(ask) => 64 + ask_number(ask) % 64,
    }
}

fn pick_number(rows: &Rows) -> u8 {
    let base = match &rows.pick {
        None => 0,
        Some(Pick::Extreme { most, count, skip, .. }) => 1 + u8::from(*most) + 2 * how_many(*count, *skip),
        Some(Pick::Apart { most, count, .. }) => 16 + u8::from(*most) + 2 * how_many(*count, 0),
        Some(Pick::End { last, count, skip }) => 7 + u8::from(*last) + 2 * how_many(*count, *skip),
    };
    match rows.step {
        0 => base,
        step if step > 0 => 14,
        _ => 15,
    }
}

fn how_many(count: usize, skip: usize) -> u8 {
    if skip > 0 { 2 } else { u8::from(count > 1) }
}

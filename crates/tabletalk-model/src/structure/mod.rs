//! Seeing the cells of a table on its picture.

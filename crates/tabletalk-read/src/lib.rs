//! Reads files into documents with tables understood as tables.

mod typing;

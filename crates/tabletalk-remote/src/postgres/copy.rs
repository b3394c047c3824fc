//! Rows on their way into a table, in the binary format of `COPY`.

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::SinkExt;
use std::pin::pin;
use tabletalk_core::{Error, Result};
use tokio_postgres::Transaction;

/// What the format begins with: a signature, no flags, no further header.
const HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const END: i16 = -1;
/// How many bytes are sent at a time.
const PIECE: usize = 1 << 20;

/// Rows of one table. Every row begins with [`Rows::row`], then come its values in the order of the columns.
pub(super) struct Rows {
    bytes: BytesMut,
    columns: i16,
}

impl Rows {
    /// No rows yet, of so many columns.
    pub(super) fn new(columns: i16) -> Self {
        Rows { bytes: BytesMut::from(HEAD), columns }
    }

    /// Begins a row.
    pub(super) fn row(&mut self) -> &mut Self {
        self.bytes.put_i16(self.columns);
        self
    }

    /// A `bigint`.
    pub(super) fn long(&mut self, value: i64) -> &mut Self {
        self.bytes.put_i32(8);
        self.bytes.put_i64(value);
        self
    }

    /// An `integer`.
    pub(super) fn int(&mut self, value: i32) -> &mut Self {
        self.bytes.put_i32(4);
        self.bytes.put_i32(value);
        self
    }

    /// A `smallint`.
    pub(super) fn short(&mut self, value: i16) -> &mut Self {
        self.bytes.put_i32(2);
        self.bytes.put_i16(value);
        self
    }

    /// A `boolean`.
    pub(super) fn flag(&mut self, value: bool) -> &mut Self {
        self.bytes.put_i32(1);
        self.bytes.put_u8(u8::from(value));
        self
    }

    /// A `bytea` or a `text`.
    pub(super) fn data(&mut self, value: &[u8]) -> Result<&mut Self> {
        self.bytes.put_i32(length(value.len())?);
        self.bytes.put_slice(value);
        Ok(self)
    }

    /// A `jsonb`, given as JSON: a version stands before it.
    pub(super) fn json(&mut self, value: &str) -> Result<&mut Self> {
        self.bytes.put_i32(length(value.len() + 1)?);
        self.bytes.put_u8(1);
        self.bytes.put_slice(value.as_bytes());
        Ok(self)
    }

    /// A `vector`: its length and two bytes for later come first.
    pub(super) fn vector(&mut self, value: &[f32]) -> Result<&mut Self> {
        let dim = i16::try_from(value.len()).map_err(|_| Error::input("a vector is too long"))?;
        self.bytes.put_i32(length(4 + value.len() * 4)?);
        self.bytes.put_i16(dim);
        self.bytes.put_i16(0);
        value.iter().for_each(|x| self.bytes.put_f32(*x));
        Ok(self)
    }

    /// The bytes of all rows, ready to be sent as often as need be.
    pub(super) fn done(mut self) -> Bytes {
        self.bytes.put_i16(END);
        self.bytes.freeze()
    }
}

/// Sends rows into a table; `columns` says in which order their values are.
pub(super) async fn copy(
    transaction: &Transaction<'_>,
    table: &str,
    columns: &str,
    rows: &Bytes,
) -> Result<(), tokio_postgres::Error> {
    let sql = format!("COPY {table} ({columns}) FROM STDIN BINARY");
    let mut sink = pin!(transaction.copy_in(&sql).await?);
    let mut rest = rows.clone();
    while !rest.is_empty() {
        let piece = rest.split_to(rest.len().min(PIECE));
        sink.send(piece).await?;
    }
    sink.finish().await.map(drop)
}

fn length(bytes: usize) -> Result<i32> {
    i32::try_from(bytes)
        .map_err(|_| Error::limit(format!("{bytes} bytes are too many for one value in PostgreSQL")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_as_the_format_wants() {
        let mut rows = Rows::new(3);
        rows.row().long(7).data(b"ab").unwrap().vector(&[1.0]).unwrap();
        let bytes = rows.done();
        let body = &bytes[HEAD.len()..];
        assert_eq!(HEAD.len(), 19);
        assert_eq!(body[..14], [0, 3, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(body[14..20], [0, 0, 0, 2, b'a', b'b']);
        assert_eq!(body[20..], [0, 0, 0, 8, 0, 1, 0, 0, 0x3f, 0x80, 0, 0, 0xff, 0xff]);
    }
}

//! The bytes of a Parquet file, for a decoder that believes what a file says of itself.
//!
//! It skips what it does not know, and does not notice that there is nothing more to skip: a header of a few bytes that
//! speaks of two thousand million numbers keeps it busy for hours. It makes room for as many bytes as are promised before
//! it reads them. Here what a file says of itself is looked through first (`thrift`), the end of the file is an error
//! whoever reads beyond it, and every read is a point at which reading can be stopped.

use super::thrift;
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read, Seek, SeekFrom};
use tabletalk_core::seam::Stop;

/// The bytes after the description of the whole file: its length, and a mark.
const FOOTER: u64 = 8;

/// A file that is read until its end, or until reading is to stop.
pub(super) struct Checked {
    file: File,
    length: u64,
    stop: Stop,
}

impl Checked {
    pub(super) fn new(file: File, stop: &Stop) -> std::io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Checked { file, length, stop: stop.clone() })
    }

    fn piece(&self, start: u64) -> Result<Piece> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(Piece { file: BufReader::new(file), stop: self.stop.clone() })
    }
}

impl Length for Checked {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Checked {
    type T = Piece;

    fn get_read(&self, start: u64) -> Result<Piece> {
        let mut piece = self.piece(start)?;
        // Only the last bytes of the file and the headers of pages are read like this.
        if start != self.length.saturating_sub(FOOTER) {
            let header = thrift::check(&mut piece)?;
            piece.file.seek_relative(-i64::try_from(header).unwrap_or(0))?;
        }
        Ok(piece)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF(format!(
                "it ends before {length} bytes that should be at {start}"
            )));
        }
        let mut buffer = vec![0; length];
        self.piece(start)?.read_exact(&mut buffer)?;
        if start + length as u64 == self.length.saturating_sub(FOOTER) {
            thrift::check(&mut buffer.as_slice())?;
        }
        Ok(buffer.into())
    }
}

/// What follows a place of the file.
pub(super) struct Piece {
    file: BufReader<File>,
    stop: Stop,
}

impl Read for Piece {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.stop.is_set() {
            return Err(Error::other("reading was stopped"));
        }
        match self.file.read(buffer)? {
            0 if !buffer.is_empty() => Err(Error::new(ErrorKind::UnexpectedEof, "the file ends too early")),
            read => Ok(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn checked(stop: &Stop) -> Checked {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        Checked::new(file, stop).unwrap()
    }

    #[test]
    fn nothing_is_read_beyond_the_end_and_no_room_is_made_for_it() {
        let file = checked(&Stop::default());
        assert_eq!(file.get_bytes(2, 3).unwrap().as_ref(), b"234");
        assert_eq!(file.get_bytes(10, 0).unwrap().len(), 0);
        for (start, length) in [(9, 2), (0, usize::MAX), (u64::MAX, 1)] {
            assert!(file.get_bytes(start, length).is_err(), "{start} {length}");
        }
        let mut rest = Vec::new();
        let error = file.piece(8).unwrap().read_to_end(&mut rest).unwrap_err();
        assert_eq!((error.kind(), rest.as_slice()), (ErrorKind::UnexpectedEof, &b"89"[..]));
    }

    #[test]
    fn reading_can_be_stopped_at_every_read() {
        let stop = Stop::default();
        let mut piece = checked(&stop).piece(0).unwrap();
        assert_eq!(piece.read(&mut [0; 1]).unwrap(), 1);
        stop.set();
        assert!(piece.read(&mut [0; 1]).is_err());
    }
}

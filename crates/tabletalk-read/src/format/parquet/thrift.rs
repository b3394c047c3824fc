//! Looks through what a Parquet file says of itself before the decoder does.
//!
//! The decoder skips fields that it does not know, and takes a truth value in a list for something without bytes: seven bytes
//! that speak of 2^31 of them keep it busy for half a minute, and lists of such lists for hours. Parquet has no such list where
//! this looks, and no map. Everything else takes a byte at least, so it ends where the bytes end.

use std::io::{Error, ErrorKind, Read, Result, copy, sink};

/// How deep structures may be in each other, as for the decoder.
const DEEPEST: usize = 64;

/// Reads one structure to its end; gives the number of its bytes.
pub(super) fn check(read: &mut dyn Read) -> Result<u64> {
    let mut walk = Walk { read, bytes: 0 };
    walk.structure(0)?;
    Ok(walk.bytes)
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what.to_owned())
}

struct Walk<'a> {
    read: &'a mut dyn Read,
    bytes: u64,
}

impl Walk<'_> {
    fn byte(&mut self) -> Result<u8> {
        let mut byte = [0];
        self.read.read_exact(&mut byte)?;
        self.bytes += 1;
        let [byte] = byte;
        Ok(byte)
    }

    /// A number of which every byte has seven bits.
    fn number(&mut self) -> Result<u64> {
        let (mut number, mut shift) = (0u64, 0u32);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F).wrapping_shl(shift);
            shift = shift.saturating_add(7);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
    }

    fn skip(&mut self, bytes: u64) -> Result<()> {
        let skipped = copy(&mut (&mut *self.read).take(bytes), &mut sink())?;
        self.bytes += skipped;
        if skipped == bytes { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    fn structure(&mut self, depth: usize) -> Result<()> {
        loop {
            let head = self.byte()?;
            if head & 0x0F == 0 {
                return Ok(());
            }
            if head >> 4 == 0 {
                self.number()?;
            }
            self.value(head & 0x0F, depth + 1)?;
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(wrong("its description is nested too deep"));
        }
        match kind {
            1 | 2 => Ok(()),
            3 => self.skip(1),
            4..=6 => self.number().map(drop),
            7 => self.skip(8),
            8 => self.number().and_then(|length| self.skip(length)),
            9 | 10 => self.list(depth),
            12 => self.structure(depth),
            13 => self.skip(16),
            _ => Err(wrong("its description has a field of an unknown kind")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<()> {
        let head = self.byte()?;
        let (kind, short) = (head & 0x0F, u64::from(head >> 4));
        let size = if short == 15 { self.number()? } else { short };
        if size > 0 && (kind == 1 || kind == 2) {
            return Err(wrong("its description has a list of truth values"));
        }
        (0..size).try_for_each(|_| self.value(kind, depth + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_read_to_their_end() {
        // 1: true, 2: -1, 3: "ab", 4: [1, 2], 5: {1: 0.0}, 30: [], and what follows is left.
        let bytes = b"\x11\x15\x01\x18\x02ab\x19\x25\x02\x04\x1C\x17\0\0\0\0\0\0\0\0\0\x09\x3C\x05\0rest";
        let mut rest = &bytes[..];
        assert_eq!(check(&mut rest).unwrap(), bytes.len() as u64 - 4);
        assert_eq!(rest, b"rest");
    }

    #[test]
    fn what_never_ends_is_refused_and_what_promises_too_much_ends_with_the_bytes() {
        let refused = [
            &b"\x19\xF1\xFF\xFF\xFF\xFF\x07\0"[..],
            b"\x19\xF9\x02\xF2\xFF\xFF\xFF\xFF\x07",
            b"\x1B\x05\x11\0",
            &[0x1C; 200],
        ];
        for bytes in refused {
            assert_eq!(check(&mut { bytes }).unwrap_err().kind(), ErrorKind::InvalidData, "{bytes:?}");
        }
        for bytes in [
            &b"\x19\xF7\xFF\xFF\xFF\xFF\x07\0"[..],
            b"\x18\xFF\xFF\xFF\xFF\x07",
            b"\x19\xFC\xFF\xFF\xFF\xFF\x07\0",
            b"",
        ] {
            assert_eq!(check(&mut { bytes }).unwrap_err().kind(), ErrorKind::UnexpectedEof, "{bytes:?}");
        }
    }
}

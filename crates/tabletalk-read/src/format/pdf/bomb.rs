//! Streams that unpack to far more than they are: they are found before anything is unpacked into memory.

use flate2::read::ZlibDecoder;
use memchr::memmem;
use std::io::Read;
use tabletalk_core::seam::Limits;
use tabletalk_core::{Error, Result};

/// What a stream may unpack to, however small it is.
const ALWAYS: u64 = 64 << 20;
/// No packed byte unpacks to more than this many.
const DENSEST: u64 = 1032;
/// Packed streams in packed streams.
const DEEPEST: usize = 3;

/// Refuses a file with a stream that unpacks past the limits.
pub(super) fn check(bytes: &[u8], limits: &Limits) -> Result<()> {
    let ends = memmem::Finder::new(b"endstream");
    for at in memmem::find_iter(bytes, b"stream") {
        let body = bytes.get(at + 6..).unwrap_or_default();
        let body = body.strip_prefix(b"\r").unwrap_or(body);
        let body = body.strip_prefix(b"\n").unwrap_or(body);
        if !is_packed(body) {
            continue;
        }
        let body = ends.find(body).and_then(|end| body.get(..end)).unwrap_or(body);
        // One that is small and not packed twice cannot grow past what is always allowed.
        let most = ALWAYS
            .max(limits.max_unpack_ratio.saturating_mul(body.len() as u64))
            .min(limits.max_unpacked_bytes);
        if grows_past(body, most) {
            let message = format!("holds {} bytes that unpack to more than {most}", body.len());
            return Err(Error::limit(message).hint("raise max_unpack_ratio if the file is to be trusted"));
        }
    }
    Ok(())
}

/// Whether bytes begin as zlib's do.
fn is_packed(bytes: &[u8]) -> bool {
    matches!(bytes, [0x78, b, ..] if (0x7800 + u32::from(*b)).is_multiple_of(31))
}

fn grows_past(body: &[u8], most: u64) -> bool {
    let mut could_be = body.len() as u64;
    for depth in 1..=DEEPEST {
        could_be = could_be.saturating_mul(DENSEST);
        if could_be > most && count(unpacked(body, depth), most) > most {
            return true;
        }
        let mut head = Vec::new();
        // What cannot be unpacked gives nothing; the decoder says so later.
        let _ = unpacked(body, depth).take(2).read_to_end(&mut head);
        if !is_packed(&head) {
            return false;
        }
    }
    // Nothing sensible is packed so often.
    true
}

/// What comes out of a stream that is unpacked so many times.
fn unpacked(body: &[u8], times: usize) -> Box<dyn Read + '_> {
    (0..times).fold(Box::new(body), |reader, _| -> Box<dyn Read + '_> { Box::new(ZlibDecoder::new(reader)) })
}

/// How many bytes a reader gives, counted to just past `most`.
fn count(mut reader: Box<dyn Read + '_>, most: u64) -> u64 {
    let (mut all, mut buffer) = (0, vec![0; 64 << 10]);
    while all <= most {
        match reader.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(n) => all += n as u64,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::ZlibEncoder;

    fn packed(bytes: impl Read) -> Vec<u8> {
        let mut out = Vec::new();
        ZlibEncoder::new(bytes, Compression::best()).read_to_end(&mut out).unwrap();
        out
    }

    fn file(stream: &[u8]) -> Vec<u8> {
        [b"%PDF-1.4\n1 0 obj << /Filter /FlateDecode >>\nstream\n", stream, b"\nendstream endobj"].concat()
    }

    #[test]
    fn what_unpacks_to_a_thousand_times_its_size_is_refused() {
        let bomb = packed(std::io::repeat(b' ').take(200 << 20));
        let error = check(&file(&bomb), &Limits::default()).unwrap_err();
        assert!(error.message().contains("unpack to more than"), "{error}");
        let disguised = packed([0x78u8, 0x9c].as_slice().chain(std::io::repeat(b' ').take(200 << 20)));
        assert!(check(&file(&disguised), &Limits::default()).is_err());
        let twice = packed(bomb.as_slice());
        assert!(check(&file(&twice), &Limits::default()).is_err());
    }

    #[test]
    fn ordinary_streams_pass() {
        let text: String = (0..50_000).map(|i| format!("{i} 0 m {} 700 l S\n", i * 7919 % 600)).collect();
        assert!(check(&file(&packed(text.as_bytes())), &Limits::default()).is_ok());
        assert!(check(&file(b"\x78\x9cnothing"), &Limits::default()).is_ok());
    }
}

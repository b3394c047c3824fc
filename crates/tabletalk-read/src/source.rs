//! A source as every reader sees it: its name and first bytes, and its content as a stream that is unpacked, guarded by
//! the limits and, for text, decoded to UTF-8.

use encoding_rs::{CoderResult, Decoder, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tabletalk_core::seam::{Documents, Limits, Source, Stop};
use tabletalk_core::{Batch, Block, Document, Error, Fault, Rejection, Result, RowStream, Rows};
use tempfile::TempPath;

/// How many of the first bytes are looked at to find format and encoding.
pub(crate) const HEAD: usize = 64 << 10;
/// Below this size no ratio is asked for: small files of zeros are harmless.
const RATIO_FROM: u64 = 64 << 20;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// Told by the first bytes.
    pub(crate) fn of(head: &[u8]) -> Packing {
        match head {
            [0x1f, 0x8b, 8, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            _ => Packing::Plain,
        }
    }
    /// The name without the ending that says how the file is packed.
    pub(crate) fn inner_name(self, name: &str) -> &str {
        let endings: &[&str] = match self {
            Packing::Plain => &[],
            Packing::Gzip => &[".gz", ".gzip"],
            Packing::Zstd => &[".zst", ".zstd"],
        };
        let is = |e: &&&str| name.len() > e.len() && name.to_ascii_lowercase().ends_with(**e);
        endings.iter().find(is).and_then(|e| name.get(..name.len() - e.len())).unwrap_or(name)
    }
}

/// What is seen of a file that no first bytes tell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) name: &'a str,
    /// Whether the name has one of the format's endings.
    pub(crate) is_named: bool,
    pub(crate) head: &'a [u8],
}

/// The ending of a name in lower case, without the dot.
pub(crate) fn ending(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| ending.to_ascii_lowercase())
}

/// Whether a name ends in one of these.
pub(crate) fn is_named(name: &str, endings: &[&str]) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    !stem.is_empty() && endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// The documents of a file that holds one.
pub(crate) fn one(document: Document) -> Result<Documents> {
    Ok(Box::new(std::iter::once(Ok(document))))
}

/// The unpacked bytes of a source.
pub(crate) struct Unpacked {
    reader: Box<dyn Read + Send>,
    /// How many bytes of the file on disk have been read.
    pub(crate) taken: Arc<AtomicU64>,
}

impl Read for Unpacked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buf)
    }
}

/// Opens a source, unpacking it if it is packed.
pub(crate) fn open(source: &Source<'_>) -> Result<Unpacked> {
    let packing = Packing::of(&first_bytes(source.path, 4)?);
    let taken = Arc::new(AtomicU64::new(0));
    let stop = source.stop.clone();
    let file = Counted { inner: File::open(source.path)?, count: taken.clone(), stop };
    let reader: Box<dyn Read + Send> = match packing {
        Packing::Plain => Box::new(file),
        Packing::Gzip => Box::new(Guarded::new(MultiGzDecoder::new(file), &taken, source.limits)),
        Packing::Zstd => {
            let decoder = zstd::stream::read::Decoder::new(file)?;
            Box::new(Guarded::new(decoder, &taken, source.limits))
        }
    };
    Ok(Unpacked { reader, taken })
}

/// All bytes of a source, unpacked; for formats that must be held in memory.
pub(crate) fn bytes(source: &Source<'_>) -> Result<Vec<u8>> {
    let limit = source.limits.max_memory_file_bytes;
    let mut bytes = Vec::new();
    let mut reader = open(source)?.take(limit.saturating_add(1));
    reader.read_to_end(&mut bytes).map_err(fault)?;
    if bytes.len() as u64 > limit {
        return Err(Error::limit(format!(
            "is larger than {limit} bytes, the most that may be held in memory"
        ))
        .hint("raise max_memory_file_bytes"));
    }
    Ok(bytes)
}

/// The first bytes of a file, as they are.
pub(crate) fn first_bytes(path: &Path, count: usize) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(count as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The first unpacked bytes of a source.
pub(crate) fn head(source: &Source<'_>, count: usize) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    open(source)?.take(count as u64).read_to_end(&mut head).map_err(fault)?;
    Ok(head)
}

/// Reads a format that moves about in its file: a packed one is unpacked to a file first.
pub(crate) fn on_disk(
    source: &Source<'_>,
    read: impl FnOnce(&Source<'_>) -> Result<Document>,
) -> Result<Documents> {
    if Packing::of(&first_bytes(source.path, 4)?) == Packing::Plain {
        return one(read(source)?);
    }
    let mut file = tempfile::NamedTempFile::new()?;
    io::copy(&mut open(source)?, &mut file).map_err(fault)?;
    let file = Arc::new(file.into_temp_path());
    let document = read(&Source { path: &file, ..source.clone() })?;
    one(hold(document, &file))
}

/// Keeps an unpacked file for as long as rows are read from it.
fn hold(mut document: Document, file: &Arc<TempPath>) -> Document {
    for block in &mut document.blocks {
        let Block::Table(table) = block else { continue };
        table.rows = match std::mem::take(&mut table.rows) {
            Rows::Stream(stream) => Rows::Stream(Box::new(Held { stream, _file: file.clone() })),
            rows => rows,
        };
    }
    document
}

struct Held {
    stream: Box<dyn RowStream>,
    _file: Arc<TempPath>,
}

impl RowStream for Held {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.stream.next_batch()
    }
    fn rejected(&mut self) -> Vec<Rejection> {
        self.stream.rejected()
    }
    fn warnings(&mut self) -> Vec<String> {
        self.stream.warnings()
    }
    fn rows_in(&self) -> Option<u64> {
        self.stream.rows_in()
    }
    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}

/// Counts the bytes read through it, until it is asked to stop.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
    stop: Stop,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.stop.check().map_err(io::Error::other)?;
        let n = self.inner.read(buf)?;
        self.count.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

/// Refuses to unpack more than the limits allow.
struct Guarded<R> {
    inner: R,
    out: u64,
    taken: Arc<AtomicU64>,
    max_bytes: u64,
    max_ratio: u64,
}

impl<R> Guarded<R> {
    fn new(inner: R, taken: &Arc<AtomicU64>, limits: &Limits) -> Self {
        Guarded {
            inner,
            out: 0,
            taken: taken.clone(),
            max_bytes: limits.max_unpacked_bytes,
            max_ratio: limits.max_unpack_ratio,
        }
    }
    fn check(&self) -> Result<()> {
        if self.out > self.max_bytes {
            return Err(Error::limit(format!("unpacks to more than {} bytes", self.max_bytes))
                .hint("raise max_unpacked_bytes if the file is sound"));
        }
        if self.out > RATIO_FROM && self.out / self.max_ratio.max(1) > self.taken.load(Relaxed) {
            return Err(Error::limit(format!("unpacks to more than {} times its size", self.max_ratio))
                .hint("raise max_unpack_ratio if the file is sound"));
        }
        Ok(())
    }
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf).map_err(|e| {
            let cause = match e.kind() {
                io::ErrorKind::UnexpectedEof => "is cut short: its packed data ends too early".into(),
                _ => format!("cannot be unpacked: {e}"),
            };
            io::Error::other(Error::input(cause).hint("make or download the file again"))
        })?;
        self.out += n as u64;
        self.check().map_err(io::Error::other)?;
        Ok(n)
    }
}

/// Our own error out of one that passed through `Read`.
pub(crate) fn fault(e: io::Error) -> Error {
    match e.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(own) => own.clone(),
        None => Error::new(Fault::Io, e.to_string()),
    }
}

/// The encoding of a text that begins with these bytes, and the length of its byte order mark. `None`
/// when it is no text.
pub(crate) fn encoding_of(head: &[u8]) -> Option<(&'static Encoding, usize)> {
    if let Some((encoding, mark)) = Encoding::for_bom(head) {
        return Some((encoding, mark));
    }
    let zeros = memchr::memchr_iter(0, head).count();
    // Of UTF-16 every blank, comma and line end has one; a few among plain text are dirt.
    let few = zeros <= 2 + head.len() / 100;
    if zeros > 0
        && (!few || std::str::from_utf8(head).is_err())
        && let Some(encoding) = utf16_of(head).filter(|_| zeros > 1)
    {
        return Some((encoding, 0));
    }
    let controls =
        head.iter().filter(|b| (1..0x20).contains(*b) && !matches!(b, 8..=13 | 0x1a..=0x1f)).count();
    if !few || controls * 100 > head.len() {
        return None;
    }
    match std::str::from_utf8(head) {
        Ok(_) => Some((UTF_8, 0)),
        // The last character may be cut; and a few broken bytes do not make another encoding.
        Err(e) if e.error_len().is_none() && e.valid_up_to() + 4 > head.len() => Some((UTF_8, 0)),
        Err(_) => Some((detected(head), 0)),
    }
}

/// UTF-16 without a mark: read in the right order of bytes it holds plain blanks, commas and line ends, and
/// hardly anything that is no character.
fn utf16_of(head: &[u8]) -> Option<&'static Encoding> {
    let whole = head.get(..head.len() & !1)?;
    let plain = |encoding: &'static Encoding| {
        let (text, _) = encoding.decode_without_bom_handling(whole);
        let odd = text.chars().filter(|c| *c == '\u{fffd}' || (c.is_control() && !c.is_whitespace())).count();
        let plain = text.chars().filter(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='~')).count();
        if odd > 1 + whole.len() / 200 { 0 } else { plain }
    };
    let (little, big) = (plain(UTF_16LE), plain(UTF_16BE));
    let (encoding, count) = if little > big { (UTF_16LE, little) } else { (UTF_16BE, big) };
    (count * 50 >= whole.len()).then_some(encoding)
}

fn detected(head: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    // What is cut off at the end must not count as broken.
    detector.feed(head, head.len() < HEAD);
    let encoding = detector.guess(None, chardetng::Utf8Detection::Deny);
    if is_broken_utf8(head, encoding) {
        return UTF_8;
    }
    if encoding == encoding_rs::GBK { GB18030 } else { encoding }
}

/// Whether a text is in UTF-8 with a few broken bytes, and not in the `other` encoding that it looks like.
///
/// In an encoding of single bytes hardly any letters come one after another that are a whole character of UTF-8
/// (`Ã` and `©` for `é`), so where most are whole, it is UTF-8. Of two-byte encodings such as GBK about every
/// seventh character happens to be one of two bytes in UTF-8; characters of three bytes are rare.
fn is_broken_utf8(head: &[u8], other: &'static Encoding) -> bool {
    let (mut short, mut long, mut bad) = (0usize, 0usize, 0usize);
    for chunk in head.utf8_chunks() {
        let wide = |least: usize| move |c: &char| c.len_utf8() > least;
        let (all, three) =
            (chunk.valid().chars().filter(wide(1)).count(), chunk.valid().chars().filter(wide(2)).count());
        (short, long) = (short + all - three, long + three);
        bad += usize::from(!chunk.invalid().is_empty());
    }
    let good = short + long;
    good > bad * 10 || (other.is_single_byte() && good >= bad) || (long > 1 && long >= bad * 2)
}

/// The encoding of a text that began like UTF-8 but, as these bytes of it show, is not; `None` when it is
/// UTF-8 after all, with some bytes broken.
pub(crate) fn encoding_after_all(bytes: &[u8]) -> Option<&'static Encoding> {
    let from = bytes.iter().position(|b| !b.is_ascii())?;
    let telling = bytes.get(from.saturating_sub(100)..)?;
    let telling = telling.get(..HEAD).unwrap_or(telling);
    let (encoding, _) = encoding_of(telling)?;
    (encoding != UTF_8).then_some(encoding)
}

/// The text of these bytes: by their mark, by what they declare, or by what they look like.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>) -> String {
    if Encoding::for_bom(bytes).is_none()
        && std::str::from_utf8(bytes).is_err()
        && let Some(encoding) = declared.and_then(|label| Encoding::for_label(label.as_bytes()))
        && encoding != UTF_8
    {
        return encoding.decode(bytes).0.into_owned();
    }
    let (encoding, mark) = encoding_of(bytes).unwrap_or((UTF_8, 0));
    let body = bytes.get(mark..).unwrap_or_default();
    let text = encoding.decode_without_bom_handling(body).0;
    // A zero byte is dirt in a text, and many things that take texts end at one.
    if text.contains('\0') { text.replace('\0', "") } else { text.into_owned() }
}

/// Turns a stream of any encoding into UTF-8. Streams that are UTF-8 pass through unchecked.
pub(crate) struct Decoded<R> {
    inner: R,
    decoder: Option<Decoder>,
    /// Bytes that were read but not yet decoded.
    input: Buffer,
    /// Text that was decoded but not yet given.
    output: Buffer,
    ended: bool,
    finished: bool,
    given: u64,
    broken: Arc<AtomicU64>,
}

/// Bytes of which some have been used.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    at: usize,
}

impl Buffer {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
    /// Fills it anew; `write` says how much it wrote.
    fn refill<E>(&mut self, write: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Result<(), E> {
        self.at = 0;
        self.bytes.resize(256 << 10, 0);
        let n = write(&mut self.bytes)?;
        self.bytes.truncate(n);
        Ok(())
    }
}

impl<R: Read> Decoded<R> {
    /// Decodes a stream whose mark of `mark` bytes has not been read yet. `broken` becomes the first
    /// position in the decoded text where bytes had to be replaced, plus one.
    pub(crate) fn new(
        mut inner: R,
        encoding: &'static Encoding,
        mark: usize,
        broken: Arc<AtomicU64>,
    ) -> io::Result<Self> {
        io::copy(&mut inner.by_ref().take(mark as u64), &mut io::sink())?;
        let decoder = (encoding != UTF_8).then(|| encoding.new_decoder_without_bom_handling());
        let (input, output) = (Buffer::default(), Buffer::default());
        Ok(Decoded { inner, decoder, input, output, ended: false, finished: false, given: 0, broken })
    }

    fn decode_more(&mut self) -> io::Result<()> {
        if self.input.rest().is_empty() && !self.ended {
            self.input.refill(|space| self.inner.read(space))?;
            self.ended = self.input.rest().is_empty();
        }
        let (Some(decoder), ended) = (&mut self.decoder, self.ended) else {
            return Ok(());
        };
        let (mut taken, mut is_broken, mut is_empty) = (0, false, false);
        self.output.refill(|space| {
            let (result, read, written, replaced) = decoder.decode_to_utf8(self.input.rest(), space, ended);
            (taken, is_broken, is_empty) = (read, replaced, result == CoderResult::InputEmpty);
            Ok::<_, io::Error>(written)
        })?;
        if is_broken {
            let _ = self.broken.compare_exchange(0, self.given + 1, Relaxed, Relaxed);
        }
        self.input.at += taken;
        self.finished = ended && is_empty;
        self.given += self.output.rest().len() as u64;
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.decoder.is_none() {
            return self.inner.read(buf);
        }
        while self.output.rest().is_empty() && !self.finished {
            self.decode_more()?;
        }
        let n = self.output.rest().len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..n), self.output.rest().get(..n)) {
            to.copy_from_slice(from);
        }
        self.output.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
        let file = file(bytes);
        super::bytes(&Source::new(file.path(), "x", limits))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        flate2::read::GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
        packed
    }

    #[test]
    fn unpacks_gzip_and_zstd() {
        let limits = Limits::default();
        assert_eq!(read(&gzip(b"abc"), &limits).unwrap(), b"abc");
        assert_eq!(read(&zstd::encode_all(&b"abc"[..], 1).unwrap(), &limits).unwrap(), b"abc");
        assert_eq!(read(b"abc", &limits).unwrap(), b"abc");
        assert_eq!(Packing::Gzip.inner_name("a.csv.GZ"), "a.csv");
    }

    #[test]
    fn refuses_what_unpacks_to_too_much() {
        let limits = Limits { max_unpacked_bytes: 1000, ..Limits::default() };
        let e = read(&gzip(&[b'a'; 2000]), &limits).unwrap_err();
        assert_eq!((e.fault(), e.message()), (Fault::Limit, "unpacks to more than 1000 bytes"));
        let limits = Limits { max_unpack_ratio: 10, ..Limits::default() };
        let e = read(&gzip(&vec![b'a'; 65 << 20]), &limits).unwrap_err();
        assert_eq!(e.message(), "unpacks to more than 10 times its size");
    }

    #[test]
    fn says_when_packed_data_is_cut_or_broken() {
        let mut packed = gzip(&(0..40_000u32).flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
        packed.truncate(packed.len() / 2);
        let e = read(&packed, &Limits::default()).unwrap_err();
        assert_eq!(e.message(), "is cut short: its packed data ends too early");
        let mut packed = zstd::encode_all(&b"abcdefgh".repeat(100)[..], 1).unwrap();
        packed.truncate(packed.len() - 4);
        assert_eq!(read(&packed, &Limits::default()).unwrap_err().fault(), Fault::Input);
    }

    #[test]
    fn finds_encodings() {
        let text = "城市,销售额,负责人\n北京,一百二十,王小明\n上海,八十,李华\n广州,五十,张伟\n";
        for encoding in [GB18030, encoding_rs::UTF_8] {
            let (bytes, _, _) = encoding.encode(text);
            assert_eq!(decode(&bytes, None), text, "{}", encoding.name());
        }
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide, None), text);
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&wide, None), text);
        let marked: Vec<u8> =
            [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode(&marked, None), text);
        assert_eq!(decode(b"\xef\xbb\xbfabc", None), "abc");
        assert_eq!(decode(b"caf\xe9 cr\xe8me br\xfbl\xe9e", None), "café crème brûlée");
        assert_eq!(decode(b"\xb1\xb1\xbe\xa9", Some("gbk")), "北京");
    }

    #[test]
    fn one_bad_byte_does_not_spoil_the_others() {
        let spoiled = |text: &str| [text.as_bytes(), b"\xe9 x"].concat();
        for text in ["Zoë,Málaga\n", "naïve café\n", "é\n", "城市,销售额\n北京,一百\n", "Prüfung – größer\n"]
        {
            assert_eq!(decode(&spoiled(text), None), format!("{text}\u{fffd} x"), "{text}");
        }
        // More of the one than of the other decides.
        let decoded = decode(b"caf\xe9 cr\xe8me br\xfbl\xe9e \xc3\xa9", None);
        assert!(decoded.starts_with("café") && !decoded.contains('\u{fffd}'), "{decoded}");
    }

    #[test]
    fn a_zero_byte_does_not_make_a_text_binary() {
        for text in ["a,b\n1,\0x\n", "name,city\nAnn,Oslo\0\nBob,Par\0is\n", "Zoë\0,b\n"] {
            assert_eq!(decode(text.as_bytes(), None), text.replace('\0', ""), "{text}");
            assert_eq!(encoding_of(text.as_bytes()), Some((UTF_8, 0)));
        }
    }

    #[test]
    fn tells_binary_from_text() {
        assert_eq!(encoding_of(b"\x7fELF\x02\x01\x01\0\0\0\0\0\x03\x00\x3e\0\x01\0\0\0"), None);
        assert_eq!(encoding_of(&[1, 2, 3, 4, 5]), None);
        assert!(encoding_of(b"plain text\n").is_some());
    }

    #[test]
    fn decodes_a_stream_in_pieces() {
        let text = "北京,1\n上海,2\n".repeat(50_000);
        let (bytes, _, _) = GB18030.encode(&text);
        let broken = Arc::new(AtomicU64::new(0));
        let mut decoded = Decoded::new(&bytes[..], GB18030, 0, broken.clone()).unwrap();
        let mut out = Vec::new();
        let mut piece = [0; 7];
        while let n @ 1.. = decoded.read(&mut piece).unwrap() {
            out.extend_from_slice(&piece[..n]);
        }
        assert!(out == text.as_bytes());
        assert_eq!(broken.load(Relaxed), 0);
    }
}

//! Which format a file has: by its first bytes where they say so, else by its name and looks.

use std::fs::File;
use tabletalk_core::{Error, Result, seam::Source};

/// A format that the first bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A workbook.
    Sheet,
    /// A SQLite database.
    Sqlite,
    /// A Parquet file.
    Parquet,
    /// A PDF file.
    Pdf,
    /// Text of some kind, or unknown.
    Open,
}

/// First bytes of formats that cannot be read, and what people call them.
const UNREADABLE: &[(&[u8], &str)] = &[
    (b"{\\rtf", "RTF files"),
    (b"\x7fELF", "programs"),
    (b"\x89PNG", "PNG pictures"),
    (b"\xff\xd8\xff", "JPEG pictures"),
    (b"GIF8", "GIF pictures"),
    (b"II*\0", "TIFF pictures"),
    (b"MM\0*", "TIFF pictures"),
    (b"BM", "BMP pictures"),
    (b"RIFF", "sound, video and WebP files"),
    (b"OggS", "sound and video files"),
    (b"ID3", "sound files"),
    (b"BZh", "bzip2 files"),
    (b"\xfd7zXZ\0", "xz files"),
    (b"7z\xbc\xaf\x27\x1c", "7z archives"),
    (b"Rar!\x1a", "RAR archives"),
    (b"ARROW1", "Arrow files"),
    (b"Obj\x01", "Avro files"),
    (b"ORC", "ORC files"),
    (b"\0asm", "programs"),
    (b"MZ", "programs"),
];

/// The format of a source that begins, unpacked, with these bytes; an error for those that cannot be read.
pub(crate) fn form(source: &Source<'_>, name: &str, head: &[u8]) -> Result<Form> {
    match head {
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', b'o', b'r', b'm', b'a', b't', b' ', b'3', 0, ..] => {
            Ok(Form::Sqlite)
        }
        [b'P', b'A', b'R', b'1', ..] => Ok(Form::Parquet),
        _ if is_pdf(name, head) => Ok(Form::Pdf),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => zip(source, name),
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => compound(name),
        _ => open(head),
    }
}

/// The mark of a PDF file may stand after a few lines of something else.
fn is_pdf(name: &str, head: &[u8]) -> bool {
    let start = head.get(..head.len().min(1024)).unwrap_or_default();
    let named = crate::ending(name).as_deref() == Some("pdf");
    match memchr::memmem::find(start, b"%PDF-") {
        Some(0) => true,
        Some(at) => {
            named || start.get(..at).is_some_and(|s| s.trim_ascii().is_empty() || s == b"\xef\xbb\xbf")
        }
        None => false,
    }
}

fn cannot(what: &str) -> Error {
    Error::input(format!("{what} cannot be read yet"))
}

/// Short marks such as `BM` also begin words: those only count when the rest is no text.
fn open(head: &[u8]) -> Result<Form> {
    if head.get(257..262) == Some(b"ustar") {
        return Err(Error::input("is a TAR archive").hint("unpack it and add the files in it"));
    }
    let is_text = crate::unpack::encoding_of(head).is_some();
    let known = UNREADABLE.iter().find(|(mark, _)| head.starts_with(mark) && (mark.len() > 3 || !is_text));
    match known {
        Some((_, what)) => Err(cannot(what)),
        None => Ok(Form::Open),
    }
}

/// What kind of zip file it is.
fn zip(source: &Source<'_>, name: &str) -> Result<Form> {
    let by_name = || match crate::ending(name).as_deref() {
        Some("xlsx" | "xlsm" | "xlsb" | "xltx" | "xltm" | "ods" | "ots") => Ok(Form::Sheet),
        Some("docx") => Err(cannot("DOCX files")),
        Some("pptx") => Err(cannot("PPTX files")),
        Some("epub") => Err(cannot("EPUB files")),
        Some("odt") => Err(cannot("ODT files")),
        _ => Err(Error::input("is a ZIP archive").hint("unpack it and add the files in it")),
    };
    // A packed or damaged archive cannot be looked into here; its reader says what is wrong.
    let Ok(archive) = zip::ZipArchive::new(File::open(source.path)?) else {
        return by_name();
    };
    let has = |prefix: &str| archive.file_names().flatten().any(|n| n.starts_with(prefix));
    if has("xl/") {
        return Ok(Form::Sheet);
    }
    if has("word/") {
        return Err(cannot("DOCX files"));
    }
    if has("ppt/") {
        return Err(cannot("PPTX files"));
    }
    if has("META-INF/container.xml") {
        return Err(cannot("EPUB files"));
    }
    by_name()
}

/// What kind of old Office file it is.
fn compound(name: &str) -> Result<Form> {
    match crate::ending(name).as_deref() {
        Some("doc" | "dot") => Err(cannot("DOC files")),
        Some("ppt" | "pps") => Err(cannot("PPT files")),
        Some("msg" | "msi" | "vsd") => Err(cannot("files of this kind")),
        _ => Ok(Form::Sheet),
    }
}

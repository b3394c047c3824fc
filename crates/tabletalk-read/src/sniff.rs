//! Which format a file has: by its first bytes where they say so, else by its name and looks.

use std::fs::File;
use std::io::Read;
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
    /// A document of Word.
    Docx,
    /// A presentation of PowerPoint.
    Pptx,
    /// An open text document or presentation.
    Odf,
    /// A book.
    Epub,
    /// Rich text.
    Rtf,
    /// A document or presentation in the old format.
    Legacy,
    /// Text of some kind, or unknown.
    Open,
}

/// First bytes of formats that cannot be read, and what people call them.
const UNREADABLE: &[(&[u8], &str)] = &[
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
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => compound(source, name),
        [b'{', b'\\', b'r', b't', b'f', ..] => Ok(Form::Rtf),
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
    // A packed or damaged archive cannot be looked into here; its reader says what is wrong.
    let Ok(mut archive) = zip::ZipArchive::new(File::open(source.path)?) else {
        return by_name(name);
    };
    if let Some(form) = declared(&mut archive) {
        return Ok(form);
    }
    let has = |prefix: &str| archive.file_names().flatten().any(|n| n.starts_with(prefix));
    let folders = [("xl/", Form::Sheet), ("word/", Form::Docx), ("ppt/", Form::Pptx)];
    let found = folders.iter().find(|(folder, _)| has(folder)).map(|(_, form)| *form);
    match found {
        Some(form) => Ok(form),
        None if has("META-INF/container.xml") => Ok(Form::Epub),
        None => by_name(name),
    }
}

fn by_name(name: &str) -> Result<Form> {
    match crate::ending(name).as_deref() {
        Some("xlsx" | "xlsm" | "xlsb" | "xltx" | "xltm" | "ods" | "ots") => Ok(Form::Sheet),
        Some("docx" | "docm" | "dotx" | "dotm") => Ok(Form::Docx),
        Some("pptx" | "pptm" | "ppsx" | "ppsm" | "potx" | "potm") => Ok(Form::Pptx),
        Some("odt" | "ott" | "odp" | "otp" | "odg") => Ok(Form::Odf),
        Some("epub") => Ok(Form::Epub),
        _ => Err(Error::input("is a ZIP archive").hint("unpack it and add the files in it")),
    }
}

/// What an archive says it is: in the list of its parts' types, or in the part made for this.
fn declared(archive: &mut zip::ZipArchive<File>) -> Option<Form> {
    if let Some(kind) = start_of(archive, "mimetype") {
        return match kind.trim() {
            k if k.starts_with("application/epub") => Some(Form::Epub),
            k if k.contains("opendocument.spreadsheet") => Some(Form::Sheet),
            k if k.contains("opendocument.") => Some(Form::Odf),
            _ => None,
        };
    }
    let types = start_of(archive, "[Content_Types].xml")?;
    let mains = types.split('"').filter(|t| t.ends_with(".main+xml"));
    mains.into_iter().find_map(|kind| match kind {
        k if k.contains("spreadsheet") || k.contains("excel") => Some(Form::Sheet),
        k if k.contains("presentation") || k.contains("powerpoint") => Some(Form::Pptx),
        k if k.contains("word") => Some(Form::Docx),
        _ => None,
    })
}

fn start_of(archive: &mut zip::ZipArchive<File>, part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    archive.by_name(part).ok()?.take(1 << 20).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What kind of old Office file it is: by its name, else by the streams in it.
fn compound(source: &Source<'_>, name: &str) -> Result<Form> {
    match crate::ending(name).as_deref() {
        Some("xls" | "xlt" | "xla" | "xlsx" | "xlsm" | "xlsb") => return Ok(Form::Sheet),
        Some("msg" | "msi" | "vsd" | "mpp" | "pub") => return Err(cannot("files of this kind")),
        _ => {}
    }
    let bytes = crate::unpack::bytes(source)?;
    let has = |stream: &str| crate::office::has_stream(&bytes, stream);
    // A document may hold a workbook; a workbook seldom holds a document.
    let is_old = has("WordDocument") || has("PowerPoint Document");
    let is_named = matches!(
        crate::ending(name).as_deref(),
        Some("doc" | "dot" | "ppt" | "pps" | "pot" | "docx" | "docm" | "pptx" | "pptm")
    );
    if is_old || is_named { Ok(Form::Legacy) } else { Ok(Form::Sheet) }
}

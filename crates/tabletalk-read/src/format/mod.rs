//! The formats that are read: one list says how files of each are named, what they hold, and which function reads
//! them.
//!
//! Content comes before names: the first bytes, then what an archive holds, and only where neither tells, the ending
//! of the name and the looks of the text.

mod csv;
mod html;
mod json;
mod markdown;
pub(crate) mod office;
mod parquet;
pub mod pdf;
mod sheet;
mod sqlite;
mod text;

use crate::source::{self, Look, is_named};
use std::fs::File;
use std::io::Read as _;
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Error, Result};

/// A format that is read.
#[derive(Debug)]
pub struct Format {
    /// Its name, such as `csv`.
    pub name: &'static str,
    /// Endings of file names, in lower case and without the dot.
    pub endings: &'static [&'static str],
    /// What may be in such a file.
    content: &'static [Content],
    /// Reads a file of it.
    pub read: fn(&Source<'_>) -> Result<Documents>,
}

#[derive(Debug)]
enum Content {
    /// It begins with these bytes.
    Magic(&'static [u8]),
    /// These bytes stand near its beginning.
    MagicNear(&'static [u8]),
    /// A ZIP archive that declares a type with one of these words in it, or has a part of this name or folder.
    Zip { types: &'static [&'static str], part: &'static str },
    /// A compound file, as Office wrote them up to 2003, with one of these streams.
    Compound(&'static [&'static str]),
    /// Anything that looks like it.
    Looks(fn(Look<'_>) -> bool),
}

/// All formats, in the order in which they are tried.
pub static FORMATS: &[Format] = &[
    Format {
        name: "sqlite",
        endings: &["db", "sqlite", "sqlite3", "db3"],
        content: &[Content::Magic(b"SQLite format 3\0")],
        read: sqlite::read,
    },
    Format {
        name: "parquet",
        endings: &["parquet"],
        content: &[Content::Magic(b"PAR1")],
        read: parquet::read,
    },
    Format { name: "pdf", endings: &["pdf"], content: &[Content::MagicNear(b"%PDF-")], read: pdf::read },
    SHEET,
    Format {
        name: "docx",
        endings: &["docx", "docm", "dotx", "dotm"],
        content: &[Content::Zip { types: &["word"], part: "word/" }],
        read: office::read_docx,
    },
    Format {
        name: "pptx",
        endings: &["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
        content: &[Content::Zip { types: &["presentationml", "powerpoint"], part: "ppt/" }],
        read: office::read_pptx,
    },
    Format {
        name: "odf",
        endings: &["odt", "ott", "odp", "otp", "odg"],
        content: &[Content::Zip { types: &["opendocument."], part: "" }],
        read: office::read_odf,
    },
    Format {
        name: "epub",
        endings: &["epub"],
        content: &[Content::Zip { types: &["application/epub"], part: "META-INF/container.xml" }],
        read: office::read_epub,
    },
    Format { name: "rtf", endings: &["rtf"], content: &[Content::Magic(b"{\\rtf")], read: office::read_rtf },
    LEGACY,
    Format {
        name: "html",
        endings: &["html", "htm", "xhtml", "shtml"],
        content: &[Content::Looks(html::looks)],
        read: html::read,
    },
    Format {
        name: "markdown",
        endings: &["md", "markdown", "mdown", "mkd", "mdx"],
        content: &[Content::Looks(|look| look.is_named)],
        read: markdown::read,
    },
    Format {
        name: "json",
        endings: &["json", "jsonl", "ndjson", "geojson"],
        content: &[Content::Looks(json::looks)],
        read: json::read,
    },
    Format {
        name: "csv",
        endings: &["csv", "tsv", "tab", "psv"],
        content: &[Content::Looks(csv::looks)],
        read: csv::read,
    },
    Format { name: "text", endings: &["txt"], content: &[Content::Looks(text::looks)], read: text::read },
];

const SHEET: Format = Format {
    name: "sheet",
    endings: &["xlsx", "xlsm", "xltx", "xltm", "xlam", "xlsb", "xls", "xlt", "xla", "ods", "ots"],
    content: &[
        Content::Zip { types: &["spreadsheet", "excel"], part: "xl/" },
        Content::Compound(&["Workbook", "Book"]),
        // The bare stream of very old workbooks. Pages and delimited text are often given the ending of a workbook:
        // those are not meant.
        Content::Looks(|look| look.is_named && matches!(look.head, [9, 0..=8, ..] | [b'P', b'K', ..])),
    ],
    read: sheet::read,
};

const LEGACY: Format = Format {
    name: "legacy",
    endings: &["doc", "dot", "ppt", "pps", "pot"],
    content: &[Content::Compound(&["WordDocument", "PowerPoint Document"])],
    read: office::read_legacy,
};

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

/// The format of a source that has this name and begins with these bytes, both unpacked.
pub(crate) fn find(source: &Source<'_>, name: &str, head: &[u8]) -> Result<&'static Format> {
    let by_magic = |content: &Content| match content {
        Content::Magic(magic) => head.starts_with(magic),
        Content::MagicNear(magic) => is_near(head, magic, name),
        _ => false,
    };
    if let Some(format) = FORMATS.iter().find(|format| format.content.iter().any(by_magic)) {
        return Ok(format);
    }
    match head {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => return zip(source, name),
        _ if head.starts_with(office::COMPOUND) => return compound(source, name),
        _ => refuse(head)?,
    }
    let looks = |format: &&Format| {
        let look = Look { name, head, is_named: format.is_named(name) };
        format.content.iter().any(|content| matches!(content, Content::Looks(looks) if looks(look)))
    };
    FORMATS.iter().find(looks).ok_or_else(|| {
        Error::input("is not text and of no known format").hint("check that the file is what its name says")
    })
}

impl Format {
    fn is_named(&self, name: &str) -> bool {
        is_named(name, self.endings)
    }

    /// What its archives declare, and a part that they have.
    fn zip(&self) -> Option<(&'static [&'static str], &'static str)> {
        self.content.iter().find_map(|content| match content {
            Content::Zip { types, part } => Some((*types, *part)),
            _ => None,
        })
    }
}

/// The mark of a PDF file may stand after a few lines of something else.
fn is_near(head: &[u8], magic: &[u8], name: &str) -> bool {
    let start = head.get(..head.len().min(1024)).unwrap_or_default();
    let is_blank = |before: &[u8]| before.trim_ascii().is_empty() || before == b"\xef\xbb\xbf";
    match memchr::memmem::find(start, magic) {
        Some(at) => start.get(..at).is_some_and(is_blank) || is_named(name, &["pdf"]),
        None => false,
    }
}

fn cannot(what: &str) -> Error {
    Error::input(format!("{what} cannot be read yet"))
}

fn archive(kind: &str) -> Error {
    Error::input(format!("is a {kind} archive")).hint("unpack it and add the files in it")
}

/// Short marks such as `BM` also begin words: those only count when the rest is no text.
fn refuse(head: &[u8]) -> Result<()> {
    if head.get(257..262) == Some(b"ustar") {
        return Err(archive("TAR"));
    }
    let is_text = source::encoding_of(head).is_some();
    let known = UNREADABLE.iter().find(|(mark, _)| head.starts_with(mark) && (mark.len() > 3 || !is_text));
    known.map_or(Ok(()), |(_, what)| Err(cannot(what)))
}

/// What kind of zip file it is: by what it declares, by its parts, else by its name.
fn zip(source: &Source<'_>, name: &str) -> Result<&'static Format> {
    // A packed or damaged archive cannot be looked into here; its reader says what is wrong.
    let found = match zip::ZipArchive::new(File::open(source.path)?) {
        Ok(mut archive) => declared(&mut archive).or_else(|| by_part(&archive)),
        Err(_) => None,
    };
    let named = || FORMATS.iter().find(|format| format.zip().is_some() && format.is_named(name));
    found.or_else(named).ok_or_else(|| archive("ZIP"))
}

/// What an archive says it is: in the part made for this, or in the list of its parts' types.
fn declared(archive: &mut zip::ZipArchive<File>) -> Option<&'static Format> {
    let of_type = |kind: &str| {
        let fits = |format: &&Format| {
            format.zip().is_some_and(|(types, _)| types.iter().any(|word| kind.contains(word)))
        };
        FORMATS.iter().find(fits)
    };
    if let Some(kind) = start_of(archive, "mimetype") {
        return of_type(&kind);
    }
    let types = start_of(archive, "[Content_Types].xml")?;
    types.split('"').filter(|kind| kind.ends_with(".main+xml")).find_map(of_type)
}

fn by_part(archive: &zip::ZipArchive<File>) -> Option<&'static Format> {
    let has = |part: &str| archive.file_names().flatten().any(|name| name.starts_with(part));
    FORMATS.iter().find(|format| format.zip().is_some_and(|(_, part)| !part.is_empty() && has(part)))
}

fn start_of(archive: &mut zip::ZipArchive<File>, part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    archive.by_name(part).ok()?.take(1 << 20).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What kind of compound file it is: by its name, else by the streams in it. New documents that are encrypted are such
/// files too.
fn compound(source: &Source<'_>, name: &str) -> Result<&'static Format> {
    if SHEET.is_named(name) {
        return Ok(&SHEET);
    }
    if is_named(name, &["msg", "msi", "vsd", "mpp", "pub"]) {
        return Err(cannot("files of this kind"));
    }
    let bytes = source::bytes(source)?;
    let has = |stream: &&str| office::has_stream(&bytes, stream);
    // A document may hold a workbook; a workbook seldom holds a document.
    let is_old = LEGACY.content.iter().any(|c| matches!(c, Content::Compound(s) if s.iter().any(has)));
    let is_document = |format: &Format| format.zip().is_some() && format.is_named(name);
    if is_old || LEGACY.is_named(name) || FORMATS.iter().any(is_document) { Ok(&LEGACY) } else { Ok(&SHEET) }
}

//! Reads documents of office suites and books: DOCX, PPTX, ODT, ODP, EPUB, RTF, and, with the help of
//! LibreOffice, DOC and PPT.

mod chart;
mod count;
mod docx;
mod draft;
mod epub;
mod legacy;
mod math;
mod odf;
mod order;
pub(crate) mod package;
mod pptx;
mod rtf;
mod symbol;
#[cfg(test)]
pub(crate) mod tests;
mod xml;

pub(crate) use legacy::read as read_legacy;
pub(crate) use rtf::read as read_rtf;

use crate::source;
use package::{Package, encrypted};
use tabletalk_core::seam::{Documents, Limits, Source};
use tabletalk_core::{Document, Error, Result};

/// The first bytes of a compound file: old office documents and encrypted new ones.
pub(crate) const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
const ZIP: &[u8] = b"PK\x03\x04";

/// Reads documents of Word in its newer format, DOCX.
pub(crate) fn read_docx(source: &Source<'_>) -> Result<Documents> {
    read(source, docx::document)
}

/// Reads presentations of PowerPoint in its newer format, PPTX.
pub(crate) fn read_pptx(source: &Source<'_>) -> Result<Documents> {
    read(source, pptx::document)
}

/// Reads text documents and presentations in the open format, ODT and ODP.
pub(crate) fn read_odf(source: &Source<'_>) -> Result<Documents> {
    read(source, odf::document)
}

/// Reads books.
pub(crate) fn read_epub(source: &Source<'_>) -> Result<Documents> {
    read(source, epub::document)
}

type Make = for<'a> fn(&Package<'a>, &Source<'a>) -> Result<Document>;

/// Reads the document in an archive.
fn read(source: &Source<'_>, make: Make) -> Result<Documents> {
    let bytes = archive(source)?;
    let package = Package::open(&bytes, source.limits)?;
    let mut document = make(&package, source)?;
    document.warnings.extend(package.warnings());
    source::one(document)
}

/// The bytes of a source that is an archive.
fn archive(source: &Source<'_>) -> Result<Vec<u8>> {
    let bytes = source::bytes(source)?;
    if is_encrypted(&bytes) {
        return Err(encrypted());
    }
    if bytes.starts_with(ZIP) {
        return Ok(bytes);
    }
    Err(Error::input("is not a document of the kind its name says")
        .hint("open it where it comes from and save it again"))
}

/// Whether a compound file holds an encrypted package.
pub(crate) fn is_encrypted(bytes: &[u8]) -> bool {
    has_stream(bytes, "EncryptedPackage")
}

/// Whether the directory of a compound file names a stream; it does so in UTF-16.
pub(crate) fn has_stream(bytes: &[u8], stream: &str) -> bool {
    let name: Vec<u8> = stream.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.starts_with(COMPOUND) && memchr::memmem::find(bytes, &name).is_some()
}

fn over(limits: &Limits) -> Error {
    let most = limits.max_cells;
    Error::limit(format!("has more than {most} cells in its tables")).hint("raise max_cells")
}

//! The archive around a document: its parts, never more of them than the limits allow.

use super::xml::{self, Node, Part};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{Cursor, Read, Seek};
use tabletalk_core::seam::Limits;
use tabletalk_core::{Error, Result};
use zip::ZipArchive;

/// Small archives may unpack to any number of times their size.
const RATIO_FREE_BYTES: u64 = 64 << 20;

/// Refuses an archive that says it unpacks to more than the limits allow.
pub(crate) fn guard<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    packed: u64,
    limits: &Limits,
    damaged: impl Fn(zip::result::ZipError) -> Error,
) -> Result<()> {
    let mut unpacked = 0u128;
    for i in 0..archive.len() {
        unpacked += u128::from(archive.by_index_raw(i).map_err(&damaged)?.size());
    }
    let ratio = u128::from(limits.max_unpack_ratio) * u128::from(packed);
    if unpacked > u128::from(limits.max_unpacked_bytes.min(limits.max_memory_file_bytes.saturating_mul(8))) {
        return Err(
            Error::limit(format!("would unpack to {unpacked} bytes")).hint("raise max_unpacked_bytes")
        );
    }
    if unpacked > u128::from(RATIO_FREE_BYTES) && unpacked > ratio {
        let times = limits.max_unpack_ratio;
        return Err(Error::limit(format!(
            "would unpack to {unpacked} bytes, more than {times} times its size"
        ))
        .hint("raise max_unpack_ratio if you trust it"));
    }
    Ok(())
}

/// A part that another one points at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Relation {
    /// The last word of its type: `image`, `notesSlide`.
    pub(super) kind: String,
    /// The name of the part.
    pub(super) target: String,
}

/// An archive with its parts by name.
pub(super) struct Package<'a> {
    archive: RefCell<ZipArchive<Cursor<&'a [u8]>>>,
    /// The names as the archive spells them, by their plain form.
    names: HashMap<String, String>,
    /// How many more bytes may be unpacked: sizes in the directory may be wrong.
    left: Cell<u64>,
    warnings: RefCell<Vec<String>>,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        guard(&mut archive, bytes.len() as u64, limits, damaged)?;
        let names = archive.file_names().flatten();
        let names = names.map(|n| (plain(&n), n.into_owned())).collect();
        let most = limits.max_unpacked_bytes.min(limits.max_memory_file_bytes);
        Ok(Package {
            archive: RefCell::new(archive),
            names,
            left: Cell::new(most),
            warnings: RefCell::default(),
        })
    }
    /// Whether there is a part of this name.
    pub(super) fn has(&self, part: &str) -> bool {
        self.names.contains_key(&plain(part))
    }
    /// The bytes of a part; `None` when there is none.
    pub(super) fn bytes(&self, part: &str) -> Result<Option<Vec<u8>>> {
        let Some(name) = self.names.get(&plain(part)) else {
            return Ok(None);
        };
        let mut archive = self.archive.borrow_mut();
        let file = archive.by_name(name).map_err(damaged)?;
        let left = self.left.get();
        let mut bytes = Vec::new();
        file.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(damaged)?;
        let Some(rest) = left.checked_sub(bytes.len() as u64) else {
            return Err(Error::limit("unpacks to more bytes than may be held in memory")
                .hint("raise max_memory_file_bytes"));
        };
        self.left.set(rest);
        Ok(Some(bytes))
    }
    /// A part that must be there, as a tree. `what` is what people call it.
    pub(super) fn main(&self, part: &str, what: &str) -> Result<Node> {
        let bytes = self.bytes(part)?;
        let bytes = bytes.ok_or_else(|| Error::input(format!("is damaged: {what} ({part}) is missing")))?;
        let read = xml::parse(&bytes);
        let read = read.ok_or_else(|| Error::input(format!("is damaged: {what} ({part}) is not XML")))?;
        Ok(self.checked(part, read))
    }
    /// A part that may be missing or broken, as a tree; what is wrong with it becomes a warning. Only a
    /// limit is an error.
    pub(super) fn part(&self, part: &str) -> Result<Option<Node>> {
        let bytes = match self.bytes(part) {
            Err(e) if e.fault() == tabletalk_core::Fault::Limit => return Err(e),
            Err(e) => {
                self.warn(format!("the part {part} could not be read: {}", e.message()));
                None
            }
            Ok(bytes) => bytes,
        };
        let Some(bytes) = bytes else { return Ok(None) };
        match xml::parse(&bytes) {
            Some(read) => Ok(Some(self.checked(part, read))),
            None => {
                self.warn(format!("the part {part} is not XML"));
                Ok(None)
            }
        }
    }
    fn checked(&self, part: &str, read: Part) -> Node {
        if let Some(damage) = read.damage {
            self.warn(format!("the part {part} is damaged, what follows is missing: {damage}"));
        }
        read.root
    }
    /// Something the user should know.
    pub(super) fn warn(&self, warning: String) {
        self.warnings.borrow_mut().push(warning);
    }
    /// All that the user should know.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.take()
    }
    /// The parts that a part points at, by the ids it uses for them.
    pub(super) fn relations(&self, part: &str) -> Result<HashMap<String, Relation>> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let rels = if folder.is_empty() {
            format!("_rels/{file}.rels")
        } else {
            format!("{folder}/_rels/{file}.rels")
        };
        let Some(root) = self.part(&rels)? else {
            return Ok(HashMap::new());
        };
        let relation = |node: &Node| {
            if node.attr("TargetMode") == Some("External") {
                return None;
            }
            let kind = node.attr("Type")?.rsplit('/').next()?.to_owned();
            Some((
                node.attr("Id")?.to_owned(),
                Relation { kind, target: joined(folder, node.attr("Target")?) },
            ))
        };
        Ok(root.all("Relationship").filter_map(relation).collect())
    }
    /// The main part, as the archive itself says.
    pub(super) fn main_part(&self) -> Result<Option<String>> {
        let relations = self.relations("")?;
        let main = relations.into_values().find(|r| r.kind == "officeDocument" && self.has(&r.target));
        Ok(main.map(|r| r.target))
    }
}

/// The name of a part that is written relative to a folder.
pub(super) fn joined(folder: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default().replace('\\', "/");
    let absolute = target.starts_with('/');
    let mut names: Vec<&str> = if absolute { Vec::new() } else { folder.split('/').collect() };
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.retain(|n| !n.is_empty());
    names.join("/")
}

fn plain(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_ascii_lowercase()
}

fn damaged(e: impl Display) -> Error {
    let e = e.to_string();
    if e.to_lowercase().contains("password") {
        return encrypted();
    }
    Error::input(format!("is damaged: {e}")).hint("make or download the file again")
}

/// Why a document behind a password is not read.
pub(super) fn encrypted() -> Error {
    Error::input("is encrypted with a password").hint("save it without a password")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::office::tests::zipped;

    #[test]
    fn finds_parts_by_any_spelling_and_relations_from_their_folder() {
        let rels = "<Relationships><Relationship Id='r1' Type='x/slide' Target='../a/B.xml'/>
            <Relationship Id='r2' Type='x/image' Target='http://x' TargetMode='External'/></Relationships>";
        let bytes = zipped(&[("ppt/_rels/p.xml.rels", rels), ("a\\b.XML", "<x/>")]);
        let package = Package::open(&bytes, &Limits::default()).unwrap();
        let relations = package.relations("ppt/p.xml").unwrap();
        assert_eq!(relations.len(), 1);
        assert_eq!(relations["r1"], Relation { kind: "slide".into(), target: "a/B.xml".into() });
        assert!(package.part("/A/b.xml").unwrap().is_some());
    }

    #[test]
    fn refuses_bombs() {
        let big = "<a>".to_owned() + &" ".repeat(1 << 20);
        let bytes = zipped(&[("a.xml", &big)]);
        let limits = Limits { max_unpacked_bytes: 1000, ..Limits::default() };
        assert_eq!(Package::open(&bytes, &limits).err().unwrap().fault(), tabletalk_core::Fault::Limit);
        let limits = Limits { max_memory_file_bytes: 200_000, ..Limits::default() };
        let package = Package::open(&bytes, &limits).unwrap();
        assert_eq!(package.part("a.xml").unwrap_err().fault(), tabletalk_core::Fault::Limit);
    }

    #[test]
    fn joins_names_without_leaving_the_archive() {
        assert_eq!(joined("ppt/slides", "../media/a.png"), "ppt/media/a.png");
        assert_eq!(joined("ppt", "/word/x.xml"), "word/x.xml");
        assert_eq!(joined("", "../../../etc/passwd"), "etc/passwd");
    }
}

//! A file of a few arrays, written once and seen as memory.
//!
//! ```text
//! magic · count · checked · (offset, length) of each · hash    then the arrays, each on a boundary of 64 bytes
//! ```
//! The hash covers the head and the first `checked` arrays: those that others are read by. The others may be large and
//! are not read on opening; whoever reads them believes nothing they say without looking.

use crate::file::{broken, write_whole};
use crate::map::Map;
use bytemuck::Pod;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use tabletalk_core::Result;

/// Also says the order of bytes: a machine of the other order does not recognise it.
const MAGIC: u64 = u64::from_le_bytes(*b"ttlate01");
const ALIGN: u64 = 64;
const HASH: usize = 32;
const MOST: u64 = 16;

/// An open file of arrays.
#[derive(Debug)]
pub(super) struct Sections {
    path: PathBuf,
    map: Map,
    ranges: Vec<(usize, usize)>,
}

/// An array to be written, in parts.
pub(super) type Parts<'a> = Vec<&'a [u8]>;

/// Writes the arrays to a new file, the first `checked` of them under the hash.
pub(super) fn write(path: &Path, checked: usize, sections: &[Parts<'_>]) -> Result<()> {
    let (head, offsets) = head(checked, sections);
    let mut hash = blake3::Hasher::new();
    hash.update(&head);
    sections.iter().take(checked).flatten().for_each(|part| _ = hash.update(part));
    write_whole(path, |out| {
        out.write_all(&head)?;
        out.write_all(hash.finalize().as_bytes())?;
        let mut at = (head.len() + HASH) as u64;
        for (section, offset) in sections.iter().zip(offsets) {
            pad(out, offset - at)?;
            section.iter().try_for_each(|part| out.write_all(part))?;
            at = offset + len(section);
        }
        Ok(())
    })
}

fn head(checked: usize, sections: &[Parts<'_>]) -> (Vec<u8>, Vec<u64>) {
    let mut numbers = vec![MAGIC, sections.len() as u64, checked as u64];
    let mut at = ((numbers.len() + 2 * sections.len()) * 8 + HASH) as u64;
    let mut offsets = Vec::new();
    for section in sections {
        let offset = at.next_multiple_of(ALIGN);
        numbers.extend([offset, len(section)]);
        offsets.push(offset);
        at = offset + len(section);
    }
    (bytemuck::cast_slice(&numbers).to_vec(), offsets)
}

fn len(section: &Parts<'_>) -> u64 {
    section.iter().map(|part| part.len() as u64).sum()
}

fn pad(out: &mut dyn Write, bytes: u64) -> Result<()> {
    Ok(out.write_all(&[0; ALIGN as usize][..bytes as usize])?)
}

impl Sections {
    /// Opens a file and checks what its hash covers.
    pub(super) fn open(path: &Path) -> Result<Sections> {
        let file = File::open(path).map_err(|e| broken(path, e))?;
        let map = Map::new(&file, file.metadata()?.len())?;
        let ranges = ranges(map.bytes()).ok_or_else(|| broken(path, "is damaged"))?;
        Ok(Sections { path: path.to_path_buf(), map, ranges })
    }

    /// An array. An error when there is none, or when its length is no multiple of the size of its elements.
    pub(super) fn get<T: Pod>(&self, section: usize) -> Result<&[T]> {
        self.peek(section).ok_or_else(|| broken(&self.path, format!("has no array {section}")))
    }

    /// An array, or nothing where there is none that fits.
    pub(super) fn peek<T: Pod>(&self, section: usize) -> Option<&[T]> {
        let (start, end) = *self.ranges.get(section)?;
        bytemuck::try_cast_slice(self.map.bytes().get(start..end)?).ok()
    }

    /// An error that says what is wrong with the file.
    pub(super) fn broken(&self, why: &str) -> tabletalk_core::Error {
        broken(&self.path, why)
    }
}

/// Where the arrays are, or nothing if the file is not what was written.
fn ranges(bytes: &[u8]) -> Option<Vec<(usize, usize)>> {
    let number = |i: usize| Some(u64::from_ne_bytes(bytes.get(i * 8..i * 8 + 8)?.try_into().ok()?));
    let (magic, count, checked) = (number(0)?, number(1)?, number(2)?);
    if magic != MAGIC || count > MOST || checked > count {
        return None;
    }
    let mut ranges = Vec::new();
    for i in 0..count as usize {
        let (start, len) = (number(3 + 2 * i)?, number(4 + 2 * i)?);
        ranges.push((usize::try_from(start).ok()?, usize::try_from(start.checked_add(len)?).ok()?));
    }
    let head = (3 + 2 * count as usize) * 8;
    let mut hash = blake3::Hasher::new();
    hash.update(bytes.get(..head)?);
    for (start, end) in ranges.iter().take(checked as usize) {
        hash.update(bytes.get(*start..*end)?);
    }
    let whole = ranges.last().is_none_or(|(_, end)| *end == bytes.len());
    (whole && hash.finalize().as_bytes() == bytes.get(head..head + HASH)?).then_some(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::must_rebuild;

    fn sample(dir: &Path) -> PathBuf {
        let path = dir.join("file");
        write(&path, 1, &[vec![&[1, 2], &[3, 4]], vec![], vec![&[9; 70]]]).unwrap();
        path
    }

    #[test]
    fn arrays_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let file = Sections::open(&sample(dir.path())).unwrap();
        assert_eq!(file.get::<u8>(0).unwrap(), [1, 2, 3, 4]);
        assert_eq!(file.get::<u32>(0).unwrap(), [u32::from_ne_bytes([1, 2, 3, 4])]);
        assert!(file.get::<u64>(1).unwrap().is_empty());
        assert_eq!(file.get::<u8>(2).unwrap(), [9; 70]);
        assert!(must_rebuild(&file.get::<u64>(0).unwrap_err()));
        assert!(file.get::<u8>(3).is_err());
    }

    #[test]
    fn every_cut_and_every_change_of_what_is_checked_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let path = sample(dir.path());
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(must_rebuild(&Sections::open(&path).unwrap_err()), "{cut}");
        }
        for at in (0..9 * 8 + HASH).chain(128..132) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert!(Sections::open(&path).is_err(), "{at}");
        }
    }
}

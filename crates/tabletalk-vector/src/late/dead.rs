//! Which documents of a segment no longer count.

use super::sections::{Sections, write};
use crate::bits::Bits;
use std::path::Path;
use tabletalk_core::Result;

/// A set of places in a segment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Dead {
    /// The file it is kept in, once it is.
    pub(super) name: Option<String>,
    bits: Bits,
}

impl Dead {
    /// Reads a set.
    pub(super) fn open(dir: &Path, name: Option<&str>) -> Result<Dead> {
        let Some(name) = name else { return Ok(Dead::default()) };
        let bits = Bits::new(Sections::open(&dir.join(name))?.get::<u64>(0)?.to_vec());
        Ok(Dead { name: Some(name.to_string()), bits })
    }

    /// Writes the set to a new file.
    pub(super) fn write(&mut self, dir: &Path, name: String) -> Result<()> {
        write(&dir.join(&name), 1, &[vec![bytemuck::cast_slice(self.bits.words())]])?;
        self.name = Some(name);
        Ok(())
    }

    /// Whether it has changed since it was written.
    pub(super) fn is_new(&self) -> bool {
        self.count() > 0 && self.name.is_none()
    }

    /// Whether all places are below `len`.
    pub(super) fn fits(&self, len: usize) -> bool {
        self.bits.words().len() <= len.div_ceil(64)
    }

    /// How many places it has.
    pub(super) fn count(&self) -> usize {
        self.bits.len()
    }

    pub(super) fn has(&self, place: u32) -> bool {
        self.bits.contains(place)
    }

    pub(super) fn add(&mut self, place: u32) {
        if self.bits.insert(place) {
            self.name = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut dead = Dead::default();
        [3, 64, 3, 200].into_iter().for_each(|place| dead.add(place));
        assert!(dead.is_new() && dead.count() == 3);
        dead.write(dir.path(), "dead-1".into()).unwrap();
        let read = Dead::open(dir.path(), Some("dead-1")).unwrap();
        assert_eq!(read, dead);
        assert!(read.has(64) && read.has(200) && !read.has(4) && !read.has(9999) && !read.is_new());
        assert!(read.fits(201) && !read.fits(100));
    }
}

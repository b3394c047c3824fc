//! Reading binary PPM files, for the examples.

use std::path::Path;
use tabletalk_core::{Error, Result, seam::Picture};

/// The picture in a binary PPM file without comments.
pub(crate) fn read(path: &Path) -> Result<Picture> {
    let bytes = std::fs::read(path).map_err(|e| Error::from(e).at(path.display()))?;
    parse(&bytes).ok_or_else(|| Error::input("not a binary PPM file of 8 bits a colour").at(path.display()))
}

fn parse(bytes: &[u8]) -> Option<Picture> {
    let mut at = 0;
    let mut word = || {
        at += bytes.get(at..)?.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let rest = bytes.get(at..)?;
        let length = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        at += length;
        std::str::from_utf8(rest.get(..length)?).ok()
    };
    let (kind, width, height, most) = (word()?, word()?.parse().ok()?, word()?.parse().ok()?, word()?);
    let rgb = bytes.get(at + 1..)?.to_vec();
    (kind == "P6" && most == "255").then_some(Picture { width, height, rgb })
}

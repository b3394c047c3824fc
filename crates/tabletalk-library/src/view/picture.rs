//! A page as a picture, with what was found on it framed.

use super::table::table_is_on;
use crate::{Error, Library, Result};
use tabletalk_core::seam::{Picture, Source};
use tabletalk_store::{Piece, Record, StoredTable};

/// Pixels a point.
const SCALE: f32 = 2.0;
/// Points between what was found and its frame.
const PAD: f32 = 1.5;
const TABLE: [u8; 3] = [214, 39, 40];
const CELL: [u8; 3] = [255, 152, 150];
const HEADING: [u8; 3] = [31, 119, 180];
const TEXT: [u8; 3] = [44, 160, 44];
const IMAGE: [u8; 3] = [148, 103, 189];

/// The picture of a page, with two pixels a point, and with what was found on it framed when `framed` is set.
pub fn page(library: &Library, key: i64, page: u32, framed: bool) -> Result<Picture> {
    let catalog = library.store().catalog()?;
    let record = catalog.record_by_key(key)?.ok_or_else(|| Error::missing("the document went"))?;
    let mut picture = render(library, &record, page)?;
    if framed {
        frame(&mut picture, &catalog.outline(key)?, &catalog.tables_of(key)?, page);
    }
    Ok(picture)
}

fn render(library: &Library, record: &Record, page: u32) -> Result<Picture> {
    let Some(path) = library.source_path(record) else {
        let message = format!("`{}` is not at {} any more", record.name, record.source);
        return Err(Error::missing(message).hint("a picture is made from the file itself"));
    };
    let source = Source::new(&path, &record.name, &library.config().limits);
    let hint = "only pages of PDF files can be drawn; `--format md` shows what was read";
    tabletalk_read::pdf::picture(&source, page, SCALE).map_err(|e| {
        match record.fields.contains_key("pages") {
            true => e,
            false => Error::input(format!("`{}` has no pages that can be drawn", record.name)).hint(hint),
        }
    })
}

/// Frames tables with their cells, headings, texts and pictures.
fn frame(picture: &mut Picture, outline: &[Piece], tables: &[StoredTable], page: u32) {
    for piece in outline {
        let (placed, colour) = match piece {
            Piece::Heading(_, p) => (p, HEADING),
            Piece::Text(p) | Piece::Item(_, p) | Piece::Note(p) => (p, TEXT),
            Piece::Image(p) => (p, IMAGE),
            Piece::Table(_) => continue,
        };
        if let (Some(bbox), true) = (placed.place.bbox, placed.place.page == Some(page)) {
            outline_box(picture, bbox, colour, 2);
        }
    }
    for stored in tables.iter().filter(|t| table_is_on(t, page)) {
        let Some(layout) = &stored.table.layout else { continue };
        for row in 1..=layout.rows.len() as u64 {
            for col in 1..=layout.cols.len() as u32 {
                let found = layout.cell(row, col).filter(|f| f.0 == page);
                found.into_iter().for_each(|(_, bbox)| outline_box(picture, inset(bbox), CELL, 1));
            }
        }
        let rows: Vec<u64> = (1..).zip(&layout.rows).filter(|(_, r)| r.0 == page).map(|(i, _)| i).collect();
        if let (Some(first), Some(last)) = (rows.first(), rows.last())
            && let Some((_, bbox)) = layout.area((*first, *last), (1, layout.cols.len() as u32))
        {
            outline_box(picture, bbox, TABLE, 3);
        }
    }
}

/// A cell's frame stands on its lines.
fn inset(b: [f32; 4]) -> [f32; 4] {
    [b[0] + PAD, b[1] + PAD, b[2] - PAD, b[3] - PAD]
}

fn outline_box(picture: &mut Picture, bbox: [f32; 4], colour: [u8; 3], width: u32) {
    // A little apart, so that letters are not cut.
    let bbox = [bbox[0] - PAD, bbox[1] - PAD, bbox[2] + PAD, bbox[3] + PAD];
    let at = |x: f32, most: u32| ((x * SCALE).max(0.0) as u32).min(most.saturating_sub(1));
    let (left, right) = (at(bbox[0], picture.width), at(bbox[2], picture.width));
    let (top, bottom) = (at(bbox[1], picture.height), at(bbox[3], picture.height));
    for i in 0..width {
        for x in left..=right {
            dot(picture, x, top + i, colour);
            dot(picture, x, bottom.saturating_sub(i), colour);
        }
        for y in top..=bottom {
            dot(picture, left + i, y, colour);
            dot(picture, right.saturating_sub(i), y, colour);
        }
    }
}

fn dot(picture: &mut Picture, x: u32, y: u32, colour: [u8; 3]) {
    if x >= picture.width || y >= picture.height {
        return;
    }
    let at = (y as usize * picture.width as usize + x as usize) * 3;
    if let Some(pixel) = picture.rgb.get_mut(at..at + 3) {
        pixel.copy_from_slice(&colour);
    }
}

/// A picture as a PNG file.
pub fn png(picture: &Picture) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(fault)?;
    writer.write_image_data(&picture.rgb).map_err(fault)?;
    writer.finish().map_err(fault)?;
    Ok(file)
}

fn fault(error: png::EncodingError) -> Error {
    Error::bug(format!("cannot write the picture: {error}"))
}

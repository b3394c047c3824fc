//! Reads PDF files: text in reading order, headings, and tables with or without lines.

mod bomb;
mod furniture;
mod ink;
mod layout;
mod letter;
mod outline;
mod page;
mod scan;
mod structure;
mod table;
mod word;

use crate::source;
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf as File};
use ink::Ink;
use page::{Item, Page};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tabletalk_core::seam::{Documents, Picture, Source};
use tabletalk_core::{Document, Error, Result};

/// Pages that are held in memory at once.
const AT_ONCE: usize = 64;

/// Reads PDF files.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    let bytes = source::bytes(source)?;
    bomb::check(&bytes, source.limits)?;
    let file = open(bytes)?;
    let document = document(&file, source)?;
    source::one(document)
}

/// The picture of a page, counted from 1, at so many pixels a point. Very large pages come smaller.
pub fn picture(source: &Source<'_>, page: u32, scale: f32) -> Result<Picture> {
    let file = open(source::bytes(source)?)?;
    let count = file.pages().len();
    let index = (page as usize).checked_sub(1).filter(|i| *i < count);
    let index = index.ok_or_else(|| Error::missing(format!("has no page {page}: it has {count}")))?;
    let picture = scan::picture(&file, index, scale).0;
    match picture.rgb.is_empty() {
        true => Err(Error::input(format!("page {page} cannot be drawn: it is damaged"))),
        false => Ok(picture),
    }
}

fn open(bytes: Vec<u8>) -> Result<File> {
    let opened = catch_unwind(AssertUnwindSafe(|| File::new(bytes))).unwrap_or(Err(LoadPdfError::Invalid));
    opened.map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            Error::input("is encrypted with a password").hint("save a copy without the password and add that")
        }
        LoadPdfError::Decryption(_) => Error::input("is encrypted in a way that cannot be read"),
        LoadPdfError::Invalid => {
            Error::input("is not a PDF file that can be read").hint("check that it opens in a viewer")
        }
    })
}

fn document(file: &File, source: &Source<'_>) -> Result<Document> {
    let count = file.pages().len();
    let mut outline = outline::Outline::new(source.name);
    for from in (0..count).step_by(AT_ONCE) {
        let numbers: Vec<usize> = (from..count.min(from + AT_ONCE)).collect();
        let mut pages: Vec<Page> = numbers
            .par_iter()
            .map_init(InterpreterCache::new, |cache, i| {
                // A page that nobody waits for any more need not be read.
                if source.stop.is_set() { Page::default() } else { read_page(file, cache, *i) }
            })
            .collect();
        source.stop.check()?;
        if let Some(ocr) = &source.ocr {
            let is_dark = |p: &&mut Page| p.scanned || p.is_unreadable();
            for page in pages.iter_mut().filter(is_dark) {
                source.stop.check()?;
                scan::read(file, page, ocr.as_ref());
            }
        }
        furniture::drop(&mut pages);
        let read: Vec<(outline::About, Vec<Item>)> = pages
            .into_par_iter()
            .map(|page| (outline::About::of(&page), items(file, page, source)))
            .collect();
        for (about, items) in read {
            outline.page(about, items);
        }
    }
    outline.finish(file, source.limits)
}

/// The page taken apart; tables that the rules are unsure of are looked at again where a model is there.
fn items(file: &File, page: Page, source: &Source<'_>) -> Vec<Item> {
    let number = page.number;
    let mut items = page.items();
    if let Some(model) = &source.structure {
        for item in &mut items {
            let Item::Table(sheet) = item else { continue };
            if structure::is_unsure(sheet)
                && let Some(again) = structure::again(file, number, sheet, model.as_ref())
            {
                *sheet = again;
            }
        }
    }
    for item in &mut items {
        if let Item::Table(sheet) = item {
            sheet.words = Vec::new();
        }
    }
    items
}

/// Reads a page. One that breaks the decoder, or takes too long, gives what was read of it.
fn read_page<'a>(file: &'a File, cache: &InterpreterCache<'a>, index: usize) -> Page {
    let pages = file.pages();
    let Some(page) = pages.get(index) else { return Page::default() };
    let (width, height) = page.render_dimensions();
    let mut ink = Ink::new(width, height);
    let transform = hayro_interpret::util::TransformExt::to_kurbo(&page.initial_transform(true));
    let bounds = hayro_interpret::kurbo::Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let mut context = Context::new(transform, bounds, cache, page.xref(), InterpreterSettings::default());
    let read = AssertUnwindSafe(|| interpret_page(page, &mut context, &mut ink));
    let is_whole = catch_unwind(read).is_ok();
    let mut page = Page::new(index as u32 + 1, ink);
    page.broken = !is_whole;
    page
}

#[cfg(test)]
mod tests;

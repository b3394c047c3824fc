//! Reading the text on pictures: with models inside the program, or with an installed program.

mod blanks;
mod detect;
mod letters;
mod order;
mod recognise;
mod rect;
mod regions;
mod tesseract;
#[cfg(test)]
mod tests;
mod tsv;
mod upright;

pub use tesseract::Tesseract;

use crate::{
    vision::{Net, check, file, half_turn, quarter_turn},
    workers::Workers,
};
use detect::Detector;
use letters::{Letters, Reading};
use recognise::Recogniser;
use rect::Rect;
use rten::ThreadPool;
use std::{fmt, path::Path, sync::Arc};
use tabletalk_core::{
    Result,
    seam::{Ocr, Picture, Seen},
};
use upright::Upright;

const CURE: &str = "run scripts/fetch-models --ocr";
const DETECTOR: [&str; 2] = ["ch_PP-OCRv4_det_infer.onnx", "det.onnx"];
const RECOGNISER: [&str; 2] = ["ch_PP-OCRv4_rec_infer.onnx", "rec.onnx"];
const UPRIGHT: [&str; 2] = ["ch_ppocr_mobile_v2.0_cls_infer.onnx", "cls.onnx"];
/// The letters of a recogniser that does not say them itself.
const LETTERS: [&str; 3] = ["keys.txt", "ppocr_keys_v1.txt", "dict.txt"];
/// Less sure lines are left out: most are no text.
const SURE: f32 = 0.5;
/// How many times as high as wide a rectangle is that may be a line on its side.
const TALL: f32 = 1.5;
/// How many times as high as wide a rectangle is that cannot be one upright letter.
const VERY_TALL: f32 = 3.0;

/// Reads with the PP-OCR models, inside the program.
pub struct PpOcr {
    detector: Detector,
    recogniser: Recogniser,
    upright: Option<Upright>,
    workers: Workers,
}

impl fmt::Debug for PpOcr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PpOcr").field("upright", &self.upright.is_some()).finish_non_exhaustive()
    }
}

impl PpOcr {
    /// Loads the models in `dir`, to be run on one thread for each processor. The one that sees whether a page is upside
    /// down may be missing.
    pub fn load(dir: &Path) -> Result<PpOcr> {
        PpOcr::load_for(dir, 0)
    }

    /// The same on `threads` threads; 0 means one for each processor.
    pub fn load_for(dir: &Path, threads: usize) -> Result<PpOcr> {
        let detector = Detector(Net::load(&file(dir, &DETECTOR, CURE)?)?);
        let net = Net::load(&file(dir, &RECOGNISER, CURE)?)?;
        let letters = match net.note("character") {
            Some(list) => Letters::parse(list),
            None => Letters::parse(&std::fs::read_to_string(file(dir, &LETTERS, CURE)?)?),
        };
        let letters = letters.map_err(|e| e.at(net.path().display()))?;
        let upright = file(dir, &UPRIGHT, CURE).ok().map(|path| Net::load(&path).map(Upright)).transpose()?;
        let recogniser = Recogniser::new(net, letters);
        Ok(PpOcr { detector, recogniser, upright, workers: Workers::new(threads) })
    }

    fn read(&self, picture: &Picture, rects: &[Rect]) -> Result<Vec<Seen>> {
        let readings = self.workers.each(rects, |rect, pool| self.line(picture, rect, pool))?;
        let bound = |rect: &Rect| {
            let [left, top, right, bottom] = rect.bounds();
            let (width, height) = (picture.width as f32, picture.height as f32);
            [
                left.clamp(0.0, width),
                top.clamp(0.0, height),
                right.clamp(0.0, width),
                bottom.clamp(0.0, height),
            ]
        };
        let seen = rects.iter().zip(readings).map(|(rect, reading)| Seen {
            text: reading.text,
            bbox: bound(rect),
            confidence: reading.confidence,
        });
        Ok(seen.filter(|seen| seen.confidence >= SURE && !seen.text.is_empty()).collect())
    }

    /// Reads one line; one that is higher than wide in each way that it may stand, and the surest counts.
    fn line(&self, picture: &Picture, rect: &Rect, pool: &Arc<ThreadPool>) -> Result<Reading> {
        let cut = rect.cut(picture);
        if rect.height < TALL * rect.width {
            return self.recogniser.read(&cut, pool);
        }
        let left = quarter_turn(&cut);
        let right = half_turn(&left);
        let upright = (rect.height < VERY_TALL * rect.width).then_some(cut);
        let mut best = Reading::default();
        for way in upright.iter().chain([&left, &right]) {
            let reading = self.recogniser.read(way, pool)?;
            if reading.confidence > best.confidence {
                best = reading;
            }
        }
        Ok(best)
    }

    /// The picture the right way up where it is not, by how many quarter turns to the left, and its lines.
    fn upright(&self, picture: &Picture) -> Result<(Option<Picture>, usize, Vec<Rect>)> {
        let mut found = (None, 0, self.find(picture)?);
        if sideways(&found.2) {
            let turned = quarter_turn(picture);
            let rects = self.find(&turned)?;
            found = (Some(turned), 1, rects);
        }
        let Some(upright) = &self.upright else { return Ok(found) };
        let picture = found.0.as_ref().unwrap_or(picture);
        if upright.upside_down(picture, &found.2, self.workers.all())? {
            let turned = half_turn(picture);
            let rects = self.find(&turned)?;
            found = (Some(turned), found.1 + 2, rects);
        }
        Ok(found)
    }

    fn find(&self, picture: &Picture) -> Result<Vec<Rect>> {
        let mut rects = self.detector.find(picture, self.workers.all())?;
        order::sort(&mut rects);
        Ok(rects)
    }
}

impl Ocr for PpOcr {
    fn lines(&self, picture: &Picture) -> Result<Vec<Seen>> {
        check(picture)?;
        if picture.rgb.is_empty() {
            return Ok(Vec::new());
        }
        let (turned, turns, rects) = self.upright(picture)?;
        let mut seen = self.read(turned.as_ref().unwrap_or(picture), &rects)?;
        let size = [picture.width as f32, picture.height as f32];
        seen.iter_mut().for_each(|line| line.bbox = turn_back(line.bbox, size, turns));
        Ok(seen)
    }
}

/// Whether most lines are higher than wide: whether the page lies on its side.
fn sideways(rects: &[Rect]) -> bool {
    let tall = rects.iter().filter(|rect| rect.height > 2.0 * rect.width).count();
    let wide = rects.iter().filter(|rect| rect.width > 2.0 * rect.height).count();
    tall > 2 * wide && tall > 2
}

/// A box on a picture of the size `[width, height]` from the same on the picture after `turns` quarter turns to the left.
fn turn_back(bbox: [f32; 4], [width, height]: [f32; 2], turns: usize) -> [f32; 4] {
    let [left, top, right, bottom] = bbox;
    match turns % 4 {
        0 => bbox,
        1 => [width - bottom, left, width - top, right],
        2 => [width - right, height - bottom, width - left, height - top],
        _ => [top, height - right, bottom, height - left],
    }
}

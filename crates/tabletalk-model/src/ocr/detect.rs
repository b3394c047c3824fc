//! Where lines of text are on a picture.

use super::{rect::Rect, regions::Likely};
use crate::vision::{Net, Scale, planes, resize};
use rten::ThreadPool;
use rten_tensor::prelude::*;
use std::sync::Arc;
use tabletalk_core::{Error, Result, seam::Picture};

/// The model wants sides that are a multiple of this.
const STEP: u32 = 32;
/// A picture whose shorter side is less is made larger, for the sake of small letters, but not past `LONG` or `TIMES`.
const SHORT: f32 = 736.0;
const LONG: f32 = 2000.0;
const TIMES: f32 = 4.0;
/// A picture whose shorter side is more is made smaller: a page of 12-point text then still has letters of 20 pixels.
const MOST: f32 = 1440.0;
/// A picture that is still wider is made smaller.
const WIDEST: f32 = 4096.0;
/// How many pixels are looked at together; larger pictures go through in strips, so that memory stays bounded.
const PIXELS: usize = 3 << 20;
/// How much a strip sees above and below the part that is its own.
const MARGIN: usize = 96;

/// Finds lines of text.
pub(crate) struct Detector(pub(crate) Net);

impl Detector {
    /// The rectangles of lines of text, in pixels of `picture`.
    pub(crate) fn find(&self, picture: &Picture, pool: &Arc<ThreadPool>) -> Result<Vec<Rect>> {
        let (width, height) = size(picture.width, picture.height);
        let small = resize(picture, width, height);
        let mut likely = Likely {
            width: width as usize,
            height: height as usize,
            values: Vec::with_capacity(small.rgb.len() / 3),
        };
        for strip in strips(likely.width, likely.height) {
            likely.values.extend(self.look(&small, &strip, pool)?);
        }
        let (x, y) = (picture.width as f32 / width as f32, picture.height as f32 / height as f32);
        Ok(likely.regions().iter().map(|region| region.scaled(x, y)).collect())
    }

    /// How likely each pixel of a strip's own rows is text.
    fn look(&self, picture: &Picture, strip: &Strip, pool: &Arc<ThreadPool>) -> Result<Vec<u8>> {
        let row = picture.width as usize * 3;
        let rgb = picture.rgb.get(strip.seen.start * row..strip.seen.end * row).unwrap_or_default().to_vec();
        let part = Picture { width: picture.width, height: strip.seen.len() as u32, rgb };
        let input = planes(&part, &Scale::EVEN, picture.width as usize, strip.seen.len());
        let output = self.0.run(input, pool)?.pop();
        let width = picture.width as usize;
        let wanted = width * strip.seen.len();
        let values = output.filter(|output| output.len() == wanted).ok_or_else(|| {
            Error::input("the model does not say of each pixel whether it is text")
                .at(self.0.path().display())
        })?;
        let own = (strip.own.start - strip.seen.start) * width..(strip.own.end - strip.seen.start) * width;
        let values = values.into_data();
        let byte = |value: &f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        Ok(values.get(own).unwrap_or_default().iter().map(byte).collect())
    }
}

/// The size in which a picture is looked at.
fn size(width: u32, height: u32) -> (u32, u32) {
    let (w, h) = (width.max(1) as f32, height.max(1) as f32);
    let larger = (SHORT / w.min(h)).min(LONG / w.max(h)).min(TIMES);
    let smaller = (MOST / w.min(h)).min(WIDEST / w);
    let scale = larger.max(1.0).min(smaller);
    let step = |side: f32| (((side * scale / STEP as f32).round() as u32) * STEP).max(STEP);
    (step(w), step(h))
}

/// Rows that are looked at together.
struct Strip {
    /// The rows that the model sees.
    seen: std::ops::Range<usize>,
    /// The rows that its word is taken for.
    own: std::ops::Range<usize>,
}

fn strips(width: usize, height: usize) -> Vec<Strip> {
    if width * height <= PIXELS {
        return vec![Strip { seen: 0..height, own: 0..height }];
    }
    let step = STEP as usize;
    let own = (PIXELS / width.max(1)).saturating_sub(2 * MARGIN).max(2 * MARGIN) / step * step;
    let strip = |start: usize| {
        let end = (start + own).min(height);
        Strip { seen: start.saturating_sub(MARGIN)..(end + MARGIN).min(height), own: start..end }
    };
    (0..height).step_by(own).map(strip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_their_size_up_to_a_limit_and_small_pictures_grow() {
        assert_eq!(size(1240, 1754), (1248, 1760));
        assert_eq!(size(2480, 3508), (1440, 2048));
        assert_eq!(size(300, 100), (1216, 416));
        assert_eq!(size(1, 1), (32, 32));
        assert_eq!(size(1000, 60_000), (992, 60_000));
    }

    #[test]
    fn strips_of_a_long_page_cover_each_row_once_and_stay_small() {
        let strips = strips(992, 60_000);
        let mut next = 0;
        for strip in &strips {
            assert_eq!(strip.own.start, next);
            assert!(strip.seen.start <= strip.own.start && strip.seen.end >= strip.own.end);
            assert!(strip.seen.len() * 992 <= PIXELS && strip.seen.len() % 32 == 0);
            next = strip.own.end;
        }
        assert_eq!(next, 60_000);
        assert_eq!(super::strips(1440, 2048).len(), 1);
    }
}

//! Pages as pictures, for people to look at and for OCR.

use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use hayro_interpret::InterpreterSettings;
use hayro_syntax::Pdf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tabletalk_core::seam::Picture;

/// No side of a picture has more pixels.
const LARGEST: f32 = 6000.0;

/// The picture of a page, and how many pixels a point has in it.
pub(super) fn picture(file: &Pdf, index: usize, scale: f32) -> (Picture, f32) {
    let pages = file.pages();
    let Some(page) = pages.get(index) else { return (Picture::default(), scale) };
    let (width, height) = page.render_dimensions();
    let scale = scale.min(LARGEST / width.max(1.0)).min(LARGEST / height.max(1.0));
    let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let draw = AssertUnwindSafe(|| {
        let (cache, look) = (RenderCache::new(), RenderSettings::default());
        render(page, &cache, &InterpreterSettings::default(), &look, &settings)
    });
    // A page that breaks the renderer is left blank.
    let Ok(pixmap) = catch_unwind(draw) else { return (Picture::default(), scale) };
    let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
    let rgb = pixmap.data().iter().flat_map(|p| [p.r, p.g, p.b]).collect();
    (Picture { width, height, rgb }, scale)
}

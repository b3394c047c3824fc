//! What is drawn on a page: characters, lines and areas, pictures.

use super::letter::Text;
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask,
};
use std::time::{Duration, Instant};

/// More characters than this on one page are not read.
pub(super) const MOST_CHARS: usize = 400_000;
/// More lines and areas than this on one page are a drawing, not rules of tables.
const MOST_RULES: usize = 60_000;
/// A page is left after this time.
const LONGEST: Duration = Duration::from_secs(15);
/// A line is at most this thick, in points; anything thicker is an area.
const THICKEST: f32 = 2.6;
/// Shorter strokes are parts of letters or of drawings.
const SHORTEST: f32 = 3.0;

/// A character with the box it takes, its baseline horizontal.
#[derive(Debug, Clone)]
pub(super) struct Char {
    pub text: Text,
    pub left: f32,
    pub right: f32,
    /// The height of the baseline.
    pub base: f32,
    /// The size of the font.
    pub size: f32,
    pub bold: bool,
}

/// All that is drawn on a page, in the coordinates of the page as it is shown.
#[derive(Default)]
pub(super) struct Ink {
    pub width: f32,
    pub height: f32,
    /// Characters by the direction they run in: right, down, left, up.
    pub chars: [Vec<Char>; 4],
    /// How many characters of a picture's hidden text layer there are.
    pub hidden: usize,
    pub rules: Vec<Rule>,
    pub pictures: Vec<[f32; 4]>,
    /// Characters whose letter the file does not tell.
    pub unknown: usize,
    pub cut: bool,
    /// How much was drawn, and since when.
    drawn: usize,
    since: Option<Instant>,
}

impl Ink {
    pub(super) fn new(width: f32, height: f32) -> Self {
        Ink { width, height, ..Ink::default() }
    }

    /// Leaves a page that takes too long; the caller keeps what there is.
    fn tick(&mut self) {
        self.drawn += 1;
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.drawn.is_multiple_of(256) && since.elapsed() > LONGEST {
            std::panic::resume_unwind(Box::new("the page takes too long"));
        }
    }

    fn is_outside(&self, r: &Rect) -> bool {
        r.x1 < 0.0 || r.y1 < 0.0 || r.x0 > f64::from(self.width) || r.y0 > f64::from(self.height)
    }

    fn glyph(&mut self, glyph: &Glyph<'_>, at: Affine, bold: bool) {
        let advance = match glyph {
            Glyph::Outline(g) => g.advance_width(),
            Glyph::Type3(g) => g.advance_width(),
        };
        let advance = f64::from(advance.unwrap_or(500.0)).clamp(-4000.0, 4000.0);
        let (from, to) = (at * Point::ZERO, at * Point::new(advance, 0.0));
        let up = at * Point::new(0.0, 1000.0) - from;
        let size = up.hypot() as f32;
        let finite = [from.x, from.y, to.x, to.y].iter().all(|v| v.is_finite() && v.abs() < 1e6);
        if !finite || !(0.5..=2000.0).contains(&size) || self.is_outside(&Rect::from_points(from, to)) {
            return;
        }
        let Some(text) = self.letter(glyph) else { return };
        // The way up decides the direction: some characters have no width.
        let direction = match (up.x.abs() > up.y.abs(), up.x > 0.0, up.y > 0.0) {
            (false, _, false) => 0,
            (true, true, _) => 1,
            (false, _, true) => 2,
            (true, false, _) => 3,
        };
        let whole = (self.width, self.height);
        let turn = |p: Point| turned(direction, whole, (p.x as f32, p.y as f32));
        let ((x0, base), (x1, _)) = (turn(from), turn(to));
        let char = Char { text, left: x0.min(x1), right: x0.max(x1), base, size, bold };
        self.chars[direction].push(char);
    }

    fn letter(&mut self, glyph: &Glyph<'_>) -> Option<Text> {
        if self.chars.iter().map(Vec::len).sum::<usize>() >= MOST_CHARS {
            self.cut = true;
            return None;
        }
        match glyph.as_unicode() {
            Some(BfString::Char(c)) => super::letter::tidy(c),
            Some(BfString::String(s)) => super::letter::tidy_all(&s),
            None => {
                self.unknown += 1;
                Some(Text::One('\u{fffd}'))
            }
        }
    }

    fn stroke(&mut self, path: &BezPath, at: Affine, width: f32, light: bool) {
        let mut last = Point::ZERO;
        let mut start = Point::ZERO;
        for element in path.elements() {
            match *element {
                PathEl::MoveTo(p) => (last, start) = (p, p),
                PathEl::LineTo(p) => {
                    self.line(at * last, at * p, width, light);
                    last = p;
                }
                PathEl::ClosePath => {
                    self.line(at * last, at * start, width, light);
                    last = start;
                }
                PathEl::QuadTo(_, p) | PathEl::CurveTo(_, _, p) => last = p,
            }
        }
    }

    fn line(&mut self, a: Point, b: Point, width: f32, light: bool) {
        if self.rules.len() >= MOST_RULES {
            return;
        }
        let rect = Rect::from_points(a, b);
        let (w, h) = (rect.width() as f32, rect.height() as f32);
        let straight = w < 1.0 || h < 1.0;
        if straight && w.max(h) >= SHORTEST && width < 12.0 && !self.is_outside(&rect) {
            self.rules.extend(Rule::of(&rect, width, light));
        }
    }

    fn fill(&mut self, path: &BezPath, at: Affine, light: bool) {
        for sub in rectangles(path) {
            let rect = at.transform_rect_bbox(sub);
            let (w, h) = (rect.width() as f32, rect.height() as f32);
            if self.is_outside(&rect) || !w.is_finite() || !h.is_finite() {
                continue;
            }
            if w.min(h) <= THICKEST && w.max(h) >= SHORTEST && self.rules.len() < MOST_RULES {
                self.rules.extend(Rule::of(&rect, w.min(h), light));
            }
        }
    }
}

/// The page turned so that text running in `direction` runs to the right.
pub(super) fn turned(direction: usize, (w, h): (f32, f32), (x, y): (f32, f32)) -> (f32, f32) {
    match direction {
        0 => (x, y),
        1 => (y, w - x),
        2 => (w - x, h - y),
        _ => (h - y, x),
    }
}

/// A box of the turned page, as it stands on the page.
pub(super) fn turned_back(direction: usize, (w, h): (f32, f32), r: [f32; 4]) -> [f32; 4] {
    match direction {
        0 => r,
        1 => [w - r[3], r[0], w - r[1], r[2]],
        2 => [w - r[2], h - r[3], w - r[0], h - r[1]],
        _ => [r[1], h - r[2], r[3], h - r[0]],
    }
}

fn bounds(r: &Rect) -> [f32; 4] {
    [r.x0 as f32, r.y0 as f32, r.x1 as f32, r.y1 as f32]
}

/// The rectangles a path is made of; other forms are passed over.
fn rectangles(path: &BezPath) -> Vec<Rect> {
    let mut found = Vec::new();
    let mut points: Vec<Point> = Vec::new();
    let mut flush = |points: &mut Vec<Point>| {
        points.dedup();
        if points.len() > 3 && points.first() == points.last() {
            points.pop();
        }
        let straight =
            |pair: (&Point, &Point)| (pair.0.x - pair.1.x).abs() < 0.5 || (pair.0.y - pair.1.y).abs() < 0.5;
        let next = points.iter().skip(1).chain(points.first());
        if matches!(points.len(), 2 | 4) && points.iter().zip(next).all(straight) {
            let first = Rect::from_points(points[0], points[1]);
            found.push(points.iter().fold(first, |r, p| r.union_pt(*p)));
        }
        points.clear();
    };
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(p) => {
                flush(&mut points);
                points.push(p);
            }
            PathEl::LineTo(p) => points.push(p),
            PathEl::ClosePath => flush(&mut points),
            // A form with curves is no rectangle.
            PathEl::QuadTo(_, p) | PathEl::CurveTo(_, _, p) => points.extend([p; 6]),
        }
        if points.len() > 16 {
            points.truncate(16);
        }
    }
    flush(&mut points);
    found
}

/// Whether a paint can hardly be seen on white.
fn is_light(paint: &Paint<'_>) -> bool {
    match paint {
        Paint::Color(color) => {
            let [r, g, b, a] = color.to_rgba().to_rgba8();
            a < 8 || (r > 247 && g > 247 && b > 247)
        }
        Paint::Pattern(_) => false,
    }
}

impl<'a> Device<'a> for Ink {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.tick();
        let light = is_light(&props.paint);
        let scale = props.transform.determinant().abs().sqrt() as f32;
        match mode {
            DrawMode::Fill(_) => self.fill(path, props.transform, light),
            DrawMode::Stroke(stroke) => self.stroke(path, props.transform, stroke.line_width * scale, light),
            DrawMode::FillAndStroke(_, stroke) => {
                self.fill(path, props.transform, light);
                self.stroke(path, props.transform, stroke.line_width * scale, light);
            }
            DrawMode::Invisible => {}
        }
    }
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.tick();
        let bold = run.glyphs().first().is_some_and(|g| is_bold(g));
        for glyph in run.glyphs() {
            self.hidden += usize::from(matches!(mode, DrawMode::Invisible));
            self.glyph(glyph, props.transform * glyph.transform(), bold);
        }
    }
    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let unit = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let rect = props.transform.transform_rect_bbox(unit);
        let (w, h) = (rect.width() as f32, rect.height() as f32);
        if w.min(h) <= THICKEST && w.max(h) >= SHORTEST && self.rules.len() < MOST_RULES {
            // Some programs draw lines as pictures of one pixel.
            self.rules.extend(Rule::of(&rect, w.min(h), false));
        } else if !self.is_outside(&rect) && self.pictures.len() < MOST_RULES {
            self.pictures.push(bounds(&rect));
        }
    }
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

fn is_bold(glyph: &Glyph<'_>) -> bool {
    let Glyph::Outline(glyph) = glyph else { return false };
    let Some(data) = glyph.font_data() else { return false };
    let named = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["bold", "black", "heavy", "semibold", "demi"].iter().any(|w| name.contains(w))
    };
    data.weight.is_some_and(|w| w >= 600) || data.postscript_name.as_deref().is_some_and(named)
}

/// A straight line, across or down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    /// Runs across the page; otherwise down.
    pub across: bool,
    /// Its height, or its distance from the left.
    pub at: f32,
    pub from: f32,
    pub to: f32,
    pub width: f32,
    /// Drawn in white.
    pub light: bool,
}

impl Rule {
    /// The line through the middle of a thin rectangle.
    pub(super) fn of(rect: &Rect, width: f32, light: bool) -> Option<Self> {
        let across = rect.width() >= rect.height();
        let (at, from, to) = match across {
            true => ((rect.y0 + rect.y1) / 2.0, rect.x0, rect.x1),
            false => ((rect.x0 + rect.x1) / 2.0, rect.y0, rect.y1),
        };
        let finite = [at, from, to].iter().all(|v| v.is_finite() && v.abs() < 1e6);
        finite.then_some(Rule { across, at: at as f32, from: from as f32, to: to as f32, width, light })
    }
    pub(super) fn len(&self) -> f32 {
        self.to - self.from
    }
}

/// Joins the pieces of each line: programs draw a line cell by cell.
pub(super) fn joined(mut rules: Vec<Rule>) -> Vec<Rule> {
    const NEAR: f32 = 1.5;
    rules.sort_by(|a, b| a.across.cmp(&b.across).then(a.at.total_cmp(&b.at)).then(a.from.total_cmp(&b.from)));
    let mut out: Vec<Rule> = Vec::new();
    let mut i = 0;
    while i < rules.len() {
        let mut band = vec![rules[i]];
        let mut j = i + 1;
        while j < rules.len()
            && rules[j].across == rules[i].across
            && rules[j].at - rules[j - 1].at < NEAR
            && rules[j].at - rules[i].at < 2.0 * NEAR
        {
            band.push(rules[j]);
            j += 1;
        }
        band.sort_by(|a, b| a.from.total_cmp(&b.from));
        let first = out.len();
        for rule in band {
            match out.get_mut(first..).and_then(<[Rule]>::last_mut) {
                Some(last) if rule.from <= last.to + 2.0 => {
                    last.to = last.to.max(rule.to);
                    last.width = last.width.max(rule.width);
                    last.light &= rule.light;
                }
                _ => out.push(rule),
            }
        }
        i = j;
    }
    out
}

//! Rectangles that may be tilted.

use tabletalk_core::seam::Picture;

/// A rectangle whose sides `width` lie along `angle`, between -45 and 45 degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) centre: [f32; 2],
    pub(crate) width: f32,
    pub(crate) height: f32,
    /// In radians, clockwise as y grows downwards.
    pub(crate) angle: f32,
}

/// How much larger an upright rectangle may be than a tilted one to be taken instead: the tilt of a short word is chance.
const UPRIGHT_ENOUGH: f32 = 1.1;

impl Rect {
    /// The smallest rectangle around `points`: upright, unless a tilted one is clearly smaller.
    pub(crate) fn around(points: &[[f32; 2]]) -> Option<Rect> {
        let hull = hull(points);
        let upright = along(&hull, 0.0)?;
        let next = hull.iter().cycle().skip(1);
        let tilted =
            hull.iter().zip(next).filter_map(|(a, b)| along(&hull, (b[1] - a[1]).atan2(b[0] - a[0])));
        let smallest = tilted.min_by(|a, b| a.area().total_cmp(&b.area())).unwrap_or(upright);
        match upright.area() <= smallest.area() * UPRIGHT_ENOUGH {
            true => Some(upright),
            false => Some(smallest),
        }
    }

    /// Its area.
    pub(crate) fn area(&self) -> f32 {
        self.width * self.height
    }

    /// The shorter side.
    pub(crate) fn short_side(&self) -> f32 {
        self.width.min(self.height)
    }

    /// The rectangle with each side pushed out by `distance`.
    pub(crate) fn grown(&self, distance: f32) -> Rect {
        Rect { width: self.width + 2.0 * distance, height: self.height + 2.0 * distance, ..*self }
    }

    /// The rectangle on a picture that is `x` times as wide and `y` times as high.
    pub(crate) fn scaled(&self, x: f32, y: f32) -> Rect {
        let (sin, cos) = self.angle.sin_cos();
        Rect {
            centre: [self.centre[0] * x, self.centre[1] * y],
            width: self.width * (cos * x).hypot(sin * y),
            height: self.height * (sin * x).hypot(cos * y),
            angle: (sin * y).atan2(cos * x),
        }
    }

    /// Whether a point lies in it.
    pub(crate) fn inside(&self, x: f32, y: f32) -> bool {
        let (sin, cos) = self.angle.sin_cos();
        let (dx, dy) = (x - self.centre[0], y - self.centre[1]);
        (dx * cos + dy * sin).abs() <= self.width / 2.0 && (dy * cos - dx * sin).abs() <= self.height / 2.0
    }

    /// Left, top, right and bottom of what it covers.
    pub(crate) fn bounds(&self) -> [f32; 4] {
        let (sin, cos) = self.angle.sin_cos();
        let x = (self.width * cos.abs() + self.height * sin.abs()) / 2.0;
        let y = (self.width * sin.abs() + self.height * cos.abs()) / 2.0;
        let [cx, cy] = self.centre;
        [cx - x, cy - y, cx + x, cy + y]
    }

    /// What of `picture` is in it, made upright.
    pub(crate) fn cut(&self, picture: &Picture) -> Picture {
        let (width, height) = (self.width.round().max(1.0), self.height.round().max(1.0));
        let (sin, cos) = self.angle.sin_cos();
        let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
        for y in 0..height as u32 {
            for x in 0..width as u32 {
                let (dx, dy) = (x as f32 + 0.5 - width / 2.0, y as f32 + 0.5 - height / 2.0);
                let at = [self.centre[0] + dx * cos - dy * sin, self.centre[1] + dx * sin + dy * cos];
                rgb.extend(if self.angle == 0.0 { nearest(picture, at) } else { blended(picture, at) });
            }
        }
        Picture { width: width as u32, height: height as u32, rgb }
    }
}

/// The pixel at a place, or the one at the border that is nearest to it.
fn nearest(picture: &Picture, at: [f32; 2]) -> [u8; 3] {
    let x = (at[0].max(0.0) as usize).min((picture.width as usize).saturating_sub(1));
    let y = (at[1].max(0.0) as usize).min((picture.height as usize).saturating_sub(1));
    let start = (y * picture.width as usize + x) * 3;
    match picture.rgb.get(start..start + 3) {
        Some(&[red, green, blue]) => [red, green, blue],
        _ => [255; 3],
    }
}

/// The four pixels around a place, the nearer the more.
fn blended(picture: &Picture, at: [f32; 2]) -> [u8; 3] {
    let (x, y) = (at[0] - 0.5, at[1] - 0.5);
    let (right, down) = (x - x.floor(), y - y.floor());
    let pixel =
        |dx: f32, dy: f32| nearest(picture, [x.floor() + dx + 0.5, y.floor() + dy + 0.5]).map(f32::from);
    let mix = |a: [f32; 3], b: [f32; 3], part: f32| {
        [0, 1, 2].map(|i: usize| a.get(i).unwrap_or(&0.0) * (1.0 - part) + b.get(i).unwrap_or(&0.0) * part)
    };
    let (top, bottom) =
        (mix(pixel(0.0, 0.0), pixel(1.0, 0.0), right), mix(pixel(0.0, 1.0), pixel(1.0, 1.0), right));
    mix(top, bottom, down).map(|v| v.round() as u8)
}

/// The rectangle around `points` with a side along `angle`.
fn along(points: &[[f32; 2]], angle: f32) -> Option<Rect> {
    let quarter = std::f32::consts::FRAC_PI_2;
    let angle = angle - (angle / quarter).round() * quarter;
    let (sin, cos) = angle.sin_cos();
    let ends = |part: &dyn Fn(&[f32; 2]) -> f32| {
        let values = points.iter().map(part);
        values.fold(None, |ends: Option<(f32, f32)>, v| {
            Some(ends.map_or((v, v), |(a, b)| (a.min(v), b.max(v))))
        })
    };
    let (left, right) = ends(&|p| p[0] * cos + p[1] * sin)?;
    let (top, bottom) = ends(&|p| p[1] * cos - p[0] * sin)?;
    let (x, y) = ((left + right) / 2.0, (top + bottom) / 2.0);
    let centre = [x * cos - y * sin, x * sin + y * cos];
    Some(Rect { centre, width: right - left, height: bottom - top, angle })
}

/// The corners of the convex hull.
fn hull(points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    let mut lower = half_hull(sorted.iter());
    lower.pop();
    let mut upper = half_hull(sorted.iter().rev());
    upper.pop();
    lower.extend(upper);
    if lower.is_empty() { sorted } else { lower }
}

fn half_hull<'a>(points: impl Iterator<Item = &'a [f32; 2]>) -> Vec<[f32; 2]> {
    let mut chain: Vec<[f32; 2]> = Vec::new();
    for point in points {
        while let [.., a, b] = chain.as_slice()
            && (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) <= 0.0
        {
            chain.pop();
        }
        chain.push(*point);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upright_points_have_an_upright_rectangle() {
        let rect = Rect::around(&[[1.0, 2.0], [11.0, 2.0], [11.0, 5.0], [1.0, 5.0], [4.0, 3.0]]).unwrap();
        assert_eq!(rect, Rect { centre: [6.0, 3.5], width: 10.0, height: 3.0, angle: 0.0 });
        assert_eq!(rect.bounds(), [1.0, 2.0, 11.0, 5.0]);
    }

    #[test]
    fn a_long_tilted_line_has_a_tilted_rectangle() {
        let (sin, cos) = 0.1f32.sin_cos();
        let corner = |x: f32, y: f32| [50.0 + x * cos - y * sin, 50.0 + x * sin + y * cos];
        let points = [corner(-40.0, -2.0), corner(40.0, -2.0), corner(40.0, 2.0), corner(-40.0, 2.0)];
        let rect = Rect::around(&points).unwrap();
        assert!((rect.angle - 0.1).abs() < 1e-3, "{rect:?}");
        assert!((rect.width - 80.0).abs() < 0.01 && (rect.height - 4.0).abs() < 0.01, "{rect:?}");
        assert!(rect.inside(50.0, 50.0) && !rect.inside(50.0, 55.0));
    }

    #[test]
    fn no_point_has_no_rectangle_and_one_has_an_empty_one() {
        assert_eq!(Rect::around(&[]), None);
        assert_eq!(Rect::around(&[[3.0, 4.0]]).unwrap().area(), 0.0);
        assert_eq!(Rect::around(&[[3.0, 4.0], [5.0, 4.0]]).unwrap().width, 2.0);
    }

    #[test]
    fn a_rectangle_grows_and_scales() {
        let rect = Rect { centre: [10.0, 10.0], width: 4.0, height: 2.0, angle: 0.0 };
        assert_eq!(rect.grown(1.0).bounds(), [7.0, 8.0, 13.0, 12.0]);
        assert_eq!(rect.scaled(2.0, 3.0).bounds(), [16.0, 27.0, 24.0, 33.0]);
    }

    #[test]
    fn a_cut_copies_pixels_and_repeats_the_border() {
        let picture = Picture { width: 2, height: 1, rgb: vec![1, 1, 1, 9, 9, 9] };
        let cut = Rect { centre: [1.5, 0.5], width: 3.0, height: 1.0, angle: 0.0 }.cut(&picture);
        assert_eq!(cut.rgb, [1, 1, 1, 9, 9, 9, 9, 9, 9]);
    }

    #[test]
    fn a_tilted_cut_of_a_plain_picture_is_plain() {
        let picture = Picture { width: 9, height: 9, rgb: vec![50; 243] };
        let cut = Rect { centre: [4.0, 4.0], width: 6.0, height: 3.0, angle: 0.3 }.cut(&picture);
        assert_eq!(cut.rgb, vec![50; 54]);
    }
}

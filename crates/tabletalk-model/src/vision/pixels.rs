//! Pictures made larger or smaller, and turned into numbers.

use rten_tensor::NdTensor;
use tabletalk_core::{Error, Result, seam::Picture};

/// How bytes become numbers: `(byte / 255 - mean) / deviation`, for blue, green and red.
pub(crate) struct Scale {
    pub(crate) mean: [f32; 3],
    pub(crate) deviation: [f32; 3],
}

impl Scale {
    /// From -1 to 1.
    pub(crate) const EVEN: Scale = Scale { mean: [0.5; 3], deviation: [0.5; 3] };
}

/// Stops where a picture has not as many bytes as its size says.
pub(crate) fn check(picture: &Picture) -> Result<()> {
    let wanted = u64::from(picture.width) * u64::from(picture.height) * 3;
    match picture.rgb.len() as u64 == wanted {
        true => Ok(()),
        false => Err(Error::bug(format!(
            "a picture of {} × {} pixels has {} bytes, not {wanted}",
            picture.width,
            picture.height,
            picture.rgb.len()
        ))),
    }
}

/// What one new pixel is made of: the old ones from `first` on, by weight.
struct Taps {
    first: usize,
    weights: Vec<f32>,
}

/// The picture in another size. What gets smaller is averaged, so that thin strokes stay.
pub(crate) fn resize(picture: &Picture, width: u32, height: u32) -> Picture {
    if (picture.width, picture.height) == (width, height) {
        return picture.clone();
    }
    let middle = narrow(picture, &taps(picture.width, width));
    let rgb = flatten(&middle, width as usize * 3, &taps(picture.height, height));
    Picture { width, height, rgb }
}

fn taps(from: u32, to: u32) -> Vec<Taps> {
    let scale = from as f32 / to.max(1) as f32;
    let reach = scale.max(1.0);
    let tap = |at: u32| {
        let centre = (at as f32 + 0.5) * scale;
        let first = (centre - reach).floor().max(0.0) as usize;
        let last = ((centre + reach).ceil() as usize).min(from as usize);
        let weight = |old: usize| (1.0 - (old as f32 + 0.5 - centre).abs() / reach).max(0.0);
        let sum: f32 = (first..last).map(weight).sum();
        Taps { first, weights: (first..last).map(|old| weight(old) / sum.max(f32::EPSILON)).collect() }
    };
    (0..to).map(tap).collect()
}

/// Every row in its new width.
fn narrow(picture: &Picture, taps: &[Taps]) -> Vec<u8> {
    let mut out = Vec::with_capacity(taps.len() * 3 * picture.height as usize);
    for row in picture.rgb.chunks_exact((picture.width as usize * 3).max(1)) {
        for tap in taps {
            let mut sum = [0.5f32; 3];
            let pixels = row.get(tap.first * 3..).unwrap_or_default().chunks_exact(3);
            for (pixel, weight) in pixels.zip(&tap.weights) {
                sum.iter_mut().zip(pixel).for_each(|(sum, byte)| *sum += f32::from(*byte) * weight);
            }
            out.extend(sum.map(|sum| sum as u8));
        }
    }
    out
}

/// Every column in its new height.
fn flatten(rgb: &[u8], row_bytes: usize, taps: &[Taps]) -> Vec<u8> {
    let mut out = Vec::with_capacity(row_bytes * taps.len());
    let mut sums = vec![0f32; row_bytes];
    for tap in taps {
        sums.fill(0.5);
        let rows = rgb.chunks_exact(row_bytes.max(1)).skip(tap.first);
        for (row, weight) in rows.zip(&tap.weights) {
            sums.iter_mut().zip(row).for_each(|(sum, byte)| *sum += f32::from(*byte) * weight);
        }
        out.extend(sums.iter().map(|sum| *sum as u8));
    }
    out
}

/// The picture as planes of blue, green and red: the order these models were trained with. It lies at the top left of
/// `width` × `height`; the rest is zero.
pub(crate) fn planes(picture: &Picture, scale: &Scale, width: usize, height: usize) -> NdTensor<f32, 4> {
    let mut data = vec![0f32; 3 * width * height];
    let row_bytes = (picture.width as usize * 3).max(1);
    for (plane, out) in data.chunks_exact_mut((width * height).max(1)).enumerate() {
        let (Some(mean), Some(deviation)) = (scale.mean.get(plane), scale.deviation.get(plane)) else {
            continue;
        };
        let (factor, shift) = (1.0 / (255.0 * deviation), mean / deviation);
        for (row, out) in picture.rgb.chunks_exact(row_bytes).zip(out.chunks_exact_mut(width.max(1))) {
            let bytes = row.iter().skip(2 - plane).step_by(3);
            out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = f32::from(*byte) * factor - shift);
        }
    }
    NdTensor::from_data([1, 3, height, width], data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rten_tensor::prelude::*;

    fn grey(width: u32, bytes: &[u8]) -> Picture {
        let rgb: Vec<u8> = bytes.iter().flat_map(|b| [*b; 3]).collect();
        Picture { width, height: bytes.len() as u32 / width, rgb }
    }

    #[test]
    fn half_the_size_is_the_average_of_neighbours() {
        let small = resize(&grey(4, &[0, 0, 200, 200, 0, 0, 200, 200]), 2, 1);
        assert_eq!(small.rgb, [29, 29, 29, 171, 171, 171]);
    }

    #[test]
    fn a_plain_picture_stays_plain_in_any_size() {
        let plain = grey(5, &[77; 35]);
        for (width, height) in [(1, 1), (3, 9), (50, 2), (5, 7)] {
            let other = resize(&plain, width, height);
            assert_eq!(other.rgb, vec![77; (width * height * 3) as usize]);
        }
    }

    #[test]
    fn an_empty_picture_can_be_resized() {
        assert_eq!(resize(&Picture::default(), 2, 2).rgb.len() % 3, 0);
    }

    #[test]
    fn planes_are_blue_green_red_with_zero_around() {
        let picture = Picture { width: 1, height: 1, rgb: vec![255, 0, 51] };
        let planes = planes(&picture, &Scale::EVEN, 2, 1);
        let values: Vec<f32> = planes.iter().map(|v| (v * 10.0).round() / 10.0).collect();
        assert_eq!(values, [-0.6, 0.0, -1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_picture_with_too_few_bytes_is_refused() {
        let picture = Picture { width: 2, height: 2, rgb: vec![0; 11] };
        assert!(check(&picture).unwrap_err().message().contains("has 11 bytes, not 12"));
    }
}

//! Pictures turned by quarters.

use tabletalk_core::seam::Picture;

/// The picture upside down.
pub(crate) fn half_turn(picture: &Picture) -> Picture {
    let rgb = picture.rgb.chunks_exact(3).rev().flatten().copied().collect();
    Picture { rgb, ..*picture }
}

/// The picture turned to the left: its right side is on top.
pub(crate) fn quarter_turn(picture: &Picture) -> Picture {
    let width = picture.width as usize;
    let pixels = picture.rgb.as_chunks::<3>().0;
    let column = |x: usize| pixels.iter().skip(x).step_by(width.max(1));
    let rgb = (0..width).rev().flat_map(column).flatten().copied().collect();
    Picture { width: picture.height, height: picture.width, rgb }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        Picture { width: 2, height: 1, rgb: vec![1, 2, 3, 4, 5, 6] }
    }

    #[test]
    fn a_half_turn_puts_the_last_pixel_first() {
        assert_eq!(half_turn(&picture()).rgb, [4, 5, 6, 1, 2, 3]);
    }

    #[test]
    fn a_quarter_turn_puts_the_right_side_on_top() {
        let turned = quarter_turn(&picture());
        assert_eq!((turned.width, turned.height), (1, 2));
        assert_eq!(turned.rgb, [4, 5, 6, 1, 2, 3]);
        let again = quarter_turn(&quarter_turn(&quarter_turn(&turned)));
        assert_eq!(again.rgb, picture().rgb);
    }
}

//! What a line of text says.

use super::{
    blanks::Gaps,
    letters::{Letters, Reading},
};
use crate::vision::{Net, Scale, planes, resize};
use rten::ThreadPool;
use rten_tensor::prelude::*;
use std::sync::Arc;
use tabletalk_core::{Error, Result, seam::Picture};

/// The height of lines as the model wants them.
const HEIGHT: u32 = 48;
/// Shorter lines are filled up to this width. The model was trained with 320; single numbers are read as well with less,
/// and much faster.
const SHORTEST: u32 = 128;
/// Longer lines are squeezed: a bound on memory that no line of a page reaches.
const LONGEST: u32 = 4800;

/// Reads lines of text.
pub(crate) struct Recogniser {
    net: Net,
    letters: Letters,
}

impl Recogniser {
    /// A recogniser that knows its letters.
    pub(crate) fn new(net: Net, letters: Letters) -> Recogniser {
        Recogniser { net, letters }
    }

    /// What `line` says. Each line is run by itself, so that no line is read differently for the others beside it.
    pub(crate) fn read(&self, line: &Picture, pool: &Arc<ThreadPool>) -> Result<Reading> {
        let width = width(line);
        let small = resize(line, width, HEIGHT);
        let filled = width.max(SHORTEST);
        let input = planes(&small, &Scale::EVEN, filled as usize, HEIGHT as usize);
        let output = self.net.run(input, pool)?.pop();
        let unfit = || {
            Error::input("the model does not know the letters it is used with").at(self.net.path().display())
        };
        let output = output.ok_or_else(unfit)?;
        let [1, steps, kinds] = *output.shape() else { return Err(unfit()) };
        if kinds != self.letters.kinds() {
            return Err(unfit());
        }
        Ok(self.letters.read(&output.into_data(), Gaps::of(&small), filled as f32 / steps.max(1) as f32))
    }
}

/// The width of a line at the height that the model wants.
fn width(line: &Picture) -> u32 {
    let ratio = line.width as f32 / line.height.max(1) as f32;
    ((ratio * HEIGHT as f32).ceil() as u32).clamp(1, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_shape_within_bounds() {
        let line = |width, height| Picture { width, height, rgb: Vec::new() };
        assert_eq!(width(&line(200, 24)), 400);
        assert_eq!(width(&line(1, 5000)), 1);
        assert_eq!(width(&line(50_000, 10)), LONGEST);
        assert_eq!(width(&line(7, 0)), 336);
    }
}

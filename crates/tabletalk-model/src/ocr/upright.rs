//! Whether lines stand on their head.

use super::rect::Rect;
use crate::vision::{Net, Scale, planes, resize};
use rten::ThreadPool;
use rten_tensor::prelude::*;
use std::sync::Arc;
use tabletalk_core::{Result, seam::Picture};

/// The size of lines as the model wants them.
const WIDTH: u32 = 192;
const HEIGHT: u32 = 48;
/// How sure the model has to be of a turned line.
const SURE: f32 = 0.9;
/// How many lines are looked at.
const SAMPLE: usize = 9;

/// Says which way up a line is.
pub(crate) struct Upright(pub(crate) Net);

impl Upright {
    /// Whether the page is upside down: whether most of its widest lines are. A single line is not believed, since a
    /// short number reads both ways.
    pub(crate) fn upside_down(
        &self,
        picture: &Picture,
        rects: &[Rect],
        pool: &Arc<ThreadPool>,
    ) -> Result<bool> {
        let mut wide: Vec<&Rect> = rects.iter().filter(|rect| rect.width > 2.0 * rect.height).collect();
        wide.sort_by(|a, b| b.width.total_cmp(&a.width));
        wide.truncate(SAMPLE);
        let mut turned = 0;
        for rect in &wide {
            turned += usize::from(self.turned(&rect.cut(picture), pool)?);
        }
        Ok(turned * 3 > wide.len() * 2)
    }

    fn turned(&self, line: &Picture, pool: &Arc<ThreadPool>) -> Result<bool> {
        let ratio = line.width as f32 / line.height.max(1) as f32;
        let width = ((ratio * HEIGHT as f32).ceil() as u32).clamp(1, WIDTH);
        let input = planes(&resize(line, width, HEIGHT), &Scale::EVEN, WIDTH as usize, HEIGHT as usize);
        let output = self.0.run(input, pool)?.pop();
        Ok(output.and_then(|output| output.iter().nth(1).copied()).is_some_and(|likely| likely > SURE))
    }
}

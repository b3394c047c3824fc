//! Seeing the cells of a table on its picture.

mod grid;
#[cfg(test)]
mod tests;
mod tokens;

use crate::{
    vision::{Net, Scale, check, file, planes, resize},
    workers::Workers,
};
use rten_tensor::prelude::*;
use std::{fmt, path::Path};
use tabletalk_core::{
    Error, Result,
    seam::{Picture, SeenCell, Structure},
};
use tokens::{BOX, Tokens};

const CURE: &str = "run scripts/fetch-models --structure";
const FILES: [&str; 2] = ["slanet-plus.onnx", "model.onnx"];
/// The model sees a square of this side.
const SIDE: u32 = 488;
const SCALE: Scale = Scale { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] };

/// Sees cells with SLANet, inside the program: it writes a table as HTML, one token after the other, with a box for
/// each cell.
pub struct SlaNet {
    net: Net,
    tokens: Tokens,
    workers: Workers,
}

impl fmt::Debug for SlaNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlaNet").finish_non_exhaustive()
    }
}

impl SlaNet {
    /// Loads the model in `dir`, to be run on one thread for each processor.
    pub fn load(dir: &Path) -> Result<SlaNet> {
        SlaNet::load_for(dir, 0)
    }

    /// The same on `threads` threads; 0 means one for each processor.
    pub fn load_for(dir: &Path, threads: usize) -> Result<SlaNet> {
        let net = Net::load(&file(dir, &FILES, CURE)?)?;
        let list = net.note("character").ok_or_else(|| Error::input("the model does not list its tokens"));
        let tokens = list.and_then(Tokens::parse).map_err(|e| e.at(net.path().display()).hint(CURE))?;
        Ok(SlaNet { net, tokens, workers: Workers::new(threads) })
    }
}

impl Structure for SlaNet {
    /// The cells; none where the table is larger than the model can write, since half a table misleads.
    fn cells(&self, picture: &Picture) -> Result<Vec<SeenCell>> {
        check(picture)?;
        if picture.rgb.is_empty() {
            return Ok(Vec::new());
        }
        let longest = picture.width.max(picture.height) as f32;
        let side = |side: u32| ((side as f32 * SIDE as f32 / longest) as u32).clamp(1, SIDE);
        let small = resize(picture, side(picture.width), side(picture.height));
        let outputs =
            self.net.run(planes(&small, &SCALE, SIDE as usize, SIDE as usize), self.workers.all())?;
        let unfit =
            || Error::input("the model does not write tables as expected").at(self.net.path().display());
        let [boxes, likely] = <[_; 2]>::try_from(outputs).map_err(|_| unfit())?;
        if boxes.shape().last() != Some(&BOX) || likely.shape().last() != Some(&self.tokens.kinds()) {
            return Err(unfit());
        }
        let Some(drawn) = self.tokens.read(&likely.into_data(), &boxes.into_data()) else {
            return Ok(Vec::new());
        };
        let bound = [picture.width as f32, picture.height as f32];
        Ok(grid::place(&drawn).into_iter().map(|cell| scaled(cell, longest, bound)).collect())
    }
}

/// The cell in pixels: boxes come as parts of the square that the picture lies in.
fn scaled(cell: SeenCell, longest: f32, [width, height]: [f32; 2]) -> SeenCell {
    let [left, top, right, bottom] = cell.bbox.map(|side| side * longest);
    let bbox =
        [left.clamp(0.0, width), top.clamp(0.0, height), right.clamp(0.0, width), bottom.clamp(0.0, height)];
    SeenCell { bbox, ..cell }
}

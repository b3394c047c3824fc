//! Reads pictures and prints their lines as JSON, one picture a line.
//!
//! ```text
//! scripts/fetch-models --ocr
//! cargo run --release -p tabletalk-model --example ocr_page -- models/fetched/ppocr-v4 page.ppm [page.ppm...]
//! cargo run --release -p tabletalk-model --example ocr_page -- tesseract page.ppm [page.ppm...]
//! ```
//!
//! Pictures are binary PPM files. `--threads N` before the first argument says on how many threads the models run.

#![allow(clippy::print_stdout)]

#[path = "picture/ppm.rs"]
mod ppm;

use serde_json::json;
use std::{path::Path, time::Instant};
use tabletalk_core::{Error, Result, seam::Ocr};
use tabletalk_model::ocr::{PpOcr, Tesseract};

fn main() -> Result<()> {
    let mut given: Vec<String> = std::env::args().skip(1).collect();
    let mut threads = 0;
    if given.first().is_some_and(|first| first == "--threads") {
        threads = given
            .get(1)
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| Error::input("--threads wants a number"))?;
        given.drain(..2);
    }
    let Some((engine, pictures)) = given.split_first() else {
        return Err(Error::input("give a folder of models, or `tesseract`, and pictures as PPM files"));
    };
    let ocr: Box<dyn Ocr> = match engine.as_str() {
        "tesseract" => Box::new(Tesseract::at("tesseract")?),
        folder => Box::new(PpOcr::load_for(Path::new(folder), threads)?),
    };
    for path in pictures {
        let picture = ppm::read(Path::new(path))?;
        let start = Instant::now();
        let lines = ocr.lines(&picture)?;
        let seconds = start.elapsed().as_secs_f32();
        let lines: Vec<_> = lines
            .iter()
            .map(|seen| json!({"text": seen.text, "bbox": seen.bbox, "confidence": seen.confidence}))
            .collect();
        println!("{}", json!({"path": path, "seconds": seconds, "lines": lines}));
    }
    Ok(())
}

//! Sees the cells of tables on pictures and prints them as JSON, one picture a line.
//!
//! ```text
//! scripts/fetch-models --structure
//! cargo run --release -p tabletalk-model --example structure_table -- models/fetched/slanet-plus table.ppm [table.ppm...]
//! ```
//!
//! Pictures are binary PPM files, each of one table.

#![allow(clippy::print_stdout)]

#[path = "picture/ppm.rs"]
mod ppm;

use serde_json::json;
use std::{path::Path, time::Instant};
use tabletalk_core::{Error, Result, seam::Structure};
use tabletalk_model::structure::SlaNet;

fn main() -> Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let Some((folder, pictures)) = given.split_first() else {
        return Err(Error::input("give a folder with a model, and pictures as PPM files"));
    };
    let model = SlaNet::load(Path::new(folder))?;
    for path in pictures {
        let picture = ppm::read(Path::new(path))?;
        let start = Instant::now();
        let cells = model.cells(&picture)?;
        let seconds = start.elapsed().as_secs_f32();
        let cells: Vec<_> = cells
            .iter()
            .map(|cell| json!({"rows": cell.rows, "cols": cell.cols, "bbox": cell.bbox}))
            .collect();
        println!("{}", json!({"path": path, "seconds": seconds, "cells": cells}));
    }
    Ok(())
}

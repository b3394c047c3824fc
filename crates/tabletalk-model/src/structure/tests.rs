use super::*;
use std::path::PathBuf;

/// A ruled table of three rows and two columns, with a block of ink in each cell.
fn table() -> Picture {
    let (width, height) = (400u32, 240u32);
    let ink = |x: u32, y: u32| {
        let rule = x % 199 < 2 || y % 79 < 2;
        let word = (40..120).contains(&(x % 199)) && (30..46).contains(&(y % 79)) && x % 12 < 8;
        rule || word
    };
    let pixel = |i: u32| if ink(i % width, i / width) { [0u8; 3] } else { [255; 3] };
    Picture { width, height, rgb: (0..width * height).flat_map(pixel).collect() }
}

#[test]
fn a_folder_without_the_model_is_an_error_with_the_cure() {
    let folder = tempfile::tempdir().unwrap();
    let e = SlaNet::load(folder.path()).unwrap_err();
    assert!(e.message().ends_with("slanet-plus.onnx"), "{e}");
    assert_eq!(e.cure(), Some("run scripts/fetch-models --structure"));
}

#[test]
fn boxes_are_parts_of_a_square_and_stay_on_the_picture() {
    let cell = SeenCell { rows: (0, 0), cols: (0, 0), bbox: [0.1, 0.2, 0.5, 0.9] };
    assert_eq!(scaled(cell, 200.0, [200.0, 100.0]).bbox, [20.0, 40.0, 100.0, 100.0]);
}

#[test]
fn the_real_model_sees_a_ruled_table() {
    let dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/fetched/slanet-plus"));
    if !dir.is_dir() {
        eprintln!("skipped: no models/fetched/slanet-plus (scripts/fetch-models --structure)");
        return;
    }
    let model = SlaNet::load_for(&dir, 2).unwrap();
    let cells = model.cells(&table()).unwrap();
    let (rows, cols) =
        cells.iter().fold((0, 0), |(rows, cols), cell| (rows.max(cell.rows.1), cols.max(cell.cols.1)));
    assert_eq!((rows, cols, cells.len()), (2, 1, 6), "{cells:?}");
    assert_eq!(model.cells(&table()).unwrap(), cells);
    assert!(model.cells(&Picture::default()).unwrap().is_empty());
}

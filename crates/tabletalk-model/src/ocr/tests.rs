use super::*;
use std::path::PathBuf;

/// The fetched models, where they are there.
fn fetched() -> Option<PathBuf> {
    let dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/fetched/ppocr-v4"));
    dir.is_dir().then_some(dir)
}

/// A white page with the letter T, drawn in black, three times in a row.
fn page() -> Picture {
    let (width, height) = (400u32, 200u32);
    let ink = |x: u32, y: u32| {
        let x = x.wrapping_sub(60) % 38;
        let row = (80..88).contains(&y) && x < 34;
        let stem = (80..126).contains(&y) && (13..21).contains(&x);
        row || stem
    };
    let inside = |x: u32| (60..174).contains(&x);
    let pixel = |i: u32| if inside(i % width) && ink(i % width, i / width) { [0u8; 3] } else { [255; 3] };
    Picture { width, height, rgb: (0..width * height).flat_map(pixel).collect() }
}

#[test]
fn a_folder_without_models_is_an_error_with_the_cure() {
    let folder = tempfile::tempdir().unwrap();
    let e = PpOcr::load(folder.path()).unwrap_err();
    assert!(e.message().ends_with("ch_PP-OCRv4_det_infer.onnx"), "{e}");
    assert_eq!(e.cure(), Some("run scripts/fetch-models --ocr"));
}

#[test]
fn a_page_lies_on_its_side_when_most_of_its_lines_do() {
    let rect = |width, height| Rect { centre: [0.0; 2], width, height, angle: 0.0 };
    assert!(sideways(&[rect(10.0, 90.0), rect(10.0, 50.0), rect(10.0, 70.0), rect(90.0, 10.0)]));
    assert!(!sideways(&[
        rect(10.0, 90.0),
        rect(10.0, 50.0),
        rect(10.0, 70.0),
        rect(90.0, 10.0),
        rect(80.0, 10.0)
    ]));
    assert!(!sideways(&[]));
}

#[test]
fn boxes_are_turned_back_with_their_page() {
    // On a page of 100 × 60 the box at the top left, 20 wide and 10 high.
    let there = [0.0, 0.0, 20.0, 10.0];
    let turned = [there, [0.0, 80.0, 10.0, 100.0], [80.0, 50.0, 100.0, 60.0], [50.0, 0.0, 60.0, 20.0]];
    for (turns, bbox) in turned.into_iter().enumerate() {
        assert_eq!(turn_back(bbox, [100.0, 60.0], turns), there, "{turns}");
    }
}

#[test]
fn the_real_models_read_a_line() {
    let Some(dir) = fetched() else {
        eprintln!("skipped: no models/fetched/ppocr-v4 (scripts/fetch-models --ocr)");
        return;
    };
    let ocr = PpOcr::load_for(&dir, 2).unwrap();
    let page = page();
    let seen = ocr.lines(&page).unwrap();
    assert_eq!(seen.iter().map(|s| s.text.as_str()).collect::<Vec<_>>(), ["TTT"]);
    let [left, top, right, bottom] = seen[0].bbox;
    assert!(left < 70.0 && top < 84.0 && right > 160.0 && bottom > 120.0, "{:?}", seen[0].bbox);
    assert_eq!(ocr.lines(&page).unwrap(), seen);
    let blank = Picture { rgb: vec![255; page.rgb.len()], ..page };
    assert!(ocr.lines(&blank).unwrap().is_empty());
    assert!(ocr.lines(&Picture::default()).unwrap().is_empty());
}

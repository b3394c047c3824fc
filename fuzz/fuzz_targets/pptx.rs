#![no_main]

const MAIN: &str = "<presentation><sldIdLst><sldId id='256' r:id='a'/></sldIdLst></presentation>";
const OF_MAIN: &str = "<Relationships><Relationship Id='a' Type='x/slide' Target='s.xml'/></Relationships>";
/// The slide is its own layout, notes and chart too.
const OF_SLIDE: &str = "<Relationships><Relationship Id='a' Type='x/slideLayout' Target='s.xml'/>\
    <Relationship Id='b' Type='x/notesSlide' Target='s.xml'/><Relationship Id='c' Type='x/chart' Target='s.xml'/>\
    <Relationship Id='d' Type='x/slideMaster' Target='s.xml'/></Relationships>";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let others = [
        ("ppt/presentation.xml", MAIN),
        ("ppt/_rels/presentation.xml.rels", OF_MAIN),
        ("ppt/_rels/s.xml.rels", OF_SLIDE),
    ];
    tabletalk_fuzz::read_part("pptx", "a.pptx", "ppt/s.xml", &others, bytes);
});

#![no_main]

/// The part is its own styles, numbering and notes too.
const RELATIONS: &str = "<Relationships><Relationship Id='a' Type='x/styles' Target='document.xml'/>\
    <Relationship Id='b' Type='x/numbering' Target='document.xml'/><Relationship Id='c' Type='x/footnotes' Target='document.xml'/>\
    <Relationship Id='d' Type='x/chart' Target='document.xml'/></Relationships>";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let others = [("word/_rels/document.xml.rels", RELATIONS)];
    tabletalk_fuzz::read_part("docx", "a.docx", "word/document.xml", &others, bytes);
});

#![no_main]

const CONTAINER: &str = "<container><rootfile full-path='b.opf'/></container>";
const BOOK: &str = "<package><manifest><item id='a' href='a.xhtml'/></manifest><spine><itemref idref='a'/></spine></package>";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let container = ("META-INF/container.xml", CONTAINER);
    let format = "epub";
    tabletalk_fuzz::read_part(format, "a.epub", "a.xhtml", &[container, ("b.opf", BOOK)], bytes);
    tabletalk_fuzz::read_part(format, "a.epub", "b.opf", &[container], bytes);
});

#![no_main]

const TYPES: &str = "<Types/>";
const BOOK: &str = "<workbook xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'>\
    <sheets><sheet name='a' sheetId='1' r:id='a'/></sheets></workbook>";
const OF_BOOK: &str = "<Relationships><Relationship Id='a' \
    Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet' Target='worksheets/sheet1.xml'/></Relationships>";
const STYLES: &str = "<styleSheet><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='9'/></cellXfs></styleSheet>";
const STRINGS: &str = "<sst><si><t>City</t></si><si><t>Sales</t></si><si><r><t>Os</t></r><r><t>lo</t></r></si></sst>";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let others = [
        ("[Content_Types].xml", TYPES),
        ("xl/workbook.xml", BOOK),
        ("xl/_rels/workbook.xml.rels", OF_BOOK),
        ("xl/styles.xml", STYLES),
        ("xl/sharedStrings.xml", STRINGS),
    ];
    tabletalk_fuzz::read_part("sheet", "a.xlsx", "xl/worksheets/sheet1.xml", &others, bytes);
});

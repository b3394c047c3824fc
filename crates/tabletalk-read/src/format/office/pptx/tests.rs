//! Golden tests: small presentations written here, and how they are read.

use crate::format::office::read_pptx;
use crate::format::office::tests::{picture, read, zipped};

const MAIN: &str = "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='r2'/><p:sldId id='257' r:id='r1'/></p:sldIdLst></p:presentation>";
const RELATIONS: &str = "<Relationships><Relationship Id='r1' Type='x/slide' Target='slides/slide1.xml'/>
    <Relationship Id='r2' Type='x/slide' Target='slides/slide2.xml'/></Relationships>";
const OF_SLIDE: &str = "<Relationships><Relationship Id='l' Type='x/slideLayout' Target='../slideLayouts/l.xml'/>
    <Relationship Id='n' Type='x/notesSlide' Target='../notesSlides/n.xml'/><Relationship Id='c' Type='x/chart' Target='../charts/c.xml'/></Relationships>";
const LAYOUT: &str = "<p:sldLayout><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr>
    <p:spPr><a:xfrm><a:off x='127000' y='127000'/><a:ext cx='1270000' cy='254000'/></a:xfrm></p:spPr></p:sp></p:spTree></p:cSld></p:sldLayout>";
const OF_LAYOUT: &str = "<Relationships><Relationship Id='m' Type='x/slideMaster' Target='../slideMasters/m.xml'/></Relationships>";
const MASTER: &str = "<p:sldMaster><p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char='x'/></a:lvl1pPr><a:lvl2pPr><a:buNone/></a:lvl2pPr></p:bodyStyle></p:txStyles></p:sldMaster>";
const NOTES: &str = "<p:notes><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type='sldNum'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>7</a:t></a:r></a:p></p:txBody></p:sp>
    <p:sp><p:nvSpPr><p:nvPr><p:ph type='body'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Say hello.</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>";
const CHART: &str = "<c:chartSpace><c:chart><c:plotArea><c:barChart><c:ser><c:tx><c:v>Sold</c:v></c:tx>
    <c:cat><c:strLit><c:pt idx='0'><c:v>Oslo</c:v></c:pt><c:pt idx='1'><c:v>Paris</c:v></c:pt></c:strLit></c:cat>
    <c:val><c:numLit><c:pt idx='0'><c:v>5</c:v></c:pt><c:pt idx='1'><c:v>6</c:v></c:pt></c:numLit></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>";

fn deck(first: &str, second: &str) -> Vec<u8> {
    let slide = |shapes: &str| format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>");
    zipped(&[
        ("ppt/presentation.xml", MAIN),
        ("ppt/_rels/presentation.xml.rels", RELATIONS),
        ("ppt/slides/slide2.xml", &slide(first)),
        ("ppt/slides/slide1.xml", &slide(second)),
        ("ppt/slides/_rels/slide2.xml.rels", OF_SLIDE),
        ("ppt/slideLayouts/l.xml", LAYOUT),
        ("ppt/slideLayouts/_rels/l.xml.rels", OF_LAYOUT),
        ("ppt/slideMasters/m.xml", MASTER),
        ("ppt/notesSlides/n.xml", NOTES),
        ("ppt/charts/c.xml", CHART),
    ])
}

/// A shape with the place it fills, where it stands (in points) and its paragraphs.
fn shape(holder: &str, at: Option<[i64; 4]>, paragraphs: &str) -> String {
    let place = at.map(|[x, y, w, h]| {
        let [x, y, w, h] = [x, y, w, h].map(|n| n * 12_700);
        format!("<a:xfrm><a:off x='{x}' y='{y}'/><a:ext cx='{w}' cy='{h}'/></a:xfrm>")
    });
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id='1' name='s'/><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{}</p:spPr><p:txBody>{paragraphs}</p:txBody></p:sp>",
        place.unwrap_or_default()
    )
}

fn p(properties: &str, text: &str) -> String {
    format!("<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>")
}

#[test]
fn reads_slides_in_their_order_with_titles_items_and_notes() {
    let first = [
        shape(
            "<p:ph type='body' idx='1'/>",
            Some([10, 50, 100, 100]),
            &[
                p("", "first"),
                p("<a:pPr lvl='1'/>", "no bullet here"),
                p("<a:pPr><a:buAutoNum type='arabicPeriod'/></a:pPr>", "counted"),
                p("<a:pPr><a:buAutoNum type='arabicPeriod'/></a:pPr>", "again"),
            ]
            .concat(),
        ),
        shape("<p:ph type='title'/>", None, &p("", "The Title")),
        shape("<p:ph type='sldNum'/>", None, &p("", "1")),
        "<p:pic><p:nvPicPr><p:cNvPr name='Picture 2' descr='A cat'/></p:nvPicPr></p:pic>".into(),
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr name='Sales by city'/></p:nvGraphicFramePr><a:graphic><a:graphicData><c:chart r:id='c'/></a:graphicData></a:graphic></p:graphicFrame>".into(),
    ];
    // Kept from the bottom up: read from the top down.
    let second = [
        shape("", Some([10, 80, 50, 10]), &p("", "below")),
        shape("", Some([10, 10, 50, 10]), &p("", "above<a:br/>")),
        "<p:grpSp><p:sp><p:nvSpPr><p:cNvPr name='x' hidden='1'/></p:nvSpPr><p:txBody><a:p><a:r><a:t>hidden</a:t></a:r></a:p></p:txBody></p:sp></p:grpSp>".into(),
    ];
    let bytes = deck(&first.concat(), &second.concat());
    insta::assert_snapshot!(picture(&read(read_pptx, "a.pptx", &bytes).unwrap()));
}

#[test]
fn reads_merged_cells_and_knows_their_boxes() {
    let cell = |attributes: &str, text: &str| {
        format!("<a:tc {attributes}><a:txBody>{}</a:txBody></a:tc>", p("", text))
    };
    let table = format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr name='Table 1'/></p:nvGraphicFramePr><p:xfrm><a:off x='127000' y='254000'/><a:ext cx='3810000' cy='381000'/></p:xfrm>
        <a:graphic><a:graphicData><a:tbl><a:tblPr firstRow='1'/><a:tblGrid><a:gridCol w='1270000'/><a:gridCol w='1270000'/><a:gridCol w='1270000'/></a:tblGrid>
        <a:tr h='127000'>{}{}{}</a:tr><a:tr h='127000'>{}{}{}</a:tr><a:tr h='127000'>{}{}{}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>",
        cell("rowSpan='2'", "City"),
        cell("gridSpan='2'", "2023"),
        cell("hMerge='1'", ""),
        cell("vMerge='1'", ""),
        cell("", "Q1"),
        cell("", "Q2"),
        cell("", "Oslo"),
        cell("", "1"),
        cell("", "2")
    );
    let document = read(read_pptx, "a.pptx", &deck(&table, "")).unwrap();
    insta::assert_snapshot!(picture(&document));
    let Some(tabletalk_core::Block::Table(table)) = document.blocks.first() else { panic!("no table") };
    assert_eq!(table.cell_place(3, 2).bbox, Some([110.0, 40.0, 210.0, 50.0]));
}

#[test]
fn warns_of_missing_slides_and_refuses_a_deck_without_any() {
    let parts = [
        ("ppt/presentation.xml", MAIN),
        ("ppt/_rels/presentation.xml.rels", RELATIONS),
        ("ppt/slides/slide1.xml", "<p:sld><p:cSld><p:spTree/></p:cSld></p:sld>"),
    ];
    let document = read(read_pptx, "a.pptx", &zipped(&parts)).unwrap();
    assert!(document.warnings.iter().any(|w| w.starts_with("slide 1 could not be read")));
    let e = read(read_pptx, "a.pptx", &zipped(&parts[..1])).unwrap_err();
    assert_eq!(e.message(), "has no slides");
}

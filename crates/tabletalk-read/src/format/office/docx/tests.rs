//! Golden tests: small documents written here, and how they are read.

use crate::format::office::read_docx;
use crate::format::office::tests::{picture, read, zipped};

const STYLES: &str = "<w:styles>
    <w:style w:styleId='berschrift1'><w:name w:val='heading 1'/><w:pPr><w:outlineLvl w:val='0'/></w:pPr></w:style>
    <w:style w:styleId='mine'><w:name w:val='Mine'/><w:basedOn w:val='berschrift1'/><w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr></w:style>
    <w:style w:styleId='t'><w:name w:val='Title'/></w:style><w:style w:styleId='c'><w:name w:val='caption'/></w:style>
    <w:style w:styleId='secret'><w:rPr><w:vanish/></w:rPr></w:style></w:styles>";
const NUMBERING: &str = "<w:numbering><w:abstractNum w:abstractNumId='0'>
    <w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>
    <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='bullet'/><w:lvlText w:val='o'/></w:lvl></w:abstractNum>
    <w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='upperRoman'/><w:lvlText w:val='%1'/><w:pStyle w:val='mine'/></w:lvl></w:abstractNum>
    <w:num w:numId='2'><w:abstractNumId w:val='0'/></w:num><w:num w:numId='3'><w:abstractNumId w:val='1'/></w:num></w:numbering>";
const RELATIONS: &str = "<Relationships><Relationship Id='r1' Type='x/styles' Target='styles.xml'/>
    <Relationship Id='r2' Type='x/numbering' Target='numbering.xml'/><Relationship Id='r3' Type='x/footnotes' Target='footnotes.xml'/>
    <Relationship Id='r4' Type='x/comments' Target='comments.xml'/><Relationship Id='r5' Type='x/chart' Target='chart.xml'/></Relationships>";
const FOOTNOTES: &str =
    "<w:footnotes><w:footnote w:type='separator' w:id='-1'><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>
    <w:footnote w:id='1'><w:p><w:r><w:t>First note.</w:t></w:r></w:p></w:footnote>
    <w:footnote w:id='2'><w:p><w:r><w:t>Note of a cell.</w:t></w:r></w:p></w:footnote></w:footnotes>";
const COMMENTS: &str = "<w:comments><w:comment w:id='0' w:author='Ada'><w:p><w:r><w:t>Really?</w:t></w:r></w:p></w:comment></w:comments>";
const CHART: &str = "<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Rain</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:lineChart>
    <c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>mm</c:v></c:pt></c:strCache></c:strRef></c:tx>
    <c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>May</c:v></c:pt><c:pt idx='1'><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat>
    <c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>12.5</c:v></c:pt><c:pt idx='1'><c:v>30</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
    </c:lineChart></c:plotArea></c:chart></c:chartSpace>";
const CORE: &str = "<cp:coreProperties><dc:title>The Report</dc:title><dc:creator>Ada</dc:creator>
    <dcterms:created>2020-01-02T03:04:05Z</dcterms:created></cp:coreProperties>";

fn document(body: &str) -> Vec<u8> {
    let main = format!("<?xml version='1.0'?><w:document><w:body>{body}</w:body></w:document>");
    let rels = "<Relationships><Relationship Id='a' Type='x/officeDocument' Target='/word/main2.xml'/></Relationships>";
    zipped(&[
        ("_rels/.rels", rels),
        ("word/main2.xml", &main),
        ("word/_rels/main2.xml.rels", RELATIONS),
        ("word/styles.xml", STYLES),
        ("word/numbering.xml", NUMBERING),
        ("word/footnotes.xml", FOOTNOTES),
        ("word/comments.xml", COMMENTS),
        ("word/chart.xml", CHART),
        ("docProps/core.xml", CORE),
    ])
}

fn p(style: &str, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"
    )
}

fn item(level: u8, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='2'/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
    )
}

fn cell(properties: &str, text: &str) -> String {
    format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p("", text))
}

fn drawn(body: &str) -> String {
    picture(&read(read_docx, "a.docx", &document(body)).unwrap())
}

#[test]
fn reads_headings_lists_and_notes() {
    let body = [
        p("t", "Title"),
        p("berschrift1", "Chapter"),
        p("mine", "Counted"),
        p("", "Plain <w:br/>"),
        item(0, "one"),
        item(1, "deep"),
        item(0, "two"),
        "<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id='1'/></w:r><w:r><w:t> goes on</w:t></w:r>
            <w:r><w:commentReference w:id='0'/></w:r></w:p>"
            .into(),
        p("mine", "Again"),
    ];
    insta::assert_snapshot!(drawn(&body.concat()));
}

#[test]
fn shows_what_a_reader_sees_and_nothing_else() {
    let body = "<w:p><w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del>
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden </w:t></w:r><w:r><w:rPr><w:rStyle w:val='secret'/></w:rPr><w:t>secret </w:t></w:r>
        <w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>shown </w:t></w:r><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink>
        <w:r><w:tab/><w:noBreakHyphen/><w:sym w:font='Symbol' w:char='F061'/></w:r></w:p>
        <w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>PAGE </w:instrText></w:r><w:r><w:t>code</w:t></w:r>
        <w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>result</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>
        <w:fldSimple w:instr='X'><w:r><w:t> simple</w:t></w:r></w:fldSimple></w:p>
        <w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>control</w:t></w:r></w:p></w:sdtContent></w:sdt>
        <w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>
        <w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:inline><wp:docPr name='Box 1'/><wps:txbx><w:txbxContent>
        <w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent></wps:txbx></wp:inline></w:drawing></mc:Choice>
        <mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></mc:Fallback>
        </mc:AlternateContent></w:r></w:p>";
    insta::assert_snapshot!(drawn(body));
}

#[test]
fn reads_pictures_and_charts() {
    let picture = |pr: &str| {
        format!(
            "<w:p><w:r><w:drawing><wp:inline><wp:docPr {pr}/><pic:pic><a:blip r:embed='r9'/></pic:pic></wp:inline></w:drawing></w:r></w:p>"
        )
    };
    let body = [
        picture("name='Picture 1' descr='A red cat'"),
        picture("name='Picture 2'"),
        p("c", "Figure 1: Unknown"),
        picture("name='Picture 3'"),
        "<w:p><w:r><w:drawing><wp:inline><wp:docPr name='Chart 1'/><a:graphic><c:chart r:id='r5'/></a:graphic></wp:inline></w:drawing></w:r></w:p>".into(),
    ];
    insta::assert_snapshot!(drawn(&body.concat()));
}

#[test]
fn reads_merged_cells_nested_tables_and_captions() {
    let inner = format!(
        "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
        cell("", "x"),
        cell("", "y"),
        cell("", "8"),
        cell("", "9")
    );
    let rows = [
        format!(
            "<w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}</w:tr>",
            cell("<w:vMerge w:val='restart'/>", "City"),
            cell("<w:gridSpan w:val='2'/>", "2023")
        ),
        format!(
            "<w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}{}</w:tr>",
            cell("<w:vMerge/>", ""),
            cell("", "Q1"),
            cell("", "Q2")
        ),
        format!(
            "<w:tr>{}{}<w:tc><w:p><w:r><w:t>2</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>{inner}</w:tc></w:tr>",
            cell("", "Oslo"),
            cell("", "1")
        ),
        format!(
            "<w:tr><w:trPr><w:del/></w:trPr>{}{}{}</w:tr>",
            cell("", "Gone"),
            cell("", "1"),
            cell("", "2")
        ),
        format!(
            "<w:sdt><w:sdtContent><w:tr>{}{}{}</w:tr></w:sdtContent></w:sdt>",
            cell("", "Paris"),
            cell("", "3"),
            cell("", "4")
        ),
    ];
    let framed = format!(
        "<w:tbl><w:tr><w:tc>{}{}</w:tc></w:tr></w:tbl>",
        p("berschrift1", "Framed"),
        p("", "Text in a frame.")
    );
    let body = [
        p("", "As Table 1 shows, Oslo grows."),
        p("", "More."),
        p("c", "Table 1: Sales"),
        format!("<w:tbl>{}</w:tbl>", rows.concat()),
        framed,
    ];
    insta::assert_snapshot!(drawn(&body.concat()));
}

#[test]
fn counts_pages_where_they_are_noted() {
    let body = "<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:br w:type='page'/></w:r></w:p>
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p><w:p><w:r><w:t>still two</w:t><w:lastRenderedPageBreak/><w:t>, three</w:t></w:r></w:p>
        <w:p><w:r><w:t>three</w:t></w:r></w:p>";
    insta::assert_snapshot!(drawn(body));
    let set = "<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:br w:type='page'/><w:t>two</w:t></w:r></w:p>";
    assert!(drawn(set).contains("a.docx!page 2: two"));
}

#[test]
fn reads_what_is_left_of_a_damaged_document() {
    let bytes =
        zipped(&[("word/document.xml", "<w:document><w:body><w:p><w:r><w:t>kept</w:t></w:r></w:p><w:p")]);
    let document = read(read_docx, "a.docx", &bytes).unwrap();
    assert_eq!(document.blocks.len(), 1);
    assert!(document.warnings[0].contains("word/document.xml is damaged"), "{:?}", document.warnings);
    let error =
        |parts: &[(&str, &str)]| read(read_docx, "a.docx", &zipped(parts)).unwrap_err().message().to_owned();
    assert_eq!(error(&[("a", "b")]), "is damaged: the document's main part (word/document.xml) is missing");
    assert_eq!(
        error(&[("word/document.xml", "x")]),
        "is damaged: the document's main part (word/document.xml) is not XML"
    );
    assert_eq!(error(&[("word/document.xml", "<a/>")]), "is damaged: the document's main part has no body");
}

#[test]
fn survives_tables_and_boxes_that_are_nested_without_end() {
    let depth = 3000;
    let tables = format!(
        "{}{}{}",
        "<w:tbl><w:tr><w:tc/><w:tc>".repeat(depth),
        p("", "deep"),
        "</w:tc></w:tr></w:tbl>".repeat(depth)
    );
    assert!(drawn(&tables).contains("deep"));
    let boxes = format!(
        "{}{}{}",
        "<w:p><w:r><w:pict><w:txbxContent>".repeat(depth),
        p("", "deep"),
        "</w:txbxContent></w:pict></w:r></w:p>".repeat(depth)
    );
    assert!(drawn(&boxes).contains("deep"));
}

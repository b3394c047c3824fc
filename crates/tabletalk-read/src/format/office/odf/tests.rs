//! Golden tests: small documents written here, and how they are read.

use crate::format::office::read_odf;
use crate::format::office::tests::{picture, read, zipped};

const STYLES: &str = "<office:document-styles><office:styles>
    <style:style style:name='Title' style:family='paragraph'/><style:style style:name='Caption'/>
    <style:style style:name='Table' style:parent-style-name='Caption'/></office:styles></office:document-styles>";
const AUTOMATIC: &str = "<office:automatic-styles><style:style style:name='P1' style:parent-style-name='Title'/>
    <style:style style:name='T1'><style:text-properties text:display='none'/></style:style>
    <text:list-style style:name='L1'><text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>
    <text:list-level-style-number text:level='2' style:num-format='a' style:num-suffix=')' text:display-levels='2'/></text:list-style></office:automatic-styles>";
const META: &str = "<office:document-meta><office:meta><meta:initial-creator>Ada</meta:initial-creator><dc:creator>Bob</dc:creator>
    <meta:creation-date>2020-01-02T03:04:05</meta:creation-date></office:meta></office:document-meta>";

fn document(body: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content>{AUTOMATIC}<office:body>{body}</office:body></office:document-content>"
    );
    let chart = "<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Rain</text:p></chart:title><chart:plot-area/>
        <table:table><table:table-header-rows><table:table-row><table:table-cell/><table:table-cell><text:p>mm</text:p></table:table-cell></table:table-row></table:table-header-rows>
        <table:table-rows><table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table-rows>
        </table:table></chart:chart></office:chart></office:body></office:document-content>";
    zipped(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("styles.xml", STYLES),
        ("meta.xml", META),
        ("Object 1/content.xml", chart),
    ])
}

#[test]
fn reads_headings_lists_notes_and_drawings() {
    let body = "<office:text><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
        <text:p text:style-name='P1'>Title</text:p><text:h text:outline-level='2'>Chapter</text:h>
        <text:p>Some<text:s text:c='3'/>text<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note>
        <text:span text:style-name='T1'>hidden</text:span> and<text:line-break/>more<office:annotation><dc:creator>Ada</dc:creator><text:p>Really?</text:p></office:annotation></text:p>
        <text:list text:style-name='L1'><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item>
        <text:list-item><text:p>two</text:p></text:list-item></text:list>
        <text:p><draw:frame draw:name='Image1'><draw:image xlink:href='x.png'/><svg:desc>A cat</svg:desc></draw:frame></text:p>
        <text:p><draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame></text:p>
        <text:p><draw:frame><draw:object xlink:href='./Object 1'/></draw:frame></text:p>
        <text:soft-page-break/><text:p>Next page.</text:p></office:text>";
    insta::assert_snapshot!(picture(&read(read_odf, "a.odt", &document(body)).unwrap()));
}

#[test]
fn reads_tables_with_spans_and_repeats() {
    let body = "<office:text><text:p text:style-name='Table'>Sales</text:p><table:table><table:table-header-rows>
        <table:table-row><table:table-cell table:number-rows-spanned='2'><text:p>City</text:p></table:table-cell>
        <table:table-cell table:number-columns-spanned='2'><text:p>2023</text:p></table:table-cell><table:covered-table-cell/></table:table-row>
        <table:table-row><table:covered-table-cell/><table:table-cell><text:p>Q1</text:p></table:table-cell><table:table-cell><text:p>Q2</text:p></table:table-cell></table:table-row>
        </table:table-header-rows>
        <table:table-row><table:table-cell><text:p>Oslo</text:p></table:table-cell><table:table-cell table:number-columns-repeated='2'><text:p>7</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated='2'><table:table-cell><text:p>Rome</text:p><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table></table:table-cell>
        <table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated='1048576'><table:table-cell table:number-columns-repeated='16384'/></table:table-row>
        </table:table></office:text>";
    insta::assert_snapshot!(picture(&read(read_odf, "a.odt", &document(body)).unwrap()));
}

#[test]
fn reads_slides() {
    let body = "<office:presentation><draw:page><draw:frame presentation:class='outline' svg:x='1cm' svg:y='3in' svg:width='2in' svg:height='1in'><draw:text-box>
        <text:list><text:list-item><text:p>one</text:p></text:list-item></text:list></draw:text-box></draw:frame>
        <draw:frame presentation:class='title' svg:x='0pt' svg:y='0pt' svg:width='100pt' svg:height='20pt'><draw:text-box><text:p>The Title</text:p></draw:text-box></draw:frame>
        <draw:frame presentation:class='page-number'><draw:text-box><text:p>1</text:p></draw:text-box></draw:frame>
        <draw:custom-shape><text:p>a shape</text:p></draw:custom-shape>
        <presentation:notes><draw:frame presentation:class='notes'><draw:text-box><text:p>Say hello.</text:p></draw:text-box></draw:frame></presentation:notes>
        </draw:page></office:presentation>";
    insta::assert_snapshot!(picture(&read(read_odf, "a.odp", &document(body)).unwrap()));
}

#[test]
fn says_when_a_document_is_encrypted_or_damaged() {
    let manifest = "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    let e = read(read_odf, "a.odt", &zipped(&[("META-INF/manifest.xml", manifest), ("content.xml", "???")]))
        .unwrap_err();
    assert_eq!(e.message(), "is encrypted with a password");
    let e = read(read_odf, "a.odt", &zipped(&[("content.xml", "<a/>")])).unwrap_err();
    assert_eq!(e.message(), "is damaged: the document's main part has no body");
}

#[test]
fn survives_lists_tables_and_groups_that_are_nested_without_end() {
    for (open, close) in [
        ("<text:list><text:list-item>", "</text:list-item></text:list>"),
        (
            "<table:table><table:table-row><table:table-cell/><table:table-cell>",
            "</table:table-cell></table:table-row></table:table>",
        ),
        ("<draw:g><draw:frame><draw:text-box>", "</draw:text-box></draw:frame></draw:g>"),
    ] {
        let body = format!(
            "<office:text>{}<text:p>deep</text:p>{}</office:text>",
            open.repeat(2000),
            close.repeat(2000)
        );
        assert!(picture(&read(read_odf, "a.odt", &document(&body)).unwrap()).contains("deep"), "{open}");
    }
}

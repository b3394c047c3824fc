#!/usr/bin/env python3
"""Make the documents in examples/: warranty.pdf and suppliers.docx. Needs nothing but Python.

    python3 scripts/make-example-documents.py [FOLDER]
"""

import sys
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

CLAIMS = [
    ("City bikes", "1,204", "38,150", "2.1%"),
    ("E-bikes", "2,868", "412,900", "5.4%"),
    ("Cargo bikes", "331", "61,480", "3.8%"),
    ("Kids bikes", "187", "4,260", "0.9%"),
    ("Total", "4,590", "516,790", "3.3%"),
]
PARTS = [
    ("Battery", "612", "745"),
    ("Motor", "288", "301"),
    ("Brakes", "940", "822"),
    ("Frame", "41", "37"),
]
SUPPLIERS = [
    ("Velten Motors", "Germany", "2024-03-12", "91"),
    ("Akku Nord", "Denmark", "2024-05-02", "84"),
    ("Taro Frames", "Taiwan", "2024-06-18", "77"),
    ("Lumo Lights", "Poland", "2024-09-09", "95"),
]


def text(x, y, size, words, font="F1"):
    words = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{font} {size} Tf {x} {y} Td ({words}) Tj ET\n"


def line(x0, y0, x1, y1):
    return f"{x0} {y0} m {x1} {y1} l S\n"


def frame(number):
    return text(72, 800, 8, "Larkfield Bikes - Warranty report 2024") + text(290, 40, 8, str(number))


def first_page():
    page = frame(1) + text(72, 740, 20, "Warranty report 2024", "F2")
    page += text(72, 706, 11, "Claims are counted by the day a dealer files them. Most of them concern e-bikes, as")
    page += text(72, 692, 11, "Table 1 shows; costs are those of parts and work, in euros, without transport.")
    page += text(72, 658, 10, "Table 1: Claims and costs by category")
    page += line(72, 648, 480, 648) + line(72, 628, 480, 628)
    for x, name in zip((72, 230, 320, 430), ("Category", "Claims", "Cost (EUR)", "Share")):
        page += text(x, 634, 10, name, "F2")
    for i, row in enumerate(CLAIMS):
        for x, cell in zip((72, 230, 320, 430), row):
            page += text(x, 614 - 16 * i, 10, cell)
    page += line(72, 544, 480, 544)
    page += text(72, 528, 8, "Share: of all bikes of the category sold in the two years before.")
    return page


def second_page():
    page = frame(2) + text(72, 740, 14, "Parts that failed", "F2")
    page += text(72, 714, 11, "The count of batteries that failed has grown, that of brakes has fallen.")
    page += text(72, 684, 10, "Table 2: Parts replaced under warranty")
    for y in (672, 652, 632, 612, 592, 572, 552):
        page += line(72, y, 372, y)
    for x, top in ((72, 672), (172, 672), (272, 652), (372, 672)):
        page += line(x, 552, x, top)
    page += text(236, 658, 10, "Replaced in", "F2")
    page += text(76, 638, 10, "Part", "F2") + text(180, 638, 10, "2023", "F2") + text(280, 638, 10, "2024", "F2")
    for i, row in enumerate(PARTS):
        for x, cell in zip((76, 180, 280), row):
            page += text(x, 618 - 20 * i, 10, cell)
    return page


def pdf(pages):
    fonts = " ".join(
        f"/F{i} << /Type /Font /Subtype /Type1 /BaseFont /{name} >>" for i, name in ((1, "Helvetica"), (2, "Helvetica-Bold"))
    )
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
    ]
    for i, content in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << {fonts} >> >> /Contents {4 + 2 * i} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects.append("<< /Title (Warranty report 2024) /Author (Larkfield Bikes) >>")
    out, at = "%PDF-1.4\n", []
    for i, body in enumerate(objects, 1):
        at.append(len(out))
        out += f"{i} 0 obj\n{body}\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{a:010} 00000 n \n" for a in at)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return out.encode("latin-1")


def paragraph(words, style=None, extra=""):
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{style}{extra}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"


def docx():
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    head = ("Supplier", "Country", "Audited", "Score")
    row = lambda cells, header="": "<w:tr>" + header + "".join(f"<w:tc>{paragraph(c)}</w:tc>" for c in cells) + "</w:tr>"
    table = "<w:tbl>" + row(head, "<w:trPr><w:tblHeader/></w:trPr>") + "".join(row(s) for s in SUPPLIERS) + "</w:tbl>"
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = (
        paragraph("Supplier audits 2024", "Heading1")
        + paragraph("Four suppliers were visited. A score under 80 asks for a second visit within the year.")
        + paragraph("Table 1: Audit scores", "Caption")
        + table
        + paragraph("Follow-up", "Heading2")
        + paragraph("Visit Taro Frames again before December.", None, item)
        + paragraph("Ask Akku Nord for its battery test reports.", None, item)
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{i}"><w:name w:val="{n}"/></w:style>'
        for i, n in (("Heading1", "heading 1"), ("Heading2", "heading 2"), ("Caption", "caption"))
    )
    levels = '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl>'
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    return {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="{kind}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="{kind}.styles+xml"/><Override PartName="/word/numbering.xml" ContentType="{kind}.numbering+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/styles" Target="styles.xml"/><Relationship Id="r2" Type="{office}/numbering" Target="numbering.xml"/></Relationships>',
        "word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>",
        "word/numbering.xml": f'<w:numbering {space}><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
    }


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "examples"
    (folder / "warranty.pdf").write_bytes(pdf([first_page(), second_page()]))
    with zipfile.ZipFile(folder / "suppliers.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in docx().items():
            info = zipfile.ZipInfo(name, (2025, 1, 15, 9, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, '<?xml version="1.0" encoding="UTF-8"?>' + part)


if __name__ == "__main__":
    main()

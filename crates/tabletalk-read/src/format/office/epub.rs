//! Reads EPUB: chapter by chapter, each as a page.

use super::draft::{Info, tidy};
use super::package::{Package, joined};
use super::xml::Node;
use crate::flow::Flow;
use crate::format::html;
use crate::source;
use std::collections::HashMap;
use tabletalk_core::seam::Source;
use tabletalk_core::{Document, Error, Fault, Result};

pub(super) fn document(package: &Package<'_>, source: &Source<'_>) -> Result<Document> {
    let container = package.main("META-INF/container.xml", "the list of the book's contents")?;
    let index = container.find("rootfile").and_then(|n| n.attr("full-path"));
    let index = index.ok_or_else(|| Error::input("is damaged: it does not say where its contents are"))?;
    let root = package.main(&joined("", index), "the book's contents")?;
    if is_locked(package)? {
        return Err(Error::input("is locked by its seller (DRM)").hint("use a copy that is not locked"));
    }
    let folder = index.rsplit_once('/').map_or("", |(folder, _)| folder);
    let chapters = chapters(&root, folder);
    let (mut flow, mut tables, mut read) = (Flow::default(), 0, 0usize);
    for (page, part) in (1..).zip(&chapters) {
        match chapter(package, part, source, page, &mut tables, &mut flow) {
            Ok(()) => read += 1,
            Err(e) if e.fault() == Fault::Limit => return Err(e),
            Err(e) => package.warn(format!("chapter {page} ({part}) could not be read: {}", e.message())),
        }
    }
    if read == 0 {
        return Err(Error::input("is damaged: none of its chapters can be read"));
    }
    Ok(finished(flow, &root))
}

/// Whether more than fonts is encrypted.
fn is_locked(package: &Package<'_>) -> Result<bool> {
    let Some(root) = package.part("META-INF/encryption.xml")? else { return Ok(false) };
    let parts = root.walk().filter(|n| n.is("CipherReference")).filter_map(|n| n.attr("URI"));
    let is_page = |uri: &str| {
        let ending = crate::source::ending(uri).unwrap_or_default();
        matches!(ending.as_str(), "html" | "xhtml" | "htm" | "xml")
    };
    Ok(parts.into_iter().any(is_page))
}

/// The parts of the chapters in the order they are read. The table of contents only repeats the headings.
fn chapters(root: &Node, folder: &str) -> Vec<String> {
    let items = root.child("manifest").into_iter().flat_map(|m| m.all("item"));
    let items: HashMap<&str, &Node> = items.filter_map(|n| Some((n.attr("id")?, n))).collect();
    let refs = root.child("spine").into_iter().flat_map(|s| s.all("itemref"));
    let parts = refs.filter_map(|r| items.get(r.attr("idref")?));
    let is_index = |n: &Node| n.attr("properties").is_some_and(|p| p.split_whitespace().any(|w| w == "nav"));
    let parts = parts.filter(|n| !is_index(n)).filter_map(|n| n.attr("href"));
    parts.map(|href| joined(folder, &unescaped(href))).collect()
}

/// A name without percent signs: `a%20b`.
fn unescaped(href: &str) -> String {
    let mut bytes = Vec::with_capacity(href.len());
    let mut rest = href.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn chapter(
    package: &Package<'_>,
    part: &str,
    source: &Source<'_>,
    page: u32,
    tables: &mut usize,
    flow: &mut Flow,
) -> Result<()> {
    let bytes = package.bytes(part)?.ok_or_else(|| Error::input("it is missing"))?;
    if source::encoding_of(bytes.get(..source::HEAD).unwrap_or(&bytes)).is_none() {
        return Err(Error::input("it is not text"));
    }
    let text = source::decode(&bytes, None);
    html::Page::new(&text, source, 0, tables, flow).numbered(page).read()
}

fn finished(mut flow: Flow, root: &Node) -> Document {
    let info = root.child("metadata").map(book).unwrap_or_default();
    // The title of a chapter is not that of the book.
    flow.name(tidy(&info.title));
    let mut document = flow.finish();
    for (key, value) in [("author", info.author), ("created", info.created), ("modified", info.modified)] {
        if !value.is_empty() {
            document.fields.insert(key.into(), value.into());
        }
    }
    document
}

fn book(node: &Node) -> Info {
    // Older books keep these one level down.
    let inner = node.child("dc-metadata").unwrap_or(node);
    let authors: Vec<String> = inner.all("creator").map(|n| tidy(&n.text())).collect();
    let modified = node.all("meta").find(|n| n.attr("property") == Some("dcterms:modified"));
    Info {
        title: inner.child("title").map(Node::text).unwrap_or_default(),
        author: authors.join("; "),
        created: inner.child("date").map(|n| tidy(&n.text())).unwrap_or_default(),
        modified: modified.map(|n| tidy(&n.text())).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{picture, read, zipped};
    use crate::format::office::read_epub;

    const CONTAINER: &str =
        "<container><rootfiles><rootfile full-path='OEBPS/b.opf'/></rootfiles></container>";
    const INDEX: &str = "<package><metadata><dc:title>The Book</dc:title><dc:creator>A. Author</dc:creator>
        <dc:creator>B. Writer</dc:creator><dc:date>2020-01-02</dc:date></metadata><manifest>
        <item id='n' href='nav.xhtml' properties='nav'/><item id='a' href='one%20two.xhtml'/><item id='b' href='gone.xhtml'/>
        <item id='c' href='../last.xhtml'/></manifest>
        <spine><itemref idref='n'/><itemref idref='c'/><itemref idref='b'/><itemref idref='a'/></spine></package>";

    fn book(extra: &[(&str, &str)]) -> Vec<u8> {
        let mut parts = vec![
            ("META-INF/container.xml", CONTAINER),
            ("OEBPS/b.opf", INDEX),
            ("OEBPS/nav.xhtml", "<p>contents</p>"),
            (
                "OEBPS/one two.xhtml",
                "<?xml version='1.0'?><html><head><title>ch</title></head><body><h2>Two</h2><ol><li>one<ul><li>deep</li></ul></li>
                <li>two</li></ol><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
                <aside epub:type='footnote'><p>A note.</p></aside></body></html>",
            ),
            ("last.xhtml", "<html><body><h1>One</h1><p>Text &amp; more.</p></body></html>"),
        ];
        parts.extend(extra);
        zipped(&parts)
    }

    #[test]
    fn reads_chapters_in_order_and_warns_of_missing_ones() {
        insta::assert_snapshot!(picture(&read(read_epub, "a.epub", &book(&[])).unwrap()));
    }

    #[test]
    fn refuses_locked_books_but_not_hidden_fonts() {
        let locked = "<encryption><CipherReference URI='OEBPS/one.xhtml'/></encryption>";
        let e = read(read_epub, "a.epub", &book(&[("META-INF/encryption.xml", locked)])).unwrap_err();
        assert_eq!(e.message(), "is locked by its seller (DRM)");
        let fonts = "<encryption><CipherReference URI='OEBPS/a.otf'/></encryption>";
        assert!(read(read_epub, "a.epub", &book(&[("META-INF/encryption.xml", fonts)])).is_ok());
    }

    #[test]
    fn says_what_is_missing() {
        let e = read(read_epub, "a.epub", &zipped(&[("mimetype", "application/epub+zip")])).unwrap_err();
        assert_eq!(
            e.message(),
            "is damaged: the list of the book's contents (META-INF/container.xml) is missing"
        );
    }
}

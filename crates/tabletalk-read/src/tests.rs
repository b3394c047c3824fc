use super::*;
use tabletalk_core::{Block, seam::Limits};

fn outcome(name: &str, bytes: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let limits = Limits::default();
    let documents = read(&Source::new(file.path(), name, &limits));
    match documents.and_then(|mut d| d.next().unwrap()) {
        Ok(document) => match document.blocks.first() {
            Some(Block::Table(table)) => format!("table of {} columns", table.columns.len()),
            Some(_) => "text".into(),
            None => "nothing".into(),
        },
        Err(e) => e.message().to_owned(),
    }
}

#[test]
fn reads_mislabelled_files_by_their_content() {
    assert_eq!(outcome("a.xlsx", b"a,b\n1,2\n3,4\n"), "table of 2 columns");
    assert_eq!(
        outcome("a.xls", b"<html><table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>"),
        "table of 2 columns"
    );
    assert_eq!(outcome("a.csv", b"{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n"), "table of 2 columns");
    assert_eq!(outcome("a.dat", b"a;b\n1;2\n3;4\n"), "table of 2 columns");
    assert_eq!(outcome("notes", b"Some words, and\nmore words.\n"), "text");
    assert_eq!(outcome("a.txt", b"a\tb\n1\t2\n3\t4\n"), "table of 2 columns");
}

#[test]
fn refuses_what_cannot_be_read_and_says_what_it_is() {
    assert_eq!(outcome("a.csv", b"%PDF-1.7\n..."), "is not a PDF file that can be read");
    assert_eq!(outcome("a.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "PNG pictures cannot be read yet");
    assert_eq!(outcome("a.csv", b"\x7fELF\x02\x01\x01\0\0\0"), "programs cannot be read yet");
    assert_eq!(outcome("a.csv", b""), "is empty");
    assert_eq!(outcome("a.bin", &[0, 1, 2, 3, 0, 0, 9]), "is not text and of no known format");
    assert_eq!(outcome("a.csv", b"PK\x03\x04rest"), "is a ZIP archive");
    assert_eq!(outcome("a.docx", b"PK\x03\x04rest"), "is damaged: invalid Zip archive: Could not find EOCD");
}

#[test]
fn reads_packed_files_of_every_kind() {
    let pack = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    assert_eq!(outcome("a.csv.zst", &pack(b"a,b\n1,2\n")), "table of 2 columns");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("create table t (a, b, c); insert into t values (1, 2, 3)").unwrap();
    drop(connection);
    assert_eq!(outcome("a.db.zst", &pack(&std::fs::read(path).unwrap())), "table of 3 columns");
}

#[test]
fn knows_office_documents_by_what_is_in_them() {
    use std::io::Write;
    let zipped = |parts: &[(&str, &str)]| {
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, text) in parts {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    };
    let document = zipped(&[
        (
            "[Content_Types].xml",
            "<Override ContentType=\"application/vnd.x.wordprocessingml.document.main+xml\"/>",
        ),
        ("_rels/.rels", "<a><Relationship Id='a' Type='x/officeDocument' Target='odd.xml'/></a>"),
        ("odd.xml", "<document><body><p><r><t>x</t></r></p></body></document>"),
    ]);
    assert_eq!(outcome("a.xlsx", &document), "text");
    assert_eq!(outcome("a.docx.zst", &zstd::encode_all(&document[..], 1).unwrap()), "text");
    let open = zipped(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", "<d><body><text><p>x</p></text></body></d>"),
    ]);
    assert_eq!(outcome("a", &open), "text");
    assert_eq!(outcome("a.doc", b"{\\rtf1 x}"), "text");
    let mut locked = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    locked.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    for name in ["a.docx", "a.pptx", "a.xlsx", "a"] {
        assert_eq!(outcome(name, &locked), "is encrypted with a password", "{name}");
    }
}

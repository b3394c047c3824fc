use crate::world::World;
use serde_json::Value;
use std::io::Write;

/// Adds a folder that holds one bad file and one good one; what is said of the bad one.
fn bad(name: &str, content: impl AsRef<[u8]>) -> (i32, Value) {
    bad_in(&World::new(), name, content)
}

fn bad_in(world: &World, name: &str, content: impl AsRef<[u8]>) -> (i32, Value) {
    world.write(&format!("in/{name}"), content).write("in/good.csv", "city,people\nOslo,700\n");
    let run = world.run(&["add", "in", "--json"]);
    let out: Value = serde_json::from_str(&run.stdout()).unwrap_or_else(|e| panic!("{e}: {}", run.stdout()));
    let find = |wanted: &str| {
        let all = out["documents"].as_array().unwrap();
        all.iter().find(|d| d["name"].as_str().unwrap().starts_with(wanted)).cloned().unwrap_or_default()
    };
    assert_eq!(find("good.csv")["status"], "added", "the rest of the folder goes on");
    assert_eq!(world.run(&["search", "Oslo", "--group", "cell"]).code(), 0);
    (run.code(), find(name))
}

/// It failed, alone, with one message that names the file and says why.
fn fails(name: &str, content: impl AsRef<[u8]>, code: i32, why: &[&str]) {
    let (got, document) = bad(name, content);
    let error = document["error"].as_str().unwrap_or_else(|| panic!("{name}: no error in {document}"));
    assert_eq!(document["status"], "failed", "{document}");
    assert_eq!(got, code, "{error}");
    assert!(error.contains(name), "{error}");
    assert!(why.iter().any(|w| error.contains(w)), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

fn workbook() -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for row in 0..200 {
        sheet.write(row, 0, format!("city {row}")).unwrap();
        sheet.write(row, 1, row).unwrap();
    }
    book.save_to_buffer().unwrap()
}

#[test]
fn an_empty_file_is_named() {
    fails("empty.csv", "", 2, &["empty"]);
    fails("empty.xlsx", "", 2, &["empty"]);
}

#[test]
fn a_truncated_workbook_is_named() {
    let book = workbook();
    fails("cut.xlsx", &book[..book.len() / 2], 2, &["damaged", "not a", "cannot", "truncated", "incomplete"]);
}

#[test]
fn a_broken_database_and_a_broken_parquet_file_are_named() {
    let mut sqlite = b"SQLite format 3\0".to_vec();
    sqlite.extend([7; 3000]);
    fails("broken.sqlite", sqlite, 2, &["damaged", "not a", "malformed", "database"]);
    fails("broken.parquet", b"PAR1 is not enough PAR1", 2, &["damaged", "Parquet", "parquet"]);
}

#[test]
fn binary_rubbish_is_named() {
    let rubbish: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fails("rubbish.csv", &rubbish, 2, &["not text", "binary"]);
    fails("rubbish.xlsx", &rubbish, 2, &["not", "damaged"]);
    let mut elf = b"\x7fELF\x02\x01\x01\0".to_vec();
    elf.extend(&rubbish);
    fails("program.bin", elf, 2, &["not", "program", "cannot"]);
}

#[test]
fn formats_that_cannot_be_read_are_named() {
    fails("paper.pdf", "%PDF-1.7\n1 0 obj\n", 2, &["PDF"]);
    fails("picture.png", b"\x89PNG\r\n\x1a\n0000", 2, &["picture", "image", "PNG"]);
}

#[test]
fn a_bomb_is_refused_by_a_limit() {
    let world = World::new();
    world.write("tabletalk.toml", "[limits]\nmax_unpacked_bytes = 1000000\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(b"a,b\n").unwrap();
    for _ in 0..1000 {
        packed.write_all(&b"1,2\n".repeat(1000)).unwrap();
    }
    let (code, document) = bad_in(&world, "bomb.csv.gz", packed.finish().unwrap());
    assert_eq!(code, 4, "{document}");
    assert!(document["error"].as_str().unwrap().contains("unpack"), "{document}");
}

#[test]
fn a_zip_bomb_that_calls_itself_a_workbook_is_refused() {
    let world = World::new();
    world.write("tabletalk.toml", "[limits]\nmax_unpacked_bytes = 100000\n");
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for row in 0..3000 {
        sheet.write(row, 0, 1).unwrap();
        sheet.write(row, 1, 1).unwrap();
    }
    let (code, document) = bad_in(&world, "bomb.xlsx", book.save_to_buffer().unwrap());
    assert_eq!(code, 4, "{document}");
    assert!(document["error"].as_str().unwrap().contains("bomb.xlsx"), "{document}");
}

#[test]
fn an_encrypted_workbook_is_named_as_such() {
    // The container of an encrypted workbook: an OLE file with a stream called EncryptedPackage.
    fails("secret.xlsx", encrypted(), 2, &["encrypted", "password"]);
}

/// A compound file with one stream of that name, and nothing more than a reader looks at.
fn encrypted() -> Vec<u8> {
    let mut file = vec![0u8; 512];
    file[..8].copy_from_slice(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]);
    file[24..32].copy_from_slice(&[0x3E, 0, 3, 0, 0xFE, 0xFF, 9, 0]);
    file[32..34].copy_from_slice(&[6, 0]);
    file[44] = 1; // one sector of the allocation table
    file[48] = 1; // the directory is in sector 1
    file[56..60].copy_from_slice(&4096u32.to_le_bytes());
    file[60..64].copy_from_slice(&0xFFFF_FFFEu32.to_le_bytes());
    file[68..72].copy_from_slice(&0xFFFF_FFFEu32.to_le_bytes());
    for entry in 0..109 {
        let value = if entry == 0 { 0u32 } else { 0xFFFF_FFFF };
        file[76 + entry * 4..80 + entry * 4].copy_from_slice(&value.to_le_bytes());
    }
    let mut table = vec![0xFFu8; 512];
    table[..4].copy_from_slice(&0xFFFF_FFFDu32.to_le_bytes());
    table[4..8].copy_from_slice(&0xFFFF_FFFEu32.to_le_bytes());
    file.extend(table);
    for (name, kind) in [("Root Entry", 5u8), ("EncryptedPackage", 2), ("EncryptionInfo", 2), ("", 0)] {
        let mut entry = vec![0u8; 128];
        for (i, unit) in name.encode_utf16().enumerate() {
            entry[i * 2..i * 2 + 2].copy_from_slice(&unit.to_le_bytes());
        }
        entry[64] = if name.is_empty() { 0 } else { (name.len() as u8 + 1) * 2 };
        entry[66] = kind;
        entry[67] = 1;
        for at in [68, 72, 76] {
            entry[at..at + 4].copy_from_slice(&0xFFFF_FFFFu32.to_le_bytes());
        }
        if kind == 5 {
            entry[76..80].copy_from_slice(&1u32.to_le_bytes());
        }
        entry[116..120].copy_from_slice(&0xFFFF_FFFEu32.to_le_bytes());
        file.extend(entry);
    }
    file
}

#[test]
fn a_mislabelled_file_is_read_by_what_it_holds() {
    let (code, document) = bad("really-a-workbook.csv", workbook());
    assert_eq!((code, &document["status"]), (0, &Value::from("added")), "{document}");
    let (code, document) = bad("really-text.xlsx", "city,people\nRome,5\nParis,6\n");
    assert!(code == 0 || document["error"].as_str().unwrap().contains("really-text.xlsx"), "{document}");
}

#[test]
fn wrongly_encoded_bytes_are_told_of_and_nothing_is_lost() {
    let mut text = "city,people\n".as_bytes().to_vec();
    for i in 0..40 {
        text.extend(format!("Zürich {i},5\n").as_bytes());
    }
    text.extend(b"broken \xff\xfe here,6\n");
    let (code, document) = bad("mixed.csv", text);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["rows_indexed"], 41);
}

#[test]
fn as_many_columns_as_a_sheet_can_have() {
    let names: Vec<String> = (0..16_384).map(|i| format!("c{i}")).collect();
    let values: Vec<String> = (0..16_384).map(|i| i.to_string()).collect();
    let (code, document) = bad("wide.csv", format!("{}\n{}\n", names.join(","), values.join(",")));
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["rows_indexed"], 1);
    let names: Vec<String> = (0..20_000).map(|i| format!("c{i}")).collect();
    fails("too-wide.csv", names.join(","), 4, &["columns"]);
}

#[test]
fn a_quote_that_never_ends_does_not_swallow_the_file_in_silence() {
    let mut text = String::from("a,b\n1,\"open\n");
    for i in 0..2000 {
        text.push_str(&format!("{i},{i}\n"));
    }
    let (_, document) = bad("quote.csv", text);
    let said = document["error"].is_string()
        || !document["warnings"].as_array().unwrap().is_empty()
        || !document["rows_rejected"].as_array().unwrap().is_empty()
        || document["rows_indexed"].as_u64().unwrap() > 1500;
    assert!(said, "{document}");
}

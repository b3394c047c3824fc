//! What the fuzz targets do: give bytes to a reader as a file and take all that comes out, or to the walk over
//! statements.

use std::cell::RefCell;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Block, Result, Rows};

#[cfg(feature = "statement")]
mod statement;

thread_local! {
    // One file for all runs: making a new one takes longer than reading it.
    static FILE: RefCell<Option<tempfile::NamedTempFile>> = const { RefCell::new(None) };
}

/// Small, so that a run is short.
fn limits() -> Limits {
    Limits {
        max_unpacked_bytes: 4 << 20,
        max_cells: 200_000,
        max_columns: 1000,
        max_cell_bytes: 1 << 20,
        max_memory_file_bytes: 4 << 20,
        ..Limits::default()
    }
}

/// Reads these bytes as a file of a format and name; the format `any` is found by content, as for users.
/// Whatever they are, it must end without a panic, but for those
/// inside a decoder that its reader catches and turns into an error.
pub fn read(format: &str, name: &str, bytes: &[u8]) {
    static QUIET: Once = Once::new();
    // The hook of the fuzzer would end the run at a caught panic too.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| ())));
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| read_all(format, name, bytes))) {
        eprintln!("{:?}", panic.downcast_ref::<String>());
        std::process::abort();
    }
}

fn read_all(format: &str, name: &str, bytes: &[u8]) {
    FILE.with_borrow_mut(|file| {
        let file = file.get_or_insert_with(|| tempfile::NamedTempFile::new().expect("a temporary file"));
        file.as_file().set_len(0).expect("an empty file");
        file.rewind().expect("the start of the file");
        file.write_all(bytes).expect("the bytes in the file");
        let limits = limits();
        let _ = take(format, &Source::new(file.path(), name, &limits));
    });
}

fn take(format: &str, source: &Source<'_>) -> Result<()> {
    let listed = tabletalk_read::FORMATS.iter().find(|listed| listed.name == format);
    for document in listed.map_or(tabletalk_read::read as fn(&_) -> _, |listed| listed.read)(source)? {
        for block in document?.blocks {
            let Block::Table(table) = block else { continue };
            if let Rows::Stream(mut stream) = table.rows {
                while let Some(batch) = stream.next_batch()? {
                    assert!(batch.columns.iter().all(|c| c.value.len() == batch.len()));
                    assert_eq!(batch.columns.len(), table.columns.len());
                }
                let _ = (stream.rejected(), stream.warnings());
            }
        }
    }
    Ok(())
}

/// Reads these bytes as they are and as the main part of an archive, so that what reads that part is reached.
/// `others` are the parts without which the main part is not found.
pub fn read_part(format: &str, name: &str, part: &str, others: &[(&str, &str)], bytes: &[u8]) {
    read(format, name, bytes);
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let others = others.iter().map(|(name, text)| (*name, text.as_bytes()));
    for (name, content) in others.chain([(part, bytes)]) {
        writer.start_file(name, stored).expect("a new part");
        writer.write_all(content).expect("the bytes of the part");
    }
    let archive = writer.finish().expect("an archive").into_inner();
    read(format, name, &archive);
}

#[cfg(feature = "statement")]
pub use statement::statement;

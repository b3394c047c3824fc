//! Reads DOC and PPT: LibreOffice turns them into DOCX and PPTX.

use super::{encrypted, has_stream, is_encrypted, read_docx, read_pptx};
use crate::source;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tabletalk_core::seam::{Documents, Source, Stop};
use tabletalk_core::{Error, Result};

/// What turning one file into the newer format may take.
const MAX_TIME: Duration = Duration::from_secs(120);
/// Where LibreOffice is when it is not on the path.
const PLACES: &[&str] = &[
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    "/opt/libreoffice/program/soffice",
    "C:\\Program Files\\LibreOffice\\program\\soffice.exe",
];

/// Reads documents and presentations in the formats of before 2007.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    converted(source, program().as_deref())
}

fn converted(source: &Source<'_>, program: Option<&Path>) -> Result<Documents> {
    let bytes = source::bytes(source)?;
    if is_encrypted(&bytes) {
        return Err(encrypted());
    }
    let is_slides = has_stream(&bytes, "PowerPoint Document")
        || !has_stream(&bytes, "WordDocument") && source.name.to_ascii_lowercase().contains(".pp");
    let (old, new) = if is_slides { ("ppt", "pptx") } else { ("doc", "docx") };
    let Some(program) = program else {
        let hint = format!("install LibreOffice, or save it as {}", new.to_uppercase());
        return Err(Error::input(format!(
            "is in the old format {}, which needs LibreOffice to be read",
            old.to_uppercase()
        ))
        .hint(hint));
    };
    let folder = tempfile::tempdir()?;
    let from = folder.path().join(format!("document.{old}"));
    std::fs::write(&from, bytes)?;
    convert(program, folder.path(), &from, new, MAX_TIME, &source.stop)?;
    let made = folder.path().join(format!("document.{new}"));
    if !made.is_file() {
        return Err(Error::input("could not be turned into the newer format by LibreOffice")
            .hint(format!("open it and save it as {}", new.to_uppercase())));
    }
    let source = Source { path: &made, ..source.clone() };
    // The documents are read whole before the folder goes.
    if is_slides { read_pptx(&source) } else { read_docx(&source) }
}

/// The program, where it is installed.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    let on_path = folders.flat_map(|f| ["soffice", "libreoffice", "soffice.exe"].map(|name| f.join(name)));
    on_path.chain(PLACES.iter().map(PathBuf::from)).find(|p| p.is_file())
}

/// Runs it with a profile of its own, so that it neither waits for nor changes one that is in use.
fn convert(program: &Path, folder: &Path, from: &Path, to: &str, most: Duration, stop: &Stop) -> Result<()> {
    let mut profile = std::ffi::OsString::from("-env:UserInstallation=file://");
    profile.push(folder.join("profile"));
    let mut command = Command::new(program);
    command.arg(profile).args(["--headless", "--norestore", "--convert-to", to, "--outdir"]);
    command.arg(folder).arg(from);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child =
        command.spawn().map_err(|e| Error::input(format!("LibreOffice could not be started: {e}")))?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if let Err(e) = stop.check() {
            end(&mut child);
            return Err(e);
        }
        if start.elapsed() > most {
            end(&mut child);
            let seconds = most.as_secs();
            return Err(Error::limit(format!("took LibreOffice more than {seconds} seconds"))
                .hint("open it and save it in the newer format"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Ends a process and those it has started: the program that is called is only a script.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Fault;
    use tabletalk_core::seam::Limits;

    fn compound(stream: &str) -> Vec<u8> {
        let mut bytes = super::super::COMPOUND.to_vec();
        bytes.extend(stream.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    }

    fn outcome(bytes: &[u8], name: &str, program: Option<&Path>) -> Result<usize> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let limits = Limits::default();
        let mut documents = converted(&Source::new(file.path(), name, &limits), program)?;
        Ok(documents.next().unwrap()?.blocks.len())
    }

    #[test]
    fn says_what_is_needed() {
        let e = outcome(&compound("WordDocument"), "a.doc", None).unwrap_err();
        assert_eq!(e.message(), "is in the old format DOC, which needs LibreOffice to be read");
        let e = outcome(&compound("PowerPoint Document"), "a", None).unwrap_err();
        assert_eq!(e.cure(), Some("install LibreOffice, or save it as PPTX"));
        let e = outcome(&compound("EncryptedPackage"), "a.docx", None).unwrap_err();
        assert_eq!(e.message(), "is encrypted with a password");
    }

    #[cfg(unix)]
    fn script(folder: &Path, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("soffice");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[cfg(unix)]
    #[test]
    fn reads_what_the_program_makes_and_says_when_it_makes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let made = super::super::tests::zipped(&[(
            "word/document.xml",
            "<document><body><p><r><t>old</t></r></p></body></document>",
        )]);
        std::fs::write(folder.path().join("made"), made).unwrap();
        let copy = format!("#!/bin/sh\ncp {}/made \"$7/document.docx\"\n", folder.path().display());
        assert_eq!(
            outcome(&compound("WordDocument"), "a.doc", Some(&script(folder.path(), &copy))).unwrap(),
            1
        );
        let idle = script(folder.path(), "#!/bin/sh\nexit 1\n");
        let e = outcome(&compound("WordDocument"), "a.doc", Some(&idle)).unwrap_err();
        assert_eq!(e.message(), "could not be turned into the newer format by LibreOffice");
    }

    #[cfg(unix)]
    #[test]
    fn does_not_wait_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let slow = script(folder.path(), "#!/bin/sh\nsleep 60\n");
        let from = folder.path().join("a.doc");
        let stop = Stop::default();
        let e = convert(&slow, folder.path(), &from, "docx", Duration::from_millis(200), &stop).unwrap_err();
        assert_eq!(e.fault(), Fault::Limit);
    }
}

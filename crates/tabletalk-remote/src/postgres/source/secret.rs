//! Passwords: from the environment, or from a file that nobody else may read. They are looked up when a connection is made,
//! and kept nowhere.

use super::address::Address;
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// The password for an address, where one is said.
pub(super) fn password(address: &Address) -> Result<Option<String>> {
    if let Ok(said) = std::env::var("PGPASSWORD") {
        return Ok(Some(said));
    }
    let Some(file) = file() else { return Ok(None) };
    let text = match std::fs::read_to_string(&file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|e| Error::from(e).at(file.display()))?,
    };
    check_mode(&file)?;
    Ok(text.lines().find_map(|line| of_line(line, address)))
}

fn file() -> Option<PathBuf> {
    let named = std::env::var_os("PGPASSFILE").map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass")))
}

#[cfg(unix)]
fn check_mode(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file)?.permissions().mode();
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(Error::input(format!(
            "{} may be read by others, so no password is taken from it",
            file.display()
        ))
        .hint(format!("chmod 0600 {}", file.display()))),
    }
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<()> {
    Ok(())
}

/// The password of a line `host:port:database:user:password`, if it is for this address.
fn of_line(line: &str, address: &Address) -> Option<String> {
    let mut parts = parts(line).into_iter();
    let wanted =
        [address.host.clone(), address.port.to_string(), address.database.clone(), address.user.clone()];
    for wanted in wanted {
        let part = parts.next()?;
        if part != "*" && part != wanted {
            return None;
        }
    }
    parts.next()
}

/// The parts between colons; a backslash takes its meaning from what follows. The last part may have colons in it.
fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = line.chars();
    if line.starts_with('#') {
        return Vec::new();
    }
    while let Some(letter) = letters.next() {
        let many = parts.len();
        let Some(last) = parts.last_mut() else { break };
        match letter {
            '\\' => last.extend(letters.next()),
            ':' if many < 5 => parts.push(String::new()),
            other => last.push(other),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_for_its_address() {
        let address = super::super::address::read("postgres://ann@db.example.org/shop").unwrap();
        let of = |line: &str| of_line(line, &address);
        assert_eq!(of("db.example.org:5432:shop:ann:s3c\\:r:et").as_deref(), Some("s3c:r:et"));
        assert_eq!(of("*:*:*:ann:x").as_deref(), Some("x"));
        for other in ["*:*:*:bob:x", "*:*:stock:ann:x", "# *:*:*:*:x", "", "*:*:*:ann"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_others_may_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(check_mode(file.path()).is_ok(), good, "{mode:o}");
        }
    }
}

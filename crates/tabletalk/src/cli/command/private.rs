//! The folder for libraries that are made in passing: of what a user asks of, nobody else may see or change anything.

use std::path::{Path, PathBuf};
use tabletalk::{Error, Result};

/// The folder for the library of this key, made where it is not there: in the user's cache, which is nobody else's.
pub(super) fn folder(key: &str) -> Result<PathBuf> {
    let base = cache();
    std::fs::create_dir_all(&base).map_err(|e| Error::from(e).at(base.display()))?;
    let mut folder = base.clone();
    for name in ["tabletalk", "from", key] {
        folder.push(name);
        make(&folder).map_err(|e| Error::from(e).at(folder.display()))?;
        check(&folder, &base)?;
    }
    Ok(folder)
}

/// Where programs of this user keep what can be made again.
fn cache() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let home = || {
        set("HOME").map(|home| home.join(if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" }))
    };
    let found = set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA")).or_else(home);
    // A user without a home has only the folder that all share.
    found.unwrap_or_else(std::env::temp_dir)
}

fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Refuses a folder that somebody else made, or that leads elsewhere.
#[cfg(unix)]
fn check(folder: &Path, base: &Path) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let refused = |why: &str| {
        let text = format!("{} is not used: {why}", folder.display());
        Err(Error::input(text).hint("take it away, or set XDG_CACHE_HOME to a folder of your own"))
    };
    let found = std::fs::symlink_metadata(folder)?;
    if !found.is_dir() {
        return refused("it is not a folder, or leads elsewhere");
    }
    // Whoever makes a file here now is the one who runs this.
    if found.uid() != tempfile::tempfile_in(base)?.metadata()?.uid() {
        return refused("it belongs to somebody else");
    }
    if found.mode() & 0o077 != 0 {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn check(_: &Path, _: &Path) -> Result<()> {
    Ok(())
}

//! API keys: made once, kept as hashes, each with a role and the libraries it is for.
//!
//! A key is 240 bits of chance, so nobody finds it by trying, and a plain hash keeps it as safe as a slow one:
//! slow hashes are for words that people make up. A slow one would let anybody who sends wrong keys keep all
//! others waiting.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use tabletalk_library::{Error, Result};
use utoipa::ToSchema;

/// What a key may do; each role may do what the ones before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Search, ask, look.
    Read,
    /// Add, forget, correct, start tasks.
    Write,
    /// Settings, keys, backups, libraries.
    Admin,
}

impl Role {
    /// The lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Write => "write",
            Role::Admin => "admin",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = String;
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        [Role::Read, Role::Write, Role::Admin]
            .into_iter()
            .find(|role| role.name() == text)
            .ok_or_else(|| format!("`{text}` is not a role: read, write or admin"))
    }
}

/// A key as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The libraries it is for; all when empty.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// The hash of its text: `blake3:` and 64 digits.
    pub hash: String,
}

impl Key {
    /// Says which key it is, also where another had its name before.
    pub(crate) fn mark(&self) -> String {
        format!(
            "{}~{}",
            self.name,
            self.hash.strip_prefix(HASH).unwrap_or(&self.hash).get(..12).unwrap_or_default()
        )
    }

    /// Whether this is the key of a text with this hash. Takes as long whatever is given.
    fn is(&self, given: &blake3::Hash) -> bool {
        let kept = self.hash.strip_prefix(HASH).and_then(|hex| blake3::Hash::from_hex(hex).ok());
        // Hashes are compared in constant time.
        kept.is_some_and(|kept| kept == *given)
    }
}

/// Before the digits of a hash.
const HASH: &str = "blake3:";

/// The keys of a server, in a file.
pub struct Keys {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    read: Option<SystemTime>,
    keys: Vec<Key>,
}

impl Keys {
    /// The keys in `file`, which need not exist yet.
    pub fn open(file: PathBuf) -> Result<Keys> {
        let keys = Keys { file, state: Mutex::default() };
        keys.list()?;
        Ok(keys)
    }

    /// The keys there are.
    pub fn list(&self) -> Result<Vec<Key>> {
        Ok(self.fresh()?.keys.clone())
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        // A file that cannot be read must not open the door.
        self.fresh().map_or(true, |state| !state.keys.is_empty())
    }

    /// Makes a key; its text is given back and kept nowhere.
    pub fn add(&self, name: &str, role: Role, libraries: &[String]) -> Result<String> {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
            return Err(Error::input(format!("`{name}` is not a name for a key"))
                .hint("use letters, digits, `-`, `_` and `.`"));
        }
        let mut state = self.fresh()?;
        if state.keys.iter().any(|key| key.name == name) {
            return Err(Error::input(format!("there is a key `{name}`")).hint("remove it first"));
        }
        let text = new_key();
        let hash = format!("{HASH}{}", blake3::hash(text.as_bytes()).to_hex());
        state.keys.push(Key { name: name.into(), role, libraries: libraries.to_vec(), hash });
        self.write(&mut state)?;
        Ok(text)
    }

    /// Takes a key away; whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool> {
        let mut state = self.fresh()?;
        let before = state.keys.len();
        state.keys.retain(|key| key.name != name);
        let gone = state.keys.len() < before;
        if gone {
            self.write(&mut state)?;
        }
        Ok(gone)
    }

    /// The key of this text.
    pub fn find(&self, text: &str) -> Result<Option<Key>> {
        let given = blake3::hash(text.as_bytes());
        // All are compared, also those behind the one that fits.
        let fits = |found: Option<Key>, key: &Key| if key.is(&given) { Some(key.clone()) } else { found };
        Ok(self.fresh()?.keys.iter().fold(None, fits))
    }

    /// An error when there are keys that were made by an earlier version and open nothing any more.
    pub fn check_hashes(&self) -> Result<()> {
        let old: Vec<String> =
            self.list()?.into_iter().filter(|k| !k.hash.starts_with(HASH)).map(|k| k.name).collect();
        match old.first() {
            None => Ok(()),
            Some(name) => Err(Error::input(format!(
                "keys of an earlier version open nothing any more: {}",
                old.join(", ")
            ))
            .hint(format!("`tabletalk key remove {name}`, then make it again with `tabletalk key add`"))),
        }
    }

    /// The state, read again when the file was changed by someone else.
    fn fresh(&self) -> Result<std::sync::MutexGuard<'_, State>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = std::fs::metadata(&self.file).and_then(|m| m.modified()).ok();
        if changed != state.read {
            let keys = read(&self.file)?;
            *state = State { read: changed, keys };
        }
        Ok(state)
    }

    fn write(&self, state: &mut State) -> Result<()> {
        let text = serde_json::to_string_pretty(&state.keys)?;
        write_private(&self.file, text.as_bytes()).map_err(|e| Error::from(e).at(self.file.display()))?;
        state.read = std::fs::metadata(&self.file).and_then(|m| m.modified()).ok();
        Ok(())
    }
}

fn read(file: &Path) -> Result<Vec<Key>> {
    match std::fs::read_to_string(file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(Error::from(e).at(file.display())),
        Ok(text) => Ok(serde_json::from_str(&text).map_err(|e| Error::from(e).at(file.display()))?),
    }
}

/// Whole or not at all, and readable by the owner alone.
fn write_private(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let new = file.with_extension("new");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut out = options.open(&new)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    std::fs::rename(new, file)
}

/// 240 bits of chance, in letters that survive being copied.
fn new_key() -> String {
    use base64::Engine;
    let bytes: [u8; 30] = rand::random();
    format!("tt_{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_known_by_its_text_and_only_its_hash_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::open(dir.path().join("keys.json")).unwrap();
        assert!(!keys.any());
        let text = keys.add("ci", Role::Write, &["sales".into()]).unwrap();
        let kept = std::fs::read_to_string(dir.path().join("keys.json")).unwrap();
        assert!(kept.contains("blake3:") && !kept.contains(&text));
        for _ in 0..2 {
            let key = keys.find(&text).unwrap().unwrap();
            assert_eq!((key.name.as_str(), key.role), ("ci", Role::Write));
        }
        assert!(keys.find("tt_wrong").unwrap().is_none());
        assert!(keys.add("ci", Role::Read, &[]).is_err(), "names are unique");
        assert!(keys.add("a b", Role::Read, &[]).is_err());
        // Another process takes it away: it opens nothing any more.
        let other = Keys::open(dir.path().join("keys.json")).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(other.remove("ci").unwrap());
        assert!(keys.find(&text).unwrap().is_none());
    }

    #[test]
    fn wrong_keys_cost_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::open(dir.path().join("keys.json")).unwrap();
        for i in 0..20 {
            keys.add(&format!("k{i}"), Role::Read, &[]).unwrap();
        }
        let begun = std::time::Instant::now();
        for i in 0..1_000 {
            assert!(keys.find(&format!("tt_{i}")).unwrap().is_none());
        }
        // One of argon2 took 20 ms for each key there was.
        assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
    }

    #[test]
    fn keys_of_an_earlier_version_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("keys.json");
        std::fs::write(&file, r#"[{"name": "ci", "role": "read", "hash": "$argon2id$v=19$m=1$a$b"}]"#)
            .unwrap();
        let keys = Keys::open(file).unwrap();
        assert!(keys.check_hashes().unwrap_err().to_string().contains("ci"));
        assert!(keys.remove("ci").unwrap() && keys.check_hashes().is_ok());
    }

    #[test]
    fn a_key_made_again_is_another_key() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::open(dir.path().join("keys.json")).unwrap();
        let mark = |text: &str| keys.find(text).unwrap().unwrap().mark();
        let first = mark(&keys.add("ci", Role::Read, &[]).unwrap());
        assert!(keys.remove("ci").unwrap());
        let second = mark(&keys.add("ci", Role::Read, &[]).unwrap());
        assert!(first.starts_with("ci~") && second.starts_with("ci~") && first != second);
    }

    #[test]
    fn a_broken_file_opens_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("keys.json");
        std::fs::write(&file, "[]").unwrap();
        let keys = Keys::open(file.clone()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&file, "rubbish").unwrap();
        assert!(keys.any() && keys.find("tt_x").is_err());
    }
}

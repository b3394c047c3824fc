//! A library of its own, made of a corpus: what is measured never meets what the user keeps, and no question, answer
//! or label ever enters it.

use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tabletalk_core::{Error, Result};
use tabletalk_library::{AddOptions, Config, Library, Watch, open};

/// A library made of files.
pub struct Corpus {
    /// The library.
    pub library: Library,
    /// Seconds for making it.
    pub adding: f64,
    /// Removed with the corpus, unless it is kept in a folder.
    _dir: Option<tempfile::TempDir>,
}

impl Corpus {
    /// Makes a library of files in `kept`, or in a folder that goes when it is done with.
    pub fn make(
        config: &Config,
        files: &[PathBuf],
        kept: Option<&Path>,
        embeds: impl Fn(&Library) -> bool,
        watch: &dyn Watch,
    ) -> Result<Self> {
        let (dir, path) = match kept {
            Some(dir) => (None, dir.to_owned()),
            None => {
                let dir = tempfile::tempdir()?;
                let path = dir.path().to_owned();
                (Some(dir), path)
            }
        };
        let library = open(&uncached(config), &path, true)?;
        let begun = Instant::now();
        let options = AddOptions { no_embed: !embeds(&library), ..AddOptions::default() };
        let added = library.add(files, &options, watch)?;
        if added.interrupted {
            return Err(Error::limit("making the library was stopped").hint("run it again to go on"));
        }
        if let Some(error) = added.documents.iter().find_map(|d| d.error.clone()) {
            return Err(Error::input(error));
        }
        match added.embed_error {
            Some(error) => Err(error),
            None => Ok(Corpus { library, adding: begun.elapsed().as_secs_f64(), _dir: dir }),
        }
    }
}

/// Without the cache of replies: what one question cost must not depend on who asked before.
fn uncached(config: &Config) -> Config {
    let mut config = config.clone();
    if let Some(chat) = &mut config.chat {
        chat.cache = false;
    }
    config
}

/// What of a configuration decides what stands in a library: one can be used for all variants that share it.
pub fn print(config: &Config, corpus: &str, summaries: Option<&str>) -> Result<String> {
    let mut keyword = serde_json::to_value(&config.keyword)?;
    if let Some(keyword) = keyword.as_object_mut() {
        keyword.remove("weights");
    }
    let parts = json!({
        "corpus": corpus,
        "limits": config.limits,
        "read": config.read,
        "keyword": keyword,
        "embed": config.embed,
        "embedding": config.embedding,
        "group": config.group,
        "summaries": summaries,
        "version": env!("CARGO_PKG_VERSION"),
    });
    Ok(short(&serde_json::to_vec(&parts)?))
}

/// A short name for some bytes.
pub fn short(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().chars().take(16).collect()
}

/// The hash of all bytes of files, in their order, and below folders by name.
pub fn hash(files: &[PathBuf]) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        hash_into(&mut hasher, file).map_err(|e| e.at(file.display()))?;
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn hash_into(hasher: &mut blake3::Hasher, path: &Path) -> Result<()> {
    if !path.is_dir() {
        hasher.update_reader(std::fs::File::open(path)?)?;
        return Ok(());
    }
    let mut inside = std::fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<Result<Vec<_>>>()?;
    inside.sort();
    for path in inside {
        hasher.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        hash_into(hasher, &path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_content() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text).unwrap();
            hash(&[dir.path().to_owned()]).unwrap()
        };
        let first = write("a", "1");
        assert_eq!(write("a", "1"), first);
        assert_ne!(write("a", "2"), first);
        assert!(hash(&["nothing here".into()]).unwrap_err().to_string().contains("nothing here"));
    }

    #[test]
    fn what_only_changes_the_search_shares_a_library() {
        let one = Config::default();
        let mut other = one.clone();
        other.search.rerank = vec!["cross".into()];
        other.answer.samples = 5;
        assert_eq!(print(&one, "c", None).unwrap(), print(&other, "c", None).unwrap());
        other.embed.clear();
        assert_ne!(print(&one, "c", None).unwrap(), print(&other, "c", None).unwrap());
        assert_ne!(print(&one, "c", None).unwrap(), print(&one, "d", None).unwrap());
    }
}

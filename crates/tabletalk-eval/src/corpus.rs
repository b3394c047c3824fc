//! A library of its own, made of a corpus: what is measured never meets what the user keeps, and no question, answer
//! or label ever enters it.

use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tabletalk_core::{Error, Result};
use tabletalk_library::config::{Model, Rerank};
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
    /// A library as it is. The questions must not be among its documents.
    pub fn of(library: Library, questions: &[PathBuf]) -> Result<Self> {
        check_apart(&library.sources()?, questions)?;
        Ok(Corpus { library, adding: 0.0, _dir: None })
    }

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
        let library = open(&apart(&uncached(config), &path), &path, true)?;
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

/// In stores that others use too, a library of its own.
fn apart(config: &Config, dir: &Path) -> Config {
    let mut config = config.clone();
    let name = blake3::hash(dir.as_os_str().as_encoded_bytes()).to_hex();
    for store in [&mut config.store.segment, &mut config.store.vector] {
        store.prefix = format!("{}-{}", store.prefix, &name[..12]);
    }
    config
}

/// What decides what stands in a library: one can be used for all variants that share it.
pub fn print(config: &Config, corpus: &str, files: &[PathBuf], summaries: Option<&str>) -> Result<String> {
    let mut keyword = serde_json::to_value(&config.keyword)?;
    if let Some(keyword) = keyword.as_object_mut() {
        keyword.remove("weights");
    }
    let parts = json!({
        "corpus": corpus,
        "files": files.iter().map(|file| absolute(file)).collect::<Vec<_>>(),
        "add": config.add,
        "beside": beside(config)?,
        "limits": config.limits,
        "read": config.read,
        "keyword": keyword,
        "embed": config.embed,
        "embedding": config.embedding,
        "group": config.group,
        "store": config.store,
        "summaries": summaries,
        "program": crate::machine::program()?,
    });
    Ok(short(&serde_json::to_vec(&parts)?))
}

/// Files that a configuration names: prompts, dictionaries and models, each with its size and when it was changed.
pub fn beside(config: &Config) -> Result<Vec<(PathBuf, u64, u128)>> {
    let keyword = &config.keyword;
    let words = keyword.synonyms.iter().chain(&keyword.user_dictionary).chain(&keyword.stop_words);
    let models =
        config.embed.iter().map(|embed| &embed.model).chain(config.rerank.values().filter_map(model));
    let models: Vec<PathBuf> = models.map(|model| PathBuf::from(model_name(model))).collect();
    let mut all = Vec::new();
    for path in words.chain(&config.prompts_dir).chain(&models).filter(|path| path.exists()) {
        look(path, &mut all).map_err(|e| e.at(path.display()))?;
    }
    Ok(all)
}

fn model(rerank: &Rerank) -> Option<&Model> {
    match rerank {
        Rerank::Cross { model, .. } => Some(model),
        _ => None,
    }
}

/// The name of a model, or the folder it is in.
pub fn model_name(model: &Model) -> String {
    match model {
        Model::Name(name) => name.clone(),
        Model::Settings(settings) => settings.model.clone(),
    }
}

fn look(path: &Path, all: &mut Vec<(PathBuf, u64, u128)>) -> Result<()> {
    if path.is_dir() {
        let mut inside = std::fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<Result<Vec<_>>>()?;
        inside.sort();
        return inside.iter().try_for_each(|path| look(path, all));
    }
    let about = path.metadata()?;
    let changed = about.modified()?.duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    all.push((path.to_owned(), about.len(), changed));
    Ok(())
}

/// An error when one of these files would be read as a part of the corpus: a library must not know what it is asked.
pub fn check_apart(corpus: &[PathBuf], secret: &[PathBuf]) -> Result<()> {
    for (folder, file) in corpus.iter().flat_map(|folder| secret.iter().map(move |file| (folder, file))) {
        if absolute(file).starts_with(absolute(folder)) {
            let (file, folder) = (file.display(), folder.display());
            return Err(Error::input(format!(
                "{file} lies inside the corpus {folder}, and would be read with it"
            ))
            .hint("keep questions and runs (--out) outside the corpus"));
        }
    }
    Ok(())
}

/// A path from the root, with links followed as far as it is there.
fn absolute(path: &Path) -> PathBuf {
    match path.canonicalize() {
        Ok(path) => path,
        Err(_) => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if parent != Path::new("") => absolute(parent).join(name),
            (_, Some(name)) => std::env::current_dir().unwrap_or_default().join(name),
            _ => path.to_owned(),
        },
    }
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
        let file = std::fs::File::open(path)?;
        hasher.update(&file.metadata()?.len().to_le_bytes()).update_reader(file)?;
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
        let print = |config: &Config, corpus: &str, file: &str| {
            super::print(config, corpus, &[PathBuf::from(file)], None).unwrap()
        };
        assert_eq!(print(&one, "c", "f"), print(&other, "c", "f"));
        other.add.exclude = vec!["x".into()];
        assert_ne!(print(&one, "c", "f"), print(&other, "c", "f"));
        assert_ne!(print(&one, "c", "f"), print(&one, "d", "f"));
        assert_ne!(print(&one, "c", "f"), print(&one, "c", "g"));
    }

    #[test]
    fn questions_are_kept_apart_from_the_corpus() {
        let dir = tempfile::tempdir().unwrap();
        let questions = dir.path().join("q.jsonl");
        std::fs::write(&questions, "").unwrap();
        let inside =
            check_apart(&[dir.path().to_owned()], std::slice::from_ref(&questions)).unwrap_err().to_string();
        assert!(inside.contains("q.jsonl"), "{inside}");
        assert!(check_apart(&[dir.path().join("a.csv")], &[questions]).is_ok());
        assert!(check_apart(&[dir.path().to_owned()], &[dir.path().join("runs/not/yet")]).is_err());
    }
}

//! A model's folder as the hubs publish it, or one inside the program.

use crate::{about::About, dense::Dense};
use serde_json::Value;
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};
use tabletalk_core::{Error, Fault, Result};

/// Where weights are looked for, best first.
const WEIGHTS: [&str; 7] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "model_int8.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_qint8_avx512_vnni.onnx",
];

/// What is needed to start a model.
pub(crate) struct Folder {
    /// The name of the model: that of its folder.
    pub(crate) name: String,
    /// The graph with its weights.
    pub(crate) weights: Weights,
    /// The bytes of `tokenizer.json`.
    pub(crate) tokenizer: Cow<'static, [u8]>,
    /// How the model wants to be used.
    pub(crate) about: About,
    /// A linear layer for the states of tokens, where the graph leaves it out.
    pub(crate) token_layer: Option<Dense>,
    /// A linear layer for pooled vectors, where the graph leaves it out.
    pub(crate) pooled_layer: Option<Dense>,
    /// A hash of all that is above.
    pub(crate) hash: String,
}

/// A graph with its weights.
pub(crate) enum Weights {
    /// In a file, perhaps with others beside it.
    File(PathBuf),
    /// Inside the program.
    #[cfg_attr(not(feature = "bundled-models"), allow(dead_code))]
    Program(&'static [u8]),
}

impl Folder {
    /// Reads what is in `path`.
    pub(crate) fn open(path: &Path) -> Result<Folder> {
        if !path.is_dir() {
            return Err(Error::missing(format!("no model folder {}", path.display())).hint(
                "give a folder with model.onnx, tokenizer.json and config.json, or run scripts/fetch-models",
            ));
        }
        let name =
            path.canonicalize()?.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let weights = weights(path)?;
        let tokenizer = read(path, "tokenizer.json")?;
        let (token_layer, pooled_layer) = layers(path)?;
        let hash = hash(path, &weights, &tokenizer)?;
        let about = about(path, &name)?;
        let weights = Weights::File(weights);
        Ok(Folder { about, name, weights, tokenizer: tokenizer.into(), token_layer, pooled_layer, hash })
    }
}

fn weights(path: &Path) -> Result<PathBuf> {
    WEIGHTS.iter().map(|name| path.join(name)).find(|file| file.is_file()).ok_or_else(|| {
        Error::missing(format!("{}: no model.onnx", path.display()))
            .hint("download the ONNX file of the model, or export it, and put it there")
    })
}

fn read(path: &Path, name: &str) -> Result<Vec<u8>> {
    let file = path.join(name);
    std::fs::read(&file).map_err(|e| {
        let e = Error::from(e).at(file.display());
        if e.fault() == Fault::Missing {
            e.hint(format!("download {name} of the same model and put it there"))
        } else {
            e
        }
    })
}

/// A JSON file that a model may have or not.
fn optional(path: &Path, name: &str) -> Result<Option<Value>> {
    let file = path.join(name);
    match std::fs::read(&file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| Error::from(e).at(file.display())),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::from(e).at(file.display())),
    }
}

fn about(path: &Path, name: &str) -> Result<About> {
    let config = optional(path, "config.json")?.unwrap_or(Value::Null);
    let called = config.get("_name_or_path").and_then(Value::as_str).unwrap_or_default();
    let mut about = About::of_family(&format!("{name} {called}"));
    about.add_config(&config);
    for file in ["sentence_bert_config.json", "tokenizer_config.json"] {
        optional(path, file)?.iter().for_each(|file| about.add_length(file));
    }
    if let Some(file) = optional(path, "1_Pooling/config.json")? {
        about.add_pooling(&file).map_err(|e| e.at(path.join("1_Pooling/config.json").display()))?;
    }
    optional(path, "config_sentence_transformers.json")?.iter().for_each(|file| about.add_prompts(file));
    Ok(about)
}

/// The linear layers that `modules.json` lists before and after pooling.
fn layers(path: &Path) -> Result<(Option<Dense>, Option<Dense>)> {
    let modules = optional(path, "modules.json")?.unwrap_or(Value::Null);
    let (mut token, mut pooled, mut after_pooling) = (None, None, false);
    for module in modules.as_array().into_iter().flatten() {
        let kind = module.get("type").and_then(Value::as_str).unwrap_or_default();
        after_pooling |= kind.ends_with("Pooling");
        if kind.ends_with("Dense") {
            let folder = module.get("path").and_then(Value::as_str).unwrap_or_default();
            let slot = if after_pooling { &mut pooled } else { &mut token };
            *slot = Some(Dense::open(&path.join(folder))?);
        }
    }
    Ok((token, pooled))
}

/// A hash of the files that make vectors what they are.
fn hash(path: &Path, weights: &Path, tokenizer: &[u8]) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut beside: Vec<PathBuf> = std::fs::read_dir(weights.parent().unwrap_or(path))?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|file| {
            file.to_string_lossy().ends_with("_data") || file.extension().is_some_and(|e| e == "data")
        })
        .chain([weights.to_owned()])
        .collect();
    beside.sort();
    for file in beside {
        hasher.update_rayon(&std::fs::read(&file).map_err(|e| Error::from(e).at(file.display()))?);
    }
    hasher.update(tokenizer);
    Ok(hasher.finalize().to_hex().to_string())
}

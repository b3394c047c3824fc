//! The encoders inside the program.

use crate::{
    about::About,
    folder::{Folder, Weights},
};
use tabletalk_core::{Error, Result};

/// A model inside the program.
pub(crate) struct Bundled {
    pub(crate) name: &'static str,
    weights: &'static [u8],
    tokenizer: &'static [u8],
    config: &'static [u8],
    /// The hash of weights and tokenizer, written down because hashing takes longer than the rest of starting.
    hash: &'static str,
}

macro_rules! bundled {
    ($name:literal, $hash:literal) => {
        Bundled {
            name: $name,
            weights: include_bytes!(concat!("../../../models/", $name, "/model.onnx")),
            tokenizer: include_bytes!(concat!("../../../models/", $name, "/tokenizer.json")),
            config: include_bytes!(concat!("../../../models/", $name, "/config.json")),
            hash: $hash,
        }
    };
}

/// The layers of the locators, over the embeddings of the encoder of this name.
pub(crate) static LAYERS: [(&str, &[u8]); 2] = [
    ("bge-small-en-v1.5", include_bytes!("../../../models/locator-en/layers.safetensors")),
    ("bge-small-zh-v1.5", include_bytes!("../../../models/locator-zh/layers.safetensors")),
];

/// All of them; the first is the default.
pub(crate) static MODELS: [Bundled; 2] = [
    bundled!("bge-small-en-v1.5", "c04572e6b2afb6649aca3c463fcfcbcca3acd9ea2f050e525d65613f868ea6ae"),
    bundled!("bge-small-zh-v1.5", "fbe310a89e3f3295be4d15af78046273768392b05dafb1f435457b20479cc663"),
];

/// What is needed to start the model of this name.
pub(crate) fn folder(name: &str) -> Result<Folder> {
    let model = MODELS.iter().find(|model| model.name == name).ok_or_else(|| {
        let names: Vec<_> = MODELS.iter().map(|model| model.name).collect();
        Error::missing(format!("no bundled model {name}")).hint(format!("there are {}", names.join(" and ")))
    })?;
    let mut about = About::of_family(name);
    about.add_config(&serde_json::from_slice(model.config)?);
    Ok(Folder {
        name: model.name.to_owned(),
        weights: Weights::Program(model.weights),
        tokenizer: model.tokenizer.into(),
        about,
        token_layer: None,
        pooled_layer: None,
        hash: model.hash.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_written_down_are_those_of_the_files() {
        for model in &MODELS {
            let mut hasher = blake3::Hasher::new();
            hasher.update_rayon(model.weights).update(model.tokenizer);
            assert_eq!(hasher.finalize().to_hex().as_str(), model.hash, "{}", model.name);
        }
    }
}

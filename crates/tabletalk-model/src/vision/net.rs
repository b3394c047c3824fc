//! A graph that is fed one picture.

use crate::graph::damaged;
use rten::{Model, ModelOptions, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, Tensor};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tabletalk_core::{Error, Result};

/// A loaded graph.
pub(crate) struct Net {
    model: Model,
    path: PathBuf,
}

impl Net {
    /// Loads the ONNX file at `path`.
    pub(crate) fn load(path: &Path) -> Result<Net> {
        let name = path.display().to_string();
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let model = options.load_file(path).map_err(|e| damaged(&name, &e))?;
        Ok(Net { model, path: path.to_owned() })
    }

    /// What the file says about itself under `key`.
    pub(crate) fn note(&self, key: &str) -> Option<&str> {
        self.model.metadata().get(key)
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All outputs for one input, in the graph's order, on the threads of `pool`.
    pub(crate) fn run(&self, input: NdTensor<f32, 4>, pool: &Arc<ThreadPool>) -> Result<Vec<Tensor<f32>>> {
        let failed = |e: String| {
            Error::input(format!("the model cannot be run: {e}")).at(self.path.display()).hint(
                "it may be a different model than its name says: fetch it again with scripts/fetch-models",
            )
        };
        let [id] = *self.model.input_ids() else {
            return Err(failed("it asks for more than a picture".into()));
        };
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        let outputs = self
            .model
            .run(vec![(id, input.into())], self.model.output_ids(), Some(options))
            .map_err(|e| failed(e.to_string()))?;
        outputs
            .into_iter()
            .map(|value| value.try_into().map_err(|_| failed("its output is not f32".into())))
            .collect()
    }
}

/// The first of `names` that is a file in `folder`; the error names the first and how to get it: `cure`.
pub(crate) fn file(folder: &Path, names: &[&str], cure: &str) -> Result<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| path.is_file()).ok_or_else(|| {
        let wanted = folder.join(names.first().copied().unwrap_or_default());
        Error::missing(format!("no file {}", wanted.display())).hint(cure)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_with_the_cure() {
        let e = file(Path::new("/nowhere"), &["det.onnx", "x.onnx"], "run scripts/fetch-models --ocr")
            .unwrap_err();
        assert_eq!(e.to_string(), "no file /nowhere/det.onnx; run scripts/fetch-models --ocr");
        assert_eq!(e.fault(), tabletalk_core::Fault::Missing);
    }

    #[test]
    fn a_file_that_is_no_model_is_said_to_be_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("det.onnx");
        std::fs::write(&path, b"<html>not found</html>").unwrap();
        let e = Net::load(&path).err().unwrap();
        assert!(e.message().contains("det.onnx: not a model that can be loaded"), "{e}");
    }
}

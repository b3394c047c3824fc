//! What reads pictures, made when it is first needed.

use crate::config::{Config, Engine};
use crate::models;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tabletalk_core::seam::{Ocr, Picture, Seen, SeenCell, Source, Structure};
use tabletalk_core::{Error, Result};
use tabletalk_model::ocr::{PpOcr, Tesseract};
use tabletalk_model::structure::SlaNet;

/// The folders that the script that fetches models fills.
const PPOCR: &str = "ppocr-v4";
const SLANET: &str = "slanet-plus";

/// What may help to read pictures and tables.
#[derive(Clone, Default)]
pub(crate) struct Reader {
    ocr: Option<Arc<dyn Ocr>>,
    structure: Option<Arc<dyn Structure>>,
}

impl Reader {
    /// As configured; with `auto` the engine that is there.
    pub(crate) fn new(config: &Config) -> Self {
        let dir = models::dir(config);
        let folder = |name: &str| dir.as_ref().map_or_else(|| PathBuf::from(name), |d| d.join(name));
        let ocr = |engine| -> Option<Arc<dyn Ocr>> {
            let languages = config.read.ocr_languages.clone();
            Some(Arc::new(Late { engine, dir: folder(PPOCR), languages, made: OnceLock::new() }))
        };
        let structure = || -> Option<Arc<dyn Structure>> {
            Some(Arc::new(LateStructure { dir: folder(SLANET), made: OnceLock::new() }))
        };
        Reader {
            ocr: chosen(config.read.ocr, &folder(PPOCR)).and_then(ocr),
            structure: config.read.structure.then(structure).flatten(),
        }
    }

    /// Names what pictures are read by; empty when by nothing. When it changes, files with pictures are read again.
    pub(crate) fn print(config: &Config) -> String {
        let folder = models::dir(config).map_or_else(|| PathBuf::from(PPOCR), |d| d.join(PPOCR));
        match (chosen(config.read.ocr, &folder), config.read.structure) {
            (None, false) => String::new(),
            (engine, structure) => format!("{engine:?} {:?} {structure}", config.read.ocr_languages),
        }
    }

    /// A source with what helps to read it.
    pub(crate) fn lend<'a>(&self, source: &Source<'a>) -> Source<'a> {
        Source { ocr: self.ocr.clone(), structure: self.structure.clone(), ..source.clone() }
    }
}

/// The engine to use, if any.
fn chosen(engine: Engine, dir: &Path) -> Option<Engine> {
    match engine {
        Engine::Off => None,
        Engine::Auto if dir.is_dir() => Some(Engine::Ppocr),
        Engine::Auto => Tesseract::find().map(|_| Engine::Tesseract),
        named => Some(named),
    }
}

/// An OCR engine that is loaded with the first picture.
#[derive(Debug)]
struct Late {
    engine: Engine,
    dir: PathBuf,
    languages: Vec<String>,
    made: OnceLock<std::result::Result<Arc<dyn Ocr>, String>>,
}

impl Late {
    fn make(&self) -> Result<Arc<dyn Ocr>> {
        if self.engine == Engine::Ppocr {
            return Ok(Arc::new(PpOcr::load(&self.dir)?));
        }
        let found = Tesseract::find().ok_or_else(|| {
            Error::input("tesseract is not installed")
                .hint("install it, or set read.ocr to `ppocr` or `auto`")
        })?;
        Ok(Arc::new(if self.languages.is_empty() { found } else { found.languages(&self.languages)? }))
    }
}

impl Ocr for Late {
    fn lines(&self, picture: &Picture) -> Result<Vec<Seen>> {
        match self.made.get_or_init(|| self.make().map_err(|e| e.to_string())) {
            Ok(ocr) => ocr.lines(picture),
            Err(why) => Err(Error::input(why.clone())),
        }
    }
}

/// A model of table structure that is loaded with the first table.
#[derive(Debug)]
struct LateStructure {
    dir: PathBuf,
    made: OnceLock<std::result::Result<SlaNet, String>>,
}

impl Structure for LateStructure {
    fn cells(&self, picture: &Picture) -> Result<Vec<SeenCell>> {
        match self.made.get_or_init(|| SlaNet::load(&self.dir).map_err(|e| e.to_string())) {
            Ok(model) => model.cells(picture),
            Err(why) => Err(Error::input(why.clone())),
        }
    }
}

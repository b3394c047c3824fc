//! An experiment as a file: sets, a sample of their questions, and variants of the configuration.

use crate::inside::Level;
use crate::layout::Layout;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};
use tabletalk_eval::run::file_name;

/// The recipes that come with the program.
const SHIPPED: [(&str, &str); 6] = [
    ("control", include_str!("recipes/control.toml")),
    ("ablation", include_str!("recipes/ablation.toml")),
    ("retrievers", include_str!("recipes/retrievers.toml")),
    ("modes", include_str!("recipes/modes.toml")),
    ("linked", include_str!("recipes/linked.toml")),
    ("table-size", include_str!("recipes/table-size.toml")),
];

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Whether answers and verdicts are right.
    Answers,
    /// Whether the right tables, passages and parts of tables are found.
    Retrieval,
}

impl Task {
    /// The name in recipes and reports.
    pub fn name(self) -> &'static str {
        match self {
            Task::Answers => "answers",
            Task::Retrieval => "retrieval",
        }
    }
}

/// An experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name.
    pub name: String,
    /// What it is to find out.
    #[serde(default)]
    pub about: String,
    /// What is measured.
    pub task: Task,
    /// Questions of each set, drawn by the seed; all when it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    /// The seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// Ranks to measure at.
    #[serde(default = "cuts")]
    pub k: Vec<usize>,
    /// Configuration that all variants share, over that of the user.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub config: toml::Table,
    /// The sets.
    pub set: Vec<Set>,
    /// The variants; the others are compared with the first.
    pub variant: Vec<Variant>,
}

fn one() -> u64 {
    1
}

fn cuts() -> Vec<usize> {
    vec![1, 5, 10, 100]
}

/// A corpus and questions about it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// Files that make up the library.
    #[serde(default)]
    pub corpus: Vec<PathBuf>,
    /// Files of questions.
    #[serde(default)]
    pub queries: Vec<PathBuf>,
    /// A folder in the set's own public layout, in the place of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<Public>,
    /// Only questions whose line has these values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Value>,
    /// Whether each question is asked of its first relevant table alone.
    #[serde(default)]
    pub given_table: bool,
    /// Parts of tables that are looked for too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Numbers of rows that the tables are grown to, each a set of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<usize>,
    /// Whether they are grown to as many columns, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub square: bool,
    /// Only so many records of the corpus: those that the questions are about, and others in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<usize>,
    /// Questions of this set, where that differs from the recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
}

/// A set in its own public layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Public {
    /// The layout.
    pub layout: Layout,
    /// The folder.
    pub dir: PathBuf,
    /// The split, such as `dev`.
    pub split: String,
}

/// One way of answering or searching.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// What is different about it.
    #[serde(default)]
    pub about: String,
    /// Configuration over that of the recipe.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub config: toml::Table,
    /// Whether it makes sense with a language model only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub model: bool,
    /// Whether the built-in parser answers even when there is a language model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_model: bool,
    /// Whether it is about finding tables: left out where the table is given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finding: bool,
    /// For retrieval: search layer by layer, by the strategy of this name; `auto` for the one for tables or for text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// For retrieval: whether summaries of tables, made by the language model, are searched too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summaries: bool,
}

impl Recipe {
    /// The names of the recipes that come with the program, and what each is to find out.
    pub fn shipped() -> Vec<(&'static str, String)> {
        let about = |text: &str| toml::from_str::<Recipe>(text).map(|r| r.about).unwrap_or_default();
        SHIPPED.iter().map(|(name, text)| (*name, about(text))).collect()
    }

    /// The text of a recipe that comes with the program.
    pub fn text(name: &str) -> Option<&'static str> {
        SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
    }

    /// The recipe of this name that comes with the program, or the one in this file. Files it names are looked for in
    /// `data`, or beside the recipe.
    pub fn load(name: &str, data: Option<&Path>) -> Result<Recipe> {
        let (text, beside) = match Recipe::text(name) {
            Some(text) => (text.to_owned(), PathBuf::new()),
            None => {
                let path = Path::new(name);
                let hint = || format!("{} come with the program", SHIPPED.map(|(name, _)| name).join(", "));
                let text = std::fs::read_to_string(path).map_err(|e| Error::from(e).at(name).hint(hint()))?;
                (text, path.parent().map(Path::to_owned).unwrap_or_default())
            }
        };
        let mut recipe: Recipe =
            toml::from_str(&text).map_err(|e| Error::input(e.to_string().trim_end().to_owned()).at(name))?;
        let base = data.map_or(beside, Path::to_owned);
        for set in &mut recipe.set {
            let public = set.public.as_mut().map(|p| &mut p.dir);
            for path in set.corpus.iter_mut().chain(&mut set.queries).chain(public) {
                *path = base.join(&path);
            }
        }
        Ok(recipe)
    }

    /// Leaves only these sets and variants.
    pub fn keep(&mut self, sets: &[String], variants: &[String]) -> Result<()> {
        let known = |names: &[String], of: Vec<&String>, what: &str| {
            let strange = names.iter().find(|name| !of.contains(name));
            strange.map_or(Ok(()), |name| {
                let all: Vec<&str> = of.iter().map(|n| n.as_str()).collect();
                Err(Error::input(format!("the recipe has no {what} `{name}`; it has {}", all.join(", "))))
            })
        };
        known(sets, self.set.iter().map(|s| &s.name).collect(), "set")?;
        known(variants, self.variant.iter().map(|v| &v.name).collect(), "variant")?;
        self.set.retain(|set| sets.is_empty() || sets.contains(&set.name));
        self.variant.retain(|variant| variants.is_empty() || variants.contains(&variant.name));
        Ok(())
    }

    /// Whether the recipe can be run at all.
    pub fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::input(message).at(format!("recipe `{}`", self.name)));
        let mut seen = HashSet::new();
        let names = self
            .set
            .iter()
            .map(|s| ("set", &s.name))
            .chain(self.variant.iter().map(|v| ("variant", &v.name)));
        for (what, name) in names {
            if file_name(name).is_empty() || !seen.insert((what, file_name(name))) {
                return wrong(format!("two {what}s are called `{name}`, or it has no letters"));
            }
        }
        if file_name(&self.name).is_empty() {
            return wrong("its name has no letters".into());
        }
        if self.set.is_empty() || self.variant.is_empty() || self.k.is_empty() {
            return wrong("it needs at least one set, one variant and one rank".into());
        }
        if self.sample == Some(0) || self.set.iter().any(|set| set.sample == Some(0)) {
            return wrong("a sample of 0 questions measures nothing".into());
        }
        match self.set.iter().find(|s| s.public.is_none() && (s.corpus.is_empty() || s.queries.is_empty())) {
            Some(set) => wrong(format!("set `{}` needs `corpus` and `queries`, or `public`", set.name)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_the_program_can_be_run() {
        for (name, about) in Recipe::shipped() {
            let recipe = Recipe::load(name, Some(Path::new("data"))).unwrap();
            assert!(recipe.check().is_ok() && !about.is_empty(), "{name}");
            assert_eq!(recipe.name, name);
            assert!(recipe.set.iter().flat_map(|s| &s.corpus).all(|path| path.starts_with("data")));
            for variant in &recipe.variant {
                let config = tabletalk_library::Config::default().with(&recipe.config).unwrap();
                config.with(&variant.config).unwrap();
            }
        }
    }

    #[test]
    fn every_part_of_the_published_systems_is_measured() {
        let has = |recipe: &str, parts: &[&str]| {
            let recipe = Recipe::load(recipe, None).unwrap();
            let names: Vec<&String> = recipe.variant.iter().map(|v| &v.name).collect();
            for part in parts {
                assert!(names.iter().any(|n| n == part), "{} has no `{part}`", recipe.name);
            }
        };
        has("control", &["formatter: string", "retriever: late", "retriever: late + rerank"]);
        has("ablation", &["without filter of rows", "without filter of columns"]);
        has("ablation", &["without clarifier of terms", "without clarifier of tables"]);
        has("modes", &["row-column 5 x 5", "table-rag: vectors", "table-rag: schema", "table-rag: cells"]);
        let linked = Recipe::load("linked", None).unwrap();
        let layouts: Vec<Layout> =
            linked.set.iter().filter_map(|s| Some(s.public.as_ref()?.layout)).collect();
        assert_eq!(layouts, [Layout::Hybridqa, Layout::Feverous]);
    }

    #[test]
    fn says_what_is_wrong_with_a_recipe() {
        let dir = tempfile::tempdir().unwrap();
        let load = |text: &str| {
            let file = dir.path().join("r.toml");
            std::fs::write(&file, text).unwrap();
            Recipe::load(&file.to_string_lossy(), None).and_then(|r| r.check()).unwrap_err().to_string()
        };
        assert!(load("name = 5").contains("r.toml"));
        let sets = "name=\"x\"\ntask=\"answers\"\n[[set]]\nname=\"s\"\n[[variant]]\nname=\"v\"\n";
        assert!(load(sets).contains("corpus"));
        assert!(load(&format!("{sets}[[variant]]\nname=\"v\"")).contains("two variants"));
        assert!(Recipe::load("no-such", None).unwrap_err().to_string().contains("no-such"));
    }
}

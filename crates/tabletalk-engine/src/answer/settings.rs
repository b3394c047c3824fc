//! How questions are answered, as it stands in a configuration file.

use super::Mode;
use crate::clarify;
use crate::filter::{Nearest, Sampling};
use crate::recall::Similarity;
use crate::recall::strategy::Strategies;
use serde::{Deserialize, Serialize};

/// How a table is narrowed down before a model sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Narrow {
    /// It is not.
    #[default]
    None,
    /// To the rows and columns whose vectors are nearest to the question.
    Meaning,
    /// The same by late interaction.
    Late,
    /// By a program that the model writes.
    Model,
}

/// What of a table is explained to a model at the time of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Explain {
    /// Nothing.
    #[default]
    None,
    /// The terms and abbreviations that the question touches.
    Terms,
    /// What the table is for.
    Summary,
    /// Both.
    Both,
}

/// When the built-in parser of questions is asked, where there is a model too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BuiltIn {
    /// Before the model, which is asked only what the parser is not sure of.
    First,
    /// When the model came to no answer.
    #[default]
    Last,
    /// Never.
    Never,
}

/// What of a table is looked up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LookUp {
    /// Columns and cells.
    #[default]
    Both,
    /// Columns.
    Schema,
    /// Cells.
    Cell,
}

impl LookUp {
    /// Whether the nodes of a group are looked up.
    pub(super) fn takes(self, group: &str) -> bool {
        match self {
            LookUp::Both => true,
            LookUp::Schema => group == "schema",
            LookUp::Cell => group == "cell",
        }
    }
}

/// How questions are answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What a model sees.
    pub mode: Mode,
    /// Tables that a question may be about.
    pub tables: usize,
    /// Passages that are shown.
    pub passages: usize,
    /// The group they come from: a text group, or a tree of summaries over one.
    pub passage_group: String,
    /// How a tree of summaries is searched for them: as `[raptor]` says.
    #[serde(skip)]
    pub traversal: crate::raptor::Traversal,
    /// Nodes kept in each layer of a tree that is searched from its roots: as `[raptor]` says.
    #[serde(skip)]
    pub branches: usize,
    /// Columns and cells that are looked up for each guess of a column or value.
    pub top_k: usize,
    /// How columns and cells are compared with guesses of them: `bm25`, `cosine` or `hybrid`.
    pub look_up: Similarity,
    /// What is looked up in the mode `table-rag`: `both`, or only the `schema` or the `cell` values.
    pub look_up_in: LookUp,
    /// Whether a question is expanded into likely columns.
    pub expand_columns: bool,
    /// Whether a question is expanded into likely values.
    pub expand_values: bool,
    /// How tables and passages are compared with the question, where it differs from `search`.
    pub similarity: Option<Similarity>,
    /// How searches compare: as `[search]` says.
    #[serde(skip)]
    pub searched: Similarity,
    /// Strategies by which tables and passages are found layer by layer, by name: each for what its group holds.
    pub strategy: Vec<String>,
    /// The strategies there are: as `[strategy]` says.
    #[serde(skip)]
    pub strategies: Strategies,
    /// Rerankers that tables and passages go through.
    pub rerank: Vec<String>,
    /// How much the best table is preferred to those found after it.
    pub sharpness: f32,
    /// Whether rows and columns are also found by the models inside the program, for questions in other words than
    /// the table has.
    pub locate: bool,
    /// Without a model: answers under this probability are not given.
    pub sure: f32,
    /// Without a model: answers cut out of passages under this probability are not given.
    pub sure_text: f32,
    /// Without a model: verdicts on statements under this probability are not given.
    pub sure_verdict: f32,
    /// Without a model: two readings whose probabilities are this near are both shown, and asked about.
    pub near: f32,
    /// When the built-in parser of questions is asked, where there is a model: `first`, `last` or `never`.
    pub built_in: BuiltIn,
    /// The most steps of a model: think, run a program, look.
    pub steps: usize,
    /// How often a model is asked; the most frequent answer is given.
    pub samples: usize,
    /// The variety of samples, when there are several.
    pub temperature: f32,
    /// The most tokens of one reply.
    pub reply_tokens: u32,
    /// The most tokens that tables and passages may take in a prompt.
    pub prompt_tokens: usize,
    /// Rows that are shown in the mode `row-sampling`.
    pub sample_rows: usize,
    /// What of a table is explained to a model: `none`, `terms`, `summary` or `both`.
    pub clarify: Explain,
    /// How long explanations are, and what they are made from.
    pub clarifying: clarify::Settings,
    /// How a table is narrowed down before a model sees it: `none`, `meaning`, `late` or `model`.
    pub filter: Narrow,
    /// How filter programs are asked for.
    pub sampling: Sampling,
    /// What is kept in the mode `row-column`, and by the filter `meaning`.
    pub nearest: Nearest,
    /// How tables are written in prompts.
    pub format: crate::format::Format,
}

impl Settings {
    /// How tables and passages are compared with the question.
    pub fn compared(&self) -> &Similarity {
        self.similarity.as_ref().unwrap_or(&self.searched)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mode: Mode::Hybrid,
            tables: 5,
            passages: 4,
            passage_group: "medium".into(),
            traversal: Default::default(),
            branches: 5,
            top_k: 5,
            // The figures of the mode `table-rag` were measured with it.
            look_up: Similarity::Bm25,
            look_up_in: LookUp::Both,
            expand_columns: true,
            expand_values: true,
            similarity: None,
            searched: Similarity::default(),
            strategy: Vec::new(),
            strategies: Strategies::default(),
            rerank: Vec::new(),
            // Found on statements and questions over 16,573 and 4,932 tables: with less, most right answers were kept back.
            sharpness: 80.0,
            locate: true,
            sure: tabletalk_question::SURE,
            // Of the answers to held-out questions over passages with more, three of four are right, and hardly one is about another text.
            sure_text: 0.75,
            // Of everyday statements judged with less, every second verdict was wrong (`tabletalk eval everyday`).
            sure_verdict: 0.8,
            near: 0.1,
            built_in: BuiltIn::Last,
            steps: 5,
            samples: 1,
            temperature: 0.7,
            reply_tokens: 400,
            prompt_tokens: 3000,
            sample_rows: 10,
            clarify: Explain::None,
            clarifying: clarify::Settings::default(),
            filter: Narrow::None,
            sampling: Sampling::default(),
            nearest: Nearest::default(),
            format: Default::default(),
        }
    }
}

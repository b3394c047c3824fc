//! What can be typed after `eval`.

use clap::Subcommand;
use std::path::PathBuf;
use tabletalk::{Mode, Similarity};
use tabletalk_eval::generate::Form;

#[derive(Debug, clap::Args)]
pub struct Eval {
    #[command(subcommand)]
    pub what: EvalWhat,
}

#[derive(Debug, Subcommand)]
pub enum EvalWhat {
    /// How well the right tables and texts are found
    #[command(
        after_help = "Examples:\n  tabletalk eval retrieval --corpus tables.jsonl.zst --queries val.jsonl -k 1,10,50\n  tabletalk eval retrieval --queries own.jsonl          # in the library that is here"
    )]
    Retrieval(Retrieval),
    /// How often answers are right
    #[command(
        after_help = "Example:\n  tabletalk eval answers --corpus tables.jsonl.zst --queries train.jsonl.zst --given-table --sample 1000"
    )]
    Answers(Answers),
    /// Everyday questions about single files: how many are answered rightly, not at all, wrongly
    #[command(
        after_help = "Example:\n  tabletalk eval everyday crates/tabletalk/tests/everyday\n\nThe folder has files/, questions.jsonl ({\"id\", \"file\", \"question\", \"answers\"}; no answers where silence is right) and statements.jsonl ({\"id\", \"file\", \"statement\", \"verdict\"})."
    )]
    Everyday(EverydayArgs),
    /// Compare two runs, or two variants of a run, question by question
    #[command(
        after_help = "Examples:\n  tabletalk eval compare control-3f2a91c0 control-77b0e1d2\n  tabletalk eval compare control-3f2a91c0 --variants baseline,self-consistency"
    )]
    Compare(Compare),
    /// Make questions with known answers from the tables of the library
    #[command(
        after_help = "Examples:\n  tabletalk eval generate --to questions.jsonl\n  tabletalk eval generate --each 12 --form sum --form join --paraphrase --to questions.jsonl\n\nRead the file and correct it, then: tabletalk eval answers --corpus FILES --queries questions.jsonl"
    )]
    Generate(Generate),
}

#[derive(Debug, clap::Args)]
pub struct Compare {
    /// The run before
    pub before: PathBuf,
    /// The run after; without it, variants of one run are compared
    pub after: Option<PathBuf>,
    /// Two variants, or with two runs the variants that are compared
    #[arg(long, value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Only these figures
    #[arg(long, value_delimiter = ',')]
    pub metrics: Vec<String>,
    /// The folder with the runs [default: evaluations, or as configured]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Generate {
    /// The file for the questions
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Questions of each table
    #[arg(long, default_value_t = 6)]
    pub each: usize,
    /// Only questions of this form: look-up, count, sum, comparison, superlative or join
    #[arg(long = "form")]
    pub forms: Vec<Form>,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Let the language model say each question in other words too
    #[arg(long)]
    pub paraphrase: bool,
    /// Write over the file when it is there
    #[arg(long)]
    pub force: bool,
    /// Add these files first, into a library of their own that is kept for the next time
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Answers {
    /// Files that make up the library
    #[arg(long, required = true, num_args = 1..)]
    pub corpus: Vec<PathBuf>,
    /// Questions, one JSON object a line: `{"question":…,"relevant":[ids],"answers":[…]}`, or statements with a `label`
    #[arg(long, required = true, num_args = 1..)]
    pub queries: Vec<PathBuf>,
    /// Ask each question of its first relevant table alone
    #[arg(long)]
    pub given_table: bool,
    /// What a language model sees
    #[arg(long)]
    pub mode: Option<Mode>,
    /// Measure every mode side by side
    #[arg(long, conflicts_with = "mode")]
    pub compare: bool,
    /// Use the built-in question parser even when a language model is configured
    #[arg(long)]
    pub no_model: bool,
    /// The most questions, taken evenly from the file
    #[arg(long)]
    pub sample: Option<usize>,
    /// Write what was answered to each question to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Keep the library that is made of the corpus in this folder, and use it again
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Retrieval {
    /// Files that make up the library; without them the library of the configuration is measured as it is
    #[arg(long, num_args = 1..)]
    pub corpus: Vec<PathBuf>,
    /// Queries, one JSON object a line: `{"question":…,"relevant":[ids]}`
    #[arg(long, required = true, num_args = 1..)]
    pub queries: Vec<PathBuf>,
    /// Ranks to measure at
    #[arg(short = 'k', value_delimiter = ',', default_values_t = [1, 5, 10, 100])]
    pub cuts: Vec<usize>,
    /// The group to search [default: table, or medium where there are no tables]
    #[arg(long)]
    pub group: Option<String>,
    /// How to compare: bm25, cosine, late, sparse or hybrid [default: hybrid, or as configured]
    #[arg(long, conflicts_with = "strategy")]
    pub similarity: Option<Similarity>,
    /// Search layer by layer, by the strategy of this name
    #[arg(long)]
    pub strategy: Option<String>,
    /// Send the hits through this reranker
    #[arg(long, value_name = "NAME")]
    pub rerank: Vec<String>,
    /// Measure words, vectors, both, reranking and layers side by side
    #[arg(long, conflicts_with_all = ["similarity", "strategy", "run"])]
    pub compare: bool,
    /// The most queries, taken evenly from the file
    #[arg(long)]
    pub sample: Option<usize>,
    /// Write what was found for each query to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Keep the library that is made of the corpus in this folder, and use it again
    #[arg(long, value_name = "DIR", requires = "corpus")]
    pub keep: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct EverydayArgs {
    /// The folder with the files and the questions
    pub folder: PathBuf,
    /// Print what came of each, not only of all
    #[arg(long)]
    pub each: bool,
}

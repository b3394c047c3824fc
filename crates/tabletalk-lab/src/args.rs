//! What can be typed.

mod bench;

pub use bench::{Bench, BenchDense, BenchEmbed, BenchGrowth, BenchRun, BenchSql, BenchStore, BenchWhat};

use crate::layout::Layout;
use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use tabletalk::cli::args::Global;

/// Measures tabletalk: speed beside peers, experiments, public sets. Every other command is that of tabletalk.
#[derive(Debug, Parser)]
#[command(name = "tabletalk-lab", version, propagate_version = true, max_term_width = 100)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Speed and memory, beside peers
    Bench(Bench),
    /// Run an experiment: variants of the configuration on sets of questions
    #[command(
        after_help = "Examples:\n  tabletalk-lab run control --data DIR\n  tabletalk-lab run my.toml --sample 50\n  tabletalk-lab run retrievers --corpus tables.jsonl --queries questions.jsonl\n\nA run that was stopped goes on when the same command is given again. `tabletalk-lab recipes` lists the recipes that come with the program, `tabletalk-lab recipe NAME` prints one."
    )]
    Run(RunArgs),
    /// List the recipes that come with the program
    Recipes,
    /// Print a recipe that comes with the program
    Recipe {
        /// Its name
        name: String,
    },
    /// List runs
    Runs {
        /// The folder with the runs [default: evaluations, or as configured]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print what came of a run
    #[command(
        after_help = "Examples:\n  tabletalk-lab report evaluations/control-3f2a91c0\n  tabletalk-lab report control-3f2a91c0 --format html --to report.html"
    )]
    Report(Report),
    /// Fail when a run is worse than one that is held to be good
    #[command(
        after_help = "Example, for continuous integration:\n  tabletalk-lab gate control-3f2a91c0 --baseline baseline.json --max-drop 1.0\n\nThe baseline is the run.json of an earlier run. Ends with 1 when a figure fell by more than is allowed."
    )]
    Gate(Gate),
    /// Convert a public set from its own layout to the plain format
    #[command(
        after_help = "Example:\n  tabletalk-lab convert wikitablequestions WikiTableQuestions --split training --to wtq"
    )]
    Convert(Convert),
    /// How often the answer stands in what is found within a budget: passages alone, or a tree of summaries
    #[command(
        after_help = "Example:\n  tabletalk-lab context --corpus passages.jsonl --queries queries.jsonl --tokens 500,1000,2000"
    )]
    Context(ContextArgs),
    /// Say of answers on standard input whether they are right, by the rules of WikiTableQuestions
    #[command(
        after_help = "Reads lines such as {\"targets\":[\"5\"],\"given\":[\"5.0\"]} and prints {\"denoted\":true} for each."
    )]
    Judge,
    /// Check the figures themselves: right answers must score all there is, those of other questions next to nothing
    #[command(after_help = "Example:\n  tabletalk-lab oracle --queries train.jsonl.zst")]
    Oracle {
        /// Questions with `answers`
        #[arg(long, required = true, num_args = 1..)]
        queries: Vec<PathBuf>,
    },
    /// Whatever else `tabletalk` does
    #[command(external_subcommand)]
    #[allow(dead_code, reason = "the product reads what was typed by itself")]
    Product(Vec<OsString>),
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// A recipe that comes with the program, or a file
    pub recipe: String,
    /// The folder that the files of the recipe are looked for in [default: that of the recipe]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The folder for runs [default: evaluations, or as configured]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Only these sets
    #[arg(long, value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Only these variants; the first of them is what the others are compared with
    #[arg(long, value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Files of a set of one's own, in the place of the recipe's sets
    #[arg(long, num_args = 1.., requires = "queries")]
    pub corpus: Vec<PathBuf>,
    /// Questions of that set
    #[arg(long, num_args = 1.., requires = "corpus")]
    pub queries: Vec<PathBuf>,
    /// Ask each question of that set of its first relevant table alone
    #[arg(long, requires = "queries")]
    pub given_table: bool,
    /// Questions of each set
    #[arg(long)]
    pub sample: Option<usize>,
    /// The seed they are drawn with
    #[arg(long)]
    pub seed: Option<u64>,
    /// Leave out the language model even when one is configured
    #[arg(long)]
    pub no_model: bool,
}

#[derive(Debug, clap::Args)]
pub struct Report {
    /// The folder of a run, its name, or its run.json
    pub run: PathBuf,
    /// How it is written
    #[arg(long, value_enum, default_value_t = RunFormat::Table)]
    pub format: RunFormat,
    /// Write to this file
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    /// The folder with the runs [default: evaluations, or as configured]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// How a run is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For a terminal.
    Table,
    /// All of it.
    Json,
    /// A line a figure.
    Csv,
    /// A page with plots.
    Html,
}

#[derive(Debug, clap::Args)]
pub struct Gate {
    /// The run that is judged
    pub run: PathBuf,
    /// The run.json of a run that is held to be good
    #[arg(long, value_name = "FILE")]
    pub baseline: PathBuf,
    /// The drop that is allowed, in points of a hundred
    #[arg(long, default_value_t = 1.0)]
    pub max_drop: f64,
    /// The figures that count [default: accuracy, recall@10, mrr and citation, where they are]
    #[arg(long, value_delimiter = ',')]
    pub metrics: Vec<String>,
    /// The folder with the runs [default: evaluations, or as configured]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Convert {
    /// The layout: tabfact, wikitablequestions, sqa, hybridqa, ottqa, feverous or wikisql
    pub layout: Layout,
    /// The folder of the set as it was published
    pub dir: PathBuf,
    /// The split
    #[arg(long, default_value = "dev")]
    pub split: String,
    /// The folder for tables.jsonl, passages.jsonl and queries.jsonl
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
}

#[derive(Debug, clap::Args)]
pub struct ContextArgs {
    /// Files that make up the library
    #[arg(long, required = true, num_args = 1..)]
    pub corpus: Vec<PathBuf>,
    /// Questions, one JSON object a line: `{"question":…,"answers":[…],"relevant":[ids]}`
    #[arg(long, required = true, num_args = 1..)]
    pub queries: Vec<PathBuf>,
    /// Budgets in tokens
    #[arg(long, value_delimiter = ',', default_values_t = [500, 1000, 2000])]
    pub tokens: Vec<usize>,
    /// Nodes kept in each layer when a tree is searched from its roots
    #[arg(long, default_value_t = 5)]
    pub branches: usize,
    /// Build a tree for each document instead of one over all
    #[arg(long)]
    pub by_document: bool,
    /// Change the tree that the library has instead of building it anew
    #[arg(long)]
    pub incremental: bool,
    /// Measure summaries of sentences only, even when a language model is configured
    #[arg(long)]
    pub no_model: bool,
    /// The most questions, taken evenly from the file
    #[arg(long)]
    pub sample: Option<usize>,
    /// Keep the library that is made of the corpus in this folder, and use it again
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

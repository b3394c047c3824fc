//! What can be typed after `eval`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;
use tabletalk::{Mode, Similarity};
use tabletalk_eval::generate::Form;
use tabletalk_eval::layout::Layout;

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
    /// How often the answer stands in what is found within a budget: passages alone, or a tree of summaries
    #[command(
        after_help = "Example:\n  tabletalk eval context --corpus passages.jsonl --queries queries.jsonl --tokens 500,1000,2000"
    )]
    Context(ContextArgs),
    /// Everyday questions about single files: how many are answered rightly, not at all, wrongly
    #[command(
        after_help = "Example:\n  tabletalk eval everyday crates/tabletalk/tests/everyday\n\nThe folder has files/, questions.jsonl ({\"id\", \"file\", \"question\", \"answers\"}; no answers where silence is right) and statements.jsonl ({\"id\", \"file\", \"statement\", \"verdict\"})."
    )]
    Everyday(EverydayArgs),
    /// Run an experiment: variants of the configuration on sets of questions
    #[command(
        after_help = "Examples:\n  tabletalk eval run control --data DIR\n  tabletalk eval run my.toml --sample 50\n  tabletalk eval run retrievers --corpus tables.jsonl --queries questions.jsonl\n\nA run that was stopped goes on when the same command is given again. `tabletalk eval recipes` lists the recipes that come with the program, `tabletalk eval recipe NAME` prints one."
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
        after_help = "Examples:\n  tabletalk eval report evaluations/control-3f2a91c0\n  tabletalk eval report control-3f2a91c0 --format html --to report.html"
    )]
    Report(Report),
    /// Compare two runs, or two variants of a run, question by question
    #[command(
        after_help = "Examples:\n  tabletalk eval compare control-3f2a91c0 control-77b0e1d2\n  tabletalk eval compare control-3f2a91c0 --variants baseline,self-consistency"
    )]
    Compare(Compare),
    /// Fail when a run is worse than one that is held to be good
    #[command(
        after_help = "Example, for continuous integration:\n  tabletalk eval gate control-3f2a91c0 --baseline baseline.json --max-drop 1.0\n\nThe baseline is the run.json of an earlier run. Ends with 1 when a figure fell by more than is allowed."
    )]
    Gate(Gate),
    /// Convert a public set from its own layout to the plain format
    #[command(
        after_help = "Example:\n  tabletalk eval convert wikitablequestions WikiTableQuestions --split training --to wtq"
    )]
    Convert(Convert),
    /// Make questions with known answers from the tables of the library
    #[command(
        after_help = "Examples:\n  tabletalk eval generate --to questions.jsonl\n  tabletalk eval generate --each 12 --form sum --form join --paraphrase --to questions.jsonl\n\nRead the file and correct it, then: tabletalk eval answers --corpus FILES --queries questions.jsonl"
    )]
    Generate(Generate),
    /// Say of answers on standard input whether they are right, by the rules of WikiTableQuestions
    #[command(
        after_help = "Reads lines such as {\"targets\":[\"5\"],\"given\":[\"5.0\"]} and prints {\"denoted\":true} for each."
    )]
    Judge,
    /// Check the figures themselves: right answers must score all there is, those of other questions next to nothing
    #[command(after_help = "Example:\n  tabletalk eval oracle --queries train.jsonl.zst")]
    Oracle {
        /// Questions with `answers`
        #[arg(long, required = true, num_args = 1..)]
        queries: Vec<PathBuf>,
    },
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

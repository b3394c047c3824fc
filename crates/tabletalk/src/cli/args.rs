//! What can be typed.

mod eval;

pub use eval::{Answers, Compare, Eval, EvalWhat, EverydayArgs, Generate, Retrieval};

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use tabletalk::{AskRequest, SearchRequest};

/// Ask questions over piles of tables and documents, cited to the cell.
#[derive(Debug, Parser)]
#[command(name = "tabletalk", version, propagate_version = true, max_term_width = 100)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, clap::Args)]
pub struct Global {
    /// The library [default: `.tabletalk` here or above]
    #[arg(long, global = true, value_name = "DIR", env = "TABLETALK_LIBRARY")]
    pub library: Option<PathBuf>,
    /// The configuration [default: `tabletalk.toml` here or above]
    #[arg(long, global = true, value_name = "FILE", env = "TABLETALK_CONFIG")]
    pub config: Option<PathBuf>,
    /// Print one JSON document on standard output and nothing else
    #[arg(long, global = true)]
    pub json: bool,
    /// Say only what was asked for
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add files and folders
    #[command(
        after_help = "Examples:\n  tabletalk add examples\n  tabletalk add examples/sales.xlsx examples/staff.tsv\n  tabletalk add examples --include '*.csv' --exclude 'old/**' --no-embed"
    )]
    Add(Add),
    /// Add files and folders, and forget what is gone from them
    Sync(Sync),
    /// Find tables, columns, rows, cells and text
    #[command(
        after_help = "Examples:\n  tabletalk search 'revenue by region 2023'\n  tabletalk search --group cell '82.1k'\n  tabletalk search --group row 'PostNord Rotterdam' -k 3\n  tabletalk search --group sentence --target coarse 'late deliveries'\n  tabletalk search '\"site manager\"' 'ship*' 'custmer~'\n  tabletalk search --from examples 'units shipped from Rotterdam'\n  tabletalk search 'how well did we sell' --strategy table --explain"
    )]
    Search(Box<Search>),
    /// Answer a question, with the cells the answer rests on
    #[command(
        after_help = "Examples:\n  tabletalk ask 'what is the average salary of site managers?'\n  tabletalk ask --from examples 'what is the total quantity in stock?'\n  tabletalk ask 'total freight by carrier' --chart\n  tabletalk ask 'total freight by carrier' --chart=freight.svg\n  tabletalk ask 'how many people work in Rotterdam?' --table staff --explain\n  tabletalk ask 'how many people work in Rotterdam?' --conversation new"
    )]
    Ask(Ask),
    /// Say whether a statement is supported or refuted
    #[command(after_help = "Example:\n  tabletalk verify 'Suzhou has more staff than Rotterdam'")]
    Verify(Ask),
    /// Run a read-only SQL statement over the tables
    #[command(
        after_help = "Examples:\n  tabletalk sql 'SELECT count(*) FROM shipments'\n  tabletalk sql 'SELECT w.city, sum(s.quantity) FROM \"inventory.stock\" s JOIN \"inventory.warehouses\" w ON s.warehouse = w.code GROUP BY 1'\n\n`tabletalk tables` lists the tables and their columns."
    )]
    Sql(Sql),
    /// Find language models on this machine and by API keys, try one, and use it
    #[command(
        after_help = "Examples:\n  tabletalk model\n  tabletalk model qwen2.5:7b\n  tabletalk model 3\n  tabletalk model my-model --url http://192.168.1.5:8000/v1\n  tabletalk model --none\n\nOllama, llama.cpp, LM Studio and vLLM are looked for on this machine; keys in OPENAI_API_KEY, ANTHROPIC_API_KEY,\nGEMINI_API_KEY, DEEPSEEK_API_KEY and DASHSCOPE_API_KEY. See docs/use/models.md."
    )]
    Model(Model),
    /// List conversations, or print one as a report
    #[command(
        after_help = "Examples:\n  tabletalk conversations\n  tabletalk conversations 3f2a9c01 > report.md\n  tabletalk conversations 3f2a9c01 --format html > report.html\n  tabletalk conversations 3f2a9c01 --rename 'Freight 2024'"
    )]
    Conversations(Conversations),
    /// List what was said of answers on the page: right or wrong
    Feedback {
        /// How it is written
        #[arg(long, short, value_enum, default_value = "table")]
        format: Rows,
    },
    /// Show a document, a table or a node
    #[command(
        after_help = "Examples:\n  tabletalk show sales.xlsx\n  tabletalk show staff --format csv\n  tabletalk show sales.xlsx --format json\n  tabletalk show warranty.pdf --page 1\n  tabletalk show warranty.pdf --page 1 --format png --out page1.png"
    )]
    Show(Show),
    /// List documents
    Docs(Page),
    /// List tables, or how they are related
    #[command(
        after_help = "Examples:\n  tabletalk tables\n  tabletalk tables sales\n  tabletalk tables --relations"
    )]
    Tables(Tables),
    /// Say which column names the rows of another table
    #[command(
        after_help = "Examples:\n  tabletalk relate shipments.sku inventory.products.sku\n  tabletalk relate shipments.sku --none\n  tabletalk relate shipments.sku --found\n\n`tabletalk tables --relations` lists what was found in the values of columns."
    )]
    Relate(Relate),
    /// List node groups
    Groups,
    /// Embed what has no vectors yet
    Embed,
    /// Let the language model say of every table what it is for, and index that
    Clarify,
    /// Let the language model make the nodes of groups: summary, keywords, questions, or one of your own
    #[command(after_help = "Examples:\n  tabletalk make questions\n  tabletalk make summary keywords --yes")]
    Make(Make),
    /// A tree of summaries over the library or over each document
    #[command(
        after_help = "Examples:\n  tabletalk raptor build\n  tabletalk raptor build --scope document --no-model\n  tabletalk raptor show --depth 2\n  tabletalk raptor stats\n  tabletalk search --group raptor 'what are the reports about?' --tokens 2000\n  tabletalk ask --passages raptor 'what are the reports about?'"
    )]
    Raptor(Raptor),
    /// Forget documents
    Forget {
        /// Ids or names
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Look for damage
    Doctor {
        /// Mend what can be made again
        #[arg(long)]
        repair: bool,
    },
    /// Serve the page, the API, OpenAI-shaped endpoints and MCP
    #[command(
        after_help = "Examples:\n  tabletalk serve\n  tabletalk serve --listen 127.0.0.1:8080 --library sales/.tabletalk\n  tabletalk key add team --role write && tabletalk serve --listen 0.0.0.0:7700\n\nOpen the page in a browser; /openapi.json describes the API. See docs/use/server.md."
    )]
    Serve(Serve),
    /// Serve the library to a language model over standard input (Model Context Protocol)
    Mcp,
    /// API keys of the server
    #[command(
        after_help = "Examples:\n  tabletalk key add team --role write\n  tabletalk key add dashboard --role read --for sales\n  tabletalk key list\n  tabletalk key remove team"
    )]
    Key(Key),
    /// Write the whole library to one file, also while it is served
    Backup {
        /// The file, or `-` for standard output
        file: PathBuf,
    },
    /// Make a library from a backup
    Restore {
        /// The file
        file: PathBuf,
    },
    /// Copy the library to other stores, without reading or embedding anything again
    #[command(
        after_help = "Examples:\n  tabletalk migrate --to team.toml --into /srv/tabletalk\n\nA move that was stopped goes on when the same command is given again. It ends with a comparison of everything."
    )]
    Migrate {
        /// The configuration of the library that it is copied to
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// The folder of that library [default: `.tabletalk` beside the configuration]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Measure how good results are
    Eval(Eval),
    /// Print the configuration in force
    Config,
}

#[derive(Debug, clap::Args)]
pub struct Add {
    /// Files, folders, and databases as postgres://user@host/database
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Take only files that match this pattern
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Leave out files that match this pattern
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Give the documents a field
    #[arg(long = "field", value_name = "NAME=VALUE")]
    pub fields: Vec<String>,
    /// Do not embed now; `tabletalk embed` does it later
    #[arg(long)]
    pub no_embed: bool,
    /// Then build the tree of summaries, or bring it up to date; `raptor.use_raptor` in the configuration does so always
    #[arg(long, conflicts_with = "no_embed")]
    pub use_raptor: bool,
}

#[derive(Debug, clap::Args)]
pub struct Sync {
    #[command(flatten)]
    pub add: Add,
    /// Forget what is gone even when a folder is empty now, or more than half of its files are gone
    #[arg(long)]
    pub yes: bool,
}

/// A number under a name: `k1=1.5`.
#[derive(Debug, Clone)]
pub struct KeyNumber {
    pub key: String,
    pub number: f32,
}

impl std::str::FromStr for KeyNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, number) = text.split_once('=').ok_or_else(|| format!("`{text}`: write KEY=NUMBER"))?;
        let number = number.trim().parse().map_err(|_| format!("`{number}` is not a number"))?;
        Ok(KeyNumber { key: key.trim().to_owned(), number })
    }
}

/// A score under which hits are dropped, or vectors under an embed key: `0.5`, `en=0.5`.
#[derive(Debug, Clone)]
pub enum CutOff {
    All(f32),
    Key(KeyNumber),
}

impl std::str::FromStr for CutOff {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.contains('=') {
            true => text.parse().map(CutOff::Key),
            false => text.parse().map(CutOff::All).map_err(|_| format!("`{text}` is not a number")),
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct Search {
    /// What to look for
    #[arg(required = true)]
    pub query: Vec<String>,
    /// Add these files first, into a library of their own that is kept for the next time
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    /// Search this library too; may be given several times. Hits of all are merged, and then reranked
    #[arg(long = "also", value_name = "DIR")]
    pub also: Vec<PathBuf>,
    #[command(flatten)]
    pub request: SearchRequest,
    /// A parameter of BM25 for this search: k1, b, title, name, text, values, whole or coverage
    #[arg(long = "similarity-kw", value_name = "KEY=NUMBER", conflicts_with = "strategy")]
    pub similarity_kw: Vec<KeyNumber>,
    /// Drop hits under this score; with an embed key, vectors under that key
    #[arg(long = "cut-off", value_name = "[KEY=]SCORE")]
    pub cut_offs: Vec<CutOff>,
    /// Say what gave each hit its score
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, clap::Args)]
pub struct Ask {
    /// The question or statement
    #[arg(required = true)]
    pub question: Vec<String>,
    /// Add these files first, into a library of their own that is kept for the next time
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub request: AskRequest,
    /// Draw the result as a chart; with a name such as --chart=out.svg, into a file
    #[arg(long, value_name = "FILE.svg", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub chart: Option<PathBuf>,
    /// Draw it as bar or line [default: what fits the columns]
    #[arg(long, value_name = "SHAPE", requires = "chart")]
    pub shape: Option<tabletalk::chart::Shape>,
    /// Say what was done, step by step
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, clap::Args)]
pub struct Conversations {
    /// The conversation to print as a report; without one all are listed
    pub id: Option<String>,
    /// How the report is written
    #[arg(long, short, value_enum, default_value = "md", requires = "id")]
    pub format: Report,
    /// Call the conversation this
    #[arg(long, value_name = "TITLE", requires = "id")]
    pub rename: Option<String>,
    /// Forget the conversation
    #[arg(long, requires = "id", conflicts_with = "rename")]
    pub forget: bool,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// Markdown.
    Md,
    /// HTML, with charts.
    Html,
}

#[derive(Debug, clap::Args)]
pub struct Model {
    /// The model to use: its name, or its number in the list
    #[arg(conflicts_with = "none")]
    pub model: Option<String>,
    /// The address of a server with OpenAI's interface that has it
    #[arg(long, requires = "model", value_name = "URL")]
    pub url: Option<String>,
    /// The environment variable that holds the key for that address
    #[arg(long, requires = "url", value_name = "NAME")]
    pub key_env: Option<String>,
    /// Use no language model any more
    #[arg(long)]
    pub none: bool,
}

#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Address and port; port 0 for a free one [default: 127.0.0.1:7700, or as configured]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Key {
    #[command(subcommand)]
    pub what: KeyWhat,
}

#[derive(Debug, Subcommand)]
pub enum KeyWhat {
    /// Make a key; it is printed once and kept as a hash
    Add {
        /// What to call it
        name: String,
        /// What it may do: read, write or admin
        #[arg(long, default_value = "read")]
        role: tabletalk_server::key::Role,
        /// Only this library; may be given several times
        #[arg(long = "for", value_name = "LIBRARY")]
        libraries: Vec<String>,
    },
    /// List keys
    List,
    /// Take a key away
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub struct Make {
    /// The groups; `tabletalk groups` lists them
    #[arg(required = true)]
    pub groups: Vec<String>,
    /// Do not ask before a long run
    #[arg(long, short)]
    pub yes: bool,
}

#[derive(Debug, clap::Args)]
pub struct Raptor {
    #[command(subcommand)]
    pub what: RaptorWhat,
}

#[derive(Debug, Subcommand)]
pub enum RaptorWhat {
    /// Build the tree, or bring it up to date with what was added, changed or forgotten
    Build {
        /// The group of the tree
        #[arg(long, short, default_value = "raptor")]
        group: String,
        /// One tree over the library, or one for each document [default: library, or as configured]
        #[arg(long, value_enum)]
        scope: Option<Scope>,
        /// Begin anew instead of changing only what is above changed documents
        #[arg(long)]
        rebuild: bool,
        /// Take sentences instead of asking the language model
        #[arg(long)]
        no_model: bool,
        /// Do not ask before a long run
        #[arg(long, short)]
        yes: bool,
    },
    /// Print the tree
    Show {
        /// Only what is below this node
        id: Option<String>,
        /// The group of the tree
        #[arg(long, short, default_value = "raptor")]
        group: String,
        /// The most layers to print; 0 for all
        #[arg(long, short, default_value_t = 0)]
        depth: u32,
        /// Print leaves too
        #[arg(long)]
        leaves: bool,
    },
    /// How many layers, summaries and leaves there are
    Stats {
        /// The group of the tree
        #[arg(long, short, default_value = "raptor")]
        group: String,
    },
}

/// What one tree is made over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// All documents.
    Library,
    /// Each document alone.
    Document,
}

#[derive(Debug, clap::Args)]
pub struct Sql {
    /// The statement
    pub statement: String,
    /// Add these files first, into a library of their own that is kept for the next time
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    /// How to show the rows
    #[arg(long, short, value_enum)]
    pub format: Option<Rows>,
    /// The most rows of the table that is shown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub rows: usize,
    /// With --json: list the numbers of the rows that the result rests on
    #[arg(long)]
    pub used: bool,
    /// Say what ran where, and how many rows came over the wire
    #[arg(long)]
    pub explain: bool,
}

/// How rows are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rows {
    /// A table for the terminal.
    Table,
    /// CSV.
    Csv,
    /// JSON.
    Json,
}

/// How something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Markdown.
    Md,
    /// HTML.
    Html,
    /// JSON, with the place of every cell.
    Json,
    /// CSV.
    Csv,
    /// A picture of a page with what was found on it framed.
    Png,
}

#[derive(Debug, clap::Args)]
pub struct Show {
    /// The id or name of a document, a table or a node
    pub id: String,
    /// How to show it
    #[arg(long, short, value_enum, default_value = "md")]
    pub format: Format,
    /// The most rows of a table; 0 for all
    #[arg(long, default_value_t = 50)]
    pub rows: usize,
    /// Only what stands on this page or slide, counted from 1
    #[arg(long)]
    pub page: Option<u32>,
    /// The file to write a picture to
    #[arg(long, short)]
    pub out: Option<std::path::PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Tables {
    #[command(flatten)]
    pub page: Page,
    /// List the columns that name rows of other tables
    #[arg(long)]
    pub relations: bool,
}

#[derive(Debug, clap::Args)]
pub struct Relate {
    /// The column that refers, as `table.column`
    pub column: String,
    /// The key of the rows it names, as `table.column`
    #[arg(required_unless_present_any = ["none", "found"])]
    pub key: Option<String>,
    /// It names no rows of any table
    #[arg(long, conflicts_with_all = ["key", "found"])]
    pub none: bool,
    /// What was found in its values counts again
    #[arg(long, conflicts_with = "key")]
    pub found: bool,
}

#[derive(Debug, clap::Args)]
pub struct Page {
    /// The most entries; 0 for all
    #[arg(short = 'n', long, default_value_t = 0)]
    pub limit: usize,
    /// Only those whose name contains this
    pub containing: Option<String>,
}

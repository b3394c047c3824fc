//! What can be typed after `bench`.

use clap::Subcommand;
use std::path::PathBuf;
use tabletalk::Similarity;

#[derive(Debug, clap::Args)]
pub struct Bench {
    #[command(subcommand)]
    pub what: BenchWhat,
}

#[derive(Debug, Subcommand)]
pub enum BenchWhat {
    /// What can be measured, beside what, and whether that is installed
    List {
        /// The Python with the peers, see scripts/peers/setup
        #[arg(long)]
        python: Option<PathBuf>,
    },
    /// Run workloads, each beside its peer, and write the results as JSON and as a page
    #[command(
        after_help = "Examples:\n  tabletalk-lab bench run --quick\n  tabletalk-lab bench run add-csv sql --out results\n\nWhat is missing is skipped, with a word on what to do. `tabletalk-lab bench list` names the workloads."
    )]
    Run(BenchRun),
    /// Time, memory, room on disk and searching against the number of rows and of tables
    Growth(BenchGrowth),
    /// Write a CSV file of this many rows and 12 columns
    Make {
        /// Where
        file: PathBuf,
        /// How many rows
        #[arg(long, default_value_t = 10_000_000)]
        rows: u64,
    },
    /// Adding a corpus of tables, beside the obvious Python way
    Tables {
        /// A JSON-lines file of tables
        corpus: PathBuf,
        /// The Python with the peers, see scripts/peers/setup
        #[arg(long)]
        python: Option<PathBuf>,
        /// Tables the peer is given; it is slow
        #[arg(long, default_value_t = 2000)]
        peer_tables: usize,
    },
    /// Searches a second inside the process, as something to measure the server against
    Search {
        /// Queries, one a line
        #[arg(long)]
        queries: PathBuf,
        /// Threads that search
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// How long
        #[arg(long, default_value_t = 10.0)]
        seconds: f64,
        /// How to compare
        #[arg(long, default_value = "bm25")]
        similarity: Similarity,
        /// How many hits
        #[arg(short = 'k', long, default_value_t = 10)]
        topk: usize,
    },
    /// Adding a large CSV file, beside a bare scan of it by the table engine, then searching it
    Csv {
        /// The file; made when it does not exist
        file: PathBuf,
        /// The Python with the peers, see scripts/peers/setup
        #[arg(long)]
        python: Option<PathBuf>,
        /// Queries to ask
        #[arg(long, default_value_t = 300)]
        queries: usize,
    },
    /// From the start of the program to the first hit, over a made file
    Start {
        /// Rows of the file
        #[arg(long, default_value_t = 200_000)]
        rows: u64,
    },
    /// Ten statements over a table of many rows, beside DuckDB over the same file
    Sql(BenchSql),
    /// Search by vectors: time, recall and memory, beside faiss and numpy
    Dense(BenchDense),
    /// Texts a second of an encoder; scripts/peers/embed_reference.py runs it beside onnxruntime
    Embed(BenchEmbed),
    /// Vectors in another engine: writing and searching them, beside the engine's own Python client
    #[command(
        after_help = "Example:\n  scripts/peers/setup stores\n  tabletalk-lab bench store qdrant $(scripts/stores/qdrant start) --vectors 1000000"
    )]
    Store(BenchStore),
}

#[derive(Debug, clap::Args)]
pub struct BenchRun {
    /// Workloads [default: all]
    pub names: Vec<String>,
    /// A folder with sets of tables, passages and documents [default: shared/data beside the source tree]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Where results go
    #[arg(long, value_name = "DIR", default_value = "bench")]
    pub out: PathBuf,
    /// Small sizes, for a first look
    #[arg(long)]
    pub quick: bool,
    /// Rows of made files, instead of as many as each workload usually has
    #[arg(long)]
    pub rows: Option<u64>,
    /// The Python with the peers, see scripts/peers/setup
    #[arg(long)]
    pub python: Option<PathBuf>,
    /// The most seconds that one workload may take
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub timeout_s: u64,
}

#[derive(Debug, clap::Args)]
pub struct BenchGrowth {
    /// Rows of one file
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000,1000000")]
    pub sizes: Vec<u64>,
    /// Numbers of small tables
    #[arg(long, value_delimiter = ',', default_value = "100,1000,10000,100000")]
    pub tables: Vec<u64>,
    /// Keep the made files in this folder
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Write the figures and a page to this folder too
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct BenchSql {
    /// Rows of the large table
    #[arg(long, default_value_t = 10_000_000)]
    pub rows: usize,
    /// How often each statement runs; the median counts
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// How often statements over twenty rows run
    #[arg(long, default_value_t = 300)]
    pub small: usize,
    /// The Python with the peers, see scripts/peers/setup
    #[arg(long)]
    pub python: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct BenchDense {
    /// How many vectors
    #[arg(long, default_value_t = 100_000)]
    pub vectors: usize,
    /// How many numbers each has
    #[arg(long, default_value_t = 384)]
    pub dim: usize,
    /// Links that a new vector gets
    #[arg(long)]
    pub connectivity: Option<usize>,
    /// Candidates for these links
    #[arg(long)]
    pub expansion_add: Option<usize>,
    /// Keep the graph in this folder, and search it without building it again when it is there
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// The Python with the peers, see scripts/peers/setup
    #[arg(long)]
    pub python: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct BenchEmbed {
    /// Texts, one a line
    pub texts: PathBuf,
    /// The encoder: bundled:NAME or a folder
    #[arg(long, default_value = "bundled:bge-small-en-v1.5")]
    pub model: String,
    /// Write the vectors to this file, as little-endian 32-bit floats
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Threads
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// Tokens of one batch
    #[arg(long)]
    pub batch_tokens: Option<usize>,
}

#[derive(Debug, clap::Args)]
pub struct BenchStore {
    /// The engine: qdrant or milvus
    pub engine: String,
    /// Where it is
    pub uri: String,
    /// How many vectors
    #[arg(long, default_value_t = 100_000)]
    pub vectors: usize,
    /// How many numbers each has
    #[arg(long, default_value_t = 384)]
    pub dim: usize,
    /// Vectors in one request
    #[arg(long, default_value_t = 1000)]
    pub batch: usize,
    /// Requests at once
    #[arg(long, default_value_t = 4)]
    pub connections: usize,
    /// Queries in one round
    #[arg(long, default_value_t = 500)]
    pub queries: usize,
    /// The Python with the engine's client, see scripts/peers/setup
    #[arg(long)]
    pub python: Option<PathBuf>,
}

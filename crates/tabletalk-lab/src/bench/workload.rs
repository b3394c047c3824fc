//! What is measured.

use super::measure;
use super::shared::Bench;
use serde_json::Value;
use tabletalk::Result;

/// One thing that is measured.
#[derive(Debug)]
pub struct Workload {
    pub name: &'static str,
    pub what: &'static str,
    pub unit: &'static str,
    /// Whether more of the unit is better.
    pub more: bool,
    /// What ours is compared with; empty where there is nothing.
    pub peer: &'static str,
    /// The Python modules of the peer.
    pub modules: &'static [&'static str],
    /// Files it needs under the folder of data; without those that are not needed it makes its own.
    pub data: &'static [&'static str],
    pub needs_data: bool,
    /// Programs it needs.
    pub tools: &'static [&'static str],
    /// Examples it needs, each with its package; they are built where cargo and the source are there.
    pub example: Option<(&'static str, &'static str)>,
    pub means: &'static str,
    pub wanted: Option<f64>,
    pub measure: fn(&Bench) -> Result<Measured>,
}

/// The figures of one workload.
#[derive(Default)]
pub struct Measured {
    pub ours: Option<f64>,
    pub peer: Option<f64>,
    /// Where it is not the usual peer.
    pub peer_name: Option<&'static str>,
    /// Where it is not the quotient of the two.
    pub ratio: Option<f64>,
    /// Why there is no peer.
    pub why: Option<String>,
    pub detail: Value,
}

const BARE: Workload = Workload {
    name: "",
    what: "",
    unit: "",
    more: true,
    peer: "",
    modules: &[],
    data: &[],
    needs_data: false,
    tools: &[],
    example: None,
    means: "",
    wanted: None,
    measure: measure::start,
};

pub(super) const TABLES: &str = "tabfact/tables.jsonl.zst";
pub(super) const QUERIES: &str = "tabfact/val.jsonl.zst";
pub(super) const PASSAGES: &str = "hotpot_small/passages.jsonl.zst";

/// All workloads, in the order in which they run.
pub static ALL: [Workload; 11] = [
    Workload {
        name: "start",
        what: "from the start of the program to the first hit of a search",
        unit: "ms",
        more: false,
        measure: measure::start,
        ..BARE
    },
    Workload {
        name: "add-tables",
        what: "adding a corpus of tables, with all groups and the keyword index",
        unit: "tables/s",
        peer: "pandas + rank_bm25",
        modules: &["pandas", "rank_bm25", "zstandard"],
        data: &[TABLES, QUERIES],
        means: "times the tables a second of the peer",
        measure: measure::add_tables,
        ..BARE
    },
    Workload {
        name: "add-csv",
        what: "adding a large CSV file, with the keyword index of its values",
        unit: "MiB/s",
        peer: "a bare scan by DataFusion",
        modules: &["datafusion", "pyarrow"],
        means: "times the bytes a second of a scan that keeps nothing; below 1 is expected",
        measure: measure::add_csv,
        ..BARE
    },
    Workload {
        name: "search",
        what: "searches by words for tables inside the process, on one thread",
        unit: "searches/s",
        peer: "bm25s",
        modules: &["bm25s", "Stemmer", "zstandard"],
        data: &[TABLES, QUERIES],
        means: "times the searches a second of the peer, which gives numbers of tables and no texts",
        measure: measure::search,
        ..BARE
    },
    Workload {
        name: "sql",
        what: "ten statements over one large table, the sum of their medians",
        unit: "ms",
        more: false,
        peer: "DuckDB",
        modules: &["duckdb"],
        means: "times as fast as the peer over the same file",
        measure: measure::sql,
        ..BARE
    },
    Workload {
        name: "embed",
        what: "short and long passages through the English encoder that is part of the program",
        unit: "texts/s",
        peer: "onnxruntime",
        modules: &["numpy", "onnx", "onnxruntime", "tokenizers", "zstandard"],
        data: &[PASSAGES],
        needs_data: true,
        means: "times the texts a second of the peer with its best size of batches",
        measure: measure::embed,
        ..BARE
    },
    Workload {
        name: "dense",
        what: "search by vectors in a graph, one query at a time, where recall at 10 is .95 or more",
        unit: "searches/s",
        peer: "faiss, HNSW",
        modules: &["numpy", "faiss"],
        means: "times the searches a second of the peer at the same recall",
        measure: measure::dense,
        ..BARE
    },
    Workload {
        name: "pdf",
        what: "text and tables of PDF files, on one thread",
        unit: "pages/s",
        peer: "pdfplumber",
        modules: &["pdfplumber", "pymupdf", "pypdfium2"],
        data: &["icdar2013", "fixtures"],
        needs_data: true,
        example: Some(("tabletalk-read", "dump_document")),
        means: "times the pages a second of the peer",
        measure: measure::pdf,
        ..BARE
    },
    Workload {
        name: "clusters",
        what: "fewer dimensions and mixtures of Gaussians over embeddings of passages, seconds by the clock",
        unit: "s",
        more: false,
        peer: "umap-learn + scikit-learn",
        modules: &["numpy", "onnxruntime", "sklearn", "tokenizers", "umap"],
        data: &[PASSAGES],
        needs_data: true,
        example: Some(("tabletalk-cluster", "cluster_file")),
        means: "times as fast as the peer",
        measure: measure::clusters,
        ..BARE
    },
    Workload {
        name: "server",
        what: "searches over HTTP on many connections",
        unit: "searches/s",
        peer: "the same in process",
        data: &[TABLES, QUERIES],
        tools: &["wrk"],
        means: "the share of the searches a second in process that is left over HTTP",
        measure: measure::server,
        ..BARE
    },
    Workload {
        name: "growth",
        what: "the largest exponent with which the time of adding grows with rows and with tables, in the last step",
        unit: "exponent",
        more: false,
        measure: measure::growth,
        ..BARE
    },
];

//! What is measured, and how.

use super::{child, made, peer};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tabletalk::{Error, Result};

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
    measure: start,
};

const TABLES: &str = "tabfact/tables.jsonl.zst";
const QUERIES: &str = "tabfact/val.jsonl.zst";
const PASSAGES: &str = "hotpot_small/passages.jsonl.zst";

/// All workloads, in the order in which they run.
pub static ALL: [Workload; 11] = [
    Workload {
        name: "start",
        what: "from the start of the program to the first hit of a search",
        unit: "ms",
        more: false,
        measure: start,
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
        measure: add_tables,
        ..BARE
    },
    Workload {
        name: "add-csv",
        what: "adding a large CSV file, with the keyword index of its values",
        unit: "MiB/s",
        peer: "a bare scan by DataFusion",
        modules: &["datafusion", "pyarrow"],
        means: "times the bytes a second of a scan that keeps nothing; below 1 is expected",
        measure: add_csv,
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
        measure: search,
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
        measure: sql,
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
        measure: embed,
        ..BARE
    },
    Workload {
        name: "dense",
        what: "search by vectors in a graph, one query at a time, where recall at 10 is .95 or more",
        unit: "searches/s",
        peer: "faiss, HNSW",
        modules: &["numpy", "faiss"],
        means: "times the searches a second of the peer at the same recall",
        measure: dense,
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
        measure: pdf,
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
        measure: clusters,
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
        measure: server,
        ..BARE
    },
    Workload {
        name: "growth",
        what: "the largest exponent with which the time of adding grows with rows and with tables, in the last step",
        unit: "exponent",
        more: false,
        measure: growth,
        ..BARE
    },
];

/// What the workloads of one run share.
pub struct Bench {
    pub program: PathBuf,
    pub root: Option<PathBuf>,
    /// The Python with the peers, which need not be there.
    pub python: PathBuf,
    pub data: Option<PathBuf>,
    /// A folder for made files and libraries.
    pub work: PathBuf,
    /// Where results go.
    pub out: PathBuf,
    pub quick: bool,
    pub rows: Option<u64>,
    /// When the workload that runs must be done.
    pub until: Instant,
    /// What has been run for it.
    pub commands: RefCell<Vec<String>>,
}

/// A corpus of tables and what to look for in it.
struct Corpus {
    file: PathBuf,
    queries: PathBuf,
    name: &'static str,
}

impl Bench {
    /// What keeps a workload from being measured at all, and what to do about it.
    pub fn lacks(&self, workload: &Workload) -> Option<String> {
        if workload.needs_data {
            let missing = workload.data.iter().find(|name| self.data(name).is_none());
            if let Some(missing) = missing {
                return Some(format!("no {missing} under the folder of data; name one with --data DIR"));
            }
            if let Some(why) = self.no_peer(workload) {
                return Some(why);
            }
        }
        let script = workload.needs_data || !workload.tools.is_empty();
        if script && self.root.is_none() {
            return Some("needs the source tree: run it there".to_owned());
        }
        if let Some(tool) = workload.tools.iter().find(|tool| peer::program(tool).is_none()) {
            return Some(format!("no {tool}; install it, for instance with apt-get install {tool}"));
        }
        let (_, example) = workload.example?;
        let there = self.example_file(example).is_some_and(|file| file.is_file());
        (!there && peer::program("cargo").is_none())
            .then(|| format!("needs the example {example}, and there is no cargo to build it"))
    }

    /// Why there is nothing to compare with, and what to do about it.
    pub fn no_peer(&self, workload: &Workload) -> Option<String> {
        if workload.modules.is_empty() {
            return None;
        }
        if !self.python.exists() {
            return Some(peer::how_to_install(&self.python));
        }
        let lacks = peer::lacks(&self.python, workload.modules);
        let why =
            || format!("{} has no {}; run scripts/peers/setup", self.python.display(), lacks.join(", "));
        (!lacks.is_empty()).then(why)
    }

    /// A file or folder of the data, where it is there.
    pub fn data(&self, name: &str) -> Option<PathBuf> {
        self.data.as_ref().map(|dir| dir.join(name)).filter(|path| path.exists())
    }

    fn size(&self, quick: u64, full: u64) -> u64 {
        if self.quick { quick } else { full }
    }

    fn rows(&self, quick: u64, full: u64) -> u64 {
        self.rows.unwrap_or_else(|| self.size(quick, full))
    }

    /// Runs this program, and reads the JSON it prints.
    fn ours<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Value> {
        let mut command = Command::new(&self.program);
        command.args(["--json", "--quiet"]).args(args);
        self.json(&mut command)
    }

    /// Runs a script of the source tree, and reads the JSON it prints.
    fn script<S: AsRef<OsStr>>(&self, python: &Path, script: &str, args: &[S]) -> Result<Value> {
        let root = self.root.clone().unwrap_or_default();
        let mut command = Command::new(python);
        command.arg(root.join("scripts").join(script)).args(args);
        self.json(&mut command)
    }

    fn json(&self, command: &mut Command) -> Result<Value> {
        let out = self.run(command)?;
        serde_json::from_str(out.trim()).map_err(|e| Error::from(e).at(self.shown(command)))
    }

    fn run(&self, command: &mut Command) -> Result<String> {
        self.commands.borrow_mut().push(self.shown(command));
        child::run(command, self.until)
    }

    /// A command as people would type it, with short names.
    fn shown(&self, command: &Command) -> String {
        let short = |word: &OsStr| {
            let path = Path::new(word);
            let in_root = self.root.as_deref().and_then(|root| path.strip_prefix(root).ok());
            let kept = path.strip_prefix(&self.work).ok().or(in_root).unwrap_or(path);
            let text = kept.to_string_lossy().into_owned();
            if text.contains(' ') { format!("'{text}'") } else { text }
        };
        let name = command.get_program();
        let name = if name == self.program { "tabletalk".to_owned() } else { short(name) };
        let words = command.get_args().filter(|word| *word != "--quiet").map(short);
        std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
    }

    fn example_file(&self, name: &str) -> Option<PathBuf> {
        Some(self.root.as_ref()?.join("target/release/examples").join(name))
    }

    /// The program of an example, built where it is not there.
    fn example(&self, workload: &str) -> Result<PathBuf> {
        let wanted = ALL.iter().find(|one| one.name == workload).and_then(|one| one.example);
        let (package, name) = wanted.ok_or_else(|| Error::bug("a workload without an example"))?;
        let file = self.example_file(name).ok_or_else(|| Error::missing("there is no source tree"))?;
        if !file.is_file() {
            let mut build = Command::new("cargo");
            build.args(["build", "--quiet", "--release", "-p", package, "--example", name]);
            build.current_dir(self.root.clone().unwrap_or_default());
            self.run(&mut build)?;
        }
        Ok(file)
    }

    /// At most so many tables: those of the data, or made ones.
    fn corpus(&self, most: u64) -> Result<Corpus> {
        let (file, queries) = (self.work.join("tables.jsonl"), self.work.join("queries.txt"));
        if let Some((tables, asked)) = self.data(TABLES).zip(self.data(QUERIES)) {
            let ids = first_lines(&tables, &file, most)?;
            std::fs::write(&queries, questions(&asked, &ids)?.join("\n"))?;
            return Ok(Corpus { file, queries, name: TABLES });
        }
        std::fs::write(&queries, made::tables(&file, most)?.join("\n"))?;
        Ok(Corpus { file, queries, name: "made tables" })
    }

    /// A made CSV file.
    fn made_rows(&self, rows: u64) -> Result<PathBuf> {
        let file = self.work.join(format!("rows-{rows}.csv"));
        self.ours(&["bench".into(), "make".into(), text(&file), format!("--rows={rows}")])?;
        Ok(file)
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The lines of a file, plain or compressed.
fn lines(path: &Path) -> Result<Box<dyn BufRead>> {
    let file = std::fs::File::open(path).map_err(|e| Error::from(e).at(path.display()))?;
    Ok(match path.extension().and_then(OsStr::to_str) {
        Some("zst") => Box::new(BufReader::new(zstd::Decoder::new(file)?)),
        _ => Box::new(BufReader::new(file)),
    })
}

/// Copies the first lines of a set of tables; their ids.
fn first_lines(from: &Path, to: &Path, most: u64) -> Result<HashSet<String>> {
    let mut out = BufWriter::new(std::fs::File::create(to)?);
    let mut ids = HashSet::new();
    for line in lines(from)?.lines().take(most as usize) {
        let line = line?;
        let table: Value = serde_json::from_str(&line)?;
        ids.extend(table["id"].as_str().map(str::to_owned));
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(ids)
}

/// At most two thousand statements or questions about the tables of these ids.
fn questions(from: &Path, ids: &HashSet<String>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for line in lines(from)?.lines() {
        let query: Value = serde_json::from_str(&line?)?;
        let about = query["table"].as_str().is_some_and(|id| ids.contains(id));
        let text = ["statement", "question", "query"].iter().find_map(|key| query[key].as_str());
        if let (true, Some(text)) = (about, text) {
            found.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if found.len() == 2000 {
            break;
        }
    }
    if found.is_empty() {
        return Err(Error::input(format!("{} asks nothing about the tables", from.display())));
    }
    Ok(found)
}

/// Why a peer gave no figures.
fn why(peer: &Value) -> Option<String> {
    ["missing", "failed"].iter().find_map(|key| peer[key].as_str()).map(|text| text.trim().to_owned())
}

fn start(bench: &Bench) -> Result<Measured> {
    let rows = bench.rows(20_000, 200_000);
    let detail = bench.ours(&["bench", "start", &format!("--rows={rows}")])?;
    Ok(Measured { ours: detail["start_ms"].as_f64(), detail, ..Measured::default() })
}

fn add_tables(bench: &Bench) -> Result<Measured> {
    let corpus = bench.corpus(bench.size(2000, 20_000))?;
    let mut detail = bench.ours(&[
        "bench",
        "tables",
        &text(&corpus.file),
        "--python",
        &text(&bench.python),
        &format!("--peer-tables={}", bench.size(500, 2000)),
    ])?;
    detail["corpus"] = corpus.name.into();
    let (ours, peer) = (&detail["tables_per_second"], &detail["peer"]["tables_per_second"]);
    let (ours, peer, why) = (ours.as_f64(), peer.as_f64(), why(&detail["peer"]));
    Ok(Measured { ours, peer, why, detail, ..Measured::default() })
}

fn add_csv(bench: &Bench) -> Result<Measured> {
    let file = bench.made_rows(bench.rows(200_000, 10_000_000))?;
    let queries = format!("--queries={}", bench.size(100, 300));
    let detail = bench.ours(&["bench", "csv", &text(&file), "--python", &text(&bench.python), &queries])?;
    std::fs::remove_file(&file)?;
    let mib = detail["bytes"].as_f64().map(|bytes| bytes / 1024.0 / 1024.0);
    let speed = |seconds: Option<f64>| mib.zip(seconds).map(|(mib, seconds)| mib / seconds);
    let scans = detail["scan"].as_array().into_iter().flatten();
    let scan = scans.filter_map(|scan| scan["seconds"].as_f64()).min_by(f64::total_cmp);
    let (ours, peer, why) = (speed(detail["seconds"].as_f64()), speed(scan), why(&detail["scan"][0]));
    Ok(Measured { ours, peer, why, detail, ..Measured::default() })
}

fn search(bench: &Bench) -> Result<Measured> {
    let corpus = bench.corpus(bench.size(2000, 20_000))?;
    let (file, queries) = (text(&corpus.file), text(&corpus.queries));
    let library = text(&bench.work.join("search-library"));
    bench.ours(&["--library", &library, "add", "--no-embed", &file])?;
    let seconds = format!("--seconds={}", bench.size(4, 15));
    let found = bench.ours(&[
        "--library",
        &library,
        "bench",
        "search",
        "--queries",
        &queries,
        "--threads=1",
        &seconds,
        "-k",
        "10",
    ])?;
    let workload = ALL.iter().find(|one| one.name == "search");
    let why = match (workload.and_then(|one| bench.no_peer(one)), &bench.root) {
        (Some(why), _) => Some(why),
        (None, None) => Some("no source tree with scripts/peers".to_owned()),
        (None, Some(_)) => None,
    };
    let peer = match &why {
        Some(why) => json!({"missing": why}),
        None => bench.script(&bench.python, "peers/search_bm25s.py", &[&file, &queries, &seconds])?,
    };
    let (ours, theirs) = (found["per_second"].as_f64(), peer["per_second"].as_f64());
    let detail = json!({"corpus": corpus.name, "ours": found, "peer": peer});
    Ok(Measured { ours, peer: theirs, why, detail, ..Measured::default() })
}

fn sql(bench: &Bench) -> Result<Measured> {
    let rows = format!("--rows={}", bench.rows(1_000_000, 10_000_000));
    let rounds = format!("--rounds={}", bench.size(3, 5));
    let detail = bench.ours(&["bench", "sql", &rows, &rounds, "--python", &text(&bench.python)])?;
    let (ours, peer) = (detail["total"]["ms"].as_f64(), detail["total"]["peer_ms"].as_f64());
    Ok(Measured { ours, peer, why: why(&detail["peer"]), detail, ..Measured::default() })
}

fn embed(bench: &Bench) -> Result<Measured> {
    let root = bench.root.clone().unwrap_or_default();
    let passages = bench.data(PASSAGES).unwrap_or_default();
    let detail = bench.script(
        &bench.python,
        "peers/embed_reference.py",
        &[
            "--json",
            "--model",
            &text(&root.join("models/bge-small-en-v1.5")),
            "--text",
            &text(&passages),
            "--binary",
            &text(&bench.program),
            &format!("--count={}", bench.size(100, 1000)),
            &format!("--rounds={}", bench.size(1, 3)),
        ],
    )?;
    let (ours, peer) = (detail["per_second"].as_f64(), detail["peer_per_second"].as_f64());
    Ok(Measured { ours, peer, detail, ..Measured::default() })
}

fn dense(bench: &Bench) -> Result<Measured> {
    let vectors = format!("--vectors={}", bench.rows(30_000, 200_000));
    let detail = bench.ours(&["bench", "dense", &vectors, "--python", &text(&bench.python)])?;
    let (ours, graph) = (detail["per_second"].as_f64(), detail["peer_per_second"].as_f64());
    if ours.is_none() {
        return Err(Error::bug("no setting of the graph finds .95 of the nearest"));
    }
    let exact = detail["peer"]["exact"]["per_second"].as_f64();
    let peer_name = (graph.is_none() && exact.is_some()).then_some("numpy, every vector");
    Ok(Measured { ours, peer: graph.or(exact), peer_name, why: why(&detail["peer"]), detail, ratio: None })
}

fn pdf(bench: &Bench) -> Result<Measured> {
    let mut args = vec!["speed".to_owned(), "--json".to_owned()];
    let data = bench.data.clone().unwrap_or_default();
    for (name, path) in [
        ("--data", data),
        ("--fixtures", bench.work.join("fixtures")),
        ("--cache", bench.work.join("peers")),
        ("--binary", bench.example("pdf")?),
    ] {
        args.extend([name.to_owned(), text(&path)]);
    }
    if bench.quick {
        args.extend(["--only", "us-00", "--skip", "pymupdf tables", "pymupdf lines"].map(str::to_owned));
    }
    let detail = bench.script(&bench.python, "measure-documents", &args)?;
    let of = |name: &str| detail["results"][name]["pages_per_second"].as_f64();
    let (ours, peer) = (of("ours, 1 thread"), of("pdfplumber text and tables"));
    Ok(Measured { ours, peer, detail, ..Measured::default() })
}

fn clusters(bench: &Bench) -> Result<Measured> {
    let program = bench.example("clusters")?;
    let passages = bench.work.join("passages.jsonl");
    first_lines(&bench.data(PASSAGES).unwrap_or_default(), &passages, 5000)?;
    let detail = bench.script(
        &bench.python,
        "measure-clusters",
        &[
            "speed",
            "--json",
            "--text",
            &text(&passages),
            "--program",
            &text(&program),
            "--cache",
            &text(&bench.work.join("clusters")),
            &format!("--count={}", bench.size(500, 5000)),
            &format!("--rows={}", bench.rows(1000, 5000)),
            &format!("--most={}", bench.size(16, 64)),
            &format!("--rounds={}", bench.size(1, 3)),
        ],
    )?;
    let clock = &detail["speed"]["clock"];
    let (ours, peer, ratio) = (clock["ours"].as_f64(), clock["peer"].as_f64(), clock["ratio"].as_f64());
    Ok(Measured { ours, peer, ratio, detail, ..Measured::default() })
}

fn server(bench: &Bench) -> Result<Measured> {
    let corpus = bench.corpus(bench.size(2000, 20_000))?;
    let python = if bench.python.exists() { Some(bench.python.clone()) } else { peer::program("python3") };
    let python = python.ok_or_else(|| Error::missing("there is no python3"))?;
    let detail = bench.script(
        &python,
        "measure-server",
        &[
            "load",
            "--json",
            "--parts=rounds",
            "--binary",
            &text(&bench.program),
            "--corpus",
            &text(&corpus.file),
            "--queries",
            &text(&corpus.queries),
            "--work",
            &text(&bench.work.join("server")),
            &format!("--rounds={}", bench.size(2, 5)),
            &format!("--round-seconds={}", bench.size(4, 10)),
            "--warm-seconds=2",
        ],
    )?;
    let middle = |pick: &dyn Fn(&Value) -> Option<f64>| {
        let mut all: Vec<f64> = detail["rounds"].as_array().into_iter().flatten().filter_map(pick).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied()
    };
    let ours = middle(&|round| round["http"]["per_second"].as_f64());
    let peer = middle(&|round| round["in_process"]["per_second"].as_f64());
    let ratio = middle(&|round| round["ratio"].as_f64());
    Ok(Measured { ours, peer, ratio, detail, ..Measured::default() })
}

fn growth(bench: &Bench) -> Result<Measured> {
    let most = bench.rows(100_000, 1_000_000);
    let steps = |most: u64| {
        let all = [most / 1000, most / 100, most / 10, most];
        all.iter().filter(|&&n| n >= 10).map(u64::to_string).collect::<Vec<_>>().join(",")
    };
    let detail = bench.ours(&[
        "bench",
        "growth",
        "--sizes",
        &steps(most),
        "--tables",
        &steps(most / 10),
        "--out",
        &text(&bench.out),
    ])?;
    let last = |of: &str| detail[of]["exponents"]["seconds"]["last"].as_f64();
    let ours = [last("rows"), last("tables")].into_iter().flatten().max_by(f64::total_cmp);
    Ok(Measured { ours, detail, ..Measured::default() })
}

//! How each workload is measured.

use super::peer;
use super::shared::{Bench, first_lines, text};
use super::workload::{ALL, Measured, PASSAGES};
use serde_json::{Value, json};
use tabletalk::{Error, Result};

/// Why a peer gave no figures.
fn why(peer: &Value) -> Option<String> {
    ["missing", "failed"].iter().find_map(|key| peer[key].as_str()).map(|text| text.trim().to_owned())
}

pub(super) fn start(bench: &Bench) -> Result<Measured> {
    let rows = bench.rows(20_000, 200_000);
    let detail = bench.ours(&["bench", "start", &format!("--rows={rows}")])?;
    Ok(Measured { ours: detail["start_ms"].as_f64(), detail, ..Measured::default() })
}

pub(super) fn add_tables(bench: &Bench) -> Result<Measured> {
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

pub(super) fn add_csv(bench: &Bench) -> Result<Measured> {
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

pub(super) fn search(bench: &Bench) -> Result<Measured> {
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

pub(super) fn sql(bench: &Bench) -> Result<Measured> {
    let rows = format!("--rows={}", bench.rows(1_000_000, 10_000_000));
    let rounds = format!("--rounds={}", bench.size(3, 5));
    let detail = bench.ours(&["bench", "sql", &rows, &rounds, "--python", &text(&bench.python)])?;
    let (ours, peer) = (detail["total"]["ms"].as_f64(), detail["total"]["peer_ms"].as_f64());
    Ok(Measured { ours, peer, why: why(&detail["peer"]), detail, ..Measured::default() })
}

pub(super) fn embed(bench: &Bench) -> Result<Measured> {
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

pub(super) fn dense(bench: &Bench) -> Result<Measured> {
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

pub(super) fn pdf(bench: &Bench) -> Result<Measured> {
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

pub(super) fn clusters(bench: &Bench) -> Result<Measured> {
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

pub(super) fn server(bench: &Bench) -> Result<Measured> {
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

pub(super) fn growth(bench: &Bench) -> Result<Measured> {
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

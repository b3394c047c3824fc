//! Sparse vectors, from a model's files, from a server and from Rust.

use crate::tiny::Tiny;
use crate::world::{World, places};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use tabletalk::embed::{Route, Slot};
use tabletalk::{
    AddOptions, Config, Embed, Embedding, Library, Result, Retriever, Role, Similarity, Unwatched, Want, open,
};

const BY_SPARSE: [&str; 4] = ["--similarity", "sparse", "--group", "table"];

/// Two tables and a model that says of a car that it is a vehicle, which neither table does.
fn world() -> World {
    let world = World::new();
    world.write("garage.csv", "thing,doors\ncar,5\nlorry,2\n");
    world.write("kitchen.csv", "thing,colour\nfruit,red\nbread,brown\n");
    Tiny::terms().write(&world.path("model"));
    world.write(
        "tabletalk.toml",
        "[[embed]]\nkey = \"terms\"\nsparse = true\ngroups = [\"table\"]\nmodel = \"./model\"\n\
         [search.fusion.other]\nsparse = 0.5\n",
    );
    world
}

fn by_sparse(world: &World, query: &str) -> serde_json::Value {
    world.json(0, &[&["search", query], &BY_SPARSE[..]].concat())
}

fn finds_nothing(world: &World, query: &str) -> bool {
    places(&world.json(1, &[&["search", query], &BY_SPARSE[..]].concat())).is_empty()
}

#[test]
fn a_model_of_sparse_vectors_alone_finds_what_its_terms_say() {
    let world = world();
    world.json(0, &["add", "garage.csv", "kitchen.csv"]);
    let found = by_sparse(&world, "vehicle");
    assert_eq!(places(&found).len(), 1, "{found}");
    assert!(places(&found)[0].starts_with("garage.csv"), "{found}");
    assert_eq!(found["hits"][0]["layer"], "sparse");
    let score = found["hits"][0]["scores"]["sparse terms"].as_f64().unwrap();
    assert!((score - f64::ln(3.0) * f64::ln(2.0)).abs() < 1e-4, "{found}");

    assert!(!world.path(".tabletalk/index/dense").exists(), "there is no vector of a whole text");
    let run = world.run(&["search", "vehicle", "--similarity", "cosine", "--group", "table"]);
    assert_eq!(run.code(), 3, "{}", run.stderr());
    let run = world.run(&["search", "vehicle", "--group", "table", "--explain"]);
    assert!(run.stdout().contains("sparse terms"), "{}", run.stdout());
}

#[test]
fn a_damaged_sparse_index_is_found_and_made_again() {
    let world = world();
    world.json(0, &["add", "garage.csv", "kitchen.csv"]);
    assert_eq!(world.run(&["doctor"]).code(), 0);
    world.write(".tabletalk/index/sparse/terms/table/meta.json", "{ not json");
    let run = world.run(&["doctor"]);
    assert_eq!(run.code(), 1, "{}", run.stdout());
    assert!(run.stdout().contains("sparse vectors of table under terms"), "{}", run.stdout());
    world.json(0, &["doctor", "--repair"]);
    assert!(places(&by_sparse(&world, "vehicle"))[0].starts_with("garage.csv"));
    assert_eq!(world.run(&["doctor"]).code(), 0);
}

#[test]
fn sparse_scores_count_as_a_share_of_the_best_beside_words() {
    let world = world();
    world.json(0, &["add", "garage.csv", "kitchen.csv"]);
    let found = world.json(0, &["search", "vehicle bread", "--group", "table"]);
    assert_eq!(places(&found).len(), 2, "{found}");
    assert!(places(&found)[0].starts_with("garage.csv"), "half for sparse, 0.15 for words: {found}");
    assert!((found["hits"][0]["score"].as_f64().unwrap() - 0.5).abs() < 1e-4, "{found}");
}

#[test]
fn the_sparse_index_follows_what_is_added_forgotten_and_configured() {
    let world = world();
    world.json(0, &["add", "garage.csv", "--no-embed"]);
    let run = world.run(&[&["search", "vehicle"], &BY_SPARSE[..]].concat());
    assert_eq!(run.code(), 3, "{}", run.stderr());
    assert!(run.stderr().contains("sparse = true"), "{}", run.stderr());
    world.json(0, &["embed"]);
    assert_eq!(places(&by_sparse(&world, "vehicle")).len(), 1);
    world.json(0, &["add", "kitchen.csv"]);
    assert_eq!(places(&by_sparse(&world, "vehicle fruit")).len(), 2);
    world.json(0, &["forget", "garage.csv"]);
    assert!(places(&by_sparse(&world, "vehicle fruit"))[0].starts_with("kitchen.csv"));
    assert!(finds_nothing(&world, "vehicle"));

    // Another model: its terms are the words of the text alone.
    world.json(0, &["add", "garage.csv"]);
    Tiny::weights().write(&world.path("model"));
    let run = world.run(&[&["search", "vehicle"], &BY_SPARSE[..]].concat());
    assert!(run.stderr().contains("another model"), "{}", run.stderr());
    world.json(0, &["embed"]);
    assert!(finds_nothing(&world, "vehicle"));
    assert!(places(&by_sparse(&world, "car"))[0].starts_with("garage.csv"));
}

#[test]
fn a_model_that_gives_what_is_not_asked_for_is_named() {
    let world = world();
    Tiny::states().write(&world.path("model"));
    let out = world.json(2, &["add", "garage.csv"]);
    assert!(out["embedding_error"].as_str().unwrap().contains("no sparse vectors"), "{out}");
    Tiny::terms().write(&world.path("model"));
    world.write("tabletalk.toml", "[[embed]]\nkey = \"terms\"\ngroups = [\"table\"]\nmodel = \"./model\"\n");
    let out = world.json(2, &["add", "kitchen.csv"]);
    assert!(out["embedding_error"].as_str().unwrap().contains("sparse = true"), "{out}");
}

/// Answers every request with a term for each text: 1 where it speaks of a car or a vehicle, else 2.
fn serve(listener: TcpListener) {
    for stream in listener.incoming().map_while(std::result::Result::ok) {
        let mut reader = BufReader::new(&stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                break;
            }
            let lower = line.to_lowercase();
            length =
                lower.strip_prefix("content-length:").map_or(length, |n| n.trim().parse::<usize>().unwrap());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let asked: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let term = |text: &serde_json::Value| {
            let text = text.as_str().unwrap();
            let index = if text.contains("car") || text.contains("vehicle") { 1 } else { 2 };
            serde_json::json!([{"index": index, "value": 1.5}])
        };
        let answer: Vec<_> = asked["inputs"].as_array().unwrap().iter().map(term).collect();
        let answer = serde_json::to_string(&answer).unwrap();
        let head = format!(
            "HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            answer.len()
        );
        (&stream).write_all(format!("{head}{answer}").as_bytes()).unwrap();
    }
}

#[test]
fn a_server_gives_sparse_vectors() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || serve(listener));
    let world = world();
    world.write(
        "tabletalk.toml",
        format!("[[embed]]\nkey = \"far\"\nsparse = true\ngroups = [\"table\"]\n[embed.model]\nprovider = \"tei\"\nmodel = \"splade\"\nurl = \"http://{address}\"\n"),
    );
    world.json(0, &["add", "garage.csv", "kitchen.csv"]);
    let found = by_sparse(&world, "vehicle");
    assert_eq!(places(&found).len(), 1, "{found}");
    assert!(places(&found)[0].starts_with("garage.csv"), "{found}");
}

/// Gives vectors of both kinds: the term of a text is the number of its letters `a`.
struct Letters;

impl Embed for Letters {
    fn identity(&self) -> &str {
        "letters"
    }

    fn dim(&self) -> usize {
        2
    }

    fn embed(&self, texts: &[&str], _: Role, want: Want) -> Result<Vec<Embedding>> {
        let one = |text: &&str| {
            let letters = text.matches('a').count();
            match want {
                Want::Sparse => Embedding { sparse: vec![(letters as u32, 2.0)], ..Embedding::default() },
                _ => Embedding { pooled: vec![0.6, 0.8], ..Embedding::default() },
            }
        };
        Ok(texts.iter().map(one).collect())
    }
}

fn library(dir: &Path) -> Library {
    let config = Config { embed: Vec::new(), ..Config::default() };
    let mut library = open(&config, &dir.join("library"), true).unwrap();
    let groups = ["table".to_owned()];
    let slot = Slot::new("letters", &groups, Route::Any, false, || Ok(Box::new(Letters)));
    library.register_embed(slot.with_sparse(true)).unwrap();
    let nowhere = ["nowhere".to_owned()];
    let other = Slot::new("other", &nowhere, Route::Any, false, || Ok(Box::new(Letters)));
    assert!(library.register_embed(other).is_err());
    library
}

fn names(library: &Library, query: &str, similarity: Similarity) -> Vec<String> {
    let retriever = Retriever { similarity, ..Retriever::default() };
    let hits = library.search(query, &retriever).unwrap().hits;
    hits.iter().map(|hit| hit.node.place.to_string().split('#').next().unwrap().to_owned()).collect()
}

#[test]
fn a_model_of_ones_own_gives_sparse_vectors_that_outlive_the_program() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("b.csv"), "x,y\naaa,1\n").unwrap();
    std::fs::write(dir.path().join("c.csv"), "x,y\naaaaaaa,1\n").unwrap();
    let files = [dir.path().join("b.csv"), dir.path().join("c.csv")];
    library(dir.path()).add(&files, &AddOptions::default(), &Unwatched).unwrap();

    let again = library(dir.path());
    let found = names(&again, "aaa", Similarity::Sparse);
    assert!(found.len() == 1 && found[0].contains("b.csv"), "{found:?}");
    assert_eq!(names(&again, "aaa", Similarity::Cosine).len(), 2, "it has vectors of whole texts too");
    assert!(names(&again, "z", Similarity::Sparse).is_empty());
    again.forget(&["b.csv".into()]).unwrap();
    assert!(names(&again, "aaa", Similarity::Sparse).is_empty());
}

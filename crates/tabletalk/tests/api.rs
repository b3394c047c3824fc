use crate::world::World;
use tabletalk::{
    AddOptions, Closure, Config, Hit, Library, NewNode, Own, Rerank, Result, Retriever, Similarity,
    Unwatched, open,
};

fn library(world: &World) -> Library {
    world.write("a.csv", "name,kilos\nfeather,0.01\nbrick,2\n");
    world.write("b.csv", "name,litres\nbucket,10\ncup,0.2\n");
    let library = open(&Config::default(), &world.path("lib"), true).unwrap();
    library.add(&[world.path("a.csv"), world.path("b.csv")], &AddOptions::default(), &Unwatched).unwrap();
    library
}

fn first(library: &Library, query: &str, similarity: &str, rerank: &[&str]) -> String {
    let retriever = Retriever {
        similarity: similarity.parse::<Similarity>().unwrap(),
        rerank: rerank.iter().map(|r| r.to_string()).collect(),
        ..Retriever::default()
    };
    library.search(query, &retriever).unwrap().hits[0].node.place.to_string()
}

#[test]
fn similarities_of_the_user_compare_texts_and_vectors() {
    let world = World::new();
    let mut library = library(&world);
    let letters = |query: &str, text: &str| query.chars().filter(|c| text.contains(*c)).count() as f32;
    library.register_similarity(Own::by_node("letters", move |q, node| letters(q, &node.text))).unwrap();
    let count = |_: &str, nodes: &[tabletalk::Node]| Ok(nodes.iter().map(|n| n.text.len() as f32).collect());
    library.register_similarity(Own::by_batch("shortest", count).ascending()).unwrap();
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    library.register_similarity(Own::by_vector("dot", "en", dot)).unwrap();
    let far = |q: &[f32], all: &[Vec<f32>]| {
        Ok(all.iter().map(|v| q.iter().zip(v).map(|(a, b)| (a - b).powi(2)).sum()).collect())
    };
    library.register_similarity(Own::by_vectors("distance", "en", far).ascending()).unwrap();
    assert!(first(&library, "kilobrick", "letters", &[]).starts_with("a.csv"));
    assert!(first(&library, "x", "shortest", &[]).starts_with("b.csv"));
    assert!(first(&library, "heavy stone for building", "dot", &[]).starts_with("a.csv"));
    assert!(first(&library, "container for liquids", "distance", &[]).starts_with("b.csv"));
    assert!(library.register_similarity(Own::by_node("bm25", |_, _| 0.0)).is_err());
}

#[test]
fn a_closure_of_the_program_makes_a_group() {
    let world = World::new();
    world.write("n.md", "# Plan\n\nthen we met Ann\n\nand Robert too\n");
    let path = world.path("lib");
    let names = |version: &str, least: usize| {
        Closure::new(version, move |text| {
            let is_name = |word: &&str| word.starts_with(char::is_uppercase) && word.len() >= least;
            Ok(text.split_whitespace().filter(is_name).map(NewNode::from).collect())
        })
    };
    let find = |library: &Library, query: &str| -> Vec<String> {
        let retriever = Retriever { group: "name".into(), ..Retriever::default() };
        let hits = library.search(query, &retriever).unwrap().hits;
        hits.iter().map(|h| format!("{} {}", h.node.text, h.node.place)).collect()
    };
    let mut library = open(&Config::default(), &path, true).unwrap();
    library.register_group("name", "block", names("1", 2)).unwrap();
    library.add(&[world.path("n.md")], &AddOptions::default(), &Unwatched).unwrap();
    let found = find(&library, "ann");
    assert!(found.len() == 1 && found[0].starts_with("Ann ") && found[0].ends_with("n.md:3"), "{found:?}");
    drop(library);
    // Of another version, its nodes are made again; without it, there is no such group.
    let mut library = open(&Config::default(), &path, false).unwrap();
    library.register_group("name", "block", names("2", 4)).unwrap();
    assert!(find(&library, "ann").is_empty() && find(&library, "robert").len() == 1);
    assert!(library.register_group("table", "root", names("1", 2)).is_err());
    let wrong = library.register_group("other", "nowhere", names("1", 2)).unwrap_err().to_string();
    assert!(wrong.contains("nowhere"), "{wrong}");
    drop(library);
    let named = "[[group]]\nname = \"name\"\nparent = \"block\"\ntransform = { type = \"own\" }\n";
    world.write("tabletalk.toml", named);
    let run = world.run(&["groups"]);
    assert!(run.code() == 2 && run.stderr().contains("register_group"), "{}", run.stderr());
}

struct Backwards;

impl Rerank for Backwards {
    fn name(&self) -> &str {
        "backwards"
    }

    fn rerank(&self, _query: &str, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
        hits.reverse();
        Ok(hits)
    }
}

#[test]
fn rerankers_of_the_user_are_named_like_the_others() {
    let world = World::new();
    let mut library = library(&world);
    library.register_rerank(Box::new(Backwards), 10);
    let (before, after) =
        (first(&library, "bucket", "hybrid", &[]), first(&library, "bucket", "hybrid", &["backwards"]));
    assert!(before.starts_with("b.csv") && after.starts_with("a.csv"), "{before} {after}");
}

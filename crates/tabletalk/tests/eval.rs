use crate::world::World;

#[test]
fn measures_retrieval_over_a_corpus() {
    let world = World::new();
    let table = |id: &str, title: &str, cell: &str| {
        format!("{{\"id\":\"{id}\",\"title\":\"{title}\",\"header\":[\"name\"],\"rows\":[[\"{cell}\"]]}}\n")
    };
    world.write("corpus.jsonl", table("r", "rivers", "Danube") + &table("m", "mountains", "Elbrus"));
    let query =
        |q: &str, id: &str| format!("{{\"id\":\"{q}\",\"question\":\"{q}\",\"relevant\":[\"{id}\"]}}\n");
    world.write("q.jsonl", query("how long is the Danube", "r") + &query("Elbrus height", "r"));
    let out = world
        .json(0, &["eval", "retrieval", "--corpus", "corpus.jsonl", "--queries", "q.jsonl", "-k", "1,10"]);
    assert_eq!(out["queries"], 2);
    assert_eq!(out["metrics"]["recall@1"]["mean"], 0.5);
    assert!(out["metrics"]["ndcg@10"]["high"].as_f64().unwrap() <= 1.0);
    assert!(!world.path(".tabletalk").exists(), "measuring leaves nothing behind");
}

#[test]
fn measures_retrieval_in_the_library_as_it_is() {
    let world = World::new();
    world.write("data/rivers.csv", "river,length\nElbe,1094\n");
    world.write("data/hills.csv", "hill,height\nBrocken,1141\n");
    world.write("q.jsonl", "{\"question\":\"Brocken height\",\"relevant\":[\"hills\"]}\n");
    world.json(0, &["add", "data", "--no-embed"]);
    let args = ["eval", "retrieval", "--queries", "q.jsonl", "-k", "1", "--similarity", "bm25"];
    let found = world.json(0, &args);
    assert_eq!(found["metrics"]["recall@1"]["mean"], 1.0, "{found:#}");
    // Questions that were added with the rest would be found by themselves.
    world.json(0, &["add", "q.jsonl", "--no-embed"]);
    let run = world.run(&args);
    assert!(run.code() == 2 && run.stderr().contains("inside the corpus"), "{}", run.stderr());
}

#[test]
fn makes_questions_from_tables_that_are_answered_as_they_should() {
    let world = World::new();
    world.write(
        "offices.csv",
        "office,city,staff,rent\nNorth,Oslo,41,1200\nWest,Bergen,12,800\nEast,Turku,7,450\nSouth,Oslo,20,950\n",
    );
    world.json(0, &["add", ".", "--no-embed"]);
    let made = world.json(0, &["eval", "generate", "--to", "q.jsonl", "--each", "10"]);
    assert!(made["questions"].as_u64().unwrap() >= 5, "{made:#}");
    let lines = std::fs::read_to_string(world.path("q.jsonl")).unwrap();
    world.json(0, &["eval", "generate", "--to", "again.jsonl", "--each", "10"]);
    assert_eq!(std::fs::read_to_string(world.path("again.jsonl")).unwrap(), lines, "the same every time");
    let figures = world.json(
        0,
        &[
            "eval",
            "answers",
            "--corpus",
            "offices.csv",
            "--queries",
            "q.jsonl",
            "--given-table",
            "--run",
            "r.jsonl",
        ],
    );
    let records = std::fs::read_to_string(world.path("r.jsonl")).unwrap();
    assert!(figures["metrics"]["precision"]["mean"].as_f64().unwrap() > 0.7, "{figures:#}\n{records}");
    assert_eq!(world.run(&["eval", "generate", "--to", "q.jsonl"]).code(), 2, "what was corrected is kept");
    let run = world.run(&["eval", "generate", "--to", "q.jsonl", "--paraphrase", "--force"]);
    assert!(run.code() == 3 && run.stderr().contains("language model"), "{}", run.stderr());
}

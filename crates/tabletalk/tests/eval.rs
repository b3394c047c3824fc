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

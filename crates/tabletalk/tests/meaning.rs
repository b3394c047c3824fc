use crate::script::{Do, Server};
use crate::world::{Run, World, places, texts};
use serde_json::Value;

fn world() -> World {
    let world = World::new();
    world.write("cars.csv", "model,doors,weight\nHatchback,5,1100\nEstate,5,1400\n");
    world.write("fruit.csv", "fruit,colour,price\napple,red,1.20\nbanana,yellow,0.80\n");
    world.write(
        "notes.md",
        "# Staff\n\nThe physician treats patients at the hospital.\n\n# Weather\n\nIt rained.\n",
    );
    world.write("城市.csv", "城市,人口\n上海,2487\n北京,2189\n");
    world.write("水果.csv", "水果,颜色\n苹果,红\n香蕉,黄\n");
    world
}

fn added() -> World {
    let world = world();
    world.json(0, &["add", "."]);
    world
}

fn layer<'a>(found: &'a Value, name: &str) -> &'a Value {
    let layers = found["layers"].as_array().unwrap();
    layers.iter().find(|l| l["name"].as_str().unwrap().starts_with(name)).unwrap_or(&Value::Null)
}

#[test]
fn finds_by_meaning_what_shares_no_word_with_the_query() {
    let world = added();
    let found = world.json(0, &["search", "automobiles and other vehicles", "--group", "table"]);
    assert!(places(&found)[0].starts_with("cars.csv"), "{found}");
    let found = world.json(0, &["search", "medical doctor", "--group", "medium"]);
    assert!(texts(&found)[0].contains("physician"), "{found}");
    assert_eq!(found["hits"][0]["similarity"], "hybrid");
    assert!(found["hits"][0]["scores"]["dense en"].as_f64().unwrap() > 0.4, "{found}");
}

#[test]
fn one_library_holds_texts_of_both_languages() {
    let world = added();
    let found = world.json(0, &["search", "居民数量", "--similarity", "cosine", "--group", "table"]);
    assert!(places(&found)[0].starts_with("城市.csv"), "{found}");
    assert!(
        places(&found).iter().all(|p| !p.starts_with("cars")),
        "a Chinese query looks at Chinese vectors"
    );
    // There are no passages, and so no vectors of any.
    let found = world.json(0, &["search", "produce", "--similarity", "cosine"]);
    assert!(places(&found)[0].starts_with("fruit.csv"), "{found}");
}

#[test]
fn vectors_can_be_made_later_and_are_made_once() {
    let world = world();
    world.json(0, &["add", ".", "--no-embed"]);
    let run = world.run(&["search", "automobile", "--similarity", "cosine", "--group", "table"]);
    assert_eq!(run.code(), 3, "{}", run.stderr());
    assert!(run.stderr().contains("tabletalk embed"), "{}", run.stderr());
    let run = world.run(&["search", "estate", "--group", "table"]);
    assert!(run.stdout().contains("cars.csv") && run.stderr().contains("words only"), "{}", run.stderr());
    let first = world.json(0, &["embed"]);
    assert!(first["embedded"]["texts"].as_u64().unwrap() >= 5, "{first}");
    let again = world.json(0, &["embed"]);
    assert_eq!(
        (again["embedded"]["texts"].as_u64(), again["embedded"]["known"].as_u64()),
        (Some(0), Some(0))
    );
    world.json(0, &["search", "automobile", "--similarity", "cosine", "--group", "table"]);

    world.json(0, &["forget", "cars.csv"]);
    world.json(0, &["add", "cars.csv", "--no-embed"]);
    let known = world.json(0, &["embed"]);
    assert_eq!(
        (known["embedded"]["texts"].as_u64(), known["embedded"]["known"].as_u64()),
        (Some(0), Some(1))
    );
}

#[test]
fn what_is_forgotten_is_not_found_by_its_vector() {
    let world = added();
    world.json(0, &["forget", "cars.csv"]);
    let found = world.json(0, &["search", "automobiles", "--similarity", "cosine", "--group", "table"]);
    assert!(places(&found).iter().all(|p| !p.starts_with("cars")), "{found}");
}

#[test]
fn filters_hold_inside_the_search_by_vectors() {
    let world = added();
    let args = ["search", "automobiles", "--similarity", "cosine", "--group", "table", "-k", "1"];
    let found = world.json(0, &[&args[..], &["--filter", "file_name=fruit.csv"]].concat());
    assert!(places(&found)[0].starts_with("fruit.csv"), "{found}");
}

#[test]
fn strategies_say_what_each_layer_did() {
    let world = added();
    let found = world.json(0, &["search", "fruit price", "--strategy", "table"]);
    assert!(places(&found)[0].starts_with("fruit.csv"), "{found}");
    assert_eq!(found["hits"][0]["strategy"], "table");
    assert_eq!(layer(&found, "dense")["ran"], true);
    assert_eq!(layer(&found, "structure")["ran"], true, "under four fifths were found: {found}");
    let found = world.json(0, &["search", "rain", "--strategy", "text"]);
    assert!(texts(&found)[0].contains("rained"), "{found}");
    assert!(found["hits"][0]["scores"]["fast"].as_f64().unwrap() > 0.0, "{found}");
    let run = world.run(&["search", "fruit price", "--strategy", "table", "--explain"]);
    assert!(run.stdout().contains("layers\n") && run.stdout().contains("found by"), "{}", run.stdout());
}

#[test]
fn a_strategy_says_how_many_and_each_hit_says_what_found_it() {
    let world = World::new();
    for n in 0..18 {
        world.write(&format!("shop{n}.csv"), format!("fruit,price\napple {n},{n}\npear {n},{n}5\n"));
    }
    world.json(0, &["add", "."]);
    let by =
        |more: &[&str]| world.json(0, &[&["search", "fruit price", "--strategy", "table"], more].concat());
    let found = by(&[]);
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 15, "`max_results` of the strategy");
    for hit in hits {
        assert_eq!((&hit["layer_number"], &hit["vector_type"]), (&1.into(), &"dense".into()), "{hit:#}");
        assert_eq!((&hit["similarity"], &hit["embed_key"]), (&"cosine".into(), &"en".into()), "{hit:#}");
        assert!(hit["similarity_score"].as_f64().unwrap() > 0.3, "{hit:#}");
    }
    let dense = layer(&found, "dense");
    assert_eq!((&dense["number"], &dense["hits"]), (&1.into(), &15.into()), "{dense:#}");
    assert_eq!(dense["range"][0], hits[0]["score"], "{dense:#}");
    assert_eq!(layer(&found, "structure")["number"], 2);

    assert_eq!(by(&["-k", "4"])["hits"].as_array().unwrap().len(), 4);
    assert_eq!(by(&["--tokens", "5"])["hits"].as_array().unwrap().len(), 1);
    assert_eq!(by(&["--target", "root"])["hits"][0]["group"], "root");
    let out = world.json(1, &["search", "fruit price", "--strategy", "table", "--cut-off", "1.5"]);
    assert!(out["hits"].as_array().unwrap().is_empty(), "{out}");
    let other = by(&["--embed-key", "zh"]);
    assert!(layer(&other, "dense")["error"].is_string(), "no vectors of that key: {other:#}");
    assert_eq!(other["hits"][0]["vector_type"], Value::Null, "{other:#}");
    assert_eq!(
        world.run(&["search", "x", "--strategy", "table", "--traversal", "tree", "--group", "cell"]).code(),
        2
    );
}

#[test]
fn layers_and_thresholds_are_configuration() {
    let world = added();
    world.write(
        "tabletalk.toml",
        "[strategy.table]\nthreshold = 0.0\nlayers = [{ kind = \"keyword\" }, { kind = \"dense\", below = 0.05 }]\n",
    );
    let found = world.json(0, &["search", "banana", "--strategy", "table"]);
    assert_eq!(found["hits"][0]["layer"], "keyword");
    assert!(found["hits"][0]["scores"]["content"].as_f64().unwrap() > 0.0, "{found}");
    let mut command = world.command(&["search", "banana", "--strategy", "table", "--json"]);
    let out = command.env("TABLETALK_STRATEGY__TABLE__THRESHOLD", "0.99").output().unwrap();
    let found: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(found["hits"].as_array().unwrap().is_empty(), "{found}");
}

#[test]
fn a_layer_is_passed_over_once_enough_was_found() {
    let world = added();
    let layers = |below: &str| {
        let second = format!("{{ kind = \"keyword\", below = {below} }}");
        world.write(
            "tabletalk.toml",
            format!("[strategy.table]\nthreshold = 0.0\nmax_results = 2\nlayers = [{{ kind = \"dense\" }}, {second}]\n"),
        );
        let found = world.json(0, &["search", "fruit price", "--strategy", "table"]);
        (layer(&found, "keyword")["ran"].clone(), found)
    };
    // Both tables are found by the first layer: all that is wanted.
    let (ran, found) = layers("0.9");
    assert_eq!(ran, false, "{found:#}");
    let (ran, found) = layers("1.1");
    assert_eq!(ran, true, "{found:#}");
}

#[test]
fn expansion_asks_with_the_nearest_column_names() {
    let world = world();
    let embed =
        "[[embed]]\nkey = \"en\"\ngroups = [\"table\", \"schema\"]\nmodel = \"bundled:bge-small-en-v1.5\"\n";
    let layers = "[strategy.table]\nthreshold = 0.0\nlayers = [{ kind = \"expansion\" }]\n";
    world.write("tabletalk.toml", format!("{embed}{layers}"));
    world.json(0, &["add", "cars.csv", "fruit.csv"]);
    let found = world.json(0, &["search", "how heavy", "--strategy", "table", "-k", "1"]);
    let asked = found["hits"][0]["expanded_query"].as_str().unwrap();
    let columns = ["model", "doors", "weight", "fruit", "colour", "price"];
    assert!(columns.iter().any(|c| asked == format!("how heavy {c}")), "{found:#}");
}

#[test]
fn expansion_asks_with_synonyms() {
    let world = added();
    world.write("synonyms.txt", "jalopy, cars\n");
    world.write(
        "tabletalk.toml",
        "[keyword]\nsynonyms = [\"synonyms.txt\"]\n[strategy.table]\nlayers = [{ kind = \"expansion\" }]\n",
    );
    let found = world.json(0, &["search", "jalopy", "--strategy", "table", "-k", "1"]);
    assert!(places(&found)[0].starts_with("cars.csv"), "{found}");
    assert_eq!(found["hits"][0]["expanded_query"], "cars");
}

#[test]
fn rerankers_can_be_chained() {
    let world = added();
    world.write("tabletalk.toml", "[rerank.ripe]\ntype = \"words\"\nrequired = [\"bananas\"]\n");
    let found = world
        .json(0, &["search", "price of things", "--group", "table", "--rerank", "ripe", "--rerank", "late"]);
    assert_eq!(places(&found).len(), 1);
    assert!(places(&found)[0].starts_with("fruit.csv"), "{found}");
    assert!(found["hits"][0]["scores"]["rerank late"].as_f64().is_some(), "{found}");
}

#[test]
fn a_language_model_chooses_the_better_of_two() {
    let found = |says: [&'static str; 2]| {
        let server = Server::start(says.map(Do::Say).to_vec());
        let world = added();
        let config = format!(
            "[chat]\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"{}\"\n[rerank.judge]\ntype = \"pairwise\"\ndepth = 2\ntop = 1\n",
            server.url
        );
        world.write("tabletalk.toml", config);
        let search = ["search", "price of things", "--group", "table", "-k", "2"];
        let before = places(&world.json(0, &search));
        let run = world.run(&[&search[..], &["--rerank", "judge", "--json"]].concat());
        (before, run, server.prompts())
    };
    let order = |run: &Run| places(&serde_json::from_str(&run.stdout()).unwrap());
    // The second one is taken both times: it goes up.
    let (before, run, prompts) = found(["{\"better\": \"B\"}", "{\"better\": \"A\"}"]);
    assert_eq!(order(&run), [before[1].clone(), before[0].clone()]);
    assert!(prompts.len() == 2 && prompts[0].contains("price of things") && prompts[0].contains("Passage B"));
    // Whichever is read last is taken: nothing is known of the two.
    let (before, run, _) = found(["B", "B"]);
    assert_eq!(order(&run), before);
    // One that does not choose leaves the order of the search, and that is said.
    let (before, run, _) = found(["Both are fine.", "Both are fine."]);
    assert_eq!(order(&run), before);
    assert!(run.stderr().contains("names neither"), "{}", run.stderr());
}

#[test]
fn late_interaction_is_an_index_of_its_own() {
    let world = world();
    world.write(
        "tabletalk.toml",
        "[[embed]]\nkey = \"en\"\nlate = true\ngroups = [\"table\"]\nmodel = \"bundled:bge-small-en-v1.5\"\n",
    );
    world.json(0, &["add", "cars.csv", "fruit.csv"]);
    let found = world.json(0, &["search", "banana", "--similarity", "late", "--group", "table"]);
    assert!(places(&found)[0].starts_with("fruit.csv"), "{found}");
    assert_eq!(found["hits"][0]["layer"], "late");

    assert_eq!(world.run(&["doctor"]).code(), 0);
    std::fs::remove_dir_all(world.path(".tabletalk/index/late")).unwrap();
    let run = world.run(&["doctor"]);
    assert_eq!(run.code(), 1, "{}", run.stdout());
    assert!(run.stdout().contains("tokens of table under en: is missing"), "{}", run.stdout());
    world.json(0, &["doctor", "--repair"]);
    let found = world.json(0, &["search", "banana", "--similarity", "late", "--group", "table"]);
    assert!(places(&found)[0].starts_with("fruit.csv"), "{found}");
}

#[test]
fn a_group_of_cells_can_be_found_by_meaning() {
    let world = world();
    world.write(
        "tabletalk.toml",
        "[[embed]]\nkey = \"en\"\ngroups = [\"cell\", \"schema\", \"row\", \"column\"]\nmodel = \"bundled:bge-small-en-v1.5\"\n",
    );
    world.json(0, &["add", "fruit.csv", "cars.csv"]);
    let find = |group: &str, query: &str| {
        texts(
            &world.json(0, &["search", query, "--similarity", "cosine", "--group", group, "--target", group]),
        )
    };
    assert_eq!(find("schema", "cost in money")[0].split(':').next(), Some("price"));
    assert!(find("row", "long curved tropical produce")[0].contains("banana"));
    assert!(find("cell", "crimson")[0].contains("red"));
    assert!(find("cell", "how light and how heavy").contains(&"weight: 1100 to 1400".to_owned()));
    assert!(!find("column", "heaviness")[0].is_empty());
}

#[test]
fn a_missing_model_costs_no_document_and_no_word() {
    let world = world();
    world.write("tabletalk.toml", "[[embed]]\nkey = \"own\"\nmodel = \"./nowhere\"\n");
    let out = world.json(3, &["add", "cars.csv"]);
    assert_eq!(out["documents"][0]["status"], "added");
    assert!(out["embedding_error"].as_str().unwrap().contains("nowhere"), "{out}");
    let found = world.json(0, &["search", "estate", "--group", "table"]);
    assert!(places(&found)[0].starts_with("cars.csv"), "{found}");
}

#[test]
fn a_model_of_another_length_is_named_and_words_still_find() {
    let world = added();
    world.write("tabletalk.toml", "[[embed]]\nkey = \"en\"\nmodel = \"bundled:bge-small-zh-v1.5\"\n");
    let run = world.run(&["search", "estate", "--similarity", "cosine", "--group", "table"]);
    assert_eq!(run.code(), 2, "{}", run.stderr());
    assert!(run.stderr().contains("384") && run.stderr().contains("512"), "{}", run.stderr());
    let found = world.json(0, &["search", "estate", "--group", "table"]);
    assert!(layer(&found, "dense")["error"].as_str().unwrap().contains("another model"), "{found}");
    world.json(0, &["embed"]);
    let found = world.json(0, &["search", "estate", "--group", "table"]);
    assert_eq!(layer(&found, "dense")["error"], Value::Null, "{found}");
}

#[test]
fn a_remote_model_that_does_not_answer_is_told_of() {
    // Connections are taken and never answered.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let world = world();
    world.write(
        "tabletalk.toml",
        format!("[[embed]]\nkey = \"far\"\n[embed.model]\nprovider = \"openai\"\nmodel = \"m\"\nurl = \"http://{address}\"\ntimeout_s = 0.3\nretries = 0\n"),
    );
    let out = world.json(5, &["add", "cars.csv"]);
    assert_eq!(out["documents"][0]["status"], "added", "{out}");
    let found = world.json(0, &["search", "estate", "--group", "table"]);
    assert!(places(&found)[0].starts_with("cars.csv"), "{found}");
}

#[test]
fn a_damaged_vector_index_is_found_and_made_again() {
    let world = added();
    let meta = world.path(".tabletalk/index/dense/en/table/meta.json");
    std::fs::write(&meta, "{ not json").unwrap();
    let run = world.run(&["doctor"]);
    assert_eq!(run.code(), 1, "{}", run.stdout());
    assert!(run.stdout().contains("vectors of table under en"), "{}", run.stdout());
    world.json(0, &["doctor", "--repair"]);
    let found = world.json(0, &["search", "automobiles", "--similarity", "cosine", "--group", "table"]);
    assert!(places(&found)[0].starts_with("cars.csv"), "{found}");
}

#[test]
fn an_index_of_vectors_that_is_gone_is_made_again_by_the_next_search() {
    let world = added();
    std::fs::remove_dir_all(world.path(".tabletalk/index")).unwrap();
    let found = world.json(0, &["search", "automobiles", "--similarity", "cosine", "--group", "table"]);
    assert!(places(&found)[0].starts_with("cars.csv"), "{found}");
}

#[test]
fn ways_of_searching_are_measured_side_by_side() {
    let world = world();
    world.write("corpus.jsonl", "{\"id\":\"a\",\"text\":\"The physician treats patients.\"}\n{\"id\":\"b\",\"text\":\"It rained all day.\"}\n");
    world.write("queries.jsonl", "{\"id\":1,\"question\":\"medical doctor\",\"relevant\":[\"a\"]}\n");
    let args = [
        "eval",
        "retrieval",
        "--corpus",
        "corpus.jsonl",
        "--queries",
        "queries.jsonl",
        "-k",
        "1",
        "--compare",
        "--rerank",
        "late",
    ];
    let out = world.json(0, &args);
    for way in ["cosine", "hybrid", "hybrid + late"] {
        assert_eq!(out["ways"][way]["metrics"]["recall@1"]["mean"], 1.0, "{way}: {out}");
    }
    assert_eq!(out["ways"]["layered text"]["queries"], 1, "{out}");
    assert_eq!(out["ways"]["bm25"]["metrics"]["recall@1"]["mean"], 0.0);
    assert!(world.run(&args).stdout().contains("ms/query"));
}

#[test]
fn a_query_in_another_language_than_all_documents_is_compared_too() {
    let world = World::new();
    world.write("门店.csv", "门店,城市\n人民广场店,上海\n西湖店,杭州\n");
    world.json(0, &["add", "."]);
    let found = world.json(0, &["search", "shops", "--group", "table", "--similarity", "cosine"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found:#}");
}

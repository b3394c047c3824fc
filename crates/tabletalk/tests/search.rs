use crate::world::{World, places, texts};

fn world() -> World {
    let world = World::new();
    world.write(
        "orders.csv",
        "order,city,placed,amount,share\nA-1,Oslo,2023-09-01,\"1,200\",35%\nA-2,New York,2023-10-05,850,5%\nA-3,New Delhi,2024-01-15,99.5,60%\n",
    );
    world.write("销售.csv", "门店,金额,日期\n上海店,12万,2023年9月1日\n北京店,8万,2023年10月5日\n");
    world.write(
        "notes.md",
        "# Deliveries\n\nThe warehouse in Rotterdam was late twice.\n\nOslo was on time.\n",
    );
    world.json(0, &["add", "orders.csv", "销售.csv", "notes.md"]);
    world
}

fn cells(world: &World, query: &str) -> Vec<String> {
    texts(&world.json(0, &["search", query, "--group", "cell", "--target", "cell"]))
}

#[test]
fn finds_numbers_in_any_written_form() {
    let world = world();
    for query in ["1200", "1,200", "1.2k"] {
        assert_eq!(cells(&world, query)[0], "amount: 1,200", "{query}");
    }
    assert_eq!(cells(&world, "120000")[0], "金额: 12万");
    assert_eq!(cells(&world, "35%")[0], "share: 35%");
}

#[test]
fn finds_dates_in_any_written_form() {
    let world = world();
    for query in ["2023-09-01", "Sept 1 2023", "September 1, 2023", "2023年9月1日", "2023/9/1"] {
        let found = cells(&world, query);
        assert!(found.iter().any(|t| t.starts_with("placed: 2023-09-01")), "{query}: {found:?}");
        assert!(found.iter().any(|t| t.starts_with("日期: 2023年9月1日")), "{query}: {found:?}");
    }
}

#[test]
fn finds_exactly_by_prefix_and_with_a_slip() {
    let world = world();
    assert_eq!(cells(&world, "\"New York\""), ["city: New York"]);
    let found = cells(&world, "delh*");
    assert_eq!(found, ["city: New Delhi"]);
    assert_eq!(cells(&world, "Delih~")[0], "city: New Delhi");
    assert_eq!(cells(&world, "Roterdam Oslo")[0], "city: Oslo");
}

#[test]
fn answers_with_the_place_in_the_source() {
    let world = world();
    let found = world.json(0, &["search", "Delhi", "--group", "cell", "--target", "cell"]);
    assert_eq!(places(&found)[0], "orders.csv!B4");
    let found = world.json(0, &["search", "Delhi", "--group", "row", "--target", "row"]);
    assert_eq!(places(&found)[0], "orders.csv!A4:E4");
    let found = world.json(0, &["search", "Delhi", "--group", "cell"]);
    assert_eq!(
        (places(&found)[0].as_str(), found["hits"][0]["group"].as_str()),
        ("orders.csv!A1:E4", Some("table"))
    );
    let found = world.json(0, &["search", "placed", "--group", "schema", "--target", "schema"]);
    assert_eq!(texts(&found)[0], "placed: date, 2023-09-01 to 2024-01-15");
    let found = world.json(0, &["search", "Oslo", "--group", "column", "--target", "column"]);
    assert_eq!(texts(&found)[0], "city | Oslo | New York | New Delhi");
}

#[test]
fn finds_chinese_words_traditional_and_simplified() {
    let world = world();
    for query in ["销售 上海店", "銷售 上海"] {
        let found = world.json(0, &["search", query]);
        assert_eq!(found["hits"][0]["document"]["name"], "销售.csv", "{query}");
    }
}

#[test]
fn finds_text_and_maps_sentences_to_chunks() {
    let world = world();
    let found = world.json(0, &["search", "late warehouse", "--group", "sentence"]);
    assert_eq!(texts(&found)[0], "The warehouse in Rotterdam was late twice.");
    assert_eq!(places(&found)[0], "notes.md:3");
    let found = world.json(0, &["search", "late warehouse", "--group", "sentence", "--target", "coarse"]);
    assert_eq!(found["hits"][0]["group"], "coarse");
    assert!(texts(&found)[0].contains("Oslo was on time"));
}

#[test]
fn filters_on_fields() {
    let world = world();
    let found = world.json(0, &["search", "Oslo", "--filter", "file_type=md"]);
    assert!(places(&found).iter().all(|p| p.starts_with("notes.md")));
    assert_eq!(world.run(&["search", "Oslo", "--filter", "file_type=xlsx"]).code(), 1);
    assert_eq!(world.run(&["search", "Oslo", "--filter", "nonsense"]).code(), 2);
    let found =
        world.json(0, &["search", "Oslo", "--filter", "file_size>=1", "--filter", "file_name=notes.md|x"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn says_what_gave_a_hit_its_score() {
    let world = world();
    let hit = &world.json(0, &["search", "Oslo orders"])["hits"][0];
    assert!(hit["scores"]["values"].as_f64().unwrap() > 0.0);
    assert!(hit["scores"]["title"].as_f64().unwrap() > 0.0);
    assert_eq!(hit["similarity"], "hybrid");
    assert!(hit["scores"]["dense en"].as_f64().unwrap() > 0.0);
    assert!(world.run(&["search", "Oslo", "--explain"]).stdout().contains("`Oslo`"));
}

#[test]
fn uses_synonyms_and_names_wrong_groups() {
    let world = world();
    world.write("synonyms.txt", "metropolis, city\n");
    world.write("tabletalk.toml", "[keyword]\nsynonyms = [\"synonyms.txt\"]\n");
    let found = world.json(0, &["search", "metropolis", "--group", "schema", "--target", "schema"]);
    assert!(texts(&found)[0].starts_with("city: text"));
    let run = world.run(&["search", "x", "--group", "nothing"]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("coarse"), "{}", run.stderr());
}

#[test]
fn whole_documents_are_found_by_their_parts() {
    let world = world();
    for similarity in ["bm25", "hybrid"] {
        let found =
            world.json(0, &["search", "Rotterdam warehouse", "--group", "root", "--similarity", similarity]);
        assert_eq!(
            (&found["hits"][0]["group"], &places(&found)[0]),
            (&"root".into(), &"notes.md".to_owned())
        );
        let found =
            world.json(0, &["search", "New Delhi", "--group", "root", "--similarity", similarity, "-k", "1"]);
        assert_eq!(places(&found), ["orders.csv"], "{similarity}");
    }
    let args =
        ["search", "New Delhi", "--group", "root", "--filter", "file_name=notes.md", "--similarity", "bm25"];
    assert_eq!(world.run(&args).code(), 1);
}

#[test]
fn several_groups_are_merged_and_then_reranked() {
    let world = world();
    let args = [
        "search",
        "Oslo",
        "--group",
        "sentence",
        "--group",
        "row",
        "--target",
        "root",
        "--similarity",
        "bm25",
    ];
    let found = world.json(0, &args);
    let mut names = places(&found);
    names.sort();
    assert_eq!(names, ["notes.md", "orders.csv"], "{found:#}");
    let found = world.json(
        0,
        &["search", "Oslo was on time", "--group", "sentence", "--group", "table", "--rerank", "late"],
    );
    let reranked = found["layers"].as_array().unwrap().iter().filter(|l| l["name"] == "rerank late").count();
    assert_eq!((reranked, places(&found)[0].as_str()), (1, "notes.md:5"), "once for all: {found:#}");
}

#[test]
fn several_libraries_are_merged_and_then_reranked() {
    let (one, two) = (world(), World::new());
    two.write("harbour.md", "# Harbour\n\nThe harbour of Oslo was closed in winter.\n");
    two.json(0, &["add", "harbour.md"]);
    let also = two.path("").display().to_string();
    let args = ["search", "was the harbour of Oslo closed", "--also", &also, "--rerank", "late"];
    let found = one.json(0, &args);
    assert!(texts(&found)[0].contains("closed in winter"), "{found:#}");
    assert!(
        found["hits"][0]["library"].as_str().unwrap().starts_with(also.trim_end_matches('/')),
        "{found:#}"
    );
    let documents: Vec<&str> =
        found["hits"].as_array().unwrap().iter().map(|h| h["document"]["name"].as_str().unwrap()).collect();
    assert!(documents.contains(&"harbour.md") && documents.contains(&"orders.csv"), "{documents:?}");
    let alone = one.json(0, &["search", "Oslo"]);
    assert_eq!(alone["hits"][0]["library"], serde_json::Value::Null);
}

#[test]
fn a_search_says_parameters_of_words_and_cut_offs_of_vectors() {
    let world = world();
    let score = |more: &[&str]| {
        let args = ["search", "warehouse", "--group", "medium", "--similarity", "bm25"];
        world.json(0, &[&args[..], more].concat())["hits"][0]["score"].as_f64().unwrap()
    };
    assert!(score(&["--similarity-kw", "text=9"]) > score(&[]));
    let wrong = world.run(&["search", "x", "--similarity", "bm25", "--similarity-kw", "speed=1"]);
    assert!(wrong.code() == 2 && wrong.stderr().contains("speed"), "{}", wrong.stderr());
    let found = world.json(0, &["search", "销售", "--similarity", "bm25_chinese"]);
    assert_eq!(found["hits"][0]["similarity"], "bm25");

    let by = |cut: &str| {
        let run = world.run(&[
            "search",
            "orders by city",
            "--group",
            "table",
            "--similarity",
            "cosine",
            "--cut-off",
            cut,
        ]);
        run.code()
    };
    assert_eq!((by("en=0.2"), by("zh=1.5"), by("en=1.5"), by("1.5")), (0, 0, 1, 1));
}

#[test]
fn a_word_counts_again_by_k1_and_lengths_count_by_b() {
    let world = World::new();
    world.write("a.md", "Oslo, Oslo and again Oslo.\n");
    world.write("b.md", format!("Oslo was late. {}\n", "The warehouse was closed for the day. ".repeat(12)));
    world.json(0, &["add", "a.md", "b.md", "--no-embed"]);
    let score = |parameter: &str| {
        let search =
            ["search", "Oslo", "--group", "medium", "--similarity", "bm25", "--similarity-kw", parameter];
        world.json(0, &search)["hits"][0]["score"].as_f64().unwrap()
    };
    assert!(score("k1=2.5") > score("k1=0.1"), "said three times, it counts for more than once");
    assert!(score("b=1") > score("b=0"), "a short passage is more about it than a long one");
}

#[test]
fn fields_have_types_and_are_filtered_by_them() {
    let world = World::new();
    let field = |name: &str, kind: &str| format!("[[doc_fields]]\nname = \"{name}\"\ntype = \"{kind}\"\n");
    let config =
        [field("share", "float"), field("open", "boolean"), field("due", "date"), field("code", "text")];
    world.write("tabletalk.toml", config.concat() + "max_length = 3\n");
    world.write("a.md", "Oslo was on time.\n").write("b.md", "Oslo was late.\n");
    let fields = |share, open, due| ["--field", share, "--field", open, "--field", due];
    world.json(0, &[&["add", "a.md"][..], &fields("share=0.25", "open=true", "due=2024-03-05")].concat());
    world.json(0, &[&["add", "b.md"][..], &fields("share=1.5", "open=false", "due=2024-11-30")].concat());
    let found = |filter: &str| places(&world.json(0, &["search", "Oslo", "--filter", filter]));
    for filter in ["share<=0.3", "open=true", "due<=2024-06-30"] {
        assert_eq!(found(filter), ["a.md:1"], "{filter}");
    }
    for filter in ["share>=1", "open=false", "due>=2024-11-01"] {
        assert_eq!(found(filter), ["b.md:1"], "{filter}");
    }
    assert_eq!(found("share>=0.2").len(), 2);
    for wrong in ["share=much", "open=perhaps", "due=soon", "code=four"] {
        let run = world.run(&["add", "a.md", "--field", wrong]);
        assert_eq!(run.code(), 2, "{wrong}: {}", run.stderr());
    }
}

#[test]
fn files_are_found_by_when_they_were_made_changed_and_read() {
    let world = World::new();
    world.write("a.md", "Oslo was on time.\n").write("b.md", "Oslo was late.\n");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(946_684_800 + 86_400);
    let file = std::fs::File::options().write(true).open(world.path("a.md")).unwrap();
    file.set_times(std::fs::FileTimes::new().set_modified(long_ago).set_accessed(long_ago)).unwrap();
    world.json(0, &["add", "a.md", "b.md"]);
    let found = |filter: &str| places(&world.json(0, &["search", "Oslo", "--filter", filter]));
    assert_eq!(found("last_modified_date<=2001-01-01"), ["a.md:1"]);
    assert_eq!(found("last_modified_date>=2001-01-01"), ["b.md:1"]);
    for filter in ["creation_date>=2001-01-01", "last_accessed_date>=1999-01-01"] {
        assert_eq!(found(filter).len(), 2, "{filter}");
    }
}

#[test]
fn pictures_are_found_by_what_stands_for_them() {
    let world = World::new();
    world.write("plan.md", "# Plan\n\nThe harbour.\n\n![A crane over the quay](crane.png)\n");
    world.json(0, &["add", "plan.md"]);
    let found = world.json(0, &["search", "crane", "--group", "image"]);
    assert_eq!(texts(&found), ["A crane over the quay"], "{found:#}");
}

#[test]
fn a_field_may_hold_a_list() {
    let world = World::new();
    world.write("tabletalk.toml", "[[doc_fields]]\nname = \"tag\"\ntype = \"text\"\nmany = true\n");
    world.write("a.md", "Oslo was on time.\n").write("b.md", "Oslo was late.\n");
    world.json(0, &["add", "a.md", "--field", "tag=final|audited"]);
    world.json(0, &["add", "b.md", "--field", "tag=draft"]);
    let found = |tag: &str| places(&world.json(0, &["search", "Oslo", "--filter", tag]));
    assert_eq!(found("tag=audited"), ["a.md:1"]);
    assert_eq!(found("tag=draft"), ["b.md:1"]);
    assert_eq!(found("tag=final|draft").len(), 2);
}

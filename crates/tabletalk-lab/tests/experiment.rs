use crate::world::World;

/// Two tables and four questions about them, and a recipe that asks them in two ways.
fn set(world: &World) {
    world.write(
        "corpus.jsonl",
        "{\"id\":\"r\",\"title\":\"rivers\",\"header\":[\"river\",\"length\",\"mouth\"],\"rows\":[[\"Danube\",\"2850\",\"Black Sea\"],[\"Elbe\",\"1094\",\"North Sea\"],[\"Rhine\",\"1233\",\"North Sea\"]]}\n\
         {\"id\":\"m\",\"title\":\"mountains\",\"header\":[\"mountain\",\"height\"],\"rows\":[[\"Elbrus\",\"5642\"],[\"Olympus\",\"2917\"]]}\n",
    );
    world.write(
        "questions.jsonl",
        "{\"id\":\"q1\",\"question\":\"what is the length of the Elbe?\",\"relevant\":[\"r\"],\"answers\":[\"1,094\"],\"cells\":[[1,0],[1,1]]}\n\
         {\"id\":\"q2\",\"question\":\"what is the height of Elbrus?\",\"relevant\":[\"m\"],\"answers\":[\"5642\"],\"cells\":[[0,0],[0,1]]}\n\
         {\"id\":\"q3\",\"question\":\"how many rivers flow into the North Sea?\",\"relevant\":[\"r\"],\"answers\":[\"3\"],\"columns\":[\"mouth\"]}\n\
         {\"id\":\"q4\",\"statement\":\"Olympus has a height of 2917\",\"relevant\":[\"m\"],\"label\":\"supported\"}\n",
    );
    world.write(
        "recipe.toml",
        "name = \"two ways\"\nabout = \"Words against vectors.\"\ntask = \"answers\"\n\
         [[set]]\nname = \"small\"\ncorpus = [\"corpus.jsonl\"]\nqueries = [\"questions.jsonl\"]\n\
         [[variant]]\nname = \"words\"\nconfig.answer.similarity = \"bm25\"\n\
         [[variant]]\nname = \"vectors\"\nconfig.answer.similarity = \"cosine\"\n\
         [[variant]]\nname = \"five samples\"\nmodel = true\nconfig.answer.samples = 5\n",
    );
}

#[test]
fn an_experiment_is_run_kept_and_reported() {
    let world = World::new();
    set(&world);
    let run = world.json(0, &["run", "recipe.toml"]);
    assert_eq!((&run["complete"], &run["sets"][0]["queries"]), (&true.into(), &4.into()), "{run:#}");
    let words = &run["cells"][0];
    assert_eq!((&words["variant"], &words["metrics"]["accuracy"]["mean"]), (&"words".into(), &0.75.into()));
    assert_eq!(run["cells"][1]["against"]["accuracy"]["difference"], 0.0, "{run:#}");
    assert_eq!(run["cells"][2]["skipped"], "needs a language model");
    let provenance = &run["provenance"];
    assert!(provenance["program"].as_str().unwrap().len() == 64 && provenance["seed"] == 1, "{provenance:#}");
    assert_eq!(run["sets"][0]["queries_hash"].as_str().unwrap().len(), 64);
    let name = run["name"].as_str().unwrap();
    let report = world.run(&["report", name]);
    assert!(report.stdout().contains("words") && report.stdout().contains("0.750"), "{}", report.stdout());
    let csv = world.run(&["report", name, "--format", "csv"]).stdout();
    assert!(csv.lines().any(|line| line.starts_with("small,words,") && line.contains("accuracy")), "{csv}");
    assert_eq!(world.run(&["report", name, "--format", "html", "--to", "r.html"]).code(), 0);
    let page = std::fs::read_to_string(world.path("r.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("<script") && !page.contains("http://"), "{page}");
    assert_eq!(world.json(0, &["runs"])["runs"][0]["name"], name);
    assert!(!world.path(".tabletalk").exists(), "measuring leaves the user's library alone");
}

#[test]
fn a_run_that_was_stopped_goes_on_and_nothing_is_mixed() {
    let world = World::new();
    set(&world);
    let run = world.json(0, &["run", "recipe.toml", "--variants", "words"]);
    let dir = world.path("evaluations").join(run["name"].as_str().unwrap());
    let file = dir.join("records/small/words.jsonl");
    let whole = std::fs::read_to_string(&file).unwrap();
    // As if it had been killed in the middle of a line, before the variant was done.
    let second = whole.match_indices('\n').nth(1).unwrap().0 + 20;
    std::fs::write(&file, &whole[..second]).unwrap();
    let mut described: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("run.json")).unwrap()).unwrap();
    described["cells"] = serde_json::json!([]);
    std::fs::write(dir.join("run.json"), described.to_string()).unwrap();
    let again = world.json(0, &["run", "recipe.toml", "--variants", "words"]);
    assert_eq!(again["name"], run["name"]);
    let ids = |text: &str| -> Vec<String> {
        let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["query"].to_string();
        text.lines().map(id).collect()
    };
    let mended = std::fs::read_to_string(&file).unwrap();
    assert_eq!(ids(&mended), ids(&whole));
    assert!(mended.starts_with(whole.lines().next().unwrap()), "what was there is not asked again");
    // Another seed, other data, another configuration: another run.
    let other = world.json(0, &["run", "recipe.toml", "--variants", "words", "--seed", "2"]);
    assert_ne!(other["name"], run["name"]);
    world.write("tabletalk.toml", "[answer]\nsure = 0.9\n");
    let other = world.json(0, &["run", "recipe.toml", "--variants", "words"]);
    assert_ne!(other["name"], run["name"]);
}

#[test]
fn parts_of_tables_are_measured_too() {
    let world = World::new();
    set(&world);
    world.write(
        "find.toml",
        "name = \"find\"\ntask = \"retrieval\"\nk = [1, 3]\n\
         [[set]]\nname = \"small\"\ncorpus = [\"corpus.jsonl\"]\nqueries = [\"questions.jsonl\"]\nlevels = [\"row\", \"column\", \"cell\"]\n\
         [[variant]]\nname = \"words\"\nconfig.search.similarity = \"bm25\"\n[[variant]]\nname = \"layers\"\nstrategy = \"auto\"\n",
    );
    let run = world.json(0, &["run", "find.toml"]);
    let metrics = &run["cells"][0]["metrics"];
    assert_eq!(metrics["recall@1"]["mean"], 1.0, "{metrics:#}");
    assert_eq!(metrics["row.recall@1"]["mean"], 1.0, "{metrics:#}");
    assert_eq!(metrics["column.recall@3"]["mean"], 1.0, "{metrics:#}");
    assert!(metrics["cell.mrr"]["mean"].as_f64().unwrap() > 0.0, "{metrics:#}");
    assert!(run["cells"][1]["metrics"]["recall@1"]["mean"].as_f64().unwrap() > 0.5, "{run:#}");
}

#[test]
fn a_worse_run_does_not_pass_the_gate() {
    let world = World::new();
    set(&world);
    let good = world.json(0, &["run", "recipe.toml", "--variants", "words"]);
    let good = good["name"].as_str().unwrap();
    let baseline = format!("evaluations/{good}/run.json");
    assert_eq!(world.json(0, &["gate", good, "--baseline", &baseline])["passed"], true);
    // Answers are given only when they are beyond doubt: there are fewer.
    world.write("tabletalk.toml", "[answer]\nsure = 1.0\nsure_verdict = 1.0\n");
    let bad = world.json(0, &["run", "recipe.toml", "--variants", "words"]);
    let bad = bad["name"].as_str().unwrap();
    let gate = world.json(1, &["gate", bad, "--baseline", &baseline, "--max-drop", "1.0"]);
    assert_eq!(gate["passed"], false, "{gate:#}");
    assert_eq!(world.json(0, &["gate", bad, "--baseline", &baseline, "--max-drop", "100"])["passed"], true);
    let compared = world.json(0, &["eval", "compare", good, bad, "--metrics", "accuracy"]);
    assert!(compared["compared"][0]["paired"]["difference"].as_f64().unwrap() < 0.0, "{compared:#}");
    let run = world.run(&["eval", "compare", good, bad]);
    assert!(run.stdout().contains("accuracy"), "{}", run.stdout());
    assert_eq!(world.run(&["eval", "compare", good]).code(), 2, "two variants have to be named");
}

#[test]
fn says_what_is_wrong_with_a_recipe() {
    let world = World::new();
    set(&world);
    let run = world.run(&["run", "nothing.toml"]);
    assert!(run.code() == 3 && run.stderr().contains("control"), "{}", run.stderr());
    let run = world.run(&["run", "recipe.toml", "--variants", "word"]);
    assert!(run.code() == 2 && run.stderr().contains("words"), "{}", run.stderr());
    let text = std::fs::read_to_string(world.path("recipe.toml")).unwrap();
    world.write("recipe.toml", text.replace("answer.similarity", "answer.similarities"));
    let run = world.run(&["run", "recipe.toml"]);
    assert!(run.code() == 2 && run.stderr().contains("similarities"), "{}", run.stderr());
    let printed = world.run(&["recipe", "control"]);
    assert!(printed.code() == 0 && printed.stdout().contains("[[variant]]"), "{}", printed.stderr());
    let run = world.run(&["run", "control", "--data", "nowhere"]);
    assert!(run.code() == 3 && run.stderr().contains("nowhere"), "{}", run.stderr());
}

#[test]
fn questions_that_lie_in_the_corpus_are_refused() {
    let world = World::new();
    world.write("data/rivers.csv", "river,length\nElbe,1094\nRhine,1233\n");
    world.write(
        "data/q.jsonl",
        "{\"question\":\"how long is the Elbe?\",\"relevant\":[\"rivers\"],\"answers\":[\"1094\"]}\n",
    );
    let run = world.run(&["run", "control", "--corpus", "data", "--queries", "data/q.jsonl"]);
    assert!(run.code() == 2 && run.stderr().contains("inside the corpus"), "{}", run.stderr());
    let run = world.run(&["eval", "answers", "--corpus", "data", "--queries", "data/q.jsonl"]);
    assert!(run.code() == 2 && run.stderr().contains("inside the corpus"), "{}", run.stderr());
    std::fs::rename(world.path("data/q.jsonl"), world.path("q.jsonl")).unwrap();
    let args = ["--corpus", "data", "--queries", "q.jsonl", "-k", "1", "--similarity", "bm25"];
    let found = world.json(0, &[&["eval", "retrieval"], &args[..]].concat());
    assert_eq!(found["metrics"]["recall@1"]["mean"], 1.0, "a file is named by its stem too: {found:#}");
}

#[test]
fn questions_that_failed_are_asked_again() {
    let world = World::new();
    set(&world);
    let server = crate::script::Server::start(vec![
        crate::script::Do::Status(500),
        crate::script::Do::Status(500),
        crate::script::Do::Status(500),
        crate::script::Do::Say("Answer: 1094"),
    ]);
    let chat = format!(
        "[chat]\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"{}\"\nretries = 2\n",
        server.url
    );
    world.write("tabletalk.toml", chat);
    let args = ["run", "recipe.toml", "--variants", "words", "--sample", "1"];
    let first = world.json(0, &args);
    let again = world.json(0, &args);
    assert_eq!(again["name"], first["name"]);
    assert_eq!(
        (&first["cells"][0]["errors"], &again["cells"][0]["errors"]),
        (&1.into(), &0.into()),
        "{again:#}"
    );
}

/// A question, its answer and its label are known to nobody but the one who judges: they stand in no file of the
/// library, and in no prompt but that of the question itself.
#[test]
fn nothing_of_a_question_leaks() {
    let world = World::new();
    set(&world);
    let questions = std::fs::read_to_string(world.path("questions.jsonl")).unwrap();
    let questions: String = questions
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
            let key = if value["question"].is_null() { "statement" } else { "question" };
            value[key] = format!("{} markedquestion{i}", value[key].as_str().unwrap()).into();
            value["id"] = format!("markedid{i}").into();
            if key == "question" {
                value["answers"] = serde_json::json!([format!("markedanswer{i}")]);
            }
            value.to_string() + "\n"
        })
        .collect();
    world.write("questions.jsonl", questions);
    let server = crate::script::Server::start(vec![crate::script::Do::Say("Answer: 1094")]);
    world.write(
        "tabletalk.toml",
        format!(
            "[chat]\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"{}\"\n[answer]\nclarify = \"both\"\nfilter = \"model\"\n",
            server.url
        ),
    );
    let run = world.json(0, &["run", "recipe.toml"]);
    assert_eq!(run["cells"][2]["queries"], 4, "{run:#}");
    let prompts = server.prompts();
    assert!(prompts.len() > 12, "{}", prompts.len());
    for prompt in &prompts {
        let asked = (0..4).filter(|i| prompt.contains(&format!("markedquestion{i}"))).count();
        assert!(asked <= 1, "two questions in one prompt: {prompt}");
        assert!(!prompt.contains("markedanswer") && !prompt.contains("markedid"), "{prompt}");
    }
    let libraries = world.path("evaluations/libraries");
    let mut files = 0;
    each_file(&libraries, &mut |path, bytes| {
        files += 1;
        let held = bytes.windows(6).any(|part| part.eq_ignore_ascii_case(b"marked"));
        assert!(!held, "{} holds something of a question", path.display());
    });
    assert!(files > 3, "{files}");
}

fn each_file(dir: &std::path::Path, look: &mut dyn FnMut(&std::path::Path, &[u8])) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => each_file(&path, look),
            false => look(&path, &std::fs::read(&path).unwrap()),
        }
    }
}

#[test]
fn judges_by_the_rules_of_wikitablequestions() {
    let world = World::new();
    let mut child = world
        .command(&["judge"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = "{\"targets\":[\"5\"],\"given\":[\"5.0\"]}\n{\"targets\":[\"a\",\"b\"],\"given\":[\"B\",\"A\"]}\n{\"targets\":[\"a\"],\"given\":[\"b\"]}\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert_eq!(said, "{\"denoted\":true}\n{\"denoted\":true}\n{\"denoted\":false}\n");
}

#[test]
fn converts_a_public_set() {
    let world = World::new();
    world.write(
        "wtq/data/training.tsv",
        "id\tutterance\tcontext\ttargetValue\nnt-0\thow long is the Elbe?\tcsv/204-csv/590.csv\t1094\n",
    );
    world.write("wtq/csv/204-csv/590.csv", "\"river\",\"length\"\n\"Elbe\",\"1094\"\n");
    let done =
        world.json(0, &["convert", "wikitablequestions", "wtq", "--split", "training", "--to", "plain"]);
    assert_eq!((&done["tables"], &done["queries"]), (&1.into(), &1.into()), "{done:#}");
    let args = ["--corpus", "plain/tables.jsonl", "--queries", "plain/queries.jsonl", "--given-table"];
    let figures = world.json(0, &[&["eval", "answers"], &args[..]].concat());
    assert_eq!(figures["metrics"]["denotation"]["mean"], 1.0, "{figures:#}");
    let run = world.run(&["convert", "tabfact", "wtq", "--to", "plain"]);
    assert!(run.code() >= 2 && !run.stderr().is_empty(), "{}", run.stderr());
}

#[test]
fn the_figures_themselves_are_checked() {
    let world = World::new();
    set(&world);
    let oracle = world.json(0, &["oracle", "--queries", "questions.jsonl"]);
    assert_eq!(oracle["gold"]["denotation"]["mean"], 1.0, "{oracle:#}");
    assert_eq!(oracle["shuffled"]["denotation"]["mean"], 0.0, "{oracle:#}");
}

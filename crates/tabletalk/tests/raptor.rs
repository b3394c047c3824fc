//! Trees of summaries, and groups that a language model makes.

use crate::script::{Do, Server};
use crate::world::World;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

const TOPICS: [(&str, [&str; 6]); 4] = [
    ("harbour", ["ships", "cranes", "the quay", "containers", "pilots", "the tide"]),
    ("bakery", ["bread", "flour", "the oven", "rye dough", "apprentices", "the shop"]),
    ("forest", ["old trees", "deer", "the trail", "mushrooms", "rangers", "the pond"]),
    ("clinic", ["nurses", "patients", "the ward", "vaccines", "surgeons", "the waiting room"]),
];

fn paragraph(topic: usize, n: usize) -> String {
    let (name, things) = TOPICS[topic];
    let (a, b) = (things[n % 6], things[(n + 1) % 6]);
    format!(
        "In year {} the {name} of Eastport spent {} thousand on {a}. People of the {name} say that {b} matter more than {a}, and the {name} board agreed.",
        1990 + n,
        10 * n + topic + 3
    )
}

/// Small chunks and small clusters, so that little text gives a tree.
const SMALL: &str = "[[group]]\nname = \"medium\"\ntransform = { type = \"length\", length = 45 }\n\
    [raptor]\nmax_token = 50\ncluster_token = 240\n";

fn world(config: &str) -> World {
    let world = World::new();
    world.write("tabletalk.toml", format!("{config}\n{SMALL}"));
    for (topic, (name, _)) in TOPICS.iter().enumerate() {
        let text: Vec<String> = (0..8).map(|n| paragraph(topic, n)).collect();
        world.write(&format!("in/{name}.md"), format!("# The {name}\n\n{}\n", text.join("\n\n")));
    }
    world
}

fn with_server(server: &Server, more: &str) -> World {
    world(&format!(
        "{more}\n[chat]\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"{}\"\ncache = false\nretries = 0\n",
        server.url
    ))
}

#[test]
fn a_tree_is_built_shown_searched_and_cited_down_to_its_leaves() {
    let world = world("");
    world.json(0, &["add", "in"]);
    let missing = world.run(&["raptor", "show"]);
    assert!(missing.code() != 0 && missing.stderr().contains("raptor build"), "{}", missing.stderr());
    let built = world.json(0, &["raptor", "build"]);
    let leaves = built["leaves"].as_u64().unwrap();
    assert!(leaves >= 32 && built["summaries_new"].as_u64().unwrap() > 4, "{built}");
    let again = world.json(0, &["raptor", "build"]);
    assert_eq!(again["summaries_new"], 0, "{again}");

    let shown = world.run(&["raptor", "show", "--leaves"]).stdout();
    assert!(shown.contains("└─") && shown.contains("sentences") && shown.contains("harbour.md"), "{shown}");
    let tree = world.json(0, &["raptor", "show"])["trees"][0].clone();
    assert_eq!((&tree["leaves"], tree["roots"].as_array().unwrap().len()), (&json!(leaves), 1), "{tree}");
    let part = world.json(0, &["raptor", "show", tree["nodes"][0]["id"].as_str().unwrap()]);
    assert_eq!(part["trees"][0]["nodes"].as_array().unwrap().len(), 1);
    let stats = world.json(0, &["raptor", "stats"])["trees"][0].clone();
    assert!(stats["cohesion"].as_f64().unwrap() > 0.7 && stats["by_model"] == 0, "{stats}");

    for traversal in ["collapsed", "tree"] {
        let query = ["search", "--group", "raptor", "bread and flour of the bakery"];
        let found = world.json(0, &[&query[..], &["--traversal", traversal, "--tokens", "400"]].concat());
        let hits = found["hits"].as_array().unwrap();
        let summaries: Vec<&Value> = hits.iter().filter(|h| h["fields"]["layer"].is_u64()).collect();
        assert!(!summaries.is_empty() && summaries.len() < hits.len(), "{traversal} {found:#}");
        assert!(summaries.iter().all(|h| !h["fields"]["leaves"].as_array().unwrap().is_empty()));
    }
    let answer = world.json(1, &["ask", "--passages", "raptor", "What do people say about the bakery?"]);
    let cited = answer["citations"].as_array().unwrap();
    assert!(!cited.is_empty(), "{answer:#}");
    for citation in cited {
        let place = citation["place"]["text"].as_str().unwrap();
        assert!(place.contains(".md:"), "a citation is a leaf: {place}");
    }
    // The library's own document is not one of the user's.
    assert_ne!(world.run(&["forget", "raptor"]).code(), 0);
    assert_ne!(world.run(&["forget", "~raptor"]).code(), 0);
    assert_eq!(world.json(0, &["docs"])["documents"].as_array().unwrap().len(), 4);
    let doctor = world.json(0, &["doctor"]);
    assert_eq!(doctor["findings"].as_array().map_or(0, Vec::len), 0, "{doctor}");
    let synced = world.json(0, &["sync", "in"]);
    assert!(!synced.to_string().contains("forgotten\""), "{synced}");
}

#[test]
fn a_tree_follows_an_add_and_stands_in_plain_searches() {
    let world = world("");
    let added = world.json(0, &["add", "in", "--use-raptor"]);
    assert!(added["tree"]["summaries_new"].as_u64().unwrap() > 4, "{}", added["tree"]);
    let groups = |more: &[&str]| -> HashSet<String> {
        let found = world.json(0, &[&["search", "the bakery of Eastport", "-k", "20"], more].concat());
        found["hits"].as_array().unwrap().iter().map(|h| h["group"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(groups(&[]), ["medium".to_owned(), "raptor".to_owned()].into());
    let config = std::fs::read_to_string(world.path("tabletalk.toml")).unwrap();
    world.write("tabletalk.toml", format!("{config}in_search = false\nuse_raptor = true\n"));
    assert_eq!(groups(&[]), ["medium".to_owned()].into());
    world.write("in/more.md", paragraph(2, 30));
    let added = world.json(0, &["add", "in"]);
    assert!(added["tree"]["summaries_kept"].as_u64().unwrap() > 0, "{}", added["tree"]);
}

#[test]
fn a_small_layer_is_clustered_unless_told_otherwise() {
    let world = world("");
    let config = std::fs::read_to_string(world.path("tabletalk.toml"))
        .unwrap()
        .replace("cluster_token = 240", "cluster_token = 9000");
    world.write("tabletalk.toml", &config);
    world.json(0, &["add", "in"]);
    let built = world.json(0, &["raptor", "build"]);
    assert!(built["summaries_new"].as_u64().unwrap() >= 4, "a summary for each topic at least: {built}");
    world.write("tabletalk.toml", format!("{config}small = \"gather\"\n"));
    let built = world.json(0, &["raptor", "build", "--rebuild"]);
    assert_eq!(built["summaries_new"], 1, "{built}");
}

#[test]
fn an_upload_and_a_watched_folder_queue_a_tree() {
    use crate::serving::Served;
    let world = world("");
    let config = std::fs::read_to_string(world.path("tabletalk.toml")).unwrap();
    let text = std::fs::read(world.path("in/harbour.md")).unwrap();
    let server = Served::start(&world);
    let built = |server: &Served| {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(300) {
            let tasks = server.get("/api/v1/tasks").json();
            let tree = |t: &&Value| t["kind"] == "raptor" && t["state"] == "done";
            if let Some(task) = tasks["tasks"].as_array().unwrap().iter().find(tree) {
                return task["result"]["summaries_new"].as_u64().unwrap();
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        panic!("no tree was built: {}", server.get("/api/v1/tasks").text);
    };
    let taken = server.send("POST", "/api/v1/documents?name=harbour.md&use_raptor=true", &[], &text);
    assert_eq!(taken.status, 202, "{}", taken.text);
    assert!(built(&server) > 0);
    let order = |settings: Value| json!({"kind": "raptor", "rebuild": true, "settings": settings});
    let gathered = order(json!({"small": "gather", "cluster_token": 9000}));
    let task = server.json(202, "POST", "/api/v1/tasks", &gathered);
    let done = server.wait(task["task"]["id"].as_str().unwrap());
    assert_eq!(done["result"]["summaries_new"], 1, "{done:#}");
    for wrong in [json!({"max_tokne": 1}), json!({"cluster": {"threshold": 7}})] {
        server.json(400, "POST", "/api/v1/tasks", &order(wrong));
    }
    drop(server);
    std::fs::remove_dir_all(world.path("library")).unwrap();
    world.write("tabletalk.toml", format!("{config}[[watch]]\npath = \"in\"\nuse_raptor = true\n"));
    assert!(built(&Served::start(&world)) > 4);
}

#[test]
fn a_tree_follows_documents_that_come_and_go() {
    let world = world("");
    world.json(0, &["add", "in"]);
    world.json(0, &["raptor", "build"]);
    let more: Vec<String> = (20..23).map(|n| paragraph(0, n)).collect();
    world.write("in/harbour-two.md", more.join("\n\n"));
    world.json(0, &["add", "in"]);
    let built = world.json(0, &["raptor", "build"]);
    assert!(
        built["summaries_kept"].as_u64().unwrap() > 2 && built["summaries_new"].as_u64().unwrap() > 0,
        "{built}"
    );
    std::fs::remove_file(world.path("in/clinic.md")).unwrap();
    world.json(0, &["sync", "in"]);
    world.json(0, &["raptor", "build"]);
    let shown = world.run(&["raptor", "show", "--leaves"]).stdout();
    assert!(shown.contains("harbour-two.md") && !shown.contains("clinic"), "{shown}");
    let each = world.json(0, &["raptor", "build", "--scope", "document"]);
    assert_eq!(each["trees"], 4, "{each}");
}

#[test]
fn a_layer_of_a_strategy_can_be_a_tree() {
    let strategy = "[strategy.whole]\ngroup = \"medium\"\nthreshold = 0.0\n\
        layers = [{ kind = \"tree\", below = 1.0 }, { kind = \"collapsed\", below = 1.0 }]\n";
    let world = world(strategy);
    world.json(0, &["add", "in"]);
    // There is no tree yet: passages are found all the same.
    let before = world.json(0, &["search", "--strategy", "whole", "deer in the forest"]);
    assert!(before["hits"].as_array().unwrap().iter().all(|h| h["group"] == "medium"), "{before:#}");
    world.json(0, &["raptor", "build"]);
    let found = world.json(0, &["search", "--strategy", "whole", "deer in the forest", "-k", "12"]);
    let all = |name: &str| -> HashSet<&str> {
        found["hits"].as_array().unwrap().iter().map(|h| h[name].as_str().unwrap()).collect()
    };
    assert!(all("layer").contains("tree") && all("group").contains("raptor"), "{found:#}");
}

#[test]
fn a_long_run_says_what_it_costs_before_it_begins() {
    let server = Server::start(vec![Do::Echo(0)]);
    let world = with_server(&server, "");
    world.write(
        "tabletalk.toml",
        std::fs::read_to_string(world.path("tabletalk.toml")).unwrap() + "make = { ask_above = 3 }\n",
    );
    world.json(0, &["add", "in"]);
    let refused = world.run(&["raptor", "build"]);
    assert!(refused.stderr().contains("calls") && refused.stderr().contains("--yes"), "{}", refused.stderr());
    assert!(refused.code() != 0 && server.prompts().is_empty());
    let built = world.json(0, &["raptor", "build", "--yes"]);
    assert_eq!(built["usage"]["calls"], server.prompts().len(), "{built}");
    assert!(server.prompts().iter().all(|p| p.contains("cluster_content")));
}

#[test]
fn kills_at_random_points_lose_no_summary() {
    let server = Server::start(vec![Do::Echo(40)]);
    let world = with_server(&server, "");
    let config = std::fs::read_to_string(world.path("tabletalk.toml")).unwrap();
    world.write("tabletalk.toml", config + "make = { at_once = 1, ask_above = 1000 }\n");
    world.json(0, &["add", "in"]);
    let mut kills = 0;
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    for _ in 0..12 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut child = world
            .command(&["raptor", "build", "--yes"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let before = server.prompts().len();
        let enough = 1 + (state % 3) as usize;
        // Killed while the model is being asked, or when the build is done.
        let begun = Instant::now();
        while server.prompts().len() < before + enough
            && child.try_wait().unwrap().is_none()
            && begun.elapsed() < Duration::from_secs(120)
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(state % 40));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
    }
    assert!(kills >= 3, "{kills}");
    let built = world.json(0, &["raptor", "build", "--yes"]);
    let prompts = server.prompts();
    let distinct: HashSet<&String> = prompts.iter().collect();
    // A kill can cost the one request that was under way.
    assert!(
        prompts.len() <= distinct.len() + kills,
        "{} of {} with {kills} kills",
        prompts.len(),
        distinct.len()
    );
    assert!(built["failed"].as_array().unwrap().is_empty(), "{built}");
    let asked = prompts.len();
    let again = world.json(0, &["raptor", "build", "--yes", "--rebuild"]);
    assert_eq!((server.prompts().len(), &again["usage"]["calls"]), (asked, &json!(0)), "{again}");
}

#[test]
fn questions_of_passages_are_made_once_and_found() {
    let server = Server::start(vec![Do::Say(
        "Q: Who pays for the lighthouse?\nA: The council\n\nQ: And when?\nA: In May",
    )]);
    let world = with_server(&server, "");
    world.json(0, &["add", "in/forest.md"]);
    let none = world.run(&["make", "medium"]);
    assert!(none.code() != 0 && none.stderr().contains("when documents are added"), "{}", none.stderr());
    let made = world.json(0, &["make", "questions", "--yes"]);
    let asked = server.prompts().len();
    assert_eq!(made["groups"][0]["made"]["nodes"], json!(2 * asked), "{made}");
    let found = world.json(0, &["search", "--group", "questions", "--similarity", "bm25", "lighthouse"]);
    assert_eq!(found["hits"][0]["fields"]["answer"], "The council", "{found:#}");
    let target =
        ["search", "--group", "questions", "--target", "medium", "--similarity", "bm25", "lighthouse"];
    let found = world.json(0, &target);
    assert!(found["hits"][0]["text"].as_str().unwrap().contains("forest"), "{found:#}");
    let again = world.json(0, &["make", "questions"]);
    assert_eq!((server.prompts().len(), &again["groups"][0]["made"]["nodes"]), (asked, &json!(0)), "{again}");
}

#[test]
fn summaries_and_keywords_of_passages_are_made_and_found() {
    for (group, said, query) in [
        ("summary", "The rangers keep the lighthouse.", "lighthouse"),
        ("keywords", "lighthouse, rangers, upkeep", "upkeep"),
    ] {
        let server = Server::start(vec![Do::Say(said)]);
        let world = with_server(&server, "");
        world.json(0, &["add", "in/forest.md"]);
        let made = world.json(0, &["make", group, "--yes"]);
        assert!(made["groups"][0]["made"]["nodes"].as_u64().unwrap() > 0, "{made}");
        assert!(server.prompts()[0].contains("forest of Eastport"));
        let found = world.json(0, &["search", "--group", group, "--similarity", "bm25", query]);
        assert!(found["hits"][0]["text"].as_str().unwrap().contains(query), "{found:#}");
        let target = ["search", "--group", group, "--target", "coarse", "--similarity", "bm25", query];
        let found = world.json(0, &target);
        assert!(found["hits"][0]["text"].as_str().unwrap().contains("forest of Eastport"), "{found:#}");
    }
}

#[test]
fn a_tree_has_no_more_layers_than_it_may() {
    let world = world("");
    world.json(0, &["add", "in"]);
    world.json(0, &["raptor", "build"]);
    let layers = || {
        let tree = world.json(0, &["raptor", "show"])["trees"][0].clone();
        let layer = |node: &Value| node["layer"].as_u64().unwrap();
        (tree["nodes"].as_array().unwrap().iter().map(layer).max().unwrap(), tree["roots"].clone())
    };
    assert!(layers().0 > 1);
    let config = std::fs::read_to_string(world.path("tabletalk.toml")).unwrap();
    world.write("tabletalk.toml", config + "max_layers = 1\n");
    world.json(0, &["raptor", "build", "--rebuild"]);
    let (highest, roots) = layers();
    assert!(highest == 1 && roots.as_array().unwrap().len() > 1, "{highest} {roots}");
}

#[test]
fn what_a_model_did_not_write_as_asked_is_asked_for_again() {
    let server = Server::start(vec![Do::Say("I would rather not.")]);
    let world = with_server(&server, "");
    world.write("one.md", paragraph(2, 1));
    world.json(0, &["add", "one.md"]);
    let made = world.json(0, &["make", "questions", "--yes"]);
    let failed = made["groups"][0]["made"]["failed"].as_array().unwrap().len();
    assert_eq!(
        (failed * 3, &made["groups"][0]["made"]["nodes"]),
        (server.prompts().len(), &json!(0)),
        "{made}"
    );
    let asked = server.prompts().len();
    world.json(0, &["make", "questions", "--yes"]);
    assert_eq!(server.prompts().len(), 2 * asked);
}

#[test]
fn a_prompt_of_ones_own_makes_a_group() {
    let server = Server::start(vec![Do::Say("Calm.")]);
    let own = "[[group]]\nname = \"mood\"\nparent = \"root\"\n\
        transform = { type = \"prompt\", prompt = \"In one word, what is the mood of this?\\n\\n{{text}}\" }\n";
    let world = with_server(&server, own);
    world.json(0, &["add", "in/forest.md", "in/clinic.md"]);
    world.json(0, &["make", "mood"]);
    assert_eq!(server.prompts().len(), 2);
    assert!(server.prompts()[0].contains("mood of this"));
    let found = world.json(0, &["search", "--group", "mood", "--similarity", "bm25", "calm"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 2, "{found:#}");
    let wrong = world.run(&["make", "mood", "--config", "other.toml"]);
    assert_ne!(wrong.code(), 0);
    world.write(
        "bad.toml",
        "[[group]]\nname = \"x\"\ntransform = { type = \"prompt\", prompt = \"{{page}}\" }\n",
    );
    let bad = world.run(&["groups", "--config", "bad.toml"]);
    assert!(bad.stderr().contains("{{page}}"), "{}", bad.stderr());
}

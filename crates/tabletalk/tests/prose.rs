//! Answers in sentences, what explains tables to a model, and how what is asked about is found.

use crate::script::{Do, Server};
use crate::world::World;
use serde_json::{Value, json};

const REPORT: &str = "# Suppliers\n\nTwelve suppliers delivered late in 2023. Acme Corp was 14 days late because of a strike.\n\n\
                      # Prices\n\nPrices rose by 5 % in 2023.\n";

fn world(server: &Server, more: &str) -> World {
    let world = World::new();
    world.write("report.md", REPORT);
    configure(&world, server, more);
    world.json(0, &["add", "report.md", "--no-embed"]);
    world
}

fn configure(world: &World, server: &Server, more: &str) {
    let chat = format!(
        "[chat]\nprovider = \"openai\"\nmodel = \"scripted\"\nurl = \"{}\"\ntimeout_s = 2\nretries = 2\ntools = \"text\"\n",
        server.url
    );
    world.write("tabletalk.toml", format!("{chat}{more}"));
}

fn sentences(answer: &Value) -> Vec<&str> {
    answer["sentences"].as_array().unwrap().iter().map(|s| s["text"].as_str().unwrap()).collect()
}

#[test]
fn sentences_that_passages_bear_out_are_kept_and_cited_and_others_left_out() {
    let server = Server::start(vec![Do::Say(
        "Answer: Acme Corp was 14 days late due to a strike. In 2023, 12 suppliers were late with deliveries. \
         Globex Ltd was 30 days late. Prices went up by 50 % in 2023.",
    )]);
    let answer = world(&server, "").json(0, &["ask", "What do the reports say about suppliers?"]);
    let kept =
        ["Acme Corp was 14 days late due to a strike.", "In 2023, 12 suppliers were late with deliveries."];
    assert_eq!(sentences(&answer), kept, "{answer:#}");
    assert_eq!((&answer["basis"], &answer["values"]), (&"reading".into(), &json!(kept)));
    for sentence in answer["sentences"].as_array().unwrap() {
        let cited = sentence["citations"][0].as_u64().unwrap() as usize;
        let citation = &answer["citations"][cited];
        assert!(citation["place"]["text"].as_str().unwrap().starts_with("report.md:"), "{answer:#}");
        assert!(citation["text"].as_str().unwrap().contains("late"), "{answer:#}");
    }
    let notice = answer["notice"].as_str().unwrap();
    assert!(notice.contains("Globex") && notice.contains("50 %"), "{notice}");
    let said = answer["answer"].as_str().unwrap();
    assert!(said.contains("strike. [1]") && !said.contains("Globex") && !said.contains("50"), "{said}");
}

#[test]
fn no_name_or_number_that_is_made_up_is_answered() {
    for said in [
        "Answer: Initech was 14 days late because of a strike.",
        "Answer: Acme Corp was 15 days late because of a strike.",
        "Answer: Acme Corp was 14 days late because of a strike in Leeds.",
        "Answer: Thirteen suppliers delivered late in 2023.",
        "Answer: Acme Corp was not late because of a strike.",
        "Answer: The suppliers did a fine job all year round.",
    ] {
        let server = Server::start(vec![Do::Say(said)]);
        let answer = world(&server, "")
            .json(1, &["ask", "What do the reports say about suppliers?", "--mode", "text"]);
        assert_eq!(answer["outcome"], "unknown", "{said}: {answer:#}");
    }
}

#[test]
fn a_sentence_may_tell_what_a_program_gave() {
    let sql = "```sql\nSELECT sum(population) FROM cities WHERE country = 'Norway'\n```";
    for (said, code) in [
        ("Answer: In Norway live 1,000,000 people.", 0),
        ("Answer: In Norway live 1,000,001 people.", 1),
        ("Answer: In Denmark live 1,000,000 people.", 1),
    ] {
        let server = Server::start(vec![Do::Say(sql), Do::Say(said)]);
        let world = world(&server, "[answer]\nbuilt_in = \"never\"\n");
        world.write(
            "cities.csv",
            "city,country,population\nOslo,Norway,709000\nBergen,Norway,291000\nAarhus,Denmark,285000\n",
        );
        world.json(0, &["add", "cities.csv", "--no-embed"]);
        let answer = world.json(code, &["ask", "How many people live in Norway?"]);
        if code == 0 {
            assert_eq!(answer["citations"][0]["place"]["text"], "cities.csv!C2:C3", "{answer:#}");
        }
    }
}

/// Two tables, and a library of articles about them.
fn explained(server: &Server, more: &str) -> World {
    let world = World::new();
    world.write(
        "articles/census.md",
        "# Norwegian towns\n\nTowns of Norway are counted by the statistical office each January.\n",
    );
    world.json(0, &["add", "articles", "--no-embed", "--library", "reference"]);
    configure(&world, server, &format!("{more}[reference]\nlibrary = \"reference\"\n"));
    world.write("towns.csv", "town,norway inhabitants\nOslo,709000\nBergen,291000\n");
    world.write("boats.csv", "boat,norway crew\nFram,13\nViking,20\n");
    world.json(0, &["add", "towns.csv", "boats.csv", "--no-embed"]);
    world
}

#[test]
fn every_table_is_explained_for_the_question_and_articles_are_cited() {
    let say = |text| Do::Say(text);
    let server = Server::start(vec![
        say("One row is a town in a year."),
        say("One row is a town in a year."),
        say("```sql\nSELECT sum(\"norway inhabitants\") FROM towns\n```"),
        say("Answer: 1000000"),
    ]);
    let question = "How many inhabitants of Norway are there?";
    let answer = explained(&server, "[answer]\nclarify = \"summary\"\n").json(0, &["ask", question]);
    let prompts = server.prompts();
    assert!(prompts[0].contains(question) && prompts[1].contains(question), "{prompts:?}");
    assert!(prompts[0].contains("statistical office"), "{}", prompts[0]);
    for table in ["towns", "boats"] {
        assert!(prompts[2].contains(&format!("Table \\\"{table}\\\":\\nOne row")), "{table}: {}", prompts[2]);
    }
    assert!(prompts[2].contains("(after census.md"), "{}", prompts[2]);
    let places: Vec<&str> = answer["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["place"]["text"].as_str().unwrap())
        .collect();
    assert!(
        places.iter().any(|place| place.starts_with("census.md") || place.contains("/census.md")),
        "{places:?}"
    );
}

#[test]
fn explanations_reach_the_prompt_of_a_verdict() {
    let server = Server::start(vec![
        Do::Say("town: a place where people live"),
        Do::Say("One row is a town in a year."),
        Do::Say("```sql\nSELECT sum(\"norway inhabitants\") FROM towns\n```"),
        Do::Say("Answer: refuted"),
    ]);
    let world = explained(&server, "[answer]\nclarify = \"both\"\nbuilt_in = \"never\"\n");
    let answer = world.json(1, &["verify", "Norway has two million inhabitants", "--table", "towns"]);
    assert_eq!(answer["verdict"], "refuted", "{answer:#}");
    let prompt = &server.prompts()[2];
    assert!(
        prompt.contains("town: a place where people live") && prompt.contains("One row is a town"),
        "{prompt}"
    );
}

fn recalled(answer: &Value) -> Vec<&str> {
    let step = answer["trace"].as_array().unwrap().iter().find(|s| s["step"] == "recall").unwrap();
    step["tables"].as_array().unwrap().iter().map(|t| t["table"].as_str().unwrap()).collect()
}

fn by(answer: &Value) -> Value {
    answer["trace"].as_array().unwrap().iter().find(|s| s["step"] == "recall").unwrap()["by"].clone()
}

/// Two tables that both have the words of a question.
fn two() -> World {
    let world = World::new();
    world.write("old.csv", "office,rent\nNorth,1200\nWest,800\n");
    world.write("new.csv", "office,rent,remark\nNorth,1500,offices\nWest,900,rents\n");
    world.json(0, &["add", "old.csv", "new.csv", "--no-embed"]);
    world
}

#[test]
fn a_reranker_reaches_the_tables_of_questions_and_statements() {
    let world = two();
    for table in ["old", "new"] {
        let other = if table == "old" { "new" } else { "old" };
        let kept = if table == "new" { "required" } else { "excluded" };
        world.write(
            "tabletalk.toml",
            format!("[answer]\ntables = 1\nrerank = [\"only\"]\n[rerank.only]\ntype = \"words\"\n{kept} = [\"remark\"]\n"),
        );
        let run = world.run(&["ask", "What is the rent of the office North?", "--json"]);
        let answer: Value = serde_json::from_str(&run.stdout()).unwrap();
        assert_eq!(recalled(&answer), [table], "not {other}: {answer:#}");
        let run = world.run(&["verify", "The rent of the office North is 1500", "--json"]);
        let answer: Value = serde_json::from_str(&run.stdout()).unwrap();
        assert_eq!(recalled(&answer), [table], "not {other}: {answer:#}");
    }
}

#[test]
fn asking_follows_the_search_and_can_use_a_strategy() {
    let world = two();
    let strategy =
        "[strategy.words]\ngroup = \"table\"\nthreshold = 0.0\nlayers = [{ kind = \"keyword\" }]\n";
    world.write("tabletalk.toml", format!("[search]\nsimilarity = \"bm25\"\n{strategy}"));
    let ask = |more: &[&str]| -> Value {
        let run = world.run(&[&["ask", "What is the rent of the office West?", "--json"], more].concat());
        serde_json::from_str(&run.stdout()).unwrap()
    };
    assert_eq!(by(&ask(&[])), json!(["bm25"]));
    let answer = ask(&["--strategy", "words"]);
    assert_eq!((by(&answer), recalled(&answer).len()), (json!(["words"]), 2), "{answer:#}");
    let run = world.run(&["ask", "What is the rent?", "--strategy", "none"]);
    assert!(run.code() == 3 && run.stderr().contains("no strategy `none`"), "{}", run.stderr());
    world.write(
        "tabletalk.toml",
        format!("[answer]\nstrategy = [\"words\"]\nsimilarity = \"bm25\"\n{strategy}"),
    );
    assert_eq!(by(&ask(&[])), json!(["words"]));
}

const COMPANY: &str = "# 网易\n\n网易公司在1997年由丁磊创立，总部位于广州。公司初期出售邮件系统软件。2000年，网易在纳斯达克上市。\n";
const BRIDGE: &str =
    "# Bridges\n\nThe bridge over the Elbe was built in 1893 by Claus Koepcke. It is painted blue.\n";

fn texts() -> World {
    let world = World::new();
    world.write("company.md", COMPANY);
    world.write("bridge.md", BRIDGE);
    world.write("cities.csv", "city,population\nOslo,709000\nBergen,291000\n");
    world.json(0, &["add", ".", "--no-embed"]);
    world
}

#[test]
fn texts_answer_without_a_model_and_are_cited() {
    let world = texts();
    for (question, right, file) in [
        ("网易公司在哪一年创立？", "1997年", "company.md"),
        ("網易公司由誰創立？", "丁磊", "company.md"),
        ("网易在哪里上市？", "纳斯达克", "company.md"),
        ("When was the bridge over the Elbe built?", "1893", "bridge.md"),
        ("Who built the bridge over the Elbe?", "Claus Koepcke", "bridge.md"),
    ] {
        let answer = world.json(0, &["ask", question]);
        assert_eq!((&answer["values"], &answer["basis"]), (&json!([right]), &"reading".into()), "{answer:#}");
        let citation = &answer["citations"][0];
        assert!(citation["place"]["text"].as_str().unwrap().starts_with(file), "{answer:#}");
        assert!(citation["text"].as_str().unwrap().contains(right), "{answer:#}");
        assert_eq!(answer["sentences"][0]["text"], citation["text"], "{answer:#}");
    }
    let out = world.run(&["ask", "Who built the bridge over the Elbe?"]).stdout();
    assert!(out.starts_with("Claus Koepcke  (") && out.contains("built in 1893 by Claus Koepcke."), "{out}");
}

#[test]
fn what_texts_do_not_say_is_not_answered_and_tables_are_not_answered_by_texts() {
    let world = texts();
    for question in [
        "腾讯公司由谁创立？",
        "网易公司的股价是多少？",
        "Who built the bridge over the Rhine?",
        "When was the bridge over the Elbe painted in 1950?",
        "What is the population of Atlantis?",
        "Who is the mayor of Oslo?",
    ] {
        let answer = world.json(1, &["ask", question]);
        assert_eq!(answer["outcome"], "unknown", "{question}: {answer:#}");
    }
    let answer = world.json(0, &["ask", "What is the population of Oslo?"]);
    assert_eq!((&answer["values"], &answer["basis"]), (&json!(["709000"]), &"program".into()));
    world.write("tabletalk.toml", "[answer]\nsure_text = 1.0\n");
    world.json(1, &["ask", "Who built the bridge over the Elbe?"]);
}

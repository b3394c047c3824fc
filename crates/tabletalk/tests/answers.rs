//! Questions, statements and SQL, without a language model.

use crate::world::World;
use serde_json::Value;
use std::fmt::Write;

fn world() -> World {
    let world = World::new();
    world.write(
        "cities.csv",
        "city,country,population,founded\nOslo,Norway,709000,1040\nBergen,Norway,291000,1070\nAarhus,Denmark,285000,750\nMalmö,Sweden,351000,1275\nTurku,Finland,195000,1229\n",
    );
    world.write(
        "offices.csv",
        "office,city,staff,rent\nNorth,Oslo,41,\"1,200.50\"\nWest,Bergen,12,800\nEast,Turku,7,450\nSouth,Malmö,20,950\n",
    );
    world.write("门店.csv", "门店,城市,销售额,员工\n人民广场店,上海,152,12\n张江店,上海,98,7\n西湖店,杭州,120,9\n天府店,成都,133,11\n");
    world.write("notes.md", "# Plans\n\nThe new warehouse in Gdansk opens in May.\n");
    world.json(0, &["add", "."]);
    world
}

fn ask(world: &World, question: &str) -> Value {
    let run = world.run(&["ask", question, "--json"]);
    assert!(run.code() < 2, "{question}: {}", run.stderr());
    serde_json::from_str(&run.stdout()).unwrap()
}

fn values(answer: &Value) -> Vec<String> {
    answer["values"].as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn cited(answer: &Value) -> Vec<String> {
    let citations = answer["citations"].as_array().unwrap();
    citations.iter().map(|c| c["place"]["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn looks_a_value_up_and_cites_its_cell() {
    let world = world();
    let answer = ask(&world, "What is the population of Bergen?");
    assert_eq!(answer["outcome"], "answered", "{answer:#}");
    assert_eq!(values(&answer), ["291000"]);
    assert!(cited(&answer).contains(&"cities.csv!C3".to_owned()), "{answer:#}");
    assert_eq!(answer["basis"], "program");
    assert!(answer["program"]["sql"].as_str().unwrap().contains("SELECT"));
    assert_eq!(answer["program"]["rows_total"], 5);
    assert!(answer["confidence"].as_f64().unwrap() > 0.5);
    assert!(!answer["trace"].as_array().unwrap().is_empty());
    assert_eq!(answer["usage"]["calls"], 0);
}

#[test]
fn a_limit_that_was_reached_is_not_silence() {
    let world = world();
    world.write("tabletalk.toml", "[sql]\ntime_ms = 0\n");
    let answer = ask(&world, "What is the population of Bergen?");
    assert_eq!(answer["outcome"], "unknown", "{answer:#}");
    let said = answer["answer"].as_str().unwrap();
    assert!(said.contains("the statement took longer than 0 s"), "{said}");
    assert!(!answer["citations"].as_array().unwrap().is_empty(), "what is nearest is still shown");
    let verdict = world.json(1, &["verify", "Oslo has a population of 709000"]);
    assert!(verdict["answer"].as_str().unwrap().contains("took longer"), "{verdict:#}");
}

#[test]
fn computes_over_all_rows() {
    let world = world();
    for (question, right) in [
        ("How many cities are in Norway?", "2"),
        ("What is the total population?", "1831000"),
        ("What is the average staff of the offices?", "20"),
        ("Which city has the largest population?", "Oslo"),
        ("What is the lowest population?", "195000"),
        ("上海有多少家门店？", "2"),
        ("哪家门店的销售额最高？", "人民广场店"),
    ] {
        let answer = ask(&world, question);
        assert_eq!(values(&answer), [right], "{question} {answer:#}");
        assert_eq!(answer["program"]["rows_read"], answer["program"]["rows_total"], "{question}");
        assert!(!cited(&answer).is_empty(), "{question}");
    }
}

#[test]
fn sums_over_many_rows_are_exact() {
    let world = World::new();
    let (mut csv, mut total, mut north) = ("order,region,amount\n".to_owned(), 0i64, 0i64);
    for i in 0..40_000i64 {
        let (region, amount) = (["North", "South", "East"][(i % 3) as usize], (i * 7919) % 1000);
        total += amount;
        north += if i % 3 == 0 { amount } else { 0 };
        writeln!(csv, "{i},{region},{amount}").unwrap();
    }
    world.write("orders.csv", csv);
    world.json(0, &["add", ".", "--no-embed"]);
    for (question, right) in [
        ("What is the total amount?", total.to_string()),
        ("What is the total amount in the region North?", north.to_string()),
        ("How many orders are in the region South?", "13333".to_owned()),
        ("What is the highest amount?", "999".to_owned()),
    ] {
        let answer = ask(&world, question);
        assert_eq!(values(&answer), [right], "{question} {answer:#}");
        assert_eq!(answer["program"]["rows_read"], 40_000, "{question}");
        assert_eq!(answer["program"]["rows_total"], 40_000, "{question}");
    }
}

#[test]
fn says_that_it_does_not_know_and_shows_what_is_nearest() {
    let world = world();
    let answer = ask(&world, "When does the new warehouse in Gdansk open?");
    assert_eq!(answer["outcome"], "unknown", "{answer:#}");
    assert_eq!(answer["basis"], "passages");
    assert!(cited(&answer).iter().any(|p| p.starts_with("notes.md")), "{answer:#}");
    let run = world.run(&["ask", "zxqv wkjh?"]);
    assert_eq!(run.code(), 1, "{}", run.stdout());
    assert!(run.stdout().contains("not known"), "{}", run.stdout());
}

#[test]
fn silence_shows_readings_tables_and_rows_that_help() {
    let world = world();
    let answer = ask(&world, "What is the population of Atlantis?");
    assert_eq!(
        (&answer["outcome"], &answer["answer"]),
        (&"unknown".into(), &"not in these tables: Atlantis".into())
    );
    assert_eq!(answer["nearest"][0]["table"], "cities", "{answer:#}");
    assert!(answer["readings"][0]["words"].as_str().unwrap().contains("population"), "{answer:#}");
    assert_eq!(answer["readings"][0]["answer"], "", "a value that was not asked for is not shown");
    assert!(cited(&answer).iter().all(|place| place.starts_with("cities.csv!")), "{answer:#}");
    let run = world.run(&["ask", "What is the population of Atlantis?"]);
    let out = run.stdout();
    for words in ["not in these tables: Atlantis", "Did you mean:", "Nearest tables:", "Nearest rows:"] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    let offered = |line: &str| line.starts_with("  1. ") && line.contains("population");
    assert!(out.lines().any(offered), "{out}");
}

#[test]
fn with_a_table_nothing_else_is_shown() {
    let world = world();
    let answer = world.json(1, &["ask", "Is it sunny in Bergen or in Gdansk?", "--table", "offices"]);
    assert_eq!(answer["nearest"].as_array().unwrap().len(), 1, "{answer:#}");
    assert!(cited(&answer).iter().all(|place| place.starts_with("offices.csv!")), "{answer:#}");
    assert!(!cited(&answer).is_empty(), "{answer:#}");
}

/// Two columns hold the same names, so that a name may mean either.
fn games() -> World {
    let world = World::new();
    world.write(
        "games.csv",
        "home,away,goals\nAjax,Feyenoord,3\nPSV,Ajax,2\nFeyenoord,PSV,4\nAjax,PSV,1\nFeyenoord,Ajax,5\n",
    );
    world.json(0, &["add", "games.csv", "--no-embed"]);
    world
}

#[test]
fn close_readings_are_offered_and_the_choice_is_remembered() {
    let world = games();
    let open = world.json(1, &["ask", "total goals of Ajax"]);
    assert_eq!(open["outcome"], "clarify", "{open:#}");
    let words: Vec<&str> =
        open["readings"].as_array().unwrap().iter().map(|r| r["words"].as_str().unwrap()).collect();
    let home = words.iter().position(|w| *w == "the sum of goals where home is Ajax").unwrap() + 1;
    assert!(words.contains(&"the sum of goals where away is Ajax"), "{words:?}");
    let chosen = world.json(0, &["ask", "total goals of Ajax", "--choose", &home.to_string()]);
    assert_eq!(values(&chosen), ["4"], "{chosen:#}");
    let go_on = ["ask", "total goals of Ajax", "--conversation", "new", "--choose", &home.to_string()];
    let id = world.json(0, &go_on)["conversation"].as_str().unwrap().to_owned();
    let other = world.json(0, &["ask", "and of PSV?", "--conversation", &id]);
    assert_eq!(values(&other), ["2"], "it goes on from the reading that was chosen: {other:#}");
    let again = world.json(0, &["ask", "Total goals of Ajax?"]);
    assert_eq!((values(&again), &again["remembered"]), (vec!["4".to_owned()], &true.into()), "{again:#}");
    let alike = world.json(0, &["ask", "total goals of Feyenoord"]);
    assert_eq!((values(&alike), &alike["remembered"]), (vec!["9".to_owned()], &true.into()), "{alike:#}");
    let run = world.run(&["ask", "total goals of Ajax", "--choose", "9"]);
    assert!(run.code() == 2 && run.stderr().contains("no reading 9"), "{}", run.stderr());
}

#[test]
fn the_largest_sums_are_found_under_the_name_of_what_is_added_up() {
    let world = World::new();
    world.write(
        "orders.csv",
        "Order,Customer,Order total\nA-1,Ann,20\nA-2,Bob,35\nA-3,Ann,30\nA-4,Cid,45.5\nA-5,Bob,5\n",
    );
    world.json(0, &["add", "orders.csv", "--no-embed"]);
    let answer = world.json(0, &["ask", "Top 2 customers by order total", "--no-model"]);
    assert_eq!(answer["values"], serde_json::json!(["Ann", "50", "Cid", "45.5"]), "{answer:#}");
}

#[test]
fn groups_are_a_table_with_a_total_and_cells_are_ranges() {
    let world = games();
    let answer = world.json(0, &["ask", "goals by home"]);
    let result = &answer["program"]["result"];
    assert_eq!(result["total"], serde_json::json!(["Total", "15"]), "{answer:#}");
    assert_eq!(result["rows"].as_array().unwrap().len(), 3);
    assert!(cited(&answer).contains(&"games.csv!C2:C6".to_owned()), "{answer:#}");
    let out = world.run(&["ask", "goals by home"]).stdout();
    assert!(out.contains("the sum of goals by home") && out.contains("Total"), "{out}");
}

fn orders() -> World {
    let world = World::new();
    world.write(
        "orders.csv",
        "order,date,city,status,revenue\n1001,2024-01-05,Lyon,open,10\n1002,2024-01-09,Lyon,shipped,20\n1003,2024-02-11,Oslo,open,40\n1004,2024-02-20,Turin,open,80\n1005,2024-03-02,Lyon,open,160\n",
    );
    world.json(0, &["add", "orders.csv", "--no-embed"]);
    world
}

#[test]
fn cells_below_each_other_are_one_range() {
    let world = orders();
    let list = world.json(0, &["ask", "Which orders are in Lyon?"]);
    assert_eq!(values(&list), ["1001", "1002", "1005"], "{list:#}");
    assert_eq!(cited(&list), ["orders.csv!A2:A3", "orders.csv!A6"], "{list:#}");
    let out = world.run(&["ask", "Which orders are in Lyon?"]).stdout();
    assert!(out.contains("[1] orders.csv!A2:A3, A6  1001; 1002; 1005"), "{out}");
    assert!(out.contains("computed over 5 of 5 rows; the answer rests on 3 of them"), "{out}");
}

#[test]
fn people_see_the_program_the_rows_and_the_cells() {
    let world = world();
    let run = world.run(&["ask", "How many cities are in Norway?", "--explain"]);
    let out = run.stdout();
    assert!(out.contains("computed over 5 of 5 rows") && out.contains("SELECT"), "{out}");
    assert!(out.contains("cities.csv!") && out.contains("% sure") && out.contains("steps"), "{out}");
}

#[test]
fn goes_on_with_a_conversation() {
    let world = world();
    let first = world.json(0, &["ask", "Which cities are in Norway?", "--conversation", "new"]);
    assert_eq!(values(&first), ["Oslo", "Bergen"], "{first:#}");
    let id = first["conversation"].as_str().unwrap();
    let second = world.json(0, &["ask", "Which of them has the smallest population?", "--conversation", id]);
    assert_eq!(values(&second), ["Bergen"], "{second:#}");
    let list = world.json(0, &["conversations"]);
    assert_eq!(
        (&list["conversations"][0]["id"], &list["conversations"][0]["turns"]),
        (&first["conversation"], &2.into())
    );
    assert_eq!(world.run(&["ask", "And now?", "--conversation", "nope"]).code(), 3);
}

#[test]
fn a_conversation_changes_one_thing_at_a_time() {
    let world = orders();
    let mut id = "new".to_owned();
    for (question, said) in [
        ("total revenue in Lyon", "190"),
        ("and in Turin?", "80"),
        ("by city instead", "Turin: 80"),
        ("revenue by city", "Lyon: 190; Oslo: 40; Turin: 80"),
        ("only the open ones", "Lyon: 170; Oslo: 40; Turin: 80"),
        ("by month instead", "2024-01: 10; 2024-02: 120; 2024-03: 160"),
        ("why?", "Computed as the sum of revenue by month of date where status is open, from 4 of 5 rows."),
        (
            "as a chart",
            "2024-01  ██ 10\n2024-02  ███████████████████████ 120\n2024-03  ██████████████████████████████ 160",
        ),
    ] {
        let answer = world.json(0, &["ask", question, "--conversation", &id]);
        assert_eq!(answer["answer"], said, "{question} {answer:#}");
        id = answer["conversation"].as_str().unwrap().to_owned();
    }
}

#[test]
fn judges_statements() {
    let world = world();
    let yes = world.json(0, &["verify", "Oslo has a population of 709000"]);
    assert_eq!(yes["verdict"], "supported", "{yes:#}");
    let no = world.json(1, &["verify", "Bergen has a population of 709000"]);
    assert_eq!(no["verdict"], "refuted", "{no:#}");
    assert!(!cited(&no).is_empty());
    let open = world.json(1, &["verify", "the moon is made of green cheese"]);
    assert_eq!(open["verdict"], "not_enough_info", "{open:#}");
}

#[test]
fn an_empty_question_and_a_missing_table_are_named() {
    let world = world();
    assert_eq!(world.run(&["ask", " "]).code(), 2);
    let run = world.run(&["ask", "how many?", "--table", "nothing"]);
    assert_eq!(run.code(), 3, "{}", run.stderr());
    let run = world.run(&["ask", "how many?", "--mode", "guess"]);
    assert!(run.code() == 2 && run.stderr().contains("table-rag"), "{}", run.stderr());
}

#[test]
fn sql_joins_across_files() {
    let world = world();
    let sql = "SELECT c.country, sum(o.staff) AS staff FROM offices o JOIN cities c ON o.city = c.city GROUP BY c.country ORDER BY staff DESC LIMIT 2";
    let out = world.json(0, &["sql", sql]);
    assert_eq!(out["rows"], serde_json::json!([["Norway", 53], ["Sweden", 20]]), "{out:#}");
    assert_eq!((&out["rows_read"], &out["rows_total"]), (&9.into(), &9.into()));
    let run = world.run(&["sql", sql]);
    assert!(
        run.stdout().contains("Norway") && run.stderr().contains("computed over 9 of 9 rows"),
        "{}",
        run.stderr()
    );
    let csv = world.run(&["sql", "SELECT city FROM cities WHERE country = 'Norway'", "--format", "csv"]);
    assert_eq!(csv.stdout(), "city\nOslo\nBergen\n");
}

#[test]
fn sql_names_what_was_meant_and_refuses_to_write() {
    let world = world();
    let run = world.run(&["sql", "SELECT popluation FROM cities"]);
    assert!(run.code() == 2 && run.stderr().contains("did you mean `population`"), "{}", run.stderr());
    for statement in [
        "DROP TABLE cities",
        "COPY cities TO 'x.csv'",
        "SELECT * FROM 'cities.csv'",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION 'cities.csv'",
        "SET datafusion.execution.batch_size = 1",
    ] {
        let run = world.run(&["sql", statement]);
        assert_eq!(run.code(), 2, "{statement}: {}{}", run.stdout(), run.stderr());
    }
    assert!(!world.path("x.csv").exists());
}

#[test]
fn measures_answers_over_a_corpus() {
    let world = World::new();
    world.write(
        "corpus.jsonl",
        "{\"id\":\"t\",\"title\":\"rivers\",\"header\":[\"river\",\"length\"],\"rows\":[[\"Danube\",\"2850\"],[\"Elbe\",\"1094\"]]}\n",
    );
    world.write(
        "q.jsonl",
        "{\"id\":1,\"question\":\"what is the length of the Elbe?\",\"table\":\"t\",\"answers\":[\"1,094\"]}\n{\"id\":2,\"question\":\"what is the length of the Danube?\",\"relevant\":[\"t\"],\"answer\":\"7\"}\n{\"id\":3,\"statement\":\"the Elbe has a length of 1094\",\"relevant\":[\"t\"],\"label\":1}\n",
    );
    let out = world
        .json(0, &["eval", "answers", "--corpus", "corpus.jsonl", "--queries", "q.jsonl", "--given-table"]);
    assert_eq!(out["queries"], 3);
    assert_eq!(out["metrics"]["coverage"]["mean"], 1.0, "{out:#}");
    assert!((out["metrics"]["accuracy"]["mean"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{out:#}");
}

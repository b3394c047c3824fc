//! What the page offers beside answers, over HTTP: charts, files, sorted rows, reports, feedback, models and their keys.

use crate::script::{Do, Server};
use crate::serving::Served;
use crate::world::World;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const SALES: &str = "city,product,sold,day\nOslo,bike,5,2023-01-02\nBergen,bike,12,2023-02-02\nOslo,helmet,7,2023-03-02\nTurku,helmet,9,2023-04-02\n";

fn served() -> (World, Served) {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    (world, server)
}

#[test]
fn a_result_is_drawn_and_taken_along() {
    let (_world, server) = served();
    let answer = server.post("/api/v1/ask", &json!({"question": "total sold by city"})).json();
    assert_eq!(answer["program"]["chart"], json!(["bar", "line"]), "{answer:#}");
    let result = json!({"columns": answer["program"]["result"]["columns"], "rows": answer["program"]["result"]["rows"]});
    let chart = server.post("/api/v1/chart", &json!({"result": result, "shape": "bar", "theme": "dark"}));
    assert_eq!(chart.header("content-type"), Some("image/svg+xml"));
    assert!(
        chart.text.contains("Turku") && chart.text.matches("class=\"chart-bar").count() == 3,
        "{}",
        chart.text
    );
    let nothing = json!({"result": {"columns": ["a"], "rows": [["x"]]}});
    assert_eq!(server.post("/api/v1/chart", &nothing).status, 400);
    let csv =
        server.post("/api/v1/export", &json!({"result": result, "format": "csv", "name": "Sold, by city"}));
    assert_eq!(csv.text.lines().next(), Some("city,sold"), "{}", csv.text);
    assert!(csv.header("content-disposition").unwrap().contains("Sold--by-city.csv"));
    assert!(
        server.post("/api/v1/export", &json!({"result": result, "format": "xlsx"})).text.starts_with("PK")
    );
    let table = server.get("/api/v1/tables/sales/export?format=csv");
    assert_eq!(table.text, SALES);
    assert!(server.get("/api/v1/tables/sales/export?format=xlsx").text.starts_with("PK"));
    assert_eq!(server.get("/api/v1/tables/sales/export?format=md").status, 400);
}

#[test]
fn rows_are_sorted_filtered_and_searched_by_the_server() {
    let (_world, server) = served();
    let rows = |wanted: Value| {
        let found = server.post("/api/v1/tables/sales/rows", &json!({"limit": 10, "wanted": wanted})).json();
        found["rows"].as_array().unwrap().iter().map(|r| r["row"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(rows(json!({"sort": -3})), [3, 5, 4, 2]);
    assert_eq!(rows(json!({"find": "oslo", "sort": 3})), [2, 4]);
    assert_eq!(
        rows(
            json!({"filters": [{"col": 3, "is": "least", "value": "9"}, {"col": 2, "is": "has", "value": "HELM"}]})
        ),
        [5]
    );
    let wrong = server.post(
        "/api/v1/tables/sales/rows",
        &json!({"wanted": {"filters": [{"col": 3, "is": "least", "value": "many"}]}}),
    );
    assert!(wrong.status == 400 && wrong.text.contains("not a number"), "{}", wrong.text);
}

#[test]
fn a_conversation_is_named_reported_and_judged() {
    let (world, server) = served();
    let ask = |question: &str, id: &str| {
        server.post("/api/v1/ask", &json!({"question": question, "conversation": id})).json()
    };
    let id = ask("total sold by city", "new")["conversation"].as_str().unwrap().to_owned();
    let named = server.send(
        "PUT",
        &format!("/api/v1/conversations/{id}"),
        &[("content-type", "application/json")],
        br#"{"title": "Our sales"}"#,
    );
    assert_eq!(named.status, 200, "{}", named.text);
    assert_eq!(server.get("/api/v1/conversations").json()["conversations"][0]["question"], "Our sales");
    let report = server.get(&format!("/api/v1/conversations/{id}/report?format=html"));
    assert!(report.text.contains("<h1>Our sales</h1>") && report.text.contains("<svg"), "{}", report.text);
    assert!(
        server.get(&format!("/api/v1/conversations/{id}/report?format=md")).text.contains("| Oslo | 12 |")
    );
    // The page has it said in its own language.
    let said = json!({"format": "html", "language": "de", "rests_on": "Beruht auf", "turns": [{"answer": "", "basis": "98 % sicher"}]});
    let german = server.post(&format!("/api/v1/conversations/{id}/report"), &said).text;
    assert!(german.contains("98 % sicher") && german.contains("Beruht auf: <code>"), "{german}");
    assert!(!german.contains("sure") && !german.contains("Rests on"), "{german}");

    // What was wrong is not taken again, and what was right is.
    let said =
        |good: Value| server.post("/api/v1/feedback", &json!({"conversation": id, "turn": 1, "good": good}));
    assert_eq!(said(json!(true)).status, 200);
    let kept = server.get("/api/v1/feedback").json()["feedback"][0].clone();
    assert_eq!(
        (&kept["question"], &kept["good"], &kept["table"]),
        (&json!("total sold by city"), &json!(true), &json!("sales"))
    );
    assert_eq!(ask("Total sold by city?", "new")["remembered"], true);
    let before = ask("total sold by city", "new")["program"]["sql"].clone();
    assert_eq!(said(json!(false)).status, 200);
    let after = ask("total sold by city", "new");
    assert!(after["outcome"] != "answered" || after["program"]["sql"] != before, "{after:#}");
    assert_eq!(said(json!(null)).status, 200);
    assert_eq!(ask("total sold by city", "new")["program"]["sql"], before);
    assert_eq!(
        server.post("/api/v1/feedback", &json!({"conversation": id, "turn": 9, "good": true})).status,
        404
    );
    drop(server);
    let listed = world.run(&["feedback", "--format", "csv", "--library", "library"]);
    assert!(
        listed.stdout().starts_with("right,question,answer,read as,table,statement"),
        "{}",
        listed.stdout()
    );
}

#[test]
fn other_readings_are_offered_and_are_no_turn() {
    let (_world, server) = served();
    let id = server
        .post("/api/v1/ask", &json!({"question": "total sold by city", "conversation": "new"}))
        .json()["conversation"]
        .clone();
    let offered = server
        .post("/api/v1/ask", &json!({"question": "total sold by city", "choose": 0, "conversation": id}))
        .json();
    assert_eq!(offered["outcome"], "clarify", "{offered:#}");
    let turns = server.get(&format!("/api/v1/conversations/{}", id.as_str().unwrap())).json();
    assert_eq!(turns["turns"].as_array().unwrap().len(), 1);
}

#[test]
fn the_key_of_a_model_is_kept_for_its_owner_alone_and_never_shown() {
    let model = Server::start(vec![Do::Say("ready")]);
    let (world, server) = served();
    let put = |body: Value| {
        server.send(
            "PUT",
            "/api/v1/settings/chat",
            &[("content-type", "application/json")],
            body.to_string().as_bytes(),
        )
    };
    let set = put(
        json!({"provider": "openai", "model": "scripted", "url": model.url, "api_key": "sk-very-secret"}),
    );
    assert_eq!(set.status, 200, "{}", set.text);
    let shown = server.get("/api/v1/settings");
    assert!(!shown.text.contains("secret") && !shown.text.contains("chat.key"), "{}", shown.text);
    assert_eq!(shown.json()["chat"]["has_key"], true);
    let file = world.path("library/chat.key");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!std::fs::read_to_string(world.path("library/settings.json")).unwrap().contains("secret"));
    let tested = server.post("/api/v1/settings/test", &json!({"what": "chat"})).json();
    assert_eq!(tested["ok"], true, "{tested:#}");

    // The form as it was shown comes back: the key stays. For another address it does not.
    assert_eq!(put(shown.json()["chat"].clone()).json()["chat"]["has_key"], true);
    let other = put(json!({"provider": "openai", "model": "scripted", "url": "http://127.0.0.1:9/v1"}));
    assert_eq!(other.json()["chat"]["has_key"], false, "{}", other.text);
    assert!(!file.exists());
    assert_eq!(put(json!({"model": "m", "api_key_file": "/etc/passwd"})).status, 400);
}

#[test]
fn a_correction_is_seen_before_it_is_kept() {
    let (_world, server) = served();
    let seen = server.post("/api/v1/tables/sales/correction", &json!({"header_row": 2})).json();
    assert_eq!(seen["columns"][0]["name"], "Oslo", "{seen:#}");
    assert_eq!(seen["rows"][0]["cells"][0], "Bergen");
    assert_eq!(server.get("/api/v1/tables/sales").json()["columns"][0]["name"], "city");
    // Where it ends is said, too: what stands below is no data.
    let seen = server.post("/api/v1/tables/sales/correction", &json!({"last_row": 3})).json();
    let marks: Vec<_> =
        seen["rows"].as_array().unwrap().iter().map(|r| r["mark"].as_str().unwrap()).collect();
    assert_eq!(marks, ["data", "data", "section", "section"]);
}

//! A real server: started, called over HTTP, and ended.

use crate::world::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A server over the library of a world; ended when it is dropped.
pub struct Served {
    pub url: String,
    pub key: Option<String>,
    child: Child,
}

/// What came back.
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

impl Served {
    pub fn start(world: &World) -> Served {
        Served::start_with(world, &[])
    }

    pub fn start_with(world: &World, args: &[&str]) -> Served {
        let args = [&["serve", "--listen", "127.0.0.1:0", "--library", "library"], args].concat();
        let mut command = world.command(&args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some(url) = line.trim().strip_prefix("listening on ") else {
            let mut said = String::new();
            let _ = child.stderr.take().unwrap().read_to_string(&mut said);
            panic!("it said {line:?}, {said}");
        };
        Served { url: url.to_owned(), key: None, child }
    }

    /// Sends a request with headers and a body.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .build()
            .into();
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = agent.run(request.body(body).unwrap()).unwrap();
        let headers = response.headers().iter();
        let headers = headers
            .map(|(n, v)| (n.as_str().to_owned(), v.to_str().unwrap_or_default().to_owned()))
            .collect();
        let bytes = response.body_mut().with_config().limit(256 << 20).read_to_vec().unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Response { status: response.status().as_u16(), headers, text }
    }

    pub fn get(&self, path: &str) -> Response {
        self.send("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.send("POST", path, &[("content-type", "application/json")], body.to_string().as_bytes())
    }

    /// Sends a request whose answer is JSON, with this status.
    pub fn json(&self, status: u16, method: &str, path: &str, body: &Value) -> Value {
        let kind = [("content-type", "application/json")];
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.send(method, path, if body.is_null() { &[] } else { &kind }, text.as_bytes());
        assert_eq!(response.status, status, "{method} {path}: {}", response.text);
        response.json()
    }

    /// Uploads a file and waits until it is in the library.
    pub fn upload(&self, name: &str, bytes: &[u8]) -> Value {
        let response = self.send("POST", &format!("/api/v1/documents?name={name}"), &[], bytes);
        assert_eq!(response.status, 202, "{}", response.text);
        self.wait(response.json()["task"]["id"].as_str().unwrap())
    }

    /// Waits until a task is over.
    pub fn wait(&self, id: &str) -> Value {
        let begun = Instant::now();
        loop {
            let task = self.json(200, "GET", &format!("/api/v1/tasks/{id}"), &Value::Null)["task"].clone();
            if !["queued", "running"].contains(&task["state"].as_str().unwrap()) {
                return task;
            }
            assert!(begun.elapsed() < Duration::from_secs(300), "{task}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Ends it as a service manager would, and says how it ended.
    pub fn end(mut self) -> i32 {
        let id = self.child.id().to_string();
        std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap();
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Kills it, and says what it logged.
    pub fn log(mut self) -> String {
        self.kill();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }

    /// Kills it.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}

pub const SALES: &str =
    "region,product,amount\nNorth,Bikes,1200\nSouth,Bikes,800\nNorth,Helmets,150\nSouth,Helmets,90\n";

/// A world without vectors: what is tested here is the server.
pub fn world() -> World {
    let world = World::new();
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n");
    world
}

#[test]
fn a_file_is_uploaded_searched_asked_shown_and_forgotten() {
    let world = world();
    let server = Served::start(&world);
    let task = server.upload("sales.csv", SALES.as_bytes());
    assert_eq!(task["state"], "done", "{task}");
    let document = &task["result"]["documents"][0];
    assert_eq!((document["status"].as_str(), document["rows_indexed"].as_u64()), (Some("added"), Some(4)));

    let found = server.json(200, "GET", "/api/v1/search?q=helmets&similarity=bm25", &Value::Null);
    assert_eq!(found["hits"][0]["document"]["name"], "sales.csv");
    let answer = server.json(200, "POST", "/api/v1/ask", &json!({"question": "what is the total amount?"}));
    assert_eq!(answer["values"], json!(["2240"]), "{answer}");
    assert_eq!(answer["citations"][0]["place"]["text"], "sales.csv!C2:C5");
    let judged =
        server.json(200, "POST", "/api/v1/verify", &json!({"question": "the highest amount is 1200"}));
    assert_eq!(judged["verdict"], "supported", "{judged}");
    let ran = server.json(200, "POST", "/api/v1/sql", &json!({"statement": "SELECT max(amount) FROM sales"}));
    assert_eq!(ran["rows"], json!([[1200]]));

    let tables = server.json(200, "GET", "/api/v1/tables", &Value::Null);
    let id = tables["tables"][0]["id"].as_str().unwrap().replace('/', "%2F");
    let table = server.json(200, "GET", &format!("/api/v1/tables/{id}"), &Value::Null);
    assert_eq!(table["columns"][2]["kind"], "integer");
    let rows = server.json(200, "GET", &format!("/api/v1/tables/{id}/rows?offset=1&limit=2"), &Value::Null);
    assert_eq!(rows["total"], 4);
    assert_eq!(rows["rows"][0]["cells"], json!(["South", "Bikes", "800"]));
    assert_eq!(rows["rows"].as_array().unwrap().len(), 2);
    let at = server.json(200, "GET", &format!("/api/v1/tables/{id}/rows/at?row=4"), &Value::Null);
    assert_eq!(at["offset"], 2);

    let documents = server.json(200, "GET", "/api/v1/documents", &Value::Null);
    let id = documents["documents"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&format!("/api/v1/documents/{id}/file")).text, SALES);
    assert!(server.get(&format!("/api/v1/documents/{id}/text")).text.contains("| North | Bikes | 1200 |"));
    server.json(200, "DELETE", &format!("/api/v1/documents/{id}"), &Value::Null);
    server.json(404, "GET", &format!("/api/v1/documents/{id}"), &Value::Null);
    assert!(!world.path("library/uploads/sales.csv").exists(), "what was uploaded goes with its document");
    assert_eq!(server.end(), 0);
}

#[test]
fn a_form_with_several_files_is_taken_and_a_bad_one_is_told_of() {
    let world = world();
    let server = Served::start(&world);
    let part = |name: &str, text: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"{name}\"\r\n\r\n{text}\r\n")
    };
    let body = part("a.csv", SALES) + &part("b.xlsx", "PK\u{3}\u{4} no workbook") + "--x--\r\n";
    let kind = [("content-type", "multipart/form-data; boundary=x")];
    let taken = server.send("POST", "/api/v1/documents", &kind, body.as_bytes());
    assert_eq!(taken.status, 202, "{}", taken.text);
    let task = server.wait(taken.json()["task"]["id"].as_str().unwrap());
    let mut statuses: Vec<&str> = task["result"]["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["status"].as_str().unwrap())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["added", "failed"], "{task}");
}

#[test]
fn pages_of_a_list_join_without_gaps() {
    let world = world();
    for i in 0..7 {
        world.write(&format!("files/t{i}.csv"), SALES);
    }
    assert_eq!(world.run(&["add", "files", "--library", "library"]).code(), 0);
    let server = Served::start(&world);
    let (mut names, mut next) = (Vec::new(), String::new());
    loop {
        let page = server.json(200, "GET", &format!("/api/v1/documents?limit=3{next}"), &Value::Null);
        assert_eq!(page["total"], 7);
        names.extend(page["documents"].as_array().unwrap().iter().map(|d| d["name"].to_string()));
        let Some(after) = page["next"].as_i64() else { break };
        next = format!("&after={after}");
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 7);
    let some = server.json(200, "GET", "/api/v1/documents?containing=T3", &Value::Null);
    assert_eq!(some["documents"].as_array().unwrap().len(), 1);
}

#[test]
fn a_program_that_writes_to_the_library_meanwhile_is_seen() {
    let world = world();
    let server = Served::start(&world);
    world.write("late.csv", "code,city\nX-99,Bergen\n");
    assert_eq!(world.run(&["add", "late.csv", "--library", "library"]).code(), 0);
    let begun = Instant::now();
    loop {
        let found = server.json(200, "GET", "/api/v1/search?q=Bergen&similarity=bm25", &Value::Null);
        if found["hits"][0]["document"]["name"] == "late.csv" {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{found}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn every_error_has_a_kind_a_message_and_an_id() {
    let world = world();
    let server = Served::start(&world);
    let cases = [
        ("POST", "/api/v1/ask", "{}", 400, "input"),
        ("POST", "/api/v1/ask", "{\"question\": ", 400, "input"),
        ("POST", "/api/v1/ask", "{\"question\":\"x\",\"mood\":1}", 400, "input"),
        ("POST", "/api/v1/search", "{\"query\":\" \"}", 400, "input"),
        ("POST", "/api/v1/search", "{\"query\":\"x\",\"group\":\"nowhere\"}", 404, "missing"),
        ("POST", "/api/v1/sql", "{\"statement\":\"DROP TABLE x\"}", 400, "input"),
        ("GET", "/api/v1/documents/none", "", 404, "missing"),
        ("GET", "/api/v1/tables/none/rows?limit=many", "", 400, "input"),
        ("GET", "/api/v1/search?q=a&library=other", "", 404, "missing"),
        ("GET", "/nowhere", "", 404, "missing"),
    ];
    for (method, path, body, status, kind) in cases {
        let said = server.send(method, path, &[("content-type", "application/json")], body.as_bytes());
        assert_eq!(said.status, status, "{method} {path} {body}: {}", said.text);
        assert_eq!(said.json()["error"]["kind"], kind, "{path}: {}", said.text);
        assert!(!said.json()["error"]["message"].as_str().unwrap().is_empty());
        assert!(said.header("x-request-id").is_some_and(|id| id.len() > 10));
    }
    let mine = server.send("GET", "/healthz", &[("x-request-id", "mine-1")], b"");
    assert_eq!(mine.header("x-request-id"), Some("mine-1"));
}

#[test]
fn no_name_or_id_leads_out_of_the_library() {
    let world = world();
    world.write("secret.csv", "a,b\nhidden,1\n");
    let server = Served::start(&world);
    for name in ["..", ".hidden", "%00", "a%0Ab", ""] {
        let said = server.send("POST", &format!("/api/v1/documents?name={name}"), &[], b"a,b\n1,2\n");
        assert_eq!(said.status, 400, "{name}: {}", said.text);
    }
    let task = server.upload("..%2F..%2Fescaped.csv", SALES.as_bytes());
    assert_eq!(task["state"], "done");
    assert!(world.path("library/uploads/escaped.csv").exists() && !world.path("escaped.csv").exists());
    for path in [
        "/api/v1/documents/..%2F..%2Fsecret.csv/file",
        "/api/v1/documents/%2Fetc%2Fpasswd/file",
        "/api/v1/evaluations/..%2F..%2Fsecret",
        "/assets/..%2F..%2FCargo.toml",
        "/assets/%2e%2e%2fCargo.toml",
    ] {
        let method = if path.contains("evaluations") { "DELETE" } else { "GET" };
        assert_eq!(server.send(method, path, &[], b"").status, 404, "{path}");
    }
    let listed = server.json(200, "GET", "/api/v1/documents", &Value::Null);
    assert_eq!(listed["total"], 1, "a name in a request does not add files: {listed}");
}

#[test]
fn other_hosts_and_other_pages_are_turned_away() {
    let world = world();
    let server = Served::start(&world);
    let host = server.url.strip_prefix("http://").unwrap().to_owned();
    assert_eq!(server.send("GET", "/api/v1/server", &[("host", "evil.example")], b"").status, 403);
    assert_eq!(server.send("GET", "/healthz", &[("host", "localhost:1")], b"").status, 200);
    let from = |origin: &str| {
        server
            .send(
                "POST",
                "/api/v1/search",
                &[("origin", origin), ("content-type", "application/json")],
                b"{\"query\":\"x\"}",
            )
            .status
    };
    assert_eq!(from("https://evil.example"), 403);
    assert_eq!(from("null"), 403);
    assert_eq!(from(&format!("http://{host}")), 200);
    let page = server.get("/");
    assert!(page.header("content-security-policy").unwrap().contains("script-src 'self'"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert!(page.header("access-control-allow-origin").is_none());
}

#[test]
fn beyond_this_machine_a_key_is_needed_and_a_role_decides() {
    let world = world();
    let refused = world.run(&["serve", "--listen", "0.0.0.0:0", "--library", "library"]);
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr().contains("key add"), "{}", refused.stderr());

    let key = |name: &str, role: &str, more: &[&str]| {
        let args = [&["key", "add", name, "--role", role, "--library", "library"], more].concat();
        world.json(0, &args)["key"].as_str().unwrap().to_owned()
    };
    let (admin, reader) = (key("boss", "admin", &[]), key("look", "read", &[]));
    let elsewhere = key("other", "write", &["--for", "elsewhere"]);
    let mut server = Served::start(&world);
    assert_eq!(server.json(200, "GET", "/api/v1/server", &Value::Null)["needs_key"], true);
    assert_eq!(server.json(401, "GET", "/api/v1/documents", &Value::Null)["error"]["kind"], "key");
    assert_eq!(server.get("/metrics").status, 401);
    assert_eq!(server.get("/healthz").status, 200);
    server.key = Some("tt_guess".into());
    assert_eq!(server.get("/api/v1/documents").status, 401);
    server.key = Some(reader);
    assert_eq!(server.get("/api/v1/documents").status, 200);
    let denied = server.send("POST", "/api/v1/documents?name=a.csv", &[], SALES.as_bytes());
    assert_eq!((denied.status, denied.json()["error"]["kind"].as_str()), (403, Some("forbidden")));
    assert_eq!(server.get("/api/v1/keys").status, 403);
    server.key = Some(elsewhere);
    assert_eq!(server.get("/api/v1/documents").status, 403);
    assert_eq!(server.get("/api/v1/documents?library=default").status, 403);
    server.key = Some(key("half", "admin", &["--for", "default"]));
    assert_eq!(server.get("/api/v1/documents").status, 200);
    assert_eq!(server.get("/api/v1/keys").status, 403, "an admin of some libraries could make a key for all");
    server.key = Some(admin);
    assert_eq!(server.upload("a.csv", SALES.as_bytes())["state"], "done");
    let made = server.json(201, "POST", "/api/v1/keys", &json!({"name": "new", "role": "read"}));
    assert!(made["key"].as_str().unwrap().starts_with("tt_"));
    let listed = server.json(200, "GET", "/api/v1/keys", &Value::Null);
    assert_eq!(listed["keys"].as_array().unwrap().len(), 5);
    assert!(!listed.to_string().contains("blake3"), "hashes are not told");
    server.json(200, "DELETE", "/api/v1/keys/new", &Value::Null);
}

#[test]
fn what_is_too_large_or_too_much_is_refused() {
    let world = world();
    world.write(
        "tabletalk.toml",
        "[embedding]\nat_add = false\n[server]\nmax_upload_bytes = 1000\nmax_body_bytes = 2000\nrate_per_s = 1\nburst = 6\n",
    );
    let server = Served::start(&world);
    let large = server.send("POST", "/api/v1/documents?name=a.csv", &[], &[b'x'; 1001]);
    assert_eq!((large.status, large.json()["error"]["kind"].as_str()), (413, Some("limit")));
    assert_eq!(std::fs::read_dir(world.path("library/uploads")).unwrap().count(), 0);
    let long = json!({"question": "x".repeat(3000)});
    assert_eq!(server.post("/api/v1/ask", &long).status, 413);
    let statuses: Vec<u16> = (0..12).map(|_| server.get("/api/v1/groups").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.get("/api/v1/groups").header("retry-after"), Some("1"));
}

#[test]
fn several_libraries_are_kept_apart() {
    let world = world();
    world.write(
        "tabletalk.toml",
        "[embedding]\nat_add = false\n[server]\nlibraries_dir = \"more\"\n[[server.library]]\nname = \"sales\"\npath = \"sales\"\n",
    );
    let server = Served::start(&world);
    server.json(201, "POST", "/api/v1/libraries", &json!({"name": "hr"}));
    server.json(400, "POST", "/api/v1/libraries", &json!({"name": "../x"}));
    let put = server.send("POST", "/api/v1/documents?name=sales.csv&library=sales", &[], SALES.as_bytes());
    let id = put.json()["task"]["id"].as_str().unwrap().to_owned();
    for _ in 0..400 {
        let task = server.json(200, "GET", &format!("/api/v1/tasks/{id}?library=sales"), &Value::Null);
        if task["task"]["state"] == "done" {
            break;
        }
        std::thread::sleep(Duration::from_millis(30));
    }
    let all = server.json(200, "GET", "/api/v1/libraries", &Value::Null);
    let counts: Vec<(&str, u64)> = all["libraries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| (l["name"].as_str().unwrap(), l["documents"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [("default", 0), ("sales", 1), ("hr", 0)]);
    let other = server.json(200, "GET", "/api/v1/search?q=Bikes&library=hr", &Value::Null);
    assert_eq!(other["hits"], json!([]));
}

#[test]
fn an_answer_comes_as_events_with_what_the_model_writes() {
    let world = world();
    let model = crate::script::Server::start(vec![
        crate::script::Do::Say("```sql\nSELECT sum(amount) FROM sales\n```"),
        crate::script::Do::Say("Answer: 2240"),
    ]);
    world.write(
        "tabletalk.toml",
        format!(
            "[embedding]\nat_add = false\n[chat]\nprovider = \"openai\"\nmodel = \"m\"\nurl = \"{}\"\n",
            model.url
        ),
    );
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    let events = server.send(
        "POST",
        "/api/v1/ask",
        &[("accept", "text/event-stream"), ("content-type", "application/json")],
        b"{\"question\":\"what is the total amount?\"}",
    );
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    assert!(events.text.contains("event: text") && events.text.contains("event: answer"), "{}", events.text);
    let last = events.text.lines().filter_map(|l| l.strip_prefix("data: ")).next_back().unwrap();
    let answer: Value = serde_json::from_str(last).unwrap();
    assert_eq!(answer["values"], json!(["2240"]), "{answer}");
    let counted = server.get("/metrics").text;
    assert!(counted.contains("tabletalk_model_calls_total{cache=\"miss\"} 2"), "{counted}");
    assert!(counted.contains("tabletalk_stage_seconds_count{stage=\"recall\"} 1"), "{counted}");
}

#[test]
fn a_task_is_followed_and_stopped() {
    let world = world();
    let server = Served::start(&world);
    let mut large = String::from("a,b,c\n");
    for i in 0..400_000 {
        large.push_str(&format!("{i},name {i},{}\n", i % 97));
    }
    let taken = server.send("POST", "/api/v1/documents?name=large.csv", &[], large.as_bytes());
    let id = taken.json()["task"]["id"].as_str().unwrap().to_owned();
    let queued = server.send("POST", "/api/v1/documents?name=next.csv", &[], SALES.as_bytes());
    let next = queued.json()["task"]["id"].as_str().unwrap().to_owned();
    server.json(200, "DELETE", &format!("/api/v1/tasks/{next}"), &Value::Null);
    assert_eq!(server.wait(&next)["state"], "cancelled");
    server.json(200, "DELETE", &format!("/api/v1/tasks/{id}"), &Value::Null);
    let events = server.get(&format!("/api/v1/tasks/{id}/events"));
    assert!(events.text.contains("event: task"), "{}", events.text);
    let state = server.wait(&id)["state"].clone();
    assert!(state == "cancelled" || state == "done", "{state}");
    let documents = server.json(200, "GET", "/api/v1/documents", &Value::Null);
    assert!(!documents.to_string().contains("next.csv"));
    assert_eq!(state == "done", documents.to_string().contains("large.csv"));
    server.json(404, "DELETE", "/api/v1/tasks/none", &Value::Null);
}

#[test]
fn what_was_accepted_outlives_a_kill_and_an_end() {
    let world = world();
    let mut server = Served::start(&world);
    let mut accepted = Vec::new();
    for round in 0..3 {
        for i in 0..12 {
            let name = format!("r{round}-{i}.csv");
            let text = format!("round,number\n{round},{i}\n");
            let taken = server.send("POST", &format!("/api/v1/documents?name={name}"), &[], text.as_bytes());
            assert_eq!(taken.status, 202);
            accepted.push(name);
        }
        match round {
            0 => server.kill(),
            1 => assert_eq!(server.end(), 0),
            _ => break,
        }
        server = Served::start(&world);
    }
    let tasks = server.json(200, "GET", "/api/v1/tasks", &Value::Null);
    for task in tasks["tasks"].as_array().unwrap() {
        assert_eq!(server.wait(task["id"].as_str().unwrap())["state"], "done");
    }
    let listed = server.json(200, "GET", "/api/v1/documents?limit=500", &Value::Null).to_string();
    for name in &accepted {
        assert!(listed.contains(name), "{name} was accepted and is not there");
    }
    assert_eq!(server.end(), 0);
    assert_eq!(world.json(0, &["doctor", "--library", "library"])["findings"], json!([]));
}

#[test]
fn a_table_is_corrected_and_the_correction_undone() {
    let world = world();
    let server = Served::start(&world);
    let text = "code,amount\n007,10\n008,20\nall,30\n";
    server.upload("stock.csv", text.as_bytes());
    let tables = server.json(200, "GET", "/api/v1/tables", &Value::Null);
    let id = tables["tables"][0]["id"].as_str().unwrap().replace('/', "%2F");
    let sum = |server: &Served| {
        let ran =
            server.json(200, "POST", "/api/v1/sql", &json!({"statement": "SELECT sum(amount) FROM stock"}));
        ran["rows"][0][0].as_i64()
    };
    let before = server.json(200, "GET", &format!("/api/v1/tables/{id}"), &Value::Null);
    assert_eq!(before["correction"], Value::Null);
    let correction = json!({
        "columns": [{"col": 1, "name": "article", "kind": "text"}, {"col": 2, "unit": "kg"}],
        "rows": [{"row": 4, "mark": "total"}],
    });
    let wrong = json!({"columns": [{"col": 9, "name": "x"}]});
    server.json(400, "PUT", &format!("/api/v1/tables/{id}/correction"), &wrong);
    let path = format!("/api/v1/tables/{id}/correction");
    let put = server.json(202, "PUT", &path, &correction);
    let done = server.wait(put["task"]["id"].as_str().unwrap());
    assert_eq!(done["state"], "done", "{done}");
    let after = server.json(200, "GET", &format!("/api/v1/tables/{id}"), &Value::Null);
    assert_eq!(after["columns"][0]["name"], "article", "{after}");
    assert_eq!(after["columns"][1]["unit"], "kg");
    assert_eq!(after["correction"], correction);
    assert_eq!(sum(&server), Some(30), "a total is not summed up");
    // It outlives adding the same file again, and the server.
    server.upload("stock.csv", text.as_bytes());
    let after = server.json(200, "GET", &format!("/api/v1/tables/{id}"), &Value::Null);
    assert_eq!(after["columns"][0]["name"], "article");
    let undone = server.json(202, "DELETE", &path, &Value::Null);
    assert_eq!(server.wait(undone["task"]["id"].as_str().unwrap())["state"], "done");
    let again = server.json(200, "GET", &format!("/api/v1/tables/{id}"), &Value::Null);
    assert_eq!((&again["columns"], &again["correction"]), (&before["columns"], &Value::Null));
}

#[test]
fn a_backup_taken_while_serving_is_put_back_while_serving() {
    let world = world();
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    assert_eq!(world.run(&["backup", "b.tar.zst", "--library", "library"]).code(), 0);
    let packed = std::fs::read(world.path("b.tar.zst")).unwrap();
    server.upload("late.csv", b"a,b\n1,2\n");
    assert_eq!(server.json(200, "GET", "/api/v1/documents", &Value::Null)["total"], 2);
    assert_eq!(server.send("POST", "/api/v1/restore", &[], b"rubbish").status, 400);
    let taken = server.send("POST", "/api/v1/restore", &[], &packed);
    assert_eq!(taken.status, 202, "{}", taken.text);
    let done = server.wait(taken.json()["task"]["id"].as_str().unwrap());
    assert_eq!(done["state"], "done", "{done}");
    let listed = server.json(200, "GET", "/api/v1/documents", &Value::Null);
    assert_eq!((listed["total"].as_u64(), &listed["documents"][0]["name"]), (Some(1), &json!("sales.csv")));
    let found = server.json(200, "GET", "/api/v1/search?q=Helmets&similarity=bm25", &Value::Null);
    assert_eq!(found["hits"][0]["document"]["name"], "sales.csv");
    let restored = world.json(0, &["restore", "b.tar.zst", "--library", "copy"]);
    assert_eq!(restored["documents"], 1);
    assert_eq!(
        world.run(&["restore", "b.tar.zst", "--library", "copy"]).code(),
        2,
        "a library is not overwritten"
    );
}

#[test]
fn a_watched_folder_is_kept_in_step() {
    let world = world();
    world.write("inbox/a.csv", SALES);
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n[[watch]]\npath = \"inbox\"\nevery_s = 1\n");
    let server = Served::start(&world);
    let until = |wanted: &[&str]| {
        let begun = Instant::now();
        loop {
            let listed = server.json(200, "GET", "/api/v1/documents", &Value::Null);
            let mut names: Vec<&str> =
                listed["documents"].as_array().unwrap().iter().map(|d| d["name"].as_str().unwrap()).collect();
            names.sort_unstable();
            if names == wanted {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{names:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until(&["a.csv"]);
    world.write("inbox/b.csv", SALES);
    until(&["a.csv", "b.csv"]);
    std::fs::remove_file(world.path("inbox/a.csv")).unwrap();
    until(&["b.csv"]);
}

#[test]
fn a_watched_folder_that_is_suddenly_empty_forgets_nothing() {
    let world = world();
    world.write("inbox/a.csv", SALES).write("inbox/b.csv", SALES);
    world.write("tabletalk.toml", "[embedding]\nat_add = false\n[[watch]]\npath = \"inbox\"\nevery_s = 1\n");
    let server = Served::start(&world);
    let documents = || {
        let listed = server.json(200, "GET", "/api/v1/documents", &Value::Null);
        listed["documents"].as_array().unwrap().len()
    };
    let until = |what: &str, is_so: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until("both files are added", &|| documents() == 2);
    // What a mount looks like that is gone.
    for name in ["inbox/a.csv", "inbox/b.csv"] {
        std::fs::remove_file(world.path(name)).unwrap();
    }
    until("a sync says what it kept", &|| {
        let listed = server.json(200, "GET", "/api/v1/tasks", &Value::Null);
        let mut tasks = listed["tasks"].as_array().unwrap().iter();
        tasks.any(|t| t["result"]["kept"].as_array().is_some_and(|kept| !kept.is_empty()))
    });
    assert_eq!(documents(), 2);
}

#[test]
fn other_programs_find_the_shapes_they_know() {
    let world = World::new();
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    let models = server.json(200, "GET", "/v1/models", &Value::Null);
    assert_eq!(models["data"][0]["id"], "tabletalk");
    let talk = json!({"model": "tabletalk", "messages": [
        {"role": "system", "content": "be brief"}, {"role": "user", "content": "what is the total amount?"}]});
    let said = server.json(200, "POST", "/v1/chat/completions", &talk);
    let message = &said["choices"][0]["message"];
    assert!(message["content"].as_str().unwrap().starts_with("2240 [1]"), "{said}");
    assert_eq!(message["annotations"][0]["url_citation"]["title"], "sales.csv!C2:C5");
    let mut streamed = talk.clone();
    streamed["stream"] = json!(true);
    let events = server.post("/v1/chat/completions", &streamed).text;
    assert!(
        events.contains("chat.completion.chunk") && events.trim_end().ends_with("data: [DONE]"),
        "{events}"
    );
    assert_eq!(server.post("/v1/chat/completions", &json!({"model": "gpt", "messages": []})).status, 404);
    let vectors =
        server.json(200, "POST", "/v1/embeddings", &json!({"model": "tabletalk", "input": ["a", "销售额"]}));
    assert_eq!(vectors["data"].as_array().unwrap().len(), 2);
    assert!(vectors["data"][1]["embedding"].as_array().unwrap().len() > 300);
    let order = server.json(
        200,
        "POST",
        "/v1/rerank",
        &json!({"query": "money earned by region", "documents": ["a poem about rain", {"text": "sales amount by region"}], "top_n": 1}),
    );
    assert_eq!(order["results"][0]["index"], 1, "{order}");
    assert_eq!(order["results"].as_array().unwrap().len(), 1);
}

#[test]
fn a_model_uses_the_library_through_mcp() {
    let world = world();
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    let call = |method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let kinds = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let said = server.send("POST", "/mcp", &kinds, body.to_string().as_bytes());
        assert_eq!(said.status, 200, "{}", said.text);
        said.json()["result"].clone()
    };
    let hello = call(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    assert!(hello["capabilities"]["tools"].is_object(), "{hello}");
    let tools = call("tools/list", json!({}));
    let mut names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["ask", "search", "show", "sql", "tables", "verify"]);
    let asked =
        call("tools/call", json!({"name": "ask", "arguments": {"question": "what is the total amount?"}}));
    assert_eq!(asked["structuredContent"]["values"], json!(["2240"]), "{asked}");
    let wrong = call("tools/call", json!({"name": "sql", "arguments": {"statement": "DELETE FROM sales"}}));
    assert_eq!(
        (&wrong["isError"], &wrong["structuredContent"]["error"]["kind"]),
        (&json!(true), &json!("input"))
    );
}

#[test]
fn a_request_has_the_same_fields_for_all_who_ask() {
    let world = world();
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    let call = |method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let kinds = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        server.send("POST", "/mcp", &kinds, body.to_string().as_bytes()).json()
    };
    let fields = |of: &Value| {
        let mut names: Vec<String> = of["properties"].as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        names
    };
    let description = server.json(200, "GET", "/openapi.json", &Value::Null);
    let tools = call("tools/list", json!({}))["result"]["tools"].clone();
    for (name, request) in [("ask", "AskRequest"), ("verify", "AskRequest"), ("search", "SearchRequest")] {
        let tool = tools.as_array().unwrap().iter().find(|t| t["name"] == name).unwrap();
        let mut posted = fields(&description["components"]["schemas"][request]);
        posted.push("library".into());
        posted.sort_unstable();
        assert_eq!(fields(&tool["inputSchema"]), posted, "{name}");
    }
    let ask = |more: Value| {
        let mut asked = json!({"question": "what is the total amount?"});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call("tools/call", json!({"name": "ask", "arguments": asked}))
    };
    let none = ask(json!({"filters": ["name=other.csv"]}));
    assert_eq!(none["result"]["structuredContent"]["outcome"], "unknown", "{none}");
    for wrong in [json!({"mode": "guess"}), json!({"owner": "someone"}), json!({"filters": ["nonsense"]})] {
        let said = ask(wrong.clone());
        assert_eq!(said["result"]["isError"], true, "{wrong}: {said}");
    }
    let said = server.json(400, "POST", "/api/v1/ask", &json!({"question": "?", "mode": "guess"}));
    assert!(said["error"]["message"].as_str().unwrap().contains("table-rag"), "{said}");
}

#[test]
fn the_api_describes_itself() {
    let world = world();
    let server = Served::start(&world);
    let description = server.json(200, "GET", "/openapi.json", &Value::Null);
    let paths = description["paths"].as_object().unwrap();
    for path in
        ["/api/v1/documents", "/api/v1/ask", "/api/v1/tables/{id}/rows", "/v1/chat/completions", "/metrics"]
    {
        assert!(paths.contains_key(path), "{path}");
    }
    for (path, methods) in paths {
        for (method, what) in methods.as_object().unwrap() {
            assert!(
                what["summary"].is_string() || what["description"].is_string(),
                "{method} {path} says nothing of itself"
            );
        }
    }
}

#[test]
fn the_server_counts_and_says_whether_it_is_ready() {
    let world = world();
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    assert_eq!(server.get("/readyz").status, 200);
    server.get("/api/v1/search?q=bikes&similarity=bm25");
    let text = server.get("/metrics").text;
    for line in [
        "tabletalk_http_requests_total{route=\"/api/v1/search\",method=\"GET\",status=\"200\"} 1",
        "tabletalk_library{library=\"default\",kind=\"rows\"} 4",
        "tabletalk_task_seconds_count{kind=\"add\"} 1",
        "tabletalk_layer_seconds_count{layer=\"keyword table\"} 1",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn uploads_have_fields_and_keep_them() {
    let world = World::new();
    world.write(
        "tabletalk.toml",
        "[embedding]\nat_add = false\n[[doc_fields]]\nname = \"year\"\ntype = \"integer\"\n\
         [[doc_fields]]\nname = \"tag\"\ntype = \"text\"\nmany = true\n",
    );
    let server = Served::start(&world);
    let send = |name: &str, fields: &str| {
        let fields: String = fields.bytes().map(|b| format!("%{b:02x}")).collect();
        server.send("POST", &format!("/api/v1/documents?name={name}&fields={fields}"), &[], SALES.as_bytes())
    };
    let taken = send("old.csv", "{\"year\": 2019, \"tag\": [\"a\", \"b\"]}");
    assert_eq!(taken.status, 202, "{}", taken.text);
    server.wait(taken.json()["task"]["id"].as_str().unwrap());
    server.upload("new.csv", SALES.as_bytes());
    let found = |filter: &str| {
        let body = json!({"query": "bikes", "filters": [filter], "similarity": "bm25", "group": "table"});
        let found = server.json(200, "POST", "/api/v1/search", &body);
        found["hits"].as_array().unwrap().iter().map(|h| h["document"]["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(found("tag=b"), ["old.csv"]);
    assert_eq!(found("year<=2020"), ["old.csv"]);
    let task = server.json(202, "POST", "/api/v1/tasks", &json!({"kind": "sync"}));
    server.wait(task["task"]["id"].as_str().unwrap());
    assert_eq!(found("tag=a"), ["old.csv"], "a sync takes nothing from it");
    for (fields, said) in
        [("{\"year\": \"soon\"}", "whole number"), ("[1]", "JSON object"), ("{\"x\": 1}", "no field `x`")]
    {
        let refused = send("x.csv", fields);
        assert!(refused.status == 400 && refused.text.contains(said), "{}", refused.text);
    }
}

#[test]
fn libraries_are_searched_together_if_the_key_is_for_them() {
    let world = world();
    world.write(
        "tabletalk.toml",
        "[embedding]\nat_add = false\n[[server.library]]\nname = \"second\"\npath = \"second\"\n",
    );
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    let more = server.send("POST", "/api/v1/documents?library=second&name=more.csv", &[], SALES.as_bytes());
    let id = more.json()["task"]["id"].as_str().unwrap().to_owned();
    for _ in 0..100 {
        let task = server.get(&format!("/api/v1/tasks/{id}?library=second")).json();
        if task["state"] == "done" {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let ask = |libraries: Value| json!({"query": "bikes", "similarity": "bm25", "libraries": libraries});
    let found = server.json(200, "POST", "/api/v1/search", &ask(json!(["default", "second"])));
    let from: Vec<&Value> = found["hits"].as_array().unwrap().iter().map(|h| &h["library"]).collect();
    assert_eq!(from, ["default", "second"], "{found:#}");
    server.json(404, "POST", "/api/v1/search", &ask(json!(["default", "third"])));
}

#[test]
fn a_layer_that_fails_is_logged_and_counted() {
    let world = World::new();
    world.write(
        "tabletalk.toml",
        "[embedding]\nat_add = false\n[strategy.odd]\ngroup = \"table\"\nthreshold = 0.0\n\
         layers = [{ kind = \"collapsed\" }, { kind = \"keyword\" }]\n",
    );
    let server = Served::start(&world);
    server.upload("sales.csv", SALES.as_bytes());
    let found = server.json(200, "POST", "/api/v1/search", &json!({"query": "bikes", "strategy": "odd"}));
    assert_eq!(found["hits"][0]["layer_number"], 2, "{found:#}");
    let refused = json!({"query": "bikes", "strategy": "odd", "similarity": "bm25"});
    let refused = server.json(400, "POST", "/api/v1/search", &refused);
    assert!(refused.to_string().contains("`similarity` cannot be said"), "{refused}");
    let text = server.get("/metrics").text;
    for line in [
        "tabletalk_layer_runs_total{layer=\"collapsed\",strategy=\"odd\",outcome=\"failed\"} 1",
        "tabletalk_layer_runs_total{layer=\"keyword\",strategy=\"odd\",outcome=\"ran\"} 1",
        "tabletalk_layer_hits_sum{layer=\"keyword\",strategy=\"odd\"} 1",
        "tabletalk_layer_score_count{layer=\"keyword\",strategy=\"odd\"} 1",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let log = server.log();
    assert!(log.contains("WARN") && log.contains("a layer failed") && log.contains("no tree"), "{log}");
}

#[test]
fn completions_and_the_manual_are_printed() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.run(&["completions", shell]).stdout().contains("serve"), "{shell}");
    }
    let manual = world.run(&["man"]).stdout();
    assert!(manual.contains(".TH tabletalk 1") && manual.contains("tabletalk serve"), "{manual}");
}

#[test]
fn runs_of_experiments_are_served() {
    let world = World::new();
    world.write("library/keep", "");
    // As `tabletalk-lab run` keeps one.
    let figure = json!({"mean": 1.0, "low": 0.2, "high": 1.0});
    let run = json!({
        "name": "control-3f2a91c0", "recipe": "control", "task": "answers", "begun": "2026-11-17T10:00:00Z", "complete": true,
        "cells": [{"set": "own", "variant": "no model", "queries": 1, "metrics": {"accuracy": figure}}],
    });
    world.write("evaluations/control-3f2a91c0/run.json", run.to_string());
    let served = Served::start(&world);
    let list = served.get("/api/v1/evaluations/runs").json();
    assert_eq!(
        (&list["runs"][0]["name"], &list["runs"][0]["complete"]),
        (&run["name"], &true.into()),
        "{list:#}"
    );
    let one = served.get(&format!("/api/v1/evaluations/runs/{}", run["name"].as_str().unwrap())).json();
    assert_eq!(one["cells"][0]["metrics"]["accuracy"]["mean"], 1.0, "{one:#}");
    assert_eq!(served.get("/api/v1/evaluations/runs/..%2F..%2Fsecret").status, 404);
}

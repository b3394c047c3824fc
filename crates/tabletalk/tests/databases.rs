//! Tables that live in PostgreSQL, on a real server.

#[path = "databases/agree.rs"]
mod agree;
#[path = "databases/attacks.rs"]
mod attacks;
#[path = "databases/secrets.rs"]
mod secrets;
#[path = "databases/server.rs"]
mod server;

use crate::world::World;
use serde_json::{Value, json};

const SHOP: &str = "
    CREATE TABLE customers (id serial PRIMARY KEY, name text NOT NULL, city varchar(40));
    CREATE TABLE orders (id bigserial PRIMARY KEY, customer_id int NOT NULL REFERENCES customers(id), placed timestamptz,
        status text, total numeric(12,2));
    CREATE TABLE lines (order_id bigint REFERENCES orders(id), line int, product text, PRIMARY KEY (order_id, line));
    COMMENT ON TABLE orders IS 'Orders of the web shop';
    COMMENT ON COLUMN orders.status IS 'open, sent or returned';
    INSERT INTO customers(name, city) SELECT 'Customer ' || i, (ARRAY['Oslo','Bergen','Rotterdam'])[i % 3 + 1] FROM generate_series(1, 90) i;
    INSERT INTO orders(customer_id, placed, status, total) SELECT i % 90 + 1, TIMESTAMPTZ '2024-01-01 00:00+00' + i * interval '1 hour',
        (ARRAY['open','sent','returned'])[i % 3 + 1], i % 1000 + 0.25 FROM generate_series(1, 5000) i;
    INSERT INTO lines SELECT id, n, 'Product ' || id % 50 FROM orders, generate_series(1, 2) n WHERE id <= 100;
    CREATE TABLE people (id serial PRIMARY KEY, name text, country text);
    INSERT INTO people(name, country) SELECT 'Person ' || i, 'Land ' || i % 40 FROM generate_series(1, 4000) i;
    CREATE VIEW sent AS SELECT id, customer_id, total FROM orders WHERE status = 'sent';
    CREATE TABLE empty (a int, b text);
    CREATE SCHEMA hr;
    CREATE TABLE hr.staff (id int PRIMARY KEY, name text);
    INSERT INTO hr.staff VALUES (1, 'Ann'), (2, 'Bob');
    ANALYZE;";

fn names(value: &Value) -> Vec<String> {
    let mut names: Vec<String> =
        value["tables"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn table(world: &World, name: &str) -> Value {
    let all = world.json(0, &["tables"]);
    all["tables"].as_array().unwrap().iter().find(|t| t["name"] == name).unwrap().clone()
}

#[test]
fn a_database_is_added_asked_synced_and_forgotten() {
    let Some(database) = server::database(SHOP) else { return };
    let (world, address) = (World::new(), database.address());
    let added = world.run(&["add", &address, "--no-embed"]);
    assert_eq!(added.code(), 0, "{}{}", added.stdout(), added.stderr());
    assert!(added.stdout().contains("of 5000 rows is kept"), "{}", added.stdout());
    let tables = world.json(0, &["tables"]);
    assert_eq!(names(&tables), ["customers", "empty", "lines", "orders", "people", "sent", "staff"]);
    let orders = table(&world, "orders");
    assert_eq!(orders["title"], "Orders of the web shop");
    assert_eq!((&orders["home"]["rows"], &orders["home"]["is_counted"]), (&json!(5000), &json!(true)));
    let sampled = orders["home"]["sampled"].as_u64().unwrap();
    assert!(sampled > 500 && sampled <= 1000 && orders["rows"] == sampled, "{orders:#}");
    assert_eq!(orders["home"]["columns"][2]["type"], "timestamp with time zone");
    assert!(world.run(&["tables"]).stdout().contains(&format!("5000, {sampled} sampled")));
    // What the database says is found, and so are cells.
    let found = world.json(0, &["search", "web shop returned"]);
    assert!(found["hits"][0]["place"]["text"].as_str().unwrap().contains("public/orders"), "{found:#}");
    let cells = world.json(0, &["search", "--group", "cell", "Rotterdam"]);
    assert!(
        cells["hits"].as_array().unwrap().iter().any(|h| h["text"].to_string().contains("Rotterdam")),
        "{cells:#}"
    );
    // Programs run over all rows, and not over the sample.
    let answer = world.json(0, &["ask", "what is the total of all orders with status sent?"]);
    let sum = database.psql("SELECT sum(total) FROM orders WHERE status = 'sent'");
    assert_eq!(answer["values"], json!([sum]), "{answer:#}");
    let run = answer["trace"].as_array().unwrap().iter().find(|s| s["step"] == "run").unwrap();
    assert!(run["shipped"][0]["is_whole"] == json!(true) && run["shipped"][0]["rows"] == 1, "{run:#}");
    assert_eq!(world.json(0, &["sync", &address, "--no-embed"])["documents"][0]["status"], "unchanged");
    changes_are_seen(&world, &database, &address);
    let forgotten = world.json(0, &["forget", &address]);
    assert_eq!(forgotten["forgotten"].as_array().unwrap().len(), 7);
    assert_eq!(names(&world.json(0, &["tables"])), Vec::<String>::new());
}

fn changes_are_seen(world: &World, database: &server::Database, address: &str) {
    database.psql(
        "ALTER TABLE hr.staff ADD COLUMN desk int; DROP TABLE empty; CREATE TABLE late (x int); INSERT INTO customers(name, city) VALUES ('New', 'Paris')",
    );
    let synced = world.json(0, &["sync", address, "--no-embed"]);
    let status = |name: &str| {
        let all = synced["documents"].as_array().unwrap();
        let one = all.iter().find(|d| d["name"].as_str().unwrap().ends_with(name)).unwrap();
        one["status"].as_str().unwrap().to_owned()
    };
    let seen = ["staff", "customers", "late", "empty", "lines"].map(status);
    assert_eq!(seen, ["updated", "updated", "added", "forgotten", "unchanged"], "{synced:#}");
    assert_eq!(table(world, "staff")["columns"][2]["name"], "desk");
    // A column that went away since is an error that says what to do.
    database.psql("ALTER TABLE hr.staff DROP COLUMN desk");
    let gone = world.run(&["sql", "SELECT desk FROM staff"]);
    assert!(gone.code() == 2 && gone.stderr().contains("sync"), "{}", gone.stderr());
    world.json(0, &["sync", address, "--no-embed"]);
}

#[test]
fn rows_are_cited_by_their_keys_and_keys_join() {
    let Some(database) = server::database(SHOP) else { return };
    let world = World::new();
    world.json(0, &["add", &database.address(), "--no-embed"]);
    let answer = world.json(0, &["ask", "in which city does Customer 7 live?"]);
    assert_eq!(answer["values"], json!(["Bergen"]), "{answer:#}");
    assert_eq!(answer["citations"][0]["text"], "city = Bergen (id = 7)", "{answer:#}");
    // This one is surely not in the sample: the database has 4000, of which about 1000 are kept.
    let missing = missing(&world);
    let answer = world.json(0, &["ask", &format!("in which country does Person {missing} live?")]);
    assert_eq!(answer["values"], json!([format!("Land {}", missing % 40)]), "{answer:#}");
    let ran = world.json(0, &["sql", "SELECT product FROM lines WHERE order_id = 7 ORDER BY line"]);
    assert_eq!(ran["used"][0]["keys"], json!(["7, 1", "7, 2"]), "{ran:#}");
    let related = world.json(0, &["tables", "--relations"]);
    let keys: Vec<String> = related["relations"]
        .as_array()
        .unwrap_or_else(|| panic!("{related:#}"))
        .iter()
        .map(|k| {
            format!("{}.{} {}.{}", k["table"], k["column"], k["to_table"], k["to_column"]).replace('"', "")
        })
        .collect();
    assert!(keys.contains(&"orders.customer_id customers.id".to_owned()), "{keys:?}");
    assert!(keys.contains(&"lines.order_id orders.id".to_owned()), "{keys:?}");
    let joined = world.json(0, &["ask", "what is the sum of total of orders by city of customers?"]);
    let wanted = database
        .psql("SELECT sum(total) FROM orders JOIN customers c ON c.id = customer_id WHERE city = 'Oslo'");
    assert!(joined["program"]["result"].to_string().contains(&wanted), "{wanted} {joined:#}");
}

/// A person who is not among those that are kept.
fn missing(world: &World) -> i64 {
    let kept = world.run(&["show", "people", "--rows", "0"]).stdout();
    assert!(kept.lines().count() > 500 && kept.lines().count() < 1100, "{kept}");
    (1..=4000).find(|id| !kept.contains(&format!("| Person {id} |"))).unwrap()
}

#[test]
fn explain_says_what_ran_where() {
    let Some(database) = server::database(SHOP) else { return };
    let world = World::new();
    world.json(0, &["add", &database.address(), "--no-embed"]);
    let whole = world.run(&["sql", "SELECT count(*) FROM orders WHERE status = 'open'", "--explain"]);
    assert!(whole.stdout().contains("ran as a whole in postgres://"), "{}", whole.stdout());
    assert!(
        whole.stdout().contains("$1 is \"open\"") && whole.stdout().contains("1 rows, 8 bytes over the wire")
    );
    let here = world.run(&["sql", "SELECT median(total) FROM orders WHERE status = 'open'", "--explain"]);
    let text = here.stdout();
    assert!(
        text.contains("rows of orders came from") && text.contains("because of the function median"),
        "{text}"
    );
    let open = database.psql("SELECT count(*) FROM orders WHERE status = 'open'");
    assert!(text.contains(&format!("{open} rows,")) && !text.contains("placed"), "{text}");
}

#[test]
fn some_tables_are_chosen_and_what_may_not_be_read_is_left_out() {
    let Some(database) = server::database(SHOP) else { return };
    database.psql("REVOKE SELECT ON customers FROM reader; GRANT SELECT (id, city) ON customers TO reader; REVOKE SELECT ON sent FROM reader");
    let world = World::new();
    let mut command = world.command(&[
        "add",
        &database.reader(),
        "--no-embed",
        "--include",
        "public/*",
        "--exclude",
        "empty",
        "--json",
    ]);
    let run = crate::world::Run::of(command.env("PGPASSWORD", server::SECRET).output().unwrap());
    assert_eq!(run.code(), 0, "{}{}", run.stdout(), run.stderr());
    assert_eq!(names(&world.json(0, &["tables"])), ["customers", "lines", "orders", "people"]);
    let columns = &table(&world, "customers")["columns"];
    assert_eq!(
        (&columns[0]["name"], &columns[1]["name"], &columns[2]),
        (&json!("id"), &json!("city"), &json!(null))
    );
}

#[test]
fn a_server_that_is_not_there_is_said_to_be() {
    let world = World::new();
    let run = world.run(&["add", "postgres://ann@127.0.0.1:9/shop"]);
    assert!(run.code() == 5 && run.stderr().contains("cannot be reached"), "{}", run.stderr());
    assert!(world.run(&["add", "mysql://ann@127.0.0.1/shop"]).stderr().contains("not read yet"));
}

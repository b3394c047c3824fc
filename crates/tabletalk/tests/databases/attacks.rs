//! Attacks that are special to PostgreSQL: nothing is written, read from disk, slept on or called out to. The account may do
//! everything, so what keeps it from that are the walk over statements, what is written at all, and the session.

use super::server::{self, Database};
use std::path::PathBuf;
use tabletalk::{AddOptions, Config, Library, Unwatched, open};
use tabletalk_core::seam::database::{Bounds, Database as _, Statement};
use tabletalk_core::{Fault, Kind};
use tabletalk_remote::postgres::Postgres;
use tempfile::TempDir;

const TABLES: &str = "
    CREATE TABLE item (id serial PRIMARY KEY, name text, price numeric(8,2));
    INSERT INTO item (name, price) SELECT 'item ' || i, i FROM generate_series(1, 20) i;
    CREATE FUNCTION public.lower(text) RETURNS text LANGUAGE sql AS 'INSERT INTO public.item(name) VALUES (''stolen'') RETURNING name';
    CREATE SCHEMA \"a\"\"; DROP TABLE public.item; --\";
    CREATE TABLE \"a\"\"; DROP TABLE public.item; --\".\"b\"\"c\\\" (\"x\"\"; SELECT pg_sleep(9); --\" int PRIMARY KEY, \"$1\" text, \"d\\\\\"\"e\" text);
    INSERT INTO \"a\"\"; DROP TABLE public.item; --\".\"b\"\"c\\\" VALUES (7, 'seven', 'e');";

/// Each is refused before anything is sent, and what it names never reaches the server.
const REFUSED: &[&str] = &[
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('/etc/passwd') FROM item",
    "SELECT pg_ls_dir('/') FROM item",
    "SELECT * FROM pg_ls_dir('/')",
    "SELECT * FROM pg_ls_logdir()",
    "SELECT (pg_stat_file('/etc/passwd')).size FROM item",
    "SELECT lo_import('/etc/passwd') FROM item",
    "SELECT lo_export(1, '/tmp/stolen') FROM item",
    "SELECT lo_from_bytea(0, 'x') FROM item",
    "COPY item TO '/tmp/stolen'",
    "COPY item FROM '/etc/passwd'",
    "COPY item TO PROGRAM 'id > /tmp/stolen'",
    "COPY (SELECT * FROM item) TO STDOUT",
    "SELECT * FROM dblink('host=127.0.0.1', 'SELECT 1') AS t(a int)",
    "SELECT dblink_exec('host=127.0.0.1', 'DROP TABLE item')",
    "SELECT dblink_connect('host=127.0.0.1') FROM item",
    "SELECT pg_sleep(60) FROM item",
    "SELECT pg_catalog.pg_sleep(60) FROM item",
    "SELECT name FROM item WHERE pg_sleep_for('1 minute') IS NULL",
    "SELECT name FROM item ORDER BY pg_sleep_until(now())",
    "SELECT pg_advisory_lock(1) FROM item",
    "SELECT pg_try_advisory_lock(1) FROM item",
    "SELECT pg_advisory_unlock_all()",
    "SELECT set_config('default_transaction_read_only', 'off', false) FROM item",
    "SELECT current_setting('data_directory') FROM item",
    "SET default_transaction_read_only = off",
    "RESET ALL",
    "SELECT nextval('item_id_seq') FROM item",
    "SELECT setval('item_id_seq', 1) FROM item",
    "SELECT currval('item_id_seq')",
    "SELECT pg_terminate_backend(1) FROM item",
    "SELECT pg_cancel_backend(1) FROM item",
    "SELECT pg_reload_conf()",
    "SELECT pg_rotate_logfile()",
    "SELECT pg_switch_wal()",
    "SELECT pg_notify('a', 'b') FROM item",
    "NOTIFY a, 'b'",
    "LISTEN a",
    "SELECT query_to_xml('DROP TABLE item', true, true, '') FROM item",
    "SELECT database_to_xml(true, true, '')",
    "SELECT table_to_xml('item', true, true, '')",
    "SELECT ts_stat('DROP TABLE item') FROM item",
    "SELECT pg_file_write('/tmp/stolen', 'x', false)",
    "SELECT pg_logical_emit_message(true, 'a', 'b') FROM item",
    "SELECT txid_current() FROM item",
    "SELECT generate_series(1, 1000000000) FROM item",
    "SELECT * FROM generate_series(1, 1000000000)",
    "SELECT version(), current_user, inet_server_addr() FROM item",
    "SELECT name FROM item FOR UPDATE",
    "SELECT name INTO stolen FROM item",
    "WITH d AS (DELETE FROM item RETURNING *) SELECT * FROM d",
    "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT * FROM r",
    "DO $$ BEGIN DELETE FROM item; END $$",
    "CALL stolen()",
    "PREPARE p AS DELETE FROM item",
    "EXECUTE p",
    "LOCK TABLE item",
    "TRUNCATE item",
    "VACUUM item",
    "CREATE EXTENSION dblink",
    "LOAD '/tmp/stolen.so'",
    "EXPLAIN ANALYZE DELETE FROM item",
    "BEGIN; DROP TABLE item; COMMIT",
    "SELECT 1; DROP TABLE item",
    "SELECT name FROM item; DELETE FROM item; --",
    "SELECT rolpassword FROM pg_authid",
    "SELECT * FROM pg_catalog.pg_shadow",
    "SELECT * FROM information_schema.tables",
    "TABLE pg_shadow",
    "SELECT (SELECT rolpassword FROM pg_catalog.pg_authid LIMIT 1) FROM item",
    "SELECT name::regclass FROM item",
    "SELECT 'item'::regclass::oid FROM item",
    "SELECT CAST('pg_authid' AS regclass)",
    "SELECT name COLLATE \"evil\" FROM item",
    "SELECT name OPERATOR(pg_catalog.+) 1 FROM item",
    "SELECT item.*::text FROM item",
    "SELECT $1 FROM item",
    "SELECT ctid, xmin, tableoid FROM item",
    "SELECT name FROM item WHERE name = U&'\\0027; DROP TABLE item; --'",
];

/// Texts and names that try to be more than that: each gives what it says, and nothing else.
const HARMLESS: &[(&str, &str)] = &[
    ("SELECT name FROM item WHERE name = 'x''; DROP TABLE item; --'", ""),
    (r"SELECT name FROM item WHERE name = 'x\' OR name = '; DROP TABLE item; --'", ""),
    (r"SELECT name FROM item WHERE name = '\'", ""),
    (r"SELECT name FROM item WHERE name = E'\'; DROP TABLE item; --'", ""),
    ("SELECT name FROM item WHERE name = $$x'; DROP TABLE item; --$$", ""),
    ("SELECT name FROM item WHERE name = $a$'; SELECT pg_sleep(60); --$a$", ""),
    ("SELECT name /* ; DROP TABLE item; */ FROM item WHERE id = 3 -- ; DROP TABLE item", "item 3"),
    ("SELECT name FROM item /* /* nested */ ; */ WHERE id = 3", "item 3"),
    ("SELECT name AS \"x\"\"; DROP TABLE item; --\" FROM item WHERE id = 3", "item 3"),
    ("SELECT \"t\"\"; DROP\".name FROM item AS \"t\"\"; DROP\" WHERE id = 3", "item 3"),
    ("SELECT '$1' || name || '$2' FROM item WHERE name = 'item 3'", "$1item 3$2"),
    ("SELECT lower(name) FROM item WHERE id = 3", "item 3"),
    ("SELECT name FROM item WHERE id = 3 OR name LIKE '%''; DROP TABLE item; --%'", "item 3"),
    ("SELECT \"d\\\\\"\"e\" FROM \"b\"\"c\\\\\" WHERE \"$1\" = 'seven'", "e"),
];

fn library(database: &Database) -> (TempDir, Library) {
    let dir = tempfile::tempdir().unwrap();
    let config = Config { embed: Vec::new(), ..Config::default() };
    let library = open(&config, dir.path(), true).unwrap();
    let added =
        library.add(&[PathBuf::from(database.address())], &AddOptions::default(), &Unwatched).unwrap();
    assert!(added.documents.iter().all(|d| d.error.is_none()), "{:?}", added.documents);
    (dir, library)
}

/// What an attack would have changed.
fn state(database: &Database) -> String {
    database.psql(
        "SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM item), (SELECT last_value FROM item_id_seq),
                (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
                (SELECT count(*) FROM pg_extension)",
    )
}

#[test]
fn what_postgres_could_do_is_not_done() {
    let Some(database) = server::database(TABLES) else { return };
    let (_dir, library) = library(&database);
    let (before, said) = (state(&database), database.log().len());
    for sql in REFUSED {
        let error = library.sql(sql).map(|ran| format!("{ran:?}")).expect_err(sql);
        assert!(matches!(error.fault(), Fault::Input | Fault::Limit), "{sql}: {error}");
    }
    // The server logs every statement that reaches it: not one did.
    let reached = database.log().split_off(said);
    assert!(said > 0 && reached.is_empty(), "{reached:#?}");
    assert_eq!(state(&database), before);
    assert!(!std::path::Path::new("/tmp/stolen").exists());
}

#[test]
fn a_text_is_a_text_and_a_name_is_a_name() {
    let Some(database) = server::database(TABLES) else { return };
    let (_dir, library) = library(&database);
    let (before, said) = (state(&database), database.log().len());
    for (sql, wanted) in HARMLESS {
        let ran = library.sql(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let got = ran.rows.first().map_or(String::new(), |row| row[0].to_string());
        assert_eq!(got, *wanted, "{sql}");
        assert!(ran.shipped.iter().all(|s| s.is_whole) && ran.shipped.len() == 1, "{sql}: {:?}", ran.shipped);
        // No text of the statement is part of what was sent.
        let sent = &ran.shipped[0].sql;
        assert!(!sent.contains("; DROP TABLE item") && !sent.contains("--\" FROM item"), "{sent}");
    }
    let log = database.log().split_off(said);
    assert!(log.iter().filter(|l| l.contains("execute")).count() >= HARMLESS.len(), "{log:#?}");
    let executed = log
        .iter()
        .filter(|l| l.contains("execute") && (l.contains("DROP TABLE item") || l.contains("pg_sleep(60)")));
    assert_eq!(executed.collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(state(&database), before);
}

#[test]
fn the_session_itself_can_neither_write_nor_run_on() {
    let Some(database) = server::database(TABLES) else { return };
    let postgres = Postgres::open(&database.address()).unwrap();
    let before = state(&database);
    let run = |sql: &str, time_ms: u64| {
        let statement = Statement { sql: sql.into(), texts: Vec::new(), kinds: vec![Kind::Text] };
        let bounds = Bounds { rows: 10, bytes: 1 << 20, time_ms, stop: &|| false };
        postgres.run(&statement, &bounds, &mut |_| Ok(()))
    };
    for sql in [
        "INSERT INTO public.item (name) VALUES ('stolen') RETURNING name",
        "DELETE FROM public.item RETURNING name",
        "WITH d AS (DELETE FROM public.item RETURNING name) SELECT name FROM d",
        "SELECT nextval('public.item_id_seq')::text",
        "SELECT 'a'; SELECT 'b'",
        "CREATE TABLE public.stolen AS SELECT 'a'",
        "SELECT public.lower('a')",
        "SELECT name FROM item",
    ] {
        run(sql, 10_000).map(|f| format!("{f:?}")).expect_err(sql);
    }
    let slow = run("SELECT pg_sleep(3600)::text", 200).unwrap_err();
    assert_eq!(slow.fault(), Fault::Limit, "{slow}");
    assert_eq!(state(&database), before);
    // A session that went wrong is not used again, and the next one reads.
    assert_eq!(run("SELECT name FROM public.item", 10_000).unwrap().rows, 10);
}

#[test]
fn a_statement_ends_when_it_is_told_to() {
    let Some(database) = server::database(TABLES) else { return };
    let postgres = Postgres::open(&database.address()).unwrap();
    let statement =
        Statement { sql: "SELECT pg_sleep(3600)::text".into(), texts: Vec::new(), kinds: vec![Kind::Text] };
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 3;
    let bounds = Bounds { rows: 10, bytes: 1 << 20, time_ms: 3_600_000, stop: &stop };
    assert!(postgres.run(&statement, &bounds, &mut |_| Ok(())).is_err());
    // The server has heard it too.
    let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(3600)%' AND state = 'active'";
    while database.psql(running) != "0" {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn rows_and_bytes_are_bounded() {
    let Some(database) = server::database(TABLES) else { return };
    let postgres = Postgres::open(&database.address()).unwrap();
    let sql = "SELECT repeat('x', 1000) FROM generate_series(1, 1000000)".to_owned();
    let statement = Statement { sql, texts: Vec::new(), kinds: vec![Kind::Text] };
    for (rows, bytes) in [(7, 1 << 30), (1 << 30, 50_000)] {
        let mut came = 0;
        let bounds = Bounds { rows, bytes, time_ms: 60_000, stop: &|| false };
        let fetched = postgres.run(&statement, &bounds, &mut |arrays| {
            came += arrays[0].len();
            Ok(())
        });
        let fetched = fetched.unwrap();
        assert!(fetched.is_cut && came as u64 == fetched.rows && came <= 51, "{fetched:?}");
    }
}

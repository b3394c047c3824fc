//! What the database computes is what is computed here over the same rows.

use super::server::{self, Database};
use std::path::PathBuf;
use tabletalk::sql::{Cell, Ran};
use tabletalk::{AddOptions, Config, Library, Unwatched, open};
use tempfile::TempDir;

const TABLES: &str = "
    CREATE TABLE branch (code char(4) PRIMARY KEY, name text NOT NULL, opened date, area real);
    CREATE TABLE sale (id serial PRIMARY KEY, branch char(4) REFERENCES branch, at timestamptz, day date, sold smallint,
        price numeric(10,2), rate double precision, big bigint, note varchar(40), paid boolean, tag uuid, extra jsonb, list int[]);
    INSERT INTO branch VALUES ('OSL', 'Oslo', '2019-05-01', 10.5), ('BER', 'Bergen', '2020-02-29', 7.25),
        ('KLN', 'Köln', NULL, NULL), ('ØST', 'Østfold', '2021-12-31', 0.1);
    INSERT INTO sale (branch, at, day, sold, price, rate, big, note, paid, tag, extra, list)
    SELECT (ARRAY['OSL','BER','KLN', NULL])[i % 4 + 1], TIMESTAMPTZ '2024-01-01 00:30:00+02' + i * INTERVAL '7 hours',
        CASE WHEN i % 11 = 0 THEN NULL ELSE DATE '2023-12-25' + i END, i % 9 - 4, CASE WHEN i % 7 = 0 THEN NULL ELSE i * 1.37 END,
        i / 8.0, 3000000000 + i, (ARRAY['red', 'Blue', 'ägypten', 'Zoo', NULL, '', 'it''s', '100%', 'a_b', E'back\\\\slash'])[i % 10 + 1],
        CASE WHEN i % 5 = 0 THEN NULL ELSE i % 2 = 0 END, CASE WHEN i % 3 = 0 THEN '7d444840-9dc0-11d1-b245-5ffdce74fad2'::uuid END,
        jsonb_build_object('n', i), ARRAY[i, i + 1] FROM generate_series(1, 300) i;";

/// Statements that run in the database as a whole.
const WHOLE: &[&str] = &[
    "SELECT count(*) FROM sale",
    "SELECT count(price), count(DISTINCT branch), sum(sold), min(price), max(price), avg(price) FROM sale",
    "SELECT sum(big), max(big) + 1, sum(sold * sold), min(sold) FROM sale",
    "SELECT min(note), max(note), min(day), max(at) FROM sale",
    "SELECT branch, count(*) n, sum(price) s FROM sale GROUP BY branch ORDER BY branch",
    "SELECT branch, sum(price) AS s FROM sale GROUP BY branch HAVING sum(price) > 1000 ORDER BY s DESC",
    "SELECT note, count(*) FROM sale GROUP BY note ORDER BY note DESC",
    "SELECT DISTINCT note FROM sale ORDER BY note",
    "SELECT id, note FROM sale WHERE note < 'b' ORDER BY note, id",
    "SELECT id, note FROM sale WHERE note >= 'Zoo' AND note <> 'red' ORDER BY id",
    "SELECT id FROM sale WHERE note = 'it''s' ORDER BY id",
    "SELECT id FROM sale WHERE note = 'back\\slash' ORDER BY id LIMIT 3",
    "SELECT id FROM sale WHERE note LIKE '100\\%' OR note LIKE 'a\\_b' ORDER BY id",
    "SELECT id FROM sale WHERE note LIKE '%o%' ORDER BY id LIMIT 9 OFFSET 2",
    "SELECT id FROM sale WHERE note IN ('red', 'Zoo', 'none') ORDER BY id",
    "SELECT count(*) FROM sale WHERE note NOT IN ('red', 'Zoo')",
    "SELECT count(*) FROM sale WHERE note IS NULL OR note = ''",
    "SELECT id, price FROM sale WHERE price BETWEEN 100 AND 150.5 ORDER BY price DESC",
    "SELECT id, price / sold FROM sale WHERE id < 40 ORDER BY id",
    "SELECT id, sold % 4, sold % 0, -sold, abs(sold) FROM sale WHERE id < 30 ORDER BY id",
    "SELECT id, price * rate, price + sold, rate - price FROM sale WHERE id < 30 ORDER BY id",
    "SELECT 100.0 * count(*) / (SELECT count(*) FROM sale) AS share FROM sale WHERE paid",
    "SELECT count(*) FROM sale WHERE paid IS NOT TRUE",
    "SELECT count(*) FROM sale WHERE NOT paid",
    "SELECT paid, count(*) FROM sale GROUP BY paid ORDER BY paid",
    "SELECT id, day FROM sale WHERE day > '2024-01-10' ORDER BY day LIMIT 5",
    "SELECT count(*) FROM sale WHERE day = DATE '2024-01-10'",
    "SELECT count(*) FROM sale WHERE at >= '2024-02-01'",
    "SELECT id, at FROM sale ORDER BY at DESC LIMIT 3",
    "SELECT date_part('year', day) y, date_part('month', day) m, count(*) FROM sale GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT EXTRACT(hour FROM at) h, count(*) FROM sale GROUP BY 1 ORDER BY 1",
    "SELECT date_part('dow', day), date_part('doy', day), date_part('week', day), date_part('quarter', day) FROM sale WHERE id < 40 ORDER BY id",
    "SELECT date_trunc('month', day) m, sum(sold) FROM sale GROUP BY 1 ORDER BY 1",
    "SELECT CAST(date_trunc('week', at) AS DATE) w, count(*) FROM sale GROUP BY 1 ORDER BY 1",
    "SELECT substr(CAST(CAST(day AS DATE) AS VARCHAR), 1, 7) m, count(*) FROM sale GROUP BY 1 ORDER BY 1",
    "SELECT max(day) - min(day) FROM sale",
    "SELECT id, CAST(price AS INTEGER), CAST(sold AS DOUBLE), CAST(id AS VARCHAR) FROM sale WHERE id < 40 ORDER BY id",
    "SELECT id, round(price), round(rate, 1), floor(rate), ceil(rate) FROM sale WHERE id < 40 ORDER BY id",
    "SELECT id, coalesce(note, 'none'), nullif(note, 'red') FROM sale ORDER BY id LIMIT 20",
    "SELECT id, length(note), substr(note, 2, 3), left(note, 2), trim(note), reverse(note) FROM sale ORDER BY id LIMIT 20",
    "SELECT id, note || '-' || branch FROM sale ORDER BY id LIMIT 20",
    "SELECT CASE WHEN price > 200 THEN 'much' WHEN price IS NULL THEN 'nothing' ELSE 'little' END c, count(*) FROM sale GROUP BY 1 ORDER BY 1",
    "SELECT sum(CASE WHEN paid THEN price ELSE 0 END), count(*) FILTER (WHERE paid) FROM sale",
    "SELECT b.name, count(*) n, sum(s.price) FROM sale s JOIN branch b ON s.branch = b.code GROUP BY b.name ORDER BY n DESC, b.name",
    "SELECT s.id, b.name FROM sale s LEFT JOIN branch b ON s.branch = b.code WHERE s.id < 12 ORDER BY s.id",
    "SELECT b.name, s.id FROM sale s RIGHT JOIN branch b ON s.branch = b.code AND s.id < 9 ORDER BY b.name, s.id",
    "SELECT a.id, b.id FROM sale a JOIN sale b ON a.id = b.id + 1 WHERE a.id < 6 ORDER BY a.id",
    "SELECT count(*) FROM sale, branch",
    "SELECT name FROM branch WHERE code IN (SELECT branch FROM sale WHERE price > 380) ORDER BY name",
    "SELECT name FROM branch b WHERE EXISTS (SELECT 1 FROM sale s WHERE s.branch = b.code AND s.price > 390) ORDER BY name",
    "SELECT name FROM branch b WHERE NOT EXISTS (SELECT 1 FROM sale s WHERE s.branch = b.code) ORDER BY name",
    "SELECT id FROM sale WHERE price > (SELECT avg(price) FROM sale) ORDER BY id LIMIT 4",
    "WITH m AS (SELECT branch, max(price) p FROM sale GROUP BY branch) SELECT s.id FROM sale s JOIN m ON s.branch = m.branch AND s.price = m.p ORDER BY 1",
    "SELECT avg(n) FROM (SELECT branch, count(*) n FROM sale GROUP BY branch) t",
    "SELECT n + 1, n * 2 FROM (SELECT sold * 3 AS n, id FROM sale ORDER BY id LIMIT 10) t ORDER BY 1, 2",
    "SELECT branch FROM sale WHERE id < 5 UNION ALL SELECT code FROM branch",
    "SELECT branch FROM sale UNION SELECT code FROM branch ORDER BY 1",
    "SELECT abs((SELECT max(price) FROM sale) - (SELECT min(price) FROM sale)) AS difference",
    "SELECT upper(note), lower(name) FROM sale s JOIN branch b ON s.branch = b.code WHERE s.id < 12 ORDER BY s.id",
    "SELECT name FROM branch WHERE name ILIKE 'ØST%'",
    "SELECT stddev(price), var_pop(rate) FROM sale",
    "SELECT bool_and(paid), bool_or(paid) FROM sale",
    "SELECT tag, extra, list FROM sale WHERE id = 6",
    "SELECT row_id, code FROM branch ORDER BY row_id",
    "SELECT id FROM sale ORDER BY row_id DESC LIMIT 2",
    "SELECT area, opened FROM branch ORDER BY area DESC NULLS LAST",
    "SELECT 'a;b', $$x'y$$, id FROM sale WHERE id = 1",
];

/// Statements whose rows are fetched, because the database would do something else.
const HERE: &[&str] = &[
    "SELECT median(price) FROM sale",
    "SELECT to_char(day, '%Y-%m') m, count(*) FROM sale GROUP BY 1 ORDER BY 1",
    "SELECT id, rank() OVER (ORDER BY price DESC) r FROM sale WHERE price IS NOT NULL ORDER BY r, id LIMIT 4",
    "SELECT string_agg(name, ',' ORDER BY name) FROM branch",
    "SELECT regexp_replace(note, 'o+', '0') FROM sale WHERE id < 9 ORDER BY id",
    "SELECT CAST(rate AS VARCHAR) FROM sale WHERE id < 4 ORDER BY id",
    "SELECT note FROM sale INTERSECT SELECT 'red'",
    "SELECT repeat(note, 3) FROM sale WHERE id = 1",
];

fn library(database: &Database, in_database: bool) -> (TempDir, Library) {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config { embed: Vec::new(), ..Config::default() };
    config.sql.in_database = in_database;
    let library = open(&config, dir.path(), true).unwrap();
    let added =
        library.add(&[PathBuf::from(database.address())], &AddOptions::default(), &Unwatched).unwrap();
    assert!(added.documents.iter().all(|d| d.error.is_none()), "{:?}", added.documents);
    (dir, library)
}

/// A row with numbers as far as they are surely the same: sums are added up in another order.
fn shown(row: &[Cell]) -> String {
    let cell = |cell: &Cell| match cell {
        Cell::Integer(n) => format!("{:.9e}", *n as f64),
        Cell::Decimal(n) => format!("{n:.9e}"),
        Cell::Null => "-".to_owned(),
        other => format!("{other:?}"),
    };
    row.iter().map(cell).collect::<Vec<_>>().join(" | ")
}

fn rows(ran: &Ran, sql: &str) -> Vec<String> {
    let mut rows: Vec<String> = ran.rows.iter().map(|row| shown(row)).collect();
    if !sql.contains("ORDER BY") {
        rows.sort();
    }
    rows
}

#[test]
fn a_statement_gives_the_same_there_and_here() {
    let Some(database) = server::database(TABLES) else { return };
    let ((_a, there), (_b, here)) = (library(&database, true), library(&database, false));
    let mut wrong = Vec::new();
    for (sql, is_whole) in WHOLE.iter().map(|sql| (sql, true)).chain(HERE.iter().map(|sql| (sql, false))) {
        let (one, other) = match (there.sql(sql), here.sql(sql)) {
            (Ok(one), Ok(other)) => (one, other),
            (one, other) => {
                wrong.push(format!("{sql}\n  there {:?}\n  here {:?}", one.err(), other.err()));
                continue;
            }
        };
        let kinds = |ran: &Ran| ran.columns.iter().map(|c| (c.name.clone(), c.kind)).collect::<Vec<_>>();
        assert_eq!(kinds(&one), kinds(&other), "{sql}");
        let was_whole = one.shipped.iter().all(|s| s.is_whole) && !one.shipped.is_empty();
        if was_whole != is_whole || rows(&one, sql) != rows(&other, sql) {
            let some = |ran: &Ran| rows(ran, sql).into_iter().take(12).collect::<Vec<_>>();
            wrong.push(format!(
                "{sql}\n  {:?}\n  there {:#?}\n  here {:#?}",
                one.shipped,
                some(&one),
                some(&other)
            ));
        }
        // No more comes over the wire than the result has, where it is made there.
        if is_whole {
            assert_eq!(one.shipped[0].rows, one.rows.len() as u64, "{sql}");
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), WHOLE.len() + HERE.len(), wrong.join("\n\n"));
}

#[test]
fn what_is_fetched_is_only_what_is_needed() {
    let Some(database) = server::database(TABLES) else { return };
    let (dir, library) = library(&database, true);
    let file = dir.path().join("goals.csv");
    std::fs::write(&file, "branch,goal\nOSL,100\nBER,200\nXXX,300\n").unwrap();
    library.add(&[file], &AddOptions::default(), &Unwatched).unwrap();
    let sql = "SELECT g.branch, g.goal, sum(s.price) FROM goals g JOIN sale s ON s.branch = g.branch \
               WHERE s.day >= DATE '2024-03-01' AND s.paid GROUP BY 1, 2 ORDER BY 1";
    let ran = library.sql(sql).unwrap();
    let wanted = database.psql(
        "SELECT branch, sum(price)::float8 FROM sale WHERE day >= '2024-03-01' AND paid AND branch IN ('OSL', 'BER') GROUP BY 1 ORDER BY 1",
    );
    let got: Vec<String> = ran.rows.iter().map(|row| format!("{}|{}", row[0], row[2])).collect();
    assert_eq!(got, wanted.lines().map(|l| l.replace(" |", "|")).collect::<Vec<_>>());
    let fetched: u64 = database
        .psql("SELECT count(*) FROM sale WHERE day >= '2024-03-01' AND paid AND branch IS NOT NULL")
        .parse()
        .unwrap();
    let [shipped] = ran.shipped.as_slice() else { panic!("{:?}", ran.shipped) };
    assert!(!shipped.is_whole && shipped.of == "sale" && !shipped.sql.contains("note"), "{shipped:?}");
    assert!(shipped.rows <= fetched + 100 && shipped.rows < 200, "{shipped:?} {fetched}");
}

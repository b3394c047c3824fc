//! Which rows entered a result.

use crate::common::{relations, run, sandbox};
use tabletalk_sql::{Limits, Sandbox, Stop, Used};

fn used(sql: &str, relation: &str) -> Used {
    let ran = run(sql).unwrap();
    ran.used.into_iter().find(|u| u.relation == relation).unwrap()
}

#[test]
fn each_row_of_a_plain_query_is_a_row_of_the_relation() {
    let used = used("SELECT City, Price FROM sales WHERE Price > 1.2 ORDER BY Price DESC LIMIT 3", "sales");
    assert_eq!(used.per_result, Some(vec![5, 8, 3]));
    assert_eq!((used.count, used.rows), (3, vec![3, 5, 8]));
    assert_eq!(used.columns, ["City", "Price"]);
}

#[test]
fn below_an_aggregate_are_the_rows_that_passed_the_filter() {
    let used = used("SELECT sum(total_sales) FROM sales WHERE City = 'Oslo'", "sales");
    assert_eq!((used.count, used.rows, used.per_result), (3, vec![2, 4, 8], None));
    assert_eq!(used.columns, ["City", "Total Sales"]);
}

#[test]
fn only_the_groups_that_are_shown_count() {
    let top = "SELECT City, sum(total_sales) AS s FROM sales GROUP BY City ORDER BY s DESC LIMIT 1";
    assert_eq!(used(top, "sales").rows, [2, 4, 8]);
    let having = "SELECT City FROM sales GROUP BY City HAVING count(*) = 2";
    assert_eq!(used(having, "sales").rows, [5, 7]);
    let distinct = "SELECT DISTINCT City FROM sales WHERE Paid ORDER BY City";
    assert_eq!(used(distinct, "sales").rows, [2, 4, 5, 8]);
}

#[test]
fn totals_are_not_among_the_rows_unless_they_are_asked_for() {
    assert_eq!(used("SELECT count(*) FROM sales", "sales").count, 7);
    let ran = run("SELECT max(total_sales) FROM \"sales (all rows)\"").unwrap();
    assert_eq!((ran.used[0].count, ran.rows_total), (8, 8));
    assert_eq!(ran.rows[0][0].to_string(), "600");
}

#[test]
fn both_sides_of_a_join_are_known() {
    let sql = "SELECT s.City, c.country FROM sales s JOIN world_cities c ON s.City = c.name WHERE c.country = 'France' ORDER BY row_id";
    let sql = sql.replace("ORDER BY row_id", "ORDER BY s.row_id");
    assert_eq!(used(&sql, "sales").per_result, Some(vec![5, 7]));
    assert_eq!(used(&sql, "world cities").per_result, Some(vec![3, 3]));
    assert_eq!(used(&sql, "world cities").rows, [3]);
    let sum =
        "SELECT sum(s.price) FROM sales s LEFT JOIN world_cities c ON s.City = c.name AND c.people > 1000000";
    assert_eq!(used(sum, "sales").count, 7);
    assert_eq!(used(sum, "world cities").rows, [3, 4]);
}

#[test]
fn unions_subqueries_windows_and_common_tables_carry_rows() {
    let union = "SELECT City FROM sales WHERE Price > 3 UNION ALL SELECT name FROM world_cities WHERE people < 300000";
    assert_eq!(used(union, "sales").rows, [5]);
    assert_eq!(used(union, "world cities").rows, [2]);
    let highest = "SELECT City FROM sales WHERE Price = (SELECT max(Price) FROM sales)";
    assert_eq!(used(highest, "sales").per_result, Some(vec![5]));
    let window = "SELECT City, row_number() OVER (ORDER BY Price) AS r FROM sales ORDER BY r LIMIT 1";
    assert_eq!(used(window, "sales").rows, [4]);
    let common =
        "WITH a AS (SELECT City, avg(Price) AS p FROM sales GROUP BY City) SELECT max(p) FROM a WHERE p < 2";
    assert_eq!(used(common, "sales").rows, [2, 4, 6, 8]);
    let except = "SELECT name FROM world_cities EXCEPT SELECT City FROM sales WHERE Paid";
    assert_eq!(used(except, "world cities").rows, [2, 4]);
}

#[test]
fn rows_read_are_all_unless_a_limit_ends_the_run() {
    let ran = run("SELECT sum(total_sales) FROM sales WHERE City = 'Oslo'").unwrap();
    assert_eq!((ran.rows_read, ran.rows_total), (7, 7));
    let ran = run("SELECT City FROM sales ORDER BY Price LIMIT 1").unwrap();
    assert_eq!((ran.rows_read, ran.rows_total), (7, 7));
}

#[test]
fn what_is_cut_is_said() {
    let limits = Limits { rows: 3, ..Limits::default() };
    let sandbox = Sandbox::new(limits).unwrap();
    let ran = sandbox.run(&relations(), "SELECT City FROM sales ORDER BY row_id", &Stop::new()).unwrap();
    assert!(ran.truncated);
    assert_eq!((ran.rows.len(), ran.used[0].per_result.clone()), (3, Some(vec![2, 3, 4])));
    let limits = Limits { bytes: 100, ..Limits::default() };
    let ran = Sandbox::new(limits).unwrap().run(&relations(), "SELECT * FROM sales", &Stop::new()).unwrap();
    assert!(ran.truncated && ran.rows.is_empty());
}

#[test]
fn without_lineage_the_result_is_the_same() {
    let bare = Sandbox::new(Limits { lineage: false, ..Limits::default() }).unwrap();
    for sql in [
        "SELECT City, count(*) FROM sales GROUP BY City ORDER BY 1",
        "SELECT * FROM sales ORDER BY Price, City",
    ] {
        let (a, b) = (
            bare.run(&relations(), sql, &Stop::new()).unwrap(),
            sandbox().run(&relations(), sql, &Stop::new()).unwrap(),
        );
        assert_eq!((a.rows, a.columns), (b.rows, b.columns));
    }
}

#[test]
fn what_stands_in_the_statement_is_told_from_what_rows_say() {
    let constant = |sql: &str| run(sql).unwrap().columns.iter().map(|c| c.is_constant).collect::<Vec<_>>();
    assert_eq!(constant("SELECT 42 AS n, City FROM sales LIMIT 1"), [true, false]);
    assert_eq!(constant("SELECT n + 1 FROM (SELECT 41 AS n FROM sales) AS q LIMIT 1"), [true]);
    assert_eq!(constant("SELECT max(n) FROM (SELECT 'Oslo' AS n, City FROM sales) AS q"), [true]);
    assert_eq!(constant("SELECT count(*), sum(total_sales) * 2 FROM sales"), [false, false]);
    assert_eq!(constant("SELECT CASE WHEN count(*) > 3 THEN 'yes' ELSE 'no' END FROM sales"), [false]);
    assert_eq!(constant("SELECT (SELECT max(total_sales) FROM sales), (SELECT 7)"), [false, true]);
}

#[test]
fn queries_in_each_other_do_not_multiply_what_is_to_be_looked_at() {
    // Five columns, twenty deep: looked at for each column anew, that would be 5^20 looks.
    let sql = format!(
        "SELECT * FROM {}sales{}",
        "(SELECT *, 7 AS n FROM (SELECT City, Day FROM ".repeat(7),
        ") AS a) AS b".repeat(7)
    );
    let deep = format!("SELECT * FROM {}sales{}", "(SELECT * FROM ".repeat(20), ") AS a".repeat(20));
    let constants: Vec<bool> = run(&sql).unwrap().columns.iter().map(|c| c.is_constant).collect();
    assert_eq!(constants, [false, false, true]);
    assert!(run(&deep).unwrap().columns.iter().all(|c| !c.is_constant));
}

//! What can be written, and what is forgiven.

use crate::common::{run, shown};

#[test]
fn counts_sums_and_sorts_without_totals() {
    assert_eq!(
        shown("SELECT count(*), sum(\"Total Sales\"), avg(Price) FROM sales"),
        "7|600|1.7857142857142858"
    );
    assert_eq!(shown("SELECT sum(\"Total Sales\") FROM \"sales (all rows)\""), "1200");
    assert_eq!(
        shown(
            "SELECT City, sum(\"Total Sales\") AS s FROM sales GROUP BY City ORDER BY s DESC, City LIMIT 2"
        ),
        "Oslo|370\nBergen|80"
    );
}

#[test]
fn names_are_found_without_case_or_punctuation() {
    assert_eq!(shown("select SUM(total_sales) from SALES where CITY = 'Oslo'"), "370");
    assert_eq!(shown("SELECT AVG(total_sales) AS total_sales FROM Sales s WHERE s.city = 'Paris'"), "37.5");
    assert_eq!(shown("SELECT COUNT(*) FROM world_cities WHERE Country = 'Norway'"), "2");
    assert_eq!(shown("SELECT people FROM `World Cities` c WHERE c.`NAME` = 'Rome'"), "2800000");
    assert_eq!(
        shown(
            "SELECT city, SUM(total_sales) AS total_sales FROM sales GROUP BY city HAVING SUM(total_sales) > 100 ORDER BY SUM(total_sales)"
        ),
        "Oslo|370"
    );
    let ran = run("SELECT city, COUNT(*) FROM sales GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1").unwrap();
    assert_eq!(ran.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["City", "COUNT(*)"]);
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest() {
    let error = shown("SELECT sum(totl_sales) FROM sales");
    assert!(
        error.starts_with("error: no column `totl_sales` in \"sales\"; did you mean `Total Sales`"),
        "{error}"
    );
    assert!(error.contains("columns: \"City\""), "{error}");
    let error = shown("SELECT 1 FROM sale");
    assert!(error.starts_with("error: no relation `sale`; did you mean `sales`?"), "{error}");
    let error = shown("SELECT c.nme FROM world_cities c");
    assert!(error.starts_with("error: no column `nme` in \"c\"; did you mean `name`?"), "{error}");
}

#[test]
fn a_star_leaves_out_what_is_ours() {
    let ran = run("SELECT * FROM sales").unwrap();
    assert_eq!(ran.columns.len(), 6);
    assert_eq!(shown("SELECT row_id, \"Total Sales (text)\" FROM sales WHERE City = 'Rome'"), "6|€75");
    let ran = run("SELECT * EXCEPT (Note), c.* FROM sales s JOIN world_cities c ON s.City = c.name").unwrap();
    assert_eq!(ran.columns.len(), 11);
    assert_eq!(ran.rows.len(), 7);
}

#[test]
fn texts_are_compared_and_summed_as_the_numbers_they_say() {
    assert_eq!(shown("SELECT Note FROM sales WHERE Note > 100"), "1,200");
    assert_eq!(shown("SELECT count(*) FROM sales WHERE Note IN (7, 8)"), "1");
    assert_eq!(shown("SELECT sum(Note) FROM sales"), "1207.4");
    assert_eq!(shown("SELECT CAST(Note AS INTEGER) FROM sales WHERE City = 'Bergen'"), "7");
    assert_eq!(shown("SELECT CAST('x' AS INTEGER), TRY_CAST('7' AS INT)"), "|7");
}

#[test]
fn division_gives_decimals_and_nothing_by_zero() {
    assert_eq!(shown("SELECT 1 / 2, 7 % 4, 1 / 0, 5 % 0"), "0.5|3||");
    assert_eq!(
        shown("SELECT sum(\"Total Sales\") / count(*) FROM sales WHERE City = 'Oslo' OR City = 'Rome'"),
        "111.25"
    );
}

#[test]
fn texts_may_stand_in_double_quotes_and_in_fences() {
    assert_eq!(shown("SELECT count(*) FROM sales WHERE City = \"Oslo\""), "3");
    assert_eq!(shown("```sql\nSELECT count(*) FROM sales WHERE City IN (\"Oslo\", 'Rome');\n```"), "4");
    assert_eq!(shown("SELECT count(*) FROM sales WHERE city ILIKE 'o%'"), "3");
}

#[test]
fn dates_and_truths() {
    assert_eq!(shown("SELECT year(Day), month(Day), EXTRACT(day FROM Day) FROM sales LIMIT 1"), "2023|8|31");
    assert_eq!(shown("SELECT max(Day) - min(Day) FROM sales"), "240");
    assert_eq!(shown("SELECT count(*) FROM sales WHERE Day >= '2024-01-01'"), "3");
    assert_eq!(shown("SELECT count(*) FROM sales WHERE Day < 'October 1, 2023'"), "1");
    assert_eq!(shown("SELECT strftime('%Y-%m', Day) FROM sales LIMIT 1"), "2023-08");
    assert_eq!(shown("SELECT count(*) FROM sales WHERE Paid = 1"), "4");
    assert_eq!(shown("SELECT count(*) FROM sales WHERE Paid = 'yes' AND Paid"), "4");
    assert_eq!(
        shown("SELECT date_part(year, Day), date_trunc('month', Day) FROM sales LIMIT 1"),
        "2023|2023-08-01 00:00:00"
    );
}

#[test]
fn joins_subqueries_windows_and_unions() {
    assert_eq!(
        shown(
            "WITH t AS (SELECT City, sum(\"Total Sales\") AS s FROM sales GROUP BY City) SELECT country, sum(S) FROM T JOIN world_cities w ON t.city = w.NAME GROUP BY country ORDER BY 2 DESC"
        ),
        "Norway|450\nFrance|75\nItaly|75"
    );
    assert_eq!(shown("SELECT City FROM sales WHERE Price = (SELECT max(price) FROM sales)"), "Paris");
    assert_eq!(
        shown(
            "SELECT name FROM world_cities w WHERE EXISTS (SELECT 1 FROM sales s WHERE s.city = w.name AND s.price > 3)"
        ),
        "Paris"
    );
    assert_eq!(
        shown("SELECT City, rank() OVER (ORDER BY total_sales DESC) AS r FROM sales ORDER BY r LIMIT 2"),
        "Oslo|1\nOslo|2"
    );
    assert_eq!(
        shown("SELECT City FROM sales WHERE Paid UNION SELECT name FROM world_cities ORDER BY 1"),
        "Bergen\nOslo\nParis\nRome"
    );
    assert_eq!(
        shown("SELECT count(DISTINCT City), string_agg(DISTINCT City, ';' ORDER BY City) FROM sales"),
        "4|Bergen;Oslo;Paris;Rome"
    );
    assert_eq!(shown("SELECT City || '!' || row_id FROM sales WHERE row_id = 3"), "Bergen!3");
    assert_eq!(
        shown(
            "SELECT CASE WHEN Price > 2 THEN 'high' ELSE 'low' END AS c, count(*) FROM sales GROUP BY c ORDER BY c"
        ),
        "high|2\nlow|5"
    );
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    for (sql, what) in [
        ("SELECT overlay(City PLACING 'x' FROM 1) FROM sales", "OVERLAY"),
        ("SELECT [1, 2] FROM sales", "an array"),
        ("SELECT {'a': 1}", "a dictionary"),
        ("SELECT City[1] FROM sales", "a part of a value"),
        ("SELECT (City, Price) FROM sales", "a list of values"),
        ("SELECT City -> 'a' FROM sales", "operator"),
        ("SELECT CAST(City AS JSON) FROM sales", "the type JSON"),
        ("SELECT CAST(City AS INT ARRAY) FROM sales", "refused"),
        ("SELECT X'41'", "this way to write a text"),
        ("SELECT ?", "a placeholder"),
        ("SELECT lower(str => City) FROM sales", "a named argument"),
        ("SELECT City COLLATE \"C\" FROM sales", "COLLATE"),
        ("SELECT * FROM sales s CROSS APPLY sales t", "this kind of join"),
        ("SELECT count(City ORDER BY City LIMIT 1) FROM sales", "LIMIT in a call"),
    ] {
        let said = shown(sql);
        assert!(said.starts_with("error: ") && said.contains(what), "{sql}: {said}");
    }
}

#[test]
fn words_that_call_functions_call_those_that_are_allowed() {
    assert_eq!(
        shown(
            "SELECT SUBSTRING(City FROM 2 FOR 2), POSITION('s' IN City), TRIM(BOTH 'O' FROM City) FROM sales LIMIT 1"
        ),
        "sl|2|slo"
    );
    assert_eq!(
        shown(
            "SELECT count(*) OVER (), sum(Price) OVER (ORDER BY Day), lag(City) OVER (ORDER BY Day) FROM sales ORDER BY Day LIMIT 2"
        ),
        "7|1.5|\n7|3.5|Oslo"
    );
    assert_eq!(
        shown("SELECT string_agg(City, ';') OVER (ORDER BY Day) FROM sales ORDER BY Day LIMIT 2"),
        "Oslo\nOslo;Bergen"
    );
}

#[test]
fn patterns_hold_of_what_is_computed_too() {
    let cities = |condition: &str| {
        shown(&format!("SELECT DISTINCT City FROM sales WHERE {condition} ORDER BY City")).replace('\n', " ")
    };
    assert_eq!(cities("City || '!' LIKE 'O%!'"), "Oslo");
    assert_eq!(cities("lower(City) NOT LIKE '%o%'"), "Bergen Paris");
    assert_eq!(cities("upper(City) ILIKE '%' || 'ri' || '%'"), "Paris");
    assert_eq!(cities("City LIKE substr(City, 1, 1) || '%e%'"), "Bergen Rome");
    assert_eq!(cities("\"Total Sales\" + 1 LIKE '2%'"), "Oslo Paris");
    assert_eq!(cities("City ~ '^[OP]'"), "Oslo Paris");
    assert_eq!(cities("City ~* '^[op]'"), "Oslo Paris");
    assert_eq!(cities("City || '' !~ 'o' AND City !~* '^p'"), "Bergen");
    assert_eq!(shown("SELECT count(*) FROM sales WHERE Note || 'x' LIKE '%x'"), "5");
    assert_eq!(shown("SELECT NULL || 'a' LIKE 'a', 'a' || 'b' || 'c' || 1"), "|abc1");
}

#[test]
fn what_would_take_the_planner_too_long_is_refused() {
    let deep = |head: &str, tail: &str, levels| {
        shown(&format!("SELECT {}City{} FROM sales", head.repeat(levels), tail.repeat(levels)))
    };
    assert!(deep("coalesce(", ", 'a')", 8).starts_with("Oslo"));
    assert!(deep("coalesce(", ", 'a')", 40).contains("too complex"));
    assert!(deep("abs(", ")", 47).contains("error"));
    assert!(
        shown(&format!("SELECT {}1{}", "(SELECT ".repeat(9), ")".repeat(9))).contains("more than 8 levels")
    );
    assert_eq!(shown(&format!("SELECT {}1{}", "(SELECT ".repeat(8), ")".repeat(8))), "1");
}

//! What a program gives over a grid in memory is what its SQL gives over the relation.

use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, StringArray};
use std::sync::Arc;
use tabletalk_core::{Batch, Cells, Column, Kind};
use tabletalk_question::{
    Ask, By, Condition, Fold, Grid, Key, Period, Pick, Program, Rows, Subject, Test, Value, execute,
};
use tabletalk_sql::{Cell, Limits, Relation, Sandbox, Source, Stop};

const TEAM: usize = 0;
const STATUS: usize = 1;
const BUDGET: usize = 2;
const SPENT: usize = 3;
const BEGUN: usize = 4;
const ENDED: usize = 5;

fn columns() -> Vec<Column> {
    let column = |name: &str, kind: Kind, at: u32| Column::new(name, kind, at);
    vec![
        column("team", Kind::Text, 1),
        column("status", Kind::Text, 2),
        column("budget", Kind::Integer, 3),
        column("spent", Kind::Decimal, 4),
        column("begun", Kind::Date, 5),
        column("ended", Kind::Date, 6),
    ]
}

fn batch() -> Batch {
    let cells = |value: ArrayRef| Cells { value, text: None };
    let days = |days: [Option<i32>; 6]| cells(Arc::new(Date32Array::from(days.to_vec())));
    Batch {
        rows: (2..8).collect(),
        columns: vec![
            cells(Arc::new(StringArray::from(vec!["Red", "Blue", "Red", "Green", "Blue", "Red"]))),
            cells(Arc::new(StringArray::from(vec!["open", "done", "done", "open", "late", "done"]))),
            cells(Arc::new(Int64Array::from(vec![100, 250, 80, 40, 300, 120]))),
            cells(Arc::new(Float64Array::from(vec![90.5, 260.0, 20.25, 40.0, 150.0, 121.0]))),
            days([Some(19_000), Some(19_010), Some(19_020), Some(19_033), Some(19_040), Some(19_050)]),
            days([Some(19_030), Some(19_015), Some(19_021), None, Some(19_100), Some(19_060)]),
        ],
        ..Batch::default()
    }
}

fn rows(conditions: Vec<Condition>) -> Rows {
    Rows { conditions, ..Rows::default() }
}

fn is(column: usize, text: &str) -> Condition {
    Condition { column, test: Test::Is(vec![Value { text: text.into(), plain: None }]) }
}

fn by(key: usize, period: Option<Period>, ask: Ask) -> By {
    let keys = vec![Key { column: key, period }];
    By { keys, ask: Box::new(ask), order: None, limit: None, having: None, bare: false }
}

/// The result of a program's SQL as the answer in memory writes it.
fn by_sql(program: &Program, grid: &Grid) -> Vec<String> {
    let sql = program.sql(&Subject { relation: "jobs", title: "", grid });
    let relation =
        Relation { name: "jobs".into(), columns: columns(), rows: 6, source: Source::Memory(vec![batch()]) };
    let relations = Vec::from([relation]);
    let ran = Sandbox::new(Limits { threads: 1, ..Limits::default() })
        .and_then(|sandbox| sandbox.run(&relations, &sql, &Stop::new()))
        .unwrap_or_else(|e| panic!("{sql}: {e}"));
    let text = |cell: &Cell| match cell {
        Cell::Decimal(n) => tabletalk_core::value::plain_decimal((n * 1e6).round() / 1e6),
        other => other.to_string(),
    };
    ran.rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>().join(": ")).collect()
}

fn check(rows: Rows, ask: Ask, expected: &[&str]) {
    let grid = Grid::new(&columns(), &[batch()], true);
    let program = Program { rows, ask };
    let said = program.words(&grid);
    let in_memory = execute(&program, &grid).map(|a| a.values).unwrap_or_default();
    assert_eq!(in_memory, expected, "in memory: {said}");
    assert_eq!(by_sql(&program, &grid), expected, "by SQL: {said}");
}

#[test]
fn parts_of_all_rows_and_of_some() {
    let red_done = || rows(vec![is(TEAM, "Red"), is(STATUS, "done")]);
    check(red_done(), Ask::Share(0), &["33.333333"]);
    check(red_done(), Ask::Share(1), &["66.666667"]);
    check(red_done(), Ask::ShareOf(BUDGET, 1), &["66.666667"]);
}

#[test]
fn one_column_against_another() {
    let green = || rows(vec![is(TEAM, "Green")]);
    check(rows(vec![]), Ask::Apart(Fold::Average, ENDED, BEGUN), &["21.2"]);
    check(rows(vec![]), Ask::Apart(Fold::Most, ENDED, BEGUN), &["60"]);
    check(rows(vec![]), Ask::Ratio(SPENT, BUDGET), &["76.601124"]);
    check(green(), Ask::Ratio(SPENT, BUDGET), &["100"]);
    check(rows(vec![is(TEAM, "Blue")]), Ask::Growth(BUDGET, SPENT), &["-25.454545"]);
    check(rows(vec![]), Ask::Per(SPENT, BUDGET), &["0.766011"]);
    let pick = |most, count| Rows {
        pick: Some(Pick::Apart { column: SPENT, other: BUDGET, most, count }),
        ..Rows::default()
    };
    check(pick(true, 1), Ask::Cells(TEAM), &["Blue"]);
    check(pick(false, 2), Ask::Cells(STATUS), &["done", "late"]);
}

#[test]
fn some_rows_against_others() {
    let blue = rows(vec![is(TEAM, "Blue")]);
    let red = || rows(vec![is(TEAM, "Red")]);
    check(red(), Ask::RowGrowth(BUDGET, blue.clone()), &["-45.454545"]);
    check(red(), Ask::Times(BUDGET, blue), &["0.545455"]);
    check(rows(vec![is(STATUS, "late")]), Ask::Rank(SPENT, true), &["2"]);
    check(rows(vec![is(STATUS, "late")]), Ask::Rank(SPENT, false), &["5"]);
}

#[test]
fn groups_of_what_is_computed_from_several_columns() {
    check(rows(vec![]), Ask::EachColumn(Fold::Sum, vec![BUDGET, SPENT]), &["budget: 890", "spent: 681.75"]);
    let apart = Ask::Apart(Fold::Average, ENDED, BEGUN);
    check(rows(vec![is(STATUS, "done")]), Ask::By(by(TEAM, None, apart)), &["Blue: 5", "Red: 5.5"]);
    let across = Ask::Across(Fold::Sum, vec![BUDGET, SPENT]);
    check(rows(vec![]), Ask::By(by(TEAM, None, across)), &["Blue: 960", "Green: 80", "Red: 531.75"]);
    let many = By { having: Some(Test::More(1.0)), bare: true, ..by(TEAM, None, Ask::Count) };
    check(rows(vec![]), Ask::By(many), &["Blue", "Red"]);
}

#[test]
fn days_of_the_week_have_names_and_stand_in_their_order() {
    let early = Condition { column: BEGUN, test: Test::Less(19_015.0) };
    let weekdays = by(BEGUN, Some(Period::Weekday), Ask::Count);
    check(rows(vec![early]), Ask::By(weekdays), &["Tuesday: 1", "Saturday: 1"]);
}

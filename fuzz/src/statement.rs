//! Statements: the text is read, and all that it names is walked over. Nothing is planned or run.

use std::sync::LazyLock;
use tabletalk_core::{Column, Fault, Kind};
use tabletalk_sql::{Limits, Relation, Sandbox, Source};

/// Reads a statement and walks over all that it names. A panic on the way ends the run, as does an error that
/// is nobody's fault but ours.
pub fn statement(sql: &str) {
    static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
        let limits = Limits { threads: 1, ..Limits::default() };
        Sandbox::new(limits).expect("a sandbox")
    });
    if let Err(error) = SANDBOX.read(&relations(), sql) {
        assert_ne!(error.fault(), Fault::Bug, "{error}");
    }
}

fn relations() -> Vec<Relation> {
    let columns = vec![
        Column::new("City", Kind::Text, 1),
        Column::new("Total Sales", Kind::Integer, 2),
        Column::new("Day", Kind::Date, 3),
        Column::new("n", Kind::Decimal, 4),
    ];
    let source = Source::Memory(Vec::new());
    let sales = Relation { name: "sales".into(), columns, rows: 0, source };
    vec![Relation { name: "numbers".into(), ..sales.clone() }, sales]
}

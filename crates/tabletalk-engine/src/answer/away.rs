//! Citations of rows that live in a database: by their primary key, which finds them again there.

use tabletalk_core::{Citation, Home, Kind, Place};
use tabletalk_sql::{Ran, Used};
use tabletalk_store::StoredTable;

/// What a result rests on in a table of a database.
pub(super) fn cite(stored: &StoredTable, home: &Home, used: &Used, ran: &Ran) -> Vec<Citation> {
    match used.keys.is_empty() {
        true => computed(stored, home, used),
        false => shown(stored, home, used, ran),
    }
}

/// The rows that are shown, each with what is shown of it.
fn shown(stored: &StoredTable, home: &Home, used: &Used, ran: &Ran) -> Vec<Citation> {
    let column = |name: &str| stored.table.columns.iter().position(|c| c.name == name);
    let columns: Vec<(usize, usize)> =
        ran.columns.iter().enumerate().filter_map(|(i, output)| Some((i, column(&output.name)?))).collect();
    let rows = used.keys.iter().zip(&ran.rows);
    let cited = rows.flat_map(|(key, row)| {
        let key = key_of(home, key);
        let cells: Vec<String> = columns
            .iter()
            .filter_map(|(at, c)| Some(format!("{} = {}", stored.table.columns.get(*c)?.name, row.get(*at)?)))
            .filter(|cell| *cell != key)
            .collect();
        let text = if cells.is_empty() { key } else { format!("{} ({key})", cells.join(", ")) };
        [citation(stored, columns.first().filter(|_| columns.len() == 1).map(|c| c.1), text)]
    });
    cited.collect()
}

/// The key of a row as people write it.
fn key_of(home: &Home, key: &str) -> String {
    let names: Vec<&str> =
        home.key.iter().filter_map(|c| home.columns.get(*c)).map(|c| c.name.as_str()).collect();
    match names.as_slice() {
        [one] => format!("{one} = {key}"),
        several => format!("({}) = ({key})", several.join(", ")),
    }
}

/// The columns that were computed from, those with numbers first.
fn computed(stored: &StoredTable, home: &Home, used: &Used) -> Vec<Citation> {
    let columns = &stored.table.columns;
    let mut named: Vec<usize> =
        used.columns.iter().filter_map(|name| columns.iter().position(|c| c.name == *name)).collect();
    let is_number =
        |c: &usize| columns.get(*c).is_some_and(|c| matches!(c.kind, Kind::Integer | Kind::Decimal));
    named.sort_by_key(|c| !is_number(c));
    let about = if home.is_counted { "" } else { "about " };
    let of = |name: &str| format!("{name} of {about}{} rows of {}.{}", home.rows, home.schema, home.table);
    if named.is_empty() {
        return vec![citation(stored, None, of("the count"))];
    }
    let one = |c: &usize| Some(citation(stored, Some(*c), of(&columns.get(*c)?.name)));
    named.iter().filter_map(one).collect()
}

fn citation(stored: &StoredTable, column: Option<usize>, text: String) -> Citation {
    let col = column.and_then(|c| stored.table.columns.get(c)).map(|c| (c.col, c.col));
    let place = Place { file: stored.table.place.file.clone(), cols: col, ..Place::default() };
    Citation { document: stored.file.clone(), id: stored.id.clone(), place, text }
}

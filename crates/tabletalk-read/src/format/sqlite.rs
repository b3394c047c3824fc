//! SQLite databases: every table and view.

mod watchdog;

use crate::stream::{self, BatchBuilder, Survey};
use crate::typing::{self, Raw, Shape};
use crate::{guard, source};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::value::Value;
use tabletalk_core::{Batch, Block, Document, Error, Kind, Place, Placed, Result, RowStream, Table};
use watchdog::{Cost, fault};

/// Rows of a batch.
const BATCH: usize = 8192;

/// Reads SQLite databases.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    source::on_disk(source, document)
}

fn document(source: &Source<'_>) -> Result<Document> {
    let connection = open(source.path)?;
    let mut document = Document::default();
    if has_log(source.path) {
        document
            .warnings
            .push("changes in its -wal file are not in the database yet and were not read".into());
    }
    let cost = Cost::of(source)?;
    for (name, is_view) in names(&connection)? {
        source.stop.check()?;
        match table(&connection, &name, is_view, source, &cost) {
            Ok(table) => document.blocks.push(Block::Table(table)),
            Err(e) => document.warnings.push(format!("table `{name}` was not read: {}", e.message())),
        }
    }
    if document.blocks.is_empty() {
        let cause = document.warnings.pop().unwrap_or_else(|| "holds no tables".into());
        return Err(Error::input(cause));
    }
    Ok(document)
}

/// Opens a database so that nothing is written, not even beside it.
fn open(path: &Path) -> Result<Connection> {
    let path = std::path::absolute(path)?;
    let mut uri = String::from("file:");
    for b in path.to_string_lossy().bytes() {
        match b {
            b'?' | b'#' | b'%' => uri.push_str(&format!("%{b:02x}")),
            _ => uri.push(b as char),
        }
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // A name that is not ASCII cannot be told as a URI byte by byte: it is opened as it is.
    let plain = !path.to_string_lossy().is_ascii();
    let connection = match plain {
        true => Connection::open_with_flags(&path, flags - OpenFlags::SQLITE_OPEN_URI),
        false => Connection::open_with_flags(format!("{uri}?immutable=1"), flags),
    };
    let connection = connection.map_err(fault)?;
    connection.execute_batch("pragma trusted_schema = off; pragma query_only = on").map_err(fault)?;
    Ok(connection)
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(PathBuf::from(log)).is_ok_and(|m| m.len() > 0)
}

/// The tables and views in the order they were made, and whether each is a view.
fn names(connection: &Connection) -> Result<Vec<(String, bool)>> {
    let sql = "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite~_%' escape '~' \
               order by rowid";
    let views = texts(connection, "select name from sqlite_schema where type = 'view'", [])?;
    let views: HashSet<String> = views.into_iter().collect();
    let named = |name: String| (views.contains(&name), name);
    Ok(texts(connection, sql, [])?.into_iter().map(named).map(|(is_view, name)| (name, is_view)).collect())
}

/// What the schema says of each column: its `name`, or its `type`. The names of a statement must be UTF-8,
/// those of a broken database need not.
fn said(connection: &Connection, what: &str, name: &str, width: usize) -> Result<Vec<String>> {
    let sql = format!("select {what} from pragma_table_xinfo(?1) where hidden <> 1");
    let mut said = texts(connection, &sql, [name])?;
    said.resize(width, String::new());
    Ok(said)
}

/// Whether a column is declared to hold numbers with decimals, though all it holds so far may be whole.
fn is_declared_decimal(declared: &str) -> bool {
    let declared = declared.to_ascii_uppercase();
    let scale = declared.split_once(',').map(|(_, scale)| scale.trim_matches([' ', ')']));
    let is_exact = declared.starts_with("DECIMAL") || declared.starts_with("NUMERIC");
    ["REAL", "FLOA", "DOUB"].iter().any(|name| declared.contains(name))
        || is_exact && scale.is_some_and(|scale| scale != "0")
}

/// The texts of a query with one column.
fn texts<P: rusqlite::Params>(connection: &Connection, sql: &str, parameters: P) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql).map_err(fault)?;
    let mut rows = statement.query(parameters).map_err(fault)?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next().map_err(fault)? {
        with_cell(row.get_ref(0).map_err(fault)?, |cell| texts.push(cell.text.to_owned()));
    }
    Ok(texts)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// All rows of a table. Of a long blob only its length is asked for: then it is not loaded.
fn select(name: &str, columns: &[String], most: usize) -> String {
    let shown = |column: &String| {
        let c = quoted(column);
        format!(
            "iif(typeof({c}) = 'blob' and length({c}) > {most}, cast('{LONG}' || length({c}) || ' bytes>' as blob), {c})"
        )
    };
    // A broken database may name columns in ways that cannot be said.
    let is_plain = !columns.is_empty() && columns.iter().all(|c| !c.is_empty() && !c.contains('\u{fffd}'));
    let shown = if is_plain { columns.iter().map(shown).collect::<Vec<_>>().join(", ") } else { "*".into() };
    format!("select {shown} from {}", quoted(name))
}

/// How the description of a blob begins that is too long to be loaded.
const LONG: &str = "<blob ";

/// A table without its rows, and what is needed to read them.
fn table(
    connection: &Connection,
    name: &str,
    is_view: bool,
    source: &Source<'_>,
    cost: &Cost,
) -> Result<Table> {
    let _watchdog = cost.hold(connection, is_view)?;
    let width = connection.prepare(&select(name, &[], 0)).map_err(fault)?.column_count();
    let header = said(connection, "name", name, width)?;
    guard::check_width(width, source.limits)?;
    let sql = select(name, &header, source.limits.max_cell_bytes);
    let survey = survey(connection, &sql, width, cost)?;
    let mut shapes = typing::shapes(survey.guesses(), &header, false);
    for (shape, declared) in shapes.iter_mut().zip(said(connection, "type", name, width)?) {
        if shape.kind == Kind::Integer && is_declared_decimal(&declared) {
            shape.kind = Kind::Decimal;
        }
    }
    let place = Place::file(source.name).sheet(name);
    let (path, cost) = (source.path.to_owned(), cost.clone());
    let stream = Stream::Waiting(Query { path, sql, is_view, cost, shapes: shapes.clone() });
    let names = crate::understand::names(std::slice::from_ref(&header), header.len());
    let columns = typing::columns(names, &shapes);
    let counted = Counted { stream, blobs: 0 };
    Ok(Table {
        title: Some(Placed { text: name.to_owned(), place: place.clone() }),
        rows: stream::rows(counted, &columns, Some(survey.rows())),
        columns,
        place,
        ..Table::default()
    })
}

/// Looks at all rows: any cell may hold a value of any type.
fn survey(connection: &Connection, sql: &str, width: usize, cost: &Cost) -> Result<Survey> {
    let mut statement = connection.prepare(sql).map_err(fault)?;
    let mut rows = statement.query([]).map_err(|e| cost.fault(e))?;
    let mut survey = Survey::sampled();
    survey.resize(width);
    while let Some(row) = rows.next().map_err(|e| cost.fault(e))? {
        survey.row(|i, guess| with_cell(row.get_ref(i).unwrap_or(ValueRef::Null), |cell| guess.see(cell)));
    }
    Ok(survey)
}

/// Gives a cell to a function: its text or, where the database says so, its value.
fn with_cell(value: ValueRef<'_>, take: impl FnOnce(Raw<'_>)) {
    match value {
        ValueRef::Null => take(Raw::default()),
        ValueRef::Integer(v) => take(Raw { text: "", value: Some(Value::Integer(v)) }),
        ValueRef::Real(v) => take(Raw { text: "", value: Some(Value::Decimal(v)) }),
        ValueRef::Text(bytes) => take(Raw::from(&*String::from_utf8_lossy(bytes))),
        ValueRef::Blob(bytes) if bytes.starts_with(LONG.as_bytes()) => {
            take(Raw::from(&*String::from_utf8_lossy(bytes)))
        }
        ValueRef::Blob(bytes) => take(Raw::from(format!("<blob {} bytes>", bytes.len()).as_str())),
    }
}

/// What one table's rows are read by.
#[derive(Debug, Clone)]
struct Query {
    path: PathBuf,
    sql: String,
    is_view: bool,
    cost: Cost,
    shapes: Vec<Shape>,
}

/// The rows of one table; a thread of its own reads them once they are asked for.
enum Stream {
    Waiting(Query),
    Running(Receiver<Result<(Batch, usize)>>),
    Done,
}

struct Counted {
    stream: Stream,
    blobs: usize,
}

impl RowStream for Counted {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if let Stream::Waiting(query) = &self.stream {
            let query = query.clone();
            let (send, receive) = sync_channel(2);
            std::thread::Builder::new().name("sqlite".into()).spawn(move || run(&query, &send))?;
            self.stream = Stream::Running(receive);
        }
        let Stream::Running(batches) = &self.stream else {
            return Ok(None);
        };
        let Ok(next) = batches.recv() else {
            self.stream = Stream::Done;
            return Ok(None);
        };
        let (batch, blobs) = next?;
        self.blobs += blobs;
        Ok(Some(batch))
    }
    fn warnings(&mut self) -> Vec<String> {
        match self.blobs {
            0 => Vec::new(),
            n => vec![format!("{n} cells hold binary data, which is not read")],
        }
    }
}

fn run(query: &Query, to: &SyncSender<Result<(Batch, usize)>>) {
    if let Err(e) = send_batches(query, to) {
        // Nobody listens any more when this fails.
        let _ = to.send(Err(e));
    }
}

fn send_batches(query: &Query, to: &SyncSender<Result<(Batch, usize)>>) -> Result<()> {
    let (connection, cost) = (open(&query.path)?, &query.cost);
    let watchdog = cost.hold(&connection, query.is_view)?;
    let mut statement = connection.prepare(&query.sql).map_err(fault)?;
    let mut rows = statement.query([]).map_err(|e| cost.fault(e))?;
    let mut sent = 0;
    loop {
        let (mut batch, mut blobs) = (BatchBuilder::new(&query.shapes, BATCH), 0);
        while batch.len() < BATCH {
            let Some(row) = rows.next().map_err(|e| cost.fault(e))? else {
                break;
            };
            sent += 1;
            batch.row(sent, |i, column| {
                let value = row.get_ref(i).unwrap_or(ValueRef::Null);
                blobs += usize::from(matches!(value, ValueRef::Blob(_)));
                with_cell(value, |cell| column.push(cell));
            });
        }
        if batch.len() == 0 {
            return Ok(());
        }
        cost.check_rows(sent, query.is_view)?;
        if watchdog.wait(|| to.send(Ok((batch.finish(), blobs)))).is_err() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::seam::Limits;
    use tabletalk_core::{Mark, Rows};

    fn database(sql: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        Connection::open(dir.path().join("a b.db")).unwrap().execute_batch(sql).unwrap();
        dir
    }

    fn read(dir: &tempfile::TempDir) -> Result<Document> {
        let path = dir.path().join("a b.db");
        super::read(&Source::new(&path, "a b.db", &Limits::default()))?.next().unwrap()
    }

    #[test]
    fn reads_tables_and_views() {
        let dir = database(
            "create table t (id integer primary key, city text, sold text, pic blob);
             insert into t values (1, 'Oslo', '1,200', null), (2, 'Paris', '950', x'0102');
             create view v as select city from t;",
        );
        let mut document = read(&dir).unwrap();
        assert_eq!(document.blocks.len(), 2);
        let Block::Table(table) = document.blocks.remove(0) else { panic!("no table") };
        assert_eq!(table.place.to_string(), "a b.db!t");
        let kinds: Vec<_> = table.columns.iter().map(|c| c.kind).collect();
        assert_eq!(kinds, [Kind::Integer, Kind::Text, Kind::Integer, Kind::Text]);
        let Rows::Stream(mut stream) = table.rows else { panic!("no stream") };
        let batch = stream.next_batch().unwrap().unwrap();
        assert_eq!(
            (batch.rows.clone(), batch.columns[3].text(1).into_owned()),
            (vec![1, 2], "<blob 2 bytes>".into())
        );
        assert!(stream.next_batch().unwrap().is_none());
        assert_eq!(stream.warnings().len(), 1);
    }

    fn only_table(dir: &tempfile::TempDir) -> (Vec<Kind>, Vec<Vec<String>>) {
        let Block::Table(table) = read(dir).unwrap().blocks.remove(0) else { panic!("no table") };
        let Rows::Stream(mut stream) = table.rows else { panic!("no stream") };
        let batches: Vec<Batch> = std::iter::from_fn(|| stream.next_batch().unwrap()).collect();
        let rows = batches.iter().flat_map(|batch| {
            (0..batch.len()).map(|i| {
                let plain =
                    |c: &tabletalk_core::Cells| tabletalk_core::table::plain(&c.value, i).into_owned();
                batch.columns.iter().map(plain).collect()
            })
        });
        (table.columns.iter().map(|c| c.kind).collect(), rows.collect())
    }

    #[test]
    fn a_value_that_comes_late_makes_its_column_wider_and_is_not_lost() {
        let dir = database(
            "create table t (r real, n, d date, x);
             with recursive c(i) as (select 1 union all select i + 1 from c where i < 25000)
             insert into t select i % 7, i % 7, '0' || (1 + i % 9) || '/02/2023', 1 from c;
             insert into t values (9.5, 9.5, '13/02/2023', 'late');",
        );
        let (kinds, rows) = only_table(&dir);
        assert_eq!(kinds, [Kind::Decimal, Kind::Decimal, Kind::Date, Kind::Integer]);
        assert_eq!(rows.last().unwrap()[..3], ["9.5", "9.5", "2023-02-13"]);
    }

    #[test]
    fn declared_types_count() {
        let dir = database(
            "create table t (a real, b double precision, c decimal(10, 2), d decimal(10, 0), e integer);
             insert into t values (1, 2, 3, 4, 5);",
        );
        let decimals = [Kind::Decimal; 3];
        let (kinds, rows) = only_table(&dir);
        assert_eq!((&kinds[..3], &kinds[3..]), (&decimals[..], &[Kind::Integer; 2][..]));
        assert_eq!(rows, [["1", "2", "3", "4", "5"]]);
    }

    #[test]
    fn numbers_written_as_text_are_read_in_the_style_of_their_table() {
        let dir =
            database("create table t (a, b); insert into t values ('1.234', '0,5'), ('950', '1.000,25');");
        assert_eq!(only_table(&dir).1, [["1234", "0.5"], ["950", "1000.25"]]);
    }

    #[test]
    fn a_total_is_found_by_adding() {
        let dir = database(
            "create table t (region text, sold integer);
             insert into t values ('North', 10), ('South', 20), ('Total', 30);",
        );
        let Block::Table(table) = read(&dir).unwrap().blocks.remove(0) else { panic!("no table") };
        let Rows::Stream(mut stream) = table.rows else { panic!("no stream") };
        let batch = stream.next_batch().unwrap().unwrap();
        assert_eq!(batch.marks, [Mark::Data, Mark::Data, Mark::Total]);
    }

    #[test]
    fn a_view_without_end_costs_itself_and_a_long_blob_is_not_loaded() {
        let dir = database(
            "create table t (id integer primary key, pic blob);
             insert into t values (1, zeroblob(20000000)), (2, x'00');
             create view huge as select hex(zeroblob(400000000)) as x;",
        );
        let mut document = read(&dir).unwrap();
        assert_eq!((document.blocks.len(), document.warnings.len()), (1, 1), "{:?}", document.warnings);
        assert!(document.warnings[0].contains("max_cell_bytes") || document.warnings[0].contains("bytes"));
        let Block::Table(table) = document.blocks.remove(0) else { panic!("no table") };
        let Rows::Stream(mut stream) = table.rows else { panic!("no stream") };
        let batch = stream.next_batch().unwrap().unwrap();
        assert_eq!(batch.columns[1].text(0), "<blob 20000000 bytes>");
        assert_eq!(batch.columns[1].text(1), "<blob 1 bytes>");
    }

    #[test]
    fn leaves_the_database_alone() {
        let dir = database("create table t (a); insert into t values (1)");
        read(&dir).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn says_when_a_database_is_empty_or_damaged() {
        assert_eq!(read(&database("")).unwrap_err().message(), "holds no tables");
        let dir = database("create table t (a); insert into t values (1)");
        let path = dir.path().join("a b.db");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.truncate(3000);
        std::fs::write(&path, bytes).unwrap();
        assert!(read(&dir).is_err());
    }
}

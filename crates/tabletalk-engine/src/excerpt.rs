//! A part of a table on its way to a model.

use serde::Serialize;
use std::collections::HashSet;
use tabletalk_core::{Batch, Column, Error, Mark, Result};
use tabletalk_store::{Data, Library, StoredTable, data};

/// Rows farther apart than this in a file are come to by its page index, not by reading what is between.
const FAR: u64 = 1 << 16;

/// A part of a table: some of its columns and some of its rows, as they are written in the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Excerpt {
    /// The name by which programs speak of the table.
    pub relation: String,
    /// What stands above it as its name, or empty.
    pub title: String,
    /// Headings and text around it, or empty.
    pub context: String,
    /// Remarks that belong to it.
    pub notes: Vec<String>,
    /// The columns that are shown.
    pub columns: Vec<Column>,
    /// How many of these columns, at the left, name the row they stand in.
    pub row_headers: usize,
    /// The rows that are shown.
    pub rows: Vec<Row>,
    /// How many rows the table has.
    pub total_rows: u64,
    /// How many columns the table has.
    pub total_columns: usize,
}

/// A row of an excerpt.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    /// The row number in the source, from 1.
    pub number: u64,
    /// The position in the table, from 0.
    pub at: u64,
    /// What kind of row it is.
    pub mark: Mark,
    /// What is written in each column that is shown.
    pub cells: Vec<String>,
}

/// Which rows are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    /// All.
    All,
    /// None: the columns alone.
    None,
    /// The first so many.
    Head(usize),
    /// So many, spread by chance over the whole table, in their order; the same for the same seed.
    Sample {
        /// How many.
        rows: usize,
        /// Makes samples differ, and the same sample come again.
        seed: u64,
    },
    /// Those at these positions, from 0.
    Positions(Vec<u64>),
    /// Those with these row numbers in the source.
    Numbers(Vec<u64>),
}

/// The table with this id (`DOC/t1`) or this name.
pub fn find(library: &Library, table: &str) -> Result<StoredTable> {
    let catalog = library.catalog()?;
    if let Some(stored) = catalog.table_named(table)? {
        return Ok(stored);
    }
    let document = tabletalk_core::node::document_of(table);
    let of_document = match catalog.record(document)? {
        Some(record) => catalog.tables_of(record.key)?,
        None => Vec::new(),
    };
    of_document.into_iter().find(|t| t.id == table).ok_or_else(|| {
        Error::missing(format!("there is no table `{table}`")).hint("`tabletalk tables` lists them")
    })
}

impl Excerpt {
    /// Columns, by their positions, and rows of a stored table; all columns where none are named. Only what
    /// is taken is read, as far as the way the table is kept allows.
    pub fn of(stored: &StoredTable, columns: Option<&[usize]>, pick: &Pick) -> Result<Excerpt> {
        let width = stored.table.columns.len();
        let mut columns = columns.map_or_else(|| (0..width).collect(), <[usize]>::to_vec);
        columns.retain(|c| *c < width);
        columns.sort_unstable();
        columns.dedup();
        let rows = match pick {
            Pick::All => read(stored, &columns, 0, |_| true, u64::MAX)?,
            Pick::Head(n) => read(stored, &columns, 0, |_| true, *n as u64)?,
            Pick::None => Vec::new(),
            Pick::Sample { rows, seed } => at(stored, &columns, &sample(stored.rows, *rows, *seed))?,
            Pick::Positions(positions) => at(stored, &columns, positions)?,
            Pick::Numbers(numbers) => at(stored, &columns, &positions(stored, numbers)?)?,
        };
        Ok(Excerpt { rows, ..Excerpt::empty(stored, &columns) })
    }

    fn empty(stored: &StoredTable, columns: &[usize]) -> Excerpt {
        let table = &stored.table;
        let headers = columns.iter().filter(|c| **c < table.row_headers as usize).count();
        Excerpt {
            relation: stored.name.clone(),
            title: table.title().to_owned(),
            context: table.context.clone(),
            notes: table.notes.iter().map(|n| n.text.clone()).collect(),
            columns: columns.iter().filter_map(|c| table.columns.get(*c)).cloned().collect(),
            row_headers: headers,
            rows: Vec::new(),
            total_rows: stored.rows,
            total_columns: table.columns.len(),
        }
    }

    /// Whether all rows and all columns are here.
    pub fn is_whole(&self) -> bool {
        self.rows.len() as u64 == self.total_rows && self.columns.len() == self.total_columns
    }

    /// A smaller excerpt: the columns and rows at these positions of this one, in the order they have here.
    pub fn keep(&self, columns: &[usize], rows: &[usize]) -> Excerpt {
        let columns: HashSet<usize> = columns.iter().copied().collect();
        let rows: HashSet<usize> = rows.iter().copied().collect();
        let row = |row: &Row| Row { cells: chosen(&row.cells, &columns), ..row.bare() };
        let kept = self.rows.iter().enumerate().filter(|(i, _)| rows.contains(i));
        Excerpt {
            columns: chosen(&self.columns, &columns),
            row_headers: (0..self.row_headers).filter(|c| columns.contains(c)).count(),
            rows: kept.map(|(_, r)| row(r)).collect(),
            relation: self.relation.clone(),
            title: self.title.clone(),
            context: self.context.clone(),
            notes: self.notes.clone(),
            ..*self
        }
    }

    /// The rows of this excerpt with these row numbers, with all its columns.
    pub fn numbered(&self, numbers: &[u64]) -> Excerpt {
        let numbers: HashSet<u64> = numbers.iter().copied().collect();
        let rows = self.rows.iter().enumerate().filter(|(_, r)| numbers.contains(&r.number));
        let columns: Vec<usize> = (0..self.columns.len()).collect();
        self.keep(&columns, &rows.map(|(i, _)| i).collect::<Vec<_>>())
    }

    /// Columns and rows alone, without what the table is called and what stands around it.
    pub fn bare(self) -> Excerpt {
        let (relation, title, context) = (String::new(), String::new(), String::new());
        Excerpt { relation, title, context, notes: Vec::new(), ..self }
    }

    /// The columns that say what a row is about: those that name rows in the source, else the first text
    /// column that has hardly a value twice, else the first column.
    pub fn naming(&self) -> Vec<usize> {
        if self.row_headers > 0 {
            return (0..self.row_headers.min(self.columns.len())).collect();
        }
        let names = |c: &Column| {
            let stats = c.stats.as_ref();
            c.kind == tabletalk_core::Kind::Text
                && stats.is_some_and(|s| s.filled > 0 && s.distinct * 10 >= s.filled * 9)
        };
        let first = self.columns.iter().position(names).unwrap_or(0);
        (first..self.columns.len().min(first + 1)).collect()
    }
}

impl Row {
    fn bare(&self) -> Row {
        Row { number: self.number, at: self.at, mark: self.mark, cells: Vec::new() }
    }
}

fn chosen<T: Clone>(from: &[T], positions: &HashSet<usize>) -> Vec<T> {
    let kept = from.iter().enumerate().filter(|(i, _)| positions.contains(i));
    kept.map(|(_, item)| item.clone()).collect()
}

/// Rows from position `from` on that are wanted, at most so many.
fn read(
    stored: &StoredTable,
    columns: &[usize],
    from: u64,
    wanted: impl Fn(u64) -> bool,
    most: u64,
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    if most == 0 {
        return Ok(rows);
    }
    for (base, batch) in data::open_at(&stored.table.columns, &stored.data, Some(columns), from)? {
        let batch = batch?;
        for i in 0..batch.len() {
            let at = base + i as u64;
            if at < from || !wanted(at) {
                continue;
            }
            rows.push(row(&batch, i, at, columns));
            if rows.len() as u64 >= most {
                return Ok(rows);
            }
        }
    }
    Ok(rows)
}

fn row(batch: &Batch, i: usize, at: u64, columns: &[usize]) -> Row {
    let text = |c: &usize| batch.columns.get(*c).map_or(String::new(), |cells| cells.text(i).into_owned());
    Row {
        number: batch.rows.get(i).copied().unwrap_or(0),
        at,
        mark: batch.mark(i),
        cells: columns.iter().map(text).collect(),
    }
}

/// The rows at these positions, in the order of the table.
fn at(stored: &StoredTable, columns: &[usize], positions: &[u64]) -> Result<Vec<Row>> {
    let mut positions: Vec<u64> = positions.iter().copied().filter(|p| *p < stored.rows).collect();
    positions.sort_unstable();
    positions.dedup();
    let is_far = |a: &u64, b: &u64| matches!(stored.data, Data::File(_)) && b - a > FAR;
    let mut rows = Vec::with_capacity(positions.len());
    for near in positions.chunk_by(|a, b| !is_far(a, b)) {
        let Some(first) = near.first() else { continue };
        let wanted: HashSet<u64> = near.iter().copied().collect();
        rows.extend(read(stored, columns, *first, |at| wanted.contains(&at), near.len() as u64)?);
    }
    Ok(rows)
}

/// The positions of rows with these numbers. Only the numbers are read.
fn positions(stored: &StoredTable, numbers: &[u64]) -> Result<Vec<u64>> {
    let mut wanted: HashSet<u64> = numbers.iter().copied().collect();
    let mut found = Vec::with_capacity(wanted.len());
    for (base, batch) in data::open_at(&stored.table.columns, &stored.data, Some(&[]), 0)? {
        for (i, number) in batch?.rows.iter().enumerate() {
            if wanted.remove(number) {
                found.push(base + i as u64);
            }
        }
        if wanted.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// So many different positions under `total`, by chance: Floyd's way, which never makes a list of all.
fn sample(total: u64, rows: usize, seed: u64) -> Vec<u64> {
    let rows = (rows as u64).min(total);
    let mut random = Random(seed);
    let mut taken = HashSet::new();
    for last in total - rows..total {
        let at = random.below(last + 1);
        if !taken.insert(at) {
            taken.insert(last);
        }
    }
    taken.into_iter().collect()
}

/// SplitMix64: small, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringArray};
    use proptest::prelude::*;
    use std::path::Path;
    use std::sync::Arc;
    use tabletalk_core::{Cells, Kind, Place, Placed, Stats, Table};

    /// A table of cities kept in the catalogue or in a file; numbers begin at row 5 of the source, and every
    /// hundredth row of the source is not in the table.
    pub(crate) fn cities(rows: u64, file: Option<&Path>) -> StoredTable {
        let columns = vec![Column::new("city", Kind::Text, 1), Column::new("people", Kind::Integer, 2)];
        let columns: Vec<Column> = columns.into_iter().map(|c| with_stats(c, rows)).collect();
        let at: Vec<u64> = (0..rows).collect();
        let batches: Vec<Batch> = at.chunks(10_000).map(batch).collect();
        let data = match file {
            None => Data::Inline(data::pack(&columns, &batches).unwrap()),
            Some(path) => {
                let mut writer = data::Writer::create(path, &columns).unwrap();
                batches.iter().for_each(|b| writer.write(b).unwrap());
                writer.finish().unwrap().wait().unwrap();
                Data::File(tabletalk_store::TableFile::at(path.to_owned()))
            }
        };
        let placed = |text: &str| Placed { text: text.into(), place: Place::default() };
        let table = Table {
            columns,
            title: Some(placed("Cities")),
            notes: vec![placed("counted in May")],
            context: "Of the north".into(),
            row_headers: 1,
            ..Table::default()
        };
        StoredTable {
            key: 1,
            document: 1,
            id: "d/t1".into(),
            file: "cities.csv".into(),
            source_id: String::new(),
            name: "cities".into(),
            table,
            rows,
            data,
        }
    }

    fn with_stats(column: Column, rows: u64) -> Column {
        let stats = Stats { filled: rows, distinct: rows, ..Stats::default() };
        Column { stats: Some(stats), ..column }
    }

    fn number(at: u64) -> u64 {
        5 + at + at / 99
    }

    fn batch(at: &[u64]) -> Batch {
        let names: Vec<String> = at.iter().map(|i| format!("city {i}")).collect();
        let people: Vec<i64> = at.iter().map(|i| *i as i64 * 10).collect();
        Batch {
            rows: at.iter().map(|i| number(*i)).collect(),
            columns: vec![
                Cells { value: Arc::new(StringArray::from(names)), text: None },
                Cells { value: Arc::new(Int64Array::from(people)), text: None },
            ],
            ..Batch::default()
        }
    }

    fn check(excerpt: &Excerpt) {
        for row in &excerpt.rows {
            assert_eq!(row.number, number(row.at));
            assert_eq!(row.cells, [format!("city {}", row.at), (row.at * 10).to_string()]);
        }
    }

    fn positions_of(excerpt: &Excerpt) -> Vec<u64> {
        excerpt.rows.iter().map(|r| r.at).collect()
    }

    #[test]
    fn takes_the_same_rows_from_the_catalogue_and_from_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let in_file = cities(150_000, Some(&dir.path().join("t.parquet")));
        for stored in [&cities(5_000, None), &in_file] {
            let last = stored.rows - 1;
            let take = |pick: Pick| {
                let excerpt = Excerpt::of(stored, None, &pick).unwrap();
                check(&excerpt);
                positions_of(&excerpt)
            };
            assert_eq!(take(Pick::Head(2)), [0, 1]);
            assert_eq!(take(Pick::None), [0u64; 0]);
            assert_eq!(take(Pick::Head(usize::MAX)).len() as u64, stored.rows);
            assert_eq!(take(Pick::Positions(vec![last, 7, 7, 300, last + 1])), [7, 300, last]);
            assert_eq!(take(Pick::Numbers(vec![number(last), number(250), 3])), [250, last]);
            let sampled = take(Pick::Sample { rows: 9, seed: 4 });
            assert_eq!(sampled.len(), 9);
            assert_eq!(sampled, take(Pick::Sample { rows: 9, seed: 4 }));
            assert_ne!(sampled, take(Pick::Sample { rows: 9, seed: 5 }));
        }
    }

    #[test]
    fn knows_what_the_table_is_called_and_how_large_it_is() {
        let stored = cities(500, None);
        let excerpt = Excerpt::of(&stored, Some(&[1, 9, 1]), &Pick::Head(3)).unwrap();
        assert_eq!((excerpt.total_rows, excerpt.total_columns, excerpt.row_headers), (500, 2, 0));
        assert_eq!(excerpt.columns.len(), 1);
        assert_eq!(excerpt.rows[2].cells, ["20"]);
        assert_eq!((excerpt.title.as_str(), excerpt.notes.len()), ("Cities", 1));
        assert!(!excerpt.is_whole() && Excerpt::of(&stored, None, &Pick::All).unwrap().is_whole());
    }

    #[test]
    fn a_smaller_excerpt_keeps_numbers_and_the_columns_that_name_rows() {
        let stored = cities(500, None);
        let all = Excerpt::of(&stored, None, &Pick::Head(200)).unwrap();
        assert_eq!(all.naming(), [0]);
        let kept = all.keep(&[0], &[150, 3]);
        assert_eq!(kept.rows.iter().map(|r| r.number).collect::<Vec<_>>(), [8, 156]);
        assert_eq!((kept.row_headers, kept.rows[1].cells.as_slice()), (1, &["city 150".to_owned()][..]));
        assert_eq!(positions_of(&all.numbered(&[156, 8, 1])), [3, 150]);
    }

    #[test]
    fn without_row_headers_the_first_telling_text_column_names_the_row() {
        let mut excerpt = Excerpt::of(&cities(50, None), None, &Pick::None).unwrap();
        excerpt.row_headers = 0;
        excerpt.columns.reverse();
        assert_eq!(excerpt.naming(), [1]);
        excerpt.columns.truncate(1);
        assert_eq!(excerpt.naming(), [0]);
        excerpt.columns.clear();
        assert_eq!(excerpt.naming(), [0usize; 0]);
    }

    proptest! {
        #[test]
        fn a_sample_has_as_many_different_rows_as_were_wanted(total in 0u64..300, rows in 0usize..400, seed: u64) {
            let taken: HashSet<u64> = sample(total, rows, seed).into_iter().collect();
            prop_assert_eq!(taken.len() as u64, total.min(rows as u64));
            prop_assert!(taken.iter().all(|at| *at < total));
        }
    }
}

//! What holds for every reader: no cell and no paragraph is longer than the limit, no table wider, and reading ends when it is
//! asked to.

use crate::grid::Grid;
use arrow_array::StringArray;
use arrow_array::cast::AsArray;
use tabletalk_core::seam::{Documents, Limits, Source, Stop};
use tabletalk_core::{Batch, Block, Document, Error, Place, Rejection, Result, RowStream, Rows};

/// The documents of a source, held to its limits.
pub(crate) fn guarded(documents: Documents, source: &Source<'_>) -> Documents {
    let guard = Guard { limits: source.limits.clone(), stop: source.stop.clone() };
    Box::new(documents.map(move |document| guard.document(document?)))
}

/// Refuses a table that would be too wide, or have too many cells to be held in memory.
pub(crate) fn check_size(rows: usize, columns: usize, limits: &Limits) -> Result<()> {
    check_width(columns, limits)?;
    let (cells, most) = (rows as u64 * columns as u64, limits.max_cells);
    match cells > most {
        true => Err(Error::limit(format!("has {rows} rows of {columns} columns, more than {most} cells"))
            .hint("write it as JSON lines, or raise max_cells")),
        false => Ok(()),
    }
}

/// Refuses a table that has more columns than it may have.
pub(crate) fn check_width(columns: usize, limits: &Limits) -> Result<()> {
    let most = limits.max_columns as usize;
    match columns > most {
        true => Err(Error::limit(format!("has {columns} columns, more than {most}"))
            .hint("raise max_columns, or check that the file is a table")),
        false => Ok(()),
    }
}

fn over(most: usize) -> Error {
    Error::limit(format!("has a cell or a paragraph of more than {most} bytes"))
        .hint("raise max_cell_bytes if that is right")
}

/// The most characters of a title or of the name of a column: every row and every passage is indexed with them.
const MAX_NAME: usize = 1000;

/// Cuts a name that is too long; whether it was.
fn shorten(name: &mut String) -> bool {
    let end = name.char_indices().nth(MAX_NAME).map(|(at, _)| at);
    end.is_some_and(|end| {
        name.truncate(end);
        true
    })
}

#[derive(Clone)]
struct Guard {
    limits: Limits,
    stop: Stop,
}

impl Guard {
    fn document(&self, mut document: Document) -> Result<Document> {
        self.stop.check()?;
        if shorten(&mut document.title) {
            document.warnings.push(format!("its title is longer than {MAX_NAME} characters and was cut"));
        }
        for block in &mut document.blocks {
            if let Some(placed) = block.text() {
                self.text(&placed.text)?;
            }
            let Block::Table(table) = block else { continue };
            check_width(table.columns.len(), &self.limits)?;
            // Its header cells keep all that stands in them.
            for column in &mut table.columns {
                shorten(&mut column.name);
            }
            let names = table.columns.iter().map(|c| &c.name);
            let placed = table.header.iter().chain(&table.notes).chain(&table.title).map(|p| &p.text);
            names.chain(placed).try_for_each(|text| self.text(text))?;
            table.rows = match std::mem::take(&mut table.rows) {
                Rows::Stream(stream) => Rows::Stream(Box::new(Guarded { stream, guard: self.clone() })),
                Rows::Memory(batches) => {
                    batches.iter().try_for_each(|batch| self.batch(batch))?;
                    Rows::Memory(batches)
                }
            };
        }
        Ok(document)
    }

    fn text(&self, text: &str) -> Result<()> {
        let most = self.limits.max_cell_bytes;
        if text.len() > most { Err(over(most)) } else { Ok(()) }
    }

    fn batch(&self, batch: &Batch) -> Result<()> {
        let most = self.limits.max_cell_bytes;
        for cells in &batch.columns {
            let texts = [cells.value.as_string_opt::<i32>(), cells.text.as_ref()];
            if texts.into_iter().flatten().any(|texts| longest(texts) > most) {
                return Err(over(most));
            }
        }
        Ok(())
    }
}

fn longest(texts: &StringArray) -> usize {
    let ends = texts.value_offsets();
    ends.windows(2).map(|w| if let [a, b] = w { (b - a) as usize } else { 0 }).max().unwrap_or(0)
}

struct Guarded {
    stream: Box<dyn RowStream>,
    guard: Guard,
}

impl RowStream for Guarded {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.guard.stop.check()?;
        let batch = self.stream.next_batch()?;
        batch.iter().try_for_each(|batch| self.guard.batch(batch))?;
        Ok(batch)
    }
    fn rejected(&mut self) -> Vec<Rejection> {
        self.stream.rejected()
    }
    fn warnings(&mut self) -> Vec<String> {
        self.stream.warnings()
    }
    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}

/// The rows of a grid that stand in no block: there should be none. `place` is the sheet.
pub(crate) fn missed(grid: &Grid, blocks: &[Block], place: &Place) -> Vec<Rejection> {
    let Some(bounds) = grid.bounds() else { return Vec::new() };
    let mut seen = vec![false; bounds.bottom as usize + 1];
    for block in blocks {
        note(block, &mut seen);
    }
    let is_missed = |row: u32| !seen.get(row as usize).copied().unwrap_or(false);
    let lines = grid.lines(bounds.top, bounds.bottom).iter().map(|line| u64::from(line.row));
    let missed = lines.filter(|row| u32::try_from(*row).is_ok_and(is_missed));
    let rejection = |row: u64| Rejection {
        place: place.clone().cells(row..=row, bounds.cols()),
        reason: "came out in no table and no text: a mistake of the program".into(),
    };
    missed.map(rejection).collect()
}

fn note(block: &Block, seen: &mut [bool]) {
    let mut see = |rows: (u64, u64)| {
        for row in rows.0..=rows.1.min(seen.len() as u64) {
            if let Some(slot) = usize::try_from(row).ok().and_then(|row| seen.get_mut(row)) {
                *slot = true;
            }
        }
    };
    let Block::Table(table) = block else {
        return block.text().and_then(|text| text.place.rows).into_iter().for_each(see);
    };
    let placed = table.title.iter().chain(&table.notes).chain(&table.header);
    placed.filter_map(|placed| placed.place.rows).for_each(&mut see);
    if let Rows::Memory(batches) = &table.rows {
        batches.iter().flat_map(|batch| &batch.rows).for_each(|row| see((*row, *row)));
    }
}

#[cfg(test)]
mod tests {
    use tabletalk_core::seam::{Limits, Source};
    use tabletalk_core::{Block, Fault, Result, Rows};

    fn read(name: &str, content: &[u8], limits: &Limits) -> Result<()> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join(name);
        std::fs::write(&path, content)?;
        for document in crate::read(&Source::new(&path, name, limits))? {
            for block in document?.blocks {
                let Block::Table(table) = block else { continue };
                if let Rows::Stream(mut rows) = table.rows {
                    while rows.next_batch()?.is_some() {}
                }
            }
        }
        Ok(())
    }

    #[test]
    fn no_reader_lets_a_cell_through_that_is_too_long() {
        let limits = Limits { max_cell_bytes: 1000, ..Limits::default() };
        let long = "x".repeat(2000);
        let files = [
            ("a.csv", format!("a,b\n1,{long}\n2,y\n")),
            ("a.json", format!("[{{\"a\":\"{long}\"}},{{\"a\":\"y\"}}]")),
            ("a.jsonl", format!("{{\"a\":\"{long}\"}}\n{{\"a\":\"y\"}}\n")),
            ("a.html", format!("<table><tr><th>a<th>b<tr><td>{long}<td>1</table>")),
            ("a.md", format!("| a | b |\n|---|---|\n| {long} | 1 |\n")),
            ("b.md", format!("# {long}\n\nshort\n")),
            ("a.txt", format!("{long}\n")),
            ("a.rtf", format!("{{\\rtf1 {long}}}")),
        ];
        for (name, content) in files {
            let e = read(name, content.as_bytes(), &limits).unwrap_err();
            assert!(e.fault() == Fault::Limit && e.to_string().contains("max_cell_bytes"), "{name}: {e}");
            read(name, content.as_bytes(), &Limits::default()).unwrap();
        }
    }

    #[test]
    fn every_reader_stops_when_it_is_asked_to() {
        let limits = Limits::default();
        let dir = tempfile::tempdir().unwrap();
        for (name, content) in [
            ("a.csv", "a,b\n1,2\n"),
            ("a.html", "<p>x"),
            ("a.md", "# x"),
            ("a.txt", "x"),
            ("a.json", "[{\"a\":1}]"),
        ] {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            let source = Source::new(&path, name, &limits);
            source.stop.set();
            assert_eq!(crate::read(&source).err().unwrap().message(), "interrupted", "{name}");
        }
    }
}

#[cfg(test)]
mod missed_tests {
    use super::*;

    #[test]
    fn a_row_that_is_nowhere_is_named() {
        let place = Place::file("a.csv");
        let rows = [["city", "sold"], ["Oslo", "3"], ["Rome", "4"]];
        let grid = Grid::of_texts(&rows);
        let blocks = crate::understand::blocks(&grid, &place);
        assert!(missed(&grid, &blocks, &place).is_empty());
        let of_less = crate::understand::blocks(&Grid::of_texts(&rows[..2]), &place);
        let missed = missed(&grid, &of_less, &place);
        assert_eq!(missed.iter().map(|m| m.place.to_string()).collect::<Vec<_>>(), ["a.csv!A3:B3"]);
    }
}

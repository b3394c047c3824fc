//! Reading the files of a set, with errors that name file and line.

use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use tabletalk_core::{Error, Result};

/// The first of these files that is there.
pub(super) fn first(dir: &Path, names: &[String], about: &str) -> Result<PathBuf> {
    names.iter().map(|name| dir.join(name)).find(|path| path.is_file()).ok_or_else(|| {
        let list = names.join(" or ");
        Error::missing(format!("{} has no {list}", dir.display())).hint(format!("expected are {about}"))
    })
}

/// The first of these folders that is there.
pub(super) fn first_folder(dir: &Path, names: &[&str], about: &str) -> Result<PathBuf> {
    names.iter().map(|name| dir.join(name)).find(|path| path.is_dir()).ok_or_else(|| {
        let list = names.join(" or ");
        Error::missing(format!("{} has no folder {list}", dir.display()))
            .hint(format!("expected are {about}"))
    })
}

pub(super) fn text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|e| Error::from(e).at(path.display()))?;
    let text = String::from_utf8(bytes).map_err(|_| Error::input("is not UTF-8").at(path.display()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A file that is one JSON value.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_str(&text(path)?).map_err(|e| Error::from(e).at(path.display()))
}

/// A file that is one JSON value, where it is there.
pub(super) fn json_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    if path.is_file() { json(path).map(Some) } else { Ok(None) }
}

/// Does something with every line that is not blank; lines are numbered from 1.
pub(super) fn each_line(path: &Path, mut each: impl FnMut(usize, &str) -> Result<()>) -> Result<()> {
    let file = File::open(path).map_err(|e| Error::from(e).at(path.display()))?;
    for (i, line) in BufReader::new(file).lines().enumerate() {
        let at = |e: Error| e.at(format!("{} line {}", path.display(), i + 1));
        let line = line.map_err(|e| match e.kind() {
            std::io::ErrorKind::InvalidData => at(Error::input("is not UTF-8")),
            _ => at(e.into()),
        })?;
        let line = line.trim_end_matches('\r');
        let line = if i == 0 { line.trim_start_matches('\u{feff}') } else { line };
        if !line.trim().is_empty() {
            each(i + 1, line).map_err(at)?;
        }
    }
    Ok(())
}

/// Does something with every line, which is one JSON value.
pub(super) fn each_json<T: DeserializeOwned>(
    path: &Path,
    mut each: impl FnMut(usize, T) -> Result<()>,
) -> Result<()> {
    each_line(path, |number, line| each(number, serde_json::from_str(line)?))
}

/// The rows of a CSV file, read as `builder` says.
pub(super) fn csv_rows(path: &Path, builder: &csv::ReaderBuilder) -> Result<Vec<Vec<String>>> {
    let text = text(path)?;
    let rows = builder.from_reader(text.as_bytes()).into_records();
    let row = |row: csv::Result<csv::StringRecord>| Ok(row?.iter().map(str::to_owned).collect());
    rows.map(row).collect::<csv::Result<_>>().map_err(|e| csv_error(&e, path))
}

pub(super) fn csv_error(error: &csv::Error, path: &Path) -> Error {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map(|at| format!(" line {}", at.line())).unwrap_or_default();
            let message = format!("has {len} fields where there are {expected_len} names");
            Error::input(message).at(format!("{}{line}", path.display()))
        }
        _ => Error::input(error.to_string()).at(path.display()),
    }
}

/// The header and the rows below it; none of an empty table.
pub(super) fn header_and_rows(mut rows: Vec<Vec<String>>) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    if rows.is_empty() {
        return None;
    }
    let header = rows.remove(0);
    Some((header, rows))
}

/// The cell at a place of a table, or what is wrong with the place.
pub(super) fn cell(rows: &[Vec<String>], width: usize, row: i64, column: i64) -> Result<[usize; 2]> {
    let wrong = || {
        let size = format!("{} rows and {width} columns", rows.len());
        Error::input(format!("row {row}, column {column} (from 0) is not in its table, which has {size}"))
            .hint("questions and tables must be of the same release")
    };
    let place = |n: i64| usize::try_from(n).map_err(|_| wrong());
    let (r, c) = (place(row)?, place(column)?);
    let is_there = rows.get(r).is_some_and(|row| c < row.len().max(width));
    is_there.then_some([r, c]).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_as_in_the_file() {
        let dir = super::super::fixture::folder(&[("a.jsonl", "\u{feff}1\r\n\n2\nx\n")]);
        let mut seen = Vec::new();
        let path = dir.path().join("a.jsonl");
        let wrong = each_json(&path, |number, value: u32| {
            seen.push((number, value));
            Ok(())
        });
        assert_eq!(seen, [(1, 1), (3, 2)]);
        assert!(wrong.unwrap_err().to_string().contains("a.jsonl line 4: not valid JSON"));
    }

    #[test]
    fn a_place_must_be_in_its_table() {
        let rows = vec![vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]];
        assert_eq!(cell(&rows, 2, 1, 1).unwrap(), [1, 1]);
        for (row, column) in [(2, 0), (0, 2), (-1, 0)] {
            let wrong = cell(&rows, 2, row, column).unwrap_err().to_string();
            assert!(wrong.contains(&format!("row {row}, column {column}")), "{wrong}");
        }
    }
}

//! A page of the Wikipedia that FEVEROUS comes with: sentences, lists and tables by name.

use super::output::{Passage, Table, add};
use serde_json::{Map, Value};
use std::collections::HashMap;
use tabletalk_core::{Error, Result};

/// No real table has a cell over more columns.
const WIDEST: usize = 100;

pub(super) struct Page {
    title: String,
    parts: Map<String, Value>,
}

/// A table of a page, and where its cells are.
pub(super) struct Tabled {
    pub(super) table: Table,
    /// Places below the header by the name of a cell; none for a cell of the header.
    places: HashMap<String, Option<[usize; 2]>>,
}

/// A cell as it is laid out.
#[derive(Clone)]
struct Cell {
    text: String,
    is_header: bool,
}

impl Page {
    pub(super) fn read(title: &str, data: &str) -> Result<Page> {
        Ok(Page { title: title.to_owned(), parts: serde_json::from_str(data)? })
    }

    /// The sentence or the item of a list with this name, such as `sentence_3` and `item_0_2`.
    pub(super) fn passage(&self, name: &str) -> Option<Passage> {
        let text = match self.parts.get(name) {
            Some(sentence) => sentence.as_str(),
            None => self.item(name),
        };
        let text = plain(text?);
        (!text.is_empty()).then(|| Passage {
            id: format!("{}_{name}", self.title),
            title: self.title.clone(),
            text,
        })
    }

    fn item(&self, name: &str) -> Option<&str> {
        let list = name.strip_prefix("item_")?.split('_').next()?;
        let items = self.parts.get(&format!("list_{list}"))?.get("list")?.as_array()?;
        items.iter().find(|item| item.get("id").and_then(Value::as_str) == Some(name))?.get("value")?.as_str()
    }

    pub(super) fn table(&self, number: &str) -> Option<Tabled> {
        let name = format!("table_{number}");
        let part = self.parts.get(&name)?;
        let (grid, starts) = grid(part.get("table")?.as_array()?);
        let headers = header_rows(&grid);
        let caption = plain(part.get("caption").and_then(Value::as_str).unwrap_or_default());
        let title =
            if caption.is_empty() { self.title.clone() } else { format!("{}: {caption}", self.title) };
        let table = Table {
            id: format!("{}_{name}", self.title),
            title,
            section: self.section(&name),
            header: names(grid.get(..headers)?),
            rows: grid
                .iter()
                .skip(headers)
                .map(|row| row.iter().map(|cell| cell.text.clone()).collect())
                .collect(),
            ..Table::default()
        };
        let below = |[r, c]: [usize; 2]| r.checked_sub(headers).map(|r| [r, c]);
        let places = starts.into_iter().map(|(name, place)| (name, below(place))).collect();
        Some(Tabled { table, places })
    }

    /// The heading that a part stands under.
    fn section(&self, name: &str) -> String {
        let order: Vec<&str> = self
            .parts
            .get("order")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let before = order.iter().position(|part| *part == name).unwrap_or(0);
        let heading = order.iter().take(before).rev().find(|part| part.starts_with("section_"));
        let heading = heading.and_then(|part| self.parts.get(*part)?.get("value")?.as_str());
        plain(heading.unwrap_or_default())
    }
}

impl Tabled {
    /// Where a cell is below the header; the inner is none for a cell of the header, the outer where there is no
    /// such cell.
    pub(super) fn place(&self, cell: &str) -> Option<Option<[usize; 2]>> {
        self.places.get(cell).copied()
    }
}

/// Cells by name, and the row and column in which each begins.
type Starts = Vec<(String, [usize; 2])>;

/// The cells in rows and columns, one that spans several repeated in each; and where each begins.
fn grid(rows: &[Value]) -> (Vec<Vec<Cell>>, Starts) {
    let mut grid: Vec<Vec<Option<Cell>>> = vec![Vec::new(); rows.len()];
    let mut starts = Starts::new();
    for (r, row) in rows.iter().enumerate() {
        let mut c = 0;
        for value in row.as_array().into_iter().flatten() {
            while grid[r].get(c).is_some_and(Option::is_some) {
                c += 1;
            }
            let (down, across) = (span(value, "row_span"), span(value, "column_span").min(WIDEST));
            let text = plain(value.get("value").and_then(Value::as_str).unwrap_or_default());
            let is_header = value.get("is_header").and_then(Value::as_bool).unwrap_or(false);
            for line in grid.iter_mut().skip(r).take(down) {
                fill(line, c, across, &Cell { text: text.clone(), is_header });
            }
            let name = value.get("id").and_then(Value::as_str).unwrap_or_default();
            starts.push((name.to_owned(), [r, c]));
            c += across;
        }
    }
    // What a cell spans to the right of where any other begins is no column.
    let width = starts.iter().map(|(_, [_, c])| c + 1).max().unwrap_or(0);
    let whole = |mut row: Vec<Option<Cell>>| {
        row.resize(width, None);
        let is_header = row.iter().any(Option::is_some) && row.iter().flatten().all(|cell| cell.is_header);
        row.into_iter().map(|cell| cell.unwrap_or(Cell { text: String::new(), is_header })).collect()
    };
    (grid.into_iter().map(whole).collect(), starts)
}

fn fill(line: &mut Vec<Option<Cell>>, from: usize, across: usize, cell: &Cell) {
    if line.len() < from + across {
        line.resize(from + across, None);
    }
    for place in line.iter_mut().skip(from).take(across).filter(|place| place.is_none()) {
        *place = Some(cell.clone());
    }
}

/// How many rows or columns a cell spans, which may be written as a text.
fn span(cell: &Value, key: &str) -> usize {
    let value = cell.get(key);
    let number = value.and_then(Value::as_u64).or_else(|| value.and_then(Value::as_str)?.trim().parse().ok());
    number.and_then(|n| usize::try_from(n).ok()).unwrap_or(1).max(1)
}

/// How many rows at the top have only header cells; something stays below them.
fn header_rows(grid: &[Vec<Cell>]) -> usize {
    let is_header = |row: &&Vec<Cell>| !row.is_empty() && row.iter().all(|cell| cell.is_header);
    let rows = grid.iter().take_while(is_header).count();
    if rows == grid.len() { rows.min(1) } else { rows }
}

/// The names of columns, from one or more rows.
fn names(rows: &[Vec<Cell>]) -> Vec<String> {
    let width = rows.first().map_or(0, Vec::len);
    let name = |c: usize| {
        let mut parts: Vec<&str> = Vec::new();
        for cell in rows.iter().filter_map(|row| row.get(c)).filter(|cell| !cell.text.is_empty()) {
            add(&mut parts, cell.text.as_str());
        }
        parts.join("\n")
    };
    (0..width).map(name).collect()
}

/// A text without its links: `[[Rock_music|rock]]` is `rock`.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[[") {
        shown.push_str(before);
        let Some((link, after)) = link.split_once("]]") else {
            shown.push_str("[[");
            rest = link;
            break;
        };
        match link.rsplit_once('|') {
            Some((_, words)) => shown.push_str(words),
            None => shown.push_str(&link.replace('_', " ")),
        }
        rest = after;
    }
    shown.push_str(rest);
    shown.trim().to_owned()
}

/// Names the page in an error.
pub(super) fn wrong(title: &str) -> impl FnOnce(Error) -> Error {
    move |e| e.at(format!("the page `{title}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cell(id: &str, value: &str, is_header: bool, down: Value, across: Value) -> Value {
        json!({"id":id,"value":value,"is_header":is_header,"row_span":down,"column_span":across})
    }

    #[test]
    fn a_table_with_cells_that_span() {
        let rows = json!([
            [
                cell("header_cell_0_0_0", "Year", true, json!("2"), json!("1")),
                cell("header_cell_0_0_1", "Charts", true, json!(1), json!(2))
            ],
            [
                cell("header_cell_0_1_0", "UK", true, json!("1"), json!("1")),
                cell("header_cell_0_1_1", "US", true, json!("1"), json!("1"))
            ],
            [
                cell("cell_0_2_0", "1969", false, json!("2"), json!("1")),
                cell("cell_0_2_1", "[[Sixty|60]]", false, json!("1"), json!("999999999"))
            ],
            [cell("cell_0_3_0", "7", false, json!("0"), json!("x"))],
        ]);
        let page = json!({"title":"Band","order":["section_0","table_0"],"section_0":{"value":"[[Charts]]","level":1},
            "table_0":{"type":"table","caption":"Albums","table":rows}});
        let tabled = Page::read("Band", &page.to_string()).unwrap().table("0").unwrap();
        assert_eq!((tabled.table.id.as_str(), tabled.table.title.as_str()), ("Band_table_0", "Band: Albums"));
        assert_eq!(tabled.table.section, "Charts");
        assert_eq!(tabled.table.header, ["Year", "Charts\nUK", "Charts\nUS"]);
        assert_eq!(tabled.table.rows, [["1969", "60", "60"], ["1969", "7", ""]]);
        assert_eq!(tabled.place("cell_0_3_0"), Some(Some([1, 1])));
        assert_eq!((tabled.place("header_cell_0_1_1"), tabled.place("cell_0_9_9")), (Some(None), None));
    }

    #[test]
    fn a_table_without_header_or_with_nothing_else() {
        let page = json!({"table_0":{"table":[[cell("cell_0_0_0", "a", false, json!(1), json!(1))]]},
            "table_1":{"table":[[cell("a", "x", true, json!(1), json!(1))],[cell("b", "y", true, json!(1), json!(1))]]},
            "table_2":{"table":[]}});
        let page = Page::read("P", &page.to_string()).unwrap();
        let shape = |number: &str| page.table(number).map(|t| (t.table.header, t.table.rows)).unwrap();
        assert_eq!(shape("0"), (vec![], vec![vec!["a".to_owned()]]));
        assert_eq!(shape("1"), (vec!["x".to_owned()], vec![vec!["y".to_owned()]]));
        assert_eq!(shape("2"), (vec![], vec![]));
        assert!(page.table("3").is_none());
    }

    #[test]
    fn links_become_their_words() {
        assert_eq!(plain(" a [[B_c|b]] [[D_e]] [[f "), "a b D e [[f");
    }
}

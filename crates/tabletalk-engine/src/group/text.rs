//! The nodes of text groups: chunks, lines, sentences, pictures.
//!
//! A document that holds only tables has none: its tables have groups of their own. In a document with
//! text, tables that are not too long stand in the chunks too, so that what is written around them and in
//! them can be read together.

use super::split::{self, Chunk, Piece, TablePiece};
use super::table::row_text;
use super::{Definition, Groups, Transform};
use std::collections::HashMap;
use tabletalk_core::{Error, Node, Placed, Result, Table};
use tabletalk_store::{Catalog, Data, Entry, data};

/// Longer tables do not stand in text chunks.
const MOST_ROWS: u64 = 200;

/// The most characters of a heading that all that stands under it is told; no chunk has room for more.
const MOST_HEADING: usize = 1000;

/// What the nodes of a document are made from.
struct Content<'a> {
    id: &'a str,
    outline: &'a [tabletalk_store::Piece],
    tables: Vec<(&'a Table, u64, &'a Data)>,
}

/// The nodes of all kept groups of a document on its way into the library.
pub fn nodes(entry: &Entry, groups: &Groups) -> Result<Vec<Node>> {
    let tables = entry.tables.iter().map(|(table, rows, data)| (table, *rows, data)).collect();
    make(&Content { id: &entry.id, outline: &entry.outline, tables }, groups)
}

/// The nodes of all kept groups of a stored document, made again.
pub fn nodes_again(catalog: &Catalog, key: i64, groups: &Groups) -> Result<Vec<Node>> {
    let Some(record) = catalog.record_by_key(key)? else { return Ok(Vec::new()) };
    let (outline, stored) = (catalog.outline(key)?, catalog.tables_of(key)?);
    let tables = stored.iter().map(|s| (&s.table, s.rows, &s.data)).collect();
    make(&Content { id: &record.id, outline: &outline, tables }, groups)
}

fn make(content: &Content<'_>, groups: &Groups) -> Result<Vec<Node>> {
    let has_text = content.outline.iter().any(|p| !matches!(p, tabletalk_store::Piece::Table(_)));
    let is_made_here = |g: &&Definition| g.transform.is_kept() && !g.transform.is_made_later();
    let table_groups = groups.all().iter().filter(is_made_here).any(|g| g.parent == "table");
    if !has_text && !table_groups {
        return Ok(Vec::new());
    }
    let mut made: HashMap<&str, Vec<Node>> = HashMap::new();
    let mut all = Vec::new();
    for group in groups.all().iter().filter(is_made_here) {
        let nodes = match group.parent.as_str() {
            "root" if group.transform == Transform::Image => images(content, group),
            "root" if has_text => number(content, group, &[(content.id.to_owned(), pieces(content)?)])?,
            "root" => Vec::new(),
            "table" => number(content, group, &table_pieces(content)?)?,
            parent => number(content, group, &node_pieces(made.get(parent).map_or(&[], Vec::as_slice)))?,
        };
        all.extend(nodes.iter().cloned());
        made.insert(&group.name, nodes);
    }
    Ok(all)
}

/// Splits the pieces of each parent and gives the parts their ids.
fn number(content: &Content<'_>, group: &Definition, parents: &[(String, Vec<Piece>)]) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    let made = match &group.transform {
        Transform::Command(program) => {
            program.split(parents).map_err(|e| e.at(format!("group `{}`", group.name)))?
        }
        Transform::Own(closure) => {
            let split = |(_, pieces): &(String, Vec<Piece>)| closure.split(pieces);
            let made: Result<Vec<_>> = parents.iter().map(split).collect();
            made.map_err(|e| e.at(format!("group `{}`", group.name)))?
        }
        other => parents.iter().map(|(_, pieces)| chunks(other, pieces)).collect::<Result<_>>()?,
    };
    for ((parent, _), chunks) in parents.iter().zip(made) {
        for chunk in chunks {
            nodes.push(Node {
                id: format!("{}/{}/{}", content.id, group.name, nodes.len() + 1),
                group: group.name.clone(),
                parent: parent.clone(),
                place: chunk.place,
                text: chunk.text,
                fields: with_heading(chunk.fields, &chunk.heading),
            });
        }
    }
    Ok(nodes)
}

fn with_heading(
    mut fields: serde_json::Map<String, serde_json::Value>,
    heading: &[String],
) -> serde_json::Map<String, serde_json::Value> {
    if !heading.is_empty() {
        fields.insert("heading".into(), heading.join(" / ").into());
    }
    fields
}

fn chunks(transform: &Transform, pieces: &[Piece]) -> Result<Vec<Chunk>> {
    Ok(match transform {
        Transform::Length { length, overlap } => {
            split::Length { length: *length, overlap: *overlap }.split(pieces)
        }
        Transform::Block => split::blocks(pieces),
        Transform::Sentence => split::sentences(pieces),
        Transform::Pattern { pattern } => {
            let regex = regex::Regex::new(pattern).map_err(|e| Error::input(e.to_string()))?;
            split::Pattern(regex).split(pieces)
        }
        _ => Vec::new(),
    })
}

/// The document as pieces, each with the headings it stands under.
fn pieces(content: &Content<'_>) -> Result<Vec<Piece>> {
    use tabletalk_store::Piece::*;
    let mut heading: Vec<(u8, String)> = Vec::new();
    let mut pieces = Vec::new();
    for part in content.outline {
        let path = |heading: &[(u8, String)]| heading.iter().map(|h| h.1.clone()).collect::<Vec<_>>();
        match part {
            Heading(level, placed) => {
                heading.retain(|h| h.0 < *level);
                heading.push((*level, placed.text.chars().take(MOST_HEADING).collect()));
                pieces.push(text_piece(placed, path(&heading)));
            }
            Text(placed) | Item(_, placed) | Note(placed) | Image(placed) => {
                pieces.push(text_piece(placed, path(&heading)))
            }
            Table(n) => pieces.extend(table_piece(content, *n as usize, path(&heading))?),
        }
    }
    Ok(pieces)
}

fn text_piece(placed: &Placed, heading: Vec<String>) -> Piece {
    Piece { text: placed.text.clone(), place: placed.place.clone(), heading, table: None }
}

fn table_piece(content: &Content<'_>, number: usize, heading: Vec<String>) -> Result<Option<Piece>> {
    let Some((table, rows, data)) = content.tables.get(number.wrapping_sub(1)) else { return Ok(None) };
    if *rows > MOST_ROWS {
        return Ok(None);
    }
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    let mut lines = Vec::new();
    for batch in data::open(&table.columns, data, None)? {
        let batch = batch?;
        for i in 0..batch.len() {
            let row = batch.rows.get(i).copied().unwrap_or(0);
            lines.push((row_text(&batch, i), table.place_of((row, row), None)));
        }
    }
    let piece = TablePiece { header: names.join(" | "), rows: lines };
    Ok(Some(Piece {
        text: table.title().to_owned(),
        place: table.place.clone(),
        heading,
        table: Some(piece),
    }))
}

fn table_pieces(content: &Content<'_>) -> Result<Vec<(String, Vec<Piece>)>> {
    let mut parents = Vec::new();
    for number in 1..=content.tables.len() {
        if let Some(piece) = table_piece(content, number, Vec::new())? {
            parents.push((format!("{}/t{number}", content.id), vec![piece]));
        }
    }
    Ok(parents)
}

fn node_pieces(nodes: &[Node]) -> Vec<(String, Vec<Piece>)> {
    let piece = |n: &Node| Piece { text: n.text.clone(), place: n.place.clone(), ..Piece::default() };
    nodes.iter().map(|n| (n.id.clone(), vec![piece(n)])).collect()
}

fn images(content: &Content<'_>, group: &Definition) -> Vec<Node> {
    let images = content.outline.iter().filter_map(|p| match p {
        tabletalk_store::Piece::Image(placed) if !placed.text.is_empty() => Some(placed),
        _ => None,
    });
    images
        .enumerate()
        .map(|(i, placed)| Node {
            id: format!("{}/{}/{}", content.id, group.name, i + 1),
            group: group.name.clone(),
            parent: content.id.to_owned(),
            place: placed.place.clone(),
            text: placed.text.clone(),
            ..Node::default()
        })
        .collect()
}

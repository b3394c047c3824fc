//! What the keyword index holds of a document, group by group.

use crate::group::{Definition, Groups, Transform, table};
use tabletalk_core::{Column, Node, Result, Table};
use tabletalk_store::distinct::{Distinct, Values};
use tabletalk_store::keyword::{Block, Doc, Field, Held, Writer, block};
use tabletalk_store::{Keys, Library};

/// Values of a large table that its own entry holds; the group `cell` holds all.
const TABLE_VALUES: usize = 20_000;
/// A table of at most so many distinct values is small: its own entry holds all of them, and the group
/// `cell` none, so that no word is indexed twice.
const SMALL_VALUES: u64 = 2048;
/// Unless they are texts of more bytes than this together.
const SMALL_BYTES: usize = 128 << 10;
/// The part of the entry of a small table.
pub const SMALL: u64 = 1;
/// Entries handed to the index at a time.
const CHUNK: usize = 512;
/// The number of the block that holds the range of a column instead of values.
pub const RANGE: u64 = (1 << 40) - 1;

/// The part of a column and a block.
pub fn part(col: usize, block: u64) -> u64 {
    (col as u64) << 40 | block
}

/// The column and the block of a part.
pub fn split_part(part: u64) -> (usize, u64) {
    ((part >> 40) as usize, part & ((1 << 40) - 1))
}

/// A document that is in the catalogue, as the index needs it.
pub struct Indexable<'a> {
    /// Its keys.
    pub keys: &'a Keys,
    /// Its title.
    pub title: &'a str,
    /// The name of its file.
    pub name: &'a str,
    /// Its tables.
    pub tables: Vec<&'a Table>,
    /// Its stored nodes.
    pub nodes: Vec<&'a Node>,
}

/// The groups that have an index of this library's own: none when others use it too.
pub(crate) fn own_indexes<'a>(library: &Library, groups: &'a Groups) -> Vec<&'a Definition> {
    let is_own = library.shared().segment.is_none();
    groups.all().iter().filter(|g| is_own && g.transform.is_indexed()).collect()
}

/// What takes the entries of a document.
pub trait Sink {
    /// The fields of the values of a table: their words, and whole.
    fn cut(&mut self, values: &mut dyn Iterator<Item = &str>) -> [(Field, String); 2];
    /// Takes entries of a group. The values of a table must be [`cut`](Sink::cut).
    fn add(&mut self, group: &str, docs: Vec<Doc>) -> Result<()>;
}

impl Sink for Writer<'_> {
    fn cut(&mut self, values: &mut dyn Iterator<Item = &str>) -> [(Field, String); 2] {
        Writer::cut(self, values)
    }

    fn add(&mut self, group: &str, docs: Vec<Doc>) -> Result<()> {
        Writer::add(self, group, docs)
    }
}

/// Adds a document to the index of every group that `wanted` names. `values` are the distinct values of
/// the columns of each table.
pub fn add(
    writer: &mut dyn Sink,
    groups: &Groups,
    wanted: &dyn Fn(&str) -> bool,
    document: &Indexable<'_>,
    values: Vec<Vec<Values>>,
) -> Result<()> {
    for group in groups.all().iter().filter(|g| g.transform.is_indexed() && wanted(&g.name)) {
        match group.transform {
            Transform::Table | Transform::Cell => {}
            Transform::Schema => writer.add(&group.name, schema_docs(document))?,
            _ => writer.add(&group.name, node_docs(document, &group.name))?,
        }
    }
    if !wanted("table") && !wanted("cell") {
        return Ok(());
    }
    for (t, values) in values.into_iter().enumerate() {
        add_values(writer, wanted, document, t, values)?;
    }
    Ok(())
}

fn node_docs(document: &Indexable<'_>, group: &str) -> Vec<Doc> {
    let nodes = document.nodes.iter().zip(&document.keys.nodes).filter(|(n, _)| n.group == group);
    nodes
        .map(|(node, &key)| Doc {
            document: document.keys.document,
            owner: key,
            part: 0,
            fields: vec![(Field::Title, document.title.to_owned()), (Field::Text, node.text.clone())],
            data: Vec::new(),
        })
        .collect()
}

fn schema_docs(document: &Indexable<'_>) -> Vec<Doc> {
    let mut docs = Vec::new();
    for (table, &key) in document.tables.iter().zip(&document.keys.tables) {
        for (c, column) in table.columns.iter().enumerate() {
            docs.push(Doc {
                document: document.keys.document,
                owner: key,
                part: part(c, 0),
                fields: vec![(Field::Name, named(column))],
                data: Vec::new(),
            });
        }
    }
    docs
}

fn named(column: &Column) -> String {
    match &column.unit {
        Some(unit) => format!("{} {unit}", column.name),
        None => column.name.clone(),
    }
}

/// What a table is called: its own title, that of its document, its sheet and its file.
fn title(document: &Indexable<'_>, table: &Table) -> String {
    let mut title = table.title().to_owned();
    if !title.contains(document.title) {
        title = format!("{title} {}", document.title);
    }
    if let Some(sheet) = &table.place.sheet {
        title = format!("{title} {sheet}");
    }
    if !document.keys.tables.is_empty() && !document.name.contains('#') {
        let stem = document.name.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
        title = format!("{title} {stem}");
    }
    title
}

fn add_values(
    writer: &mut dyn Sink,
    wanted: &dyn Fn(&str) -> bool,
    document: &Indexable<'_>,
    t: usize,
    columns: Vec<Values>,
) -> Result<()> {
    let (Some(table), Some(&owner)) = (document.tables.get(t), document.keys.tables.get(t)) else {
        return Ok(());
    };
    let at = At { document, table, owner };
    if columns.iter().map(|v| v.distinct).sum::<u64>() > SMALL_VALUES {
        return at.add_large(writer, wanted, columns);
    }
    let held = at.hold(columns)?;
    if held.iter().flat_map(|h| &h.values).map(|v| v.text.len()).sum::<usize>() > SMALL_BYTES {
        return at.add_large(writer, wanted, held.into_iter().map(|h| h.values.into_iter().map(Ok)));
    }
    if !wanted("table") {
        return Ok(());
    }
    let doc = at.table_doc(writer, held.iter().flat_map(|h| &h.values));
    writer.add("table", vec![Doc { part: SMALL, data: Held::pack(&held), ..doc }])
}

/// A table on its way into the index.
struct At<'a> {
    document: &'a Indexable<'a>,
    table: &'a Table,
    owner: i64,
}

impl At<'_> {
    fn hold(&self, columns: Vec<Values>) -> Result<Vec<Held>> {
        let columns = columns.into_iter().zip(&self.table.columns).enumerate();
        columns
            .map(|(col, (values, column))| {
                let values = values.collect::<Result<Vec<_>>>()?;
                Ok(Held { col, name: named(column), ranged: range(column).is_some(), values })
            })
            .collect()
    }

    /// All values go into blocks, the most frequent of each column also into the entry of the table.
    fn add_large<V: Iterator<Item = Result<Distinct>>>(
        &self,
        writer: &mut dyn Sink,
        wanted: &dyn Fn(&str) -> bool,
        columns: impl IntoIterator<Item = V>,
    ) -> Result<()> {
        let share = TABLE_VALUES / self.table.columns.len().max(1);
        let mut sample: Vec<Distinct> = Vec::new();
        let mut docs = Vec::new();
        for (c, (mut values, column)) in columns.into_iter().zip(&self.table.columns).enumerate() {
            let mut start = 0;
            loop {
                let block = next_block(&mut values, start)?;
                if block.values.is_empty() {
                    break;
                }
                sample.extend(block.values.iter().take(share.saturating_sub(start as usize)).cloned());
                docs.push(block_doc(self.document, self.owner, c, column, &block));
                start += block.values.len() as u64;
                if docs.len() >= CHUNK && wanted("cell") {
                    writer.add("cell", std::mem::take(&mut docs))?;
                }
            }
            docs.extend(range_doc(self.document, self.owner, c, column));
        }
        if wanted("cell") {
            writer.add("cell", docs)?;
        }
        if !wanted("table") {
            return Ok(());
        }
        let doc = self.table_doc(writer, &sample);
        writer.add("table", vec![doc])
    }

    fn table_doc<'v>(&self, writer: &mut dyn Sink, values: impl IntoIterator<Item = &'v Distinct>) -> Doc {
        let table = self.table;
        let mut names = String::new();
        for column in &table.columns {
            names.push_str(&named(column));
            names.push('\n');
        }
        let mut around = table.context.clone();
        for note in &table.notes {
            around.push('\n');
            around.push_str(&note.text);
        }
        let mut fields =
            vec![(Field::Title, title(self.document, table)), (Field::Name, names), (Field::Text, around)];
        fields.extend(writer.cut(&mut values.into_iter().map(|v| v.text.as_str())));
        Doc { document: self.document.keys.document, owner: self.owner, part: 0, fields, data: Vec::new() }
    }
}

fn next_block(values: &mut impl Iterator<Item = Result<Distinct>>, start: u64) -> Result<Block> {
    let values = values.take(block::SIZE).collect::<Result<Vec<_>>>()?;
    Ok(Block { start, values })
}

fn block_doc(document: &Indexable<'_>, owner: i64, c: usize, column: &Column, block: &Block) -> Doc {
    let fields = vec![(Field::Name, named(column)), (Field::Values, block.text())];
    let number = block.start / block::SIZE as u64;
    Doc { document: document.keys.document, owner, part: part(c, number), fields, data: block.pack() }
}

/// From where to where the values of a column go.
fn range(column: &Column) -> Option<&(String, String)> {
    column.stats.as_ref()?.range.as_ref().filter(|_| table::has_range(column))
}

fn range_doc(document: &Indexable<'_>, owner: i64, c: usize, column: &Column) -> Option<Doc> {
    let (low, high) = range(column)?;
    let fields = vec![(Field::Name, named(column)), (Field::Values, format!("{low}\u{1f}{high}"))];
    Some(Doc { document: document.keys.document, owner, part: part(c, RANGE), fields, data: Vec::new() })
}

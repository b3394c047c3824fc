//! A document as it is written to a shared store: all its rows of the catalogue, in a form that another catalogue can take.

use crate::catalog::Catalog;
use crate::catalog::change::Change;
use crate::error::sqlite;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use tabletalk_core::seam::store::{Facet, Facets, Segment};
use tabletalk_core::{Error, Result};

/// The version of the form. One that is newer is refused.
const FORM: u32 = 1;

/// All that is known of a document. Bytes stand behind it, one after another.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Body {
    form: u32,
    source: String,
    source_id: String,
    name: String,
    title: String,
    hash: String,
    fields: String,
    report: String,
    outline: String,
    /// The hash, size and time of its file, when all of that was read.
    file: Option<(String, u64, i64)>,
    tables: Vec<Table>,
    nodes: Vec<Node>,
    vectors: Vec<Vector>,
    /// Embed key, group and what the vectors depend on.
    embedded: Vec<(String, String, String)>,
    /// Corrections of its tables, by number.
    corrections: Vec<(i64, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Table {
    key: i64,
    number: i64,
    name: String,
    meta: String,
    rows: i64,
    columns: i64,
    file: Option<String>,
    /// How many of the bytes are its rows.
    data: Option<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Node {
    key: i64,
    id: String,
    group: String,
    parent: String,
    place: String,
    text: String,
    fields: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Vector {
    key: i64,
    embed: String,
    group: String,
    owner: i64,
    part: i64,
    model: String,
    hash: String,
    cell: Option<String>,
    dim: i64,
    /// How many of the bytes are its numbers; none when they are in a vector store.
    data: Option<usize>,
}

/// A vector of a document in a vector store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kept {
    /// The embed key.
    pub embed: String,
    /// The group.
    pub group: String,
    /// The key.
    pub key: u64,
}

/// Documents that differ from what was published of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unpublished {
    /// Those that are new or changed: the key, and the state they are in.
    pub changed: Vec<(i64, String)>,
    /// Those that are gone: the key and the id.
    pub gone: Vec<(i64, String)>,
}

impl Catalog {
    /// The document with this key as a segment; `None` when it is gone. With `vectors` its vectors go along.
    pub fn segment(&self, key: i64, vectors: bool) -> Result<Option<Segment>> {
        let sql = "SELECT id, source, source_id, name, title, hash, fields, report, outline FROM document WHERE key=?1";
        let found = self.one(sql, [key], |r| {
            let body = Body {
                form: FORM,
                source: r.get(1)?,
                source_id: r.get(2)?,
                name: r.get(3)?,
                title: r.get(4)?,
                hash: r.get(5)?,
                fields: r.get(6)?,
                report: r.get(7)?,
                outline: r.get(8)?,
                ..Body::default()
            };
            Ok((r.get::<_, String>(0)?, body))
        });
        let Some((id, mut body)) = found.optional().map_err(sqlite)? else { return Ok(None) };
        let mut bytes = Vec::new();
        body.file = self.source(&body.source)?.map(|f| (f.hash, f.size, f.modified));
        body.tables = self.tables_to_pack(key, &mut bytes)?;
        let sql = "SELECT key, id, grp, parent, place, text, fields FROM node WHERE document=?1 ORDER BY key";
        body.nodes = self.list(sql, [key], |r| {
            Ok(Node {
                key: r.get(0)?,
                id: r.get(1)?,
                group: r.get(2)?,
                parent: r.get(3)?,
                place: r.get(4)?,
                text: r.get(5)?,
                fields: r.get(6)?,
            })
        })?;
        body.vectors = self.vectors_to_pack(key, vectors, &mut bytes)?;
        let sql = "SELECT embed, grp, definition FROM embedded WHERE document=?1";
        body.embedded = self.list(sql, [key], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        let sql = "SELECT number, correction FROM correction WHERE document=?1";
        body.corrections = self.list(sql, [&id], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(Some(Segment { key, id, body: pack(&body, &bytes)?, ..Segment::default() }))
    }

    fn tables_to_pack(&self, key: i64, bytes: &mut Vec<u8>) -> Result<Vec<Table>> {
        let sql = "SELECT key, number, name, meta, rows, columns, file, data FROM \"table\" WHERE document=?1 ORDER BY key";
        self.list(sql, [key], |r| {
            let data: Option<Vec<u8>> = r.get(7)?;
            bytes.extend(data.iter().flatten());
            Ok(Table {
                key: r.get(0)?,
                number: r.get(1)?,
                name: r.get(2)?,
                meta: r.get(3)?,
                rows: r.get(4)?,
                columns: r.get(5)?,
                file: r.get(6)?,
                data: data.map(|d| d.len()),
            })
        })
    }

    fn vectors_to_pack(&self, key: i64, with_data: bool, bytes: &mut Vec<u8>) -> Result<Vec<Vector>> {
        let sql = "SELECT v.key, v.embed, v.grp, v.owner, v.part, v.model, hex(v.hash), v.cell, e.data,
             coalesce(length(e.data) / 2, s.dim, 0)
             FROM vector v LEFT JOIN embedding e ON e.model=v.model AND e.hash=v.hash
             LEFT JOIN space s ON s.embed=v.embed AND s.grp=v.grp WHERE v.document=?1 ORDER BY v.key";
        self.list(sql, [key], |r| {
            let data: Option<Vec<u8>> = r.get::<_, Option<Vec<u8>>>(8)?.filter(|_| with_data);
            bytes.extend(data.iter().flatten());
            Ok(Vector {
                key: r.get(0)?,
                embed: r.get(1)?,
                group: r.get(2)?,
                owner: r.get(3)?,
                part: r.get(4)?,
                model: r.get(5)?,
                hash: r.get(6)?,
                cell: r.get(7)?,
                dim: r.get(9)?,
                data: data.map(|d| d.len()),
            })
        })
    }

    /// The fields of a document, as shared stores keep them.
    pub fn facets(&self, document: i64) -> Result<Facets> {
        let Some(record) = self.record_by_key(document)? else { return Ok(Facets::new()) };
        let own = [
            ("id", &record.id),
            ("name", &record.name),
            ("source_id", &record.source_id),
            ("title", &record.title),
        ];
        let mut facets: Facets = own.map(|(name, text)| (name.to_owned(), Facet::of(text))).into();
        for (name, value) in record.fields.iter().filter(|(name, _)| own.iter().all(|o| o.0 != name.as_str()))
        {
            facets.extend(Facet::of_value(value).map(|facet| (name.clone(), facet)));
        }
        Ok(facets)
    }

    /// Documents that differ from what was published of them.
    pub fn unpublished(&self) -> Result<Unpublished> {
        let changed = "WITH now AS (SELECT d.key AS key, d.id AS id,
             d.generation || ':' || (SELECT count(*) || ':' || coalesce(max(v.key), 0) FROM vector v WHERE v.document=d.key) AS state
             FROM document d)
             SELECT now.key, now.state FROM now LEFT JOIN published p ON p.document=now.key
             WHERE p.state IS NOT now.state ORDER BY now.key";
        let gone = "SELECT p.document, p.id FROM published p LEFT JOIN document d ON d.key=p.document WHERE d.key IS NULL";
        let pair = |r: &rusqlite::Row<'_>| Ok((r.get(0)?, r.get(1)?));
        Ok(Unpublished { changed: self.list(changed, [], pair)?, gone: self.list(gone, [], pair)? })
    }

    /// The documents that were published, or taken over.
    pub fn published(&self) -> Result<Vec<i64>> {
        self.list("SELECT document FROM published", [], |r| r.get(0))
    }

    /// The documents that have tables.
    pub fn documents_with_tables(&self) -> Result<Vec<i64>> {
        self.list("SELECT key FROM document WHERE tables > 0", [], |r| r.get(0))
    }

    /// The greatest key that was given to anything.
    pub fn last_key(&self) -> Result<i64> {
        let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence";
        self.one(sql, [], |r| r.get(0)).map_err(sqlite)
    }

    /// Tells whether [`Catalog::unpublished`] may list anything new: one state of the catalogue from every other.
    pub fn publishable_state(&self) -> Result<i64> {
        let sql = "SELECT (SELECT coalesce(max(generation), 0) FROM document) * 7919 + count(*) * 31 + coalesce(max(key), 0)
             + (SELECT count(*) FROM document) * 104729 FROM vector";
        let state: i64 = self.one(sql, [], |r| r.get(0)).map_err(sqlite)?;
        Ok(state.wrapping_add(self.generation()?))
    }
}

impl Change<'_> {
    /// Keeps a number in the catalogue.
    pub fn put_meta(&self, key: &str, value: i64) -> Result<()> {
        self.run("INSERT OR REPLACE INTO meta(key, value) VALUES(?1,?2)", params![key, value])
    }

    /// Remembers that a document was published in this state.
    pub fn put_published(&self, document: i64, id: &str, state: &str) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO published(document, id, state) VALUES(?1,?2,?3)";
        self.run(sql, params![document, id, state])
    }

    /// Lets a document that was taken over be indexed and published as if it had been written here.
    pub fn renew(&self, document: i64) -> Result<()> {
        self.forget_published(document)?;
        self.touch(document)
    }

    /// Forgets that a document was published.
    pub fn forget_published(&self, document: i64) -> Result<()> {
        self.run("DELETE FROM published WHERE document=?1", [document])
    }

    /// Forgets that anything was published.
    pub fn forget_all_published(&self) -> Result<()> {
        self.run("DELETE FROM published", [])
    }

    /// Remembers what makes the vectors of a space, and their length.
    pub fn put_space(&self, embed: &str, group: &str, model: &str, dim: i64) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO space(embed, grp, model, dim) VALUES(?1,?2,?3,?4)";
        self.run(sql, params![embed, group, model, dim])
    }

    /// Takes over a document as others wrote it, or that it is gone.
    pub fn take_over(&mut self, segment: &Segment) -> Result<()> {
        self.make_way(segment)?;
        if segment.gone {
            return self.forget_published(segment.key);
        }
        let (body, mut bytes) = unpack(&segment.body)?;
        let sql = "INSERT INTO document(key, id, source, source_id, name, title, hash, fields, report, outline, tables, generation)
             VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,0)";
        let tables = body.tables.len();
        let key = segment.key;
        self.run(
            sql,
            params![
                key,
                segment.id,
                body.source,
                body.source_id,
                body.name,
                body.title,
                body.hash,
                body.fields,
                body.report,
                body.outline,
                tables
            ],
        )?;
        for table in &body.tables {
            table.file.iter().for_each(|file| self.keep_file(file));
            self.take_table(key, table, &mut bytes)?;
        }
        for n in &body.nodes {
            let sql = "INSERT INTO node(key, document, id, grp, parent, place, text, fields) VALUES(?1,?2,?3,?4,?5,?6,?7,?8)";
            self.run(sql, params![n.key, key, n.id, n.group, n.parent, n.place, n.text, n.fields])?;
        }
        for vector in &body.vectors {
            self.take_vector(key, vector, &mut bytes)?;
        }
        for (embed, group, definition) in &body.embedded {
            let sql = "INSERT OR REPLACE INTO embedded(document, embed, grp, definition) VALUES(?1,?2,?3,?4)";
            self.run(sql, params![key, embed, group, definition])?;
        }
        for (number, correction) in &body.corrections {
            let sql = "INSERT OR REPLACE INTO correction(document, number, correction) VALUES(?1,?2,?3)";
            self.run(sql, params![segment.id, number, correction])?;
        }
        if let Some((hash, size, modified)) = body.file {
            self.put_source(&body.source, &crate::SourceFile { hash, size, modified })?;
        }
        let last = body.vectors.iter().map(|v| v.key).max().unwrap_or(0);
        self.put_published(key, &segment.id, &format!("0:{}:{last}", body.vectors.len()))
    }

    /// Removes what stands where a document is to be put: an older state, or one with the same id.
    fn make_way(&mut self, segment: &Segment) -> Result<()> {
        let old: Option<i64> = self
            .transaction()
            .query_row("SELECT key FROM document WHERE id=?1", [&segment.id], |r| r.get(0))
            .optional()
            .map_err(sqlite)?;
        for key in [Some(segment.key), old].into_iter().flatten() {
            self.drop_files(key)?;
            for table in ["\"table\"", "vector", "embedded", "node"] {
                self.run(&format!("DELETE FROM {table} WHERE document=?1"), [key])?;
            }
            self.run("DELETE FROM document WHERE key=?1", [key])?;
        }
        self.run("DELETE FROM correction WHERE document=?1", [&segment.id])
    }

    fn take_table(&self, document: i64, t: &Table, bytes: &mut &[u8]) -> Result<()> {
        let data = take(bytes, t.data)?;
        let name = self.free_name(&t.name)?;
        let sql = "INSERT INTO \"table\"(key, document, number, name, meta, rows, columns, data, file) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)";
        self.run(sql, params![t.key, document, t.number, name, t.meta, t.rows, t.columns, data, t.file])
    }

    fn take_vector(&self, document: i64, v: &Vector, bytes: &mut &[u8]) -> Result<()> {
        let data = take(bytes, v.data)?;
        let hash =
            hex::decode(&v.hash).map_err(|e| Error::upstream(format!("a hash in the segment store: {e}")))?;
        let sql = "INSERT INTO vector(key, document, embed, grp, owner, part, model, hash, cell) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)";
        self.run(sql, params![v.key, document, v.embed, v.group, v.owner, v.part, v.model, hash, v.cell])?;
        match data {
            Some(data) => {
                let sql = "INSERT OR IGNORE INTO embedding(model, hash, data) VALUES(?1,?2,?3)";
                self.run(sql, params![v.model, hash, data])
            }
            None => self.put_space(&v.embed, &v.group, &v.model, v.dim),
        }
    }
}

/// The vectors that a segment speaks of and a store can keep: those of whole texts.
pub fn kept_of(segment: &Segment) -> Result<Vec<Kept>> {
    if segment.gone || segment.body.is_empty() {
        return Ok(Vec::new());
    }
    let kept = |v: Vector| Kept { embed: v.embed, group: v.group, key: v.key as u64 };
    let vectors = unpack(&segment.body)?.0.vectors.into_iter();
    Ok(vectors.filter(|v| v.dim > 0).map(kept).collect())
}

/// The files of large tables that a segment speaks of.
pub fn files_of(segment: &Segment) -> Result<Vec<String>> {
    if segment.gone || segment.body.is_empty() {
        return Ok(Vec::new());
    }
    Ok(unpack(&segment.body)?.0.tables.into_iter().filter_map(|table| table.file).collect())
}

fn pack(body: &Body, bytes: &[u8]) -> Result<Vec<u8>> {
    let text = lz4_flex::compress_prepend_size(&serde_json::to_vec(body)?);
    let mut out = Vec::with_capacity(8 + text.len() + bytes.len());
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text);
    out.extend(bytes);
    Ok(out)
}

fn unpack(segment: &[u8]) -> Result<(Body, &[u8])> {
    let broken = || Error::upstream("a document in the segment store is damaged").hint("add its file again");
    let (length, rest) = segment.split_first_chunk::<8>().ok_or_else(broken)?;
    let (text, bytes) = rest.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or_else(broken)?;
    let text = lz4_flex::decompress_size_prepended(text).map_err(|_| broken())?;
    let body: Body = serde_json::from_slice(&text).map_err(|_| broken())?;
    match body.form > FORM {
        true => Err(Error::input("the segment store was written by a newer program").hint("use that one")),
        false => Ok((body, bytes)),
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: Option<usize>) -> Result<Option<&'a [u8]>> {
    let Some(length) = length else { return Ok(None) };
    let (taken, rest) = bytes.split_at_checked(length).ok_or_else(|| {
        Error::upstream("a document in the segment store is cut off").hint("add its file again")
    })?;
    *bytes = rest;
    Ok(Some(taken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Entry;
    use crate::catalog::vectors::{Piece, Space, hash};

    #[test]
    fn a_document_moves_from_one_catalogue_to_another() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut one = Catalog::open(here.path(), true).unwrap();
        let mut two = Catalog::open(there.path(), true).unwrap();
        let mut change = one.change().unwrap();
        let entry = Entry { id: "a".into(), source: "/x".into(), title: "Cities".into(), ..Entry::default() };
        let key = change.put(&entry).unwrap().document;
        change.put_embedding("m", &hash("oslo"), &[0.5, -0.25]).unwrap();
        let space = Space { embed: "en".into(), group: "table".into() };
        let piece = Piece { owner: 1, part: 0, hash: hash("oslo"), cell: None };
        let vectors = change.put_pieces(&space, key, "m", "d", &[piece]).unwrap();
        change.commit().unwrap();
        assert_eq!(one.unpublished().unwrap().changed.len(), 1);
        for with_data in [true, false] {
            let segment = one.segment(key, with_data).unwrap().unwrap();
            let mut change = two.side_change().unwrap();
            change.take_over(&segment).unwrap();
            change.commit().unwrap();
            assert_eq!(two.record("a").unwrap().unwrap().title, "Cities");
            assert_eq!(two.vectors(&vectors).unwrap(), [(vectors[0], vec![0.5, -0.25])]);
            assert_eq!(two.space_model(&space).unwrap(), Some(("m".into(), 2)));
            assert_eq!(two.unpublished().unwrap(), Unpublished::default());
        }
        let gone = Segment { key, id: "a".into(), gone: true, ..Segment::default() };
        let mut change = two.side_change().unwrap();
        change.take_over(&gone).unwrap();
        change.commit().unwrap();
        assert!(two.record("a").unwrap().is_none());
        assert_eq!(two.unpublished().unwrap(), Unpublished::default());
        assert!(unpack(&[1, 2, 3]).is_err());
        assert!(unpack(&one.segment(key, true).unwrap().unwrap().body[..20]).is_err());
    }
}

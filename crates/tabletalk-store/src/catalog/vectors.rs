//! Vectors in the catalogue: by content, and which piece of which node they belong to.
//!
//! They are the truth the dense indexes are made from, and say what late and sparse ones must hold. A vector is kept as
//! half-precision numbers, which changes no cosine by more than a few millionths. A model that only gives sparse
//! vectors has empty ones here.

use crate::catalog::Catalog;
use crate::catalog::change::Change;
use crate::distinct::Distinct;
use crate::error::sqlite;
use half::f16;
use rusqlite::{OptionalExtension, Row, params};
use tabletalk_core::Result;

/// The hash of an embedded text.
pub type Hash = [u8; 16];

/// The hash of a text.
pub fn hash(text: &str) -> Hash {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    short
}

pub use tabletalk_core::seam::store::Space;

/// A piece of a node that has a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The stored node or the table it belongs to.
    pub owner: i64,
    /// Which part of the table it is, as in the keyword index; 0 for the whole.
    pub part: u64,
    /// The hash of its text.
    pub hash: Hash,
    /// The value, when it is a cell.
    pub cell: Option<Distinct>,
}

/// What a found vector belongs to.
#[derive(Debug, Clone)]
pub struct Owner {
    /// The key of the document.
    pub document: i64,
    /// The piece.
    pub piece: Piece,
}

impl Catalog {
    /// The vector of a text under a model, where it is known.
    pub fn embedding(&self, model: &str, hash: &Hash) -> Result<Option<Vec<f32>>> {
        let sql = "SELECT data FROM embedding WHERE model=?1 AND hash=?2";
        let data: Option<Vec<u8>> =
            self.one(sql, params![model, hash.as_slice()], |r| r.get(0)).optional().map_err(sqlite)?;
        Ok(data.map(|d| unpack(&d)))
    }

    /// Up to `limit` documents whose nodes of the group have not all their vectors under this definition.
    pub fn not_embedded(&self, space: &Space, definition: &str, limit: usize) -> Result<Vec<i64>> {
        let sql = "SELECT key FROM document d WHERE NOT EXISTS (SELECT 1 FROM embedded e
             WHERE e.document=d.key AND e.embed=?1 AND e.grp=?2 AND e.definition=?3) ORDER BY key LIMIT ?4";
        self.list(sql, params![space.embed, space.group, definition, limit], |r| r.get(0))
    }

    /// Whether the nodes of a document have all their vectors in a space under this definition.
    pub fn is_embedded(&self, document: i64, space: &Space, definition: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM embedded WHERE document=?1 AND embed=?2 AND grp=?3 AND definition=?4)";
        self.one(sql, params![document, space.embed, space.group, definition], |r| r.get(0)).map_err(sqlite)
    }

    /// How many documents [`Catalog::not_embedded`] would list without a limit.
    pub fn count_not_embedded(&self, space: &Space, definition: &str) -> Result<u64> {
        let sql = "SELECT (SELECT count(*) FROM document) - (SELECT count(*) FROM embedded
             WHERE embed=?1 AND grp=?2 AND definition=?3)";
        self.one(sql, params![space.embed, space.group, definition], |r| r.get(0)).map_err(sqlite)
    }

    /// Tells one state of a space from every other: keys are never given twice, so the number of vectors
    /// and the last key say it all.
    pub fn space_state(&self, space: &Space) -> Result<u64> {
        let sql = "SELECT count(*), coalesce(max(key), 0) FROM vector WHERE embed=?1 AND grp=?2";
        let (count, last): (u64, u64) = self
            .one(sql, params![space.embed, space.group], |r| Ok((r.get(0)?, r.get(1)?)))
            .map_err(sqlite)?;
        Ok(last << 28 | count)
    }

    /// The keys of the vectors of a space, in order.
    pub fn vector_keys(&self, space: &Space) -> Result<Vec<u64>> {
        let sql = "SELECT key FROM vector WHERE embed=?1 AND grp=?2 ORDER BY key";
        self.list(sql, params![space.embed, space.group], |r| r.get(0))
    }

    /// The keys of the vectors of a space that belong to documents that may be found.
    pub fn vector_keys_of(&self, space: &Space, allow: &dyn Fn(i64) -> bool) -> Result<Vec<u64>> {
        let sql = "SELECT key, document FROM vector WHERE embed=?1 AND grp=?2";
        let all: Vec<(u64, i64)> =
            self.list(sql, params![space.embed, space.group], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(all.into_iter().filter(|(_, document)| allow(*document)).map(|(key, _)| key).collect())
    }

    /// The vectors with these keys; one that is gone is left out.
    pub fn vectors(&self, keys: &[u64]) -> Result<Vec<(u64, Vec<f32>)>> {
        let sql = "SELECT e.data FROM vector v JOIN embedding e ON e.model=v.model AND e.hash=v.hash WHERE v.key=?1";
        let mut found = Vec::with_capacity(keys.len());
        for &key in keys {
            let data: Option<Vec<u8>> = self.one(sql, [key], |r| r.get(0)).optional().map_err(sqlite)?;
            found.extend(data.map(|d| (key, unpack(&d))));
        }
        Ok(found)
    }

    /// What the vector with this key belongs to.
    pub fn vector_owner(&self, key: u64) -> Result<Option<Owner>> {
        let sql = "SELECT document, owner, part, hash, cell FROM vector WHERE key=?1";
        self.one(sql, [key], owner).optional().map_err(sqlite)
    }

    /// The documents these vectors belong to, each once.
    pub fn documents_of_vectors(&self, keys: &[u64]) -> Result<Vec<i64>> {
        let mut documents = Vec::new();
        for &key in keys {
            documents.extend(self.vector_owner(key)?.map(|o| o.document));
        }
        documents.sort_unstable();
        documents.dedup();
        Ok(documents)
    }

    /// The keys and pieces of a document's vectors in a space.
    pub fn pieces_of(&self, space: &Space, document: i64) -> Result<Vec<(u64, Piece)>> {
        let sql = "SELECT document, owner, part, hash, cell, key FROM vector
             WHERE embed=?1 AND grp=?2 AND document=?3 ORDER BY key";
        self.list(sql, params![space.embed, space.group, document], |r| Ok((r.get("key")?, owner(r)?.piece)))
    }

    /// The keys and pieces of the vectors of one node of a document.
    pub fn pieces_of_node(&self, space: &Space, document: i64, node: i64) -> Result<Vec<(u64, Piece)>> {
        let sql = "SELECT document, owner, part, hash, cell, key FROM vector
             WHERE embed=?1 AND grp=?2 AND document=?3 AND owner=?4 ORDER BY key";
        let values = params![space.embed, space.group, document, node];
        self.list(sql, values, |r| Ok((r.get("key")?, owner(r)?.piece)))
    }

    /// The model that made the vectors of a space, and their length. While a space is made anew with
    /// another model, it is the one of its last vector.
    pub fn space_model(&self, space: &Space) -> Result<Option<(String, usize)>> {
        let sql = "SELECT v.model, coalesce(length(e.data) / 2, s.dim) FROM vector v
             LEFT JOIN embedding e ON e.model=v.model AND e.hash=v.hash
             LEFT JOIN space s ON s.embed=v.embed AND s.grp=v.grp AND s.model=v.model
             WHERE v.key = (SELECT max(key) FROM vector WHERE embed=?1 AND grp=?2)
             AND coalesce(length(e.data), s.dim) IS NOT NULL";
        self.one(sql, params![space.embed, space.group], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()
            .map_err(sqlite)
    }

    /// The spaces that have vectors, and how many.
    pub fn spaces(&self) -> Result<Vec<(Space, u64)>> {
        self.list("SELECT embed, grp, count(*) FROM vector GROUP BY embed, grp", [], |r| {
            Ok((Space { embed: r.get(0)?, group: r.get(1)? }, r.get(2)?))
        })
    }
}

impl Change<'_> {
    /// Keeps the vector of a text under a model.
    pub fn put_embedding(&self, model: &str, hash: &Hash, vector: &[f32]) -> Result<()> {
        let sql = "INSERT OR IGNORE INTO embedding(model, hash, data) VALUES(?1,?2,?3)";
        self.run(sql, params![model, hash.as_slice(), pack(vector)])
    }

    /// Puts the pieces of a document in a space in the place of those it had, and marks it done.
    /// The keys the pieces were given are returned in their order.
    pub fn put_pieces(
        &self,
        space: &Space,
        document: i64,
        model: &str,
        definition: &str,
        pieces: &[Piece],
    ) -> Result<Vec<u64>> {
        let (embed, group) = (&space.embed, &space.group);
        self.run(
            "DELETE FROM vector WHERE embed=?1 AND grp=?2 AND document=?3",
            params![embed, group, document],
        )?;
        let sql = "INSERT INTO vector(key, document, embed, grp, owner, part, model, hash, cell)
             VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)";
        let mut keys = Vec::with_capacity(pieces.len());
        for p in pieces {
            let cell = p.cell.as_ref().map(serde_json::to_string).transpose()?;
            let (key, hash) = (self.new_key()?, p.hash.as_slice());
            self.run(sql, params![key, document, embed, group, p.owner, p.part, model, hash, cell])?;
            keys.push(self.last_key() as u64);
        }
        let sql = "INSERT OR REPLACE INTO embedded(document, embed, grp, definition) VALUES(?1,?2,?3,?4)";
        self.run(sql, params![document, embed, group, definition])?;
        Ok(keys)
    }

    /// Forgets the vectors of a space; the texts' own vectors stay known.
    pub fn clear_space(&self, space: &Space) -> Result<()> {
        self.run("DELETE FROM vector WHERE embed=?1 AND grp=?2", params![space.embed, space.group])?;
        self.run("DELETE FROM embedded WHERE embed=?1 AND grp=?2", params![space.embed, space.group])
    }
}

fn owner(r: &Row<'_>) -> rusqlite::Result<Owner> {
    let hash: Vec<u8> = r.get("hash")?;
    let cell: Option<String> = r.get("cell")?;
    let piece = Piece {
        owner: r.get("owner")?,
        part: r.get("part")?,
        hash: hash.try_into().unwrap_or_default(),
        cell: cell.and_then(|c| serde_json::from_str(&c).ok()),
    };
    Ok(Owner { document: r.get("document")?, piece })
}

/// A vector as it comes back when it has been kept.
pub fn rounded(vector: &[f32]) -> Vec<f32> {
    vector.iter().map(|x| f16::from_f32(*x).to_f32()).collect()
}

fn pack(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()).collect()
}

fn unpack(data: &[u8]) -> Vec<f32> {
    data.chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Entry;

    fn space() -> Space {
        Space { embed: "en".into(), group: "table".into() }
    }

    fn piece(text: &str) -> Piece {
        Piece { owner: 1, part: 0, hash: hash(text), cell: None }
    }

    #[test]
    fn vectors_outlive_their_document_but_pieces_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let mut catalog = Catalog::open(dir.path(), true).unwrap();
        let mut change = catalog.change().unwrap();
        let entry = Entry { id: "a".into(), ..Entry::default() };
        let document = change.put(&entry).unwrap().document;
        change.put_embedding("m", &hash("oslo"), &[0.5, -0.25]).unwrap();
        let keys = change.put_pieces(&space(), document, "m", "d", &[piece("oslo")]).unwrap();
        change.commit().unwrap();
        assert_eq!(catalog.vectors(&keys).unwrap(), [(keys[0], vec![0.5, -0.25])]);
        assert_eq!(catalog.vector_owner(keys[0]).unwrap().unwrap().document, document);
        assert!(catalog.not_embedded(&space(), "d", 9).unwrap().is_empty());
        assert_eq!(catalog.not_embedded(&space(), "other", 9).unwrap(), [document]);

        let mut change = catalog.change().unwrap();
        change.put(&entry).unwrap();
        change.commit().unwrap();
        assert!(catalog.vector_keys(&space()).unwrap().is_empty());
        assert_eq!(catalog.count_not_embedded(&space(), "d").unwrap(), 1);
        assert_eq!(catalog.embedding("m", &hash("oslo")).unwrap(), Some(vec![0.5, -0.25]));
    }
}

//! The tables of a library as relations that programs can name.

use tabletalk_core::Result;
use tabletalk_sql::{Relation, Relations, Source};
use tabletalk_store::{Data, Library, StoredTable, data};

/// The relations of a library, or some of them.
pub struct Tables<'a> {
    library: &'a Library,
    only: Option<Vec<String>>,
}

impl<'a> Tables<'a> {
    /// All tables of a library.
    pub fn all(library: &'a Library) -> Self {
        Tables { library, only: None }
    }

    /// Only the tables of these names.
    pub fn only(library: &'a Library, names: Vec<String>) -> Self {
        Tables { library, only: Some(names) }
    }
}

/// A stored table as a relation.
pub fn relation(library: &Library, stored: StoredTable) -> Result<Relation> {
    if let Some(home) = stored.table.home {
        let (rows, columns) = (home.rows, stored.table.columns);
        let source = Source::Home(library.database(&home.address)?, home);
        return Ok(Relation { name: stored.name, columns, rows, source });
    }
    let source = match stored.data {
        Data::File(file) => Source::Parquet(file.here()?.to_owned()),
        inline => Source::Memory(data::open(&stored.table.columns, &inline, None)?.collect::<Result<_>>()?),
    };
    Ok(Relation { name: stored.name, columns: stored.table.columns, rows: stored.rows, source })
}

impl Relations for Tables<'_> {
    fn relation(&self, name: &str) -> Result<Option<Relation>> {
        if self.only.as_ref().is_some_and(|only| !only.iter().any(|n| n == name)) {
            return Ok(None);
        }
        let stored = self.library.catalog()?.table_named(name)?;
        stored.map(|stored| relation(self.library, stored)).transpose()
    }

    fn names(&self) -> Result<Vec<String>> {
        match &self.only {
            Some(only) => Ok(only.clone()),
            None => self.library.catalog()?.table_names(),
        }
    }
}

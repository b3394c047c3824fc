//! Which columns name rows of other tables, as it was found and as users say.

use crate::{Library, Result};
use tabletalk_core::Error;
use tabletalk_question::relate::is_key;
use tabletalk_store::{ForeignKey, StoredTable};

impl Library {
    /// The columns that name rows of other tables.
    pub fn foreign_keys(&self) -> Result<Vec<ForeignKey>> {
        self.store.catalog()?.foreign_keys()
    }

    /// Keeps what a user says of a column, as `table.column`: which key it names, or that it names none.
    pub fn relate(&self, column: &str, key: Option<&str>) -> Result<()> {
        let (table, own) = self.column(column)?;
        let to = key.map(|key| self.column(key)).transpose()?;
        if let Some((other, name)) = &to {
            let stored = other.table.columns.iter().find(|c| c.name == *name);
            if !stored.is_some_and(|c| is_key(c, other.rows)) {
                return Err(Error::input(format!(
                    "`{}.{name}` does not tell the rows of `{0}` apart",
                    other.name
                ))
                .hint("a join needs a column whose values are all different on one side"));
            }
            if other.name == table.name {
                return Err(Error::input("a column cannot name rows of its own table"));
            }
        }
        let to = to.as_ref().map(|(other, name)| (other.name.as_str(), name.as_str()));
        self.store.catalog()?.say_foreign_key(&table.name, &own, to)
    }

    /// Forgets what a user said of a column: what was found counts again.
    pub fn unrelate(&self, column: &str) -> Result<()> {
        let (table, own) = self.column(column)?;
        match self.store.catalog()?.unsay_foreign_key(&table.name, &own)? {
            true => Ok(()),
            false => Err(Error::missing(format!("nothing was said of `{column}`"))),
        }
    }

    /// The table and the column of `table.column`; both may have points in their names.
    fn column(&self, written: &str) -> Result<(StoredTable, String)> {
        let catalog = self.store.catalog()?;
        for (at, _) in written.match_indices('.').rev() {
            let (table, column) = (&written[..at], &written[at + 1..]);
            let Some(stored) = catalog.table_named(table)? else { continue };
            let named = stored.table.columns.iter().find(|c| c.name.eq_ignore_ascii_case(column));
            let found = named.map(|c| c.name.clone());
            let missing = || Error::missing(format!("`{table}` has no column `{column}`"));
            return Ok((stored, found.ok_or_else(missing)?));
        }
        Err(Error::input(format!("`{written}` names no column of a table")).hint("write it as table.column"))
    }
}

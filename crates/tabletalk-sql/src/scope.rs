//! The names that can be seen at one place of a statement.

use crate::names::{self, Found};
use tabletalk_core::{Error, Kind, Result};

/// A column that can be named.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Its type, where it is a column of a relation.
    pub(crate) kind: Option<Kind>,
    /// Left out of `*`.
    pub(crate) hidden: bool,
    /// The relation and its column, where it is one.
    pub(crate) origin: Option<(usize, usize)>,
}

impl Field {
    /// A column that a query makes.
    pub(crate) fn made(name: impl Into<String>) -> Self {
        Field { name: name.into(), kind: None, hidden: false, origin: None }
    }
}

/// One entry of a FROM clause.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The name it goes by: its alias, or the name of the relation.
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
}

/// What can be named in one SELECT, and around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope<'a> {
    pub(crate) items: Vec<Item>,
    /// The names that the SELECT itself gives, seen only in GROUP BY, HAVING and ORDER BY.
    pub(crate) made: Vec<Field>,
    pub(crate) outer: Option<&'a Scope<'a>>,
}

/// A column that was found: the entry it is in, where it needs naming, and the column.
pub(crate) type Hit<'a> = (Option<&'a Item>, &'a Field);

impl Scope<'_> {
    /// The column of the relations that `name` means, and only where there is none, the name that the
    /// SELECT gives: what is inside `sum(...)` was there before it was summed.
    pub(crate) fn column_before(&self, name: &str) -> Result<Option<Hit<'_>>> {
        let own = self.items.iter().flat_map(|i| i.fields.iter().map(move |f| (Some(i), f)));
        match pick(name, &own.collect::<Vec<_>>())? {
            Some(hit) => Ok(Some(hit)),
            None => self.column(name),
        }
    }

    /// The column that `name` means.
    pub(crate) fn column(&self, name: &str) -> Result<Option<Hit<'_>>> {
        if let Some(field) = self.made.iter().find(|f| f.name == name) {
            return Ok(Some((None, field)));
        }
        let own = || self.items.iter().flat_map(|i| i.fields.iter().map(move |f| (Some(i), f)));
        let all: Vec<Hit<'_>> = own().chain(self.made.iter().map(|f| (None, f))).collect();
        match pick(name, &all)? {
            Some(hit) => Ok(Some(hit)),
            None => self.outer.map_or(Ok(None), |outer| outer.column(name)),
        }
    }

    /// The entry that `name` means, here or further out.
    pub(crate) fn item(&self, name: &str) -> Option<&Item> {
        match names::find(name, self.items.iter().map(|i| i.name.as_str())) {
            Found::One(i) => self.items.get(i),
            _ => self.outer.and_then(|outer| outer.item(name)),
        }
    }

    /// The error for a column that is not there.
    pub(crate) fn no_column(&self, name: &str) -> Error {
        let mut seen: Vec<&str> = Vec::new();
        let mut from: Vec<&str> = Vec::new();
        let mut scope = Some(self);
        while let Some(s) = scope {
            seen.extend(s.items.iter().flat_map(|i| &i.fields).chain(&s.made).map(|f| f.name.as_str()));
            from.extend(s.items.iter().map(|i| i.name.as_str()));
            scope = s.outer;
        }
        missing_column(name, &from, &seen)
    }
}

/// The error for a column that `items` do not have.
pub(crate) fn missing_column(name: &str, items: &[&str], columns: &[&str]) -> Error {
    const FEW: usize = 12;
    let place = match items {
        [] => String::new(),
        [one] => format!(" in \"{one}\""),
        many => format!(" in any of \"{}\"", many.join("\", \"")),
    };
    let nearest = names::nearest(name, columns.iter().copied());
    let shown: Vec<&str> = columns.iter().copied().filter(|c| !is_extra(c)).collect();
    let listed = (!shown.is_empty() && shown.len() <= FEW).then(|| {
        format!("columns: {}", shown.iter().map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join(", "))
    });
    let hints: Vec<String> = names::did_you_mean(&nearest).into_iter().chain(listed).collect();
    let error = Error::input(format!("no column `{name}`{place}"));
    if hints.is_empty() { error } else { error.hint(hints.join(" ")) }
}

fn is_extra(name: &str) -> bool {
    name.ends_with(crate::relation::TEXT) || name == crate::table::ROW_ID
}

fn pick<'a>(name: &str, all: &[Hit<'a>]) -> Result<Option<Hit<'a>>> {
    match names::find(name, all.iter().map(|(_, f)| f.name.as_str())) {
        Found::One(i) => Ok(all.get(i).copied()),
        Found::None => Ok(None),
        Found::Several(many) => {
            let names: Vec<String> =
                many.iter().filter_map(|i| all.get(*i)).map(|(_, f)| format!("`{}`", f.name)).collect();
            Err(Error::input(format!("column `{name}` could be {}", names.join(" or ")))
                .hint("write one of them in double quotes"))
        }
    }
}

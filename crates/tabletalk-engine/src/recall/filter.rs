//! Which documents may be found.

use serde_json::Value;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::str::FromStr;
use tabletalk_core::{Error, Result, value};
use tabletalk_store::{Library, Record};

/// What a field must be.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// One of these.
    Is(Vec<String>),
    /// At least this.
    From(String),
    /// At most this.
    To(String),
}

/// A condition on a field of the document. All conditions must hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// The field.
    pub field: String,
    /// What it must be.
    pub test: Test,
}

impl FromStr for Filter {
    type Err = Error;

    /// Reads `field=value`, `field=value|value`, `field>=value`, `field<=value`.
    fn from_str(text: &str) -> Result<Self> {
        type Make = fn(&str) -> Test;
        let forms: [(&str, Make); 3] = [
            (">=", |v| Test::From(v.into())),
            ("<=", |v| Test::To(v.into())),
            ("=", |v| Test::Is(v.split('|').map(|v| v.trim().to_owned()).collect())),
        ];
        for (sign, make) in forms {
            if let Some((field, value)) = text.split_once(sign)
                && !field.trim().is_empty()
            {
                return Ok(Filter { field: field.trim().into(), test: make(value.trim()) });
            }
        }
        Err(Error::input(format!("`{text}` is not a filter"))
            .hint("write field=value, field>=value or field<=value"))
    }
}

impl Filter {
    fn passes(&self, record: &Record) -> bool {
        let Some(found) = field(record, &self.field) else { return false };
        match &self.test {
            Test::Is(values) => values.iter().any(|v| compare(&found, v) == Ordering::Equal),
            Test::From(least) => compare(&found, least) != Ordering::Less,
            Test::To(most) => compare(&found, most) != Ordering::Greater,
        }
    }
}

fn field(record: &Record, name: &str) -> Option<String> {
    match name {
        "id" => Some(record.id.clone()),
        "name" => Some(record.name.clone()),
        "source_id" => Some(record.source_id.clone()),
        "title" => Some(record.title.clone()),
        _ => match record.fields.get(name)? {
            Value::String(s) => Some(s.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        },
    }
}

/// As numbers where both are, else as text, whatever the case of the letters.
fn compare(a: &str, b: &str) -> Ordering {
    match (value::number(a), value::number(b)) {
        (Some(a), Some(b)) => a.value.total_cmp(&b.value),
        _ => a.to_lowercase().cmp(&b.to_lowercase()),
    }
}

/// The keys of the documents that pass all filters; `None` when there is no filter.
pub(crate) fn allowed(library: &Library, filters: &[Filter]) -> Result<Option<HashSet<i64>>> {
    if filters.is_empty() {
        return Ok(None);
    }
    if let Some(Filter { test: Test::Is(ids), .. }) = filters.iter().find(|f| f.field == "id") {
        return by_id(library, ids, filters).map(Some);
    }
    let keys = library
        .catalog()?
        .select(|record| !record.source.is_empty() && filters.iter().all(|f| f.passes(record)))?;
    Ok(Some(keys.into_iter().collect()))
}

/// When documents are named, only those are looked at, not the whole catalogue.
fn by_id(library: &Library, ids: &[String], filters: &[Filter]) -> Result<HashSet<i64>> {
    let catalog = library.catalog()?;
    let mut keys = HashSet::new();
    for id in ids {
        let record = catalog.record(id)?.filter(|record| filters.iter().all(|f| f.passes(record)));
        keys.extend(record.map(|record| record.key));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_three_forms() {
        let filter: Filter = "file_type=csv|xlsx".parse().unwrap();
        assert_eq!(filter.test, Test::Is(vec!["csv".into(), "xlsx".into()]));
        let filter: Filter = "year >= 2020".parse().unwrap();
        assert_eq!((filter.field.as_str(), filter.test), ("year", Test::From("2020".into())));
        assert!("nonsense".parse::<Filter>().is_err());
    }

    #[test]
    fn compares_numbers_as_numbers() {
        assert_eq!(compare("9", "10"), Ordering::Less);
        assert_eq!(compare("1,000", "1000"), Ordering::Equal);
        assert_eq!(compare("CSV", "csv"), Ordering::Equal);
    }
}

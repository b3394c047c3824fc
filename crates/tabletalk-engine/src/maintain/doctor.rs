//! Damage: looked for, and mended where what is damaged can be made again.

use super::bring_up_to_date;
use super::finding::Finding;
use crate::group::Groups;
use crate::index::own_indexes;
use crate::watch::Watch;
use std::collections::HashSet;
use tabletalk_core::Result;
use tabletalk_store::{Data, Library, data};

/// Tables looked at in one go.
const PAGE: usize = 256;

/// Looks for damage; mends what can be made again when `repair` is set.
pub fn doctor(library: &Library, groups: &Groups, repair: bool, watch: &dyn Watch) -> Result<Vec<Finding>> {
    let _guard = library.lock()?;
    let mut findings = Vec::new();
    let find = |part: &str, problem: String, repaired| Finding { part: part.into(), problem, repaired };
    for problem in library.catalog()?.integrity()? {
        findings.push(find("catalogue", problem, false));
    }
    for name in library.catalog()?.unreadable()? {
        let problem = "is damaged: `tabletalk forget` it and add it again".into();
        findings.push(find(&format!("document {name}"), problem, false));
    }
    findings.extend(check_files(library, repair)?);
    findings.extend(check_tables(library, repair, watch)?);
    let generation = library.catalog()?.generation()?;
    for group in own_indexes(library, groups).into_iter().filter(|_| generation > 0) {
        let name = &group.name;
        watch.note(&format!("checking the index of {name}"));
        let damage = library.keyword().damage(name).or_else(|| behind(library, name, generation));
        if let Some(problem) = damage {
            if repair {
                library.keyword().drop_group(name)?;
            }
            findings.push(find(&format!("index {name}"), problem, repair));
        }
    }
    if repair {
        bring_up_to_date(library, groups, watch)?;
    }
    Ok(findings)
}

fn behind(library: &Library, name: &str, generation: i64) -> Option<String> {
    match library.keyword().generation(name) {
        Ok(Some(seen)) if seen == generation => None,
        Ok(seen) => Some(format!("has seen change {} of {generation}", seen.unwrap_or(0))),
        Err(e) => Some(e.to_string()),
    }
}

/// Files of tables that nobody speaks of.
fn check_files(library: &Library, repair: bool) -> Result<Vec<Finding>> {
    let known: HashSet<String> = library.catalog()?.files()?.into_iter().collect();
    let mut findings = Vec::new();
    for name in library.files().settled()? {
        if known.contains(&name) {
            continue;
        }
        let repaired = repair && library.files().remove(&name).is_ok();
        findings.push(Finding {
            part: format!("tables/{name}"),
            problem: "belongs to no table".into(),
            repaired,
        });
    }
    Ok(findings)
}

/// Tables whose rows cannot be read, or are not as many as they should be.
/// When they are to be mended, their files are forgotten, so that adding them again reads them again.
fn check_tables(library: &Library, repair: bool, watch: &dyn Watch) -> Result<Vec<Finding>> {
    let mut catalog = library.catalog()?;
    let mut findings = Vec::new();
    let mut after = 0;
    loop {
        let tables = catalog.tables(after, PAGE)?;
        let Some(last) = tables.last() else { return Ok(findings) };
        after = last.key;
        for stored in &tables {
            if let Data::File(_) = stored.data {
                watch.note(&format!("checking {}", stored.name));
            }
            let problem = match count_rows(stored) {
                Ok(rows) if rows == stored.rows => continue,
                Ok(rows) => format!("has {rows} rows, should have {}", stored.rows),
                Err(e) => format!("{e}; add {} again", stored.file),
            };
            if repair {
                let change = catalog.change()?;
                change.forget_source_of(tabletalk_core::node::document_of(&stored.id))?;
                change.commit()?;
            }
            findings.push(Finding { part: format!("table {}", stored.name), problem, repaired: false });
        }
    }
}

fn count_rows(stored: &tabletalk_store::StoredTable) -> Result<u64> {
    let mut rows = 0;
    for batch in data::open(&stored.table.columns, &stored.data, Some(&[]))? {
        rows += batch?.len() as u64;
    }
    Ok(rows)
}

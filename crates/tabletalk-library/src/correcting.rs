//! What users say of tables that were understood otherwise: kept, applied whenever the document is read, and undone.

use crate::ocr;
use crate::{AddOptions, Library, Outcome, Result, Watch};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::Path;
use tabletalk_core::correct::Correction;
use tabletalk_core::document::Block;
use tabletalk_core::seam::Source;
use tabletalk_core::table::Rows;
use tabletalk_core::{Batch, Document, Error, Table};
use tabletalk_engine::ingest::{Item, document_id};
use tabletalk_read::correct::apply;
use tabletalk_store::{Catalog, StoredTable};

/// The corrections there are, by the id of the document.
#[derive(Default)]
pub(crate) struct Corrections(HashMap<String, Vec<(u32, Correction)>>);

impl Corrections {
    pub(crate) fn load(catalog: &Catalog) -> Result<Corrections> {
        let one = |id: String| catalog.corrections(&id).map(|list| (id, list));
        catalog.corrected()?.into_iter().map(one).collect::<Result<_>>().map(Corrections)
    }

    /// Makes a file that was corrected differ from what it was, so that it is read again.
    pub(crate) fn mark(&self, catalog: &Catalog, item: &mut Item) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let path = item.path.to_string_lossy();
        let mut ids = vec![document_id(&path, "")];
        ids.extend(catalog.records_of(&path)?.into_iter().map(|r| r.id));
        ids.dedup();
        for list in ids.iter().filter_map(|id| self.0.get(id)) {
            item.given.push_str(&serde_json::to_string(list)?);
        }
        Ok(())
    }

    /// Applies what is known of a document. A correction that does not fit any more is told of and left.
    pub(crate) fn apply(&self, path: &Path, document: &mut Document) {
        let id = document_id(&path.to_string_lossy(), &document.source_id);
        let Some(list) = self.0.get(&id) else { return };
        let tables = document.blocks.iter_mut().filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        });
        for (number, table) in (1..).zip(tables) {
            let Some((_, correction)) = list.iter().find(|(n, _)| *n == number) else { continue };
            let done = correction.check(table).and_then(|()| apply(correction, std::mem::take(table)));
            match done {
                Ok(corrected) => *table = corrected,
                Err(e) => document.warnings.push(format!("table {number} is not corrected: {e}")),
            }
        }
    }
}

impl Library {
    /// What a user said of a table.
    pub fn correction(&self, stored: &StoredTable) -> Result<Option<Correction>> {
        let (document, number) = address(stored)?;
        self.store.catalog()?.correction(document, number)
    }

    /// How a table would be understood with a correction: its columns and first rows. Nothing is kept.
    pub fn preview(&self, stored: &StoredTable, correction: &Correction) -> Result<Value> {
        let (id, number) = address(stored)?;
        let record = self.store.catalog()?.record(id)?.ok_or_else(|| crate::no_document(id))?;
        let path = self.source_path(&record).ok_or_else(|| {
            Error::missing(format!("`{}` is not at {} any more", record.name, record.source))
        })?;
        let pictures = ocr::Reader::new(&self.config);
        let source = Source::new(&path, &record.name, &self.config.limits);
        for document in tabletalk_read::read(&pictures.lend(&source))? {
            let document = document?;
            if document_id(&path.to_string_lossy(), &document.source_id) != id {
                continue;
            }
            let tables = document.blocks.into_iter().filter_map(|block| match block {
                Block::Table(table) => Some(table),
                _ => None,
            });
            let table = tables.into_iter().nth(number.saturating_sub(1) as usize);
            return shown(apply(correction, table.ok_or_else(|| Error::missing("the table went"))?)?);
        }
        Err(Error::missing("the document went"))
    }

    /// Keeps what a user says of a table and reads its document again; an empty correction undoes an earlier one.
    pub fn correct(
        &self,
        stored: &StoredTable,
        correction: &Correction,
        watch: &dyn Watch,
    ) -> Result<Outcome> {
        let (document, number) = address(stored)?;
        let mut catalog = self.store.catalog()?;
        let record = catalog.record(document)?.ok_or_else(|| crate::no_document(document))?;
        let path = self.source_path(&record).ok_or_else(|| {
            Error::missing(format!("`{}` is not at {} any more", record.name, record.source))
                .hint("a table is corrected by reading its file again")
        })?;
        let before = catalog.correction(document, number)?.unwrap_or_default();
        catalog.put_correction(document, number, correction)?;
        drop(catalog);
        let options = AddOptions {
            fields: self.given_fields(&record.fields),
            named: Some(record.name),
            ..AddOptions::default()
        };
        let outcome = self.add(&[path], &options, watch);
        let failed = match &outcome {
            Ok(done) => done.documents.iter().any(|d| d.error.is_some()),
            Err(_) => true,
        };
        if failed {
            self.store.catalog()?.put_correction(document, number, &before)?;
        }
        outcome
    }
}

impl Library {
    /// The fields of a document that the user gave it, as `name=value`.
    fn given_fields(&self, fields: &Map<String, Value>) -> Vec<String> {
        let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
        let given = self.config.doc_fields.iter().filter_map(|f| Some((&f.name, fields.get(&f.name)?)));
        given.map(|(name, value)| format!("{name}={}", text(value))).collect()
    }
}

/// Rows of a preview: as many as a screen shows, and some to scroll.
const PREVIEW: usize = 60;

fn shown(mut table: Table) -> Result<Value> {
    let mut rows = Vec::new();
    let mut take = |batch: &Batch| {
        for i in 0..batch.len().min(PREVIEW.saturating_sub(rows.len())) {
            let cells: Vec<_> = batch.columns.iter().map(|c| c.text(i)).collect();
            rows.push(json!({"row": batch.rows.get(i), "mark": batch.mark(i), "cells": cells}));
        }
        rows.len() < PREVIEW
    };
    match std::mem::take(&mut table.rows) {
        Rows::Memory(batches) => {
            let _ = batches.iter().all(&mut take);
        }
        Rows::Stream(mut stream) => {
            while let Some(batch) = stream.next_batch()? {
                if !take(&batch) {
                    break;
                }
            }
        }
    }
    Ok(
        json!({"title": table.title(), "columns": table.columns, "header_rows": table.header_rows, "rows": rows}),
    )
}

/// The id of a table's document and its number in it.
fn address(stored: &StoredTable) -> Result<(&str, u32)> {
    let wrong = || Error::bug(format!("the id `{}` is not that of a table", stored.id));
    let (document, number) = stored.id.rsplit_once("/t").ok_or_else(wrong)?;
    Ok((document, number.parse().map_err(|_| wrong())?))
}

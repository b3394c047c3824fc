//! Reads PPTX.

mod shape;
mod slide;
mod table;
#[cfg(test)]
mod tests;
mod text;

use super::draft::{Draft, Info};
use super::package::{Package, Relation};
use super::xml::Node;
use shape::Look;
use std::collections::HashMap;
use std::rc::Rc;
use tabletalk_core::seam::Source;
use tabletalk_core::{Document, Error, Result};

/// Reads the presentation in an archive.
pub(super) fn document<'a>(package: &Package<'a>, source: &Source<'a>) -> Result<Document> {
    let main = package.main_part()?.unwrap_or_else(|| "ppt/presentation.xml".into());
    let root = package.main(&main, "the presentation's main part")?;
    let relations = package.relations(&main)?;
    let slides = slides(&root, &relations);
    let authors = authors(package, &relations)?;
    let mut deck = Deck { package, draft: Draft::new(source), looks: HashMap::new(), authors };
    let (mut read, mut failed) = (0usize, None);
    for (number, part) in (1..).zip(&slides) {
        deck.draft.page = Some(number);
        match package.main(part, "a slide") {
            Ok(root) => {
                read += 1;
                deck.slide(part, &root)?;
            }
            Err(e) if e.fault() == tabletalk_core::Fault::Limit => return Err(e),
            Err(e) => {
                package.warn(format!("slide {number} could not be read: {}", e.message()));
                failed = Some(e);
            }
        }
    }
    if let (0, Some(e)) = (read, failed) {
        return Err(e);
    }
    if slides.is_empty() {
        return Err(Error::input("has no slides"));
    }
    let info = package.part("docProps/core.xml")?.map(|n| Info::of(&n)).unwrap_or_default();
    Ok(deck.draft.finish(&info))
}

/// Who has commented.
fn authors(package: &Package<'_>, relations: &HashMap<String, Relation>) -> Result<HashMap<String, String>> {
    let mut authors = HashMap::new();
    for relation in relations.values().filter(|r| matches!(r.kind.as_str(), "commentAuthors" | "authors")) {
        let Some(root) = package.part(&relation.target)? else { continue };
        let named = root.nodes().filter_map(|n| Some((n.attr("id")?.to_owned(), n.attr("name")?.to_owned())));
        authors.extend(named);
    }
    Ok(authors)
}

/// The parts of the slides in the order they are shown.
fn slides(root: &Node, relations: &HashMap<String, Relation>) -> Vec<String> {
    let ids = root.child("sldIdLst").into_iter().flat_map(|list| list.all("sldId"));
    let parts = ids.filter_map(|id| relations.get(id.relation("id")?)).map(|r| r.target.clone());
    let listed: Vec<String> = parts.collect();
    if !listed.is_empty() {
        return listed;
    }
    let mut loose: Vec<String> =
        relations.values().filter(|r| r.kind == "slide").map(|r| r.target.clone()).collect();
    loose.sort_by_key(|part| (part.len(), part.clone()));
    loose
}

/// A presentation that is being read.
struct Deck<'p, 'a> {
    package: &'p Package<'a>,
    draft: Draft<'a>,
    /// The layouts of slides by their parts.
    looks: HashMap<String, Rc<Look>>,
    /// Who has commented, by their ids.
    authors: HashMap<String, String>,
}

impl Deck<'_, '_> {
    /// The layout of a slide and the master behind it.
    fn look(&mut self, relations: &HashMap<String, Relation>) -> Result<Rc<Look>> {
        let Some(layout) = relations.values().find(|r| r.kind == "slideLayout") else {
            return Ok(Rc::default());
        };
        if let Some(known) = self.looks.get(&layout.target) {
            return Ok(known.clone());
        }
        let behind = self.package.relations(&layout.target)?;
        let master = match behind.values().find(|r| r.kind == "slideMaster") {
            Some(master) => self.package.part(&master.target)?,
            None => None,
        };
        let look = Rc::new(Look { layout: self.package.part(&layout.target)?, master });
        self.looks.insert(layout.target.clone(), look.clone());
        Ok(look)
    }
}

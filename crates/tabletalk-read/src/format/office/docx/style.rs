//! The styles of a document: which paragraphs are headings, captions, items of lists.

use crate::format::office::xml::Node;
use std::collections::HashMap;

/// Styles that are based on each other in a circle end here.
const MAX_CHAIN: usize = 20;

/// What a paragraph is by its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format::office) enum Role {
    Heading(u8),
    Caption,
    Item(u8),
    Plain,
}

/// The styles by their ids.
#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

#[derive(Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    number: Option<String>,
    level: Option<u8>,
    hidden: Option<bool>,
    /// Whether a table style gives its first row a look of its own.
    first_row: bool,
}

impl Styles {
    pub(super) fn of(root: &Node) -> Self {
        let styles = root.all("style").filter_map(|n| Some((n.attr("styleId")?.to_owned(), Style::of(n))));
        Styles(styles.collect())
    }
    /// A style and those it is based on.
    fn chain<'s>(&'s self, id: &str) -> impl Iterator<Item = &'s Style> {
        let mut next = self.0.get(id);
        let step = move || {
            let style = next?;
            next = style.based_on.as_ref().and_then(|id| self.0.get(id));
            Some(style)
        };
        std::iter::from_fn(step).take(MAX_CHAIN)
    }
    /// What a paragraph is, by what it says itself and by its style.
    pub(super) fn role(&self, id: &str, properties: Option<&Node>) -> Role {
        let own = properties.and_then(|p| p.value("outlineLvl")).and_then(|v| v.trim().parse::<u8>().ok());
        let own = own.or_else(|| self.chain(id).find_map(|s| s.outline));
        if let Some(level) = own.filter(|l| *l < 9) {
            return Role::Heading(level + 1);
        }
        let named = self.chain(id).map(|s| role_of(&s.name)).find(|r| *r != Role::Plain);
        match named.unwrap_or_else(|| role_of(id)) {
            // Level 9 says that this is no heading, whatever its style is based on.
            Role::Heading(_) if own.is_some() => Role::Plain,
            role => role,
        }
    }
    /// The list a style belongs to, and the level where it says so.
    pub(super) fn number(&self, id: &str) -> Option<(String, Option<u8>)> {
        let number = self.chain(id).find_map(|s| s.number.clone())?;
        Some((number, self.chain(id).find_map(|s| s.level)))
    }
    /// Whether text of a style is hidden.
    pub(super) fn is_hidden(&self, id: &str) -> bool {
        self.chain(id).find_map(|s| s.hidden).unwrap_or(false)
    }
    /// Whether tables of a style show their first row as a header.
    pub(super) fn has_first_row(&self, id: &str) -> bool {
        self.chain(id).any(|s| s.first_row)
    }
}

impl Style {
    fn of(node: &Node) -> Style {
        let paragraph = node.child("pPr");
        let number = paragraph.and_then(|p| p.child("numPr"));
        Style {
            name: node.value("name").unwrap_or_default().to_owned(),
            based_on: node.value("basedOn").map(str::to_owned),
            outline: paragraph.and_then(|p| p.value("outlineLvl")).and_then(|v| v.trim().parse().ok()),
            number: number.and_then(|n| n.value("numId")).map(str::to_owned),
            level: number.and_then(|n| n.value("ilvl")).and_then(|v| v.parse().ok()),
            hidden: node.child("rPr").and_then(|p| p.switch("vanish")),
            first_row: node.all("tblStylePr").any(|n| n.attr("type") == Some("firstRow")),
        }
    }
}

/// Names of headings in the languages of word processors; a number follows.
const HEADINGS: &[&str] = &[
    "heading",
    "überschrift",
    "berschrift",
    "titre",
    "título",
    "titulo",
    "titolo",
    "kop",
    "rubrik",
    "overskrift",
    "nagłówek",
    "nagwek",
    "заголовок",
    "otsikko",
    "nadpis",
    "başlık",
    "标题",
    "標題",
    "見出し",
    "제목",
];
const TITLES: &[&str] =
    &["title", "titel", "标题", "標題", "表題", "제목", "название", "titolo", "título", "titre"];
const CAPTIONS: &[&str] = &[
    "caption",
    "beschriftung",
    "légende",
    "lgende",
    "leyenda",
    "epígrafe",
    "didascalia",
    "legenda",
    "bijschrift",
    "题注",
    "題注",
    "図表番号",
    "캡션",
    "название объекта",
    "table caption",
    "tablecaption",
    "caption table",
];
const ITEMS: &[&str] =
    &["list bullet", "list number", "list continue", "listbullet", "listnumber", "aufzählung"];

/// What the name of a style says.
pub(in crate::format::office) fn role_of(name: &str) -> Role {
    let name = name.trim().to_lowercase();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let number: Option<u8> = name.get(stem.len()..).and_then(|n| n.trim().parse().ok());
    if let Some(level) = number.filter(|n| (1..=9).contains(n) && HEADINGS.contains(&stem)) {
        return Role::Heading(level);
    }
    if number.is_none() && TITLES.contains(&stem) {
        return Role::Heading(1);
    }
    if CAPTIONS.contains(&name.as_str()) {
        return Role::Caption;
    }
    if ITEMS.contains(&stem) {
        return Role::Item(number.unwrap_or(1).clamp(1, 9));
    }
    Role::Plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::office::xml;

    #[test]
    fn knows_styles_by_level_name_and_what_they_are_based_on() {
        let xml = "<styles><style styleId='a'><name val='heading 2'/><pPr><outlineLvl val='1'/></pPr></style>
            <style styleId='b'><name val='Mine'/><basedOn val='a'/></style>
            <style styleId='c'><name val='TOC Heading'/><basedOn val='a'/><pPr><outlineLvl val='9'/></pPr></style>
            <style styleId='x'><basedOn val='y'/></style><style styleId='y'><basedOn val='x'/></style></styles>";
        let styles = Styles::of(&xml::parse(xml.as_bytes()).unwrap().root);
        assert_eq!(styles.role("b", None), Role::Heading(2));
        assert_eq!(styles.role("c", None), Role::Plain);
        assert_eq!(styles.role("x", None), Role::Plain);
        assert_eq!(styles.role("Heading3", None), Role::Heading(3));
    }

    #[test]
    fn knows_names_in_other_languages() {
        assert_eq!(role_of("Überschrift 3"), Role::Heading(3));
        assert_eq!(role_of("标题 2"), Role::Heading(2));
        assert_eq!((role_of("标题"), role_of("Title")), (Role::Heading(1), Role::Heading(1)));
        assert_eq!(role_of("题注"), Role::Caption);
        assert_eq!(role_of("List Bullet 2"), Role::Item(2));
        assert_eq!(role_of("Normal"), Role::Plain);
    }
}

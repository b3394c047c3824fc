//! A part of an office document as a tree.
//!
//! Names are local ones: the transitional and the strict form of a format differ in their namespaces only.
//! Entities that a document declares are never expanded, nothing outside the part is ever opened, and what
//! is nested too deep is flattened, so that no part can take more memory than its own size asks for.

use crate::source;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::collections::HashSet;
use std::rc::Rc;

/// How deep elements may be nested; deeper ones become children of the last that may.
const MAX_DEPTH: usize = 256;
/// More attributes than this on one element are dropped.
const MAX_ATTRIBUTES: usize = 256;

/// An element.
#[derive(Debug, Default)]
pub(super) struct Node {
    name: Rc<str>,
    attributes: Vec<(Rc<str>, Box<str>)>,
    children: Vec<Child>,
}

/// What stands in an element.
#[derive(Debug)]
pub(super) enum Child {
    /// Another element.
    Node(Node),
    /// Text.
    Text(Box<str>),
}

/// A part that was read, and what was wrong with it.
pub(super) struct Part {
    /// The outermost element.
    pub(super) root: Node,
    /// Why the part ends early.
    pub(super) damage: Option<String>,
}

/// Reads a part; `None` when there is not one element in it.
pub(super) fn parse(bytes: &[u8]) -> Option<Part> {
    let text = source::decode(bytes, declared(bytes).as_deref());
    Builder::default().build(&text)
}

/// The encoding that the first line declares.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(200))?).into_owned();
    let after = head.strip_prefix("<?xml")?.split("?>").next()?.split("encoding=").nth(1)?;
    let name = after.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?;
    Some(name.to_owned())
}

#[derive(Default)]
struct Builder {
    names: HashSet<Rc<str>>,
    open: Vec<Node>,
    /// How many elements are open below the deepest that is kept.
    below: usize,
    text: String,
    root: Option<Node>,
}

impl Builder {
    fn build(mut self, text: &str) -> Option<Part> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let damage = loop {
            match reader.read_event() {
                Ok(Event::Eof) => {
                    break (!self.open.is_empty()).then(|| "its XML ends too early".to_owned());
                }
                Ok(event) => self.take(event),
                Err(e) => break Some(format!("its XML is broken: {e}")),
            }
        };
        while !self.open.is_empty() {
            self.below = 0;
            self.close();
        }
        Some(Part { root: self.root?, damage })
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::Empty(tag) => {
                self.start(&tag);
                self.close();
            }
            Event::End(_) => self.close(),
            Event::Text(text) => self.text.push_str(&text.xml10_content()),
            Event::CData(text) => self.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => self.reference(&reference),
            _ => {}
        }
    }

    fn name(&mut self, name: &str) -> Rc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let name: Rc<str> = name.into();
        self.names.insert(name.clone());
        name
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        self.flush();
        let name = tag.name();
        let name = self.name(local(name.as_ref()));
        let mut node = Node { name, ..Node::default() };
        for attribute in tag.attributes().with_checks(false).flatten().take(MAX_ATTRIBUTES) {
            let key = attribute.key;
            let key: &str = key.as_ref();
            // What only tells editing sessions apart is half of the attributes of some documents.
            if key.starts_with("xmlns") || local(key).starts_with("rsid") {
                continue;
            }
            let raw: &str = attribute.value.as_ref();
            let value = unescape(raw).map_or_else(|_| raw.into(), |value| value.as_ref().into());
            node.attributes.push((self.name(key), value));
        }
        if self.open.len() < MAX_DEPTH {
            self.open.push(node);
            return;
        }
        // The element itself stands beside its parent's other children; its text goes to the parent.
        self.below += 1;
        if let Some(parent) = self.open.last_mut() {
            parent.children.push(Child::Node(node));
        }
    }

    fn close(&mut self) {
        self.flush();
        if self.below > 0 {
            self.below -= 1;
            return;
        }
        let Some(mut node) = self.open.pop() else { return };
        // Most elements have one child, and room for four takes most of the memory.
        node.children.shrink_to_fit();
        node.attributes.shrink_to_fit();
        match self.open.last_mut() {
            Some(parent) => parent.children.push(Child::Node(node)),
            None if self.root.is_none() => self.root = Some(node),
            None => {}
        }
    }

    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.text).into_boxed_str();
        let Some(parent) = self.open.last_mut() else { return };
        match parent.children.last_mut() {
            Some(Child::Node(deep)) if self.below > 0 => deep.children.push(Child::Text(text)),
            _ => parent.children.push(Child::Text(text)),
        }
    }

    /// Only characters and the five names that XML itself has; what a document declares is left out.
    fn reference(&mut self, reference: &BytesRef<'_>) {
        if let Ok(Some(c)) = reference.resolve_char_ref() {
            self.text.push(c);
            return;
        }
        match reference.xml10_content().as_ref() {
            "amp" => self.text.push('&'),
            "lt" => self.text.push('<'),
            "gt" => self.text.push('>'),
            "quot" => self.text.push('"'),
            "apos" => self.text.push('\''),
            "nbsp" => self.text.push('\u{a0}'),
            _ => {}
        }
    }
}

/// Of content that is written in several ways, the first.
pub(super) fn chosen(node: &Node) -> Option<&Node> {
    node.child("Choice").or_else(|| node.child("Fallback"))
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl Node {
    /// The name without its prefix.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
    /// Whether it is called so.
    pub(super) fn is(&self, name: &str) -> bool {
        &*self.name == name
    }
    /// An attribute by its name without prefix; one that is written without a prefix comes first.
    pub(super) fn attr(&self, name: &str) -> Option<&str> {
        let exact = self.attributes.iter().find(|(key, _)| &**key == name);
        let found = exact.or_else(|| self.attributes.iter().find(|(key, _)| local(key) == name))?;
        Some(&found.1)
    }
    /// An attribute that names a relation: one with a prefix, as `r:id` beside `id`.
    pub(super) fn relation(&self, name: &str) -> Option<&str> {
        let prefixed = |key: &str| key.len() > name.len() && local(key) == name;
        self.attributes.iter().find(|(key, _)| prefixed(key)).map(|(_, value)| &**value)
    }
    /// An attribute that is a whole number.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.attr(name)?.trim().parse().ok()
    }
    /// What stands in it.
    pub(super) fn children(&self) -> &[Child] {
        &self.children
    }
    /// The elements in it.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.children.iter().filter_map(|c| if let Child::Node(n) = c { Some(n) } else { None })
    }
    /// The elements in it, taken out.
    pub(super) fn into_nodes(self) -> impl Iterator<Item = Node> {
        self.children.into_iter().filter_map(|c| if let Child::Node(n) = c { Some(n) } else { None })
    }
    /// The elements in it of a name.
    pub(super) fn all(&self, name: &'static str) -> impl Iterator<Item = &Node> {
        self.nodes().filter(move |n| n.is(name))
    }
    /// The first element in it of a name.
    pub(super) fn child(&self, name: &str) -> Option<&Node> {
        self.nodes().find(|n| n.is(name))
    }
    /// The element at the end of a path of names.
    pub(super) fn path(&self, names: &[&str]) -> Option<&Node> {
        names.iter().try_fold(self, |node, name| node.child(name))
    }
    /// All elements inside it at any depth, itself included, in the order they are written.
    pub(super) fn walk(&self) -> impl Iterator<Item = &Node> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let next = stack.pop()?;
            let from = stack.len();
            stack.extend(next.nodes());
            if let Some(added) = stack.get_mut(from..) {
                added.reverse();
            }
            Some(next)
        })
    }
    /// The first element inside it at any depth of a name.
    pub(super) fn find(&self, name: &str) -> Option<&Node> {
        self.walk().find(|n| n.is(name))
    }
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.push_text(&mut out);
        out
    }
    fn push_text(&self, out: &mut String) {
        for child in &self.children {
            match child {
                Child::Text(text) => out.push_str(text),
                Child::Node(node) => node.push_text(out),
            }
        }
    }
    /// Whether a switch is on: it is there and does not say that it is off.
    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        let on = |n: &Node| !matches!(n.attr("val"), Some("0" | "false" | "off" | "none"));
        self.child(name).map(on)
    }
    /// The value of an element in it: `<jc val="x"/>`.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.child(name)?.attr("val")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(xml: &str) -> Node {
        parse(xml.as_bytes()).unwrap().root
    }

    #[test]
    fn reads_elements_attributes_and_references() {
        let root =
            root("<w:a w:id='7' id='8' xmlns:w='x'>x &amp; y&#233;<b:c val='0'/><![CDATA[<z>]]></w:a>");
        assert_eq!((root.name(), root.attr("id"), root.relation("id")), ("a", Some("8"), Some("7")));
        assert_eq!(root.text(), "x & yé<z>");
        assert_eq!(root.switch("c"), Some(false));
    }

    #[test]
    fn never_expands_declared_entities() {
        let root = root("<!DOCTYPE a [<!ENTITY l 'lol'><!ENTITY m '&l;&l;'>]><a b='&m;'>1&m;2</a>");
        assert_eq!((root.text().as_str(), root.attr("b")), ("12", Some("&m;")));
    }

    #[test]
    fn flattens_what_is_nested_too_deep_and_keeps_its_text() {
        let xml = format!("{}deep<b/>est{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
        let root = root(&xml);
        assert_eq!(root.text(), "deepest");
    }

    #[test]
    fn keeps_what_stands_before_the_damage() {
        let part = parse(b"<a><b>one</b><b>two</").unwrap();
        assert_eq!(part.root.text(), "onetwo");
        assert!(part.damage.is_some());
        assert!(parse(b"no markup").is_none());
    }

    #[test]
    fn reads_other_encodings() {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>é</a>";
        let bytes: Vec<u8> =
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&bytes).unwrap().root.text(), "é");
    }
}

//! Reads HTML pages: text, pictures, and tables with their merged cells and captions.

mod flat;
mod list;
mod table;

use crate::flow::{Flow, Lines};
use crate::source;
use crate::source::{Look, is_named};
use html5ever::tendril::TendrilSink;
use list::Lists;
use scraper::{ElementRef, Html as Dom, HtmlTreeSink, Node, node::Element};
use tabletalk_core::seam::{Documents, Limits, Source, Stop};
use tabletalk_core::{Place, Placed, Result};

/// How deep elements may be nested; what is deeper is taken as plain text.
const MAX_DEPTH: usize = 256;
/// How often as much as the whole page may be looked through for texts that do not stand in it as they are shown; those that
/// come after that have no line. A page of prose needs less than one.
const PATIENCE: usize = 64;
/// The parser is given so much at a time, and may be stopped in between.
const PIECE: usize = 64 << 10;

/// Whether a file is named as a page or begins as one.
pub(crate) fn looks(look: Look<'_>) -> bool {
    // A page of Markdown may begin with a table in HTML.
    look.is_named || is_page(look.head) && !is_named(look.name, &["md", "markdown", "mdx", "txt"])
}

/// Reads HTML pages.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    let bytes = source::bytes(source)?;
    let text = source::decode(&bytes, charset(&bytes).as_deref());
    let (mut tables, mut flow) = (0, Flow::default());
    Page::new(&text, source, 0, &mut tables, &mut flow).read()?;
    source::one(flow.finish())
}

/// Pages are also found under other names, above all as `.xls`.
fn is_page(head: &[u8]) -> bool {
    let start = head.trim_ascii_start();
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    let start: Vec<u8> = start.iter().take(16).map(u8::to_ascii_lowercase).collect();
    [&b"<!doctype html"[..], b"<html", b"<table"].iter().any(|s| start.starts_with(s))
}

/// The encoding a page declares in its first bytes.
fn charset(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(4096))?).to_lowercase();
    let after = head.split("charset=").nth(1)?;
    let name: String = after
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .collect();
    (!name.is_empty()).then_some(name)
}

/// A page that is being read.
pub(crate) struct Page<'a> {
    source: &'a str,
    place: Place,
    limits: &'a Limits,
    stop: Stop,
    lines: Lines,
    /// Lines of the file before this text.
    base: u64,
    /// How far texts have been found again in the source.
    cursor: usize,
    /// How many bytes may still be looked through in vain.
    patience: usize,
    tables: &'a mut usize,
    flow: &'a mut Flow,
    text: String,
    lists: Lists,
    /// How many notes are open: what stands in one is one.
    notes: usize,
    /// Whether text is told by its line.
    has_lines: bool,
}

impl<'a> Page<'a> {
    /// `base` lines of the file come before `text`; `tables` counts the tables of the file.
    pub(crate) fn new(
        text: &'a str,
        source: &Source<'a>,
        base: u64,
        tables: &'a mut usize,
        flow: &'a mut Flow,
    ) -> Self {
        let (place, lines) = (Place::file(source.name), Lines::of(text));
        Page {
            source: text,
            place,
            limits: source.limits,
            stop: source.stop.clone(),
            lines,
            base,
            cursor: 0,
            patience: text.len().saturating_mul(PATIENCE).saturating_add(1 << 20),
            tables,
            flow,
            text: String::new(),
            lists: Lists::default(),
            notes: 0,
            has_lines: true,
        }
    }

    /// A page of a book: it is told by its number, not by its lines.
    pub(crate) fn numbered(mut self, page: u32) -> Self {
        self.place.page = Some(page);
        self.has_lines = false;
        self
    }

    /// Reads it into the flow.
    pub(crate) fn read(mut self) -> Result<()> {
        let dom = parse(&flat::flat(self.source), &self.stop)?;
        self.walk(dom.root_element(), 0)?;
        self.flush();
        Ok(())
    }

    fn walk(&mut self, element: ElementRef<'_>, depth: usize) -> Result<()> {
        for child in element.children() {
            match child.value() {
                Node::Text(text) => self.text.push_str(text),
                Node::Element(e) => {
                    if let Some(child) = ElementRef::wrap(child) {
                        self.element(child, e, depth + 1)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn element(&mut self, element: ElementRef<'_>, e: &Element, depth: usize) -> Result<()> {
        self.stop.check()?;
        if is_hidden(e) {
            self.pass_over(element);
            return Ok(());
        }
        if depth > MAX_DEPTH {
            self.text.extend(element.text());
            return Ok(());
        }
        match e.name() {
            "script" | "style" | "noscript" | "template" | "svg" | "math" => {}
            "title" => self.flow.name(tidy(&element.text().collect::<String>())),
            "br" => self.text.push('\n'),
            "img" => self.image(e),
            "table" => self.table(element, depth)?,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(element, e, depth)?,
            "figcaption" => self.caption(element, depth)?,
            "ul" | "ol" | "menu" | "li" => self.list(element, e, depth)?,
            _ if list::is_note(e) => self.note(element, depth)?,
            name if is_block(name) => {
                self.flush();
                self.walk(element, depth)?;
                self.flush();
            }
            _ => self.walk(element, depth)?,
        }
        Ok(())
    }

    /// Leaves out an element. The tables in it are counted, so that the next one is found on its own line.
    fn pass_over(&mut self, element: ElementRef<'_>) {
        for _ in element.descendent_elements().filter(|e| e.value().name() == "table") {
            self.table_place();
        }
    }

    fn heading(&mut self, element: ElementRef<'_>, e: &Element, depth: usize) -> Result<()> {
        self.flush();
        let level = e.name().as_bytes().get(1).map_or(1, |b| b.saturating_sub(b'0'));
        self.walk(element, depth)?;
        let text = self.take();
        self.flow.heading(level, text);
        Ok(())
    }

    fn caption(&mut self, element: ElementRef<'_>, depth: usize) -> Result<()> {
        self.flush();
        self.walk(element, depth)?;
        // A figure may explain itself with a list or a table: these have been taken already.
        if !self.text.trim().is_empty() {
            let text = self.take();
            self.flow.caption(text);
        }
        self.text.clear();
        Ok(())
    }

    fn list(&mut self, element: ElementRef<'_>, e: &Element, depth: usize) -> Result<()> {
        self.flush();
        let is_note = list::is_note(e);
        self.notes += usize::from(is_note);
        self.lists.open(e);
        self.walk(element, depth)?;
        self.flush();
        self.lists.close(e);
        self.notes -= usize::from(is_note);
        Ok(())
    }

    fn note(&mut self, element: ElementRef<'_>, depth: usize) -> Result<()> {
        self.flush();
        self.notes += 1;
        self.walk(element, depth)?;
        self.flush();
        self.notes -= 1;
        Ok(())
    }

    fn image(&mut self, e: &Element) {
        let text = [e.attr("alt"), e.attr("title")].into_iter().flatten().map(tidy).find(|t| !t.is_empty());
        if let Some(text) = text {
            self.flush();
            let place = self.place.clone();
            self.flow.image(Placed { text, place });
        }
    }

    fn table(&mut self, element: ElementRef<'_>, depth: usize) -> Result<()> {
        self.flush();
        let place = self.table_place();
        if table::is_layout(element) {
            self.walk(element, depth)?;
            self.flush();
            return Ok(());
        }
        *self.tables += 1;
        let place = place.sheet(format!("table {}", *self.tables));
        let read = table::read(element, &place, self.limits)?;
        self.flow.table(read.table);
        for nested in read.nested.into_iter().filter(|_| depth < MAX_DEPTH) {
            self.table(nested, depth + 1)?;
        }
        Ok(())
    }

    /// Tables come in the order of their tags in the source, which is how their line is known.
    fn table_place(&mut self) -> Place {
        let is_table =
            |rest: &str, i: usize| rest.get(i + 1..i + 6).is_some_and(|t| t.eq_ignore_ascii_case("table"));
        let found = self.look(|rest| memchr::memchr_iter(b'<', rest.as_bytes()).find(|&i| is_table(rest, i)));
        match found {
            Some(at) => {
                let line = self.base + self.lines.at(self.cursor + at);
                self.cursor += at + 6;
                self.at_line(line)
            }
            None => self.place.clone(),
        }
    }

    /// The text so far, with the line it is found on again.
    fn take(&mut self) -> Placed {
        let text = std::mem::take(&mut self.text);
        let mark: String =
            text.trim_start().chars().take_while(|c| !matches!(c, '\n' | '&' | '<' | '"')).take(40).collect();
        let mut place = self.place.clone();
        let find = |rest: &str| memchr::memmem::find(rest.as_bytes(), mark.trim_end().as_bytes());
        if mark.trim().chars().count() > 2
            && let Some(at) = self.look(find)
        {
            let line = self.base + self.lines.at(self.cursor + at);
            self.cursor += at + mark.trim_end().len();
            place = self.at_line(line);
        }
        Placed { text: tidy(&text), place }
    }

    /// Looks for something in the rest of the source, as long as there is patience.
    fn look(&mut self, find: impl Fn(&str) -> Option<usize>) -> Option<usize> {
        let rest = self.source.get(self.cursor..).unwrap_or_default();
        let found = if self.patience >= rest.len() { find(rest) } else { None };
        if found.is_none() {
            self.patience = self.patience.saturating_sub(rest.len());
        }
        found
    }

    fn at_line(&self, line: u64) -> Place {
        let place = self.place.clone();
        if self.has_lines { place.lines(line..=line) } else { place }
    }

    fn flush(&mut self) {
        if self.text.trim().is_empty() {
            self.text.clear();
            return;
        }
        let mut text = self.take();
        if self.notes > 0 {
            self.flow.note(text);
            return;
        }
        match self.lists.item() {
            Some((depth, label)) => {
                text.text.insert_str(0, &label);
                self.flow.item(depth, text);
            }
            None => self.flow.text(text),
        }
    }
}

/// Parses a page piece by piece.
fn parse(text: &str, stop: &Stop) -> Result<Dom> {
    let sink = HtmlTreeSink::new(Dom::new_document());
    let mut parser = html5ever::driver::parse_document(sink, Default::default());
    let mut rest = text;
    while !rest.is_empty() {
        stop.check()?;
        let end = (PIECE.min(rest.len())..=rest.len()).find(|at| rest.is_char_boundary(*at));
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        parser.process(piece.into());
        rest = after;
    }
    Ok(parser.finish())
}

/// White space as a browser shows it.
fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the page itself does not show an element. `aria-hidden` does not say so: formulas and icons that have it
/// are seen.
fn is_hidden(e: &Element) -> bool {
    // A page that hides all of itself is shown by a script.
    if matches!(e.name(), "html" | "body") {
        return false;
    }
    let hidden = e.attr("hidden").is_some_and(|v| !v.trim().eq_ignore_ascii_case("until-found"));
    hidden || e.attr("style").is_some_and(shows_nothing)
}

/// Whether a style ends up with `display: none`.
fn shows_nothing(style: &str) -> bool {
    let mut parts = style.split(';').filter_map(|part| part.split_once(':'));
    let last = parts.rfind(|(name, _)| name.trim().eq_ignore_ascii_case("display"));
    last.is_some_and(|(_, value)| value.trim().to_ascii_lowercase().starts_with("none"))
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figure"
            | "footer"
            | "form"
            | "head"
            | "header"
            | "hr"
            | "html"
            | "legend"
            | "main"
            | "nav"
            | "option"
            | "p"
            | "pre"
            | "section"
            | "select"
            | "summary"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
    )
}

#[cfg(test)]
mod tests;

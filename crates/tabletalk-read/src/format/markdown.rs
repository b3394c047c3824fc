//! Reads Markdown: headings, paragraphs, pictures and tables, each with its lines.

use super::html;
use crate::flow::{Flow, Lines};
use crate::{source, understand};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Place, Placed, Result};

/// Reads Markdown.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    let text = source::decode(&source::bytes(source)?, None);
    let mut page = Page::new(&text, source.name);
    page.read(source)?;
    crate::source::one(page.flow.finish())
}

struct Page<'a> {
    source: &'a str,
    place: Place,
    lines: Lines,
    flow: Flow,
    tables: usize,
    /// The text of the block that is open, and where it began.
    text: String,
    from: Option<usize>,
    image: Option<String>,
    rows: Vec<Vec<String>>,
    in_table: bool,
    /// The lists that are open, with the number of the next item where they count.
    lists: Vec<Option<u64>>,
    /// What is written before the next text: the number of an item, the label of a note.
    label: String,
    in_note: bool,
}

impl<'a> Page<'a> {
    fn new(source: &'a str, name: &str) -> Self {
        Page {
            source,
            place: Place::file(name),
            lines: Lines::of(source),
            flow: Flow::default(),
            tables: 0,
            text: String::new(),
            from: None,
            image: None,
            rows: Vec::new(),
            in_table: false,
            lists: Vec::new(),
            label: String::new(),
            in_note: false,
        }
    }

    fn read(&mut self, source: &Source<'_>) -> Result<()> {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut html = None;
        for (event, range) in Parser::new_ext(self.source, options).into_offset_iter() {
            source.stop.check()?;
            match event {
                Event::Start(tag) => self.start(&tag, range),
                Event::End(TagEnd::HtmlBlock) => {
                    let range: Range<usize> = html.take().unwrap_or(range);
                    self.html(range, source)?;
                }
                Event::End(tag) => self.end(tag, range),
                Event::Html(_) => {
                    let from = html.take().map_or(range.start, |r: Range<usize>| r.start);
                    html = Some(from..range.end);
                }
                Event::Text(t) | Event::Code(t) | Event::InlineMath(t) | Event::DisplayMath(t) => {
                    self.add(&t, range)
                }
                Event::InlineHtml(t) if t.starts_with("<br") => self.add(" ", range),
                Event::SoftBreak => self.add(" ", range),
                Event::HardBreak => self.add("\n", range),
                Event::TaskListMarker(done) => self.add(if done { "[x] " } else { "[ ] " }, range),
                Event::FootnoteReference(t) => self.add(&format!("[{t}]"), range),
                Event::InlineHtml(_) | Event::Rule => {}
            }
        }
        self.flush(self.source.len());
        Ok(())
    }

    fn add(&mut self, text: &str, range: Range<usize>) {
        self.from.get_or_insert(range.start);
        match &mut self.image {
            Some(alt) => alt.push_str(text),
            None => self.text.push_str(text),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Table(_) => {
                self.flush(range.start);
                self.in_table = true;
                self.rows.clear();
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::TableCell => self.text.clear(),
            Tag::List(start) => {
                self.flush(range.start);
                self.lists.push(*start);
            }
            Tag::Item => {
                self.flush(range.start);
                if let Some(Some(next)) = self.lists.last_mut() {
                    self.label = format!("{next}. ");
                    *next = next.saturating_add(1);
                }
            }
            Tag::FootnoteDefinition(label) => {
                self.flush(range.start);
                self.in_note = true;
                self.label = format!("[{label}] ");
            }
            Tag::Image { .. } => self.image = Some(String::new()),
            Tag::Heading { .. }
            | Tag::Paragraph
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::BlockQuote(_) => {
                self.flush(range.start);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Heading(level) => {
                let text = self.take(range.end);
                self.flow.heading(rank(level), text);
            }
            TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::MetadataBlock(_) => self.flush(range.end),
            TagEnd::Item => {
                self.flush(range.end);
                // The number of an item without text is not that of what comes next.
                self.label.clear();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text).trim().to_owned();
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::List(_) => {
                self.flush(range.end);
                self.lists.pop();
            }
            TagEnd::FootnoteDefinition => {
                self.flush(range.end);
                self.label.clear();
                self.in_note = false;
            }
            TagEnd::Table => self.table(range),
            TagEnd::Image => self.picture(range),
            _ => {}
        }
    }

    fn picture(&mut self, range: Range<usize>) {
        let alt = self.image.take().unwrap_or_default();
        if self.in_table {
            self.text.push_str(&alt);
            return;
        }
        if !alt.trim().is_empty() {
            let place = self.place_of(&range);
            self.flow.image(Placed { text: alt.trim().to_owned(), place });
        }
    }

    fn table(&mut self, range: Range<usize>) {
        self.tables += 1;
        self.in_table = false;
        let place = self.place_of(&range).sheet(format!("table {}", self.tables));
        let mut rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return;
        }
        let header = rows.remove(0);
        // A table must have a header row in Markdown; an empty one says that there is none.
        let header = if header.iter().all(String::is_empty) { Vec::new() } else { header };
        self.flow.table(understand::table(&header, &rows, &place));
        self.from = None;
    }

    /// Pages and tables that do not fit Markdown are often written in HTML.
    fn html(&mut self, range: Range<usize>, source: &Source<'_>) -> Result<()> {
        let text = self.source.get(range.clone()).unwrap_or_default();
        let base = self.lines.at(range.start) - 1;
        html::Page::new(text, source, base, &mut self.tables, &mut self.flow).read()
    }

    fn place_of(&self, range: &Range<usize>) -> Place {
        let end = self.source.get(range.clone()).map_or(range.end, |t| range.start + t.trim_end().len());
        let (first, last) =
            (self.lines.at(range.start), self.lines.at(end.saturating_sub(1).max(range.start)));
        self.place.clone().lines(first..=last)
    }

    fn take(&mut self, end: usize) -> Placed {
        let from = self.from.take().unwrap_or(end);
        let text = std::mem::take(&mut self.text).trim().to_owned();
        Placed { text, place: self.place_of(&(from..end.max(from))) }
    }

    fn flush(&mut self, end: usize) {
        let mut text = self.take(end);
        if text.text.is_empty() {
            return;
        }
        let label = std::mem::take(&mut self.label);
        text.text.insert_str(0, &label);
        if self.in_note {
            self.flow.note(text);
        } else if self.lists.is_empty() {
            self.flow.text(text);
        } else {
            self.flow.item(self.lists.len().min(250) as u8, text);
        }
    }
}

fn rank(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::seam::Limits;
    use tabletalk_core::{Block, Document};

    fn read(text: &str) -> Document {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let limits = Limits::default();
        let source = Source::new(file.path(), "a.md", &limits);
        super::read(&source).unwrap().next().unwrap().unwrap()
    }

    #[test]
    fn reads_a_table_with_its_heading_caption_and_lines() {
        let document =
            read("# Report\n\nIntro text.\n\nTable 1: Sales\n\n| City | Sold |\n|---|---|\n| Oslo | 12 |\n");
        let Some(Block::Table(table)) = document.blocks.last() else { panic!("no table") };
        assert_eq!(document.title, "Report");
        assert_eq!(table.title(), "Table 1: Sales");
        assert_eq!(table.context, "Report\nIntro text.");
        assert_eq!(table.place.lines, Some((7, 9)));
        assert_eq!(table.place.to_string(), "a.md!table 1!A1:B2");
        assert_eq!(table.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["City", "Sold"]);
    }

    #[test]
    fn reads_text_around_tables_in_order() {
        let document = read("- one\n- two ![a cat](c.png)\n\nlast *line*\nends\n");
        let texts: Vec<String> = document
            .blocks
            .iter()
            .filter_map(|b| b.text())
            .map(|t| format!("{} {}", t.place, t.text))
            .collect();
        assert_eq!(texts, ["a.md:1 one", "a.md:2 a cat", "a.md:2 two", "a.md:4-5 last line ends"]);
    }

    #[test]
    fn tells_items_and_notes_from_paragraphs() {
        let document =
            read("text[^a]\n\n3. three\n   - deep\n4. four\n\n   more\n\nafter\n\n[^a]: The note.\n");
        let kinds: Vec<String> = document
            .blocks
            .iter()
            .map(|b| match b {
                Block::Item(depth, t) => format!("{depth} {}", t.text),
                Block::Note(t) => format!("note {}", t.text),
                other => other.text().unwrap().text.clone(),
            })
            .collect();
        let expected =
            ["text[a]", "1 3. three", "2 deep", "1 4. four", "1 more", "after", "note [a] The note."];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn the_number_of_an_item_without_text_is_not_put_before_the_next_paragraph() {
        let document = read("1. one\n2.\n\nHeading:\n\n- a\n\n  1.\n\n- b\n\n[^a]:\n\nmore\n");
        let texts: Vec<&str> =
            document.blocks.iter().filter_map(|b| b.text()).map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["1. one", "Heading:", "a", "b", "more"]);
    }

    #[test]
    fn reads_tables_written_in_html() {
        let document =
            read("text\n\n<table><tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr></table>\n");
        let Some(Block::Table(table)) = document.blocks.last() else { panic!("no table") };
        assert_eq!((table.header_rows, table.columns.len()), (1, 2));
        assert_eq!(table.place.lines.map(|l| l.0), Some(3));
    }
}

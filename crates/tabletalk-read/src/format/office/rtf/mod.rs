//! Reads RTF.

mod control;
mod page;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod token;

use super::draft::{Draft, Info};
use crate::source;
use encoding_rs::Encoding;
use page::Page;
use state::{Sink, State};
use std::collections::HashMap;
use tabletalk_core::seam::{Documents, Source};
use tabletalk_core::{Error, Result};
use token::{Token, Tokens};

/// Groups nested deeper are an error of their writer.
const MAX_GROUPS: usize = 10_000;

/// Reads rich text.
pub(crate) fn read(source: &Source<'_>) -> Result<Documents> {
    let bytes = source::bytes(source)?;
    if !bytes.starts_with(b"{\\rtf") {
        return Err(Error::input("is not rich text"));
    }
    let mut text = Text::new(source);
    text.read(&bytes)?;
    let (page, info) = (text.page, text.info);
    let mut document = page.finish(&info)?;
    if text.open > 0 {
        document.warnings.push("the file ends too early: its end is missing".into());
    }
    source::one(document)
}

/// A font: how its bytes are read.
#[derive(Debug, Clone, Default)]
struct Font {
    encoding: Option<&'static Encoding>,
    is_symbol: bool,
    name: String,
}

/// Rich text that is being read.
struct Text<'a> {
    page: Page<'a>,
    info: Info,
    stack: Vec<State>,
    state: State,
    fonts: HashMap<i32, Font>,
    encoding: &'static Encoding,
    /// Bytes that are not decoded yet: a character may be two of them.
    raw: Vec<u8>,
    /// The first half of a character that is written as two.
    half: Option<u16>,
    /// How many characters follow that stand in for one that was already read.
    stand_ins: usize,
    /// What is collected for places other than the page, innermost last.
    aside: Vec<String>,
    /// Whether `\*` was just read.
    starred: bool,
    /// The name of a property of a drawing.
    property: String,
    /// How many groups were open at the end.
    open: usize,
}

impl<'a> Text<'a> {
    fn new(source: &Source<'a>) -> Self {
        Text {
            page: Page::new(Draft::new(source)),
            info: Info::default(),
            stack: Vec::new(),
            state: State::default(),
            fonts: HashMap::new(),
            encoding: encoding_rs::WINDOWS_1252,
            raw: Vec::new(),
            half: None,
            stand_ins: 0,
            aside: Vec::new(),
            starred: false,
            property: String::new(),
            open: 0,
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        let mut tokens = Tokens::of(bytes);
        while let Some(token) = tokens.next() {
            match token {
                Token::Open => self.open_group()?,
                Token::Close => {
                    self.close_group()?;
                    if self.stack.is_empty() {
                        break;
                    }
                }
                Token::Word("bin", count) => tokens.pass(usize::try_from(count.unwrap_or(0)).unwrap_or(0)),
                Token::Word(word, number) => self.word(word, number)?,
                Token::Byte(byte) => self.byte(byte),
                Token::Sign(sign) => self.sign(sign)?,
                Token::Text(text) => text.iter().for_each(|b| self.byte(*b)),
            }
        }
        self.flush();
        self.open = self.stack.len();
        while !self.stack.is_empty() {
            self.close_group()?;
        }
        Ok(())
    }

    fn open_group(&mut self) -> Result<()> {
        self.flush();
        self.stand_ins = 0;
        if self.stack.len() >= MAX_GROUPS {
            return Err(Error::input("is damaged: its groups are nested too deep"));
        }
        self.stack.push(self.state.clone());
        self.state.begins = false;
        Ok(())
    }

    fn close_group(&mut self) -> Result<()> {
        self.flush();
        self.stand_ins = 0;
        let Some(outer) = self.stack.pop() else { return Ok(()) };
        let ended = std::mem::replace(&mut self.state, outer);
        if ended.begins {
            self.end(&ended)?;
        }
        Ok(())
    }

    /// Something begins that is not part of the running text.
    fn begin(&mut self, sink: Sink) {
        self.flush();
        if self.state.sink == Sink::Nothing && sink != Sink::Ud {
            return;
        }
        if sink.collects() {
            self.aside.push(String::new());
        }
        self.state.begins = true;
        self.state.sink = if sink == Sink::Ud { Sink::Page } else { sink };
    }

    fn end(&mut self, ended: &State) -> Result<()> {
        let text = if ended.sink.collects() { self.aside.pop().unwrap_or_default() } else { String::new() };
        match ended.sink {
            Sink::Label => self.page.label = text,
            Sink::Note => {
                let mark = self.page.noted();
                if !self.page.in_table() {
                    self.put(&mark);
                }
                self.page.notes.push(format!("{mark} {text}"));
            }
            Sink::Remark => self.page.notes.push(text),
            Sink::Title => self.info.title = text,
            Sink::Author => self.info.author = text,
            Sink::Created => self.info.created = ended.day(),
            Sink::Modified => self.info.modified = ended.day(),
            Sink::Font => {
                self.font(ended).name = text.trim().trim_end_matches(';').to_owned();
            }
            Sink::Style => self.page.style(ended.style, text.trim().trim_end_matches(';'), ended.outline),
            Sink::Property => self.property = text.trim().to_owned(),
            Sink::Value if self.property == "wzDescription" => self.page.describe(&text),
            Sink::Picture => self.page.picture(),
            _ => {}
        }
        Ok(())
    }

    fn font(&mut self, state: &State) -> &mut Font {
        self.fonts.entry(state.font).or_default()
    }

    /// A byte of text in the encoding of its font.
    fn byte(&mut self, byte: u8) {
        if self.stand_ins > 0 {
            self.stand_ins -= 1;
        } else if self.state.sink != Sink::Nothing && !self.state.is_hidden() {
            self.raw.push(byte);
        }
        self.starred = false;
    }

    /// Decodes the bytes so far.
    fn flush(&mut self) {
        if self.raw.is_empty() {
            return;
        }
        let raw = std::mem::take(&mut self.raw);
        let font = self.fonts.get(&self.state.font);
        if let Some(font) = font.filter(|f| f.is_symbol && self.state.sink.is_shown()) {
            let chars = raw.iter().filter_map(|b| {
                super::symbol::plain(&format!("{} symbol", font.name), u32::from(*b))
                    .or((*b == b' ').then_some(' '))
            });
            let text: String = chars.collect();
            return self.put(&text);
        }
        let encoding = font.and_then(|f| f.encoding).unwrap_or(self.encoding);
        let text = encoding.decode_without_bom_handling(&raw).0;
        self.put(&text);
    }

    /// Text that is decoded.
    fn put(&mut self, text: &str) {
        if self.state.is_hidden() {
            return;
        }
        match self.state.sink {
            Sink::Nothing | Sink::Picture | Sink::Fonts | Sink::Styles | Sink::Info => {}
            sink if sink.collects() => {
                if let Some(last) = self.aside.last_mut() {
                    last.push_str(text);
                }
            }
            _ => self.page.text.push_str(text),
        }
    }

    /// A character by its number; the bytes after it stand in for it.
    fn unicode(&mut self, number: i32) {
        self.flush();
        let unit = number as u16;
        let text = match (self.half.take(), unit) {
            (_, 0xd800..=0xdbff) => {
                self.half = Some(unit);
                String::new()
            }
            (Some(high), low) => String::from_utf16_lossy(&[high, low]),
            // Symbol fonts stand in the private range.
            (None, 0xf000..=0xf0ff) => {
                let name = self.fonts.get(&self.state.font).map(|f| f.name.clone()).unwrap_or_default();
                super::symbol::plain(&format!("{name} symbol"), u32::from(unit))
                    .map(String::from)
                    .unwrap_or_default()
            }
            (None, unit) => String::from_utf16_lossy(&[unit]),
        };
        self.put(&text);
        self.stand_ins = self.state.stand_ins;
    }

    fn sign(&mut self, sign: u8) -> Result<()> {
        self.flush();
        match sign {
            b'*' => {
                self.starred = true;
                return Ok(());
            }
            b'\n' | b'\r' => self.word("par", None)?,
            b'~' => self.put(" "),
            b'_' => self.put("-"),
            b'\\' | b'{' | b'}' => self.byte(sign),
            _ => {}
        }
        self.starred = false;
        Ok(())
    }
}

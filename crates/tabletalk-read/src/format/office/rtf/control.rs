//! What the control words of RTF do, and its code pages.

use super::Text;
use super::state::Sink;
use encoding_rs::Encoding;
use tabletalk_core::Result;

/// Groups whose text is not part of the document.
const UNSHOWN: &[&str] = &[
    "colortbl",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "tc",
    "tcn",
    "xe",
    "nonshppict",
    "shprslt",
    "private",
    "comment",
    "operator",
    "keywords",
    "subject",
    "doccomm",
    "company",
    "manager",
    "category",
    "printim",
    "buptim",
    "fldinst",
    "upr",
    "template",
    "ftnsep",
    "ftnsepc",
    "aftnsep",
    "rxe",
    "bkmkstart",
    "bkmkend",
    "pnseclvl",
    "objclass",
    "objname",
    "sv",
    "filetbl",
    "revtbl",
    "rsidtbl",
];
/// Groups marked as new that are read nevertheless.
const STARRED: &[&str] =
    &["shppict", "shpinst", "picprop", "nesttableprops", "pntext", "shptxt", "background"];

impl Text<'_> {
    pub(super) fn word(&mut self, word: &str, number: Option<i32>) -> Result<()> {
        self.flush();
        let starred = std::mem::take(&mut self.starred);
        self.stand_ins = 0;
        if let Some(sink) = destination(word, self.state.sink) {
            self.begin(sink);
            return Ok(());
        }
        if starred && !STARRED.contains(&word) || UNSHOWN.contains(&word) {
            self.begin(Sink::Nothing);
            return Ok(());
        }
        if self.state.sink == Sink::Nothing {
            if word == "uc" {
                self.state.stand_ins = number.unwrap_or(1).clamp(0, 16) as usize;
            }
            return Ok(());
        }
        let on = number != Some(0);
        match word {
            "u" => self.unicode(number.unwrap_or(0)),
            "uc" => self.state.stand_ins = number.unwrap_or(1).clamp(0, 16) as usize,
            "ansicpg" => self.encoding = of_page(number.unwrap_or(1252)),
            "mac" => self.encoding = of_page(10000),
            "v" => self.state.hidden = on,
            "deleted" => self.state.deleted = on,
            "plain" => (self.state.hidden, self.state.deleted) = (false, false),
            "yr" => self.state.day[0] = number.unwrap_or(0),
            "mo" => self.state.day[1] = number.unwrap_or(0),
            "dy" => self.state.day[2] = number.unwrap_or(0),
            "f" => self.use_font(number.unwrap_or(0)),
            "deff" if self.state.font < 0 => self.state.font = number.unwrap_or(0),
            "fcharset" => self.charset(number.unwrap_or(0)),
            "cpg" => {
                let encoding = of_page(number.unwrap_or(1252));
                let state = self.state.clone();
                self.font(&state).encoding = Some(encoding);
            }
            _ => return self.layout(word, number),
        }
        Ok(())
    }

    /// Fonts are described one in a group, or several after each other.
    fn use_font(&mut self, number: i32) {
        if self.state.sink == Sink::Fonts {
            self.begin(Sink::Font);
        }
        self.state.font = number;
    }

    fn charset(&mut self, set: i32) {
        let state = self.state.clone();
        let font = self.font(&state);
        font.is_symbol = set == 2;
        font.encoding = of_charset(set);
    }

    /// Words of paragraphs and tables, and characters that have words.
    fn layout(&mut self, word: &str, number: Option<i32>) -> Result<()> {
        let sign = match word {
            "tab" => "\t",
            "line" | "lbr" => "\n",
            "emdash" => "—",
            "endash" => "–",
            "lquote" => "‘",
            "rquote" => "’",
            "ldblquote" => "“",
            "rdblquote" => "”",
            "bullet" => "•",
            "emspace" | "enspace" | "qmspace" => " ",
            _ => "",
        };
        if !sign.is_empty() {
            self.put(sign);
            return Ok(());
        }
        match word {
            "s" => self.state.style = number.unwrap_or(0),
            "outlinelevel" => self.state.outline = number.and_then(|n| u8::try_from(n).ok()),
            _ => {}
        }
        if self.state.sink == Sink::Styles && matches!(word, "s" | "cs" | "ds" | "ts") {
            self.begin(Sink::Style);
            // Only paragraph styles tell what a paragraph is.
            self.state.style = if word == "s" { number.unwrap_or(0) } else { -1 };
            self.state.outline = None;
            return Ok(());
        }
        match self.state.sink {
            Sink::Page => self.page.word(word, number),
            Sink::Note | Sink::Remark if word == "par" => {
                self.put("\n");
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Where a word sends the text of its group.
fn destination(word: &str, now: Sink) -> Option<Sink> {
    Some(match word {
        "fonttbl" => Sink::Fonts,
        "stylesheet" => Sink::Styles,
        "info" => Sink::Info,
        "title" if now == Sink::Info => Sink::Title,
        "author" if now == Sink::Info => Sink::Author,
        "creatim" if now == Sink::Info => Sink::Created,
        "revtim" if now == Sink::Info => Sink::Modified,
        "listtext" | "pntext" => Sink::Label,
        "footnote" => Sink::Note,
        "annotation" => Sink::Remark,
        "sn" => Sink::Property,
        "sv" => Sink::Value,
        "pict" => Sink::Picture,
        "ud" => Sink::Ud,
        _ => return None,
    })
}

/// The encoding of a code page; that of Western Windows when it is not known.
pub(super) fn of_page(page: i32) -> &'static Encoding {
    let label: String = match page {
        932 => "shift_jis".into(),
        936 | 54936 => "gb18030".into(),
        949 | 1361 => "euc-kr".into(),
        950 => "big5".into(),
        65001 => "utf-8".into(),
        10000 => "macintosh".into(),
        10007 => "x-mac-cyrillic".into(),
        866 => "ibm866".into(),
        page => format!("windows-{page}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}

/// The encoding of a font by its character set; `None` says the document's own.
pub(super) fn of_charset(set: i32) -> Option<&'static Encoding> {
    let page = match set {
        77 => 10000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        0 => 1252,
        _ => return None,
    };
    Some(of_page(page))
}

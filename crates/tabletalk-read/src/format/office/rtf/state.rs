//! What holds inside a group.

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sink {
    /// To the page.
    #[default]
    Page,
    /// Nowhere.
    Nothing,
    /// To the fonts, the styles, what the document says about itself.
    Fonts,
    Font,
    Styles,
    Style,
    Info,
    Title,
    Author,
    Created,
    Modified,
    /// To the number before a paragraph.
    Label,
    /// To a footnote, a comment.
    Note,
    Remark,
    /// To the name or value of a property of a drawing.
    Property,
    Value,
    Picture,
    /// To the page, out of a group that goes nowhere.
    Ud,
}

impl Sink {
    /// Whether text is collected for when the group ends.
    pub(super) fn collects(self) -> bool {
        let named = matches!(self, Sink::Font | Sink::Style | Sink::Title | Sink::Author);
        named || matches!(self, Sink::Label | Sink::Note | Sink::Remark | Sink::Property | Sink::Value)
    }
    /// Whether a reader sees the text.
    pub(super) fn is_shown(self) -> bool {
        matches!(self, Sink::Page | Sink::Label | Sink::Note | Sink::Remark)
    }
}

/// What holds inside a group.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) sink: Sink,
    /// Whether the group is the one in which `sink` changed.
    pub(super) begins: bool,
    pub(super) font: i32,
    pub(super) hidden: bool,
    pub(super) deleted: bool,
    /// How many characters stand in for one that is given by its number.
    pub(super) stand_ins: usize,
    pub(super) style: i32,
    pub(super) outline: Option<u8>,
    pub(super) day: [i32; 3],
}

impl Default for State {
    fn default() -> Self {
        State {
            sink: Sink::Page,
            begins: false,
            font: -1,
            hidden: false,
            deleted: false,
            stand_ins: 1,
            style: -1,
            outline: None,
            day: [0; 3],
        }
    }
}

impl State {
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden || self.deleted
    }
    /// The day a document was made or changed.
    pub(super) fn day(&self) -> String {
        let [year, month, day] = self.day;
        if year < 1 { String::new() } else { format!("{year:04}-{month:02}-{day:02}") }
    }
}

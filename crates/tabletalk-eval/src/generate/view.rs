//! A table as seen by someone who asks about it: which column names the rows, which ones measure something.

use super::exact::{Affix, Exact};
use super::text::{self, folded, holds, is_nameable};
use super::{Language, Sheet, header};
use std::collections::{HashMap, HashSet};
use tabletalk_core::{Kind, value};

/// What the values of a measure are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// More or less of something.
    Amount,
    /// Years.
    Year,
    /// Days or moments.
    Day,
}

/// A column whose values have an order, with its values.
#[derive(Debug)]
pub(super) struct Measure {
    pub(super) scale: Scale,
    /// Its values can be added up and the sum means something.
    pub(super) adds: bool,
    pub(super) affix: Affix,
    pub(super) values: Vec<Option<Exact>>,
}

impl Measure {
    /// The value in a row.
    pub(super) fn at(&self, row: usize) -> Option<Exact> {
        self.values.get(row).copied().flatten()
    }

    /// A value of this measure, plainly; a percent sign is kept, since it changes the size.
    pub(super) fn plain(&self, value: Exact) -> String {
        format!("{value}{}", if self.affix.is_percent() { "%" } else { "" })
    }
}

/// A column that names the rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) col: usize,
    /// No two rows have the same name.
    pub(super) strict: bool,
}

/// A table ready to be asked about.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) sheet: &'a Sheet,
    pub(super) language: Language,
    /// The names of the columns as they stand in a sentence; none for one that cannot be named.
    pub(super) names: Vec<Option<String>>,
    /// The names of the columns in folded form.
    pub(super) headers: HashSet<String>,
    /// What is shown in cells, column by column, with ordinary spaces.
    shown: Vec<Vec<String>>,
    /// The same in folded form.
    cells: Vec<Vec<String>>,
    pub(super) measures: Vec<Option<Measure>>,
    pub(super) key: Option<Key>,
    /// What one row is, and what several are.
    pub(super) noun: Option<String>,
    /// Some rows sum up others, though they are not marked.
    pub(super) has_totals: bool,
}

impl<'a> View<'a> {
    pub(super) fn of(sheet: &'a Sheet) -> View<'a> {
        let han = text::is_mostly_han(sheet.columns.iter().map(|c| c.name.as_str()));
        let language = if han { Language::Zh } else { Language::En };
        let width = sheet.columns.len();
        let show = |col| (0..sheet.rows.len()).map(|row| spaced(cell(sheet, row, col))).collect();
        let shown: Vec<Vec<String>> = (0..width).map(show).collect();
        let measures: Vec<Option<Measure>> = (0..width).map(|col| measure(sheet, col)).collect();
        let mut view = View {
            sheet,
            language,
            names: names(sheet, &measures),
            headers: sheet.columns.iter().map(|column| folded(&column.name)).collect(),
            cells: shown.iter().map(|cells| cells.iter().map(|text| folded(text)).collect()).collect(),
            shown,
            measures,
            key: None,
            noun: None,
            has_totals: false,
        };
        view.key = key(&view);
        view.noun =
            view.key.filter(|k| k.strict).and_then(|k| noun(language, view.names.get(k.col)?.as_deref()?));
        let mut texts =
            (0..width).filter(|col| sheet.columns.get(*col).is_some_and(|c| c.kind == Kind::Text));
        let first = texts.next().unwrap_or(0);
        view.has_totals = (0..sheet.rows.len()).any(|row| {
            let shown = [first, 0].map(|col| cell(sheet, row, col));
            shown.iter().any(|text| text.len() < 40 && text::is_total(text))
        });
        view
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.sheet.rows.len()
    }

    /// What is shown in a cell.
    pub(super) fn text(&self, row: usize, col: usize) -> &str {
        self.shown.get(col).and_then(|cells| cells.get(row)).map_or("", String::as_str)
    }

    /// A cell as it stands in a question: a plain number without decimals that say nothing.
    pub(super) fn said(&self, row: usize, col: usize) -> String {
        let text = self.text(row, col);
        let plain = self.measure(col).filter(|m| m.affix == Affix::default() && m.scale == Scale::Amount);
        match plain.and_then(|m| m.at(row)).filter(|_| text.contains('.') && !text.contains(',')) {
            Some(number) => number.to_string(),
            None => text.to_owned(),
        }
    }

    /// Whether more than two rows have a column in common, so that asking for it says nothing of one.
    pub(super) fn is_constant(&self, col: usize) -> bool {
        let cells = self.column(col);
        cells.len() > 2 && cells.iter().all(|text| Some(text) == cells.first())
    }

    /// A cell in folded form.
    pub(super) fn folded(&self, row: usize, col: usize) -> &str {
        self.cells.get(col).and_then(|cells| cells.get(row)).map_or("", String::as_str)
    }

    /// All cells of a column in folded form.
    pub(super) fn column(&self, col: usize) -> &[String] {
        self.cells.get(col).map_or(&[], Vec::as_slice)
    }

    /// The name of a column as it stands in a sentence.
    pub(super) fn name(&self, col: usize) -> &str {
        self.names.get(col).and_then(Option::as_deref).unwrap_or("")
    }

    /// The name of a column as it stands in the table.
    pub(super) fn header(&self, col: usize) -> &'a str {
        self.sheet.columns.get(col).map_or("", |c| c.name.as_str())
    }

    /// What is known of a column that measures something.
    pub(super) fn measure(&self, col: usize) -> Option<&Measure> {
        self.measures.get(col)?.as_ref()
    }

    /// The type of a column.
    pub(super) fn kind(&self, col: usize) -> Kind {
        self.sheet.columns.get(col).map_or(Kind::Text, |c| c.kind)
    }

    /// The unit of a column, where neither its name nor its cells say it.
    pub(super) fn unsaid_unit(&self, col: usize) -> Option<&'a str> {
        let unit = self.sheet.columns.get(col)?.unit.as_deref().filter(|unit| !unit.trim().is_empty())?;
        let affix = &self.measure(col)?.affix;
        (*affix == Affix::default() && !self.header(col).contains(unit) && unit.len() < 30).then_some(unit)
    }

    /// The columns that can be named and pass a test.
    pub(super) fn columns(&self, fits: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.names.len()).filter(|col| !self.name(*col).is_empty() && fits(*col)).collect()
    }

    /// The columns that can be named as a thing and pass a test.
    pub(super) fn nouns(&self, fits: impl Fn(usize) -> bool) -> Vec<usize> {
        self.columns(|col| text::is_noun(self.name(col)) && fits(col))
    }

    /// The columns whose values sort rows into groups.
    pub(super) fn groups(&self) -> Vec<usize> {
        let year = |col| self.measure(col).is_some_and(|m| m.scale == Scale::Year);
        let is_key = |col| self.key.is_some_and(|k| k.col == col && k.strict);
        self.nouns(|col| !is_key(col) && (matches!(self.kind(col), Kind::Text | Kind::Boolean) || year(col)))
    }

    /// The rows whose value in a column is that of this row, if the value can be asked about: it is written in
    /// one way throughout and is not a part of other values.
    pub(super) fn alike(&self, row: usize, col: usize) -> Option<Vec<usize>> {
        let (shown, wanted) = (self.text(row, col), self.folded(row, col));
        if !is_nameable(shown) {
            return None;
        }
        let mut rows = Vec::new();
        for (other, text) in self.column(col).iter().enumerate() {
            if self.text(other, col) == shown {
                rows.push(other);
            } else if text.len() >= wanted.len() && holds(text, wanted) {
                return None;
            }
        }
        Some(rows)
    }

    /// Whether the value of a row is found in no other.
    pub(super) fn is_alone(&self, row: usize, col: usize) -> bool {
        self.alike(row, col).is_some_and(|rows| rows.len() == 1)
    }

    /// Whether all filled cells of a column differ.
    pub(super) fn is_distinct(&self, col: usize) -> bool {
        let mut seen = HashSet::new();
        self.column(col).iter().filter(|text| !text.is_empty()).all(|text| seen.insert(text))
    }
}

fn cell(sheet: &Sheet, row: usize, col: usize) -> &str {
    sheet.rows.get(row).and_then(|cells| cells.get(col)).map_or("", |text| text.trim())
}

/// A text with ordinary spaces; line breaks stay.
fn spaced(text: &str) -> String {
    text.replace(['\u{a0}', '\u{202f}', '\u{2009}', '\u{3000}'], " ")
}

/// The names that columns have in a sentence. One that is odd, or too like another, has none.
fn names(sheet: &Sheet, measures: &[Option<Measure>]) -> Vec<Option<String>> {
    let say = |(column, measure): (&super::Col, &Option<Measure>)| {
        let name = text::column(&column.name);
        let year = measure.as_ref().is_some_and(|m| m.scale == Scale::Year) && !text::is_noun(&name);
        if year { format!("year {name}") } else { name }
    };
    let said: Vec<String> = sheet.columns.iter().zip(measures).map(say).collect();
    let base = |name: &str| {
        let stem = name.strip_suffix(')').and_then(|n| n.rsplit_once(" ("));
        let stem = stem.filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit())).map(|(stem, _)| stem);
        folded(stem.unwrap_or(name))
    };
    let mut times: HashMap<String, usize> = HashMap::new();
    said.iter().for_each(|name| *times.entry(base(name)).or_default() += 1);
    let fits = |name: &String| is_column_name(name) && times.get(&base(name)) == Some(&1);
    said.into_iter().map(|name| Some(name).filter(fits)).collect()
}

fn is_column_name(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic());
    let nameless = name.strip_prefix("column ").is_some_and(|rest| rest.chars().count() <= 3);
    let odd = ['?', '？', '|', '`', '"', '“', '”', '\\', '{', '}', '<', '>', ':', '：', '[', '='];
    let han = name.contains(text::is_han);
    let enough = letters.count() >= if han { 1 } else { 2 };
    enough
        && name.chars().count() <= 40
        && !name.contains(odd)
        && !nameless
        && !name.starts_with("unnamed")
        && !name.starts_with('\'')
}

/// The measure that a column is, if every filled cell of it is read in one clear way.
fn measure(sheet: &Sheet, col: usize) -> Option<Measure> {
    let column = sheet.columns.get(col)?;
    let mut affixes: Vec<Affix> = Vec::new();
    let mut read = |text: &str| -> Option<Exact> {
        match column.kind {
            Kind::Integer | Kind::Decimal => {
                let (number, affix) = Exact::written(text, column.unit.as_deref())?;
                if !affixes.contains(&affix) {
                    affixes.push(affix);
                }
                Some(number)
            }
            Kind::Date => value::date(text).map(|day| Exact::whole(day.into())),
            Kind::DateTime => value::datetime(text).map(Exact::whole),
            Kind::Text | Kind::Boolean => None,
        }
    };
    let mut values = Vec::with_capacity(sheet.rows.len());
    for row in 0..sheet.rows.len() {
        let text = cell(sheet, row, col);
        let missing = text.is_empty() || value::is_missing(text);
        values.push(if missing { None } else { Some(read(text)?) });
    }
    if values.iter().flatten().count() == 0 || affixes.len() > 1 {
        return None;
    }
    let affix = affixes.pop().unwrap_or_default();
    let scale = scale(&column.name, column.kind, &affix, &values)?;
    let adds = scale == Scale::Amount
        && !affix.is_percent()
        && header::can_be_added(&column.name, column.unit.as_deref());
    Some(Measure { scale, adds, affix, values })
}

/// What numbers are; none for those that only look like an amount.
fn scale(name: &str, kind: Kind, affix: &Affix, values: &[Option<Exact>]) -> Option<Scale> {
    if matches!(kind, Kind::Date | Kind::DateTime) {
        return Some(Scale::Day);
    }
    let whole: Vec<i128> = values.iter().flatten().filter_map(|n| n.as_whole()).collect();
    let filled = values.iter().flatten().count();
    let years =
        *affix == Affix::default() && whole.len() == filled && whole.iter().all(|n| (1500..2200).contains(n));
    if years {
        return header::is_year(name).then_some(Scale::Year);
    }
    let counts_rows =
        whole.len() == values.len() && whole.windows(2).all(|w| matches!(w, [a, b] if a + 1 == *b));
    let is_code = header::is_code(name) || (counts_rows && values.len() > 1);
    (!is_code).then_some(Scale::Amount)
}

/// The column that names the rows: the first whose texts all differ, else one in which most do, else the year.
fn key(view: &View<'_>) -> Option<Key> {
    let rows = view.len();
    let texts = view.nouns(|col| view.kind(col) == Kind::Text && header::can_be_key(view.header(col)));
    let texts: Vec<usize> = texts.into_iter().filter(|col| reads_as_names(view, *col)).collect();
    let distinct = |col: &usize| view.column(*col).iter().collect::<HashSet<_>>().len();
    let strict = |col: &&usize| distinct(col) == rows;
    let most = |col: &&usize| distinct(col) * 5 >= rows * 4;
    let year = |col: usize| {
        view.measure(col).is_some_and(|m| m.scale == Scale::Year && m.values.iter().all(Option::is_some))
    };
    let years = view.columns(year);
    let found = texts.iter().find(strict).or_else(|| texts.iter().find(most));
    let col = *found.or_else(|| years.iter().find(strict))?;
    Some(Key { col, strict: distinct(&col) == rows })
}

/// Whether most cells have letters, none is empty, and few are long.
fn reads_as_names(view: &View<'_>, col: usize) -> bool {
    let cells = view.column(col);
    let is_name = |text: &&String| {
        let letters = text.chars().filter(|c| c.is_alphabetic());
        letters.count() >= 2
            && !is_ordinal(text)
            && value::number(text).is_none()
            && value::moment(text).is_none()
    };
    let short = cells.iter().filter(|text| text.chars().take(61).count() <= 60).count();
    cells.iter().all(|text| !text.is_empty())
        && cells.iter().filter(is_name).count() * 10 >= cells.len() * 9
        && short * 10 >= cells.len() * 7
}

/// `1st`, `12th`.
fn is_ordinal(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    text.len() - digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// What several rows are called after the column that names them.
fn noun(language: Language, name: &str) -> Option<String> {
    if language == Language::En {
        return text::plural(name);
    }
    let stem = text::chinese_thing(name);
    (stem.chars().count() >= 2 && stem.chars().all(text::is_han)).then(|| stem.to_owned())
}

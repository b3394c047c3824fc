//! Writes words that a table does not know in words that it may know: `unpaid` as `not paid`, `Gesamtbetrag` as
//! `gesamt Betrag`, `一万二` as `12000`.

use super::annotate::is_same;
use super::calendar::month;
use super::lexicon::{Lexicon, Sense};
use super::role::Roles;
use super::thesaurus::Thesaurus;
use crate::execute::civil;
use crate::grid::Measure;
use crate::read::Subject;
use crate::word::{self, Word};

/// Columns with more different values are no list of choices.
const CHOICES: usize = 50;

/// A question in words that the table may know.
pub(super) fn plain(text: &str, subject: &Subject<'_>, roles: &Roles) -> String {
    let text = &times_said(text);
    let text =
        percent_signs(&han_numbers(&day_ranges(&text.replace("月份", "月"), only_year(subject)), subject));
    let text = other_signs(text, subject);
    let known = Known::of(subject, roles);
    let mut written = String::with_capacity(text.len() + 8);
    let mut at = 0;
    let words = word::words(&text);
    let asks_sum = asks_sum(&words);
    for word in words {
        written.push_str(text.get(at..word.start).unwrap_or_default());
        let raw = text.get(word.start..word.end).unwrap_or_default();
        match known.has(&word) {
            true => written.push_str(raw),
            false => {
                let paid = asks_sum.then(|| spent(&word)).flatten().map(str::to_owned);
                let other = paid.or_else(|| known.taken_apart(&word)).or_else(|| known.slip(&word, raw));
                written.push_str(&other.unwrap_or_else(|| raw.to_owned()));
            }
        }
        at = word.end;
    }
    written.push_str(text.get(at..).unwrap_or_default());
    written
}

/// Chinese words that are written with another sign: 交费 is 缴费.
fn other_signs(text: String, subject: &Subject<'_>) -> String {
    const SAME: [(&str, &str); 4] = [("交费", "缴费"), ("缴费", "交费"), ("帐", "账"), ("账", "帐")];
    let has = |word: &str| subject.grid.columns.iter().any(|f| f.name.contains(word));
    let is_known = |(said, known): &&(&str, &str)| text.contains(said) && !has(said) && has(known);
    match SAME.iter().find(is_known) {
        Some((said, known)) => text.replace(said, known),
        None => text,
    }
}

/// Whether a question asks for an amount: `how much`.
fn asks_sum(words: &[Word]) -> bool {
    let is_pair = |w: &[Word]| matches!(w, [a, b] if matches!((a.text.as_str(), b.text.as_str()), ("how", "much") | ("wie", "viel")));
    words.windows(2).any(is_pair)
        || words.iter().any(|w| matches!(w.text.as_str(), "wieviel" | "combien" | "total"))
}

/// How much somebody paid is how much was spent.
fn spent(word: &Word) -> Option<&'static str> {
    match word.text.as_str() {
        "pay" | "pays" | "paid" => Some("spent"),
        "bezahlt" | "gezahlt" | "zahlte" | "zahlten" => Some("ausgegeben"),
        "paye" | "payee" | "payes" => Some("depense"),
        _ => None,
    }
}

/// The words that a table knows.
struct Known {
    /// Those of the names of columns that hold money, and of others that hold numbers.
    money: Vec<Word>,
    numbers: Vec<Word>,
    /// All of them.
    words: Vec<Word>,
}

impl Known {
    fn of(subject: &Subject<'_>, roles: &Roles) -> Known {
        let grid = subject.grid;
        let of = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<Word> {
            let wanted = roles.names.iter().enumerate().filter(|(column, _)| is_wanted(*column));
            wanted.flat_map(|(_, names)| names.iter().flatten().cloned()).collect()
        };
        let money = of(&|column| roles.is_money(grid, column));
        let is_number = |column: usize| grid.columns.get(column).is_some_and(|f| f.is_number());
        let numbers = of(&|column| is_number(column) && !roles.is_money(grid, column));
        let mut words = of(&|_| true);
        for field in subject.grid.columns.iter().filter(|f| f.values.len() <= CHOICES) {
            let firsts = field.values.iter().filter_map(|rows| rows.first());
            let cells = firsts.filter_map(|row| field.cells.get(*row as usize));
            words.extend(cells.flat_map(|cell| word::words(&cell.text)));
        }
        words.extend(word::words(subject.title));
        words.extend(word::words(subject.relation));
        Known { money, numbers, words }
    }

    fn has(&self, word: &Word) -> bool {
        self.words.iter().any(|w| is_same(w, word))
    }

    fn has_text(&self, text: &str) -> bool {
        word::words(text).first().is_some_and(|w| self.has(w))
    }

    /// Whether a column that is called so holds what the second part of a word says.
    fn measures(&self, head: &str, tail: &str) -> bool {
        let names = match tail {
            _ if MONEY.contains(&tail) => &self.money,
            _ if METERS.contains(&tail) => &self.numbers,
            _ => return false,
        };
        word::words(head).first().is_some_and(|w| names.iter().any(|name| is_same(name, w)))
    }

    fn taken_apart(&self, word: &Word) -> Option<String> {
        self.denied(word).or_else(|| folded(word)).or_else(|| self.compound(word)).or_else(|| self.code(word))
    }

    /// The word that is meant by one with a slip in it: the only one that a letter more, less or other makes, or two that
    /// changed places. A name may be another person's by a letter, so of words with a capital only those with the same letters.
    fn slip(&self, word: &Word, raw: &str) -> Option<String> {
        const SHORTEST: usize = 6;
        // Another digit is another number.
        let is_letters = word.text.bytes().all(|b| b.is_ascii_alphabetic());
        if word.text.len() < SHORTEST || !is_letters || says_something(word) {
            return None;
        }
        let is_name = raw.starts_with(char::is_uppercase);
        let is_meant = |w: &&Word| match is_name {
            true => is_swapped(&word.text, &w.text),
            false => is_swapped(&word.text, &w.text) || is_a_letter_off(&word.text, &w.text),
        };
        let long = self.words.iter().filter(|w| w.text.len() + 1 >= SHORTEST);
        let mut meant: Vec<&str> = long.filter(is_meant).map(|w| w.text.as_str()).collect();
        meant.sort_unstable();
        meant.dedup();
        match meant.as_slice() {
            [only] => Some((*only).to_owned()),
            _ => None,
        }
    }

    /// Several of what a code stands for: the `P1s` of tickets whose priority is `P1`.
    fn code(&self, word: &Word) -> Option<String> {
        let one = word.text.strip_suffix('s').filter(|one| one.bytes().any(|b| b.is_ascii_digit()))?;
        self.has_text(one).then(|| one.to_owned())
    }

    /// `unpaid`, `unbezahlt`, `impayé`.
    fn denied(&self, word: &Word) -> Option<String> {
        const PREFIXES: [(&str, &str); 4] = [("un", "not "), ("non", "not "), ("im", "non "), ("in", "not ")];
        let of = |(prefix, not): &(&str, &str)| {
            let rest = word.text.strip_prefix(prefix).filter(|rest| rest.len() > 3)?;
            self.has_text(rest).then(|| format!("{not}{rest}"))
        };
        PREFIXES.iter().find_map(of)
    }

    /// `Rechnungsbetrag` where there is a `Betrag` of invoices: the amount of an invoice, and nothing else. `Materialkosten` where a
    /// column is called `Material (€)`: what it measures need not be in its name.
    fn compound(&self, word: &Word) -> Option<String> {
        let text = &word.text;
        if text.len() < 9 || !text.is_ascii() {
            return None;
        }
        let cut = |at: usize| {
            let (head, tail) = (text.get(..at)?, text.get(at..)?);
            let head = ["es", "en", "s", "n", ""].iter().find_map(|joint| {
                let head = head.strip_suffix(joint).filter(|h| h.len() > 3)?;
                (self.has_text(head) || names_rows(head)).then_some(head)
            })?;
            match self.has_text(tail) {
                true => Some(format!("{head} {tail}")),
                false => self.measures(head, tail).then(|| head.to_owned()),
            }
        };
        (4..text.len().saturating_sub(3)).find_map(cut)
    }
}

/// Second parts of German words that say what is measured, in money and otherwise.
const MONEY: [&str; 9] =
    ["kosten", "preis", "preise", "betrag", "betrage", "gebuhr", "umsatz", "einnahmen", "ausgaben"];
const METERS: [&str; 8] =
    ["zahler", "zahlerstand", "stand", "menge", "verbrauch", "bedarf", "zahl", "anzahl"];

/// Whether a word is one of the language that questions are asked in.
fn says_something(word: &Word) -> bool {
    let one = std::slice::from_ref(word);
    !Lexicon::get().senses(one, 0).is_empty()
        || !Lexicon::get().concepts(one).is_empty()
        || !Thesaurus::get().things(one, 0).is_empty()
        || !Thesaurus::get().attributes(one, 0).is_empty()
}

/// Whether two words differ by two letters beside each other that changed places.
fn is_swapped(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let differ: Vec<usize> = (0..a.len().min(b.len())).filter(|i| a.get(*i) != b.get(*i)).collect();
    match differ.as_slice() {
        [i, j] => a.len() == b.len() && i + 1 == *j && a.get(*i) == b.get(*j) && a.get(*j) == b.get(*i),
        _ => false,
    }
}

/// Whether a letter inside is another, or one is more or less; the first stays.
fn is_a_letter_off(a: &str, b: &str) -> bool {
    let (short, long) =
        if a.len() <= b.len() { (a.as_bytes(), b.as_bytes()) } else { (b.as_bytes(), a.as_bytes()) };
    if long.len() > short.len() + 1 || short.first() != long.first() {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let skip = usize::from(long.len() == short.len());
    // Another ending is another form of a word, and none that was misspelt.
    same + skip < short.len() && short.get(same + skip..) == long.get(same + 1..)
}

/// Whether a word is one for rows.
fn names_rows(text: &str) -> bool {
    let words = word::words(text);
    let senses = Lexicon::get().senses(&words, 0);
    let is_row = |s: &Sense| matches!(s, Sense::Row | Sense::Booking | Sense::Item | Sense::Person);
    senses.iter().any(|(_, s)| is_row(s)) || !Thesaurus::get().things(&words, 0).is_empty()
}

/// `Gesamtbetrag`, `Durchschnittsalter`.
fn folded(word: &Word) -> Option<String> {
    const FOLDS: [(&str, &str); 7] = [
        ("gesamt", "gesamt "),
        ("durchschnitts", "durchschnitt "),
        ("hochst", "hochste "),
        ("maximal", "maximum "),
        ("minimal", "minimum "),
        ("tiefst", "niedrigste "),
        ("mindest", "minimum "),
    ];
    let of = |(prefix, fold): &(&str, &str)| {
        let rest = word.text.strip_prefix(prefix).filter(|rest| rest.len() > 3)?;
        // An ending makes no second word: `hochsten`, `gesamten`.
        (!matches!(rest, "ens" | "enss") && rest.bytes().all(|b| b.is_ascii_lowercase()))
            .then(|| format!("{fold}{rest}"))
    };
    FOLDS.iter().find_map(of)
}

/// Chinese numbers in digits, where they count or measure something: `一万二`, `前三名`.
fn han_numbers(text: &str, subject: &Subject<'_>) -> String {
    const COUNTED: &str = "名位个家项款条笔件台本人种次元分岁天门";
    let is_number = |c: char| "零一二两三四五六七八九十百千万亿".contains(c);
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let len = rest.find(|c: char| !is_number(c)).unwrap_or(rest.len());
        let Some(run) = rest.get(..len).filter(|run| !run.is_empty()) else {
            written.push(c);
            before = c;
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        };
        let after = rest.get(len..).and_then(|r| r.chars().next()).unwrap_or(' ');
        // The `万元` of `经费(万元)` is a unit.
        let is_unit = matches!(run, "万" | "亿" | "百万" | "千万" | "百" | "千");
        let counts =
            !is_unit && run != "一" && (COUNTED.contains(after) || before == '前') || run.chars().count() > 2;
        let is_part = rest.get(len..).is_some_and(|r| r.starts_with("分之"));
        let stands = is_in_cells(run, after, subject) || before == '第' || is_part;
        match han_number(run).filter(|_| counts && !stands && !before.is_ascii_digit()) {
            Some(n) => written.push_str(&n.to_string()),
            None => written.push_str(run),
        }
        before = run.chars().last().unwrap_or(before);
        rest = rest.get(len..).unwrap_or_default();
    }
    written
}

/// The year in which all days of a table lie.
fn only_year(subject: &Subject<'_>) -> Option<i32> {
    let fields = subject.grid.columns.iter().filter(|f| f.measure == Measure::Day);
    let mut years = fields.flat_map(|f| f.cells.iter().filter_map(|c| c.day)).map(|day| civil(day).0);
    let first = years.next()?;
    years.all(|year| year == first).then_some(first)
}

/// `between 10 and 14 June 2024` as `between 10 June 2024 and 14 June 2024`: the month and the year are said once for both days.
/// Where no year is said, it is the only one there is.
fn day_ranges(text: &str, only_year: Option<i32>) -> String {
    const JOINTS: [&str; 11] = ["and", "to", "until", "till", "through", "und", "bis", "et", "au", "–", "-"];
    let words = word::words(text);
    let day = |at: usize| {
        let word = words.get(at)?;
        let digits = text.get(word.start..word.end)?.trim_end_matches(['.', 's', 't', 'n', 'd', 'r', 'h']);
        digits.parse::<u32>().ok().filter(|day| (1..=31).contains(day))
    };
    let is = |at: usize, all: &[&str]| words.get(at).is_some_and(|w| all.contains(&w.text.as_str()));
    for at in 0..words.len() {
        let passed = (at + 2..)
            .take_while(|i| is(*i, &["the", "dem", "den", "zum", "le", "einschließlich", "inklusive"]));
        let second = at + 2 + passed.count().min(2);
        let Some(month) = words.get(second + 1).filter(|w| month(w).is_some()) else { continue };
        if day(at).is_none() || day(second).is_none() || !is(at + 1, &JOINTS) {
            continue;
        }
        let opens = at.checked_sub(1).is_some_and(|before| {
            is(
                before,
                &["between", "from", "zwischen", "vom", "von", "du", "dem", "the", "den", "le", "entre"],
            )
        });
        if is(at + 1, &["and", "und", "et"]) && !opens {
            continue;
        }
        let year =
            words.get(second + 2).filter(|w| w.number().is_some_and(|n| (1900.0..2100.0).contains(&n)));
        let said = text.get(month.start..year.unwrap_or(month).end).unwrap_or_default();
        let added = only_year.filter(|_| year.is_none()).map(|year| format!(" {year}")).unwrap_or_default();
        let Some((before, after)) = words.get(at).and_then(|w| text.split_at_checked(w.end)) else {
            continue;
        };
        // The point of `10.` belongs to the day.
        let point = if after.starts_with('.') { 1 } else { 0 };
        let (stop, rest) = after.split_at(point);
        let (rest, end) = rest.split_at(rest.len() - text.len().saturating_sub(year.unwrap_or(month).end));
        return format!("{before}{stop} {said}{added}{rest}{added}{end}");
    }
    text.to_owned()
}

/// `more than once` as `more than 1 row`: what comes several times stands in several rows.
fn times_said(text: &str) -> String {
    const BOUNDS: [&str; 12] = [
        "than",
        "least",
        "most",
        "exactly",
        "only",
        "als",
        "mindestens",
        "hochstens",
        "genau",
        "nur",
        "moins",
        "plus",
    ];
    const TIMES: [(&str, &str); 7] = [
        ("once", "1 row"),
        ("twice", "2 rows"),
        ("thrice", "3 rows"),
        ("einmal", "1 Zeile"),
        ("zweimal", "2 Zeilen"),
        ("dreimal", "3 Zeilen"),
        ("viermal", "4 Zeilen"),
    ];
    const SEVERAL: [(&str, &str); 3] = [
        ("mehrmals", "mehr als 1 Zeile"),
        ("mehrfach", "mehr als 1 Zeile"),
        ("repeatedly", "more than 1 row"),
    ];
    let rows_of = |list: &[(&'static str, &'static str)], word: &Word| {
        list.iter().find(|(said, _)| *said == word.text).map(|(_, rows)| *rows)
    };
    let words = word::words(text);
    let mut written = String::with_capacity(text.len());
    let mut at = 0;
    for (i, word) in words.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|b| words.get(b)).map_or("", |w| w.text.as_str());
        let is_one = matches!(word.text.as_str(), "one" | "eine" | "einen" | "einem" | "einer");
        let one =
            (is_one && matches!(before, "than" | "least" | "exactly" | "als" | "mindestens")).then_some("1");
        let bound = rows_of(&TIMES, word).filter(|_| BOUNDS.contains(&before)).or(one);
        if let Some(rows) = bound.or_else(|| rows_of(&SEVERAL, word)) {
            written.push_str(text.get(at..word.start).unwrap_or_default());
            written.push_str(rows);
            at = word.end;
        }
    }
    written.push_str(text.get(at..).unwrap_or_default());
    written
}

/// `what % of orders` as `what percent of orders`; after a number the sign stays.
fn percent_signs(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        let is_number = written.trim_end().ends_with(|c: char| c.is_ascii_digit());
        match c {
            '%' | '％' if !is_number => written.push_str(" percent "),
            c => written.push(c),
        }
    }
    written
}

/// Whether a number with what follows it is a name here: `三班`.
fn is_in_cells(run: &str, after: char, subject: &Subject<'_>) -> bool {
    let name = format!("{run}{after}");
    let mut cells = subject.grid.columns.iter().filter(|f| f.values.len() <= CHOICES).flat_map(|f| &f.cells);
    cells.any(|c| c.text.contains(&name))
}

/// The number that Chinese digits say; a last digit without a unit is of the unit below the one before.
fn han_number(run: &str) -> Option<u64> {
    const DIGITS: &str = "零一二三四五六七八九";
    let (mut total, mut section, mut digit, mut unit_before) = (0u64, 0u64, None, 1u64);
    for c in run.chars() {
        let c = if c == '两' { '二' } else { c };
        if let Some(n) = DIGITS.chars().position(|d| d == c) {
            digit = Some(n as u64);
            if n == 0 {
                unit_before = 10;
            }
            continue;
        }
        let unit = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            '万' => 10_000,
            '亿' => 100_000_000,
            _ => return None,
        };
        if unit >= 10_000 {
            total = (total + section + digit.take().unwrap_or(0)).max(1).checked_mul(unit)?;
            section = 0;
        } else {
            section += digit.take().unwrap_or(1) * unit;
        }
        unit_before = unit;
    }
    let last = digit.unwrap_or(0) * if unit_before > 10 { unit_before / 10 } else { 1 };
    Some(total + section + last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_said_once_for_both_days() {
        let ranges = [
            ("hours between 10 and 14 June 2024", "hours between 10 June 2024 and 14 June 2024"),
            ("who worked from 3 to 7 May?", "who worked from 3 May to 7 May?"),
            ("zwischen dem 10. und dem 14. Juni 2024", "zwischen dem 10. Juni 2024 und dem 14. Juni 2024"),
            ("vom 3. bis 5. März", "vom 3. März bis 5. März"),
        ];
        for (said, meant) in ranges {
            assert_eq!(day_ranges(said, None), meant);
        }
        let meant = "takings between 3 May 2024 and 9 May 2024?";
        assert_eq!(day_ranges("takings between 3 and 9 May?", Some(2024)), meant);
        for same in ["10 June and 14 June", "2 and 3 May orders", "between 10 and 14", "rooms 3 and 4 in May"]
        {
            assert_eq!(day_ranges(same, Some(2024)), same);
        }
    }

    #[test]
    fn what_comes_several_times_stands_in_several_rows() {
        assert_eq!(times_said("Which guests stayed more than once?"), "Which guests stayed more than 1 row?");
        assert_eq!(times_said("Wer kam mindestens zweimal?"), "Wer kam mindestens 2 Zeilen?");
        assert_eq!(times_said("Who gave more than one talk?"), "Who gave more than 1 talk?");
        assert_eq!(times_said("Wer kam mehrmals?"), "Wer kam mehr als 1 Zeile?");
        assert_eq!(times_said("twice the price, once again"), "twice the price, once again");
    }

    #[test]
    fn reads_chinese_numbers() {
        let all: Vec<Option<u64>> =
            ["一万二", "三百五", "十五", "两千", "一百零五", "三"].iter().map(|t| han_number(t)).collect();
        assert_eq!(all, [Some(12_000), Some(350), Some(15), Some(2_000), Some(105), Some(3)]);
    }
}

//! Small matters of writing: what two texts have in common, and how names and values stand in a sentence.

/// The longest value that a question or an answer is made of, in characters.
const LONGEST: usize = 60;

/// A text without case, without quotes around it, with plain dashes and single spaces.
pub(super) fn folded(text: &str) -> String {
    let quotes = ['"', '\'', '“', '”', '‘', '’'];
    let text = text.trim().trim_matches(quotes).to_lowercase();
    let plain = |c| if matches!(c, '–' | '—' | '−' | '‑') { '-' } else { c };
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().map(plain).collect()
}

/// Whether a text holds another one that does not begin or end inside a word or a number.
pub(super) fn holds(text: &str, part: &str) -> bool {
    let joins = |a: Option<char>, b: Option<char>| {
        let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_han(c));
        in_word(a) && in_word(b)
    };
    !part.is_empty()
        && text.match_indices(part).any(|(at, _)| {
            let (before, after) = (text.get(..at).unwrap_or(""), text.get(at + part.len()..).unwrap_or(""));
            !joins(before.chars().next_back(), part.chars().next())
                && !joins(part.chars().next_back(), after.chars().next())
        })
}

/// The numbers in a text, with their groups of digits joined.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let within = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
    let runs = text.split(|c| !within(c)).map(|run| run.trim_matches([',', '.']).replace(',', ""));
    runs.filter(|run| !run.is_empty()).collect()
}

/// Whether a value can be an answer: short, on one line, and not a mark of a missing one.
pub(super) fn is_answer(text: &str) -> bool {
    !text.is_empty()
        && text.chars().take(LONGEST + 1).count() <= LONGEST
        && !text.contains(char::is_control)
        && text.contains(char::is_alphanumeric)
        && !tabletalk_core::value::is_missing(text)
}

/// Whether a value can stand in a question.
pub(super) fn is_nameable(text: &str) -> bool {
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    let odd = ['"', '“', '”', '|', '`', '\\', '{', '}', '<', '>'];
    is_answer(text) && !inner.contains(odd) && !inner.ends_with(['?', '？']) && !is_total(text)
}

/// Whether a text names a row that sums up others.
pub(super) fn is_total(text: &str) -> bool {
    const ALONE: &[&str] = &["sum", "average", "mean", "career", "all", "平均"];
    let text = folded(text);
    let text = text.trim_end_matches([':', '：']);
    let english =
        text == "totals" || holds(text, "total") || holds(text, "subtotal") || holds(text, "overall");
    english
        || ALONE.contains(&text)
        || ["合计", "总计", "小计", "总和", "累计"].iter().any(|w| text.contains(w))
}

/// Whether a character is a Chinese one.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Whether most letters of a text are Chinese characters.
pub(super) fn is_mostly_han<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let (mut han, mut letters) = (0, 0);
    for c in texts.flat_map(str::chars).filter(|c| c.is_alphabetic()) {
        letters += 1;
        han += usize::from(is_han(c));
    }
    han * 2 > letters
}

/// The words of a name in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !c.is_alphanumeric() && c != '#' && c != '%');
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The name of a column as it stands in a sentence: levels side by side, no capitals that only a header has.
pub(super) fn column(name: &str) -> String {
    let mut levels: Vec<&str> = Vec::new();
    for level in name.split(" / ").map(str::trim) {
        if levels.last().is_none_or(|last| !last.eq_ignore_ascii_case(level)) {
            levels.push(level);
        }
    }
    let name = levels.join(" ").replace('_', " ");
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_heading = words
        .iter()
        .all(|w| is_small(w) || is_capitalised(w) || w.starts_with('(') || !w.contains(char::is_lowercase));
    let lower = |(i, word): (usize, &&str)| match is_capitalised(word) && (i == 0 || is_heading) {
        true => word.to_lowercase(),
        false => (*word).to_owned(),
    };
    let name = words.iter().enumerate().map(lower).collect::<Vec<_>>().join(" ");
    let counted = ["# of ", "no. of ", "no of ", "num of ", "nr. of "];
    match counted.iter().find_map(|start| name.strip_prefix(start)) {
        Some(rest) => format!("number of {rest}"),
        None => name,
    }
}

/// A word such as `Team` or `Producer(s)`, but not `GDP` or `iPod`; `Chart-Positions` is two of them.
fn is_capitalised(word: &str) -> bool {
    let mut parts = word.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty());
    let capital = |part: &str| part.starts_with(char::is_uppercase) && part.chars().nth(1).is_some();
    let lower = |part: &str| part.chars().skip(1).all(char::is_lowercase);
    parts.next().is_some_and(|first| capital(first) && lower(first) && word.starts_with(first))
        && parts.all(lower)
}

/// Whether an English name is a thing, not what was done or where: `directed by`, `joined`, `in service`.
pub(super) fn is_noun(name: &str) -> bool {
    const LAST: &[&str] = &[
        "by", "in", "at", "on", "to", "for", "from", "with", "born", "built", "won", "lost", "held", "of",
        "until", "since", "as", "left", "sold", "is",
    ];
    const FIRST: &[&str] = &[
        "in", "at", "on", "by", "is", "has", "was", "from", "to", "what", "took", "left", "entered", "did",
        "does", "who", "when", "where", "how",
    ];
    let words: Vec<&str> = name.split(' ').collect();
    let first = words.first().is_none_or(|word| FIRST.contains(word));
    let one = words.len() == 1
        && name.ends_with("ed")
        && !matches!(name, "seed" | "speed" | "need" | "feed" | "breed");
    let is_digit = |word: &str| word.len() == 1 && word.bytes().all(|b| b.is_ascii_digit());
    let last = words.last().is_none_or(|word| LAST.contains(word) || is_digit(word));
    !first && !last && !one
}

fn is_small(word: &str) -> bool {
    const SMALL: &[&str] = &[
        "of", "the", "and", "in", "for", "a", "an", "to", "at", "on", "by", "with", "de", "la", "le", "du",
        "del", "van", "von", "der", "or", "&",
    ];
    SMALL.contains(&word)
}

/// Whether a value stands in an English sentence as a name or a number does, without quotes.
fn is_name(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let starts = |w: &&str| w.starts_with(|c: char| c.is_uppercase() || c.is_numeric() || is_han(c));
    let fits = |(i, w): (usize, &&str)| {
        starts(w) || (i > 0 && is_small(w)) || w.starts_with(['$', '€', '£', '-', '('])
    };
    let clean = !value.contains([',', ';', ':', '?', '!', '[', '/']) && !value.ends_with('.');
    clean && words.len() <= 8 && words.iter().enumerate().all(fits)
}

/// Whether a text is a number or a date.
fn is_value(text: &str) -> bool {
    tabletalk_core::value::number(text).is_some() || tabletalk_core::value::moment(text).is_some()
}

/// A value as it stands in an English sentence.
pub(super) fn english_value(value: &str) -> String {
    match is_name(value) || value.starts_with('"') || is_value(value) {
        true => value.to_owned(),
        false => format!("\"{value}\""),
    }
}

/// A value as it stands in a Chinese sentence.
pub(super) fn chinese_value(value: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '%' | '·' | ':' | '（' | '）' | '(' | ')');
    match value.chars().all(plain) || value.starts_with('"') || is_value(value) {
        true => value.to_owned(),
        false => format!("“{value}”"),
    }
}

/// What a Chinese name is the name of: `项目` of `项目名称`.
pub(super) fn chinese_thing(name: &str) -> &str {
    let ends = ["名称", "全称", "简称", "姓名", "名字"];
    let stem = ends.iter().find_map(|end| name.strip_suffix(end)).filter(|stem| stem.chars().count() >= 2);
    stem.unwrap_or(name)
}

/// Whether the thing that an English name is about is several: `points`, `goals scored`, not `status`.
pub(super) fn is_plural(name: &str) -> bool {
    let ends = [
        " of ", " in ", " for ", " per ", " by ", " at ", " on ", " (", " scored", " won", " lost", " played",
    ];
    let head =
        ends.iter().filter_map(|end| name.find(end)).min().and_then(|at| name.get(..at)).unwrap_or(name);
    let last = head.split(' ').next_back().unwrap_or("").to_lowercase();
    let single = ["ss", "us", "is", "series", "species", "news", "gas", "chess", "canvas", "texas"];
    last.len() > 3
        && last.ends_with('s')
        && last.chars().all(|c| c.is_ascii_alphabetic())
        && !single.iter().any(|end| last.ends_with(end))
}

/// Several of what an English name is about; none where it is not clear how to say that.
pub(super) fn plural(name: &str) -> Option<String> {
    let is_plain = name.chars().all(|c| c.is_ascii_alphabetic() || c == ' ') && name.split(' ').count() <= 2;
    let first = name.split(' ').next_back()?;
    let no_noun =
        ["name", "names", "no", "type", "date", "year", "title", "result", "value", "key", "label", "item"];
    if !is_plain || first.len() < 3 || no_noun.contains(&first.to_lowercase().as_str()) {
        return None;
    }
    if is_plural(name) {
        return Some(name.to_owned());
    }
    let vowel = |c: Option<char>| matches!(c, Some('a' | 'e' | 'i' | 'o' | 'u'));
    let ends = |all: &[&str]| all.iter().any(|end| name.ends_with(end));
    Some(match name.strip_suffix('y') {
        Some(stem) if !vowel(stem.chars().next_back()) => format!("{stem}ies"),
        _ if ends(&["person"]) => format!("{}people", name.strip_suffix("person")?),
        _ if ends(&["man"]) => format!("{}men", name.strip_suffix("man")?),
        _ if ends(&["series", "species", "aircraft", "spacecraft", "fish", "sheep", "staff"]) => {
            name.to_owned()
        }
        _ if ends(&["s", "x", "ch", "sh"]) => format!("{name}es"),
        _ => format!("{name}s"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_only_a_header_has() {
        for (name, said) in [
            ("Home Team", "home team"),
            ("GDP (PPP)", "GDP (PPP)"),
            ("Date of Birth", "date of birth"),
            ("Chart-Positions / UK", "chart-positions UK"),
            ("Medals / Medals / Gold", "medals gold"),
            ("# of accidents", "number of accidents"),
            ("unit_price", "unit price"),
            ("项目名称", "项目名称"),
        ] {
            assert_eq!(column(name), said);
        }
    }

    #[test]
    fn one_and_several() {
        assert!(["points", "deaths", "goals scored", "sales in 2010"].iter().all(|n| is_plural(n)));
        assert!(!["status", "class", "number of wins", "team", "pts", "series"].iter().any(|n| is_plural(n)));
        for (one, several) in [
            ("city", "cities"),
            ("film", "films"),
            ("match", "matches"),
            ("person", "people"),
            ("day", "days"),
        ] {
            assert_eq!(plural(one).as_deref(), Some(several));
        }
        assert_eq!((plural("name"), plural("name of film"), plural("c++")), (None, None, None));
    }

    #[test]
    fn a_part_is_whole_words_and_numbers() {
        assert!(holds("in oslo, 12 km", "oslo") && holds("共12个", "12") && holds("北京市东城区", "东城"));
        assert!(!holds("russia", "us") && !holds("120", "12") && !holds("a", ""));
        assert_eq!(numbers("over 1,200.5 in 2007–08."), ["1200.5", "2007", "08"]);
    }

    #[test]
    fn values_are_quoted_where_they_could_be_taken_for_the_sentence() {
        assert_eq!(english_value("Lawn Dogs"), "Lawn Dogs");
        assert_eq!(english_value("Catcher in the Rye"), "Catcher in the Rye");
        assert_eq!(english_value("Television film"), "\"Television film\"");
        assert_eq!(chinese_value("北京城建天坛府"), "北京城建天坛府");
        assert_eq!(chinese_value("a b"), "“a b”");
        assert!(
            !is_nameable("say \"hi\"")
                && is_nameable("\"Pilot\"")
                && !is_nameable("a|b")
                && !is_nameable("a\nb")
        );
        assert!(
            !is_nameable("Total")
                && !is_nameable("合计")
                && !is_nameable(&"x".repeat(61))
                && !is_nameable("n/a")
        );
    }
}

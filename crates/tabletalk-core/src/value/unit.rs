//! What stands beside a number: percent, words that multiply, currencies, units.

use super::cursor::Cursor;

/// Reads a percent sign or word.
pub(super) fn percent(at: &mut Cursor<'_>) -> bool {
    let mut after = *at;
    let gap = after.spaces();
    let words =
        gap > 0 && ["percent", "per cent", "pct"].iter().any(|w| after.eat_word(w)) && after.at_word_end();
    let found = words || (gap <= 1 && after.eat('%'));
    if found {
        *at = after;
    }
    found
}

/// A word or character that multiplies: its power of ten.
pub(super) fn scale(at: &mut Cursor<'_>, currency: bool) -> Option<i32> {
    let mut after = *at;
    let gap = after.spaces();
    let next = after.peek()?;
    let power = if next.is_ascii_alphabetic() {
        let power = latin_scale(&mut after, gap, currency)?;
        after.at_word_end().then_some(power)?
    } else {
        han_scale(&mut after)?
    };
    *at = after;
    Some(power)
}

fn latin_scale(at: &mut Cursor<'_>, gap: usize, currency: bool) -> Option<i32> {
    const WORDS: &[(&str, i32)] = &[
        ("thousand", 3),
        ("million", 6),
        ("billion", 9),
        ("trillion", 12),
        ("mln", 6),
        ("mn", 6),
        ("mm", 6),
        ("bln", 9),
        ("bn", 9),
        ("tn", 12),
        ("tsd", 3),
        ("mio", 6),
        ("mrd", 9),
    ];
    for (word, power) in WORDS {
        if (*word != "mm" || currency) && at.eat_word(word) {
            // German abbreviations end in a full stop.
            let _ = matches!(*word, "tsd" | "mio" | "mrd") && at.eat('.');
            return Some(*power);
        }
    }
    // A lone letter is a unit (metre, kelvin, byte) unless it is attached or money is meant.
    match at.eat_if(|c| matches!(c, 'k' | 'K' | 'm' | 'M' | 'b' | 'B'))? {
        'k' | 'K' if gap == 0 || currency => Some(3),
        'M' if gap == 0 || currency => Some(6),
        'm' if currency => Some(6),
        'B' | 'b' if currency => Some(9),
        _ => None,
    }
}

fn han_scale(at: &mut Cursor<'_>) -> Option<i32> {
    const WORDS: &[(&str, i32)] = &[
        ("万亿", 12),
        ("千亿", 11),
        ("百亿", 10),
        ("十亿", 9),
        ("亿", 8),
        ("千万", 7),
        ("百万", 6),
        ("十万", 5),
        ("万", 4),
        ("千", 3),
        ("萬", 4),
        ("億", 8),
    ];
    let (word, power) = WORDS.iter().find(|(word, _)| at.rest().starts_with(word))?;
    at.eat_word(word);
    // 千克, 千米 and 千瓦 are units of their own.
    (*word != "千" || !at.peek().is_some_and(|c| matches!(c, '克' | '米' | '瓦' | '卡'))).then_some(*power)
}

/// A currency at the start: the length as written and the name of the unit.
pub(super) fn currency_of(text: &str) -> Option<(usize, &'static str)> {
    const CURRENCIES: &[(&str, &str)] = &[
        ("$", "USD"),
        ("＄", "USD"),
        ("US$", "USD"),
        ("USD", "USD"),
        ("HK$", "HKD"),
        ("HKD", "HKD"),
        ("NT$", "TWD"),
        ("A$", "AUD"),
        ("AUD", "AUD"),
        ("C$", "CAD"),
        ("CAD", "CAD"),
        ("R$", "BRL"),
        ("€", "EUR"),
        ("EUR", "EUR"),
        ("£", "GBP"),
        ("GBP", "GBP"),
        ("¥", "¥"),
        ("￥", "¥"),
        ("CNY", "CNY"),
        ("RMB", "CNY"),
        ("人民币", "CNY"),
        ("JPY", "JPY"),
        ("CHF", "CHF"),
        ("Fr.", "CHF"),
        ("SFr.", "CHF"),
        ("SEK", "SEK"),
        ("NOK", "NOK"),
        ("DKK", "DKK"),
        ("PLN", "PLN"),
        ("kr", "kr"),
        ("INR", "INR"),
        ("₹", "INR"),
        ("₩", "KRW"),
        ("₽", "RUB"),
        ("美元", "美元"),
        ("欧元", "欧元"),
        ("港元", "港元"),
        ("日元", "日元"),
        ("元", "元"),
    ];
    let first = text.as_bytes().first()?;
    CURRENCIES
        .iter()
        .filter(|(written, _)| written.as_bytes().first() == Some(first))
        .find(|(written, _)| text.starts_with(written))
        .map(|(written, unit)| (written.len(), *unit))
}

/// Whether the word of `len` bytes at the start of a text ends there.
pub(super) fn is_word_end(text: &str, len: usize) -> bool {
    let ends_in_letter = text.as_bytes().get(len - 1).is_some_and(u8::is_ascii_alphabetic);
    !ends_in_letter || !text.as_bytes().get(len).is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether a text after a number is a short unit and nothing else. After a year, `s` makes a decade.
pub(super) fn is_unit(text: &str, gap: usize, is_year: bool) -> bool {
    let chars = text.chars().count();
    if text.is_empty() || gap > 1 {
        return false;
    }
    if text.chars().all(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) {
        return chars <= 4;
    }
    let longest = if gap == 0 { 4 } else { 8 };
    let allowed = |c: char| c.is_alphabetic() || matches!(c, '°' | 'µ' | '²' | '³' | '/' | '"' | '″');
    if chars > longest || !text.chars().all(allowed) || text.starts_with('/') {
        return false;
    }
    let decade = is_year && text == "s";
    const NOT_UNITS: &[&str] = &["st", "nd", "rd", "th", "am", "pm", "bc", "ad", "e", "x"];
    let is_word = NOT_UNITS.iter().any(|w| text.eq_ignore_ascii_case(w));
    !decade && !is_word && super::date::month_name(text).is_none()
}

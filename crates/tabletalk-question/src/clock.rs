//! Times that are written with colons: of day (`18:30`), and how long something took (`42:10`, `1:02:33`).

use crate::analyse::Question;
use crate::mask::{Mask, span};

/// What the unit before the last colon counts of the last.
const SIXTY: f64 = 60.0;

/// The size of a text that is a time, in its last unit: minutes for `18:30`, seconds for `1:02:33`.
pub(crate) fn size(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    let is_first = |p: &str| (1..=3).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit());
    let is_next = |p: &str| p.len() == 2 && p.bytes().all(|b| b.is_ascii_digit());
    let number = |p: &str| p.parse::<f64>().ok().filter(|n| *n < SIXTY);
    match parts.as_slice() {
        [a, b] if is_first(a) && is_next(b) => Some(a.parse::<f64>().ok()? * SIXTY + number(b)?),
        [a, b, c] if is_first(a) && is_next(b) && is_next(c) => {
            Some((a.parse::<f64>().ok()? * SIXTY + number(b)?) * SIXTY + number(c)?)
        }
        _ => None,
    }
}

/// The SQL of the size of a text.
pub(crate) fn sql(quoted: &str) -> String {
    let part = |n: usize| format!("TRY_CAST(split_part({quoted}, ':', {n}) AS DOUBLE)");
    let (a, b, c) = (part(1), part(2), part(3));
    format!(
        "CASE WHEN split_part({quoted}, ':', 3) = '' THEN {a} * 60 + {b} ELSE {a} * 3600 + {b} * 60 + {c} END"
    )
}

/// How the times of a column are written.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ClockStyle {
    /// In three parts, at least those of an hour and more.
    pub is_long: bool,
    /// Those under an hour in two.
    pub is_mixed: bool,
    /// With a zero before a single digit.
    pub is_padded: bool,
}

impl ClockStyle {
    /// The style of these texts.
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> ClockStyle {
        let mut style = ClockStyle::default();
        let mut has_short = false;
        for text in texts.filter(|text| size(text).is_some()) {
            let is_long = text.matches(':').count() == 2;
            style.is_long |= is_long;
            has_short |= !is_long;
            style.is_padded |= text.trim().starts_with('0') && !text.trim().starts_with("0:");
        }
        ClockStyle { is_mixed: style.is_long && has_short, ..style }
    }

    /// A size as a text again.
    pub(crate) fn written(self, size: f64) -> String {
        let all = size.round() as i64;
        let is_long = self.is_long && !(self.is_mixed && all < HOUR);
        let first = all / if is_long { HOUR } else { MINUTE };
        let first = if self.is_padded { format!("{first:02}") } else { first.to_string() };
        match is_long {
            true => format!("{first}:{:02}:{:02}", all / MINUTE % MINUTE, all % MINUTE),
            false => format!("{first}:{:02}", all % MINUTE),
        }
    }

    /// The SQL of a size as a text again.
    pub(crate) fn sql(self, size: &str) -> String {
        let all = format!("CAST(round({size}) AS BIGINT)");
        let text = |of: String| format!("CAST({of} AS VARCHAR)");
        let two = |of: String| format!("lpad({}, 2, '0')", text(of));
        let first = |unit: i64| {
            let of = format!("{all} / {unit}");
            if self.is_padded { two(of) } else { text(of) }
        };
        let last = two(format!("{all} % {MINUTE}"));
        let short = format!("{} || ':' || {last}", first(MINUTE));
        let minutes = two(format!("{all} / {MINUTE} % {MINUTE}"));
        let long = format!("{} || ':' || {minutes} || ':' || {last}", first(HOUR));
        match (self.is_long, self.is_mixed) {
            (false, _) => short,
            (true, false) => long,
            (true, true) => format!("CASE WHEN {all} < {HOUR} THEN {short} ELSE {long} END"),
        }
    }
}

/// What a minute and an hour count of seconds.
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;

/// The times of day that a question names, in minutes: `18:30`, `6 pm`, `9 Uhr`, `9点`.
pub(crate) fn times(text: &str, question: &Question) -> Vec<(Mask, u32)> {
    let mut found = Vec::new();
    let mut next = 0;
    for (i, word) in question.words.iter().enumerate() {
        if i < next {
            continue;
        }
        let hours = word.text.parse::<u32>().ok().filter(|h| *h < 25);
        let minutes = question.words.get(i + 1).filter(|w| w.start == word.end + 1 && w.text.len() == 2);
        let joint = text.get(word.end..word.end + 1).unwrap_or_default();
        let minutes = minutes.and_then(|w| w.text.parse::<u32>().ok()).filter(|m| *m < 60 && joint == ":");
        let after = i + 1 + usize::from(minutes.is_some());
        let said = question.text(Some(after));
        if let Some((h, m)) = word.text.split_once('h')
            && let (Ok(hours @ 0..=24), Ok(minutes @ 0..=59)) = (h.parse::<u32>(), m.parse::<u32>())
        {
            next = i + 1;
            found.push((span(i, next), hours * 60 + minutes));
            continue;
        }
        let glued = ["am", "pm", "h"].iter().find_map(|end| Some((*end, word.text.strip_suffix(end)?)));
        let glued =
            glued.and_then(|(end, digits)| Some((digits.parse::<u32>().ok().filter(|h| *h < 25)?, end)));
        let Some((hours, unit)) = hours.map(|hours| (hours, said)).or(glued) else { continue };
        let is_said = matches!(unit, "am" | "pm" | "uhr" | "h" | "heures" | "点" | "clock");
        if minutes.is_none() && !is_said {
            continue;
        }
        let hours = match unit {
            "pm" if hours < 12 => hours + 12,
            "am" if hours == 12 => 0,
            _ => hours,
        };
        next = after + usize::from(is_said && glued.is_none());
        found.push((span(i, next), hours * 60 + minutes.unwrap_or(0)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_size_and_are_written_again() {
        assert_eq!(size("18:30"), Some(1110.0));
        assert_eq!(size("1:02:33"), Some(3753.0));
        for text in ["18:75", "2:1", "3:0:1", "a:10", "10", "1:2:3:4", ":30"] {
            assert_eq!(size(text), None, "{text}");
        }
        let long = ClockStyle::of(["58:10", "1:02:33"].into_iter());
        assert_eq!(long.written(3753.4), "1:02:33");
        let short = ClockStyle::of(["18:30", "07:05", "late"].into_iter());
        assert_eq!((short.written(1110.0), short.written(425.0)), ("18:30".into(), "07:05".into()));
    }

    #[test]
    fn times_of_day_are_said_in_several_ways() {
        let all = |text: &str| -> Vec<u32> {
            times(text, &Question::new(text)).into_iter().map(|(_, minutes)| minutes).collect()
        };
        assert_eq!(all("flights before 9:05 and after 6 pm"), [545, 1080]);
        assert_eq!(all("vor 9 Uhr"), [540]);
        assert_eq!(all("after 6pm"), [1080]);
        assert_eq!(all("avant 10h00 ou 9h"), [600, 540]);
        assert_eq!(all("at 12 am"), [0]);
        assert!(all("9 rooms, 3-10 June, 2.30 each").is_empty());
    }
}

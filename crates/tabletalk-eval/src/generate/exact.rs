//! Numbers without rounding: whole multiples of a power of ten.

use std::cmp::Ordering;
use std::fmt;

/// The most digits before the point that are read, so that no sum can overflow.
const MOST_DIGITS: usize = 18;
/// The most digits after the point.
const MOST_DECIMALS: usize = 12;

/// A decimal number, exactly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    units: i128,
    decimals: u32,
}

/// What stands before and after the digits of a number: a currency, a percent sign, a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Affix {
    pub(super) before: String,
    pub(super) after: String,
}

impl Affix {
    pub(super) fn is_percent(&self) -> bool {
        matches!(self.after.as_str(), "%" | "％")
    }
}

impl Exact {
    pub(super) fn whole(n: i64) -> Exact {
        Exact { units: i128::from(n), decimals: 0 }
    }

    /// Reads digits with at most one point, in groups of three or in none.
    fn read(text: &str) -> Option<Exact> {
        let (whole, part) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
        let part = part.unwrap_or("0").trim_end_matches('0');
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let written = text.rsplit_once('.').is_none_or(|(_, part)| !part.is_empty());
        let whole = ungrouped(whole)?;
        let fits = whole.len() <= MOST_DIGITS && part.len() <= MOST_DECIMALS;
        if !written || !fits || !digits(part) || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let units = format!("{whole}{part}").parse().ok()?;
        Some(Exact { units, decimals: u32::try_from(part.len()).ok()? })
    }

    /// Reads a number that is written in one clear way, and what stands beside it. Of units only the one that
    /// is known of the column is taken: what could be a scale, a footnote or a code is no number here.
    pub(super) fn written(text: &str, unit: Option<&str>) -> Option<(Exact, Affix)> {
        let (negative, rest) = signed(text.trim());
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        let (before, rest) = rest.split_at(start);
        let (negative, before) = match before.strip_suffix(['-', '−']) {
            Some(before) if !negative => (true, before),
            _ => (negative, before),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | '.')).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        let affix = Affix { before: before.trim().to_owned(), after: after.trim().to_owned() };
        if !is_currency(&affix.before) || !is_plain_unit(&affix.after, unit) {
            return None;
        }
        let number = Exact::read(digits)?;
        Some((if negative { Exact { units: -number.units, ..number } } else { number }, affix))
    }

    /// The sum; none if it is too large.
    pub(super) fn plus(self, other: Exact) -> Option<Exact> {
        let decimals = self.decimals.max(other.decimals);
        Some(Exact { units: self.at(decimals)?.checked_add(other.at(decimals)?)?, decimals })
    }

    /// The difference; none if it is too large.
    pub(super) fn minus(self, other: Exact) -> Option<Exact> {
        self.plus(Exact { units: other.units.checked_neg()?, ..other })
    }

    pub(super) fn as_whole(self) -> Option<i128> {
        (self.decimals == 0).then_some(self.units)
    }

    /// How many units it is at this many decimals.
    fn at(self, decimals: u32) -> Option<i128> {
        self.units.checked_mul(10i128.checked_pow(decimals.checked_sub(self.decimals)?)?)
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let decimals = self.decimals.max(other.decimals);
        let at = |n: &Exact| n.at(decimals).unwrap_or(if n.units < 0 { i128::MIN } else { i128::MAX });
        at(self).cmp(&at(other))
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Exact {}

impl fmt::Display for Exact {
    /// Plainly: no groups, no decimals that say nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.units.unsigned_abs().to_string();
        let width = self.decimals as usize;
        let digits = format!("{digits:0>least$}", least = width + 1);
        let (whole, part) = digits.split_at(digits.len() - width);
        let part = part.trim_end_matches('0');
        let sign = if self.units < 0 { "-" } else { "" };
        let point = if part.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{part}")
    }
}

/// The digits of `1,200`, where the groups are right.
fn ungrouped(text: &str) -> Option<String> {
    let mut groups = text.split(',');
    let first = groups.next().filter(|g| !g.is_empty() && g.bytes().all(|b| b.is_ascii_digit()))?;
    let rest: Vec<&str> = groups.collect();
    let is_group = |g: &&str| g.len() == 3 && g.bytes().all(|b| b.is_ascii_digit());
    let sound = rest.is_empty() || (first.len() <= 3 && !first.starts_with('0') && rest.iter().all(is_group));
    sound.then(|| format!("{first}{}", rest.concat()))
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn is_currency(text: &str) -> bool {
    matches!(text, "" | "$" | "€" | "£" | "¥" | "￥" | "₹" | "US$" | "A$" | "C$" | "HK$")
}

/// Whether this after a number leaves its size as it is.
fn is_plain_unit(text: &str, unit: Option<&str>) -> bool {
    const SCALES: &[&str] = &[
        "k", "m", "b", "t", "bn", "mn", "mln", "tn", "mio", "thousand", "million", "billion", "trillion",
        "dozen",
    ];
    if matches!(text, "" | "%" | "％") {
        return true;
    }
    let is_scale = SCALES.iter().any(|s| text.to_lowercase().split(' ').any(|word| word == *s))
        || text.starts_with(['百', '千', '万', '亿', '萬', '億', '仟', '佰'])
        || text.contains(|c: char| c.is_ascii_digit());
    unit == Some(text) && !is_scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Exact::written(text, Some("kg")).map(|(n, _)| n.to_string())
    }

    #[test]
    fn reads_what_is_written_in_one_way_only() {
        for (text, plain) in [
            ("1,200", "1200"),
            ("-3.50", "-3.5"),
            ("−7", "-7"),
            ("$1,000,000.05", "1000000.05"),
            ("-$5", "-5"),
            ("$-5", "-5"),
            ("12 %", "12"),
            ("4.0 kg", "4"),
            ("0", "0"),
            ("-0.05", "-0.05"),
            ("+8", "8"),
        ] {
            assert_eq!(read(text).as_deref(), Some(plain), "{text}");
        }
        for text in [
            "",
            "NaN",
            "inf",
            "1,20",
            "1,2000",
            "007",
            "1.2.3",
            "1.",
            ".5",
            "12 m",
            "3万",
            "5 lb",
            "(5)",
            "1e5",
            "--5",
            "2-1",
            "12[1]",
            "1234567890123456789",
            "0,123",
            "1 200",
            "5 kg2",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn adds_and_compares_without_rounding() {
        let n = |text| Exact::written(text, None).unwrap().0;
        assert_eq!(n("0.1").plus(n("0.2")).unwrap().to_string(), "0.3");
        assert_eq!(n("1.50").plus(n("1.5")).unwrap().to_string(), "3");
        assert_eq!(n("0.1").minus(n("1")).unwrap().to_string(), "-0.9");
        assert!(n("0.30") == n("0.3") && n("-2") < n("-1.99") && n("10") > n("9.999"));
        let many = (0..10).try_fold(n("0"), |sum, _| sum.plus(n("0.1"))).unwrap();
        assert_eq!(many.to_string(), "1");
        assert!(n("999999999999999999.999999999999").plus(n("0.000000000001")).is_some());
    }
}
